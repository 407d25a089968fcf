"""How a document's ε is split over what is drawn, and the ledger of what was spent."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from deid.document import Spend
from deid.errors import DocumentRefused, Reason
from deid.policy import SubstitutionPolicy


def rational(value: float) -> Fraction:
    """A number of the policy as the decimal that was written there, exactly."""
    return Fraction(str(value))


def share(policy: SubstitutionPolicy, elements: int) -> Fraction:
    """ε of one element of a document that has `elements` distinct ones, in nats per unit of its distance.

    `nominal` (the default): ε of the document over the policy's public number of elements, whatever the document
    holds, so that a value is drawn alike wherever it stands. `uniform` (Tchouka et al. 2023): over the document's
    own number, so that the document's sum is the policy's ε and a value is drawn alike in documents of one length.
    """
    whole = rational(policy.epsilon_per_document)
    return whole / (policy.elements_per_document if policy.split == "nominal" else max(elements, 1))


def settle(policy: SubstitutionPolicy, document_id: str, spends: Iterable[Spend]) -> tuple[Spend, ...]:
    """The ledger lines that cost something, once they are known to be within the policy's limit.

    Raises:
        DocumentRefused: the document spends more than `max_epsilon_per_document` (BUDGET_EXCEEDED).
    """
    lines = tuple(spend for spend in spends if spend.elements)
    limit = policy.max_epsilon_per_document
    total = sum((rational(line.epsilon) for line in lines), Fraction(0))
    if limit is not None and total > rational(limit):
        detail = f"spends epsilon {float(total):.2f} where the policy allows {limit}"
        raise DocumentRefused(document_id, Reason.BUDGET_EXCEEDED, detail)
    return lines
