"""Measure what published texts are worth for ICD-10 coding, as Markdown.

    python -m benchmarks.coding --patients 350 --kept --plot > benchmarks/coding.md
    python -m benchmarks.coding --patients 120 --arms original tags default > benchmarks/coding_order.md
    python -m benchmarks.coding --patients 350 --dated --arms original tags default > benchmarks/coding_dated.md
    python -m benchmarks.coding --patients 350 --curve > benchmarks/coding_curve.md
    python -m benchmarks.coding --patients 120 --arms tags default --membership
    python -m benchmarks.coding --patients 120 --coders neural --arms original default > benchmarks/coding_neural.md

Stays of the synthetic hospital are coded from their original texts, from texts whose mentions are tags, and from what
each policy publishes, all from the true mentions: what is measured is substitution. One split by patient for all.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from deid.config.policy import DEFAULT, Policy, load
from deid.domain.document import Document, Mention, Substitution, Surrogate
from deid.domain.errors import NocturneError
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.hospital import generate
from demo.hospital.coding import BY_AGE, OF_AGE, OF_PLACE
from demo.hospital.dated import CODES
from demo.hospital.prose.library import FOLDER
from demo.population import population_of
from nocturne_lab.evaluation.attacks.membership import Membership, attack_losses
from nocturne_lab.evaluation.coding.classical import vocabulary
from nocturne_lab.evaluation.coding.comparison import CODERS, GROUPS, Coded, Coder, coder_of, compare, written_back
from nocturne_lab.evaluation.coding.icd10 import LEVELS
from nocturne_lab.evaluation.coding.scores import encoded, jaccard, loss, micro, micro_f1
from nocturne_lab.evaluation.coding.stays import CodedStay, folds, gather
from nocturne_lab.evaluation.coding.tables import head, points, section
from nocturne_lab.evaluation.coding.values import read_original, read_published
from nocturne_lab.evaluation.comparison import Figure
from nocturne_lab.evaluation.intervals import resampled
from nocturne_lab.evaluation.score_tables import markdown

KEY = b"the key of the measure of coding"
POLICIES = ("default", "strict", "tchouka2022", "tchouka2023")
GENERALISED = {"dates": {"strategy": "generalise"}, "ages": {"strategy": "generalise"}}
_LEAST = 1e-6  # of a probability, in a loss
PLOT = Path(__file__).with_name("coding.svg")
ARMS = ("original", "tags", *POLICIES, "generalise")
ONE_IN = (8, 4, 2, 1)  # one patient in so many teaches, in the curve
# Stays, codes, precision, recall, F1, shares of stays with a Jaccard index over 0.7, over 0.4, of 1: what two coders of
# Tchouka et al. 2022 found in published texts against what they found in original ones (table 4, figure 8).
TCHOUKA = ("Tchouka 2022, two human coders", "64", "246", "0.396", "0.588", "0.473", "27 %", "50 %", "19 %")
TOLD = ("original", "tags", "default")  # the arms of Couchot 2023: 0.47, 0.42, 0.44
_DATED = re.compile(r"\{cim:([^}]*<[^}]*)\}")  # choices of codes by the age of an event, in the templates
Texts = Sequence[tuple[str, Document, tuple[Mention, ...]]]


def sources(patients: int, dated: bool = False) -> tuple[Texts, dict[str, tuple[str, ...]]]:
    """Return stay, document and true mentions of the synthetic hospital's documents, and the codes of its stays."""
    hospital = generate(patients=patients, documents=8 * patients + 40, dated=dated)
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
        document.id: substitutor.substitute(document, mentions)
        for _, document, mentions in tqdm(texts, desc=policy.name, disable=None, leave=False)
    }


def tagged(document: Document, mentions: Sequence[Mention]) -> Substitution:
    """Return a document whose mentions are their labels in brackets, and which has no date."""
    text, at = "", 0
    tags, spans = [], []
    for one in sorted(mentions):
        text += document.text[at : one.start]
        tags.append(Surrogate(one, f"[{one.label}]", "tag"))
        spans.append((len(text), len(text) + len(tags[-1].text)))
        text, at = text + tags[-1].text, one.end
    return Substitution(text + document.text[at:], tuple(tags), tuple(spans))


def arms(
    texts: Texts, codes: dict[str, tuple[str, ...]], names: Sequence[str] = ARMS
) -> tuple[dict[str, list[CodedStay]], ...]:
    """Return the stays of each arm, as written, and with the values of identifiers read (`read_values`)."""
    pairs = [(stay, document) for stay, document, _ in texts]
    tags = {document.id: tagged(document, mentions).text for _, document, mentions in texts}
    policies = {name: partial(load, DEFAULT.with_name(f"{name}.yaml")) for name in POLICIES} | {
        "generalise": generalised
    }
    results = {name: published(texts, policies[name]()) for name in policies if name in names}
    written = {"original": {one.id: one.text for _, one, _ in texts}, "tags": tags}
    read = {"original": {one.id: read_original(one, mentions) for _, one, mentions in texts}, "tags": tags}
    for name, own in results.items():
        written[name] = {key: one.text for key, one in own.items()}
        read[name] = {key: read_published(one) for key, one in own.items()}
    return tuple(
        {name: gather(pairs, codes, partial(_text, own)) for name, own in versions.items() if name in names}
        for versions in (written, read)
    )


def kept_arms(texts: Texts, codes: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, list[CodedStay]]]:
    """Yield the stays of each group of labels, which stay as written; the others are as the default publishes them."""
    pairs = [(stay, document) for stay, document, _ in texts]
    drawn = published(texts, load())
    for name, labels in GROUPS.items():
        own = {document.id: written_back(document, drawn[document.id], labels) for _, document in pairs}
        yield f"{name} kept", gather(pairs, codes, partial(_text, own))


def _text(own: dict[str, str], document: Document) -> str:
    return own[document.id]


def generalised() -> Policy:
    """Return the default policy with dates and ages generalised."""
    values = load().model_dump()
    for part, chosen in GENERALISED.items():
        values["substitution"][part] |= chosen
    return Policy.model_validate(values | {"name": "generalise"})


def decided() -> dict[str, frozenset[str]]:
    """Return the codes that a value can yield in the synthetic hospital, those of its second layer by their kind."""
    choices = (match for path in FOLDER.rglob("*.txt") for match in _DATED.findall(path.read_text(encoding="utf-8")))
    return {
        "age": frozenset({*(code for _, _, code, _ in OF_AGE), *(one[-1] for one in BY_AGE)}),
        "place": frozenset(code for _, _, code, _ in OF_PLACE),
        "date": frozenset(
            code for choice in choices for part in choice.split() for code in part.partition("<")[0].split("+")
        ),
        **CODES,
    }


def by_value(found: dict[str, Coded]) -> Iterator[list[str]]:
    """Yield a row for the codes that each kind of value can yield, and one for the others: scores of three arms."""
    original, tags, default = (found[name] for name in TOLD)
    weights = resampled(len(original.gold))
    for kind, own in _of_kinds(original.classes).items():
        if not own.any():
            continue
        gold, *answers = (part[:, own] for part in (original.gold, original.found, tags.found, default.found))
        losses = (loss(gold, answers[0], other, weights) for other in answers[1:])
        yield [
            kind, f"{own.sum():,}", f"{gold.sum():,}", f"{100 * gold.sum() / original.gold.sum():.1f} %",
            *(f"{micro(gold, one).f1:.3f}" for one in answers), *map(points, losses),
        ]  # fmt: skip


def _of_kinds(classes: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
    """Return which classes each kind of value can yield, any of them, and none, each of shape (classes,)."""
    kinds = {kind: np.asarray([name in codes for name in classes]) for kind, codes in decided().items()}
    either = np.logical_or.reduce(list(kinds.values()))
    return {**kinds, "any of them": either, "none of them": ~either}


def beside(found: Mapping[str, Coded]) -> str:
    """Return the arms beside Tchouka et al. 2022: codes found in them, where those found in original texts are true."""
    truth = found["original"].found
    rows = [list(TCHOUKA)]
    for name, one in found.items():
        if name == "original":
            continue
        answers, same = one.found, jaccard(truth, one.found)
        score = micro(truth, answers)
        shares = (100 * chosen.mean() for chosen in (same > 0.7, same > 0.4, same == 1))
        numbers = f"{len(truth):,}", f"{(truth | answers).any(axis=0).sum():,}"
        figures = (f"{value:.3f}" for value in (score.precision, score.recall, score.f1))
        rows.append([name, *numbers, *figures, *(f"{share:.0f} %" for share in shares)])
    columns = "arm", "stays", "codes", "precision", "recall", "F1", "Jaccard over 0.7", "over 0.4", "same codes"
    return BESIDE + "\n" + markdown(columns, rows)


def curve(stays: Mapping[str, Sequence[CodedStay]], coder: Callable[[], Coder]) -> str:
    """Return the section on scores by the number of patients that a coder learns from."""
    rows = []
    for one_in in ONE_IN:
        found = compare({name: stays[name] for name in TOLD}, coder, one_in=one_in)
        original = found["original"]
        weights = resampled(len(original.gold))
        scores = (micro_f1(one.gold, one.found, weights) for one in found.values())
        losses = (loss(one.gold, original.found, one.found, weights) for one in list(found.values())[1:])
        told = (f"**{one.value:.3f}** ({one.low:.3f}–{one.high:.3f})" for one in scores)
        rows.append([f"1 / {one_in}", *told, *map(points, losses)])
    columns = "patients that teach", *TOLD, *(f"loss, {name}" for name in TOLD[1:])
    return CURVE.format(coder=coder().name) + "\n" + markdown(columns, rows)


def order(found: dict[str, Coded]) -> str:
    """Say which part of the order of Couchot 2023 the paired intervals show: original, de-identified, tags."""
    original, tags, default = (found[name] for name in TOLD)
    weights = resampled(len(original.gold))
    said = {
        "original less default": loss(original.gold, original.found, default.found, weights),
        "default less tags": loss(original.gold, default.found, tags.found, weights),
    }
    verdicts = {
        name: "as there" if one.low > 0 else "the opposite" if one.high < 0 else "no difference shown"
        for name, one in said.items()
    }
    return "; ".join(f"{name} {points(one)}, {verdicts[name]}" for name, one in said.items())


def ordered(title: str, found: dict[str, Coded], stays: dict[str, list[CodedStay]]) -> str:
    """Return the section on the order of the arms, and on the codes that bear it."""
    terms = {name: vocabulary([one.text for one in stays[name]]) for name in TOLD}
    rows = list(by_value(found))
    columns = "codes that a value can yield", "classes", "assigned", "share"
    section = ORDER.format(title=title, order=order(found), **terms)
    section += "\n" + markdown((*columns, *TOLD, *(f"loss, {name}" for name in TOLD[1:])), rows)
    if rest_gains(found):
        section += "\n" + NOISE.format(extra=terms["original"] - terms["tags"])
    return section


def rest_gains(found: dict[str, Coded]) -> bool:
    """Tell whether tags score higher than original texts over the codes that no value yields, by the interval."""
    original, tags, _ = (found[name] for name in TOLD)
    own = _of_kinds(original.classes)["none of them"]
    lost = loss(original.gold[:, own], original.found[:, own], tags.found[:, own], resampled(len(original.gold)))
    return lost.high < 0


def remembered(stays: Sequence[CodedStay], coder: Callable[[], Coder]) -> Membership:
    """Attack a coder that learned from half of the patients: which stays it learned from, told by its loss on codes.

    The loss of a stay is the cross-entropy of its codes, mean over classes, in nats.

    Raises:
        InputRefused: fewer than two patients, or too few stays in a half.
    """
    own = [one.at_level("code") for one in stays]
    gold = encoded(own, sorted(set().union(*own)))
    learned = folds(stays, 2) == 0
    texts = [one.text for one in stays]
    model = coder().fit([text for text, keep in zip(texts, learned, strict=True) if keep], gold[learned])
    told = np.clip(model.scores(texts), _LEAST, 1 - _LEAST)
    losses = -np.where(gold, np.log(told), np.log(1 - told)).mean(axis=1)
    return attack_losses(losses[learned].tolist(), losses[~learned].tolist())


def memory(stays: Mapping[str, Sequence[CodedStay]], coder: Callable[[], Coder]) -> str:
    """Return the section on membership in the training of a coder of each arm."""
    rows = []
    for name, own in stays.items():
        found = remembered(own, coder)
        figures = (found.auc, found.advantage, found.chance, found.low)
        rows.append([name, f"{found.members} and {found.others}", *map(_figure, figures)])
    return MEMORY.format(coder=coder().name) + "\n" + markdown(MEMORY_HEAD, rows)


def _figure(one: Figure) -> str:
    return "–" if one.value is None else f"{one.value:.3f} ({one.low:.3f}–{one.high:.3f})"


MEMORY_HEAD = (
    "arm",
    "stays learned, others",
    "AUC",
    "advantage",
    "the same, by chance",
    "found at 1 % of false positives",
)
MEMORY = """
## {coder}: stays that the coder learned from

A coder learns from half of the patients; an attacker who has a stay and its codes takes one of low loss for one that it
learned from (Yeom et al. 2018); Couchot 2023 names such an attack as future work and has no figure of it. AUC: 0.5
tells nothing. Advantage: true less false positives at the best threshold, beside that of shuffled stays. Intervals of
95 % draw stays again, not patients.
"""
ORIGIN = """
Written by `{command}` at commit {commit}.

Codes are those of the [synthetic hospital](../docs/synthetic-hospital.md#codes). With values read, every identifier is
its label in all arms, followed by the class of its value: distance of a date to the document's, decade of an age,
department of a postal code.
"""
ORDER = """
### {title}: order of the arms

Couchot 2023: original 0.47, de-identified 0.44, tags 0.42. Here, in points of micro F1: {order}. Words and pairs of
words that the coder learns from all stays: {original:,} of original texts, {tags:,} with tags, {default:,} published.
The table parts the codes that an age, a department or a date can yield, whether a text says them too or not, and
those of the second layer if it is there, from those that none of them yields; loss against original texts, in points.
"""
BESIDE = """
### Beside Tchouka et al. 2022

Codes found in a published text against those found in its original, which are taken for the truth: in table 4 and
figure 8 of the article by hospital coders, here by the coder of this page on other texts, so that the rows compare in
kind alone. Jaccard: share of stays (there documents) whose index is over 0.7, over 0.4, and 1.
"""
CURVE = """
## {coder}, code: micro F1 by the number of patients that teach

One patient in eight, four, two or one of the other folds teaches, the few among the more; every stay is coded. Loss:
points of micro F1 against original texts of the same patients.
"""
# Printed where the figures say so.
NOISE = """
Tags score higher than original texts also over the codes that no value yields: as words, values of identifiers are
{extra:,} terms that teach nothing of these.
"""


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=350)
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=["code"])
    parser.add_argument("--coders", nargs="+", choices=CODERS, default=["classical"])
    parser.add_argument(
        "--encoder", type=Path, metavar="DIRECTORY", help="of the neural coder; the shipped one if none"
    )
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS, help="original is always read")
    parser.add_argument("--kept", action="store_true", help="also keep each group of labels, to see its effect")
    parser.add_argument("--plot", action="store_true", help=f"also write {PLOT.name}")
    parser.add_argument("--membership", action="store_true", help="attack the first coder of each arm, nothing else")
    parser.add_argument("--dated", action="store_true", help="with the second layer of codes (demo.hospital.dated)")
    parser.add_argument("--curve", action="store_true", help="score by the number of patients, nothing else")
    given = parser.parse_args()
    if given.encoder and "neural" not in given.coders:
        parser.error("--encoder is of --coders neural")
    try:
        chosen = [coder_of(name, given.encoder) for name in given.coders]
    except NocturneError as error:
        parser.error(str(error))
    texts, codes = sources(given.patients, given.dated)
    stays, read = arms(texts, codes, TOLD if given.curve else ["original", *given.arms])
    command = shlex.join(("python", "-m", "benchmarks.coding", *sys.argv[1:]))
    print(head(stays["original"], ORIGIN.format(command=command, commit=_commit())))
    if given.membership:
        print(memory(stays, chosen[0]))
        return
    if given.curve:
        print(curve(stays, chosen[0]))
        return
    for level in given.levels:
        for title, versions in (("words", stays), ("words and values", read)):
            for coder in chosen:
                name = f"{coder().name} of {title}"
                found = compare(versions, coder, level)
                told = level == "code" and found.keys() >= {*TOLD}
                whole = told and title == "words"
                kept = compare(dict(kept_arms(texts, codes)), coder, level) if whole and given.kept else {}
                plot = PLOT if whole and given.plot else None
                said = section(f"{name}, {level}", found, chapters=whole, others=kept, against="default", plot=plot)
                print(said, flush=True)
                if whole:
                    print(beside(found), flush=True)
                if told:
                    print(ordered(name, found, versions).rstrip())


def _commit() -> str:
    asked = ["git", "-C", str(PLOT.parent), "rev-parse", "--short=7", "HEAD"]
    return subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
