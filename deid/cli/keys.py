"""`key`: make a secret, show fingerprints, add or destroy a version, split, serve. Only a new secret is ever shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deid.cli.console import command_group, read_settings
from deid.domain.errors import InputRefused, KeyServiceUnreachable, SettingsError

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
    qu'elle a publié. Avec un service de clés, le tiers ajoute d'abord sa part. Voir docs/keys.md.
    """
    from deid.config import keys

    path, held, service = _secret_file(), read_settings().held, read_settings().share_service
    added = keys.make_key(held.current.version + 1)
    # The other share comes first: without it no night could start.
    made = added if service is None else keys.combine(added, service.fetch_share(added.version))
    keys.write_keyring(path, [*held.keys, added])
    _say_state(made, "créée, en service")


@app.command()
def destroy(
    version: Annotated[int, typer.Argument(min=1, metavar="VERSION", help="Version à détruire.")],
    confirm: Annotated[str, typer.Option("--fingerprint", metavar="EMPREINTE", help="Son empreinte, pour confirmer.")],
    freeze: Annotated[
        bool,
        typer.Option("--freeze", help="Même si des documents publiés en dépendent : aucun retrait ne les atteindra."),
    ] = False,
    share: Annotated[
        bool, typer.Option("--share", help="Le fichier est celui d'un tiers, sans registre : détruire sa part seule.")
    ] = False,
) -> None:
    """Détruit une version du secret, sans retour possible.

    Ce qu'elle a publié ne peut plus être recalculé, ni relié par elle à un patient, ni retiré document par document.
    Refusé tant que des documents publiés en dépendent, sauf --freeze. La ligne du fichier est écrasée ; les copies
    (coffre, sauvegardes) sont à détruire par ailleurs. Voir docs/keys.md.
    """
    from deid.config import keys

    path, held = _secret_file(), read_settings().held
    kept = held.of(version)
    fingerprint = kept.fingerprint if share else _confirmed(version, confirm)
    if confirm != fingerprint:
        raise InputRefused(
            f"this is not the fingerprint of version {version}.", "See `python -m deid key fingerprint`."
        )
    left = 0 if share else _record_destruction(version, fingerprint, freeze=freeze)
    rest = [one for one in held.keys if one != kept]
    keys.write_keyring(path, rest)
    after = "" if share else f" ; documents publiés qui en gardent l'empreinte : {left}"
    typer.echo(f"version {version}, empreinte {fingerprint} : détruite{after}")


@app.command()
def split(
    third_party: Annotated[
        Path,
        typer.Argument(metavar="FICHIER", help="Où écrire la part du tiers ; un fichier neuf.", show_default=False),
    ],
) -> None:
    """Partage chaque version du secret en deux parts : aucune des deux, seule, n'en dit rien.

    Le fichier de NOCTURNE_SECRET_FILE ne garde que la part de l'hôpital ; l'autre est écrite dans FICHIER, à porter
    au tiers puis à détruire ici. Les publications restent valables : le secret est le même. Qui a connu l'ancien
    fichier le connaît toujours : pour un secret que personne n'a vu, faire ensuite une rotation. Voir docs/keys.md.
    """
    from deid.config import keys

    path = _secret_file()
    if read_settings().key_service is not None:
        raise InputRefused("the secret is split already.", "Unset NOCTURNE_KEY_SERVICE to split a whole secret.")
    if third_party.exists():
        raise InputRefused(f"{third_party} is there already.", "Give a new file.")
    pairs = [keys.split(key) for key in read_settings().held.keys]
    keys.write_keyring(third_party, [other for _, other in pairs])
    keys.write_keyring(path, [share for share, _ in pairs])
    typer.echo(f"{len(pairs)} version(s) partagée(s) : part de l'hôpital dans {path}, part du tiers dans {third_party}")


@app.command()
def serve(
    certificate: Annotated[
        Path, typer.Option(metavar="PEM", help="Certificat de ce serveur, avec sa clé.", show_default=False)
    ],
    authority: Annotated[
        Path, typer.Option(metavar="PEM", help="Autorité qui signe les certificats admis.", show_default=False)
    ],
    client: Annotated[
        list[str], typer.Option(metavar="NOM", help="Nom (CN) d'un certificat admis ; répétable.", show_default=False)
    ],
    log: Annotated[Path, typer.Option(metavar="FICHIER", help="Journal des accès (JSON Lines).", show_default=False)],
    host: Annotated[str, typer.Option(metavar="ADRESSE", help="Où écouter.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port ; 0 en choisit un.")] = 8443,
) -> None:
    """Sert, chez un tiers, les parts du fichier de NOCTURNE_SECRET_FILE aux machines admises.

    Chaque demande est inscrite au journal avant la réponse ; sans journal, aucune part ne sort. Le fichier est relu à
    chaque demande. Ne demande ni base de données ni accès à l'hôpital. Voir docs/keys.md, « Protocol ».
    """
    from deid.cli.key_server import KeyServer, Shares, make_context

    shares = Shares(_secret_file(), frozenset(client), log)
    held = shares.read()
    try:
        shares.write_log(started=[key.version for key in held.keys], clients=sorted(shares.clients))
        server = KeyServer((host, port), shares, make_context(certificate, authority))
    except OSError as error:
        raise SettingsError(
            f"{log} or {host}:{port}: {error.strerror}.", "Give a log and an address that can be used."
        ) from None
    typer.echo(f"https://{host}:{server.server_address[1]} : {len(held.keys)} version(s)")
    with server:
        server.serve_forever()


def _confirmed(version: int, confirm: str) -> str:
    """Return the fingerprint of a version; `confirm` itself where the third party has destroyed its share.

    The ledger then refuses a fingerprint that is not the one it knows.
    """
    try:
        return read_settings().keyring.of(version).fingerprint
    except KeyServiceUnreachable:
        raise
    except SettingsError:
        if read_settings().key_service is None:
            raise
        return confirm


def _record_destruction(version: int, fingerprint: str, *, freeze: bool) -> int:
    """Record that a version is gone, and return the number of published documents that carry its fingerprint."""
    from deid.warehouse.keys import published_by_key, record_destroyed

    left = published_by_key().get(fingerprint, 0)
    if left and not freeze:
        raise InputRefused(
            f"{left} published documents are of version {version}: no withdrawal would reach them.",
            "Process their intervals again under the newer version and run `python -m deid make-visible`, or say "
            "--freeze (docs/keys.md).",
        )
    record_destroyed(version, fingerprint)
    return left


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
