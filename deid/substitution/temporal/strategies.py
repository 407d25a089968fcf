"""Strategies for dates by their name in the policy; another is added by registering it here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from deid.substitution.dossier import Dossier
from deid.substitution.temporal import metric
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Instant

# Original instants → moved instants of the same units, given ε per element.
Strategy = Callable[[Dossier, Timeline, Iterable[Instant], Fraction], Mapping[Instant, Instant]]

STRATEGIES: Mapping[str, Strategy] = {"metric": metric.move}
MECHANISMS: Mapping[str, str] = {"metric": metric.MECHANISM}
