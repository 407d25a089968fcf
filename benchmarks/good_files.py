"""Pass good files of every format through the product, and count those that the search of written files holds back.

    python -m benchmarks.good_files [--each] [--write]

A good file is a letter of the corpus, written in a format drawn at random, with nothing planted in it.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from benchmarks.hostile_files import ENDINGS, SEED, Product, letters
from deid.domain.document import Patient
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.evaluation.intervals import share_interval
from nocturne_lab.evaluation.score_tables import markdown

PAGE = Path(__file__).with_suffix(".md")
CORPUS = Path(__file__).parents[1] / "corpus"
_TELLING = frozenset({"cda", "csv", "dicom", "fhir", "hl7", "xlsx"})  # formats with a patient of their own
_SEARCH = "substitution_failed: the written file holds a replaced value"
_CHECKS = ": failed: "  # in the reason of a document that other checks hold back

_PAGE = """# Good files that the search holds back

Written by `python -m benchmarks.good_files --write`. The {letters} letters of `corpus/unseen` and `corpus/dev`, each as
a file of one format drawn at random, under the policy `rules`; the product knows the patient whom the corpus tells,
or the file's own fields. The search of written files ([formats](../docs/formats.md)) looks at each that could be read,
before the other checks do, and is meant to hold back 1 % of them at most.

**{held} of {searched} held back by the search** ({least:.2%} to {most:.2%}, Clopper–Pearson, 95 %).

{outcomes}
"""


def good_files(random: Random) -> Iterator[tuple[str, bytes, Patient]]:
    """Yield files: name, content, patient."""
    for gold in (one for folder in ("unseen", "dev") for one in load_corpus(CORPUS / folder)):
        made = letters([line for line in gold.document.text.splitlines() if line.strip()])
        (kind,) = random.sample(sorted(made), 1)
        patient = Patient() if kind in _TELLING else gold.document.patient
        yield f"{gold.document.id}.{ENDINGS.get(kind, kind)}", made[kind], patient


def page(outcomes: Sequence[bytes | str]) -> str:
    """Return the page of what became of files: bytes, or the reason why nothing was written."""
    told = ["written" if isinstance(one, bytes) else one for one in outcomes]
    held = sum(one.startswith(_SEARCH) for one in told)
    searched = held + sum(one == "written" or _CHECKS in one for one in told)
    least, most = share_interval(held, searched)
    short = Counter(_SEARCH if one.startswith(_SEARCH) else one.partition(":")[0] for one in told)
    return _PAGE.format(
        letters=len(outcomes),
        held=held,
        searched=searched,
        least=least,
        most=most,
        outcomes=markdown(["outcome", "files"], [[name, str(count)] for name, count in short.most_common()]),
    )


def main() -> int:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", action="store_true", help="list the files that are held back")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    given = parser.parse_args()
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    files = list(good_files(Random(SEED)))  # noqa: S311  (a measurement, no secret)
    outcomes = Product().write(files)
    text = page(outcomes)
    if given.write:
        PAGE.write_text(text, "utf-8")
    print(text)
    for (name, _, _), outcome in zip(files, outcomes, strict=True) if given.each else ():
        if isinstance(outcome, str):
            print(f"- {name}: {outcome}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
