"""Training of a hospital's own detector, step by step: collect, train, register, evaluate, settle.

The stewards' pages show where each training stands (`nocturne_lab.learning.progress`).

A training is a folder `trainings/NAME` of the exchange folder, which its owner alone can read: its corpus, its
checkpoints, its model until the registry has it. Steps take and return ids and counts, and can be repeated: training
goes on from its checkpoint.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, EmbeddingRows, load_embeddings
from deid.domain.document import Document
from deid.domain.errors import InputRefused
from deid.ledger import audit
from deid.ledger.batches import read_staff
from deid.ledger.identity import Translator
from deid.ledger.models import find_model
from deid.ledger.planning import Interval
from deid.models import FOLDER
from deid.models.directories import directory_hash, place
from deid.nightly import runtime
from nocturne_lab.evaluation.comparison import judge
from nocturne_lab.evaluation.corpus import DISTANT, GoldDocument, gold_record, load_corpus, read_corrected
from nocturne_lab.hospital.model_facts import kind_of, learned_documents
from nocturne_lab.hospital.periods import list_period, open_period
from nocturne_lab.hospital.private import private_files
from nocturne_lab.learning import progress, registry
from nocturne_lab.learning.exchange.adjudication import ADJUDICATED, distinct_documents, distinct_readings
from nocturne_lab.learning.exchange.rounds import exchange_folder
from nocturne_lab.learning.exchange.sampling import draw_random
from nocturne_lab.learning.memorisation import record_canaries, with_canaries
from nocturne_lab.learning.taggers import training
from nocturne_lab.learning.training_orders import TrainingOrder, below_exchange, check_order, find_directory, plan_of
from nocturne_lab.learning.transformer.examples import split

TRAININGS, MODEL = "trainings", "model"
_CORPORA = {
    "training": "corpus.jsonl",
    "evaluation": "evaluation.jsonl",
    "remembered": "remembered.jsonl",
    "unlabelled": "unlabelled.jsonl",
}
_ORDER = "training.json"
_BATCH = 100
_NAME = re.compile(r"[a-z0-9_-]{1,40}")
log = logging.getLogger(__name__)
P = ParamSpec("P")
R = TypeVar("R")


def _followed(step: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show on the stewards' pages that a step, whose first argument is the order or the name, begins and ends."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def inside(*given: P.args, **named: P.kwargs) -> R:
            order = given[0]
            known = {"kind": order.kind, "model": ""} if isinstance(order, TrainingOrder) else {}
            name = order.name if isinstance(order, TrainingOrder) else str(order)
            _folder(name)
            with progress.followed(name, step, **known):
                return function(*given, **named)

        return inside

    return decorate


@_followed("collect")
def collect(order: TrainingOrder) -> dict[str, int]:
    """Read the corpora of a training, and keep what training and evaluation are to use; recorded in the audit trail.

    A document, or a patient, of the evaluation is left out of the training, so that nothing measured was learned. A
    document that several annotators or corpora have is taken once: as adjudicated, or as all of them marked it.
    Returns documents and mentions (to train on), evaluation, remembered and unlabelled (documents), left_out and
    repeated (further readings of documents taken once, in all).

    Raises:
        InputRefused: no such kind, recipe or model, or an option that this training would not read; a corpus is not
            below the exchange folder or cannot be read; annotators contradict each other and nobody decided; nothing is
            left to train on; or the training exists with another order.
        PolicyError: the policy has no annotator of that kind, which its model could serve; or a model was altered.
    """
    folder = _folder(order.name)
    check_order(order)
    held_out, twice = _load(order.evaluation)
    if not held_out:
        raise InputRefused("no corpus to evaluate on was named.", "Name documents that people annotated.")
    known = {one.document.id for one in held_out} | {one.document.text for one in held_out}
    people = _people(held_out, (*order.corpora, *order.remember))
    given, again = _load(order.corpora)
    earlier, thrice = _load(order.remember)
    count = len(given) + len(earlier)

    def learned(document: Document) -> bool:
        return not {document.id, document.text} & known and document.patient.key not in people

    kept = [one for one in given if learned(one.document)]
    corrected = {one.document.text for one in kept}
    remembered = [one for one in earlier if learned(one.document) and one.document.text not in corrected]
    unlabelled: list[GoldDocument] = []
    with private_files():
        folder.mkdir(parents=True, exist_ok=True)
        _keep_order(folder, order)
        if order.period:
            annotated = {key for one in given for key in (one.document.id, one.document.text)}
            documents = _of_period(order)
            unseen = [one for one in documents if learned(one) and not {one.id, one.text} & annotated]
            count += len(documents)
            if order.second or order.teacher:
                unlabelled = [GoldDocument(one, (), "") for one in unseen if one.text.strip()]
            else:
                kept = [*kept, *_label(unseen)]
        if not kept:
            raise InputRefused(
                "no document is left to train on.", "Train on other patients than those of the evaluation."
            )
        _write(folder / _CORPORA["training"], kept)
        _write(folder / _CORPORA["evaluation"], held_out)
        _write(folder / _CORPORA["remembered"], remembered)
        _write(folder / _CORPORA["unlabelled"], unlabelled)
    counts = {
        "documents": len(kept),
        "mentions": sum(len(one.mentions) for one in kept),
        "evaluation": len(held_out),
        "remembered": len(remembered),
        "unlabelled": len(unlabelled),
        "left_out": count - len(kept) - len(remembered) - len(unlabelled),
        "repeated": twice + again + thrice,
    }
    with open_cursor("worker", "nocturne training") as cursor:
        about = f"training {order.name}"
        audit.write(cursor, order.requested_by or "nocturne", audit.Action.EXPORT, about, reason=order.reason, **counts)
    return counts


@_followed("train")
def train(name: str) -> dict[str, int]:
    """Train the model of a collected training; a second call goes on from the checkpoint of the first.

    A CRF begins again. Returns documents; of self-training and distillation unlabelled too, and kept: 1 if the model
    with these documents was better and is kept, else 0.

    Raises:
        InputRefused: nothing was collected, or the training cannot be done with these documents.
        PolicyError: the model to start from is absent.
    """
    folder, order = _collected(name)
    documents = list(read_corrected(folder / _CORPORA["training"]))
    log.info("training %s on %d documents", order.kind, len(documents))
    fresh = order.kind != "transformer" and not order.continued  # what is continued knows the labels of its start
    if fresh and (absent := training.labels_without_example(documents)):
        log.warning("no example of %s: the model will not find it", ", ".join(absent))
    counts = {"documents": len(documents)}
    with private_files():
        if order.kind == "transformer":
            made = _train_transformer(order, documents, folder / MODEL)
        elif order.continued:
            made = _continue_network(order, documents, _documents(folder, "remembered"), folder / MODEL)
        elif order.second or order.teacher:
            unlabelled = [one.document for one in _documents(folder, "unlabelled")]
            made, kept = _train_unlabelled(order, documents, unlabelled, folder / MODEL)
            counts |= {"unlabelled": len(unlabelled), "kept": int(kept)}
        else:
            made = _train_tagger(order, documents, folder / MODEL)
        if order.canaries is not None:
            record_canaries(made, order.canaries)
    return counts


@_followed("register")
def register(name: str) -> str:
    """Put the trained model into the registry as a candidate, with the ids of what it learned; return its hash.

    If canaries were planted, what it memorised is measured now, since `clear` erases the documents.

    Raises:
        InputRefused: nothing was trained.
        PolicyError: its annotator cannot load it.
    """
    folder, order = _collected(name)
    directory = folder / MODEL if order.kind == "transformer" else folder / MODEL / order.kind
    if not directory.is_dir():
        raise InputRefused(f"training {name} has no model yet.", "Run its step train.")
    digest = registry.register(directory, order.requested_by or registry.RULE, learned=_learned(folder, order))
    if order.canaries is not None:
        read = [one for name in ("training", "remembered", "unlabelled") for one in _documents(folder, name)]
        registry.check(place(order.kind, digest), read)
    progress.note("trainings", name, model=digest)
    return digest


@_followed("evaluate")
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


def _learned(folder: Path, order: TrainingOrder) -> set[str]:
    """Return the ids of the documents that a trained model learned from, those of the model that it began as too."""
    from nocturne_lab.learning.self_training import HELD_OUT, RECORD

    held_out, further = 0.0, ["remembered"]
    starts = [find_directory(one) for one in (order.continued, order.start) if one]
    if order.kind == "transformer":
        plan = plan_of(order)
        held_out = plan.fine_tuning.held_out
        starts = [Path(plan.start)] if plan.start and Path(plan.start).is_dir() else []
    elif order.second or order.teacher:
        held_out = HELD_OUT
        if json.loads((folder / MODEL / RECORD).read_text(encoding="utf-8"))["kept"]:
            further.append("unlabelled")
    documents, _ = split(_documents(folder, "training"), held_out, order.seed)
    documents += [one for name in further for one in _documents(folder, name)]
    return {one.document.id for one in documents}.union(*map(_learned_before, starts))


def _learned_before(start: Path) -> frozenset[str]:
    """Return the ids of the documents that a model to start from learned from, as far as the registry knows."""
    if start.resolve().is_relative_to(FOLDER.resolve()):
        return frozenset()  # it ships, and learned from invented documents
    try:
        known = learned_documents(kind_of(start), directory_hash(start))
    except InputRefused:
        known = None
    if known is None:
        log.warning("it is not recorded which documents %s learned from", start.name)
    return known or frozenset()


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
    from nocturne_lab.learning.distant.corpus import Labeller
    from nocturne_lab.learning.distant.statistics import SplitCounts, as_tables

    runtime.use_current_lookup()
    labeller = Labeller(runtime.policy().detection, read_staff(settings().source))
    labelled, counts = [], SplitCounts()
    for number, document in enumerate(documents, start=1):
        if document.text.strip():
            mentions, rows = labeller.label(document)
            counts.add(mentions, rows)
            labelled.append(GoldDocument(document, mentions, "", DISTANT))
        if number % _BATCH == 0:
            log.info("%d of %d documents labelled", number, len(documents))
    log.info("documents labelled by what the hospital knows:\n%s", as_tables({"train": counts}))
    return labelled


def _recipe(order: TrainingOrder) -> tuple[training.Recipe, EmbeddingRows | None]:
    """Return the recipe of a tagger, and the subword embeddings that it starts from."""
    recipe = {"full": training.FULL, "small": training.SMALL}[order.recipe]
    rows = None if order.recipe == "small" else load_embeddings(PACKAGED_EMBEDDINGS)
    return replace(recipe, seed=order.seed).with_networks(bound=order.bound), rows


def _train_tagger(order: TrainingOrder, documents: Sequence[GoldDocument], out: Path) -> Path:
    recipe, rows = _recipe(order)
    return training.train_tagger(
        *(order.kind, with_canaries(documents, order.canaries), recipe, out, rows),
        open_corpora=[below_exchange(one) for one in order.open_corpora],
        texts=[below_exchange(one) for one in order.texts],
        encoder=find_directory(order.start) if order.start else training.PACKAGED_ENCODER,
    )


def _continue_network(
    order: TrainingOrder, documents: Sequence[GoldDocument], remembered: Sequence[GoldDocument], out: Path
) -> Path:
    from nocturne_lab.learning.taggers.continuation import REVIEWED, continue_network

    planted = with_canaries(documents, order.canaries)
    return continue_network(
        find_directory(order.continued), remembered, planted, out, replace(REVIEWED, seed=order.seed)
    )


def _train_unlabelled(
    order: TrainingOrder, documents: Sequence[GoldDocument], unlabelled: Sequence[Document], out: Path
) -> tuple[Path, bool]:
    """Return the better model, and whether it is the one that learned from the unlabelled documents."""
    from nocturne_lab.learning.self_training import HELD_OUT, distil, self_train

    recipe, rows = _recipe(order)
    planted = with_canaries(documents, order.canaries, HELD_OUT, order.seed)
    if order.second:
        decision = self_train(order.kind, planted, unlabelled, find_directory(order.second), recipe, out, rows)
    else:
        decision = distil(planted, unlabelled, find_directory(order.teacher), recipe, out, rows)
    log.info("%s", decision.reason)
    return out / order.kind, decision.kept


def _train_transformer(order: TrainingOrder, documents: Sequence[GoldDocument], out: Path) -> Path:
    from nocturne_lab.learning.transformer.training import train_transformer

    plan = plan_of(order)
    train_transformer(plan, with_canaries(documents, order.canaries, plan.fine_tuning.held_out, order.seed), out)
    return out


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
    listed: dict[str, Any] = {one: tuple(value) if isinstance(value, list) else value for one, value in told.items()}
    return folder, TrainingOrder(**listed)


def _keep_order(folder: Path, order: TrainingOrder) -> None:
    """Write the order; one of the same name with other settings is refused: its checkpoint would be another's."""
    if (folder / _ORDER).exists():
        _, before = _collected(order.name)
        if replace(before, requested_by="", reason="") != replace(order, requested_by="", reason=""):
            raise InputRefused(f"training {order.name} exists with other settings.", "Choose another name.")
    (folder / _ORDER).write_text(json.dumps(asdict(order)), encoding="utf-8")


def _people(held_out: Sequence[GoldDocument], corpora: Iterable[str]) -> set[str]:
    """Return the patients of an evaluation; under the ledger's ids too, which a Parquet corpus has."""
    people = {key for one in held_out if (key := one.document.patient.key)}
    if any(next(path.rglob("*.parquet"), None) for path in map(below_exchange, corpora) if path.is_dir()):
        people |= set(Translator().to_ledger("patient", people).values())
    return people


def _load(names: Iterable[str]) -> tuple[list[GoldDocument], int]:
    """Return each document of corpora once, and the number of further readings of them.

    Raises:
        InputRefused: a corpus cannot be read, or readings contradict each other.
    """
    read = [_read_round(name) for name in names]
    documents, repeated = distinct_documents(one for some, _ in read for one in some)
    return documents, repeated + sum(count for _, count in read)


def _read_round(name: str) -> tuple[list[GoldDocument], int]:
    """Return the documents of a corpus, or of a round's annotators, once each; and the number of further readings.

    What the adjudicator of a round left undecided is left out.

    Raises:
        InputRefused: annotators contradict each other, and no corpus of the round is adjudicated.
    """
    path = below_exchange(name)
    corpora = sorted(path.glob("*.jsonl")) if path.is_dir() and not any(path.glob("*.txt")) else []
    readings = [one for corpus in corpora or [path] for one in load_corpus(corpus)]
    found = distinct_readings(readings)
    undecided = len(found.contradictory)
    if undecided and not any(one.annotator == ADJUDICATED for one in readings):
        place = f"as {name[:80]}/{ADJUDICATED}.jsonl" if corpora else "in its place"
        shared = sum(count > 1 for count in Counter(one.document.id for one in readings).values())
        raise InputRefused(
            f"{name[:80]}: annotators share {shared} documents, and mark {undecided} of them differently.",
            f"Run `nocturne annotations adjudicate {name[:80]}{'/*.jsonl' if corpora else ''} --out FILE`, fill in the"
            f" decisions, and write the merged corpus (`--decisions FILE`) {place}.",
        )
    if undecided:
        log.warning("%s: %d documents that nobody decided are left out", name[:80], undecided)
    return found.documents, found.repeated


def _documents(folder: Path, name: str) -> list[GoldDocument]:
    """Return what `collect` kept under a name of `_CORPORA`."""
    path = folder / _CORPORA[name]
    return list(read_corrected(path)) if path.stat().st_size else []


def _write(path: Path, documents: Iterable[GoldDocument]) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(gold_record(one), ensure_ascii=False) + "\n" for one in documents)
