"""`annotations`: documents to and from annotation tools, agreement, adjudication, and what reviewers marked."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from deid.cli import lines
from deid.cli.console import DAY, REFUSED, chosen_policy, command_group, read_settings, served_policy
from deid.cli.documents import BATCH, FromDatabase, PolicyFile, StaffFile, read_staff_file, refusal_message
from deid.cli.language import colon, tell, translated, translated_error
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused, NocturneError
from deid.domain.labels import Label
from deid.domain.outcomes import Detected, Opened, Refused
from nocturne_lab.cli.scoring import AsJson, Scheme, print_figures
from nocturne_lab.hospital.private import private_files

if TYPE_CHECKING:
    from deid.detection import Detector
    from deid.detection.lookup.staff import Staff
    from nocturne_lab.evaluation.corpus import GoldDocument
    from nocturne_lab.learning.distant.corpus import Rename
    from nocturne_lab.learning.exchange.documents import Checked, Problem
    from nocturne_lab.learning.exchange.formats import Format

Sources = tuple[Iterable[Document], "Staff", "Rename | None"]

app = command_group("Exchange annotations, measure their agreement.")

ToolFormat = Literal[
    "prodigy", "prodigy-lines", "doccano", "brat", "conll", "webanno", "parhaf", "eds-pseudo"
]  # of `FORMATS`
WrittenFormat = Literal["prodigy", "prodigy-lines", "doccano", "brat", "conll", "webanno"]  # those with a writer
SCHEME_OF: Mapping[str, Scheme] = MappingProxyType({"parhaf": "parhaf", "eds-pseudo": "aphp"})  # of what is only read
Aggregated = Literal["agreement", "label-model"]
Method = Literal["random", "stratified", "uncertain"]

FormatArgument = Annotated[ToolFormat, typer.Argument(metavar="FORMAT", help="Format of the tool.", show_default=False)]
FormatOption = Annotated[WrittenFormat, typer.Option("--format", help="Format of the annotation tool.")]
Files = Annotated[
    list[Path],
    typer.Argument(metavar="CORPUS...", help="Files of “annotations import”: one per annotator.", show_default=False),
]
Source = Annotated[Path, typer.Argument(metavar="SOURCE", help="File or folder of the tool.", show_default=False)]
LabelMapFile = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="YAML “label of the tool: label here”, or null not to mark it.",
        show_default=False,
    ),
]
AcceptUnmarked = Annotated[
    bool, typer.Option("--accept-unmarked", help="Accept an annotator who marked nothing at all.")
]


@app.command()
def export(
    out: Annotated[
        Path, typer.Argument(metavar="OUTPUT.jsonl", help="File to write; readable by you alone.", show_default=False)
    ],
) -> None:
    """Write the reviewed documents, as their readers corrected them, in a form that “deid train” reads.

    Takes closed reviews only, and documents read by everybody who had to. The file holds original texts: it must not
    leave the hospital. Reads the warehouse (NOCTURNE_READER_DSN) and the annotations (NOCTURNE_STEWARD_DSN); the export
    is written to the audit trail. A document that changed since it was read is left out and named; the exit status is
    then 1.
    """
    from deid.database.connection import open_cursor
    from deid.ledger import audit
    from nocturne_lab.hospital.annotations import gold_records

    refusals: list[NocturneError] = []
    actor, exported = getpass.getuser(), 0
    with private_files(), open_cursor("steward", "nocturne annotations") as cursor, lines.open_writer(out) as write:
        for record in gold_records(cursor, actor, refusals):
            write(record)
            exported += 1
        audit.write(cursor, actor, audit.Action.EXPORT, "annotations", documents=exported, left_out=len(refusals))
    for refusal in refusals:
        tell(f"left out: {translated_error(refusal)}", err=True)
    tell(f"{exported} annotated documents", err=True)
    if refusals:
        raise typer.Exit(REFUSED)


@app.command()
def published(
    out: Annotated[Path, typer.Argument(metavar="OUTPUT", help="File to write, or folder (brat, webanno).")],
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help="At least 10 characters; no name.")],
    name: FormatOption = "prodigy",
    size: Annotated[int, typer.Option("--size", min=1, help="Most documents, drawn at random.")] = 500,
    seed: Annotated[int, typer.Option("--seed", help="Seed; the same gives the same choice.")] = 2026,
) -> None:
    """Write published texts with their surrogates marked, to annotate them outside the hospital.

    Only texts that research reads leave, if “release.training_export” allows it in the policy in force and in that of
    their publication. An identifier that detection missed stays there, and shows all the more: what is not marked was
    not replaced. Written to the audit trail with the reason (NOCTURNE_STEWARD_DSN).
    """
    from deid.database.connection import open_cursor
    from nocturne_lab.evaluation.corpus import GoldDocument
    from nocturne_lab.hospital.training_export import export_published

    with open_cursor("steward", "nocturne annotations") as cursor:
        found = export_published(cursor, getpass.getuser(), reason, chosen_policy(None), size=size, seed=seed)
    documents = [
        GoldDocument(Document(one.document_id, one.text, type=one.document_type), one.mentions, "")
        for one in found.documents
    ]
    with private_files():
        _write(name, out, documents)
    if found.held:
        tell(f"{found.held} documents published under a policy that keeps them here", err=True)
    tell(
        "Attention: an identifier that detection missed stays in these texts, and what is not marked was "
        "never replaced. Read a sample before the file leaves.",
        err=True,
    )
    _conclude(len(documents), f"documents written, of {found.permitted} that may leave", lines.Refusals())


@app.command()
def documents(
    out: Annotated[
        Path, typer.Argument(metavar="OUTPUT.jsonl", help="File to write; readable by you alone.", show_default=False)
    ],
    since: Annotated[
        datetime, typer.Option("--since", formats=DAY, metavar="DAY", help="Day from which documents arrived.")
    ],
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help="At least 10 characters; no name.")],
    until: Annotated[
        datetime | None,
        typer.Option("--until", formats=DAY, metavar="DAY", help="Day before which they arrived.", show_default=False),
    ] = None,
    size: Annotated[
        int | None, typer.Option("--size", min=1, help="Most documents, drawn at random.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed; the same gives the same choice.")] = 2026,
) -> None:
    """Write documents of the warehouse, as “detect” reads them, to label, annotate or measure.

    Under the ids of the ledger, with what the warehouse knows of the patient. Those withdrawn, those of patients with
    an opt-out and those without a patient are left out. The file holds original texts: it must not leave the hospital.
    Reads the warehouse (NOCTURNE_READER_DSN); written to the audit trail with the reason (NOCTURNE_WORKER_DSN). A
    document that cannot be read is left out and named; the exit status is then 1.
    """
    from deid.database.connection import open_cursor
    from deid.domain import PARIS
    from deid.ledger import audit
    from deid.ledger.planning import Interval
    from nocturne_lab.hospital.periods import list_period, open_period
    from nocturne_lab.learning.exchange.sampling import draw_random

    wrong = typer.BadParameter("give 10 to 500 characters", param_hint="--reason")
    reason = audit.spaced_reason(reason, lambda _: wrong)
    end = until.replace(tzinfo=PARIS) if until else datetime.now(PARIS)
    listed = [one.document_id for one in list_period(Interval(since.replace(tzinfo=PARIS), end))]
    refusals, drawn, written = lines.Refusals(), draw_random(listed, size or len(listed), seed), 0
    with private_files(), lines.open_writer(out) as write:
        for batch in lines.in_batches(drawn, BATCH):
            opened = {one.document.id: one.document for one in open_period(batch, read_settings().limits())}
            for document_id in batch:
                if document_id in opened:
                    write(_document_line(opened[document_id]))
                else:
                    refusals.tell(f"document {document_id}: cannot be read; left out")
            written += len(opened)
        with open_cursor("worker", "nocturne annotations") as cursor:
            details = {"documents": written, "left_out": refusals.count, "reason": reason}
            audit.write(cursor, getpass.getuser(), audit.Action.EXPORT, "documents of the warehouse", **details)
    _conclude(written, "documents written", refusals)


def _document_line(document: Document) -> dict[str, Any]:
    """Write a line for `deid.cli.lines.read_incoming`: `{"id","text"}` and what else is known of the document."""
    stay = document.stay
    known = {
        "patient": document.patient.as_json(),
        "reference_date": document.reference_date and document.reference_date.isoformat(),
        "type": document.type,
        "service": document.service,
        "stay": stay and {"first": stay.first.isoformat(), "last": stay.last and stay.last.isoformat()},
    }
    return {"id": document.id, "text": document.text} | {name: value for name, value in known.items() if value}


_FAULTS = {
    "unreadable": "line or file unreadable in this format; export it again",
    "not_accepted": "rejected, skipped or ignored by the annotator; give it back, or leave it out",
    "unknown_document": "absent from the documents given; give --documents as it served for the sample",
    "other_version": "the text is not that of the document; give --documents, or annotate the present version",
    "duplicate": "twice for this annotator; keep only one",
    "unknown_label": "unknown label; correct it, or translate it by --labels",
    "outside": "mark empty or outside the text; set it again",
    "misplaced": "the text of the mark is not at its positions; correct the tool's export",
    "discontinuous": "mark in several pieces; make one mark per piece",
    "overlap": "marks that overlap; keep only one",
    "nothing_marked": "its annotator marked nothing anywhere; check, then --accept-unmarked",
}


@app.command("import")
def import_(
    name: FormatArgument,
    source: Source,
    out: Annotated[Path, typer.Argument(metavar="CORPUS.jsonl", help="File to write; readable by you alone.")],
    documents: Annotated[
        Path | None,
        typer.Option(
            "--documents",
            metavar="FILE",
            help="Documents given to be annotated (JSON Lines): the texts must be the same.",
            show_default=False,
        ),
    ] = None,
    annotator: Annotated[str, typer.Option("--annotator", help="Annotator, where the file does not tell it.")] = "",
    labels: LabelMapFile = None,
    accept_unmarked: AcceptUnmarked = False,
) -> None:
    """Read and check annotations; write those that are sound, for “train”, “agreement” and “adjudicate”.

    One line of error per document left out: the document, the annotator, the place and the remedy, never the text; the
    exit status is then 1. docs/annotation.md describes the formats.
    """
    from nocturne_lab.evaluation.corpus import gold_record

    refusals = lines.Refusals()
    checked = _read(name, source, documents, labels, refusals, annotator, accept_unmarked=accept_unmarked)
    with private_files(), lines.open_writer(out) as write:
        for gold in checked.documents:
            write(gold_record(gold))
    _conclude(len(checked.documents), "annotated documents", refusals)


@app.command()
def convert(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="Folder of annotated .txt [[LABEL|text]], or .jsonl.")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUTPUT", help="File to write, or folder (brat, webanno).")],
    name: FormatOption = "prodigy",
) -> None:
    """Write an annotated corpus in the format of a tool, to correct or complete it."""
    from nocturne_lab.evaluation.corpus import load_corpus

    documents = load_corpus(corpus)
    with private_files():
        _write(name, out, documents)
    _conclude(len(documents), "documents written", lines.Refusals())


@app.command()
def sample(
    source: Annotated[Path, typer.Argument(metavar="DOCUMENTS", help="JSON Lines, as for “detect”.")],
    out: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder: one file per annotator.")],
    name: FormatOption = "prodigy",
    size: Annotated[int, typer.Option("--size", min=1, help="Number of documents.")] = 50,
    method: Annotated[Method, typer.Option("--method", help="At random, by strata, or the most uncertain.")] = "random",
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="FIELD", help="Field that makes the strata (type, service…); can be repeated."),
    ] = None,
    annotators: Annotated[str, typer.Option("--annotators", metavar="A,B…", help="Annotators.")] = "annotateur",
    shared: Annotated[
        int, typer.Option("--shared", min=0, help="Documents that everybody annotates, for the agreement.")
    ] = 0,
    learned: Annotated[
        list[Path] | None,
        typer.Option(
            "--not-in", metavar="CORPUS", help="Leave the patients of this corpus out, to measure; can be repeated."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed; the same gives the same choice.")] = 2026,
    annotate: Annotated[
        bool, typer.Option("--pre-annotate/--blank", help="Mark in advance what detection finds, or nothing.")
    ] = True,
    policy: PolicyFile = None,
    staff: StaffFile = None,
) -> None:
    """Choose documents to annotate, mark them in advance and share them between annotators.

    “uncertain” takes those of which the learned annotators of the policy are least sure. Common documents (--shared) go
    to everybody; the others are dealt out. With --not-in, documents without a known patient are left out too. The files
    hold original texts.
    """
    refusals = lines.Refusals()
    given = _of_other_patients(list(given_documents(source, by or ["type"], refusals)), learned or ())
    chosen = _choose(given, method, size, seed, policy)
    people = [one.strip() for one in annotators.split(",") if one.strip()]
    if not people:
        raise typer.BadParameter("give at least one annotator", param_hint="--annotators")
    marked = (
        _pre_annotate(chosen, policy, staff, refusals) if annotate else {one.opened.document.id: () for one in chosen}
    )
    order = [one.opened.document for one in chosen if one.opened.document.id in marked]
    with private_files():
        for place, person in enumerate(people):
            mine = [*order[:shared], *order[shared + place :: len(people)]]
            documents = [_gold(one, marked[one.id], person) for one in mine]
            _write(name, out / f"{person}{_format(name).suffix}", documents)
    _conclude(len(order), "documents to annotate", refusals)


@app.command()
def evaluate(
    name: FormatArgument,
    source: Source,
    scheme: Annotated[
        Scheme | None, typer.Option("--scheme", help="Set of classes; else that of the corpus, or ours.")
    ] = None,
    as_json: AsJson = False,
    labels: LabelMapFile = None,
    policy: PolicyFile = None,
    staff: StaffFile = None,
) -> None:
    """Detect in documents annotated in the format of a tool, and score the result: exact bounds and the rest.

    PARHAF: “annotations evaluate parhaf FOLDER”; eds-pseudo: “annotations evaluate eds-pseudo templates.txt”.
    """
    from nocturne_lab.evaluation.scoring import Judged

    refusals = lines.Refusals()
    gold = read_annotated(name, source, refusals, labels)
    found = _pre_annotate([_Given(Opened(one.document), ()) for one in gold.values()], policy, staff, refusals)
    judged = [
        Judged(key, one.document.text, one.mentions, found.get(key, ()), one.document.type) for key, one in gold.items()
    ]
    print_figures(judged, scheme or SCHEME_OF.get(name, "nocturne"), None, as_json=as_json)
    _conclude(len(judged), "documents scored", refusals)


@app.command()
def agreement(
    files: Files,
    as_json: AsJson = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the intervals.")] = 2026,
) -> None:
    """Measure the agreement of annotators: κ of Fleiss and by pair, by label and by document type.

    The unit is the word, its category the label or none (El Azzouzi et al. 2024, tables 6 and 7). The intervals of 95 %
    come from a bootstrap by document. Only documents that at least two people annotated count.
    """
    from nocturne_lab.learning.exchange.agreement import measure_agreement
    from nocturne_lab.learning.exchange.agreement_tables import as_record, as_tables

    found = measure_agreement(_corpora(files), seed)
    typer.echo(json.dumps(as_record(found), ensure_ascii=False, indent=2) if as_json else as_tables(found))


@app.command()
def adjudicate(
    files: Files,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="JSON Lines file to write.", show_default=False)],
    decisions: Annotated[
        Path | None, typer.Option("--decisions", metavar="FILE", help="Disagreements with their “decision” filled in.")
    ] = None,
) -> None:
    """Write the disagreements of annotators; then, with their decisions, the merged corpus.

    Each line of disagreement has its options; “decision” takes the number of one (from 0), or a list of mentions. A
    document of which a disagreement is undecided is left out and named. What readers marked (“annotations export”) is
    given as one more file.
    """
    from nocturne_lab.evaluation.corpus import gold_record
    from nocturne_lab.learning.exchange.adjudication import (
        find_passages,
        merge_annotations,
        passage_record,
        read_decisions,
    )

    documents = list(_corpora(files))
    refusals = lines.Refusals()
    with private_files(), lines.open_writer(out) as write:
        if decisions is None:
            texts = {one.document.id: one.document.text for one in documents}
            passages = find_passages(documents)
            for passage in passages:
                write(passage_record(passage, texts[passage.document]))
            return _conclude(len(passages), "disagreements", refusals)
        with lines.open_input(decisions) as stream:
            merged = merge_annotations(documents, read_decisions(stream, decisions.name))
        for gold in merged.documents:
            write(gold_record(gold))
    for document, start, end in merged.undecided:
        refusals.tell(f"document {document}, [{start}, {end}): no usable decision; left out")
    return _conclude(len(merged.documents), "documents merged", refusals)


@app.command()
def distant(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="DOCUMENTS", help="JSON Lines, as for “detect”; or nothing, with --warehouse.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder of the corpus; readable by you alone.")
    ] = Path("corpus-distant"),
    since: Annotated[
        datetime | None,
        typer.Option("--warehouse", metavar="DATE", help="Documents of the warehouse that arrived since this day."),
    ] = None,
    method: Annotated[
        Aggregated, typer.Option("--aggregation", help="Weighted agreement, or a label model learned from the votes.")
    ] = "agreement",
    policy: PolicyFile = None,
    staff: StaffFile = None,
    database: FromDatabase = False,
) -> None:
    """Label documents by what the hospital knows of them already, without an annotator: a Parquet corpus for “train”.

    The patient's identity, staff, communes, streets, forms and context vote on each word (El Azzouzi et al. 2024); no
    learned model takes part. The directory of health professionals and localities vote only with the reference data in
    use: --database, or --warehouse, which read the staff of the warehouse too, unless --staff gives it. 80 % of the
    patients go to training, 10 % to validation, 10 % to test. With --warehouse, reads the warehouse
    (NOCTURNE_READER_DSN) under the ids of the ledger (NOCTURNE_WORKER_DSN). The folder holds original texts: it must
    not leave the hospital. A document without a known patient is left out and named; the exit status is then 1. See
    docs/training.md.
    """
    from nocturne_lab.learning.distant import statistics
    from nocturne_lab.learning.distant.corpus import build_corpus

    refusals = lines.Refusals()
    if source is not None and since is None:
        documents, people, rename = _of_file(source, staff, refusals, database=database)
    elif since is not None and source is None:
        documents, people, rename = _of_warehouse(since, staff, refusals)
    else:
        raise typer.BadParameter("give a file of documents, or --warehouse", param_hint="DOCUMENTS")
    built = build_corpus(lines.progress(documents), out, chosen_policy(policy).detection, people, method, rename)
    typer.echo(statistics.as_tables(built.splits))
    for document_id in built.without_patient:
        refusals.tell(f"document {document_id}: unknown patient (key, ipp or nir); left out")
    for label in statistics.labels_without_example(built.splits):
        tell(f"no example of {label}: a model cannot learn it from this corpus", err=True)
    _conclude(sum(one.numbers["documents"] for one in built.splits.values()), "documents labelled", refusals)


def _of_file(source: Path, staff: Path | None, refusals: lines.Refusals, *, database: bool) -> Sources:
    """Return documents and staff of files.

    With `database`, detects with the references in use, and the staff is the source's where no file gives it.
    """
    from deid.ledger.batches import read_staff
    from deid.nightly.runtime import use_current_lookup

    people = read_staff_file(staff)
    if database:
        use_current_lookup()
        people = people if staff else read_staff(read_settings().source)
    return (one.opened.document for one in given_documents(source, (), refusals)), people, None


def _of_warehouse(since: datetime, staff: Path | None, refusals: lines.Refusals) -> Sources:
    """Return documents and staff of the warehouse, and the ledger's ids; detects with the references in use."""
    from deid.domain import PARIS
    from deid.ledger.batches import read_staff
    from deid.ledger.identity import Translator
    from deid.nightly.runtime import use_current_lookup
    from nocturne_lab.hospital.history import read_history

    use_current_lookup()
    name = read_settings().source
    people = read_staff(name) if staff is None else read_staff_file(staff)
    documents = read_history(
        name, since.replace(tzinfo=PARIS), read_settings().limits(), lambda one: refusals.tell(refusal_message(one))
    )
    return documents, people, Translator("worker").to_ledger


# Documents in and out
@dataclass(frozen=True, slots=True)
class _Given:
    """A document given for annotation, in plain text, and its stratum."""

    opened: Opened
    stratum: tuple[str, ...]


def given_documents(source: Path, fields: Sequence[str], refusals: lines.Refusals) -> Iterator[_Given]:
    """Yield the documents of a file in plain text; those that cannot be opened are told."""
    from deid import pipeline

    strata: dict[str, tuple[str, ...]] = {}

    def read(record: Mapping[str, Any]) -> Any:
        incoming = lines.read_incoming(record)
        strata[incoming.document.id] = tuple(str(record.get(name) or "") for name in fields)
        return incoming

    size, limits = read_settings().max_document_bytes, read_settings().limits()
    for batch in lines.in_batches(lines.read_lines(source, read, refusals), BATCH):
        for outcome in pipeline.open_documents(batch, max_bytes=size, limits=limits):
            if isinstance(outcome, Refused):
                refusals.tell(refusal_message(outcome))
            else:
                yield _Given(outcome, strata[outcome.document.id])


def _of_other_patients(given: list[_Given], corpora: Sequence[Path]) -> list[_Given]:
    """Return the documents of patients of whom corpora have none; all without a corpus.

    A corpus may have other ids than the documents given: one of these is known by its text too.

    Raises:
        InputRefused: a corpus cannot be read, or no document is left.
    """
    if not corpora:
        return given
    from nocturne_lab.evaluation.corpus import stream_corpus
    from nocturne_lab.learning.distant.corpus import patient_id

    own = [one.opened.document for one in given]
    names = {name for one in own for name in (one.id, one.text)}
    learned: set[str | None] = {None}
    met: set[str] = set()
    for gold in (gold for corpus in corpora for gold in stream_corpus(corpus)):
        learned.add(patient_id(gold.document))
        met |= {gold.document.id, gold.document.text} & names
    learned |= {patient_id(one) for one in own if met & {one.id, one.text}}
    left = [one for one in given if patient_id(one.opened.document) not in learned]
    if not left:
        raise InputRefused("no document of another patient is left.", "Give more documents.")
    return left


def _choose(given: Sequence[_Given], method: Method, size: int, seed: int, policy: Path | None) -> list[_Given]:
    from nocturne_lab.learning.exchange import sampling

    by_id = {one.opened.document.id: one for one in given}
    if method == "random":
        ids = sampling.draw_random(by_id, size, seed)
    elif method == "stratified":
        ids = sampling.draw_stratified({key: one.stratum for key, one in by_id.items()}, size, seed)
    else:
        documents = [one.opened.document for one in by_id.values()]
        doubts = sampling.measure_uncertainty(documents, served_policy(policy))
        ids = sampling.draw_uncertain(dict(zip(by_id, doubts, strict=True)), size)
    return [by_id[key] for key in sampling.draw_random(ids, size, seed)]  # so that each part is like the whole


def _pre_annotate(
    given: Sequence[_Given], policy: Path | None, staff: Path | None, refusals: lines.Refusals
) -> dict[str, tuple[Mention, ...]]:
    """Return what detection finds in each document; those that it refuses are told and left out."""
    from deid import pipeline
    from deid.detection import Detector

    detector: Detector = Detector(served_policy(policy), read_staff_file(staff))
    found: dict[str, tuple[Mention, ...]] = {}
    for batch in lines.in_batches(lines.progress(given), BATCH):
        for outcome in pipeline.detect([one.opened for one in batch], detector, limits=read_settings().limits()):
            if isinstance(outcome, Detected):
                found[outcome.document.id] = outcome.mentions
            else:
                refusals.tell(refusal_message(outcome))
    return found


def _read(
    name: ToolFormat,
    source: Path,
    documents: Path | None,
    labels: Path | None,
    refusals: lines.Refusals,
    annotator: str = "",
    *,
    accept_unmarked: bool,
) -> Checked:
    """Return the sound documents of a tool's file; tell the others."""
    from nocturne_lab.learning.exchange.documents import check

    originals = None
    if documents is not None:
        originals = {one.opened.document.id: one.opened.document for one in given_documents(documents, (), refusals)}
    texts = {key: one.text for key, one in (originals or {}).items()}
    form = _format(name)
    table = form.labels if labels is None else _label_map(labels)
    found = form.read(source, texts)
    checked = check(found, originals, table, annotator=annotator, accept_unmarked=accept_unmarked)
    for problem in checked.problems:
        refusals.tell(_told(problem))
    return checked


def read_annotated(
    name: ToolFormat, source: Path, refusals: lines.Refusals, labels: Path | None = None
) -> dict[str, GoldDocument]:
    """Return the sound documents of an annotated corpus by id, each once; tell the others."""
    from nocturne_lab.learning.exchange.adjudication import distinct_documents

    checked = _read(name, source, None, labels, refusals, accept_unmarked=True)
    return {one.document.id: one for one in distinct_documents(checked.documents)[0]}


def _told(problem: Problem) -> str:
    by = translated(f", annotator {problem.annotator}") if problem.annotator else ""
    place = f" ({problem.place})" if problem.place else ""
    shift = translated(f" [shift {problem.shift:+d}]") if problem.shift else ""
    return f"document {problem.document}{by}{place}{colon()}{translated(_FAULTS[problem.fault])}{shift}"


def _label_map(path: Path) -> dict[str, Label | None]:
    """Return the labels of a tool by ours.

    Raises:
        InputRefused: the file is no such table.
    """
    import yaml

    from nocturne_lab.learning.exchange.formats import label_map

    try:
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        table = None
    return label_map(table, path.name)


def _format(name: ToolFormat) -> Format:
    from nocturne_lab.learning.exchange.formats import FORMATS

    return FORMATS[name]


def _write(name: WrittenFormat, out: Path, documents: Sequence[GoldDocument]) -> None:
    write = _format(name).write
    if write is None:
        raise InputRefused(f"{name} can only be read.", "Choose another format.")
    write(out, documents)


def _gold(document: Document, mentions: tuple[Mention, ...], annotator: str) -> GoldDocument:
    from nocturne_lab.evaluation.corpus import GoldDocument

    return GoldDocument(document, mentions, "", annotator)


def _corpora(files: Iterable[Path]) -> Iterator[GoldDocument]:
    """Yield the documents of corpora; one that names no annotator is of the person whom its file is named after."""
    from nocturne_lab.evaluation.corpus import load_corpus

    for file in files:
        for gold in load_corpus(file):
            yield gold if gold.annotator else replace(gold, annotator=file.stem)


def _conclude(count: int, what: str, refusals: lines.Refusals) -> None:
    typer.echo(f"{count} {translated(what)}", err=True)
    if refusals.count:
        raise typer.Exit(REFUSED)
