"""The shipped detector on documents of authors that nothing learned from, beside other models in one run.

    python -m benchmarks.unseen [corpus/unseen] [--other NAME=TAGGER=DIRECTORY …] > benchmarks/unseen.md

`--other before=transformer=OLD` judges the default policy once more with the model of `OLD` in the place of the one
that ships; two with the same NAME replace two models. Nothing is known of the patients.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from deid.config.policy import AnnotatorChoice, Policy
from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.domain.document import Mention
from deid.domain.errors import SettingsError
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.intervals import DRAWS, SEED, drawn_interval, resampled
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.evaluation.scoring import Judged, evaluate
from nocturne_lab.learning.ablation import with_recall_bias

RULES = ("patterns", "gazetteer", "context")
TAGGERS = ("bilstm_crf", "transformer")
FIGURES = (
    "word F1, %", "direct covered, %", "no direct left, % of documents", "none left, % of documents",
    "false per 1,000 words",
)  # fmt: skip
HEAD = """# Authors that nothing learned from

Written by `python -m benchmarks.unseen` (minutes). {documents} documents of {authors} authors ({words:,} words,
{mentions:,} mentions), of whom no model, table or threshold learned; nothing is known of the patients. Rules have
been mended for what reading some of them beside their surrogates showed, so that a new author may fare worse. 95 %
intervals by bootstrap of documents ({draws:,} draws). Balanced: without the recall bias of the default policy.
Documents have {each:.0f} mentions each, several times as many as a hospital's, so that "none left" is harsher than it
would be there.
"""


def policy_of(names: Sequence[str], models: Mapping[str, str], *, balanced: bool) -> Policy:
    """Return the default policy with these annotators, some with other models, with or without its recall bias."""
    base = load_policy()
    choices = tuple(
        AnnotatorChoice(name=one.name, options={**one.options, "model": models[one.name]})
        if one.name in models
        else one
        for one in base.detection.annotators
        if one.name in names
    )
    policy = base.model_copy(update={"detection": base.detection.model_copy(update={"annotators": choices})})
    return with_recall_bias(policy, {}) if balanced else policy


def row(documents: Sequence[GoldDocument], found: Sequence[Sequence[Mention]]) -> list[str]:
    """Return `FIGURES` of a run, each with its interval."""
    counts = np.array([[*_counts(one, mentions)] for one, mentions in zip(documents, found, strict=True)], dtype=float)
    drawn = np.vstack([np.ones(len(counts)), resampled(len(counts), SEED, DRAWS)]) @ counts
    right, predicted, gold, covered, direct, clean, bare, false, words, each = drawn.T
    figures = (
        200 * right / (predicted + gold), 100 * covered / direct, 100 * clean / each, 100 * bare / each,
        1000 * false / words,
    )  # fmt: skip
    return [_interval(figure) for figure in figures]


def _counts(gold: GoldDocument, mentions: Sequence[Mention]) -> Iterator[float]:
    whole = evaluate([Judged(gold.document.id, gold.document.text, gold.mentions, mentions)])
    tally = whole.schemes["coarse"].micro("token")
    yield from (tally.right, tally.predicted, tally.gold)
    direct = whole.redaction["direct"]
    yield from (direct.found, direct.gold, whole.fully_redacted["direct"], whole.fully_redacted["all"])
    yield sum(not any(one.overlaps(true) for true in gold.mentions) for one in mentions)
    yield from (len(gold.document.text.split()), 1)


def _interval(drawn: np.ndarray) -> str:
    low, high = drawn_interval(drawn[1:])
    return f"{drawn[0]:.1f} ({low:.1f}–{high:.1f})"


def main() -> int:
    """Print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", type=Path, default=Path("corpus/unseen"))
    parser.add_argument("--other", nargs="*", default=(), metavar="NAME=TAGGER=DIRECTORY")
    given = parser.parse_args()
    others: dict[str, dict[str, str]] = defaultdict(dict)
    for one in given.other:
        name, tagger, directory = one.split("=", 2)
        if tagger not in TAGGERS:
            raise SettingsError(f"--other {one}: no tagger {tagger}.", f"Name one of {', '.join(TAGGERS)}.")
        others[name][tagger] = directory
    documents = [one.without_identity() for one in load_corpus(given.corpus)]
    everything = [one.name for one in load_policy().detection.annotators]
    runs: dict[str, Policy] = {}
    named: dict[str, dict[str, str]] = {"": {}, **others}
    for name, models in named.items():
        said = f", {name}" if name else ""
        if not name:
            runs["rules"] = policy_of(RULES, models, balanced=True)
        for tagger in TAGGERS:
            if not name or tagger in models:
                runs[f"{tagger}{said}"] = policy_of((tagger,), models, balanced=True)
        runs[f"all, balanced{said}"] = policy_of(everything, models, balanced=True)
        runs[f"all, default{said}"] = policy_of(everything, models, balanced=False)
    found = {name: Detector(policy).detect([one.document for one in documents]) for name, policy in runs.items()}
    words = sum(len(one.document.text.split()) for one in documents)
    mentions = sum(len(one.mentions) for one in documents)
    authors = sorted({one.author for one in documents})
    print(
        HEAD.format(
            documents=len(documents), authors=len(authors), words=words, mentions=mentions, draws=DRAWS,
            each=mentions / len(documents),
        )
    )  # fmt: skip
    print(markdown(["run", *FIGURES], [[name, *row(documents, mentions)] for name, mentions in found.items()]))
    print("\n## By author, default\n")
    rows = []
    for author in authors:
        own = [at for at, one in enumerate(documents) if one.author == author]
        rows.append([author, *row([documents[at] for at in own], [found["all, default"][at] for at in own])])
    print(markdown(["author", *FIGURES], rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
