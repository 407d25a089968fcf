"""Annotator *context*: what titles, kinship, form fields, head words and layout announce."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.annotators.context import fields, geography, lists, organisations, people, roles, signatures
from deid.detection.reading import Reading
from deid.detection.registry import register
from deid.domain.document import Mention


@register
class Context:
    """Mentions that their surroundings give away; names get their role per document."""

    name = "context"

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Names with their roles, organisations, places."""
        names = [*people.find(reading), *fields.find(reading), *signatures.find(reading)]
        names += lists.extend(reading, names)
        yield from roles.settle(reading, names)
        yield from organisations.find(reading)
        yield from geography.find(reading)
