"""False mentions of the detector: on published case reports, and on authors that its taggers never saw.

    python -m benchmarks.precision [--texts FOLDER] [--sample development] [--unjudged]
    python -m benchmarks.precision [--texts FOLDER] --write [--held-out FOLDER]

The first form counts false mentions in one sample of case reports. The second writes `precision.md` and
`precision.svg` beside this file, compared with commit `BEFORE`. FOLDER of `--texts` (or the environment variable
NOCTURNE_TEXTS) holds the texts that `benchmarks.case_reports` names. `--held-out` is what this wrote:

    make cross-validate ARGS="--authors w13 w19 --embeddings deid/models/bilstm_crf/embeddings.safetensors"
    python -m nocturne_lab.learning.taggers.continuation corpus/train PROSE var/held-out/fold-w13/continued \
        --start var/held-out/fold-w13/bilstm_crf --without w13 w19

taggers trained without these authors, whose tags the transformer that ships has not learned either: the first for
commit `BEFORE`, the second for now (PROSE: `python -m nocturne_lab.learning.medical_prose`). A mention of a
report that nobody has judged is counted apart and, with `--unjudged`, listed with its surroundings.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from benchmarks import case_reports, left_out
from benchmarks.case_reports import SAMPLES, SOURCES, CaseReport, Read
from benchmarks.left_out import Counts
from deid.domain.document import Mention
from deid.domain.errors import InputRefused, NocturneError
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.score_tables import markdown

ROOT = Path(__file__).parents[1]
WORKER = Path(__file__).with_name("detect_in_checkout.py")
PAGE, PLOT = Path(__file__).with_name("precision.md"), Path(__file__).with_name("precision.svg")
BEFORE = "3010d52"
POLICIES = ("default", "balanced")
NATS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
AUTHORS = ("w13", "w19")
TIMES = 3

Found = list[list[Mention]]
Result = TypeVar("Result")


def detect(
    checkout: Path, documents: Sequence[tuple[str, str]], runs: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Found], dict[str, float]]:
    """Return the mentions of each run by document, and its processor seconds, by the library of a checkout.

    Args:
        checkout: folder of the library.
        documents: identifier and text.
        runs: `name`, `policy`, and perhaps `nats`, `models`, `timed` (`benchmarks/detect_in_checkout.py`).
    """
    answer = subprocess.run(
        [sys.executable, str(WORKER)],
        input=json.dumps({"documents": documents, "runs": runs}),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"},
        cwd=checkout,
        text=True,
        check=True,
    )
    told = json.loads(answer.stdout)
    found = {
        name: [[Mention(start, end, Label(label)) for start, end, label in own] for own in texts]
        for name, texts in told["found"].items()
    }
    return found, told["seconds"]


def shipped_runs() -> list[dict[str, Any]]:
    """Return a run per policy compared."""
    return [{"name": name, "policy": name} for name in POLICIES]


def read_in(checkout: Path, reports: Sequence[CaseReport]) -> dict[str, list[Read]]:
    """Return the case reports as read by each policy of a checkout."""
    found, _ = detect(checkout, [(one.id, one.text) for one in reports], shipped_runs())
    return {name: case_reports.judged(reports, found[name]) for name in POLICIES}


def counted_in(
    checkout: Path, documents: Sequence[GoldDocument], runs: Sequence[Mapping[str, Any]]
) -> dict[str, Counts]:
    """Return the counts of each run of a checkout over annotated documents, without the patients' identities."""
    found, _ = detect(checkout, [(one.document.id, one.document.text) for one in documents], runs)
    return {name: left_out.count(documents, mentions) for name, mentions in found.items()}


def speeds(checkouts: Mapping[str, Path], documents: Sequence[GoldDocument]) -> dict[str, float]:
    """Return characters per second of one thread, the median of `TIMES` processes in turns, by checkout."""
    texts = [(one.document.id, one.document.text) for one in documents]
    seconds: dict[str, list[float]] = {name: [] for name in checkouts}
    for _ in range(TIMES):
        for name, checkout in checkouts.items():
            _, spent = detect(checkout, texts, [{"name": "timed", "policy": "default", "timed": True}])
            seconds[name].append(spent["timed"])
    characters = sum(len(text) for _, text in texts)
    return {name: characters / statistics.median(spent) for name, spent in seconds.items()}


def write_page(reports: Sequence[CaseReport], held_out: Path) -> None:
    """Measure everything, and write the page and the plot.

    Raises:
        InputRefused: the taggers trained without `AUTHORS` are missing.
    """
    fold = held_out / f"fold-{min(AUTHORS)}"
    models = {"before": fold / "bilstm_crf", "after": fold / "continued" / "bilstm_crf"}
    for model in models.values():
        if not model.is_dir():
            raise InputRefused(f"{model} is missing.", "Train it as benchmarks/precision.py says (an hour).")
    train = [one for one in load_corpus(ROOT / "corpus" / "train") if one.author in AUTHORS]
    dev = load_corpus(ROOT / "corpus" / "dev")
    runs = shipped_runs() + [{"name": f"{nats:g}", "policy": "default", "nats": nats} for nats in NATS]
    left_out_runs = {
        version: [{**run, "models": {"bilstm_crf": str(model.resolve())}} for run in runs]
        for version, model in models.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", str(ROOT), "archive", BEFORE], stdout=subprocess.PIPE, check=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        checkouts = {"before": Path(folder), "after": ROOT}
        read = _in_each(checkouts, lambda version: read_in(checkouts[version], reports))
        authors = _in_each(checkouts, lambda version: counted_in(checkouts[version], train, left_out_runs[version]))
        others = _in_each(checkouts, lambda version: counted_in(checkouts[version], dev, shipped_runs()))
        speed = speeds(checkouts, train)
    curves = {version: {nats: counts[f"{nats:g}"] for nats in NATS} for version, counts in authors.items()}
    left_out.plot(PLOT, curves, {version: counts["default"] for version, counts in authors.items()})
    PAGE.write_text(page(read, authors, others, speed, len(train), len(dev)), encoding="utf-8")


def _in_each(versions: Collection[str], work: Callable[[str], Result]) -> dict[str, Result]:
    with ThreadPoolExecutor(len(versions)) as pool:
        return dict(zip(versions, pool.map(work, versions), strict=True))


def page(
    read: Mapping[str, Mapping[str, Sequence[Read]]],
    authors: Mapping[str, Mapping[str, Counts]],
    dev: Mapping[str, Mapping[str, Counts]],
    speed: Mapping[str, float],
    documents: int,
    dev_documents: int,
) -> str:
    """Return the page."""
    curve = [authors["before"][f"{nats:g}"] for nats in NATS]
    before, after = authors["before"]["default"].figures()[0], authors["after"]["default"].figures()[0]
    equal = left_out.false_at_equal_recall(curve, authors["after"]["default"])
    parts = [
        "# Precision: what detection changes without need",
        HEAD.format(before=BEFORE, after=_commit()),
        "## Case reports",
        REPORTS,
        case_reports.reports_table(_by_sample(read)),
        "By source, test sample, after:",
        case_reports.reports_table(_by_source(read["after"])),
        "What the false mentions of the test sample are:",
        case_reports.reasons_table({name: reports for name, reports in _by_sample(read).items() if "test" in name}),
        "## Authors left out",
        AUTHORS_LEFT_OUT.format(authors=" and ".join(AUTHORS), documents=documents),
        left_out.summary_table(_named(authors)),
        "By label, false mentions per 1,000 words:",
        left_out.labels_table(_named(authors)),
        "## Leaks against false mentions",
        f"![Frontier]({PLOT.name})",
        FRONTIER.format(
            before=before,
            after=after,
            apart="have no point in common" if before.apart(after) else "overlap",
            equal=equal,
            equal_apart="has no point in common with" if equal.apart(after) else "overlaps",
        ),
        _curves_table(authors),
        "## corpus/dev",
        f"{dev_documents} documents, all that ships, patients unknown. Reported only: nothing is tuned on them.",
        left_out.summary_table(_named(dev)),
        "## Speed",
        SPEED.format(ratio=speed["after"] / speed["before"], times=TIMES, **speed),
    ]
    return "\n\n".join(part if part.startswith(("|", "# ")) else _filled(part) for part in parts) + "\n"


def _commit() -> str:
    asked = ["git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD"]
    return subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def _filled(text: str) -> str:
    return "\n\n".join(textwrap.fill(part, 120, break_long_words=False) for part in text.split("\n\n"))


def _by_sample(read: Mapping[str, Mapping[str, Sequence[Read]]]) -> dict[str, list[Read]]:
    return {
        f"{sample}, {policy}, {version}": [one for one in own[policy] if one.report.sample == sample]
        for sample in reversed(SAMPLES)
        for policy in POLICIES
        for version, own in read.items()
    }


def _by_source(read: Mapping[str, Sequence[Read]]) -> dict[str, list[Read]]:
    return {
        f"{source.partition(',')[0]}, {policy}": [
            one for one in read[policy] if one.report.source == source and one.report.sample == "test"
        ]
        for source, _ in SOURCES.values()
        for policy in POLICIES
    }


def _named(counts: Mapping[str, Mapping[str, Counts]]) -> dict[str, Counts]:
    return {f"{policy}, {version}": own[policy] for policy in POLICIES for version, own in counts.items()}


def _curves_table(authors: Mapping[str, Mapping[str, Counts]]) -> str:
    rows = []
    for nats in NATS:
        cells = [figure for counts in authors.values() for figure in counts[f"{nats:g}"].figures()[:2]]
        rows.append([f"{nats:g}", *map(str, cells)])
    head = [f"{figure}, {version}" for version in authors for figure in ("false per 1,000 words", "direct covered, %")]
    return markdown(["nats", *head], rows)


HEAD = """Written by `python -m benchmarks.precision --write`. "Before" is commit {before}, "after" is {after}; both
ran on the same texts in one go. Intervals are 95 %, by bootstrap of documents (2,000 draws)."""
REPORTS = """Two samples of 200 published French case reports, chosen by the hash of the article: 150 of the Pan African
Medical Journal and 50 of CasiMedicos each. No tagger learned tags from them: the network learned from other articles of
these sources, screened by sentence (`nocturne_lab.learning.medical_prose`). The Pan African cases are among the
unmarked texts of masked words, of the subword embeddings and of the table of medical words (NOTICE); these articles of
CasiMedicos are in nothing that ships. Each mention that either version finds was read in its sentence and judged by the
annotation guide (corpus/GUIDE.md): ages, dates, initials, places and named hospitals, of which there are many, are
right. The verdicts stand in `case_reports.judgements.csv`. Detection was mended on the development sample; 69 reports
of the test sample were read while numbers and durations were mended, so its figure may be better than that of texts
that nobody has read.

`clinical values changed` are false mentions on a measured value, dose, posology, score, drug or the name of what a
laboratory measures; `numbers with a unit touched` is counted by a regular expression, whatever was judged. `right but
missed` are places that were judged right in any run and that this run does not find."""
AUTHORS_LEFT_OUT = """{documents} documents of the authors {authors}, the patients unknown. The recurrent network was
trained without them; that of after was continued on medical prose, as what ships.
The transformer is the one that ships: it learned no tag of these authors (they chose its epoch
and its temperature), but it read their words without tags. A transformer without other authors needs a GPU, so no
others were left out here; `ablation.md` has three others, measured earlier. A mention is false that shares no
character with an annotated one."""
FRONTIER = """A line is the recall setting, the same number of nats for every label; diamonds are the default policy.
At the default, false mentions per 1,000 words were {before} and are {after}: the intervals {apart}. Where the line of
before covers as many characters of direct identifiers as the default of after, it has {equal} false mentions per 1,000
words; this interval {equal_apart} that of after."""
SPEED = """One thread, processor time, default policy, the texts of the authors left out, {times} processes of each in
turns: {before:,.0f} characters per second before, {after:,.0f} after, ratio {ratio:.2f}."""


def main() -> int:
    """Print the tables of one sample, or write the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, default=os.environ.get("NOCTURNE_TEXTS"), help="folder of case reports")
    parser.add_argument("--sample", choices=SAMPLES, default="development")
    parser.add_argument("--unjudged", action="store_true", help="list the mentions that nobody has judged")
    parser.add_argument("--write", action="store_true", help="write precision.md and precision.svg (ten minutes)")
    parser.add_argument("--held-out", type=Path, default=ROOT / "var" / "held-out", help="taggers without the authors")
    given = parser.parse_args()
    if given.texts is None:
        parser.error("the folder of the case reports is missing: give --texts, or set NOCTURNE_TEXTS")
    try:
        reports = case_reports.read_reports(Path(given.texts))
        if given.write:
            write_page(reports, given.held_out)
            return 0
    except NocturneError as error:
        print(error, file=sys.stderr)
        return 1
    runs = read_in(ROOT, [one for one in reports if one.sample == given.sample])
    print(case_reports.reports_table(runs), case_reports.reasons_table(runs), sep="\n\n")
    if given.unjudged:
        print("", *case_reports.unjudged_list(runs), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
