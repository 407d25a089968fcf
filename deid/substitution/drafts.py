"""Result of a generator for one mention, the protocol of generators, and masks."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import comparable


class Draft(NamedTuple):
    """A surrogate's text, the strategy that wrote it, and whether the mention could be read."""

    text: str
    strategy: str
    parsed: bool = True


class Generator(Protocol):
    """Writes the surrogates of one document's mentions of some labels."""

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the surrogate of a mention; `attempt` above 0 asks for another one than before."""
        ...


def mask(label: Label, original: str) -> Draft:
    """Return the label in brackets, for a mention that could not be read; different from the original."""
    return Draft(_label_in_brackets(label, original), "mask", parsed=False)


def tag(label: Label, original: str) -> Draft:
    """Return the label in brackets, because the policy asks for it; different from the original."""
    return Draft(_label_in_brackets(label, original), "tag")


def _label_in_brackets(label: Label, original: str) -> str:
    # A mention that says its own label ("DATE :" left blank, a document that was tagged before) gets no letter at all.
    text = f"[{label}]"
    return "[…]" if comparable(text) == comparable(original) or text.casefold() in original.casefold() else text
