"""One quarantined document with its candidate: where checks fail, what a person marks, and whether it passes then.

Nothing is stored, and no text was: the candidate is made again, when a person asks for it, from the source and the
mentions of the run, with a mask in the place of each surrogate. The pages hold no secret to draw surrogates with, and a
second draw beside the first would tell more of a value than one. What only the surrogates drawn can fail (`OF_DRAWS`)
is left to the next night, which judges the whole document again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from deid.config.policy import Policy
from deid.config.settings import settings
from deid.domain.document import Mention, Substitution, Surrogate
from deid.domain.labels import Label
from deid.domain.outcomes import Candidate, Severity
from deid.formats import with_told
from deid.isolation import process_within
from deid.ledger.audit import Action
from deid.ledger.originals import Original, read_original
from deid.quality.checks import Check, checks_within
from deid.quality.measures import measure
from deid.quality.places import Place, find_places
from deid.reviews import ReviewProblem, refused
from deid.reviews.marks import ErrorKind, Span, find_passages, locate_passage
from deid.stewardship.quarantine import QuarantinedDocument, fit

MASK = "[…]"
MOST_MARKS = 200
# Checks of what was drawn, or of the file written with it: a mask passes or fails them by itself.
OF_DRAWS = frozenset(
    {
        *("original_kept", "drawn_all_kept", "drawn_kept", "unparsed_unmasked", "dates_impossible", "dates_unread"),
        *("dates_disordered", "names_disagree", "articles_disagree", "length_ratio", "markup_differs", "markup_unsafe"),
    }
)
_LINE_END = re.compile(r"\r\n?|\n")


class Segment(NamedTuple):
    """A piece of the candidate, and of the source, in the same order: a surrogate, or text that is the same in both.

    Pieces end with their line. `places` are the numbers of the places that they lie in, from 1, and `begins` those that
    begin with them; `mark` is the number of the mark that they are, from 1, or 0.
    """

    start: int
    text: str
    source_start: int
    source: str
    label: Label | None
    mark: int
    places: tuple[int, ...]
    begins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Workbench:
    """A document as its source and its candidate with masks, a person's marks in the source, and what fails now.

    `failed` are the checks that fail but those of `OF_DRAWS`, `places` the passages of the candidate where they do.
    """

    original: Original
    candidate: Candidate
    marks: tuple[Mention, ...]
    failed: tuple[Check, ...]
    places: Mapping[str, tuple[Place, ...]]

    @property
    def held_by(self) -> tuple[Check, ...]:
        """The failed checks that keep a document in quarantine."""
        return tuple(check for check in self.failed if check.severity is Severity.CRITICAL)

    def numbers(self) -> dict[str, range]:
        """Return the numbers of the places of each check that has any, from 1."""
        found: dict[str, range] = {}
        last = 0
        for check in self.failed:
            if spans := self.places.get(check.name):
                found[check.name] = range(last + 1, last + len(spans) + 1)
                last += len(spans)
        return found

    def segments(self) -> Iterator[Segment]:
        """Yield the pieces of both texts, from their beginnings to their ends."""
        drawn, source = self.candidate.substitution, self.candidate.document.text
        numbered = [
            (span, number)
            for name, numbers in self.numbers().items()
            for span, number in zip(self.places[name], numbers, strict=True)
        ]
        surrogates = dict(zip(drawn.spans, drawn.surrogates, strict=True))
        marks = {(mark.start, mark.end): number for number, mark in enumerate(self.marks, 1)}
        cuts = {0, len(drawn.text), *(at for span in drawn.spans for at in span)}
        cuts |= {end.end() for end in _LINE_END.finditer(drawn.text)} | {at for span, _ in numbered for at in span}
        shift = 0
        for start, end in pairwise(sorted(cuts)):
            within = tuple(number for span, number in numbered if span.start <= start and end <= span.end)
            if (one := surrogates.get((start, end))) is not None:
                mention = one.mention
                words, label, source_start = source[mention.start : mention.end], mention.label, mention.start
                shift = mention.end - end
            else:
                words, label, source_start = drawn.text[start:end], None, start + shift
            mark = marks.get((source_start, source_start + len(words)), 0)
            begins = tuple(number for span, number in numbered if span.start == start)
            yield Segment(start, drawn.text[start:end], source_start, words, label, mark, within, begins)

    def mark(self, label: Label | None, start: int, end: int, *, in_source: bool, everywhere: bool) -> list[Mention]:
        """Return the marks with `[start, end)` of the candidate, or of the source, added as missed.

        With `everywhere`, each whole-word occurrence of its text that is not replaced is added too.

        Raises:
            ReviewRefused: the selection is empty or replaced already, the label is missing, or there are too many.
        """
        text = self.original.text if in_source else self.candidate.substitution.text
        spans = self._spans(in_source=in_source)
        place = locate_passage(text, spans, ErrorKind.MISSED, label, start, end, self._about)
        added = [Mention(place.source_start, place.source_end, Label(str(label)))]
        if everywhere and not any(span.start < place.end and place.start < span.end for span in spans):
            added += self._found(text[place.start : place.end], added[0].label)
        return self._with(added)

    def mark_text(self, label: Label | None, wanted: str) -> list[Mention]:
        """Return the marks with each whole-word occurrence of a text in the candidate added as missed.

        Raises:
            ReviewRefused: it occurs nowhere outside what is replaced, the label is missing, or there are too many.
        """
        if label is None:
            raise refused(ReviewProblem.NO_LABEL, self._about)
        added = self._found(wanted, label)
        if not added:
            raise refused(ReviewProblem.NOT_FOUND, self._about)
        return self._with(added)

    @property
    def _about(self) -> str:
        return f"document {self.original.document_id}"

    def _spans(self, *, in_source: bool = False) -> list[Span]:
        drawn = self.candidate.substitution
        pairs = zip(drawn.spans, (one.mention for one in drawn.surrogates), strict=True)
        return [
            Span(*((one.start, one.end) if in_source else span), str(one.label), one.start, one.end)
            for span, one in pairs
        ]

    def _found(self, wanted: str, label: Label) -> list[Mention]:
        """Return the occurrences of a text in the candidate, outside what is replaced."""
        spans, text = self._spans(), self.candidate.substitution.text
        located = (
            locate_passage(text, spans, ErrorKind.MISSED, label, *place, self._about)
            for place in find_passages(text, spans, wanted)
        )
        return [Mention(place.source_start, place.source_end, label) for place in located]

    def _with(self, added: Sequence[Mention]) -> list[Mention]:
        kept = [mark for mark in self.marks if not any(map(mark.overlaps, added))]
        apart = [mark for at, mark in enumerate(added) if not any(map(mark.overlaps, added[:at]))]
        if len(kept) + len(apart) > MOST_MARKS:
            raise refused(ReviewProblem.BAD_PLACE, self._about)
        return sorted([*kept, *apart])


def open_workbench(
    actor: str, held: QuarantinedDocument, policy: Policy, marks: Sequence[Mention] = (), *, sees_source: bool
) -> Workbench:
    """Read a quarantined document, and examine it with `marks`; recorded for `actor`.

    `sees_source` says whether the caller shows the source beside the candidate. The caller checks the permissions of
    `actor`, and that the document was searched (`held.step` is not "detect"): the candidate would be its source.

    Raises:
        OriginalRefused: see `OriginalProblem`.
        ReviewRefused: see `examine`.
    """
    action = Action.READ_ORIGINAL if sees_source else Action.READ_TEXT
    return examine(read_original(actor, held.run_id, held.document_id, held.content_hash, action), policy, marks)


def examine(original: Original, policy: Policy, marks: Sequence[Mention]) -> Workbench:
    """Hide in a document what its run found and `marks` say, and check it.

    Raises:
        ReviewRefused: marks lie outside the text or share characters.
    """
    marks = sorted(marks)
    if not fit(marks, len(original.text)):
        raise refused(ReviewProblem.BAD_PLACE, f"document {original.document_id}")
    candidate, checks = _masked(original, marks), checks_within(policy.quality, policy.substitution.hiding)
    ((names, places),) = process_within(
        settings().limits(),
        partial(_examine, checks=checks),
        [candidate],
        length=lambda one: len(one.document.text),
        refuse=lambda _one: (("unmeasured",), {}),
        sample=candidate,
    )
    return Workbench(original, candidate, tuple(marks), tuple(check for check in checks if check.name in names), places)


def _masked(original: Original, marks: Sequence[Mention]) -> Candidate:
    """Return the candidate of a source text with a mask for each mention."""
    source = original.text
    mentions = with_told(original.mentions, marks, source)
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    at = length = 0
    for mention in mentions:
        between = source[at : mention.start]
        pieces += [between, MASK]
        length += len(between) + len(MASK)
        spans.append((length - len(MASK), length))
        at = mention.end
    drawn = tuple(Surrogate(mention, MASK, "mask", parsed=False) for mention in mentions)
    text = "".join((*pieces, source[at:]))
    return Candidate(original.document, mentions, Substitution(text, drawn, tuple(spans)))


def _examine(
    candidates: Sequence[Candidate], checks: Sequence[Check]
) -> list[tuple[tuple[str, ...], Mapping[str, tuple[Place, ...]]]]:
    """Return the checks that each candidate fails, and their places."""
    found = []
    for candidate in candidates:
        numbers = measure(candidate)
        names = tuple(
            check.name
            for check in checks
            if check.name not in OF_DRAWS and not check.least <= numbers[check.name] <= check.most
        )
        found.append((names, find_places(candidate, names)))
    return found
