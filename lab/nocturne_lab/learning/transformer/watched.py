"""Curve of a training on documents that decide nothing in it: neither the best epoch nor the temperature."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deid.domain.writing import replacing
from nocturne_lab.evaluation.corpus import GoldDocument


@dataclass(frozen=True, slots=True)
class Watched:
    """Documents outside a training, and the JSON Lines file that gets what the model makes of them in each epoch."""

    documents: Sequence[GoldDocument]
    path: Path

    def by_author(self) -> dict[str, list[GoldDocument]]:
        """Return the documents of each author, in the order of the first ones."""
        found: dict[str, list[GoldDocument]] = {}
        for gold in self.documents:
            found.setdefault(gold.author, []).append(gold)
        return found

    def record(self, epoch: int, measures: Mapping[str, object]) -> None:
        """Write the line of an epoch (from 1) in the place of those from there on, which a training cut off left."""
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else []
        kept = [line for line in lines if json.loads(line)["epoch"] < epoch]
        with replacing(self.path) as partial:
            partial.write_text("".join(f"{one}\n" for one in (*kept, json.dumps({"epoch": epoch} | dict(measures)))))
