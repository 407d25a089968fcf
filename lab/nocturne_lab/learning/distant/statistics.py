"""Numbers of a corpus as in tables 5 and 8 of El Azzouzi et al. 2024: documents, sentences, tokens, mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deid.domain.document import Mention
from deid.domain.labels import TAGGED, Label
from nocturne_lab.evaluation.parquet_corpus import Split
from nocturne_lab.evaluation.score_tables import markdown, percent

_NUMBERS = ("documents", "sentences", "sentences with a mention", "tokens")


@dataclass(slots=True)
class SplitCounts:
    """Counts of one split; `doubt` sums 1 − confidence per label, the number of wrong mentions to be expected."""

    numbers: Counter[str] = field(default_factory=Counter)
    mentions: Counter[Label] = field(default_factory=Counter)
    doubt: dict[Label, float] = field(default_factory=lambda: dict.fromkeys(Label, 0.0))

    def add(self, mentions: Sequence[Mention], rows: Sequence[Mapping[str, Any]]) -> None:
        """Count a document by its mentions and its rows, a sentence each."""
        marked, tokens = sum(bool(row["mentions"]) for row in rows), sum(len(row["tags"]) for row in rows)
        self.numbers.update(dict(zip(_NUMBERS, (1, len(rows), marked, tokens), strict=True)))
        for one in mentions:
            self.mentions[one.label] += 1
            self.doubt[one.label] += 1 - one.score

    def as_json(self) -> dict[str, Any]:
        """Return the counts, and the share of mentions of each label that is expected to be wrong."""
        return {
            **{name: self.numbers[name] for name in _NUMBERS},
            "mentions": {str(label): self.mentions[label] for label in TAGGED},
            "noise": {
                str(label): round(self.doubt[label] / self.mentions[label], 4)
                for label in TAGGED
                if self.mentions[label]
            },
        }


def as_tables(splits: Mapping[Split, SplitCounts]) -> str:
    """Tabulate the sizes of the splits, then the mentions of each label with their share and expected noise."""
    counts = list(splits.values())
    sizes = [[name, *(f"{one.numbers[name]:,}" for one in counts)] for name in _NUMBERS]
    labels = []
    for label in TAGGED:
        cells = [f"{one.mentions[label]:,} ({_percent(one.mentions[label], one.mentions.total())})" for one in counts]
        noise = _percent(sum(one.doubt[label] for one in counts), sum(one.mentions[label] for one in counts))
        labels.append([str(label), *cells, noise])
    head = ["mentions (% of the split)", *splits, "expected noise, %"]
    return f"{markdown(['', *splits], sizes)}\n\n{markdown(head, labels)}"


def labels_without_example(splits: Mapping[Split, SplitCounts]) -> list[Label]:
    """Return the labels that the training split holds no mention of."""
    return [label for label in TAGGED if not splits["train"].mentions[label]]


def _percent(part: float, whole: float) -> str:
    return percent(part / whole if whole else None)
