"""Frequency matching: a corpus-wide surrogate keeps a surname's rank, one per patient hides a doctor's."""

from __future__ import annotations

from deid.evaluation.attacks.policies import with_dates
from deid.evaluation.attacks.population import Population
from deid.evaluation.attacks.surnames import band_says, rank_matching


def test_one_surrogate_for_the_corpus_keeps_the_rank(small: Population) -> None:
    corpus = rank_matching(small, with_dates("metric", scope="corpus"), "DOCTOR")
    patient = rank_matching(small, with_dates("metric"), "DOCTOR")
    assert corpus.surnames == patient.surnames > 50
    assert corpus.surrogates < 1.2
    assert patient.surrogates > 2
    assert corpus.matched_most > 0.2
    assert patient.matched_most < 0.1


def test_a_patients_documents_can_be_counted_in_any_scope_but_the_document(small: Population) -> None:
    one = rank_matching(small, with_dates("metric", scope="document"), "PATIENT")
    all_ = rank_matching(small, with_dates("metric"), "PATIENT")
    assert all_.matched > one.matched


def test_the_band_adds_little() -> None:
    says = band_says()
    assert says.guess_before < says.guess < 0.01
    assert says.bands > 3
