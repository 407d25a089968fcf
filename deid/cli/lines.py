"""JSON Lines in and out, on files or pipes: a bad line is told with its number, and the others go on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

import typer

from deid.domain.errors import InputRefused

PIPE = Path("-")
T = TypeVar("T")


class BadLine(ValueError):
    """A line cannot be used; the message says why, in French, and quotes nothing of it."""


class Refusals:
    """Count of refused lines, each written to standard error as it comes."""

    def __init__(self) -> None:
        self.count = 0

    def tell(self, message: str) -> None:
        """Count one refusal and write its message."""
        self.count += 1
        typer.echo(message, err=True)


def records(path: Path, read: Callable[[Mapping[str, Any]], T], refusals: Refusals, key: str = "id") -> Iterator[T]:
    """Yield the result of `read` on each line's object. A second object with the same `key` is a bad line.

    Raises:
        InputRefused: there is no such file.
    """
    seen: set[str] = set()
    name = "entrée standard" if path == PIPE else path.name
    with opened(path) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                record = _object(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
                identifier = text_of(record, key)
                if identifier in seen:
                    raise BadLine(f"« {key} » déjà rencontré")
                made = read(record)
            except BadLine as fault:
                refusals.tell(f"{name}, ligne {number} : {fault}")
                continue
            seen.add(identifier)
            yield made


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadLine("n'est pas en UTF-8") from None
    except (ValueError, RecursionError):
        raise BadLine("n'est pas du JSON") from None
    if not isinstance(record, dict):
        raise BadLine("n'est pas un objet JSON")
    return record


def text_of(record: Mapping[str, Any], name: str) -> str:
    """A field that must be there, and be text.

    Raises:
        BadLine: it is not.
    """
    value = record.get(name)
    if not isinstance(value, str):
        raise BadLine(f"« {name} » manque ou n'est pas un texte")
    if name == "id" and (not value.strip() or not value.isprintable()):
        raise BadLine("« id » est vide ou contient un caractère de contrôle")
    return value


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file to read, or standard input for `-`.

    Raises:
        InputRefused: it cannot be read.
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


class Writer(Protocol):
    """Writes one object as one line."""

    def __call__(self, record: Mapping[str, Any]) -> None: ...


@contextmanager
def written(path: Path) -> Iterator[Writer]:
    """Write JSON Lines to a file, which appears under its name only once complete, or to standard output for `-`.

    Raises:
        InputRefused: the file cannot be written.
    """
    if path == PIPE or (path.exists() and not path.is_file()):
        stream = sys.stdout.buffer if path == PIPE else path.open("wb")
        yield lambda record: _write(stream, record)
        stream.flush()
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            yield lambda record: _write(file, record)
        partial.replace(path)
    except OSError as error:
        raise InputRefused(f"{path}: {error.strerror}.", "Give a file in a folder that can be written.") from None
    finally:
        partial.unlink(missing_ok=True)


def _write(stream: BinaryIO, record: Mapping[str, Any]) -> None:
    line = json.dumps(record, ensure_ascii=False, separators=(", ", ": "))
    stream.write(line.encode("utf-8", "surrogatepass") + b"\n")


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of at most `size` items, in order."""
    batch: list[T] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def progress(items: Iterable[T]) -> Iterable[T]:
    """Count documents on standard error as they go by, if a person watches."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return tqdm(items, unit=" documents", file=sys.stderr)
