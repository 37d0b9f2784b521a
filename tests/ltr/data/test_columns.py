from __future__ import annotations

import codecs
import gzip

import pytest
from support.refusals import refuses

from ltr.data.columns import read_bytes
from ltr.data.qrels import read_qrels
from ltr.data.runs import read_run
from ltr.data.topics import read_topics


@pytest.mark.parametrize("read", [read_topics, read_qrels, read_run])
def test_files_that_cannot_be_read(tmp_path, read):
    refuses(lambda: read(tmp_path / "absent"), "absent", "no such file")
    refuses(lambda: read(tmp_path), str(tmp_path), "is a directory")


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (read_topics, b"<topics>\n\0</topics>"),
        (read_qrels, b"1 0 a 1\n1 0 a\0x 2\n"),
        (read_run, b"1 Q0 a 1 2.0 t\n1 Q0 a\0x 2 1.0 t\n"),
    ],
)
def test_a_nul_is_no_part_of_an_id(tmp_path, read, content):
    """Of `a` and `a`, NUL, `x` trec_eval made one id, and gave the topic 0."""
    (tmp_path / "file").write_bytes(content)
    refuses(lambda: read(tmp_path / "file"), f"{tmp_path / 'file'} line 2", "holds a NUL byte")


def test_a_packed_file_is_unpacked_and_bounded(tmp_path):
    path, text = tmp_path / "a.gz", b"1 0 a 1\n" * 100
    path.write_bytes(gzip.compress(codecs.BOM_UTF8 + text))
    assert read_bytes(path) == text
    refuses(lambda: read_bytes(path, 700), "a.gz", "holds more than")
    path.write_bytes(text)
    refuses(lambda: read_bytes(path, 700), "a.gz", "holds more than")
    path.write_bytes(gzip.compress(text)[:-9])
    refuses(lambda: read_bytes(path), "a.gz", "is not a complete gzip file; make it again")
