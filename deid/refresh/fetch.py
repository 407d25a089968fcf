"""Fetch the files of a reference version, each from the first mirror that has it; all of them or none."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from deid.config.settings import settings
from deid.domain.errors import ReferenceRefused
from deid.domain.writing import file_digest
from deid.refresh.configuration import ConnectionSettings, Origin, local_path, public_location
from deid.refresh.download import Bounds, Received, Seen, download, download_text, too_large_refusal
from deid.refresh.sources import ReferenceSource

logger = logging.getLogger(__name__)

BESIDE = "beside"
SUFFIX = ".sha256"
Came = TypeVar("Came")
_HEX = re.compile(r"\b[0-9a-fA-F]{64}\b")


@dataclass(frozen=True)
class Download:
    """A file, or a folder of raw files, fetched whole; `checksum` is the SHA-256 in hexadecimal."""

    path: Path
    location: str
    checksum: str
    size: int
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Bundle:
    """The files of a reference version, in order."""

    files: Sequence[Download]

    @property
    def checksum(self) -> str:
        """Checksum of a single file, else the SHA-256 of all checksums in order."""
        if len(self.files) == 1:
            return self.files[0].checksum
        return hashlib.sha256("\n".join(one.checksum for one in self.files).encode()).hexdigest()

    @property
    def size(self) -> int:
        """Size of all files, in bytes."""
        return sum(one.size for one in self.files)


@contextlib.contextmanager
def fetch_files(
    source: ReferenceSource, origin: Origin, deadline_s: float, seen: Mapping[str, Seen]
) -> Iterator[Bundle | None]:
    """Fetch the files of `origin` into a folder that the block owns; None if no server has a newer file than `seen`.

    `seen` is by address without credentials. Proxy and authorities are those of the environment (HTTPS_PROXY,
    REQUESTS_CA_BUNDLE) unless the configuration names others.

    Raises:
        ReferenceRefused: a file cannot be had from any of its mirrors, is larger than the source allows, takes longer
            than `deadline_s` seconds, is a web page, or has not the expected checksum.
    """
    bounds = Bounds(source.max_bytes, time.monotonic() + deadline_s)
    home = settings().home  # where there is room for files of gigabytes
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="nocturne-ref-", dir=home) as folder:
        targets = [Path(folder) / f"{number:03}" for number in range(len(origin.files))]
        came = [
            _fetch_from_mirrors(source, origin, addresses, target, bounds, seen)
            for addresses, target in zip(origin.files, targets, strict=True)
        ]
        if not any(came):
            yield None
            return
        # One file of many changed: a version consists of all, so unchanged files are fetched too.
        yield Bundle(
            [
                one or _require_download(_fetch_from_mirrors(source, origin, addresses, target, bounds, {}))
                for one, addresses, target in zip(came, origin.files, targets, strict=True)
            ]
        )


def _require_download(came: Came | None) -> Came:
    if came is None:
        raise ReferenceRefused("a server says “not modified” of what it was not asked.", "Check the proxy's cache.")
    return came


def _fetch_from_mirrors(
    source: ReferenceSource,
    origin: Origin,
    addresses: Sequence[str],
    target: Path,
    bounds: Bounds,
    seen: Mapping[str, Seen],
) -> Download | None:
    """Fetch a file from the first address that has it; raise the first refusal if none has."""
    refusals = []
    for address in addresses:
        try:
            return _fetch_file(source, origin.network, address, target, bounds, seen.get(public_location(address)))
        except ReferenceRefused as refusal:
            refusals.append(refusal)
            if address != addresses[-1]:
                logger.warning("%s; the next mirror is tried", refusal)
    raise refusals[0]


def _fetch_file(
    source: ReferenceSource, network: ConnectionSettings, address: str, target: Path, bounds: Bounds, seen: Seen | None
) -> Download | None:
    scheme = urlsplit(address).scheme
    name = public_location(address)
    path = local_path(address)
    if path is not None and path.is_dir():
        return _fetch_folder(source, path, target, bounds.max_bytes)
    if path is not None:
        _copy_file(path, target, bounds.max_bytes)
        received = Received(Seen(), resumed=False)
    elif scheme in ("http", "https"):
        kept = settings().home / "downloads"
        came = download(address, target, bounds, seen=seen, network=network, kept=kept)
        if came is None:
            return None
        received = came
    else:
        raise ReferenceRefused(f"{name}: {scheme}:// is not supported.", "Use http(s), file or a path.")
    checksum, expected = file_digest(target), _expected_checksum(source, address, path, network, bounds)
    if expected not in (None, checksum) and received.resumed:
        logger.warning("%s: its parts do not make the file whose SHA-256 is known; it is downloaded whole", name)
        received = _require_download(download(address, target, bounds, seen=None, network=network, kept=kept))
        checksum = file_digest(target)
    if expected is not None and expected != checksum:
        raise ReferenceRefused(
            f"{name}: its SHA-256 is {checksum[:12]}…, and should be {expected[:12]}….",
            "Download it again; if it is a new edition, give its checksum. The version in use stays.",
        )
    seen_now = received.seen
    return Download(target, name, checksum, target.stat().st_size, seen_now.etag, seen_now.last_modified)


def _expected_checksum(
    source: ReferenceSource, address: str, path: Path | None, network: ConnectionSettings, bounds: Bounds
) -> str | None:
    """Checksum of the configuration, or that published beside the file; None if neither is required."""
    if source.checksum not in (None, BESIDE):
        return source.checksum
    if path is not None:
        beside = path.with_name(path.name + SUFFIX)
        if source.checksum is None and not beside.exists():
            return None
        try:
            text = beside.read_text(encoding="ascii", errors="replace")
        except OSError:
            text = ""
    elif source.checksum == BESIDE:
        parts = urlsplit(address)
        text = download_text(parts._replace(path=parts.path + SUFFIX).geturl(), bounds.until, network=network)
    else:
        return None
    if (found := _HEX.search(text)) is None:
        raise ReferenceRefused(
            f"{public_location(address)}: no checksum beside it.", f"Its name is that of the file and {SUFFIX}."
        )
    return found[0].lower()


def _copy_file(path: Path, target: Path, max_bytes: int) -> None:
    try:
        if path.stat().st_size > max_bytes:
            raise too_large_refusal(str(path), max_bytes)
        # A copy: the bytes hashed are those loaded, even if the file is written meanwhile.
        shutil.copyfile(path, target)
    except OSError as error:
        raise ReferenceRefused(f"{path}: {error.strerror}.", "Give the path of a readable file.") from None


def _fetch_folder(source: ReferenceSource, path: Path, target: Path, max_bytes: int) -> Download:
    """Copy the raw files of a folder; the checksum covers their names and bytes."""
    digest, size = hashlib.sha256(), 0
    for name in source.files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        _copy_file(path / name, target / name, max_bytes - size)
        size += (target / name).stat().st_size
        digest.update(f"{name}\0{file_digest(target / name)}\n".encode())
    return Download(target, str(path), digest.hexdigest(), size)
