"""A document's surrogates do not depend on the documents that came before it."""

from __future__ import annotations

from deid.config import policy
from deid.domain.document import Substitution
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.population import population

KEY = bytes(range(32))
RECORDS = population(12).records


def _substitutor() -> Substitutor:
    return Substitutor(policy.load(), KEY, packaged_tables().communes)


def _alone() -> list[Substitution]:
    return [_substitutor().substitute(one.document, one.mentions) for one in RECORDS]


def test_documents_get_the_surrogates_that_they_would_get_alone() -> None:
    substitutor = _substitutor()
    forwards = [substitutor.substitute(one.document, one.mentions) for one in RECORDS]
    backwards = [substitutor.substitute(one.document, one.mentions) for one in reversed(RECORDS)]
    assert forwards == backwards[::-1] == _alone()
