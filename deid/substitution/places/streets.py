"""STREET: other numbers, the kind of way kept, its name from the open street list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french import numerals
from deid.french.articles import TOWN, of_place
from deid.french.folding import accented_like, case_of, comparable, fold_line, in_case_of, words
from deid.privacy.stream import KeyedStream
from deid.reference import CommuneTable
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, redraw, redraw_digits
from deid.substitution.places.finding import OneLine, read_one_line
from deid.substitution.places.gazette import Gazette

# Kinds of ways, folded, with the whole word that the street table files them under.
WAYS = {
    "rue": "rue", "r": "rue", "avenue": "avenue", "av": "avenue", "ave": "avenue", "boulevard": "boulevard",
    "bd": "boulevard", "bld": "boulevard", "boul": "boulevard", "bvd": "boulevard", "place": "place", "pl": "place",
    "placette": "place", "chemin": "chemin", "ch": "chemin", "che": "chemin", "chem": "chemin", "impasse": "impasse",
    "imp": "impasse", "allee": "allée", "allees": "allée", "all": "allée", "route": "route", "rte": "route",
    "quai": "quai", "qu": "quai", "cours": "cours", "crs": "cours", "square": "square", "sq": "square",
    "passage": "passage", "pas": "passage", "pass": "passage", "ruelle": "ruelle", "sente": "chemin",
    "sentier": "chemin", "montee": "montée", "mtee": "montée", "cote": "montée", "faubourg": "rue", "fg": "rue",
    "fbg": "rue", "esplanade": "place", "promenade": "allée", "voie": "voie", "traverse": "traverse",
    "venelle": "ruelle", "villa": "villa", "cite": "cité", "hent": "chemin", "chaussee": "route", "parvis": "place",
    "rond-point": "place", "mail": "allée", "carrefour": "place", "cour": "cour", "carrere": "rue", "carriera": "rue",
}  # fmt: skip
# Kinds of places that a name follows, folded; the word is kept and the name is replaced.
SITES = frozenset(
    "residence res rés immeuble imm batiment bat bât tour hameau ham lieu-dit lieudit lieu ferme mas domaine quartier "
    "qua qu lotissement lot clos chateau moulin foyer camp hlm village tribu zone zi za zac zup parc villa cite "
    "maison pavillon manoir caserne camping port bourg pk case ehpad bungalow chalet coron metairie hotel gite "
    "auberge".split()
)
# Words that count parts of a building or boxes of a post office: a letter or number follows.
UNITS = frozenset(
    "bis ter quater n no numero etage etg etages appt app apt appartement porte pte escalier esc entree logement lgt "
    "bp b p cs tsa cedex cidex boite postale chambre ch studio droite gauche rdc rez chaussee face er ere eme e niveau "
    "hall bloc bat bât batiment tour et de la le au".split()
)
# Words of an address that say nothing by themselves.
PLAIN = frozenset(
    "de du des d l la le les en et a au aux bis ter quater dit n no numero etage etg etages appt app apt appartement "
    "porte pte escalier esc entree logement lgt bp cs tsa cedex cidex boite postale chez chambre ch studio droite "
    "gauche rdc rez chaussee face er ere eme e artisanale industrielle activites d'activites bourg centre ville "
    "prolongee prolonge ancienne ancien grande grand petite petit route nationale departementale rn rd km cote "
    "derriere devant pres sous sur niveau hall bloc etb terrain mairie eglise dessus dessous haut bas hauts "
    "lieu dit rond point chef chef-lieu premier premiere deuxieme second seconde troisieme".split()
) | SITES | frozenset(WAYS)  # fmt: skip

SITE_NAMES = (
    "des Tilleuls", "des Acacias", "des Peupliers", "des Lilas", "des Cèdres", "du Parc", "des Glycines", "du Verger",
    "des Églantines", "du Belvédère", "de la Source", "des Pinsons", "de la Prairie", "des Merisiers", "du Lavoir",
    "des Alouettes", "de la Fontaine", "des Noisetiers", "du Grand Pré", "des Coquelicots", "des Mésanges",
    "du Vallon", "des Genêts", "de la Clairière", "des Bleuets", "des Hirondelles", "du Ruisseau", "des Châtaigniers",
    "des Charmes", "des Roseaux", "de Beauregard", "de Bellevue", "des Érables", "de la Garenne", "des Oliviers",
    "des Jonquilles",
)  # fmt: skip
HAMLETS = (
    "Les Grands Champs", "La Croix Verte", "Le Petit Bois", "Les Quatre Vents", "La Noue", "Le Vieux Four",
    "Les Essarts", "La Haute Borne", "Le Pré Long", "Les Sablons", "La Tuilerie", "Le Champ du Puits", "Les Brosses",
    "La Vigne Haute", "Le Gué", "Les Chaumes", "La Roche Plate", "Le Clos Neuf", "Les Marais", "La Combe",
    "Le Poirier", "Les Vernes", "La Bergerie", "Le Grand Chêne", "Les Fougères", "La Sablière", "Le Breuil",
    "Les Ormeaux", "La Lande", "Le Buisson",
)  # fmt: skip


STRATEGY = "street_list"
# Gates, rivers and quarters of one city, which a reader would look for in no other.
_OF_ONE_CITY = re.compile(
    r"\b(?:de la Porte|(?:de|la) Seine|de la (?:Loire|Garonne|Sorbonne)|du Rhône|Montmartre|du Louvre|de Longchamp|"
    r"de Vincennes|d'Auteuil|de Passy|de Vaugirard|Père Lachaise|Lac Daumesnil|du Tribunal de Paris)\b"
)
_HAMLET = re.compile(r"l(?:es?|a) ", re.IGNORECASE)
# What stands ahead of the name: "12 lieu-dit La", "hameau de la", "au lieu dit", "la".
_HAMLET_HEAD = re.compile(
    r"\s*(?:\d+\s*(?:bis|ter)?[\s,]*)?(?:(?:au )?(?P<said>lieu[ -]?dit\b|ham(?:eau\b|\.|(?= d[eu’' ])))[\s:«\"-]*)?"
    r"(?P<of>d[eu]s? |d['’])?(?:l[ea]s? |l['’])?",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"(?P<gap>[\s:]*[«\"“]?[\s-]*).*?(?P<close>\s?[»\"”])?", re.DOTALL)
_HAMLET_HEADS = frozenset({"hameau", "ham"})
_SMALL = frozenset({"les", "petit", "grand"})
_PARTS = re.compile(r"(\s*,?\s+[àÀ]\s*\Z|\s*[,;–—]\s*|\s+-\s+)")
_WORD = re.compile(r"[^\W\d_]+(?:-point|-dit)?\.?|\d+")
_LETTERS = re.compile(r"\s*((?:[^\W\d_]+[ -])+)")
_SINGLE = re.compile(r"(?<![^\W\d_])[A-Z](?![^\W\d_])")
# What makes a way's kind a name by itself, with a rank ahead: "Grande Rue", "première Grand-Rue".
_WHOLE_WAY = re.compile(
    r"(?:(?:premi[eè]re|deuxi[eè]me|seconde|troisi[eè]me) )?\b(?:grand'?e?|petite?|vieille)[ -]\Z", re.IGNORECASE
)
_LEAST_NAME = 3
_TRIES = 40


class StreetNames:
    """Names of the open street list by kind of way; built once per table."""

    def __init__(self, communes: CommuneTable) -> None:
        self._communes = communes

    @cached_property
    def by_way(self) -> Mapping[str, Sequence[str]]:
        """Return kind of way → names without it: "rue" → "des Tilleuls"."""
        groups: dict[str, list[str]] = defaultdict(list)
        for name in self._communes.streets:
            kind, _, rest = name.partition(" ")
            way = WAYS.get(fold_line(kind))
            local = any(char.isdigit() for char in rest) or _OF_ONE_CITY.search(rest)
            if way and any(char.isupper() for char in rest) and not local:
                groups[way].append(rest)
        return groups


@lru_cache(4)
def street_names(communes: CommuneTable) -> StreetNames:
    """Return the street names of a table, shared by all who draw from it."""
    return StreetNames(communes)


class Hamlets:
    """Names of the hamlets of one document."""

    def __init__(self, context: DocumentContext) -> None:
        self._context = context

    def name(self, written: str, attempt: int) -> str:
        """Return the name drawn for a hamlet; one that says a word of this document's places and names if all do."""
        stream = self._context.stream("hamlet", _core(written), str(attempt))
        for _ in range(_TRIES):
            name = stream.choice(HAMLETS)
            if not self._context.brings_back(name, _SMALL):
                break
        return name

    def rewritten(self, written: str, attempt: int) -> tuple[str, bool]:
        """Return a hamlet with another name behind the words that say what it is, and whether there are any."""
        found, name = _HAMLET_HEAD.match(written), self.name(written, attempt)
        if found is None or not found["said"]:
            return in_case_of(written, name), False
        numbers = self._context.stream("hamlet number", _core(written), str(attempt))
        ahead = redraw_digits(written[: found.end("said")], numbers)
        cased = in_case_of(written[found.end() :], of_place(name) if found["of"] else name)
        return ahead + _quoted(written[found.end("said") :], cased), True

    def is_known(self, mention: Mention) -> bool:
        """Return whether a mention is a hamlet: it says so, or another of the same name does."""
        written = self._context.text(mention)
        return _says(written) or _core(written) in self._said

    @cached_property
    def _said(self) -> frozenset[str]:
        """Return the comparable names of hamlets that say so somewhere, or are an address alone."""
        context = self._context
        parts = [part for one in context.labelled(Label.STREET) for part in _PARTS.split(context.text(one))[::2]]
        others = [context.text(one) for one in context.of((Label.LOC, Label.CITY))]
        said = [one for one in (*parts, *others) if _says(one)] + [one for one in parts if self._is_bare(one)]
        return frozenset(map(_core, said)) - {""}

    def _is_bare(self, part: str) -> bool:
        found = _HAMLET_HEAD.match(part)
        named = words(part[found.end() :] if found else part)
        return bool(named) and named[0] not in PLAIN and not any(map(str.isdigit, part))


class Streets:
    """Generator of STREET for one document; without a gazette, a postal code inside is redrawn as a number."""

    def __init__(self, context: DocumentContext, names: StreetNames, gazette: Gazette | None = None) -> None:
        self._context = context
        self._names = names
        self._hamlets = Hamlets(context)
        self._gazette = gazette

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the address with other numbers and names; a hamlet's name if every draw repeats one of its words."""
        context = self._context
        original = context.document.text[mention.start : mention.end]
        line = read_one_line(original) if self._gazette else None
        street = line.street if line else original
        text = self._other(street, attempt)
        if line is not None and self._gazette is not None:
            text += self._locality(mention, line, self._gazette)
        noun = TOWN if _HAMLET.match(text) else None  # "demeurant au [Bourg]"
        return Draft(accented_like(original, text, context.accented), STRATEGY, noun=noun)

    def _locality(self, mention: Mention, line: OneLine, gazette: Gazette) -> str:
        """Return the postal code and town of an address on one line: the drawn commune's, as in CITY and ZIP."""
        if self._context.policy.places.strategy == "tag":
            return f"{line.gap}[{Label.ZIP}]{line.space}{f'[{Label.CITY}]' if line.town else ''}"
        commune = gazette.surrogate(gazette.places[mention.start])
        abroad = redraw(line.code, self._context.stream("zip", commune.insee))
        code = gazette.code(mention, line.code, commune) or (f"[{Label.ZIP}]" if commune.zips else abroad)
        rest = redraw_digits(line.rest, self._context.stream("cedex", comparable(line.rest)))
        return f"{line.gap}{code}{line.space}{case_of(line.town)(commune.name) if line.town else ''}{rest}"

    def _other(self, original: str, attempt: int) -> str:
        stream = self._context.stream("street", comparable(original), str(attempt))
        hidden = frozenset([word for word in words(original) if len(word) >= _LEAST_NAME and word not in PLAIN])
        parts = _PARTS.split(original)  # what stands between two of them comes in every other place
        for _ in range(_TRIES):
            text = "".join(
                [part if at % 2 else self._part(part, attempt, stream) for at, part in enumerate(parts) if part]
            )
            if hidden.isdisjoint(words(text)):
                return text
        return in_case_of(original, stream.choice(HAMLETS))

    def _part(self, part: str, attempt: int, stream: KeyedStream) -> str:
        """Rewrite a part between commas: a way, a site, a unit of a building, or a bare place name."""
        marks = list(_WORD.finditer(part))
        for following, mark in enumerate(marks, 1):
            word = fold_line(mark.group()).rstrip(".")
            if word in WAYS and len(marks) > 1:
                whole = _WHOLE_WAY.search(part, 0, mark.start())
                start = whole.start() if whole else mark.start()
                before = self._before(part[:start], attempt, stream)
                return before + self._way(part, mark, WAYS[word], stream, plain=bool(whole))
            if word in SITES and following < len(marks):
                rest = marks[following:]
                before = self._before(part[: mark.start()], attempt, stream)
                return before + self._site(part, mark, rest, attempt, stream)
        if any(mark.group().isdigit() for mark in marks) and all(_counts(mark.group()) for mark in marks):
            return self._numbers(part, stream)
        return self._hamlet(part, marks, attempt, stream)

    def _before(self, text: str, attempt: int, stream: KeyedStream) -> str:
        """Rewrite the text before a way or site: redraw numbers, replace a name."""
        if not text or text.rstrip().isdigit():
            return redraw_digits(text, stream)
        marks = list(_WORD.finditer(text))
        if not marks or all(_counts(one.group()) or fold_line(one.group()) in PLAIN for one in marks) or _spoken(text):
            return self._numbers(text, stream)
        return self._hamlet(text, marks, attempt, stream) + " "

    def _way(self, part: str, mark: re.Match[str], way: str, stream: KeyedStream, *, plain: bool) -> str:
        """Return the way with another name; a `plain` way, whose kind was its name ("Grande Rue"), in lower case."""
        choices = self._names.by_way.get(way) or self._names.by_way["rue"]
        name, rest = stream.choice(choices), part[mark.end() :]
        head = mark.group().lower() if plain and not mark.group().isupper() else mark.group()
        dated = not any(map(str.isupper, rest)) and any(map(str.isdigit, rest))  # "rue du 8 mai 1945" has no capital
        return f"{head} {name if dated else case_of(part[mark.start() :])(name)}"

    def _site(
        self, part: str, mark: re.Match[str], after: Sequence[re.Match[str]], attempt: int, stream: KeyedStream
    ) -> str:
        """Keep the kind ("résidence", "bâtiment"); redraw the letters and numbers behind it, or replace its name."""
        head, rest = mark.group(), part[mark.end() :]
        if fold_line(head) == "ham" and not _says(part[mark.start() :]):
            return self._hamlet(part, after, attempt, stream)  # the town of Ham
        if all(_counts(one.group()) for one in after):
            return head + self._numbers(rest, stream)
        if rest.startswith("-dit") or fold_line(rest).startswith((" dit", "dit")):
            head, rest = part[mark.start() : after[0].end()], part[after[0].end() :]
        if "dit" in fold_line(head):
            name = self._hamlets.name(rest, attempt)
        elif fold_line(head).rstrip(".") in _HAMLET_HEADS:
            name = of_place(self._hamlets.name(rest, attempt))
        else:
            name = stream.choice(SITE_NAMES)
        return head + _quoted(rest, in_case_of(rest, name))

    def _hamlet(self, part: str, marks: Sequence[re.Match[str]], attempt: int, stream: KeyedStream) -> str:
        name = in_case_of(part, self._hamlets.name(part, attempt))
        if marks and marks[0].group().isdigit():
            return f"{self._numbers(marks[0].group(), stream)} {name}"
        return name

    def _numbers(self, text: str, stream: KeyedStream) -> str:
        """Redraw the digits and single capitals of a text, or a number in words at its beginning."""
        spoken = _spoken(text)
        if spoken is not None:
            said = numerals.write_number(1 + stream.below(98), hyphens="-" in spoken.group(1))
            return in_case_of(text, said) + " " + text[spoken.end() :]
        changed = redraw_digits(text, stream)
        return _SINGLE.sub(lambda _: stream.choice("ABCDEFGH"), changed)


def _quoted(written: str, name: str) -> str:
    """Return another name in the gap and quotes of a written one: " « Le Moulin »" → " « Le Gué »"."""
    found = _QUOTES.fullmatch(written)
    return f"{found['gap'] or ' '}{name}{found['close'] or ''}" if found else f" {name}"


def _counts(word: str) -> bool:
    """Return whether a word of an address is a number, a letter, or one that they follow ("bat", "étage")."""
    return word.isdigit() or len(word) == 1 or fold_line(word).rstrip(".") in UNITS


def _spoken(text: str) -> re.Match[str] | None:
    """Return the match of the words at the beginning if they are a number, else None."""
    match = _LETTERS.match(text)
    return match if match is not None and numerals.read_number(words(match.group(1))) is not None else None


def _says(written: str) -> bool:
    found = _HAMLET_HEAD.match(written)
    return found is not None and found["said"] is not None


def _core(written: str) -> str:
    """Return the comparable name of a hamlet alone: neither number nor article nor the word that says what it is."""
    found = _HAMLET_HEAD.match(written)
    return comparable(written[found.end() :] if found else written)
