"""Generator of each label: the library's own, or one that the policy chooses (Braghin et al. 2019)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

from deid.config.generators import DEFAULT, GENERALISE, MASK, NULL, filled_options
from deid.config.own_types import CONSTANT, KEEP, LISTED, OwnType
from deid.config.policy import GeneratorChoice, Policy
from deid.domain.document import Spend
from deid.domain.errors import PolicyError
from deid.domain.extensions import GENERATORS, find_extensions
from deid.domain.labels import IDENTIFIERS, NAMES, OPTIONAL, TEMPORAL, Label
from deid.privacy.budget import Counts, Shares
from deid.reference import CommuneTable
from deid.reference.names import NameTables
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, Generator
from deid.substitution.generators.addresses import Addresses
from deid.substitution.generators.generalising import Generalisation, TimesOfDay
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
from deid.substitution.generators.own_types import Kept, Layouts, listing
from deid.substitution.generators.phones import Phones
from deid.substitution.names.people import People
from deid.substitution.places.communes import Communes
from deid.substitution.places.gazette import Gazette
from deid.substitution.places.regions import Regions
from deid.substitution.places.streets import StreetNames, Streets
from deid.substitution.temporal.calendar import Calendar

# Label or own type → constructor of the generator that the policy chooses; an absent label keeps the library's own, an
# absent type that of its base label.
ChosenGenerators = Mapping[str, Callable[[DocumentContext], Generator]]

_MASKING: Mapping[str, Callable[..., Generator]] = {
    "tag": Numbering,
    "hash": Digest,
    "truncate": Truncation,
    "shift": Shift,
    "randomise": Random,
    MASK: Masks,
    KEEP: Kept,
    GENERALISE: Generalisation,
}
_CONSTANT: Mapping[str, Callable[..., Constant]] = {"redact": redacting, NULL: erasing}

# Base labels whose own types are redrawn sign by sign, as their values have a layout of the hospital's.
_BY_LAYOUT = IDENTIFIERS - {Label.NIR}
_READ = frozenset({"iban", "nir"})  # validators of numbers that the generator of identifiers knows


class Generators:
    """Generators of one document. Dates and places cost ε; the others follow them or are drawn outright.

    The library's own generators do not see mentions of a label or own type with a chosen one: nothing is drawn or spent
    for them.
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
        organisations = Organisations(context, gazette)
        regions = Regions(context, gazette, organisations.named_short)
        places = Communes(context, gazette, regions, organisations.named_short)
        addresses = Addresses(context, people)
        nirs = Nirs(context, calendar, gazette)
        numbers = Numbers(context, gazette, nirs, calendar)
        own: Mapping[str, Generator] = {
            **dict.fromkeys(OPTIONAL, Masks(context)),
            **dict.fromkeys(TEMPORAL, calendar),
            **dict.fromkeys(NAMES, people),
            **dict.fromkeys(IDENTIFIERS, numbers),
            Label.CITY: places,
            Label.ZIP: places,
            Label.STREET: Streets(context, streets, gazette),
            Label.LOC: regions,
            Label.ORG: organisations,
            Label.PHONE: Phones(context, gazette),
            Label.EMAIL: addresses,
            Label.URL: addresses,
            Label.NIR: nirs,
            Label.TIME: TimesOfDay(context),
        }
        self.by_label: Mapping[str, Generator] = {**own, **{kind: make(whole) for kind, make in chosen.items()}}

    def elements(self) -> Counts:
        """Return the number of distinct elements of the document that cost ε."""
        return Counts(self.calendar.elements(), self._gazette.elements())

    def spends(self, shares: Shares) -> list[Spend]:
        """Return the ledger lines of the elements, each element at the share of its category."""
        return self.calendar.spends(shares.time) + self._gazette.spends(shares.place)

    def draw(self, shares: Shares) -> None:
        """Draw the surrogates that cost ε."""
        self._gazette.draw(shares.place)
        self.calendar.draw(shares.time)


def chosen_generators(policy: Policy) -> ChosenGenerators:
    """Return the generators that the policy's `substitution.labels` and `types` choose.

    Raises:
        PolicyError: a dotted path cannot be imported, or has no `write`; a file of a type has changed.
    """
    labels = policy.substitution.labels
    chosen: dict[str, Callable[[DocumentContext], Generator]] = {
        label: _constructor(f"substitution.labels.{label}", one)
        for label, one in labels.items()
        if one.provider != DEFAULT
    }
    for name, own in policy.types.items():
        make = _of_type(name, own) or chosen.get(own.label)
        if make is None and own.label in _BY_LAYOUT and own.validator not in _READ:
            make = partial(Layouts, own=own)
        if make is not None:
            chosen[name] = make
    return chosen


def _of_type(name: str, own: OwnType) -> Callable[[DocumentContext], Generator] | None:
    """Return the constructor of the generator that an own type chooses; None for its base label's."""
    if own.provider == DEFAULT:
        return None
    if own.provider == KEEP:
        return Kept
    if own.provider == CONSTANT and own.text is not None:
        constant = Constant(Draft(own.text, CONSTANT))
        return lambda _: constant
    if own.provider == LISTED:
        return listing(own)
    return _constructor(f"types.{name}", GeneratorChoice(provider=own.provider, options=own.options))


def _constructor(where: str, choice: GeneratorChoice) -> Callable[[DocumentContext], Generator]:
    if choice.provider in _CONSTANT:
        constant = _CONSTANT[choice.provider](**filled_options(choice.provider, choice.options))
        return lambda _: constant
    if choice.provider in _MASKING:
        return partial(_MASKING[choice.provider], **filled_options(choice.provider, choice.options))
    return _imported(where, choice)


def _imported(place: str, choice: GeneratorChoice) -> Callable[[DocumentContext], Generator]:
    extension = find_extensions(GENERATORS).get(choice.provider)
    module, _, attribute = (extension.value if extension else choice.provider).partition(":")
    where = f"{place}: {choice.provider}"
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
