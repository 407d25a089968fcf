"""Description of a release for a catalogue: HealthDCAT-AP in JSON-LD, with the figures of EHDS article 78(3).

What only the hospital knows (publisher, contact, access body, legal basis) is a file of YAML; what the ledger knows is
measured. Counts and shares: no text, no id of a patient or document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, Self

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.domain import read_entries, read_lists
from deid.domain.errors import InputRefused, SettingsError
from deid.reports.figures import Figures, gather, read_rows

_LISTS = read_lists(__file__)
CONTEXT: Mapping[str, str] = _LISTS["context"]
# Property → key of the hospital's file.
MANDATORY: Mapping[str, str] = _LISTS["mandatory"]
_AUTHORITY = "http://publications.europa.eu/resource/authority"
_LAWS = ("http://data.europa.eu/eli/reg/2025/327/oj", "http://data.europa.eu/eli/reg/2016/679/oj")  # EHDS, GDPR
_LOINC = "https://www.wikidata.org/entity/P4338"
_WORDS = read_entries("catalogue")
_COMPLETE = ("stay_id", "document_type", "loinc_code", "title", "reference_date")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Agent(_Strict):
    """An organisation: its name, and an e-mail address or a page of contact."""

    name: str
    email: str | None = None
    url: str | None = None

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if not (self.email or self.url):
            raise ValueError
        return self


class Retention(_Strict):
    """First and last day on which the data are kept."""

    start: date
    end: date


class CatalogueFile(_Strict):
    """Facts of the hospital on its data set, in the file of NOCTURNE_CATALOGUE; URIs where the profile asks for any."""

    identifier: str = "urn:nocturne:research"
    title: str = "Comptes rendus désidentifiés"
    description: str = "Documents cliniques en français, désidentifiés par substitution ; données pseudonymisées."
    keywords: tuple[str, ...] = ("comptes rendus", "désidentification")
    publisher: Agent | None = None
    contact: Agent | None = None
    hdab: Agent | None = None
    health_categories: tuple[str, ...] = ()
    health_themes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    access_url: str | None = None
    legal_bases: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    population: str | None = None
    retention: Retention | None = None


class Metric(NamedTuple):
    """A figure of article 78(3): a key of `deid/wording/catalogue.yaml`, the column that it is of, and its value."""

    name: str
    value: float
    column: str = ""


@dataclass(frozen=True, slots=True)
class DatasetDescription:
    """A description in JSON-LD, and the keys of the hospital's file that a mandatory property lacks."""

    record: Mapping[str, Any]
    missing: tuple[str, ...]


def describe_release(interval_key: str, path: Path | None = None) -> DatasetDescription:
    """Describe a published interval; `path` is the hospital's file, by default the setting's (NOCTURNE_CATALOGUE).

    Raises:
        InputRefused: nothing of this interval is published.
        SettingsError: the file cannot be read, or holds a key or value that is none.
    """
    told = _read_file(path or settings().catalogue)
    figures = gather(interval_key, "held")
    with open_cursor("publisher", "nocturne catalogue", readonly=True) as cursor:
        (published,) = read_rows(cursor, "published", table="catalogue", interval_key=interval_key)
        (span,) = read_rows(cursor, "span", table="catalogue", interval_key=interval_key)
    if not published["documents"]:
        raise InputRefused(f"nothing of {interval_key} is published.", "Publish it first, or take another interval.")
    metrics = list(_metrics(figures, published, span["days"]))
    record = {"@context": dict(CONTEXT), **_dataset(interval_key, told, published, figures, metrics)}
    return DatasetDescription(record, tuple(key for name, key in MANDATORY.items() if name not in record))


def _read_file(path: Path | None) -> CatalogueFile:
    if path is None:
        return CatalogueFile()
    try:
        return CatalogueFile.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        raise SettingsError(f"{path} cannot be read.", "Give a YAML file (docs/operators.md, “Catalogue”).") from None
    except ValidationError as error:
        names = ", ".join(".".join(map(str, item["loc"])) for item in error.errors())
        raise SettingsError(
            f"{path}: {names}: no such key, or wrong kind of value.", "See docs/operators.md."
        ) from None


def _metrics(figures: Figures, published: Mapping[str, Any], span: float) -> Iterator[Metric]:
    """Yield the figures of article 78(3), b to e; a share that has nothing to be of is left out."""
    documents, headline, clinical = published["documents"], figures["headline"], figures["clinical"]
    for column in _COMPLETE:
        yield Metric("completeness", published[column] / documents, column)
    yield Metric("uniqueness", published["texts"] / documents)
    if clinical["items"]:
        yield Metric("accuracy", 1 - clinical["changed"] / clinical["items"])
    if headline["treated"]:
        yield Metric("validity", headline["published"] / headline["treated"])
    stated, violated = (
        sum(row[name] for part in ("constraints", "agreement") for row in figures[part])
        for name in ("stated", "violated")
    )
    if stated:
        yield Metric("consistency", 1 - violated / stated)
    yield Metric("timeliness", published["days_to_publication"])
    yield Metric("documents_per_person", documents / published["patients"])
    yield Metric("timeframe", span)
    if judged := figures["held_back"]["judged"]:
        yield Metric("reviewed", judged)


def _dataset(
    key: str, told: CatalogueFile, published: Mapping[str, Any], figures: Figures, metrics: list[Metric]
) -> dict[str, Any]:
    optional = {
        "dct:publisher": told.publisher and _agent(told.publisher),
        "dcat:contactPoint": told.contact and _contact(told.contact),
        "healthdcatap:hdab": told.hdab and _agent(told.hdab),
        "healthdcatap:healthCategory": _uris(told.health_categories),
        "healthdcatap:healthTheme": _uris(told.health_themes),
        "healthdcatap:hasCodingSystem": _uris([_LOINC] if published["loinc_code"] else [], "dct:Standard"),
        "healthdcatap:populationCoverage": told.population and {"@value": told.population, "@language": "fr"},
        "dct:type": _uris(told.types),
        "dpv:hasLegalBasis": _uris(told.legal_bases),
        "dpv:hasPurpose": _uris(told.purposes),
        "dcat:distribution": told.access_url
        and {
            "@type": "dcat:Distribution",
            "dcat:accessURL": {"@id": told.access_url},
            "dcatap:applicableLegislation": _uris(_LAWS[:1], "eli:LegalResource"),
        },
        "healthdcatap:retentionPeriod": told.retention
        and {
            "@type": "dct:PeriodOfTime",
            "dcat:startDate": _typed(told.retention.start.isoformat(), "date"),
            "dcat:endDate": _typed(told.retention.end.isoformat(), "date"),
        },
    }
    versions = figures["versions"]
    return {
        "@id": f"{told.identifier}:{key}" if told.identifier.startswith("urn:") else f"{told.identifier}/{key}",
        "@type": "dcat:Dataset",
        "dct:identifier": f"{told.identifier} {key}",
        "dct:title": {"@value": f"{told.title}, {key}", "@language": "fr"},
        "dct:description": {"@value": told.description, "@language": "fr"},
        "dcat:keyword": [{"@value": word, "@language": "fr"} for word in told.keywords],
        "dcat:theme": _uris([f"{_AUTHORITY}/data-theme/HEAL"]),
        "dct:accessRights": _uris([f"{_AUTHORITY}/access-right/NON_PUBLIC"], "dct:RightsStatement"),
        "dct:language": _uris([f"{_AUTHORITY}/language/FRA"], "dct:LinguisticSystem"),
        "dcatap:applicableLegislation": _uris(_LAWS, "eli:LegalResource"),
        "dpv:hasPersonalData": _uris(["https://w3id.org/dpv#PseudonymisedData"]),
        "dct:issued": _typed(figures["generated_at"], "dateTime"),
        "dcat:version": versions["pipeline_version"],
        "dct:provenance": {
            "@type": "dct:ProvenanceStatement",
            "skos:definition": f"nocturne {versions['pipeline_version']}, {versions['detector_version']}, "
            f"{versions['source_contract']}, policy {versions['policy_hash']}",
        },
        "healthdcatap:numberOfRecords": _typed(published["documents"], "nonNegativeInteger"),
        "healthdcatap:numberOfUniqueIndividuals": _typed(published["patients"], "nonNegativeInteger"),
        "dqv:hasQualityMeasurement": [_measurement(metric) for metric in metrics],
        **{name: value for name, value in optional.items() if value},
    }


def _measurement(metric: Metric) -> dict[str, Any]:
    words = _WORDS[metric.name]
    name = f"{metric.name}:{metric.column}" if metric.column else metric.name
    return {
        "@type": "dqv:QualityMeasurement",
        "dqv:value": _typed(round(metric.value, 6), "double"),
        "dqv:isMeasurementOf": {
            "@id": f"urn:nocturne:ehds-78:{name}",
            "@type": "dqv:Metric",
            "dqv:inDimension": {"@id": f"http://data.europa.eu/eli/reg/2025/327/oj#art_78.3.{words['point']}"},
            "skos:definition": [
                {"@value": words[language].replace("{column}", metric.column), "@language": language}
                for language in ("fr", "en")
            ],
        },
    }


def _typed(value: object, kind: str) -> dict[str, str]:
    return {"@value": str(value), "@type": f"xsd:{kind}"}


def _uris(found: Sequence[str], kind: str = "") -> list[dict[str, str]]:
    return [{"@id": one, **({"@type": kind} if kind else {})} for one in found]


def _agent(told: Agent) -> dict[str, Any]:
    return {"@type": "foaf:Agent", "foaf:name": told.name, "dcat:contactPoint": _contact(told)}


def _contact(told: Agent) -> dict[str, Any]:
    ways = (("vcard:hasEmail", told.email and f"mailto:{told.email}"), ("vcard:hasURL", told.url))
    return {"@type": "vcard:Kind", "vcard:fn": told.name, **{name: {"@id": way} for name, way in ways if way}}
