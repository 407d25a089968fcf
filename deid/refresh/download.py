"""Download of a file over HTTP(S): conditional on a change, resumable, bounded in size and in time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TypeVar

import requests
from tqdm import tqdm
from urllib3.exceptions import ConnectTimeoutError, HTTPError

from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import ConnectionSettings, public_location
from deid.refresh.connections import (
    Deadline,
    DeadlinePassed,
    describe_error,
    find_cause,
    network_refusal,
    open_session,
    unreachable_refusal,
)

logger = logging.getLogger(__name__)

RETRIES, BACKOFF_S = 3, 0.5
PASSING = (429, 500, 502, 503, 504)
# Warnings of urllib3 quote the path with its query, which may hold a token.
logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
Result = TypeVar("Result")
CHUNK = 1 << 20
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


@dataclass(frozen=True)
class Seen:
    """Validators that the server sent with the file in use, for conditional requests (RFC 9110, section 13)."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class Bounds:
    """Most bytes of a file, and the deadline of all files in seconds of the monotonic clock."""

    max_bytes: int
    until: float


@dataclass(frozen=True)
class Received:
    """Validators of a file that was downloaded; `resumed` if it was joined from parts of several answers."""

    seen: Seen
    resumed: bool


class _Passing(Exception):
    """An attempt failed for a cause that may pass; holds the refusal in case that no other attempt is left."""

    def __init__(self, refusal: ReferenceRefused) -> None:
        self.refusal = refusal


@dataclass(frozen=True)
class _Edition:
    """Marks of one edition of a file: a strong ETag, Last-Modified, length in bytes.

    A date counts only if the server gave it at least a second after the change: two editions of one second share it
    (RFC 9110, section 8.8.2.2).
    """

    etag: str | None
    last_modified: str | None
    length: int | None

    @classmethod
    def of(cls, response: requests.Response, length: int | None) -> _Edition:
        """Return the edition of an answer with the whole file or a part."""
        etag, changed = (response.headers.get(name) for name in ("ETag", "Last-Modified"))
        if etag and etag.startswith("W/"):
            etag = None
        return cls(etag, changed if _is_older(changed, response.headers.get("Date")) else None, length)

    @property
    def validator(self) -> str | None:
        """Value of `If-Range`; None if nothing identifies the edition for certain."""
        return self.etag or self.last_modified

    def is_of(self, part: _Edition) -> bool:
        """Return whether an answer to `If-Range` is a part of this very edition.

        Such an answer must repeat the ETag, and may leave out the date that it was not asked for (section 15.3.7).
        """
        if part.etag != self.etag or self.length not in (None, part.length):
            return False
        return part.last_modified == self.last_modified or (self.etag is not None and part.last_modified is None)


def _is_older(changed: str | None, now: str | None) -> bool:
    try:
        return parsedate_to_datetime(changed or "") < parsedate_to_datetime(now or "")
    except (TypeError, ValueError):
        return False


@dataclass
class _Partial:
    """The received part of a file and its edition, stored between attempts and between refreshes."""

    path: Path
    label: Path
    edition: _Edition | None = None

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def begin(self, edition: _Edition | None) -> None:
        self.path.write_bytes(b"")
        self.edition = edition
        self.label.write_text(json.dumps(asdict(edition) if edition else None), encoding="utf-8")

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)
        self.label.unlink(missing_ok=True)
        self.edition = None


def download(
    address: str, target: Path, bounds: Bounds, *, seen: Seen | None, network: ConnectionSettings, kept: Path
) -> Received | None:
    """Write the file at `address` to `target`; returns its validators, None if it has not changed since `seen`.

    The received part of an interrupted download stays in the folder `kept`. The next download requests the rest with
    `If-Range`, and takes it only if its ETag, date and length are those of the part; else the file comes whole.

    Raises:
        ReferenceRefused: the file cannot be reached, exceeds the bounds, is truncated, or is a web page.
    """
    name = public_location(address)
    with (
        Deadline(bounds.until) as deadline,
        open_session(network, deadline) as session,
        _partial(address, kept, target) as partial,
    ):
        transfer = _Transfer(session, address, name, partial, bounds, deadline)
        received = _attempt(name, deadline, lambda: transfer.attempt(seen))
        if received is not None:
            shutil.move(partial.path, target)
        partial.forget()
        return received


def download_text(address: str, until: float, *, network: ConnectionSettings) -> str:
    """Return the first 4096 bytes of a small text, before `until` of the monotonic clock.

    Raises:
        ReferenceRefused: it cannot be reached in time.
    """
    name = public_location(address)
    with Deadline(until) as deadline, open_session(network, deadline) as session:

        def attempt() -> str:
            with session.get(address, stream=True) as response:
                _check_response(response, name)
                content: bytes = response.raw.read(4096, decode_content=True)
                return content.decode("ascii", errors="replace")

        return _attempt(name, deadline, attempt)


def _attempt(name: str, deadline: Deadline, once: Callable[[], Result]) -> Result:
    """Return what `once` returns, with retries of what may pass, until the deadline.

    Raises:
        ReferenceRefused: every attempt failed, or the time is over.
    """
    for attempt in range(RETRIES + 1):
        try:
            result = once()
            if deadline.passed:  # a connection that was shut down may look like the end of a file
                raise DeadlinePassed
            return result
        except (_Passing, DeadlinePassed, requests.RequestException, HTTPError) as error:
            if deadline.passed:
                raise _too_slow_refusal(name) from None
            if attempt == RETRIES or not _may_pass(error):
                raise error.refusal if isinstance(error, _Passing) else network_refusal(name, error) from None
        deadline.sleep(BACKOFF_S * 2**attempt)
    raise AssertionError("the last attempt returns or raises")


def _may_pass(error: Exception) -> bool:
    """Return whether the same request may succeed in seconds; a certificate and a proxy's refusal do not mend so."""
    if isinstance(error, requests.exceptions.ProxyError):  # one that does not answer may be starting again
        return find_cause(error, ConnectTimeoutError) is not None
    passing = (_Passing, requests.ConnectionError, requests.Timeout, HTTPError)
    return isinstance(error, passing) and not isinstance(error, requests.exceptions.SSLError)


def _too_slow_refusal(name: str) -> ReferenceRefused:
    return ReferenceRefused(
        f"{name} took too long to download.",
        "Try again: it goes on from here if the file is the same; or give a local file.",
    )


@contextlib.contextmanager
def _partial(address: str, kept: Path, target: Path) -> Iterator[_Partial]:
    """Lock the part stored for `address`; if another process holds the lock, use a part of its own."""
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
            partial.edition = _Edition(**json.loads(partial.label.read_text(encoding="utf-8")))
        except (OSError, TypeError, ValueError):  # none, or of a former version of this program
            partial.forget()
        yield partial


@dataclass
class _Transfer:
    """The attempts to download one file."""

    session: requests.Session
    address: str
    name: str
    partial: _Partial
    bounds: Bounds
    deadline: Deadline

    def attempt(self, seen: Seen | None) -> Received | None:
        """Receive the file, or its missing rest; None if it has not changed since `seen`.

        Raises:
            _Passing: the attempt failed; the next one goes on from the part that is stored, if there is one.
            ReferenceRefused: another attempt would fail too.
        """
        resumed = self.partial.size > 0
        with self.session.get(self.address, headers=self._headers(seen), stream=True) as response:
            if response.status_code == requests.codes.not_modified and seen is not None:
                return None
            length = self._begin(response)
            self._save(response, length)
            validators = Seen(response.headers.get("ETag"), response.headers.get("Last-Modified"))
        resumed = resumed and response.status_code == requests.codes.partial_content
        return Received(validators, resumed)

    def _headers(self, seen: Seen | None) -> dict[str, str]:
        headers = {"Accept-Encoding": "identity"}
        if seen is not None and seen.etag:
            headers["If-None-Match"] = seen.etag
        elif seen is not None and seen.last_modified:
            headers["If-Modified-Since"] = seen.last_modified
        edition = self.partial.edition
        if self.partial.size and edition is not None and edition.validator:
            headers |= {"Range": f"bytes={self.partial.size}-", "If-Range": edition.validator}
        return headers

    def _begin(self, response: requests.Response) -> int | None:
        """Check that the answer is the whole file or the rest of the stored part; returns the length of the file."""
        asked = "Range" in response.request.headers
        if asked and response.status_code == requests.codes.requested_range_not_satisfiable:
            raise self._start_again("the part that was kept fits no longer")
        encoded = "Content-Encoding" in response.headers
        if asked and response.status_code == requests.codes.partial_content:
            found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if found is None or int(found[1]) != self.partial.size or encoded:
                raise self._start_again("the server sent another part than was asked for")
            part = _Edition.of(response, int(found[2]))
            if self.partial.edition is None or not self.partial.edition.is_of(part):
                raise self._start_again("the file changed meanwhile")
            return part.length
        _check_response(response, self.name)
        announced = response.headers.get("Content-Length", "")
        length = int(announced) if announced.isdecimal() and not encoded else None
        self.partial.begin(None if encoded else _Edition.of(response, length))
        return length

    def _start_again(self, why: str) -> _Passing:
        self.partial.forget()
        return _Passing(unreachable_refusal(self.name, why))

    def _save(self, response: requests.Response, length: int | None) -> None:
        size = self.partial.size
        if length is not None and length > self.bounds.max_bytes:
            raise too_large_refusal(self.name, self.bounds.max_bytes)
        progress = Progress(f"download {self.name}", "bytes", length, size)
        try:
            with self.partial.path.open("ab") as sink:
                # Not `iter_content`, which waits for a full chunk: what came before the deadline is kept.
                while chunk := self._read_piece(response):
                    size += len(chunk)
                    if size > self.bounds.max_bytes:
                        self.partial.forget()
                        raise too_large_refusal(self.name, self.bounds.max_bytes)
                    if self.deadline.passed:
                        raise DeadlinePassed
                    sink.write(chunk)
                    progress.add(len(chunk))
        finally:
            progress.end()
        if length is not None and size > length:
            raise self._start_again(f"{size} bytes of {length}")
        if length is not None and size < length:
            raise _Passing(unreachable_refusal(self.name, f"cut short: {size} bytes of {length}"))

    def _read_piece(self, response: requests.Response) -> bytes:
        try:
            piece: bytes = response.raw.read1(CHUNK, decode_content=True)
        except (HTTPError, requests.RequestException) as error:
            raise _Passing(unreachable_refusal(self.name, describe_error(error))) from None
        return piece


def _check_response(response: requests.Response, name: str) -> None:
    if response.status_code != requests.codes.ok:
        refusal = ReferenceRefused(
            f"{name} answered {response.status_code}.",
            "Check the address, or try again later; the version in use stays.",
        )
        raise _Passing(refusal) if response.status_code in PASSING else refusal
    if response.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "text/html":
        raise ReferenceRefused(
            f"{name} is a web page, not a file.",
            "A proxy or a moved address may answer instead: check it in a browser.",
        )


def too_large_refusal(name: str, max_bytes: int) -> ReferenceRefused:
    """Return the refusal of a file beyond its bound."""
    return ReferenceRefused(
        f"{name} is larger than {max_bytes} bytes.", "It is not the expected file: check the address."
    )


LOG_EVERY_S = 15.0


class Progress:
    """Progress of a long job: a bar on a terminal, else lines of counts in the log; `total` is None if unknown."""

    def __init__(self, what: str, unit: str, total: int | None = None, done: int = 0) -> None:
        self._what, self._unit, self._total, self._done = what, unit, total, done
        self._logged_at = time.monotonic()
        self._bar = tqdm(
            desc=what,
            total=total,
            initial=done,
            unit=unit,
            unit_scale=True,
            leave=False,
            disable=not sys.stderr.isatty(),
        )

    def add(self, count: int) -> None:
        """Count more units as done."""
        self._done += count
        self._bar.update(count)
        if self._bar.disable and time.monotonic() - self._logged_at > LOG_EVERY_S:
            self._logged_at = time.monotonic()
            self._log_count()

    def end(self) -> None:
        """Close the bar, and log the count."""
        self._bar.close()
        if self._bar.disable:
            self._log_count()

    def _log_count(self) -> None:
        of = f" of {self._total}" if self._total else ""
        logger.info("%s: %s%s %s", self._what, self._done, of, self._unit)
