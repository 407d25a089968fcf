"""Leak rate of the default policy on hostile texts, as a Markdown table by family.

    python -m benchmarks.redteam [FOLDER] [--each] > benchmarks/redteam.md

FOLDER is a folder of hostile texts (default: corpus/redteam). With `--each`, every text that does not have its
expected outcome is listed, with that outcome. Surrogates are drawn from a fixed secret.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.hostile_texts import (
    Expected,
    HostileOutcome,
    HostileText,
    load_hostile_texts,
    run_hostile_texts,
)

HEAD = """# Hostile texts

Written by `python -m benchmarks.redteam`. The texts and how they are judged:
[corpus/redteam](../corpus/redteam/README.md).

**Leak rate: {leaks} of {identifying} texts that identify somebody, {share:.1f} %.** Of {controls} texts that identify
nobody, {altered} lose something of their content or are held for another reason than that nothing was found in them.
"""


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("corpus/redteam"))
    parser.add_argument("--each", action="store_true", help="list the texts without their expected outcome")
    given = parser.parse_args()
    texts = load_hostile_texts(given.folder)
    policy, tables = load_policy(), packaged_tables()
    substitutor = Substitutor(policy, bytes(range(32)), tables.communes, tables.names)
    found = run_hostile_texts(texts, Detector(policy), substitutor)
    print(_page(texts, found))
    if given.each:
        print()
        for text in texts:
            if not text.meets(found[text.id]):
                why = f" ({text.known})" if text.known else ""
                print(f"- {text.id}: {found[text.id]}, expected {text.expected}{why}")


def _page(texts: Sequence[HostileText], found: Mapping[str, HostileOutcome]) -> str:
    identifying = [text for text in texts if text.expected is not Expected.UNCHANGED]
    leaks = sum(found[text.id] is HostileOutcome.LEAKED for text in identifying)
    head = HEAD.format(
        leaks=leaks,
        identifying=len(identifying),
        share=100 * leaks / len(identifying),
        controls=len(texts) - len(identifying),
        altered=sum(found[text.id] is HostileOutcome.ALTERED for text in texts),
    )
    rows = ["| family | texts | leaks | in quarantine | false changes |", "| :-- | --: | --: | --: | --: |"]
    for family in dict.fromkeys(text.family for text in texts):
        own = [found[text.id] for text in texts if text.family == family]
        counts = (
            own.count(kind) for kind in (HostileOutcome.LEAKED, HostileOutcome.QUARANTINED, HostileOutcome.ALTERED)
        )
        rows.append(" | ".join((f"| {family.replace('_', ' ')}", str(len(own)), *map(str, counts))) + " |")
    return "\n".join((head, *rows))


if __name__ == "__main__":
    main()
