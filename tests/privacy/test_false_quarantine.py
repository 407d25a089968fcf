"""Documents with every marked mention replaced pass the checks, on part of what the benchmark measures."""

from __future__ import annotations

from itertools import islice

from benchmarks import false_quarantine
from deid.config.policy import load as load_policy
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor

# Values written as a date is: hours of a drug ("8-12-16-20") and sizes of follicles ("9/10/11").
WRITTEN_AS_DATES = {"w31-01": ["residual_date"], "w35-29": ["residual_date"]}


def test_no_good_document_is_held_back() -> None:
    policy, tables = load_policy(), packaged_tables()
    substitutor = Substitutor(policy, bytes(range(32)), tables.communes, tables.names)
    corpus = islice(false_quarantine._corpus(identified=False), 0, None, 4)
    for marked in (corpus, false_quarantine._hospital(30)):
        verdicts = false_quarantine._verdicts(marked, substitutor)
        assert len(verdicts) > 200
        held = {verdict.document_id: false_quarantine._failed(verdict) for verdict in verdicts if verdict.reasons}
        assert held.items() <= WRITTEN_AS_DATES.items()
