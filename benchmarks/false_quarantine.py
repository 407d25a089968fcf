"""Share of good documents that the checks hold back, as a Markdown table by source.

    python -m benchmarks.false_quarantine [--reports FILE…] [--patients N] [--each] > benchmarks/false_quarantine.md

A good document has no identifier left: every mention that its author marked is replaced (corpus, synthetic hospital).
`--reports` adds published case reports, in which nobody is named (`.xz` allowed): JSON lines with `id` and `text`, or
one text a line. Their mentions are those that the default policy finds. With `--each`, every document held back is
listed with the checks that it fails.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.domain.document import Document, Mention
from deid.domain.outcomes import Candidate, Severity, Verdict
from deid.quality import validate_batch
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.population import population
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.evaluation.intervals import share_interval

HEAD = """# False quarantine

Written by `python -m benchmarks.false_quarantine`. Documents without an identifier left: in those of the corpus and of
the synthetic hospital every mention that its author marked is replaced; case reports are published, nobody is named in
them (the one that cites the author of a textbook is left out), and their mentions are those that the default policy
finds. A document is held back if a critical check fails.

**{held} of {documents} good documents held back**, at most {most:.2f} % (Clopper–Pearson, 95 %, one-sided).
"""
HOMONYMS = """
Beside these: of the {documents} documents of the corpus, {held} are held back once the warehouse knows the patient,
because a name of the patient stands in them as another word ("sonde de Foley" in a letter on M. Foley). Their authors
named patients after eponyms, brands and diseases on purpose. Doubt about the patient's own name always holds back.
"""
BATCH = 200
# Case reports that name somebody: "(Neurology, Zarranz)".
NAMING = frozenset({"medical_cases_casimedicos_ccby-409"})

# A document and its mentions, marked by its author or found.
Marked = tuple[Document, Sequence[Mention]]


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=Path, nargs="+", default=[], help="published case reports, .xz allowed")
    parser.add_argument("--patients", type=int, default=300, help="patients of the synthetic hospital (default 300)")
    parser.add_argument("--each", action="store_true", help="list the documents held back")
    given = parser.parse_args()
    policy, tables = load_policy(), packaged_tables()
    substitutor = Substitutor(policy, bytes(range(32)), tables.communes, tables.names)
    found = {
        "corpus, patient unknown": _verdicts(_corpus(identified=False), substitutor),
        "synthetic hospital": _verdicts(_hospital(given.patients), substitutor),
    }
    detector = Detector(policy) if given.reports else None
    if detector is not None:
        reports = (one for path in given.reports for one in _reports(path, detector))
        found["case reports"] = _verdicts(reports, substitutor)
    print(_page(found))
    named = _verdicts(_corpus(identified=True), substitutor)
    print(HOMONYMS.format(documents=len(named), held=_held(named) - _held(found["corpus, patient unknown"])), end="")
    if given.each:
        print()
        for source, verdicts in found.items():
            for verdict in verdicts:
                if verdict.reasons:
                    print(f"- {source}, {verdict.document_id}: {', '.join(_failed(verdict))}")


def _corpus(*, identified: bool) -> Iterator[Marked]:
    for folder in ("train", "dev"):
        for gold in load_corpus(Path("corpus") / folder):
            yield (gold if identified else gold.without_identity()).document, gold.mentions


def _hospital(patients: int) -> Iterator[Marked]:
    for record in population(patients).records:
        yield record.document, record.mentions


def _reports(path: Path, detector: Detector) -> Iterator[Marked]:
    read = lzma.open if path.suffix == ".xz" else open
    with read(path, "rt", encoding="utf-8") as lines:
        read_lines = [_report(path, number, line) for number, line in enumerate(lines, 1)]
    documents = [one for one in read_lines if one.id not in NAMING]
    for start in range(0, len(documents), BATCH):
        part = documents[start : start + BATCH]
        yield from zip(part, detector.detect(part), strict=True)


def _report(path: Path, number: int, line: str) -> Document:
    if ".jsonl" in path.suffixes:
        row = json.loads(line)
        return Document(row["id"], row["text"])
    return Document(f"{path.name.partition('.')[0]}-{number}", line.strip())


def _held(verdicts: Sequence[Verdict]) -> int:
    return sum(bool(verdict.reasons) for verdict in verdicts)


def _verdicts(marked: Iterator[Marked], substitutor: Substitutor) -> list[Verdict]:
    candidates = [
        Candidate(document, tuple(mentions), substitutor.substitute(document, tuple(mentions)))
        for document, mentions in marked
    ]
    hiding = load_policy().substitution.hiding
    return [
        verdict
        for start in range(0, len(candidates), BATCH)
        for verdict in validate_batch(candidates[start : start + BATCH], hiding=hiding)
    ]


def _failed(verdict: Verdict) -> list[str]:
    return [item.check for item in verdict.outcomes if not item.success and item.severity is Severity.CRITICAL]


def _page(found: dict[str, list[Verdict]]) -> str:
    everything = [verdict for verdicts in found.values() for verdict in verdicts]
    held = _held(everything)
    most = 100 * share_interval(held, len(everything), 0.9)[1]
    rows = ["| source | documents | held back | checks that failed |", "| :-- | --: | --: | :-- |"]
    for source, verdicts in found.items():
        checks = Counter(check for verdict in verdicts for check in _failed(verdict))
        named = ", ".join(f"`{check}` {count}" for check, count in checks.most_common()) or "none"
        rows.append(f"| {source} | {len(verdicts)} | {_held(verdicts)} | {named} |")
    return "\n".join((HEAD.format(held=held, documents=len(everything), most=most), *rows))


if __name__ == "__main__":
    main()
