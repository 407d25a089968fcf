"""The detector: annotators, then merging, then refining, as a policy says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deid.detection import averaging, merging, refining
from deid.detection.annotators import build
from deid.detection.annotators.registry import Acquainted, Annotator, BatchAnnotator, Tagger
from deid.detection.reading import Reading
from deid.detection.staff import NOBODY, Staff
from deid.document import Document, Mention
from deid.policy import Policy

# Raised whenever the same text and policy may give other mentions than before.
RULES_VERSION = "rules-1"


class Detector:
    """Finds the mentions of documents as a policy asks; holds no state between calls.

    The tables are loaded at the first document (two seconds, once per process): a step that only asks for the
    version need not wait for them.

    `staff` is who works in the hospital. Like a patient's identity it is a document's circumstance, not a rule: it
    is no part of `version`.

    Raises:
        PolicyError: the policy names an annotator that does not exist or options that it does not take.
    """

    def __init__(self, policy: Policy, staff: Staff = NOBODY) -> None:
        self._policy = policy.detection
        self._annotators = self.check(policy)
        for annotator in self._annotators:
            if isinstance(annotator, Acquainted):
                annotator.meet(staff)
        self._merge = merging.by_procedure if self._policy.merge == "procedure" else merging.by_weights

    @staticmethod
    def check(policy: Policy) -> list[Annotator]:
        """The annotators that a policy asks for, made without loading tables.

        Raises:
            PolicyError: there is no such annotator, or it does not take its options.
        """
        return [build(choice) for choice in policy.detection.annotators]

    @property
    def version(self) -> str:
        """Names what decided: the rules' edition and the annotators, for the ledger."""
        own = (getattr(annotator, "version", annotator.name) for annotator in self._annotators)
        return "+".join((RULES_VERSION, *own))

    def detect(self, documents: Sequence[Document]) -> list[tuple[Mention, ...]]:
        """Mentions of each document, in the documents' order: sorted, not overlapping, within the text."""
        readings = [Reading(document) for document in documents]
        found: list[dict[str, list[Mention]]] = [{} for _ in readings]
        distributions: list[dict[str, NDArray[np.float32]]] = [{} for _ in readings]
        for annotator in self._annotators:
            if self._policy.merge == "average" and isinstance(annotator, Tagger):
                for spread, array in zip(distributions, annotator.distributions(readings), strict=True):
                    spread[annotator.name] = array
                continue
            for reading, per_document, mentions in zip(readings, found, _run(annotator, readings), strict=True):
                per_document[annotator.name] = reading.found[annotator.name] = mentions
        return [self._conclude(*one) for one in zip(readings, found, distributions, strict=True)]

    def _conclude(
        self,
        reading: Reading,
        found: dict[str, list[Mention]],
        distributions: Mapping[str, NDArray[np.float32]],
    ) -> tuple[Mention, ...]:
        if distributions:
            found[averaging.TAGGERS] = averaging.find(reading, distributions, self._policy.recall)
            candidates = merging.weigh(found, self._policy.weights, averaging.WEIGHTS)
        else:
            candidates = merging.weigh(found, self._policy.weights)
        return refining.refine(reading, self._merge(candidates, self._policy.threshold), self._policy)


def _run(annotator: Annotator, readings: Sequence[Reading]) -> list[list[Mention]]:
    if isinstance(annotator, BatchAnnotator):
        return [list(mentions) for mentions in annotator.annotate_batch(readings)]
    return [list(annotator.annotate(reading)) for reading in readings]
