"""Draws the surrogates of the words of names."""

from __future__ import annotations

from collections.abc import Container, Sequence

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import fold_line, without_accents, words
from deid.privacy import KeyedStream
from deid.reference.names import NameTables, Pool, name_key
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import redraw_digits
from deid.substitution.names.parsing import INITIAL, WORD, NamePiece, bare
from deid.substitution.names.reading import Named, Spelling, form, places
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
            # INSEE counts children without a known name as "Anonyme", which would read as no name at all.
            if (
                name != _NOBODY
                and fold_line(name[0]) != fold_line(word[0])
                and self._context.forbidden.isdisjoint(words(name))
            ):
                return name
        return _NOBODY  # every name that fits would bring something back


# What stands for a whole name: initials, logins, and the local parts of e-mail addresses.

_LETTERS = "ABCDEFGHJLMNPRSTV"
_LOGIN_LEAST = 5


class Shorthand:
    """Short forms of the names of one document: those of their bearer's surrogate, as far as it is told whose."""

    def __init__(self, context: DocumentContext, tables: NameTables, roster: Roster, drawing: Drawing) -> None:
        self._context = context
        self._tables = tables
        self._roster = roster
        self._surrogate = drawing.surrogate

    # Logins

    def known(self, token: str) -> str | None:
        """What stands for what a login or e-mail address makes of a full name here, the first one that may be meant."""
        for named in self._roster.named:
            place = places(named.spelling).get(token)
            if place is not None:
                return form(self._drawn(named), place)
        return None

    def _plain_names(self) -> frozenset[str]:
        """Words that are names by themselves: whose they are depends on the mention, not on who else is called so."""
        return frozenset(word for one in self._roster.named for word in one.surnames + one.firsts)

    def _drawn(self, named: Named) -> Spelling:
        """The surrogate of a full name."""
        given = [self._surrogate(one.word, False, self._pool_of(named, one.word), one.sex) for one in named.given]
        surnames = [self._surrogate(word, True, self._pool_of(named, word)) for word in named.surnames]
        drawn = iter(surnames)
        family = [next(drawn) if piece.sort is WORD else piece.text for piece in named.family]
        return Spelling(tuple(map(bare, given)), tuple(map(bare, surnames)), "".join(map(bare, family)))

    def handle(self, token: str, attempt: int = 0) -> str | None:
        """The surrogate of a run of letters out of a login or address, where it can be taken apart into names.

        By the full names known here; else by the tables, into an initial and a surname, either first.
        """
        word = name_key(token)
        known = None if attempt else self.known(word)
        if known is not None:
            return known
        if self._tables.surname_births(word) or self._tables.first_name(word):
            return None
        for letter, surname in ((word[0], word[1:]), (word[-1], word[:-1])):
            if len(surname) < _LOGIN_LEAST - 1 or not self._tables.surname_births(surname):
                continue
            drawn = bare(self._surrogate(surname, True, Pool.PROFESSIONAL, attempt=attempt))
            initial = self._letter(Label.DOCTOR, surname, letter, attempt).lower()
            return initial + drawn if surname == word[1:] else drawn + initial
        return None

    def initials_beside(self, letters: str, names: Container[str]) -> str | None:
        """The surrogate of initials in an address ("j", "jp") whose surname is among the names that stand beside."""
        for named in self._roster.named:
            given, surnames, glued = named.spelling
            if glued in names or any(name in names for name in surnames):
                firsts = "".join(word[:1] for word in given)
                if letters in (firsts, firsts[:1]):
                    return "".join(word[:1] for word in self._drawn(named).given)[: len(letters)]
        return None

    def login(self, mention: Mention, written: str, attempt: int) -> str | None:
        """The surrogate of a login ("hklein", "martinj2"); None where the word is none."""
        if not written.islower() or mention.label is Label.PERSON:
            return None
        letters = written.rstrip("0123456789")
        if len(letters) < _LOGIN_LEAST:
            return None
        if letters == written and (self._roster.words(mention) != (written,) or written in self._plain_names()):
            return None  # a name in small letters, alone or among others
        surrogate = self.handle(letters, attempt)
        if surrogate is None:
            return None
        digits = written[len(letters) :]
        return surrogate + redraw_digits(digits, self._context.stream("login number", written, str(attempt)))

    # Initials

    def initial(self, mention: Mention, written: str, attempt: int) -> str:
        """One initial, or several run together ("jp")."""
        beside = self._roster.words(mention)
        return "".join([_cased(letter, self._letter_of(mention, letter, beside, attempt)) for letter in written])

    def _letter_of(self, mention: Mention, letter: str, beside: Sequence[str], attempt: int) -> str:
        """The initial of the surrogate of the name that a letter beside whole words abbreviates."""
        small, here = fold_line(letter), frozenset(beside)
        for named in self._roster.named:
            if not here.isdisjoint(named.families):
                for one in named.given:
                    if one.word.startswith(small):
                        pool = self._pool_of(named, one.word)
                        return self._surrogate(one.word, False, pool, one.sex, attempt)[0]
            if not here.isdisjoint(named.firsts):
                for word in named.surnames:
                    if word.startswith(small):
                        return self._surrogate(word, True, self._pool_of(named, word), attempt=attempt)[0]
        return self._letter(mention.label, " ".join(beside), small, attempt)

    def _pool_of(self, named: Named, word: str) -> Pool:
        return self._roster.pool(word, named.label)

    def _letter(self, label: Label, beside: str, letter: str, attempt: int) -> str:
        stream = self._context.stream("initial", label, beside, letter, str(attempt))
        while (drawn := stream.choice(_LETTERS)).lower() == letter[0]:
            pass
        return drawn

    def initials(self, mention: Mention, found: Sequence[NamePiece], attempt: int) -> str:
        """Initials that stand alone: those of someone named here if they fit, else others by the key."""
        letters = "".join([fold_line(text) for sort, text in found if sort is INITIAL])
        surrogates = self._initials_of_named(mention, letters, attempt)
        if surrogates is None:
            surrogates = [
                self._letter(mention.label, letters, f"{letter}{place}", attempt)
                for place, letter in enumerate(letters)
            ]
        drawn = iter(surrogates)
        written: list[str] = []
        for sort, text in found:
            written += [_cased(letter, next(drawn)) for letter in text] if sort is INITIAL else [text]
        return "".join(written)

    def _initials_of_named(self, mention: Mention, letters: str, attempt: int) -> Sequence[str] | None:
        """Initials of the surrogate of who is named by these letters, first names before or after the surname."""
        for named in self._roster.named:
            if named.label is not None and named.label is not mention.label:
                continue
            parts = named.parts(letters)
            if parts is not None:
                return [
                    self._surrogate(word, surname, self._pool_of(named, word), sex, attempt)[0]
                    for word, surname, sex in parts
                ]
        return None


def _cased(model: str, letter: str) -> str:
    plain = without_accents(letter)
    return plain.lower() if model.islower() else plain.upper()
