"""Count the dates of the past that published texts put after the day on which they may first be read.

    python -m benchmarks.future_dates > benchmarks/future_dates.md

The nights of the synthetic hospital in order, with the last days that the ledger keeps, and without any.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction

from deid.config.policy import DEFAULT, PERIODS, Policy, Visible, load, period_around
from deid.domain.document import DateBounds, Document, Mention
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import ends, episodes
from deid.substitution.temporal.normalisation import normalise
from demo.hospital import generate
from demo.population import DOCUMENTS_PER_PATIENT, SEED, population_of

PATIENTS = 320
SECRET = b"the figures are the same for everyone"
HEAD = """\
# Dates of the past that lie in the future

Written by `python -m benchmarks.future_dates`: {patients} patients of the synthetic hospital, {documents} documents,
each substituted on the night of its arrival. *In the future*: after the last day before the period
(`release.visible`) in which it was substituted. A date of the past is one that the document's own date does not
precede, which is counted too; "in two places": the dates of a stay's documents move by different numbers of days, as
they do around a stay of one day.

| policy | visible | last days | dates of the past in the future | documents with one | births | stays in two places |
|---|---|---|---:|---:|---:|---:|
"""


def main(arguments: list[str] | None = None) -> int:
    """Write the page to standard output."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.future_dates", description=__doc__)
    parser.add_argument("--patients", type=int, default=PATIENTS, help="of the hospital (default: %(default)s)")
    given = parser.parse_args(arguments)
    hospital = generate(SEED, patients=given.patients, documents=DOCUMENTS_PER_PATIENT * given.patients + 40)
    nights = {one.document_id: one.versions[0].night for one in hospital.documents}
    records = sorted(population_of(hospital).records, key=lambda one: (nights[one.document.id], one.document.id))
    told = [(one.document, one.mentions, nights[one.document.id]) for one in records]
    sys.stdout.write(HEAD.format(patients=given.patients, documents=len(told)))
    for name in ("default", "strict"):
        for period in PERIODS:
            for kept in (False, True):
                found = counted(told, load(DEFAULT.with_name(f"{name}.yaml")), period, kept=kept)
                sys.stdout.write(f"| `{name}` | {period} | {'kept' if kept else 'none'} | {' | '.join(found)} |\n")
    return 0


def counted(
    told: Sequence[tuple[Document, Sequence[Mention], date]], policy: Policy, period: Visible, *, kept: bool
) -> Iterator[str]:
    """Yield the cells of a row: dates, documents and births in the future, and stays in two places."""
    found: Counter[str] = Counter()
    moves: dict[tuple[str | None, date], set[int]] = {}
    ledger: dict[tuple[str, ...], date] = {}
    for document, mentions, night in told:
        until = period_around(period, night)[0] - timedelta(days=1)
        bounds = _bounds(document, until, ledger) if kept else None
        context = DocumentContext(replace(document, bounds=bounds), mentions, policy.substitution, SECRET)
        times = normalise(context)
        line = episodes.move(context, times, Fraction(1))
        past = [to for one, to in line.instants.items() if one in times.dated and one.first <= times.anchor]
        days = [line.moved_anchor, *(one.first for one in past)]
        late = sum(day > until for day in days)
        found.update(dates=len(days), late=late, documents=1, told_late=late > 0)
        if line.moved_birth is not None:
            found.update(births=1, born_late=line.moved_birth > until)
        if document.stay is not None:
            stay = document.patient.key, document.stay.first
            moves.setdefault(stay, set()).add((line.moved_anchor - line.anchor).days)
    for part, whole in (("late", "dates"), ("told_late", "documents"), ("born_late", "births")):
        yield f"{found[part]} of {found[whole]} ({found[part] / max(1, found[whole]):.1%})"
    yield f"{sum(len(one) > 1 for one in moves.values())} of {len(moves)}"


def _bounds(document: Document, until: date, ledger: dict[tuple[str, ...], date]) -> DateBounds:
    episode, birth = ends.bound_names(document)
    return DateBounds(ledger.setdefault(episode, until), ledger.setdefault(birth, ends.birth_bound(document, until)))


if __name__ == "__main__":
    sys.exit(main())
