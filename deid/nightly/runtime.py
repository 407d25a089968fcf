"""Runtime resources of a process: detector, substitutor and tables, made again when the policy changes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from deid import __version__
from deid.config.policy import Policy, load
from deid.config.settings import settings
from deid.detection import Detector
from deid.detection.lookup import LookupTable, lexicon
from deid.detection.lookup.staff import NO_STAFF, Staff
from deid.domain.errors import PolicyError
from deid.ledger.models import serving_models
from deid.models.directories import stamps, with_models
from deid.reference.tables import Tables
from deid.refresh.reference_versions import version_names
from deid.refresh.tables import open_lookup, open_tables
from deid.source.contract import Source
from deid.substitution import Substitutor


def policy() -> Policy:
    """Read the policy in force from the file that the settings name.

    Raises:
        PolicyError: the file cannot be read.
    """
    return load(settings().policy)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The policy in force and the models of a run; `detecting` is the policy with their directories in its annotators.

    `models` is (kind, hash), sorted, of the registry. Two are equal if policy and models are.
    """

    digest: str
    models: tuple[tuple[str, str], ...]
    policy: Policy = field(compare=False)
    detecting: Policy = field(compare=False)


def pipeline(models: Mapping[str, str] | None = None) -> Pipeline:
    """Return the policy in force with the models of a run (kind → hash); None is what serves now.

    Directories are resolved here alone, at each step, since files may be altered while a process lives.

    Raises:
        PolicyError: the policy cannot be read, or a model is missing or was altered.
    """
    chosen = policy()
    models = serving_models(chosen) if models is None else models
    return Pipeline(chosen.digest, tuple(sorted(models.items())), chosen, with_models(chosen, models))


def detector(staff: Staff = NO_STAFF, of: Pipeline | None = None) -> Detector:
    """Return the detector of a pipeline, with the hospital's `staff`; None is the pipeline of a run planned now.

    Raises:
        PolicyError: the policy cannot be used, or a model is missing or was altered.
    """
    return _detector(of or pipeline(), staff)


def detector_version(of: Pipeline | None = None) -> str:
    """Return the version of rules, annotators and models of the registry, such as `rules-11+…+crf@1a2b3c4d5e6f`."""
    of = of or pipeline()
    return "+".join((detector(NO_STAFF, of).version, *stamps(of.policy, dict(of.models))))


def substitutor(of: Pipeline | None = None) -> Substitutor:
    """Return the substitutor of the policy, the secret and the reference versions in force; `of` as for `detector`.

    Raises:
        SettingsError: the secret is missing.
        ReferenceRefused: some reference sources were loaded, but not all that are needed.
    """
    return _substitutor(of or pipeline(), settings().key, tables())


def tables() -> Tables:
    """Return the tables of the reference versions in use; the shipped tables before any was loaded.

    Raises:
        PolicyError: the communes lack a health feature that the policy draws places by.
        ReferenceRefused: some reference sources were loaded, but not all that are needed.
    """
    made_of = open_tables(settings().dsn("worker"), settings().lookups)
    if lacking := made_of.communes.lacking(policy().substitution.places.features):
        raise PolicyError(
            f"substitution.places.features: the communes in use have no {', '.join(lacking)}.",
            "Add it in NOCTURNE_REFERENCES (docs/reference-data.md) and run refresh_references, or take it out.",
        )
    return made_of


def use_current_lookup() -> LookupTable:
    """Make this process detect with the names of the reference versions in use and of the shipped tables."""
    table = open_lookup(settings().dsn("worker"), settings().lookups)
    lexicon.use_lookup(table)
    return table


def reference_versions() -> dict[str, str]:
    """Return the reference version of each source, and 16 digits of the tables', lookup's and territories' digests."""
    dsn, now = settings().dsn("worker"), tables()
    made_of = version_names(dsn) or {"packaged": now.communes.version}
    derived = {
        "territories": now.communes.partition_digest,
        "lookup": open_lookup(dsn, settings().lookups).digest,
        "tables": now.digest,
    }
    return made_of | {name: digest[:16] for name, digest in derived.items()}


def pipeline_version(of: Pipeline | None = None) -> str:
    """Return the version of package, policy, detector and rules of files, such as `0.2.0-p1a2b3c4d-d5e6f7a8b`.

    Documents are redone when the version changes. Of the policy, only detection and substitution count: a moved
    threshold of the release must not redo documents. `-f` and a digest stand for rules of the source's own, `w` for a
    policy that publishes files: what was published without is redone. `-c` and a digest stand for what the policy
    publishes beside the text. The version of the key counts only where the policy redoes documents under a new key.
    None is the pipeline of a run planned now.
    """
    of = of or pipeline()
    model = hashlib.sha256(detector_version(of).encode()).hexdigest()[:8]
    chosen = of.policy
    key = f"-k{settings().keyring.current.version}" if chosen.substitution.rotation == "redo" else ""
    rules = Source(settings().source).rules().digest[:8] + ("w" if chosen.publication.files == "rewritten" else "")
    files = f"-f{rules}" if rules else ""
    columns = f"-c{beside}" if (beside := chosen.publication.beside_digest) else ""
    return f"{__version__}-p{chosen.text_digest[:8]}-d{model}{files}{columns}{key}"


@lru_cache(maxsize=2)  # with the staff and, for its version alone, without
def _detector(of: Pipeline, staff: Staff) -> Detector:
    return Detector(of.detecting, staff)


@lru_cache(maxsize=1)
def _substitutor(of: Pipeline, key: bytes, made_of: Tables) -> Substitutor:
    return Substitutor(of.policy, key, made_of.communes, made_of.names)
