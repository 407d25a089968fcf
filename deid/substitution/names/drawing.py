"""Drawing of the surrogates of the words of names."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import fold_line, without_accents, words
from deid.privacy.permutation import KeyedPermutation
from deid.privacy.stream import KeyedStream
from deid.reference.accents import crowds_by_accent, is_accented
from deid.reference.names import BOTH, NOBODY, Crowd, NameTables, Side, name_key
from deid.substitution.context import DocumentContext, identity_words
from deid.substitution.drafts import redraw_digits
from deid.substitution.names.forms import ahead_of, with_elisions
from deid.substitution.names.parsing import BETWEEN, INITIAL, ORIGIN, WORD, NamePiece, bare
from deid.substitution.names.reading import Named, NamePart, Pool, Spelling, form, places
from deid.substitution.names.roster import Roster

_TRIES = 200
_ENOUGH_ALIKE = 12  # fewest candidates, written with accents or without, that are drawn from by themselves


class Drawing:
    """Surrogates of the words of one document's names. A surrogate never has the initial of its original.

    The patient's names of the warehouse are drawn first, from nothing but themselves. Every other word of the tables is
    drawn by a keyed injective map of its crowd, the patient's surrogates left out: no two words share a surrogate, in
    whatever documents they meet. Words that the tables lack are drawn one by one, and never share a surrogate with
    another word of this document.
    """

    def __init__(self, context: DocumentContext, tables: NameTables, roster: Roster) -> None:
        self._context = context
        self._tables = tables
        self._roster = roster
        self._shared = context.policy.professionals == "corpus"
        self._natural = context.policy.hiding == "natural"
        self._drawn: dict[tuple[Pool, bool, str, str | None], str] = {}
        self._in_crowds: dict[tuple[bool, bool, str], str | None] = {}
        self._rare: dict[str, tuple[bool, str, str | None]] = {}  # surrogates of words that the tables lack
        self._own = self._of_patient()
        mine = {key for name in self._own.values() for key in words(name)} | identity_words(context.document.patient)
        # In an order that other documents keep: what is left out first takes the first spare surrogates.
        self._left_out = (*sorted(mine), *sorted(context.forbidden - mine))
        self._forbidden = frozenset(self._left_out)

    def _of_patient(self) -> Mapping[tuple[bool, str], str]:
        """Draw the surrogates of the patient's names in the warehouse: (a surname?, word) → name."""
        drawn: dict[tuple[bool, str], str] = {}
        taken = set(identity_words(self._context.document.patient))
        sex = self._roster.sex_of("", Pool.PATIENT)
        own = [(True, word) for word in self._roster.own_surnames]
        for surname, word in (*own, *((False, word) for word in self._roster.own_first_names)):
            stream = self._context.stream("own name", _kind(surname), word)
            drawn[surname, word] = name = _chosen(stream, self._candidates(word, surname, sex), word, taken)
            taken.update(words(name))
        return drawn

    def surrogate(self, word: str, surname: bool, pool: Pool, sex: str | None = None) -> str:
        """Return the surrogate of a surname or first name, by its key; `sex` is `Given.sex`."""
        own = self._own.get((surname, word)) or self._own.get((not surname, word)) if pool is Pool.PATIENT else None
        if own is not None:
            return own
        pool = Pool.PROFESSIONAL if self._shared and pool is Pool.PROFESSIONAL else Pool.RELATIVE
        asked = (pool, surname, word, sex)
        name = self._drawn.get(asked)
        if name is None:
            name = self._drawn[asked] = self._draw(word, surname, pool, sex)
        return name

    def _draw(self, word: str, surname: bool, pool: Pool, sex: str | None) -> str:
        if not surname:
            sex = self._overruling(word, pool, sex)
        if sex is None and (name := self._mapped(word, surname, pool)) is not None:
            return name
        stream = self.stream(pool, "rare name", _kind(surname), word, sex or "")
        mine = (surname, word, sex)
        taken = self._forbidden | self._mapped_here | {key for key, whose in self._rare.items() if whose != mine}
        name = _chosen(stream, self._candidates(word, surname, sex), word, taken)
        self._rare.update(dict.fromkeys(words(name), mine))
        return name

    def renewed(self, word: str, surname: bool, pool: Pool, sex: str | None, turn: int) -> str:
        """Return the surrogate of a word after `turn` changes in this document."""
        if not surname:
            sex = self._roster.sex_of("", pool) if pool is Pool.PATIENT else self._overruling(word, pool, sex)
        stream = self.stream(
            pool, "renewed name", self._context.document.id, _kind(surname), word, sex or "", str(turn)
        )
        return _chosen(stream, self._candidates(word, surname, sex), word, self._forbidden)

    def _candidates(self, word: str, surname: bool, sex: str | None) -> Sequence[str]:
        """Return the names to draw from for a word without a place in its crowd's map.

        Natural ones are with accents or without, as the word usually is, where there are `_ENOUGH_ALIKE` of them.
        """
        crowd = self._crowd(word, surname, sex)
        if not self._natural or crowd.originals:
            return crowd.members
        members = crowd.members
        if not surname and sex == BOTH and word not in self._tables.first:  # few and odd names are of both sexes
            members = [name for one in (BOTH, "F", "M") for name in self._tables.first_names_like(word, one).members]
        alike = [name for name in members if is_accented(name_key(name), surname) is is_accented(word, surname)]
        return alike if len(alike) >= _ENOUGH_ALIKE else members

    def _crowd(self, word: str, surname: bool, sex: str | None = None) -> Crowd:
        """Return the crowd of a word; if hiding is natural, its part with or without accents, like the word."""
        crowd = self._tables.surnames_like(word) if surname else self._tables.first_names_like(word, sex)
        return crowds_by_accent(self._tables).crowd(crowd, word, surname) if self._natural else crowd

    def _overruling(self, word: str, pool: Pool, sex: str | None) -> str | None:
        """Return the sex of a first name's bearer where the tables have another or none, else None.

        A first name of both sexes becomes another of both, so that one form without a civility agrees with the others.
        """
        known = self._tables.first.get(word)
        if sex is not None and known is not None and sex != known.sex:
            return sex  # a part of a compound first name
        told = self._every(pool, self._roster.sex_of, word)
        if known is None:
            return told or self._every(pool, self._roster.sex_by_kin, word) or self._tables.sex_of(word) or BOTH
        return told if known.sex and told and told != known.sex else None

    def _every(self, pool: Pool, asked: Callable[[str, Pool], str | None], word: str) -> str | None:
        """Return the first answer for relatives, then professionals, where they share a map; else for `pool`."""
        pools = (pool,) if self._shared else (Pool.RELATIVE, Pool.PROFESSIONAL)
        return next(filter(None, (asked(word, one) for one in pools)), None)

    @cached_property
    def _mapped_here(self) -> frozenset[str]:
        """Return the words of all mapped surrogates of this document, but for the patient's."""
        found: set[str] = set()
        for mention in self._roster.mentions:
            for word in filter(None, self._roster.readings[mention.start].words):
                pool = self._roster.pool(word.key, mention)
                if pool is not Pool.PATIENT and (name := self._mapped(word.key, word.surname, pool)) is not None:
                    found.update(words(name))
        return frozenset(found)

    def _mapped(self, word: str, surname: bool, pool: Pool) -> str | None:
        """Return the surrogate of a word by the keyed map of its crowd; None for a word without a place in one."""
        asked = self._shared and pool is Pool.PROFESSIONAL, surname, word
        if asked not in self._in_crowds:
            self._in_crowds[asked] = self._in_crowd(word, surname, pool)
        return self._in_crowds[asked]

    def _in_crowd(self, word: str, surname: bool, pool: Pool) -> str | None:
        crowd = self._crowd(word, surname)
        if (place := crowd.place(word)) is None:
            return None
        half = self.stream(pool, "halving", str(crowd.number)).choice(crowd.halvings)
        side = crowd.side(half, word)
        permutation = self._permutation(pool, len(side), str(crowd.number), str(side.inside))
        drawn = permutation(side.rank(place))
        spares = side.asked
        while (name := side.member(drawn)) is not None and not self._forbidden.isdisjoint(words(name)):
            spare = spares + self._turn(side, drawn)
            if spare >= len(side):
                return NOBODY  # every name that fits would bring something back
            drawn = permutation(spare)
        return name

    def _turn(self, side: Side, drawn: int) -> int:
        """Return the rank of the member `drawn` among its side's left-out names; `len(side)` if it is none of them."""
        turns = (place for word in self._left_out if (place := side.place_of(word)) is not None)
        return next((turn for turn, place in enumerate(turns) if place == drawn), len(side))

    def _permutation(self, pool: Pool, bound: int, *parts: str) -> KeyedPermutation:
        if self._shared and pool is Pool.PROFESSIONAL:
            return self._context.shared_permutation(bound, "name", *parts)
        return self._context.permutation(bound, "name", *parts)

    def stream(self, pool: Pool, *parts: str) -> KeyedStream:
        """Return the stream about `parts` in the scope; over all patients for professionals shared by the corpus."""
        if self._shared and pool is Pool.PROFESSIONAL:
            return self._context.shared_stream(*parts)
        return self._context.stream(*parts)

    def chosen(self, stream: KeyedStream, candidates: Sequence[str], word: str) -> str:
        """Draw candidates until one has another initial than the word and brings nothing back; else NOBODY."""
        return _chosen(stream, candidates, word, self._forbidden)


def _kind(surname: bool) -> str:
    return "surname" if surname else "first name"


def _chosen(stream: KeyedStream, candidates: Sequence[str], word: str, taken: Container[str]) -> str:
    for _ in range(_TRIES if candidates else 0):
        name = stream.choice(candidates)
        if fold_line(name[0]) != word[0] and not any(key in taken for key in words(name)):
            return name
    return NOBODY


# What stands for a whole name: initials, logins, and the local parts of e-mail addresses.

_LETTERS = "ABCDEFGHJLMNPRSTV"
_LOGIN_LEAST = 5
_CIVIL = re.compile(r"[Mm]\.?\s+\S")


class Shorthand:
    """Initials, logins and e-mail forms of one document's names: the surrogate's own, where the bearer is known."""

    def __init__(self, context: DocumentContext, tables: NameTables, roster: Roster, drawing: Drawing) -> None:
        self._context = context
        self._tables = tables
        self._roster = roster
        self._surrogate = drawing.surrogate

    # Logins

    def known(self, token: str) -> str | None:
        """Return the surrogate of a login or e-mail form ("jpdurand") of the first full name here that fits."""
        for named in self._roster.named:
            place = places(named.spelling).get(token)
            if place is not None:
                return form(self._drawn(named), place)
        return None

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

    def handle(self, token: str, attempt: int = 0) -> str | None:
        """Return the surrogate of a run of letters of a login or address; None if it cannot be split into names.

        It is split by the full names known here; else by the tables, into an initial and a surname, either first.
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
            drawn = bare(self._surrogate(surname, True, Pool.PROFESSIONAL))
            initial = self._letter(surname, letter, attempt).lower()
            return initial + drawn if surname == word[1:] else drawn + initial
        return None

    def initials_beside(self, letters: str, names: Container[str]) -> str | None:
        """Return the surrogate of initials in an address ("j", "jp") whose surname is among `names`, else None."""
        for named in self._roster.named:
            given, surnames, glued = named.spelling
            if glued in names or any(name in names for name in surnames):
                firsts = "".join(word[:1] for word in given)
                if letters in (firsts, firsts[:1]):
                    return "".join(word[:1] for word in self._drawn(named).given)[: len(letters)]
        return None

    def login(self, mention: Mention, written: str, attempt: int) -> str | None:
        """Return the surrogate of a login ("hklein", "martinj2"); None if the word is none."""
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

    def title(self, mention: Mention, written: str) -> str:
        """Return a title as it is, except an "M." that abbreviates the first name of a professional or a woman."""
        if fold_line(written) != "m":
            return written
        here = frozenset(self._roster.words(mention))
        for named in self._roster.named:
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
        return "".join([_cased(one, self._letter_of(mention, one, attempt)) for one in _apart(written)])

    def _is_civility(self, mention: Mention, written: str) -> bool:
        """Return whether "M." ahead of an initial is a civility: "M. J. Martin", beside a Jean Martin and no Marc."""
        initials = [text for sort, text in self._roster.pieces(mention) if sort is not BETWEEN][:2]
        if written != "M" or len(initials) < 2 or initials[0] != written or len(initials[1]) > 1:
            return False
        here = frozenset(self._roster.words(mention))
        firsts = {named.firsts[0][0] for named in self._roster.named if not here.isdisjoint(named.families)}
        return fold_line(initials[1]) in firsts and "m" not in firsts

    def _letter_of(self, mention: Mention, letters: str, attempt: int) -> str:
        """Return the initial of a name's surrogate for letters that abbreviate the name beside whole words.

        Of several people whom they may abbreviate, one of the sex that the words around tell comes first.
        """
        small, beside = fold_line(letters), self._roster.words(mention)
        found = [(named, part) for named in self._roster.named for part in named.abbreviated(small, frozenset(beside))]
        if len(found) > 1 and (sex := self._roster.sex(mention)) is not None:
            found.sort(key=lambda one: one[1].sex not in (sex, None))
        return self._first_letter(*found[0]) if found else self._letter(" ".join(beside), small, attempt)

    def _first_letter(self, named: Named, part: NamePart) -> str:
        return self._surrogate(part.word, part.surname, self._roster.pool_of(named, part.word), part.sex)[0]

    def _letter(self, beside: str, letter: str, attempt: int) -> str:
        stream = self._context.stream("initial", beside, letter, str(attempt))
        while (drawn := stream.choice(_LETTERS)).lower() == letter[0]:
            pass
        return drawn

    def initials(self, mention: Mention, found: Sequence[NamePiece], attempt: int) -> str:
        """Return the surrogate of initials alone: of someone named here if they fit, else drawn by the key.

        One letter behind a civility or title is a surname's ("Mme D."), and "M." ahead of one may be the civility.
        """
        joined = "".join(fold_line(letter)[0] for sort, text in found if sort is INITIAL for letter in _apart(text))
        surrogates = self._initials_of_named(mention, joined)
        if surrogates is None and _CIVIL.match(self._context.text(mention)) and mention.label is not Label.DOCTOR:
            civility, *rest = found
            return civility.text + self._initials_behind(rest, joined[1:], True, attempt)
        return self._initials_behind(found, joined, self._roster.titled(mention), attempt, surrogates)

    def _initials_behind(
        self,
        found: Sequence[NamePiece],
        letters: str,
        titled: bool,
        attempt: int,
        surrogates: Sequence[str] | None = None,
    ) -> str:
        if surrogates is None and len(letters) == 1:
            surrogates = self._lone(letters, titled)
        if surrogates is None:
            surrogates = [self._letter(letters, f"{letter}{place}", attempt) for place, letter in enumerate(letters)]
        drawn = iter(surrogates)
        written: list[str] = []
        for sort, text in found:
            written += [_cased(letter, next(drawn)) for letter in _apart(text)] if sort is INITIAL else [text]
        return "".join(written)

    def _lone(self, letter: str, titled: bool) -> Sequence[str] | None:
        """Return the initial for one letter: a surname's behind a title, else a first name's; the patient's first."""
        named = sorted(self._roster.named, key=lambda one: one.label not in (None, Label.PATIENT))
        for surname in (True, False) if titled else (False, True):
            for one in named:
                parts = [NamePart(word, True, None) for word in one.surnames] if surname else one.first_parts
                if parts and parts[0].word.startswith(letter):
                    return [self._first_letter(one, parts[0])]
        return None

    def _initials_of_named(self, mention: Mention, letters: str) -> Sequence[str] | None:
        """Return the initials of the surrogate of whoever has these initials, under the same label first."""
        for named in sorted(self._roster.named, key=lambda one: one.label not in (mention.label, None)):
            if len(letters) > 1 and (parts := named.parts(letters)) is not None:
                return [part if isinstance(part, str) else self._first_letter(named, part) for part in parts]
        for other in self._roster.mentions:
            found = [word for word in self._roster.readings[other.start].words if word is not None]
            if len(letters) > 1 and "".join(word.key[0] for word in found) == letters:
                pool_of = self._roster.pool
                return [self._surrogate(one.key, one.surname, pool_of(one.key, other), one.sex)[0] for one in found]
        return None


def _apart(initials: str) -> Sequence[str]:
    """Return the initials run together in a piece: two of "JP.", one of "Th."."""
    return [initials] if initials.istitle() else initials


def _cased(model: str, letter: str) -> str:
    plain = without_accents(letter)
    return plain.lower() if model.islower() else plain.upper()
