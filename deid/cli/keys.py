"""`key`: make a secret, show fingerprints, add a version, destroy one. Only a new secret is ever shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deid.cli.console import command_group, read_settings
from deid.domain.errors import InputRefused

if TYPE_CHECKING:
    from deid.config.keys import Key

app = command_group("Gère le secret et ses versions.")


@app.command()
def new(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[FICHIER]", help="Où l'écrire ; sinon sur la sortie standard.", show_default=False),
    ] = None,
) -> None:
    """Crée un secret, de version 1.

    Dans un fichier neuf que seul son propriétaire peut lire (à nommer par NOCTURNE_SECRET_FILE), ou sur la sortie
    standard (à mettre dans un coffre). Un fichier déjà là n'est jamais écrasé.
    """
    from deid.config import keys

    made = keys.make_key(1)
    if path is None:
        typer.echo(keys.format_keys([made]).rstrip())
        return
    if path.exists():
        raise InputRefused(f"{path} is there already.", "Give a new file, or rotate.")
    keys.write_keyring(path, [made])
    _say_state(made, "créée, en service")


@app.command()
def fingerprint() -> None:
    """Montre version et empreinte de chaque secret détenu.

    L'empreinte figure dans chaque ligne publiée et dans deid.run ; elle ne permet pas de retrouver le secret.
    """
    ring = read_settings().keyring
    for key in ring.keys:
        _say_state(key, "en service" if key == ring.current else "gardée pour ce qu'elle a publié")


@app.command()
def rotate() -> None:
    """Ajoute une version au fichier de NOCTURNE_SECRET_FILE, et la met en service.

    Les documents à venir sont tirés avec elle. L'ancienne reste détenue : sans elle, aucun retrait n'atteindrait ce
    qu'elle a publié. Voir docs/keys.md.
    """
    from deid.config import keys

    path, ring = _secret_file(), read_settings().keyring
    made = keys.make_key(ring.current.version + 1)
    keys.write_keyring(path, [*ring.keys, made])
    _say_state(made, "créée, en service")


@app.command()
def destroy(
    version: Annotated[int, typer.Argument(min=1, metavar="VERSION", help="Version à détruire.")],
    confirm: Annotated[str, typer.Option("--fingerprint", metavar="EMPREINTE", help="Son empreinte, pour confirmer.")],
    freeze: Annotated[
        bool,
        typer.Option("--freeze", help="Même si des documents publiés en dépendent : aucun retrait ne les atteindra."),
    ] = False,
) -> None:
    """Détruit une version du secret, sans retour possible.

    Ce qu'elle a publié ne peut plus être recalculé, ni relié par elle à un patient, ni retiré document par document.
    Refusé tant que des documents publiés en dépendent, sauf --freeze. La ligne du fichier est écrasée ; les copies
    (coffre, sauvegardes) sont à détruire par ailleurs. Voir docs/keys.md.
    """
    from deid.config import keys
    from deid.warehouse.keys import published_by_key, record_destroyed

    path, ring = _secret_file(), read_settings().keyring
    key = ring.of(version)
    if confirm != key.fingerprint:
        raise InputRefused(
            f"this is not the fingerprint of version {version}.", "See `python -m deid key fingerprint`."
        )
    left = published_by_key().get(key.fingerprint, 0)
    if left and not freeze:
        raise InputRefused(
            f"{left} published documents are of version {version}: no withdrawal would reach them.",
            "Process their intervals again under the newer version and run `python -m deid make-visible`, or say "
            "--freeze (docs/keys.md).",
        )
    record_destroyed(key)
    keys.write_keyring(path, [one for one in ring.keys if one != key])
    _say_state(key, f"détruite ; documents publiés qui en gardent l'empreinte : {left}")


def _secret_file() -> Path:

    path = read_settings().secret_file
    if path is None:
        raise InputRefused(
            "the secret is not in a file of NOCTURNE_SECRET_FILE, so it cannot be changed from here.",
            "Change it where it is kept (docs/keys.md).",
        )
    return path


def _say_state(key: Key, state: str) -> None:
    typer.echo(f"version {key.version}, empreinte {key.fingerprint} : {state}")
