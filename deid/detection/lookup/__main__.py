"""Build the packaged lookup, after a change of a table or list in it: `python -m deid.detection.lookup`."""

from __future__ import annotations

from deid.detection.lookup import PACKAGED_LOOKUPS, lookup_stamp, packaged_spellings, write_lookup

if __name__ == "__main__":
    made = write_lookup(PACKAGED_LOOKUPS, lookup_stamp(), packaged_spellings())
    for other in PACKAGED_LOOKUPS.glob("*.lookup"):
        if other != made.path:
            other.unlink()
    print(f"{made.path.name}: {len(made)} names, {made.path.stat().st_size // 1024} KiB")
