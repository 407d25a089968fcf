"""Every wrong file through the DAG: its task fails, the others and the versions in service stay as they were."""

from __future__ import annotations

import gzip
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from deid.config.settings import settings
from deid.reference.packaged import DATA
from deid.refresh import connections, download
from deid.refresh.configuration import DEPARTMENTS
from deid.refresh.sources import SOURCES
from tests.conftest import Database
from tests.database.refresh import formats, health_formats
from tests.database.refresh.certificates import Authority
from tests.database.refresh.conftest import Web, authority, secure, web  # noqa: F401 - fixtures

pytestmark = pytest.mark.slow
COMMUNES = gzip.decompress((DATA / "communes.csv.gz").read_bytes()).decode()
SURNAMES = gzip.decompress((DATA / "surnames.csv.gz").read_bytes()).decode()
RETRIED = 1 + download.RETRIES
STREETS = formats.packed(formats.ban())


def _latin() -> bytes:
    return COMMUNES.encode("latin-1", errors="replace")


def _misplaced() -> bytes:
    return formats.packed(formats.ban().replace(";lon;lat;", ";lat;lon;", 1))


def _bomb() -> bytes:
    """An archive of 100 kB that unpacks to 100 MB."""
    return formats.zipped("prenoms-2023-nat.csv", "sexe;preusuel;annais;nombre\n" + "1;JEAN;1944;20\n" * 7_000_000)


PAGE = {"Content-Type": "text/html; charset=utf-8"}

# One night each: what is wrong → (source, what its server answers, what the refusal says).
NIGHTS: list[dict[str, tuple[str, dict[str, Any], str]]] = [
    {
        "404": ("streets", {"body": b"", "status": 404}, "answered 404"),
        "duplicated INSEE codes": (
            "communes",
            {"body": COMMUNES.replace("\n25056,", "\n25057,").encode()},
            "INSEE codes given twice (1)",
        ),
        "half the rows gone": (
            "surnames",
            {"body": "\n".join(SURNAMES.split("\n")[:109_000]).encode()},
            "108999 rows where the version in use has",
        ),
        "another workbook": (
            "care_access",
            {"body": health_formats.workbook(health_formats.grid({"01001": 1}))},
            "no worksheet has a column Code commune INSEE",
        ),
        "web page": ("establishments", {"body": b"<!DOCTYPE html><p>Maintenance</p>"}, "the file is a web page"),
        "web page by its type": ("former_communes", {"body": b"oups", "headers": PAGE}, "is a web page, not a file"),
        "wrong delimiter": (
            "first_names",
            {"body": formats.insee_first_names(20).replace(";", "|").encode()},
            "lacks the columns",
        ),
    },
    {
        "a department missing": (
            "mortality",
            {"body": health_formats.mortality({code: 200.0 for code in DEPARTMENTS if code != "2A"})},
            "departments missing of 96 in the metropolis (1)",
        ),
        "500": ("surnames", {"body": b"", "status": 500}, "answered 500"),
        "Latin-1": ("communes", {"body": _latin()}, "not text in utf-8"),
        "coordinates outside France": (
            "streets",
            {"body": _misplaced()},
            "10400 of 10400 lines are not as",
        ),
        "changed header": (
            "former_communes",
            {"body": b"code,libelle\n01015,Arbignieu\n"},
            "lacks the columns MOD, DATE_EFF",
        ),
        "timeout": (
            "first_names",
            {"body": b"sexe;preusuel\n" * 100, "drip_s": 3},
            "(no answer in time)",
        ),
        "beyond its size": ("establishments", {"body": b"x" * 5000}, "larger than 4096 bytes"),
    },
    {
        "truncated gzip": ("streets", {"body": STREETS[: len(STREETS) // 2]}, "damaged or cut short"),
        "postal code as an integer": (
            "communes",
            {"body": COMMUNES.replace(",01400,", ",1400,").encode()},
            "lines are not as they should be",
        ),
        "gzip bomb": ("surnames", {"body": gzip.compress(b"NOM\t" * (20 << 20))}, "line without end"),
        "zip bomb": ("first_names", {"body": _bomb()}, "unpacks to far more than a table would"),
        "cut short": ("former_communes", {"body": b"insee,name\n", "length": 5000}, "(the connection broke off)"),
        "checksum mismatch": (
            "establishments",
            {"body": (DATA / "establishments.csv.gz").read_bytes()},
            "and should be 000000000000…",
        ),
    },
]
# What the file of the configuration says on each of these nights.
CONFIGURED = (
    "{}",
    "sources: {establishments: {max_bytes: 4096}}",
    f"sources: {{establishments: {{checksum: '{'0' * 64}'}}}}",
)


def service(database: Database) -> list[tuple]:
    """Everything the sources left, as counts."""
    tables = ("commune", "street", "establishment", "first_name", "surname", "former_commune", "health_indicator")
    counts = [database.rows(f"SELECT '{table}', release_id, count(*) FROM ref.{table} GROUP BY 2") for table in tables]
    return [*counts, *database.rows("SELECT release_id, source, version, state, rows FROM ref.release ORDER BY 1")]


class Heard(logging.Handler):
    """Return the log lines of the refreshes about each source."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: dict[str, str] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.said[str(record.args[0])] = record.getMessage()  # type: ignore[index]


@pytest.fixture
def heard() -> Iterator[Heard]:
    handler, logger = Heard(), logging.getLogger("deid.refresh.refreshing")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


@pytest.fixture
def night(
    loaded: Database, play: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: Heard
) -> Callable[..., None]:
    """Play a night after one on which all went well: the sources at wrong places fail by name, nothing else moves."""
    monkeypatch.setattr(download, "BACKOFF_S", 0.0)
    monkeypatch.setattr(connections, "READ_S", 2.0)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in connections.BUNDLES:
        monkeypatch.delenv(name, raising=False)
    before = service(loaded)

    def run(wrong: Mapping[str, tuple[str, str]], configured: str) -> None:
        (tmp_path / "references.yaml").write_text(configured, encoding="utf-8")
        with monkeypatch.context() as patch:
            patch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
            for source, (url, _) in wrong.items():
                patch.setenv(f"NOCTURNE_{source.upper()}_LOCATION", url)
            settings.cache_clear()
            heard.said.clear()
            time.sleep(0.01)  # a run of its own instant
            played = play("refresh_references")
        ended = {name: played.steps[name] for name in SOURCES}
        assert ended == {name: ["failed" if name in wrong else "success"] for name in SOURCES}
        assert {source: message in heard.said[source] for source, (_, message) in wrong.items()} == dict.fromkeys(
            wrong, True
        ), heard.said
        assert service(loaded) == before

    return run


def test_each_wrong_file_fails_its_own_task_by_name_and_touches_nothing(
    night: Callable[..., None],
    web: Web,  # noqa: F811 - the fixture
) -> None:
    for faults, configured in zip(NIGHTS, CONFIGURED, strict=True):
        night(
            {source: (web.serve(f"/{source}", **answer), says) for source, answer, says in faults.values()}, configured
        )
    asked = Counter(path for path, _ in web.seen)
    assert asked["/surnames"] == RETRIED + 2  # 500 is tried again; what was wrong on the other two nights is not
    assert asked["/streets"] == 3


def test_a_server_that_cannot_prove_who_it_is_and_a_proxy_that_refuses_fail_their_own_task(
    night: Callable[..., None],
    web: Web,  # noqa: F811 - the fixtures
    secure: Callable[..., Web],  # noqa: F811
    authority: Authority,  # noqa: F811
) -> None:
    web.serve("ban.example:443", b"", status=403)
    refused = "the certificate of the server was refused: "
    night(
        {
            "streets": (secure(self_signed=True).serve("/", STREETS), f"{refused}it is self-signed"),
            "communes": (secure(host="ban.example").serve("/", b""), f"{refused}it is for another host"),
            "surnames": (secure(days=-1).serve("/", b""), f"{refused}it has expired"),
            "establishments": ("https://ban.example/", "the proxy refused, or does not answer"),
        },
        f"{{proxy: '{web.url}', ca_bundle: '{authority.bundle}'}}",
    )


def test_communes_take_features_after_their_source_and_keep_them_when_its_next_file_is_refused(
    deployed: Database,
    play: Any,
    web: Web,  # noqa: F811 - the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (tmp_path / "references.yaml").write_text("features: {density_level: {source: density_levels}}", encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
    grid = web.serve("/grid", health_formats.workbook(health_formats.grid(health_formats.levels())))
    monkeypatch.setenv("NOCTURNE_DENSITY_LEVELS_LOCATION", grid)
    settings.cache_clear()
    first = play("refresh_references")
    assert (first.steps["density_levels"], first.steps["communes"]) == (["success"], ["success"])
    asked = "SELECT release_id, features ? 'density_level', count(*) > 34000 FROM ref.commune GROUP BY 1, 2"
    [(number, featured, many)] = deployed.rows(asked)
    assert (featured, many) == (True, True)
    web.serve("/grid", b"<!DOCTYPE html><p>Maintenance</p>")
    time.sleep(0.01)  # a run of its own instant
    second = play("refresh_references")
    assert (second.steps["density_levels"], second.steps["communes"]) == (["failed"], ["success"])
    assert deployed.rows(asked) == [(number, True, True)]
