"""Attack on surnames by frequency: published and true surnames matched by rank, and the frequency band."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Literal

from deid.config.policy import Policy
from deid.domain.document import Document, Substitution
from deid.domain.labels import Label
from deid.reference.names import name_key
from deid.reference.packaged import packaged_rows
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.attacks.document_dates import KEY
from nocturne_lab.evaluation.attacks.inputs import Population

Whose = Literal["DOCTOR", "PATIENT"]
_WORD = re.compile(r"[^\W\d_]+")
_MOST = 20


@dataclass(frozen=True, slots=True)
class RankMatching:
    """Surnames of one role, ranked by their number of documents.

    `matched`: share of true surnames with one of their surrogates at the same rank; `matched_most`: the same among the
    20 most frequent. `surrogates`: mean number of published surnames per true one. `chance`: share of a random match.
    """

    whose: Whose
    scope: str
    surnames: int
    surrogates: float
    matched: float
    matched_most: float
    chance: float


def match_ranks(population: Population, policy: Policy, whose: Whose) -> RankMatching:
    """Match published to true surnames by rank; the attacker knows the number of documents of each surname.

    Only surnames of one word count, of the clinicians or of the patients. True mentions are substituted, so that
    detection has no effect. Ties are sorted alphabetically.

    Raises:
        ValueError: no document contains such a surname.
    """
    wanted = {name_key(name) for name in _surnames(population, whose) if _WORD.fullmatch(name)}
    said: list[set[tuple[str, str]]] = []
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    names = frozenset({Label.PATIENT, Label.DOCTOR, Label.PERSON})
    for record in population.records:
        done = substitutor.substitute(record.document, [one for one in record.mentions if one.label in names])
        found = word_pairs(record.document, done, Label[whose])
        said.append({(one, other) for one, other in found if one in wanted})
    ranked = rank_names(said)
    if not ranked.hits:
        raise ValueError(f"no document holds a surname of {whose}")
    number = len(ranked.hits)
    return RankMatching(
        whose=whose,
        scope=policy.substitution.scope,
        surnames=number,
        surrogates=ranked.surrogates,
        matched=sum(ranked.hits) / number,
        matched_most=sum(ranked.hits[:_MOST]) / min(_MOST, number),
        chance=1 / number,
    )


@dataclass(frozen=True, slots=True)
class Ranked:
    """True names by falling number of documents: whether the published name of the same rank is a surrogate of each.

    `surrogates`: mean number of published names per true one; 0 without names.
    """

    hits: tuple[bool, ...]
    surrogates: float


def rank_names(said: Iterable[Set[tuple[str, str]]]) -> Ranked:
    """Match names by rank; `said` are the pairs of true and published name of each document. Ties are alphabetical."""
    true: Counter[str] = Counter()
    published: Counter[str] = Counter()
    pairs: dict[str, set[str]] = defaultdict(set)
    for here in said:
        true.update({one for one, _ in here})
        published.update({other for _, other in here})
        for one, other in here:
            pairs[one].add(other)
    order = _ranked(published)
    hits = tuple(at < len(order) and order[at] in pairs[name] for at, name in enumerate(_ranked(true)))
    return Ranked(hits, sum(map(len, pairs.values())) / max(1, len(pairs)))


def word_pairs(document: Document, published: Substitution, label: Label) -> set[tuple[str, str]]:
    """Return pairs of true and published word, folded, of the names of a label that keep their number of words."""
    found: set[tuple[str, str]] = set()
    for surrogate in published.surrogates:
        if surrogate.mention.label is label:
            original = document.text[surrogate.mention.start : surrogate.mention.end]
            before, after = _WORD.findall(original), _WORD.findall(surrogate.text)
            if len(before) == len(after):
                found |= {(name_key(one), name_key(other)) for one, other in zip(before, after, strict=True)}
    return found


def _surnames(population: Population, whose: Whose) -> set[str]:
    if whose == "PATIENT":
        return {one.last_name for one in population.residents}
    return set(population.clinicians)


def _ranked(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


@dataclass(frozen=True, slots=True)
class BandInformation:
    """Information on a surname in the crowd of its surrogate, under the national distribution of surnames.

    `guess`: probability that the best guess of the surname is right; `guess_before`: without the surrogate.
    `crowd_least`: surnames in the smallest crowd.
    """

    surnames: int
    bands: int
    guess_before: float
    guess: float
    crowd_least: int


def band_information() -> BandInformation:
    """Return sums over the shipped table of surnames, weighted by births; nothing is drawn."""
    tables = packaged_tables().names
    births = {row["name"]: int(row["births"]) for row in packaged_rows("surnames")}
    total = sum(births.values())
    bands: dict[int, list[int]] = defaultdict(list)
    for name, born in births.items():
        bands[tables.surnames_like(name_key(name)).number].append(born)
    return BandInformation(
        surnames=len(births),
        bands=len(bands),
        guess_before=max(births.values()) / total,
        guess=sum(map(max, bands.values())) / total,
        crowd_least=min(map(len, bands.values())),
    )
