"""Measure by how much published ages move: writes benchmarks/ages.md.

python -m benchmarks.ages FOLDER [FOLDER …] [--write]

Mentions are the marked ones, so that detection plays no role; nothing is known of the patient but the text.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from deid.config.policy import load as load_policy
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.ages import parse_age
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.evaluation.score_tables import markdown

_TARGET = Path(__file__).with_name("ages.md")
_CLASSES = (0, 18, 50, 90)  # first year of each
_FAR = 4  # years


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    moves = moved(args.folders)
    every = [move for each in moves.values() for move in each]
    rows = [[f"{since} to {(*_CLASSES, 126)[at + 1] - 1} years", *_row(moves[at])] for at, since in enumerate(_CLASSES)]
    text = (
        "# How far published ages move\n\nMarked ages that a program reads, default policy; "
        f"`python -m benchmarks.ages {' '.join(map(str, args.folders))}`.\n\n"
        + markdown(["age", "ages", "mean move, years", f"{_FAR} years or more"], [*rows, ["all", *_row(every)]])
        + '\n\nFrom 90 on "plus de 90 ans" is published, read here as 90.\n'
    )
    print(text)
    if args.write:
        _TARGET.write_text(text, encoding="utf-8")


def moved(folders: Sequence[Path]) -> dict[int, list[float]]:
    """Return the absolute moves in years of the ages of some corpora, by class of the original."""
    policy, tables = load_policy(), packaged_tables()
    substitutor = Substitutor(policy, bytes(range(32)), tables.communes, tables.names)
    moves: dict[int, list[float]] = defaultdict(list)
    for one in (one for folder in folders for one in load_corpus(folder)):
        for surrogate in substitutor.substitute(one.document, one.mentions).surrogates:
            if surrogate.mention.label is not Label.AGE:
                continue
            true = parse_age(one.document.text[surrogate.mention.start : surrogate.mention.end])
            published = parse_age(surrogate.text)
            if true is not None and published is not None:
                moves[bisect_right(_CLASSES, true.years) - 1].append(abs(published.years - true.years))
    return moves


def _row(moves: Sequence[float]) -> Sequence[str]:
    far = sum(move >= _FAR for move in moves)
    return [f"{len(moves):,}", f"{fmean(moves):.1f}", f"{far / len(moves):.1%}"]


if __name__ == "__main__":
    main()
