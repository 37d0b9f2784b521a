from __future__ import annotations

import pytest
from support.refusals import refuses

from ltr.data.qrels import read_qrels
from ltr.data.runs import read_run
from ltr.data.topics import read_topics


@pytest.mark.parametrize("read", [read_topics, read_qrels, read_run])
def test_files_that_cannot_be_read(tmp_path, read):
    refuses(lambda: read(tmp_path / "absent"), "absent", "no such file")
    refuses(lambda: read(tmp_path), str(tmp_path), "is a directory")
