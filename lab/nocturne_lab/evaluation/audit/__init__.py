"""Statistical audit of mechanisms: a lower bound of ε from draws, compared with the claim.

    bound  the bound, from two samples of outputs
    cases  the shipped mechanisms, their neighbouring inputs, their claims
    communes  neighbouring communes of a stratum through `Substitutor.substitute`, within ε·d
    public_facts  the list of public facts, read apart from the substitution: what is adjacent, and what is claimed
    adjacent_pairs  pairs of adjacent inputs that are generated, through `Substitutor.substitute`
    documents  neighbouring documents through `Substitutor.substitute`, and what is claimed of them

`python -m nocturne_lab.evaluation.audit` writes the tables of all cases. An audit can refute a claim, not prove one;
proofs are in the docstrings of the mechanisms.
"""

from nocturne_lab.evaluation.audit.bound import Audit, lower_bound
from nocturne_lab.evaluation.audit.cases import CASES, Case, audit

__all__ = ["CASES", "Audit", "Case", "audit", "lower_bound"]
