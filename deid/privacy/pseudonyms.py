"""Pseudonymous identifiers of patients, stays and documents, by keyed hash."""

from __future__ import annotations

import base64
import hmac

from deid.privacy.stream import encode

LENGTH = 20
_BYTES = 13  # 104 bits give 21 characters of base 32; 20 of them keep 100 bits


def pseudonym(key: bytes, kind: str, identifier: str) -> str:
    """Twenty characters of [a-z2-7] that stand for `identifier` among those of its `kind` ("patient", "stay"…).

    The same key, kind and identifier always give the same pseudonym; without the key it cannot be computed
    back or forth. With 100 bits, two of a thousand million identifiers meet with probability below 10⁻¹².

    Raises:
        ValueError: the key or the identifier is empty.
    """
    if not key:
        raise ValueError("a pseudonym needs a key")
    if not identifier:
        raise ValueError("a pseudonym needs an identifier")
    digest = hmac.digest(key, encode(("pseudonym", kind, identifier)), "sha256")
    return base64.b32encode(digest[:_BYTES]).decode().lower()[:LENGTH]
