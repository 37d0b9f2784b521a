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
    """Write topics; an empty list of objects is left out."""
    root = ElementTree.Element("topics")
    for topic in topics:
        element = ElementTree.SubElement(root, "topic")
        fields = {"number": topic.number, "title": topic.title, "objects": ", ".join(topic.objects)}
        for field, text in fields.items():
            if text:
                ElementTree.SubElement(element, field).text = text
    ElementTree.indent(root)
    path.write_text(ElementTree.tostring(root, encoding="unicode") + "\n", "utf-8")
