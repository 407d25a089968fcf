"""Embedded server: start, resumption, error messages, and protection of its secrets."""

from __future__ import annotations

import io
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from deid.config.settings import Settings
from deid.database import embedded
from deid.database.embedded import EmbeddedServer
from deid.domain.errors import SettingsError
from deid.schema.provision import provision, read_env
from tests.folders import make_server_folder
from tests.ports import reserve_port

FAST = {"fsync": "off"}


@pytest.fixture
def home() -> Iterator[Path]:
    root = make_server_folder()
    folder = root / ("a folder with spaces and a name that no socket path would hold " * 2).strip() / "nocturne"
    yield folder
    if (folder / "postgres").exists():
        EmbeddedServer(folder).stop()
    shutil.rmtree(root)


def test_it_starts_stops_and_starts_again_on_the_same_port_with_its_data(home: Path) -> None:
    server = EmbeddedServer(home, options=FAST)
    server.start()
    server.start()
    _execute(server, "CREATE TABLE kept AS SELECT 1 AS a")
    port = server.port
    server.stop()
    server.stop()
    assert not server.running()
    EmbeddedServer(home, options=FAST).start()
    assert server.port == port
    assert _execute(server, "SELECT a FROM kept") == [(1,)]


def test_a_port_in_use_is_one_clear_message(home: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(SettingsError, match=f"port {port} .* used by another program.*NOCTURNE_POSTGRES_PORT"):
            EmbeddedServer(home, port, FAST).start()
    EmbeddedServer(home, port, FAST).start()
    assert EmbeddedServer(home).port == port


def test_a_killed_server_starts_again(home: Path) -> None:
    server = EmbeddedServer(home)
    server.start()
    _execute(server, "CREATE TABLE kept AS SELECT 1 AS a")
    pid = int((home / "postgres" / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and server.running() and time.monotonic() < deadline:
        time.sleep(0.1)
    while True:  # its children notice, and leave the shared memory
        try:
            server.start()
            break
        except SettingsError:
            assert time.monotonic() < deadline + 60
            time.sleep(0.2)
    assert _execute(server, "SELECT a FROM kept") == [(1,)]


def test_it_asks_for_a_password_and_listens_on_this_machine_only(home: Path) -> None:
    server = EmbeddedServer(home, options=FAST)
    server.start()
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(server.uri("postgres", password="wrong"))
    assert _execute(server, "SHOW listen_addresses") == [("127.0.0.1",)]
    assert _execute(server, "SHOW log_min_error_statement") == [("panic",)]
    assert _execute(server, "SHOW log_error_verbosity") == [("terse",)]


def test_a_lost_password_file_is_said_rather_than_replaced(home: Path) -> None:
    server = EmbeddedServer(home, options=FAST)
    server.start()
    facts = (home / "postgres.json").read_text()
    (home / "postgres.json").unlink()
    with pytest.raises(SettingsError, match=r"postgres\.json is gone"):
        EmbeddedServer(home).start()
    (home / "postgres.json").write_text(facts)


def test_a_home_that_cannot_be_written_is_one_clear_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="cannot be written"):
        EmbeddedServer(tmp_path / "file" / "home").start()


def test_provision_twice_gives_the_same_settings_which_open_every_door(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    env_file = provision(home)
    first = env_file.read_text()
    assert provision(home).read_text() == first
    assert stat.S_IMODE(env_file.stat().st_mode) == 0o600
    variables = read_env(env_file)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
        if name.endswith("_DSN"):
            psycopg2.connect(value).close()
    settings = Settings()
    assert len(settings.key) == 32
    assert settings.dsn("worker") == variables["NOCTURNE_WORKER_DSN"]
    output = "".join(capfd.readouterr())
    assert not any(secret in output for secret in variables.values() if "postgresql" in secret)
    assert settings.secret is not None
    assert settings.secret.get_secret_value() not in output


def test_provision_takes_the_port_of_the_settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = reserve_port()
    monkeypatch.setenv("NOCTURNE_POSTGRES_PORT", str(port))
    assert f"@127.0.0.1:{port}/nocturne" in read_env(provision(home))["NOCTURNE_WORKER_DSN"]


def test_a_failed_statement_leaves_no_value_in_the_server_log(home: Path) -> None:
    variables = read_env(provision(home))
    for statement in (
        "SELECT 'VASSEROT'::int",
        "INSERT INTO deid.withdrawal VALUES (1, 'VASSEROT')",
        "COPY deid.mention FROM STDIN",
    ):
        link = psycopg2.connect(variables["NOCTURNE_WORKER_DSN"])
        with pytest.raises(psycopg2.Error), link.cursor() as cursor:
            cursor.copy_expert(statement, io.StringIO("VASSEROT\n"))
        link.close()
    log = (home / "postgres.log").read_text()
    assert "ready to accept connections" in log
    assert "VASSEROT" not in log


def test_provision_finds_another_port_when_its_own_was_taken_while_it_was_down(home: Path) -> None:
    provision(home)
    EmbeddedServer(home).stop()
    port = EmbeddedServer(home).port
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port or reserve_port()))
        other.listen()
        variables = read_env(provision(home))
    assert f":{port}/" not in variables["NOCTURNE_WORKER_DSN"]
    psycopg2.connect(variables["NOCTURNE_WORKER_DSN"]).close()


def _execute(server: EmbeddedServer, statement: str) -> list[tuple]:
    link = psycopg2.connect(server.uri("postgres"))
    try:
        with link, link.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        link.close()


ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("useradd") is None, reason="only root makes users")


@ROOT_ONLY
def test_servers_that_start_at_once_on_a_new_machine_share_the_user_that_one_of_them_makes() -> None:
    name = f"nocturne-{os.getpid()}"
    module = "deid.database.embedded"
    program = (
        f"import {module} as one; one.SYSTEM_USER = {name!r}; print('ready', flush=True); input();"
        " print(one._system_user().pw_uid)"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    try:
        started = [subprocess.Popen([sys.executable, "-c", program], **pipes) for _ in range(6)]
        for process in started:
            assert process.stdout.readline() == "ready\n"
        for process in started:
            process.stdin.write("\n")
            process.stdin.flush()
        numbers = [process.communicate()[0].strip() for process in started]
    finally:
        subprocess.run(["userdel", name], check=False, capture_output=True)
    assert len(set(numbers)) == 1
    assert numbers[0].isdigit()


@ROOT_ONLY
def test_a_user_that_cannot_be_made_is_told_with_the_command_that_makes_it(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr(embedded, "SYSTEM_USER", "not a name")
    with pytest.raises(SettingsError, match=r"could not be made: useradd: invalid user name") as refused:
        EmbeddedServer(home).start()
    assert "useradd --system" in refused.value.remedy
    assert not (home / "postgres" / "PG_VERSION").exists()
    assert not (home / ".initdb-password").exists()


@pytest.mark.parametrize(
    ("name", "why"), [("useradd-that-lacks", "No such file or directory"), ("useradd", "Permission denied")]
)
def test_a_machine_that_cannot_make_users_is_told_so(
    name: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / name
    if "lacks" not in name:
        program.touch(mode=0o600)  # which nobody may run
    monkeypatch.setattr(embedded, "SYSTEM_USER", f"nocturne-{os.getpid()}")
    monkeypatch.setattr(embedded, "_ADD_USER", (str(program), "--system"))
    with pytest.raises(SettingsError, match=rf"could not be made: {program}: {why}\.") as refused:
        embedded._system_user()
    assert f"`{program} --system nocturne-{os.getpid()}` as root" in refused.value.remedy


def test_a_port_is_taken_by_who_listens_and_not_by_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server((embedded.HOST, 0)) as other:
        port = other.getsockname()[1]
        assert embedded.port_taken(port)
    with socket.socket() as asking:  # as `port_taken` asks
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        asking.bind((embedded.HOST, port))
        monkeypatch.setattr(socket.socket, "listen", lambda *_: pytest.fail("who listens is found by another"))
        assert not embedded.port_taken(port)


def test_a_process_that_keeps_the_users_locked_is_told_after_a_while_and_delays_nobody_who_needs_no_new_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with embedded._users_held():
        monkeypatch.setattr(embedded, "WAIT_S", 1)
        monkeypatch.setattr(embedded, "SYSTEM_USER", f"nocturne-{os.getpid()}")
        with pytest.raises(SettingsError, match=r"kept /etc locked for 1 s.*`lslocks` names"):
            embedded._system_user()
        monkeypatch.setattr(embedded, "SYSTEM_USER", "root")
        assert embedded._system_user().pw_uid == 0


@ROOT_ONLY
def test_the_lock_of_a_killed_process_is_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"nocturne-{os.getpid()}"
    monkeypatch.setattr(embedded, "SYSTEM_USER", name)
    program = (
        "import time; from deid.database.embedded import _users_held\n"
        "with _users_held(): print('held', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
        finally:
            holder.kill()
    try:
        assert embedded._system_user().pw_name == name
    finally:
        subprocess.run(["userdel", name], check=False, capture_output=True)


@ROOT_ONLY
def test_a_user_with_another_home_runs_the_server_and_finds_its_home_as_it_was(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, elsewhere = f"nocturne-{os.getpid()}", tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    subprocess.run(["useradd", "--system", "--home-dir", elsewhere, "--no-create-home", name], check=True)
    try:
        monkeypatch.setattr(embedded, "SYSTEM_USER", name)
        server = EmbeddedServer(home, options=FAST)
        server.start()
        try:
            assert _execute(server, "SELECT 1") == [(1,)]
            assert (home / "postgres").owner() == name
        finally:
            server.stop()
        assert list(elsewhere.iterdir()) == []
        assert (elsewhere.owner(), stat.S_IMODE(elsewhere.stat().st_mode)) == ("root", 0o700)
    finally:
        subprocess.run(["userdel", name], check=False, capture_output=True)


@ROOT_ONLY
def test_a_machine_without_a_free_port_is_told_with_the_setting_that_names_one() -> None:
    program = (
        "import socket; from deid.database.embedded import HOST, free_port\n"
        "held = [socket.create_server((HOST, 0)) for _ in range(2)]\n"
        "free_port()"
    )
    kernel = "/proc/sys/net/ipv4"
    two_ports = f"echo 1 > {kernel}/ip_nonlocal_bind && echo 32000 32001 > {kernel}/ip_local_port_range"
    alone = ["unshare", "--net", "sh", "-c", f'{two_ports} && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets nobody make a network of two ports (unshare, CAP_SYS_ADMIN)")
    done = subprocess.run([*alone, sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "SettingsError: 127.0.0.1 has no free port: Address already in use" in done.stderr
    assert "NOCTURNE_POSTGRES_PORT" in done.stderr


def test_a_port_that_another_program_takes_first_is_left_to_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = EmbeddedServer(home)
    launch = server._launch
    with socket.socket() as other:

        def overtaken(port: int) -> None:
            monkeypatch.setattr(server, "_launch", launch)
            other.bind(("127.0.0.1", port))
            other.listen()
            launch(port)

        monkeypatch.setattr(server, "_launch", overtaken)
        server.start()
        assert server.port not in (None, other.getsockname()[1])
    assert _execute(server, "SELECT 1") == [(1,)]
    server.stop()
