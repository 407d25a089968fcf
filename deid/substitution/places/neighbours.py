"""Strategy `knn_exponential`: Tchouka et al. 2023 as published, with its weakness."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from deid.config.policy import Places
from deid.privacy import KeyedStream, exponential
from deid.reference import Commune, CommuneTable
from deid.reference.distances import MICRO

MECHANISM = "knn_exponential"
# What a draw costs in the ledger, in times the policy's ε: both the weights and their sum depend on the input.
COST = 2
_METRES = 1000


def draws(
    stream: KeyedStream, communes: CommuneTable, true: Commune, policy: Places, epsilon: Fraction
) -> Iterator[Commune]:
    """The k communes nearest to the true one by health profile within a radius, each with weight exp(ε·U), U = 1 − d.

    Section 4.2 of the article: features normalised by their maximum over the table, d their Euclidean distance, the
    true commune among the k. exp(ε·(1 − d)) and exp(−ε·d) are one law; the exponential mechanism draws it at 2ε.

    **What it promises.** The article claims ε·d-privacy. Its proof takes the normaliser a for a constant, but a is the
    inverse of a sum over the k communes, and moves with the input: over one set of candidates the law is 2ε·d-private
    (the bound of the exponential mechanism), which is what the ledger writes. And the set depends on the input: a
    surrogate that only one of two communes could give tells them apart with certainty, whatever ε. There is no bound
    between communes whose sets differ. `health_exponential` mends both; this one is here to be compared with.
    """
    near = dict(communes.neighbours(true, policy.features, policy.neighbours, int(policy.radius_km * _METRES)))
    return exponential(stream, tuple(near), near.__getitem__, 2 * epsilon / MICRO)
