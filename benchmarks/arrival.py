"""Accuracy of guesses of date shifts from the period in which rows become visible, as Markdown tables.

    python -m benchmarks.arrival > benchmarks/arrival.md

The attacker reads `research.document` after each rewriting, and so knows the period in which each document arrived. The
attacker also knows how long documents of this hospital take from their own date to the warehouse, as a distribution,
and the law of the moves, and takes the likeliest one: of a patient, where one shift moves all dates (`tchouka2023`); of
a stay, where each has its own (`default`) and which documents share it is known. A stay of several days moves by whole
weeks, which is public, so fewer moves are possible. Bounds by the stage of life, which leave still fewer, are not used.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

import numpy as np

from deid.config.policy import DEFAULT, PERIODS, Visible, load
from deid.privacy.budget import rational
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream
from deid.reports.arrival import Lags, Seen, likeliest_shift, period_days
from deid.substitution.temporal.episodes import Episode
from demo.hospital import generate
from demo.hospital.model import Hospital

NIGHTS = 180
SECRET = bytes(range(32))
_REACH = 3_650  # days that a stay may move by, for the attacker
_IMPOSSIBLE = -1000.0


def main() -> None:
    """Print the page."""
    hospital = generate(2026, patients=600, documents=5000, nights=NIGHTS)
    patients: dict[str, list[Seen]] = defaultdict(list)
    stays: dict[str, list[Seen]] = defaultdict(list)
    for document in hospital.documents:
        if document.patient_id is not None:
            seen = (document.written_on.toordinal(), document.versions[0].night.toordinal())
            patients[document.patient_id].append(seen)
            stays[document.stay_id or document.document_id].append(seen)
    lags = Lags(Counter(arrived - written for seen in patients.values() for written, arrived in seen))
    print("# Arrival\n\nWritten by `python -m benchmarks.arrival`: its docstring says who attacks.")
    print(f"{sum(map(len, patients.values()))} documents of {len(patients)} patients over {NIGHTS} nights.\n")
    print(f"Found, of {len(patients)} patients under `tchouka2023`, whose dates move by one shift:\n")
    print(*_table("one shift for each patient", _shifts(patients, lags)), sep="\n")
    print(f"\nFound, of {len(stays)} stays under `default`, each of which has its own move:\n")
    print(*_table("a move for each stay", _moves(hospital, stays, lags)), sep="\n")


def _table(moved_by: str, errors: Mapping[Visible, Sequence[int]]) -> Iterator[str]:
    yield f"| Rows visible, {moved_by} | Exact | Within one day | Within a week |\n|---|---:|---:|---:|"
    for period, days in errors.items():
        shares = (sum(one <= most for one in days) / len(days) for most in (0, 1, 7))
        yield f"| {period} | " + " | ".join(f"{share:.0%}" for share in shares) + " |"


def _shifts(patients: Mapping[str, Sequence[Seen]], lags: Lags) -> dict[Visible, list[int]]:
    """Return, by period, how many days the likeliest shift of each patient is from the true one."""
    scale = load(DEFAULT.with_name("tchouka2023.yaml")).substitution.dates.anchor_scale_days
    errors: dict[Visible, list[int]] = {period: [] for period in PERIODS}
    for patient, seen in sorted(patients.items()):
        true = discrete_laplace(KeyedStream(SECRET, "arrival", patient), 1 / rational(scale))
        observed = [(written + true, arrived) for written, arrived in seen]
        for period, found in errors.items():
            found.append(abs(likeliest_shift(observed, lags, period, scale) - true))
    return errors


def _moves(hospital: Hospital, stays: Mapping[str, Sequence[Seen]], lags: Lags) -> dict[Visible, list[int]]:
    """Return, by period, how many days the likeliest move of each stay is from the true one."""
    dates = load().substitution.dates
    episodes = {one.stay_id: _episode(one.admitted_on, one.discharged_on) for one in hospital.stays}
    owners = {one.stay_id or one.document_id: one.patient_id or "" for one in hospital.documents}
    scales = dates.anchor_scale_days, 2 / dates.episode_epsilon
    errors: dict[Visible, list[int]] = {period: [] for period in PERIODS}
    for stay, seen in sorted(stays.items()):
        first = date.fromordinal(min(written for written, _ in seen))
        episode = episodes.get(stay, Episode(first, None, "weekday"))
        true = _drawn(owners[stay], stay, episode, scales)
        shown = [(written + true, arrived) for written, arrived in seen]
        here = Episode(date.fromordinal(episode.first.toordinal() + true), None, episode.keeps)
        possible = np.array([move for move in range(-_REACH, _REACH + 1) if here.allows(-move)])
        for period, found in errors.items():
            found.append(abs(likeliest_move(shown, lags, period, possible, scales) - true))
    return errors


def _episode(first: date, last: date) -> Episode:
    return Episode(first, last, "kind" if first == last else "weekday")


def _drawn(patient: str, stay: str, episode: Episode, scales: tuple[float, float]) -> int:
    shift = discrete_laplace(KeyedStream(SECRET, "arrival", patient), 1 / rational(scales[0]))
    stream = KeyedStream(SECRET, "arrival", patient, stay)
    while True:
        move = shift + discrete_laplace(stream, 1 / rational(scales[1]))
        if episode.allows(move) and abs(move) <= _REACH:
            return move


def likeliest_move(
    observed: Iterable[Seen], lags: Lags, period: Visible, moves: np.ndarray, scales: tuple[float, float]
) -> int:
    """Return the likeliest of the possible moves; of their law the tail counts, that of the wider noise."""
    scores = -np.abs(moves) / max(scales)
    for shown, arrived in observed:
        first, last = period_days(period, arrived)
        counts = lags.between(first - shown + moves, last - shown + moves)
        with np.errstate(divide="ignore"):
            scores = scores + np.where(counts > 0, np.log(counts / lags.total), _IMPOSSIBLE)
    return int(moves[int(np.argmax(scores))])


if __name__ == "__main__":
    main()
