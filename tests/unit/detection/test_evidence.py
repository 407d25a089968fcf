"""Evidence before recall: what the recall may raise to a name, and words that stay what they are, in both readings."""

from __future__ import annotations

import numpy as np
import pytest

from deid.config import policy
from deid.detection.annotators.context import Context
from deid.detection.annotators.gazetteer import Gazetteer
from deid.detection.detector import Detector
from deid.detection.lookup.lexicon import lexicon
from deid.detection.merging import votes
from deid.detection.merging.evidence import has_clinical_reading, is_acronym, is_eponym, is_ordinary
from deid.detection.taggers.tags import INDEX, TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Patient
from deid.domain.labels import NAMES, Label

RECALL = dict.fromkeys(Label, 2.8)
# Words that the taggers are certain of, and a line of them: a document that names people.
CERTAIN = frozenset({"Kerdoncuff", "Bihan", "Quéméneur", "Abgrall"})
PEOPLE = "Kerdoncuff, Bihan, Quéméneur, Abgrall.\n"


def raised(text: str, word: str, probability: float = 0.45) -> bool:
    """Return whether `word` is found when one tagger gives it that mean probability and the other none of it."""
    reading = Reading(Document("d", text))
    reading.found = {rule.name: list(rule.annotate(reading)) for rule in (Context(), Gazetteer())}
    one, other = (np.zeros((len(reading.words), len(TAGS)), dtype=np.float32) for _ in range(2))
    for rows, chance in ((one, 2 * probability), (other, 0.0)):
        for index in range(len(rows)):
            surface = reading.surface(index)
            rows[index, INDEX["B-PERSON"]] = 0.97 if surface in CERTAIN else chance if surface == word else 0.0
            rows[index, 0] = 1 - rows[index].sum()
    found = votes.find_averaged(reading, {"one": one, "other": other}, RECALL)
    return any(word in text[mention.start : mention.end].replace("-", " ").split() for mention in found)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Vu par le Dr Zorbakian ce jour.", "Zorbakian"),  # a title
        ("Nom : Zorbakian", "Zorbakian"),  # the label of a field
        ("Son épouse Zorbakian est prévenue.", "Zorbakian"),  # kinship
        ("Astreinte : Kerdoncuff, Zorbakian.", "Zorbakian"),  # a list
        (f"{PEOPLE}Repas pris avec Zorbakian.", "Zorbakian"),  # a document that names people
        (f"{PEOPLE}Le Dr Taxol est venu.", "Taxol"),  # a person named like a drug
        (f"{PEOPLE}Mme Fermetue est venue.", "Fermetue"),  # a person named like a slip
        (f"{PEOPLE}Vu par M. Glimépéride.", "Glimépéride"),
        (f"{PEOPLE}Vu par le Dr Risser.", "Risser"),
        (f"{PEOPLE}Vu par le Dr Coronaro.", "Coronaro"),
        (f"{PEOPLE}Vu par le Dr Masquelet.", "Masquelet"),
        (f"{PEOPLE}Mme Salle est venue.", "Salle"),
        (f"{PEOPLE}Vu par le Dr Misgav-Zorbakian ce jour.", "Zorbakian"),
        (f"{PEOPLE}Vu avec Dr Sera ce jour", "Sera"),
        (f"{PEOPLE}Le petit est vu par FAlRE ce jour, Dr FAlRE.", "FAlRE"),
        (f"{PEOPLE}Va bien selon Mme Zorbakian.", "Zorbakian"),
        (f"{PEOPLE}Vus : Dr Bihan ; Nouvelle ; Abgrall.", "Nouvelle"),
        (f"{PEOPLE}Relecture.\nFermetue\n", "Fermetue"),  # alone, as in a signature
        ("PATIENT SAGE Kerdoncuff, 40 ANS", "SAGE"),
    ],
)
def test_what_something_points_to_is_raised(text: str, word: str) -> None:
    assert raised(text, word)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Le diagnostic de Zorbakian est retenu, sans complication au décours.", "Zorbakian"),  # nobody is named
        (f"{PEOPLE}2   Voûte      formol\nLa voûte est saine.", "Voûte"),  # a noun of the document
        (f"{PEOPLE}PATIENTE SAGE FEMME", "SAGE"),
        (f"{PEOPLE}Biopsie à la canule de Zorbakian faite.", "Zorbakian"),  # an eponym
        (f"{PEOPLE}Taxol arrêté ce jour.", "Taxol"),
        (f"{PEOPLE}Sommeil : bon.", "Sommeil"),  # a heading
        (f"{PEOPLE}Selon le bilan, NFS normale.", "NFS"),
        (f"{PEOPLE}Traitement par pamidronate poursuivi.", "pamidronate"),
        (f"{PEOPLE}Fermetue cutanée par agrafes.", "Fermetue"),  # a slip
        (f"{PEOPLE}Antériorité\nAucune.", "Antériorité"),
        (f"{PEOPLE}Le Risser est à 3.", "Risser"),
        (f"{PEOPLE}Faite ce matin, Coronaro normale.", "Coronaro"),  # a clipped word
        (f"{PEOPLE}Premier temps du Masquelet fait.", "Masquelet"),
        (f"{PEOPLE}Pour le rein, FAlRE une échographie.", "FAlRE"),  # a word that a scanner misread
        (f"{PEOPLE}Reprise de Trastuz. ce jour.", "Trastuz"),  # a clipped drug
        (f"{PEOPLE}Faite ce matin, Brancht normal.", "Brancht"),  # "branchement"
        (f"{PEOPLE}Reprise de Vanco-\nmycine ce jour.", "Vanco"),  # a drug that a line breaks
        (f"{PEOPLE}Attente de vrs ce jour.", "vrs"),
        (f"{PEOPLE}Faite selon Misgav-Zorbakian ce jour.", "Zorbakian"),  # half of a double eponym
        (f"{PEOPLE}Le robot Zorbakian est en panne.", "Zorbakian"),
        (f"{PEOPLE}MON AIDE SERA KERDONCUFF CE JOUR", "SERA"),  # a verb
        (f"{PEOPLE}Vu par Bihan. Erreur évitée.", "Erreur"),
        (f"{PEOPLE}Chez Monsieur. Salle grande.", "Salle"),
        (f"{PEOPLE}Diabète traité par Glimépéride seul.", "Glimépéride"),  # a misspelt drug
        (f"{PEOPLE}Chimiothérapie avec FOLFOX ce jour.", "FOLFOX"),
        (f"{PEOPLE}CHIMIOTHERAPIE PAR CAPOX 3 MOIS", "CAPOX"),
        (f"{PEOPLE}Contrôle du nodule selon Zorbakian.", "Zorbakian"),  # the author of criteria
        (f"{PEOPLE}Envoyé au Dr Bihan ; Nouvelle présentation prévue.", "Nouvelle"),
    ],
)
def test_what_nothing_points_to_is_left_alone(text: str, word: str) -> None:
    assert not raised(text, word)


@pytest.mark.parametrize(
    ("line", "word", "found"),
    [
        ("CIMENT ZORBAKIAN POSE CE JOUR.", "ZORBAKIAN", False),
        ("ZRB\nSuite", "ZRB", False),
        ("Hier soir tablette Zorbakian posée.", "Zorbakian", False),
        ("VU PAR DR ZORBAKIAN CE JOUR.", "ZORBAKIAN", True),
        ("VU AVEC ZORBAKIAN CE JOUR.", "ZORBAKIAN", True),
        ("Ce matin Zorbakian est calme.", "Zorbakian", True),  # who acts
        ("Le grand Abgr dort.", "Abgr", True),  # a short form of Abgrall
        ("Suture du tendon, Morvan\nSuite simple", "Morvan", True),  # who signs
    ],
)
def test_a_lone_token_that_one_tagger_alone_takes_for_a_name_needs_evidence(line: str, word: str, found: bool) -> None:
    assert raised(PEOPLE + line, word, 0.2) is found


def test_the_first_word_of_a_sentence_has_a_capital_anyway() -> None:
    assert raised(f"{PEOPLE}Ce matin Zorbakian est calme.", "Zorbakian", 0.3)
    assert not raised(f"{PEOPLE}Rien à dire. Zorbakian du matin faite.", "Zorbakian", 0.3)
    assert raised(f"{PEOPLE}Rien à dire. Zorbakian du matin faite.", "Zorbakian", 0.48)


@pytest.mark.parametrize(
    ("pointed", "left", "word"),
    [
        ("Bihan Radio Quéméneur", "Bihan      Radio   Quéméneur", "Radio"),  # a heading between two columns
        ("C'est Mme Urgent ce jour.", "Elle dit que c'est URGENT ce jour.", "URGENT"),
        ("Vu par Kerdoncuff et B. Certificat remis.", "Tableaux 30 A et B. Certificat remis.", "B"),
    ],
)
def test_what_little_points_to_is_raised_by_little(pointed: str, left: str, word: str) -> None:
    assert raised(f"{PEOPLE}{pointed}", word if word in pointed else word.title(), 0.3)
    assert not raised(f"{PEOPLE}{left}", word, 0.3)


def test_a_title_does_not_reach_the_heading_of_the_next_column() -> None:
    assert raised(f"{PEOPLE}Mme Fonction est venue.", "Fonction", 0.3)
    assert not raised(f"{PEOPLE}Prénom      Fonction\n", "Fonction", 0.3)


def test_without_recall_the_likeliest_reading_stands_for_any_word() -> None:
    assert raised("Le diagnostic de Zorbakian est retenu, sans complication au décours.", "Zorbakian", 0.495) is False
    assert raised("Le patient Zorbakian est revu.", "Zorbakian", 0.2)


def reading(text: str) -> Reading:
    return Reading(Document("d", text))


def at(text: str, word: str) -> tuple[Reading, int]:
    one = reading(text)
    return one, one.words.index(word)


def test_readings_of_a_word() -> None:
    assert has_clinical_reading(*at("Rituximab et Escherichia coli", "rituximab"))
    assert has_clinical_reading(*at("Rituximab et Escherichia coli", "escherichia"))
    assert not has_clinical_reading(*at("Madame Kerdoncuff", "kerdoncuff"))
    assert is_acronym(*at("La NFS est normale.", "nfs"))
    assert not is_acronym(*at("LA NFS EST NORMALE", "nfs")), "a line in capitals tells nothing"
    assert is_eponym(*at("rétinopathie de Purtscher", "purtscher"))
    assert is_eponym(*at("cotation de Postel et Merle", "merle")) or is_eponym(*at("score de Postel et Merle", "merle"))
    assert not is_eponym(*at("la fille de Kerdoncuff", "kerdoncuff"))
    assert is_ordinary(*at("Le bilan est normal", "bilan"))


@pytest.mark.parametrize("surname", ["petit", "marin", "fontaine"])
def test_a_common_surname_that_is_a_word_keeps_both_readings(surname: str) -> None:
    text = f"Vu ce jour {surname} pour avis"
    assert is_ordinary(*at(text, surname)), "written as a word"
    assert not is_ordinary(*at(f"Vu par {surname.title()} pour avis", surname)), "written as a name"


def test_every_clinical_term_is_a_folded_word_with_known_kinds() -> None:
    terms = lexicon().clinical
    assert len(terms) > 15_000
    assert all(term.isalnum() and term == term.lower() for term in terms)
    assert {kind for kinds in terms.values() for kind in kinds.split("|")} == {"drug", "germ", "acronym", "word"}


# Through the whole detector, in both readings.


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(policy.load())


def names(detector: Detector, text: str, patient: Patient | None = None) -> set[str]:
    mentions = detector.detect([Document("d", text, patient or Patient())])[0]
    return {text[one.start : one.end] for one in mentions if one.label in NAMES}


@pytest.mark.parametrize(
    ("surname", "text", "other"),
    [
        ("Levothyrox", "Mme {} est revue. Apyrétique.", "Traitement par levothyrox poursuivi."),
        ("Parkinson", "Mme {} est revue. Apyrétique.", "Maladie de Parkinson évoluée."),
        ("Janvier", "Mme {} est revue. Apyrétique.", "Le bilan de janvier est normal."),
    ],
)
def test_the_identity_wins_over_a_drug_a_disease_or_a_month(
    detector: Detector, surname: str, text: str, other: str
) -> None:
    patient = Patient(last_name=surname.upper(), first_names=("Odile",))
    assert names(detector, text.format(surname), patient) == {surname}
    assert not names(detector, other)


def test_a_document_of_names_only_is_found_whole(detector: Detector) -> None:
    listed = ["Anne Le Bihan", "Yves Kerdoncuff", "Marie Quéméneur", "Jean Petit", "Paul Marin", "Odile Fontaine"]
    assert names(detector, "\n".join(listed)) >= {*listed}


def test_a_heading_that_is_a_first_name_and_one_that_is_a_word(detector: Detector) -> None:
    table = "{}      Lundi     Mardi\nmatin    repas     toilette\nsoir     repas     coucher\n"
    assert not names(detector, table.format("Mode"))
    assert names(detector, "Planning des soins de Clara et Rose\n" + table.format("Clara")) >= {"Clara"}


def test_capitals_without_context(detector: Detector) -> None:
    assert not names(detector, "APYRETIQUE. AUCUN SIGNE DE GRAVITE. NFS NORMALE. RETOUR A DOMICILE.")
    assert names(detector, "DR KERDONCUFF. PATIENTE MME PETIT ODILE. RETOUR A DOMICILE.") >= {"KERDONCUFF"}
