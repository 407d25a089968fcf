"""Surnames guessed by how often they come: published ones matched with true ones by rank, and what their band says."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from deid.config.policy import Policy
from deid.domain.labels import Label
from deid.evaluation.attacks.chronicle import KEY
from deid.evaluation.attacks.population import Population
from deid.reference.names import Pool, name_key
from deid.reference.packaged import packaged_rows
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor

Whose = Literal["DOCTOR", "PATIENT"]
_WORD = re.compile(r"[^\W\d_]+")
_MOST = 20


@dataclass(frozen=True, slots=True)
class RankMatching:
    """Surnames of one role, ranked by the documents that hold them.

    `matched`: share of true surnames whose rank holds one of their surrogates. `matched_most`: the same among the
    20 most frequent. `surrogates`: published surnames per true one, on average. `chance`: what a blind match gets.
    """

    whose: Whose
    scope: str
    surnames: int
    surrogates: float
    matched: float
    matched_most: float
    chance: float


def rank_matching(world: Population, policy: Policy, whose: Whose) -> RankMatching:
    """The attack of who knows in how many documents each surname stands, and lines both lists up.

    Surnames of one word are looked at, of the hospital's staff and the patients' doctors, or of the patients; gold
    mentions are substituted, so that detection plays no role. Ties are in alphabetical order.

    Raises:
        ValueError: no document holds such a surname.
    """
    wanted = {name_key(name) for name in _surnames(world, whose) if _WORD.fullmatch(name)}
    true: Counter[str] = Counter()
    told: Counter[str] = Counter()
    pairs: dict[str, set[str]] = defaultdict(set)
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    names = frozenset({Label.PATIENT, Label.DOCTOR, Label.PERSON})
    for record in world.records:
        done = substitutor.substitute(record.document, [one for one in record.mentions if one.label in names])
        found: set[tuple[str, str]] = set()
        for surrogate in done.surrogates:
            if surrogate.mention.label is Label[whose]:
                original = record.document.text[surrogate.mention.start : surrogate.mention.end]
                before, after = _WORD.findall(original), _WORD.findall(surrogate.text)
                if len(before) == len(after):
                    found |= {(name_key(one), name_key(other)) for one, other in zip(before, after, strict=True)}
        here = {(one, other) for one, other in found if one in wanted}
        true.update({one for one, _ in here})
        told.update({other for _, other in here})
        for one, other in here:
            pairs[one].add(other)
    if not true:
        raise ValueError(f"no document holds a surname of {whose}")
    hits = [told_name in pairs[name] for name, told_name in zip(_ranked(true), _ranked(told), strict=False)]
    return RankMatching(
        whose=whose,
        scope=policy.substitution.scope,
        surnames=len(true),
        surrogates=sum(map(len, pairs.values())) / len(pairs),
        matched=sum(hits) / len(true),
        matched_most=sum(hits[:_MOST]) / min(_MOST, len(true)),
        chance=1 / len(true),
    )


def _surnames(world: Population, whose: Whose) -> set[str]:
    if whose == "PATIENT":
        return {one.last_name for one in world.residents}
    return set(world.clinicians)


def _ranked(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


@dataclass(frozen=True, slots=True)
class BandSays:
    """What the frequency band of a surrogate tells of a surname, over people named as France is.

    `guess`: the chance that the best guess of the surname is right; `guess_before`: without the surrogate.
    `share_rare`: people in the band of the rarest names; `crowd_least`: surnames in the smallest band.
    """

    surnames: int
    bands: int
    guess_before: float
    guess: float
    share_rare: float
    crowd_least: int


def band_says() -> BandSays:
    """Sums over the surname table that ships, each surname weighted by its births; nothing is drawn."""
    tables = packaged_tables().names
    births = {row["name"]: int(row["births"]) for row in packaged_rows("surnames")}
    total = sum(births.values())
    bands: dict[int, list[int]] = defaultdict(list)
    for name, born in births.items():
        bands[id(tables.surnames_like(name, Pool.PATIENT))].append(born)
    rare = min(bands.values(), key=max)
    return BandSays(
        surnames=len(births),
        bands=len(bands),
        guess_before=max(births.values()) / total,
        guess=sum(map(max, bands.values())) / total,
        share_rare=sum(rare) / total,
        crowd_least=min(map(len, bands.values())),
    )
