"""Bits from a secret and what is drawn: HMAC-SHA-256 in counter mode, seeded per question."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

Item = TypeVar("Item")

# Lengths as `encode` writes them, as far as a byte is an ASCII character.
_LENGTHS = tuple([chr(length).rjust(8, "\0") for length in range(128)])
_integer = int.from_bytes

_BLOCK_BITS = 256
_COUNTER_BYTES = 8
# HMAC (RFC 2104) with its key already read: the one-shot function of the standard library reads it again at every
# call, which was half of what a draw costs.
_KEY_BYTES = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_FILLING = bytes(_KEY_BYTES - _BLOCK_BITS // 8)  # what lengthens a seed to a key
_INNER_FILLING, _OUTER_FILLING = _FILLING.translate(_INNER), _FILLING.translate(_OUTER)
_FIRST = _INNER_FILLING + bytes(_COUNTER_BYTES)


def encode(parts: Sequence[str]) -> bytes:
    """Parts as bytes, each behind its length on eight bytes: no two sequences share an encoding."""
    try:
        text = ""
        for part in parts:
            text += _LENGTHS[len(part)] + part
        if text.isascii():  # nearly always: a byte for a character
            return text.encode()
    except IndexError:
        pass
    return b"".join(map(_encoded, parts))


def _encoded(part: str) -> bytes:
    raw = part.encode("utf-8", "surrogatepass")
    return len(raw).to_bytes(8, "big") + raw


def _block(seed: bytes, message: bytes) -> int:
    """A block of the stream of a seed: HMAC of a counter, which `message` has behind the filling of the inner key."""
    inner = sha256(seed.translate(_INNER) + message).digest()
    return _integer(sha256(seed.translate(_OUTER) + _OUTER_FILLING + inner).digest(), "big")


class KeyedStream:
    """An endless sequence of bits that depends on the secret and on `parts` only.

    The seed is HMAC(secret, encode(parts)); block i of the stream is HMAC(seed, i). Under the assumption that
    HMAC-SHA-256 is a pseudo-random function (Bellare 2006), streams of different parts look independent and
    uniform to anyone without the secret, and cannot be recomputed once the secret is destroyed.

    Args:
        secret: at least one byte.
        parts: what the draw is about: scope, label, normalised value…

    Raises:
        ValueError: the secret is empty.
    """

    __slots__ = ("_bits", "_counter", "_held", "_seed")
    _seed: bytes
    _counter: int  # blocks read
    _bits: int  # the last `_held` of these are to come
    _held: int

    def __init__(self, secret: bytes, *parts: str) -> None:
        stream = Streams(secret).of(*parts)
        self._seed, self._counter, self._bits, self._held = stream._seed, 1, stream._bits, _BLOCK_BITS

    def _fill(self, count: int) -> None:
        """Hold at least `count` bits."""
        while self._held < count:
            block = _block(self._seed, _INNER_FILLING + self._counter.to_bytes(_COUNTER_BYTES, "big"))
            self._counter += 1
            self._bits = (self._bits & ((1 << self._held) - 1)) << _BLOCK_BITS | block
            self._held += _BLOCK_BITS

    def bits(self, count: int) -> int:
        """The next `count` bits, as an integer in [0, 2**count)."""
        if self._held < count:
            self._fill(count)
        self._held -= count
        return (self._bits >> self._held) & ((1 << count) - 1)

    def below(self, bound: int) -> int:
        """A uniform integer of [0, bound).

        Rejection: integers of the least sufficient number of bits are drawn until one is below the bound. Each
        accepted value has the same probability, so the result is exactly uniform, with no modulo bias.

        Raises:
            ValueError: `bound` is not positive.
        """
        if bound < 1:
            raise ValueError("an integer is drawn below a positive bound")
        width = (bound - 1).bit_length()
        mask = (1 << width) - 1
        while True:
            held = self._held - width
            if held < 0:
                self._fill(width)
                held = self._held - width
            self._held = held
            value = (self._bits >> held) & mask
            if value < bound:
                return value

    def choice(self, items: Sequence[Item]) -> Item:
        """One of `items`, each with the same probability.

        Raises:
            ValueError: there is none.
        """
        return items[self.below(len(items))]


_unread = KeyedStream.__new__


class Streams:
    """Streams that share a secret and first parts: `Streams(s, "a").of("b")` is `KeyedStream(s, "a", "b")`.

    Raises:
        ValueError: the secret is empty.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, secret: bytes, *parts: str) -> None:
        if not secret:
            raise ValueError("a keyed stream needs a secret")
        key = secret if len(secret) <= _KEY_BYTES else sha256(secret).digest()
        padded = key.ljust(_KEY_BYTES, b"\0")
        self._inner = sha256(padded.translate(_INNER) + encode(parts))
        self._outer = sha256(padded.translate(_OUTER))

    def of(self, *parts: str) -> KeyedStream:
        """The stream about the first parts and `parts`."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(encode(parts))
        outer.update(inner.digest())
        stream = _unread(KeyedStream)
        stream._seed = seed = outer.digest()
        stream._bits = _block(seed, _FIRST)  # nearly always the only one that is read
        stream._counter, stream._held = 1, _BLOCK_BITS
        return stream
