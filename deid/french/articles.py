"""Prepositions and articles ahead of a name, read from a text and written again to fit another name.

"d'Avignon" is "de Saint-Laurent", "du Mans", "des Abymes", "de La Rochelle"; "en Bretagne" is "dans le Grand Est".
Source: Grevisse and Goosse, Le bon usage, 16th edition (elision; contraction; prepositions of countries and regions).
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from deid.french.folding import without_accents

_SPACE = "[ \u00a0\u202f]+"
_WORDS = (
    "dans l['’]|dans (?:la|les|le) |de l['’]|@ l['’]|(?:[dl]|qu)['’]|"
    "(?:de la|@ la|du|des|de|aux|au|@|en|dans|les|la|le|que) "
)
_A = "(?:à|(?-i:A))"  # without its accent, a small "a" may be a verb
_AHEAD = re.compile(f"(?<![\\w'’-])(?:{_WORDS.replace('@', _A).replace(' ', _SPACE)})\\Z", re.IGNORECASE)
_MOMENT = re.compile(
    f"(?<![\\w'’-])(?P<governed>(?:depuis|vers|avant|après|pour|pendant|dès){_SPACE}(?=le))?"
    f"(?P<words>(?:au moment|lors|(?:au|le) jour){_SPACE}(?:de l['’]|(?:de la|des|du|de){_SPACE}))\\Z",
    re.IGNORECASE,
)
_LONGEST = 30
_CONTRACTED = {"du": ("de", "le"), "des": ("de", "les"), "au": ("a", "le"), "aux": ("a", "les")}
_ELIDED = {"de": "d'", "que": "qu'"}
_ELIDABLE = re.compile(r"\bl[ae]\W+\Z", re.IGNORECASE)  # "la Rose", "de la Rose", but not "du petit Léo"
_DEFINITE = ("l'", "la", "le", "les")
_OWN = re.compile(r"(?:l['’]|(?:les|la|le) )(?=\w)", re.IGNORECASE)
# Beginnings of names with a mute h, folded; before the others "de" keeps its vowel.
_MUTE = re.compile(
    "h(?:yeres|ieres|endaye|onfleur|arfleur|enin|irson|agetmau|ericourt|ericy|erault|exagone|ermi|erman|erbi|opital"
    "|elene|enri|elois|ermine|ermance|erve|erbert|ilaire|ilda|ippolyte|iver\\b|onor|ortens|ubert|ugue|ugo|yacinth)"
)
_SEMIVOWEL = re.compile("y(?=[aeiou])|oui(?!s)|onz")


class Kind(StrEnum):
    """Kind of what a name is of, from which prepositions follow."""

    TOWN = "town"  # an article is part of the name: "Le Mans", "Les Abymes"
    DEPARTMENT = "department"  # "dans l'Ain", "en Côte-d'Or"
    REGION = "region"  # "en Occitanie", "dans le Grand Est"
    COUNTRY = "country"  # "au Maroc"
    NAME = "name"  # of an organisation: "à la SNCF", "aux Cèdres"
    SEASON = (
        "season"  # "au printemps", "à l'été", "en été"; behind "de" alone no article comes: "vacances de printemps"
    )
    FEAST = "feast"  # or the middle of a month: "à Noël", "à la Toussaint", "depuis la mi-mai", "de l'Ascension"
    PERSON = "person"  # "d'Anne", "qu'Anne"; an article ahead is none of the name: "la Marie", "l'Anne", "du petit Léo"


_PARTS = frozenset({Kind.DEPARTMENT, Kind.REGION, Kind.COUNTRY})


class Noun(NamedTuple):
    """Grammar of a name: its kind, and the article that it takes beside its own ("le", "la", "l'", "les" or none)."""

    kind: Kind
    article: str = ""

    @property
    def is_area(self) -> bool:
        """True of a department, a region or a country."""
        return self.kind in _PARTS


TOWN = Noun(Kind.TOWN)
PERSON = Noun(Kind.PERSON)


class Ahead(NamedTuple):
    """Words ahead of a name as written, with their space; the preposition ("de", "a", "en", "dans", "que" or none) and
    the article ("le", "la", "l'", "les" or none) that they are.
    """

    text: str
    preposition: str
    article: str


def read_ahead(before: str) -> Ahead | None:
    """Return the preposition and article that a text ends with, on one line; None if it ends with neither."""
    found = _AHEAD.search(before[-_LONGEST:])
    if found is None:
        return None
    words = without_accents(found.group()).casefold().replace("’", "'").split()
    if words[-1] in _DEFINITE:
        return Ahead(found.group(), words[0] if len(words) > 1 else "", words[-1])
    full = next((full for full, elided in _ELIDED.items() if elided == words[0]), words[0])
    return Ahead(found.group(), *_CONTRACTED.get(full, (full, "")))


def read_ahead_of_time(before: str) -> Ahead | None:
    """Return the words ahead of a middle of a month, with the day or moment of a feast: "au moment de la mi-mai"
    is "à la mi-mai", "depuis le jour de la mi-mai" is "depuis la mi-mai".
    """
    found = _MOMENT.search(before[-_LONGEST:])
    if found is None:
        return read_ahead(before)
    return Ahead(found["words"], "" if found["governed"] else "a", "la")


def own_article(name: str) -> str:
    """Return the article that a name begins with, with its space: "le " of "le Doubs"; empty for none."""
    found = _OWN.match(name)
    return found.group() if found else ""


def is_elided(name: str) -> bool:
    """Return whether "de" loses its vowel before a name: "d'Yvetot", "d'Hyères", but "de Yutz", "de Haguenau"."""
    plain = without_accents(name).casefold()
    if plain.startswith("h"):
        return _MUTE.match(plain) is not None
    return plain[:1] in tuple("aeiouy") and not _SEMIVOWEL.match(plain)


def of_place(name: str) -> str:
    """Return a town behind "de": "de Gray", "d'Auxonne", "du Val", "des Essarts"."""
    return "".join(_headed("de", "", TOWN, name))


def fitted(ahead: Ahead, noun: Noun, name: str) -> str:
    """Return a name behind the words that it needs in the place of `ahead`, whose case and apostrophe they keep."""
    if noun.kind is Kind.PERSON and ahead.article == "l'" and not is_elided(name):
        return _like(ahead.text, _joined(ahead.preposition, noun.article or "le", name), name) + name
    if noun.kind is Kind.PERSON and _ELIDABLE.search(ahead.text) and is_elided(name):
        return _like(ahead.text, _joined(ahead.preposition, "l'", name), name) + name
    if noun.kind is Kind.PERSON and (ahead.article or ahead.preposition not in _ELIDED):
        return ahead.text + name
    if noun.kind is Kind.SEASON:
        preposition = "a" if ahead.preposition == "en" and noun.article == "le" else ahead.preposition
        article = noun.article if ahead.article or preposition != ahead.preposition else ""
        return _like(ahead.text, _joined(preposition, article, name), name) + name
    if noun.kind is Kind.FEAST:
        preposition = "a" if ahead.preposition in ("en", "dans") else ahead.preposition
        return _like(ahead.text, _joined(preposition, noun.article, name), name) + name
    head, rest = _headed(ahead.preposition, ahead.article, PERSON if noun.kind is Kind.PERSON else noun, name)
    return _like(ahead.text, head, rest) + rest


def _headed(preposition: str, had: str, noun: Noun, name: str) -> tuple[str, str]:
    """Return the words ahead of a name, and the name without the article that they took in."""
    if noun.is_area:
        return _ahead_of_area(preposition, had, noun, name), name
    if preposition == "en" or (preposition == "dans" and had and noun.kind is Kind.TOWN):
        preposition = "a"
    own = "" if noun.kind is Kind.PERSON else own_article(name)
    article = without_accents(own).casefold().strip()
    if not noun.article and article in ("le", "les") and preposition in ("de", "a"):
        return _joined(preposition, article, name), name[len(own) :]
    return _joined(preposition, noun.article, name), name


def _ahead_of_area(preposition: str, had: str, noun: Noun, name: str) -> str:
    """Return the words ahead of a department, region or country."""
    kind, article = noun
    kept = article == "l'" and kind is Kind.DEPARTMENT  # "de l'Ain", "dans l'Ain", but "d'Algérie", "en Algérie"
    if preposition in ("a", "en", "dans"):
        if not article:
            return _joined("a", "", "")
        if article in ("la", "l'") and not kept:
            return "en "
        return _joined("a" if kind is Kind.COUNTRY else "dans", article, "")
    contracted = had in ("le", "les") and kind is Kind.COUNTRY  # "retour du Pérou", but "retour de Grèce"
    if preposition == "de" and (not had or contracted) and article in ("la", "l'") and not kept:
        return "d'" if article == "l'" else "de "
    return _joined(preposition, article, name)


def _joined(preposition: str, article: str, name: str) -> str:
    """Return preposition and article as they stand ahead of a name, contracted and elided."""
    for written, parts in _CONTRACTED.items():
        if article and parts == (preposition, article):
            return f"{written} "
    if preposition in _ELIDED and not article:
        return _ELIDED[preposition] if is_elided(name) else f"{preposition} "
    spaced = "à " if preposition == "a" else f"{preposition} " if preposition else ""
    return spaced + (article if article in ("", "l'") else f"{article} ")


def _like(model: str, head: str, name: str) -> str:
    """Return the words ahead in the case of other such words, with their apostrophe and their "a" without accent."""
    if "’" in model:
        head = head.replace("'", "’")
    if re.match(r"A\b", model):
        head = head.replace("à ", "a ")
    letters = [char for char in model if char.isalpha()]
    if all(map(str.isupper, letters)) and (len(letters) > 1 or name.isupper()):
        return head.upper()
    return head[:1].upper() + head[1:] if letters[0].isupper() else head
