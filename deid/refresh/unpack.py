"""Decoded lines of a file, plain, gzip or alone in a zip, with an end to what a hostile or broken one may cost."""

from __future__ import annotations

import codecs
import gzip
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, cast

from deid.domain.errors import ReferenceRefused

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
LONGEST_LINE = 1 << 16
BLOCK = 1 << 18  # characters read at once: a line at a time costs more than reading its fields
# Real tables shrink 5 to 15 times; a bomb shrinks a thousand times.
MOST_UNPACKED_PER_BYTE = 100
SMALL = 16 << 20
DAMAGED = (EOFError, gzip.BadGzipFile, zipfile.BadZipFile, zlib.error)


def lines(path: Path, *, max_unpacked: int, encodings: Sequence[str]) -> Iterator[str]:
    """Lines of the file at `path`, line ends kept, in the first of `encodings` that fits all of it.

    Raises:
        ReferenceRefused: it is a web page, is cut short, is no text in any of the encodings, or unpacks to
            more than `max_unpacked` bytes or than a real table would.
    """
    limit = bound(path, max_unpacked)
    encoding = encodings[0] if len(encodings) == 1 else _fitting(path, limit, encodings)
    with _open(path) as raw, TextIOWrapper(raw, encoding=encoding, newline="") as text:
        read, rest = 0, ""
        try:
            while block := text.read(BLOCK):
                if read == 0 and block.lstrip()[:9].lower().startswith(("<!doctype", "<html", "<?xml")):
                    raise ReferenceRefused("the file is a web page.", "Check the address in a browser.")
                if "\0" in block:
                    raise ReferenceRefused("the file is not text.", "It is not the expected file: check the address.")
                read += len(block)
                if read > limit:
                    raise too_much()
                *whole, rest = (rest + block).split("\n")
                if max(map(len, (*whole, rest))) >= LONGEST_LINE:
                    raise ReferenceRefused("the file has a line without end.", "It is not the expected file.")
                yield from [f"{line}\n" for line in whole]
            if rest:
                yield rest
        except UnicodeDecodeError:
            raise ReferenceRefused(
                f"the file is not text in {' or '.join(encodings)}.", "Save it in UTF-8, or download it again."
            ) from None
        except DAMAGED:
            raise damaged() from None


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as probe:
        magic = probe.read(4)
    if magic.startswith(GZIP):
        return cast(BinaryIO, gzip.open(path, "rb"))
    return _alone(path) if magic == ZIP else path.open("rb")


def _alone(path: Path) -> BinaryIO:
    """The one table of a zip archive: nothing is written to a disk, so no name in it can lead anywhere."""
    try:
        archive = zipfile.ZipFile(path)
        tables = [name for name in archive.namelist() if name.lower().endswith((".csv", ".txt"))]
        if len(tables) != 1:
            raise ReferenceRefused(f"the zip holds {len(tables)} tables.", "Unpack it, and give the file itself.")
        return cast(BinaryIO, archive.open(tables[0]))
    except (*DAMAGED, NotImplementedError, RuntimeError):  # an unknown method, a password
        raise damaged() from None


def bound(path: Path, max_unpacked: int) -> int:
    """Most bytes that the file at `path` may unpack to."""
    return min(max_unpacked, max(SMALL, path.stat().st_size * MOST_UNPACKED_PER_BYTE))


def too_much() -> ReferenceRefused:
    """The refusal of a file that unpacks beyond its bound."""
    return ReferenceRefused("the file unpacks to far more than a table would.", "Do not trust it.")


def damaged() -> ReferenceRefused:
    """The refusal of a file that cannot be unpacked."""
    return ReferenceRefused("the file is damaged or cut short.", "Download it again.")


def _fitting(path: Path, limit: int, encodings: Sequence[str]) -> str:
    """The first encoding that decodes the whole file; the last one, if none, so that reading names the fault."""
    for encoding in encodings[:-1]:
        decoder = codecs.getincrementaldecoder(encoding)()
        read = 0
        try:
            with _open(path) as raw:
                while (chunk := raw.read(1 << 20)) and read <= limit:
                    read += len(chunk)
                    decoder.decode(chunk)
                decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        except DAMAGED:
            return encoding
        return encoding
    return encodings[-1]
