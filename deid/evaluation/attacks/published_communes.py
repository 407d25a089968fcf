"""Lower bounds of ε of published communes, within strata: from the document to its surrogate, against the claims."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction

from deid.config.policy import Places
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.evaluation.attacks.inputs import with_places
from deid.evaluation.audit import Audit, lower_bound
from deid.french.folding import comparable
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO
from deid.substitution import Substitutor

CONFIDENCE = 0.9999
EPSILON = Fraction(6)
# One commune of each sort of stratum: villages, small towns, seats of university hospitals, an overseas department.
TOWNS = ("21002", "21292", "21231", "97413")
_HEAD = "Ville : "


def published_communes(table: CommuneTable, draws: int, epsilon: Fraction = EPSILON) -> Iterator[Audit]:
    """Audit the commune that `Substitutor.substitute` writes for two towns of one stratum, far from each other.

    `draws` documents of as many patients per town, each with the one mention. The claim is ε·d: a draw may return its
    original.

    Raises:
        ValueError: fewer than four draws.
    """
    places = with_places("health_exponential", epsilon).substitution.places
    for insee in TOWNS:
        one = table.get(insee)
        if one is None:
            continue
        other = _farthest(table, one, places)
        first, second = (_outputs(table, true, draws, epsilon) for true in (one, other))
        lower = lower_bound(first, second, CONFIDENCE)
        claimed = float(epsilon) * table.distance(one, other, places.features) / MICRO
        neighbours = f"{one.name}, {other.name} ({len(table.territory(one))} communes)"
        yield Audit(f"health_exponential, ε = {epsilon}", neighbours, claimed, lower, draws, CONFIDENCE)


def _farthest(table: CommuneTable, one: Commune, places: Places) -> Commune:
    """The commune of the stratum with the most distant profile."""
    return max(table.territory(one), key=lambda member: table.distance(one, member, places.features))


def _outputs(table: CommuneTable, true: Commune, draws: int, epsilon: Fraction) -> list[Hashable]:
    substitutor = Substitutor(with_places("health_exponential", epsilon), b"the draws of this audit are public", table)
    text = f"{_HEAD}{true.name}"
    mention = Mention(len(_HEAD), len(text), Label.CITY)
    documents = (
        Document("A", text, Patient(key=f"A{number}", zip=true.zips[0], city=true.name)) for number in range(draws)
    )
    return [comparable(substitutor.substitute(one, [mention]).surrogates[0].text) for one in documents]
