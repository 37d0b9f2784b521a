"""The booklet as a PDF. Needs the extra ``booklet``; the fonts are files beside this module."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from fontTools.ttLib import TTFont
from fpdf import FPDF, XPos, YPos

from experiments.pool.files import ShownPair
from experiments.pool.rubric import HOW, RUBRIC
from ltr.errors import InputError

FONT = "DejaVuSansCondensed"
_BOX = 3.6  # millimetres, as all lengths here
_LINE = 4.9
_GAP = 2.5
_TICKS = 9.0  # height of the line with the boxes


class Pages(FPDF):
    """A4 pages with numbers."""

    def __init__(self, booklet: str) -> None:
        super().__init__(format="A4")
        self.booklet = booklet
        self.set_creation_date(datetime(2000, 1, 1, tzinfo=UTC))  # the same booklet is the same bytes
        self.set_title(f"Booklet {booklet}")
        self.set_margins(17, 15)
        self.set_auto_page_break(auto=True, margin=20)
        for style in ("", "B"):
            file = Path(__file__).with_name(f"{FONT}{'-Bold' if style else ''}.ttf")
            self.add_font(FONT, style, file)
            self.known = TTFont(file).getBestCmap()
        self.set_font(FONT, size=10)
        self.add_page()

    def footer(self) -> None:
        """The number of the page."""
        self.set_y(-14)
        self.set_font(FONT, size=8)
        self.cell(0, 5, f"Booklet {self.booklet}, page {self.page_no()} of {{nb}}", align="C")

    def text_block(self, text: str, style: str = "", indent: float = 0) -> None:
        """A paragraph over the whole width."""
        self.set_font(FONT, style)
        self.set_x(self.l_margin + indent)
        self.multi_cell(0, _LINE, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def pair(self, pair: ShownPair) -> None:
        """A pair with boxes to tick, never over two pages."""
        blocks = [(f"{pair.number}. {pair.topic}", "B", 0), (pair.first, "", 4), (pair.second, "", 4)]
        height = _TICKS + _GAP
        for text, style, indent in blocks:
            self.set_font(FONT, style)
            height += 1 + self.multi_cell(self.epw - indent, _LINE, text, align="L", dry_run=True, output="HEIGHT")
        if self.will_page_break(height):
            self.add_page()
        self.line(self.l_margin, self.y, self.w - self.r_margin, self.y)
        self.ln(1)
        for text, style, indent in blocks:
            top = self.y
            self.text_block(text, style, indent)
            if indent:
                self.line(self.l_margin + 2, top + 0.4, self.l_margin + 2, self.y - 0.4)
            self.ln(1)
        self.ticks()

    def ticks(self) -> None:
        """Three boxes for each dimension, in one line."""
        top = self.y + 1.5
        for column, name in enumerate(RUBRIC):
            x = self.l_margin + 4 + column * (self.epw - 4) / len(RUBRIC)
            self.set_font(FONT, "B")
            self.set_xy(x, top)
            self.cell(22, _BOX, name.capitalize())
            self.set_font(FONT)
            for grade in range(3):
                left = x + 22 + grade * 11
                self.rect(left, top, _BOX, _BOX)
                self.set_xy(left + _BOX + 0.3, top)
                self.cell(5, _BOX, str(grade))
        self.set_xy(self.l_margin, top + _TICKS - 1.5)


def write_pdf(path: Path, shown: Sequence[ShownPair], booklet: str, ticking: str) -> set[str]:
    """Write the booklet. Returns the characters that its font lacks, which are replaced. Raises InputError."""
    pages = Pages(booklet)
    pages.set_font(FONT, "B", 15)
    pages.cell(0, 8, f"Grade {len(shown)} pairs of sentences", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    pages.set_font(FONT, "", 10)
    pages.ln(5)
    pages.text_block("Name" + "\u00a0" * 70 + "Date")
    pages.line(pages.l_margin, pages.y + 0.5, pages.w - pages.r_margin, pages.y + 0.5)
    pages.ln(5)
    for paragraph in (*HOW, ticking):
        pages.text_block(paragraph)
        pages.ln(2)
    with pages.table(col_widths=(22, 26, 26, 26), text_align="LEFT", line_height=_LINE, padding=1) as table:
        table.row(("", "0", "1", "2"))
        for name, (question, meanings) in RUBRIC.items():
            table.row((f"{name.capitalize()}: {question}", *meanings))
    pages.ln(5)
    missing = {char for pair in shown for text in pair[1:] for char in text if ord(char) not in pages.known}
    table_of_missing = dict.fromkeys(map(ord, missing), "\N{REPLACEMENT CHARACTER}")
    for pair in shown:
        pages.pair(ShownPair(pair.number, *(text.translate(table_of_missing) for text in pair[1:])))
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(pages.output())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(path, f"cannot be written ({str(error.strerror).lower()})", "name another directory") from None
    return missing
