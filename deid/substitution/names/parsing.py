"""Cut a name as written into words, initials and particles, with the characters between them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from deid.substitution.folding import flat

# Small words inside names: they are kept, since they tell an origin at most, and shape the whole.
PARTICLES = frozenset(
    "de du des d la le les l van von der den dem di da do dos das del della delle degli el al y e et ou dit dite "
    "nee ne epouse ep ex veuve vve ben mc o zu ter".split()
)
# Words that announce a name, where detection took them with it; "M." and "Me" may be initials and stay so.
TITLES = frozenset(
    "dr drs pr prs mme mmes mlle mr mrs docteur docteure professeur professeure monsieur madame mademoiselle".split()
)
_HUMPS = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+")
_PIECE = re.compile(r"[^\W_]+")
_SPACED = re.compile(r"(?:[^\W\d_][ .]){2,}[^\W\d_]\.?")
_APOSTROPHES = ("'", "’")
_SHORT = 3


class Sort(StrEnum):
    """What a piece of a name is."""

    WORD = "word"
    INITIAL = "initial"
    PARTICLE = "particle"
    BETWEEN = "between"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a written name."""

    sort: Sort
    text: str


def pieces(text: str, *, after_title: bool = False) -> list[Piece]:
    """The pieces of a name, covering it.

    Words in camel case are cut ("SaïdOmar"). A lone group of up to three capitals, or of one or two small letters,
    is initials, each a piece, unless it stands after a title ("Dr BA").
    """
    found: list[Piece] = []
    position = 0
    groups = list(_PIECE.finditer(text))
    for group in groups:
        if group.start() > position:
            found.append(Piece(Sort.BETWEEN, text[position : group.start()]))
        found += _group(text, group, lone=len(groups) == 1, last=group is groups[-1], after_title=after_title)
        position = group.end()
    if position < len(text):
        found.append(Piece(Sort.BETWEEN, text[position:]))
    return found


def _group(text: str, group: re.Match[str], *, lone: bool, last: bool, after_title: bool) -> list[Piece]:
    word = group.group()
    dotted = text[group.end() : group.end() + 1] == "."
    if flat(word) in PARTICLES and text[group.end() : group.end() + 1] in _APOSTROPHES:
        return [Piece(Sort.PARTICLE, word)]
    if flat(word) in TITLES and not last:
        return [Piece(Sort.PARTICLE, word)]
    if len(word) == 1 or (dotted and len(word) <= 2):
        return [Piece(Sort.INITIAL, word)]
    if flat(word) in PARTICLES and not last:
        return [Piece(Sort.PARTICLE, word)]
    if _is_initials(text, word, lone=lone, after_title=after_title):
        return [Piece(Sort.INITIAL, letter) for letter in word]
    humps = _HUMPS.findall(word)
    if len(humps) > 1 and "".join(humps) == word:
        return [Piece(Sort.PARTICLE if flat(hump) in PARTICLES else Sort.WORD, hump) for hump in humps]
    return [Piece(Sort.WORD, word)]


def _is_initials(text: str, word: str, *, lone: bool, after_title: bool) -> bool:
    if not word.isalpha() or len(word) > _SHORT or (lone and after_title):
        return False
    if lone:
        return word.isupper() or (word.islower() and len(word) <= 2)
    others = text.replace(word, "", 1)
    consonants = not any(char in "aeiouy" for char in flat(word))
    return len(word) == 2 and consonants and ((word.isupper() and not others.isupper()) or word.islower())


def despaced(text: str) -> str | None:
    """The word that is written letter by letter ("D U P O N T"), or None."""
    return re.sub(r"[ .]", "", text) if _SPACED.fullmatch(text) and len(text) > 2 * _SHORT else None
