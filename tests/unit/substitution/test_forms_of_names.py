"""Forms of one person join in a document, and two people of one name are told apart."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.document import Patient
from deid.french.folding import without_accents
from deid.quality.grammar import count_errors
from deid.reference.names import name_key
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.names import forms, nicknames
from tests.unit.substitution.examples import marked, surrogates

NAMES = packaged_tables().names
KEYS = [f"patient-{number}" for number in range(6)]
ROCHER = Patient(key="p1", last_name="ROCHER", first_names=("Hugo",), sex="M")


def drawn(substitutor: Substitutor, markup: str, patient: Patient | None = None) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=patient)))


# Abbreviations


@pytest.mark.parametrize(
    ("name", "short", "goes_on"),
    [
        ("Delacroix", "Delacr", ". va mieux"),
        ("Delacroix", "Delacr", ". Sortie prévue"),
        ("MONTCHARMONT", "MONTCH", ". opérée"),
        ("Beauregard", "Beaur", ".: RAS"),
        ("Vauquelin", "Vauq", "., lit 4"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_an_abbreviation_with_a_dot_is_the_name(
    name: str, short: str, goes_on: str, key: str, substitutor: Substitutor
) -> None:
    whole, part = drawn(substitutor, f"Mme [[PATIENT|{name}]]. Mme [[PERSON|{short}]]{goes_on}", Patient(key=key))
    assert whole.startswith(part), (whole, part)
    assert 2 <= len(part) < len(whole)
    assert not name.casefold().startswith(part.casefold())


def test_a_name_at_the_end_of_a_sentence_is_no_abbreviation(substitutor: Substitutor) -> None:
    jeanne, jean = drawn(substitutor, "[[PERSON|Martineau]] est venu avec M. [[PERSON|Martin]]. Il va bien.")
    assert not jeanne.startswith(jean)


def test_of_two_names_that_begin_alike_an_abbreviation_is_neither(substitutor: Substitutor) -> None:
    one, other, short = drawn(
        substitutor, "M. [[PERSON|Montrieux]], M. [[PERSON|Montrignac]], M. [[PERSON|Montri]]. va bien"
    )
    assert not one.startswith(short)
    assert not other.startswith(short)


# Particles glued or apart


@pytest.mark.parametrize(
    ("last", "apart", "glued"),
    [
        ("LE GUENNEC", "Le Guennec", "Leguennec"),
        ("LE BIHAN", "LE BIHAN", "LEBIHAN"),
        ("DE BRISSAC", "de Brissac", "Debrissac"),
        ("EL HADDAD", "El Haddad", "ELHADDAD"),
        ("BEN YOUSSEF", "Ben Youssef", "Benyoussef"),
        ("VAN DEN BROUCKE", "Van den Broucke", "VANDENBROUCKE"),
        ("LEGOUEFFLEC", "Le Gouefflec", "LEGOUEFFLEC"),
        ("LAFARGE", "La Farge", "Lafarge"),
    ],
)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_particle_is_the_same_name_glued_or_apart(
    last: str, apart: str, glued: str, known: bool, key: str, substitutor: Substitutor
) -> None:
    patient = Patient(key=key, last_name=last if known else None, first_names=("Sacha",) if known else ())
    one, other = drawn(substitutor, f"M. [[PATIENT|{apart}]], famille [[PERSON|{glued}]]", patient)
    assert re.sub(r"\W", "", one).casefold() == re.sub(r"\W", "", other).casefold()
    assert " " not in other
    assert other.isupper() == glued.isupper()


def test_an_elided_particle_keeps_its_vowel_before_a_consonant(substitutor: Substitutor) -> None:
    for key in KEYS:
        apart, glued = drawn(substitutor, "M. [[PERSON|d'Artagnan]], Mr [[PERSON|Dartagnan]]", Patient(key=key))
        assert re.match(r"D(?:[aeiouyhéè]|e[a-z])", glued), glued
        assert without_accents(apart).replace("'", "").replace(" ", "").casefold() == without_accents(glued).casefold()


@pytest.mark.parametrize("text", ["de Vries", "DE BRISSAC", "Le Guennec", "LA FARGE", "d'Ormesson", "L'HOSTIS"])
@pytest.mark.parametrize("ahead", ["M. ", "la famille ", "celui que "])
def test_particles_agree_with_the_surrogate(text: str, ahead: str, substitutor: Substitutor) -> None:
    for key in [f"patient-{number}" for number in range(40)]:
        result = substitutor.substitute(*marked(f"{ahead}[[PERSON|{text}]] vient", patient=Patient(key=key)))
        assert count_errors(result) == 0, result.text


@pytest.mark.parametrize("ahead", ["d'", "de ", "D’", "qu'", "l'enfant d'", "la mère de ", "c'est l'"])
@pytest.mark.parametrize("name", ["Agnès", "Brigitte", "Hervé LE GOFF", "Yves", "Odile Urvoy", "DURAND"])
def test_the_words_ahead_of_a_person_agree(ahead: str, name: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        markup = f"Vu {ahead}[[PERSON|{name}]] ce jour"
        result = substitutor.substitute(*marked(markup, patient=Patient(key=key)))
        assert count_errors(result) == 0, result.text


# Initials


@pytest.mark.parametrize("key", KEYS)
def test_initials_of_a_compound_first_name_follow_its_surrogate(key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, last_name="LE GUENNEC", first_names=("Marie-Thérèse",), sex="F")
    name, *forms = drawn(
        substitutor,
        "[[PATIENT|Marie-Thérèse LE GUENNEC]], [[DOCTOR|M.-Th. Le Guennec]], [[DOCTOR|MT LE GUENNEC]], "
        "[[PERSON|M. Th. Le Guennec]], [[PATIENT|MT Le Guennec]]",
        patient,
    )
    first, _, last = name.partition(" LE ")
    one, two = (part[0] for part in without_accents(first).split("-"))
    family = f"Le {last.capitalize()}"
    assert forms == [
        f"{one}.-{two}. {family}",
        f"{one}{two} LE {last}",
        f"{one}. {two}. {family}",
        f"{one}{two} {family}",
    ]


@pytest.mark.parametrize("written", ["PY Durieux", "JM LE ROUX", "MT Vasseur", "JL PERRIN"])
def test_initials_of_somebody_unknown_do_not_stay_or_become_a_name(written: str, substitutor: Substitutor) -> None:
    (name,) = drawn(substitutor, f"[[PERSON|{written}]] sort")
    letters, original = name.split()[0], written.split()[0]
    assert re.fullmatch("[A-Z]{2}", letters)
    assert letters[0] != original[0]
    assert letters[1] != original[1]


@pytest.mark.parametrize("written", ["LY Aminata", "BA Mariama", "NG Tuan Anh"])
def test_a_surname_of_two_letters_is_no_initials(written: str, substitutor: Substitutor) -> None:
    patient = Patient(key="p", last_name=written.split()[0], first_names=(written.split(" ", 1)[1],))
    (name,) = drawn(substitutor, f"[[PATIENT|{written}]] sort", patient)
    assert len(name.split()[0]) > 2


def test_a_civility_before_an_initial_stays(substitutor: Substitutor) -> None:
    _, man, marked_so = drawn(
        substitutor, "Dr [[DOCTOR|Jeanne Perrin]], [[DOCTOR|M. J. Perrin]], [[DOCTOR|M. Leroux]] é"
    )
    assert man.startswith("M. ")
    assert marked_so.startswith("M. ")
    marc, initials = drawn(substitutor, "Dr [[DOCTOR|Marc-Jean Perrin]], [[DOCTOR|M. J. Perrin]] é")
    assert initials.startswith(f"{marc[0]}. ")


def test_an_initial_is_that_of_the_one_of_a_family_whom_the_words_tell(substitutor: Substitutor) -> None:
    family = "[[PERSON|Léa Fontaine]], [[PERSON|Louis Fontaine]], [[PERSON|Lise Fontaine]]. "
    lea, louis, _, father = drawn(substitutor, family + "Le père, [[PERSON|L. Fontaine]], est venu.")
    assert father[0] == without_accents(louis)[0]
    *_, mother = drawn(substitutor, family + "Sa mère, [[PERSON|L. Fontaine]], est venue.")
    assert mother[0] == without_accents(lea)[0]


# Who is the patient, whatever the label


@pytest.mark.parametrize(
    "written",
    ["Signé : [[DOCTOR|H. ROCHER]]", "[[DOCTOR|Rocher H.]]", "CC : [[DOCTOR|Rocher]]", "M. [[DOCTOR|Rocher]]"],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_form_of_the_patient_is_the_patient(written: str, key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, last_name="ROCHER", first_names=("Hugo",), sex="M")
    name, form = drawn(substitutor, f"M. [[PATIENT|Hugo ROCHER]]. {written}.", patient)
    assert name.split()[1] in form.upper()


@pytest.mark.parametrize(
    "written",
    [
        "Dr [[DOCTOR|Rocher]]",
        "Mme [[DOCTOR|Rocher]]",
        "opéré par [[DOCTOR|Rocher]]",
        "[[DOCTOR|Rocher]], interne",
        "signé [[DOCTOR|B. Rocher]]",
        "Dr [[DOCTOR|Rocher]]. CC [[DOCTOR|Rocher]]",
    ],
)
def test_a_professional_of_that_name_is_not(written: str, substitutor: Substitutor) -> None:
    name, *others = drawn(substitutor, f"M. [[PATIENT|Hugo ROCHER]]. {written}.", ROCHER)
    assert all(name.split()[1] not in other.upper() for other in others)


# Two people of one first name


@pytest.mark.parametrize("first", ["Dominique", "Claude", "Camille"])
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_man_and_a_woman_of_one_first_name_are_two(first: str, key: str, substitutor: Substitutor) -> None:
    him, her, again = drawn(
        substitutor,
        f"M. [[PERSON|{first} Taillefer]] et Mme [[PERSON|{first} Taillefer]]. [[PERSON|{first}]] dort.",
        Patient(key=key),
    )
    assert him.split()[1] == her.split()[1]
    assert him.split()[0] != her.split()[0] == again
    assert NAMES.sex_of(without_accents(him.split()[0]).casefold()) != "F"
    assert NAMES.sex_of(without_accents(her.split()[0]).casefold()) != "M"


@pytest.mark.parametrize(
    ("markup", "sex"),
    [
        ("Le patient et [[PERSON|Anneke]], son épouse, sont reçus", "F"),
        ("[[PERSON|Anneke]] (sa sœur) appelle", "F"),
        ("[[PERSON|Anneke]], née en 1950", "F"),
        ("[[PERSON|Anneke]] a été adressée", "F"),
        ("[[PERSON|Bjarne]], son fils, vient", "M"),
        ("[[PERSON|Bjarne]] est venu seul", "M"),
        ("[[PERSON|Kofi]], âgé de 8 ans", "M"),
        ("la patiente et [[PERSON|Kofi]], son mari", "M"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_first_name_of_no_table_has_the_sex_that_the_words_around_tell(
    markup: str, sex: str, key: str, substitutor: Substitutor
) -> None:
    (name,) = drawn(substitutor, markup, Patient(key=key))
    assert NAMES.sex_of(without_accents(name).casefold()) in (sex, None)


# Bad input


def test_an_animal_called_like_a_person_is_replaced_as_the_person(substitutor: Substitutor) -> None:
    son, rabbit = drawn(substitutor, "[[PERSON|Oscar Vial]] nourrit son lapin [[PERSON|Oscar]]")
    assert son.split()[0] == rabbit


def test_a_nickname_is_replaced_each_time_alike(substitutor: Substitutor) -> None:
    _, *cathy = drawn(
        substitutor, "[[PATIENT|Catherine Vasseur]], [[PERSON|Cathy]] dort, [[PATIENT|Cathy]], [[DOCTOR|Cathy Vasseur]]"
    )
    assert len({form.split()[0] for form in cathy}) == 1
    assert "Cathy" not in cathy


def test_an_eponym_is_the_first_name_of_one_and_the_surname_of_another(substitutor: Substitutor) -> None:
    patient = Patient(key="p", last_name="HORTON", first_names=("Lise",), sex="F")
    lise, doctor = drawn(substitutor, "[[PATIENT|Lise HORTON]] vue par le Dr [[DOCTOR|Horton DUVAL]]", patient)
    assert not {word.casefold() for word in lise.split()} & {word.casefold() for word in doctor.split()}
    assert "horton" not in doctor.casefold()


@pytest.mark.parametrize("text", ["M.", "Th.", "M.-Th.", "MT", "M. J.", "LE.", "d'.", "Le Le", "A.B.C.D.", "JPh."])
def test_scraps_of_names_are_replaced(text: str, substitutor: Substitutor) -> None:
    patient = Patient(key="p", last_name="LE", first_names=("Jean-Philippe",))
    (one,) = drawn(substitutor, f"vu [[PERSON|{text}]] é", patient)
    assert one != text


# Marks of writers: each is of somebody named in the same document.

MARKS = [
    ("[[DOCTOR|Gwladys]] (interne) : [[DOCTOR|G.]]", "{0}."),
    ("infirmière : [[PERSON|Letizia]]. TA 12. [[PERSON|L.]]", "{0}."),
    ("relu par [[DOCTOR|Farida]] / [[DOCTOR|F.]]", "{0}."),
    ("Dr [[DOCTOR|S. Ruch]] / [[DOCTOR|sr]]", "{0}{1}"),
    ("interne [[DOCTOR|Lamia H.]] ([[DOCTOR|lh]])", "{0}{1}"),
    ("instr. [[DOCTOR|Chantal G.]], compte juste : [[DOCTOR|CG]]", "{0}{1}"),
    ("[[DOCTOR|Q. Loizillon]] vis. [[DOCTOR|QL]]", "{0}{1}"),
    ("[[DOCTOR|Vidalin M-H]] note [[DOCTOR|mhv]]", "{1}{2}{0}"),
    ("Dr [[DOCTOR|Bernard Guillemin-Lepage]], dactyl. [[DOCTOR|bgl]]", "{0}{1}{2}"),
    ("Dr [[DOCTOR|Mickaël Ohnen-Keller]], rédaction [[DOCTOR|mok]]", "{0}{1}{2}"),
    ("fait par [[DOCTOR|Gaëlle Kervran-T.]], [[DOCTOR|gkt]]", "{0}{1}{2}"),
    ("Mme [[PERSON|Sylviane H.]], copie [[PERSON|sh]]", "{0}{1}"),
    ("Dr [[DOCTOR|P.-A. Colonna d'Istria]], signé [[DOCTOR|P.A.C.]]", "{0}.{1}.{2}."),
    ("Dr [[DOCTOR|J. Ruch Le Gall]] / [[DOCTOR|jr]]", "{0}{1}"),
]


@pytest.mark.parametrize(("markup", "form"), MARKS)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_mark_has_the_letters_of_its_writer(markup: str, form: str, key: str, substitutor: Substitutor) -> None:
    name, mark = drawn(substitutor, markup, Patient(key=key))
    letters = [word[0] for word in re.findall(r"[^\W\d_]+", without_accents(name))]
    assert mark.casefold() == form.format(*letters).casefold()


@pytest.mark.parametrize(
    ("markup", "place", "letter"),
    [
        ("Dr [[DOCTOR|Pawlak]] : bien reçu. [[DOCTOR|J.P.]]", 0, -1),
        ("Pr [[DOCTOR|Grosjean]] a vu. [[DOCTOR|ABG]]", 0, -1),
        ("régulateur : Dr [[DOCTOR|QUÉRÉ]]. Clôture [[DOCTOR|QRE]]", 0, 0),
        ("IADE [[DOCTOR|Cœurvolan]], sign. [[DOCTOR|cv]]", 0, 0),
        ("IAO [[DOCTOR|Mél]]. [[DOCTOR|Roussel]], transmis. [[DOCTOR|MR]]", 0, 0),
        ("AS [[DOCTOR|Titi]], IDE [[DOCTOR|Gisèle]] : [[DOCTOR|TX]]", 0, 0),
        ("IDE [[DOCTOR|Tiphaine]] + Dr [[DOCTOR|Quintin]]. [[DOCTOR|TL]]", 0, 0),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_mark_has_the_letter_that_is_known_of_its_writer(
    markup: str, place: int, letter: int, key: str, substitutor: Substitutor
) -> None:
    *names, mark = drawn(substitutor, markup, Patient(key=key))
    letters = [one for one in without_accents(mark).casefold() if one.isalpha()]
    assert letters[letter] == without_accents(names[place]).casefold()[0]


@pytest.mark.parametrize(
    ("patient", "writer", "mark"),
    [("Hippolyte DORIVAL", "Huc-Desgrottes", "H.D."), ("Ange-Marie CLAIR", "C. Aubaine", "ca")],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_professionals_mark_is_his_before_the_patients(
    patient: str, writer: str, mark: str, key: str, substitutor: Substitutor
) -> None:
    first, surname = patient.split()
    _, name, written = drawn(
        substitutor,
        f"[[PATIENT|{patient}]], Dr [[DOCTOR|{writer}]]. [[DOCTOR|{mark}]]",
        Patient(key=key, last_name=surname, first_names=(first,), sex="M"),
    )
    initials = [word[0] for word in re.findall(r"[^\W\d_]+", without_accents(name))]
    assert [one for one in written.upper() if one.isalpha()] == initials


@pytest.mark.parametrize(
    ("markup", "form"),
    [
        ("[[DOCTOR|Tiphaine Pomme]] (kiné). Bises, [[DOCTOR|Tiph]]", "begins"),
        ("Tata [[PERSON|Jo]] ([[PERSON|Joëlle Garnier]])", "begins"),
        ("[[PERSON|Kamélia]] est là, [[PERSON|Kam]] aussi", "begins"),
        ("sa femme [[PERSON|Hermine]], « [[PERSON|Mimine]] »", "ends"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_nickname_of_no_table_is_made_of_the_surrogate(
    markup: str, form: str, key: str, substitutor: Substitutor
) -> None:
    one, other = (without_accents(name).casefold() for name in drawn(substitutor, markup, Patient(key=key)))
    short, name = sorted((one, other), key=len) if form == "begins" else (other, one)
    if form == "begins" and short not in nicknames.NAMES_OF:
        assert name.startswith(short)
    elif short not in nicknames.NAMES_OF:
        assert name.endswith(short[2:])
        assert short[:2] == short[2:4]


@pytest.mark.parametrize(
    "markup",
    [
        "M. [[PATIENT|Aleksander Wójcik]], dit « [[PATIENT|Olek]] ». [[PATIENT|Olek]] revient",
        "Mme [[PATIENT|Zainabou Said]] dite [[PATIENT|zaza]] ; [[PATIENT|zaza]] revient",
        "on le surnomme [[PERSON|Gueurnouille]] ; [[PERSON|Gueurnouille]] signe",
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_who_is_said_to_be_called_so_gets_a_nickname(markup: str, key: str, substitutor: Substitutor) -> None:
    *_, called, again = drawn(substitutor, markup, Patient(key=key))
    assert called == again
    assert without_accents(called).lower() in nicknames.NAMES_OF


@pytest.mark.parametrize("key", KEYS)
def test_a_diminutive_in_small_letters_is_no_login(key: str, substitutor: Substitutor) -> None:
    whole, short = drawn(substitutor, "vu par [[DOCTOR|manue]], puis par [[DOCTOR|manue]]", Patient(key=key))
    assert whole == short
    assert without_accents(whole) in nicknames.NAMES_OF


@pytest.mark.parametrize(
    ("name", "mark"),
    [("Dubuc", "DUB"), ("Kelly", "kel"), ("Marguerin", "MARG"), ("Vercruysse", "verc"), ("Pélissier", "PEL.")],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_mark_cut_from_a_name_is_cut_from_its_surrogate(
    name: str, mark: str, key: str, substitutor: Substitutor
) -> None:
    whole, part = drawn(substitutor, f"[[DOCTOR|{name}]] (interne), [[DOCTOR|{mark}]]/ab", Patient(key=key))
    assert whole.casefold().startswith(part.casefold().rstrip("."))


def test_initials_of_a_patient_whose_names_are_apart_are_his(substitutor: Substitutor) -> None:
    surname, first, short = drawn(
        substitutor, "Nom : [[PATIENT|LAVIGNE]]  Prénom : [[PATIENT|Pascal]]  pot : [[PERSON|LAVIGNE P.]]"
    )
    assert short == f"{surname} {without_accents(first)[0]}."


@pytest.mark.parametrize("name", ["Ly", "Lou", "Rose", "Tom", "Ba", "Noa", "Diop", "Roy"])
def test_a_short_name_is_no_mark(name: str, substitutor: Substitutor) -> None:
    *_, short = drawn(
        substitutor, f"[[DOCTOR|Lise Yvon]], [[DOCTOR|Roseline Abt]], [[DOCTOR|Louise Urvoy]], [[PERSON|{name}]] sort"
    )
    assert len(short) > 2
    assert short.istitle()


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("transmissions [[DOCTOR|nadege]], [[DOCTOR|jo]] et sofia", "jo"),
        ("appel a la fille [[PERSON|eve]] a midi", "eve"),
        ("APPEL A LA FILLE [[PERSON|EVE]] A MIDI", "EVE"),
        ("PASSAGE DE [[DOCTOR|LEA]] CE SOIR", "LEA"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_short_first_name_in_the_case_of_its_line_is_no_initials(
    markup: str, name: str, key: str, substitutor: Substitutor
) -> None:
    written = without_accents(drawn(substitutor, markup, Patient(key=key))[-1])
    assert written.isupper() is name.isupper()
    assert name_key(written) in NAMES.first or written.casefold() in nicknames.NAMES_OF


@pytest.mark.parametrize(
    "markup", ["Vu, prescrit. / [[DOCTOR|jo]]", "Vu par le Dr. Frappe : [[DOCTOR|eve]]/[[DOCTOR|jo]]"]
)
def test_behind_a_slash_or_among_capitals_they_are_initials(markup: str, substitutor: Substitutor) -> None:
    assert len(drawn(substitutor, markup)[-1]) == len("jo")


@pytest.mark.parametrize(
    ("markup", "shape"),
    [
        ("le nommé [[PERSON|Ti Georges]], [[PERSON|Georges]]", r"le nommé Ti ([A-Z]\w+), \1"),
        ("confié à [[DOCTOR|Ti-Jo]], brancardier", r"confié à Ti-[A-Z]\w+, brancardier"),
        ("« [[PERSON|Petit Louis]] » sort", r"« Petit [A-Z]\w+ » sort"),
        ("dit [[PERSON|Gros Paul]] au village", r"dit Gros [A-Z]\w+ au village"),
        ("La surveillante, [[DOCTOR|Sr Agnès]]", r"La surveillante, Sr [A-Z]\w+"),
        ("[[DOCTOR|MC Durand]], [[DOCTOR|Marie-Claude Durand]]", r"(\w)(\w) (\w+), \1\w+-\2\w+ \3"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_the_words_of_a_nickname_stay_and_its_name_goes(
    markup: str, shape: str, key: str, substitutor: Substitutor
) -> None:
    assert re.fullmatch(shape, substitutor.substitute(*marked(markup, patient=Patient(key=key))).text)


@pytest.mark.parametrize(
    ("markup", "gone"),
    [
        ("[[PATIENT|Petit Louis]], 54 ans, dit « [[PATIENT|Petit Louis]] »", "petit"),
        ("Dr [[DOCTOR|Petit Louis]]", "petit"),
        ("vu par [[DOCTOR|petit julie]]", "petit"),
        ("[[DOCTOR|MC DONALD]]", "donald"),
    ],
)
def test_a_surname_that_reads_like_a_word_of_a_nickname_goes(markup: str, gone: str, substitutor: Substitutor) -> None:
    patient = Patient(key="p", last_name="PETIT", first_names=("Louis",), sex="M")
    assert gone not in substitutor.substitute(*marked(markup, patient=patient)).text.casefold()


@pytest.mark.parametrize(
    ("markup", "place"),
    [
        ("madame [[PATIENT|fleury]] avec un [[PATIENT|y]], colette", -1),
        ("monsieur [[PATIENT|kuntz]] avec un [[PATIENT|k comme kilo]] né", 0),
        ("M. [[PATIENT|DUPONT]] avec un [[PATIENT|T]], à ne pas", -1),
        ("M. [[PATIENT|Lefèvre]] prend un [[PATIENT|è]], 45 ans", None),
        ("docteur [[DOCTOR|garret]] avec deux [[DOCTOR|r]] puis", None),
        ("Mme [[PATIENT|Thibault]] avec un [[PATIENT|H]] et un [[PATIENT|L]], dossier", None),
    ],
)
@pytest.mark.parametrize("key", KEYS)
def test_a_letter_that_is_told_of_a_name_is_told_of_its_surrogate(
    markup: str, place: int | None, key: str, substitutor: Substitutor
) -> None:
    name, *told = (without_accents(one) for one in drawn(substitutor, markup, Patient(key=key)))
    originals = re.findall(r"\|(\w)(?:\]\]| comme)", without_accents(markup))
    for letter, original in zip(told, originals, strict=True):
        assert letter[0].isupper() is original.isupper()
        assert letter[0].casefold() != original.casefold()
        assert letter[0].casefold() in name.casefold()
        if place is not None and name[place].casefold() != original.casefold():
            assert letter[0].casefold() == name[place].casefold()
        assert " " not in letter or letter.split(" comme ")[1][0] == letter[0]


@pytest.mark.parametrize("key", KEYS[:3])
def test_a_letter_that_a_name_lacks_is_none_of_its_surrogate(key: str, substitutor: Substitutor) -> None:
    name, letter = drawn(substitutor, "au nom de [[PATIENT|batiste]] sans [[PATIENT|p]] ne", Patient(key=key))
    assert letter not in without_accents(name)
    assert letter != "p"


# Letters that stand for a name


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("markup", "form"),
    [
        ("Dr [[DOCTOR|G. HULLIN-SARAZAIN]]. [[DOCTOR|GH]]/[[DOCTOR|ot]]", r"Dr (\w)\. (\w)\w+-\w+\. \1\2/\w\w"),
        ("Dr [[DOCTOR|M. Vidal-Roche]], réf. [[DOCTOR|mv]]", r"Dr (?i:(\w)\. (\w)\w+-\w+, réf\. \1\2)"),
        ("Dr [[DOCTOR|Philippe GARCIN]], [[DOCTOR|PH. GARCIN]]", r"Dr (\w)\w+ (\w+), \1\. \2"),
        ("Dr [[DOCTOR|Thérèse Vidal]], [[EMAIL|th.vidal@chu-lens.fr]]", r"Dr (?i:(\w)\w+ (\w+), \1\.\2@.+)"),
        ("Dr [[DOCTOR|CH. GOUTTEFANGEAS]]", r"Dr \w\. \w+"),
        ("Dr [[DOCTOR|JP. GOUTTEFANGEAS]]", r"Dr \w\w\. \w+"),
        ("[[DOCTOR|Nino V.]], [[DOCTOR|Nino VAN DER HOOVSEPIAN]]", r"(\w+) (\w)\., \1 \2\w+"),
        ("Dr [[DOCTOR|Y. GUILLAIN]] [[EMAIL|yveline.guillain@chu.fr]]", r"Dr (?i:(\w)\. (\w+) \1\w+\.\2@.+)"),
        ("Dr [[DOCTOR|H. Vidal]] [[EMAIL|vidal.hugo@chu.fr]]", r"Dr (?i:(\w)\. (\w+) \2\.\1\w+@.+)"),
    ],
)
def test_letters_are_those_of_the_surrogate(markup: str, form: str, key: str, substitutor: Substitutor) -> None:
    written = without_accents(substitutor.substitute(*marked(markup, patient=Patient(key=key))).text)
    assert re.fullmatch(without_accents(form), written), written


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("salière", "s a l i e accent grave r e"),
        ("lefrançois", "l e f r a n c cédille o i s"),
        ("wagner", "double v a g n e r"),
    ],
)
def test_accents_that_are_said_among_letters_are_no_names(
    name: str, letters: str, key: str, substitutor: Substitutor
) -> None:
    said, spelt = drawn(substitutor, f"monsieur [[PATIENT|{name}]] [[PATIENT|{letters}]] va bien", Patient(key=key))
    assert "accent" not in spelt
    assert without_accents(said).replace("-", "").replace(" ", "") == without_accents(spelt).replace(" ", "")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("ahead", ["Madame ", "Patiente ", "La patiente ", "Mlle "])
def test_the_m_of_a_womans_initials_is_no_civility(ahead: str, key: str, substitutor: Substitutor) -> None:
    (letters,) = drawn(substitutor, f"{ahead}[[PATIENT|M. A]] âgée de 32 ans", Patient(key=key))
    assert re.fullmatch(r"(?!M)\w\. (?!A)\w", letters)


# One person misspelt, and a first name by its place


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("one", "other"),
    [("Rachid York", "Rachid Yorkk"), ("Rachid YORK", "Rachid YOORK"), ("Élise Vidal", "Élise Viddal")],
)
def test_a_short_name_misspelt_beside_the_same_first_name_is_one(
    one: str, other: str, key: str, substitutor: Substitutor
) -> None:
    whole, typed = drawn(substitutor, f"Dr [[DOCTOR|{one}]], Pr [[DOCTOR|{other}]]", Patient(key=key))
    assert whole == typed


@pytest.mark.parametrize("key", KEYS[:3])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mme [[PERSON|POINOUI]]", "Mme [[PERSON|POzNOUI]]"),
        ("Mme [[PERSON|POzNOUI]]", "Mme [[PERSON|POINOUI]]"),
        ("M. [[PERSON|KOUASSI]]", "M. [[PERSON|KOUASSl]]"),
        ("M. [[PERSON|Kouassi]]", "M. [[PERSON|Kouass1]]"),
        ("M. [[PERSON|DUPONT]]", "M. [[PERSON|DUP0NT]]"),
        ("M. [[PERSON|Bernard]]", "M. [[PERSON|Bemard]]"),
        ("M. [[PATIENT|KOUASSI]]", "M. [[PATIENT|KOUASI]]"),
        ("M. [[PERSON|Jean Poinoui]]", "M. [[PERSON|Jean Poimoui]]"),
        ("M. [[PERSON|Jean Poinoui]]", "M. [[PERSON|J. Poimoui]]"),
        ("M. [[PERSON|Dembélé]]", "M. [[PERSON|Dembele]]"),
    ],
)
def test_a_surname_misread_or_misspelt_beside_one_first_name_is_one(
    one: str, other: str, key: str, substitutor: Substitutor
) -> None:
    names = drawn(substitutor, f"{one}, {other}", Patient(key=key))
    first, second = (without_accents(name).casefold().split()[-1] for name in names)
    assert first == second
    assert without_accents(names[0]).split()[0][0] == without_accents(names[1]).split()[0][0]


@given(st.text("abcd", min_size=5, max_size=9), st.integers(0, 9), st.sampled_from("abcd"), st.integers(0, 3))
def test_a_word_one_letter_off_shares_an_end(word: str, at: int, letter: str, way: int) -> None:
    behind = word[at:]
    other = word[:at] + (letter + behind, letter + behind[1:], behind[1:], behind[1::-1] + behind[2:])[way]
    if len(other) >= 5:
        assert not set(forms.ends(word)).isdisjoint(forms.ends(other))


def test_unknown_surnames_are_compared_with_few_others(
    substitutor: Substitutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []
    misspells = forms._misspells

    def counted(word: str, name: str) -> bool:
        compared.append(word)
        return misspells(word, name)

    monkeypatch.setattr(forms, "_misspells", counted)
    syllables = [a + b for a in "bdfgkmnprtvz" for b in "aeiou"]
    names = [f"{one}w{two}x" for one, two in product(syllables[::3], syllables[::3])]  # 400, of six letters
    drawn(substitutor, " ".join(f"M. [[PERSON|Jean {name.capitalize()}]]," for name in names))
    assert 0 < len(compared) < len(names) ** 2 / 4


def test_initials_of_somebody_whose_surname_is_misspelt_are_his(substitutor: Substitutor) -> None:
    whole, short, mark = drawn(
        substitutor, "M. [[PATIENT|Poimoui]], [[PATIENT|Jean Poinoui]], [[PATIENT|J. Poimoui]], [[PATIENT|JP]]"
    )[1:]
    first, last = without_accents(whole).split()
    assert (short, mark) == (f"{first[0]}. {last}", first[0] + last[0])


@pytest.mark.parametrize("key", KEYS[:3])
@pytest.mark.parametrize(
    "markup",
    [
        "M. [[PERSON|Jean MARTIN]], Mme [[PERSON|Jeanne MARIN]]",
        "Dr [[DOCTOR|Martin]], Dr [[DOCTOR|Marin]]",
        "Dr [[DOCTOR|Jean Poinoui]], Dr [[DOCTOR|Paul Poimoui]]",
        "Dr [[DOCTOR|Zorbaki]], Dr [[DOCTOR|Zorbaky]]",
        "ses enfants [[PERSON|Xhylanna]] et [[PERSON|Xhylanno]]",
        "[[PERSON|Xhylanna Traoré]] et [[PERSON|Xhylanno Traoré]]",
        "M. [[PERSON|Jean Martin]], sa sœur [[PERSON|Jeanne Martin]]",
    ],
)
def test_people_whose_names_look_alike_stay_two(markup: str, key: str, substitutor: Substitutor) -> None:
    one, other = drawn(substitutor, markup, Patient(key=key))
    assert one.casefold() != other.casefold()


@pytest.mark.parametrize(("one", "other"), [("Rachid York", "Driss Yorkk"), ("Anne Roche", "Anne Rocher")])
def test_names_of_two_people_that_look_alike_stay_two(one: str, other: str, substitutor: Substitutor) -> None:
    first, second = drawn(substitutor, f"Dr [[DOCTOR|{one}]], Pr [[DOCTOR|{other}]]")
    assert first.split()[1] != second.split()[1]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "name",
    [
        "son fils [[PERSON|Dieu-Merci]]",
        "sa fille [[PERSON|Bonheur]]",
        "son frère [[PERSON|Espoir-Roch]]",
        "sa sœur aînée [[PERSON|Merveille]]",
        "son frère cadet [[PERSON|Trésor]]",
    ],
)
def test_a_lone_name_behind_a_relative_is_a_first_name(name: str, key: str, substitutor: Substitutor) -> None:
    (given,) = drawn(substitutor, f"Vit avec {name}, 17 ans", Patient(key=key))
    (whole,) = drawn(substitutor, f"Vit avec {name.replace(']]', ' BERNIER]]')}, 17 ans", Patient(key=key))
    assert whole.split()[0] == given


@pytest.mark.parametrize("key", KEYS)
def test_beside_the_patients_surname_a_doubtful_name_is_a_first_name(key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, last_name="Mariani-Kesler", first_names=("Léa",), sex="F")
    (son,) = drawn(substitutor, "son fils [[PERSON|Mariani-Kesler Bartosz]]", patient)
    given = son.split()[1]
    assert NAMES.sex_of(given.casefold()) in ("M", None), son
    assert NAMES.first_name(given.casefold()), son


def test_a_surname_behind_a_relative_and_a_civility_stays_one(substitutor: Substitutor) -> None:
    other, again = drawn(substitutor, "M. [[PERSON|Durand]], son fils M. [[PERSON|Durand]]")
    assert [other] * 2 == [again, *drawn(substitutor, "M. [[PERSON|Durand]]")]


@pytest.mark.parametrize("key", [f"p{number}" for number in range(40)])
def test_no_particle_stays_before_a_vowel(key: str, substitutor: Substitutor) -> None:
    (name,) = drawn(substitutor, "Pr [[DOCTOR|Pascal DU BARBARIA]]", Patient(key=key))
    assert not re.search(r"\bDU [AEIOUYÀ-Ö]", name), name


# Compound first names


@pytest.mark.parametrize(
    ("given", "surname", "sex"),
    [
        ("Mame Diarra", "Ndiaye", "F"),
        ("Cheikh Tidiane", "Sy", "M"),
        ("Ndeye Fatou", "Diop", "F"),
        ("Mamadou Lamine", "Barry", "M"),
        ("Marie Ange", "Konan", "F"),
        ("Abdel Kader", "Benali", "M"),
        ("Abd El Kader", "Benali", "M"),
        ("Thi Hong", "Nguyen", None),
    ],
)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_compound_first_name_is_one_in_all_its_forms(
    given: str, surname: str, sex: str | None, known: bool, key: str, substitutor: Substitutor
) -> None:
    patient = Patient(key=key, last_name=surname, first_names=(given,)) if known else Patient(key=key)
    whole, capitals, turned, first, family = drawn(
        substitutor,
        f"[[PATIENT|{given} {surname}]], [[PATIENT|{given} {surname.upper()}]], [[PATIENT|{surname.upper()} {given}]], "
        f"[[PATIENT|{given}]], nom : [[PATIENT|{surname}]]",
        patient,
    )
    assert whole == f"{first} {family}"
    assert capitals == f"{first} {family.upper()}"
    assert turned == f"{family.upper()} {first}"
    assert drawn(substitutor, f"[[PATIENT|{given} {surname}]]", patient) == [whole]
    for word in first.split() if sex else ():
        assert NAMES.sex_of(name_key(word)) in (sex, None), first


@pytest.mark.parametrize("key", KEYS[:3])
@pytest.mark.parametrize("name", ["Jean Martin Dupont", "Mame Diarra Ndiaye", "Paul Kouassi Konan"])
def test_a_word_that_a_title_announces_elsewhere_is_a_surname(name: str, key: str, substitutor: Substitutor) -> None:
    middle = name.split()[1]
    whole, other = drawn(substitutor, f"[[PERSON|{name}]], Mme [[PERSON|{middle}]]", Patient(key=key))
    assert whole.split()[1] == other


@pytest.mark.parametrize("key", KEYS[:3])
@pytest.mark.parametrize(
    ("name", "forms"),
    [
        (
            "Paul Kouassi Konan",
            {"PK": "01", "PKK": "012", "P. K. Konan": "0. 1. C", "Paul K. Konan": "A 1. C", "P. Kouassi K.": "0. B 2."},
        ),
        ("Anne Petit Roux", {"AR": "02", "AP": "01", "RA": "20", "A. P. Roux": "0. 1. C"}),
        (
            "Mame Diarra Ndiaye",
            {"MDN": "012", "MN": "02", "MD Ndiaye": "01 C", "Mame D. Ndiaye": "A 1. C", "Mame D.": "A 1."},
        ),
        ("Jean-Pierre Delmas", {"JP D.": "01 2.", "JPD": "012", "J.-P. D.": "0.-1. 2.", "JP. D.": "01. 2."}),
        ("Pierre-Alain Delmas", {"PA D.": "01 2.", "P.-A. D.": "0.-1. 2."}),
        ("Marie-Claude Delmas", {"MC D.": "01 2."}),
    ],
)
def test_initials_of_several_words_are_those_of_the_surrogate(
    name: str, forms: dict[str, str], key: str, substitutor: Substitutor
) -> None:
    markup = f"Dr [[DOCTOR|{name}]] ; " + " ; ".join(f"[[DOCTOR|{form}]]" for form in forms)
    whole, *written = drawn(substitutor, markup, Patient(key=key))
    words = re.split("[ -]", whole)
    letters = str.maketrans({str(place): without_accents(word)[0] for place, word in enumerate(words)})
    for one, shape in zip(written, forms.values(), strict=True):
        expected = shape.translate(letters | str.maketrans(dict(zip("ABC", words, strict=False))))
        assert without_accents(one) == without_accents(expected), (whole, shape)


@pytest.mark.parametrize("name", ["BA D.", "NG T."])
def test_a_surname_of_two_letters_beside_an_initial_stays_a_name(name: str, substitutor: Substitutor) -> None:
    (surname, initial) = drawn(substitutor, f"vu [[PERSON|{name}]] é")[0].split()
    assert len(surname) > 2 or NAMES.surname_births(surname)
    assert re.fullmatch(r"[A-Z]\.", initial)


@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
def test_an_initial_of_a_particle_stays_that_of_the_particle(key: str, substitutor: Substitutor) -> None:
    short, whole = surrogates(
        substitutor.substitute(
            *marked("IADE : [[DOCTOR|Nasima d.]], avec [[DOCTOR|Nasima de Zotier]].", patient=Patient(key=key))
        )
    )
    assert short == f"{whole.split()[0]} d."


@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
def test_a_capital_i_that_a_scanner_read_as_a_small_l_is_one(key: str, substitutor: Substitutor) -> None:
    first, again = surrogates(
        substitutor.substitute(
            *marked("Dr [[DOCTOR|M. HAMELlN-LAURENT]]\nDr [[DOCTOR|M. Hamelin-Laurent]]", patient=Patient(key=key))
        )
    )
    assert first.isupper()
    assert first.casefold() == without_accents(again).casefold()


@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
def test_a_civility_ahead_of_an_initial_in_a_list_of_people_stays(key: str, substitutor: Substitutor) -> None:
    text = "Pr [[DOCTOR|Y. LE HÉNAFF]]\nMme [[DOCTOR|G. Riou]]\n[[DOCTOR|M. T. Cariou]]   psychologue"
    man = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))[2]
    assert man.startswith("M. ")
    assert not man.startswith("M. T.")
    alone = surrogates(substitutor.substitute(*marked("Vu [[DOCTOR|M. T. Cariou]]", patient=Patient(key=key))))[0]
    assert not alone.startswith("M.")


@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
def test_a_nickname_that_is_told_begins_as_the_surrogate(key: str, substitutor: Substitutor) -> None:
    name, short = surrogates(
        substitutor.substitute(
            *marked("M. [[PATIENT|BASTARD Claude]], il préfère qu'on dise [[DOCTOR|Clo]].", patient=Patient(key=key))
        )
    )
    assert short[:2] == without_accents(name.split()[1])[:2]


@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
def test_a_surname_with_a_slip_in_an_address_is_that_of_the_document(key: str, substitutor: Substitutor) -> None:
    name, address = surrogates(
        substitutor.substitute(
            *marked("Dr [[DOCTOR|Isabelle MARREC]] [[EMAIL|isabelle.marreec@ch-gap.fr]]", patient=Patient(key=key))
        )
    )
    assert address.partition("@")[0] == without_accents(name).lower().replace(" ", ".")


@pytest.mark.parametrize("key", ["s5", "s11", "s19", "s27", "s45"])
def test_a_nickname_that_is_made_is_no_word(key: str, substitutor: Substitutor) -> None:
    text = "Mme [[PATIENT|Claude Perrin]], dite [[PATIENT|Clo]], va bien. [[PATIENT|Clo]] mange peu."
    _, short, again = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))
    assert short == again
    assert len(short) > 2


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("surrogate", ["lea", "eve", "jo", "max"])
@pytest.mark.parametrize("nickname", ["maximi", "maximilien", "ma"])
def test_a_surrogate_shorter_than_the_nickname_has_one(nickname: str, surrogate: str, told: bool) -> None:
    made = nicknames.like("maximilienne", nickname, surrogate, told=told)
    assert made
    assert surrogate.startswith(made)
