"""Losses of training on labels that may be wrong or missing, and on the distributions of a teacher.

A mention's `score` is the confidence in its label: sentences with a mention of low confidence are left out of the loss,
where "nobody is named" would be learned otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from deid.detection.taggers.crf import log_partition
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument

LEAST_CONFIDENCE = 0.5  # of a mention whose sentence is learned from
_FLOOR = 1e-6  # of a probability whose logarithm is taken
FAR = -1e4  # log-potential of an excluded tag


def known_tokens(reading: Reading, mentions: Sequence[Mention], least: float = LEAST_CONFIDENCE) -> NDArray[np.bool_]:
    """Return which tokens, shape (tokens,), are in no sentence with a mention of confidence below `least`.

    Sentences end at line breaks, and at a full stop, exclamation or question mark before a capital.
    """
    known = np.ones(len(reading.starts), dtype=np.bool_)
    doubtful = [mention for mention in mentions if mention.score < least]
    if doubtful:
        sentences = _sentences(reading)
        held = {sentences[token] for one in doubtful for token in reading.tokens(one) if token < len(known)}
        known &= ~np.isin(sentences, sorted(held))
    return known


def _sentences(reading: Reading) -> NDArray[np.int64]:
    """Return the number of each token's sentence, shape (tokens,)."""
    ends = reading.breaks.copy()
    for at, word in enumerate(reading.words[:-1]):
        ends[at] |= word in ".!?" and reading.capitals[at + 1]
    return np.concatenate(([0], np.cumsum(ends)[:-1])).astype(np.int64)


def is_certain(gold: GoldDocument, least: float = LEAST_CONFIDENCE) -> bool:
    """Return whether all mentions have at least this confidence, so that altered copies keep what is known."""
    return all(mention.score >= least for mention in gold.mentions)


def without_labels(gold: GoldDocument) -> GoldDocument:
    """Return the document with everything unknown: one mention of confidence 0 from its first to its last letter."""
    return replace(gold, mentions=(Mention(0, max(1, len(gold.document.text)), Label.ID, 0.0),))


# Losses of tokens
def bounded_loss(logarithms: torch.Tensor, bound: float) -> torch.Tensor:
    """Return the loss of true tags from the logarithms of their probabilities: nats, or at most 1 / `bound`.

    Generalised cross-entropy (Zhang and Sabuncu 2018, equation 6): (1 - p^q) / q with q = `bound` in (0, 1]; 0 is
    cross-entropy. Wrong labels, which a model that learns the rest finds improbable, weigh less.
    """
    return -logarithms if not bound else (1 - (bound * logarithms).exp()) / bound


def distance(logarithms: torch.Tensor, teacher: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return per token the divergence of a student from its teacher, in nats times the squared temperature.

    Hinton et al. 2015 (Distilling the Knowledge in a Neural Network), section 2.

    Args:
        logarithms: of the student's probabilities, shape (…, tags).
        teacher: probabilities of the same shape.
        temperature: divides the logarithms of both.
    """
    softened = (teacher.clamp_min(_FLOOR).log() / temperature).log_softmax(dim=-1)
    student = (logarithms / temperature).log_softmax(dim=-1)
    return temperature**2 * (softened.exp() * (softened - student)).sum(dim=-1)


def chain_loss(
    emissions: torch.Tensor,
    transitions: torch.Tensor,
    lengths: torch.Tensor,
    tags: torch.Tensor,
    known: torch.Tensor,
    bound: float = 0.0,
) -> torch.Tensor:
    """Return the mean loss per known token of a batch of linear chains.

    Without a bound, it is the negative log-likelihood of the known tags, summed over all tags of unknown tokens (Tsuboi
    et al. 2008); with one, the bounded loss of the marginal probability of each known tag.

    Args:
        emissions: log-potentials (chains, tokens, tags).
        transitions: log-potentials (tags before, tags after).
        lengths: tokens of each chain.
        tags: true tags (chains, tokens).
        known: which of them count (chains, tokens); False in padding.
        bound: as in `bounded_loss`.
    """
    count = known.sum().clamp_min(1)
    if bound:
        gold = chain_logarithms(emissions, transitions, lengths).gather(2, tags.unsqueeze(2)).squeeze(2)
        return (bounded_loss(gold, bound) * known).sum() / count
    other = torch.ones_like(emissions, dtype=torch.bool).scatter(2, tags.unsqueeze(2), value=False)
    agreeing = emissions.masked_fill(other & known.unsqueeze(2), FAR)
    whole, partial = (log_partition(one, transitions, lengths) for one in (emissions, agreeing))
    return (whole - partial).sum() / count


def chain_logarithms(emissions: torch.Tensor, transitions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return logarithms of marginal probabilities (chains, tokens, tags): the partition's gradient by emissions."""
    total = log_partition(emissions, transitions, lengths).sum()
    (marginal,) = torch.autograd.grad(total, emissions, create_graph=True)
    return marginal.clamp_min(_FLOOR).log()
