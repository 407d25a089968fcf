"""Generators that a policy may choose per label (Braghin et al. 2019), their options, and the choices refused.

The policy names a generator by the key `provider`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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

_BEGINS_A_NAME = "the beginning of a name still tells it to whoever knows the others"
_BEGINS_A_WORD = "the beginning of the word, or of the number, still tells it"
_NO_NUMBER = "it is no number"
_ANYWHERE = "what comes out may be somebody's home, or nowhere on earth"
_BY_TIMES = "it has a strategy of its own (times.strategy)"
_KEYED = "its check digits would no longer hold"
_SOMEBODYS = "what comes out may be somebody's; format_preserving keeps to ranges that nobody has"

# Generator → label → reason for the refusal.
REFUSALS: Mapping[str, Mapping[Label, str]] = {
    **{name: {} for name in _EVERYWHERE},
    "truncate": {
        **dict.fromkeys(NAMES | {Label.STREET, Label.CITY, Label.LOC, Label.ORG}, _BEGINS_A_NAME),
        Label.RELDATE: "it has a strategy of its own (dates.strategy)",
        Label.AGE: "it has a strategy of its own (ages.strategy)",
        **dict.fromkeys((Label.EMAIL, Label.URL), "what remains is a person's name or a hospital's domain"),
        **dict.fromkeys(IDENTIFIERS, "the beginning of a number leaves few people"),
        Label.NIR: "it begins with sex, year and month of birth",
        **dict.fromkeys(OPTIONAL, _BEGINS_A_WORD),
        Label.TIME: _BY_TIMES,
    },
    "shift": {
        **dict.fromkeys(NAMES | PLACES | {Label.ORG, Label.EMAIL, Label.URL}, _NO_NUMBER),
        Label.ZIP: "the next code is another town's",
        **dict.fromkeys(TEMPORAL, "it has a strategy of its own (dates.strategy), which the ledger counts"),
        Label.AGE: "it has a strategy of its own (ages.strategy), which agrees with the moved birth date",
        Label.PHONE: _SOMEBODYS,
        **dict.fromkeys((Label.NIR, Label.RPPS), _KEYED),
        **dict.fromkeys(OPTIONAL, _NO_NUMBER),
        Label.COORDINATES: _ANYWHERE,
        Label.TIME: _BY_TIMES,
    },
    KEEP: {
        **dict.fromkeys(TAGGED, "it points at a person; only optional labels may stay"),
        Label.TIME: _BY_TIMES,
    },
    GENERALISE: {
        **dict.fromkeys(TAGGED, "dates, ages and places have strategies of their own; the others have no wider class"),
        Label.TIME: _BY_TIMES,
    },
    "randomise": {
        **dict.fromkeys(TEMPORAL, "random digits are no date and no age"),
        **dict.fromkeys(CONTACT, _SOMEBODYS),
        Label.COORDINATES: _ANYWHERE,
        Label.TIME: "random digits are no time of day",
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
