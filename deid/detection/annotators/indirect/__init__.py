"""Annotator *indirect*: what singles a person out without naming them, where a policy asks for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from deid.detection.annotators.indirect.coordinates import find_coordinates
from deid.detection.annotators.indirect.family import find_family
from deid.detection.annotators.indirect.origins import find_ethnicities, find_nationalities, find_religions
from deid.detection.annotators.indirect.professions import find_professions
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import PolicyError
from deid.domain.labels import Label

FINDERS: Mapping[Label, Callable[[Reading], Iterator[Mention]]] = {
    Label.PROFESSION: find_professions,
    Label.NATIONALITY: find_nationalities,
    Label.FAMILY: find_family,
    Label.RELIGION: find_religions,
    Label.ETHNICITY: find_ethnicities,
    Label.COORDINATES: find_coordinates,
}


def count_between(text: str, spans: Sequence[tuple[int, int]]) -> Mapping[Label, int]:
    """Count the mentions of a text that share no character with the spans `[start, end)`, by label."""
    found = Indirect().annotate(Reading(Document("", text)))
    kept = (one for one in found if not any(start < one.end and one.start < end for start, end in spans))
    return Counter(one.label for one in kept)


class Indirect:
    """Finds occupations, nationalities, family situations, religions, origins and coordinates by words and context.

    Args:
        labels: names of those to look for; None is all of `FINDERS`.

    Raises:
        PolicyError: a name is none of `FINDERS`.
    """

    name = "indirect"
    version = "indirect-1"

    def __init__(self, labels: Sequence[str] | None = None) -> None:
        wanted = list(FINDERS) if labels is None else labels
        if unknown := [str(label) for label in wanted if label not in FINDERS]:
            raise PolicyError(
                f"detection.annotators: indirect gives no {', '.join(unknown)}.", f"It gives {', '.join(FINDERS)}."
            )
        self._finders = [FINDERS[Label(label)] for label in wanted]

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Yield the mentions of a document."""
        for find in self._finders:
            yield from find(reading)
