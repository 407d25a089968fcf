"""Download of a file over HTTP(S): conditional on a change, resumable, bounded in size and time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import os
import re
import shutil
import ssl
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import requests
from requests.adapters import HTTPAdapter
from tqdm import tqdm
from urllib3.exceptions import HTTPError, ProtocolError
from urllib3.exceptions import TimeoutError as TimedOut
from urllib3.util import Retry

from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import Network, public_location

logger = logging.getLogger(__name__)

CONNECT_S, READ_S = 10, 60
RETRIES, BACKOFF_S = 3, 0.5
PASSING = (429, 500, 502, 503, 504)
BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # as requests reads them
# Verification errors of OpenSSL (X509_V_ERR_…); others are cited by number.
CERTIFICATE = {
    7: "its authority is not trusted",
    9: "it is not valid yet",
    10: "it has expired",
    18: "it is self-signed",
    19: "its authority is not trusted",
    20: "its authority is not trusted",
    21: "its authority is not trusted",
    62: "it is for another host",
    64: "it is for another host",
}
# The warnings of retries quote the path with its query, which may hold a token.
logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
Caught = TypeVar("Caught", bound=BaseException)
CHUNK = 1 << 20
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


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


class _Broken(Exception):
    """The connection failed before the file was whole; the rest is requested in the next attempt."""


@dataclass
class _Partial:
    """The received part of a file and its validator, stored between attempts and between refreshes."""

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
    """Write the file at `address` to `target`; returns its ETag and Last-Modified, None if it has not changed.

    The received part of an interrupted download stays in the folder `kept`. The next download requests the rest if the
    file of the server is the same (`If-Range`), else the whole file.

    Raises:
        ReferenceRefused: the file cannot be reached, exceeds the bounds, is truncated, or is a web page.
    """
    name = public_location(address)
    with open_session(network) as session, _partial(address, kept, target) as partial:
        for attempt in range(RETRIES + 1):
            try:
                answer = _attempt_download(session, address, name, partial, bounds, seen)
            except _Broken as broken:
                if attempt == RETRIES or time.monotonic() > bounds.until:
                    raise unreachable_refusal(name, str(broken)) from None
                time.sleep(BACKOFF_S * 2**attempt)
                continue
            except (requests.RequestException, HTTPError) as error:
                raise network_refusal(name, error) from None
            if answer is not None:
                shutil.move(partial.path, target)
            partial.forget()
            return answer
    raise AssertionError("the last attempt returns or raises")


def download_text(address: str, *, network: Network, most: int = 4096) -> str:
    """Return the first `most` bytes of a small text.

    Raises:
        ReferenceRefused: it cannot be reached.
    """
    name = public_location(address)
    try:
        with (
            open_session(network) as session,
            session.get(address, stream=True) as response,
        ):
            _check_response(response, name)
            content: bytes = response.raw.read(most, decode_content=True)
            return content.decode("ascii", errors="replace")
    except (requests.RequestException, HTTPError) as error:
        raise network_refusal(name, error) from None


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
            partial.validator = json.loads(partial.label.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            partial.forget()
        if partial.validator is None:
            partial.forget()
        yield partial


def _attempt_download(
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
            _check_response(response, name)
            partial.begin(_validator(response))
        _save_response(response, partial, name, bounds)
        return response.headers.get("ETag"), response.headers.get("Last-Modified")


def _validator(response: requests.Response) -> str | None:
    """Validator for `If-Range`: a strong ETag, else the date; None for an encoded answer."""
    if "Content-Encoding" in response.headers:
        return None
    etag = response.headers.get("ETag")
    return etag if etag and not etag.startswith("W/") else response.headers.get("Last-Modified")


def _check_response(response: requests.Response, name: str) -> None:
    if response.status_code != requests.codes.ok:
        raise ReferenceRefused(
            f"{name} answered {response.status_code}.",
            "Check the address, or try again later; the version in use stays.",
        )
    if response.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "text/html":
        raise ReferenceRefused(
            f"{name} is a web page, not a file.",
            "A proxy or a moved address may answer instead: check it in a browser.",
        )


def _save_response(response: requests.Response, partial: _Partial, name: str, bounds: Bounds) -> None:
    size = partial.size
    length = response.headers.get("Content-Length", "")
    whole = size + int(length) if length.isdecimal() and "Content-Encoding" not in response.headers else None
    if whole is not None and whole > bounds.max_bytes:
        raise too_large_refusal(name, bounds.max_bytes)
    progress = Progress(f"download {name}", "bytes", whole, size)
    try:
        with partial.path.open("ab") as sink:
            # Not `iter_content`: it waits for a full chunk, so a server that drips bytes would never meet the deadline.
            while chunk := _read_piece(response):
                size += len(chunk)
                if size > bounds.max_bytes:
                    partial.forget()
                    raise too_large_refusal(name, bounds.max_bytes)
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


def _read_piece(response: requests.Response) -> bytes:
    try:
        piece: bytes = response.raw.read1(CHUNK, decode_content=True)
    except (HTTPError, requests.RequestException) as error:
        raise _Broken(describe_error(error)) from None
    return piece


def too_large_refusal(name: str, max_bytes: int) -> ReferenceRefused:
    """Return the refusal of a file beyond its bound."""
    return ReferenceRefused(
        f"{name} is larger than {max_bytes} bytes.", "It is not the expected file: check the address."
    )


# Connections


class _Session(requests.Session):
    """A session whose `verify` has precedence over REQUESTS_CA_BUNDLE, unlike in requests."""

    def request(self, *given: Any, **options: Any) -> requests.Response:
        return super().request(*given, **{"verify": self.verify, "timeout": (CONNECT_S, READ_S), **options})


def open_session(network: Network) -> requests.Session:
    """Return a session with timeouts and retries, through the proxy of `network` or of the environment.

    Certificates are always verified, against `network.ca_bundle`, that of the environment, or the usual authorities.

    Raises:
        ReferenceRefused: the bundle that the environment names is not there.
    """
    made = _Session()
    made.verify = _authorities(network)
    if network.proxy:
        made.trust_env = False  # else the environment's proxy would come first
        made.proxies = {"http": network.proxy, "https": network.proxy}
    retry = Retry(
        total=RETRIES,
        other=0,  # a certificate does not mend itself in seconds
        backoff_factor=BACKOFF_S,
        status_forcelist=PASSING,
        raise_on_status=False,
        respect_retry_after_header=False,  # a server must not make a night wait for an hour
    )
    for scheme in ("http://", "https://"):
        made.mount(scheme, HTTPAdapter(max_retries=retry))
    return made


def network_refusal(name: str, error: Exception) -> ReferenceRefused:
    """Return the refusal for a network error, whose own text would quote the URL with its password."""
    if isinstance(error, requests.exceptions.SSLError):
        certificate = _find_cause(error, ssl.SSLCertVerificationError)
        if certificate is None:
            return unreachable_refusal(name, "no TLS: the server, the proxy or the bundle of authorities is wrong")
        fault = CERTIFICATE.get(certificate.verify_code, f"OpenSSL's error {certificate.verify_code}")
        return ReferenceRefused(
            f"{name}: the certificate of the server was refused: {fault}.",
            "Have it renewed, or name the authority of a mirror or proxy of your own as `ca_bundle` "
            "(docs/reference-data.md, “Configuration”). The version in use stays.",
        )
    if isinstance(error, requests.exceptions.ProxyError):
        return unreachable_refusal(name, "the proxy refused, or does not answer")
    return unreachable_refusal(name, describe_error(error))


def describe_error(error: Exception) -> str:
    """Return the kind of a network error in words."""
    if isinstance(error, requests.Timeout | TimedOut):
        return "no answer in time"
    if isinstance(error, ProtocolError | requests.exceptions.ChunkedEncodingError):
        return "the connection broke off"
    return "nobody answers there" if isinstance(error, requests.ConnectionError) else type(error).__name__


def unreachable_refusal(name: str, why: str) -> ReferenceRefused:
    """Return the refusal of a file that cannot be downloaded."""
    return ReferenceRefused(
        f"{name} could not be downloaded ({why}).",
        "Check the network, the proxy and the address, or give a local file; the version in use stays.",
    )


def _authorities(network: Network) -> str | bool:
    """File of trusted authorities; True for those of the platform, never False."""
    if network.ca_bundle is not None:
        return str(network.ca_bundle)
    for name in BUNDLES:
        if bundle := os.environ.get(name):
            if not Path(bundle).exists():
                raise ReferenceRefused(f"{name} names {bundle}, which is not there.", "Give the path of a PEM file.")
            return bundle
    return True


def _find_cause(error: BaseException, kind: type[Caught]) -> Caught | None:
    """First error of that kind in the chain of causes; requests and urllib3 wrap it as an argument or a reason."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, kind):
        wrapped = [getattr(found, "reason", None), *found.args, found.__cause__, found.__context__]
        found = next((one for one in wrapped if isinstance(one, BaseException)), None)
    return found


# Progress

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
