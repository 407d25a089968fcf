"""Distant supervision on the synthetic hospital, as figure 5 and tables 5, 8 and 9 of El Azzouzi et al. 2024.

    python -m benchmarks.distant > benchmarks/distant.md
    python -m benchmarks.distant --memory 2000 20000      (peak resident memory by number of documents)

The documents of four patients in five are labelled without their true mentions and train the taggers; those of the
others (validation and test) are scored against their true mentions. On `corpus/dev`, which is reported only, a tagger
trained on the distant labels of `corpus/train` is scored beside the distant labels themselves.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from deid.config.policy import DEFAULT, AnnotatorChoice, Policy, load
from deid.detection import Detector
from deid.detection.staff import NO_STAFF, Staff
from deid.domain.document import Document, Mention, Professional
from deid.domain.labels import SCHEMES
from deid.evaluation.comparison import compare_found
from deid.evaluation.corpus import GoldDocument, load_corpus, load_staff
from deid.evaluation.score_tables import class_table, markdown
from deid.evaluation.scoring import Evaluation, Judged, evaluate
from deid.learning.distant.corpus import Labeller, build_corpus, split_of
from deid.learning.distant.statistics import as_tables
from deid.learning.taggers.training import SMALL, train_tagger
from demo.hospital.build import setting_of
from demo.hospital.streams import Stream
from demo.population import SEED, population

RULES = ("patterns", "gazetteer", "context", "identity")
FIGURES = ("exact_precision", "exact_recall", "exact_f1", "token_f1", "clean", "false")
E24 = SCHEMES["e24"]
HEAD = """# Distant labels and what is trained on them

Written by `{command}` in {minutes:.0f} minutes of processor.
Synthetic hospital: {trained} documents of {trainers} patients are labelled by the labelling functions and train the
taggers (small recipes); {held} documents of {holders} other patients are scored against their true mentions. Intervals
are 95 %, by bootstrap of documents. `clean` is the share of documents that keep no direct identifier, `false` counts
mentions without need per 1,000 words. The default policy's own taggers learned from `corpus/train`, never from this
hospital. The hospital's texts come from templates: a tagger learns them more easily than real ones."""

Found = list[tuple[Mention, ...]]


def main() -> int:
    """Print the page, or the memory that a corpus takes; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=80, help="of the synthetic hospital (default 80)")
    parser.add_argument("--kinds", default="crf,bilstm_crf", help="taggers to train, separated by commas")
    parser.add_argument("--memory", type=int, nargs="+", help="numbers of documents: measure memory instead")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.one:
        print(_memory_of(given.one))
    elif given.memory:
        print(_memory_table(given.memory))
    else:
        _print_page(given.patients, given.kinds.split(","))
    return 0


def _print_page(patients: int, kinds: Sequence[str]) -> None:
    staff, documents = _hospital(patients)
    splits = [split_of(str(one.document.patient.key)) for one in documents]
    train = [one for one, split in zip(documents, splits, strict=True) if split == "train"]
    held = [one for one, split in zip(documents, splits, strict=True) if split != "train"]
    policy = load(DEFAULT)
    labeller = Labeller(policy.detection, staff)
    with TemporaryDirectory() as folder:
        home = Path(folder)
        built = build_corpus([one.document for one in documents], home / "corpus", policy.detection, staff)
        noisy = load_corpus(home / "corpus" / "train")
        runs: dict[str, Found] = {"distant labels (agreement)": _labels(labeller, held)}
        learned = Labeller(policy.detection, staff)
        learned.learn(one.document for one in train)
        runs["distant labels (label model)"] = _labels(learned, held)
        for kind in kinds:
            model = train_tagger(kind, noisy, SMALL, home / "hospital")
            runs[f"{kind} trained on them"] = _detected(_with_model(policy, kind, model), held)
            runs[f"rules and that {kind}"] = _detected(_with_model(policy, kind, model, RULES), held, staff)
        runs["hybrid, default policy"] = _detected(policy, held, staff)
        dev = _dev_section(policy, home)
    print(
        HEAD.format(
            command="python -m benchmarks.distant",
            minutes=time.process_time() / 60,
            trained=len(train),
            trainers=len({one.document.patient.key for one in train}),
            held=len(held),
            holders=len({one.document.patient.key for one in held}),
        )
    )
    print("\n## The corpus (table 5)\n\n" + as_tables(built.splits))
    print("\n## Systems on held-out patients, E24's eight classes (figure 5)\n\n" + _figure_table(held, runs, e24=True))
    print("\n## The same over all nineteen labels\n\n" + _figure_table(held, runs, e24=False))
    first, *_, _ = runs
    trained = f"{kinds[-1]} trained on them"
    for name, number in ((trained, 8), (first, 9)):
        print(f"\n## {name}: by class (table {number})\n\n" + class_table(_evaluation(held, runs[name]), "e24"))
    print("\n" + dev)


def _dev_section(policy: Policy, home: Path) -> str:
    """Score distant labels of `corpus/dev`, and a tagger trained on the distant labels of `corpus/train`."""
    corpus = load_corpus(Path("corpus/train"))
    labeller = Labeller(policy.detection, load_staff(Path("corpus/train")))
    noisy = [replace(one, mentions=labeller.label(one.document)[0]) for one in corpus]
    model = train_tagger("crf", noisy, SMALL, home / "corpora")
    dev, staff = load_corpus(Path("corpus/dev")), load_staff(Path("corpus/dev"))
    blind = [one.without_identity() for one in dev]
    mine = Labeller(policy.detection, staff)
    runs = {
        "distant labels (agreement)": _labels(mine, dev),
        "distant labels, patient and staff unknown": _labels(Labeller(policy.detection, NO_STAFF), blind),
        "crf trained on distant labels": _detected(_with_model(policy, "crf", model), blind),
        "rules and that crf": _detected(_with_model(policy, "crf", model, RULES), dev, staff),
    }
    mine.learn(one.document for one in dev)
    runs["distant labels (label model)"] = _labels(mine, dev)
    return (
        f"## `corpus/dev`: the model against its own noisy labels\n\nTrained on the distant labels of {len(corpus)} "
        f"documents of `corpus/train`, whose marks are not used. All nineteen labels.\n\n"
        + _figure_table(dev, runs, e24=False)
    )


def _hospital(patients: int) -> tuple[Staff, list[GoldDocument]]:
    _, people = setting_of(Stream(f"{SEED}:world"))
    staff = Staff(Professional(one.last_name, (one.first_name,), one.rpps, one.role) for one in people)
    records = population(patients).records
    return staff, [GoldDocument(one.document, tuple(sorted(one.mentions)), "") for one in records]


def _labels(labeller: Labeller, documents: Sequence[GoldDocument]) -> Found:
    return [labeller.label(one.document)[0] for one in documents]


def _detected(policy: Policy, documents: Sequence[GoldDocument], staff: Staff = NO_STAFF) -> Found:
    return Detector(policy, staff).detect([one.document for one in documents])


def _with_model(policy: Policy, kind: str, model: Path, rules: Sequence[str] = ()) -> Policy:
    """Return a policy of these rules and one tagger, with no label raised."""
    choices = [
        *(AnnotatorChoice(name=name) for name in rules),
        AnnotatorChoice(name=kind, options={"model": str(model)}),
    ]
    detection = policy.detection.model_copy(update={"annotators": tuple(choices), "recall": {}})
    return policy.model_copy(update={"detection": detection})


def _figure_table(documents: Sequence[GoldDocument], runs: dict[str, Found], *, e24: bool) -> str:
    """Tabulate each run, and its exact F1 less that of the first one."""

    def counted(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
        return tuple(one for one in mentions if not e24 or E24[one.label])

    gold = [replace(one, mentions=counted(one.mentions)) for one in documents]
    found = {name: [counted(mentions) for mentions in one] for name, one in runs.items()}
    first = next(iter(found.values()))
    lines = []
    for name, mentions in found.items():
        compared = compare_found(gold, mentions, first)
        difference = "" if mentions is first else str(compared.difference["exact_f1"])
        lines.append([name, *(str(compared.candidate[figure]) for figure in FIGURES), difference])
    return markdown(["system", *(name.replace("_", " ") for name in FIGURES), "exact f1 less the first"], lines)


def _evaluation(documents: Sequence[GoldDocument], found: Found) -> Evaluation:
    pairs = zip(documents, found, strict=True)
    return evaluate(Judged(one.document.id, one.document.text, one.mentions, mentions) for one, mentions in pairs)


# Memory
def _memory_table(numbers: Sequence[int]) -> str:
    """Measure each number of documents in a process of its own."""
    lines = []
    for number in numbers:
        command = [sys.executable, "-m", "benchmarks.distant", "--one", str(number)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        lines.append(said.split())
    return markdown(["documents", "sentences", "peak resident memory, MiB", "corpus, MiB", "processor, s"], lines)


def _memory_of(number: int) -> str:
    """Build a corpus of that many documents, whose texts repeat; return the figures of a line."""
    staff, documents = _hospital(20)

    def repeated() -> Iterator[Document]:
        for at in range(number):
            one = documents[at % len(documents)].document
            turn = at // len(documents)
            yield replace(one, id=f"{one.id}-{turn}", patient=replace(one.patient, key=f"{one.patient.key}-{turn}"))

    with TemporaryDirectory() as folder:
        out = Path(folder) / "corpus"
        built = build_corpus(repeated(), out, load(DEFAULT).detection, staff)
        size = sum(path.stat().st_size for path in out.rglob("*.parquet"))
    sentences = sum(one.numbers["sentences"] for one in built.splits.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{number:,} {sentences:,} {peak:,.0f} {size / 2**20:,.0f} {time.process_time():,.0f}"


if __name__ == "__main__":
    raise SystemExit(main())
