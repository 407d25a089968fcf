"""The sources of reference data, by name."""

from collections.abc import Mapping
from types import MappingProxyType

from deid.refresh.sources import (
    communes,
    density_levels,
    establishments,
    first_names,
    former_communes,
    localities,
    pathologies,
    postal_codes,
    professionals,
    streets,
    surnames,
)
from deid.refresh.sources.source import Source

SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        module.SOURCE.name: module.SOURCE
        for module in (
            communes,
            former_communes,
            postal_codes,
            streets,
            localities,
            establishments,
            professionals,
            first_names,
            surnames,
            density_levels,
            pathologies,
        )
    }
)

__all__ = ["SOURCES", "Source"]
