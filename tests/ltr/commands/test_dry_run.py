"""``--dry-run`` says what would happen, and nothing happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.refusals import refuses
from support.sample_model import sample_index

from ltr.commands import predict, train
from ltr.errors import InputError
from ltr.sample import SAMPLE


def test_predict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "deep" / "out"
    options = ["-i", str(SAMPLE), "-o", str(out), "-m", "bm25", "--index", str(sample_index()), "--dry-run"]
    assert predict.main([*options, "--metadata"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "would read",
        f"  corpus    {SAMPLE / 'args_processed_sample.csv'} (0.5 MB)",
        "  topics    those beside the corpus (4)",
        "  model     the baseline bm25",
        "would open",
        f"  index     {sample_index()}",
        "would write",
        f"  run       {out / 'run.txt'}",
        f"  metadata  {out / 'ir-metadata.yml'}",
        "Nothing was built or written.",
    ]
    assert list(tmp_path.iterdir()) == []
    out.mkdir(parents=True)
    (out / "run.txt").write_text("older")
    assert predict.main(options) == 0
    assert f"{out / 'run.txt'} (replaces the one there)" in capsys.readouterr().out
    refuses(lambda: predict.main([*options, "--gzip"]), "a reader would find it beside")
    (out / "file").touch()
    with pytest.raises(InputError, match=r"file: .*run\.txt cannot be written there"):
        predict.main([*options, "-o", str(out / "file" / "deep")])


def test_train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, model = tmp_path / "index", tmp_path / "deep" / "model"
    assert train.main(["-m", str(model), "--index", str(place), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "  to learn  8 judged topics of 8\nwould build\n" in said
    assert f"  index     {place} (there is none yet)\nwould write\n  model     {model}\n" in said
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "thesis.txt").touch()
    refuses(lambda: train.main(["-m", str(tmp_path), "--index", str(place), "--dry-run"]), "nor a model of ours")
