"""The documentation site: built strictly, nothing loaded from another host, readable by assistive technology."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from selectolax.lexbor import LexborHTMLParser

from tests import ROOT
from tests.pages.test_accessibility import violations

MKDOCS = ROOT / ".venv/tools/bin/mkdocs"
TUTORIAL = "your-warehouse.html"
LOADING = {"src", "srcset", "data", "poster", "action", "formaction"}
ADDRESS = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^)"']+)""")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MKDOCS.exists(), reason="mkdocs is not installed in .venv/tools (make site)"),
]


def build(
    folder: Path, *options: str, config: Path = ROOT / "mkdocs.yml", **settings: str
) -> subprocess.CompletedProcess[str]:
    command = [str(MKDOCS), "build", "--strict", "-f", str(config), "-d", str(folder), *options]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", **settings}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        del format, args


def elsewhere(html: str) -> list[str]:
    """Addresses on other hosts that a page loads from; links that a reader may follow are none."""
    found = []
    for node in LexborHTMLParser(html).css("*"):
        for name, value in node.attributes.items():
            loads = name in LOADING or (name == "href" and node.tag not in ("a", "area"))
            if loads and value and re.match(r"\s*(https?:)?//", value):
                found.append(value)
        if node.tag == "style" or node.attributes.get("style"):
            found += ADDRESS.findall(node.attributes.get("style") or node.text())
    return found


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 60
    assert {str(page): found for page in pages if (found := elsewhere(page.read_text()))} == {}
    assert {str(sheet) for sheet in site.rglob("*.css") if ADDRESS.search(sheet.read_text())} == set()
    assert not [*site.rglob("*.py")]


def test_the_tutorial_follows_the_home_page(site: Path) -> None:
    home = LexborHTMLParser((site / "index.html").read_text())
    assert home.css_first('link[rel="next"]').attributes["href"] == TUTORIAL
    items = home.css(".md-nav--primary > ul > li")
    names = [item.css_first(".md-ellipsis").text(strip=True) for item in items]
    assert names == [
        *("Nocturne", "Your warehouse in an hour", "Operators", "Stewards", "Researchers"),
        *("Data protection officers", "Developers", "Reference"),
    ]


def test_french_pages_say_so(site: Path) -> None:
    for page in (*site.glob("fr/*.html"), site / "stewards.html"):
        read = LexborHTMLParser(page.read_text())
        assert read.css_first("article").attributes["lang"] == "fr", page
        assert read.css_first("html").attributes["lang"] == "en", page
    assert "lang" not in LexborHTMLParser((site / TUTORIAL).read_text()).css_first("article").attributes


def test_links_without_an_address_of_the_repository_are_plain_text(site: Path) -> None:
    home = LexborHTMLParser((site / "index.html").read_text())
    links = [node.attributes["href"] for node in home.css("article a")]
    assert "privacy.html" in links
    assert not [link for link in links if "corpus" in str(link)]
    assert "corpus" in home.css_first("article").text()


def test_broken_links_fail_and_others_lead_to_the_repository(tmp_path: Path) -> None:
    broken = ["privacy.md#no-such-section", "no-such-page.md", "../corpus/no-such-file.md"]
    for name in ("docs", "deid/config"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "mkdocs.yml", "corpus/README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    page = tmp_path / "docs/your-warehouse.md"
    page.write_text(page.read_text() + "".join(f"\n[broken]({link})\n" for link in broken))
    done = build(
        tmp_path / "site",
        config=tmp_path / "mkdocs.yml",
        NOCTURNE_REPOSITORY="https://forge.example/nocturne/blob/main/",
    )
    assert done.returncode == 1
    assert [link for link in broken if f"'{link}'" not in done.stderr] == []
    links = [node.attributes["href"] for node in LexborHTMLParser((tmp_path / "site/index.html").read_text()).css("a")]
    assert "https://forge.example/nocturne/blob/main/corpus/README.md" in links
    assert "privacy.html" in links


@pytest.mark.parametrize(
    ("scheme", "paths"),
    [("light", ("index.html", "fr/relecture.html")), ("dark", (TUTORIAL,))],
)
def test_pages_in_a_browser(address: str, browser: Browser, scheme: str, paths: tuple[str, ...]) -> None:
    """Axe finds nothing, nothing is asked of another host, search answers."""
    page = browser.new_page(color_scheme=scheme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in paths:
        page.goto(f"{address}/{path}")
        assert violations(page) == [], path
    page.keyboard.press("f")
    page.keyboard.type("quarantaine")
    page.wait_for_selector(".md-search-result__item a")
    assert {one for one in asked if not one.startswith((address, "data:", "blob:"))} == set()
    page.close()
