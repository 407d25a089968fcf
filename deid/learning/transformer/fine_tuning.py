"""Fine-tuning of a token classifier on annotated documents."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn
from torch.nn.functional import cross_entropy
from transformers import AutoConfig, AutoModelForTokenClassification, PreTrainedModel

from deid.detection.annotators.transformer import model_directory
from deid.detection.annotators.transformer.network import quiet
from deid.detection.taggers.tags import LABELS, OUTSIDE, TAGS
from deid.domain.errors import InputRefused
from deid.evaluation.corpus import GoldDocument
from deid.learning.transformer import optimization
from deid.learning.transformer.examples import WindowExample, split, window_examples
from deid.learning.transformer.optimization import Machine, prepared
from deid.learning.transformer.plan import FineTuning, Plan
from deid.learning.transformer.pretraining_data import IGNORED

log = logging.getLogger(__name__)

# Names of the dropout settings of the architectures.
_DROPOUTS = (
    "hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout", "dropout", "attention_dropout",
    "embedding_dropout", "mlp_dropout",
)  # fmt: skip
_LABEL_OF = np.asarray([-1 if label is None else (index - 1) // 2 for index, label in enumerate(LABELS)])


@dataclass(frozen=True, slots=True)
class Taught:
    """Model at its best epoch, the number of that epoch, and its measures on the documents held out.

    `temperature`: divisor of the logits, calibrated on these documents (Guo et al. 2017, section 4.2).
    """

    model: PreTrainedModel
    epoch: int
    measures: dict[str, float]
    temperature: float = 1.0


def fine_tune(
    plan: Plan, start: Path, tokenizer: Tokenizer, documents: Sequence[GoldDocument], machine: Machine
) -> Taught:
    """Fine-tune the model in `start` on tags.

    Args:
        plan: its `fine_tuning` and `seed`.
        start: a directory with weights; a classification head is added if absent.
        tokenizer: the directory's.
        documents: annotated; some authors are held out if the plan says so.
        machine: device and precision.

    Raises:
        InputRefused: no training document, or unusable weights.
    """
    asked = plan.fine_tuning
    learned, held_out = split(documents, asked.held_out, plan.seed)
    if not learned:
        raise InputRefused("there is no document to learn from.", "Give annotated documents.")
    model = _classifier(start, asked.dropout)
    nn.Module.to(model, machine.device)
    descent = optimization.optimizer(model, asked.learning_rate, asked.weight_decay)
    judged = list(window_examples(tokenizer, held_out, asked.length))
    best = Taught(model, 0, {})
    kept: dict[str, torch.Tensor] | None = None
    for epoch, lessons in enumerate(prepared(lambda: _lessons(plan, tokenizer, learned), 1)):
        _teach(plan, model, descent, lessons, epoch, machine)
        if not judged:
            best = Taught(model, epoch + 1, {})
            continue
        measures = _measured(model, judged, asked, machine)
        log.info("epoch %d: F1 %.4f, loss %.4f", epoch + 1, measures["token_f1"], measures["loss"])
        if not best.measures or _better(measures, best.measures):
            best = Taught(model, epoch + 1, measures)
            kept = {name: tensor.detach().cpu().clone() for name, tensor in model.state_dict().items()}
        elif epoch + 1 - best.epoch >= asked.patience:
            break
    if kept is not None:
        model.load_state_dict(kept)
    if not judged:
        return best
    return replace(best, temperature=_temperature(*_logits(model, judged, asked, machine)))


def _classifier(start: Path, dropout: float) -> PreTrainedModel:
    try:
        config = AutoConfig.from_pretrained(start, local_files_only=True, trust_remote_code=False)
        config.id2label = dict(enumerate(TAGS))
        config.label2id = {tag: index for index, tag in enumerate(TAGS)}
        for name in _DROPOUTS:
            if hasattr(config, name):
                setattr(config, name, dropout)
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
    return model  # type: ignore[no-any-return]


def _lessons(
    plan: Plan, tokenizer: Tokenizer, documents: Sequence[GoldDocument]
) -> Iterator[list[list[WindowExample]]]:
    """Return a function from an epoch to its batches; altered copies differ between epochs."""
    asked = plan.fine_tuning
    unaltered = list(window_examples(tokenizer, documents, asked.length))
    for epoch in range(asked.epochs):
        windows = list(unaltered)
        if asked.copies:
            from deid.learning.augmentation import multiply

            windows += window_examples(tokenizer, multiply(documents, asked.copies, plan.seed + epoch), asked.length)
        random.Random(f"{plan.seed}/{epoch}").shuffle(windows)  # noqa: S311
        yield [windows[at : at + asked.batch] for at in range(0, len(windows), asked.batch)]


def _teach(
    plan: Plan,
    model: PreTrainedModel,
    descent: torch.optim.Optimizer,
    lessons: Sequence[Sequence[WindowExample]],
    epoch: int,
    machine: Machine,
) -> None:
    asked = plan.fine_tuning
    model.train()
    for number, batch in enumerate(lessons):
        logits, wanted = _forward(model, batch, machine)
        loss = cross_entropy(logits.float().flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)
        loss.backward()  # type: ignore[no-untyped-call]
        done = (epoch + (number + 1) / len(lessons)) / asked.epochs
        optimization.step(model, descent, optimization.rate(asked.learning_rate, asked.warm_up, done), asked.clip)


def _forward(model: nn.Module, batch: Sequence[WindowExample], machine: Machine) -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits (windows, sub-words, tags) and target tags."""
    width = max(len(example.ids) for example in batch)
    padding = int(getattr(model.config, "pad_token_id", None) or 0)
    ids = np.full((len(batch), width), padding, dtype=np.int64)
    mask, wanted = np.zeros_like(ids), np.full_like(ids, IGNORED)
    for row, example in enumerate(batch):
        ids[row, : len(example.ids)] = example.ids
        mask[row, : len(example.ids)] = 1
        wanted[row, : len(example.ids)] = example.tags
    with machine.numbers():
        logits = model(input_ids=machine.moved(ids), attention_mask=machine.moved(mask)).logits
    return logits, machine.moved(wanted)


@torch.inference_mode()
def _logits(
    model: PreTrainedModel, judged: Sequence[WindowExample], asked: FineTuning, machine: Machine
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return logits (tokens, tags) and target tags (tokens,) of all tokens, on the CPU."""
    model.train(False)
    logits, tags = [], []
    for at in range(0, len(judged), asked.batch):
        found, wanted = _forward(model, judged[at : at + asked.batch], machine)
        known = wanted != IGNORED
        logits.append(found[known].float().cpu())
        tags.append(wanted[known].cpu())
    return torch.cat(logits), torch.cat(tags)


def _measured(
    model: PreTrainedModel, judged: Sequence[WindowExample], asked: FineTuning, machine: Machine
) -> dict[str, float]:
    """Return the loss in nats per token, and the F1 of labels over tokens without O."""
    logits, wanted = _logits(model, judged, asked, machine)
    right, predicted, gold = _counts(logits.argmax(dim=1).numpy(), wanted.numpy()).tolist()
    return {"loss": float(cross_entropy(logits, wanted)), "token_f1": 2 * right / max(1, predicted + gold)}


def _temperature(logits: torch.Tensor, wanted: torch.Tensor) -> float:
    """Return the temperature of a fine grid with the least loss."""
    grid = np.geomspace(0.5, 5.0, 93)
    losses = [float(cross_entropy(logits / value, wanted)) for value in grid]
    return round(float(grid[int(np.argmin(losses))]), 3)


def _counts(guess: NDArray[np.int64], truth: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count `(right, predicted, gold)` tokens by label; B- and I- tags of a label are equal."""
    right = (_LABEL_OF[guess] == _LABEL_OF[truth]) & (truth != OUTSIDE)
    return np.asarray([right.sum(), (guess != OUTSIDE).sum(), (truth != OUTSIDE).sum()])


def _better(one: dict[str, float], other: dict[str, float]) -> bool:
    return (one["token_f1"], -one["loss"]) > (other["token_f1"], -other["loss"])


def start_directory(plan: Plan) -> Path:
    """Return the directory of the model that the plan starts from.

    Raises:
        InputRefused, PolicyError: the model is absent, or has no fast tokenizer.
    """
    if plan.start is None:
        raise ValueError("the plan starts from no model")
    return model_directory.find_model(plan.start, plan.download)
