"""Interval sequences: a shift is known again, noise on each date is not, and noise that is one number is caught."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.substitution.temporal import metric
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Instant, index_of
from demo.hospital.model import Stay
from nocturne_lab.evaluation.attacks.document_dates import DocumentDates, publish_dates
from nocturne_lab.evaluation.attacks.inputs import Population, Record, with_dates
from nocturne_lab.evaluation.attacks.reidentification import SequenceMatching, match_sequences

QUARTER = Fraction(1, 4)
STAY = Stay("S1", "P1", "1", "MED", "Médecine", date(2026, 9, 1), date(2026, 9, 8), "", "hospitalisation")


def _attacked(small: Population, strategy: str, epsilon: Fraction = QUARTER) -> SequenceMatching:
    return match_sequences(publish_dates(small.records, with_dates(strategy, epsilon)))


def _noted(patient: str, number: int, written_on: date, text: str) -> Record:
    """A document whose dates are the words of 10 characters."""
    starts = [at for at in range(len(text) - 9) if text[at + 2 : at + 6 : 3] == "//"]
    mentions = tuple(Mention(at, at + 10, Label.DATE) for at in starts)
    return Record(Document(f"{patient}-{number}", text, Patient(key=patient), written_on), mentions, STAY)


def _published(*records: Record, strategy: str = "uniform_shift") -> list[DocumentDates]:
    return publish_dates(records, with_dates(strategy))


def test_a_uniform_shift_is_known_again(small: Population) -> None:
    found = _attacked(small, "uniform_shift")
    assert found.documents > 150
    assert found.unique >= 0.98
    assert found.exact >= 0.95
    assert found.nearest >= 0.95


@pytest.mark.parametrize("strategy", ["metric", "bounded_laplace", "generalise", "tag"])
def test_noise_on_each_date_leaves_no_moved_copy(small: Population, strategy: str) -> None:
    assert _attacked(small, strategy).exact < 0.05


def test_a_shift_as_small_as_the_noise_is_known_again_as_well(small: Population) -> None:
    policy = with_dates("uniform_shift", shift_min_days=12, shift_max_days=12)
    assert match_sequences(publish_dates(small.records, policy)).exact >= 0.95


def test_the_anchors_noise_used_again_for_all_dates_is_caught(
    small: Population, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reused(_context: object, line: Timeline, instant: Instant, *_: object) -> int:
        return index_of(instant.unit, instant.middle + (line.moved_anchor - line.anchor))

    monkeypatch.setattr(metric, "_moved", reused)
    assert _attacked(small, "metric").exact > 0.5


def test_two_patients_with_one_sequence_are_not_told_apart() -> None:
    text = "Entré le 01/09/2026, opéré le 03/09/2026, sorti le 08/09/2026."
    moved = "Entré le 11/08/2026, opéré le 13/08/2026, sorti le 18/08/2026."
    twins = [_noted("A", 1, date(2026, 9, 8), text), _noted("B", 1, date(2026, 8, 18), moved)]
    found = match_sequences(_published(*twins))
    assert (found.documents, found.unique, found.exact, found.chance) == (2, 0.0, 0.0, 0.5)
    alone = match_sequences(_published(*twins, _noted("C", 1, date(2026, 9, 9), text)))
    assert alone.exact == pytest.approx(1 / 3)


def test_two_documents_of_one_patient_may_look_alike() -> None:
    text = "Entré le 01/09/2026, opéré le 03/09/2026, sorti le 08/09/2026."
    pair = [_noted("A", 1, date(2026, 9, 8), text), _noted("A", 2, date(2026, 9, 8), text)]
    assert match_sequences(_published(*pair)).exact == 1.0


def test_no_sequence_no_figure() -> None:
    with pytest.raises(ValueError, match="three dates"):
        match_sequences(_published(_noted("A", 1, date(2026, 9, 8), "Vu le 01/09/2026.")))
