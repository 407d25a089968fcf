"""First names by generation and surnames, common, rare and invented."""

from __future__ import annotations

import random
from bisect import bisect
from functools import cache
from itertools import accumulate

from deid.reference.packaged import packaged_rows
from demo.hospital.origins import ORIGINS, Origin

GENERATIONS = ((1945, "n_1900_1945"), (1975, "n_1946_1975"), (2000, "n_1976_2000"), (9999, "n_2001_2022"))
ORIGIN_SHARE = 0.30
INVENTED_SHARE = 0.06
RARE_SHARE = 0.30
COMPOUND_SHARE = 0.07
PARTICLE_SHARE = 0.03

_HEADS = (
    "Bar", "Bel", "Bour", "Cast", "Chau", "Com", "Dau", "Desch", "Fau", "Gaud", "Grand", "Haut", "Jou", "Lam", "Mal",
    "Mont", "Pel", "Per", "Rab", "Ri", "Sau", "Tail", "Tré", "Vau", "Ver", "Brou", "Clar", "Esc", "Gri", "Pom",
)  # fmt: skip
_MIDDLES = ("", "", "e", "i", "an", "in", "ou", "er", "il", "au", "ar", "el")
_TAILS = (
    "bard", "cet", "chaud", "deau", "don", "fray", "gnac", "gnol", "laud", "lier", "mond", "nard", "neuil", "quet",
    "rand", "ret", "rieux", "rolle", "sac", "sseau", "teuil", "tier", "vaire", "villiers", "vrel", "zac",
)  # fmt: skip
_PARTICLES = ("de", "de", "de La", "du", "des", "d'", "Le", "La", "Van", "Van den", "von")
_HYPHENATED = (
    "Jean-Pierre", "Jean-Claude", "Jean-Luc", "Jean-Marie", "Marie-Thérèse", "Marie-Claude", "Anne-Marie",
    "Marie-Christine", "Pierre-Yves", "Marie-Laure", "Jean-François", "Anne-Sophie", "Jean-Baptiste", "Marc-Antoine",
)  # fmt: skip
# First names whose accents the civil registry dropped and everybody writes.
_ACCENTED = {
    "ANDRE": "André", "RENE": "René", "GERARD": "Gérard", "MICHELE": "Michèle", "HELENE": "Hélène", "CELINE": "Céline",
    "FREDERIC": "Frédéric", "STEPHANE": "Stéphane", "STEPHANIE": "Stéphanie", "SEBASTIEN": "Sébastien",
    "JEROME": "Jérôme", "THERESE": "Thérèse", "RAPHAEL": "Raphaël", "AURELIE": "Aurélie", "EMILIE": "Émilie",
    "ELODIE": "Élodie", "DESIRE": "Désiré", "HERVE": "Hervé", "JOSE": "José", "JOEL": "Joël", "MICKAEL": "Mickaël",
    "VERONIQUE": "Véronique", "GENEVIEVE": "Geneviève", "REGIS": "Régis", "REMI": "Rémi", "REMY": "Rémy",
}  # fmt: skip


class _Table:
    """Names with cumulated weights."""

    def __init__(self, weighted: list[tuple[str, float]]) -> None:
        self.names = [name for name, _ in weighted]
        self._sums = list(accumulate(weight for _, weight in weighted))

    def draw(self, rng: random.Random) -> str:
        return self.names[bisect(self._sums, rng.random() * self._sums[-1])]


@cache
def _surnames() -> tuple[_Table, tuple[str, ...]]:
    """Surnames weighted by the square root of their births, and the rare ones."""
    table = [(row["name"], int(row["births"])) for row in packaged_rows("surnames")]
    common = _Table([(name, births**0.5) for name, births in table if births >= 400])
    return common, tuple(name for name, births in table if births < 200)


@cache
def _registry() -> tuple[dict[str, str], ...]:
    return tuple(packaged_rows("first_names"))


@cache
def _first_names(sex: str, column: str) -> _Table:
    weighted = [
        (_cased(row["name"]), int(row[column]) ** 0.75)
        for row in _registry()
        if row["sex"] == sex and int(row[column]) > 40 and len(row["name"]) > 2
    ]
    return _Table(weighted)


def _cased(name: str) -> str:
    return _ACCENTED.get(name, name.title())


def origin(rng: random.Random) -> Origin | None:
    """The origin of a family, None for most."""
    if rng.random() >= ORIGIN_SHARE:
        return None
    return rng.choices(ORIGINS, [item.weight for item in ORIGINS])[0]


def first_name(rng: random.Random, sex: str, birth_year: int, family: Origin | None = None) -> str:
    """A first name that this sex and generation bears, of the family's origin three times out of four."""
    if family is not None and rng.random() < (0.85 if birth_year < 1985 else 0.55):
        return rng.choice(family.women if sex == "F" else family.men)
    if 1935 < birth_year < 1985 and rng.random() < 0.07:
        candidates = [name for name in _HYPHENATED if (name.startswith(("Marie", "Anne"))) == (sex == "F")]
        return rng.choice(candidates)
    column = next(column for last, column in GENERATIONS if birth_year <= last)
    return _first_names(sex, column).draw(rng)


def _simple_surname(rng: random.Random) -> str:
    common, rare = _surnames()
    draw = rng.random()
    if draw < INVENTED_SHARE:
        return rng.choice(_HEADS) + rng.choice(_MIDDLES) + rng.choice(_TAILS)
    if draw < INVENTED_SHARE + RARE_SHARE:
        return rng.choice(rare).title()
    return common.draw(rng).title()


def surname(rng: random.Random, family: Origin | None = None) -> str:
    """A family name in title case: plain, compound or with a particle."""
    if family is not None:
        return rng.choice(family.surnames)
    name = _simple_surname(rng)
    draw = rng.random()
    if draw < COMPOUND_SHARE:
        return name + rng.choice(("-", "-", " ")) + _simple_surname(rng)
    if draw < COMPOUND_SHARE + PARTICLE_SHARE:
        particle = rng.choice(_PARTICLES)
        return f"{particle}{name}" if particle.endswith("'") else f"{particle} {name}"
    return name
