"""Findings of a study as one page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isinf, sqrt

from nocturne_lab.evaluation.attacks.reidentification import Linkage, Source
from nocturne_lab.evaluation.attacks.study import DateRow, Study
from nocturne_lab.evaluation.attacks.usefulness import PROFILE_KEPT
from nocturne_lab.evaluation.audit import Audit
from nocturne_lab.evaluation.score_tables import markdown

KNOWN = (1, 2, 3, 5)


def study_page(found: Study, plots: Sequence[str] = ()) -> str:
    """Return the page; `plots` are the names of files beside it, by the order of `plots.NAMES`."""
    first = found.dates[0].sequences
    targets = [one.targets for one in found.dates[0].linkages]
    parts = [
        "# What an attacker gets, beside what research keeps",
        "Written by `python -m benchmarks.privacy_attacks` (`make attacks`): the same figures on every machine. "
        f"{found.patients} synthetic patients, {found.documents} documents, true mentions, so that detection plays no "
        "role. The attacker reads the published texts, has the code and the policy, and lacks the key. "
        "ε is that of one element; 0.25 as shipped. What it means: `docs/privacy.md`.",
        *(f"![{name}]({name})" for name in plots),
        "## Privacy × utility of dates",
        f"Moved copy: share of the {first.documents} documents with three dates or more ({first.without} have fewer) "
        "whose published dates are a moved copy of the true ones of one patient, the right one (Tchouka et al. 2022: "
        f"98 % under a uniform shift; true sequences unique here: {_share(first.unique)}). Nearest: the same where "
        f"the attacker forgives noise (chance: {_share(first.chance)}). Error: mean days between true and published "
        "date, and between their distances to the document's date. Terms: S, M, L of the article (61, 660, 36,000 "
        "days). Stays: those told by both ends whose class (0, 1–2, 3–7, 8–14, 15 nights and more) is kept. Lengths: "
        "kept to the day, so that a duration in words beside them would agree. A uniform shift is given the error of "
        "another strategy by moving every patient by exactly so many days; that leaves the attacker only the sign to "
        "guess, which known dates profit from. Between documents: mean days that the interval between a patient's "
        "successive documents changed by; in order: share of those that are still in their order, and not of one day; "
        "swapped: share of all pairs of a patient's documents of two days, successive or not, that are the other way "
        "round. Strategies move the documents' own dates by the patient's shift alone unless `document_date: metric` "
        "is said.",
        markdown(
            ("strategy", "ε", "moved copy", "nearest", "3 known dates: top 1", "error", "from document", "terms",
             "stays", "lengths", "between documents", "in order", "swapped"),
            [_date_line(row) for row in found.dates],
        ),
        "## Known dates",
        "Share of patients ranked first, and among the first ten, by likelihood. In the text: dates told in the texts, "
        "of the last three years. Of documents: the documents' own dates, which are only shifted but under "
        f"`generalise` and `document_date: metric` "
        f"({_share(found.dates[0].kept.own_date_stated)} of the texts say theirs). Chance: "
        f"{_share(found.dates[0].linkages[0].chance_1)} and "
        f"{_share(found.dates[0].linkages[0].chance_10)}; each cell is over {min(targets)} to {max(targets)} patients, "
        f"so a share near one half is known to ± {_points(max(targets))} to {_points(min(targets))} points (95 %).",
        _linkages(found.dates, "text", "in the text"),
        _linkages(found.dates, "document", "of documents"),
        "## Averaging",
        "Mean days between a true date and the mean of its surrogates in n documents, at ε = 0.25; in brackets, for "
        "who knows the patient's shift.",
        markdown(
            ("strategy", "scope", *(f"n = {one.documents}" for one in found.averages[0].points)),
            [
                (row.strategy, row.scope, *(f"{one.error:.1f} ({one.alone:.1f})" for one in row.points))
                for row in found.averages
            ],
        ),
        "## Communes",
        f"Departments {', '.join(found.departments)}; the attacker's prior is population. Candidates: communes that "
        "could have given a surrogate; crowd: those that hold 95 % of the posterior. Guess: chance that his best guess "
        "is right, without and with the surrogate; truth: mean posterior of the true commune. Kept: share of patients' "
        f"addresses whose health profile is within {PROFILE_KEPT} (range [0, √5]) of the true one; ε = 0 is a uniform "
        "draw. ε counts per unit of profile, for `geo_indistinguishability` per kilometre.",
        markdown(
            ("strategy", "ε", "candidates", "crowd", "guess before", "guess", "truth", "kept", "distance", "km"),
            [
                (
                    row.posterior.strategy, f"{row.posterior.epsilon:g}", f"{row.posterior.candidates:.0f}",
                    f"{row.posterior.crowd:.0f}", _share(row.posterior.guess_before), _share(row.posterior.guess),
                    _share(row.posterior.mean), _share(row.kept.kept), f"{row.kept.distance:.3f}",
                    f"{row.posterior.km:.0f}",
                )
                for row in found.places
            ],
        ),
        "## Averaging communes",
        f"One commune in each of n documents of {found.commune_averages[0].points[0].patients} patients; the attacker "
        "knows the law of a draw, which may give the original, and which draws are independent. Best guess right / "
        "mean posterior of the truth. A value is drawn once per scope and ε: under `split: uniform` documents of 1, 2, "
        "3 and 4 elements have four ε, and four draws; under `scope: document` each document has its own.",
        markdown(
            ("strategy", "ε", "scope", "split",
             *(f"n = {one.documents}" for one in found.commune_averages[0].points), "surrogates at the last"),
            [
                (
                    row.strategy, "4 / elements" if row.split == "uniform" else f"{row.epsilon:g}", row.scope,
                    row.split,
                    *(f"{_share(one.guess)} / {_share(one.truth)}" for one in row.points),
                    f"{row.points[-1].surrogates:.1f}",
                )
                for row in found.commune_averages
            ],
        ),
        "The patients' homes as the hospital's documents name them (two documents or more): a draw whose name a "
        "document hides elsewhere is skipped there, which gives a second surrogate.",
        markdown(
            ("scope", "patients", "surrogates of each home", "with several"),
            [
                (row.scope, str(row.patients), f"{row.surrogates:.2f}", _share(row.several))
                for row in found.surrogates_per_patient
            ],
        ),
        "## Surnames by frequency",
        "The attacker knows in how many documents each surname stands, and lines ranks up. Matched: share of true "
        "surnames whose rank holds a surrogate of theirs; of the 20 most frequent.",
        markdown(
            ("surnames of", "scope", "surnames", "surrogates of each", "matched", "of the 20 first", "chance"),
            [
                (
                    row.whose, row.scope, str(row.surnames), f"{row.surrogates:.1f}", _share(row.matched),
                    _share(row.matched_most), _share(row.chance),
                )
                for row in found.surnames
            ],
        ),
        "A name is drawn within its crowd: of its frequency, and of the origin that it reads as. Over "
        f"{found.band.surnames:,} surnames in {found.band.bands} crowds, the best guess of who has national "
        f"frequencies is right for {found.band.guess:.2%} of people with the crowd, {found.band.guess_before:.2%} "
        f"without; the smallest crowd is drawn for {found.band.crowd_least} surnames.",
        "## ε measured",
        f"Published texts, {found.published[0].draws:,} patients per input; mechanisms, {found.draws:,} draws per "
        "input (`make audit`: a million). A lower bound above the claim refutes it; below, it proves nothing.",
        markdown(
            ("what", "neighbours", "ε claimed", "ε at least", "verdict"),
            map(_audit_line, (*found.published, *found.mechanisms)),
        ),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _date_line(row: DateRow) -> Sequence[str]:
    kept = row.kept
    linked = _of(row.linkages, "text", 3)
    return (
        row.name, _epsilon(row.epsilon), _share(row.sequences.exact), _share(row.sequences.nearest),
        "–" if linked is None else _share(linked.top_1), _days(kept.error), _days(kept.from_document),
        _share(kept.terms), _share(kept.stays), _share(kept.lengths), f"{kept.between_documents:.1f}",
        _share(kept.in_order), _share(kept.swapped),
    )  # fmt: skip


def _linkages(rows: Iterable[DateRow], source: Source, words: str) -> str:
    lines = []
    for row in rows:
        cells = [_of(row.linkages, source, known) for known in KNOWN]
        shares = ("–" if one is None else f"{_share(one.top_1)} / {_share(one.top_10)}" for one in cells)
        lines.append((row.name, _epsilon(row.epsilon), *shares))
    return markdown((f"{words}: first / first ten", "ε", *(f"k = {known}" for known in KNOWN)), lines)


def _of(linkages: Iterable[Linkage], source: Source, known: int) -> Linkage | None:
    return next((one for one in linkages if (one.source, one.known) == (source, known)), None)


def _audit_line(found: Audit) -> Sequence[str]:
    claimed = "none" if isinf(found.claimed) else f"{found.claimed:.3f}"
    verdict = "no claim" if isinf(found.claimed) else "REFUTED" if found.refuted else "not refuted"
    return found.mechanism, found.inputs, claimed, f"{found.lower:.3f}", verdict


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _points(patients: int) -> int:
    """Return half the width of the normal 95 % interval of a share of one half, in points."""
    return round(98 / sqrt(patients))


def _days(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _epsilon(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
