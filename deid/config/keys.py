"""Versions of the secret: parsing, checks of strength, public fingerprints, the file that holds them."""

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
    """One version of the secret. Every published row holds its `fingerprint`, which does not reveal the secret."""

    version: int
    secret: bytes = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of HMAC-SHA-256 of a fixed text under the secret."""
        return hmac.digest(self.secret, b"fingerprint of a key of Nocturne", "sha256").hex()[:_FINGERPRINT_CHARACTERS]


@dataclass(frozen=True, slots=True)
class Keyring:
    """The versions held, in order. The last is in force; the others only find the documents they published."""

    keys: tuple[Key, ...]

    @property
    def current(self) -> Key:
        """The key in force."""
        return self.keys[-1]

    def of(self, version: int) -> Key:
        """Return the key of a version.

        Raises:
            SettingsError: this version is not held.
        """
        for key in self.keys:
            if key.version == version:
                return key
        held = ", ".join(str(key.version) for key in self.keys)
        raise SettingsError(
            f"version {version} of the secret is not held, only {held}.",
            "Put it back among those of NOCTURNE_SECRET, or run the interval again.",
        )


def parse_keyring(text: str, *, where: str, lone_version: int | None = None) -> Keyring:
    """Parse a keyring: `version:hexadecimal`, separated by line breaks or commas, or one secret alone.

    Args:
        text: the content of the setting or file; `#` begins a comment.
        where: the name of the setting or file, for messages; no value is ever shown.
        lone_version: version of the settings for a lone secret; 1 if None.

    Raises:
        SettingsError: there is no secret, one is not hexadecimal, shorter than 32 bytes or visibly not random; a
            version or secret is given twice; the versions contradict `lone_version`.
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
        yield Key(version, parse_secret(match["secret"], f"{where}, version {version},"))


def parse_secret(text: str, where: str) -> bytes:
    """Return the bytes of a secret.

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


def make_key(version: int) -> Key:
    """Make a random key of 32 bytes."""
    return Key(version, secrets.token_bytes(LEAST_BYTES))


def combine(share: Key, other: bytes) -> Key:
    """Return the key whose two shares are given: their exclusive or.

    Each share of a secret that was drawn at random, or split by `split`, is independent of the secret.

    Raises:
        SettingsError: the shares differ in length, or give no random secret (one share twice).
    """
    if len(share.secret) != len(other):
        raise SettingsError(
            f"the two shares of version {share.version} differ in length.", "Give each side its share of one secret."
        )
    secret = bytes(a ^ b for a, b in zip(share.secret, other, strict=True))
    return Key(
        share.version, parse_secret(secret.hex(), f"the secret of version {share.version}, from its two shares,")
    )


def split(key: Key) -> tuple[Key, Key]:
    """Split a key into two shares, of which each alone says nothing about it."""
    while True:  # a share that is visibly not random has a probability below 10⁻¹⁵
        first = secrets.token_bytes(len(key.secret))
        second = bytes(a ^ b for a, b in zip(key.secret, first, strict=True))
        if min(len(set(first)), len(set(second))) >= _LEAST_DISTINCT:
            return Key(key.version, first), Key(key.version, second)


def format_keys(keys: Iterable[Key]) -> str:
    """Write keys in the form that `parse_keyring` takes, one per line."""
    return "".join(f"{key.version}:{key.secret.hex()}\n" for key in keys)


def write_keyring(path: Path, keys: Iterable[Key]) -> None:
    """Write a keyring to a file atomically, and overwrite the former content with zeros.

    A new file is readable by its owner only; an existing one keeps its owner and mode.

    Overwriting is best effort: disks, snapshots and backups keep copies, for their owner to destroy (docs/keys.md).

    Raises:
        SettingsError: the folder cannot be written.
    """
    from deid.domain.writing import replacing

    try:
        with ExitStack() as former:
            with replacing(path) as partial:
                handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(handle, "w", encoding="ascii") as file:
                    if path.exists():  # the same accounts can read it afterwards, such as a worker's
                        before = path.stat()
                        os.fchown(file.fileno(), before.st_uid, before.st_gid)
                        os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
                    file.write(format_keys(keys))
                    file.flush()
                    os.fsync(file.fileno())
                # The former file is opened before the replacement and overwritten after: a crash between loses no key.
                old = former.enter_context(path.open("r+b")) if path.exists() else None
            if old is not None:
                old.write(b"\0" * os.fstat(old.fileno()).st_size)
                old.flush()
                os.fsync(old.fileno())
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}.", "Give a file in a folder that can be written.") from None
