"""Dates, results, contacts and phones through the detector that ships: each number is of the kind that it shows."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deid.detection import Detector
from deid.domain.document import Document
from deid.domain.labels import IDENTIFIERS, Label

quietly = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
DAYS = st.dates(date(1921, 1, 1), date(2024, 12, 31))
STREETS = ("15 rue des Acacias", "03 avenue Foch", "20 place de la Mairie", "6 bis chemin Vert")
LEADS = ("Biopsie", "Coproculture", "Dossier anapath", "Frottis", "Hémoculture", "Lame", "Ponction", "Réf. labo")


def found_in(detector: Detector, text: str) -> list[tuple[Label, str]]:
    (mentions,) = detector.detect([Document("d", text)])
    return [(one.label, text[one.start : one.end]) for one in mentions]


@quietly
@given(day=DAYS, sign=st.sampled_from("./-"), padded=st.booleans(), street=st.sampled_from(STREETS))
def test_a_line_break_behind_a_birth_date_changes_neither_it_nor_the_street(
    detector: Detector, day: date, sign: str, padded: bool, street: str
) -> None:
    width = 2 if padded else 1
    born = sign.join((f"{day.day:0{width}}", f"{day.month:0{width}}", str(day.year)))
    found = found_in(detector, f"Mme Odile BONNARD, née le {born}\n{street}\n39100 Dole")
    assert (Label.DATE, born) in found
    assert (Label.STREET, street) in found


@quietly
@given(lead=st.sampled_from(LEADS), days=st.lists(DAYS, min_size=1, max_size=3), sign=st.sampled_from("./-"))
def test_complete_dates_behind_a_sample_are_dates(detector: Detector, lead: str, days: list[date], sign: str) -> None:
    written = [sign.join((str(day.day), str(day.month), str(day.year))) for day in days]
    text = f"{lead} {', lecture '.join(written)}."
    found = found_in(detector, text)
    for one in written:
        assert (Label.DATE, one) in found, text


@pytest.mark.parametrize(("text", "written"), [
    ("n° 14  30-Avr-2023", "30-Avr-2023"), ("Lame HE n° 4412 12/Jul/2021", "12/Jul/2021"),
    ("Réf. 0078 5-Déc-2020 validé", "5-Déc-2020"), ("cassette 3  9-Sept-2021 lue", "9-Sept-2021"),
    ("Tube 221 ; 01/Aug/2022", "01/Aug/2022"),
])  # fmt: skip
def test_a_month_by_name_between_two_signs_is_of_a_date(detector: Detector, text: str, written: str) -> None:
    assert (Label.DATE, written) in found_in(detector, text)


@quietly
@given(lead=st.sampled_from(LEADS), day=DAYS, sign=st.sampled_from("./-"))
def test_no_mention_holds_a_part_of_a_date_with_a_short_year(
    detector: Detector, lead: str, day: date, sign: str
) -> None:
    written = f"{day.day}{sign}{day.month}{sign}{day:%y}"
    text = f"{lead} {written} : normal."
    (mentions,) = detector.detect([Document("d", text)])
    start = text.index(written)
    met = [one for one in mentions if one.start < start + len(written) and start < one.end]
    assert all((one.start, one.end, one.label) == (start, start + len(written), Label.DATE) for one in met), text


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Biopsie 24-3-25 ; relecture 31-12-25 ; RCP 2-1-26.", ["24-3-25", "31-12-25", "2-1-26"]),
        ("Biopsies 12.6.24 et 13.9.24 : gastrite.", ["12.6.24", "13.9.24"]),
        ("BIOPSIE 24-3-25 LUE LE 26-3-25", ["24-3-25", "26-3-25"]),
        ("Séjour 12.01.2024-15.01.2024", ["12.01.2024", "15.01.2024"]),
        ("Vu le 8/2/24 en consultation.", ["8/2/24"]),
        ("ODM 11-20.", ["11-20"]),
        ("AVC 10/15, IDM 4/18.", ["10/15", "4/18"]),
        ("IDM inférieur 8/11, pontage 9/11, PTG G 9/14", ["8/11", "9/11", "9/14"]),
        ("ATCD : cholécystectomie 11/98, AIT 7-19", ["11/98", "7-19"]),
    ],
)
def test_dates_of_telegraphic_style_are_whole(detector: Detector, text: str, dates: list[str]) -> None:
    assert [surface for label, surface in found_in(detector, text) if label is Label.DATE] == dates


@pytest.mark.parametrize(
    "text",
    [
        "Gazo : 7,41 38 92 26.",
        "Gaz du sang : 7.36 45 71 25 sous 2 L.",
        "GDS 7,29 62 55 31",
        "NFS 4 12 36 ; plaq 245.",
        "NUMERATION 4,5 13,1 40 250",
        "Résultats : 10,00 2 ; 19,60 5 ; 73 20 ; 8: 100M2",
        "Audiogramme OD 20 25 40 60 OG 15 20 35 55",
        "Audiométrie : D 15 20 25 40 / G 10 15 20 30",
        "Champ visuel : 30 28 26 24 22",
        "Diurèse 1200 1500 1800 900",
        "TA 130 80 120 70",
        "Glasgow 12/15, Tinetti 12/28, MMS 12/30, Norton 11/20",
        "AV OD 10/10 OG 9/10, EVA 4/10, PA 12/8",
        "Curage : 12/21 N+ ; biopsies : 4/12 positives",
        "Stent 3/18 mm sur l'IVA, polype 10/12 mm",
        "Réduire à mi-dose. Amputation mi-jambe, douleur à mi-mollet",
        "il y a un délai de prise en charge",
        "G3P2, traitement prolongé jusqu'au 50",
    ],
)
def test_results_scores_and_halves_are_no_mention(detector: Detector, text: str) -> None:
    assert found_in(detector, text) == []


@pytest.mark.parametrize(
    ("text", "phone"),
    [
        ("joindre le fils 01 45 67 89 10", "01 45 67 89 10"),
        ("01 45 67 89 10", "01 45 67 89 10"),
        ("tél. 01.02.03.04.05", "01.02.03.04.05"),
        ("NFS : hb 12. Tel mère 6 12 34 56 78", "6 12 34 56 78"),
        ("Résultats poste 73 20", "73 20"),
        ("GDS à rappeler au 45 12", "45 12"),
        ("Sa fille : 06.12.34.\n56.78", "06.12.34.\n56.78"),
        ("née le 02.09.1947 06 12 34 56 78", "06 12 34 56 78"),
    ],
)
def test_phones_stay_phones_beside_dates_and_results(detector: Detector, text: str, phone: str) -> None:
    assert (Label.PHONE, phone) in found_in(detector, text)


@pytest.mark.parametrize("kind", ["sanguin", "urinaire", "nasal", "vaginal", "bronchique", "cutané"])
def test_a_word_of_the_language_is_no_number(detector: Detector, kind: str) -> None:
    found = found_in(detector, f"Prélèvement {kind} 120324 : stérile.")
    assert [surface for _, surface in found] == ["120324"]
    assert found[0][0] in IDENTIFIERS | {Label.DATE}


@pytest.mark.parametrize(
    ("text", "label", "address"),
    [
        ("mail marie.fontanel@laposte.net.Merci de rappeler.", Label.EMAIL, "marie.fontanel@laposte.net"),
        ("mail: a.bonnard@orange.fr.RDV à prévoir", Label.EMAIL, "a.bonnard@orange.fr"),
        ("J.DUPONT@CHU-LYON.FR.MERCI", Label.EMAIL, "J.DUPONT@CHU-LYON.FR"),
        ("j.roux@yahoo.co.uk.Bien à vous", Label.EMAIL, "j.roux@yahoo.co.uk"),
        ("j.roux@gmail.comMerci", Label.EMAIL, "j.roux@gmail.com"),
        ("a.b@mail.me.com", Label.EMAIL, "a.b@mail.me.com"),
        ("voir https://portail.ch-gray.fr.Identifiant fourni", Label.URL, "https://portail.ch-gray.fr"),
        ("sur ttps://www.ch-gray.example.", Label.URL, "ttps://www.ch-gray.example"),
        ("site www.bonnard-kine.fr.Fin de message", Label.URL, "www.bonnard-kine.fr"),
        ("http://pacs.ch-dole.fr/viewer?id=8812345.Image vue", Label.URL, "http://pacs.ch-dole.fr/viewer?id=8812345"),
    ],
)
def test_an_address_of_the_net_ends_before_the_next_sentence(
    detector: Detector, text: str, label: Label, address: str
) -> None:
    assert found_in(detector, text) == [(label, address)]


@pytest.mark.parametrize(
    ("text", "label", "whole"),
    [
        ("Diagnostic posé 1l y a 3 ans", Label.RELDATE, "1l y a 3 ans"),
        ("Hospitalisé I1 y a 2 mois", Label.RELDATE, "I1 y a 2 mois"),
        ("NRS de 18 mois 1/2, vacciné", Label.AGE, "18 mois 1/2"),
        ("Garçon de 3 ans ½", Label.AGE, "3 ans ½"),
    ],
)
def test_misread_distances_and_halves_of_ages_are_whole(
    detector: Detector, text: str, label: Label, whole: str
) -> None:
    assert found_in(detector, text) == [(label, whole)]


@pytest.mark.parametrize(
    "headings",
    [
        "nom;prenom;ddn;tel",
        "ipp,nom,prenom,ddn,sexe",
        "patient_id|nom|prenom|date_naissance|tel",
        "IPP\tNOM\tPRENOM\tDDN",
    ],
)
def test_names_of_columns_stay_and_cells_go(detector: Detector, headings: str) -> None:
    sign = next(one for one in ";,|\t" if one in headings)
    row = sign.join(("BONNARD", "Odile", "1944-03-02", "0381668166"))
    found = found_in(detector, f"{headings}\n{row}\n")
    assert all(surface not in headings for _, surface in found)
    for cell in ("BONNARD", "Odile", "1944-03-02", "0381668166"):
        assert any(cell in surface for _, surface in found)


@pytest.mark.parametrize("which", ["rules", "detector"])
@pytest.mark.parametrize(
    "lead",
    [
        *("N° patient ", "n° de patient ", "patient n° ", "Patient N° : ", "Numéro patient : ", "Numéro du patient : "),
        *("Identifiant patient : ", "ID patient ", "N°patient : ", "Patiente (n° ", "IPP ", "IPP n° "),
    ],
)
def test_a_number_announced_as_a_patients_is_no_phone(which: str, lead: str, request: pytest.FixtureRequest) -> None:
    assert found_in(request.getfixturevalue(which), f"{lead}0012345678") == [(Label.IPP, "0012345678")]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Numéro du patient : 06 39 98 01 12", Label.PHONE),
        ("N° de téléphone du patient : 0041791234567", Label.PHONE),
        ("Joindre le 0041791234567", Label.PHONE),
        ("N° de dossier patient : 0012345678", Label.NDA),
        ("Dossier patient 0012345678", Label.NDA),
    ],
)
def test_a_phone_or_file_of_a_patient_is_no_number_of_the_patient(text: str, label: Label, rules: Detector) -> None:
    assert [label for label, _ in found_in(rules, text)] == [label]


@pytest.mark.parametrize("which", ["rules", "detector"])
@pytest.mark.parametrize(
    "text",
    ["Mme Odile BONNARD (0048213377), vue ce jour.", "Mme Odile BONNARD - 0048213377 - vue ce jour.", "[0071120002]"],
)
def test_ten_digits_that_begin_with_zeros_are_no_phone_of_a_country(
    which: str, text: str, request: pytest.FixtureRequest
) -> None:
    found = {surface: label for label, surface in found_in(request.getfixturevalue(which), text)}
    assert found.keys() & {"0048213377", "0071120002"}
    assert Label.PHONE not in found.values()


@pytest.mark.parametrize("written", ["0041791234567", "0041 79 123 45 67", "0032 2 555 12 12", "00352 26 12 34"])
def test_a_foreign_number_with_its_country_is_a_phone(written: str, rules: Detector) -> None:
    label, surface = found_in(rules, f"Mme Odile BONNARD ({written})")[-1]
    assert (label, surface.strip("()")) == (Label.PHONE, written)


def test_the_rank_of_a_patient_is_no_identifier(rules: Detector) -> None:
    assert found_in(rules, "le patient n° 12 de la cohorte, patient n° 4521") == [(Label.ID, "4521")]


def test_a_year_in_words_goes_on_behind_a_line_break(detector: Detector) -> None:
    found = found_in(detector, "coloscopie à refaire en juin deux mille\nvingt sept si besoin, bon courage")
    assert [text.split() for label, text in found if label is Label.DATE] == [
        ["juin", "deux", "mille", "vingt", "sept"]
    ]


@pytest.mark.parametrize(("text", "pair", "dated"), [
    ("FAX   14-03-2019  09:12    DE : 05 36 49 71 31    P. 01/02\nCher ami,", "01/02", False),
    ("FAX reçu le 01/02 de la clinique\nCher ami,", "01/02", True),
])  # fmt: skip
def test_the_page_of_a_fax_is_no_date(detector: Detector, text: str, pair: str, dated: bool) -> None:
    assert ((Label.DATE, pair) in found_in(detector, text)) is dated
