"""Plants leaks: mentions that stay as they are in documents whose other mentions get surrogates."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from itertools import count
from typing import NamedTuple

import numpy as np

from deid import pipeline
from deid.config.policy import Policy
from deid.detection.annotators import FEATURE_RULES
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Substitution, Surrogate
from deid.domain.labels import NAMES, PLACES, Label
from deid.domain.limits import Limits
from deid.domain.outcomes import Candidate, Detected, Verdict
from deid.french.folding import comparable, in_case_of, words
from deid.reference.packaged import unassigned_numbers
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.generators.phones import FICTION
from nocturne_lab.evaluation.attacks.document_dates import KEY

LEAKABLE = NAMES | PLACES | {Label.ORG, Label.PHONE, Label.EMAIL}
# Words before a place or an organisation that are rewritten with it: part of the surrogate's span, of no leak's.
_AHEAD = frozenset("de du des d à au aux en le la les l dans sur chez".split())
_APOSTROPHES = "'’"
# A machine that does other things as well refuses no document.
_PATIENT = Limits(seconds=7_200, megabytes=65_536)
_PREFIX = 5  # digits before the zone, at most: "00330"
# Names of the reserved domains that stand for private mailboxes here, and what such mailboxes are in life.
_PERSONAL = frozenset({"courriel", "mail", "boite", "messagerie", "orange-mail", "boite-postale"})
_PROVIDERS = ("gmail.com", "orange.fr", "hotmail.fr", "wanadoo.fr", "laposte.net", "free.fr", "yahoo.fr", "sfr.fr")

# First six digits of the numbers that no operator has, from which natural surrogates are drawn.
UNASSIGNED = frozenset(block for blocks in unassigned_numbers()[1].values() for block in blocks)

Text = tuple[Document, Sequence[Mention]]


class Planting(StrEnum):
    """Choice of what the detector is made to miss."""

    MENTION = "one mention"
    VALUE = "a value in its document"
    UNSEEN = "a value in its document, missed by the rules"


class Span(NamedTuple):
    """An identifier in a published text: a surrogate, or a leak and what planted it."""

    start: int
    end: int
    label: Label
    leak: Planting | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """A text with its identifiers. `patient` groups the documents of one patient, as the research schema does.

    `passed`: no check holds the document back.
    """

    id: str
    patient: str
    text: str
    spans: tuple[Span, ...]
    passed: bool

    def said(self, span: Span) -> str:
        """Return the text of a span."""
        return self.text[span.start : span.end]


@dataclass(frozen=True, slots=True)
class Release:
    """Result of one policy on documents with planted leaks: the texts, and the sources with their surrogates."""

    documents: tuple[Released, ...]
    pairs: tuple[tuple[Document, tuple[Surrogate, ...]], ...]

    def passed(self) -> tuple[Released, ...]:
        """Return the documents that no check holds back."""
        return tuple(one for one in self.documents if one.passed)


def with_assigned_contacts(text: Text) -> Text:
    """Return a document whose phones and e-mails are like those of life, its patient's too.

    The documents of this repository use numbers and domains that nobody has, which are also the marks of surrogates: a
    leak would look like one. Numbers of the ranges of fiction get other digits after their zone, reserved domains the
    endings of others. Nothing of this may be written anywhere: the numbers may be somebody's.
    """
    document, mentions = text
    pieces: list[str] = []
    moved: list[Mention] = []
    position = length = 0
    for one in sorted(mentions):
        said = document.text[one.start : one.end]
        written = _CONTACTS[one.label](said) if one.label in _CONTACTS else said
        pieces += (document.text[position : one.start], written)
        start = length + one.start - position
        position, length = one.end, start + len(written)
        moved.append(replace(one, start=start, end=length))
    patient = replace(
        document.patient,
        phones=tuple(map(_assigned_phone, document.patient.phones)),
        emails=tuple(map(_assigned_email, document.patient.emails)),
    )
    pieces.append(document.text[position:])
    return replace(document, text="".join(pieces), patient=patient), moved


def _assigned_phone(text: str) -> str:
    digits = "".join(char for char in text if char.isdigit())
    starts = [at for start in FICTION.values() if 0 <= (at := digits.find(start[1:])) <= _PREFIX]
    if not starts:
        return text
    zone = min(starts)
    tried = (f"{2_000 + _drawn(f'{turn} {digits[zone:]}', 6_000)}" for turn in count())
    block = next(one for one in tried if f"0{digits[zone]}{one}" not in UNASSIGNED)
    filled = iter(digits[: zone + 1] + block + digits[zone + 5 :])
    return "".join(next(filled) if char.isdigit() else char for char in text)


def _assigned_email(text: str) -> str:
    local, at, domain = text.rpartition("@")
    name, dot, ending = domain.rpartition(".")
    if ending.casefold() not in ("example", "test"):
        return text
    if name.casefold() in _PERSONAL:
        name, dot, ending = _PROVIDERS[_drawn(local.casefold(), len(_PROVIDERS))].rpartition(".")
    else:
        ending = "fr"
    return f"{local}{at}{in_case_of(domain, name + dot + ending)}"


def _drawn(text: str, below: int) -> int:
    """A number that a text always gets."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") % below


_CONTACTS: Mapping[Label, Callable[[str], str]] = {Label.PHONE: _assigned_phone, Label.EMAIL: _assigned_email}


def plant(texts: Sequence[Text], share: float, seed: int = 1) -> list[Mapping[Mention, Planting]]:
    """Return, for each text, the mentions that leak.

    A third of the leaks each: mentions drawn alone; values drawn with all their mentions in the document, as a
    detector that searches each name it found leaves them; the same among values that no rule finds (patterns,
    gazetteers, context), as a weaker detector leaves them.

    Args:
        texts: documents with their true mentions.
        share: of the mentions of `LEAKABLE` labels, in (0, 1).
        seed: of the draw, which depends on nothing else but the texts.
    """
    random = np.random.default_rng(seed)
    groups: dict[Planting, list[tuple[int, list[Mention]]]] = {planting: [] for planting in Planting}
    for number, (document, mentions) in enumerate(texts):
        wanted = [one for one in mentions if one.label in LEAKABLE]
        groups[Planting.MENTION] += ((number, [one]) for one in wanted)
        values = list(_values(document, wanted))
        groups[Planting.VALUE] += ((number, value) for value in values)
        groups[Planting.UNSEEN] += ((number, value) for value in _unseen(document, values))
    total = share * len(groups[Planting.MENTION]) / len(Planting)
    leaks: list[dict[Mention, Planting]] = [{} for _ in texts]
    for planting in reversed(Planting):  # the rarest first
        taken = 0
        for at in random.permutation(len(groups[planting])):
            number, mentions = groups[planting][at]
            if taken >= total:
                break
            if leaks[number].keys().isdisjoint(mentions):
                leaks[number].update(dict.fromkeys(mentions, planting))
                taken += len(mentions)
    return list(leaks)


def _values(document: Document, mentions: Iterable[Mention]) -> Iterator[list[Mention]]:
    """Yield mentions of one value: names that share their longest word, others equal but for case and signs."""
    found: dict[tuple[str, str], list[Mention]] = defaultdict(list)
    for one in mentions:
        text = document.text[one.start : one.end]
        if one.label in NAMES:
            found["name", max(words(text), key=len, default=text)].append(one)
        else:
            found[one.label, comparable(text)].append(one)
    yield from found.values()


def _unseen(document: Document, values: Iterable[list[Mention]]) -> Iterator[list[Mention]]:
    reading = Reading(document)
    covered = [False] * (len(document.text) + 1)
    for rule in FEATURE_RULES:
        reading.found[rule.name] = list(rule.annotate(reading))
        for seen in reading.found[rule.name]:
            covered[seen.start : seen.end] = [True] * (seen.end - seen.start)
    for value in values:
        if not any(any(covered[one.start : one.end]) for one in value):
            yield value


def publish(texts: Sequence[Text], leaks: Sequence[Mapping[Mention, Planting]], policy: Policy) -> Release:
    """Substitute and check documents by `deid.pipeline`, all mentions but the leaks detected.

    Documents that substitution refuses are left out.
    """
    detected = [
        Detected(document, None, tuple(one for one in mentions if one not in left))
        for (document, mentions), left in zip(texts, leaks, strict=True)
    ]
    drawn = pipeline.substitute(detected, Substitutor(policy, KEY, packaged_tables().communes), limits=_PATIENT)
    candidates = [one for one in drawn if isinstance(one, Candidate)]
    verdicts = pipeline.check(candidates, quality=policy.quality, hiding=policy.substitution.hiding, limits=_PATIENT)
    passed = {one.document_id for one in verdicts if isinstance(one, Verdict) and not one.reasons}
    missed = {document.id: left for (document, _), left in zip(texts, leaks, strict=True)}
    return Release(
        tuple(_released(one, missed[one.document.id], one.document.id in passed) for one in candidates),
        tuple((one.document, one.substitution.surrogates) for one in candidates),
    )


def _released(candidate: Candidate, leaks: Mapping[Mention, Planting], passed: bool) -> Released:
    document, drawn = candidate.document, candidate.substitution
    spans = [
        Span(*span, one.mention.label)
        for span, one in zip(drawn.spans, drawn.surrogates, strict=True)
        if one.mention.label in LEAKABLE
    ]
    moved = _mover(drawn)
    spans += (Span(moved(one.start), moved(one.end), one.label, planted) for one, planted in leaks.items())
    bare = sorted(filter(None, (_bare(drawn.text, span) for span in spans)))
    return Released(document.id, document.patient.key or document.id, drawn.text, tuple(bare), passed)


def _mover(drawn: Substitution) -> Callable[[int], int]:
    """The function from an offset of the source, outside of surrogates, to one of the published text."""
    starts = [one.mention.start for one in drawn.surrogates]

    def moved(offset: int) -> int:
        at = bisect_right(starts, offset) - 1
        return offset if at < 0 else drawn.spans[at][1] + offset - drawn.surrogates[at].mention.end

    return moved


def _bare(text: str, span: Span) -> Span | None:
    """The span without blanks and the articles before it; None if nothing is left."""
    start, end = span.start, span.end
    while start < end:
        if text[start].isspace() or text[start] in _APOSTROPHES:
            start += 1
            continue
        word = text[start:end].split(maxsplit=1)[0]
        head = next((word[:at] for at, sign in enumerate(word) if sign in _APOSTROPHES), word)
        if head not in _AHEAD or start + len(head) == end:
            break
        start += len(head)
    while end > start and text[end - 1].isspace():
        end -= 1
    return span._replace(start=start, end=end) if start < end else None
