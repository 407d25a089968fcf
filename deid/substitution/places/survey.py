"""Survey of the places that mentions mean: neighbours, and the rest of the document, separate homonyms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import comparable, fold_line, words
from deid.french.gentiles import Gentile, derived_gentile, read_gentile
from deid.french.organisation_heads import HEAD_AHEAD, OrgKind, head_of, scanned
from deid.reference import Commune, CommuneTable
from deid.reference.place_names import department_of_zip, key_openings, place_key, with_article
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import digits_of
from deid.substitution.places import abroad
from deid.substitution.places.abroad import world
from deid.substitution.places.areas import area, area_names, is_abroad, is_public
from deid.substitution.places.finding import Finder, Hints, Place, opening_head, read_one_line, without_cedex

_SCANNED = str.maketrans("OoIlB", "00118")
# What stands between an organisation and the address that is its own: lines of a letterhead, no sentence, no person.
_ADDRESS_REACH, _ADDRESS_LINES = 240, 6
_BESIDE = re.compile(r"[ ,;:(/–—-]*(?:(?:à|a|de)\s+|d['’])?", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?…][^\S\n]+[A-ZÀ-Ý]|\n[^\S\n]*\n[^\S\n]*\n")
_PAIR_REACH = 14
_SEATED = re.compile("chr?u|chr|aphp|ghu|hospicescivils")  # comparable heads of university hospitals
_AT_TOWN = re.compile(r"[\s,;(–-]*(?:(?:à|a|au|aux) )?")
_AREA_GAP = re.compile(r"[ ,;(/–—-]*(?:(?:en|dans) (?:l['’]|l[ae] |les )?)?")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*\Z")
_COUNTRY_GAP = re.compile(r"[ ,;(/–—-]*\n?[ ,(/–—-]*(?:en |au |aux )?")
_CODE_AHEAD = re.compile(r"(?<!\d)(\d{5})[ \t]+$")
_PAIRING = re.compile(r"[\s,;:()/–—-]*(?:f-|fr-)?[\s(]*", re.IGNORECASE)
# What a postal code and a name of one department say of where a document is, in times what a homonym says.
_CODE_SAYS, _NAME_SAYS = 3, 2
_VILLAGE = 5000  # inhabitants below which a commune with a country's name is seldom meant
_MUCH_LARGER = 3  # times the inhabitants of a commune with a short name, where that name means a longer one


def _digits(text: str) -> str:
    return digits_of(text.translate(_SCANNED))


def _is_lesser(one: Commune | None, other: Commune | None) -> bool:
    return one is None or (other is not None and one.population * _MUCH_LARGER <= other.population)


class Survey:
    """Places of one document, and the digits of its postal codes, scanning errors mended; both by start of mention.

    A STREET mention that holds a postal code, and maybe a town, has that place too. `towns` are the names of towns in
    the names of organisations. `home` is the commune whose territory replaces unknown places. A LOC mention that names
    the inhabitants of a town has that place and its form in `gentiles`; `seats` are the towns that areas stand behind.
    """

    def __init__(self, context: DocumentContext, communes: CommuneTable) -> None:
        self._context = context
        self._communes = communes
        self._finder = Finder(communes)
        text, city = context.document.text, context.document.patient.city
        self._patient_city = comparable(city) if city else None
        self.codes = {one.start: _digits(text[one.start : one.end]) for one in context.labelled(Label.ZIP)}
        self._pairs = self._paired() if self.codes else {}
        lines = ((one.start, read_one_line(text[one.start : one.end])) for one in context.labelled(Label.STREET))
        self._addresses = {start: line for start, line in lines if line is not None}
        self.codes |= {start: _digits(line.code) for start, line in self._addresses.items()}
        self.towns: dict[int, str] = {}  # of organisations, as they write them
        self.gentiles: dict[int, Gentile] = {}
        self._areas = self._areas_behind()  # start of a town → the area behind it
        self.seats = {one.start: town for town, one in self._areas.items()}
        self.places = self._placed()

    def _paired(self) -> dict[int, int]:
        """Return start → start of ZIP and CITY mentions side by side, both ways."""
        text = self._context.document.text
        pairs: dict[int, int] = {}
        for one, other in pairwise(self._context.of((Label.ZIP, Label.CITY))):
            if one.label is other.label or one.start in pairs or other.start - one.end > _PAIR_REACH:
                continue
            if _PAIRING.fullmatch(text, one.end, other.start):
                pairs[one.start], pairs[other.start] = other.start, one.start
        return pairs

    def _areas_behind(self) -> dict[int, Mention]:
        """Return start of a CITY or ORG mention → the LOC mention right behind it that is a department or region."""
        text, areas = self._context.document.text, {}
        for one, other in pairwise(self._context.of((Label.CITY, Label.ORG, Label.LOC))):
            behind = one.label is not Label.LOC and other.label is Label.LOC and other.start - one.end <= _PAIR_REACH
            if behind and _AREA_GAP.fullmatch(text, one.end, other.start) and self.area_of(other) is not None:
                areas[one.start] = other
        return areas

    def area_of(self, mention: Mention) -> tuple[str, str] | None:
        """Return the kind ("department", "region") and code of a French area, by its name or number; else None."""
        text = self._context.text(mention)
        if self._communes.department_name(text.upper()):
            return "department", text.upper()
        known = area(text)
        return known if known and known[0] in ("department", "region") else None

    @cached_property
    def told(self) -> Mapping[str, Place]:
        """Return comparable name → place of the towns that CITY mentions name, of namesakes the first."""
        cities = self._context.labelled(Label.CITY)
        return {comparable(without_cedex(self._context.text(one))): self.places[one.start] for one in reversed(cities)}

    def told_whole(self, name: str) -> Place | None:
        """Return the place of the one town told here whose name begins with a name: "Puy" of Le Puy-en-Velay."""
        short = {place_key(name), with_article(place_key(name))} - {""}
        whole = self._context.labelled(Label.CITY)
        keys = ((place_key(without_cedex(self._context.text(one))), self.places[one.start]) for one in whole)
        found = {place.key: place for key, place in keys if not short.isdisjoint(key_openings(key))}
        return next(iter(found.values())) if len(found) == 1 else None

    def _inhabited(self, mention: Mention, places: Mapping[int, Place]) -> Place | None:
        """Return the town whose inhabitants, or whose adjective, a LOC mention ends with: "Nantaise"; else None."""
        last = _LAST_WORD.search(self._context.text(mention))
        if last is None or area(self._context.text(mention)) is not None:
            return None
        listed = read_gentile(last.group())
        for city in self._context.labelled(Label.CITY):
            place, name = places[city.start], self._context.text(city)
            named = place.commune.name if place.commune is not None else name
            form = listed if listed is not None and listed.town == named else derived_gentile(last.group(), name)
            if form is not None:
                self.gentiles[mention.start] = form
                return place
        found = self._finder.named(listed.town, self._hints) if listed is not None else None
        if found is not None and listed is not None:
            self.gentiles[mention.start] = listed
        return found

    @cached_property
    def _hints(self) -> Hints:
        """Return the departments that the document is likely to be about, by votes, and their regions.

        A postal code votes most; then a name without namesake; a name of several communes votes for each of their
        departments.
        """
        patient = self._context.document.patient
        votes: Counter[str] = Counter()
        sure: set[str] = set()
        for code in (*self.codes.values(), patient.zip or ""):
            if department := department_of_zip(code):
                votes[department] += _CODE_SAYS
                sure.add(department)
        written = {comparable(text): text for text in map(self._context.text, self._context.labelled(Label.CITY))}
        for name in (*written.values(), patient.city or ""):
            found = {one.department: None for one in self._communes.find(name)}
            alone = len(found) == 1 and not abroad.is_meant(name) and not is_abroad(name)
            for department in found:
                votes[department] += _NAME_SAYS if alone else 1
            sure.update(found if alone else ())
        departments = tuple(department for department, _ in votes.most_common())
        seats = map(self._communes.region_of, departments)
        regions = [region for region in dict.fromkeys(seats) if region is not None]
        return Hints(None, departments, tuple(regions), frozenset(sure))

    def _placed(self) -> dict[int, Place]:
        context, finder, pairs = self._context, self._finder, self._pairs
        text = context.document.text
        places: dict[int, Place] = {}
        for mention in context.labelled(Label.CITY):
            places[mention.start] = self._city(mention, pairs.get(mention.start))
        places |= self._repeated(places)
        places |= self._shortened(places)
        for mention in context.labelled(Label.ZIP):
            pair = pairs.get(mention.start)
            places[mention.start] = places[pair] if pair is not None else self._zip(mention, places)
        ends = {one.start: one.end for one in context.labelled(Label.STREET)}
        for start, line in self._addresses.items():
            code = self.codes[start]
            found = self._foreign(ends[start], line.town, code)
            if found is None and line.town:
                found = self._finder.city(line.town, code) or self._likeliest(line.town, code)
            places[start] = found or self._finder.at(code, self._hints) or Place(f"unknown {code}")
        for mention in context.labelled(Label.LOC):
            if (found := self._inhabited(mention, places)) is not None:
                places[mention.start] = found
        # "CHU de Saint-Denis" is in the Saint-Denis of the letterhead.
        cities = context.labelled(Label.CITY)
        told = {comparable(without_cedex(context.text(one))): places[one.start] for one in reversed(cities)}
        for mention in context.labelled(Label.ORG):
            organisation = text[mention.start : mention.end]
            ahead = HEAD_AHEAD.search(scanned(context.plain_before(mention)))  # "AS [Marmande]"
            for name in finder.towns_in(f"{head_of(ahead)} {organisation}" if ahead else organisation):
                saint = name.casefold().startswith("saint") and f" de {name}" not in organisation
                site = finder.is_site(name, organisation, self._hints) or (saint and self.town_follows(mention))
                if comparable(name) not in told and site:  # "Centre hospitalier Saint-Louis ; La Rochelle"
                    continue
                found = (
                    finder.overseas(name, organisation)
                    or told.get(comparable(name))
                    or finder.only(name)
                    or finder.inside(name, self._hints)
                )
                if found is not None:
                    places[mention.start], self.towns[mention.start] = found, name
                    break
        return places

    def _repeated(self, places: Mapping[int, Place]) -> dict[int, Place]:
        """Return the places of towns that stand alone here and beside their department elsewhere, the nearest ahead."""
        found: dict[int, Place] = {}
        if not self._areas:
            return found
        cities = self._context.labelled(Label.CITY)
        sure = [one for one in reversed(cities) if one.start in self._areas]
        told = {place_key(self._context.text(one)): places[one.start] for one in sure}
        for mention in cities:
            key = place_key(self._context.text(mention))
            if mention.start in self._areas:
                told[key] = places[mention.start]
            elif key in told and mention.start not in self._pairs:
                found[mention.start] = told[key]
        return found

    def _shortened(self, places: Mapping[int, Place]) -> dict[int, Place]:
        """Return the places of towns written short here and whole elsewhere: "Clermont" beside "Clermont-Ferrand".

        A name beside a postal code is whole, and so is one of a commune with over a third of the other's inhabitants.
        """
        cities = self._context.labelled(Label.CITY)
        keys = {one.start: place_key(without_cedex(self._context.text(one))) for one in cities}
        whole: dict[str, dict[str, Place]] = {}
        for start, key in keys.items():
            if places[start].commune is not None:
                for opening in key_openings(key):
                    whole.setdefault(opening, {})[key] = places[start]
        found: dict[int, Place] = {}
        for start, key in keys.items():
            longer = [*whole.get(key, {}).values()]
            if len(longer) == 1 and start not in self._pairs and _is_lesser(places[start].commune, longer[0].commune):
                found[start] = longer[0]
        return found

    @cached_property
    def addressed(self) -> dict[str, Place]:
        """Return comparable name of an organisation → place of the address beside it."""
        found: dict[str, Place] = {}
        marks = self._context.mentions
        for at, mention in enumerate(marks):
            if mention.label is Label.ORG:
                place = self._address_after(mention, marks[at + 1 :])
                if place is not None:
                    found.setdefault(comparable(self._context.text(mention)), place)
        return found

    @cached_property
    def seated(self) -> Set[str]:
        """Return the keys of places of the metropolis that are addresses of university hospitals, but for the home."""
        told = {place.key: place.commune for name, place in self.addressed.items() if _SEATED.match(name)}
        return {key for key, commune in told.items() if commune != self.known_home}

    @cached_property
    def hospitals(self) -> Set[str]:
        """Return the keys of places in the name, in the address or just behind the mention of a hospital."""
        found: set[str] = set()
        for mention in self._context.labelled(Label.ORG):
            head = opening_head(self._context.text(mention))
            if head is not None and head.kind is OrgKind.HOSPITAL:
                addressed = self.addressed.get(comparable(self._context.text(mention)))
                near = (self.places.get(mention.start), addressed, self._town_after(mention))
                found.update(place.key for place in near if place is not None)
        return found

    def _town_after(self, organisation: Mention) -> Place | None:
        """Return the place of a town right behind an organisation: "CHU Sud à Saint-Pierre"; else None."""
        text, end = self._context.document.text, organisation.end
        near = (one.start for one in self._context.labelled(Label.CITY) if 0 <= one.start - end <= _PAIR_REACH)
        return next((self.places[start] for start in near if _AT_TOWN.fullmatch(text, end, start)), None)

    def _address_after(self, organisation: Mention, following: Sequence[Mention]) -> Place | None:
        """Return the place of the first address after a name, right behind it or in its letterhead, or None."""
        text, end, between = self._context.document.text, organisation.end, ""
        for mention in following:
            between += text[end : mention.start]
            end = mention.end
            if mention.start - organisation.end > _ADDRESS_REACH or mention.label in (Label.PATIENT, Label.PERSON):
                return None
            if between.count("\n") > _ADDRESS_LINES or _SENTENCE.search(between):
                return None
            if mention.label is Label.CITY:  # of a sentence: an address has its postal code first
                return None
            if mention.label in (Label.ZIP, Label.STREET) and mention.start in self.places:
                return self.places[mention.start]
        return None

    def town_follows(self, organisation: Mention) -> bool:
        """Return whether the name of a town comes right after an organisation: "CHU, Dijon"."""
        text, end = self._context.document.text, organisation.end
        cities = (one.start for one in self._context.labelled(Label.CITY) if 0 <= one.start - end <= _PAIR_REACH)
        return any(_BESIDE.fullmatch(text, end, start) for start in cities)

    def _city(self, mention: Mention, pair: int | None) -> Place:
        """Return the place of a CITY mention, by the ZIP mention `pair` or a country's name beside it, if any."""
        name, patient = self._context.text(mention), self._context.document.patient
        code: str | None = None
        if pair is not None:
            code = self.codes[pair]
        elif (unseen := _CODE_AHEAD.search(self._context.before(mention, _PAIR_REACH))) is not None:
            code = unseen[1]  # left in the text by detection: it says the place all the same
        elif self._patient_city is not None and comparable(name) == self._patient_city:
            code = patient.zip
        if code is None and self._is_country(name):
            return Place(f"unknown {' '.join(words(name))}")
        if (found := self._foreign(mention.end, name, code)) is not None:
            return found
        if code is None and (behind := self._areas.get(mention.start)) is not None:
            return self._in_area(name, behind)
        found = self._finder.city(name, code) or (self._finder.misspelt(name, code) if code else None)
        found = found or self._likeliest(name, code)
        if found is None and code is not None:
            found = self._finder.at(code, self._hints)  # a hamlet, or nearly no name: its postal code is known
        return found or Place(f"unknown {' '.join(words(name))}")

    def _is_country(self, name: str) -> bool:
        """Return whether a name means a country rather than its capital of the same name or a commune.

        A village of the name ("Suisse", "Argentine") is meant where the document is in its department.
        """
        kind, code = area(name) or ("", "")
        capital = abroad.country_of(name) == code and comparable(area_names("country").get(code, "")) == comparable(
            name
        )
        near = any(
            one.population >= _VILLAGE or one.department in self._hints.sure for one in self._communes.find(name)
        )
        return kind == "country" and not capital and not near

    def _in_area(self, name: str, behind: Mention) -> Place:
        """Return the place of a town with its department or region behind it: "Saint-Denis (93)"."""
        kind, code = self.area_of(behind) or ("", "")
        hints = self._hints
        if kind == "department":
            if (found := self._finder.in_department(name, code)) is not None:
                return found
            hints = replace(hints, departments=(code, *hints.departments), sure=hints.sure | {code})
        else:
            hints = replace(hints, departments=(), regions=(code, *hints.regions))
        return self._finder.named(name, hints) or Place(f"unknown {' '.join(words(name))}")

    def _foreign(self, end: int, name: str, code: str | None) -> Place | None:
        """Return the place abroad of a town followed by its country: "17600 Figueras, Espagne"; else None."""
        text = self._context.document.text
        beside = (one for one in self._context.labelled(Label.LOC) if 0 <= one.start - end <= _PAIR_REACH)
        named = next((one for one in beside if _COUNTRY_GAP.fullmatch(text, end, one.start)), None)
        kind, country = (area(self._context.text(named)) or ("", "")) if named is not None else ("", "")
        if named is None or kind != "country" or not name or is_public(self._context.text(named)):
            return None
        if code and self._communes.find(name, zip=code):
            return None  # a town of France: its country stands there for another reason
        return Place(f"abroad {country} {place_key(name)}", None, world(country), country)

    def _likeliest(self, name: str, code: str | None) -> Place | None:
        """Return the place of a name, alone or with a postal code, the document's other places separating homonyms."""
        return self._finder.named(name, replace(self._hints, zip=code) if code else self._hints)

    def _zip(self, mention: Mention, cities: dict[int, Place]) -> Place:
        """Return the commune that a lone postal code serves, one named in the document first.

        A code that serves none, such as a CEDEX, is of a commune named here in its department, if there is one.
        """
        code = self.codes[mention.start]
        named = [(one, one.commune) for one in cities.values() if one.commune is not None]
        here = next((one for one, commune in named if code in commune.zips), None)
        if here is None and not self._communes.at_zip(code):
            department = department_of_zip(code)
            here = next((one for one, commune in named if commune.department == department), None)
        found = here or self._finder.at(code, self._hints)
        return found or Place(f"unknown {code or fold_line(self._context.text(mention))}")

    @cached_property
    def known_home(self) -> Commune | None:
        """Return the patient's commune by the warehouse."""
        patient = self._context.document.patient
        city, code = patient.city, patient.zip
        known = (self._finder.city(city, code) or self._likeliest(city, code)) if city else None
        if (known is None or known.commune is None) and patient.zip:
            known = self._finder.at(patient.zip, self._hints)
        return None if known is None else known.commune

    @cached_property
    def home(self) -> Commune:
        """Return the patient's commune, else the document's first, else any by the key."""
        found = (place.commune for place in self.places.values() if place.commune)
        return self.known_home or next(found, None) or self._context.stream("home").choice(self._communes.communes)
