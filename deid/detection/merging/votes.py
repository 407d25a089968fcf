"""Merging: one mention per place, with the votes of all annotators; averaging of the learned taggers before it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from deid.detection.lookup.known_names import BRANDS
from deid.detection.merging.evidence import WORDED, Evidence, is_role
from deid.detection.taggers.tags import LABELS, OUTSIDE, best_path, decode, log_probabilities
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import DOCTOR_TITLES
from deid.domain.document import Mention, Vote
from deid.domain.labels import CONTACT, IDENTIFIERS, NAMES, PLACES, TEMPORAL, Label

Array = NDArray[np.float32]

# Neural annotators of the decision procedure (T_N of the paper); all others are its rules (T_M).
NEURAL = frozenset({"transformer", "bilstm_crf", "flair", "encoder_bilstm_crf"})
# Labels for which the procedure prefers the neural annotators (PER, LOC and ORG of the paper).
CONTEXTUAL = NAMES | PLACES | {Label.ORG}


def _row(default: float, **groups: float) -> dict[Label, float]:
    sets = {"names": NAMES, "places": PLACES, "temporal": TEMPORAL, "contact": CONTACT, "identifiers": IDENTIFIERS}
    row = dict.fromkeys(Label, default)
    for name, weight in groups.items():
        row.update(dict.fromkeys(sets.get(name, (Label.ORG,)), weight))
    return row


# Annotator → label → weight in [0, 100] (Braghin et al. 2019, section 4.3). A known identity weighs most, then forms
# with a check key or a numbering plan. Neural annotators outweigh rules on CONTEXTUAL labels and are outweighed
# elsewhere, which gives the three cases of Tchouka et al. 2022, section 3.4.3.
WEIGHTS: Mapping[str, Mapping[Label, float]] = {
    "identity": _row(100),
    "patterns": _row(95, temporal=97, contact=97, identifiers=97),
    "context": _row(92),
    "gazetteer": _row(90),
    "crf": _row(80, names=88, places=88, org=88),
    "bilstm_crf": _row(80, names=99, places=99, org=99),
    "flair": _row(80, names=99, places=99, org=99),
    "encoder_bilstm_crf": _row(80, names=99, places=99, org=99),
    "transformer": _row(80, names=99, places=99, org=99),
}
UNLISTED = 90.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mention of one annotator, with its weighted strength in [0, 1]."""

    annotator: str
    mention: Mention
    strength: float


def weigh(
    found: Mapping[str, Sequence[Mention]],
    overrides: Mapping[str, Mapping[Label, float]] | None = None,
    table: Mapping[str, Mapping[Label, float]] = WEIGHTS,
) -> list[Candidate]:
    """Return candidates of strength weight / 100 × score; a weight of 0 drops the mentions of a label.

    Args:
        found: mentions by annotator.
        overrides: the policy's weights, which replace cells of `table`.
        table: annotator → label → weight in [0, 100].
    """
    overrides = overrides or {}
    candidates = []
    for annotator, mentions in found.items():
        row = {**table.get(annotator, dict.fromkeys(Label, UNLISTED)), **overrides.get(annotator, {})}
        for mention in mentions:
            if row[mention.label] > 0:
                candidates.append(Candidate(annotator, mention, row[mention.label] / 100 * mention.score))
    return candidates


def merge_by_weights(candidates: Sequence[Candidate], threshold: float) -> list[Mention]:
    """Return the strongest mention of each span and label, of strength `threshold` or more.

    Candidates that overlap a mention become its votes. Mentions of other spans or labels may still overlap:
    `deid.detection.refining` cuts them.
    """
    strongest: dict[tuple[int, int, Label], Mention] = {}
    for candidate in sorted(candidates, key=_rank):
        mention = candidate.mention
        if candidate.strength >= threshold:
            place = (mention.start, mention.end, mention.label)
            strongest.setdefault(place, replace(mention, score=min(candidate.strength, 1.0), votes=()))
    return _with_votes([*strongest.values()], candidates)


def _rank(candidate: Candidate) -> tuple[float, int, int, str, str]:
    mention = candidate.mention
    return (-candidate.strength, mention.start - mention.end, mention.start, mention.label, candidate.annotator)


def _with_votes(mentions: Sequence[Mention], candidates: Sequence[Candidate]) -> list[Mention]:
    """Return the sorted mentions, each with a vote of every annotator that found some of its characters."""
    ordered = sorted(candidates, key=lambda one: one.mention.start)
    result = []
    low = 0
    for mention in sorted(mentions):
        votes: dict[tuple[str, Label], Vote] = {}
        while low < len(ordered) and ordered[low].mention.end <= mention.start:
            low += 1
        for at in range(low, len(ordered)):
            candidate = ordered[at]
            if candidate.mention.start >= mention.end:
                break
            if candidate.mention.end > mention.start:
                own = Vote(candidate.annotator, candidate.mention.label, candidate.mention.score)
                # A mention of the averaged taggers has a vote of each of them already.
                for vote in candidate.mention.votes or (own,):
                    old = votes.get((vote.annotator, vote.label))
                    if old is None or old.score < vote.score:
                        votes[vote.annotator, vote.label] = vote
        result.append(replace(mention, votes=tuple(sorted(votes.values()))))
    return result


def merge_by_procedure(candidates: Sequence[Candidate], threshold: float) -> list[Mention]:
    """Return the mentions of the decision procedure of Tchouka et al. 2022, section 3.4.3.

    Same tag from both sides: that tag. Only one side gives a tag: that tag. Two different tags: that of the neural
    annotators for PER, LOC and ORG, that of the rules otherwise.
    """
    rules = merge_by_weights([one for one in candidates if one.annotator not in NEURAL], threshold)
    neural = merge_by_weights([one for one in candidates if one.annotator in NEURAL], threshold)
    preferred = [one for one in neural if one.label in CONTEXTUAL]
    taken: list[Mention] = []
    for mention in (*preferred, *rules, *(one for one in neural if one.label not in CONTEXTUAL)):
        at = bisect_left(taken, mention.start, key=lambda one: one.start)
        free_left = at == 0 or taken[at - 1].end <= mention.start
        if free_left and (at == len(taken) or mention.end <= taken[at].start):
            taken.insert(at, mention)
    return _with_votes(taken, candidates)


# Averaging of the learned taggers.

# Annotator name of the averaged taggers in merging.
TAGGERS = "taggers"
# Labels of the rules that are kept beside the averaged taggers, chosen by cross-validation (docs/decisions).
_RULE_LABELS: Mapping[str, frozenset[Label]] = {
    "patterns": CONTACT | {Label.NIR},
    "context": frozenset(),
    "gazetteer": frozenset(),
}
AVERAGING_WEIGHTS: Mapping[str, Mapping[Label, float]] = {
    **WEIGHTS,
    TAGGERS: dict.fromkeys(Label, 100.0),
    **{
        rule: {label: weight if label in _RULE_LABELS[rule] else 0.0 for label, weight in WEIGHTS[rule].items()}
        for rule in _RULE_LABELS
    },
}
_SHARE = 0.25
_WHOLE = 4  # letters of a word that no full stop abbreviates
_WORDED = np.array([label in WORDED for label in LABELS])
# Tags that open (B) or continue (I) a mention of a coarse kind.
_KINDS = [
    [tag for tag, label in enumerate(LABELS) if label in kind and tag % 2 == opening]
    for kind in (NAMES, PLACES, IDENTIFIERS | {Label.PHONE}, frozenset({Label.DATE, Label.RELDATE}))
    for opening in (1, 0)
]
# Tags by kind of mention: taggers that agree on a kind agree, whatever the label.
_POOLED = [
    [tag for tag, label in enumerate(LABELS) if label is not None and label in kind]
    for kind in (NAMES, PLACES | {Label.ORG}, IDENTIFIERS | CONTACT, TEMPORAL - {Label.AGE}, frozenset({Label.AGE}))
] + [[OUTSIDE]]
# Words and signs dropped at the edges of a mention where the taggers give them less than 0.5.
_EDGES = frozenset(
    "a au aux avec ce ces cette chez d dans de des du elle en entre est et il je l la le les leur lui ne on ou par pas "
    'pour qu que qui s sa se ses son sur un une vers , ; . : ( ) « » " / - –'.split()
)


def averaged(distributions: Sequence[Array], known: Sequence[Collection[Label] | None] | None = None) -> Array:
    """Return the distribution (tokens, tags) that several taggers give together; rows sum to one.

    A kind of mention gets the squared mean of the square roots of its probabilities, so that what one tagger alone
    believes counts less than what all half believe; the tags of the kind share it as in the arithmetic mean. `known`
    are the labels that each tagger can give, None for all. Each label is averaged over the taggers that can give it.
    """
    stack = np.stack(distributions)
    says = np.ones((len(stack), len(LABELS)), dtype=bool)
    if known is not None and any(known):
        says[:] = [[one is None or label is None or label in one for label in LABELS] for one in known]
    mean = np.einsum("ntl,nl->tl", stack, says) / np.maximum(says.sum(axis=0), 1)
    for tags in _POOLED:
        able = says[:, tags].any(axis=1)
        totals = stack[able][:, :, tags].sum(axis=2)
        agreed = np.square(np.sqrt(totals).mean(axis=0)) / np.maximum(totals.mean(axis=0), 1e-12)
        mean[:, tags] *= agreed[:, None]
    rows: Array = (mean / mean.sum(axis=1, keepdims=True)).astype(np.float32)
    return rows


def find_averaged(
    reading: Reading,
    distributions: Mapping[str, Array],
    recall: Mapping[Label, float],
    known: Mapping[str, Collection[Label]] = MappingProxyType({}),
) -> list[Mention]:
    """Return the mentions of the averaged taggers, each with a vote of every tagger.

    Args:
        reading: the document.
        distributions: probabilities (tokens, tags) by tagger.
        recall: nats added per label to the logarithm of its probability, which trades precision for recall.
        known: labels of the taggers that cannot give all of them.
    """
    if not len(reading.starts) or not distributions:
        return []
    mean = averaged(list(distributions.values()), [known.get(name) for name in distributions])
    nats = np.array([0.0 if label is None else recall.get(label, 0.0) for label in LABELS], dtype=np.float32)
    scores = log_probabilities(_with_pooled_kinds(mean))
    sure = 1.0 - mean[:, OUTSIDE]
    likeliest = best_path(scores)
    evidence = Evidence(reading, list(distributions.values()), decode(reading, likeliest, sure))
    added = np.where(explained(reading)[:, None] & ~_WORDED[None, :], 0, nats[None, :])
    # A name is raised against nothing, not against a likely place, organisation, date or number.
    counted = np.array([LABELS[tag] is not None and LABELS[tag] not in NAMES for tag in likeliest])
    added[np.ix_(counted, _WORDED)] = np.minimum(
        added[np.ix_(counted, _WORDED)], nats[np.array(likeliest)[counted], None]
    )
    path = best_path(scores + added)
    doubted = [at for at, tag in enumerate(path) if not likeliest[at] and LABELS[tag] in WORDED]
    if doubted:
        for at, share in evidence.shares(doubted).items():
            added[at, _WORDED] *= share
        path = best_path(scores + added)
    decoded = (part for mention in decode(reading, path, sure) for part in _sentences(reading, mention, sure))
    mentions = [mention for mention in decoded if not evidence.is_left_alone(mention)]
    trimmed = (_trimmed(reading, mention, sure, evidence) for mention in mentions)
    return [_voted(reading, mention, distributions) for mention in trimmed if mention is not None]


def _with_pooled_kinds(distribution: Array) -> Array:
    """Return scores in which a label has its kind's probability × (its share of that kind) ** `_SHARE`.

    A token stays a name where the taggers agree on a name and differ on its role.
    """
    scores = distribution.copy()
    for tags in _KINDS:
        own = distribution[:, tags]
        total = own.sum(axis=1, keepdims=True)
        scores[:, tags] = total * np.power(own / np.maximum(total, 1e-12), _SHARE)
    return scores


def _sentences(reading: Reading, mention: Mention, sure: Array) -> Iterator[Mention]:
    """Yield the parts of a mention: one, but for names that roles ("VIGNE PANSEUSE LISE") or full stops cut.

    Such a full stop is behind a whole word: "AURA. DALTONIEN".
    """
    tokens = reading.tokens(mention)
    first = tokens.start
    for at in tokens if mention.label in NAMES else ():
        if first < at < tokens.stop - 1 and (_ends_sentence(reading, at) or is_role(reading, at)):
            yield _part(reading, mention, first, at - 1, sure)
            first = at + 1
    yield mention if first == tokens.start else _part(reading, mention, first, tokens.stop - 1, sure)


def _part(reading: Reading, mention: Mention, first: int, last: int, sure: Array) -> Mention:
    score = min(max(float(sure[first : last + 1].mean()), 0.0), 1.0)
    return replace(mention, start=reading.starts[first], end=reading.ends[last], score=score)


def _ends_sentence(reading: Reading, index: int) -> bool:
    """Return whether a full stop with a blank behind it follows a word that is no abbreviation of a name or title."""
    word = reading.words[index - 1]
    spaced = index + 1 < len(reading.starts) and reading.starts[index + 1] > reading.ends[index]
    if reading.words[index] != "." or not spaced or len(word) < _WHOLE or word in DOCTOR_TITLES:
        return False
    return reading.lexicon.is_word(word)


def explained(reading: Reading) -> NDArray[np.bool_]:
    """Return True for each token that a table explains: drugs, medical words, eponyms, brands that are no surname.

    The `recall` of a policy applies to the other tokens.
    """
    known = reading.lexicon

    def explains(word: str) -> bool:
        if known.is_first_name(word):
            return False
        listed = word in known.eponyms or word in known.drugs or word in known.medical
        return listed or (word in BRANDS and not known.is_surname(word))

    return np.array([explains(word) for word in reading.words], dtype=bool)


def _trimmed(reading: Reading, mention: Mention, sure: Array, evidence: Evidence) -> Mention | None:
    """Return the mention without words at its ends that belong to none; None if no letter and no digit is left.

    They are those of `_EDGES`, and of a name those that name nobody. `sure` is the probability, per token, of being
    inside a mention.
    """
    first, last = reading.token_at(mention.start), reading.token_at(mention.end - 1)

    def goes(at: int) -> bool:
        beyond = mention.label in NAMES and evidence.is_beyond(at, float(sure[at]), first == last)
        return beyond or bool(sure[at] < 0.5 and reading.words[at] in _EDGES)

    while first <= last and goes(first):
        first += 1
    while last >= first and goes(last):
        last -= 1
    if first > last or not any(map(str.isalnum, reading.text[reading.starts[first] : reading.ends[last]])):
        return None
    # A score of 0.5 at least: the policy's threshold must not undo its `recall`.
    return replace(
        mention,
        start=reading.starts[first],
        end=reading.ends[last],
        score=max(float(sure[first : last + 1].mean()), 0.5),
    )


def _voted(reading: Reading, mention: Mention, distributions: Mapping[str, Array]) -> Mention:
    tokens = reading.tokens(mention)
    votes = []
    for name, distribution in distributions.items():
        rows = distribution[tokens.start : tokens.stop]
        of_label = rows[:, 1::2].sum(axis=0) + rows[:, 2::2].sum(axis=0)
        best = int(of_label.argmax())
        label = LABELS[1 + 2 * best]
        score = float(np.clip(of_label[best] / len(rows), 0.0, 1.0))
        if label is not None and score >= 0.05:
            votes.append(Vote(name, label, round(score, 4)))
    return replace(mention, votes=tuple(sorted(votes)))
