"""Extensions: what another distribution adds by its entry points (Python Packaging User Guide, "Entry points").

    nocturne.commands     NAME → function (application) that adds commands; a failing one is left out (`deid.cli`)
    nocturne.annotators   NAME → class, an annotator that a policy may name (`deid.detection.annotators.registry`)
    nocturne.generators   NAME → class, a generator that a policy may name (`deid.substitution.registry`)

`nocturne-lab` (lab/) is the one of this repository: training, annotation, evaluation. A night does without it.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

COMMANDS, ANNOTATORS, GENERATORS = "nocturne.commands", "nocturne.annotators", "nocturne.generators"


def find_extensions(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name; nothing is imported."""
    return {one.name: one for one in entry_points(group=group)}
