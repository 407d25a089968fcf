"""Exposure of planted canaries in taggers of the small recipe, and the names in the files of the models that ship.

    python -m benchmarks.memorisation [--write]

Trains each tagger on the first documents of `corpus/train` with canaries (three minutes on one core), and measures the
exposure of these, and of others that were not planted. With `--write`, writes `memorisation.md` beside this file.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from deid.models import FOLDER
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.learning.memorisation import (
    BOUND,
    DRAWS,
    TIMES,
    Exposure,
    measure_exposure,
    plant_canaries,
    search_files,
    telling_strings,
)
from nocturne_lab.learning.taggers.training import SMALL, train_tagger

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("memorisation.md")
PLANTED, OTHERS = 7, 8  # seeds
DOCUMENTS = (100, 400)
KINDS = ("crf", "bilstm_crf")
HEAD = """Written by `python -m benchmarks.memorisation --write`. Small recipe, the first documents of `corpus/train`;
eight canaries in one document each, eight in eight documents each. Mean exposure in bits (highest), among {draws}
other draws; by chance the mean is 1.4, and the mean of eight above {bound:g} once in 150 models."""
NAMES = """Names and numbers of `corpus/train` (all invented) that no public table has: {strings}. Files of models that
ship with some of them as a word, or as an entry of a vocabulary:"""


def exposures() -> list[list[str]]:
    """Return a row per tagger, number of documents, and canaries planted or not."""
    corpus = load_corpus(ROOT / "corpus" / "train")
    rows = []
    for size in DOCUMENTS:
        planted = plant_canaries(corpus[:size], PLANTED)
        for kind in KINDS:
            with tempfile.TemporaryDirectory() as folder:
                model = train_tagger(kind, planted, SMALL, Path(folder))
                for name, seed in (("planted", PLANTED), ("others", OTHERS)):
                    found = measure_exposure(model, seed)["tags"]
                    rows.append([kind, str(size), name, *map(_cell, found)])
    return rows


def _cell(found: Exposure) -> str:
    return f"{found.mean:.1f} ({found.highest:.1f})"


def page() -> str:
    """Return the page."""
    strings = telling_strings(load_corpus(ROOT / "corpus" / "train"))
    found = [
        [kind, file, str(hits)]
        for kind in ("crf", "bilstm_crf", "transformer")
        for file, hits in search_files(FOLDER / kind, strings).items()
    ]
    parts = [
        "# Memorisation: what trained taggers tell of their corpus",
        HEAD.format(draws=f"{DRAWS:,}", bound=BOUND),
        markdown(["model", "documents", "canaries", *(f"in {times} document(s)" for times in TIMES)], exposures()),
        NAMES.format(strings=f"{len(strings):,}"),
        markdown(["model", "file", "strings"], found),
    ]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Print the page, or write it; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write memorisation.md")
    given = parser.parse_args()
    text = page()
    if given.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
