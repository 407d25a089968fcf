"""The features of the linear-chain CRF: columns of the table seen at offsets, and their conjunctions."""

from __future__ import annotations

import numpy as np

from deid.detection.taggers.hashing import MISSING, Ids, joined, mixed
from deid.detection.taggers.table import AT, Table

_WIDE = (-3, -2, -1, 0, 1, 2, 3)
_NEAR = (-2, -1, 0, 1, 2)
_SIDES = (-1, 0, 1)
_HERE = (0,)

# Column → offsets at which it is seen.
SINGLE: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("word", _WIDE),
    ("shape", _NEAR),
    ("length", _SIDES),
    ("prefix3", _HERE),
    ("suffix2", _HERE),
    ("suffix3", _SIDES),
    ("suffix4", _HERE),
    ("first_name", _SIDES),
    ("surname", _SIDES),
    ("common", _SIDES),
    ("kind", _SIDES),
    ("lexical", _NEAR),
    ("part", _NEAR),
    ("gap", (-1, 0, 1, 2)),
    ("place", _NEAR),
    ("line", _HERE),
    ("case", _HERE),
    ("field", _HERE),
    ("opening", _HERE),
    ("part_of_text", _HERE),
    ("memory", _SIDES),
    ("patterns", _NEAR),
    ("gazetteer", _NEAR),
    ("context", _NEAR),
    ("rules", _HERE),
)
# Pairs and triples of (column, offset) seen together.
TOGETHER: tuple[tuple[tuple[str, int], ...], ...] = (
    (("word", -1), ("word", 0)),
    (("word", 0), ("word", 1)),
    (("word", -2), ("word", -1)),
    (("word", 1), ("word", 2)),
    (("word", -1), ("word", 1)),
    (("word", -1), ("lexical", 0)),
    (("word", -1), ("shape", 0)),
    (("word", -2), ("shape", 0)),
    (("word", 1), ("shape", 0)),
    (("word", 1), ("lexical", 0)),
    (("word", -2), ("word", -1), ("shape", 0)),
    (("shape", -1), ("shape", 0)),
    (("shape", 0), ("shape", 1)),
    (("shape", -1), ("shape", 0), ("shape", 1)),
    (("shape", -2), ("shape", -1), ("shape", 0)),
    (("shape", 0), ("shape", 1), ("shape", 2)),
    (("lexical", -1), ("lexical", 0)),
    (("lexical", 0), ("lexical", 1)),
    (("shape", 0), ("lexical", 0)),
    (("shape", 0), ("part", 0)),
    (("shape", 0), ("case", 0)),
    (("shape", 0), ("case", 0), ("lexical", 0)),
    (("part", -1), ("part", 0), ("part", 1)),
    (("shape", 0), ("gap", 0), ("gap", 1)),
    (("rules", 0), ("lexical", 0)),
    (("rules", 0), ("word", -1)),
    (("rules", 0), ("word", 0)),
    (("rules", -1), ("rules", 0)),
    (("rules", 0), ("rules", 1)),
    (("rules", 0), ("shape", 0)),
    (("rules", 0), ("case", 0)),
    (("place", 0), ("word", -1)),
    (("place", 0), ("lexical", 0), ("shape", 0)),
    (("field", 0), ("shape", 0)),
    (("opening", 0), ("shape", 0)),
    (("line", 0), ("shape", 0)),
    (("part_of_text", 0), ("line", 0), ("shape", 0)),
    (("memory", 0), ("shape", 0), ("lexical", 0)),
)
COUNT = sum(len(offsets) for _, offsets in SINGLE) + len(TOGETHER)


def windows(table: Table) -> Ids:
    """Feature numbers of each token, shape (tokens, COUNT); 0 where a feature is missing."""
    size = len(table)
    features = np.zeros((size, COUNT), dtype=np.uint64)
    seen: dict[tuple[str, int], Ids] = {}

    def at(name: str, offset: int) -> Ids:
        if (name, offset) not in seen:
            seen[name, offset] = mixed(_shifted(table.columns[:, AT[name]], offset), 16 * AT[name] + offset + 8)
        return seen[name, offset]

    column = 0
    for name, offsets in SINGLE:
        for offset in offsets:
            features[:, column] = at(name, offset)
            column += 1
    for parts in TOGETHER:
        value = at(*parts[0])
        for part in parts[1:]:
            value = joined(value, at(*part))
        features[:, column] = value
        column += 1
    return features


def _shifted(column: Ids, offset: int) -> Ids:
    """The column as seen from `offset` tokens before: missing beyond the ends of the document."""
    shifted = np.full_like(column, MISSING)
    size = len(column)
    if abs(offset) < size:
        if offset >= 0:
            shifted[: size - offset] = column[offset:]
        else:
            shifted[-offset:] = column[:offset]
    return shifted
