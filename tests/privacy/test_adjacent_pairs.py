"""Adjacent inputs that are generated: none refutes what is claimed, and 27 planted bugs are caught."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from itertools import islice
from math import inf

import pytest

from deid.domain.document import Mention, Stay
from deid.french.times_of_day import ClockTime
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution import context as context_module
from deid.substitution.context import DocumentContext
from deid.substitution.generators import generalising
from deid.substitution.generators.generalising import TimesOfDay
from deid.substitution.generators.nirs import Nirs
from deid.substitution.temporal import ends, episodes, groups, stages
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.forms import Expression, Feast, Form, Literal, Year
from deid.substitution.temporal.values import Instant, Unit, clamped
from deid.substitution.temporal.wording import DateWriter
from nocturne_lab.evaluation.audit.adjacent_pairs import (
    FAMILY_ERROR,
    AdjacentPair,
    PairsTried,
    adjacent_pairs,
    try_pair,
)
from nocturne_lab.evaluation.audit.bound import detectable_loss
from nocturne_lab.evaluation.audit.documents import Text, audited_policy
from nocturne_lab.evaluation.audit.public_facts import PatientFile, claimed_loss

SECRET = b"the audit's draws are the same for everyone"
SEED, PAIRS, DRAWS = 7, 24, 120
BUGS = 16  # pairs tried at most for each planted bug


@cache
def published(moves: str = "stay", times: str = "keep") -> Substitutor:
    return Substitutor(audited_policy({"moves": moves}, times), SECRET, packaged_tables().communes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "ended", "moves", "times", "pairs"),
    [
        (0, False, "stay", "hour", PAIRS // 2),
        (1, False, "stay", "keep", PAIRS // 3),
        (2, True, "stay", "keep", PAIRS // 3),
        (3, False, "day", "part_of_day", PAIRS // 2),
    ],
)
def test_no_generated_pair_refutes_its_claim(seed: int, ended: bool, moves: str, times: str, pairs: int) -> None:
    drawn = islice(adjacent_pairs(seed, ended=ended, moves=moves, times=times), pairs)
    found = PairsTried(DRAWS, tried=[(pair, try_pair(pair, published(moves, times), DRAWS)) for pair in drawn])
    assert [pair for pair, _ in found.holm_refuted()] == []


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "ended"), [(0, False), (4, True)])
def test_no_generated_pair_of_an_infant_refutes_its_claim(seed: int, ended: bool) -> None:
    drawn = islice(adjacent_pairs(seed, ended=ended, infants=True), PAIRS // 4)
    found = PairsTried(DRAWS, tried=[(pair, try_pair(pair, published(), DRAWS)) for pair in drawn])
    assert any(pair.changed == "birth" for pair, _ in found.tried)
    assert [pair for pair, _ in found.holm_refuted()] == []


def read_again(one: tuple[str, ...], other: tuple[str, ...], births: tuple[date | None, date | None]) -> float:
    files = [PatientFile(tuple(map(Text, texts)), birth) for texts, birth in zip((one, other), births, strict=True)]
    return claimed_loss(*files)


BORN = date(1950, 6, 1)


@pytest.mark.parametrize(
    ("one", "other", "claimed"),
    [
        (("Sa mère, [[AGE|72 ans]].",), ("Sa mère, [[AGE|74 ans]].",), 24 / 24),
        (("Sa mère, [[AGE|49 ans]].",), ("Sa mère, [[AGE|50 ans]].",), inf),  # two stages of life
        (
            ("Un oncle de [[AGE|70 ans]]. Un cousin de [[AGE|70 ans]].",),
            ("Un oncle de [[AGE|70 ans]]. Un cousin de [[AGE|71 ans]].",),
            12 / 24,
        ),
        (
            ("Un oncle de [[AGE|70 ans]]. Un oncle de [[AGE|70 ans]].",),
            ("Un oncle de [[AGE|70 ans]]. Un oncle de [[AGE|71 ans]].",),
            inf,
        ),
        (("Opéré à [[AGE|60 ans]].",), ("Opéré à [[AGE|61 ans]].",), 1),
        (("Opéré à [[AGE|60 ans]].",), ("Opéré à [[AGE|75 ans]].",), inf),  # past the age at the document's date
        (("Patient de [[AGE|60 ans]].",), ("Patient de [[AGE|61 ans]].",), inf),
        (("Opéré en [[DATE|2012]].",), ("Opéré en [[DATE|2013]].",), 1),
        (
            ("Opéré en [[DATE|2012]], vu en [[DATE|mars 2012]].",),
            ("Opéré en [[DATE|2012]], vu en [[DATE|mai 2012]].",),
            1,
        ),
        (
            ("Opéré en [[DATE|2012]], vu en [[DATE|mars 2012]].",),
            ("Opéré en [[DATE|2012]], vu en [[DATE|mars 2013]].",),
            inf,
        ),
        (
            ("Opéré en [[DATE|2012]].", "Opéré en [[DATE|2012]]."),
            ("Opéré en [[DATE|2012]].", "Opéré en [[DATE|2013]]."),
            inf,
        ),
        (("Vu le [[DATE|14/01/2015]].",), ("Vu le [[DATE|21/01/2015]].",), 7 * 0.005),
        (("Vu le [[DATE|14/01/2015]].",), ("Vu le [[DATE|15/01/2015]].",), inf),  # another weekday
        (
            ("Vu le [[DATE|14/01/2015]], le [[DATE|11/02/2015]].",),
            ("Vu le [[DATE|14/01/2015]], le [[DATE|18/02/2015]].",),
            inf,
        ),
        (
            ("Vu le [[DATE|14/01/2015]], le [[DATE|11/02/2015]].",),
            ("Vu le [[DATE|21/01/2015]], le [[DATE|18/02/2015]].",),
            7 * 0.005,
        ),
        (
            ("Vu le [[DATE|14/01/2015]], le [[DATE|14/01/2016]].",),
            ("Vu le [[DATE|14/01/2015]], le [[DATE|21/01/2016]].",),
            7 * 0.005,
        ),
    ],
)
def test_the_list_decides_what_is_adjacent(one: tuple[str, ...], other: tuple[str, ...], claimed: float) -> None:
    assert read_again(one, other, (BORN, BORN)) == pytest.approx(claimed)


def test_a_birth_date_costs_its_days_within_its_decade() -> None:
    text = ("Vu ce jour.",)
    assert read_again(text, text, (BORN, date(1950, 6, 11))) == pytest.approx(10 / 548)
    assert read_again(text, text, (date(1949, 12, 31), date(1950, 1, 1))) == inf


def test_days_from_the_birth_are_public_in_the_first_year() -> None:
    """The document is of a stay that begins on 3 March 2022."""
    text, days = ("Vu à [[AGE|4 mois]], le [[DATE|01/02/2022]].",), (date(2021, 10, 1), date(2021, 10, 11))
    assert read_again(text, text, days) == inf
    assert read_again(text, ("Vu à [[AGE|3 mois]], le [[DATE|01/02/2022]].",), days[:1] * 2) == inf
    texts = [
        (Text(f"Née le [[DATE|{born:%d/%m/%Y}]], vue à [[AGE|4 mois]].", seen, Stay(seen, seen)),)
        for born, seen in zip(days, (date(2022, 3, 4), date(2022, 3, 14)), strict=True)
    ]
    files = [PatientFile(one, born) for one, born in zip(texts, days, strict=True)]
    assert claimed_loss(*files) == pytest.approx(10 / 60)


def test_pairs_are_the_same_for_a_seed_and_adjacent() -> None:
    pairs = list(islice(adjacent_pairs(SEED), 60))
    assert pairs == list(islice(adjacent_pairs(SEED), 60))
    assert all(claimed_loss(one.one, one.other) == claimed_loss(one.other, one.one) == one.claimed for one in pairs)
    assert {one.changed for one in pairs} > {"stay", "birth", "month", "year", "kin", "then"}


def test_holms_method_stops_at_the_first_pair_that_stands() -> None:
    pair = next(adjacent_pairs(SEED))
    found = PairsTried(DRAWS, error=0.1, tried=[(pair, error) for error in (0.9, 0.04, 0.02, 0.049)])
    assert [error for _, error in found.holm_refuted()] == [0.02]


def test_more_draws_show_smaller_losses() -> None:
    losses = [detectable_loss(1, draws, FAMILY_ERROR / 200, 0.035) for draws in (60, 300, 4_000)]
    assert losses == sorted(losses, reverse=True)
    assert 0.035 < losses[-1] < 0.08 < losses[0]


Patch = pytest.MonkeyPatch
_LOOSE = stages.move_age
_FORM, _NIR, _TO_THE_HOUR = DateWriter._form, Nirs._drawn, generalising.to_the_hour
_WITHIN, _HISTORY, _SHIFT, _MOVES = stages._within_stage, episodes._history, episodes.episode_shift, episodes.Life.moves


def equal_ages_of_relatives(patch: Patch) -> None:
    patch.setattr(stages, "whose_age", lambda *_: "")


def equal_ages_across_stays(patch: Patch) -> None:
    def move_age(context: DocumentContext, age: Age, epsilon: object, whose: str = "") -> int:
        return _LOOSE(context, age, epsilon, whose.partition(" ")[2])  # type: ignore[arg-type]

    patch.setattr(stages, "move_age", move_age)


def ages_at_two_times_move_together(patch: Patch) -> None:
    patch.setattr(stages, "is_then", lambda *_: False)


def ages_never_the_original(patch: Patch) -> None:
    def drawn(stream: object, age: Age, epsilon: object) -> int:
        while (value := _WITHIN(stream, age, epsilon)) == age.value:  # type: ignore[arg-type]
            pass
        return value

    patch.setattr(stages, "_within_stage", drawn)


def ages_near_the_value(patch: Patch) -> None:
    def drawn(stream: object, age: Age, epsilon: object) -> int:
        while abs((value := _WITHIN(stream, age, epsilon)) - age.value) > 1:  # type: ignore[arg-type]
            pass
        return value

    patch.setattr(stages, "_within_stage", drawn)


def ages_at_least_the_value(patch: Patch) -> None:
    patch.setattr(stages, "_within_stage", lambda stream, age, epsilon: max(age.value, _WITHIN(stream, age, epsilon)))


def noise_of_an_eighth(patch: Patch) -> None:
    patch.setattr(stages, "_within_stage", lambda stream, age, epsilon: _WITHIN(stream, age, 8 * epsilon))


def one_noise_for_all_dates(patch: Patch) -> None:
    def moved(context: DocumentContext, one: Instant, life: episodes.Life | None) -> int:
        if one.unit is Unit.DAY:
            return _HISTORY(context, one, life)
        return clamped(one.unit, one.index + discrete_laplace(context.stream("history", one.unit), Fraction(1)))

    patch.setattr(episodes, "_history", moved)


def dates_never_after_the_original(patch: Patch) -> None:
    patch.setattr(episodes, "_history", lambda context, one, life: min(one.index, _HISTORY(context, one, life)))


def dates_of_the_same_parity(patch: Patch) -> None:
    def moved(context: DocumentContext, one: Instant, life: episodes.Life | None) -> int:
        return one.index + 2 * (_HISTORY(context, one, life) - one.index)

    patch.setattr(episodes, "_history", moved)


def months_stay_in_their_year(patch: Patch) -> None:
    def moved(context: DocumentContext, one: Instant, life: episodes.Life | None) -> int:
        index = _HISTORY(context, one, life)
        year = one.index // 12 * 12
        return min(max(index, year), year + 11) if one.unit is Unit.MONTH else index

    patch.setattr(episodes, "_history", moved)


def stays_never_later(patch: Patch) -> None:
    patch.setattr(episodes, "episode_shift", lambda *given: min(0, _SHIFT(*given)))


def one_shift_for_all_stays(patch: Patch) -> None:
    patch.setattr(episodes, "episode_shift", lambda context, *_: episodes.patient_shift(context) // 7 * 7)


def a_shift_is_cut_at_nought(patch: Patch) -> None:
    patch.setattr(ends, "brought_before", lambda days, *_: min(days, 0))


def episodes_as_far_apart_as_they_were(patch: Patch) -> None:
    patch.setattr(groups, "_least", lambda between, _: between.days)


def the_last_quarter_of_a_stage_is_apart(patch: Patch) -> None:
    def moves(life: episodes.Life, episode: episodes.Episode) -> tuple[int, int]:
        least, most = _MOVES(life, episode)
        turn = stages.days_of_stage(life.birth, episode.first, life.birth)[1]
        end = stages.days_of_stage(life.birth, episode.first, life.moved)[1]
        if end == date.max or most - least < 200:
            return least, most
        edge = (end - timedelta(days=92) - episode.first).days
        return (edge + 1, most) if (turn - episode.first).days < 92 else (least, edge)

    patch.setattr(episodes.Life, "moves", moves)


def seasons_stay_in_their_year(patch: Patch) -> None:
    def moved(context: DocumentContext, one: Instant, life: episodes.Life | None) -> int:
        index = _HISTORY(context, one, life)
        return one.index // 4 * 4 + index % 4 if one.unit is Unit.SEASON else index

    patch.setattr(episodes, "_history", moved)


def feasts_keep_their_name(patch: Patch) -> None:
    patch.setattr(Feast, "write", lambda self, _day: self.model)


def the_year_is_told_of_late_months(patch: Patch) -> None:
    def form(writer: DateWriter, mention: Mention, said: Expression, moved: Instant) -> Form:
        late = said.month is not None and said.year is None and said.month > 6
        return Form((*said.form.parts, Literal(" "), Year(4))) if late else _FORM(writer, mention, said, moved)

    patch.setattr(DateWriter, "_form", form)


def accents_follow_the_original(patch: Patch) -> None:
    patch.setattr(context_module, "_is_accented", lambda text, *_: re.search("[éèêàçùôîâû]", text) is not None)


def birthdays_move_with_the_stay(patch: Patch) -> None:
    patch.setattr(DateWriter, "_birthday", lambda *_: None)


def a_number_says_the_month_of_birth(patch: Patch) -> None:
    def drawn(nirs: Nirs, match: re.Match[str], stream: KeyedStream) -> str:
        number = _NIR(nirs, match, stream)
        return number[:3] + match[3] + number[5:]

    patch.setattr(Nirs, "_drawn", drawn)


def a_number_keeps_its_order(patch: Patch) -> None:
    patch.setattr(Nirs, "_drawn", lambda nirs, match, stream: _NIR(nirs, match, stream)[:10] + match[6] + "00")


def hours_are_rounded(patch: Patch) -> None:
    def to_the_hour(text: str, clock: ClockTime) -> str:
        return _TO_THE_HOUR(text, clock._replace(hour=clock.hour + clock.minute // 30))

    patch.setattr(generalising, "to_the_hour", to_the_hour)


def times_are_of_the_half_of_a_part(patch: Patch) -> None:
    patch.setattr(TimesOfDay, "_part", lambda times, mention, clock: f"{clock.part} {_halves(times, mention)}")


def _halves(times: TimesOfDay, mention: Mention) -> str:
    return "tôt" if int(times._context.text(mention)[:2]) % 6 < 3 else "tard"


def days_of_infants_are_brought_to_their_kind(patch: Patch) -> None:
    patch.setattr(episodes, "_own_episode", lambda context, anchor, _: episodes.episode_of(context, anchor))


def days_one_by_one_are_never_later(patch: Patch) -> None:
    stays_never_later(patch)


def days_one_by_one_move_together(patch: Patch) -> None:
    patch.setattr(episodes, "episode_shift", lambda context, *_: episodes.patient_shift(context))


# What is planted, the kinds of sentences, and of values changed, that may show it, patients on either side, the seed.
PLANTED: list[tuple[Callable[[Patch], None], str, str, int, int]] = [
    (equal_ages_of_relatives, "kin", "kin", 120, SEED),
    (equal_ages_across_stays, "kin", "kin", 120, SEED),
    (ages_at_two_times_move_together, "then now", "then", 120, SEED),
    (ages_never_the_original, "then", "then", 800, SEED),
    (ages_near_the_value, "kin", "kin", 120, SEED),
    (ages_at_least_the_value, "then", "then", 240, SEED),
    (noise_of_an_eighth, "kin", "kin", 240, SEED),
    (one_noise_for_all_dates, "year month", "year month", 120, SEED),
    (dates_never_after_the_original, "year", "year", 240, SEED),
    (dates_of_the_same_parity, "year", "year", 120, SEED),
    (months_stay_in_their_year, "month", "month", 120, 8),
    (stays_never_later, "stay", "stay", 240, SEED),
    (one_shift_for_all_stays, "stay", "stay", 120, SEED),
    (a_shift_is_cut_at_nought, "stay", "stay", 240, SEED),
    (episodes_as_far_apart_as_they_were, "day stay", "day", 240, SEED),
    (the_last_quarter_of_a_stage_is_apart, "birth stay", "stay", 240, 19),
    (seasons_stay_in_their_year, "season", "season", 240, SEED),
    (feasts_keep_their_name, "feast", "feast", 120, SEED),
    (the_year_is_told_of_late_months, "named", "named", 120, SEED),
    (accents_follow_the_original, "month", "month", 480, SEED),
    (birthdays_move_with_the_stay, "birthday", "birth", 240, SEED),
    (a_number_says_the_month_of_birth, "nir", "birth", 120, SEED),
    (a_number_keeps_its_order, "nir", "nir", 120, SEED),
    (hours_are_rounded, "time", "time", 120, SEED),
    (times_are_of_the_half_of_a_part, "time", "time", 120, SEED),
    (days_of_infants_are_brought_to_their_kind, "stay", "birth", 240, SEED),
    (days_one_by_one_are_never_later, "day until", "day until", 240, SEED),
    (days_one_by_one_move_together, "day until", "day until", 120, SEED),
]
# The keys of the policy that publishes the pairs, where it is not the shipped one: how days move, what times become.
RULES = {
    hours_are_rounded: ("stay", "hour"),
    times_are_of_the_half_of_a_part: ("stay", "part_of_day"),
    days_one_by_one_are_never_later: ("day", "keep"),
    days_one_by_one_move_together: ("day", "keep"),
}


def caught(
    kinds: str,
    changed: str,
    draws: int,
    seed: int,
    *,
    ended: bool = False,
    infants: bool = False,
    rules: tuple[str, str] = ("stay", "keep"),
) -> AdjacentPair | None:
    """Return the first of `BUGS` generated pairs that refutes its claim, with Bonferroni's correction; None if none."""
    moves, times = rules
    substitutor = published(moves, times)
    found = adjacent_pairs(seed, kinds.split(), ended=ended, moves=moves, times=times, infants=infants)
    pairs = (pair for pair in found if pair.changed in changed.split())
    for pair in islice(pairs, BUGS):
        if try_pair(pair, substitutor, draws) * BUGS <= FAMILY_ERROR:
            return pair
    return None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plant", "kinds", "changed", "draws", "seed"), PLANTED, ids=lambda one: getattr(one, "__name__", "")
)
def test_generated_pairs_catch_a_planted_bug(
    monkeypatch: Patch,
    plant: Callable[[Patch], None],
    kinds: str,
    changed: str,
    draws: int,
    seed: int,
) -> None:
    plant(monkeypatch)
    ended, infants = plant is a_shift_is_cut_at_nought, plant is days_of_infants_are_brought_to_their_kind
    rules = RULES.get(plant, ("stay", "keep"))
    assert caught(kinds, changed, draws, seed, ended=ended, infants=infants, rules=rules) is not None
