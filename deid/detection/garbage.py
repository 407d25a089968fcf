"""Garbage collections in a process that works through batches of documents."""

from __future__ import annotations

import gc

# Objects made before a collection. Documents leave no cycles behind; this bounds what a library's would hold.
_MADE = 200_000


def settled() -> None:
    """Leave all that is loaded out of collections, and collect seldom.

    Tables, models and modules live as long as the process: walking them took a fifth of substitution's time, and
    collections every 700 objects, as Python does by itself, another twentieth.
    """
    gc.freeze()
    gc.collect()  # of nothing, at once: what was made so far no longer counts towards the next
    gc.set_threshold(_MADE)
