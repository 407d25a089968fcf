"""Distant supervision on the synthetic hospital, as figure 5 and tables 5, 8 and 9 of El Azzouzi et al. 2024.

    python -m benchmarks.distant --kinds crf,bilstm_crf,flair,encoder_bilstm_crf,transformer > benchmarks/distant.md
    python -m benchmarks.distant --dev var/distant > benchmarks/distant_dev.md
    python -m benchmarks.distant --memory 500 2000 8000 20000 > benchmarks/distant_memory.md

Of the synthetic hospital, the documents of four patients in five are labelled without their true mentions and train
the taggers; those of the others (validation and test) are scored against their true mentions. `--dev`: on
`corpus/dev`, which is reported only, taggers trained on the distant labels of `corpus/train` are scored beside the
distant labels themselves. `--memory`: peak resident memory by number of documents.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from benchmarks.trained_once import train_once
from deid.config.policy import DEFAULT, AnnotatorChoice, Policy, load
from deid.detection import Detector
from deid.detection.lookup.staff import NO_STAFF, Staff
from deid.domain.document import Document, Mention, Professional
from deid.domain.labels import SCHEMES
from demo.hospital.build import setting_of
from demo.hospital.streams import Stream
from demo.population import SEED, population
from nocturne_lab.evaluation.comparison import compare_found
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus, load_staff
from nocturne_lab.evaluation.score_tables import class_table, markdown
from nocturne_lab.evaluation.scoring import Evaluation, Judged, evaluate
from nocturne_lab.learning.distant.corpus import FILE_ROWS, Labeller, build_corpus, split_of
from nocturne_lab.learning.distant.statistics import as_tables
from nocturne_lab.learning.taggers.training import FULL, SMALL, Recipe, train_tagger
from nocturne_lab.learning.transformer.plan import FineTuning, Plan
from nocturne_lab.learning.transformer.training import train_transformer

RULES = ("patterns", "gazetteer", "context", "identity")
FIGURES = ("exact_precision", "exact_recall", "exact_f1", "token_f1", "clean", "false")
DIFFERENCES = ("exact_f1", "token_f1", "clean", "false")
E24 = SCHEMES["e24"]
LIKELIHOOD = replace(FULL, copies=0, bilstm=replace(FULL.bilstm, epochs=6))
BOUNDED = replace(LIKELIHOOD, bilstm=replace(LIKELIHOOD.bilstm, bound=0.3))
TRANSFORMER = Plan(
    start="deid/models/transformer",
    fine_tuning=FineTuning(epochs=1, length=256, batch=16, learning_rate=2e-4, held_out=0),
)
LIKELY, LIMITED = "bilstm_crf", "bilstm_crf bounded"
DEV_MODELS = {"crf": ("crf", SMALL), LIKELY: ("bilstm_crf", LIKELIHOOD), LIMITED: ("bilstm_crf", BOUNDED)}
KNOWN, UNKNOWN, MODELLED = "distant labels, known", "distant labels, unknown", "distant labels (label model), known"
ENDINGS = (("", ""), ("rules and ", ", unknown"), ("rules and ", ", known"))
HEAD = """# Distant labels and what is trained on them

Written by `{command}` in {minutes:.0f} minutes of
processor. Synthetic hospital: {trained} documents of {trainers} patients are labelled by the labelling functions and
train the taggers (small recipes); {held} documents of {holders} other patients are scored against their true mentions.
Intervals are 95 %, by bootstrap of documents. `clean` is the share of documents that keep no direct identifier, `false`
counts mentions without need per 1,000 words. The default policy's own taggers learned from `corpus/train`, never from
this hospital. The hospital's texts come from templates: a tagger learns them more easily than real ones. The same on
hand-written documents: [distant_dev.md](distant_dev.md); memory: [distant_memory.md](distant_memory.md)."""
STARTED = """
The transformer is the one that ships, which learned the marks of `corpus/train` before, fine-tuned on the distant
labels for {epochs} epoch."""
ENCODED = """
The states that `encoder_bilstm_crf` reads are those of the transformer that ships, which learned the marks of
`corpus/train` before; it stays as it is."""

DEV_HEAD = """# Models trained on distant labels against these labels, on `corpus/dev`

Written by `{command}` in {minutes:.0f} minutes of processor, training included.
The labelling functions label {trained} documents of `corpus/train` (agreement), knowing patient and staff as a hospital
does; the marks of these documents are not used. Taggers trained on these labels are scored on the {held} documents of
`corpus/dev`, which nobody tuned to; settings were fixed before the first score. All nineteen labels; 95 % intervals by
bootstrap of documents, the same draws for both sides of a difference. `known`: patient and staff are known, as
labelling functions and rules use them; `unknown`: they are not, to any side. A tagger by itself never knows them.
The CRF has the small recipe.
"""
NETWORKS = """The BiLSTM-CRF is of the size that ships, from its subword embeddings, {epochs} epochs without altered
copies; bounded is the same with a bounded loss (q = {bound}).
"""
MEMORY_HEAD = """# Memory that a corpus of distant labels takes

Written by `{command}`. Each number of documents is measured in a
process of its own; the texts of twenty patients repeat under other patients.

{table}

From {before:,} to {last:,} documents the peak grows by {grown:.0f} MiB, {each:.2f} kB a document. At that growth,
900,000 documents would take at most {peak:.0f} + {each:.2f} kB × {more:,.0f} ≈ {whole:,.0f} MiB; at the rates of the
last line, {sentences:.0f} million sentences in {files} files, and {hours:.1f} hours of one core.
"""
WHOLE = 900_000  # documents of a large hospital

Found = list[tuple[Mention, ...]]


def main() -> int:
    """Print the page, or the memory that a corpus takes; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=80, help="of the synthetic hospital (default 80)")
    parser.add_argument("--kinds", default="crf,bilstm_crf", help="taggers to train, separated by commas")
    parser.add_argument("--dev", type=Path, metavar="FOLDER", help="score corpus/dev; FOLDER keeps the models")
    parser.add_argument("--memory", type=int, nargs="+", help="two or more numbers of documents: measure memory")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.one:
        print(_memory_of(given.one))
    elif given.memory:
        _print_memory(given.memory)
    elif given.dev:
        kinds = given.kinds.split(",")
        _print_dev(given.dev, {name: one for name, one in DEV_MODELS.items() if one[0] in kinds})
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
            model = _trained(kind, noisy, home / "hospital")
            runs[f"{kind} trained on them"] = detected(with_model(policy, kind, model), held)
            runs[f"rules and that {kind}"] = detected(with_model(policy, kind, model, RULES), held, staff)
        runs["hybrid, default policy"] = detected(policy, held, staff)
    print(
        HEAD.format(
            command=_command(),
            minutes=time.process_time() / 60,
            trained=len(train),
            trainers=len({one.document.patient.key for one in train}),
            held=len(held),
            holders=len({one.document.patient.key for one in held}),
        )
    )
    if "encoder_bilstm_crf" in kinds:
        print(ENCODED)
    if "transformer" in kinds:
        print(STARTED.format(epochs=TRANSFORMER.fine_tuning.epochs))
    print("\n## The corpus (table 5)\n\n" + as_tables(built.splits))
    print("\n## Systems on held-out patients, E24's eight classes (figure 5)\n\n" + _figure_table(held, runs, e24=True))
    print("\n## The same over all nineteen labels\n\n" + _figure_table(held, runs, e24=False))
    first, *_ = runs
    for name, number in (*((f"{kind} trained on them", 8) for kind in kinds), (first, 9)):
        print(f"\n## {name}: by class (table {number})\n\n" + class_table(_evaluation(held, runs[name]), "e24"))


def _trained(kind: str, noisy: Sequence[GoldDocument], home: Path) -> Path:
    if kind != "transformer":
        return train_tagger(kind, noisy, SMALL, home)
    train_transformer(TRANSFORMER, noisy, home / kind)
    return home / kind


def _print_dev(folder: Path, models: Mapping[str, tuple[str, Recipe]]) -> None:
    """Score distant labels of `corpus/dev`, and taggers trained on the distant labels of `corpus/train`."""
    policy, corpus = load(DEFAULT), load_corpus(Path("corpus/train"))
    labeller = Labeller(policy.detection, load_staff(Path("corpus/train")))
    noisy = [replace(one, mentions=labeller.label(one.document)[0]) for one in corpus]
    dev, staff = load_corpus(Path("corpus/dev")), load_staff(Path("corpus/dev"))
    blind = [one.without_identity() for one in dev]
    mine = Labeller(policy.detection, staff)
    runs = {KNOWN: _labels(mine, dev), UNKNOWN: _labels(Labeller(policy.detection, NO_STAFF), blind)}
    pairs = [(UNKNOWN, KNOWN)]
    minutes = 0.0
    for name, (kind, recipe) in models.items():
        trained = train_once(kind, noisy, recipe, folder / name.replace(" ", "_"))
        minutes += trained.earlier
        known, unknown = f"rules and {name}, known", f"rules and {name}, unknown"
        both = with_model(policy, kind, trained.model, RULES)
        runs[name] = detected(with_model(policy, kind, trained.model), blind)
        runs[unknown] = detected(both, blind)
        runs[known] = detected(both, dev, staff)
        pairs += [(name, UNKNOWN), (name, KNOWN), (unknown, UNKNOWN), (known, KNOWN)]
    if {LIKELY, LIMITED} <= models.keys():
        pairs += [(f"{before}{LIMITED}{after}", f"{before}{LIKELY}{after}") for before, after in ENDINGS]
    mine.learn(one.document for one in dev)
    runs[MODELLED] = _labels(mine, dev)
    pairs.append((MODELLED, KNOWN))
    print(
        DEV_HEAD.format(
            command=_command(),
            minutes=minutes + time.process_time() / 60,
            trained=len(noisy),
            held=len(dev),
        )
    )
    if LIKELY in models:
        print(NETWORKS.format(epochs=LIKELIHOOD.bilstm.epochs, bound=BOUNDED.bilstm.bound))
    print(_figure_table(dev, runs, e24=False, less=False) + "\n\n## Differences\n\n" + _pairs_table(dev, runs, pairs))


def _pairs_table(documents: Sequence[GoldDocument], runs: dict[str, Found], pairs: Sequence[tuple[str, str]]) -> str:
    """Tabulate the differences of runs, over the same draws of documents."""
    lines = []
    for one, other in pairs:
        difference = compare_found(documents, runs[one], runs[other]).difference
        lines.append([one, other, *(str(difference[figure]) for figure in DIFFERENCES)])
    return markdown(["system", "less", *(name.replace("_", " ") for name in DIFFERENCES)], lines)


def _command() -> str:
    return " ".join(["python -m benchmarks.distant", *sys.argv[1:]])


def _hospital(patients: int) -> tuple[Staff, list[GoldDocument]]:
    _, people = setting_of(Stream(f"{SEED}:world"))
    staff = Staff(Professional(one.last_name, (one.first_name,), one.rpps, one.role) for one in people)
    records = population(patients).records
    return staff, [GoldDocument(one.document, tuple(sorted(one.mentions)), "") for one in records]


def _labels(labeller: Labeller, documents: Sequence[GoldDocument]) -> Found:
    return [labeller.label(one.document)[0] for one in documents]


def detected(policy: Policy, documents: Sequence[GoldDocument], staff: Staff = NO_STAFF) -> Found:
    return Detector(policy, staff).detect([one.document for one in documents])


def with_model(policy: Policy, kind: str, model: Path, rules: Sequence[str] = ()) -> Policy:
    """Return a policy of these rules and one tagger, with no label raised."""
    choices = [
        *(AnnotatorChoice(name=name) for name in rules),
        AnnotatorChoice(name=kind, options={"model": str(model)}),
    ]
    detection = policy.detection.model_copy(update={"annotators": tuple(choices), "recall": {}})
    return policy.model_copy(update={"detection": detection})


def _figure_table(documents: Sequence[GoldDocument], runs: dict[str, Found], *, e24: bool, less: bool = True) -> str:
    """Tabulate each run and, with `less`, its exact F1 less that of the first one."""

    def counted(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
        return tuple(one for one in mentions if not e24 or E24[one.label])

    gold = [replace(one, mentions=counted(one.mentions)) for one in documents]
    found = {name: [counted(mentions) for mentions in one] for name, one in runs.items()}
    first = next(iter(found.values()))
    lines = []
    for name, mentions in found.items():
        compared = compare_found(gold, mentions, first)
        difference = "" if mentions is first else str(compared.difference["exact_f1"])
        lines.append([name, *(str(compared.candidate[figure]) for figure in FIGURES), *([difference] if less else [])])
    last = ["exact f1 less the first"] if less else []
    return markdown(["system", *(name.replace("_", " ") for name in FIGURES), *last], lines)


def _evaluation(documents: Sequence[GoldDocument], found: Found) -> Evaluation:
    pairs = zip(documents, found, strict=True)
    return evaluate(Judged(one.document.id, one.document.text, one.mentions, mentions) for one, mentions in pairs)


# Memory
def _print_memory(numbers: Sequence[int]) -> None:
    """Measure each number of documents in a process of its own, and print the page."""
    lines = []
    for number in numbers:
        command = [sys.executable, "-m", "benchmarks.distant", "--one", str(number)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        lines.append([int(one) for one in said.split()])
    head = ["documents", "sentences", "peak resident memory, MiB", "corpus, MiB", "processor, s"]
    (before, _, low, *_), (last, sentences, peak, _, seconds) = lines[-2:]
    each = max(0.0, (peak - low) / (last - before))
    print(
        MEMORY_HEAD.format(
            command=_command(),
            table=markdown(head, [[f"{one:,}" for one in line] for line in lines]),
            before=before,
            last=last,
            grown=peak - low,
            each=1024 * each,
            peak=peak,
            more=WHOLE - last,
            whole=peak + each * (WHOLE - last),
            sentences=sentences * WHOLE / last / 1e6,
            files=ceil(sentences * WHOLE / last / FILE_ROWS),
            hours=seconds * WHOLE / last / 3600,
        )
    )


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
    return f"{number} {sentences} {peak:.0f} {size / 2**20:.0f} {time.process_time():.0f}"


if __name__ == "__main__":
    raise SystemExit(main())
