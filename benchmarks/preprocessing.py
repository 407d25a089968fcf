"""Truecasing and the filter by parts of speech: false mentions and recall, with and without each.

    python -m benchmarks.preprocessing MODEL --authors w13 w19 [--texts FOLDER] [--every N]

MODEL is a folder of `bilstm_crf`, trained without these authors of corpus/train
(`python -m deid.learning.taggers.cross_validation corpus/train OUT --authors w13 w19`). Their documents are read as
written, in capitals and without any. FOLDER (or the environment variable NOCTURNE_TEXTS) holds the case reports of
`benchmarks.case_reports`; those of the sample `development` are read as written. The policy is the default one with
this model as its only tagger, since the transformer that ships has seen every author.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from benchmarks.case_reports import Verdict, listed, read_reports, read_verdicts, verdict_of
from deid.config import policy
from deid.config.policy import AnnotatorChoice, Policy
from deid.detection import Detector
from deid.domain.document import Document, Mention
from deid.evaluation.corpus import GoldDocument, load_corpus
from deid.evaluation.score_tables import markdown
from deid.evaluation.scoring import Judged, evaluate

ROOT = Path(__file__).parents[1]
SETTINGS: Mapping[str, Mapping[str, bool]] = {
    "neither": {},
    "truecasing": {"truecase": True},
    "parts of speech": {"parts_of_speech": True},
}
CASES: Mapping[str, Callable[[str], str]] = {
    "as written": lambda text: text,
    "in capitals": lambda text: _same_length(text, str.upper),
    "without capitals": lambda text: _same_length(text, str.lower),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--authors", nargs="+", required=True)
    parser.add_argument("--texts", type=Path, default=os.environ.get("NOCTURNE_TEXTS"))
    parser.add_argument("--every", type=int, default=1, help="take every n-th document")
    given = parser.parse_args()
    torch.set_num_threads(1)
    gold = [one.without_identity() for one in load_corpus(ROOT / "corpus/train") if one.author in given.authors]
    rows = []
    for name, switches in SETTINGS.items():
        detector = Detector(_policy(given.model, switches))
        for case, change in CASES.items():
            rows.append([f"letters, {case}", name, *_corpus_row(detector, gold[:: given.every], change)])
        if given.texts:
            rows.append(["case reports", name, *_reports_row(detector, Path(given.texts), given.every)])
    head = ["text", "used", "words", "false mentions per 1,000 words"]
    print(markdown([*head, "direct identifiers covered", "documents without a direct one left"], sorted(rows)))


def _policy(model: Path, switches: Mapping[str, bool]) -> Policy:
    default = policy.load()
    choices = [
        AnnotatorChoice(name=one.name, options={**one.options, "model": str(model)})
        if one.name == "bilstm_crf"
        else one
        for one in default.detection.annotators
        if one.name != "transformer"
    ]
    return default.model_copy(
        update={"detection": default.detection.model_copy(update={"annotators": tuple(choices), **switches})}
    )


def _corpus_row(detector: Detector, gold: Sequence[GoldDocument], change: Callable[[str], str]) -> list[str]:
    documents = [replace(one.document, text=change(one.document.text)) for one in gold]
    found = detector.detect(documents)
    scores = evaluate(
        Judged(one.document.id, document.text, one.mentions, mentions)
        for one, document, mentions in zip(gold, documents, found, strict=True)
    )
    false = sum(
        not any(one.overlaps(own) for own in known.mentions) for known, m in zip(gold, found, strict=True) for one in m
    )
    words = sum(len(one.text.split()) for one in documents)
    whole = scores.share_fully_redacted("direct") or 0.0
    return [
        f"{words:,}",
        f"{1000 * false / words:.2f}",
        f"{100 * (scores.redaction['direct'].recall or 0):.2f} %",
        f"{100 * whole:.1f} %",
    ]


def _reports_row(detector: Detector, folder: Path, every: int) -> list[str]:
    chosen = {row["document"] for row in listed() if row["sample"] == "development"}
    reports = [one for one in read_reports(folder) if one.id in chosen][::every]
    verdicts = read_verdicts()
    found = detector.detect([Document(id=one.id, text=one.text) for one in reports])
    false = sum(
        _is_false(one, verdicts.get(report.id, ())) for report, m in zip(reports, found, strict=True) for one in m
    )
    words = sum(len(one.text.split()) for one in reports)
    return [f"{words:,}", f"{1000 * false / words:.2f}", "", ""]


def _is_false(mention: Mention, verdicts: Sequence[Verdict]) -> bool:
    """Whether a mention was judged false; one that nobody judged counts as false."""
    verdict = verdict_of(mention.start, mention.end, verdicts)
    return verdict is None or not verdict.right


def _same_length(text: str, change: Callable[[str], str]) -> str:
    return "".join(new if len(new := change(letter)) == 1 else letter for letter in text)


if __name__ == "__main__":
    main()
