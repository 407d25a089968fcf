"""Days, ages, places, logins and sectors that only their frame announces come in; other words in it do not."""

from __future__ import annotations

import re

import pytest

from deid.detection import Detector
from deid.detection.refining.framed_values import find_framed_values, trim_days
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import Label

AGE = re.compile(r"\d+ ans")


def found(text: str) -> list[tuple[Label, str]]:
    """Return what frames add to the ages in years of a text."""
    given = [Mention(*match.span(), Label.AGE, 0.9) for match in AGE.finditer(text)]
    return [(one.label, text[one.start : one.end]) for one in find_framed_values(Reading(Document("d", text)), given)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Coronarographie du 4 jointe", "4"),
        ("RAI du 23 valables, groupe vérifié", "23"),
        ("NFS du 12 normale", "12"),
        ("scanner du 17 : pas de lésion", "17"),
        ("IRM cérébrale du 8 à relire", "8"),
        ("ECG du 30 inchangé", "30"),
        ("échographie du 2 rassurante", "2"),
        ("prélèvements du 6 stériles", "6"),
        ("Radio du 11.", "11"),
        ("bilan du 24 joint", "24"),
        ("hémocultures du 31 positives", "31"),
        ("fibroscopie du 9", "9"),
    ],
)
def test_the_day_of_an_examination(text: str, day: str) -> None:
    assert found(text) == [(Label.DATE, day)]


@pytest.mark.parametrize(
    "text",
    [
        "reprise du 2 en deux comprimés",
        "nodule du 4 de 8 mm",
        "fracture du 5 métacarpien",
        "fracture du 5e rayon",
        "radio du 3 doigt droit",
        "bilan du 4 au 8",
        "scanner du 45 jours",
        "scanner du 12 mars",
        "radio du 12/03",
        "bilan du 2.5 mg",
        "série du 7 normale",
        "scanner du 1er jour",
    ],
)
def test_a_number_behind_another_word_is_no_day(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("(Manutahi, 7 ans ; Heimiti, 4) par visio", ["4"]),
        ("(Lucas, 9 ans ; Zoé, 6)", ["6"]),
        ("trois enfants : Léa, 12 ans, Tom, 9, et", ["9"]),
        ("Anne, 40 ans ; Marie-Jo, 38 ;", ["38"]),
        ("père décédé à 71 ans (AVC), mère 76 diabète", ["76"]),
        ("père mort à 60 ans, frère 52 hypertendu", ["52"]),
        ("mère 81 ans, soeur 44, asthme", ["44"]),
        ("mari 66 diabétique, fils 30 ans", ["66"]),
        ("mère 76 kg, père 80 ans", []),
        ("frère 12 mg, père 80 ans", []),
        ("mère 76 diabète", []),
        ("Lucas, 9 ans ; Zoé, 6 kg", []),
        ("Lucas, 9 ans ; Doliprane 4 par jour", []),
        ("patient de 70 ans ; TA, 12", []),
    ],
)
def test_ages_without_a_unit(text: str, ages: list[str]) -> None:
    assert [value for label, value in found(text) if label is Label.AGE] == ages


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("accident de Yamaha à la Capte dans la nuit", ["Capte"]),
        ("il vit à la Grondelle, sans voisins", ["Grondelle"]),
        ("chute au Pertuizet en vélo", ["Pertuizet"]),
        ("elle loge aux Ulmières depuis mai", ["Ulmières"]),
        ("trouvé à la Peyrade par les pompiers", ["Peyrade"]),
        ("vacances à la Tranchette en juillet", ["Tranchette"]),
        ("retour à la Fourcadie ce soir", ["Fourcadie"]),
        ("habite à la Bégude avec sa fille", ["Bégude"]),
        ("domiciliée aux Aygalons", ["Aygalons"]),
        ("plage de sable à la Madrelle", ["Madrelle"]),
        ("pêcheur de la tribu de Hunöj", ["Hunöj"]),
        ("avant : ferme du Mazel, seul", ["Mazel"]),
        ("s'est endormi sur I'aire de\nSargé il y a deux mois", ["Sargé"]),
        ("panne à l'aire de repos de Villeroy-Lès, seul", ["Villeroy-Lès"]),
        ("lésion étendue sur l'aire de Broca à gauche", []),
        ("mesuré sur l'aire de Rolando", []),
        ("jouait sur l'aire de Jeux", []),
        ("ferme du Bloc", []),
        ("retour à la Maison", []),
        ("chute au Bloc opératoire", []),
        ("vit à la Campagne", []),
        ("passage à la Grondelle", []),
        ("chute au DZXR", []),
        ("retour au Lasilix 40", []),
        ("accident aux Urgences", []),
        ("douleur à la Capte", []),
    ],
)
def test_a_place_by_its_article(text: str, places: list[str]) -> None:
    assert [value for label, value in found(text) if label is Label.LOC] == places


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("23 valables", "23"),
        ("4 jointe", "4"),
        ("le 12 normale", "12"),
        ("23 mars", "23 mars"),
        ("le 4 septembre", "le 4 septembre"),
        ("5 sept", "5 sept"),
        ("12 lundi", "12 lundi"),
        ("3 mars 2020", "3 mars 2020"),
        ("45 valables", "45 valables"),
        ("samedi 6,4", "samedi"),
        ("lundi 12,5 mg/l", "lundi"),
        ("jeudi 8,9 et 10 mai", "jeudi 8,9 et 10 mai"),
    ],
)
def test_a_day_goes_without_the_word_behind(written: str, kept: str) -> None:
    text = f"RAI du {written}, groupe"
    (one,) = trim_days(Reading(Document("d", text)), [Mention(7, 7 + len(written), Label.DATE, 0.9)])
    assert text[one.start : one.end] == kept


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("je vous souhaite une bonne année.", "bonne année"),
        ("Bonne et heureuse année à tous", "Bonne et heureuse année"),
        ("Bonne rentrée !", "Bonne rentrée"),
        ("seul pendant les fêtes de fin d'année", "fêtes de fin d'année"),
    ],
)
def test_the_time_of_a_wish(text: str, time: str) -> None:
    assert found(text) == [(Label.DATE, time)]


@pytest.mark.parametrize("text", ["une bonne année de recul", "bonne année d'étude", "la rentrée est bonne"])
def test_a_good_year_of_something_is_no_wish(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "login"),
    [
        ("Login MDUP", "MDUP"),
        ("Login : MDUP", "MDUP"),
        ("Utilisateur : MDUP nuit", "MDUP"),
        ("Édité le 3 par UTILISATEUR : DUPONTM12", "DUPONTM12"),
        ("utilisateur : mdup12", "mdup12"),
        ("User: KLEGO", "KLEGO"),
    ],
)
def test_the_login_of_whoever_wrote(text: str, login: str) -> None:
    assert found(text) == [(Label.ID, login)]


@pytest.mark.parametrize(
    "text",
    [
        "Utilisateur : IDE nuit", "Login INCORRECT", "Login : NDA", "Utilisateur MDPH", "Utilisateur : admin",
        "Utilisateur : SAMU", "utilisateur de drogues", "Utilisateur mdup", "LOGIN : NUIT", "Un utilisateur averti",
        "Login DXCARE", "utilisateur OPTIFLOW",
    ],
)  # fmt: skip
def test_what_is_no_login(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Département : l'Yone", ["Yone"]),
        ("Département de naissance : Savoi", ["Savoi"]),
        ("DEPARTEMENT : FINISTER", ["FINISTER"]),
        ("Département : Chirurgie", []),
        ("Département : Information médicale", []),
        ("Département : Aide", []),
    ],
)
def test_the_field_of_a_department_with_a_slip(text: str, places: list[str]) -> None:
    assert [value for label, value in found(text) if label is Label.LOC] == places


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("01/06/2021. Mars 2019", ["01/06/2021", "Mars 2019"]),
        ("3 mai 2018. Janvier 2020", ["3 mai 2018", "Janvier 2020"]),
        ("mars 2019. Le 3 avril", ["mars 2019", "Le 3 avril"]),
        ("01. 06. 2021", ["01. 06. 2021"]),
        ("3 sept. 2019", ["3 sept. 2019"]),
        ("1 JANV. 2019", ["1 JANV. 2019"]),
    ],
)
def test_two_dates_with_the_end_of_a_sentence_between_them_are_two(text: str, dates: list[str]) -> None:
    trimmed = trim_days(Reading(Document("d", text)), [Mention(0, len(text), Label.DATE, 0.9)])
    assert [text[one.start : one.end] for one in trimmed] == dates


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Suivi par le secteur 58G03 depuis 2019", ["58G03"]),
        ("au secteur n°2bg01", ["2bg01"]),
        ("secteur de psychiatrie générale : 33G11", ["33G11"]),
        ("SECTEUR DE PSYCHIATRIE INFANTO-JUVENILE N° 974I02", ["974I02"]),
        ("les secteurs 58G03, 58G04 et 2AG01", ["58G03", "58G04", "2AG01"]),
        ("secteur 4, gène 20G10", []),
        ("secteur externe 10 g, zone 33G11", []),
        ("secteur 33G115", []),
    ],
)
def test_each_sector_of_psychiatry_behind_its_word(text: str, codes: list[str]) -> None:
    assert found(text) == [(Label.ID, code) for code in codes]


def test_a_sector_in_a_sentence_is_found_whatever_the_taggers_say(detector: Detector) -> None:
    document = Document("d", "Suivie par le secteur 58G03 depuis mars, puis au secteur 2AG03.")
    (found,) = detector.detect([document])
    assert {"58G03", "2AG03"} <= {document.text[one.start : one.end] for one in found}
