"""One thread for small matrices: more of them wait for each other longer than they compute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """torch computes on one thread within the block, whatever the machine has.

    A batch of the taggers is too small to share: on two quiet cores two threads take nearly twice the time of one, on
    busy ones many times. One order of additions also gives the same digits on machines with other numbers of cores.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
