"""Tell a person from a disease, a part of the body or a thing, of a word that is also a name, by its place.

Position decides before any table: an eponym behind "maladie de", before "débutant" or inside "Graves-Basedow", an
adjective before what it describes ("Petit épanchement"), a part of the body before its state ("Bras droit"). A title
before the word, or a verb that only a person is the subject to, makes it a name.
"""

from __future__ import annotations

from enum import Enum

from deid.detection.lookup.lexicon import lexicon
from deid.detection.text.eponyms import is_in_eponym
from deid.detection.text.names import glued
from deid.detection.text.phrases import acts, describes_thing, is_in_phrase
from deid.detection.text.reading import Reading
from deid.detection.text.standing import OPENING, WORDS, is_given, is_titled, kinds_of, opens_clause, plain, qualifies

COLOUR_WORDS, PARTS = WORDS["colours"], WORDS["parts"]
_GIVEN = 1_000  # births from which a word may be a given name before what its bearer is


class Sense(Enum):
    """Meaning of a word at its place: a person, something else, or either."""

    PERSON = "person"
    THING = "thing"
    OPEN = "open"


def find_sense(reading: Reading, index: int) -> Sense:
    """Return the meaning of the word at `index`, which is somebody's name elsewhere, at its place."""
    if is_titled(reading, index):
        return Sense.PERSON
    if any(is_thing(reading, index) for is_thing in _THINGS):
        return Sense.THING
    word = plain(reading.words[index])
    kinds = kinds_of(word)
    if len(word) < 3 or word not in lexicon().common or not {"ADJ", "NOM"} & kinds:
        return Sense.OPEN
    if word in PARTS or word in WORDS["measures"]:
        sides = reading.word(index - 1), reading.word(index + 1)
        examined = word in PARTS and sides == (";", ";") and not lexicon().surnames.get(word)  # "IRM;Signa;Aorte;"
        return Sense.THING if examined or _has_state(reading, index) or _is_common(reading, index) else Sense.OPEN
    if "ADJ" not in kinds or not opens_clause(reading, index) or lexicon().first_names.get(word) >= _GIVEN:
        return Sense.OPEN
    if describes_thing(reading, index):
        return Sense.THING
    return Sense.PERSON if reading.word(index - 1) in OPENING and acts(reading, index + 1) else Sense.OPEN


def _is_common(reading: Reading, index: int) -> bool:
    """True in lower case: within a text that has capitals, or behind an article if the word is rather no surname."""
    if not reading.surface(index).islower():
        return False
    if not reading.lowered(index):
        return True
    return reading.word(index - 1) in WORDS["determiners"] and not lexicon().is_surname(reading.words[index])


def _has_state(reading: Reading, index: int) -> bool:
    """True for a part or measure with its state: "Bras droit", "Cœur non augmenté", "Poids 54 kg"."""
    shouted = reading.shouted(index)
    if not (opens_clause(reading, index) or shouted):
        return False
    after = reading.word(index + 1)
    at = index + 2 if after in ("non", "peu", "tres", "bien", ":", "est") else index + 1
    small = at < len(reading.words) and (reading.surface(at).islower() or shouted)
    if small and qualifies(reading.word(at), "qualities"):
        return True
    if after in ("de", "a", "d", "en") and reading.word(index + 2 + (after == "d")) in WORDS["described"]:
        return True
    return plain(reading.words[index]) in WORDS["measures"] and reading.word(at).isdigit()


def _is_related(reading: Reading, index: int) -> bool:
    """True for the second word of "cousine germaine" and "par alliance"."""
    word, before = reading.words[index], reading.word(index - 1)
    if word == "alliance":
        return before == "par"
    return word.startswith("germain") and before.startswith("cousin") and reading.surface(index).islower()


def _is_in_compound(reading: Reading, index: int) -> bool:
    """True for a part of "petit-fils", "belle-mère", "grand père" and of other compounds in lower case."""
    words = reading.words
    for other, sign in ((index + 2, index + 1), (index - 2, index - 1)):
        beside = reading.word(other)
        if reading.word(sign) != "-" or not glued(reading, max(sign, index)) or not beside.isalpha():
            continue
        first, second = sorted((index, other))
        small = reading.surface(second).islower() or reading.shouted(second)
        if small and words[first] in WORDS["compounding"] and words[second] in WORDS["compounds"]:
            return True
        within = not reading.lowered(index) and not is_given(reading, first - 1)  # "GLADYS PETIT-HOMME"
        if small and within and all(_is_word(words[at]) for at in (index, other)):
            return True
    if words[index] in WORDS["compounding"] and reading.word(index + 1) in WORDS["compounds"]:
        return reading.surface(index + 1).islower() and reading.word(index + 1) != "grand"
    return False


def _is_word(word: str) -> bool:
    return len(word) > 2 and word in lexicon().common and not lexicon().first_names.get(word)


def _is_pill(reading: Reading, index: int) -> bool:
    """True for the brand of a contraceptive behind its kind: "pilule Angélique"."""
    at = index - 1 - (reading.word(index - 1) in ("par", ":"))
    return plain(reading.word(at)) in WORDS["pills"]


_THINGS = is_in_eponym, _is_in_compound, _is_pill, is_in_phrase, _is_related
