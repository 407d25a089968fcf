"""The secret and its versions: read, weighed, and told apart by fingerprints that anybody may see."""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from deid.domain.errors import SettingsError

LEAST_BYTES = 32
# Of 32 random bytes fewer than 16 differ with probability below 10⁻¹⁵; of a phrase, a date or a repeated byte, usually.
_LEAST_DISTINCT = 16
_FINGERPRINT_CHARACTERS = 16
_ENTRY = re.compile(r"(?:(?P<version>\d{1,9}):)?(?P<secret>\S*)")
_REMEDY = "Make one with `python -m deid key new`, and keep it out of any repository."


@dataclass(frozen=True, slots=True)
class Key:
    """One version of the secret. `fingerprint` names it in every published row and does not lead back to it."""

    version: int
    secret: bytes = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits: HMAC-SHA-256 of a fixed text under the secret, cut."""
        return hmac.digest(self.secret, b"fingerprint of a key of Nocturne", "sha256").hex()[:_FINGERPRINT_CHARACTERS]


@dataclass(frozen=True, slots=True)
class Keyring:
    """The versions that are held, in order. The last is in force; the others only find what they have published."""

    keys: tuple[Key, ...]

    @property
    def current(self) -> Key:
        """The key in force."""
        return self.keys[-1]

    def of(self, version: int) -> Key:
        """The key of a version.

        Raises:
            SettingsError: it is not held.
        """
        for key in self.keys:
            if key.version == version:
                return key
        held = ", ".join(str(key.version) for key in self.keys)
        raise SettingsError(
            f"version {version} of the secret is not held, only {held}.",
            "Put it back among those of NOCTURNE_SECRET, or run the interval again.",
        )


def read(text: str, *, where: str, lone_version: int | None = None) -> Keyring:
    """A keyring out of its text: `version:hexadecimal`, separated by line breaks or commas, or one secret alone.

    Args:
        text: what is held; `#` begins a comment.
        where: the setting or file that it comes from, for messages; no value is ever shown.
        lone_version: what the settings say the version is; a lone secret is of version 1 without it.

    Raises:
        SettingsError: there is no secret, one is not hexadecimal, shorter than 32 bytes or visibly not random; a
            version or secret stands there twice; the versions contradict `lone_version`.
    """
    keys = tuple(_entries(text, where, lone_version))
    if not keys:
        raise SettingsError(f"{where} holds no secret: no surrogate can be drawn.", _REMEDY)
    if len({key.version for key in keys}) < len(keys) or len({key.secret for key in keys}) < len(keys):
        raise SettingsError(f"{where} holds one version, or one secret, twice.", "Keep one line per version.")
    ring = Keyring(tuple(sorted(keys, key=lambda key: key.version)))
    if lone_version not in (None, ring.current.version):
        raise SettingsError(
            f"NOCTURNE_KEY_VERSION is {lone_version}, but the last version of {where} is {ring.current.version}.",
            "Leave NOCTURNE_KEY_VERSION out where versions are written with the secrets.",
        )
    return ring


def _entries(text: str, where: str, lone_version: int | None) -> Iterator[Key]:
    lines = (line.partition("#")[0] for line in text.splitlines())
    entries = [entry.strip() for line in lines for entry in line.split(",") if entry.strip()]
    for entry in entries:
        match = _ENTRY.fullmatch(entry)
        if match is None or (match["version"] is None and len(entries) > 1) or match["version"] == "0":
            raise SettingsError(f"{where}: an entry is not version:hexadecimal.", "Write 1:…, 2:…, one per line.")
        version = int(match["version"]) if match["version"] else lone_version or 1
        yield Key(version, weighed(match["secret"], f"{where}, version {version},"))


def weighed(text: str, where: str) -> bytes:
    """A secret's bytes, if it can be one.

    Raises:
        SettingsError: not hexadecimal, too short, or visibly not random.
    """
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        raise SettingsError(f"{where} is not hexadecimal.", _REMEDY) from None
    if len(secret) < LEAST_BYTES:
        raise SettingsError(f"{where} is shorter than {LEAST_BYTES} bytes.", _REMEDY)
    if len(set(secret)) < _LEAST_DISTINCT:
        raise SettingsError(f"{where} is not random: a secret made by hand can be guessed.", _REMEDY)
    return secret


def fresh(version: int) -> Key:
    """A new random key."""
    return Key(version, secrets.token_bytes(LEAST_BYTES))


def text_of(keys: Iterable[Key]) -> str:
    """Write keys in the form that `read` takes, one per line."""
    return "".join(f"{key.version}:{key.secret.hex()}\n" for key in keys)


def write(path: Path, keys: Iterable[Key]) -> None:
    """Put a keyring in a file, whole or not at all; what the file held is overwritten.

    A new file is its owner's only; one that was there keeps its owner and mode.

    Overwriting is a courtesy: disks, snapshots and backups keep copies that their owner must destroy (docs/keys.md).

    Raises:
        SettingsError: the folder cannot be written.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            if path.exists():  # whoever could read the secret still can: a worker's account may not be this one
                before = path.stat()
                os.fchown(file.fileno(), before.st_uid, before.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            file.write(text_of(keys))
            file.flush()
            os.fsync(file.fileno())
        with ExitStack() as former:
            # Opened before the new file takes the name, overwritten after: a crash between the two loses no key.
            old = former.enter_context(path.open("r+b")) if path.exists() else None
            partial.replace(path)
            if old is not None:
                old.write(b"\0" * os.fstat(old.fileno()).st_size)
                old.flush()
                os.fsync(old.fileno())
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}.", "Give a file in a folder that can be written.") from None
    finally:
        partial.unlink(missing_ok=True)
