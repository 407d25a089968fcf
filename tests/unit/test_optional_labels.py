"""The optional labels change nothing where no annotator gives them: the taggers' classes stay those of the models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import deid
from deid.detection.annotators.transformer.label_maps import label_map
from deid.detection.taggers.tags import TAGS, encode
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import PolicyError
from deid.domain.labels import DIRECT, OPTIONAL, QUASI, TAGGED, Label

MODELS = Path(deid.__file__).parent / "models"


def test_labels_are_tagged_or_optional() -> None:
    assert set(TAGGED) | OPTIONAL == set(Label)
    assert not set(TAGGED) & OPTIONAL
    assert set(Label) == DIRECT | QUASI


def test_the_classes_are_those_of_the_model_that_ships() -> None:
    trained = json.loads((MODELS / "transformer" / "nocturne.json").read_text(encoding="utf-8"))["labels"]
    assert tuple(trained) == TAGS, (
        "train the models again (`make train`, docs/transformers.md), or make the label OPTIONAL"
    )


def test_what_is_annotated_as_an_optional_label_is_outside_for_the_taggers() -> None:
    reading = Reading(Document("d1", "Maçon, vu par Dr Martin."))
    named = Mention(14, 23, Label.DOCTOR)
    both = encode(reading, [Mention(0, 5, Label.PROFESSION), named])
    assert np.array_equal(both, encode(reading, [named]))
    assert both.any()


def test_a_model_may_not_give_an_optional_label() -> None:
    with pytest.raises(PolicyError, match="PROFESSION"):
        label_map("m", {0: "O", 1: "B-PROFESSION"}, {})
