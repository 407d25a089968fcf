"""Speed of the annotator *transformer* and of the transformers pipeline: same weights, same texts, one run.

    python benchmarks/gpu_inference.py [FOLDER] [--model DIR] [--characters 300000] [--device auto]

FOLDER holds annotated documents: the open corpus, unless told otherwise. Without a model, one of the shape of the
GPU's plan is made with random weights: speed does not depend on what they say. The pipeline has its best
simple settings: the precision that the device is fast at, windows with a stride, and the best of several batch sizes.
Both go from texts to mentions; "rows" is the annotator up to the probabilities that merging takes.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import AutoModelForTokenClassification, PreTrainedTokenizerFast, pipeline

from deid.detection.annotators.transformer import Transformer
from deid.detection.annotators.transformer.network import quiet
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.learning.transformer import plan as plans
from nocturne_lab.learning.transformer.optimization import Machine
from nocturne_lab.learning.transformer.plan import CONFIGS
from nocturne_lab.learning.transformer.pretraining_data import BEGIN, END, PAD
from nocturne_lab.learning.transformer.training import train_transformer

Precision = Literal["bf16", "fp32", "int8"]
_SIZES = {"cuda": (8, 32, 64, 128, 256), "cpu": (1, 8, 32)}
_MARKS = {"pad_token": PAD, "bos_token": BEGIN, "eos_token": END}


def _read(folder: Path, characters: int) -> list[str]:
    texts: list[str] = []
    for one in load_corpus(folder):
        texts.append(one.document.text)
        if sum(map(len, texts)) >= characters:
            break
    return texts


def _untaught(folder: Path, texts: Sequence[str]) -> Path:
    """A model of the shape that ships, hardly taught: one epoch on one text."""
    plan = plans.load_plan(CONFIGS / "teacher.yaml").model_dump()
    plan |= {"pretraining": {"steps": 1, "batch": 1, "length": 64}, "weights": "fp32"}
    plan["fine_tuning"] |= {"epochs": 1, "held_out": 0, "copies": 0}
    documents = [GoldDocument(Document(str(at), text), (), str(at)) for at, text in enumerate(texts[:20])]
    train_transformer(plans.Plan.model_validate(plan), documents, folder)
    return folder


def _seconds(work: Callable[[], object], device: torch.device, repeats: int) -> float:
    """The best of some runs, after one that counts for nothing; of the processor's time where it does the work."""
    clock = time.perf_counter if device.type == "cuda" else time.process_time
    times = []
    for _ in range(repeats + 1):
        start = clock()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append(clock() - start)
    return min(times[1:])


def _pipeline(
    folder: Path, device: torch.device, dtype: torch.dtype, window: int
) -> Callable[[list[str], int], object]:
    with quiet():
        model = AutoModelForTokenClassification.from_pretrained(
            folder, dtype=dtype, local_files_only=True, trust_remote_code=False, use_safetensors=True
        )
    make: Any = PreTrainedTokenizerFast  # whose constructor has no types
    tokenizer = make(tokenizer_file=str(folder / "tokenizer.json"), model_max_length=window, **_MARKS)
    run = pipeline(
        "token-classification", model=model, tokenizer=tokenizer, device=device, aggregation_strategy="simple",
        stride=window // 8,
    )  # fmt: skip
    return lambda texts, size: run(texts, batch_size=size)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("corpus/train"))
    parser.add_argument("--model", type=Path)
    parser.add_argument("--characters", type=int, default=300_000)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--repeats", type=int, default=2)
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    texts = _read(asked.folder, asked.characters)
    device = Machine.of("auto").device if asked.device == "auto" else torch.device(asked.device)
    with tempfile.TemporaryDirectory() as folder:
        model = asked.model or _untaught(Path(folder), texts)
        for line in _table(model, texts, device, asked.repeats):
            print(line, flush=True)


def _table(model: Path, texts: list[str], device: torch.device, repeats: int) -> list[str]:
    total = sum(map(len, texts))
    exact: Precision = "bf16" if device.type == "cuda" else "fp32"
    annotators = {exact: Transformer(str(model), device=str(device), precision=exact)}
    if device.type == "cpu":
        annotators["int8"] = Transformer(str(model), device="cpu", precision="int8")
    run = _pipeline(model, device, torch.bfloat16 if exact == "bf16" else torch.float32, 256)
    times = {size: _seconds(partial(run, texts, size), device, repeats) for size in _SIZES[device.type]}
    best = min(times.values())
    name = torch.cuda.get_device_name() if device.type == "cuda" else f"CPU, {torch.get_num_threads()} thread(s)"
    lines = [
        f"{len(texts)} texts, {total} characters, {name}",
        "",
        "| What | seconds | characters/s | times the pipeline |",
        "|---|---|---|---|",
    ]

    def row(what: str, seconds: float) -> str:
        return f"| {what} | {seconds:.2f} | {total / seconds:,.0f} | {best / seconds:.2f} |"

    lines += [row(f"pipeline, {exact}, batches of {size}", seconds) for size, seconds in times.items()]
    for precision, annotator in annotators.items():
        seconds = _seconds(partial(_over, annotator.distributions, texts), device, repeats)
        lines.append(row(f"annotator, {precision}, rows", seconds))
        seconds = _seconds(partial(_over, annotator.annotate_batch, texts), device, repeats)
        lines.append(row(f"annotator, {precision}, mentions", seconds))
    return lines


def _over(work: Callable[[list[Reading]], object], texts: Sequence[str]) -> object:
    return work(_readings(texts))


def _readings(texts: Sequence[str]) -> list[Reading]:
    return [Reading(Document(str(at), text)) for at, text in enumerate(texts)]


if __name__ == "__main__":
    main()
