"""Our mechanisms against OpenDP's and diffprivlib's, where these are installed: `make oracles`.

Two independent implementations of the same law must give samples that no test tells apart (chi-square of two samples,
fixed streams on our side), and the same constants:

    discrete_laplace   OpenDP make_laplace on integers, its privacy map too; diffprivlib Geometric
    bounded_scale      diffprivlib LaplaceBoundedDomain, continuous: ours tends to its scale as the grid gets finer
    bounded_laplace    draws of the same, on a grid of hundredths (Kolmogorov–Smirnov)
    exponential        OpenDP make_noisy_max with Gumbel noise; diffprivlib Exponential
    planar_laplace     neither has it: SciPy's Lambert W stands in `test_planar_laplace.py`

Last run: OpenDP 0.16.0, diffprivlib 0.6.6 with scikit-learn 1.8.0 (it does not import with 1.9 and later). Both draw
from the system's randomness, hence the wide margin on their side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from types import ModuleType

import pytest
from scipy.stats import chi2_contingency, ks_2samp

from deid.privacy.bounded_laplace import bounded_laplace, bounded_scale
from deid.privacy.exponential import exponential
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream

SECRET = b"a secret of the tests"
DRAWS = 20_000
# Their draws differ from run to run: a right implementation fails once in a million runs.
LEAST = 1e-6
EPSILONS = [Fraction(1, 4), Fraction(1), Fraction(5, 2)]
UTILITIES = [Fraction(0), Fraction(-1, 3), Fraction(-1, 2), Fraction(-9, 10), Fraction(-17, 10)]


@pytest.fixture(scope="module")
def opendp() -> ModuleType:
    prelude = pytest.importorskip("opendp.prelude", reason="OpenDP is not installed: make oracles")
    prelude.enable_features("contrib", "idealized-numerics")
    return prelude


@pytest.fixture(scope="module")
def diffprivlib() -> ModuleType:
    return pytest.importorskip(
        "diffprivlib.mechanisms", reason="diffprivlib is not installed: make oracles", exc_type=ImportError
    )


def _agree(one: Counter[Hashable], other: Counter[Hashable]) -> bool:
    """Chi-square of two samples; outcomes too rare for it are one outcome."""
    common = [outcome for outcome in one.keys() | other.keys() if one[outcome] + other[outcome] >= 20]
    rows = [[sample[outcome] for outcome in common] for sample in (one, other)]
    rare = [sample.total() - sum(row) for sample, row in zip((one, other), rows, strict=True)]
    if sum(rare):
        rows = [[*row, left] for row, left in zip(rows, rare, strict=True)]
    return bool(chi2_contingency(rows).pvalue > LEAST)


def _laplace(epsilon: Fraction) -> Counter[Hashable]:
    stream = KeyedStream(SECRET, "oracle", "laplace", str(epsilon))
    return Counter(discrete_laplace(stream, epsilon) for _ in range(DRAWS))


def _exponential(epsilon: Fraction) -> Counter[Hashable]:
    stream = KeyedStream(SECRET, "oracle", "exponential", str(epsilon))
    draws = exponential(stream, range(len(UTILITIES)), lambda one: -UTILITIES[one], epsilon)
    return Counter(next(draws) for _ in range(DRAWS))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_discrete_laplace_draws_as_opendp_does(opendp: ModuleType, epsilon: Fraction) -> None:
    theirs = opendp.m.make_laplace(opendp.atom_domain(T=int), opendp.absolute_distance(T=int), scale=1 / float(epsilon))
    assert _agree(_laplace(epsilon), Counter(theirs(0) for _ in range(DRAWS)))
    for distance in (1, 4, 30):
        assert theirs.map(distance) == pytest.approx(float(epsilon * distance))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_discrete_laplace_draws_as_diffprivlib_does(diffprivlib: ModuleType, epsilon: Fraction) -> None:
    theirs = diffprivlib.Geometric(epsilon=float(epsilon), sensitivity=1)
    assert _agree(_laplace(epsilon), Counter(theirs.randomise(0) for _ in range(DRAWS)))


def test_two_laws_that_differ_do_not_agree() -> None:
    assert not _agree(_laplace(Fraction(1)), _laplace(Fraction(5, 2)))
    assert not _agree(_exponential(Fraction(1, 4)), _exponential(Fraction(5, 2)))


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "width"),
    [(Fraction(1), 5, 100), (Fraction(1, 4), 1, 10), (Fraction(4), 30, 660), (Fraction(1, 2), 61, 61)],
)
def test_the_bounded_scale_tends_to_that_of_diffprivlib(
    diffprivlib: ModuleType, epsilon: Fraction, sensitivity: int, width: int
) -> None:
    theirs = _bounded_domain(diffprivlib, epsilon, sensitivity, width)
    gaps = [
        abs(float(bounded_scale(epsilon, width * parts, sensitivity * parts) / parts) / theirs._scale - 1)
        for parts in (1, 10, 100, 1000)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-4


def test_bounded_laplace_draws_as_diffprivlib_does(diffprivlib: ModuleType) -> None:
    epsilon, sensitivity, width, value, parts = Fraction(1), 5, 40, 12, 100
    theirs = _bounded_domain(diffprivlib, epsilon, sensitivity, width)
    stream = KeyedStream(SECRET, "oracle", "bounded")
    ours = [
        bounded_laplace(stream, value * parts, 0, width * parts, epsilon, sensitivity * parts) / parts
        for _ in range(DRAWS)
    ]
    assert ks_2samp(ours, [theirs.randomise(float(value)) for _ in range(DRAWS)]).pvalue > LEAST


def _bounded_domain(diffprivlib: ModuleType, epsilon: Fraction, sensitivity: int, width: int):  # type: ignore[no-untyped-def]
    mechanism = diffprivlib.LaplaceBoundedDomain(
        epsilon=float(epsilon), delta=0.0, sensitivity=float(sensitivity), lower=0.0, upper=float(width)
    )
    mechanism.randomise(0.0)  # computes the scale
    return mechanism


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_exponential_mechanism_draws_as_diffprivlib_does(diffprivlib: ModuleType, epsilon: Fraction) -> None:
    theirs = diffprivlib.Exponential(
        epsilon=float(epsilon), sensitivity=1.0, utility=[float(utility) for utility in UTILITIES]
    )
    assert _agree(_exponential(epsilon), Counter(theirs.randomise() for _ in range(DRAWS)))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_exponential_mechanism_draws_as_opendp_does(opendp: ModuleType, epsilon: Fraction) -> None:
    # Gumbel noise is the exponential mechanism; since 0.14 OpenDP's pure-ε version is permute-and-flip, another law.
    theirs = opendp.m.make_noisy_max(
        opendp.vector_domain(opendp.atom_domain(T=float, nan=False)),
        opendp.linf_distance(T=float),
        opendp.zero_concentrated_divergence(),
        scale=2 / float(epsilon),
    )
    scores = [float(utility) for utility in UTILITIES]
    assert _agree(_exponential(epsilon), Counter(theirs(scores) for _ in range(DRAWS)))
