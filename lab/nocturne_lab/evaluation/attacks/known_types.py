"""Patients found by who knows the types of the documents of some of their stays, by what research shows of these.

The attacker has a list of documents of the hospital (types by stay, no date) and looks for a patient among pseudonyms,
whose documents are grouped by the published stays, or not at all. A candidate's score is
the likelihood of the known stays, drawn at random among those of the patient:

by stays      the ways to choose them among the candidate's, over all ways to choose as many; exact.
by documents  the ways to choose their documents among the candidate's, as if types were drawn for each document by
              itself, times how much likelier so many others are beside known stays than so many documents in all; the
              attacker's own list gives both laws.
whole         whether all is the same; the attacker knows all stays of the patient, or all documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb, prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from deid.config.policy import Publication
from nocturne_lab.evaluation.intervals import RankedFirst

StayTypes = tuple[str, ...]  # of the documents of one stay, sorted
Grouped = Sequence[Sequence[StayTypes]]  # each patient's stays
Floats = NDArray[np.float64]
Scores = Callable[[Sequence[StayTypes]], Floats]  # known stays → score of each candidate
Search = Callable[[Grouped], Scores]
CANDIDATES = 320
_IMPOSSIBLE = -1e9
_SMOOTH = 0.5  # of a number of documents that the list lacks


def shown_type(publication: Publication, kind: str, loinc: str) -> str:
    """Return what a policy publishes of a document's type, as the function of that name in `deid` does."""
    match publication.types:
        case "warehouse":
            return kind
        case "classes":
            return publication.classes.get(kind) or publication.classes.get(loinc) or publication.other_class
        case _:
            return ""


def find_by_types(
    known_as: Grouped,
    published: Grouped,
    known: int | None,
    search: Search,
    *,
    candidates: int = CANDIDATES,
    targets: int = 1_000,
    seed: int = 1,
) -> RankedFirst:
    """Look for patients by `known` whole stays of each, all if None; in groups of as many candidates.

    Args:
        known_as: true stays of each patient, types written as the attacker compares them.
        published: what is read of each patient, in the same order.
        known: number of stays that are known; patients with fewer are not looked for.
        search: the attacker.
        candidates: patients in a group.
        targets: patients looked for, about, over all groups.
        seed: of the draws.

    Raises:
        ValueError: there are fewer patients than candidates, or none has so many stays.
    """
    rng = np.random.default_rng(seed)
    starts = range(0, len(published) - candidates + 1, candidates)
    looked = hits = 0
    for start in starts:
        scores = search(published[start : start + candidates])
        able = [at for at in range(candidates) if len(known_as[start + at]) >= (known or 1)]
        for target in rng.choice(able, min(len(able), -(-targets // len(starts))), replace=False) if able else ():
            stays = known_as[start + target]
            chosen = range(len(stays)) if known is None else rng.choice(len(stays), known, replace=False)
            found = scores([stays[at] for at in chosen])
            best = np.flatnonzero(found >= found.max() - 1e-9)
            hits += int(rng.choice(best) == target)
            looked += 1
    if not looked:
        raise ValueError(f"no group of {candidates} patients has one with {known or 1} stays")
    return RankedFirst(candidates, looked, hits)


def by_stays(published: Grouped) -> Scores:
    """Return the search by published stays."""
    having = _having(published)

    def scores(known: Sequence[StayTypes]) -> Floats:
        found = np.zeros(len(published))
        wanted = Counter(known)
        for at in set.intersection(*(set(having[stay]) for stay in wanted)):
            ways = prod(comb(having[stay][at], count) for stay, count in wanted.items())
            found[at] = ways / comb(len(published[at]), len(known)) if ways else 0.0
        return found

    return scores


def by_documents(listed: Grouped, known: int) -> Search:
    """Return the search by documents, without stays.

    Args:
        listed: stays of many patients, the attacker's own list.
        known: number of stays that are known of a target.
    """
    everything, others = _laws(listed, known)
    longest = len(everything) - 1

    def search(published: Grouped) -> Scores:
        places = {kind: at for at, kind in enumerate(sorted({kind for kind, _ in _each(published)}))}
        counts = np.zeros((len(published), len(places)))
        for kind, patient in _each(published):
            counts[patient, places[kind]] += 1
        total = counts.sum(axis=1).astype(int)

        def scores(stays: Sequence[StayTypes]) -> Floats:
            found = np.full(len(published), _IMPOSSIBLE)
            wanted = Counter(kind for stay in stays for kind in stay)
            if wanted.keys() <= places.keys():
                least = np.array([wanted[kind] for kind in places])
                able = np.flatnonzero((counts >= least).all(axis=1))
                own, size = total[able], least.sum()
                found[able] = _choose(counts[able], least).sum(axis=1) - _choose(own, size)
                found[able] += np.log(others[np.minimum(own - size, longest)] / everything[np.minimum(own, longest)])
            return found

        return scores

    return search


def whole_stays(published: Grouped) -> Scores:
    """Return the search by all stays of a patient."""
    return _whole(published, lambda stays: frozenset(Counter(stays).items()))


def whole_documents(published: Grouped) -> Scores:
    """Return the search by all documents of a patient, without stays."""
    return _whole(published, lambda stays: tuple(sorted(kind for stay in stays for kind in stay)))


def _whole(published: Grouped, key: Callable[[Sequence[StayTypes]], object]) -> Scores:
    keys = [key(stays) for stays in published]

    def scores(known: Sequence[StayTypes]) -> Floats:
        wanted = key(known)
        return np.array([float(one == wanted) for one in keys])

    return scores


def _having(published: Grouped) -> Mapping[StayTypes, Mapping[int, int]]:
    """Return, for each stay, who has it, and how often."""
    found: dict[StayTypes, Counter[int]] = defaultdict(Counter)
    for at, stays in enumerate(published):
        for stay in stays:
            found[stay][at] += 1
    return found


def _each(published: Grouped) -> Iterator[tuple[str, int]]:
    """Yield the type and the patient of each document."""
    return ((kind, at) for at, stays in enumerate(published) for stay in stays for kind in stay)


def _laws(listed: Grouped, known: int, seed: int = 1) -> tuple[Floats, Floats]:
    """Return how often patients have a number of documents, and have one beside `known` stays drawn at random."""
    rng = np.random.default_rng(seed)
    sizes = [[len(stay) for stay in stays] for stays in listed]
    totals = [sum(one) for one in sizes]
    rests = [sum(rng.permutation(one)[known:]) for one in sizes if len(one) >= known]
    length = max(totals) + 1
    everything, others = (np.bincount(one, minlength=length) + _SMOOTH for one in (totals, rests))
    return everything / everything.sum(), others / others.sum()


def _choose(n: Floats, k: Floats) -> Floats:
    """Return logarithms of binomial coefficients."""
    found: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return found
