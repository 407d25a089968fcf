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
from deid.reference.tables import packaged_tables
from deid.reports.evaluation import RATIOS, REASONS, name_of
from deid.reports.wording import WORDING
from deid.substitution import Substitutor
from demo.hospital import generate
from demo.hospital.model import Hospital
from demo.population import DOCUMENTS_PER_PATIENT, SEED, population_of
from nocturne_lab.evaluation.attacks.sampled import attack_sample
from nocturne_lab.evaluation.released import attack_models, measure_coding, measure_sample
from nocturne_lab.hospital.evaluations import CodedAs, Filed, Measured

_KEY = b"the key of the evaluated sample."
_TARGET = Path(__file__).with_name("evaluation.md")
HEAD = """# Evaluation of a sample

Written by `python -m benchmarks.evaluation --patients {patients} --write`: what `evaluate_release` measures, on
{documents:,} documents of {patients} patients of the synthetic hospital under `default`, true mentions replaced.
Measures and intervals: [utility](../docs/utility.md#evaluation-of-a-release).
"""


def sample(hospital: Hospital) -> list[Candidate]:
    """Return the synthetic hospital's documents with what the shipped policy publishes of them."""
    substitutor = Substitutor(load(), _KEY, packaged_tables().communes)
    return [
        Candidate(one.document, one.mentions, substitutor.substitute(one.document, one.mentions))
        for one in tqdm(population_of(hospital).records, desc="substitution", disable=None, leave=False)
    ]


def codes(hospital: Hospital) -> dict[str, CodedAs]:
    """Return the stay of each document and its ICD-10 codes."""
    own = {one.stay_id: one.diagnoses for one in hospital.stays if one.diagnoses}
    return {one.document_id: CodedAs(one.stay_id, own[one.stay_id]) for one in hospital.documents if one.stay_id in own}


def filing(hospital: Hospital) -> dict[str, Filed]:
    """Return the stay and type of each document."""
    return {
        one.document_id: Filed(one.stay_id or one.document_id, one.type_code, one.loinc_code)
        for one in hospital.documents
    }


def table(found: Iterable[Measured]) -> str:
    """Return the measures as a Markdown table."""
    rows = ["| measure | | value | 95 % interval | of |", "| :-- | :-- | --: | --: | --: |"]
    for one in found:
        of = 1 if one.measure in RATIOS else 100
        unit = "" if one.measure in RATIOS else " %"
        bounds = "" if one.low is None or one.high is None else f"{of * one.low:.1f}–{of * one.high:.1f}"
        name = name_of(one.measure, WORDING["en"])
        value = "–" if one.measure.startswith(REASONS) else f"{of * one.value:.1f}{unit}"
        rows.append(f"| `{one.measure}` | {name} | {value} | {bounds} | {one.n:,} |")
    return "\n".join(rows)


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=60)
    parser.add_argument("--write", action="store_true", help=f"write {_TARGET.name}")
    given = parser.parse_args()
    began = time.monotonic()
    hospital = generate(SEED, patients=given.patients, documents=DOCUMENTS_PER_PATIENT * given.patients + 40)
    published = sample(hospital)
    found = [
        *attack_sample(published, load(), _KEY, filing=filing(hospital)),
        *attack_models(published, {}, len(published)),
        *measure_sample(published),
        *measure_coding(published, codes(hospital)),
    ]
    page = f"{HEAD.format(patients=given.patients, documents=len(published))}\n{table(found)}\n"
    if given.write:
        _TARGET.write_text(page, encoding="utf-8")
    print(page)
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
