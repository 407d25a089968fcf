"""Tell a person from a disease, a part of the body or a thing, of a word that is also a name, by its place.

Position decides before any table: an eponym behind "maladie de", before "débutant" or inside "Graves-Basedow", an
adjective before what it describes ("Petit épanchement"), a part of the body before its state ("Bras droit"). A title
before the word, or a verb that only a person is the subject to, makes it a name.
"""

from __future__ import annotations

import re
import tomllib
from enum import Enum
from functools import cache
from pathlib import Path

from deid.detection.lookup.known_names import PARTICLES
from deid.detection.lookup.lexicon import lexicon
from deid.detection.text.names import glued
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    DOUBLE_EPONYMS,
    EPONYM_CUES,
    EPONYMS,
    KINSHIP,
    NAME_FIELDS,
    PERSON_TITLES,
    PLURAL,
    PROFESSIONS,
)
from deid.french.folding import key
from deid.french.numerals import NUMBER_WORDS

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_WORDS = {title: frozenset(words.split()) for title, words in _LISTS.items()}
COLOUR_WORDS = _WORDS["colours"]
PARTS, _MEASURES, _COMPOUNDS = _WORDS["parts"], _WORDS["measures"], _WORDS["compounds"]
_SEVERAL = frozenset(name.replace("-", " ") for name in _WORDS["several"] | DOUBLE_EPONYMS)
_LOOSE_FRAMES = _WORDS["frames"] | _WORDS["loose_frames"] | EPONYM_CUES
_TITLES = CIVILITIES | DOCTOR_TITLES | PERSON_TITLES
_LINKS = frozenset("de d du des la le les l ' ’ en".split())
_INDEFINITE = frozenset("un son ce cet".split())
_DEFINITE = frozenset("au du le".split())
_DETERMINERS = frozenset("ce cet cette d de des du en la le les ma sa sans sous un une".split())
# Words before a noun or verb, and before no name; before a plural.
_DETERMINING = frozenset("un une ce cet cette mon ma son sa notre leur chaque aucun aucune en".split())
_PLURAL = frozenset("les des aux ces ses mes leurs deux trois quatre cinq".split())
# Words before somebody who is met or calls, at the end of an hour, and for somebody who is young or small.
_MEETING = frozenset("appel appels rdv rencontre revu revue vu vue".split())
_HOURS, _BEINGS = frozenset("h mn min".split()), KINSHIP | {"homme"}
_DUTIES = frozenset("bloc famille garde jour liaison nuit secteur semaine service ville".split())  # "INTERNE DE NUIT"
_RETURNS = frozenset("astreinte passage permanence repos retour sortie".split())  # "Fontaine de retour du bloc"
_ARTICLES = frozenset("ce cet cette la le les".split())
_PREPOSITIONS = frozenset("contre dans derriere devant sous sur".split())
_NUMBERED = frozenset("box chambre lit numero poste salle".split())  # ahead of "un" as a number
_SHORTEST = 4  # letters of a plural that is told from "ses"
_BEING = frozenset("assez comme est parait plutot reste semble tres".split())  # ahead of how somebody is
_LEADING = PROFESSIONS | _TITLES | {"avec", "chez", "par"}  # ahead of two names
_SUBJECTS = frozenset("est ete sont ont il elle on je nous vous ils elles se".split())
# Signs before the first word of a sentence, item or cell.
_OPENING = frozenset({"", "\n", ".", ";", "!", "?", "…", "-", "–", "—", "•", "*", ":", "|", ">", ")", "°"})
_NEGATIONS = frozenset("pas plus ni absence".split())
_VERBS = frozenset({"VER", "AUX|VER"})
_AUXILIARIES = frozenset("a est n ne ont s se va".split())
_INFINITIVE = re.compile(r"\w{2,}(?:er|ir|oir|re)")
_PARTICIPLE = re.compile(r"\w+(?:[iu]|is|it|rt)e?s?")
_ROMAN = re.compile(r"(?:i{1,3}|iv)[abc]?|v|vi")
_USUAL_NAME = 20_000  # births from which a surname counts as an eponym in its own expressions only
_GIVEN = 1_000  # births from which a word may be a given name before what its bearer is
_BORNE = 1_000  # births of a surname from which a number behind may be its bearer's
_PLACES = 50  # of a word, in which its article is looked for
_APART = 3  # blanks between a label and what stands in another column
_LISTED = 40  # tokens of a list behind its label
_SENTENCE = 120  # characters of a sentence ahead of a sign
_SENTENCE_ENDS = re.compile(r"[.;] |\n")
_LONGEST_RUN = 7  # tokens of an eponym of several people, hyphens included


class Sense(Enum):
    """Meaning of a word at its place: a person, something else, or either."""

    PERSON = "person"
    THING = "thing"
    OPEN = "open"


def find_sense(reading: Reading, index: int) -> Sense:
    """Return the meaning of the word at `index`, which is somebody's name elsewhere, at its place."""
    if _is_titled(reading, index):
        return Sense.PERSON
    if _is_in_eponym(reading, index) or _is_in_compound(reading, index) or _is_pill(reading, index):
        return Sense.THING
    if any(is_thing(reading, index) for is_thing in _THINGS):
        return Sense.THING
    word = _plain(reading.words[index])
    kinds = lexicon().parts.get(word, "").split("|")
    if len(word) < 3 or word not in lexicon().common or not {"ADJ", "NOM"} & set(kinds):
        return Sense.OPEN
    if word in PARTS | _MEASURES:
        sides = reading.word(index - 1), reading.word(index + 1)
        examined = word in PARTS and sides == (";", ";") and not lexicon().surnames.get(word)  # "IRM;Signa;Aorte;"
        return Sense.THING if examined or _has_state(reading, index) or _is_common(reading, index) else Sense.OPEN
    if "ADJ" not in kinds or not _opens(reading, index) or lexicon().first_names.get(word) >= _GIVEN:
        return Sense.OPEN
    if _describes(reading, index):
        return Sense.THING
    return Sense.PERSON if reading.word(index - 1) in _OPENING and _acts(reading, index + 1) else Sense.OPEN


def _plain(word: str) -> str:
    return word.replace("œ", "oe").replace("æ", "ae")


def _base(word: str) -> str:
    """Return an adjective without the endings of feminine and plural, as far as `_WORDS` needs."""
    return word.removesuffix("s").removesuffix("e")


@cache
def _bases(title: str) -> frozenset[str]:
    feminine = {"if": "iv", "eux": "eus", "ien": "ienn", "el": "ell", "et": "ett", "c": "ch", "er": "er", "os": "oss"}
    found = set()
    for word in _WORDS[title]:
        found |= {word, _base(word)}
        for end, other in feminine.items():
            if word.endswith(end):
                found.add(word.removesuffix(end) + other)
        if word.endswith("al"):
            found.add(word[:-1] + "ux")
    return frozenset(found)


def _qualifies(word: str, title: str) -> bool:
    """True for an adjective of a list, in any gender and number."""
    plain = _plain(word)
    return len(plain) > 2 and (plain in _bases(title) or _base(plain) in _bases(title))


# A person


def _is_titled(reading: Reading, index: int) -> bool:
    """True right behind a title, over its dot, an initial or given names, and particles of the name: "Dr. Le Bras"."""
    at = index - 1
    while reading.word(at) in PARTICLES and reading.word(at) not in _TITLES:
        at -= 1
    at -= 2 if reading.word(at) == "." and len(reading.word(at - 1)) == 1 and reading.word(at - 1) != "m" else 0
    while at > 0 and _is_written_as_name(reading, at) and reading.word(at) not in _TITLES and _is_given(reading, at):
        at -= 1
    if reading.word(at) == "." and glued(reading, at):
        at -= 1
    before = reading.word(at - 1)
    return reading.word(at) in _TITLES and before not in ("'", "’") and not before.isdigit()


def _is_written_as_name(reading: Reading, index: int) -> bool:
    return reading.capitals[index] or reading.lowered(index)


def _is_given(reading: Reading, index: int) -> bool:
    return lexicon().is_first_name(reading.word(index)) or reading.word(index) == "-"


def _acts(reading: Reading, index: int) -> bool:
    """True if the word at `index` is a verb in a personal form, or goes before one: "Petit refuse", "Petit a dormi"."""
    word = reading.word(index)
    if word in _AUXILIARIES:
        return True
    return lexicon().parts.get(word) in _VERBS and not _INFINITIVE.fullmatch(word) and reading.surface(index).islower()


# An eponym


@cache
def _eponyms() -> frozenset[str]:
    """Return the eponyms of one person."""
    return lexicon().single_eponyms | EPONYMS | _WORDS["single_eponyms"]


@cache
def _several() -> frozenset[str]:
    return lexicon().double_eponyms | _SEVERAL


def _is_in_eponym(reading: Reading, index: int) -> bool:
    word = reading.words[index]
    if _is_in_double_eponym(reading, index) or _is_called_after(reading, index):
        return True
    first = _first_linked(reading, index)
    noun = _plain(reading.word(first))
    if first < index - 1 and f"{noun}-{word}" in _WORDS["named"]:
        return True
    if word not in _eponyms():
        return False
    borne = lexicon().is_first_name(word) or lexicon().surnames.get(word) >= _USUAL_NAME
    if not borne and noun == "selon":
        return True
    if lexicon().surnames.get(word) < _BORNE and (_is_graded(reading, index + 1) or _is_examined(reading, index)):
        return True
    if first < index - 1 and noun in (_WORDS["frames"] if borne else _LOOSE_FRAMES | _WORDS["diagnoses"]):
        return True
    if lexicon().is_first_name(word) and reading.word(index - 1) not in _INDEFINITE:
        return False
    return _is_determined(reading, index) or _is_judged(reading, index)


def _is_called_after(reading: Reading, index: int) -> bool:
    """True for a name right behind "syndrome de", whoever else bears it: "syndrome de Charles Bonnet"."""
    first = index
    while _is_written_as_name(reading, first - 1) and lexicon().is_first_name(reading.word(first - 1)):
        first -= 1
    noun = _first_linked(reading, first)
    return (
        noun < first - 1
        and _is_written_as_name(reading, index)
        and _plain(reading.word(noun)) in _WORDS["called_after"]
        and not _is_whole_name(reading, index)
    )


def _is_whole_name(reading: Reading, index: int) -> bool:
    """True within first name and surname of the patient side by side, whatever disease has it too."""
    patient = reading.document.patient
    given, surnames = _parts_of(*patient.first_names), _parts_of(patient.last_name, patient.birth_name)
    first = last = index
    while reading.word(first - 1) in given | surnames | {"-"}:
        first -= 1
    while reading.word(last + 1) in given | surnames | {"-"}:
        last += 1
    said = set(reading.words[first : last + 1])
    return not said.isdisjoint(surnames) and not said.isdisjoint(given)


def _parts_of(*names: str | None) -> set[str]:
    return {part for name in names if name for part in key(name).split()}


def _first_linked(reading: Reading, index: int) -> int:
    """Return the token before the articles and prepositions that lead to a word; `index - 1` if there are none."""
    at = index - 1
    while reading.word(at) in _LINKS and index - at < 4:
        at -= 1
    return at


def _is_in_double_eponym(reading: Reading, index: int) -> bool:
    """True inside an eponym of several people, joined by hyphens, or by blanks behind a word for a disease."""
    words = reading.words
    for first in range(max(0, index - _LONGEST_RUN), index + 1):
        for last in range(max(index, first + 1), min(len(words), first + _LONGEST_RUN)):
            run = words[first : last + 1]
            if "\n" in run or not run[0].isalpha() or not run[-1].isalpha():
                continue
            if " ".join(word for word in run if word.isalpha() and word != "et") not in _several():
                continue
            joined = len(run) > 2 and all(word == "-" for word in run[1::2])
            given = all(map(lexicon().is_first_name, run[::2]))  # "Pierre-Marie"
            if joined and not (given or _is_titled(reading, first) or _bears(reading, run)):
                return True
            before = _first_linked(reading, first)
            if before < first - 1 and _plain(reading.word(before)) in _LOOSE_FRAMES:
                return True
    return False


def _bears(reading: Reading, run: list[str]) -> bool:
    """True if the patient has all the words of a double eponym as surname."""
    patient = reading.document.patient
    surnames = {part for name in (patient.last_name, patient.birth_name) if name for part in re.split(r"\W+", name)}
    return {word for word in run if word.isalpha()} <= {_plain(part.lower()) for part in surnames}


def _is_determined(reading: Reading, index: int) -> bool:
    """True behind an article that no person's name has: "un Baker", "le Parkinson est stable", "son Crohn"."""
    before = reading.word(index - 1)
    if before not in _INDEFINITE | _DEFINITE or reading.word(index + 1).isdigit():
        return False
    after = index + 1 < len(reading.words) and reading.capitals[index + 1]
    if reading.capitals[index - 1] and not (_opens(reading, index - 1) or reading.shouted(index)):
        return False
    own = any(f"{before} {reading.words[index]}" in name.lower() for name in reading.document.patient.names)
    return not own and not after and (before in _INDEFINITE or not lexicon().is_surname(before + reading.words[index]))


def _is_judged(reading: Reading, index: int) -> bool:
    """True before a verdict, side or grade of a disease: "Raynaud primitif", "Horton écarté", "Hodgkin stade II"."""
    if index and reading.capitals[index - 1] and lexicon().is_first_name(reading.words[index - 1]):
        return False
    at = index + 1
    if reading.word(at) in ("est", "a", "ete", "non", "tres") and _qualifies(reading.word(at + 1), "verdicts"):
        at += 1
    word = reading.word(at)
    if word in _WORDS["grades"] and _is_graded(reading, at + 1):
        return True
    if word in ("droit", "gauche"):
        return True
    if at >= len(reading.words) or reading.surface(at).istitle():
        return False
    accented = "é" in reading.surface(at).lower() or reading.shouted(at)  # "Horton confirme" is a person
    return _qualifies(word, "verdicts") or (accented and _qualifies(word, "judged"))


def _is_examined(reading: Reading, index: int) -> bool:
    """True for a sign before its result in a sentence of an examination: "réflexes vifs, Babinski absent"."""
    start = reading.starts[index]
    sentence = _SENTENCE_ENDS.split(reading.folded[max(0, start - _SENTENCE) : start])[-1]
    found = reading.word(index + 1) in _WORDS["findings_of_signs"]
    return found and not _WORDS["examined"].isdisjoint(re.findall("[a-z]+", sentence))


def _is_graded(reading: Reading, index: int) -> bool:
    """True for a number of one or two digits or a Roman one: "Bosniak II", "Foley 18"."""
    word = reading.word(index)
    if not word or reading.text[reading.ends[index - 1] : reading.starts[index]] != " ":
        return False
    return bool(_ROMAN.fullmatch(word)) or (word.isdigit() and len(word) < 3 and reading.word(index + 1) != "ans")


# A word of the language


def _opens(reading: Reading, index: int) -> bool:
    """True for the first word of a sentence, line or cell with at most one capital, and in text without capitals."""
    surface = reading.surface(index)
    if surface.isupper() and len(surface) > 1 and not reading.shouted(index):
        return False
    before = reading.word(index - 1)
    if reading.lowered(index):  # "maëlle le roux"
        at = index - 2 if before in ("le", "la") else index - 1
        return before not in NAME_FIELDS and not lexicon().is_first_name(reading.word(at))
    return before in _OPENING and not (before == "-" and glued(reading, index))


def _is_common(reading: Reading, index: int) -> bool:
    """True in lower case: within a text that has capitals, or behind an article if the word is rather no surname."""
    if not reading.surface(index).islower():
        return False
    if not reading.lowered(index):
        return True
    return reading.word(index - 1) in _DETERMINERS and not lexicon().is_surname(reading.words[index])


def _has_state(reading: Reading, index: int) -> bool:
    """True for a part or measure with its state: "Bras droit", "Cœur non augmenté", "Poids 54 kg"."""
    shouted = reading.shouted(index)
    if not (_opens(reading, index) or shouted):
        return False
    after = reading.word(index + 1)
    at = index + 2 if after in ("non", "peu", "tres", "bien", ":", "est") else index + 1
    small = at < len(reading.words) and (reading.surface(at).islower() or shouted)
    if small and _qualifies(reading.word(at), "qualities"):
        return True
    if after in ("de", "a", "d", "en") and reading.word(index + 2 + (after == "d")) in _WORDS["described"]:
        return True
    return _plain(reading.words[index]) in _MEASURES and reading.word(at).isdigit()


def _describes(reading: Reading, index: int) -> bool:
    """True for an adjective right before the noun of a thing in lower case: "Petit épanchement", "Long segment"."""
    at = index + 1
    if reading.word(at) == "," and reading.word(at + 1) in _WORDS["builds"]:
        return True  # "Maigre, IMC 17"
    if at >= len(reading.words) or not reading.surface(at).islower() or len(reading.words[at]) < 3:
        return False
    if reading.text[reading.ends[index] : reading.starts[at]] not in (" ", "\n"):
        return False
    noun = _plain(reading.words[at])
    if noun in PROFESSIONS | KINSHIP | PLURAL | _TITLES or noun.startswith("patient"):
        return False
    if noun in PARTS:
        return True
    if noun in _WORDS["findings"]:
        return reading.word(at + 1) not in _WORDS["objects"]
    kinds = set(lexicon().parts.get(noun, "").split("|")) - {""}
    if not kinds:
        return noun in lexicon().medical or noun in lexicon().clinical
    return kinds == {"NOM"} or (kinds == {"NOM", "VER"} and bool(_INFINITIVE.fullmatch(noun)))


def _is_coloured(reading: Reading, index: int) -> bool:
    """True for a colour behind a thing in a line of one case: "SPARADRAP BLANC", "RASH ROSE DU TRONC"."""
    if not (reading.shouted(index) or reading.lowered(index)) or not _qualifies(reading.words[index], "colours"):
        return False
    noun = _plain(reading.word(index - 1))
    if not noun or reading.text[reading.ends[index - 1] : reading.starts[index]] != " ":
        return False
    if noun in PROFESSIONS | KINSHIP | PLURAL | _TITLES or noun.startswith("patient"):
        return False
    return lexicon().parts.get(noun) == "NOM" and not lexicon().first_names.get(noun)


def _is_sized(reading: Reading, index: int) -> bool:
    """True for a size ahead of a finding in a line of capitals: "PETIT ULCERE", "GROS HEMATOME"."""
    if not reading.shouted(index) or not _qualifies(reading.words[index], "sizes"):
        return False
    at = index + 1
    noun = _plain(reading.word(at))
    if not noun.isalpha() or not reading.shouted(at) or reading.text[reading.ends[index] : reading.starts[at]] != " ":
        return False
    if lexicon().is_first_name(noun) or lexicon().is_surname(noun):
        return False
    kinds = set(lexicon().parts.get(noun, "").split("|")) - {""}
    return noun in lexicon().medical or noun in _WORDS["findings"] or kinds in ({"NOM"}, {"NOM", "VER"})


def _is_phrased(reading: Reading, index: int) -> bool:
    """True for a word of the language in a phrase of capitals that names nobody: "LES DEUX BRAS", "EN CANARD".

    Behind an article the word is rather somebody's if that is a part of the name elsewhere: "MME LE COEUR".
    """
    word, before, words = _plain(reading.words[index]), reading.word(index - 1), lexicon()
    if not reading.shouted(index) or len(word) < 3 or word not in words.common:
        return False
    if words.first_names.get(word) >= _GIVEN and before not in ("un", "une"):
        return False
    if reading.text[reading.ends[index - 1] : reading.starts[index]] not in (" ", "") or _is_given(reading, index + 1):
        return False
    ahead, further = reading.word(index - 2), reading.word(index - 3)
    told = (ahead == "." and len(further) == 1) or (ahead == "par" and further in PROFESSIONS)
    if told or _is_given(reading, index - 2) or _is_met(ahead, before, word, reading.word(index + 1)):
        return False  # "PASCAL LE ROUX", "P. DES BOIS", "RELU PAR LE ROUX", "VU LE ROUX"
    if "VER" in words.parts.get(word, "") and before in _SUBJECTS and ahead not in ("'", "’"):
        return True
    if before in _DETERMINING:
        return True
    articled = _has_article(reading, index, f"{before} {reading.words[index]}")
    if before in _PLURAL:
        return word[-1] in "sxz" and not articled  # "LES POISSON" are a family
    if before == "de":
        if ahead in _NEGATIONS and "NOM" in words.parts.get(word, "").split("|") and not articled:
            return True  # "PAS DE POIRIER NI DE DEBOUT"
        return (ahead in PROFESSIONS and word in _DUTIES) or (
            word in PARTS and ahead not in KINSHIP and ahead not in _WORDS["of_people"]
        )
    return before in ("au", "du", "le", "la") and not articled


def _is_met(ahead: str, article: str, word: str, behind: str) -> bool:
    """True where somebody is met, calls or acts, at an hour or not: "10 H LE PETIT", "VU DU BOIS", "PAR LA ROCHE"."""
    if word in PARTS | KINSHIP or (word in _WORDS["compounding"] and behind in _COMPOUNDS | _BEINGS):
        return False
    if article not in ("le", "la", "du", "des") or lexicon().surnames.get(article + word) < _BORNE:
        return False
    if ahead == "par":
        return article != "la" or word not in _WORDS["ways"]  # "SORT PAR LA PORTE"
    met = ahead.isdigit() or ahead in _HOURS or ahead in _MEETING
    return met or (ahead in PROFESSIONS and article in ("le", "la"))  # "CADRE DU BOURG"


def _has_article(reading: Reading, index: int, name: str) -> bool:
    """Return whether the article before a word is a part of a name: of the patient's, or behind a title, in a field."""
    if any(key(name) in key(known) for known in reading.document.patient.names):
        return True
    return any(
        reading.word(at - 1) == reading.word(index - 1)
        and (reading.word(at - 2) in _TITLES or reading.word(at - 2) == ":" or _is_given(reading, at + 1))
        for at in reading.places[reading.words[index]][:_PLACES]
    )


def _is_labelled(reading: Reading, index: int) -> bool:
    """True for a noun behind the label of what is no person: "METEO : MISTRAL", "pricks : Chêne, Olivier"."""
    word, at = _plain(reading.words[index]), index - 1
    while at > index - _LISTED and (
        reading.word(at) in (",", "/") or (reading.word(at).isalpha() and reading.word(at - 1) in (",", "/", ":"))
    ):
        at -= 1
    if reading.word(at) != ":" or reading.word(at - 1) not in _WORDS["labels_of_things"]:
        return False
    beside = reading.starts[at + 1] - reading.ends[at] < _APART and not _is_given(reading, index + 1)
    return beside and "NOM" in lexicon().parts.get(word, "").split("|")


def _is_articled(reading: Reading, index: int) -> bool:
    """True for a noun in small letters behind its article: "une prune", but not "lit un rose marchand"."""
    words, before = lexicon(), reading.word(index - 1)
    ahead = reading.word(index - 2 - (reading.word(index - 2) == "et"))
    if not reading.surface(index).islower() or "NOM" not in words.parts.get(_plain(reading.words[index]), "").split(
        "|"
    ):
        return False
    if before in ("un", "une"):
        return not (ahead in NUMBER_WORDS or ahead in _NUMBERED or words.is_surname(reading.word(index + 1)))
    small = before in _ARTICLES and reading.word(index - 2) in _PREPOSITIONS and not reading.lowered(index)
    return small and not _has_article(reading, index, f"{before} {reading.words[index]}")


def _is_coordinated(reading: Reading, index: int) -> bool:
    """True for an adjective beside one that nobody bears, in a line of one case: "UN ENFANT SAGE ET SOLITAIRE".

    Of a word that the identity or a title says, a verb of being ahead and none behind have to make it one.
    """
    if not (reading.shouted(index) or reading.lowered(index)) or not _is_adjective(reading.words[index]):
        return False
    told = _is_told(reading, index)
    for sign, other, ahead in ((index + 1, index + 2, index - 1), (index - 1, index - 2, index - 3)):
        led = reading.word(ahead).isalpha() and reading.word(ahead) not in _LEADING and not _is_given(reading, ahead)
        seldom = lexicon().surnames.get(reading.word(other)) < _BORNE and not _is_given(reading, other)
        acting = _is_participle(reading.word(other)) or _may_act(reading, max(index, other) + 1)
        being = reading.word(ahead) in _BEING and not acting
        if reading.word(sign) == "et" and led and seldom and _is_quality(reading.word(other)) and (being or not told):
            return True
    return False


def _is_adjective(word: str) -> bool:
    return "ADJ" in lexicon().parts.get(_plain(word), "").split("|")


def _is_quality(word: str) -> bool:
    """True for an adjective that is no determiner, relative or profession."""
    return _is_adjective(word) and word not in _DETERMINING | _PLURAL | _MEETING | KINSHIP | PROFESSIONS | PLURAL


def _is_participle(word: str) -> bool:
    """True for what can be a past participle behind "est": "PAUL EST PARTI ET SAGE AUSSI"."""
    return "VER" in lexicon().parts.get(_plain(word), "").split("|") and bool(_PARTICIPLE.fullmatch(word))


def _may_act(reading: Reading, index: int) -> bool:
    """True if a word can be a verb, in any case: "SAGE REVIENT", but not "SAGE ET DIFFICILE A SUIVRE"."""
    word = reading.word(index)
    if word == "a":
        return not _INFINITIVE.fullmatch(reading.word(index + 1))
    kinds = set(lexicon().parts.get(_plain(word), "").split("|"))
    return word in _AUXILIARIES or ("VER" in kinds and kinds.isdisjoint({"ADV", "PRE"}))


def _is_told(reading: Reading, index: int) -> bool:
    """True for a word that a title is before somewhere, or that is a part of the patient's name."""
    return reading.words[index] in reading.titled or reading.words[index] in _parts_of(*reading.document.patient.names)


def _is_complemented(reading: Reading, index: int) -> bool:
    """True for a noun that opens a sentence, before its use or a plural: "Fontaine de lavage"."""
    kinds, words = lexicon().parts, lexicon()
    opens = reading.word(index - 1) in _OPENING and not glued(reading, index) and not reading.lowered(index)
    if not opens or "NOM" not in kinds.get(_plain(reading.words[index]), "").split("|"):
        return False
    sign = reading.word(index + 1)
    at = index + 2 + (sign == "d")
    noun = _plain(reading.word(at))
    if not noun or not (reading.surface(at).islower() or reading.shouted(at)) or words.surnames.get(noun) >= _BORNE:
        return False
    if not {noun, noun.rstrip("s")}.isdisjoint(_DUTIES | _RETURNS | KINSHIP | PROFESSIONS | PLURAL):
        return False
    if sign == "et":
        said = set(kinds.get(noun, "").split("|"))
        return noun[-1] in "sx" and len(noun) > _SHORTEST and "NOM" in said and said <= {"NOM", "ADJ", "VER"}
    return sign in ("de", "d") and noun in _WORDS["uses"] and words.first_names.get(reading.words[index]) < _GIVEN


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
        if small and words[first] in _WORDS["compounding"] and words[second] in _COMPOUNDS:
            return True
        plain = not reading.lowered(index) and not _is_given(reading, first - 1)  # "GLADYS PETIT-HOMME"
        if small and plain and all(_is_word(words[at]) for at in (index, other)):
            return True
    if words[index] in _WORDS["compounding"] and reading.word(index + 1) in _COMPOUNDS:
        return reading.surface(index + 1).islower() and reading.word(index + 1) != "grand"
    return False


def _is_word(word: str) -> bool:
    return len(word) > 2 and word in lexicon().common and not lexicon().first_names.get(word)


def _is_pill(reading: Reading, index: int) -> bool:
    """True for the brand of a contraceptive behind its kind: "pilule Angélique"."""
    at = index - 1
    if reading.word(at) in ("par", ":"):
        at -= 1
    return _plain(reading.word(at)) in _WORDS["pills"]


_THINGS = (
    _is_coloured, _is_sized, _is_related, _is_phrased, _is_labelled, _is_articled, _is_coordinated, _is_complemented,
)  # fmt: skip
