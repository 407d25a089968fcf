"""`python -m deid.evaluation.audit`: claims of every mechanism and lower bounds from a million draws, in Markdown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from math import isinf

from deid.evaluation.audit.bound import Audit
from deid.evaluation.audit.cases import CASES, CONFIDENCE, DRAWS, audit

_HEAD = """\
# ε measured: what draws prove against each mechanism's claim

Written by `python -m deid.evaluation.audit`. Two neighbouring inputs, {draws:,} draws each from a fixed stream; the
event is chosen on the first half, bounded on the second (Clopper–Pearson, {confidence:.2%} per line). A lower bound
above the claim refutes it; one below proves nothing by itself: the proofs are in the docstrings (`docs/privacy.md`).

| mechanism | neighbours | ε claimed | ε at least | of the claim | verdict |
|---|---|---:|---:|---:|---|
"""


def _line(found: Audit) -> str:
    if isinf(found.claimed):
        return f"| {found.mechanism} | {found.inputs} | none | {found.lower:.4f} | | no claim (see below) |"
    verdict = "REFUTED" if found.refuted else "not refuted"
    share = found.lower / found.claimed
    return f"| {found.mechanism} | {found.inputs} | {found.claimed:.4f} | {found.lower:.4f} | {share:.0%} | {verdict} |"


_FOOT = """
A surrogate is never its original, and says so: that is not ε-private for the two originals as outputs, grows with the
draws, and is accounted for in docs/decisions/2026-11-20-epsilon-per-element.md. Outside them the claim stands.
"""


def table(found: Iterable[Audit], draws: int) -> str:
    """Return the audits as a page of Markdown."""
    return _HEAD.format(draws=draws, confidence=CONFIDENCE) + "\n".join(map(_line, found)) + "\n" + _FOOT


def _at(index: int, draws: int) -> Audit:
    return audit(CASES[index], draws)


def main() -> int:
    """Print the table; 1 if a claim is refuted."""
    parser = argparse.ArgumentParser(prog="python -m deid.evaluation.audit", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS, help="per input (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    given = parser.parse_args()
    indexes = range(len(CASES))
    with ProcessPoolExecutor(given.workers) as pool:
        found = list(pool.map(_at, indexes, [given.draws] * len(CASES)))
    sys.stdout.write(table(found, given.draws))
    return int(any(one.refuted for one in found))


if __name__ == "__main__":
    sys.exit(main())
