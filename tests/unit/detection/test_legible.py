"""The legible form of a text: what is read, what is left as it is, and the way back to the offsets of the source."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.text.legible import Legible
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label

KNOWN = Patient(key="p", last_name="DUPONT", first_names=("Aline",))


def legible(text: str, patient: Patient = KNOWN) -> Legible:
    return Legible(Document("d", text, patient))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("M. D\u200bU\u00adPO\u202cNT", "M. DUPONT"),
        ("M. D\u034fU\ufe00PONT", "M. DUPONT"),
        ("M. D\u0336U\u0336P\u0336ONT", "M. DUPONT"),
        ("Mme Ame\u0301lie", "Mme Amélie"),
        ("M. ＤＵＰＯＮＴ ０６", "M. DUPONT 06"),
        ("M. \U0001d403upont, Le\ufb02och", "M. Dupont, Lefloch"),
        ("M. Ⓓⓤⓟⓞⓝⓣ", "M. Dupont"),
        ("Mme L\u0435fe\u0432vre, M\u03bfreau", "Mme L\u0435fe\u0432vre, Moreau"),
        ("Mme L\u0435febvr\u0435", "Mme Lefebvre"),
        ("M. D-U-P-O-N-T", "M. DUPONT"),
        ("M. D, U, P, O, N, T", "M. DUPONT"),
        ("M. d u p o n t", "M. d u p o n t"),
        ("M. D\U0001f600U\U0001f600P\U0001f600O\U0001f600N\U0001f600T", "M. DUPONT"),
        ("Delta Uniforme Papa Oscar November Tango", "DUPONT"),
        ("D comme Denise, U comme Ursule, P comme Paul, O comme Oscar, N comme Noé, T comme Tom.", "DUPONT."),
        ("H comme Henri, U comme Ursule, E comme Eugène, T comme Thérèse.", "HUET."),
        ("A comme Airway, B comme Breathing, C comme Circulation, D comme Disability.",) * 2,
        ("M. DUP0NT, L3F3BVR3, TE$$IER", "M. DUPONT, LEFEBVRE, TESSIER"),
        ("M. DUUUPOOONT", "M. DUPONT"),
        ("M. dUpOnT", "M. Dupont"),
        ("TNOPUD", "DUPONT"),
        ("DU-\nPONT", "DUPONT"),
        ("DU\tPONT", "DUPONT"),
        ("Ali-\nne DUPO-\nNT, Ali-\nne", "Aline DUPONT, Aline"),
        ("%44UPONT%20Aline", "DUPONT Aline"),
        ("Ren&eacute; =C3=89mile \\u00c9lie Ã‰", "René Émile Élie Ã‰"),
    ],
)
def test_a_disguised_name_is_read(written: str, read: str) -> None:
    assert legible(written).document.text == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Prescripteur : Doctuer VRAZ", "Prescripteur : Docteur VRAZ"),
        ("Monsiuer Aline, MADAEM ALINE", "Monsieur Aline, MADAME ALINE"),
        ("vu par le doceur vraz", "vu par le docteur vraz"),
        ("PROFESEUR Lacaze, MADAMME Kerguelen, DOCYEUR Martin", "PROFESSEUR Lacaze, MADAME Kerguelen, DOCTEUR Martin"),
        ("DOCYEUR Paul Lacaze, PROFESEUR Ali-Reza", "DOCTEUR Paul Lacaze, PROFESSEUR Ali-Reza"),
        ("Profeseur Vraz, Mrne Vraz", "Professeur Vraz, Mme Vraz"),
        ("Mme 0lry, Dr 0LRY", "Mme Olry, Dr OLRY"),
    ],
)
def test_a_title_is_read_without_its_slip(written: str, read: str) -> None:
    assert legible(written).document.text == read


@pytest.mark.parametrize(
    "text",
    [
        "M. Docteau, Mme Madama Oumar",  # names behind a title
        "Mr MADAM Kossi, Mlle MADAMA AWA, née Madama le 3 mai, l'enfant Madama Awa",
        "MADAMA Kossi",  # a surname ahead of its first name
        "DOCTER Paul, né à Gap ; PROFFESSER Ali sort",
        "Facteur V, moteur, Madone du lac",
        "Le rapporteur Professeux",
        "Mme 02 Durand, Mme O2 lunettes, 0ttawa",
        "Docyeur",  # no name behind
    ],
)
def test_what_only_resembles_a_title_is_left(text: str) -> None:
    assert legible(text).document.text == text


def test_a_patient_who_is_called_nearly_like_a_title_keeps_the_name() -> None:
    patient = Patient(key="p", last_name="MADEME", first_names=("Aline",))
    assert legible("Aline vient ; Mademe Aline aussi", patient).document.text == "Aline vient ; Mademe Aline aussi"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("drVasseur, DrKerzivat, mmeMoreau", "dr Vasseur, Dr Kerzivat, mme Moreau"),
        ("prRoux et profBertin, DRVasseur, IDELucie", "pr Roux et prof Bertin, DR Vasseur, IDE Lucie"),
        ("drvasseur, mrlefebvre, mmedupont", "dr vasseur, mr lefebvre, mme dupont"),
        ("MMoreau et MOreau", "M. Moreau et MOreau"),
        ("chezKerzivat, parMoreau, ditTi-Paul, avecAline", "chez Kerzivat, par Moreau, dit Ti-Paul, avec Aline"),
        ("drLe-Gall, plusMoreau", "dr Le-Gall, plus Moreau"),
    ],
)
def test_a_name_is_read_without_the_word_glued_before_it(written: str, read: str) -> None:
    assert legible(written).document.text == read


@pytest.mark.parametrize(
    "text",
    [
        "PrEP, PaO2, PrPsc, proBNP, FibroScan, AirSense, pHmétrie, vaccinPfizer",
        "drain, drsc, mrsa, dressing, dracunculose, madeleine, professorat",
        "McDonald, MBaye, LeGoff, JMoreau, MArtin, DUrand",
        "nomPatient, codePostal, cardioVasculaire, preOp",
        "drMoreau@ch.example, a.drMoreau, www.drMoreau.example",
    ],
)
def test_what_only_resembles_a_glued_name_is_left(text: str) -> None:
    assert legible(text).document.text == text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("All. : latex, Augmen-\n      tin et iode", "All. : latex, Augmentin et iode"),
        ("Appel à Mme Mar-\ntin, puis au Dr Vin-\ncent.", "Appel à Mme Martin, puis au Dr Vincent."),
        ("syndrome de Gil-\nbert", "syndrome de Gilbert"),
        ("Mme Diarra Kadi-\ndiatou\nrepart", "Mme Diarra Kadidiatou\nrepart"),
        ("SOUS AUGMEN-\nTIN", "SOUS AUGMENTIN"),
        ("né à Saint-Flo-\nrentin, vit à Aigues-\nMortes", "né à Saint-Florentin, vit à Aigues-Mortes"),
        ("La Charité-sur-Loi-\nre et Saint-Jean-d'An-\ngély", "La Charité-sur-Loire et Saint-Jean-d'Angély"),
        ("Mme Roux-Mar-\ntin, post-opéra-\ntoire", "Mme Roux-Martin, post-opératoire"),
    ],
)
def test_a_word_cut_at_the_end_of_a_line_is_read_whole(written: str, read: str) -> None:
    assert legible(written).document.text == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Amitiés à Nico1e, sa fil1e Mu rielle", "Amitiés à Nicole, sa fille Murielle"),
        ("M. Ta1on, Dr Emi1e FABRY", "M. Talon, Dr Emile FABRY"),
        ("C.H.U. de RE1MS, D'AM1ENS, TR0YES, MAlNE-ET-L0IRE", "C.H.U. de REIMS, D'AMIENS, TROYES, MAINE-ET-LOIRE"),
        ("le Pr Du-\nbail1y à Mourme1on", "le Pr Dubailly à Mourmelon"),
        ("avec 1e docteur Schae ffer, Ghis laine, BRA UN", "avec 1e docteur Schae ffer, Ghis laine, BRA UN"),
        ("consu1tation : Schae ffer, Ghis laine, BRA UN", "consultation : Schaeffer, Ghislaine, BRAUN"),
        ("hba1c 7, homme de nain, an na", "hba1c 7, homme de nain, an na"),
        ("consu1té à SE LESTAT, St-Chris tophe", "consulté à SELESTAT, St-Christophe"),
        ("pa tiente, tem pérature, chirur gien, réa1isé", "patiente, température, chirurgien, réalisé"),
        ("consu1té : Ali ne DUP ONT", "consulté : Aline DUPONT"),
        ("réa1isé : CD10, H1N1, IL10, HbA1c, 10ans, 10mmol, en fin, par tout", None),
    ],
)
def test_words_that_a_scanner_broke_are_read_whole(written: str, read: str | None) -> None:
    assert legible(written).document.text == (read or written.replace("réa1isé", "réalisé"))


@pytest.mark.parametrize(
    "text",
    [
        "Dr Tessier-\nMoreau",
        "sous-\nunité, non-\nstop, peut-\nêtre",
        "vient de lui-\nmême, dit-\nil",
        "T4-\nL5, HbA1c -\nstable",
        "- apyrexie -\nselles normales",
    ],
)
def test_a_compound_at_the_end_of_a_line_is_left(text: str) -> None:
    one = legible(text)
    assert one.document is one.source


@pytest.mark.parametrize(
    "text",
    [
        "IFNγ, TNFα, PPARγ, TCRαβ, NF-κB, β-bloquant, α-fœtoprotéine, 12 μg/L, 3 kΩ, ΔPP",
        "C.R.P. négative, I.R.M. et E.C.B.U. prévus, A-B-C-D-E, vitamines A, B, C, D, E et K",
        "plaquettes 14510/mm3, leucocytes 5137/mm3",
        "CYP2D6, COL1A1, HLA-B27, CO₂, Ca²⁺, 1ʳᵉ prise, ½ dose, 20 % de 50",
        "⚠️ allergie, VIII, grade III, TA 13/8, LAC45-24-0317, le pont du village, McDonald",
        "Dupont et Aline sont venus.\nLe Dr Moreau aussi : a@b.fr, http://exemple.fr/a%2Fb",
    ],
)
def test_medicine_is_read_as_it_is_written(text: str) -> None:
    one = legible(text)
    assert one.document is one.source


def test_a_text_that_nobody_disguised_is_the_same_document() -> None:
    one = legible("M. DUPONT est venu avec Mme Moreau.")
    assert one.document is one.source
    assert one.restored([Mention(3, 9, Label.PATIENT)]) == (Mention(3, 9, Label.PATIENT),)


def test_mentions_return_to_the_source() -> None:
    source = "M. D\u200bU\u200bPONT vu par le Dr Le\ufb02och et P-E-R-R-I-N."
    one = legible(source)
    assert one.document.text == "M. DUPONT vu par le Dr Lefloch et PERRIN."
    found = [
        Mention(at, at + len(name), Label.PERSON)
        for name in ("DUPONT", "Lefloch", "PERRIN")
        for at in [one.document.text.index(name)]
    ]
    assert [source[m.start : m.end] for m in one.restored(found)] == [
        "D\u200bU\u200bPONT",
        "Le\ufb02och",
        "P-E-R-R-I-N",
    ]
    half = one.document.text.index("floch")
    (cut,) = one.restored([Mention(half, half + 1, Label.PERSON)])
    assert source[cut.start : cut.end] == "\ufb02", "a mention never cuts a character"


@given(st.text(alphabet="DUPONTdupontéе\u200b\u0301\ufb01Ｄ0369&;#%=-_ \n\t😀.ⒶαA@", max_size=60))
def test_restored_mentions_are_sorted_disjoint_and_inside(text: str) -> None:
    one = legible(text)
    length = len(one.document.text)
    restored = one.restored([Mention(at, at + 1, Label.PERSON) for at in range(length)])
    assert all(mention.end <= len(text) for mention in restored)
    assert all(before.end <= after.start for before, after in pairwise(restored))
