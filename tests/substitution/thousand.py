"""A thousand annotated documents of two hundred patients, and what each becomes, as digests.

Run as a program, it prints them: in the order that its second argument shuffles to, under the key of its first.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from deid.learning.corpus import GoldDocument, load
from deid.policy import load as load_policy
from deid.reference import CommuneTable
from deid.substitution import Substitutor

CORPUS = Path(__file__).parents[2] / "corpus" / "train"
NUMBER = 1000
PATIENTS = 200


def documents() -> list[GoldDocument]:
    """The documents, five to a patient; a patient's documents are of several people, which only makes it harder."""
    found = load(CORPUS)[:NUMBER]
    return [_of_patient(gold, f"patient-{number % PATIENTS}") for number, gold in enumerate(found)]


def _of_patient(gold: GoldDocument, key: str) -> GoldDocument:
    return replace(gold, document=replace(gold.document, patient=replace(gold.document.patient, key=key)))


def digests(found: Sequence[GoldDocument], key: bytes) -> dict[str, str]:
    """Document id → digest of all that substitution returns of it, by a substitutor of its own."""
    substitutor = Substitutor(load_policy(), key, CommuneTable.packaged())
    return {gold.document.id: _digest(substitutor, gold) for gold in found}


def _digest(substitutor: Substitutor, gold: GoldDocument) -> str:
    result = substitutor.substitute(gold.document, gold.mentions)
    return hashlib.sha256(json.dumps(asdict(result), default=str, sort_keys=True).encode()).hexdigest()


if __name__ == "__main__":
    shuffled = documents()
    random.Random(int(sys.argv[2])).shuffle(shuffled)  # noqa: S311 - an order, not a secret
    json.dump(digests(shuffled, bytes.fromhex(sys.argv[1])), sys.stdout)
