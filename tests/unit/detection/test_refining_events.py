"""Events that the world dates are relative dates, with their name and date; other storms, fires and meals are none."""

from __future__ import annotations

import time

import pytest

from deid.detection import Detector
from deid.detection.refining.events import find_dated_events
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.labels import NAMES, Label
from tests.unit.substitution.temporal.test_events import TOLD

OTHERS = [
    "Tempête cytokinique de 2020.", "Orage rythmique en janvier.", "Cyclone annoncé le 22/08.", "Sa fille Irma.",
    "Le cyclone de la semaine dernière.", "Incendie de son logement en 2012.", "Goûter d'anniversaire de sa fille.",
    "Mme Tempête Jeanne, vue hier.", "Explosion des ventes de 2020.", "Vomit au gâteau d'anniversaire du voisin.",
]  # fmt: skip


@pytest.mark.parametrize("told", [told for told, _ in TOLD])
def test_an_event_is_found_with_its_date(told: str, rules: Detector) -> None:
    text = told.replace("[[", "").replace("]]", "")
    (mentions,) = rules.detect([Document("d", text)])
    meant = told[told.index("[[") + 2 : told.index("]]")]
    assert (Label.RELDATE, meant) in [(one.label, text[one.start : one.end]) for one in mentions]


@pytest.mark.parametrize("text", OTHERS)
def test_other_storms_fires_and_meals_are_no_events(text: str, rules: Detector) -> None:
    (mentions,) = rules.detect([Document("d", text)])
    words = ("mpête", "rage", "clone", "ncendie", "anniversaire", "xplosion")
    told = [text[one.start : one.end] for one in mentions if one.label is Label.RELDATE]
    assert not [one for one in told if any(word in one for word in words)]


def found(rules: Detector, text: str, label: Label = Label.RELDATE) -> list[str]:
    (mentions,) = rules.detect([Document("d", text)])
    return [text[one.start : one.end] for one in mentions if one.label is label]


WHOLE = [
    "attentats du 13.11.2015", "attaque terroriste du 13 nov. 2015", "attentats londoniens du 7 juillet 2005",
    "attentat de Nice, 14 juillet 2016", "attentats du 7 janvier, du 13 novembre 2015", "attentats du 11-Septembre",
    "canicule de 2003, 2006 et 2018", "canicule de 2003/2004", "canicule été 2003", "canicule de juin à août 2022",
    "explosion Lubrizol le 26 septembre 2019", "attentat de la Promenade des Anglais", "attentats de Charlie Hebdo",
    "cyclone Chido (14 décembre 2024)", "tempête, décembre 1999",
]  # fmt: skip


@pytest.mark.parametrize("event", WHOLE)
def test_an_event_has_all_its_dates(rules: Detector, event: str) -> None:
    assert found(rules, f"Insomnie depuis {event}.") == [event]


@pytest.mark.parametrize(("text", "event"), [
    ("VICTIME DE L'ATTENTAT DE NICE ETAT ANXIEUX TRAITE PAR SERTRALINE 50 MG.", "ATTENTAT DE NICE"),
    ("Suite aux attentats de Paris Suivie en psychiatrie.", "attentats de Paris"),
    ("Suivi après l'attentat de Nice Docteur Jean MOREAU.", "attentat de Nice"),
    ("Canicule de 2003, le 12/05/2021 chute.", "Canicule de 2003"),
    ("Vue après l'attentat de Nice : sertraline.", "attentat de Nice"),
])  # fmt: skip
def test_an_event_ends_with_its_place_or_date(rules: Detector, text: str, event: str) -> None:
    assert found(rules, text) == [event]


def test_a_doctor_behind_an_event_stays_one(rules: Detector) -> None:
    assert found(rules, "Suivi après l'attentat de Nice Docteur Jean MOREAU.", Label.DOCTOR) == ["Jean MOREAU"]


@pytest.mark.parametrize("text", [
    "Logement perdu, ouragan\nConsultation du 12/03/2024.", "Orage, tempête Cytokinique traitée.",
    "Tempête Rythmique réduite.", "ATTENTAT A LA PUDEUR JUGE.", "Examen le 3 mai, stress au cyclone.",
])  # fmt: skip
def test_what_is_no_event_of_a_date_stays(rules: Detector, text: str) -> None:
    assert not found(rules, text)


@pytest.mark.parametrize("text", [
    "Nom : BELAL\nPrénom : Fatima", "M. Belal est opéré.", "Compte rendu du Dr LOTHAR, chirurgien.",
    "Mme Ciaran est revue.", "Mon mari Lothar m'aide.", "Nom de naissance : CHIDO", "Mme Enawo, 2020.",
])  # fmt: skip
def test_a_person_of_a_storm_s_name_is_one(rules: Detector, text: str) -> None:
    (mentions,) = rules.detect([Document("d", text)])
    assert not found(rules, text)
    assert any(one.label in NAMES for one in mentions)


def test_a_storm_alone_has_a_word_or_a_date_beside(rules: Detector) -> None:
    assert found(rules, "Sans toit depuis Chido.") == ["Chido"]
    assert not found(rules, "IPP : Chido")


def test_many_events_take_a_time_linear_in_them() -> None:
    text = "depuis le cyclone Hugo le 12/03/2024. " * 10_000
    started = time.process_time()
    assert len(find_dated_events(Reading(Document("d", text)), ())) == 10_000
    assert time.process_time() - started < 10
