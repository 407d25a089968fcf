"""How a server is reached: proxy, trusted authorities, retries; and what its failures mean in our words."""

from __future__ import annotations

import logging
import os
import ssl
from pathlib import Path
from typing import Any, TypeVar

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import ProtocolError
from urllib3.exceptions import TimeoutError as TimedOut
from urllib3.util import Retry

from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import Network

CONNECT_S, READ_S = 10, 60
RETRIES, BACKOFF_S = 3, 0.5
PASSING = (429, 500, 502, 503, 504)
BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # as requests reads them
# What OpenSSL says of a certificate (X509_V_ERR_…); anything else is quoted by its number.
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
# Its warnings of retries quote the path with its query, which may hold a token.
logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
Caught = TypeVar("Caught", bound=BaseException)


class _Session(requests.Session):
    """A session that trusts what it was told: requests lets REQUESTS_CA_BUNDLE come before `verify`."""

    def request(self, *given: Any, **options: Any) -> requests.Response:
        return super().request(*given, **{"verify": self.verify, "timeout": (CONNECT_S, READ_S), **options})


def session(network: Network) -> requests.Session:
    """A session with timeouts and retries, through the proxy of `network` or of the environment.

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


def failed(name: str, error: Exception) -> ReferenceRefused:
    """The refusal that an error of the network leads to. Its own text quotes the whole URL, password included."""
    if isinstance(error, requests.exceptions.SSLError):
        certificate = _cause(error, ssl.SSLCertVerificationError)
        if certificate is None:
            return unreachable(name, "no TLS: the server, the proxy or the bundle of authorities is wrong")
        fault = CERTIFICATE.get(certificate.verify_code, f"OpenSSL's error {certificate.verify_code}")
        return ReferenceRefused(
            f"{name}: the certificate of the server was refused: {fault}.",
            "Have it renewed, or name the authority of a mirror or proxy of your own as `ca_bundle` "
            "(docs/reference-data.md, “Configuration”). The release in use stays.",
        )
    if isinstance(error, requests.exceptions.ProxyError):
        return unreachable(name, "the proxy refused, or does not answer")
    return unreachable(name, why(error))


def why(error: Exception) -> str:
    """The kind of a network error in words."""
    if isinstance(error, requests.Timeout | TimedOut):
        return "no answer in time"
    if isinstance(error, ProtocolError | requests.exceptions.ChunkedEncodingError):
        return "the connection broke off"
    return "nobody answers there" if isinstance(error, requests.ConnectionError) else type(error).__name__


def unreachable(name: str, why: str) -> ReferenceRefused:
    """The refusal of a file that could not be had."""
    return ReferenceRefused(
        f"{name} could not be downloaded ({why}).",
        "Check the network, the proxy and the address, or give a local file; the release in use stays.",
    )


def _authorities(network: Network) -> str | bool:
    """The file of trusted authorities; True for those of the platform. Never False."""
    if network.ca_bundle is not None:
        return str(network.ca_bundle)
    for name in BUNDLES:
        if bundle := os.environ.get(name):
            if not Path(bundle).exists():
                raise ReferenceRefused(f"{name} names {bundle}, which is not there.", "Give the path of a PEM file.")
            return bundle
    return True


def _cause(error: BaseException, kind: type[Caught]) -> Caught | None:
    """The error of that kind that led to this one: requests and urllib3 wrap it as an argument or a reason."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, kind):
        wrapped = [getattr(found, "reason", None), *found.args, found.__cause__, found.__context__]
        found = next((one for one in wrapped if isinstance(one, BaseException)), None)
    return found
