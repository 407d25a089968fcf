"""Evidence that a word names a person or a place, and the readings of a word that are no name.

The `recall` of a policy raises a word as far as something points to a person or a place. Elsewhere the likeliest
reading of the taggers stands, and a clinical or ordinary word is left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, product
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from deid.detection.lookup.known_names import BRANDS, LOWER_PARTICLES, PARTICLES, SHORT_NAMES
from deid.detection.lookup.lexicon import gazetteers, lexicon
from deid.detection.taggers.tags import LABELS
from deid.detection.text.names import glued, opens_verb
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    BIRTH,
    CIVILITIES,
    DOCTOR_TITLES,
    EPONYM_CUES,
    EPONYMS,
    GENERA,
    HOME_CUES,
    KINSHIP,
    LINKS,
    NAME_FIELDS,
    NOT_INITIALS,
    PERSON_TITLES,
    PROFESSIONS,
    REPORT_WORDS,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, Label

Array = NDArray[np.float32]
Flags = NDArray[np.bool_]

# Labels of words rather than numbers.
WORDED = NAMES | PLACES | {Label.ORG}
# Shares of the policy's `recall` that evidence gives.
ALL, HALF, QUARTER, NOTHING = 1.0, 0.5, 0.25, 0.0

_OF_NAMES = np.array([label in NAMES for label in LABELS])
_OF_PLACES = np.array([label in PLACES or label is Label.ORG for label in LABELS])
_CERTAIN = 0.7  # mean probability from which the words of a name are known in the rest of the document
_DOUBTED = 0.5  # mean probability below which the taggers doubt a word
_AGREED = 0.15  # least probability that each tagger gives to a reading that they agree on
_SURE, _TOLD = 0.75, 0.6  # least scores of the context's mentions: by a title or field, by a weaker word
_TITLE = 0.9  # by a title or the label of a field, which a line in capitals needs
_KEPT = 0.84  # mean probability from which a clinical or ordinary word may be a name without other evidence
_CUES = (
    (DOCTOR_TITLES | CIVILITIES | PERSON_TITLES | BIRTH | PROFESSIONS | KINSHIP | HOME_CUES)
    | frozenset(LINKS) | frozenset(NAME_FIELDS)
    | frozenset("par avec chez a vers vit ville commune signe surnom prenom relu relue valide validee".split())
)  # fmt: skip
_PEOPLE, _SPREAD = 4, 800  # least certain names of a document that names people, and characters to each at most
_TITLES = DOCTOR_TITLES | CIVILITIES | frozenset("surnomme surnommee surnom prenom".split())
_SKIPPED = frozenset(". : , ( - – — « \" ' ’ = > * • / le la l de du d des et".split())
_REACH = 4  # tokens before a word in which a cue counts
_JOINERS = frozenset(", / - – + & ; et ou . ' \" ^ [ ]".split())
_MOST_JOINERS = 3
_EDGES = frozenset({"", "\n", "|", "/", ".", ";", "–", "—"})
_NOUNS = frozenset({"NOM", "ADJ"})
_NUMERALS = frozenset("a b c d i v x".split())
_BEFORE_SIGNATURE = frozenset({",", "-", "–", "—", "/"})
_OPENING = frozenset({"", "\n", ".", ";", "!", "?", "…", "-", "–", "—", "•", "*", ":", "|", ">", ")"})
_ACRONYM = 6  # most letters of an acronym
_MARK = 4  # most letters of initials
_DRUG_LEAST = 7
_DRUG_LONG, _TERM_LONG = 9, 10  # letters from which the first one may be the slip, and a medical word is meant
_SLIP_MOST = 24  # letters of the longest words; a run of letters is no word
_SLIP_LEAST = 7  # letters of a word that may be misspelt; shorter ones are near too many words
_CLIPPED_LEAST, _CLIPPED_MOST = 4, 12  # letters of a clipped word
_MISREAD_MOST = 5  # letters of a word that a scanner may have misread
_SHORT_ENDS = ("ement", "ment", "ent")  # of which "t" is written: "brancht"
_CLIPPED = 3  # least letters that are left out
_CLIPPED_SURE = 6  # letters from which the start of any word is a clipped word
_ROOTED = 4  # least letters of a word behind a root
_BORNE = 500  # births from which a word may be a surname beside what else it is
_RATHER = 10  # births by occurrence per million from which a usual word may be a surname
_FEW = 100  # births below which the start of a clinical word is rather that
_BESIDE_CLIPPED = frozenset(". , ( ) : ; / +".split()) | {"", "\n"}
_SIDES = frozenset("dg")  # "VM G.": on the left
_ABBREVIATED = 4  # most letters of a title that ends with a dot; "Monsieur." ends a sentence
_VOWELS = frozenset("aeiouyàâäéèêëîïôöùûüœæ")
_NAMED_AFTER = EPONYM_CUES | word_list("named_after")
_LINKS = LOWER_PARTICLES | frozenset("' ’ - – et ou".split())
_EPONYM_REACH = 6  # tokens before an eponym in which the word for the disease, sign or device stands
_WIDE = re.compile(r"(?: {2}|\t)")
_CLINICAL_NOUN = re.compile(
    r".{2,}(?:pathie|ites?|oses?|omes?|emie|urie|algie|plegie|trophie|tomie|ectomie|plastie|stomie|scopie|gramme)"
)


def has_clinical_reading(reading: Reading, index: int) -> bool:
    """True if the word at `index` is a drug, a germ, a word of medicine or of reports, or a brand of devices."""
    word, lexicon = reading.words[index], reading.lexicon
    listed = word in lexicon.drugs or word in lexicon.medical or word in GENERA or word in BRANDS
    return listed or word in REPORT_WORDS or lexicon.clinical.get(word, "acronym") != "acronym"


def is_acronym(reading: Reading, index: int) -> bool:
    """True if the word at `index` is a clinical acronym, in capitals within a line that is not."""
    word = reading.words[index]
    if len(word) < 2 or not reading.surface(index).isupper() or reading.shouted(index):
        return False
    return "acronym" in reading.lexicon.clinical.get(word, "")


def is_eponym(reading: Reading, index: int) -> bool:
    """Return whether the word at `index` follows a word for a disease, sign, score or device ("canule de Cornier")."""
    at = index - 1
    while at >= 0 and index - at < _EPONYM_REACH and (reading.words[at] in _LINKS or reading.capitals[at]):
        at -= 1
    before = reading.word(at)
    linked = at < index - 1
    if before == "selon" and not linked and reading.lexicon.is_unknown(reading.words[index]):
        return True  # an author of criteria: a relative has a first name or a title
    return before in _NAMED_AFTER or (linked and not reading.capitals[at] and bool(_CLINICAL_NOUN.fullmatch(before)))


def is_ordinary(reading: Reading, index: int) -> bool:
    """True if the word at `index` is a word of the language that no table of names has as a usual name."""
    word, lexicon = reading.words[index], reading.lexicon
    if (glued(reading, index) and reading.words[index - 1].isdigit()) or (
        reading.word(index + 1).isdigit() and glued(reading, index + 1)
    ):
        return False  # a part of a word in which a scanner read a letter as a digit
    if not reading.capitals[index] and not reading.lowered(index):
        return lexicon.is_word(word)
    return lexicon.is_word(word) and not (lexicon.is_first_name(word) or lexicon.is_surname(word))


def is_slip(reading: Reading, index: int) -> bool:
    """True for a word that opens a sentence in lower case and is one slip from a usual or medical word: "Fermetue".

    It has seven letters or more, and no table knows it.
    """
    word, lexicon = reading.words[index], reading.lexicon
    follows = reading.word(index + 1)
    opens = reading.capitals[index] and reading.word(index - 1) in _OPENING
    if not (opens and follows.isalpha() and not reading.capitals[index + 1]) or len(word) < _SLIP_LEAST:
        return False
    if len(word) > _SLIP_MOST or not word.isascii() or not lexicon.is_unknown(word):
        return False
    return any(lexicon.common.get(one, 0.0) >= 1 or one in lexicon.medical for one in _one_edit_from(word))


def is_misspelt_drug(reading: Reading, index: int) -> bool:
    """True for a word that no table knows, one slip from a drug, or a long one from a medical word: "Glimépéride".

    A word of eight letters or fewer has the first letter of the drug: "Eliquls".
    """
    word, lexicon = reading.words[index], reading.lexicon
    if not _DRUG_LEAST <= len(word) <= _SLIP_MOST or not word.isascii() or not lexicon.is_unknown(word):
        return False
    near = (one for one in _one_edit_from(word) if len(word) >= _DRUG_LONG or one[0] == word[0])
    long = len(word) >= _TERM_LONG
    return any(
        one in lexicon.drugs or "drug" in lexicon.clinical.get(one, "") or (long and one in lexicon.medical)
        for one in near
    )


def is_clipped(reading: Reading, index: int) -> bool:
    """True for the start of a word, which hardly anybody is called: "Coronaro", "Amnio", "Rifa".

    The start of a usual word is in no table; that of a rarer word has six letters too; that of a clinical word, few
    bearers.
    """
    word, lexicon = reading.words[index], reading.lexicon
    if not _CLIPPED_LEAST <= len(word) <= _CLIPPED_MOST or lexicon.is_word(word) or lexicon.first_names.get(word):
        return False
    if (glued(reading, index) and reading.word(index - 1) not in _BESIDE_CLIPPED) or (
        glued(reading, index + 1) and reading.word(index + 1) not in _BESIDE_CLIPPED
    ):
        return False  # a part of a name, or of a word that a scanner misread
    births = lexicon.surnames.get(word)
    if births >= _FEW or word in lexicon.eponyms:
        return False
    cut = word.endswith("t") and word[-2] not in _VOWELS and lexicon.is_unknown(word)
    if cut and any(lexicon.is_word(word[:-1] + end) for end in _SHORT_ENDS):
        return True
    return _goes_on_from(_clinical_words(), word) or (
        not births and _goes_on_from(_usual_words() if len(word) < _CLIPPED_SURE else _words(), word)
    )


def is_of_drug(reading: Reading, word: str) -> bool:
    """Return whether a drug is called, or starts with, a word of four letters that few bear: "genta"."""
    lexicon = reading.lexicon
    if len(word) < _CLIPPED_LEAST or lexicon.first_names.get(word) or lexicon.surnames.get(word) >= _BORNE:
        return False
    return word in lexicon.drugs or _goes_on_from(_drugs(), word)


def starts_word(word: str) -> bool:
    """Return whether a usual or clinical word goes on from `word`: "collat", of "collatérales"."""
    return len(word) >= _CLIPPED_LEAST and (_goes_on_from(_clinical_words(), word) or _goes_on_from(_words(), word))


def is_misread(reading: Reading, index: int) -> bool:
    """True for a usual word in which a scanner took an l for an i, seen by its odd case: "EIIe", "FAlRE"."""
    surface, word = reading.surface(index), reading.words[index]
    if surface.islower() or surface.isupper() or surface.istitle() or len(word) > _SLIP_MOST:
        return False
    places = [at for at, letter in enumerate(word) if letter in "il"]
    if not 0 < len(places) <= _MISREAD_MOST or not reading.lexicon.is_unknown(word):
        return False
    for letters in product("il", repeat=len(places)):
        read = list(word)
        for at, letter in zip(places, letters, strict=True):
            read[at] = letter
        if reading.lexicon.common.get("".join(read), 0.0) >= 1:
            return True
    return False


def is_broken(reading: Reading, index: int) -> bool:
    """True for a part of a word or drug that a hyphen breaks over two lines: "Vanco-", "mycine"."""
    words = reading.words
    for first in (index, index - 3):
        if first >= 0 and words[first + 1 : first + 3] == ["-", "\n"] and first + 3 < len(words):
            whole = words[first] + words[first + 3]
            if not glued(reading, first + 1):
                continue
            if reading.lexicon.is_word(whole):
                return True
    return False


def is_respelt(reading: Reading, index: int) -> bool:
    """True for a slip of a usual or medical word, a misspelt drug, a clipped, compounded, misread or broken word."""
    tests = (is_slip, is_misspelt_drug, is_clipped, is_compounded, is_misread, is_broken)
    return any(test(reading, index) for test in tests)


def is_explained_alone(reading: Reading, index: int) -> bool:
    """True for a clinical word, in whatever spelling, an acronym of medicine, and a word for a profession."""
    word = reading.words[index]
    if word in PROFESSIONS or has_clinical_reading(reading, index) or is_respelt(reading, index):
        return True
    return reading.surface(index).isupper() and "acronym" in reading.lexicon.clinical.get(word, "")


def names_nobody(reading: Reading, index: int) -> bool:
    """True for a word that hardly anybody is called, which a table or its form explains: "SEVRAGE", "Taxol", "ANESTH".

    Beside a name it is no part of that name unless the taggers are sure. In capitals, four letters that no table knows
    are an acronym.
    """
    word, lexicon = reading.words[index], reading.lexicon
    if len(word) < 2 or not word.isalpha() or word in PARTICLES or word in LOWER_PARTICLES or word in SHORT_NAMES:
        return False
    births, often = lexicon.surnames.get(word), lexicon.common.get(word, 0.0)
    if lexicon.is_first_name(word) or (births >= _BORNE and births > _RATHER * often):
        return False
    if is_explained_alone(reading, index) or (lexicon.is_word(word) and not lexicon.is_surname(word)):
        return True
    if word in lexicon.eponyms or word in EPONYMS:
        return True
    return len(word) <= _MARK and reading.surface(index).isupper() and lexicon.is_unknown(word)


def is_role(reading: Reading, index: int) -> bool:
    """True for a word for a profession that nobody is called: "PANSEUSE"."""
    word, lexicon = reading.words[index], reading.lexicon
    return len(word) > 2 and word in PROFESSIONS and not (lexicon.surnames.get(word) or lexicon.first_names.get(word))


def is_compounded(reading: Reading, index: int) -> bool:
    """True for a word that no table knows, of a root and a word: "arthromoteur", "radiothérapeute"."""
    word, lexicon = reading.words[index], reading.lexicon
    if not lexicon.is_unknown(word):
        return False
    roots = (at for at in range(_CLIPPED_LEAST, len(word) - _ROOTED + 1) if word[at - 1] == "o")
    return any(lexicon.is_word(word[at:]) and _goes_on_from(_clinical_words(), word[:at]) for at in roots)


def _goes_on_from(words: Sequence[str], start: str) -> bool:
    """Return whether one of some sorted words starts with `start` and has `_CLIPPED` letters more."""
    at = bisect_left(words, start)
    while at < len(words) and words[at].startswith(start):
        if len(words[at]) - len(start) >= _CLIPPED:
            return True
        at += 1
    return False


@cache
def _usual_words() -> tuple[str, ...]:
    return tuple(sorted(one for one, often in lexicon().common.items() if often >= 1))


@cache
def _words() -> tuple[str, ...]:
    return tuple(sorted(lexicon().common))


@cache
def _clinical_words() -> tuple[str, ...]:
    """Return the medical words and the drugs, sorted."""
    words = lexicon()
    clinical = (one for one, kinds in words.clinical.items() if kinds != "acronym" and one.isalpha())
    return tuple(sorted({*words.medical, *words.drugs, *clinical}))


@cache
def _drugs() -> tuple[str, ...]:
    words = lexicon()
    return tuple(sorted({*words.drugs, *(one for one, kinds in words.clinical.items() if "drug" in kinds)}))


def _one_edit_from(word: str) -> Iterator[str]:
    """Yield the strings one letter left out, added, changed or swapped from `word`."""
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (head + letter + tail for letter in ascii_lowercase)
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in ascii_lowercase)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]


def _joins(word: str) -> bool:
    """True for a sign between two names, or a picture beside one: "Roland 🌹VAUTRIN"."""
    return word in _JOINERS or (word != "" and not word.isascii() and not word[0].isalnum())


class Evidence:
    """Facts of a document about its words, gathered before its names are decided.

    Args:
        reading: the document, with the mentions of the rules in `found`.
        distributions: probabilities (tokens, tags) by tagger.
        likeliest: the likeliest mentions, each with its mean probability.
    """

    def __init__(self, reading: Reading, distributions: Sequence[Array], likeliest: Sequence[Mention]) -> None:
        self._reading = reading
        self._distributions = distributions
        self._sure = _covered(reading, ("context",), _SURE)
        self._stated = _covered(reading, ("context",), _TITLE)
        self._given = _covered(reading, ("identity",), 0.0)
        self._told = _covered(reading, ("context", "gazetteer", "patterns"), _TOLD)
        self._found = np.zeros(len(reading.words), dtype=bool)
        self._known: set[str] = set()
        names = 0
        for mention in likeliest:
            if mention.label in WORDED:
                tokens = reading.tokens(mention)
                self._found[tokens.start : tokens.stop] = True
                if mention.label in NAMES and mention.score >= _CERTAIN:
                    names += 1
                    self._known.update(word for at in tokens if len(word := reading.words[at]) > 2)
        self._peopled = names >= _PEOPLE and names * _SPREAD >= len(reading.text)

    def shares(self, doubted: Sequence[int]) -> dict[int, float]:
        """Return the share of `recall` of each of some tokens, the highest of those that stand in a row.

        Particles in a row with nothing else have that of the name beside them.
        """
        shares: dict[int, float] = {}
        for _, row in groupby(enumerate(doubted), key=lambda one: one[1] - one[0]):
            run = [index for _, index in row]
            words = [index for index in run if self._reading.words[index].isalpha()]
            share = max(self._share(index) for index in words or run)
            if not share and all(self._is_particle(index) for index in run) and self._beside(run[0], run[-1]):
                share = ALL
            shares.update(dict.fromkeys(run, share))
        return shares

    def is_left_alone(self, mention: Mention) -> bool:
        """True for a likely mention of clinical or ordinary words only that nothing announces."""
        if mention.label not in WORDED or mention.score >= _KEPT:
            return False
        tokens = self._reading.tokens(mention)
        words = [at for at in tokens if self._reading.words[at].isalpha()]
        if len(words) == 1 and self._is_side(words[0]):
            return True
        if not words or any(self._announced(at) or self._is_mark(at) for at in words):
            return False
        return not self._beside(tokens[0], tokens[-1]) and all(self._is_no_name(at, mention.label) for at in words)

    def is_beyond(self, index: int, sure: float, lone: bool) -> bool:
        """True for a role beside a name, and for a word that names nobody, without a title, where the taggers doubt it.

        A word alone may be a name if it has a capital inside a sentence. `sure` is the probability that the word is
        inside a mention.
        """
        reading = self._reading
        if not lone and is_role(reading, index):
            return True
        if sure >= _KEPT or self._titled(index) or not names_nobody(reading, index):
            return False
        if "?" in (reading.word(index - 1), reading.word(index + 1)):
            return False  # a part of a name that lost an accent
        explained = len(reading.words[index]) >= _CLIPPED_LEAST and is_explained_alone(reading, index)
        idle = explained or reading.shouted(index) or reading.word(index - 1) in ("", "\n", ".")
        if lone and (self._announced(index) or not idle):
            return False
        return explained or sure < _DOUBTED

    def _is_no_name(self, index: int, label: Label) -> bool:
        """True for a clinical word; for an ordinary one without a capital, or that is no noun in place of a person."""
        reading, word = self._reading, self._reading.words[index]
        if is_respelt(reading, index):
            return True
        if has_clinical_reading(reading, index) and not (self._is_borne(index) or gazetteers().towns(word)):
            return True
        if label is Label.ORG or len(word) == 1 or reading.lowered(index) or not is_ordinary(reading, index):
            return False
        return (
            not reading.capitals[index]
            or reading.shouted(index)
            or (label in NAMES and not _NOUNS & set(reading.lexicon.parts.get(word, "NOM").split("|")))
        )

    def _share(self, index: int) -> float:
        reading = self._reading
        word = reading.words[index]
        if self._announced(index):
            return ALL
        if not word.isalpha():
            return ALL if self._told[index] else NOTHING
        if is_respelt(reading, index):
            listed = self._listed(index) and (reading.capitals[index] or reading.lowered(index))
            return ALL if self._titled(index) or listed else NOTHING
        if word in _CUES and not self._titled(index) and not self._is_patient(index):
            return NOTHING
        eponymous = self._is_eponymous(index) or any(self._is_eponymous(at) for at in self._joined(index))
        if eponymous or has_clinical_reading(reading, index) or is_eponym(reading, index):
            return ALL if self._titled(index) else NOTHING
        if self._is_side(index):
            return NOTHING
        if self._is_mark(index) or self._is_initial(index):
            tied = self._agreed(index) or self._cued(index) or self._listed(index)
            return ALL if self._peopled and tied else HALF
        written = reading.capitals[index] or reading.lowered(index) or self._fills_cell(index)
        if not written or is_acronym(reading, index):
            return NOTHING
        if self._fills_cell(index) and self._is_told_as_noun(index):
            return NOTHING
        return self._share_of_ordinary(index) if is_ordinary(reading, index) else self._share_of_name(index)

    def _is_told_as_noun(self, index: int) -> bool:
        """True for a noun that the document has in small letters too: "Dôme" in a list, "le dôme vésical"."""
        reading, word = self._reading, self._reading.words[index]
        if not _NOUNS & set(reading.lexicon.parts.get(word, "").split("|")) or reading.lexicon.is_first_name(word):
            return False
        return any(not reading.capitals[at] and not reading.lowered(at) for at in reading.places[word])

    def _is_patient(self, index: int) -> bool:
        """True for a surname beside a likely name, behind the word for a patient: "PATIENT SAGE MATHIEU"."""
        before, after = self._reading.word(index - 1), self._reading.word(index + 1)
        behind = before in ("patient", "patiente") and after != "femme"
        return behind and self._is_borne(index) and self._listed(index)

    def _is_eponymous(self, index: int) -> bool:
        word, lexicon = self._reading.words[index], self._reading.lexicon
        return word in EPONYMS or (word in lexicon.eponyms and not lexicon.is_first_name(word))

    def _joined(self, index: int) -> list[int]:
        """Return the words that a hyphen joins to the word at `index`: "Ridley-Jopling"."""
        reading = self._reading
        ends = ((index - 2, index - 1), (index + 2, index + 1))
        return [at for at, sign in ends if reading.word(sign) == "-" and reading.word(at).isalpha()]

    def _share_of_ordinary(self, index: int) -> float:
        reading = self._reading
        if self._called(index):
            return ALL
        if not _NOUNS & set(reading.lexicon.parts.get(reading.words[index], "NOM").split("|")):
            return NOTHING  # "MON AIDE SERA BERGEZ"
        apart = any(self._wide_blanks(index))  # in a column of its own
        if self._beside(index, index) and not apart:
            return ALL
        if reading.lowered(index):
            return ALL if self._agreed(index) else NOTHING
        if not self._peopled or reading.shouted(index) or not reading.capitals[index]:
            return NOTHING
        listed = self._listed(index) and not apart
        if self._opens(index) and (reading.word(index - 1) == "." or not listed or self._goes_on(index)):
            return NOTHING
        return ALL if listed else QUARTER if self._is_stressed(index) else HALF

    def _share_of_name(self, index: int) -> float:
        """Return the share of a word of the tables of names, or of no table."""
        reading = self._reading
        if self._listed(index) or self._titled(index):
            return ALL
        pointed = self._agreed(index) or self._cued(index)
        if not self._agreed(index) and is_explained_alone(reading, index):
            return NOTHING
        if not self._peopled:
            return QUARTER if pointed or self._told[index] else NOTHING
        word = reading.words[index]
        pointed = pointed or self._is_placed(index)
        if not pointed and (
            (self._opens(index) and not reading.shouted(index) and not reading.lowered(index))
            or (reading.lexicon.is_word(word) and (self._has_idle_capital(index) or self._is_stressed(index)))
        ):
            return QUARTER
        if not pointed and not reading.capitals[index] and _VOWELS.isdisjoint(word):
            return NOTHING  # an abbreviation: "vrs"
        capitals = reading.surface(index).isupper() and not reading.shouted(index)
        lone = capitals and len(reading.words[index]) <= _ACRONYM and not self._is_borne(index)
        return ALL if pointed else NOTHING if lone or names_nobody(reading, index) else HALF

    def _is_placed(self, index: int) -> bool:
        """True for a name of the tables, or of none, where a person acts or signs; for a short form of a certain name.

        "bloc 10 h, Prévôt endort", "sténose, Merlin" at the end of its line, "le grand Syl" beside "Dr Sylvestre".
        """
        reading, word = self._reading, self._reading.words[index]
        if not reading.capitals[index] or self._opens(index):
            return False
        if len(word) > 2 and reading.lexicon.is_unknown(word) and any(one.startswith(word) for one in self._known):
            return True
        if reading.surface(index).isupper() or not (self._is_borne(index) or reading.lexicon.is_unknown(word)):
            return False
        subject = reading.word(index - 1) not in LOWER_PARTICLES
        return (subject and opens_verb(reading, index + 1)) or (
            reading.word(index - 1) in _BEFORE_SIGNATURE and reading.word(index + 1) in ("", "\n")
        )

    def _titled(self, index: int) -> bool:
        """True right behind a title, or behind one and a word without its accents: "M. Fran?ois DUBOIS"."""
        reading = self._reading
        if reading.word(index - 2) == "?" and glued(reading, index - 1) and glued(reading, index - 2):
            index -= 3
        at = index - 1
        if reading.word(at) == "." and len(reading.word(at - 1)) <= _ABBREVIATED:
            at -= 1
        return reading.word(at) in _TITLES and not reading.measured(index)

    def _called(self, index: int) -> bool:
        """True behind a title on the same line, but for the headings of two columns: "Prénom      Fonction"."""
        return self._titled(index) and not self._wide_blanks(index)[0]

    def _is_stressed(self, index: int) -> bool:
        """True for a word in capitals in a line that is not."""
        return self._reading.surface(index).isupper() and not self._reading.shouted(index)

    def _opens(self, index: int) -> bool:
        """True for the first word of a sentence, line or cell, which has a capital anyway, and for a heading."""
        before = self._reading.word(index - 1)
        joined = before in ("-", "–") and glued(self._reading, index)
        return (before in _OPENING and not joined) or self._reading.word(index + 1) == ":"

    def _goes_on(self, index: int) -> bool:
        """True where a word in lower case follows: "au Dr DELBOURG ; Nouvelle présentation"."""
        reading, after = self._reading, index + 1
        return reading.word(after).isalpha() and not reading.capitals[after] and not reading.lowered(after)

    def _has_idle_capital(self, index: int) -> bool:
        """Return whether a capital or its absence is no evidence: the opening of a sentence, a line of one case."""
        return self._opens(index) or self._reading.shouted(index) or self._reading.lowered(index)

    def _announced(self, index: int) -> bool:
        reading, word = self._reading, self._reading.words[index]
        if (self._stated if reading.shouted(index) else self._sure)[index]:
            field = reading.word(index - 1) == ":" and reading.word(index - 2) in NAME_FIELDS
            if has_clinical_reading(reading, index):
                return self._titled(index) or field
            if not is_ordinary(reading, index) or self._called(index) or reading.word(index - 1) == ":":
                return True
        return bool(self._given[index]) or (
            word in self._known
            and (reading.capitals[index] or reading.lowered(index) or not reading.lexicon.is_word(word))
        )

    def _agreed(self, index: int) -> bool:
        rows = [one[index] for one in self._distributions]
        if len(rows) < 2:
            return False
        return any(min(row[kind].sum() for row in rows) >= _AGREED for kind in (_OF_NAMES, _OF_PLACES))

    def _is_borne(self, index: int) -> bool:
        word, lexicon = self._reading.words[index], self._reading.lexicon
        return lexicon.is_first_name(word) or lexicon.is_surname(word)

    def _cued(self, index: int) -> bool:
        """True if a word before, signs and articles apart, announces a person or a home."""
        return self._reading.announced(index, _CUES, _SKIPPED, _REACH)

    def _listed(self, index: int) -> bool:
        """True beside a likely name, or beyond the sign that joins two names, or beyond a picture."""
        for step in (-1, 1):
            at = index + step
            while abs(at - index) <= _MOST_JOINERS and _joins(self._reading.word(at)):
                at += step
            if 0 <= at < len(self._found) and self._found[at]:
                return True
        return False

    def _is_mark(self, index: int) -> bool:
        """True for up to four letters that stand alone, as initials do: at the end of a line, in a cell, "relu KT"."""
        reading = self._reading
        if len(reading.words[index]) > _MARK:
            return False
        if reading.words[index] in NOT_INITIALS or self._abbreviates(index):
            return False
        if reading.word(index - 1) == "/" and index > 1 and self._found[index - 2]:
            return True
        if reading.words[index] in reading.lexicon.common:
            return False
        before, after = reading.word(index - 1), reading.word(index + 1)
        if self._peopled and before == "(" and after in (")", "."):
            return not is_acronym(reading, index)
        wide_left, wide_right = self._wide_blanks(index)
        return (before in _EDGES or before in _CUES or wide_left) and (after in _EDGES or wide_right)

    def _fills_cell(self, index: int) -> bool:
        """True for one word between wide blanks or bars."""
        left, right = self._wide_blanks(index)
        before, after = self._reading.word(index - 1), self._reading.word(index + 1)
        return (left or before == "|") and (right or after == "|")

    def _wide_blanks(self, index: int) -> tuple[bool, bool]:
        """Return whether two blanks or a tab stand before a token, and behind it, on its line."""
        text, start, end = self._reading.text, self._reading.starts[index], self._reading.ends[index]
        return bool(_WIDE.search(text, max(0, start - 2), start)), bool(_WIDE.match(text, end))

    def _is_initial(self, index: int) -> bool:
        """True for a dotted letter, unless a word in lower case follows, as in the name of a germ."""
        reading = self._reading
        if len(reading.words[index]) > 1 or reading.word(index + 1) != ".":
            return False
        after = index + 2
        if reading.words[index] in CIVILITIES and after < len(self._found) and self._found[after]:
            return False
        opens = reading.word(index - 1) in ("", "\n") and reading.word(after).isalpha()
        if opens and reading.words[index] in _NUMERALS and not self._found[after]:
            return False
        if self._abbreviates(index):
            return False
        if reading.word(index - 1) in ("et", "ou") and len(reading.word(index - 2)) == 1:
            return False  # "tableaux 30 A et B."
        goes_on = reading.word(after).isalpha() and not reading.capitals[after] and not reading.lowered(index)
        return (reading.capitals[index] or reading.lowered(index)) and not goes_on

    def _abbreviates(self, index: int) -> bool:
        """True if the letter belongs to a dotted acronym: "C.R.P.", "R.A.S."."""
        words, first = self._reading.words, index
        while first > 1 and len(words[first - 2]) == 1 and words[first - 1] == "." and glued(self._reading, first):
            first -= 2
        letters = ""
        while first < len(words) and len(words[first]) == 1 and words[first].isalpha():
            letters += words[first]
            first += 2 if self._reading.word(first + 1) == "." else 1
        return len(letters) > 1 and (
            letters in NOT_INITIALS or "acronym" in self._reading.lexicon.clinical.get(letters, "")
        )

    def _is_side(self, index: int) -> bool:
        """True for a letter that says left or right, behind a word that announces no name: "VM G."."""
        before = self._reading.word(index - 1)
        dotted = self._reading.words[index] in _SIDES and self._reading.word(index + 1) == "."
        return dotted and before.isalpha() and before not in _CUES | _TITLES and not self._beside(index, index + 1)

    def _is_particle(self, index: int) -> bool:
        return self._reading.words[index] in LOWER_PARTICLES or self._reading.words[index] in ("'", "’")

    def _beside(self, first: int, last: int) -> bool:
        return bool(last + 1 < len(self._found) and self._found[last + 1]) or bool(first and self._found[first - 1])


def _covered(reading: Reading, annotators: Sequence[str], least: float) -> Flags:
    """Return True for each token inside a mention of some annotators of a score of `least` or more."""
    flags = np.zeros(len(reading.words), dtype=bool)
    for name in annotators:
        for mention in reading.found.get(name, ()):
            if mention.score >= least and mention.label in WORDED:
                tokens = reading.tokens(mention)
                flags[tokens.start : tokens.stop] = True
    return flags
