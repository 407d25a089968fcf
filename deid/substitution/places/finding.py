"""Search for the place that a written name means: a commune, a town abroad, or None for an unknown one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from deid.french.folding import comparable, fold_line
from deid.french.organisation_heads import OpeningHead, OrgKind, find_head
from deid.french.organisations import read_national
from deid.reference import Commune, CommuneTable
from deid.reference.place_names import JOINS, department_of_zip, is_bare_key, place_key
from deid.reference.tables import packaged_tables
from deid.substitution.places import abroad
from deid.substitution.places.abroad import World
from deid.substitution.places.areas import area, is_overseas

_CEDEX = re.compile(r"[\s-]*\b(?:cedex|cdx|cx)\b[\s-]*\d*.*$", re.IGNORECASE)
# Letters that a scanner makes digits of, and a small L among capitals.
_SCANNED = str.maketrans("015", "ols")
# Inhabitants from which a commune is called by the beginning of its name where nothing else says so.
_WELL_KNOWN = 1_000
# Inhabitants from which a commune with an article is told by its name in documents of other departments.
_TOWN = 10_000
_OF_TOWNS = frozenset({OrgKind.HOSPITAL, OrgKind.ADMINISTRATION, OrgKind.SPORT, OrgKind.WORSHIP})
_BEHIND_ARTICLE = re.compile(r"\b(?:du|des|de la|de l['’]) ?\Z")
_CODE = 5
# What a town follows in the name of an organisation: "CHU de Lille".
_OF_PLACE = re.compile(r"(?:\bde |\bd'|\bdu |\bdes |\bde la |\bde l'|\ba |-)(?=[a-z])")
_JOINED = re.compile(r".*[^a-z]", re.DOTALL)
# Words that a hyphen joins to a town's name: "CHU-Dijon", "Clinique Sud-Grenoble".
_JOINING = frozenset("ch chr chru chu chi ghu centre clinique hopital sud nord est ouest agglomeration".split())
_SAINTS = frozenset({"saint", "sainte", "st", "ste"})  # "CHU de Saint-Calais" is not in Calais
# "CH de Beaune - site Nord": a name is looked for in each part.
_PARTS = re.compile(r"\s+[-–—]\s+|[,;:()/]")
# Words for land that is called by more than a village: "clinique du Val de Lys" is not in Lys.
_LAND_AHEAD = re.compile(
    r"\b(?:baie|bords?|boucles?|chateau|c(?:oe|œ)ur|collines?|cotes?|foret|golfe|monts?|moulin|parc|pays|plaine|portes?|rives?|val|"
    r"vallee|vallon) (?:de |de la |de l'|du |des |d')?\Z"
)
# What a town follows without "de": "CHU Dijon".
_OF_TOWN = re.compile(
    r"(?:chr?u|chr|chic?|ch|ghu|ght?|mairie|tj|tgi|fc|rc|us|as|sc|usc|asptt|esf|"
    r"centre hospitalier(?: (?:regional|universitaire|intercommunal))*)[ _]"
    r"(?=[a-z])"
)
_OF_BODY = re.compile(r"[^\w]*(?:(?:de la|du|des|de) |d['’]|de l['’])?", re.IGNORECASE)
_BEFORE_AREA = re.compile(r"[\s,(]+(?:(?:de|à|en) )?", re.IGNORECASE)
_COMMON_ARTICLE = re.compile(r"(?:la |le |les |l['’])(?=[A-ZÀ-Ý])")
_AREAS = frozenset({"department", "region"})
# What may stand behind the town in the name of a hospital: "CHU Grenoble Alpes", "CHU de Caen Normandie".
_BESIDE_TOWN = frozenset(
    "alpes metropole agglomeration provence mediterranee ocean atlantique alsace aquitaine auvergne bourgogne bretagne "
    "champagne languedoc limousin lorraine normandie picardie poitou savoie".split()
)
_SAINT = re.compile(r"s(?:ain)?te?\b")
# Shorter names in the open list of towns abroad are met by abbreviations: "CAY" is Cayenne.
_LEAST_ABROAD = 4
_NEARLY = 0.75  # likeness of two names from which one is the other misspelt, beside its postal code


# An address on one line ends with a postal code, and maybe a town: "18 impasse des Géraniums 97430 Le Tampon".
_ONE_LINE = re.compile(
    r"(?P<street>.*?\S)(?P<gap>[\s,;–—-]+(?:F-)?)(?P<code>\d\d ?\d{3})(?:(?P<space>[\s,-]+)(?P<town>[^\d,;]{2,}?))?"
    r"(?P<rest>[\s,-]*(?:\b(?:cedex|cdx)\b[\s\d]*)?)",
    re.IGNORECASE,
)
_BOX = re.compile(r"\b(?:bp|cs|tsa|b\.p\.|postale)[ .°n]*$", re.IGNORECASE)


class OneLine(NamedTuple):
    """Consecutive parts of an address on one line; `town` is empty if none is written."""

    street: str
    gap: str
    code: str
    space: str
    town: str
    rest: str


def read_one_line(address: str) -> OneLine | None:
    """Split an address that holds its postal code into its parts; None for another text."""
    found = _ONE_LINE.fullmatch(address)
    if found is None or _BOX.search(found["street"]) or not department_of_zip(found["code"].replace(" ", "")):
        return None
    return OneLine(*(part or "" for part in found.group("street", "gap", "code", "space", "town", "rest")))


@dataclass(frozen=True, slots=True)
class Place:
    """A place named in a document; equal places have equal keys.

    `commune` is None outside the commune table; `world` and `country` (INSEE's code) locate such a place, if known.
    """

    key: str
    commune: Commune | None = None
    world: World | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class Hints:
    """Evidence to separate homonyms: the postal code beside a name, the document's likeliest departments and regions.

    `sure`: the departments of its postal codes and of its names without namesake.
    """

    zip: str | None = None
    departments: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    sure: frozenset[str] = frozenset()


class Finder:
    """Search by name and by code, in one commune table and in the list of towns abroad."""

    def __init__(self, communes: CommuneTable) -> None:
        self._communes = communes

    def named(self, name: str, hints: Hints) -> Place | None:
        """Return the place of a name; None if it is unknown.

        CEDEX, case, accents, hyphens and scanning errors do not matter. The end of a name may be missing ("Brive",
        "Chamonix") or not official ("Berck-sur-Mer").
        """
        base = without_cedex(name)
        return self._read(base, hints) or self._scanned(base, hints)

    def only(self, name: str, zip: str | None = None) -> Place | None:
        """Return the commune of a whole name, alone or with a postal code, if it is the same whatever the hints."""
        found = self._communes.find(name, zip=zip)
        return _place(found[0]) if len(found) == 1 and not abroad.is_meant(name) else None

    def in_department(self, name: str, department: str) -> Place | None:
        """Return the greatest commune of a department with a name, whole or cut short ("Bourg"), or None."""
        base = without_cedex(name)
        for communes in (self._communes.find(base), self._communes.opened(place_key(base))):
            if here := [one for one in communes if one.department == department]:
                return _place(max(here, key=_size))
        return None

    def city(self, name: str, zip: str | None) -> Place | None:
        """Return the place of a city's whole name, CEDEX ignored, if it is the same in any document."""
        return self.only(without_cedex(name), zip)

    def misspelt(self, name: str, code: str) -> Place | None:
        """Return the commune that a postal code serves under nearly the name written: "30000 Nîles"."""
        written = comparable(without_cedex(name))
        served = [(_likeness(written, comparable(one.name)), one.insee, one) for one in self._communes.at_zip(code)]
        likeness, _, nearest = max(served, default=(0.0, "", None))
        return _place(nearest) if nearest is not None and likeness >= _NEARLY else None

    def towns_in(self, organisation: str) -> tuple[str, ...]:
        """Return the towns in the name of an organisation: "CHU de Lille", "CH de Beaune - site Nord", "CHU Dijon".

        A word joined by a hyphen to a person's name is none: "CH Alphonse-Guérard" is not in Guérard.
        """
        body = read_national(organisation)
        if body is not None and (area(_OF_BODY.sub("", organisation[body.end :], count=1)) or ("",))[0] in _AREAS:
            return ()  # "CPAM de la Creuse" is of the department
        return tuple(
            name
            for told, joined in _after_of(organisation)
            if (organisation.islower() or told[:1].isupper())
            and (name := self._town_of(told))
            and (not joined or joined in _JOINING or (joined not in _SAINTS and self._communes.find(joined)))
        )

    def _town_of(self, told: str) -> str:
        """Return a town's name alone or with a region behind it, without the region; "" for no town.

        "Hôpital de la Charité" is not in La Charité-sur-Loire: a name cut short writes its own article large.
        """
        told = _overseas_apart(told)[0]
        if is_overseas(told):
            return ""  # "CHU de La Réunion" is not in the village La Réunion
        if self._communes.find(told) or abroad.is_listed(told):
            whole = any(comparable(one.name) == comparable(told) for one in self._communes.find(told))
            return told if whole or not _COMMON_ARTICLE.match(told) else ""
        name, _, behind = told.strip().rpartition(" ")
        return name if fold_line(behind) in _BESIDE_TOWN and self._communes.find(name) else ""

    def _whole(self, name: str, hints: Hints) -> Place | None:
        """Return the commune of a whole name, unless the name alone means a town abroad and no hint says otherwise."""
        found = self._communes.find(name, zip=hints.zip)
        if found and not (abroad.is_meant(name) and not _told(found, hints)):
            return _place(_chosen(found, hints))
        return None

    def inside(self, name: str, hints: Hints) -> Place | None:
        """Return the place of a part of an organisation's name; of towns abroad only those of `is_listed`."""
        return self._whole(name, hints) or (_abroad(name) if abroad.is_listed(name) else None)

    def overseas(self, name: str, organisation: str) -> Place | None:
        """Return the commune of a name with its overseas department behind it: "CHU de Saint-Denis de La Réunion"."""
        code = _overseas_apart(organisation)[1]
        return next((_place(one) for one in self._communes.find(name) if code in (one.region, one.department)), None)

    def is_site(self, name: str, organisation: str, hints: Hints) -> bool:
        """Return whether a part of an organisation's name is of a site, not of a small commune called alike.

        It stands behind an article there, and the document is in other departments: "polyclinique du Parc". What is
        rather called after a tree or a site than after its town needs no other department: "pharmacie des Halles".
        """
        ahead = fold_line(organisation[: organisation.rfind(name)])
        head = opening_head(organisation)
        elsewhere = bool(hints.sure) or (head is not None and head.kind not in _OF_TOWNS)
        found = self._communes.find(name)
        small = bool(found) and all(one.population < _TOWN for one in found)
        if small and _LAND_AHEAD.search(ahead):
            return True
        return small and elsewhere and _BEHIND_ARTICLE.search(ahead) is not None and not _told(found, hints)

    def at(self, code: str, hints: Hints) -> Place | None:
        """Return the place of a postal code: the commune or collectivity that it serves; None for a code of nowhere.

        For a CEDEX: its department's most populous commune, of those with the same three first digits if there are any.
        """
        served = self._communes.at_zip(code)
        if served:
            return _place(_chosen(served, hints))
        collectivity = abroad.collectivity_at(code)
        if collectivity is not None:
            return Place(f"abroad {collectivity} {code}", None, World.FRANCE, collectivity)
        department = department_of_zip(code) if len(code) == _CODE else None
        around = self._communes.in_department(department) if department else ()
        alike = [one for one in around if any(zip.startswith(code[:3]) for zip in one.zips)]
        return _place(max(alike or around, key=_size)) if around else None

    def _read(self, name: str, hints: Hints) -> Place | None:
        found = self._whole(name, hints)
        short = _within(self._communes.opened(place_key(name)), hints)
        if found is not None and found.commune is not None and short and _told(short, hints):
            villages, here = self._communes.find(name), _chosen(short, hints)
            if not _told(villages, hints) and max(map(_size, villages)) < _size(here):
                return _place(here)  # smaller communes elsewhere have the whole name
        if found is not None or abroad.is_listed(name):
            return found or _abroad(name)
        if short and _told(short, hints):
            return _place(_chosen(short, hints))
        if short and _SAINT.match(fold_line(name)):  # "St-Pol" is a town cut short rather than one far away
            return _place(_chosen(short, hints))
        if len(name) >= _LEAST_ABROAD and (found := _abroad(name)) is not None:
            return found
        if short and max(one.population for one in short) >= _WELL_KNOWN:
            return _place(_chosen(short, hints))
        return self._longer(name, hints)

    def _longer(self, name: str, hints: Hints) -> Place | None:
        """Return the commune whose whole name opens a longer one: "Berck-sur-Mer", "Soultz-les-Bains"."""
        words = place_key(name).split()
        for end in range(len(words) - 1, 0, -1):
            if words[end] in JOINS and not is_bare_key(words[:end]):
                found = _within(self._communes.find(" ".join(words[:end]), zip=hints.zip), hints)
                if found:
                    return _place(_chosen(found, hints))
        return None

    def _scanned(self, name: str, hints: Hints) -> Place | None:
        letters = name.translate(_SCANNED) if any(char.isalpha() for char in name) else name
        capitals = letters.replace("l", "I") if sum(map(str.isupper, name)) > len(name) // 2 else letters
        tried = dict.fromkeys((letters, capitals, name.replace("1", "i")))
        return next((found for one in tried if one != name and (found := self._read(one, hints))), None)


def _likeness(one: str, other: str) -> float:
    """Return 1 for equal names, 0 for names without a common letter, or a ratio between."""
    return SequenceMatcher(None, one, other).ratio()


def opening_head(name: str) -> OpeningHead | None:
    """Return the head that opens the name of an organisation, with one slip where nobody bears the word; or None."""
    return find_head(name, packaged_tables().names.is_name)


def without_cedex(name: str) -> str:
    """Return a name without the "CEDEX 9" of La Poste."""
    return _CEDEX.sub("", name)


def _overseas_apart(name: str) -> tuple[str, str]:
    """Return a name without the overseas department behind it, and its code or its region's; "" for none."""
    for found in _BEFORE_AREA.finditer(name):
        behind = name[found.end() :].rstrip(") ")
        if is_overseas(behind) and (known := area(behind)) is not None:
            return name[: found.start()], known[1]
    return name, ""


def _after_of(organisation: str) -> Iterator[tuple[str, str]]:
    """Yield candidate towns in an organisation's name, each with the word joined to it by a hyphen ("" for none).

    Parts in order, in each the shortest name first.
    """
    for part in _PARTS.split(organisation):
        plain = fold_line(part)
        for match in [*_OF_PLACE.finditer(plain)][::-1]:
            yield part[match.end() :], _JOINED.sub("", plain[: match.start()]) if match.group() == "-" else ""
        if (town := _OF_TOWN.match(plain)) is not None:
            yield part[town.end() :], ""
        if (body := read_national(part)) is not None and (ahead := _OF_BODY.match(plain, body.end)) is not None:
            yield part[ahead.end() :], ""


def _place(commune: Commune) -> Place:
    return Place(commune.insee, commune)


def _abroad(name: str) -> Place | None:
    country = abroad.country_of(name)
    return (
        None if country is None else Place(f"abroad {country} {place_key(name)}", None, abroad.world(country), country)
    )


def _within(found: Sequence[Commune], hints: Hints) -> Sequence[Commune]:
    """Return the communes in the department of the postal code, if there is one: a name cut short proves less."""
    if hints.zip is None:
        return found
    department = department_of_zip(hints.zip)
    return [one for one in found if one.department == department]


def _told(found: Iterable[Commune], hints: Hints) -> bool:
    """Return whether the hints hold the department of one of these communes, by a postal code or as a sure one."""
    beside = department_of_zip(hints.zip) if hints.zip else None
    return any(one.department == beside or one.department in hints.sure for one in found)


def _chosen(found: Sequence[Commune], hints: Hints) -> Commune:
    """Return the homonym of the likeliest department, else of the likeliest region, else the most populous."""
    if len(found) == 1:
        return found[0]
    by_department = (one for code in hints.departments for one in found if one.department == code)
    by_region = (one for code in hints.regions for one in found if one.region == code)
    return next(by_department, None) or next(by_region, None) or max(found, key=_size)


def _size(commune: Commune) -> tuple[int, str]:
    return commune.population, commune.insee
