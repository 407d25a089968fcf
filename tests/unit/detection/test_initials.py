"""Initials: of the patient behind a label, of writers at the place of a signature; abbreviations are left."""

from __future__ import annotations

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.detection.refining.initials import find_initials
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import NAMES, Label

TRAN = Patient(last_name="TRAN", first_names=("Doan",))


@pytest.fixture(scope="module")
def alone() -> Detector:
    """The identity annotator without the others."""
    return Detector(policy.Policy.model_validate({"detection": {"annotators": [{"name": "identity"}]}}))


def _names(detector: Detector, text: str, patient: Patient | None = None) -> list[str]:
    (found,) = detector.detect([Document("d", text, patient or Patient())])
    return [text[one.start : one.end] for one in found if one.label in NAMES]


@pytest.mark.parametrize(
    ("text", "initials"),
    [
        ("bracelet : DT, conforme", "DT"),
        ("bracelet: TD", "TD"),
        ("Initiales : DT", "DT"),
        ("initiales D.T.", "D.T."),
        ("patient D.T. vu ce jour", "D.T."),
        ("Pt DT vu ce jour", "DT"),
        ("Patient DT, 45 ans", "DT"),
        ("la patiente DT va bien", "DT"),
        ("Patient : DT", "DT"),
        ("Consentement signé « DT », remis à sa sœur", "DT"),
        ("Consentement signé : «\u00a0D.T.\u00a0»", "D.T."),
        ("Mme D. T. sort", "D. T."),
        ("Revu ce matin avant la visite : M. DT sort demain", "DT"),
    ],
)
def test_initials_that_agree_with_the_patient_are_found_behind_a_label(
    text: str, initials: str, alone: Detector
) -> None:
    (found,) = alone.detect([Document("d", text, TRAN)])
    assert [(one.label, text[one.start : one.end]) for one in found] == [(Label.PATIENT, initials)]


@pytest.mark.parametrize(
    "text",
    [
        "DT depuis 10 ans, DT 2 connu, patient DT2",
        "Patient DT depuis 10 ans",
        "Patiente DT connue, sous insuline",
        "patiente d.t. vue, bracelet : dt",
        "Patient DT 2",
        "rappel DT polio, DT : à jour",
        "bracelet dt",
        "Document signé « AB », carnet « DT »",
        "DT à 18 h (décès), vaccin DT",
    ],
)
def test_the_same_letters_elsewhere_are_left(text: str, alone: Detector) -> None:
    assert _names(alone, text, TRAN) == []


def test_initials_of_nobody_known_are_left(alone: Detector) -> None:
    text = "bracelet : DT, initiales : DT, patient D.T."
    assert _names(alone, text, Patient(last_name="DURAND", first_names=("Jean",))) == []
    assert _names(alone, text) == []


@pytest.mark.parametrize("initials", ["NL", "NH", "NLH", "LHN", "N.L.", "N.LH", "N.L.H."])
def test_an_elided_surname_has_initials_with_its_particle_and_without(initials: str, alone: Detector) -> None:
    patient = Patient(last_name="L'HELGOUAC'H", first_names=("Nolwenn",))
    assert _names(alone, f"bracelet : {initials} vérifié", patient) == [initials]


@pytest.mark.parametrize(
    ("text", "initials"),
    [
        ("Le patient va bien.\n\nFP/FB", ["FP", "FB"]),
        ("Le patient va bien.\n\nDr J.-P. D.", ["J.-P. D."]),
        ("Le patient va bien.\n\nJ.-P. D.", ["J.-P. D."]),
        ("Le patient va bien.\n\ndicté par FP, tapé par fb", ["FP", "fb"]),
        ("Service de cardiologie (réf. FP/fb)\n\nLe patient va bien.", ["FP", "fb"]),
    ],
)
@pytest.mark.parametrize("which", ["rules", "detector"])
def test_writers_sign_by_their_initials(
    which: str, text: str, initials: list[str], request: pytest.FixtureRequest
) -> None:
    assert _names(request.getfixturevalue(which), text) == initials


@pytest.mark.parametrize(
    "text",
    ["FC/FR normales, rapport VG/VD conservé.", "HTA/DT2 connus.\n\nIEC/ARA2", "Vaccins : DT/Polio"],
)
def test_two_abbreviations_are_no_signature(text: str, rules: Detector) -> None:
    assert _names(rules, text) == []


@pytest.mark.parametrize(
    ("text", "initials"),
    [
        ("Cas 1: MF, 22 ans, G1P0, a consulté.", ["MF"]),
        ("Observation n° 2 : J.B. âgée de 35 ans", ["J.B."]),
        ("Cas clinique 3 - FS, 25 ans", ["FS"]),
        ("Patiente KV, âgée de 34 ans suivie pour une polyarthrite", ["KV"]),
        ("Patiente M.H. âgée de 45 ans hospitalisée.", ["M.H."]),
        ("Madame L. R, 58 ans, admise", ["L. R"]),
        ("VB, un patient de 29 ans était admis", ["VB"]),
        ("Observation.\nKS, jeune femme âgée de 31 ans", ["KS"]),
        ("Cas 1 : un homme de 22 ans", []),
        ("Patient HTA, 54 ans, suivi", []),
        ("Patiente DT, 61 ans", []),
        ("Terrain : IR, patient de 80 ans", []),
        ("Sous AG, une patiente de 40 ans a présenté", []),
        ("Cas 2 : MF perçus, 22 SA", []),
        ("en cas de fièvre : DT, 3 jours", []),
    ],
)
def test_initials_open_a_case(text: str, initials: list[str], alone: Detector) -> None:
    assert _names(alone, text) == initials


NURSES = ("Damien Eymard", "Patricia Chaugnol")
TEAM = "Transmissions de Damien Eymard et Patricia Chaugnol, IDE.\n"


@pytest.mark.parametrize(
    ("entry", "initials"),
    [
        ("20h10 DE : patient calme.", ["DE"]),
        ("15h15 : PC : selles +", ["PC"]),
        ("sonnette à portée – PC", ["PC"]),
        ("15h15 : PA : 12/7", []),
        ("18h20 – PC : repas pris", ["PC"]),
        ("18h20 – PC : 12 min", []),
        ("14/02 06:45, a dormi, change fait. PC", ["PC"]),
        ("- 9h, toilette au lit. DE", ["DE"]),
        ("Dort bien, suspicion de PC", []),
        ("Perfusion posée. Périmètre crânien (PC) stable, (PC)", []),
        ("Sortie prévue demain\nréd. : PC", ["PC"]),
        ("Sortie prévue demain\n\nPC", ["PC"]),
        ("20h10 PC retrouvée, ventilation à PEP 5", []),
        ("PD-L1 60 %, ROS1 négatif", []),
    ],
)
def test_initials_of_staff_close_an_entry(entry: str, initials: list[str], rules: Detector) -> None:
    assert _names(rules, TEAM + entry)[2:] == initials


@pytest.mark.parametrize(
    ("line", "initials"),
    [
        ("Relu par Karine (PK), calme", ["PK"]),
        ("Péricarde kystique (PK), calme", []),
        ("Le péricarde kystique (PK), calme", []),
    ],
)
def test_letters_behind_a_first_name_abbreviate_no_words(line: str, initials: list[str], rules: Detector) -> None:
    assert [one for one in _names(rules, f"Dr Paul Kerbrat, pneumologue.\n{line}") if one == "PK"] == initials


@pytest.mark.parametrize(("last", "found"), [("PC", ["PC"]), ("PC\n43 cm", []), ("PC\nDamien Eymard", ["PC"])])
def test_letters_alone_on_a_last_line_sign_but_above_a_value(last: str, found: list[str]) -> None:
    text = TEAM + last
    at = text.index("Patricia")
    named = Mention(at, at + len("Patricia Chaugnol"), Label.DOCTOR)
    marks = [one for one in find_initials(Reading(Document("d", text)), [named]) if one != named]
    assert [text[one.start : one.end] for one in marks] == found


@pytest.mark.parametrize("text", ["carcinome, (PD-L1 60 %), PD-L1 : positif", "bilan, (PD-glyquée 6 %), PD-glyquée"])
def test_letters_joined_to_a_code_or_word_are_no_initials(text: str, rules: Detector) -> None:
    assert _names(rules, f"Paul Delmas, {text}") == ["Paul Delmas"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DA / PO | Garde", ["DA", "PO"]),
        ("VL / MB | Astreinte", ["VL", "MB"]),
        ("RE / RP | 95 %", []),
        ("MAR / IADE | salle 3", []),
    ],
)
def test_two_surnames_of_two_letters_open_a_row_of_duties(text: str, found: list[str], detector: Detector) -> None:
    assert [one for one in _names(detector, text) if len(one) < len("Garde")] == found


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("| PD / KX    | 90 % / 70 % |", []),
        ("PD / QZ ........ 11 69 A", []),
        ("| PC / DE    | présents |", ["PC", "DE"]),
        ("PD / QZ", ["PD", "QZ"]),
        ("PD / QZ | Garde", ["PD", "QZ"]),
        ("PD / QZ | 8h-20h", ["PD", "QZ"]),
        ("PD / QZ | Lemoine", ["PD", "QZ"]),
        ("PD / QZ | interne", ["PD", "QZ"]),
    ],
)
def test_two_abbreviations_that_open_a_row_are_no_signature(row: str, found: list[str]) -> None:
    text = f"{TEAM}{row}\n"
    named = [Mention(text.index(one), text.index(one) + len(one), Label.DOCTOR) for one in NURSES]
    marks = [one for one in find_initials(Reading(Document("d", text)), named) if one not in named]
    assert [text[one.start : one.end] for one in marks] == found


@pytest.mark.parametrize(
    ("text", "last", "first", "found"),
    [
        ("Vu AS LE BIHAN ce jour.", "LE BIHAN", "Anne-Sophie", "AS LE BIHAN"),
        ("Vu AS Le Bihan ce jour.", "LE BIHAN", "Anne Sophie", "AS Le Bihan"),
        ("Transfert de JB D'ORMESSON.", "D'ORMESSON", "Jean-Baptiste", "JB D'ORMESSON"),
        ("Entrée : PE Duval, lit 4", "DUVAL", "Pierre-Emmanuel", "PE Duval"),
        ("ECG LE BIHAN ce jour", "LE BIHAN", "Anne-Sophie", "LE BIHAN"),
        ("as LE BIHAN ce jour", "LE BIHAN", "Anne-Sophie", "LE BIHAN"),
        ("AS. LE BIHAN ce jour", "LE BIHAN", "Luc", "LE BIHAN"),
    ],
)
def test_initials_of_the_patients_compound_first_name_belong_to_the_surname(
    text: str, last: str, first: str, found: str, detector: Detector
) -> None:
    assert found in _names(detector, text, Patient(last_name=last, first_names=(first,)))


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("Fait par Dr Gaëlle Kervran-Taillec, gkt – frappe", ["gkt"]),
        ("Présents : Dr Resdevin-Cazal. Réunion vendredi ; RC absent lundi", ["RC"]),
        ("Présents : Dr Paule Brunier-Lacaze. Copie faite. PBL, envoi fait", ["PBL"]),
        ("Dr Yann Bellego-Drouet. Consigne donnée ; ybd, ce soir", ["ybd"]),
        ("Dr Odile Quéré-Rivoal. Vu ce jour. OQR, transmis", ["OQR"]),
        ("Dr Resdevin-Cazal. Patient RC droit", []),
        ("Dr Irène Rambert-Morin. Demande irm du genou", []),
        ("Dr Paul Rambert. Le pr a vu", []),
        ("Dr Noé Faure-Simon, nfs normale", []),
        ("Dr Odile Quéré-Rivoal. Le oqr/3 du jour", []),
    ],
)
def test_marks_of_writers_named_in_full(text: str, marks: list[str], detector: Detector) -> None:
    names = _names(detector, text)
    assert [one for one in names if len(one) < 4] == marks


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Appel reçu 21h55 par manue (std) pour l'interne lesage.\nOncologue à joindre demain matin. man", "man"),
        ("Appel de Coralie (IDE) pour M. Durand. Douleur 4/10, Doliprane donné. cor", "cor"),
        ("Médecin référent : Dr MASSON Lise. Crampes, médecin LM avisée ce soir.", "LM"),
        ("Interne : Claire DURAND. Perfusion changée, interne CD prévenue.", "CD"),
        ("docteur anne-lise carré le dix mars il va bien point signature a l c frappe nolwenn", "a l c"),
        ("Méd garde : MP Esnault. IDE de nuit : Coralie. Entourage vu avec Esnault.", "MP Esnault"),
        ("Vu avec FX Lemaire, avis demandé ce soir.", "FX Lemaire"),
    ],
)
def test_marks_of_writers_are_found_at_the_end_behind_a_role_and_said(text: str, mark: str, detector: Detector) -> None:
    assert mark in _names(detector, text)


def test_initials_without_a_blank_between_them_are_no_civility(detector: Detector) -> None:
    patient = Patient(last_name="POISSON", first_names=("Mickaël",), sex="M")
    text = "Je vois Mickaël Poisson ; il signe désormais ses bons de cantine M.P.\n\nVingt-quatre ans."
    assert "M.P." in _names(detector, text, patient)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("MT : Dr Quiqueré. MG Dupont et AS Morel présents.", ("MT", "MG", "AS")),
        ("Dr Alice Sarda prévenue par l'infirmière, AS du service informée, infirmière AS.", ("AS",)),
        ("Vu par Coralie (IDE). Douleur 4/10, patient confortable. ras", ("ras",)),
    ],
)
def test_professions_and_remarks_are_no_marks(text: str, stays: tuple[str, ...], detector: Detector) -> None:
    assert not set(stays) & {word for name in _names(detector, text) for word in name.split()}


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("Docteur Catherine Audoux-Page\n   cap/ML                 Double", ["cap", "ML"]),
        ("Docteur Catherine Audoux-Page\ncap/ML", ["cap", "ML"]),
        ("Docteur Catherine Audoux-Page\nDose : 5 mg/kg   matin/soir   480 ap/min   stable", []),
    ],
)
def test_marks_in_small_letters_are_found_of_somebody_named(rules: Detector, text: str, marks: list[str]) -> None:
    assert _names(rules, text)[1:] == marks


@pytest.mark.parametrize("text", ["[x] ALD   [ ] AT/MP", "[ ] AT/MP   [ ] art. 80", "☐ AT/MP", "☒ RC/FT"])
def test_what_a_box_is_ticked_for_is_no_mark_of_a_writer(text: str) -> None:
    reading = Reading(Document("d", f"Prescription de transport\n{text}\n"))
    assert find_initials(reading, []) == []


NIGHTS = """J+4 PNN 0. Lasilix 20. BB 3/j cl
S. hémoc + : BGN en cours. Tazo. cl
J+5 hallu ? baisse PCA 0,7. LP
J+8 RUD F. ml
40 min de marche ml
Perfusion 500 ml, boit 20 cl
Augmentin 1 g 3/j PO
Paracétamol 1 g. IV
Apyrétique. OK
"""


def test_marks_that_close_entries_are_found_behind_a_sentence_and_again() -> None:
    marks = [NIGHTS[one.start : one.end] for one in find_initials(Reading(Document("d", NIGHTS)), [])]
    assert marks == ["cl", "cl", "LP", "ml", "ml"]


@pytest.mark.parametrize(
    "text",
    [
        "J+4 PNN 0. Lasilix 20. LP\nJ+5 va bien\n",  # one alone
        "Pas de fièvre. AB\nPas de toux. CD\n",  # no entries
        "J+4 Perfalgan 1 g. IV\nJ+5 Lovenox. SC\nJ+6 selles. OK\n",
    ],
)
def test_letters_that_close_other_lines_are_left(text: str) -> None:
    assert find_initials(Reading(Document("d", text)), []) == []


def test_initials_that_are_said_are_one_mark_whatever_was_found_of_them() -> None:
    text = "reçu par moi anne laure février à onze heures voilà je signe a l f"
    named = Mention(13, 31, Label.DOCTOR)
    part = Mention(len(text) - 1, len(text), Label.DOCTOR, 0.9)
    assert text[slice(13, 31)] == "anne laure février"
    found = find_initials(Reading(Document("d", text)), [named, part])
    assert [text[one.start : one.end] for one in found] == ["anne laure février", "a l f"]
