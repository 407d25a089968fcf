"""Choice of the documents to annotate: at random, by strata, or where the taggers are least sure; by a seed.

Documents are ordered by SHA-256 of seed and id, so that the choice depends on neither their order nor the others'.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from deid.config.policy import Policy
from deid.detection import Detector
from deid.detection.annotators.registry import Tagger
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import PolicyError

_WORST = 10  # tokens of a document that its uncertainty is the mean of
_BATCH = 32


def draw_random(ids: Iterable[str], size: int, seed: int) -> list[str]:
    """Return `size` ids, each set of that size equally likely over the seeds; all of them if there are fewer."""
    return sorted(ids, key=lambda one: hashlib.sha256(f"{seed}\n{one}".encode("utf-8", "surrogatepass")).digest())[
        :size
    ]


def draw_stratified(strata: Mapping[str, tuple[str, ...]], size: int, seed: int) -> list[str]:
    """Return `size` ids in proportion to the strata, at least one of each while `size` suffices.

    Args:
        strata: the stratum of each id, such as its type and service.
        size: number of ids.
        seed: decides which.
    """
    members: dict[tuple[str, ...], list[str]] = {}
    for one, stratum in strata.items():
        members.setdefault(stratum, []).append(one)
    order = sorted(members, key=lambda stratum: (-len(members[stratum]), stratum))
    shares = dict.fromkeys(order, 0)
    for _ in range(min(size, len(strata))):  # the next place goes where it is most due (Webster's divisors, none first)
        open_strata = [one for one in order if shares[one] < len(members[one])]
        due = max(open_strata, key=lambda one: len(members[one]) / (shares[one] + 0.5) if shares[one] else float("inf"))
        shares[due] += 1
    return [one for stratum in order for one in draw_random(members[stratum], shares[stratum], seed)]


def draw_uncertain(uncertainty: Mapping[str, float], size: int) -> list[str]:
    """Return the `size` ids of the greatest uncertainty, greatest first."""
    return sorted(uncertainty, key=lambda one: (-uncertainty[one], one))[:size]


def measure_uncertainty(documents: Sequence[Document], policy: Policy) -> list[float]:
    """Return how unsure the policy's taggers are of each document, in nats.

    The entropy of the mean of their distributions (consensus entropy: each one's own doubt, and their disagreement),
    averaged over the ten least certain tokens.

    Raises:
        PolicyError: the policy has no tagger.
    """
    taggers = [one for one in Detector.check(policy) if isinstance(one, Tagger)]
    if not taggers:
        raise PolicyError(f"policy {policy.name} has no tagger to be unsure.", "Add bilstm_crf, or draw at random.")
    found: list[float] = []
    for first in range(0, len(documents), _BATCH):
        readings = [Reading(one) for one in documents[first : first + _BATCH]]
        together = zip(*(tagger.distributions(readings) for tagger in taggers), strict=True)
        found += [mean_entropy(distributions) for distributions in together]
    return found


def mean_entropy(distributions: Sequence[np.typing.NDArray[np.float32]]) -> float:
    """Return the entropy of the mean of distributions (tokens, tags), in nats, over the ten least certain tokens."""
    mean = np.mean(distributions, axis=0, dtype=np.float64)
    entropy = -np.sum(mean * np.log(np.clip(mean, 1e-12, None)), axis=1)
    return float(np.sort(entropy)[-_WORST:].mean()) if len(entropy) else 0.0
