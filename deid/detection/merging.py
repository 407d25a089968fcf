"""From what annotators said to one mention per place, with every vote kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from deid.domain.document import Mention, Vote
from deid.domain.labels import CONTACT, IDENTIFIERS, NAMES, PLACES, TEMPORAL, Label

# Annotators that play T_N, the neural side, in the decision procedure; all others are the rules' side, T_M.
NEURAL = frozenset({"transformer", "bilstm_crf"})
# Labels for which the procedure believes the neural side (PER, LOC and ORG of the paper).
CONTEXTUAL = NAMES | PLACES | {Label.ORG}


def _row(default: float, **groups: float) -> dict[Label, float]:
    sets = {"names": NAMES, "places": PLACES, "temporal": TEMPORAL, "contact": CONTACT, "identifiers": IDENTIFIERS}
    row = dict.fromkeys(Label, default)
    for name, weight in groups.items():
        row.update(dict.fromkeys(sets.get(name, (Label.ORG,)), weight))
    return row


# Annotator → label → weight in [0, 100] (Braghin et al. 2019, section 4.3). A known identity is the surest
# evidence; forms with a key or a plan come next. The neural side outweighs the rules on CONTEXTUAL labels and
# is outweighed elsewhere, which gives the three cases of Tchouka et al. 2022, section 3.4.3.
WEIGHTS: Mapping[str, Mapping[Label, float]] = {
    "identity": _row(100),
    "patterns": _row(95, temporal=97, contact=97, identifiers=97),
    "context": _row(92),
    "gazetteer": _row(90),
    "crf": _row(80, names=88, places=88, org=88),
    "bilstm_crf": _row(80, names=99, places=99, org=99),
    "transformer": _row(80, names=99, places=99, org=99),
}
UNLISTED = 90.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mention as one annotator gave it, with its weighted strength in [0, 1]."""

    annotator: str
    mention: Mention
    strength: float


def weigh(
    found: Mapping[str, Sequence[Mention]],
    overrides: Mapping[str, Mapping[Label, float]] | None = None,
    table: Mapping[str, Mapping[Label, float]] = WEIGHTS,
) -> list[Candidate]:
    """Candidates with strength weight × score; a weight of 0 silences an annotator for a label.

    `overrides` are a policy's cells over those of `table`.
    """
    overrides = overrides or {}
    candidates = []
    for annotator, mentions in found.items():
        row = {**table.get(annotator, dict.fromkeys(Label, UNLISTED)), **overrides.get(annotator, {})}
        for mention in mentions:
            if row[mention.label] > 0:
                candidates.append(Candidate(annotator, mention, row[mention.label] / 100 * mention.score))
    return candidates


def by_weights(candidates: Sequence[Candidate], threshold: float) -> list[Mention]:
    """Highest strength wins each place; ties go to the longer. What overlaps a winner becomes its votes.

    Losers that reach beyond the winner are kept beside it, overlapping: refining cuts them.
    """
    ranked = sorted(candidates, key=_rank)
    kept: list[Mention] = []
    seen: dict[tuple[int, int, Label], int] = {}
    for candidate in ranked:
        mention = candidate.mention
        place = (mention.start, mention.end, mention.label)
        if candidate.strength < threshold or place in seen:
            continue
        seen[place] = len(kept)
        kept.append(replace(mention, score=min(candidate.strength, 1.0), votes=()))
    return _with_votes(kept, candidates)


def _rank(candidate: Candidate) -> tuple[float, int, int, str, str]:
    mention = candidate.mention
    return (-candidate.strength, mention.start - mention.end, mention.start, mention.label, candidate.annotator)


def _with_votes(mentions: Sequence[Mention], candidates: Sequence[Candidate]) -> list[Mention]:
    """Each mention with a vote of every annotator that spoke of some of its characters."""
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
                # Averaged taggers bring what each of them said.
                for vote in candidate.mention.votes or (own,):
                    old = votes.get((vote.annotator, vote.label))
                    if old is None or old.score < vote.score:
                        votes[vote.annotator, vote.label] = vote
        result.append(replace(mention, votes=tuple(sorted(votes.values()))))
    return result


def by_procedure(candidates: Sequence[Candidate], threshold: float) -> list[Mention]:
    """The decision procedure of Tchouka et al. 2022, section 3.4.3, character by character.

    Same tag from both sides: that tag. One side says O: the other's tag. Two different tags: the neural side's
    for PER, LOC and ORG, the rules' side's otherwise.
    """
    rules = by_weights([one for one in candidates if one.annotator not in NEURAL], threshold)
    neural = by_weights([one for one in candidates if one.annotator in NEURAL], threshold)
    preferred = [one for one in neural if one.label in CONTEXTUAL]
    order = [*preferred, *rules, *(one for one in neural if one.label not in CONTEXTUAL)]
    ranked = [replace(mention, score=mention.score) for mention in order]
    return _with_votes(_first_come(ranked), candidates)


def _first_come(mentions: Sequence[Mention]) -> list[Mention]:
    taken: list[Mention] = []
    for mention in mentions:
        at = bisect_left(taken, mention.start, key=lambda one: one.start)
        free_left = at == 0 or taken[at - 1].end <= mention.start
        if free_left and (at == len(taken) or mention.end <= taken[at].start):
            taken.insert(at, mention)
    return taken
