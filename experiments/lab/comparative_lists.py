"""``python -m experiments.lab.comparative_lists --data DIR -o DIR``: the judged snippets as a corpus with qrels.

The comparative model that ships was trained on them. The data are ChatNoir's snippets of documents that Touché judged,
``judged-2020.jsonl`` and ``judged-2021-part.jsonl``.
"""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

from experiments.lab.program import DATA, Program
from ltr.cli.process import run_command
from ltr.data.columns import read_objects
from ltr.settings.shared import OUTPUT

FILES = {2020: "judged-2020.jsonl", 2021: "judged-2021-part.jsonl"}


def write_lists(options: Any) -> None:
    """Write results.jsonl, topics.xml and a qrels file for each judgment. Raises InputError."""
    data, out = options.data, options.output
    documents: dict[tuple[str, str], dict[str, Any]] = {}
    titles: dict[str, str] = {}
    grades: dict[str, dict[tuple[str, str], int]] = {"relevance-2020": {}, "relevance": {}, "quality": {}}
    for year, name in FILES.items():
        rows = [row for _, row in read_objects(data / name, 'write {"topic", "query", "text", ...}')]
        random.Random(5).shuffle(rows)  # those of 2020 are sorted by label
        for row in rows:
            item = row["topic"], hashlib.sha256(row["text"].encode("utf-8")).hexdigest()[:16]
            titles[item[0]] = row["query"]
            rank = {"rank": row["chatnoir_rank"]} if row.get("chatnoir_rank") else {}
            documents.setdefault(item, {"topic": item[0], "id": item[1], "text": row["text"]} | rank)
            if year == 2020:  # relevant or not
                grades["relevance-2020"][item] = max(2 * row["label"], grades["relevance-2020"].get(item, 0))
            else:
                for dimension in {"relevance", "quality"} & row.keys():
                    grades[dimension][item] = row[dimension]
    grades["relevance"] |= grades["relevance-2020"]
    out.mkdir(exist_ok=True)
    (out / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in documents.values()), "utf-8")
    for name, of in grades.items():
        lines = [f"{topic} 0 {id_} {grade}\n" for (topic, id_), grade in of.items()]
        (out / f"{name}.qrels").write_text("".join(lines), "utf-8")
    topics = [f"<topic><number>{number}</number><title>{title}</title></topic>\n" for number, title in titles.items()]
    (out / "topics.xml").write_text(f"<topics>\n{''.join(topics)}</topics>\n", "utf-8")


WHAT = "Write judged snippets as a corpus with topics and qrels."
main = Program(__file__, write_lists, WHAT, data=DATA, output=OUTPUT)

if __name__ == "__main__":
    run_command(main)
