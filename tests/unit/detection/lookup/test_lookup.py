"""Lookup: equal to a search without index; a file with another digest is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config.policy import load
from deid.detection import Detector
from deid.detection.lookup import (
    PACKAGED_LOOKUPS,
    Kind,
    LookupTable,
    build_lookup,
    folded_spellings,
    lookup_stamp,
    packaged_spellings,
)
from deid.detection.lookup.lexicon import gazetteers, lexicon, use_lookup
from deid.domain.document import Document
from deid.domain.errors import ReferenceRefused
from deid.domain.labels import NAMES as PEOPLE
from deid.domain.labels import Label
from deid.french.folding import fold, key, spaced
from deid.reference.packaged import packaged_rows

WORDS = st.sampled_from(["le", "la", "l", "mans", "bourg", "saint", "sainte", "éloi", "rue", "œuf", "paix", "d", "8"])
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
WORDS_ONLY = {Kind.FIRST_NAME, Kind.SURNAME}
LOOKED_FOR = [kind for kind in Kind if kind not in {*WORDS_ONLY, Kind.POSTAL}]
ROWS = st.lists(st.tuples(st.sampled_from(LOOKED_FOR), NAMES, st.integers(0, 3_000_000)), max_size=12)
TEXTS = st.lists(st.one_of(WORDS, st.sampled_from(["-", "\n", "  ", "x", "𝒳", "’"])), max_size=30).map(" ".join)
RULES = Path("deid/config/policies/rules.yaml")


@pytest.fixture
def own_names() -> Iterator[None]:
    yield
    use_lookup(None)


@given(ROWS, TEXTS)
def test_finds_what_a_plain_search_finds(table: list[tuple[Kind, str, int]], text: str) -> None:
    spellings = list(folded_spellings(table))
    flat = spaced(fold(text))
    expected = {
        (at.start(), at.start() + len(name), name, kind)
        for kind, name, _, _ in spellings
        for at in re.finditer(f"(?= {re.escape(name)} )", f" {flat} ")
    }
    found = LookupTable.of(build_lookup(spellings)).scan(flat)
    assert {(start, end, entry.name, entry.kind) for start, end, entry in found} == expected
    assert [(start, -end) for start, end, _ in found] == sorted((start, -end) for start, end, _ in found)


@given(st.lists(st.tuples(st.sampled_from(Kind), NAMES, st.integers(0, 5_000_000_000)), max_size=12), st.randoms())
def test_the_order_of_the_rows_does_not_matter(table: list[tuple[Kind, str, int]], chance: object) -> None:
    spellings = list(folded_spellings(table))
    content = build_lookup(spellings)
    chance.shuffle(spellings)  # type: ignore[attr-defined]
    assert build_lookup(spellings) == content
    assert build_lookup([*spellings, *spellings]) == content


@given(st.lists(st.tuples(st.sampled_from(sorted(WORDS_ONLY)), NAMES, st.integers(1, 1000)), max_size=12), TEXTS)
def test_names_of_people_are_counted_by_word_and_never_looked_for(
    table: list[tuple[Kind, str, int]], text: str
) -> None:
    lookup = LookupTable.of(build_lookup(folded_spellings(table)))
    assert lookup.scan(spaced(fold(text))) == []
    born = {kind: [(key(name).split(), births) for one, name, births in table if one is kind] for kind in WORDS_ONLY}
    for word in {word for _, name, _ in table for word in key(name).split()}:
        assert not lookup.kinds(word)
        assert lookup.births(Kind.FIRST_NAME, word) == sum(
            births * parts.count(word) for parts, births in born[Kind.FIRST_NAME]
        )
        assert lookup.births(Kind.SURNAME, word) == sum(
            births for parts, births in born[Kind.SURNAME] if parts == [word]
        )


def test_of_two_tables_the_larger_number_of_births_counts() -> None:
    one, other = [(Kind.SURNAME, "MARTIN", 40)], [(Kind.SURNAME, "MARTIN", 70), (Kind.SURNAME, "ZORVEK", 20)]
    lookup = LookupTable.of(build_lookup([*folded_spellings(one), *folded_spellings(other)]))
    assert [lookup.births(Kind.SURNAME, word) for word in ("martin", "zorvek", "dubois")] == [70, 20, 0]


def test_what_la_poste_alone_calls_a_commune_is_a_former_one_and_no_second_name_of_another() -> None:
    table = [(Kind.POSTAL, "MORNANT", 0), (Kind.COMMUNE, "Mornant", 5000), (Kind.POSTAL, "PAPEARI", 0)]
    lookup = LookupTable.of(build_lookup(folded_spellings(table)))
    assert lookup.kinds("mornant") == {Kind.COMMUNE}
    assert lookup.kinds("papeari") == {Kind.FORMER}


@given(ROWS)
def test_a_town_has_the_inhabitants_of_its_largest_commune(table: list[tuple[Kind, str, int]]) -> None:
    lookup = LookupTable.of(build_lookup(folded_spellings(table)))
    for _, name, _ in table:
        wanted = max(
            (people for kind, other, people in table if kind is Kind.COMMUNE and key(other) == key(name)), default=0
        )
        assert lookup.towns(key(name)) == wanted


def test_the_file_that_ships_is_that_of_the_tables_that_ship() -> None:
    known = LookupTable.find(PACKAGED_LOOKUPS, lookup_stamp())
    assert known is not None, "a table or list has changed: python -m deid.detection.lookup"
    assert known.path.read_bytes() == build_lookup(packaged_spellings())
    assert [path.name for path in PACKAGED_LOOKUPS.iterdir()] == [known.path.name]
    assert known.path.stat().st_size < 30_000_000


def test_every_commune_that_ships_is_found() -> None:
    known = LookupTable.find(PACKAGED_LOOKUPS, lookup_stamp())
    assert known is not None
    for row in packaged_rows("communes"):
        name = key(row["name"])
        hits = known.scan(spaced(fold(f"vit à {name}, seul")))
        assert any(entry.name == name and entry.kind is Kind.COMMUNE and start == 6 for start, _, entry in hits), name
        assert known.towns(name) >= int(row["population"])


@pytest.mark.parametrize("at", [0, 400, -30, -1])
def test_a_damaged_file_is_refused_and_built_again(tmp_path: Path, at: int) -> None:
    names = list(folded_spellings([(Kind.STREET, f"rue {number}", 0) for number in range(200)]))
    whole = LookupTable.write(tmp_path, "0" * 16, build_lookup(names))
    content = bytearray(whole.path.read_bytes())
    content[at] ^= 1
    whole.path.write_bytes(bytes(content))
    with pytest.raises(ReferenceRefused):
        LookupTable(whole.path, whole.digest)
    assert LookupTable.find(tmp_path, "0" * 16) is None
    again = LookupTable.write(tmp_path, "0" * 16, build_lookup(names))
    assert again.digest == whole.digest
    assert LookupTable.find(tmp_path, "0" * 16) is not None
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("content", [b"", b"<html>404</html>", bytes(5000)])
def test_what_is_no_lookup_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "0.lookup"
    path.write_bytes(content)
    with pytest.raises(ReferenceRefused, match=r"0\.lookup"):
        LookupTable(path)


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    whole = LookupTable.write(tmp_path, "a" * 16, build_lookup(folded_spellings([(Kind.STREET, "rue du Bac", 0)])))
    whole.path.write_bytes(whole.path.read_bytes()[:-7])
    assert LookupTable.find(tmp_path, "a" * 16) is None


def test_old_lookups_are_dropped_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "keep.txt").write_text("of somebody else")
    for number in range(6):
        LookupTable.write(
            tmp_path, f"{number:016}", build_lookup(folded_spellings([(Kind.STREET, f"rue {number}", 0)]))
        )
    assert len(list(tmp_path.glob("*.lookup"))) == 3
    assert LookupTable.find(tmp_path, f"{5:016}") is not None
    assert (tmp_path / "keep.txt").exists()


def test_the_stamp_tells_releases_apart() -> None:
    one = lookup_stamp({"streets": "streets-aaaaaaaaaaaa.1"})
    assert one == lookup_stamp({"streets": "streets-aaaaaaaaaaaa.1"})
    assert (
        len(
            {
                one,
                lookup_stamp(),
                lookup_stamp({"streets": "streets-bbbbbbbbbbbb.1"}),
                lookup_stamp({"communes": "streets-aaaaaaaaaaaa.1"}),
            }
        )
        == 4
    )


@pytest.mark.usefixtures("own_names")
def test_a_professional_of_the_directory_is_found_where_nothing_announces_the_name() -> None:
    detector = Detector(load(RULES))
    document = Document("d", "Hier soir Zorvek Pliquemol trouve le tableau inchangé.\n")
    name = "Zorvek Pliquemol"

    def found() -> set[str]:
        return {document.text[one.start : one.end] for one in detector.detect([document])[0]}

    assert not any(name in text for text in found())
    listed = [(Kind.PROFESSIONAL, "ZORVEK PLIQUEMOL", 0), (Kind.PROFESSIONAL, "PLIQUEMOL ZORVEK", 0)]
    use_lookup(LookupTable.of(build_lookup([*packaged_spellings(), *folded_spellings(listed)])))
    assert name in found()
    assert name.lower() not in gazetteers().names  # it stays the name of a person


LOCALITIES = ("La Garcine", "Le Moulin", "St Gondolfe", "Les Fangeas", "Bouvier", "Crêt des Orvignoux", "Embrun")


@pytest.fixture(scope="module")
def with_localities() -> LookupTable:
    """Return the shipped tables with the localities of a register; built once, in seconds."""
    return LookupTable.of(
        build_lookup([*packaged_spellings(), *folded_spellings([(Kind.LOCALITY, name, 0) for name in LOCALITIES])])
    )


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Elle habite toujours à La Garcine avec sa sœur.", {"La Garcine"}),
        ("Il vit seul au Moulin, sans aide.", {"Moulin"}),  # the register says "Le Moulin"
        ("Il vit seul à Le Moulin, sans aide.", {"Le Moulin"}),
        ("Demeurant Saint Gondolfe, sans aide.", {"Saint Gondolfe"}),
        ("Chute à vélo près des Fangeas hier.", set()),
        ("Chute à vélo aux abords de Les Fangeas hier.", {"Les Fangeas"}),
        ("Retrouvé au Crêt des Orvignoux par un voisin.", {"Crêt des Orvignoux"}),
        ("Le Moulin de la patiente tourne.", set()),
        ("Le Moulin, Embrun, est son adresse d'été.", {"Le Moulin"}),
        ("M. Bouvier dort bien. Vu avec Bouvier, Embrun.", set()),
        ("Elle habite Embrun depuis dix ans.", set()),  # a commune of that name: CITY
        ("demeure à la garcine avec sa soeur et son chien.", {"la garcine"}),
        ("Douleur de la garcine, sans plus, au moulin.", set()),
    ],
)
def test_a_locality_is_a_place_where_something_says_so_or_nothing_else_bears_its_name(
    with_localities: LookupTable, text: str, found: set[str]
) -> None:
    use_lookup(with_localities)
    detector = Detector(load(RULES))
    mentions = detector.detect([Document("d", text + "\n")])[0]
    assert {text[one.start : one.end] for one in mentions if one.label is Label.STREET} == found


@pytest.mark.usefixtures("own_names")
def test_first_names_and_surnames_of_a_release_are_read_as_those_that_ship() -> None:
    detector = Detector(load(RULES))
    document = Document("d", "Hier soir Zorvande trouve le repas trop froid.\n")

    def people() -> set[str]:
        return {document.text[m.start : m.end] for m in detector.detect([document])[0] if m.label in PEOPLE}

    assert people() == set()
    release = [(Kind.FIRST_NAME, "ZORVANDE", 900), (Kind.SURNAME, "XZQUOL", 20)]
    use_lookup(LookupTable.of(build_lookup([*packaged_spellings(), *folded_spellings(release)])))
    assert people() == {"Zorvande"}
    assert lexicon().is_surname("xzquol")
    assert lexicon().surnames.get("martin") == 250_013, "what ships stays known"
    use_lookup(None)
    assert people() == set()
    assert not lexicon().is_surname("xzquol")
