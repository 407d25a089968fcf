"""Fit the weights of cues of a capital: `python -m deid.learning.truecasing CORPUS/train`.

A logistic regression over the cues of `deid.detection.preprocessing.truecasing` on words of annotated documents inside
a sentence and in a line of both cases, where capitals are informative. Writes `deid/models/truecasing/weights.json`;
prints the share of words with the right case on every fifth document, left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from deid.detection.names import is_upper
from deid.detection.preprocessing.truecasing import WEIGHTS, case_features, caseless
from deid.detection.reading import Reading
from deid.domain.document import Document
from deid.evaluation.corpus import load_corpus
from deid.learning.cues import fit_cues as fit_cues

Example = tuple[list[tuple[str, float]], bool]
_RIDGE = 1.0


def case_examples(document: Document) -> Iterator[Example]:
    """Return cues and case of words with an informative case: neither the first of a sentence nor an acronym."""
    reading = Reading(document)
    for index, word in enumerate(reading.words):
        before = reading.word(index - 1)
        opens = before in ("", "\n", ".", "!", "?", ":", "-", "•", "–", "«", '"', ";", "(", "|", "/", "=", ">", "*")
        if not word.isalpha() or opens or caseless(reading, index):
            continue
        acronym = is_upper(reading, index) and len(word) < 6
        if not acronym:
            yield list(case_features(reading, index)), reading.capitals[index]


def fit_truecasing(known: Sequence[Example]) -> dict[str, float]:
    """Return the weights of every cue present."""
    # Two classes of opposite weights: the ridge of both is half that of their difference, hence the factor.
    found = fit_cues([(row, int(capital)) for row, capital in known], 2, 2 * _RIDGE)
    return {name: round(capital - other, 3) for name, (other, capital) in found.items()}


def figures(weights: Mapping[str, float], known: Sequence[Example]) -> tuple[float, float, float]:
    """Return the share of words with the right case, and precision and recall of capitals."""
    guessed = [sum(weights.get(name, 0.0) * value for name, value in row) >= 0 for row, _ in known]
    true = [capital for _, capital in known]
    both = sum(one and other for one, other in zip(guessed, true, strict=True))
    right = sum(one == other for one, other in zip(guessed, true, strict=True))
    return right / len(known), both / max(1, sum(guessed)), both / max(1, sum(true))


def main() -> int:
    """Fit, measure, write; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of annotated documents")
    parser.add_argument("--output", type=Path, default=WEIGHTS, help="where the weights go")
    given = parser.parse_args()
    known = [list(case_examples(one.document)) for one in load_corpus(given.folder)]
    left_out = [one for at, rows in enumerate(known) if at % 5 == 0 for one in rows]
    learnt = [one for at, rows in enumerate(known) if at % 5 for one in rows]
    right, precision, recall = figures(fit_truecasing(learnt), left_out)
    print(f"left out: {right:.4f} of words in their case; capitals: precision {precision:.4f}, recall {recall:.4f}")
    weights = fit_truecasing([*learnt, *left_out])
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps(weights, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
