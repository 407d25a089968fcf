"""`file`: files and folders of every format, rewritten in their own format, without a database."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from deid.cli import lines
from deid.cli.console import REFUSED, read_settings
from deid.cli.documents import FromDatabase, PolicyFile, ReadFrom, StaffFile, deidentifier, refusal_message
from deid.cli.language import colon, tell, translated
from deid.domain.document import Document
from deid.domain.errors import InputRefused, Reason
from deid.domain.outcomes import Deidentified, Incoming, Refused
from deid.domain.writing import replacing

_BATCH = 64  # files of a process of its own
_BATCH_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class _Task:
    """A file to read and where it is written; `id` is its path within the folder given."""

    id: str
    path: Path
    target: Path


def file(
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="File or folder.", show_default=False)],
    target: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="File, or folder if the input is one.", show_default=False)
    ],
    policy: PolicyFile = None,
    staff: StaffFile = None,
    database: FromDatabase = False,
    fields: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rules of the source, in YAML: images, scans, fields (docs/formats.md)."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Batches processed at the same time.")] = 1,
    keep_names: Annotated[
        bool,
        typer.Option(
            "--keep-names",
            help="Keep the names of a folder's files; otherwise they are numbered, for they name people.",
        ),
    ] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write, as JSON Lines, what became of each file.")
    ] = None,
    read_from: ReadFrom = None,
) -> None:
    """De-identify files of any format.

    Each is rewritten in its format, recognised by its content: text, HTML, RTF, DOCX, XLSX, PDF, XML, CDA, JSON, CSV,
    HL7 v2, FHIR, DICOM, VCF, e-mails, ZIP archives of these… (docs/formats.md). A file that the check holds back is not
    written: standard error tells which and why, and the exit status is 1. The secret NOCTURNE_SECRET is needed.
    """
    from deid.formats.fields import FileRules, load_rules

    rules = FileRules() if fields is None else load_rules(fields)
    tasks = _tasks(source, target, keep_names=keep_names)
    deidentify = deidentifier(policy, staff, database=database, rules=rules, read_from=read_from)
    size = read_settings().max_document_bytes

    def process(batch: list[_Task]) -> list[Deidentified | Refused]:
        read = [_incoming(task, size) for task in batch]
        sound = [item for item in read if isinstance(item, Incoming)]
        done = iter(deidentify(sound) if sound else ())
        return [item if isinstance(item, Refused) else next(done) for item in read]

    summary = _Summary()
    with (
        lines.open_writer(report) if report is not None else nullcontext() as write,
        ThreadPoolExecutor(workers) as pool,
    ):
        for task, outcome in lines.progress(_outcomes(pool.map(process, _batches(tasks)), tasks)):
            line = summary.settle(task, outcome)
            if write is not None:
                write(line)
    summary.tell()
    if summary.refused:
        raise typer.Exit(REFUSED)


def _outcomes(
    batches: Iterable[list[Deidentified | Refused]], tasks: list[_Task]
) -> Iterator[tuple[_Task, Deidentified | Refused]]:
    yield from zip(tasks, (outcome for batch in batches for outcome in batch), strict=True)


def _tasks(source: Path, target: Path, *, keep_names: bool) -> list[_Task]:
    """Return the files to read, in the order of their names.

    Raises:
        InputRefused: the source is missing, or the target is of the other kind or within the source.
    """
    if source.is_file():
        if target.is_dir() or target.resolve() == source.resolve():
            raise InputRefused(f"{target}: not another file.", "Give the file to write.")
        return [_Task(source.name, source, target)]
    if not source.is_dir():
        raise InputRefused(f"{source}: neither a file nor a folder.", "Give one that exists.")
    if target.is_file() or target.resolve().is_relative_to(source.resolve()):
        raise InputRefused(f"{target}: not a folder outside of the source.", "Give another folder.")
    paths = sorted(path for path in source.rglob("*") if path.is_file() and not path.is_symlink())
    digits = len(str(len(paths)))
    tasks = []
    for number, path in enumerate(paths, 1):
        name = str(path.relative_to(source))
        new = name if keep_names else f"{number:0{digits}}{path.suffix.lower()}"
        tasks.append(_Task(name, path, target / new))
    return tasks


def _batches(tasks: list[_Task]) -> Iterator[list[_Task]]:
    batch: list[_Task] = []
    held = 0
    for task in tasks:
        size = task.path.stat().st_size
        if batch and (len(batch) == _BATCH or held + size > _BATCH_BYTES):
            yield batch
            batch, held = [], 0
        batch.append(task)
        held += size
    if batch:
        yield batch


def _incoming(task: _Task, max_bytes: int) -> Incoming | Refused:
    """Return a file with its bytes; a larger one than `max_bytes` is not read."""
    try:
        if (size := task.path.stat().st_size) > max_bytes:
            return Refused(task.id, (Reason.TOO_LARGE,), f"{size} bytes, at most {max_bytes}")
        return Incoming(Document(task.id, ""), format=task.path.name, content=task.path.read_bytes())
    except OSError as error:
        return Refused(task.id, (Reason.MALFORMED,), error.strerror or "")


class _Summary:
    """Counts of the files written and held back, by format and reason."""

    def __init__(self) -> None:
        self.written: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.shared = 0  # files of several patients

    def settle(self, task: _Task, outcome: Deidentified | Refused) -> dict[str, Any]:
        """Write a file, or tell why it is held back; return its line of the report."""
        if isinstance(outcome, Refused) or outcome.candidate.file is None:
            refused = outcome if isinstance(outcome, Refused) else Refused(task.id, (Reason.UNSUPPORTED_FORMAT,))
            self.refused[str(refused.reasons[0])] += 1
            typer.echo(refusal_message(refused), err=True)
            return {"file": task.id, "written": None, "reasons": [str(one) for one in refused.reasons]}
        file = outcome.candidate.file
        target = task.target.with_suffix(file.suffix) if file.suffix else task.target
        _write(target, file.content)
        self.written[file.format] += 1
        self.removed.update(file.removed)
        self.shared += file.patients > 1
        replaced = Counter(str(one.mention.label) for one in outcome.candidate.substitution.surrogates)
        return {
            "file": task.id,
            "written": str(target),
            "format": file.format,
            "replaced": dict(sorted(replaced.items())),
            "removed": dict(sorted(file.removed.items())),
            "patients": file.patients,
        }

    def tell(self) -> None:
        """Write the counts on standard output."""
        tell(f"{self.written.total()} file(s) written, {self.refused.total()} held back.")
        for title, counts in (
            (translated("written"), self.written),
            (translated("removed"), self.removed),
            (translated("held back"), self.refused),
        ):
            if counts:
                typer.echo(f"{title}{colon()}" + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
        if self.shared:
            told = "of several patients, who share their surrogates: separate them by patient (docs/formats.md)."
            tell(f"{self.shared} file(s) {told}", err=True)
        sys.stdout.flush()


def _write(target: Path, content: bytes) -> None:
    """Write a file that appears once it is complete.

    Raises:
        InputRefused: the folder cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as partial:
            partial.write_bytes(content)
    except OSError as error:
        raise InputRefused(f"{target}: {error.strerror}.", "Give a folder that can be written.") from None
