"""Runtime resources of a process: detector, substitutor and tables, made again when the policy changes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from deid import __version__
from deid.config.policy import Policy, load
from deid.config.settings import settings
from deid.detection import Detector
from deid.detection.lookup import LookupTable, lexicon
from deid.detection.lookup.staff import NO_STAFF, Staff
from deid.domain.errors import PolicyError
from deid.ledger.models import serving_models
from deid.models.directories import stamps, with_models
from deid.reference import CommuneTable
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


def current_models() -> dict[str, str]:
    """Return kind → hash of the registry's models that a run planned now has; empty if the policy asks for none.

    Raises:
        WarehouseUnreachable, WarehouseError: the ledger could not be read.
    """
    return serving_models(policy())


def detector(staff: Staff = NO_STAFF, models: Mapping[str, str] | None = None) -> Detector:
    """Return the detector of the policy in force, with the hospital's `staff` and the models of a run.

    `models` is kind → hash, of the registry; None is what serves now.

    Raises:
        PolicyError: the policy cannot be used, or a model is missing or was altered.
    """
    chosen, models = policy(), current_models() if models is None else models
    with_models(chosen, models)  # at each step, since files may be altered while a process lives
    return _detector(chosen.digest, settings().policy, staff, tuple(sorted(models.items())))


def detector_version(models: Mapping[str, str] | None = None) -> str:
    """Return the version of rules, annotators and models of the registry, such as `rules-11+…+crf@1a2b3c4d5e6f`."""
    models = current_models() if models is None else models
    return "+".join((detector(NO_STAFF, models).version, *stamps(policy(), models)))


def substitutor() -> Substitutor:
    """Return the substitutor of the policy, the secret and the reference versions in force.

    Raises:
        SettingsError: the secret is missing.
        ReferenceRefused: some reference sources were loaded, but not all that are needed.
    """
    return _substitutor(policy().digest, settings().policy, settings().key, tables())


def current_communes() -> CommuneTable:
    """Return the communes of the reference version in use; the shipped communes before any was loaded.

    Raises:
        PolicyError: the communes lack a health feature that the policy draws places by.
        ReferenceRefused: some reference sources were loaded, but not all that are needed.
    """
    return tables().communes


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


def pipeline_version(models: Mapping[str, str] | None = None) -> str:
    """Return the version of package, policy, detector and rules of files, such as `0.2.0-p1a2b3c4d-d5e6f7a8b`.

    Documents are redone when the version changes. Of the policy, only detection and substitution count: a moved
    threshold of the release must not redo documents. `-f` and a digest stand for rules of the source's own, `w` for a
    policy that publishes files: what was published without is redone. `-c` and a digest stand for what the policy
    publishes beside the text. The version of the key counts only where the
    policy redoes documents under a new key. `models` are those of a run (kind → hash); None is what serves now.
    """
    model = hashlib.sha256(detector_version(models).encode()).hexdigest()[:8]
    chosen = policy()
    key = f"-k{settings().keyring.current.version}" if chosen.substitution.rotation == "redo" else ""
    rules = Source(settings().source).rules().digest[:8] + ("w" if chosen.publication.files == "rewritten" else "")
    files = f"-f{rules}" if rules else ""
    columns = f"-c{beside}" if (beside := chosen.publication.beside_digest) else ""
    return f"{__version__}-p{chosen.text_digest[:8]}-d{model}{files}{columns}{key}"


@lru_cache(maxsize=2)  # with the staff and, for its version alone, without
def _detector(digest: str, path: Path | None, staff: Staff, models: tuple[tuple[str, str], ...]) -> Detector:
    return Detector(with_models(_same(digest, path), dict(models)), staff)


@lru_cache(maxsize=1)
def _substitutor(digest: str, path: Path | None, key: bytes, made_of: Tables) -> Substitutor:
    return Substitutor(_same(digest, path), key, made_of.communes, made_of.names)


def _same(digest: str, path: Path | None) -> Policy:
    found = load(path)
    if found.digest != digest:
        raise PolicyError("the policy file changed while it was read.", "Run the step again.")
    return found
