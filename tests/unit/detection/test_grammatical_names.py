"""Names of the patient that are also grammatical words: found as names, left as articles and pronouns."""

from __future__ import annotations

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.labels import Label


@pytest.fixture(scope="module")
def alone() -> Detector:
    """The identity annotator without the others."""
    return Detector(policy.Policy.model_validate({"detection": {"annotators": [{"name": "identity"}]}}))


def _found(detector: Detector, text: str, patient: Patient) -> list[str]:
    (found,) = detector.detect([Document("d", text, patient)])
    return [text[one.start : one.end] for one in found if one.label is Label.PATIENT]


def _patient(last_name: str, *first_names: str) -> Patient:
    return Patient(last_name=last_name, first_names=first_names or ("Van Minh",))


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("Nom :\tLE\nPrénom :\tVan Minh", ["LE", "Van Minh"]),
        ("NOM : LE  Prénom : Van Minh", ["LE", "Van Minh"]),
        ("NOM DE NAISSANCE : LE\nSEXE : M", ["LE"]),
        ("| Nom | LE | Prénom | Van Minh |", ["LE", "Van Minh"]),
        ("Nom\nLE\nPrénom\nVan Minh", ["LE", "Van Minh"]),
        ("Patient : Monsieur LE", ["LE"]),
        ("le fils de M. LE a appelé", ["LE"]),
        ("Monsieur LE comprend la situation", ["LE"]),
        ("Monsieur Le comprend la situation", ["Le"]),
        ("Mme LE s'est pris les pieds", ["LE"]),
        ("MONSIEUR LE A ETE VU", ["LE"]),
        ("Bonjour Monsieur Le,", ["Le"]),
        ("LE Van Minh est vu", ["LE Van Minh"]),
        ("Van Minh LE est vu", ["Van Minh LE"]),
        ("PATIENT VAN MINH LE\nVU EN URGENCE", ["VAN MINH LE"]),
        ("LE^VAN MINH^^", ["LE", "VAN MINH"]),
        ("Présents : Vraz, LE, Martin", ["LE"]),
        ("nom : le, prénom : van minh, vu ce matin", ["le", "van minh"]),
    ],
)
def test_a_surname_that_is_an_article_is_found_where_its_place_tells(
    alone: Detector, text: str, surfaces: list[str]
) -> None:
    assert _found(alone, text, _patient("Le")) == surfaces


def test_two_names_that_are_words_are_found_at_the_head_of_a_page(alone: Detector) -> None:
    patient = _patient("Le", "A")
    assert _found(alone, "Le A – IPP 81916398\nCentre hospitalier", patient) == ["Le A"]
    assert _found(alone, "LE A\nVu ce jour", patient) == ["LE A"]
    for text in ("Le a été posé hier", "Le A été vu – revient", "Vu. Le A – B est faux", "LE A DROITE, VU"):
        assert _found(alone, text, patient) == []


def test_a_particle_of_the_field_is_no_end_of_it(alone: Detector) -> None:
    form = f"NOM :{' ' * 20}DE SÁ{' ' * 20}Prénom : Lurdes"
    assert [one.removeprefix("DE ") for one in _found(alone, form, _patient("de Sá", "Lurdes"))] == ["SÁ", "Lurdes"]
    assert _found(alone, "Nom : de sa mère", _patient("de Sá", "Lurdes")) == []


@pytest.mark.parametrize(
    "text",
    [
        "le patient va bien, Le patient aussi",
        "LE PATIENT VA BIEN",
        "VU LE 12 MARS",
        "NÉ LE 12/03/1960, ENTRÉ LE LUNDI 3 MARS",
        "NEE LE DOUZE MARS",
        "M. LE 12 mars, Mme LE lundi",
        "Monsieur le Directeur, Monsieur Le Directeur",
        "MONSIEUR LE DIRECTEUR",
        "Madame Le Goff et M. LE GOFF",
        "MADAME LE GOFF",
        "Patient : le soir, LE MATIN",
        "Lieu de naissance : LE HAVRE",
        "Le repos. Le soir. L'examen. LE.",
        "hier, le, enfin",
    ],
)
def test_an_article_is_left(alone: Detector, text: str) -> None:
    assert _found(alone, text, _patient("Le")) == []


@pytest.mark.parametrize("name", ["Da", "Du", "Sa", "La", "An", "Do", "To", "Ma", "Ha", "Ly", "Bui", "Le"])
@pytest.mark.parametrize(
    ("text", "times"),
    [("Nom : {}", 1), ("M. {} va bien", 1), ("{} Van Minh", 1), ("Mme {}, 45 ans", 1), ("Van Minh {} est vu", 1)],
)
def test_short_surnames_of_asia_are_found(alone: Detector, name: str, text: str, times: int) -> None:
    for written in (name, name.upper()):
        found = _found(alone, text.format(written), _patient(name))
        assert [one for one in found if written in one.split()] == found
        assert len(found) == times


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Du", "hanche DU patient, Du repos, DU 3 au 5 mars"),
        ("Sa", "Sa fille, SA TENSION EST BASSE, sa toux"),
        ("La", "La patiente, LA PATIENTE, Madame La Présidente"),
        ("Ma", "Ma consœur, ma lettre"),
        ("Bien", "Bien cordialement, BIEN CORDIALEMENT"),
        ("An", "il y a un an, an dernier"),
        ("Do", "douleur du do"),
        ("Ly", "NFS : ly 25 %"),
    ],
)
def test_the_other_reading_of_a_short_surname_is_left(alone: Detector, name: str, text: str) -> None:
    assert _found(alone, text, _patient(name)) == []


def test_a_first_name_of_one_letter_is_found_in_its_field(alone: Detector) -> None:
    patient = Patient(last_name="Le", first_names=("A", "Anh Tuan"))
    text = "NOM :\tLE\nPrénom :\tA\nNé(e) le :\t3 mars\nA la sortie, repos. A 3 mois, contrôle. A : normal."
    assert _found(alone, text, patient) == ["LE", "A"]


def test_with_the_other_annotators_the_name_wins_over_the_article(detector: Detector) -> None:
    text = "Nom :\tLE\nPrénom :\tVan Minh\n\nLe patient va bien. M. LE a appelé le 12 mars. LE PATIENT SORT."
    assert _found(detector, text, _patient("Le")) == ["LE", "Van Minh", "LE"]
    assert _found(detector, "LE PATIENT SORT LE 12 MARS. M. le directeur est prévenu.", _patient("Le")) == []


def test_nobody_s_article_stays_an_article(detector: Detector) -> None:
    assert _found(detector, "Le patient va bien. M. le directeur est prévenu.", Patient()) == []
