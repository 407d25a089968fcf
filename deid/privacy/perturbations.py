"""Description of what a policy does to each label and published column: strategy, bound, scale and ε.

The rows of `research.perturbation`, in French. They state the policy; docs/privacy.md proves what ε means.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from deid.config.generators import DEFAULT
from deid.config.policy import Policy
from deid.domain.labels import CONTACT, IDENTIFIERS, NAMES, OPTIONAL, TAGGED, Label
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


_FRENCH = {
    "day": "jour", "week": "semaine", "month": "mois", "quarter": "trimestre", "season": "saison",
    "semester": "semestre", "year": "année", "decade": "décennie",
}  # fmt: skip
_DRAWN: dict[Label, str] = {
    **dict.fromkeys(NAMES, "autre nom, de mêmes genre et origine apparente, de fréquence voisine, d'autre initiale"),
    Label.STREET: "autre voie, de la commune de substitution quand elle en a",
    Label.LOC: "autre lieu, qui suit la commune de substitution",
    Label.ORG: "autre organisation du même genre, dans la commune de substitution",
    Label.PHONE: "autre numéro",
    **dict.fromkeys((Label.EMAIL, Label.URL), "autre adresse, d'après les noms de substitution"),
    **dict.fromkeys(IDENTIFIERS, "autres chiffres et lettres, de même forme"),
    Label.NIR: "autre numéro, à clé juste, d'après la naissance et la commune de substitution",
}
_TIMES = {
    "keep": ("keep", "laissée telle quelle"),
    "hour": ("generalise", "écrite à l'heure, sans minutes ni secondes"),
    "part_of_day": ("generalise", "remplacée par la partie de la journée : nuit, matin, après-midi ou soir"),
    "drop": ("tag", "remplacée par son étiquette"),
}
_PSEUDONYM = "HMAC-SHA-256 de l'identifiant source sous le secret de l'hôpital"
_INTEGER = "53 bits d'un condensé du pseudonyme"
_HIDDEN = ("null", "non publié par cette politique")
_KEPT = ("kept", "comme dans l'entrepôt")
_CLASSES = ("generalise", "classe que la politique donne au type ou à son code LOINC")
_TITLE = ("kept", "gardé si rien d'identifiant n'y a été trouvé, sinon null")


def describe_policy(policy: Policy) -> list[Perturbation]:
    """Return what a policy does, label by label, own type by own type, then column by column."""
    return [*_labels(policy), *_own_types(policy), *_columns(policy)]


def _labels(policy: Policy) -> Iterator[Perturbation]:
    chosen = policy.substitution.labels
    for label in (*TAGGED, *sorted(OPTIONAL)):
        choice = chosen.get(label)
        if choice is not None and choice.provider != DEFAULT:
            yield Perturbation(label, "", choice.provider, "substitut choisi par la politique (substitution.labels)")
        elif label in (Label.DATE, Label.RELDATE):
            yield from _dates(policy, label)
        elif label is Label.AGE:
            yield from _ages(policy)
        elif label in (Label.CITY, Label.ZIP):
            yield _place(policy, label)
        elif label is Label.TIME:
            times = policy.substitution.times.strategy
            yield Perturbation(label, "", *_TIMES[times])
        elif label in OPTIONAL and label not in _DRAWN:
            yield Perturbation(label, "", "mask", "masqué, là où un annotateur de la politique le trouve")
        else:
            marked = label in CONTACT and policy.substitution.hiding == "marked"
            yield Perturbation(label, "", DEFAULT, _DRAWN[label] + (", que personne n'a" if marked else ""))


def _own_types(policy: Policy) -> Iterator[Perturbation]:
    for name, own in policy.types.items():
        yield Perturbation(name, "", own.provider, f"type propre à l'hôpital, étiquette de base {own.label}")


def _each(policy: Policy) -> tuple[Fraction | None, Fraction | None]:
    """Return ε of an element of time and of place; None where it depends on the document's number of elements."""
    if policy.substitution.split != "nominal":
        return None, None
    return shares(policy.substitution, Counts(1, 1))


def _noise(
    element: str, part: str, strategy: str, effect: str, unit: str, epsilon: Fraction | None, times: int = 1
) -> Perturbation:
    """Return a row of noise whose weight is exp(−ε·d/`times`), hence of scale `times`/ε."""
    if epsilon is None:
        return Perturbation(element, part, strategy, effect, unit=unit)
    drawn = tempered(epsilon)
    return Perturbation(element, part, strategy, effect, None, float(times / drawn), unit, float(epsilon), unit)


def _shift(policy: Policy, element: str) -> Perturbation:
    rate = 1 / rational(policy.substitution.dates.anchor_scale_days)
    effect = "toutes les dates du patient sont déplacées du même nombre de jours"
    return _noise(element, "décalage du patient", policy.substitution.dates.strategy, effect, "jour", rate)


def _dates(policy: Policy, element: str) -> Iterator[Perturbation]:
    dates, (time, _) = policy.substitution.dates, _each(policy)
    name = dates.strategy
    if name == "tag":
        yield Perturbation(element, "", name, "remplacée par son étiquette")
        return
    if name == "generalise":
        said = "mois" if dates.granularity == "month" else "année"
        yield Perturbation(element, "", name, f"un jour devient son {said}, une date plus vague l'unité au-dessus")
        return
    if name == "uniform_shift":
        effect = "toutes les dates du patient sont déplacées du même nombre de jours ; rien n'est prouvé"
        yield Perturbation(element, "", name, effect, dates.shift_max_days, None, "jour")
        return
    yield _shift(policy, element)
    if name == "bounded_laplace":
        effect = "l'intervalle jusqu'à la date voisine est tiré sur une classe de 61, 660 ou 36 000 jours"
        epsilon = None if time is None else float(time)
        yield Perturbation(element, "intervalle", name, effect, None, None, "jour", epsilon, "intervalle")
    elif name == "metric":
        for unit in _FRENCH:
            yield _noise(element, _FRENCH[unit], name, "bruit propre, dans l'unité de la date", _FRENCH[unit], time)
    else:
        yield from _episodes(policy, element)


def _episodes(policy: Policy, element: str) -> Iterator[Perturbation]:
    dates = policy.substitution.dates
    rate = rational(dates.episode_epsilon)
    if dates.moves == "day":
        yield _noise(element, "jour", "episodes", "chaque jour est déplacé pour lui-même", "jour", rate, 2)
    else:
        effect = (
            f"les dates d'un séjour, de {dates.days_before} jours avant à {dates.days_after} jours après, sont "
            "déplacées ensemble, par semaines entières, et de même celles que le texte dit proches hors du séjour ; "
            "durées et jours de semaine restent"
        )
        yield _noise(element, "séjour", "episodes", effect, "jour", rate, 2)
    for unit in _FRENCH:
        if (told := dates.history_epsilon.get(unit)) is not None:
            effect = "dit seul, hors du séjour : bruit propre, en plus du décalage du patient"
            yield _noise(element, _FRENCH[unit], "episodes", effect, _FRENCH[unit], rational(told))
    effect = "une durée jusqu'à cette limite (« il y a trois semaines ») reste telle quelle"
    yield Perturbation(element, "distance courte", "kept", effect, dates.kept_days, None, "jour")


def _ages(policy: Policy) -> Iterator[Perturbation]:
    ages, (time, _) = policy.substitution.ages, _each(policy)
    name = ages.strategy
    if name == "tag":
        yield Perturbation(Label.AGE, "", name, "remplacé par son étiquette")
        return
    effect = "à partir de cet âge, seul l'âge limite est écrit"
    yield Perturbation(Label.AGE, "plafond", name, effect, ages.top_code, None, "an")
    if name == "generalise":
        yield Perturbation(Label.AGE, "", name, "remplacé par sa tranche", ages.band_years, None, "an")
    elif name == "stages":
        effect = "la naissance est déplacée avec le patient et d'un bruit propre ; l'âge en est recalculé"
        for since, rate in life_stages.birth_rates():
            born = f"patient né depuis {since}" if since else "autre patient"
            yield _noise(Label.AGE, born, name, effect, "jour", rate)
        for named, rate in life_stages.rates():
            effect = "âge d'une autre personne : tiré dans cette classe, qui reste"
            yield _noise(Label.AGE, f"autre personne, {named}", name, effect, "mois", rate, 2)
        effect = "âge du patient à un autre moment (« à 65 ans ») : tiré dans sa classe, qui reste"
        for unit, plural in (("year", "années"), ("month", "mois")):
            rate = rational(policy.substitution.dates.history_epsilon[unit])
            yield _noise(Label.AGE, f"autre moment, en {plural}", name, effect, _FRENCH[unit], rate, 2)
    else:
        unit = "unité où il est dit" if name == "metric" else "âge"
        effect = "bruit propre" if name == "metric" else "tiré sur tous les âges, sauf l'original"
        epsilon = None if time is None else float(time)
        yield Perturbation(Label.AGE, "", name, effect, None, None, None, epsilon, unit)


_PLACES = {
    "health_exponential": ("commune tirée dans une strate publique, l'original compris", "unité de profil"),
    "knn_exponential": ("commune tirée parmi les plus proches par le profil", "unité de profil"),
    "geo_indistinguishability": ("commune la plus proche d'un point déplacé au hasard", "unité de distance"),
}


def _place(policy: Policy, element: str) -> Perturbation:
    places, (_, place) = policy.substitution.places, _each(policy)
    if places.strategy == "tag":
        return Perturbation(element, "", "tag", "remplacé par son étiquette")
    effect, per = _PLACES[places.strategy]
    epsilon = None if place is None else float(place * PLACE_COSTS.get(places.strategy, 1))
    bound: float | None = None
    scale: float | None = None
    unit: str | None = None
    if places.strategy == "knn_exponential":
        bound, unit = places.radius_km, "km"
    elif places.strategy == "geo_indistinguishability":
        per, unit = f"{places.unit_km:g} km", "km"
        scale = None if place is None else 2 * places.unit_km / float(place)
    return Perturbation(element, "", places.strategy, effect, bound, scale, unit, epsilon, per)


def _columns(policy: Policy) -> Iterator[Perturbation]:
    shown = policy.publication
    pseudonym, integer = ("pseudonym", _PSEUDONYM), ("pseudonym", _INTEGER)
    told: dict[str, tuple[str, str]] = {
        "document_id": pseudonym,
        "patient_id": pseudonym,
        "stay_id": _HIDDEN if shown.stay == "drop" else pseudonym,
        "note_id": integer,
        "person_id": integer,
        "visit_occurrence_id": _HIDDEN if shown.stay == "drop" else integer,
        "document_type": {"warehouse": _KEPT, "classes": _CLASSES, "drop": _HIDDEN}[shown.types],
        "loinc_code": _KEPT if shown.types == "warehouse" else _HIDDEN,
        "title": _TITLE if shown.types == "warehouse" else _HIDDEN,
        **dict.fromkeys(
            ("text", "markup", "file"), ("labels", "chaque élément trouvé est remplacé selon son étiquette")
        ),
        "visible_from": ("month", "mois réel où la version est devenue lisible"),
    }
    for name, (strategy, effect) in told.items():
        yield Perturbation(f"document.{name}", "", strategy, effect)
    yield from _reference_date(policy)
    beside = {
        "sex": ("kept", "comme dans l'entrepôt"),
        "age_class": ("generalise", "classe de l'âge selon la naissance et la date de substitution"),
        "birth_year": ("generalise", "année de la naissance de substitution, si le texte dit naissance ou âge"),
    }
    for name, (strategy, effect) in beside.items():
        chosen = (strategy, effect) if name in shown.columns else _HIDDEN
        yield Perturbation(f"document.{name}", "", *chosen)
    categories = ("generalise", "catégorie que la politique donne au code du service")
    yield Perturbation("document.service", "", *(categories if shown.services else _HIDDEN))
    places = ("kept", "place des substituts dans le texte publié")
    yield Perturbation("document.spans", "", *(places if shown.spans else _HIDDEN))


def _reference_date(policy: Policy) -> Iterator[Perturbation]:
    """Yield what is done to a document's own date, which is published even where dates in the text are tags."""
    element, dates = "document.reference_date", policy.substitution.dates
    if dates.strategy in ("generalise", "uniform_shift"):
        yield from _dates(policy, element)
        return
    yield _shift(policy, element)
    if dates.strategy == "episodes":
        yield from (one for one in _episodes(policy, element) if one.part in ("séjour", "jour"))
    elif dates.document_date == "metric":
        time, _ = _each(policy)
        yield _noise(element, "jour", "metric", "bruit propre au document", "jour", time)
