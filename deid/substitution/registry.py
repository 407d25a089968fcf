"""Who writes the surrogate of each label, for one document."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from deid.domain.document import Spend
from deid.domain.labels import Label
from deid.privacy.budget import Counts, Shares
from deid.reference import CommuneTable
from deid.reference.names import NameTables
from deid.substitution.contact.addresses import Addresses
from deid.substitution.contact.phones import Phones
from deid.substitution.context import Dossier
from deid.substitution.drafts import Room
from deid.substitution.generators import Providers
from deid.substitution.identifiers.nirs import Nirs
from deid.substitution.identifiers.numbers import Numbers
from deid.substitution.names.people import People
from deid.substitution.organisations import Organisations
from deid.substitution.places.communes import Communes
from deid.substitution.places.gazette import Gazette
from deid.substitution.places.regions import Regions
from deid.substitution.places.streets import StreetNames, Streets
from deid.substitution.temporal.calendar import Calendar


class Rooms:
    """The rooms of one document: dates and places cost ε, the others follow them or are drawn outright.

    A label with a provider of the policy's is out of the product's own rooms: nothing is drawn or spent for it.
    """

    def __init__(
        self,
        whole: Dossier,
        communes: CommuneTable,
        names: NameTables,
        streets: StreetNames,
        providers: Providers = MappingProxyType({}),
    ) -> None:
        dossier = whole.without(providers)
        self.calendar = Calendar(dossier)
        self._gazette = Gazette(dossier, communes)
        people = People(dossier, names)
        places = Communes(dossier, self._gazette)
        addresses = Addresses(dossier, people)
        numbers = Numbers(dossier, self._gazette)
        calendar = self.calendar
        self.by_label: Mapping[Label, Room] = {
            Label.DATE: calendar,
            Label.RELDATE: calendar,
            Label.AGE: calendar,
            Label.PATIENT: people,
            Label.DOCTOR: people,
            Label.PERSON: people,
            Label.CITY: places,
            Label.ZIP: places,
            Label.STREET: Streets(dossier, streets),
            Label.LOC: Regions(dossier, self._gazette),
            Label.ORG: Organisations(dossier, self._gazette),
            Label.PHONE: Phones(dossier, self._gazette),
            Label.EMAIL: addresses,
            Label.URL: addresses,
            Label.NIR: Nirs(dossier, calendar, self._gazette),
            Label.IPP: numbers,
            Label.NDA: numbers,
            Label.RPPS: numbers,
            Label.ID: numbers,
        }
        if providers:
            self.by_label = {**self.by_label, **{label: make(whole) for label, make in providers.items()}}

    def elements(self) -> Counts:
        """Distinct elements of the document that cost ε."""
        return Counts(self.calendar.elements(), self._gazette.elements())

    def spends(self, shares: Shares) -> list[Spend]:
        """What they cost, each the share of its category."""
        return self.calendar.spends(shares.time) + self._gazette.spends(shares.place)

    def draw(self, shares: Shares) -> None:
        """Draw what costs ε."""
        self._gazette.draw(shares.place)
        self.calendar.draw(shares.time)
