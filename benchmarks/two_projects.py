"""Join two releases of a synthetic hospital, made with two secrets, by the words that were not replaced.

python -m benchmarks.two_projects --write
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deid.config.policy import load
from demo.population import population
from nocturne_lab.evaluation.attacks.two_releases import Joining, join_releases
from nocturne_lab.evaluation.score_tables import markdown

PAGE = Path(__file__).with_suffix(".md")
PATIENTS = 76

_PAGE = """# Two projects under two secrets

Written by `python -m benchmarks.two_projects --write` (`make attacks`): {patients} synthetic patients, {documents}
documents, the policy that ships, true mentions. The attacker reads both releases and has no secret. Each document of
the first is joined to the one of the second whose words are nearest, rare words weighing more.

{table}

Chance: that a random document of the second project is of the same patient. Nearest: median cosine of the pairs made.

**A secret of its own does not part two projects that share documents**: what was not replaced stands in both. Under
disjoint patients the attacker makes as many pairs, and none is right: there is nobody to join.
"""


def page(found: list[Joining], patients: int) -> str:
    """Return the page of findings."""
    rows = [
        [
            one.division,
            f"{one.first} and {one.second}",
            f"{one.documents} of {one.shared_documents}",
            f"{one.patients} of {one.shared_patients}",
            f"{one.chance:.1%}",
            f"{one.likeness:.2f}",
        ]
        for one in found
    ]
    head = ["both have", "documents", "joined to themselves", "joined to their patient", "chance", "nearest"]
    return _PAGE.format(patients=patients, documents=found[0].first, table=markdown(head, rows))


def main(arguments: list[str] | None = None) -> int:
    """Print the page, or write it; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=PATIENTS, help="of the hospital (default: %(default)s)")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    text = page(join_releases(population(given.patients).records, load()), given.patients)
    if given.write:
        PAGE.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
