"""Generators that a policy may choose per label (Braghin et al. 2019), their options, and the choices refused.

The policy names a generator by the key `provider`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from deid.domain import read_entries
from deid.domain.labels import CONTACT, IDENTIFIERS, NAMES, OPTIONAL, PLACES, TAGGED, TEMPORAL, Label

# docs/privacy.md describes each generator. A hospital's own is a dotted path `package.module:Class`.
DEFAULT = "format_preserving"
NULL = "null"
MASK = "mask"
KEEP = "keep"
GENERALISE = "generalise"
_EVERYWHERE = (DEFAULT, "redact", "tag", "hash", NULL, MASK)
_SOME = ("truncate", "shift", "randomise", KEEP, GENERALISE)
GENERATORS = (*_EVERYWHERE, *_SOME)
UNLINKED = (MASK, "redact", NULL)  # what they write is the same for every value, so that no two values can be compared

# Generator → option → (default, least, most).
OPTIONS: Mapping[str, Mapping[str, tuple[int, int, int]]] = {
    **{name: {} for name in GENERATORS},
    "redact": {"width": (5, 1, 40)},
    "tag": {"digits": (6, 4, 12)},
    "hash": {"length": (12, 8, 32)},
}

LABEL_SETS: Mapping[str, Set[Label]] = {
    **{label: {label} for label in Label},
    **{"NAMES": NAMES, "PLACES": PLACES, "TEMPORAL": TEMPORAL, "IDENTIFIERS": IDENTIFIERS, "CONTACT": CONTACT},
    **{"TAGGED": frozenset(TAGGED), "OPTIONAL": OPTIONAL},
}
# Generator → label → reason for the refusal.
REFUSALS: Mapping[str, Mapping[Label, str]] = {
    **{name: {} for name in _EVERYWHERE},
    **{
        name: {label: why for labels, why in refused for one in labels.split() for label in LABEL_SETS[one]}
        for name, refused in read_entries("refusals").items()
    },
}


def check_choice(label: Label, provider: str, options: Mapping[str, Any]) -> None:
    """Check that a generator that ships may write this label's surrogates; an added one is checked at its import.

    Raises:
        ValueError: no generator has that name, it is refused for this label, or it has no such option.
    """
    if ":" in provider:
        return
    if provider not in GENERATORS:
        from deid.domain import extensions

        if provider in extensions.find_extensions(extensions.GENERATORS):
            return
        raise ValueError(f"{label}: no provider {provider}; known: {', '.join(GENERATORS)}, or package.module:Class")
    if why := REFUSALS[provider].get(label):
        raise ValueError(f"{label}: {provider} is refused: {why}")
    for name, value in options.items():
        if name not in OPTIONS[provider]:
            raise ValueError(f"{label}: {provider} has no option {name}")
        _, least, most = OPTIONS[provider][name]
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{label}: {provider}: {name} is a whole number from {least} to {most}")


def filled_options(provider: str, options: Mapping[str, Any]) -> dict[str, int]:
    """Return the options of a generator that ships, defaults filled in."""
    return {name: options.get(name, default) for name, (default, _, _) in OPTIONS[provider].items()}
