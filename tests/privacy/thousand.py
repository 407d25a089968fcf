"""A thousand annotated documents of two hundred patients, and what each becomes, as digests.

Run as a program, it prints them: under the key of its first argument, in the order that its second shuffles to, of
every n-th document (the third, 1 if left out), by so many threads that share one substitutor (the fourth).
"""

from __future__ import annotations

import hashlib
import json
import locale
import random
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace

from deid.config.policy import load as load_policy
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from tests import ROOT

CORPUS = ROOT / "corpus" / "train"
NUMBER = 1000
PATIENTS = 200


def documents() -> list[GoldDocument]:
    """The documents, five to a patient; a patient's documents are of several people, which only makes it harder."""
    found = load_corpus(CORPUS)[:NUMBER]
    return [_of_patient(gold, f"patient-{number % PATIENTS}") for number, gold in enumerate(found)]


def _of_patient(gold: GoldDocument, key: str) -> GoldDocument:
    return replace(gold, document=replace(gold.document, patient=replace(gold.document.patient, key=key)))


def digests(found: Sequence[GoldDocument], key: bytes) -> dict[str, str]:
    """Document id → digest of all that substitution returns of it, by a substitutor of its own."""
    substitutor = Substitutor(load_policy(), key, packaged_tables().communes)
    return {gold.document.id: _digest(substitutor, gold) for gold in found}


def _digest(substitutor: Substitutor, gold: GoldDocument) -> str:
    result = substitutor.substitute(gold.document, gold.mentions)
    return hashlib.sha256(json.dumps(asdict(result), default=str, sort_keys=True).encode()).hexdigest()


def _main(key: str, order: str, every: str = "1", threads: str = "1") -> None:
    locale.setlocale(locale.LC_ALL, "")  # that of the environment, as a program of a desktop would ask for
    shuffled = documents()[:: int(every)]
    random.Random(int(order)).shuffle(shuffled)  # noqa: S311 - an order, not a secret
    substitutor = Substitutor(load_policy(), bytes.fromhex(key), packaged_tables().communes)
    with ThreadPoolExecutor(int(threads)) as pool:
        told = pool.map(lambda gold: (gold.document.id, _digest(substitutor, gold)), shuffled)
        json.dump(dict(told), sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
