"""Compiled file of the substitution tables: equal to its source tables, and refused when damaged."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.lookup import PACKAGED_LOOKUPS as LOOKUPS
from deid.domain.errors import ReferenceRefused
from deid.reference import tables
from deid.reference.communes import CommuneTable
from deid.reference.mapped_files import SectionFile, SectionWriter
from deid.reference.names import NameTables
from deid.reference.packaged import DATA, packaged_rows
from deid.reference.packaged import packaged_communes as of_rows
from deid.reference.place_names import place_key
from deid.reference.tables import (
    PACKAGED_TABLES,
    Tables,
    build_packaged_tables,
    build_tables,
    packaged_tables,
    tables_stamp,
)

MIB = 1 << 20
TEXTS = st.lists(st.text(max_size=8), max_size=20)


@pytest.fixture(scope="module")
def plain() -> CommuneTable:
    return of_rows()


@pytest.fixture(scope="module")
def names() -> NameTables:
    return NameTables.from_rows(packaged_rows("surnames"), packaged_rows("first_names"))


def test_the_file_that_ships_is_that_of_the_tables_that_ship_and_is_small() -> None:
    known = Tables.find(PACKAGED_TABLES, tables_stamp())
    assert known is not None, "a table has changed: python -m deid.reference.tables"
    assert known.path.read_bytes() == build_packaged_tables()
    assert [path.name for path in PACKAGED_TABLES.iterdir()] == [known.path.name]
    assert (
        sum(path.stat().st_size for folder in (PACKAGED_TABLES, LOOKUPS, DATA) for path in folder.iterdir()) < 30 * MIB
    )


def test_names_of_the_file_that_ships_give_it_again(plain: CommuneTable) -> None:
    """A deployment without names of its own builds its tables with them."""
    shipped = packaged_tables()
    assert build_tables(plain, shipped.names) == shipped.path.read_bytes()


def test_places_are_those_of_the_rows(plain: CommuneTable) -> None:
    mapped = packaged_tables().communes
    assert tuple(mapped.communes) == plain.communes
    assert [one.features for one in mapped.communes] == [one.features for one in plain.communes]
    assert [(one.zips, one.lon, one.lat, one.population, one.region) for one in mapped.communes] == [
        (one.zips, one.lon, one.lat, one.population, one.region) for one in plain.communes
    ]
    assert mapped.version == plain.version
    assert dict(mapped.partition) == dict(plain.partition)
    assert list(mapped.partition) == list(plain.partition)
    assert mapped.partition_digest == plain.partition_digest
    assert list(mapped.streets) == list(plain.streets)
    assert list(mapped.former) == list(plain.former)
    for commune in plain.communes[::7]:
        assert mapped.find(commune.name) == plain.find(commune.name)
        assert mapped.find(commune.name, zip=commune.zips[0]) == plain.find(commune.name, zip=commune.zips[0])
        assert mapped.at_zip(commune.zips[0]) == plain.at_zip(commune.zips[0])
        assert mapped.get(commune.insee) == commune
        assert mapped.territory(commune) == plain.territory(commune)
        assert mapped.territory_name(commune) == plain.territory_name(commune)
        assert mapped.establishments(commune.insee) == plain.establishments(commune.insee)
        opening = place_key(commune.name).split()[0]
        assert list(mapped.opened(opening)) == list(plain.opened(opening))
    for department in ("25", "2a", "971", "00"):
        assert mapped.region_of(department) == plain.region_of(department)
        assert mapped.in_department(department) == plain.in_department(department)
        assert mapped.department_name(department) == plain.department_name(department)
    for name, _ in plain.former[::11]:
        assert mapped.find(name) == plain.find(name)


def test_what_nobody_knows_is_not_found() -> None:
    mapped = packaged_tables().communes
    assert not mapped.find("Zorvekville")
    assert not mapped.at_zip("00000")
    assert mapped.get("99999") is None
    assert not mapped.opened("zorvek")
    with pytest.raises(KeyError):
        mapped.territory_name(mapped.communes[0].__class__("99999", "", "", "", (), 0.0, 0.0, 0, {}))


def test_names_are_those_of_the_rows(names: NameTables) -> None:
    mapped = packaged_tables().names
    assert dict(mapped.surnames) == dict(names.surnames)
    assert dict(mapped.first) == dict(names.first)
    assert dict(mapped.sorts) == dict(names.sorts)
    for one, other in zip(mapped.crowds, names.crowds, strict=True):
        assert (one.number, list(one.members), list(one.originals)) == (
            other.number,
            list(other.members),
            list(other.originals),
        )
        assert one.halvings == other.halvings
    for word in ("martin", "goff", "zorvek", "benyamina"):
        assert mapped.surnames_like(word).number == names.surnames_like(word).number
        assert mapped.first_names_like(word, "F").number == names.first_names_like(word, "F").number
    assert mapped.first_name("Zorvek") is None


def test_no_name_is_drawn_from_two_crowds_and_every_original_has_a_place(names: NameTables) -> None:
    for kind, lookup in (("surname", names.surnames), ("first name", names.first)):
        crowds = [names.crowds[one] for one in sorted({n for sort, n in names.sorts.items() if sort[0] == kind})]
        members = [name for crowd in crowds for name in crowd.members]
        assert len(members) == len(set(members))
        assert all(len(crowd.members) >= 48 for crowd in crowds)
        assert all(crowd.halvings for crowd in crowds if crowd.originals)
        originals = [word for crowd in crowds for word in crowd.originals]
        assert len(originals) == len(set(originals)) > 4_000
        assert set(originals) <= set(lookup)


def test_a_table_of_few_rows_and_odd_names_comes_back(plain: CommuneTable) -> None:
    some = plain.in_department("05")
    odd = CommuneTable(some, version="odd", former=[("Vieux|Bourg\nd'en Haut", some[0].insee), ("Nulle Part", "")])
    writer = SectionWriter()
    tables.write_communes(writer, odd)
    back = tables.MappedCommunes(SectionFile.of(writer.content()))
    assert list(back.former) == list(odd.former)
    assert back.find("Vieux|Bourg d'en Haut") == odd.find("Vieux|Bourg d'en Haut") == (some[0],)
    assert back.streets == ()
    assert not back.establishments(some[0].insee)


KEYS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1)


@given(TEXTS, st.dictionaries(KEYS, st.lists(st.integers(0, 9))))
def test_sections_come_back_as_they_were_put(texts: list[str], lists: dict[str, list[int]]) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    writer = SectionWriter()
    writer.texts("texts", texts)
    writer.lists("lists", lists)
    sections = SectionFile.of(writer.content())
    assert list(sections.texts("texts")) == texts
    assert {name: list(sections.lists("lists").get(name) or ()) for name in lists} == lists
    assert sections.lists("lists").get("never put ") is None


@pytest.mark.parametrize("at", [0, 5000, -200, -1])
def test_damaged_tables_are_refused_and_written_again(tmp_path: Path, at: int) -> None:
    few = CommuneTable(packaged_tables().communes.in_department("05"), version="few")
    made = Tables.write(tmp_path, "0" * 16, build_tables(few, NameTables.from_rows([], [])))
    content = bytearray(made.path.read_bytes())
    content[at] ^= 1
    made.path.write_bytes(bytes(content))
    assert Tables.find(tmp_path, "0" * 16) is None
    again = Tables.write(tmp_path, "0" * 16, build_tables(few, NameTables.from_rows([], [])))
    assert again.digest == made.digest
    found = Tables.find(tmp_path, "0" * 16)
    assert found is not None
    assert tuple(found.communes.communes) == few.communes


def test_a_region_of_towns_alone_has_its_towns_for_villages() -> None:
    towns = CommuneTable(packaged_tables().communes.in_department("75"), version="towns")
    assert [one.name for one in towns.villages(towns.communes[0])] == ["Paris"]


@pytest.mark.parametrize("content", [b"", b"<html>404</html>", bytes(5000)])
def test_what_are_no_tables_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "0.tables"
    path.write_bytes(content)
    with pytest.raises(ReferenceRefused, match=r"0\.tables"):
        Tables(path)


def test_a_stale_file_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tables, "PACKAGED_TABLES", tmp_path)
    assert packaged_tables.__wrapped__().digest == packaged_tables().digest, (
        "built from the rows, for this process alone"
    )
    assert not list(tmp_path.iterdir())
