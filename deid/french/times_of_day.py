"""Times of day in French writing ("à 14h35", "14:35:20", "dix-huit heures trente"), and the part of the day of each."""

from __future__ import annotations

import re
from typing import NamedTuple

from deid.french.folding import fold_line
from deid.french.numerals import read_number

_LAST_HOUR = 23
_UNITS = "un|une|deux|trois|quatre|cinq|six|sept|huit|neuf"
_TEENS = "dix|onze|douze|treize|quatorze|quinze|seize|dix[ -]sept|dix[ -]huit|dix[ -]neuf"
_IN_WORDS = rf"(?:vingt(?:[ -](?:et[ -])?(?:une|deux|trois))?|{_TEENS}|zero|{_UNITS})"
_MINUTES_IN_WORDS = rf"(?:(?:vingt|trente|quarante|cinquante)(?:[ -](?:et[ -])?(?:{_UNITS}))?|{_TEENS}|cinq)"
# "et demie" and the like → minutes.
_FRACTIONS = {"demie": 30, "demi": 30, "quart": 15}
_NOON = 12
_HOUR = re.compile(r"\A.+?(?= ?h(?:eures?)?\Z)", re.IGNORECASE)
# What makes of the number behind an hour no minutes: "à 20 h 40 mg", "vers 18h 25 comprimés".
_COUNTED = (
    r"(?! ?(?:mg|mcg|[uµ]g|k?g|[mcd]?l|cc|ui|u|unites?|meq|mmol|cpr?s?|comprimes?|gel(?:ules?)?|amp(?:oules?)?|"
    r"gouttes?|bouffees?|sachets?|doses?|prises?|mmhg|[mc]m|h|heures?|ans?|jours?|j|mois|semaines?|fois|x|selles?|patients?)"
    r"(?!\w)| ?[%°])"
)

# Of text folded by `fold` or `fold_line`. `ahead`: the words that a part of the day takes in ("à", "vers", "de").
CLOCK = re.compile(
    r"(?:(?<=\d)(?P<iso>t)|(?<![\w*°+])(?<!\d[:.,/])"
    r"(?P<ahead>(?:jusqu'a|jusque vers|aux (?:alentours|environs) de|vers(?: les)?|de|a|@) {0,2})?(?<![a-z]))"
    rf"(?P<hour>(?P<figures>[01]?\d|2[0-3])|(?P<words>{_IN_WORDS}(?= heures?\b)))"
    r"(?:"
    r" ?: ?(?P<minute>[0-5]\d)(?: ?: ?(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?(?:z|[+-]\d\d:?\d\d(?!\d))?(?: ?h(?!\w))?"
    r"| ?(?P<unit>heures?|hrs?|h)"
    rf"(?:(?: (?=[0-5]\d{_COUNTED})|(?! ))(?P<after>[0-5]\d)(?!\d)"
    r"(?:(?: ?(?:minutes?|min|mn|m)(?!\w))?(?: ?[0-5]\d ?s(?:econdes?)?(?!\w))?)"
    r"| (?P<sign>et|moins)(?: le)? (?P<fraction>demie?|quart)"
    rf"| (?P<spoken>{_MINUTES_IN_WORDS})(?![\w-])(?: minutes?)?)?"
    r")"
    r"(?P<tail> (?:du |de l'|de la |le )(?P<half>matin|soir|apres[ -]midi|nuit))?"
    r"(?!\w)(?!:\d)(?![.,]\d)"
)
# Six hours each, in the order of the day, so that generalising never swaps two times of one day.
PARTS_OF_DAY = ("nuit", "matin", "après-midi", "soir")
_LENGTH = 24 // len(PARTS_OF_DAY)
_ARTICLES = ("la ", "le ", "l'", "le ")
_OF = ("de la ", "du ", "de l'", "du ")
_AT = ("à la ", "au ", "à l'", "au ")


class ClockTime(NamedTuple):
    """A time of day as it is written.

    Attributes:
        ahead: the preposition in the mention, folded, without space; "t" between a date and a time of ISO 8601.
        hour: from 0 to 23, whatever half of the day the words say.
        minute: from 0 to 59.
        exact: whether more than the hour is written.
        unit: whether a word or letter for hours follows the hour.
        spans: offsets of the hour, of the end of its unit, and of the words for a half of the day.
    """

    ahead: str
    hour: int
    minute: int
    exact: bool
    unit: bool
    spans: tuple[int, int, int]

    @property
    def part(self) -> int:
        """Position in `PARTS_OF_DAY`: four parts of six hours, which begin at midnight, 6, 12 and 18 hours."""
        return self.hour // _LENGTH


def read_clock(text: str) -> ClockTime | None:
    """Return the time of day that is the whole of a text; None where it is none."""
    found = CLOCK.fullmatch(fold_line(text)) or CLOCK.fullmatch("0" + fold_line(text), 1)
    return None if found is None else clock_of(found)


def clock_of(found: re.Match[str]) -> ClockTime:
    """Return the time of day of a match of `CLOCK`."""
    ahead = "t" if found["iso"] else (found["ahead"] or "").strip()
    hour = int(found["figures"]) if found["figures"] else read_number(re.split("[ -]", found["words"])) or 0
    minute = int(found["minute"] or found["after"] or 0)
    if found["spoken"]:
        minute = read_number(re.split("[ -]", found["spoken"])) or 0
    elif found["fraction"]:
        minute = _FRACTIONS[found["fraction"]]
    if found["sign"] == "moins":
        hour, minute = (hour - 1) % (_LAST_HOUR + 1), 60 - minute
    if found["half"] and found["half"] not in ("matin", "nuit") and hour < _NOON:
        hour += _NOON
    exact = any(found[part] for part in ("minute", "after", "fraction", "spoken"))
    end = found.end("unit") if found["unit"] else found.end("hour")
    half = found.end() if found["half"] is None else found.start("tail")
    spans = (found.start("hour") - found.start(), end - found.start(), half - found.start())
    return ClockTime(ahead, hour, minute, exact, bool(found["unit"]), spans)


def to_the_hour(text: str, clock: ClockTime) -> str:
    """Return a time of day as it is written, without its minutes: "neuf heures moins le quart" is of 8 hours."""
    if not clock.exact:
        return text
    start, end, half = clock.spans
    said = read_clock(text[:end] + text[half:])
    same = said is None or said.hour == clock.hour
    hour = text[start:end] if same else _HOUR.sub(str(clock.hour), text[start:end])
    return text[:start] + hour + ("" if clock.unit or clock.ahead == "t" else "h") + text[half:]


def part_words(part: int, ahead: str, *, noun: bool = False, bound: bool = False) -> str:
    """Return a part of the day in the form that a sentence keeps.

    Args:
        part: position in `PARTS_OF_DAY`.
        ahead: the preposition that it takes in, as `ClockTime.ahead`.
        noun: whether an article must stand before it ("depuis le matin").
        bound: whether it is the end of a span that "de" opens ("du matin au soir").
    """
    word = PARTS_OF_DAY[part]
    if ahead == "t":
        return f" {word}"
    if ahead == "de":
        return _OF[part] + word
    if ahead.startswith("jusqu"):
        return "jusqu'" + _AT[part] + word
    if bound:
        return _AT[part] + word
    return _ARTICLES[part] + word if ahead or noun else word
