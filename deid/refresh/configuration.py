"""Configuration of each source: the location of its files, and the bounds of a reference version.

The defaults are those of `deid.refresh.sources`. `NOCTURNE_REFERENCES` names a YAML file that overrides them, and
`NOCTURNE_<SOURCE>_LOCATION` overrides the location of one source. The policy contains none of this: its digest is part
of the pipeline version, and a new mirror must not make a hospital process its documents again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote, urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, FilePath, ValidationError, field_validator, model_validator

from deid.config.settings import settings
from deid.domain.errors import ReferenceRefused, SettingsError
from deid.reference.packaged import FEATURES
from deid.refresh.sources import SOURCES, ReferenceSource
from deid.refresh.sources.health import CODE_PATTERN
from deid.refresh.sources.indicators import TABLE as INDICATORS

NATIONAL = "national"
PACKAGED = "packaged"
DEPARTMENT = "{department}"
DEPARTMENTS = tuple(
    [f"{number:02}" for number in range(1, 20)]
    + ["2A", "2B"]
    + [f"{number:02}" for number in range(21, 96)]
    + ["971", "972", "973", "974", "976"]
)


class Choices(BaseModel):
    """Overrides of one source; absent fields keep the default of `deid.refresh.sources`.

    `locations` are the addresses of one file, mirrors in order: http(s) or file URLs, paths, a folder, "national" for
    the producer's own or "packaged" for the file that ships. `{department}` in each stands for one file per
    department of `departments`, together one reference version.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    locations: tuple[str, ...] = ()
    departments: tuple[str, ...] = ()
    floor: int | None = Field(None, ge=0)
    drift: Annotated[float, Field(ge=0, le=1)] | None = None
    max_bytes: int | None = Field(None, ge=1)
    checksum: str | None = None
    max_age_days: int | None = Field(None, ge=1)
    keep: int | None = Field(None, ge=2, le=20)

    @field_validator("checksum")
    @classmethod
    def _is_a_checksum(cls, value: str | None) -> str | None:
        if value is not None and value != "beside" and not re.fullmatch(r"[0-9a-f]{64}", value):
            raise ValueError("64 hexadecimal digits, or “beside”")
        return value

    @field_validator("departments")
    @classmethod
    def _are_departments(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := sorted(set(value) - set(DEPARTMENTS)):
            raise ValueError(f"no departments: {', '.join(unknown)}")
        return value


class Feature(BaseModel):
    """A health feature of the communes, from the version in use of `source`.

    `pathology` is CNAM's code of what the feature measures (`CAN_CAT_CAT`: cancers), for the source `pathologies`;
    `indicator` names what it measures for sources of health indicators (`pm25` of `air_quality`). The source
    `communes` keeps the values of the communes' own file, where another source would take their place.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Literal[
        "density_levels",
        "pathologies",
        "care_access",
        "mortality",
        "deaths",
        "air_quality",
        "radon",
        "incomes",
        "indicators",
        "communes",
    ]
    pathology: str | None = Field(None, pattern=CODE_PATTERN)
    indicator: str | None = Field(None, min_length=1, max_length=100)

    @model_validator(mode="after")
    def _is_whole(self) -> Feature:
        if (self.source == "pathologies") != (self.pathology is not None):
            raise ValueError("`pathology` goes with the source pathologies, and with no other")
        if (SOURCES[self.source].table == INDICATORS) != (self.indicator is not None):
            raise ValueError("`indicator` goes with the sources of health indicators, and with no other")
        return self


class ReferencesFile(BaseModel):
    """The file that `NOCTURNE_REFERENCES` names.

    `features` are columns added to those of the communes, by name; each change gives a new reference version. A name
    that the communes have already is for the source `communes` only: another source refreshes it while in use.

    `proxy` comes before HTTPS_PROXY; it may hold a password. `ca_bundle` (PEM) comes before REQUESTS_CA_BUNDLE: the
    authorities that sign the certificates of the hospital's mirrors, or of its proxy where that opens TLS.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    proxy: str | None = None
    ca_bundle: FilePath | None = None
    features: dict[str, Feature] = {}
    sources: dict[str, Choices] = {}

    @field_validator("features")
    @classmethod
    def _are_new(cls, value: dict[str, Feature]) -> dict[str, Feature]:
        if taken := sorted(name for name in FEATURES if name in value and value[name].source != "communes"):
            raise ValueError(f"features that communes have already: {', '.join(taken)}")
        if unknown := sorted(name for name in value if value[name].source == "communes" and name not in FEATURES):
            raise ValueError(f"features that communes do not have: {', '.join(unknown)}")
        if odd := sorted(name for name in value if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name)):
            raise ValueError(f"not small letters, digits and _: {', '.join(odd)}")
        return value

    @field_validator("sources")
    @classmethod
    def _are_sources(cls, value: dict[str, Choices]) -> dict[str, Choices]:
        if unknown := sorted(set(value) - set(SOURCES)):
            raise ValueError(f"no sources: {', '.join(unknown)}")
        return value


@dataclass(frozen=True)
class ConnectionSettings:
    """Proxy and trusted authorities of the connections; None: the environment's."""

    proxy: str | None = None
    ca_bundle: Path | None = None


@dataclass(frozen=True)
class Origin:
    """Files of a reference version: for each the addresses, mirrors in order; `written` is the location recorded."""

    written: str
    files: tuple[tuple[str, ...], ...]
    network: ConnectionSettings = ConnectionSettings()


def configured_source(name: str) -> ReferenceSource:
    """Return the source `name` with the overrides of this deployment.

    Raises:
        ReferenceRefused: there is no such source. SettingsError: the configuration cannot be read.
    """
    try:
        source = SOURCES[name]
    except KeyError:
        raise ReferenceRefused(f"there is no source “{name}”.", f"Sources: {', '.join(SOURCES)}.") from None
    chosen = _chosen(_read_file(), name)
    changes: dict[str, Any] = chosen.model_dump(include={"floor", "max_bytes", "checksum", "max_age_days", "keep"})
    changes = {field: value for field, value in changes.items() if value is not None}
    if chosen.drift is not None:
        changes["drift"] = Fraction(str(chosen.drift))
    return replace(source, **changes)


def configured_features() -> Mapping[str, Feature]:
    """Return the features that this deployment adds to the communes, by name.

    Raises:
        SettingsError: see `configured_source`.
    """
    return _read_file().features


def find_origin(source: ReferenceSource, location: str | None = None) -> Origin | None:
    """Return the origin of a source: `location`, else the environment's or the file's, else the packaged file.

    None if there is neither.

    Raises:
        ReferenceRefused: a folder holds no such file, or mirrors differ in kind.
        SettingsError: see `configured_source`.
    """
    references = _read_file()
    chosen = _chosen(references, source.name)
    given = location or settings().location(source.name)
    addresses = (given,) if given else chosen.locations or (PACKAGED,)
    addresses = tuple(address for one in addresses for address in (source.urls if one == NATIONAL else (one,)))
    if not addresses:
        raise ReferenceRefused(f"{source.name} has no national address.", "Give a folder or a URL: see its docs.")
    if addresses == (PACKAGED,):
        return Origin(PACKAGED, ((str(source.default),),)) if source.default else None
    departments = chosen.departments or DEPARTMENTS
    mirrors = [_file_addresses(source, address, departments) for address in addresses]
    if len({len(files) for files in mirrors}) > 1:
        raise ReferenceRefused(
            f"{source.name}: its mirrors do not hold the same files.", "Give each with {department}, or each without."
        )
    written = public_location(addresses[0])
    if DEPARTMENT in addresses[0] and departments != DEPARTMENTS:
        written += f" [{','.join(departments)}]"
    network = ConnectionSettings(references.proxy, references.ca_bundle)
    return Origin(written, tuple(zip(*mirrors, strict=True)), network)


def public_location(location: str) -> str:
    """Return a location without user, password, query and fragment, which may hold secrets."""
    parts = urlsplit(location)
    if parts.scheme not in ("http", "https"):
        return location
    host = parts.hostname or ""
    return parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host, query="", fragment="").geturl()


def local_path(location: str) -> Path | None:
    """Return the path of a file URL or a path; None for another location."""
    parts = urlsplit(location)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    return Path(location) if parts.scheme == "" else None


def _file_addresses(source: ReferenceSource, address: str, departments: tuple[str, ...]) -> list[str]:
    if DEPARTMENT in address:
        return [address.replace(DEPARTMENT, code) for code in departments]
    folder = local_path(address)
    if folder is None or not folder.is_dir() or source.assemble is not None:
        return [address]
    found = sorted({str(path) for pattern in source.files for path in folder.glob(pattern) if path.is_file()})
    if not found:
        raise ReferenceRefused(f"{folder} holds no {' or '.join(source.files)}.", "Give the folder of the files.")
    return found


def _chosen(references: ReferencesFile, name: str) -> Choices:
    return references.sources.get(name, Choices())


def _read_file() -> ReferencesFile:
    path = settings().references
    if path is None:
        return ReferencesFile()
    remedy = "See docs/reference-data.md, “Configuration”."
    try:
        return ReferencesFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except OSError as error:
        raise SettingsError(f"NOCTURNE_REFERENCES: {path}: {error.strerror}.", remedy) from None
    except yaml.YAMLError:
        raise SettingsError(f"NOCTURNE_REFERENCES: {path} is not YAML.", remedy) from None
    except ValidationError as error:
        # Where and why, never the value: a location may hold a password.
        faults = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise SettingsError(f"NOCTURNE_REFERENCES: {path}: {faults}.", remedy) from None
