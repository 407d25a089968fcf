"""Linkers by groups: which pseudonym has the documents that a patient of the hospital has.

The attacker knows the type and the night of every document of every patient of the hospital (a list that many hold),
reads all that some roles of the database may, and lacks the secret. The first linker groups rows by the pseudonym that
they hold, or that `research.document` gives for a value of theirs; their cells, and those of the rows that these name,
are tried as types and as nights. The second measures the published texts, and looks for ledger rows of these measures.
The assignment of pseudonyms to patients is the one of least distance between multisets.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

import numpy as np
import psycopg2
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from benchmarks.linkers import Row, Table, Tables, read_tables

RESEARCH: Table = ("research", "document")
PLACES = ("ctid", "xmin")  # of one table: equal ones in two tables say nothing
LEAST_LENGTH = 8  # characters of a value that only one pseudonym has
MEASURES: Mapping[str, Callable[[str], int]] = MappingProxyType(
    {
        "characters": len,
        "lines": lambda text: text.count("\n") + 1,
        "words": lambda text: len(text.split()),
        "digits": lambda text: sum(letter.isdigit() for letter in text),
    }
)
Sent = Mapping[str, Sequence[tuple[str, str]]]  # patient of the hospital → type and night of each document
Group = Counter[tuple[str, str]]
Feature = tuple[str, Sequence[str | None]]  # name, and its value in each row
Numbers = Mapping[str, float]  # ledger id of a document → a number


@dataclass(frozen=True)
class Linked:
    """Pseudonyms with the patient that fits one better than every other, by what was compared.

    `structure` is True where nothing but the schema `research` was read.
    """

    by: str
    patients: Mapping[str, str]
    structure: bool

    def right(self, names: Mapping[str, str]) -> set[str]:
        """Return the pseudonyms whose patient `names` (pseudonym → patient) confirms."""
        return {one for one, patient in self.patients.items() if names.get(one) == patient}


def read_roles(dsns: Sequence[str]) -> Tables:
    """Return every relation that one of these connection strings reads, by the first that does."""
    tables: dict[Table, tuple[list[str], list[Row]]] = {}
    for dsn in dsns:
        with psycopg2.connect(dsn, options="-c timezone=UTC") as link, link.cursor() as cursor:
            tables = {**read_tables(cursor), **tables}
        link.close()
    return tables


def link_groups(tables: Tables, sent: Sent, *, only: Table | None = None) -> list[Linked]:
    """Return what each pair of columns links; of one relation where `only` names it."""
    owners = _owners(tables)
    found = []
    for table in tables if only is None else [only]:
        for place, named in _named(tables[table], owners):
            features = list(_features(tables, table, [row for _, row in named], place))
            types = [("", None), *((name, values) for name, values in features if _is_type(values, sent))]
            nights = [("", None), *_nights(features, sent)]
            for (kind, kinds), (night, ordinals) in product(types, nights):
                if kind or night or table == RESEARCH:
                    groups: dict[str, Group] = defaultdict(Counter)
                    for at, (owner, _) in enumerate(named):
                        kind_of, night_of = (values[at] if values else "" for values in (kinds, ordinals))
                        groups[owner][(kind_of or "", night_of or "")] += 1
                    theirs = {
                        patient: Counter((kind and one, night and when) for one, when in documents)
                        for patient, documents in sent.items()
                    }
                    by = f"{'.'.join(table)}: {' and '.join(filter(None, (kind, night))) or 'number'}"
                    structure = table[0] == "research" and "→ deid" not in by
                    found.append(Linked(by, _assigned(*_distances(groups, theirs)), structure))
    return found


def link_texts(tables: Tables, sent: Sent, owned: Mapping[str, str]) -> list[Linked]:
    """Return what each number of the ledger links by each measure of the published texts.

    `owned` gives the patient of each document of the ledger, which its type and night tell whoever has the list.
    """
    columns, rows = tables.get(RESEARCH, ([], []))
    texts: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        texts[row[columns.index("patient_id")] or ""].append(row[columns.index("text")] or "")
    found = []
    for (name, numbers), (measure, of_text) in product(_ledger_numbers(tables, owned), MEASURES.items()):
        ledger: dict[str, list[float]] = defaultdict(list)
        for document, number in numbers.items():
            ledger[owned[document]].append(number)
        mine = {one: sorted(map(of_text, theirs)) for one, theirs in texts.items()}
        pseudonyms, patients = sorted(mine), sorted(set(ledger) & set(sent))
        costs = np.array([[_apart(mine[one], sorted(ledger[other])) for other in patients] for one in pseudonyms])
        if costs.size:
            found.append(Linked(f"{name} as {measure}", _assigned(pseudonyms, patients, costs), structure=False))
    return found


def _ledger_numbers(tables: Tables, owned: Mapping[str, str]) -> Iterator[tuple[str, Numbers]]:
    """Yield each number that a relation gives of documents of the ledger: its cells, by kind of row, and its rows."""
    for (schema, table), (columns, rows) in tables.items():
        if "document_id" not in columns or schema == "research":
            continue
        key = columns.index("document_id")
        mine = [(document, row) for row in rows if (document := row[key] or "") in owned]
        held = Counter(document for document, _ in mine)
        if len(set(held.values())) > 1:
            yield f"{schema}.{table}: rows", held
        kinds = [at for at, name in enumerate(columns) if name in ("check_name", "category", "label")]
        for at, column in enumerate(columns):
            by_kind: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
            for document, row in mine:
                if column not in PLACES and (cell := row[at] or "").replace(".", "", 1).isdigit():
                    by_kind["/".join(row[kind] or "" for kind in kinds)][document] += float(cell)
            for kind, numbers in by_kind.items():
                if len(set(numbers.values())) > 1:
                    yield f"{schema}.{table}.{column} {kind}".strip(), numbers


def _apart(mine: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the distance of two sorted lists of numbers; a number without a partner counts as a whole."""
    longer, shorter = (mine, theirs) if len(mine) > len(theirs) else (theirs, mine)
    best = np.full(len(shorter) + 1, np.inf)
    best[0] = 0.0
    for number in longer:
        paired = best[:-1] + np.abs(np.array(shorter) - number)
        best = best + max(1.0, number)
        best[1:] = np.minimum(best[1:], paired)
    return float(best[-1])


def _owners(tables: Tables) -> dict[str, str]:
    """Return the pseudonym of each value in `research.document` that one pseudonym alone has, as ids and texts are."""
    columns, rows = tables.get(RESEARCH, ([], []))
    holders: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            if cell is not None and column not in PLACES and len(cell) >= LEAST_LENGTH:
                holders[cell].add(row[columns.index("patient_id")] or "")
    return {cell: next(iter(whose)) for cell, whose in holders.items() if len(whose) == 1}


def _named(
    read: tuple[Sequence[str], Sequence[Row]], owners: Mapping[str, str]
) -> Iterator[tuple[int, list[tuple[str, Row]]]]:
    """Yield each column that holds values of pseudonyms, with the owner of each row that has one."""
    columns, rows = read
    for place in range(len(columns)):
        named = [(owners[cell], row) for row in rows if (cell := row[place] or "") in owners]
        if len({owner for owner, _ in named}) > 1:
            yield place, named


def _features(tables: Tables, table: Table, rows: Sequence[Row], place: int) -> Iterator[Feature]:
    """Yield the cells of rows by column, and those of another table in which a column of that name is a key."""
    columns = tables[table][0]
    for at, column in enumerate(columns):
        if at == place:
            continue
        values = [row[at] for row in rows]
        yield column, values
        for (schema, other), (theirs, others) in tables.items():
            if (schema, other) != table and column in theirs and column not in PLACES:
                key = theirs.index(column)
                by_key = {row[key]: row for row in others}
                if len(by_key) == len(others) and set(values) - {None} <= by_key.keys():
                    for number, name in enumerate(theirs):
                        given = [by_key[value][number] if value is not None else "" for value in values]
                        yield f"{column} → {schema}.{other}.{name}", given


def _is_type(values: Sequence[str | None], sent: Sent) -> bool:
    types = {kind for documents in sent.values() for kind, _ in documents}
    return len(set(values)) > 1 and set(values) <= types


def _nights(features: Sequence[Feature], sent: Sent) -> Iterator[Feature]:
    """Yield the features that may be nights: as many values as the first nights, taken in their order."""
    nights = sorted({night for documents in sent.values() for _, night in documents})
    for name, values in features:
        distinct = sorted({value for value in values if value}, key=lambda value: (len(value), value))
        if 1 < len(distinct) <= len(nights):
            meant = dict(zip(distinct, nights, strict=False))
            yield name, [meant.get(value or "", "") for value in values]


def _distances(
    groups: Mapping[str, Group], theirs: Mapping[str, Group]
) -> tuple[Sequence[str], Sequence[str], NDArray[np.float64]]:
    pseudonyms, patients = sorted(groups), sorted(theirs)
    costs = [
        [((groups[one] - theirs[other]) + (theirs[other] - groups[one])).total() for other in patients]
        for one in pseudonyms
    ]
    return pseudonyms, patients, np.array(costs, dtype=float)


def _assigned(pseudonyms: Sequence[str], patients: Sequence[str], costs: NDArray[np.float64]) -> dict[str, str]:
    """Return the pseudonyms whose nearest patient is one alone, and the one that the best assignment gives."""
    rows, columns = linear_sum_assignment(costs)
    return {
        pseudonyms[row]: patients[column]
        for row, column in zip(rows, columns, strict=True)
        if (costs[row] <= costs[row, column]).sum() == 1
    }
