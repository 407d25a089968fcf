"""Draws the surrogates of the words of names."""

from __future__ import annotations

from collections.abc import Sequence

from deid.french.comparison import flat, words
from deid.privacy import KeyedStream
from deid.reference.names import NameTables, Pool
from deid.substitution.context import Dossier
from deid.substitution.names.roster import Roster

_TRIES = 200
_NOBODY = "Anonyme"
_OF_PROFESSIONALS = Pool.PROFESSIONAL


class Drawing:
    """Surrogates of the words of one document's names.

    A word is drawn by (pool, surname or first name, word) within the scope, so a family keeps one surname
    (Tchouka et al. 2022, figure 5, without the lookup table). A surrogate never starts with its original's letter.
    """

    def __init__(self, dossier: Dossier, tables: NameTables, roster: Roster) -> None:
        self._dossier = dossier
        self._tables = tables
        self._roster = roster
        self._shared = dossier.policy.professionals == "corpus"
        self._drawn: dict[tuple[Pool, bool, str, str | None, int], str] = {}

    def surrogate(self, word: str, surname: bool, pool: Pool, sex: str | None = None, attempt: int = 0) -> str:
        """The surrogate of a surname or first name (by its key): of its frequency band, with another first letter,
        and no name that the document or the patient's identity holds.

        `sex` overrules what the first name itself tells; without it, the document may say what the name does not.
        """
        asked = (pool, surname, word, sex, attempt)
        name = self._drawn.get(asked)
        if name is None:
            if not (surname or sex):
                sex = self._tables.sex_of(word) or self._roster.sex_of(word, pool)
            name = self._drawn[asked] = self._draw(word, surname, pool, sex, attempt)
        return name

    def _draw(self, word: str, surname: bool, pool: Pool, sex: str | None, attempt: int) -> str:
        """The first name drawn for a word that brings nothing back; the scope's documents share the first draw."""

        def first(stream: KeyedStream) -> tuple[str, Sequence[str]]:
            name = _other(stream, self._like(word, surname, pool, sex), word)
            return name, (name.lower(),) if name.isascii() and name.isalnum() else words(name)

        question = ("name", pool, "surname" if surname else "first name", word, str(attempt))
        name, told = self._dossier.remembered(question, first, sex, shared=self._shared and pool is _OF_PROFESSIONALS)
        if self._dossier.forbidden.isdisjoint(told):
            return name
        return self.chosen(self.stream(pool, *question), self._like(word, surname, pool, sex), word)

    def _like(self, word: str, surname: bool, pool: Pool, sex: str | None) -> Sequence[str]:
        return self._tables.surnames_like(word, pool) if surname else self._tables.first_names_like(word, sex, pool)

    def stream(self, pool: Pool, *parts: str) -> KeyedStream:
        """The scope's stream; for professionals that of all patients, if the policy wants them known by one name."""
        if self._shared and pool is _OF_PROFESSIONALS:
            return self._dossier.shared(*parts)
        return self._dossier.stream(*parts)

    def chosen(self, stream: KeyedStream, candidates: Sequence[str], word: str) -> str:
        """The first candidate that begins with another letter than a word and brings nothing back."""
        return _other(stream, candidates, word, self._dossier.forbidden)


def _other(stream: KeyedStream, candidates: Sequence[str], word: str, forbidden: frozenset[str] = frozenset()) -> str:
    """The first candidate drawn that begins with another letter than a word and has no forbidden one."""
    initial = word[0].lower() if word.isascii() else flat(word)[0]
    for _ in range(_TRIES):
        name = stream.choice(candidates)
        first = name[0].lower() if name.isascii() else flat(name)[0]
        if first != initial and (not forbidden or forbidden.isdisjoint(words(name))):
            return name
    return _NOBODY  # every name that fits would bring something back
