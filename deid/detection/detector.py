"""The detector: annotators, then merging, then refining, as a policy says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import Policy
from deid.detection import averaging, merging, refining
from deid.detection.annotators import build
from deid.detection.preprocessing.language import foreign_language, plainly_french
from deid.detection.reading import Reading
from deid.detection.registry import Acquainted, Annotator, BatchAnnotator, Tagger
from deid.detection.staff import NOBODY, Staff
from deid.domain.document import Document, Mention
from deid.domain.errors import Reason

# Raised whenever the same text and policy may give other mentions than before.
RULES_VERSION = "rules-3"
# Annotators that do not need French, for a policy that lets documents in other languages through.
ANY_LANGUAGE = frozenset({"patterns", "identity"})


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
        # Taggers made for fewer labels than the product's say so.
        self._known = {one.name: one.labels for one in self._annotators if hasattr(one, "labels")}
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
        foreign = self._foreign(readings)
        found: list[dict[str, list[Mention]]] = [{} for _ in readings]
        distributions: list[dict[str, NDArray[np.float32]]] = [{} for _ in readings]
        for annotator in self._annotators:
            places = [at for at in range(len(readings)) if at not in foreign or annotator.name in ANY_LANGUAGE]
            chosen = [readings[at] for at in places]
            if self._policy.merge == "average" and isinstance(annotator, Tagger):
                for at, array in zip(places, annotator.distributions(chosen), strict=True):
                    distributions[at][annotator.name] = array
                continue
            for at, mentions in zip(places, _run(annotator, chosen), strict=True):
                found[at][annotator.name] = readings[at].found[annotator.name] = mentions
        concluded = [self._conclude(*one) for one in zip(readings, found, distributions, strict=True)]
        if self._policy.repeat_across_documents:
            return refining.share_names(readings, concluded, self._policy)
        return concluded

    def refusal(self, document: Document) -> Reason | None:
        """Why the policy wants the document in quarantine instead of searched; None if it may be searched."""
        if self._policy.foreign != "quarantine" or plainly_french(document.text):
            return None
        return Reason.NOT_FRENCH if foreign_language(Reading(document)) else None

    def _foreign(self, readings: Sequence[Reading]) -> frozenset[int]:
        """Positions of the documents that only `ANY_LANGUAGE` may search."""
        if self._policy.foreign != "patterns":
            return frozenset()
        doubtful = (at for at, reading in enumerate(readings) if not plainly_french(reading.text))
        return frozenset(at for at in doubtful if foreign_language(readings[at]))

    def _conclude(
        self,
        reading: Reading,
        found: dict[str, list[Mention]],
        distributions: Mapping[str, NDArray[np.float32]],
    ) -> tuple[Mention, ...]:
        if distributions:
            found[averaging.TAGGERS] = averaging.find(reading, distributions, self._policy.recall, self._known)
            candidates = merging.weigh(found, self._policy.weights, averaging.WEIGHTS)
        else:
            candidates = merging.weigh(found, self._policy.weights)
        return refining.refine(reading, self._merge(candidates, self._policy.threshold), self._policy)


def _run(annotator: Annotator, readings: Sequence[Reading]) -> list[list[Mention]]:
    if isinstance(annotator, BatchAnnotator):
        return [list(mentions) for mentions in annotator.annotate_batch(readings)]
    return [list(annotator.annotate(reading)) for reading in readings]
