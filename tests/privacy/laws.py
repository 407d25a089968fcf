"""The law of a commune's surrogates, against which draws and published figures are judged."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from deid.config.policy import Places
from deid.reference import Commune, CommuneTable
from nocturne_lab.evaluation.attacks.commune_laws import law_of


def commune_law(table: CommuneTable, true: Commune, places: Places, epsilon: Fraction) -> Mapping[Commune, float]:
    """Return the probability of each surrogate of a commune told alone, over all keys, excluded ones included.

    Raises:
        KeyError: the commune is not of the table, or the table lacks a feature.
        ValueError: the strategy draws no commune (`tag`).
    """
    known = law_of(table, [true], places).at(float(epsilon))
    total = known.weights.sum()
    return {table.communes[at]: float(weight / total) for at, weight in zip(known.outputs, known.weights, strict=True)}
