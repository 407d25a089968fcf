"""A document as the learned taggers see it: one row of feature numbers per token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log10

import numpy as np
from numpy.typing import NDArray

from deid.detection.gazetteers import Kind
from deid.detection.reading import Reading
from deid.detection.taggers import words
from deid.detection.taggers.evidence import RULES, evidence
from deid.detection.taggers.hashing import Ids, number
from deid.domain.document import Mention
from deid.domain.labels import NAMES

# Columns that depend on what stands around a token, after those of `words.COLUMNS`.
AROUND = ("gap", "place", "line", "case", "field", "opening", "part_of_text", "memory", *RULES, "rules")
COLUMNS = (*words.COLUMNS, *AROUND)
AT: Mapping[str, int] = {name: index for index, name in enumerate(COLUMNS)}
# Columns that come from tables or rules: training hides some of them, so that words and context are learned too.
FROM_TABLES = ("first_name", "surname", "kind", "lexical", "place")
FROM_RULES = (*RULES, "rules", "memory")


@dataclass(frozen=True, slots=True)
class Table:
    """Feature numbers, 0 is none: `columns` (tokens, len(COLUMNS)), `kinds` (kinds of token, words.GRAMS).

    `kind` (tokens,) is the row of each token in `kinds`.
    """

    columns: Ids
    kinds: Ids
    kind: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def grams(self) -> Ids:
        """Character n-grams of each token, shape (tokens, words.GRAMS)."""
        return self.kinds[self.kind]

    def part(self, first: int, last: int) -> Table:
        """The tokens `[first, last)`, seen with what stands around them in the whole."""
        return Table(self.columns[first:last], self.kinds, self.kind[first:last])


def table(reading: Reading) -> Table:
    """The table of a document, made once. Runs the rule annotators if they have not spoken yet."""
    if reading.table is None:
        reading.table = _table(reading)
    made: Table = reading.table
    return made


def _table(reading: Reading) -> Table:
    text = reading.text
    surfaces = [text[start:end] for start, end in zip(reading.starts, reading.ends, strict=True)]
    columns = np.zeros((len(surfaces), len(COLUMNS)), dtype=np.uint64)
    of_kind = np.zeros((1, words.GRAMS), dtype=np.uint64)
    which = np.zeros(0, dtype=np.int64)
    if surfaces:
        kinds = {surface: index for index, surface in enumerate(dict.fromkeys(surfaces))}
        which = np.fromiter((kinds[surface] for surface in surfaces), dtype=np.int64, count=len(surfaces))
        alone = np.array([words.columns(surface) for surface in kinds], dtype=np.uint64)
        columns[:, : len(words.COLUMNS)] = alone[which]
        of_kind = np.zeros((len(kinds), words.GRAMS), dtype=np.uint64)
        for surface, index in kinds.items():
            found = words.grams(surface)
            of_kind[index, : len(found)] = found
        _around(reading, columns)
    return Table(columns, of_kind, which)


def _around(reading: Reading, columns: Ids) -> None:
    columns[:, AT["gap"]] = _numbers("gap", _gaps(reading))
    _mark_places(reading, columns[:, AT["place"]])
    _mark_lines(reading, columns)
    found = evidence(reading)
    marks = {name: _tags(reading, found[name]) for name in RULES}
    for name, tags in marks.items():
        columns[:, AT[name]] = _numbers(name, tags)
    columns[:, AT["rules"]] = _numbers("rules", map("/".join, zip(*marks.values(), strict=True)), empty="//")
    columns[:, AT["memory"]] = _numbers("memory", _memory(reading, found))


def _numbers(name: str, values: Iterable[str], empty: str = "") -> Ids:
    return np.fromiter((0 if value == empty else number(f"{name}={value}") for value in values), dtype=np.uint64)


def _gaps(reading: Reading) -> list[str]:
    """How far a token stands from the one before it: touching, a blank, more, a tab."""
    gaps = ["start"] if reading.starts else []
    for before, start in zip(reading.ends, reading.starts[1:], strict=False):
        between = reading.text[before:start]
        gaps.append("0" if not between else "tab" if "\t" in between else "1" if len(between) == 1 else "2")
    return gaps


def _spread(reading: Reading, start: int, end: int) -> range:
    """Indexes of the tokens that touch `[start, end)`."""
    first = last = reading.token_at(start)
    while last < len(reading.starts) and reading.starts[last] < end:
        last += 1
    return range(first, last)


def _mark_places(reading: Reading, column: NDArray[np.uint64]) -> None:
    """The longest entry of the gazetteers over each token: its kind, size, and whether the token opens it."""
    marks: dict[int, tuple[int, str]] = {}
    for hit in reading.hits:
        size = f"{round(log10(hit.entry.weight + 1))}" if hit.entry.kind is Kind.COMMUNE else ""
        for index in (tokens := _spread(reading, hit.start, hit.end)):
            length, mark = marks.get(index, (0, ""))
            if hit.end - hit.start >= length:
                several = len(tokens) > 1
                own = f"{'B' if index == tokens[0] else 'I'}{hit.entry.kind}{size}{several}"
                marks[index] = (hit.end - hit.start, f"{mark}+{own}" if hit.end - hit.start == length else own)
    for index, (_, mark) in marks.items():
        column[index] = number(f"place={mark}")


def _mark_lines(reading: Reading, columns: Ids) -> None:
    """Where a token stands in its line and text, how the line is written, and which words open it."""
    lines = _lines(reading)
    for row, (first, last) in enumerate(lines):
        case = "u" if reading.shouted(first) else "l" if reading.lowered(first) else "m"
        depth = "head" if row < 6 else "foot" if row >= len(lines) - 5 else f"{min(4 * row // len(lines), 3)}"
        opening = next((reading.words[i] for i in range(first, last) if reading.words[i].isalpha()), "-")
        length = min((last - first) // 4, 8)
        field = ""
        for index in range(first, last):
            place = "only" if last - first == 1 else "first" if index == first else "last" if index == last - 1 else ""
            row_of = columns[index]
            row_of[AT["line"]] = number(f"line={place}/{length}")
            row_of[AT["case"]] = number(f"case={case}")
            row_of[AT["opening"]] = number(f"opening={opening}/{min(index - first, 6)}")
            row_of[AT["part_of_text"]] = number(f"part_of_text={depth}")
            if field:
                row_of[AT["field"]] = number(f"field={field}")
            if reading.words[index] in (":", "=", "|"):
                before = reading.words[index - 1] if index > first else ""
                field = before if before.isalpha() else field


def _lines(reading: Reading) -> list[tuple[int, int]]:
    """`[first, last)` token indexes of each line with tokens; the break belongs to the line that it ends."""
    lines, first = [], 0
    for index, word in enumerate(reading.words):
        if word == "\n":
            if index > first:
                lines.append((first, index))
            first = index + 1
    if first < len(reading.words):
        lines.append((first, len(reading.words)))
    return lines


def _tags(reading: Reading, mentions: Sequence[Mention]) -> list[str]:
    """Labels over each token as B-LABEL or I-LABEL; several are joined by +."""
    tags: list[str] = [""] * len(reading.starts)
    for mention in sorted(mentions):
        for index in (tokens := _spread(reading, mention.start, mention.end)):
            own = f"{'B' if index == tokens[0] else 'I'}-{mention.label}"
            if own not in tags[index]:
                tags[index] = f"{tags[index]}+{own}" if tags[index] else own
    return tags


def _memory(reading: Reading, found: Mapping[str, Sequence[Mention]]) -> list[str]:
    """What the document says of the same word elsewhere: read as a name by rules, or written without a capital."""
    named = np.zeros(len(reading.words), dtype=bool)
    for name in RULES:
        for mention in found[name]:
            if mention.label in NAMES:
                named[_spread(reading, mention.start, mention.end)] = True
    times: Counter[str] = Counter()
    lower: Counter[str] = Counter()
    as_name: Counter[str] = Counter()
    for word, capital, is_named in zip(reading.words, reading.capitals, named, strict=True):
        if len(word) > 2 and word.isalpha():
            times[word] += 1
            lower[word] += not capital
            as_name[word] += bool(is_named)
    memory = []
    for word, capital, is_named in zip(reading.words, reading.capitals, named, strict=True):
        others = times[word] - 1
        if others < 1:
            memory.append("")
            continue
        names = as_name[word] - bool(is_named)
        plain = lower[word] - (not capital)
        memory.append(f"{min(names, 2)}/{'all' if plain == others else 'some' if plain else 'none'}")
    return memory
