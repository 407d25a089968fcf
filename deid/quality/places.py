"""Find where a candidate fails its checks: the shortest passages that the same counts still find.

The checks count, and most of them on the text as a whole. A place is found by counting again on passages: two lines at
a time, then fewer words, as long as the count stays. So a place needs no second reading of what a check looks for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from deid.domain.document import Document, Substitution
from deid.domain.labels import CONTACT
from deid.domain.outcomes import Candidate
from deid.quality.checks import BY_NAME
from deid.quality.clinical import compared_items
from deid.quality.identity import OTHER_GAP
from deid.quality.integrity import cuts_a_word, outside, spans_are_sound
from deid.quality.measures import survival
from deid.quality.residues import count_unmarked
from deid.quality.signs import points_at_someone
from deid.quality.uniqueness import find_unique_people

_TOKEN = re.compile(r"\w+|[^\w\s]")
_LINE = 400  # characters at which a line is cut for the search
# A part of an address on the web is counted as well as all of it.
_ADDRESSES = frozenset({"residual_email", "residual_url", "contact_unmarked"})
_AHEAD, _BEHIND = re.compile(r"[\w.+\-%@/:]*\Z"), re.compile(r"(?:[.@/:?&=\-]*\w)*")
MOST = 50  # places of a check


class Place(NamedTuple):
    """A passage of a candidate text, `[start, end)`."""

    start: int
    end: int


def find_places(candidate: Candidate, checks: Collection[str]) -> Mapping[str, tuple[Place, ...]]:
    """Return the places of each of `checks`, at most `MOST` each, in order of the candidate text.

    `checks` are names of checks that the candidate fails. Those that judge the document as a whole, or a number that no
    passage has alone, have no place; nor has any if spans do not fit the text.
    """
    document, substitution = candidate.document, candidate.substitution
    if not spans_are_sound(substitution, candidate.mentions, document.text):
        return {}
    found: dict[str, tuple[Place, ...]] = {}
    sought = [name for name in checks if name in _OF_PASSAGES]
    if sought:
        found.update(_search(document, substitution, sought))
    if clinical := _CLINICAL.intersection(checks):
        items = [item for item, changed in compared_items(document, substitution) if changed]
        found |= dict.fromkeys(clinical, tuple(_shown(substitution, *item) for item in items))
    if "words_cut" in checks:
        spans = zip(candidate.mentions, substitution.spans, strict=True)
        found["words_cut"] = tuple(Place(*span) for one, span in spans if cuts_a_word(document.text, one))
    if "unique_person" in checks:
        found["unique_person"] = tuple(Place(*span) for span in find_unique_people(substitution.text))
    return {name: places[:MOST] for name, places in found.items() if places}


# Counts of a passage that are none of `survival`.
_OTHERS: Mapping[str, Callable[[Substitution], float]] = {
    "contact_unmarked": lambda passage: count_unmarked(outside(passage, shown=CONTACT)),
    "text_unchanged": lambda passage: points_at_someone(passage.text),
}
_OF_PASSAGES = frozenset(
    {*(name for name in BY_NAME if name.startswith(("residual_", "identity_"))), *("order_overridden", *_OTHERS)}
) - {"identity_unknown"}


def _failing(document: Document, passage: Substitution, checks: Collection[str]) -> set[str]:
    """Return those of `checks` that a passage fails, taken for a document of its own."""
    numbers: dict[str, float] = {name: _OTHERS[name](passage) for name in checks if name in _OTHERS}
    if not _OTHERS.keys() >= set(checks):
        numbers |= survival(replace(document, text=passage.text), passage)
    return {name for name in checks if numbers[name]}


_CLINICAL = frozenset({"clinical_content_changed", "clinical_value_changed"})


class _Tokens:
    """The words, signs and surrogates of a candidate text, and the passages between any two of them."""

    def __init__(self, substitution: Substitution) -> None:
        self.whole = substitution
        self.spans = sorted({*substitution.spans, *self._between()})

    def _between(self) -> Iterator[tuple[int, int]]:
        at = 0
        for start, end in [*self.whole.spans, (len(self.whole.text),) * 2]:
            yield from (found.span() for found in _TOKEN.finditer(self.whole.text, at, start))
            at = end

    def lines(self) -> Iterator[range]:
        """Yield the tokens of each line, a long one in parts."""
        first = 0
        for at, (start, _) in enumerate(self.spans):
            begin = self.spans[first][0]
            if at > first and ("\n" in self.whole.text[self.spans[at - 1][1] : start] or start - begin > _LINE):
                yield range(first, at)
                first = at
        if first < len(self.spans):
            yield range(first, len(self.spans))

    def passage(self, first: int, end: int, hidden: Collection[tuple[int, int]] = ()) -> Substitution:
        """Return the candidate cut to the tokens `[first, end)`, with gaps in the place of passages hidden."""
        start, stop = self.spans[first][0], self.spans[end - 1][1]
        text = self.whole.text
        for low, high in hidden:
            text = text[:low] + OTHER_GAP * (high - low) + text[high:]
        shown = [
            (span, one)
            for span, one in zip(self.whole.spans, self.whole.surrogates, strict=True)
            if start <= span[0] and span[1] <= stop and not _overlap(span, hidden)
        ]
        return replace(
            self.whole,
            text=text[start:stop],
            surrogates=tuple(one for _, one in shown),
            spans=tuple((low - start, high - start) for (low, high), _ in shown),
        )


def _search(document: Document, substitution: Substitution, checks: Sequence[str]) -> dict[str, tuple[Place, ...]]:
    """Return the places of checks that count in passages."""
    tokens = _Tokens(substitution)
    lines = list(tokens.lines())
    found: dict[str, set[tuple[int, int]]] = {name: set() for name in checks}
    for at, line in enumerate(lines):
        window = range(line.start, lines[min(at + 1, len(lines) - 1)].stop)
        whole = tokens.passage(window.start, window.stop)
        for name in _failing(document, whole, checks):
            found[name] |= _narrow(document, name, tokens, window)
    for name in _ADDRESSES.intersection(found):
        found[name] = {_extended(substitution.text, *place) for place in found[name]}
    return {name: _apart(places) for name, places in found.items()}


def _extended(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the whole of an address of which `[start, end)` is a part, as far as it has no space."""
    ahead, behind = _AHEAD.search(text, 0, start), _BEHIND.match(text, end)
    return ahead.start() if ahead else start, behind.end() if behind else end


def _narrow(document: Document, check: str, tokens: _Tokens, window: range) -> set[tuple[int, int]]:
    """Return the shortest passages of a window that fail a check, also with all others of them hidden."""

    def counted(first: int, end: int, hidden: Collection[tuple[int, int]] = ()) -> bool:
        return bool(_failing(document, tokens.passage(first, end, hidden), [check]))

    def up_to(first: int) -> Callable[[int], bool]:
        return lambda last: counted(first, last + 1)

    def back_from(end: int) -> Callable[[int], bool]:
        return lambda at: counted(at, end)

    places: list[tuple[int, int]] = []
    first = window.start
    while first < window.stop and counted(first, window.stop):
        end = 1 + _boundary(range(first, window.stop), up_to(first))
        start = _boundary(range(end - 1, first - 1, -1), back_from(end))
        places.append((tokens.spans[start][0], tokens.spans[end - 1][1]))
        first = end
    if len(places) == 1:
        return set(places)
    # Fewer words around it may make a count of what the whole window does not count.
    others = {place: [other for other in places if other != place] for place in places}
    return {place for place in places if counted(window.start, window.stop, others[place])}


def _boundary(ordered: range, holds: Callable[[int], bool]) -> int:
    """Return the first of `ordered` from which a condition holds; it holds for the last."""
    return ordered[bisect_left(ordered, True, hi=len(ordered) - 1, key=holds)]


def _overlap(span: tuple[int, int], others: Collection[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _apart(places: Collection[tuple[int, int]]) -> tuple[Place, ...]:
    """Return the places in order; of those that overlap, the shortest."""
    kept: list[Place] = []
    for start, end in sorted(places, key=lambda one: (one[1] - one[0], one)):
        if not _overlap((start, end), kept):
            kept.append(Place(start, end))
    return tuple(sorted(kept))


def _shown(substitution: Substitution, start: int, end: int) -> Place:
    """Return the place in the candidate of the surrogates that a passage of the source touches."""
    touched = [
        span
        for span, one in zip(substitution.spans, substitution.surrogates, strict=True)
        if one.mention.start < end and start < one.mention.end
    ]
    return Place(touched[0][0], touched[-1][1])
