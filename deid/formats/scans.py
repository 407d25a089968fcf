"""Scanned pages, read by tesseract with French data where it is installed.

Tesseract tells of each word how sure it is of it, from 0 to 100. A page below `PAGE` on average is refused, since a
name of which a letter is misread would pass unseen; a word below `WORD` is given as unreadable (`benchmarks/scans.md`).
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from PIL import Image, ImageOps, ImageStat

from deid.domain.errors import Reason
from deid.formats.images import MOST_PIXELS
from deid.formats.reading import Reading

PAGE, WORD = 85.0, 60.0
UNREADABLE = "[illisible]"
READ_BY = "[page numérisée, texte reconnu par OCR]"  # its first line: letters and units may be misread
DPI = 300
_LANGUAGE = "fra"
_SECONDS = 60
_MOST_PAGES = 200
_A4_INCHES = 8.27
_BLANK = 4  # standard deviation of the greys, 0 to 255, of a page with nothing on it
_MARGIN = 14.0  # points
_GAP = 2  # times the height of a word: a wider space parts two columns
_FORMATS = ("PNG", "JPEG", "TIFF")


class _Word(NamedTuple):
    """Word of a page: its block, paragraph and line, its place in pixels, and the confidence in it, 0 to 100."""

    line: tuple[int, ...]
    left: int
    top: int
    width: int
    height: int
    confidence: float
    text: str


class Stretch(NamedTuple):
    """Words of a line that stand together, with their place on the page, from its top left, in points."""

    text: str
    left: float
    right: float
    base: float
    size: float


@cache
def installed() -> bool:
    """Return whether tesseract and its French data are installed."""
    return shutil.which("tesseract") is not None and _LANGUAGE in _run(["--list-langs"]).decode().split()


def open_pages(raw: bytes, reading: Reading) -> Iterator[tuple[Image.Image, int]]:
    """Yield the pages of a picture (several in a TIFF), each with its dots per inch.

    Raises:
        DocumentRefused: scanned, for a picture of another format; expands_too_much, for one that is too large.
    """
    try:
        file = Image.open(io.BytesIO(raw), formats=_FORMATS)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        reading.refuse(Reason.SCANNED, "a picture that is not read: PNG, JPEG and TIFF are")
    with file:
        frames = getattr(file, "n_frames", 1)
        if frames > _MOST_PAGES:
            reading.refuse(Reason.EXPANDS, f"{frames} pages, at most {_MOST_PAGES}")
        for number in range(frames):
            file.seek(number)
            if file.width * file.height > MOST_PIXELS:
                reading.refuse(Reason.EXPANDS, f"a picture of more than {MOST_PIXELS} pixels")
            told = file.info.get("dpi", (0,))[0]
            page = ImageOps.exif_transpose(file).convert("L")
            yield page, round(told) if 70 <= told <= 1200 else round(page.width / _A4_INCHES)


def read_page(page: Image.Image, dpi: int, reading: Reading) -> list[list[Stretch]]:
    """Return the lines of a page, each apart at wide spaces, after one that says how they were read.

    Raises:
        DocumentRefused: scanned, where tesseract is not installed, or not sure of what it reads; too_costly.
    """
    if not installed():
        reading.refuse(Reason.SCANNED, "tesseract and its French data are not installed")
    file = io.BytesIO()
    page.convert("L").save(file, "PNG")
    picture = file.getvalue()
    words = reading.once(sha256(picture).digest(), lambda: _recognised(picture, dpi, reading))
    letters = sum(len(word.text) for word in words)
    if not letters and ImageStat.Stat(page.convert("L")).stddev[0] > _BLANK:
        reading.refuse(Reason.SCANNED, "a page on which no word is read")
    sure = sum(len(word.text) * word.confidence for word in words) / max(letters, 1)
    if letters and sure < PAGE:
        reading.refuse(Reason.SCANNED, f"a page read with a confidence of {sure:.0f} of 100, at least {PAGE:.0f}")
    for word in words:
        if word.confidence < WORD:
            reading.removed("unreadable word")
    if not words:
        return []
    lines = [_stretches(list(line), 72 / dpi) for _, line in groupby(words, key=lambda word: word.line)]
    return [[Stretch(READ_BY, _MARGIN, _MARGIN, _MARGIN, _MARGIN / 2)], *lines]


def _recognised(picture: bytes, dpi: int, reading: Reading) -> tuple[_Word, ...]:
    try:
        table = _run(["stdin", "stdout", "-l", _LANGUAGE, "--dpi", str(dpi), "tsv"], picture)
    except subprocess.TimeoutExpired:
        reading.refuse(Reason.TOO_COSTLY, f"tesseract took more than {_SECONDS} seconds for a page")
    except (subprocess.CalledProcessError, OSError):
        reading.refuse(Reason.SCANNED, "tesseract cannot read a page")
    return tuple(_words(table.decode("utf-8", "replace")))


def _run(arguments: Sequence[str], given: bytes = b"") -> bytes:
    """Return what tesseract writes, on one processor."""
    done = subprocess.run(  # noqa: S603  # arguments of our own; the page is its standard input
        [shutil.which("tesseract") or "tesseract", *arguments],
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "OMP_THREAD_LIMIT": "1"},
        timeout=_SECONDS,
        check=True,
    )
    return done.stdout


def _words(table: str) -> Iterator[_Word]:
    """Yield the words of a table of tesseract (TSV), without signs that it doubts: spots and rules of a page."""
    for row in table.splitlines()[1:]:
        level, page, block, paragraph, line, _, left, top, width, height, confidence, text = row.split("\t", 11)
        if level == "5" and text.strip() and (float(confidence) >= WORD or any(map(str.isalnum, text))):
            place = int(page), int(block), int(paragraph), int(line)
            yield _Word(place, int(left), int(top), int(width), int(height), float(confidence), text.strip())


def _stretches(line: list[_Word], point: float) -> list[Stretch]:
    """Return the words of a line; a `point` is that many pixels' inverse, such as 72 / 300."""
    groups: list[list[_Word]] = []
    for word in line:
        last = groups[-1][-1] if groups else None
        if last is None or word.left - last.left - last.width > _GAP * word.height:
            groups.append([])
        groups[-1].append(word)
    return [_stretch(words, point) for words in groups]


def _stretch(words: list[_Word], point: float) -> Stretch:
    text = " ".join(word.text if word.confidence >= WORD else UNREADABLE for word in words)
    right = words[-1].left + words[-1].width
    base = max(word.top + word.height for word in words)
    return Stretch(text, words[0].left * point, right * point, base * point, max(word.height for word in words) * point)
