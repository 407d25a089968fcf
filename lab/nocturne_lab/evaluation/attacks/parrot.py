"""The parrot attack (Carrell et al. 2019): find what a de-identifier missed in texts whose surrogates hide it.

Carrell, Cronkite, Li, Nyemba, Malin, Aberdeen and Hirschman, "The machine giveth and the machine taketh away", JAMIA 26
(2019): of a released corpus, the attacker annotates all that looks like an identifier in half of the notes, surrogates
and leaks alike, trains a tagger on them that imitates the de-identifier, and tags the other half. Identifiers that the
tagger leaves out, seen by reading, are taken for leaks: of 310 leaks 211 (68 %) were, beside 191 surrogates (precision
52 %).

Here the attacker has the published texts, which of them are of one patient, the code, the policy and the open tables,
and lacks the secret. As a worst case he is told of half of the documents which identifiers are surrogates and which are
leaks. He reads the other half without an error: all identifiers are known, with their labels, and only their status is
asked. Both halves are attacked by turns. Two linear-chain CRFs (CRFsuite, Okazaki 2007) rank suspicions:

`parrot`    tags tokens by the features of the de-identifier's own tagger; surrogates are what it learns to find. A span
            is suspected by the mean of log P(outside) - log P(inside) of its tokens.
`unlike`    tags the identifiers of a document in order as surrogates or leaks, by all that tells them apart (`tells`):
            marks of a surrogate, frequency in open tables, accents, how often a value is written and by how many
            patients, agreement with the document's other values, what was learned of the same value. A value has one
            suspicion in a document: the mean of its mentions' log-odds.

Recall at a precision of 50 % is the greatest share of leaks above a threshold of suspicion at which half of what is
above it are leaks. It depends on the share of leaks among identifiers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pycrfsuite
from numpy.typing import NDArray

from deid.detection.annotators import FEATURE_RULES
from deid.detection.taggers.crf import window_features
from deid.detection.taggers.features import feature_table
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.labels import Label
from nocturne_lab.evaluation.attacks.planted import Planting, Released, Span
from nocturne_lab.evaluation.attacks.tells import Tells, values
from nocturne_lab.evaluation.intervals import drawn_interval

Floats = NDArray[np.float64]
Sequences = Sequence[tuple[Sequence[Sequence[str]], Sequence[str]]]
# From known documents and others: the suspicions of the spans of each of the others.
Attack = Callable[[Sequence[Released], Sequence[Released]], Iterator[Floats]]

LEAK, SURROGATE, OUTSIDE, INSIDE = "L", "S", "O", "I"
_LEAST = 1e-9  # of a probability
_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Suspicions:
    """Suspicion of each identifier of a release; `documents` are the numbers of its documents."""

    scores: Floats
    spans: Sequence[Span]
    documents: NDArray[np.int64]

    @property
    def leaks(self) -> NDArray[np.bool_]:
        """Truth of each identifier: whether it is a leak."""
        return np.array([one.leak is not None for one in self.spans], dtype=bool)

    def of(self, labels: Collection[Label]) -> Suspicions:
        """Return the identifiers of some labels."""
        return self._where([one.label in labels for one in self.spans])

    def planted(self, planting: Planting) -> Suspicions:
        """Return the surrogates and the leaks of one planting."""
        return self._where([one.leak in (None, planting) for one in self.spans])

    def _where(self, kept: Sequence[bool]) -> Suspicions:
        at = np.flatnonzero(kept)
        return Suspicions(self.scores[at], [self.spans[one] for one in at.tolist()], self.documents[at])


@dataclass(frozen=True, slots=True)
class Recall:
    """Share of leaks found at a precision, with the 95 % interval over resampled documents."""

    share: float
    low: float
    high: float


def suspect(documents: Sequence[Released], attack: Attack, seed: int = 1) -> Suspicions:
    """Attack each half of the documents with the other one known."""
    order = np.random.default_rng(seed).permutation(len(documents))
    first, second = ([documents[at] for at in sorted(order[half::2])] for half in (0, 1))
    found: dict[str, Floats] = {}
    for known, others in ((first, second), (second, first)):
        found.update(zip((one.id for one in others), attack(known, others), strict=True))
    spans = [span for one in documents for span in one.spans]
    return Suspicions(
        np.concatenate([found[one.id] for one in documents]),
        spans,
        np.repeat(np.arange(len(documents)), [len(one.spans) for one in documents]),
    )


def unlike(known: Sequence[Released], others: Sequence[Released]) -> Iterator[Floats]:
    """Yield the suspicions of each of the others by a tagger trained on `known` to separate leaks from surrogates."""
    tells = Tells((*known, *others), known)
    examples = [(tells.of(one), [LEAK if span.leak else SURROGATE for span in one.spans]) for one in known]
    with _trained(examples, {"c1": 1.5, "c2": 0.02, "max_iterations": 100, "feature.minfreq": 2}) as tagger:
        for one in others:
            yield _together(one, _marginals(tagger, tells.of(one), LEAK, SURROGATE))


def parrot(known: Sequence[Released], others: Sequence[Released]) -> Iterator[Floats]:
    """Yield the suspicions of each of the others by a tagger that imitates the de-identifier."""
    settings = {"c1": 0.1, "c2": 0.1, "max_iterations": 30, "feature.minfreq": 3}
    with _trained([_tokens(one) for one in known], settings) as tagger:
        for one in others:
            reading = Reading(Document(one.id, one.text))
            odds = _marginals(tagger, _features(reading), OUTSIDE, INSIDE)
            yield np.array([odds[_at(reading, span.start, span.end)].mean() for span in one.spans])


ATTACKS: Mapping[str, Attack] = {"parrot": parrot, "unlike": unlike}


def _together(document: Released, odds: Floats) -> Floats:
    """The log-odds of each span, those of one value averaged."""
    same: dict[object, list[int]] = defaultdict(list)
    for at, span in enumerate(document.spans):
        same[values(document, span)].append(at)
    averaged = odds.copy()
    for places in same.values():
        averaged[places] = odds[places].mean()
    return averaged


def _tokens(document: Released) -> tuple[list[list[str]], list[str]]:
    """The features of a document's tokens, and whether each is of a surrogate."""
    reading = Reading(Document(document.id, document.text))
    tags = [OUTSIDE] * len(reading.starts)
    for span in document.spans:
        if span.leak is None:
            tags[_at(reading, span.start, span.end)] = [INSIDE] * len(range(*_bounds(reading, span.start, span.end)))
    return _features(reading), tags


def _features(reading: Reading) -> list[list[str]]:
    return [[str(one) for one in row if one] for row in window_features(feature_table(reading, FEATURE_RULES)).tolist()]


def _bounds(reading: Reading, start: int, end: int) -> tuple[int, int]:
    first = min(reading.token_at(start), len(reading.starts) - 1)
    return first, max(first, reading.token_at(end - 1)) + 1


def _at(reading: Reading, start: int, end: int) -> slice:
    return slice(*_bounds(reading, start, end))


@contextmanager
def _trained(examples: Sequences, settings: Mapping[str, float]) -> Iterator[pycrfsuite.Tagger]:
    """A tagger trained by L-BFGS."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params(settings)
    for features, tags in examples:
        if tags:
            trainer.append(features, tags)
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "crf")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        yield tagger
        tagger.close()


def _marginals(tagger: pycrfsuite.Tagger, features: Sequence[Sequence[str]], one: str, other: str) -> Floats:
    """The log-odds of one tag against another at each place of a sequence."""
    known = tagger.labels()
    if one not in known or other not in known or not features:
        return np.zeros(len(features))
    tagger.set(features)
    odds = [[max(tagger.marginal(tag, at), _LEAST) for tag in (one, other)] for at in range(len(features))]
    logarithms: Floats = np.log(np.array(odds))
    return logarithms[:, 0] - logarithms[:, 1]


def recall_at(found: Suspicions, precision: float = 0.5, miss_rate: float | None = None, seed: int = 1) -> Recall:
    """Return the recall of leaks at a precision.

    Args:
        found: the suspicions.
        precision: the least one.
        miss_rate: share of leaks among identifiers; None for the planted one. Surrogates are weighted to it.
        seed: of the resampling.
    """
    order = np.argsort(-found.scores, kind="stable")
    leaks = found.leaks[order].astype(float)
    others = (1 - leaks) * _weight(found.leaks, miss_rate)
    ends = np.flatnonzero(np.diff(found.scores[order], append=-np.inf))
    documents = found.documents[order]
    random = np.random.default_rng(seed)
    number = int(documents.max()) + 1

    def share(times: Floats) -> float:
        right, wrong = (np.cumsum(times * one)[ends] for one in (leaks, others))
        enough = right[right >= precision * (right + wrong)]
        total = float((times * leaks).sum())
        return float(enough.max(initial=0.0)) / total if total else 0.0

    drawn = [
        share(np.bincount(random.integers(number, size=number), minlength=number)[documents].astype(float))
        for _ in range(_RESAMPLES)
    ]
    return Recall(share(np.ones(len(leaks))), *drawn_interval(drawn))


def _weight(leaks: NDArray[np.bool_], miss_rate: float | None) -> float:
    """The weight of a surrogate that makes leaks this share of all identifiers."""
    if miss_rate is None:
        return 1.0
    return float(leaks.sum() / (~leaks).sum() * (1 - miss_rate) / miss_rate)
