"""Bits from a secret and the subject of a draw: HMAC-SHA-256 in counter mode."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")

_BLOCK_BITS = 256
_LENGTH_BYTES = _COUNTER_BYTES = 8
_DIGEST_DIGITS = 16


def encode_parts(parts: Sequence[str]) -> bytes:
    """Return parts as bytes, each behind its length on eight bytes: no two sequences share an encoding."""
    return b"".join(
        len(raw).to_bytes(_LENGTH_BYTES, "big") + raw
        for raw in (part.encode("utf-8", "surrogatepass") for part in parts)
    )


def keyed_digest(secret: bytes, *parts: str) -> str:
    """Return 16 hexadecimal digits of HMAC-SHA-256 of parts under the secret: equal for equal parts, else nothing."""
    return hmac.digest(secret, encode_parts(parts), "sha256").hex()[:_DIGEST_DIGITS]


class KeyedStream:
    """An endless sequence of bits that depends on the secret and on `parts` only.

    The seed is HMAC(secret, encode(parts)); block i of the stream is HMAC(seed, i). Under the assumption that
    HMAC-SHA-256 (RFC 2104) is a pseudo-random function (Bellare 2006), streams of different parts look independent and
    uniform to anyone without the secret, and cannot be recomputed once the secret is destroyed.

    Args:
        secret: at least one byte.
        parts: the subject of the draw: scope, label, normalised value…

    Raises:
        ValueError: the secret is empty.
    """

    def __init__(self, secret: bytes, *parts: str) -> None:
        if not secret:
            raise ValueError("a keyed stream needs a secret")
        self._seed = hmac.digest(secret, encode_parts(parts), "sha256")
        self._blocks = 0  # blocks read so far
        self._bits = 0  # the last `_held` bits of this integer are still to be read
        self._held = 0

    def bits(self, count: int) -> int:
        """Return the next `count` bits, as an integer in [0, 2**count)."""
        while self._held < count:
            block = hmac.digest(self._seed, self._blocks.to_bytes(_COUNTER_BYTES, "big"), "sha256")
            self._blocks += 1
            self._bits = (self._bits & ((1 << self._held) - 1)) << _BLOCK_BITS | int.from_bytes(block, "big")
            self._held += _BLOCK_BITS
        self._held -= count
        return (self._bits >> self._held) & ((1 << count) - 1)

    def below(self, bound: int) -> int:
        """Return a uniform integer of [0, bound).

        Rejection: integers of the least sufficient number of bits are drawn until one is below the bound. Each
        accepted value has the same probability, so the result is exactly uniform, with no modulo bias.

        Raises:
            ValueError: `bound` is not positive.
        """
        if bound < 1:
            raise ValueError("an integer is drawn below a positive bound")
        width = (bound - 1).bit_length()
        while (value := self.bits(width)) >= bound:
            pass
        return value

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of `items`, each with the same probability.

        Raises:
            ValueError: `items` is empty.
        """
        return items[self.below(len(items))]


# Pseudonymous identifiers of patients, stays and documents, by keyed hash.
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
    digest = hmac.digest(key, encode_parts(("pseudonym", kind, identifier)), "sha256")
    return base64.b32encode(digest[:_BYTES]).decode().lower()[:LENGTH]
