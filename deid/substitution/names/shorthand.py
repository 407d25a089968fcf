"""Initials, logins and the local parts of e-mail addresses, which abbreviate a whole name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import fold_line, without_accents
from deid.reference.names import NameTables, name_key
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import redraw_digits
from deid.substitution.names.drawing import Drawing
from deid.substitution.names.forms import ahead_of, with_elisions
from deid.substitution.names.parsing import (
    BETWEEN,
    DIGRAPHS,
    INITIAL,
    ORIGIN,
    WORD,
    NamePiece,
    bare,
    lettered,
    split_initials,
)
from deid.substitution.names.reading import Named, NamePart, NameWord, Pool, Spelling, form, places
from deid.substitution.names.roster import Roster

_LETTERS = "ABCDEFGHJLMNPRSTV"
_VOWELS = frozenset("aeiouy")
_LOGIN_LEAST = 5
_CIVIL = re.compile(r"[Mm]\.?\s+\S")
# Between a first name and the initial of the same bearer: "Marc (Dr M. Roy)"
_BRACKET, _BRACKET_REACH = re.compile(r" ?\((?:(?:Dr|Pr|Mr?|Mme|Mlle)\.? )?\Z"), 8
# A line of a list that begins with somebody's title
_LISTED = re.compile(r"^[ \t]*(?:Mme|Mlle|Dr|Pr)\.? [A-Z]\. ?\w", re.MULTILINE)


Written = Callable[[Mention, NameWord, int], str]  # the surrogate of a word of a mention, nicknames included


class Shorthand:
    """Initials, logins and e-mail forms of one document's names: the surrogate's own, where the bearer is known."""

    def __init__(
        self, context: DocumentContext, tables: NameTables, roster: Roster, drawing: Drawing, written: Written
    ) -> None:
        self._context = context
        self._tables = tables
        self._roster = roster
        self._surrogate = drawing.surrogate
        self._written = written

    # Logins

    def known(self, token: str) -> str | None:
        """Return the surrogate of a login or e-mail form ("jpdurand") of the first full name here that fits."""
        found = self._logins.get(token)
        return None if found is None else form(self._drawn(found[0]), found[1])

    @cached_property
    def _logins(self) -> Mapping[str, tuple[Named, int]]:
        """Return short form → who has it, the first in order, and its index."""
        found: dict[str, tuple[Named, int]] = {}
        for named in self._roster.named:
            for token, place in places(named.spelling).items():
                found.setdefault(token, (named, place))
        return found

    @cached_property
    def _plain_names(self) -> frozenset[str]:
        """Return the surnames and first names here: each is a name, its bearer given by the mention, not a login."""
        return frozenset(word for one in self._roster.named for word in one.surnames + one.firsts)

    def _drawn(self, named: Named) -> Spelling:
        """Return the surrogate of a full name in plain small letters."""
        given = [
            self._surrogate(one.word, False, self._roster.pool_of(named, one.word), one.sex) for one in named.given
        ]
        surnames = [self._surrogate(word, True, self._roster.pool_of(named, word)) for word in named.surnames]
        drawn = iter(surnames)
        family = [next(drawn) if sort is WORD else ahead_of(text) for sort, text in named.family if sort is not ORIGIN]
        return Spelling(tuple(map(bare, given)), tuple(map(bare, surnames)), bare(with_elisions("".join(family))))

    def handle(self, token: str, attempt: int = 0, *, here: bool = False) -> str | None:
        """Return the surrogate of a run of letters of a login or address; None if it cannot be split into names.

        It is split by the full names known here; else into an initial and a surname, either first: of this document,
        or, unless `here`, of the tables.
        """
        word = name_key(token)
        known = None if attempt else self.known(word)
        if known is not None:
            return known
        if self._tables.is_name(word):
            return None
        for letter, surname in ((word[0], word[1:]), (word[-1], word[:-1])):
            borne = [one for one in self._roster.bearers(surname) if self._roster.is_surname(surname, one)]
            if len(surname) < _LOGIN_LEAST - 1 or not (borne or (not here and self._tables.surname_births(surname))):
                continue
            pool = self._roster.pool(surname, borne[0]) if borne else Pool.PROFESSIONAL
            drawn = bare(self._surrogate(surname, True, pool))
            initial = self.initials_beside(letter, [surname]) or self._letter(surname, letter, attempt).lower()
            return initial + drawn if surname == word[1:] else drawn + initial
        return None

    def initials_beside(self, letters: str, names: Collection[str]) -> str | None:
        """Return the surrogate of initials in an address ("j", "jp") whose surname is among `names`, else None."""
        for named in self._roster.named_with(names):
            given, surnames, glued = named.spelling
            if glued in names or any(name in names for name in surnames):
                firsts = "".join(word[:1] for word in given)
                if letters in DIGRAPHS and given[0].startswith(letters):
                    return self._drawn(named).given[0][:1]
                if letters in (firsts, firsts[:1]):
                    return "".join(word[:1] for word in self._drawn(named).given)[: len(letters)]
        bearers = (one for name in names for one in self._roster.bearers(name))
        for other in sorted(bearers, key=lambda one: one.start) if len(letters) == 1 else ():
            here = [(place, word) for place, word in enumerate(self._roster.readings[other.start].words) if word]
            apart = [place for place, word in here if bare(word.key) not in names and word.key.startswith(letters)]
            if apart and any(bare(word.key) in names for _, word in here):
                return self._letter_in(other, apart[0], letters, 0).lower()
        return None

    def login(self, mention: Mention, written: str, attempt: int) -> str | None:
        """Return the surrogate of a login ("hklein", "martinj2"); None if the word is none.

        One in capitals is of somebody here: "FCASALS".
        """
        if mention.label is Label.PERSON:
            return None
        token = written.lower()
        letters = token.rstrip("0123456789")
        if len(letters) < _LOGIN_LEAST:
            return None
        if letters == token and (self._roster.words(mention) != (token,) or token in self._plain_names):
            return None  # a name in small letters, alone or among others
        surrogate = self.handle(letters, attempt, here=not written.islower())
        if surrogate is None:
            return None
        digits = token[len(letters) :]
        login = surrogate + redraw_digits(digits, self._context.stream("login number", token, str(attempt)))
        return login if written.islower() else login.upper()

    # Initials

    def title(self, mention: Mention, written: str) -> str:
        """Return a title as it is, except an "M." that abbreviates the first name of a professional or a woman."""
        if fold_line(written) != "m":
            return written
        here = frozenset(self._roster.words(mention))
        for named in self._roster.named_with(here):
            first = named.given[0]
            if first.word.startswith("m") and not here.isdisjoint(named.families) and here.isdisjoint(named.firsts):
                pool = self._roster.pool_of(named, first.word)
                sex = self._roster.sex_of(first.word, pool) or first.sex
                if sex == "F" or (named.label is Label.DOCTOR and mention.label is Label.DOCTOR):
                    return _cased(written, self._surrogate(first.word, False, pool, first.sex)[0])
        return written

    def initial(self, mention: Mention, written: str, attempt: int) -> str:
        """Return the surrogate of an initial, or of several run together ("jp"); "Th." is one."""
        if self._is_civility(mention, written):
            return written
        return "".join([_cased(one, self._letter_of(mention, one, attempt)) for one in split_initials(written)])

    def _is_civility(self, mention: Mention, written: str) -> bool:
        """Return whether "M." ahead of an initial is a civility: "M. J. Martin", beside a Jean Martin and no Marc.

        Where nobody else is called so, it is if it opens a line as a title does another: "Mme G. Riou".
        """
        initials = [text for sort, text in self._roster.pieces(mention) if sort is not BETWEEN][:2]
        if written != "M" or len(initials) < 2 or initials[0] != written or len(initials[1]) > 1:
            return False
        here = frozenset(self._roster.words(mention))
        firsts = {named.firsts[0][0] for named in self._roster.named_with(here) if not here.isdisjoint(named.families)}
        if firsts:
            return fold_line(initials[1]) in firsts and "m" not in firsts
        text, opens = self._context.document.text, not self._context.lined_before(mention).rpartition("\n")[2].strip()
        return opens and bool(_CIVIL.match(self._context.text(mention)) and _LISTED.search(text))

    def _letter_of(self, mention: Mention, letters: str, attempt: int) -> str:
        """Return the initial of a name's surrogate for letters that abbreviate the name beside whole words.

        Of several people whom they may abbreviate, one of the sex that the words around tell comes first.
        """
        small, beside = fold_line(letters), self._roster.words(mention)
        here, everybody = frozenset(beside), self._roster.named_with(beside)
        found = [(named, part) for named in everybody for part in named.abbreviated(small, here)]
        found = found or [(named, part) for named in everybody for part in named.others(small, here)]
        found = self._own_first_names(mention, small, found) or found
        if len(found) > 1 and (sex := self._roster.sex(mention)) is not None:
            found.sort(key=lambda one: one[1].sex not in (sex, None))
        if not found and any(named.opens_with(small) and not here.isdisjoint(named.firsts) for named in everybody):
            return letters  # "Nasima d." of Nasima de Zotier, whose surrogate keeps the particle
        if not found and mention.label is Label.PERSON and (own := self._own_surname(small)) is not None:
            return own
        if not found and (called := self._called_ahead(mention, small)) is not None:
            return called
        return self._first_letter(*found[0]) if found else self._letter(" ".join(beside), small, attempt)

    def _own_first_names(
        self, mention: Mention, letter: str, found: Sequence[tuple[Named, NamePart]]
    ) -> list[tuple[Named, NamePart]]:
        """Return the patient's first names with an initial beside a surname that only relatives bear in full.

        "Mme F. Pelletier" is "Françoise Huguet, épouse Pelletier", not her daughter Fanny Pelletier.
        """
        words = [word for word in self._roster.readings[mention.start].words if word is not None]
        own = [named for named in self._roster.named if named.label in (None, Label.PATIENT)]
        borne = mention.label is Label.PATIENT and all(word.surname for word in words)
        if not borne or any(named in own for named, _ in found):
            return []
        sexes = (self._roster.sex(mention), None)
        return [
            (named, part)
            for named in own
            for part in named.first_parts
            if part.word.startswith(letter) and (sexes[0] is None or part.sex in sexes)
        ]

    def _called_ahead(self, mention: Mention, letter: str) -> str | None:
        """Return the initial of a first name right ahead of a bracket: "Marc (Dr M. Roy)"; None for another."""
        opened = _BRACKET.search(self._context.before(mention, _BRACKET_REACH))
        ends = mention.start - len(opened.group()) if opened else None
        one = next((other for other in self._roster.mentions if other.end == ends), None)
        words = self._roster.readings[one.start].words if one is not None else ()
        if one is None or len(words) != 1 or (word := words[0]) is None or word.surname:
            return None
        return self._written(one, word, 0)[0] if word.key.startswith(letter) else None

    def _own_surname(self, letter: str) -> str | None:
        """Return the initial of the patient's surrogate surname where a relative has the surname's initial."""
        mine = (word for word in self._roster.own_surnames if word.startswith(letter))
        return next((self._surrogate(word, True, Pool.PATIENT)[0] for word in mine), None)

    def _first_letter(self, named: Named, part: NamePart) -> str:
        return self._surrogate(part.word, part.surname, self._roster.pool_of(named, part.word), part.sex)[0]

    def _letter(self, beside: str, letter: str, attempt: int) -> str:
        stream = self._context.stream("initial", beside, letter, str(attempt))
        while (drawn := stream.choice(_LETTERS)).lower() == letter[0]:
            pass
        return drawn

    def initials(self, mention: Mention, found: Sequence[NamePiece], attempt: int) -> str:
        """Return the surrogate of initials alone: of someone named here if they fit, else drawn by the key.

        One letter behind a civility or title is a surname's ("Mme D."), and "M." ahead of one may be a man's civility.
        """
        joined = "".join(
            fold_line(letter)[0] for sort, text in found if sort is INITIAL for letter in split_initials(text)
        )
        surrogates = self._initials_of_named(mention, joined, attempt)
        may_be_his = mention.label is not Label.DOCTOR and self._roster.sex(mention) != "F"
        if surrogates is None and may_be_his and _CIVIL.match(self._context.text(mention)):
            civility, *rest = found
            return civility.text + self._initials_behind(mention, rest, joined[1:], True, attempt)
        return self._initials_behind(mention, found, joined, self._roster.titled(mention), attempt, surrogates)

    def _initials_behind(
        self,
        mention: Mention,
        found: Sequence[NamePiece],
        letters: str,
        titled: bool,
        attempt: int,
        surrogates: Sequence[str] | None = None,
    ) -> str:
        if surrogates is None and len(letters) == 1:
            surrogates = self._lone(mention, letters, titled)
        if surrogates is None:
            surrogates = [self._letter(letters, f"{letter}{place}", attempt) for place, letter in enumerate(letters)]
        drawn = iter(surrogates)
        written: list[str] = []
        left_out = False  # "B. S." of Ben Salah, whose surrogate has no particle
        for sort, text in found:
            if sort is INITIAL:
                written.append("".join([_cased(letter, next(drawn)) for letter in split_initials(text)]))
                left_out = not written[-1]
            elif not left_out:
                written.append(text)
        return "".join(written)

    def _lone(self, mention: Mention, letter: str, titled: bool) -> Sequence[str] | None:
        """Return the initial for one letter: a surname's behind a title, else a first name's.

        The patient's comes first, but for initials of a professional; then those of people named in full, and then of
        whoever has that label.
        """
        first = (Label.DOCTOR,) if mention.label is Label.DOCTOR else (None, Label.PATIENT)
        named = sorted(self._roster.named, key=lambda one: one.label not in first)
        for surname in (True, False) if titled else (False, True):
            found = [
                (one.label, self._first_letter(one, parts[0]))
                for one in named
                if (parts := [NamePart(word, True, None) for word in one.surnames] if surname else one.first_parts)
                and parts[0].word.startswith(letter)
            ]
            found += [
                (other.label, self._letter_in(other, place, letter, 0))
                for other in self._roster.mentions
                for place, word in enumerate(self._roster.readings[other.start].words)
                if word is not None and word.surname is surname and word.key.startswith(letter)
            ]
            if found:
                return [min(found, key=lambda one: one[0] not in first)[1]]
        return None

    def _initials_of_named(self, mention: Mention, letters: str, attempt: int) -> Sequence[str] | None:
        """Return the initials of the surrogate of whoever has these initials, under the same label first.

        Those that are named in full come first, then whoever has an initial himself: "sr" of "S. Ruch"; last, of the
        same label, one word that the letters are cut from: "QRE" of Quéré.
        """
        if len(letters) < 2:
            return None
        mine = (mention.label,) if mention.label is Label.DOCTOR else (mention.label, None)
        others = [one for one in self._roster.mentions if one is not mention]
        for alike in (True, False):
            for named in self._roster.named:
                if (named.label in mine) is alike and (parts := named.parts(letters)) is not None:
                    return [part if isinstance(part, str) else self._first_letter(named, part) for part in parts]
            for other in others:
                for order in lettered(self._roster.pieces(other)) if (other.label is mention.label) is alike else ():
                    if "".join(letter for _, letter in order) == letters:
                        return [self._letter_in(other, place, letter, attempt) for place, letter in order]
        return None if attempt else self._of_one_name(mention, letters)

    def _of_one_name(self, mention: Mention, letters: str) -> Sequence[str] | None:
        """Return initials that follow whoever of the same label is known by one name alone, else None.

        They are letters of the name ("QRE" of Quéré), or begin or end with its first: "J.P." of Dr Pawlak.
        """
        alone = [
            (word, self._written(other, word, 0))
            for other in self._roster.mentions
            if other.label is mention.label and len(self._roster.words(other)) == 1
            for word in self._roster.readings[other.start].words
            if word is not None
        ]
        for word, surrogate in alone:
            rest = iter(word.key[1:])
            if word.key[0] == letters[0] and all(letter in rest for letter in letters[1:]) and word.surname:
                tail = [letter for letter in surrogate[1:] if fold_line(letter) not in _VOWELS]
                return [surrogate[0], *(tail + list(surrogate[1:]))[: len(letters) - 1]]
        first = next(
            (name[0] for word, name in alone if (word.called or not word.surname) and word.key[0] == letters[0]), None
        )
        last = next((name[0] for word, name in alone if word.surname and word.key[0] == letters[-1]), None)
        if first is None and last is None:
            return None
        drawn = [self._letter(letters, f"{letter}{place}", 0) for place, letter in enumerate(letters)]
        return [first or drawn[0], *drawn[1:-1], last or drawn[-1]]

    def _letter_in(self, other: Mention, place: int, letter: str, attempt: int) -> str:
        """Return the letter that a piece of another mention has in its surrogate; none for a particle left out."""
        reading = self._roster.readings[other.start]
        word = reading.words[place]
        if word is not None and word.called:
            return self._written(other, word, 0)[0]
        if word is not None:
            return self._surrogate(word.key, word.surname, self._roster.pool(word.key, other), word.sex)[0]
        if reading.cut.pieces[place].sort is INITIAL:
            return self._letter_of(other, letter, attempt)
        return "" if reading.cut.pieces[place].sort is ORIGIN else letter


def _cased(model: str, letter: str) -> str:
    plain = without_accents(letter)
    return plain.lower() if model.islower() else plain.upper()
