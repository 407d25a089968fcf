"""`detect` and `deidentify`: documents in JSON Lines, without a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from deid.cli import lines
from deid.cli.console import DAY, REFUSED, read_settings, served_policy
from deid.cli.language import colon, complain, language, translated
from deid.domain.outcomes import Deidentified, Detected, Incoming, Refused

if TYPE_CHECKING:
    from deid.config.policy import Policy
    from deid.detection.lookup.staff import Staff
    from deid.formats.fields import FileRules
    from deid.substitution import Substitutor

BATCH = 64
T = TypeVar("T", Detected, Deidentified)

Input = Annotated[
    Path, typer.Argument(metavar="INPUT", help="JSON Lines file, or - for standard input.", show_default=False)
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Result; -: standard output.")]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FILE", help="Policy in YAML; else NOCTURNE_POLICY, else the one that ships."),
]
StaffFile = Annotated[
    Path | None,
    typer.Option(
        "--staff",
        metavar="FILE",
        help='Staff of the hospital, as JSON Lines: {"last_name", "first_names", "role", "rpps"}.',
        show_default=False,
    ),
]
FromDatabase = Annotated[
    bool,
    typer.Option(
        "--database", help="Reference data in use in the database (NOCTURNE_WORKER_DSN), instead of those that ship."
    ),
]
ReadFrom = Annotated[
    datetime | None,
    typer.Option(
        "--read-from",
        metavar="DATE",
        formats=DAY,
        help="Day from which the texts are read: dates of the past are published before it. Keep it for a patient.",
        show_default=False,
    ),
]


def detect(
    source: Input = lines.PIPE,
    output: Output = lines.PIPE,
    annotators: Annotated[
        str | None, typer.Option(metavar="A,B…", help="Annotators to run instead of those of the policy.")
    ] = None,
    policy: PolicyFile = None,
    staff: StaffFile = None,
    database: FromDatabase = False,
) -> None:
    """Find what identifies a person in documents.

    Each line read is {"id": …, "text": …}; "patient" (what the warehouse knows of the patient), "reference_date",
    "type", "title" and "format" (text/html) may be added. Each line written is {"id": …, "mentions": [{"start", "end",
    "label", "score", "votes"}]}; positions count the Unicode characters of the text.
    """
    from deid import pipeline
    from deid.detection import Detector
    from deid.nightly import runtime

    if database:
        runtime.use_current_lookup()
    detector = Detector(_with_annotators(served_policy(policy), annotators), read_staff_file(staff))
    size, limits = read_settings().max_document_bytes, read_settings().limits()
    _process(
        source,
        output,
        lines.detected_line,
        lambda batch: pipeline.detect(
            pipeline.open_documents(batch, max_bytes=size, limits=limits), detector, limits=limits
        ),
    )


def deidentify(
    source: Input = lines.PIPE,
    output: Output = lines.PIPE,
    policy: PolicyFile = None,
    staff: StaffFile = None,
    database: FromDatabase = False,
    refused: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write, as JSON Lines, the documents held back and their reasons."),
    ] = None,
    read_from: ReadFrom = None,
) -> None:
    """De-identify documents, and check them before writing.

    The input is that of “detect”. Each line written is {"id", "text", "mentions", "budget", "verdict"}. A document that
    the check holds back is not written: standard error tells which and why, and the exit status is 1. The secret
    NOCTURNE_SECRET is needed: with the same secret, a patient keeps the same surrogates from one document and day to
    another.
    """
    deidentify_batch = deidentifier(policy, staff, database=database, read_from=read_from)
    _process(source, output, lines.deidentified_line, deidentify_batch, refused)


def _process(
    source: Path,
    output: Path,
    line_of: Callable[[T], Mapping[str, Any]],
    process: Callable[[list[Incoming]], Iterable[T | Refused]],
    refused: Path | None = None,
) -> None:
    """Process the lines of `source` by batches, write the outcomes, then list the documents held back in `refused`.

    Raises:
        typer.Exit: status 1 if a line or a document was refused.
    """
    refusals = lines.Refusals()
    held: list[Refused] = []
    with lines.open_writer(output) as write:
        for batch in lines.in_batches(lines.progress(lines.read_lines(source, lines.read_incoming, refusals)), BATCH):
            for outcome in process(batch):
                if isinstance(outcome, Refused):
                    refusals.tell(refusal_message(outcome))
                    held.append(outcome)
                else:
                    write(line_of(outcome))
    if refused is not None:
        with lines.open_writer(refused) as write:
            for outcome in held:
                write(lines.refused_line(outcome))
    if refusals.count:
        complain(f"{refusals.count} refused, see above.")
        raise typer.Exit(REFUSED)


def deidentifier(
    policy: Path | None,
    staff: Path | None,
    *,
    database: bool,
    rules: FileRules | None = None,
    read_from: datetime | None = None,
) -> Callable[[Sequence[Incoming]], list[Deidentified | Refused]]:
    """Return what de-identifies batches of texts, or of files under `rules`, by the options of a command.

    Dates of the past are published before the day `read_from`, which no ledger keeps; None leaves them without an end.

    Raises:
        InputRefused: there is no secret, or the policy needs the ledger.
    """
    key = read_settings().key  # before anything that takes time: without it there is nothing to do
    from deid import pipeline
    from deid.detection import Detector

    chosen = served_policy(policy, ledger=False)
    substitutor = make_substitutor(chosen, key, database=database)
    limits = read_settings().limits()
    process = partial(
        pipeline.deidentify,
        detector=Detector(chosen, read_staff_file(staff)),
        substitutor=substitutor,
        max_bytes=read_settings().max_document_bytes,
        quality=chosen.quality,
        hiding=chosen.substitution.hiding,
        # Parsers of files are code of other people: always in a process of its own, which is killed past its limits.
        limits=limits if rules is None else replace(limits, isolated=True),
        rules=rules and rules.model_copy(update={"times": chosen.substitution.times.strategy}),
    )
    if read_from is None:
        return process
    from deid.substitution.temporal.ends import bounds_before

    bounds = bounds_before(read_from.date() - timedelta(days=1))
    return lambda batch: process([replace(one, document=replace(one.document, bounds=bounds)) for one in batch])


def make_substitutor(policy: Policy, key: bytes, *, database: bool) -> Substitutor:
    """Make the substitutor of the shipped tables, or of the reference versions in use in the database.

    With the database, detection reads the names of the same versions.
    """
    from deid.nightly import runtime
    from deid.reference.tables import packaged_tables
    from deid.substitution import Substitutor

    if database:
        runtime.use_current_lookup()
    tables = runtime.tables() if database else packaged_tables()
    return Substitutor(policy, key, tables.communes, tables.names)


def read_staff_file(path: Path | None) -> Staff:
    """Return the staff of a file; nobody where there is none."""
    from deid.detection.lookup.staff import NO_STAFF, read_staff

    return NO_STAFF if path is None else read_staff(path)


def _with_annotators(policy: Policy, names: str | None) -> Policy:
    """Return the policy with the annotators `names`; each keeps its options of the policy."""
    from deid.config.policy import AnnotatorChoice

    if names is None:
        return policy
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise typer.BadParameter("give at least one name of an annotator", param_hint="--annotators")
    known = {choice.name: choice for choice in policy.detection.annotators}
    choices = tuple(known.get(name, AnnotatorChoice(name=name)) for name in wanted)
    return policy.model_copy(update={"detection": policy.detection.model_copy(update={"annotators": choices})})


def refusal_message(outcome: Refused) -> str:
    """Return the line of standard error on a document held back, in the language asked for."""
    from deid.quality.reasons import REASON_WORDS

    words = REASON_WORDS[language()]
    reasons = f"{' ' if language() == 'fr' else ''}; ".join(f"{words[one].title} [{one}]" for one in outcome.reasons)
    detail = f" ({translated(outcome.detail)})" if outcome.detail else ""
    return f"document {outcome.document_id}{colon()}{reasons}{detail}"
