"""Dates agree with the article or preposition that the text leaves standing ahead of them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import Policy, load
from deid.domain.document import Patient
from deid.french.calendar import MONTHS
from deid.french.folding import fold_line
from deid.quality.integrity import spans_are_sound
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.constraints import read_both
from deid.substitution.temporal.feasts import feast_named, feast_of_month, month_of_feast
from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.values import Unit
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

MANY = [f"patient-{number}" for number in range(40)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]
# As a letter of 17 May 2023 writes them; with the month, with the year.
SAID_WITH_LESS = [
    ("du [[DATE|3]] au [[DATE|5 avril 2021]]",
     "du mois d'avril 2021 au mois d'avril 2021", "du courant de l'année 2021 au cours de l'année 2021"),
    ("DU [[DATE|03/03/2021]] AU [[DATE|05/03/2021]]",
     "DU MOIS DE MARS 2021 AU MOIS DE MARS 2021", "DU COURANT DE L'ANNÉE 2021 AU COURS DE L'ANNÉE 2021"),
    ("jusqu'au [[DATE|20 juin]]", "jusqu'au mois de juin 2023", "jusqu'au courant de l'année 2023"),
    ("Reims, le [[DATE|Lundi 3 mars 2014]]", "Reims, le mois de mars 2014", "Reims, le courant de l'année 2014"),
    ("les [[DATE|2]] et [[DATE|9 mai 2022]]", "les mois de mai 2022 et mai 2022", "les mois de 2022 et 2022"),
    ("né un [[DATE|16 mars 1960]]", "né un jour de mars 1960", "né un jour de 1960"),
    ("né [[DATE|16.IV.1960]]", "né en avril 1960", "né en 1960"),
    ("né [[DATE|1960]] à Pau", "né dans les années 1960 à Pau", "né dans les années 1960 à Pau"),
    ("revient [[DATE|lundi]]", "revient en mai 2023", "revient en 2023"),
    ("de [[DATE|lundi]] à [[DATE|jeudi]]", "de mai 2023 à mai 2023", "de 2023 à 2023"),
    ("à la [[DATE|Toussaint 2020]]", "à la période de 2020", "à la période de 2020"),
    ("depuis l'[[DATE|été 2019]]", "depuis l'année 2019", "depuis l'année 2019"),
    ("au [[DATE|printemps 2019]]", "au cours de l'année 2019", "au cours de l'année 2019"),
    ("à partir d'[[DATE|octobre 2012]]", "à partir d'époque de 2012", "à partir d'époque de 2012"),
    ("depuis [[DATE|2011]]", "depuis les années 2010", "depuis les années 2010"),
    ("dès [[DATE|1949]]", "dès les années 1940", "dès les années 1940"),
    ("de [[DATE|1952]] à [[DATE|1981]]", *["de la décennie 1950 à la décennie 1980"] * 2),
    ("sevré en [[DATE|2004]], é", *["sevré en cours de décennie 2000, é"] * 2),
    ("de [[DATE|1952-1981]]", "de la décennie 1950-1980", "de la décennie 1950-1980"),
    ("les [[DATE|12-15 mars 2021]]", "les mois de mars 2021", "les mois de 2021"),
    ("Entrée : [[DATE|03/03/2021]]", "Entrée : mars 2021", "Entrée : 2021"),
    ("du [[DATE|11/09]] et du [[DATE|02/10/2014]]",
     "du mois de septembre 2014 et du mois d'octobre 2014", "du courant de l'année 2014 et du courant de l'année 2014"),
    ("l'appel d'[[RELDATE|hier]]", "l'appel d'un de ces derniers jours", "l'appel d'un de ces derniers mois"),
    ("prévu au [[RELDATE|printemps prochain]]", *["prévu au cours des prochains mois"] * 2),
    ("revoir dès [[RELDATE|demain]]", "revoir dès les prochains jours", "revoir dès les prochains mois"),
    ("[[DATE|14.IX.2022]]\nAmay", "septembre 2022\nAmay", "2022\nAmay"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "month", "year"), SAID_WITH_LESS)
def test_what_is_said_with_less_fits_the_words_ahead(
    text: str, month: str, year: str, policy: Policy, communes: CommuneTable
) -> None:
    for granularity, told in (("month", month), ("year", year)):
        dates = {"strategy": "generalise", "granularity": granularity}
        result = Substitutor(changed(policy, dates=dates), KEY, communes).substitute(*marked(text + "\né"))
        assert result.text == told + "\né"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("un homme de [[AGE|72 ans]]", "un homme de 70-74 ans"),
        ("une [[AGE|trentaine]]", "une tranche de 20-39 ans"),
        ("l'[[AGE|octogénaire]]", "l'âge de 80-89 ans"),
        ("un [[AGE|sexagénaire]]", "un sujet de 60-79 ans"),
        ("LA [[AGE|QUARANTAINE]]", "LA TRANCHE DE 40-59 ANS"),
        ("d'[[AGE|un an]]", "d'environ 0-4 ans"),
    ],
)
def test_a_band_fits_the_words_ahead(text: str, told: str, policy: Policy, communes: CommuneTable) -> None:
    bands = Substitutor(changed(policy, ages={"strategy": "generalise"}), KEY, communes)
    assert bands.substitute(*marked(text + "\né")).text == told + "\né"


_WORDS_AHEAD = "le du au jusqu'au ce la l' les des aux un une d' de en à depuis dès vers né avant né(e)".split()
_DATES = st.sampled_from(
    ["12/03/2021", "12 avril 2021", "lundi", "mars 2021", "été 2019", "Noël 2015", "Toussaint", "2015", "2e trimestre"]
)
_FINER = re.compile(r"\d{1,2}/|\b(?:[0-3]?\d)\b|\b(?:lundi|été|Noël|Toussaint|trimestre)\b")


@settings(max_examples=300, deadline=None)
@given(word=st.sampled_from(_WORDS_AHEAD), said=_DATES, granularity=st.sampled_from(["month", "year"]))
def test_no_word_ahead_makes_a_date_finer(
    word: str, said: str, granularity: str, policy: Policy, communes: CommuneTable
) -> None:
    dates = {"strategy": "generalise", "granularity": granularity}
    gap = "" if word.endswith("'") else " "
    document = marked(f"Vu {word}{gap}[[DATE|{said}]], é")
    (one,) = Substitutor(changed(policy, dates=dates), KEY, communes).substitute(*document).surrogates
    original, told = parse(said), parse(one.text)
    assert original is not None
    assert told is not None, one.text
    assert not _FINER.search(one.text)
    coarser = {Unit.DAY: Unit.MONTH if granularity == "month" else Unit.YEAR, Unit.YEAR: Unit.DECADE}
    assert told.unit is coarser.get(original.unit, Unit.YEAR)


_SEASONS = re.compile(
    r"(?:(?:au|en|à) (?:(?<=au )printemps|(?:l')?(?:été|automne|hiver))|(?:depuis|pendant|poussée de) "
    r"(?:l'(?:été|automne|hiver)|(?<!de )le printemps)|poussée du printemps|"
    r"vacances (?:d'(?:été|automne|hiver)|de printemps)) \d{4}"
)
_NOUN = r"(?:Noël|Pâques|l'Ascension|la (?:mi-\w+|rentrée|Toussaint))"
_FEASTS = re.compile(rf"(?:(?:à|depuis|pendant) )?{_NOUN} \d{{4}}")


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        *((f"{ahead}[[DATE|{season} 2019]]", _SEASONS) for ahead, season in (
            ("au ", "printemps"), ("depuis le ", "printemps"), ("depuis l'", "été"), ("vacances d'", "hiver"),
            ("poussée de l'", "été"), ("poussée du ", "printemps"), ("en ", "automne"), ("à l'", "hiver"),
            ("pendant l'", "automne"), ("vacances de ", "printemps"))),
        *((f"{ahead}[[DATE|{feast} 2019]]", _FEASTS) for ahead, feast in (
            ("à ", "Noël"), ("à la ", "Toussaint"), ("depuis ", "Pâques"), ("pendant le ", "Ramadan"),
            ("au ", "carnaval"), ("à l'", "Ascension"), ("les ", "Rameaux"), ("aux ", "Rameaux"),
            ("depuis la ", "rentrée"), ("depuis l'", "Assomption"), ("pendant la ", "Pentecôte"))),
    ],
)  # fmt: skip
@pytest.mark.parametrize("strategy", ["metric", "uniform_shift"])
def test_a_moved_season_or_feast_fits_the_words_ahead(
    strategy: str, text: str, reads: re.Pattern[str], policy: Policy, communes: CommuneTable
) -> None:
    substitutor = Substitutor(changed(policy, dates={"strategy": strategy}), KEY, communes)
    for key in KEYS:
        document, mentions = marked(text + "\né", patient=Patient(key=key))
        result = substitutor.substitute(document, mentions)
        assert reads.fullmatch(result.text.removesuffix("\né")), result.text
        readings = read_both(document, result)
        assert all(readings.instant(one.mention) is not None for one in result.surrogates), result.text


@pytest.mark.parametrize(
    "frame", ["au moment de ", "lors de ", "le jour de ", "au jour de ", "vers le jour de ", "et lors de "]
)
@pytest.mark.parametrize(("article", "feast"), [("la ", "Tabaski"), ("l'", "Aïd"), ("", "Hanoucca")])
def test_a_middle_of_a_month_has_neither_day_nor_moment(
    frame: str, article: str, feast: str, policy: Policy, communes: CommuneTable
) -> None:
    told = set()
    for key in MANY:
        document, mentions = marked(f"Absent {frame}{article}[[DATE|{feast} 2019]], é", patient=Patient(key=key))
        result = Substitutor(changed(policy, dates={"strategy": "metric"}), KEY, communes).substitute(
            document, mentions
        )
        assert spans_are_sound(result, mentions, document.text)
        readings = read_both(document, result)
        assert all(readings.instant(one.mention) is not None for one in result.surrogates), result.text
        told.add(result.text.removesuffix(", é"))
    head = "vers " if frame.startswith("vers") else "et à " if frame.startswith("et") else "à "
    middles = [text for text in told if "mi-" in text]
    assert middles
    assert all(re.fullmatch(rf"Absent {head}la mi-\w+ \d{{4}}", text) for text in middles), middles
    named = rf"Absent {frame}(?:Noël|Pâques|l'Ascension|la rentrée|la Toussaint) \d{{4}}"
    assert all(re.fullmatch(named, text) for text in told.difference(middles)), told


@pytest.mark.parametrize("day", [date(2019, 4, 21), date(2019, 4, 24)])
def test_a_feast_that_names_a_day_becomes_the_kind_of_the_published_day(day: date, communes: CommuneTable) -> None:
    for key in MANY[:12]:
        text = f"Chute le [[DATE|{day:%d/%m/%Y}]], jour de [[DATE|Pâques]], é"
        document, mentions = marked(text, patient=Patient(key=key), reference_date=date(2019, 4, 26))
        result = Substitutor(load(), KEY, communes).substitute(document, mentions)
        found = re.fullmatch(r"Chute le ([\d/]+), jour de ([\w-]+), é", result.text)
        assert found, result.text
        said, kind = found.groups()
        published = date(*map(int, reversed(said.split("/"))))
        assert kind == ("week-end" if published.weekday() > 4 else "semaine")


@pytest.mark.parametrize("strategy", ["metric", "uniform_shift"])
@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("l'appel d'[[RELDATE|hier]]", r"l'appel d'(?:un jour plus tôt|avant-hier|il y a \w+ \w+|hier)"),
        ("remis à [[RELDATE|demain]]", r"remis à (?:dans un jour|après-demain|dans \w+ \w+|demain)"),
        ("cadette d'[[AGE|un an]]", r"cadette d'(?:environ (?:huit|onze|[^aeiou]\w*)(?:[- ]\w+)* ans|un an)"),
        ("depuis [[DATE|la Saint-Jean 2019]]", r"depuis la Sainte?-\w+ \d{4}"),
        ("à [[DATE|l'automne 2019]]", r"à l'(?:été|hiver|automne|époque du printemps) \d{4}"),
        ("[[DATE|merc. 21 juin 2023]]", r"(?:lun|mar|merc|jeu|vend|sam|dim)\. \d\d?(?:er)? \w+ 2023"),
        ("LE [[DATE|3 MAI 2021]]", r"LE (?:1ER|\d+) [A-Z]+ 2021"),
    ],
)
def test_moved_words_read_well(strategy: str, text: str, reads: str, policy: Policy, communes: CommuneTable) -> None:
    dates = {"strategy": strategy, "shift_max_days": 40}
    substitutor = Substitutor(changed(policy, dates=dates), KEY, communes)
    for key in MANY:
        result = substitutor.substitute(*marked(text + "\né", patient=Patient(key=key)))
        assert re.fullmatch(reads, result.text.removesuffix("\né")), result.text


def test_a_moved_month_behind_an_elision(policy: Policy, communes: CommuneTable) -> None:
    told = set()
    for key in MANY:
        document = marked("à partir d'[[DATE|août 2012]]", patient=Patient(key=key))
        told.add(Substitutor(policy, KEY, communes).substitute(*document).text.removeprefix("à partir "))
    assert all(re.match(r"d'(?:a|oct)|de [^ao]", text) for text in told), told
    assert {text[:2] for text in told} == {"d'", "de"}


def test_a_moved_month_behind_de_is_elided(policy: Policy, communes: CommuneTable) -> None:
    told = set()
    for key in MANY:
        document = marked("à partir de [[DATE|mai 2012]]", patient=Patient(key=key))
        told.add(Substitutor(policy, KEY, communes).substitute(*document).text.removeprefix("à partir "))
    assert all(re.match(r"d'(?:a|oct)|de [^ao]", text) for text in told), told


@pytest.mark.parametrize(
    ("text", "on", "told"),
    [
        ("Vu [[DATE|mar 13]] à 9 h", date(2023, 6, 15), "day"),  # 13 June 2023 is a Tuesday
        ("Vu [[DATE|mar 13]] à 9 h", date(2023, 5, 17), "day"),  # and next month to May
        ("PTG [[DATE|mar 13]]", date(2023, 8, 17), "month"),  # no 13th from July to September is one
        ("PTG [[DATE|mar 28]]", date(2023, 8, 17), "day"),  # nor is any 28th, but 2028 is to come
        ("PTG [[DATE|mar. 98]]", date(2023, 6, 15), "month"),
        ("opéré en [[DATE|mar 13]]", date(2023, 6, 15), "month"),
        ("vu le [[DATE|mar 13]]", date(2023, 8, 17), "day"),
        ("[[DATE|mar 13]] - [[DATE|avr 14]]", date(2023, 6, 15), "month"),
        ("[[DATE|mar 13]] - [[DATE|jeu 15]]", date(2023, 8, 17), "day"),
        ("[[DATE|MAR 13]]", None, "day"),
    ],
)
def test_mar_is_tuesday_or_march_by_what_fits(
    text: str, on: date | None, told: str, policy: Policy, communes: CommuneTable
) -> None:
    seen: set[str] = set()
    for key in KEYS:
        document = marked(text, patient=Patient(key=key), reference_date=on)
        seen.add(surrogates(Substitutor(policy, KEY, communes).substitute(*document))[0].split()[0].lower().strip("."))
    weekdays = {"lun", "mar", "mer", "jeu", "ven", "sam", "dim"}
    assert seen <= weekdays if told == "day" else not seen <= weekdays, seen


@pytest.mark.parametrize(
    ("text", "written", "told"),
    [
        (
            "Le [[DATE|4 janvier 2024]], je vous souhaite une [[DATE|bonne année]].",
            date(2024, 1, 4),
            "une bonne {wish}.",
        ),
        ("Le [[DATE|12 décembre 2023]]. [[DATE|Bonne fin d'année]] à tous.", date(2023, 12, 12), ". Bonne {wish} à"),
        (
            "Vu le [[DATE|9 novembre 2023]] après les vacances de la [[DATE|Toussaint]].",
            date(2023, 11, 9),
            "{holiday}.",
        ),
        ("Vu le [[DATE|3 janvier 2023]] après les vacances de [[DATE|Noël]].", date(2023, 1, 3), "{holiday}."),
    ],
)
def test_wishes_and_holidays_are_of_the_moved_month(
    text: str, written: date, told: str, communes: CommuneTable
) -> None:
    wishes = {1: "année", 7: "période estivale", 8: "période estivale", 9: "rentrée", 12: "fin d'année"}
    behind_la = "vacances de la " in text
    winter, spring, summer, year_end = (
        ("mi-février", "mi-avril", "mi-juillet", "fin décembre") if behind_la else ("février", "Pâques", "été", "Noël")
    )
    holidays = dict(enumerate(
        [year_end, winter, winter, spring, spring, *[summer] * 4, "Toussaint", "Toussaint", year_end], 1
    ))  # fmt: skip
    for key in MANY[:12]:
        document, mentions = marked(text)
        dated = replace(document, patient=Patient(key=key), reference_date=written)
        published = Substitutor(load(), KEY, communes).substitute(dated, mentions).text
        month = MONTHS.index(re.findall(r"[a-zéû]{3,}(?= \d{4})", published)[0]) + 1
        near = {(month + step - 1) % 12 + 1 for step in (-1, 0, 1)}  # a feast is of its month, not of its day
        fitting = [told.format(wish=wishes.get(one, "continuation"), holiday=holidays[one]) for one in near]
        assert any(one in published for one in fitting), published


@pytest.mark.parametrize("text", ["[[RELDATE|L'été dernier]], chute.", "Chute au [[RELDATE|printemps dernier]]."])
def test_a_season_of_the_last_year_keeps_case_and_article(text: str, communes: CommuneTable) -> None:
    fits = re.compile(
        r"L'(?:été|hiver|automne) dernier,|Le printemps dernier,|Chute au (?:printemps|cours de l'\w+) dernier"
    )
    for key in MANY[:20]:
        document, mentions = marked(text)
        dated = replace(document, patient=Patient(key=key), reference_date=date(2022, 5, 5))
        published = Substitutor(load(), KEY, communes).substitute(dated, mentions).text
        assert fits.match(published), published


_WRITTEN = {
    *("Pâques", "Ascension", "mois "),
    *(feast_of_month(2021, month, said) for month in range(1, 13) for said in ("", "saint-jean")),
}


@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
@pytest.mark.parametrize("told", [
    "vu à la [[DATE|Sainte-Odile]]", "avant la [[DATE|St-Omer]]", "au retour de la [[DATE|braderie]]",
    "lors de la [[DATE|foire aux harengs]]", "chute à la [[DATE|fête du village]]", "depuis la [[DATE|frairie 2019]]",
    "repas de la fête de l'[[DATE|igname]]", "à la foire de la [[DATE|Brière]]",
    "le jour du [[DATE|pardon de la mer]]", "[[RELDATE|avant la kermesse]]", "la [[RELDATE|cavalcade prochaine]]",
])  # fmt: skip
def test_a_feast_that_has_no_date_becomes_one_that_has(told: str, key: str) -> None:
    tables = packaged_tables()
    document, mentions = marked(f"{told}.", patient=Patient(key), reference_date=date(2021, 6, 1))
    done = Substitutor(load(), KEY, tables.communes, tables.names).substitute(document, mentions)
    assert any(fold_line(name) in fold_line(done.surrogates[0].text) for name in _WRITTEN)
    assert done.surrogates[0].parsed


@pytest.mark.parametrize(("saint", "month"), [
    ("Sainte-Odile", 12), ("St Eustache", 9), ("Ste Rita", 5), ("saint Jean-Baptiste", 6), ("Saint-Cloud", 9),
    ("veille de la Saint-Martin", 11), ("Saint François d'Assise", 10), ("S. Matthieu", 9),
])  # fmt: skip
def test_a_saint_is_of_the_month_of_the_french_calendar(saint: str, month: int) -> None:
    name = feast_named(saint)
    assert name is not None
    assert month_of_feast(name, 2021) == 2021 * 12 + month - 1
