"""Numbers that clinical writing explains: values with a unit, intervals, ratios, ordinals, markers, codes, doses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from deid.detection.annotators.patterns.identifiers import TRIGGERS
from deid.detection.lookup.lexicon import Kind
from deid.detection.text.names import glued
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, Label
from deid.french.calendar import DETECTED_MONTHS, WEEKDAYS, is_pump_setting
from deid.french.check_digits import is_named_drug_code, is_shown_drug_code
from deid.french.numerals import DETECTED_NUMBER_WORDS, NUMBER_WORDS, read_loosely, read_number

_LABELLED = IDENTIFIERS | {Label.PHONE}
_NUMBERED = _LABELLED | {Label.ZIP, Label.DATE}
_REACH = 60  # characters on each side of a mention that are read
_SURE_LABEL = 0.8  # score from which a pattern read a label before a number, or a form that only one number has
_SHORTEST, _OF_A_MARKER = 3, 5  # digits of a number that may be a telephone's; most of a marker with a Greek letter
_SHORT = 5  # letters of an acronym
_SHORT_DAYS = frozenset("lu ma me je ve sa di lun mar mer jeu ven sam dim".split())
_LONG = 6  # digits of a number that the word for one right ahead makes somebody's: "n° 2 345 678 L"
_LONGEST = 8  # digits from which a number is no measured value
_LAST_DAY, _LAST_MONTH = 31, 12
_DOUBTED = 0.7  # score below which annotators differ


def _words(*titles: str) -> str:
    listed = {word for title in titles for word in word_list(title)}
    return "|".join(re.escape(word) for word in sorted(listed, key=lambda word: (-len(word), word)))


_SPECIALITY = re.compile(r"6\d{7}|9\d{6}")  # CIS, and UCD 7
_OF_PERSONS = sorted(word for word, (label, _) in TRIGGERS.items() if label is not Label.ID)
_PERSONAL = re.compile(rf"\b(?:{'|'.join(_OF_PERSONS)})\b[^\n\d]{{0,25}}\Z")

# The rest of a number of which a part was found: "60" of "60-124".
_LEFT = re.compile(r"(?:[a-z\d]+[-–/.]|\d+,)+\Z")
_RIGHT = re.compile(r"(?:[-–/.][a-z\d]+|,\d+)+")


@dataclass(frozen=True, slots=True)
class _Number:
    """A mention without signs at its ends, and the rest of its line on both sides; all folded."""

    label: Label
    written: str
    before: str
    after: str
    doubted: bool  # no two annotators were sure

    @property
    def digits(self) -> int:
        return sum(map(str.isdigit, self.written))


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
    rf"\b(?:{_words('rated')})\b[^;\n]{{0,20}} a \d{{1,3}}\b[^;\n]{{0,60}} (?:et|puis|contre) a \Z"
)


# "née à 39 semaines", "césarienne à trente-sept semaines": how far a pregnancy was, and nobody's age.
_PREGNANT_AHEAD = re.compile(
    rf"\b(?:{_words('at_weeks')})\b(?![^.;,\n]*\b(?:r?evue?s?|vue?s?|agee?s?)\b)[^.;,\n\d]{{0,24}} "
    r"(?:a|de|vers|apres|depuis|avant)\s\Z"
)
_WEEKS = re.compile(r"[a-z\d -]+ ?(?:semaines?|sem)")


def _is_tested_age(reading: Reading, mention: Mention) -> bool:
    """True for an age that a test or a correction gives, or that is of a pregnancy."""
    ahead = reading.folded[max(0, mention.start - _REACH) : mention.start]
    if _WEEKS.fullmatch(reading.folded, mention.start, mention.end) and _PREGNANT_AHEAD.search(ahead):
        return True
    scored = _SCORED_AHEAD.search(reading.folded, max(0, mention.start - 2 * _REACH), mention.start)
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
    if mention.label is Label.RELDATE and _of_each_week(reading.folded, mention.start, mention.end):
        return True
    if mention.label in (Label.AGE, Label.RELDATE) or any(vote.annotator == "identity" for vote in mention.votes):
        return False
    start, end, text = mention.start, mention.end, reading.folded
    named = mention.label not in (Label.DATE, *_LABELLED) and not reading.text[start:end].istitle()
    if named and _WEEK.fullmatch(text, start, end) and _of_each_week(text, start, end):
        return True  # "IDE MARDI VENDREDI"
    if (
        mention.label not in _NUMBERED
        and not _QUANTITY.fullmatch(text, start, end)
        and any(map(str.isalpha, text[start:end]))
    ):
        written = text[start:end]
        coded = any(map(str.isdigit, written)) and (_MARKER.fullmatch(written) or _LOCUS.fullmatch(written))
        return bool(coded) or _is_unit(written, text[max(0, start - _REACH) : start])
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    if _is_said_value(mention, text) or _TITRED.fullmatch(text, start, end) or _FLOW.fullmatch(text, start, end):
        return True
    if (
        mention.label is Label.PHONE
        and end - start < _SHORTEST
        and (_TIMED.match(text, end) or _OF_A_SIZE.search(text, max(0, start - _REACH), start))
    ):
        return True  # "tél 15 min/j", "fixe (largeur 78)"
    if _is_drug_code(reading, start, end) or _is_plain_word(reading, mention):
        return True
    if mention.label in _LABELLED and _is_score(reading, mention, start, end):
        return True
    if start == end or (_labelled(reading, mention) and not _is_reference_range(text, start, end)):
        return False
    if left := _LEFT.search(text, max(0, start - _REACH), start):
        start = left.start()
    if right := _RIGHT.match(text, end):
        end = right.end()
    before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
    number = _Number(mention.label, text[start:end], before, after, mention.score < _DOUBTED)
    if number.digits >= _LONG and number.written[0].isdigit() and _NUMBER_OF.search(before):
        return False
    if mention.label is Label.DATE and is_pump_setting(before, number.written):
        return True
    if mention.label is Label.DATE and _is_pressure_pair(number) and PRESSURE_NAMED.search(text, 0, start):
        return True
    line = reading.line(start)[0]
    if mention.label is Label.DATE and _is_pressure_row(number) and PRESSURE_NAMED.search(text, line, start):
        return True
    if mention.label is Label.DATE and _is_in_table(reading, start, end):
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


_SAID_RESULT = re.compile(rf"\b(?:{_words('measured')}|cd\d{{1,2}})(?: est| sont)? a \Z")


def _is_said_result(mention: Mention, text: str) -> bool:
    """Return whether number words without a unit follow what was measured: "CD4 à quatre-vingt-sept"."""
    said = _SAID.findall(text, mention.start, mention.end)
    bare = said and NUMBER_WORDS.issuperset(said)
    return bool(bare) and _SAID_RESULT.search(text, max(0, mention.start - _REACH), mention.start) is not None


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
    ahead = text[max(0, words[0].start() - _REACH) : words[0].start()]
    before = _SAID_BEFORE.search(ahead)
    if before and before["lead"] == "virgule":
        return True
    if mention.label in _LABELLED | {Label.ZIP}:
        whole = (words[0].start(), words[-1].end()) == (mention.start, mention.end)
        one = mention.label is Label.PHONE and _is_one_number(said, ahead)
        return one or (len(said) < _LEAST_SAID and whole)
    if before and before["lead"] in ("au", "du"):
        after = text[mention.end : mention.end + _REACH]
        return _is_bored(ahead, after) or (read_loosely(said) or 0) in _NO_DAY
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
    if _PERSONAL.search(text[max(0, start - _REACH) : start]):
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
    named = _NAMED_CODE.search(reading.folded, max(0, mention.start - _REACH), mention.start)
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
    scored, ahead = _SCORED.fullmatch(text, start, end), text[max(0, start - _REACH) : start]
    if not scored or int(scored[2]) > int(scored[3]) or _LEFT.search(ahead) or _RIGHT.match(text, end):
        return False
    if not _SENTENCE_ENDED.search(ahead) and (_labelled(reading, mention) or _NUMBER_OF.search(ahead)):
        return False
    return int(scored[3]) == _HUNDRED or _RATED.search(scored["scale"]) is not None


def _labelled(reading: Reading, mention: Mention) -> bool:
    """Return whether a pattern found an identifier here, by its label or its form; or a town behind a postal code."""
    if mention.label is Label.ZIP:
        town = reading.starts[reading.token_at(mention.end) : reading.token_at(mention.end) + 1]
        if any(hit.entry.kind is Kind.COMMUNE for hit in reading.hits_at.get(town[0] if town else -1, ())):
            return True
    return any(one.label in _LABELLED and one.score >= _SURE_LABEL for one in reading.overlapping("patterns", mention))


def _is_reference_range(text: str, start: int, end: int) -> bool:
    """Return whether a number is the range of reference of a value shortly before, with its unit."""
    before = text[max(0, start - _VALUE_REACH) : start]
    return bool(_rises(text[start:end]) and _REFERENCE.search(before) and _VALUE.search(before))


# Values with a unit, and intervals

_SYMBOL = (
    r"(?:[kmcdnpfµμu]?g|mcg|gr|[mcdµμunf]?l|[kcmµμn]m[23²³]?|[mµμunp]?mol|m?eq|m?osm|m?[µμu]?ui|[mkµμ]iu|[µμ]?kat|[cm]?gy|"
    r"[µμm]?sv|[mk]v|[kmg]?hz|[kh]pa|mmhg|cm ?h2o|k?cal|kj|[mg]bq|msec|uh|u)"
)
_PER = (
    r"(?:mm ?[23³]?|[µμu]l|m?l|dl|min|mn|jours?|j|24 ?h|h|ans?|champs?|kg|m2|semaines?|sem|mois|prises?|fois|g|mol|"
    r"cycles?)"
)
_COMPOUND = rf"{_SYMBOL}(?: ?[/.] ?{_PER}| ?/ ?{_SYMBOL})*"
_UNIT = re.compile(
    rf"[)\]]? {{0,2}}(?:[%‰º]|['’]{{2}}|°(?![\w])|° ?c\b|/ ?{_PER}(?!\w)|"
    r"par (?:jour|minute|semaine|mois|heure)\b|"
    rf"(?:{_COMPOUND}|{_words('counted_things')})(?![\w'’])(?! ?°))"
)
_A_UNIT = re.compile(rf"(?:{_SYMBOL}|{_PER})")
_UNIT_WORD = re.compile(
    r"(?:c?grays?|sieverts?|becquerels?|joules?|watts?|volts?|amperes?|hertz|pascals?|newtons?|celsius|kelvin|ohms?|"
    r"daltons?|charrieres?|gauges?)"
)
_COUNTED = re.compile(r"\d ?\Z")
_DOSED = re.compile(rf"\d ?{_SYMBOL} ?(?:/|par) ?\Z")
_AMOUNT = r"(?:0|(?!0)\d{1,7})(?:[ .]\d{3}){0,2}(?:[.,]\d{1,3})?"
_INTERVAL = re.compile(rf"({_AMOUNT}) ?(?:[-–—]|a|et) ?({_AMOUNT})")
_QUANTITY = re.compile(
    rf"(?:[a-z]{{1,4}}\d{{0,2}}(?:-[a-z]\d{{1,2}})? (?:a|de|=|:) )?{_AMOUNT}"
    rf"(?P<unit> ?(?:[%‰º]|/ ?{_PER}|{_COMPOUND}))?"
)
# "77 µmol/L", then "Référence : 45-104"; "N/Réf. : 45-104" is that of a file.
_VALUE_REACH = 100
_VALUE = re.compile(rf"\d\s{{0,4}}{_SYMBOL}(?: ?/ ?{_PER})?(?!\w)")
_REFERENCE = re.compile(r"(?<![/\w])(?<!notre )(?<!votre )(?<!nos )(?<!vos )references? ?[:=]? ?\Z")
_DECIMALS = re.compile(r"\d{1,4}[.,]\d{1,3} ?(?:[-–—]|a|et) ?\d{1,4}[.,]\d{1,3}")
_NORM = re.compile(
    r"(?:\b(?:vn|vr|norm\w*) ?|"
    r"\b(?:n|vn|vr|nle?s?|norm\w*|valeurs? (?:usuelles?|normales?|de reference)|reference|cible|objectif)"
    rf" ?(?:[:=<>(\[]|,? entre| de) ?(?:entre )?(?:{_AMOUNT} (?:et|a) )?|(?:[%\d]|\b{_SYMBOL}(?:/{_PER})?) ?[(\[] ?|"
    rf"\d\s{{0,12}}{_SYMBOL}(?: ?/ ?{_PER})?\s{{1,20}})\Z"
)


def _is_unit(written: str, before: str) -> bool:
    """Return whether a word is a unit behind a number ("60 Gray"), or the rest of one: "15 mg/kg"."""
    if _UNIT_WORD.fullmatch(written):
        return bool(_COUNTED.search(before))
    return bool(_A_UNIT.fullmatch(written) and _DOSED.search(before))


# Bounds with a fraction that is no month: "0.93-1.70", "4.04-15.20".
_NO_DAYS = re.compile(r"\d{1,3}\.\d{1,3} ?- ?\d{1,3}\.(?:1[3-9]|[2-9]\d|\d{3})|0\.\d{1,3} ?- ?\d{1,3}\.\d{1,3}")
# "106 et 26 minutes": the unit stands behind the last value only.
_SEVERAL = re.compile(rf"(?:,| et| ou| a| puis) {_AMOUNT} (?:{_words('counted_things')}|{_COMPOUND})\b")
_OF_PRESSURE = re.compile(r"\b(?:pression|tension|chiffres?)\b[^.;\n]{0,60}\Z")
_NORM_COLUMN = re.compile(rf" {{2,}}{_AMOUNT} ?[-–] ?\d")
_OF_TIME = re.compile(r" ?(?:s|sec|sem|semaines|min|mois|hz)\b")
_OTHER_BOUND = re.compile(rf" (?:et|a) {_AMOUNT}")


def _has_unit(number: _Number) -> bool:
    quantity = _QUANTITY.fullmatch(number.written)
    if quantity and quantity["unit"]:
        return True
    if number.label is Label.PHONE and 0 < number.digits < _SHORTEST and _OF_PRESSURE.search(number.before):
        return True
    if quantity and _SEVERAL.match(number.after) and number.label is not Label.DATE:
        return True
    if _JOINED.fullmatch(number.written) and _OF_TIME.match(number.after):
        return not _DATED.search(number.before)
    if (quantity and number.digits < _LONGEST) or _rises(number.written):
        return bool(_UNIT.match(number.after) or _NORM_COLUMN.match(number.after))
    return bool(_RATIO.fullmatch(number.written) and re.match(r" ?(?:[cm]m(?: ?hg)?|segments)\b", number.after))


def _rises(written: str) -> bool:
    """Return whether two numbers are the bounds of an interval, the lower one first."""
    bounds = _INTERVAL.fullmatch(written)
    return bounds is not None and _amount(bounds[1]) < _amount(bounds[2])


def _amount(written: str) -> float:
    if not written.startswith("0"):
        written = re.sub(r"[ .](?=\d{3})", "", written)
    return float(written.replace(",", ".").replace(" ", ""))


def _is_interval(number: _Number) -> bool:
    """Return whether a number is a bound of normal values, or an interval of decimal numbers."""
    if number.label is Label.DATE and re.search(r"[/.]|\d{4}", number.written):
        return bool(_rises(number.written) and _NO_DAYS.fullmatch(number.written))
    if _NORM.search(number.before) and (_rises(number.written) or " entre" in number.before[-20:]):
        return True
    if number.before.endswith("entre ") and (other := _OTHER_BOUND.match(number.after)):
        return bool(_UNIT.match(number.after, other.end()))
    return bool(_DECIMALS.fullmatch(number.written)) and _rises(number.written)


# Values behind what was measured, ratios, titres, fractions

_LINK = (
    r"(?: ?[:=<>≤≥~(]| (?:a|de|est|sont|etait|etaient|au|estimee?s?|mesuree?s?|stables?|normale?s?|elevee?s?|basse?s?|"
    r"environ|actuelle?s?|totale?s?|revenant|revenue?s?|s'elevait|s'eleve|chiffree?s?|dosee?s?|superieure?s?|inferieure?s?|"
    r"entre|initiale?s?|serique|sanguine?)\b)"
)
_AFTER_NAME = rf"(?: (?:au|de|sur le) (?:doigt|repos|lobe))?(?: ?\([^()\n]{{1,50}}\))?{_LINK}{{0,4}} {{0,12}}\Z"
_MEASURED = re.compile(rf"\b(?:{_words('measured')}){_AFTER_NAME}|\bp ?[=<>≤] ?\Z")
_MEASURED_IN_THOUSANDS = re.compile(rf"\b(?:{_words('measured_in_thousands')}){_AFTER_NAME}")
# What was measured, inside the mention: "LDH 2408".
_NAMED_VALUE = re.compile(rf"(?=[a-z]{{3}})(?:{_words('measured')})(?: | ?[:=] ?)(?!(?:19|20)\d\d\Z){_AMOUNT}")
_A_YEAR = re.compile(r"(?:19|20)\d\d")
_PLAIN = re.compile(rf"{_AMOUNT}(?: ?[-–—] ?{_AMOUNT})?")
_TITRE = re.compile(r"1 ?/ ?(?!(?:19|20)\d\d$)\d{3,6}")
_RATIO = re.compile(r"(\d{1,3}) ?/ ?(\d{1,3})")
_PRESSURE = re.compile(
    rf"\b(?:ta|pa|tension(?: arterielle)?|pression(?: arterielle)?|chiffres tensionnels?){_LINK}{{0,4}} {{0,4}}\Z"
)
# "18/9 - 14/8" in a table: before and after a session. As days and months, the second is the earlier.
PRESSURE_NAMED = re.compile(r"\b(?:ta|pa|tension|pression)\b")
_PAIR_BEFORE, _PAIR_AFTER = (
    re.compile(r"(\d{1,2})/(\d{1,2}) ?[-–] ?\Z"),
    re.compile(r" ?[-–] ?(\d{1,2})/(\d{1,2})(?![\d/])"),
)
_RATED = re.compile(rf"\b(?:{_words('rated')})\b[^.;\d\n]{{0,40}}(?:\d{{1,3}} ?/ ?\d{{1,3}}[^.;\d\n]{{1,30}})*\Z")
# "j'ai 13/8 d'habitude", "15/9 couché", "12/7, EVA 3"
_PRESSURE_BEHIND = re.compile(
    r" ?(?:\(?(?:d'habitude|habituellement|couchee?|debout|assise?|au repos|au bras|aux (?:deux|2) bras|de tension)\b)|"
    r" ?[,;/-] ?(?:eva|evs|fc|pouls|sat|spo2|sao2|t°|temp|fr|hgt|dextro|glasgow|gcs)\b"
)
_PAIRS_AHEAD, _PAIRS_BEHIND = re.compile(r"(?:\d{1,2}/\d{1,2} )+\Z"), re.compile(r"(?: \d{1,2}/\d{1,2})+(?![\d/])")
# "quadriceps 4/3, releveurs 2/1": right and left, or out of five.
_GRADED = re.compile(
    rf"\b(?:{_words('graded')})s?\b[^.;\d\n]{{0,24}}"
    r"(?:(?<! l[ea] )(?<! [da]u )[0-5] ?/ ?[0-5][^.;\d\n]{1,24})*\Z"
)
_GRADES = re.compile(r"[0-5] ?/ ?[0-5]")
# "EN 8/10": a pain rated by a number.
_PAIN = re.compile(r"(?:(?:^|[,;:(] ?)(?:en|eva|evs|ens)|\be\.[vn]\.[as]\.?) ?[:=]? ?\Z")
# "EVA entre 20 et 30", "normale jusqu'à 28": a rating on a scale of its own, a bound.
_SCALED = re.compile(
    r"(?:\b(?:eva|evs|ens)\)?,? (?:estimee? |cotee? |chiffree? )?(?:entre|a|de|est a|est de|:)|"
    r"\bnormale?s? (?:jusqu'a|inferieure?s? a|superieure?s? a)) ?\Z"
)
# "10/10 à la 5ème minute": the score of a newborn.
_AT_MINUTE = re.compile(r" a (?:la )?(?:\d{1,2}|une|cinq|dix) ?(?:ere|re|i?e|i?eme)? ?(?:minutes?|min|mn)\b")
_DATED = re.compile(r"\b(?:le|du|au|les|ce|des|depuis|vers) \Z")
_RATED_BEHIND = re.compile(
    r" (?:et \d{1,2}/\d{1,2} )?(?:a l'|au niveau de l'|de l'|pour l'|a |aux? )?(?:(?:oe|œ)il|od|og|odg)\b"
)
_PART = re.compile(r"[1-7] ?/ ?[2-8]")
_RESECTED = re.compile(
    r"\b(?:re?sections?|gastrectomies?|colectomies?|excisions?|tiers|parties?) (?:de |des |aux? )?\Z"
)
_OF_A_WHOLE = re.compile(
    r" (?:sup|inf|moy|prox|dist|ext|int|ant|post|med|lat|centr|droit|gauche|externe|interne)\w*\b|"
    r" (?:de la|de l'|des|du) (?!matin|soir|mois|midi)"
)


# "km 118 204 → 118 291": what the counter of a vehicle shows.
_COUNTER = r"(?:km|kms|compteur|kilometrage)(?: (?:au )?(?:depart|arrivee|debut|fin|retour))? ?[:=]? ?"
_ODOMETER = re.compile(rf"\b{_COUNTER}(?:\d{{1,3}}[ .]?\d{{3}} ?(?:→|->|-|/|a|au) ?)?\Z")
_ODOMETER_READ = re.compile(rf"(?:{_COUNTER})?\d{{1,3}}[ .]?\d{{3}}")


def _is_odometer(number: _Number) -> bool:
    if not _ODOMETER_READ.fullmatch(number.written):
        return False
    return number.written.startswith("k") or _ODOMETER.search(number.before) is not None


def _is_measured(number: _Number) -> bool:
    if _NAMED_VALUE.fullmatch(number.written):
        return True
    if not _PLAIN.fullmatch(number.written) or number.digits >= _LONGEST:
        return False
    if number.label is Label.DATE and re.match(r" ?[:=]", number.after):
        return False
    if _SCALED.search(number.before):
        return True
    names = _MEASURED_IN_THOUSANDS if _A_YEAR.fullmatch(number.written) else _MEASURED
    return bool(names.search(number.before))


def _is_ratio(number: _Number) -> bool:
    if _TITRE.fullmatch(number.written):
        return True
    ratio = _RATIO.fullmatch(number.written)
    if not ratio:
        return False
    out_of_ten = ratio[2] == "10" and not ratio[1].startswith("0") and int(ratio[1]) <= 10
    if out_of_ten and (_PAIN.search(number.before) or _AT_MINUTE.match(number.after)):
        return True
    if number.label is Label.DATE:
        if _GRADES.fullmatch(number.written) and _GRADED.search(number.before) and not _DATED.search(number.before):
            return True
        if is_arm_pressure(ratio) and _PRESSURE_BEHIND.match(number.after) and not _DATED.search(number.before):
            return True
        out_of = int(ratio[1]) <= int(ratio[2]) or _PRESSURE.search(number.before)
        if not out_of or _DATED.search(number.before) or re.match(r" ?[:=]", number.after):
            return False
    tests = _RATED.search(number.before), _PRESSURE.search(number.before), _RATED_BEHIND.match(number.after)
    return any(tests)


def _is_no_day(number: _Number) -> bool:
    """Return whether two numbers with a stroke are neither days, a day and month, nor a month and year: "168/92"."""
    ratio = _RATIO.fullmatch(number.written)
    if not ratio:
        return False
    first, second = int(ratio[1]), int(ratio[2])
    return first > _LAST_DAY or (first > _LAST_MONTH and second > _LAST_DAY)


# "VNI nippv 18/6", "BiPAP 14/5": two pressures of a ventilator.
_VENTILATED = re.compile(rf"\b(?:(?:{_words('ventilating')})[ :=+/-]{{1,3}})+\Z")
_BEGUN = re.compile(
    r"\b(?:debut|arret|fin|pose|sevr|sorti|mise?\b|depuis|repri|retrait|retir|stop|install|instaur|initi|introdui?)\w*"
    r"[^.;,\n]{0,30}\Z"
)
_SET_PAIR = re.compile(r"[1-9]\d?/[1-9]\d?")
# "cst 13/8 96 36,9": pressure, pulse and temperature in a row, behind a word for one of them or all.
_VITALS_NAMED = re.compile(r"\b(?:csts?|cstes?|const|constantes?|param|parametres?|ta|pa|tension)\b[ .:=(]{1,4}\Z")
_VITALS = re.compile(r"(\d{1,2})/(\d{1,2}) \d{2,3} (?:(?:\d{2,3}|[a-z]{1,3}) )?(?:3[4-9]|4[0-2])[.,]\d(?!\d)")


def _is_setting(number: _Number) -> bool:
    """Return whether two numbers are pressures of a ventilator, or open a row of vital signs."""
    row = _VITALS.match(f"{number.written}{number.after}")
    if row and is_arm_pressure(row) and _VITALS_NAMED.search(number.before):
        return True
    mode = _VENTILATED.search(number.before) if _SET_PAIR.fullmatch(number.written) else None
    return bool(mode and not _BEGUN.search(number.before[: mode.start()]) and not _TO_A_DAY.match(number.after))


def _is_pressure_pair(number: _Number) -> bool:
    """Return whether a number is one of two pressures of the arm, in cmHg, that are no dates in their order."""
    written = _RATIO.fullmatch(number.written)
    beside = _PAIR_BEFORE.search(number.before) or _PAIR_AFTER.match(number.after)
    if not written or not beside:
        return False
    pairs = [(int(one[1]), int(one[2])) for one in (written, beside)]
    if beside.re is _PAIR_BEFORE:
        pairs.reverse()
    (first, second), (last, diastolic) = pairs
    return all(map(is_arm_pressure, (written, beside))) and (diastolic, last) < (second, first)


def _is_pressure_row(number: _Number) -> bool:
    """Return whether a pair is one of three pressures of the arm or more in a row: "14/8 13/7 15/9"."""
    ahead, behind = _PAIRS_AHEAD.search(number.before), _PAIRS_BEHIND.match(number.after)
    row = [*_RATIO.finditer(f"{ahead.group() if ahead else ''}{number.written}{behind.group() if behind else ''}")]
    return len(row) > 2 and all(map(is_arm_pressure, row))


def is_arm_pressure(pair: re.Match[str]) -> bool:
    """Return whether two numbers may be the pressures of an arm, in cmHg: "13/8"."""
    high, low = int(pair[1]), int(pair[2])
    return 7 <= high <= 26 and low <= 14 and low < high <= 3 * low


def _is_part(number: _Number) -> bool:
    """Return whether a fraction is a part of something: "1/3 proximal", "les 2/3 de la cuisse"."""
    if not _PART.fullmatch(number.written):
        return False
    if _RESECTED.search(number.before):
        return True
    several = number.before.endswith(("les ", "aux ", "tiers ")) and not re.match(
        r",? ?(?:et |au |a |[-/] ?)?\d", number.after
    )
    return several or bool(_OF_A_WHOLE.match(number.after))


# "| Diurèse mL | 2700 | 1900 |", "Diurèse  1900  mL": a table's row or column says what its four figures are.
_LONGEST_ROW, _LONGEST_TABLE = 400, 4_000  # characters
_CELLS = re.compile(r"\s*[|;\t]\s*|\s{2,}")
_MEASURED_CELL = re.compile(rf"\b(?:{_words('measured_in_thousands')})\b|[ (]{_COMPOUND}\)?\Z")
_THOUSANDS = re.compile(r"(?!(?:19|20)\d\d)[1-9]\d{3}")


def _is_in_table(reading: Reading, start: int, end: int) -> bool:
    """Return whether four figures are a cell whose row or column is named or has a unit, or of a row of thousands."""
    text, (line, stop) = reading.folded, reading.line(start)
    if stop - line > _LONGEST_ROW or not _A_YEAR.fullmatch(text, start, end):
        return False
    ahead, behind = _CELLS.split(text[line:start]), _CELLS.split(text[end:stop])
    if len(ahead) < 2 or ahead[-1] or behind[0]:
        return False
    head, column, top = next(filter(None, ahead), ""), "", line - _LONGEST_TABLE
    while (
        line > max(top, 0)
        and len(cells := _CELLS.split(text[slice(*reading.line(line - 1))])) == len(ahead) + len(behind) - 1
    ):
        line, column = reading.line(line - 1)[0], cells[len(ahead) - 1]
    others = [one for one in (*ahead, *behind) if _THOUSANDS.fullmatch(one)]
    named = _MEASURED_CELL.search(head) or _MEASURED_CELL.search(column)
    return bool(named or len(others) > 1 or (len(behind) > 1 and re.fullmatch(_COMPOUND, behind[1])))


# Results in a row: "GDS 7,29 62 55 31", "NFS 4 12 36", "19,60 5 ; 73 20"

_RESULT = r"(?:\d{1,3}(?:[.,]\d{1,3})?|\d{2,3}0)"
_SERIES = re.compile(rf"(?!0\d){_RESULT}(?:(?: ?[;,] ?|/| )(?:o?[dg] )?{_RESULT})+")
_SERIES_NAMED = re.compile(
    rf"\b(?!o[dg]\b)(?:{_words('in_series', 'measured', 'rated')})s?\b(?! ?n°)[^;\n\d]{{0,16}}"
    rf"(?:(?:{_RESULT}[ ,]){{2,12}}[/;,|-]? ?(?:o?[dg]|droite?|gauche) ?:? ?)?\Z"
)
_SERIES_NAME = re.compile(rf"(?:{_words('in_series', 'measured')})s? ?:? ?(?=\d)")
_INDEX = re.compile(r"\d ")  # the last figure of "SpO2" ahead of its values
# A decimal comma or the pH of blood ahead; a list of other numbers without a leading zero ahead.
_DECIMAL_AHEAD = re.compile(r"\d{1,3},\d{1,2} \d|(?:6[.,][89]|7[.,][0-7])\d? \d\d")
_IN_A_LIST = re.compile(
    rf"(?<![\w.,])(?:{_RESULT}(?: {_RESULT})? ?[,;] ?){{2,}}\Z|\d,\d{{1,2}}(?: {_RESULT})? ?[;|] ?\Z"
)
# Decimal numbers in a row, signed or not: the axis of a plot, an electromyogram. No plan of numbers writes them.
_DECIMAL = r"[-+]?(?!0\d)\d{1,4}(?:\.\d{1,3})?"
_DECIMAL_SERIES = re.compile(rf"{_DECIMAL}(?: {_DECIMAL}){{2,}}")
_FRACTION = re.compile(r"\d\.\d")
# Sphere, cylinder and axis of a refraction: "+1.75(-1)145", "-2,25 (-0,50) 30°".
_REFRACTION = re.compile(r"\d{1,2}(?:[.,]\d{1,2})? ?\( ?[-+−–] ?\d{1,2}(?:[.,]\d{1,2})? ?\) ?(?:a )?\d{1,3}")


def _is_series(number: _Number) -> bool:
    """Return whether numbers in a row are results: behind a test's name, with a decimal comma, or in a list of them."""
    named = number.label is Label.PHONE and _SERIES_NAME.match(number.written)
    name = named or (number.before[-1:].isalpha() and _INDEX.match(number.written))
    if name:
        number = replace(number, written=number.written[name.end() :], before=number.before + name.group())
    if _CALLED.search(number.before):
        return False
    if _REFRACTION.fullmatch(number.written):
        return True
    if _DECIMAL_SERIES.fullmatch(number.written) and (
        len(_FRACTION.findall(number.written)) > 1 or _counts_up(number.written)
    ):
        return True
    if not _SERIES.fullmatch(number.written):
        return False
    if _DECIMAL_AHEAD.match(number.written) or _IN_A_LIST.search(number.before):
        return True
    return _SERIES_NAMED.search(number.before) is not None


def _counts_up(written: str) -> bool:
    """Return whether numbers follow one another: the degrees of a scale, "1 2 3 4 5 6"."""
    numbers = [float(one) for one in written.split()]
    return len(numbers) > 3 and all(behind == one + 1 for one, behind in pairwise(numbers))


# Numbers joined by one sign: thresholds of a hearing test, decreasing doses, volumes of drains
_ONE = r"(?:0|[1-9]\d{0,3})(?:[.,]\d{1,2})?|0[.,]\d{1,2}"
_JOINED = re.compile(rf"(?:{_ONE})(?P<sign> ?[-–/>] ?)(?:{_ONE})(?:(?P=sign)(?:{_ONE}))*")
_SIDE = re.compile(r" (?:o?[dg]|droite?|gauche) ")  # between the thresholds of one ear and those of the other
_OF_A_MONTH = re.compile(rf" ?(?:{'|'.join(sorted(DETECTED_MONTHS))})\b")
_LEAST_JOINED = 4  # numbers in a row, which no date has
_STEP = 5  # of what is set or read on a scale
# "6x120-7x120", "3 x 10"
_PRODUCT = rf"{_AMOUNT} ?[x×*] ?{_AMOUNT}"
_PRODUCTS = re.compile(rf"{_PRODUCT}(?: ?[-–/,+x×] ?(?:{_PRODUCT}|{_AMOUNT}))*")
# "3050 J3 3010 J5 3120": values between the days or names of which each is the value; "112/62 98/55": in a row.
_ALTERNATING = re.compile(rf"{_AMOUNT}(?: [a-z]{{1,5}}\d{{0,2}} {_AMOUNT})+")
_VALUE_AHEAD = re.compile(r"\b[a-z]{1,5}\d{0,2} \Z")
_CALLS = re.compile(r"\b(?:tel|fax|poste|bip|dect)\b")
_RATIOS = re.compile(r"\d{2,3}/\d{2,3}(?: \d{2,3}/\d{2,3})+")
_RATIO_AHEAD = re.compile(r"\d{2,3}/\d{2,3}[^\w\n]{1,3}(?:\d{1,3}°?/[a-z]{1,3} )?\Z")


def _is_joined(number: _Number) -> bool:
    """Return whether numbers that one sign joins are four of a scale, or, in doubt, rise or fall; a date has three."""
    sides = _SIDE.split(number.written)
    if len(sides) > 1:
        return all(_is_joined(replace(number, written=one)) for one in sides)
    joined = _JOINED.fullmatch(number.written)
    if not joined or _is_announced(number):
        return False
    parts = [_amount(one) for one in number.written.split(joined["sign"])]
    steps = [behind - one for one, behind in pairwise(parts)]
    if number.label is Label.DATE:
        no_year = number.doubted and len(parts) == _LEAST_JOINED - 1 and parts[-1] <= 9
        dated = _DATED.search(number.before) or _OF_A_MONTH.match(number.after)
        return (len(parts) >= _LEAST_JOINED or no_year) and not dated
    if len(parts) >= _LEAST_JOINED and all(one % _STEP == 0 for one in parts):
        return True
    named = len(parts) > 2 and _VALUE_AHEAD.search(number.before) is not None
    return number.doubted and max(parts) < 1000 and (named or all(step > 0 for step in steps))


def _is_row(number: _Number) -> bool:
    """Return whether products are written, or, in doubt, values between names or ratios in a row."""
    if _PRODUCTS.fullmatch(number.written):
        return True
    if not number.doubted or _NUMBER_OF.search(number.before):
        return False
    if _ALTERNATING.fullmatch(number.written) and not _CALLS.search(number.written):
        return _VALUE_AHEAD.search(number.before) is not None
    if _is_announced(number):
        return False
    in_a_row = _RATIO.fullmatch(number.written) and _RATIO_AHEAD.search(number.before)
    return bool(in_a_row or _RATIOS.fullmatch(number.written))


def _is_announced(number: _Number) -> bool:
    """Return whether a word says right ahead that a number is dialled or is a thing's or a person's."""
    return bool(_CALLED.search(number.before) or _NUMBER_OF.search(number.before))


# "signal 9 800": thousands apart from hundreds, behind no word for a number of somebody
_COUNT, _THING_AHEAD = re.compile(r"[1-9]\d? \d{3}"), re.compile(r"[a-z]{3,} ?[:=(]? ?\Z")
_NUMBER_OF = re.compile(rf"(?:\b(?:{'|'.join(sorted(TRIGGERS))}|numero|ref|reference|dossier|n)|°|#)[^\w\n]{{0,4}}\Z")


def _is_count(number: _Number) -> bool:
    """Return whether a number reads as thousands, and no word ahead says that it is dialled or names a thing."""
    rest = re.match(r" \d{3}(?![ .-]?\d)", number.after) if number.digits < _SHORTEST else None
    plain = _COUNT.fullmatch(number.written + (rest.group() if rest else ""))
    if rest is None and re.match(r"[ .-]?\d", number.after):
        return False
    ahead = number.before.replace(",", "") if rest else number.before  # one figure of a count is no number of somebody
    return bool(plain and _THING_AHEAD.search(ahead)) and not _is_announced(number)


# "alésage jusqu'au treize", "dilatation jusqu'au 22": the calibre of an instrument, unless a month follows.
_BORED = re.compile(
    r"\b(?:ales|frais(?:a|ee?)|dilat|bougi|calibr|rap(?:ag|ee?)|mandrin)\w*\b[^.;\n]{0,40}\bjusqu'au? ?\Z"
)
_TO_A_DAY = re.compile(rf"[a-z\d -]{{0,24}}(?:\d ?/|\b(?:{'|'.join(sorted(DETECTED_MONTHS))})\b)")


def _is_calibre(number: _Number) -> bool:
    return bool(re.fullmatch(r"\d\d?", number.written) and _is_bored(number.before, number.after))


def _is_bored(before: str, after: str) -> bool:
    """Return whether a bone or duct is widened up to a number, and no month follows."""
    return bool(_BORED.search(before)) and not _TO_A_DAY.match(after)


# A dialysis machine shows flows and pressures: "PV 240, PA-210", "QB280".
_CIRCUIT = rf"(?:{_words('circuit')})"
_SHOWN = re.compile(rf"(?:{_CIRCUIT} ?[-:=]? ?)?\d{{2,3}}(?: {_CIRCUIT} ?[-:=]? ?\d{{2,3}})*")
_CIRCUIT_AHEAD = re.compile(rf"\b{_CIRCUIT} ?[-:=]? ?-?\Z")


def _is_of_a_circuit(number: _Number) -> bool:
    shown = _SHOWN.fullmatch(number.written)
    return bool(shown and (not number.written[0].isdigit() or _CIRCUIT_AHEAD.search(number.before)))


# Ranks, teeth, forms of intake, markers, codes

_RANKED = re.compile(rf" ?(?:i?emes?|e|nde?|ere|ier)\b(?! ?(?:{'|'.join(sorted(DETECTED_MONTHS))})\b)")
_RANK = re.compile(r"\d{1,2} ?(?:i?emes?|nde?)|[a-z]+(?:-[a-z]+)?iemes?")
_FIRST = re.compile(rf" (?:{_words('ranked')})\b")
_TOOTH = re.compile(r"[1-8][1-8](?: ?[-,] ?[1-8][1-8])*")
_TEETH = re.compile(r"[1-4][1-8](?: [1-4][1-8]){2,}(?: ?[-–/] ?[1-4][1-8](?: [1-4][1-8])*)*")  # ISO 3950
_TEETH_BEFORE = re.compile(
    r"(?:\b(?:la|une|dents?|molaires?|premolaires?|incisives?|canines?|racines? de la|extraction de la)(?: n°)? |"
    r"\b(?:dents?|molaires?|premolaires?|incisives?|canines?) [^.\n]{0,40}\(| la \d\d(?:,| et)(?: la)? )\Z"
)
_CALLED = re.compile(r"\b(?:tel|telephone|fax|poste|bip|dect|joindre|appeler|au)\b[^\n]{0,20}\Z")
_INTAKE = re.compile(r"[0-4½](?: ?- ?[0-4½]){2,3}|[0-4]( ?/ ?[0-4]){2,3}|\d{1,2}-0-\d{1,2}")
_MARKER = re.compile(
    r"(?:ag |antigene )?(?:ca[ -]?(?:19|15|125|72|50|242)(?:[ .-]?\d)?|cd[ -]?\d{1,3}[a-z]?|"
    r"ck[ -]?\d{1,2}(?:[/-]\d{1,2})?|ps[ -]?100|ki[ -]?67|her[ -]?[1-4]|p(?:16|21|27|40|53|63)|ae1|mib[ -]?1|"
    r"hla[ -](?:[abc]|d[pqr])\w{0,3}(?:[*:]\w{1,4})*|g\d{1,2}p\d{1,4}(?:a\d)?(?:[ev]\d)?|"
    r"p?t[0-4][a-d]?n[0-3x][a-c]?m[01x]|\d[ehrsz]{2,5}(?:/\d[ehrsz]{2,5})?)"
)
_MARKED = re.compile(r"(?:(?: ?[:=] ?| )\d{1,5}(?:[.,]\d{1,2})?)?")  # its value: "CA 19-9 1240"
# Loci of chromosomes, isotopes, parts of the Glasgow score, involved nodes, a molecule by its number.
_LOCUS = re.compile(
    r"(?:[1-9]|1\d|2[0-2]|[xy])[pq]\d{1,2}(?:\.\d{1,2})?(?: ?- ?[pq]?(?:\d{1,2}|ter))?|"
    r"(?:i ?1(?:23|25|31)|tc ?99m?|fdg ?18|sm ?153|ra ?223|lu ?177)|25-? ?oh(?:[- ]?vit\w*)?|"
    r"\d{1,2}n[+-](?: ?/ ?\d{1,2}n[+-]?)?|"
    r"(?:(?:\d ?[-.] )?e[1-4] ?v[1-5] ?m[1-6][.,; ]*)+"
)
# A change of a gene behind the word for it: "mutation G201210A", "V600E", "c.35delG".
_CHANGE = re.compile(
    r"(?:[cgpm]\.)?(?:[acdefghiklmnpqrstvwy]\d{1,6}(?:[acdefghiklmnpqrstvwyx]|del|fs|dup)|\d{1,6}(?:[_+-]\d{1,6})?"
    r"(?:(?:del|ins|dup)[acgt]{0,6}|[acgt]>[acgt]))"
)
_OF_A_GENE = re.compile(
    r"\b(?:mutations?|mutee?s?|genes?|variants?|variations?|polymorphismes?|alleles?|deletions?|substitutions?|exon|facteur|"
    r"heterozygot\w+|homozygot\w+)\b[^;\n]{0,50}\Z"
)
# "art. L3212-3", "(L. 3213-1)": an article of a code of law.
_ARTICLE = re.compile(r"[lrd]\.? ?\d{3,4}-\d{1,3}(?:-\d{1,2}){0,2}")
_OF_LAW = re.compile(
    r"\b(?:art|articles?|code|loi|obligatoire|obligation|imminent|spdre|spdt|sdre|sdt)\b[^;\n]{0,20}\Z"
)
_OF_CODE = re.compile(r" (?:du code|du csp)\b")
# "IRM 3 T": the field of a magnet, in teslas; "vers. 3.2".
_MAGNET, _TESLA = re.compile(r"\birm(?: (?:a|de|cerebrale|medullaire))? ?\Z"), re.compile(r"(?:[.,]\d)? ?t(?:esla)?\b")
_VERSION = re.compile(r"\b(?:v|vers|version)\.? ?\Z")
_TISSUE_TYPES = re.compile(r"(?:(?:[abc]|dr|dq|dp|cw|b?w)?\d{1,3}(?:[ ,;:*/-]+|$))+")
_TYPED = re.compile(r"\b(?:hla|haplotypes?|typage|phenotype)\b[^.\n]{0,40}\Z")
_ACT = re.compile(r"[a-z]{4}\d{3}|[a-z]\d\d(?:\.\d{1,2})?")
_CLASSIFIED = re.compile(r"\b(?:adicap|ccam|ngap|nabm|cim[ -]?10|snomed(?:[ -]ct)?|loinc|ghm)\b[ .:=°(]{1,6}\Z")
# Other letters may be someone's initials.
_ACRONYM = re.compile(
    r"cr[chor]|crop|bk|ace|afp|aod|avk|cea|crp|ecbu|hbpm|hcg|psa|tsh|abvd|beacopp|bep|choep|chop|fec|gemox|tpf"
)
_NAMED_CODE = re.compile(
    rf"\b(?:{'|'.join(sorted(TRIGGERS))}|cle|indicatif|login|user(?:name)?|utilisateur)\b[ .:°]{{0,3}}(?:est )?\Z"
)
_VERTEBRAE = re.compile(r"[ctls]\d{1,2}(?: ?- ?[ctls]?\d{1,2})?")


def _is_ranked(number: _Number) -> bool:
    """Return whether an ordinal counts something that is no month: "le 2 ème trimestre", "le 1er jour"."""
    if number.digits > 2:
        return False
    if _RANK.fullmatch(number.written):
        return True
    return bool((_FIRST if number.written.endswith("er") else _RANKED).match(number.after))


# "sonde CapSureFix Novus 5076-52": a model and its length, the number of which is on each of them.
_MODEL, _LEAD = re.compile(r"\d{4}m?-\d{2}"), re.compile(r"\bsondes?\b[^;\n]{0,50}[a-z] \Z")
_LEAD_MEASURED = re.compile(
    r"[^;\n]{0,40}\b(?:impedance|vecteur|\d{3,4} ohms|(?:seuil|detection)[^\w\n]{1,3}[\d.,]+ ?m?v)\b"
)


def _is_model(number: _Number) -> bool:
    lead = _LEAD.search(number.before) or _LEAD_MEASURED.match(number.after)
    return bool(_MODEL.fullmatch(number.written) and lead) and not _is_announced(number)


def _is_tooth(number: _Number) -> bool:
    if _TEETH.fullmatch(number.written):
        return not _is_announced(number)
    return bool(_TOOTH.fullmatch(number.written) and _TEETH_BEFORE.search(number.before))


def _is_intake(number: _Number) -> bool:
    return bool(_INTAKE.fullmatch(number.written) and "0" in number.written)


_OF_MARKER = re.compile(r"(?:[:=<>] ?)?\d{1,4}(?:[.,]\d{1,3})?")


def _is_marker(number: _Number) -> bool:
    if re.search("[α-ω]", number.written):
        ratio, _, value = number.written.partition(" ")  # "Aβ42/40 0.05"
        few = sum(map(str.isdigit, ratio)) <= _OF_A_MARKER and (not value or _OF_MARKER.fullmatch(value))
        return bool(few) and not _is_announced(number)
    head = re.search(r"\b(?:[a-z]{2,3}[ -])?\Z", number.before)
    whole = f"{head.group() if head else ''}{number.written}"
    if _LOCUS.fullmatch(whole) or any(one.fullmatch(number.written) for one in (_LOCUS, _MARKER, _VERTEBRAE)):
        return True
    if (marker := _MARKER.match(whole)) and _MARKED.fullmatch(whole, marker.end()):
        return True
    if _CHANGE.fullmatch(number.written) and _OF_A_GENE.search(number.before):
        return True
    return bool(_TISSUE_TYPES.fullmatch(number.written) and _TYPED.search(number.before))


# "réévaluation J100": a day counted from an operation or graft.
_COUNTED_DAY = re.compile(r"j ?\+? ?\d{1,3}")


def _is_counted_day(number: _Number) -> bool:
    return bool(_COUNTED_DAY.fullmatch(number.written)) and not _is_announced(number)


def _is_locus(number: _Number) -> bool:
    return _LOCUS.fullmatch(number.written) is not None


def _is_code(number: _Number) -> bool:
    """Return whether a code names an act, disease or article of law, or is an acronym without an identifier's label."""
    if _ACRONYM.fullmatch(number.written) and number.label in IDENTIFIERS - {Label.NIR}:
        return not _NAMED_CODE.search(number.before)
    if _ARTICLE.fullmatch(number.written) and (_OF_LAW.search(number.before) or _OF_CODE.match(number.after)):
        return True
    return bool(_ACT.fullmatch(number.written) or _CLASSIFIED.search(number.before))


# Days of intake, years of classifications

_WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)}|lun|mar|mer|jeu|vend?|sam|dim)"
_DAYS = re.compile(rf"{_WEEKDAY}(?:(?:,? et|,| ou|[/-])?(?: le)? ?{_WEEKDAY})*(?: (?:matin|soir|apres-midi|midi))?")
# "KINE LE LUNDI ET LE JEUDI", "lundi-mercredi-vendredi", "LUN MER VEN MATIN": on these days each week; two with a year
# or date are days.
_EACH_WEEK = re.compile(
    rf"le {_WEEKDAY}(?:(?:,| et) le {_WEEKDAY})+(?![a-z]| \d)|{_WEEKDAY}(?: ?[-–/] ?{_WEEKDAY}){{2,}}(?![a-z]| \d)|"
    rf"(?<![a-z])(?P<listed>{_WEEKDAY}(?: {_WEEKDAY})+)"
    rf"(?![a-z]| ?\d\d?(?!\d| ?[h:])| {_WEEKDAY}| (?:derniere?|prochaine?|passee?|suivante?)s?\b)"
)
# What is done on days of each week: "kiné lundi jeudi"; behind "par", somebody's visit.
_CARE_AHEAD = re.compile(
    r"(?<!par )(?<!par l')\b(?:seances?|(?:hemo)?dialyses?|ide|idel|kine\w*|infirmi\w+|orthophon\w+|aide|passages?|"
    r"soins?|toilettes?|hdj|domicile|nursing|pansements?)(?: (?:de|a|les?|la|domicile|liberale?)){0,3}[ :,(]{1,3}\Z"
)
_SHORT_WEEK = [day[:3] for day in WEEKDAYS]
_WEEK = re.compile(rf"(?:{'|'.join(WEEKDAYS)})(?: (?:{'|'.join(WEEKDAYS)}))+")
_DOSE_BEFORE = re.compile(
    rf"(?:\d ?(?:{_SYMBOL}|{_words('intakes')})(?: ?/ ?\w+)?|"
    r"\b(?:une fois|\d fois|par semaine|prise|injection|seance)s?)(?!\w)"
    r"(?: |[^.;\n]{0,30}?(?:\b(?:le|les|chaque|tous les)|[,(/:]|\bet|\bou) ?)"
    rf"(?:{_WEEKDAY}s?(?:,| et| ou|/) ?(?:le )?)*\Z"
)
_EDITION = re.compile(
    rf"\b(?:{_words('classifying')})(?: (?:de |du |des |d'|l'|la |le )*[a-z/-]{{2,12}}){{0,3}}"
    r"(?:,? (?:de|version|en))? \(?\Z|"
    rf"\b(?:{_words('classifiers')})(?: de| en)? \(?\Z"
)


def _is_day_of_intake(number: _Number) -> bool:
    """Return whether weekdays are those of a dose or of each week: "10 mg le mercredi et le dimanche"."""
    if not _DAYS.fullmatch(number.written):
        return False
    if _DOSE_BEFORE.search(number.before):
        return True
    return _of_each_week(f"{number.before}{number.written}{number.after}", len(number.before), len(number.before) + 1)


def _of_each_week(text: str, start: int, end: int) -> bool:
    """Return whether a span begins in weekdays of each week."""
    first, last = max(0, start - _REACH), end + _REACH
    found = [one for one in _EACH_WEEK.finditer(text, first, last) if one.start() <= start < one.end()]
    return any(one["listed"] is None or _are_of_care(text, one) for one in found)


def _are_of_care(text: str, listed: re.Match[str]) -> bool:
    """Return whether days side by side are apart, and three or behind a word of care; two in a row are an event's."""
    days = [_SHORT_WEEK.index(day[:3]) for day in listed["listed"].split()]
    apart = all((behind - day) % len(WEEKDAYS) > 1 for day, behind in pairwise(days))
    return apart and (
        len(days) > 2 or _CARE_AHEAD.search(text, max(0, listed.start() - _REACH), listed.start()) is not None
    )


def _is_edition(number: _Number) -> bool:
    """Return whether a year belongs to a classification or recommendations, or a number to a version."""
    if re.fullmatch(r"\d\.\d{1,2}", number.written) and _VERSION.search(number.before):
        return True
    return bool(_A_YEAR.fullmatch(number.written) and _EDITION.search(number.before))


def _is_magnet(number: _Number) -> bool:
    return number.digits < _SHORTEST and bool(_MAGNET.search(number.before) and _TESLA.match(number.after))


_DATE_TESTS = (
    _has_unit, _is_interval, _is_measured, _is_ratio, _is_part, _is_ranked, _is_tooth, _is_intake, _is_day_of_intake,
    _is_edition, _is_locus, _is_magnet, _is_joined, _is_no_day, _is_setting, _is_calibre,
)  # fmt: skip
_IDENTIFIER_TESTS = (
    _has_unit, _is_interval, _is_measured, _is_ratio, _is_ranked, _is_tooth, _is_intake, _is_marker, _is_code,
    _is_series, _is_odometer, _is_count, _is_joined, _is_row, _is_model, _is_setting, _is_of_a_circuit, _is_counted_day,
)  # fmt: skip
