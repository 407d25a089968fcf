"""Versions of the secret in the ledger: in use, required for published documents, or destroyed."""

from __future__ import annotations

from collections.abc import Mapping

from psycopg2.extensions import cursor as Cursor

from deid.config.keys import Keyring
from deid.database.connection import open_cursor, open_identity
from deid.database.queries import execute
from deid.domain.errors import SettingsError, WarehouseError

_KEEP = "Give it its own version (docs/keys.md)."


def check_keyring(cursor: Cursor, keyring: Keyring, published: Mapping[str, int] | None = None) -> None:
    """Check this keyring against the ledger, before any surrogate is drawn or document published under it.

    `published` counts the research schema's documents by fingerprint; None without the privilege to read it:
    the ledger's own count is used.

    Raises:
        SettingsError: a version has another secret than the ledger knows, or a secret another version; a secret that
            was destroyed is back; an older version is in force than was used; or documents are published under a
            version that is neither held nor destroyed, so that no withdrawal would reach them.
    """
    known = execute(cursor, "deid", "key", "known").fetchall()
    fingerprints = {version: fingerprint for version, fingerprint, _, _ in known}
    versions = {fingerprint: version for version, fingerprint in fingerprints.items()}
    gone = {fingerprint for _, fingerprint, destroyed, _ in known if destroyed}
    for key in keyring.keys:
        if fingerprints.get(key.version, key.fingerprint) != key.fingerprint:
            raise SettingsError(f"the secret is not the one that the ledger knows as version {key.version}.", _KEEP)
        if versions.get(key.fingerprint, key.version) != key.version:
            was = versions[key.fingerprint]
            raise SettingsError(f"version {key.version} of the secret is version {was} over again.", _KEEP)
        if key.fingerprint in gone:
            raise SettingsError(
                f"version {key.version} of the secret was destroyed, and is back.",
                f"Run `python -m deid key destroy {key.version}` again, and see to the copy that it came from.",
            )
    if fingerprints and keyring.current.version < max(fingerprints):
        raise SettingsError(
            f"version {keyring.current.version} of the secret is in force, but version {max(fingerprints)} was used.",
            "Give this process the newer one, or rotate.",
        )
    held = {key.fingerprint for key in keyring.keys}
    for version, fingerprint, destroyed, in_ledger in known:
        count = in_ledger if published is None else published.get(fingerprint, 0)
        if count and not destroyed and fingerprint not in held:
            raise SettingsError(
                f"documents are published under version {version} of the secret, which is not held: no withdrawal or "
                "correction would reach them.",
                "Put it back among those of NOCTURNE_SECRET, or destroy it (docs/keys.md).",
            )


def published_by_key() -> dict[str, int]:
    """Return the number of published documents by fingerprint of their key."""
    with open_cursor("publisher", "nocturne key") as cursor:
        return count_published_by_key(cursor)


def count_published_by_key(cursor: Cursor) -> dict[str, int]:
    """Return the published documents by fingerprint of their key, through a publisher's cursor."""
    return dict(execute(cursor, "deid", "published_document", "keys").fetchall())


def record_destroyed(version: int, fingerprint: str) -> None:
    """Record that a version of the secret was destroyed; cut what is still published under it off from the source.

    A second call changes nothing.

    Raises:
        WarehouseError: the ledger knows another secret under this version.
    """
    with open_cursor("worker", "nocturne key") as cursor:
        parameters = {"key_version": version, "key_fingerprint": fingerprint}
        if execute(cursor, "deid", "key", "destroy", parameters).rowcount != 1:
            raise WarehouseError(f"the ledger knows another secret as version {version}.", "Check the version.")
        execute(cursor, "deid", "pseudonym", "forget", {"fingerprint": fingerprint})
        cut = {"ledger_ids": [ledger_id for (ledger_id,) in cursor.fetchall()]}
        with open_identity("worker", "nocturne key") as ids:
            execute(ids, "identity", "mapping", "forget", cut)
