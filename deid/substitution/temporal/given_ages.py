"""Ages and years that a date or a number of years beside them gives, computed from what is published of these.

"Opéré le 3 mars 2020 à l'âge de 57 ans", "hexavalent à 2 mois le 9 mai", "ses jumeaux, nés le 2 juin, ont 6 mois",
"retraité depuis l'âge de 60 ans, soit depuis 12 ans", "a fumé 20 cigarettes par jour de 16 à 36 ans, soit 20
paquets-années", "mariée depuis 17 ans (2007)"; and a school class, which bounds an age. Words, units and places decide,
never values: nothing is drawn, and no ε is spent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise, takewhile
from typing import NamedTuple

from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french import numerals
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import order, stages
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.kin import CLAUSE, OTHERS, REACH, SISTER, is_of_another
from deid.substitution.temporal.normalisation import NormalisedTimes
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Instant, Unit, age_at

_COUNTED = frozenset({Unit.DAY, Unit.MONTH, Unit.YEAR})
# Between a day and the age at it, and between an age and its day.
_AT_AGE = re.compile(r"[\s,(]{1,3}(?:alors |soit )?(?:a l'age de|age(?:e|s|es)? de|vers l'age de|vers|a)\s")
_ON_DAY = re.compile(r"[\s,(]{1,3}(?:soit )?(?:le |en |au |des |depuis )?")
# Between an age and the birthday that it is told of: "aura 76 ans le 12 mars 2022", "fêtera le 12 mars ses 76 ans".
_AT_BIRTHDAY = re.compile(
    r"[\s,]{1,3}(?:le )?(?:(?:il |elle )?(?:aura(?:it)?|a eu|fete\w*) )?(?:(?:le jour )?(?:de )?ses )?"
)
_BORN = re.compile(r"\bnee?s?(?: ?\(e\))?(?: tous| toutes)?(?: les deux)? (?:le|en|au)\s$")
_BORN_ON = re.compile(r"[\s,(]{1,3}nee?s?(?: ?\(e\))? (?:le|en|au)\s")
_BORN_REACH = 30
_YEARS = r"\d{1,2}|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|quinze|vingt|trente"
# Years since an age or a year, as they stand behind the one and ahead of the other.
_SINCE = re.compile(
    r"[\s,(]{1,3}(?:soit )?(?:depuis |il y a |evoluant depuis )?(?P<years>\d{1,2}) ans(?: d'evolution|\)|[.,;])"
)
# "mariée depuis 17 ans (2007)", "à dix ans de sa mastectomie (2014)"
_FOR = re.compile(
    rf"\b(?:depuis (?P<years>{_YEARS}) ans|(?:a|vers) (?P<act>{_YEARS}) ans (?:de |d'|apres )(?:sa |son |la |une? |l')?"
    r"[a-z]{4,20}) \((?:en |soit en |soit )?$"
)
# "depuis 1996 (soit depuis 23 ans)", "en 2010, 14 ans de recul"
_FOR_BEHIND = re.compile(
    rf"[\s,(]{{1,3}}(?:soit )?(?P<since>depuis )?(?P<years>{_YEARS}) ans\b"
    r"(?:(?P<passed> (?:d'evolution|de recul|de suivi)\b)|(?! (?:avant|apres|plus t|auparavant)))"
)
_SINCE_AHEAD = re.compile(r"\bdepuis (?:l'annee )?\Z")
_NEXT_YEAR = re.compile(r"\bl'annee (?:suivante|d'apres)[\s,(]{1,3}(?:soit )?en\s$")
# Between two years: "en 2019, trois ans après son AVC de 2016", "en 2011, récidive 5 ans plus tard, en 2016".
_YEARS_LATER = re.compile(
    rf"[\s,(]{{1,3}}(?:soit )?(?P<years>{_YEARS}) ans (?:(?P<behind>apres)|avant) [a-z' ]{{3,30}}\(?|"
    rf"[^.;\d]{{1,40}}?\b(?P<later>{_YEARS}) ans (?:plus tard|apres),? \(?(?:soit )?(?:en )?"
)
# "de 1974 à 2018, soit 44 ans"
_TO_YEAR = re.compile(r" ?(?:a|et|-|jusqu'en) ?")
_IN_ALL = re.compile(rf",? (?:\(?soit (?:pendant )?|\()(?P<years>{_YEARS}) ans\b")
_YEARS_REACH = 60
# What parts a relative's age from the patient's, ahead of it: "de 3 ans son aîné, 14 ans".
_YOUNGER_BY = re.compile(
    rf"(?:\b(?P<apart>{_YEARS}) ans "
    r"(?:(?P<elder>(?:son|sa) aine|de plus)|(?:son|sa) (?:cadet|puine)|de moins)(?:te|e)?|"
    rf"\bplus (?P<older>age|vieux|vieille|jeune)e?s? (?:que (?:lui|elle) )?de (?P<by>{_YEARS}) ans|"
    rf"\b(?P<rank>aine|cadet|puine)(?:te|e)? de (?P<than>{_YEARS}) ans de (?:son|sa) (?:frere|{SISTER}))"
    r"[\s,(]{1,3}(?:agee? de )?\Z"
)
_ELDER = ("age", "vieux", "vieille")
# Ages and births told in turn: "4 et 7 ans, nés le 3/5/20 et le 2/6/17", "jumeaux de 4 ans, Tom et Léo, nés le 3/5/20".
_AGE, _BIRTH, _NAME = "\ue000", "\ue001", "\ue002"
_AND = r"[\s,)]{1,3}(?:et |puis )?"
_BORN_IN_TURN = re.compile(
    rf"{_AGE}(?:{_AND}(?:{_NAME}[\s,:(]{{1,3}})?(?:de )?{_AGE})*(?:[\s,:(]{{1,3}}{_NAME}(?:{_AND}{_NAME})*)?"
    rf"[\s,()]{{1,3}}nee?s? (?:respectivement )?(?:le|en|au) {_BIRTH}(?:{_AND}(?:le |en |au )?{_BIRTH})*|"
    rf"\bnee?s (?:respectivement )?(?:le|en|au) {_BIRTH}(?:{_AND}(?:le |en |au )?{_BIRTH})+"
    rf"[\s,(]{{1,3}}(?:ages (?:respectivement )?de )?{_AGE}(?:{_AND}(?:de )?{_AGE})+"
)
_MONTHS_IN_YEAR = 12
# Two ages of a stretch, and how long it lasted: in years, or in packs a year, of which the text says how many a day.
_TO = re.compile(r"(?: ?ans)?,? (?:a|et|jusqu'a(?: l'age de)?) ")
_LASTED = re.compile(
    r"[\s,(:]{1,3}(?:soit |pendant |durant |donc )?(?:environ |a peu pres )?(?P<count>\d{1,2}) ?"
    r"(?:(?P<packs>paquets?[ -]ann?ees?|pa\b|p\.?a\b)|(?:ans|annees)\b)"
)
_A_DAY = re.compile(
    r"(?<![\d,.])(?P<count>\d{1,2}|une?|deux) ?(?:(?P<packs>paquets?|pqt?s?|p)|cigarettes?|cigs?|clopes) ?"
    r"(?:/|par) ?j(?:our)?\b"
)
_CIGARETTES = 20  # in a pack
_WORDS = {"un": 1, "une": 1, "deux": 2}
_RATE_REACH = 60
_SENTENCE = re.compile(r"[.;\n](?!\d)")
_CLASSES = {
    "petite section": 3, "moyenne section": 4, "grande section": 5, "cp": 6, "ce1": 7, "ce2": 8, "cm1": 9, "cm2": 10,
    "ce un": 7, "ce deux": 8, "cm un": 9, "cm deux": 10,
    "6": 11, "5": 12, "4": 13, "3": 14, "sixieme": 11, "cinquieme": 12, "quatrieme": 13, "troisieme": 14,
    "seconde": 15, "2nde": 15, "premiere": 16, "1ere": 16, "terminale": 17,
}  # fmt: skip
_FIRST_SCHOOL = r"(?P<class>(?:petite|moyenne|grande) section|cp|c[em](?:[12]| un| deux))\b"
_LATER_SCHOOL = (
    r"\b(?:scolaris|eleve|classe|college|lycee)[^.;\n]{0,20}? "
    r"(?P<later>[3-6](?=e(?:me)?\b)|(?:(?:six|cinqu|quatr|trois)ieme|seconde|2nde|premiere|1ere|terminale)\b)"
)
_CLASS = re.compile(rf"[^.;\n]{{0,40}}?(?:\b(?:en|au|du|de) |\(){_FIRST_SCHOOL}|[^.;\n]{{0,30}}{_LATER_SCHOOL}")
# "scolarisé en CE2, 8 ans", "élève de terminale âgée de 17 ans"
_CLASS_AHEAD = re.compile(
    rf"(?:\b(?:en|au|du|de) {_FIRST_SCHOOL}|{_LATER_SCHOOL}(?:e(?:me)?)?)[\s,(]{{1,3}}(?:agee? de )?\Z"
)
_CLASS_REACH = 80
# School years begin in September: an entry and right behind it what is entered, in the clause of the month. Classes of
# diseases, lines of a treatment and tablets ("cp") are none.
_ENTERS_SCHOOL = re.compile(
    r"\b(?:(?:r?entr(?:e|er|era|ait|ant|ee)|pass(?:e|er|era|age)|redoubl\w*|integr\w*|scolaris\w*|inscri\w*|admise?)|"
    r"(?:reprise|rentree) (?:de|du|des))\b(?:[ ,]|\b(?:a|au|en|dans|depuis|la|le|sa|son|une?)\b|\bl')*"
    r"(?:\b(?:(?:petite|moyenne|grande) section|(?<=en |au |le |on )(?:cp|ce[12]|cm[12])|maternelle|(?<=en )primaire|"
    r"ecole|college|lycee|scolaire|ulis|segpa|im[ep]|itep|creche|(?<=la )fac|universite)\b|"
    r"(?<=en |sa )(?:[3-6]e(?:me)?|seconde|2nde|1ere|premiere|terminale)(?= *(?:[,:)]|\Z|(?:en|depuis|a|au|cette)\b)))"
)
# Exams of the end of school are in June, and told by July.
_ENDS_SCHOOL = re.compile(
    r"\b(?:avoir|eu|pass(?:e|er|era|ait)|obten\w+|obtien\w+|reussi\w*|rate\w*|epreuves|resultats|revis\w+) "
    r"(?:(?:son|le|du|au|de son) )?(?:bac|baccalaureat|brevet des colleges)\b(?! a\b)"
)
_ENDS = frozenset({6, 7})
_STARTS = frozenset({9, "rentree", "rentree scolaire", "rentree des classes"})


class Given(NamedTuple):
    """Days that an age is counted between, and the years to take off; None: the patient's birth, the document's day.

    `since` is the age that a stretch begins with: it is counted from that one alone.
    """

    birth: Instant | None = None
    at: Instant | None = None
    less: int = 0
    since: Mention | None = None


def read_given(context: DocumentContext, normalised: NormalisedTimes) -> Mapping[Mention, Given]:
    """Return the ages that words beside them give."""
    given = {
        mention: given
        for mention, age in normalised.ages.items()
        if age.step == 1 and age.unit is not Unit.DECADE
        for given in _given(context, normalised, mention)
    }
    return {**given, **_born_in_turn(context, normalised), **_ends_of_stretches(context, normalised)}


def _born_in_turn(context: DocumentContext, normalised: NormalisedTimes) -> Mapping[Mention, Given]:
    """Return the ages of a list that is followed by as many births, each by its own."""
    signs = dict.fromkeys(normalised.ages, _AGE) | {one: _NAME for one in context.mentions if one.label in NAMES}
    signs |= {one: _BIRTH for one, to in normalised.instants.items() if to.unit in _COUNTED}
    spans, pieces, end = sorted(signs), list[str](), 0
    for one in spans:
        pieces += (context.lined[end : one.start], signs[one])
        end = one.end
    text, found = "".join((*pieces, context.lined[end:])), dict[Mention, Given]()
    for told in _BORN_IN_TURN.finditer(text):
        first = sum(map(text[: told.start()].count, (_AGE, _BIRTH, _NAME)))
        here = [one for one in spans[first:] if signs[one] != _NAME][: len(re.sub(f"[^{_AGE}{_BIRTH}]", "", told[0]))]
        aged, born = ([one for one in here if signs[one] == sign] for sign in (_AGE, _BIRTH))
        if len(aged) == len(born) and normalised.births.isdisjoint(born):
            found |= {one: Given(birth=normalised.instants[day]) for one, day in zip(aged, born, strict=True)}
    return found


def _ends_of_stretches(context: DocumentContext, normalised: NormalisedTimes) -> Mapping[Mention, Given]:
    """Return the second ages of stretches whose length is told in figures that stay: "de 16 à 36 ans, soit 20 ans"."""
    years = [(one, age) for one, age in sorted(normalised.ages.items()) if age.unit is Unit.YEAR and age.step == 1]
    found = {}
    for (one, _), (other, _) in pairwise(years):
        if _TO.fullmatch(context.lined[one.end : other.start]) and stages.opens_stretch(context, one):
            length = _years_told(context, one, other)
            if length:
                found[other] = Given(less=-length, since=one)
    return found


def _years_told(context: DocumentContext, one: Mention, other: Mention) -> int:
    """Return the years that the words around a stretch say that it lasted; 0 if they do not."""
    clause = _SENTENCE.search(context.lined, other.end)
    lasted = _LASTED.search(context.lined, other.end, clause.start() + 1 if clause else len(context.lined))
    if lasted is None or _is_told(context, lasted.start("count")):
        return 0
    count = int(lasted["count"])
    if lasted["packs"] is None:
        return count
    rates = [*_A_DAY.finditer(context.lined, max(0, one.start - _RATE_REACH), lasted.start("count"))]
    if len(rates) != 1 or _is_told(context, rates[0].start("count")):
        return 0
    a_day = _WORDS.get(rates[0]["count"]) or int(rates[0]["count"])
    return round(count * (1 if rates[0]["packs"] else _CIGARETTES) / a_day) if a_day else 0


def within_class(context: DocumentContext, mention: Mention, age: Age, value: int) -> int:
    """Bring a drawn age within a year of the age of the school class told beside it, in its stage of life."""
    if age.unit is not Unit.YEAR or age.step != 1:
        return value
    nxt = next((one.start for one in context.labelled(Label.AGE) if one.start >= mention.end), len(context.lined))
    found = _CLASS_AHEAD.search(context.lined_before(mention, _CLASS_REACH))
    found = found or _CLASS.match(context.lined, mention.end, min(nxt, mention.end + _CLASS_REACH))
    if found is None:
        return value
    usual = _CLASSES[found["class"] or found["later"]]
    return stages.kept_in_stage(age, min(max(value, usual - 1), usual + 1))


def is_start_of_school(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> bool:
    """Return whether a September or "rentrée" without a year is when a clause says that somebody enters a school.

    So is a June or July when it says that somebody passes the exam at the end of one.
    """
    said = normalised.said.get(mention)
    if not isinstance(said, Expression) or said.year or said.day:
        return False
    told = {said.month, said.feast}
    words = _ENTERS_SCHOOL if told & _STARTS else _ENDS_SCHOOL if told & _ENDS else None
    ahead = _SENTENCE.split(context.lined_before(mention, _CLASS_REACH))[-1]
    clause = ahead + _SENTENCE.split(context.lined[mention.end : mention.end + _CLASS_REACH])[0]
    return words is not None and words.search(clause) is not None


def count_age(given: Given, age: Age, line: Timeline, own: int | None, started: int | None = None) -> int:
    """Return a given age in the unit of `age`, from published values.

    One from the patient's birth that is not even of the next stage of life is of somebody whom the words do not name
    ("l'aîné, noyé en 1971, à 53 ans"): it is brought to the stage of `age`, which is public.

    Args:
        own: the patient's published age in months.
        started: the published age in years that a stretch begins with, for the age that ends it.
    """
    if started is not None:
        return started - given.less
    birth = line.told_birth if given.birth is None else line.instants[given.birth].middle
    day = line.moved_anchor if given.at is None else line.instants[given.at].middle
    if birth is not None:
        value = max(age_at(birth, day, age.unit) - given.less, 1)
        return stages.kept_in_stage(age, value) if given.birth is None and stages.are_far(age, value) else value
    if own is None:
        raise ValueError("an age is given by the patient's, which is not known")
    return max(own // _MONTHS_IN_YEAR - given.less, 1)


def count_years(context: DocumentContext, normalised: NormalisedTimes, line: Timeline) -> Timeline:
    """Return the timeline with the years that words ahead count from the document or the year before, in order."""
    counted: dict[Instant, int] = {}
    before: tuple[Mention, Instant] | None = None
    for mention, instant in sorted(normalised.instants.items()):
        if instant.unit is not Unit.YEAR or instant not in normalised.dated:
            continue
        years = None if before is None or before[1] == instant else _years_later(context, before[0], mention)
        if (passed := _years_since(context, mention)) is not None:
            counted[instant] = line.moved_anchor.year - passed
        elif before is not None and years is not None:
            counted[instant] = counted.get(before[1], line.instants[before[1]].index) + years
        before = mention, instant
    if not counted:
        return line
    targets = {one: to.index for one, to in line.instants.items() if one not in normalised.birth_instants}
    moved = order.restore(targets | counted, line.fixed(), holding=line.may_return)
    return line._replace(instants={one: moved.get(one, to) for one, to in line.instants.items()})


def _years_since(context: DocumentContext, mention: Mention) -> int | None:
    """Return the years that the words around a year tell from it to the document."""
    ahead = context.plain_before(mention, _YEARS_REACH)
    told = _FOR_BEHIND.match(context.plain, mention.end)
    since = told is not None and (told["passed"] or told["since"] or _SINCE_AHEAD.search(ahead))
    if told is not None and since and not _is_told(context, told.start("years")):
        return _number(told["years"])
    told = _FOR.search(ahead) if context.plain[mention.end : mention.end + 1] == ")" else None
    if told is None or _is_told(context, mention.start - len(ahead) + told.start(told.lastgroup or 0)):
        return None
    return _number(told["years"] or told["act"])


def _years_later(context: DocumentContext, one: Mention, other: Mention) -> int | None:
    """Return the years that words tell from a year to the one told behind it; fewer than nought if that is earlier."""
    if other.start - one.end > _YEARS_REACH:
        return None
    between = context.plain[one.end : other.start]
    if _NEXT_YEAR.search(between):
        return 1
    told = _YEARS_LATER.fullmatch(context.plain, one.end, other.start)
    if told is None and _TO_YEAR.fullmatch(between):
        told = _IN_ALL.match(context.plain, other.end)
    if told is None:
        return None
    fields = told.groupdict()
    said = "years" if fields["years"] else "later"
    if _is_told(context, told.start(said)):
        return None
    years = _number(told[said])
    return -years if fields.get("behind") else years


def _number(said: str) -> int:
    return int(said) if said.isdecimal() else numerals.read_number([said]) or 0


def day_of_clause(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> Instant | None:
    """Return the nearest date ahead of an age in its clause."""
    for one, instant in _told_near(normalised, mention):
        if one.end <= mention.start:
            return None if CLAUSE.search(context.lined[one.end : mention.start]) else instant
    return None


def _given(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> Iterator[Given]:
    """Yield what gives an age, once at most."""
    others, then = is_of_another(context, mention), stages.is_then(context, mention)
    if others and (less := _years_younger(context, normalised, mention)) is not None:
        yield Given(less=less)
        return
    if not others and (birthday := _birthday_beside(context, normalised, mention)) is not None:
        yield Given(at=birthday)
    elif then and not others:
        if (given := _at_another_time(context, normalised, mention)) is not None:
            yield given
    elif not then and (birth := _birth_beside(context, normalised, mention)) is not None:
        yield Given(birth=birth)


def _years_younger(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> int | None:
    """Return the years that words just ahead of a relative's age make the patient older by, of one generation."""
    told = _YOUNGER_BY.search(context.lined_before(mention, _YEARS_REACH))
    relative = stages.read_relative(context, mention)
    if told is None or (relative is not None and relative.generations) or not _knows_age(context, normalised, mention):
        return None
    years = _number(told["apart"] or told["by"] or told["than"])
    return -years if told["elder"] or told["older"] in _ELDER or told["rank"] in ("cadet", "puine") else years


def _knows_age(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> bool:
    """Return whether the patient's age is known ahead of a mention."""
    return normalised.birth is not None or any(
        one.start < mention.start and is_own(context, one) for one in normalised.ages
    )


def _birthday_beside(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> Instant | None:
    """Return the birthday of the patient beside an age."""
    for one, instant in _told_near(normalised, mention):
        first, last = sorted((one, mention))
        if one in normalised.birthdays and _AT_BIRTHDAY.fullmatch(context.plain[first.end : last.start]):
            return instant
    return None


def _at_another_time(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> Given | None:
    """Return what gives an age of the patient at another time; of two days beside it, the one without a comma."""
    if normalised.birth is not None:
        days = [
            ("," in between, instant)
            for one, instant in _told_near(normalised, mention)
            if (between := _between(context, one, mention)) is not None
        ]
        if days:
            return Given(at=min(days, key=lambda one: one[0])[1])
    since = _SINCE.match(context.lined, mention.end)
    if since is None or normalised.ages[mention].unit is not Unit.YEAR or _is_told(context, since.start("years")):
        return None
    return Given(less=int(since["years"])) if _knows_age(context, normalised, mention) else None


def is_own(context: DocumentContext, mention: Mention) -> bool:
    """Return whether the words ahead of an age leave it the patient's, at the document's date."""
    return not is_of_another(context, mention) and not stages.is_then(context, mention)


def _between(context: DocumentContext, day: Mention, age: Mention) -> str | None:
    """Return the words between a day and an age, if they say that the one is of the other."""
    ahead = day.end <= age.start
    between = context.lined[day.end : age.start] if ahead else context.lined[age.end : day.start]
    return between if (_AT_AGE if ahead else _ON_DAY).fullmatch(between) else None


def _birth_beside(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> Instant | None:
    """Return the birth told in an age's clause, of somebody who is not the patient."""
    for one, instant in _told_near(normalised, mention):
        if one in normalised.births and not is_of_another(context, one):
            continue
        if one.end <= mention.start:
            between = context.lined[one.end : mention.start]
            if not CLAUSE.search(between) and not OTHERS.search(between) and _born_ahead(context, one):
                return instant
        elif one.start >= mention.end and _BORN_ON.fullmatch(context.lined[mention.end : one.start]):
            return instant
    return None


def _born_ahead(context: DocumentContext, mention: Mention) -> bool:
    return _BORN.search(context.lined_before(mention, _BORN_REACH)) is not None


def _told_near(normalised: NormalisedTimes, mention: Mention) -> Iterator[tuple[Mention, Instant]]:
    """Yield the dates within reach of an age, the nearest ahead first, then those behind."""
    dates = [(one, instant) for one, instant in sorted(normalised.instants.items()) if instant.unit in _COUNTED]
    ahead = [pair for pair in dates if pair[0].end <= mention.start]
    yield from takewhile(lambda pair: pair[0].end > mention.start - REACH, reversed(ahead))
    behind = [pair for pair in dates if pair[0].start >= mention.end]
    yield from takewhile(lambda pair: pair[0].start < mention.end + REACH, behind)


def _is_told(context: DocumentContext, place: int) -> bool:
    """Return whether a place of the text is part of a mention, of which another text is published."""
    return any(one.start <= place < one.end for one in context.mentions)
