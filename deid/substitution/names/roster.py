"""Roster of a document: its words that are surnames or first names, and the people named in full."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from rapidfuzz.distance import OSA

from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold_line
from deid.reference.names import NameTables
from deid.substitution.context import DocumentContext
from deid.substitution.names import cues, nicknames
from deid.substitution.names.forms import Dotted, ends, find_forms
from deid.substitution.names.parsing import (
    INITIAL,
    PARTICLES,
    WORD,
    Cut,
    NamePiece,
    as_initials,
    as_nickname,
    cut,
    cut_known,
    key_of,
    lettered,
)
from deid.substitution.names.reading import (
    Given,
    Heard,
    Named,
    NameReading,
    Pool,
    all_given,
    family_of,
    hear,
    named_by,
    of_identity,
)

_TITLES = (
    *"dr drs docteur docteure pr prof professeur professeure m mm mr monsieur mme mmes madame mlle melle".split(),
    *"mademoiselle me maitre interne ide as nom ne nee famille".split(),
    "nom de naissance",
    "nom d'usage",
)
# Read backwards, from the name on: a search from the left would try each place. No title ends with what may follow it,
# so what was read of that is never given back.
_TITLE = re.compile(r" *+:?+ *+\.?+(?:" + "|".join(title[::-1] for title in _TITLES) + r")\b")
_CERTAIN = 100.0
_KIN_SAYS = -4.0  # that it is a first name: of a lone name behind "son fils", "sa sœur", of the end of a compound one
_ORDER_SAYS = 0.5  # at most, of the last of several words, that it is a surname; a title or capitals say more
_LONGEST_MARK = 5  # letters of initials that stand for a name: "atvl"
_LONGEST_CLIPPING = 4  # letters of a name cut short without a dot: "DUB"
_BEARERS = 500  # births from which a lone word is rather a surname than the mark of a writer
_VOWELS = frozenset("aeiouy")
_SHORT = 3  # letters of a name that may read as initials: "NG"
_ADDRESS_WORD = re.compile(r"[a-z]{2,}")
_BEFORE_TITLE, _BEFORE_SEX, _BEHIND = 20, 24, 30  # characters before and behind a name that say whose it is
_CALLS = re.compile(r"[«\"“] ?$|\b(?:dite?|alias|surnomm\w+|appel\w+|nommee?) ?$")
# A dot behind a word, behind which a sentence goes on or not: ". va", ".," are `within`
_DOT = re.compile(r"\.(?P<within>(?=[,;:)/\-]| ?[a-zà-ÿ0-9(]))?")


class Roster:
    """Names of one document. Words are known by their key (`parsing.key_of`)."""

    def __init__(self, context: DocumentContext, tables: NameTables) -> None:
        self._context = context
        self.tables = tables
        self.mentions = context.of(NAMES)
        patient = context.document.patient
        self._told: dict[tuple[str, Pool], frozenset[str]] = {}  # sexes by civilities
        self._namesakes: dict[str, dict[int, str | None]] = {}  # first name → sex at the starts of mentions
        # Keys of the patient's names, as the warehouse knows them.
        self.own_surnames = tuple(dict.fromkeys(_words((patient.last_name, patient.birth_name))))
        self.own_first_names = tuple(dict.fromkeys(_words(patient.first_names)))
        self._own = frozenset(self.own_surnames + self.own_first_names)
        heard = self._hear()
        surnames = [name for name in (patient.last_name, patient.birth_name) if name]
        # The forms of each name that the document writes in more than one way.
        self.forms = find_forms(tables, heard, self._own, surnames, self._dotted(heard))
        heard = [one.renamed(self.forms.meant) for one in heard]
        self._votes = votes = self._counted(heard)
        # What each mention reads as, by all the evidence, and by where it starts, which no two share.
        self.readings: Mapping[int, NameReading] = {
            mention.start: one.reading(votes) for mention, one in zip(self.mentions, heard, strict=True)
        }

    def _hear(self) -> Sequence[Heard]:
        """Read each mention by itself, in order."""
        tables, text, plain, announces = self.tables, self._context.document.text, self._context.plain, _TITLE.match
        borne = frozenset(word for word in self._own if word in PARTICLES or len(word) <= _SHORT)
        letters = frozenset(_letters(name) for name in self._context.document.patient.first_names)
        found = []
        for mention in self.mentions:
            start = mention.start
            before = plain[start - _BEFORE_TITLE if start > _BEFORE_TITLE else 0 : start]
            titled = announces(before[::-1]) is not None or key_of(text[start : mention.end]) in self._own
            one = hear(tables, text[start : mention.end], mention.label, titled, self._own, borne, letters)
            mine = text[start].islower() and one.cut.words[1:] == self.own_first_names[:1]
            little = (
                (mine or _CALLS.search(before) is not None) and not titled and self._own.isdisjoint(one.cut.words[:1])
            )
            found.append(replace(one, cut=as_nickname(one.cut, little)))
        return self._with_marks(found)

    def _with_marks(self, heard: Sequence[Heard]) -> Sequence[Heard]:
        """Return the names, marks of writers read by who is here: "mhv" as initials, "DUB" as Dubuc cut short."""
        named = [one.cut.pieces for one in heard if one.cut.words]
        spelt = {"".join(letter for _, letter in order) for pieces in named for order in lettered(pieces)}
        words = frozenset(word for one in heard for word in one.cut.words)
        return [
            replace(one, cut=self._mark(mention, one.cut, spelt, words))
            for mention, one in zip(self.mentions, heard, strict=True)
        ]

    def _mark(self, mention: Mention, found: Cut, spelt: Collection[str], words: Collection[str]) -> Cut:
        written = "".join(piece.text for piece in found.pieces)
        word = fold_line(written.removesuffix("."))
        if not word.isalpha() or word in self._own:
            groups = [piece.text for piece in found.pieces if piece.text.isalpha()]  # "PA D." of Pierre-Alain Delmas
            runs = all(one.isupper() and len(one) < _SHORT for one in groups) and len(groups) > 1
            return as_initials(found) if runs and fold_line("".join(groups)) in spelt else found
        consonants = written.islower() and found.words and _VOWELS.isdisjoint(word)  # "mlc"
        if (word in spelt or consonants) and written.isalpha():
            lone = len(found.words) == 1 and len(word) <= _LONGEST_MARK
            return as_initials(found) if lone and self._is_rare(word) else found
        if not found.words and word not in spelt and any(one.startswith(word) for one in words if len(word) >= _SHORT):
            return cut_known(written)
        if not found.words and len(word) > 1 and self._is_first_name(word) and self._is_in_case(mention):
            return cut(written, False, (word,))._replace(votes=(_KIN_SAYS,))
        return found

    def _is_first_name(self, word: str) -> bool:
        known = self.tables.first_name(word)
        return word in nicknames.NAMES_OF or (known is not None and known.births >= _BEARERS)

    def _is_in_case(self, mention: Mention) -> bool:
        """Return whether a name has the case of all its line, where capitals or none tell no initials, and no slash."""
        line, written = self._context.line_around(mention), self._context.text(mention)
        alike = not any(char.isupper() is not written.isupper() for char in line if char.isalpha())
        return alike and not self._context.before(mention, 2).strip().endswith("/")

    def _dotted(self, heard: Sequence[Heard]) -> Sequence[Dotted]:
        """Return the words of names with a dot behind them, and the marks of writers, which have none: "DUB"."""
        text = self._context.document.text
        found = [
            Dotted(one.cut.words[0], True)
            for mention, one in zip(self.mentions, heard, strict=True)
            if len(one.cut.pieces) == 1 and len(one.cut.words) == 1 and self._is_clipping(mention)
        ]
        for mention, one in zip(self.mentions, heard, strict=True):
            ends = mention.start
            for sort, written in one.cut.pieces:
                ends += len(written)
                if sort is WORD and (behind := _DOT.match(text, ends)) is not None:
                    found.append(Dotted(key_of(written), behind["within"] is not None))
        return found

    def _is_clipping(self, mention: Mention) -> bool:
        """Return whether a lone word that few bear, or that ends the document, has the length and case of a mark."""
        text, written = self._context.document.text, self._context.text(mention)
        last = written.islower() and not any(map(str.isalnum, text[mention.end :]))
        short = len(written) <= _LONGEST_CLIPPING and written in (written.upper(), written.lower())
        return short and (last or self._is_rare(key_of(written)))

    def _is_rare(self, word: str) -> bool:
        """Return whether a word is no first name or diminutive, and a surname of few."""
        tables = self.tables
        return not (tables.first_name(word) or word in nicknames.NAMES_OF) and tables.surname_births(word) < _BEARERS

    def titled(self, mention: Mention) -> bool:
        """Return whether a title or a form field announces a surname, before the mention or within."""
        return self.readings[mention.start].cut.titled

    def words(self, mention: Mention) -> Sequence[str]:
        """Return the keys of the whole words of a mention."""
        return self.readings[mention.start].cut.words

    def pieces(self, mention: Mention) -> Sequence[NamePiece]:
        """Return the pieces of a mention."""
        return self.readings[mention.start].cut.pieces

    def _before(self, mention: Mention) -> str:
        before = self._context.plain_before(mention, _BEFORE_SEX)
        title = self.readings[mention.start].cut.title
        return before + fold_line(title) if title else before

    def sex(self, mention: Mention) -> str | None:
        """Return the sex of the person named: the patient's by the warehouse, anybody else's by the words around."""
        patient = self._context.document.patient
        if patient.sex and (mention.label is Label.PATIENT or self.is_patient(mention)):
            return patient.sex
        return cues.sex_told(self._before(mention), self._behind(mention))

    def _behind(self, mention: Mention) -> str:
        return self._context.after(mention, _BEHIND).casefold()

    def is_patient(self, mention: Mention) -> bool:
        """Return whether a mention names the patient, whatever its label, by the surname and nothing that contradicts.

        Another first name or initial does, another sex, a title, role or kinship beside it. A surname alone does not
        tell the patient from a professional of that surname who has a title elsewhere, or of whom the words before say
        that he acts.
        """
        found = self.readings[mention.start].cut
        words = frozenset(found.words)
        if not words or not self._own.issuperset(words) or words.isdisjoint(self.own_surnames):
            return False
        before = self._before(mention)
        if cues.names_professional(before, self._behind(mention)) or cues.names_relative(before):
            return False
        civility = cues.civility(before)
        if not words.isdisjoint(self.own_first_names):
            return True
        if civility is not None:
            return self._context.document.patient.sex in (civility, None)
        initials = [fold_line(text) for sort, text in found.pieces if sort is INITIAL]
        if initials:
            return _abbreviates(initials, self.own_first_names)
        return not cues.names_actor(before) and words.isdisjoint(self._professionals)

    @cached_property
    def _professionals(self) -> frozenset[str]:
        """Return the words of the names that have a title or role beside them."""
        return frozenset(
            word
            for mention in self.mentions
            if cues.names_professional(self._before(mention), self._behind(mention))
            for word in self.words(mention)
        )

    def pool(self, word: str, mention: Mention) -> Pool:
        """Return the pool of a word of a mention; a relative's word is the patient's if the patient bears it too."""
        named = self.readings[mention.start].named
        if named is not None and self._is_namesake(named, word):
            return Pool.PROFESSIONAL if mention.label is Label.DOCTOR else Pool.RELATIVE
        own = mention.label is Label.DOCTOR and (self.is_patient(mention) or self._is_relative(mention))
        return self._pool(word, mention.label, own)

    def _is_relative(self, mention: Mention) -> bool:
        """Return whether an initial and the patient's surname, without a title, are a relative's named in full here.

        So signs who wrote a letter of complaint, whatever the label of the signature.
        """
        found = self.readings[mention.start].cut
        initials = [fold_line(text) for sort, text in found.pieces if sort is INITIAL]
        if not initials or not found.words or not frozenset(self.own_surnames).issuperset(found.words):
            return False
        if cues.names_professional(self._before(mention), self._behind(mention)):
            return False
        bearers = [one for one in self.named_with(found.words) if not frozenset(found.words).isdisjoint(one.families)]
        fitting = [one.label for one in bearers if _abbreviates(initials, one.firsts)]
        return bool(fitting) and Label.DOCTOR not in fitting

    def pool_of(self, named: Named, word: str) -> Pool:
        """Return the pool of a word of somebody named in full."""
        if self._is_namesake(named, word):
            return Pool.PROFESSIONAL if named.label is Label.DOCTOR else Pool.RELATIVE
        whole = self._own.issuperset(named.firsts + named.surnames)
        return self._pool(word, named.label, whole)

    def _is_namesake(self, named: Named, word: str) -> bool:
        """Return whether a first name of somebody of another family is the patient's surname: "Rose Dhaluin"."""
        given = word in named.firsts and word in self.own_surnames and word not in self.own_first_names
        return given and self._own.isdisjoint(named.surnames)

    def _pool(self, word: str, label: Label | None, is_patient: bool) -> Pool:
        if word in self._own and (label is not Label.DOCTOR or is_patient):
            return Pool.PATIENT
        return Pool.PROFESSIONAL if label is Label.DOCTOR else Pool.RELATIVE

    def _counted(self, heard: Sequence[Heard]) -> Mapping[str, float]:
        """Return key → evidence: above 0 for a surname, below for a first name."""
        votes: dict[str, float] = defaultdict(float)
        told: dict[str, float] = {}
        announced = {word for one in heard for word, vote, _ in one.votes if vote > _ORDER_SAYS}
        openings = {one.cut.words[:-1] for one in heard if one.cut.told is None}
        for mention, one in zip(self.mentions, heard, strict=True):
            kin = _KIN_SAYS if self._is_first_name_of_kin(mention, one) else 0.0
            compounds = one.compounds - announced
            opens = len(one.cut.words) > 1 and one.cut.words in openings  # "Ndeye Fatou" beside "Ndeye Fatou Diop"
            for word, vote, rather in one.votes:
                votes[word] += (_KIN_SAYS if word in compounds else min(vote, 0.0) if opens else vote) + kin
                told[word] = rather
        for word, rather in told.items():
            votes[word] += rather
        patient = self._context.document.patient
        for word, vote in _certain(patient.last_name, patient.birth_name, patient.first_names):
            votes[word] += vote
        return votes

    def _is_first_name_of_kin(self, mention: Mention, heard: Heard) -> bool:
        """Return whether a name is one word or words joined by hyphens, behind a relative and no civility."""
        if mention.label is not Label.PERSON or not heard.is_one_run():
            return False
        before = self._context.plain_before(mention, _BEFORE_SEX)
        return cues.names_relative(before) and cues.civility(before) is None

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
        return [*dict.fromkeys(here), *filter(None, own), *self._patient_apart(), *self._in_addresses()]

    def named_with(self, words: Iterable[str]) -> Sequence[Named]:
        """Return the people named in full with one of some words, as keys or in plain letters, in order."""
        places = {place for word in words for place in self._named_by.get(word, ())}
        return [self.named[place] for place in sorted(places)]

    @cached_property
    def _named_by(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self.named):
            for word in {*one.families, *one.firsts, *one.spelling.surnames}:
                found[word].append(place)
        return dict(found)

    def _patient_apart(self) -> Iterator[Named]:
        """Yield the patient whose first name and surname are mentions of their own: "LAVIGNE, prénom : Pascal"."""
        mine = [self.readings[one.start] for one in self.mentions if one.label is Label.PATIENT]
        given = next((one.given for one in mine if one.given and len(one.given) == len(one.cut.words)), None)
        for reading in mine if given else ():
            if not reading.given and (family := family_of(reading.cut.pieces)):
                yield named_by(given or {}, family, Label.PATIENT)

    def _in_addresses(self) -> Iterator[Named]:
        """Yield who is named by initial and surname here, and in full in an e-mail address: "anne.roy@" of A. Roy."""
        for address in self._context.labelled(Label.EMAIL):
            tokens = _ADDRESS_WORD.findall(self._context.text(address).partition("@")[0].lower())
            for first, surname in (tokens, tokens[::-1]) if len(tokens) == 2 else ():
                bearers = [one for one in self.bearers(surname) if self.words(one) == (surname,)]
                if bearers and self.tables.first_name(first) and self.tables.surname_rather(first) < 0:
                    family = family_of(self.readings[bearers[0].start].cut.pieces)
                    yield named_by({0: Given(first, self.tables.sex_of(first))}, family, bearers[0].label)

    @cached_property
    def known_first_names(self) -> Sequence[tuple[Pool, Given]]:
        """Return the first names of everybody here and of the patient, with their pools."""
        here = [
            (self.pool(given.word, mention), given)
            for mention in self.mentions
            for given in self.readings[mention.start].given.values()
        ]
        own = [all_given(self.tables, name).values() for name in self._context.document.patient.first_names]
        return [*dict.fromkeys(here + [(Pool.PATIENT, given) for names in own for given in names])]

    @cached_property
    def compound_sexes(self) -> Mapping[str, str]:
        """Return first name of both sexes → its sex in a compound one here: "Mame" beside "Mame Diarra"."""
        sexes: dict[str, str] = {}
        for reading in self.readings.values():
            for one in reading.given.values() if len(reading.given) > 1 else ():
                if one.sex and not self.tables.sex_of(one.word):
                    sexes[one.word] = one.sex
        return sexes

    def bearers(self, word: str) -> Sequence[Mention]:
        """Return the mentions with a word, in order."""
        return self._bearers.get(word, ())

    @cached_property
    def _bearers(self) -> Mapping[str, Sequence[Mention]]:
        found: dict[str, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            for word in dict.fromkeys(self.words(mention)):
                found[word].append(mention)
        return dict(found)

    def is_nickname(self, word: str) -> bool:
        """Return whether a word that is nobody's name is a nickname: words before one of its bearers say so."""
        return word in self._called and word not in self._own

    @cached_property
    def _called(self) -> Collection[str]:
        ahead = ((self.words(one), one) for one in self.mentions)
        return frozenset(cut[0] for cut, one in ahead if len(cut) == 1 and cues.names_by_nickname(self._before(one)))

    def misspelt(self, word: str) -> str | None:
        """Return the first word of a name here that a word with its first letter is one letter off, or None."""
        near = {name: None for end in ends(word) for name in self._by_end.get(end, ()) if name[0] == word[0]}
        alike = [name for name in near if OSA.distance(name, word, score_cutoff=1) == 1]
        return min(alike, key=lambda name: self.bearers(name)[0].start, default=None)

    @cached_property
    def _by_end(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for word in self._bearers:
            for end in ends(word):
                found[end].append(word)
        return dict(found)

    @cached_property
    def accompanied(self) -> Collection[str]:
        """Return the words that stand beside another of their mention."""
        return frozenset(word for one in self.mentions if len(cut := self.words(one)) > 1 for word in cut)

    def sex_of(self, word: str, pool: Pool) -> str | None:
        """Return the patient's sex by the warehouse; else the only sex of the civilities before a first name."""
        if pool is Pool.PATIENT:
            return self._context.document.patient.sex
        told = self._civilities(word, pool)
        return next(iter(told)) if len(told) == 1 else None

    def _civilities(self, word: str, pool: Pool) -> Collection[str]:
        """Return the sexes that civilities before a first name tell."""
        if (word, pool) not in self._told:
            told = (cues.civility(self._before(one)) for one in self.bearers(word) if self.pool(word, one) is pool)
            self._told[word, pool] = frozenset(filter(None, told))
        return self._told[word, pool]

    def sex_of_namesake(self, word: str, mention: Mention, pool: Pool) -> str | None:
        """Return the sex of whom a mention names where civilities tell a man and a woman of one first name, else None.

        A form without a civility is the person named last before it.
        """
        if len(self._civilities(word, pool)) < 2:
            return None
        if word not in self._namesakes:
            self._namesakes[word] = named = {}
            last = None
            for one in self.bearers(word):
                named[one.start] = last = cues.civility(self._before(one)) or last
        return self._namesakes[word].get(mention.start)

    def sex_by_kin(self, word: str, pool: Pool) -> str | None:
        """Return the first sex that words before a first name's bearers give ("sa fille", "l'infirmier"), or None."""
        told = (self.sex(mention) for mention in self.bearers(word) if self.pool(word, mention) is pool)
        return next(filter(None, told), None)


def _letters(name: str) -> str:
    """Return the initials of a compound first name; empty for a simple one."""
    words = cut_known(name).words
    return "".join([word[0] for word in words]) if len(words) > 1 else ""


def _abbreviates(initials: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether initials begin the names, in their order; some names may have none."""
    following = iter(names)
    return all(any(name.startswith(letters) for name in following) for letters in initials)


def _certain(last: str | None, birth: str | None, first: tuple[str, ...]) -> Sequence[tuple[str, float]]:
    """Return (key, vote) for the words of the identity's names: +`_CERTAIN` if surnames, −`_CERTAIN` if first names."""
    surnames = [(word, _CERTAIN) for name in (last, birth) for word in _parts(name or "")]
    return surnames + [(word, -_CERTAIN) for name in first for word in _parts(name)]


def _words(names: Iterable[str | None]) -> Sequence[str]:
    return [word for name in names for word in _parts(name or "")]


def _parts(name: str) -> Sequence[str]:
    return cut_known(name).words
