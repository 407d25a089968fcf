"""Linkers: attacks of a database role that knows the hospital's ids and lacks the secret.

Each tries to tell which row of the ledger or of the research schema is which document or patient of the hospital: by
what any readable cell holds, by digests of guessed ids, by the order of rows under every column, and by what every
function answers or changes.
"""

from __future__ import annotations

import hashlib
import hmac
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import psycopg2
from psycopg2 import errors, sql
from psycopg2.extensions import cursor as Cursor

READABLE = """
SELECT n.nspname, c.relname, array_agg(a.attname::text ORDER BY a.attnum)
FROM pg_class AS c
INNER JOIN pg_namespace AS n ON c.relnamespace = n.oid
INNER JOIN pg_attribute AS a ON c.oid = a.attrelid
WHERE
    c.relkind IN ('r', 'p', 'v', 'm', 'S')
    AND (n.nspname !~ '^(pg_|information_schema)' OR (n.nspname, c.relname) IN (('pg_catalog', 'pg_stats')))
    AND NOT a.attisdropped AND (a.attnum > 0 OR a.attname IN ('ctid', 'xmin'))
    AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
GROUP BY n.nspname, c.relname
ORDER BY 1, 2
"""
CALLABLE = """
SELECT n.nspname, p.proname, p.provolatile = 'v', ARRAY(
    SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY AS u (t, n) ORDER BY u.n
)
FROM pg_proc AS p
INNER JOIN pg_namespace AS n ON p.pronamespace = n.oid
WHERE
    n.nspname !~ '^(pg_|information_schema)' AND p.prorettype <> 'trigger'::regtype AND p.prokind = 'f'
    AND (p.provolatile <> 'i' OR p.prosrc ~* '\\m(from|execute|perform)\\M')  -- others know their argument alone
    AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')
ORDER BY 1, 2
"""
SALTY = re.compile("seed|salt|digest|hash|key|fingerprint")
LENGTHS = (15, 16, 20, 32, 40, 64)
BEYOND_CHANCE = 6.0  # standard deviations of Kendall's statistic: one order in 500 million by chance
LEAST = 8  # documents in an order that is judged
DRAWS = 100  # of ids for the rows at random, which tell how strong the strongest order is by chance
ASKED = 4  # known ids of each kind that each function is asked for
NOBODY = "id of nobody"
Table = tuple[str, str]


@dataclass(frozen=True)
class Known:
    """Knowledge of the attacker: documents in the order of their arrival, with night and instant; patients; stays.

    `names` is for scoring alone: each id of the ledger and each pseudonym, with the hospital's id that it stands for.
    """

    ordered: Sequence[tuple[str, str, str]]  # id, night or "patients", instant
    stays: Sequence[str]
    names: Mapping[str, str]

    @property
    def ids(self) -> list[str]:
        """All ids of the hospital."""
        return [*(name for name, _, _ in self.ordered), *self.stays]


@dataclass
class Outcome:
    """Attempts as one role; `told` names each column, order or function that told something."""

    cells: int = 0
    guesses: int = 0
    orders: int = 0
    calls: int = 0
    linked: set[str] = field(default_factory=set)  # ids of the hospital that a cell, a digest or an answer gives
    told: set[str] = field(default_factory=set)
    strongest: float = 0.0  # of the orders, in standard deviations
    by_chance: float = 0.0  # the same in the second strongest of DRAWS draws; 0 if none was asked for


def attack(dsn: str, known: Known, draws: int = 0) -> Outcome:
    """Try every linker through one connection string; nothing that they write is kept."""
    outcome = Outcome()
    link = psycopg2.connect(dsn, options="-c timezone=UTC")
    link.set_session(isolation_level="REPEATABLE READ")  # what others change meanwhile is no answer
    try:
        with link.cursor() as cursor:
            tables = read_tables(cursor)
            _search_cells(tables, known, outcome)
            salts = _guess_digests(tables, known, outcome)
            compare_orders(tables, known, salts, outcome, draws)
            _ask_functions(cursor, known, outcome)
    finally:
        link.rollback()
        link.close()
    return outcome


def read_tables(cursor: Cursor) -> Tables:
    """Return every readable relation with its columns and its rows as text, in physical order."""
    return dict(_read(cursor))


def _read(cursor: Cursor) -> Iterator[tuple[Table, tuple[list[str], list[Row]]]]:
    """Yield every readable relation with its columns and its rows as text, in physical order."""
    cursor.execute(READABLE)
    for schema, name, columns in cursor.fetchall():
        cells = sql.SQL(", ").join(sql.SQL("{}::text").format(sql.Identifier(column)) for column in columns)
        cursor.execute("SAVEPOINT reading")
        try:
            cursor.execute(sql.SQL("SELECT {} FROM {}").format(cells, sql.Identifier(schema, name)))
            yield (schema, name), (columns, cursor.fetchall())
        except errors.InsufficientPrivilege:  # a view over what the role may not read
            cursor.execute("ROLLBACK TO SAVEPOINT reading")


Row = tuple[str | None, ...]
Tables = Mapping[Table, tuple[list[str], list[Row]]]


def _search_cells(tables: Tables, known: Known, outcome: Outcome) -> None:
    """Search every cell for an id of the hospital, and for the instant at which a document arrived."""
    pattern = _any_of(known.ids)
    instants = {instant: name for name, _, instant in known.ordered if instant}
    for table, (columns, rows) in tables.items():
        for row in rows:
            for column, cell in zip(columns, row, strict=True):
                if cell is None:
                    continue
                outcome.cells += 1
                found = set(pattern.findall(cell)) | ({instants[cell]} if cell in instants else set())
                if found:
                    outcome.linked |= found
                    outcome.told.add(f"{'.'.join(table)}.{column}")


def _any_of(ids: Sequence[str]) -> re.Pattern[str]:
    inner = "|".join(sorted(map(re.escape, ids), key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{inner})(?![A-Za-z0-9])")


def _guess_digests(tables: Tables, known: Known, outcome: Outcome) -> list[str]:
    """Compare digests of guessed ids, bare or behind anything that looks like a salt, with all that can be read.

    Returns the seeds and salts, of which there are few.
    """
    tokens: set[str] = set()
    salts, seeds = {""}, {""}
    for columns, rows in tables.values():
        for row in rows:
            for column, cell in zip(columns, row, strict=True):
                if cell is None or len(cell) > 4000:
                    continue
                tokens.update(token for token in re.findall(r"[0-9a-z]{15,}", cell) if len(token) in LENGTHS)
                if SALTY.search(column) and len(cell) <= 128:
                    salts.add(cell)
                    seeds |= {cell} if re.search("seed|salt", column) else set()
    for name in known.ids:
        forms = (name, f"document {name}", f"patient {name}", f'["{name}"]', f'[["{name}", true, null]]')
        for salt in salts:
            for form in forms:
                for digest in _digests(salt, form):
                    outcome.guesses += 1
                    if any(digest[:length] in tokens for length in LENGTHS):
                        outcome.linked.add(name)
                        outcome.told.add("digest")
    return sorted(seeds)


def _digests(salt: str, text: str) -> Iterator[str]:
    raw = text.encode()
    if not salt:
        for name in ("md5", "sha1", "sha256", "sha512"):
            yield hashlib.new(name, raw, usedforsecurity=False).hexdigest()
        return
    yield hashlib.sha256(salt.encode() + raw).hexdigest()
    yield hashlib.sha256(raw + salt.encode()).hexdigest()
    yield hmac.digest(salt.encode(), raw, "sha256").hex()


def compare_orders(tables: Tables, known: Known, salts: Sequence[str], outcome: Outcome, draws: int = 0) -> None:
    """Compare every order of rows with every order of the ids known, among documents of one night and among patients.

    Rows are taken as they lie and by every column; ids by arrival, by themselves, and by their digests behind a seed.
    Each of `draws` gives the rows the ids of their night at random, and looks for the strongest order again.
    """
    nights = {name: night for name, night, _ in known.ordered}
    orders = list(_known_orders(known, salts))
    compared: list[tuple[Sequence[str], Mapping[str, int]]] = []
    for table, (columns, rows) in tables.items():
        for place, column in enumerate(columns):
            named = [(known.names[cell], row) for row in rows if (cell := row[place] or "") in known.names]
            if len({name for name, _ in named if name in nights}) < LEAST:
                continue
            for key, label in [(None, "as they lie"), *((n, name) for n, name in enumerate(columns) if n != place)]:
                taken = named if key is None else sorted(named, key=lambda item: _sortable(item[1][key]))
                ranks = {name: rank for rank, name in enumerate(dict.fromkeys(n for n, _ in taken if n in nights))}
                for said, order in orders:
                    outcome.orders += 1
                    compared.append((order, ranks))
                    strength = abs(_beyond_chance(order, ranks, nights))
                    outcome.strongest = max(outcome.strongest, strength)
                    if strength > BEYOND_CHANCE:
                        outcome.told.add(f"order of {'.'.join(table)}.{column} by {label}, against {said}")
                        outcome.linked |= set(ranks)
    drawn = random.Random(draws)  # noqa: S311 - draws of a measure
    strongest = sorted(_strongest(compared, _drawn_anew(nights, drawn), nights) for _ in range(draws))
    outcome.by_chance = strongest[-2] if draws > 1 else 0.0


def _drawn_anew(nights: Mapping[str, str], drawn: random.Random) -> dict[str, str]:
    """Return for each id another of its night, or of the patients."""
    groups: dict[str, list[str]] = {}
    for name, night in nights.items():
        groups.setdefault(night, []).append(name)
    return {
        name: other
        for group in groups.values()
        for name, other in zip(group, drawn.sample(group, len(group)), strict=True)
    }


def _strongest(
    compared: Sequence[tuple[Sequence[str], Mapping[str, int]]], others: Mapping[str, str], nights: Mapping[str, str]
) -> float:
    """Return the strongest of some orders, were the rows those of other ids."""
    renamed = {id(ranks): {others[name]: rank for name, rank in ranks.items()} for _, ranks in compared}
    return max((abs(_beyond_chance(order, renamed[id(ranks)], nights)) for order, ranks in compared), default=0.0)


def _sortable(cell: str | None) -> tuple[bool, float, str]:
    try:
        return (cell is None, float(cell or 0), "")
    except ValueError:
        return (False, 0.0, cell or "")


def _known_orders(known: Known, salts: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    names = [name for name, _, _ in known.ordered]
    yield "arrival", names
    yield "the hospital's ids", sorted(names)
    for salt in salts:
        yield "digests", sorted(names, key=partial(_digest, salt))


def _digest(salt: str, name: str) -> bytes:
    return hashlib.sha256((salt + name).encode()).digest()


def _beyond_chance(order: Sequence[str], ranks: Mapping[str, int], nights: Mapping[str, str]) -> float:
    """Return Kendall's statistic over the pairs of ranked ids of one night, in standard deviations of random orders."""
    by_night: dict[str, list[int]] = {}
    for name in order:
        if name in ranks:
            by_night.setdefault(nights[name], []).append(ranks[name])
    score = sum(1 if a < b else -1 for group in by_night.values() for a, b in combinations(group, 2))
    variance = sum(n * (n - 1) * (2 * n + 5) / 18 for n in map(len, by_night.values()))
    return float(score / variance**0.5) if variance else 0.0


def _ask_functions(cursor: Cursor, known: Known, outcome: Outcome) -> None:
    """Ask every function for known ids and for one of nobody: an answer, or what it changes, may tell whose it is."""
    asked = [name for kind in ("", "patients") for name in _some(known, kind)]
    names = _any_of(list(known.names))
    cursor.execute(CALLABLE)
    for schema, function, writes, types in cursor.fetchall():
        if "text" not in types:
            continue
        of_nobody = _call(cursor, schema, function, types, NOBODY, writes=writes)
        for name in asked:
            outcome.calls += 1
            answer = _call(cursor, schema, function, types, name, writes=writes)
            given = {known.names[one] for one in names.findall(answer.text + answer.changed)}
            unlike = _shape(answer.text, name) != _shape(of_nobody.text, NOBODY)
            if unlike or name in given:
                outcome.linked.add(name)
                outcome.told.add(f"function {schema}.{function}")


def _some(known: Known, group: str) -> list[str]:
    """Return a few documents, or of the group "patients" a few patients."""
    return [name for name, night, _ in known.ordered if (night == "patients") == bool(group)][:ASKED]


def _shape(answer: str, asked: str) -> str:
    """Return an answer without the id that was asked for, without digests of it, and without numbers."""
    return re.sub(r"\b[0-9a-f]{64}\b|\d+", "0", answer.replace(asked, "?"))


@dataclass(frozen=True)
class _Answer:
    text: str
    changed: str


def _call(cursor: Cursor, schema: str, function: str, types: Sequence[str], text: str, *, writes: bool) -> _Answer:
    """Call a function, read again all that is readable if it may write, and undo what it did."""
    given = sql.SQL(", ").join(_argument(kind, text) for kind in types)
    cursor.execute("SAVEPOINT asking")
    before = _rows(cursor) if writes else set()
    try:
        cursor.execute(sql.SQL("SELECT t::text FROM {}({}) AS t").format(sql.Identifier(schema, function), given))
        answer = repr(cursor.fetchall())
        after = _rows(cursor) if writes else set()
    except psycopg2.Error as error:
        answer, after = str(error.pgcode), before
    cursor.execute("ROLLBACK TO SAVEPOINT asking")
    return _Answer(answer, repr(sorted(before ^ after, key=repr)))


def _rows(cursor: Cursor) -> set[tuple[Table, Row]]:
    return {(table, row) for table, (_, rows) in _read(cursor) for row in rows}


def _argument(kind: str, text: str) -> sql.Composable:
    value: object = {"text": text, "bigint": 1, "integer": 1, "jsonb": "{}", "boolean": True}.get(kind)
    return sql.SQL("{}::{}").format(sql.Literal(value), sql.SQL(kind))
