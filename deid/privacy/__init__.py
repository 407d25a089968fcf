"""Exact mechanisms over a keyed bit stream: every privacy decision is made on integers and rationals.

    stream           bits from a secret and what is drawn: the same question always gets the same answer
    bernoulli        coins whose bias is an exponential
    laplace          discrete Laplace noise (Canonne, Kamath, Steinke 2020)
    bounded_laplace  the same within an interval, its scale corrected and certified (Holohan et al. 2018)
    planar_laplace   the same in the plane, on a grid: geo-indistinguishability (Andrés et al. 2013)
    exponential      the exponential mechanism over a finite public set
    permutation      a keyed permutation of the integers below a bound: names that never meet
    budget           the split of ε over a document, and the ledger of what was spent
    life_stages      ε of births and ages by the stage of life
    perturbations    what a policy does to each label and column, in words

What is proven is information-theoretic for a stream of fair coins. The stream here is pseudo-random, so the
claim is computational differential privacy (Mironov et al. 2009): it holds against whoever cannot break
HMAC-SHA-256 and does not have the secret.
"""
