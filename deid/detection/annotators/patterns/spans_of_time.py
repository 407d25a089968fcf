"""Ages ("72 ans", "soixante-douze ans") and dates relative to the document ("il y a dix ans", "hier soir")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.calendar import WEEKDAYS
from deid.french.numerals import DETECTED_NUMBER_WORDS, read_loosely

_COUNT = (
    r"(?:\d{1,3}|une? dizaine d|une? quinzaine d|une? vingtaine d|quelques|plusieurs|"
    r"[a-z]{2,14}(?:[ -][a-z]{2,14}){0,3}?)"
)
_UNIT = r"(?:ans?|annees?|mois|semaines?|sem|jours?|j|heures?|h|minutes?|min|quinzaine|huitaine)"
_PART = r"(?: (?:matin|soir|midi|apres-midi|nuit|au soir|au matin))?"
_DAY = f"(?:{'|'.join(WEEKDAYS)})"

# First word → patterns of the phrases that it opens. A space may be the end of a line.
_RELATIVE = {
    word: [re.compile(pattern.replace(" ", r"\s")) for pattern in patterns]
    for words, patterns in (
        (("il",), [rf"il y a (?:environ |pres de |plus de |presque |a peine )?{_COUNT}[ ']?{_UNIT}(?: et demie?)?\b"]),
        (("y",), [rf"y a (?:environ )?{_COUNT} {_UNIT}\b"]),
        (("dans",), [rf"dans (?:les )?(?:environ |un delai de )?{_COUNT}[ ']?(?!heures?|h\b|minutes?|min\b){_UNIT}\b"]),
        (("d",), [rf"d'ici (?:a )?(?:la fin (?:de la semaine|du mois|de l'annee)|{_COUNT} {_UNIT})\b"]),
        (("sous",), [rf"sous (?:{_COUNT} (?!h\b|heures?){_UNIT}|huitaine|quinzaine)\b"]),
        (("hier",), [rf"hier{_PART}\b"]),
        (("avant",), [rf"avant[- ]hier{_PART}\b", r"avant la fin (?:du mois|de la semaine|de l'annee)\b"]),
        (("demain",), [rf"demain{_PART}\b"]),
        (("apres",), [rf"apres[- ]demain{_PART}\b"]),
        (("aujourd", "aujourdhui", "auj", "ajd"), [r"aujourd'? ?hui\b", r"aujourdhui\b", r"ajd\b"]),
        (("ce",), [rf"ce (?:jour|matin|soir|midi|week-?end|mois(?:-ci)?|{_DAY}|printemps)\b(?! meme| la|-la)"]),
        (("cet",), [r"cet (?:apres-midi|ete|hiver|automne|aprem)\b", r"cet apres midi\b"]),
        (("cette",), [r"cette (?:nuit|semaine|annee|apres-midi)\b"]),
        (("la", "le", "l", "semaine", "mois", "week"), [
            r"(?:la |l')?(?:semaine|nuit|annee|rentree|saison) (?:derniere|prochaine|passee)\b",
            r"(?:le |l')?(?:mois|week-end|week end|weekend|trimestre|an|ete|hiver|printemps|automne) (?:dernier|"
            r"prochain|passe)\b",
            r"la semaine derniere\b",
        ]),
        (WEEKDAYS, [rf"{_DAY} (?:dernier|prochain|passe)\b"]),
        (("fin", "debut"), [r"(?:fin|debut) de (?:semaine|mois)(?: prochaine?)?\b"]),
        (("tantot",), [r"tantot\b"]),
    )
    for word in words
}  # fmt: skip
_AGE_UNITS = frozenset("ans an a mois jours semaines j".split())
_DURATION_LEADS = word_list("duration_leads")
_AGE_LEADS = frozenset({"age", "agee", "ages", "agees", "ag", "aged"})
_BEFORE_AGES = frozenset((*"de d a ses vers avait et des h f , ( : - ; / .".split(), "\n", ""))
_PEOPLE = word_list("aged_people")
_TAILS = re.compile(r"\s?(?:et demie?|1/2|et (?:\d{1,2}|[a-z]+) mois|\d{1,2} mois|et (?:\d{1,2}|[a-z]+) jours)\b")
_FIELD = re.compile(
    r"\bage(?: (?:a l'|au |a la |lors d[eu] )\w+| \((?:ans|annees)\))?\s*(?:[:=|]|\.{2,})\s*(\d{1,3})(?!\d)"
    r"(?:\s?(?:ans?|a|mois|jours)\b)?"
)
_NUMBER = rf"(?:{'|'.join(sorted(DETECTED_NUMBER_WORDS - {'et', 'premier'}, key=len, reverse=True))})"
# "dame de quatre-vingt-six virgule": dictated, without a unit.
_DICTATED = re.compile(
    rf"\b(?:{'|'.join(sorted(_PEOPLE))}) (?:age(?:e|s|es)? )?de ((?:{_NUMBER}[ -](?:et )?)*{_NUMBER})"
    r"(?= (?:virgule|point)\b)"
)
# "(65 a)", "M. X – 80 a – IPP": an abbreviated age set apart by signs.
_APART = re.compile(r"(?<=[(,-])\s?((?:1[01]|\d)?\d a)(?=\)| ?[-,;])")
_AFTER_DURATION = re.compile(
    r"\s(?:de (?:traitement|recul|suivi|prison|mariage|vie commune|metier|carriere|dialyse|evolution|service|sevrage|"
    r"abstinence|retard|stage|formation|tabagisme|garantie|remission)|d'(?:evolution|anciennete|abstinence|"
    r"experience|"
    r"arret|hospitalisation|antibiotiques?)|apres|plus tard|avant|auparavant|durant|consecutif)"
)


def find_ages_and_relative_dates(reading: Reading) -> Iterator[Mention]:
    """Yield ages and relative dates."""
    for index, word in enumerate(reading.words):
        if word in _RELATIVE:
            yield from _relative(reading, index, word)
        if word in _AGE_UNITS:
            yield from _age(reading, index, word)
    for match in _FIELD.finditer(reading.folded):
        yield Mention(match.start(1), match.end(), Label.AGE, 0.95)
    for match in _DICTATED.finditer(reading.folded):
        yield Mention(match.start(1), match.end(1), Label.AGE, 0.9)
    for match in _APART.finditer(reading.folded):
        yield Mention(match.start(1), match.end(1), Label.AGE, 0.85)


def _relative(reading: Reading, index: int, word: str) -> Iterator[Mention]:
    for pattern in _RELATIVE[word]:
        if match := pattern.match(reading.folded, reading.starts[index]):
            yield Mention(match.start(), match.end(), Label.RELDATE, 0.98)
            return


def _age(reading: Reading, index: int, unit: str) -> Iterator[Mention]:
    """The number before a unit of time, when it is someone's age."""
    words = reading.words
    first = _number_before(reading, index)
    if first is None:
        return
    glued = reading.ends[index - 1] == reading.starts[index]
    if unit in ("a", "j") and not (glued and words[first].isdigit()):
        return
    value = words[first] if words[first].isdigit() else ""
    if value and (len(value) > 3 or (int(value) > 118 and unit in ("ans", "an", "a"))):
        return
    score = _age_score(reading, first, index, unit)
    if score:
        end = reading.ends[index]
        tail = _TAILS.match(reading.folded, end) if unit in ("ans", "an", "mois") else None
        yield Mention(reading.starts[first], tail.end() if tail else end, Label.AGE, score)
        joined = reading.word(first - 1) in ("et", "/", ",", "ou", "-") and unit in ("ans", "mois")
        other = reading.word(first - 2)
        if joined and other.isdigit() and int(other) < 110 and reading.word(first - 3) in ("de", "et", ",", "a", "("):
            yield Mention(reading.starts[first - 2], reading.ends[first - 2], Label.AGE, score - 0.05)


def _number_before(reading: Reading, index: int) -> int | None:
    words = reading.words
    at = index - 1
    if at < 0:
        return None
    if words[at].isdigit():
        if (
            reading.text[reading.starts[at] - 1 : reading.starts[at]] in tuple(",./-+")
            and reading.text[reading.starts[at] - 2 : reading.starts[at] - 1].isdigit()
        ):
            return None
        if reading.starts[at] and reading.text[reading.starts[at] - 1].isalpha():
            return None
        return at
    if words[at] == "o" and at >= 1 and words[at - 1].isdigit() and reading.ends[at - 1] == reading.starts[at]:
        return at - 1
    first = at
    while first >= 0 and (words[first] in DETECTED_NUMBER_WORDS or words[first] == "-") and at - first < 7:
        first -= 1
    first += 1
    while first <= at and words[first] in ("et", "-"):
        first += 1
    return first if first <= at and read_loosely(words[first : at + 1]) else None


def _age_score(reading: Reading, first: int, index: int, unit: str) -> float:
    words = reading.words
    before = reading.word(first - 1)
    second = reading.word(first - 2)
    if before in _AGE_LEADS or (second in _AGE_LEADS and before in ("de", "d", "e", "'", ":")):
        return 0.98
    if before == "'" and second == "d" and reading.word(first - 3) in _AGE_LEADS:
        return 0.98
    if before in ("de", "a") and second in ("age", "agee", "l"):
        return 0.97
    if before in _DURATION_LEADS or (words[index + 1 : index + 2] == ["de"] and unit != "ans"):
        return 0.0
    if _AFTER_DURATION.match(reading.folded, reading.ends[index]):
        return 0.0
    if (before == "de" and second in _PEOPLE) or before in _PEOPLE:
        return 0.97
    if unit in ("ans", "an", "a"):
        if unit == "an" and before not in (",", "("):
            return 0.0
        return 0.85 if before in _BEFORE_AGES else 0.6
    if (
        before in (",", "(")
        and unit in ("mois", "jours", "j", "semaines")
        and reading.word(index + 1) in (",", ")", ".", ";", "\n")
    ):
        return 0.55
    return 0.0
