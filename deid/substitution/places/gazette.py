"""Which commune each place of a document is, and the commune that stands in for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice, pairwise

from deid.document import Mention, Spend
from deid.labels import Label
from deid.privacy import KeyedStream
from deid.reference import Commune, CommuneTable
from deid.reference.naming import department_of_zip
from deid.substitution.dossier import Dossier
from deid.substitution.folding import comparable, flat, words
from deid.substitution.places.draws import COSTS, MECHANISMS, STRATEGIES, anywhere

_CEDEX = re.compile(r"[\s-]*\bcedex\b[\s-]*\d*.*$", re.IGNORECASE)
_SCANNED = str.maketrans("OoIlB", "00118")
_PAIR_REACH = 14
_PAIRING = re.compile(r"[\s,;:()/–—-]*(?:f-|fr-)?[\s(]*", re.IGNORECASE)
_OF_PLACE = re.compile(r"(?:\bde |\bd'|\bdu |\bdes |\bde la |\bde l'|\ba |-)(?=[a-z])")
_DRAWS = 400


@dataclass(frozen=True, slots=True)
class Place:
    """A place that the document names: its commune, or None with the folded name or code that is unknown."""

    key: str
    commune: Commune | None = None


class Gazette:
    """Places of one document, and the commune drawn for each."""

    def __init__(self, dossier: Dossier, communes: CommuneTable) -> None:
        self._dossier = dossier
        self.communes = communes
        self._epsilon = Fraction(0)
        self._drawn: dict[tuple[str, int], Commune] = {}
        self._pairs = dict(self._paired())
        self._departments = self._department_votes()
        self.places = self._placed()
        self._codes = {(place.key, self.digits(m)) for m, place in self.places.items() if m.label is Label.ZIP}
        self.home = self._home()

    # Reading

    def _paired(self) -> Iterator[tuple[Mention, Mention]]:
        """ZIP and CITY mentions that stand side by side, both ways."""
        marks = self._dossier.of([Label.ZIP, Label.CITY])
        used: set[Mention] = set()
        for one, other in pairwise(marks):
            between = self._dossier.document.text[one.end : other.start]
            if one.label is other.label or one in used or len(between) > _PAIR_REACH:
                continue
            if _PAIRING.fullmatch(between):
                used |= {one, other}
                yield one, other
                yield other, one

    def _department_votes(self) -> list[str]:
        """Departments of the postal codes here, the most frequent first: where a homonym is looked for."""
        codes = [self.digits(mention) for mention in self._dossier.of([Label.ZIP])]
        codes += [self._dossier.document.patient.zip or ""]
        votes = Counter(department for code in codes if (department := department_of_zip(code)))
        return [department for department, _ in votes.most_common()]

    def digits(self, mention: Mention) -> str:
        """The digits of a ZIP mention, scanning errors mended."""
        return re.sub(r"\D", "", self._dossier.text(mention).translate(_SCANNED))

    def _placed(self) -> dict[Mention, Place]:
        places: dict[Mention, Place] = {}
        for mention in self._dossier.of([Label.CITY]):
            places[mention] = self._city(mention)
        for mention in self._dossier.of([Label.ZIP]):
            pair = self._pairs.get(mention)
            places[mention] = places[pair] if pair is not None else self._zip(mention)
        for mention in self._dossier.of([Label.ORG]):
            found = self._inside(self._dossier.text(mention))
            if found is not None:
                places[mention] = found
        return places

    def _city(self, mention: Mention) -> Place:
        name = _CEDEX.sub("", self._dossier.text(mention))
        pair = self._pairs.get(mention)
        code = self.digits(pair) if pair is not None else None
        patient = self._dossier.document.patient
        if code is None and patient.city and comparable(patient.city) == comparable(name):
            code = patient.zip
        return self._named(name, code) or Place(f"unknown {' '.join(words(name))}")

    def _named(self, name: str, code: str | None = None) -> Place | None:
        found = self.communes.find(name, zip=code)
        if len(found) > 1:
            fitting = (one for department in self._departments for one in found if one.department == department)
            found = (next(fitting, found[0]),)
        return Place(found[0].insee, found[0]) if found else None

    def _zip(self, mention: Mention) -> Place:
        code = self.digits(mention)
        found = self.communes.at_zip(code)
        return (
            Place(found[0].insee, found[0]) if found else Place(f"unknown {code or flat(self._dossier.text(mention))}")
        )

    def _inside(self, name: str) -> Place | None:
        """The commune that an organisation's name ends with: "CHU de Lille"."""
        plain = flat(name)
        for start in reversed([match.end() for match in _OF_PLACE.finditer(plain)]):
            found = self._named(name[start:])
            if found is not None:
                return found
        return None

    def _home(self) -> Commune:
        """Where unknown places are drawn: the patient's commune, else the document's first, else any by the key."""
        patient = self._dossier.document.patient
        known = self._named(patient.city, patient.zip) if patient.city else None
        if known is None and patient.zip and (served := self.communes.at_zip(patient.zip)):
            known = Place(served[0].insee, served[0])
        if known is not None and known.commune is not None:
            return known.commune
        found = next((place.commune for place in self.places.values() if place.commune), None)
        return found or self._dossier.stream("home").choice(self.communes.communes)

    # Drawing

    def elements(self) -> int:
        """Distinct places."""
        return 0 if self._tags else len(set(self.places.values()))

    @property
    def _tags(self) -> bool:
        return self._dossier.policy.places.strategy == "tag"

    def draw(self, epsilon: Fraction) -> None:
        """Set ε of each place; communes are drawn when asked for."""
        self._epsilon = epsilon

    def spends(self, epsilon: Fraction) -> list[Spend]:
        """The ledger line of places."""
        count = self.elements()
        strategy = self._dossier.policy.places.strategy
        each = epsilon * COSTS.get(strategy, 1)
        return [Spend("place", MECHANISMS.get(strategy, "tag"), float(each * count), count)]

    def surrogate(self, place: Place, attempt: int = 0) -> Commune:
        """The commune that stands in for a place."""
        found = self._drawn.get((place.key, attempt))
        if found is None:
            found = self._drawn[place.key, attempt] = self._choose(place, attempt)
        return found

    def anywhere(self, *about: str) -> Commune:
        """A commune of the home territory, uniformly: for names that are of no commune."""
        return self.surrogate(Place("\x1f".join(about)))

    def _fits(self, commune: Commune, place: Place) -> bool:
        """Whether a commune may stand in for a place: another one, of no name hidden here, with another postal code."""
        if commune == place.commune or self._dossier.brings_back(commune.name):
            return False
        return any((place.key, code) not in self._codes for code in commune.zips)

    def _draws(self, stream: KeyedStream, true: Commune | None) -> Iterator[Commune]:
        policy = self._dossier.policy.places
        if true is None or self._tags:
            return anywhere(stream, self.communes, true or self.home)
        return STRATEGIES[policy.strategy](stream, self.communes, true, policy, self._epsilon)

    def _choose(self, place: Place, attempt: int) -> Commune:
        """The first draw that fits; after `attempt` such draws.

        Where the strategy gives none (ε so great that it only gives the original back, a radius that holds no other
        commune), communes of the same territory are drawn uniformly: ε bought nothing there, and the original, the
        patient's home or a name hidden elsewhere would tell more than any draw.
        """
        stream = self._dossier.stream("place", place.key, str(self._epsilon))
        draws = islice(self._draws(stream, place.commune), _DRAWS)
        fitting = (commune for commune in draws if self._fits(commune, place))
        found = next(islice(fitting, attempt, None), None)
        if found is None:
            around = anywhere(stream, self.communes, place.commune or self.home)
            fitting = (commune for commune in islice(around, _DRAWS) if self._fits(commune, place))
            found = next(islice(fitting, attempt, None), None)
        if found is None:
            everywhere = (stream.choice(self.communes.communes) for _ in count())
            found = next(commune for commune in everywhere if self._fits(commune, place))
        return found
