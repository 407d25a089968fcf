"""Attack every strategy on the synthetic hospital; write the tables and plots of `privacy_attacks.md`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from demo.population import population
from nocturne_lab.evaluation.attacks.plots import STEM, plots
from nocturne_lab.evaluation.attacks.report import study_page
from nocturne_lab.evaluation.attacks.study import steps, study

PATIENTS = 160


def main(arguments: list[str] | None = None) -> int:
    """Write `privacy_attacks.md` and its plots into a folder; 1 if a claim of ε is refuted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.privacy_attacks", description=__doc__)
    parser.add_argument("--patients", type=int, default=PATIENTS, help="of the hospital (default: %(default)s)")
    parser.add_argument("--draws", type=int, default=50_000, help="per input of the audit (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"), help="folder (default: %(default)s)")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    with tqdm(total=steps(), desc="attacks", file=sys.stderr) as bar:

        def step(what: str) -> None:
            bar.set_postfix_str(what)
            bar.update()

        found = study(population(given.patients), draws=given.draws, step=step)
    page = given.out / f"{STEM}.md"
    page.write_text(study_page(found, plots(found, given.out)), encoding="utf-8")
    print(page)
    return int(any(one.refuted for one in (*found.published, *found.mechanisms)))


if __name__ == "__main__":
    sys.exit(main())
