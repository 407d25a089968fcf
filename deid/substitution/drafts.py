"""What a generator hands back for a mention: the surrogate's text and how it came about; and masks."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.comparison import comparable


class Draft(NamedTuple):
    """A surrogate's text, the strategy that made it, and whether the mention was understood."""

    text: str
    strategy: str
    parsed: bool = True


Drafted = tuple[str, str, bool]  # a `Draft`, or what one holds, which is made without a call


class Room(Protocol):
    """A generator of surrogates for one document."""

    def write(self, mention: Mention, attempt: int) -> Drafted:
        """The surrogate of a mention; `attempt` above 0 asks for another one than before."""
        ...


def mask(label: Label, original: str) -> Draft:
    """The label in brackets, for what was not understood; different from the original, whatever that is."""
    return Draft(_tag(label, original), "mask", parsed=False)


def tag(label: Label, original: str) -> Draft:
    """The label in brackets, because the policy asks for it."""
    return Draft(_tag(label, original), "tag")


def _tag(label: Label, original: str) -> str:
    # What says its own label ("DATE :" left blank, a document that was tagged before) gets no letter at all.
    text = f"[{label}]"
    return "[…]" if comparable(text) == comparable(original) or text.casefold() in original.casefold() else text
