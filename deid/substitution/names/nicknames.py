"""Diminutives of French first names: `nicknames.toml`, written for this product, as no public register counts them."""

from __future__ import annotations

import re
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


_VOWELS = frozenset("aeiouy")
_LEAST = 2  # letters of a diminutive that its name begins or ends with
_SHORT = 3  # of one that is made, unless the other is shorter: no "Je" of Jess
_TAIL = re.compile(r"([^aeiouy][aeiouy])[^aeiouy]+e?$")


def like(name: str, nickname: str, surrogate: str, *, told: bool = False) -> str | None:
    """Return the nickname of a surrogate, made as another is made of its name, all folded; None if that one is not.

    The name is cut ("Tiph" of Tiphaine, "Wenn" of Lilwenn), or its last syllable doubled ("Mimine" of Hermine). Where
    words tell it as a nickname, two first letters in common are enough ("Clo" of Claude).
    """
    short = _LEAST <= len(nickname) <= len(name) - 2
    doubled = nickname[:2] == nickname[2:4]
    if short and name.startswith(nickname[:_LEAST] if told and not doubled else nickname):
        return _begun(surrogate, len(nickname), nickname[-1] in _VOWELS)
    if short and len(nickname) > _LEAST and name.endswith(nickname):
        starts = (at for at in range(len(surrogate) - _LEAST - 1, 0, -1) if surrogate[at] not in _VOWELS)
        return next((surrogate[at:] for at in starts if surrogate[at + 1] in _VOWELS), None)
    if doubled and name != nickname and name.endswith(nickname[2:]) and (tail := _TAIL.search(surrogate)):
        return tail[1] + tail.group()
    return None


def _begun(name: str, length: int, open_: bool) -> str:
    """Return the beginning of a name, about as long, that ends behind a vowel if `open_`, else behind a consonant."""
    fits = (
        end
        for end in (*range(length, len(name)), *range(min(length, len(name)) - 1, min(length, _SHORT) - 1, -1))
        if (name[end - 1] in _VOWELS) is open_ and not (open_ and name[end] in _VOWELS)
    )
    return name[: next(fits, length)]


def every(sex: str | None) -> Sequence[str]:
    """Return all diminutives for people of one sex (None: either), sorted."""
    return tuple(sorted({called for each in _sexes(sex) for names in _BY_SEX[each].values() for called in names}))


def _sexes(sex: str | None) -> Sequence[str]:
    return tuple(_BY_SEX) if sex is None or sex not in _BY_SEX else (sex,)
