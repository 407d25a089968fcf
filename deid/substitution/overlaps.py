"""Make mentions disjoint: overlapping ones become one, so that no covered character is left as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from operator import attrgetter, le

from deid.domain.document import Mention

_START, _END = attrgetter("start"), attrgetter("end")


def settle(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Mentions in order, those that share a character joined over their union.

    The joined mention takes label, subtype and votes from the longest, then the surest, then the first.
    """
    ordered = sorted(mentions, key=_START)
    if all(map(le, map(_END, ordered), map(_START, islice(ordered, 1, None)))):
        return tuple(ordered)  # nearly always
    settled: list[tuple[Mention, Mention]] = []  # (joined, the one it takes its label from)
    for mention in sorted(mentions):
        if not settled or mention.start >= settled[-1][0].end:
            settled.append((mention, mention))
            continue
        joined, chosen = settled[-1]
        best = max(chosen, mention, key=lambda one: (one.end - one.start, one.score))
        settled[-1] = (replace(best, start=joined.start, end=max(joined.end, mention.end)), best)
    return tuple(joined for joined, _ in settled)
