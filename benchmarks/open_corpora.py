"""Gain of a first stage on WikiNER: networks trained with and without it, scored on authors left out.

    python -m benchmarks.open_corpora corpus/train wikiner_fr_train.jsonl.gz FOLDER > benchmarks/open_corpora.md

Both networks learn from the same part of the annotated documents. `FOLDER` keeps the networks. The open corpus is one
that `nocturne train --open` takes (`nocturne_lab.learning.open_corpora`); Tchouka et al. 2022, section 3.3, trained on
WikiNER.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from benchmarks.distant import detected, with_model
from benchmarks.trained_once import train_once
from deid.config.policy import DEFAULT, load
from nocturne_lab.evaluation.comparison import compare_found
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.learning.ablation import RULES
from nocturne_lab.learning.open_corpora import CORPORA
from nocturne_lab.learning.taggers.training import FULL

LEFT_OUT = ("w15", "w18", "w21", "w25", "w27")
RECIPE = replace(
    FULL, copies=0, bilstm=replace(FULL.bilstm, epochs=5), flair=replace(FULL.flair, epochs=5)
)  # the first stage is that of the full recipe
NAMED = ("PERSON", "PATIENT", "DOCTOR", "CITY", "LOC", "ORG")  # the labels of which WikiNER speaks
FIGURES = ("exact_f1", "token_f1", "clean", "false", *(f"recall/{label}" for label in NAMED))
HEAD = """# Training with and without an open corpus

Written by `python -m benchmarks.open_corpora {corpus} {name} FOLDER`; the trainings took {minutes:.0f} minutes of
processor. A network learns from annotated documents of `{corpus}` ({epochs} epochs, no altered copies, subword
embeddings that ship); the other has read {name} before ({first} epochs of up to {tokens:,} tokens; licence:
{licence}). Both are scored on the same {unseen} documents of {authors} authors left out, by themselves
and with the rules; nothing is known of the patients. 95 % intervals by bootstrap of documents, the same draws for both
sides. `clean` is the share of documents that keep no direct identifier, `false` counts mentions without need per 1,000
words, `recall` counts mentions of a label that share a character with one found.

QUAERO, the other corpus of Tchouka et al., is read by `--open` too, but was not measured: its annotations were not at
hand, only its text.
"""


def main() -> int:
    """Print the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("open", type=Path, help="file of an open corpus")
    parser.add_argument("folder", type=Path, help="keeps the networks")
    parser.add_argument("--kinds", default="bilstm_crf", help="networks to train, separated by commas")
    parser.add_argument("--every", type=int, nargs="+", default=[4], help="learn from one document in so many")
    given = parser.parse_args()
    torch.set_num_threads(1)
    documents = [one.without_identity() for one in load_corpus(given.corpus)]
    others = [one for one in documents if one.author not in LEFT_OUT]
    unseen = [one for one in documents if one.author in LEFT_OUT][::2]
    minutes, tables = 0.0, []
    for kind in given.kinds.split(","):
        for every in given.every:
            learned = others[::every]
            pair = [
                train_once(kind, learned, RECIPE, given.folder / f"{kind}_{every}_{name}", files)
                for name, files in (("without", ()), ("with", (given.open,)))
            ]
            minutes += sum(one.minutes for one in pair)
            without, after = (one.model for one in pair)
            tables.append(f"## {kind}, {len(learned)} annotated documents\n\n" + _table(kind, without, after, unseen))
    print(
        HEAD.format(
            corpus=given.corpus,
            name=given.open.name,
            minutes=minutes,
            epochs=RECIPE.bilstm.epochs,
            first=RECIPE.open_epochs,
            tokens=RECIPE.open_tokens,
            licence=CORPORA[given.open.name].licence,
            unseen=len(unseen),
            authors=len(LEFT_OUT),
        )
    )
    print("\n\n".join(tables))
    return 0


def _table(kind: str, without: Path, after: Path, unseen: Sequence[GoldDocument]) -> str:
    """Tabulate the figures of both networks, alone and with the rules, and their differences."""
    policy, lines = load(DEFAULT), []
    for rules in ((), RULES):
        candidate, serving = (detected(with_model(policy, kind, model, rules), unseen) for model in (after, without))
        compared = compare_found(unseen, candidate, serving)
        name = f"rules and {kind}" if rules else kind
        for figure in FIGURES:
            sides = (compared.serving, compared.candidate, compared.difference)
            lines.append([name, figure.replace("_", " "), *(str(side[figure]) for side in sides)])
    return markdown(["system", "figure", "without", "with", "with less without"], lines)


if __name__ == "__main__":
    raise SystemExit(main())
