"""Draws the surrogates of the words of names."""

from __future__ import annotations

from collections.abc import Sequence

from deid.privacy import KeyedStream
from deid.substitution.dossier import Dossier
from deid.substitution.folding import flat
from deid.substitution.names.roster import Roster
from deid.substitution.names.tables import NameTables, Pool

_TRIES = 200
_NOBODY = "Anonyme"


class Drawing:
    """Surrogates of the words of one document's names.

    A word is drawn by (pool, surname or first name, word) within the scope, so a family keeps one surname
    (Tchouka et al. 2022, figure 5, without the lookup table). A surrogate never starts with its original's letter.
    """

    def __init__(self, dossier: Dossier, tables: NameTables, roster: Roster) -> None:
        self._dossier = dossier
        self._tables = tables
        self._roster = roster
        self._drawn: dict[tuple[Pool, bool, str, str | None, int], str] = {}

    def surrogate(self, word: str, surname: bool, pool: Pool, sex: str | None = None, attempt: int = 0) -> str:
        """The surrogate of a surname or first name (by its key): of its frequency band, with another first letter,
        and no name that the document or the patient's identity holds.

        `sex` overrules what the first name itself tells; without it, the document may say what the name does not.
        """
        known = self._drawn.get((pool, surname, word, sex, attempt))
        if known is not None:
            return known
        if surname:
            candidates = self._tables.surnames_like(word, pool)
        else:
            told = sex or self._roster.sex_of(word, pool)
            candidates = self._tables.first_names_like(word, told, pool, whatever_it_tells=sex is not None)
        stream = self.stream(pool, "name", pool, "surname" if surname else "first name", word, str(attempt))
        name = self.chosen(stream, candidates, word)
        self._drawn[pool, surname, word, sex, attempt] = name
        return name

    def stream(self, pool: Pool, *parts: str) -> KeyedStream:
        """The scope's stream; for professionals that of all patients, if the policy wants them known by one name."""
        if pool is Pool.PROFESSIONAL and self._dossier.policy.professionals == "corpus":
            return self._dossier.shared(*parts)
        return self._dossier.stream(*parts)

    def chosen(self, stream: KeyedStream, candidates: Sequence[str], word: str) -> str:
        """The first candidate that begins with another letter than a word and brings nothing back."""
        initial = flat(word)[0]
        for _ in range(_TRIES):
            name = stream.choice(candidates)
            first = name[0].lower() if name.isascii() else flat(name)[0]
            if first != initial and not self._dossier.brings_back(name):
                return name
        return _NOBODY  # every name that fits would bring something back
