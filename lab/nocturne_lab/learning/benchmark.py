"""Documents of a public corpus on the whole way: detection, surrogates, checks, and what annotations still find."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deid import pipeline
from deid.config.policy import Policy, Review
from deid.detection import Detector
from deid.detection.lookup.staff import NO_STAFF
from deid.domain.document import Document, Mention, Patient
from deid.domain.errors import InputRefused
from deid.domain.labels import DIRECT, Label
from deid.domain.limits import Limits
from deid.domain.outcomes import Candidate, Detected, Opened, Refused, Verdict
from deid.reference.tables import packaged_tables
from deid.reviews.bounds import fewest_leaking, most_leaking, sample_size
from deid.substitution import Substitutor
from nocturne_lab.evaluation.coding.classical import ClassicalCoder
from nocturne_lab.evaluation.coding.comparison import ORIGINAL, Coded, compare
from nocturne_lab.evaluation.coding.icd10 import Level
from nocturne_lab.evaluation.coding.stays import CodedStay, gather, sound
from nocturne_lab.evaluation.scoring import Judged, characters
from nocturne_lab.hospital.model_facts import learned_documents
from nocturne_lab.learning.exchange.parhaf import PSEUDO, WHOLE, CodedCase
from nocturne_lab.learning.exchange.sampling import draw_random

PUBLISHED_ARM = "published"  # arm of the published texts
_NAMED = 5  # documents that an error names


@dataclass(frozen=True, slots=True)
class Treated:
    """A document on the whole way; `candidate` is None where it was held back, for `refused.reasons`."""

    document: Document
    found: Sequence[Mention]
    candidate: Candidate | None
    refused: Refused | None = None


class WholeChain:
    """Detector, substitutor and checks of a policy, for documents of which nothing is known but their text.

    The secret comes from `seed`: texts that are never written need none, and the same seed gives the same figures.
    """

    def __init__(self, policy: Policy, seed: int, limits: Limits) -> None:
        tables = packaged_tables()
        key = hashlib.sha256(f"benchmark {seed}".encode()).digest()
        self._policy, self._limits = policy, limits
        self.detector: Detector = Detector(policy, NO_STAFF)
        self._substitutor = Substitutor(policy, key, tables.communes, tables.names)

    def treat(self, documents: Sequence[Document]) -> list[Treated]:
        """Return what became of documents, in order."""
        opened = [Opened(replace(one, patient=Patient())) for one in documents]
        detected = pipeline.detect(opened, self.detector, limits=self._limits)
        drawn = pipeline.substitute(detected, self._substitutor, limits=self._limits)
        candidates = [one for one in drawn if isinstance(one, Candidate)]
        quality, hiding = self._policy.quality, self._policy.substitution.hiding
        verdicts = iter(pipeline.check(candidates, quality=quality, hiding=hiding, limits=self._limits))
        judged = [next(verdicts) if isinstance(one, Candidate) else one for one in drawn]
        return [_treated(*each) for each in zip(documents, detected, drawn, judged, strict=True)]


def _treated(
    document: Document, detected: Detected | Refused, drawn: Candidate | Refused, judged: Verdict | Refused
) -> Treated:
    found = detected.mentions if isinstance(detected, Detected) else ()
    held = judged if isinstance(judged, Refused) else Refused(document.id, judged.reasons)
    if held.reasons or isinstance(drawn, Refused):
        return Treated(document, found, None, held)
    return Treated(document, found, drawn)


def refuse_learned(policy: Policy, documents: Iterable[str]) -> None:
    """Refuse to judge a model by documents that it learned from, or that nobody recorded it not to.

    Models that ship learned from invented documents of Nocturne's own.

    Args:
        policy: with the directories of its models.
        documents: ids of what is judged.

    Raises:
        InputRefused: a model learned from one of them, or what it learned from was not recorded.
    """
    judged = frozenset(documents)
    for choice in policy.detection.annotators:
        if (directory := choice.options.get("model")) is None:
            continue
        name = Path(str(directory)).name
        learned = learned_documents(choice.name, name)
        if learned is None:
            raise InputRefused(
                f"nothing tells which documents the model {choice.name}/{name[:12]} learned from.",
                "Register it with `nocturne models register --corpus`, or judge a policy without it.",
            )
        if known := sorted(learned & judged):
            some = ", ".join(known[:_NAMED]) + ("…" if len(known) > _NAMED else "")
            raise InputRefused(
                f"the model {choice.name}/{name[:12]} learned from {len(known)} documents that it would be judged by"
                f" ({some}).",
                "Judge it by other documents, or train it without them.",
            )


def left(one: Treated, gold: Sequence[Mention], labels: Collection[Label]) -> bool:
    """Return whether an annotated identifier of `labels` is published as it was, in whole or in part."""
    if one.candidate is None:
        return False
    text = one.document.text
    replaced = [
        surrogate.mention
        for surrogate in one.candidate.substitution.surrogates
        if surrogate.text != text[surrogate.mention.start : surrogate.mention.end]
    ]
    return bool(characters(text, gold, frozenset(labels)) - characters(text, replaced, frozenset(Label)))


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading sample whose reader is the annotation: counts of documents, and ids of those read that leak.

    Between `low` and `high` documents of `population` leak, at the policy's confidence; `truly` is how many do, which
    annotations of all of them tell.
    """

    population: int
    read: int
    leaking: tuple[str, ...]
    low: int
    high: int
    truly: int


def read_sample(
    treated: Sequence[Treated],
    gold: Mapping[str, Sequence[Mention]],
    review: Review,
    labels: Collection[Label],
    seed: int,
) -> Reading | None:
    """Read a sample of the published documents as a review does, by their annotations; None if nothing is published."""
    published = {one.document.id: one for one in treated if one.candidate is not None}
    if not published:
        return None
    leaks = {name for name, one in published.items() if left(one, gold[name], labels)}
    size = sample_size(review.target, review.confidence, len(published))
    drawn = draw_random(published, size, seed)
    leaking = tuple(name for name in drawn if name in leaks)
    counts = len(leaking), size, len(published)
    low, high = (bound(*counts, (1 + review.confidence) / 2) for bound in (fewest_leaking, most_leaking))
    return Reading(len(published), size, leaking, low, high, len(leaks))


def as_judged(treated: Iterable[Treated], gold: Mapping[str, Sequence[Mention]]) -> list[Judged]:
    """Return the documents for scoring."""
    return [
        Judged(one.document.id, one.document.text, gold[one.document.id], one.found, one.document.type)
        for one in treated
    ]


def datasets_of(folder: Path) -> tuple[Path | None, Path | None]:
    """Return where a folder holds the annotated dataset of PARHAF and the whole one: below their names, or itself."""
    annotated = next((one for one in (folder / PSEUDO, folder) if next(one.rglob("spans*"), None)), None)
    whole = folder / WHOLE
    if whole.is_dir():
        return annotated, whole
    return annotated, folder if annotated is None else None


def documents_of(cases: Iterable[CodedCase]) -> dict[str, list[Document]]:
    """Return the documents of the stays that have documents and codes of ICD-10, by stay."""
    return {
        case.id: [Document(f"{case.id}-{at}", text, type=kind) for at, (kind, text) in enumerate(case.documents, 1)]
        for case in cases
        if case.documents and sound(case.codes)[0]
    }


def arms_of(
    documents: Mapping[str, Sequence[Document]], treated: Iterable[Treated], codes: Mapping[str, Sequence[str]]
) -> dict[str, list[CodedStay]]:
    """Return the stays that are published whole, from their original and from their published texts."""
    texts = {one.document.id: one.candidate.substitution.text for one in treated if one.candidate is not None}
    whole = {stay: own for stay, own in documents.items() if all(one.id in texts for one in own)}
    pairs = [(stay, one) for stay, own in whole.items() for one in own]
    kept = {stay: codes[stay] for stay in whole}
    return {ORIGINAL: gather(pairs, kept), PUBLISHED_ARM: gather(pairs, kept, lambda one: texts[one.id])}


def code_arms(arms: Mapping[str, Sequence[CodedStay]], level: Level) -> Mapping[str, Coded] | None:
    """Return what the classical coder finds in each arm; None where stays are too few or too alike."""
    try:
        return compare(arms, ClassicalCoder, level)
    except InputRefused:
        return None


LEAKS: Mapping[str, Collection[Label]] = {"direct": DIRECT, "all": frozenset(Label)}
