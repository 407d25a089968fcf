"""Annotator *context*: mentions announced by titles, kinship, form fields, head words and layout."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.annotators.context.fields import find_fields, find_signatures
from deid.detection.annotators.context.organisations import find_geography, find_organisations
from deid.detection.annotators.context.people import extend_lists, find_announced_names, settle_roles
from deid.detection.text.reading import Reading
from deid.domain.document import Mention


class Context:
    """Finds mentions that the words around them announce; the role of a name is decided once per document."""

    name = "context"

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Yield names with their roles, then organisations, then places."""
        names = [*find_announced_names(reading), *find_fields(reading), *find_signatures(reading)]
        names += extend_lists(reading, names)
        yield from settle_roles(reading, names)
        yield from find_organisations(reading)
        yield from find_geography(reading)
