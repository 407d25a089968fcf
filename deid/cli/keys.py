"""`key`: make a secret, show fingerprints, add or destroy a version, split, serve. Only a new secret is ever shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deid.cli.console import command_group, read_settings
from deid.cli.language import colon, tell
from deid.domain.errors import InputRefused, KeyServiceUnreachable, SettingsError

if TYPE_CHECKING:
    from deid.config.keys import Key

app = command_group("Manage the secret and its versions.")


@app.command()
def new(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Where to write it; else to standard output.", show_default=False),
    ] = None,
) -> None:
    """Create a secret, of version 1.

    In a new file that its owner alone can read (to be named by NOCTURNE_SECRET_FILE), or on standard output (to be put
    in a vault). A file that is already there is never overwritten.
    """
    from deid.config import keys

    made = keys.make_key(1)
    if path is None:
        typer.echo(keys.format_keys([made]).rstrip())
        return
    if path.exists():
        raise InputRefused(f"{path} is there already.", "Give a new file, or rotate.")
    keys.write_keyring(path, [made])
    _say_state(made, "created, in force")


@app.command()
def fingerprint() -> None:
    """Show version and fingerprint of each secret that is held.

    The fingerprint stands in each published row and in deid.run; the secret cannot be found from it.
    """
    ring = read_settings().keyring
    for key in ring.keys:
        _say_state(key, "in force" if key == ring.current else "kept for what it published")


@app.command()
def rotate() -> None:
    """Add a version to the file of NOCTURNE_SECRET_FILE, and put it in force.

    Later documents are drawn with it. The former one stays held: without it, no withdrawal would reach what it
    published. With a key service, the third party adds its share first. See docs/keys.md.
    """
    from deid.config import keys

    path, held, service = _secret_file(), read_settings().held, read_settings().share_service
    added = keys.make_key(held.current.version + 1)
    # The other share comes first: without it no night could start.
    made = added if service is None else keys.combine(added, service.fetch_share(added.version))
    keys.write_keyring(path, [*held.keys, added])
    _say_state(made, "created, in force")


@app.command()
def destroy(
    version: Annotated[int, typer.Argument(min=1, metavar="VERSION", help="Version to destroy.")],
    confirm: Annotated[str, typer.Option("--fingerprint", metavar="DIGEST", help="Its fingerprint, to confirm.")],
    freeze: Annotated[
        bool, typer.Option("--freeze", help="Even if published documents depend on it: no withdrawal will reach them.")
    ] = False,
    share: Annotated[
        bool,
        typer.Option("--share", help="The file is that of a third party, without a ledger: destroy its share alone."),
    ] = False,
) -> None:
    """Destroy a version of the secret, without return.

    What it published can no longer be computed again, nor linked to a patient by it, nor withdrawn document by
    document. Refused while published documents depend on it, unless --freeze. The line of the file is overwritten;
    copies (vault, backups) are to be destroyed elsewhere. See docs/keys.md.
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
    after = "" if share else f"; published documents that keep its fingerprint: {left}"
    tell(f"version {version}, fingerprint {fingerprint}: destroyed{after}")


@app.command()
def split(
    third_party: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Where to write the third party's share; a new file.", show_default=False),
    ],
) -> None:
    """Share each version of the secret in two parts: neither alone says anything about it.

    The file of NOCTURNE_SECRET_FILE keeps the hospital's share only; the other is written to FILE, to be carried to the
    third party and then destroyed here. Publications stay valid: the secret is the same. Who knew the former file knows
    it still: for a secret that nobody has seen, rotate afterwards. See docs/keys.md.
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
    tell(f"{len(pairs)} version(s) shared: the hospital's share in {path}, the third party's in {third_party}")


@app.command()
def serve(
    certificate: Annotated[
        Path, typer.Option(metavar="PEM", help="Certificate of this server, with its key.", show_default=False)
    ],
    authority: Annotated[
        Path, typer.Option(metavar="PEM", help="Authority that signs the certificates admitted.", show_default=False)
    ],
    client: Annotated[
        list[str],
        typer.Option(metavar="NAME", help="Name (CN) of an admitted certificate; can be repeated.", show_default=False),
    ],
    log: Annotated[Path, typer.Option(metavar="FILE", help="Access log (JSON Lines).", show_default=False)],
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 chooses one.")] = 8443,
) -> None:
    """Serve, at a third party, the shares of the file of NOCTURNE_SECRET_FILE to the machines admitted.

    Each request is written to the log before the answer; without a log, no share leaves. The file is read again at each
    request. Needs neither a database nor access to the hospital. See docs/keys.md, “Protocol”.
    """
    from deid.cli.key_server import AccessLog, KeyServer, Shares, make_context

    shares = Shares(_secret_file(), frozenset(client), AccessLog(log))
    held = shares.read()
    try:
        shares.log.write_log(started=[key.version for key in held.keys], clients=sorted(shares.clients))
        server = KeyServer((host, port), shares, make_context(certificate, authority))
    except OSError as error:
        raise SettingsError(
            f"{log} or {host}:{port}: {error.strerror}.", "Give a log and an address that can be used."
        ) from None
    typer.echo(f"https://{host}:{server.server_address[1]}{colon()}{len(held.keys)} version(s)")
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
    from deid.ledger.keys import published_by_key, record_destroyed

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
    tell(f"version {key.version}, fingerprint {key.fingerprint}: {state}")
