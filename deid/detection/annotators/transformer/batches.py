"""Windows of like length together, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

STEP = 16  # lengths are padded to a multiple: few shapes for the GPU's kernels, and aligned rows


def padded(length: int, longest: int) -> int:
    """`length` rounded up to a multiple of `STEP`, at most `longest`."""
    return min(-(-length // STEP) * STEP, longest)


def batches(lengths: Sequence[int], most: int, longest: int) -> Iterator[list[int]]:
    """Indexes of windows in batches, long ones first (what does not fit in memory fails at once).

    Args:
        lengths: sub-words of each window, special ones included.
        most: sub-words of a batch, padding included; a longer window is a batch by itself.
        longest: sub-words that the model takes.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) + 1) * padded(lengths[batch[0]], longest) > most:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
