"""Clinical texts without a person are nobody's; a person among the same words still holds a text."""

from __future__ import annotations

import pytest

from deid.domain.document import Patient
from deid.quality import measure
from deid.quality.signs import points_at_someone
from tests.unit.quality.documents import CLEAN, checked

NOBODY = (
    "Nouveau-né de sexe féminin né à 24 SA + 2 j, PN 640 g.",
    "Prématurée née à 31 semaines, enfant né à 14 h 20.",
    "Réactif Roche Cobas, Abbott Architect ; coloration de Ziehl ; gélose Chapman ; unités Bodansky.",
    "Canal de Guyon libre, point de Mc Burney, trigone de Lieutaud, loge de Guyon.",
    "MMS de Folstein 24/30, Barthel 85, Cornell 9, Hamilton 22, Young 8, Constant 55, Oswestry 40.",
    "Prothèse Zimmer cimentée, plaque Synthes, clou Stryker, vis Arthrex.",
    "Hernioplastie selon Lichtenstein, plaque Bard.",
    "Fracture Garden III, Hess et Hunt 3, Fisher 4.",
    "Chambre implantable Polysite, bas de contention Sigvaris classe II.",
    "Traitement : Célestène, Diane 35, Jasmine, Adèle ? Non : Daflon, Clarityne, Valentin = non.",
    "Antibiothérapie par Tazocilline et Amiklin, puis Rocéphine seule.",
    "Dysplasie : Ortolani et Barlow négatifs, Finkelstein positif.",
    "A fait Heimlich sur place, bleu de méthylène négatif.",
)
MISSED = (
    "Prévenir {} demain.",
    "Vu ce jour avec {}, accord.",
    "Transmis à {} pour suite.",
    "Sonde changée par {}.",
    "Pose de la prothèse, {} présent.",
    "Plaque Synthes et {} informé.",
    "Échelle remplie avec {}.",
    "Traitement : à revoir avec {}.",
    "Score vérifié par {}",
)


@pytest.mark.parametrize("text", NOBODY)
def test_a_clinical_text_points_at_nobody(text: str) -> None:
    assert not points_at_someone(text)


@pytest.mark.parametrize("surname", ["Dupont", "Zimmer", "Hess", "Guyon", "Young", "Lefebvre"])
@pytest.mark.parametrize("form", MISSED)
def test_a_person_among_them_is_still_seen(form: str, surname: str) -> None:
    assert all(points_at_someone(f"{text}\n{form.format(surname)}") for text in NOBODY)


@pytest.mark.parametrize(
    ("surname", "text", "told"),
    [
        ("BERGER", "Maladie de Berger (néphropathie à IgA).", False),
        ("HORTON", "Horton confirmé par biopsie.", False),
        ("HORTON", "Horton confirme sa venue.", True),
        ("BARRETT", "Un œsophage de Barrett long.", False),
        ("LAVALLEE", "Épanchement de Morel-Lavallée.", False),
        ("ROBIN", "Séquence de Pierre Robin.", False),
        ("BERGER", "La chambre de Berger est prête.", True),
        ("HANCHE", "Hanche gauche luxée.", False),
        ("HANCHE", "Vu Hanche ce matin.", True),
        ("BABINSKI", "Réflexes vifs aux quatre membres, Babinski absent.", False),
        ("BABINSKI", "Réflexes vifs. Babinski absent ce jour.", True),
        ("POIRIER", "PAS DE POIRIER NI DE DEBOUT.", False),
        ("POIRIER", "SANS NOUVELLE DE POIRIER.", True),
        ("BERGER", "Absence de Berger ce jour à la consultation.", True),
        ("MISTRAL", "METEO : MISTRAL 90 KM/H", False),
        ("MISTRAL", "PATIENT : MISTRAL 90 KG", True),
    ],
)
def test_a_disease_that_bears_the_patient_s_name_is_none(surname: str, text: str, told: bool) -> None:
    patient = Patient(key="P", last_name=surname, first_names=("Pierre",))
    assert (measure(checked(CLEAN + text, patient))["identity_name"] > 0) is told
