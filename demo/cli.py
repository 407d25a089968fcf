"""Command line of the demonstration, `python -m demo`: run it, or start, stop, show and remove its servers.

Output is in French, like the rest of the command line.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from deid.cli.console import REFUSED, Guarded
from deid.config.settings import settings
from deid.database.embedded import EmbeddedServer
from deid.schema.provision import provision
from demo.airflow import ADMIN, STEWARD, Airflow
from demo.hospital import generate, load
from demo.progress import Progress
from demo.rest import AirflowRefused, Interface
from demo.scenario import READY_S, Scale, Stopped, play
from demo.summary import shown

app = typer.Typer(
    cls=Guarded,
    help="Un hôpital fictif sur cette machine : PostgreSQL, Airflow, trente nuits.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Port = Annotated[
    int | None, typer.Option(envvar="NOCTURNE_AIRFLOW_PORT", min=1, max=65535, help="Port de l'interface d'Airflow.")
]


@app.command()
def run(
    port: Port = None,
    patients: Annotated[int, typer.Option(min=1, help="Patients de l'hôpital fictif.")] = Scale.patients,
    documents: Annotated[int, typer.Option(min=50, help="Documents, sur toutes les nuits.")] = Scale.documents,
    nights: Annotated[int, typer.Option(min=1, max=30, help="Nuits ; les deux dernières une à une.")] = Scale.nights,
    files: Annotated[float, typer.Option(min=0, max=1, help="Part de fichiers (PDF, DOCX, HL7…).")] = Scale.files,
    batch_size: Annotated[int, typer.Option(min=1, max=5000, help="Documents par lot.")] = Scale.batch_size,
    ask: Annotated[bool, typer.Option("--ask", help="La dernière nuit attend deux accords, les vôtres.")] = False,
) -> None:
    """Joue toute l'histoire ; rejouée, elle reprend, ne trouve rien de nouveau et ne publie rien deux fois."""
    with stoppable():
        play(home(), Scale(patients, documents, nights, batch_size, files), port, ask=ask)


@app.command()
def up(port: Port = None) -> None:
    """Démarre PostgreSQL et Airflow, et les laisse ouverts."""
    provision(home())
    airflow = Airflow(home(), port)
    with stoppable():
        airflow.start(detached=True)
        interface = Interface(airflow.url, ADMIN, airflow.password(ADMIN))
        deadline = time.monotonic() + READY_S
        while not interface.healthy():
            if not airflow.running() or time.monotonic() > deadline:
                airflow.stop()
                raise AirflowRefused("Airflow did not start.", f"The files in {shown(airflow.logs)} say why.")
            time.sleep(1)
    progress = Progress()
    progress.plain(f"{airflow.pages}  pages des référents")
    progress.plain(f"{airflow.url}  Airflow ; utilisateurs {STEWARD} et {ADMIN}, dans {shown(airflow.passwords_file)}")
    progress.plain("make down l'arrête")


@app.command()
def hospital(
    patients: Annotated[int, typer.Option(min=1, help="Nombre de patients.")] = 320,
    documents: Annotated[int, typer.Option(min=50, help="Nombre de documents.")] = 2600,
    nights: Annotated[int, typer.Option(min=1, help="Nombre de nuits.")] = 30,
    until: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="JOUR", help="Tel qu'à la fin de ce jour ; sinon du dernier."),
    ] = None,
    files: Annotated[float, typer.Option(min=0, max=1, help="Part de fichiers (PDF, DOCX, HL7…).")] = 0.0,
    seed: Annotated[int, typer.Option(help="Graine : la même donne le même hôpital.")] = 2026,
) -> None:
    """Écrit un hôpital fictif dans le schéma cdw.

    Ses vraies mentions vont dans le schéma gold. Personne n'y existe. Le schéma cdw doit être celui de
    Nocturne, jamais celui d'un hôpital.
    """
    owner = settings().dsn("owner")
    bar = sys.stderr.isatty()
    made = generate(seed, patients=patients, documents=documents, nights=nights, files=files, progress=bar)
    changed = load(owner, made, until=until.date() if until else None)
    typer.echo(json.dumps({"first_night": str(made.first_night), "nights": made.nights, **changed}))


@app.command()
def down() -> None:
    """Arrête Airflow et PostgreSQL."""
    stop(home())


@app.command()
def status() -> None:
    """Dit ce qui marche, et où."""
    airflow, server = Airflow(home()), EmbeddedServer(home())
    Progress().plain(f"PostgreSQL  {f'port {server.port}' if server.running() else 'arrêté'}")
    Progress().plain(f"Airflow     {airflow.url if airflow.running() else 'arrêté'}")


@app.command()
def clean() -> None:
    """Arrête tout et enlève ce que la démonstration a écrit."""
    stop(home())
    if (home() / "nocturne.env").exists():  # only a folder that `provision` made
        shutil.rmtree(home())
        Progress().plain(f"{shown(home())} : enlevé")


def home() -> Path:
    """The folder that holds everything, as an absolute path."""
    return settings().home.expanduser().resolve()


def stop(folder: Path) -> None:
    """Stop what runs under `folder`."""
    if not folder.exists():
        return
    if Airflow(folder).stop():
        Progress().plain("Airflow arrêté")
    server = EmbeddedServer(folder)
    if server.running():
        server.stop()
        Progress().plain("PostgreSQL arrêté")


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn Ctrl-C, and `make down` elsewhere, into a message and an exit status."""
    try:
        yield
    except Stopped:
        sys.stderr.write("deid : arrêté par make down ; make demo reprend.\n")
        raise typer.Exit(REFUSED) from None
    except KeyboardInterrupt:
        sys.stderr.write("deid : interrompu ; relancez pour reprendre. PostgreSQL reste ouvert (make down l'arrête).\n")
        raise typer.Exit(130) from None
