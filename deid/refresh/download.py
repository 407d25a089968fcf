"""Bring a file over HTTP(S): asked for only if it changed, resumed where it broke off, bounded in size and time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import requests
from urllib3.exceptions import HTTPError

from deid.domain.errors import ReferenceRefused
from deid.refresh import transport
from deid.refresh.configuration import Network, public
from deid.refresh.progress import Progress

CHUNK = 1 << 20
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


@dataclass(frozen=True)
class Seen:
    """What the server said of the file in use, so that it need not be sent again."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Bounds:
    """Most bytes of a file, and when (on the monotonic clock, in seconds) all must be here."""

    max_bytes: int
    until: float


class _Broken(Exception):
    """The connection failed before the file was whole: what came is kept, and the rest is asked for."""


@dataclass
class _Partial:
    """A file that is not whole yet, and what the server called it: kept between attempts, and between refreshes."""

    path: Path
    label: Path
    validator: str | None = None

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def begin(self, validator: str | None) -> None:
        self.path.write_bytes(b"")
        self.validator = validator
        self.label.write_text(json.dumps(validator), encoding="utf-8")

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)
        self.label.unlink(missing_ok=True)
        self.validator = None


def download(
    address: str, target: Path, bounds: Bounds, *, seen: Seen | None, network: Network, kept: Path
) -> tuple[str | None, str | None] | None:
    """Write the file at `address` to `target`; returns its ETag and Last-Modified, None if it is still as `seen`.

    What came of a download that broke off stays in the folder `kept`; the next one asks for the rest, on condition
    that the server's file is still the same (`If-Range`), and begins anew where it is not.

    Raises:
        ReferenceRefused: it cannot be reached, is larger or slower than the bounds, was cut short, or is a web page.
    """
    name = public(address)
    with transport.session(network) as session, _partial(address, kept, target) as partial:
        for attempt in range(transport.RETRIES + 1):
            try:
                answer = _attempt(session, address, name, partial, bounds, seen)
            except _Broken as broken:
                if attempt == transport.RETRIES or time.monotonic() > bounds.until:
                    raise transport.unreachable(name, str(broken)) from None
                time.sleep(transport.BACKOFF_S * 2**attempt)
                continue
            except (requests.RequestException, HTTPError) as error:
                raise transport.failed(name, error) from None
            if answer is not None:
                shutil.move(partial.path, target)
            partial.forget()
            return answer
    raise AssertionError("the last attempt returns or raises")


def text_at(address: str, *, network: Network, most: int = 4096) -> str:
    """The first `most` bytes of a small text.

    Raises:
        ReferenceRefused: it cannot be reached.
    """
    name = public(address)
    try:
        with (
            transport.session(network) as session,
            session.get(address, stream=True) as response,
        ):
            _accept(response, name)
            content: bytes = response.raw.read(most, decode_content=True)
            return content.decode("ascii", errors="replace")
    except (requests.RequestException, HTTPError) as error:
        raise transport.failed(name, error) from None


@contextlib.contextmanager
def _partial(address: str, kept: Path, target: Path) -> Iterator[_Partial]:
    """The file kept of an earlier attempt at `address`; of its own if another process holds that one."""
    stem = hashlib.sha256(address.encode()).hexdigest()[:32]
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / f"{stem}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield _Partial(target.with_suffix(".part"), target.with_suffix(".json"))
            return
        partial = _Partial(kept / f"{stem}.part", kept / f"{stem}.json")
        try:
            partial.validator = json.loads(partial.label.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            partial.forget()
        if partial.validator is None:
            partial.forget()
        yield partial


def _attempt(
    session: requests.Session, address: str, name: str, partial: _Partial, bounds: Bounds, seen: Seen | None
) -> tuple[str | None, str | None] | None:
    headers = {"Accept-Encoding": "identity"}
    if seen is not None and seen.etag:
        headers["If-None-Match"] = seen.etag
    elif seen is not None and seen.last_modified:
        headers["If-Modified-Since"] = seen.last_modified
    if partial.size and partial.validator:
        headers |= {"Range": f"bytes={partial.size}-", "If-Range": partial.validator}
    with session.get(address, headers=headers, stream=True) as response:
        if response.status_code == requests.codes.not_modified and seen is not None:
            return None
        if response.status_code == requests.codes.requested_range_not_satisfiable and "Range" in headers:
            partial.forget()
            raise _Broken("the part that was kept fits no longer")
        if response.status_code == requests.codes.partial_content and "Range" in headers:
            found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if found is None or int(found[1]) != partial.size:
                partial.forget()
                raise _Broken("the server sent another part than was asked for")
        else:
            _accept(response, name)
            partial.begin(_validator(response))
        _save(response, partial, name, bounds)
        return response.headers.get("ETag"), response.headers.get("Last-Modified")


def _validator(response: requests.Response) -> str | None:
    """What `If-Range` may name: a strong ETag, else the date; nothing of an encoded answer."""
    if "Content-Encoding" in response.headers:
        return None
    etag = response.headers.get("ETag")
    return etag if etag and not etag.startswith("W/") else response.headers.get("Last-Modified")


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


def _save(response: requests.Response, partial: _Partial, name: str, bounds: Bounds) -> None:
    size = partial.size
    length = response.headers.get("Content-Length", "")
    whole = size + int(length) if length.isdecimal() and "Content-Encoding" not in response.headers else None
    if whole is not None and whole > bounds.max_bytes:
        raise too_large(name, bounds.max_bytes)
    progress = Progress(f"download {name}", "bytes", whole, size)
    try:
        with partial.path.open("ab") as sink:
            # Not `iter_content`: it waits for a full chunk, so a server that drips bytes would never meet the deadline.
            while chunk := _piece(response):
                size += len(chunk)
                if size > bounds.max_bytes:
                    partial.forget()
                    raise too_large(name, bounds.max_bytes)
                if time.monotonic() > bounds.until:
                    raise ReferenceRefused(
                        f"{name} took too long to download.", "Try again: it goes on from here; or give a local file."
                    )
                sink.write(chunk)
                progress.add(len(chunk))
    finally:
        progress.end()
    if whole is not None and whole != size:
        raise _Broken(f"cut short: {size} bytes of {whole}")


def _piece(response: requests.Response) -> bytes:
    try:
        piece: bytes = response.raw.read1(CHUNK, decode_content=True)
    except (HTTPError, requests.RequestException) as error:
        raise _Broken(transport.why(error)) from None
    return piece


def too_large(name: str, max_bytes: int) -> ReferenceRefused:
    """The refusal of a file beyond its bound."""
    return ReferenceRefused(
        f"{name} is larger than {max_bytes} bytes.", "It is not the expected file: check the address."
    )
