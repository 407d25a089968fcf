"""The rule annotators' mentions as evidence for the learned taggers, found once per reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from deid.config.policy import AnnotatorChoice
from deid.detection.reading import Reading
from deid.detection.registry import Annotator, build
from deid.domain.document import Mention

RULES = ("patterns", "gazetteer", "context")


@cache
def _annotators() -> Mapping[str, Annotator]:
    # Registered by then: whoever makes a reading table has imported the package of annotators.
    return {name: build(AnnotatorChoice(name=name)) for name in RULES}


def evidence(reading: Reading) -> Mapping[str, Sequence[Mention]]:
    """Mentions by rule annotator; kept on the reading, where the detector also looks."""
    for name, annotator in _annotators().items():
        if name not in reading.found:
            reading.found[name] = list(annotator.annotate(reading))
    return reading.found
