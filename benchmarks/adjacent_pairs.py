"""Try the claim of dates and ages on adjacent inputs that are generated; measure what its public facts single out.

    python -m benchmarks.adjacent_pairs > benchmarks/adjacent_pairs.md

Pairs and draws are the same at every run. The second table counts, for each fact that the texts of the synthetic
hospital show, the patients who are the only ones with their value of it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations, islice
from math import inf
from statistics import median

from deid.config.policy import load
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import episodes, stages
from deid.substitution.temporal.kin import is_of_another
from deid.substitution.temporal.normalisation import NormalisedTimes, length_ahead, normalise
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.values import Instant, Unit, age_at, months_between
from demo.population import population
from nocturne_lab.evaluation.attacks.inputs import Record
from nocturne_lab.evaluation.audit.adjacent_pairs import AdjacentPair, PairsTried, adjacent_pairs, try_pair
from nocturne_lab.evaluation.audit.bound import detectable_loss
from nocturne_lab.evaluation.audit.documents import audited_policy

SECRET = b"the audit's draws are the same for everyone"
PAIRS, DRAWS, SEED, PATIENTS = 120, 120, 1, 320
# How days move, what times of day become, and one pair of how many: the shipped policy, what `strict` says, and `hour`.
RUNS = (("stay", "keep", 1), ("day", "part_of_day", 3), ("stay", "hour", 3))
_PROBABILITIES, _CLAIMS = (1.0, 0.5), (0.0, 0.25, 1.0)
_KINDS = {
    "stay": "days of a stay, or of a document without one", "day": "days of an episode outside of stays",
    "month": "month",
    "year": "year", "kin": "age of a relative", "then": "age of the patient at another time",
    "now": "age of a patient without a birth date", "birth": "birth date", "phone": "phone", "ipp": "record number",
    "until": "day without its year", "named": "month without its year", "mid": "middle of a month", "season": "season",
    "feast": "feast", "nir": "order of a NIR or INS", "time": "time of day",
}  # fmt: skip
HEAD = """\
# Adjacent inputs that nobody chose

Written by `python -m benchmarks.adjacent_pairs`. Documents of sentences drawn at random (seed {seed}), of one to three
visits; one value is changed; a reading of the list of [public facts](../docs/privacy.md#what-is-public-by-declaration)
with code of its own decides whether the two inputs are adjacent and what is claimed. `Substitutor.substitute` publishes
both for {draws} patients on either side; beside the shipped policy, one pair for three also with days that move one by
one and parts of the day, as under `strict`, and one with hours. Event and view (a number, a difference, an order, the
pattern of equal surrogates, the text without digits) are chosen on the first half; the second tests the claim. Holm's
method over all pairs: one false refutation or more with probability {error:.1%} at most. A pair that is not refuted
proves nothing.

**{tried} pairs tried, {refuted} refuted.**

| changed | pairs | ε claimed: median, most | least p-value | refuted |
|---|---:|---:|---:|---:|
"""
LEAST = """
Smallest excess that would be seen: the least true loss, in nats, that refutes a claim before correction by rank, of an
event with that probability under the likelier input; the excess over the claim in brackets; none: so few draws refute
nothing.

| ε claimed | {heads} |
|---|{rules}|
"""
SINGLED = """
## What the public facts single out

Of {patients} patients of the synthetic hospital, how many are the only ones with their value of the fact, over all
their documents, and in how many documents (of {documents}) the fact shows at all. An attacker who knows the fact of a
patient finds those without any other knowledge.

| public fact | documents | patients singled out |
|---|---:|---:|
"""


def main(arguments: list[str] | None = None) -> int:
    """Write the page to standard output; 1 if a claim is refuted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adjacent_pairs", description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs tried (default: %(default)s)")
    parser.add_argument("--draws", type=int, default=DRAWS, help="patients on either side (default: %(default)s)")
    parser.add_argument("--patients", type=int, default=PATIENTS, help="of the hospital (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument(
        "--ended", action="store_true", help="dates of the past have a last day, as the night keeps one"
    )
    given = parser.parse_args(arguments)
    places = [(run, at) for run, (_, _, share) in enumerate(RUNS) for at in range(given.pairs // share)]
    pairs = [
        pair
        for run, (_, _, share) in enumerate(RUNS)
        for pair in islice(_generated(run, ended=given.ended), given.pairs // share)
    ]
    with ProcessPoolExecutor(given.workers) as pool:
        tried = partial(_tried, draws=given.draws, ended=given.ended)
        errors = list(pool.map(tried, places, chunksize=8))
    found = PairsTried(given.draws, tried=list(zip(pairs, errors, strict=True)))
    sys.stdout.write(tried_page(found))
    records = population(given.patients).records
    head = SINGLED.format(patients=given.patients, documents=len(records))
    sys.stdout.write(head + "".join(f"{line}\n" for line in singled_out(records)))
    return int(bool(found.holm_refuted()))


def _generated(run: int, *, ended: bool) -> Iterator[AdjacentPair]:
    moves, times, _ = RUNS[run]
    return adjacent_pairs(SEED + run, ended=ended and moves == "stay", moves=moves, times=times)


def _tried(place: tuple[int, int], draws: int, *, ended: bool) -> float:
    run, index = place
    moves, times, _ = RUNS[run]
    substitutor = Substitutor(audited_policy({"moves": moves}, times), SECRET, packaged_tables().communes)
    return try_pair(next(islice(_generated(run, ended=ended), index, None)), substitutor, draws)


def tried_page(found: PairsTried) -> str:
    """Return the tables of the pairs tried, and of the losses that they would have shown."""
    refuted = found.holm_refuted()
    head = HEAD.format(seed=SEED, draws=found.draws, error=found.error, tried=len(found.tried), refuted=len(refuted))
    lines = []
    for kind, name in _KINDS.items():
        ours = [(pair.claimed, error) for pair, error in found.tried if pair.changed == kind]
        claims, errors = [one for one, _ in ours], [one for _, one in ours]
        if ours:
            told = f"{median(claims):.4f}, {max(claims):.4f} | {min(errors):.1g}"
            lines.append(f"| {name} | {len(ours)} | {told} | {sum(one.changed == kind for one, _ in refuted)} |\n")
    heads = " | ".join(f"probability {one:g}" for one in _PROBABILITIES)
    least = LEAST.format(heads=heads, rules="|".join("---:" for _ in _PROBABILITIES))
    for claimed in _CLAIMS:
        each = found.error / max(1, len(found.tried))
        losses = [detectable_loss(one, found.draws, each, claimed) for one in _PROBABILITIES]
        least += (
            f"| {claimed:g} | "
            + " | ".join("none" if one == inf else f"{one:.2f} ({one - claimed:.2f})" for one in losses)
            + " |\n"
        )
    return head + "".join(lines) + least


def singled_out(records: Sequence[Record]) -> Iterator[str]:
    """Yield a row for each fact: documents that show it, patients who are the only ones with their values of it."""
    values: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    told: defaultdict[str, set[Hashable]] = defaultdict(set)
    policy = load().substitution
    for record in records:
        context = DocumentContext(record.document, record.mentions, policy, SECRET)
        for fact, value in _shown(context, normalise(context), told[record.patient]):
            values[fact][record.patient].append(repr(value))
    for fact in _FACTS:
        signatures = {patient: tuple(sorted(found)) for patient, found in values[fact].items()}
        alike = Counter(signatures.values())
        documents = sum(map(len, values[fact].values()))
        yield f"| {_FACTS[fact]} | {documents} | {sum(alike[one] == 1 for one in signatures.values())} |"


_FACTS = {
    "days": "days between the dates of a stay, and of the 183 days around it",
    "lasts": "whether a stay lasts one day",
    "weekday": "weekday of the first day of a stay of two days or more",
    "stages": "stages of life in which a stay begins and ends",
    "born": "days from the birth to a stay of the first year of life, or of the 280 days before",
    "crossing": "… of stays that end in a later one",
    "order": "order and ties of the dates of a document, its own among them",
    "holds": "… ties of dates in different units: a year that holds a month",
    "again": "day, month, season or year outside of a stay, told in a document before",
    "episode": "days between the dates of an episode outside of stays",
    "alone": "documents without a stay",
    "distance": "distances of up to a year in words, their number and unit",
    "length": "which date ends a length told just ahead of it",
    "birthday": "whether words call a date a birthday of the patient",
    "form": "unit and written form of dates",
    "accents": "whether a text writes accents in words around its dates",
    "nir": "of a NIR, the sex, and whether its year is that of the birth date",
    "decade": "decade of birth",
    "side": "side of an age of the patient at another time, and whether it is the one at the document's date",
    "then": "… the age told in a document before",
    "apart": "years between the patient's age at the document's date and one told in words of the present",
    "age": "stage of life and unit of another person's age",
    "whose": "whose age it is, by the words ahead",
    "kin": "equal ages behind the same words for a relative, in documents of one stay",
}  # each with the table's words


def _shown(context: DocumentContext, times: NormalisedTimes, told: set[Hashable]) -> Iterator[tuple[str, Hashable]]:
    """Yield each fact that a document shows, with its value; `told` is what the patient's documents before told."""
    yield from _of_stay(context, times)
    yield from _of_dates(context, times, told)
    yield from _of_words(context, times)
    if times.birth is None:
        return
    yield "decade", times.birth.year // 10
    stay = context.document.stay
    for mention, age in times.ages.items():
        now = age_at(times.birth, times.anchor, age.unit) * age.step
        if is_of_another(context, mention):
            yield "age", (stages.stage_of(age), age.unit)
            yield "whose", stages.whose_age(context, mention)
            key = "kin", stay and stay.first, stages.whose_age(context, mention), age.unit, age.value
            if key in told:
                yield "kin", key[2:4]
        elif stages.is_then(context, mention):
            key = "then", None, "", age.unit, age.value
            yield "side", (age.value > now) - (age.value < now)
            if key in told:
                yield "then", age.unit
        else:
            if age.value != now:
                yield "apart", age.value - now
            continue
        told.add(key)


def _of_stay(context: DocumentContext, times: NormalisedTimes) -> Iterator[tuple[str, Hashable]]:
    stay, policy = context.document.stay, context.policy.dates
    if stay is None:
        yield "alone", True
        return
    last = stay.last or stay.first
    days = sorted(one.first for one in times.dated if one.unit is Unit.DAY)
    around = [(day - stay.first).days for day in (*days, times.anchor)]
    length = (last - stay.first).days
    yield "days", tuple(day for day in around if -policy.days_before <= day <= length + policy.days_after)
    yield "lasts", not length
    if length:
        yield "weekday", stay.first.weekday()
    if times.birth is not None:
        ends = [stages.class_of(months_between(times.birth, day)) for day in (stay.first, last)]
        yield "stages", tuple(ends)
        if stages.moves_with_birth(times.birth, stay.first):
            yield "born", (stay.first - times.birth).days
        if ends[0] != ends[1]:
            yield "crossing", tuple(ends)


def _of_words(context: DocumentContext, times: NormalisedTimes) -> Iterator[tuple[str, Hashable]]:
    yield "accents", context.dates_accented
    for mention, said in times.said.items():
        text = context.document.text[mention.start : mention.end]
        if isinstance(said, Relative):
            if episodes.is_kept(context, said):
                yield "distance", (said.unit, said.offset)
        else:
            yield "form", (said.unit, re.sub(r"\d", "0", re.sub(r"[^\W\d_]+", "a", text)))
            if (length := length_ahead(context, mention, 0)) is not None:
                yield "length", (length.unit, length.offset)
        if mention in times.birthdays:
            yield "birthday", True
    for mention in context.of([Label.NIR]):
        digits = re.sub(r"\D", "", context.text(mention))
        yield "nir", (digits[:1], times.birth is not None and digits[1:3] == f"{times.birth:%y}")


def _of_dates(context: DocumentContext, times: NormalisedTimes, told: set[Hashable]) -> Iterator[tuple[str, Hashable]]:
    spans = sorted(
        (one.first, one.last, one.unit) for one in (*times.dated, Instant(Unit.DAY, times.anchor.toordinal()))
    )
    relations = [((one[0] > to[1]) - (one[1] < to[0]), one[:2] == to[:2]) for one, to in combinations(spans, 2)]
    if relations:
        yield "order", tuple(relations)
    held = [
        (one[2], to[2]) for one, to in combinations(spans, 2) if one[2] != to[2] and one[0] <= to[1] and to[0] <= one[1]
    ]
    if held:
        yield "holds", tuple(held)
    parted = episodes.told_together(context, times)
    far = {one for one in times.dated if one not in parted.own}
    yield from (("again", one.unit) for one in far & told)
    for group in parted.groups:
        if len(group.days) > 1:
            yield "episode", tuple((day - group.first).days for day in sorted(group.days.values()))
    told |= far


if __name__ == "__main__":
    sys.exit(main())
