"""Extensions: what another distribution adds by its entry points (Python Packaging User Guide, "Entry points").

    nocturne.commands     NAME → function (application, groups by name) that adds commands (`deid.cli`)
    nocturne.annotators   NAME → class, an annotator that a policy may name (`deid.detection.annotators.registry`)
    nocturne.generators   NAME → class, a generator that a policy may name (`deid.substitution.registry`)

`nocturne-lab` (lab/) is the one of this repository: training, annotation, evaluation. A night does without it.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from deid.domain.errors import SettingsError

COMMANDS, ANNOTATORS, GENERATORS = "nocturne.commands", "nocturne.annotators", "nocturne.generators"
LAB = "nocturne_lab"  # the package of nocturne-lab


def find_extensions(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name; nothing is imported."""
    return {one.name: one for one in entry_points(group=group)}


def is_of_lab(error: ModuleNotFoundError) -> bool:
    """Return whether what was not found is the laboratory's."""
    return (error.name or "").partition(".")[0] == LAB


def lab_missing() -> SettingsError:
    """Return the error of whoever asks for training, annotation or evaluation where nocturne-lab is not installed."""
    return SettingsError(
        "this is a part of nocturne-lab, which is not installed here.",
        "Install it, of the same version (`pip install ./lab` in a checkout), or use the image built with it "
        "(docs/operators.md, “The laboratory”).",
    )
