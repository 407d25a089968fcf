"""Files of running text, read line by line and mixed, none held in memory."""

from __future__ import annotations

import gzip
import json
import lzma
import random
from collections.abc import Iterator, Sequence
from glob import glob
from itertools import islice
from pathlib import Path
from typing import IO

from deid.domain.errors import InputRefused

_LINES = 64  # lines taken from a file at a time


def files(patterns: Sequence[str]) -> list[Path]:
    """The files that the patterns name, each once, in alphabetical order.

    Raises:
        InputRefused: a pattern names none.
    """
    found: set[Path] = set()
    for pattern in patterns:
        matching = glob(pattern, recursive=True)  # noqa: PTH207 - the pattern may be absolute
        if not matching:
            raise InputRefused(f"no text at {pattern}.", "Check `pretraining.texts` and the working directory.")
        found.update(map(Path, matching))
    return sorted(found)


def passages(paths: Sequence[Path], seed: str) -> Iterator[str]:
    """Passages of some lines from all files, each line once: a file is drawn as often as it is large.

    Raises:
        InputRefused: a file is not UTF-8, or its packing is broken.
    """
    draw = random.Random(seed)  # noqa: S311 - an order, no secret
    streams = [(path, _opened(path)) for path in paths]
    sizes = [max(1, path.stat().st_size) for path in paths]
    try:
        while streams:
            at = draw.choices(range(len(streams)), sizes)[0]
            path, stream = streams[at]
            lines = _lines(path, stream)
            if lines:
                yield "".join(lines)
            else:
                stream.close()
                del streams[at], sizes[at]
    finally:
        for _, stream in streams:
            stream.close()


def _lines(path: Path, stream: IO[str]) -> list[str]:
    try:
        lines = list(islice(stream, _LINES))
        if ".jsonl" in path.suffixes:
            return [json.loads(line)["text"] + "\n" for line in lines]
    except (UnicodeDecodeError, EOFError, OSError, lzma.LZMAError):
        raise InputRefused(f"{path.name}: not UTF-8, or its packing is broken.", "Fetch it again.") from None
    except (ValueError, KeyError, TypeError):
        raise InputRefused(f'{path.name}: a line is not a JSON object with a "text".', "Mend the file.") from None
    return lines


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")
