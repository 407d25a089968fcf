"""The compact open tables that ship with the product (sources and licences: NOTICE)."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).parent / "data"


def rows(name: str) -> Iterator[dict[str, str]]:
    """Rows of the table `name` (such as "communes"), every value as text.

    Raises:
        FileNotFoundError: there is no such table. ValueError: a row has more or fewer fields than the header.
    """
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        table = csv.reader(lines)
        header = next(table)
        for row in table:
            yield dict(zip(header, row, strict=True))
