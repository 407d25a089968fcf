"""Names that read like words, towns, organisations or days, and the signs that they are somebody's."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache

from deid.detection.lookup.lexicon import gazetteers
from deid.detection.refining.clinical_terms import STATE
from deid.detection.refining.overlaps import found_mention
from deid.detection.text.names import glued, is_capital, is_lone_name
from deid.detection.text.reading import Reading
from deid.detection.text.senses import Sense, find_sense
from deid.detection.text.vocabulary import CIVILITIES, DOCTOR_TITLES, KINSHIP, PROFESSIONS
from deid.domain.document import Mention, Vote
from deid.domain.labels import NAMES, Label
from deid.french.calendar import FOLDED_MONTHS, WEEKDAYS

_TO_PLACES = frozenset("a au chez d de du en par pour sur vers ' ’".split())
_HOMES = ("maison", "appartement", "appart", "villa", "ferme", "chalet", "pavillon", "chambre", "studio")
_AT_HOME = tuple([home, *of] for home in _HOMES for of in (("de",), ("d", "'")))
_OF_DAY = frozenset("a matin midi soir apres dernier prochain vers".split())
_WHOSE = frozenset("la le ' un une notre sa".split())
_GIVEN = 100  # births of a word as a first name, to one as a surname, from which it is no surname
_RATHER = 5  # and from which it is rather a first name, behind which a month is a surname
_FAMILY = 1_000  # births of a surname from which "les" before it tells a family
# Words before a name in text without capitals.
_ANNOUNCE = CIVILITIES | DOCTOR_TITLES | KINSHIP | PROFESSIONS | {"par", "avec", "chez", "devant"}
_NO_MEASURES = frozenset("lu on ou sa son tu vu".split())
_SCORE, _SURE = 0.7, 0.84  # least score of an announced name; score of one that its place shows
_BEHIND_LONE = frozenset({"(", ")", ",", ";", ":", "/", "»", "."})
# Words before the state that a drug or device leaves somebody in, ahead of names, and of what is told of such a state.
_STATES = frozenset("dose en etat med periode phase score stim stimulation updrs".split())
_OF_A_CASE = frozenset("dossier famille nom".split())
_TREATED = re.compile("parkinson|dyskines|updrs|dopa")
_MOVES = re.compile(r"[ ,:(]{1,3}(?:mds|updrs|score|marche|blocage|dyskines|tremble|rigid|akines)")  # behind a state
_SETTINGS_NEAR = 120  # characters to other settings


def find_short_names(reading: Reading) -> list[Mention]:
    """Return the whole names that read like words of the language: "Dr Ou", "M. Le.", "son collègue Ou (arrêté)".

    They stand behind what announces a name, or, if no measure is called so, have a capital between a word that has
    none and a sign.
    """
    found = [
        replace(mention, votes=(Vote("announced", mention.label, mention.score),))
        for mention in reading.found.get("context", ())
        if mention.score >= _SCORE and mention.label in NAMES and is_lone_name(reading, reading.token_at(mention.start))
    ]
    known = {mention.start for mention in found}
    treated = "on" in reading.places and ("off" in reading.places or _TREATED.search(reading.folded) is not None)
    for index, start in enumerate(reading.starts):
        word = reading.words[index]
        if start in known or word not in _NO_MEASURES or not _is_capital_inside(reading, index):
            continue
        if word != "on" or not (_is_state(reading, index) or (treated and not _is_announced(reading, index))):
            found.append(found_mention("announced", start, reading.ends[index], Label.PERSON, _SURE))
    return found


def _is_announced(reading: Reading, index: int) -> bool:
    before = reading.word(index - 1)
    patient = before.startswith("patient") and not _MOVES.match(reading.folded, reading.ends[index])
    return patient or before in _ANNOUNCE or before in _OF_A_CASE


def _is_state(reading: Reading, index: int) -> bool:
    """True for the state of a patient or device that is on: "UPDRS III en On", "RV lead noise On ; PR Logic Off"."""
    if reading.word(index - 1) in _STATES:
        return True
    if _is_announced(reading, index):
        return False
    start, (opened, ended) = reading.starts[index], reading.line(reading.starts[index])
    near = max(opened, start - _SETTINGS_NEAR), min(ended, start + _SETTINGS_NEAR)
    return len(STATE.findall(reading.text, *near)) > 1


def as_people(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions; one word taken for a town or organisation that a title makes somebody's is that person's.

    "Dr Lille" tells who "Lille, qui suit" is, but not "à Lille"; "les Tessier" are a family, "la maison de Naima" hers.
    So is what no register of places has, but a name of the document: "du côté de Mak", beside "Ti-Mak".
    In small letters a day of the week is one behind a title and what is a first name alone: "docteur yolande [jeudi]";
    a month behind such a first name: "moi anne laure [février]".
    """

    @cache  # a town told a thousand times is looked for once
    def titled(word: str) -> bool:
        return any(reading.capitals[at] and find_sense(reading, at) is Sense.PERSON for at in reading.places[word])

    borne = {reading.words[at] for one in mentions if one.label in NAMES for at in reading.tokens(one)}
    named: list[Mention] = []
    for one in mentions:
        if not _is_somebodys(reading, one, titled) and not _is_borne(reading, one, borne):
            named.append(one)
        elif one.label is not Label.DATE:
            named.append(replace(one, label=Label.PERSON))
        elif named and named[-1].label in NAMES and reading.text[named[-1].end : one.start] == " ":
            named[-1] = replace(named[-1], end=one.end)
        else:
            named.append(replace(one, label=Label.DOCTOR))
    return [_of_household(reading, one) for one in named]


def _is_somebodys(reading: Reading, mention: Mention, titled: Callable[[str], bool]) -> bool:
    index = reading.token_at(mention.start)
    word, before = reading.words[index], reading.word(index - 1)
    known = any(vote.annotator == "identity" for vote in mention.votes)
    if known or len(reading.tokens(mention)) > 1 or len(word) < 3:
        return False
    if mention.label is Label.DATE and word in (*WEEKDAYS, *FOLDED_MONTHS) and reading.lowered(index):
        month = word in FOLDED_MONTHS and len(word) > 3
        rather = reading.lexicon.surnames.get(before) * (_RATHER if month else _GIVEN)
        given = rather < reading.lexicon.first_names.get(before) and (month or reading.word(index + 1) not in _OF_DAY)
        return given and (month or reading.word(index - 2 - (reading.word(index - 2) == ".")) in DOCTOR_TITLES)
    if mention.label not in (Label.CITY, Label.ORG):
        return False
    if mention.label is Label.ORG and before == "les" and reading.surface(index).istitle():
        return reading.lexicon.surnames.get(word) >= _FAMILY
    return before not in _TO_PLACES and titled(word)


def _is_borne(reading: Reading, mention: Mention, borne: Collection[str]) -> bool:
    """True for one word of a name, taken for a town, that no place of a register begins with."""
    index = reading.token_at(mention.start)
    place = mention.label is Label.CITY and reading.word(index - 1) not in ("a", "au", "aux")
    alone = place and len(reading.tokens(mention)) == 1 and len(reading.words[index]) > 2
    return alone and reading.words[index] in borne and not reading.hits_at.get(mention.start)


def _of_household(reading: Reading, mention: Mention) -> Mention:
    """Return the first name that a mention ends with behind "la maison de" and that is no town's; else the mention."""
    at = reading.token_at(mention.end - 1)
    name, home = reading.words[at], at - 2 - (reading.word(at - 1) == "'")
    announced = reading.words[max(0, home) : at] in _AT_HOME and reading.word(home - 1) in _WHOSE
    births = reading.lexicon.first_names.get(name) if announced else 0
    if births < _FAMILY or births < gazetteers().towns(name) or mention.start < reading.starts[home - 1]:
        return mention
    if mention.label in NAMES or (is_capital(reading, at + 1) and not reading.shouted(at)):
        return mention
    return replace(mention, start=reading.starts[at], label=Label.PERSON)


def _is_capital_inside(reading: Reading, index: int) -> bool:
    """True for a word with one capital behind a word without one and before a sign, on one line: "dossier Ou :"."""
    small = reading.word(index - 1).isalpha() and reading.surface(index - 1).islower() and not glued(reading, index)
    near = small and reading.text[reading.ends[index - 1] : reading.starts[index]] == " "
    return near and reading.surface(index).istitle() and reading.word(index + 1) in _BEHIND_LONE
