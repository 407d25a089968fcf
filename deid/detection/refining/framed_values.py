"""Days, ages, places, logins and sectors that only their frame announces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from deid.detection.lookup.known_names import BRANDS
from deid.detection.merging.evidence import has_clinical_reading, is_acronym
from deid.detection.refining.countries import named_territories
from deid.detection.text.names import Misspellings
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import EPONYMS, NOT_INITIALS, PROFESSIONS, UNNAMED_BODIES, word_list
from deid.domain.document import Mention, Vote
from deid.domain.labels import Label
from deid.french.calendar import DETECTED_MONTHS, DETECTED_WEEKDAYS
from deid.french.folding import fold, key
from deid.french.numerals import DETECTED_NUMBER_WORDS

_SCORE = 0.8
_DAY = r"(?:[1-9]|[12]\d|3[01])"
_EXAMINED = "|".join(sorted(word_list("dated_events") | word_list("dated_examinations")))
_NO_DAY = "|".join(sorted({*DETECTED_MONTHS, *word_list("measure_units"), *word_list("counted_by_rank")}))
_EXAMINATION = re.compile(
    rf"\b(?:{_EXAMINED}|[a-z]{{3,24}}(?:graphie|scopie|metrie|ponction))s?(?: [a-z]{{3,14}})? du (?P<day>{_DAY})"
    rf"(?= ?[:;)]|[.,](?!\d)|\s*(?:\n|\Z)| (?!(?:{_NO_DAY})\b)[a-z])"
)
_DAY_AND_WORD = re.compile(rf"(?:le |du |au )?(?P<day>{_DAY}) (?P<word>[a-z]{{3,}})")
# "K+ de samedi 6,4", "CRP de lundi 12,5 mg": a weekday and a value; "lundi 8,9 et 10 mai" are days.
_DAY_AND_VALUE = re.compile(
    rf"(?P<day>{'|'.join(sorted(DETECTED_WEEKDAYS))})\.? (?:0|[1-9]\d?),\d{{1,2}}"
    rf"(?![\w/]|[.,-]\d| ?(?:et|ou|-|/|a|au|,) ?\d| (?:{'|'.join(sorted(DETECTED_MONTHS))})\b)"
)
_CALENDAR = DETECTED_MONTHS | DETECTED_WEEKDAYS
# "(Manutahi, 7 ans ; Heimiti, 4)"
_SIBLING = re.compile(
    r" ?(?:;|,|et) ?(?:et )?(?P<name>[A-ZÀ-Ý][^\W\d_]+)(?:[-' ][A-ZÀ-Ý]?[^\W\d_]+)?,? "
    r"(?P<age>\d{1,2})(?=\)| ?;|,(?!\d))"
)
# "père décédé à 71 ans, mère 76 diabète"
_PARENT = re.compile(
    r"\b(?:mere|pere|soeur|frere|grand-mere|grand-pere|mari|femme|epouse|conjoint)s? "
    r"(?P<age>[2-9]\d)(?= ?[,;()]| [a-z]{4,})"
)
# "je vous souhaite une bonne année", "pendant les fêtes de fin d'année": a time of the year
_WISHED = re.compile(
    r"\b(?P<time>bonne (?:et heureuse |nouvelle )?(?:annee|fin d'annee|rentree)|fetes de fin d'annee)"
    r"\b(?! (?:de|d'|pour les|en)\b)"
)
_COUNTED = re.compile(r" (?:ans?|kg|cm|mois|jours?|semaines?|mg|bpm|mmhg)\b")
# "accident de moto à la Capte"; "la tribu de Hunöj"
_PLACED = re.compile(
    r"\b(?:accident|chute|chutee?|trouvee?|tombee?|habite|vit|vivait|loge|demeure|domiciliee?|vacances|sejour\w*|retour|"
    r"promenade|plage|maison|reside)\b[^.;:\n]{0,40} (?:a la|aux?) (?=[a-z]{4})|"
    r"\b(?:lieu-?dit|hameau|tribu|ferme|mas|ilet|yourte)s? (?:de (?:la |l')?|du |des |d'|la |le |les )(?=[a-z]{4})|"
    # "endormi sur l'aire de Sargé"
    r"\b(?:accident|panne|pause|(?:endorm|arret|gare|stationn|malaise)\w*)\b[^.;:\n]{0,20} "
    r"(?:sur|a) [li]'aire (?:d'autoroute |de repos |de service )?d(?:e(?: la| l'|s)?|u|')\s?(?=[a-z]{4})"
)
# "Département : l'Yone", with a slip
_DEPARTMENT = re.compile(
    r"\bdepartement(?: de (?:naissance|residence))? ?: ?(?:l[ae]s? |l['’]|d[eu] |d['’])?(?P<name>[a-z]{3,}(?:-[a-z]+)*)"
)
# "Login MDUP", "Utilisateur : MDUP nuit"
_USER = re.compile(
    r"\b(?i:login|utilisateur|user(?:name)?)\b(?: ?: ?| )(?P<login>[A-Z]{3,8}\d{0,4}|(?<=: )[a-z]{4,8}\d{0,4})(?!\w)"
)
# Sectors of psychiatry: department, adults ("G"), children ("I") or prison ("Z"), number: "secteurs 14G05 et 14I01".
_OF_SECTOR = r"(?:0[1-9]|[1-8]\d|9[0-5a-f]|2[ab]|97[1-6]|98[678])[giz]\d\d(?!\w)"
_SECTOR = re.compile(_OF_SECTOR)
_SECTORS = re.compile(
    r"\bsecteurs?(?:[ :(]{0,3}\b(?:n ?[°o]s?|numeros?|de|psychiatri(?:qu)?es?|generale?s?|adultes?|infantiles?|"
    r"infanto-juveniles?|penitentiaires?)){0,5}"
    rf"[ :(]{{0,3}}(?P<codes>{_OF_SECTOR}(?:(?:,? (?:et|ou|puis) |, ?| ?[/;-] ?){_OF_SECTOR}){{0,20}})"
)
_NO_USERS = word_list("no_users") | UNNAMED_BODIES | PROFESSIONS | NOT_INITIALS
_WHOLE = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def find_framed_values(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the days, ages, places, logins and sectors that `mentions` lack and the frame around them announces."""
    covered = reading.coverage(mentions)
    found = (*_days(reading), *_ages(reading, mentions), *_places(reading), *_departments(reading), *_users(reading))
    found += (*_sectors(reading),)
    return [one for one in found if not any(covered[one.start : one.end])]


# The second of two dates opens a sentence: "01/06/2021. Mars 2019".
_TWO_DATES = re.compile(r"(?P<first>[^\n]{0,20}(?:19|20)\d\d)\s?\.\s{1,3}(?=[A-ZÀ-Ý])")
_SAID_SURE = 0.95  # score of a date with day and month


def trim_days(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, dates of a day alone without the word behind that is none of the calendar: "23 valables".

    A weekday goes without the value behind it ("samedi [6,4]"), a dictated date without the numbers behind it: "deux
    mille vingt et un [treize] injections". Two dates with the end of a sentence between them are two.
    """
    trimmed = []
    for mention in mentions:
        if mention.label is Label.DATE and (end := _said_end(reading, mention)):
            mention = replace(mention, end=end)
        if mention.label is Label.DATE and (cut := _TWO_DATES.match(reading.text, mention.start, mention.end)):
            trimmed.append(replace(mention, end=cut.end("first")))
            mention = replace(mention, start=cut.end())
        if mention.label is Label.DATE and (told := _DAY_AND_VALUE.match(reading.folded, mention.start)):
            mention = replace(mention, end=min(mention.end, told.end("day")))
        match = mention.label is Label.DATE and _DAY_AND_WORD.fullmatch(reading.folded, mention.start, mention.end)
        if match and match["word"] not in _CALENDAR:
            mention = replace(mention, start=match.start("day"), end=match.end("day"))
        trimmed.append(mention)
    return trimmed


def _said_end(reading: Reading, mention: Mention) -> int | None:
    """Return where the sure date ends that a mention begins with, if only number words lie between the two ends."""
    sure = [
        one for one in reading.overlapping("patterns", mention) if one.label is Label.DATE and one.score >= _SAID_SURE
    ]
    for one in sure:
        first, last = sorted((one.end, mention.end))
        rest = re.findall(r"\w+", reading.folded[first:last])
        if one.start == mention.start and rest and DETECTED_NUMBER_WORDS.issuperset(rest):
            return one.end
    return None


def _framed(start: int, end: int, label: Label) -> Mention:
    return Mention(start, end, label, _SCORE, None, (Vote("announced", label, _SCORE),))


def _days(reading: Reading) -> Iterator[Mention]:
    """Yield the day of an examination ("Coronarographie du 4 jointe") and the time of a wish."""
    for match in _EXAMINATION.finditer(reading.folded):
        yield _framed(*match.span("day"), Label.DATE)
    for match in _WISHED.finditer(reading.folded):
        yield _framed(*match.span("time"), Label.DATE)


def _ages(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield ages without a unit: of a child behind a brother or sister, of a parent in a family history."""
    ages = [one for one in mentions if one.label is Label.AGE]
    for one in ages:
        if (match := _SIBLING.match(reading.text, one.end)) and not _is_measured(reading, match.start("name")):
            yield _framed(*match.span("age"), Label.AGE)
    if ages:
        for match in _PARENT.finditer(reading.folded):
            if not _COUNTED.match(reading.folded, match.end()):
                yield _framed(*match.span("age"), Label.AGE)


def _is_measured(reading: Reading, place: int) -> bool:
    """Return whether the word at a place is a score or an analyte ("OMS 2", "IMC 24"), and no first name."""
    index = reading.token_at(place)
    if reading.lexicon.is_first_name(reading.words[index]):
        return False
    return is_acronym(reading, index) or has_clinical_reading(reading, index)


def _places(reading: Reading) -> Iterator[Mention]:
    """Yield a word with a capital that is no noun, behind an article where somebody lives or had an accident."""
    for match in _PLACED.finditer(reading.folded):
        index = reading.token_at(match.end())
        word, lexicon = reading.words[index], reading.lexicon
        if not reading.surface(index).istitle() or has_clinical_reading(reading, index) or is_acronym(reading, index):
            continue
        noun = not {"NOM", "ADJ"}.isdisjoint(lexicon.parts.get(word, "").split("|"))
        if not noun and word not in EPONYMS and word not in lexicon.eponyms and word not in BRANDS:
            whole = _WHOLE.match(reading.text, reading.starts[index])
            yield _framed(reading.starts[index], whole.end() if whole else reading.ends[index], Label.LOC)


@cache
def _misspelt_departments() -> Misspellings:
    return Misspellings(named_territories("department"))


def _departments(reading: Reading) -> Iterator[Mention]:
    """Yield the name of a department that its field gives with a slip."""
    for match in _DEPARTMENT.finditer(reading.folded):
        name = key(match["name"])
        if not reading.lexicon.is_word(name) and _misspelt_departments().near(name):
            yield _framed(*match.span("name"), Label.LOC)


def _sectors(reading: Reading) -> Iterator[Mention]:
    """Yield the code of each sector of psychiatry of a list behind that word."""
    for match in _SECTORS.finditer(reading.folded):
        for code in _SECTOR.finditer(reading.folded, *match.span("codes")):
            yield _framed(*code.span(), Label.ID)


def _users(reading: Reading) -> Iterator[Mention]:
    """Yield the login of whoever wrote: letters that are no word, acronym, profession or program."""
    for match in _USER.finditer(reading.text):
        word = fold(match["login"])
        plain = reading.lexicon.is_word(word) or "acronym" in reading.lexicon.clinical.get(word, "")
        if not plain and word not in _NO_USERS and word not in BRANDS:
            yield _framed(*match.span("login"), Label.ID)
