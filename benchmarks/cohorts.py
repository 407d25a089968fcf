"""Measure what policies leave of the answers to cohort queries on the synthetic hospital, as Markdown.

    python -m benchmarks.cohorts [--patients 300] > benchmarks/cohorts.md

The true mentions are replaced: what is measured is substitution.
"""

from __future__ import annotations

import argparse
from statistics import median

from tqdm import tqdm

from benchmarks.coding import generalised, tagged
from benchmarks.utility import KEY, POLICIES
from deid.config.policy import DEFAULT, load
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.population import population
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.evaluation.utility.cohorts import QUERIES, Answer, ask
from nocturne_lab.evaluation.utility.facts import Pair

HEAD = """# Cohort queries on published texts

Written by `python -m benchmarks.cohorts --patients {patients}`.

{documents:,} documents of {patients} patients of the synthetic hospital, with their true mentions. The same programs
(`nocturne_lab.evaluation.utility.cohorts`) ask each question of original and of published documents: age and postal
code as the text tells them first, days from the published date of a document, patient and stay by their pseudonyms.
Each cell: the error of the published answer, relative to the true one or as the row says, and its interval of 95 % over
1,000 resamples of patients; below it the published answer. The last row is the median of the relative errors. Stays
are told apart under every policy here; `strict` does not publish which documents are of one. `generalise` is the
default with months for dates and bands for ages; with tags every mention is its label, a document has no date, and what
nothing is published of is a whole error. Where radon is high: class 3 of the ground, of the table of communes.
"""


def _cell(one: Answer) -> str:
    said = "" if one.published is None else f"<br>{_number(one.published)}"
    return f"**{100 * one.error:.1f} %**<br>{100 * one.low:.1f}–{100 * one.high:.1f} %{said}"


def _number(value: float) -> str:
    return f"{value:.3f}" if 0 < value < 1 else f"{value:.0f}"


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=300)
    patients = parser.parse_args().patients
    records, communes = population(patients).records, packaged_tables().communes
    mentions, columns = [one.mentions for one in records], {}
    policies = {name: load(DEFAULT.with_name(f"{name}.yaml")) for name in POLICIES} | {"generalise": generalised()}
    publish = {name: Substitutor(policy, KEY, communes).substitute for name, policy in policies.items()}
    for name, one_of in tqdm((publish | {"tags": tagged}).items(), disable=None, leave=False):
        drawn = [Pair(one.document, one_of(one.document, one.mentions)) for one in records]
        columns[name] = {one.name: one for one in ask(drawn, mentions)}
    print(HEAD.format(patients=patients, documents=len(records)))
    print(markdown(["query", "true answer", *columns], _rows(columns)))


def _rows(columns: dict[str, dict[str, Answer]]) -> list[list[str]]:
    first = next(iter(columns.values()))
    rows = []
    for name, one in first.items():
        true = "curve" if one.original is None else _number(one.original)
        rows.append([QUERIES[name].words, true, *(_cell(found[name]) for found in columns.values())])
    numbers = [[one.error for one in found.values() if one.original is not None] for found in columns.values()]
    return [*rows, ["median relative error", "", *(f"**{100 * median(errors):.1f} %**" for errors in numbers)]]


if __name__ == "__main__":
    main()
