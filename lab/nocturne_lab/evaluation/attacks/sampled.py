"""Attacks on a sample of a release, by who holds the originals of the same patients: shares found, with bounds.

`attack.text`         documents whose nearest original, by its words, is of the right patient. The clinical words are
                      published as they are: who holds an original recognises it
`attack.person`       patients whose published names, dates, places… are nearest to their own of all originals
`attack.dates_exact`  documents with three dates or more whose dates are a shifted copy of one patient's only
`attack.dates`        the same documents, the nearest dates (`reidentification.match_sequences`)
`attack.known_dates`  patients ranked first by three true dates of their texts (`reidentification.link_known_dates`)
`attack.known_times`  patients ranked first by three true times of day of one of their stays (`known_times`); of those
                      with a stay that tells three
`attack.known_types`  patients ranked first by the types of all documents of one of their stays (`known_types`), and
                      `attack.known_types_all` by those of all of their stays, among the documents of the sample, by
                      columns alone, as the policy publishes types and stays
`attack.types_read`   documents whose type is read in the published text, where the policy does not publish it, by who
                      learned types on other patients (`read_structure`)
`attack.stays_read`   stays rebuilt whole from published texts by the best rule, where the policy does not publish
                      stays; `attack.stays_single`: those of one document, which need no rule
`attack.leaks`        leaks, planted in copies of the sample in memory, that are found at a precision of 50 % by who
                      knows half of them (`parrot.unlike`); of `LEAST_FOR_LEAKS` documents or more
`attack.places`       communes of a patient guessed from the published ones of a document: the likeliest, by who has the
                      code, its ε and every population (`city_posterior.TownAttack`). Candidates are the territory, of
                      it those near the area that the document tells, or, under the other strategies, the true
                      commune's department
`attack.names`        words of names of care staff whose published word has the same rank by number of documents
                      (`surnames`), by who knows those numbers
`attack.chance`       patients found by a random guess

Bounds are those of Clopper and Pearson (1934) for as many patients as the sample has, because the documents of a
patient are found together.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from deid.config.policy import Policy
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.domain.outcomes import Candidate
from deid.french.folding import comparable, words
from deid.privacy.budget import PLACE_COSTS
from deid.reference import Commune, CommuneTable
from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.attacks.city_posterior import TownAttack
from nocturne_lab.evaluation.attacks.commune_laws import indices
from nocturne_lab.evaluation.attacks.document_dates import DocumentDates, read_dates
from nocturne_lab.evaluation.attacks.document_places import towns_of
from nocturne_lab.evaluation.attacks.inputs import Record, Stay
from nocturne_lab.evaluation.attacks.known_times import find_by_times, read_times
from nocturne_lab.evaluation.attacks.known_types import (
    by_documents,
    by_stays,
    find_by_types,
    shown_type,
    whole_documents,
    whole_stays,
)
from nocturne_lab.evaluation.attacks.parrot import recall_at, suspect, unlike
from nocturne_lab.evaluation.attacks.planted import plant, publish
from nocturne_lab.evaluation.attacks.read_structure import JOININGS, read_text, read_types, rebuilt_stays
from nocturne_lab.evaluation.attacks.reidentification import link_known_dates, match_sequences
from nocturne_lab.evaluation.attacks.surnames import rank_names, word_pairs
from nocturne_lab.evaluation.intervals import share_interval
from nocturne_lab.hospital.evaluations import Filed, Measured

log = logging.getLogger(__name__)
LEAST_FOR_LEAKS = 100  # documents
_LEAK_SHARE = 0.04  # as in benchmarks/parrot.py
_KNOWN = 3  # dates
_GRAM = 3  # characters


def attack_sample(
    sample: Sequence[Candidate],
    policy: Policy,
    key: bytes,
    communes: CommuneTable | None = None,
    filing: Mapping[str, Filed] | None = None,
) -> Iterator[Measured]:
    """Yield what each attack finds in a sample; nothing where it has no target. The log counts the attacks.

    Args:
        sample: originals with what was published of them, each of a known patient.
        policy: what they were published under.
        key: the secret that they were published with, for the dates as published.
        communes: those that surrogates are drawn from; None is the table that ships.
        filing: stay and type of each document; of one that is absent neither is attacked.
    """
    filed = [(one, filing[one.document.id]) for one in sample if filing and one.document.id in filing]
    people = sorted({_patient(one) for one in sample})
    if len(people) < 2:  # nobody to be confused with
        return
    yield Measured("attack.chance", 1 / len(people), None, None, len(people))
    attacks: dict[str, Callable[[], Iterable[Measured]]] = {
        "text": lambda: [_share("attack.text", nearest_texts(sample), len(sample), len(people))],
        "person": lambda: [_share("attack.person", nearest_people(sample), len(people), len(people))],
        "dates": lambda: _by_dates(list(_dates(sample, policy, key)), policy),
        "times": lambda: _times(filed),
        "types and stays": lambda: chain(_types(filed, policy), _structure(filed, policy, key)),
        "places": lambda: _places(sample, policy, communes or packaged_tables().communes),
        "names": lambda: _names(sample),
        "leaks": lambda: _leaks(sample, policy) if len(sample) >= LEAST_FOR_LEAKS else (),
    }
    for number, (name, attack) in enumerate(attacks.items(), start=1):
        log.info("attack %d of %d: %s", number, len(attacks), name)
        yield from attack()


def nearest_texts(sample: Sequence[Candidate]) -> float:
    """Return the share of documents whose nearest original, by TF-IDF of words, is of the right patient."""
    owners = [_patient(one) for one in sample]
    true, published = ([words(text) for text in texts] for texts in zip(*map(_texts, sample), strict=True))
    return _nearest(true, published, owners)


def nearest_people(sample: Sequence[Candidate]) -> float:
    """Return the share of patients whose identifiers as published are nearest to their own, by TF-IDF of trigrams."""
    true: dict[str, list[str]] = defaultdict(list)
    published: dict[str, list[str]] = defaultdict(list)
    for one in sample:
        for surrogate in one.substitution.surrogates:
            mention = surrogate.mention
            true[_patient(one)] += _grams(mention, one.document.text[mention.start : mention.end])
            published[_patient(one)] += _grams(mention, surrogate.text)
    people = sorted({_patient(one) for one in sample})
    return _nearest([true[one] for one in people], [published[one] for one in people], people)


def _share(name: str, share: float, n: int, people: int) -> Measured:
    own = min(n, people)
    return Measured(name, share, *share_interval(min(share * own, own), own), n)


def _nearest(true: Iterable[Sequence[str]], published: Iterable[Sequence[str]], owners: Sequence[str]) -> float:
    """Return the mean probability that the nearest true row has the owner of a published row; ties are drawn."""
    rows, others = list(true), list(published)
    vectors = TfidfVectorizer(analyzer=list, sublinear_tf=True)
    if not any(rows):
        return 1 / len(set(owners))
    like = np.asarray((vectors.fit(rows).transform(others) @ vectors.transform(rows).T).todense())
    best = like >= like.max(axis=1, keepdims=True) - 1e-9
    right = np.array(owners)[:, None] == np.array(owners)[None, :]
    return float(((best & right).sum(axis=1) / best.sum(axis=1)).mean())


def _grams(mention: Mention, said: str) -> list[str]:
    family = "name" if mention.label in NAMES else mention.label
    text = f" {comparable(said)} "
    return [f"{family} {text[at : at + _GRAM]}" for at in range(len(text) - _GRAM + 1)]


def _texts(one: Candidate) -> tuple[str, str]:
    return one.document.text, one.substitution.text


def _patient(one: Candidate) -> str:
    return one.document.patient.key or one.document.id


def _dates(sample: Sequence[Candidate], policy: Policy, key: bytes) -> Iterator[DocumentDates]:
    for one in sample:
        if (day := one.document.reference_date) is not None:
            record = Record(one.document, one.mentions, Stay(day, day))
            yield read_dates(record, one.substitution, policy, key)


def _by_dates(published: Sequence[DocumentDates], policy: Policy) -> Iterator[Measured]:
    people = len({one.patient for one in published})
    with suppress(ValueError):  # no document has three dates
        matched = match_sequences(published)
        yield _share("attack.dates_exact", matched.exact, matched.documents, people)
        yield _share("attack.dates", matched.nearest, matched.documents, people)
    with suppress(ValueError):  # no patient of the half that is looked for has them
        linked = link_known_dates(published, policy.substitution.dates, "text", _KNOWN)
        yield _share("attack.known_dates", linked.top_1, linked.targets, people)


def _times(filed: Sequence[tuple[Candidate, Filed]]) -> Iterator[Measured]:
    people = sorted({_patient(one) for one, _ in filed})
    timed = [read_times(one.document, one.substitution, there.stay) for one, there in filed]
    candidates, targets, hits = find_by_times(timed, people, "one stay")
    if targets:
        yield _share("attack.known_times", hits / targets, targets, candidates)


def _types(filed: Sequence[tuple[Candidate, Filed]], policy: Policy) -> Iterator[Measured]:
    """Look for patients by types; the attacker writes those that he knows as the policy publishes them."""
    own: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one, there in filed:
        own[_patient(one)][there.stay].append(shown_type(policy.publication, there.kind, there.loinc))
    shown = [[tuple(sorted(kinds)) for kinds in stays.values()] for stays in own.values()]
    if len(shown) < 2:
        return
    by_stay = policy.publication.stay == "pseudonym"
    for name, known, search in (
        ("attack.known_types", 1, by_stays if by_stay else by_documents(shown, 1)),
        ("attack.known_types_all", None, whole_stays if by_stay else whole_documents),
    ):
        found = find_by_types(shown, shown, known, search, candidates=len(shown))
        yield _share(name, found.share, found.targets, len(shown))


def _structure(filed: Sequence[tuple[Candidate, Filed]], policy: Policy, key: bytes) -> Iterator[Measured]:
    """Read in texts the types and stays that the policy does not publish."""
    hidden = policy.publication.types != "warehouse", policy.publication.stay == "drop"
    if not any(hidden):
        return
    texts = [
        read_text(Record(one.document, one.mentions, Stay(day, day)), one.substitution, *there[:2], policy, key)
        for one, there in filed
        if (day := one.document.reference_date) is not None
    ]
    people = len({one.patient for one in texts})
    with suppress(ValueError):  # fewer than three patients, or one type
        if hidden[0]:
            right = sum(one.kind == kind for one, kind in zip(texts, read_types(texts), strict=True))
            yield _share("attack.types_read", right / len(texts), len(texts), people)
    if hidden[1] and texts:
        whole, stays = max(rebuilt_stays(texts, rule) for rule in JOININGS.values())
        yield _share("attack.stays_read", whole / stays, stays, people)
        yield _share("attack.stays_single", rebuilt_stays(texts, None)[0] / stays, stays, people)


def _places(sample: Sequence[Candidate], policy: Policy, communes: CommuneTable) -> Iterator[Measured]:
    """Guess each patient's communes; a draw under another ε is another target."""
    places = policy.substitution.places
    if places.strategy == "tag":
        return
    documents: list[tuple[str, float, list[tuple[Commune, Commune]]]] = []
    homes: dict[str, Commune] = {}  # as published
    for one in sample:
        spent = next((spend for spend in one.substitution.spends if spend.category == "place" and spend.elements), None)
        if spent is None:
            continue
        epsilon = float(spent.epsilon / spent.elements / PLACE_COSTS.get(places.strategy, 1))
        towns = [(true, drawn) for true, drawn in towns_of(one.document, one.substitution, communes) if drawn]
        documents.append((_patient(one), epsilon, towns))
        home = communes.find(one.document.patient.city or "", one.document.patient.zip)[:1]
        homes |= {_patient(one): drawn for true, drawn in towns if true in home}
    attack, found = TownAttack(communes, places), dict[object, list[float]]()
    people = np.array([one.population for one in communes.communes])
    for patient, epsilon, towns in documents:
        for town, after in zip(towns, attack.posteriors(epsilon, towns, homes.get(patient)), strict=True):
            if (patient, town, epsilon) not in found:
                found[patient, town, epsilon] = _guessed(after, people, indices(communes, town[:1]))
    if found:
        right, prior, chance = (sum(shares) / len(found) for shares in zip(*found.values(), strict=True))
        patients = len({patient for patient, _, towns in documents if towns})
        yield _share("attack.places", right, len(found), patients)
        yield _share("attack.places_prior", prior, len(found), patients)
        yield Measured("attack.places_chance", chance, None, None, len(found))


def _guessed(after: NDArray[np.float64], people: NDArray[np.int64], true: NDArray[np.intp]) -> list[float]:
    """Return how far the likeliest candidate, the most populous one, and any of them is the true commune."""
    crowd = np.flatnonzero(after)
    best = crowd[after[crowd] >= after.max() * (1 - 1e-9)]
    most = crowd[people[crowd] == people[crowd].max()]
    return [float((one == true).sum()) / len(one) for one in (best, most, crowd)]


def _names(sample: Sequence[Candidate]) -> Iterator[Measured]:
    hits = rank_names(word_pairs(one.document, one.substitution, Label.DOCTOR) for one in sample).hits
    if len(hits) > 1:
        yield _share("attack.names", sum(hits) / len(hits), len(hits), len(hits))


def _leaks(sample: Sequence[Candidate], policy: Policy) -> Iterator[Measured]:
    texts = [(one.document, one.mentions) for one in sample]
    released = publish(texts, plant(texts, _LEAK_SHARE), policy)
    suspicions = suspect(released.documents, unlike)
    leaks = int(suspicions.leaks.sum())
    if leaks:
        found = recall_at(suspicions)
        yield Measured("attack.leaks", found.share, found.low, found.high, leaks)
