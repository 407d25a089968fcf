"""Orders of trainings: what to train on what, the models that it starts from, and what is refused before it begins."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deid.detection.annotators.registry import learned_names
from deid.domain.errors import InputRefused, PolicyError
from deid.ledger.models import find_model
from deid.models import FOLDER
from deid.models.directories import intact
from deid.nightly import runtime
from nocturne_lab.learning.exchange.rounds import exchange_folder
from nocturne_lab.learning.taggers.pretraining import open_corpus
from nocturne_lab.learning.taggers.training import KINDS
from nocturne_lab.learning.transformer.plan import CONFIGS, Plan, load_plan

_HASH = re.compile(r"[0-9a-f]{8,64}")
RECIPES = ("full", "small")
# Options of an order that only some trainings read, and what they are when they ask for nothing.
_NOTHING = {
    "recipe": "full", "bound": 0, "start": "", "open_corpora": (), "texts": (), "continued": "", "remember": (),
    "second": "", "teacher": "",
}  # fmt: skip
_NETWORK = frozenset({"recipe", "bound", "open_corpora"})
_READ: Mapping[str, frozenset[str]] = {
    "crf": frozenset({"recipe"}),
    "bilstm_crf": _NETWORK,
    "flair": _NETWORK | {"texts"},
    "encoder_bilstm_crf": _NETWORK | {"start"},
    "transformer": frozenset({"recipe", "start"}),
}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrainingOrder:
    """Order of a training.

    `corpora` and `evaluation` name annotated corpora below the exchange folder. `recipe` is one of `RECIPES`, or for a
    transformer a plan (`plan_of`). `period` is the start and end, in ISO form, of the
    ingestion times of documents to label by what the hospital knows (`nocturne_lab.learning.distant`): `size` at most,
    drawn at random. `bound`, in [0, 1], bounds the loss of a network's labels that may be wrong; 0 does not.
    `canaries` is the seed of the canaries that are planted in what is learned, without which the model can
    never leave the hospital (`nocturne_lab.learning.memorisation`); None plants none.

    `open_corpora` and `texts` are files below the exchange folder that networks and the character models of flair read
    first. A model is named by the beginning of its hash in the registry, as a directory below the exchange folder, or
    by its kind, which is the one that ships: `start`, the encoder of encoder_bilstm_crf or transformer; `continued`,
    the BiLSTM-CRF to adapt in the place of a new one, with the corpora to `remember`; `second`, the model whose
    agreement labels the documents of the period (`nocturne_lab.learning.self_training`); `teacher`, whose probabilities
    of them are learned.
    """

    name: str
    kind: str
    corpora: tuple[str, ...]
    evaluation: tuple[str, ...]
    recipe: str = "full"
    seed: int = 2026
    bound: float = 0.0
    canaries: int | None = None
    period: tuple[str, ...] = ()
    size: int = 2000
    start: str = ""
    open_corpora: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    continued: str = ""
    remember: tuple[str, ...] = ()
    second: str = ""
    teacher: str = ""
    requested_by: str = ""
    reason: str = ""


def check_order(order: TrainingOrder) -> None:
    """Refuse at once what would fail after hours of training.

    Raises:
        InputRefused: no such kind, recipe, model or file, or an option that this training would not read.
        PolicyError: the policy has no annotator of that kind; or a model is missing or was altered.
    """
    if order.kind == "transformer":
        plan_of(order)
    elif order.kind not in KINDS or order.recipe not in RECIPES:
        raise InputRefused(
            f"{order.kind[:20]}, {order.recipe[:20]}: no such kind or recipe.",
            f"Kinds: {', '.join(KINDS)}, transformer; recipes: {', '.join(RECIPES)}.",
        )
    if not 0 <= order.bound <= 1:
        raise InputRefused(f"{order.bound:g} is no bound.", "Give a number from 0 to 1.")
    _refuse_unread(order)
    for name in (order.start, order.continued, order.second, order.teacher):
        if name:
            find_directory(name)
    for corpus in map(open_corpus, map(below_exchange, order.open_corpora)):
        log.info("%s: %s", corpus.file, corpus.licence)
    for name in order.texts:
        below_exchange(name)
    policy = runtime.policy()
    if order.kind not in {one.name for one in policy.detection.annotators}:
        raise PolicyError(
            f"policy {policy.name} has no annotator {order.kind}: its model would serve nothing.",
            "Add it to detection.annotators, with `model: registry`.",
        )


def _refuse_unread(order: TrainingOrder) -> None:
    """Refuse options that this training would not read, as the command line does."""
    further = bool(order.second or order.teacher)
    if order.continued:
        read = {"continued", "remember"} if order.kind == "bilstm_crf" else set()
    elif further:
        read = {"crf": {"recipe", "second"}, "bilstm_crf": {"recipe", "bound", "second", "teacher"}}.get(
            order.kind, set()
        )
    else:
        read = set(_READ[order.kind])
    unread = [name for name, nothing in _NOTHING.items() if getattr(order, name) != nothing and name not in read]
    if unread:
        raise InputRefused(
            f"without effect on this training of {order.kind}: {', '.join(unread)}.", "See docs/training.md."
        )
    if order.second and order.teacher:
        raise InputRefused("a second model and a teacher were named.", "Name one of them.")
    if further and not order.period:
        raise InputRefused("no period was given, whose documents would be read.", "Give its start and end.")


def plan_of(order: TrainingOrder) -> Plan:
    """Return the plan of a transformer's training, with the seed and the start of its order.

    `recipe` names a plan that ships, without a suffix, or a file (YAML) below the exchange folder.

    Raises:
        InputRefused: there is none, or it is not valid; or there is no such start.
        PolicyError: the model to start from was altered.
    """
    ships = order.recipe in {path.stem for path in CONFIGS.iterdir()}
    plan = load_plan(CONFIGS / f"{order.recipe}.yaml" if ships else below_exchange(order.recipe))
    plan = plan.model_copy(update={"seed": order.seed})
    return plan.started_from(find_directory(order.start)) if order.start else plan


def find_directory(name: str) -> Path:
    """Return the directory of a model that an order names.

    Raises:
        InputRefused: there is none.
        PolicyError: it is missing from the registry's folder, or was altered.
    """
    if name in learned_names() and (FOLDER / name).is_dir():
        return FOLDER / name
    if _HASH.fullmatch(name):
        found = find_model(name)
        return intact(found.kind, found.hash)
    return below_exchange(name)


def below_exchange(name: str) -> Path:
    """Return a path below the exchange folder, whatever links and `..` the name holds.

    Raises:
        InputRefused: it is elsewhere, or not there.
    """
    root = exchange_folder().resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root) or path == root or not path.exists():
        raise InputRefused(f"{name[:80]} is not in the exchange folder.", "Name a file or folder below it.")
    return path
