"""Names: families, gender, shape, initials, pools, and the same person however written."""

from __future__ import annotations

import re

import pytest

from deid.config.policy import Policy
from deid.domain.document import Patient
from deid.french.folding import without_accents, words
from deid.reference import CommuneTable
from deid.reference.names import NOBODY
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.context import DocumentContext
from deid.substitution.generators.addresses import Addresses
from deid.substitution.names import nicknames
from deid.substitution.names.people import People
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

KEYS = [f"patient-{number}" for number in range(5)]
MARTIN = Patient(key="p1", last_name="MARTIN", birth_name="LEROY", first_names=("Claire",), sex="F")


def _one(substitutor: Substitutor, markup: str, patient: Patient | None = None) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=patient)))


# text of a PATIENT mention, what its surrogate must look like
SHAPES = [
    ("DUPONT Jean", r"[A-Z]{2,} [A-Z][a-z]+"),
    ("Jean DUPONT", r"[A-Z][a-z]+ [A-Z]{2,}"),
    ("DUPONT JEAN", r"[A-Z]{2,} [A-Z]{2,}"),
    ("dupont jean", r"[a-z]{2,} [a-z]{2,}"),
    ("J. Dupont", r"[A-Z]\. [A-Z][a-z]+"),
    ("Dupont J.", r"[A-Z][a-z]+ [A-Z]\."),
    ("J.-P. Dupont", r"[A-Z]\.-[A-Z]\. [A-Z][a-z]+"),
    ("DUPONT-MARTIN", r"[A-Z]{2,}-[A-Z]{2,}"),
    ("de Kermadec", r"(?:de |d')[A-Z][a-z]+"),
    ("Le Bihan", r"(?:Le |L')[A-Z][a-z]+"),
    ("van der Berg", r"[A-Z][a-z]+"),
    ("d'Hauterive", r"d(?:'[AEIOUYH]|e [^AEIOUYH])[a-z]+"),
    ("Jean-Do", r"[A-Z][a-z]+-[A-Z][a-z]+"),
    ("L.", r"[A-Z]\."),
    ("JP", r"[A-Z]{2}"),
    ("A. M.", r"[A-Z]\. [A-Z]\."),
    ("D U P O N T", r"(?:[A-Z] )+[A-Z]"),
    ("HADDAD Sonia épse BENALI", r"[A-Z]{2,} [A-Z][a-z]+ epse [A-Z]{2,}"),
    ("SaïdOmar", r"[A-Z][a-z]+[A-Z][a-z]+"),
]


@pytest.mark.parametrize(("text", "shape"), SHAPES)
@pytest.mark.parametrize("key", KEYS)
def test_shape_and_case_are_kept(text: str, shape: str, key: str, substitutor: Substitutor) -> None:
    (surrogate,) = _one(substitutor, f"Vu à midi : [[PATIENT|{text}]], très fatigué.", Patient(key=key))
    assert re.fullmatch(shape, without_accents(surrogate)), surrogate


def test_a_person_stays_one_however_written(substitutor: Substitutor) -> None:
    full, short, turned, initial, glued = _one(
        substitutor,
        "[[DOCTOR|Hervé LACOUR]], Dr [[DOCTOR|Lacour]], [[DOCTOR|LACOUR Hervé]], [[DOCTOR|H. Lacour]], [[DOCTOR|HL]]",
    )
    first, last = full.split()
    assert short.upper() == last
    assert turned == f"{last} {first}"
    assert initial == f"{first[0]}. {short}"
    assert glued == first[0] + last[0]


def test_a_family_keeps_one_name(substitutor: Substitutor) -> None:
    patient, husband, child = _one(
        substitutor,
        "[[PATIENT|Claire MARTIN]], son mari [[PERSON|Paul MARTIN]], leur fils [[PERSON|Léo Martin]]",
        MARTIN,
    )
    assert patient.split()[1] == husband.split()[1] == child.split()[1].upper()
    assert len({name.split()[0] for name in (patient, husband, child)}) == 3


def test_names_are_alike_in_all_documents_of_a_patient(substitutor: Substitutor) -> None:
    (one, _) = _one(substitutor, "Mme [[PATIENT|MARTIN]] vue par le Dr [[DOCTOR|Anne Petit]].", MARTIN)
    (_, other) = _one(substitutor, "Le Dr [[DOCTOR|Petit]] adresse [[PATIENT|Claire Martin]].", MARTIN)
    assert other.split()[1].upper() == one


def test_a_doctor_of_the_same_name_is_someone_else(substitutor: Substitutor) -> None:
    patient, doctor = _one(substitutor, "Mme [[PATIENT|MARTIN]], Dr [[DOCTOR|MARTIN]]", MARTIN)
    assert patient != doctor


@pytest.mark.parametrize("key", KEYS)
def test_gender_is_kept(key: str, substitutor: Substitutor) -> None:
    woman, man, unknown = _one(
        substitutor,
        "Mme [[PERSON|Claire Leroy]], M. [[PERSON|Paul Leroy]], Mme [[DOCTOR|Xhyla Bobinet]]",
        Patient(key=key),
    )
    tables = packaged_tables().names
    for name, sex in ((woman, "F"), (man, "M"), (unknown, "F")):
        known = tables.first_name(name.split()[0])
        assert known is not None
        assert known.sex in (sex, None)


@pytest.mark.parametrize(("name", "least", "most"), [("MARTIN", 10_000, 10**6), ("LACOUR", 2_000, 10_000)])
def test_the_frequency_band_is_kept(name: str, least: int, most: int, substitutor: Substitutor) -> None:
    tables = packaged_tables().names
    for key in KEYS:
        (surrogate,) = _one(substitutor, f"Dr [[DOCTOR|{name}]]", Patient(key=key))
        assert least <= tables.surname_births(surrogate) < most


@pytest.mark.parametrize("key", KEYS)
def test_no_surrogate_is_a_name_of_the_document_or_the_identity(key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, last_name="MARTIN", first_names=("Claire",), city="Thomas")
    hidden = {"martin", "bernard", "thomas", "petit", "robert", "claire"}
    *others, last, first = _one(
        substitutor,
        "[[PERSON|BERNARD]] [[PERSON|THOMAS]] [[DOCTOR|PETIT]] [[DOCTOR|ROBERT]] [[PATIENT|MARTIN]] [[PATIENT|Claire]]",
        patient,
    )
    assert not hidden & {name.lower() for name in others}
    # The patient's own depend on the identity alone, so that every document has them.
    assert not {"martin", "thomas", "claire"} & {last.lower(), first.lower()}


@pytest.mark.parametrize("key", KEYS)
def test_initials_are_those_of_the_surrogate(key: str, substitutor: Substitutor) -> None:
    full, letters = _one(substitutor, "[[DOCTOR|Samira OUALI]] ... [[DOCTOR|SO]]/gl", Patient(key=key))
    assert letters == "".join(word[0] for word in full.split())
    assert letters[0] != "S"
    assert letters[1] != "O"


def test_a_login_follows_the_name(substitutor: Substitutor) -> None:
    full, login = _one(substitutor, "Dr [[DOCTOR|Hélène Klein]] (saisi par [[DOCTOR|hklein]])")
    first, last = full.split()
    assert login == (first[0] + last).lower()


def test_a_name_in_another_alphabet_is_replaced(substitutor: Substitutor) -> None:
    (surrogate,) = _one(substitutor, "[[PATIENT|مريم]]")
    assert surrogate.isascii()


# Shapes of a person's own


JEAN = Patient(key="p1", last_name="DURAND", first_names=("Jean-Pierre", "Paul"), sex="M")


@pytest.mark.parametrize(
    ("doctor", "login", "form"),
    [
        ("Hélène KLEINMANN", "HKLEINMANN", "{f}{s}"),
        ("Hélène KLEINMANN", "KLEINMANNH", "{s}{f}"),
        ("H. Kleinmann", "HKLEINMANN", "{f}{s}"),
        ("Kleinmann", "HKLEINMANN", "[A-Z]{s}"),
        ("Wzbrtek", "hwzbrtek", "[a-z]{s}"),
        ("Delapierre", "PDELAPIERRE3", r"[A-Z]{s}\d"),
    ],
)
@pytest.mark.parametrize("patient", ["un patient", "M. [[PATIENT|Martin]]"])
def test_a_login_in_capitals_follows_the_name(
    doctor: str, login: str, form: str, patient: str, substitutor: Substitutor
) -> None:
    markup = f"{patient} vu par le Dr [[DOCTOR|{doctor}]], validé par [[DOCTOR|{login}]]"
    *_, name, written = _one(substitutor, markup)
    words = name.upper().replace(".", "").split()
    layout = form.format(f=words[0][0], s=words[-1])
    assert re.fullmatch(layout.lower() if login.islower() else layout, written), (name, written)


def test_a_surname_of_its_own_is_no_login(substitutor: Substitutor) -> None:
    roux, groux = _one(substitutor, "Dr [[DOCTOR|ROUX]], Dr [[DOCTOR|GROUX]]")
    assert groux[1:] != roux


@pytest.mark.parametrize("key", KEYS)
def test_the_initial_of_a_relatives_surname_is_the_patients(key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, last_name="TEIXEIRA BRAGA", first_names=("Nuno",))
    markup = "[[PATIENT|TEIXEIRA BRAGA Nuno]], mère [[PERSON|Dulce T.]], père [[PERSON|Rui B.]], amie [[PERSON|Ana Z.]]"
    whole, mother, father, friend = _one(substitutor, markup, patient)
    first, second, _ = whole.split()
    assert (mother[-2], father[-2]) == (first[0], second[0])
    assert friend[-2] != "Z"


@pytest.mark.parametrize("before", ["son mari", "son conjoint", "leur fils"])
def test_a_first_name_behind_an_initial_of_kin_is_that_of_the_compound(before: str, substitutor: Substitutor) -> None:
    short, whole = _one(substitutor, f"avec {before} [[PERSON|J. Luc]]. Présent : [[PERSON|Jean-Luc Perrin]]")
    first, second = whole.split()[0].split("-")
    assert short == f"{first[0]}. {second}"


# e-mail or login of Jean-Pierre Durand → the same of his surrogate, {f}{g} and {s} its first names and surname
HANDLES = [
    ("jp.durand", "{f[0]}{g[0]}.{s}"),
    ("j.durand", "{f[0]}.{s}"),
    ("durand.j", "{s}.{f[0]}"),
    ("jpdurand", "{f[0]}{g[0]}{s}"),
    ("jdurand", "{f[0]}{s}"),
    ("durandj", "{s}{f[0]}"),
    ("durandjp", "{s}{f[0]}{g[0]}"),
    ("jean-pierre.durand", "{f}-{g}.{s}"),
    ("jeanpierre.durand", "{f}{g}.{s}"),
    ("jeanpierredurand", "{f}{g}{s}"),
    ("durand", "{s}"),
    ("jean.durand", "{f}.{s}"),
]


@pytest.mark.parametrize(("local", "form"), HANDLES)
@pytest.mark.parametrize("key", KEYS[:4])
def test_addresses_are_made_of_the_surrogate_name(local: str, form: str, key: str, substitutor: Substitutor) -> None:
    name, address, capitals = _one(
        substitutor,
        f"[[PATIENT|Jean-Pierre DURAND]] [[EMAIL|{local}@free.fr]] [[EMAIL|{local.upper()}@FREE.FR]]",
        Patient(key=key),
    )
    first, second, last = re.fullmatch(r"(\w+)-(\w+) (\w+)", without_accents(name).lower()).groups()  # type: ignore[union-attr]
    assert address.partition("@")[0] == form.format(f=first, g=second, s=last)
    assert capitals == address.upper()


@pytest.mark.parametrize(("login", "form"), [one for one in HANDLES if one[0].isalpha()])
def test_logins_are_made_of_the_surrogate_name(login: str, form: str, substitutor: Substitutor) -> None:
    name, drawn, numbered = _one(
        substitutor, f"Dr [[DOCTOR|Jean-Pierre DURAND]], saisi par [[DOCTOR|{login}]], puis [[DOCTOR|{login}2]]"
    )
    first, second, last = re.fullmatch(r"(\w+)-(\w+) (\w+)", without_accents(name).lower()).groups()  # type: ignore[union-attr]
    assert drawn == form.format(f=first, g=second, s=last)
    assert re.fullmatch(rf"{drawn}[013-9]", numbered)


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("secretariat.chirurgie@ch-gap.fr", r"secretariat\.chirurgie@.+"),
        ("secretariat.mpr@ch-gap.fr", r"secretariat\.mpr@.+"),
        ("atelier@ortho-gap.fr", r"atelier@.+"),
        ("rcp-sein@onco-gap.fr", r"rcp-sein@.+"),
        ("hemato.radiotherapie@ch-gap.fr", r"hemato\.radiotherapie@.+"),
        ("soins.palliatifs.gap@ch-gap.fr", r"soins\.palliatifs\.(?!gap)\w+@.+"),
        ("secretariat.schiltz@ch-gap.fr", r"secretariat\.(?!schiltz)\w+@.+"),
        ("cardiologie-lemaire@ch-gap.fr", r"cardiologie-(?!lemaire)\w+@.+"),
        ("secretariat.urge@ch-gap.fr", r"secretariat\.urge@.+"),
        ("accueil-radi@ch-gap.fr", r"accueil-radi@.+"),
        ("SECR.PEDI@CH-GAP.FR", r"SECR\.PEDI@.+"),
        ("secretariat.genet@ch-gap.fr", r"secretariat\.(?!genet)\w+@.+"),
        ("radi.gap@ch-gap.fr", r"(?!radi)\w+\.(?!gap)\w+@.+"),
    ],
)
def test_services_stay_in_addresses_and_names_and_places_go(address: str, form: str, substitutor: Substitutor) -> None:
    assert re.fullmatch(form, _one(substitutor, f"[[EMAIL|{address}]]")[0])


@pytest.mark.parametrize("key", KEYS[:4])
@pytest.mark.parametrize(
    ("name", "local", "form"),
    [
        ("Maud Le Bihan", "maud.le.bihan", "{f}.le.{s}"),
        ("Yann de La Motte", "y.de-la-motte", "{f[0]}.de-la-{s}"),
        ("Maud Le Bihan-Diop", "m.lebihan-diop", "{f[0]}.le{s}-{t}"),
        ("Maud Le Bihan-Diop", "lebihan.maud", "le{s}.{f}"),
        ("Maud Bihan", "m.bihan", "{f[0]}.{s}"),
    ],
)
def test_particles_and_first_surnames_follow_in_addresses(
    name: str, local: str, form: str, key: str, substitutor: Substitutor
) -> None:
    drawn, address = _one(substitutor, f"Dr [[DOCTOR|{name}]] <[[EMAIL|{local}@chu.fr]]>", Patient(key=key))
    first, *_, family = without_accents(drawn).lower().replace("l'", "l' ").split()
    surnames = family.split("-")
    written = form.format(f=first, s=surnames[0], t=surnames[-1])
    elided = re.sub(r"l[ea](?=[.-]?" + surnames[0] + ")", "l", written)
    assert address.partition("@")[0] == (elided if "'" in drawn else written)


@pytest.mark.parametrize("key", KEYS)
def test_an_initial_in_an_address_is_that_of_two_first_names(key: str, substitutor: Substitutor) -> None:
    name, address = _one(
        substitutor, "Dr [[DOCTOR|Mireille Pâquerette]] <[[EMAIL|m.paquerette@smr.fr]]>", Patient(key=key)
    )
    first, last = without_accents(name).lower().split()
    assert address.startswith(f"{first[0]}.{last}@")


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("www.onco-gap.fr/equipe/fevrier", r"www\.[^/]+/equipe/\w+"),
        ("https://www.ch-gap.fr/services/cardiologie/aurelie-fevrier", r".+/services/cardiologie/\w+-\w+"),
        ("ch-gap.fr/votre-orientation/parcours/fevrier.html", r".+/votre-orientation/parcours/\w+\.html"),
        ("ch-gap.fr/rendez-vous/fevrier-gap", r"[^/]+/rendez-vous/\w+-(?!gap)\w+"),
        ("https://rdv.fr/medecin/gap/fevrier?pid=12", r".+/medecin/(?!gap)\w+/\w+\?\w+=\d\d"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_the_path_of_an_address_follows_the_name(url: str, form: str, key: str, substitutor: Substitutor) -> None:
    name, address = _one(substitutor, f"Dr [[DOCTOR|Aurélie Février]] [[URL|{url}]]", Patient(key=key))
    assert re.fullmatch(form, address)
    assert without_accents(name).lower().split()[1] in address


@pytest.mark.parametrize(
    "address", ["lorenzafroment@x.fr", "lorenza.froment@x.fr", "www.ch-gap.fr/lorenzafroment", "lfroment@x.fr"]
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_login_that_ends_as_a_word_for_an_act_goes(address: str, key: str, substitutor: Substitutor) -> None:
    label = "EMAIL" if "@" in address else "URL"
    for named in ("[[PATIENT|Lorenza Froment]] ", ""):
        found = _one(substitutor, f"{named}[[{label}|{address}]]", Patient(key=key))[-1]
        assert "froment" not in found


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("secretariat.diab@x.fr", "diab"),
        ("www.ch-gap.fr/albert-fert", "fert"),
        ("dr.gast@x.fr", "gast"),
        ("dr.viro@x.fr", "viro"),
        ("docteur.card@x.fr", "card"),
        ("secretariat.dr.cardi@x.fr", "cardi"),
        ("dr.mater@x.fr", "mater"),
        ("medecin.chir@x.fr", "chir"),
        ("contact.urgen@x.fr", "urgen"),
        ("www.ch-gap.fr/medecins/dr-radi", "radi"),
        ("www.ch-gap.fr/equipe/reed", "reed"),
        ("www.ch-gap.fr/geri", "geri"),
        ("www.ch-gap.fr/dr-le", "-le"),
        ("www.ch-gap.fr/docteur-le", "-le"),
        ("www.ch-gap.fr/thi-le", "-le"),
        ("www.ch-gap.fr/medecins/le", "/le"),
        ("www.ch-gap.fr/marie-pages", "pages"),
        ("www.ch-gap.fr/le-pages", "pages"),
        ("www.ch-gap.fr/equipe/pages", "pages"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_name_that_begins_as_a_service_goes(address: str, name: str, key: str, substitutor: Substitutor) -> None:
    (found,) = _one(substitutor, f"[[{'EMAIL' if '@' in address else 'URL'}|{address}]]", Patient(key=key))
    assert name not in found


@pytest.mark.parametrize(
    "local",
    ["secretariat.gast", "sec.mater", "consult.card", "contact.neur", "equipe.greffe", "secretariat.orth",
     "secretariat.chiv", "accueil.opht", "secr.obst", "contact.chio", "secretariat.pneu"],
)  # fmt: skip
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_service_cut_short_stays_behind_the_desk(local: str, key: str, substitutor: Substitutor) -> None:
    (address,) = _one(substitutor, f"[[EMAIL|{local}@ch-gap.fr]]", Patient(key=key))
    assert address.startswith(f"{local}@")


def test_a_name_of_the_document_that_is_a_service_cut_short_goes_at_each_attempt(policy: Policy) -> None:
    document, mentions = marked("Dr [[DOCTOR|Luc Gast]] [[EMAIL|consult.gast@x.fr]] [[URL|x.fr/service/gast]]")
    context = DocumentContext(document, mentions, policy.substitution, KEY)
    addresses = Addresses(context, People(context, packaged_tables().names))
    for mention in mentions[1:]:
        assert not any("gast" in addresses.write(mention, attempt).text for attempt in range(3))


@pytest.mark.parametrize(
    "path",
    ["psyc", "neur/rdv", "rhumatologie", "consultation/obst", "services/card", "pages/plan-acces", "prise-en-charge",
     "prise-en-charge-de-la-douleur", "plan.html", "nos-services"],
)  # fmt: skip
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_service_stays_in_the_path_of_an_address(path: str, key: str, substitutor: Substitutor) -> None:
    (address,) = _one(substitutor, f"voir [[URL|www.ch-gap.fr/{path}]]", Patient(key=key))
    assert address.endswith(f"/{path}")
    assert "gap" not in address


@pytest.mark.parametrize("path", ["share", "obst", "partage/images", "DEPOT", "bilan-complet"])
@pytest.mark.parametrize("key", KEYS[:3])
def test_an_unknown_word_of_a_path_becomes_a_word(path: str, key: str, substitutor: Substitutor) -> None:
    (address,) = _one(substitutor, f"voir [[URL|www.ch-gap.fr/{path}]]", Patient(key=key))
    found = re.findall("[a-z]+", address.partition("/")[2].lower())
    assert len(found) == len(re.findall("[a-zA-Z]+", path))
    assert {"share", "obst", "partage", "depot", "bilan", "complet"}.isdisjoint(found)
    assert all(re.search("[aeiouy]", word) and len(word) > 4 for word in found if word != "images")


@pytest.mark.parametrize(
    ("domain", "kind"),
    [
        ("ch-gap.fr", "hopital|centre-hospitalier|chu"),
        ("ch-sion.ch", "hopital|centre-hospitalier|chu"),
        ("perret.ch", "sante|reseau-soins|service|accueil|espace|portail"),
        ("hopital-gap.fr", "centre-hospitalier|chu"),
        ("clinique-gap.fr", "polyclinique|hopital"),
        ("orange-mail.example", "messagerie|courriel|boite|courrier|lettre|poste"),
        ("gmail.com", "messagerie|courriel|boite|courrier|lettre|poste"),
        ("laboratoiregap.fr", "laboratoire|labo|biologie"),
        ("cabinet-gap.fr", "medecine|centre-de-soins"),
        ("taxis-gap.fr", "sante|reseau-soins|service|accueil|espace|portail"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_a_domain_keeps_its_kind(domain: str, kind: str, key: str, substitutor: Substitutor) -> None:
    (address,) = _one(substitutor, f"[[EMAIL|contact@{domain}]]", Patient(key=key))
    assert re.fullmatch(rf"contact@(?:{kind})-\d{{3}}\.example", address), address


def test_pages_and_mailboxes_of_a_hospital_have_one_domain(substitutor: Substitutor) -> None:
    *same, other = (
        re.split(r"@|www\.|//", one)[-1].partition("/")[0]
        for one in _one(
            substitutor,
            "[[EMAIL|contact@ch-gap.fr]] [[URL|https://www.ch-gap.fr/share]] [[EMAIL|dpi@mail.ch-gap.fr]] "
            "[[EMAIL|rdv@ch-gap.f]] [[EMAIL|dim@ch-gap.mssante.fr]] [[EMAIL|dim@ch-apt.mssante.fr]]",
        )
    )
    assert len({*same}) == 1
    assert other not in same


@pytest.mark.parametrize(
    ("url", "stays"),
    [
        ("https://www.has-sante.fr/jcms/p_3192177/fr/endometriose", True),
        ("www.vidal.fr/maladies/coeur.html", True),
        ("sante.fr", True),
        ("https://www.pour-les-personnes-agees.gouv.fr/annuaire/EHPAD/CREUSE-23/GUERET-23000/ehpad-quinquaud", False),
        ("www.ameli.fr/creuse/assure", False),
        ("https://www.vidal.fr/annuaire/gap", False),
        ("https://www.has-sante.fr/jcms/1030_FicheEtablissement/fr/gap", False),
        ("https://www.e-cancer.fr/soins/23000/gueret", False),
        ("https://www.e-cancer.fr/Patients/Cancers-du-sein", True),
        ("https://www.inserm.fr/equipe/aurelie-fevrier", False),
        ("https://ameli.fr/compte?id=1203", False),
        ("https://mon.sante.fr.gap.fr/jcms", False),
        ("www.vidal.fr.ch-gap.fr", False),
    ],
)
def test_pages_of_national_bodies_stay_unless_they_name_somebody(
    url: str, stays: bool, substitutor: Substitutor
) -> None:
    _, address = _one(substitutor, f"Dr [[DOCTOR|Aurélie Février]], voir [[URL|{url}]]")
    assert (address == url) is stays


def test_addresses_follow_what_the_warehouse_knows(substitutor: Substitutor) -> None:
    alone, name = _one(substitutor, "[[EMAIL|jp.durand@free.fr]] ... [[PATIENT|DURAND Jean-Pierre]]", JEAN)
    last, first = without_accents(name).lower().split()
    assert alone.partition("@")[0] == f"{first[0]}{first.partition('-')[2][0]}.{last}"
    (only,) = _one(substitutor, "[[EMAIL|jp.durand@free.fr]]", JEAN)
    assert only == alone


def test_particles_stay_in_addresses(substitutor: Substitutor) -> None:
    name, address, other, login = _one(
        substitutor,
        "Mme [[DOCTOR|Anne de La Tour]], [[EMAIL|a.delatour@chu.fr]] Dr [[DOCTOR|Sam O'Connor]] [[DOCTOR|soconnor]]",
    )
    first, family = name.lower().split(" ", 1)
    assert family.startswith("de l")
    assert address.partition("@")[0] == f"{first[0]}.{re.sub('[^a-z]', '', family)}"
    first, last = other.lower().split()
    assert login == first[0] + last.replace("'", "")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("mark", ["mlc", "pvr", "tdn"])
def test_small_letters_without_a_vowel_are_initials(mark: str, key: str, substitutor: Substitutor) -> None:
    (drawn,) = _one(substitutor, f"saisi par [[DOCTOR|{mark}]]", Patient(key=key))
    assert re.fullmatch("[a-z]{3}", drawn)
    assert all(one != other for one, other in zip(drawn, mark, strict=True))


def test_an_unknown_login_is_taken_apart_by_the_tables(substitutor: Substitutor) -> None:
    login, surname = _one(substitutor, "saisi par [[DOCTOR|hlambert]], revu par le Dr [[DOCTOR|LAMBERT]]")
    assert login[1:] == surname.lower()
    assert login[0] != "h"


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("name", "sex"), [("Marie-Pierre", "F"), ("Jean-Marie", "M"), ("Marie Pierre", "F"), ("Anne-Claude", "F")]
)
def test_a_compound_first_name_has_one_gender(name: str, sex: str, key: str, substitutor: Substitutor) -> None:
    (drawn,) = _one(substitutor, f"[[PERSON|{name} LEROY]]", Patient(key=key))
    tables = packaged_tables().names
    for part in re.split("[ -]", drawn)[:2]:
        known = tables.first_name(part)
        assert known is not None
        assert known.sex in (sex, None)


def test_a_man_keeps_his_name_beside_a_woman_who_has_it_in_hers(substitutor: Substitutor) -> None:
    her, his = _one(substitutor, "[[PERSON|Marie-Pierre LEROY]] et M. [[PERSON|Pierre BLANC]]")
    tables = packaged_tables().names
    assert tables.first_name(her.split()[0].partition("-")[2]).sex in ("F", None)  # type: ignore[union-attr]
    assert tables.first_name(his.split()[0]).sex in ("M", None)  # type: ignore[union-attr]


@pytest.mark.parametrize("key", KEYS)
def test_a_diminutive_follows_the_surrogate_of_its_bearer(key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, last_name="DURAND", first_names=("Michel",), sex="M")
    name, short, again = _one(
        substitutor, "[[PATIENT|Michel DURAND]] dit [[PATIENT|Mimi]], « [[PATIENT|MIMI]] »", patient
    )
    own = nicknames.of(words(name)[0], "M")
    assert again == without_accents(short).upper()
    assert not short.lower().startswith("m")
    if any(not one.startswith("m") for one in own):
        assert without_accents(short).lower() in map(without_accents, own)
    else:
        assert without_accents(short).lower() in nicknames.NAMES_OF


@pytest.mark.parametrize("key", KEYS)
def test_a_diminutive_of_nobody_here_is_another_one(key: str, substitutor: Substitutor) -> None:
    titi, max_ = _one(substitutor, "avec [[PERSON|Titi]] et [[PERSON|Max LEROY]]", Patient(key=key))
    assert without_accents(titi).lower() in nicknames.NAMES_OF
    # "Max" is a name that people were given: here nobody is a Maxime.
    assert packaged_tables().names.first_name(max_.split()[0]) is not None


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("before", "name", "sex"),
    [
        ("« le ", "Dédé", "M"),
        ("la ", "Jojo", "F"),
        ("changé par papi ", "Jo", "M"),
        ("avec mamie ", "Jo", "F"),
        ("chez tonton ", "Loulou", "M"),
        ("et tata ", "Lili", "F"),
    ],
)
def test_a_diminutive_has_the_sex_that_the_words_ahead_tell(
    before: str, name: str, sex: str, key: str, substitutor: Substitutor
) -> None:
    (drawn,) = _one(substitutor, f"{before}[[PERSON|{name}]] du village", Patient(key=key))
    assert without_accents(drawn).lower().removeprefix("l'") in map(without_accents, nicknames.every(sex))


@pytest.mark.parametrize("key", KEYS)
def test_a_diminutive_beside_a_surname_is_a_name_where_it_stands_alone_too(key: str, substitutor: Substitutor) -> None:
    full, alone = _one(
        substitutor, "Sa fille [[PERSON|Soizic Pérennou]]. Confiance : [[PERSON|Soizic]].", Patient(key=key)
    )
    assert full.split()[0] == alone


@pytest.mark.parametrize("label", ["DOCTOR", "PERSON", "PATIENT"])
@pytest.mark.parametrize("key", KEYS)
def test_a_first_name_that_is_the_patients_surname_stays_one(label: str, key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, last_name="ROSE", first_names=("Diane",), sex="F")
    text = f"Mme [[PATIENT|Rose]], vue par Mme [[{label}|Rose Dhaluin]] et Mme [[{label}|Dhaluin]]"
    own, other, lone = _one(substitutor, text, patient)
    assert other.split()[1] == lone
    assert own not in other.split()
    assert packaged_tables().names.first_name(other.split()[0]) is not None


@pytest.mark.parametrize("written", ["Melle Océane BLEU", "Mlle Océane BLEU"])
def test_a_civility_in_a_name_stays(written: str, substitutor: Substitutor) -> None:
    (drawn,) = _one(substitutor, f"Je revois ta patiente, [[PATIENT|{written}]]")
    civility, first, last = drawn.split()
    assert civility == written.split()[0]
    assert first.istitle()
    assert last.isupper()


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("consu1té : Dr [[DOCTOR|Schae ffer]]", r"[A-Z]\S+"),
        ("consu1té : sa fille [[PERSON|Mu rielle]]", r"[A-Z]\S+"),
        ("consu1té : son frère [[PERSON|Wi lly BRA UN]]", r"[A-Z]\S*[a-z] [A-Z]+"),
        ("consu1té : Mme [[PATIENT|Ta1on]]", r"[A-Z]\D+"),
        ("hôpital\n[[CITY|A N G E R S]]", r"[A-Z' -]*[A-Z]{2}[A-Z' -]*"),
        ("consu1té à [[CITY|SE LESTAT]]", r"[A-Z' -]*[A-Z]{2}[A-Z' -]*"),
    ],
)
def test_a_name_that_a_scanner_broke_is_published_as_one_word(text: str, shape: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (drawn,) = _one(substitutor, text, Patient(key=key))
        assert re.fullmatch(shape, drawn), drawn


def test_every_diminutive_is_of_a_name_that_people_bear() -> None:
    tables = packaged_tables().names
    for diminutive, names in nicknames.NAMES_OF.items():
        assert diminutive.isascii()
        assert all(tables.first_name(name) for name in names)
        assert diminutive not in names


def test_titles_that_detection_took_are_kept(substitutor: Substitutor) -> None:
    full, short = _one(substitutor, "[[DOCTOR|Pr Hervé LACOUR]] et [[DOCTOR|Dr. Lacour]]")
    title, first, last = full.split()
    assert title == "Pr"
    assert short == f"Dr. {last.title()}"
    assert first != "Hervé"


@pytest.mark.parametrize(("text", "capitals"), [("D'AUBIGNY", True), ("d'Aubigny", False)])
def test_elision_agrees_with_the_surrogate(text: str, capitals: bool, substitutor: Substitutor) -> None:
    for key in KEYS:
        (drawn,) = _one(substitutor, f"Mme [[PATIENT|{text}]]", Patient(key=key))
        shape = r"D(?:'[AEIOUYH]|E [^AEIOUYH'])[A-Z]+" if capitals else r"d(?:'[AEIOUYH]|e [^AEIOUYH'])[a-z]+"
        assert re.fullmatch(shape, drawn), drawn


# What no surrogate may be


@pytest.mark.parametrize("key", KEYS)
def test_names_hidden_in_addresses_are_not_brought_back(key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, emails=("robert.richard@free.fr",))
    hidden = {"bernard", "thomas", "robert", "richard"}
    found = _one(
        substitutor, "[[DOCTOR|MARTIN]] [[DOCTOR|PETIT]] [[PERSON|MOREAU]] [[EMAIL|thomas@bernard.fr]]", patient
    )
    assert not hidden & {word for name in found for word in words(name)}


def test_when_every_name_would_bring_something_back_it_is_nobody(substitutor: Substitutor) -> None:
    crowd = packaged_tables().names.surnames_like("martin").members
    others = " ".join(f"[[PERSON|{name}]]" for name in crowd if name != "Martin")
    assert _one(substitutor, f"Dr [[DOCTOR|MARTIN]] {others}")[0] == NOBODY.upper()


# Across patients


def _doctors(policy: Policy, communes: CommuneTable, professionals: str) -> list[list[str]]:
    drawn = Substitutor(changed(policy, professionals=professionals), KEY, communes)
    markup = "Dr [[DOCTOR|Hervé LACOUR]], RPPS [[RPPS|10003847216]], pour [[PATIENT|DURAND]]"
    return [_one(drawn, markup, Patient(key=key)) for key in KEYS[:2]]


def test_a_professional_is_someone_else_for_each_patient(policy: Policy, communes: CommuneTable) -> None:
    one, other = _doctors(policy, communes, "scope")
    assert not set(one) & set(other)


def test_a_professional_may_be_known_across_patients(policy: Policy, communes: CommuneTable) -> None:
    (name, number, patient), (same, again, other) = _doctors(policy, communes, "corpus")
    assert (name, number) == (same, again)
    assert patient != other


def test_a_particle_that_tells_an_origin_and_a_word_of_the_identity_do_not_stay(substitutor: Substitutor) -> None:
    text = "Vu par [[DOCTOR|Del Bosc]] et [[DOCTOR|DELLA ROCCA]] ; patient [[PATIENT|BARBIER dit GREGOIRE]]"
    known = Patient(key="p", last_name="BARBIER dit GREGOIRE")
    first, second, patient = surrogates(substitutor.substitute(*marked(text, patient=known)))
    assert re.fullmatch("[A-Z][a-z]+", first)
    assert re.fullmatch("[A-Z]+", second)
    assert " alias " in patient
    (other,) = surrogates(substitutor.substitute(*marked("[[PATIENT|BARBIER dit GREGOIRE]]")))
    assert " dit " in other


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", ["Lê Quang", "Đỗ Thị Hoa"])
def test_a_surname_that_an_accent_tells_from_a_particle_goes(name: str, key: str, substitutor: Substitutor) -> None:
    (surrogate,) = _one(substitutor, f"interprète : M. [[PERSON|{name}]], présent", Patient(key=key))
    assert name.split()[0] not in surrogate.split()


@pytest.mark.parametrize("key", KEYS)
def test_a_relative_loses_the_surname_of_the_patient_that_reads_as_a_particle(
    key: str, substitutor: Substitutor
) -> None:
    linh = Patient(key=key, last_name="LE", first_names=("Linh",))
    mother, breton = _one(substitutor, "sa mère [[PERSON|Le Sophea]], son voisin [[PERSON|Le Bihan]]", linh)
    assert "Le" not in mother.split()
    assert breton.startswith(("Le ", "L'"))


@pytest.mark.parametrize("key", KEYS)
def test_the_word_of_a_widow_stays_beside_her_name(key: str, substitutor: Substitutor) -> None:
    (widow,) = _one(substitutor, "09:30 [[PERSON|ROUSSEL VVE]] salle 2", Patient(key=key))
    assert re.fullmatch(r"[A-Z]+ VVE", widow), widow


@pytest.mark.parametrize(("like", "bare"), [("kergoat", {"le", "tant"}), ("nguyen", {"la", "lo", "ma", "van"})])
def test_no_surrogate_is_a_particle_or_a_small_word(like: str, bare: set[str], substitutor: Substitutor) -> None:
    crowd = packaged_tables().names.surnames_like(like)
    assert bare <= {name.casefold() for name in crowd.members}
    drawn = set()
    for key in KEYS[:2]:
        for place in range(0, len(crowd.originals), 4):
            markup = " ".join(f"Mme [[PERSON|{name.upper()}]]," for name in crowd.originals[place : place + 4])
            drawn.update(_one(substitutor, markup, Patient(key=key)))
    assert not bare & {name.casefold() for name in drawn}
    assert len(drawn) > len(crowd.originals)
