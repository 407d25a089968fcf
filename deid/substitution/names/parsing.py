"""Cut a name as written into words, initials and particles, with the characters between them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from deid.substitution.folding import flat, without_accents
from deid.substitution.names.tables import key

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
_NOT_BARE = re.compile("[^a-z]+")
_SHORT = 3
_CASE_SAYS = 5.0
_TITLE_SAYS = 1.5
_ORDER_SAYS = 0.5


class Sort(StrEnum):
    """What a piece of a name is."""

    WORD = "word"
    INITIAL = "initial"
    PARTICLE = "particle"
    BETWEEN = "between"


class Piece(NamedTuple):
    """A piece of a written name."""

    sort: Sort
    text: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A name as its text alone tells it, whatever document it stands in, but for a title or form field before it.

    `placed` has the keys of the words by the place of their pieces, `words` the keys alone. `votes` is the evidence,
    word by word, that each is a surname (above 0) or a first name (below): where some words are in capitals and others
    are not ("DUPONT Jean"), that of their case, else that of their order. The former is certain enough to be heard
    alone: `told` then has the places of the first names, and is None elsewhere; `by_written` and `by_key` have it word
    by word and are empty elsewhere. `titled` says that a title or form field stands before the name; `title` is what
    stands before its first word. `spaced` is the word that is written letter by letter.
    """

    pieces: tuple[Piece, ...]
    placed: tuple[tuple[int, str], ...]
    words: tuple[str, ...]
    votes: tuple[tuple[str, float], ...]
    told: tuple[int, ...] | None
    by_written: Mapping[str, float]
    by_key: Mapping[str, float]
    titled: bool
    title: str
    spaced: str | None


def cut(text: str, after_title: bool) -> Cut:
    """What a written name tells by itself."""
    found = tuple(pieces(text, after_title=after_title))
    places = [place for place, piece in enumerate(found) if piece.sort is Sort.WORD]
    whole = [found[place].text for place in places]
    words = tuple(map(key, whole))
    by_case = _case_votes(whole)
    by_written = dict(zip(whole, by_case, strict=False))
    by_key: dict[str, float] = {}
    for word, vote in zip(words, by_case, strict=False):
        by_key[word] = max(vote, by_key.get(word, vote))
    announced = after_title or any(piece.sort is Sort.INITIAL for piece in found)
    return Cut(
        pieces=found,
        placed=tuple(zip(places, words, strict=True)),
        words=words,
        votes=tuple(zip(words, by_case or _order_votes(len(words), announced), strict=True)),
        told=tuple(place for place in places if by_written[found[place].text] <= 0) if by_case else None,
        by_written=by_written,
        by_key=by_key,
        titled=after_title,
        title=_ahead(found),
        spaced=despaced(text),
    )


def _case_votes(whole: Sequence[str]) -> tuple[float, ...]:
    capitals = [word.isupper() and len(word) > 1 for word in whole]
    if not any(capitals) or all(capitals):
        return ()
    return tuple(_CASE_SAYS if capital else -_CASE_SAYS for capital in capitals)


def _order_votes(words: int, announced: bool) -> Sequence[float]:
    """First names come first; a lone word is one too, unless a title or initials announce a surname."""
    if words == 1:
        return (_TITLE_SAYS if announced else -_ORDER_SAYS,)
    return [_ORDER_SAYS if index else -_ORDER_SAYS for index in range(words)]


def _ahead(found: Sequence[Piece]) -> str:
    """What stands before the first word: the titles that detection took with a name."""
    first = next((place for place, piece in enumerate(found) if piece.sort is Sort.WORD), len(found))
    return "".join(piece.text for piece in found[:first])


def pieces(text: str, *, after_title: bool = False) -> list[Piece]:
    """The pieces of a name, covering it.

    Words in camel case are cut ("SaïdOmar"). A lone group of up to three capitals, or of one or two small letters,
    is initials, each a piece, unless it stands after a title ("Dr BA").
    """
    if len(text) > _SHORT and text.isalpha() and (text.istitle() or text.isupper()):
        return [Piece(Sort.WORD, text)]  # a word by itself, which nothing below would cut
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
    word, following = group.group(), text[group.end() : group.end() + 1]
    plain = flat(word)
    particle = plain in PARTICLES
    if (particle and following in _APOSTROPHES) or (plain in TITLES and not last):
        return [Piece(Sort.PARTICLE, word)]
    if len(word) == 1 or (following == "." and len(word) <= 2):
        return [Piece(Sort.INITIAL, word)]
    if particle and not last:
        return [Piece(Sort.PARTICLE, word)]
    if _is_initials(text, word, lone=lone, after_title=after_title):
        return [Piece(Sort.INITIAL, letter) for letter in word]
    humps = () if word.istitle() or word.isupper() else _HUMPS.findall(word)
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


def bare(name: str) -> str:
    """The bare small letters of a name, as addresses are made of."""
    if name.isascii() and name.isalpha():
        return name.lower()
    return _NOT_BARE.sub("", without_accents(name).lower())
