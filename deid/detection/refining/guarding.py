"""What looks like a mention and is none: results, ratios and the emergency number for dates, civilities for names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label

_RATIO = re.compile(r"\d{1,2}\s?/\s?\d{1,2}")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_UNIT_AFTER = re.compile(
    r"\s{0,12}(?:[nµmp]?g|u?ui|[mµnp]?mol|m?l|g|k?cal|mm3|mm|cm|ml)(?:\s?/\s?\w+)?(?![\w'])|\s{2,}\d+[.,]?\d*\s?[-–]\s?\d"
)
_ASSAY_BEFORE = re.compile(
    r"(?:\b(?:ldh|bnp|pro-?bnp|cpk|ck|ferritine|d-?dimeres|crp|plaquettes|tsh|psa|ggt|gamma-?gt|asat|alat|pal|lipase|"
    r"troponine|leucocytes|b12|folates|creatinine|diurese|hcg|albumine))\s{0,20}[:=]?\s{0,20}[<>]?\s?$"
)
_EMERGENCY = re.compile(r"(?:15|17|18|112|114|115|119)")
_CALLED = re.compile(r"(?:appel\w*|compos\w*|contact\w*|alert\w*|joind\w*|fait) (?:fait )?le $")
_CALLS = re.compile(r"\s(?:a ete (?:appele|contacte|joint|alerte|prevenu)|rappelle|envoie|regule|a envoye)")
_SURE = 0.9
# Civilities that are no name and no initial, as "M." may be.
_CIVILITY = re.compile(r"(?:mmes?\.?|mlles?|melles?|messieurs|mesdames|drs\.?) ")


def drop_lookalikes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """`mentions` without the dates that only look like dates; what a rule reads as a date stays."""
    return [one for one in mentions if one.label is not Label.DATE or not _is_lookalike(reading, one)]


def trim_civilities(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """`mentions`, of which names open behind their civility (guide: "Mmes" stays outside)."""
    trimmed = []
    for mention in mentions:
        opens = mention.label in NAMES and _CIVILITY.match(reading.folded, mention.start, mention.end)
        trimmed.append(replace(mention, start=opens.end()) if opens and opens.end() < mention.end else mention)
    return trimmed


def _is_lookalike(reading: Reading, mention: Mention) -> bool:
    text = reading.folded
    surface = text[mention.start : mention.end]
    before, after = text[max(0, mention.start - 40) : mention.start], mention.end
    if _YEAR.fullmatch(surface):
        return bool(_UNIT_AFTER.match(text, after) or _ASSAY_BEFORE.search(before))
    if _EMERGENCY.fullmatch(surface):
        return bool(_CALLED.search(before) or (before.endswith("le ") and _CALLS.match(text, after)))
    if _RATIO.fullmatch(surface) and mention.score < _SURE:
        return not any(one.label is Label.DATE and one.overlaps(mention) for one in reading.found.get("patterns", ()))
    return False
