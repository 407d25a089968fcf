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
_MODULES = (communes, establishments, health, indicators, names, places)


def _parser(source: str) -> Parse:
    """Return the function `parse_<source>` of the module that has it."""
    parse: Parse = next(found for one in _MODULES if (found := getattr(one, f"parse_{source}", None)) is not None)
    return parse


def _rule(column: str, kind: str = "str", pattern: str | None = None, **bounds: Any) -> ValueRule:
    return ValueRule(column, _KINDS[kind], PATTERNS.get(pattern or "", pattern), **bounds)


def _source(
    name: str, *, rules: list[dict[str, Any]], drift: str, tolerance: str = "0", packaged: bool = False, **settings: Any
) -> ReferenceSource:
    raw = {"assemble": communes.assemble_communes, "files": communes.RAW} if name == "communes" else {}
    return ReferenceSource(
        name=name,
        parse=_parser(name),
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
