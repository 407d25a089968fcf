"""Overlaps: mentions that share characters become disjoint, mentions around a connector become one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Sequence
from dataclasses import replace

from deid.detection.text.reading import Reading
from deid.domain.document import Mention, Vote
from deid.domain.labels import DIRECT, NAMES, Label
from deid.french.folding import fold

# Labels whose longest mention is the right one.
_WHOLES = frozenset({Label.DATE, Label.ORG, Label.CITY, Label.LOC})
_CONTAINERS = frozenset({Label.EMAIL, Label.URL, Label.ORG, Label.STREET})
_INNER = NAMES | {Label.CITY, Label.LOC}
_SURE = 0.75
_TRIM = " \t\n,;:.-–'’()/|«»\""


def resolve_overlaps(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return mentions without overlaps, sorted.

    Overlapping names are united, since half a name identifies too. Of other mentions the strongest keeps its span; the
    rest of a direct identifier stays as its own mention.
    """
    taken: list[tuple[int, int]] = []
    kept: list[Mention] = []
    labels: dict[tuple[int, int], str] = {}
    for mention in sorted(
        _contained(_widened(_united(mentions))), key=lambda one: (-one.score, one.start - one.end, one)
    ):
        for start, end in _free(taken, mention.start, mention.end):
            piece = _trimmed(reading.text, start, end)
            if piece is None:
                continue
            if (start, end) != (mention.start, mention.end) and (
                not _identifies(reading, mention, *piece)
                or (mention.label is not Label.STREET and mention.label in _neighbours(taken, labels, piece))
            ):
                continue
            insort(taken, piece)
            labels[piece] = mention.label
            kept.append(replace(mention, start=piece[0], end=piece[1]))
    return sorted(kept)


def _united(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, overlapping names as one with the label of the strongest and all votes."""
    others = [one for one in mentions if one.label not in NAMES]
    united: list[Mention] = []
    for mention in sorted(one for one in mentions if one.label in NAMES):
        if united and united[-1].overlaps(mention):
            last = united[-1]
            best = max(last, mention, key=lambda one: (one.score, one.end - one.start))
            end = max(last.end, mention.end)
            united[-1] = replace(best, start=last.start, end=end, votes=all_votes(last, mention))
        else:
            united.append(mention)
    return [*others, *united]


def _widened(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions without parts of mentions of the same label, whose score the whole takes if higher."""
    result: list[Mention] = []
    open_by_label: dict[Label, int] = {}
    for mention in sorted(mentions, key=lambda one: (one.start, -one.end)):
        at = open_by_label.get(mention.label)
        if mention.label in _WHOLES and at is not None and result[at].end >= mention.end:
            if result[at].score < mention.score:
                result[at] = replace(result[at], score=mention.score)
            continue
        open_by_label[mention.label] = len(result)
        result.append(mention)
    return result


def _contained(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions without names inside a sure address or organisation ("clinique Vraz")."""
    containers = sorted(one for one in mentions if one.label in _CONTAINERS and one.score >= _SURE)
    starts = [one.start for one in containers]
    result = []
    for mention in mentions:
        at = bisect_right(starts, mention.start) - 1
        inside = at >= 0 and containers[at].end >= mention.end
        if not (
            inside
            and mention.label in _INNER
            and containers[at].end - containers[at].start > mention.end - mention.start
        ):
            result.append(mention)
    return result


def _neighbours(taken: list[tuple[int, int]], labels: dict[tuple[int, int], str], piece: tuple[int, int]) -> set[str]:
    """Return the labels of the spans right before and behind a piece."""
    at = bisect_left(taken, piece)
    return {labels[span] for span in taken[max(0, at - 1) : at + 1]}


def _free(taken: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of `[start, end)` outside the spans of `taken`, which are sorted and disjoint."""
    free = []
    at = bisect_left(taken, (start, start))
    if at and taken[at - 1][1] > start:
        start = taken[at - 1][1]
    while at < len(taken) and taken[at][0] < end:
        if taken[at][0] > start:
            free.append((start, taken[at][0]))
        start = max(start, taken[at][1])
        at += 1
    if start < end:
        free.append((start, end))
    return free


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip(_TRIM))
    if left == len(piece):
        return None
    right = len(piece) - len(piece.rstrip(_TRIM.replace(".", "")))
    return start + left, end - right


def _identifies(reading: Reading, mention: Mention, start: int, end: int) -> bool:
    """True if the rest of a mention identifies: three characters or more of a direct label, a capital or digit."""
    piece = reading.text[start:end]
    return mention.label in DIRECT and len(piece) > 2 and any(sign.isupper() or sign.isdigit() for sign in piece)


def lay_over(
    reading: Reading, own: Sequence[Mention], mentions: Sequence[Mention], kept: Collection[str]
) -> list[Mention]:
    """Return disjoint `mentions` with disjoint ones of own types over them, sorted.

    Args:
        reading: the document.
        own: mentions of own types.
        mentions: the other mentions.
        kept: own types whose values stay in the text; they win only over what they cover whole.
    """
    chosen = sorted(
        one for one in own if all(_gives_way(other, one, kept) for other in mentions if other.overlaps(one))
    )
    taken = [(one.start, one.end) for one in chosen]
    left = []
    for mention in mentions:
        for start, end in _free(taken, mention.start, mention.end):
            piece = (
                (start, end) if (start, end) == (mention.start, mention.end) else _rest(reading, mention, start, end)
            )
            if piece is not None:
                left.append(replace(mention, start=piece[0], end=piece[1]))
    return sorted([*chosen, *left])


def _gives_way(mention: Mention, own: Mention, kept: Collection[str]) -> bool:
    """Return whether a mention that an own type overlaps yields to it."""
    if any(vote.annotator == "identity" for vote in mention.votes):
        return False
    if own.subtype in kept and not (own.start <= mention.start and mention.end <= own.end):
        return False
    return own.score >= mention.score


def _rest(reading: Reading, mention: Mention, start: int, end: int) -> tuple[int, int] | None:
    """Return the rest of a cut mention without signs at its edges, if it identifies by itself."""
    piece = _trimmed(reading.text, start, end)
    return piece if piece is not None and _identifies(reading, mention, *piece) else None


# Connected entities: two mentions around a connector are one ("Health Center of X").

# Labels that may be joined → label of the whole.
_JOINS = {
    (Label.ORG, Label.CITY): Label.ORG,
    (Label.ORG, Label.LOC): Label.ORG,
    (Label.ORG, Label.ORG): Label.ORG,
    (Label.LOC, Label.LOC): Label.LOC,
    (Label.STREET, Label.STREET): Label.STREET,
    **{(name, name): name for name in NAMES},
}


def connect_entities(reading: Reading, mentions: Sequence[Mention], connectors: Sequence[str]) -> list[Mention]:
    """Return the mentions, joined where only a connector of the policy separates two."""
    signs = {fold(connector) for connector in connectors}
    joined: list[Mention] = []
    for mention in mentions:
        label = _JOINS.get((joined[-1].label, mention.label)) if joined else None
        if label and _connects(reading.folded[joined[-1].end : mention.start], signs, label):
            joined[-1] = replace(joined_mention(joined[-1], mention), label=label)
        else:
            joined.append(mention)
    return joined


def joined_mention(first: Mention, second: Mention) -> Mention:
    """Return `first` extended to the end of `second`, with the higher score and the votes of both."""
    score = max(first.score, second.score)
    return replace(first, end=second.end, score=score, votes=all_votes(first, second))


def found_mention(source: str, start: int, end: int, label: Label, score: float) -> Mention:
    """Return a mention that `source` alone votes for."""
    return Mention(start, end, label, score, None, (Vote(source, label, score),))


def all_votes(first: Mention, second: Mention) -> tuple[Vote, ...]:
    """Return the votes of both mentions, sorted."""
    return tuple(sorted({*first.votes, *second.votes}))


def _connects(between: str, signs: set[str], label: Label) -> bool:
    if "\n" in between or len(between) > 8:
        return False
    if label is Label.STREET and between in (", ", " - ", " , ", "  ", " ", ","):
        return True
    if label in NAMES:
        if between == ".":
            return True  # "dupont.jean"
        return between in (" ", "-", "  ") or (between.strip() in signs - {"-", "du", "des"} and between != "")
    return (between.strip() in signs and between.strip() != "-") or between == "-"
