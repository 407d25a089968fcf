"""The tutorial's commands, literally, on a warehouse unlike the contracts that ship, up to what a researcher reads."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from deid.database.embedded import EmbeddedServer
from tests import ROOT
from tests.folders import make_server_folder

PAGE = (ROOT / "docs" / "your-warehouse.md").read_text(encoding="utf-8")
LETTER = """Service de cardiologie

Madame {first} {name}, née le {born}, demeurant {street} à {town}, a été hospitalisée du 25/02/2026 au 02/03/2026 pour
une douleur thoracique. Elle est suivie par le Dr Yann TREGUIER. L'examen retrouve une tension artérielle à 14/8 et un
rythme régulier. Elle sort avec du bisoprolol 2,5 mg et sera revue dans un mois. Tél. {phone}.
"""
PEOPLE = [
    ("VASSEROT", "Maëlys", "14/05/1961", "12 rue des Lilas", "Dijon", "03 80 11 22 33"),
    ("BROUSTÉ", "Célestine", "02/11/1948", "4 place du Marché", "Besançon", "06 12 34 56 78"),
]


def blocks(kind: str) -> list[str]:
    """Blocks of the page in a language, in their order."""
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for commands that start PostgreSQL."""
    folder = make_server_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def warehouse(postgres_server: str) -> Iterator[str]:
    """Address of a Latin-1 database for its reader: the page's tables and five documents, one of no patient."""
    admin = psycopg2.connect(postgres_server)
    admin.autocommit = True
    name = f"dpi_{os.getpid()}"
    dsn = postgres_server.rpartition("/")[0] + f"/{name}"
    with admin.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'")
        cursor.execute("DROP ROLE IF EXISTS lecteur")
        cursor.execute("CREATE ROLE lecteur LOGIN PASSWORD 'secret'")
    link = psycopg2.connect(dsn)
    with link, link.cursor() as cursor:
        (tables,) = blocks("sql")
        cursor.execute(tables)
        cursor.execute("GRANT USAGE ON SCHEMA dpi TO lecteur")
        cursor.execute("GRANT SELECT ON ALL TABLES IN SCHEMA dpi TO lecteur")
        cursor.execute("INSERT INTO dpi.personnel VALUES (7, '10001234567', 'TREGUIER', 'Yann', 'médecin')")
        cursor.execute("INSERT INTO dpi.venue VALUES (31, 'CARD', '2026-02-25 09:00', '2026-03-02 11:00')")
        for number in range(5):
            last, first, born, street, town, phone = PEOPLE[number % 2]
            day, month, year = born.split("/")
            letter = LETTER.format(first=first, name=last, born=born, street=street, town=town, phone=phone)
            cursor.execute(
                "INSERT INTO dpi.compte_rendu VALUES (%s, %s, 31, 'CRH', 'Compte rendu', %s, '2026-03-02',"
                " '2026-03-02 04:00', FALSE, NULL, %s, %s, 'F', %s, %s, '21000', %s, %s)",
                (
                    number + 1,
                    number % 2 if number < 4 else None,
                    letter,
                    last,
                    first,
                    f"{year}-{month}-{day}",
                    street,
                    town,
                    phone,
                ),
            )
    link.close()
    try:
        yield dsn.replace(re.match(r"postgresql://([^@]+)@", dsn).group(1), "lecteur:secret")  # type: ignore[union-attr]
    finally:
        with admin.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
            cursor.execute("DROP ROLE lecteur")
        admin.close()


@pytest.mark.slow
@pytest.mark.timeout(600)  # each command of the page in a process of its own
def test_the_commands_lead_to_a_published_text(warehouse: str, home: Path) -> None:
    script = "set -euo pipefail\n" + "".join(blocks("bash")).replace(
        "postgresql://lecteur:secret@dpi.chu.example:5432/dpi", warehouse
    )
    assert warehouse in script
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NOCTURNE_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    try:
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=home,
            env={**environment, "PATH": path, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        EmbeddedServer(home / "var").stop(immediate=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "erreur" not in done.stdout
    assert re.search('"step": "summarise".*"warnings": 1', done.stdout), "an approval was asked for"
    read = done.stdout.rpartition('"make_visible"')[2]
    assert read.count("bisoprolol 2,5 mg") == 3
    for last, first, born, street, town, phone in PEOPLE:
        # A town alone may be drawn as another patient's surrogate.
        for written in (last, first, phone, born, f"{street} à {town}", "TREGUIER", "du 25/02/2026 au 02/03/2026"):
            assert written not in read
