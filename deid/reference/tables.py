"""The tables of substitution in one mapped file: communes and their territories, streets, establishments, names.

`python -m deid.reference.tables` builds the packaged file from the compact tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from math import isnan, nan
from pathlib import Path
from typing import Any, TypeVar, overload

from marisa_trie import Trie

from deid.reference.commune import Commune, Establishment
from deid.reference.communes import CommuneTable
from deid.reference.mapped_files import RowLists, SectionFile, SectionWriter, stamp_of
from deid.reference.names import Crowd, FirstName, NameTables
from deid.reference.origins import EXAMPLES, OriginModel
from deid.reference.packaged import DATA, packaged_communes, packaged_rows

PACKAGED_TABLES = Path(__file__).parent / "packaged_data" / "tables"
# To be raised when the same tables give another file.
FORMAT = 4
_INPUTS = (
    *("communes", "former_communes", "hospital_towns", "territories", "streets", "establishments"),
    *("first_names", "surnames"),
)

_Value = TypeVar("_Value")


class Tables(SectionFile):
    """A file of tables, decoded on access."""

    SUFFIX = ".tables"

    @cached_property
    def communes(self) -> CommuneTable:
        """Communes, territories, streets and establishments."""
        return MappedCommunes(self)

    @cached_property
    def names(self) -> NameTables:
        """First names and surnames."""
        return read_names(self)


def build_tables(communes: CommuneTable, names: NameTables) -> bytes:
    """Return the file of these tables; the same tables give the same bytes."""
    writer = SectionWriter()
    write_communes(writer, communes)
    write_names(writer, names)
    return writer.content()


def build_packaged_tables() -> bytes:
    """Return the file of the packaged tables, built from their compact form."""
    names = NameTables.from_rows(packaged_rows("surnames"), packaged_rows("first_names"))
    return build_tables(packaged_communes(), names)


def tables_stamp(versions: Mapping[str, str] | None = None) -> str:
    """Return 16 hexadecimal digits that identify the inputs of a file of tables.

    The inputs are the file format, the packaged tables and the reference versions by source.
    """
    return stamp_of(_packaged_digest(), versions)


@cache
def packaged_tables() -> Tables:
    """Return the packaged tables.

    If a compact table was edited and the file not rebuilt, the tables are built from the compact form (some seconds).
    """
    return Tables.find(PACKAGED_TABLES, tables_stamp()) or Tables.of(build_packaged_tables())


@cache
def _packaged_digest() -> bytes:
    digest = hashlib.sha256(f"{FORMAT}\n".encode())
    for name in _INPUTS:
        digest.update(hashlib.sha256((DATA / f"{name}.csv.gz").read_bytes()).digest())
    digest.update(hashlib.sha256(EXAMPLES.read_bytes()).digest())
    return digest.digest()


# Communes

_FIELD, _ZIP = "\x1f", "|"  # separators
_INDEXES = ("_by_name", "_former_by_name", "_loosely", "_opened", "_by_zip", "_by_department", "_members")


def write_communes(writer: SectionWriter, table: CommuneTable) -> None:
    """Write a commune table with its indexes, so that no reader has to compute them."""
    communes = table.communes
    features = list(dict.fromkeys(name for commune in communes for name in commune.features))
    writer.json(
        "places",
        {
            "version": table.version,
            "features": features,
            "areas": [[*area, name] for area, name in table.areas.items()],
            "territories": list(table.partition),
            "partition": table.partition_digest,
        },
    )
    writer.texts("communes", (_commune_text(table, commune) for commune in communes))
    writer.numbers("communes at", "d", (degrees for one in communes for degrees in (one.lon, one.lat)))
    writer.numbers("communes people", "I", (one.population for one in communes))
    writer.numbers("communes features", "d", (one.features.get(name, nan) for one in communes for name in features))
    row_of = {commune.insee: row for row, commune in enumerate(communes)}
    writer.lists("codes", {code: [row] for code, row in row_of.items()})
    for name in _INDEXES:
        index: Mapping[str, Sequence[Commune]] = getattr(table, name)
        writer.lists(name, {key: [row_of[commune.insee] for commune in found] for key, found in index.items()})
    writer.texts("former", (_joined(name, insee or "") for name, insee in table.former))
    writer.texts("streets", table.streets)
    groups = table.establishments_by_commune
    writer.texts(
        "establishments",
        (_joined(one.finess, one.name, one.insee, one.kind) for group in groups.values() for one in group),
    )
    rows = iter(range(sum(map(len, groups.values()))))
    writer.lists("establishments of", {insee: [next(rows) for _ in group] for insee, group in groups.items()})


def _commune_text(table: CommuneTable, commune: Commune) -> str:
    zips, territory = _ZIP.join(commune.zips), table.territory_name(commune)
    return _joined(commune.insee, commune.name, commune.department, commune.region, zips, territory)


def _joined(*fields: str) -> str:
    return _FIELD.join(field.replace(_FIELD, " ") for field in fields)


class MappedCommunes(CommuneTable):
    """The table that `write_communes` wrote; its indexes are read from the file."""

    def __init__(self, sections: SectionFile) -> None:
        facts = sections.json("places")
        areas = {(kind, code): name for kind, code, name in facts["areas"]}
        super().__init__((), version=facts["version"], areas=areas)
        self._sections, self._facts = sections, facts
        self._rows = _Communes(sections, facts["features"])
        self.communes = self._rows
        self._codes = sections.lists("codes")
        # The cached properties of these names are never computed.
        for name in _INDEXES:
            setattr(self, name, _Index(sections.lists(name), self._rows.at))

    def __reduce__(self) -> tuple[type[MappedCommunes], tuple[SectionFile]]:
        return MappedCommunes, (self._sections,)

    def get(self, insee: str) -> Commune | None:
        rows = self._codes.get(self.code_of_today(insee))
        return None if rows is None else self._rows.at(rows[0])

    @cached_property
    def former(self) -> Sequence[tuple[str, str]]:
        lines = (line.partition(_FIELD) for line in self._sections.texts("former"))
        return tuple((name, insee) for name, _, insee in lines)

    @cached_property
    def partition(self) -> Mapping[str, Sequence[str]]:
        return {name: tuple(one.insee for one in self._members[name]) for name in self._facts["territories"]}

    @cached_property
    def partition_digest(self) -> str:
        return str(self._facts["partition"])

    @cached_property
    def streets(self) -> Sequence[str]:
        return tuple(self._sections.texts("streets"))

    @cached_property
    def establishments_by_commune(self) -> Mapping[str, Sequence[Establishment]]:
        texts = self._sections.texts("establishments")
        return _Index(self._sections.lists("establishments of"), lambda row: Establishment(*texts[row].split(_FIELD)))

    def territory_name(self, commune: Commune) -> str:
        rows = self._codes.get(commune.insee)
        if rows is None:
            raise KeyError(commune.insee)
        return self._rows.territory(rows[0])


class _Communes(Sequence[Commune]):
    """Communes by row, in the order of their INSEE codes; each is decoded on first access."""

    def __init__(self, sections: SectionFile, features: Sequence[str]) -> None:
        self._texts = sections.texts("communes")
        self._degrees = sections.view("communes at")
        self._people = sections.view("communes people")
        self._values = sections.view("communes features")
        self._features = tuple(features)
        # A territory of a hundred communes is read for every place draw.
        self.at = cache(self._decoded)

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, at: int) -> Commune: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Commune]: ...
    def __getitem__(self, at: int | slice) -> Commune | Sequence[Commune]:
        if isinstance(at, slice):
            return tuple(map(self.at, range(len(self))[at]))
        return self.at(range(len(self))[at])

    def territory(self, row: int) -> str:
        """Return the name of the territory of the commune of a row."""
        return self._texts[row].rpartition(_FIELD)[2]

    def _decoded(self, row: int) -> Commune:
        insee, name, department, region, zips, _ = self._texts[row].split(_FIELD)
        width = len(self._features)
        values = zip(self._features, self._values[row * width : (row + 1) * width], strict=True)
        return Commune(
            insee,
            name,
            department,
            region,
            tuple(zips.split(_ZIP)) if zips else (),
            self._degrees[2 * row],
            self._degrees[2 * row + 1],
            self._people[row],
            {feature: value for feature, value in values if not isnan(value)},
        )


class _Index(Mapping[str, Sequence[_Value]]):
    """Decoded rows by key."""

    def __init__(self, lists: RowLists, decode: Callable[[int], _Value]) -> None:
        self._lists, self._decode = lists, decode

    def __getitem__(self, key: str) -> Sequence[_Value]:
        rows = self._lists.get(key)
        if rows is None:
            raise KeyError(key)
        return tuple(map(self._decode, rows))

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists.trie)

    def __len__(self) -> int:
        return len(self._lists.trie)


# Names

_SEXES = (None, "F", "M")
_SURNAMES, _FIRST = "surnames", "first names"


def write_names(writer: SectionWriter, names: NameTables) -> None:
    """Write births, sex, generation and band by name, the names of each crowd, and the models of origins."""
    keys = writer.keys(_SURNAMES, names.surnames)
    writer.numbers(f"{_SURNAMES} births", "Q", (names.surnames[key] for key in keys))
    known = [names.first[key] for key in writer.keys(_FIRST, names.first)]
    writer.numbers(f"{_FIRST} births", "Q", (one.births for one in known))
    writer.numbers(f"{_FIRST} kinds", "B", (x for one in known for x in (_SEXES.index(one.sex), one.cohort, one.band)))
    writer.json("sorts of names", [[*sort, number] for sort, number in sorted(names.sorts.items(), key=str)])
    writer.json("crowds", len(names.crowds))
    for crowd in names.crowds:
        writer.put(f"members {crowd.number}", "\n".join(crowd.members).encode())
        writer.put(f"originals {crowd.number}", "\n".join(crowd.originals).encode())
    writer.json("origins", [[model.kind, model.weights, model.unseen] for model in names.origins])


class _MappedNames(NameTables):
    def __init__(self, sections: SectionFile, *tables: Any) -> None:
        super().__init__(*tables)
        self._sections = sections

    def __reduce__(self) -> tuple[Callable[[SectionFile], NameTables], tuple[SectionFile]]:
        return read_names, (self._sections,)


def read_names(sections: SectionFile) -> NameTables:
    """Return the tables that `write_names` wrote; births are read from the file, crowds on first use."""
    births = sections.view(f"{_SURNAMES} births")
    first_births, kinds = sections.view(f"{_FIRST} births"), sections.view(f"{_FIRST} kinds")

    def first_name(row: int) -> FirstName:
        sex, cohort, band = kinds[3 * row : 3 * row + 3]
        return FirstName(first_births[row], _SEXES[sex], cohort, band)

    surnames, first_names = (OriginModel(kind, weights, unseen) for kind, weights, unseen in sections.json("origins"))
    return _MappedNames(
        sections,
        _ByName(sections.keys(_SURNAMES), births.__getitem__),
        _ByName(sections.keys(_FIRST), first_name),
        {tuple(sort): number for *sort, number in sections.json("sorts of names")},
        [_MappedCrowd(sections, number) for number in range(sections.json("crowds"))],
        (surnames, first_names),
    )


class _MappedCrowd(Crowd):
    """A crowd whose names are decoded when it is first drawn from."""

    def __init__(self, sections: SectionFile, number: int) -> None:
        self._sections, self.number = sections, number

    @cached_property
    def members(self) -> Sequence[str]:  # type: ignore[override]
        return self._names("members")

    @cached_property
    def originals(self) -> Sequence[str]:  # type: ignore[override]
        return self._names("originals")

    def _names(self, kind: str) -> Sequence[str]:
        text = str(self._sections.view(f"{kind} {self.number}"), "utf-8")
        return text.split("\n") if text else ()


class _ByName(Mapping[str, _Value]):
    """A value by name, decoded from the number of the name."""

    def __init__(self, trie: Trie, decode: Callable[[int], _Value]) -> None:
        self._trie, self._decode = trie, decode

    def __getitem__(self, name: str) -> _Value:
        return self._decode(self._trie[name])

    def get(self, name: str, default: Any = None) -> Any:
        # Most words of a text are no names: an exception for each, as in Mapping, is slow.
        number = self._trie.get(name)
        return default if number is None else self._decode(number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._trie)

    def __len__(self) -> int:
        return len(self._trie)


if __name__ == "__main__":
    made = Tables.write(PACKAGED_TABLES, tables_stamp(), build_packaged_tables(), kept=1)
    print(f"{made.path.name}: {made.path.stat().st_size // 1024} KiB")
