"""Registry of a hospital's own models: registered, compared with what serves, promoted by the policy or by a person.

The state of each model is in the ledger (`deid.warehouse.models`), its files are in `NOCTURNE_MODELS`
(`deid.models.directories`). What trains and compares connects as the worker, a person's decision as the steward.
"""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from deid.config.policy import AnnotatorChoice, Policy, load
from deid.config.settings import settings
from deid.detection import Detector
from deid.detection.registry import build
from deid.domain.errors import InputRefused, PolicyError
from deid.evaluation.comparison import Comparison, Judgement, Outcome, compare_found, judge
from deid.evaluation.corpus import GoldDocument
from deid.learning.memorisation import BOUND, Check, check_model, memorisation_section
from deid.learning.model_card import MODEL_CARD, evaluation_section, new_card, replace_section
from deid.models.directories import (
    REGISTRY,
    asked_kinds,
    directory_hash,
    intact,
    kind_of,
    place,
    read_training,
    with_models,
)
from deid.warehouse import models
from deid.warehouse.models import Model

RULE = "policy"  # the actor of decisions that nobody took


def register(directory: Path, by: str = RULE, licence: str = "other") -> str:
    """Copy a trained model into the registry as a candidate, and return its hash; a known one stays as it is.

    Args:
        directory: what training wrote.
        by: the account's name.
        licence: of a card that has yet to be written, as the hub names it; `other`: it stays in the hospital.

    Raises:
        InputRefused: it is no model.
        PolicyError: its annotator cannot load it: damaged, or trained for other labels or features.
        WarehouseUnreachable, WarehouseError: nothing was registered.
    """
    kind = kind_of(directory)
    build(AnnotatorChoice(name=kind, options={"model": str(directory)}))
    digest = directory_hash(directory)
    target = place(kind, digest)
    if not target.is_dir():
        _copy(directory, target, digest)
        if not (target / MODEL_CARD).is_file():
            (target / MODEL_CARD).write_text(new_card(kind, read_training(target), licence), encoding="utf-8")
    intact(kind, digest)
    models.insert_model(kind, digest, by)
    return digest


def compare(digest: str, documents: Sequence[GoldDocument], policy: Policy | None = None) -> Comparison:
    """Compare a model with the one that serves, in the whole detector of a policy, on the same documents.

    The figures go to the ledger and to the model's card. Nothing else changes.

    Args:
        digest: hash of the model, or its beginning.
        documents: the annotated documents, which neither model was trained on.
        policy: None is the one in force.

    Raises:
        InputRefused: no such model, or no document.
        PolicyError: the policy has no annotator of that kind; or a model is missing or was altered.
        WarehouseUnreachable, WarehouseError: the ledger could not be read or written.
    """
    chosen = load(settings().policy) if policy is None else policy
    model = models.find_model(digest)
    serving = models.serving_models(_asking(chosen, model.kind)).get(model.kind, models.SHIPPED)
    opened = [gold.document for gold in documents]
    others = {kind: one for kind, one in models.serving_models(chosen).items() if kind != model.kind}
    ours = Detector(_with_model(chosen, model.kind, model.hash, others)).detect(opened)
    theirs = Detector(_with_model(chosen, model.kind, serving, others)).detect(opened)
    result = compare_found(documents, ours, theirs, model.hash, serving)
    models.record_comparison(model.hash, serving, result.numbers())
    card = intact(model.kind, model.hash) / MODEL_CARD
    replace_section(card, "evaluation", evaluation_section(result))
    return result


def settle(comparison: Comparison, policy: Policy | None = None) -> Judgement:
    """Apply the policy's rule to a comparison: promote the model, refuse it, or leave it to a person.

    Raises:
        InputRefused: the model is no candidate any more, or another one serves than it was compared with.
        WarehouseUnreachable, WarehouseError: nothing was changed.
    """
    chosen = load(settings().policy) if policy is None else policy
    judgement = judge(comparison, chosen.promotion)
    reason = f"{chosen.name}: {judgement.reason}"[: models.MAX_REASON]
    if judgement.outcome is Outcome.PROMOTE:
        models.promote_model(comparison.hash, RULE, reason, "worker")
    if judgement.outcome is Outcome.REFUSE:
        models.refuse_model(comparison.hash, RULE, reason, "worker")
    return judgement


def promote(digest: str, by: str, reason: str) -> Model:
    """Make a model serve by a person's decision, from the next night on; see `deid.warehouse.models.promote_model`."""
    return models.promote_model(digest, by, reason)


def roll_back(kind: str, by: str, reason: str = "") -> str:
    """Put the former model of a kind back; return its hash, "" for the one that ships."""
    return models.roll_back_model(kind, by, reason)


def check(directory: Path, documents: Sequence[GoldDocument] | None, bound: float = BOUND) -> Check:
    """Measure what a model tells of its training corpus, and write it to the card (`deid.learning.memorisation`).

    Raises:
        InputRefused, PolicyError: see `deid.learning.memorisation.check_model`.
    """
    result = check_model(directory, documents, bound)
    replace_section(directory / MODEL_CARD, "memorisation", memorisation_section(result))
    return result


def export(
    directory: Path, archive: Path, documents: Sequence[GoldDocument] | None, by: str, bound: float = BOUND
) -> Check:
    """Check a registered model again, and write it to a tar.gz archive; recorded in the audit trail.

    Args:
        directory: the model: in the registry's folder, or the same files elsewhere.
        archive: file to write, which must not exist.
        documents: the training corpus.
        by: the account's name.
        bound: bits of mean exposure above which it may not leave.

    Raises:
        InputRefused: it is not registered, the archive exists or cannot be written, or the check forbids it to leave.
        PolicyError: it cannot be loaded.
        WarehouseUnreachable, WarehouseError: nothing was recorded, and nothing was written.
    """
    model = models.find_model(directory_hash(directory), "steward")
    if archive.exists():
        raise InputRefused(f"{archive.name} exists.", "Give another name.")
    result = check(directory, documents, bound)
    if result.obstacles:
        raise InputRefused(
            f"model {model.kind}/{model.hash[:12]} must not leave: {'; '.join(result.obstacles)}.",
            "See docs/training.md, “Registry”.",
        )
    partial = archive.with_name(f".{archive.name}.part")
    try:
        _pack(directory, partial, f"{model.kind}-{model.hash[:12]}")
        models.record_export(model, by, exposure=result.worst, bound=bound)
        partial.rename(archive)
    except OSError as error:
        raise InputRefused(f"{archive.name} cannot be written: {error.strerror}.", "Give a folder with room.") from None
    finally:
        partial.unlink(missing_ok=True)
    return result


def _pack(directory: Path, archive: Path, name: str) -> None:
    """Write the files of a model without dates, accounts or names of this machine."""

    def bare(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        return entry

    with tarfile.open(archive, "w:gz") as packed:
        for path in sorted(one for one in directory.rglob("*") if one.is_file()):
            packed.add(path, f"{name}/{path.relative_to(directory).as_posix()}", filter=bare)


def is_asked(kind: str) -> bool:
    """Return whether the policy in force takes this kind from the registry: else a promotion has no effect."""
    return kind in asked_kinds(load(settings().policy))


def _copy(directory: Path, target: Path, digest: str) -> None:
    """Copy a model so that it stands at its place whole, or not at all."""
    building = target.with_name(f".{digest}")
    shutil.rmtree(building, ignore_errors=True)
    try:
        shutil.copytree(directory, building)
        if directory_hash(building) != digest:
            raise InputRefused(f"{directory.name} changed while it was copied.", "Register it when training has ended.")
        building.rename(target)
    except OSError as error:
        raise InputRefused(
            f"{directory.name} cannot be copied to the folder of models: {error.strerror}.",
            "Make room, or give the folder of NOCTURNE_MODELS to the account that runs Nocturne.",
        ) from None
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _asking(policy: Policy, kind: str) -> Policy:
    """Return the policy with the registry asked for one kind.

    Raises:
        PolicyError: it has no annotator of that kind.
    """
    annotators = policy.detection.annotators
    if kind not in {one.name for one in annotators}:
        raise PolicyError(
            f"policy {policy.name} has no annotator {kind}: its model would serve nothing.",
            "Add it to detection.annotators, with `model: registry`.",
        )
    chosen = tuple(
        one.model_copy(update={"options": {**one.options, "model": REGISTRY}}) if one.name == kind else one
        for one in annotators
    )
    return policy.model_copy(update={"detection": policy.detection.model_copy(update={"annotators": chosen})})


def _with_model(policy: Policy, kind: str, digest: str, others: Mapping[str, str]) -> Policy:
    """Return the policy with a model of the registry, or the one that ships, for one kind; the others as they serve."""
    return with_models(_asking(policy, kind), {**others, kind: digest} if digest else others)
