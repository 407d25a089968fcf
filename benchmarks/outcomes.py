"""Outcomes of a fixed sample through the command line, to compare two versions byte for byte.

    python -m benchmarks.outcomes FOLDER [--tree TREE]

The sample is `corpus/dev`, every sixth document of `corpus/train` and the hard negatives; of two documents in three the
patient is known. TREE is the checkout whose `python -m deid` runs (default: this one). FOLDER gets the outputs of
`detect` (default policy and light.yaml) and `deidentify`; their SHA-256 are printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from deid.domain.document import Patient
from nocturne_lab.evaluation.corpus import load_corpus

FIXED = "00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f"
EVERY = 6
POLICIES = ("deid/config/policies/light.yaml", "deid/policies/light.yaml")  # this layout, and that of 0.1.0


def main() -> None:
    """Run the sample and print the digests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tree", type=Path, default=Path())
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    sample = folder / "sample.jsonl"
    sample.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in _sample()), encoding="utf-8")
    light = next(path for path in POLICIES if (given.tree / path).exists())
    for name, *arguments in (
        ("detect", "detect"),
        ("detect-light", "detect", "--policy", light),
        ("deidentify", "deidentify", "--refused", str(folder / "refused.jsonl")),
    ):
        command, *options = arguments
        output = str(folder / f"{name}.jsonl")
        subprocess.run(
            [sys.executable, "-m", "deid", command, str(sample), "-o", output, *options],
            cwd=given.tree,
            env={**os.environ, "NOCTURNE_SECRET": FIXED, "PYTHONPATH": "."},
            stderr=subprocess.DEVNULL,
            check=False,  # 1: some documents were refused
        )
    for path in sorted(folder.glob("*.jsonl")):
        print(f"{path.name}  {hashlib.sha256(path.read_bytes()).hexdigest()}")


def _sample() -> Iterator[dict[str, Any]]:
    documents = [*load_corpus(Path("corpus/dev")), *load_corpus(Path("corpus/train"))[::EVERY]]
    for number, gold in enumerate(documents):
        document, key = gold.document, f"p{number}"
        yield {
            "id": document.id,
            "text": document.text,
            "patient": {"key": key} | (_known(document.patient) if number % 3 != 2 else {}),
            "reference_date": document.reference_date.isoformat() if document.reference_date else None,
            "type": document.type,
        }
    for path in sorted(Path("corpus/traps").glob("*.txt")):
        yield {"id": f"trap-{path.stem}", "text": path.read_text(encoding="utf-8")}


def _known(patient: Patient) -> dict[str, Any]:
    known = {name: value for name, value in asdict(patient).items() if value}
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in known.items()}


if __name__ == "__main__":
    main()
