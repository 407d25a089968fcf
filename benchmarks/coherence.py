"""Measure what published texts keep of what their sources say of dates and ages, as Markdown.

    python -m benchmarks.coherence corpus/train corpus/dev > benchmarks/coherence.md

Two policies replace the dates and ages of the synthetic hospital (all documents of 320 patients) and of annotated
folders, from the mentions that are marked: the strategies of before (`metric` for both) and the policy that ships.
`deid.substitution.temporal.constraints` reads both texts and counts.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention
from deid.domain.labels import TEMPORAL
from deid.domain.outcomes import Constraint, Kept
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal import constraints, stages
from deid.substitution.temporal.constraints import Readings
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.normalisation import weekday_of
from deid.substitution.temporal.timeline import day_of
from deid.substitution.temporal.values import Instant
from demo.population import population
from nocturne_lab.evaluation.corpus import load_corpus

KEY = b"the key of the measure of coherence"
SATURDAY = 5
GAPS = (60, 183, 730)  # days: the goals are for the first; then what is told together
HEAD = """# Coherence of published dates and ages

Written by `{command}`.
Values that the policy masks count as not told. Goals are those of the default policy on the hospital; `corpus/dev` is
reported, and nothing is tuned on it."""
BEFORE = {
    "dates": {"strategy": "metric", "anchor_scale_days": 14.0, "document_date": "shift"},
    "ages": {"strategy": "metric", "paediatric_unit": "year"},
}

Texts = Sequence[tuple[Document, tuple[Mention, ...]]]


@dataclass(slots=True)
class Measured:
    """Counts over the documents of one source under one policy; a pair is (what holds, of how many)."""

    documents: int = 0
    constraints: Counter[tuple[Constraint, str]] = field(default_factory=Counter)
    gaps: Counter[tuple[int, str]] = field(default_factory=Counter)
    days: Counter[bool] = field(default_factory=Counter)
    stages: Counter[bool] = field(default_factory=Counter)
    weekdays: Counter[bool] = field(default_factory=Counter)
    values: defaultdict[tuple[str, Instant], set[Instant]] = field(default_factory=lambda: defaultdict(set))

    def add(self, document: Document, readings: Readings, kept: dict[Constraint, Kept]) -> None:
        """Count one document."""
        self.documents += 1
        for kind, counts in kept.items():
            self.constraints.update({(kind, name): number for name, number in counts._asdict().items()})
        moved = constraints.moved_days(readings)
        for gap, published in constraints.short_gaps(readings, moved, GAPS[-1]):
            size = next(most for most in GAPS if gap <= most)
            wrong = abs(published - gap) > gap / 2
            self.gaps.update({(size, "all"): 1, (size, "exact"): gap == published, (size, "wrong"): wrong})
        births = readings.true.birth_instants
        self.days.update(_weekend(one) == _weekend(to) for one, to in moved.items() if one not in births)
        self.stages.update(_stages(readings))
        self.weekdays.update(_weekdays(readings))
        person = document.patient.key or document.id
        for one, to in _dated(readings):
            self.values[person, one].add(to)


def _weekend(day: Instant) -> bool:
    return day.first.weekday() >= SATURDAY


def _stages(readings: Readings) -> Iterator[bool]:
    """Return whether each age that can be read in both texts is of one stage of life."""
    for span, age in readings.true.ages.items():
        told = readings.published.ages.get(readings.spans.get(span, span))
        if told is not None:
            yield stages.stage_of(age) == stages.stage_of(told)


def _weekdays(readings: Readings) -> Iterator[bool]:
    """Yield for each weekday that is written whether it is the same in both texts."""
    for span, said in readings.true.said.items():
        published = readings.published.said.get(readings.spans.get(span, span))
        if (weekday := weekday_of(said)) is not None and published is not None:
            yield weekday_of(published) == weekday


def _dated(readings: Readings) -> Iterator[tuple[Instant, Instant]]:
    """Dates that are told, the document's own among them, with what is published of them; distances are left out."""
    if readings.context.document.reference_date is not None:
        yield day_of(readings.true.anchor), day_of(readings.published.anchor)
    for span, one in readings.true.instants.items():
        told = readings.instant(span)
        if told is not None and told.unit is one.unit and isinstance(readings.true.said[span], Expression):
            yield one, told


def measured(texts: Texts, policy: Policy) -> Measured:
    """Publish documents under a policy, and count what they keep."""
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    found = Measured()
    for document, mentions in texts:
        drawn = substitutor.substitute(document, [one for one in mentions if one.label in TEMPORAL])
        found.add(document, constraints.read_both(document, drawn), constraints.count_constraints(document, drawn))
    return found


def former(policy: Policy) -> Policy:
    """Return a policy with the strategies of before for dates and ages."""
    values = policy.model_dump()
    for part, old in BEFORE.items():
        values["substitution"][part] |= old
    return Policy.model_validate(values)


def summary(columns: Sequence[Measured]) -> Iterator[list[str]]:
    """Yield a row for each goal."""
    totals = [_totals(one) for one in columns]
    yield ["relations violated", "≤ 1 %", *(_share(total["violated"], total["stated"]) for total in totals)]
    others = [_totals(one, leave_out=Constraint.ORDER) for one in columns]
    yield ["… order left out", "", *(_share(total["violated"], total["stated"]) for total in others)]
    for size, said in zip(GAPS, ("up to 60", "61 to 183", "184 to 730"), strict=True):
        goals = ("≥ 80 %", "≤ 3 %") if size == GAPS[0] else ("", "")
        for name, goal, what in zip(
            (f"gaps of {said} days exact", "… wrong by more than half"), goals, ("exact", "wrong"), strict=True
        ):
            yield [name, goal, *(_share(one.gaps[size, what], one.gaps[size, "all"]) for one in columns)]
    yield ["life stage kept", "≥ 99 %", *(_share(one.stages[True], one.stages.total()) for one in columns)]
    yield ["working day or weekend kept", "≥ 95 %", *(_share(one.days[True], one.days.total()) for one in columns)]
    yield ["… weekdays written that stay", "", *(_share(one.weekdays[True], one.weekdays.total()) for one in columns)]
    ranges = [_totals(one, only=Constraint.RANGE) for one in columns]
    told = [total["kept"] + total["violated"] for total in ranges]
    kept = [_share(total["kept"], number) for total, number in zip(ranges, told, strict=True)]
    yield ["ranges well-formed", "100 %", *kept]
    several = [sum(len(found) > 1 for found in one.values.values()) for one in columns]
    shares = [_share(number, len(one.values)) for number, one in zip(several, columns, strict=True)]
    yield ["dates of a patient with two surrogates", "≤ 2 %", *shares]


def kinds(columns: Sequence[Measured]) -> Iterator[list[str]]:
    """Yield a row for each kind of relation: stated, and the share that is violated."""
    for kind in Constraint:
        totals = [_totals(one, only=kind) for one in columns]
        cells = [f"{one['stated']:,}: {_share(one['violated'], one['stated'])}" if one else "" for one in totals]
        yield [f"`{kind}`", *cells]


def _totals(one: Measured, only: Constraint | None = None, leave_out: Constraint | None = None) -> Counter[str]:
    found: Counter[str] = Counter()
    for (kind, name), number in one.constraints.items():
        if kind is not leave_out and only in (None, kind):
            found[name] += number
    return found


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="folders of annotated documents")
    parser.add_argument("--patients", type=int, default=320, help="patients of the synthetic hospital")
    given = parser.parse_args()
    policy = load()
    hospital: Texts = [(one.document, one.mentions) for one in population(given.patients).records]
    sources = {"hospital": hospital}
    sources |= {path.name: [(one.document, one.mentions) for one in load_corpus(path)] for path in given.folders}
    names, columns = [], []
    for name, texts in sources.items():
        for label, chosen in (("before", former(policy)), ("default", policy)):
            columns.append(measured(texts, chosen))
            names.append(f"{name}, {label}")
    command = " ".join(("python -m benchmarks.coherence", *map(str, given.folders)))
    print(HEAD.format(command=command))
    counted = [f"{name}: {len(texts):,} documents" for name, texts in sources.items()]
    print(f"\n{'; '.join(counted)}. Policy `{policy.digest}`.\n")
    print(_table(["", "goal", *names], summary(columns)))
    print("\n## Relations stated, and the share violated, by kind\n")
    print(_table(["", *names], kinds(columns)))


if __name__ == "__main__":
    main()
