"""Who is named in a document: which words are surnames and which first names, and which go together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold_line
from deid.reference.names import NameTables, Pool, name_key
from deid.substitution.context import DocumentContext
from deid.substitution.names.parsing import NamePiece, cut
from deid.substitution.names.reading import Given, Heard, Named, NameReading, all_given, hear, of_identity

_TITLES = (
    *"dr drs docteur docteure pr prof professeur professeure m mm mr monsieur mme mmes madame mlle".split(),
    *"mademoiselle me maitre interne ide as nom ne nee famille".split(),
    "nom de naissance",
    "nom d'usage",
)
# Read backwards, from the name on: a search from the left would try each place. No title ends with what may follow it,
# so what was read of that is never given back.
_TITLE = re.compile(r" *+:?+ *+\.?+(?:" + "|".join(title[::-1] for title in _TITLES) + r")\b")
_WOMAN = re.compile(
    r"\b(?:mme|madame|mlle|mademoiselle|nee|docteure|professeure|soeur|fille|mere|epouse|femme|tante|niece|belle-fille|"
    r"grand-mere|compagne|cousine|marraine|veuve|infirmiere|voisine|patiente|bebe fille)\b[^a-z]*(?:\w+ ){0,1}$"
)
_MAN = re.compile(
    r"\b(?:m|mr|monsieur|frere|fils|pere|mari|epoux|oncle|neveu|gendre|grand-pere|compagnon|cousin|parrain|veuf|"
    r"infirmier|voisin|patient|conjoint)\b[^a-z]*(?:\w+ ){0,1}$"
)
_OF_PATIENTS, _OF_RELATIVES, _OF_PROFESSIONALS = Pool
# Whose pool a name's words are drawn from by its label alone; those of PERSON by the word as well.
POOLS: Mapping[Label | None, Pool] = {Label.PATIENT: _OF_PATIENTS, None: _OF_PATIENTS, Label.DOCTOR: _OF_PROFESSIONALS}
_CERTAIN = 100.0
_BEFORE_TITLE, _BEFORE_SEX = 20, 24  # characters before a name that say whose it is


class Roster:
    """Names of one document. Words are known by their key (`tables.key`)."""

    def __init__(self, context: DocumentContext, tables: NameTables) -> None:
        self._context = context
        self.tables = tables
        self.mentions = context.of(NAMES)
        heard = self._hear()
        self._votes = votes = self._counted(heard)
        # What each mention reads as, by all the evidence, and by where it starts, which no two share.
        self.readings: Mapping[int, NameReading] = {
            mention.start: one.reading(votes) for mention, one in zip(self.mentions, heard, strict=True)
        }

    def _hear(self) -> Sequence[Heard]:
        """What each mention tells by itself."""
        tables, text, plain, announces = self.tables, self._context.document.text, self._context.plain, _TITLE.match
        found = []
        for mention in self.mentions:
            start = mention.start
            before = plain[start - _BEFORE_TITLE if start > _BEFORE_TITLE else 0 : start]
            titled = announces(before[::-1]) is not None
            found.append(hear(tables, text[start : mention.end], mention.label, titled))
        return found

    def titled(self, mention: Mention) -> bool:
        """Whether a title or a form field announces a surname before the mention."""
        return self.readings[mention.start].cut.titled

    def words(self, mention: Mention) -> Sequence[str]:
        """Keys of the whole words of a mention."""
        return self.readings[mention.start].cut.words

    def pieces(self, mention: Mention) -> Sequence[NamePiece]:
        """The pieces of a mention."""
        return self.readings[mention.start].cut.pieces

    def sex(self, mention: Mention) -> str | None:
        """The sex that the words before a mention, or for the patient the warehouse, say."""
        before = self._context.plain_before(mention, _BEFORE_SEX)
        if title := self.readings[mention.start].cut.title:
            before += fold_line(title)
        if _WOMAN.search(before):
            return "F"
        if _MAN.search(before):
            return "M"
        return self._context.document.patient.sex if mention.label is Label.PATIENT else None

    @cached_property
    def own_surnames(self) -> frozenset[str]:
        """Keys of the patient's surnames: the warehouse's, and what PATIENT mentions hold as surnames."""
        patient = self._context.document.patient
        here = [
            word.key
            for mention in self._context.labelled(Label.PATIENT)
            for word in self.readings[mention.start].words
            if word is not None and word.surname
        ]
        return _words((patient.last_name, patient.birth_name)).union(here)

    def own_first_names(self) -> frozenset[str]:
        """Keys of the patient's first names that the warehouse knows."""
        return _first_names(self._context.document.patient.first_names)

    def _counted(self, heard: Sequence[Heard]) -> Mapping[str, float]:
        """Key → evidence that the word is a surname (above 0) or a first name (below)."""
        votes: dict[str, float] = defaultdict(float)
        told: dict[str, float] = {}
        for one in heard:
            for word, vote, rather in one.votes:
                votes[word] += vote
                told[word] = rather
        for word, rather in told.items():
            votes[word] += rather
        patient = self._context.document.patient
        for word, vote in _certain(patient.last_name, patient.birth_name, patient.first_names):
            votes[word] += vote
        return votes

    def is_surname(self, word: str, mention: Mention, written: str | None = None) -> bool:
        """Whether a word of a mention is a surname there: by its case among the others, else by all the evidence.

        `written` tells apart two words of one mention with the same key ("Claude CLAUDE").
        """
        found = self.readings[mention.start].cut
        if found.told is None:
            return self._votes.get(word, 0.0) >= 0
        return any(
            one == word and vote > 0 and written in (None, found.pieces[place].text)
            for (place, one), vote in zip(found.placed, found.votes, strict=True)
        )

    def pool(self, word: str, label: Label | None) -> Pool:
        """Whose pool a word is drawn from: a relative who bears the patient's name keeps bearing it.

        `label` is that of the mention that holds the word; None for the identity.
        """
        if label is not Label.PERSON:
            return POOLS[label]
        if word not in self.own_surnames and word not in self.own_first_names():
            return _OF_RELATIVES
        return _OF_PATIENTS

    @cached_property
    def named(self) -> Sequence[Named]:
        """Who is named in full, here and then in the identity: the patient's first name with each of his surnames."""
        here = [reading.named for reading in self.readings.values() if reading.named is not None]
        patient = self._context.document.patient
        own = [
            of_identity(self.tables, name, surname)
            for name in patient.first_names[:1]
            for surname in (patient.last_name, patient.birth_name)
            if surname
        ]
        return [*dict.fromkeys(here), *filter(None, own)]

    @cached_property
    def known_first_names(self) -> Sequence[tuple[Pool, Given]]:
        """First names of everybody here and of the patient, with their pools."""
        here = [
            (self.pool(given.word, mention.label), given)
            for mention in self.mentions
            for given in self.readings[mention.start].given.values()
        ]
        own = [all_given(self.tables, name).values() for name in self._context.document.patient.first_names]
        return here + [(_OF_PATIENTS, given) for names in own for given in names]

    def bearers(self, word: str) -> Sequence[Mention]:
        """The mentions that hold a word, in order."""
        readings = self.readings
        return [mention for mention in self.mentions if word in readings[mention.start].cut.words]

    def sex_of(self, word: str, pool: Pool) -> str | None:
        """The sex that the document or the warehouse says of whoever bears a first name."""
        for mention in self.bearers(word):
            if self.pool(word, mention.label) is pool and (sex := self.sex(mention)):
                return sex
        return self._context.document.patient.sex if pool is _OF_PATIENTS and word in self.own_first_names() else None


def _certain(last: str | None, birth: str | None, first: tuple[str, ...]) -> Sequence[tuple[str, float]]:
    """What the identity says of the words of its names."""
    surnames = [(word, _CERTAIN) for name in (last, birth) for word in _parts(name or "")]
    return surnames + [(word, -_CERTAIN) for name in first for word in _parts(name)]


def _words(names: tuple[str | None, ...]) -> frozenset[str]:
    return frozenset(word for name in names for word in _parts(name or ""))


def _first_names(names: tuple[str, ...]) -> frozenset[str]:
    return _words(names).union(map(name_key, names))


def _parts(name: str) -> Sequence[str]:
    return cut(name, True).words
