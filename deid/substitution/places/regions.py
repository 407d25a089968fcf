"""LOC: departments and regions of the drawn communes, other countries, and named landmarks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from deid.domain import read_lists
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import TOWN, Ahead, Kind, Noun, fitted, is_elided, of_place, own_article
from deid.french.folding import accented_like, comparable, fold_line, in_case_of, words
from deid.french.gentiles import Gentile, gentile_of
from deid.privacy.stream import KeyedStream
from deid.reference.partition import is_overseas_code
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, redraw_digits, tag
from deid.substitution.places import abroad
from deid.substitution.places.areas import (
    area,
    area_names,
    article_of,
    is_overseas,
    is_public,
    listed,
    misspelt_country,
)
from deid.substitution.places.countries import Countries
from deid.substitution.places.finding import Place
from deid.substitution.places.gazette import Gazette
from deid.substitution.places.streets import Hamlets

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
# Names whose case is not followed: "USA", "région clunisoise".
_ACRONYM = re.compile(r"(?:[A-Z]\.?){2,4}|(?:la )?r[ée]gion [a-zà-ÿ-]+")
_OF = re.compile(r"(?:de la |de l['’]|du |des |de |d['’])", re.IGNORECASE)
_ARTICLES = {"de la": "la", "de l'": "l'", "du": "le", "des": "les"}
# Words ahead of inhabitants: of a noun; those whose form a vowel behind them decides; the beginning of a sentence.
_DETERMINER = re.compile(r"(?<![a-z])(?:cett?e?|une?|les?|la|des|du|aux?|ces|jeunes?|l'|d')[ ]?\Z")
_ELIDING = re.compile(r"(?<![a-z])(?:ce|cet|le|la|du|au|de|que|[ldq]u?')[ ]?\Z")
_OPENING = re.compile(r"(?:\A|[.!?:;•\n-] *|  )\Z")
_NUMBERED = re.compile(r"(?:[adn]|rn|rd|rcea)? ?\d+ ?[a-z]?(?:er|e|eme)?(?: arr[a-z]*\.?)?|[ivx]+e?(?: arr[a-z]*\.?)?")
_DISTRICT = re.compile(r"(\d{1,2}) ?(er|eme|e)?( arr[a-z]*\.?)?")
# Paris has as many arrondissements.
_DISTRICTS = 20
_LISTS = read_lists(__file__)
_LISTED = _LISTS["rivers"]


def _with_articles(said: str) -> Mapping[str, str]:
    """Return name → its article, of names told with theirs: "la Saône, l'Ain"."""
    names = (" ".join(name.split()) for name in said.split(","))
    return {name[len(own_article(name)) :]: own_article(name).strip() for name in names}


RIVERS = _with_articles(_LISTED["names"])
_OVERSEAS_RIVERS = {code: _with_articles(said) for code, said in _LISTS["rivers_overseas"].items()}
_AT_RIVER = re.compile(rf"\b(?:{_LISTED['ahead']})(?: [a-z]+)?(?: (?:de|dans|a|sur|en))?[ ]?(?:(?:la|le|du|l')[ ]?)?\Z")
# Kind of land → what follows the word for it, and this word, which may be ahead of the mention: "quartier du [Petit
# Maroc]".
_LAND_NAMES = {kind: tuple(" ".join(one.split()) for one in said.split(",")) for kind, said in _LISTS["land"].items()}


def _behind_de(rivers: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(fitted(Ahead("de la ", "de", "la"), Noun(Kind.NAME, rivers[one]), one) for one in rivers)


_LAND_NAMES["river"] = _behind_de(RIVERS)
_WORD_OF_LAND = re.compile("|".join(rf"(?P<{kind}>\b(?:{said})\b)" for kind, said in _LISTS["land_words"].items()))
_LAND_AHEAD = re.compile(rf"(?:{_WORD_OF_LAND.pattern}) (?P<of>de la |de l'|du |des |de |d')?\Z")
# Mountains and lands that are called without a word for them: name → its article, by kind.
_CALLED_ALONE = [
    {
        name[found.end() :]: article
        for name in _LAND_NAMES[kind]
        if (found := _OF.match(name)) and (article := _ARTICLES.get(found.group().strip()))
    }
    for kind in ("massif", "pays")
]
# What stands behind it is a department, if it is one no longer or misspelt: "Département ? « la [Seine] »".
_AT_DEPARTMENT = re.compile(r"\bdepartement[ ?:«\"-]*(?:d[eu] |d')?(?:l[ae] |l')?\Z")
_TRIES = 60
_ABROAD = frozenset({"country", "collectivity", "continent"})
_KINDS = {"department": Kind.DEPARTMENT, "region": Kind.REGION}


Area = tuple[str, str]  # kind and code
# The surrogate of a mention that names an organisation of the document by its own name alone; None for another mention.
Short = Callable[[Mention, int], Draft | None]


def _names_of_land(found: re.Match[str], said: str) -> Sequence[str]:
    """Return what may follow the word found for land: abroad where `said` is, with "de" where it is ahead of `said`."""
    kind = next(kind for kind in _LISTS["land_words"] if found[kind])
    abroad_names = _LAND_NAMES.get(f"{kind}_abroad", ())
    bare = comparable(_OF.sub("", said, count=1))
    away = any(comparable(_OF.sub("", name, count=1)) == bare for name in abroad_names)
    names = abroad_names if away else _LAND_NAMES[kind]
    of = found.groupdict().get("of", "inside")
    fitting = [name for name in names if of == "inside" or bool(_OF.match(name)) is bool(of)]
    return fitting or names


class Regions:
    """Generator of LOC for one document."""

    def __init__(self, context: DocumentContext, gazette: Gazette, short: Short) -> None:
        self._context = context
        self._gazette = gazette
        self._hamlets = Hamlets(context)
        self._short = short
        self._countries = Countries(context, gazette)

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return an area of the same kind; a commune of the home territory for one that no table knows."""
        original = self._context.text(mention)
        if self._context.policy.places.strategy == "tag":
            return tag(Label.LOC, original)
        if (form := self._gazette.gentile(mention)) is not None:
            return self._inhabitants(mention, form, attempt)
        known = area(original) or self._told_department(mention, original)
        if not known and (site := self._short(mention, attempt)) is not None:
            return site
        if not known and (hamlet := self.hamlet(mention, attempt)) is not None:
            return hamlet
        if not known and (land := self._site(mention, original, attempt)) is not None:
            return land
        if (alike := self._called_alike(mention, original, known)) is not None:
            bare = original[len(own_article(original)) :]
            name = self._other(tuple(alike), bare, attempt)
            cased = accented_like(original, in_case_of(bare, name), self._context.accented)
            kind = Kind.DEPARTMENT if alike in _CALLED_ALONE else Kind.NAME  # "en Sologne", "dans le Médoc"
            return Draft(cased, STRATEGY, noun=Noun(kind, alike[name]))
        article = own_article(original) if known and not is_public(original) else ""
        bare = original[len(article) :]
        seat = self._gazette.seat(mention)
        text, noun = self._text(bare, known, seat, attempt)
        may_return = is_public(bare) or (not attempt and self._follows(bare, seat))
        cased = text if _ACRONYM.fullmatch(bare) else in_case_of(bare, text)
        return Draft(accented_like(original, cased, self._context.accented), STRATEGY, may_return=may_return, noun=noun)

    def hamlet(self, mention: Mention, attempt: int) -> Draft | None:
        """Return the surrogate of a hamlet that an address names as well, or that says so itself; else None."""
        if not self._hamlets.is_known(mention):
            return None
        original = self._context.text(mention)
        text, said = self._hamlets.rewritten(original, attempt)
        return Draft(accented_like(original, text, self._context.accented), STRATEGY, noun=None if said else TOWN)

    def _told_department(self, mention: Mention, original: str) -> Area | None:
        """Return a department without a code for a name that no table knows behind that word; else None."""
        told = not any(map(str.isdigit, original)) and _AT_DEPARTMENT.search(self._context.plain_before(mention))
        return ("department", "") if told else None

    def _called_alike(self, mention: Mention, original: str, known: Area | None) -> Mapping[str, str] | None:
        """Return the rivers or lands, with articles, that stand for one called by its name alone; None for another.

        A department's name is a river's where words ahead tell the water: "bord de la Vienne".
        """
        bare = comparable(original[len(own_article(original)) :])
        lists = [_OVERSEAS_RIVERS.get(self._gazette.home.department, {}), RIVERS, *_CALLED_ALONE]
        alike = next((names for names in lists if bare in map(comparable, names)), None)
        if known and (alike is not RIVERS or _AT_RIVER.search(self._context.plain_before(mention)) is None):
            return None
        return alike

    def _follows(self, original: str, seat: Place | None) -> bool:
        """Return whether an area, or a department's code, follows a drawn commune, which may lie in the original."""
        if seat is not None or self._town_of_land(original) is not None:
            return True
        kind, code = area(original) or ("department", original)
        drawn = self._gazette.drawn_in(kind, code) if kind in _KINDS else self._countries.drawn_abroad(code)
        return drawn is not None

    def _text(self, original: str, known: Area | None, seat: Place | None, attempt: int) -> tuple[str, Noun | None]:
        """Return the surrogate of an area without its article, and its grammar if the words ahead must agree."""
        if is_public(original):
            return original, None
        kind, code = known or ("", "")
        if kind in _KINDS:
            return self._area(kind, code, original, seat, attempt)
        if kind in _ABROAD:
            return self._country(kind, code, attempt)
        if self._gazette.communes.department_name(original.upper()):
            return self._department_code(original.upper(), seat, attempt), None
        if _NUMBERED.fullmatch(fold_line(original)):
            return self._numbered(original, attempt), None
        if (country := misspelt_country(original)) is not None and not self._gazette.communes.find(original):
            return self._country("country", country, attempt)
        return self._land(original, attempt)

    def _site(self, mention: Mention, original: str, attempt: int) -> Draft | None:
        """Return the surrogate of a quarter, park, island or valley: another; None where a town is called so, overseas.

        "quartier du Petit Maroc" → "quartier de la Gare", the word inside the mention or ahead of it.
        """
        article = own_article(original)
        inside = _WORD_OF_LAND.match(fold_line(original), len(article))
        found = inside or _LAND_AHEAD.search(self._context.plain_before(mention))
        if found is None or self._town_of_land(original) is not None:
            return None
        said = original[found.end() :].lstrip(" -") if inside else original
        names = self._names_of_land(found, said)
        if not names or not said or any(map(str.isdigit, said)):  # "secteur [4]" is another number
            return None
        name = self._other(names, said, attempt)
        if inside:
            text = f"{original[: found.end()]} {in_case_of(said, name)}"
            return Draft(accented_like(original, text, self._context.accented), STRATEGY)
        of = _OF.match(name)
        name, article = name[of.end() if of else 0 :], _ARTICLES.get(fold_line(of.group()).strip(), "") if of else ""
        cased = accented_like(original, in_case_of(original, name), self._context.accented)
        return Draft(cased, STRATEGY, noun=Noun(Kind.NAME, article))

    def _names_of_land(self, found: re.Match[str], said: str) -> Sequence[str]:
        """Return what may follow the word found for land; overseas, the rivers of the department alone."""
        department = self._gazette.home.department
        if not is_overseas_code(department):
            return _names_of_land(found, said)
        return _behind_de(_OVERSEAS_RIVERS.get(department, {})) if found["river"] else ()

    def _inhabitants(self, mention: Mention, form: Gentile, attempt: int) -> Draft:
        """Return the inhabitants of the town drawn for theirs: "Rémoise", else "habitante de Gray"; its adjective."""
        original, place = self._context.text(mention), self._gazette.places[mention.start]
        town = self._gazette.surrogate(place, attempt).name
        start = max(original.rfind(sign) for sign in " '’\n") + 1
        head, word = original[:start], original[start:]
        ahead = self._context.plain_before(mention) + fold_line(head)
        name = gentile_of(town, form.feminine, form.plural)
        capital = word[:1].isupper() and not word.isupper()
        if not capital and not _DETERMINER.search(ahead):
            text = name or of_place(town)
        elif name is not None and (not _ELIDING.search(ahead) or is_elided(name) is is_elided(word)):
            text = name.capitalize() if capital else name
        else:
            dweller = "résident" if _ELIDING.search(ahead) and not is_elided(word) else "habitant"
            text = f"{dweller}{'e' * form.feminine}{'s' * form.plural} {of_place(town)}"
            if capital and _OPENING.search(ahead):
                text = text[:1].upper() + text[1:]
        cased = text.upper() if word.isupper() else text
        may_return = self._gazette.may_return(place)
        return Draft(accented_like(original, head + cased, self._context.accented), STRATEGY, may_return=may_return)

    def _area(self, kind: str, code: str, original: str, seat: Place | None, attempt: int) -> tuple[str, Noun]:
        """Return the area of the commune drawn for its town, else for a place in it: an address stays one address.

        If its name is a person's ("Loire"), its region is written, or the country. Without such a place, another area
        is drawn by the key.
        """
        drawn = self._gazette.drawn_in(kind, code) if seat is None else self._gazette.surrogate(seat)
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

    def _department_code(self, original: str, seat: Place | None, attempt: int) -> str:
        """Return a code for "21" in "le 21": the drawn commune's department, else one of the region, else any."""
        drawn = self._gazette.drawn_in("department", original) if seat is None else self._gazette.surrogate(seat)
        if drawn is not None and not attempt:
            return drawn.department
        table = self._gazette.communes
        region = next((one.region for one in table.in_department(original)), "")
        codes = [code for code in area_names("department") if code != original]
        near = [code for code in codes if any(one.region == region for one in table.in_department(code)[:1])]
        return self._context.stream("area code", original, str(attempt)).choice(near or codes)

    def _country(self, kind: str, code: str, attempt: int) -> tuple[str, Noun]:
        """Return the name of the country or collectivity that is drawn, and its grammar."""
        drawn = self._countries.surrogate(kind, code, attempt)
        name = area_names("collectivity" if kind == "collectivity" else "country")[drawn]
        return name, Noun(Kind.COUNTRY, article_of(name))

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
        told = self._town_of_land(original)
        bare = original[len(own_article(original)) :]
        about = ("land", " ".join(words(bare)), str(attempt))
        commune = self._gazette.anywhere(*about) if told is None else self._gazette.surrogate(told)
        head = _LAND.match(fold_line(original))
        if head is None or head.end() == len(original):
            return commune.name, TOWN
        return f"{original[: head.end()]} {of_place(commune.name)}", None

    def _town_of_land(self, original: str) -> Place | None:
        """Return the place of a town that the document names whose land this is, or itself: "gare de Nantes"."""
        head = _LAND.match(fold_line(original))
        rest = original[head.end() :] if head is not None else original
        return self._gazette.told(_OF.sub("", rest.strip()))
