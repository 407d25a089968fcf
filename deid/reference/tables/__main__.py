"""Build the shipped tables from their compact form: `python -m deid.reference.tables`."""

from __future__ import annotations

from deid.reference.tables import SHIPPED, SUFFIX, shipped, stamp, write

if __name__ == "__main__":
    made = write(SHIPPED, stamp(), shipped())
    for other in SHIPPED.glob(f"*{SUFFIX}"):
        if other != made.path:
            other.unlink()
    print(f"{made.path.name}: {made.path.stat().st_size // 1024} KiB")
