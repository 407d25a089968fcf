"""Attack planted leaks under each mode of hiding, and write parrot.md.

    python -m benchmarks.parrot [--documents N] [--patients N] [--share S] [--write]

Mentions are the true ones but for the planted leaks, so that the leaks are known. The attacks, the attacker's knowledge
and the literature are in `nocturne_lab.evaluation.attacks.parrot`, the planting in
`nocturne_lab.evaluation.attacks.planted`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tqdm import tqdm

from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention, Surrogate
from deid.domain.labels import NAMES, PLACES, Label
from deid.quality.people import forms
from demo.population import population
from nocturne_lab.evaluation.attacks.parrot import ATTACKS, Attack, Recall, Suspicions, recall_at, suspect, unlike
from nocturne_lab.evaluation.attacks.planted import Planting, Release, Text, plant, publish, with_assigned_contacts
from nocturne_lab.evaluation.corpus import load_corpus

_TARGET = Path(__file__).with_name("parrot.md")
HIDING, REPEATED = ("marked", "natural"), ("consistent", "changing")
PRECISIONS = (0.25, 0.5, 0.75, 0.9)
GOAL = 0.25
KINDS: Mapping[str, Collection[Label]] = {
    "names": NAMES, "places": PLACES, "organisations": {Label.ORG}, "phones": {Label.PHONE}, "e-mails": {Label.EMAIL},
}  # fmt: skip
RARE = 0.01
HEAD = ("mode", "leaks", "all", "leaks published", "published", "published, rare", "links in a document", "across")
INTRODUCTION = """\
Written by `{command}` (`make attacks`): the same figures on every machine. {documents:,} documents of
`corpus/train` and the synthetic hospital hold {identifiers:,} names, places, organisations, phones and e-mails, of
which {leaks:,} were left as they are on purpose ({share:.0%}), the same in every mode: a third single mentions, a
third values in all their mentions of a document, a third such values that no rule of detection finds. Phones and
e-mails of the sources are first made like those of life, because they lie in the ranges and domains reserved for
fiction, as surrogates do. The attacker is told which identifiers are leaks in half of the documents, reads the
other half without an error, and ranks what he suspects there. `parrot` is a CRF on tokens that imitates the
de-identifier, with the features of the product's own tagger (Carrell et al. 2019); `unlike` is a CRF on
identifiers, with all that tells leaks from surrogates. Both: `lab/nocturne_lab/evaluation/attacks/parrot.py`."""
COLUMNS = """\
The stronger attack; both were tried on what the default mode publishes, `unlike` on the rest; 95 % intervals over
resampled documents. Goal: at most {goal:.0%} in the default mode, **{default}**. *All*: as if no check existed.
*Published*: documents that the checks of `deid.quality` let pass, which is what an attacker gets. *Rare*: the same,
surrogates weighted as if {rare:.0%} of identifiers leaked. *Links*: words of names whose surrogate is that of their
mention before, in one document, and from one document of a patient to the next."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One mode: its release, suspicions (of all documents by `unlike`; of those that pass, by attack), links kept."""

    mode: str
    release: Release
    everything: Suspicions
    passed: Mapping[str, Suspicions]
    within: float
    across: float


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=500, help="of the training corpus, evenly taken")
    parser.add_argument("--patients", type=int, default=60, help="of the synthetic hospital, eight documents each")
    parser.add_argument("--share", type=float, default=0.04, help="of mentions that leak")
    parser.add_argument("--processes", type=int, default=2, help="that measure modes at once")
    parser.add_argument("--write", action="store_true", help=f"write {_TARGET.name}")
    given = parser.parse_args()
    found = texts(given.documents, given.patients)
    leaks = plant(found, given.share)
    shipped = load()
    everyone = {"unlike": unlike}
    with ProcessPoolExecutor(given.processes) as pool:
        running = [
            pool.submit(outcome, name, found, leaks, policy, ATTACKS if policy == shipped else everyone)
            for name, policy in modes(shipped)
        ]
        outcomes = [one.result() for one in tqdm(running, desc="modes", file=sys.stderr)]
    command = f"python -m benchmarks.parrot --documents {given.documents} --patients {given.patients} "
    text = page(outcomes, _mode(shipped), f"{command}--share {given.share} --write", given.share)
    if given.write:
        _TARGET.write_text(text, encoding="utf-8")
    else:
        print(text)


def texts(documents: int, patients: int) -> list[Text]:
    """Return annotated documents of the corpus and of the synthetic hospital."""
    corpus = load_corpus(Path("corpus/train"))
    some = corpus[:: max(1, len(corpus) // documents)][:documents] if documents else []
    hospital = population(patients).records if patients else ()
    annotated = [(one.document, one.mentions) for one in some] + [(one.document, one.mentions) for one in hospital]
    return [with_assigned_contacts(one) for one in annotated]


def modes(shipped: Policy) -> Iterator[tuple[str, Policy]]:
    """Yield each mode by name, the rest of the policy as shipped."""
    for hiding, repeated in product(HIDING, REPEATED):
        values: dict[str, Any] = shipped.model_dump()
        values["substitution"] |= {"hiding": hiding, "repeated_names": repeated}
        policy = Policy.model_validate(values)
        yield _mode(policy), policy


def _mode(policy: Policy) -> str:
    return f"{policy.substitution.hiding}, {policy.substitution.repeated_names}"


def outcome(
    mode: str,
    found: Sequence[Text],
    leaks: Sequence[Mapping[Mention, Planting]],
    policy: Policy,
    attacks: Mapping[str, Attack],
) -> Outcome:
    """Publish documents with leaks and attack them: what passes the checks by each attack, everything by `unlike`."""
    release = publish(found, leaks, policy)
    everything = suspect(release.documents, unlike)
    passed = {name: suspect(release.passed(), attack) for name, attack in attacks.items()}
    return Outcome(mode, release, everything, passed, *links(release.pairs))


def links(pairs: Sequence[tuple[Document, Sequence[Surrogate]]]) -> tuple[float, float]:
    """Return the shares of name words whose surrogate is that of the word before, of the same patient.

    First: of words that the document has before; second: of words that another document had last.
    """
    last: dict[tuple[str, bool, str], tuple[str, str]] = {}
    kept: Counter[tuple[bool, bool]] = Counter()
    for document, surrogates in sorted(pairs, key=lambda pair: (str(pair[0].reference_date), pair[0].id)):
        for form in forms(document, surrogates):
            key = (document.patient.key or document.id, form.own, form.word)
            if (before := last.get(key)) is not None:
                kept[before[0] == document.id, before[1] == form.drawn] += 1
            last[key] = document.id, form.drawn
    within, across = (kept[here, True] / max(1, kept[here, True] + kept[here, False]) for here in (True, False))
    return within, across


def page(outcomes: Sequence[Outcome], default: str, command: str, share: float) -> str:
    """Return the measurement as a page of Markdown."""
    shipped = next(one for one in outcomes if one.mode == default)
    documents = shipped.release.documents
    identifiers = sum(len(one.spans) for one in documents)
    parts = [
        "# Do missed identifiers hide among surrogates?",
        INTRODUCTION.format(
            command=command,
            documents=len(documents),
            identifiers=identifiers,
            leaks=int(shipped.everything.leaks.sum()),
            share=share,
        ),
        "## Recall of leaks at a precision of 50 %, and what names keep",
        COLUMNS.format(goal=GOAL, default=default, rare=RARE),
        _table(
            (
                "mode",
                "leaks",
                "all",
                "leaks published",
                "published",
                "published, rare",
                "links in a document",
                "across",
            ),
            map(_summary, outcomes),
        ),
        "## By precision, published documents",
        _table(
            ("mode", "attack", *(f"at {one:.0%}" for one in PRECISIONS)),
            (
                (one.mode, f"`{name}`", *(_recall(recall_at(found, precision)) for precision in PRECISIONS))
                for one in outcomes
                for name, found in one.passed.items()
            ),
        ),
        "## By kind, and by what planted the leak",
        "Recall at a precision of 50 % of `unlike`, published documents, each kind by itself; number of leaks.",
        _table(("", *(one.mode for one in outcomes)), _kinds(outcomes)),
    ]
    return "\n\n".join(parts) + "\n"


def _summary(one: Outcome) -> Sequence[str]:
    attacks = list(one.passed.values())
    published, rare = (_strongest(attacks, rate) for rate in (None, RARE))
    return (
        *(one.mode, f"{int(one.everything.leaks.sum()):,}", _recall(recall_at(one.everything))),
        *(f"{int(attacks[0].leaks.sum()):,}", _recall(published), _recall(rare)),
        *(f"{share:.1%}" for share in (one.within, one.across)),
    )


def _strongest(attacks: Iterable[Suspicions], miss_rate: float | None) -> Recall:
    return max((recall_at(found, miss_rate=miss_rate) for found in attacks), key=lambda recall: recall.share)


def _kinds(outcomes: Sequence[Outcome]) -> Iterator[Sequence[str]]:
    for name, labels in KINDS.items():
        yield name, *(_cell(one.passed["unlike"].of(labels)) for one in outcomes)
    for planting in Planting:
        yield planting, *(_cell(one.passed["unlike"].planted(planting)) for one in outcomes)


def _cell(found: Suspicions) -> str:
    return f"{_recall(recall_at(found))}, {int(found.leaks.sum()):,}" if found.leaks.any() else "–"


def _recall(found: Recall) -> str:
    return f"{found.share:.1%} ({found.low:.1%} to {found.high:.1%})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
