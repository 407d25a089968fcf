"""Client of the key service, with which a third party holds one of two shares of each secret (docs/keys.md).

`GET /v1/shares/VERSION` over TLS with a client certificate gives `{"version": 1, "share": "<hexadecimal>"}`. Messages
name the service, the version and the failure; no share.
"""

from __future__ import annotations

import http.client
import json
import ssl
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from deid.config.keys import parse_secret
from deid.domain.errors import KeyServiceUnreachable, SettingsError

PATH = "/v1/shares/"
_WAIT_S = 15.0
_MOST_BYTES = 4096
_REFUSALS = {
    403: ("does not give version {version} to this certificate.", "Have it admit the name of this certificate."),
    404: ("holds no share of version {version}.", "Have it add that share, or destroy this version (docs/keys.md)."),
}


@dataclass(frozen=True, slots=True)
class KeyService:
    """Address of a key service, client certificate with its private key (PEM), and the server's authority (PEM).

    Raises:
        SettingsError: the address is not https://host[:port].
    """

    url: str
    certificate: Path
    authority: Path

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme != "https" or self.address is None:
            raise SettingsError("NOCTURNE_KEY_SERVICE is no address https://host[:port].", "Correct it.")

    @property
    def address(self) -> tuple[str, int] | None:
        """Host and port; None if the address has none, or names more (a path, an account)."""
        parts = urlsplit(self.url)
        try:
            port = parts.port or 443
        except ValueError:
            return None
        bare = not parts.username and parts.path in ("", "/") and not parts.query
        return (parts.hostname, port) if parts.hostname and bare else None

    def fetch_share(self, version: int) -> bytes:
        """Return the share of a version, asked of the service once per process.

        Raises:
            SettingsError: a certificate cannot be used or is refused, or the service gives no usable share.
            KeyServiceUnreachable: it does not answer.
        """
        return _fetch_once(self, version)

    def server_expiry(self) -> datetime:
        """Return when the service's certificate ends; raises what `fetch_share` raises, but for shares."""
        with closing(self._connect()) as link:
            certificate: Any = link.sock.getpeercert()
        return datetime.fromtimestamp(ssl.cert_time_to_seconds(str(certificate["notAfter"])), UTC)

    @property
    def name(self) -> str:
        """Host and port, as messages show them."""
        return "{}:{}".format(*self.address or ("?", 0))

    def _connect(self) -> http.client.HTTPSConnection:
        host, port = self.address or ("", 0)
        link = http.client.HTTPSConnection(host, port, timeout=_WAIT_S, context=self._context())
        try:
            link.connect()
        except ssl.SSLCertVerificationError:
            raise SettingsError(
                f"the certificate of the key service {self.name} cannot be verified.",
                "Give NOCTURNE_KEY_SERVICE_AUTHORITY the authority that signed it; check its host name and dates.",
            ) from None
        except OSError as error:
            raise self._unreachable(error) from None
        return link

    def _context(self) -> ssl.SSLContext:
        try:
            context = ssl.create_default_context(cafile=str(self.authority))
        except (OSError, ssl.SSLError):
            raise SettingsError(f"{self.authority} holds no certificate of an authority.", "Give a PEM file.") from None
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_cert_chain(self.certificate, password="")  # an encrypted one is refused, not asked for
        except (OSError, ssl.SSLError):
            raise SettingsError(
                f"{self.certificate} holds no certificate with its private key.",
                "Give a PEM file with both, without a passphrase, readable by this account only.",
            ) from None
        return context

    def _ask(self, version: int) -> tuple[int, bytes]:
        with closing(self._connect()) as link:
            try:
                link.request("GET", f"{PATH}{version}", headers={"Accept": "application/json"})
                answer = link.getresponse()
                return answer.status, answer.read(_MOST_BYTES + 1)
            except (
                ssl.SSLError,
                ConnectionResetError,
                BrokenPipeError,
            ):  # TLS 1.3 refuses a client after the handshake
                raise SettingsError(
                    f"the key service {self.name} refused the certificate of this machine.",
                    "Have it signed by the authority that the service admits, and check its dates.",
                ) from None
            except (OSError, http.client.HTTPException) as error:
                raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> KeyServiceUnreachable:
        return KeyServiceUnreachable(
            f"the key service {self.name} does not answer ({type(error).__name__}): no surrogate can be drawn.",
            "Nothing was written; try again, or ask who runs it.",
        )


@cache
def _fetch_once(service: KeyService, version: int) -> bytes:
    status, body = service._ask(version)
    if status >= http.client.INTERNAL_SERVER_ERROR:
        raise KeyServiceUnreachable(
            f"the key service {service.name} cannot answer now (status {status}).", "Try again."
        )
    if status in _REFUSALS:
        what, remedy = _REFUSALS[status]
        raise SettingsError(f"the key service {service.name} {what.format(version=version)}", remedy)
    if status != http.client.OK:
        raise SettingsError(f"the key service {service.name} answered with status {status}.", "Check its address.")
    return parse_secret(_share_of(service, version, body), f"the share of version {version} that {service.name} gave")


def _share_of(service: KeyService, version: int, body: bytes) -> str:
    try:
        answer: dict[str, Any] = json.loads(body)
        if len(body) <= _MOST_BYTES and answer["version"] == version:
            return str(answer["share"])
    except (ValueError, KeyError, TypeError):
        pass
    raise SettingsError(
        f"the answer of {service.name} is no share of version {version}.", "See docs/keys.md, “Protocol”."
    )
