"""Directories of trained models: kind, hash, card, and the place of each in the registry's folder.

The registry keeps a model in `NOCTURNE_MODELS/<kind>/<hash>/`. The hash is over every file but the card: figures are
written to the card after training, and no annotator reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from deid.config.policy import AnnotatorChoice, Policy
from deid.config.settings import settings
from deid.domain.errors import InputRefused, PolicyError
from deid.domain.writing import file_digest

CARD = "README.md"
REGISTRY = "registry"  # value of an annotator's option `model` that asks for the model that serves
# Learned annotators of which no model ships. Not read from the disk: a damaged installation must not pass for one.
UNSHIPPED = frozenset({"flair", "encoder_bilstm_crf"})
ABSENT = "none"  # in a stamp, in the place of a hash


def directory_hash(directory: Path) -> str:
    """Return the SHA-256, in hexadecimal digits, over names and contents of every file but the card.

    Raises:
        InputRefused: there is no file, or something that is neither file nor folder: a link could change unseen.
    """
    files = []
    for path in sorted(directory.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise InputRefused(
                f"{directory.name} holds {path.name}, which is no plain file.", "Put the file itself there."
            )
        if path.is_file() and path != directory / CARD:
            stat = path.stat()
            files.append((str(path), path.relative_to(directory).as_posix(), stat.st_size, stat.st_mtime_ns))
    if not files:
        raise InputRefused(f"{directory.name} holds no model.", "Give the directory that training wrote.")
    return _hash(tuple(files))


@cache  # a night asks at each batch, and weights take a second per gigabyte
def _hash(files: tuple[tuple[str, str, int, int], ...]) -> str:
    whole = sha256()
    for path, name, _, _ in files:
        whole.update(f"{file_digest(Path(path))}  {name}\n".encode())
    return whole.hexdigest()


def place(kind: str, digest: str) -> Path:
    """Return the directory of a model of the registry."""
    return settings().registry / kind / digest


def intact(kind: str, digest: str) -> Path:
    """Return the directory of a model of the registry, whose files are those that were registered.

    Raises:
        PolicyError: it is missing or was altered.
    """
    path = place(kind, digest)
    remedy = f"Restore it from a backup, or run `python -m deid models rollback {kind}`."
    if not path.is_dir():
        raise PolicyError(f"model {kind}/{digest[:12]} is not in the folder of models (NOCTURNE_MODELS).", remedy)
    try:
        found = directory_hash(path)
    except (InputRefused, OSError):
        found = ""
    if found != digest:
        raise PolicyError(f"model {kind}/{digest[:12]} was altered after it was registered.", remedy)
    return path


def asked_kinds(policy: Policy) -> tuple[str, ...]:
    """Return the annotators of a policy that take the model of the registry, in order."""
    return tuple(one.name for one in policy.detection.annotators if one.options.get("model") == REGISTRY)


def absent_kinds(policy: Policy, models: Mapping[str, str]) -> tuple[str, ...]:
    """Return the annotators that ask the registry, which has no model that serves, and of which none ships either."""
    return tuple(kind for kind in asked_kinds(policy) if kind in UNSHIPPED and kind not in models)


def with_models(policy: Policy, models: Mapping[str, str]) -> Policy:
    """Return the policy with the directories of `models` (kind → hash) in the place of `model: registry`.

    A kind that is not in `models` has the model that ships; of `absent_kinds` the annotator is left out, as `stamps`
    says: a policy must name it before its first model can be compared, and nights go on meanwhile.

    Raises:
        PolicyError: a directory is missing or was altered, or no annotator is left.
    """
    if not asked_kinds(policy):
        return policy
    absent = absent_kinds(policy, models)
    chosen = tuple(_resolved(one, models) for one in policy.detection.annotators if one.name not in absent)
    if not chosen:
        raise PolicyError(
            f"policy {policy.name} has only annotators without a model: {', '.join(absent)}.",
            "Add others to detection.annotators, until a model of the registry serves.",
        )
    return policy.model_copy(update={"detection": policy.detection.model_copy(update={"annotators": chosen})})


def _resolved(choice: AnnotatorChoice, models: Mapping[str, str]) -> AnnotatorChoice:
    if choice.options.get("model") != REGISTRY:
        return choice
    options = {name: value for name, value in choice.options.items() if name != "model"}
    if choice.name in models:
        options["model"] = str(intact(choice.name, models[choice.name]))
    return choice.model_copy(update={"options": options})


def stamps(policy: Policy, models: Mapping[str, str]) -> tuple[str, ...]:
    """Return a name, such as `crf@1a2b3c4d5e6f`, of each model of the registry that a policy serves.

    `flair@none` stands for an annotator left out (`absent_kinds`).
    """
    serving = {kind: f"{kind}@{digest[:12]}" for kind, digest in models.items()}
    serving |= {kind: f"{kind}@{ABSENT}" for kind in absent_kinds(policy, models)}
    return tuple(serving[kind] for kind in asked_kinds(policy) if kind in serving)
