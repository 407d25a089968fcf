"""Words of the language that are names too, in a phrase where they name nobody: "LES DEUX BRAS", "EN CANARD"."""

from __future__ import annotations

import re

from deid.detection.lookup.lexicon import lexicon
from deid.detection.text.names import glued
from deid.detection.text.reading import Reading
from deid.detection.text.standing import OPENING, TITLES, WORDS, is_given, kinds_of, plain, qualifies, words_of
from deid.detection.text.vocabulary import KINSHIP, PLURAL, PROFESSIONS
from deid.french.folding import key
from deid.french.numerals import NUMBER_WORDS

_HOURS, _BEINGS = frozenset("h mn min".split()), KINSHIP | {"homme"}  # ends of an hour; who is young or small
_PEOPLE, _DETERMINING = PROFESSIONS | KINSHIP | PLURAL, WORDS["determining"] | WORDS["plural_determiners"]
_LEADING = PROFESSIONS | TITLES | {"avec", "chez", "par"}  # ahead of two names
_SHORTEST = 4  # letters of a plural that is told from "ses"
_BORNE, _GIVEN = 1_000, 1_000  # births of a surname of a bearer, and of a first name
_VERBS = frozenset({"VER", "AUX|VER"})
_INFINITIVE = re.compile(r"\w{2,}(?:er|ir|oir|re)")
_PARTICIPLE = re.compile(r"\w+(?:[iu]|is|it|rt)e?s?")
_PLACES = 50  # of a word, in which its article is looked for
_APART = 3  # blanks between a label and what stands in another column
_LISTED = 40  # tokens of a list behind its label


def acts(reading: Reading, index: int) -> bool:
    """True if the word at `index` is a verb in a personal form, or goes before one: "Petit refuse", "Petit a dormi"."""
    word = reading.word(index)
    if word in WORDS["auxiliaries"]:
        return True
    return lexicon().parts.get(word) in _VERBS and not _INFINITIVE.fullmatch(word) and reading.surface(index).islower()


def describes_thing(reading: Reading, index: int) -> bool:
    """True for an adjective right before the noun of a thing in lower case: "Petit épanchement", "Long segment"."""
    at = index + 1
    if reading.word(at) == "," and reading.word(at + 1) in WORDS["builds"]:
        return True  # "Maigre, IMC 17"
    if at >= len(reading.words) or not reading.surface(at).islower() or len(reading.words[at]) < 3:
        return False
    if reading.text[reading.ends[index] : reading.starts[at]] not in (" ", "\n"):
        return False
    noun = plain(reading.words[at])
    if noun in _PEOPLE | TITLES or noun.startswith("patient"):
        return False
    if noun in WORDS["parts"]:
        return True
    if noun in WORDS["findings"]:
        return reading.word(at + 1) not in WORDS["objects"]
    kinds = kinds_of(noun)
    if not kinds:
        return noun in lexicon().medical or noun in lexicon().clinical
    return kinds == {"NOM"} or (kinds == {"NOM", "VER"} and bool(_INFINITIVE.fullmatch(noun)))


def _is_coloured(reading: Reading, index: int) -> bool:
    """True for a colour behind a thing in a line of one case: "SPARADRAP BLANC", "RASH ROSE DU TRONC"."""
    if not (reading.shouted(index) or reading.lowered(index)) or not qualifies(reading.words[index], "colours"):
        return False
    noun = plain(reading.word(index - 1))
    if not noun or reading.text[reading.ends[index - 1] : reading.starts[index]] != " ":
        return False
    if noun in _PEOPLE | TITLES or noun.startswith("patient"):
        return False
    return lexicon().parts.get(noun) == "NOM" and not lexicon().first_names.get(noun)


def _is_sized(reading: Reading, index: int) -> bool:
    """True for a size ahead of a finding in a line of capitals: "PETIT ULCERE", "GROS HEMATOME"."""
    if not reading.shouted(index) or not qualifies(reading.words[index], "sizes"):
        return False
    at = index + 1
    noun = plain(reading.word(at))
    if not noun.isalpha() or not reading.shouted(at) or reading.text[reading.ends[index] : reading.starts[at]] != " ":
        return False
    if lexicon().is_first_name(noun) or lexicon().is_surname(noun):
        return False
    kinds = kinds_of(noun)
    return noun in lexicon().medical or noun in WORDS["findings"] or kinds in ({"NOM"}, {"NOM", "VER"})


def _is_phrased(reading: Reading, index: int) -> bool:
    """True for a word of the language in a phrase of capitals that names nobody: "LES DEUX BRAS", "EN CANARD".

    Behind an article the word is rather somebody's if that is a part of the name elsewhere: "MME LE COEUR".
    """
    word, before, words = plain(reading.words[index]), reading.word(index - 1), lexicon()
    if not reading.shouted(index) or len(word) < 3 or word not in words.common:
        return False
    if words.first_names.get(word) >= _GIVEN and before not in ("un", "une"):
        return False
    near = reading.text[reading.ends[index - 1] : reading.starts[index]] in (" ", "")
    if not near or is_given(reading, index + 1):
        return False
    ahead, further = reading.word(index - 2), reading.word(index - 3)
    told = (ahead == "." and len(further) == 1) or (ahead == "par" and further in PROFESSIONS)
    if told or is_given(reading, index - 2) or _is_met(ahead, before, word, reading.word(index + 1)):
        return False  # "PASCAL LE ROUX", "P. DES BOIS", "RELU PAR LE ROUX", "VU LE ROUX"
    if "VER" in words.parts.get(word, "") and before in WORDS["subjects"] and ahead not in ("'", "’"):
        return True
    if before in WORDS["determining"]:
        return True
    articled = _has_article(reading, index)
    if before in WORDS["plural_determiners"]:
        return word[-1] in "sxz" and not articled  # "LES POISSON" are a family
    if before == "de":
        if ahead in WORDS["negations"] and "NOM" in kinds_of(word) and not articled:
            return True  # "PAS DE POIRIER NI DE DEBOUT"
        return (ahead in PROFESSIONS and word in WORDS["duties"]) or (
            word in WORDS["parts"] and ahead not in KINSHIP and ahead not in WORDS["of_people"]
        )
    return before in ("au", "du", "le", "la") and not articled


def _is_met(ahead: str, article: str, word: str, behind: str) -> bool:
    """True where somebody is met, calls or acts, at an hour or not: "10 H LE PETIT", "VU DU BOIS", "PAR LA ROCHE"."""
    if word in WORDS["parts"] | KINSHIP or (word in WORDS["compounding"] and behind in WORDS["compounds"] | _BEINGS):
        return False
    if article not in ("le", "la", "du", "des") or lexicon().surnames.get(article + word) < _BORNE:
        return False
    if ahead == "par":
        return article != "la" or word not in WORDS["ways"]  # "SORT PAR LA PORTE"
    met = ahead.isdigit() or ahead in _HOURS or ahead in WORDS["meeting"]
    return met or (ahead in PROFESSIONS and article in ("le", "la"))  # "CADRE DU BOURG"


def _has_article(reading: Reading, index: int) -> bool:
    """Return whether the article before a word is a part of a name: of the patient's, or behind a title, in a field."""
    name = key(f"{reading.word(index - 1)} {reading.words[index]}")
    if any(name in key(known) for known in reading.document.patient.names):
        return True
    return any(
        reading.word(at - 1) == reading.word(index - 1)
        and (reading.word(at - 2) in TITLES or reading.word(at - 2) == ":" or is_given(reading, at + 1))
        for at in reading.places[reading.words[index]][:_PLACES]
    )


def _is_labelled(reading: Reading, index: int) -> bool:
    """True for a noun behind the label of what is no person: "METEO : MISTRAL", "pricks : Chêne, Olivier"."""
    word, at = plain(reading.words[index]), index - 1
    while at > index - _LISTED and (
        reading.word(at) in (",", "/") or (reading.word(at).isalpha() and reading.word(at - 1) in (",", "/", ":"))
    ):
        at -= 1
    if reading.word(at) != ":" or reading.word(at - 1) not in WORDS["labels_of_things"]:
        return False
    beside = reading.starts[at + 1] - reading.ends[at] < _APART and not is_given(reading, index + 1)
    return beside and "NOM" in kinds_of(word)


def _is_articled(reading: Reading, index: int) -> bool:
    """True for a noun in small letters behind its article: "une prune", but not "lit un rose marchand"."""
    before = reading.word(index - 1)
    ahead = reading.word(index - 2 - (reading.word(index - 2) == "et"))
    if not reading.surface(index).islower() or "NOM" not in kinds_of(reading.words[index]):
        return False
    if before in ("un", "une"):
        return ahead not in NUMBER_WORDS | WORDS["numbered"] and not lexicon().is_surname(reading.word(index + 1))
    placed = before in WORDS["articles"] and reading.word(index - 2) in WORDS["prepositions_of_place"]
    return placed and not reading.lowered(index) and not _has_article(reading, index)


def _is_coordinated(reading: Reading, index: int) -> bool:
    """True for an adjective beside one that nobody bears, in a line of one case: "UN ENFANT SAGE ET SOLITAIRE".

    Of a word that the identity or a title says, a verb of being ahead and none behind have to make it one.
    """
    if not (reading.shouted(index) or reading.lowered(index)) or "ADJ" not in kinds_of(reading.words[index]):
        return False
    told = reading.words[index] in reading.titled | words_of(*reading.document.patient.names)
    for sign, other, ahead in ((index + 1, index + 2, index - 1), (index - 1, index - 2, index - 3)):
        word = reading.word(ahead)
        led = word.isalpha() and word not in _LEADING and not is_given(reading, ahead)
        seldom = lexicon().surnames.get(reading.word(other)) < _BORNE and not is_given(reading, other)
        acting = _is_participle(reading.word(other)) or _may_act(reading, max(index, other) + 1)
        being = word in WORDS["being"] and not acting
        if reading.word(sign) == "et" and led and seldom and _is_quality(reading.word(other)) and (being or not told):
            return True
    return False


def _is_quality(word: str) -> bool:
    """True for an adjective that is no determiner, relative or profession."""
    return "ADJ" in kinds_of(word) and word not in _DETERMINING | WORDS["meeting"] | _PEOPLE


def _is_participle(word: str) -> bool:
    """True for what can be a past participle behind "est": "PAUL EST PARTI ET SAGE AUSSI"."""
    return "VER" in kinds_of(word) and bool(_PARTICIPLE.fullmatch(word))


def _may_act(reading: Reading, index: int) -> bool:
    """True if a word can be a verb, in any case: "SAGE REVIENT", but not "SAGE ET DIFFICILE A SUIVRE"."""
    word = reading.word(index)
    if word == "a":
        return not _INFINITIVE.fullmatch(reading.word(index + 1))
    return word in WORDS["auxiliaries"] or ("VER" in (kinds := kinds_of(word)) and not kinds & {"ADV", "PRE"})


def _is_complemented(reading: Reading, index: int) -> bool:
    """True for a noun that opens a sentence, before its use or a plural: "Fontaine de lavage"."""
    words = lexicon()
    opens = reading.word(index - 1) in OPENING and not glued(reading, index) and not reading.lowered(index)
    if not opens or "NOM" not in kinds_of(reading.words[index]):
        return False
    sign = reading.word(index + 1)
    at = index + 2 + (sign == "d")
    noun = plain(reading.word(at))
    if not noun or not (reading.surface(at).islower() or reading.shouted(at)) or words.surnames.get(noun) >= _BORNE:
        return False
    if not {noun, noun.rstrip("s")}.isdisjoint(WORDS["duties"] | WORDS["returns"] | _PEOPLE):
        return False
    if sign == "et":
        said = kinds_of(noun)
        return noun[-1] in "sx" and len(noun) > _SHORTEST and "NOM" in said and said <= {"NOM", "ADJ", "VER"}
    return sign in ("de", "d") and noun in WORDS["uses"] and words.first_names.get(reading.words[index]) < _GIVEN


_NAMING_NOBODY = (
    _is_coloured, _is_sized, _is_phrased, _is_labelled, _is_articled, _is_coordinated, _is_complemented,
)  # fmt: skip


def is_in_phrase(reading: Reading, index: int) -> bool:
    """True for a word of the language in a phrase that names nobody."""
    return any(one(reading, index) for one in _NAMING_NOBODY)
