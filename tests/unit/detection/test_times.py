"""ClockTimes of day that detection finds and leaves, and the policies under which it looks for them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deid.config import policy as policies
from deid.config.policy import Policy
from deid.detection import Detector
from deid.detection.annotators import ClockTimes
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.labels import Label
from nocturne_lab.evaluation.markup import parse_marked

FOUND = (
    "Vu [[TIME|à 14h35]] aux urgences.",
    "Prélevé le 02/10/2025 [[TIME|à 11:10]] par Corinne.",
    "[[TIME|14:35:20]] arrêt, RACS [[TIME|à 14:52]].",
    "6/10/2025 [[TIME|21h15]] chaussettes mises",
    "Saisi le 2026-03-12[[TIME|T14:35:20Z]].",
    "[[TIME|02h45]] : nuit calme, a dormi [[TIME|de 23h50]] [[TIME|à 6h50]]",
    "Accident le 27 avril [[TIME|vers 7 h 40]] : choc",
    "Revu [[TIME|à 20h]], puis [[TIME|à 8 heures 30]].",
    "[[TIME|20h]] : patient agité.",
    "Appel [[TIME|à dix-huit heures trente]], antalgiques [[TIME|à 3 heures du matin]].",
    "Sorti [[TIME|à huit heures et demie]], rentré [[TIME|à neuf heures moins le quart]].",
    "A absorbé [[TIME|vers 18h]] 25 comprimés de paracétamol.",
    "A reçu [[TIME|à 20 h]] 40 mg de Lasix.",
    "Bloc [[TIME|de 14h10]] [[TIME|à 16 h]], réveil [[TIME|14h]]-[[TIME|16h30]].",
    "Douleur depuis [[TIME|14h35]], majorée après [[TIME|18h30]].",
    "Présent [[TIME|jusqu'à 17h15]], joint [[TIME|3h50]].",
    "Décès constaté ce jour [[TIME|à 4h05]].",
    "Rappel vendredi 20 [[TIME|10h]], puis hier [[TIME|22h]].",
    "Tubes : pré-dose [[TIME|08:12]], [[TIME|09:10]], [[TIME|10:11]].",
    "TDM cérébral fait à Lisieux [[TIME|02H30]], fils prévenu, parti [[TIME|4h58]].",
    "16h12 / TA 12/7".replace("16h12", "[[TIME|16h12]]"),
)
LEFT = (
    "Perfusion pendant 2 h, puis toutes les 6 h ; bilan à 24 h.",
    "Surveillance H24, à H+6, J1, 3 h post-op, 48 h après.",
    "Noradrénaline 5 mg/h, O2 15 h/24, 15 heures par jour.",
    "T 37:5, FR 18, ratio 10:1, I/E 1:2.",
    "Durée opératoire : 2h15. CEC 1h45, clampage 0h55.",
    "Dort 4h12, a dormi 5h07, intervention 3h37, perfusion 2x3h05.",
    "Délai de 4h30 entre début et thrombolyse, délai inférieur à 4 h 30.",
    "Le travail a duré 7h30. Travail de 7h30, VNI 6h30 cette nuit.",
    "Paracétamol 8h-12h-20h ; Modopar à 7 h, 11 h, 15 h, 19 h.",
    "1 cp à 8h et 20h. Lantus 22 UI à 21 h.",
    "8h : 1 cp de Kardégic.",
    "Posologie : une prise à 8h30.",
    "Troponine à 3 h et à 6 h ; dosage à 12 h d'intervalle, à 8 h de la prise.",
    "HGPO à 2 h : 8,4 mmol/L.",
    "HLA B*27:05, DRB1*04:01, HLA A 02:01, anticorps au 1:40 et 1:80.",
    "Joignable de 9 h à 17 h. Visites de 13h30 à 20h.",
    "Déchirure à 11 h, érythème péristomial à 6 heures.",
    "À jeun depuis 8 h ; sommeil 6 h, soit 6h30 de repos.",
    "Hémoculture positive en 13 h 05. Durée 1:20:35.",
    "Anapath n° 22H09-14, numéro 19 h 20877.",
    "Matin, midi et soir ; à jeun depuis minuit.",
    "24h/24, 25h10, 14h75, version 10:30:2.4.1, 192.168.10:80.",
)


def _marked(text: str) -> list[tuple[str, Label]]:
    document = Document("t", text)
    return [(text[one.start : one.end], one.label) for one in sorted(ClockTimes().annotate(Reading(document)))]


@pytest.mark.parametrize("sentence", FOUND)
@pytest.mark.parametrize("upper", [False, True], ids=["written", "upper"])
def test_a_time_of_day_is_found_with_the_word_ahead_of_it(sentence: str, upper: bool) -> None:
    text, mentions = parse_marked(sentence, "t")
    expected = [(text[one.start : one.end], one.label) for one in mentions]
    if upper:
        text, expected = text.upper(), [(surface.upper(), label) for surface, label in expected]
    assert _marked(text) == expected


@pytest.mark.parametrize("sentence", LEFT)
def test_a_duration_a_dose_a_schedule_and_a_code_are_left(sentence: str) -> None:
    assert not _marked(sentence)
    assert not _marked(sentence.upper())


def _rules(strategy: str) -> Policy:
    base = policies.load(policies.DEFAULT.parent / "rules.yaml")
    times = base.substitution.times.model_copy(update={"strategy": strategy})
    return base.model_copy(update={"substitution": base.substitution.model_copy(update={"times": times})})


@pytest.fixture(scope="module")
def detectors() -> tuple[Detector, Detector]:
    return Detector(_rules("keep")), Detector(_rules("part_of_day"))


def test_times_are_looked_for_where_the_policy_replaces_them(detectors: tuple[Detector, Detector]) -> None:
    document = Document("t", "Vu le 12/03/2021 à 14h35.")
    without, having = (one.detect([document])[0] for one in detectors)
    assert [one.label for one in without] == [Label.DATE]
    assert [one.label for one in having] == [Label.DATE, Label.TIME]
    assert "times-" in detectors[1].version
    assert "times-" not in detectors[0].version


def test_a_document_in_another_language_is_searched_for_times_too() -> None:
    policy = _rules("hour")
    detection = policy.detection.model_copy(update={"foreign": "patterns"})
    text = (
        "The patient was seen in the emergency room on 12/03/2021 (14:35) and the wound was cleaned with saline. " * 4
    )
    (found,) = Detector(policy.model_copy(update={"detection": detection})).detect([Document("t", text)])
    assert [text[one.start : one.end] for one in found if one.label is Label.TIME] == ["14:35"] * 4


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([*FOUND, *LEFT, "\n", "né le 12/03/1960 14:05 ", "0612345678", "12/03/2021T08:05:00"])))
def test_other_mentions_stay_but_for_dates_that_end_before_their_time(
    detectors: tuple[Detector, Detector], pieces: list[str]
) -> None:
    text = "".join(pieces).replace("[[TIME|", "").replace("]]", "")
    without, having = (one.detect([Document("t", text)])[0] for one in detectors)
    times = [one for one in having if one.label is Label.TIME]
    others = [one for one in having if one.label is not Label.TIME]
    assert all(before.end <= after.start for before, after in pairwise(having))
    kept = [one for one in without if not (one.label in (Label.DATE, Label.RELDATE) and any(map(one.overlaps, times)))]
    assert [one for one in others if one in without] == kept
    assert all(one in without or one.label in (Label.DATE, Label.RELDATE) for one in others)
