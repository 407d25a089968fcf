"""A keyed permutation of the integers below a bound, drawn by a Feistel network of HMAC-SHA-256.

The network works on pairs (left, right) of a rectangle that holds the bound, and is walked until it falls below the
bound again (Black and Rogaway 2002, "Ciphers with arbitrary finite domains"), so the result is a permutation whatever
the round function. Under the assumption that HMAC is a pseudo-random function it looks like a random one to whoever
lacks the secret (Luby and Rackoff 1988); the rounds are more than the four of the proof, because domains are small.
"""

from __future__ import annotations

import hmac
from math import isqrt

from deid.privacy.stream import encode_parts

_ROUNDS = 8
_WORD, _WIDEST = 8, 32  # bytes of a round's number


class KeyedPermutation:
    """A permutation of [0, bound) that depends on the secret and on `parts` only.

    Raises:
        ValueError: the secret is empty, or the bound is not in [1, 2^512].
    """

    def __init__(self, secret: bytes, bound: int, *parts: str) -> None:
        if not secret or not 1 <= bound <= 1 << (16 * _WIDEST):
            raise ValueError("a keyed permutation needs a secret and a positive bound")
        self._seed = hmac.digest(secret, encode_parts(("permutation", str(bound), *parts)), "sha256")
        self._bound = bound
        self._width = isqrt(bound - 1) + 1
        self._height = -(-bound // self._width)
        self._word = min(_WIDEST, max(_WORD, self._width.bit_length() // 8 + 1))

    def __call__(self, value: int) -> int:
        """Return the image of a value.

        Raises:
            ValueError: the value is not in [0, bound).
        """
        if not 0 <= value < self._bound:
            raise ValueError("a permutation is asked for a value below its bound")
        value = self._passed(value)
        while value >= self._bound:
            value = self._passed(value)
        return value

    def inverse(self, image: int) -> int:
        """Return the value whose image is `image`.

        Raises:
            ValueError: the image is not in [0, bound).
        """
        if not 0 <= image < self._bound:
            raise ValueError("a permutation is asked for a value below its bound")
        value = self._passed_back(image)
        while value >= self._bound:
            value = self._passed_back(value)
        return value

    def _passed_back(self, image: int) -> int:
        left, right = divmod(image, self._width)
        for turn in range(_ROUNDS - 2, -2, -2):
            right = (right - self._drawn(turn + 1, left)) % self._width
            left = (left - self._drawn(turn, right)) % self._height
        return left * self._width + right

    def _passed(self, value: int) -> int:
        left, right = divmod(value, self._width)
        for turn in range(0, _ROUNDS, 2):
            left = (left + self._drawn(turn, right)) % self._height
            right = (right + self._drawn(turn + 1, left)) % self._width
        return left * self._width + right

    def _drawn(self, turn: int, half: int) -> int:
        message = turn.to_bytes(1, "big") + half.to_bytes(self._word, "big")
        return int.from_bytes(hmac.digest(self._seed, message, "sha256")[: self._word], "big")
