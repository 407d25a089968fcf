"""Measure what published texts are worth for ICD-10 coding, as Markdown.

    python -m benchmarks.coding [--patients 330] [--levels code category] > benchmarks/coding.md

Stays of the synthetic hospital are coded from their original texts, from texts whose mentions are tags, and from what
each policy publishes, all from the true mentions: what is measured is substitution. One split by patient for all.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from tqdm import tqdm

from deid.config.policy import DEFAULT, Policy, load
from deid.domain.document import Document, Mention, Substitution
from deid.evaluation.coding.classical import ClassicalCoder
from deid.evaluation.coding.comparison import Coded, compare
from deid.evaluation.coding.icd10 import LEVELS
from deid.evaluation.coding.scores import jaccard, loss, macro, micro, micro_f1, precision_at, resampled
from deid.evaluation.coding.stays import CodedStay, gather, statistics
from deid.evaluation.coding.values import read_original, read_published
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.hospital import generate
from demo.population import population_of

KEY = b"the key of the measure of coding"
POLICIES = ("default", "strict", "tchouka2022", "tchouka2023")
GENERALISED = {"dates": {"strategy": "generalise"}, "ages": {"strategy": "generalise"}}
K = 8
Texts = Sequence[tuple[str, Document, tuple[Mention, ...]]]


def sources(patients: int) -> tuple[Texts, dict[str, tuple[str, ...]]]:
    """Return stay, document and true mentions of the synthetic hospital's documents, and the codes of its stays."""
    hospital = generate(patients=patients, documents=8 * patients + 40)
    about = {one.document_id: one for one in hospital.documents}
    texts = []
    for record in population_of(hospital).records:
        one = about[record.document.id]
        assert one.stay_id is not None
        texts.append((one.stay_id, replace(record.document, type=one.type_code), record.mentions))
    return texts, {one.stay_id: one.diagnoses for one in hospital.stays}


def published(texts: Texts, policy: Policy) -> dict[str, Substitution]:
    """Return what a policy publishes, by document."""
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    return {
        document.id: substitutor.substitute(document, list(mentions))
        for _, document, mentions in tqdm(texts, desc=policy.name, disable=None, leave=False)
    }


def tagged(document: Document, mentions: Sequence[Mention]) -> str:
    """Return a text whose mentions are their labels in brackets."""
    parts, at = [], 0
    for one in sorted(mentions):
        parts += [document.text[at : one.start], f"[{one.label}]"]
        at = one.end
    return "".join((*parts, document.text[at:]))


def arms(texts: Texts, codes: dict[str, tuple[str, ...]]) -> tuple[dict[str, list[CodedStay]], ...]:
    """Return the stays of each arm, as written, and with the values of identifiers read (`read_values`)."""
    pairs = [(stay, document) for stay, document, _ in texts]
    tags = {document.id: tagged(document, mentions) for _, document, mentions in texts}
    results = {name: published(texts, load(DEFAULT.with_name(f"{name}.yaml"))) for name in POLICIES}
    results["generalise"] = published(texts, generalised())
    written = {"original": {one.id: one.text for _, one, _ in texts}, "tags": tags}
    read = {"original": {one.id: read_original(one, mentions) for _, one, mentions in texts}, "tags": tags}
    for name, own in results.items():
        written[name] = {key: one.text for key, one in own.items()}
        read[name] = {key: read_published(one) for key, one in own.items()}
    return tuple(
        {name: gather(pairs, codes, partial(_text, own)) for name, own in versions.items()}
        for versions in (written, read)
    )


def _text(own: dict[str, str], document: Document) -> str:
    return own[document.id]


def generalised() -> Policy:
    """Return the default policy with dates and ages generalised."""
    values = load().model_dump()
    for part, chosen in GENERALISED.items():
        values["substitution"][part] |= chosen
    return Policy.model_validate(values | {"name": "generalise"})


def described(stays: Sequence[CodedStay]) -> Iterator[list[str]]:
    """Yield a row for each level of the classification."""
    for level in LEVELS:
        one = statistics(stays, level)
        yield [level, f"{one.assigned:,}", f"{one.classes:,}", f"{one.rare:,}", f"{one.frequent:,}"]


def compared(found: dict[str, Coded]) -> Iterator[list[str]]:
    """Yield a row for each arm."""
    original = found["original"]
    weights = resampled(len(original.gold))
    for name, one in found.items():
        small, large = micro(one.gold, one.found), macro(one.gold, one.found)
        f1, lost = micro_f1(one.gold, one.found, weights), loss(one.gold, original.found, one.found, weights)
        same = jaccard(original.found, one.found)
        yield [
            name, f"{small.precision:.3f}", f"{small.recall:.3f}", f"**{f1.value:.3f}** ({f1.low:.3f}–{f1.high:.3f})",
            f"{100 * lost.value:+.2f} ({100 * lost.low:+.2f} to {100 * lost.high:+.2f})",
            f"{large.f1:.3f}", f"{precision_at(one.gold, one.scores, K):.3f}", f"{same.mean():.3f}",
            f"{100 * (same == 1).mean():.0f} %",
        ]  # fmt: skip


def _table(head: Sequence[str], rows: Iterator[list[str]]) -> str:
    lines = [list(head), ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


HEAD = """# What published texts are worth for ICD-10 coding

Written by `{command}`.

{stays:,} stays of {patients:,} patients with codes; {documents:,} documents, {length:.0f} words a stay on average,
{longest:,} at most. Codes are those of the [synthetic hospital](../docs/synthetic-hospital.md#codes). Each stay is
coded by a coder that learned from other patients, in five folds; arms share the split. Intervals of 95 % are of
1,000 resamples of stays. Loss: points of micro F1 against original texts, paired by stay. Jaccard: of the codes
found in a stay with those found in its original text (Tchouka et al. 2022, figure 8).

Tags score higher than original texts, against the order of Couchot 2023 (0.47, 0.44, 0.42): as words, names,
numbers and dates predict nothing, and a tag is one word. With values read, every identifier is its label in all arms,
followed by the class of its value: distance of a date to the document's, decade of an age, department of a postal code.
"""


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=330)
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=["code"])
    given = parser.parse_args()
    texts, codes = sources(given.patients)
    stays, read = arms(texts, codes)
    counted = statistics(stays["original"])
    command = f"python -m benchmarks.coding --patients {given.patients} --levels {' '.join(given.levels)}"
    head = HEAD.format(command=command, patients=given.patients, **{
        name: getattr(counted, name) for name in ("stays", "documents", "length", "longest")
    })  # fmt: skip
    print(head)
    few = "stays with fewer than 10", "with 100 or more"
    print("\n" + _table(("level", "assigned", "classes", *few), described(stays["original"])))
    for level in given.levels:
        columns = "precision", "recall", "micro F1", "loss", "macro F1", f"P@{K}", "Jaccard", "same codes"
        for title, versions in (("words", stays), ("words and values", read)):
            found = compare(versions, ClassicalCoder, level)
            print(f"\n## {ClassicalCoder.name} of {title}, {level}\n")
            print(_table(("arm", *columns), compared(found)))


if __name__ == "__main__":
    main()
