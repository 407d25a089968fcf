"""Training of a transformer tagger: encoder, tags, deployed directory, measures."""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import nn

from deid.detection.annotators.transformer import Transformer, model_directory
from deid.detection.annotators.transformer.model_directory import Card
from deid.detection.annotators.transformer.network import quiet
from deid.detection.reading import Reading
from deid.detection.taggers.tags import TAGS
from deid.evaluation.corpus import GoldDocument
from deid.evaluation.scoring import Judged, evaluate
from deid.learning.transformer.examples import split
from deid.learning.transformer.fine_tuning import Taught, fine_tune, start_directory
from deid.learning.transformer.optimization import Machine, seeded
from deid.learning.transformer.plan import Plan
from deid.learning.transformer.pretraining import pretrain

log = logging.getLogger(__name__)

_ENCODER = "encoder"  # beside the deployed files, as a start for another fine-tuning


def train_transformer(plan: Plan, documents: Sequence[GoldDocument], out: Path) -> Card:
    """Train by the plan, and write to `out` a directory for the annotator *transformer*.

    An own encoder is kept in `out/encoder`. The same plan, documents and number of threads give the same weights on a
    CPU; on a GPU, the order of sums varies and measures differ in the third digit.

    Args:
        plan: every setting.
        documents: annotated documents.
        out: the directory; its content is replaced.

    Returns:
        The card, with `measures`: those of each stage, and those of the written model on the documents held out
        (`overlap_f1`, `direct` and `redacted` by `deid.evaluation.scoring`).

    Raises:
        InputRefused: no documents, or unusable texts or start.
        PolicyError: the model to start from is absent, or has no fast tokenizer.
    """
    machine = Machine.of(plan.precision)
    seeded(plan.seed)
    out.mkdir(parents=True, exist_ok=True)
    measures: dict[str, float] = {}
    if plan.encoder is not None:
        learned, _ = split(documents, plan.fine_tuning.held_out, plan.seed)
        start = out / _ENCODER
        measures |= pretrain(plan, learned, start, machine)
    else:
        start = start_directory(plan)
    tokenizer = model_directory.load_tokenizer(start, str(start.name))
    taught = fine_tune(plan, start, tokenizer, documents, machine)
    measures |= taught.measures | {"epoch": float(taught.epoch)}
    _write(plan, taught, start, out)
    written = _card(plan, documents, out, taught, tokenizer.get_vocab_size(), measures)
    written.write(out)
    _, held_out = split(documents, plan.fine_tuning.held_out, plan.seed)
    written = written.model_copy(update={"measures": measures | served(out, held_out)})
    written.write(out)
    return written


def served(folder: Path, documents: Sequence[GoldDocument]) -> dict[str, float]:
    """Score a written model alone on `documents`, with exact numbers; return an empty result without documents.

    `overlap_f1`: micro-average over coarse labels; `direct`: share of characters of direct identifiers covered;
    `redacted`: share of documents with all characters of direct identifiers covered.
    """
    if not documents:
        return {}
    annotator = Transformer(str(folder), precision="fp32" if not torch.cuda.is_available() else "bf16")
    found = annotator.annotate_batch([Reading(gold.document) for gold in documents])
    scores = evaluate(
        Judged(gold.document.id, gold.document.text, sorted(gold.mentions), sorted(mentions))
        for gold, mentions in zip(documents, found, strict=True)
    )
    return {
        "overlap_f1": scores.schemes["coarse"].micro("overlap").f1 or 0.0,
        "direct": scores.redaction["direct"].recall or 0.0,
        "redacted": scores.share_fully_redacted("direct") or 0.0,
    }


def _write(plan: Plan, taught: Taught, start: Path, out: Path) -> None:
    model = taught.model.cpu()
    if plan.weights == "fp16":
        nn.Module.to(model, torch.float16)
    with quiet():
        model.save_pretrained(out)
    shutil.copyfile(start / model_directory.TOKENIZER, out / model_directory.TOKENIZER)
    for file in out.glob("*.safetensors"):
        file.chmod(0o644)  # the library writes owner-only files; workers run as another user


def _card(
    plan: Plan,
    documents: Sequence[GoldDocument],
    out: Path,
    taught: Taught,
    words: int,
    measures: dict[str, float],
) -> Card:
    return Card(
        labels=TAGS,
        vocabulary=words,
        tokenizer=model_directory.file_hash(out / model_directory.TOKENIZER),
        corpus=corpus_hash(documents),
        seed=plan.seed,
        weights=model_directory.file_hash(out / model_directory.WEIGHTS),
        temperature=taught.temperature,
        window=plan.fine_tuning.length,
        versions={name: version(name) for name in ("torch", "transformers", "tokenizers")},
        settings=_settings(plan),
        measures=measures,
    )


def _settings(plan: Plan) -> dict[str, Any]:
    """Return the plan with file names only, since the folders of a machine mean nothing elsewhere."""
    values = plan.model_dump(mode="json")
    if plan.start is not None and Path(plan.start).is_dir():
        values["start"] = Path(plan.start).name
    if plan.pretraining is not None:
        values["pretraining"]["texts"] = [Path(text).name for text in plan.pretraining.texts]
    return values


def corpus_hash(documents: Sequence[GoldDocument]) -> str:
    """Return a SHA-256 over identifiers, texts and mentions, in the order of identifiers."""
    whole = hashlib.sha256()
    for gold in sorted(documents, key=lambda one: one.document.id):
        marks = [(mention.start, mention.end, str(mention.label)) for mention in sorted(gold.mentions)]
        record = repr((gold.document.id, gold.document.text, marks))
        whole.update(hashlib.sha256(record.encode("utf-8", "surrogatepass")).digest())
    return whole.hexdigest()
