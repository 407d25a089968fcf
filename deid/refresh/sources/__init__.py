"""The sources of reference data, by name."""

from collections.abc import Mapping
from types import MappingProxyType

from deid.refresh.sources.communes import COMMUNES
from deid.refresh.sources.health import DENSITY_LEVELS, ESTABLISHMENTS, PATHOLOGIES, PROFESSIONALS
from deid.refresh.sources.indicators import (
    AIR_QUALITY,
    CARE_ACCESS,
    DEATHS,
    INCOMES,
    INDICATORS,
    MORTALITY,
    RADON,
)
from deid.refresh.sources.names import FIRST_NAMES, SURNAMES
from deid.refresh.sources.places import FORMER_COMMUNES, LOCALITIES, POSTAL_CODES, STREETS
from deid.refresh.sources.source import ReferenceSource

SOURCES: Mapping[str, ReferenceSource] = MappingProxyType(
    {
        source.name: source
        for source in (
            COMMUNES,
            FORMER_COMMUNES,
            POSTAL_CODES,
            STREETS,
            LOCALITIES,
            ESTABLISHMENTS,
            PROFESSIONALS,
            FIRST_NAMES,
            SURNAMES,
            DENSITY_LEVELS,
            PATHOLOGIES,
            CARE_ACCESS,
            MORTALITY,
            DEATHS,
            AIR_QUALITY,
            RADON,
            INCOMES,
            INDICATORS,
        )
    }
)

__all__ = ["SOURCES", "ReferenceSource"]
