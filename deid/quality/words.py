"""Words of a text in a bare form (no case, no accents, no look-alike signs), and the words of French.

Validation has its own folding on purpose: it shares no code with detection, so that an error of detection is not
repeated here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from deid.reference.packaged import packaged_rows

_APOSTROPHES = "’ʼ‘`´′"
_DASHES = "‐‑‒–—―−"
_UNSEEN_RANGES = ((0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F))
_INVISIBLE = "".join(chr(code) for first, last in _UNSEEN_RANGES for code in range(first, last + 1)) + "\ufeff"

# Letters, with the combining marks and invisible characters inside a word
WORD = re.compile(rf"[^\W\d_]+(?:[\u0300-\u036f{_INVISIBLE}][^\W\d_]*)*")
_CASE_PIECE = re.compile(r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-öø-ÿ])|[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+")
_SPELT_OUT = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-_*/,·–—]{1,2}){3,}[^\W\d_](?![^\W_])")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])-[ \t]*\n[ \t]*(?=[^\W\d_])")
_NOT_LETTER = re.compile(r"[^a-z]+")
_NOT_ALNUM = re.compile(r"[^a-z0-9]+")


class _FoldTable(dict[int, str]):
    """Code point → bare form, filled on first use of a character."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _APOSTROPHES:
            bare = "'"
        elif char in _DASHES:
            bare = "-"
        elif char in _INVISIBLE:
            bare = ""
        elif char in "œŒ":
            bare = "oe"
        elif char in "æÆ":
            bare = "ae"
        else:
            parts = unicodedata.normalize("NFKD", char)
            bare = "".join(part for part in parts if not unicodedata.combining(part)).casefold()
        self[code] = bare
        return bare


_FOLD = _FoldTable()


def fold(text: str) -> str:
    """Return `text` without case, accents, invisible characters or variants of quotes, dashes and digits."""
    return text.translate(_FOLD)


def letters(text: str) -> str:
    """Return the bare letters of `text` only."""
    return _NOT_LETTER.sub("", fold(text))


def alnum(text: str) -> str:
    """Return the bare letters and digits of `text` only."""
    return _NOT_ALNUM.sub("", fold(text))


def phrase(text: str) -> str:
    """Return the bare words and numbers of `text`, with one space between and around them."""
    return f" {_NOT_ALNUM.sub(' ', fold(text)).strip()} "


class Word(NamedTuple):
    """A word of a text: its span `[start, end)`, as written (`raw`) and folded (`bare`)."""

    start: int
    end: int
    raw: str
    bare: str


def split_words(text: str) -> Iterator[Word]:
    """Yield the words of `text` in order; a word joined by case (`DUPONTJean`) is followed by its pieces."""
    for match in WORD.finditer(text):
        raw = match.group()
        yield Word(match.start(), match.end(), raw, fold(raw))
        if len(raw) > 2 and not (raw.islower() or raw.isupper() or raw.istitle()):
            for piece in _CASE_PIECE.finditer(raw):
                start = match.start() + piece.start()
                yield Word(start, start + len(piece.group()), piece.group(), fold(piece.group()))


def hidden_words(text: str) -> Iterator[str]:
    """Yield the bare words cut by line breaks (`DU-⏎PONT`), or by spaces and signs (`D U P O N T`, `D*U*P*O*N*T`)."""
    for match in _SPELT_OUT.finditer(text):
        yield letters(match.group())
    for match in _HYPHENATED.finditer(text):
        before = re.search(r"[^\W\d_]+$", text[max(0, match.start() - 40) : match.start()])
        after = re.match(r"[^\W\d_]+", text[match.end() : match.end() + 40])
        if before and after:
            yield fold(before.group() + after.group())


# ---- Words of French, to settle doubt about a name

ORDINARY_PER_MILLION = 10.0  # from this frequency, a word in lower case is not a name
GRAMMATICAL_PER_MILLION = 1000.0  # "le", "de", "an": a name only beside a title or another name

# Parts of names that do not identify
PARTICLES = frozenset(
    "de du des d la le les l el al da di do dos das von van der den ter ben bin ibn abd ep nee".split()
)


@cache
def word_frequencies() -> Mapping[str, float]:
    """Return bare French word → occurrences per million (Lexique 3.83)."""
    table: dict[str, float] = {}
    for row in packaged_rows("words"):
        bare = fold(row["word"])
        table[bare] = table.get(bare, 0.0) + float(row["per_million"])
    return table


@cache
def eponyms() -> frozenset[str]:
    """Return the bare words of the names of diseases, signs and scores."""
    return frozenset(
        letters(part) for row in packaged_rows("eponyms") for part in re.split(r"[\s\-]+", row["name"]) if part
    )


@cache
def germs() -> frozenset[str]:
    """Return the bare words of the names of germs."""
    return frozenset(fold(row["term"]) for row in packaged_rows("clinical_terms") if row["kind"] == "germ")


@cache
def borne_names() -> frozenset[str]:
    """Return the bare first names and surnames of the tables of names."""
    return frozenset(letters(row["name"]) for table in ("first_names", "surnames") for row in packaged_rows(table))


@cache
def eponyms_nobody_bears() -> frozenset[str]:
    """Return the bare eponyms that no table of names has."""
    return eponyms() - borne_names()


def is_ordinary(bare: str) -> bool:
    """Return whether `bare` is a frequent French word."""
    return word_frequencies().get(bare, 0.0) >= ORDINARY_PER_MILLION


def is_grammatical(bare: str) -> bool:
    """Return whether `bare` is a grammatical word, such as "le" or "de"."""
    return word_frequencies().get(bare, 0.0) >= GRAMMATICAL_PER_MILLION


# Devices, techniques, tests and positions named after people, which the table of eponyms lacks
_NAMED_AFTER = frozenset(
    "hasson veress foley redon kehr pfannenstiel kapandji korsakoff mallampati cormack tinetti epworth borg bormann "
    "deauville trendelenburg fowler kirschner mikulicz bishop wechsler stroop schober romberg lasegue tiffeneau "
    "kaplan meier clavien dindo gleason glasgow waterlow braden norton lawton katz zarit doppler holter rankin".split()
)


@cache
def drug_words() -> frozenset[str]:
    """Return the bare words of the names of drugs."""
    return frozenset(letters(part) for row in packaged_rows("drugs") for part in re.split(r"[\s\-]+", row["name"]))


@cache
def _terms() -> frozenset[str]:
    """Return the bare words of medicine, drugs and eponyms included."""
    medical = (fold(row["word"]) for row in packaged_rows("medical_words"))
    return eponyms().union(medical, drug_words(), _NAMED_AFTER)


def is_word(bare: str) -> bool:
    """Return whether `bare` is a word of French or a term of medicine."""
    return bare in word_frequencies() or bare in _terms()


# ---- Language of a text, told by its grammatical words, which no specialty changes

_FRENCH = frozenset(
    "le la les un une des du de et est au aux en dans sur par pour avec sans ce cette son sa ses qui que ne pas plus a "
    "il elle nous vous je on se y ete sous lors depuis d l n s qu".split()
)
_OTHERS = (
    frozenset(
        "the of and to in is was with for on that this his her he she by from at are were has had not be an".split()
    ),
    frozenset("der die das und ist mit von zu den dem ein eine nicht im auf fur wurde bei sich er sie des".split()),
    frozenset("el los las y del con por para una que se no su al lo como mas fue ha es".split()),
    frozenset("il di che e della del con per una non si al alla nel le gli sono stato i".split()),
)
_LEAST_WORDS = 30  # below this number of words, the language is unknown
_FRENCH_ENOUGH = 0.12  # share of French grammatical words from which a text is French


def is_foreign(words: Iterable[str]) -> bool:
    """Return whether a text of these bare words is in another language; False for short texts and lists."""
    tokens = list(words)
    if len(tokens) < _LEAST_WORDS:
        return False
    french = sum(token in _FRENCH for token in tokens) / len(tokens)
    other = max(sum(token in grammatical for token in tokens) for grammatical in _OTHERS) / len(tokens)
    return other > 0.1 and other > french and french < _FRENCH_ENOUGH
