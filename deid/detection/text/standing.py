"""Place of a word: behind a title, first of a clause, written as a name, qualified by an adjective."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from deid.detection.lookup.known_names import PARTICLES
from deid.detection.lookup.lexicon import lexicon
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import CIVILITIES, DOCTOR_TITLES, NAME_FIELDS, PERSON_TITLES
from deid.french.folding import key

_LISTS = tomllib.loads(Path(__file__).with_name("senses.toml").read_text(encoding="utf-8"))
WORDS = {title: frozenset(words.split()) for title, words in _LISTS.items()}
TITLES = CIVILITIES | DOCTOR_TITLES | PERSON_TITLES
# Signs before the first word of a sentence, item or cell.
OPENING = frozenset({"", "\n", ".", ";", "!", "?", "…", "-", "–", "—", "•", "*", ":", "|", ">", ")", "°"})


def plain(word: str) -> str:
    """Return a word without ligatures."""
    return word.replace("œ", "oe").replace("æ", "ae")


def kinds_of(word: str) -> set[str]:
    """Return the parts of speech of a word; none of a word in no table."""
    return set(lexicon().parts.get(plain(word), "").split("|")) - {""}


def _base(word: str) -> str:
    """Return an adjective without the endings of feminine and plural, as far as `WORDS` needs."""
    return word.removesuffix("s").removesuffix("e")


@cache
def _bases(title: str) -> frozenset[str]:
    feminine = {"if": "iv", "eux": "eus", "ien": "ienn", "el": "ell", "et": "ett", "c": "ch", "er": "er", "os": "oss"}
    found = set()
    for word in WORDS[title]:
        found |= {word, _base(word)}
        for end, other in feminine.items():
            if word.endswith(end):
                found.add(word.removesuffix(end) + other)
        if word.endswith("al"):
            found.add(word[:-1] + "ux")
    return frozenset(found)


def qualifies(word: str, title: str) -> bool:
    """True for an adjective of a list, in any gender and number."""
    word = plain(word)
    return len(word) > 2 and (word in _bases(title) or _base(word) in _bases(title))


def is_titled(reading: Reading, index: int) -> bool:
    """True right behind a title, over its dot, an initial or given names, and particles of the name: "Dr. Le Bras"."""
    at = index - 1
    while reading.word(at) in PARTICLES and reading.word(at) not in TITLES:
        at -= 1
    at -= 2 if reading.word(at) == "." and len(reading.word(at - 1)) == 1 and reading.word(at - 1) != "m" else 0
    while at > 0 and like_name(reading, at) and reading.word(at) not in TITLES and is_given(reading, at):
        at -= 1
    if reading.word(at) == "." and reading.starts[at] == reading.ends[at - 1]:
        at -= 1
    before = reading.word(at - 1)
    return reading.word(at) in TITLES and before not in ("'", "’") and not before.isdigit()


def like_name(reading: Reading, index: int) -> bool:
    """True for a capital, and in text without capitals."""
    return reading.capitals[index] or reading.lowered(index)


def is_given(reading: Reading, index: int) -> bool:
    """True for a first name, and for the hyphen inside one."""
    return lexicon().is_first_name(reading.word(index)) or reading.word(index) == "-"


def opens_clause(reading: Reading, index: int) -> bool:
    """True for the first word of a sentence, line or cell with at most one capital, and in text without capitals."""
    surface = reading.surface(index)
    if surface.isupper() and len(surface) > 1 and not reading.shouted(index):
        return False
    before = reading.word(index - 1)
    if reading.lowered(index):  # "maëlle le roux"
        at = index - 2 if before in ("le", "la") else index - 1
        return before not in NAME_FIELDS and not lexicon().is_first_name(reading.word(at))
    return before in OPENING and not (before == "-" and reading.starts[index] == reading.ends[index - 1])


def words_of(*names: str | None) -> set[str]:
    """Return the words of names, folded."""
    return {part for name in names if name for part in key(name).split()}
