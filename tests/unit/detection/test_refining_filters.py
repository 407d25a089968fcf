"""Mentions that are dropped: allowed terms, eponyms, drugs, and ratios that look like dates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deid.detection.refining.filters import drop_allowed
from deid.detection.refining.lookalikes import drop_lookalikes
from deid.detection.refining.trimming import trim_civilities
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Vote
from deid.domain.labels import Label


def reading(text: str) -> Reading:
    return Reading(Document("d", text))


def marked(text: str, part: str, label: Label, score: float = 0.6) -> Mention:
    at = text.index(part)
    return Mention(at, at + len(part), label, score)


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("composer le 15", "15", True),
        ("le 15 a été appelé", "15", True),
        ("revu le 15 avec sa fille", "15", False),
        ("acuité 8/10 à droite", "8/10", True),
        ("accrédité ISO/IEC 17025:2005", "2005", True),
        ("norme NF EN ISO 15189:2012", "2012", True),
        ("fraisage cotyloïdien jusqu'au 54, impaction", "54", True),
        ("absente du 12 au 14 inclus", "14", False),
        ("suivi jusqu'en 54 à Dijon", "54", False),
        ("depuis : 2005", "2005", False),
        ("depuis le début de l'après-midi", "début de l'après-midi", True),
        ("fièvre en fin de nuit", "fin de nuit", True),
        ("depuis le matin", "le matin", True),
        ("transférée dans la nuit.", "dans la nuit", True),
        ("transférée dans la nuit du 12 mai", "dans la nuit du 12 mai", False),
        ("depuis le début de l'après-midi", "début", True),
        ("depuis le début de l'année", "début", False),
        ("triste dès la fin de l'hiver", "fin", True),
        ("vu le matin du 12 mars", "matin du 12 mars", False),
        ("depuis début avril", "début avril", False),
    ],
)
def test_numbers_that_look_like_dates(text: str, part: str, dropped: bool) -> None:
    kept = drop_lookalikes(reading(text), [marked(text, part, Label.DATE)])
    assert (kept == []) is dropped


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("Vu ce jour.\nROUX P.  190044128          1/2\n", "1/2", True),
        ("Vu ce jour.\n   2/2", "2/2", True),
        ("Vu ce jour.\tp. ROUX\t1/1\f", "1/1", True),
        ("Vu ce jour.\nROUX P.  190044128          12/3\n", "12/3", False),
        ("Vu ce jour.\nRevu le 1/2\n", "1/2", False),
        ("contrôle le   1/2\nrevu", "1/2", False),
        ("ROUX P.          01/02", "01/02", False),
        ("DURAND P.   71200331          2/2\n", "2/2", True),
        ("Signé Dr Durand          2/5", "2/5", False),
        ("Signé Dr Durand, 2/5", "2/5", False),
        ("date          2/5\nvue", "2/5", False),
        ("DATE DE SORTIE :\t2/11", "2/11", False),
        ("Date prévue de la sortie:   \n12/12", "12/12", False),
        ("Sortie prévue le\n3/4", "3/4", False),
        ("RDV :\n5/6", "5/6", False),
        ("Prochaine cure      3/4", "3/4", False),
        ("Prochain RDV Dr Martin   3/11\f", "3/11", False),
        ("Ablation des fils, dossier 190044128\t4/9", "4/9", False),
        ("Bilan du 5/8 rassurant.\n\n   5/8", "5/8", False),
        ("IRM\t2/5", "2/5", False),
    ],
)
def test_a_page_at_the_foot_is_no_date(text: str, part: str, dropped: bool) -> None:
    kept = drop_lookalikes(reading(text), [marked(text, part, Label.DATE, 0.95)])
    assert (kept == []) is dropped


@pytest.mark.parametrize(("part", "dropped"), [("O1/O3", True), ("02 61 91 77 33", False)])
def test_a_page_is_no_telephone(part: str, dropped: bool) -> None:
    text = "DE : 02 61 91 77 33   P.O1/O3"
    assert (drop_lookalikes(reading(text), [marked(text, part, Label.PHONE)]) == []) is dropped


def test_a_ratio_that_a_rule_reads_as_a_date_or_that_is_sure_stays() -> None:
    text = "vu le 8/10"
    one = reading(text)
    doubtful = marked(text, "8/10", Label.DATE)
    assert drop_lookalikes(one, [doubtful]) == []
    assert drop_lookalikes(one, [marked(text, "8/10", Label.DATE, 0.95)])
    one.found["patterns"] = [marked(text, "8/10", Label.DATE)]
    assert drop_lookalikes(one, [doubtful]) == [doubtful]


@pytest.mark.parametrize(
    ("text", "part", "label", "dropped"),
    [
        ("maladie de Charcot", "Charcot", Label.PERSON, True),
        ("Salmonella Paul, S. Virchow, Bartonella", "S. Virchow", Label.DOCTOR, True),
        ("S. Virchow isolée à la coproculture", "S. Virchow", Label.DOCTOR, True),
        ("salmonelle ; vu S. Virchow ce jour", "S. Virchow", Label.DOCTOR, False),
        ("signe de la Babinski", "Babinski", Label.PERSON, True),
        ("vu Charcot hier", "Charcot", Label.PERSON, False),
        ("chancre calcifié (Ghon)", "Ghon", Label.DOCTOR, True),
        ("type A de Stanford (De Bakey I)", "De Bakey I", Label.DOCTOR, True),
        ("colectomie (Hartmann)", "Hartmann", Label.DOCTOR, False),
        ("nécrose, stade D du scanner (Balthazar), stable", "Balthazar", Label.DOCTOR, True),
        ("cellules + du vitré antérieur (Shafer)", "Shafer", Label.PERSON, True),
        ("nécrose au scanner (Balthazar), stable", "Balthazar", Label.DOCTOR, False),
        ("nécrose stade D. Relu (Balthazar)", "Balthazar", Label.DOCTOR, False),
        ("stade D (Fisher), relu avec le Dr Fisher", "Fisher", Label.DOCTOR, False),
        ("stade D (Kergadec)", "Kergadec", Label.DOCTOR, False),
        ("stade D (Ida Balthazar)", "Ida Balthazar", Label.DOCTOR, False),
        ("il a un Dupuytren et un Gilbert, sans gêne", "Gilbert", Label.PERSON, True),
        ("il a vu un Gilbert Morel", "Gilbert", Label.PERSON, False),
        ("édentement, Kennedy classe III", "Kennedy", Label.PERSON, True),
        ("vu par Kennedy, classe de CM2", "Kennedy", Label.PERSON, False),
        ("cœlioscopie selon Hasson, quatre trocarts", "Hasson", Label.DOCTOR, True),
        ("ascite dans la poche de Morison", "Morison", Label.DOCTOR, True),
        ("respiration de Cheyne-Stokes", "Cheyne-Stokes", Label.PERSON, True),
        ("césarienne selon Joel-Cohen", "Joel-Cohen", Label.DOCTOR, True),
        ("technique de JOEL-COHEN", "JOEL-COHEN", Label.PERSON, True),
        ("le Guillain-Barré évolue", "Guillain-Barré", Label.PERSON, True),
        ("sous amoxicilline", "amoxicilline", Label.PERSON, True),
        ("CNV par ExomeDepth, relu", "ExomeDepth", Label.DOCTOR, True),
        ("vue par LeGoff hier", "LeGoff", Label.DOCTOR, False),
        ("vue par MartinDurand hier", "MartinDurand", Label.DOCTOR, False),
        ("sous amoxicilline", "amoxicilline", Label.CITY, False),
        ("Escherichia coli", "Escherichia coli", Label.PERSON, True),
        ("marié, deux enfants", "marié", Label.PERSON, True),
        ("Marie, deux enfants", "Marie", Label.PERSON, False),
        ("maladie de Charcot", "Charcot", Label.DATE, False),
        ("DEFICIT DU MEMBRE SUPERIEUR G.", "SUPERIEUR G", Label.PERSON, True),
        ("DEFICIT DU MEMBRE SUPERIEUR G.", "SUPERIEUR", Label.DOCTOR, True),
        ("MME SUPERIEURDE G.", "SUPERIEURDE G", Label.PERSON, False),
        ("D-dimères\n< 500 ng/mL", "D-dimères", Label.DOCTOR, True),
        ("Analyse   Unite  Reference  Anteriorite", "Unite  Reference  Anteriorite", Label.ORG, True),
        ("Résultat\tUnité\tRéférence", "Unité\tRéférence", Label.ORG, True),
        ("Unité  Kergadec  Référence", "Unité  Kergadec", Label.ORG, False),
        ("sur le quai de la gare de L'Isle", "gare de", Label.LOC, True),
        ("sur le quai de la gare de L'Isle", "gare de L'Isle", Label.LOC, False),
    ],
)
def test_terms_that_are_no_names(text: str, part: str, label: Label, dropped: bool) -> None:
    assert (drop_allowed(reading(text), [marked(text, part, label)], {}) == []) is dropped


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("présence de Candida Albicans", "Candida Albicans", True),
        ("due à P. aeruginosa", "P. aeruginosa", True),
        ("éradication de H. Pylori", "H. Pylori", True),
        ("Relu, P. Akari", "P. Akari", False),
        ("score House-Brackmann II", "House-Brackmann", True),
        ("Pose d'un stimulateur Azure XT DR MRI ce jour", "MRI", True),
        ("Contrôle du boîtier Ensura DR MRI, bon", "MRI", True),
        ("Contrôle du boîtier par le DR MRI, bon", "MRI", False),
        ("Contrôle du boîtier Ensura DR Mri, bon", "Mri", False),
        ("Contrôle du boîtier Ensura DR LEROY, bon", "LEROY", False),
        ("Contrôle du boîtier Ensura, DR MRI", "MRI", False),
        ("Avis Ensura DR MRI, bon", "MRI", False),
        ("Prader-Willi éliminé", "Prader-Willi", True),
        ("Mme Prader-Willi", "Prader-Willi", False),
        ("Fatiha. R.A.S. ce matin", "R.A.S.", True),
        ("JOIGNABLE DE 9 H A 17 H.", "H.", True),
        ("Relu, Anne H.", "H.", False),
        ("Infertilité. Madame : SOPK, AMH 7,4", "SOPK", True),
        ("Infertilité. Madame SOPK est venue", "SOPK", False),
        ("Mél. secretariat@ch.example", "Mél", True),
        ("MMél. secretariat.orth@ch.example", "MMél", True),
        ("Courreil : secretariat.orth@ch.example", "Courreil", True),
        ("Melle Noé noe@ch.example", "Noé", False),
        ("Fils : Emil emil.kovacs@ch.example", "Emil", False),
        ("et Maik maik.brandt@ch.example", "Maik", False),
        ("Emil secretariat@ch.example", "Emil", False),
        ("Observation 1 Nourrisson de sexe féminin", "Nourrisson", True),
        ("Mme Nourrisson", "Nourrisson", False),
        ("Un nouveau-né rose, tonique", "rose", True),
        ("Un nouveau-né Rose, tonique", "Rose", False),
        ("Vue par rose hier", "rose", False),
        ("Mme Dupont vue avec rose, stable", "rose", False),
        ("Vue avec Mél. ce jour", "Mél", False),
        ("Dr Candida Albicans", "Candida Albicans", False),
        ("M. A. Pylori", "A. Pylori", False),
        ("Sporothrix schenckii et S. mexicana", "S. mexicana", True),
        ("Vu avec S. mexicana", "S. mexicana", False),
        ("Sporothrix schenckii, relu S. Mexicana", "S. Mexicana", False),
        ("Mariée à Toussaint Rialland, charron, né ici", "charron", True),
        ("Vu par charron ce jour", "charron", False),
        ("vu mme charron, puis charron ce jour", "charron", False),
        ("Il a demandé Mademoiselle", "Mademoiselle", True),
        ("Relu M.", "M.", False),
        ("Chère Amie, cher Docteur", "Amie", True),
        ("Vue avec Amie hier", "Amie", False),
        ("anticorps recherchés par ELISA", "ELISA", True),
        ("Vue avec ELISA ce jour", "ELISA", False),
        ("recherche d'anticorps, vue avec Elisa", "Elisa", False),
        ("selon Kerbrat et al. en 2010", "Kerbrat", True),
        ("Kerbrat, Lancet 2010", "Kerbrat", True),
        ("Kerbrat et Alain", "Kerbrat", False),
        ("Biblio : Kerbrat, Surviving Sepsis", "Kerbrat", True),
        ("langue des signes française (LSF)", "LSF", True),
        ("LSF (langue des signes française)", "LSF", True),
        ("relu par MD (Mariam Diarra)", "MD", False),
        ("Mariam Diarra (MD)", "MD", False),
        ("Dr House-Brackmann", "House-Brackmann", False),
        ("vu avec P. Martin", "P. Martin", False),
    ],
)
def test_what_is_no_name_however_sure(text: str, part: str, dropped: bool) -> None:
    assert (drop_allowed(reading(text), [marked(text, part, Label.DOCTOR, 0.99)], {}) == []) is dropped


def test_a_sure_name_outweighs_the_lists_and_not_the_policy_s_own_terms() -> None:
    text = "maladie de Charcot"
    sure = marked(text, "Charcot", Label.DOCTOR, 0.9)
    assert drop_allowed(reading(text), [sure], {}) == [sure]
    assert drop_allowed(reading(text), [sure], {Label.DOCTOR: ("CHARCOT",)}) == []
    assert drop_allowed(reading(text), [sure], {Label.PERSON: ("CHARCOT",)}) == [sure]


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("Adressé à un centre de santé", "centre de santé", True),
        ("L'examen clinique ORL est normal", "clinique ORL", True),
        ("placé à la fonderie de Hayange", "fonderie de", True),
        ("adressé à la clinique Pasteur", "clinique Pasteur", False),
        ("placé au foyer les myosotis", "foyer les myosotis", False),
        ("vu au centre 15", "centre 15", False),
    ],
)
def test_the_kind_of_an_organisation_names_none(text: str, part: str, dropped: bool) -> None:
    assert (drop_allowed(reading(text), [marked(text, part, Label.ORG)], {}) == []) is dropped


@pytest.mark.parametrize(("text", "part"), [("appel de l'ARM07", "ARM07"), ("S.M.R. polyvalent", "S.M.R.")])
def test_bodies_that_exist_everywhere_name_nobody(text: str, part: str) -> None:
    sure = marked(text, part, Label.DOCTOR, 0.95)
    assert drop_allowed(reading(text), [sure], {}) == []
    borne = Mention(sure.start, sure.end, Label.PATIENT, 0.97, None, (Vote("identity", Label.PATIENT, 0.97),))
    assert drop_allowed(reading(text), [borne], {}) == [borne]


def test_a_civility_that_was_taken_for_a_name_goes_before_a_name_only() -> None:
    text = "signé M. Lapierre ; relu par M."
    name = marked(text, "Lapierre", Label.DOCTOR)
    last = Mention(len(text) - 2, len(text), Label.DOCTOR, 0.6)
    assert trim_civilities(reading(text), [marked(text, "M.", Label.DOCTOR), name, last]) == [name, last]


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("Type : CRH\nN° 12", "CRH", True),
        ("Document : LEC", "LEC", True),
        ("inscrite sur la LEC.", "LEC", True),
        ("le CRH joint", "CRH", True),
        ("Dr LEC", "LEC", False),
        ("M. LEC est venu", "LEC", False),
        ("Nom : LEC", "LEC", False),
        ("LEC Anne", "LEC Anne", False),
        ("validé par CRH", "CRH", False),
        ("vue par Lec hier", "Lec", False),
        ("Métier : ROUTIER", "ROUTIER", True),
        ("chauffeur ROUTIER", "ROUTIER", True),
        ("chauffeur MARTINEAU", "MARTINEAU", False),
        ("Chauffeur : M. ROUTIER", "ROUTIER", False),
        ("Nom : ROUTIER", "ROUTIER", False),
    ],
)
def test_codes_of_documents_and_jobs_are_no_names(text: str, part: str, dropped: bool) -> None:
    kept = drop_allowed(reading(text), [marked(text, part, Label.DOCTOR, 0.95)], {})
    assert (kept == []) is dropped


def test_a_code_that_the_patient_bears_is_a_name() -> None:
    text = "inscrite sur la LEC"
    mention = replace(marked(text, "LEC", Label.PATIENT, 0.95), votes=(Vote("identity", Label.PATIENT, 0.97),))
    assert drop_allowed(reading(text), [mention], {}) == [mention]


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("Transport ROUTIER de nuit", True),
        ("AVP ROUTIER, 45 ans", True),
        ("Vu avec ROUTIER hier", False),
        ("Dr ROUTIER. Il est ROUTIER", False),
        ("ROUTIER Anne, 45 ans", False),
        ("Suivi. Nom : ROUTIER", False),
        ("Transport PETIT de nuit", False),
        ("Transport Routier de nuit", False),
        ("vu ce mercredi pour signer le budget", True),
    ],
)
@pytest.mark.parametrize("label", [Label.CITY, Label.PERSON])
def test_a_noun_that_only_doubting_taggers_read_as_a_name_is_left(text: str, dropped: bool, label: Label) -> None:
    part = next(word for word in ("ROUTIER", "PETIT", "Routier", "budget") if word in text)
    weak, sure = (Vote("transformer", label, 0.3),), (Vote("transformer", label, 0.9),)
    one = marked(text, part, label)
    assert (drop_allowed(reading(text), [replace(one, votes=weak)], {}) == []) is dropped
    assert drop_allowed(reading(text), [replace(one, votes=sure)], {})


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("Numéro donné : 3114. Arrêt", "3114", True),
        ("NUMERO DONNE : 3114.", "3114", True),
        ("elle peut appeler le 3919 à toute heure", "3919", True),
        ("joindre le poste 3114", "3114", False),
        ("DECT 3114", "3114", False),
        ("Numéro donné : 3115.", "3115", False),
        ("Numéro donné : 06 39 98 31 14", "06 39 98 31 14", False),
    ],
)
@pytest.mark.parametrize("label", [Label.PHONE, Label.ID, Label.DATE])
def test_a_short_number_that_is_the_same_for_everybody_stays(text: str, part: str, dropped: bool, label: Label) -> None:
    assert (drop_lookalikes(reading(text), [marked(text, part, label, 0.95)]) == []) is dropped


@pytest.mark.parametrize(
    ("text", "part", "kept"),
    [
        ("par téléphone (Croix-Rouge d'Availles)", "Croix-Rouge d", "Croix-Rouge"),
        ("par téléphone (Croix-Rouge d’Availles)", "Croix-Rouge d’", "Croix-Rouge"),
        ("à la base navale de Toulon", "base navale de", "base navale"),
        ("à la Maison des Aidants", "Maison des Aidants", "Maison des Aidants"),
        ("chef de clinique des hôpitaux de Tours", "clinique des hôpitaux de Tours", "hôpitaux de Tours"),
        ("ancienne cheffe de clinique au CHU de Nancy", "clinique au CHU de Nancy", "CHU de Nancy"),
        ("le chef de la clinique des Pins", "clinique des Pins", "clinique des Pins"),
    ],
)
def test_an_organisation_goes_without_the_link_to_the_place_behind_it(text: str, part: str, kept: str) -> None:
    (found,) = trim_civilities(reading(text), [marked(text, part, Label.ORG)])
    assert text[found.start : found.end] == kept


@pytest.mark.parametrize(("label", "kept"), [(Label.PATIENT, "DIOP Ya"), (Label.PERSON, "Enfant DIOP Ya")])
def test_the_word_of_a_child_is_no_part_of_the_patients_name(label: Label, kept: str) -> None:
    text = "Patient : Enfant DIOP Ya, née le 3 mai"
    (found,) = trim_civilities(reading(text), [marked(text, "Enfant DIOP Ya", label)])
    assert text[found.start : found.end] == kept


@pytest.mark.parametrize(
    ("text", "part", "kept"),
    [
        ("VOTRE PATIENT, LE PETIT LUCAS, 3 ANS", "PETIT LUCAS", ["LUCAS"]),
        ("j'ai vu la petite Manon hier", "la petite Manon", ["Manon"]),
        ("M. LE PETIT LUCAS est vu", "LE PETIT LUCAS", ["LE PETIT LUCAS"]),
        ("Nom : LE PETIT LUCAS", "LE PETIT LUCAS", ["LE PETIT LUCAS"]),
        ("REMPLI ET PARAPHE P.O.", "PARAPHE P.O.", ["P.O."]),
    ],
)
def test_words_ahead_of_a_name_stay(text: str, part: str, kept: list[str]) -> None:
    found = trim_civilities(reading(text), [marked(text, part, Label.PATIENT)])
    assert [text[one.start : one.end] for one in found] == kept


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("Cher Confeère, chère Consœur,", "Confeère", True),
        ("Cher Conrad, merci de votre lettre.", "Conrad", False),
        ("Antécédents : FA, valve aortique + ACFA", "ACFA", True),
        ("Vu par le Dr ACFA ce jour, ACFA rassurant", "ACFA", False),
        ("(art. R. 4127-4 du code de la santé publique)", "R.", True),
        ("(article L. 1110-4 du\ncode de la santé publique)", "1110-4", True),
        ("dossier R. 4127-4 du service", "R.", False),
        ("Une plaie a été opérée au centre hospitalier régional en 2019", "centre hospitalier régional", True),
        ("Une plaie a été opérée au centre hospitalier Marchand en 2019", "centre hospitalier Marchand", False),
        ("prélevé par la garde, validé le 3 mai", "validé", True),
        ("lithiase urinaire traitée par LEC en 2020", "LEC", True),
        ("MDV : Marié, 1 enfant", "Marié", True),
        ("Vu avec Mme Marie, sa voisine", "Marie", False),
        ("Vu avec le Dr Marié ce jour", "Marié", False),
        ("compte rendu validé par LEC en 2020", "LEC", False),
        ("SURJET SOUS-CUTANE, PEAU AUX FILS RESORBABLES.", "RESORBABLES", True),
        ("VENU AVEC SON FILS RESORBABLES", "RESORBABLES", False),
        ("adressé par Claude Bernard-Horner hier", "Claude Bernard-Horner", False),
        ("facteur v leiden heterozygote ; son frere aussi", "v leiden heterozygote", True),
        ("SEANCES AU CENTRE MARDI, JEUDI, SAMEDI MATIN", "MARDI", True),
        ("VU PAR MARDI HIER", "MARDI", False),
        ("FRAPPE LE 13/11, VALIDE ELECTRONIQUEMENT.", "ELECTRONIQUEMENT", True),
        ("cataracte sous anesth péribulbaire sans incident", "péribulbaire", True),
        ("vu par Péribulbaire hier", "Péribulbaire", False),
        ("HOMONYME - ne pas fusionner", "HOMONYME", True),
        ("je vois monsieur age de trente-huit ans", "age", True),
        ("je vois monsieur Age de ce village", "Age", False),
        ("je vois monsieur age qui tousse", "age", False),
    ],
)
def test_what_names_nobody_however_sure(text: str, part: str, dropped: bool) -> None:
    label = Label.ORG if part.startswith("centre") else Label.DOCTOR
    assert (drop_allowed(reading(text), [marked(text, part, label, 0.97)], {}) == []) is dropped


@pytest.mark.parametrize(
    ("text", "part", "left"),
    [
        ("VU PAR LE DR FABRIS MONTRE UNE VESICULE EPAISSIE", "FABRIS MONTRE", "FABRIS"),
        ("Vu par le Dr Fabris Montre hier", "Fabris Montre", "Fabris Montre"),
        ("Prélevé par Elfriede –\nédité le 3 mai", "Elfriede –\nédité", "Elfriede"),
        ("Prélevé par Elfriede Validé le 3 mai", "Elfriede Validé", "Elfriede Validé"),
    ],
)
def test_a_name_goes_without_the_verb_behind_it(text: str, part: str, left: str) -> None:
    (found,) = trim_civilities(reading(text), [marked(text, part, Label.DOCTOR)])
    assert text[found.start : found.end] == left


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("– migraine\n\n2. Familiaux\n– sa mère : diabète", True),
        ("Antécédents :\n  - Chirurgicaux :\nappendicectomie", True),
        ("vu avec M. Familiaux hier", False),
    ],
)
def test_a_section_of_the_history_alone_on_its_line_is_nobody(text: str, dropped: bool) -> None:
    part = "Chirurgicaux" if "Chirurgicaux" in text else "Familiaux"
    assert (drop_allowed(reading(text), [marked(text, part, Label.PERSON)], {}) == []) is dropped


@pytest.mark.parametrize(
    ("text", "part", "name"),
    [
        ("Dr Grangé ; andro. Devillard ; biologiste", "andro. Devillard", "Devillard"),
        ("IDEL : Letizia sem. impaires", "Letizia sem", "Letizia"),
        ("docteur Lehideux bande du sept", "Lehideux bande", "Lehideux"),
        ("vu par Anne petit ce jour", "Anne petit", "Anne petit"),
        ("Traitant :\tDr Bricolle\tPersonne à prévenir :\tX", "Bricolle\tPersonne", "Bricolle"),
        ("Nom et prénom :\tBricolle\tAnne\tSexe :\tF", "Bricolle\tAnne", "Bricolle\tAnne"),
        ("Dr Cardio. Devillard", "Cardio. Devillard", "Cardio. Devillard"),
        ("relais vu avec cardiol leclair-puech", "cardiol leclair-puech", "leclair-puech"),
    ],
)
def test_a_name_goes_without_a_shortened_role_or_a_word_behind(text: str, part: str, name: str) -> None:
    (kept,) = trim_civilities(reading(text), [marked(text, part, Label.DOCTOR)])
    assert text[kept.start : kept.end] == name


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Dénomination de visages : Jean Gabin, Brigitte Bardot ; Belmondo pour Delon", False),
        ("Dénomination de visages : Jean Gabin ; Belmondo pour Delon", True),
        ("Habite rue Jean Gabin, école Brigitte Bardot ; revu par Delon", True),
        ("Dénomination : Jean Gabin, Brigitte Bardot ; Mme Delon", True),
    ],
)
def test_a_surname_alone_is_a_public_figure_s_among_others_in_a_test(text: str, kept: bool) -> None:
    assert bool(drop_allowed(reading(text), [marked(text, "Delon", Label.PERSON, 0.9)], {})) is kept


@pytest.mark.parametrize(
    ("text", "part", "label", "dropped"),
    [
        ("59250 Halluin – Port. 06 39 98 22 74", "Port", Label.CITY, True),
        ("Dom. : 03 53 01 66 90", "Dom", Label.ORG, True), ("Mob 06 39 98 22 74", "Mob", Label.LOC, True),
        ("Urg. 01 99 00 12 34", "Urg", Label.ORG, True), ("Bur. 0199001234", "Bur", Label.CITY, True),
        ("01460 Port 04 65 71 12 34", "Port", Label.CITY, False), ("vit à Port, seul", "Port", Label.CITY, False),
        ("M. Port 06 39 98 22 74", "Port", Label.PATIENT, False),
        ("Le Port 02 62 99 12 34", "Le Port", Label.CITY, False),
    ],
)  # fmt: skip
def test_the_label_of_a_telephone_is_no_place(text: str, part: str, label: Label, dropped: bool) -> None:
    assert (drop_allowed(reading(text), [marked(text, part, label, 0.9)], {}) == []) is dropped


@pytest.mark.parametrize(
    ("text", "part", "left"),
    [
        ("Compte Crédit Mutuel IBAN FR76 1027", "Crédit Mutuel IBAN", "Crédit Mutuel"),
        ("Clinique Valbrune FINESS : 590000001", "Clinique Valbrune FINESS :", "Clinique Valbrune"),
        ("SARL Kerlaz – SIRET 123", "SARL Kerlaz – SIRET", "SARL Kerlaz"),
        ("Caisse d'Épargne, RIB ci-joint", "Caisse d'Épargne, RIB", "Caisse d'Épargne"),
        ("la Clinique du Ribéracois", "Clinique du Ribéracois", "Clinique du Ribéracois"),
    ],
)
def test_an_organisation_goes_without_the_label_of_the_number_behind_it(text: str, part: str, left: str) -> None:
    (one,) = trim_civilities(reading(text), [marked(text, part, Label.ORG)])
    assert text[one.start : one.end] == left


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("Né à Saint-Louis (68).", False),
        ("DOMICILIEE A SAINT-LOUIS", False),
        ("transfert de Saint-Louis", False),
        ("encéphalite de Saint-Louis", True),
        ("maladie de Saint-Louis", True),
    ],
)
def test_a_town_with_the_name_of_a_disease_goes_but_behind_the_disease(text: str, dropped: bool) -> None:
    part = text[text.casefold().index("saint") :].split(" (")[0]
    assert (drop_allowed(reading(text), [marked(text, part, Label.CITY, 0.9)], {}) == []) is dropped


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("vu ce jr au staff", "ce jr", True),
        ("la 2e chute cet anné", "cet anné", True),
        ("sort auj0urd'hui", "auj0urd'hui", True),
        ("vu hier au staff", "hier", False),
        ("vu ce jeudi", "ce jeudi", False),
    ],
)
def test_the_day_of_the_text_in_a_spelling_of_notes_is_no_date(text: str, part: str, dropped: bool) -> None:
    assert (drop_lookalikes(reading(text), [marked(text, part, Label.RELDATE)]) == []) is dropped


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("pas contente pr l'escar du talon", "escar", True),
        ("matin pr nvelle attelle", "nvelle", True),
        ("matin pr suivnte attelle", "suivnte", True),
        ("voir feuil au dos", "feuil", True),
        ("2 serviet a laver", "serviet", True),
        ("le dr escar passe demain", "escar", False),
        ("vue par serviet ce matin", "serviet", False),
        ("Escar est là. vu avec escar", "avec escar", False),
        ("sa soeur karimou vient", "karimou", False),
        ("vu par le pr lebrun", "lebrun", False),
        ("demain amina serviet passe", "serviet", False),
        ("retour chez ns", "ns", True),
        ("infirmiere : ns", "ns", False),
        ("novorapid 3u sc", "sc", True),
        ("pansement fait. sc", "sc", False),
        ("parle d'un monsieur gentil, venu hier", "gentil", True),
        ("parle de monsieur gentil, venu hier", "gentil", False),
        ("parle d'un monsieur Gentil, venu hier", "Gentil", False),
        ("parle d'un monsieur lebrun, venu hier", "lebrun", False),
        ("NOM USAGE : IDEM", "IDEM", True),
        ("Cauchernars la nuit", "Cauchernars", True),
        ("Monsieur Bernardi sort", "Bernardi", False),
        ("sang;URG/FAYOLLE;x", "URG", True),
        ("sang;LEGRAND/FAYOLLE;x", "LEGRAND", False),
    ],
)
def test_small_words_of_notes_are_nobody(text: str, part: str, dropped: bool) -> None:
    assert (drop_allowed(reading(text), [marked(text, part, Label.DOCTOR)], {}) == []) is dropped


def test_a_name_goes_without_the_unit_of_the_value_ahead() -> None:
    text = "sat 89 -> 2l. marchand (as)"
    (kept,) = trim_civilities(reading(text), [marked(text, "l. marchand", Label.DOCTOR)])
    assert text[kept.start : kept.end] == "marchand"
    text = "vu par l. marchand"
    (kept,) = trim_civilities(reading(text), [marked(text, "l. marchand", Label.DOCTOR)])
    assert text[kept.start : kept.end] == "l. marchand"


@pytest.mark.parametrize(
    ("text", "part", "name"),
    [
        ("sous lunettes 4 L. Lefort dort", "L. Lefort", "Lefort"),
        ("PARACETAMOL 1 G. DUMONT VA BIEN", "G. DUMONT", "DUMONT"),
        ("Chambre 4 L. Lefort dort", "L. Lefort", "L. Lefort"),
        ("1. L. Lefort 2. G. Dumont", "L. Lefort", "L. Lefort"),
        ("vu par dr astrnte Quint cette nuit", "astrnte Quint", "Quint"),
        ("vu par dr radiolog Hamon", "radiolog Hamon", "Hamon"),
        ("par l'aide soig Mireille", "soig Mireille", "Mireille"),
        ("avis dr interniste Morand", "interniste Morand", "Morand"),
        ("Dr assoc Garcia présent", "assoc Garcia", "Garcia"),
        ("dr martin Dupont vu", "martin Dupont", "martin Dupont"),
        ("dr szymczk Paul vu", "szymczk Paul", "szymczk Paul"),
        ("M. Roux sous Apixaben 5", "Roux sous Apixaben", "Roux"),
        ("avis Dr Potard 0RL", "Potard 0RL", "Potard"),
        ("avis Dr Ghislain R0UX", "Ghislain R0UX", "Ghislain R0UX"),
        ("M. DUBOIS RAS", "DUBOIS RAS", "DUBOIS"),
    ],
)
def test_a_name_goes_without_units_roles_and_remarks(text: str, part: str, name: str) -> None:
    (kept,) = trim_civilities(reading(text), [marked(text, part, Label.DOCTOR)])
    assert text[kept.start : kept.end] == name


def test_a_misspelt_role_alone_is_nobody() -> None:
    text = "dr anesthsiste Pinel"
    assert trim_civilities(reading(text), [marked(text, "anesthsiste", Label.DOCTOR)]) == []
    text = "dr szymczk Paul"
    assert len(trim_civilities(reading(text), [marked(text, "szymczk", Label.DOCTOR)])) == 1


@pytest.mark.parametrize(
    ("text", "part", "dropped"),
    [
        ("MR VOMIT DEPUIS HIER", "VOMIT", True),
        ("MME REFUSE LES SOINS", "REFUSE", True),
        ("MR CRACHE DU SANG", "CRACHE", True),
        ("DR VOMIT DEPUIS HIER", "VOMIT", False),
        ("Mme Vomit depuis hier au service", "Vomit", False),
        ("MME VOMIT A ETE VUE", "VOMIT", False),
        ("MR VOMIT (FILS)", "VOMIT", False),
        ("MME PORTE LE BAS", "PORTE", False),
        ("MR MARTIN DEPUIS HIER", "MARTIN", False),
    ],
)
def test_a_verb_behind_a_civility_is_nobody(text: str, part: str, dropped: bool) -> None:
    assert (drop_allowed(reading(text), [marked(text, part, Label.PERSON)], {}) == []) is dropped
