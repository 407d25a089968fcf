"""Make mentions disjoint: overlapping ones become one, so that no covered character is left as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter

from deid.document import Mention


def settle(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Mentions in order, those that share a character joined over their union.

    The joined mention takes label, subtype and votes from the longest, then the surest, then the first.
    """
    settled: list[tuple[Mention, Mention]] = []  # (joined, the one it takes its label from)
    for mention in _in_order(mentions):
        if not settled or mention.start >= settled[-1][0].end:
            settled.append((mention, mention))
            continue
        joined, chosen = settled[-1]
        best = max(chosen, mention, key=lambda one: (one.end - one.start, one.score))
        settled[-1] = (replace(best, start=joined.start, end=max(joined.end, mention.end)), best)
    return tuple(joined for joined, _ in settled)


def _in_order(mentions: Sequence[Mention]) -> list[Mention]:
    """`sorted(mentions)`, by spans alone where they are enough, which they nearly always are."""
    ordered = sorted(mentions, key=attrgetter("start", "end"))
    alike = any(one.start == other.start and one.end == other.end for one, other in pairwise(ordered))
    return sorted(mentions) if alike else ordered
