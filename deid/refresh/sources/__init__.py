"""The sources of reference data, by name: the settings of `sources.yaml`, and the function that parses each."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deid.domain.wording import read_entries
from deid.reference.packaged import DATA
from deid.refresh.sources import communes, establishments, health, indicators, names, places
from deid.refresh.sources.source import INSEE_PATTERN, ZIP_PATTERN, Parse, ReferenceSource, ValueRule

PATTERNS: Mapping[str, str] = MappingProxyType(
    {
        "insee": INSEE_PATTERN,
        "zip": ZIP_PATTERN,
        "finess": establishments.FINESS_PATTERN,
        "professional": health.PROFESSIONAL_PATTERN,
        "pathology": health.CODE_PATTERN,
        "department": health.DEPARTMENT_PATTERN,
        "age_class": health.AGE_PATTERN,
        "area": indicators.AREA_PATTERN,
    }
)
_KINDS = {kind.__name__: kind for kind in (str, int, float)}
_PARSERS: Mapping[str, Parse] = MappingProxyType(
    {
        "communes": communes.parse_communes,
        "former_communes": places.parse_former_communes,
        "postal_codes": places.parse_postal_codes,
        "streets": places.parse_streets,
        "localities": places.parse_localities,
        "establishments": establishments.parse_establishments,
        "professionals": health.parse_professionals,
        "first_names": names.parse_first_names,
        "surnames": names.parse_surnames,
        "density_levels": health.parse_density_levels,
        "pathologies": health.parse_pathologies,
        "care_access": indicators.parse_care_access,
        "mortality": indicators.parse_mortality,
        "deaths": indicators.parse_deaths,
        "air_quality": indicators.parse_air_quality,
        "radon": indicators.parse_radon,
        "incomes": indicators.parse_incomes,
        "indicators": indicators.parse_indicators,
    }
)


def _rule(column: str, kind: str = "str", pattern: str | None = None, **bounds: Any) -> ValueRule:
    return ValueRule(column, _KINDS[kind], PATTERNS.get(pattern or "", pattern), **bounds)


def _source(
    name: str, *, rules: list[dict[str, Any]], drift: str, tolerance: str = "0", packaged: bool = False, **settings: Any
) -> ReferenceSource:
    raw = {"assemble": communes.assemble_communes, "files": communes.RAW} if name == "communes" else {}
    return ReferenceSource(
        name=name,
        parse=_PARSERS[name],
        rules=tuple(_rule(**rule) for rule in rules),
        drift=Fraction(drift),
        tolerance=Fraction(tolerance),
        default=DATA / f"{name}.csv.gz" if packaged else None,
        **settings | raw,
    )


SOURCES: Mapping[str, ReferenceSource] = MappingProxyType(
    {name: _source(name, **settings) for name, settings in read_entries("sources", Path(__file__).parent).items()}
)

__all__ = ["SOURCES", "ReferenceSource"]
