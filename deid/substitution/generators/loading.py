"""The providers that a policy names: those that ship, and a user's own by dotted path `package.module:Class`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

from deid.config import generators
from deid.config.policy import ProviderChoice, SubstitutionPolicy
from deid.domain.errors import PolicyError
from deid.domain.labels import Label
from deid.substitution.context import Dossier
from deid.substitution.drafts import Room
from deid.substitution.generators.covering import erasing, redacting
from deid.substitution.generators.hashing import Digest
from deid.substitution.generators.numbering import Numbering
from deid.substitution.generators.randomising import Randomness
from deid.substitution.generators.shifting import Shift
from deid.substitution.generators.truncating import Truncation

# Label → what makes its room for a document; a label that is absent keeps the product's own.
Providers = Mapping[Label, Callable[[Dossier], Room]]

_SHIPPED: Mapping[str, Callable[..., Room]] = {
    "tag": Numbering,
    "hash": Digest,
    "truncate": Truncation,
    "shift": Shift,
    "randomise": Randomness,
}
_COVERS: Mapping[str, Callable[..., Room]] = {"redact": redacting, generators.NULL: erasing}


def load(policy: SubstitutionPolicy) -> Providers:
    """What the policy's `labels` ask for.

    Raises:
        PolicyError: a dotted path cannot be imported, or has no `write`.
    """
    chosen = {label: choice for label, choice in policy.labels.items() if choice.provider != generators.DEFAULT}
    return {label: _maker(label, choice) for label, choice in chosen.items()}


def _maker(label: Label, choice: ProviderChoice) -> Callable[[Dossier], Room]:
    if choice.provider in _COVERS or choice.provider in _SHIPPED:
        options = generators.settled(choice.provider, choice.options)
        if choice.provider in _COVERS:
            cover = _COVERS[choice.provider](**options)
            return lambda _: cover
        return partial(_SHIPPED[choice.provider], **options)
    return _own(label, choice)


def _own(label: Label, choice: ProviderChoice) -> Callable[[Dossier], Room]:
    module, _, attribute = choice.provider.partition(":")
    where = f"substitution.labels.{label}: {choice.provider}"
    try:
        found: Callable[..., Any] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError):
        raise PolicyError(f"{where} cannot be imported.", "Check the path and that it is installed.") from None
    if not callable(found) or not hasattr(found, "write"):
        raise PolicyError(
            f"{where} is no class with a method write(mention, attempt).", "See deid.substitution.drafts.Room."
        )
    try:
        signature(found).bind(None, **choice.options)
    except TypeError:
        raise PolicyError(f"{where} does not take the options {sorted(choice.options)}.", "Remove them.") from None
    return partial(found, **choice.options)
