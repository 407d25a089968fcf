"""Build the lookup that ships, after a change of the tables or lists that it is made of:
`python -m deid.detection.lookup`."""

from __future__ import annotations

from deid.detection.lookup import SHIPPED, build_in, shipped, stamp

if __name__ == "__main__":
    made = build_in(SHIPPED, stamp(), shipped())
    for other in SHIPPED.glob("*.lookup"):
        if other != made.path:
            other.unlink()
    print(f"{made.path.name}: {len(made)} names, {made.path.stat().st_size // 1024} KiB")
