"""Hard negatives: text that resembles an identifier, and the share without a predicted mention.

A folder holds one `*.txt` per kind of hard negative; a blank line ends a text. `{{trap|Glasgow}}` marks a hard
negative, `[[LABEL|text]]` a mention. The kind `COUNTERPARTS` holds people with the names of hard negatives.
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
from nocturne_lab.evaluation.markup import parse_marked

COUNTERPARTS = "counterparts"
_MARK = re.compile(r"\{\{trap\|([^{}|\[\]\n]+)\}\}")
_BLANK_LINES = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class HardNegative:
    """Text with `[start, end)` of its hard negatives, and its true mentions; `kind` is the name of its file."""

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
    """Interface of `deid.detection.detector.Detector`."""

    def detect(self, documents: Sequence[Document]) -> Sequence[Sequence[Mention]]:
        """Return the mentions of each document, in the documents' order."""
        ...


def load_hard_negatives(folder: Path) -> list[HardNegative]:
    """Return the hard negatives of a folder, sorted by file and place.

    Raises:
        InputRefused: no file, unreadable markup, or a text without a mark; the message names file and text, and quotes
            nothing.
    """
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise InputRefused(f"{folder} holds no .txt file.", "Give a folder of texts with {{trap|…}} marks.")
    return [negative for path in paths for negative in _read_texts(path)]


def share_untouched(detector: Detects, negatives: Sequence[HardNegative]) -> Share:
    """Count, per kind of text, the hard negatives that no mention of the detector overlaps."""
    outcomes = []
    for negative, found in _found(detector, negatives):
        outcomes += [
            (negative.kind, not any(mention.start < end and start < mention.end for mention in found))
            for start, end in negative.spans
        ]
    return _share(outcomes)


def share_found(
    detector: Detects, negatives: Sequence[HardNegative], kinds: Collection[str] = (COUNTERPARTS,)
) -> Share:
    """Count the mentions in texts of these kinds that the detector covers to the last character, under any label."""
    outcomes = []
    for negative, found in _found(detector, [negative for negative in negatives if negative.kind in kinds]):
        covered = {offset for mention in found for offset in range(mention.start, mention.end)}
        outcomes += [(negative.kind, covered.issuperset(_solid(negative, mention))) for mention in negative.mentions]
    return _share(outcomes)


def _read_texts(path: Path) -> Iterator[HardNegative]:
    try:
        content = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputRefused(f"{path.name}: the file cannot be read as UTF-8 text.") from None
    texts = [text.strip("\n") for text in _BLANK_LINES.split(content) if text.strip()]
    for number, text in enumerate(texts, start=1):
        yield _parse_text(text, path.stem, number)


def _parse_text(marked: str, kind: str, number: int) -> HardNegative:
    place = f"{kind}.txt, text {number}"
    parts = _MARK.split(marked)
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
        bare, found = parse_marked(part, place)
        mentions += (Mention(len(text) + one.start, len(text) + one.end, one.label) for one in found)
        text += bare
    if not spans and not mentions:
        raise InputRefused(f"{place}: nothing is marked.")
    return HardNegative(Document(f"{kind}-{number}", text), kind, tuple(spans), tuple(mentions))


def _found(detector: Detects, negatives: Sequence[HardNegative]) -> Iterator[tuple[HardNegative, Sequence[Mention]]]:
    return zip(negatives, detector.detect([negative.document for negative in negatives]), strict=True)


def _solid(negative: HardNegative, mention: Mention) -> Iterator[int]:
    """Return the offsets of a mention's characters, white space excluded."""
    text = negative.document.text
    return (offset for offset in range(mention.start, mention.end) if not text[offset].isspace())


def _share(outcomes: Sequence[tuple[str, bool]]) -> Share:
    total = Counter(kind for kind, _ in outcomes)
    kept = Counter(kind for kind, well in outcomes if well)
    return Share(kept.total(), total.total(), {kind: (kept[kind], total[kind]) for kind in sorted(total)})
