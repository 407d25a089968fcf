"""What draws prove about a mechanism: a lower bound of its ε, to hold against the claim.

    bound  the bound, from two samples of outputs
    cases  the mechanisms as they ship, their neighbouring inputs, their claims

`python -m deid.privacy.audit` writes the table of all cases. It can refute a claim, never prove one: proofs are in the
mechanisms' own docstrings.
"""

from deid.privacy.audit.bound import Audit, lower_bound
from deid.privacy.audit.cases import CASES, Case, audit

__all__ = ["CASES", "Audit", "Case", "audit", "lower_bound"]
