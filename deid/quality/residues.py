"""Count the identifying patterns (numbers, dates, addresses) left between surrogates.

Layouts are looser than the standards: a false alarm costs a second look, a miss discloses a patient. Ordinary writing
that has such a layout is told by what stands beside it: a unit, a reference of the law, a code of a nomenclature.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from deid.french.check_digits import is_drug_code
from deid.french.organisations import is_public_page
from deid.quality.dates import WrittenDate
from deid.quality.words import drug_words, fold

_SEPARATOR = r"[\s.\-/\u00a0\u202f]"

_NIR = re.compile(
    rf"(?<!\d)[1-478]{_SEPARATOR}?\d{{2}}{_SEPARATOR}?(?:0[1-9]|1[0-2]|[2-9]\d){_SEPARATOR}?(?:\d{{2}}|2[abAB])"
    rf"{_SEPARATOR}?\d{{3}}{_SEPARATOR}?\d{{3}}(?:{_SEPARATOR}{{0,3}}\d{{2}})?(?!\d)"
)
_PHONE = re.compile(
    rf"(?<![\d,])(?:(?:\+|00)\s?\d{{2,3}}{_SEPARATOR}?(?:\(0\){_SEPARATOR}?)?|0)[1-9](?:{_SEPARATOR}?\d{{2}}){{4}}(?![\d,])"
)
# One character of the local part tells an address as well as all of them, and no run is searched twice.
_EMAIL = re.compile(r"[\w.+\-°%](?P<at>\s?(?:@|\[at\]|\(at\)|＠)\s?)[\w\-]+(?:\.[\w\-]+)*", re.IGNORECASE)
_URL = re.compile(
    r"\b(?:https?|ftp)\s?: ?//\S+|\bwww\.\S+"
    r"|(?<![@\w.\-])[a-z0-9\-]{2,}(?:\.[a-z0-9\-]+)*\.(?:fr|com|org|net|eu|info|sante)\b",
    re.IGNORECASE,
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ \u00a0]?[A-Z0-9]{4}){3,7}(?:[ \u00a0]?[A-Z0-9]{1,3})?\b")
_LONG_DIGITS = re.compile(r"\d{7,}")
_SPACED_DIGITS = re.compile(r"(?<![\d.,/])\d{1,4}(?:[ .\-\u00a0]\d{2,4}){2,}(?![\d.,/])")
_ROUND_NUMBER = re.compile(r"[1-9]\d{0,2}0{5,}")
_MONTH_DAYS = 31
_SPACED_LEAST = 10  # digits; shorter spaced groups are measures ("1 200 000 UFC", "120 80 72")
_BESIDE = 40  # characters read on either side of a pattern

# ---- Ordinary writing, told by what stands beside it

# A value at a setting: "0,75V@0,4ms", "43,25 @ 178°", "98 % @ AA". An address has a letter before any number, or a
# domain with a final part.
_VALUE_BEFORE = re.compile(r"(?:^|[\s(:;=<>≥≤~/|])[+\-±]?\d+(?:[.,]\d+)?\s?(?:[^\W\d_]{1,4}|[°%Ω])?\Z")
_DOMAIN = re.compile(r"[\w\-]+(?:\.[\w\-]+)*\.[^\W\d_]{2,}\b")
_DEVICES = re.compile(r"merlin\s?@\s?home\b(?!\.)", re.IGNORECASE)  # remote monitoring of pacemakers

_UNIT = (
    r"\s?(?:x\s?10|copies|c/m|ui|u/|ufc|cfu|/\s?[mµμ]?[ml]|/mm|/ml|/l\b|g/|mg\b|µg|μg|ng\b|pg\b|kcal|kbq|mbq|bq\b|"
    r"cellules|elements|germes|éléments|plaquettes|becquerels|leucocytes|hématies)"
)
_UNIT_AFTER = re.compile(_UNIT, re.IGNORECASE)
# Codes of nomenclatures (reimbursed products, drugs, articles, trials, genes), never of a person.
_CODE_BEFORE = re.compile(
    r"(?:\b(?:lppr?|pmid|pmc|nct|orpha|omim|mim|snomed(?:\s?ct)?|gene\s?id)"
    r"\W{0,3}(?:code|n\s?[°o]|:)?\W{0,3}(?:\d{7}\s?[/,;]\s?){0,6}"
    r"|\b(?:n[mrpcg]|x[mp])_|\b(?:enst|ensg|ensp|nct|rs|cosm|cosv)|\bchr(?:\d{1,2}|[xym])\s?:\s?(?:g\.)?(?:\d+[-_])?"
    r"|\b[cgm]\.|\b0x|\b10\.\d{4,5}/\S{0,30})\Z",
    re.IGNORECASE,
)
# A reimbursed product in a line of such codes, and the article of a device beside its batch or serial number.
_PRODUCT = re.compile(r"[1-4]\d{6}")
_PRODUCT_BEFORE = re.compile(r"\b(?:lppr?\b[^\n]*|code\W{1,3})\Z", re.IGNORECASE)
_PRODUCT_REACH = 120
_ARTICLE_BEFORE = re.compile(r"\br[ée]f(?:[ée]rence)?\W{1,3}\Z", re.IGNORECASE)
_BATCH_AFTER = re.compile(
    r"[\w\-./]{0,12}\W{1,4}(?:lot|batch|udi|exp|per|s/?n|n\s?[°o]\s(?:de\s)?s[ée]rie)\b", re.IGNORECASE
)
# The code of a drug in hospitals ahead of the drug, in a table: "9281314    SOLIRIS 300 mg".
_DRUG_BEHIND = re.compile(r"\W{1,12}([^\W\d_]{4,})")
_UCD = re.compile(r"9\d{6}")


def _is_code(text: str, start: int, end: int) -> bool:
    """Return whether digits are a count with its unit, or a code of a nomenclature."""
    before, after = text[max(0, start - _BESIDE) : start], text[end : end + _BESIDE]
    if _UNIT_AFTER.match(after) or _CODE_BEFORE.search(before) or is_drug_code(text, start, end):
        return True
    if _ARTICLE_BEFORE.search(before) and _BATCH_AFTER.match(after):
        return True
    drug = _UCD.fullmatch(text, start, end) and _DRUG_BEHIND.match(after)
    if drug and fold(drug[1]) in drug_words():
        return True
    if _PRODUCT.fullmatch(text, start, end) is None:
        return False
    return _PRODUCT_BEFORE.search(text[max(0, start - _PRODUCT_REACH) : start]) is not None


def _is_countdown(groups: str) -> bool:
    """Return whether numbers go down by the same step, as in the serial sevens of a memory test."""
    numbers = [int(group) for group in re.findall(r"\d+", groups)]
    steps = {one - two for one, two in pairwise(numbers)}
    return len(steps) == 1 and steps.pop() > 0


def _long_digits(text: str) -> int:
    runs = sum(
        _ROUND_NUMBER.fullmatch(run.group()) is None and not _is_code(text, run.start(), run.end())
        for run in _LONG_DIGITS.finditer(text)
    )
    return runs + sum(_is_long_group(text, group) for group in _SPACED_DIGITS.finditer(text))


def _is_long_group(text: str, group: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", group.group())
    if len(digits) < _SPACED_LEAST or digits.endswith("00000") or _is_countdown(group.group()):
        return False
    return not _is_code(text, group.start(), group.end())


def _nir(text: str) -> int:
    return sum(not is_drug_code(text, *match.span()) for match in _NIR.finditer(text))


def _emails(text: str) -> int:
    return sum(not _is_setting(text, match) for match in _EMAIL.finditer(text))


def _is_setting(text: str, match: re.Match[str]) -> bool:
    """Return whether the sign is between a value and its setting, or in the name of a device."""
    sign = match.start("at")
    if _DEVICES.match(text, max(0, sign - 6)):
        return True
    before = text[max(0, sign - 16) : sign]
    return _VALUE_BEFORE.search(before) is not None and _DOMAIN.match(text, match.end("at")) is None


def _iban(text: str) -> int:
    return sum(match.startswith("FR") or _mod97(match) for match in _IBAN.findall(text))


def _mod97(iban: str) -> bool:
    """Return whether the check digits are right: the rearranged number is 1 modulo 97 (ISO 13616)."""
    compact = re.sub(r"\s", "", iban)
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,}={0,2}(?![A-Za-z0-9+/=])")
_READABLE = 0.9  # share of letters, digits and spaces from which decoded bytes are a text


def _encoded(text: str) -> int:
    """Count the words that are a text in base64."""
    return sum(_is_text(run) for run in _BASE64.findall(text))


def _is_text(run: str) -> bool:
    try:
        decoded = base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8")
    except ValueError:
        return False
    return sum(one.isalnum() or one in " .,:;/-'" for one in decoded) >= _READABLE * len(decoded)


_KINDS: Mapping[str, Callable[[str], int]] = {
    "residual_nir": _nir,
    "residual_phone": lambda text: len(_PHONE.findall(text)),
    "residual_email": _emails,
    "residual_url": lambda text: len(_URL.findall(text)),
    "residual_iban": _iban,
    "residual_digits": _long_digits,
    "residual_encoded": _encoded,
}


def residues(outside: str, dates: Iterable[WrittenDate]) -> dict[str, float]:
    """Count the patterns of each kind in `outside`, the text between surrogates, with its `dates`."""
    counts = {kind: float(count(outside)) for kind, count in _KINDS.items()}
    full = month = 0
    for reading in _told(dates):
        if reading.signature:
            full += reading.exists
        elif reading.first and reading.last and (reading.last - reading.first).days < _MONTH_DAYS:
            month += 1
    return {**counts, "residual_date": float(full), "residual_month": float(month)}


def _told(dates: Iterable[WrittenDate]) -> Iterator[WrittenDate]:
    """Yield the readings that their context leaves as dates."""
    return (reading for reading in dates if not reading.otherwise)


# ---- Marks of the mode `marked`: ranges and domains that nobody has

# Arcep, decision 2018-0881, annex 1: numbers for audiovisual works; RFC 2606: domains that nobody can register.
_FICTION = ("019900", "026191", "035301", "046571", "053649", "063998")
_RESERVED = re.compile(r"(?:.+\.)?example(?:\.(?:com|net|org))?\.?|.+\.(?:test|invalid)\.?", re.IGNORECASE)
_WEB = re.compile(
    r"(?:(?:https?|ftp)\s?: ?//|\bwww\.)(?P<host>[\w\-.]*)\S*"
    r"|(?<![@\w.\-])(?P<bare>[a-z0-9\-]{2,}(?:\.[a-z0-9\-]+)*\.(?:fr|com|org|net|eu|info|sante))\b",
    re.IGNORECASE,
)
_FOREIGN = re.compile(r"(?<!\w)\+(?!\s?33)\d{1,3}(?:[ .\-]?\d){8,12}(?!\d)")
_ABROAD = re.compile(r"(?:\+|00)(?!33)\d{1,3}?000")


def count_unmarked(text: str) -> int:
    """Count the phone numbers, e-mail and web addresses of a text that lack the mark of a surrogate.

    Addresses on the web are read first, with what hangs on them.
    """
    web = sum(
        not _is_reserved(match["bare"] or match["host"]) and not is_public_page(match.group().rstrip(".,;:)"))
        for match in _WEB.finditer(text)
    )
    rest = _WEB.sub(" ", text)
    foreign = [match.group() for match in _FOREIGN.finditer(rest)]
    phones = sum(not _is_fiction(number) for number in (*_PHONE.findall(_FOREIGN.sub(" ", rest)), *foreign))
    return web + phones + sum(not _is_reserved_email(rest, match) for match in _EMAIL.finditer(rest))


def _is_reserved(domain: str) -> bool:
    return _RESERVED.fullmatch(domain.removeprefix("www.")) is not None


def _is_reserved_email(text: str, match: re.Match[str]) -> bool:
    return _is_setting(text, match) or _is_reserved(match.group()[match.end("at") - match.start() :])


def _is_fiction(number: str) -> bool:
    digits = re.sub(r"\(0\)|[^\d+]", "", number)
    if _ABROAD.match(digits):
        return True
    return re.sub(r"^(?:\+|00)330?", "0", digits).startswith(_FICTION)


# ---- Other scripts and orders of reading

# Letters of a script in which French is not written, three in a row or mixed with Latin ones, and enclosed letters.
# Greek counts from four on: shorter runs are signs of medicine ("TCRαβ", "ΔF").
_OTHER_SCRIPTS = re.compile(
    "[\u0400-\u052f\u0530-\u1cff\u2c00-\u2c5f\u2d00-\u2dff\u3040-\ud7ff\uf900-\ufaff\ufb13-\ufdff\ufe70-\ufefc]{3,}"
    "|[A-Za-z][\u0400-\u052f\ua4d0-\ua4ff]|[\u0400-\u052f\ua4d0-\ua4ff][A-Za-z]"
    "|[\u0370-\u03ff\u1f00-\u1fff]{4,}|[\u24b6-\u24e9\U0001f130-\U0001f189]{3,}|[\U0001f1e6-\U0001f1ff]{5,}"
)
# Right-to-left and left-to-right override: a reader sees the characters in another order than they stand.
_OVERRIDES = re.compile("[\u202d\u202e]")


# Greek letters that no Latin one resembles. A word that an etymology quotes has one, and no capital as names have.
_GREEK_ONLY = frozenset("βδζθλμξπςσφψω")
_FROM_GREEK = re.compile(
    r"(?:\b(?:du|en|le|mot|terme|racine) grec(?:que|s|ques)?|grec ancien|étymolog\w+)\b[^.\n]{0,40}\Z"
)


def count_other_scripts(text: str) -> int:
    """Count the words in another script than the Latin one, or in enclosed letters, quoted Greek apart."""
    return sum(not _is_quoted_greek(text, match) for match in _OTHER_SCRIPTS.finditer(text))


def _is_quoted_greek(text: str, match: re.Match[str]) -> bool:
    """Return whether a word is the Greek one of an etymology: "du grec γλυκύς, doux"."""
    word = match.group()
    beside = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
    if not word.islower() or _GREEK_ONLY.isdisjoint(word) or any(map(str.isalpha, beside)):
        return False
    return _FROM_GREEK.search(text[max(0, match.start() - 60) : match.start()].lower()) is not None


def count_overrides(text: str) -> int:
    """Count the characters that change the order of reading."""
    return len(_OVERRIDES.findall(text))
