"""Description of what a policy does to each label and published column: strategy, bound, scale and ε.

The rows of `research.perturbation`, in French. They state the policy; docs/privacy.md proves what ε means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from deid.config.generators import DEFAULT, LABEL_SETS
from deid.config.policy import Policy
from deid.domain import read_entries
from deid.domain.labels import CONTACT, OPTIONAL, TAGGED, Label
from deid.privacy import life_stages
from deid.privacy.budget import PLACE_COSTS, Counts, rational, shares, tempered


class Perturbation(NamedTuple):
    """Treatment of a label or column, or of one part.

    `scale` is the noise's, about its mean absolute value, `bound` a hard limit, both in `unit`. `epsilon` is in
    nats per `epsilon_per`; None where nothing is proven or where each document has its own.
    """

    element: str
    part: str
    strategy: str
    effect: str
    bound: float | None = None
    scale: float | None = None
    unit: str | None = None
    epsilon: float | None = None
    epsilon_per: str | None = None


_WORDS = read_entries("perturbations")
_UNITS: dict[str, str] = _WORDS["units"]
_DRAWN = {label: words for key, words in _WORDS["drawn"].items() for one in key.split() for label in LABEL_SETS[one]}


def describe_policy(policy: Policy) -> list[Perturbation]:
    """Return what a policy does, label by label, own type by own type, then column by column."""
    return [*_labels(policy), *_own_types(policy), *_columns(policy)]


def _labels(policy: Policy) -> Iterator[Perturbation]:
    words, chosen = _WORDS["labels"], policy.substitution.labels
    for label in (*TAGGED, *sorted(OPTIONAL)):
        choice = chosen.get(label)
        if choice is not None and choice.provider != DEFAULT:
            yield Perturbation(label, "", choice.provider, words["chosen"])
        elif label in (Label.DATE, Label.RELDATE):
            yield from _dates(policy, label)
        elif label is Label.AGE:
            yield from _ages(policy)
        elif label in (Label.CITY, Label.ZIP):
            yield _place(policy, label)
        elif label is Label.TIME:
            yield Perturbation(label, "", *_WORDS["times"][policy.substitution.times.strategy])
        elif (drawn := _DRAWN.get(label)) is None:
            yield Perturbation(label, "", "mask", words["mask"])
        else:
            marked = label in CONTACT and policy.substitution.hiding == "marked"
            yield Perturbation(label, "", DEFAULT, drawn + (words["marked"] if marked else ""))


def _own_types(policy: Policy) -> Iterator[Perturbation]:
    for name, own in policy.types.items():
        yield Perturbation(name, "", own.provider, _WORDS["labels"]["own"].format(label=own.label))


def _each(policy: Policy) -> tuple[Fraction | None, Fraction | None]:
    """Return ε of an element of time and of place; None where it depends on the document's number of elements."""
    if policy.substitution.split != "nominal":
        return None, None
    return shares(policy.substitution, Counts(1, 1))


def _row(element: str, strategy: str, key: str, **places: object) -> Perturbation:
    """Return a row of a date or an age in the words of a key, whose places are filled."""
    part, effect = _WORDS["ages" if element == Label.AGE else "dates"][key]
    return Perturbation(element, part.format_map(places), strategy, effect.format_map(places))


def _noise(row: Perturbation, unit: str, epsilon: Fraction | None, times: int = 1) -> Perturbation:
    """Return a row with noise whose weight is exp(−ε·d/`times`), hence of scale `times`/ε."""
    unit = _UNITS[unit]
    if epsilon is None:
        return row._replace(unit=unit)
    scale = float(times / tempered(epsilon))
    return row._replace(scale=scale, unit=unit, epsilon=float(epsilon), epsilon_per=unit)


def _shift(policy: Policy, element: str) -> Perturbation:
    dates = policy.substitution.dates
    return _noise(_row(element, dates.strategy, "shift"), "day", 1 / rational(dates.anchor_scale_days))


def _dates(policy: Policy, element: str) -> Iterator[Perturbation]:
    dates, (time, _) = policy.substitution.dates, _each(policy)
    name = dates.strategy
    if name in ("tag", "generalise", "uniform_shift"):
        row = _row(element, name, name, unit=_UNITS[dates.granularity])
        yield row if name != "uniform_shift" else row._replace(bound=dates.shift_max_days, unit=_UNITS["day"])
        return
    yield _shift(policy, element)
    if name == "bounded_laplace":
        row = _row(element, name, name)
        yield row._replace(unit=_UNITS["day"], epsilon=None if time is None else float(time), epsilon_per=row.part)
    elif name == "metric":
        yield from (_noise(_row(element, name, name, unit=_UNITS[unit]), unit, time) for unit in _UNITS)
    else:
        yield from _episodes(policy, element)


def _episodes(policy: Policy, element: str) -> Iterator[Perturbation]:
    dates = policy.substitution.dates
    moved = _row(element, "episodes", dates.moves, days_before=dates.days_before, days_after=dates.days_after)
    yield _noise(moved, "day", rational(dates.episode_epsilon), 2)
    for unit in _UNITS:
        if (told := dates.history_epsilon.get(unit)) is not None:
            yield _noise(_row(element, "episodes", "history", unit=_UNITS[unit]), unit, rational(told))
    yield _row(element, "kept", "kept")._replace(bound=dates.kept_days, unit=_UNITS["day"])


def _ages(policy: Policy) -> Iterator[Perturbation]:
    ages, (time, _) = policy.substitution.ages, _each(policy)
    name = ages.strategy
    if name != "tag":
        yield _row(Label.AGE, name, "top")._replace(bound=ages.top_code, unit=_WORDS["years"])
    if name == "stages":
        for since, rate in life_stages.birth_rates():
            yield _noise(_row(Label.AGE, name, "born_since" if since else "born", since=since), "day", rate)
        for stage, rate in life_stages.rates():
            yield _noise(_row(Label.AGE, name, "other", stage=stage), "month", rate)
        for unit in ("year", "month"):
            rate = rational(policy.substitution.dates.history_epsilon[unit])
            yield _noise(_row(Label.AGE, name, f"past_{unit}"), unit, rate)
        return
    row = _row(Label.AGE, name, name)
    if name == "generalise":
        row = row._replace(bound=ages.band_years, unit=_WORDS["years"])
    elif name != "tag":
        row = row._replace(epsilon=None if time is None else float(time), epsilon_per=_WORDS["epsilon_of_ages"][name])
    yield row


def _place(policy: Policy, element: str) -> Perturbation:
    places, (_, place) = policy.substitution.places, _each(policy)
    effect, per = _WORDS["places"][places.strategy]
    row = Perturbation(element, "", places.strategy, effect)
    if places.strategy == "tag":
        return row
    row = row._replace(
        epsilon=None if place is None else float(place * PLACE_COSTS.get(places.strategy, 1)), epsilon_per=per
    )
    if places.strategy == "knn_exponential":
        return row._replace(bound=places.radius_km, unit="km")
    if places.strategy == "geo_indistinguishability":
        scale = None if place is None else 2 * places.unit_km / float(place)
        return row._replace(scale=scale, unit="km", epsilon_per=f"{places.unit_km:g} km")
    return row


def _columns(policy: Policy) -> Iterator[Perturbation]:
    shown = policy.publication
    beside = {*shown.columns, *(["service"] if shown.services else []), *(["spans"] if shown.spans else [])}
    hidden = _WORDS["columns_beside"].keys() - beside
    if shown.stay == "drop":
        hidden |= {"stay_id", "visit_occurrence_id"}
    if shown.types != "warehouse":
        hidden |= {"loinc_code", "title"}
    told = _WORDS["columns"] | {"document_type": _WORDS["document_types"][shown.types]}

    def rows(columns: Mapping[str, Sequence[str]]) -> Iterator[Perturbation]:
        for name, words in columns.items():
            strategy, effect = _WORDS["hidden"] if name in hidden else words
            yield Perturbation(f"document.{name}", "", strategy, effect)

    yield from rows(told)
    yield from _reference_date(policy)
    yield from rows(_WORDS["columns_beside"])


def _reference_date(policy: Policy) -> Iterator[Perturbation]:
    """Yield what is done to a document's own date, which is published even where dates in the text are tags."""
    element, dates = "document.reference_date", policy.substitution.dates
    if dates.strategy in ("generalise", "uniform_shift"):
        yield from _dates(policy, element)
        return
    yield _shift(policy, element)
    if dates.strategy == "episodes":
        yield next(_episodes(policy, element))
    elif dates.document_date == "metric":
        yield _noise(_row(element, "metric", "document"), "day", _each(policy)[0])
