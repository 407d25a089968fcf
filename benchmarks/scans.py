"""Words and names of scanned pages that tesseract reads, by what the scan did to them, as a Markdown table.

    python benchmarks/scans.py

Letters of the open corpus are drawn as pages of 300 dots per inch, harmed, and read as `scans: ocr` reads them.
"""

from __future__ import annotations

import io
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib as mpl
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from deid.domain.errors import DocumentRefused
from deid.formats import FileRules, read_file
from deid.formats.scans import READ_BY, UNREADABLE

_MARK = re.compile(r"\[\[([A-Z_]+)\|([^\]]*)\]\]")
_NAMES = ("PATIENT", "DOCTOR", "PERSON")
_PAGE = (2480, 3508)
_TYPEFACES = ("DejaVuSans", "DejaVuSerif", "DejaVuSansMono")
_LETTERS = sorted(Path("corpus/train").glob("w1-*.txt"))[:10]

# What a scanner or a fax makes of a page, with the dots per inch that its file tells
HARMS: Mapping[str, Callable[[Image.Image], tuple[Image.Image, int]]] = {
    "nothing": lambda page: (page, 300),
    "150 dots per inch": lambda page: (page.resize((1240, 1754)), 150),
    "100 dots per inch": lambda page: (page.resize((827, 1170)), 100),
    "turned by 2 degrees": lambda page: (page.rotate(2, fillcolor=255), 300),
    "turned by 90 degrees": lambda page: (page.rotate(90, expand=True, fillcolor=255), 300),
    "a fax, 204 by 98 dots per inch": lambda page: (
        page.resize((1686, 1145)).point(lambda grey: 255 * (grey > 140)).resize((1686, 2385)),
        204,
    ),
    "a blur of 3 dots": lambda page: (page.filter(ImageFilter.GaussianBlur(3)), 300),
    "a blur of 4 dots": lambda page: (page.filter(ImageFilter.GaussianBlur(4)), 300),
}


def _drawn(lines: list[str], typeface: str) -> Image.Image:
    page = Image.new("L", _PAGE, 255)
    pen = ImageDraw.Draw(page)
    font = ImageFont.truetype(str(Path(mpl.get_data_path(), "fonts", "ttf", f"{typeface}.ttf")), 38)
    for at, line in enumerate(lines):
        pen.text((200, 200 + at * 56), line, font=font, fill=0)
    return page


def _read(page: Image.Image, dpi: int) -> str | None:
    """Return the text of a page, None if it is refused."""
    file = io.BytesIO()
    page.save(file, "PNG", dpi=(dpi, dpi))
    try:
        source = read_file(file.getvalue(), document_id="x", max_bytes=1 << 26, rules=FileRules(scans="ocr"))
    except DocumentRefused:
        return None
    return source.text.replace(READ_BY, "")


def _row(name: str, harm: Callable[[Image.Image], tuple[Image.Image, int]]) -> str:
    counts: Counter[str] = Counter()
    start = time.perf_counter()
    for number, path in enumerate(_LETTERS):
        marked = path.read_text("utf-8")
        lines = [" ".join(line.split()) for line in _MARK.sub(r"\2", marked).splitlines() if line.strip()]
        lines = [line for line in lines if len(line) < 90][:50]
        text = _read(*harm(_drawn(lines, _TYPEFACES[number % 3])))
        if text is None:
            counts["refused"] += 1
            continue
        shown, read = Counter(re.findall(r"\w+", " ".join(lines))), Counter(re.findall(r"\w+", text))
        names = {
            word for label, value in _MARK.findall(marked) if label in _NAMES for word in re.findall(r"\w{3,}", value)
        }
        named = {word: count for word, count in shown.items() if word in names}
        counts["words"] += shown.total()
        counts["right"] += (shown & read).total()
        counts["names"] += sum(named.values())
        counts["named"] += sum(min(count, read[word]) for word, count in named.items())
        counts["marked"] += text.count(UNREADABLE)
    seconds = (time.perf_counter() - start) / len(_LETTERS)
    shares = (f"{100 * counts[part] / counts[whole]:.1f}" if counts[whole] else "" for part, whole in _SHARES)
    return f"| {name} | {len(_LETTERS) - counts['refused']} | {' | '.join(shares)} | {seconds:.1f} |"


_SHARES = (("right", "words"), ("marked", "words"), ("named", "names"))


def main() -> None:
    """Print the table."""
    print(f"| the page | read of {len(_LETTERS)} | words right % | unreadable % | names right % | s a page |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, harm in HARMS.items():
        print(_row(name, harm), flush=True)


if __name__ == "__main__":
    main()
