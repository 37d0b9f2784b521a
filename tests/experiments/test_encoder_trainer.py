from __future__ import annotations

import sys

import pytest
from support.weights import write_files

from experiments.learned import encoder, side_reader
from experiments.learned.encoder import FILES
from ltr.errors import InputError

DATA = ["--data", "stances", "-i", "debates", "--topics", "topics.xml"]


@pytest.mark.parametrize(("main", "more"), [(encoder.main, []), (side_reader.main, DATA)], ids=["encoder", "sides"])
def test_without_pytorch_there_is_one_line(main, more, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    options = ["-m", str(tmp_path), "-o", str(tmp_path / "out"), *more]
    with pytest.raises(InputError, match=r"there is no config\.json"):
        main(options)
    write_files(tmp_path, dict.fromkeys(FILES, ""))
    with pytest.raises(InputError, match="pip install torch"):
        main(options)
    assert not (tmp_path / "out").exists()
