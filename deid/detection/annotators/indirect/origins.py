"""Nationality, ethnic origin and religion: words of lists beside a person, or behind the words that announce them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from deid.detection.annotators.indirect.people import KIN, PATIENT, name_follows
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.social_words import alternatives, origins, peoples, religions, sure_origins

_END = r"(?![\w-])"
# What may stand between a person and the adjective: an age, where they live, how old they are.
_BETWEEN = (
    r"(?: (?:agee?|de|\d{1,3}|ans|mois|\w+-?\w* ans|adulte|jeune|d'|environ)){0,5}(?:,? ?(?:est|etait|et|"
    r",) ?(?:de |d'origine )?| )"
)
_STATUS = re.compile(
    r"(?<![\w'-])(?:apatrides?|demandeu(?:r|se)s? d'asile|refugiee?s?(?: politiques?)?|sans[ -]papiers|"
    r"primo-arrivante?s?|"
    r"titre de sejour|en situation irreguliere|migrante?s?)" + _END
)
_REFUGE = re.compile(r"\b(?:s'est|se sont|trouve|trouvait|des|les|ces) $")
_PRACTICE = re.compile(
    r"(?<![\w'-])(?:temoins? de jehovah|ramadan|careme|halal|casher|kasher|(?<=repas )cacher|"
    r"(?<=viande )cacher|chabbat|shabbat|yom kippour|"
    r"(?:jeune|fete|culte|rite) (?:bouddhique|musulmane?|catholique|juive?|orthodoxe)|neuvaine|messe|hadj|"
    r"pelerinage (?:a la mecque|a lourdes)|communion|bapteme|croi(?:t|re|s) en dieu|sacrement des malades|"
    r"onction des malades|"
    r"croyante? (?:et )?pratiquante?|"
    r"non[ -]croyante?|bouddhisme|islam|catholicisme|protestantisme|judaisme|hindouisme|convertie? a l'islam)" + _END
)
_INSTITUTION = re.compile(
    r"\b(?:hopital|clinique|institut|universite|faculte|cimetiere|maison de sante|fondation|ecole|lycee|"
    r"college|secours|"
    r"association|centre|residence|oeuvre|eglise|communaute|presse|aumonerie|temple|office)(?: \w+)? $"
)


@cache
def _announced(kind: str) -> re.Pattern[str]:
    """Return the pattern of what is announced as nationality, origin or religion; group 1 is the word to mark."""
    words = {
        "nationality": rf"(?:franco-)?(?:{alternatives(peoples())})(?: et (?:{alternatives(peoples())}))?",
        "ethnicity": rf"(?:{alternatives([*origins(), *peoples()])})(?:[ -](?:{alternatives(origins())}))?",
        "religion": rf"(?:{alternatives(religions())})(?: (?:non )?pratiquante?s?)?",
    }[kind]
    ahead = {
        "nationality": r"(?:nationalites?|double nationalite|citoyennete|ressortissante?s?|passeport|"
        r"sujet)(?: ?[.:=]{1,12} ?| )",
        "ethnicity": r"(?:d'origine|origines?(?: ethniques?| geographiques?)? ?:|d'ascendance|de souche|ethnie(?: ?:)?|"
        r"race|"
        r"communaute|de parents|population|phenotype) ?",
        "religion": r"(?:de (?:confession|religion|culture|tradition|foi|culte)|religion ?[.:=]{0,12}|culte ?:|"
        r"confession ?:|"
        rf"famille|pratiquante?|{PATIENT}(?: \w+){{0,2}}|{KIN}|est|etait|tres) ?",
    }[kind]
    return re.compile(rf"(?<![\w'-])(?:{ahead})({words}){_END}")


@cache
def _beside() -> re.Pattern[str]:
    people = (
        rf"(?:{PATIENT}|{KIN}|touriste|etudiante?|voyageu(?:r|se)|couple|ouvriere?|jeune fille|fillette|"
        rf"parturiente|primipare|multipare)"
    )
    return re.compile(rf"(?<![\w'-]){people}{_BETWEEN}((?:franco-)?(?:{alternatives(peoples())})){_END}")


@cache
def _origins() -> re.Pattern[str]:
    people = rf"(?:{PATIENT}|{KIN})"
    return re.compile(
        rf"(?<![\w'-])(?:(?:{people}{_BETWEEN}(?:de type )?({alternatives(origins())}))|"
        rf"({alternatives(sure_origins())})){_END}"
    )


@cache
def _believers() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'-])(?:{alternatives(religions())}) (?:non )?pratiquante?s?{_END}")


def find_nationalities(reading: Reading) -> Iterator[Mention]:
    """Yield somebody's nationality or people, and status as a foreigner: "réfugié", "titre de séjour"."""
    text = reading.folded
    for match in (*_announced("nationality").finditer(text), *_beside().finditer(text)):
        if not _opens_a_name(reading, match.start(1), match.end(1)):
            yield Mention(match.start(1), match.end(1), Label.NATIONALITY, 0.93)
    for status in _STATUS.finditer(text):
        if not _REFUGE.search(text[max(0, status.start() - 12) : status.start()]) and not _follows_a_pain(text, status):
            yield Mention(status.start(), status.end(), Label.NATIONALITY, 0.8)


def _follows_a_pain(text: str, match: re.Match[str]) -> bool:
    """Return whether "migrant" is said of a pain, an erythema or a body."""
    return match.group().startswith("migrant") and not re.search(
        r"\b(?:travailleu(?:r|se)s?|patiente?s?|homme|femme|jeune|enfant|mineure?s?|population|personnes?|"
        r"une?|des|les) $",
        text[max(0, match.start() - 20) : match.start()],
    )


def find_ethnicities(reading: Reading) -> Iterator[Mention]:
    """Yield words for an ethnic or geographic origin of a person."""
    text = reading.folded
    for match in _announced("ethnicity").finditer(text):
        if not _opens_a_name(reading, match.start(1), match.end(1)):
            yield Mention(match.start(1), match.end(1), Label.ETHNICITY, 0.93)
    for match in _origins().finditer(text):
        group = 1 if match.group(1) else 2
        if not _opens_a_name(reading, match.start(group), match.end(group)) and not _is_of_a_thing(
            text, match.start(group)
        ):
            yield Mention(match.start(group), match.end(group), Label.ETHNICITY, 0.85)
    for boat in re.finditer(r"(?<![\w-])(?:boat[ -]people|gens du voyage)(?![\w-])", text):
        yield Mention(boat.start(), boat.end(), Label.ETHNICITY, 0.9)


def _is_of_a_thing(text: str, start: int) -> bool:
    return bool(
        re.search(
            r"\b(?:accent|cuisine|medecine|repas|langue|plat|musique|population|dialecte|rythme|plante|"
            r"bar|parl\w+|en|interprete|fumeur de|cigarettes?|le|les|des)s? $",
            text[max(0, start - 14) : start],
        )
    )


def find_religions(reading: Reading) -> Iterator[Mention]:
    """Yield words for what somebody believes or practises."""
    text = reading.folded
    for match in (*_announced("religion").finditer(text), *_believers().finditer(text)):
        start, end = match.span(1) if match.re.groups else match.span()
        if reading.text[end - 1] in "éÉ":  # "diagnostiqué", cut
            continue
        if not _opens_a_name(reading, start, end) and not _INSTITUTION.search(text[max(0, start - 30) : start]):
            yield Mention(start, end, Label.RELIGION, 0.93)
    for match in _PRACTICE.finditer(text):
        before = text[max(0, match.start() - 30) : match.start()]
        if not _INSTITUTION.search(before):
            yield Mention(match.start(), match.end(), Label.RELIGION, 0.85)


def _opens_a_name(reading: Reading, start: int, end: int) -> bool:
    """Return whether a word and the one behind it are capitalised within a line, as in a name ("Mme Juif Anne")."""
    return reading.text[start].isupper() and name_follows(reading, end)
