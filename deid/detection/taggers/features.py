"""Features of the learned taggers: one row of 64-bit feature numbers per token of a document.

The same feature has the same number in every process and version: trained weights depend on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from math import log10
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deid.detection.lookup.lexicon import Births, Kind, Lexicon, lexicon
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES
from deid.french.folding import fold

Ids = NDArray[np.uint64]

# Rule annotators whose mentions are columns.
RULES = ("patterns", "gazetteer", "context")
# Columns that depend on the token alone, and columns that depend on its surroundings too.
TOKEN_COLUMNS = tuple(
    "word shape length prefix3 suffix2 suffix3 suffix4 first_name surname common kind lexical part".split()
)
AROUND = ("gap", "place", "line", "case", "field", "opening", "part_of_text", "memory", *RULES, "rules")
COLUMNS = (*TOKEN_COLUMNS, *AROUND)
AT: Mapping[str, int] = {name: index for index, name in enumerate(COLUMNS)}
# Columns that come from tables or rules: training hides some of them, so that words and context are learned too.
FROM_TABLES = ("first_name", "surname", "kind", "lexical", "place")
FROM_RULES = (*RULES, "rules", "memory")
GRAMS = 28  # character n-grams of a token
MISSING = np.uint64(0)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@lru_cache(maxsize=1 << 18)
def feature_number(text: str) -> int:
    """Return the number in [1, 2⁶⁴) of a feature's name."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") or 1


def salted(ids: Ids, salt: int) -> Ids:
    """Return the numbers of features seen in the role `salt`, missing where `ids` are.

    A multiplicative hash after the finaliser of splitmix64 (Steele, Lea and Flood 2014).
    """
    with np.errstate(over="ignore"):
        value = (ids ^ np.uint64(salt)) * _ODD
        value = (value ^ (value >> _SHIFT)) * np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(32)
    return np.where(ids == MISSING, MISSING, value)


def conjunction(first: Ids, second: Ids) -> Ids:
    """Return the conjunction of two features, missing where one of them is."""
    with np.errstate(over="ignore"):
        value = (first * np.uint64(0x94D049BB133111EB)) ^ (second + _ODD)
        value = (value ^ (value >> _SHIFT)) * _ODD
    return np.where((first == MISSING) | (second == MISSING), MISSING, value)


def token_columns(surface: str) -> tuple[int, ...]:
    """Return the feature numbers of a token as written, one per name in `TOKEN_COLUMNS`; 0 where there is none."""
    return _token_columns(surface, lexicon())


@lru_cache(maxsize=1 << 18)
def _token_columns(surface: str, names: Lexicon) -> tuple[int, ...]:
    word = fold(surface)
    if not word.isalpha():
        seen = (_sign(word), _shape(surface), _length(word), *[""] * 10)
    else:
        first, last, common = _births(names.first_names, word), _births(names.surnames, word), _frequency(names, word)
        kind = _word_lists(names, word)
        seen = (
            *(word, _shape(surface), _length(word)),
            *(word[:3], word[-2:], word[-3:], word[-4:] if len(word) > 4 else ""),
            *(first, last, common, kind, f"{first}/{last}/{common}/{kind}"),
            names.parts.get(word, "?"),
        )
    return tuple(
        feature_number(f"{name}={value}") if value != "" else 0 for name, value in zip(TOKEN_COLUMNS, seen, strict=True)
    )


@lru_cache(maxsize=1 << 18)
def token_grams(surface: str) -> tuple[int, ...]:
    """Return the numbers of a folded word and its character 3- to 5-grams with edges, at most `GRAMS`."""
    edged = f"<{fold(surface)[:24]}>"
    found = [feature_number(f"g={edged}")]
    for size in (3, 4, 5):
        found += [feature_number(f"g={edged[start : start + size]}") for start in range(len(edged) - size + 1)]
    return tuple(found[:GRAMS])


def _shape(surface: str) -> str:
    """Return capitals as X, other letters as x, digits as d, with runs cut at two."""
    shape = ""
    for sign in surface[:40]:
        mark = "d" if sign.isdigit() else "X" if sign.isupper() else "x" if sign.isalpha() else sign
        if not shape.endswith(mark * 2):
            shape += mark
    return shape


def _length(word: str) -> str:
    return f"{'d' if word.isdigit() else 'l'}{min(len(word), 16)}"


def _sign(word: str) -> str:
    """Return the class of a number: day, month, minutes or year, else its number of digits; a sign as it is."""
    if not word.isdecimal():
        return word
    value = int(word[:18])
    if len(word) <= 2:
        top = next((top for top in (0, 12, 23, 31, 59, 89) if value <= top), 99)
        return f"n{len(word)}≤{top}"
    if len(word) == 4 and 1900 <= value <= 2039:
        return "n4year"
    return f"n{min(len(word), 16)}{word[0] if len(word) in (10, 13, 15) else ''}"


def _births(table: Births, word: str) -> str:
    births = table.get(word, 0)
    return f"{min(round(log10(births)), 6)}" if births else "-"


def _frequency(names: Lexicon, word: str) -> str:
    frequency = names.common.get(word)
    return "-" if frequency is None else f"{max(-1, min(round(log10(frequency + 0.01)), 4))}"


def _word_lists(names: Lexicon, word: str) -> str:
    marks = (("m", names.medical), ("d", names.drugs), ("e", names.eponyms))
    return "".join(mark for mark, table in marks if word in table) or "-"


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """Feature numbers, 0 is none: `columns` (tokens, len(COLUMNS)), `kinds` (kinds of token, GRAMS).

    `kind` (tokens,) is the row of each token in `kinds`, `states` (tokens, width) the contextual states
    (`deid.detection.taggers.bilstm.ContextualStates`), where a tagger reads them.
    """

    columns: Ids
    kinds: Ids
    kind: NDArray[np.int64]
    states: NDArray[np.float16] | None = None

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def grams(self) -> Ids:
        """Character n-grams of each token, shape (tokens, GRAMS)."""
        return self.kinds[self.kind]

    def part(self, first: int, last: int) -> FeatureTable:
        """Return the rows of the tokens `[first, last)`, with their surroundings in the whole document."""
        states = None if self.states is None else self.states[first:last]
        return FeatureTable(self.columns[first:last], self.kinds, self.kind[first:last], states)


class Rule(Protocol):
    """An annotator named in `RULES`."""

    name: str

    def annotate(self, reading: Reading) -> Iterable[Mention]:
        """Return the mentions of one document."""
        ...


def feature_table(reading: Reading, rules: Sequence[Rule]) -> FeatureTable:
    """Return the table of a document, made once.

    Args:
        reading: the document; mentions of a rule that `reading.found` lacks are added there.
        rules: the annotators of `RULES`.
    """
    if reading.table is None:
        for rule in rules:
            if reading.starts and rule.name not in reading.found:
                reading.found[rule.name] = list(rule.annotate(reading))
        reading.table = _table(reading)
    made: FeatureTable = reading.table
    return made


def _table(reading: Reading) -> FeatureTable:
    text = reading.text
    surfaces = [text[start:end] for start, end in zip(reading.starts, reading.ends, strict=True)]
    columns = np.zeros((len(surfaces), len(COLUMNS)), dtype=np.uint64)
    of_kind = np.zeros((1, GRAMS), dtype=np.uint64)
    which = np.zeros(0, dtype=np.int64)
    if surfaces:
        kinds = {surface: index for index, surface in enumerate(dict.fromkeys(surfaces))}
        which = np.fromiter((kinds[surface] for surface in surfaces), dtype=np.int64, count=len(surfaces))
        alone = np.array([token_columns(surface) for surface in kinds], dtype=np.uint64)
        columns[:, : len(TOKEN_COLUMNS)] = alone[which]
        of_kind = np.zeros((len(kinds), GRAMS), dtype=np.uint64)
        for surface, index in kinds.items():
            found = token_grams(surface)
            of_kind[index, : len(found)] = found
        _around(reading, columns)
    return FeatureTable(columns, of_kind, which)


def _around(reading: Reading, columns: Ids) -> None:
    columns[:, AT["gap"]] = _numbers("gap", _gaps(reading))
    _mark_places(reading, columns[:, AT["place"]])
    _mark_lines(reading, columns)
    marks = {name: _tags(reading, reading.found[name]) for name in RULES}
    for name, tags in marks.items():
        columns[:, AT[name]] = _numbers(name, tags)
    columns[:, AT["rules"]] = _numbers("rules", map("/".join, zip(*marks.values(), strict=True)), empty="//")
    columns[:, AT["memory"]] = _numbers("memory", _memory(reading, reading.found))


def _numbers(name: str, values: Iterable[str], empty: str = "") -> Ids:
    return np.fromiter(
        (0 if value == empty else feature_number(f"{name}={value}") for value in values), dtype=np.uint64
    )


def _gaps(reading: Reading) -> list[str]:
    """Return the gap before each token: none, a blank, more, a tab."""
    gaps = ["start"] if reading.starts else []
    for before, start in zip(reading.ends, reading.starts[1:], strict=False):
        between = reading.text[before:start]
        gaps.append("0" if not between else "tab" if "\t" in between else "1" if len(between) == 1 else "2")
    return gaps


def _spread(reading: Reading, start: int, end: int) -> range:
    """Return the indexes of the tokens that touch `[start, end)`."""
    first = last = reading.token_at(start)
    while last < len(reading.starts) and reading.starts[last] < end:
        last += 1
    return range(first, last)


def _mark_places(reading: Reading, column: NDArray[np.uint64]) -> None:
    """Write the longest gazetteer entry over each token: kind, size, number of words, first token or not."""
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
        column[index] = feature_number(f"place={mark}")


def _mark_lines(reading: Reading, columns: Ids) -> None:
    """Write each token's place in line and text, the case of the line, its first word and its field name."""
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
            row_of[AT["line"]] = feature_number(f"line={place}/{length}")
            row_of[AT["case"]] = feature_number(f"case={case}")
            row_of[AT["opening"]] = feature_number(f"opening={opening}/{min(index - first, 6)}")
            row_of[AT["part_of_text"]] = feature_number(f"part_of_text={depth}")
            if field:
                row_of[AT["field"]] = feature_number(f"field={field}")
            if reading.words[index] in (":", "=", "|"):
                before = reading.words[index - 1] if index > first else ""
                field = before if before.isalpha() else field


def _lines(reading: Reading) -> list[tuple[int, int]]:
    """Return `[first, last)` token indexes of each line that has tokens, without its line break."""
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
    """Return the labels over each token as B-LABEL or I-LABEL; several are joined by +."""
    tags: list[str] = [""] * len(reading.starts)
    for mention in sorted(mentions):
        for index in (tokens := _spread(reading, mention.start, mention.end)):
            own = f"{'B' if index == tokens[0] else 'I'}-{mention.label}"
            if own not in tags[index]:
                tags[index] = f"{tags[index]}+{own}" if tags[index] else own
    return tags


def _memory(reading: Reading, found: Mapping[str, Sequence[Mention]]) -> list[str]:
    """Return the other occurrences of each word: names by the rules (0, 1, 2+), and written without a capital."""
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
