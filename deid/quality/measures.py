"""Validation of a batch: numbers per candidate, judged by Great Expectations, to one verdict each."""

from __future__ import annotations

import base64
import logging
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from deid.domain.document import Document, Substitution
from deid.domain.outcomes import Candidate, CheckOutcome, Severity, Verdict
from deid.quality.checks import BY_NAME, CHECKS
from deid.quality.dates import WrittenDate, read_dates
from deid.quality.identity import Inside, identity_counts, known_identity
from deid.quality.integrity import Pair, faithfulness, integrity, markup_counts, outside, visible_text
from deid.quality.words import WORD, fold, is_foreign

log = logging.getLogger(__name__)


def measure(candidate: Candidate) -> dict[str, float]:
    """Return every number that the row-level checks judge, by check name.

    A document that cannot be measured gets infinite numbers: the document fails every check as unproven, and the others
    of its batch go on.
    """
    try:
        return {**_measure(candidate), "unmeasured": 0.0}
    except MemoryError:
        raise
    except Exception as error:
        # The kind of error only: its message may quote the document.
        log.warning("document %s cannot be measured: %s", candidate.document.id, type(error).__name__)
        return {**dict.fromkeys(BY_NAME, math.inf), "output_empty": 0.0}


def _measure(candidate: Candidate) -> dict[str, float]:
    document, substitution = candidate.document, candidate.substitution
    page = markup_counts(candidate.markup, substitution.text)
    numbers = {
        **integrity(document, candidate.mentions, substitution),
        **page,
        **_survival(document, substitution),
        **faithfulness(_pairs(document, substitution), document.reference_date, substitution.reference_date),
        "language_foreign": float(is_foreign(fold(word) for word in WORD.findall(document.text))),
        "identity_unknown": float(known_identity(document.patient).fields == 0),
    }
    if page["markup_differs"] and candidate.markup is not None:
        shown = Substitution(text=visible_text(candidate.markup), surrogates=(), spans=())
        for name, count in _survival(document, shown).items():
            numbers[name] = max(numbers[name], count)
    return numbers


def _survival(document: Document, substitution: Substitution) -> dict[str, float]:
    """Count residual patterns and the patient's identity in a candidate text."""
    between = outside(substitution)
    dates = list(read_dates(between, document.reference_date))
    inside = [Inside(surrogate.mention.label, surrogate.text) for surrogate in substitution.surrogates]
    patient = known_identity(document.patient)
    return {
        **residues(between, dates),
        # Surrogates too: a letter that substitution cannot read stays in its place.
        "residual_script": float(len(_OTHER_SCRIPTS.findall(substitution.text))),
        "order_overridden": float(len(_OVERRIDES.findall(document.text))),
        **identity_counts(
            patient, document.patient.birth_date, substitution.text, between, inside, dates, substitution.reference_date
        ),
    }


def _pairs(document: Document, substitution: Substitution) -> list[Pair]:
    return [
        Pair(document.text[surrogate.mention.start : surrogate.mention.end], surrogate)
        for surrogate in substitution.surrogates
    ]


ROW_SUITE = "document"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Line of deid.check_result: one rule over many elements."""

    suite: str
    rule: str
    severity: Severity
    success: bool
    element_count: int
    unexpected_count: int
    observed: float | None = None


def validate_batch(batch: Sequence[Candidate]) -> list[Verdict]:
    """Judge each candidate of `batch`, in the same order. Great Expectations sees numbers only."""
    from deid.quality.judging import judge  # seconds to import, for this step only

    numbers = [measure(candidate) for candidate in batch]
    judgements = judge(ROW_SUITE, CHECKS, numbers)
    return [
        Verdict(
            candidate.document.id,
            tuple(
                CheckOutcome(
                    found.rule,
                    found.severity,
                    row not in found.failed_rows,
                    numbers[row][found.rule],
                    BY_NAME[found.rule].reason,
                )
                for found in judgements
            ),
        )
        for row, candidate in enumerate(batch)
    ]


def batch_results(verdicts: Sequence[Verdict]) -> list[CheckResult]:
    """Count the row-level checks over a batch, one line per check."""
    failures = Counter(item.check for verdict in verdicts for item in verdict.outcomes if not item.success)
    return [
        CheckResult(
            suite=ROW_SUITE,
            rule=check.name,
            severity=check.severity,
            success=failures[check.name] == 0,
            element_count=len(verdicts),
            unexpected_count=failures[check.name],
        )
        for check in CHECKS
    ]


# Count the identifying patterns (numbers, dates, addresses) left between surrogates.
_SEPARATOR = r"[\s.\-/\u00a0\u202f]"

# Layouts looser than the standards: a false alarm costs a second look, a miss discloses a patient.
_NIR = re.compile(
    rf"(?<!\d)[1-478]{_SEPARATOR}?\d{{2}}{_SEPARATOR}?(?:0[1-9]|1[0-2]|[2-9]\d){_SEPARATOR}?(?:\d{{2}}|2[abAB])"
    rf"{_SEPARATOR}?\d{{3}}{_SEPARATOR}?\d{{3}}(?:{_SEPARATOR}{{0,3}}\d{{2}})?(?!\d)"
)
_PHONE = re.compile(
    rf"(?<![\d,])(?:(?:\+|00)\s?\d{{2,3}}{_SEPARATOR}?(?:\(0\){_SEPARATOR}?)?|0)[1-9](?:{_SEPARATOR}?\d{{2}}){{4}}(?![\d,])"
)
# One character of the local part tells an address as well as all of them, and no run is searched twice.
_EMAIL = re.compile(r"[\w.+\-]\s?(?:@|\[at\]|\(at\)|＠)\s?[\w\-]+(?:\.[\w\-]+)*", re.IGNORECASE)
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


def _long_digits(text: str) -> int:
    runs = sum(_ROUND_NUMBER.fullmatch(run) is None for run in _LONG_DIGITS.findall(text))
    spaced = (re.sub(r"\D", "", group) for group in _SPACED_DIGITS.findall(text))
    return runs + sum(len(digits) >= _SPACED_LEAST and not digits.endswith("00000") for digits in spaced)


def _iban(text: str) -> int:
    return sum(match.startswith("FR") or _mod97(match) for match in _IBAN.findall(text))


def _mod97(iban: str) -> bool:
    """Return whether the check digits are right: the rearranged number is 1 modulo 97 (ISO 13616)."""
    compact = re.sub(r"\s", "", iban)
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


# Letters of a script in which French is not written, three in a row or mixed with Latin ones, and enclosed letters.
# Greek counts from four on: shorter runs are signs of medicine ("TCRαβ", "ΔF").
_OTHER_SCRIPTS = re.compile(
    "[\u0400-\u052f\u0530-\u1cff\u2c00-\u2c5f\u2d00-\u2dff\u3040-\ud7ff\uf900-\ufaff\ufb13-\ufdff\ufe70-\ufefc]{3,}"
    "|[A-Za-z][\u0400-\u052f\ua4d0-\ua4ff]|[\u0400-\u052f\ua4d0-\ua4ff][A-Za-z]"
    "|[\u0370-\u03ff\u1f00-\u1fff]{4,}|[\u24b6-\u24e9\U0001f130-\U0001f189]{3,}|[\U0001f1e6-\U0001f1ff]{5,}"
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,}={0,2}(?![A-Za-z0-9+/=])")
# Right-to-left and left-to-right override: a reader sees the characters in another order than they stand.
_OVERRIDES = re.compile("[\u202d\u202e]")
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


_KINDS: Mapping[str, Callable[[str], int]] = MappingProxyType(
    {
        "residual_nir": lambda text: len(_NIR.findall(text)),
        "residual_phone": lambda text: len(_PHONE.findall(text)),
        "residual_email": lambda text: len(_EMAIL.findall(text)),
        "residual_url": lambda text: len(_URL.findall(text)),
        "residual_iban": _iban,
        "residual_digits": _long_digits,
        "residual_encoded": _encoded,
    }
)


def residues(outside: str, dates: Iterable[WrittenDate]) -> dict[str, float]:
    """Count the patterns of each kind in `outside`, the text between surrogates, with its `dates`."""
    counts = {kind: float(count(outside)) for kind, count in _KINDS.items()}
    full = month = 0
    for reading in dates:
        if reading.signature:
            full += reading.exists
        elif reading.first and reading.last and (reading.last - reading.first).days < _MONTH_DAYS:
            month += 1
    return {**counts, "residual_date": float(full), "residual_month": float(month)}
