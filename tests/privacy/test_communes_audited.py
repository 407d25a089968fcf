"""ε of communes as published: the substitutor keeps its claim within strata, and a greater ε than claimed is seen."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.audit.communes import TOWNS, audit_communes

TABLE = packaged_tables().communes


def test_no_pair_of_a_stratum_refutes_the_claim() -> None:
    found = list(audit_communes(TABLE, 600))
    assert len(found) == len(TOWNS)
    assert not any(one.refuted for one in found)
    assert len({TABLE.territory_name(TABLE.get(code)) for code in TOWNS}) == len(TOWNS)


def test_a_claim_of_less_than_the_draw_spends_is_refuted() -> None:
    (*_, island) = audit_communes(TABLE, 600, Fraction(24))
    claimed = [one.claimed for one in audit_communes(TABLE, 4, Fraction(1))]
    assert replace(island, claimed=claimed[-1]).refuted
