"""Fine-tuning of a token classifier on annotated documents."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import count, islice, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn
from torch.nn.functional import cross_entropy, nll_loss
from transformers import PreTrainedModel

from deid.detection.annotators.transformer import model_directory
from deid.detection.taggers.tags import LABELS, OUTSIDE
from deid.domain.document import Document
from deid.domain.errors import InputRefused
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.checkpoints import part
from nocturne_lab.learning.objectives import is_certain, without_labels
from nocturne_lab.learning.progress import tell_epoch
from nocturne_lab.learning.transformer import optimization, pretraining_data
from nocturne_lab.learning.transformer.checkpoints import Checkpoints, Position
from nocturne_lab.learning.transformer.classifier import (
    Classifier,
    labels_without_example,
    load_classifier,
    tag_weights,
)
from nocturne_lab.learning.transformer.examples import (
    WindowExample,
    alike_batches,
    padded_windows,
    split,
    window_examples,
)
from nocturne_lab.learning.transformer.optimization import Machine, prepared
from nocturne_lab.learning.transformer.plan import FineTuning, Plan
from nocturne_lab.learning.transformer.pretraining_data import IGNORED
from nocturne_lab.learning.transformer.watched import Watched
from nocturne_lab.learning.transformer.working_copy import WorkingCopy

log = logging.getLogger(__name__)

_EVERY = 50  # batches between two lines of the log
_LABEL_OF = np.asarray([-1 if label is None else (index - 1) // 2 for index, label in enumerate(LABELS)])


@dataclass(frozen=True, slots=True)
class Taught:
    """Model at its best epoch, the number of that epoch, and its measures on the documents held out.

    `temperature`: divisor of the log-probabilities, calibrated on these documents (Guo et al. 2017, section 4.2);
    `transitions`: of a CRF, (tags before, tags after).
    """

    model: PreTrainedModel
    epoch: int
    measures: dict[str, float]
    temperature: float = 1.0
    transitions: torch.Tensor | None = None


def fine_tune(
    plan: Plan,
    start: Path,
    tokenizer: Tokenizer,
    documents: Sequence[GoldDocument],
    machine: Machine,
    checkpoints: Checkpoints | None = None,
    watched: Watched | None = None,
) -> Taught:
    """Fine-tune the model in `start` on tags.

    Args:
        plan: its `fine_tuning` and `seed`.
        start: a directory with weights; a classification head is added if absent.
        tokenizer: the directory's.
        documents: annotated; some authors are held out if the plan says so.
        machine: device, precision, processes.
        checkpoints: where to continue from and what to write while training; None for neither.
        watched: documents outside the training, measured after each epoch.

    Raises:
        InputRefused: no training document, unusable weights, or a length that the model does not take.
        TrainingDiverged: the loss is not a finite number.
    """
    learned, held_out = split(documents, plan.fine_tuning.held_out, plan.seed)
    if not learned:
        raise InputRefused("there is no document to learn from.", "Give annotated documents.")
    return _Training(plan, start, tokenizer, (learned, held_out), machine, checkpoints, watched).run()


class _Training:
    """A fine-tuning: the classifier, its optimizer, the best weights so far, and the place in the epochs."""

    def __init__(
        self,
        plan: Plan,
        start: Path,
        tokenizer: Tokenizer,
        documents: tuple[Sequence[GoldDocument], Sequence[GoldDocument]],
        machine: Machine,
        checkpoints: Checkpoints | None,
        watched: Watched | None,
    ) -> None:
        asked = plan.fine_tuning
        self._plan, self._asked, self._tokenizer, self._machine = plan, asked, tokenizer, machine
        self._documents, held_out = documents
        self._windows = list(window_examples(tokenizer, self._documents, asked.length, asked.least_confidence))
        self._judged = list(window_examples(tokenizer, held_out, asked.length, asked.least_confidence))
        if not self._windows:
            raise InputRefused(
                "there is no sentence to learn from.", "Give documents with text, or lower least_confidence."
            )
        counts = Counter(int(tag) for one in self._windows for tag in one.tags if tag != IGNORED)
        if lacking := labels_without_example(counts):
            log.warning("No example of %s among the documents: the model will not find it.", ", ".join(lacking))
        model = load_classifier(start, asked)
        self._weights = tag_weights(asked.class_weights, counts)
        self._classifier = Classifier(model, asked.head == "crf", self._weights)
        if asked.frozen_subwords:
            model.get_input_embeddings().requires_grad_(False)
        self._working = WorkingCopy(self._classifier, copied=machine.copied)
        self._module = machine.processes.prepare_model(self._working.model)
        (self._descent,) = optimization.optimizers(
            self._classifier, "adamw", asked.learning_rate, asked.weight_decay, asked.layer_decay
        )
        self._teacher = None if asked.teacher is None else _teacher(Path(asked.teacher), tokenizer, asked, machine)
        self._checkpoints, self._watched = checkpoints, watched
        self._at = Position()
        self._best: dict[str, torch.Tensor] = {}

    def run(self) -> Taught:
        """Train to the end and return the model of the best epoch."""
        self._resume()
        first, skipped = self._at.epoch, self._at.step
        for epoch, lessons in enumerate(prepared(lambda: self._lessons(first), 1), first):
            if self._judged and self._at.best_epoch and epoch - self._at.best_epoch >= self._asked.patience:
                break
            self._teach(lessons, epoch, skipped)
            skipped = 0
            self._at = replace(self._at, epoch=epoch + 1, step=0)
            self._judge()
            self._watch()
            self._save()
        self._machine.processes.free_memory()
        if self._best:
            self._classifier.load_state_dict(self._best)
            self._working.renew()
        return Taught(
            self._classifier.model, self._at.best_epoch, self._at.measures, self._temperature(), self._transitions()
        )

    def _lessons(self, first: int) -> Iterator[list[list[WindowExample]]]:
        """Yield the batches of each epoch from `first` on; copies and unlabelled texts differ between epochs."""
        asked, seed = self._asked, self._plan.seed
        # A copy would not keep what is doubtful.
        certain = [one for one in self._documents if is_certain(one, asked.least_confidence)]
        texts = self._unlabelled() if asked.unlabelled else iter(())
        with _Copying(self._tokenizer, asked) as copying:
            for epoch in range(asked.epochs):
                unlabelled = [*islice(texts, asked.unlabelled)]
                if epoch < first:
                    continue
                windows = [*self._windows, *copying.windows(certain, seed + epoch), *unlabelled]
                yield alike_batches(windows, asked.batch, f"{seed}/{epoch}")

    def _unlabelled(self) -> Iterator[WindowExample]:
        """Yield windows of the texts without end, pass after pass."""
        for turn in count():
            passages = pretraining_data.passages(pretraining_data.files(self._asked.texts), f"{self._plan.seed}/{turn}")
            documents = (
                without_labels(GoldDocument(Document(f"{turn}-{number}", text), (), ""))
                for number, text in enumerate(passages)
                if text.strip()
            )
            yield from window_examples(self._tokenizer, documents, self._asked.length, tagged=False)

    def _teach(self, lessons: Sequence[Sequence[WindowExample]], epoch: int, skipped: int) -> None:
        asked = self._asked
        self._module.train()
        for number, batch in enumerate(lessons[skipped:], skipped):
            loss = self._gradient(batch)
            if number % _EVERY == 0:
                log.info("epoch %d: batch %d of %d, loss %.3f", epoch + 1, number + 1, len(lessons), float(loss))
            done = (epoch + (number + 1) / len(lessons)) / asked.epochs
            rate = optimization.rate(asked.learning_rate, asked.warm_up, done)
            optimization.step(self._classifier, [self._descent], rate, asked.clip)
            self._working.renew()
            self._at = replace(self._at, epoch=epoch, step=number + 1)
            if self._checkpoints is not None and self._checkpoints.due:
                self._save()

    def _gradient(self, batch: Sequence[WindowExample]) -> torch.Tensor:
        """Add up the gradient of the mean loss of a batch, in parts, over all processes; return this one's loss."""
        processes, parts = self._machine.processes, self._asked.accumulate
        own = self._machine.share(batch)
        # A process without a window still takes part in the sum of gradients.
        shares = [own[at::parts] for at in range(min(parts, len(own)))] or [[_without_tags(batch[0])]]
        total = sum(self._weight(one) for one in batch) or 1.0
        whole = torch.zeros((), device=self._machine.device)
        for number, share in enumerate(shares, 1):
            waits = processes.no_sync(self._module) if number < len(shares) else nullcontext()
            with waits:
                tensors = self._tensors(share)
                taught = None if self._teacher is None else self._taught(share, tensors)
                with self._machine.numbers():
                    loss = self._module(*tensors, taught)
                # The processes' gradients are averaged, not added.
                processes.backward(loss * (processes.num_processes / total))
            whole += loss.detach() * (processes.num_processes / total)
            if number == len(shares) or processes.num_processes == 1:
                self._working.hand_over()
        return whole

    def _taught(
        self, batch: Sequence[WindowExample], tensors: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, torch.Tensor, float, float]:
        """Return what the teacher says of a batch, as `Classifier.forward` takes it."""
        ids, mask, wanted = tensors
        scored = np.zeros(wanted.shape, dtype=np.bool_)
        for row, example in enumerate(batch):
            scored[row, : len(example.scored)] = example.scored
        places = self._machine.moved(scored)
        with torch.no_grad(), self._machine.numbers():
            logits = self._teacher(input_ids=ids, attention_mask=mask).logits  # type: ignore[misc]
        return places, logits[places].float().softmax(dim=-1), self._asked.taught, self._asked.temperature

    def _weight(self, example: WindowExample) -> float:
        if self._teacher is not None:
            return float(example.scored.sum())
        return float(self._weights[example.tags[example.tags != IGNORED]].sum())

    def _tensors(self, batch: Sequence[WindowExample]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return sub-words, mask and target tags of windows, padded, on the device."""
        padding = int(getattr(self._classifier.model.config, "pad_token_id", None) or 0)
        return padded_windows(batch, padding, self._machine)

    # Measures

    def _judge(self) -> None:
        """Measure the model on the documents held out, and keep it if it is the best."""
        if not self._judged:
            self._at = replace(self._at, best_epoch=self._at.epoch)
            return
        measures = self._machine.agreed(_measures(*self._log_probabilities(self._judged)))
        log.info("epoch %d: F1 %.4f, loss %.4f", self._at.epoch, measures["token_f1"], measures["loss"])
        tell_epoch("", self._at.epoch, self._asked.epochs, measures["loss"], measures["token_f1"])
        if not self._at.measures or _better(measures, self._at.measures):
            self._at = replace(self._at, best_epoch=self._at.epoch, measures=measures)
            self._best = {name: one.detach().cpu().clone() for name, one in self._classifier.state_dict().items()}

    def _watch(self) -> None:
        """Add what the model makes of the documents watched to their curve."""
        if self._watched is None or not self._machine.processes.is_main_process:
            return
        found = {
            author: self._log_probabilities([*window_examples(self._tokenizer, some, self._asked.length)])
            for author, some in self._watched.by_author().items()
        }
        scores, wanted = (torch.cat(some) for some in zip(*found.values(), strict=True))
        measures = {"passes": self._at.epoch * (1 + self._asked.copies), **_measures(scores, wanted)}
        self._watched.record(
            self._at.epoch, measures | {"authors": {author: _measures(*each) for author, each in found.items()}}
        )

    def _log_probabilities(self, windows: Sequence[WindowExample]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log-probabilities (tokens, tags) and true tags (tokens,) of windows, on the CPU."""
        self._working.model.train(False)
        scores, tags = [], []
        for at in range(0, len(windows), self._asked.batch):
            with self._machine.numbers():
                found, wanted = self._working.model.log_probabilities(
                    *self._tensors(windows[at : at + self._asked.batch])
                )
            scores.append(found.float().cpu())
            tags.append(wanted.cpu())
        return torch.cat(scores), torch.cat(tags)

    def _temperature(self) -> float:
        return _temperature(*self._log_probabilities(self._judged)) if self._judged else 1.0

    def _transitions(self) -> torch.Tensor | None:
        found = self._classifier.transitions
        return None if found is None else found.detach().cpu()

    # Checkpoints

    def _save(self) -> None:
        if self._checkpoints is None or not self._machine.processes.is_main_process:
            return
        tensors = {f"model.{name}": one for name, one in self._classifier.state_dict().items()}
        tensors |= {f"best.{name}": one for name, one in self._best.items()}
        for number, values in self._descent.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": one for name, one in values.items()}
        tensors["random.cpu"] = torch.get_rng_state()
        if self._machine.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(self._machine.device)
        self._checkpoints.save(self._at, tensors)

    def _resume(self) -> None:
        found = self._checkpoints.load() if self._checkpoints is not None else None
        if found is None:
            return
        self._at, tensors = found
        self._classifier.load_state_dict(part(tensors, "model."))
        self._working.renew()
        self._best = part(tensors, "best.")
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name, one in part(tensors, "optimizer.").items():
            number, key = name.split(".", 1)
            state.setdefault(int(number), {})[key] = one
        self._descent.load_state_dict({**self._descent.state_dict(), "state": state})
        torch.set_rng_state(tensors["random.cpu"])
        if "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"], self._machine.device)
        log.info("Training resumes after %d epochs and %d batches.", self._at.epoch, self._at.step)


def _without_tags(example: WindowExample) -> WindowExample:
    return WindowExample(example.ids, np.full_like(example.tags, IGNORED), np.zeros_like(example.scored))


def _teacher(directory: Path, tokenizer: Tokenizer, asked: FineTuning, machine: Machine) -> PreTrainedModel:
    """Load the teacher, without dropout, on the device.

    Raises:
        InputRefused: the library cannot load it, or its tokenizer is another.
    """
    if model_directory.load_tokenizer(directory, directory.name).to_str() != tokenizer.to_str():
        raise InputRefused(
            f"{directory.name}: its tokenizer is not the student's.", "Name the teacher's as encoder.tokenizer."
        )
    model = WorkingCopy(load_classifier(directory, asked), copied=machine.copied).model
    nn.Module.to(model, machine.device).train(False)
    return model


class _Copying:
    """Altered copies of documents as windows: made by other processes where there are processors enough."""

    def __init__(self, tokenizer: Tokenizer, asked: FineTuning) -> None:
        self._tokenizer, self._asked = tokenizer, asked
        self._processes = max(0, (os.cpu_count() or 1) - 2) if asked.copies else 0
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self._processes > 1:
            self._pool = ProcessPoolExecutor(
                self._processes, get_context("spawn"), _prepare, (self._tokenizer.to_str(), self._asked)
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def windows(self, documents: Sequence[GoldDocument], seed: int) -> Iterator[WindowExample]:
        """Yield the windows of the altered copies; they do not depend on the number of processes."""
        if self._pool is None:
            yield from _copied_windows(self._tokenizer, self._asked, documents, seed)
            return
        parts = [documents[at : at + _PART] for at in range(0, len(documents), _PART)]
        for found in self._pool.map(_copied, parts, repeat(seed)):
            yield from found


_PART = 16  # documents copied by a process at a time
_OF_PROCESS: dict[str, tuple[Tokenizer, FineTuning]] = {}


def _prepare(tokenizer: str, asked: FineTuning) -> None:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    _OF_PROCESS["copying"] = Tokenizer.from_str(tokenizer), asked


def _copied(documents: Sequence[GoldDocument], seed: int) -> list[WindowExample]:
    return [*_copied_windows(*_OF_PROCESS["copying"], documents, seed)]


def _copied_windows(
    tokenizer: Tokenizer, asked: FineTuning, documents: Sequence[GoldDocument], seed: int
) -> Iterator[WindowExample]:
    if asked.copies:
        from nocturne_lab.learning.augmentation import multiply

        yield from window_examples(tokenizer, multiply(documents, asked.copies, seed), asked.length)


def _temperature(logits: torch.Tensor, wanted: torch.Tensor) -> float:
    """Return the temperature of a fine grid with the least loss."""
    grid = np.geomspace(0.5, 5.0, 93)
    losses = [float(cross_entropy(logits / value, wanted)) for value in grid]
    return round(float(grid[int(np.argmin(losses))]), 3)


def _measures(scores: torch.Tensor, wanted: torch.Tensor) -> dict[str, float]:
    """Return the mean loss in nats, and the F1 over tokens, of log-probabilities and true tags."""
    right, predicted, gold = _counts(scores.argmax(dim=1).numpy(), wanted.numpy()).tolist()
    return {"loss": float(nll_loss(scores, wanted)), "token_f1": 2 * right / max(1, predicted + gold)}


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
