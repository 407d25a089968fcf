"""Diminutives of French first names: `nicknames.toml`, written for this product, as no public register counts them."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from deid.french.folding import without_accents


def _read(table: str) -> dict[str, tuple[str, ...]]:
    entries = (entry.partition(":") for entry in table.replace("\n", " ").split(";") if entry.strip())
    return {name.strip(): tuple(called.split()) for name, _, called in entries}


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_BY_SEX: Mapping[str, Mapping[str, tuple[str, ...]]] = {sex: _read(table) for sex, table in _TABLES.items()}


def _names_of() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for names in _BY_SEX.values():
        for name, called in names.items():
            for nickname in called:
                found[without_accents(nickname)].append(name)
    return {nickname: tuple(dict.fromkeys(names)) for nickname, names in found.items()}


# Diminutive, without accents → first names that it may be of.
NAMES_OF: Mapping[str, tuple[str, ...]] = _names_of()


def of(name: str, sex: str | None) -> Sequence[str]:
    """Return the diminutives of a first name by its key, for one sex (None: either); empty for most names."""
    return tuple(dict.fromkeys(called for each in _sexes(sex) for called in _BY_SEX[each].get(name, ())))


def every(sex: str | None) -> Sequence[str]:
    """Return all diminutives for people of one sex (None: either), sorted."""
    return tuple(sorted({called for each in _sexes(sex) for names in _BY_SEX[each].values() for called in names}))


def _sexes(sex: str | None) -> Sequence[str]:
    return tuple(_BY_SEX) if sex is None or sex not in _BY_SEX else (sex,)
