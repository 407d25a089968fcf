"""Read RELDATE mentions: moments said by their distance from the document's date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from deid.french import numerals
from deid.french.calendar import MONTH_OF, SEASON_OF, WEEKDAY_OF
from deid.french.folding import fold_line
from deid.substitution.temporal import feasts
from deid.substitution.temporal.tokens import FoldedWords, run_at
from deid.substitution.temporal.values import Unit

_UNITS = {
    "jour": Unit.DAY, "jours": Unit.DAY, "j": Unit.DAY, "jrs": Unit.DAY, "jr": Unit.DAY, "journees": Unit.DAY,
    "semaine": Unit.WEEK, "semaines": Unit.WEEK, "sem": Unit.WEEK, "mois": Unit.MONTH, "m": Unit.MONTH,
    "trimestre": Unit.QUARTER, "trimestres": Unit.QUARTER, "semestre": Unit.SEMESTER, "semestres": Unit.SEMESTER,
    "an": Unit.YEAR, "ans": Unit.YEAR, "annee": Unit.YEAR, "annees": Unit.YEAR, "a": Unit.YEAR,
    "ete": Unit.YEAR, "etes": Unit.YEAR, "hiver": Unit.YEAR, "hivers": Unit.YEAR, "printemps": Unit.YEAR,
    "saison": Unit.SEASON, "saisons": Unit.SEASON,
    "decennie": Unit.DECADE, "decennies": Unit.DECADE, "week-end": Unit.WEEK, "week-ends": Unit.WEEK,
}  # fmt: skip
_HOURS = {"h": 1, "heure": 1, "heures": 1, "minute": 0, "minutes": 0, "min": 0, "mn": 0}
ABOUT = {
    "dizaine": 10, "douzaine": 12, "quinzaine": 15, "vingtaine": 20, "trentaine": 30, "quarantaine": 40,
    "cinquantaine": 50, "soixantaine": 60, "huitaine": 8,
}  # fmt: skip
_UNIT = (
    r"(?:jours?|jrs?|j|journees|semaines?|sem\.?|mois|m|trimestres?|semestres?|ann?ees?|ans?|h|heures?|minutes?|min|mn|"
    r"etes?|hivers?|printemps|saisons?|decennies?|week[- ]ends?)"
)
_BACK = (
    r"il y (?:aurait|avait)|(?:ill?|im|ol|el) y'? ?a|il ya|ilya|y'? ?a|il fait|ca fait|cela fait|voici|voila(?:it)?|"
    r"depuis"
)
_AHEAD = r"dans(?: les?)?|ds|sous|d' ?ici(?: a)?|d ici(?: a)?|apres|avant|a"
_NEARLY = (
    r"(?: plus d[e']| moins d[e']| un peu plus de| un peu moins de| \+ de| - de| environ| pres de| presque| a peine|"
    r" deja| bientot| quelque| a peu pres| maintenant| de cela)?"
)
_COUNTED = re.compile(
    rf"(?P<lead>(?:d' ?)?(?:(?P<back>{_BACK})|{_AHEAD}){_NEARLY} ?)"
    r"(?:une? (?:petite |bonne )?(?P<about>[a-z]+aine) (?:de |d')?|(?P<digits>\d+)|(?P<words>[a-z]+(?:[ -][a-z]+)*?))"
    r"(?:(?P<to> (?:a|ou|puis) |(?<=\d)(?: ?[-/] ?| et ))(?P<upto>\d+|[a-z]+(?:[ -][a-z]+)*?))?"
    rf"(?P<gap> ?)(?P<unit>{_UNIT})\.?"
    r"(?P<tail> et demie?| environ| a peu pres| maintenant| deja| presque jour pour jour| jour pour jour)?"
)
# Counted from a moment that the words around say: "3 jours avant", "deux ans plus tard", "6 semaines".
_APART = re.compile(
    rf"(?:(?P<digits>\d+)|(?P<words>[a-z]+(?:[ -][a-z]+)*?))(?P<gap> ?)(?P<unit>{_UNIT})\.?"
    r"(?P<tail> (?:plus tard|plus tot|avant|apres|auparavant|avant cela|apres cela))?"
)
_BEFORE = ("tot", "avant", "auparavant", "avant cela")
_WORDS_AND = re.compile(r"(?P<first>[a-z-]+)(?P<to> et )(?P<last>[a-z-]+) [a-z]+$")
_SOME = {"quelques": 3, "plusieurs": 5}
_FORTNIGHT = re.compile(r"(?P<lead>(?:dans|sous|d'ici|il y a)) (?:une |la )?(?P<about>quinzaine|huitaine)")
# "J-2", "à J+10", "J 4": numbered from a day that the words around say.
_NUMBERED = re.compile(r"(?P<lead>(?:a |des |jusqu'a )?j ?(?P<sign>[+-]?) ?)(?P<digits>\d{1,3})")
# "ces dernières semaines", "ces six derniers mois", "ces prochains jours".
_THESE = re.compile(
    r"(?P<article>(?:ces|les|au cours des|dans les) )?(?:(?P<digits>\d+) |(?P<words>[a-z]+) )?"
    rf"(?P<side>dernier|prochain)e?s (?:(?P<later>\d+|[a-z]+) )?(?P<unit>{_UNIT})"
)
_NAMED = {
    "avant-hier": -2, "avant hier": -2, "avanthier": -2, "hier": -1, "ce jour": 0, "cejour": 0, "aujourd'hui": 0,
    "aujourdhui": 0, "aujourd hui": 0, "ce matin": 0, "ce midi": 0, "ce soir": 0, "cesoir": 0, "cette nuit": 0,
    "cet apres-midi": 0,
    "cet apres midi": 0, "cette apres-midi": 0, "cet aprem": 0, "cet apm": 0, "cette apres midi": 0, "ce jour meme": 0,
    "maintenant": 0, "dans la matinee": 0, "dans la journee": 0, "dans la soiree": 0, "cette matinee": 0,
    "cette soiree": 0, "dans la nuit": 0, "demain": 1, "apres-demain": 2, "apres demain": 2, "la veille": -1,
    "le lendemain": 1,
    "la nuit derniere": -1, "la nuit passee": -1, "la nuit prochaine": 0, "l'avant-veille": -2,
    "l'avant veille": -2, "tout a l'heure": 0,
    "le surlendemain": 2,
}  # fmt: skip
_OF_TODAY = frozenset("jour journee matin matinee soir soiree midi nuit apres aujourd".split())
_THAT_DAY = frozenset("ce cet cette meme aujourd".split())
_TODAY = (
    _OF_TODAY | _THAT_DAY | set("le la l a au en de d du des dans fin debut cours depuis hui ci jusqu tot vers".split())
)
_PART_OF_DAY = re.compile(
    r" (?:matin|soir|midi|apres-midi|apres midi|aprem|apm|nuit|dans la nuit|dans la (?:journee|matinee|soiree)|"
    r"au soir|au matin|en fin de (?:journee|matinee))$"
)
_WITH_MORE = re.compile(
    r"(?:avant-hier|hier|ce jour|aujourd'hui|ce (?:matin|midi|soir)|cette nuit|demain)(?= [a-z])(?=[a-z' -]+\Z)"
    rf"(?!.*\b(?:{'|'.join(sorted({*numerals.NUMBER_WORDS, *MONTH_OF, *WEEKDAY_OF, *SEASON_OF}))})\b)"
)
_SIDE = {
    "dernier": -1, "derniere": -1, "passe": -1, "passee": -1, "precedent": -1, "precedente": -1, "ecoule": -1,
    "ecoulee": -1, "d'avant": -1, "prochain": 1, "prochaine": 1, "pro": 1, "suivant": 1, "suivante": 1, "a venir": 1,
    "qui vient": 1, "en huit": 2, "en 8": 2, "en quinze": 3, "en 15": 3,
}  # fmt: skip
_SIDED = re.compile(
    r"(?P<head>(?:le |la |l'|l |les |d'ici |pour |en |a |avant |des |courant |fin |debut |mi[- ])*)"
    rf"(?P<what>[a-z' -]+?) (?P<side>{'|'.join(_SIDE)})(?: [a-z ]+)?"
)
_THIS = re.compile(r"(?:(?:en )?fin de |au debut de |debut de )?(?:ce|cet|cette) (?P<what>[a-z' -]+?)(?:-ci|-la| ci)?")
_END = re.compile(
    r"(?:avant |d'ici |pour |vers |a |en )?(?:la |le )?(?:fin|debut|milieu) (?:du|de la|de l'|de|d') ?"
    r"(?P<what>mois|semaine|annee|an|trimestre|semestre)"
)
_BY = re.compile(r"(?:d'ici|avant|pour|vers|a|des) (?:l'|la |le |les )?(?P<what>[a-z' -]+)")
_HEADED = {"an", "annee", "semaine", "mois", "week-end", "week end", "weekend", "trimestre", "semestre", "saison"}
_WORDS = frozenset(
    "semaine semaines dernier derniere derniers dernieres prochain prochaine annee annees mois jours jour demain hier "
    "soir matin aujourd hui avant apres dans depuis lundi mardi mercredi jeudi vendredi samedi dimanche quinze trois "
    "quatre six deux dix une".split()
)
_LEXICON = FoldedWords(_WORDS | numerals.NUMBER_WORDS | frozenset(SEASON_OF))
_BROKEN_LEAD = re.compile(r"^[i1l]{2} ?(?=y ?a)|^[1li](?=a |'|es? )")


@dataclass(frozen=True, slots=True)
class Relative:
    """A distance from the anchor in `unit`, negative in the past, or a weekday, month, season or feast on a side.

    `named` is the number of a weekday, or of a month or season said by name; `feast` the name of a feast; with either,
    `offset` only says the side (−1 last, 0 this, 1 next; 2 and 3 weekdays of the weeks after). `span` is what a
    range adds ("dans six à huit semaines").
    """

    unit: Unit
    offset: int
    manner: Manner
    named: int | None = None
    span: int = 0
    feast: str | None = None


@dataclass(frozen=True, slots=True)
class Manner:
    """The written form of a RELDATE.

    `model` gives the case. `counted`: by a number, in words if `spoken`, `about` if roughly ("une dizaine de"), after
    `lead`, before `gap`, `unit_word` and `tail`; `to` is between the two numbers of a range; `part`, of the day;
    `hours`: counted in hours; `apart`: from another moment than the document's; `vague`: without a number.
    """

    model: str
    counted: bool = False
    spoken: bool = False
    unit_word: str = ""
    lead: str = ""
    about: bool = False
    part: str = ""
    hours: bool = False
    gap: str = " "
    to: str = ""
    tail: str = ""
    apart: bool = False
    vague: bool = False


def parse_relative(text: str) -> Relative | None:
    """Read the text of a RELDATE mention; None if it cannot be read.

    Words behind a day told by its name stay ("hier dans la passe"), if they are small letters alone and no time.
    """
    read = _read(text)
    if read is None and (day := _WITH_MORE.match(fold_line(text))) and text[day.end() :].islower():
        read = _read(text[: day.end()])
        return read and replace(read, manner=replace(read.manner, model=text))
    return read


def _read(text: str) -> Relative | None:
    one_line = re.sub(r"\s", " ", text)
    if "  " in one_line:
        one_line = re.sub(" +", " ", one_line)
    for said in _spellings(one_line.strip(" .,;")):
        plain = fold_line(said)
        for reader in (_named, _counted, _apart, _numbered, _fortnight, _these, _ending, _sided, _this, _by, _today):
            if (found := reader(plain, said)) is not None:
                return found
    return None


def _spellings(text: str) -> Iterator[str]:
    """Yield `text`, then with its scanned words mended, then with one space less."""
    yield text
    mended = _mended(text)
    if mended != text:
        yield mended
    for space in (place for place, char in enumerate(text) if char == " "):
        yield _mended(text[:space] + text[space + 1 :])


def _mended(text: str) -> str:
    """Return `text` with the words broken by a scanner made whole."""
    plain = _BROKEN_LEAD.sub(lambda match: {2: "il", 3: "il "}.get(len(match.group()), "l"), fold_line(text))
    pieces = re.split(r"([a-z0-9|!]+)", plain)
    found = []
    for piece in pieces:
        if not piece or run_at(piece, 0) != piece or piece in _UNITS or piece in _SIDE:
            found.append(piece)
        elif re.fullmatch(r"[0-9ol|]*\d[0-9ol|]*", piece):
            found.append(piece.translate(str.maketrans("ol|", "011")))
        else:
            found.append(_LEXICON.mended(piece) or piece)
    mended = "".join(found)
    return mended.upper() if text.isupper() else mended


def _today(plain: str, text: str) -> Relative | None:
    """Read words without a number that say the document's own day, or a part: "ce même jour", "le soir même"."""
    said = set(re.split(r"[ '-]", plain))
    today = said <= _TODAY and not said.isdisjoint(_OF_TODAY) and not said.isdisjoint(_THAT_DAY)
    return Relative(Unit.DAY, 0, Manner(text, vague=True)) if today else None


def _named(plain: str, text: str) -> Relative | None:
    part = _PART_OF_DAY.search(plain)
    name = plain if plain in _NAMED else plain[: part.start()] if part else plain
    if name not in _NAMED:
        return None
    said = text[part.start() :].strip() if part and plain not in _NAMED else ""
    return Relative(Unit.DAY, _NAMED[name], Manner(text, part=said))


def _counted(plain: str, text: str) -> Relative | None:
    match = _COUNTED.fullmatch(plain)
    if match is None:
        return None
    unit_word = match["unit"].rstrip(".").replace("week end", "week-end")
    sign = -1 if match["back"] else 1
    if match["words"] in _SOME and unit_word in _UNITS:
        return Relative(_UNITS[unit_word], sign * _SOME[match["words"]], Manner(text, vague=True))
    number = _quantity(match["about"], match["digits"], match["words"])
    if number is None:
        return _two(plain, text)
    upto = _quantity(None, match["upto"], match["upto"]) if match["upto"] else None
    if match["upto"] and upto is None:
        return None
    manner = Manner(
        text,
        counted=True,
        spoken=match["digits"] is None,
        unit_word=unit_word,
        lead=text[: match.end("lead")],
        about=match["about"] is not None,
        hours=unit_word in _HOURS,
        gap=match["gap"],
        to=text[match.start("to") : match.end("to")] if match["to"] else "",
        tail=text[match.start("tail") : match.end("tail")] if match["tail"] else "",
    )
    if unit_word in _HOURS:
        days = -(-number * _HOURS[unit_word] // 24)
        return Relative(Unit.DAY, sign * days, manner)
    return Relative(_UNITS[unit_word], sign * number, manner, span=max(0, (upto or number) - number))


def _two(plain: str, text: str) -> Relative | None:
    """Read two numbers in words that are no number together: "à trois et six mois"."""
    match = _WORDS_AND.search(plain)
    if match is None or any(_quantity(None, None, match[name]) is None for name in ("first", "last")):
        return None
    found = _counted(plain[: match.start("to")] + " ou " + plain[match.end("to") :], text)
    if found is None:
        return None
    return replace(found, manner=replace(found.manner, to=text[match.start("to") : match.end("to")]))


def _apart(plain: str, text: str) -> Relative | None:
    """Read a distance from another moment than the document's, as if counted from the document's."""
    match = _APART.fullmatch(plain)
    number = _quantity(None, match["digits"], match["words"]) if match else None
    if match is None or number is None or (unit_word := match["unit"].rstrip(".")) not in _UNITS:
        return None
    tail = text[match.start("tail") : match.end("tail")] if match["tail"] else ""
    spoken = match["digits"] is None
    manner = Manner(text, counted=True, spoken=spoken, unit_word=unit_word, gap=match["gap"], tail=tail, apart=True)
    return Relative(_UNITS[unit_word], -number if plain.endswith(_BEFORE) else number, manner)


def _numbered(plain: str, text: str) -> Relative | None:
    """Read a numbered day ("J-2"), as if counted from the document's."""
    match = _NUMBERED.fullmatch(plain)
    if match is None:
        return None
    number = int(match["digits"])
    manner = Manner(text, counted=True, lead=text[: match.end("lead")], gap="", apart=True)
    return Relative(Unit.DAY, -number if match["sign"] == "-" else number, manner)


def _quantity(about: str | None, digits: str | None, words: str | None) -> int | None:
    if about:
        return ABOUT.get(about)
    if digits and digits.isdecimal():
        return int(digits)
    return numerals.read_number(re.findall("[a-z]+", words or ""))


def _fortnight(plain: str, text: str) -> Relative | None:
    match = _FORTNIGHT.fullmatch(plain)
    if match is None:
        return None
    manner = Manner(text, counted=True, spoken=True, unit_word="jours", lead=text[: match.end("lead")] + " ")
    days = ABOUT[match["about"]]
    return Relative(Unit.DAY, -days if match["lead"] == "il y a" else days, manner)


def _these(plain: str, text: str) -> Relative | None:
    """Read the last or next days, weeks or months: as many as their number, or one."""
    match = _THESE.fullmatch(plain)
    if match is None or match["unit"].rstrip(".") not in _UNITS:
        return None
    place = next((name for name in ("digits", "words", "later") if match[name]), None)
    number = _quantity(None, match[place], match[place]) if place else 1
    if number is None:
        return None
    unit = _UNITS[match["unit"].rstrip(".")]
    manner = Manner(text)
    if place:
        lead, noun = text[: match.start(place)], text[match.end(place) :].lstrip()
        spoken = not match[place].isdecimal()
        manner = Manner(text, counted=True, spoken=spoken, unit_word=noun, lead=lead, apart=True)
    elif match["article"] is None and unit is Unit.DECADE:
        return None
    return Relative(unit, -number if match["side"] == "dernier" else number, manner)


def _ending(plain: str, text: str) -> Relative | None:
    match = _END.fullmatch(plain)
    if match is None:
        return None
    return Relative(_UNITS[match["what"]], 1, Manner(text))


def _by(plain: str, text: str) -> Relative | None:
    """Read "d'ici lundi", "avant l'été", "à la rentrée" as the next one."""
    match = _BY.fullmatch(plain)
    return _thing(match["what"], 1, text) if match and match["what"] not in _HEADED else None


def _sided(plain: str, text: str) -> Relative | None:
    match = _SIDED.fullmatch(plain)
    if match is None:
        return None
    found = _thing(match["what"].strip(), _SIDE[match["side"]], text)
    if found is None or found.unit is not Unit.MONTH or found.named is None:
        return found
    return replace(found, manner=replace(found.manner, lead=text[: match.end("head")]))


def _this(plain: str, text: str) -> Relative | None:
    match = _THIS.fullmatch(plain)
    return _thing(match["what"], 0, text) if match else None


def _thing(what: str, side: int, text: str) -> Relative | None:
    """Read a week, month, year, weekday, season or feast, on a side of now."""
    what = what.removeprefix("l'").removeprefix("l ").strip()
    units = {"semaine": Unit.WEEK, "sem": Unit.WEEK, "week-end": Unit.WEEK, "weekend": Unit.WEEK, "week end": Unit.WEEK}
    units |= {"mois": Unit.MONTH, "trimestre": Unit.QUARTER, "semestre": Unit.SEMESTER, "saison": Unit.SEASON}
    units |= {"an": Unit.YEAR, "annee": Unit.YEAR, "anne": Unit.YEAR, "decennie": Unit.DECADE}
    if what in units:
        word = "week-end" if what.startswith("week") else ""
        return Relative(units[what], side, Manner(text, unit_word=word))
    if what in WEEKDAY_OF and len(what) > 2:
        return Relative(Unit.DAY, side, Manner(text), named=WEEKDAY_OF[what])
    if what in SEASON_OF:
        return Relative(Unit.SEASON, side, Manner(text), named=SEASON_OF[what])
    if what in MONTH_OF:
        return Relative(Unit.MONTH, side, Manner(text), named=MONTH_OF[what])
    feast = feasts.feast_named(what)
    return Relative(Unit.MONTH, side, Manner(text), feast=feast) if feast is not None else None
