"""`python -m deid demo`: tell the story, or start, stop, show and remove what it runs on.

What it prints is French, like the rest of the command line.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from deid.cli.guarding import Guarded
from deid.demo.airflow import ADMIN, STEWARD, Airflow
from deid.demo.rest import AirflowRefused, Interface
from deid.demo.story import READY_S, Plot, play
from deid.demo.summary import shown
from deid.demo.telling import Teller
from deid.settings import settings
from deid.warehouse.embedded import EmbeddedServer
from deid.warehouse.provision import provision

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
    patients: Annotated[int, typer.Option(min=1, help="Patients de l'hôpital fictif.")] = Plot.patients,
    documents: Annotated[int, typer.Option(min=50, help="Documents, sur toutes les nuits.")] = Plot.documents,
    nights: Annotated[int, typer.Option(min=1, max=30, help="Nuits ; les deux dernières une à une.")] = Plot.nights,
    batch_size: Annotated[int, typer.Option(min=1, max=5000, help="Documents par lot.")] = Plot.batch_size,
) -> None:
    """Joue toute l'histoire ; rejouée, elle reprend, ne trouve rien de nouveau et ne publie rien deux fois."""
    with stoppable():
        play(home(), Plot(patients, documents, nights, batch_size), port)


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
    teller = Teller()
    teller.plain(f"{airflow.pages}  pages des référents")
    teller.plain(f"{airflow.url}  Airflow ; utilisateurs {STEWARD} et {ADMIN}, dans {shown(airflow.passwords_file)}")
    teller.plain("make down l'arrête")


@app.command()
def down() -> None:
    """Arrête Airflow et PostgreSQL."""
    stop(home())


@app.command()
def status() -> None:
    """Dit ce qui marche, et où."""
    airflow, server = Airflow(home()), EmbeddedServer(home())
    Teller().plain(f"PostgreSQL  {f'port {server.port}' if server.running() else 'arrêté'}")
    Teller().plain(f"Airflow     {airflow.url if airflow.running() else 'arrêté'}")


@app.command()
def clean() -> None:
    """Arrête tout et enlève ce que la démonstration a écrit."""
    stop(home())
    if (home() / "nocturne.env").exists():  # only a folder that `provision` made
        shutil.rmtree(home())
        Teller().plain(f"{shown(home())} : enlevé")


def home() -> Path:
    """The folder that holds everything, as an absolute path."""
    return settings().home.expanduser().resolve()


def stop(folder: Path) -> None:
    """Stop what runs under `folder`."""
    if not folder.exists():
        return
    if Airflow(folder).stop():
        Teller().plain("Airflow arrêté")
    server = EmbeddedServer(folder)
    if server.running():
        server.stop()
        Teller().plain("PostgreSQL arrêté")


@contextmanager
def stoppable() -> Iterator[None]:
    """Ends Ctrl-C with a sentence and the status that shells know."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write("deid : interrompu ; relancez pour reprendre. PostgreSQL reste ouvert (make down l'arrête).\n")
        raise typer.Exit(130) from None
