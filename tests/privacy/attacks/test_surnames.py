"""Frequency matching: a corpus-wide surrogate keeps a surname's rank, one per patient hides a doctor's."""

from __future__ import annotations

from nocturne_lab.evaluation.attacks.inputs import Population, with_dates
from nocturne_lab.evaluation.attacks.surnames import band_information, match_ranks


def test_one_surrogate_for_the_corpus_keeps_the_rank(small: Population) -> None:
    corpus = match_ranks(small, with_dates("metric", scope="corpus"), "DOCTOR")
    patient = match_ranks(small, with_dates("metric"), "DOCTOR")
    assert corpus.surnames == patient.surnames > 50
    assert corpus.surrogates < 1.2
    assert patient.surrogates > 2
    assert corpus.matched_most > 0.2
    assert patient.matched_most < 0.1


def test_a_patients_documents_can_be_counted_in_any_scope_but_the_document(small: Population) -> None:
    one = match_ranks(small, with_dates("metric", scope="document"), "PATIENT")
    all_ = match_ranks(small, with_dates("metric"), "PATIENT")
    assert all_.matched > one.matched


def test_the_band_adds_little() -> None:
    says = band_information()
    assert says.guess_before < says.guess < 0.01
    assert says.bands > 3
