"""Pre-training of the encoder by masked words (Devlin et al. 2019)."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn
from transformers import ModernBertConfig, ModernBertForMaskedLM

from deid.detection.annotators.transformer.network import quiet
from deid.domain.errors import InputRefused
from deid.evaluation.corpus import GoldDocument
from deid.learning.transformer import optimization, pretraining_data
from deid.learning.transformer.optimization import Machine, prepared
from deid.learning.transformer.plan import Encoder, Plan, Pretraining
from deid.learning.transformer.pretraining_data import IGNORED, masked, packed

log = logging.getLogger(__name__)

_EVERY = 200  # steps between two lines of the log
_AHEAD = 16  # batches prepared while the device works
_LONGEST = 1024  # longest supported input in sub-words; positions are rotary, without a table


def pretrain(plan: Plan, documents: Sequence[GoldDocument], folder: Path, machine: Machine) -> dict[str, float]:
    """Train a tokenizer, then an encoder; write both to `folder`.

    Returns:
        `masked_loss` (nats per masked sub-word, mean over the last tenth of the steps), `steps`, `minutes`.

    Raises:
        InputRefused: a text cannot be read, or the texts do not fill one batch.
    """
    if plan.encoder is None:
        raise ValueError("the plan has no encoder of its own")
    asked = plan.pretraining or Pretraining(texts=(), steps=1)
    paths = pretraining_data.files(asked.texts)
    tokenizer = pretraining_data.learn(
        _passages(paths, documents, asked.repeat, f"{plan.seed}/vocabulary"),
        plan.encoder.vocabulary,
        plan.encoder.tokenizer_megabytes,
    )
    model = ModernBertForMaskedLM(configuration(plan.encoder, tokenizer))
    measures = {} if plan.pretraining is None else _learn(plan, model, tokenizer, paths, documents, machine)
    folder.mkdir(parents=True, exist_ok=True)
    with quiet():
        model.cpu().save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return measures


def configuration(encoder: Encoder, tokenizer: Tokenizer) -> ModernBertConfig:
    """Return the configuration of the encoder for `transformers`."""
    special: dict[str, Any] = {name: tokenizer.token_to_id(mark) for name, mark in _MARKS.items()}
    return ModernBertConfig(
        # Multiples of 64 rows make the matrix products with the vocabulary faster.
        vocab_size=-(-tokenizer.get_vocab_size() // 64) * 64,
        hidden_size=encoder.hidden,
        intermediate_size=encoder.intermediate,
        num_hidden_layers=encoder.layers,
        num_attention_heads=encoder.heads,
        local_attention=encoder.local_attention,
        max_position_embeddings=_LONGEST,
        # Logits are computed for masked places only: a fifth of the places, nearly half of the computation.
        sparse_prediction=True,
        sparse_pred_ignore_index=IGNORED,
        **special,
    )


_MARKS = {
    "pad_token_id": pretraining_data.PAD,
    "bos_token_id": pretraining_data.BEGIN,
    "cls_token_id": pretraining_data.BEGIN,
    "eos_token_id": pretraining_data.END,
    "sep_token_id": pretraining_data.END,
}


def _passages(paths: Sequence[Path], documents: Sequence[GoldDocument], repeat: int, seed: str) -> Iterator[str]:
    """Yield the annotated documents, so that the vocabulary includes their sub-words, then the files."""
    for _ in range(repeat):
        yield from (gold.document.text + "\n" for gold in documents)
    yield from pretraining_data.passages(paths, seed)


def _learn(
    plan: Plan,
    model: ModernBertForMaskedLM,
    tokenizer: Tokenizer,
    paths: Sequence[Path],
    documents: Sequence[GoldDocument],
    machine: Machine,
) -> dict[str, float]:
    asked = plan.pretraining
    assert asked is not None  # noqa: S101 - the caller checks it
    nn.Module.to(model, machine.device).train()
    descent = optimization.optimizer(model, asked.learning_rate, asked.weight_decay)
    begun = time.monotonic()
    losses: list[torch.Tensor] = []
    stream = prepared(lambda: _batches(plan, asked, tokenizer, paths, documents), _AHEAD)
    for number, (seen, wanted) in enumerate(stream):
        done = _done(asked, number, begun)
        if done >= 1:
            break
        loss = _loss(model, machine, seen, wanted)
        loss.backward()  # type: ignore[no-untyped-call]
        optimization.step(model, descent, optimization.rate(asked.learning_rate, asked.warm_up, done), 1.0)
        losses.append(loss.detach())
        if number % _EVERY == 0:
            log.info("masked words: step %d, %.0f %% done, loss %.3f", number, 100 * done, float(loss.detach()))
    last = torch.stack(losses[-max(1, len(losses) // 10) :]).mean()
    return {
        "masked_loss": float(last),
        "steps": float(len(losses)),
        "minutes": round((time.monotonic() - begun) / 60, 2),
    }


def _done(asked: Pretraining, number: int, begun: float) -> float:
    """Return the share of the work done, in [0, 1]; without `minutes` it depends on the step alone."""
    by_steps = number / asked.steps
    if asked.minutes is None:
        return by_steps
    return max(by_steps, (time.monotonic() - begun) / 60 / asked.minutes)


def _loss(model: nn.Module, machine: Machine, seen: NDArray[np.int64], wanted: NDArray[np.int64]) -> torch.Tensor:
    with machine.numbers():
        # Packed sequences have no padding, and attention without a mask has a faster kernel.
        found = model(input_ids=machine.moved(seen), labels=machine.moved(wanted))
    return found.loss  # type: ignore[no-any-return]


def _batches(
    plan: Plan, asked: Pretraining, tokenizer: Tokenizer, paths: Sequence[Path], documents: Sequence[GoldDocument]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield masked batches, in repeated passes over the texts."""
    draw = np.random.default_rng(plan.seed)
    for turn in count():
        passages = _passages(paths, documents, asked.repeat, f"{plan.seed}/{turn}")
        some = False
        for sequences in packed(tokenizer, passages, asked.length, asked.batch, plan.seed + turn):
            some = True
            yield masked(sequences, asked.masked, tokenizer, draw)
        if not some:
            raise InputRefused("the texts do not fill one batch.", "Give more text, or a smaller batch and length.")
