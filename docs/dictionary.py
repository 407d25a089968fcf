"""Write the dictionary of schema research from a migrated database: `python -m docs.dictionary`.

The page holds the comments of tables and columns, in French, and what the policy that ships does to each of them. A
test compares it with the database.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import psycopg2

from deid.config.policy import load
from deid.database.embedded import EmbeddedServer
from deid.privacy.perturbations import describe_policy
from deid.schema.migrations import migrate
from deid.schema.provision import OWNER, make_database, make_login, make_owner
from docs.tables import ROOT

PAGE = ROOT / "docs/fr/dictionnaire-recherche.md"
COLUMNS = """
SELECT
    c.relname, c.relkind = 'v', obj_description(c.oid, 'pg_class'), a.attname, format_type(a.atttypid, a.atttypmod),
    col_description(c.oid, a.attnum)
FROM pg_class AS c
INNER JOIN pg_attribute AS a ON c.oid = a.attrelid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'research'::regnamespace AND c.relkind IN ('r', 'v')
ORDER BY c.relname, a.attnum
"""
_HEAD = """# Dictionnaire du schéma research

Page écrite par `python -m docs.dictionary` d'après les commentaires de la base (`\\d+ research.document` sous `psql`
les donne aussi, avec l'anglais) et la politique fournie. Mode d'emploi : [guide du chercheur](guide-chercheur.md)."""
_PERTURBED = """## Ce que fait la politique fournie

La base de l'hôpital le dit de ses propres politiques : `research.perturbation`, jointe par `policy_hash`.
Échelle : écart absolu moyen du bruit, à peu près. ε en nats."""


def page(rows: list[tuple[Any, ...]]) -> str:
    """Return the page from the rows of `COLUMNS`."""
    return "\n".join([_HEAD, "", *_tables(rows), _PERTURBED, "", *_perturbations()]) + "\n"


def _tables(rows: list[tuple[Any, ...]]) -> Iterator[str]:
    for (name, is_view, about), columns in groupby(rows, key=lambda row: row[:3]):
        yield from (f"## research.{name}", "", f"{'Vue' if is_view else 'Table'}. {_french(about)}", "")
        yield from ("| Colonne | Type | Sens |", "|---|---|---|")
        yield from (f"| `{column}` | {kind} | {_french(comment)} |" for *_, column, kind, comment in columns)
        yield ""


def _french(comment: str) -> str:
    return comment.partition(" / ")[0]


def _perturbations() -> Iterator[str]:
    yield from ("| Élément | Partie | Stratégie | Effet | Borne | Échelle | ε |", "|---|---|---|---|---:|---:|---:|")
    for one in describe_policy(load()):
        bound, scale = (_quantity(value, one.unit) if value is not None else "" for value in (one.bound, one.scale))
        epsilon = "" if one.epsilon is None else f"{_number(one.epsilon)} par {one.epsilon_per}"
        yield f"| {one.element} | {one.part} | `{one.strategy}` | {one.effect} | {bound} | {scale} | {epsilon} |"


def _quantity(value: float, unit: str) -> str:
    return f"{_number(value)} {unit}{'s' if value >= 2 and not unit.endswith('s') else ''}"


def _number(value: float) -> str:
    return f"{value:.3g}".replace(".", ",")


def main() -> None:
    """Write the page from a database of its own."""
    with tempfile.TemporaryDirectory(prefix="nocturne-dictionary-", ignore_cleanup_errors=True) as home:
        server = EmbeddedServer(Path(home), options={"fsync": "off"})
        server.start()
        try:
            make_owner(server.uri("postgres"), "dictionary")
            make_database(server.uri("postgres"), "nocturne", OWNER)
            make_login(server.uri("postgres"), OWNER, "dictionary")
            migrate(server.uri("nocturne"))
            link = psycopg2.connect(server.uri("nocturne"))
            with link, link.cursor() as cursor:
                cursor.execute(COLUMNS)
                PAGE.write_text(page(cursor.fetchall()), encoding="utf-8")
            link.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
