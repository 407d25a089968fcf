"""Measure what policies leave of the facts and the wording of the synthetic hospital's documents, as Markdown.

    python -m benchmarks.utility [--patients 40] > benchmarks/utility.md

The true mentions are replaced: what is measured is substitution. One column has the mentions that the detector of the
default policy finds instead.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tqdm import tqdm

from deid.config.policy import DEFAULT, Policy, load
from deid.detection import Detector
from deid.domain.document import Document, Mention
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.population import population
from nocturne_lab.evaluation.utility import Measure, Pair, measure
from nocturne_lab.evaluation.utility.facts import health_classes

KEY = b"the key of the measure of utility"
POLICIES = ("default", "strict", "tchouka2022", "tchouka2023")
NATURAL, DETECTED = "default, natural", "default, detected mentions"
ROWS = {
    "constraints_kept": "stated relations of dates, ages and lengths kept",
    "constraints_without_order_kept": "… order left out",
    "date_order_kept": "pairs of dates in the same order",
    "short_gaps_kept": "gaps of up to 60 days exact",
    "long_gaps_error": "longer gaps: median relative error",
    "age_stage_kept": "ages in the same stage of life",
    "age_decade_kept": "ages in the same decade",
    "stay_class_kept": "stays in the same class of length",
    "place_profile_kept": "classes of health measures of communes kept",
    "clinical_terms_kept": "clinical terms kept",
    "clinical_values_kept": "clinical values with units kept",
    "perplexity_ratio": "perplexity, published / original",
    "own_perplexity_ratio": "… shared identifiers left out",
    "own_undated_perplexity_ratio": "… dates and ages too",
    "told_apart": "texts that a classifier tells rightly",
    "own_told_apart": "… shared identifiers left out",
    "own_undated_told_apart": "… dates and ages too",
}
RATIOS = {"perplexity_ratio", "own_perplexity_ratio", "own_undated_perplexity_ratio"}
HEAD = """# What published texts are worth without a trained model

Written by `python -m benchmarks.utility --patients {patients}`.

{documents:,} documents of {patients} patients of the synthetic hospital, with their true mentions, and once with those
that the default policy detects. Below each value: the interval of 95 % over 1,000 resamples of patients, and the number
of facts, sub-words or texts counted; no interval where fewer than 30 documents or 10 patients tell anything. A value
that is masked is not kept. Two communes of the table drawn at random share {chance:.1f} % of
their classes. What each row counts: [Other utility](../docs/utility.md#other-utility).
"""


def natural() -> Policy:
    """Return the default policy with surrogates that bear no mark."""
    values = load().model_dump()
    values["substitution"]["hiding"] = "natural"
    return Policy.model_validate(values)


def pairs(texts: Sequence[tuple[Document, Sequence[Mention]]], policy: Policy) -> list[Pair]:
    """Publish documents under a policy."""
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    return [Pair(document, substitutor.substitute(document, mentions)) for document, mentions in texts]


def rows(columns: Mapping[str, Mapping[str, Measure]]) -> Iterator[list[str]]:
    """Yield the head of the table and a row for each measure."""
    yield ["", *columns]
    yield ["---", *["---:"] * len(columns)]
    for name, told in ROWS.items():
        yield [told, *(_cell(found[name]) if name in found else "not told" for found in columns.values())]


def _cell(one: Measure) -> str:
    interval = "too few" if one.low is None or one.high is None else f"{_said(one, one.low)}–{_said(one, one.high)}"
    return f"**{_said(one, one.value)}**<br>{interval}<br>{one.n:,}"


def _said(one: Measure, value: float) -> str:
    return f"{value:.3f}" if one.name in RATIOS else f"{100 * value:.1f} %"


def chance(communes: CommuneTable) -> float:
    """Return the expected share of classes of health that two communes drawn at random share."""
    classes = health_classes(communes)
    columns = zip(*map(classes, communes.communes), strict=True)
    shares = [sum((times / len(communes.communes)) ** 2 for times in Counter(one).values()) for one in columns]
    return sum(shares) / len(shares)


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=40)
    given = parser.parse_args()
    texts = [(one.document, one.mentions) for one in population(given.patients).records]
    detected = Detector(load()).detect([document for document, _ in texts])
    seen = [(document, found) for (document, _), found in zip(texts, detected, strict=True)]
    policies = {name: load(DEFAULT.with_name(f"{name}.yaml")) for name in POLICIES} | {NATURAL: natural()}
    columns = {}
    for name, policy in tqdm([*policies.items(), (DETECTED, load())], disable=None, leave=False):
        found = measure(pairs(seen if name == DETECTED else texts, policy))
        columns[name] = {one.name: one for one in found}
    print(HEAD.format(patients=given.patients, documents=len(texts), chance=100 * chance(packaged_tables().communes)))
    print("\n".join(f"| {' | '.join(row)} |" for row in rows(columns)))


if __name__ == "__main__":
    main()
