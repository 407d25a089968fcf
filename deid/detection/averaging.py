"""Several taggers as one: their probabilities averaged, a recall knob applied, then one best path."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from deid.detection import merging
from deid.detection.brands import BRANDS
from deid.detection.reading import Reading
from deid.detection.taggers.paths import best_path, log_probabilities
from deid.detection.tags import LABELS, OUTSIDE, decode
from deid.domain.document import Mention, Vote
from deid.domain.labels import CONTACT, IDENTIFIERS, NAMES, PLACES, Label

Array = NDArray[np.float32]

# Name under which the averaged taggers take part in merging.
TAGGERS = "taggers"
# Rules whose mentions pass beside the taggers: where cross-validation finds them right (docs/decisions).
PASSING: Mapping[str, frozenset[Label]] = {
    "patterns": CONTACT | {Label.NIR},
    "context": frozenset(),
    "gazetteer": frozenset(),
}
WEIGHTS: Mapping[str, Mapping[Label, float]] = {
    **merging.WEIGHTS,
    TAGGERS: dict.fromkeys(Label, 100.0),
    **{
        rule: {label: weight if label in PASSING[rule] else 0.0 for label, weight in merging.WEIGHTS[rule].items()}
        for rule in PASSING
    },
}
_SHARE = 0.25
# Tags that open, or go on with, a mention of one of the coarse kinds of the label scheme.
_KINDS = [
    [tag for tag, label in enumerate(LABELS) if label in kind and tag % 2 == opening]
    for kind in (NAMES, PLACES, IDENTIFIERS | {Label.PHONE}, frozenset({Label.DATE, Label.RELDATE}))
    for opening in (1, 0)
]
# A word at the edge of a mention that only the knob put there: nothing by itself, so it goes.
_EDGES = frozenset(
    "a au aux avec ce ces cette chez d dans de des du elle en entre est et il je l la le les leur lui ne on ou par pas "
    'pour qu que qui s sa se ses son sur un une vers , ; . : ( ) « » " / - –'.split()
)


def averaged(distributions: Sequence[Array], known: Sequence[Collection[Label] | None] | None = None) -> Array:
    """Mean of the distributions (tokens, tags) of several taggers; rows sum to one.

    `known` are the labels that each tagger can give, None for all: of the others its silence says nothing, and the
    rest of the taggers are averaged.
    """
    if known is None or not any(known):
        mean: Array = np.mean(np.stack(distributions), axis=0, dtype=np.float32)
        return mean
    says = np.array([[one is None or label is None or label in one for label in LABELS] for one in known])
    total = np.sum([array * row for array, row in zip(distributions, says, strict=True)], axis=0)
    mean = total / np.maximum(says.sum(axis=0), 1)
    rows: Array = (mean / mean.sum(axis=1, keepdims=True)).astype(np.float32)
    return rows


def find(
    reading: Reading,
    distributions: Mapping[str, Array],
    recall: Mapping[Label, float],
    known: Mapping[str, Collection[Label]] = MappingProxyType({}),
) -> list[Mention]:
    """Mentions of the averaged taggers, each with a vote of every tagger.

    `recall` gives per label the nats by which its probability is raised against that of O: 0 believes the
    probabilities, more finds more at the price of precision. `known` are the labels of taggers that lack some.
    """
    if not len(reading.starts) or not distributions:
        return []
    mean = averaged(list(distributions.values()), [known.get(name) for name in distributions])
    knob = np.where(_explained(reading)[:, None], 0, raised(recall)[None, :])
    path = best_path(log_probabilities(pooled(mean)) + knob)
    sure = 1.0 - mean[:, OUTSIDE]
    mentions = decode(reading, path, sure)
    trimmed = (_trimmed(reading, mention, sure) for mention in mentions)
    return [_voted(reading, mention, distributions) for mention in trimmed if mention is not None]


def pooled(distribution: Array) -> Array:
    """Scores in which the labels of a kind lend each other their probability.

    Taggers that agree on a name and differ on whose it is must not let it pass as nothing: a label's score is its
    kind's whole probability, times its own share of it to the power `_SHARE`.
    """
    scores = distribution.copy()
    for tags in _KINDS:
        own = distribution[:, tags]
        total = own.sum(axis=1, keepdims=True)
        scores[:, tags] = total * np.power(own / np.maximum(total, 1e-12), _SHARE)
    return scores


def _explained(reading: Reading) -> NDArray[np.bool_]:
    """Tokens that a table explains as no name: drugs, medical words, eponyms, brands that are no surname. The knob is
    for what nothing explains."""
    known = reading.lexicon

    def explains(word: str) -> bool:
        if known.is_first_name(word):
            return False
        listed = word in known.eponyms or word in known.drugs or word in known.medical
        return listed or (word in BRANDS and not known.is_surname(word))

    return np.array([explains(word) for word in reading.words], dtype=bool)


def raised(recall: Mapping[Label, float]) -> Array:
    """What the knob adds to the logarithm of each tag's probability, shape (tags,)."""
    return np.array([0.0 if label is None else recall.get(label, 0.0) for label in LABELS], dtype=np.float32)


def _trimmed(reading: Reading, mention: Mention, sure: Array) -> Mention | None:
    """The mention without grammatical words at its edges that are likelier outside; None if nothing else is left, or
    no letter and no digit: signs alone tell of nobody."""
    first, last = reading.token_at(mention.start), reading.token_at(mention.end - 1)
    while first <= last and sure[first] < 0.5 and reading.words[first] in _EDGES:
        first += 1
    while last >= first and sure[last] < 0.5 and reading.words[last] in _EDGES:
        last -= 1
    if first > last or not any(map(str.isalnum, reading.text[reading.starts[first] : reading.ends[last]])):
        return None
    # What the path chose is a mention whatever its probability: the knob has spoken, not the merge's threshold.
    return replace(
        mention,
        start=reading.starts[first],
        end=reading.ends[last],
        score=max(float(sure[first : last + 1].mean()), 0.5),
    )


def _voted(reading: Reading, mention: Mention, distributions: Mapping[str, Array]) -> Mention:
    first, last = reading.token_at(mention.start), reading.token_at(mention.end - 1)
    votes = []
    for name, distribution in distributions.items():
        rows = distribution[first : last + 1]
        of_label = rows[:, 1::2].sum(axis=0) + rows[:, 2::2].sum(axis=0)
        best = int(of_label.argmax())
        label = LABELS[1 + 2 * best]
        score = float(np.clip(of_label[best] / len(rows), 0.0, 1.0))
        if label is not None and score >= 0.05:
            votes.append(Vote(name, label, round(score, 4)))
    return replace(mention, votes=tuple(sorted(votes)))
