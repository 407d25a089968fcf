"""The detector, the substitutor and the tables of this process, made once and made again when the policy changes."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from deid import __version__
from deid.config.policy import Policy, load
from deid.config.settings import settings
from deid.detection import Detector, lexicon
from deid.detection.lookup import LookupTable
from deid.detection.staff import NO_STAFF, Staff
from deid.domain.errors import PolicyError
from deid.reference import CommuneTable
from deid.reference.tables import Tables
from deid.refresh import tables as kept
from deid.refresh.database import versions
from deid.refresh.lookups import lookup
from deid.substitution import Substitutor


def policy() -> Policy:
    """The policy in force: the file of the settings, read now.

    Raises:
        PolicyError: it cannot be read.
    """
    return load(settings().policy)


def detector(staff: Staff = NO_STAFF) -> Detector:
    """The detector of the policy in force, which knows the hospital's `staff`."""
    return _detector(policy().digest, settings().policy, staff)


def substitutor() -> Substitutor:
    """The substitutor of the policy, the secret and the reference releases in force.

    Raises:
        SettingsError: the secret is missing.
        ReferenceRefused: some references were loaded, but not all that are needed.
    """
    return _substitutor(policy().digest, settings().policy, settings().key, tables())


def communes() -> CommuneTable:
    """Communes of the reference releases in use; before any was loaded, those that ship.

    Raises:
        PolicyError: they lack a health feature that the policy draws places by.
        ReferenceRefused: some references were loaded, but not all that are needed.
    """
    return tables().communes


def tables() -> Tables:
    """What substitution reads, of the reference releases in use; before any was loaded, of what ships.

    Raises:
        PolicyError: the communes lack a health feature that the policy draws places by.
        ReferenceRefused: some references were loaded, but not all that are needed.
    """
    made_of = kept.tables(settings().dsn("worker"), settings().lookups)
    if lacking := made_of.communes.lacking(policy().substitution.places.features):
        raise PolicyError(
            f"substitution.places.features: the communes in use have no {', '.join(lacking)}.",
            "Add it in NOCTURNE_REFERENCES (docs/reference-data.md) and run refresh_references, or take it out.",
        )
    return made_of


def use_lookup() -> LookupTable:
    """Have this process detect with the names of the reference releases in use, and of what ships."""
    table = lookup(settings().dsn("worker"), settings().lookups)
    lexicon.use_lookup(table)
    return table


def reference_versions() -> dict[str, str]:
    """What `tables` and the lookup are made of, by source; first digits of either, and of the territories."""
    dsn, now = settings().dsn("worker"), tables()
    made_of = versions(dsn) or {"packaged": now.communes.version}
    derived = {
        "territories": now.communes.partition_digest,
        "lookup": lookup(dsn, settings().lookups).digest,
        "tables": now.digest,
    }
    return made_of | {name: digest[:16] for name, digest in derived.items()}


def pipeline_version() -> str:
    """What decides a document's outcome beside its content: the package, the policy, the detector, the key.

    Of the policy, detection and substitution only: a moved threshold of the release must not redo every document. The
    key's version only where the policy wants documents redone under a new one.
    """
    model = hashlib.sha256(detector().version.encode()).hexdigest()[:8]
    chosen = policy()
    key = f"-k{settings().keyring.current.version}" if chosen.substitution.rotation == "redo" else ""
    return f"{__version__}-p{chosen.text_digest[:8]}-d{model}{key}"


@lru_cache(maxsize=2)  # with the staff and, for its version alone, without
def _detector(digest: str, path: Path | None, staff: Staff) -> Detector:
    return Detector(_same(digest, path), staff)


@lru_cache(maxsize=1)
def _substitutor(digest: str, path: Path | None, key: bytes, made_of: Tables) -> Substitutor:
    return Substitutor(_same(digest, path), key, made_of.communes, made_of.names)


def _same(digest: str, path: Path | None) -> Policy:
    found = load(path)
    if found.digest != digest:
        raise PolicyError("the policy file changed while it was read.", "Run the step again.")
    return found
