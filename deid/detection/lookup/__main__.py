"""Build the packaged lookup, after a change of a table or list in it: `python -m deid.detection.lookup`."""

from __future__ import annotations

from deid.detection.lookup import PACKAGED_LOOKUPS, LookupTable, build_lookup, lookup_stamp, packaged_spellings

if __name__ == "__main__":
    made = LookupTable.write(PACKAGED_LOOKUPS, lookup_stamp(), build_lookup(packaged_spellings()), kept=1)
    print(f"{made.path.name}: {len(made)} names, {made.path.stat().st_size // 1024} KiB")
