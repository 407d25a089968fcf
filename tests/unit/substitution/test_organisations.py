"""Organisations agree with the address beside them, keep their kind, their own name and the case of their line."""

from __future__ import annotations

import re

import pytest

from deid.domain.document import Patient
from deid.french.articles import of_place, own_article
from deid.french.folding import comparable, fold_line
from deid.french.folding import key as key_of
from deid.french.organisation_heads import OrgKind
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.generators.organisation_names import COMPLEMENTS, OF_HEADS, WHOLE
from deid.substitution.places.areas import area_names
from tests.unit.substitution.examples import marked, surrogates

KEYS = [f"patient-{number}" for number in range(8)]


def _one(substitutor: Substitutor, markup: str, key: str) -> tuple[str, ...]:
    return tuple(surrogates(substitutor.substitute(*marked(markup, patient=Patient(key=key)))))


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("CENTRE HOSPITALIER", "[[STREET|12 rue de la Paix]]\n[[ZIP|06000]] [[CITY|Nice]]"),
        ("CH", "[[STREET|2 bd Foch]] - [[ZIP|21220]] [[CITY|Gevrey-Chambertin]]"),
        ("CHIC", "Service de cardiologie\nDr [[DOCTOR|Roy]]\n[[STREET|2 bd Foch]]\n[[ZIP|29000]] [[CITY|Quimper]]"),
        ("CH de Gevrey-Chambertin", "[[ZIP|21220]] [[CITY|Gevrey-Chambertin]]"),
        ("CHU de Saint-Denis", "[[ZIP|97400]] [[CITY|Saint-Denis]]"),
    ],
)
def test_a_hospital_stands_in_the_town_of_its_address(name: str, address: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        found = _one(substitutor, f"[[ORG|{name}]]\n{address}\n\nSuivi par le [[ORG|{name}]].", key)
        town = comparable(found[-2]).removeprefix("le").removeprefix("la")
        assert comparable(found[0]).endswith(town)
        assert found[0] == found[-1]


@pytest.mark.parametrize(
    "name",
    ["Centre hospitalier Alphonse-Guérard", "CH Les Tilleuls", "Hôpital Édouard-Belin", "CENTRE HOSPITALIER DUBOIS"],
)
def test_a_hospital_with_its_own_name_has_one_name_in_a_patients_documents(name: str, substitutor: Substitutor) -> None:
    """Guérard and Belin are communes, and no town is meant: the name says none, whatever address stands beside it."""
    beside = ("\n[[ZIP|30000]] [[CITY|Nîmes]]", "\nTél. [[PHONE|04 66 00 00 00]]", ", à [[CITY|Vesoul]].")
    for key in KEYS:
        (found,) = {_one(substitutor, f"[[ORG|{name}]]{behind}", key)[0] for behind in beside}
        assert " de " not in fold_line(found)
        assert len(found) > len(name.split()[0])
        lowered = _one(substitutor, f"[[ORG|{name.lower()}]], le 3 mai", key)[0]
        assert lowered.islower()
        assert fold_line(lowered) == fold_line(found)


@pytest.mark.parametrize("name", ["laboratoire Bio-Ancelin", "clinique Les Amandiers", "pharmacie Kermaria"])
def test_a_name_is_the_same_with_the_word_of_its_kind_inside_the_mention_and_ahead_of_it(
    name: str, substitutor: Substitutor
) -> None:
    head, own = name.split(" ", 1)
    for key in KEYS:
        whole, part = _one(substitutor, f"copie au [[ORG|{name}]], reçu du {head} [[ORG|{own}]] ce jour", key)
        assert whole == f"{head} {part}"


def test_an_address_of_a_sentence_or_of_a_person_is_not_the_hospitals(substitutor: Substitutor) -> None:
    """The patient's village has no university hospital."""
    for between in (". Il habite ", "\n[[PATIENT|Paul Durand]]\n"):
        names = [_one(substitutor, f"Suivi au [[ORG|CHU]]{between}[[ZIP|21220]] [[CITY|Agey]]", key) for key in KEYS]
        assert not any(comparable(found[0]).endswith(comparable(found[-1])) for found in names)


def test_a_hospital_whose_town_follows_names_none(substitutor: Substitutor) -> None:
    for key in KEYS:
        hospital, town = _one(substitutor, "transféré du [[ORG|CH]] de [[CITY|Nice]]", key)
        assert hospital.startswith("CH ")
        assert comparable(town) not in comparable(hospital)
        assert " de " not in hospital


@pytest.mark.parametrize("text", ["école Jules-Ferry de Billom", "Clinique Saint-Vincent de Besançon"])
def test_a_name_beside_the_town_is_another_name_of_the_kind(text: str, substitutor: Substitutor) -> None:
    town = text.rpartition(" ")[2]
    for key in KEYS:
        found, city = _one(substitutor, f"[[ORG|{text}]], [[CITY|{town}]]", key)
        head, telling = text.split()[0], frozenset(text.split()[1].split("-"))
        assert found.startswith(head)
        assert comparable(found).endswith(comparable(city).removeprefix("le").removeprefix("la"))
        assert len(comparable(found)) > len(comparable(f"{head} de {city}"))
        assert not telling & set(found.replace("-", " ").split()) - {"Saint"}


def test_a_short_name_is_written_in_capitals_only_among_capitals(substitutor: Substitutor) -> None:
    for key in KEYS:
        mixed = _one(substitutor, "Il travaille à la [[ORG|SNCF]], suivi au [[ORG|CHU]] de jour", key)
        capitals = _one(substitutor, "IL TRAVAILLE A LA [[ORG|SNCF]], SUIVI AU [[ORG|CHU]] DE JOUR", key)
        assert capitals == tuple(one.upper() for one in capitals)
        assert fold_line(mixed[1]) == fold_line(capitals[1])
        assert any(char.islower() for char in mixed[1])


def test_a_mutuelle_stays_a_mutuelle_and_lower_case_stays(substitutor: Substitutor) -> None:
    for key in KEYS:
        found, bank = _one(substitutor, "adhérent [[ORG|harmonie mutuelle]], compte au [[ORG|Crédit agricole]]", key)
        assert "mutuelle" in found
        assert found.islower()
        assert "harmonie" not in found
        assert "Crédit" in bank
        assert "agricole" not in bank


def test_the_word_of_a_kind_ahead_of_a_name_is_not_said_twice(substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, "ampoules rendues à la pharmacie [[ORG|Kermaria]] ce jour", key)
        assert "pharmacie" not in found.lower()


@pytest.mark.parametrize("markup", ["l'association [[ORG|Vie libre]]", "bénévole à [[ORG|France Alzheimer]]"])
def test_no_association_drawn_tells_an_illness(markup: str, substitutor: Substitutor) -> None:
    drawn = {name.lower() for key in range(200) for name in _one(substitutor, markup, f"p{key}")}
    told = re.compile("alzheimer|parkinson|cancer|alcool|paralys|diab|autis|sida|aides|adapei|papillons|unafam|apf")
    assert len(drawn) > 20
    assert not [name for name in drawn if told.search(name)]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("TJ Lyon", "TJ d"), ("auto-école Bellevue", "auto-école "), ("Mission locale de Nevers", "Mission locale d"),
        ("Transports Dupuis", "Transports "), ("MECS Sainte-Anne", "MECS "), ("MJC de Dole", "MJC d"),
        ("GAEC du Moulin", "GAEC "), ("Grande Pharmacie Riquier", "Grande Pharmacie "), ("Étude Firdion", "Étude "),
        ("LABM Arpaia-Bobis", "LABM "), ("groupe scolaire Jean-Moulin", "groupe scolaire "),
        ("TI Ussel", "TI d"), ("TASS DE CAHORS", "TASS D"), ("OPH de Rodez", "OPH d"), ("Oncopôle breton", "Oncopôle "),
        ("Site Louis Mourier", "Site "), ("centre HD Les Pitons", "centre HD "), ("HIA Calmette", "HIA "),
    ],
)  # fmt: skip
def test_the_kind_that_a_name_says_stays(name: str, kept: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"Suivi par [[ORG|{name}]] depuis mai.", key)
        assert found.startswith(kept)


_NAMES = {
    kind: frozenset(
        key_of(name[len(own_article(name)) :]) for name in (*COMPLEMENTS.get(kind, ()), *WHOLE.get(kind, ()))
    )
    for kind in OrgKind
}


@pytest.mark.parametrize(
    ("kind", "markup"),
    [
        (OrgKind.HOSPITAL, "Dépistée à [[ORG|Delafontaine]]"),
        (OrgKind.HOSPITAL, "Dr [[DOCTOR|Morel]] ([[ORG|Kerlann]])"),
        (OrgKind.HOSPITAL, "revue à [[ORG|Sainte-Odile]]"),
        (OrgKind.HOSPITAL, "[[ORG|Hautpré]], réanimation, le 3 mai"),
        (OrgKind.HOSPITAL, "[[ORG|Prince Alfred Hospital]], Sydney"), (OrgKind.HOSPITAL, "à [[CITY|Purpan]] hier"),
        (OrgKind.EMPLOYER, "ancien tôlier à la [[ORG|SLN]]"), (OrgKind.EMPLOYER, "chez [[ORG|Armaité]]"),
        (OrgKind.EMPLOYER, "caissière au [[ORG|Rallye]]"), (OrgKind.EMPLOYER, "vendu par [[ORG|Renault Trucks]]"),
        (OrgKind.ASSOCIATION, "prévenir la [[ORG|Sauvegarde du Nord]]"),
        (OrgKind.INSURER, "[[ORG|Prévoyance du Littoral]]"),
        (OrgKind.LABORATORY, "reçu de [[ORG|Synergibio]]"), (OrgKind.SHIP, "navire [[ORG|Ar Mor Glaz]]"),
        (OrgKind.SHOP, "caissière [[ORG|Cora Rocourt]]"), (OrgKind.SHOP, "employé chez [[ORG|Intermarché]]"),
        (OrgKind.SHOP, "au supermarché [[ORG|Rallye]]"), (OrgKind.LANDLORD, "bailleur : [[ORG|Kerloc]]"),
        (OrgKind.LANDLORD, "un studio [[ORG|Vilogia]]"), (OrgKind.LANDLORD, "logé par [[ORG|Adour Habitat]]"),
        (OrgKind.LABORATORY, "LABO;[[ORG|ARVOR]];"), (OrgKind.LABORATORY, "lu par [[ORG|Cyto-Path Adour]]"),
        (OrgKind.OTHER, "vu au labo ; [[ORG|ARVOR]] appelé"),
        (OrgKind.EMPLOYER, "[[ORG|Ti-Sud Transports]]"), (OrgKind.TRANSPORT, "taxi [[ORG|Ti Voyaz]]"),
        (OrgKind.SCHOOL, "scolarisé à [[ORG|Paul-Langevin]]"),
    ],
)  # fmt: skip
def test_a_name_alone_gets_a_name_of_its_kind(kind: OrgKind, markup: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        found = [f" {key_of(text)} " for text in _one(substitutor, markup, key)]
        assert any(f" {name} " in text for name in _NAMES[kind] for text in found), found


def test_what_a_company_does_stays_and_the_rest_is_invented(substitutor: Substitutor) -> None:
    markup = "Par [[ORG|Ortho-Var Appareillage]], lu par [[ORG|Ouest Patho]], né de [[ORG|Volailles Kerguen SARL]]."
    drawn = {found for key in KEYS for found in _one(substitutor, markup, key)}
    names = _NAMES[OrgKind.EMPLOYER]
    assert {key_of(name) for name in drawn} <= {
        *(f"{name} appareillage" for name in names), *(f"volailles {name} sarl" for name in names),
        *(f"{name} patho" for name in names)
    }  # fmt: skip
    assert len(drawn) > len(KEYS)


@pytest.mark.parametrize("ahead", ["Rapatriement en cours avec", "retour organisé par", "dossier au cours avec"])
def test_a_company_of_assistance_stays_one(ahead: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"{ahead} [[ORG|Ralvex Assistance]], dossier ouvert", key)
        assert re.fullmatch(r"(?!Ralvex)\w.* Assistance", found), found


def test_a_local_association_gets_no_national_one(substitutor: Substitutor) -> None:
    national = {key_of(name[len(own_article(name)) :]) for name in WHOLE[OrgKind.ASSOCIATION]}
    for key in KEYS:
        found = _one(substitutor, "Bénévole à [[ORG|Terre Fraternité]], membre de la [[ORG|Sauvegarde du Nord]].", key)
        assert national.isdisjoint(map(key_of, found))


@pytest.mark.parametrize("body", ["SAMU", "AIST", "UDAF", "CLAT"])
def test_a_number_is_that_of_the_department_of_most_places(body: str, substitutor: Substitutor) -> None:
    markup = f"[[ORG|{body} 29]] à [[CITY|Brest]]. Vit à [[CITY|Plouguerneau]], née à [[CITY|Plouguerneau]]."
    table = packaged_tables().communes
    for key in KEYS:
        numbered, _, home, again = _one(substitutor, markup, key)
        assert home == again
        kind, number = numbered.split()
        assert kind == body
        assert number in {one.department for one in table.find(home)}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("E.H.P.A.D. Lou Soulelh", "E.H.P.A.D. "), ("C.H.U. Dupuytren", "C.H.U. "), ("H.A.D. Deux Rives", "H.A.D. "),
        ("CENTRE HOSPlTALIER Duclaux", "CENTRE HOSPITALIER "), ("centre équestre du Lac", "centre équestre "),
        ("école libre Sainte-Anne", "école libre "), ("centre de brûlés Vauban", "centre de brûlés "),
        ("MÉDIPÔLE DE KOUTIO", "MÉDIPÔLE "), ("CHU GRENOBLE ALPES", "CHU D"), ("CHU Dijon Bourgogne", "CHU d"),
        ("Laboratoire d'hématologie Grandval", "Laboratoire d'hématologie "),
        ("CLINIQUE DE SOINS DE SUITE VALBRUNE", "CLINIQUE DE SOINS DE SUITE "),
        ("Centre de cytologie et de pathologie Aunis", "Centre de cytologie et de pathologie "),
        ("hôpital civil Aubrac", "hôpital civil "), ("cabinet d'orthophonie Ternier", "cabinet d'orthophonie "),
        ("pharmacei Valbrune", "pharmacei "), ("clniique Valbrune", "clniique "), ("maternié Aubrac", "maternié "),
        ("winstub Zuem Strissel", "winstub "), ("Thermes Néris", "Thermes "), ("CHU_CLERMONT", "CHU D"),
        ("ESF Merlette", "ESF "), ("ESA Les Saules", "ESA "), ("UNV Aubrac", "UNV "),
    ],
)  # fmt: skip
def test_the_word_of_a_kind_is_read_with_points_scanning_errors_and_its_sort(
    name: str, kept: str, substitutor: Substitutor
) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"Suivi par [[ORG|{name}]] depuis mai.", key)
        assert found.startswith(kept)
        assert comparable(found) != comparable(name)


def test_a_hospital_of_charity_is_not_in_the_town_of_that_name(substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, "Suivi à l'[[ORG|Hôpital de la Charité]] depuis mai.", key)
        assert "Charité" not in found


def test_a_departments_body_is_that_of_a_department(substitutor: Substitutor) -> None:
    departments = set(area_names("department").values())
    for key in KEYS:
        (found,) = _one(substitutor, "Dossier au [[ORG|conseil départemental du Rhône]] en mai.", key)
        assert re.sub(r"^(?:de l'|de la |d[eu]s? |d')", "", found.removeprefix("conseil départemental ")) in departments
        assert "Rhône" not in found
        (found,) = _one(substitutor, "La [[ORG|maison départementale des personnes handicapées de l'Ain]] répond.", key)
        assert found.startswith("maison départementale des personnes handicapées d")


def test_the_branch_of_an_association_stays_an_association(substitutor: Substitutor) -> None:
    names = {name[len(own_article(name)) :] for name in WHOLE[OrgKind.ASSOCIATION]}
    for key in KEYS:
        (found,) = _one(substitutor, "bénévole auprès de la [[ORG|Croix-Rouge de Luc-sur-Mer]].", key)
        assert any(found.endswith(name) for name in names)


# Heads with a slip


@pytest.mark.parametrize("key", KEYS[:3])
@pytest.mark.parametrize(
    ("typed", "meant", "rest"),
    [
        ("Centre hospitaleir", "Centre hospitalier", "de Vannes"),
        ("Cetnre hospitalier", "Centre hospitalier", "de Vannes"),
        ("CENTRE HOPSITALIER", "CENTRE HOSPITALIER", "DE VANNES"),
        ("Clnique", "Clinique", "Saint-Roch"),
        ("Hôptial", "Hôpital", "Bichat"),
        ("Maison de retraie", "Maison de retraite", "Les Pins"),
        ("Pharmacei", "Pharmacie", "du Marché"),
    ],
)
def test_a_head_with_a_slip_is_the_one_meant(
    typed: str, meant: str, rest: str, key: str, substitutor: Substitutor
) -> None:
    one, other = _one(substitutor, f"[[ORG|{typed} {rest}]] ; [[ORG|{meant} {rest}]] é", key)
    name = other.removeprefix(f"{meant} ")
    assert (one, other) == (f"{typed} {name}", f"{meant} {name}")
    assert comparable(name) != comparable(rest)


@pytest.mark.parametrize("key", KEYS[:3])
@pytest.mark.parametrize(
    "name",
    "Collier Transports|Maison Relain|Boucherit|Capelle et fils|Chartier Plomberie|Papillon Taxis|PRIEUR SARL|"
    "Dumaine Menuiserie|Romaine Traiteur".split("|"),
)
def test_a_name_that_is_nearly_a_head_goes(name: str, key: str, substitutor: Substitutor) -> None:
    (found,) = _one(substitutor, f"employé chez [[ORG|{name}]] depuis 2010", key)
    trades = "et fils maison menuiserie plomberie sarl taxis traiteur transports".split()
    assert not set(fold_line(name).split()).difference(trades) & set(fold_line(found).split())


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("parquet d'Aurillac", "parquet d"), ("PARQUET D'AURILLAC", "PARQUET D"),
        ("tribunal de proximité d'Aubusson", "tribunal de proximité d"), ("brigade de Murat", "brigade d"),
    ],
)  # fmt: skip
def test_a_body_of_the_state_keeps_its_kind(text: str, head: str, substitutor: Substitutor) -> None:
    town = re.split("d['’]|de |D'", text)[-1]
    found = [_one(substitutor, f"Transmis au [[ORG|{text}]] ce jour.", key)[0] for key in KEYS]
    assert all(one.startswith(head) for one in found)
    assert sum(town in one for one in found) <= 1  # a draw of a place may give its original back


@pytest.mark.parametrize("text", ["préfecture de la Creuse", "PREFECTURE DE LA CREUSE", "préfecture du Cantal"])
def test_a_prefecture_is_of_a_department(text: str, substitutor: Substitutor) -> None:
    departments = {comparable(name) for name in area_names("department").values()}
    for key in KEYS:
        (found,) = _one(substitutor, f"Courrier de la [[ORG|{text}]].", key)
        told = re.fullmatch("pr[ée]fecture (?:de la |de l'|du |des |de |d')(.+)", found, re.IGNORECASE)
        assert told is not None, found
        assert comparable(told[1]) in departments, found


def test_a_prefecture_returns_with_the_town_that_the_law_returns(substitutor: Substitutor) -> None:
    markup = "Domiciliée à [[CITY|Guéret]]. Courrier à la [[ORG|préfecture de la Creuse]]."
    returned = 0
    for number in (*range(4), 57, 86):
        document, mentions = marked(markup, patient=Patient(key=f"patient-{number}"))
        result = substitutor.substitute(document, mentions)
        assert all(one.parsed for one in result.surrogates), result.text
        if surrogates(result)[0] == "Guéret":
            returned += 1
            assert result.text == document.text
    assert returned


def test_a_prefecture_without_a_town_is_read(substitutor: Substitutor) -> None:
    result = substitutor.substitute(*marked("Courrier à la [[ORG|préfecture de la Creuse]]."))
    assert all(one.parsed for one in result.surrogates)


@pytest.mark.parametrize(
    ("markup", "form"),
    [
        ("la société [[ORG|Kerbrat Ambulances]]", r"\w+ Ambulances"),
        ("Transport [[ORG|SARL Ambulances Ferrand et Fils]]", r"SARL Ambulances .+"),
        ("en ambulance privée [[ORG|kerbrat]] ce jour", r"(?:d[eu]s? |sainte?-|notre-).+"),
        ("en taxi conventionné [[ORG|Garrec]] ce jour", r"(?:d[eu]s? |Sainte?-|Notre-).+"),
    ],
)
def test_a_firm_of_transport_keeps_its_trade(markup: str, form: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, markup, key)
        assert re.fullmatch(form, found), found


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("ancien contrôleur de la [[ORG|SNCF]]", OrgKind.TRANSPORT),
        ("chauffeuse de car chez [[ORG|Transdev Limousin]]", OrgKind.TRANSPORT),
        ("livreur chez [[ORG|Chronopost]]", OrgKind.FREIGHT),
        ("hôtesse de l'air chez [[ORG|Corsair]]", OrgKind.AIRLINE),
        ("pilote sur [[ORG|Air Sénégal]]", OrgKind.AIRLINE),
        ("débiteur, banque [[ORG|Crédit du Thérain]]", OrgKind.BANK),
    ],
)
def test_a_carrier_or_bank_is_another_of_its_sort(markup: str, kind: OrgKind, substitutor: Substitutor) -> None:
    names = {comparable(name[len(own_article(name)) :]) for name in WHOLE[kind]}
    for key in KEYS:
        (found,) = _one(substitutor, markup, key)
        assert comparable(re.sub("^(?:de |d')", "", found)) in names, found


@pytest.mark.parametrize(
    ("markup", "form"),
    [
        ("l'enquête du [[ORG|CLAT 77]] finie", r"CLAT [\dAB]{2,3}"),
        ("[[ORG|TéléRadio Atlantique]] – permanence", "TéléRadio .+"),
        ("employeur [[ORG|ESF Merlette]]", "ESF .+"),
    ],
)
def test_an_organisation_keeps_the_word_of_its_kind(markup: str, form: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, markup, key)
        assert re.fullmatch(form, found), found
        assert "Atlantique" not in found
        assert "Merlette" not in found


@pytest.mark.parametrize("short", ["[[CITY|Le Plessis]]", "[[ORG|Le Plessis]]"])
def test_a_home_called_short_is_no_town_that_begins_so(short: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        home, again = _one(substitutor, f"à l'[[ORG|EHPAD Le Plessis]]. Copie : cadre {short}", key)
        assert re.match(r"(?:L[ea]s? |L'|Sainte?-|Notre-)", again), again
        home = re.sub("EHPAD (?:du|de la|de l'|des)?", "", home)
        again = re.sub("^(?:L[ea]s? |L')", "", again)
        assert comparable(home).endswith(comparable(again))


def test_an_article_within_the_name_has_its_case(substitutor: Substitutor) -> None:
    for key in KEYS:
        _, again = _one(substitutor, "[[ORG|EHPAD LE PLESSIS]], COPIE : CADRE [[ORG|LE PLESSIS]]", key)
        assert again.isupper()


def test_a_town_whose_name_a_home_bears_stays_a_town(substitutor: Substitutor) -> None:
    towns = {_one(substitutor, "à l'[[ORG|EHPAD Marie Vesoul]], vit à [[CITY|Vesoul]]", key)[1] for key in KEYS}
    assert all(packaged_tables().communes.find(town) for town in towns)


def test_names_behind_a_military_hospital_are_of_physicians(substitutor: Substitutor) -> None:
    drawn = {_one(substitutor, "à l'[[ORG|HIA Calmette]]", key)[0].removeprefix("HIA ") for key in KEYS}
    assert drawn <= set(OF_HEADS["hia"])


def test_a_club_called_by_its_town_is_called_by_the_town_drawn(substitutor: Substitutor) -> None:
    for key in KEYS:
        city, bare, whole = _one(substitutor, "à [[CITY|Marmande]], à l'AS [[ORG|Marmande]], [[ORG|AS MARMANDE]]", key)
        assert bare == city
        assert fold_line(whole) == fold_line(f"AS {city}")


@pytest.mark.parametrize(
    ("markup", "kept"),
    [
        ("au club de [[ORG|judo de Beaune]]", "judo d"),
        ("au CLUB DE [[ORG|JUDO DE BEAUNE]]", "JUDO D"),
        ("au centre [[ORG|hospitalier de Beaune]]", "hospitalier d"),
        ("Laboratoire d'anatomie et [[ORG|cytologie pathologiques Adour]]", "cytologie pathologiques "),
        ("CLINIQUE DE LA [[ORG|MAIN BELLOC]]", "MAIN "),
    ],
)
def test_a_kind_that_begins_ahead_of_the_name_stays(markup: str, kept: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, markup, key)
        assert found.startswith(kept), found
        assert len(found) > len(kept) + 3, found


@pytest.mark.parametrize("court", ["TJ de Beauvais", "tribunal judiciaire de Guéret", "cour d'appel d'Agen"])
def test_a_court_stands_in_a_city(court: str, substitutor: Substitutor) -> None:
    cities = {fold_line(of_place(town.name)) for town in packaged_tables().communes.hospital_towns(None, True)}
    for key in KEYS:
        (found,) = _one(substitutor, f"saisine du [[ORG|{court}]], dossier clos", key)
        assert any(fold_line(found).endswith(f" {city}") for city in cities), found


@pytest.mark.parametrize(
    "body", ["tribunal de Saint-Denis de La Réunion", "CHU de Saint-Denis (La Réunion)", "CHU de Saint-Pierre, Réunion"]
)
def test_an_organisation_overseas_stays_there(body: str, substitutor: Substitutor) -> None:
    there = {fold_line(one.name) for one in packaged_tables().communes.in_department("974")}
    for key in KEYS:
        (found,) = _one(substitutor, f"à [[ORG|{body}]], dossier clos", key)
        assert any(fold_line(found).endswith(town) for town in there), found


@pytest.mark.parametrize("court", ["TGI Paris", "Mairie Paris"])
def test_a_town_that_is_a_department_too_needs_no_preposition(court: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"à [[ORG|{court}]], dossier clos", key)
        assert found.startswith(court.split()[0])
        assert found != court.split()[0]


# What is of the language in a name stays


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("CENTRE DE SÉNOLOGIE DU GÉVAUDAN", "CENTRE DE SÉNOLOGIE "),
        ("GROUPE D'IMAGERIE DES TROIS VALLÉES", "GROUPE D'IMAGERIE "),
        ("Établissement public de santé mentale Beauvoir", "Établissement public de santé mentale "),
        ("Unité d'admission Camille-Claudel", "Unité d'admission "), ("Pôle mère-enfant Kerlaz", "Pôle mère-enfant "),
        ("unité de soins intensifs de cardiologie Lenègre", "unité de soins intensifs de cardiologie "),
        ("Centre de médecine hyperbare Cousteau", "Centre de médecine hyperbare "),
        ("service des maladies infectieuses Widal", "service des maladies infectieuses "),
        ("Foyer de l'enfance Mareuil", "Foyer de l'enfance "), ("Institut du sein Montparno", "Institut du sein "),
        ("Unité de gérontopsychiatrie Ajuriaguerra", "Unité de gérontopsychiatrie "),
        ("Pharm. Valbrune", "Pharm. "), ("Lab. Kermoal", "Lab. "), ("Clin. Valbrune", "Clin. "),
        ("fruitière des Trois Sapins", "fruitière "), ("Ostéobanque Kerlaz", "Ostéobanque "),
    ],
)  # fmt: skip
def test_words_that_say_what_a_body_does_stay_and_its_name_goes(name: str, kept: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"Suivi par [[ORG|{name}]] depuis mai.", key)
        assert found.startswith(kept), found
        told = set(fold_line(name[len(kept) :]).replace("-", " ").split()) - {"des", "du", "les"}
        assert found != kept.strip()
        assert not told & set(fold_line(found).replace("-", " ").split())


@pytest.mark.parametrize(
    "markup",
    [
        "[[ORG|Unité nourrissons]]", "examinée à l'[[ORG|unité médico-judiciaire]]", "[[ORG|Centre de sénologie]]",
        "[[ORG|MAISON DE LA FEMME, DE LA MÈRE ET DE L'ENFANT]]", "[[ORG|MAISON]] DE LA FEMME ET DE L'ENFANT",
        "[[ORG|Unité de surveillance continue]]", "[[ORG|Pôle mère-enfant]]", "[[ORG|unité de soins palliatifs]]",
        "[[ORG|Hôtel-Dieu]]", "à l'[[ORG|hôtel-Dieu]]",
    ],
)  # fmt: skip
def test_a_body_that_words_of_the_language_alone_describe_stays(markup: str, substitutor: Substitutor) -> None:
    document, mentions = marked(markup)
    assert substitutor.substitute(document, mentions).text == document.text


def test_a_hospital_known_by_such_words_goes(substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, "Suivi à l'[[ORG|Hôpital Femme Mère Enfant]] depuis mai.", key)
        assert "Femme" not in found


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("markup", "form"),
    [
        ("appareillé par [[ORG|ARAIR Forez]]", OrgKind.HOME_CARE),
        ("oxygène livré par [[ORG|Kerair]]", OrgKind.HOME_CARE),
        ("prestataire [[ORG|ALLP]]", OrgKind.HOME_CARE), ("tombé au parc [[ORG|Léo-Valbrune]]", OrgKind.SCHOOL),
        ("affilié, caisse de retraite [[ORG|Kerprev]]", OrgKind.INSURER),
    ],
)  # fmt: skip
def test_a_name_is_another_of_the_kind_that_the_words_ahead_say(
    markup: str, form: OrgKind, key: str, substitutor: Substitutor
) -> None:
    (found,) = _one(substitutor, markup, key)
    assert comparable(found) in {comparable(name[len(own_article(name)) :]) for name in WHOLE[form]}, found


def test_a_group_of_hospitals_is_a_university_hospital(substitutor: Substitutor) -> None:
    for key in KEYS:
        for name in ("AP-HM", "APHP", "HCL"):
            assert _one(substitutor, f"[[ORG|{name}]] – Service", key)[0].startswith("CHU ")


@pytest.mark.parametrize(
    "name",
    ["CLINIQUE DU VAL DE LYS", "CH Cœur de Corrèze", "Clinique des Boucles de Seine", "hôpital du Pays de Pacy"],
)
def test_a_body_called_by_land_is_in_no_village_of_that_name(name: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found, _) = _one(substitutor, f"[[ORG|{name}]], [[CITY|Tulle]]", key)
        assert not {"lys", "correze", "seine", "pacy"} & set(fold_line(found).split())
        names = {fold_line(one) for kind in (OrgKind.CLINIC, OrgKind.HOSPITAL) for one in COMPLEMENTS[kind]}
        assert fold_line(found.partition(" ")[2]) in names, found


def test_a_saint_before_the_town_is_no_town(substitutor: Substitutor) -> None:
    for key in KEYS:
        found, _ = _one(substitutor, "Centre : [[ORG|Centre hospitalier Saint-Louis]] ; [[CITY|La Rochelle]]", key)
        assert fold_line(found.removeprefix("Centre hospitalier ")) in {
            fold_line(name) for name in COMPLEMENTS[OrgKind.HOSPITAL]
        }


@pytest.mark.parametrize(
    ("markup", "stays"),
    [("stabilité confirmée ([[ORG|laboratoire Pfizer]])", True), ("travaille au [[ORG|laboratoire Pfizer]]", False)],
)
def test_the_maker_of_a_drug_stays_unless_somebody_works_there(
    markup: str, stays: bool, substitutor: Substitutor
) -> None:
    for key in KEYS:
        assert ("Pfizer" in _one(substitutor, markup, key)[0]) is stays
        assert " au laboratoire " in substitutor.substitute(*marked(markup, patient=Patient(key=key))).text or stays


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("oncologue à l'[[ORG|ICANS]]", OrgKind.CANCER_CENTRE),
        ("chimio à [[ORG|Gustave Roussy]]", OrgKind.CANCER_CENTRE),
        ("pension de réversion de la [[ORG|RATP]]", OrgKind.STATE_COMPANY),
        ("pension versée par la [[ORG|SNCF]]", OrgKind.STATE_COMPANY),
        ("conductrice à la [[ORG|SNCF]]", OrgKind.TRANSPORT), ("tramway de la [[ORG|Vexotram]]", OrgKind.TRANSPORT),
        ("lit médicalisé livré par [[ORG|Ouzel]]", OrgKind.HOME_CARE),
    ],
)  # fmt: skip
def test_an_institute_company_or_supplier_is_another_of_its_sort(
    markup: str, kind: OrgKind, substitutor: Substitutor
) -> None:
    names = {comparable(name[len(own_article(name)) :]) for name in WHOLE[kind]}
    for key in KEYS:
        (found,) = _one(substitutor, markup, key)
        assert comparable(found).endswith(tuple(names)), found  # with the preposition


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("SCEA Les Saulnières", "SCEA "),
        ("GAEC des Trois Ormeaux", "GAEC "),
        ("EARL Kerbrat", "EARL "),
        ("CUMA du Haut Pays", "CUMA "),
        ("Centre mutualiste de rééducation fonctionnelle de Kerlaz", "Centre mutualiste de rééducation fonctionnelle "),
    ],
)
def test_the_form_of_a_farm_or_centre_stays(name: str, kept: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"travaille : [[ORG|{name}]]", key)
        assert found.startswith(kept), found
        assert found != name


@pytest.mark.parametrize("name", ["Plateau technique de kinésithérapie", "Laboratoire EFR et Sommeil"])
def test_a_unit_that_its_work_alone_describes_stays(name: str, substitutor: Substitutor) -> None:
    assert _one(substitutor, f"[[ORG|{name}]]\n[[CITY|Tulle]]", "p1")[0] == name


def test_a_hospital_of_an_acronym_and_towns_is_a_hospital(substitutor: Substitutor) -> None:
    for key in KEYS:
        found, _ = _one(substitutor, "[[ORG|CHIXA Semur-Montbard]]\n[[ZIP|21500]]", key)
        assert found.startswith("CH ")
        assert "CHIXA" not in found
        assert "Semur" not in found


def test_a_company_in_capitals_is_no_hospital_by_its_beginning(substitutor: Substitutor) -> None:
    for key in KEYS:
        assert not _one(substitutor, "travaille : [[ORG|CHALET LES OURSONS]]", key)[0].startswith("CH ")


@pytest.mark.parametrize("name", ["Niort Université", "université de Niort"])
def test_a_university_stands_in_a_city_wherever_its_town_is_written(name: str, substitutor: Substitutor) -> None:
    seats = {communes.name for communes in packaged_tables().communes.hospital_towns(None, True)}
    for key in KEYS:
        _, found = _one(substitutor, f"Vit à [[CITY|Niort]], étudie à : [[ORG|{name}]].", key)
        assert any(found in (f"{seat} Université", f"université {of_place(seat)}") for seat in seats), found


@pytest.mark.parametrize("key", KEYS)
def test_each_university_stands_in_a_city_of_its_own(key: str, substitutor: Substitutor) -> None:
    towns = ("Niort", "Brest", "Lille", "Metz", "Lyon")
    markup = "Vit à [[CITY|Niort]], étudie à : " + ", ".join(f"[[ORG|{town} Université]]" for town in towns)
    found = _one(substitutor, markup, key)[1:]
    seats = {f"{one.name} Université" for one in packaged_tables().communes.hospital_towns(None, True)}
    assert len(set(found)) == len(towns)
    assert seats.issuperset(found[1:])


@pytest.mark.parametrize("key", KEYS)
def test_each_cancer_centre_is_another_by_its_whole_name(key: str, substitutor: Substitutor) -> None:
    names = ("Institut Bergonié", "ICL", "Centre Henri-Becquerel", "Gustave-Roussy", "institut Godinot")
    found = _one(substitutor, " ; ".join(f"[[ORG|{name}]]" for name in names), key)
    listed = {comparable(one[len(own_article(one)) :]) for one in WHOLE[OrgKind.CANCER_CENTRE]}
    assert len({comparable(one) for one in found}) == len(names)
    assert listed.issuperset(map(comparable, found))


def test_two_organisations_of_a_document_have_two_names(substitutor: Substitutor) -> None:
    names = ("Les Ajoncs", "Les Cèdres", "Sainte-Odile", "du Lac", "Les Iris", "du Moulin", "Pasteur", "Saint-Côme")
    for key in KEYS:
        found = _one(substitutor, " ; ".join(f"[[ORG|clinique {name}]]" for name in names), key)
        assert len(set(found)) == len(names)


def test_somebody_behind_capitals_is_no_hospital(substitutor: Substitutor) -> None:
    for key in KEYS:
        assert not _one(substitutor, "[[ORG|CHAU Robert]], vue hier", key)[0].startswith("CH ")
        assert _one(substitutor, "[[ORG|CHAU de Montbard]], vue hier", key)[0].startswith("CH ")
