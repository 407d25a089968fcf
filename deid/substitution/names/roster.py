"""Who is named in a document: which words are surnames and which first names, and which go together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from deid.document import Mention
from deid.labels import NAMES, Label
from deid.substitution.dossier import Dossier
from deid.substitution.folding import flat
from deid.substitution.names.parsing import TITLES, Cut, Piece, Sort, bare, cut
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
_TITLE_SAYS = 1.5
_ORDER_SAYS = 0.5
_BEFORE_TITLE, _BEFORE_SEX = 20, 24  # characters before a name that say whose it is


class Given(NamedTuple):
    """A first name, or a part of a compound one, by its key.

    `sex` is that of the whole where the part alone does not tell it: the "Pierre" of "Marie-Pierre" is a woman's.
    """

    word: str
    sex: str | None = None


class Named(NamedTuple):
    """Somebody named in full: in `mention`, or by the warehouse (None).

    `family` is the surname, particles included; `surnames` are the keys of its words, `glued` the whole in bare small
    letters.
    """

    given: tuple[Given, ...]
    family: tuple[Piece, ...]
    surnames: tuple[str, ...]
    glued: str
    mention: Mention | None


class Roster:
    """Names of one document. Words are known by their key (`tables.key`)."""

    def __init__(self, dossier: Dossier, tables: NameTables) -> None:
        self._dossier = dossier
        self.tables = tables
        self.mentions = dossier.of(NAMES)
        self._titled = {mention for mention in self.mentions if self._is_titled(mention)}
        self.cuts: dict[Mention, Cut] = {
            mention: cut(dossier.text(mention), after_title=mention in self._titled) for mention in self.mentions
        }

    def _is_titled(self, mention: Mention) -> bool:
        return _TITLE.search(self._dossier.plain_before(mention, _BEFORE_TITLE)) is not None

    def titled(self, mention: Mention) -> bool:
        """Whether a title or a form field announces a surname before the mention."""
        return mention in self._titled

    def words(self, mention: Mention) -> Sequence[str]:
        """Keys of the whole words of a mention."""
        return self.cuts[mention].words

    def sex(self, mention: Mention) -> str | None:
        """The sex that the words before a mention, or for the patient the warehouse, say."""
        before = self._dossier.plain_before(mention, _BEFORE_SEX)
        if title := self.cuts[mention].title:
            before += flat(title)
        if _WOMAN.search(before):
            return "F"
        if _MAN.search(before):
            return "M"
        return self._dossier.document.patient.sex if mention.label is Label.PATIENT else None

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
        for mention, found in self.cuts.items():
            for word, vote in zip(found.words, found.by_case or self._by_place(mention, found), strict=True):
                votes[word] += vote
        for word in votes:
            votes[word] += self.tables.surname_rather(word)
        patient = self._dossier.document.patient
        for name in (patient.last_name, patient.birth_name):
            for word in _parts(name or ""):
                votes[word] += _CERTAIN
        for name in patient.first_names:
            for word in _parts(name):
                votes[word] -= _CERTAIN
        return votes

    def _by_place(self, mention: Mention, found: Cut) -> Sequence[float]:
        """Evidence of each word from where it stands."""
        if len(found.words) == 1:
            return (_TITLE_SAYS if mention in self._titled or found.initials else -_ORDER_SAYS,)
        return [_ORDER_SAYS if index else -_ORDER_SAYS for index in range(len(found.words))]

    def is_surname(self, word: str, mention: Mention, written: str | None = None) -> bool:
        """Whether a word of a mention is a surname there: by its case among the others, else by all the evidence.

        `written` tells apart two words of one mention with the same key ("Claude CLAUDE").
        """
        found = self.cuts[mention]
        if found.by_case:
            return (found.by_written.get(written, 0.0) if written else found.by_key.get(word, 0.0)) > 0
        return self._votes.get(word, 0.0) >= 0

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
        return {mention: self._given(found, self._first_places(found)) for mention, found in self.cuts.items()}

    def _first_places(self, found: Cut) -> list[int]:
        """The places of the words of a mention that are no surname."""
        if found.by_case:
            votes, keys = found.by_written, found.keys
            return [place for place, word in enumerate(keys) if word and votes[found.pieces[place].text] <= 0]
        evidence = self._votes
        return [place for place, word in enumerate(found.keys) if word and evidence.get(word, 0.0) < 0]

    def _given(self, found: Cut, places: Sequence[int]) -> dict[int, Given]:
        """First names at these places, the parts of a compound one told from each other's sex."""
        if len(places) < 2:
            return {place: Given(found.keys[place]) for place in places}
        given: dict[int, Given] = {}
        runs = [[places[0]]]
        for place, following in pairwise(places):
            if self._joins(found, place, following):
                runs[-1].append(following)
            else:
                runs.append([following])
        for run in runs:
            given |= zip(run, self._compound([found.keys[place] for place in run]), strict=True)
        return given

    def _joins(self, found: Cut, place: int, following: int) -> bool:
        """Whether two first names are one: joined by a hyphen, or known together where a space stands."""
        if following != place + 2:
            return False
        between = flat(found.pieces[place + 1].text)
        both = f"{found.keys[place]} {found.keys[following]}"
        return between == "-" or (between == " " and self.tables.first_name(both) is not None)

    def _compound(self, words: Sequence[str]) -> list[Given]:
        if len(words) == 1:
            return [Given(words[0])]
        whole = self.tables.first_name(" ".join(words)) or self.tables.first_name(words[0])
        sex = whole.sex if whole else None
        known = [self.tables.first_name(word) for word in words]
        return [
            Given(word, sex if sex and (one is None or one.sex != sex) else None)
            for word, one in zip(words, known, strict=True)
        ]

    @cached_property
    def named(self) -> list[Named]:
        """Who is named in full, here and then in the identity: the patient's first name with each of his surnames."""
        people = []
        for mention, found in self.cuts.items():
            given = self.given[mention]
            if given and len(given) < len(found.words):
                family = _family([piece for place, piece in enumerate(found.pieces) if place not in given])
                if family:
                    people.append(_named(given, family, mention))
        patient = self._dossier.document.patient
        for name in patient.first_names[:1]:
            given = self._all_given(name)
            for surname in filter(None, (patient.last_name, patient.birth_name)):
                family = _family(cut(surname, after_title=True).pieces)
                if given and family:
                    people.append(_named(given, family, None))
        return people

    def _all_given(self, name: str) -> dict[int, Given]:
        """The first names that a first name of the warehouse is."""
        found = cut(name, after_title=True)
        return self._given(found, [place for place, word in enumerate(found.keys) if word])

    @cached_property
    def known_first_names(self) -> list[tuple[Pool, Given]]:
        """First names of everybody here and of the patient, with their pools."""
        here = [
            (self.pool(given.word, mention), given)
            for mention in self.mentions
            for given in self.given[mention].values()
        ]
        own = [self._all_given(name).values() for name in self._dossier.document.patient.first_names]
        return here + [(Pool.PATIENT, given) for names in own for given in names]

    @cached_property
    def _bearers(self) -> dict[str, list[Mention]]:
        """Key → the mentions that hold the word, in order."""
        found: dict[str, list[Mention]] = defaultdict(list)
        for mention, one in self.cuts.items():
            for word in dict.fromkeys(one.words):
                found[word].append(mention)
        return found

    def sex_of(self, word: str, pool: Pool) -> str | None:
        """The sex that the document or the warehouse says of whoever bears a first name."""
        for mention in self._bearers.get(word, ()):
            if self.pool(word, mention) is pool and (sex := self.sex(mention)):
                return sex
        return self._dossier.document.patient.sex if pool is Pool.PATIENT and word in self.own_first_names else None

    def pieces(self, mention: Mention) -> Sequence[Piece]:
        """The pieces of a mention."""
        return self.cuts[mention].pieces


def _parts(name: str) -> Sequence[str]:
    return cut(name, after_title=True).words


def _named(given: dict[int, Given], family: tuple[Piece, ...], mention: Mention | None) -> Named:
    surnames = tuple(key(piece.text) for piece in family if piece.sort is Sort.WORD)
    return Named(tuple(given.values()), family, surnames, bare("".join(piece.text for piece in family)), mention)


def _family(found: Sequence[Piece]) -> tuple[Piece, ...]:
    """The words of a surname and the particles that stand before one; nothing where there is no word."""
    kept = [piece for piece in found if piece.sort in (Sort.WORD, Sort.PARTICLE) and flat(piece.text) not in TITLES]
    while kept and kept[-1].sort is Sort.PARTICLE:
        kept.pop()
    return tuple(kept)
