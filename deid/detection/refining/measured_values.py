"""Values of what was measured: numbers with a unit, intervals, ratios, pressures, parts, cells of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from deid.detection.annotators.patterns.identifiers import TRIGGERS
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.labels import Label
from deid.french.calendar import DETECTED_MONTHS

REACH = 60  # characters on each side of a mention that are read
SHORTEST = 3  # digits of a number that may be a telephone's
_LONGEST = 8  # digits from which a number is no measured value
_LAST_DAY, _LAST_MONTH = 31, 12


def listed_words(*titles: str) -> str:
    listed = {word for title in titles for word in word_list(title)}
    return "|".join(re.escape(word) for word in sorted(listed, key=lambda word: (-len(word), word)))


@dataclass(frozen=True, slots=True)
class Number:
    """A mention without signs at its ends, and the rest of its line on both sides; all folded."""

    label: Label
    written: str
    before: str
    after: str
    doubted: bool  # no two annotators were sure

    @property
    def digits(self) -> int:
        return sum(map(str.isdigit, self.written))


def is_reference_range(text: str, start: int, end: int) -> bool:
    """Return whether a number is the range of reference of a value shortly before, with its unit."""
    before = text[max(0, start - _VALUE_REACH) : start]
    return bool(_rises(text[start:end]) and _REFERENCE.search(before) and _VALUE.search(before))


# Values with a unit, and intervals

SYMBOL = (
    r"(?:[kmcdnpfµμu]?g|mcg|gr|[mcdµμunf]?l|[kcmµμn]m[23²³]?|[mµμunp]?mol|m?eq|m?osm|m?[µμu]?ui|[mkµμ]iu|[µμ]?kat|[cm]?gy|"
    r"[µμm]?sv|[mk]v|[kmg]?hz|[kh]pa|mmhg|cm ?h2o|k?cal|kj|[mg]bq|msec|uh|u)"
)
_PER = (
    r"(?:mm ?[23³]?|[µμu]l|m?l|dl|min|mn|jours?|j|24 ?h|h|ans?|champs?|kg|m2|semaines?|sem|mois|prises?|fois|g|mol|"
    r"cycles?)"
)
_COMPOUND = rf"{SYMBOL}(?: ?[/.] ?{_PER}| ?/ ?{SYMBOL})*"
_UNIT = re.compile(
    rf"[)\]]? {{0,2}}(?:[%‰º]|['’]{{2}}|°(?![\w])|° ?c\b|/ ?{_PER}(?!\w)|"
    r"par (?:jour|minute|semaine|mois|heure)\b|"
    rf"(?:{_COMPOUND}|{listed_words('counted_things')})(?![\w'’])(?! ?°))"
)
_A_UNIT = re.compile(rf"(?:{SYMBOL}|{_PER})")
_UNIT_WORD = re.compile(
    r"(?:c?grays?|sieverts?|becquerels?|joules?|watts?|volts?|amperes?|hertz|pascals?|newtons?|celsius|kelvin|ohms?|"
    r"daltons?|charrieres?|gauges?)"
)
_COUNTED = re.compile(r"\d ?\Z")
_DOSED = re.compile(rf"\d ?{SYMBOL} ?(?:/|par) ?\Z")
_AMOUNT = r"(?:0|(?!0)\d{1,7})(?:[ .]\d{3}){0,2}(?:[.,]\d{1,3})?"
_INTERVAL = re.compile(rf"({_AMOUNT}) ?(?:[-–—]|a|et) ?({_AMOUNT})")
QUANTITY = re.compile(
    rf"(?:[a-z]{{1,4}}\d{{0,2}}(?:-[a-z]\d{{1,2}})? (?:a|de|=|:) )?{_AMOUNT}"
    rf"(?P<unit> ?(?:[%‰º]|/ ?{_PER}|{_COMPOUND}))?"
)
# "77 µmol/L", then "Référence : 45-104"; "N/Réf. : 45-104" is that of a file.
_VALUE_REACH = 100
_VALUE = re.compile(rf"\d\s{{0,4}}{SYMBOL}(?: ?/ ?{_PER})?(?!\w)")
_REFERENCE = re.compile(r"(?<![/\w])(?<!notre )(?<!votre )(?<!nos )(?<!vos )references? ?[:=]? ?\Z")
_DECIMALS = re.compile(r"\d{1,4}[.,]\d{1,3} ?(?:[-–—]|a|et) ?\d{1,4}[.,]\d{1,3}")
_NORM = re.compile(
    r"(?:\b(?:vn|vr|norm\w*) ?|"
    r"\b(?:n|vn|vr|nle?s?|norm\w*|valeurs? (?:usuelles?|normales?|de reference)|reference|cible|objectif)"
    rf" ?(?:[:=<>(\[]|,? entre| de) ?(?:entre )?(?:{_AMOUNT} (?:et|a) )?|(?:[%\d]|\b{SYMBOL}(?:/{_PER})?) ?[(\[] ?|"
    rf"\d\s{{0,12}}{SYMBOL}(?: ?/ ?{_PER})?\s{{1,20}})\Z"
)


def is_unit_word(written: str, before: str) -> bool:
    """Return whether a word is a unit behind a number ("60 Gray"), or the rest of one: "15 mg/kg"."""
    if _UNIT_WORD.fullmatch(written):
        return bool(_COUNTED.search(before))
    return bool(_A_UNIT.fullmatch(written) and _DOSED.search(before))


# Bounds with a fraction that is no month: "0.93-1.70", "4.04-15.20".
_NO_DAYS = re.compile(r"\d{1,3}\.\d{1,3} ?- ?\d{1,3}\.(?:1[3-9]|[2-9]\d|\d{3})|0\.\d{1,3} ?- ?\d{1,3}\.\d{1,3}")
# "106 et 26 minutes": the unit stands behind the last value only.
_SEVERAL = re.compile(rf"(?:,| et| ou| a| puis) {_AMOUNT} (?:{listed_words('counted_things')}|{_COMPOUND})\b")
_OF_PRESSURE = re.compile(r"\b(?:pression|tension|chiffres?)\b[^.;\n]{0,60}\Z")
_NORM_COLUMN = re.compile(rf" {{2,}}{_AMOUNT} ?[-–] ?\d")
_OF_TIME = re.compile(r" ?(?:s|sec|sem|semaines|min|mois|hz)\b")
_OTHER_BOUND = re.compile(rf" (?:et|a) {_AMOUNT}")


def _has_unit(number: Number) -> bool:
    quantity = QUANTITY.fullmatch(number.written)
    if quantity and quantity["unit"]:
        return True
    if number.label is Label.PHONE and 0 < number.digits < SHORTEST and _OF_PRESSURE.search(number.before):
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


def _is_interval(number: Number) -> bool:
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
_MEASURED = re.compile(rf"\b(?:{listed_words('measured')}){_AFTER_NAME}|\bp ?[=<>≤] ?\Z")
_MEASURED_IN_THOUSANDS = re.compile(rf"\b(?:{listed_words('measured_in_thousands')}){_AFTER_NAME}")
# What was measured, inside the mention: "LDH 2408".
_NAMED_VALUE = re.compile(rf"(?=[a-z]{{3}})(?:{listed_words('measured')})(?: | ?[:=] ?)(?!(?:19|20)\d\d\Z){_AMOUNT}")
A_YEAR = re.compile(r"(?:19|20)\d\d")
_PLAIN = re.compile(rf"{_AMOUNT}(?: ?[-–—] ?{_AMOUNT})?")
_TITRE = re.compile(r"1 ?/ ?(?!(?:19|20)\d\d$)\d{3,6}")
_RATIO = re.compile(r"(\d{1,3}) ?/ ?(\d{1,3})")
_PRESSURE = re.compile(
    rf"\b(?:ta|pa|tension(?: arterielle)?|pression(?: arterielle)?|chiffres tensionnels?){_LINK}{{0,4}} {{0,4}}\Z"
)
_PAIR_BEFORE, _PAIR_AFTER = (
    re.compile(r"(\d{1,2})/(\d{1,2}) ?[-–] ?\Z"),
    re.compile(r" ?[-–] ?(\d{1,2})/(\d{1,2})(?![\d/])"),
)
RATED = re.compile(rf"\b(?:{listed_words('rated')})\b[^.;\d\n]{{0,40}}(?:\d{{1,3}} ?/ ?\d{{1,3}}[^.;\d\n]{{1,30}})*\Z")
# "j'ai 13/8 d'habitude", "15/9 couché", "12/7, EVA 3"
_PRESSURE_BEHIND = re.compile(
    r" ?(?:\(?(?:d'habitude|habituellement|couchee?|debout|assise?|au repos|au bras|aux (?:deux|2) bras|de tension)\b)|"
    r" ?[,;/-] ?(?:eva|evs|fc|pouls|sat|spo2|sao2|t°|temp|fr|hgt|dextro|glasgow|gcs)\b"
)
_PAIRS_AHEAD, _PAIRS_BEHIND = re.compile(r"(?:\d{1,2}/\d{1,2} )+\Z"), re.compile(r"(?: \d{1,2}/\d{1,2})+(?![\d/])")
# "quadriceps 4/3, releveurs 2/1": right and left, or out of five.
_GRADED = re.compile(
    rf"\b(?:{listed_words('graded')})s?\b[^.;\d\n]{{0,24}}"
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


def _is_odometer(number: Number) -> bool:
    if not _ODOMETER_READ.fullmatch(number.written):
        return False
    return number.written.startswith("k") or _ODOMETER.search(number.before) is not None


def _is_measured(number: Number) -> bool:
    if _NAMED_VALUE.fullmatch(number.written):
        return True
    if not _PLAIN.fullmatch(number.written) or number.digits >= _LONGEST:
        return False
    if number.label is Label.DATE and re.match(r" ?[:=]", number.after):
        return False
    if _SCALED.search(number.before):
        return True
    names = _MEASURED_IN_THOUSANDS if A_YEAR.fullmatch(number.written) else _MEASURED
    return bool(names.search(number.before))


def _is_ratio(number: Number) -> bool:
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
    tests = RATED.search(number.before), _PRESSURE.search(number.before), _RATED_BEHIND.match(number.after)
    return any(tests)


def _is_no_day(number: Number) -> bool:
    """Return whether two numbers with a stroke are neither days, a day and month, nor a month and year: "168/92"."""
    ratio = _RATIO.fullmatch(number.written)
    if not ratio:
        return False
    first, second = int(ratio[1]), int(ratio[2])
    return first > _LAST_DAY or (first > _LAST_MONTH and second > _LAST_DAY)


# "18/9 - 14/8" in a table: before and after a session. As days and months, the second is the earlier.
PRESSURE_NAMED = re.compile(r"\b(?:ta|pa|tension|pression)\b")


def is_pressure(reading: Reading, number: Number, start: int) -> bool:
    """Return whether a number is of a pair of pressures named ahead, or of a row of them named in its line."""
    pair, line = _is_pressure_pair(number), reading.line(start)[0]
    if pair and PRESSURE_NAMED.search(reading.folded, 0, start):
        return True
    return _is_pressure_row(number) and PRESSURE_NAMED.search(reading.folded, line, start) is not None


def _is_pressure_pair(number: Number) -> bool:
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


def _is_pressure_row(number: Number) -> bool:
    """Return whether a pair is one of three pressures of the arm or more in a row: "14/8 13/7 15/9"."""
    ahead, behind = _PAIRS_AHEAD.search(number.before), _PAIRS_BEHIND.match(number.after)
    row = [*_RATIO.finditer(f"{ahead.group() if ahead else ''}{number.written}{behind.group() if behind else ''}")]
    return len(row) > 2 and all(map(is_arm_pressure, row))


def is_arm_pressure(pair: re.Match[str]) -> bool:
    """Return whether two numbers may be the pressures of an arm, in cmHg: "13/8"."""
    high, low = int(pair[1]), int(pair[2])
    return 7 <= high <= 26 and low <= 14 and low < high <= 3 * low


def _is_part(number: Number) -> bool:
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
_MEASURED_CELL = re.compile(rf"\b(?:{listed_words('measured_in_thousands')})\b|[ (]{_COMPOUND}\)?\Z")
_THOUSANDS = re.compile(r"(?!(?:19|20)\d\d)[1-9]\d{3}")


def is_in_table(reading: Reading, start: int, end: int) -> bool:
    """Return whether four figures are a cell whose row or column is named or has a unit, or of a row of thousands."""
    text, (line, stop) = reading.folded, reading.line(start)
    if stop - line > _LONGEST_ROW or not A_YEAR.fullmatch(text, start, end):
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


# Numbers joined by one sign: thresholds of a hearing test, decreasing doses, volumes of drains
_ONE = r"(?:0|[1-9]\d{0,3})(?:[.,]\d{1,2})?|0[.,]\d{1,2}"
_JOINED = re.compile(rf"(?:{_ONE})(?P<sign> ?[-–/>] ?)(?:{_ONE})(?:(?P=sign)(?:{_ONE}))*")
_CALLED = re.compile(r"\b(?:tel|telephone|fax|poste|bip|dect|joindre|appeler|au)\b[^\n]{0,20}\Z")
NUMBER_OF = re.compile(rf"(?:\b(?:{'|'.join(sorted(TRIGGERS))}|numero|ref|reference|dossier|n)|°|#)[^\w\n]{{0,4}}\Z")
# "alésage jusqu'au treize", "dilatation jusqu'au 22": the calibre of an instrument, unless a month follows.
_BORED = re.compile(
    r"\b(?:ales|frais(?:a|ee?)|dilat|bougi|calibr|rap(?:ag|ee?)|mandrin)\w*\b[^.;\n]{0,40}\bjusqu'au? ?\Z"
)
_TO_A_DAY = re.compile(rf"[a-z\d -]{{0,24}}(?:\d ?/|\b(?:{'|'.join(sorted(DETECTED_MONTHS))})\b)")


def is_called(number: Number) -> bool:
    """Return whether a word says right ahead that a number is dialled or is a thing's or a person's."""
    return bool(_CALLED.search(number.before) or NUMBER_OF.search(number.before))


def is_bored(before: str, after: str) -> bool:
    """Return whether a bone or duct is widened up to a number, and no month follows."""
    return bool(_BORED.search(before)) and not _TO_A_DAY.match(after)


# "VNI nippv 18/6", "BiPAP 14/5": two pressures of a ventilator.
_VENTILATED = re.compile(rf"\b(?:(?:{listed_words('ventilating')})[ :=+/-]{{1,3}})+\Z")
_BEGUN = re.compile(
    r"\b(?:debut|arret|fin|pose|sevr|sorti|mise?\b|depuis|repri|retrait|retir|stop|install|instaur|initi|introdui?)\w*"
    r"[^.;,\n]{0,30}\Z"
)
_SET_PAIR = re.compile(r"[1-9]\d?/[1-9]\d?")
# "cst 13/8 96 36,9": pressure, pulse and temperature in a row, behind a word for one of them or all.
_VITALS_NAMED = re.compile(r"\b(?:csts?|cstes?|const|constantes?|param|parametres?|ta|pa|tension)\b[ .:=(]{1,4}\Z")
_VITALS = re.compile(r"(\d{1,2})/(\d{1,2}) \d{2,3} (?:(?:\d{2,3}|[a-z]{1,3}) )?(?:3[4-9]|4[0-2])[.,]\d(?!\d)")


def _is_setting(number: Number) -> bool:
    """Return whether two numbers are pressures of a ventilator, or open a row of vital signs."""
    row = _VITALS.match(f"{number.written}{number.after}")
    if row and is_arm_pressure(row) and _VITALS_NAMED.search(number.before):
        return True
    mode = _VENTILATED.search(number.before) if _SET_PAIR.fullmatch(number.written) else None
    return bool(mode and not _BEGUN.search(number.before[: mode.start()]) and not _TO_A_DAY.match(number.after))


# Results in a row: "GDS 7,29 62 55 31", "NFS 4 12 36", "19,60 5 ; 73 20"

_RESULT = r"(?:\d{1,3}(?:[.,]\d{1,3})?|\d{2,3}0)"
_SERIES = re.compile(rf"(?!0\d){_RESULT}(?:(?: ?[;,] ?|/| )(?:o?[dg] )?{_RESULT})+")
_SERIES_NAMED = re.compile(
    rf"\b(?!o[dg]\b)(?:{listed_words('in_series', 'measured', 'rated')})s?\b(?! ?n°)[^;\n\d]{{0,16}}"
    rf"(?:(?:{_RESULT}[ ,]){{2,12}}[/;,|-]? ?(?:o?[dg]|droite?|gauche) ?:? ?)?\Z"
)
_SERIES_NAME = re.compile(rf"(?:{listed_words('in_series', 'measured')})s? ?:? ?(?=\d)")
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


def _is_series(number: Number) -> bool:
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


def _is_joined(number: Number) -> bool:
    """Return whether numbers that one sign joins are four of a scale, or, in doubt, rise or fall; a date has three."""
    sides = _SIDE.split(number.written)
    if len(sides) > 1:
        return all(_is_joined(replace(number, written=one)) for one in sides)
    joined = _JOINED.fullmatch(number.written)
    if not joined or is_called(number):
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


def _is_row(number: Number) -> bool:
    """Return whether products are written, or, in doubt, values between names or ratios in a row."""
    if _PRODUCTS.fullmatch(number.written):
        return True
    if not number.doubted or NUMBER_OF.search(number.before):
        return False
    if _ALTERNATING.fullmatch(number.written) and not _CALLS.search(number.written):
        return _VALUE_AHEAD.search(number.before) is not None
    if is_called(number):
        return False
    in_a_row = _RATIO.fullmatch(number.written) and _RATIO_AHEAD.search(number.before)
    return bool(in_a_row or _RATIOS.fullmatch(number.written))


# "signal 9 800": thousands apart from hundreds, behind no word for a number of somebody
_COUNT, _THING_AHEAD = re.compile(r"[1-9]\d? \d{3}"), re.compile(r"[a-z]{3,} ?[:=(]? ?\Z")


def _is_count(number: Number) -> bool:
    """Return whether a number reads as thousands, and no word ahead says that it is dialled or names a thing."""
    rest = re.match(r" \d{3}(?![ .-]?\d)", number.after) if number.digits < SHORTEST else None
    plain = _COUNT.fullmatch(number.written + (rest.group() if rest else ""))
    if rest is None and re.match(r"[ .-]?\d", number.after):
        return False
    ahead = number.before.replace(",", "") if rest else number.before  # one figure of a count is no number of somebody
    return bool(plain and _THING_AHEAD.search(ahead)) and not is_called(number)


def _is_calibre(number: Number) -> bool:
    return bool(re.fullmatch(r"\d\d?", number.written) and is_bored(number.before, number.after))


# A dialysis machine shows flows and pressures: "PV 240, PA-210", "QB280".
_CIRCUIT = rf"(?:{listed_words('circuit')})"
_SHOWN = re.compile(rf"(?:{_CIRCUIT} ?[-:=]? ?)?\d{{2,3}}(?: {_CIRCUIT} ?[-:=]? ?\d{{2,3}})*")
_CIRCUIT_AHEAD = re.compile(rf"\b{_CIRCUIT} ?[-:=]? ?-?\Z")


def _is_of_a_circuit(number: Number) -> bool:
    shown = _SHOWN.fullmatch(number.written)
    return bool(shown and (not number.written[0].isdigit() or _CIRCUIT_AHEAD.search(number.before)))


_MEASURES = (_has_unit, _is_interval, _is_measured, _is_ratio, _is_joined, _is_setting)
MEASURES_OF_DATES = (*_MEASURES, _is_part, _is_no_day, _is_calibre)
MEASURES_OF_NUMBERS = (*_MEASURES, _is_odometer, _is_series, _is_count, _is_row, _is_of_a_circuit)
