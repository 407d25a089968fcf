"""Mentions of the policy's own types: found by pattern and dictionary, laid over the others, joined with them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from deid.config.own_types import KEEP, VALIDATORS, VALUE, OwnType, compiled
from deid.detection.refining.overlaps import joined_mention, lay_over
from deid.detection.text.reading import Reading
from deid.domain.document import Mention, Vote
from deid.french.folding import fold

# Name of the annotator in votes.
ANNOTATOR = "types"
_WORD = re.compile(r"[^\W\d_]+|\d+")
_RUN = re.compile(r"[^\W_]+")
_GAP = 3  # signs between two words of a term of a dictionary
# Letters and digits of a value that is looked for again; one of digits alone could be a measure.
_LEAST_REPEATED, _LEAST_DIGITS = 4, 6
_BETWEEN = 40  # characters between two mentions that are joined
_SIGNS = " \t\r\n,;:.()[]"

# First word of a term → its following words.
Terms = Mapping[str, frozenset[tuple[str, ...]]]


@dataclass(frozen=True)
class _Type:
    """An own type, its patterns compiled and its dictionary read at the first document."""

    name: str
    own: OwnType

    @cached_property
    def patterns(self) -> list[Any]:
        return [compiled(pattern, self.own.case) for pattern in self.own.patterns]

    @cached_property
    def holds(self) -> Callable[[str], bool]:
        return VALIDATORS[self.own.validator] if self.own.validator else lambda _: True

    @cached_property
    def terms(self) -> Terms:
        found: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
        for line in self.own.terms("dictionary"):
            first, *rest = _WORD.findall(self.written(line)) or ("",)
            found[first].add(tuple(rest))
        found.pop("", None)
        return {first: frozenset(rests) for first, rests in found.items()}

    @cached_property
    def between(self) -> Any:
        return compiled(f"^(?:{self.own.join.between})$") if self.own.join else None

    def written(self, text: str) -> str:
        return text if self.own.case == "written" else fold(text)

    def mention(self, start: int, end: int) -> Mention:
        score = self.own.weight / 100
        return Mention(start, end, self.own.label, score, self.name, (Vote(ANNOTATOR, self.own.label, score),))


class OwnTypes:
    """Finds the own types of a policy, whatever annotators it names.

    Args:
        types: own types by name.
    """

    def __init__(self, types: Mapping[str, OwnType]) -> None:
        self._types = [_Type(name, own) for name, own in types.items()]

    def __bool__(self) -> bool:
        return bool(self._types)

    @cached_property
    def version(self) -> str:
        """Name and hash of the section and of its dictionaries, for the detector's version."""
        values = {one.name: one.own.model_dump(mode="json") for one in self._types}
        canonical = json.dumps(values, sort_keys=True, ensure_ascii=False)
        return f"{ANNOTATOR}-{hashlib.sha256(canonical.encode()).hexdigest()[:12]}"

    def add(self, reading: Reading, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
        """Return the mentions with those of own types laid over them, connected ones joined; sorted and disjoint.

        Of two that overlap, one that the patient's or staff's identity told stays. Then a kept type gives way unless
        it covers the other whole. Then the stronger wins, the own type if they are equal; what is left of the other
        stays if it identifies by itself.
        """
        kept = {one.name for one in self._types if one.own.provider == KEEP}
        return tuple(self._joined(reading, lay_over(reading, self._found(reading), mentions, kept)))

    def _found(self, reading: Reading) -> list[Mention]:
        """Return the mentions of own types, disjoint: the heavier type wins, then the longer mention."""
        ranked = sorted(
            (mention for one in self._types for mention in _find(one, reading)),
            key=lambda one: (-one.score, one.start - one.end, one.start),
        )
        covered = bytearray(len(reading.text))
        chosen = []
        for mention in ranked:
            if not any(covered[mention.start : mention.end]):
                covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
                chosen.append(mention)
        return chosen

    def _joined(self, reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
        joining = {one.name: one for one in self._types if one.own.join}
        joined: list[Mention] = []
        for mention in mentions:
            last = joined[-1] if joined else None
            own = _joins(reading, last, mention, joining) if last else None
            if last is not None and own is not None:
                joined[-1] = replace(joined_mention(last, mention), label=own.own.label, subtype=own.name)
            else:
                joined.append(mention)
        return joined


def _joins(reading: Reading, one: Mention, two: Mention, joining: Mapping[str, _Type]) -> _Type | None:
    """Return the type of the whole if two neighbours are one mention by a rule of either's type."""
    between = reading.folded[one.end : two.start]
    if len(between) > _BETWEEN or "\n" in between:
        return None
    for mention, other in ((one, two), (two, one)):
        own = joining.get(mention.subtype or "")
        if own is None or own.own.join is None:
            continue
        if {other.label, other.subtype} & set(own.own.join.partners) and own.between.search(between):
            return own
    return None


def _find(own: _Type, reading: Reading) -> Iterator[Mention]:
    """Yield the mentions of a type; they may overlap."""
    text = reading.text if own.own.case == "written" else reading.folded
    values = set()
    for start, end in _matches(own, text):
        if own.holds(reading.text[start:end]):
            values.add(tuple(_RUN.findall(reading.folded[start:end])))
            yield own.mention(start, end)
    yield from _repeated(own, reading, values)
    if own.own.dictionary is not None:
        yield from _listed(own, text)


def _matches(own: _Type, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the values that patterns find, without signs at their edges."""
    for pattern in own.patterns:
        group = pattern.groupindex.get(VALUE, 0)
        for match in pattern.finditer(text):
            start, end = match.span(group)
            if start < 0:
                continue  # an alternative without the group
            written = text[start:end]
            start += len(written) - len(written.lstrip(_SIGNS))
            end -= len(written) - len(written.rstrip(_SIGNS))
            if start < end:
                yield start, end


def _repeated(own: _Type, reading: Reading, values: Iterable[tuple[str, ...]]) -> Iterator[Mention]:
    """Yield the places of each whole value, its parts joined or separated by any one sign: "B-4471-02", "b4471 02"."""
    for runs in sorted(values):
        value = "".join(runs)
        if len(value) >= (_LEAST_DIGITS if value.isdigit() else _LEAST_REPEATED):
            spelt = r"[^\w\n]?".join(map(re.escape, runs))
            for match in re.finditer(rf"(?<![\w.,]){spelt}(?![\w]|[.,]\d)", reading.folded):
                yield own.mention(*match.span())


def _listed(own: _Type, text: str) -> Iterator[Mention]:
    """Yield the terms of a type's dictionary, whole words, the longest at each place."""
    words = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(text)]
    for at, (start, _, word) in enumerate(words):
        rests = own.terms.get(word)
        if rests is None or text[max(0, start - 1) : start].isalnum():
            continue
        for rest in sorted(rests, key=len, reverse=True):
            last = words[at + len(rest)][1] if at + len(rest) < len(words) else 0
            if last and not text[last : last + 1].isalnum() and _follows(words, at, rest):
                yield own.mention(start, last)
                break


def _follows(words: Sequence[tuple[int, int, str]], at: int, rest: Sequence[str]) -> bool:
    """Return whether the words behind `at` are those of a term, with few signs between them."""
    return all(
        words[at + step][2] == word and words[at + step][0] - words[at + step - 1][1] <= _GAP
        for step, word in enumerate(rest, 1)
    )
