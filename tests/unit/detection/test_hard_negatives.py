"""Hard negatives stay without a mention; people with the same names are found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from deid.config import policy
from deid.detection.detector import Detector
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from tests import ROOT
from tests.unit.detection.hard_negatives import (
    COUNTERPARTS,
    HardNegative,
    Share,
    load_hard_negatives,
    share_found,
    share_untouched,
)

FOLDER = ROOT / "corpus" / "traps"


@pytest.fixture(scope="module")
def hard_negatives() -> list[HardNegative]:
    return load_hard_negatives(FOLDER)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(policy.load())


class Finds:
    """A detector that marks every occurrence of some words as names."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def detect(self, documents: Sequence[Document]) -> list[list[Mention]]:
        return [
            [Mention(at, at + len(word), Label.PERSON) for word in self._words if (at := document.text.find(word)) >= 0]
            for document in documents
        ]


def folder(path: Path, **files: str) -> Path:
    for name, content in files.items():
        (path / f"{name}.txt").write_text(content, encoding="utf-8")
    return path


def test_texts_are_read_with_hard_negatives_and_mentions(tmp_path: Path) -> None:
    marked = "M. [[PATIENT|Paul Roux]] :\nscore de {{trap|Glasgow}} 15\n\n\n{{trap|Kardegic}}, vu par [[DOCTOR|Léa]]\n"
    first, second = load_hard_negatives(folder(tmp_path, mixed=marked))
    assert first.document == Document("mixed-1", "M. Paul Roux :\nscore de Glasgow 15")
    assert first.kind == "mixed"
    assert [first.document.text[start:end] for start, end in first.spans] == ["Glasgow"]
    assert [(first.document.text[m.start : m.end], m.label) for m in first.mentions] == [("Paul Roux", Label.PATIENT)]
    assert [second.document.text[m.start : m.end] for m in second.mentions] == ["Léa"]


@pytest.mark.parametrize(
    "content", ["rien de marqué", "{{trap|}}", "{{piège|Crohn}}", "{{trap|Crohn", "{{trap|a}} [[NOM|Roux]]"]
)
def test_what_cannot_be_read_is_refused_without_quoting_it(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputRefused, match=r"bad\.txt, text 2") as refused:
        load_hard_negatives(folder(tmp_path, bad=f"{{{{trap|Apgar}}}}\n\n{content}"))
    assert "Crohn" not in str(refused.value)
    assert "Roux" not in str(refused.value)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputRefused):
        load_hard_negatives(tmp_path)


def test_shares_count_touched_hard_negatives_and_wholly_found_people(tmp_path: Path) -> None:
    hard_negatives = load_hard_negatives(
        folder(
            tmp_path,
            eponyms="{{trap|Crohn}} et {{trap|Horton}}",
            drugs="{{trap|Kardegic}}",
            counterparts="M. [[PATIENT|Paul Crohn]]\n\nMme [[PATIENT|Horton]], {{trap|Horton}}",
        )
    )
    nothing = share_untouched(Finds(), hard_negatives)
    assert nothing == Share(4, 4, {"counterparts": (1, 1), "drugs": (1, 1), "eponyms": (2, 2)})
    assert share_found(Finds(), hard_negatives) == Share(0, 2, {COUNTERPARTS: (0, 2)})
    some = Finds("roh", "Horton")
    assert share_untouched(some, hard_negatives).by_kind == {"counterparts": (1, 1), "drugs": (1, 1), "eponyms": (0, 2)}
    assert share_found(some, hard_negatives) == Share(1, 2, {COUNTERPARTS: (1, 2)})
    assert share_found(Finds("Paul", "Crohn"), hard_negatives).kept == 1, "the space between need not be covered"


def test_the_hard_negatives_that_ship_are_many_and_of_many_kinds(hard_negatives: list[HardNegative]) -> None:
    texts = {negative.document.text for negative in hard_negatives if negative.kind != COUNTERPARTS}
    assert len(texts) == sum(negative.kind != COUNTERPARTS for negative in hard_negatives) >= 320
    surfaces = {
        negative.document.text[start:end].casefold() for negative in hard_negatives for start, end in negative.spans
    }
    assert len(surfaces) >= 450
    assert len({negative.kind for negative in hard_negatives}) >= 10
    assert sum(len(negative.mentions) for negative in hard_negatives if negative.kind == COUNTERPARTS) >= 40


@pytest.mark.parametrize(("name", "floor"), [("balanced", 0.97), ("default", 0.94)])
def test_hard_negatives_are_left_alone(name: str, floor: float, hard_negatives: list[HardNegative]) -> None:
    # Short of the 99 in 100 that are wished for: the recall bias masks what it cannot explain (docs/detection.md).
    share = share_untouched(Detector(policy.load(policy.DEFAULT.with_name(f"{name}.yaml"))), hard_negatives)
    assert share.kept >= floor * share.total, share


def test_people_who_bear_the_names_of_hard_negatives_are_found(
    detector: Detector, hard_negatives: list[HardNegative]
) -> None:
    share = share_found(detector, hard_negatives)
    assert share.kept >= 0.95 * share.total, share
