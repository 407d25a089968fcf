"""Days and months in figures that their own form leaves open, beside sure dates of the same form and time.

"ponction 27/3, aiguille changée 30/3, prochaine 6/4": a pair of numbers is a date where the document has dates a few
weeks away, and nothing says that it is a score, a pressure or a fraction. A number above 31 before a month is a value,
one before a weekday counts visits ("visite 2 mer 13"). "87 ou 88": two figures joined to a year are one of its series.
"vue le 28/03 puis le 2 en réanimation": a day alone that a date of its sentence leads to is one too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from operator import itemgetter

from deid.detection.annotators.patterns.numeric_dates import reads_as_measure
from deid.detection.refining.clinical_values import drop_values
from deid.detection.refining.lookalikes import is_page
from deid.detection.refining.measured_values import PRESSURE_NAMED, is_arm_pressure
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.document import Mention, Vote
from deid.domain.labels import IDENTIFIERS, Label
from deid.french.calendar import DETECTED_MONTHS, MONTHS, WEEKDAYS

_SCORE = 0.8
_NEAR_DAYS = 31  # between a pair of a day and a month and a sure date
_NEAR_MONTHS = 24  # between a pair of a month and a year and a sure one
_PAIR = re.compile(r"(?<![\w/])(?<!\d[.,+-])(\d{1,2})/(\d{1,2})(?![\w/]|[.,]\d| ?(?:%|°))")
_DAY_MONTH = re.compile(r"(?:(?:le|du|au|[a-z]{3,9}\.?) )?(\d{1,2})[/.](\d{1,2})(?:[/.](?:\d{4}|\d\d))?")
_MONTH_YEAR = re.compile(r"(\d{1,2})/(?:20)?(\d\d)")
_OTHER_RATIO = re.compile(r"\d{1,3}/\d{1,3}[^\w\n]{0,3}(?:puis|et|ou|->|→|a)?[^\w\n]{0,3}\Z")
_PAGE = re.compile(r"\b(?:p|pg|pages?|folio|feuillets?)[ .:]{0,2}\Z")
_RATED = re.compile(r"\d/10|10/10")
_UNIT_BEHIND = re.compile(r"(?: (?:et|puis|,) \d{1,2}/\d{1,2})? ?(?:cm|mm|mg|ml)\b")
_WIDE = re.compile(r" {2}|\t|\|")
_LARGEST_PART = 8  # below the line of a fraction: "2/3", "5/8"
_VALUE_AND_MONTH = re.compile(r"(?P<value>\d+) (?P<month>[a-z]{3,9}\b.*)")
# "oct. 2017 : 22/30", "MMSE 22/30 mars 2019": out of a number that is no month, beside the date of the score.
_SCALE_REACH = 40
_OUT_OF = re.compile(rf"/(?:1[3-9]|[2-9]\d|100)(?![\d/]|[.,]\d| ?(?:{'|'.join(sorted(DETECTED_MONTHS))})\b)")
_OUT_OF_BEFORE = re.compile(
    rf"\b(?:{'|'.join(sorted(word_list('rated')))})\b[^.;\n]{{0,24}}?"
    r"(?<!\bl[ea] |\bdu |\bau )(?<!\bles |\bdes |\baux )\b\d\d?/\Z"
)
_TOTAL = re.compile(r"(?:10|15|20|30) (?=[a-z])")
_WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)}|lun|mar|mer|jeu|vend?|sam|dim)\.? "
# "mar 13" behind a number is March of a year.
_RANK_AND_DAY = re.compile(rf"\d{{1,2}} (?={_WEEKDAY}\d{{1,2}}(?: ?[/.-] ?| )\d)")
_RANK, _DAY_BEHIND = re.compile(r"\d{1,2}"), re.compile(rf" (?!mar\.? \d{{1,2}}(?![ /.-]?\d)){_WEEKDAY}\d")
_YEAR = re.compile(r"(?:1[89]|20)\d\d|[3-9]\d")
_YEAR_BEFORE = re.compile(r"(?<![\w/.,-])([3-9]\d)(?: (?:ou|et) (?:en )?| ?[-/] ?)\Z")
_NO_YEAR = "|".join(sorted({*DETECTED_MONTHS, *map(re.escape, word_list("year_units") | word_list("counted_things"))}))
_YEARS_BEHIND = re.compile(
    r"(?:(?: ou (?:en )?|[-–/]| (?:et (?:en )?|[-–/] )(?=\d\d ?(?:[,.;)\n]|\Z)))"
    rf"\d\d(?![\w/%°]|[.,:-]\d| ?[%°]| (?:{_NO_YEAR})\b))+"
)
# "le 28/03 au CHU puis le 2 en réanimation": a day of the month next to a date, and what may follow it.
_DAY = re.compile(
    rf"(?:[a-z]{{3,9}}\.? )?\d{{1,2}}(?:er)?(?:[/.]\d{{1,2}}(?:[/.]\d{{2,4}})?|"
    rf" (?:{'|'.join(sorted(DETECTED_MONTHS))})\.?(?: \d{{4}})?)?"
)
_NEXT_DAY = re.compile(
    r"(?:,? [^.;:\n\d]{1,40}?)?(?:,| et| puis| ensuite),? (?:puis )?le (?P<day>[1-9]|[12]\d|3[01])(?:er)?"
    r"(?=[,;)\n]|\.(?!\d)|\Z| (?:(?P<at>a)|vers|pour|avec|et|par|en|dans|chez|devant|lors|puis|sans|suite|apres|matin|"
    r"soir|midi)\b)"
)
# A bed, or an emergency number called, is no day, nor is what the verb "a" follows: "le 18 a été appelé".
_NO_DAY = re.compile(
    r"\b(?:numeros?|n°)(?!\w)|\b(?:appell\w+|appeler|contacter|compose[rz]?|(?:a|ont|ai|avait|avons) (?:r?appele|"
    r"contacte|prevenu))\b(?: en urgence)?(?:[ ,]|et|puis|ensuite)*le 1[578]\Z"
)
_PARTICIPLE = re.compile(r"(?!(?:charge|cote|distance|table|terme)\Z)\w+(?:[eiu]|[iu]s|it|[eo]rt|int)")
# Signs between cells, the surest first; a cell; pairs of a line of pressures, a weekday or time of day ahead of each.
_SIGNS = tuple(map(re.compile, (r"\|", r"\t", ";", " {2,}", " ")))
_POSED = r"(?: ?\(?(?:au repos|couchee?|debout|assise?|matin|midi|soir|bras|droite?|gauche|[dg])\b\)?)*"
_HEADING = re.compile(rf"(?:ta|t\.a\.|pa|tensions?|pressions?)(?: arterielles?)?{_POSED}(?: ?\(?[cm]m ?(?:de )?hg\)?)?")
_FILLED = re.compile(r"\S(?:.*\S)?")
_HOUR = r"(?:matin|midi|soir|nuit) ?"
_DAILY = re.compile(rf"\b(?:{_WEEKDAY}(?:{_HOUR})?|{_HOUR})(?:: ?)?(\d{{1,2}})/(\d{{1,2}})(?![\d/])")
# "TA à domicile : lundi 14/8, mardi 13/7", "automesures (3 jours) lundi 14/8 mmHg – mardi 13/7".
_DAYS = re.compile(rf"(?:{_DAILY.pattern}(?P<unit> ?[cm]m ?hg\b)?[ ,;–-]*(?:(?:puis|et) )?)+")
_TENSION = re.compile(
    r"\b(?:ta|t\.a\.|pa|tensions?|tensionnel\w*|automesures?)(?: arterielles?)?(?: [^.;,\n\d]{0,24})?"
    r"(?: ?\([^()\n]{0,24}\))?[ :,]*\Z"
)
_APPOINTED = re.compile(r"\b(?:rdv|rendez|consult|re(?:vu|voi)|convo|hospitalis|admi[st]|sorti|visite)")
_CLAUSE_REACH = 80
_SIGN = re.compile("[.;,]")
# Lines of notes that open with the initials of a weekday: "L 14/02 nuit", "V 18". The weekdays that each may be.
_INITIALS = {"l": "0", "ma": "1", "me": "2", "m": "12", "j": "3", "v": "4", "s": "5", "d": "6"}
_NOTED = re.compile(
    r"^[ \t]*(?P<initial>l|m[ae]?|[jvsd])\.? (?P<day>[1-9]|0[1-9]|[12]\d|3[01])(?:/(?P<month>0?[1-9]|1[0-2]))?"
    r"(?= *(?:$|:|\d{1,2} ?h|nuit|matin|midi|soir|apres-midi|am\b|pm\b))",
    re.MULTILINE,
)
# The first cell of a line of a table: "13/08 | 1 | 31", "14 | 2 | 31+1".
_OPENED = re.compile(
    r"^[ \t]*+(?:\|[ \t]*+)?+(?P<date>(?P<day>[1-9]|0[1-9]|[12]\d|3[01])(?:/(?P<month>0?[1-9]|1[0-2]))?)"
    r"(?=[ \t]*[|;]|\t| {2})",
    re.MULTILINE,
)
# "J2 5.6" alone on a line, "AVB 3/6 17h52": the number of a day ahead, or an hour behind, make a date of a fraction.
_NUMBERED_DAY = re.compile(
    r"^[ \t]*j ?\+?\d{1,3} ?[:(-]? ?(?P<pair>(?P<day>[1-9]|0[1-9]|[12]\d|3[01])[./](?P<month>0?[1-9]|1[0-2]))\)? *:?$",
    re.M,
)
_HOUR_BEHIND = re.compile(r",? (?:(?:a|vers) )?\d{1,2} ?h(?! ?/)")
_FRACTION = re.compile(r"1/[234]|2/3|3/4")
_NUMBERS = IDENTIFIERS | {Label.PHONE, Label.ZIP, Label.AGE}


def find_accompanied_dates(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted mentions with the pairs of numbers that sure dates around make dates, and without values in dates.

    A pair with a unit, behind a measure or beside another pair that is no date stays what it is. So does a year beside
    one that is none.
    """
    pressures = [*_pressures(reading)]
    columns = frozenset(pressures)
    parts = [part for one in _with_initials(reading, mentions) for part in _without_pressure(reading, one, pressures)]
    kept = _with_series(reading, [part for one in parts for part in _without_value(reading, one)])
    days = list(_told(reading, kept, _DAY_MONTH))
    months = [(year * 12 + month) for month, year in _told(reading, kept, _MONTH_YEAR)]
    kept += _in_columns(reading, kept)
    covered = reading.coverage(kept)
    found = [
        Mention(*match.span(), Label.DATE, _SCORE, None, (Vote("accompanied", Label.DATE, _SCORE),))
        for match in _PAIR.finditer(reading.digits)
        if not any(covered[match.start() : match.end()])
        and _is_accompanied(reading, match, days, months)
        and match.span() not in columns
    ]
    found += [
        Mention(*match.span("pair"), Label.DATE, _SCORE, None, (Vote("accompanied", Label.DATE, _SCORE),))
        for match in _NUMBERED_DAY.finditer(reading.digits)
        if not any(covered[match.start("pair") : match.end("pair")])
        and any(_apart((int(match["day"]), int(match["month"])), one) <= _NEAR_DAYS for one in days)
    ]
    return sorted([*kept, *drop_values(reading, found), *_next_days(reading, kept)])


def _with_initials(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return mentions with the initials of weekdays ahead of dates that open two lines or more, and with bare days.

    A day without its month counts where a line has one, and the days between the two are those of their weekdays.
    """
    lines = [*_NOTED.finditer(reading.digits)]
    dated = [line for line in lines if line["month"]]
    if len(lines) < 2 or not dated:
        return [*mentions]
    starts = {line.start("day"): line.start("initial") for line in dated}
    found = [replace(one, start=starts.get(one.start, one.start)) for one in mentions if one.label is Label.DATE]
    found += [one for one in mentions if one.label is not Label.DATE]
    covered = reading.coverage(mentions)
    found += [
        Mention(
            line.start("initial"), line.end("day"), Label.DATE, _SCORE, None, (Vote("accompanied", Label.DATE, _SCORE),)
        )
        for line in lines
        if not line["month"]
        and not any(covered[line.start("initial") : line.end("day")])
        and any(_fits(line, one) for one in dated)
    ]
    return sorted(found)


def _in_columns(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the days, with a month or bare, that lack in a first column of dates that follow each other."""
    covered, dated = reading.coverage(mentions), {one.start for one in mentions if one.label is Label.DATE}
    run: list[re.Match[str]] = []
    found = []
    for line in (*_OPENED.finditer(reading.digits), None):
        if line and run and reading.line(run[-1].start())[1] + 1 == line.start():
            run.append(line)
            continue
        if any(one.start("date") in dated for one in run) and _follow(run):
            found += [one.span("date") for one in run if not any(covered[slice(*one.span("date"))])]
        run = [line] if line else []
    return [Mention(*one, Label.DATE, _SCORE, None, (Vote("accompanied", Label.DATE, _SCORE),)) for one in found]


def _follow(run: Sequence[re.Match[str]]) -> bool:
    """Return whether days, two of them with a month, the first among these, follow each other through a year."""
    if not run[0]["month"] or sum(bool(one["month"]) for one in run) < 2:
        return False
    last = int(run[0]["month"]), int(run[0]["day"])
    for line in run:
        day = int(line["day"])
        month = int(line["month"]) if line["month"] else (last[0] % len(MONTHS) + 1 if day < last[1] else last[0])
        if (month, day) < last and not (last[0] == len(MONTHS) and month == 1):
            return False
        last = month, day
    return True


def _fits(line: re.Match[str], dated: re.Match[str]) -> bool:
    """Return whether a bare day is as far from a date before it, in its month or the next, as their weekdays are."""
    days = int(line["day"]) - int(dated["day"])
    lengths = (0,) if days >= 0 else (28, 29, 30, 31)
    return line.start() > dated.start() and any(
        (days + length - int(weekday) + int(other)) % len(WEEKDAYS) == 0
        for length in lengths
        for weekday in _INITIALS[line["initial"]]
        for other in _INITIALS[dated["initial"]]
    )


def _next_days(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield days of the month that no mention covers, each next to a date with a day or to another such day."""
    covered = reading.coverage(mentions)
    for one in mentions:
        end = one.end if one.label is Label.DATE and _DAY.fullmatch(reading.digits, one.start, one.end) else None
        while (
            end is not None
            and (match := _NEXT_DAY.match(reading.digits, end))
            and not any(covered[end : match.end()])
            and _is_day(reading, match)
        ):
            yield Mention(*match.span("day"), Label.DATE, _SCORE, None, (Vote("accompanied", Label.DATE, _SCORE),))
            end = match.end()


def _is_day(reading: Reading, match: re.Match[str]) -> bool:
    """Return whether a number behind a date is a day of the month: none of a bed, none that somebody calls."""
    place = match.start("at")
    if place >= 0 and reading.text[place] in "aA":
        word = reading.word(reading.token_at(place) + 1)
        if "VER" in reading.lexicon.parts.get(word, "") and _PARTICIPLE.fullmatch(word):
            return False
    return not _NO_DAY.search(match.string, match.start(), match.end("day"))


def _pressures(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the spans of pairs that a column or a line of pressures holds, one for a day or hour: "lundi 12/8"."""
    column, count, sign = None, 0, re.compile(" ")
    at = 0
    for line in reading.folded.split("\n"):
        cells = [*_cells(line, sign)]
        if not any(map(str.isdigit, line)):
            sign = next((one for one in _SIGNS if one.search(line.strip())), _SIGNS[-1])
            cells = [*_cells(line, sign)]
            told = [place for place, cell in enumerate(cells) if _HEADING.fullmatch(cell.group())]
            prose = sign.pattern == ";" and told == [0]  # "TA ; suite\n12/8 ; appel du médecin"
            column, count = (told[0] if len(told) == 1 and not prose else None), len(cells)
        elif column is not None and len(cells) == count:
            pair = _PAIR.fullmatch(cells[column].group())
            sure = sign is not _SIGNS[-1] or all(any(map(str.isdigit, cell.group())) for cell in cells)
            if pair and sure and is_arm_pressure(pair):
                yield at + cells[column].start(), at + cells[column].end()
        else:
            yield from ((at + start, at + end) for start, end in _daily_pressures(line))
        at += len(line) + 1


def _daily_pressures(line: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of pairs behind the days or hours of a row that a measure leads to, in no order of days.

    None in a clause of appointments: "Tension du patient convoqué lundi 12/8, jeudi 10/7".
    """
    for row in _DAYS.finditer(line):
        pairs = [*_DAILY.finditer(line, *row.span())]
        days, end = [(int(pair[2]), int(pair[1])) for pair in pairs], pairs[-1].end()
        if not all(map(is_arm_pressure, pairs)):
            continue
        if not row["unit"] and (days == sorted(days) or _is_of_calendar(pairs)):
            continue
        before, behind = line[max(0, row.start() - _CLAUSE_REACH) : row.start()], line[end : end + _CLAUSE_REACH]
        measure = _TENSION.search(before)
        clause = _SIGN.split(before[: measure.start()])[-1] + measure.group() if measure else ""
        if measure and not any(map(_APPOINTED.search, (clause, _SIGN.split(behind)[0]))):
            yield from ((pair.start(1), pair.end(2)) for pair in pairs)


def _is_of_calendar(pairs: Sequence[re.Match[str]]) -> bool:
    """Return whether pairs are as many days apart as their weekdays: "mardi 14/8, lundi 13/8"."""
    short = [day[:3] for day in WEEKDAYS]
    if any(pair.group()[:3] not in short or int(pair[2]) > len(MONTHS) for pair in pairs):
        return False
    first = (date(2025, int(pair[2]), 1).toordinal() + int(pair[1]) - short.index(pair.group()[:3]) for pair in pairs)
    return len({day % len(WEEKDAYS) for day in first}) == 1


def _cells(line: str, sign: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the cells of a line between signs, without blanks around, none for a frame at its ends."""
    start = 0
    for end in (*(found.span() for found in sign.finditer(line)), (len(line), len(line))):
        if cell := _FILLED.search(line, start, end[0]):
            yield cell
        start = end[1]


def _without_pressure(reading: Reading, mention: Mention, pressures: Sequence[tuple[int, int]]) -> Iterator[Mention]:
    """Yield a mention; of a date, what is ahead of the first pressure in it: "12/03 12/8 72" is "12/03"."""
    at = bisect_right(pressures, mention.start, key=itemgetter(1))
    start = min([mention.end, *(start for start, _ in pressures[at : at + 1])])
    end = mention.start + len(reading.text[mention.start : start].rstrip(" |\t;:,"))
    if mention.label is not Label.DATE or start == mention.end:
        yield mention
    elif end > mention.start:
        yield replace(mention, end=end)


def _told(reading: Reading, mentions: Sequence[Mention], form: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the two numbers of each date that has a form, which a measure cannot have."""
    for one in mentions:
        match = form.fullmatch(reading.digits, one.start, one.end) if one.label is Label.DATE else None
        if match and 1 <= int(match[1]) <= 31 and (form is _MONTH_YEAR or 1 <= int(match[2]) <= 12):
            yield int(match[1]), int(match[2])


def _is_accompanied(
    reading: Reading, match: re.Match[str], days: Sequence[tuple[int, int]], months: Sequence[int]
) -> bool:
    first, second = int(match[1]), int(match[2])
    padded = len(match[1]) == len(match[2]) == 2
    part = bool(first <= second <= _LARGEST_PART or _RATED.fullmatch(match.group()))
    if not _FRACTION.fullmatch(match.group()) and _HOUR_BEHIND.match(reading.digits, match.end()):
        part = False
    if (part and not padded) or reads_as_measure(reading, match) or _UNIT_BEHIND.match(reading.folded, match.end()):
        return False
    # In a table, or where pressures are told, "15/8" is one.
    if is_arm_pressure(match) and (_is_cell(reading, match) or PRESSURE_NAMED.search(reading.folded)):
        return False
    before = reading.digits[max(0, match.start() - 16) : match.start()]
    if _OTHER_RATIO.search(before) or _PAGE.search(before) or is_page(reading, *match.span()):
        return False
    if 1 <= first <= 31 and 1 <= second <= 12:
        return any(_apart((first, second), one) <= _NEAR_DAYS for one in days)
    told = reading.document.reference_date
    past = told is None or second <= told.year % 100
    month = second * 12 + first
    return 1 <= first <= 12 and second > 12 and past and any(abs(month - one) <= _NEAR_MONTHS for one in months)


def _is_cell(reading: Reading, match: re.Match[str]) -> bool:
    """Return whether wide blanks or bars are on both sides of a pair, or it ends a line of such cells."""
    start, end = reading.line(match.start())
    return all(
        _WIDE.search(part) for part in (reading.text[start : match.start()], reading.text[match.end() : end] or "|")
    )


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return the days between two days of the year, about, in whichever years they are nearest."""
    gap = abs((one[1] - other[1]) * 30 + one[0] - other[0])
    return min(gap, 365 - gap)


def _without_value(reading: Reading, mention: Mention) -> Iterator[Mention]:
    """Yield a mention; of a date, not the number above 31 before its month: "138 [sept.]", "131 [juin 25]"."""
    if mention.label is not Label.DATE:
        yield mention
        return
    if _RANK.fullmatch(reading.digits, mention.start, mention.end) and _DAY_BEHIND.match(reading.digits, mention.end):
        return
    if _RANK.fullmatch(reading.digits, mention.start, mention.end) and _OUT_OF.match(reading.folded, mention.end):
        return
    scored = _OUT_OF_BEFORE.search(reading.folded, max(0, mention.start - _SCALE_REACH), mention.start)
    if scored and (day := _TOTAL.match(reading.folded, mention.start, mention.end)):
        mention = replace(mention, start=day.end())
    if rank := _RANK_AND_DAY.match(reading.digits, mention.start, mention.end):
        mention = replace(mention, start=rank.end())
    written = reading.digits[mention.start : mention.end]
    match = _VALUE_AND_MONTH.fullmatch(written)
    behind = reading.word(reading.token_at(mention.end - 1) + 1)
    value = match["value"] if match else written
    word = re.match(r"[a-z]+", match["month"]) if match else None
    if not value.isdigit() or not 31 < int(value) < 1000 or (word.group() if word else behind) not in DETECTED_MONTHS:
        yield mention
    elif match:
        yield replace(mention, start=mention.start + match.start("month"))


def _with_series(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return mentions with the years of two figures that are joined to one: "92 ou 93", "1931-33"."""
    text, found = reading.digits, set()
    for year in mentions:
        if year.label is Label.DATE and _YEAR.fullmatch(text, year.start, year.end):
            if before := _YEAR_BEFORE.search(text, max(0, year.start - 12), year.start):
                found.add(before.span(1))
            if behind := _YEARS_BEHIND.match(text, year.end):
                found |= {one.span() for one in _RANK.finditer(text, year.end, behind.end())}
    covered = reading.coverage([one for one in mentions if one.label not in _NUMBERS or one.end - one.start > 2])
    added = [
        Mention(*one, Label.DATE, _SCORE, None, (Vote("accompanied", Label.DATE, _SCORE),))
        for one in found
        if not any(covered[slice(*one)])
    ]
    taken = reading.coverage(added)
    return [*(one for one in mentions if not any(taken[one.start : one.end])), *added]
