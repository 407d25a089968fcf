"""Division of a document's ε over its elements, and the ledger of the ε spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from deid.config.policy import SubstitutionPolicy
from deid.domain.document import Spend
from deid.domain.errors import DocumentRefused, Reason


class Counts(NamedTuple):
    """Distinct elements of a document that cost ε: dates and ages, and places."""

    time: int
    place: int


class Shares(NamedTuple):
    """ε of one element of each category, in nats per unit of its distance."""

    time: Fraction
    place: Fraction


def rational(value: float) -> Fraction:
    """A number of the policy as the decimal that was written there, exactly."""
    return Fraction(str(value))


# A floor under the noise: draws that must differ from their original would be repeated for ever without it.
# Nats per unit of time. At 5 a draw that must be two units off is one in 22,000: a document is still drawn in time.
MOST = 5
# Times the policy's ε that a draw of a place costs, where it is not once: of the nearest, both the weights and their
# sum depend on the input.
PLACE_COSTS: Mapping[str, int] = {"knn_exponential": 2}


def tempered(epsilon: Fraction, width: int = 1) -> Fraction:
    """Return min(ε, 5 · `width`) nats, the ε to draw with; `width` is the length in units of ε's interval.

    A smaller ε than the policy asks for is more noise: what is claimed and counted still holds.
    """
    most = MOST * width
    return epsilon if epsilon.numerator <= most * epsilon.denominator else Fraction(most)


def shares(policy: SubstitutionPolicy, counts: Counts) -> Shares:
    """ε of one element of each category of a document.

    `nominal` (the default): ε of the document over the policy's public number of elements, whatever the document
    holds, so that a value is drawn alike wherever it stands. `uniform` (Tchouka et al. 2023, section 4): over the
    document's own number, so that the document's sum is the policy's ε and a value is drawn alike in documents of one
    length. `weighted` (Tchouka et al. 2022, section 4.4): each category gets its weight's part of ε, and divides it by
    its own number; the part of a category that the document does not have is not spent.

    By composition (Dwork and Roth 2014, theorem 3.16) the elements of a document are together private for the sum of
    what they cost, each counted by its own distance.
    """
    if policy.split == "weighted":
        whole = rational(policy.epsilon_per_document)
        weights = {category: rational(weight) for category, weight in policy.weights.items()}
        part = whole / sum(weights.values())
        return Shares(part * weights["time"] / max(counts.time, 1), part * weights["place"] / max(counts.place, 1))
    number = policy.elements_per_document if policy.split == "nominal" else max(counts.time + counts.place, 1)
    each = rational(policy.epsilon_per_document) / number
    return Shares(each, each)


# Ledger lines are kept as floating-point numbers, so a sum that is the limit may read as this much above it.
ROUNDING = Fraction(1, 10**9)


def settle(policy: SubstitutionPolicy, document_id: str, spends: Iterable[Spend]) -> tuple[Spend, ...]:
    """The ledger lines that cost something, once they are known to be within the policy's limit.

    Raises:
        DocumentRefused: the document spends more than `max_epsilon_per_document` (BUDGET_EXCEEDED).
    """
    lines = tuple(spend for spend in spends if spend.elements)
    limit = policy.max_epsilon_per_document
    if limit is None:
        return lines
    spent = sum((rational(line.epsilon) for line in lines), Fraction(0))
    if spent > rational(limit) + ROUNDING:
        detail = f"spends epsilon {float(spent):.2f} where the policy allows {limit}"
        raise DocumentRefused(document_id, Reason.BUDGET_EXCEEDED, detail)
    return lines
