"""Comparison of arms: the same stays coded from original texts and from what policies publish of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from deid.domain.document import Document, Substitution
from deid.domain.errors import InputRefused
from deid.domain.labels import CONTACT, IDENTIFIERS, NAMES, PLACES, TEMPORAL, Label
from deid.formats.source import replaced
from nocturne_lab.evaluation.coding.classical import ClassicalCoder, best_threshold
from nocturne_lab.evaluation.coding.icd10 import Level
from nocturne_lab.evaluation.coding.scores import Matrix, encoded
from nocturne_lab.evaluation.coding.stays import CodedStay, folds

ORIGINAL = "original"  # arm of the original texts
FEWEST_STAYS = 30  # that tell anything
FOLDS = 5
CoderName = Literal["classical", "neural"]
CODERS: tuple[CoderName, ...] = get_args(CoderName)
_FEWEST = 3  # folds: one to test, one for the threshold, one to learn from
# Labels whose effect is measured together: texts with these as written beside what is published.
GROUPS: Mapping[str, frozenset[Label]] = {
    "dates": TEMPORAL - {Label.AGE},
    "ages": frozenset({Label.AGE}),
    "places": PLACES,
    "organisations": frozenset({Label.ORG}),
    "names": NAMES,
    "numbers": CONTACT | IDENTIFIERS,
}


class Coder(Protocol):
    """Learner of codes from texts."""

    name: str

    def fit(self, texts: Sequence[str], gold: Matrix) -> Coder:
        """Learn from the texts of stays and their classes."""

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return a score in 0..1 of each class, shape (stays, classes)."""


def coder_of(name: CoderName, encoder: Path | None = None) -> Callable[[], Coder]:
    """Return what makes a coder; the neural one reads by an encoder's directory, None the shipped one.

    Raises:
        InputRefused, PolicyError: the directory holds no encoder.
    """
    if name == "classical":
        return ClassicalCoder
    from nocturne_lab.evaluation.coding.neural import NeuralCoder, StackedEncoder

    return partial(NeuralCoder, StackedEncoder(encoder) if encoder else StackedEncoder())


@dataclass(frozen=True, slots=True)
class Coded:
    """Answers of a coder on stays that it did not learn from: scores and, above its threshold, classes."""

    classes: tuple[str, ...]
    gold: Matrix
    scores: NDArray[np.float64]
    found: Matrix


def code(
    stays: Sequence[CodedStay], coder: Callable[[], Coder], level: Level = "code", number: int = FOLDS, one_in: int = 1
) -> Coded:
    """Code every stay by a coder trained on the stays of other patients, of one in `one_in` of these.

    The split depends on the patients alone, so that arms of the same stays share it. The threshold of a fold is
    measured on the fold after it, by the coder trained without both; then the coder learns from all but its own fold.

    Raises:
        InputRefused: no stays, the same classes everywhere, fewer patients than folds, or fewer than three folds.
    """
    if number < _FEWEST:
        raise InputRefused(f"{number} folds are too few.", f"Ask for {_FEWEST} or more.")
    own = [one.at_level(level) for one in stays]
    classes = tuple(sorted(set().union(*own))) if own else ()
    gold = encoded(own, classes)
    if not classes or gold.all():
        raise InputRefused(
            "every stay has the same codes, or none." if len(stays) else "there are no stays with codes.",
            "Give stays whose codes differ.",
        )
    dealt = folds(stays, number * one_in)
    at, teaches = dealt % number, dealt < number
    texts = np.asarray([one.text for one in stays], dtype=object)

    def told(learned: NDArray[np.bool_], asked: NDArray[np.bool_]) -> NDArray[np.float64]:
        return coder().fit(list(texts[learned]), gold[learned]).scores(list(texts[asked]))

    scores = np.zeros(gold.shape)
    found = np.zeros_like(gold)
    for fold in tqdm(range(number), desc="folds", disable=None, leave=False):
        test, held = at == fold, teaches & (at == (fold + 1) % number)
        threshold = best_threshold(gold[held], told(teaches & ~test & ~held, held))
        scores[test] = told(teaches & ~test, test)
        found[test] = scores[test] >= threshold
    return Coded(classes, gold, scores, found)


def written_back(document: Document, published: Substitution, labels: frozenset[Label]) -> str:
    """Return a published text in which the mentions of some labels are as the document writes them."""
    drawn = zip(published.spans, (one.mention for one in published.surrogates), strict=True)
    back = ((*span, document.text[one.start : one.end]) for span, one in drawn if one.label in labels)
    return replaced(published.text, back)


def compare(
    arms: Mapping[str, Sequence[CodedStay]], coder: Callable[[], Coder], level: Level = "code", *, one_in: int = 1
) -> dict[str, Coded]:
    """Code the stays of each arm, all with one split.

    Raises:
        InputRefused: the arms are not the same stays with the same codes in the same order.
    """
    keys = {name: [(one.stay, one.patient, one.codes) for one in stays] for name, stays in arms.items()}
    if len({str(key) for key in keys.values()}) > 1:
        raise InputRefused("the arms differ in their stays or codes.", "Publish the same documents under each policy.")
    return {name: code(stays, coder, level, one_in=one_in) for name, stays in arms.items()}
