"""Search for the patient's identity in published text, without false alarms on ordinary words."""

from __future__ import annotations

import dataclasses
import unicodedata
from datetime import date

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deid.domain.document import Patient
from deid.quality import measure
from deid.quality.words import fold, is_ordinary
from tests.unit.quality.documents import CLEAN, PATIENT, checked


def strip_accents(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


WRITTEN = {
    "as it is": str,
    "upper": str.upper,
    "lower": str.lower,
    "title": str.title,
    "no accents": strip_accents,
    "decomposed accents": lambda text: unicodedata.normalize("NFD", text),
    "soft hyphen inside": lambda text: f"{text[:2]}\u00ad{text[2:]}",
    "marks of direction inside": lambda text: f"{text[:2]}\u200e{text[2:3]}\u2066{text[3:]}",
}

names = st.text(alphabet="abcdefghijklmnoprstuvéèëçï", min_size=4, max_size=12).map(str.capitalize)


def survives(text: str, patient: Patient = PATIENT, kind: str = "identity_name") -> bool:
    return measure(checked(CLEAN + text, patient))[kind] > 0


@given(names, names, st.sampled_from(sorted(WRITTEN)), st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_planted_name_is_caught(last: str, first: str, form: str, planted_last: bool) -> None:
    planted = last if planted_last else first
    assume(not is_ordinary(fold(planted)))
    patient = Patient(key="P", last_name=last, first_names=(first,))
    assume(not any(measure(checked(patient=patient))[kind] for kind in ("identity_name", "identity_fuzzy")))
    assert survives(f"Mme {WRITTEN[form](planted)} est sortie.", patient)
    assert survives(f"\n{WRITTEN[form](planted)}\n", patient)


@given(
    names, names, st.sampled_from(["{l}{f}", "{f}{l}", "{L}{F}", "{F}{L}", "mme{l}", "Mme{L}", "{f}_{l}", "{f}.{L}"])
)
@settings(max_examples=150, deadline=None)
def test_a_glued_name_is_caught(last: str, first: str, form: str) -> None:
    patient = Patient(key="P", last_name=last, first_names=(first,))
    assume(not any(measure(checked(patient=patient))[kind] for kind in ("identity_name", "identity_fuzzy")))
    assume(not is_ordinary(fold(last)))
    glued = form.format(l=last.lower(), f=first.lower(), L=last.upper(), F=first)
    assert survives(f"Vu {glued} hier.", patient)


@pytest.mark.parametrize(
    "text",
    [
        "DUBREUILH", "dubreuilh", "Dubreuilh", "Mme Lagardere", "LAGARDÈRE", "anais", "marie laure", "MARIELAURE",
        "D U B R E U I L H", "DUBREU-\nILH", "MmeDUBREUILH", "dubreuilhanais", "anais.dubreuilh", "Dubreuilhs",
        "drlagardere", "Lagardère-Dubreuilh",
    ],
)  # fmt: skip
def test_forms_of_a_name(text: str) -> None:
    assert survives(f"Revue : {text}, stable.")


@pytest.mark.parametrize("text", ["DUBREULIH", "Dubreuil", "Lagadère", "Lagardèr", "dubreilh", "Lagarderre"])
def test_slips_of_the_pen(text: str) -> None:
    assert survives(f"Revue : {text}, stable.", kind="identity_fuzzy")


@pytest.mark.parametrize(
    "text", ["La garde est assurée.", "Un gardien.", "Le dortoir.", "des tilleuls en fleur", "dinar"]
)
def test_neighbouring_words_are_not_the_identity(text: str) -> None:
    numbers = measure(checked(CLEAN + text))
    assert [name for name, count in numbers.items() if name.startswith("identity") and count] == []


# An ordinary word that is also the patient's name: (surname, text, is it said to survive).
ORDINARY = [
    ("PETIT", "un petit nodule", False),
    ("PETIT", "Petit nodule du lobe droit.", False),
    ("PETIT", "Mme PETIT est sortie", True),
    ("PETIT", "m. petit est sorti", True),
    ("PETIT", "vu par PETIT ce jour", True),
    ("PETIT", "revoir Petit dans un mois", True),
    ("PETIT", "Nom : Petit", True),
    ("PETIT", "le fils PETIT", True),
    ("ROSE", "une peau rose et chaude", False),
    ("ROSE", "Madame Rose", True),
    ("LE", "Le patient est sorti, le traitement est poursuivi", False),
    ("LE", "Mme LE est sortie", True),
    ("CHARCOT", "maladie de Charcot", False),
    ("CHARCOT", "M. Charcot est sorti", True),
    ("CHARCOT", "Charcot est sorti", True),
    ("MARIE", "maladie de Charcot-Marie-Tooth", False),
    ("MARTIN", "adressé à Saint-Martin", False),
    ("MARTIN", "adressé à Martin", True),
    ("FOUGERE", "retrouvé dans la fougère de Marie", False),
    ("FOUGERE", "dit bonjour, fougère est là", True),
    ("PRUNE", "goûters enrichis une prune ne suffira pas", False),
    ("PRUNE", "lit un prune a dormi", True),
    ("PRUNE", "VU AVEC PRUNE ET CALME", True),
    ("SAGE", "DECRIT COMME SAGE ET SOLITAIRE", False),
    ("SAGE", "L'ENFANT EST CALME ET SAGE", False),
    ("SAGE", "VU PAR SAGE ET MARIE", True),
    ("SAGE", "PAUL EST VU ET SAGE REVIENT DEMAIN.", True),
    ("SAGE", "PAUL EST PARTI ET SAGE AUSSI.", True),
    ("SAGE", "ANNE EST CALME ET SAGE REVIENT DEMAIN.", True),
    ("DOUX", "LE VOISIN EST TIMIDE ET DOUX DEPUIS HIER.", False),
    ("DOUX", "ELLE LE DIT TRES DOUX ET SOUCIEUX, DORT BIEN.", False),
    ("DOUX", "IL EST DOUX ET DIFFICILE A CERNER.", False),
    ("DOUX", "IL EST STABLE ET DOUX A DORMI.", True),
    ("BLANC", "COMME BLANC ET SA SOEUR.", True),
    ("BRUN", "AUSSI FATIGUE, RESTE BRUN ET SON FILS.", True),
]


@pytest.mark.parametrize(("surname", "text", "expected"), ORDINARY)
def test_ordinary_words_and_eponyms(surname: str, text: str, expected: bool) -> None:
    patient = Patient(key="P", last_name=surname)
    body = "Examen du jour : [[DATE|3 mars 2021=>9 mars 2021]].\n" + text + "\nFin."
    numbers = measure(checked(body, patient))
    assert (numbers["identity_name"] > 0) is expected
    if not expected and fold(surname) in fold(text).split():
        assert numbers["identity_ordinary_word"] > 0  # seen, and reported


# What surrogates say: (mark, does it survive).
INSIDE = [
    ("[[PATIENT|Anaïs=>Anaïs]]", True),
    ("[[PATIENT|Odile=>Marie]]", True),
    ("[[DOCTOR|Ionescu=>Dubreuilh]]", True),
    ("[[DOCTOR|Paul Ionescu=>Marie Ionesco]]", False),
    ("[[EMAIL|a@b.fr=>contact@dubreuilh.fr]]", True),
    ("[[EMAIL|a@b.fr=>adubreuilh63@dupre.fr]]", True),
    ("[[EMAIL|a@b.fr=>annedubreuilhette@dupre.fr]]", False),
    ("[[STREET|3 rue Haute=>3 rue Marie Curie]]", False),
    ("[[ORG|CHU=>Clinique Lagardère]]", False),
]


@pytest.mark.parametrize(("mark", "expected"), INSIDE)
def test_surrogates_are_judged_by_what_they_stand_for(mark: str, expected: bool) -> None:
    assert survives(f"Vu par {mark}.") is expected


DAY = date(1938, 11, 7)
MONTHS = ("novembre", "Novembre", "NOVEMBRE", "nov.", "nov")
BIRTH = [
    "07/11/1938", "7/11/1938", "07.11.1938", "07-11-1938", "7 / 11 / 1938", "07 11 1938", "07111938", "1938-11-07",
    "19381107", "07/11/38", "7-11-38", *(f"7 {month} 1938" for month in MONTHS), "7 novembre 38", "07 NOV 1938",
    "sept novembre mille neuf cent trente-huit", "7nov1938",
]  # fmt: skip


@pytest.mark.parametrize("written", BIRTH)
def test_birth_date_in_any_form(written: str) -> None:
    assert survives(f"Née le {written} à terme.", kind="identity_birth_date")


def test_birth_date_drawn_equal_to_itself_is_held_back() -> None:
    assert survives("Née le [[DATE|7 nov. 1938=>7 nov. 1938]].", kind="identity_birth_date")


@pytest.mark.parametrize("written", ["08/11/1938", "07/11/1939", "7 décembre 1938", "TA 07/11", "1938"])
def test_other_dates_are_not_the_birth_date(written: str) -> None:
    assert not survives(f"Vue le {written} à 9 h.", kind="identity_birth_date")


@given(st.dates(date(1900, 1, 1), date(2024, 12, 31)), st.sampled_from(["%d/%m/%Y", "%Y-%m-%d", "%d.%m.%Y", "%d%m%Y"]))
@settings(max_examples=60, deadline=None)
def test_any_birth_date_is_caught(birth: date, form: str) -> None:
    patient = dataclasses.replace(PATIENT, birth_date=birth)
    assert survives(f"Née le {birth.strftime(form)}.", patient, "identity_birth_date")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("IPP 0003481297", "identity_number"),
        ("IPP 000 348 12 97", "identity_number"),
        ("séjour 2303.11842", "identity_number"),
        ("SS 2381187912034", "identity_number"),
        ("SS 2-38-11-87-912-034", "identity_number"),
        ("tél 0639984417", "identity_contact"),
        ("tél +33 6 39 98 44 17", "identity_contact"),
        ("tél 06\n39 98 44 17", "identity_contact"),
        ("ANAIS.DUBREUILH@EXEMPLE.FR", "identity_contact"),
        ("12 bis, rue des Tilleuls", "identity_address"),
        ("12 BIS R DES TILLEULS", "identity_address"),
        ("rue des Tilleuls", "identity_address"),
        ("87210", "identity_address"),
        ("transférée à Dinsac", "identity_address"),
    ],
)
def test_other_identity(text: str, kind: str) -> None:
    assert survives(f"Voir {text} ensuite", kind=kind)


@pytest.mark.parametrize(("surrogate", "expected"), [("LE PUAUX Odette", False), ("LE", True), ("Le Goff", False)])
def test_a_particle_of_a_surrogate_is_not_the_name(surrogate: str, expected: bool) -> None:
    assert survives(f"Mme [[PATIENT|LE=>{surrogate}]]", Patient(key="P", last_name="LE")) is expected


def test_markup_is_searched_where_it_shows_something_else() -> None:
    page = f"<p>{checked().substitution.text}</p><p>Mme DUBREUILH</p>"
    assert measure(checked(markup=page))["identity_name"] > 0


def test_identity_unknown() -> None:
    assert measure(checked(patient=Patient(key="P")))["identity_unknown"] == 1


@pytest.mark.parametrize(
    ("last", "first", "text"),
    [
        ("FOURTEAU", "Lucette", "fracture de Pouteau-Colles en 2019"),
        ("GAUCHER", "Michèle", "pouls faibles à gauchee"),
        ("FUMOLEAU", "Lowell", "Corps de Howell-Jolly absents"),
        ("GIACOBBI", "Ange-Toussaint", "il ne mange que de la soupe"),
        ("CASTTIER", "Hassen", "open coelioscopie selon Hasson"),
    ],
)
def test_a_word_near_a_name_is_not_the_name(last: str, first: str, text: str) -> None:
    patient = Patient(key="P", last_name=last, first_names=(first,))
    numbers = measure(checked(CLEAN + text, patient))
    assert [name for name in ("identity_name", "identity_fuzzy") if numbers[name]] == []


@pytest.mark.parametrize(
    ("last", "first", "text"),
    [
        ("FOURTEAU", "Lucette", "chez Mme Fourtau-Colles"),
        ("GAUCHER", "Michèle", "vu Gauchee ce jour"),
        ("FUMOLEAU", "Lowell", "vu Howell-Jolly ce jour"),
        ("GIACOBBI", "Ange-Toussaint", "mmeange"),
        ("CASTTIER", "Hassen", "vu avec Hasen"),
    ],
)
def test_a_slip_in_a_name_is_the_name(last: str, first: str, text: str) -> None:
    patient = Patient(key="P", last_name=last, first_names=(first,))
    numbers = measure(checked(CLEAN + text, patient))
    assert numbers["identity_name"] or numbers["identity_fuzzy"]


@pytest.mark.parametrize(
    "text",
    [
        "Vu avec Mme dupont.", "Le Dr X a revu la patiente.", "Née le 3.", "Nom :\nStable.", "Signature :\nKouadio Yao",
        "transfert à la clinique de Vaugneray", "revu hier par Kouadio", "M. B.", "vuparDrMORINEAUcejour",
        "née à Vaugneray", "sonde posée par Kouadio", "relu par MD (Mariam Diarra)", "aura revu Kouadio Yao",
        "revu avec Kouadio marius",
    ],
)  # fmt: skip
def test_a_text_with_a_sign_of_a_person_needs_a_replacement(text: str) -> None:
    assert measure(checked(f"L'examen est normal.\n{text}"))["text_unchanged"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "Le bilan est normal.", "Maladie de Basedow. Score d'Apgar 5/10.", "Résultat clinique satisfaisant.",
        "CRP 12 mg/L, TP 80 %", "ASAT 32 UI/L\nALAT 28 UI/L", "Rupture de la membrane de Bruch.", "Enfant né à terme.",
        "une aphasie de Broca", "colite à Clostridium difficile", "aire 4 du cortex cérébral de Brodmann",
        "un CADASIL (Cerebral Autosomal Dominant Arteriopathy with Sub-cortical Infarcts and Leukoencephalopathy)",
        "corsets thermoplastiques (Boston, Cheneau ou Milwaukee)", "avec un Risser inférieur à 3", "Na 133, Prot 80",
        "4- Sydenham Chorea", "insertion d'un cathéter de Swan-Ganz", "le complexe Sporothrix schenckii est en cause",
        "série rapportée en Afrique noire", "surjet intradermique spiralé de Mitz en superficie",
    ],
)  # fmt: skip
def test_a_text_without_a_sign_of_a_person_needs_none(text: str) -> None:
    assert measure(checked(text))["text_unchanged"] == 0
