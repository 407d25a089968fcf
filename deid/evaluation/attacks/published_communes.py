"""Lower bounds of ε of published communes, within strata: from the document to its surrogate, against the claims."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from math import exp, log

from deid.config.policy import Places
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.evaluation.attacks.inputs import with_places
from deid.evaluation.audit import Audit, lower_bound
from deid.french.folding import comparable
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO
from deid.substitution import Substitutor
from deid.substitution.context import words_of_place

CONFIDENCE = 0.9999
EPSILON = Fraction(6)
# One commune of each sort of stratum: villages, small towns, seats of university hospitals, an overseas department.
TOWNS = ("21002", "21292", "21231", "97413")
_HEAD = "Ville : "


def published_communes(table: CommuneTable, draws: int, epsilon: Fraction = EPSILON) -> Iterator[Audit]:
    """Audit the commune that `Substitutor.substitute` writes for two towns of one stratum, far from each other.

    `draws` documents of as many patients per town, each with the one mention. The two originals are one output, and so
    is neither's surrogate: the exclusion of the original costs what `claim` adds to ε·d.

    Raises:
        ValueError: fewer than four draws.
    """
    places = with_places("health_exponential", epsilon).substitution.places
    for insee in TOWNS:
        one = table.get(insee)
        if one is None:
            continue
        other = _farthest(table, one, places)
        originals = {comparable(one.name), comparable(other.name)}
        first, second = (_outputs(table, true, originals, draws, epsilon) for true in (one, other))
        lower = lower_bound(first, second, CONFIDENCE)
        claimed = claim(table, one, other, places, epsilon)
        neighbours = f"{one.name}, {other.name} ({len(table.territory(one))} communes)"
        yield Audit(f"health_exponential, ε = {epsilon}", neighbours, claimed, lower, draws, CONFIDENCE)


def claim(table: CommuneTable, one: Commune, other: Commune, places: Places, epsilon: Fraction) -> float:
    """Return ε·d and the nats that the exclusion of the two originals adds."""
    least = [1 - _share_of_itself(table, true, places, epsilon) for true in (one, other)]
    distance = table.distance(one, other, places.features) / MICRO
    return float(epsilon) * distance + abs(log(least[0]) - log(least[1]))


def _share_of_itself(table: CommuneTable, true: Commune, places: Places, epsilon: Fraction) -> float:
    members = table.territory(true)
    far = (table.distance(true, member, places.features) / MICRO for member in members)
    return 1 / sum(exp(-float(epsilon) * one / 2) for one in far)


def _farthest(table: CommuneTable, one: Commune, places: Places) -> Commune:
    """The commune of the stratum with the most distant profile, among those whose name shares no word with others'."""
    members = table.territory(one)
    telling = {member: words_of_place(member.name) for member in members}

    def alone(member: Commune) -> bool:
        return all(telling[member].isdisjoint(telling[other]) for other in members if other != member)

    lonely = [member for member in members if member != one and alone(member)]
    return max(lonely, key=lambda member: table.distance(one, member, places.features))


def _outputs(table: CommuneTable, true: Commune, originals: set[str], draws: int, epsilon: Fraction) -> list[Hashable]:
    substitutor = Substitutor(with_places("health_exponential", epsilon), b"the draws of this audit are public", table)
    text = f"{_HEAD}{true.name}"
    mention = Mention(len(_HEAD), len(text), Label.CITY)
    documents = (
        Document("A", text, Patient(key=f"A{number}", zip=true.zips[0], city=true.name)) for number in range(draws)
    )
    found = (comparable(substitutor.substitute(one, [mention]).surrogates[0].text) for one in documents)
    return ["an original" if name in originals else name for name in found]
