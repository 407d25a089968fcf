"""Privacy loss of one sentence: Mr Durand of Tchouka et al. 2023, by the shipped code and tables.

The figures are explanations and take no part in a draw, hence floats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from math import exp

from deid.config.policy import Policy
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.privacy.budget import Counts, shares
from deid.reference import CommuneTable
from deid.substitution.substitutor import Substitutor
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.stages import epsilon_of, folded, same_stage, stage_of
from deid.substitution.temporal.values import Unit

TEXT = (
    "M. Durand, né à Dijon, 40 ans, a été admis à l'hôpital du 12/02/2020 au 26 février 2020 à la suite d'un accident "
    "de la route à Dijon."
)
_MARKS = (
    *((Label.PATIENT, "Durand"), (Label.CITY, "Dijon"), (Label.AGE, "40 ans"), (Label.DATE, "12/02/2020")),
    *((Label.DATE, "26 février 2020"), (Label.CITY, "Dijon")),
)
_WRITTEN_ON = date(2020, 3, 2)
_CITY = "21231"
_CATEGORIES = {"anchor": "décalage du patient", "date": "dates du séjour", "age": "âge", "place": "ville"}
_SPLITS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "`nominal` (livré)": ("nominal", {}),
    "`uniform`": ("uniform", {}),
    "`weighted`, 3 pour 1": ("weighted", {"time": 3.0, "place": 1.0}),
    "`weighted`, 1 pour 1": ("weighted", {"time": 1.0, "place": 1.0}),
}
_DAYS = (1, 2, 7, 14, 30)
_SHARE = 0.95
_AGE = 40
_LONGEST = 7_300  # days beyond which nothing is left of the laws


def example_tables(policy: Policy, communes: CommuneTable) -> dict[str, str]:
    """Return Markdown tables in French by name: spent, days, noise, city, account, for the ε of `policy`.

    The split and its weights are the table's own, whatever `policy.substitution`; dates, ages and places are taken to
    be drawn by the strategies that ship.
    """
    dates = policy.substitution.dates
    stay = dates.episode_epsilon + 1 / dates.anchor_scale_days  # both draws tell of the day of a stay
    return {
        "spent": _table(["répartition", *_CATEGORIES.values(), "le document"], _spent(policy, communes)),
        "days": _table(["deux séjours à", "rapport au plus", "certitude au plus, partie de 50 %"], _days(stay)),
        "noise": _table(["valeur", "ε", "écart moyen", "19 fois sur 20, au plus"], _noise(policy)),
        "city": _table(
            ["ε de la ville", "communes possibles", "la plus probable", "la moins probable"], _city(policy, communes)
        ),
        "account": _table(["documents comme celui-ci", "ε du patient, au plus"], _account(policy, communes)),
    }


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _said(number: float, digits: int = 2) -> str:
    """Return a number in French notation, without trailing zeros."""
    text = f"{number:,.{digits}f}".replace(",", "\N{NO-BREAK SPACE}").replace(".", ",")
    return text.rstrip("0").rstrip(",") if "," in text else text


def _percent(share: float) -> str:
    return f"{_said(100 * share, 1)} %"


def _document() -> tuple[Document, list[Mention]]:
    mentions, end = [], 0
    for label, text in _MARKS:
        start = TEXT.index(text, end)
        end = start + len(text)
        mentions.append(Mention(start, end, label))
    return Document("durand", TEXT, Patient(key="durand"), _WRITTEN_ON), mentions


def _ledger(policy: Policy, communes: CommuneTable, **split: object) -> dict[str, float]:
    """Return the ledger lines of the document under a split: the ε spent by category."""
    part = policy.substitution.model_copy(update=split)
    # The key determines the draws, not their ε.
    substitutor = Substitutor(policy.model_copy(update={"substitution": part}), b"worked example", communes)
    return {line.category: line.epsilon for line in substitutor.substitute(*_document()).spends}


def _spent(policy: Policy, communes: CommuneTable) -> Iterator[Sequence[str]]:
    for name, (split, weights) in _SPLITS.items():
        lines = _ledger(policy, communes, split=split, weights=weights)
        cells = [_said(lines.get(category, 0.0)) for category in _CATEGORIES]
        yield name, *cells, _said(sum(lines.values()))


def _days(epsilon: float) -> Iterator[Sequence[str]]:
    for days in _DAYS:
        ratio = exp(epsilon * days)
        unit = "jour" if days == 1 else "jours"
        yield f"{days} {unit}", f"{_said(ratio)} fois", _percent(ratio / (1 + ratio))


def _noise(policy: Policy) -> Iterator[Sequence[str]]:
    dates = policy.substitution.dates
    shift = 1 / dates.anchor_scale_days
    # The exponential mechanism weighs days by half of its ε (`deid.substitution.temporal.episodes`).
    for value, each, rate in (
        ("12/02/2020 : bruit propre au séjour", dates.episode_epsilon, dates.episode_epsilon / 2),
        ("12/02/2020 : décalage commun aux documents du patient", shift, shift),
    ):
        days = range(-_LONGEST, _LONGEST + 1)
        yield value, f"{_said(each, 4)} par jour", *_spread({day: exp(-rate * abs(day)) for day in days}, "jours")
    age = Age(Unit.YEAR, _AGE, "figures", "")
    monthly = float(epsilon_of(stage_of(age)))
    years: dict[int, float] = defaultdict(float)
    for noise in range(-_LONGEST, _LONGEST + 1):
        moved = folded(same_stage(Unit.YEAR, 1, stage_of(age)), _AGE + noise) - _AGE
        years[moved] += exp(-12 * monthly * abs(noise))
    yield f"{_AGE} ans", f"{_said(12 * monthly)} par an", *_spread(years, "ans")


def _spread(weights: Mapping[int, float], unit: str) -> tuple[str, str]:
    """Return the mean move of a law, and the least move that 19 draws in 20 stay within."""
    total = sum(weights.values())
    mean = sum(abs(move) * weight for move, weight in weights.items()) / total
    most = next(
        far
        for far in range(max(map(abs, weights)) + 1)
        if sum(weight for move, weight in weights.items() if abs(move) <= far) >= _SHARE * total
    )
    return f"{_said(mean, 1)} {unit}", f"{most} {unit}"


def _city(policy: Policy, communes: CommuneTable) -> Iterator[Sequence[str]]:
    true = communes.get(_CITY)
    if true is None:
        raise LookupError("the commune of the example is not in the table")
    members = [one for one in communes.territory(true) if one != true]
    nominal = float(shares(policy.substitution, Counts(3, 1)).place)
    for epsilon in (nominal, 1.0, 4.0, 16.0):
        distances = [communes.distance(true, one, policy.substitution.places.features) / 1_000_000 for one in members]
        weights = [exp(-epsilon * distance / 2) for distance in distances]
        yield _said(epsilon), str(len(members)), *(_percent(f(weights) / sum(weights)) for f in (max, min))


def _account(policy: Policy, communes: CommuneTable) -> Iterator[Sequence[str]]:
    each = sum(_ledger(policy, communes).values())
    for documents in (1, 10, 50):
        yield str(documents), _said(documents * each)
