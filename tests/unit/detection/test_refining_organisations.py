"""Organisations that a word for their kind announces, whatever they were taken for; people, towns and homes stay."""

from __future__ import annotations

import pytest

from deid.detection.refining.namesakes import as_people
from deid.detection.refining.organisations import complete_organisations, settle_organisations
from deid.detection.refining.repeated_names import repeat_names
from deid.detection.refining.trimming import trim_civilities
from deid.detection.text.reading import Reading
from tests.unit.substitution.examples import marked


def _found(markup: str) -> list[tuple[str, str]]:
    """Return (label, text) of the mentions of a text in which given ones are written "[[CITY|Gray]]"."""
    document, mentions = marked(markup)
    settled = settle_organisations(Reading(document), mentions)
    return [(one.label.value, document.text[one.start : one.end]) for one in settled]


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("SORTIE A SSR [[CITY|LES TILLEULS]] LE 18", "LES TILLEULS"),
        ("POSTCURE SSR LA [[CITY|TERRASSE]]", "TERRASSE"),
        ("admise à l'EHPAD « [[PERSON|Rose Aubier]] »", "Rose Aubier"),
        ("foyer de vie [[STREET|Les Quatre Vents]]", "Les Quatre Vents"),
        ("ancien marin sur le cargo [[PERSON|Maria Stella]]", "Maria Stella"),
        ("secrétaire au cabinet notarial [[DOCTOR|Lebrun]]", "Lebrun"),
        ("employé de la [[DOCTOR|MENUISERIE LEGRAND]]", "MENUISERIE LEGRAND"),
        ("éducateur de l'[[ORG|AEMO]] [[DOCTOR|Jean Cotxet]]", "AEMO Jean Cotxet"),
        ("licencié à l'[[ORG|US]] [[CITY|Forbach]]", "US Forbach"),
        ("sort lundi aux [[STREET|Les Buissonnets]] (SSR)", "Les Buissonnets"),
        ("MAS [[STREET|Les Hauts de Garonne]] appelée", "Les Hauts de Garonne"),
        ("aide : [[DOCTOR|France Alzheimer]]", "France Alzheimer"),
        ("curatelle association [[DOCTOR|ARIANE]]", "ARIANE"),
        ("De : [[DOCTOR|Ortho-Var Appareillage]] ce jour", "Ortho-Var Appareillage"),
        ("ouvrier, [[CITY|rungis viandes]] depuis un an", "rungis viandes"),
        ("écroué à la [[STREET|Maison d'arrêt de Moulins]]", "Maison d'arrêt de Moulins"),
        ("COPIE A LA PREFECTURE DE LA CREUSE CE JOUR", "PREFECTURE DE LA CREUSE"),
        ("dossier à la MDPH de l'Ardèche", "MDPH de l'Ardèche"),
        ("LA CRECHE LES PETITS LUTINS NE SIGNALE RIEN", "LES PETITS LUTINS"),
        ("sa femme patronne du café la marine depuis dix ans", "la marine"),
    ],
)
def test_what_announces_a_kind_makes_an_organisation(markup: str, name: str) -> None:
    assert _found(markup) == [("ORG", name)]


@pytest.mark.parametrize(
    ("markup", "label", "name"),
    [
        ("vue : [[PATIENT|ÉTÉ Mireille]]\n[[ORG|ETE Mireille]]   page 1", "PATIENT", "ETE Mireille"),
        ("[[PATIENT|Roche]] [[PATIENT|Ludivine]]\n[[ORG|Ludivine ROCHE]]", "PATIENT", "Ludivine ROCHE"),
        ("Dr [[DOCTOR|Paul Rosier]]\nLu;[[ORG|Rosier Paul]];", "DOCTOR", "Rosier Paul"),
        ("Dr [[DOCTOR|Robert Rosier]], transfert à [[ORG|Robert Rosier]]", "ORG", "Robert Rosier"),
        ("[[PATIENT|Roche Ludivine]]\ngarage [[ORG|Ludivine Roche]]", "ORG", "Ludivine Roche"),
        ("[[PATIENT|Roche Ludivine]]\n[[ORG|Transports Roche]]", "ORG", "Transports Roche"),
        ("Dr [[DOCTOR|Paul Rosier]], M. [[PATIENT|Alain]]\n[[ORG|Paul Alain]]", "ORG", "Paul Alain"),
    ],
)
def test_somebody_of_the_document_who_opens_a_line_is_no_organisation(markup: str, label: str, name: str) -> None:
    assert _found(markup)[-1] == (label, name)


@pytest.mark.parametrize(
    ("markup", "parts"),
    [
        ("[[ORG|CLINIQUE DES PINS      Unité Sommeil]]", ["CLINIQUE DES PINS", "Unité Sommeil"]),
        ("[[ORG|CHU de Brest\tHôpital Morvan]]", ["CHU de Brest", "Hôpital Morvan"]),
        ("[[ORG|CENTRE HOSPITALIER      DUBOIS]]", ["CENTRE HOSPITALIER      DUBOIS"]),
        ("[[ORG|CHU de  Brest]]", ["CHU de  Brest"]),
        ("[[ORG|MDPH AAH]]", ["MDPH"]),
        ("[[ORG|CAF du Gers / RSA]]", ["CAF du Gers"]),
        ("[[ORG|Résidence Rsalin]]", ["Résidence Rsalin"]),
    ],
)
def test_an_organisation_ends_at_its_column_and_before_what_it_pays(markup: str, parts: list[str]) -> None:
    document, mentions = marked(markup)
    found = trim_civilities(Reading(document), mentions)
    assert [document.text[one.start : one.end] for one in found] == parts


@pytest.mark.parametrize(
    "markup",
    [
        "[[PATIENT|Martin]] (EHPAD)",
        "refus hier. AS [[DOCTOR|Fabienne C.]] rappelle",
        "Mme [[PATIENT|Transports Roche]]",
        "clinique, [[PERSON|Lucie Martin]] prévenue",
        "clinique\n[[PERSON|Lucie Martin]]",
        "CHU [[PATIENT|MOREAU Lucie]]",
        "IRM [[PATIENT|LEROY Jeanne]]",
        "cabinet [[DOCTOR|Lebrun]], Dr [[DOCTOR|Lebrun]]",
        "maison de [[PERSON|Paul]]",
        "SA [[PERSON|LUCIE]] EST VENUE",
        "VU PAR FAM [[PERSON|MARTIN]] HIER",
        "clinique de [[CITY|Gray]]",
        "EHPAD [[CITY|Dijon]]",
        "mairie [[CITY|Les Lilas]]",
        "résidence [[STREET|Les Ajoncs]], bât. B",
        "12 rue du foyer, [[CITY|Le Mans]]",
        "A L'ECOLE LES AUTRES LE FRAPPENT. LA CRECHE, LES ENFANTS SONT LA. AU CAFE LES CLIENTS SONT PARTIS",
        "il tient le bar la nuit depuis dix ans",
    ],
)
def test_people_towns_and_homes_beside_a_kind_stay(markup: str) -> None:
    document, mentions = marked(markup)
    assert settle_organisations(Reading(document), mentions) == list(mentions)


@pytest.mark.parametrize(
    ("markup", "label"),
    [
        ("Vu par le Dr [[DOCTOR|Lille]]. [[CITY|Lille]], qui suit, confirme.", "PERSON"),
        ("Vu par le Dr [[DOCTOR|Lille]]. Vit à [[CITY|Lille]] depuis.", "CITY"),
        ("Vu par le Dr Roche. [[CITY|Lille]], hier.", "CITY"),
        ("jouait au bridge avec les [[ORG|Tessier]], hier", "PERSON"),
        ("aidée par les [[ORG|Restos]], hier", "ORG"),
        ("dictée du docteur [[DOCTOR|yolande]] [[DATE|samedi]] patient", "DOCTOR"),
        ("copie dr. [[DOCTOR|brigitte]] [[DATE|jeudi]]", "DOCTOR"),
        ("vu par le docteur [[DOCTOR|martin]] [[DATE|samedi]] patient", "DATE"),
        ("vu par le docteur [[DOCTOR|yolande]] [[DATE|samedi matin]]", "DATE"),
        ("vue avec yolande [[DATE|samedi]] patient", "DATE"),
        ("vu par le docteur [[DOCTOR|yolande]] [[DATE|samedi]] matin", "DATE"),
        ("Vue par le Dr [[DOCTOR|Yolande]] [[DATE|samedi]].", "DATE"),
        ("reçu par moi [[DOCTOR|anne laure]] [[DATE|février]] à onze heures", "DOCTOR"),
        ("vu avec [[DOCTOR|martin]] [[DATE|février]] à onze heures", "DATE"),
        ("[[PATIENT|Ti-Zef]] dort. Du côté de [[CITY|Zef]] : la mère", "PERSON"),
        ("[[PATIENT|Ti-Zef]] dort. Vit à [[CITY|Zef]] depuis", "CITY"),
        ("Le Dr [[DOCTOR|Luc Alger]] dort. Revient de [[CITY|Alger]] hier", "CITY"),
        ("[[PATIENT|Luc Gray]] dort. Du côté de [[CITY|Gray]] : la mère", "CITY"),
    ],
)
def test_a_town_that_a_title_makes_somebodys_is_a_name_elsewhere(markup: str, label: str) -> None:
    document, mentions = marked(markup)
    assert as_people(Reading(document), mentions)[-1].label == label


@pytest.mark.parametrize(
    ("markup", "organisations"),
    [
        ("sa fille Mélanie. HAD : ASDR, coordinatrice à joindre", ["ASDR"]),
        ("Aide à domicile, association : APRYF depuis mai", ["APRYF"]),
        ("suites de couches – CHOG, transfert au CHVSM", ["CHOG", "CHVSM"]),
        ("R-CHOP 14, puis CHOP ; laboratoire : CRP 12, BNP 230", []),
        ("Côté CMP : WISC-V faite ; EHPAD : GIR 2", []),
        ("pharmacie : RAS ; mutuelle : OK, service : HTA connue", []),
        ("SUITES SIMPLES CHUTTE DANS LA CHBRE", []),
        ("studio SHLMR, bailleur : SEMADER ; curateur ATPC absent", ["SHLMR", "SEMADER", "ATPC"]),
        ("logement HLM, studio PMR, appartement RDC", []),
        ("secteur nord (EPSMR), transfert du GHSR ; GHRH dosé", ["EPSMR", "GHSR"]),
        ("ATIRG - UNITE DE DIALYSE", ["ATIRG"]),
        ("l'IGR a confirmé, avis demandé à l'IUCT", ["IGR", "IUCT"]),
        ("IRM - SERVICE D'IMAGERIE", []),
        ("NEONAT - SERVICE DU DR ROY", []),
    ],
)
def test_acronyms_of_no_table_are_organisations(markup: str, organisations: list[str]) -> None:
    assert [text for label, text in _found(markup) if label == "ORG"] == organisations


@pytest.mark.parametrize(
    ("markup", "firms"),
    [
        ("lame relue par Atlantique Patho le 3", ["Atlantique Patho"]),
        ("lame relue par [[DOCTOR|Morbihan]] Patho le 3", ["Morbihan Patho"]),
        ("iono externe (bretagnebio), relu", ["bretagnebio"]),
        ("fauteuil livré par sarthe santé lundi", ["sarthe santé"]),
        ("fauteuil livré par Air d'Armor Santé", ["Air d'Armor Santé"]),
        ("Fauteuil : Yvelines-Med, lundi", ["Yvelines-Med"]),
        ("OXYGENE PAR RHONE SANTE DEPUIS MAI", ["RHONE SANTE"]),
        ("Oxygène : Zelvia Santé", ["Zelvia Santé"]),
        ("antibio IV, microbio en cours, anapatho reçue", []),
        ("Bilan Bio, Contrôle Labo, Carte Santé, Dossier Médical", []),
        ("Anat Patho : rien. Vu au Mans. Bio normale. Retour Angers\nBio du 3", []),
        ("suivi par la santé au travail, par le labo", []),
        ("vient de tours bio faite", []),
        ("Dr Angers Santé publique", []),
    ],
)
def test_firms_of_a_place_and_a_trade_are_found(markup: str, firms: list[str]) -> None:
    assert [text for label, text in _found(markup) if label == "ORG"] == firms


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("Reprise de la marche dans [[ORG|la maison de Myriam]].", "Myriam"),
        ("Admise à l'[[ORG|EHPAD La Maison de Myriam]].", None),
        ("Dort dans la [[ORG|maison de Myriam]] depuis mai.", "Myriam"),
        ("Vit au rez-de-chaussée de l'appartement d'[[CITY|Ophélie]].", "Ophélie"),
        ("logé dans la ferme de [[STREET|benoit]], au calme", "benoit"),
        ("RETOUR DANS LA [[ORG|MAISON DE SANDRA]] DEMAIN", "SANDRA"),
        ("Retour à la [[ORG|maison de Nancy]].", None),
        ("Né à la maison de [[CITY|Montargis]].", None),
        ("EHPAD [[ORG|Maison de Myriam]], Tours", None),
        ("La [[ORG|maison de Myriam Makeba]] l'accueille.", None),
        ("Suivi à la maison de [[PATIENT|Myriam]].", None),
    ],
)
def test_a_first_name_behind_somebodys_home_is_hers(markup: str, found: str | None) -> None:
    document, mentions = marked(markup)
    (now,) = as_people(Reading(document), mentions)
    told = document.text[now.start : now.end] if now.label.name == "PERSON" else None
    assert (told, now == mentions[0]) == (found, found is None)


@pytest.mark.parametrize(
    ("markup", "born"),
    [
        ("PATIENT : [[PATIENT|REIN LUCETTE]] NEE COEUR   DDN 14.07.1947", ["COEUR"]),
        ("Mme [[PATIENT|Durand]] née Bras, vue pour un bras cassé.", ["Bras"]),
        ("[[PATIENT|DURAND LEA]] NEE PREMATUREE", []),
        ("[[PATIENT|DURAND LEA]] NEE LE 21/02/1979", []),
        ("[[PATIENT|DURAND LEA]] NEE A TERME, SIEGE", []),
        ("Mme [[PATIENT|Durand]] née rein unique", []),
    ],
)
def test_a_birth_name_is_one_whatever_else_the_word_means(markup: str, born: list[str]) -> None:
    document, mentions = marked(markup)
    found = repeat_names(Reading(document), mentions)
    assert [document.text[one.start : one.end] for one in found if one not in mentions] == born


@pytest.mark.parametrize(
    ("markup", "label"),
    [
        ("[[ORG|Place Alexis-Valbrune]]      Dr Roy", "STREET"),
        ("SERVICE\n[[ORG|Avenue du Docteur-Kerlaz]]\n", "STREET"),
        ("[[ORG|SQUARE DES VIGNES]]\n", "STREET"), ("[[ORG|Boulevard Kerlaz]]\nTél.", "STREET"),
        ("vendu par [[ORG|Place Optique]] hier", "ORG"), ("[[ORG|Résidence des Vignes]]\n", "ORG"),
        ("[[ORG|Place]]\n", "ORG"),
    ],
)  # fmt: skip
def test_a_line_that_opens_with_a_way_is_an_address(markup: str, label: str) -> None:
    assert [one for one, _ in _found(markup)] == [label]


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("[[ORG|ch VASSEROT]]. [[PATIENT|Vasserot]] dort, Mme Vasserot", ("PATIENT", "VASSEROT")),
        ("[[ORG|ch VASSEROT]] appelé. [[PATIENT|Vasserot]] dort", ("ORG", "ch VASSEROT")),
        ("[[ORG|CH Dijon]]. Mme [[PATIENT|Dijon]] dort", ("ORG", "CH Dijon")),
    ],
)
def test_a_room_is_of_whom_a_title_names(markup: str, found: tuple[str, str]) -> None:
    assert _found(markup)[0] == found


@pytest.mark.parametrize(
    ("markup", "employers"),
    [
        ("Conducteur de tramway pour la Vexotram depuis 1997.", ["Vexotram"]),
        ("Il est salarié de la Kerbitan, marié.", ["Kerbitan"]),
        ("Elle travaille pour Ouzelia depuis mai.", ["Ouzelia"]),
        ("Soudeur à la Tramontis, il fume.", ["Tramontis"]),
        ("Maçon, hospitalisé pour la Covid en mars.", []),
        ("Soudeur traité par Xarelto, suivi pour la Zorvexine.", []),
        ("Adressée pour la Vexotram, boulangère.", []),
        ("Boulangère à la retraite, vue à la Maison.", []),
    ],
)
def test_the_employer_behind_an_occupation_is_one_of_no_table(markup: str, employers: list[str]) -> None:
    assert [text for label, text in _found(markup) if label == "ORG"] == employers


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("étudiante à [[CITY|Niort]] Université en master", [("ORG", "Niort Université")]),
        ("étudiante à [[ORG|Niort]] Université", [("ORG", "Niort Université")]),
        ("vit à [[CITY|Niort]], Université de la mer", [("CITY", "Niort")]),
        ("[[PATIENT|Roy]] Université", [("PATIENT", "Roy")]),
        ("opéré au [[ORG|CHU Niort]] Université", [("ORG", "CHU Niort")]),
    ],
)
def test_a_university_is_called_by_the_town_ahead(markup: str, found: list[tuple[str, str]]) -> None:
    document, mentions = marked(markup)
    completed = complete_organisations(Reading(document), mentions)
    assert [(one.label.value, document.text[one.start : one.end]) for one in completed] == found
