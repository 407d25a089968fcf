"""Draws the surrogates of the words of names."""

from __future__ import annotations

from collections.abc import Sequence

from deid.french.folding import fold_line, words
from deid.privacy import KeyedStream
from deid.reference.names import NameTables, Pool
from deid.substitution.context import DocumentContext
from deid.substitution.names.roster import Roster

_TRIES = 200
_NOBODY = "Anonyme"
_OF_PROFESSIONALS = Pool.PROFESSIONAL


class Drawing:
    """Surrogates of the words of one document's names.

    A word is drawn by (pool, surname or first name, word) within the scope, so a family keeps one surname
    (Tchouka et al. 2022, figure 5, without the lookup table). A surrogate never starts with its original's letter.
    """

    def __init__(self, context: DocumentContext, tables: NameTables, roster: Roster) -> None:
        self._context = context
        self._tables = tables
        self._roster = roster
        self._shared = context.policy.professionals == "corpus"
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
        """The first name drawn for a word that brings nothing back."""
        tables = self._tables
        candidates = tables.surnames_like(word, pool) if surname else tables.first_names_like(word, sex, pool)
        kind = "surname" if surname else "first name"
        return self.chosen(self.stream(pool, "name", pool, kind, word, str(attempt)), candidates, word)

    def stream(self, pool: Pool, *parts: str) -> KeyedStream:
        """The scope's stream; for professionals that of all patients, if the policy wants them known by one name."""
        if self._shared and pool is _OF_PROFESSIONALS:
            return self._context.shared_stream(*parts)
        return self._context.stream(*parts)

    def chosen(self, stream: KeyedStream, candidates: Sequence[str], word: str) -> str:
        """The first candidate that begins with another letter than a word and brings nothing back."""
        for _ in range(_TRIES):
            name = stream.choice(candidates)
            if fold_line(name[0]) != fold_line(word[0]) and self._context.forbidden.isdisjoint(words(name)):
                return name
        return _NOBODY  # every name that fits would bring something back
