"""Rounds of annotation in the exchange folder: documents of a period to annotators, their annotations back.

A round is a folder of `NOCTURNE_EXCHANGE_FOLDER` that its owner alone can read:

    documents.jsonl       the documents given, as they were
    given/ANNOTATOR…      a file, or folder, of the tool's format per annotator
    returned/ANNOTATOR…   what annotators give back, under the same name
    corpora/ANNOTATOR.jsonl, faults.jsonl, agreement.md   what an import writes
    disagreements.jsonl   passages on which annotators differ, which an adjudication writes
    decisions.jsonl       the same, each with the adjudicator's decision
    corpora/review.jsonl  what people corrected in closed reviews and in quarantine
    corpora/adjudicated.jsonl   what an adjudication makes of annotations and decisions, for a training

Functions return counts; logs hold ids of documents that were given, and no text.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from deid import pipeline
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.detection import Detector
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused, SettingsError
from deid.domain.outcomes import Detected, Opened
from deid.ledger import audit
from deid.ledger.batches import read_staff
from deid.ledger.models import serving_models
from deid.ledger.planning import Interval
from deid.ledger.steps import read_mentions
from deid.models.directories import with_models
from deid.nightly import runtime
from deid.source.rows import Listed
from nocturne_lab.evaluation.corpus import GoldDocument, gold_record, read_corrected
from nocturne_lab.hospital.annotations import REVIEW, correct_mentions, list_annotated
from nocturne_lab.hospital.periods import list_period, open_period
from nocturne_lab.hospital.private import private_files
from nocturne_lab.learning import progress
from nocturne_lab.learning.exchange import sampling
from nocturne_lab.learning.exchange.adjudication import (
    ADJUDICATED,
    Merged,
    find_passages,
    merge_annotations,
    passage_record,
    read_decisions,
)
from nocturne_lab.learning.exchange.agreement import measure_agreement
from nocturne_lab.learning.exchange.agreement_tables import as_tables
from nocturne_lab.learning.exchange.documents import Checked, Problem, check
from nocturne_lab.learning.exchange.formats import FORMATS, Format, label_map

Method = Literal["random", "stratified", "uncertain"]
DOCUMENTS, GIVEN, RETURNED, CORPORA = "documents.jsonl", "given", "returned", "corpora"
DISAGREEMENTS, DECISIONS = "disagreements.jsonl", "decisions.jsonl"
_ORDER = "round.json"
_RESERVED = (ADJUDICATED, REVIEW)  # corpora that are of no annotator of the round
_POOL = 10  # documents among which an uncertain one is chosen
_TOLD = 100  # faults in the log; faults.jsonl has all
_BATCH = 100

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RoundOrder:
    """Order of a round. `shared` documents go to every annotator; the others are dealt."""

    name: str
    interval: Interval
    reason: str
    requested_by: str
    triggered_by: str
    form: str = "prodigy"
    method: Method = "random"
    size: int = 50
    annotators: tuple[str, ...] = ("annotateur",)
    shared: int = 0
    seed: int = 2026
    pre_annotate: bool = True
    document_types: tuple[str, ...] = ()
    services: tuple[str, ...] = ()


def give_documents(order: RoundOrder) -> dict[str, int]:
    """Draw documents of a period and write them for their annotators; recorded in the audit trail.

    A second call of the same trigger finds the round written. Returns documents (given), listed (of the period),
    refused (drawn, and not readable or not detectable) and mentions (marked beforehand).

    Raises:
        InputRefused: the round exists, no document is in the period, or the format can only be read.
        SettingsError: there is no exchange folder, or others can read it.
        WarehouseUnreachable, WarehouseError, ContractBroken, PolicyError: nothing was written.
    """
    form, people = _written_format(order.form), _people(order.annotators)
    folder = exchange_folder() / order.name
    if folder.exists():
        return _found_again(folder, order)
    listed = {one.document_id: one for one in list_period(order.interval, order.document_types, order.services)}
    if not listed:
        raise InputRefused("no document of the period may be read.", "Give another period, type or service.")
    drawn, policy = _draw(listed, order), runtime.policy()
    opened = _opened(drawn)
    found = _detected(opened) if order.pre_annotate else {one.document.id: () for one in opened}
    documents = [one.document for one in opened if one.document.id in found]
    counts = {
        "documents": len(documents),
        "listed": len(listed),
        "refused": len(drawn) - len(documents),
        "mentions": sum(map(len, found.values())),
    }
    building = folder.with_name(f".{order.name}")
    with private_files():
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        given = _write_given(building, form, order, people, documents, found)
        (building / RETURNED).mkdir()
        (building / _ORDER).write_text(json.dumps({"triggered_by": order.triggered_by, **counts}), encoding="utf-8")
    _record(order.requested_by, f"annotation round {order.name}", reason=order.reason, policy=policy.digest, **counts)
    building.rename(folder)
    progress.note("rounds", order.name, given=given, returned={}, faults=None, fleiss=None, undecided=None)
    return counts


def take_annotations(
    name: str,
    form: str,
    *,
    requested_by: str,
    reason: str,
    accept_unmarked: bool = False,
    labels: Mapping[str, str | None] | None = None,
) -> dict[str, Any]:
    """Read what annotators gave back, check it against what they were given, and write the sound documents.

    `labels` are those of the tool by ours, None for a kind that is left unmarked. Returns documents, annotators, faults
    (documents left out), a count by fault, and fleiss: κ of all annotators, or None where no two of them annotated the
    same document.

    Raises:
        InputRefused: there is no such round, nothing in its folder `returned`, or a label that is none of ours.
        SettingsError: there is no exchange folder, or others can read it.
    """
    folder = exchange_folder() / name
    if not (folder / DOCUMENTS).is_file():
        raise InputRefused(f"there is no round {name}.", "Write it first, or mend the name.")
    originals = {one.document.id: one.document for one in read_corrected(folder / DOCUMENTS)}
    texts = {key: one.text for key, one in originals.items()}
    checked, chosen = Checked(), _format(form)
    table = label_map(labels, "labels") if labels else chosen.labels
    for path, annotator in _returned(folder / RETURNED, chosen):
        one = check(chosen.read(path, texts), originals, table, accept_unmarked=accept_unmarked)
        checked.documents += [replace(gold, annotator=annotator) for gold in one.documents]
        checked.problems += [replace(problem, annotator=annotator) for problem in one.problems]
    people = sorted({gold.annotator for gold in checked.documents})
    with private_files():
        for person in people:
            mine = (gold_record(gold) for gold in checked.documents if gold.annotator == person)
            _write_lines(folder / CORPORA / f"{person}.jsonl", mine)
        _write_lines(folder / "faults.jsonl", (_fault(one, originals) for one in checked.problems))
        fleiss = _write_agreement(folder / "agreement.md", checked.documents)
    _tell_faults([_fault(one, originals) for one in checked.problems])
    counts = {"documents": len(checked.documents), "annotators": len(people), "faults": len(checked.problems)}
    _record(requested_by, f"annotation round {name}", reason=reason, read=True, **counts)
    back = dict(Counter(gold.annotator for gold in checked.documents))
    progress.note("rounds", name, returned=back, faults=counts["faults"], fleiss=fleiss, undecided=None)
    return {**counts, **Counter(str(one.fault) for one in checked.problems), "fleiss": fleiss}


def adjudicate_round(name: str, *, requested_by: str, reason: str) -> dict[str, int]:
    """Write the passages on which the annotators of a round differ; with decisions on them, the merged corpus too.

    `disagreements.jsonl` then holds those without a decision that can be used, whose documents the merged corpus lacks.
    Returns disagreements (passages), undecided (of these) and documents (of the merged corpus, 0 without decisions).

    Raises:
        InputRefused: there is no such round, nothing was imported, or the decisions cannot be read.
        SettingsError: there is no exchange folder, or others can read it.
    """
    folder = exchange_folder() / name
    corpora = [one for one in sorted((folder / CORPORA).glob("*.jsonl")) if one.stem != ADJUDICATED]
    if not corpora:
        raise InputRefused(f"the round {name} has no annotations.", "Import what its annotators gave back first.")
    documents = [replace(one, annotator=path.stem) for path in corpora for one in read_corrected(path)]
    texts = {one.document.id: one.document.text for one in documents}
    passages = find_passages(documents)
    open_places, merged = {one.place for one in passages}, Merged()
    if (folder / DECISIONS).is_file():
        with (folder / DECISIONS).open("rb") as stream:
            merged = merge_annotations(documents, read_decisions(stream, DECISIONS))
        open_places = set(merged.undecided)
    left = [one for one in passages if one.place in open_places]
    with private_files():
        _write_lines(folder / DISAGREEMENTS, (passage_record(one, texts[one.document]) for one in left))
        if (folder / DECISIONS).is_file():
            _write_lines(folder / CORPORA / f"{ADJUDICATED}.jsonl", map(gold_record, merged.documents))
    for document in sorted({one.document for one in left})[:_TOLD]:
        log.warning("document %s: a disagreement is left to decide", document)
    counts = {"disagreements": len(passages), "undecided": len(left), "documents": len(merged.documents)}
    _record(requested_by, f"annotation round {name}", reason=reason, adjudicated=True, **counts)
    progress.note("rounds", name, undecided=len(left))
    return counts


def take_reviews(name: str, *, requested_by: str, reason: str) -> dict[str, int]:
    """Write what people corrected in closed reviews and in quarantine, as one more annotator of a round.

    Returns documents (written) and left_out: changed, gone or opted out since, or without the mentions that were seen.

    Raises:
        InputRefused: there is no such document.
        SettingsError: there is no exchange folder, or others can read it.
        WarehouseUnreachable, WarehouseError, ContractBroken: nothing was written.
    """
    folder = exchange_folder() / name
    with open_cursor("worker", "nocturne annotations") as cursor:
        annotated = list_annotated(cursor)
    found: dict[str, GoldDocument] = {}
    for one in annotated:
        mentions = read_mentions(one.run_id, [one.document_id], shown=True).get(one.document_id, ())
        opened = open_period([one.document_id], settings().limits(), {one.document_id: one.content_hash})
        if opened and len(mentions) >= one.surrogates:  # without its mentions it would teach to find none
            corrected = correct_mentions(mentions, one.annotations)
            found[one.document_id] = GoldDocument(opened[0].document, corrected, "", REVIEW)
    if not found:
        raise InputRefused("no document of a closed review can be read.", "Close a review, or read in quarantine.")
    with private_files():
        folder.mkdir(exist_ok=True)
        _write_lines(folder / CORPORA / f"{REVIEW}.jsonl", map(gold_record, found.values()))
    counts = {"documents": len(found), "left_out": len({one.document_id for one in annotated}) - len(found)}
    _record(requested_by, f"annotation round {name}", reason=reason, reviews=True, **counts)
    return counts


def exchange_folder() -> Path:
    """Return the exchange folder.

    Raises:
        SettingsError: none is set, it is not there, or others than its owner can read it.
    """
    folder = settings().exchange_folder
    if folder is None:
        raise SettingsError("NOCTURNE_EXCHANGE_FOLDER is not set.", "Name a folder that this account alone can read.")
    if not folder.is_dir():
        raise SettingsError("NOCTURNE_EXCHANGE_FOLDER is no folder.", "Make it, readable by its owner alone.")
    if folder.stat().st_mode & 0o077:
        raise SettingsError("others can read NOCTURNE_EXCHANGE_FOLDER.", "Run `chmod 700` on it: it holds originals.")
    return folder


def _found_again(folder: Path, order: RoundOrder) -> dict[str, int]:
    try:
        written = json.loads((folder / _ORDER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        written = {}
    if written.pop("triggered_by", None) != order.triggered_by:
        raise InputRefused(f"the round {order.name} exists.", "Choose another name, or remove its folder.")
    return dict(written)


def _people(names: Sequence[str]) -> tuple[str, ...]:
    people = tuple(dict.fromkeys(names))
    if not people or any(not name.isidentifier() or name in _RESERVED for name in people):
        raise InputRefused(
            "annotators have no usable names.",
            f"Give letters, digits and _; each once, none {ADJUDICATED} or {REVIEW}.",
        )
    return people


def _draw(listed: Mapping[str, Listed], order: RoundOrder) -> list[str]:
    if order.method == "stratified":
        strata = {key: (one.document_type or "", one.service or "") for key, one in listed.items()}
        ids = sampling.draw_stratified(strata, order.size, order.seed)
    elif order.method == "uncertain":
        pool = _opened(sampling.draw_random(listed, _POOL * order.size, order.seed))
        documents = [one.document for one in pool]
        policy = with_models(runtime.policy(), serving_models(runtime.policy()))
        doubts = sampling.measure_uncertainty(documents, policy)
        ids = sampling.draw_uncertain({one.id: doubt for one, doubt in zip(documents, doubts, strict=True)}, order.size)
    else:
        ids = sampling.draw_random(listed, order.size, order.seed)
    return sampling.draw_random(ids, order.size, order.seed)  # so that each part is like the whole


def _opened(document_ids: Sequence[str]) -> list[Opened]:
    found: list[Opened] = []
    for first in range(0, len(document_ids), _BATCH):
        found += open_period(document_ids[first : first + _BATCH], settings().limits())
    return found


def _detected(opened: Sequence[Opened]) -> dict[str, tuple[Mention, ...]]:
    runtime.use_current_lookup()
    detector: Detector = runtime.detector(read_staff(settings().source))
    found: dict[str, tuple[Mention, ...]] = {}
    for first in range(0, len(opened), _BATCH):
        outcomes = pipeline.detect(opened[first : first + _BATCH], detector, limits=settings().limits())
        found |= {one.document.id: one.mentions for one in outcomes if isinstance(one, Detected)}
        log.info("%d of %d documents marked beforehand", min(first + _BATCH, len(opened)), len(opened))
    return found


def _write_given(
    folder: Path,
    form: Format,
    order: RoundOrder,
    people: Sequence[str],
    documents: Sequence[Document],
    found: Mapping[str, tuple[Mention, ...]],
) -> dict[str, int]:
    """Write the documents, and those of each annotator; return the number of the latter."""
    given = {}
    _write_lines(folder / DOCUMENTS, (gold_record(GoldDocument(one, (), "")) for one in documents))
    for place, person in enumerate(people):
        mine = [*documents[: order.shared], *documents[order.shared + place :: len(people)]]
        gold = [GoldDocument(one, found[one.id], "", person) for one in mine]
        given[person] = len(gold)
        if form.write is not None:
            form.write(folder / GIVEN / f"{person}{form.suffix}", gold)
    return given


def _returned(folder: Path, form: Format) -> Iterator[tuple[Path, str]]:
    """Yield what annotators gave back, with their names."""
    paths = [one for one in sorted(folder.iterdir()) if not one.name.startswith(".")] if folder.is_dir() else []
    if not paths:
        raise InputRefused("the round's folder `returned` is empty.", "Put there what annotators gave back.")
    for path in paths:
        name = path.name if path.is_dir() else path.name.removesuffix(form.suffix)
        if not name.isidentifier() or name in _RESERVED:
            raise InputRefused(
                "a file of the folder `returned` is not named after an annotator.", f"Call it ANNOTATOR{form.suffix}."
            )
        yield path, name


def _fault(one: Problem, originals: Mapping[str, Document]) -> dict[str, Any]:
    """Return a fault without anything that the file says: an id that was not given could be a name."""
    return {
        "document": one.document if one.document in originals else "",
        "annotator": one.annotator,
        "fault": str(one.fault),
        "place": one.place,
        "shift": one.shift,
    }


def _tell_faults(faults: Sequence[Mapping[str, Any]]) -> None:
    for one in faults[:_TOLD]:
        log.warning("document %s, annotator %s: %s", one["document"] or "?", one["annotator"], one["fault"])
    if len(faults) > _TOLD:
        log.warning("and %d more faults, in faults.jsonl", len(faults) - _TOLD)


def _write_agreement(path: Path, documents: Sequence[GoldDocument]) -> float | None:
    times = Counter(one.document.id for one in documents)
    path.unlink(missing_ok=True)
    if not any(count > 1 for count in times.values()):
        return None
    found = measure_agreement(documents)
    path.write_text(as_tables(found) + "\n", encoding="utf-8")
    log.info("κ of Fleiss over %d documents, in agreement.md", found.documents)
    return None if found.overall.value is None else round(found.overall.value, 3)


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8") as stream:
        for record in records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def _written_format(name: str) -> Format:
    form = _format(name)
    if form.write is None:
        raise InputRefused(f"{name} can only be read.", "Choose another format.")
    return form


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise InputRefused("there is no such format.", f"Choose one of {', '.join(FORMATS)}.")
    return FORMATS[name]


def _record(actor: str, about: str, **details: Any) -> None:
    with open_cursor("worker", "nocturne annotations") as cursor:
        audit.write(cursor, actor or "nocturne", audit.Action.EXPORT, about, **details)
