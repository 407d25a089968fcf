"""Strategy `stages`: each age is drawn within its stage of life, which is public, and may be its original."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.privacy.budget import rational, tempered
from deid.privacy.laplace import discrete_laplace
from deid.privacy.life_stages import CLASSES, STAGES, birth_rate
from deid.privacy.stream import KeyedStream
from deid.substitution.context import DocumentContext
from deid.substitution.temporal.ages import Age, months_of
from deid.substitution.temporal.births import within_life
from deid.substitution.temporal.kin import OTHERS, REACH, SISTER, clause_ahead, is_of_another, last_clause
from deid.substitution.temporal.values import Unit, add_months, age_at, months_between, on

MECHANISM = "discrete_laplace"
_FIRST_MONTHS = [months for months, _ in STAGES]
# Relatives whose age the patient's bounds, by the last of their words ahead.
_KIN = re.compile(
    rf"(?P<grandparent>grands?[- ](?:pere|mere|parent)s?)|(?P<elder>(?:grands?|grandes?) (?:frere|{SISTER})s?|"
    rf"(?:frere|{SISTER})s? (?:aine|plus age)e?s?)|(?P<younger>(?:petite?s?|jeunes?) (?:frere|{SISTER})s?|"
    rf"(?:frere|{SISTER})s? (?:cadet(?:te)?|puine|plus jeune)e?s?)|(?P<grandchild>petite?s?[- ](?:fils|filles?))|"
    r"(?P<parent>(?<![a-z-])(?:peres?|meres?|parents?|papa|maman)\b)|(?P<child>(?<![a-z-])(?:fils|filles?|enfants?)\b)"
)
# Generations that they are older by; less than nought: younger. A generation is fifteen years at least.
_GENERATIONS = {"grandparent": 2, "parent": 1, "elder": 0, "younger": 0, "child": -1, "grandchild": -2}
_GENERATION = 15
# A relative's age at another time than the document's.
_ANOTHER_TIME = re.compile(r"\b(?:deced|dcd|mort|a l'age|avant|vers|depuis|il y a|etait|avait)")
# Just ahead of an age of the patient at another time; "a" is "à" unless a subject stands ahead of it.
_THEN = re.compile(
    r"(?:l'age d(?:e|')|\b(?:avant|apres|vers|des|depuis|jusqu'[aà]|entre|avai(?:s|t|ent)|etai(?:s|t)|ses|partir de)|"
    r"(?P<at>(?<!\bil )(?<!elle )(?<!qui )(?<!patient )(?<!patiente )(?<!monsieur )(?<!madame )\ba))"
    r"(?: (?:environ|peine|presque))?[ \n]*$"
)
_FROM = re.compile(r"\b(?:de|entre|depuis)(?: l'age de)?\s$")
_TO_ANOTHER = re.compile(r"(?: ?ans)?,? (?:a|et|jusqu['’]a(?: l['’]age de)?) \d{1,2} ?ans\b")
_THEN_REACH = 24  # characters
_MARK = "\ue000"  # stands for an age
_INFANT, _TODDLER = 1, 2  # stages of life in the first year and behind it
_PREGNANCY = 280  # days before a birth
_GREATEST = {Unit.YEAR: 125, Unit.MONTH: 1500, Unit.WEEK: 520, Unit.DAY: 3650, Unit.DECADE: 12}


def stage_of(age: Age) -> int:
    """Return the stage of life of an age, as its place among the stages; 0 is a newborn."""
    return _stage(months_of(age.unit, age.value, age.step))


def _stage(months: Fraction) -> int:
    return bisect_right(_FIRST_MONTHS, months) - 1


@lru_cache(maxsize=64)
def same_stage(unit: Unit, step: int, stage: int) -> tuple[int, ...]:
    """Return the values of a stage, counted in `step`-ths of `unit`: a public set."""
    values = range(_GREATEST[unit] * step + 1)
    return tuple(value for value in values if _stage(months_of(unit, value, step)) == stage)


def move_age(context: DocumentContext, age: Age, _epsilon: Fraction, whose: str = "") -> int:
    """Draw a value of the age's stage, by discrete Laplace noise folded at its ends; it may be the original.

    It is ε·|v − w|-private over the ages v, w of a stage, written in one unit; ε is the stage's, and the distance is in
    months. Between two stages nothing is claimed. Draws of different `whose`, public words, are independent: equal ages
    of two persons do not show as equal.
    """
    stream = context.stream("age", "stage", age.unit, str(age.step), str(age.value), whose)
    return _within_stage(stream, age, epsilon_of(stage_of(age)))


def _within_stage(stream: KeyedStream, age: Age, epsilon: Fraction) -> int:
    """Draw noise on an age, ε in nats per month, and fold it into the age's stage: public, hence post-processing."""
    moved = age.value + discrete_laplace(stream, epsilon * months_of(age.unit, 1, age.step))
    return folded(same_stage(age.unit, age.step, stage_of(age)), moved)


def folded(values: Sequence[int], value: int) -> int:
    """Return `value` reflected at both ends of consecutive `values`, as often as it takes; itself where there are none.

    Examples: of 6, 7, 8 and 9, 10 becomes 9, 11 becomes 8, and 5 becomes 6.
    """
    if not values:
        return value
    place = (value - values[0]) % (2 * len(values))
    return values[min(place, 2 * len(values) - 1 - place)]


def move_age_then(context: DocumentContext, age: Age, now: int, published: int) -> int:
    """Draw an age of the patient at another time than the document's, by a law of its own within its stage.

    The law is that of `move_age`, with ε per month of what is told of the past (`epsilon_then`); all documents of the
    patient share the draw. It is then brought to its side of the age at the document's date, which is public as the
    order of dates is: this reads published values alone. An age that is the one at the document's date stays so.

    Args:
        now: true age at the document's date, in steps of the mention's unit.
        published: surrogate of `now`.
    """
    if age.value == now:
        return kept_in_stage(age, published)
    stream = context.stream("age", "then", age.unit, str(age.step), str(age.value))
    drawn = _within_stage(stream, age, epsilon_then(context, age))
    return kept_in_stage(age, min(drawn, published) if age.value < now else max(drawn, published))


def epsilon_then(context: DocumentContext, age: Age) -> Fraction:
    """Return ε of an age at another time, in nats per month: the past's in its unit, else its stage's."""
    told = context.policy.dates.history_epsilon.get(age.unit)
    return epsilon_of(stage_of(age)) if told is None else tempered(rational(told)) / months_of(age.unit, 1, 1)


def is_then(context: DocumentContext, mention: Mention) -> bool:
    """Return whether words around an age say another time: "à 65 ans", "de 16 à 36 ans", "depuis l'âge de 20 ans"."""
    if opens_stretch(context, mention):
        return True
    ahead = _THEN.search(context.plain_before(mention, _THEN_REACH))
    if ahead is None or ahead["at"] is None:
        return ahead is not None
    return context.before(mention, _THEN_REACH)[ahead.start("at")] != "a" or not context.accented


def opens_stretch(context: DocumentContext, mention: Mention) -> bool:
    """Return whether an age is the first of two: "de 16 à 36 ans", "entre 16 et 36 ans"."""
    ahead = _FROM.search(context.plain_before(mention, _THEN_REACH))
    return ahead is not None and _TO_ANOTHER.match(context.plain, mention.end) is not None


def whose_age(context: DocumentContext, mention: Mention) -> str:
    """Return the words that say whose age it is: from the last word for another person on, and the ages between.

    Of mentions ahead only names are read, which are public as to whether two are the same.
    """
    pieces, end = [], mention.start
    for one in reversed(context.mentions[: bisect_left(context.mentions, mention)]):
        if one.end <= mention.start - REACH:
            break
        pieces.append(context.lined[min(one.end, end) : end])
        covered = context.plain[one.start : min(one.end, end)]
        pieces.append(covered if one.label in NAMES else _MARK * len(covered.split()) if one.label is Label.AGE else "")
        end = one.start
    pieces.append(context.lined[max(0, mention.start - REACH) : end])
    clause = last_clause("".join(reversed(pieces)))
    found = [match.start() for match in OTHERS.finditer(clause)]
    return f"{clause.count(_MARK)} {clause[found[-1] :].strip() if found else ''}"


class Relative(NamedTuple):
    """Relative named ahead of an age: generations above the patient, a sign, whether it is the age now."""

    generations: int
    sign: int
    now: bool

    @property
    def years(self) -> int:
        """Return the years between the two, at least."""
        return _GENERATION * abs(self.generations)


def read_relative(context: DocumentContext, mention: Mention) -> Relative | None:
    """Return the relative whose age it is, by the last word ahead in the clause; None for one that nothing bounds."""
    clause = clause_ahead(context, mention)
    found = [*_KIN.finditer(clause)]
    if not found or not is_of_another(context, mention) or OTHERS.search(clause, found[-1].end()):
        return None  # "une enfant de 8 ans" is the patient; of "ses parents et son frère" the brother comes last
    kin = found[-1].lastgroup or ""
    generations = _GENERATIONS[kin]
    sign = -1 if generations < 0 or kin == "younger" else 1
    return Relative(generations, sign, _ANOTHER_TIME.search(clause) is None and not is_then(context, mention))


def beside_kin(age: Age, value: int, relative: Relative, own: int | None, told: Iterable[tuple[int, int]]) -> int:
    """Return a relative's drawn age, made to agree with published ones: only draws and public words are read.

    It is the nearest value of its stage that is generations apart from the patient's age and from those of the
    relatives told before; where there is none, the one that comes nearest to it.

    Args:
        own: the patient's published age in months on the same day, None if it is not known.
        told: generation and published age in months of each relative told before.
    """
    months = {one: months_of(age.unit, one, age.step) for one in same_stage(age.unit, age.step, stage_of(age))}
    fitting, whole = list(months), 12 if age.unit is Unit.YEAR else 1
    bounds = [] if own is None else [(relative.sign, relative.years, own)]
    bounds += [
        (1 if apart > 0 else -1, _GENERATION * abs(apart), its)
        for generation, its in told
        if (apart := relative.generations - generation)
    ]
    for sign, years, its in bounds if fitting else ():
        older = {one: sign * (months[one] - its + its % whole) for one in fitting}
        fitting = [one for one in fitting if older[one] >= 12 * years] or [max(fitting, key=older.__getitem__)]
    return value if value in fitting else min(fitting, key=lambda one: (abs(one - value), one), default=value)


def moved_with_birth(age: Age, birth: date, anchor: date, told_birth: date, moved_anchor: date) -> int:
    """Return an age of the patient, moved by as many units as the age at the document's date, within its stage.

    An age told of an earlier day thus moves with the birth date as well.
    """
    older = age_at(told_birth, moved_anchor, age.unit) - age_at(birth, anchor, age.unit)
    return kept_in_stage(age, age.value + older * age.step)


def own_months(birth: date, anchor: date, told_birth: date, moved_anchor: date) -> int:
    """Return the patient's published age in months, within the public stage of life at the document's date."""
    first, last = days_of_stage(birth, anchor, told_birth)
    return months_between(told_birth, min(max(moved_anchor, first), last))


def epsilon_of(stage: int) -> Fraction:
    """Return ε of the ages of a stage, in nats per month."""
    return STAGES[stage][1]


def epsilon_per_day(stage: int) -> Fraction:
    """Return ε of the ages of a stage, in nats per day."""
    return epsilon_of(stage) * months_of(Unit.DAY, 1, 1)


def cost_of_birth(birth: date) -> tuple[str, str, Fraction, int]:
    """Return the ledger's line of the draw of a birth date: category, mechanism, ε in nats per day, one draw."""
    return "age", f"{MECHANISM} per day of birth", birth_rate(birth), 1


def stage_on(birth: date, day: date) -> int:
    """Return the stage of life at a day, as its place among the stages."""
    return _stage(Fraction(months_between(birth, day)))


def moves_with_birth(birth: date, day: date) -> bool:
    """Return whether what begins on a day moves with the birth date: in the first year of life, or the pregnancy."""
    return (birth - day).days <= _PREGNANCY and stage_on(birth, day) <= _INFANT


def kept_in_stage(age: Age, value: int) -> int:
    """Return the value nearest to `value` in the stage of `age`."""
    return min(same_stage(age.unit, age.step, stage_of(age)), key=lambda one: (abs(one - value), one), default=value)


def move_birth(
    context: DocumentContext,
    anchor: date,
    moved_anchor: date,
    birth: date,
    _epsilon: Fraction,
    shifted: date | None = None,
) -> date:
    """Return the surrogate of a birth date, the same in all documents of the scope.

    It is brought before the moved anchor, without effect where stays follow it (`episodes.Life`), and no further from
    it than the top-coded age.
    """
    moved = born(context, birth, ((shifted or moved_anchor) - anchor).days)
    return within_life(context, moved, moved_anchor) if birth < anchor else moved_anchor


def born(context: DocumentContext, birth: date, shift: int) -> date:
    """Return a birth date moved by the patient's shift, in days, and noise of its own.

    The noise is discrete Laplace, its scale set by the decade of birth (`birth_rate`): ε·d-private between birth
    dates of one decade, without a claim across decades. A drawn date after the document's bound, which is public, is
    folded back at it.
    """
    noise = discrete_laplace(context.stream("birth", "stage", birth.isoformat()), tempered(birth_rate(birth)))
    moved, bounds = birth.toordinal() + shift + noise, context.document.bounds
    return on(moved if bounds is None else min(moved, 2 * bounds.born.toordinal() - moved))


def are_far(age: Age, value: int) -> bool:
    """Return whether `value` lies more than a stage of life from the stage of `age`."""
    return abs(_stage(months_of(age.unit, value, age.step)) - stage_of(age)) > 1


def days_of_stage(birth: date, day: date, moved_birth: date) -> tuple[date, date]:
    """Return the first and last day, counted from `moved_birth`, of the stage of life at `day` counted from `birth`."""
    stage = max(0, _stage(Fraction(months_between(birth, day))))
    first = _reached(moved_birth, _FIRST_MONTHS[stage])
    if stage == len(STAGES) - 1:
        return first, date.max
    return first, _reached(moved_birth, _FIRST_MONTHS[stage + 1]) - timedelta(days=1)


def _reached(birth: date, months: int) -> date:
    """Return the first day of an age in months."""
    day = add_months(birth, months)
    return day if months_between(birth, day) == months else day + timedelta(days=1)


def months_of_stage(months: int) -> int:
    """Return the months from the birth that an episode needs in the stage of an age in months.

    They are those at which the stage begins; of an infant's, whose days from the birth stay, those at which it ends.
    """
    stage = max(0, _stage(Fraction(months)))
    return _FIRST_MONTHS[_TODDLER if stage == _INFANT else stage]


def class_of(months: int) -> str:
    """Return the stage of life, in French, of an age in months; a newborn's below nought."""
    return CLASSES[max(0, _stage(Fraction(months)))]
