"""LOC: departments and regions of the drawn communes, other countries, and named landmarks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import TOWN, Kind, Noun, of_place, own_article
from deid.french.folding import accented_like, comparable, fold_line, in_case_of, words
from deid.privacy.stream import KeyedStream
from deid.reference import Commune
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, redraw_digits, tag
from deid.substitution.places import abroad
from deid.substitution.places.abroad import world
from deid.substitution.places.areas import area, area_names, article_of, countries, is_overseas, is_public, listed
from deid.substitution.places.finding import Place
from deid.substitution.places.gazette import Gazette

STRATEGY = "coherent_area"
_COUNTRY = "France"
_LAND = re.compile(
    r"(?:(?:la |le |l'|les )?(?:ile|iles|mont|monts|massif|montagne|col|pic|plomb|lac|etang|baie|golfe|cap|pointe|"
    r"plage|"
    r"vallee|val|gorges?|foret|bois|cascade|falaises?|calanque|canal|riviere|fleuve|cirque|plateau|plaine|bocca|cote|"
    r"rocher|grotte|desert|gare|aeroport|port|pont|quartier|faubourg|pays|parc|jardin|piste|refuge|barrage|"
    r"circuit|stade|rade|ilet|region|agglomeration|banlieue|province|wilaya|canton|bassin|secteur|village|hameau|zone|"
    r"lagon|anse|morne|piton|marais|autoroute|sentier|chemin|place|marche|mer|ocean)s?)\b"
)
_ADJECTIVE = re.compile(r"(?:la )?r[ée]gion [a-zà-ÿ-]+")  # "région parisienne" becomes "région de Molamboz"
_NUMBERED = re.compile(r"(?:[adn]|rn|rd|rcea)? ?\d+ ?[a-z]?(?:er|e|eme)?(?: arr[a-z]*\.?)?|[ivx]+e?(?: arr[a-z]*\.?)?")
_DISTRICT = re.compile(r"(\d{1,2}) ?(er|eme|e)?( arr[a-z]*\.?)?")
# Paris has as many arrondissements.
_DISTRICTS = 20
_TRIES = 60
_KINDS = {"department": Kind.DEPARTMENT, "region": Kind.REGION}


class Regions:
    """Generator of LOC for one document."""

    def __init__(self, context: DocumentContext, gazette: Gazette) -> None:
        self._context = context
        self._gazette = gazette

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return an area of the same kind; a commune of the home territory for one that no table knows."""
        original = self._context.text(mention)
        if self._context.policy.places.strategy == "tag":
            return tag(Label.LOC, original)
        article = own_article(original) if area(original) and not is_public(original) else ""
        bare = original[len(article) :]
        text, noun = self._text(bare, attempt)
        may_return = is_public(bare) or (not attempt and self._follows(bare))
        cased = text if _ADJECTIVE.fullmatch(bare) else in_case_of(bare, text)
        return Draft(accented_like(original, cased, self._context.accented), STRATEGY, may_return=may_return, noun=noun)

    def _follows(self, original: str) -> bool:
        """Return whether an area, or a department's code, follows a drawn commune, which may lie in the original."""
        kind, code = area(original) or ("department", original)
        return (self._drawn_in(kind, code) if kind in _KINDS else self._drawn_abroad(code)) is not None

    def _text(self, original: str, attempt: int) -> tuple[str, Noun | None]:
        """Return the surrogate of an area without its article, and its grammar if the words ahead must agree."""
        if is_public(original):
            return original, None
        kind, code = area(original) or ("", "")
        if kind in _KINDS:
            return self._area(kind, code, original, attempt)
        if kind in ("country", "collectivity"):
            return self._country(kind, code, original, attempt)
        if self._gazette.communes.department_name(original):
            return self._department_code(original, attempt), None
        if _NUMBERED.fullmatch(fold_line(original)):
            return self._numbered(original, attempt), None
        return self._land(original, attempt)

    def _area(self, kind: str, code: str, original: str, attempt: int) -> tuple[str, Noun]:
        """Return the area of the commune drawn for a place in it, so that an address stays one address.

        If its name is a person's ("Loire"), its region is written, or the country. Without such a place, another area
        is drawn by the key.
        """
        drawn = self._drawn_in(kind, code)
        if drawn is not None and not attempt:
            table = self._gazette.communes
            department, region = table.department_name(drawn.department), table.region_name(drawn.region)
            told = [("department", department), ("region", region)][kind == "region" :]
            for named, name in told:
                if name and self._context.forbidden_names.isdisjoint(words(name)):
                    return name, Noun(_KINDS[named], article_of(name))
            return _COUNTRY, Noun(Kind.COUNTRY, "la")
        near = tuple(name for name in listed(kind) if not is_overseas(name))
        name = self._other(near, original, attempt)
        return name, Noun(_KINDS[kind], article_of(name))

    def _drawn_in(self, kind: str, code: str) -> Commune | None:
        here = (one for one in self._gazette.places.values() if one.commune and getattr(one.commune, kind) == code)
        place = next(here, None)
        return None if place is None else self._gazette.surrogate(place)

    def _department_code(self, original: str, attempt: int) -> str:
        """Return a code for "21" in "le 21": the drawn commune's department, else one of the region, else any."""
        drawn = self._drawn_in("department", original)
        if drawn is not None and not attempt:
            return drawn.department
        table = self._gazette.communes
        region = next((one.region for one in table.in_department(original)), "")
        codes = [code for code in area_names("department") if code != original]
        near = [code for code in codes if any(one.region == region for one in table.in_department(code)[:1])]
        return self._context.stream("area code", original, str(attempt)).choice(near or codes)

    def _drawn_abroad(self, country: str) -> Commune | None:
        """Return the town drawn for the document's first place in a country or collectivity, or None."""
        place = next((one for one in self._gazette.places.values() if one.country == country), None)
        return None if place is None else self._gazette.surrogate(place)

    def _country(self, kind: str, code: str, original: str, attempt: int) -> tuple[str, Noun]:
        """Return the drawn town's country, else another of the same part of the world by the key."""
        drawn = self._drawn_abroad(code)
        if drawn is not None and not attempt and (name := area_names(kind).get(drawn.region)) is not None:
            return _country_noun(name)
        like = countries(world(code)) if kind == "country" else listed(kind)
        return _country_noun(self._other(like, original, attempt))

    def _other(self, choices: Sequence[str], original: str, attempt: int) -> str:
        """Draw one of some names, uniformly, another than the original that brings nothing back."""
        stream = self._context.stream("area", comparable(original), str(attempt))
        for _ in range(_TRIES):
            name = stream.choice(choices)
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
        """Return another arrondissement in the same form: "1er", "12e", "3e arr."."""
        number = int(written[1])
        drawn = (
            1 + (number + stream.below(_DISTRICTS - 1)) % _DISTRICTS if number <= _DISTRICTS else 1 + stream.below(20)
        )
        ending = "er" if drawn == 1 else "e" if written[2] in ("er", None) else written[2]
        return f"{drawn}{ending if written[2] else ''}{written[3] or ''}"

    def _land(self, original: str, attempt: int) -> tuple[str, Noun | None]:
        """Keep the kind of land ("lac"), with a commune's name; replace a town abroad within its part of the world."""
        if (country := abroad.country_of(original)) is not None and abroad.is_listed(original):
            place = Place(f"abroad {country} {comparable(original)}", None, abroad.world(country), country)
            return self._gazette.surrogate(place, attempt).name, TOWN
        commune = self._gazette.anywhere("land", " ".join(words(original)), str(attempt))
        head = _LAND.match(fold_line(original))
        if head is None or head.end() == len(original):
            return commune.name, TOWN
        return f"{original[: head.end()]} {of_place(commune.name)}", None


def _country_noun(name: str) -> tuple[str, Noun]:
    return name, Noun(Kind.COUNTRY, article_of(name))
