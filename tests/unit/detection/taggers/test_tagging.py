"""Manifests are checked before a model is used; chunks are batched by width; distributions are calibrated."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from deid.detection.annotators import FEATURE_RULES
from deid.detection.taggers.features import FeatureTable
from deid.detection.taggers.tagging import (
    LONGEST,
    MANIFEST_FILE,
    ROWS,
    WEIGHTS,
    Manifest,
    Tagging,
    features_digest,
    one_thread,
    read_manifest,
)
from deid.detection.taggers.tags import INDEX, TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import PolicyError
from deid.domain.writing import file_digest
from deid.models import FOLDER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(FOLDER / "crf" / MANIFEST_FILE, tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"weights")
    change(tmp_path, weights=file_digest(tmp_path / WEIGHTS))
    return tmp_path


def change(folder: Path, **fields: object) -> None:
    content = json.loads((folder / MANIFEST_FILE).read_text())
    (folder / MANIFEST_FILE).write_text(json.dumps(content | fields))


def test_a_manifest_that_fits_is_read_and_written_back(folder: Path) -> None:
    found = read_manifest(folder, "crf")
    assert (found.kind, found.features) == ("crf", features_digest())
    found.save(folder)
    assert read_manifest(folder, "crf") == found


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "bilstm_crf"}, "is a bilstm_crf"),
        ({"features": "0" * 16}, "other features or labels"),
        ({"weights": "0" * 64}, "not the file that was saved"),
        ({"unknown": 1}, "cannot be read"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(folder: Path, fields: dict[str, object], message: str) -> None:
    change(folder, **fields)
    with pytest.raises(PolicyError, match=message):
        read_manifest(folder, "crf")


@pytest.mark.parametrize("name", [MANIFEST_FILE, WEIGHTS])
def test_a_folder_without_a_model_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(PolicyError, match="no model"):
        read_manifest(folder, "crf")


def test_a_manifest_that_is_no_json_is_refused(folder: Path) -> None:
    (folder / MANIFEST_FILE).write_text("{")
    with pytest.raises(PolicyError, match="cannot be read"):
        read_manifest(folder, "crf")


class Constant(Tagging):
    """A tagger that gives every token the same distribution, and notes the shapes of its batches."""

    name = "crf"
    rules = FEATURE_RULES

    def load(self, folder: Path) -> None:
        assert folder.is_dir()
        self.batches: list[tuple[int, int]] = []
        self._manifest = Manifest("crf", "", "", temperature=2.0)

    def probabilities(self, tables: Sequence[FeatureTable], width: int) -> torch.Tensor:
        assert all(len(table) <= width for table in tables)
        self.batches.append((len(tables), width))
        found = torch.zeros((ROWS, width, len(TAGS)))
        found[:, :, 0], found[:, :, INDEX["B-CITY"]] = 0.1, 0.9
        return found


def test_chunks_of_a_width_are_computed_together_and_calibrated() -> None:
    tagger = Constant()
    readings = [Reading(Document(str(at), "mot " * 10)) for at in range(ROWS + 2)]
    readings += [Reading(Document("long", "mot " * (LONGEST + 10))), Reading(Document("empty", ""))]
    found = tagger.distributions(readings)
    assert [len(one) for one in found] == [len(reading.words) for reading in readings]
    assert sorted(tagger.batches) == [(1, 384), (3, 64), (ROWS, 64)]
    assert np.allclose(np.concatenate(found).sum(axis=1), 1)
    # Temperature 2: the ratio 9 of the two probabilities becomes 3.
    assert found[0][0, INDEX["B-CITY"]] == pytest.approx(0.75)
    assert len(tagger.annotate(readings[0])) == 10


def test_one_thread_gives_the_threads_back() -> None:
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
