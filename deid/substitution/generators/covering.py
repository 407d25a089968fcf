"""`redact` and `null`: one text for every mention, blocks or none at all, so that not even the length is told."""

from __future__ import annotations

from deid.config.generators import NULL
from deid.domain.document import Mention
from deid.substitution.drafts import Draft

BLOCK = "█"


class Cover:
    """The same draft whatever it hides. Keeps the place of a mention and the lines that it goes over."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - a room is asked per mention
        """The draft."""
        return self._draft


def redacting(*, width: int) -> Cover:
    """`width` blocks for every mention."""
    return Cover(Draft(BLOCK * width, "redact"))


def erasing() -> Cover:
    """Nothing for every mention: what was around it now touches."""
    return Cover(Draft("", NULL))
