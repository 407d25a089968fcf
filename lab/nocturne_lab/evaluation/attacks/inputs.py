"""Inputs of the attacks: a population, and the shipped policy with another strategy, ε or scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention


@dataclass(frozen=True, slots=True)
class Stay:
    """First and last day of a document's stay."""

    admitted_on: date
    discharged_on: date


@dataclass(frozen=True, slots=True)
class Record:
    """Document of the warehouse with its stay and its true mentions, which exclude detection errors."""

    document: Document
    mentions: tuple[Mention, ...]
    stay: Stay

    @property
    def patient(self) -> str:
        """Identifier of the patient in the warehouse."""
        return self.document.patient.key or ""


@dataclass(frozen=True, slots=True)
class Resident:
    """Patient of the population; `insee` and `department` are codes of the home commune."""

    patient_id: str
    last_name: str
    insee: str
    department: str


@dataclass(frozen=True, slots=True)
class Population:
    """Patients, the surnames of their clinicians, and the readable documents."""

    records: tuple[Record, ...]
    residents: tuple[Resident, ...]
    clinicians: frozenset[str]


def with_dates(strategy: str, epsilon: Fraction = Fraction(1, 4), *, scope: str = "patient", **options: Any) -> Policy:
    """Return the shipped policy with a strategy for dates, `epsilon` nats per element, and options of `dates`.

    Ages have the same strategy; under `uniform_shift`, which has none for ages, `generalise` (docs/privacy.md).

    Raises:
        pydantic.ValidationError: no such strategy, scope or option.
    """
    ages = {"uniform_shift": "generalise", "episodes": "stages"}.get(strategy, strategy)
    scale = {} if strategy == "episodes" else {"anchor_scale_days": 14}
    dates = {"strategy": strategy} | scale | options
    return _changed(epsilon, scope, "nominal", dates=dates, ages={"strategy": ages})


def with_places(
    strategy: str, epsilon: Fraction = Fraction(1, 4), *, scope: str = "patient", split: str = "nominal", **options: Any
) -> Policy:
    """Return the shipped policy with a strategy for places, `epsilon` nats per element, and options of `places`.

    Under `split: uniform`, the elements of a document share sixteen times `epsilon`; dates and ages are elements, as
    under `metric`.

    Raises:
        pydantic.ValidationError: no such strategy, scope or option.
    """
    metric = {"strategy": "metric"}
    dates = metric | {"anchor_scale_days": 14}
    return _changed(epsilon, scope, split, dates=dates, ages=metric, places={"strategy": strategy, **options})


def _changed(epsilon: Fraction, scope: str, split: str, **sections: Mapping[str, Any]) -> Policy:
    shipped = load()
    values = shipped.model_dump()
    substitution = values["substitution"]
    substitution |= {"scope": scope, "split": split, "max_epsilon_per_document": None}
    substitution["epsilon_per_document"] = float(epsilon * shipped.substitution.elements_per_document)
    for name, section in sections.items():
        substitution[name] |= section
    return Policy.model_validate(values)
