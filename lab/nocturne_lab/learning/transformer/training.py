"""Training of a transformer tagger: encoder, tags, deployed directory, measures."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from deid.detection.annotators.transformer import Transformer, model_directory
from deid.detection.annotators.transformer.chains import TRANSITIONS
from deid.detection.annotators.transformer.model_directory import Card
from deid.detection.annotators.transformer.network import quiet
from deid.detection.taggers.tags import TAGS
from deid.detection.text.reading import Reading
from deid.domain.errors import InputRefused
from deid.domain.writing import file_digest, replacing
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.scoring import Judged, evaluate
from nocturne_lab.learning.checkpoints import put_in_place, restore
from nocturne_lab.learning.statistics import summarise
from nocturne_lab.learning.transformer.checkpoints import Checkpoints
from nocturne_lab.learning.transformer.examples import split
from nocturne_lab.learning.transformer.fine_tuning import Taught, fine_tune, start_directory
from nocturne_lab.learning.transformer.optimization import Machine, seeded
from nocturne_lab.learning.transformer.plan import Plan
from nocturne_lab.learning.transformer.pretraining import pretrain
from nocturne_lab.learning.transformer.watched import Watched

log = logging.getLogger(__name__)

_ENCODER = "encoder"  # beside the deployed files, as a start for another fine-tuning


def train_transformer(plan: Plan, documents: Sequence[GoldDocument], out: Path, watched: Watched | None = None) -> Card:
    """Train by the plan, and write to `out` a directory for the annotator *transformer*.

    An own encoder is kept in `out/encoder`. The same plan, documents and number of threads give the same weights on a
    CPU; on a GPU, the order of sums varies and measures differ in the third digit.

    Checkpoints lie in a folder beside `out`; called again with the same plan and documents after a kill, training
    resumes from the last. `out` is replaced at the very end, so that whatever serves from it is not disturbed.

    Args:
        plan: every setting.
        documents: annotated documents.
        out: the directory; its content is replaced, save for files `*.md`.
        watched: documents outside the training, measured after each epoch.

    Returns:
        The card, with `measures`: those of each stage, and those of the written model on the documents held out
        (`overlap_f1`, `direct` and `redacted` by `nocturne_lab.evaluation.scoring`).

    Raises:
        InputRefused: no documents, unusable texts or start, or a directory that cannot be written.
        TrainingDiverged: the loss is not a finite number.
        PolicyError: the model to start from is absent, or has no fast tokenizer, or that of another model.
    """
    machine = Machine.of(plan.precision)
    work = out.parent / f".{out.name}.training"
    if machine.processes.is_main_process:
        restore(out)
    try:
        start, measures = _start(plan, documents, work, machine)
        seeded(plan.seed)
        tokenizer = model_directory.matching_tokenizer(start, start.name)
        checkpoints = Checkpoints(work, training_hash(plan, documents, start), plan.checkpoint_minutes)
        taught = fine_tune(plan, start, tokenizer, documents, machine, checkpoints, watched)
        measures |= taught.measures | {"epoch": float(taught.epoch)}
        if not machine.processes.is_main_process:
            machine.processes.wait_for_everyone()
            return Card.model_validate_json((out / model_directory.CARD).read_bytes())
        building = work / "out"
        shutil.rmtree(building, ignore_errors=True)
        _write(plan, taught, start, building)
        if plan.encoder is not None or start.resolve().parent == out.resolve():
            shutil.copytree(start, building / _ENCODER)
        written = _card(plan, documents, building, taught, tokenizer.get_vocab_size(), measures)
        written.write(building)
        _, held_out = split(documents, plan.fine_tuning.held_out, plan.seed)
        written = written.model_copy(update={"measures": measures | served(building, held_out)})
        written.write(building)
        for page in out.glob("*.md"):  # the model card stays
            shutil.copy(page, building)
        put_in_place(building, out)
    except (OSError, SafetensorError) as error:
        why = error.strerror if isinstance(error, OSError) else "the weights cannot be written"
        raise InputRefused(
            f"{out.name}: {why}; the directory is as it was.",
            "Give room on the disk, then the same command: training resumes from its checkpoint.",
        ) from None
    shutil.rmtree(work, ignore_errors=True)
    machine.processes.wait_for_everyone()
    return written


def _start(
    plan: Plan, documents: Sequence[GoldDocument], work: Path, machine: Machine
) -> tuple[Path, dict[str, float]]:
    """Return the directory that fine-tuning starts from, and the measures of an own encoder, made once."""
    if plan.encoder is None:
        return start_directory(plan), {}
    if machine.processes.num_processes > 1:
        raise InputRefused(
            "an own encoder is trained in one process.",
            "Train it without a launcher, then start another plan from its directory `encoder`.",
        )
    folder, partial = work / _ENCODER, work / ".encoder"
    kept, training = work / "encoder.json", training_hash(plan, documents, None)
    if kept.is_file() and (known := json.loads(kept.read_text(encoding="utf-8")))["training"] == training:
        return folder, known["measures"]
    kept.unlink(missing_ok=True)
    for before in (folder, partial):
        shutil.rmtree(before, ignore_errors=True)
    seeded(plan.seed)
    learned, _ = split(documents, plan.fine_tuning.held_out, plan.seed)
    checkpoints = Checkpoints(work / ".masked-words", training, plan.checkpoint_minutes)
    measures = pretrain(plan, learned, partial, machine, checkpoints)
    partial.rename(folder)
    with replacing(kept) as written:
        written.write_text(json.dumps({"training": training, "measures": measures}), encoding="utf-8")
    return folder, measures


def training_hash(plan: Plan, documents: Sequence[GoldDocument], start: Path | None) -> str:
    """Return a hash of what decides a training: the plan, the documents in their order, the model to start from."""
    whole = hashlib.sha256(plan.model_dump_json(exclude={"checkpoint_minutes", "download", "start"}).encode())
    whole.update(corpus_hash(documents).encode())
    whole.update(repr([gold.document.id for gold in documents]).encode("utf-8", "surrogatepass"))
    for file in sorted(start.glob("*")) if start is not None else ():
        if file.suffix in (".safetensors", ".json"):
            whole.update(file_digest(file).encode())
    return whole.hexdigest()


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
    if taught.transitions is not None:
        weights = out / model_directory.WEIGHTS
        save_file(load_file(weights) | {TRANSITIONS: taught.transitions}, weights, {"format": "pt"})
    shutil.copyfile(start / model_directory.TOKENIZER, out / model_directory.TOKENIZER)
    for file in out.glob("*.safetensors"):
        file.chmod(0o644)  # the library writes owner-only files; workers run as another user


def _card(
    plan: Plan, documents: Sequence[GoldDocument], out: Path, taught: Taught, words: int, measures: dict[str, float]
) -> Card:
    return Card(
        labels=TAGS,
        vocabulary=words,
        tokenizer=file_digest(out / model_directory.TOKENIZER),
        corpus=corpus_hash(documents),
        seed=plan.seed,
        weights=file_digest(out / model_directory.WEIGHTS),
        temperature=taught.temperature,
        head=plan.fine_tuning.head,
        window=plan.fine_tuning.length,
        versions={name: version(name) for name in ("torch", "transformers", "tokenizers")},
        settings=_settings(plan),
        data=summarise(documents),
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
    """Return a SHA-256 over identifiers, texts and mentions, doubtful ones with their confidence, by identifier."""
    whole = hashlib.sha256()
    for gold in sorted(documents, key=lambda one: one.document.id):
        marks = [
            (one.start, one.end, str(one.label), *((one.score,) if one.score < 1 else ()))
            for one in sorted(gold.mentions)
        ]
        record = repr((gold.document.id, gold.document.text, marks))
        whole.update(hashlib.sha256(record.encode("utf-8", "surrogatepass")).digest())
    return whole.hexdigest()
