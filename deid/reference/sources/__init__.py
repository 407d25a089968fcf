"""The sources of reference data, by name."""

from collections.abc import Mapping
from types import MappingProxyType

from deid.reference.sources import communes, establishments, professionals, streets
from deid.reference.sources.source import Source

SOURCES: Mapping[str, Source] = MappingProxyType(
    {module.SOURCE.name: module.SOURCE for module in (communes, streets, establishments, professionals)}
)

__all__ = ["SOURCES", "Source"]
