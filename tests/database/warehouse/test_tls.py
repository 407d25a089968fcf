"""TLS to PostgreSQL, on a server with a self-signed certificate: migrations and connections verify it.

The embedded server is built without TLS; this one is the system's, where it is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from deid.database.connection import connect
from deid.domain.errors import WarehouseError
from deid.schema.migrations import migrate
from deid.schema.provision import DATABASE, OWNER, make_database, make_owner
from tests.database.refresh.certificates import HERE, Authority
from tests.folders import make_server_folder
from tests.ports import reserve_port

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
PASSWORD = "nocturne-tests"
pytestmark = pytest.mark.skipif(
    not FOLDERS, reason="no PostgreSQL with TLS is installed (Debian: apt install postgresql)"
)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[int, Path, Path]]:
    """A server that takes TLS alone: its port, its own certificate, and an authority that did not sign it."""
    home = make_server_folder()
    Authority(home).server(self_signed=True)
    (made,) = home.glob(f"{HERE}*.pem")
    key, certificate = _parts(made.read_text(encoding="ascii"))
    (home / "server.key").write_text(key, encoding="ascii")
    (home / "server.key").chmod(0o600)
    (home / "server.crt").write_text(certificate, encoding="ascii")
    stranger = Authority(home).bundle
    as_user = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    if as_user:
        for path in (home, *home.iterdir()):
            shutil.chown(path, "nobody", "nogroup")
        home.chmod(0o755)
    port, data = reserve_port(), home / "data"

    def execute(program: str, *arguments: str) -> None:
        with (home / "out").open("a") as sink:
            subprocess.run(
                [str(FOLDERS[-1] / program), *arguments],
                check=True,
                stdout=sink,
                stderr=sink,
                cwd=home,
                env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
                **as_user,
            )  # type: ignore[call-overload]

    try:
        execute("initdb", "-D", str(data), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C")
        (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 trust\n", encoding="ascii")
        options = f"-p {port} -c listen_addresses={HERE} -c unix_socket_directories='' -c fsync=off -c ssl=on"
        options += f" -c ssl_cert_file={home}/server.crt -c ssl_key_file={home}/server.key"
        execute("pg_ctl", "start", "-w", "-D", str(data), "-l", str(home / "log"), "-o", options)
        yield port, home / "server.crt", stranger
    finally:
        if (data / "postmaster.pid").exists():
            execute("pg_ctl", "stop", "-m", "fast", "-D", str(data))
        shutil.rmtree(home)


def test_migrations_and_connections_verify_the_servers_certificate(served: tuple[int, Path, Path]) -> None:
    port, certificate, _ = served
    options = f"sslmode=verify-full&sslrootcert={certificate}"
    superuser = f"postgresql://postgres@{HERE}:{port}/postgres?{options}"
    make_owner(superuser, PASSWORD)
    make_database(superuser, DATABASE, OWNER)
    owner = f"postgresql://{OWNER}@{HERE}:{port}/{DATABASE}?{options}"
    assert "0001_walls" in migrate(owner)
    with connect(owner) as link, link.cursor() as cursor:
        cursor.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        assert cursor.fetchall() == [(True,)]


@pytest.mark.parametrize(
    "options", ["sslmode=verify-full&sslrootcert={stranger}", "sslmode=verify-full", "sslmode=disable"]
)
def test_a_server_that_cannot_be_verified_is_not_spoken_to(served: tuple[int, Path, Path], options: str) -> None:
    port, _, stranger = served
    asked = options.format(stranger=stranger)
    with (
        pytest.raises(WarehouseError, match=f"{HERE}:{port}"),
        connect(f"postgresql://postgres@{HERE}:{port}/postgres?{asked}"),
    ):
        pass
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(f"postgresql://postgres@{HERE}:{port}/postgres?{asked}")


def _parts(pem: str) -> tuple[str, str]:
    """The private key and the certificate of a file that holds both."""
    begin = pem.index("-----BEGIN CERTIFICATE-----")
    return pem[:begin], pem[begin:]
