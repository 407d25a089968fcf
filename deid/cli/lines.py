"""JSON Lines of documents and mentions, on files or pipes: the shapes of the public surface.

A bad line is reported with its number; the other lines go on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from deid.cli.language import tell
from deid.domain.document import PATIENT_LISTS, Document, Mention, Patient, Stay
from deid.domain.errors import InputRefused
from deid.domain.outcomes import Deidentified, Detected, Incoming, Refused
from deid.domain.writing import replacing

PIPE = Path("-")
T = TypeVar("T")
Writer = Callable[[Mapping[str, Any]], None]  # writes one object as one line


class BadLine(ValueError):
    """An unusable line; the message gives the reason, and quotes nothing of the line."""


class Refusals:
    """Count of refused lines, each written to standard error as it comes."""

    def __init__(self) -> None:
        self.count = 0

    def tell(self, message: str) -> None:
        """Count one refusal and write its message."""
        self.count += 1
        tell(message, err=True)


def read_lines(path: Path, read: Callable[[Mapping[str, Any]], T], refusals: Refusals) -> Iterator[T]:
    """Yield the result of `read` on each line's object. A second object with the same id is a bad line.

    Raises:
        InputRefused: there is no such file.
    """
    seen: set[str] = set()
    name = "standard input" if path == PIPE else path.name
    with open_input(path) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                record = parse_object(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
                identifier = required_text(record, "id")
                if identifier in seen:
                    raise BadLine("“id” met already")
                made = read(record)
            except BadLine as fault:
                refusals.tell(f"{name}, line {number}: {fault}")
                continue
            seen.add(identifier)
            yield made


def parse_object(line: bytes) -> Mapping[str, Any]:
    """Return the JSON object of a line.

    Raises:
        BadLine: it is not UTF-8, not JSON, or no object.
    """
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadLine("is not in UTF-8") from None
    except (ValueError, RecursionError):
        raise BadLine("is not JSON") from None
    if not isinstance(record, dict):
        raise BadLine("is not a JSON object")
    return record


def required_text(record: Mapping[str, Any], name: str) -> str:
    """Return a mandatory text field.

    Raises:
        BadLine: the field is absent or not text, or is an id that is blank or holds a control character.
    """
    value = record.get(name)
    if not isinstance(value, str):
        raise BadLine(f"“{name}” is missing or is not a text")
    if name == "id" and (not value.strip() or not value.isprintable()):
        raise BadLine("“id” is empty or holds a control character")
    return value


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file in binary mode, or standard input for `-`.

    Raises:
        InputRefused: the file cannot be read.
    """
    if path == PIPE:
        yield sys.stdin.buffer
        return
    try:
        stream = path.open("rb")
    except OSError as error:
        raise InputRefused(f"{path}: {error.strerror}.", "Give a readable file, or - for a pipe.") from None
    with stream:
        yield stream


@contextmanager
def open_writer(path: Path) -> Iterator[Writer]:
    """Give a writer of JSON Lines to a file, or to standard output for `-`. The file appears once it is complete.

    Raises:
        InputRefused: the file cannot be written.
    """
    if path.is_dir():
        raise InputRefused(f"{path} is a folder.", "Give a file in it, or - for a pipe.")
    if path == PIPE or (path.exists() and not path.is_file()):
        stream = sys.stdout.buffer if path == PIPE else path.open("wb")
        yield lambda record: _write_line(stream, record)
        stream.flush()
        return
    try:
        with replacing(path) as partial, partial.open("wb") as file:
            yield lambda record: _write_line(file, record)
    except OSError as error:
        raise InputRefused(f"{path}: {error.strerror}.", "Give a file in a folder that can be written.") from None


def _write_line(stream: BinaryIO, record: Mapping[str, Any]) -> None:
    line = json.dumps(record, ensure_ascii=False, separators=(", ", ": "))
    stream.write(line.encode("utf-8", "surrogatepass") + b"\n")


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items in order; the last may be shorter."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def progress(items: Iterable[T]) -> Iterable[T]:
    """Show a count of documents on standard error if it is a terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, unit=" documents", file=sys.stderr)


def read_incoming(record: Mapping[str, Any]) -> Incoming:
    """Read a line of input: id, text, and perhaps patient, reference_date, type, service, format, title.

    Raises:
        BadLine: a field is missing or of the wrong kind.
    """
    document = Document(
        id=required_text(record, "id"),
        text=required_text(record, "text"),
        patient=_read_patient(record.get("patient")),
        reference_date=_parse_day(record.get("reference_date"), "reference_date"),
        type=optional_text(record, "type"),
        stay=_read_stay(record.get("stay")),
        service=optional_text(record, "service"),
    )
    return Incoming(document, optional_text(record, "format"), title=optional_text(record, "title"))


def detected_line(outcome: Detected) -> dict[str, Any]:
    """Return the line `{"id","mentions":[{"start","end","label","subtype"?,"score","votes"}]}` of a document.

    A formatted input adds `text`, the plain text in which the offsets count.
    """
    line: dict[str, Any] = {"id": outcome.document.id}
    if outcome.markup is not None:
        line["text"] = outcome.document.text
    return line | {"mentions": [_mention_line(mention) for mention in outcome.mentions]}


def deidentified_line(outcome: Deidentified) -> dict[str, Any]:
    """Write `{"id","text","mentions":[…],"budget":[…],"verdict":{…}}`.

    `markup` is added where the input had any, and `title` where it identifies nobody.
    """
    candidate = outcome.candidate
    substitution = candidate.substitution
    spans = zip(substitution.surrogates, substitution.spans, strict=True)
    line: dict[str, Any] = {"id": candidate.document.id, "text": substitution.text}
    for name, value in (("title", candidate.title), ("markup", candidate.markup)):
        if value is not None:
            line[name] = value
    return line | {
        "mentions": [
            {
                "start": drawn.mention.start,
                "end": drawn.mention.end,
                "label": str(drawn.mention.label),
                "surrogate_start": start,
                "surrogate_end": end,
            }
            for drawn, (start, end) in spans
        ],
        "budget": [asdict(spend) for spend in substitution.spends],
        "verdict": {
            "passed": True,
            "reasons": [],
            "warnings": list(outcome.verdict.warnings),
            "checks": {item.check: item.success for item in outcome.verdict.outcomes},
            "constraints": {kind: counts._asdict() for kind, counts in outcome.verdict.constraints.items()},
        },
    }


def refused_line(outcome: Refused) -> dict[str, Any]:
    """Write `{"id","verdict":{"passed":false,"reasons":[…]}}`, without the text."""
    return {"id": outcome.document_id, "verdict": {"passed": False, "reasons": [str(one) for one in outcome.reasons]}}


def _mention_line(mention: Mention) -> dict[str, Any]:
    line: dict[str, Any] = {"start": mention.start, "end": mention.end, "label": str(mention.label)}
    if mention.subtype is not None:
        line["subtype"] = mention.subtype
    votes = [{"annotator": vote.annotator, "label": str(vote.label), "score": vote.score} for vote in mention.votes]
    return line | {"score": mention.score, "votes": votes}


def _read_stay(given: Any) -> Stay | None:
    if given is None:
        return None
    if not isinstance(given, dict) or (first := _parse_day(given.get("first"), "stay.first")) is None:
        raise BadLine("“stay” is not an object with “first”")
    return Stay(first, _parse_day(given.get("last"), "stay.last"))


def _read_patient(given: Any) -> Patient:
    if given is None:
        return Patient()
    if not isinstance(given, dict):
        raise BadLine("“patient” is not an object")
    for name, value in given.items():
        if value is None or isinstance(value, str) or name not in Patient.__dataclass_fields__:
            continue
        if name not in PATIENT_LISTS:
            raise BadLine(f"“patient.{name}” is not a text")
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise BadLine(f"“patient.{name}” is not a list of texts")
    try:
        return Patient.from_json(given)
    except (TypeError, ValueError):
        raise BadLine("“patient.birth_date” is not a date YYYY-MM-DD, YYYY-MM or YYYY") from None


def _parse_day(value: Any, name: str) -> date | None:
    if value in (None, ""):
        return None
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise BadLine(f"“{name}” is not a date YYYY-MM-DD") from None


def optional_text(record: Mapping[str, Any], name: str) -> str | None:
    """Return a text field, None where it is absent or null; raises as `required_text`."""
    return None if record.get(name) is None else required_text(record, name)
