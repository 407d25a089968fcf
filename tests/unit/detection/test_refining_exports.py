"""Headings, coded cells and timestamps of exports name nobody; the other cells and numbers stay mentions."""

from __future__ import annotations

import pytest

from deid.detection.refining.exports import settle_exports
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Vote
from deid.domain.labels import Label

TABLE = """Extraction du jour
"IPP";"NOM";"NOM_NAISS";"UF";"STATUT";"MOTIF"
"8001";"CARTON";"DUFLOT";"4410 RHUMATO";"HONORE";"vue avec Honoré"
"8002";"HONORE";"ERREUR";"2205 PNEUMO";"ERREUR";"rappel"
Fin de HONORE
"""
MESSAGE = "ZVL|VALIDE|BIDAULT^TANGUY|10101556610|202111161519|20211116151960|"


def settled(text: str, at: int, part: str, label: Label, votes: tuple[Vote, ...] = ()) -> list[tuple[Label, str]]:
    mention = Mention(at, at + len(part), label, 0.9, None, votes)
    return [(one.label, text[one.start : one.end]) for one in settle_exports(Reading(Document("d", text)), [mention])]


@pytest.mark.parametrize(
    ("row", "part", "label", "kept"),
    [
        (1, "NAISS", Label.PATIENT, False),
        (1, "UF", Label.ORG, False),
        (2, "CARTON", Label.PATIENT, True),
        (2, "8001", Label.IPP, True),
        (2, "RHUMATO", Label.CITY, False),
        (2, "4410", Label.NDA, False),
        (2, "HONORE", Label.DOCTOR, False),
        (2, "Honoré", Label.PERSON, True),
        (3, "HONORE", Label.PATIENT, True),
        (4, "HONORE", Label.PERSON, True),
    ],
)
def test_coded_cells_name_nobody(row: int, part: str, label: Label, kept: bool) -> None:
    start = sum(len(line) for line in TABLE.splitlines(keepends=True)[:row])
    found = settled(TABLE, TABLE.index(part, start), part, label)
    assert found == ([(label, part)] if kept else [])


@pytest.mark.parametrize(
    ("table", "found", "left"),
    [
        ("Heure;SpO2;PA;Signature\n08h;97;12;VB\n12h;98;11;n.f.", [], ["VB", "n.f."]),
        ("Jour\tDM\tEVA\tSaisie\n3/4\tNR\tCS\tpdt", ["NR", "CS"], ["pdt"]),
        ("| Date | Infirmière | ECG |\n| 3/4 | HB | RS |\n| 4/4 | RAS | FA |", ["RS", "FA"], ["HB"]),
        ("Date,FC,PNI,Patient\n3/4,HR,GD,EB", ["FC", "HR", "EB"], ["EB"]),
        ("Heure;Visa;CS\n08h;VB;NR\n\nVB;HB;CS", ["NR", "HB"], ["VB", "HB"]),
        ("FC, PA, EVA et CS notées\nHB, VB, NR et RS", ["HB", "VB"], ["HB", "VB"]),
        ("Date;Motif;Lieu\n3/4;HB;VB", ["HB", "VB"], ["HB", "VB"]),
        ("Date;CS;Visa\n3/4;Hubert;", ["Hubert"], ["Hubert"]),
        ("Saisi par;Acte;Heure\nFAV;VVP;8h\nMPR;VVP;9h\nDMS;VVP;9h\nOui;VVP;9h", [], ["FAV", "MPR", "DMS"]),
        ("IDE;Heure\nAM;9h", [], ["AM"]),
        ("Saisi par;Acte\nFAV;pose\nOK;pose", [], ["FAV"]),
        ("Heure;Soins IDE;Remarque\n08:00;ECG;RAS\n10:00;SNG;OK\n12:00;VB;RAS", [], ["VB"]),
        ("Heure;Prescription médecin\n9h;IRM\n10h;NFS\n11h;VB", [], ["VB"]),
        ("Heure;Avis médecin\n9h;IRM", [], []),
        ("Heure;Validation médecin\n9h;DMS\n10h;OK", [], ["DMS"]),
        ("Heure;Médecin\n9h;ORL\n10h;DMS", [], ["DMS"]),
        ("Heure;Nom IDE;IDE matin\n9h;FAV;DMS", [], ["FAV", "DMS"]),
        ("IDE, heure\nAM, 9h", [], []),
        ("IDE;Heure;FC\nAM;9h;80\nRAS;9h;80", [], ["AM"]),
        ("Heure;Signe;TA;FC\n08:00;HTA;15/9;80", [], []),
        ("Date;Heure;Soin;Visa\n3/4;08:00;VVP;OK", [], []),
        ("Date;Visa;Examen réalisé;Heure\n3/4;VB;PA;08h", [], ["VB"]),
        ("Date;Heure;Soin réalisé par\n3/4;08h;VB", [], ["VB"]),
        ("Heure;FC;TA;AS\n08h;SR;12/7;LMC", ["SR", "LMC"], ["LMC"]),
        ("Heure;FC;Patient PH\n08h;SR;NGO", ["SR", "NGO"], ["NGO"]),
    ],
)
def test_letters_in_columns_are_a_writers_or_a_measures(table: str, found: list[str], left: list[str]) -> None:
    mentions = [Mention(at, at + len(part), Label.PERSON) for part in found if (at := table.index(part)) >= 0]
    assert [table[one.start : one.end] for one in settle_exports(Reading(Document("d", table)), mentions)] == left


def test_a_cell_that_holds_the_patient_stays() -> None:
    at = TABLE.index("RHUMATO")
    vote = (Vote("identity", Label.PATIENT, 1.0),)
    assert settled(TABLE, at, "RHUMATO", Label.PATIENT, vote) == [(Label.PATIENT, "RHUMATO")]


def test_a_table_without_a_patient_s_column_is_no_export() -> None:
    text = "VILLE;STATUT;UF;CODE\nDIJON;HONORE;4410;12\n"
    assert settled(text, text.index("HONORE"), "HONORE", Label.PERSON) == [(Label.PERSON, "HONORE")]


@pytest.mark.parametrize(
    ("number", "label", "found"),
    [
        ("202111161519", Label.RPPS, (Label.DATE, "20211116")),
        ("202111161519", Label.DATE, (Label.DATE, "20211116")),
        ("20211116151960", Label.ID, (Label.ID, "20211116151960")),
        ("10101556610", Label.RPPS, (Label.RPPS, "10101556610")),
    ],
)
def test_the_day_of_a_timestamp_is_a_date(number: str, label: Label, found: tuple[Label, str]) -> None:
    assert settled(MESSAGE, MESSAGE.index(number), number, label) == [found]


def test_a_long_number_outside_of_a_message_stays() -> None:
    text = "dossier 202111161519 clos"
    assert settled(text, 8, "202111161519", Label.NDA) == [(Label.NDA, "202111161519")]


@pytest.mark.parametrize(
    ("part", "label", "found"),
    [
        ("DAU", Label.PERSON, []),
        ("SANDRINE", Label.PERSON, [(Label.PERSON, "SANDRINE")]),
        ("G_NORD", Label.DOCTOR, [(Label.ORG, "G_NORD")]),
        ("LESCURE", Label.DOCTOR, [(Label.DOCTOR, "LESCURE")]),
    ],
)
def test_the_code_of_a_kinship_and_the_hospital_of_a_stay_are_nobody(
    part: str, label: Label, found: list[tuple[Label, str]]
) -> None:
    text = "NK1|2|CHAUVET^SANDRINE|DAU^FILLE|^^MANZAT\nPV1|1|I|MIT2^214^02^G_NORD||||101^LESCURE\n"
    assert settled(text, text.index(part), part, label) == found


@pytest.mark.parametrize(("part", "kept"), [("ETT", False), ("FEVG", False), ("BERGERET", True)])
def test_headings_with_measures_head_an_export(part: str, kept: bool) -> None:
    text = "date_ex;type;operateur;nda;FEVG_%;GLS_%\n20190614;ETT;BERGERET;19037;58;-18\n"
    assert bool(settled(text, text.index(part), part, Label.PATIENT)) is kept


@pytest.mark.parametrize(
    ("part", "kept"),
    [("5540-6025", False), ("BS-4455", False), ("52H0931", True), ("TF-2207", True), ("5540-1111", True)],
)
def test_a_reference_of_a_catalogue_is_nobody_s_number_and_a_lot_is(part: str, kept: bool) -> None:
    text = (
        "Ligne ; Réf. ; Désignation ; Fabricant ; Lot ; Qté\n1 ; 5540-6025 ; vis ; Stryker ; 52H0931 ; 4\n"
        "2 ; BS-4455 ; allogreffe ; banque ; TF-2207 ; 1\n\nDossier 5540-1111\n"
    )
    assert settled(text, text.index(part), part, Label.ID) == ([(Label.ID, part)] if kept else [])


@pytest.mark.parametrize(
    ("text", "part", "kept"),
    [
        ("EVN|A02|||TRF", "TRF", False),
        ("PV1|1|I|MED|||||||DSC|", "DSC", False),
        ("PV1|1|I|MED||||DSC|", "DSC", True),
        ("NOM|DSC|", "DSC", True),
        ("PV1|1|I|MED|||||||LY|", "LY", True),
        ("PID|1||77||DSC^ANNE", "DSC", True),
        ("relu|DSC|", "DSC", True),
    ],
)
def test_letters_that_fill_a_field_of_a_message_are_a_code(text: str, part: str, kept: bool) -> None:
    assert bool(settled(text, text.index(part), part, Label.DOCTOR)) is kept


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("MSH|^~\\&|GLIMS|LABO_SUD|DXCARE|CH_NORD^1|2021", ["LABO_SUD", "CH_NORD"]),
        ("MSH|^~\\&|GLIMS|ZULMED|DXCARE", ["ZULMED"]),
        ("MSH|^~\\&|GLIMS|750100018|DXCARE||2021", []),
        ("ZSH|^~\\&|GLIMS|LABO_SUD|DXCARE|CH_NORD|2021", []),
    ],
)
def test_the_sender_and_the_receiver_of_a_message_are_organisations(header: str, found: list[str]) -> None:
    settled = settle_exports(Reading(Document("d", header)), [])
    assert [(one.label, header[one.start : one.end]) for one in settled] == [(Label.ORG, one) for one in found]


@pytest.mark.parametrize(
    ("text", "mention", "found"),
    [
        ("R;Ève;F;03300;CUSSET;121", ("CUSSET", Label.PATIENT), [(Label.ZIP, "03300"), (Label.CITY, "CUSSET")]),
        (
            "R|Ève|Lannion|22300",
            ("Ève", Label.PATIENT),
            [(Label.PATIENT, "Ève"), (Label.CITY, "Lannion"), (Label.ZIP, "22300")],
        ),
        ("plaquettes;12000;PARIS;fait", ("PARIS", Label.CITY), [(Label.CITY, "PARIS")]),
        ("12 rue Haute;03300;CUSSET nord", ("CUSSET nord", Label.ORG), [(Label.ORG, "CUSSET nord")]),
        ("03300;Cusset", ("03300;Cusset", Label.STREET), [(Label.STREET, "03300;Cusset")]),
        (
            "1 quai Haut;03300;Cusset",
            ("1 quai Haut;03300", Label.STREET),
            [(Label.STREET, "1 quai Haut;03300"), (Label.CITY, "Cusset")],
        ),
    ],
)
def test_cells_of_a_postal_code_and_its_town_are_both(
    text: str, mention: tuple[str, Label], found: list[tuple[Label, str]]
) -> None:
    part, label = mention
    assert settled(text, text.index(part), part, label) == found
