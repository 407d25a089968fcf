"""Join of two releases made with two secrets, by the words that neither replaced.

The attacker reads both, has no key, and compares texts alone: cosine of word frequencies, each weighed by its rarity
over both releases (Salton and Buckley 1988, Information Processing & Management 24).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from deid.config.policy import PatientPart, Policy
from deid.reference.tables import packaged_tables
from deid.source.patient_parts import ProjectPart
from deid.substitution import Substitutor
from nocturne_lab.evaluation.attacks.inputs import Record

SECRETS = (b"the secret of the first of two projects", b"the secret of the other of two projects")
_PARTITION = b"the secret that divides the patients"


@dataclass(frozen=True, slots=True)
class Joining:
    """Success of the attack on one division of documents between two projects, of `first` and `second` documents.

    `documents` are joined to themselves and `patients` to a document of the same patient, among the documents of the
    first project, by their nearest text in the second; `shared_documents` and `shared_patients` could be. `chance` is
    the share of random pairs with one patient, `likeness` the median cosine of the nearest.
    """

    division: str
    first: int
    second: int
    shared_documents: int
    documents: int
    shared_patients: int
    patients: int
    chance: float
    likeness: float


def join_releases(records: Sequence[Record], policy: Policy) -> list[Joining]:
    """Attack three divisions: the same documents, disjoint documents of the same patients, disjoint patients.

    Both projects publish what they have under `policy`, each with its secret; mentions are the true ones.
    """
    tables = packaged_tables()
    published = [
        [substitutor.substitute(one.document, one.mentions).text for one in records]
        for substitutor in (Substitutor(policy, secret, tables.communes, tables.names) for secret in SECRETS)
    ]
    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform([*published[0], *published[1]])
    likeness = (vectors[: len(records)] @ vectors[len(records) :].T).toarray()
    parts = [ProjectPart(PatientPart(of=2, take=take), _PARTITION, {}) for take in (1, 2)]
    divisions: dict[str, Callable[[ProjectPart, Record], bool]] = {
        "the same documents": lambda _part, _one: True,
        "disjoint documents of the same patients": lambda part, one: part.has(one.document.id, None),
        "disjoint patients (`patients: {of: 2, …}`)": lambda part, one: part.has(one.document.id, one.patient),
    }
    found = []
    for name, has in divisions.items():
        first, second = ([at for at, one in enumerate(records) if has(part, one)] for part in parts)
        found.append(_joined(name, first, second, records, likeness))
    return found


def _joined(
    division: str, first: Sequence[int], second: Sequence[int], records: Sequence[Record], likeness: np.ndarray
) -> Joining:
    """Return what the nearest text of the second project says of each document of the first."""
    between = likeness[np.ix_(first, second)]
    nearest = [second[at] for at in between.argmax(axis=1)]
    owners = [records[at].patient for at in second]
    return Joining(
        division,
        len(first),
        len(second),
        shared_documents=len({*first} & {*second}),
        documents=sum(at == other for at, other in zip(first, nearest, strict=True)),
        shared_patients=sum(records[at].patient in set(owners) for at in first),
        patients=sum(records[at].patient == records[other].patient for at, other in zip(first, nearest, strict=True)),
        chance=float(np.mean([owners.count(records[at].patient) / len(owners) for at in first])),
        likeness=float(np.median(between.max(axis=1))),
    )
