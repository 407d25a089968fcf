"""Ranks, teeth, forms of intake, markers, loci, codes of acts and laws, days of care, years of classifications."""

from __future__ import annotations

import re
from itertools import pairwise

from deid.detection.annotators.patterns.identifiers import TRIGGERS
from deid.detection.refining.measured_values import A_YEAR, REACH, SHORTEST, SYMBOL, Number, is_called, listed_words
from deid.domain.labels import IDENTIFIERS, Label
from deid.french.calendar import DETECTED_MONTHS, WEEKDAYS

_OF_A_MARKER = 5  # most digits of a marker with a Greek letter


# Ranks, teeth, forms of intake, markers, codes

_RANKED = re.compile(rf" ?(?:i?emes?|e|nde?|ere|ier)\b(?! ?(?:{'|'.join(sorted(DETECTED_MONTHS))})\b)")
_RANK = re.compile(r"\d{1,2} ?(?:i?emes?|nde?)|[a-z]+(?:-[a-z]+)?iemes?")
_FIRST = re.compile(rf" (?:{listed_words('ranked')})\b")
_TOOTH = re.compile(r"[1-8][1-8](?: ?[-,] ?[1-8][1-8])*")
_TEETH = re.compile(r"[1-4][1-8](?: [1-4][1-8]){2,}(?: ?[-–/] ?[1-4][1-8](?: [1-4][1-8])*)*")  # ISO 3950
_TEETH_BEFORE = re.compile(
    r"(?:\b(?:la|une|dents?|molaires?|premolaires?|incisives?|canines?|racines? de la|extraction de la)(?: n°)? |"
    r"\b(?:dents?|molaires?|premolaires?|incisives?|canines?) [^.\n]{0,40}\(| la \d\d(?:,| et)(?: la)? )\Z"
)
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
NAMED_CODE = re.compile(
    rf"\b(?:{'|'.join(sorted(TRIGGERS))}|cle|indicatif|login|user(?:name)?|utilisateur)\b[ .:°]{{0,3}}(?:est )?\Z"
)
_VERTEBRAE = re.compile(r"[ctls]\d{1,2}(?: ?- ?[ctls]?\d{1,2})?")


def _is_ranked(number: Number) -> bool:
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


def _is_model(number: Number) -> bool:
    lead = _LEAD.search(number.before) or _LEAD_MEASURED.match(number.after)
    return bool(_MODEL.fullmatch(number.written) and lead) and not is_called(number)


def _is_tooth(number: Number) -> bool:
    if _TEETH.fullmatch(number.written):
        return not is_called(number)
    return bool(_TOOTH.fullmatch(number.written) and _TEETH_BEFORE.search(number.before))


def _is_intake(number: Number) -> bool:
    return bool(_INTAKE.fullmatch(number.written) and "0" in number.written)


_OF_MARKER = re.compile(r"(?:[:=<>] ?)?\d{1,4}(?:[.,]\d{1,3})?")


def _is_marker(number: Number) -> bool:
    if re.search("[α-ω]", number.written):
        ratio, _, value = number.written.partition(" ")  # "Aβ42/40 0.05"
        few = sum(map(str.isdigit, ratio)) <= _OF_A_MARKER and (not value or _OF_MARKER.fullmatch(value))
        return bool(few) and not is_called(number)
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


def _is_counted_day(number: Number) -> bool:
    return bool(_COUNTED_DAY.fullmatch(number.written)) and not is_called(number)


def _is_locus(number: Number) -> bool:
    return _LOCUS.fullmatch(number.written) is not None


def _is_code(number: Number) -> bool:
    """Return whether a code names an act, disease or article of law, or is an acronym without an identifier's label."""
    if _ACRONYM.fullmatch(number.written) and number.label in IDENTIFIERS - {Label.NIR}:
        return not NAMED_CODE.search(number.before)
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
_DOSE_BEFORE = re.compile(
    rf"(?:\d ?(?:{SYMBOL}|{listed_words('intakes')})(?: ?/ ?\w+)?|"
    r"\b(?:une fois|\d fois|par semaine|prise|injection|seance)s?)(?!\w)"
    r"(?: |[^.;\n]{0,30}?(?:\b(?:le|les|chaque|tous les)|[,(/:]|\bet|\bou) ?)"
    rf"(?:{_WEEKDAY}s?(?:,| et| ou|/) ?(?:le )?)*\Z"
)
_EDITION = re.compile(
    rf"\b(?:{listed_words('classifying')})(?: (?:de |du |des |d'|l'|la |le )*[a-z/-]{{2,12}}){{0,3}}"
    r"(?:,? (?:de|version|en))? \(?\Z|"
    rf"\b(?:{listed_words('classifiers')})(?: de| en)? \(?\Z"
)


def _is_day_of_intake(number: Number) -> bool:
    """Return whether weekdays are those of a dose or of each week: "10 mg le mercredi et le dimanche"."""
    if not _DAYS.fullmatch(number.written):
        return False
    if _DOSE_BEFORE.search(number.before):
        return True
    return of_each_week(f"{number.before}{number.written}{number.after}", len(number.before), len(number.before) + 1)


def of_each_week(text: str, start: int, end: int) -> bool:
    """Return whether a span begins in weekdays of each week."""
    first, last = max(0, start - REACH), end + REACH
    found = [one for one in _EACH_WEEK.finditer(text, first, last) if one.start() <= start < one.end()]
    return any(one["listed"] is None or _are_of_care(text, one) for one in found)


def _are_of_care(text: str, listed: re.Match[str]) -> bool:
    """Return whether days side by side are apart, and three or behind a word of care; two in a row are an event's."""
    days = [_SHORT_WEEK.index(day[:3]) for day in listed["listed"].split()]
    apart = all((behind - day) % len(WEEKDAYS) > 1 for day, behind in pairwise(days))
    return apart and (
        len(days) > 2 or _CARE_AHEAD.search(text, max(0, listed.start() - REACH), listed.start()) is not None
    )


def _is_edition(number: Number) -> bool:
    """Return whether a year belongs to a classification or recommendations, or a number to a version."""
    if re.fullmatch(r"\d\.\d{1,2}", number.written) and _VERSION.search(number.before):
        return True
    return bool(A_YEAR.fullmatch(number.written) and _EDITION.search(number.before))


def _is_magnet(number: Number) -> bool:
    return number.digits < SHORTEST and bool(_MAGNET.search(number.before) and _TESLA.match(number.after))


def is_marker_alone(written: str) -> bool:
    """Return whether a word is a marker or a locus: "CA 19-9", "17p13"."""
    return (_MARKER.fullmatch(written) or _LOCUS.fullmatch(written)) is not None


CODES_OF_DATES = (_is_ranked, _is_tooth, _is_intake, _is_day_of_intake, _is_edition, _is_locus, _is_magnet)
CODES_OF_NUMBERS = (_is_ranked, _is_tooth, _is_intake, _is_marker, _is_code, _is_model, _is_counted_day)
