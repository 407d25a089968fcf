"""Extensions of another distribution: commands, an annotator and a generator by its entry points; broken ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deid.config.policy import Policy, load
from deid.detection import Detector
from deid.domain.document import Document
from deid.domain.errors import PolicyError
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from tests import ROOT

ENTRY_POINTS = """
[nocturne.commands]
greet = nocturne_other:add
absent = nocturne_other:nothing
failing = nocturne_failing:add
half = nocturne_other:add_half

[nocturne.annotators]
badge = nocturne_other:Badges
absent = nocturne_other:Nothing
failing = nocturne_failing:Badges

[nocturne.generators]
badge = nocturne_other:Numbers
absent = nocturne_other:Nothing
"""
OTHER = r"""
import re

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.substitution.drafts import Draft


def add(app):
    @app.command(name="greet", help="Greet.")
    def greet() -> None:
        print("bonjour")


def add_half(app):
    from deid.cli import policies
    from deid.domain.errors import SettingsError

    app.command(name="half")(print)
    policies.policy_app.command(name="half")(print)
    raise SettingsError("NOCTURNE_OTHER names no folder.", "Set it.")


class Badges:
    def annotate(self, reading):
        return [Mention(*found.span(), Label.ID) for found in re.finditer(r"BADGE \d+", reading.text)]


class Numbers:
    def __init__(self, context): ...

    def write(self, mention, attempt):
        return Draft(f"BADGE {attempt}", "badge")
"""
FAILING = 'raise RuntimeError("VASSEROT")\n'


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages in which such a distribution is installed."""
    facts = tmp_path / "nocturne_other-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: nocturne-other\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "nocturne_other.py").write_text(OTHER)
    (tmp_path / "nocturne_failing.py").write_text(FAILING)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("nocturne_other", "nocturne_failing"):
        sys.modules.pop(name, None)


def policy(folder: Path, annotator: str, provider: str) -> Policy:
    path = folder / "policy.yaml"
    path.write_text(
        f"extends: rules\nname: extended\ndetection: {{annotators: [{{name: {annotator}}}]}}\n"
        f"substitution: {{labels: {{ID: {{provider: {provider}}}}}}}\n"
    )
    return load(path)


def test_a_policy_names_an_annotator_and_a_generator_of_another_distribution(other: Path) -> None:
    chosen = policy(other, "badge", "badge")
    document = Document("d", "Vu avec son BADGE 4711 ce jour.")
    (mentions,) = Detector(chosen).detect([document])
    tables = packaged_tables()
    substitutor = Substitutor(chosen, bytes(range(32)), tables.communes, tables.names)
    assert substitutor.substitute(document, mentions).text == "Vu avec son BADGE 0 ce jour."


@pytest.mark.parametrize(
    ("name", "what"),
    [("absent", r"AttributeError at registry\.py:\d+"), ("failing", r"RuntimeError at nocturne_failing\.py:1")],
)
def test_an_annotator_that_cannot_be_loaded_is_told_with_a_remedy(name: str, what: str, other: Path) -> None:
    with pytest.raises(PolicyError, match=rf"{name} cannot be imported: {what}\. Check") as refused:
        Detector(policy(other, name, "badge"))
    assert "VASSEROT" not in str(refused.value)


def test_a_generator_that_cannot_be_loaded_is_told_with_a_remedy(other: Path) -> None:
    with pytest.raises(PolicyError, match=r"ID: absent cannot be imported\. Check"):
        Substitutor(policy(other, "badge", "absent"), bytes(range(32)), packaged_tables().communes)


def run_deid(folder: Path, *arguments: str, language: str = "en") -> subprocess.CompletedProcess[str]:
    """Run the command line as a process that has such a distribution."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{folder}", "NOCTURNE_LANG": language}
    command = [sys.executable, "-m", "deid", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_commands_are_added_and_those_that_fail_are_named_and_left_out(other: Path) -> None:
    done = run_deid(other, "greet")
    assert (done.returncode, done.stdout) == (0, "bonjour\n")
    absent, failing, half = (line for line in done.stderr.splitlines() if "is left out, it cannot be loaded" in line)
    assert "the extension absent is left out, it cannot be loaded: AttributeError at " in absent
    assert failing.endswith(": RuntimeError at nocturne_failing.py:1. Mend or uninstall it.")
    assert half.endswith(" half is left out, it cannot be loaded: NOCTURNE_OTHER names no folder. Set it.")
    assert "VASSEROT" not in done.stderr


def test_an_extension_that_fails_half_way_leaves_no_command(other: Path) -> None:
    for group in ([], ["policy"]):
        done = run_deid(other, *group, "half", language="fr")
        assert (done.returncode, "half" in done.stderr.splitlines()[-1]) == (2, True)
    assert "est laissée de côté, elle ne se charge pas : RuntimeError sur nocturne_failing.py:1." in done.stderr
