"""Cutting of a written name into words, initials and particles, with the characters between them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import takewhile
from typing import NamedTuple

from deid.french.folding import fold_line, without_accents
from deid.reference.names import name_key

# Small words inside French names: they are kept, and shape the whole.
_FRENCH_PARTICLES = frozenset("de du des d la le les l y e et ou dit dite nee ne epouse epse ep ex veuve vve".split())
# Those that tell where a family comes from: a surrogate is drawn whole, and has none.
_ORIGIN_PARTICLES = frozenset(
    "van von der den dem di da do dos das del della delle degli el al ben bin bint ait ould abu mc o zu zum ter "
    "lo".split()
)
PARTICLES = _FRENCH_PARTICLES | _ORIGIN_PARTICLES
# Those of French names that a surname begins with, and may be written in one word with it.
LEADING_PARTICLES = frozenset("de du des d la le les l".split())
_CONJUNCTIONS = ("e", "E", "y", "Y")
# Those that tell a name by birth or marriage, also at the end of what was taken for one name: "ROUSSEL VVE".
_MARRIED = frozenset("ne nee epouse epse veuve vve".split())
_ARTICLES, _OF = frozenset({"le", "la", "les"}), frozenset({"de", "du", "des"})
# Words that announce a name, where detection took them with it.
TITLES = frozenset(
    "dr drs pr prs mme mmes mlle mlles melle melles mr mrs docteur docteure professeur professeure monsieur madame "
    "mademoiselle messieurs mesdames maitre interne externe bebe feu feue infirmier infirmiere".split()
)
_SISTERS = frozenset({"Sr", "Sœur", "Soeur"})  # in capitals, letters that may be initials
_INITIALS_TOO = "MC"  # of Marie-Claude, where the surname is not in capitals, rather than the particle of "MC DONALD"
# Ahead of a first name they make a nickname: "Ti-Jo", "P'tit Louis"; the second ones are surnames too.
_LITTLE, LITTLE_OR_SURNAME = frozenset({"ti", "tit", "ptit"}), frozenset({"petit", "petite", "gros", "grand"})
_HUMPS = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+")
# Letters and digits, with an apostrophe that belongs to a name ("N'Diaye", "Floc'h"); that of "d'" and "l'" does not.
_GROUP = re.compile(
    r"((?:(?![dDlL]['’])(?<![^\W_])[^\W\d_]['’](?=[^\W\d_]{2}))?[^\W_]+(?:(?<=[^\W_]{2})['’][^\W\d_]+)?)"
)
_CIVILITY = re.compile(r"([Mm]{1,2}|[Mm]e|M[Ee]|ME)(\.?\s+)(?=[^\W\d_]['’]?[^\W\d_])")
_SPACED = re.compile(r"(?:[^\W\d_][ .]){2,}[^\W\d_]\.?")
_SAID_LETTERS = re.compile(
    r"\b(?:deux|double) (?P<twice>[^\W\d_])(?!\w)|plus loin (?=[^\W\d_](?!\w))|"
    r" (?:accent (?:aigu|circonflexe|grave)|apostrophe|c[eé]dille|espace|tiret|tr[eé]ma)(?!\w)"
)
_POINTED = re.compile(r"(?:[^\W\d_]\.)+")  # initials glued to others: the "N." of "N.LH"
_APOSTROPHES = ("'", "’")
_APOSTROPHE = re.compile("['’]")
_NOT_BARE = re.compile("[^a-z]+")
_SHORT = 3
# Two letters that French abbreviates a first name by: "Ph." of Philippe.
DIGRAPHS = frozenset({"ch", "ph", "th"})
# Long words that are no word of a name, or not everywhere.
_SMALL_WORDS = frozenset(word for word in PARTICLES | TITLES if len(word) > _SHORT)
# Evidence of a surname (above 0) or a first name (below): by the case of a word, a title before it, its place.
_CAPITALS_SAY, _SMALL_LETTERS_SAY = 5.0, -5.0
_TITLE_SAYS = 1.5
_NOT_FIRST_SAYS, _FIRST_SAYS = 0.5, -0.5


class Sort(StrEnum):
    """Kind of a piece of a name."""

    WORD = "word"
    INITIAL = "initial"
    PARTICLE = "particle"  # of a French name: kept
    ORIGIN = "origin"  # a particle that tells an origin: left out
    TITLE = "title"  # a civility, title or role: kept
    BETWEEN = "between"


WORD, INITIAL, PARTICLE, ORIGIN, TITLE, BETWEEN = Sort


class NamePiece(NamedTuple):
    """A piece of a written name."""

    sort: Sort
    text: str


class Cut(NamedTuple):
    """A written name, cut by its own text and by a title or form field before, not by the rest of its document.

    `placed` has the keys of the words by the place of their pieces, `words` the keys alone. `votes` has a number per
    word, above 0 for a surname and below for a first name: by case where some words are in capitals and others are not
    ("DUPONT Jean"), else by order. Case is certain enough to decide alone: `told` then has the places of the first
    names, else it is None. `titled`: a title or form field announces the name. `title`: the text before its first word.
    `spaced`: the word written letter by letter, or None.
    """

    pieces: tuple[NamePiece, ...]
    placed: tuple[tuple[int, str], ...]
    words: tuple[str, ...]
    votes: tuple[float, ...]
    told: tuple[int, ...] | None
    titled: bool
    title: str
    spaced: str | None


def cut(text: str, after_title: bool, borne: Collection[str] = (), initials: Collection[str] = ()) -> Cut:
    """Cut a written name; the particles `borne` are names of their own in it ("LE Linh"), `initials` are initials."""
    found = pieces(text, after_title=after_title, borne=borne, initials=initials)
    after_title = after_title or any(sort is TITLE for sort, _ in found)
    placed = tuple([(place, key_of(written)) for place, (sort, written) in enumerate(found) if sort is WORD])
    words = tuple([word for _, word in placed])
    by_case = _case_votes([found[place].text for place, _ in placed]) if len(placed) > 1 else ()
    told = tuple([place for (place, _), vote in zip(placed, by_case, strict=True) if vote <= 0]) if by_case else None
    votes = tuple(by_case or _order_votes(found, len(words), after_title))
    title = "" if placed and not placed[0][0] else _ahead(found)
    return Cut(tuple(found), placed, words, votes, told, after_title, title, despaced(text))


def cut_known(name: str) -> Cut:
    """Cut a surname or first name of the warehouse; a single word is a word in any form ("Ng", "Le")."""
    return cut(name, True, (fold_line(name),))


def as_nickname(found: Cut, little: bool) -> Cut:
    """Return a cut name whose first of two words is "Ti", or "Petit" if `little`, with that word as a particle."""
    if len(found.words) != 2 or not (found.words[0] in _LITTLE or (little and found.words[0] in LITTLE_OR_SURNAME)):
        return found
    pieces, opening = list(found.pieces), found.placed[0][0]
    pieces[opening] = NamePiece(PARTICLE, pieces[opening].text)
    return found._replace(
        pieces=tuple(pieces), placed=found.placed[1:], words=found.words[1:], votes=(_SMALL_LETTERS_SAY,), told=None
    )


def key_of(written: str) -> str:
    """Return the key of a word of a name: `name_key` without an apostrophe within ("N'Diaye" as "NDIAYE")."""
    return name_key(written if written.isalpha() else _APOSTROPHE.sub("", written))


def in_capitals(word: str) -> bool:
    """Return whether a word is in capitals, also where a scanner read an I as a small l: "HAMELlN"."""
    scanned = word.replace("l", "I") if len(word) > _SHORT and word[:2].isupper() else word
    return len(word) > 1 and scanned.isupper()


def _case_votes(whole: Sequence[str]) -> Sequence[float]:
    capitals = [in_capitals(word) for word in whole]
    if True not in capitals or False not in capitals:
        return ()
    return [_CAPITALS_SAY if capital else _SMALL_LETTERS_SAY for capital in capitals]


def _order_votes(found: Sequence[NamePiece], words: int, after_title: bool) -> Sequence[float]:
    """Vote by order: first names come first, and a lone word is one, unless a title or initials come before it.

    A word between two others may go on either: "Ndeye Fatou Diop", "Paul Kouassi Konan".
    """
    if words != 1:
        return [_FIRST_SAYS, *[0.0] * (words - 2), _NOT_FIRST_SAYS][:words]
    announced = after_title or any(sort is INITIAL for sort, _ in takewhile(lambda piece: piece[0] is not WORD, found))
    return (_TITLE_SAYS if announced else _FIRST_SAYS,)


def _ahead(found: Sequence[NamePiece]) -> str:
    """Return the text before the first word or initial: the titles that detection took with a name."""
    return "".join([text for _, text in takewhile(lambda piece: piece[0] not in (WORD, INITIAL), found)])


def pieces(
    text: str, *, after_title: bool = False, borne: Collection[str] = (), initials: Collection[str] = ()
) -> list[NamePiece]:
    """Return the pieces of a name, in order and without gaps; a particle of `borne` is a word.

    A group in capitals of the folded `initials` is initials ("MT" of "MT LE GUENNEC").

    Words in camel case are cut ("SaïdOmar"). A lone group of up to three capitals, or of one or two small letters, is
    initials, each a piece; behind a title, only consonants in capitals are (not "Dr BA"). "M." ahead of a word is a
    civility, but not behind a title ("Dr M. Dupont").
    """
    found: list[NamePiece] = []
    if not after_title and (civility := _CIVILITY.match(text)):
        found = [NamePiece(TITLE, civility[1]), NamePiece(BETWEEN, civility[2])]
        text, after_title = text[civility.end() :], True
    parts = _GROUP.split(text)  # what stands between the groups, and at the odd places the groups
    last = len(parts) - 2
    for place, part in enumerate(parts):
        if place % 2 == 0:
            if part:
                found.append(NamePiece(BETWEEN, part))
        elif part.isupper() and last > 1 and fold_line(part) in initials:
            found += [NamePiece(INITIAL, letter) for letter in part]
        elif _is_plain(part) or (part.isalpha() and len(part) > 1 and fold_line(part) in borne):
            found.append(NamePiece(WORD, part))
        else:
            following = parts[place + 1][:1]
            found += _group(text, part, following, lone=last == 1, last=place == last, after_title=after_title)
    return _with_conjunctions(_with_surnames(found))


def _with_conjunctions(found: list[NamePiece]) -> list[NamePiece]:
    """Return the pieces with "e" and "y" as particles between Iberian surnames: "dos Santos e Silva"."""
    for place in range(2, len(found) - 2):
        sort, text = found[place]
        if sort is not INITIAL or text not in _CONJUNCTIONS:
            continue
        joined = [piece.sort for piece in found[place - 2 : place + 3]] == [WORD, BETWEEN, INITIAL, BETWEEN, WORD]
        spaced = found[place - 1].text == found[place + 1].text == " "
        small = text.islower() and not found[place - 2].text.islower()
        if joined and spaced and (small or any(piece.sort is ORIGIN for piece in found[:place])):
            found[place] = NamePiece(ORIGIN, text)
    return found


def _with_surnames(found: list[NamePiece]) -> list[NamePiece]:
    """Return the pieces with "de", "du" or "des" as a word behind an article: the surname "Le Du" in "Le Du Amaia"."""
    previous = ""
    for place, (sort, text) in enumerate(found):
        if sort is BETWEEN:
            continue
        plain = fold_line(text) if sort is PARTICLE else ""
        if plain in _OF and previous in _ARTICLES:
            found[place] = NamePiece(WORD, text)
        previous = plain
    return found


def _is_plain(word: str) -> bool:
    """Return whether a group is one word, which no rule of `_group` would cut or reclassify."""
    return (
        len(word) > _SHORT
        and word.isalpha()
        and (word.istitle() or word.isupper() or word.islower())
        and fold_line(word) not in _SMALL_WORDS
    )


def _group(text: str, word: str, following: str, *, lone: bool, last: bool, after_title: bool) -> list[NamePiece]:
    plain = fold_line(word)
    particle = None if word == _INITIALS_TOO and not text.isupper() else _particle(word, plain)
    if (plain in TITLES or word in _SISTERS) and not last:
        return [NamePiece(TITLE, word)]
    if particle and following in _APOSTROPHES:
        return [NamePiece(particle, word)]
    if len(word) == 1 or (following == "." and len(word) <= 2):
        return [NamePiece(INITIAL, word)]
    if particle and (not last or (plain in _MARRIED and not lone)):
        return [NamePiece(particle, word)]
    if _is_initials(text, word, lone=lone, after_title=after_title):
        return [NamePiece(INITIAL, letter) for letter in word]
    humps = () if word.istitle() or word.isupper() else _HUMPS.findall(word)
    if len(humps) > 1 and "".join(humps) == word:
        return [NamePiece(_sort_of_hump(hump), hump) for hump in humps]
    return [NamePiece(WORD, word)]


def _particle(word: str, plain: str) -> Sort | None:
    """Return PARTICLE or ORIGIN; None for other words, and for names by an accent: "Lê Quang", "Đỗ Thị Hoa"."""
    if plain != word.casefold() and plain not in _MARRIED:
        return None
    return PARTICLE if plain in _FRENCH_PARTICLES else ORIGIN if plain in _ORIGIN_PARTICLES else None


def _sort_of_hump(hump: str) -> Sort:
    plain = fold_line(hump)
    return PARTICLE if plain in _FRENCH_PARTICLES else ORIGIN if plain in _ORIGIN_PARTICLES else WORD


def _is_initials(text: str, word: str, *, lone: bool, after_title: bool) -> bool:
    if not word.isalpha() or len(word) > _SHORT:
        return False
    consonants = not any(char in "aeiouy" for char in fold_line(word))
    if lone and after_title:
        return consonants and word.isupper()
    if lone:
        return word.isupper() or (word.islower() and len(word) <= 2)
    before, _, behind = text.partition(word)
    if consonants and word.isupper() and _POINTED.fullmatch(before):
        return True
    others = before + behind
    return len(word) == 2 and consonants and ((word.isupper() and not others.isupper()) or word.islower())


def split_initials(initials: str) -> Sequence[str]:
    """Return the initials run together in a piece: two of "JP.", one of "Th." and "PH."."""
    return [initials] if initials.istitle() or fold_line(initials) in DIGRAPHS else initials


def lettered(found: Sequence[NamePiece]) -> Iterator[Sequence[tuple[int, str]]]:
    """Yield the letters that may abbreviate a name, each with the place of its piece; at least two.

    They are those of all pieces, or of words and initials alone, from the first or from another on; of words that a
    hyphen joins also the first alone ("GH" of "G. HULLIN-SARAZAIN"), and of words behind initials ("PAC" of "P.-A.
    Colonna d'Istria").
    """
    whole = [
        (place, fold_line(letter)[0])
        for place, (sort, text) in enumerate(found)
        if sort not in (TITLE, BETWEEN)
        for letter in (split_initials(text) if sort is INITIAL else (text,))
    ]
    words = [one for one in whole if found[one[0]].sort in (WORD, INITIAL)]
    heads = [one for one in words if not _follows_hyphen(found, one[0])]
    led = sum(1 for _ in takewhile(lambda one: found[one[0]].sort is INITIAL, words))
    for letters in dict.fromkeys(map(tuple, (words, whole, heads, words[: led + 1] if led else ()))):
        if len(letters) > 1:
            yield from (letters[turn:] + letters[:turn] for turn in range(len(letters)))


def _follows_hyphen(found: Sequence[NamePiece], place: int) -> bool:
    """Return whether a hyphen joins a word to the one ahead."""
    return place > 1 and found[place].sort is found[place - 2].sort is WORD and found[place - 1].text == "-"


def as_initials(found: Cut) -> Cut:
    """Return a name as the initials that it spells: "mhv", "PA D."."""
    letters = tuple(
        NamePiece(INITIAL if letter.isalpha() else BETWEEN, letter) for _, text in found.pieces for letter in text
    )
    return Cut(letters, (), (), (), None, found.titled, "", None)


def despaced(text: str) -> str | None:
    """Return a word written letter by letter ("D U P O N T") without its gaps; None for another text."""
    text = text.replace("double v", "w")
    text = _SAID_LETTERS.sub(lambda said: " ".join(said["twice"] * 2) if said["twice"] else "", text)
    if len(text) <= 2 * _SHORT or text[1] not in " ." or not _SPACED.fullmatch(text):
        return None
    return re.sub(r"[ .]", "", text)


def bare(name: str) -> str:
    """Return a name in the letters a to z alone, as in addresses: "Jean-Noël" as "jeannoel"."""
    return _NOT_BARE.sub("", without_accents(name).lower())
