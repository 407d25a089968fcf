"""Reading of place names: short, long, scanned, merged and ambiguous names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.domain.document import Patient
from deid.french.folding import comparable
from deid.reference import Commune
from deid.reference.place_names import place_key
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.places.finding import Finder, Hints
from tests.unit.substitution.examples import marked, surrogates

TABLE = packaged_tables().communes
FINDER = Finder(TABLE)
NOTHING = Hints()
KEYS = [f"patient-{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("name", "hints", "insee"),
    [
        ("Chamonix", NOTHING, "74056"),
        ("brive", NOTHING, "19031"),
        ("La Seyne", NOTHING, "83126"),
        ("Berck-sur-Mer", NOTHING, "62108"),
        ("MANTES", NOTHING, "78361"),
        ("St-Pol", Hints(departments=("29",)), "29259"),
        ("ARMENTlERES", Hints(sure=frozenset({"59"})), "59017"),
        ("Be11egarde", Hints(departments=("30",), sure=frozenset({"30"})), "30034"),
        ("M0NTLUC0N CEDEX", NOTHING, "03185"),
        ("Créteil Cx", NOTHING, "94028"),
        ("Saint-Denis", NOTHING, "97411"),
        ("Saint-Denis", Hints(departments=("21", "93")), "93066"),
        ("Saint-Denis", Hints(regions=("11",)), "93066"),
        ("Saint-Denis", Hints("11310"), "11339"),
        # Villages elsewhere have the whole name.
        ("Épagny", Hints(departments=("74",), sure=frozenset({"74"})), "74112"),
        ("Épagny", Hints(departments=("21",), sure=frozenset({"21", "74"})), "21245"),
        ("Villars", Hints(departments=("01",), sure=frozenset({"01"})), "42330"),
        ("Bouchet", Hints(departments=("26",), sure=frozenset({"26"})), "26054"),
        # Merged since: the commune it is in today.
        ("Amareins", NOTHING, "01165"),
        ("Vandœuvre", NOTHING, "54547"),
    ],
)
def test_a_name_means_a_commune(name: str, hints: Hints, insee: str) -> None:
    found = FINDER.named(name, hints)
    assert found is not None
    assert found.commune is not None
    assert found.commune.insee == insee


@pytest.mark.parametrize("name", ["", " ", "1", "Xqz", "la", "le", "CAY", "-", "Bat aille"])
def test_what_nobody_knows_is_no_place(name: str) -> None:
    assert FINDER.named(name, NOTHING) is None


def test_a_former_homonym_is_found_by_its_department() -> None:
    """A name that a commune bears today, and that another one bore before it was merged."""
    today, former = None, None
    for name, insee in TABLE.former:
        merged = TABLE.get(insee)
        homonyms = TABLE.find(name)
        if merged and homonyms and merged not in homonyms:
            today, former = homonyms[0], (name, merged)
            break
    assert former is not None
    name, merged = former
    assert FINDER.named(name, Hints(merged.zips[0])) != FINDER.named(name, NOTHING)
    assert FINDER.named(name, Hints(merged.zips[0])).commune == merged
    assert FINDER.named(name, NOTHING).commune == today


@settings(deadline=None)
@given(st.sampled_from(TABLE.communes))
def test_every_commune_is_found_by_name_and_postal_code(commune: Commune) -> None:
    for code in commune.zips:
        for name in (commune.name, commune.name.upper(), f"{commune.name.upper()} CEDEX 3"):
            found = FINDER.named(name, Hints(code))
            assert found is not None
            assert found.commune is not None
            assert code in found.commune.zips


@settings(deadline=None)
@given(st.text(max_size=30), st.one_of(st.none(), st.text(max_size=8)))
def test_any_text_is_a_place_or_none(name: str, code: str | None) -> None:
    for found in (FINDER.named(name, Hints(code)), FINDER.at(code or "", NOTHING), FINDER.inside(name, NOTHING)):
        assert found is None or found.key


@settings(deadline=None)
@given(
    st.sampled_from([one.name for one in TABLE.communes] + ["Saint-Denis", "Montréal", "Berne"]),
    st.sampled_from([None, "21000", "93200", "97400", "25000"]),
    st.sampled_from(["21", "93", "974", "25"]),
)
def test_a_name_without_namesake_means_one_commune_whatever_the_document_says(
    name: str, code: str | None, department: str
) -> None:
    only = FINDER.only(name, code)
    if only is not None:
        hints = Hints(code, (department,), sure=frozenset({department}))
        assert only == FINDER.named(name, hints) == FINDER.named(name, Hints(code))


@pytest.mark.parametrize(
    ("organisation", "towns"),
    [
        ("CHU de Lille", ("Lille",)),
        ("CH de Beaune - site Nord", ("Beaune",)),
        ("CHU Dijon", ("Dijon",)),
        ("Institut Émile-Vautrin", ()),
    ],
)
def test_towns_are_found_in_the_names_of_organisations(organisation: str, towns: tuple[str, ...]) -> None:
    assert FINDER.towns_in(organisation) == towns


@pytest.mark.parametrize(
    ("code", "department"),
    [("21000", "21"), ("29609", "29"), ("75116", "75"), ("20090", "2A"), ("20600", "2B"), ("97435", "974")],
)
def test_a_code_is_of_its_department(code: str, department: str) -> None:
    found = FINDER.at(code, NOTHING)
    assert found is not None
    assert found.commune is not None
    assert found.commune.department == department


@pytest.mark.parametrize("code", ["00000", "99999", "96000", "2100", "210000", "", "21O00", "SW1A 1AA", "98000"])
def test_a_code_of_nowhere_is_no_place(code: str) -> None:
    assert FINDER.at(code, NOTHING) is None


@pytest.mark.parametrize(
    "text", ["00000", "99999", "96000", "2100", "SW1A 1AA", "2I O0O", "F-99999", "A", "vingt mille"]
)
def test_a_code_of_nowhere_is_replaced_all_the_same(text: str, substitutor: Substitutor) -> None:
    """By a code of the home territory, by another of the same form, or by the label: never left."""
    for markup in (f"[[ZIP|{text}]]", f"[[ZIP|{text}]] [[CITY|Xqz]]", f"[[ZIP|{text}]] [[CITY|Dijon]]"):
        document, mentions = marked(markup)
        found = surrogates(substitutor.substitute(document, mentions))[0]
        assert found.casefold() != text.casefold()
        assert found.strip()


def test_names_of_a_document_settle_each_other(substitutor: Substitutor) -> None:
    """Saint-Denis alone is the greatest, in La Réunion; beside Bobigny and Aubervilliers it is their neighbour."""
    document, mentions = marked("[[CITY|Saint-Denis]], [[CITY|Bobigny]], [[CITY|Aubervilliers]]")
    first = surrogates(substitutor.substitute(document, mentions))[0]
    overseas = TABLE.in_department("974")
    assert comparable(first) not in {comparable(one.name) for one in overseas}


@pytest.mark.parametrize(
    ("whole", "short"),
    [
        ("Clermont-Ferrand", "Clermont"), ("Clermont-Ferrand", "CLERMONT FD"), ("Chalon-sur-Saône", "Chalon/Saône"),
        ("Villefranche-sur-Saône", "Villefranche"), ("Bourg-en-Bresse", "Bourg"),
    ],
)  # fmt: skip
def test_a_town_written_short_is_that_written_whole_elsewhere(whole: str, short: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        text = f"Suivie à [[CITY|{short}]]. Née à [[CITY|{whole}]], vue à [[CITY|{short}]]."
        towns = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))
        assert len({place_key(town) for town in towns}) == 1


def test_a_large_town_is_not_a_small_one_that_begins_alike(substitutor: Substitutor) -> None:
    told = {
        len(set(surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))))
        for key in KEYS
        for text in (
            "De [[CITY|Saint-Denis]] à [[CITY|Saint-Denis-en-Val]].",
            "[[ZIP|60600]] [[CITY|Clermont]] puis [[CITY|Clermont-Ferrand]]",
        )
    }
    assert max(told) > 1


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("organisation", "place"),
    [
        ("polyclinique du Parc", "[[CITY|Montluçon]]"),
        ("clinique des Trois Rivières", "[[ZIP|57400]] [[CITY|Sarrebourg]]"),
        ("maison médicale du Beuvron", "[[ZIP|41500]] [[CITY|Mer]]"),
        ("pharmacie du Marché", "[[CITY|Luzinay]], Isère. Hémoptysie"),
    ],
)
def test_a_site_called_like_a_village_elsewhere_is_no_place(
    organisation: str, place: str, key: str, substitutor: Substitutor
) -> None:
    """It then gets the name that it gets where no village is called so, whatever the town."""
    text = f"{place}, [[ORG|{organisation}]]"
    name = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))[-1]
    text = f"[[CITY|Besançon]], [[ORG|{organisation}]]"
    assert surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))[-1] == name


@pytest.mark.parametrize(
    ("organisation", "insee"), [("hôpital du Vésinet", "78650"), ("CH du Mans", "72181"), ("EHPAD du Parc", "50535")]
)
def test_an_article_is_that_of_a_town_or_of_a_village_here(organisation: str, insee: str) -> None:
    here = Hints(departments=("50",), sure=frozenset({"50"}))
    name = organisation.split()[-1]
    assert not FINDER.is_site(name, organisation, here)
    place = FINDER.inside(name, here)
    assert place is not None
    assert place.key == insee
