"""Numbers of clinical writing are dropped, with whatever label; what a label makes an identifier stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.annotators.patterns import Patterns
from deid.detection.annotators.patterns.contact import find_contacts
from deid.detection.detector import Detector
from deid.detection.refining.clinical_values import drop_values
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Vote
from deid.domain.labels import IDENTIFIERS, Label

NUMBERED = (*sorted(IDENTIFIERS), Label.PHONE, Label.ZIP)


def kept(text: str, part: str, label: Label, votes: tuple[Vote, ...] = (), score: float = 0.9) -> bool:
    """True if a mention of `part` stays, where the patterns have read the text."""
    reading = Reading(Document("d", text))
    reading.found["patterns"] = list(Patterns().annotate(reading))
    start = text.index(part)
    return bool(drop_values(reading, [Mention(start, start + len(part), label, score, None, votes)]))


@pytest.mark.parametrize(("text", "part", "label", "stays"), [
    ("naissance à trente neuf semaines", "trente neuf semaines", Label.AGE, False),
    ("née à Lyon à 39 semaines", "39 semaines", Label.AGE, False),
    ("césarienne à 37 semaines", "37 semaines", Label.AGE, False),
    ("accouchement à 38 semaines d'un garçon", "38 semaines", Label.AGE, False),
    ("prématuré de trente-deux semaines", "trente-deux semaines", Label.AGE, False),
    ("une grossesse de 20 semaines", "20 semaines", Label.AGE, False),
    ("IMG à 24 semaines", "24 semaines", Label.AGE, False),
    ("fausse couche à dix semaines", "dix semaines", Label.AGE, False),
    ("terme de 41 semaines", "41 semaines", Label.AGE, False),
    ("rupture vers 31 semaines", "31 semaines", Label.AGE, False),
    ("née à terme, vue à 6 semaines", "6 semaines", Label.AGE, True),
    ("née à terme et revue à 6 semaines", "6 semaines", Label.AGE, True),
    ("naissance d'un frère âgé de 6 semaines", "6 semaines", Label.AGE, True),
    ("nourrisson de 39 semaines", "39 semaines", Label.AGE, True),
    ("née à Lyon à 39 ans", "39 ans", Label.AGE, True),
    ("tél 15 min/j, sorties 2 h", "15", Label.PHONE, False),
    ("tel 20 mn le soir", "20", Label.PHONE, False),
    ("poste 12 jours et nuits", "12", Label.PHONE, False),
    ("poste 1215 jours ouvrés", "1215", Label.PHONE, True),
    ("appeler le 15", "15", Label.PHONE, True),
    ("D crép, O2 2 l 93. RP faite", "O2 2 l 93", Label.PHONE, False),
    ("O2 1,5 l 96", "O2 1,5 l 96", Label.PHONE, False),
    ("tél O2 21 42 l8 O5", "O2 21 42 l8 O5", Label.PHONE, True),
])  # fmt: skip
def test_weeks_of_a_pregnancy_minutes_and_flows_are_dropped(text: str, part: str, label: Label, stays: bool) -> None:
    assert kept(text, part, label) is stays


@pytest.mark.parametrize(("text", "part", "stays"), [
    ("sonde atriale CapSureFix Novus 5076-52 ; seuil 0,7 V", "5076-52", False),
    ("sonde atriale n° 5076-52 ; seuil 0,7 V", "5076-52", True),
    ("VD 6935M-62 impédance 620 ohms", "6935M-62", False), ("OD 7122-65, seuil 0,5 V", "7122-65", False),
    ("VG : 4574-53, vecteur bipolaire", "4574-53", False), ("dossier 4574-53 ; seuil 0,5 V", "4574-53", True),
    ("prélèvement 2023-45, détection d'ADN viral", "2023-45", True), ("VD 4574-53, détection 8 mV", "4574-53", False),
])  # fmt: skip
def test_the_model_of_a_lead_is_nobody_s_number(text: str, part: str, stays: bool) -> None:
    assert kept(text, part, Label.ID) is stays


@pytest.mark.parametrize(("text", "part", "stays"), [
    ("bb issoufi avec sa mere, 2 720.", "2", False), ("poids 3 150, taille 50", "3", False),
    ("joindre le poste 2 720", "2", True), ("au 2 720 12", "2", True),
])  # fmt: skip
def test_the_thousands_of_a_count_are_no_telephone(text: str, part: str, stays: bool) -> None:
    assert kept(text, part, Label.PHONE) is stays


@pytest.mark.parametrize("label", [Label.ID, Label.IPP, Label.PHONE, Label.ZIP])
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("plaquettes à 291000", "291000"),
        ("plaquettes : 291 000", "291 000"),
        ("leucocytes à 12 400/mm3", "12 400"),
        ("une thrombocytose à 618000/mm 3", "618000/mm"),
        ("Créatinine 85 µmol/L", "85"),
        ("béta-HCG revenant à 364491 mUI/mL", "364491"),
        ("TSH < 0,05 µUI/ml (0.35-4.98)", "0.35-4.98"),
        ("TSH < 0,05 µUI/ml (0.35-4.98)", "(0.35-4.98)"),
        ("dosée à 42 % (60-124)", "60-124"),
        ("dosée à 42 % (60-124)", "60"),
        ("Chlorures  98        mmol/L  98-107", "98-107"),
        ("Créatinine : 77 µmol/L\nRéférence : 45-104", "45-104"),
        ("Code ADICAP : BH95A7A0", "BH95A7A0"),
        ("vitamine B1 à 43 nmol/l (N = 67-200)", "67-200"),
        ("LDH à 757 UI/l (normale entre 200 et 450)", "200"),
        ("Hémoglobine      12,3   g/dL      12,0-16,0", "12,0-16,0"),
        ("carbamazépine, 600-1200 mg par jour", "600-1200"),
        ("pH 7,38, pCO2 40, pO2 85, HCO3 24", "85"),
        ("une saturation en O2 de 95 %", "O2 de 95"),
        ("facteur V 75 %", "75"),
        ("PA 140/90", "140/90"),
        ("acuité à 10/10", "10/10"),
        ("ménagère de 27 ans, G6P3023", "G6P3023"),
        ("mutation du gène de la prothrombine G201210A associée", "G201210A"),
        ("mutation V600E de BRAF", "V600E"),
        ("admise (art. L3212-3)", "L3212-3"),
        ("anticorps antinucléaires à 1/1280", "1/1280"),
        ("extraction de la 46", "46"),
        ("molaires temporaires (74-75)", "74-75"),
        ("CA 19-9 normal", "CA 19-9"),
        ("CA 125 normal", "CA 125"),
        ("exprimant le CD117", "CD117"),
        ("typage HLA : A23 A28 B8", "A23 A28 B8"),
        ("acte HHFA011", "HHFA011"),
        ("diagnostic principal I50.1", "I50.1"),
        ("Levothyrox 1-0-0", "1-0-0"),
        ("protocole 2RHZE/4RH", "2RHZE/4RH"),
        ("recherche de BK", "BK"),
        ("une chimiothérapie (type FEC)", "FEC"),
        ("poids de naissance 3250 g", "3250"),
        ("au 17ème jour", "17"),
        ("testostérone 100 ng/dL (vn 300-1200)", "300-1200"),
        ("C3 20 mg/dL (normale 60-120)", "60-120"),
        ("Vitamine B12\t132\tpmol/L\t150-600", "150-600"),
        ("TCA de 52'' (normal 25-35'')", "25-35"),
        ("GH: 0.032 ng /ml (VN: 0.030-2.47)", "0.030-2.47"),
        ("la CEC et le clampage : 106 et 26 minutes", "106"),
        ("biologie : LDH 2408 ;", "LDH 2408"),
        ("trisomie du locus en 1q21", "1q21"),
        ("100 mCi d'I131", "I131"),
        ("Glasgow E3V2M4", "E3V2M4"),
        ("ganglions : 18N-/18N", "18N-/18N"),
        ("une densité de 42UH", "42UH"),
        ("guidée par la sonde (signal 9 800)", "9 800"),
        ("activité 12 450 puis fixation", "12 450"),
        ("seuils OD 20-25-35-50-65-70 (OG meilleure)", "20-25-35-50-65-70"),
        ("redons 120/80/30/0", "120/80/30/0"),
        ("biberons 6x120-7x120", "6x120-7x120"),
        ("dents 11 21 23 46 48 absentes", "11 21 23 46 48"),
    ],
)
def test_values_are_no_identifiers(text: str, part: str, label: Label) -> None:
    assert not kept(text, part, label) or (label in (Label.PHONE, Label.ZIP) and not any(map(str.isdigit, part)))


@pytest.mark.parametrize(
    ("text", "part", "stays"),
    [
        ("Alouette : âge lexique inférieur à 6 ans 6 mois", "6 ans 6 mois", False),
        ("âge osseux de 7 ans", "7 ans", False),
        ("à 12 mois, soit 9 mois d'âge corrigé", "9 mois", False),
        ("à 12 mois, soit 9 mois d'âge corrigé", "12 mois", False),
        ("L'âge osseux, lu par un confrère, est celui d'un garçon de onze ans.", "onze ans", False),
        ("Un langage proche de celui d'une enfant de 3 ans", "3 ans", False),
        ("Tri : FRENCH 2B", "2", False),
        ("âge : 45 ans", "45 ans", True),
        ("à 12 mois, soit trop tôt", "12 mois", True),
        ("suivi du développement d'un enfant de 4 ans", "4 ans", True),
        ("mère d'une fille de 4 ans", "4 ans", True),
    ],
)
def test_an_age_that_a_test_or_a_correction_gives_is_a_value(text: str, part: str, stays: bool) -> None:
    assert kept(text, part, Label.AGE) is stays


@pytest.mark.parametrize(
    ("text", "part", "stays"),
    [
        ("(CIP13 3400930085370)", "3400930085370", False),
        ("(CIP13 3400930085370)", "CIP13 3400930085370", False),
        ("ELIQUIS 5 mg 3400930085370", "3400930085370", False),
        ("ELIQUIS 5 mg 3400930085371", "3400930085371", True),
        ("code CIP : 3008537", "3008537", False),
        ("CIP 3008537, 3577056", "3577056", False),
        ("UCD 9385361", "9385361", False),
        ("Code UCD n° 3400893853610", "3400893853610", False),
        ("[CIS 60019927] SOLIAN", "60019927", False),
        ("60019927 - SOLIAN 100 mg", "60019927", False),
        ("60019927, suivie par M. Solian", "60019927", True),
        ("12/01/21    9281314    SOLIRIS 300 mg", "9281314", False),
        ("12/01/21    9281314    DUPRAZ Lucie", "9281314", True),
        ("12/01/21    8281314    SOLIRIS 300 mg", "8281314", True),
        ("IPP 9281314 SOLIRIS 300 mg", "9281314", True),
        ("CIP 34009 300 853 70", "34009 300 853 70", False),
        ("CIP : 34009-300-853-7-0", "CIP : 34009-300-853-7", False),
        ("CIP13 34009 3008 5370", "34009 3008 5370", False),
        ("AMM 34009 300 853 7 0", "AMM 34009 300 853 7 0", False),
        ("boîte de 30, 34009 300 853 7 0", "34009 300 853 7 0", False),
        ("boîte de 30, 34009 300 853 7 1", "34009 300 853 7 1", True),
        ("(UCD13 : 34008 945 588 39)", "34008 945 588 39", False),
        ("CIP 300853-7, 2 boîtes", "300853-7", False),
        ("CIP7 : 300 853-7", "300 853-7", False),
        ("UCD 9 245 566", "9 245 566", False),
        ("UCD 924556 6", "UCD 924556 6", False),
        ("code_ucd : 9245566", "9245566", False),
        ("codeUCD : 9245566", "9245566", False),
        ("code CIS 6 001 992 7", "CIS 6 001 992 7", False),
        ("CIS : 6001 9927", "6001 9927", False),
        ("spécialité 60019927 (CIS)", "60019927", False),
        ("3008537 [CIP7]", "3008537", False),
        ("9245566 [UCD], 2 boîtes", "9245566", False),
        ("PETIT Jean 3008537 UCD", "3008537", True),
        ("Hospitalisé 60019927 CIS", "60019927", True),
        ("3008537 CIP 3400930085370", "3008537", True),
        ("dossier 60019927 (CIS)", "60019927", True),
        ("Mme DURAND 60019927 CIS du col", "60019927", True),
        ("M. DUPONT Jean 3845177 UCD lit 12", "3845177", True),
        ("Patient 6001992 (CIP7)", "6001992", True),
        ("CIP 300 853-7 / 1234567 Mme DURAND", "1234567", True),
        ("code 3 40 08 75 012 003", "3 40 08 75 012 003", True),
        ("CIP 300 853-7, 0384517720", "0384517720", True),
        ("CIP 34009 300 853 70 03 84 51 77 20", "03 84 51 77 20", True),
        ("CIP 34009 300 853 70 03 84 51 77 20", "34009 300 853 70 03 84 51 77 20", True),
        ("CIP 03 84 51 77 20", "03 84 51 77 20", True),
        ("CIP 0 384 517 720", "0 384 517", True),
        ("0384517720 (CIP)", "0384517720", True),
        ("UCD 2 81 02 39 013 012 24", "2 81 02 39 013 012 24", True),
        ("UCD 1-03-2026", "1-03-2026", True),
        ("CIS 20019927", "20019927", True),
        ("CIS 0612984403", "0612984403", True),
        ("CIP 281023901301224", "281023901301224", True),
        ("IPP 60019927 SOLIAN 100 mg", "60019927", True),
        ("N° de sécurité sociale : 3400930085370", "3400930085370", True),
        ("IPP : 3400930085370", "3400930085370", True),
        ("dossier 60019927", "60019927", True),
    ],
)
@pytest.mark.parametrize("label", [Label.ID, Label.NIR])
def test_the_code_of_a_drug_is_no_number_of_a_person(text: str, part: str, label: Label, stays: bool) -> None:
    assert kept(text, part, label) is stays


def test_one_digit_is_no_postal_code() -> None:
    assert not kept("descente de la brèche, névé, 2 700", "2", Label.ZIP)
    assert kept("02700 Tergnier", "02700", Label.ZIP)


@pytest.mark.parametrize(
    ("text", "part", "stays"),
    [
        ("Formule : 18 17 15 – 13 12 11 / 48 46 45", "18 17 15", False),
        ("Formule : 18 17 15 – 13 12 11 / 48 46 45", "13 12 11 / 48 46 45", False),
        ("poste 18 17 15", "18 17 15", True),
        ("Sec. 18 17 15 69 71", "18 17 15 69 71", True),
    ],
)
def test_teeth_are_no_telephone(text: str, part: str, stays: bool) -> None:
    assert kept(text, part, Label.PHONE) is stays


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("IPP : 12345678", "12345678"),
        ("NIP : 12345678", "12345678"),
        ("IPP 4512 g", "4512"),
        ("NDA : 60-124", "60-124"),
        ("Tél : 02 61 91 00 12", "02 61 91 00 12"),
        ("poste 4471", "4471"),
        ("bip 307", "307"),
        ("lot AHBVC", "AHBVC"),
        ("hélico immatriculé F-HBGZ", "F-HBGZ"),
        ("NIR 2 68 07 99 335 148 61", "2 68 07 99 335 148 61"),
        ("échantillon n° 22-18", "22-18"),
        ("allocataire n° 2 345 678 L", "2 345 678 L"),
        ("lot K 1184", "K 1184"),
        ("poche V600E", "V600E"),
        ("dossier L3212-3", "L3212-3"),
        ("IPP 500177204, 72 kg", "500177204"),
        ("02 61 91 00 12 g", "02 61 91 00 12"),
    ],
)
@pytest.mark.parametrize("label", [Label.ID, Label.IPP, Label.PHONE])
def test_numbers_that_a_label_or_their_form_announces_stay(text: str, part: str, label: Label) -> None:
    assert kept(text, part, label)


@pytest.mark.parametrize(
    ("text", "part", "stays"),
    [
        ("ferritine : 2015 µg/l", "2015", False),
        ("lavage 2000 ; morphine", "2000", False),
        ("entrées 2050 sorties 1980", "1980", False),
        ("sortie 1980", "1980", True),
        ("EEG 9-10 Hz", "9-10", False),
        ("Infarctus 10/15 segments", "10", False),
        ("IVT, T&E 8-10-12 s", "8-10-12", False),
        ("vu le 8-10-12 min après", "8-10-12", True),
        ("prédnisone 20-20-15-15-10-5", "20", False),
        ("les 12-13-14-15 mars", "12-13-14-15", True),
        ("TA (bras D) 14/8 13/7 15/9 14/9", "13/7", False),
        ("TA prise. Vu 14/8 13/7", "13/7", True),
        ("consultations 14/8 13/7 15/9", "13/7", True),
        ("leucocytes 2010", "2010", False),
        ("LDH = 1998", "1998", False),
        ("BNP  1998   0-400", "1998", False),
        ("jumeau de 1980 gr", "1980", False),
        ("opéré en 2015 à Brest", "2015", True),
        ("irradiation au bras, EN 8/10, sueurs", "8/10", False),
        ("revu en 8/10 puis perdu de vue", "8/10", True),
        ("PTH 2017", "2017", True),
        ("une EVA entre 20 et 30", "20", False),
        ("EVA le 20 mars", "20", True),
        ("bicarbonate 36 mmol/l ; normale jusqu'à 28", "28", False),
        ("arrêt jusqu'à 28", "28", True),
        ("une température entre 30 et 37 °C", "30", False),
        ("T3: 3.07 pg/ml (2.30-4.20); T4:0.75 pg/ml (0.93-1.70)", "2.30-4.20", False),
        ("prolactine 10.40 (VN: 4.04-15.20)", "4.04-15.20", False),
        ("hospitalisé 2.03-4.05", "2.03-4.05", True),
        ("délétion 22q11", "22q11", False),
        ("le 25-OH vitamine D3", "25-OH", False),
        ("le 25-OH-vitamine D3", "25-OH", False),
        ("des chiffres tensionnels élevés 18/9", "18/9", False),
        ("une résection 7/8 puis contrôle", "7/8", False),
        ("une résection le 7/8", "7/8", True),
        ("hémoglobine 2019 : 12", "2019", True),
        ("selon la classification OMS 2016", "2016", False),
        ("DFG estimé selon CKD-EPI 2009 ;", "2009", False),
        ("critères de l'ACR 1987", "1987", False),
        ("IRM 2016", "2016", True),
        ("AVC 2012", "2012", True),
        ("acuité de 10/10 à droite", "10/10", False),
        ("Apgar estimé respectivement à 8/10 et 10/10", "10/10", False),
        ("2/10 à l'œil gauche", "2/10", False),
        ("EVA revue le 2/10", "2/10", True),
        ("TA 12/8 ce matin", "12/8", False),
        ("TA prise le 12/8", "12/8", True),
        ("TA av/ap | 74,2 | 18/9 - 14/8 |", "18/9", False),
        ("TA av/ap | 74,2 | 18/9 - 14/8 |", "14", False),
        ("TA av/ap, absent du 12/7 - 18/8", "12/7", True),
        ("TA av/ap, fermé 20/12 - 13/3", "20/12", True),
        ("vu du 18/9 - 14/8", "18/9", True),
        ("MMS 12/11 : 13", "12/11", True),
        ("le 1/3 supérieur", "1/3", False),
        ("les 2/3 de la cuisse", "2/3", False),
        ("vu le 1/3 à 14 h", "1/3", True),
        ("les 2/3 et 5/3", "2/3", True),
        ("les échographies du 2 ème trimestre", "2", False),
        ("décès d'un jumeau le 1er jour", "1er", False),
        ("sorti le 21 ème jour", "21", False),
        ("chute de la 12 eme dent", "12 eme", False),
        ("revue le dix-septième jour", "dix-septième", False),
        ("vu le 1er avec sa fille", "1er", True),
        ("la 15, la 26 et la 47", "26", False),
        ("vu le 26 et le 47", "26", True),
        ("reconstruction en 3 dimensions", "3", False),
        ("méthotrexate 10 mg le mercredi et le dimanche", "mercredi", False),
        ("méthotrexate 10 mg le mercredi et le dimanche", "dimanche", False),
        ("2 cp mercredi et dimanche", "mercredi et dimanche", False),
        ("alendronate 70 mg, une fois par semaine le lundi", "lundi", False),
        ("revu lundi, Kardegic 75 mg", "lundi", True),
        ("douleurs depuis lundi", "lundi", True),
        ("Hb le 12/02/2020 : 9 g/dl", "12/02/2020", True),
        ("| 12/02/2020 | 9 g/dl |", "12/02/2020", True),
        ("Apgar 8/10 à la 1ère minute et 10/10 à la 5ème minute", "10/10", False),
        ("revu le 10/10 à la maternité", "10/10", True),
        ("score ASIA : psoas 4/4, quadriceps 4/3, releveurs 2/1", "4/3", False),
        ("deltoïde 5/4, biceps 4/3, triceps 3/2 à droite", "3/2", False),
        ("ischio-jambiers D/G 3/2", "3/2", False),
        ("flexion dorsale 3/2, éversion 2/1", "2/1", False),
        ("pouls fémoraux 2/2, pédieux 2/1", "2/1", False),
        ("ROT : rotuliens 3/1", "3/1", False),
        ("grand fessier à 4/3", "4/3", False),
        ("MRC à l'entrée 4/3", "4/3", False),
        ("abcès du psoas drainé le 4/3, contrôle 5/4", "5/4", True),
        ("abcès du psoas drainé le 4/3", "4/3", True),
        ("IRM des psoas 14/3", "14/3", True),
        ("consultation 4/3, IRM 5/4", "5/4", True),
        ("PCA morphine 1/7/20", "1/7/20", False),
        ("PCEA ropivacaïne : 5-6-20", "5-6-20", False),
        ("PCA arrêtée le 1/7/20", "1/7/20", True),
        ("PCA 12/03/2020", "12/03/2020", True),
        ("PCA 01/02/20", "01/02/20", True),
        ("Laroxyl gouttes 10-0-15", "10-0-15", False),
        ("né le 10-08-15", "10-08-15", True),
        ("IRM 3T ce jour", "3", False),
        ("IRM 3 et 4 mai", "3", True),
        ("grille vers. 3.2", "3.2", False),
        ("vers le 3.2", "3.2", True),
        ("CRP 12/02 : 85 mg/l", "12/02", True),
        ("12/2017 : 85 mg/l", "12/2017", True),
    ],
)
def test_dates_and_what_looks_like_one(text: str, part: str, stays: bool) -> None:
    assert kept(text, part, Label.DATE) is stays


@pytest.mark.parametrize(
    ("text", "part", "stays"),
    [
        ("hyperleucocytose à 14510/mm3", "14510", False),
        ("amikacine 15mg/Kg", "Kg", False),
        ("amikacine 15 mg par Kg/jour", "Kg", False),
        ("fait le 14/6, cg", "cg", True),
        ("60 Gray en 30 fractions", "Gray", False),
        ("vu par Gray", "Gray", True),
        ("traitée par 2RHZ/4RH", "2RHZ/4RH", False),
        ("vu par Kg", "Kg", True),
        ("lit 12", "12", True),
    ],
)
def test_a_value_or_its_unit_is_no_name(text: str, part: str, stays: bool) -> None:
    assert kept(text, part, Label.DOCTOR) is stays


@pytest.mark.parametrize(
    ("text", "part", "sure", "doubted"),
    [
        ("objectif 70-180", "70-180", True, False),
        ("dossier 70-180", "70-180", True, True),
        ("suivi sous 180-70", "180-70", True, True),
        ("poids J1 3200 J2 3050 J3 3010 ; PC 35", "3050 J3 3010", True, False),
        ("IPP J2 3050 J3 3010", "J2 3050 J3 3010", True, True),
        ("isocinétique 112/98 180°/s 84/70", "84/70", True, False),
        ("NIBP 112/62 98/55 88/48", "112/62 98/55 88/48", True, False),
        ("n° 84/70", "84/70", True, True),
        ("couple 42/58/61/77", "42/58/61/77", True, False),
        ("dossier 10-20-30-40", "10-20-30-40", True, True),
        ("joindre 45-12-78-33", "45-12-78-33", True, True),
        ("PAM 70-75-68 ; pupilles", "70-75-68", True, False),
        ("vu. 70-75-68, sortie", "70-75-68", True, True),
        ("lact 1.2-0.9-0.8", "1.2-0.9-0.8", True, False),
        ("OD 15-20-25-40 OG 20-20-30-45", "15-20-25-40 OG 20-20-30-45", False, False),
        ("BIP 92 PC 330 PA 325", "92 PC 330 PA 325", True, False),
        ("bip 4512 poste 330", "4512 poste 330", True, True),
    ],
)
def test_a_row_that_nothing_announces_is_a_value_where_annotators_doubt(
    text: str, part: str, sure: bool, doubted: bool
) -> None:
    assert [kept(text, part, Label.ID, score=score) for score in (0.9, 0.5)] == [sure, doubted]


@pytest.mark.parametrize("town", ["75012 Paris", "37000 Tours", "72550 Degré", "69210 L'Arbresle"])
def test_a_postal_code_stays_before_its_town(town: str) -> None:
    assert kept(f"12 rue des Lilas, {town}", town[:5], Label.ZIP)


def test_an_identity_wins() -> None:
    assert kept("plaquettes à 291000", "291000", Label.IPP, (Vote("identity", Label.IPP, 1.0),))


@given(
    st.integers(1, 9_999_999),
    st.sampled_from(["mg", "g/dl", "µmol/L", "mmHg", "%", "UI/l", "/mm3", "ml/min", "kg", "gouttes"]),
    st.sampled_from(NUMBERED),
)
def test_a_number_with_a_unit_is_a_value_unless_its_label_stands_before_it(value: int, unit: str, label: Label) -> None:
    assert not kept(f"dosage à {value} {unit} ce jour", str(value), label)
    assert kept(f"IPP : {value + 1_000_000} {unit}", str(value + 1_000_000), label)


@given(
    st.integers(0, 99_999_999), st.sampled_from([" ", ".", "-", ""]), st.sampled_from(["", " g", " mg", " %", " /j"])
)
def test_a_telephone_number_is_never_a_value(digits: int, sign: str, unit: str) -> None:
    written = f"06{digits:08d}"
    written = sign.join(written[at : at + 2] for at in range(0, 10, 2))
    assert kept(f"Tél : {written}{unit}", written, Label.PHONE)
    assert kept(f"joindre au {written}{unit}", written, Label.PHONE)


@pytest.mark.parametrize(
    "text",
    [
        "Biologie : plaquettes à 291000, leucocytes 12 400/mm3, CRP 85 mg/l, TSH 0,05 µUI/ml (0.35-4.98).",
        "Gaz du sang : pH 7,38, pCO2 40 mmHg, pO2 85 mmHg, HCO3- 24 mmol/l, SaO2 95 %.",
        "Marqueurs tumoraux (ACE, CA 19-9, CA 125) négatifs, CD117 positif.",
        "PA 140/90 mmHg, acuité visuelle 10/10 à droite et 8/10 à gauche, Glasgow 15.",
        "Extraction de la 36 et de la 46.",
        "Méthotrexate 10 mg le mercredi et le dimanche.",
    ],
)
def test_values_reach_the_end_untouched(detector: Detector, text: str) -> None:
    (found,) = detector.detect([Document("d", text)])
    assert [text[mention.start : mention.end] for mention in found] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Échographie. BIP 85 mm, PC 310 mm, LF 62 mm", []),
        ("Biométries : BIP 32, PC 120, LF 20", []),
        ("BIP : 8,5 cm, EPF 2100 g", []),
        ("Joignable au BIP 4512", ["4512"]),
        ("Interne de garde bip 47", ["47"]),
        ("bip 06 12 34 56 78, écho : LF 62 mm", ["06 12 34 56 78"]),
        ("0611223344-0622334455", ["0611223344", "0622334455"]),
        ("06-11-22-33-44 / 06.22.33.44.55", ["06-11-22-33-44", "06.22.33.44.55"]),
        ("0611223344-06223344", ["0611223344"]),
    ],
)
def test_pagers_and_telephones_but_no_diameter(text: str, found: list[str]) -> None:
    mentions = find_contacts(Reading(Document("d", text)))
    assert sorted({text[one.start : one.end] for one in mentions}) == found


@pytest.mark.parametrize("label", [Label.ID, Label.PHONE, Label.NIR])
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Jambe 3.71 1.722 8.629", "3.71 1.722 8.629"),
        ("axe 0.5 1 1.5 2 2.5 3 3.5 4", "0.5 1 1.5 2 2.5 3 3.5 4"),
        ("Fib 2.50 3.1 4.5 5.2 -6.2 -7.7 8.8", "2.50 3.1 4.5 5.2 -6.2 -7.7 8.8"),
        ("Échelle 1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 8 9"),
        ("Réfraction : OD +1.75(-1)145", "+1.75(-1)145"),
        ("OG -2,25 (-0,50) 30°", "-2,25 (-0,50) 30"),
    ],
)
def test_decimal_numbers_in_a_row_scales_and_refractions_go(text: str, part: str, label: Label) -> None:
    assert not kept(text, part, label)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Contact 01.42 21.32 74", "01.42 21.32 74"),
        ("appeler le 24 31 50 12", "24 31 50 12"),
        ("Tel 1 2 3 4 5", "1 2 3 4 5"),
        ("joindre au 1.50 2.60 3.70", "1.50 2.60 3.70"),
        ("Contact +33 1 75 (0) 14 55", "+33 1 75 (0) 14 55"),
    ],
)
def test_numbers_of_telephones_in_such_forms_stay(text: str, part: str) -> None:
    assert kept(text, part, Label.PHONE)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("appeler au poste 7 421", "7 421"),
        ("dossier 9 800", "9 800"),
        ("réf. 12 450", "12 450"),
        ("n° 4 320", "4 320"),
        ("lu le 6 12 340 56", "12 340"),
        ("0 800 rappel", "0 800"),
        ("cellule identité (B. Pruvot, 71 440)", "71 440"),
    ],
)
def test_thousands_behind_a_word_for_a_number_of_somebody_are_one(text: str, part: str) -> None:
    assert kept(text, part, Label.ID)


@pytest.mark.parametrize(
    ("text", "part", "stays"),
    [
        ('"84,1";"4200";"191/104";"1,41"', "191/104", False),
        ('"84,1";"4200";"98/54";"1,41"', "98/54", False),
        ("douleur E.V.A. 7/10", "7/10", False),
        ("empan 4/5", "4/5", False),
        ("KINE LE LUNDI ET LE JEUDI.", "JEUDI", False),
        ("Bactrim lundi-mercredi-vendredi.", "vendredi", False),
        ("Dialyse MARDI JEUDI SAMEDI SOIR", "JEUDI", False),
        ("séances lun mer ven 14 h", "lun mer ven", False),
        ("Alésage jusqu'au treize, clou de onze", "treize", False),
        ("On dilate la sténose jusqu'au 18.", "18", False),
        ("Réséqué jusqu'au quarante-cinq", "quarante-cinq", False),
        ("BiPAP 16/7 bien tolérée", "16/7", False),
        ("cst 12/8 88 37,4", "12/8", False),
        ("hospitalisé lundi mardi 12 mai", "lundi", True),
        ("arrêt jusqu'au treize", "treize", True),
        ("dilatation, hospitalisée jusqu'au 18 mars", "18", True),
        ("dilatation du 18", "18", True),
        ("VNI 14/6 au 16/6", "14/6", True),
        ("VNI 12/06", "12/06", True),
        ("revue 12/8 88 rue Haute", "12/8", True),
        ("Chute samedi dimanche dernier.", "samedi", True),
        ("Revu en consultation mercredi jeudi.", "mercredi", True),
        ("Hospitalisé lundi mardi puis sorti", "lundi", True),
        ("Examinée par l'IDE mardi vendredi", "mardi", True),
        ("Dialyse lundi mercredi vendredi dernier", "lundi", True),
        ("Fièvre jeudi vendredi samedi", "jeudi", True),
        ("orthophonie mardi vendredi", "mardi vendredi", False),
        ("Date  Pouls  T°\n12/7 80 36,8\n13/8 72 37,1", "12/7", True),
        ("Date  Pouls  T°\n12/7 80 36,8\n13/8 72 37,1", "13/8", True),
        ("Vu le 13/8 72 36,9", "13/8", True),
        ("Sortie le 12/7 80 ans 36,8", "12/7", True),
        ("constantes stables\n14/9 76 37,2", "14/9", True),
        ("cst du 11/7 76 37,2", "11/7", True),
        ("Constantes : 14/9 76 37,2", "14/9", False),
        ("Arrêt de la VNI 12/5", "12/5", True),
        ("Début de la VNI 12/5 au domicile", "12/5", True),
        ("Sortie VNI 12/5", "12/5", True),
        ("Début BiPAP 14/5, retrait 18/5", "14/5", True),
        ("Sevrée de la VNI 11/4", "11/4", True),
        ("Installation BiPAP 15/6", "15/6", True),
        ("Bilan de sortie : VNI 15/6", "15/6", True),
        ("Arrêt du Lasix. VNI 15/6", "15/6", False),
        ("revu le lundi et le jeudi 6 mai", "lundi", True),
        ("revu le 31/12 et le 12/21", "31/12", True),
        ("revu le 31/12 et le 12/21", "12/21", True),
        ("du 28/30 mars", "28/30", True),
    ],
)
def test_numbers_and_days_of_no_calendar(text: str, part: str, stays: bool) -> None:
    assert kept(text, part, Label.DATE) is stays


@pytest.mark.parametrize(
    ("text", "part", "label", "stays"),
    [
        ("cst 13/8 96 36,9, calme", "13/8 96 36", Label.PHONE, False),
        ("QB 300, PV 180 , PA-190 alarme", "180", Label.ID, False),
        ("QB 300, PV 180 , PA-190 alarme", "PA-190", Label.ID, False),
        ("PA-180 PV170 QB280", "PV170 QB280", Label.ID, False),
        ("Bilan J100 prévu", "J100", Label.ID, False),
        ("mardi série AM", "AM", Label.ID, False),
        ("col. fixe (largeur 78)", "78", Label.PHONE, False),
        (
            "appelé l'étage dlp six cent quatre vingt dix signé",
            "dlp six cent quatre vingt dix signé",
            Label.PHONE,
            False,
        ),
        ("prévenir l'interne saturation quatre vingt dix sept", "quatre vingt dix sept", Label.PHONE, False),
        ("procès-verbal 2019 PV 12345", "12345", Label.ID, True),
        ("N° dossier J100", "J100", Label.ID, True),
        ("rappeler poste quatre cent quatre vingt douze", "quatre cent quatre vingt douze", Label.PHONE, True),
        ("connu sous le quatre cent douze mille dix sept", "quatre cent douze mille dix sept", Label.IPP, True),
        ("patient six cent quatre vingt dix", "six cent quatre vingt dix", Label.IPP, True),
        ("joindre au bloc cinquante deux trente t", "cinquante deux trente t", Label.PHONE, True),
        ("rappeler poste quatre cent douze", "poste quatre cent douze", Label.PHONE, True),
        ("appeler le quarante deux vingt trois", "quarante deux vingt trois", Label.PHONE, True),
        ("IDE MARDI JEUDI", "MARDI JEUDI", Label.DOCTOR, False),
        ("Mme Mardi Jeudi", "Mardi Jeudi", Label.PERSON, True),
    ],
)
def test_settings_rows_and_numbers_in_words_are_nobody_s(text: str, part: str, label: Label, stays: bool) -> None:
    assert kept(text, part, label) is stays


@pytest.mark.parametrize("label", [Label.ID, Label.NDA])
@pytest.mark.parametrize(("text", "part", "stays"), [
    ("Bilan du 3e mois. KOOS-PS 55/100 ce jour", "KOOS-PS 55/100", False),
    ("reprise. EQ-5D : 70/100, se dit gêné", "EQ-5D : 70/100", False),
    ("un prélèvement. SPADI 32/100 à droite", "SPADI 32/100", False),
    ("ce jour NPI-R 22/30", "NPI-R 22/30", False),
    ("dossier KOOS-PS 55/100", "KOOS-PS 55/100", True),
    ("réf. KOOS-PS 55/100", "KOOS-PS 55/100", True),
    ("prélèvement KOOS-PS 55/100", "KOOS-PS 55/100", True),
    ("KOOS-PS 455/100", "KOOS-PS 455/100", True),
    ("KOOS-PS 55/100-22", "KOOS-PS 55/100", True),
    ("JM 55/100", "JM 55/100", True),
    ("affaire suivie, TGR 12/20", "TGR 12/20", True),
])  # fmt: skip
def test_letters_of_a_scale_and_its_score_are_no_number(text: str, part: str, stays: bool, label: Label) -> None:
    assert kept(text, part, label) is stays
