"""The detector: annotators, then merging, then refining, as a policy says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import AnnotatorChoice, Policy
from deid.detection import refining
from deid.detection.annotators import ClockTimes
from deid.detection.annotators.registry import Annotator, BatchAnnotator, StaffAware, Tagger, build
from deid.detection.lookup import LookupTable
from deid.detection.lookup.lexicon import gazetteers, use_lookup
from deid.detection.lookup.staff import NO_STAFF, Staff
from deid.detection.merging import votes
from deid.detection.refining.own_types import ANNOTATOR, OwnTypes
from deid.detection.text.language import foreign_language, plainly_french
from deid.detection.text.legible import Legible
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import Reason
from deid.domain.labels import OPTIONAL

# Raised whenever the same text and policy may give other mentions than before.
RULES_VERSION = "rules-25"
# Annotators that do not need French, for a policy that lets documents in other languages through.
ANY_LANGUAGE = frozenset({"patterns", "identity", ClockTimes.name})


class Detector:
    """Finds the mentions of documents as a policy asks; holds no state between calls.

    The tables are loaded at the first document (two seconds per process), not for the version.

    Args:
        policy: names the annotators, their options and weights.
        staff: professionals of the hospital. They are data like a patient's identity, and no part of `version`.

    Raises:
        PolicyError: the policy names an annotator that does not exist or options that it does not take.
    """

    def __init__(self, policy: Policy, staff: Staff = NO_STAFF) -> None:
        self._made_of = policy, staff
        self._policy = policy.detection
        self._annotators = self.check(policy)
        self._own_types = OwnTypes(policy.types)
        # Taggers made for some labels only declare them.
        self._known = {one.name: one.labels for one in self._annotators if hasattr(one, "labels")}
        for annotator in self._annotators:
            if isinstance(annotator, StaffAware):
                annotator.use_staff(staff)
        self._merge = votes.merge_by_procedure if self._policy.merge == "procedure" else votes.merge_by_weights

    def __reduce__(self) -> tuple[Callable[..., Detector], tuple[type[Detector], Policy, Staff, LookupTable]]:
        return _made_again, (type(self), *self._made_of, gazetteers().table)

    @staticmethod
    def check(policy: Policy) -> list[Annotator]:
        """Return the annotators of a policy, made without loading tables; one of times of day where it replaces these.

        Raises:
            PolicyError: there is no such annotator, or it does not take its options.
        """
        choices = policy.detection.annotators
        if policy.substitution.seeks_times and all(one.name != ClockTimes.name for one in choices):
            choices = (*choices, AnnotatorChoice(name=ClockTimes.name))
        return [build(choice) for choice in choices]

    @property
    def version(self) -> str:
        """Version of the rules, of each annotator and of the policy's own types, for the ledger."""
        own = (getattr(annotator, "version", annotator.name) for annotator in self._annotators)
        return "+".join((RULES_VERSION, *own, *([self._own_types.version] if self._own_types else ())))

    def detect(self, documents: Sequence[Document]) -> list[tuple[Mention, ...]]:
        """Return the mentions of each document, in the documents' order: sorted, not overlapping, within the text."""
        legible = [Legible(document) for document in documents]
        found = self._search([Reading(one.document) for one in legible])
        return [one.restored(mentions) for one, mentions in zip(legible, found, strict=True)]

    def opinions(self, documents: Sequence[Document]) -> list[dict[str, list[Mention]]]:
        """Return what each annotator finds in each document before merging, in the documents' order.

        Where the policy averages the taggers, they speak as `votes.TAGGERS`; own types, as `own_types.ANNOTATOR`.
        """
        legible = [Legible(document) for document in documents]
        readings = [Reading(one.document) for one in legible]
        found, optional = self._annotated(readings)
        for reading, own, aside in zip(readings, found, optional, strict=True):
            for name, mentions in aside.items():
                own[name] = [*own[name], *mentions]
            if self._own_types:
                own[ANNOTATOR] = list(self._own_types.add(reading, ()))
        return [
            {name: [at for mention in said for at in one.restored([mention])] for name, said in own.items()}
            for one, own in zip(legible, found, strict=True)
        ]

    def _search(self, readings: Sequence[Reading]) -> list[tuple[Mention, ...]]:
        """Return the mentions of each reading, in order."""
        found, optional = self._annotated(readings)
        concluded = [self._conclude(*one) for one in zip(readings, found, strict=True)]
        concluded = [
            self._with_optional(*one) if one[2] else one[1] for one in zip(readings, concluded, optional, strict=True)
        ]
        if self._own_types:
            return [self._own_types.add(*one) for one in zip(readings, concluded, strict=True)]
        return concluded

    def _annotated(
        self, readings: Sequence[Reading]
    ) -> tuple[list[dict[str, list[Mention]]], list[dict[str, list[Mention]]]]:
        """Return the mentions of each reading by annotator, those of averaged taggers as one annotator's; then those of
        optional labels.
        """
        foreign = self._foreign(readings)
        found: list[dict[str, list[Mention]]] = [{} for _ in readings]
        optional: list[dict[str, list[Mention]]] = [{} for _ in readings]
        distributions: list[dict[str, NDArray[np.float32]]] = [{} for _ in readings]
        for annotator in self._annotators:
            places = [at for at in range(len(readings)) if at not in foreign or annotator.name in ANY_LANGUAGE]
            chosen = [readings[at] for at in places]
            if self._policy.merge == "average" and isinstance(annotator, Tagger):
                for at, array in zip(places, annotator.distributions(chosen), strict=True):
                    distributions[at][annotator.name] = array
                continue
            for at, mentions in zip(places, _run(annotator, chosen), strict=True):
                if aside := [mention for mention in mentions if mention.label in OPTIONAL]:
                    optional[at][annotator.name] = aside
                    mentions = [mention for mention in mentions if mention.label not in OPTIONAL]
                found[at][annotator.name] = readings[at].found[annotator.name] = mentions
        for reading, own, shares in zip(readings, found, distributions, strict=True):
            if shares:
                own[votes.TAGGERS] = votes.find_averaged(reading, shares, self._policy.recall, self._known)
        return found, optional

    def refusal(self, document: Document) -> Reason | None:
        """Return the reason to put a document in quarantine without searching it; None if it may be searched."""
        if self._policy.foreign != "quarantine" or plainly_french(document.text):
            return None
        return Reason.NOT_FRENCH if foreign_language(Reading(document)) else None

    def _foreign(self, readings: Sequence[Reading]) -> frozenset[int]:
        """Return the positions of the documents that only `ANY_LANGUAGE` may search."""
        if self._policy.foreign != "patterns":
            return frozenset()
        doubtful = (at for at, reading in enumerate(readings) if not plainly_french(reading.text))
        return frozenset(at for at in doubtful if foreign_language(readings[at]))

    def _conclude(self, reading: Reading, found: Mapping[str, Sequence[Mention]]) -> tuple[Mention, ...]:
        table = votes.AVERAGING_WEIGHTS if votes.TAGGERS in found else votes.WEIGHTS
        candidates = votes.weigh(found, self._policy.weights, table)
        return refining.refine(reading, self._merge(candidates, self._policy.threshold), self._policy)

    def _with_optional(
        self, reading: Reading, mentions: tuple[Mention, ...], found: Mapping[str, list[Mention]]
    ) -> tuple[Mention, ...]:
        """Return `mentions` and those of optional labels that leave them as they are."""
        candidates = votes.weigh(found, self._policy.weights)
        merged = votes.merge_by_weights(candidates, self._policy.threshold)
        return refining.add_optional(reading, mentions, merged, self._policy)


def _made_again(kind: type[Detector], policy: Policy, staff: Staff, table: LookupTable) -> Detector:
    """Return a detector that was sent to this process, which uses the lookup of the sender from now on."""
    use_lookup(table)
    return kind(policy, staff)


def _run(annotator: Annotator, readings: Sequence[Reading]) -> list[list[Mention]]:
    if isinstance(annotator, BatchAnnotator):
        return [list(mentions) for mentions in annotator.annotate_batch(readings)]
    return [list(annotator.annotate(reading)) for reading in readings]
