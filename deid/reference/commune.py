"""A commune and an establishment, as the reference tables hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Commune:
    """A commune of today; `population` is 0 where the source does not say it.

    `lon` and `lat` are degrees (WGS 84); `features` are raw, in the units of docs/reference-data.md.
    Two communes are equal when their INSEE codes are equal.
    """

    insee: str
    name: str = field(compare=False)
    department: str = field(compare=False)
    region: str = field(compare=False)
    zips: tuple[str, ...] = field(compare=False)
    lon: float = field(compare=False)
    lat: float = field(compare=False)
    population: int = field(compare=False)
    features: Mapping[str, float] = field(compare=False)

    @property
    def profile(self) -> Mapping[str, float]:
        """Measures that a distance of profiles may be counted in: the features, and the population beside them."""
        return {"population": float(self.population), **self.features}


@dataclass(frozen=True, slots=True)
class Establishment:
    """A hospital, care home, pharmacy or laboratory of a commune; `kind` is "hospital" or a FINESS category."""

    finess: str
    name: str
    insee: str
    kind: str
