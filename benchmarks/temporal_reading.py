"""Number of DATE, RELDATE and AGE mentions of an annotated folder without a parsed value.

python -m benchmarks.temporal_reading corpus/train [--show]
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from deid.config.policy import load as load_policy
from deid.domain.labels import Label
from deid.substitution.context import DocumentContext
from deid.substitution.temporal.normalisation import normalise
from nocturne_lab.evaluation.corpus import load_corpus

LABELS = (Label.DATE, Label.RELDATE, Label.AGE)


def main() -> None:
    """Print a table; `--show` lists what is not read (synthetic documents only)."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--show", action="store_true")
    chosen = arguments.parse_args()
    mentions: Counter[Label] = Counter()
    unread: dict[Label, list[str]] = {label: [] for label in LABELS}
    policy = load_policy().substitution
    for gold in load_corpus(chosen.folder):
        context = DocumentContext(gold.document, sorted(gold.mentions), policy, b"no draw is made")
        normalised = normalise(context)
        for mention in context.of(LABELS):
            mentions[mention.label] += 1
            if not normalised.reads(mention):
                unread[mention.label].append(context.text(mention))
    for label in LABELS:
        missed = len(unread[label])
        print(f"{label:8} {mentions[label]:6} mentions {missed:4} not read {missed / max(mentions[label], 1):8.2%}")
        if chosen.show:
            print(*(f"    {text!r}" for text in unread[label]), sep="\n")


if __name__ == "__main__":
    main()
