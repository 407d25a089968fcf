"""Processor time of a training step of a token classifier: fp32, autocast and weights in bf16, in turns in one run.

    python -m benchmarks.training_step [CORPUS] [--start DIR] [--windows 8] [--rounds 3] > benchmarks/training_step.md

Without an encoder, one of the shape of multilingual-e5-small is made with random weights: time does not depend on what
they say. Time is that of all cores together, so that neighbours on the machine disturb it less than elapsed time; the
best round of each counts, after one that counts for nothing.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
from transformers import BertConfig, BertModel

from deid.detection.annotators.transformer import model_directory
from deid.detection.annotators.transformer.network import quiet
from deid.domain.errors import InputRefused
from deid.models import FOLDER
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.learning.transformer import optimization
from nocturne_lab.learning.transformer.classifier import Classifier, load_classifier, tag_weights
from nocturne_lab.learning.transformer.examples import WindowExample, padded_windows, window_examples
from nocturne_lab.learning.transformer.optimization import Machine
from nocturne_lab.learning.transformer.plan import CONFIGS, FineTuning, load_plan
from nocturne_lab.learning.transformer.working_copy import WorkingCopy, multiplies_bf16

_HEAD = """# A step of training on a processor

Written by `python -m benchmarks.training_step` on {processor} ({products}); threads: {threads}. {windows} windows of
{length} sub-words a step, an encoder of {parameters:.0f} million parameters; milliseconds of processor time for a
window, of all cores together. Ratios hold for this kind of processor only, and move by a tenth on a busy machine.
"""


@dataclass(frozen=True, slots=True)
class ComputedStep:
    """Computation of a step: precision of the plan, dropout, attention of the library, what is not learned."""

    precision: str
    dropout: float = 0.0
    attention: str = "eager"
    frozen: bool = False

    def cells(self) -> list[str]:
        """Return the first cells of the table's row."""
        return [self.precision, f"{self.dropout:g}", self.attention, "no" if self.frozen else "yes"]


_BESIDE = ComputedStep("autocast")
_KINDS = (
    ComputedStep("fp32"),
    ComputedStep("autocast", dropout=0.1),
    _BESIDE,
    ComputedStep("bf16", dropout=0.1),
    ComputedStep("bf16"),
    ComputedStep("bf16", frozen=True),
    ComputedStep("bf16", frozen=True, attention="sdpa"),
)


class _Lesson:
    """A classifier that learns the same windows again and again, computed in one way."""

    def __init__(self, kind: ComputedStep, start: Path, windows: Sequence[WindowExample], asked: FineTuning) -> None:
        machine = Machine.of(kind.precision)
        model = load_classifier(start, asked.model_copy(update={"dropout": kind.dropout}))
        model.set_attn_implementation(kind.attention)
        if kind.frozen:
            model.get_input_embeddings().requires_grad_(False)
        self._classifier = Classifier(model, False, tag_weights("none", Counter()))
        self._working = WorkingCopy(self._classifier, copied=machine.copied)
        self._working.model.train()
        self._descents = optimization.optimizers(self._classifier, "adamw", asked.learning_rate, asked.weight_decay)
        self._machine, self._clip = machine, asked.clip
        self._tensors = padded_windows(windows, int(model.config.pad_token_id or 0), machine)

    def seconds(self) -> float:
        """Take a step; return its processor time in seconds."""
        begun = time.process_time()
        with self._machine.numbers():
            loss = self._working.model(*self._tensors) / self._tensors[0].numel()
        loss.backward()
        self._working.hand_over()
        optimization.step(self._classifier, self._descents, 1e-6, self._clip)
        self._working.renew()
        return time.process_time() - begun


def step_times(start: Path, documents: Sequence[GoldDocument], windows: int, rounds: int) -> dict[ComputedStep, float]:
    """Return the seconds of processor time of a step, for each kind that this processor can compute.

    Raises:
        InputRefused: the documents do not fill the windows asked for.
    """
    asked = load_plan(CONFIGS / "processor.yaml").fine_tuning
    tokenizer = model_directory.load_tokenizer(start, start.name)
    drawn = [*islice(window_examples(tokenizer, documents, asked.length), windows)]
    if len(drawn) < windows:
        raise InputRefused(f"the documents fill {len(drawn)} windows.", "Give more documents, or fewer --windows.")
    fast = multiplies_bf16(torch.cpu.get_capabilities())
    lessons = {kind: _Lesson(kind, start, drawn, asked) for kind in _KINDS if fast or kind.precision != "bf16"}
    turns = [{kind: lesson.seconds() for kind, lesson in lessons.items()} for _ in range(rounds + 1)]
    return {kind: min(turn[kind] for turn in turns[1:]) for kind in lessons}


def _random_encoder(folder: Path) -> Path:
    """Write an encoder with random weights: 12 layers of 384, the tokenizer that ships."""
    shipped = FOLDER / "transformer"
    words = model_directory.load_tokenizer(shipped, shipped.name).get_vocab_size()
    config = BertConfig(
        vocab_size=words, hidden_size=384, num_hidden_layers=12, num_attention_heads=12, intermediate_size=1536
    )
    with quiet():
        BertModel(config).save_pretrained(folder)
    shutil.copyfile(shipped / model_directory.TOKENIZER, folder / model_directory.TOKENIZER)
    return folder


def main() -> int:
    """Print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="?", default=Path("corpus/train"))
    parser.add_argument("--start", type=Path, help="directory of an encoder")
    parser.add_argument("--windows", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    documents = load_corpus(given.corpus)[: 4 * given.windows]
    with tempfile.TemporaryDirectory() as folder:
        start = given.start or _random_encoder(Path(folder))
        asked = load_plan(CONFIGS / "processor.yaml").fine_tuning
        size = sum(one.numel() for one in load_classifier(start, asked).parameters())
        times = step_times(start, documents, given.windows, given.rounds)
    capabilities = torch.cpu.get_capabilities()
    products = [name for name, has in capabilities.items() if name.endswith("bf16") and has]
    print(
        _HEAD.format(
            processor=capabilities["cpu_name"], products=", ".join(products) or "no bf16", windows=given.windows,
            threads=torch.get_num_threads(), length=asked.length, parameters=size / 1e6,
        )
    )  # fmt: skip
    rows = [
        [*kind.cells(), f"{1000 * taken / given.windows:.0f}", f"{times[_BESIDE] / taken:.2f}"]
        for kind, taken in times.items()
    ]
    print(markdown(["precision", "dropout", "attention", "sub-words learned", "ms", "times autocast"], rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
