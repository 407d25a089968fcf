"""No model runs code of its own, none comes from a hub unless a person asks: what bandit's B614, B615 look for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT

SAFE = {"local_files_only": True, "trust_remote_code": False}
WEIGHTS = {"use_safetensors": True}  # of a configuration there are none
DOWNLOADS = {"hf_hub_download", "snapshot_download", "load_dataset", "load_state_dict_from_url"}
# A person asks for a download by name; without that word only local files are taken.
ASKED_FOR = {"deid/detection/annotators/transformer/model_directory.py"}


def calls(source: str) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield name, object and constant keyword arguments of each call."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            given = {key.arg: key.value.value for key in node.keywords if isinstance(key.value, ast.Constant)}
            yield name, owner, given


def unsafe(source: str, *, may_download: bool = False) -> list[str]:
    found = []
    for name, owner, given in calls(source):
        wanted = SAFE if owner == "AutoConfig" else SAFE | WEIGHTS
        if name == "from_pretrained" and not wanted.items() <= given.items():
            found.append(f"{owner}.{name}")
        elif (name in DOWNLOADS and not may_download) or (name == "load" and owner in ("torch", "torch.hub")):
            found.append(f"{owner}.{name}".removeprefix("."))
    return found


@pytest.mark.parametrize("folder", ["benchmarks", "dags", "deid", "demo", "lab", "plugins"])
def test_no_model_is_loaded_from_a_hub_or_with_code_of_its_own(folder: str) -> None:
    files = {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / folder).rglob("*.py"))}
    found = {name: unsafe(read(path), may_download=name in ASKED_FOR) for name, path in files.items()}
    assert {name: calls for name, calls in found.items() if calls} == {}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("AutoModel.from_pretrained(x, local_files_only=True, use_safetensors=True)", ["AutoModel.from_pretrained"]),
        ("AutoConfig.from_pretrained(x, **SAFE)", ["AutoConfig.from_pretrained"]),
        ("AutoConfig.from_pretrained(x, local_files_only=True, trust_remote_code=False)", []),
        ("snapshot_download('camembert-base')", ["snapshot_download"]),
        ("torch.load(x)", ["torch.load"]),
        ("json.load(x)", []),
    ],
)
def test_what_the_search_finds(source: str, found: list[str]) -> None:
    assert unsafe(source) == found
