"""Agreement of the text written for a date with the article or preposition ahead, which stays as it is.

"du 11 au 16 mars" said with less is "du mois de mars 2021 au mois de mars 2021". Ahead of a feast, and of a month or
season alone, the words are written again (`noun_of`): "au printemps", "à l'été"; "à la Toussaint", "à Noël". A noun
put before a date adds nothing about it: choosing that noun by the words ahead, which are public, reads only what is
public. The result is never finer than the text given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from deid.domain.document import Mention
from deid.french.articles import PERSON, Kind, Noun
from deid.french.folding import fold_line
from deid.substitution.context import DocumentContext

_AHEAD = re.compile(
    r"(?:^|[^a-z0-9']|qu')(jusqu'a|jusqu'au|jusqu'en|[ld]'|le|la|les|du|des|au|aux|ce|cette|un|une|en|de|a|et|ou|"
    r"depuis|vers|avant|apres|pour|pendant|entre|puis|nee?)(?:\(e\))?\s{0,3}$"
)
_REACH = 14
_BEHIND_A_WORD = re.compile(r"[a-z)] $")
_VOWELS = tuple("aeiouh")

# What a month, a year, a decade or "avant 1934" is said by behind a word that it cannot follow.
_MASCULINE, _PLURAL = ("le", "du", "au", "jusqu'au", "ce"), ("les", "des", "aux")
_BORN = ("ne", "nee")
_BEFORE_A_PLURAL = ("dès", "et", "ou", "depuis", "vers", "avant", "apres", "pour", "pendant", "entre", "puis")
_BEFORE_A_NOUN = ("de", "a", "jusqu'a", *_BEFORE_A_PLURAL)
_MONTH = dict.fromkeys((*_MASCULINE, *_PLURAL), "mois de ") | dict.fromkeys(_BORN, "en ")
_MONTH |= {"la": "période de ", "cette": "période de ", "l'": "époque de ", "un": "jour de ", "une": "date de "}
_YEAR = dict.fromkeys(_MASCULINE, "courant de l'année ") | dict.fromkeys(_PLURAL, "mois de ")
_YEAR |= dict.fromkeys(_BORN, "en ")
_YEAR |= {"au": "cours de l'année ", "ce": "jour de l'année ", "la": "période de ", "l'": "année ", "cette": "année "}
_YEAR |= {"un": "jour de ", "une": "date de ", "d'": "époque de "}
_DECADE = dict.fromkeys(_MASCULINE, "courant des années ") | dict.fromkeys(_BORN, "dans les années ")
_DECADE |= dict.fromkeys(_BEFORE_A_PLURAL, "les années ")
# "en" takes no article; "de" and "à" would melt into one.
_DECADE |= dict.fromkeys(("de", "a", "jusqu'a"), "la décennie ")
_DECADE |= dict.fromkeys(("en", "jusqu'en"), "cours de décennie ")
_DECADE |= {"au": "cours des années ", "ce": "jour des années ", "un": "jour des années ", "l'": "époque des années "}
_DECADE |= {"la": "décennie ", "cette": "décennie ", "une": "année de la décennie "}
_EARLIER = dict.fromkeys((*_MASCULINE, *_PLURAL), "temps d'") | {"la": "période d'", "l'": "époque d'", "un": "jour d'"}

_OF_BAND = dict.fromkeys((*_MASCULINE, "un"), "sujet de ") | dict.fromkeys(("la", "une", "cette"), "tranche de ")
_OF_BAND |= dict.fromkeys(_PLURAL, "sujets de ") | {"l'": "âge de ", "d'": "environ "}

# What a feast or a season of another gender is said by.
_FEAST = re.compile(r"(sainte?-|rentree|toussaint|mi-|fin dec)|(ascension)|noel|paques")
_OF_FEAST = dict.fromkeys(_MASCULINE, "jour de ") | dict.fromkeys(_PLURAL, "fêtes de ")
_OF_FEAST |= {"la": "fête de ", "une": "fête de ", "cette": "fête de ", "un": "jour de ", "l'": "époque de "}
# The middle of a month follows no masculine article: "au jour de l'an" becomes "au mois de juin".
_MIDDLE = "mi-"
_OF_MIDDLE = dict.fromkeys(_MASCULINE, "mois de ") | {"les": "jours de ", "des": "jours de ", "aux": "environs de "}
_OF_MIDDLE |= {"l'": "époque de ", "un": "jour de ", "une": "période de ", "cette": "période de ", "d'": "environ "}
_SEASON = re.compile(r"(printemps)|ete|hiver|automne")
_OWN = re.compile(r"l'|(?:la|le|les) ")
_OWN_OR_NOUN = re.compile(rf"{_OWN.pattern}|{_FEAST.pattern}|{_SEASON.pattern}")
_MONTH_NAME = re.compile(r"(?:janv|fev|mars|avr|mai|jui|aout|sept|oct|nov|dec)")
_OF_SEASON = dict.fromkeys(_MASCULINE, "courant de ") | {"au": "cours de ", "l'": "époque de ", "d'": "époque de "}
_OF_SEASON |= {"la": "période de "}
_REWRITTEN = ("l'", "d'", "le", "du", "au", "en", "de", "a")  # of a season the words ahead are written again
_MELTED = (*_REWRITTEN, "la", "les", "des", "aux")  # and of a feast
WORKING_DAY, WEEKEND_DAY = "semaine", "week-end"  # of which a day is, behind "jour de"
_BEFORE_A_TIME = ("dès", "depuis", "vers", "avant", "apres", "pour")
_VAGUE = re.compile(r"(?:ces derni|dans les prochain)\w+ (?P<noun>\w+)")
_ELIDES = re.compile(r"(?!huit|onze)[aeiouh]")
_BESIDE = {("d'", "la veille"): "un jour plus tôt", ("d'", "le lendemain"): "un jour plus tard"}
_BESIDE |= {(word, "le lendemain"): "dans un jour" for word in ("de", "a", "jusqu'a")}


def ahead(context: DocumentContext, mention: Mention) -> str:
    """Return the article or preposition ahead of a mention, folded except "dès"; "" for another word, or none."""
    found = _AHEAD.search(context.plain_before(mention, _REACH))
    if found is None:
        return ""
    accented = "è" in context.before(mention, _REACH)[slice(*found.span(1))].lower()
    return "dès" if found[1] == "des" and accented else found[1]


def elides(context: DocumentContext, mention: Mention) -> bool:
    """Return whether an apostrophe ("d'", "l'") is within 14 characters before a mention: quicker than `ahead`."""
    return "'" in context.plain_before(mention, _REACH)


def behind_a_word(context: DocumentContext, mention: Mention) -> bool:
    """Return whether a word other than an article or preposition comes before a mention: "revient lundi"."""
    return not ahead(context, mention) and _BEHIND_A_WORD.search(context.plain_before(mention, 2)) is not None


def of_less(word: str, text: str) -> str:
    """Make a generalised date ("mars 2021", "2021", "années 2010", "avant 1934") agree with `word` ahead."""
    if text.startswith("années "):
        return _DECADE.get(word, "années ") + text.removeprefix("années ")
    if text.startswith("avant "):
        return _EARLIER.get(word, "") + text
    if text[:1].isdecimal():
        return _YEAR.get(word, "") + text
    if word == "d'":
        return text if text.startswith(_VOWELS) else f"époque de {text}"
    return _after(_MONTH.get(word, ""), "", text)


def of_vague(word: str, text: str) -> str:
    """Make a generalised distance ("ces derniers mois", "dans les prochains jours") agree with `word` ahead."""
    said, ahead = _VAGUE.match(text), text.removeprefix("dans les ")
    if said is None:
        return text
    if word in ("d'", "l'"):
        one = "une" if said["noun"] in ("semaines", "années") else "un"
        return f"{one} de {text}" if ahead == text else f"{one} des {ahead}"
    if word in _MASCULINE or word == "la":
        head = "période " if word == "la" else "cours " if word == "au" else "courant "
        return f"{head}de {text}" if ahead == text else f"{head}des {ahead}"
    return text.removeprefix("dans ") if word in _BEFORE_A_TIME else text


def of_band(word: str, text: str) -> str:
    """Make a band of ages ("60-79 ans", "90 ans et plus") agree with `word` ahead ("une trentaine")."""
    return _OF_BAND.get(word, "") + text


def matters(context: DocumentContext, mention: Mention, text: str) -> bool:
    """Return whether `of_moved` may change the text of a mention: it leaves figures alone, and most months."""
    if text[:1].isdecimal():
        return False
    return elides(context, mention) or _OWN_OR_NOUN.match(fold_line(text)) is not None


def of_moved(word: str, text: str, *, rewritten: bool) -> str:
    """Make a moved feast, season or month agree with `word` ahead: "mi-mai" after "depuis" is "la mi-mai".

    `rewritten` says that an article or preposition on its line will be written again, by `noun_of`.
    """
    article = _OWN.match(fold_line(text))
    bare = text if article is None else text[article.end() :]
    if (noun := _noun(fold_line(bare))) is None:
        return text
    if noun.heads is not _OF_SEASON and article is None and rewritten and word in _MELTED:
        return text
    if noun.heads is _OF_MIDDLE and word in _MASCULINE:
        return _after(_OF_MIDDLE[word], "", bare[len(_MIDDLE) :])
    if noun.heads is _OF_SEASON and article is None and rewritten and word in _REWRITTEN:
        return text
    if noun.own == word or (noun.own == "le" and word in _MASCULINE) or (word == "d'" and noun.own == "l'"):
        return bare
    owned = noun.heads is not _OF_SEASON or noun.own == "l'"  # "de l'été", as the feast is "de la Toussaint"
    if head := noun.heads.get(word):
        said = _after(head, noun.own, bare)
    elif article is not None or (owned and word in _BEFORE_A_NOUN):
        said = _with_article(word, noun, bare)
    else:
        return text
    return said if article is None or not text[0].isupper() else said[0].upper() + said[1:]


def noun_of(text: str) -> Noun | None:
    """Return the grammar of a month, season or feast that a text opens with; words ahead are written again by it."""
    plain = fold_line(text)
    if feast := _FEAST.match(plain):
        return Noun(Kind.FEAST, _own_of(feast))
    if plain in (WORKING_DAY, WEEKEND_DAY):
        return Noun(Kind.FEAST)
    if season := _SEASON.match(plain):
        return Noun(Kind.SEASON, "le" if season[1] else "l'")
    return PERSON if _MONTH_NAME.match(plain) else None


def of_distance(word: str, text: str) -> str:
    """Make a moved distance or age agree with `word` ahead: "d'un jour plus tôt", not "d'la veille"."""
    plain = fold_line(text)
    if (said := _BESIDE.get((word, plain))) is not None:
        return said.upper() if text.isupper() else said
    return text if word != "d'" or _ELIDES.match(plain) else _after("environ ", "", text)


@dataclass(frozen=True, slots=True)
class _Noun:
    """A feast or season: its own article, and the phrase that introduces it after each other word."""

    own: str
    heads: Mapping[str, str]


def _noun(plain: str) -> _Noun | None:
    if (feast := _FEAST.match(plain)) is not None:
        return _Noun(_own_of(feast), _OF_MIDDLE if feast[1] == _MIDDLE else _OF_FEAST)
    if (season := _SEASON.match(plain)) is not None:
        return _Noun("le" if season[1] else "l'", _OF_SEASON)
    return None


def _own_of(feast: re.Match[str]) -> str:
    return "la" if feast[1] else "l'" if feast[2] else ""


def _with_article(word: str, noun: _Noun, text: str) -> str:
    """Return `text` after its own article; after "de" or "à", which melt with "le", as "l'époque du printemps"."""
    if noun.own == "le" and word in ("de", "a", "jusqu'a"):
        return _after("l'époque de ", "le", text)
    return _after("", noun.own, text)


def _after(head: str, own: str, text: str) -> str:
    """Return `head`, the article `own` and `text` as one: "cours de ", "l'" and "été" give "cours de l'été"."""
    if head.endswith(" de "):
        if own == "le":
            head, own = f"{head[:-3]}du ", ""
        elif not own and text.lower().startswith(("a", "o", "é")):
            head = f"{head[:-3]}d'"
    said = head + (own if own.endswith("'") or not own else f"{own} ")
    return (said.upper() if text.isupper() else said) + text
