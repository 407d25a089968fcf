"""Slots of time: dates, relative dates, ages, durations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from deid.domain.labels import Label
from demo.hospital.prose import dates
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene, bare_slot, draw_range, one, slot

_POINT = re.compile(r"(adm|dis|doc|op|birth)?(?:([+-]\d+)(?:\.\.([+-]?\d+))?)?")
DAYS = {"jours": 1, "semaines": 7, "mois": 30, "ans": 365}


def point(scene: DocumentScene, text: str) -> date:
    """The day that `text` names: "adm", "dis", "op" or "doc" (the default), and an offset "+2" or "-5..-2"."""
    match = _POINT.fullmatch(text)
    if match is None:
        raise ValueError(f"not a point in time: {text}")
    anchors = {
        "adm": scene.stay.admitted_on,
        "dis": scene.stay.discharged_on,
        "doc": scene.written_on,
        "birth": scene.patient.birth_date,
        "op": operation_day(scene),
    }
    offset = 0
    if match[2]:
        low, high = int(match[2]), int(match[3] or match[2])
        offset = scene.rng.randint(min(low, high), max(low, high))
    day = anchors[match[1] or "doc"] + timedelta(days=offset)
    return max(day, scene.patient.birth_date)


def operation_day(scene: DocumentScene) -> date:
    """The day of the stay's operation or main procedure: the day after admission, or the only one."""
    stay = scene.stay
    return min(stay.admitted_on + timedelta(days=1), stay.discharged_on)


@slot("d")
def _date(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(dates.near(scene.rng, point(scene, argument), scene.date_form, scene.written_on), Label.DATE)


@slot("D")
def _full_date(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(dates.full(point(scene, argument), scene.date_form), Label.DATE)


@slot("dl")
def _long_date(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    form = scene.rng.choice(("long", "long", "weekday", scene.date_form))
    return one(dates.full(point(scene, argument), form), Label.DATE)


@slot("dw")
def _appointment(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    day = dates.working(point(scene, argument))
    text = dates.full(day, "weekday")
    return one(text if scene.rng.random() < 0.5 else text.rsplit(" ", 1)[0], Label.DATE)


@slot("wd")
def _weekday(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(dates.WEEKDAYS[point(scene, argument).weekday()], Label.DATE)


@slot("range")
def _range(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    first, last = (
        (point(scene, part) for part in argument.split(","))
        if argument
        else (
            scene.stay.admitted_on,
            scene.stay.discharged_on,
        )
    )
    if first >= last:
        return [Piece("le "), Piece(dates.full(first, scene.date_form), Label.DATE)]
    start, end = dates.bounds(scene.rng, first, last, scene.date_form)
    return [Piece("du "), Piece(start, Label.DATE), Piece(" au "), Piece(end, Label.DATE)]


def _past_day(scene: DocumentScene, argument: str) -> date:
    """A day some years ago, after the patient's first birthday."""
    low, _, high = argument.partition("-")
    days = scene.rng.randint(int(float(low) * 365), int(float(high or low) * 365) + 20)
    oldest = scene.patient.birth_date + timedelta(
        days=min(400, max(1, (scene.written_on - scene.patient.birth_date).days // 2))
    )
    scene.past = max(scene.written_on - timedelta(days=days), oldest)
    return scene.past


@slot("y")
def _year(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(dates.year(scene.rng, _past_day(scene, argument)), Label.DATE)


@slot("Y")
def _bare_year(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(str(_past_day(scene, argument).year), Label.DATE)


@slot("my")
def _month(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(dates.month(scene.rng, _past_day(scene, argument)), Label.DATE)


@slot("mf_next")
def _next_month(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    day = scene.written_on + timedelta(days=30 * draw_range(scene.rng, argument))
    name = dates.MONTHS[day.month - 1]
    return one(
        scene.rng.choice(
            (name, f"{name} {day.year}", f"{scene.rng.choice(('début', 'mi', 'fin'))} {name}".replace("mi ", "mi-"))
        ),
        Label.DATE,
    )


@slot("at_feast")
def _at_feast(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{at_feast:2-9}": "au printemps 2021", "à Noël 2019"."""
    name = dates.feast(scene.rng, _past_day(scene, argument))
    before = {"printemps": "au ", "Pâques": "à ", "Noël": "à ", "Toussaint": "à la "}
    return [Piece(before.get(name.partition(" ")[0], "à l'")), Piece(name, Label.DATE)]


@slot("feast")
def _feast(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(dates.feast(scene.rng, _past_day(scene, argument)), Label.DATE)


def _split_amount(argument: str) -> tuple[str, str]:
    amount, _, unit = argument.partition(" ")
    return amount, unit


@slot("ago")
def _ago(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    amount, unit = _split_amount(argument)
    number = draw_range(scene.rng, amount)
    text = f"il y a {dates.amount(scene.rng, unit, number)}"
    if number > 1 and unit in ("mois", "semaines") and scene.rng.random() < 0.15:
        text = text.replace("il y a ", "il y a environ ")
    return one(text, Label.RELDATE)


@slot("in")
def _in(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    amount, unit = _split_amount(argument)
    head = scene.rng.choice(("dans", "dans", "dans", "d'ici"))
    return one(f"{head} {dates.amount(scene.rng, unit, draw_range(scene.rng, amount))}", Label.RELDATE)


@bare_slot("today")
def _today(scene: DocumentScene) -> Iterable[Piece]:
    words = ("ce jour", "ce jour", "aujourd'hui", "ce jour", "ce matin")
    return one(scene.rng.choice(words), Label.RELDATE)


@slot("during")
def _during(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    amount, unit = _split_amount(argument)
    return one(dates.amount(scene.rng, unit, draw_range(scene.rng, amount)))


@bare_slot("age")
def _age(scene: DocumentScene) -> Iterable[Piece]:
    return one(dates.age(scene.rng, scene.patient.birth_date, scene.written_on, terse=scene.terse), Label.AGE)


@slot("ageat")
def _age_at(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    low, _, high = argument.partition("-")
    years = scene.rng.randint(int(low), int(high or low))
    return one(f"{max(1, scene.age - years)} ans", Label.AGE)


@slot("agen")
def _some_age(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    years = draw_range(scene.rng, argument)
    words = f"{dates.in_words(years)} ans" if scene.rng.random() < 0.1 else f"{years} ans"
    return one(words, Label.AGE)


@slot("h")
def _clock(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    low, _, high = (argument or "8-19").partition("-")
    hour, minute = scene.rng.randint(int(low), int(high or low)), scene.rng.choice((0, 5, 10, 15, 20, 30, 40, 45, 50))
    form = scene.memory.setdefault(
        "clock", scene.rng.choice(("{h}h{m:02d}", "{h} h {m:02d}", "{h:02d}:{m:02d}", "{h}h{m:02d}"))
    )
    return one(
        form.format(h=hour, m=minute).replace(" 00", "").removesuffix("h00")
        + ("h" if form == "{h}h{m:02d}" and minute == 0 else "")
    )
