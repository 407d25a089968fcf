"""A word that is somebody's name stays where it is a disease, a part of the body or a thing, and goes elsewhere."""

from __future__ import annotations

import re

import pytest

from deid.detection import Detector
from deid.detection.refining.trimming import trim_things
from deid.detection.text.reading import Reading
from deid.detection.text.senses import Sense, find_sense
from deid.domain.document import Document, Mention, Patient, Vote
from deid.domain.labels import NAMES, Label

# Surname of the patient, what follows "M. SURNAME Paul" and the stretches that stay.
THINGS = (
    ("BRAS", ". Bras droit plâtré ce jour.", ["Bras droit plâtré"]),
    ("GROS", ". Gros foie à la palpation, gros œil rouge.", ["Gros foie", "gros œil"]),
    ("COURT", "\nCourt séjour proposé. Court trajet du cathéter.", ["Court séjour", "Court trajet"]),
    ("LEGER", ". Léger épanchement articulaire.", ["Léger épanchement"]),
    ("PETIT", ". Petit nodule, petit déjeuner pris. Petit calcul rénal.", ["Petit nodule", "Petit calcul"]),
    ("PETIT", ". Petit caillot en regard.", ["Petit caillot"]),
    ("GRAND", ". Grand trochanter douloureux. Grand droit libre.", ["Grand trochanter", "Grand droit"]),
    ("DOUX", " : Doux souffle au foyer aortique.", ["Doux souffle"]),
    ("DOUX", ". Doux souffle au foyer aortique.", ["Doux souffle"]),
    ("MAIGRE", "\nMaigre, IMC 16,4.", ["Maigre, IMC"]),
    ("CŒUR", ". Cœur régulier. Radio : cœur non augmenté.", ["Cœur régulier", "cœur non augmenté"]),
    ("FOIE", ". Foie de taille normale.", ["Foie de taille"]),
    ("POIDS", ". Poids 54 kg, stable.", ["Poids 54"]),
    ("BELLE", ". Sa belle-fille est présente. Belle-mère prévenue.", ["belle-fille", "Belle-mère"]),
    ("PETIT", ". Petit-fils présent.", ["Petit-fils"]),
    ("BERGER", ", maladie de Berger (néphropathie à IgA).", ["maladie de Berger"]),
    ("RAYNAUD", ".\nSYNDROME DE RAYNAUD BILATERAL.", ["SYNDROME DE RAYNAUD"]),
    ("HODGKIN", " : lymphome de Hodgkin stade II.", ["lymphome de Hodgkin"]),
    ("PARKINSON", ". Parkinson traité par L-dopa, Parkinson débutant.", ["Parkinson traité", "Parkinson débutant"]),
    ("BARRETT", " : œsophage de Barrett C2M3.", ["œsophage de Barrett"]),
    ("GRAVES", ", maladie de Graves-Basedow.", ["Graves-Basedow"]),
    ("MOREL", ". Lésion de Morel-Lavallée de la cuisse.", ["Morel-Lavallée"]),
    ("SOULIER", ", maladie de Bernard Soulier.", ["Bernard Soulier"]),
    ("ROUX", ". Anse en Y de Roux.", ["Y de Roux"]),
    ("HORNER", ". Pas de syndrome de Claude Bernard-Horner.", ["Claude Bernard-Horner"]),
    ("BLANC", ".\nFERMETURE PAR STRIP BLANC, SPARADRAP BLANC.", ["STRIP BLANC", "SPARADRAP BLANC"]),
    ("ROSE", ".\nALLERGIE A L'AUGMENTIN (RASH ROSE DU TRONC).", ["RASH ROSE"]),
    ("PETIT", ".\nNECROSE SECHE, PETIT ULCERE DE 6 MM.", ["PETIT ULCERE"]),
    ("GROS", ".\nPONCTION. GROS HEMATOME SANS SYNDROME.", ["GROS HEMATOME"]),
    ("TALON", ".\nTALON DROIT INDEMNE, ARANESP 40 µG/SEMAINE, HEPARINE 1 ml.", ["TALON DROIT"]),
    ("GENOU", ".\nHYDARTHROSE DU GENOU, GENOU DROIT LIMITE, LES DEUX GENOUX.", ["DU GENOU", "GENOU DROIT"]),
    ("MOLLET", ".\nDOULEUR DE MOLLET. UN MOLLET TENDU, SON MOLLET.", ["DE MOLLET", "UN MOLLET", "SON MOLLET"]),
    ("POISSON", ".\nREPAS AVEC DU POISSON, MANGE UN POISSON.", ["DU POISSON", "UN POISSON"]),
    ("NUIT", ".\nVU PAR L'INTERNE DE NUIT, DORT LA NUIT.", ["DE NUIT", "LA NUIT"]),
    ("PORTE", ".\nIL PORTE DES LUNETTES, SORT PAR LA PORTE.", ["IL PORTE", "LA PORTE"]),
    ("VENTRE", ".\nDORT SUR LE VENTRE. VENTRE SOUPLE.", ["LE VENTRE", "VENTRE SOUPLE"]),
    ("ALLIANCE", ". Son cousin par alliance est là.", ["par alliance"]),
    ("BABINSKI", ". Réflexes vifs, Babinski absent. Signe de Hoffmann, Babinski bilatéral.", ["Babinski absent"]),
    ("POIRIER", ".\nPAS DE POIRIER NI DE DEBOUT : ALLONGE.", ["DE POIRIER"]),
    ("CHALUMEAU", ".\nPAS DE FLAMME, PLUS DE CHALUMEAU SUR SITE.", ["DE CHALUMEAU"]),
    ("MISTRAL", ".\nMETEO : MISTRAL 90 KM/H.", ["MISTRAL 90"]),
    ("BOULEAU", ". Pricks : Bouleau, Chêne positifs.", ["Bouleau, "]),
    ("BLOT", ". Manœuvre de Blot négative, critères de Jean Blot.", ["Manœuvre de Blot", "Jean Blot"]),
    ("RAMSAY", ".\nPAS DE TRIADE DE JEAN RAMSAY RETROUVEE.", ["TRIADE DE JEAN RAMSAY"]),
    ("OLIVE", ". A mangé une olive verte, tombé dans une olive.", ["une olive verte"]),
    ("FOUGERE", ". Retrouvé dans la fougère, derrière la fougère.", ["la fougère, "]),
    ("PONT", ". Pont de fixation repris. Pont et agrafes posés.", ["Pont de fixation", "Pont et agrafes"]),
    ("LAME", ". Lame de drainage retirée.", ["Lame de drainage"]),
    ("DOUX", ".\nDECRIT COMME DOUX ET TIMIDE. PAUL EST TIMIDE ET DOUX.", ["DOUX ET TIMIDE", "ET DOUX"]),
    ("CORDON", ".\nRHESUS SUR SANG DE CORDON.", ["DE CORDON"]),
    ("FONTAINE", ". Fontaine de lavage posée. Fontaine d'irrigation en place.", ["Fontaine de lavage", "Fontaine d'"]),
    ("PONT", ". Pont de suture. Pont d'aspiration.", ["Pont de suture", "Pont d'aspiration"]),
    ("SAGE", ".\nENFANT DIT TRES SAGE ET SOLITAIRE, RESTE CALME ET SAGE EN CLASSE.", ["SAGE ET S", "CALME ET SAGE"]),
    ("DOUX", ".\nIL EST DOUX ET DIFFICILE A CERNER.", ["DOUX ET"]),
    ("BONNET", ". Syndrome de Charles Bonnet.", ["Charles Bonnet"]),
    ("NUSS", ". Ablation de la barre de Nuss.", ["barre de Nuss"]),
)
# Surname of the patient, and what follows: each further occurrence of the surname is the person.
PEOPLE = (
    *((name, f". {name.title()} {rest}")
      for name in ("PETIT", "LONG", "GRAND", "BRAS", "BERGER", "HORTON")
      for rest in ("vu ce matin.", "marche avec une canne.", "refuse le repas.", "sort demain.", "anxieux ce soir.",
                   "va mieux.", ", 45 ans.", "infirmier à la retraite.")),
    ("BERGER", ". La chambre de Berger. Épouse de Berger. Berger confirme sa venue."),
    ("PAGET", ". Prévenir Paget. Famille Paget. Dr Paget, maladie rare."),
    ("PETIT", "\nPetit\nCardiologie"),
    ("ROUX", ". Roux et Blanc présents."),
    ("BLANC", ".\nVU PAR L'INFIRMIERE BLANC, PUIS MME BLANC."),
    ("PETIT", ".\nCONTROLE PAR MME PETIT LE SOIR."),
    ("GENOU", ".\nGENOU EST SORTI. MME GENOU APPELLE. VU GENOU CE JOUR. DOSSIER DE GENOU."),
    ("NUIT", ".\nNUIT REFUSE. FILS DE NUIT. C'EST NUIT QUI APPELLE."),
    ("POISSON", ".\nLES POISSON SONT VENUS. POISSON JEAN, SORTIE DE POISSON."),
    ("LE BRAS", ".\nM. LE BRAS DORT. LE BRAS SORT DEMAIN."),
    ("DE GARDE", ".\nM. DE GARDE DORT. LA CHAMBRE DE GARDE."),
    ("BABINSKI", ". Babinski absent ce jour. Rendez-vous donné, Babinski absent. Babinski va mieux."),
    ("POIRIER", ".\nSANS NOUVELLE DE POIRIER. SORTIE DE POIRIER. PAS VU POIRIER."),
    ("CHALUMEAU", ".\nDOSSIER DE CHALUMEAU. NOM : CHALUMEAU."),
    ("MISTRAL", ".\nVU MISTRAL A 10 H, METEO INCERTAINE. PATIENT : MISTRAL."),
    ("ROSE", ".\nSes filles ont des noms de fleurs : Rose, Violette, Iris."),
    ("BOULEAU", "\nAllergies :       Bouleau Paul\nPricks faits chez Bouleau."),
    ("BLOT", ". Syndrome de M. Blot. La chambre de Blot. Blot dort."),
    ("PONT", ". Pont de garde, Pont de retour du bloc. Pont et sa fille. Pont et infirmières. Pont et Roux."),
    ("DOUX", ".\nDOUX ET ROUX SONT SORTIS. VU PAR DOUX ET TIMIDE. M. DOUX ET SA FILLE."),
    ("FONTAINE", ". Fontaine de transfert ce jour. Fontaine d'origine italienne, vit seul. Fontaine d'humeur triste."),
    ("BERGER", ". Berger d'origine italienne. Berger de nationalité suisse. BERGER D'HUMEUR TRISTE."),
    ("MERCIER", ".\n- Mercier de dialyse\n- Mercier de pansement\nMERCIER D'ORIGINE CORSE."),
    ("CHARPENTIER", ". Charpentier de contact facile. Charpentier de corpulence moyenne."),
    ("BOUCHER", ".\nBOUCHER D'ORIGINE ITALIENNE.\nMARCHE REPRISE.\nBOUCHER DE DIALYSE."),
    ("BLANC", ".\nVISITE DE BLANC ET SA SOEUR CE JOUR. COMME BLANC ET SA SOEUR. VU BLANC ET LEUR MERE."),
    ("PETIT", ".\nACCUEIL PETIT ET SON FILS. RETOUR PETIT ET NOTRE EQUIPE."),
    ("BRUN", ".\nADMIS BRUN ET SA FILLE. COMME BRUN ET SES ENFANTS."),
    ("SAGE", ".\nPAUL EST VU ET SAGE REVIENT DEMAIN. PAUL EST CALME ET SAGE DORT. PAUL EST PARTI ET SAGE AUSSI."),
    ("BLOT", ". Syndrome de Paul Blot confirmé. Signe de Blot Paul."),
    ("ROSE", ".\nLa soeur de Rose est là. Rose et ses enfants, Rose et Marie."),
)  # fmt: skip


def _names(detector: Detector, text: str, patient: Patient | None = None) -> list[tuple[int, int, Label]]:
    (found,) = detector.detect([Document("d", text, patient or Patient())])
    return [(one.start, one.end, one.label) for one in found if one.label in NAMES]


@pytest.mark.parametrize(("surname", "rest", "stays"), THINGS)
def test_a_thing_stays(detector: Detector, surname: str, rest: str, stays: list[str]) -> None:
    text = f"M. {surname} Paul{rest}"
    names = _names(detector, text, Patient(last_name=surname, first_names=("Paul",)))
    assert any(start <= 3 and end >= 3 + len(surname) for start, end, _ in names)
    for stretch in stays:
        at = text.index(stretch)
        assert not [one for one in names if one[0] < at + len(stretch) and at < one[1]], stretch


@pytest.mark.parametrize(("surname", "rest"), PEOPLE)
def test_a_person_goes(detector: Detector, surname: str, rest: str) -> None:
    text = f"M. {surname} Paul{rest}"
    names = _names(detector, text, Patient(last_name=surname, first_names=("Paul",)))
    for match in re.finditer(rf"(?i)\b{surname}\b", text):
        assert any(start <= match.start() and match.end() <= end for start, end, _ in names), match.start()


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Courrier du Dr Cushing. Cushing biologique confirmé.", "Cushing biologique"),
        ("Avis Dr Horton. Horton écarté, biopsie négative.", "Horton écarté"),
        ("Dr Verneuil : Verneuil axillaire bilatéral.", "Verneuil axillaire"),
        ("Dr Gougerot. Gougerot secondaire. Gougerot-Sjögren évoqué.", "Gougerot secondaire"),
        ("Dr Ménière (ORL). Ménière droit, acouphènes.", "Ménière droit"),
        ("Dr Kupffer. Cellules de Kupffer hyperplasiques.", "Cellules de Kupffer"),
        ("Dr Parkinson. Le Parkinson est stable.", "Le Parkinson"),
    ],
)
def test_a_physician_s_name_is_not_repeated_into_a_disease(detector: Detector, text: str, stays: str) -> None:
    at = text.index(stays)
    names = _names(detector, text)
    assert names
    assert all(end <= at for _, end, _ in names)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        (
            "PATIENTE : JAMBE DENISE\nMME JAMBE A UNE PLAIE DE LA JAMBE. JAMBE GAUCHE CHAUDE. LES DEUX JAMBES.",
            ["JAMBE DENISE", "JAMBE"],
        ),
        ("NOM : FOURMI\nMME FOURMI DECRIT UNE FOURMI SUR SON DOS.", ["FOURMI", "FOURMI"]),
        ("M. LOUP ALAIN VIT AVEC UN LOUP. M. LOUP SORT.", ["LOUP ALAIN", "LOUP"]),
        ("MME LE BRAS A MAL. LE BRAS REFUSE.", ["LE BRAS", "LE BRAS"]),
        ("DOCTEUR PASCAL LE ROUX. RELU PAR PASCAL LE ROUX.", ["PASCAL LE ROUX", "PASCAL LE ROUX"]),
        ("DR MARC DU BOIS, ANESTHESISTE. SIGNE MARC DU BOIS.", ["MARC DU BOIS", "MARC DU BOIS"]),
        ("COMPTE RENDU RELU PAR P. LE ROUX. DOULEUR DU BRAS.", ["P. LE ROUX"]),
        ("COMPTE RENDU RELU PAR LE ROUX PASCAL. VU PAR LE ROUX.", ["LE ROUX PASCAL", "LE ROUX"]),
        ("DR ANNE LE GRAND. APPUI SUR LE GRAND TROCHANTER.", ["ANNE LE GRAND"]),
    ],
)
def test_in_capitals_the_place_of_a_word_says_whether_it_is_somebody(
    detector: Detector, text: str, people: list[str]
) -> None:
    assert [text[start:end] for start, end, _ in _names(detector, text)] == people


@pytest.mark.parametrize(
    ("text", "surname", "found"),
    [
        ("LE MACON SORT DEMAIN, TRANSPORT PREVU.", "Le-Maçon", ["LE MACON"]),
        ("LE MACON DU CHANTIER A APPELE.", "Maçon", []),
        ("SECRETARIAT DE BERGER PREVENU CE JOUR.", "Berger", ["DE BERGER"]),
        ("AVIS DE MARCHAND : SURVEILLANCE.", "Marchand", ["DE MARCHAND"]),
        ("INTERNE DE GARDE PREVENU, IDE DE NUIT.", "Garde", []),
        ("RDV 10h LE PETIT", "Petit", ["LE PETIT"]),
        ("RDV 10 H 30 LE PETIT", "Petit", ["LE PETIT"]),
        ("APPEL 14h LE BRUN", "Brun", ["LE BRUN"]),
        ("SURVEILLANCE PAR LE ROUX 12h", "Roux", ["LE ROUX"]),
        ("SURVEILLANCE PAR LE ROUX 12H", "Roux", ["LE ROUX"]),
        ("REFERENT LE BLANC 14h", "Blanc", ["LE BLANC"]),
        ("VU LE ROUX 12h", "Roux", ["LE ROUX"]),
        ("INSULINE 12 LE SOIR, PASSE PAR LE NEZ, VU LE PIED", "Soir", []),
        ("SORT PAR LA PORTE 12H", "Porte", []),
        ("OPERE PAR LA ROCHE", "Roche", ["LA ROCHE"]),
        ("VU DU BOIS CE JOUR", "Bois", ["DU BOIS"]),
        ("RDV 10h DES BOIS", "Bois", ["DES BOIS"]),
        ("APPEL DU PONT CE JOUR", "Pont", ["DU PONT"]),
        ("VENU PAR LA VALLEE, MEDECIN DU PONT", "Vallée", []),
        ("VU LE JEUNE HOMME, DEPUIS 8H LE PETIT DEJEUNER", "Jeune", []),
        ("VU LE JEUNE, RAS", "Jeune", ["LE JEUNE"]),
        ("PLATRE DU BRAS 21 j PUIS ABLATION", "Bras", []),
        ("MARCHE 6 min EN CANARD", "Canard", []),
        ("PERFUSION SUR 24h BRAS DROIT", "Bras", []),
    ],
)
def test_the_patients_own_article_and_writers_are_told_in_capitals(
    rules: Detector, text: str, surname: str, found: list[str]
) -> None:
    patient = Patient(last_name=surname)
    assert [text[start:end] for start, end, _ in _names(rules, text, patient)] == found


@pytest.mark.parametrize(
    ("text", "word", "thing"),
    [
        ("Jeune enfant vu avec sa mère", "jeune", True),
        ("Suivi de Paul Petit homme de 54 ans", "petit", False),
        ("DEPUIS 8H LE PETIT DEJEUNER", "petit", True),
        ("RDV 8H LE PETIT DEMAIN", "petit", False),
        ("VU LE PERE CE JOUR", "pere", True),
        ("une prune ne suffira pas dit la maman", "prune", True),
        ("le père dit avoir vu un ours dans le bois", "ours", True),
        ("transmissions lit un rose marchand a dormi", "rose", False),
        ("lit vingt et un loup denis a dormi", "loup", False),
        ("Le surnom du patient : Jojo le fer.", "fer", False),
    ],
)
def test_an_adjective_of_a_compound_is_nobody(text: str, word: str, thing: bool) -> None:
    read = Reading(Document("d", text))
    assert (find_sense(read, read.words.index(word)) is Sense.THING) is thing


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Mme Boucher vue. Boucher d'origine italienne.", ["Boucher", "Boucher"]),
        ("Vu Mme Marchand. Marchand de nationalité suisse.", ["Marchand", "Marchand"]),
        ("MME PETIT VUE. ACCUEIL PETIT ET SON FILS.", ["PETIT", "PETIT"]),
    ],
)
def test_a_name_behind_a_title_is_repeated_before_what_its_bearer_is(
    detector: Detector, text: str, people: list[str]
) -> None:
    assert [text[start:end] for start, end, _ in _names(detector, text)] == people


@pytest.mark.parametrize(
    ("patient", "text", "called"),
    [
        (
            Patient(last_name="MARTIN", first_names=("Charles",)),
            "Syndrome de Charles Martin confirmé.",
            "Charles Martin",
        ),
        (Patient(last_name="DUPUIS", first_names=("Anne", "Lise")), "Triade de Lise Dupuis revue.", "Lise Dupuis"),
        (Patient(last_name="MARTIN", first_names=("Charles",)), "Syndrome de Charles Bonnet.", ""),
        (Patient(last_name="MARTIN", first_names=("Charles",)), "Syndrome de Paul Martin.", ""),
        (Patient(last_name="RAMSAY", first_names=("Paul",)), "Syndrome de Paul Ramsay.", "Paul Ramsay"),
        (
            Patient(last_name="LE GOFF", first_names=("Jean-Charles",)),
            "Signe de Jean-Charles Le Goff, critères de Le Goff.",
            "Jean-Charles Le Goff",
        ),
    ],
)
def test_the_whole_name_of_the_patient_behind_a_syndrome_goes(
    detector: Detector, patient: Patient, text: str, called: str
) -> None:
    assert "".join(text[start:end] for start, end, _ in _names(detector, text, patient)) == called


@pytest.mark.parametrize(
    ("text", "name", "told", "left"),
    [
        ("RELU, DEBORDE LE ROUX", "DEBORDE LE ROUX", "DEBORDE LE ROUX", ["DEBORDE LE ROUX"]),
        ("RELU, DEBORDE LE ROUX", "DEBORDE LE ROUX", "", ["DEBORDE LE"]),
        ("VU DEBORDE LE BRAS EN ECHARPE", "DEBORDE LE BRAS", "DEBORDE", ["DEBORDE LE"]),
        ("VU LE BRAS EN ECHARPE", "LE BRAS", "", []),
    ],
)
def test_what_identity_knows_keeps_its_article(text: str, name: str, told: str, left: list[str]) -> None:
    read = Reading(Document("d", text))
    known = [Mention(text.index(told), text.index(told) + len(told), Label.DOCTOR, 0.9)] if told else []
    read.found["identity"] = known
    votes = tuple(Vote("identity", one.label, one.score) for one in known)
    one = Mention(text.index(name), text.index(name) + len(name), Label.DOCTOR, 0.9, None, votes)
    assert [text[one.start : one.end] for one in trim_things(read, [one])] == left


def test_a_title_announces_a_word_that_is_a_name_elsewhere(detector: Detector) -> None:
    """Nobody's name is known here but by the other mention."""
    text = "mme tension a 9/5 de tension, c'est son nom. TENSION Rose-May, 72 ans."
    assert [text[start:end] for start, end, _ in _names(detector, text)] == ["tension", "TENSION Rose-May"]


def test_a_surname_without_a_capital_goes_where_a_title_or_a_verb_says_so(detector: Detector) -> None:
    text = "mme tension a 9/5 de tension, a mal dormi"
    assert [(start, end) for start, end, _ in _names(detector, text, Patient(last_name="TENSION"))] == [(4, 11)]
    text = "petit a bien mangé. petit hématome au point de ponction, pas de plainte"
    assert [(start, end) for start, end, _ in _names(detector, text, Patient(last_name="PETIT"))] == [(0, 5)]


@pytest.mark.parametrize(
    ("text", "first_name", "surname"),
    [
        ("Vu AS LE BIHAN ce jour.", "Anne-Sophie", "LE BIHAN"),
        ("Vu JP MARCHAND ce jour.", "Jean-Pierre", "MARCHAND"),
        ("MC Delorme revue.", "Marie-Claude", "DELORME"),
    ],
)
def test_initials_of_first_names_belong_to_the_surname(
    detector: Detector, text: str, first_name: str, surname: str
) -> None:
    ((start, end, label),) = _names(detector, text, Patient(last_name=surname, first_names=(first_name,)))
    assert text[start:end].split()[0].isupper()
    assert len(text[start:end].split()[0]) == 2
    assert label is Label.PATIENT


def test_every_form_of_the_patient_s_name_is_the_patient(detector: Detector) -> None:
    patient = Patient(last_name="ROCHER", first_names=("Hugo",), sex="M")
    text = "M. Hugo ROCHER. Signé : H. ROCHER. Vu par Rocher H. CC : Rocher."
    assert {label for *_, label in _names(detector, text, patient)} == {Label.PATIENT}


def test_a_relative_or_a_physician_of_the_same_surname_keeps_the_role(detector: Detector) -> None:
    patient = Patient(last_name="ROCHER", first_names=("Hugo",), sex="M")
    text = "M. Hugo ROCHER. Dr Anne Rocher, cardiologue. Son fils Luc Rocher est prévenu."
    assert [label for *_, label in _names(detector, text, patient)] == [Label.PATIENT, Label.DOCTOR, Label.PERSON]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("dictée du docteur perrin au sujet de maëlle le roux dossier revu en réunion ce matin", "maëlle le roux"),
        ("vu monsieur erwan le roux ingénieur à rennes pour une toux traînante depuis un mois", "erwan le roux"),
        ("madame jeanne le grand infirmière à vannes consulte pour une lombalgie aiguë", "jeanne le grand"),
    ],
)
def test_a_surname_that_is_an_adjective_goes_whole_in_small_letters(detector: Detector, text: str, name: str) -> None:
    (mentions,) = detector.detect([Document("d", text)])
    assert any(name in text[one.start : one.end] for one in mentions if one.label in NAMES)


def test_an_adjective_before_its_noun_stays_in_small_letters(detector: Detector) -> None:
    text = "reçu maëlle pour un gros abcès de la fesse avec le grand trochanter douloureux depuis lundi"
    (mentions,) = detector.detect([Document("d", text, Patient(key="p", last_name="GROS", first_names=("Maëlle",)))])
    assert [text[one.start : one.end] for one in mentions if one.label in NAMES] == ["maëlle"]


@pytest.mark.parametrize(
    ("word", "thing"), [("Aorte", True), ("Trachée", True), ("Tension", False), ("Pivoine", False)]
)
def test_a_part_of_the_body_that_nobody_bears_is_a_thing_in_a_cell(word: str, thing: bool) -> None:
    text = f"IRM;Signa Artist;{word};R. Hadji"
    mention = Mention(17, 17 + len(word), Label.DOCTOR, 0.9, None, (Vote("transformer", Label.DOCTOR, 0.9),))
    assert (trim_things(Reading(Document("d", text)), [mention]) == []) is thing


@pytest.mark.parametrize(("listed", "thing"), [(3, True), (30, False)])
def test_the_label_of_a_list_is_looked_for_within_a_reach(listed: int, thing: bool) -> None:
    text = f"Pricks : {'Chêne, ' * listed}Bouleau positif"
    at = text.index("Bouleau")
    mention = Mention(at, at + 7, Label.DOCTOR, 0.9, None, (Vote("transformer", Label.DOCTOR, 0.9),))
    assert (trim_things(Reading(Document("d", text)), [mention]) == []) is thing
