"""STREET: as for patients (`deid.substitution`), with more names of hamlets than suffice to hide one."""

from __future__ import annotations

import re
from functools import cache

from deid.domain.document import Mention
from deid.french.shapes import in_case_of
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.rates import Rates
from deid.reference.packaged import packaged_communes
from deid.substitution.context import DocumentContext
from deid.substitution.places.regions import of_place
from deid.substitution.places.streets import HAMLETS, SITE_NAMES, StreetNames
from deid.substitution.places.streets import Streets as Writer

_FEW = re.compile("|".join(map(re.escape, (*HAMLETS, *SITE_NAMES))), re.IGNORECASE)
_MADE = (
    "Le Mas {}",
    "Chez {}",
    "La {}ière",
    "Les {}",
    "Le Moulin de {}",
    "Le Champ {}",
    "{}",
    "Ker{}",
    "Le Bois {}",
    "La Font {}",
)


# How ways are also written; each row can stand for the others.
_SPELLINGS = (
    ("rue", "r.", "r"),
    ("avenue", "av.", "av", "ave"),
    ("boulevard", "bd", "bd.", "boul.", "bld"),
    ("place", "pl.", "pl"),
    ("chemin", "ch.", "chem.", "che"),
    ("impasse", "imp.", "imp"),
    ("allée", "all.", "allee"),
    ("route", "rte", "rte."),
    ("résidence", "rés.", "res", "résid."),
    ("bâtiment", "bât.", "bat", "bât"),
)
_SPELLING = {spelling: row for row in _SPELLINGS for spelling in row}
_WAY = re.compile(r"(?<![^\W\d_])(?P<way>[^\W\d_]{2,})\b(?!\.)", re.IGNORECASE)
_NUMBER = re.compile(r"^(\d+(?: ?(?:bis|ter))?),? (?=[^\W\d_])", re.IGNORECASE)


class Streets:
    """The street addresses of one copy."""

    def __init__(self, context: DocumentContext, chance: Chance, rates: Rates) -> None:
        self._writer = Writer(context, _names())
        self._chance = chance
        self._rates = rates

    def write(self, mention: Mention) -> str:
        """The new text of a mention."""
        drawn, _, _ = self._writer.write(mention, 0)
        text = _FEW.sub(self._rarer, drawn)
        return self._respelt(text) if self._chance.once(self._rates.respelt_street) else text

    def _respelt(self, text: str) -> str:
        """Kinds of ways abbreviated or spelt out, a comma after the number or none."""
        text = _WAY.sub(self._spelling, text, count=1)
        return _NUMBER.sub(self._chance.choice((r"\1, ", r"\1 ")), text)

    def _spelling(self, match: re.Match[str]) -> str:
        spellings = _SPELLING.get(match.group().lower())
        return in_case_of(match.group(), self._chance.choice(spellings)) if spellings else match.group()

    def _rarer(self, match: re.Match[str]) -> str:
        """A name of a place that no list holds."""
        chance = self._chance
        if match.group().lower().startswith("d"):
            name = of_place(chance.choice(pools.towns().all).name)
        else:
            made = chance.choice(_MADE)
            surname = chance.choice(pools.surnames().real)
            name = made.format(surname.lower() if made.startswith("Ker") else surname)
        return in_case_of(match.group(), name)


@cache
def _names() -> StreetNames:
    return StreetNames(packaged_communes())
