"""Neighbouring communes of one stratum through `Substitutor.substitute`, against ε·d."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction

from deid.config.policy import Places, Policy, load
from deid.domain.document import Document, Patient
from deid.french.folding import comparable
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO
from deid.substitution import Substitutor
from nocturne_lab.evaluation.audit.bound import Audit, lower_bound
from nocturne_lab.evaluation.markup import parse_marked

CONFIDENCE = 0.9999
EPSILON = Fraction(6)
# One commune of each sort of stratum: villages, small towns, seats of university hospitals, an overseas department.
TOWNS = ("21002", "21292", "21231", "97413")
# Whatever hangs on a commune, beside it; the department is public in all strata but that of the seats.
_LETTER = "[[ZIP|{zip}]] [[CITY|{name}]], vu au [[ORG|CCAS de {name}]] ; né à [[CITY|{capitals}]]"


def audit_communes(table: CommuneTable, draws: int, epsilon: Fraction = EPSILON) -> Iterator[Audit]:
    """Audit what `Substitutor.substitute` publishes for two towns of one stratum, far from each other.

    `draws` documents of as many patients per town, each with postal code, name, and an organisation of the town. The
    greatest lower bound of two views counts: the town alone, and all surrogates together. The claim is ε·d.

    Raises:
        ValueError: fewer than four draws.
    """
    policy = _policy(epsilon)
    places = policy.substitution.places
    for one in filter(None, map(table.get, TOWNS)):
        other = _farthest(table, one, places)
        sides = [_outputs(table, true, draws, policy) for true in (one, other)]
        each = 1 - (1 - CONFIDENCE) / len(sides[0])
        lower = max(lower_bound(first, second, each) for first, second in zip(*sides, strict=True))
        claimed = float(epsilon) * table.distance(one, other, places.features) / MICRO
        neighbours = f"{one.name}, {other.name} ({len(table.territory(one))} communes)"
        yield Audit(f"health_exponential, ε = {epsilon}", neighbours, claimed, lower, draws, CONFIDENCE)


def _policy(epsilon: Fraction) -> Policy:
    """The shipped policy with `epsilon` for each place."""
    shipped = load()
    values, whole = shipped.model_dump(), epsilon * shipped.substitution.elements_per_document
    values["substitution"] |= {"epsilon_per_document": float(whole), "max_epsilon_per_document": None}
    return Policy.model_validate(values)


def _farthest(table: CommuneTable, one: Commune, places: Places) -> Commune:
    """The commune of the stratum with the most distant profile."""
    return max(table.territory(one), key=lambda member: table.distance(one, member, places.features))


def _outputs(table: CommuneTable, true: Commune, draws: int, policy: Policy) -> tuple[list[Hashable], list[Hashable]]:
    """The town that each patient's document names, and all that it names."""
    substitutor = Substitutor(policy, b"the draws of this audit are public", table)
    markup = _LETTER.format(zip=true.zips[0], name=true.name, capitals=true.name.upper())
    text, mentions = parse_marked(markup, "audit")
    towns: list[Hashable] = []
    letters: list[Hashable] = []
    for number in range(draws):
        patient = Patient(key=f"A{number}", zip=true.zips[0], city=true.name)
        found = substitutor.substitute(Document("A", text, patient), list(mentions)).surrogates
        towns.append(comparable(found[1].text))
        letters.append(" ".join(comparable(one.text) for one in found))
    return towns, letters
