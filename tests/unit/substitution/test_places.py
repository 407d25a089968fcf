"""Places: coherent addresses, homonyms, unknown places, and nothing of an address left."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from math import exp, sqrt

import pytest

from deid.config.policy import Policy
from deid.domain.document import Patient
from deid.french.articles import of_place, own_article
from deid.french.folding import comparable, fold_line, words
from deid.french.gentiles import gentile_of
from deid.privacy.stream import KeyedStream
from deid.reference import CommuneTable
from deid.reference.communes import sort_of
from deid.reference.place_names import department_of_zip
from deid.substitution import Substitutor
from deid.substitution.places.areas import area, area_names
from deid.substitution.places.regions import _LAND_NAMES, _OVERSEAS_RIVERS, RIVERS
from deid.substitution.places.strategies import health_draws
from tests.unit.substitution.examples import marked, surrogates

MANY = [f"patient-{number}" for number in range(25)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]


def _one(substitutor: Substitutor, markup: str, patient: Patient | None = None) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=patient)))


@pytest.mark.parametrize("key", KEYS)
def test_zip_and_city_are_of_one_commune(key: str, substitutor: Substitutor, communes: CommuneTable) -> None:
    code, city = _one(substitutor, "7 rue X, [[ZIP|21200]] [[CITY|BEAUNE]]", Patient(key=key))
    assert any(code in commune.zips for commune in communes.find(city))


@pytest.mark.parametrize("key", KEYS)
def test_a_commune_is_replaced_by_one_of_its_territory(
    key: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    (city,) = _one(substitutor, "né à [[CITY|Dijon]]", Patient(key=key))
    names = {commune.name for commune in communes.territory(communes.find("Dijon")[0])}
    assert city in names


def test_a_commune_is_the_same_wherever_and_however_written(substitutor: Substitutor) -> None:
    plain, capitals, cedex, inside = _one(
        substitutor, "[[CITY|Dijon]] [[CITY|DIJON]] [[CITY|DIJON CEDEX]] [[ORG|CHU de Dijon]]"
    )
    assert capitals == plain.upper()
    assert cedex == f"{capitals} CEDEX"
    assert inside.startswith("CHU d")
    (other,) = _one(substitutor, "suivi à [[CITY|dijon]]")
    assert comparable(other) == comparable(plain)


def test_the_number_of_a_cedex_changes(substitutor: Substitutor) -> None:
    (city,) = _one(substitutor, "[[CITY|BREST CEDEX 2]]")
    assert city[:-1].endswith(" CEDEX ")
    assert city[-1] != "2"


# Saint-Denis is a commune of 93, 974, 11, 30…; Saint-Pierre of a dozen departments.
@pytest.mark.parametrize(
    ("markup", "department"),
    [
        ("[[ZIP|97400]] [[CITY|Saint-Denis]]", "974"),
        ("[[ZIP|93200]] [[CITY|Saint-Denis]]", "93"),
        ("[[CITY|Saint-Pierre]], et aussi [[ZIP|97410]]", "974"),
    ],
)
def test_a_homonym_is_told_by_the_postal_code(
    markup: str, department: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    document, mentions = marked(markup)
    result = substitutor.substitute(document, mentions)
    city = next(one.text for one in result.surrogates if one.mention.label == "CITY")
    found = communes.find("Saint-Denis" if "Denis" in markup else "Saint-Pierre", department=department)[0]
    drawn = communes.find(city)
    assert (department == "974") == any(one.department == "974" for one in drawn)
    assert department == "974" or sort_of(found) in map(sort_of, drawn), "overseas a department is one stratum"


@pytest.mark.parametrize("place", ["Trifouilly", "Bat aille", "Xqz", "les Grésilles"])
def test_an_unknown_place_is_drawn_from_the_home_territory(
    place: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    (city,) = _one(substitutor, f"né à [[CITY|{place}]]", Patient(key="p1", zip="21110", city="Genlis"))
    assert city in {commune.name for commune in communes.territory(communes.find("Genlis")[0])}
    (village,) = _one(substitutor, f"né à [[CITY|{place}]]", Patient(key="p1", zip="21000", city="Dijon"))
    assert max(one.population for one in communes.find(village)) < 10_000  # and none of the great cities alike


def test_a_draw_returns_its_original_as_often_as_any_other_commune(
    substitutor: Substitutor, communes: CommuneTable
) -> None:
    """Ruling out the original, or the document's other towns, would say what a surrogate does not stand for."""
    markup, number = "né à [[ZIP|97436]] [[CITY|Saint-Leu]], puis [[CITY|Cilaos]] et le [[ORG|CCAS de Saint-Leu]]", 400
    found = [_one(substitutor, markup, Patient(key=f"p{at}", city="Saint-Leu", zip="97436")) for at in range(number)]
    members = communes.territory(communes.find("Saint-Leu")[0])
    names = Counter(name for (_, name, _, _) in found)
    expected = number / len(members)
    assert set(names) == {one.name for one in members}
    assert max(abs(count - expected) for count in names.values()) < 6 * sqrt(expected)
    kept = [one for one in found if one[1] == "Saint-Leu"]
    assert all("97436" in {code, *communes.find("Saint-Leu", "97436")[0].zips} for code, *_ in kept)
    assert {organisation for *_, organisation in kept} == {"CCAS de Saint-Leu"}  # one town, one surrogate
    assert any(second == "Saint-Leu" for _, _, second, _ in found)


def test_no_commune_with_a_word_of_a_persons_name_is_drawn(substitutor: Substitutor) -> None:
    for key in MANY:
        patient = Patient(key=key, last_name="Leu", first_names=("Rose",))
        (city, *_) = _one(substitutor, "[[CITY|Saint-Leu]], vue par le Dr [[DOCTOR|Denis]]", patient)
        assert not {"leu", "rose", "denis"} & set(words(city))


def test_a_word_that_many_communes_share_hides_nothing(substitutor: Substitutor) -> None:
    """A "Saint" that only ever became another kind of name would be told by every surrogate that is none."""
    markup = "né à [[CITY|Saint-Vivien-de-Médoc]]"
    drawn = [_one(substitutor, markup, Patient(key=f"patient-{number}"))[0] for number in range(60)]
    assert any(name.startswith("Saint") for name in drawn)
    called = [_one(substitutor, f"{markup}, M. [[PATIENT|SAINT]]", Patient(key=key, last_name="SAINT")) for key in MANY]
    assert not any("saint" in words(city) for city, _ in called)


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("lac de Laffrey", "lac d"), ("Col de la Savine", "Col d"), ("île de Ré", "île d"),
        ("la région de Sidi Kacem", "la région d"), ("village de Tiznit", "village d"),
    ],
)  # fmt: skip
def test_the_kind_of_a_named_place_is_kept(text: str, head: str, substitutor: Substitutor) -> None:
    (place,) = _one(substitutor, f"près du [[LOC|{text}]]")
    assert place.startswith(head)
    assert text.split()[-1] not in place


@pytest.mark.parametrize(
    ("markup", "ahead"),
    [
        ("repêché dans la [[LOC|Marne]] hier", "repêché dans "),
        ("noyée au bord de la [[LOC|Vilaine]] hier", "noyée au bord d"),
        ("il se jette dans l'[[LOC|Isère]] hier", "il se jette dans l"),
    ],
)
def test_a_river_is_another_river(markup: str, ahead: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        text = substitutor.substitute(*marked(markup, patient=Patient(key=key))).text
        name = re.split("[ '’]", text.removesuffix(" hier"))[-1]
        assert name in RIVERS
        assert name not in markup
        assert text.startswith(ahead)


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("randonnée dans le [[LOC|Vercors]]", "massif"),
        ("retour de l'[[LOC|Oisans]]", "massif"),
        ("originaire des [[LOC|Bauges]]", "massif"),
        ("vacances en [[LOC|Sologne]]", "pays"),
        ("agriculteur dans la [[LOC|Beauce]]", "pays"),
    ],
)
def test_mountains_and_land_called_alone_are_others_of_their_kind(
    markup: str, kind: str, substitutor: Substitutor
) -> None:
    """Not "vacances en Russie", one slip from Pologne."""
    listed = {re.sub("^(?:de la |de l'|du |des |de )", "", name) for name in _LAND_NAMES[kind]}
    for key in KEYS:
        text = substitutor.substitute(*marked(f"né : {markup}", patient=Patient(key=key))).text
        name = re.split("[ '’]", text)[-1]
        assert name in listed
        assert name not in markup
        assert not re.search(r"\b(?:en l[ae]s?|au|de les?) ", text)


@pytest.mark.parametrize(
    ("town", "code", "markup"),
    [
        ("Kourou", "97310", "pêche sur le [[LOC|Maroni]]"),
        ("Kourou", "97310", "tombée dans le fleuve [[LOC|Lawa]]"),
        ("Kourou", "97310", "orpaillage sur la [[LOC|rivière Mana]]"),
        ("Le Robert", "97231", "bain dans la rivière [[LOC|Capot]]"),
        ("Saint-Leu", "97436", "bain dans la [[LOC|rivière des Galets]]"),
    ],
)
def test_a_river_overseas_is_another_of_its_department(
    town: str, code: str, markup: str, substitutor: Substitutor
) -> None:
    told = markup.replace("|rivière ", "|").split("|")[1].strip("]").split()[-1]
    for key in KEYS:
        text = substitutor.substitute(*marked(f"né : {markup}", patient=Patient(key=key, city=town, zip=code))).text
        name = re.split("[ '’]", text)[-1]
        assert name in _OVERSEAS_RIVERS[department_of_zip(code)]
        assert name != told


def test_a_department_called_by_a_river_is_a_department(substitutor: Substitutor) -> None:
    departments = set(area_names("department").values())
    for key in KEYS:
        (found,) = _one(substitutor, "muté en juin dans la [[LOC|Vienne]]", Patient(key=key))
        assert re.sub(r"^(?:dans |en |à )?(?:l[ae]s? |l')?", "", found) in departments


@pytest.mark.parametrize("markup", ["Département ? « la [[LOC|Seine]] »", "le département : [[LOC|Sarhte]] (0)"])
def test_what_stands_behind_the_word_department_is_one(markup: str, substitutor: Substitutor) -> None:
    """A former department, whose name is now a river's alone, and one that is misspelt."""
    departments = set(area_names("department").values())
    for key in KEYS:
        (found,) = _one(substitutor, markup, Patient(key=key))
        assert found.removeprefix(own_article(found)) in departments


def test_a_former_department_becomes_one_of_today(substitutor: Substitutor) -> None:
    departments = set(area_names("department").values())
    for key in KEYS:
        (found,) = _one(substitutor, "né en [[LOC|Seine-et-Oise]]", Patient(key=key))
        assert re.sub(r"^(?:dans |en |à )?(?:l[ae]s? |l')?", "", found) in departments


def test_a_region_named_by_its_town_gets_another_town(substitutor: Substitutor) -> None:
    (place,) = _one(substitutor, "vit en [[LOC|région parisienne]]")
    assert re.fullmatch("région (?:(?:de |d'|du |des )[A-ZÉ].*|[a-zéèôï-]+)", place)
    for patient in KEYS:
        city, adjective = _one(substitutor, "à [[CITY|Paris]], [[LOC|région parisienne]]", Patient(key=patient))
        assert adjective == f"région {gentile_of(city, feminine=True, plural=False) or of_place(city)}"


# address, what must be gone, what must stay
ADDRESSES = [
    ("12 bis rue des Tilleuls", ["12", "Tilleuls"], ["bis", "rue"]),
    ("12, AV. DU GENERAL LECLERC", ["12", "GENERAL", "LECLERC"], ["AV."]),
    ("Résidence Les Lilas, bât. C, appt 31, 8 rue Ambroise-Croizat", ["Lilas", "31", "Croizat"], ["Résidence", "rue"]),
    ("hôtel Bon Accueil, chambre 27, 9 rue Ampère", ["Accueil", "27", "Ampère"], ["hôtel", "chambre", "rue"]),
    ("3 place de l'Hôtel de Ville", ["Ville"], ["place"]),
    ("lieu-dit Le Moulin", ["Moulin"], ["lieu-dit"]),
    ("hameau de Kerdalaün", ["Kerdalaün"], ["hameau"]),
    ("BP 40112", ["40112"], ["BP"]),
    ("CS 30417", ["30417"], ["CS"]),
    ("Kerandon", ["Kerandon"], []),
    ("rue du 8 mai 1945", ["1945", "mai"], ["rue"]),
    ("vingt trois rue élie gruyelle", ["vingt trois", "gruyelle"], ["rue"]),
    ("3e étage gauche", ["3"], ["étage", "gauche"]),
    ("RESIDENCE DES OYATS APPT 6 AVENUE DE L ATLANTIQUE", ["OYATS", "ATLANTIQUE"], ["RESIDENCE"]),
]


@pytest.mark.parametrize(("address", "gone", "kept"), ADDRESSES)
def test_an_address_keeps_its_build_only(
    address: str, gone: list[str], kept: list[str], substitutor: Substitutor
) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"demeurant [[STREET|{address}]], à B.", Patient(key=key))
        assert all(word in found for word in kept), found
        assert not any(f" {word} " in f" {found} " for word in gone if word.isalpha()), found
        assert found != address


@pytest.mark.parametrize(
    ("address", "shape"),
    [
        ("12 Grande Rue", r"\d\d rue [^\W\d_].*"),
        ("3 Grand-Rue, appt 7", r"\d rue [^\W\d_].*, appt \d"),
        ("75 première Grand Rue", r"\d\d rue [^\W\d_].*"),
        ("GRANDE RUE", r"RUE [^a-z]+"),
        ("12 grande rue", r"\d\d rue [^A-Z]+"),
        ("4 Petite Rue des Lilas", r"\d rue (?!des Lilas).+"),
        ("12 rue du 8 mai 1945", r"\d\d rue .*[A-Z].*"),
        ("12 rue grande", r"\d\d rue [^A-Z]+"),
    ],
)
def test_a_way_whose_kind_is_its_name_and_one_named_after_a_day(
    address: str, shape: str, substitutor: Substitutor
) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"demeurant [[STREET|{address}]], à B.", Patient(key=key))
        assert re.fullmatch(shape, found), found


def test_the_draw_has_the_law_of_the_exponential_mechanism(policy: Policy, communes: CommuneTable) -> None:
    true = communes.find("Dijon")[0]
    members = communes.territory(true)
    epsilon, features, number = Fraction(8), policy.substitution.places.features, 6000
    weights = {one: exp(-epsilon * communes.distance(true, one, features) / 2_000_000) for one in members}
    draws = health_draws(KeyedStream(b"law", "x"), communes, true, policy.substitution.places, epsilon)
    counts = Counter(commune for _, commune in zip(range(number), draws, strict=False))
    for one in members:
        share = weights[one] / sum(weights.values())
        assert abs(counts[one] - number * share) <= 5 * sqrt(number * share) + 1


@pytest.mark.parametrize("key", KEYS)
def test_a_hamlet_agrees_with_the_words_ahead(key: str, substitutor: Substitutor) -> None:
    result = substitutor.substitute(*marked("demeurant au [[STREET|Bourg]], vu", patient=Patient(key=key)))
    assert re.match(r"demeurant (?:au (?!Le |Les )|aux (?!Les )|à La )[A-Z]", result.text), result.text


_FORMS = (
    "[[STREET|La Croix-Blanche]]",
    "[[STREET|la Croix Blanche]]",
    "[[STREET|CROIX BLANCHE]]",
    "[[STREET|lieu dit Croix Blanche]]",
    "[[STREET|12 lieu-dit La Croix Blanche]]",
    "[[STREET|8 rue du Stade, lieu-dit la Croix-Blanche]]",
    "[[STREET|hameau de la Croix Blanche]]",
    "[[STREET|Ham. de la Croix Blanche]]",
    "[[STREET|12 ham. la Croix-Blanche]]",
    "[[LOC|La Croix Blanche]]",
    "[[LOC|lieu-dit Croix-Blanche]]",
)


@pytest.mark.parametrize("key", KEYS[:3])
@pytest.mark.parametrize("head", ["Ham.", "ham", "hameau", "HAMEAU"])
def test_a_hamlet_is_known_without_its_word(head: str, key: str, substitutor: Substitutor) -> None:
    whole, alone = _one(substitutor, f"[[STREET|{head} de Kerlann]]. Demeurant [[LOC|Kerlann]].", Patient(key=key))
    assert whole.startswith(f"{head} d")
    assert fold_line(whole).endswith(re.sub("^l[ea]s? ", "", fold_line(alone)))


@pytest.mark.parametrize("key", KEYS[:3])
def test_a_hamlet_has_one_name_however_it_is_written_and_labelled(key: str, substitutor: Substitutor) -> None:
    written = _one(substitutor, " ; ".join(_FORMS) + " é", Patient(key=key))
    name = re.sub(r"^l[ea]s? ", "", fold_line(written[0]))
    assert name != "croix-blanche"
    assert all(fold_line(one).endswith(name) for one in written), written
    assert [one for one in written if fold_line(one).startswith("lieu")] == [written[3], written[-1]]
    assert re.match("Ham. d", written[7]), written
    (alone,) = _one(substitutor, "adresse : [[STREET|Croix Blanche]] é", Patient(key=key))
    assert fold_line(alone).endswith(name)


@pytest.mark.parametrize("key", KEYS[:3])
@pytest.mark.parametrize("markup", ["secteur de [[LOC|Ham]]", "[[STREET|Ham Centre]]", "à [[LOC|Ham-sur-Somme]]"])
def test_a_town_called_as_a_hamlet_is_shortened_goes(markup: str, key: str, substitutor: Substitutor) -> None:
    (found,) = _one(substitutor, f"{markup}, vu", Patient(key=key))
    assert "ham" not in words(found)


def test_the_number_of_a_hamlet_goes(substitutor: Substitutor) -> None:
    found = {_one(substitutor, "à [[LOC|1274 lieu-dit Kerlann]]", Patient(key=key))[0] for key in KEYS[:5]}
    assert not any("1274" in one for one in found)


@pytest.mark.parametrize("label", ["STREET", "LOC"])
@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("lieu-dit « Le Moulin »", "lieu-dit « .+ »"),
        ("lieu-dit « Le Moulin", "lieu-dit « [^»]+"),
        ('lieu-dit "La Croix"', 'lieu-dit "[^"]+"'),
    ],
)
def test_a_hamlet_keeps_its_quotes(label: str, written: str, form: str, substitutor: Substitutor) -> None:
    for key in KEYS[:4]:
        (found,) = _one(substitutor, f"à [[{label}|{written}]]", Patient(key=key))
        assert re.fullmatch(form, found), found


@pytest.mark.parametrize("key", KEYS[:3])
def test_a_hamlet_of_an_address_is_no_town_elsewhere(key: str, substitutor: Substitutor) -> None:
    markup = "à [[STREET|lieu-dit Kerbihan]], puis seul à [[CITY|Kerbihan]], voisin de [[LOC|Kerdalaün]]"
    address, town, other = _one(substitutor, markup, Patient(key=key))
    assert re.sub(r"^(?:l[ea]s?|aux?|à la) ", "", town.casefold()) in address.casefold()
    assert other.casefold() not in address.casefold()


@pytest.mark.parametrize("written", ["Vietnm", "Algérrie", "Portugual"])
def test_a_country_with_a_slip_becomes_a_country(written: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, f"pays : [[LOC|{written}]], en 2010", Patient(key=key))
        assert (area(found) or ("",))[0] == "country"


@pytest.mark.parametrize("key", [f"patient-{number}" for number in range(6)])
@pytest.mark.parametrize(
    ("markup", "kept"),
    [
        ("vit quartier du [[LOC|Petit Brésil]] depuis", "quartier d"),
        ("vit [[LOC|quartier des Sablettes]]", "quartier "),
        ("au [[LOC|parc Valbrune]]", "parc "), ("dans la [[LOC|vallée du Kerloch]]", "vallée d"),
        ("de l'[[LOC|île de Molène]] par bateau", "île d"), ("né dans les [[LOC|gorges du Kerloch]]", "gorges d"),
        ("secteur de la [[LOC|Croix Valbrune]]", "secteur "),
    ],
)  # fmt: skip
def test_a_quarter_valley_or_island_is_another_and_no_commune(
    markup: str, kept: str, key: str, substitutor: Substitutor
) -> None:
    result = substitutor.substitute(*marked(f"À [[CITY|Vierzon]]. {markup}.", patient=Patient(key=key)))
    text = result.text[result.text.index(kept) :]
    said = surrogates(result)[-1].removeprefix(kept.strip()).strip()
    assert not {"Brésil", "Sablettes", "Valbrune", "Kerloch", "Molène"} & set(re.findall(r"\w+", text)), text
    assert not re.search(r"\b(?:de (?:la (?:le|les|la)|le|les)|du (?:la|l'|des)|des (?:la|le|du)) ", text), text
    if kept in ("vallée d", "gorges d"):
        assert comparable(re.sub("^(?:e la |e l'|u |es |e |')", "", said)) in map(comparable, RIVERS), said


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("chute au [[LOC|col de la Savine]]", "col"), ("chute au col de la [[LOC|Savine]]", "col"),
        ("au pied du [[LOC|Mont Kerbrat]]", "mont"), ("au bord du [[LOC|lac Kerbrat]]", "lac"),
        ("sur la [[LOC|plage de Kerbrat]]", "plage"), ("au bord du [[LOC|lac Majeur]]", "lac_abroad"),
        ("ascension du [[LOC|mont Viso]]", "mont_abroad"),
    ],
)  # fmt: skip
def test_land_becomes_land_of_its_kind_at_home_or_abroad(markup: str, kind: str, substitutor: Substitutor) -> None:
    told = {comparable(re.sub(r"^(?:de la |de l'|du |des |de |d')", "", name)) for name in _LAND_NAMES[kind]}
    for key in KEYS:
        result = substitutor.substitute(*marked(f"À [[CITY|Vierzon]], {markup}.", patient=Patient(key=key)))
        (word, name) = re.search(
            rf"(?i)({kind.partition('_')[0]}) (?:de la |de l'|du |des |de |d')?(.*)\.", result.text
        ).groups()
        assert comparable(name) in told, result.text
        assert word in markup


def test_land_of_a_town_of_the_document_follows_it(substitutor: Substitutor) -> None:
    for key in KEYS:
        town, lake = _one(substitutor, "À [[CITY|Gérardmer]], [[LOC|lac de Gérardmer]].", Patient(key=key))
        assert lake == f"lac {of_place(town)}"


def test_a_number_of_a_quarter_is_another_number(substitutor: Substitutor) -> None:
    for key in KEYS:
        (found,) = _one(substitutor, "psychiatrie, secteur [[LOC|4]]", Patient(key=key))
        assert re.fullmatch(r"\d+", found), found


@pytest.mark.parametrize("key", KEYS[:3])
def test_land_is_the_same_with_its_article_and_its_hyphen(key: str, substitutor: Substitutor) -> None:
    markup = "Vit à [[CITY|Dijon]]. [[LOC|Mont Granier]], [[LOC|Le Mont-Granier]], [[LOC|le mont Granier]]"
    _, first, *others = _one(substitutor, markup, Patient(key=key))
    assert {one[3:].casefold() for one in others} == {first.casefold()}
