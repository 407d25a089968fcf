"""Numbers that clinical writing explains: which of them are values, said or written, and no identifiers or dates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.detection.annotators.patterns.identifiers import TRIGGERS
from deid.detection.lookup.lexicon import Kind
from deid.detection.refining.measured_values import (
    MEASURES_OF_DATES,
    MEASURES_OF_NUMBERS,
    NUMBER_OF,
    QUANTITY,
    RATED,
    REACH,
    SHORTEST,
    Number,
    is_bored,
    is_in_table,
    is_pressure,
    is_reference_range,
    is_unit_word,
    listed_words,
)
from deid.detection.refining.medical_codes import (
    CODES_OF_DATES,
    CODES_OF_NUMBERS,
    NAMED_CODE,
    is_marker_alone,
    of_each_week,
)
from deid.detection.text.names import glued
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, Label
from deid.french.calendar import WEEKDAYS, is_pump_setting
from deid.french.check_digits import is_named_drug_code, is_shown_drug_code
from deid.french.numerals import DETECTED_NUMBER_WORDS, NUMBER_WORDS, read_loosely, read_number

_LABELLED = IDENTIFIERS | {Label.PHONE}
_NUMBERED = _LABELLED | {Label.ZIP, Label.DATE}
_SURE_LABEL = 0.8  # score from which a pattern read a label before a number, or a form that only one number has
_SHORT = 5  # letters of an acronym
_SHORT_DAYS = frozenset("lu ma me je ve sa di lun mar mer jeu ven sam dim".split())
_LONG = 6  # digits of a number that the word for one right ahead makes somebody's: "n° 2 345 678 L"
_WEEK = re.compile(rf"(?:{'|'.join(WEEKDAYS)})(?: (?:{'|'.join(WEEKDAYS)}))+")
_DATE_TESTS = (*MEASURES_OF_DATES, *CODES_OF_DATES)
_IDENTIFIER_TESTS = (*MEASURES_OF_NUMBERS, *CODES_OF_NUMBERS)
_DOUBTED = 0.7  # score below which annotators differ


_SPECIALITY = re.compile(r"6\d{7}|9\d{6}")  # CIS, and UCD 7
_OF_PERSONS = sorted(word for word, (label, _) in TRIGGERS.items() if label is not Label.ID)
_PERSONAL = re.compile(rf"\b(?:{'|'.join(_OF_PERSONS)})\b[^\n\d]{{0,25}}\Z")

# The rest of a number of which a part was found: "60" of "60-124".
_LEFT = re.compile(r"(?:[a-z\d]+[-–/.]|\d+,)+\Z")
_RIGHT = re.compile(r"(?:[-–/.][a-z\d]+|,\d+)+")


def drop_values(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions except clinical values, unless an identity or a label before the number says otherwise."""
    return [mention for mention in mentions if not _is_value(reading, mention)]


# "âge lexique inférieur à 6 ans 6 mois", "âge osseux : 7 ans", "soit 9 mois d'âge corrigé": results, nobody's age.
_TESTED = r"(?:lexique|lexical|osseux|mental|moteur|corrige|gestationnel|de (?:lecture|developpement|marche|langage))"
_TESTED_AHEAD = re.compile(
    rf"\bage {_TESTED}\s?(?:[:=(]|a|de|est(?: de)?|estime a|evalue a|(?:infer|super)ieur a|<|>|<=|>=)?\s?\Z"
)
# "L'âge osseux (Greulich et Pyle) est celui d'une fille de 7 ans", "un langage proche de celui d'un enfant de 3 ans".
_STANDARD_AHEAD = re.compile(
    rf"\b(?:age {_TESTED}|maturation|developpement|langage|niveau|performances?|motricite)\b[^.;\n]{{0,100}} "
    r"cel(?:ui|les?) d'une? (?:enfant|nourrisson|fille|fillette|garcon|bebe|adolescente?|sujet) (?:agee? )?(?:de |d')\Z"
)
_STANDARD_REACH = 160
# "FRENCH 3A", "CCMU 2": the degree of a triage.
_SORTED_AHEAD = re.compile(r"\b(?:french|ccmu|cimu|gemsa|tri)\b[ :=(]{0,20}(?:niveau |degre )?\Z")
_TESTED_BEHIND = re.compile(rf"(?:,? soit \d{{1,2}} (?:mois|semaines|ans|jours))? d'age {_TESTED}\b")


# "le MMSE était à 21 en mars et à 24 il y a trois ans": a second result, and no age.
_SCORED_AHEAD = re.compile(
    rf"\b(?:{listed_words('rated')})\b[^;\n]{{0,20}} a \d{{1,3}}\b[^;\n]{{0,60}} (?:et|puis|contre) a \Z"
)


# "née à 39 semaines", "césarienne à trente-sept semaines": how far a pregnancy was, and nobody's age.
_PREGNANT_AHEAD = re.compile(
    rf"\b(?:{listed_words('at_weeks')})\b(?![^.;,\n]*\b(?:r?evue?s?|vue?s?|agee?s?)\b)[^.;,\n\d]{{0,24}} "
    r"(?:a|de|vers|apres|depuis|avant)\s\Z"
)
_WEEKS = re.compile(r"[a-z\d -]+ ?(?:semaines?|sem)")


def _is_tested_age(reading: Reading, mention: Mention) -> bool:
    """True for an age that a test or a correction gives, or that is of a pregnancy."""
    ahead = reading.folded[max(0, mention.start - REACH) : mention.start]
    if _WEEKS.fullmatch(reading.folded, mention.start, mention.end) and _PREGNANT_AHEAD.search(ahead):
        return True
    scored = _SCORED_AHEAD.search(reading.folded, max(0, mention.start - 2 * REACH), mention.start)
    if scored and reading.folded[mention.start : mention.end].isdecimal():
        return True
    if _STANDARD_AHEAD.search(reading.folded, max(0, mention.start - _STANDARD_REACH), mention.start):
        return True
    if _SORTED_AHEAD.search(ahead) and reading.folded[mention.start : mention.end].isdecimal():
        return True
    return _TESTED_AHEAD.search(ahead) is not None or _TESTED_BEHIND.match(reading.folded, mention.end) is not None


def _is_value(reading: Reading, mention: Mention) -> bool:
    if mention.label is Label.AGE and (_is_tested_age(reading, mention) or _is_said_result(mention, reading.folded)):
        return True
    if mention.label is Label.ZIP and mention.end - mention.start == 1:
        return True  # thousands of an altitude: "névé, 2 700"
    if mention.label is Label.RELDATE and of_each_week(reading.folded, mention.start, mention.end):
        return True
    if mention.label in (Label.AGE, Label.RELDATE) or any(vote.annotator == "identity" for vote in mention.votes):
        return False
    start, end, text = mention.start, mention.end, reading.folded
    named = mention.label not in (Label.DATE, *_LABELLED) and not reading.text[start:end].istitle()
    if named and _WEEK.fullmatch(text, start, end) and of_each_week(text, start, end):
        return True  # "IDE MARDI VENDREDI"
    if (
        mention.label not in _NUMBERED
        and not QUANTITY.fullmatch(text, start, end)
        and any(map(str.isalpha, text[start:end]))
    ):
        written = text[start:end]
        coded = any(map(str.isdigit, written)) and is_marker_alone(written)
        return coded or is_unit_word(written, text[max(0, start - REACH) : start])
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    if _is_said_value(mention, text) or _TITRED.fullmatch(text, start, end) or _FLOW.fullmatch(text, start, end):
        return True
    if (
        mention.label is Label.PHONE
        and end - start < SHORTEST
        and (_TIMED.match(text, end) or _OF_A_SIZE.search(text, max(0, start - REACH), start))
    ):
        return True  # "tél 15 min/j", "fixe (largeur 78)"
    if _is_drug_code(reading, start, end) or _is_plain_word(reading, mention):
        return True
    if mention.label in _LABELLED and _is_score(reading, mention, start, end):
        return True
    if start == end or (_labelled(reading, mention) and not is_reference_range(text, start, end)):
        return False
    if left := _LEFT.search(text, max(0, start - REACH), start):
        start = left.start()
    if right := _RIGHT.match(text, end):
        end = right.end()
    before, after = text[max(0, start - REACH) : start], text[end : end + REACH]
    number = Number(mention.label, text[start:end], before, after, mention.score < _DOUBTED)
    if number.digits >= _LONG and number.written[0].isdigit() and NUMBER_OF.search(before):
        return False
    if mention.label is Label.DATE and is_pump_setting(before, number.written):
        return True
    if mention.label is Label.DATE and (is_pressure(reading, number, start) or is_in_table(reading, start, end)):
        return True
    return any(test(number) for test in (_DATE_TESTS if mention.label is Label.DATE else _IDENTIFIER_TESTS))


_OF_A_SIZE = re.compile(
    r"\b(?:largeur|longueur|hauteur|taille|diametre|epaisseur|format|page|colonnes?|lignes?) ?[:=]? ?\Z"
)
_TIMED = re.compile(r" ?(?:min|mn|sec|h|j|jours?|semaines?|mois|fois)\b")
# Oxygen, its flow and the saturation under it: "O2 2 l 93".
_FLOW = re.compile(r"o2 \d{1,2}(?:[.,]\d)? ?l(?: \d{2,3})?")
# A titre with what has it: "T21 1/4200".
_TITRED = re.compile(r"[a-z]{1,6}\d{0,2} ?:? 1 ?/ ?(?!(?:19|20)\d\d\Z)\d{3,6}")
_SAID = re.compile(r"[a-z]+")
_SAID_BEFORE = re.compile(r"\b(?P<lead>virgule|le|du|au|en|et|ou|a partir du|depuis|fin|debut|annees?) \Z")
_LEAST_SAID, _MOST_SAID = 4, 5  # words of a dictated telephone or file number, at least; of a value, at most
_MOST = 1000  # below which a number said as one is a value
_YEARS, _NO_DAY = range(1850, 2100), range(32, 100)
# What a short number said as one follows where somebody dials it: "poste quatre cent douze", "au six cent trois".
_DIALLED = re.compile(
    rf"\b(?:{'|'.join(sorted(TRIGGERS))}|poste|bip|dect|tel|telephone|fax|ligne|portable|fixe|standard|interne|numero|code|"
    r"les?|aux?|du) \Z"
)


_SAID_RESULT = re.compile(rf"\b(?:{listed_words('measured')}|cd\d{{1,2}})(?: est| sont)? a \Z")


def _is_said_result(mention: Mention, text: str) -> bool:
    """Return whether number words without a unit follow what was measured: "CD4 à quatre-vingt-sept"."""
    said = _SAID.findall(text, mention.start, mention.end)
    bare = said and NUMBER_WORDS.issuperset(said)
    return bool(bare) and _SAID_RESULT.search(text, max(0, mention.start - REACH), mention.start) is not None


def _is_said_value(mention: Mention, text: str) -> bool:
    """Return whether number words are a value: behind "virgule", too few for an identifier, no year or day.

    "zéro virgule quatre-vingt-quatorze", "CD4 à quatre-vingt-sept", "PO2 soixante-neuf".
    """
    words = _said_words(mention, text)
    said = [word.group() for word in words if word.group() != "et"]
    if not said or not NUMBER_WORDS.issuperset(said):
        return False
    behind = _SAID.match(text, words[-1].end() + 1)
    if behind and behind.group() in NUMBER_WORDS - {"et"}:
        return False  # the number goes on
    ahead = text[max(0, words[0].start() - REACH) : words[0].start()]
    before = _SAID_BEFORE.search(ahead)
    if before and before["lead"] == "virgule":
        return True
    if mention.label in _LABELLED | {Label.ZIP}:
        whole = (words[0].start(), words[-1].end()) == (mention.start, mention.end)
        one = mention.label is Label.PHONE and _is_one_number(said, ahead)
        return one or (len(said) < _LEAST_SAID and whole)
    if before and before["lead"] in ("au", "du"):
        after = text[mention.end : mention.end + REACH]
        return is_bored(ahead, after) or (read_loosely(said) or 0) in _NO_DAY
    return before is None and len(said) <= _MOST_SAID and read_loosely(said) not in _YEARS


def _said_words(mention: Mention, text: str) -> list[re.Match[str]]:
    """Return the words of a mention without a figure; of an identifier, from the first number word to the last."""
    if any(map(str.isdigit, text[mention.start : mention.end])):
        return []
    words = [*_SAID.finditer(text, mention.start, mention.end)]
    numbers = [at for at, word in enumerate(words) if word.group() in NUMBER_WORDS]
    if mention.label not in _LABELLED or not numbers:
        return words
    return words[numbers[0] : numbers[-1] + 1]


def _is_one_number(said: Sequence[str], ahead: str) -> bool:
    """Return whether words say one number, which nobody dials: "dlp six cent quatre-vingt-dix"."""
    return (read_number(said) or _MOST) < _MOST and "zero" not in said and not _DIALLED.search(ahead)


def _is_drug_code(reading: Reading, start: int, end: int) -> bool:
    """Return whether a number is a code of a drug: by its kind before it, or by its key, its kind or the drug behind.

    The label of a person's number before it says otherwise, but for its kind.
    """
    text = reading.digits
    if not any(map(str.isdecimal, text[start:end])):
        return False
    if is_named_drug_code(text, start, end):
        return True
    if _PERSONAL.search(text[max(0, start - REACH) : start]):
        return False
    after = reading.words[reading.token_at(end) : reading.token_at(end) + 2]
    of_a_drug = _SPECIALITY.fullmatch(text, start, end) and any(word in reading.lexicon.drugs for word in after)
    return bool(of_a_drug) or is_shown_drug_code(text, start, end)


def _is_plain_word(reading: Reading, mention: Mention) -> bool:
    """Return whether words of the language without a figure were taken for a number: "prélèvement [urinaire]"."""
    words = [reading.words[at] for at in reading.tokens(mention)]
    if mention.label not in IDENTIFIERS or any(map(str.isdigit, reading.digits[mention.start : mention.end])):
        return False
    lexicon = reading.lexicon
    first = reading.token_at(mention.start)
    if words in (["am"], ["pm"]) or (len(words) > 1 and all(one in _SHORT_DAYS or not one.isalpha() for one in words)):
        return True  # of care: "LU-ME-VE", "série AM"
    acronym = len(words) == 1 and words[0].isalpha() and reading.surface(first).isupper() and len(words[0]) <= _SHORT
    named = NAMED_CODE.search(reading.folded, max(0, mention.start - REACH), mention.start)
    numbered = reading.word(first + 1)[:1].isdigit()
    if acronym and not (glued(reading, first) or glued(reading, first + 1)) and (numbered or not named):
        return True  # "séq. AZF : pas de délétion", "dossier UMJ 31-2019"
    plain = (lexicon.is_word(one) or one in lexicon.medical for one in words if one.isalpha())
    return all(plain) and DETECTED_NUMBER_WORDS.isdisjoint(words)


# "ACL-RSI 48/100", "MFM-D1 : 61/100", "MMSE 22/30": letters of a scale with what is told out of its total.
_SCORED = re.compile(
    r"(?P<scale>(?=[a-z-]{3}|[a-z]+-\d)[a-z]+\d?(?:-[a-z\d]{1,4})?) ?[:=]? ?([1-9]?\d|100) ?/ ?([1-9]\d{1,2})"
)
_HUNDRED = 100  # a total that is no year of two figures, which a number of a register ends by: "PV 12/20"
_SENTENCE_ENDED = re.compile(r"[a-z]{5,}\. \Z")


def _is_score(reading: Reading, mention: Mention, start: int, end: int) -> bool:
    """Return whether a number is a scale and its score: out of 100, or of less on a scale that detection knows.

    A label of its own sentence ahead says otherwise.
    """
    text = reading.folded
    scored, ahead = _SCORED.fullmatch(text, start, end), text[max(0, start - REACH) : start]
    if not scored or int(scored[2]) > int(scored[3]) or _LEFT.search(ahead) or _RIGHT.match(text, end):
        return False
    if not _SENTENCE_ENDED.search(ahead) and (_labelled(reading, mention) or NUMBER_OF.search(ahead)):
        return False
    return int(scored[3]) == _HUNDRED or RATED.search(scored["scale"]) is not None


def _labelled(reading: Reading, mention: Mention) -> bool:
    """Return whether a pattern found an identifier here, by its label or its form; or a town behind a postal code."""
    if mention.label is Label.ZIP:
        town = reading.starts[reading.token_at(mention.end) : reading.token_at(mention.end) + 1]
        if any(hit.entry.kind is Kind.COMMUNE for hit in reading.hits_at.get(town[0] if town else -1, ())):
            return True
    return any(one.label in _LABELLED and one.score >= _SURE_LABEL for one in reading.overlapping("patterns", mention))
