"""Accuracy of guesses of a patient's date shift from the period in which rows become visible, as a Markdown table.

    python -m benchmarks.arrival > benchmarks/arrival.md

The attacker reads `research.document` after each rewriting, and so knows the period in which each document arrived. The
attacker also knows how long documents of this hospital take from their own date to the warehouse, as a distribution,
and the law of the shift (discrete Laplace), and takes the likeliest shift of each patient.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from deid.config.policy import load as load_policy
from deid.privacy.budget import rational
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream
from deid.reports.arrival import PERIODS, Lags, Seen, likeliest_shift
from demo.hospital import generate

NIGHTS = 180
SECRET = bytes(range(32))


def main() -> None:
    """Print the page."""
    scale = load_policy().substitution.dates.anchor_scale_days
    hospital = generate(2026, patients=600, documents=5000, nights=NIGHTS)
    patients: dict[str, list[Seen]] = defaultdict(list)
    for document in hospital.documents:
        if document.patient_id is not None:
            seen = (document.written_on.toordinal(), document.versions[0].night.toordinal())
            patients[document.patient_id].append(seen)
    lags = Lags(Counter(arrived - written for seen in patients.values() for written, arrived in seen))
    documents = sum(map(len, patients.values()))
    print("# Arrival\n\nWritten by `python -m benchmarks.arrival`: its docstring says who attacks.")
    print(f"{documents} documents of {len(patients)} patients over {NIGHTS} nights; shift of scale {scale} days.\n")
    print("| Rows become visible | Shift exact | Within one day | Within a week |\n|---|---:|---:|---:|")
    for name in PERIODS:
        errors = [_error(patient, seen, lags, name, scale) for patient, seen in sorted(patients.items())]
        shares = (sum(error <= most for error in errors) / len(errors) for most in (0, 1, 7))
        print(f"| {name} | " + " | ".join(f"{share:.0%}" for share in shares) + " |")
    best = math.tanh(1 / (2 * scale))
    print(f"\nWithout any reading, the likeliest shift, 0, is right for {best:.0%} of patients.")


def _error(patient: str, seen: Sequence[Seen], lags: Lags, period: str, scale: float) -> int:
    """Return how many days the likeliest shift of a patient is from the true one."""
    true = discrete_laplace(KeyedStream(SECRET, "arrival", patient), 1 / rational(scale))
    observed = [(written + true, arrived) for written, arrived in seen]
    return abs(likeliest_shift(observed, lags, period, scale) - true)


if __name__ == "__main__":
    main()
