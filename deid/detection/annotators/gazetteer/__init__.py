"""Annotator *gazetteer*: places and people that tables know, scored by case, context and rarity."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.annotators.gazetteer import localities, people, places
from deid.detection.reading import Reading
from deid.detection.registry import register
from deid.domain.document import Mention


@register
class Gazetteer:
    """Communes, countries, streets, establishments, first names and surnames, told from common words."""

    name = "gazetteer"

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Mentions from the place tables, then from the name tables."""
        yield from places.find(reading)
        yield from places.unlisted(reading)
        yield from people.find(reading)
        yield from people.listed(reading)
        yield from localities.find(reading)
