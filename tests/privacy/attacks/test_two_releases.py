"""Two releases under two secrets: documents that both hold are joined, disjoint patients are not."""

from __future__ import annotations

from deid.config.policy import load
from demo.population import population
from nocturne_lab.evaluation.attacks.two_releases import join_releases


def test_words_that_were_not_replaced_join_what_two_projects_share() -> None:
    same, documents, patients = join_releases(population(12).records, load())
    assert same.documents == same.shared_documents == same.first > 50
    assert documents.shared_documents == 0
    assert documents.patients / documents.shared_patients > 3 * documents.chance > 0
    assert (patients.shared_documents, patients.shared_patients, patients.patients, patients.chance) == (0, 0, 0, 0)
    assert patients.first + patients.second == same.first
    assert patients.first > 0 < patients.second
