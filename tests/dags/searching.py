"""Looks for planted words wherever Airflow and the product leave something."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import psycopg2
from psycopg2 import sql

# A patient that nobody could meet by chance, and every way in which her documents name her.
SURNAME, BIRTH_NAME, FIRST_NAME = "QUERVILLYDESNOËS", "ZWARTKRUIS-PELLAUMAIL", "Ysoldine"
STREET, EMAIL, PHONE, NIR = "impasse des Grèbes-Huppés", "ysoldine.q@example.org", "03 81 98 76 54", "251057511600437"
PATIENT = f"""
INSERT INTO cdw.patient VALUES
    ('P000009', '8009999999', '{SURNAME}', '{BIRTH_NAME}', '{{{FIRST_NAME}}}', 'F', '1951-05-03', '{NIR}',
     '7 {STREET}', '25000', 'Besançon', '25056', '{PHONE}', '', '{EMAIL}');
INSERT INTO cdw.stay VALUES ('S000009', 'P000009', '260099999', 'CARD', 'Cardiologie', '2026-02-25', '2026-03-02');
"""
LETTER = f"""Service de cardiologie

Madame {FIRST_NAME} {SURNAME}, née {BIRTH_NAME} le 03/05/1951, demeurant 7 {STREET} à Besançon, a été hospitalisée du
25/02/2026 au 02/03/2026 pour une douleur thoracique. Tél. {PHONE}, courriel {EMAIL}, NIR {NIR}.
L'examen de Mme {SURNAME.title()} retrouve une tension artérielle à 14/8 et un rythme régulier. Le bilan biologique est
sans particularité. Elle sort avec un traitement par bisoprolol 2,5 mg et sera revue dans un mois.
"""
PLANTED = (SURNAME, "PELLAUMAIL", FIRST_NAME, "Grèbes", "ysoldine.q", PHONE, PHONE.replace(" ", ""), NIR)


def folded(text: str) -> str:
    """Lower case without accents, so that no spelling hides a word."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def found(places: Iterable[tuple[str, str]]) -> set[str]:
    """The places (name, content) that hold a planted word. Names only: a failure must not print the content."""
    needles = [folded(word) for word in PLANTED]
    return {name for name, content in places if any(needle in folded(content) for needle in needles)}


def files(*folders: Path) -> Iterator[tuple[str, str]]:
    """Every file under the folders."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield str(path), path.read_bytes().decode("utf-8", errors="replace")


def sqlite_cells(database: Path) -> Iterator[tuple[str, str]]:
    """Every cell of a SQLite database."""
    link = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    tables = [row[0] for row in link.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        cursor = link.execute(f'SELECT * FROM "{table}"')
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield from _cells(table, names, row)
    link.close()


def postgres_cells(dsn: str, schemas: Iterable[str], but: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Every cell of the tables of some schemas, but for those named in `but`."""
    link = psycopg2.connect(dsn)
    with link, link.cursor() as cursor:
        cursor.execute("SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY(%s)", (list(schemas),))
        for schema, table in cursor.fetchall():
            if f"{schema}.{table}" in but:
                continue
            cursor.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(schema, table)))
            names = [column.name for column in cursor.description or ()]
            for row in cursor.fetchall():
                yield from _cells(f"{schema}.{table}", names, row)
    link.close()


def _cells(table: str, names: list[str], row: Iterable[object]) -> Iterator[tuple[str, str]]:
    for name, value in zip(names, row, strict=True):
        raw = bytes(value) if isinstance(value, bytes | memoryview) else None
        yield f"{table}.{name}", raw.decode("utf-8", errors="replace") if raw is not None else str(value)
