"""`python -m nocturne_lab.evaluation.audit`: claims of mechanisms and published documents, and lower bounds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from math import isinf

from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.audit import documents
from nocturne_lab.evaluation.audit.bound import Audit
from nocturne_lab.evaluation.audit.cases import CASES, CONFIDENCE, DRAWS, audit
from nocturne_lab.evaluation.audit.communes import audit_communes

_HEAD = """\
# ε measured: what draws prove against each mechanism's claim

Written by `python -m nocturne_lab.evaluation.audit`. Two neighbouring inputs, {draws:,} draws each from a fixed stream;
the event is chosen on the first half, bounded on the second (Clopper–Pearson, {confidence:.2%} per line). A lower bound
above the claim refutes it; one below proves nothing by itself: the proofs are in the docstrings (`docs/privacy.md`).

## Mechanisms

| mechanism | neighbours | ε claimed | ε at least | of the claim | verdict |
|---|---|---:|---:|---:|---|
"""


def _line(found: Audit) -> str:
    if isinf(found.claimed):
        return f"| {found.mechanism} | {found.inputs} | none | {found.lower:.4f} | | no claim |"
    verdict = "REFUTED" if found.refuted else "not refuted"
    share = found.lower / found.claimed
    return f"| {found.mechanism} | {found.inputs} | {found.claimed:.4f} | {found.lower:.4f} | {share:.0%} | {verdict} |"


_FOOT = """
Under `metric` and `bounded_laplace` a date is never its original, and says so: that is not ε-private for the two
originals as outputs, grows with the draws, and is accounted for in docs/decisions/2026-11-20-epsilon-per-element.md.
Outside them the claim stands.
"""


_DOCUMENTS = """
## Published documents

`Substitutor.substitute` itself, under strategies `episodes` and `stages` (shift of scale {scale:g} days,
`episode_epsilon` {epsilon:g}), on two neighbouring documents, or sets of documents, of a patient: {draws:,} patients
on either side. The bound is the greatest over views of what is published: each number by itself (a day, a month, an
age, the document's date), the difference of any two, the text without its digits; the error is shared among them.
Claims are those of the ledger and of `docs/privacy.md`: ε per day of a stay's first day, per unit of what is told of
the past, per month of an age, per day of a birth date. Inputs without a claim differ in what is public by declaration.
These pairs were chosen; those of `benchmarks/adjacent_pairs.md` are generated.

| what | neighbours | ε claimed | ε at least | of the claim | verdict |
|---|---|---:|---:|---:|---|
"""

_COMMUNES = """
## Published communes

`Substitutor.substitute` on two towns of one stratum, as far apart in health profile as it has: postal code, name and an
organisation of the town, {draws:,} patients on either side. The greater bound of two views: the town, and all that is
published. A draw may return its original.

| what | neighbours | ε claimed | ε at least | of the claim | verdict |
|---|---|---:|---:|---:|---|
"""


def table(found: Iterable[Audit], draws: int) -> str:
    """Return the audits of mechanisms as a page of Markdown."""
    return _HEAD.format(draws=draws, confidence=CONFIDENCE) + "\n".join(map(_line, found)) + "\n" + _FOOT


def documents_table(found: Iterable[Audit], draws: int) -> str:
    """Return the audits of published documents as the page's second part."""
    settings = documents.audited_policy().substitution.dates
    head = _DOCUMENTS.format(scale=settings.anchor_scale_days, epsilon=settings.episode_epsilon, draws=draws)
    return head + "\n".join(map(_line, found)) + "\n"


def communes_table(found: Iterable[Audit], draws: int) -> str:
    """Return the audits of published communes as the page's third part."""
    return _COMMUNES.format(draws=draws) + "\n".join(map(_line, found)) + "\n"


def _at(index: int, draws: int) -> Audit:
    return audit(CASES[index], draws)


def _document_at(index: int, draws: int) -> Audit:
    policy = documents.audited_policy()
    return documents.audit_documents(documents.pairs(policy)[index], policy, draws)


def _communes(draws: int) -> list[Audit]:
    return list(audit_communes(packaged_tables().communes, draws))


def main() -> int:
    """Print the table; 1 if a claim is refuted."""
    parser = argparse.ArgumentParser(prog="python -m nocturne_lab.evaluation.audit", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS, help="per input (default: %(default)s)")
    parser.add_argument("--documents", type=int, default=documents.DRAWS, help="per pair (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    given = parser.parse_args()
    indexes = range(len(CASES))
    with ProcessPoolExecutor(given.workers) as pool:
        found = list(pool.map(_at, indexes, [given.draws] * len(CASES)))
        pairs = range(len(documents.pairs(documents.audited_policy())))
        towns = pool.submit(_communes, given.documents)
        published = list(pool.map(_document_at, pairs, [given.documents] * len(pairs)))
        communes = towns.result()
    pages = (
        table(found, given.draws),
        documents_table(published, given.documents),
        communes_table(communes, given.documents),
    )
    sys.stdout.write("".join(pages))
    return int(any(one.refuted for one in (*found, *published, *communes)))


if __name__ == "__main__":
    sys.exit(main())
