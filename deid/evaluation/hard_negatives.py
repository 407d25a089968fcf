"""Traps: what looks like an identifier and is none, each in its own sentence; how many a detector leaves alone.

A folder holds one `*.txt` per kind of trap; a blank line ends a text. `{{trap|Glasgow}}` marks a trap, `[[LABEL|text]]`
a mention. The kind `COUNTERPARTS` holds people who bear the names of traps.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.evaluation.markup import parse

COUNTERPARTS = "counterparts"
_TRAP = re.compile(r"\{\{trap\|([^{}|\[\]\n]+)\}\}")
_BLANK_LINES = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Trap:
    """A text with `[start, end)` of its traps and the mentions that it really holds; `kind` is its file's name."""

    document: Document
    kind: str
    spans: tuple[tuple[int, int], ...]
    mentions: tuple[Mention, ...]


class Share(NamedTuple):
    """`kept` of `total`, and both per kind."""

    kept: int
    total: int
    by_kind: Mapping[str, tuple[int, int]]


class Detects(Protocol):
    """Anything that finds mentions in documents, as `deid.detection.detector.Detector` does."""

    def detect(self, documents: Sequence[Document]) -> Sequence[Sequence[Mention]]:
        """The mentions of each document, in the documents' order."""
        ...


def load_hard_negatives(folder: Path) -> list[Trap]:
    """Every trap of a folder, by file and place.

    Raises:
        InputRefused: no file there, markup that cannot be read, or a text that marks nothing; the message names file
            and text, and quotes nothing.
    """
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise InputRefused(f"{folder} holds no .txt file.", "Give a folder of texts with {{trap|…}} marks.")
    return [trap for path in paths for trap in _read(path)]


def share_untouched(detector: Detects, traps: Sequence[Trap]) -> Share:
    """Count hard negatives that no mention of the detector touches; those beside counterparts count with their kind."""
    outcomes = []
    for trap, found in _found(detector, traps):
        outcomes += [
            (trap.kind, not any(mention.start < end and start < mention.end for mention in found))
            for start, end in trap.spans
        ]
    return _share(outcomes)


def share_found(detector: Detects, traps: Sequence[Trap], kinds: Collection[str] = (COUNTERPARTS,)) -> Share:
    """Count mentions in texts of these kinds that the detector covers to the last character, whatever the label."""
    outcomes = []
    for trap, found in _found(detector, [trap for trap in traps if trap.kind in kinds]):
        covered = {offset for mention in found for offset in range(mention.start, mention.end)}
        outcomes += [(trap.kind, covered.issuperset(_solid(trap, mention))) for mention in trap.mentions]
    return _share(outcomes)


def _read(path: Path) -> Iterator[Trap]:
    try:
        content = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputRefused(f"{path.name}: the file cannot be read as UTF-8 text.") from None
    texts = [text.strip("\n") for text in _BLANK_LINES.split(content) if text.strip()]
    for number, text in enumerate(texts, start=1):
        yield _trap(text, path.stem, number)


def _trap(marked: str, kind: str, number: int) -> Trap:
    place = f"{kind}.txt, text {number}"
    parts = _TRAP.split(marked)
    text = ""
    spans: list[tuple[int, int]] = []
    mentions: list[Mention] = []
    for index, part in enumerate(parts):
        if index % 2:
            spans.append((len(text), len(text) + len(part)))
            text += part
            continue
        if "{{" in part or "}}" in part:
            raise InputRefused(f"{place}: a mark that is no {{{{trap|text}}}}.")
        bare, found = parse(part, place)
        mentions += (Mention(len(text) + one.start, len(text) + one.end, one.label) for one in found)
        text += bare
    if not spans and not mentions:
        raise InputRefused(f"{place}: nothing is marked.")
    return Trap(Document(f"{kind}-{number}", text), kind, tuple(spans), tuple(mentions))


def _found(detector: Detects, traps: Sequence[Trap]) -> Iterator[tuple[Trap, Sequence[Mention]]]:
    return zip(traps, detector.detect([trap.document for trap in traps]), strict=True)


def _solid(trap: Trap, mention: Mention) -> Iterator[int]:
    """The offsets of a mention's characters, white space left out."""
    text = trap.document.text
    return (offset for offset in range(mention.start, mention.end) if not text[offset].isspace())


def _share(outcomes: Sequence[tuple[str, bool]]) -> Share:
    total = Counter(kind for kind, _ in outcomes)
    kept = Counter(kind for kind, well in outcomes if well)
    return Share(kept.total(), total.total(), {kind: (kept[kind], total[kind]) for kind in sorted(total)})
