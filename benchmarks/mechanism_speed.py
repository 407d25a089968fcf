"""Draws per second of each mechanism on one core, as a Markdown table.

    python benchmarks/mechanism_speed.py [--draws 3000]

Processor time, the best of nine rounds: what else runs on the machine does not count.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction

from deid.privacy.bernoulli import exp_coin
from deid.privacy.bounded_laplace import bounded_laplace
from deid.privacy.exponential import exponential
from deid.privacy.laplace import discrete_laplace
from deid.privacy.planar_laplace import planar_laplace
from deid.privacy.stream import KeyedStream

ROUNDS = 9
_DISTANCES = [Fraction(number, 100) for number in range(100)]

MECHANISMS: dict[str, Callable[[KeyedStream], object]] = {
    "exp_coin, x = 1/3": lambda stream: exp_coin(stream, 1, 3),
    "discrete_laplace, ε = 1/4": lambda stream: discrete_laplace(stream, Fraction(1, 4)),
    "discrete_laplace, ε = 1/14": lambda stream: discrete_laplace(stream, Fraction(1, 14)),
    "bounded_laplace on 0–61, ε = 1/4 over 61": lambda stream: bounded_laplace(stream, 3, 0, 61, Fraction(1, 4)),
    "bounded_laplace on 0–100, ε = 1 over 5": lambda stream: bounded_laplace(stream, 0, 0, 100, Fraction(1), 5),
    "bounded_laplace on 0–36000, ε = 1/4 over 36000": lambda stream: bounded_laplace(
        stream, 800, 0, 36_000, Fraction(1, 4)
    ),
    "exponential over 100, ε = 1/4": lambda stream: next(
        exponential(stream, range(100), lambda one: _DISTANCES[one], Fraction(1, 4))
    ),
    "planar_laplace, ε = 0.0693 per km, steps of 100 m": lambda stream: planar_laplace(
        stream, Fraction(693, 10_000), 100
    ),
}


def _per_second(draw: Callable[[KeyedStream], object], draws: int) -> float:
    stream = KeyedStream(b"speed", "draws")
    draw(stream)  # scales are found once
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(draws):
            draw(stream)
        best = min(best, time.process_time() - start)
    return draws / best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=3000, help="per round (default: %(default)s)")
    given = parser.parse_args()
    print("# Draws per second of each mechanism, one core\n")
    print("Written by `python benchmarks/mechanism_speed.py`; the stream's start (one HMAC) not counted.\n")
    print("| mechanism | draws per second |\n|---|---:|")
    for name, draw in MECHANISMS.items():
        print(f"| {name} | {_per_second(draw, given.draws):,.0f} |")


if __name__ == "__main__":
    main()
