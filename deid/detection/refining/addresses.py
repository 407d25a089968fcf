"""Addresses completed: from the word that opens them to the end of their line or to the postal code (guide, STREET)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label

# What an address goes on with, behind its street.
_PART = re.compile(
    r"[ ]?,?[ ](?:-[ ])?(?:b\.?p\.?|c\.?s\.?|tsa)[ ]?\d+(?:[ ]\d{2,5})?(?![\w])"
    r"|[ ]?,?[ ](?:-[ ])?(?:appt|appartement|apt|app|bat|batiment|bt|esc|escalier|etage|porte|res|residence|immeuble"
    r"|imm|villa|tour|lot|lotissement|hameau|lieu-dit|lieudit|entree|hall|chez)\.?[ ]+(?:n°[ ]?)?[\w'-]+"
    r"(?=[ ]*(?:[,.;)\n]|$|-|–|\d{5}))"
    r"|[ ]?,?[ ](?:rdc|rez-de-chaussee|\d{1,2}(?:er|e|eme)[ ]etage)(?!\w)"
)
# What opens an address ahead of its name.
_OPENS = re.compile(r"(?<!\w)(?:lieu-?dit|hameau|lotissement|residence|villa|chalet|peniche)[ ](?:[«\"][ ]?)?\Z")
_PLACED = NAMES | {Label.CITY, Label.LOC}
_HAMLET = re.compile(r"(?<!\w)(?:lieu-?dit|hameau)[ ](?:[«\"][ ]?)?\Z")
_REST = 40  # characters between a street and its postal code that can only be more of the address
_REACH = 4  # parts that may follow


def complete_addresses(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Streets stretched over the word that opens them ("lieu-dit"), and over flat, building, floor and post-box that
    follow on their line; `mentions` are sorted."""
    result: list[Mention] = []
    for position, mention in enumerate(mentions):
        if _hamlet(reading, mention):
            mention = replace(mention, label=Label.STREET)
        if mention.label is Label.STREET:
            ceiling = mentions[position + 1].start if position + 1 < len(mentions) else len(reading.text)
            end = mention.end
            for _ in range(_REACH):
                match = _PART.match(reading.folded, end)
                if match is None or match.end() > ceiling:
                    break
                end = match.end()
            if position + 1 < len(mentions) and mentions[position + 1].label is Label.ZIP:
                end = _up_to(reading, end, ceiling)
            floor = result[-1].end if result else 0
            opens = _OPENS.search(reading.folded, max(floor, mention.start - 16), mention.start)
            start = opens.start() if opens else mention.start
            if (start, end) != (mention.start, mention.end):
                mention = replace(mention, start=start, end=end)
        result.append(mention)
    return result


def _hamlet(reading: Reading, mention: Mention) -> bool:
    """Whether a place or name is a hamlet's or lieu-dit's, which the word ahead says."""
    return mention.label in _PLACED and bool(_HAMLET.search(reading.folded, max(0, mention.start - 12), mention.start))


def _up_to(reading: Reading, end: int, code: int) -> int:
    """Where an address ends that runs from `end` to the postal code at `code`, on its line or the next one."""
    rest, _, between = reading.text[end:code].partition("\n")
    told = rest.rstrip(" \t,;.-–—·(")
    if (
        len(rest) > _REST
        or between.strip(" \t-–—·|")
        or not told
        or told[0] not in " ,-–"
        or any(c in told for c in ":|.;")
    ):
        return end
    return end + len(told)
