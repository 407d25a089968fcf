"""Annotator *gazetteer*: places and people of the tables, scored by case, context and rarity."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.annotators.gazetteer.people import find_directory_names, find_names
from deid.detection.annotators.gazetteer.places import find_listed_places, find_localities, find_unlisted_towns
from deid.detection.text.reading import Reading
from deid.domain.document import Mention


class Gazetteer:
    """Finds communes, countries, streets, establishments, first names and surnames, told from common words."""

    name = "gazetteer"

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Yield mentions from the place tables, then from the name tables."""
        yield from find_listed_places(reading)
        yield from find_unlisted_towns(reading)
        yield from find_names(reading)
        yield from find_directory_names(reading)
        yield from find_localities(reading)
