"""Names that only a frame announces come in; the same frames around clinical words stay empty."""

from __future__ import annotations

import re

import pytest

from deid.detection import Detector
from deid.detection.refining.frames import find_framed_names, without_beds
from deid.detection.refining.trimming import trim_civilities
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import NAMES, Label

DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")


def found(text: str, *names: str) -> list[str]:
    """Return the words of the names that frames add to the dates and the given names of a text."""
    given = [Mention(*match.span(), Label.DATE, 0.9) for match in DATE.finditer(text)]
    given += [Mention(at := text.index(name), at + len(name), Label.PATIENT, 0.9) for name in names]
    return [text[one.start : one.end] for one in find_framed_names(Reading(Document("d", text)), given)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Brennec 12/11/2018 : exérèse.", ["Brennec"]),
        ("KERVELLA 03/02/2020 BIOPSIE", ["KERVELLA"]),
        ("Suites simples.\nLe Dantec 14.6.21 : ablation des fils", ["Le Dantec"]),
        ("Corvellec Yves 4-6-2020 : contrôle", ["Corvellec Yves"]),
        ("Boucher 03/05/2021 : biopsie", ["Boucher"]),
        ("Sissoko scanner demain.", ["Sissoko"]),
        ("quéméneur : ras ce jour\nabgrall : sortie ce jour", ["quéméneur", "abgrall"]),
        ("Guiziou : apyrétique. Bescond : sonde retirée.", ["Guiziou", "Bescond"]),
        ("Ch. 12 Guéguen : douleur EVA 4.", ["Guéguen"]),
        ("LIT 4 MOAL SOUS VNI", ["MOAL"]),
        ("Chambre 7 : Le Berre", ["Le Berre"]),
        ("un patient qu'on appelle Titi", ["Titi"]),
        ("connu comme Le Grec dans le quartier", ["Le Grec"]),
        ("son frère, surnommé « Tonton Bible » par tous", ["Tonton Bible"]),
        ('SURNOMME "NENETTE" PAR TOUS', ["NENETTE"]),
        ("ponction faite par de la porte le trois avril", ["de la porte"]),
        ("51 a, suivi pfister. hémorroïdes", ["pfister"]),
        ("suivie delattre pour son diabète", ["delattre"]),
        ("revu pfister hier, sortie", ["pfister"]),
        ("vu perrot, on garde", ["perrot"]),
        ("cs marchetti lundi 14h", ["marchetti"]),
        ("sa grand-mère dit mon Titis, lui rit", ["Titis"]),
        ("elle répète que notre Titou va revenir", ["Titou"]),
        ("« mon Loulounet n'a plus faim »", ["Loulounet"]),
        ("il appelle son Doudounet toutes les heures", ["Doudounet"]),
        ("elle réclame sa Jojotte chaque soir", ["Jojotte"]),
        ("une dispute avec « le Chinois », son voisin", ["le Chinois"]),
        ("patient revu par CHAT ce matin", ["CHAT"]),
        ("en colocation avec une certaine Praline", ["Praline"]),
        ("agressé par le dénommé Brick", ["Brick"]),
        ("Vue ce jour. La maman de cesar est venue", ["cesar"]),
        ("naissance de cesar à 39 SA, Apgar 10", ["cesar"]),
        ("Le papa de rose appelle", ["rose"]),
        ("Les parents de leo et cesar sont vus", ["leo", "cesar"]),
        ("Le père d'eva refuse", ["eva"]),
        ("Naissance de Jasmine, Apgar 10/10. Elle reprendra sa Jasmine.", ["Jasmine"]),
        ("Naissance d'Adèle, à terme", ["Adèle"]),
        ("naissance de la petite Perle à 11 h", ["Perle"]),
        ("jumelles : Prudence 2 150 g, Clémence, 2300 g", ["Prudence", "Clémence"]),
        ("son élève une dame mouette si si c'est son nom était en panne", ["mouette"]),
        ("vu monsieur lapin oui c'est bien son nom soixante ans", ["lapin"]),
        ("une dame Poivre (c'est son nom) l'a trouvée", ["Poivre"]),
        ("sa voisine, madame Perdrix — oui, c'est son nom", ["Perdrix"]),
        ("bx derm Roussel. Solumédrol 1 mg/kg", ["Roussel"]),
        ("Cs rhumato Garnier le 12, avis cardio Vasseur.", ["Garnier", "Vasseur"]),
        ("Exome de Maëlle Guivarch", ["Maëlle Guivarch"]),
        ("Prélèvement sanguin d'Yves Le Dantec reçu ce jour", ["Yves Le Dantec"]),
        ("relu le dossier de Rozenn Boucher.", ["Rozenn Boucher"]),
        ("Fichier de QUINTREC Solveig", ["QUINTREC Solveig"]),
        ("SEQUENCAGE DE SOLVEIG QUINTREC REALISE EN URGENCE", ["SOLVEIG QUINTREC"]),
        ("Biopsie de Jean-Marc Lelong", ["Jean-Marc Lelong"]),
        ("Génome de Paul Parkinson. Séquençage de Louis Crohn.", ["Paul Parkinson", "Louis Crohn"]),
    ],
)
def test_a_frame_announces_a_name(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Scanner 12/11/2018 : nodule. Coloscopie 14/03/2019 : RAS.",
        "TDMTAP 12/11/2018 : RAS. PETSCAN 3/1/2019 : fixation.",
        "Redon 12/11/2018 : retiré. Holter 3/4/19 : normal.",
        "Lundi 12/11/2018, Lyon 12/11/2018",
        "Marevan 12/11/2018 : INR 2,5",
        "Tinel 12/11/2018 : négatif",
        "Vaccin Kermorvan du 12/11/2018",
        "Cardio : RAS. Pneumo : MV +. Abdo : souple.",
        "ROTEM : NL. MULTIPLATE : BAS. FIBRI : 2,1.",
        "Weber : latéralisé à droite. Rinne : positif.",
        "Ch. 5 Optiflow en place. Ch. 6 BMR. Lit 7 libre.",
        "Elle dit Non à tout. Angor dit Instable.",
        "connu comme BPCO, connue comme Diabétique",
        "fille présente, dit « Demande faite au tribunal »",
        "séance faite par de la kinésithérapie",
        "Séance faite par de la porte du Dr Bihan.",
        "suivi cardio. suivi régulier, suivi diabéto depuis mai",
        "revu demain. vu hier, suivi thromboembolique",
        "vu chirurgien, suivi biologique pour INR",
        "suivi simple. vue altérée, cs anesthésie lundi 9h",
        "elle dit mon Docteur. « mon Dieu »",
        "il réclame son Lasilix et sa Ventoline",
        "il demande son INR 2,4 et son PICC",
        "il réclame sa Peugeot",
        "il cherche ses Lunettes",
        "son Xozal a été arrêté",
        "lit 1 DUC IDM ant, lit 2 ROI BAV3",
        "1. Rose 2. Petit 3. Grand",
        "avec un certain Doliprane, un certain nombre",
        "patient revu par IRM ce matin, vu par SCANNER",
        "douleur « la Nuit tombée », signe de « la Tourette »",
        "diabète et la Puce",
        "La mère de famille, femme de marin, soeur de lait",
        "Naissance par cesar. Amis de france, tante de province",
        "fille de salle, bébé de mai, femme de ménage",
        "maladie de parkinson, c'est le nom de la maladie",
        "fibroscopie, c'est son nom. doliprane c'est son vrai nom",
        "Exome de Novo. Séquençage de Sanger Illumina. Séquençage de Nouvelle Génération.",
        "Test de Guthrie. Signe de Babinski. Bilan de Claude Bernard-Horner.",
        "dossier de Saint-Brieuc, de La Rochelle. Dossier de Saint Germain en Laye. Dossier de Marie-Galante.",
        "Échantillon de Sang Total. Compte rendu de Médecine Nucléaire. Analyse de Rose Hématique.",
    ],
)
def test_the_same_frame_around_other_words_announces_nobody(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("which", ["rules", "detector"])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Exome de Yolande Kermarrec", ["Yolande Kermarrec"]),
        ("Exome d'Yves Le Dantec", ["Yves Le Dantec"]),
        ("Séquençage de Yolande Kermarrec, fait en urgence.", ["Yolande Kermarrec"]),
        ("Échantillon de Kevin Plessis.", ["Kevin Plessis"]),
        ("Fichier de QUINTREC Solveig", ["QUINTREC Solveig"]),
        ("Exome de Novo. Séquençage de Sanger. Test de Guthrie. Signe de Babinski.", []),
    ],
)
def test_whom_a_sample_is_of_is_a_person_and_the_sample_none(
    text: str, names: list[str], which: str, request: pytest.FixtureRequest
) -> None:
    (mentions,) = request.getfixturevalue(which).detect([Document("d", text)])
    assert all(one.label in NAMES for one in mentions)
    assert [text[one.start : one.end].removeprefix("de ") for one in mentions] == names


def test_a_town_behind_a_dossier_is_none_of_a_person(rules: Detector) -> None:
    (mentions,) = rules.detect([Document("d", text := "Le dossier de Saint-Brieuc est transmis.")])
    assert [(one.label, text[one.start : one.end]) for one in mentions] == [(Label.CITY, "Saint-Brieuc")]


def test_beside_a_name_the_same_entry_opens_with_a_name() -> None:
    assert found("Morel : drain à 40 mL\nAutret scanner mardi", "Morel") == ["Autret"]
    assert found("Morel : drain à 40 mL\nBrenzouk : sort demain", "Morel") == ["Brenzouk"]
    assert found("Autret scanner fait. Brenzouk sort bientôt.") == []


@pytest.mark.parametrize(
    ("text", "given", "names"),
    [
        ("lit 1 DUC IDM ant\nlit 2 ROI BAV3\nlit 3 LORCA OAP", ["LORCA"], ["DUC", "ROI"]),
        ("lit 1 Rose H.\nlit 2 Bain fait\nlit 3 Lorca, OAP", ["Lorca"], ["Rose"]),
        ("LIT 1 BAIN FAIT\nLIT 3 LORCA, OAP", ["LORCA"], []),
        ("lit 1 IRM faite\nlit 2 PIC 18\nlit 3 Lorca, OAP", ["Lorca"], []),
        ("201 Lorca, OAP\n202 Petit refus\n203 Brennec RAS", ["Lorca", "Brennec"], ["Petit"]),
        ("201 Lorca, OAP\n202 Petit refus", ["Lorca"], []),
        ("Garde mars : 1 Blot 2 Petit 3 Lorca 4 Brennec", ["Lorca", "Brennec"], ["Blot", "Petit"]),
        ("Cure mars : 1 Blot 2 Petit 3 Lorca 4 Brennec", ["Lorca", "Brennec"], []),
    ],
)
def test_beside_beds_with_names_a_surname_that_is_a_word_is_one(text: str, given: list[str], names: list[str]) -> None:
    assert found(text, *given) == names


def test_an_article_and_a_capital_behind_a_name_call_somebody() -> None:
    assert found("vit avec Bastos et la Puce.", "Bastos") == ["la Puce"]
    assert found("vit avec Bastos et la Puce savante", "Bastos") == []


def test_said_to_be_needs_somebody() -> None:
    assert found("M. Lagadec dit le Chinois, docker", "Lagadec") == ["Chinois"]
    assert found("M. Lagadec. Angor dit le Chinois", "Lagadec") == []


@pytest.mark.parametrize(
    ("text", "given", "left"),
    [
        ("Ch. 21P Salaün", "21P Salaün", ["Salaün"]),
        ("CH 14 JEGOU", "CH 14", []),
        ("Ch.301 Bihan", "Ch.301 Bihan", ["Bihan"]),
        ("ch. du Moulin", "ch. du Moulin", ["ch. du Moulin"]),
    ],
)
def test_a_room_is_no_part_of_a_name(text: str, given: str, left: list[str]) -> None:
    at = text.index(given)
    kept = without_beds(Reading(Document("d", text)), [Mention(at, at + len(given), Label.PERSON, 0.8)])
    assert [text[one.start : one.end] for one in kept] == left


@pytest.mark.parametrize(
    ("text", "given", "left"),
    [
        ("LINE FAVRESSE DECEDEE LE 03/03/2024", "LINE FAVRESSE DECEDEE", "LINE FAVRESSE"),
        ("MME RIVOAL CONFUSE.", "RIVOAL CONFUSE", "RIVOAL"),
        ("MME LE GALL VENUE CE JOUR", "LE GALL VENUE", "LE GALL"),
        ("MME CREN PERFUSEE, SCOPEE", "CREN PERFUSEE", "CREN"),
        ("KERBIRIOU TDM MARDI", "KERBIRIOU TDM", "KERBIRIOU"),
        ("MME MARIE VENUE NEE LE 12/03/1950", "MARIE VENUE", "MARIE VENUE"),
        ("MME MARIE PETIT EN CHIRURGIE", "MARIE PETIT", "MARIE PETIT"),
    ],
)
def test_a_state_in_capitals_is_no_part_of_a_name(text: str, given: str, left: str) -> None:
    at = text.index(given)
    (kept,) = trim_civilities(Reading(Document("d", text)), [Mention(at, at + len(given), Label.PATIENT, 0.8)])
    assert text[kept.start : kept.end] == left


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("O2 débit 3 L. Moreau présent au lit", ["Moreau"]),
        ("Diurèse 1,5 L. Garnier levé au fauteuil", ["Garnier"]),
        ("O2 6L Fontaine somnolent", ["Fontaine"]),
        ("Scope en place. Bernard tolère bien le produit.", ["Bernard"]),
        ("Hydratation 2 L. Renaud s'est levé", ["Renaud"]),
        ("Lasègue négatif. Babinski présent à droite. Redon levé.", []),
        ("Marche difficile. Marche reste difficile. Garde présente.", []),
        ("Grand calme ce jour. Selles présentes.", []),
        ("Optiflow 40 L/min puis O2 6 L. Lambert améliorée", ["Lambert"]),
        ("Insuline 6 U. Masson réclame à boire", ["Masson"]),
        ("Insuline 6 U. Marche à faire. Diurèse 2 L. Bilan complet", []),
    ],
)
def test_a_surname_that_opens_a_sentence_ahead_of_what_a_person_does(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Salle 3 : CORMIER hernie, LE BRAS thyroidectomie, PERROT PAC x3", ["CORMIER", "LE BRAS", "PERROT"]),
        ("vus : GUEGAN apyrétique ; TANGUY sort demain", ["GUEGAN", "TANGUY"]),
        ("TDM normal, IRM normale, CRP négative", []),
        ("LASEGUE négatif, ROMBERG stable, MURPHY douteux", []),
        ("PAC fait, ROUX en Y perméable", []),
        ("pouls 80, PLATEAU repas pris, PETIT déjeuner pris, GRAND lavage", []),
    ],
)
def test_surnames_in_capitals_open_the_entries_of_a_list(text: str, names: list[str]) -> None:
    assert sorted({*found(text)}) == sorted(names)
