"""Registry of a hospital's own models: registered, compared with what serves, promoted by the policy or by a person.

The state of each model is in the ledger (`deid.ledger.models`), its files are in `NOCTURNE_MODELS`
(`deid.models.directories`). What trains and compares connects as the worker, a person's decision as the steward.
"""

from __future__ import annotations

import logging
import shutil
import tarfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deid.config.policy import AnnotatorChoice, Policy, load
from deid.config.settings import settings
from deid.detection import Detector
from deid.detection.annotators.registry import build
from deid.domain.errors import InputRefused, PolicyError
from deid.ledger import models
from deid.models.directories import REGISTRY, UNSHIPPED, directory_hash, intact, place, with_models
from nocturne_lab.evaluation.comparison import Comparison, Judgement, Outcome, compare_found, judge
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.hospital.model_facts import beside, kind_of, learned_documents, read_training, record_learned
from nocturne_lab.learning.memorisation import (
    BOUND,
    Check,
    check_model,
    memorisation_section,
    planted_seed,
    record_check,
    recorded_check,
    with_canaries,
)
from nocturne_lab.learning.model_card import (
    MODEL_CARD,
    STAYS,
    evaluation_section,
    licence_of,
    new_card,
    replace_section,
    write_licence,
)
from nocturne_lab.learning.open_corpora import check_licence

RULE = "policy"  # the actor of decisions that nobody took
_NAMED = 5  # documents that the log names

log = logging.getLogger(__name__)


def register(directory: Path, by: str = RULE, licence: str = STAYS, learned: Collection[str] | None = None) -> str:
    """Copy a trained model into the registry as a candidate, and return its hash; a known one stays as it is.

    Args:
        directory: what training wrote.
        by: the account's name.
        licence: of a card that has yet to be written, as the hub names it; `STAYS`: it stays in the hospital.
        learned: the ledger's ids of the documents that it learned from, for the attack of membership; None is unknown.

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
    if learned is not None:
        record_learned(kind, digest, learned)
    models.insert_model(kind, digest, by)
    return digest


def compare(digest: str, documents: Sequence[GoldDocument], policy: Policy | None = None) -> Comparison:
    """Compare a model with the one that serves, in the whole detector of a policy, on the same documents.

    The first model of a kind that does not ship is compared with the detector without that annotator. Documents that
    the registry knows one of both to have learned from are left out and named in the log. The figures go to the ledger
    and to the model's card. Nothing else changes.

    Args:
        digest: hash of the model, or its beginning.
        documents: the annotated documents, which neither model was trained on.
        policy: None is the one in force.

    Raises:
        InputRefused: no such model, no document, or none that neither learned from.
        PolicyError: the policy has no annotator of that kind; or a model is missing or was altered.
        WarehouseUnreachable, WarehouseError: the ledger could not be read or written.
    """
    chosen = load(settings().policy) if policy is None else policy
    model = models.find_model(digest)
    serving = models.serving_models(_asking(chosen, model.kind)).get(model.kind, models.SHIPPED)
    documents = _unlearned(documents, model.kind, (model.hash, serving))
    opened = [gold.document for gold in documents]
    others = {kind: one for kind, one in models.serving_models(chosen).items() if kind != model.kind}
    ours = Detector(_with_model(chosen, model.kind, model.hash, others)).detect(opened)
    theirs = Detector(_with_model(chosen, model.kind, serving, others)).detect(opened)
    result = compare_found(documents, ours, theirs, model.hash, serving)
    result = replace(result, first=not serving and model.kind in UNSHIPPED)
    models.record_comparison(model.hash, serving, result.numbers())
    card = intact(model.kind, model.hash) / MODEL_CARD
    replace_section(card, "evaluation", evaluation_section(result))
    return result


def _unlearned(documents: Sequence[GoldDocument], kind: str, digests: Collection[str]) -> Sequence[GoldDocument]:
    """Return the documents that no model of these hashes is known to have learned from.

    Raises:
        InputRefused: there is none.
    """
    learned = frozenset[str]().union(*(learned_documents(kind, one) or () for one in digests if one))
    if known := [one.document.id for one in documents if one.document.id in learned]:
        some = f"{', '.join(known[:_NAMED])}{'…' if len(known) > _NAMED else ''}"
        log.warning("%d documents that one of both models learned from are not compared on: %s", len(known), some)
    if known and len(known) == len(documents):
        raise InputRefused(
            "the model, or the one that serves, learned from every document given.",
            "Give others that people annotated.",
        )
    return [one for one in documents if one.document.id not in learned]


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


def check(directory: Path, documents: Sequence[GoldDocument] | None, bound: float = BOUND) -> Check:
    """Measure what a model memorised of its corpus (`nocturne_lab.learning.memorisation`), and write it to the card.

    A result in the registry's folder from all documents that a model learned from is kept beside the model. It is
    returned where no documents are given: a training's are erased at its end.

    Raises:
        InputRefused, PolicyError: see `nocturne_lab.learning.memorisation.check_model`.
    """
    kind, digest = kind_of(directory), directory_hash(directory)
    kept = beside(kind, digest, "check")
    known = recorded_check(kept, bound) if documents is None else None
    result = known or check_model(directory, documents, bound)
    registered = directory.resolve() == place(kind, digest).resolve()
    if documents is not None and registered and _is_whole(directory, documents):
        record_check(kept, result)
    replace_section(directory / MODEL_CARD, "memorisation", memorisation_section(result))
    return result


def _is_whole(directory: Path, documents: Sequence[GoldDocument]) -> bool:
    """Return whether documents are all that a model learned from.

    They hold those whose ids the registry keeps, and are as many as training recorded. Without ids, their hash with the
    canaries is the one that the training of a tagger recorded.
    """
    from nocturne_lab.learning.taggers.training import corpus_fingerprint  # torch takes seconds to load

    told = read_training(directory)
    told = told.get("training", told)
    learned = learned_documents(kind_of(directory), directory_hash(directory))
    if learned is None:
        planted = with_canaries(documents, planted_seed(directory))
        return "continued" not in told and told.get("corpus") == corpus_fingerprint(planted)
    latest = told.get("continued", told)
    number = latest.get("documents", latest.get("data", {}).get("documents", 0))
    given = {(one.document.id, one.document.text) for one in documents}
    return len(given) >= number and learned <= {one for one, _ in given}


def export(
    directory: Path,
    archive: Path,
    documents: Sequence[GoldDocument] | None,
    by: str,
    bound: float = BOUND,
    licence: str | None = None,
) -> Check:
    """Check a registered model again, and write it to a tar.gz archive; recorded in the audit trail.

    Args:
        directory: the model: in the registry's folder, or the same files elsewhere.
        archive: file to write, which must not exist.
        documents: the training corpus; None takes what a check with it found and the registry kept.
        by: the account's name.
        bound: bits of mean exposure above which it may not leave.
        licence: to write into its card, as the hub names it; None leaves the card's.

    Raises:
        InputRefused: it is not registered, the archive exists or cannot be written, its licence contradicts that of an
            open corpus that it learned from, documents that it learned from are not given, or the check forbids it to
            leave.
        PolicyError: it cannot be loaded.
        WarehouseUnreachable, WarehouseError: nothing was recorded, and nothing was written.
    """
    model = models.find_model(directory_hash(directory), "steward")
    if archive.exists():
        raise InputRefused(f"{archive.name} exists.", "Give another name.")
    told = read_training(directory)
    card = directory / MODEL_CARD
    check_licence(told.get("training", told).get("open_corpora", {}), licence or licence_of(card))
    if documents is not None and not _is_whole(directory, documents):
        raise InputRefused(
            f"the corpus given is not all that model {model.kind}/{model.hash[:12]} learned from.",
            "Give every --corpus as `train` read them, or tell the registry: `models register FOLDER --corpus …`.",
        )
    result = check(directory, documents, bound)
    if result.obstacles:
        raise InputRefused(
            f"model {model.kind}/{model.hash[:12]} must not leave: {'; '.join(result.obstacles)}.",
            "See docs/training.md, “Registry”.",
        )
    if licence is not None:
        write_licence(card, licence)
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


def _copy(directory: Path, target: Path, digest: str) -> None:
    """Copy a model to its place whole, or not at all."""
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
