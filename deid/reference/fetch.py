"""Bring a reference file here: over HTTP(S), from a path or from file://, whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from deid.errors import ReferenceRefused

CHUNK = 1 << 20
CONNECT_S, READ_S = 10, 60
RETRIES, BACKOFF_S = 3, 0.5
PASSING = (429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Seen:
    """What the server said of the file in use, so that it need not be sent again."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Download:
    """A file that arrived whole. `checksum` is SHA-256 of its bytes, as a hexadecimal string."""

    path: Path
    checksum: str
    size: int
    etag: str | None = None
    last_modified: str | None = None


@contextlib.contextmanager
def fetched(location: str, *, max_bytes: int, deadline_s: float, seen: Seen | None = None) -> Iterator[Download | None]:
    """The file at `location` for the length of the block; None if the server says that it is still as `seen`.

    `location` is an http(s) or file URL, or a path. Proxies and certificates are those of the environment
    (HTTPS_PROXY, REQUESTS_CA_BUNDLE).

    Raises:
        ReferenceRefused: it cannot be reached, is larger than `max_bytes`, takes longer than `deadline_s`
            seconds, was cut short, or is a web page.
    """
    scheme = urlsplit(location).scheme
    with tempfile.TemporaryDirectory(prefix="nocturne-ref-") as folder:
        target = Path(folder) / "file"
        if scheme in ("http", "https"):
            yield _over_http(location, target, max_bytes, deadline_s, seen)
        elif scheme in ("file", ""):
            yield _from_disk(location, target, max_bytes)
        else:
            raise ReferenceRefused(f"{public(location)}: {scheme}:// is not supported.", "Use http(s), file or a path.")


def public(location: str) -> str:
    """`location` without user, password, query and fragment, which may hold secrets."""
    parts = urlsplit(location)
    if parts.scheme not in ("http", "https"):
        return location
    host = parts.hostname or ""
    return urlunsplit((parts.scheme, f"{host}:{parts.port}" if parts.port else host, parts.path, "", ""))


def _from_disk(location: str, target: Path, max_bytes: int) -> Download:
    parts = urlsplit(location)
    path = Path(unquote(parts.path)) if parts.scheme == "file" else Path(location)
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise _too_large(str(path), max_bytes)
        # A copy: what was hashed is what is loaded, even if somebody writes the file meanwhile.
        shutil.copyfile(path, target)
    except OSError as error:
        raise ReferenceRefused(f"{path}: {error.strerror}.", "Give the path of a readable file.") from None
    with target.open("rb") as content:
        return Download(target, hashlib.file_digest(content, "sha256").hexdigest(), size)


def _over_http(location: str, target: Path, max_bytes: int, deadline_s: float, seen: Seen | None) -> Download | None:
    headers = {"Accept-Encoding": "identity"}
    if seen is not None and seen.etag:
        headers["If-None-Match"] = seen.etag
    elif seen is not None and seen.last_modified:
        headers["If-Modified-Since"] = seen.last_modified
    name = public(location)
    try:
        with (
            _session() as session,
            session.get(location, headers=headers, stream=True, timeout=(CONNECT_S, READ_S)) as response,
        ):
            if response.status_code == requests.codes.not_modified and seen is not None:
                return None
            _accept(response, name)
            size, checksum = _save(response, target, name, max_bytes, time.monotonic() + deadline_s)
            return Download(target, checksum, size, response.headers.get("ETag"), response.headers.get("Last-Modified"))
    except (requests.RequestException, HTTPError) as error:
        # The error's own text quotes the whole URL, password included.
        raise ReferenceRefused(
            f"{name} could not be downloaded ({type(error).__name__}).",
            "Check the network, the proxy and the address, or give a local file; the release in use stays.",
        ) from None


def _session() -> requests.Session:
    session = requests.Session()
    retry = Retry(
        total=RETRIES,
        backoff_factor=BACKOFF_S,
        status_forcelist=PASSING,
        raise_on_status=False,
        respect_retry_after_header=False,  # a server must not make a night wait for an hour
    )
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    return session


def _accept(response: requests.Response, name: str) -> None:
    if response.status_code != requests.codes.ok:
        raise ReferenceRefused(
            f"{name} answered {response.status_code}.",
            "Check the address, or try again later; the release in use stays.",
        )
    if response.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "text/html":
        raise ReferenceRefused(
            f"{name} is a web page, not a file.",
            "A proxy or a moved address may answer instead: check it in a browser.",
        )


def _save(response: requests.Response, target: Path, name: str, max_bytes: int, until: float) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    with target.open("wb") as sink:
        # Not `iter_content`: it waits for a full chunk, and a server that drips bytes would never meet the deadline.
        while chunk := response.raw.read1(CHUNK, decode_content=True):
            size += len(chunk)
            if size > max_bytes:
                raise _too_large(name, max_bytes)
            if time.monotonic() > until:
                raise ReferenceRefused(f"{name} took too long to download.", "Try again, or give a local file.")
            digest.update(chunk)
            sink.write(chunk)
    promised = response.headers.get("Content-Length")
    if promised and "Content-Encoding" not in response.headers and int(promised) != size:
        raise ReferenceRefused(f"{name} was cut short: {size} bytes of {promised}.", "Try again.")
    return size, digest.hexdigest()


def _too_large(name: str, max_bytes: int) -> ReferenceRefused:
    return ReferenceRefused(
        f"{name} is larger than {max_bytes} bytes.", "It is not the expected file: check the address."
    )
