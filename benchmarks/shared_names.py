"""Measure what a search for the names of a patient's other documents would find, and how it depends on the batch.

    python -m benchmarks.shared_names [--policy NAME] [--patients N] > benchmarks/shared_names.md

The documents of the synthetic hospital are detected, each by itself. Then the rare words of names that are sure in one
are looked for in those of the same patient that stand in one group: as Nocturne did until 2026-11-30. A mention of the
hospital's authors is gained if a letter of it is covered that was not before; a word outside of all is damage.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from deid.config.policy import DEFAULT, load
from deid.detection import Detector
from deid.detection.lookup.known_names import PARTICLES
from deid.detection.lookup.staff import Staff
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import NAMES
from demo.hospital import generate
from demo.population import DOCUMENTS_PER_PATIENT, SEED, population_of
from nocturne_lab.evaluation.attacks.inputs import Record

SURE, LETTERS = 0.84, 4  # least score of a mention whose words are looked for; least letters of these
AT_ONCE = 50  # documents detected in one call
SIZES = (500, 100)  # documents of a batch
HEAD = """# Names of a patient's other documents

Written by `{command}`: {documents:,} documents of {patients} patients of the synthetic hospital,
which tell {marked:,} mentions. Where the identity is known, the warehouse tells the patient's names, birth date and
town; elsewhere nothing but whose the documents are. Professionals of the hospital are known in both, and batches are
cut at random. That a name planted in two documents is counted, as gained or as damage: tests/unit/test_shared_names.py.

| searched together | documents that change, identity known | … mentions gained | … words of damage | \
documents that change, identity unknown | … mentions gained | … words of damage |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""
ALONE = """
Without this search {known:,} mentions are not found whole where the identity is known, {unknown:,} where it is not."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Documents with their words, authors' mentions, and what detection finds in each by itself."""

    records: Sequence[Record]
    readings: Sequence[Reading]
    found: Sequence[Sequence[Mention]]

    def missed(self) -> int:
        """Count the authors' mentions of which a letter is not covered."""
        return sum(not _letters(mention, record.document.text) <= _covered(found)
                   for record, found in zip(self.records, self.found, strict=True)
                   for mention in record.mentions)  # fmt: skip

    def added(self, group: Sequence[int]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield the documents of a group, with the places of words that others of the same patient are sure of."""
        sure: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for at in group:
            for word in self._sure_words(at):
                sure[self.records[at].patient][word].add(at)
        for at in group:
            reading, told = self.readings[at], sure[self.records[at].patient]
            covered = reading.coverage(self.found[at])
            spans = zip(reading.words, reading.starts, reading.ends, strict=True)
            if new := [
                (start, end) for word, start, end in spans if not covered[start] and told.get(word, set()) - {at}
            ]:
                yield at, new

    def _sure_words(self, at: int) -> set[str]:
        reading = self.readings[at]
        words = {
            reading.words[token]
            for mention in self.found[at]
            if mention.label in NAMES and mention.score >= SURE
            for token in reading.tokens(mention)
        }
        lexicon = reading.lexicon
        return {
            word
            for word in words - PARTICLES
            if len(word) >= LETTERS and word.isalpha() and not lexicon.is_word(word) and word not in lexicon.eponyms
        }

    def tally(self, groups: Sequence[Sequence[int]]) -> Counter[str]:
        """Count the documents that change, the authors' mentions gained, and the words of damage."""
        counts: Counter[str] = Counter()
        for at, places in (one for group in groups for one in self.added(group)):
            record = self.records[at]
            new = {letter for start, end in places for letter in range(start, end)}
            bare = new - _covered(self.found[at])
            counts["documents"] += 1
            counts["gained"] += sum(not bare.isdisjoint(_letters(one, record.document.text)) for one in record.mentions)
            true = _covered(record.mentions)
            counts["damage"] += sum(true.isdisjoint(range(start, end)) for start, end in places)
        return counts


def _letters(mention: Mention, text: str) -> set[int]:
    return {at for at in range(mention.start, mention.end) if not text[at].isspace()}


def _covered(mentions: Sequence[Mention]) -> set[int]:
    return {at for mention in mentions for at in range(mention.start, mention.end)}


def search(records: Sequence[Record], detector: Detector, *, known: bool) -> Searched:
    """Detect documents, each by itself, with the identity of their patients or without."""
    documents = [one.document if known else _unknown(one.document) for one in records]
    parts = (documents[start : start + AT_ONCE] for start in range(0, len(documents), AT_ONCE))
    found = [mentions for part in parts for mentions in detector.detect(part)]
    return Searched(records, [Reading(one) for one in documents], found)


def _unknown(document: Document) -> Document:
    return replace(document, patient=Patient(key=document.patient.key))


def groupings(records: Sequence[Record], nights: Mapping[str, object]) -> Iterator[tuple[str, list[list[int]]]]:
    """Yield ways to group documents: all of a patient's, those that arrive in a night, batches of some sizes."""
    everything = list(range(len(records)))
    yield "all documents of a patient", [everything]
    by_night: dict[object, list[int]] = defaultdict(list)
    for at, record in enumerate(records):
        by_night[nights[record.document.id]].append(at)
    yield "those that arrive in one night", list(by_night.values())
    for size in SIZES:
        for seed in (1, 2):
            order = Random(seed).sample(everything, len(everything))  # noqa: S311
            cut = [order[start : start + size] for start in range(0, len(order), size)]
            yield f"those of a batch of {size}, cut {seed}", cut


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", default="default", help="shipped policy that detects (default: default)")
    parser.add_argument("--patients", type=int, default=150, help="patients of the synthetic hospital (default 150)")
    given = parser.parse_args()
    hospital = generate(SEED, patients=given.patients, documents=DOCUMENTS_PER_PATIENT * given.patients + 40)
    records = population_of(hospital).records
    staff = Staff.from_records({"last_name": one.last_name, "first_name": one.first_name, "rpps": one.rpps}
                               for one in hospital.staff)  # fmt: skip
    detector = Detector(load(DEFAULT.with_name(f"{given.policy}.yaml")), staff)
    sides = [search(records, detector, known=known) for known in (True, False)]
    options = "" if given.policy == "default" else f" --policy {given.policy}"
    command = f"python -m benchmarks.shared_names{options} --patients {given.patients}"
    marked = sum(len(one.mentions) for one in records)
    print(HEAD.format(command=command, documents=len(records), patients=given.patients, marked=marked))
    nights = {one.document_id: one.versions[0].night for one in hospital.documents}
    for name, groups in groupings(records, nights):
        tallies = [side.tally(groups) for side in sides]
        cells = [f"{tally[key]:,}" for tally in tallies for key in ("documents", "gained", "damage")]
        print(f"| {name} | {' | '.join(cells)} |")
    print(ALONE.format(known=sides[0].missed(), unknown=sides[1].missed()))


if __name__ == "__main__":
    main()
