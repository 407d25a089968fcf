"""Reading of a written name: each word as surname or first name, and the person if named in full."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from deid.domain.labels import Label
from deid.french.folding import case_of, fold_line
from deid.reference.names import NameTables
from deid.substitution.names import nicknames
from deid.substitution.names.parsing import (
    BETWEEN,
    ORIGIN,
    PARTICLE,
    TITLE,
    WORD,
    Cut,
    NamePiece,
    bare,
    cut,
    cut_known,
    in_capitals,
    key_of,
)

_BEN = "ben"
_GOES_ON = "thi"  # of Vietnamese women: the next word is of the first name
# Of two names of which none is a first name by the evidence, one below the first of these is, beside a surname known to
# be one by the second, or if the tables know it as a first name too.
_DOUBTFUL, _CERTAINLY, _TWO = 0.75, 50.0, 2
# What surnames of the Maghreb behind "Ben" have not: as many bearers, and no first name of the same form.
_USUAL_SURNAME, _SURNAME_RATHER = 5000, 2.0


class Pool(StrEnum):
    """Map that the surrogates of a person's names are drawn by.

    PATIENT: the names of the warehouse, drawn before all others, so that no document changes them. RELATIVE and
    PROFESSIONAL: everybody else's, in one map, unless the policy asks for professionals shared by all patients.
    """

    PATIENT = "patient"
    RELATIVE = "relative"
    PROFESSIONAL = "professional"


class Spelling(NamedTuple):
    """A full name in plain small letters: first names, words of the surname, surname glued with its particles."""

    given: tuple[str, ...]
    surnames: tuple[str, ...]
    glued: str


def places(name: Spelling) -> Mapping[str, int]:
    """Return short forms of a name ("jpdurand") → index; `form` gives the surrogate's at the same index.

    Empty for a name in another alphabet, which has no plain letters. No form is a single letter.
    """
    if not all((*name.given, *name.surnames)):
        return {}
    made: dict[str, int] = {}
    for place, form in enumerate(_forms(name)):
        if len(form) > 1:
            made.setdefault(form, place)
    return made


def form(name: Spelling, place: int) -> str:
    """Return the short form of a name at an index of `places`."""
    return _forms(name)[place]


def _forms(name: Spelling) -> Sequence[str]:
    given, surnames, glued = name
    first, every = given[0], "".join(given)
    letters = "".join([word[:1] for word in given])
    # The surname glued, and its first word alone or with its particle, as married names are often cut.
    families = (glued, "".join(surnames), surnames[0], "".join(glued.partition(surnames[0])[:2]))
    forms = [*given, every, *surnames, *families]
    for family in families:
        for one in (first[:1], letters, first, every):
            forms += (one + family, family + one)
    return [*forms, letters, letters + glued[:1], first + glued[:1]]


class Given(NamedTuple):
    """A first name, or a part of a compound one, by its key.

    `sex` is from the tables, for a part from the whole name: the "Pierre" of "Marie-Pierre" is a woman's.
    """

    word: str
    sex: str | None = None


class NameWord(NamedTuple):
    """A whole word of a name, as written and by its key; `sex` is `Given.sex`, None for a surname.

    `cased` puts a surrogate in the word's case. `small`: in small letters; `plain`: in capitals without accents;
    `called`: it may be a diminutive.
    """

    text: str
    key: str
    surname: bool
    sex: str | None
    cased: Callable[[str], str]
    small: bool
    plain: bool
    called: bool

    @property
    def form(self) -> str:
        """Return the key as written, other than `key` for a mistake or an abbreviation."""
        return key_of(self.text)


class NamePart(NamedTuple):
    """A word of a full name by its key, with the arguments of `Drawing.surrogate`."""

    word: str
    surname: bool
    sex: str | None


def _initial(part: NamePart | str) -> str:
    return part if isinstance(part, str) else part.word[0]


@dataclass(frozen=True)
class Named:
    """Somebody named in full, in a mention with a label or by the warehouse (None).

    `family` is the surname, particles included; `surnames` are the keys of its words.
    """

    given: tuple[Given, ...]
    family: tuple[NamePiece, ...]
    surnames: tuple[str, ...]
    label: Label | None

    @cached_property
    def glued(self) -> str:
        """Return the whole surname in bare small letters."""
        return bare("".join(piece.text for piece in self.family))

    @property
    def firsts(self) -> tuple[str, ...]:
        """Return the keys of the first names."""
        return tuple(one.word for one in self.given)

    @property
    def families(self) -> tuple[str, ...]:
        """Return the keys of the surname and the whole glued."""
        return (*self.surnames, self.glued)

    @property
    def spelling(self) -> Spelling:
        """Return the name in plain small letters."""
        return Spelling(tuple(map(bare, self.firsts)), tuple(map(bare, self.surnames)), self.glued)

    def opens_with(self, letter: str) -> bool:
        """Return whether the surname opens with a French particle that begins with a letter."""
        return self.family[0].sort is PARTICLE and fold_line(self.family[0].text).startswith(letter)

    @property
    def first_parts(self) -> list[NamePart]:
        """Return the first names, each as a `NamePart`."""
        return [NamePart(one.word, False, one.sex) for one in self.given]

    def abbreviated(self, letter: str, beside: frozenset[str]) -> Iterator[NamePart]:
        """Yield the names that a letter abbreviates: first names beside a surname, surnames beside a first name."""
        if not beside.isdisjoint(self.families):
            yield from (part for part in self.first_parts if part.word.startswith(letter))
        if not beside.isdisjoint(self.firsts):
            opening = self.family[0]
            if opening.sort is ORIGIN and fold_line(opening.text).startswith(letter):
                yield NamePart(self.surnames[0], True, None)  # the surrogate has no particle
            yield from (NamePart(word, True, None) for word in self.surnames if word.startswith(letter))

    def others(self, letter: str, beside: frozenset[str]) -> Iterator[NamePart]:
        """Yield the names that a letter abbreviates beside one of their kind: "Paul K. Konan", "Mame D.".

        They are none of the words `beside`.
        """
        if not beside.isdisjoint(self.families + self.firsts):
            every = (*self.first_parts, *(NamePart(word, True, None) for word in self.surnames))
            yield from (part for part in every if part.word.startswith(letter) and part.word not in beside)

    def parts(self, letters: str) -> Sequence[NamePart | str] | None:
        """Return the words that initials may abbreviate: all first names or one, before or after one surname or all.

        A particle that surrogates keep has a letter of its own, with its surname's or alone: "N.LG", "N.L.".
        """
        given: list[NamePart | str] = [*self.first_parts]
        family: list[NamePart | str] = [NamePart(word, True, None) for word in self.surnames]
        words = iter(family)
        whole = [
            next(words) if piece.sort is WORD else bare(piece.text)[0]
            for piece in self.family
            if piece.sort is not ORIGIN
        ]
        orders = (
            order
            for names in (family[:1], family, whole, whole[:1], family[-1:])
            for firsts in (given, given[:1])
            for order in (firsts + names, names + firsts)
        )
        return next((order for order in orders if "".join(map(_initial, order)) == letters), None)


class NameReading(NamedTuple):
    """A cut name as read, `given` its first names by the place of their pieces.

    `words` has a word or None for each piece; `named` is the person, if named in full.
    """

    cut: Cut
    given: Mapping[int, Given]
    words: tuple[NameWord | None, ...]
    named: Named | None


@dataclass(frozen=True)
class Heard:
    """A name of one mention, to be read by the tables and by its document's evidence."""

    tables: NameTables
    cut: Cut
    label: Label

    @property
    def votes(self) -> Iterator[tuple[str, float, float]]:
        """Return (key, vote of the cut, vote of the tables) per word: above 0 for a surname, below for a first name."""
        return zip(self.cut.words, self.cut.votes, map(self.tables.surname_rather, self.cut.words), strict=True)

    def renamed(self, spelt: Mapping[str, str]) -> Heard:
        """Return the same name with misspelt keys replaced; `spelt` is misspelt key → key meant."""
        if spelt.keys().isdisjoint(self.cut.words):
            return self
        placed = tuple([(place, spelt.get(word, word)) for place, word in self.cut.placed])
        words = tuple([word for _, word in placed])
        pieces = list(self.cut.pieces)
        for (place, word), (_, meant) in zip(self.cut.placed, placed, strict=True):
            if meant.endswith(word) and meant != word:
                _take_in(pieces, place, meant.removesuffix(word))
        return Heard(self.tables, self.cut._replace(pieces=tuple(pieces), placed=placed, words=words), self.label)

    @property
    def compounds(self) -> frozenset[str]:
        """Return the words that go on a first name, by the tables, where another is left for the surname."""
        placed = self.cut.placed
        if self.cut.told is not None or len(placed) <= _TWO:
            return frozenset()
        return frozenset(
            following
            for (place, word), (behind, following) in pairwise(placed)
            if word == _GOES_ON or _is_known(self.tables, self.cut.pieces[place : behind + 1])
        )

    def is_one_run(self) -> bool:
        """Return whether the name is one word, or words joined by hyphens alone."""
        return len(self._hyphened()) == 1

    def _hyphened(self) -> list[list[tuple[int, str]]]:
        """Return the words of the name in runs joined by hyphens: each run is surnames, or first names."""
        runs: list[list[tuple[int, str]]] = []
        for place, word in self.cut.placed:
            joined = runs and runs[-1][-1][0] == place - 2 and fold_line(self.cut.pieces[place - 1].text) == "-"
            if joined:
                runs[-1].append((place, word))
            else:
                runs.append([(place, word)])
        return runs

    def reading(self, evidence: Mapping[str, float]) -> NameReading:
        """Read the name, by the case of its words if that decides, else by `evidence` (key → above 0 for a surname)."""
        places = self.cut.told
        if places is None:
            runs = self._hyphened()
            said = [sum(evidence[word] for _, word in run) for run in runs]
            given = [vote < 0 for vote in said]
            if len(runs) == _TWO and not any(given):
                place = said.index(min(said))
                if place and self._opens_with_first_name():
                    return _read(self.tables, self.cut, [self.cut.placed[0][0]], self.label)
                given[place] = said[place] < _DOUBTFUL and (
                    said[1 - place] >= _CERTAINLY or all(self.tables.first_name(word) for _, word in runs[place])
                )
            places = tuple(place for run, first in zip(runs, given, strict=True) if first for place, _ in run)
        return _read(self.tables, self.cut, places, self.label)

    def _opens_with_first_name(self) -> bool:
        """Return whether two words are a first name and a surname by the tables: "Rose Dhaluin" of a Mme ROSE."""
        return [self.tables.surname_rather(word) < 0 for word in self.cut.words] == [True, False]


def _take_in(pieces: list[NamePiece], place: int, particles: str) -> None:
    """Join particles to the word behind where the name meant has both in one: "Le Guennec" of LEGUENNEC.

    They are then left out, as the surrogate is one word.
    """
    for at in range(place - 1, -1, -1):
        sort, text = pieces[at]
        if sort is PARTICLE and particles.endswith(bare(text)):
            particles = particles.removesuffix(bare(text))
            pieces[at] = NamePiece(ORIGIN, text)
        elif sort is not BETWEEN:
            return


def hear(
    tables: NameTables,
    text: str,
    label: Label,
    after_title: bool,
    own: frozenset[str],
    borne: frozenset[str],
    initials: frozenset[str] = frozenset(),
) -> Heard:
    """Read a written name alone.

    `own`: words of the patient's names, `borne`: those like particles or initials, `initials`: of compound first names.
    """
    found = cut(text, after_title)
    if (letters := _letters_ahead(tables, found, own, initials)) is not None:
        found = cut(text, after_title, borne if own.issuperset(found.words[1:]) else (), (letters,))
        return Heard(tables, found, label)
    if borne and len(found.pieces) > 1 and (own.issuperset(found.words) or _shares(tables, found, label, borne)):
        found = cut(text, after_title, borne)
    elif _is_called_ben(tables, found, own):
        found = cut(text, after_title, (_BEN,))
    return Heard(tables, found, label)


def _letters_ahead(tables: NameTables, found: Cut, own: frozenset[str], initials: frozenset[str]) -> str | None:
    """Return the two capitals, folded, that a name begins with, if they abbreviate a compound first name; else None.

    They do beside the patient's surname if they are the patient's; else where no table knows them as a name, or where
    the rest is a surname in small letters ("PY Durieux"); beside one initial ("JP D.") in the first two cases alone.
    """
    opening = next((place for place, piece in enumerate(found.pieces) if piece.sort not in (TITLE, BETWEEN)), None)
    if opening is None or not found.words or found.placed[0][0] != opening or opening + 2 >= len(found.pieces):
        return None
    written, word, others = found.pieces[opening].text, found.words[0], found.words[1:]
    spaced = found.pieces[opening + 1].text.isspace()
    if len(written) not in (2, 3) or not written.isupper() or not written.isascii() or not spaced:
        return None
    if word in initials and not own.isdisjoint(others):
        return word
    if len(written) == 3 or word in own or any(tables.surname_rather(other) < 0 for other in others):
        return None
    small = others and not any(found.pieces[place].text.isupper() for place, _ in found.placed[1:])
    return word if small or not (word in tables.surnames or word in tables.first) else None


def _shares(tables: NameTables, found: Cut, label: Label, borne: frozenset[str]) -> bool:
    """Return whether a relative has the patient's particle-like surname: "sa mère Le Sophea" of "LE Linh"."""
    if label is not Label.PERSON or fold_line(found.pieces[0].text) not in borne:
        return False
    return all(tables.surname_rather(word) <= 0 for word in found.words)


def _is_called_ben(tables: NameTables, found: Cut, own: frozenset[str]) -> bool:
    """Return whether "Ben" is a first name before a surname, not a particle: "Ben DUPONT", not "Ben Ali"."""
    opening = next((piece for piece in found.pieces if piece.sort in (WORD, PARTICLE, ORIGIN)), None)
    if opening is None or opening.sort is not ORIGIN or fold_line(opening.text) != _BEN or not found.words:
        return False
    word = found.words[0]
    usual = tables.surname_births(word) >= _USUAL_SURNAME or tables.surname_rather(word) > _SURNAME_RATHER
    return usual or (word in own and not own.isdisjoint((_BEN, *nicknames.NAMES_OF[_BEN])))


def _read(tables: NameTables, found: Cut, places: Sequence[int], label: Label) -> NameReading:
    given = _given(tables, found, places)
    words: list[NameWord | None] = [None] * len(found.pieces)
    for place, word in found.placed:
        one = given.get(place)
        words[place] = word_of(found.pieces[place].text, word, one is None, one.sex if one else None)
    named = None
    if given and len(given) < len(found.words):
        family = family_of([piece for place, piece in enumerate(found.pieces) if place not in given])
        surnames = tuple([word for place, word in found.placed if place not in given])  # as meant, if misspelt
        named = Named(tuple(given.values()), family, surnames, label) if family else None
    return NameReading(found, given, tuple(words), named)


def word_of(written: str, word: str, surname: bool, sex: str | None = None) -> NameWord:
    """Return the `NameWord` of a written word by its key: a surname, or a first name with its sex."""
    scanned = in_capitals(written) and not written.isupper()
    cased = str.upper if scanned else case_of(written)
    plain = written.isascii() and (scanned or written.isupper())
    return NameWord(written, word, surname, sex, cased, cased is str.lower, plain, called=word in nicknames.NAMES_OF)


def of_identity(tables: NameTables, name: str, surname: str) -> Named | None:
    """Return the person whom the warehouse names by a first name and a surname; None if either has no word."""
    given = all_given(tables, name)
    family = family_of(cut_known(surname).pieces)
    return named_by(given, family, None) if given and family else None


def all_given(tables: NameTables, name: str) -> Mapping[int, Given]:
    """Return the first names within a first name of the warehouse, by the place of their pieces."""
    found = cut_known(name)
    return _given(tables, found, [place for place, _ in found.placed])


def _given(tables: NameTables, found: Cut, places: Sequence[int]) -> dict[int, Given]:
    """Return the first names at these places; parts of a compound one have the sex of the whole."""
    if not places:
        return {}
    if len(places) == 1:
        return {place: _alone(tables, word) for place, word in found.placed if place == places[0]}
    keys = dict(found.placed)
    given: dict[int, Given] = {}
    runs = [[places[0]]]
    for place, following in pairwise(places):
        hyphen = following == place + 2 and fold_line(found.pieces[place + 1].text) == "-"
        if hyphen or _is_known(tables, found.pieces[place : following + 1]):
            runs[-1].append(following)
        else:
            runs.append([following])
    for run in runs:
        given |= zip(run, _compound(tables, [keys[place] for place in run]), strict=True)
    return given


def _is_known(tables: NameTables, pieces: Sequence[NamePiece]) -> bool:
    """Return whether the tables know pieces together as a first name: "Marie Ange", "Abd El Kader"."""
    return tables.first_name("".join(piece.text for piece in pieces)) is not None


def _compound(tables: NameTables, words: Sequence[str]) -> list[Given]:
    if len(words) == 1:
        return [_alone(tables, words[0])]
    whole = tables.first_name(" ".join(words)) or tables.first_name(words[0])
    sex = whole.sex if whole else None
    return [Given(word, sex) if sex else _alone(tables, word) for word in words]


def _alone(tables: NameTables, word: str) -> Given:
    return Given(word, tables.sex_of(word))


def named_by(given: Mapping[int, Given], family: tuple[NamePiece, ...], label: Label | None) -> Named:
    """Return the person of these first names and this surname."""
    surnames = tuple([key_of(text) for sort, text in family if sort is WORD])
    return Named(tuple(given.values()), family, surnames, label)


def family_of(found: Sequence[NamePiece]) -> tuple[NamePiece, ...]:
    """Return the words of a surname and the particles before each; empty without a word."""
    kept = [piece for piece in found if piece.sort in (PARTICLE, ORIGIN, WORD)]
    while kept and kept[-1].sort is not WORD:
        kept.pop()
    return tuple(kept)
