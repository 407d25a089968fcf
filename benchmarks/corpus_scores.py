"""Score the detector on annotated documents, with the patient's identity given and without, as Markdown.

    python -m benchmarks.corpus_scores CORPUS/dev [CORPUS/train] > benchmarks/corpus_scores.md

Each folder holds `*.txt` marked [[LABEL|text]], `*identity.jsonl` and perhaps `*staff.jsonl`, as
`nocturne_lab.evaluation.corpus` reads them. Figures are in percent; how each is counted is told in
`lab/nocturne_lab/evaluation/scoring.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from deid.config.policy import load as load_policy
from deid.detection import Detector
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus, load_staff
from nocturne_lab.evaluation.score_tables import class_table, summary_table
from nocturne_lab.evaluation.scoring import Judged, evaluate, evaluate_by

HEAD = """# Scores on annotated documents

Written by `{command}`.
Detector `{version}`, policy `{policy}`.
"""


def main() -> int:
    """Print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of annotated documents")
    parser.add_argument("--policy", type=Path, help="policy file; the one that ships otherwise")
    given = parser.parse_args()
    policy = load_policy(given.policy)
    sections: list[str] = []
    for folder in given.folders:
        gold = load_corpus(folder)
        detector = Detector(policy, load_staff(folder))
        known = judged(detector, gold)
        unknown = judged(detector, [document.without_identity() for document in gold])
        sections.append(section(folder.name, {"identité connue": known, "identité inconnue": unknown}))
    print(
        HEAD.format(
            command=" ".join(("python -m benchmarks.corpus_scores", *map(str, given.folders))),
            version=Detector(policy).version,
            policy=policy.digest,
        )
    )
    print("\n\n".join(sections))
    return 0


def judged(detector: Detector, gold: Sequence[GoldDocument]) -> list[Judged]:
    """The documents beside what the detector finds in them."""
    found = detector.detect([document.document for document in gold])
    return [
        Judged(one.document.id, one.document.text, one.mentions, mentions, one.document.type, one.author)
        for one, mentions in zip(gold, found, strict=True)
    ]


def section(name: str, runs: dict[str, list[Judged]]) -> str:
    """Everything about one folder."""
    parts = [f"## {name}"]
    whole = {label: evaluate(documents) for label, documents in runs.items()}
    parts.append(summary_table(whole, "classes regroupées (coarse)", "coarse"))
    for label, documents in runs.items():
        parts.append(f"### {name}, {label}")
        parts += [class_table(whole[label], scheme) for scheme in ("nocturne", "coarse")]
        groups = evaluate_by(documents, lambda one: one.author)
        if len(groups) > 1:
            parts.append(summary_table(groups, "auteur", "coarse"))
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
