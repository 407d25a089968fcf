"""A commune table as sections of a file, and the same read from there as it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isnan, nan
from typing import Any, TypeVar, overload

from deid.reference.communes import Commune, CommuneTable, Establishment
from deid.reference.tables.sections import Draft, Lists, Sections

_BETWEEN, _WITHIN = "\x1f", "|"
_INDEXES = ("_by_name", "_former_by_name", "_loosely", "_opened", "_by_zip", "_by_department", "_members")
_Row = TypeVar("_Row")


def put(draft: Draft, table: CommuneTable) -> None:
    """All that a table says, with its indexes: they are computed here once and looked up ever after."""
    communes = table.communes
    features = list(dict.fromkeys(name for commune in communes for name in commune.features))
    draft.json(
        "places",
        {
            "version": table.version,
            "features": features,
            "areas": [[*area, name] for area, name in table.areas.items()],
            "territories": list(table.partition),
            "partition": table.partition_digest,
        },
    )
    draft.texts("communes", (_written(table, commune) for commune in communes))
    draft.numbers("communes at", "d", (degrees for one in communes for degrees in (one.lon, one.lat)))
    draft.numbers("communes people", "I", (one.population for one in communes))
    draft.numbers("communes features", "d", (one.features.get(name, nan) for one in communes for name in features))
    at = {commune.insee: row for row, commune in enumerate(communes)}
    draft.lists("codes", {code: [row] for code, row in at.items()})
    for name in _INDEXES:
        index: Mapping[str, Sequence[Commune]] = getattr(table, name)
        draft.lists(name, {key: [at[commune.insee] for commune in found] for key, found in index.items()})
    draft.texts("former", (_joined(name, insee or "") for name, insee in table.former))
    draft.texts("streets", table.streets())
    groups = table.establishments_by_commune
    draft.texts(
        "establishments",
        (_joined(one.finess, one.name, one.insee, one.kind) for group in groups.values() for one in group),
    )
    rows = iter(range(sum(map(len, groups.values()))))
    draft.lists("establishments of", {insee: [next(rows) for _ in group] for insee, group in groups.items()})


def _written(table: CommuneTable, commune: Commune) -> str:
    zips, territory = _WITHIN.join(commune.zips), table.territory_name(commune)
    return _joined(commune.insee, commune.name, commune.department, commune.region, zips, territory)


def _joined(*fields: str) -> str:
    return _BETWEEN.join(field.replace(_BETWEEN, " ") for field in fields)


class MappedCommunes(CommuneTable):
    """The table that `put` wrote. A commune is made when somebody asks for it."""

    def __init__(self, sections: Sections) -> None:
        facts = sections.json("places")
        self._sections = sections
        self._facts = facts
        rows = _Communes(sections, facts["features"])
        super().__init__(
            (), version=facts["version"], areas={(kind, code): name for kind, code, name in facts["areas"]}
        )
        self.communes = rows
        self._rows = rows
        self._territories: dict[str, str] = {}  # by INSEE code, once asked for

    @cached_property
    def former(self) -> Sequence[tuple[str, str]]:
        lines = (line.partition(_BETWEEN) for line in self._sections.texts("former"))
        return tuple((name, insee) for name, _, insee in lines)

    @cached_property
    def partition(self) -> Mapping[str, Sequence[str]]:
        return {name: tuple(one.insee for one in self._members[name]) for name in self._facts["territories"]}

    @cached_property
    def partition_digest(self) -> str:
        return str(self._facts["partition"])

    @cached_property
    def _names_of_streets(self) -> Sequence[str]:
        return tuple(self._sections.texts("streets"))

    def streets(self) -> Sequence[str]:
        return self._names_of_streets

    @cached_property
    def establishments_by_commune(self) -> Mapping[str, Sequence[Establishment]]:
        known = self._sections.texts("establishments")
        return _Index(self._sections.lists("establishments of"), lambda row: Establishment(*known[row].split(_BETWEEN)))

    @cached_property
    def _by_code(self) -> Mapping[str, Commune]:
        return _Single(self._index("codes"))

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[Commune]]:
        return self._index("_by_name")

    @cached_property
    def _former_by_name(self) -> Mapping[str, Sequence[Commune]]:
        return self._index("_former_by_name")

    @cached_property
    def _loosely(self) -> Mapping[str, Sequence[Commune]]:
        return self._index("_loosely")

    @cached_property
    def _opened(self) -> Mapping[str, Sequence[Commune]]:
        return self._index("_opened")

    @cached_property
    def _by_zip(self) -> Mapping[str, Sequence[Commune]]:
        return self._index("_by_zip")

    @cached_property
    def _by_department(self) -> _Index[Commune]:
        return self._index("_by_department")

    def region_of(self, department: str) -> str | None:
        found = self._by_department.first(department.upper())
        return None if found is None else found.region

    @cached_property
    def _members(self) -> Mapping[str, Sequence[Commune]]:
        return self._index("_members")

    def territory_name(self, commune: Commune) -> str:
        name = self._territories.get(commune.insee)
        if name is None:
            name = self._territories[commune.insee] = self._rows.territory(self._row_of(commune.insee))
        return name

    def _row_of(self, insee: str) -> int:
        rows = self._codes.get(insee)
        if rows is None:
            raise KeyError(insee)
        return int(rows[0])

    @cached_property
    def _codes(self) -> Lists:
        return self._sections.lists("codes")

    def _index(self, name: str) -> _Index[Commune]:
        return _Index(self._sections.lists(name), self._rows.of)


class _Communes(Sequence[Commune]):
    """Communes by INSEE code, each made at first sight."""

    def __init__(self, sections: Sections, features: Sequence[str]) -> None:
        self._texts = sections.texts("communes")
        self._degrees = sections.reals("communes at")
        self._people = sections.integers("communes people", "I")
        self._values = sections.reals("communes features")
        self._features = tuple(features)
        self._made: dict[int, Commune] = {}

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, at: int) -> Commune: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Commune]: ...
    def __getitem__(self, at: int | slice) -> Commune | Sequence[Commune]:
        if isinstance(at, slice):
            return tuple(self[row] for row in range(*at.indices(len(self))))
        return self.of(range(len(self))[at])

    def of(self, row: int) -> Commune:
        """The commune of a row that an index gave."""
        made = self._made.get(row)
        if made is None:
            made = self._made[row] = self._make(row)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def territory(self, row: int) -> str:
        """Name of the territory of the commune of a row."""
        return self._texts[row].rpartition(_BETWEEN)[2]

    def _make(self, row: int) -> Commune:
        insee, name, department, region, zips, _ = self._texts[row].split(_BETWEEN)
        width = len(self._features)
        values = self._values[row * width : (row + 1) * width].tolist()
        features = dict(zip(self._features, values, strict=True))
        if isnan(sum(values)):
            features = {feature: value for feature, value in features.items() if not isnan(value)}
        return Commune(
            insee,
            name,
            department,
            region,
            tuple(zips.split(_WITHIN)) if zips else (),
            self._degrees[2 * row],
            self._degrees[2 * row + 1],
            self._people[row],
            features,
        )


class _Index(Mapping[str, Sequence[_Row]]):
    """Rows by key, kept once they were asked for."""

    def __init__(self, lists: Lists, row: Callable[[int], _Row]) -> None:
        self._lists, self._row = lists, row
        self._met: dict[str, Sequence[_Row]] = {}

    def __getitem__(self, key: str) -> Sequence[_Row]:
        met = self._met.get(key) or self.get(key)
        if met is None:
            raise KeyError(key)
        return met

    def get(self, key: str, default: Any = None) -> Any:  # that of Mapping raises an error for each unknown place
        met = self._met.get(key)
        if met is None:
            rows = self._lists.get(key)
            if rows is None:
                return default
            met = self._met[key] = tuple(map(self._row, rows))
        return met

    def first(self, key: str) -> _Row | None:
        """The first row of a key, the others not made for it."""
        rows = self._lists.get(key)
        return self._row(rows[0]) if rows else None

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists.trie)

    def __len__(self) -> int:
        return len(self._lists.trie)


class _Single(Mapping[str, _Row]):
    """The one row of each key."""

    def __init__(self, index: _Index[_Row]) -> None:
        self._rows = index

    def __getitem__(self, key: str) -> _Row:
        return self._rows[key][0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
