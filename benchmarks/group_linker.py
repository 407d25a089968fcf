"""Linker by groups: which pseudonym has the documents that a patient of the hospital has.

The attacker knows the type and the night of every document of every patient of the hospital (a list that many hold),
reads all that one role of the database may, and lacks the secret. Rows are grouped by the pseudonym that they hold, or
that `research.document` gives for their document; their cells, and those of the rows that these name, are tried as
types and as nights. The assignment of pseudonyms to patients is the one of least distance between multisets.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import psycopg2
from scipy.optimize import linear_sum_assignment

from benchmarks.linkers import Table, Tables, read_tables

RESEARCH: Table = ("research", "document")
Sent = Mapping[str, Sequence[tuple[str, str]]]  # patient of the hospital → type and night of each document
Group = Counter[tuple[str, str]]
Feature = tuple[str, Sequence[str]]  # name, and its value in each row


@dataclass(frozen=True)
class Linked:
    """Pseudonyms with the patient that fits one better than every other, by what was compared."""

    by: str
    patients: Mapping[str, str]


def link_groups(dsn: str, sent: Sent, *, only: Table | None = None) -> list[Linked]:
    """Return what each pair of columns links, through one connection string; of one table where `only` names it."""
    with psycopg2.connect(dsn, options="-c timezone=UTC") as link, link.cursor() as cursor:
        tables = read_tables(cursor)
    link.close()
    columns, rows = tables.get(RESEARCH, ([], []))
    owners = {row[columns.index("document_id")]: row[columns.index("patient_id")] for row in rows}
    owners |= {pseudonym: pseudonym for pseudonym in owners.values()}
    found = []
    for table in tables if only is None else [only]:
        for place, named in _named(tables[table], owners):
            features = list(_features(tables, table, [row for _, row in named], place))
            types = [("", None), *((name, values) for name, values in features if _is_type(values, sent))]
            nights = [("", None), *_nights(features, sent)]
            for (kind, kinds), (night, ordinals) in product(types, nights):
                if kind or night:
                    groups: dict[str, Group] = defaultdict(Counter)
                    for at, (owner, _) in enumerate(named):
                        groups[owner][(kinds[at] if kinds else "", ordinals[at] if ordinals else "")] += 1
                    theirs = {
                        patient: Counter((kind and one, night and when) for one, when in documents)
                        for patient, documents in sent.items()
                    }
                    by = f"{'.'.join(table)}: {' and '.join(filter(None, (kind, night)))}"
                    found.append(Linked(by, _assigned(groups, theirs)))
    return found


def _named(
    read: tuple[Sequence[str], Sequence[tuple[str, ...]]], owners: Mapping[str, str]
) -> Iterator[tuple[int, list[tuple[str, tuple[str, ...]]]]]:
    """Yield each column that holds pseudonyms or published documents, with the owner of each row that has one."""
    columns, rows = read
    for place in range(len(columns)):
        named = [(owners[row[place]], row) for row in rows if row[place] in owners]
        if len({owner for owner, _ in named}) > 1:
            yield place, named


def _features(tables: Tables, table: Table, rows: Sequence[tuple[str, ...]], place: int) -> Iterator[Feature]:
    """Yield the cells of rows by column, and those of another table in which a column of that name is a key."""
    columns = tables[table][0]
    for at, column in enumerate(columns):
        if at == place:
            continue
        values = [row[at] for row in rows]
        yield column, values
        for (schema, other), (theirs, others) in tables.items():
            if (schema, other) != table and column in theirs:
                key = theirs.index(column)
                by_key = {row[key]: row for row in others}
                if len(by_key) == len(others) and set(values) - {None} <= by_key.keys():
                    for number, name in enumerate(theirs):
                        given = [by_key[value][number] if value is not None else "" for value in values]
                        yield f"{column} → {schema}.{other}.{name}", given


def _is_type(values: Sequence[str], sent: Sent) -> bool:
    types = {kind for documents in sent.values() for kind, _ in documents}
    return len(set(values)) > 1 and set(values) <= types


def _nights(features: Sequence[Feature], sent: Sent) -> Iterator[Feature]:
    """Yield the features that may be nights: as many values as the first nights, taken in their order."""
    nights = sorted({night for documents in sent.values() for _, night in documents})
    for name, values in features:
        distinct = sorted({value for value in values if value}, key=lambda value: (len(value), value))
        if 1 < len(distinct) <= len(nights):
            meant = dict(zip(distinct, nights, strict=False))
            yield name, [meant.get(value, "") for value in values]


def _assigned(groups: Mapping[str, Group], theirs: Mapping[str, Group]) -> dict[str, str]:
    """Return the pseudonyms whose nearest patient is one alone, and the one that the best assignment gives."""
    pseudonyms, patients = sorted(groups), sorted(theirs)
    costs = np.array(
        [
            [((groups[one] - theirs[other]) + (theirs[other] - groups[one])).total() for other in patients]
            for one in pseudonyms
        ]
    )
    rows, columns = linear_sum_assignment(costs)
    return {
        pseudonyms[row]: patients[column]
        for row, column in zip(rows, columns, strict=True)
        if (costs[row] <= costs[row, column]).sum() == 1
    }
