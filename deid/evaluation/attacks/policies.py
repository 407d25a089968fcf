"""The policies that are attacked: the one that ships, with another strategy, ε or scope."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from deid.config.policy import Policy, load


def with_dates(strategy: str, epsilon: Fraction = Fraction(1, 4), *, scope: str = "patient", **options: Any) -> Policy:
    """The shipped policy with a strategy for dates, `epsilon` nats per element, and options of `dates`.

    Ages follow the same strategy where they know it, `generalise` under `uniform_shift`, as docs/privacy.md advises.

    Raises:
        pydantic.ValidationError: no such strategy, scope or option.
    """
    ages = "generalise" if strategy == "uniform_shift" else strategy
    return _changed(epsilon, scope, "nominal", dates={"strategy": strategy, **options}, ages={"strategy": ages})


def with_places(
    strategy: str,
    epsilon: Fraction = Fraction(1, 4),
    *,
    scope: str = "patient",
    split: str = "nominal",
    **options: Any,
) -> Policy:
    """The shipped policy with a strategy for places, `epsilon` nats per element, and options of `places`.

    Under `split: uniform`, sixteen times `epsilon` are parted among a document's elements.

    Raises:
        pydantic.ValidationError: no such strategy, scope or option.
    """
    return _changed(epsilon, scope, split, places={"strategy": strategy, **options})


def _changed(epsilon: Fraction, scope: str, split: str, **sections: dict[str, Any]) -> Policy:
    shipped = load()
    values = shipped.model_dump()
    substitution = values["substitution"]
    substitution |= {"scope": scope, "split": split, "max_epsilon_per_document": None}
    substitution["epsilon_per_document"] = float(epsilon * shipped.substitution.elements_per_document)
    for name, section in sections.items():
        substitution[name] |= section
    return Policy.model_validate(values)
