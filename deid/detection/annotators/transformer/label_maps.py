"""From the labels of a model, ours or another scheme's, to the tags of `deid.detection.taggers.tags`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid.detection.taggers.tags import INDEX, OUTSIDE, TAGS
from deid.domain.errors import PolicyError
from deid.domain.labels import SCHEMES, TAGGED, Label

# BIO, BIOES and BILOU; some write the place with an underscore.
_TAG = re.compile(r"([BIESLU])[-_](.+)")
_BEGINNINGS = frozenset("BSU")

# A class of another scheme that covers several labels becomes the widest. Spread over several, each share could be
# smaller than the share of O, and the mention be lost.
_WIDEST = (Label.PERSON, Label.LOC, Label.ID, Label.DATE, Label.URL, Label.AGE)
# hipaa's classes are letters: not names that a model would have.
_PUBLIC = ("nocturne", "coarse", "t22", "t23", "e24", "aphp")
# Finer than the schemes of deid.domain.labels: eds-pseudo's first names and birth dates. REF of Tchouka et al. 2023 is
# any reference related to a person, and none of its four labels is the widest.
_FINER = {"PRENOM": Label.PERSON, "DATE_NAISSANCE": Label.DATE, "REF": Label.ID}


def _known() -> dict[str, Label]:
    table: dict[str, Label] = dict(_FINER)
    for scheme in _PUBLIC:
        groups: dict[str, list[Label]] = {}
        for label, name in SCHEMES[scheme].items():
            if name is not None and label in TAGGED:
                groups.setdefault(name, []).append(label)
        for name, labels in groups.items():
            widest = [label for label in _WIDEST if label in labels]
            table.setdefault(name, (widest or labels)[0])
    return table | {str(label): label for label in TAGGED}


KNOWN: Mapping[str, Label] = _known()


@dataclass(frozen=True, slots=True)
class LabelMap:
    """The tags for a model's labels.

    `matrix`: (model labels, tags), one 1 per row; `bare`: positions in the scheme of labels that the model gives
    without saying where a mention begins; `labels`: those that the model can give at all.
    """

    matrix: NDArray[np.float32]
    bare: NDArray[np.int64]
    labels: frozenset[Label]


def label_map(model: str, id2label: Mapping[int, str], table: Mapping[str, str | None]) -> LabelMap:
    """Return the tags for a model's labels.

    Args:
        model: the model's name, for messages.
        id2label: the model's labels by their index, without holes.
        table: class of the model → name of one of our labels, or None for what is not to be masked (MISC); it
            comes before the known schemes.

    Raises:
        PolicyError: indexes with holes, no label for O, a class that neither table nor known schemes have, a
            target that is no label.
    """
    if sorted(id2label) != list(range(len(id2label))):
        raise PolicyError(f"model {model}: the indexes of id2label have holes.", "Mend config.json.")
    parted = [_parted(id2label[index]) for index in range(len(id2label))]
    targets = {name: _target(model, name, table) for place, name in parted if name != "O"}
    if all(name != "O" for _, name in parted):
        raise PolicyError(f"model {model} has no label O.", "It classifies no tokens; choose another.")
    unknown = sorted(name for name, target in targets.items() if target == "")
    if unknown:
        raise PolicyError(
            f"model {model} has labels that cannot be mapped: {', '.join(unknown)}.",
            "Name a label, or null for none, for each in the option `labels` of the annotator.",
        )
    with_beginning = {targets[name] for place, name in parted if place in _BEGINNINGS and name != "O"}
    matrix = np.zeros((len(parted), len(TAGS)), dtype=np.float32)
    for row, (place, name) in enumerate(parted):
        target = None if name == "O" else targets[name]
        column = OUTSIDE if not target else INDEX[f"{'B' if place in _BEGINNINGS else 'I'}-{target}"]
        matrix[row, column] = 1
    order = list(TAGGED)
    found = {Label(target) for target in targets.values() if target}
    bare = sorted(order.index(label) for label in found if label not in with_beginning)
    return LabelMap(matrix, np.asarray(bare, dtype=np.int64), frozenset(found))


def _parted(tag: str) -> tuple[str, str]:
    """`(place, class)` of a tag; a tag without a place is inside."""
    match = _TAG.fullmatch(tag)
    return (match[1], match[2]) if match else ("I", tag)


def _target(model: str, name: str, table: Mapping[str, str | None]) -> str | None:
    """Return the label for a class, None for none, empty if unknown."""
    if name not in table:
        return KNOWN.get(name, "")
    target = table[name]
    if target is not None and target not in TAGGED:
        raise PolicyError(f"model {model}: option labels: {name}: {target} is no label.", "See deid/domain/labels.py.")
    return target
