"""Measure what an evaluation of a release measures, on the synthetic hospital, and write evaluation.md.

    python -m benchmarks.evaluation [--patients N] [--write]

Mentions are the true ones: what is measured is substitution under the shipped policy.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from pathlib import Path

from tqdm import tqdm

from deid.config.policy import load
from deid.domain.outcomes import Candidate
from deid.evaluation.attacks.sampled import attack_sample
from deid.evaluation.released import measure_sample
from deid.reference.tables import packaged_tables
from deid.reports.evaluation import RATIOS
from deid.reports.wording import WORDING
from deid.substitution import Substitutor
from deid.warehouse.evaluations import Measured
from demo.population import population

_KEY = b"the key of the evaluated sample."
_TARGET = Path(__file__).with_name("evaluation.md")
HEAD = """# Evaluation of a sample

Written by `python -m benchmarks.evaluation --patients {patients} --write`: what `evaluate_release` measures, on
{documents:,} documents of {patients} patients of the synthetic hospital under `default`, true mentions replaced.
Measures and intervals: [utility](../docs/utility.md#evaluation-of-a-release).
"""


def sample(patients: int) -> list[Candidate]:
    """Return the synthetic hospital's documents with what the shipped policy publishes of them."""
    substitutor = Substitutor(load(), _KEY, packaged_tables().communes)
    records = population(patients).records
    return [
        Candidate(one.document, one.mentions, substitutor.substitute(one.document, one.mentions))
        for one in tqdm(records, desc="substitution", disable=None, leave=False)
    ]


def table(found: Iterable[Measured]) -> str:
    """Return the measures as a Markdown table."""
    rows = ["| measure | | value | 95 % interval | of |", "| :-- | :-- | --: | --: | --: |"]
    for one in found:
        of = 1 if one.measure in RATIOS else 100
        unit = "" if one.measure in RATIOS else " %"
        bounds = "" if one.low is None or one.high is None else f"{of * one.low:.1f}–{of * one.high:.1f}"
        name = WORDING["en"].get(f"evaluation_{one.measure}", "")
        rows.append(f"| `{one.measure}` | {name} | {of * one.value:.1f}{unit} | {bounds} | {one.n:,} |")
    return "\n".join(rows)


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=60)
    parser.add_argument("--write", action="store_true", help=f"write {_TARGET.name}")
    given = parser.parse_args()
    began = time.monotonic()
    published = sample(given.patients)
    found = [*attack_sample(published, load(), _KEY), *measure_sample(published)]
    page = f"{HEAD.format(patients=given.patients, documents=len(published))}\n{table(found)}\n"
    if given.write:
        _TARGET.write_text(page, encoding="utf-8")
    print(page)
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
