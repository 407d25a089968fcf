"""Measure what places and organisations keep, on documents with their true mentions; write `places.md` and a plot.

    python -m benchmarks.places [--documents 200] [--patients 60] [--draws 20000] [--out benchmarks]

Documents: as many of corpus/train, and those of a synthetic hospital. Strata are measured through
the substitutor's own gazette; hospitals are read from the published names.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import log2
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt

from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention, Substitution
from deid.domain.labels import Label
from deid.french.articles import of_place
from deid.french.folding import comparable, fold_line, words
from deid.privacy import budget
from deid.quality.grammar import PLACED, count_errors, count_names
from deid.reference import Commune, CommuneTable
from deid.reference.partition import hospital_towns, is_overseas_code, population_class
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.places.gazette import Gazette
from demo.population import population
from nocturne_lab.evaluation.attacks.city_posterior import Posterior, commune_posteriors
from nocturne_lab.evaluation.attacks.commune_laws import key_areas
from nocturne_lab.evaluation.attacks.inputs import Resident
from nocturne_lab.evaluation.attacks.usefulness import ProfileUtility, measure_profiles
from nocturne_lab.evaluation.audit import Audit
from nocturne_lab.evaluation.audit.communes import audit_communes
from nocturne_lab.evaluation.corpus import load_corpus

SECRET = b"the secret of a benchmark"
EPSILONS = tuple(map(Fraction, ("0.25", "1", "4", "8", "16", "32", "64")))
DEPARTMENTS = ("21", "25", "39", "58", "70", "71", "89", "90")
_UNIVERSITY = ("chu ", "chru ", "chr ", "centre hospitalier universitaire", "centre hospitalier regional")
_GENERAL = ("ch ", "chi ", "chg ", "centre hospitalier ", "hopital general", "hopital local")


@dataclass
class Counts:
    """Counts over a set of documents: surrogates, draws of communes, hospitals that name a town, and those kept."""

    documents: int = 0
    names: int = 0
    errors: int = 0
    draws: int = 0
    merged: int = 0
    in_class: int = 0
    overseas: int = 0
    overseas_kept: int = 0
    hospitals: int = 0
    hospitals_kept: int = 0
    organisations: Counter[str] = field(default_factory=Counter)


def measure(documents: Iterable[tuple[Document, Sequence[Mention]]], policy: Policy, table: CommuneTable) -> Counts:
    """Substitute documents and count what was kept."""
    counts, substitutor = Counts(), Substitutor(policy, SECRET, table)
    for document, mentions in documents:
        done = substitutor.substitute(document, mentions)
        counts.documents += 1
        counts.names += count_names(done, PLACED)
        counts.errors += count_errors(done, PLACED)
        _count_draws(counts, document, mentions, policy, table)
        _count_hospitals(counts, document, done, table)
    return counts


def _count_draws(
    counts: Counts, document: Document, mentions: Sequence[Mention], policy: Policy, table: CommuneTable
) -> None:
    context = DocumentContext(document, sorted(mentions), policy.substitution, SECRET)
    gazette = Gazette(context, table)
    gazette.draw(budget.shares(policy.substitution, budget.Counts(0, gazette.elements())).place)
    for place in {one.key: one for one in gazette.places.values() if one.commune is not None}.values():
        true, drawn = place.commune, gazette.surrogate(place)
        if true is None:
            continue
        counts.draws += 1
        if is_overseas_code(true.department):
            counts.merged += 1
            counts.overseas += 1
            counts.overseas_kept += drawn.department == true.department
        else:
            counts.in_class += population_class(drawn.population) == population_class(true.population)


def _count_hospitals(counts: Counts, document: Document, done: Substitution, table: CommuneTable) -> None:
    for surrogate in done.surrogates:
        if surrogate.mention.label is not Label.ORG:
            continue
        counts.organisations[surrogate.text.casefold()] += 1
        plain = fold_line(document.text[surrogate.mention.start : surrogate.mention.end])
        university = plain.startswith(_UNIVERSITY)
        towns = _towns(surrogate.text, table) if university or plain.startswith(_GENERAL) else ()
        if towns:
            kinds = {hospital_towns().get(one.insee) for one in towns}
            counts.hospitals += 1
            counts.hospitals_kept += "university" in kinds if university else bool(kinds - {None})


def _towns(name: str, table: CommuneTable) -> Sequence[Commune]:
    """The communes of the longest end of a name that is one's behind "de": "CHU d'Angers", not "CH Saint-Vincent"."""
    parts = words(name)
    found = (table.find(" ".join(parts[at:])) for at in range(1, len(parts)))
    told = next((one for one in found if one), ())
    return [one for one in told if comparable(name).endswith(comparable(of_place(one.name)))]


def _together(sets: Iterable[Counts]) -> Counts:
    total = Counts()
    for one in sets:
        for each in fields(Counts):
            setattr(total, each.name, getattr(total, each.name) + getattr(one, each.name))
    return total


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%} ({part} of {whole})" if whole else "none"


def _favourites(counts: Counts) -> str:
    names = counts.organisations
    return _share(sum(number for _, number in names.most_common(44)), names.total())


def told_by_area(table: CommuneTable) -> str:
    """Return what the area of a document tells of where its patient lives, in bits: log2 P(area | home) / P(area)."""
    people: Counter[tuple[str | None, str | None]] = Counter()
    for one in table.communes:
        if not is_overseas_code(one.department):
            people[table.department_of_territory(one), table.region_of_territory(one)] += one.population
    laws = {told: {told[0]: 1.0} if told[0] else key_areas(table, told[1]) for told in people}
    areas: Counter[str] = Counter()
    for told, law in laws.items():
        areas.update({area: people[told] * share / people.total() for area, share in law.items()})
    bits = {told: sum(share * log2(share / areas[area]) for area, share in law.items()) for told, law in laws.items()}
    kinds = {"one department": [one for one in people if one[0]],
             "several departments of a region": [one for one in people if one[1] and not one[0]],
             "several regions": [one for one in people if not one[1]]}  # fmt: skip
    lines = []
    for kind, those in kinds.items():
        mass = sum(people[one] for one in those)
        mean = sum(people[one] * bits[one] for one in those) / mass
        least, most = min(bits[one] for one in those), max(bits[one] for one in those)
        lines.append(
            f"in a stratum of {kind} ({mass / people.total():.1%}) {mean:.1f} bits ({least:.1f} to {most:.1f})"
        )
    return (
        f"Areas of documents: {len(areas)} departments. What the area tells of an inhabitant of the metropolis: "
        f"{'; '.join(lines)}."
    )


def page(sets: dict[str, Counts], table: CommuneTable, profiles: Sequence[ProfileUtility], uniform: ProfileUtility,
         posteriors: Sequence[Posterior], audits: Sequence[Audit]) -> str:  # fmt: skip
    """Return the findings as a page of Markdown."""
    sizes = [[table.get(code) for code in codes] for codes in table.partition.values()]
    people = [sum(one.population for one in members if one) for members in sizes]
    overseas = [one for one in table.communes if is_overseas_code(one.department)]
    everyone = sum(people)
    rows: list[tuple[str, Callable[[Counts], str]]] = [
        ("documents", lambda one: str(one.documents)),
        ("surrogates of places and organisations", lambda one: str(one.names)),
        ("elisions and articles that do not agree", lambda one: _share(one.errors, one.names)),
        ("overseas department kept", lambda one: _share(one.overseas_kept, one.overseas)),
        ("class of population kept, strata not merged", lambda one: _share(one.in_class, one.draws - one.merged)),
        ("draws in merged strata", lambda one: _share(one.merged, one.draws)),
        (
            "hospitals that name a town, in one with a hospital of their kind",
            lambda one: _share(one.hospitals_kept, one.hospitals),
        ),
        (
            "distinct names, of organisations",
            lambda one: f"{len(one.organisations)} of {one.organisations.total()}",
        ),
        ("share of the 44 most frequent names", _favourites),
    ]
    lines = [
        "# Places and organisations", "",
        "Written by `python -m benchmarks.places`. True mentions, the shipped policy, one secret.", "",
        f"{len(sizes)} strata of {min(map(len, sizes))} to {max(map(len, sizes))} communes, with {min(people):,} "
        f"inhabitants or more each. Merged in class: the overseas departments, {len(overseas)} communes with "
        f"{sum(one.population for one in overseas) / everyone:.1%} of the inhabitants.", "",
        told_by_area(table), "",
        "| | " + " | ".join(sets) + " |", "|---|" + "---|" * len(sets),
        *(f"| {name} | " + " | ".join(show(one) for one in sets.values()) + " |" for name, show in rows), "",
        "## Health profile", "",
        "Share of the synthetic hospital's addresses whose surrogate has a profile within 0.05 of the true one, "
        f"by ε; a uniform draw in the stratum keeps {uniform.kept:.1%}. Posterior: an attacker with every population, "
        f"patients of departments {', '.join(DEPARTMENTS)}.", "",
        "![Share kept and posterior by ε](places.svg)", "",
        "| ε | profile kept | best guess right: before, after | mean posterior of truth | communes that hold 95 % |",
        "|---:|---:|---:|---:|---:|",
        *(f"| {one.epsilon:g} | {one.kept:.1%} | {after.guess_before:.1%}, {after.guess:.1%} | {after.mean:.1%} "
          f"| {after.crowd:.0f} |" for one, after in zip(profiles, posteriors, strict=True)), "",
        "## ε measured on published communes", "",
        "Two documents with one town each and what hangs on it (postal code, organisation), of one stratum, far apart "
        "in profile, through `Substitutor.substitute`.", "",
        "| strategy | towns | ε claimed | ε at least | draws | verdict |", "|---|---|---:|---:|---:|---|",
        *(f"| {one.mechanism} | {one.inputs} | {one.claimed:.3f} | {one.lower:.3f} | {one.draws:,} "
          f"| {'REFUTED' if one.refuted else 'not refuted'} |" for one in audits), "",
    ]  # fmt: skip
    return "\n".join(lines)


def draw_plot(path: Path, profiles: Sequence[ProfileUtility], uniform: float, after: Sequence[Posterior]) -> None:
    """Write the share of profiles kept and the attacker's posterior over ε."""
    with mpl.rc_context({"svg.hashsalt": "nocturne", "font.size": 9, "axes.grid": True, "legend.frameon": False}):
        figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
        epsilons = [one.epsilon for one in profiles]
        axes.plot(epsilons, [one.kept for one in profiles], marker="o", label="profile kept")
        axes.axhline(uniform, color="#777777", linestyle=":", label="kept by a uniform draw")
        axes.plot(epsilons, [one.guess for one in after], marker="s", label="attacker's best guess right")
        axes.plot(epsilons, [one.mean for one in after], marker="^", label="mean posterior of the truth")
        axes.set(xscale="log", xlabel="ε per unit of profile", ylabel="share", ylim=(0, 1))
        axes.legend()
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def main() -> int:
    """Write the page and the plot; 1 if a claim of ε is refuted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.places", description=__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--patients", type=int, default=60)
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--out", type=Path, default=Path("benchmarks"))
    given = parser.parse_args()
    policy, table = load(), packaged_tables().communes
    hospital = population(given.patients)
    gold = list(load_corpus(Path("corpus/train")))
    step = max(1, len(gold) // given.documents)
    sets = {
        "corpus/train": measure(
            ((one.document, one.mentions) for one in gold[::step][: given.documents]), policy, table
        ),
        "synthetic hospital": measure(((one.document, one.mentions) for one in hospital.records), policy, table),
    }
    sets["all"] = _together(sets.values())
    places = policy.substitution.places
    residents: Sequence[Resident] = hospital.residents
    profiles = measure_profiles(table, residents, places, EPSILONS)
    (uniform,) = measure_profiles(table, residents, places, [Fraction(0)])
    posteriors = commune_posteriors(table, places, EPSILONS, DEPARTMENTS)
    audits = list(audit_communes(table, given.draws))
    given.out.mkdir(parents=True, exist_ok=True)
    draw_plot(given.out / "places.svg", profiles, uniform.kept, posteriors)
    text = page(sets, table, profiles, uniform, posteriors, audits)
    (given.out / "places.md").write_text(text, encoding="utf-8")
    print(text)
    return int(any(one.refuted for one in audits))


if __name__ == "__main__":
    raise SystemExit(main())
