"""Pairs of numbers are dates in the company of sure dates, and only there; values before a month stay."""

from __future__ import annotations

from datetime import date

import pytest

from deid.detection import Detector
from deid.domain.document import Document
from deid.domain.labels import Label


def dates_in(detector: Detector, text: str) -> list[str]:
    (mentions,) = detector.detect([Document("d", text, reference_date=date(2026, 10, 1))])
    return [text[one.start : one.end] for one in mentions if one.label is Label.DATE]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ponction le 27/3. Aiguille chg 30/3, proch 6/4. Vu le 31/3/2026.", ["30/3", "6/4"]),
        ("Prél. du 12/9 stérile. ETF 5/9 N. Doliprane IV 15/9 x3j, fermé le 19/9/2026.", ["5/9", "15/9"]),
        ("Pose le 2/11/2026. KTC ôté 9/11, hémoc 28/10 et 3/11 neg.", ["9/11", "28/10", "3/11"]),
        ("Dx 06/25, méta foie 11/25, prothèse 12/25 (Dr Ammar).", ["11/25", "12/25"]),
        ("Découv. 10/25, biopsie 11/2025, cure 1 02/26.", ["10/25"]),
        ("Sortie le 29/12/2026, revu 4/1 puis le 11/1.", ["4/1"]),
    ],
)
def test_pairs_beside_sure_dates_are_dates(detector: Detector, text: str, told: list[str]) -> None:
    found = dates_in(detector, text)
    assert [one for one in told if one not in found] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hospitalisée le 28/03 puis le 2 en réanimation.", ["2"]),
        ("Vue le 28/9 au CHU et le 2 en consultation, revue le 5.", ["2", "5"]),
        ("Admise le 28 mars pour sepsis, puis le 2 dans le service, le 10 chez sa fille.", ["2", "10"]),
        ("Vu le 28/9/2026 puis le 2 à Lyon, et le 5 a domicile.", ["2", "5"]),
        ("Admis le 12 mars en chambre double, puis le 15 en réanimation.", ["15"]),
        ("Opéré le 12/9/2026, rappelé au domicile, puis le 15, et revu.", ["15"]),
        ("VUE LE 28/03/2026 PUIS LE 2 A LILLE ET LE 5 A SON DOMICILE.", ["2", "5"]),
        ("Vu le 28/9/2026 puis le 2 a nouveau, le 5 a Nantes et le 9 a distance du geste.", ["2", "5", "9"]),
        ("Vu le 12/9/2026 pour avulsion de dents de sagesse, puis le 18 en consultation.", ["18"]),
        ("Vue le 12/9/2026 après appel de la famille, puis le 15 avec sa fille.", ["15"]),
    ],
)
def test_a_day_alone_next_to_a_date_is_one(detector: Detector, text: str, told: list[str]) -> None:
    assert dates_in(detector, text)[1:] == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Date TA FC\n12/03 12/8 72\n13/03 13/7 80", ["12/03", "13/03"]),
        ("| Date | TA | Pouls |\n| 12/03 | 12/8 | 70 |\n| 13/03 | 13/7 | 74 |", ["12/03", "13/03"]),
        (
            "Date\tHeure\tTA\tT°\n12/03/2025\t08:00\t12/8\t37,2\n13/03/2025\t08:00\t13/7\t37,5",
            ["12/03/2025", "13/03/2025"],
        ),
        ("Jour    TA     Pouls\nlun 10/03   12/8   72\nmar 11/03   13/7   80", ["lun 10/03", "mar 11/03"]),
        ("Tension : lundi 12/8, mardi 13/7, mercredi 11/6", ["lundi", "mardi", "mercredi"]),
        ("TA matin 14/8, soir 13/7", []),
        ("Date;Tension artérielle (mmHg);FC\n12/03;12/8;72\n13/03;13/7;80", ["12/03", "13/03"]),
        ("TA à domicile : lundi 14/8, mardi 13/7, mercredi 12/8", ["lundi", "mardi", "mercredi"]),
        ("Automesures TA (3 jours) : lundi 14/8 mmHg, mardi 13/7 mmHg", ["lundi", "mardi"]),
        ("Relevé tensionnel : lundi : 14/8 - mardi : 13/7", ["lundi", "mardi"]),
        ("Revue en consultation. TA lundi 14/8, mardi 13/7", ["lundi", "mardi"]),
        (
            "Ce jour TA au lit lundi 14/8, mardi 13/7. TA debout jeudi 12/7, vendredi 11/6, revue.",
            ["lundi", "mardi", "jeudi", "vendredi"],
        ),
        ("| Date | TA couché | FC |\n| 12/03 | 12/8 | 72 |\n| 13/03 | 13/7 | 80 |", ["12/03", "13/03"]),
        # Days of a week in their order, a column of something else, prose behind a line that names a pressure.
        ("TA à revoir lundi 12/8 puis mardi 13/8.", ["lundi 12/8", "mardi 13/8"]),
        ("Contrôle de TA\nRDV lundi 12/8", ["lundi 12/8"]),
        ("Date;Examen;TA\n12/8/2026;ETT;15/9", ["12/8/2026"]),
    ],
)
def test_a_column_or_line_of_pressures_has_its_days_apart(detector: Detector, text: str, told: list[str]) -> None:
    assert dates_in(detector, text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("HTA. TA 14/8 ce jour. RDV infirmier mardi 12/8 puis cardiologue ven. 11/7.", ["12/8", "11/7"]),
        ("Contrôle de la tension artérielle. Consultations : vendredi 11/7, jeudi 10/7.", ["11/7", "10/7"]),
        ("Tension du patient convoqué lundi 12/8, revu jeudi 10/7.", ["12/8", "10/7"]),
        ("Prélèvement sous basse pression, consultation vendredi 24/10, puis mercredi 22/10.", ["24/10", "22/10"]),
        ("TA, lundi 12/8, jeudi 10/7 en consultation.", ["12/8", "10/7"]),
        ("RDV TA mardi 12/8, lundi 10/7.", ["12/8", "10/7"]),
        ("Automesures tensionnelles rendues mardi 13/10, lundi 12/10.", ["13/10", "12/10"]),
        ("TA, mardi 14/8, lundi 13/8, bonne.", ["14/8", "13/8"]),
        ("TA stable, chutes lundi 12/8, dimanche 10/7.", ["12/8", "10/7"]),
        ("TA : RDV de contrôle mardi 12/8, puis lundi 10/7.", ["12/8", "10/7"]),
        # Prose that begins with a measure is no heading of a table.
        ("TA équilibrée ; poursuite du traitement\n10/8 ; consultation de cardiologie", ["10/8"]),
        ("TA normale ; pas de plainte\n12/8 ; appel du médecin\n10/7 ; visite", ["10/7"]),
        ("TA ; suite\nle 12/8 ; appel du médecin\n10/7 ; visite", ["12/8", "10/7"]),
        ("PA 14/8. Consultation vue le matin 12/7, contrôle soir 10/7.", ["12/7", "10/7"]),
    ],
)
def test_visits_of_a_line_that_names_a_pressure_are_dates(detector: Detector, text: str, told: list[str]) -> None:
    found = dates_in(detector, text)
    assert [one for one in told if not any(said.endswith(one) for said in found)] == []


@pytest.mark.parametrize("text", [
    "Vue le 28/9/2026, drains retirés et le 2 toujours productif.", "Vue le 28/9/2026. Sat 98, le 2 en lunettes.",
    "Vue le 28/9/2026, premier drain ôté puis le 2e en place.",
    "Vue le 28/9/2026 au matin, et le 15 a envoyé un SMUR.", "Malaise le 28/9/2026, puis le 18 a été appelé.",
    "Chute le 28/9/2026, le voisin a appelé en urgence, puis le 15, et les pompiers.",
    "MALAISE LE 28/9/2026, PUIS LE 18 A ETE APPELE.", "VUE LE 28/9/2026 PUIS LE 18 A ENVOYE UN SMUR.",
    "Admis le 28/9/2026, lit numéro, puis le 7 en chambre double.",
])  # fmt: skip
def test_another_number_behind_a_date_is_no_day(detector: Detector, text: str) -> None:
    assert dates_in(detector, text) == ["28/9/2026"]


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Vu le 12/3/2026 : TA 14/4, puis 13/3, EVA 3/10.", ["14/4", "13/3", "3/10"]),
        ("Revu le 2/3/2026. Fracture du 1/3 inf., force 4/5, Norton 12/20.", ["1/3", "4/5", "12/20"]),
        ("Fait le 8/10/2026. Douleur cotée 9/10.", ["9/10"]),
        ("Créat 143 nov., 138 sept., le 12/09/2026 : 206.", ["143", "138"]),
        ("Fax émis le 11-02-26 p 1/1, scanner du 28/1/2026, page 2/2.", ["1/1", "2/2"]),
        ("Audition 10/25 à droite, sans date.", ["10/25"]),
        (
            "Vu le 12/8/2026 en consultation.\nRepos     0       66    13/8     BBD incomplet\n"
            "60 W      2'      92    15/8     -\nRecup 3'  -       104   15/8     ST",
            ["13/8", "15/8"],
        ),
        ("Vue le 20/3/2026, TA stable. Cicatrices 24/3 et 19/4 cm. 16/9 ce matin.", ["24/3", "19/4", "16/9"]),
        ("Fait le 13/1/2026, fiche SFAR 2/2 lue, préparation Boston 8/9.", ["2/2", "8/9"]),
    ],
)
def test_scores_pressures_and_values_stay(detector: Detector, text: str, stays: list[str]) -> None:
    found = dates_in(detector, text)
    assert [one for one in stays if any(one in said for said in found)] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Appendicectomie en 2003 ou 04, hernie en 92 ou 93.", ["2003", "04", "92", "93"]),
        ("En 1912 ou 13 naissance du grand-père. Service militaire 1931-33 en Algérie.", ["1912", "13", "1931", "33"]),
        ("Marié en 1987 ou 89, veuf depuis.", ["1987", "89"]),
        ("Opéré en 1987, puis 2003 et 12 cures de chimio. En 2010 - 12 patients vus.", ["1987", "2003", "2010"]),
        ("visite 1 lun 11 11 2024 10h\nvisite 2 mer 13  absente", ["lun 11 11 2024", "mer 13"]),
        ("Opéré le 12 mar 13 à Lyon, revu le 3 avr 14.", ["12 mar 13", "3 avr 14"]),
        ("Visite 2 mar 14/01 : stable. Séance 4 jeu 16/01 : mieux.", ["mar 14/01", "jeu 16/01"]),
    ],
)
def test_two_figures_are_a_year_beside_one_and_a_rank_ahead_of_a_weekday(
    detector: Detector, text: str, told: list[str]
) -> None:
    assert dates_in(detector, text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("| Diurèse mL |  1200  |  4100  |  2700  |  1900  |  2300  |", []),
        ("| Apports (mL) | 2000 | 1900 |\n| Diurèse | 1900 | 2050 |", []),
        ("Redon  2010  mL\nPoids  62  kg", []),
        ("jour;entrées;sorties\n1;1900;2000\n2;2050;1950", []),
        ("Boissons : 1900 ; diurèse 2000 ; drain 1950 mL.", []),
        ("| Année | 1998 | 2003 | 2015 |\n| Cholécystectomie | 2004 | 350 | 420 |", ["1998", "2003", "2015", "2004"]),
        ("opération;année;lieu\nappendicectomie;1987;Lyon", ["1987"]),
    ],
)
def test_four_figures_in_a_row_or_column_of_volumes_are_no_year(detector: Detector, text: str, told: list[str]) -> None:
    assert dates_in(detector, text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("L 14/02 nuit\nMe 16/02\nabsent\nJ 17/02 06h05\nvu\nV 18\nthrill", ["L 14/02", "Me 16/02", "J 17/02", "V 18"]),
        ("L 28/02\nrien\nMa 1\nmieux\nMe 2 nuit\nstable", ["L 28/02", "Ma 1", "Me 2"]),
        ("S 05/03\nvue\nD. 6 matin\ncalme", ["S 05/03", "D. 6"]),
        # Not as far apart as the weekdays; days of a stay; hours.
        ("L 14/02\nvu\nV 19\nrien", ["L 14/02"]),
        ("L 14/02\nvu\nJ 4\nredon retiré\nS 12 h", ["L 14/02"]),
        ("V 18\nvu le 03/05/2022", ["03/05/2022"]),
    ],
)  # fmt: skip
def test_initials_of_weekdays_open_the_lines_of_notes(detector: Detector, text: str, told: list[str]) -> None:
    assert dates_in(detector, text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("AVB 3/6 17h52, suturée. Sortie prévue le 8/6/2022", ["3/6", "8/6/2022"]),
        ("Née le 03/06/2022. VVP 4/6 à 8h, ablation 5/6 vers 10 h", ["03/06/2022", "4/6", "5/6"]),
        ("Née le 03/06/2022.\nJ1 4/6\nvue\nJ2 5.6\nvue\nJ3 : 6.6\nvue", ["03/06/2022", "4/6", "5.6", "6.6"]),
        ("Vu le 12/06/2022. Lexomil 1/2 8h, 1/4 20h, 3/4 22h", ["12/06/2022"]),
        ("Vu le 12/06/2022. CRP J2 5.6\nlésion des 3/6 inférieurs", ["12/06/2022"]),
        ("Vu le 12/06/2022.\nJ2 K 5.6\nJ3 3,5", ["12/06/2022"]),
    ],
)
def test_an_hour_or_a_numbered_day_makes_a_date_of_a_fraction(detector: Detector, text: str, told: list[str]) -> None:
    assert dates_in(detector, text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("jour | Hb | note\n28/03 | 9,1 | CGR\n30/03 | 9,9 | stable\n2 | 10,2 | stable\n06/04 | 10,4 | sortie",
         ["28/03", "30/03", "2", "06/04"]),
        ("Date;Poids;Diurèse\n30/12;71,2;900\n31;70,8;1100\n2/1;70,1;1300\n5/1;69,9;1200",
         ["30/12", "31", "2/1", "5/1"]),
        # No order; ages and numbers of rooms; bare days alone.
        ("jour | Hb\n13/03 | 9,1\n11/03 | 9,9\n5 | 10,2", ["13/03", "11/03"]),
        ("lit | âge\n12 | 71\n14 | 62\nVu le 12/03/2022", ["12/03/2022"]),
    ],
)  # fmt: skip
def test_a_bare_day_in_a_column_of_dates_is_one(detector: Detector, text: str, told: list[str]) -> None:
    assert dates_in(detector, text) == told


def test_two_letters_that_a_scanner_read_beside_a_stroke_are_a_month(detector: Detector) -> None:
    text = "Coloscopie le 27/10/2O15. IRM 5/ll : T3. Culture 12/lo. Débit 5 l/l, 3/il"
    assert [one for one in dates_in(detector, text) if "/l" in one] == ["5/ll", "12/lo"]
