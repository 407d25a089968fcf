"""Refuse a text that cannot be read as it was written: each kind of damage has its reason.

A text is damaged where it shows letters that French never has in that place, a few times and more often than its own
accented letters would explain. Single signs of medicine and names in another script are no damage.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import permutations

from deid.domain.errors import Reason

_FEW = 3  # occurrences from which damage is no slip
_MIXED = 4  # words of mixed scripts; detection reads fewer by what they show

# Other formats by their first characters, as bytes read as text give them.
_OTHER_FORMAT = re.compile(
    r"\ufeff?\s{0,20}(?:\{\\rtf|%PDF-|%!PS|PK\x03\x04|\x89PNG|Ð\x8fÏ\x11à|ÐÏ\x11à|\xff\xd8\xff|ÿØÿ|GIF8[79]a|\x1f(?:\x8b|‹)"
    r"|MIME-Version:|MSCF|\{\\\*)"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_CONTROLS_SHARE = 0.01

# UTF-8 read as Windows-1252 or Latin-1: lead byte C2, C3 or C5 then a continuation byte; or E2 80 and one more.
_CONTINUATION = "".join({bytes([b]).decode("cp1252", "ignore") or chr(b) for b in range(0x80, 0xC0)} | {"\u0080"})
_DOUBLE_ENCODED = re.compile(
    f"[ÂÃÅ][{re.escape(_CONTINUATION)}\u0080-\u00bf]|â(?:€|\u0080)[{re.escape(_CONTINUATION)}\u0080-\u00bf]"
    # The same read as code page 850 or Mac Roman: "├®", "√©".
    "|├[®¿á¬óÇ┤╗ÔÂ½á]|√[©®†™ßÆ¥ª¢]"
)
# Question marks in the place of accented letters: two in one word, which no form ("tabac?non") has.
_LOST = re.compile(r"(?<=[a-zà-ÿ])\?(?=[a-zà-ÿ])")
_LOST_TWICE = re.compile(r"\?[a-zà-ÿ]{1,8}\?[a-zà-ÿ]")

# The letters and signs that "éèêëàâçîïôùûœ" become inside a word when one code page is read as another: Mac Roman as
# Windows-1252 or Latin-1, and back; code page 850 as Windows-1252, and back.
_FRENCH = "éèêëàâçîïôùûœ"
_ACCENTED = re.compile(f"[{_FRENCH}äöüÿæ]")


_PAGES = ("mac-roman", "cp850", "cp1252", "latin-1")


def _misread() -> str:
    """Return the characters that small accented letters become, without small letters, which foreign names have."""
    found = set()
    for written, read in permutations(_PAGES, 2):
        for letter in _FRENCH:
            with suppress(UnicodeError):
                found.add(letter.encode(written).decode(read))
    return "".join(sorted(one for one in found if not one.islower()))


_MISREAD = re.compile(f"(?<=[a-zà-ÿ])[{re.escape(_misread())}](?=[a-zà-ÿ])")

# A Latin letter beside a Cyrillic one, or a small Greek look-alike between small Latin ones.
_OTHER_LETTER = re.compile("[\u0400-\u052fαειορυνικτχγ]")
_WORD = re.compile(r"[^\W\d_]+")
_MIXED_PAIR = re.compile("[A-Za-zÀ-ÿ][\u0400-\u052f]|[\u0400-\u052f][A-Za-zÀ-ÿ]|[a-zà-ÿ][αειορυνικτχγ][a-zà-ÿ]")


def damage(text: str) -> tuple[Reason, str] | None:
    """Return the reason to refuse a text and a detail without any of its words; None for a text that can be read."""
    if _OTHER_FORMAT.match(text):
        return Reason.NOT_TEXT, "the bytes of another format, declared as text"
    if len(_CONTROLS.findall(text)) > max(_FEW, _CONTROLS_SHARE * len(text)):
        return Reason.NOT_TEXT, "control characters, as in a binary file"
    accented = len(_ACCENTED.findall(text))
    double, lost = len(_DOUBLE_ENCODED.findall(text)), text.count("\ufffd")
    # Each is a count and the least that is damage. In a short text, a fifth of the accented letters is enough.
    counts = (
        (Reason.DOUBLE_ENCODED, double, min(_FEW, max(1, accented / 5))),
        (Reason.CHARACTERS_LOST, lost, min(_FEW, max(1, accented / 5))),
        (Reason.CHARACTERS_LOST, len(_LOST.findall(text)) if _LOST_TWICE.search(text) else 0, max(_FEW, accented + 1)),
        (Reason.WRONG_CHARSET, len(_MISREAD.findall(text)), max(_FEW, accented + 1)),
        (Reason.MIXED_SCRIPTS, _mixed_words(text), _MIXED),
    )
    for reason, count, least in counts:
        if count >= least:
            return reason, f"{count} places in the text"
    return None


def is_other_format(raw: bytes) -> bool:
    """Return whether bytes begin as another format does: RTF, PDF, an office file, an image, an archive."""
    return _OTHER_FORMAT.match(raw[:40].decode("latin-1")) is not None


def _mixed_words(text: str) -> int:
    if _OTHER_LETTER.search(text) is None:
        return 0
    return sum(_MIXED_PAIR.search(word) is not None for word in _WORD.findall(text))
