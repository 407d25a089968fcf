"""Attacks by averaging: one date, or one commune, in many documents of a patient."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import Policy
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.french.folding import comparable
from deid.privacy.budget import rational
from deid.reference import Commune, CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal.values import Unit
from nocturne_lab.evaluation.attacks.commune_laws import Law, law_of, published
from nocturne_lab.evaluation.attacks.document_dates import KEY, publish_dates
from nocturne_lab.evaluation.attacks.inputs import Population, Record, Resident, Stay

_TRUE = date(2024, 3, 14)
_FIRST = date(2024, 3, 25)
_HEAD, _DAYS_BETWEEN = "Opérée le ", 1


@dataclass(frozen=True, slots=True)
class Averaging:
    """Error of the mean of `documents` surrogates of one date, over `patients` patients.

    `error` is the mean absolute error in days; `alone` the same for an attacker who knows each patient's shift.
    """

    documents: int
    patients: int
    error: float
    alone: float


def average_dates(policy: Policy, documents: Iterable[int], patients: int = 60) -> list[Averaging]:
    """Average the surrogates of a date repeated in each of a patient's documents, beside a second, varying date.

    The patients are constructed: each visit, a day after the previous one, cites the same operation. Under `scope:
    patient` a value has one surrogate and averaging gains nothing; under `scope: document` each is drawn anew.

    Args:
        policy: the policy attacked.
        documents: numbers of documents to average over.
        patients: number of patients.

    Raises:
        ValueError: the policy publishes no whole day.
    """
    numbers = sorted(set(documents))
    records = [_visit(patient, visit) for patient in range(patients) for visit in range(numbers[-1])]
    found: dict[str, list[tuple[int, int]]] = {}
    for one in publish_dates(records, policy):
        published = one.pairs[0].published
        if published is None or published.unit is not Unit.DAY:
            raise ValueError("the policy publishes no whole day")
        off = published.index - _TRUE.toordinal()
        found.setdefault(one.patient, []).append((off, off - one.shift))
    return [
        Averaging(number, patients, _error(found.values(), number, 0), _error(found.values(), number, 1))
        for number in numbers
    ]


def _error(found: Iterable[Sequence[tuple[int, int]]], number: int, at: int) -> float:
    means = [abs(sum(one[at] for one in mine[:number])) / number for mine in found]
    return sum(means) / len(means)


def _visit(patient: int, visit: int) -> Record:
    on = _FIRST + timedelta(days=_DAYS_BETWEEN * visit)
    operated, before = f"{_TRUE:%d/%m/%Y}", f"{on - timedelta(days=2 + visit % 5):%d/%m/%Y}"
    text = f"{_HEAD}{operated}, vue le {before}."
    start = len(_HEAD)
    second = text.index(before, start + 10)
    mentions = (Mention(start, start + 10, Label.DATE), Mention(second, second + 10, Label.DATE))
    name = f"A{patient:04d}"
    document = Document(f"{name}-{visit:03d}", text, Patient(key=name), on)
    return Record(document, mentions, Stay(on, on))


# One commune in many documents
Floats = NDArray[np.float64]
_FIRST_VISIT = date(2024, 3, 25)
_LIVES_AT = "Domicile : "  # no preposition, which would be drawn along
_MORE = 4  # documents have 0 to 3 dates beside the commune, so that `split: uniform` has as many ε
_NEVER = 1e-12  # likelihood of an unforeseen surrogate: one odd surrogate must not exclude a commune


@dataclass(frozen=True, slots=True)
class CommuneAveraging:
    """Posterior from the surrogates of one commune in `documents` documents, over `patients` patients.

    `surrogates`: distinct surrogates per patient; `guess`: share of patients whose commune has the highest posterior,
    ties drawn at random; `truth`: mean posterior of the true commune.
    """

    documents: int
    patients: int
    surrogates: float
    guess: float
    truth: float


@dataclass(frozen=True, slots=True)
class SurrogatesPerPatient:
    """Mean number of surrogates of a home commune, over the patients with two documents or more that name it.

    `several` is the share of these patients with more than one surrogate.
    """

    scope: str
    patients: int
    surrogates: float
    several: float


def average_communes(
    policy: Policy,
    documents: Iterable[int],
    residents: Sequence[Resident],
    departments: Sequence[str],
    table: CommuneTable,
    patients: int = 60,
) -> list[CommuneAveraging]:
    """Attack the home commune, named in each document, of patients of some departments, by Bayesian inference.

    The homes are those of the first `patients` residents; the documents are made for the attack: the commune and 0 to
    3 dates. The attacker knows the policy, the departments and every population, hence the distribution of a draw
    and the independent draws: one per value, scope and ε. Under `scope: patient` with the shipped
    split, any number of documents is one observation; under `scope: document` each document is one; under
    `split: uniform` each number of elements has its own ε, hence its own draw.

    Raises:
        ValueError: no patient lives in the departments, or the strategy draws no commune.
    """
    numbers = sorted(set(documents))
    inputs = [one for one in table.communes if one.department in departments]
    place = {one.insee: at for at, one in enumerate(inputs)}
    homes = [(one.patient_id, place[one.insee]) for one in residents if one.insee in place]
    homes = homes[:patients]
    if not homes:
        raise ValueError("no patient lives in these departments")
    attacker = _Attacker(table, inputs, policy)
    substitutor = Substitutor(policy, KEY, table)
    found: dict[int, list[tuple[int, float, float]]] = defaultdict(list)
    for patient, home in homes:
        visits = (_commune_visit(patient, inputs[home], visit) for visit in range(numbers[-1]))
        names = [comparable(substitutor.substitute(*one).surrogates[0].text) for one in visits]
        for number in numbers:
            after = attacker.posterior(names[:number])
            best = after >= after.max() * (1 - 1e-9)
            found[number].append((len(set(names[:number])), float(best[home]) / best.sum(), float(after[home])))
    rows = {number: np.array(points).mean(axis=0) for number, points in found.items()}
    return [CommuneAveraging(number, len(homes), *map(float, rows[number])) for number in numbers]


class _Attacker:
    """An attacker with the prior by population, the policy and the distribution of its draws."""

    def __init__(self, table: CommuneTable, inputs: Sequence[Commune], policy: Policy) -> None:
        self._policy = policy.substitution
        folded = [comparable(one.name) for one in table.communes]
        self._names = {name: at for at, name in enumerate(dict.fromkeys(folded))}
        self._column = np.array([self._names[one] for one in folded])
        self._law: Law = law_of(table, inputs, self._policy.places)
        people = np.array([max(one.population, 1) for one in inputs], dtype=float)
        self._prior = np.log(people / people.sum())
        self._known: dict[Fraction, Floats] = {}

    def posterior(self, names: Sequence[str]) -> Floats:
        """Return the posterior of each input commune, given the surrogates of a patient's documents in order."""
        seen: dict[tuple[int, Fraction], str] = {}
        for visit, name in enumerate(names):
            apart = visit if self._policy.scope == "document" else 0
            seen[apart, self._epsilon(visit)] = name
        score = self._prior.copy()
        for (_, epsilon), name in seen.items():
            score += self._likelihoods(epsilon)[:, self._names[name]]
        likely = np.exp(score - score.max())
        return np.asarray(likely / likely.sum())

    def _epsilon(self, visit: int) -> Fraction:
        elements = self._policy.elements_per_document if self._policy.split == "nominal" else 1 + visit % _MORE
        return rational(self._policy.epsilon_per_document) / elements

    def _likelihoods(self, epsilon: Fraction) -> Floats:
        """Return log-likelihoods (inputs, names) at one ε."""
        if epsilon not in self._known:
            pairs = published(self._law, self._policy.places.strategy, float(epsilon))
            table = np.zeros((len(self._prior), len(self._names)))
            np.add.at(table, (pairs.inputs, self._column[pairs.outputs]), pairs.weights)
            sums = table.sum(axis=1, keepdims=True)
            self._known[epsilon] = np.log(np.maximum(table / np.where(sums == 0, 1, sums), _NEVER))
        return self._known[epsilon]


def _commune_visit(patient: str, home: Commune, visit: int) -> tuple[Document, tuple[Mention, ...]]:
    on = _FIRST_VISIT + timedelta(days=visit)
    text = f"{_LIVES_AT}{home.name}"
    mentions = [Mention(len(_LIVES_AT), len(text), Label.CITY)]
    for before in range(1, 1 + visit % _MORE):
        text += f", vue le {on - timedelta(days=before):%d/%m/%Y}"
        mentions.append(Mention(len(text) - 10, len(text), Label.DATE))
    known = Patient(key=patient, city=home.name, zip=home.zips[0] if home.zips else None)
    return Document(f"{patient}-{visit}", text + ".", known, on), tuple(mentions)


def surrogates_per_patient(population: Population, policy: Policy, table: CommuneTable) -> SurrogatesPerPatient:
    """Count the surrogates of each patient's home commune in the documents that name it.

    All mentions are replaced: a draw with a word of a name that the document hides is skipped, and another comes.

    Raises:
        ValueError: no patient's commune is in two documents.
    """
    substitutor = Substitutor(policy, KEY, table)
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for record in population.records:
        city = record.document.patient.city
        done = substitutor.substitute(record.document, record.mentions)
        told = frozenset(
            comparable(one.text)
            for one in done.surrogates
            if one.mention.label is Label.CITY
            and comparable(record.document.text[one.mention.start : one.mention.end]) == comparable(city or "")
        )
        if told:
            found[record.patient].append(told)
    counts = [len(frozenset[str]().union(*published)) for published in found.values() if len(published) > 1]
    if not counts:
        raise ValueError("no patient's commune stands in two documents")
    return SurrogatesPerPatient(
        policy.substitution.scope, len(counts), sum(counts) / len(counts), sum(one > 1 for one in counts) / len(counts)
    )
