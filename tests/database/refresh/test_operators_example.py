"""The closed network of docs/operators.md: its very YAML, on a mirror, a folder, a proxy and an authority here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from deid.config.settings import settings
from deid.refresh.configuration import ReferencesFile, configured_source
from deid.refresh.refreshing import refresh
from tests import ROOT
from tests.conftest import Database
from tests.database.refresh import formats, health_formats
from tests.database.refresh.certificates import Authority
from tests.database.refresh.conftest import Web

PAGE = ROOT / "docs/operators.md"


@pytest.fixture
def written() -> str:
    section = PAGE.read_text(encoding="utf-8").partition("\n## Reference data on a closed network\n")[2]
    found = re.search(r"^ *```yaml\n(.*?)^ *```$", section, flags=re.DOTALL | re.MULTILINE)
    assert found is not None
    return dedent(found[1])


def put(path: Path, content: bytes) -> None:
    """A file and its digest, as `sha256sum` writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.with_name(f"{path.name}.sha256").write_text(f"{hashlib.sha256(content).hexdigest()}  {path.name}\n")


@pytest.fixture
def network(
    written: str,
    web: Web,
    secure: Callable[..., Web],
    authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Web:
    """Everything that the page names, at places of this machine; returns the mirror."""
    mirror, folder = secure(), tmp_path / "opendata"
    directory = formats.directory().encode()
    doubs = formats.packed(formats.ban(2600, insee="25056"))
    mirror.serve("/ban/adresses-25.csv.gz", doubs)
    mirror.serve("/ban/adresses-25.csv.gz.sha256", hashlib.sha256(doubs).hexdigest().encode())
    mirror.serve("/annuaire/PS_LibreAcces_Personne_activite.txt", directory)
    put(folder / "ban/adresses-39.csv.gz", formats.packed(formats.ban(2600, insee="39300")))
    put(folder / "lieux-dits/lieux-dits-05-beta.csv.gz", formats.packed(formats.lieux_dits()))
    grid = health_formats.workbook(health_formats.grid(health_formats.levels()))
    put(folder / "insee/grille_densite_7_niveaux_2024.xlsx", grid)
    put(folder / "drees/apl_medecins_generalistes.xlsx", health_formats.workbook(health_formats.access_everywhere()))
    here = {
        "http://proxy.chu.example:3128": web.url,
        "/etc/ssl/certs/chu.pem": str(authority.bundle),
        "https://miroir.chu.example": mirror.url,
        "/srv/opendata": str(folder),
        re.search(r"checksum: ([0-9a-f]{64})", written)[1]: hashlib.sha256(directory).hexdigest(),  # type: ignore[index]
    }
    for place, ours in here.items():
        assert place in written
        written = written.replace(place, ours)
    (tmp_path / "references.yaml").write_text(written, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
    settings.cache_clear()
    return mirror


def test_the_file_says_only_what_there_is(written: str, tmp_path: Path) -> None:
    bundle = tmp_path / "chu.pem"
    bundle.write_text("")
    ReferencesFile.model_validate(yaml.safe_load(written.replace("/etc/ssl/certs/chu.pem", str(bundle))))


@pytest.mark.slow
def test_a_hospital_that_follows_the_page_has_its_references(deployed: Database, web: Web, network: Web) -> None:
    dsn = deployed.dsn("refresher")
    named = ("streets", "localities", "professionals", "density_levels", "care_access", "communes", "establishments")
    results = {source: refresh(source, dsn=dsn) for source in named}
    assert {source: result["state"] for source, result in results.items()} == dict.fromkeys(named, "loaded")
    assert {results[source]["rows"] for source in ("streets", "localities", "professionals")} == {5200, 600, 1100}
    files = deployed.rows(
        "SELECT one->>'location' FROM ref.release, jsonb_array_elements(files) AS one WHERE source = 'streets'"
    )
    assert [Path(location).name for (location,) in files] == ["adresses-25.csv.gz", "adresses-39.csv.gz"]
    assert files[0] == (f"{network.url}/ban/adresses-25.csv.gz",)
    assert {path for path, _ in web.seen} == {network.url.removeprefix("https://")}, "all through the proxy"
    assert deployed.rows("SELECT count(*) FROM ref.commune WHERE NOT features ? 'density_level'") == [(0,)]
    of_besancon = "SELECT features->>'apl_gen' FROM ref.commune WHERE insee = '25056'"
    assert deployed.rows(of_besancon) == [("4.500",)]
    assert configured_source("communes").max_age_days == configured_source("establishments").max_age_days == 1500
    assert {refresh(source, dsn=dsn)["state"] for source in named} == {"unchanged"}
