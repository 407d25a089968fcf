"""Files that a source names by path, on a file share or in an object store: read within roots, a size and a time."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NoReturn, Protocol, TypeVar
from urllib.parse import quote, unquote

import fsspec
import requests

from deid.config.settings import settings
from deid.domain.errors import DocumentRefused, Reason, SettingsError, WarehouseUnreachable

T = TypeVar("T")
_PROBE = 10.0  # seconds in which a root that is there answers
_LOCAL = "file://"


class _Root(Protocol):
    """A folder that a deployment lets documents be read from."""

    def read(self, rest: str, size: int) -> bytes:
        """Return the first `size` bytes of the file at `rest`, a path below the root."""
        ...

    def answers(self) -> bool:
        """Return whether the root is there."""
        ...


class _Folder:
    """A folder of this machine, such as a share that is mounted."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def read(self, rest: str, size: int) -> bytes:
        path = (self._path / rest).resolve()
        if not path.is_relative_to(self._path.resolve()):  # a symbolic link led out
            raise _OutsideError
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device would wait for ever
            raise IsADirectoryError
        with path.open("rb") as file:
            return file.read(size)

    def answers(self) -> bool:
        return self._path.is_dir()


class _Server:
    """A folder of a web server. What another address would have to give is not fetched."""

    def __init__(self, url: str) -> None:
        self._url = url

    def read(self, rest: str, size: int) -> bytes:
        with self._ask("GET", f"{self._url}/{quote(rest, safe='/%')}") as answer:
            if answer.status_code in (404, 410):
                raise FileNotFoundError
            if answer.is_redirect:
                raise _OutsideError
            answer.raise_for_status()
            content: bytes = answer.raw.read(size, decode_content=True)
        return content

    def answers(self) -> bool:
        with self._ask("HEAD", f"{self._url}/") as answer:
            return answer.status_code < 500

    @staticmethod
    def _ask(method: str, url: str) -> requests.Response:
        return requests.request(method, url, stream=True, allow_redirects=False, timeout=settings().file_timeout_s)


class _Store:
    """A folder of an object store or another server, by fsspec."""

    def __init__(self, url: str) -> None:
        scheme = url.partition("://")[0]
        try:
            self._system, self._base = fsspec.core.url_to_fs(url, use_listings_cache=False)
        except (ImportError, ValueError):
            raise SettingsError(
                f"NOCTURNE_FILE_ROOTS: nothing installed here reads {scheme}://.",
                "Install the driver that fsspec names for it, such as s3fs, on every worker.",
            ) from None

    def read(self, rest: str, size: int) -> bytes:
        with self._system.open(f"{self._base.rstrip('/')}/{rest}", "rb") as file:
            content: bytes = file.read(size)
        return content

    def answers(self) -> bool:
        return bool(self._system.exists(self._base))


class _OutsideError(Exception):
    """A file that lies outside of its root."""


def read_file_at(path: str, document_id: str, *, max_bytes: int) -> bytes:
    """Return the content of a file under one of the roots of the settings, one byte past `max_bytes` at most.

    `path` begins with a root as `NOCTURNE_FILE_ROOTS` writes it. Neither `..` nor a symbolic link leaves the root.

    Raises:
        DocumentRefused: file_outside, file_missing or file_unreadable.
        WarehouseUnreachable: the root of the file does not answer.
        SettingsError: nothing installed reads a root of that kind.
    """
    name = next((name for name in settings().roots if path.startswith(name + "/")), None)
    if name is None or _steps_out(rest := path[len(name) + 1 :]):
        raise DocumentRefused(document_id, Reason.FILE_OUTSIDE, "not below a root of NOCTURNE_FILE_ROOTS")
    root = _open_root(name)
    try:
        return _within(settings().file_timeout_s, lambda: root.read(rest, max_bytes + 1))
    except _OutsideError:
        raise DocumentRefused(document_id, Reason.FILE_OUTSIDE, "a symbolic link leads out of its root") from None
    except FileNotFoundError:
        _refuse(root, document_id, Reason.FILE_MISSING, "no such file")
    except Exception as error:  # drivers raise errors of their own; the kind only, since a message names the file
        _refuse(root, document_id, Reason.FILE_UNREADABLE, type(error).__name__)


def _open_root(name: str) -> _Root:
    if name.startswith((_LOCAL, "/")):
        return _Folder(name.removeprefix(_LOCAL))
    return _Server(name) if name.startswith(("https://", "http://")) else _Store(name)


def silent_roots() -> list[str]:
    """Return the roots of the settings that do not answer.

    Raises:
        SettingsError: nothing installed reads one of that kind.
    """
    return [name for name in settings().roots if not _answers(_open_root(name))]


def _answers(root: _Root) -> bool:
    try:
        return _within(_PROBE, root.answers)
    except Exception:  # drivers raise errors of their own; whichever it is, the root does not answer
        return False


def _steps_out(rest: str) -> bool:
    """Return whether a path holds a step upwards, another address (fsspec's `::`), or nothing."""
    parts = unquote(rest).replace("\\", "/").split("/")
    return not rest.strip("/") or "\0" in rest or "::" in rest or rest.startswith("/") or ".." in parts


def _refuse(root: _Root, document_id: str, reason: Reason, detail: str) -> NoReturn:
    """Refuse one file, unless its whole root is away: then none of its files is at fault.

    Raises:
        DocumentRefused: `reason`.
        WarehouseUnreachable: the root does not answer.
    """
    if not _answers(root):
        raise WarehouseUnreachable("a root of NOCTURNE_FILE_ROOTS does not answer.", "Mount or start it, and retry.")
    raise DocumentRefused(document_id, reason, detail)


def _within(seconds: float, function: Callable[[], T]) -> T:
    """Return `function()`.

    Raises:
        TimeoutError: it took longer; its thread is left behind, and ends with the process.
    """
    answers: SimpleQueue[tuple[T | None, Exception | None]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((function(), None))
        except Exception as error:
            answers.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        found, error = answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return found  # type: ignore[return-value]
