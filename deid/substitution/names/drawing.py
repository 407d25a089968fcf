"""Drawing of the surrogates of the words of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from deid.french.folding import fold_line, words
from deid.privacy.permutation import KeyedPermutation
from deid.privacy.stream import KeyedStream
from deid.reference.accents import crowds_by_accent, is_accented
from deid.reference.names import BOTH, NOBODY, Crowd, NameTables, Side, name_key
from deid.substitution.context import DocumentContext, identity_words
from deid.substitution.names.parsing import PARTICLES, TITLES
from deid.substitution.names.reading import Pool
from deid.substitution.names.roster import Roster

_TRIES = 200
_ENOUGH_ALIKE = 12  # fewest candidates, written with accents or without, that are drawn from by themselves
# Surnames that people bear and no surrogate is: alone they would read as a slip of the typist or a title, no name.
_GRAMMATICAL = frozenset(
    "a ai as au aux avec bien car ce ceci cela celle celles celui ces cet cette ceux chez comme comment contre dans "
    "deja depuis donc dont elle elles en entre es est etait etre eu eux fait il ils ja jamais je leur leurs lors lui "
    "ma mais me meme memes mes moi moins mon ni nos notre nous on ont or oui par pas pendant peu plus pour puis quand "
    "que quel quelle qui quoi sa sans se selon ses si sinon soi soit son sont sous sur ta tant te tel telle tes toi "
    "ton tous tout toute toutes tres trop tu un une va vers vos votre vous".split()
)
SMALL = PARTICLES | TITLES | _GRAMMATICAL


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
        self._left_out = (*sorted(mine), *sorted(SMALL - mine), *sorted(context.forbidden - mine - SMALL))
        self._forbidden = frozenset(self._left_out)

    def _of_patient(self) -> Mapping[tuple[bool, str], str]:
        """Draw the surrogates of the patient's names in the warehouse: (a surname?, word) → name."""
        drawn: dict[tuple[bool, str], str] = {}
        taken = {*identity_words(self._context.document.patient), *SMALL}
        sex = self._roster.sex_of("", Pool.PATIENT)
        own = [(True, word) for word in self._roster.own_surnames]
        for surname, word in (*own, *((False, word) for word in self._roster.own_first_names)):
            stream = self._context.stream("own name", _kind(surname), word)
            drawn[surname, word] = name = _chosen(
                stream, self._candidates(word, surname, sex), word, taken.__contains__
            )
            taken.update(words(name))
        return drawn

    def surrogate(self, word: str, surname: bool, pool: Pool, sex: str | None = None) -> str:
        """Return the surrogate of a surname or first name, by its key; `sex` is `Given.sex`."""
        own = self._own.get((surname, word)) or self._own.get((not surname, word)) if pool is Pool.PATIENT else None
        if own is not None:
            return own
        pool = Pool.PROFESSIONAL if self._shared and pool is Pool.PROFESSIONAL else Pool.RELATIVE
        sex = sex or (None if surname else self._roster.compound_sexes.get(word))
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

        def taken(key: str) -> bool:
            return key in self._forbidden or key in self._mapped_here or self._rare.get(key, mine) != mine

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
        return _chosen(stream, self._candidates(word, surname, sex), word, self._forbidden.__contains__)

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
        return _chosen(stream, candidates, word, self._forbidden.__contains__)


def _kind(surname: bool) -> str:
    return "surname" if surname else "first name"


def _chosen(stream: KeyedStream, candidates: Sequence[str], word: str, taken: Callable[[str], bool]) -> str:
    for _ in range(_TRIES if candidates else 0):
        name = stream.choice(candidates)
        if fold_line(name[0]) != word[0] and not any(map(taken, words(name))):
            return name
    return NOBODY
