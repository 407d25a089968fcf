"""One commune told in many documents of a patient: what its surrogates, taken together, give away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import Policy
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.evaluation.attacks.chronicle import KEY
from deid.evaluation.attacks.commune_laws import Law, law_of
from deid.evaluation.attacks.population import Population, Resident
from deid.french.folding import comparable
from deid.privacy.budget import rational
from deid.reference import Commune, CommuneTable
from deid.substitution import Substitutor

Floats = NDArray[np.float64]
_FIRST = date(2024, 3, 25)
_HEAD = "Habite à "
_MORE = 4  # documents have 0 to 3 dates beside the commune, so that `split: uniform` has as many ε
_NEVER = 1e-12  # the likelihood of what the law does not foresee: one odd surrogate must not exclude anybody


@dataclass(frozen=True, slots=True)
class CommuneAveraging:
    """What the surrogates of one commune in `documents` documents give away, over `patients` patients.

    `surrogates`: distinct ones per patient; `guess`: share of patients whose commune is the best guess, ties as a
    blind choice among them; `truth`: mean posterior of the true commune.
    """

    documents: int
    patients: int
    surrogates: float
    guess: float
    truth: float


@dataclass(frozen=True, slots=True)
class SurrogatesPerPatient:
    """Over the hospital's patients whose commune stands in two documents or more: how many surrogates it got."""

    scope: str
    patients: int
    surrogates: float
    several: float


def commune_averaging(
    policy: Policy,
    documents: Iterable[int],
    residents: Sequence[Resident],
    departments: Sequence[str],
    table: CommuneTable,
    patients: int = 60,
) -> list[CommuneAveraging]:
    """The Bayesian attack on the home commune of patients of some departments, which stands in each of their documents.

    The homes are those of `patients` of the hospital's, the documents are made for it: the commune, and 0 to 3 dates.
    The attacker knows the policy, the departments and every commune's population, hence the law of a draw (never the
    original) and which draws are independent: a value is drawn once per scope and ε. So under `scope: patient` with
    the shipped split, any number of documents is one observation; under `scope: document` each is another, and under
    `split: uniform` each number of elements has its own ε, and its own draw.

    Raises:
        ValueError: no patient lives there, or the strategy draws no commune.
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
        told = [_told(substitutor, _visit(patient, inputs[home], visit)) for visit in range(numbers[-1])]
        for number in numbers:
            after = attacker.posterior(told[:number])
            best = after >= after.max() * (1 - 1e-9)
            found[number].append((len(set(told[:number])), float(best[home]) / best.sum(), float(after[home])))
    rows = {number: np.array(points).mean(axis=0) for number, points in found.items()}
    return [CommuneAveraging(number, len(homes), *map(float, rows[number])) for number in numbers]


class _Attacker:
    """Who knows the prior by population, the policy and its law."""

    def __init__(self, table: CommuneTable, inputs: Sequence[Commune], policy: Policy) -> None:
        self._policy = policy.substitution
        self._names = {
            name: at for at, name in enumerate(dict.fromkeys(comparable(one.name) for one in table.communes))
        }
        self._column = np.array([self._names[comparable(one.name)] for one in table.communes])
        self._law: Law = law_of(table, inputs, self._policy.places)
        people = np.array([max(one.population, 1) for one in inputs], dtype=float)
        self._prior = np.log(people / people.sum())
        self._known: dict[Fraction, Floats] = {}

    def posterior(self, told: Sequence[str]) -> Floats:
        """Of each input, given the surrogates of a patient's documents in their order."""
        seen: dict[tuple[int, Fraction], str] = {}
        for visit, name in enumerate(told):
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
        """Log-likelihood of each name for each input, at one ε."""
        if epsilon not in self._known:
            pairs = self._law.at(float(epsilon))
            other = self._law.codes[pairs.inputs] != pairs.outputs
            table = np.zeros((len(self._prior), len(self._names)))
            np.add.at(table, (pairs.inputs[other], self._column[pairs.outputs[other]]), pairs.weights[other])
            sums = table.sum(axis=1, keepdims=True)
            self._known[epsilon] = np.log(np.maximum(table / np.where(sums == 0, 1, sums), _NEVER))
        return self._known[epsilon]


def _visit(patient: str, home: Commune, visit: int) -> tuple[Document, tuple[Mention, ...]]:
    on = _FIRST + timedelta(days=visit)
    text = f"{_HEAD}{home.name}"
    mentions = [Mention(len(_HEAD), len(text), Label.CITY)]
    for before in range(1, 1 + visit % _MORE):
        text += f", vue le {on - timedelta(days=before):%d/%m/%Y}"
        mentions.append(Mention(len(text) - 10, len(text), Label.DATE))
    known = Patient(key=patient, city=home.name, zip=home.zips[0] if home.zips else None)
    return Document(f"{patient}-{visit}", text + ".", known, on), tuple(mentions)


def _told(substitutor: Substitutor, visit: tuple[Document, tuple[Mention, ...]]) -> str:
    """The name published for the commune, folded."""
    return comparable(substitutor.substitute(*visit).surrogates[0].text)


def surrogates_per_patient(world: Population, policy: Policy, table: CommuneTable) -> SurrogatesPerPatient:
    """How many surrogates the home commune of each patient of the hospital has in the documents that name it.

    All mentions are replaced, so that what a document hides elsewhere plays its part: a draw that would bring it back
    is skipped, which gives a second surrogate.

    Raises:
        ValueError: no patient's commune stands in two documents.
    """
    substitutor = Substitutor(policy, KEY, table)
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for record in world.records:
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
    counts = _counts(found)
    return SurrogatesPerPatient(
        policy.substitution.scope, len(counts), sum(counts) / len(counts), sum(one > 1 for one in counts) / len(counts)
    )


def _counts(found: Mapping[str, Sequence[frozenset[str]]]) -> list[int]:
    counts = [len(frozenset[str]().union(*told)) for told in found.values() if len(told) > 1]
    if not counts:
        raise ValueError("no patient's commune stands in two documents")
    return counts
