"""`python -m deid demo`: tell the story, or start, stop, show and remove what it runs on."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from deid.demo.airflow import ADMIN, Airflow
from deid.demo.rest import Interface
from deid.demo.story import READY_S, Plot, play
from deid.demo.summary import shown
from deid.demo.telling import Teller
from deid.errors import NocturneError
from deid.settings import settings
from deid.warehouse.embedded import EmbeddedServer
from deid.warehouse.provision import provision

app = typer.Typer(
    help="A fictional hospital on this machine: embedded PostgreSQL, Airflow, thirty nights.",
    no_args_is_help=True,
    add_completion=False,
)

Port = Annotated[
    int | None, typer.Option(envvar="NOCTURNE_AIRFLOW_PORT", min=1, max=65535, help="Port of Airflow's interface.")
]


@app.command()
def run(
    port: Port = None,
    patients: Annotated[int, typer.Option(min=1, help="Patients of the fictional hospital.")] = Plot.patients,
    documents: Annotated[int, typer.Option(min=1, help="Documents, over all nights.")] = Plot.documents,
    nights: Annotated[int, typer.Option(min=1, max=30, help="Nights; the last two are run one by one.")] = Plot.nights,
    batch_size: Annotated[int, typer.Option(min=1, max=5000, help="Documents per batch.")] = Plot.batch_size,
) -> None:
    """Tell the whole story; told again, it resumes, finds nothing new and publishes nothing twice."""
    with _messages():
        play(home(), Plot(patients, documents, nights, batch_size), port)


@app.command()
def up(port: Port = None) -> None:
    """Start PostgreSQL and Airflow, and leave them running."""
    with _messages():
        provision(home())
        airflow = Airflow(home(), port)
        airflow.start(detached=True)
        interface = Interface(airflow.url, ADMIN, airflow.password(ADMIN))
        deadline = time.monotonic() + READY_S
        while not interface.healthy():
            if not airflow.running() or time.monotonic() > deadline:
                airflow.stop()
                raise NocturneError("Airflow did not start.", f"The files in {shown(airflow.logs)} say why.")
            time.sleep(1)
        Teller().plain(
            f"{airflow.url}   user {ADMIN}, password in {shown(airflow.passwords_file)}; `make down` stops it"
        )


@app.command()
def down() -> None:
    """Stop Airflow and PostgreSQL."""
    with _messages():
        stop(home())


@app.command()
def status() -> None:
    """Say what runs, and where."""
    airflow, server = Airflow(home()), EmbeddedServer(home())
    Teller().plain(f"PostgreSQL  {f'port {server.port}' if server.running() else 'stopped'}")
    Teller().plain(f"Airflow     {airflow.url if airflow.running() else 'stopped'}")


@app.command()
def clean() -> None:
    """Stop everything and remove what the demo wrote."""
    with _messages():
        stop(home())
        if (home() / "nocturne.env").exists():  # only a folder that `provision` made
            shutil.rmtree(home())
        Teller().plain(f"{shown(home())} removed")


def home() -> Path:
    """The folder that holds everything, as an absolute path."""
    return settings().home.expanduser().resolve()


def stop(folder: Path) -> None:
    """Stop what runs under `folder`."""
    if not folder.exists():
        return
    if Airflow(folder).stop():
        Teller().plain("Airflow stopped")
    server = EmbeddedServer(folder)
    if server.running():
        server.stop()
        Teller().plain("PostgreSQL stopped")


class _messages:
    """Turns an error of ours into one line and exit status 1, and Ctrl-C into 130."""

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, NocturneError):
            sys.stderr.write(f"nocturne: {error}\n")
            raise typer.Exit(1) from None
        if isinstance(error, KeyboardInterrupt):
            sys.stderr.write("nocturne: interrupted; everything that was started has been stopped but PostgreSQL.\n")
            raise typer.Exit(130) from None
