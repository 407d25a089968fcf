"""Labelling functions: the parts of the rules of detection, each voting by itself on the tokens of a document.

None of them is learned: the taggers that ship were trained on annotated documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deid.detection.annotators.context.fields import find_fields, find_signatures
from deid.detection.annotators.context.organisations import find_geography, find_organisations
from deid.detection.annotators.context.people import extend_lists, find_announced_names, settle_roles
from deid.detection.annotators.gazetteer.people import find_directory_names, find_names
from deid.detection.annotators.gazetteer.places import find_listed_places, find_localities, find_unlisted_towns
from deid.detection.annotators.identity import find_patient, find_staff
from deid.detection.annotators.patterns import FAMILIES
from deid.detection.lookup.known_names import NOT_NAMES
from deid.detection.lookup.lexicon import lexicon
from deid.detection.lookup.staff import NO_STAFF, Staff
from deid.detection.merging.votes import explained
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import TAGGED, Label
from deid.french.folding import key

LABELS: tuple[Label | None, ...] = (None, *TAGGED)  # of a token; None is outside
# Votes on a token: none, outside, then a faint (score below 0.5) and a firm one of each label.
ABSTAINS, OUTSIDE = 0, 1
SYMBOLS = 2 * len(LABELS)
_FIRM = 0.5

Find = Callable[[Reading], Iterable[Mention]]


@dataclass(frozen=True, slots=True)
class LabellingFunction:
    """A named rule; `annotator` is the annotator of detection to which it belongs."""

    name: str
    annotator: str
    find: Find


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes on one document.

    `mentions` has those of each function. `symbols` and `strengths`, shape (tokens, functions), have what each says of
    a token (`ABSTAINS`, `OUTSIDE` or a label's symbol) and its score in [0, 1]; `opens` is True where a mention of it
    begins.
    """

    reading: Reading
    mentions: tuple[tuple[Mention, ...], ...]
    symbols: NDArray[np.int16]
    strengths: NDArray[np.float32]
    opens: NDArray[np.bool_]


def label_symbol(label: Label, score: float) -> int:
    """Return the symbol of a vote for a label."""
    return 2 * LABELS.index(label) + (score >= _FIRM)


def labelling_functions(staff: Staff = NO_STAFF) -> tuple[LabellingFunction, ...]:
    """Return every labelling function; two of them know `staff`, the hospital's."""
    made: dict[str, dict[str, Find]] = {
        "identity": {
            "patient": find_patient,
            "staff": partial(find_staff, staff=staff),
            "compound_names": partial(find_staff, staff=_parts_of_compound_names(staff)),
        },
        "gazetteer": {
            "places": find_listed_places,
            "towns": find_unlisted_towns,
            "localities": find_localities,
            "names": find_names,
            "directory": find_directory_names,
        },
        "patterns": {find.__name__.removeprefix("find_"): find for find in FAMILIES},
        "context": {"announced": _announced_people, "organisations": find_organisations, "geography": find_geography},
    }
    return tuple(
        LabellingFunction(name, annotator, find) for annotator, rules in made.items() for name, find in rules.items()
    )


def _announced_people(reading: Reading) -> Iterator[Mention]:
    names = [*find_announced_names(reading), *find_fields(reading), *find_signatures(reading)]
    yield from settle_roles(reading, [*names, *extend_lists(reading, names)])


def _parts_of_compound_names(staff: Staff) -> Staff:
    """Return the staff under each part of their compound surnames, without parts that are words.

    E24 splits "JEAN-PIERRE" into its parts and drops ambiguous ones ("DE", "DU", "LE").
    """
    words = lexicon()
    return Staff(
        replace(one, last_name=part, rpps=None)
        for one in staff.people
        if len(parts := key(one.last_name).split()) > 1
        for part in parts
        if len(part) > 2 and part not in NOT_NAMES and not words.is_word(part)
    )


def vote(reading: Reading, functions: Sequence[LabellingFunction]) -> Votes:
    """Return the votes of the functions on a document.

    Where mentions of one function overlap, the one with the greatest score counts. The last column of the arrays is of
    the ambiguous words: drugs, medical words and eponyms, which vote for outside.
    """
    shape = len(reading.starts), len(functions) + 1
    symbols, strengths = np.zeros(shape, dtype=np.int16), np.zeros(shape, dtype=np.float32)
    opens = np.zeros(shape, dtype=bool)
    found = []
    for column, function in enumerate(functions):
        mentions = tuple(sorted(function.find(reading)))
        reading.found.setdefault(function.annotator, []).extend(mentions)
        for mention in sorted(mentions, key=lambda one: one.score):
            tokens = reading.tokens(mention)
            symbols[tokens.start : tokens.stop, column] = label_symbol(mention.label, mention.score)
            strengths[tokens.start : tokens.stop, column] = mention.score
            opens[tokens.start : tokens.stop, column] = False
            opens[tokens.start, column] = True
        found.append(mentions)
    if shape[0]:
        symbols[explained(reading), -1] = OUTSIDE
    return Votes(reading, tuple(found), symbols, strengths, opens)
