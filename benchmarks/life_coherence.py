"""Measure whether published texts agree with themselves on ages, dates and families, as Markdown.

    python -m benchmarks.life_coherence > benchmarks/life_coherence.md

Each text tells one life in words that can be counted: a birth and an age, a school class, an age at death, years that
follow one another, doses of a vaccine. Texts are made with other people and days each time, published under the default
policy through detection and substitution, with and without the patient's birth date known, and counted again. A text
that is held back, or of which a value is masked, counts as such.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from benchmarks.place_coherence import KEY, MAX_BYTES
from deid.config.policy import load
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.outcomes import Deidentified, Incoming
from deid.pipeline import deidentify
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.values import add_months, months_between, years_between

SEED, TEXTS = 20261129, 60
PARENT, ADULT = 13, 18  # least years between a parent and a child; of an adult
HEAD = """# Coherence of published lives

Written by `python -m benchmarks.life_coherence`: {texts} texts of each kind, half of them with the birth date of
the patient known, as at night. The last two columns are shares of the texts that are told whole.

| | texts | held back | a value masked | agree, birth known | agree, birth unknown |
| --- | ---: | ---: | ---: | ---: | ---: |"""
WOMEN = ("Ginette", "Martine", "Sylvie", "Nathalie", "Chloé", "Monique", "Yvette", "Corinne", "Aurélie", "Lucienne")
MEN = ("Bernard", "Jean-Luc", "Kévin", "Gérard", "Mathieu", "Robert", "Thierry", "Lucien", "Nicolas", "Marcel")
SURNAMES = ("Lecarpentier", "Delamare", "Tanguy", "Rouvière", "Castagné", "Le Bihan", "Wagner", "Chauvet", "Dubreuil")
MONTHS = (
    "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
    "décembre",
)  # fmt: skip
CLASSES = {"petite section": 3, "grande section": 5, "CP": 6, "CE1": 7, "CE2": 8, "CM1": 9, "CM2": 10, "6e": 11,
           "5e": 12, "4e": 13, "3e": 14, "seconde": 15, "terminale": 17}  # fmt: skip
NUMBER = r"(\d{1,2})"
YEAR = r"(\d{4})"
DAY = r"(\d{1,2}(?:er)? [a-zéû]+ \d{4})"
NAME = r"([\w'’-]+(?: [\w'’-]+)*)"

Agrees = Callable[..., bool]


class Life(NamedTuple):
    """A text of a kind, its document's day and birth date, and what the groups of `pattern` must agree on."""

    kind: str
    text: str
    day: date
    birth: date
    pattern: str
    agrees: Agrees


def said(day: date) -> str:
    """Return a day as a letter writes it."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def read(text: str) -> date:
    """Return a day that is written as `said` writes one."""
    day, month, year = text.split()
    return date(int(year), 1 + MONTHS.index(month), int(day.removesuffix("er")))


def _numbers(agrees: Callable[..., bool]) -> Agrees:
    return lambda *groups: agrees(*map(int, groups))


def _born(random: Random, day: date, age: int) -> date:
    return add_months(day, -12 * age) - timedelta(days=random.randrange(1, 360))


def lives(random: Random) -> Iterator[Life]:
    """Yield a text of each kind, of one day."""
    day = date(2024, 1, 1) + timedelta(days=random.randrange(600))
    yield from _own_ages(random, day)
    yield from _children(random, day)
    yield from _histories(random, day)
    yield from _families(random, day)


def _own_ages(random: Random, day: date) -> Iterator[Life]:
    birth = day - timedelta(days=random.randrange(20 * 365, 88 * 365))
    age = years_between(birth, day)
    who = f"{random.choice(MEN)} {random.choice(SURNAMES)}"
    yield Life(
        "age beside birth and letter",
        f"Le {said(day)}. {who}, né le {said(birth)}, a {age} ans.",
        day,
        birth,
        rf"Le {DAY}\. .+, né le {DAY}, a {NUMBER} ans",
        lambda a, b, c: years_between(read(b), read(a)) == int(c),
    )
    operated = day - timedelta(days=random.randrange(30, 6 * 365))
    yield Life(
        "age at an operation",
        f"Le {said(day)}. {who}, né le {said(birth)}, opéré le {said(operated)} à l'âge de "
        f"{years_between(birth, operated)} ans.",
        day,
        birth,
        rf"Le {DAY}\. .+, né le {DAY}, opéré le {DAY} à l'âge de {NUMBER} ans",
        lambda _, b, c, d: years_between(read(b), read(c)) == int(d),
    )
    left, years = random.randrange(55, 66), random.randrange(2, 22)
    yield Life(
        "retirement",
        f"{who}, {left + years} ans, retraité depuis l'âge de {left} ans, soit depuis {years} ans.",
        day,
        _born(random, day, left + years),
        rf".+, {NUMBER} ans, retraité depuis l'âge de {NUMBER} ans, soit depuis {NUMBER} ans",
        _numbers(lambda a, b, c: a - b == c),
    )
    begun, ended = random.randrange(14, 25), random.randrange(30, 58)
    yield Life(
        "years of smoking",
        f"{who}, {ended + 7} ans. A fumé 20 cigarettes par jour de {begun} à {ended} ans, soit {ended - begun} "
        "paquets-années.",
        day,
        _born(random, day, ended + 7),
        rf".+ de {NUMBER} à {NUMBER} ans, soit {NUMBER} paquets",
        _numbers(lambda a, b, c: b - a == c),
    )
    since = random.randrange(20, 50)
    yield Life(
        "duration of a disease",
        f"{who}, {since + 20} ans, diabétique depuis l'âge de {since} ans (20 ans d'évolution).",
        day,
        _born(random, day, since + 20),
        rf".+, {NUMBER} ans, diabétique depuis l'âge de {NUMBER} ans \({NUMBER} ans",
        _numbers(lambda a, b, c: a - b == c),
    )
    menarche, menopause = random.randrange(10, 16), random.randrange(45, 56)
    yield Life(
        "order of ages",
        f"Patiente de {menopause + 9} ans. Ménarche à {menarche} ans, ménopause à {menopause} ans.",
        day,
        _born(random, day, menopause + 9),
        rf"Patiente de {NUMBER} ans\. Ménarche à {NUMBER} ans, ménopause à {NUMBER} ans",
        _numbers(lambda a, b, c: b < c < a),
    )


def _children(random: Random, day: date) -> Iterator[Life]:
    name, age = random.choice(list(CLASSES.items()))
    birth = day - timedelta(days=age * 365 + random.randrange(100, 300))
    child = random.choice(("Léo", "Noé", "Hugo", "Tom"))
    yield Life(
        "age and school class",
        f"{child}, {years_between(birth, day)} ans, scolarisé en {name}.",
        day,
        birth,
        rf".+, {NUMBER} ans, scolarisé en {name}",
        lambda a: abs(int(a) - CLASSES[name]) <= 1,
    )
    born = day - timedelta(days=random.randrange(60, 700))
    months = months_between(born, day)
    yield Life(
        "twins in months",
        f"Le {said(day)}. Ses jumeaux Adam et Inès, nés le {said(born)}, ont {months} mois.",
        day,
        _born(random, day, 31),
        rf"Le {DAY}\. .+, nés le {DAY}, ont {NUMBER} mois",
        lambda a, b, c: abs(months_between(read(b), read(a)) - int(c)) <= 1,
    )
    yield Life(
        "infant in months",
        f"Le {said(day)}. {child}, né le {said(born)}, a {months} mois.",
        day,
        born,
        rf"Le {DAY}\. .+, né le {DAY}, a {NUMBER} mois",
        lambda a, b, c: abs(months_between(read(b), read(a)) - int(c)) <= 1,
    )
    doses = [add_months(born, months) + timedelta(days=random.randrange(6)) for months in (2, 4, 11)]
    yield Life(
        "calendar of vaccines",
        f"Né le {said(born)}. Hexavalent à 2 mois le {said(doses[0])}, à 4 mois le {said(doses[1])}, à 11 mois le "
        f"{said(doses[2])}.",
        doses[2] + timedelta(days=3),
        born,
        rf"Né le {DAY}\. Hexavalent à {NUMBER} mois le {DAY}, à {NUMBER} mois le {DAY}, à {NUMBER} mois le {DAY}",
        lambda b, *told: all(
            abs(months_between(read(b), read(one)) - int(months)) <= 1
            for months, one in zip(told[::2], told[1::2], strict=True)
        ),
    )
    ages = sorted(random.sample(range(3, 17), 3), reverse=True)
    yield Life(
        "order of brothers and sisters",
        "Trois enfants de {} ans, {} ans et {} ans.".format(*ages),
        day,
        _born(random, day, 40),
        rf"Trois enfants de {NUMBER} ans, {NUMBER} ans et {NUMBER} ans",
        _numbers(lambda a, b, c: a > b > c),
    )


def _histories(random: Random, day: date) -> Iterator[Life]:
    first = random.randrange(1985, 2015)
    later = sorted(random.sample(range(first + 1, day.year), 2))
    yield Life(
        "years that follow",
        f"HTA depuis {first}, AVC en {later[0]}, pontage en {later[1]}.",
        day,
        _born(random, day, 70),
        rf"HTA depuis {YEAR}, AVC en {YEAR}, pontage en {YEAR}",
        _numbers(lambda a, b, c: a < b < c),
    )
    yield Life(
        "the year after",
        f"Cancer du sein en {later[0]}, récidive l'année suivante, en {later[0] + 1}.",
        day,
        _born(random, day, 55),
        rf"Cancer du sein en {YEAR}, récidive l'année suivante, en {YEAR}",
        _numbers(lambda a, b: b == a + 1),
    )
    ago = random.randrange(2, 20)
    yield Life(
        "years ago, and the year",
        f"Le {said(day)}. Opéré il y a {ago} ans, en {day.year - ago}.",
        day,
        _born(random, day, 60),
        rf"Le {DAY}\. Opéré il y a {NUMBER} ans?, en {YEAR}",
        lambda a, b, c: abs(read(a).year - int(b) - int(c)) <= 1,
    )
    married = random.randrange(5, 55)
    yield Life(
        "years of marriage",
        f"Le {said(day)}. Mariée depuis {married} ans ({day.year - married}).",
        day,
        _born(random, day, 80),
        rf"Le {DAY}\. Mariée depuis {NUMBER} ans \({YEAR}\)",
        lambda a, b, c: abs(read(a).year - int(b) - int(c)) <= 1,
    )
    birth_day = day - timedelta(days=random.randrange(1, 120))
    yield Life(
        "term of a pregnancy",
        f"Dernières règles le {said(birth_day - timedelta(days=39 * 7))}. Accouchement le {said(birth_day)} à 39 SA.",
        day,
        _born(random, day, 29),
        rf"Dernières règles le {DAY}\. Accouchement le {DAY} à 39 SA",
        lambda a, b: abs((read(b) - read(a)).days - 273) <= 6,
    )


def _families(random: Random, day: date) -> Iterator[Life]:
    birth = day - timedelta(days=random.randrange(25 * 365, 70 * 365))
    died = random.randrange(birth.year + 5, day.year)
    mother = died - birth.year + random.randrange(18, 40)
    surname = random.choice(SURNAMES)
    yield Life(
        "age of a parent at death",
        f"Le {said(day)}. Patient né le {said(birth)}. Sa mère est décédée en {died} à {mother} ans.",
        day,
        birth,
        rf"Le {DAY}\. Patient né le {DAY}\. Sa mère est décédée en {YEAR} à {NUMBER} ans",
        lambda _, b, c, d: read(b).year - (int(c) - int(d)) >= PARENT,
    )
    old = random.randrange(68, 89)
    gone = random.randrange(day.year - 12, day.year)
    son = gone - (day.year - old) - random.randrange(19, 30)
    yield Life(
        "age of a child at death",
        f"Le {said(day)}. Patiente de {old} ans. Son fils est mort en {gone} d'un infarctus à {max(son, 1)} ans.",
        day,
        _born(random, day, old),
        rf"Le {DAY}\. Patiente de {NUMBER} ans\. Son fils est mort en {YEAR} d'un infarctus à {NUMBER} ans",
        lambda a, b, c, d: int(c) - int(d) - (read(a).year - int(b)) >= PARENT,
    )
    child = old - random.randrange(20, 35)
    grandchild = max(child - random.randrange(20, 33), 1)
    yield Life(
        "three generations",
        f"Patiente de {old} ans. Sa fille a {child} ans, son petit-fils {grandchild} ans.",
        day,
        _born(random, day, old),
        rf"Patiente de {NUMBER} ans\. Sa fille a {NUMBER} ans, son petit-fils {NUMBER} ans",
        _numbers(lambda a, b, c: a - b >= PARENT and b - c >= PARENT),
    )
    parents = (min(child + 22, 89), min(child + 25, 89))
    yield Life(
        "parents and their child",
        f"Patient de {child} ans, mère {parents[0]} ans, père {parents[1]} ans.",
        day,
        _born(random, day, child),
        rf"Patient de {NUMBER} ans, mère {NUMBER} ans, père {NUMBER} ans",
        _numbers(lambda a, b, c: b - a >= PARENT and c - a >= PARENT),
    )
    names = packaged_tables().names
    yield Life(
        "maiden name and sex",
        f"Mme {random.choice(WOMEN)} {surname}, née {random.choice(SURNAMES)}. "
        f"Son mari {random.choice(MEN)} l'accompagne.",
        day,
        _born(random, day, 72),
        rf"Mme {NAME}, née {NAME}\. Son mari {NAME} l'accompagne",
        lambda a, _, c: names.sex_of(a.split()[0]) != "M" and names.sex_of(c) != "F",
    )


def published(given: list[tuple[Life, date | None]]) -> Iterator[str | None]:
    """Yield what is published of each text, beside the birth date that is known; None if it is held back."""
    policy, tables = load(), packaged_tables()
    incoming = [
        Incoming(Document(f"text {at}", one.text, Patient(key=f"{at}", birth_date=known), one.day))
        for at, (one, known) in enumerate(given)
    ]
    substitutor = Substitutor(policy, KEY, tables.communes, tables.names)
    for outcome in deidentify(incoming, Detector(policy), substitutor, max_bytes=MAX_BYTES):
        yield outcome.candidate.substitution.text if isinstance(outcome, Deidentified) else None


def judged(one: Life, text: str | None) -> str:
    """Return what became of a text: held, masked, agree or differ."""
    if text is None:
        return "held"
    found = re.match(one.pattern, text)
    if found is None:
        return "masked" if re.search(r"\[[A-ZÉ]+\]|X{2,}|\b90 ans et plus|\bplus de 90 ans", text) else "differ"
    try:
        return "agree" if one.agrees(*found.groups()) else "differ"
    except ValueError:  # a day that does not exist, or a word that is no month
        return "differ"


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=TEXTS, help="texts of each kind")
    parser.add_argument("--show", action="store_true", help="print the texts that do not agree instead")
    asked = parser.parse_args()
    random = Random(SEED)  # noqa: S311 - a choice of texts, no secret
    given = [(one, one.birth if at % 2 else None) for at in range(asked.texts) for one in lives(random)]
    counts: dict[str, Counter[tuple[str, bool]]] = {}
    for (one, known), text in zip(given, published(given), strict=True):
        outcome = judged(one, text)
        counts.setdefault(one.kind, Counter())[outcome, known is not None] += 1
        if asked.show and outcome == "differ":
            print(f"{one.kind}, {'known' if known else 'unknown'}: {one.text} → {text}")
    if asked.show:
        return
    print(HEAD.format(texts=asked.texts))
    counts["all"] = sum(counts.values(), Counter())
    for kind, found in counts.items():
        held, masked = (sum(found[outcome, known] for known in (True, False)) for outcome in ("held", "masked"))
        print(f"| {kind} | {found.total()} | {held} | {masked} | {_share(found, True)} | {_share(found, False)} |")


def _share(found: Counter[tuple[str, bool]], known: bool) -> str:
    agree, differ = (found[outcome, known] for outcome in ("agree", "differ"))
    return f"{100 * agree / (agree + differ):.1f} %" if agree + differ else "–"


if __name__ == "__main__":
    main()
