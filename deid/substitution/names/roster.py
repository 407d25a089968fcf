"""Who is named in a document: which words are surnames and which first names, and which go together."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from deid.document import Mention
from deid.labels import NAMES, Label
from deid.substitution.dossier import Dossier
from deid.substitution.folding import flat
from deid.substitution.names.parsing import Piece, Sort, pieces
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


class Roster:
    """Names of one document. Words are known by their key (`tables.key`)."""

    def __init__(self, dossier: Dossier, tables: NameTables) -> None:
        self._dossier = dossier
        self.tables = tables
        self.mentions = dossier.of(NAMES)
        self._pieces = {mention: self._cut(mention) for mention in self.mentions}

    def _cut(self, mention: Mention) -> list[Piece]:
        return pieces(self._dossier.text(mention), after_title=self.titled(mention))

    def titled(self, mention: Mention) -> bool:
        """Whether a title or a form field announces a surname before the mention."""
        return _TITLE.search(flat(self._dossier.before(mention, 20))) is not None

    def words(self, mention: Mention) -> list[str]:
        """Keys of the whole words of a mention."""
        return [key(piece.text) for piece in self._pieces[mention] if piece.sort is Sort.WORD]

    def sex(self, mention: Mention) -> str | None:
        """The sex that the words before a mention, or for the patient the warehouse, say."""
        before = flat(self._dossier.before(mention, 24))
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
        own = self.own_surnames | self.own_first_names
        if mention.label is Label.PATIENT or word in own:
            return Pool.PATIENT
        return Pool.RELATIVE

    @cached_property
    def full_names(self) -> list[tuple[str, str, Mention | None]]:
        """(first name, surname) pairs that stand together somewhere here or in the identity."""
        pairs: list[tuple[str, str, Mention | None]] = []
        for mention in self.mentions:
            words = self.words(mention)
            surnames = [word for word in words if self.is_surname(word, mention)]
            first = [word for word in words if word not in surnames]
            pairs += ((one, other, mention) for one in first[:1] for other in surnames[:1])
        patient = self._dossier.document.patient
        for surname in (patient.last_name, patient.birth_name):
            pairs += ((key(name), key(surname or ""), None) for name in patient.first_names[:1] if surname)
        return pairs

    def pieces(self, mention: Mention) -> list[Piece]:
        """The pieces of a mention."""
        return self._pieces[mention]


def _parts(name: str) -> list[str]:
    return [key(piece.text) for piece in pieces(name, after_title=True) if piece.sort is Sort.WORD]


def _case_kinds(whole: list[Piece]) -> list[float] | None:
    """Evidence from case alone, where some words are in capitals and others are not: "DUPONT Jean"."""
    capitals = [piece.text.isupper() and len(piece.text) > 1 for piece in whole]
    if not any(capitals) or all(capitals):
        return None
    return [_CASE_SAYS if capital else -_CASE_SAYS for capital in capitals]
