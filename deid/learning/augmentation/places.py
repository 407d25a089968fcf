"""CITY, ZIP and LOC: other towns with their postal codes, other areas that take the same article."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.domain.labels import Label
from deid.french.folding import comparable, without_accents
from deid.french.shapes import accented_like, in_case_of
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Piece
from deid.learning.augmentation.pools import Town
from deid.learning.augmentation.rates import Rates
from deid.substitution.places.regions import of_place

_CEDEX = re.compile(r"[\s-]*\bcedex\b.*$", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;:()/–—-]*(?:f-|fr-)?[\s(]*", re.IGNORECASE)
_REACH = 14
_SAINT = re.compile(r"\bSaint(e?)-")
_TAIL = re.compile(r"^(?P<head>[a-zà-ÿ][^\n]*?) (?:de (?:la |l')?|du |des |d')(?=[A-ZÀ-Ý])")


class Places:
    """The places of one copy: the same town stands for the same town, and for its code beside it."""

    def __init__(self, pieces: Sequence[Piece], accented: bool, chance: Chance, rates: Rates) -> None:
        self._chance = chance
        self._rates = rates
        self._accented = accented
        self._drawn: dict[str, Town | None] = {}
        self._codes: dict[str, str] = {}
        self._keys = dict(_keys(pieces))

    def write(self, index: int, piece: Piece) -> str:
        """The new text of the CITY, ZIP or LOC piece at `index`."""
        if piece.label is Label.LOC:
            return self._area(piece.text)
        town = self.town(self._keys[index], needs_code=piece.label is Label.ZIP)
        if piece.label is Label.ZIP:
            return self._code(piece.text, town)
        return self.name(piece.text, town)

    def town(self, key: str, *, needs_code: bool = False) -> Town | None:
        """The town that stands for the one of that comparable name; None where it stays."""
        if key not in self._drawn:
            known = key in pools.towns().known or key.isdigit()
            self._drawn[key] = None if not known and self._chance.once(self._rates.unknown_town_kept) else self.any()
        town = self._drawn[key]
        if needs_code and town is not None and not town.zips:
            town = self._drawn[key] = self._chance.choice(pools.towns().all)
        return town

    def any(self) -> Town:
        """A town, hard ones more often than they are met."""
        towns, at = pools.towns(), self._chance.random()
        for rate, group in (
            (self._rates.large_town, towns.large),
            (self._rates.ambiguous_town, towns.ambiguous),
            (self._rates.former_town, towns.former),
            (self._rates.former_town, towns.foreign),
        ):
            if at < rate:
                return self._chance.choice(group)
            at -= rate
        return self._chance.choice(towns.all)

    def name(self, original: str, town: Town | None) -> str:
        """A town's name, written as `original` is."""
        cedex = _CEDEX.search(original)
        base = original[: cedex.start()] if cedex else original
        if town is None or not base:
            return original
        name = town.name
        if self._chance.once(self._rates.saint_shortened):
            name = _SAINT.sub(r"St\1-", name)
        if base.isupper() and self._chance.once(0.5):
            name = name.replace("-", " ")
        name = accented_like(base, in_case_of(base, name), self._accented)
        return name + (_redrawn(cedex.group(), self._chance) if cedex else "")

    def _code(self, original: str, town: Town | None) -> str:
        digits = re.sub(r"\D", "", original)
        if len(digits) != 5:
            return _redrawn(original, self._chance)
        if digits not in self._codes:
            self._codes[digits] = self._chance.choice(town.zips) if town and town.zips else self._chance.digits(5)
        source = iter(self._codes[digits])
        return "".join(next(source) if char.isdigit() else char for char in original)

    def _area(self, original: str) -> str:
        table = pools.areas()
        group = table.group_of.get(comparable(original))
        if group is not None:
            name = self._chance.choice(table.groups[group])
        elif (tail := _TAIL.match(original)) is not None:
            name = f"{tail['head']} {of_place(self.any().name)}"
        else:
            return original
        name = in_case_of(original, name)
        return name if self._accented else without_accents(name)


def _keys(pieces: Sequence[Piece]) -> list[tuple[int, str]]:
    """Per CITY or ZIP piece, what it is remembered by: the town's name, for a code beside a town too."""
    keys: list[tuple[int, str]] = []
    for index, piece in enumerate(pieces):
        if piece.label is Label.CITY:
            keys.append((index, _town_key(piece.text)))
        elif piece.label is Label.ZIP:
            beside = _beside(pieces, index)
            keys.append((index, _town_key(beside) if beside else re.sub(r"\D", "", piece.text) or "0"))
    return keys


def _town_key(text: str) -> str:
    return comparable(_CEDEX.sub("", text) or text)


def _beside(pieces: Sequence[Piece], index: int) -> str | None:
    """The CITY next to a ZIP, after it or before it."""
    for between, other in ((index + 1, index + 2), (index - 1, index - 2)):
        if (
            0 <= other < len(pieces)
            and pieces[other].label is Label.CITY
            and len(pieces[between].text) <= _REACH
            and _BETWEEN.fullmatch(pieces[between].text)
        ):
            return pieces[other].text
    return None


def _redrawn(text: str, chance: Chance) -> str:
    return "".join(chance.choice("123456789") if char.isdigit() else char for char in text)
