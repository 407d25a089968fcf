"""Ablation of the annotators: each alone, in pairs, together; by label, document type and author; by recall setting.

    python -m nocturne_lab.learning.ablation CORPUS/train HELD_OUT > benchmarks/ablation.md

`HELD_OUT` is the output of `nocturne_lab.learning.taggers.cross_validation` and, with `--held-out`, of
`nocturne_lab.learning.transformer`: no document is scored by a tagger trained on its author. The tables follow table 3
of Tchouka et al. 2022 and figure 5 of El Azzouzi et al. 2024.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from deid.config.policy import AnnotatorChoice, Policy
from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.detection.lookup.staff import NO_STAFF, Staff
from deid.domain.labels import Label
from nocturne_lab.evaluation import corpus
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.score_tables import class_table, markdown, percent, summary_table
from nocturne_lab.evaluation.scoring import Evaluation, Judged, evaluate, evaluate_by
from nocturne_lab.learning import held_out

RULES = ("patterns", "gazetteer", "context")
RECALL_BIASES = (0.0, 1.0, 2.0, 3.0, 4.0)


def policy_of(annotators: Sequence[str], folder: Path, taggers: Sequence[str], merge: str = "average") -> Policy:
    """Return the default policy with these annotators, taggers read from `folder`, and no recall bias."""
    base = load_policy()
    choices = tuple(
        AnnotatorChoice(name="nocturne_lab.learning.held_out:HeldOut", options={"tagger": name, "folder": str(folder)})
        if name in taggers
        else AnnotatorChoice(name=name)
        for name in annotators
    )
    detection = base.detection.model_copy(update={"annotators": choices, "merge": merge, "recall": {}})
    return base.model_copy(update={"detection": detection})


def with_recall_bias(policy: Policy, nats: float | Mapping[Label, float]) -> Policy:
    """Return the policy with a recall bias of `nats`, for every label or per label."""
    recall = nats if isinstance(nats, Mapping) else dict.fromkeys(Label, nats)
    return policy.model_copy(update={"detection": policy.detection.model_copy(update={"recall": dict(recall)})})


def judge_policy(policy: Policy, documents: Sequence[GoldDocument], staff: Staff = NO_STAFF) -> list[Judged]:
    """Return each document with the mentions that a detector with that policy finds."""
    found = Detector(policy, staff).detect([one.document for one in documents])
    return [
        Judged(one.document.id, one.document.text, one.mentions, mentions, one.document.type, one.author)
        for one, mentions in zip(documents, found, strict=True)
    ]


def combinations_table(documents: Sequence[GoldDocument], folder: Path, taggers: Sequence[str]) -> str:
    """Score each annotator alone, the rules together, pairs of sides, all annotators, and the merge rules."""
    sides: dict[str, tuple[str, ...]] = {"rules": RULES, **{name: (name,) for name in taggers}}
    runs: dict[str, tuple[tuple[str, ...], str]] = {name: ((name,), "average") for name in RULES}
    for size in range(1, len(sides) + 1):
        for chosen in combinations(sides, size):
            runs[" + ".join(chosen)] = (tuple(name for side in chosen for name in sides[side]), "average")
    everything = tuple(name for side in sides.values() for name in side)
    runs["all, decision procedure (T22)"] = (everything, "procedure")
    runs["all, weights (B19)"] = (everything, "weights")
    scores = {
        name: evaluate(judge_policy(policy_of(annotators, folder, taggers, merge), documents))
        for name, (annotators, merge) in runs.items()
    }
    return summary_table(scores, "annotators", "coarse")


def recall_table(policy: Policy, documents: Sequence[GoldDocument]) -> str:
    """Tabulate precision and recall by recall bias, equal for every label."""
    rows = []
    for nats in RECALL_BIASES:
        rows.append([f"{nats:g}", *_recall_row(evaluate(judge_policy(with_recall_bias(policy, nats), documents)))])
    return markdown(["nats", "P (car.)", "direct", "docs sans reste direct", "F1 chevauchement", "F1 mot"], rows)


def _recall_row(scores: Evaluation) -> list[str]:
    coarse = scores.schemes["coarse"]
    return [
        percent(scores.redaction["all"].precision),
        percent(scores.redaction["direct"].recall),
        percent(scores.share_fully_redacted("direct")),
        percent(coarse.micro("overlap").f1),
        percent(coarse.micro("token").f1),
    ]


def main() -> int:
    """Print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("held_out", type=Path)
    given = parser.parse_args()
    taggers = sorted(path.stem for path in given.held_out.glob("*.npz"))
    judged = set.intersection(*(set(held_out.load_distributions(given.held_out, name)) for name in taggers))
    known = [one for one in corpus.load_corpus(given.corpus) if one.document.id in judged]
    staff = corpus.load_staff(given.corpus)
    unknown = [one.without_identity() for one in known]
    default = load_policy()
    named = [choice.name for choice in default.detection.annotators]
    balanced = policy_of(named, given.held_out, taggers)
    shipped = with_recall_bias(balanced, default.detection.recall)
    runs = {
        "balanced": judge_policy(balanced, unknown),
        "default recall": judge_policy(shipped, unknown),
        "default recall, identity": judge_policy(shipped, known),
        "default recall, identity and staff": judge_policy(shipped, known, staff),
    }
    print(_HEAD.format(corpus=given.corpus.name, documents=len(known), authors=len({one.author for one in known})))
    print("## The shipped hybrid\n")
    print(summary_table({name: evaluate(judged) for name, judged in runs.items()}, "setting", "coarse"))
    for name in ("balanced", "default recall"):
        print(f"\n## Per label, {name}\n")
        print(class_table(evaluate(runs[name]), "coarse"))
        print()
        print(class_table(evaluate(runs[name]), "nocturne"))
    print("\n## Each annotator, alone and together, without identity\n")
    print(combinations_table(unknown, given.held_out, taggers))
    print("\n## The recall bias, without identity\n")
    print(recall_table(balanced, unknown))
    _print_groups("document type", runs["default recall"], lambda one: _head_word(one.type))
    _print_groups("author", runs["default recall"], lambda one: one.author)
    return 0


def _print_groups(heading: str, judged: Sequence[Judged], key: Callable[[Judged], str | None]) -> None:
    print(f"\n## Per {heading}, default recall, without identity\n")
    print(summary_table(evaluate_by(judged, key), heading, "coarse"))


def _head_word(kind: str | None) -> str:
    """Return the first words of a document type, by which the types, free text, are grouped."""
    return " ".join((kind or "–").casefold().replace("'", " ").split()[:2])


_HEAD = """# What each annotator is worth

Written by `make cross-validate` and, for the transformer, on a GPU, by `python -m nocturne_lab.learning.transformer
--config compact --without AUTHOR… --held-out var/held-out`; then `make ablation`. {documents} documents of {corpus},
{authors} authors; the taggers never saw a document of the author whose documents they tag. Figures in percent; how they
are counted is told in `lab/nocturne_lab/evaluation/scoring.py`.
"""


if __name__ == "__main__":
    raise SystemExit(main())
