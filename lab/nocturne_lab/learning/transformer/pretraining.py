"""Pre-training of the encoder by masked words (Devlin et al. 2019)."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn
from torch.nn.functional import cross_entropy
from transformers import ModernBertConfig, ModernBertForMaskedLM

from deid.detection.annotators.transformer import model_directory
from deid.detection.annotators.transformer.network import quiet
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.checkpoints import part
from nocturne_lab.learning.transformer import optimization, pretraining_data
from nocturne_lab.learning.transformer.checkpoints import Checkpoints, Position
from nocturne_lab.learning.transformer.optimization import Machine, prepared
from nocturne_lab.learning.transformer.plan import Encoder, Plan, Pretraining
from nocturne_lab.learning.transformer.pretraining_data import IGNORED, masked
from nocturne_lab.learning.transformer.working_copy import WorkingCopy

log = logging.getLogger(__name__)

_EVERY = 200  # steps between two lines of the log
_AHEAD = 16  # batches prepared while the device works
_LONGEST = 1024  # longest supported input in sub-words; positions are rotary, without a table


def pretrain(
    plan: Plan,
    documents: Sequence[GoldDocument],
    folder: Path,
    machine: Machine,
    checkpoints: Checkpoints | None = None,
) -> dict[str, float]:
    """Train a tokenizer if the plan names none, then an encoder; write both to `folder`.

    Sub-words are read from files beside `folder` (`.subwords`), encoded once; a pass over them takes no memory. With
    `checkpoints`, a training that was cut off resumes where it stood, on the same batches.

    Returns:
        `masked_loss` (nats per masked sub-word, mean over the last tenth of the steps), `steps`, `minutes`.

    Raises:
        InputRefused: a text or the tokenizer cannot be read, or the texts do not fill one batch.
        TrainingDiverged: the loss is not a finite number.
    """
    if plan.encoder is None:
        raise ValueError("the plan has no encoder of its own")
    asked = plan.pretraining or Pretraining(texts=(), steps=1)
    paths = pretraining_data.files(asked.texts)
    tokenizer = _tokenizer(plan.encoder, lambda: _passages(paths, documents, asked.repeat, f"{plan.seed}/vocabulary"))
    model = ModernBertForMaskedLM(configuration(plan.encoder, tokenizer))
    measures = {}
    if plan.pretraining is not None:
        subwords = _encoded(tokenizer, paths, documents, plan, folder.parent / ".subwords")
        measures = _Pretraining(plan, asked, model, tokenizer, subwords, machine, checkpoints).run()
    folder.mkdir(parents=True, exist_ok=True)
    with quiet():
        model.cpu().save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return measures


def _tokenizer(encoder: Encoder, texts: Callable[[], Iterator[str]]) -> Tokenizer:
    if encoder.tokenizer is None:
        return pretraining_data.learn(texts(), encoder.vocabulary, encoder.tokenizer_megabytes)
    tokenizer = model_directory.load_tokenizer(Path(encoder.tokenizer), Path(encoder.tokenizer).name)
    for mark in pretraining_data.SPECIAL:
        pretraining_data.number(tokenizer, mark)
    return tokenizer


def _encoded(
    tokenizer: Tokenizer, paths: Sequence[Path], documents: Sequence[GoldDocument], plan: Plan, folder: Path
) -> Path:
    """Return the folder of the sub-words of the texts, encoded unless it holds the same already."""
    asked = plan.pretraining or Pretraining()
    known = hashlib.sha256(tokenizer.to_str().encode())
    known.update(repr([(path.name, path.stat().st_size) for path in paths]).encode())
    known.update(repr((plan.seed, asked.repeat, [gold.document.text for gold in documents])).encode("utf-8", "replace"))
    mark = folder / "made-of"
    if not mark.is_file() or mark.read_text(encoding="utf-8") != known.hexdigest():
        begun = time.monotonic()
        mark.unlink(missing_ok=True)
        pretraining_data.encode(tokenizer, _passages(paths, documents, asked.repeat, f"{plan.seed}"), folder)
        mark.write_text(known.hexdigest(), encoding="utf-8")
        log.info("texts encoded in %.0f s", time.monotonic() - begun)
    return folder


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


class _Pretraining:
    """A training on masked words: the encoder, its optimizers and the number of batches done."""

    def __init__(
        self,
        plan: Plan,
        asked: Pretraining,
        model: ModernBertForMaskedLM,
        tokenizer: Tokenizer,
        subwords: Path,
        machine: Machine,
        checkpoints: Checkpoints | None,
    ) -> None:
        self._plan, self._asked, self._tokenizer, self._machine = plan, asked, tokenizer, machine
        self._subwords = pretraining_data.Subwords(subwords, tokenizer, asked.length)
        self._model = nn.Module.to(model, machine.device).train()
        self._working = WorkingCopy(self._model, copied=machine.copied)
        self._descents = optimization.optimizers(model, asked.optimizer, asked.learning_rate, asked.weight_decay)
        self._checkpoints = checkpoints
        self._at = Position()
        self._before = 0.0  # minutes of the training before it was cut off
        self._begun = time.monotonic()
        self._band = _band(asked.length, model.config.sliding_window, machine)
        if asked.compiled:
            for layer in self._working.model.model.layers:
                layer.compile(dynamic=False)  # one program serves all layers of a kind

    def run(self) -> dict[str, float]:
        """Train to the end and return the measures."""
        self._resume()
        asked, first = self._asked, self._at.step
        losses: list[torch.Tensor] = []
        self._begun = time.monotonic()
        stream = prepared(lambda: self._subwords.batches(asked.batch, self._plan.seed, first), _AHEAD)
        for step, (ids, beginnings) in enumerate(stream, first):
            done = self._done(step)
            if done >= 1:
                break
            loss = self._loss(ids, beginnings, step, done)
            loss.backward()  # type: ignore[no-untyped-call]
            self._working.hand_over()
            rate = optimization.rate(asked.learning_rate, asked.warm_up, done)
            optimization.step(self._model, self._descents, rate, 1.0)
            self._working.renew()
            losses.append(loss.detach())
            self._at = replace(self._at, step=step + 1)
            if step % _EVERY == 0:
                log.info("masked words: step %d, %.0f %% done, loss %.3f", step, 100 * done, float(loss.detach()))
            if self._checkpoints is not None and self._checkpoints.due:
                self._save()
        last = torch.stack(losses[-max(1, len(losses) // 10) :]).mean() if losses else torch.tensor(float("nan"))
        return {"masked_loss": float(last), "steps": float(self._at.step), "minutes": round(self._minutes(), 2)}

    def _minutes(self) -> float:
        return self._before + (time.monotonic() - self._begun) / 60

    def _done(self, step: int) -> float:
        """Return the share of the work done, in [0, 1]; without `minutes` it depends on the step alone."""
        by_steps = step / self._asked.steps
        return by_steps if self._asked.minutes is None else max(by_steps, self._minutes() / self._asked.minutes)

    def _loss(self, ids: NDArray[np.int64], beginnings: NDArray[np.bool_], step: int, done: float) -> torch.Tensor:
        """Return the mean loss of the masked sub-words, in nats.

        The share of words masked falls with the work done (Ankner et al. 2024, Dynamic Masking Rate Schedules).
        """
        asked, machine, model = self._asked, self._machine, self._working.model
        last = asked.masked if asked.masked_last is None else asked.masked_last
        share = asked.masked + (last - asked.masked) * done
        draw = torch.Generator(machine.device).manual_seed(self._plan.seed * 1_000_003 + step)
        seen, wanted = masked(machine.moved(ids), machine.moved(beginnings), share, self._tokenizer, draw)
        with machine.numbers():
            # Packed sequences have no padding: global attention needs no mask, which has a faster kernel.
            states = model.model(
                input_ids=seen, attention_mask={"full_attention": None, "sliding_attention": self._band}
            ).last_hidden_state
            # Logits of as many places as are masked at the most on average and some more: nearly half of the work.
            places = torch.argsort((wanted.flatten() == IGNORED).byte(), stable=True)[: self._most(wanted.numel())]
            logits = model.decoder(model.head(states.flatten(0, 1)[places]))
        return cross_entropy(logits.float(), wanted.flatten()[places], ignore_index=IGNORED)

    def _most(self, places: int) -> int:
        return min(places, 64 + int(1.05 * max(self._asked.masked, self._asked.masked_last or 0.0) * places))

    # Checkpoints

    def _save(self) -> None:
        if self._checkpoints is None:
            return
        tensors = {f"model.{name}": one for name, one in _plain(self._model.state_dict()).items()}
        for which, descent in enumerate(self._descents):
            for number, values in descent.state_dict()["state"].items():
                tensors |= {f"optimizer.{which}.{number}.{name}": one for name, one in values.items()}
        self._checkpoints.save(replace(self._at, measures={"minutes": self._minutes()}), tensors)

    def _resume(self) -> None:
        found = self._checkpoints.load() if self._checkpoints is not None else None
        if found is None:
            return
        self._at, tensors = found
        self._before = self._at.measures["minutes"]
        self._model.load_state_dict(part(tensors, "model."), strict=False)  # the tied weights are there once
        self._working.renew()
        for which, descent in enumerate(self._descents):
            state: dict[int, dict[str, torch.Tensor]] = {}
            for name, one in part(tensors, f"optimizer.{which}.").items():
                number, key = name.split(".", 1)
                state.setdefault(int(number), {})[key] = one
            descent.load_state_dict({**descent.state_dict(), "state": state})
        log.info("Training on masked words resumes after %d batches.", self._at.step)


def _plain(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the weights without those that are tied to others."""
    return {name: one for name, one in state.items() if name != "decoder.weight"}


def _band(length: int, reach: int, machine: Machine) -> torch.Tensor:
    """Return the additive mask of local attention (1, 1, length, length): places at most `reach` apart."""
    at = torch.arange(length, device=machine.device)
    far = (at.unsqueeze(0) - at.unsqueeze(1)).abs() > reach
    numbers = torch.bfloat16 if machine.half else torch.float32
    return torch.zeros(far.shape, device=machine.device, dtype=numbers).masked_fill(far, -torch.inf)[None, None]
