"""Roster of a document: its words that are surnames or first names, and the people named in full."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from rapidfuzz.distance import OSA

from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold_line
from deid.reference.names import NameTables
from deid.substitution.context import DocumentContext
from deid.substitution.names.parsing import PARTICLES, NamePiece, cut_known, key_of
from deid.substitution.names.reading import Given, Heard, Named, NameReading, Pool, all_given, hear, of_identity

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
# Civilities right before a name; in "M. et Mme Paul Martin" neither tells whose first name it is.
_CIVILITY = re.compile(
    r"(?:\b(?P<couple>(?:m|mr|monsieur|dr|docteur)\.? (?:et|ou|&) (?:mme|madame))"
    r"|\b(?P<woman>mmes?|madame|mesdames|mlles?|mademoiselle|docteure|professeure)"
    r"|\b(?P<man>m|mr|monsieur|messieurs))\b[^a-z]*$"
)
_PROFESSIONAL = re.compile(
    r"\b(?:drs?|docteure?s?|prs?|profs?|professeure?s?|interne|externe|ide|idel|infirmiere?s?|maitre|me|chirurgiene?)\b[^a-z]*$"
)
_KIN = re.compile(
    r"\b(?:pere|mere|frere|soeur|fils|fille|oncle|tante|neveu|niece|cousine?|grand-pere|grand-mere|jumeau|jumelle)\b"
    r"[^a-z]*(?:(?:m|mr|monsieur|mme|madame)\b[^a-z]*)?$"
)
_CERTAIN = 100.0
_SHORT = 3  # letters of a name that may read as initials: "NG"
_BEFORE_TITLE, _BEFORE_SEX = 20, 24  # characters before a name that say whose it is
# Fewest letters of a word that one wrong letter leaves known again: as the patient's, as a usual one, as a rare one
_MISSPELT, _MISSPELT_ELSEWHERE, _MISSPELT_UNKNOWN = 5, 7, 9


class Roster:
    """Names of one document. Words are known by their key (`parsing.key_of`)."""

    def __init__(self, context: DocumentContext, tables: NameTables) -> None:
        self._context = context
        self.tables = tables
        self.mentions = context.of(NAMES)
        patient = context.document.patient
        # Keys of the patient's names, as the warehouse knows them.
        self.own_surnames = tuple(dict.fromkeys(_words((patient.last_name, patient.birth_name))))
        self.own_first_names = tuple(dict.fromkeys(_words(patient.first_names)))
        self._own = frozenset(self.own_surnames + self.own_first_names)
        heard = self._hear()
        misspelt = self._misspelt(heard)
        heard = [one.renamed(misspelt) for one in heard]
        self._votes = votes = self._counted(heard)
        # What each mention reads as, by all the evidence, and by where it starts, which no two share.
        self.readings: Mapping[int, NameReading] = {
            mention.start: one.reading(votes) for mention, one in zip(self.mentions, heard, strict=True)
        }

    def _hear(self) -> Sequence[Heard]:
        """Read each mention by itself, in order."""
        tables, text, plain, announces = self.tables, self._context.document.text, self._context.plain, _TITLE.match
        borne = frozenset(word for word in self._own if word in PARTICLES or len(word) <= _SHORT)
        found = []
        for mention in self.mentions:
            start = mention.start
            before = plain[start - _BEFORE_TITLE if start > _BEFORE_TITLE else 0 : start]
            titled = announces(before[::-1]) is not None or key_of(text[start : mention.end]) in self._own
            found.append(hear(tables, text[start : mention.end], mention.label, titled, self._own, borne))
        return found

    def titled(self, mention: Mention) -> bool:
        """Return whether a title or a form field announces a surname, before the mention or within."""
        return self.readings[mention.start].cut.titled

    def words(self, mention: Mention) -> Sequence[str]:
        """Return the keys of the whole words of a mention."""
        return self.readings[mention.start].cut.words

    def pieces(self, mention: Mention) -> Sequence[NamePiece]:
        """Return the pieces of a mention."""
        return self.readings[mention.start].cut.pieces

    def _misspelt(self, heard: Sequence[Heard]) -> Mapping[str, str]:
        """Return misspelt word → name meant, one letter off: one of the patient's, else one found here."""
        every = Counter((word, one.label is Label.PATIENT) for one in heard for word in one.cut.words)
        # The usual spelling first: of two that no table knows, the rarer is the mistake.
        words = sorted((one for one in every if len(one[0]) >= _MISSPELT), key=lambda one: (-every[one], one))
        here = sorted({word for word, _ in words if len(word) >= _MISSPELT_ELSEWHERE and self._is_known(word)})
        own = sorted(word for word in self._own if len(word) >= _MISSPELT)
        found: dict[str, str] = {}
        for word, of_patient in words:
            unknown = not self._is_known(word)
            if word in self._own or not (unknown or of_patient):
                continue
            near = [*own, *(here if unknown and len(word) >= _MISSPELT_ELSEWHERE else ())]
            if (meant := next((one for one in near if _misspells(word, one)), None)) is not None:
                found[word] = meant
            elif unknown and len(word) >= _MISSPELT_UNKNOWN:
                here.append(word)
        return found

    def _is_known(self, word: str) -> bool:
        return word in self.tables.surnames or word in self.tables.first

    def _before(self, mention: Mention) -> str:
        before = self._context.plain_before(mention, _BEFORE_SEX)
        title = self.readings[mention.start].cut.title
        return before + fold_line(title) if title else before

    def sex(self, mention: Mention) -> str | None:
        """Return the sex of the person named: the patient's by the warehouse, anybody else's by the words before."""
        patient = self._context.document.patient
        if patient.sex and (mention.label is Label.PATIENT or self.is_patient(mention)):
            return patient.sex
        before = self._before(mention)
        if _WOMAN.search(before):
            return "F"
        return "M" if _MAN.search(before) else None

    def is_patient(self, mention: Mention) -> bool:
        """Return whether a mention names the patient, whatever its label: in full, or by surname and civility.

        A relative or a professional of the same surname is somebody else where the words before say so.
        """
        words = self.readings[mention.start].cut.words
        if not words or not self._own.issuperset(words) or set(words).isdisjoint(self.own_surnames):
            return False
        before = self._before(mention)
        if _PROFESSIONAL.search(before) or _KIN.search(before):
            return False
        if not set(words).isdisjoint(self.own_first_names):
            return True
        civility = _civility(before)
        return civility is not None and self._context.document.patient.sex in (civility, None)

    def pool(self, word: str, mention: Mention) -> Pool:
        """Return the pool of a word of a mention; a relative's word is the patient's if the patient bears it too."""
        return self._pool(word, mention.label, mention.label is Label.DOCTOR and self.is_patient(mention))

    def pool_of(self, named: Named, word: str) -> Pool:
        """Return the pool of a word of somebody named in full."""
        whole = self._own.issuperset(named.firsts + named.surnames)
        return self._pool(word, named.label, whole)

    def _pool(self, word: str, label: Label | None, is_patient: bool) -> Pool:
        if word in self._own and (label is not Label.DOCTOR or is_patient):
            return Pool.PATIENT
        return Pool.PROFESSIONAL if label is Label.DOCTOR else Pool.RELATIVE

    def _counted(self, heard: Sequence[Heard]) -> Mapping[str, float]:
        """Return key → evidence: above 0 for a surname, below for a first name."""
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
        """Return whether a word of a mention is a surname there: by its case among others, else by all the evidence.

        `written` separates two words of one mention with the same key ("Claude CLAUDE").
        """
        found = self.readings[mention.start].cut
        if found.told is None:
            return self._votes.get(word, 0.0) >= 0
        return any(
            one == word and vote > 0 and written in (None, found.pieces[place].text)
            for (place, one), vote in zip(found.placed, found.votes, strict=True)
        )

    @cached_property
    def named(self) -> Sequence[Named]:
        """Return the people named in full here, then by the identity: the first first name with each surname."""
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
        """Return the first names of everybody here and of the patient, with their pools."""
        here = [
            (self.pool(given.word, mention), given)
            for mention in self.mentions
            for given in self.readings[mention.start].given.values()
        ]
        own = [all_given(self.tables, name).values() for name in self._context.document.patient.first_names]
        return here + [(Pool.PATIENT, given) for names in own for given in names]

    def bearers(self, word: str) -> Sequence[Mention]:
        """Return the mentions with a word, in order."""
        readings = self.readings
        return [mention for mention in self.mentions if word in readings[mention.start].cut.words]

    def sex_of(self, word: str, pool: Pool) -> str | None:
        """Return the patient's sex by the warehouse; else the only sex of the civilities before a first name."""
        if pool is Pool.PATIENT:
            return self._context.document.patient.sex
        told = {_civility(self._before(one)) for one in self.bearers(word) if self.pool(word, one) is pool} - {None}
        return told.pop() if len(told) == 1 else None

    def sex_by_kin(self, word: str, pool: Pool) -> str | None:
        """Return the first sex that words before a first name's bearers give ("sa fille", "l'infirmier"), or None."""
        told = (self.sex(mention) for mention in self.bearers(word) if self.pool(word, mention) is pool)
        return next(filter(None, told), None)


def _misspells(word: str, name: str) -> bool:
    """Return whether a word is one letter off a name; one more at an end makes a login ("hklein"), unless doubled."""
    doubled = word[:1] == word[1:2] or word[-1:] == word[-2:-1]
    return (doubled or name not in (word[1:], word[:-1])) and OSA.distance(word, name, score_cutoff=1) == 1


def _civility(before: str) -> str | None:
    found = _CIVILITY.search(before)
    return {"woman": "F", "man": "M"}.get(str(found.lastgroup)) if found else None


def _certain(last: str | None, birth: str | None, first: tuple[str, ...]) -> Sequence[tuple[str, float]]:
    """Return (key, vote) for the words of the identity's names: +`_CERTAIN` if surnames, −`_CERTAIN` if first names."""
    surnames = [(word, _CERTAIN) for name in (last, birth) for word in _parts(name or "")]
    return surnames + [(word, -_CERTAIN) for name in first for word in _parts(name)]


def _words(names: Iterable[str | None]) -> Sequence[str]:
    return [word for name in names for word in _parts(name or "")]


def _parts(name: str) -> Sequence[str]:
    return cut_known(name).words
