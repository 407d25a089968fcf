"""Learning curve: the CRF trained on growing shares of the corpus, scored on authors left out.

    python -m nocturne_lab.learning.taggers.learning_curve CORPUS/train [--iterations 30] > benchmarks/learning_curve.md

The curve follows figure 5 of El Azzouzi et al. 2024. Shares are fixed nested samples, without altered copies and
without recall bias, so that points differ by their documents only.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from deid.config.policy import AnnotatorChoice
from nocturne_lab.evaluation import corpus
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.score_tables import summary_table
from nocturne_lab.evaluation.scoring import evaluate
from nocturne_lab.learning.ablation import RULES, judge_policy, policy_of
from nocturne_lab.learning.taggers.cross_validation import folds
from nocturne_lab.learning.taggers.training import FULL, Recipe, train_tagger

SHARES = (1 / 8, 1 / 4, 1 / 2, 1.0)


def curve(documents: Sequence[GoldDocument], recipe: Recipe, shares: Sequence[float] = SHARES) -> str:
    """Return a Markdown table: one line per number of training documents, scored on the first third of the authors."""
    left_out = folds(documents, 3)[0]
    learned = sorted((one for one in documents if one.author not in left_out), key=_drawn)
    unseen = [one.without_identity() for one in documents if one.author in left_out]
    scores = {}
    for share in shares:
        some = learned[: max(1, round(share * len(learned)))]
        with TemporaryDirectory() as folder:
            model = train_tagger("crf", some, recipe, Path(folder))
            policy = policy_of(RULES, Path(folder), ())
            choices = (*policy.detection.annotators, AnnotatorChoice(name="crf", options={"model": str(model)}))
            detection = policy.detection.model_copy(update={"annotators": choices})
            judged = judge_policy(policy.model_copy(update={"detection": detection}), unseen)
        scores[f"{len(some)}"] = evaluate(judged)
    return summary_table(scores, "training documents", "coarse")


def _drawn(one: GoldDocument) -> bytes:
    """Return a sort key for a fixed order that mixes the authors."""
    return sha256(one.document.id.encode()).digest()


def main() -> int:
    """Print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--iterations", type=int, default=30)
    given = parser.parse_args()
    documents = corpus.load_corpus(given.corpus)
    recipe = replace(FULL, copies=0, crf=replace(FULL.crf, iterations=given.iterations))
    print("# The learning curve\n")
    command = f"python -m nocturne_lab.learning.taggers.learning_curve {given.corpus.name}"
    print(f"Written by `{command}`: rules and CRF, no altered")
    print("copies; figures in percent, on the documents of a third of the authors, who are left out.\n")
    print(curve(documents, recipe))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
