"""Division of patients between projects: the documents of the warehouse that belong to this project's part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from deid.config.policy import PatientPart, load
from deid.config.settings import settings
from deid.privacy.stream import KeyedStream
from deid.source.contract import Source
from deid.source.extraction import read_contents, read_merges
from deid.source.links import SourceLink
from deid.source.rows import Content


@dataclass(frozen=True, slots=True)
class ProjectPart:
    """Part of a project, by the hospital's ids. `survivors` gives what each merged patient was merged into."""

    policy: PatientPart
    secret: bytes = field(repr=False)
    survivors: Mapping[str, str] = field(repr=False)

    def has(self, document_id: str, patient_id: str | None) -> bool:
        """Return whether a document is this project's: by its patient, by itself where it has none."""
        if self.policy.of == 1:
            return True
        whose = ("document", document_id) if patient_id is None else ("patient", self._survivor(patient_id))
        return KeyedStream(self.secret, "part of a project", *whose).below(self.policy.of) == self.policy.take - 1

    def _survivor(self, patient_id: str) -> str:
        """Return the patient at the end of a chain of merges; of a ring, the least of its ids."""
        chain = [patient_id]
        while (after := self.survivors.get(chain[-1])) is not None:
            if after in chain:
                return min(chain[chain.index(after) :])
            chain.append(after)
        return chain[-1]


def open_part(policy: PatientPart, merges: Iterable[tuple[str, str]]) -> ProjectPart:
    """Return the part that a policy takes, under the secret of the settings; `merges` are (patient, merged into).

    Raises:
        SettingsError: the policy takes a part, and there is no secret to divide by.
    """
    return ProjectPart(policy, settings().partition_secret if policy.of > 1 else b"", dict(merges))


def open_part_in_force(link: SourceLink, source: Source) -> ProjectPart:
    """Return the part that the policy in force takes, by the merges of patients that the source has now.

    Documents that a night planned are of the part that it was planned under; all else that lists documents of the
    source, or reads them by id, asks this one.

    Raises:
        PolicyError: the policy cannot be read.
        SettingsError: the policy takes a part, and there is no secret to divide by.
        ContractBroken: the query of merges breaks the source contract.
    """
    patients = load(settings().policy).patients
    return open_part(patients, (patients.of > 1 and read_merges(link, source)) or ())


def read_own_contents(link: SourceLink, source: Source, document_ids: Sequence[str]) -> list[Content]:
    """Read documents by the source's ids, as `read_contents` does, without those of another project's part."""
    part = open_part_in_force(link, source)
    found = read_contents(link, source, document_ids) if document_ids else {}
    return [one for name, one in found.items() if part.has(name, one.patient_id)]
