"""Check of an export of the audit trail, as who receives one does it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping


def is_intact(lines: Iterator[Mapping[str, str]]) -> bool:
    """Return whether an export is complete and unaltered from its first line, without a database."""
    number, previous = 0, ""
    for entry in lines:
        if number == 0 and "withheld" in entry:
            number, previous = int(entry["withheld"]), entry["digest"]
            continue
        number += 1
        seq, *_, link = json.loads(entry["line"])
        if (seq, link) != (number, previous) or hashlib.sha256(entry["line"].encode()).hexdigest() != entry["digest"]:
            return False
        previous = entry["digest"]
    return True
