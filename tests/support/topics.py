"""Topics as XML."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from ltr.data.topics import Topic


def second_topic(inside: str) -> str:
    """A topic, and one with this ``inside``, on lines of their own."""
    return f"<topics>\n<topic><number>1</number><title>t</title></topic>\n<topic>{inside}</topic></topics>"


def write_topics(path: Path, topics: Iterable[Topic]) -> None:
    """Write topics; empty descriptions, narratives and kinds are left out."""
    root = ElementTree.Element("topics")
    for topic in topics:
        element = ElementTree.SubElement(root, "topic")
        fields = {name: getattr(topic, name) for name in ("number", "title", "description", "narrative", "kind")}
        for field, text in {**fields, "objects": ", ".join(topic.objects)}.items():
            if text:
                ElementTree.SubElement(element, field).text = text
    ElementTree.indent(root)
    path.write_text(ElementTree.tostring(root, encoding="unicode") + "\n", "utf-8")
