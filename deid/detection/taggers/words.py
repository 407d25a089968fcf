"""What a token shows by itself, whatever stands around it."""

from __future__ import annotations

from functools import lru_cache
from math import log10

from deid.detection.gazetteers import Births
from deid.detection.lexicon import Lexicon, lexicon
from deid.detection.taggers.hashing import number
from deid.french.folding import fold

# Columns of the table of a document's tokens that depend on the token alone.
COLUMNS = (
    "word",
    "shape",
    "length",
    "prefix3",
    "suffix2",
    "suffix3",
    "suffix4",
    "first_name",
    "surname",
    "common",
    "kind",
    "lexical",
    "part",
)
GRAMS = 28  # character n-grams kept of one token


def columns(surface: str) -> tuple[int, ...]:
    """Feature numbers of a token as it is written, one per name in `COLUMNS`; 0 where there is none."""
    return _columns(surface, lexicon())


@lru_cache(maxsize=1 << 18)
def _columns(surface: str, names: Lexicon) -> tuple[int, ...]:
    word = fold(surface)
    if not word.isalpha():
        seen = (_sign(word), _shape(surface), _length(word), "", "", "", "", "", "", "", "", "", "")
    else:
        first, last, common = _births(names.first_names, word), _births(names.surnames, word), _frequency(names, word)
        kind = _kind(names, word)
        seen = (
            word,
            _shape(surface),
            _length(word),
            word[:3],
            word[-2:],
            word[-3:],
            word[-4:] if len(word) > 4 else "",
            first,
            last,
            common,
            kind,
            f"{first}/{last}/{common}/{kind}",
            names.parts.get(word, "?"),
        )
    return tuple(number(f"{name}={value}") if value != "" else 0 for name, value in zip(COLUMNS, seen, strict=True))


@lru_cache(maxsize=1 << 18)
def grams(surface: str) -> tuple[int, ...]:
    """Numbers of the character 3- to 5-grams of a folded word with its edges, and of the word; at most `GRAMS`."""
    edged = f"<{fold(surface)[:24]}>"
    found = [number(f"g={edged}")]
    for size in (3, 4, 5):
        found += [number(f"g={edged[start : start + size]}") for start in range(len(edged) - size + 1)]
    return tuple(found[:GRAMS])


def _shape(surface: str) -> str:
    """Capitals as X, other letters as x, digits as d, with runs cut at two."""
    shape = ""
    for sign in surface[:40]:
        mark = "d" if sign.isdigit() else "X" if sign.isupper() else "x" if sign.isalpha() else sign
        if not shape.endswith(mark * 2):
            shape += mark
    return shape


def _length(word: str) -> str:
    return f"{'d' if word.isdigit() else 'l'}{min(len(word), 16)}"


def _sign(word: str) -> str:
    """Numbers by what they could count: a day, a month, minutes, a year, else by how many digits they have."""
    if not word.isdecimal():
        return word
    value = int(word[:18])
    if len(word) <= 2:
        top = next((top for top in (0, 12, 23, 31, 59, 89) if value <= top), 99)
        return f"n{len(word)}≤{top}"
    if len(word) == 4 and 1900 <= value <= 2039:
        return "n4year"
    return f"n{min(len(word), 16)}{word[0] if len(word) in (10, 13, 15) else ''}"


def _births(table: Births, word: str) -> str:
    births = table.get(word, 0)
    return f"{min(round(log10(births)), 6)}" if births else "-"


def _frequency(names: Lexicon, word: str) -> str:
    frequency = names.common.get(word)
    return "-" if frequency is None else f"{max(-1, min(round(log10(frequency + 0.01)), 4))}"


def _kind(names: Lexicon, word: str) -> str:
    marks = (("m", names.medical), ("d", names.drugs), ("e", names.eponyms))
    return "".join(mark for mark, table in marks if word in table) or "-"
