"""Lists of names and words that detection knows by hand, folded (`known_names.toml`)."""

from __future__ import annotations

import tomllib
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _names(title: str) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in _LISTS[title].split(","))


# People whom tests of memory and history name.
PUBLIC_FIGURES = frozenset(_names("public_figures"))
FIGURE_SURNAMES = frozenset(name.split()[-1] for name in PUBLIC_FIGURES)
# Places that no French register lists.
FOREIGN_CITIES = _names("foreign_cities")
GEOGRAPHY = _names("geography")
BRANDS = frozenset(_names("brands"))
VEHICLES = frozenset(_names("vehicles"))
PARTICLES = frozenset(_names("particles"))
LOWER_PARTICLES = frozenset(_names("lower_particles"))
# Capitalised words that stand after names without belonging to them.
NOT_NAMES = frozenset(_names("not_names"))
# Those of them that are whole names too.
SHORT_NAMES = frozenset(_names("short_names"))
# Capitals that stand between the same signs as initials and are none.
ABBREVIATIONS = frozenset(_names("abbreviations"))
