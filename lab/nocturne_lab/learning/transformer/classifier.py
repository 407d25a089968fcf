"""A token classifier in training: the encoder of a directory, a linear head or a CRF, and the loss of a batch."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from transformers import AutoConfig, AutoModelForTokenClassification, PreTrainedModel

from deid.detection.annotators.transformer.chains import log_marginals
from deid.detection.annotators.transformer.model_directory import CONFIG, longest_input
from deid.detection.annotators.transformer.network import quiet
from deid.detection.taggers.crf import path_loss
from deid.detection.taggers.tags import LABELS, TAGS, allowed_transitions
from deid.domain.errors import InputRefused
from nocturne_lab.learning.objectives import distance
from nocturne_lab.learning.transformer.plan import FineTuning
from nocturne_lab.learning.transformer.pretraining_data import IGNORED

# Names of the dropout settings of the architectures.
_DROPOUTS = (
    "hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout", "dropout", "attention_dropout",
    "embedding_dropout", "mlp_dropout",
)  # fmt: skip
_UNLIKELY = -5.0  # log-potential from which transitions that the tags forbid start


class Classifier(nn.Module):
    """A token classifier of the transformers library with its loss.

    Args:
        model: gives log-potentials (windows, sub-words, tags).
        crf: whether transitions between tags are learned too.
        weights: of each tag in the loss, shape (tags,); with a CRF, all are 1.
    """

    weights: torch.Tensor

    def __init__(self, model: PreTrainedModel, crf: bool, weights: torch.Tensor) -> None:
        super().__init__()
        self.model = model
        allowed = torch.from_numpy(allowed_transitions())
        self.transitions = nn.Parameter(torch.where(allowed, 0.0, _UNLIKELY)) if crf else None
        self.register_buffer("weights", weights, persistent=False)

    def forward(
        self,
        ids: torch.Tensor,
        mask: torch.Tensor,
        wanted: torch.Tensor,
        taught: tuple[torch.Tensor, torch.Tensor, float, float] | None = None,
    ) -> torch.Tensor:
        """Return the weighted loss, in nats, summed over the sub-words with a tag.

        Args:
            ids, mask: of the windows (windows, sub-words); `mask` is 0 in padding.
            wanted: tag of each sub-word, `IGNORED` where it has none.
            taught: of a teacher, which sub-words it scores (windows, sub-words), its probabilities of them (scored,
                tags), their weight against the tags', and the temperature.
        """
        logits = self.model(input_ids=ids, attention_mask=mask).logits.float()
        if taught is not None:
            scored, probabilities, weight, temperature = taught
            known = cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED, reduction="sum")
            told = distance(logits[scored].log_softmax(dim=-1), probabilities, temperature).sum()
            return (1 - weight) * known + weight * told
        if self.transitions is not None:
            return path_loss(*_chains(logits, self.transitions, wanted))
        return cross_entropy(
            logits.flatten(0, 1), wanted.flatten(), self.weights, ignore_index=IGNORED, reduction="sum"
        )

    @torch.inference_mode()
    def log_probabilities(
        self, ids: torch.Tensor, mask: torch.Tensor, wanted: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log-probabilities (tokens, tags) and true tags (tokens,) of the sub-words that have one."""
        logits = self.model(input_ids=ids, attention_mask=mask).logits.float()
        if self.transitions is None:
            known = wanted != IGNORED
            return logits[known].log_softmax(dim=1), wanted[known]
        emissions, transitions, lengths, tags = _chains(logits, self.transitions, wanted)
        alive = torch.arange(tags.shape[1], device=tags.device).unsqueeze(0) < lengths.unsqueeze(1)
        return log_marginals(emissions, transitions, lengths)[alive], tags[alive]


def _chains(
    logits: torch.Tensor, transitions: torch.Tensor, wanted: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the arguments of `path_loss`: one chain a window, over the sub-words that have a tag."""
    missing = (wanted == IGNORED).int()
    lengths = wanted.shape[1] - missing.sum(dim=1)
    order = missing.argsort(dim=1, stable=True)[:, : max(1, int(lengths.max()))]
    emissions = logits.gather(1, order.unsqueeze(2).expand(-1, -1, logits.shape[2]))
    return emissions, transitions, lengths, wanted.gather(1, order).clamp_min(0)


def load_classifier(start: Path, asked: FineTuning) -> PreTrainedModel:
    """Load the encoder in `start` with our tags; a head is added if absent.

    Raises:
        InputRefused: the library cannot load it, or it takes shorter windows than asked.
    """
    try:
        config = AutoConfig.from_pretrained(start, local_files_only=True, trust_remote_code=False)
        config.id2label = dict(enumerate(TAGS))
        config.label2id = {tag: index for index, tag in enumerate(TAGS)}
        for name in _DROPOUTS:
            if hasattr(config, name):
                setattr(config, name, asked.dropout)
        with quiet():
            model = AutoModelForTokenClassification.from_pretrained(
                start, config=config, dtype=torch.float32, local_files_only=True, trust_remote_code=False,
                use_safetensors=True, ignore_mismatched_sizes=True,
                # On a GPU, fused kernels with dropout give infinite gradients for rows without attended places:
                # padding beyond the range of local attention.
                attn_implementation="eager",
            )  # fmt: skip
    except (OSError, ValueError, KeyError, RuntimeError, ImportError):
        raise InputRefused(
            f"{start.name}: transformers cannot load it as a token classifier.",
            "Give a directory with config.json and safetensors of an encoder.",
        ) from None
    if getattr(config, "pre_norm", False):
        # Their forward pass raises a TypeError (release 5.23, modeling_flaubert.py).
        raise InputRefused(
            f"{start.name}: this release of transformers does not run FlauBERTs with pre_norm (small and large).",
            "Start from a base FlauBERT, or another encoder.",
        )
    longest = longest_input(json.loads((start / CONFIG).read_text(encoding="utf-8")))
    if asked.length > longest:
        raise InputRefused(
            f"{start.name} takes {longest} sub-words at most, the plan asks for {asked.length}.",
            "Lower fine_tuning.length.",
        )
    return model  # type: ignore[no-any-return]


def tag_weights(asked: str | Mapping[str, float], counts: Counter[int]) -> torch.Tensor:
    """Return the weight of each tag in the loss, shape (tags,).

    Args:
        asked: `none`, `inverse_root` (of the number of examples of a tag; the mean over examples is 1, and a tag
            without example has weight 1), or weights by label, O among them; a label that is not named has weight 1.
        counts: examples of each tag.
    """
    weights = np.ones(len(TAGS))
    if asked == "inverse_root":
        seen = np.asarray([counts[tag] for tag in range(len(TAGS))], dtype=np.float64)
        weights[seen > 0] = seen[seen > 0] ** -0.5
        weights[seen > 0] *= seen.sum() / (weights * seen).sum()
    elif not isinstance(asked, str):
        weights = np.asarray([asked.get(str(label or "O"), 1.0) for label in LABELS])
    return torch.from_numpy(weights.astype(np.float32))


def labels_without_example(counts: Counter[int]) -> list[str]:
    """Return the labels of which no example was counted, in the scheme's order."""
    seen: Sequence[str | None] = [LABELS[tag] for tag in counts]
    return [str(label) for label in LABELS[1::2] if label not in seen]
