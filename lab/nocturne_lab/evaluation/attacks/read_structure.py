"""Types and stays of documents read back from published texts, for a policy that shows neither.

Types: a linear classifier over words and pairs of words, learned from other patients' documents of known types.
Stays: a patient's documents are joined by what they share, that is a number of the stay, a published day (their own or
one that they tell, births aside), or own days that are near; the attacker takes the rule that finds most, as who has
other documents with their stays would.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from deid.config.policy import Policy
from deid.domain.document import Substitution
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.values import Unit
from nocturne_lab.evaluation.attacks.document_dates import KEY, read_dates
from nocturne_lab.evaluation.attacks.inputs import Record

_FOLDS = 3
_NEAR = 14  # days


@dataclass(frozen=True, slots=True)
class ReadText:
    """Published text, what an attacker reads in it, and the truth.

    Attributes:
        patient, stay, kind: true ids and type.
        text: as published.
        day: its own published day, proleptic Gregorian ordinal.
        days: published days that it tells, without births.
        numbers: published numbers of stays, without those that hold no digit.
    """

    patient: str
    stay: str
    kind: str
    text: str
    day: int
    days: frozenset[int]
    numbers: frozenset[str]


Joining = Callable[[ReadText, ReadText], bool]


def _same_number(one: ReadText, other: ReadText) -> bool:
    return bool(one.numbers & other.numbers)


def _shared_day(one: ReadText, other: ReadText) -> bool:
    return bool((one.days | {one.day}) & (other.days | {other.day})) or _same_number(one, other)


def _near_days(one: ReadText, other: ReadText) -> bool:
    return abs(one.day - other.day) <= _NEAR or _same_number(one, other)


JOININGS: Mapping[str, Joining] = {"number": _same_number, "shared day": _shared_day, "near days": _near_days}


def publish_texts(records: Iterable[Record], stays: Mapping[str, tuple[str, str]], policy: Policy) -> list[ReadText]:
    """Return documents as a policy publishes them; `stays` gives the true stay and type of each document's id."""
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    return [
        read_text(record, substitutor.substitute(record.document, list(record.mentions)), *stays[record.document.id],
                  policy, KEY)
        for record in records
    ]  # fmt: skip


def read_text(record: Record, done: Substitution, stay: str, kind: str, policy: Policy, key: bytes) -> ReadText:
    """Return what an attacker reads in a published document, with its true stay and type."""
    read = read_dates(record, done, policy, key)
    dates = [one for one in read.pairs if one.published is not None and one.published.unit is Unit.DAY]
    births = {one.published for one in dates if one.birth}
    days = {one.published.index for one in dates if one.published is not None and one.published not in births}
    numbers = {one.text for one in done.surrogates if one.mention.label is Label.NDA}
    told = frozenset(one for one in numbers if any(map(str.isdigit, one)))
    own = read.published_on.toordinal()
    return ReadText(record.patient, stay, kind, done.text, own, frozenset(days), told)


def read_types(documents: Sequence[ReadText]) -> list[str]:
    """Return the type read in each document, learned from documents of other patients."""
    words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2)
    return list(
        cross_val_predict(
            make_pipeline(words, LinearSVC(random_state=1)),
            [one.text for one in documents],
            [one.kind for one in documents],
            groups=[one.patient for one in documents],
            cv=GroupKFold(_FOLDS),
        )
    )


def rebuilt_stays(documents: Sequence[ReadText], rule: Joining | None) -> tuple[int, int]:
    """Return how many stays are rebuilt whole, and how many there are; without a rule each document is a stay."""
    patients: dict[str, list[ReadText]] = defaultdict(list)
    for one in documents:
        patients[one.patient].append(one)
    whole = number = 0
    for own in patients.values():
        joined = _joined(own, rule)
        true = _sets(own, [one.stay for one in own])
        whole += len(joined & true)
        number += len(true)
    return whole, number


def _joined(own: Sequence[ReadText], rule: Joining | None) -> set[frozenset[int]]:
    names = list(range(len(own)))
    for one, other in combinations(range(len(own)), 2):
        if rule is not None and names[one] != names[other] and rule(own[one], own[other]):
            old = names[other]
            names = [names[one] if name == old else name for name in names]
    return _sets(own, names)


def _sets(own: Sequence[ReadText], names: Sequence[object]) -> set[frozenset[int]]:
    found: dict[object, set[int]] = defaultdict(set)
    for at, _ in enumerate(own):
        found[names[at]].add(at)
    return {frozenset(one) for one in found.values()}
