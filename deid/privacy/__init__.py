"""Exact mechanisms over a keyed bit stream: every privacy decision is made on integers and rationals.

    stream       bits from a secret and what is drawn: the same question always gets the same answer
    bernoulli    coins whose bias is rational, or the exponential of a rational
    laplace      discrete Laplace noise (Canonne, Kamath, Steinke 2020)
    exponential  the exponential mechanism over a finite public set

What is proven is information-theoretic for a stream of fair coins. The stream here is pseudo-random, so the
claim is computational differential privacy (Mironov et al. 2009): it holds against whoever cannot break
HMAC-SHA-256 and does not have the secret.
"""

from deid.privacy.bernoulli import bernoulli, bernoulli_exp
from deid.privacy.exponential import exponential
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream

__all__ = ["KeyedStream", "bernoulli", "bernoulli_exp", "discrete_laplace", "exponential"]
