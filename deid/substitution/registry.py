"""Generator of each label: the library's own, or one that the policy chooses (Braghin et al. 2019)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

from deid.config.generators import DEFAULT, NULL, filled_options
from deid.config.policy import GeneratorChoice, SubstitutionPolicy
from deid.domain.document import Spend
from deid.domain.errors import PolicyError
from deid.domain.labels import OPTIONAL, Label
from deid.privacy.budget import Counts, Shares
from deid.reference import CommuneTable
from deid.reference.names import NameTables
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Generator
from deid.substitution.generators.addresses import Addresses
from deid.substitution.generators.masking import (
    Constant,
    Digest,
    Masks,
    Numbering,
    Random,
    Shift,
    Truncation,
    erasing,
    redacting,
)
from deid.substitution.generators.nirs import Nirs
from deid.substitution.generators.numbers import Numbers
from deid.substitution.generators.organisations import Organisations
from deid.substitution.generators.phones import Phones
from deid.substitution.names.people import People
from deid.substitution.places.communes import Communes
from deid.substitution.places.gazette import Gazette
from deid.substitution.places.regions import Regions
from deid.substitution.places.streets import StreetNames, Streets
from deid.substitution.temporal.calendar import Calendar

# Label → constructor of the generator that the policy chooses; an absent label keeps the library's own.
ChosenGenerators = Mapping[Label, Callable[[DocumentContext], Generator]]

_MASKING: Mapping[str, Callable[..., Generator]] = {
    "tag": Numbering,
    "hash": Digest,
    "truncate": Truncation,
    "shift": Shift,
    "randomise": Random,
}
_CONSTANT: Mapping[str, Callable[..., Constant]] = {"redact": redacting, NULL: erasing}


class Generators:
    """Generators of one document. Dates and places cost ε; the others follow them or are drawn outright.

    Mentions of a label with a chosen generator are hidden from the library's own: nothing is drawn or spent for them.
    """

    def __init__(
        self,
        whole: DocumentContext,
        communes: CommuneTable,
        names: NameTables,
        streets: StreetNames,
        chosen: ChosenGenerators,
    ) -> None:
        context = whole.without(chosen)
        self.calendar = calendar = Calendar(context)
        self._gazette = gazette = Gazette(context, communes)
        people = People(context, names)
        places = Communes(context, gazette)
        addresses = Addresses(context, people)
        nirs = Nirs(context, calendar, gazette)
        numbers = Numbers(context, gazette, nirs)
        own: Mapping[Label, Generator] = {
            Label.DATE: calendar,
            Label.RELDATE: calendar,
            Label.AGE: calendar,
            Label.PATIENT: people,
            Label.DOCTOR: people,
            Label.PERSON: people,
            Label.CITY: places,
            Label.ZIP: places,
            Label.STREET: Streets(context, streets, gazette),
            Label.LOC: Regions(context, gazette),
            Label.ORG: Organisations(context, gazette),
            Label.PHONE: Phones(context, gazette),
            Label.EMAIL: addresses,
            Label.URL: addresses,
            Label.NIR: nirs,
            Label.IPP: numbers,
            Label.NDA: numbers,
            Label.RPPS: numbers,
            Label.ID: numbers,
            **dict.fromkeys(OPTIONAL, Masks(context)),
        }
        self.by_label: Mapping[Label, Generator] = {**own, **{label: make(whole) for label, make in chosen.items()}}

    def elements(self) -> Counts:
        """Return the number of distinct elements of the document that cost ε."""
        return Counts(self.calendar.elements(), self._gazette.elements())

    def spends(self, shares: Shares) -> list[Spend]:
        """Return the cost of the elements, each the share of its category."""
        return self.calendar.spends(shares.time) + self._gazette.spends(shares.place)

    def draw(self, shares: Shares) -> None:
        """Draw the surrogates that cost ε."""
        self._gazette.draw(shares.place)
        self.calendar.draw(shares.time)


def chosen_generators(policy: SubstitutionPolicy) -> ChosenGenerators:
    """Return the generators that the policy's `labels` choose.

    Raises:
        PolicyError: a dotted path cannot be imported, or has no `write`.
    """
    return {label: _constructor(label, one) for label, one in policy.labels.items() if one.provider != DEFAULT}


def _constructor(label: Label, choice: GeneratorChoice) -> Callable[[DocumentContext], Generator]:
    if choice.provider in _CONSTANT:
        constant = _CONSTANT[choice.provider](**filled_options(choice.provider, choice.options))
        return lambda _: constant
    if choice.provider in _MASKING:
        return partial(_MASKING[choice.provider], **filled_options(choice.provider, choice.options))
    return _imported(label, choice)


def _imported(label: Label, choice: GeneratorChoice) -> Callable[[DocumentContext], Generator]:
    module, _, attribute = choice.provider.partition(":")
    where = f"substitution.labels.{label}: {choice.provider}"
    try:
        found: Callable[..., Any] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError):
        raise PolicyError(f"{where} cannot be imported.", "Check the path and that it is installed.") from None
    if not callable(found) or not hasattr(found, "write"):
        raise PolicyError(
            f"{where} is no class with a method write(mention, attempt).", "See deid.substitution.drafts.Generator."
        )
    try:
        signature(found).bind(None, **choice.options)
    except TypeError:
        raise PolicyError(f"{where} does not take the options {sorted(choice.options)}.", "Remove them.") from None
    return partial(found, **choice.options)
