"""Build the tables that ship, after a change of the compact ones that they are made of: `python -m deid.tables`."""

from __future__ import annotations

from deid.tables import SHIPPED, SUFFIX, shipped, stamp, write

if __name__ == "__main__":
    made = write(SHIPPED, stamp(), shipped())
    for other in SHIPPED.glob(f"*{SUFFIX}"):
        if other != made.path:
            other.unlink()
    print(f"{made.path.name}: {made.path.stat().st_size // 1024} KiB")
