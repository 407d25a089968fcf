"""Who is named in a document: which words are surnames and which first names, and which go together."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from deid.document import Mention
from deid.labels import NAMES, Label
from deid.substitution.dossier import Dossier
from deid.substitution.folding import flat
from deid.substitution.names.parsing import TITLES, Piece, Sort, pieces
from deid.substitution.names.tables import NameTables, Pool, key

_TITLE = re.compile(
    r"\b(?:dr|drs|docteur|docteure|pr|prof|professeur|professeure|m|mr|monsieur|mme|madame|mlle|mademoiselle|me|maitre|"
    r"interne|ide|as|mmes|mm|nom|nom de naissance|nom d'usage|nee?|famille)\.? *:? *$"
)
_WOMAN = re.compile(
    r"\b(?:mme|madame|mlle|mademoiselle|nee|docteure|professeure|soeur|fille|mere|epouse|femme|tante|niece|belle-fille|"
    r"grand-mere|compagne|cousine|marraine|veuve|infirmiere|voisine|patiente|bebe fille)\b[^a-z]*(?:\w+ ){0,1}$"
)
_MAN = re.compile(
    r"\b(?:m|mr|monsieur|frere|fils|pere|mari|epoux|oncle|neveu|gendre|grand-pere|compagnon|cousin|parrain|veuf|"
    r"infirmier|voisin|patient|conjoint)\b[^a-z]*(?:\w+ ){0,1}$"
)
_CERTAIN = 100.0
_CASE_SAYS = 5.0
_TITLE_SAYS = 1.5
_ORDER_SAYS = 0.5


@dataclass(frozen=True, slots=True)
class Given:
    """A first name, or a part of a compound one, by its key.

    `sex` is that of the whole where the part alone does not tell it: the "Pierre" of "Marie-Pierre" is a woman's.
    """

    word: str
    sex: str | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody named in full: in `mention`, or by the warehouse (None). `family` is the surname, particles included."""

    given: tuple[Given, ...]
    family: tuple[Piece, ...]
    mention: Mention | None

    @property
    def surnames(self) -> tuple[str, ...]:
        """Keys of the words of the surname."""
        return tuple(key(piece.text) for piece in self.family if piece.sort is Sort.WORD)


class Roster:
    """Names of one document. Words are known by their key (`tables.key`)."""

    def __init__(self, dossier: Dossier, tables: NameTables) -> None:
        self._dossier = dossier
        self.tables = tables
        self.mentions = dossier.of(NAMES)
        self._pieces = {mention: self._cut(mention) for mention in self.mentions}
        self._words: dict[Mention, list[str]] = {}

    def _cut(self, mention: Mention) -> list[Piece]:
        return pieces(self._dossier.text(mention), after_title=self.titled(mention))

    def titled(self, mention: Mention) -> bool:
        """Whether a title or a form field announces a surname before the mention."""
        return _TITLE.search(flat(self._dossier.before(mention, 20))) is not None

    def words(self, mention: Mention) -> list[str]:
        """Keys of the whole words of a mention."""
        found = self._words.get(mention)
        if found is None:
            found = [key(piece.text) for piece in self._pieces[mention] if piece.sort is Sort.WORD]
            self._words[mention] = found
        return found

    def sex(self, mention: Mention) -> str | None:
        """The sex that the words before a mention, or for the patient the warehouse, say."""
        before = flat(self._dossier.before(mention, 24) + self._title(mention))
        if _WOMAN.search(before):
            return "F"
        if _MAN.search(before):
            return "M"
        return self._dossier.document.patient.sex if mention.label is Label.PATIENT else None

    def _title(self, mention: Mention) -> str:
        """The titles that detection took with a name."""
        found = itertools.takewhile(lambda piece: piece.sort is not Sort.WORD, self._pieces[mention])
        return "".join(piece.text for piece in found)

    @cached_property
    def own_surnames(self) -> frozenset[str]:
        """Keys of the patient's surnames: the warehouse's, and what PATIENT mentions hold as surnames."""
        patient = self._dossier.document.patient
        known = {word for name in (patient.last_name, patient.birth_name) if name for word in _parts(name)}
        known |= {
            word
            for mention in self.mentions
            if mention.label is Label.PATIENT
            for word in self.words(mention)
            if self.is_surname(word, mention)
        }
        return frozenset(known)

    @cached_property
    def own_first_names(self) -> frozenset[str]:
        """Keys of the patient's first names that the warehouse knows."""
        names = self._dossier.document.patient.first_names
        return frozenset(word for name in names for word in (*_parts(name), key(name)))

    @cached_property
    def _own_names(self) -> frozenset[str]:
        return self.own_surnames | self.own_first_names

    @cached_property
    def _votes(self) -> dict[str, float]:
        """Key → evidence that the word is a surname (above 0) or a first name (below)."""
        votes: dict[str, float] = defaultdict(float)
        for mention in self.mentions:
            for word, vote in self._evidence(mention):
                votes[word] += vote
        for word in list(votes):
            votes[word] += self._table_says(word)
        patient = self._dossier.document.patient
        for name in (patient.last_name, patient.birth_name):
            for word in _parts(name or ""):
                votes[word] += _CERTAIN
        for name in patient.first_names:
            for word in _parts(name):
                votes[word] -= _CERTAIN
        return votes

    def _table_says(self, word: str) -> float:
        first = self.tables.first_name(word)
        births = first.births if first else 0
        return math.log10((self.tables.surname_births(word) + 10) / (births + 10))

    def _evidence(self, mention: Mention) -> Iterator[tuple[str, float]]:
        whole = [piece for piece in self._pieces[mention] if piece.sort is Sort.WORD]
        by_case = _case_kinds(whole)
        initials = any(piece.sort is Sort.INITIAL for piece in self._pieces[mention])
        for index, piece in enumerate(whole):
            word = key(piece.text)
            if by_case:
                yield word, by_case[index]
            elif len(whole) == 1:
                yield word, _TITLE_SAYS if self.titled(mention) or initials else -_ORDER_SAYS
            else:
                yield word, _ORDER_SAYS if index else -_ORDER_SAYS

    def is_surname(self, word: str, mention: Mention, written: str | None = None) -> bool:
        """Whether a word of a mention is a surname there: by its case among the others, else by all the evidence.

        `written` tells apart two words of one mention with the same key ("Claude CLAUDE").
        """
        by_case = self._by_case[mention]
        if by_case:
            votes = [vote for one, vote in by_case.items() if (one == written if written else key(one) == word)]
            return max(votes, default=0.0) > 0
        return self._votes.get(word, 0.0) >= 0

    @cached_property
    def _by_case(self) -> dict[Mention, dict[str, float]]:
        """Per mention, the evidence that the case of its words gives, where it gives any."""
        found: dict[Mention, dict[str, float]] = {}
        for mention in self.mentions:
            whole = [piece for piece in self._pieces[mention] if piece.sort is Sort.WORD]
            votes = _case_kinds(whole)
            found[mention] = {piece.text: vote for piece, vote in zip(whole, votes, strict=True)} if votes else {}
        return found

    def pool(self, word: str, mention: Mention) -> Pool:
        """Whose pool a word is drawn from: a relative who bears the patient's name keeps bearing it."""
        if mention.label is Label.DOCTOR:
            return Pool.PROFESSIONAL
        if mention.label is Label.PATIENT or word in self._own_names:
            return Pool.PATIENT
        return Pool.RELATIVE

    @cached_property
    def given(self) -> dict[Mention, dict[int, Given]]:
        """Per mention, the pieces that are first names, by their place."""
        return {mention: self._given(self._pieces[mention], mention) for mention in self.mentions}

    def _given(self, found: Sequence[Piece], mention: Mention | None) -> dict[int, Given]:
        places = [
            place
            for place, piece in enumerate(found)
            if piece.sort is Sort.WORD
            and (mention is None or not self.is_surname(key(piece.text), mention, piece.text))
        ]
        given: dict[int, Given] = {}
        while places:
            run = [places.pop(0)]
            while places and self._joins(found, run[-1], places[0]):
                run.append(places.pop(0))
            given |= zip(run, self._compound([key(found[place].text) for place in run]), strict=True)
        return given

    def _joins(self, found: Sequence[Piece], place: int, following: int) -> bool:
        """Whether two first names are one: joined by a hyphen, or known together where a space stands."""
        if following != place + 2:
            return False
        between = flat(found[place + 1].text)
        both = f"{key(found[place].text)} {key(found[following].text)}"
        return between == "-" or (between == " " and self.tables.first_name(both) is not None)

    def _compound(self, words: Sequence[str]) -> list[Given]:
        whole = self.tables.first_name(" ".join(words)) or self.tables.first_name(words[0])
        sex = whole.sex if whole and len(words) > 1 else None
        known = [self.tables.first_name(word) for word in words]
        return [
            Given(word, sex if sex and (one is None or one.sex != sex) else None)
            for word, one in zip(words, known, strict=True)
        ]

    @cached_property
    def named(self) -> list[Named]:
        """Who is named in full, here and then in the identity: the patient's first name with each of his surnames."""
        people = []
        for mention in self.mentions:
            given, found = self.given[mention], self._pieces[mention]
            family = _family([piece for place, piece in enumerate(found) if place not in given])
            if given and family:
                people.append(Named(tuple(given.values()), family, mention))
        patient = self._dossier.document.patient
        for name in patient.first_names[:1]:
            given = self._given(pieces(name, after_title=True), None)
            for surname in filter(None, (patient.last_name, patient.birth_name)):
                family = _family(pieces(surname, after_title=True))
                if given and family:
                    people.append(Named(tuple(given.values()), family, None))
        return people

    @cached_property
    def known_first_names(self) -> list[tuple[Pool, Given]]:
        """First names of everybody here and of the patient, with their pools."""
        here = [
            (self.pool(given.word, mention), given)
            for mention in self.mentions
            for given in self.given[mention].values()
        ]
        patient = self._dossier.document.patient
        own = [self._given(pieces(name, after_title=True), None).values() for name in patient.first_names]
        return here + [(Pool.PATIENT, given) for names in own for given in names]

    def sex_of(self, word: str, pool: Pool) -> str | None:
        """The sex that the document or the warehouse says of whoever bears a first name."""
        for mention in self.mentions:
            if word in self.words(mention) and self.pool(word, mention) is pool and (sex := self.sex(mention)):
                return sex
        return self._dossier.document.patient.sex if pool is Pool.PATIENT and word in self.own_first_names else None

    def pieces(self, mention: Mention) -> list[Piece]:
        """The pieces of a mention."""
        return self._pieces[mention]


def _parts(name: str) -> list[str]:
    return [key(piece.text) for piece in pieces(name, after_title=True) if piece.sort is Sort.WORD]


def _family(found: Sequence[Piece]) -> tuple[Piece, ...]:
    """The words of a surname and the particles that stand before one; nothing where there is no word."""
    kept = [piece for piece in found if piece.sort in (Sort.WORD, Sort.PARTICLE) and flat(piece.text) not in TITLES]
    while kept and kept[-1].sort is Sort.PARTICLE:
        kept.pop()
    return tuple(kept)


def _case_kinds(whole: list[Piece]) -> list[float] | None:
    """Evidence from case alone, where some words are in capitals and others are not: "DUPONT Jean"."""
    capitals = [piece.text.isupper() and len(piece.text) > 1 for piece in whole]
    if not any(capitals) or all(capitals):
        return None
    return [_CASE_SAYS if capital else -_CASE_SAYS for capital in capitals]
