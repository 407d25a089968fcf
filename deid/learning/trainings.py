"""Training of a hospital's own detector, step by step: collect, train, register, evaluate, settle.

A training is a folder `trainings/NAME` of the exchange folder, which its owner alone can read: its corpus, its
checkpoints, its model until the registry has it. Steps take and return ids and counts, and can be repeated: training
goes on from its checkpoint.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from deid.config.settings import settings
from deid.domain.document import Document
from deid.domain.errors import InputRefused, PolicyError
from deid.domain.private import private_files
from deid.evaluation.comparison import judge
from deid.evaluation.corpus import GoldDocument, gold_record, load_corpus, read_corrected
from deid.learning import registry
from deid.learning.exchange.rounds import exchange_folder
from deid.learning.exchange.sampling import draw_random
from deid.learning.taggers import training
from deid.learning.taggers.training import KINDS
from deid.learning.transformer.plan import load_plan
from deid.nightly import runtime
from deid.warehouse.batches import read_staff
from deid.warehouse.identity import Translator
from deid.warehouse.models import find_model
from deid.warehouse.periods import list_period, open_period
from deid.warehouse.planning import Interval

TRAININGS, MODEL = "trainings", "model"
_CORPORA = {"training": "corpus.jsonl", "evaluation": "evaluation.jsonl"}
_ORDER = "training.json"
_DISTANT = "distant"  # the annotator of documents that nobody annotated
_BATCH = 100
_NAME = re.compile(r"[a-z0-9_-]{1,40}")
RECIPES = ("full", "small")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrainingOrder:
    """Order of a training.

    `corpora` and `evaluation` name annotated corpora below the exchange folder. `recipe` is one of `RECIPES`, or for a
    transformer the name of a plan (YAML) below the exchange folder. `period` is the start and end, in ISO form, of the
    ingestion times of documents to label by what the hospital knows (`deid.learning.distant`): `size` at most, drawn
    at random.
    """

    name: str
    kind: str
    corpora: tuple[str, ...]
    evaluation: tuple[str, ...]
    recipe: str = "full"
    seed: int = 2026
    period: tuple[str, ...] = ()
    size: int = 2000
    requested_by: str = ""
    reason: str = ""


def collect(order: TrainingOrder) -> dict[str, int]:
    """Read the corpora of a training, and keep what training and evaluation are to use.

    A document, or a patient, of the evaluation is left out of the training, so that nothing measured was learned.
    Returns documents and mentions (to train on), evaluation (documents) and left_out.

    Raises:
        InputRefused: no such kind or recipe; a corpus is not below the exchange folder or cannot be read; nothing is
            left to train on; or the training exists with another order.
        PolicyError: the policy has no annotator of that kind, which its model could serve.
    """
    folder = _folder(order.name)
    _check(order)
    held_out = _load(order.evaluation)
    if not held_out:
        raise InputRefused("no corpus to evaluate on was named.", "Name documents that people annotated.")
    known = {one.document.id for one in held_out} | {one.document.text for one in held_out}
    people = _people(held_out, order.corpora)
    given: list[Any] = _load(order.corpora)

    def learned(document: Document) -> bool:
        return not {document.id, document.text} & known and document.patient.key not in people

    kept = [one for one in given if learned(one.document)]
    with private_files():
        folder.mkdir(parents=True, exist_ok=True)
        _keep_order(folder, order)
        if order.period:
            documents = _of_period(order)
            labelled = _label([one for one in documents if learned(one)])
            given, kept = [*given, *documents], [*kept, *labelled]
        if not kept:
            raise InputRefused(
                "no document is left to train on.", "Train on other patients than those of the evaluation."
            )
        _write(folder / _CORPORA["training"], kept)
        _write(folder / _CORPORA["evaluation"], held_out)
    return {
        "documents": len(kept),
        "mentions": sum(len(one.mentions) for one in kept),
        "evaluation": len(held_out),
        "left_out": len(given) - len(kept),
    }


def train(name: str) -> dict[str, int]:
    """Train the model of a collected training; a second call goes on from the checkpoint of the first.

    Raises:
        InputRefused: nothing was collected, or the training cannot be done with these documents.
        PolicyError: the model to start from is absent.
    """
    folder, order = _collected(name)
    documents = list(read_corrected(folder / _CORPORA["training"]))
    log.info("training %s on %d documents", order.kind, len(documents))
    with private_files():
        if order.kind == "transformer":
            _train_transformer(order, documents, folder / MODEL)
        else:
            _train_tagger(order, documents, folder / MODEL)
    return {"documents": len(documents)}


def register(name: str) -> str:
    """Put the trained model into the registry as a candidate; return its hash.

    Raises:
        InputRefused: nothing was trained.
        PolicyError: its annotator cannot load it.
    """
    folder, order = _collected(name)
    directory = folder / MODEL if order.kind == "transformer" else folder / MODEL / order.kind
    if not directory.is_dir():
        raise InputRefused(f"training {name} has no model yet.", "Run its step train.")
    return registry.register(directory, order.requested_by or registry.RULE)


def evaluate(name: str, digest: str, *, automatic: bool) -> dict[str, Any]:
    """Compare a candidate with the model that serves, on the training's evaluation documents.

    If `automatic`, the policy's rule promotes or refuses it, or leaves it to a person; else a person decides. A model
    that serves already stays as it is. Returns hash, documents, state, metric of the policy, and the difference in it
    with its interval (value, low, high; None where there is nothing to count).

    Raises:
        InputRefused: nothing was collected.
        PolicyError: the policy has no annotator of that kind, or a model is missing or was altered.
    """
    folder, _ = _collected(name)
    rule = runtime.policy().promotion
    if find_model(digest).state in ("candidate", "refused"):
        comparison = registry.compare(digest, list(read_corrected(folder / _CORPORA["evaluation"])))
        judgement = registry.settle(comparison) if automatic else judge(comparison, rule)
        log.info("%s: %s", judgement.outcome, judgement.reason)
    model = find_model(digest)
    figures = {bound: model.metrics.get(f"difference.{rule.metric}.{bound}") for bound in ("value", "low", "high")}
    return {
        "hash": model.hash,
        "documents": model.metrics.get("documents"),
        "state": model.state,
        "metric": rule.metric,
        **figures,
    }


def is_settled(digest: str) -> bool:
    """Return whether a candidate was promoted or refused, by the rule or by a person."""
    return find_model(digest).state != "candidate"


def clear(name: str) -> None:
    """Remove the corpus, checkpoints and model of a training, which hold original text; the registry keeps its own."""
    shutil.rmtree(_folder(name), ignore_errors=True)


def _of_period(order: TrainingOrder) -> list[Document]:
    """Return documents of the order's period, without those of opted-out patients, drawn by its seed."""
    start, end = map(datetime.fromisoformat, order.period)
    listed = [one.document_id for one in list_period(Interval(start, end))]
    drawn = draw_random(listed, order.size, order.seed)
    documents: list[Document] = []
    for first in range(0, len(drawn), _BATCH):
        opened = open_period(drawn[first : first + _BATCH], settings().limits())
        documents += [one.document for one in opened]
    return documents


def _label(documents: Sequence[Document]) -> list[GoldDocument]:
    """Return documents with the mentions that the hospital's own knowledge gives, whose score is the confidence."""
    from deid.learning.distant.corpus import Labeller

    runtime.use_current_lookup()
    labeller = Labeller(runtime.policy().detection, read_staff(settings().source))
    labelled = []
    for number, document in enumerate(documents, start=1):
        labelled.append(GoldDocument(document, tuple(labeller.label(document)[0]), "", _DISTANT))
        if number % _BATCH == 0:
            log.info("%d of %d documents labelled", number, len(documents))
    return [one for one in labelled if one.document.text.strip()]


def _train_tagger(order: TrainingOrder, documents: Sequence[GoldDocument], out: Path) -> None:
    from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings

    recipe = {"full": training.FULL, "small": training.SMALL}[order.recipe]
    rows = None if order.recipe == "small" else load_embeddings(PACKAGED_EMBEDDINGS)
    training.train_tagger(order.kind, documents, replace(recipe, seed=order.seed), out, rows)


def _train_transformer(order: TrainingOrder, documents: Sequence[GoldDocument], out: Path) -> None:
    from deid.learning.transformer.training import train_transformer

    plan = load_plan(_below(order.recipe))
    train_transformer(plan.model_copy(update={"seed": order.seed}), documents, out)


def _folder(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise InputRefused("a training needs a usable name.", "Give small letters, digits, - and _.")
    return exchange_folder() / TRAININGS / name


def _collected(name: str) -> tuple[Path, TrainingOrder]:
    folder = _folder(name)
    told: dict[str, Any]
    try:
        told = json.loads((folder / _ORDER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputRefused(f"training {name} was not collected.", "Run its step collect.") from None
    order = TrainingOrder(**told)
    corpora, evaluation, period = (tuple(one) for one in (order.corpora, order.evaluation, order.period))
    return folder, replace(order, corpora=corpora, evaluation=evaluation, period=period)


def _keep_order(folder: Path, order: TrainingOrder) -> None:
    """Write the order; one of the same name with other settings is refused: its checkpoint would be another's."""
    if (folder / _ORDER).exists():
        _, before = _collected(order.name)
        if replace(before, requested_by="", reason="") != replace(order, requested_by="", reason=""):
            raise InputRefused(f"training {order.name} exists with other settings.", "Choose another name.")
    (folder / _ORDER).write_text(json.dumps(asdict(order)), encoding="utf-8")


def _check(order: TrainingOrder) -> None:
    """Refuse at once what would fail after hours of training."""
    if order.kind == "transformer":
        load_plan(_below(order.recipe))
    elif order.kind not in KINDS or order.recipe not in RECIPES:
        raise InputRefused(
            f"{order.kind[:20]}, {order.recipe[:20]}: no such kind or recipe.",
            f"Kinds: {', '.join(KINDS)}, transformer; recipes: {', '.join(RECIPES)}.",
        )
    policy = runtime.policy()
    if order.kind not in {one.name for one in policy.detection.annotators}:
        raise PolicyError(
            f"policy {policy.name} has no annotator {order.kind}: its model would serve nothing.",
            "Add it to detection.annotators, with `model: registry`.",
        )


def _people(held_out: Sequence[GoldDocument], corpora: Iterable[str]) -> set[str]:
    """Return the patients of an evaluation; under the ledger's ids too, which a Parquet corpus has."""
    people = {key for one in held_out if (key := one.document.patient.key)}
    if any(next(path.rglob("*.parquet"), None) for path in map(_below, corpora) if path.is_dir()):
        people |= set(Translator().to_ledger("patient", people).values())
    return people


def _load(names: Iterable[str]) -> list[GoldDocument]:
    return [one for name in names for path in _corpora(_below(name)) for one in load_corpus(path)]


def _corpora(path: Path) -> list[Path]:
    """Return the corpora of a path: itself, or the .jsonl of each annotator of a round."""
    found = sorted(path.glob("*.jsonl")) if path.is_dir() and not any(path.glob("*.txt")) else []
    return found or [path]


def _below(name: str) -> Path:
    """Return a path below the exchange folder, whatever links and `..` the name holds.

    Raises:
        InputRefused: it is elsewhere, or not there.
    """
    root = exchange_folder().resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root) or path == root or not path.exists():
        raise InputRefused(f"{name[:80]} is not in the exchange folder.", "Name a file or folder below it.")
    return path


def _write(path: Path, documents: Iterable[GoldDocument]) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(gold_record(one), ensure_ascii=False) + "\n" for one in documents)
