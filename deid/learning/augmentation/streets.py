"""STREET: as for patients (`deid.substitution`), with more names of hamlets than suffice to hide one."""

from __future__ import annotations

import re
from functools import cache

from deid.document import Mention
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.reference import packaged
from deid.substitution.dossier import Dossier
from deid.substitution.places.regions import of_place
from deid.substitution.places.streets import StreetNames
from deid.substitution.places.streets import Streets as Writer
from deid.substitution.places.vocabulary import HAMLETS, SITE_NAMES
from deid.substitution.shapes import in_case_of

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


class Streets:
    """The street addresses of one copy."""

    def __init__(self, dossier: Dossier, chance: Chance) -> None:
        self._writer = Writer(dossier, _names())
        self._chance = chance

    def write(self, mention: Mention) -> str:
        """The new text of a mention."""
        return _FEW.sub(self._rarer, self._writer.write(mention, 0).text)

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
    return StreetNames(packaged.table())
