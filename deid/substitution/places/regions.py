"""LOC: departments and regions that follow the communes drawn, other countries, and named places of the land."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import accented_like, comparable, fold_line, in_case_of, words
from deid.privacy import KeyedStream
from deid.reference import Commune
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, redraw_digits, tag
from deid.substitution.places import abroad
from deid.substitution.places.abroad import NOWHERE, world
from deid.substitution.places.areas import agrees, area, area_names, article_ahead, countries, listed, own
from deid.substitution.places.finding import Place
from deid.substitution.places.gazette import Gazette

STRATEGY = "coherent_area"
_COUNTRY = "France"
_LAND = re.compile(
    r"(?:(?:la |le |l'|les )?(?:ile|iles|mont|monts|massif|montagne|col|pic|plomb|lac|etang|baie|golfe|cap|pointe|"
    r"plage|"
    r"vallee|val|gorges?|foret|bois|cascade|falaises?|calanque|canal|riviere|fleuve|cirque|plateau|plaine|bocca|cote|"
    r"rocher|grotte|desert|gare|aeroport|port|pont|quartier|faubourg|pays|parc|jardin|piste|refuge|barrage|"
    r"circuit|stade|rade|ilet|lagon|anse|morne|piton|marais|autoroute|sentier|chemin|place|marche|mer|ocean)s?)\b"
)
_NUMBERED = re.compile(r"(?:[adn]|rn|rd|rcea)? ?\d+ ?[a-z]?(?:er|e|eme)?(?: arr[a-z]*\.?)?|[ivx]+e?(?: arr[a-z]*\.?)?")
_DISTRICT = re.compile(r"(\d{1,2}) ?(er|eme|e)?( arr[a-z]*\.?)?")
# Paris has as many arrondissements.
_DISTRICTS = 20
_FRANCE = frozenset({"france", "hexagone", "metropole", "francemetropolitaine"})
_TRIES = 60
# What says an area without naming one, by the word ahead of it that no area that may be told agrees with.
_UNNAMED = {
    "department": {"le": "département", "du": "département", "l'": "Hexagone", "les": "environs", "des": "environs"},
    "region": {"le": "pays", "du": "pays", "l'": "Hexagone", "les": "environs", "des": "environs"},
    "country": {"l'": "Europe"},
}
_OF = {"Le": "du ", "Les": "des "}
_COMMON = frozenset({"département", "pays", "environs"})


class Regions:
    """LOC mentions of one document."""

    def __init__(self, context: DocumentContext, gazette: Gazette) -> None:
        self._context = context
        self._gazette = gazette

    def write(self, mention: Mention, attempt: int) -> Draft:
        """An area of the same kind; a commune of the home territory for what no table knows."""
        original = self._context.text(mention)
        if self._context.policy.places.strategy == "tag":
            return tag(Label.LOC, original)
        article = own(original) if area(original) else ""
        bare = original[len(article) :]
        text = self._text(bare, attempt)
        cased = text if text in _COMMON and not bare.isupper() else in_case_of(bare, text)
        return Draft(article + accented_like(original, cased, self._context.accented), STRATEGY)

    @cached_property
    def _ahead(self) -> Mapping[str, frozenset[str]]:
        """The articles and prepositions that stand ahead of each area of the document, wherever it is named.

        A surrogate agrees with all of them, so that an area keeps one name.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for mention in self._context.of([Label.LOC]):
            original = self._context.text(mention)
            article = own(original)
            word = article_ahead(article or self._context.before(mention))
            if word is not None:
                found[comparable(original[len(article) :])].add(word)
        return {name: frozenset(words) for name, words in found.items()}

    def _agrees(self, original: str, name: str) -> bool:
        return all(agrees(word, name) for word in self._ahead.get(comparable(original), ()))

    def _agreeing(self, choices: tuple[str, ...], original: str) -> Sequence[str]:
        told = comparable(original)
        others = [name for name in choices if comparable(name) != told]
        return [name for name in others if all(agrees(word, name) for word in self._ahead.get(told, ()))]

    def _text(self, original: str, attempt: int) -> str:
        if comparable(original) in _FRANCE:
            return self._france(original)
        kind, code = area(original) or ("", "")
        if kind in ("department", "region"):
            return self._area(kind, code, original, attempt)
        if kind == "country":
            return self._country(code, original, attempt)
        if kind == "collectivity":
            return self._other(listed(kind), original, attempt)
        if self._gazette.communes.department_name(original):
            return self._department_code(original, attempt)
        if _NUMBERED.fullmatch(fold_line(original)):
            return self._numbered(original, attempt)
        return self._land(original, attempt)

    def _france(self, original: str) -> str:
        told = ("métropole", _COUNTRY, *self._unnamed("country", original))
        others = [name for name in told if comparable(name) != comparable(original)]
        return next((name for name in others if self._agrees(original, name)), others[0])

    def _unnamed(self, kind: str, original: str) -> list[str]:
        return [
            _UNNAMED[kind][word] for word in sorted(self._ahead.get(comparable(original), ())) if word in _UNNAMED[kind]
        ]

    def _area(self, kind: str, code: str, original: str, attempt: int) -> str:
        """That of the commune drawn for a place of the area, so that an address stays one address.

        Where the commune drawn is of the same department, the region is written, and for the same region the country:
        the surrogate then says less than the original, and nothing false. It agrees with the article that the text has
        ahead of it; where none of these does, a word that says no name ("dans le département", "de l'Hexagone").
        Where the document names no place there, another area by the key.
        """
        drawn = self._drawn_in(kind, code)
        if drawn is not None and not attempt:
            table = self._gazette.communes
            department, region = table.department_name(drawn.department), table.region_name(drawn.region)
            told = (department, region, _COUNTRY) if kind == "department" else (region, _COUNTRY)
            fitting = (name for name in told if name == _COUNTRY or (name and not self._context.brings_back(name)))
            fitting = (name for name in (*fitting, *self._unnamed(kind, original)) if self._agrees(original, name))
            found = next((name for name in fitting if comparable(name) != comparable(original)), None)
            if found is not None:
                return found
        return self._other(listed(kind), original, attempt)

    def _drawn_in(self, kind: str, code: str) -> Commune | None:
        here = (one for one in self._gazette.places.values() if one.commune and getattr(one.commune, kind) == code)
        place = next(here, None)
        return None if place is None else self._gazette.surrogate(place)

    def _department_code(self, original: str, attempt: int) -> str:
        """ "le 21": the code of the drawn commune's department, else another of the region, else any other."""
        drawn = self._drawn_in("department", original)
        if drawn is not None and drawn.department not in (original, NOWHERE):
            return drawn.department
        table = self._gazette.communes
        region = next((one.region for one in table.in_department(original)), "")
        codes = [code for code in area_names("department") if code != original]
        near = [code for code in codes if any(one.region == region for one in table.in_department(code)[:1])]
        return self._context.stream("area code", original, str(attempt)).choice(near or codes)

    def _country(self, code: str, original: str, attempt: int) -> str:
        """That of the town drawn for a place of the country, else one of the same part of the world by the key."""
        place = next((one for one in self._gazette.places.values() if one.country == code), None)
        if place is not None and not attempt:
            name = area_names("country").get(self._gazette.surrogate(place).region)
            if name is not None and comparable(name) != comparable(original) and self._agrees(original, name):
                return name
        near = countries(world(code))
        return self._other(near if self._agreeing(near, original) else listed("country"), original, attempt)

    def _other(self, choices: tuple[str, ...], original: str, attempt: int) -> str:
        """One of some names that agrees with the text: which do is a function of the words ahead, and public."""
        stream = self._context.stream("area", comparable(original), str(attempt))
        fitting = self._agreeing(choices, original) or choices
        for _ in range(_TRIES):
            name = stream.choice(fitting)
            if comparable(name) != comparable(original) and not self._context.brings_back(name):
                break
        return name

    def _numbered(self, original: str, attempt: int) -> str:
        stream = self._context.stream("area number", comparable(original), str(attempt))
        district = _DISTRICT.fullmatch(fold_line(original))
        if district is not None and (district[2] or district[3]):
            return self._district(district, stream)
        if any(char.isdigit() for char in original):
            return redraw_digits(original, stream)
        numeral = stream.choice(("II", "III", "IV", "VI", "VII", "VIII", "IX", "XII", "XIII", "XIV", "XVI"))
        return re.sub(r"(?i)^[ivx]+", numeral, original)

    @staticmethod
    def _district(written: re.Match[str], stream: KeyedStream) -> str:
        """Another arrondissement: "1er", "12e", "3e arr."."""
        number = int(written[1])
        drawn = (
            1 + (number + stream.below(_DISTRICTS - 1)) % _DISTRICTS if number <= _DISTRICTS else 1 + stream.below(20)
        )
        ending = "er" if drawn == 1 else "e" if written[2] in ("er", None) else written[2]
        return f"{drawn}{ending if written[2] else ''}{written[3] or ''}"

    def _land(self, original: str, attempt: int) -> str:
        """The kind of land kept ("lac", "col"), its name that of a commune; an area abroad becomes a town there."""
        if (country := abroad.country_of(original)) is not None and abroad.is_listed(original):
            place = Place(f"abroad {country} {comparable(original)}", None, abroad.world(country), country)
            return self._gazette.surrogate(place, attempt).name
        commune = self._gazette.anywhere("land", " ".join(words(original)), str(attempt))
        head = _LAND.match(fold_line(original))
        if head is None or head.end() == len(original):
            return commune.name
        return f"{original[: head.end()]} {of_place(commune.name)}"


def of_place(name: str) -> str:
    """ "de Gray", "d'Auxonne", "du Val", "des Essarts"."""
    if name.startswith("Le"):
        article, _, rest = name.partition(" ")
        if rest and article in _OF:
            return _OF[article] + rest
    return f"d'{name}" if fold_line(name[:1]) in "aeiouy" else f"de {name}"
