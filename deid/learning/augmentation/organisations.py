"""ORG: the words for its kind kept, its own name or its town exchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from deid.detection.annotators.vocabulary import (
    ORG_ACRONYMS,
    ORG_FILLERS,
    ORG_HEADS,
    ORG_PARTICLES,
    SPECIFYING_WORDS,
)
from deid.french.folding import comparable, fold_line
from deid.french.shapes import accented_like, in_case_of, titled
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.places import Places
from deid.learning.augmentation.rates import Rates
from deid.reference.packaged import packaged_rows
from deid.substitution.places.regions import of_place

_WORD = re.compile(r"[^\W\d_]+")
_KINDS = ORG_HEADS | SPECIFYING_WORDS | ORG_ACRONYMS
_LONGEST_NAME = 30
# Kinds that take the same article can stand for each other.
_ALIKE = {
    fold_line(kind): row
    for row in (
        (
            "CHU", "CH", "CHR", "CHRU", "CHI", "Centre hospitalier", "Centre hospitalier universitaire", "GHT",
            "Groupe hospitalier", "Centre hospitalier intercommunal", "Centre hospitalier régional",
        ),
        ("EHPAD", "Hôpital", "Institut", "ESAT", "IME", "USLD", "Hôpital privé", "Hôpital local"),
        ("Clinique", "Polyclinique", "Maison de santé", "Maison de retraite", "Résidence", "Pharmacie"),
        ("Laboratoire", "Cabinet", "Centre médical", "Centre de santé", "Foyer", "Cabinet médical"),
    )
    for kind in row
}  # fmt: skip
# Businesses named after someone.
_FIRMS = ("{} SA", "{} et Fils", "{} Frères", "{} Industrie", "Transports {}", "Ets {}", "{} Santé", "{}lab", "Bio{}")


class Organisations:
    """The organisations of one copy; the same one stays the same."""

    def __init__(self, places: Places, accented: bool, chance: Chance, rates: Rates) -> None:
        self._rates = rates
        self._places = places
        self._accented = accented
        self._chance = chance
        self._drawn: dict[str, str] = {}

    def write(self, original: str) -> str:
        """The new text of a mention."""
        end = kind_end(original)
        kind, rest = original[:end], original[end:]
        if end and not _WORD.search(rest):
            return original
        if comparable(rest) not in self._drawn:
            self._drawn[comparable(rest)] = self._name(rest) if end else self._unannounced(original)
        name = self._drawn[comparable(rest)]
        gap = rest[: len(rest) - len(rest.lstrip(" -"))] or " "
        if fold_line(kind) in _ALIKE and self._chance.once(self._rates.other_kind):
            kind = in_case_of(kind, self._chance.choice(_ALIKE[fold_line(kind)]))
        text = f"{kind}{gap}{in_case_of(rest, name)}" if end else in_case_of(original, name)
        return accented_like(original, text, self._accented)

    def _name(self, rest: str) -> str:
        """What follows the words for a kind."""
        bare = _bare(rest)
        if comparable(bare) in pools.towns().known and (town := self._places.town(comparable(bare))):
            return of_place(town.name) if bare != rest.strip(" -") else town.name
        at = self._chance.random()
        if at < 0.35:
            return self._chance.choice(_inner_names())
        if at < 0.55:
            return self._person()
        if at < 0.7:
            return of_place(self._chance.choice(pools.towns().all).name)
        if at < 0.85:
            return "Saint-" + self._chance.choice(pools.first_names()["M", False])
        return self._chance.choice(pools.surnames().real)

    def _person(self) -> str:
        """The name of someone honoured: "Jean-Moulin"."""
        first = self._chance.choice(pools.first_names()[self._chance.choice("FM"), False])
        return first + self._chance.choice(" -") + self._chance.choice(pools.surnames().real)

    def _unannounced(self, original: str) -> str:
        """A company for a name without a word for its kind; half of them stay."""
        if self._chance.once(0.5) or not original[:1].isalpha():
            return original
        if self._chance.once(0.5):
            return self._chance.choice(pools.companies())
        return self._chance.choice(_FIRMS).format(self._chance.choice(pools.surnames().real))


def kind_end(text: str) -> int:
    """Where the words for the kind of an organisation end: "centre hospitalier" of "centre hospitalier d'Agen"."""
    end = 0
    words = list(_WORD.finditer(text))
    if not words or (fold_line(words[0].group()) not in ORG_HEADS and fold_line(words[0].group()) not in ORG_PARTICLES):
        return 0
    for word in words:
        plain = fold_line(word.group())
        if plain in _KINDS:
            end = word.end()
        elif plain not in ORG_FILLERS:
            break
    return end


def _bare(rest: str) -> str:
    return re.sub(r"^[ -]*(?:de la |de l['’]|du |des |de |d['’])?", "", rest, flags=re.IGNORECASE)


@cache
def _inner_names() -> Sequence[str]:
    """The own names of establishments in the table, without the words for their kind."""
    found = set()
    for row in packaged_rows("establishments"):
        name = row["name"]
        end = kind_end(name)
        inner = name[end:].strip(" -")
        if end and inner.replace(" ", "").replace("'", "").isalpha() and 3 < len(inner) <= _LONGEST_NAME:
            found.add(titled(inner))
    return sorted(found)
