"""Features as 64-bit numbers: the same string gives the same number in every process and release."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.uint64]

MISSING = np.uint64(0)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@lru_cache(maxsize=1 << 18)
def number(text: str) -> int:
    """A stable number in [1, 2⁶⁴) for a feature's name."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") or 1


def mixed(ids: Ids, salt: int) -> Ids:
    """The feature `ids` seen in the role `salt`; what is missing stays missing.

    The finaliser of splitmix64, which spreads neighbouring inputs.
    """
    with np.errstate(over="ignore"):
        value = (ids ^ np.uint64(salt)) * _ODD
        value = (value ^ (value >> _SHIFT)) * np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(32)
    return np.where(ids == MISSING, MISSING, value)


def joined(first: Ids, second: Ids) -> Ids:
    """The conjunction of two features; missing where either is."""
    with np.errstate(over="ignore"):
        value = (first * np.uint64(0x94D049BB133111EB)) ^ (second + _ODD)
        value = (value ^ (value >> _SHIFT)) * _ODD
    return np.where((first == MISSING) | (second == MISSING), MISSING, value)
