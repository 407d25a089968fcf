"""Annotators by name: the product's own, a distribution's by its entry point, a user's as `package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import AnnotatorChoice
from deid.detection.annotators import ClockTimes, Context, Gazetteer, Identity, Indirect, Patterns
from deid.detection.lookup.staff import Staff
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.errors import PolicyError
from deid.domain.extensions import ANNOTATORS, find_extensions
from deid.domain.unforeseen import kind_and_place
from deid.models.directories import REGISTRY


@runtime_checkable
class Annotator(Protocol):
    """Finds mentions in one document, independently of the other annotators.

    Mentions may overlap and come in any order; `score` is the annotator's own probability in [0, 1].
    """

    name: str

    def annotate(self, reading: Reading) -> Iterable[Mention]:
        """Return the mentions of one document."""
        ...


@runtime_checkable
class BatchAnnotator(Annotator, Protocol):
    """An annotator that is faster on many documents at once, such as one that runs on a GPU."""

    def annotate_batch(self, readings: Sequence[Reading]) -> Sequence[Iterable[Mention]]:
        """Return the mentions of each document, in the same order."""
        ...


@runtime_checkable
class Tagger(BatchAnnotator, Protocol):
    """A learned annotator that gives each token a distribution over `deid.detection.taggers.tags.TAGS`."""

    def distributions(self, readings: Sequence[Reading]) -> list[NDArray[np.float32]]:
        """Return per reading an array (tokens, tags) of finite probabilities; rows sum to one."""
        ...


@runtime_checkable
class StaffAware(Annotator, Protocol):
    """An annotator that uses the hospital's staff, which the detector gives it before the first document."""

    def use_staff(self, staff: Staff) -> None:
        """Use `staff` for every document from now on."""
        ...


_RULES: dict[str, Callable[..., Annotator]] = {
    rule.name: rule for rule in (Context, Gazetteer, Identity, Indirect, Patterns, ClockTimes)
}
# Imported when a policy names them: torch takes seconds, which the rules alone need not pay.
_LEARNED = {
    "crf": "deid.detection.annotators.linear_chains:Crf",
    "bilstm_crf": "deid.detection.annotators.linear_chains:BilstmCrf",
    "flair": "deid.detection.annotators.linear_chains:Flair",
    "encoder_bilstm_crf": "deid.detection.annotators.linear_chains:EncoderBilstmCrf",
    "transformer": "deid.detection.annotators.transformer:Transformer",
}


def learned_names() -> tuple[str, ...]:
    """Return the names of the learned annotators, which load a model."""
    return tuple(_LEARNED)


def names() -> tuple[str, ...]:
    """Return the names of the annotators that ship: rules, then learned ones."""
    return (*_RULES, *_LEARNED)


def build(choice: AnnotatorChoice) -> Annotator:
    """Make the annotator that a policy names.

    Raises:
        PolicyError: the annotator does not exist, does not take these options, or has no `annotate`.
    """
    if choice.options.get("model") == REGISTRY:
        raise PolicyError(
            f"detection.annotators: {choice.name} asks the registry for its model, which only a database answers.",
            "Set NOCTURNE_WORKER_DSN, or name a directory in the option `model`.",
        )
    make = _RULES.get(choice.name) or _imported(_LEARNED.get(choice.name, choice.name))
    try:
        annotator: Any = make(**choice.options)
    except TypeError:
        raise PolicyError(
            f"detection.annotators: {choice.name} does not take the options {sorted(choice.options)}.",
            "Remove or rename them.",
        ) from None
    if not hasattr(annotator, "name"):
        annotator.name = choice.name
    if not isinstance(annotator, Annotator):
        raise PolicyError(
            f"detection.annotators: {choice.name} has no method annotate(reading).", "See deid.detection."
        )
    return annotator


def _imported(path: str) -> Callable[..., Any]:
    extension = find_extensions(ANNOTATORS).get(path)
    module, _, attribute = (extension.value if extension else path).partition(":")
    if not attribute:
        known = ", ".join(names())
        raise PolicyError(f"detection.annotators: no annotator {path}.", f"Known: {known}; or package.module:Class.")
    try:
        found: Callable[..., Any] = getattr(import_module(module), attribute)
    except Exception as error:
        what = kind_and_place(error)
        raise PolicyError(
            f"detection.annotators: {path} cannot be imported: {what}.",
            "Check the path, and that the package is installed and whole.",
        ) from None
    return found
