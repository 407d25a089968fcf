"""Allow-list, connected entities, boundaries, repetitions, overlaps: through the detector, and one by one."""

from __future__ import annotations

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.detection.refining.boundaries import complete_names
from deid.detection.refining.filters import drop_allowed
from deid.detection.refining.organisations import complete_organisations
from deid.detection.refining.overlaps import connect_entities, resolve_overlaps
from deid.detection.refining.trimming import trim_civilities
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label


@pytest.fixture
def detector(rules: Detector) -> Detector:
    """Sentences made for one rule: no learned annotator takes part."""
    return rules


def _names(detector: Detector, text: str) -> list[str]:
    (found,) = detector.detect([Document("d", text)])
    return [text[one.start : one.end] for one in found if one.label in (Label.PATIENT, Label.DOCTOR, Label.PERSON)]


def test_an_eponym_stays_and_the_person_of_that_name_goes(detector: Detector) -> None:
    text = "M. Charcot consulte pour une maladie de Charcot. Adressé par le Dr Parkinson."
    assert _names(detector, text) == ["Charcot", "Parkinson"]


@pytest.mark.parametrize(
    ("text", "patient", "found"),
    [
        ("Nom : Петрова\nsuite", Patient(), ["Петрова"]),
        ("Nom : محمد بن علي\nsuite", Patient(), ["محمد بن علي"]),
        ("Patient : 王小明, stable", Patient(), ["王小明"]),
        ("Identité d'origine : بن علي كريم, dossier", Patient(), ["بن علي كريم"]),
        ("Marqueur : αβγδ", Patient(), []),
        ("Revu Петрова hors lit.", Patient(last_name="Петрова"), ["Петрова"]),
        ("Revu Мария Петрова hors lit.", Patient(last_name="Петрова"), ["Мария Петрова"]),
        ("Il dit « спасибо » en partant.", Patient(last_name="Петрова"), []),
    ],
)
def test_a_name_in_another_script_is_found_by_its_field_or_the_identity(
    rules: Detector, text: str, patient: Patient, found: list[str]
) -> None:
    (mentions,) = rules.detect([Document("d", text, patient)])
    assert [text[one.start : one.end] for one in mentions] == found


def test_the_rank_of_a_pregnancy_is_no_part_of_initials() -> None:
    text = "Mme M.A. 4 ème geste, suivie par J.P. 4"
    mentions = [Mention(4, 10, Label.PATIENT, 0.9), Mention(33, 39, Label.DOCTOR, 0.9)]
    found = trim_civilities(Reading(Document("d", text)), mentions)
    assert [text[one.start : one.end] for one in found] == ["M.A.", "J.P. 4"]


@pytest.mark.parametrize(
    ("text", "part", "left"),
    [
        ("M. J Patient de 60 ans", "J Patient", "J"),
        ("Mme Rose Patient", "Rose Patient", "Rose Patient"),
        ("demande Mademoiselle Odile", "Mademoiselle Odile", "Odile"),
    ],
)
def test_words_for_people_stay_outside(text: str, part: str, left: str) -> None:
    at = text.index(part)
    (found,) = trim_civilities(Reading(Document("d", text)), [Mention(at, at + len(part), Label.PATIENT, 0.9)])
    assert text[found.start : found.end] == left


def test_the_aura_of_a_migraine_is_no_name() -> None:
    reading = Reading(Document("d", "MIGRAINE AVEC AURA, vue avec AURA"))
    mentions = [Mention(14, 18, Label.DOCTOR, 0.6), Mention(29, 33, Label.PERSON, 0.6)]
    assert drop_allowed(reading, mentions, {}) == mentions[1:]


def test_a_hospital_s_own_terms_are_allowed() -> None:
    chosen = policy.load()
    own = chosen.model_copy(
        update={"detection": chosen.detection.model_copy(update={"allow": {Label.DOCTOR: ("Martin",)}})}
    )
    text = "Dr Martin et Dr Lefranc-Morel"
    assert _names(Detector(own), text) == ["Lefranc-Morel"]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Dr Kerbrat. Revu par kerbrat ce jour, puis KERBRAT.", 3),
        ("Mme Guéganton est là. La famille GUEGANTON attend, et Guéganton aussi.", 3),
        ("Dr Le Bihan. Bihan a rappelé.", 2),
    ],
)
def test_a_name_found_once_is_found_everywhere(detector: Detector, text: str, times: int) -> None:
    assert len(_names(detector, text)) == times


def test_repetitions_can_be_switched_off() -> None:
    chosen = policy.load(policy.DEFAULT.parent / "balanced.yaml")
    quiet = chosen.model_copy(update={"detection": chosen.detection.model_copy(update={"repeat_names": False})})
    text = "Dr Vraz-Kerazan. Traitement vraz matin et soir."
    assert [len(_names(Detector(one), text)) for one in (quiet, chosen)] == [1, 2]


def test_common_words_are_not_repeated(detector: Detector) -> None:
    assert _names(detector, "Dr Petit. Un petit hématome, un grand jour.") == ["Petit"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Dr Fort, Mme Vraz. On en parle avec Fort ce soir.", ["Fort", "Vraz", "Fort"]),
        ("Dr Matin, Mme Vraz. Matin se rend au lit 4.", ["Matin", "Vraz", "Matin"]),
        ("Dr Matin, Mme Vraz. Matin difficile. Douleur le matin.", ["Matin", "Vraz"]),
        ("Dr Fort. Fort risque de chute, un fort saignement.", ["Fort"]),
        ("M. de Kerazan va bien. Appel de Kerazan fils, puis de Kerazan", ["de Kerazan", "de Kerazan", "de Kerazan"]),
        ("Dr Parkinson. Pas de maladie de Parkinson.", ["Parkinson"]),
    ],
)
def test_usual_words_are_repeated_where_they_are_written_as_names(
    detector: Detector, text: str, names: list[str]
) -> None:
    assert _names(detector, text) == names


def test_plural_civilities_stay_outside() -> None:
    text = "Mmes Vraz"
    reading = _reading(text)
    (kept,) = trim_civilities(reading, [Mention(0, len(text), Label.PERSON, 0.6)])
    assert text[kept.start : kept.end] == "Vraz"
    assert trim_civilities(reading, [Mention(0, 4, Label.PERSON, 0.6)])[0].end == 4


def test_a_capital_between_a_name_and_a_dash_is_its_initial() -> None:
    text = "Vus : Vraz D — puis repos ; Omnès — C au scanner"
    mentions = [Mention(6, 10, Label.PERSON, 0.9), Mention(28, 33, Label.PERSON, 0.9)]
    assert [text[one.start : one.end] for one in complete_names(_reading(text), mentions)] == ["Vraz D", "Omnès"]


def test_initials_tied_to_a_known_name(detector: Detector) -> None:
    text = "Dr Samira Ouali-Kessler\nCompte rendu relu.\nSOK\n"
    assert "SOK" in _names(detector, text)


def _reading(text: str) -> Reading:
    return Reading(Document("d", text))


def test_connectors_join_an_organisation_and_its_town() -> None:
    text = "hôpital Bellevue de Mende"
    parts = [Mention(0, 16, Label.ORG, 0.8), Mention(20, 25, Label.CITY, 0.9)]
    assert [(one.start, one.end, one.label) for one in connect_entities(_reading(text), parts, ("de",))] == [
        (0, 25, Label.ORG)
    ]
    assert len(connect_entities(_reading(text), parts, ("du",))) == 2


def test_names_are_completed_over_hyphens_and_initials() -> None:
    text = "Vu par J. Dupont-Vraz hier"
    (done,) = complete_names(_reading(text), [Mention(10, 16, Label.DOCTOR, 0.9)])
    assert text[done.start : done.end] == "J. Dupont-Vraz"


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("chez de Wendel à Hayange", "Wendel", "de Wendel"),
        ("puis de Villèle", "Villèle", "de Villèle"),
        ("la fille de Villèle", "Villèle", "Villèle"),
        ("avec la Célestine", "Célestine", "Célestine"),
        ("la bénévole Ghislaine d'A. est là", "Ghislaine", "Ghislaine d'A."),
        ("vue avec Ghislaine d'Angers", "Ghislaine", "Ghislaine"),
        ("TOCQUEVILLE (de) Amaury", "TOCQUEVILLE", "TOCQUEVILLE (de) Amaury"),
        ("TOCQUEVILLE (interne)", "TOCQUEVILLE", "TOCQUEVILLE"),
        ("TOCQUEVILLE A. 08/03/2019 copie", "TOCQUEVILLE", "TOCQUEVILLE A."),
        ("Signé : Tocqueville Y. le 3", "Tocqueville", "Tocqueville Y."),
        ("TOCQUEVILLE A 20 ANS", "TOCQUEVILLE", "TOCQUEVILLE"),
        ("M. Tocqueville a. été", "Tocqueville", "Tocqueville"),
        ("vu par Tocqueville. A. Bilan", "Tocqueville", "Tocqueville"),
    ],
)
def test_a_particle_belongs_to_its_name(text: str, part: str, whole: str) -> None:
    at = text.index(part)
    (found,) = complete_names(Reading(Document("d", text)), [Mention(at, at + len(part), Label.DOCTOR, 0.9)])
    assert text[found.start : found.end] == whole


def test_overlapping_names_are_united() -> None:
    text = "DUPONT Jean"
    (one,) = resolve_overlaps(_reading(text), [Mention(0, 6, Label.PATIENT, 0.9), Mention(3, 11, Label.PERSON, 0.6)])
    assert (one.start, one.end, one.label) == (0, 11, Label.PATIENT)


def test_what_a_direct_identifier_loses_stays_covered() -> None:
    text = "dossier 4471 Dr Vraz"
    kept = resolve_overlaps(_reading(text), [Mention(8, 20, Label.NDA, 0.6), Mention(16, 20, Label.DOCTOR, 0.9)])
    assert [(one.start, one.end) for one in kept] == [(8, 15), (16, 20)]


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("Relu par le Dr Ph. Lecocq hier.", "Ph. Lecocq"),
        ("Dr Stein, CHU. Vu par le DR N STEIN.", "N STEIN"),
        ("SIGNE : DR TALLEUX F  RPPS 10100448219", "TALLEUX F"),
        ("Compte rendu.\n\nCordialement,\n\nM. Pujol\n", "M. Pujol"),
        ("Signé : Sylvie LAB0RDE, IDE", "Sylvie LAB0RDE"),
        ("revu le mardi par le dr martial garnier au calme", "martial garnier"),
        ("Suivi : Dr Anli Chamsidine, dernière visite", "Anli Chamsidine"),
        ("Mme Claire JOLI-\nCŒUR va bien", "Claire JOLI-"),
    ],
)
def test_names_are_completed_to_their_edges(detector: Detector, text: str, surface: str) -> None:
    assert surface in _names(detector, text)


@pytest.mark.parametrize("text", ["Vu avec M. Vraz ce jour, stable.", "Reçu M. Vraz."])
def test_a_civility_stays_outside(detector: Detector, text: str) -> None:
    assert _names(detector, text) == ["Vraz"]


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("Dr Marc Tessier. Suites simples.\n\nMT/lq\n", "lq"),
        ("Dr Nadia Berthod.\nDicté le 12, frappé par NB le 17.", "NB"),
        ("Mme Julie Martinage, infirmière.\nBonne nuit.\nj.m.\n", "j.m."),
        ("Dr Henri Kleinhans. Imprimé par hkleinhans ce matin.", "hkleinhans"),
        ("Sortie demain.\n" * 3 + "\nVisa :    E.V.\n", "E.V."),
        ("Sortie demain.\nPoint final signé jfp\n", "jfp"),
        ("Sortie demain.\nÉdité par mpt - page 1", "mpt"),
        ("Dernière prise ce matin. mzk", "mzk"),
        ("Vu avec le petit Rayan (RZB) ce jour. Le père de Rayan est là.", "RZB"),
    ],
)
def test_initials_and_logins_of_those_who_write(detector: Detector, text: str, surface: str) -> None:
    assert surface in _names(detector, text)


@pytest.mark.parametrize("text", ["Vu par M. Mavrand (MPR).", "Vu par Maxime (MG).", "Fils Rayan (TB)."])
def test_an_acronym_in_brackets_is_no_initials(detector: Detector, text: str) -> None:
    assert len(_names(detector, text)) == 1


@pytest.mark.parametrize(
    "text", ["Sortie demain. ttt", "Sortie. ras", "mzk jointe. Sortie.", "Vu. idem", "Vu, mzk fait"]
)
def test_a_word_that_closes_the_text_is_no_signature(detector: Detector, text: str) -> None:
    assert _names(detector, text) == []


def test_a_word_behind_a_cue_is_no_initials(detector: Detector) -> None:
    assert _names(detector, "Dr Luc Abgrall passait par là, nous a aidés.") == ["Luc Abgrall"]


@pytest.mark.parametrize("unit", ["119\tUI/ML\t< 37", "7,7  NG/ML\n", "12 MG/KG\n"])
def test_a_unit_in_capitals_is_no_initials(detector: Detector, unit: str) -> None:
    assert _names(detector, f"Dr Marie Lete.\nDr Karine Guyard.\nPSA\t{unit}") == ["Marie Lete", "Karine Guyard"]
    assert "ML" in _names(detector, "Dr Marie Lete.\nSuites simples.\n\nKG/ML\n")


@pytest.mark.parametrize("text", ["TDM : TA/FC stables.\n", "Dr Tom Anders. TA 12/8, FC 70.", "5 mg/kg", "I.V. lente"])
def test_abbreviations_are_no_initials(detector: Detector, text: str) -> None:
    assert set(_names(detector, text)) <= {"Tom Anders"}


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("au centre équestre Les Crinières le mercredi", "Les Crinières", "centre équestre Les Crinières"),
        ("plongeur au restaurant Le Ganesha", "Le Ganesha", "restaurant Le Ganesha"),
        ("Garage Cévennes Auto fermé", "Cévennes Auto", "Garage Cévennes Auto"),
        ("labo Eurofins prévenu", "Eurofins", "Eurofins"),
        ("mutuelle Solimut, adhérente", "Solimut", "Solimut"),
        ("au centre.\nLes Crinières", "Les Crinières", "Les Crinières"),
    ],
)
def test_an_organisation_has_the_word_for_its_kind(text: str, part: str, whole: str) -> None:
    at = text.index(part)
    (found,) = complete_organisations(_reading(text), [Mention(at, at + len(part), Label.ORG, 0.9)])
    assert text[found.start : found.end] == whole


def test_the_word_before_a_civility_is_no_particle() -> None:
    text = "CONSULTATION DE M. DOMINIQUE BASTARD"
    at = text.index("M.")
    (found,) = complete_names(_reading(text), [Mention(at, len(text), Label.PATIENT, 0.9)])
    assert text[found.start : found.end] == "M. DOMINIQUE BASTARD"


@pytest.mark.parametrize(
    ("text", "part", "name"),
    [
        ("Arrivée de Tata Mado ce soir", "Tata Mado", "Mado"),
        ("Tonton Marcel garde samedi", "Tonton Marcel", "Marcel"),
        ("vue par Mme Tonton Lise ce soir", "Tonton Lise", "Tonton Lise"),
        ("Ami Diallo, soignante", "Ami Diallo", "Ami Diallo"),
        ("VOISIN Paul, menuisier", "VOISIN Paul", "VOISIN Paul"),
        ("parle de Papi", "Papi", "Papi"),
    ],
)
def test_a_name_goes_without_the_word_for_a_relative(text: str, part: str, name: str) -> None:
    start = text.index(part)
    (found,) = trim_civilities(Reading(Document("d", text)), [Mention(start, start + len(part), Label.PERSON, 0.9)])
    assert text[found.start : found.end] == name


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Extraction 2nov. 0 h. 20 d'un enfant. Revu ensuite en ville.", ["2nov."]),
        ("Ablation des fils 14sept. au cabinet, sans souci.", ["14sept."]),
        ("Section de brides le ll rnars par moi-même. Sorti le 3 decernbre 1957.", ["ll rnars", "3 decernbre 1957"]),
        ("Ampoules de 2mar. et 10mg, 3ml et 2dose.", []),
    ],
)
def test_a_day_glued_to_its_month_or_misread_is_a_date(detector: Detector, text: str, days: list[str]) -> None:
    (found,) = detector.detect([Document("d", text)])
    assert [text[one.start : one.end] for one in found if one.label is Label.DATE] == days
