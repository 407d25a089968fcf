"""LOC: departments and regions that follow the communes drawn, other countries, and named places of the land."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from deid.document import Mention
from deid.labels import Label
from deid.resources import rows
from deid.substitution.characters import redraw_digits
from deid.substitution.dossier import Dossier
from deid.substitution.drafts import Draft, tag
from deid.substitution.folding import comparable, flat, words
from deid.substitution.places.gazette import Gazette
from deid.substitution.shapes import accented_like, in_case_of

STRATEGY = "coherent_area"
_LAND = re.compile(
    r"(?:(?:la |le |l'|les )?(?:ile|iles|mont|monts|massif|montagne|col|pic|plomb|lac|etang|baie|golfe|cap|pointe|"
    r"plage|"
    r"vallee|val|gorges?|foret|bois|cascade|falaises?|calanque|canal|riviere|fleuve|cirque|plateau|plaine|bocca|cote|"
    r"rocher|grotte|desert|gare|aeroport|port|pont|quartier|faubourg|pays|parc|jardin|piste|refuge|barrage|"
    r"circuit|stade|rade|ilet|lagon|anse|morne|piton|marais|autoroute|sentier|chemin|place|marche|mer|ocean)s?)\b"
)
_NUMBERED = re.compile(r"(?:[adn]|rn|rd|rcea)? ?\d+ ?[a-z]?(?:er|e|eme)?(?: arr[a-z]*\.?)?|[ivx]+e?(?: arr[a-z]*\.?)?")
_FRANCE = frozenset({"france", "hexagone", "metropole", "francemetropolitaine"})
_LONGEST = 5
_ODD = re.compile("antarctique|territoire|terres|britannique|^france$|,|[(]")
_TRIES = 60


@cache
def _named_areas() -> Mapping[str, tuple[str, str]]:
    """Comparable name → (kind, code)."""
    return {comparable(row["name"]): (row["kind"], row["code"]) for row in rows("territories")}


@cache
def _names(kind: str) -> Sequence[str]:
    """Names of a kind of area that a text can mention without surprise."""
    named = (row["name"] for row in rows("territories") if row["kind"] == kind)
    return [name for name in named if len(words(name)) <= _LONGEST and not _ODD.search(flat(name))]


class Regions:
    """LOC mentions of one document."""

    def __init__(self, dossier: Dossier, gazette: Gazette) -> None:
        self._dossier = dossier
        self._gazette = gazette

    def write(self, mention: Mention, attempt: int) -> Draft:
        """An area of the same kind; a commune of the home territory for what no table knows."""
        original = self._dossier.text(mention)
        if self._dossier.policy.places.strategy == "tag":
            return tag(Label.LOC, original)
        areas = _named_areas()
        kind, code = areas.get(comparable(original)) or areas.get(_area_key(original), ("", ""))
        if comparable(original) in _FRANCE:
            text = "métropole" if comparable(original) != "metropole" else "France"
        elif kind in ("department", "region"):
            text = self._area(kind, code, original, attempt)
        elif kind == "country":
            text = self._other("country", original, attempt)
        elif _NUMBERED.fullmatch(flat(original)):
            text = self._numbered(original, attempt)
        else:
            text = self._land(original, attempt)
        return Draft(accented_like(original, in_case_of(original, text), self._dossier.accented), STRATEGY)

    def _area(self, kind: str, code: str, original: str, attempt: int) -> str:
        """That of the commune drawn for a place of the area, when it is another; else another one by the key."""
        table = self._gazette.communes
        for place in self._gazette.places.values():
            if place.commune is None or code != getattr(place.commune, kind):
                continue
            drawn = self._gazette.surrogate(place)
            name = table.department_name(drawn.department) if kind == "department" else table.region_name(drawn.region)
            if name and comparable(name) != comparable(original) and not attempt:
                return name
        return self._other(kind, original, attempt)

    def _other(self, kind: str, original: str, attempt: int) -> str:
        stream = self._dossier.stream("area", kind, comparable(original), str(attempt))
        names = _names(kind)
        for _ in range(_TRIES):
            name = stream.choice(names)
            if comparable(name) != comparable(original) and not self._dossier.brings_back(name):
                break
        return name

    def _numbered(self, original: str, attempt: int) -> str:
        stream = self._dossier.stream("area number", comparable(original), str(attempt))
        if any(char.isdigit() for char in original):
            return redraw_digits(original, stream)
        numeral = stream.choice(("II", "III", "IV", "VI", "VII", "VIII", "IX", "XII", "XIII", "XIV", "XVI"))
        return re.sub(r"(?i)^[ivx]+", numeral, original)

    def _land(self, original: str, attempt: int) -> str:
        """The kind of land kept ("lac", "col"), its name that of a commune."""
        commune = self._gazette.anywhere("land", " ".join(words(original)), str(attempt))
        head = _LAND.match(flat(original))
        if head is None or head.end() == len(original):
            return commune.name
        return f"{original[: head.end()]} {of_place(commune.name)}"


def _area_key(text: str) -> str:
    return comparable(re.sub(r"^(?:l['’ ]|la |le |les )", "", text, flags=re.IGNORECASE))


def of_place(name: str) -> str:
    """ "de Gray", "d'Auxonne", "du Val", "des Essarts"."""
    for article, of in (("Le ", "du "), ("Les ", "des ")):
        if name.startswith(article):
            return of + name.removeprefix(article)
    return f"d'{name}" if flat(name)[:1] in "aeiouy" else f"de {name}"
