"""Boundary completion of names: compounds, particles and initials that an annotator left outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deid.detection.names import LOWER_PARTICLES, NOT_NAMES, PARTICLES, elided, glued, is_capital, is_upper, namelike
from deid.detection.reading import Reading
from deid.document import Mention
from deid.labels import NAMES

_REACH = 4  # words or compounds that may be missing on one side
# Particles that open a surname when written with a capital.
_OPENING = PARTICLES - {"la", "les", "l", "m", "n", "o", "y", "mc", "st", "ste"}


def complete_names(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Names stretched over what is joined to them by a hyphen, an initial or a neighbouring capitalised name."""
    result: list[Mention] = []
    for position, mention in enumerate(mentions):
        if mention.label in NAMES:
            floor = result[-1].end if result else 0
            ceiling = mentions[position + 1].start if position + 1 < len(mentions) else len(reading.text)
            mention = _completed(reading, mention, floor, ceiling)
        result.append(mention)
    return result


def _completed(reading: Reading, mention: Mention, floor: int, ceiling: int) -> Mention:
    first = reading.token_at(mention.start)
    last = reading.token_at(mention.end - 1)
    for _ in range(_REACH):
        if (at := _left(reading, first)) is None or reading.starts[at] < floor:
            break
        first = at
    for _ in range(_REACH):
        if (at := _right(reading, last)) is None or reading.ends[at] > ceiling:
            break
        last = at
    start, end = min(reading.starts[first], mention.start), max(reading.ends[last], mention.end)
    return mention if (start, end) == (mention.start, mention.end) else replace(mention, start=start, end=end)


def _left(reading: Reading, first: int) -> int | None:
    """A token further left that belongs to the name which starts at `first`."""
    before = reading.word(first - 1)
    if before == "-" and glued(reading, first) and glued(reading, first - 1) and reading.word(first - 2).isalpha():
        return first - 2
    if before == "'" and elided(reading, first - 2):
        return first - 2
    if (
        (
            before.isalpha()
            and len(before) > 2
            and before not in NOT_NAMES
            and reading.starts[first] - reading.ends[first - 1] == 1
        )
        and is_capital(reading, first - 1)
        and reading.lexicon.is_first_name(before)
        and is_capital(reading, first)
    ):
        return first - 1
    if before in _OPENING and is_capital(reading, first - 1) and is_capital(reading, first):
        return first - 1
    if (
        before == "."
        and len(reading.word(first - 2)) == 1
        and is_capital(reading, first - 2)
        and reading.starts[first] - reading.ends[first - 1] <= 1
    ) and reading.word(first - 2) != "m":
        return first - 2
    return None


def _right(reading: Reading, last: int) -> int | None:
    """A token further right that belongs to the name which ends at `last`."""
    after = reading.word(last + 1)
    if (
        after == "-"
        and glued(reading, last + 1)
        and last + 2 < len(reading.words)
        and glued(reading, last + 2)
        and reading.word(last + 2).isalpha()
    ):
        return last + 2
    nxt = last + 1
    if (
        nxt >= len(reading.words)
        or not after.isalpha()
        or reading.starts[nxt] - reading.ends[last] != 1
        or reading.text[reading.ends[last]] != " "
    ):
        return None
    if after in NOT_NAMES:
        return None
    if (
        is_capital(reading, nxt)
        and len(after) > 1
        and namelike(reading, nxt)
        and (is_upper(reading, nxt) or reading.lexicon.is_first_name(after))
    ):
        return nxt
    if len(after) == 1 and is_capital(reading, nxt) and reading.word(nxt + 1) == "." and glued(reading, nxt + 1):
        return nxt + 1
    if (
        after in LOWER_PARTICLES
        and is_capital(reading, nxt + 1)
        and reading.word(nxt + 1) not in NOT_NAMES
        and namelike(reading, nxt + 1)
        and after not in ("a", "le", "la", "l", "et", "de", "d", "du", "des")
    ):
        return nxt + 1
    return None
