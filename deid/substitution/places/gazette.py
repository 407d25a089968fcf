"""Communes drawn for the places of a document, by the policy's strategy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import count, islice

from deid.domain.document import Mention, Spend
from deid.domain.labels import Label
from deid.french import numerals
from deid.french.folding import comparable, in_case_of, words
from deid.french.gentiles import Gentile
from deid.privacy.budget import PLACE_COSTS
from deid.privacy.stream import KeyedStream
from deid.reference import Commune, CommuneTable
from deid.reference.communes import Spot, is_town
from deid.reference.partition import is_overseas_code
from deid.reference.place_names import department_of_zip
from deid.substitution.context import DocumentContext
from deid.substitution.places import abroad
from deid.substitution.places.finding import Place
from deid.substitution.places.strategies import MECHANISMS, STRATEGIES, anywhere, health_draws
from deid.substitution.places.survey import Survey

_DRAWS = 400
_TRIES = 60
_NONE = Fraction(0)
_DIGIT = re.compile(r"[0-9OolI]")
_SPOKEN_WIDTH = 1000


def _is_overseas(commune: Commune) -> bool:
    """Return whether a commune is overseas, where a department is one stratum."""
    return is_overseas_code(commune.department)


def _most(codes: Iterable[str | None]) -> str | None:
    """Return the most frequent code, of several the first; None if there is none."""
    most = Counter(filter(None, codes)).most_common(1)
    return most[0][0] if most else None


class Gazette:
    """Places of one document by the start of each mention, and the commune drawn for each."""

    def __init__(self, context: DocumentContext, communes: CommuneTable) -> None:
        self._context = context
        self.communes = communes
        self._epsilon, self._said = _NONE, "0"
        self._drawn: dict[tuple[str, int], Commune] = {}
        self._taken: dict[str, Commune] = {}  # place → its commune, of places in the document
        self._used: set[str] = set()  # codes of these communes
        self._strategy = context.policy.places.strategy
        self._tags = self._strategy == "tag"
        survey = self._survey = Survey(context, communes)
        places = survey.places
        self.places: Mapping[int, Place] = places
        self._elements = 0 if self._tags else len({one.key for one in places.values() if one.commune is not None})
        self._codes: dict[str, set[str]] = {}  # place → postal codes that the document writes of it
        for start, code in survey.codes.items():
            self._codes.setdefault(places[start].key, set()).add(code)

    @property
    def home(self) -> Commune:
        """Return the home commune: unknown places get a commune of its territory."""
        return self._survey.home

    @cached_property
    def surroundings(self) -> Sequence[Commune]:
        """The communes that unknown places may become: the home's candidates, or villages where these are cities."""
        if self._area is None:
            return self.communes.territory(self.home)
        spot = self._spot(self._area)
        if self.communes.department_of_territory(self.home) is not None:
            return self.communes.near(self.home, spot)
        return self.communes.villages(spot.centre)

    def address_of(self, organisation: Mention) -> Place | None:
        """Return the place of an organisation's address: its town if a CITY or ZIP repeats it, else its letterhead."""
        place = self.places.get(organisation.start)
        if place is not None:
            towns = (one for label in (Label.CITY, Label.ZIP) for one in self._context.labelled(label))
            if any(self.places[one.start].key == place.key for one in towns):
                return place
        return self._survey.addressed.get(comparable(self._context.text(organisation)))

    def named_town(self, organisation: Mention) -> str:
        """Return the town in the name of an organisation, as written; "" if there is none."""
        return self._survey.towns.get(organisation.start, "")

    def town_follows(self, organisation: Mention) -> bool:
        """Return whether the name of a town comes right after an organisation: "CHU, Dijon"."""
        return self._survey.town_follows(organisation)

    def gentile(self, mention: Mention) -> Gentile | None:
        """Return the form in which a LOC mention names the inhabitants of a town; None for another one."""
        return self._survey.gentiles.get(mention.start)

    def seat(self, area: Mention) -> Place | None:
        """Return the place of the town ahead of a department or region, if it lies there: "Vierzon (18)"."""
        place = self.places.get(self._survey.seats.get(area.start, -1))
        kind, code = self._survey.area_of(area) or ("", "")
        if place is None or place.world is not None:
            return None
        return place if place.commune is None or getattr(place.commune, kind) == code else None

    def told(self, name: str) -> Place | None:
        """Return the place of a town that a CITY mention names, whole or cut short here; None for another name."""
        return self._survey.told.get(comparable(name)) or self._survey.told_whole(name)

    def elements(self) -> int:
        """Count distinct communes: a place abroad or unknown costs nothing, since its draw does not depend on it."""
        return self._elements

    def draw(self, epsilon: Fraction) -> None:
        """Set the ε of each place; communes are drawn when asked for."""
        self._epsilon, self._said = epsilon, str(epsilon)

    def spends(self, epsilon: Fraction) -> list[Spend]:
        """Return the ledger line of places."""
        count, strategy = self._elements, self._strategy
        cost = epsilon.numerator * PLACE_COSTS.get(strategy, 1) * count / epsilon.denominator
        return [Spend("place", MECHANISMS.get(strategy, "tag"), cost, count)]

    def surrogate(self, place: Place, attempt: int = 0) -> Commune:
        """Return the commune drawn for a place; for one abroad, a town of the same part of the world."""
        attempt = 0 if self.may_return(place) else attempt
        if place.key not in self._taken and place.key in self._ordered:
            for one in self._ordered.values():  # in order, since each leaves the others their candidates
                self._drawn[one.key, 0] = self._choose(one, 0)
                self._taken[one.key] = self._drawn[one.key, 0]
                self._used.add(self._drawn[one.key, 0].insee)
        found = self._drawn.get((place.key, attempt))
        if found is None:
            found = self._drawn[place.key, attempt] = self._choose(place, attempt)
        return found

    def anywhere(self, *about: str) -> Commune:
        """Draw a commune of the home territory, uniformly, for a name of no commune."""
        return self.surrogate(Place("\x1f".join(about)))

    def hospital_town(self, university: bool, beside: Commune, *about: str, afar: bool = False) -> Commune:
        """Draw a town with a public hospital, uniformly: near the area, or of the overseas department of `beside`.

        `university`: a seat of a university or regional hospital, unless all drawn have a person's name; `afar`, one of
        the metropolis, where that of the area is another's. The draw depends on the area and on the stratum of
        `beside`, which is public, and otherwise on no place.
        """
        zone = beside.department if _is_overseas(beside) else None
        stream = self._context.stream("hospital town", *about)
        for seats in (university, False):
            spot = None if zone or self._area is None or (seats and afar) else self._spot(self._area)
            towns = [spot.seat] if spot and seats else self.communes.hospital_towns(zone, seats, spot and spot.centre)
            for _ in range(_TRIES):
                if self._is_unnamed(town := stream.choice(towns)):
                    return town
        return town

    @cached_property
    def _area(self) -> str | None:
        """The department ("86") where places that could lie in several are drawn; None overseas.

        It is that of the home's stratum, else, without a known home, of most places whose stratum is of one, else one
        by the patient's key, of the region of these strata if they have one. So it depends on strata, which are public,
        and on nothing else.
        """
        if self._strategy != "health_exponential":
            return None
        known = self._survey.known_home
        told = [known] if known is not None else self._inland or [self.home]
        if _is_overseas(told[0]):
            return None
        department = _most(map(self.communes.department_of_territory, told))
        return department or self._area_of_key(_most(map(self.communes.region_of_territory, told)))

    def _area_of_key(self, region: str | None) -> str:
        """Draw a department by the patient's key: of a seat of a university hospital, or hospital town of a region."""
        towns = self.communes.hospital_towns(None, region is None)
        there = [one for one in towns if region in (None, one.region)]
        return self._context.stream("area", *filter(None, [region])).choice(there).department

    @cached_property
    def _left(self) -> str | None:
        """The region of most places, where the home may lie in several departments: they are drawn in its area."""
        known = self._survey.known_home
        if known is None or self._area is None or self.communes.department_of_territory(known) is not None:
            return None
        region = self.communes.region_of_territory(known)
        return region or _most(map(self.communes.region_of_territory, self._inland))

    @cached_property
    def _inland(self) -> Sequence[Commune]:
        """The communes of the metropolis that the document names, each once, in order."""
        named = (place.commune for place in self._ordered.values())
        return tuple(one for one in named if one is not None and not _is_overseas(one))

    @cached_property
    def _ordered(self) -> Mapping[str, Place]:
        """Key → place of the document: the home first, so that all documents agree on it, then the others in order."""
        home, places = self._survey.known_home, [place for _, place in sorted(self.places.items())]
        first = [one for one in places if one.commune is not None and one.commune == home]
        return {place.key: place for place in (*first, *places)}

    def drawn_in(self, kind: str, code: str) -> Commune | None:
        """Return a commune drawn for the document's places in a "department" or "region"; None without such a place.

        It is of the department or region of most mentions: the number of "SAMU 29" follows the patient's commune.
        """
        here = (one for one in self.places.values() if one.commune is not None and getattr(one.commune, kind) == code)
        drawn = [self.surrogate(one) for one in here]
        most = Counter(getattr(one, kind) for one in drawn).most_common(1)
        return next((one for one in drawn if getattr(one, kind) == most[0][0]), None)

    def drawn_about_home(self, kind: str, code: str) -> Commune | None:
        """Return the commune drawn for the patient's, if that lies in an area, else the one of most places in it."""
        known = self._survey.known_home
        home = self.drawn_for(known.insee) if known is not None and getattr(known, kind) == code else None
        return home or self.drawn_in(kind, code)

    def drawn_for(self, insee: str) -> Commune | None:
        """Return the commune drawn for the one with a code; None if the document names it nowhere."""
        here = (one for one in self._ordered.values() if one.commune is not None and one.commune.insee == insee)
        place = None if self._tags else next(here, None)
        return None if place is None else self.surrogate(place)

    def standing_in(self, department: str) -> Commune:
        """Return the commune drawn for the document's place in a department, for numbers that carry its code.

        Without such a place, a uniform one of the home territory: a draw outside the ledger must not depend on a place.
        """
        drawn = None if self._tags else self.drawn_in("department", department)
        return self.anywhere("department", department) if drawn is None else drawn

    def may_return(self, place: Place) -> bool:
        """Return whether a place's draw may give the place itself: ruling it out would cost ε."""
        return self._strategy == "health_exponential" and place.commune is not None

    def code(self, mention: Mention, original: str, commune: Commune) -> str:
        """Return a postal code of the commune drawn for a mention, in the form of the original; "" if there is none.

        It is another unless the draw may return, and that of a CEDEX, which serves no commune, for such a code.
        """
        place, known = self.places[mention.start], self._survey.codes[mention.start]
        codes, question = list(commune.zips), ["zip", commune.insee]
        if place.commune is not None and department_of_zip(known) and not self.communes.at_zip(known):
            beside = [f"{code[:3]}{number:02}" for code in codes for number in range(1, 100)]
            codes, question = [code for code in beside if not self.communes.at_zip(code)], [*question, known]
        codes = codes if self.may_return(place) else [code for code in codes if code != known]
        return _in_form_of(original, self._context.stream(*question).choice(codes)) if codes else ""

    def _fits(self, commune: Commune, place: Place) -> bool:
        """Return whether a commune may replace a place.

        By the law of the strata, any without a word of a person's name: such words do not depend on the places. Of the
        few of a stratum of several departments, none that another place of the document has: which places are one is
        public. For one overseas that a hospital names, no village. Else another commune than the place, of no name
        hidden here, with another postal code.
        """
        true = place.commune
        if self._strategy == "health_exponential" and place.world is None:
            few = true is not None and self.communes.department_of_territory(true) is None
            village = self._seats_hospital(place) and not is_town(commune)
            return self._is_unnamed(commune) and not village and not (few and commune.insee in self._used)
        if (true is not None and commune.insee == true.insee) or self._context.brings_back(commune.name):
            return False
        codes = self._codes.get(place.key)
        return codes is None or not commune.zips or not codes.issuperset(commune.zips)

    def _seats_hospital(self, place: Place) -> bool:
        """Return whether a place is overseas, where strata tell no villages from towns, and a hospital names it."""
        return place.commune is not None and _is_overseas(place.commune) and place.key in self._survey.hospitals

    def _is_unnamed(self, commune: Commune) -> bool:
        return self._context.forbidden_names.isdisjoint(words(commune.name))

    def _draws(self, stream: KeyedStream, place: Place) -> Iterator[Commune]:
        policy = self._context.policy.places
        if place.world is not None:
            towns = abroad.towns()[place.world]
            return (stream.choice(towns) for _ in count())
        if place.commune is None or self._tags:
            return anywhere(stream, self._around(place))
        if near := self._near(place, place.commune):
            return health_draws(stream, self.communes, place.commune, policy, self._epsilon, near)
        return STRATEGIES[self._strategy](stream, self.communes, place.commune, policy, self._epsilon)

    def _near(self, place: Place, true: Commune) -> Sequence[Commune]:
        """Return the candidates of a place that is drawn by a spot; () for one of all its territory.

        The seat of a university hospital is the nearest that no other place of the document has.
        """
        if (spot := self._anchor(place, true)) is None:
            return ()
        found = self.communes.alike(true, spot) if self._is_moved(true) else self.communes.near(true, spot)
        if self.communes.is_of_seats(true):
            free = (one for one in found if one.insee not in self._used and self._is_unnamed(one))
            return tuple(islice(free, 1)) or found
        return found

    def _anchor(self, place: Place, true: Commune) -> Spot | None:
        """Return the spot by which a place is drawn: of the area, or of its own region's places; None overseas.

        The address of a university hospital lies about its seat.
        """
        if self._area is None or _is_overseas(true):
            return None
        region = self.communes.region_of_territory(true)
        away = region not in (None, self._left, self.communes.region_of(self._area))
        spot = self._spot(self._departments.get(region, self._area) if away else self._area)
        return Spot(spot.seat, spot.seat) if place.key in self._survey.seated else spot

    def _spot(self, department: str) -> Spot:
        """Draw where in a department its places are drawn, by the patient's key alone."""
        return self._context.stream("spot", department).choice(self.communes.spots(department))

    def _is_moved(self, true: Commune) -> bool:
        region = self.communes.region_of_territory(true)
        return region is not None and region == self._left

    @cached_property
    def _departments(self) -> Mapping[str | None, str]:
        """Code of a region → the department of most of its places in the document that are of the strata of one."""
        told = [(self.communes.department_of_territory(one), one.region) for one in self._inland]
        return {region: department for (department, region), _ in reversed(Counter(told).most_common()) if department}

    def _around(self, place: Place) -> Sequence[Commune]:
        """Return the candidates of a place that no table knows, or for which its strategy gives none that fits."""
        if place.commune is None:
            return self.surroundings
        free = [
            one for one in self._near(place, place.commune) if one.insee not in self._used and self._is_unnamed(one)
        ]
        return free or self.communes.territory(place.commune)

    def _choose(self, place: Place, attempt: int) -> Commune:
        """Return the first draw that fits; for a place that may not return, the next one after `attempt` of them."""
        spot = self._anchor(place, place.commune) if place.commune is not None else None
        near = None if spot is None else spot.centre.insee
        # Candidates of their own have bits of their own: two draws from the same would tell more than two.
        moved = place.commune is not None and self._is_moved(place.commune)
        question = ("place", place.key, self._said, *filter(None, [near, "moved" if near and moved else None]))
        found = self._fitting(self._draws(self._context.stream(*question), place), place, attempt)
        return found or self._elsewhere(self._context.stream(*question), place, attempt)

    def _fitting(self, draws: Iterable[Commune], place: Place, attempt: int) -> Commune | None:
        for commune in islice(draws, _DRAWS):
            if self._fits(commune, place):
                if not attempt or self.may_return(place):
                    return commune
                attempt -= 1
        return None

    def _elsewhere(self, stream: KeyedStream, place: Place, attempt: int) -> Commune:
        """Draw a commune of the same territory, uniformly, else any, where the strategy gives none that fits.

        It gives none with an ε so great that it only gives the original back, or a radius without another commune: ε
        bought nothing there, and the original, the patient's home or a name hidden elsewhere would reveal more than any
        draw.
        """
        for _ in islice(self._draws(stream, place), _DRAWS):  # the bits that the strategy read
            pass
        found = self._fitting(anywhere(stream, self._around(place)), place, attempt)
        if found is None:
            everywhere = (stream.choice(self.communes.communes) for _ in count())
            found = next(commune for commune in everywhere if self._fits(commune, place))
        return found


def _in_form_of(original: str, code: str) -> str:
    """Return a postal code in the form of another: scanned, spaced or in words."""
    places = len(_DIGIT.findall(original))
    if places == len(code):
        digits = iter(code)
        return _DIGIT.sub(lambda _: next(digits), original)
    if places == 0:
        thousands, rest = divmod(int(code), _SPOKEN_WIDTH)
        said = f"{numerals.write_number(thousands)} mille {numerals.write_number(rest) if rest else ''}".strip()
        return in_case_of(original, said if "-" in original else said.replace("-", " "))
    return code
