"""The annex of a release for the data protection officer: French Markdown of this release's own figures.

Singling out, linkability and inference (opinion WP216 of the Article 29 Working Party), then verdicts, quarantine,
opt-outs, versions and decisions. Counts and quantiles: no text, no id of a patient or document. It is read in the
hospital: small groups are counted as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from deid.config.generators import DEFAULT
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from deid.quality.checks import REQUIREMENTS
from deid.reports.arrival import LEAST_LAGS, relative_lags, simulate
from deid.reports.charts import quantiles
from deid.reports.figures import Figures, gather, policy_content, read_rows
from deid.reports.numbers import Writer
from deid.reports.view import label_names
from deid.warehouse.connection import open_cursor

_W = Writer("fr")
_GROUPS = {
    "type": "type de document et code LOINC",
    "month": "type, code et mois de la date publiée",
    "day": "type, code et jour de la date publiée",
}
_PERIODS = {"nightly": "chaque nuit", "weekly": "chaque semaine", "monthly": "chaque mois"}
_CHOICES = {"approve": "approuvée", "reject": "rejetée", "rework": "renvoyée en traitement", "auto": "automatique"}
# Category of the ledger under which the ε of a label stands; the others are drawn outright or masked.
_CATEGORIES: Mapping[str, str] = {
    Label.DATE: "date",
    Label.RELDATE: "date",
    Label.AGE: "age",
    Label.CITY: "place",
    Label.ZIP: "place",
}


def gather_annex(interval_key: str) -> Figures:
    """Return the annex's figures: those of the report, and those of published rows, read as the publisher.

    Raises:
        InputRefused: nothing of this interval is published.
        WarehouseUnreachable, WarehouseError: they could not be read.
    """
    figures = gather(interval_key, "held")
    with open_cursor("publisher", "nocturne annex", readonly=True) as cursor:
        part = {
            name: read_rows(cursor, name, table="annex", interval_key=interval_key)
            for name in ("made_by", "groups", "patients", "epsilon_patients", "decisions", "opt_outs")
        }
        if not part["made_by"]:
            raise InputRefused(
                f"nothing of {interval_key} is published.", "Publish it first, or take another interval."
            )
        policy = policy_content(cursor, part["made_by"][-1]["policy_hash"])
        part["signature"] = read_rows(cursor, "signature", table="annex")
        arrivals = _arrivals(read_rows(cursor, "arrivals", table="annex", interval_key=interval_key))
    return {**figures, **part, "policy": policy, "arrival": _arrival(arrivals, policy, interval_key)}


def write_annex(figures: Figures) -> str:
    """Return the page."""
    sections = (_identity, _singling_out, _linkability, _inference, _quality, _opt_outs, _signatures, _limits)
    return "\n".join(line for section in sections for line in (*section(figures), ""))


def _arrivals(rows: Sequence[dict[str, Any]]) -> list[list[tuple[int, int]]]:
    """Return published day and day of arrival (ordinals) of each document, by patient."""
    return [
        [(row["reference_date"].toordinal(), row["arrived"].toordinal()) for row in documents]
        for _, documents in groupby(rows, key=lambda row: row["patient_id"])
    ]


def _arrival(patients: Sequence[Sequence[tuple[int, int]]], policy: Any, seed: str) -> dict[str, Any] | None:
    """Return the success of the attack by period on this rhythm; None with too few lags, or without a policy."""
    lags = relative_lags(patients)
    if policy is None or lags.total() < LEAST_LAGS:
        return None
    scale = float(policy["substitution"]["dates"]["anchor_scale_days"])
    exact = simulate([[arrived for _, arrived in seen] for seen in patients], lags, scale, seed)
    return {"patients": len(patients), "lags": lags.total(), "scale": scale, "exact": exact}


# ---- Sections
def _identity(figures: Figures) -> Iterable[str]:
    head = figures["headline"]
    yield f"# Annexe pour le délégué à la protection des données : publication {figures['interval']['key']}"
    yield ""
    yield (
        "Écrite par `python -m deid dpo-annex` à partir du registre et des lignes publiées ; complète "
        "`docs/fr/dossier-dpo.md`. Des comptes seulement : ni texte, ni identifiant de patient ou de document. Les "
        "petits effectifs sont donnés tels quels : document interne, à ne pas diffuser aux chercheurs."
    )
    yield ""
    yield from _table(
        ("Élément", "Valeur"),
        [
            ("Établie le", _W.instant(figures["generated_at"])),
            ("Publiée le", _W.instant(head["published_at"]) if head["published_at"] else "–"),
            ("Documents vus / publiés", f"{_n(head['seen'])} / {_n(head['published'])}"),
            ("En quarantaine / retirés", f"{_n(head['quarantined'])} / {_n(head['withdrawn'])}"),
            ("Patients de la publication", _n(len(figures["patients"]))),
        ],
    )
    yield ""
    yield from _table(
        ("Passage", "Politique", "Détecteur", "Clé", "Empreinte de la clé"),
        [
            (v["run_id"], v["policy_hash"], v["detector_version"], f"version {v['key_version']}", v["key_fingerprint"])
            for v in figures["made_by"]
        ],
    )
    used = ", ".join(f"{name} {version}" for name, version in figures["versions"]["references"].items())
    yield ""
    yield f"Référentiels : {used or 'ceux qui sont livrés avec le produit'}."


def _singling_out(figures: Figures) -> Iterable[str]:
    yield "## 1. Individualisation"
    yield ""
    yield (
        "Taille, en patients, du groupe auquel appartient chaque document de cette publication parmi tout ce qui est "
        "publié, d'après les colonnes publiées. Les dates sont les dates déplacées. Le texte lui-même n'est pas une "
        "colonne : une histoire racontée peut isoler une personne, quelle que soit la taille du groupe."
    )
    yield ""
    by_name = {row["combination"]: row for row in figures["groups"]}
    yield from _table(
        ("Colonnes connues de l'attaquant", "Seul patient", "Moins de 5", "Moins de 11", "Plus petit groupe"),
        [
            (
                words,
                *(_of(by_name[name][size], by_name[name]["documents"]) for size in ("alone", "under_5", "under_11")),
                _n(by_name[name]["least"]),
            )
            for name, words in _GROUPS.items()
        ],
    )


def _linkability(figures: Figures) -> Iterable[str]:
    patients = figures["patients"]
    total = [row["everywhere"] for row in patients]
    found = quantiles(total)
    yield "## 2. Corrélation"
    yield ""
    yield (
        "Les documents d'un patient portent un même pseudonyme : ils sont reliés entre eux par construction. Plus un "
        "pseudonyme a de documents, plus des dates connues par ailleurs suffisent à le retrouver."
    )
    yield ""
    yield from _table(
        ("Documents publiés par pseudonyme", "Valeur"),
        [
            ("Médiane / 95 % / maximum", " / ".join(_n(found[name]) for name in ("p50", "p95", "max"))),
            (
                "Pseudonymes qui ont aussi des documents d'autres publications",
                _of(sum(row["everywhere"] > row["here"] for row in patients), len(patients)),
            ),
            ("Pseudonymes de trois documents et plus", _of(sum(n >= 3 for n in total), len(total))),
            ("Pseudonymes de cinq documents et plus", _of(sum(n >= 5 for n in total), len(total))),
        ],
    )
    yield ""
    yield (
        "Qui connaît les dates de trois (cinq) documents d'un patient retrouve son pseudonyme parmi 160 patients "
        "fictifs dans 83 % (98 %) des cas sous la politique `tchouka2023`, dans 29 % (51 %) avec "
        "`dates.document_date: metric` (`benchmarks/privacy_attacks.md`). Sous la politique livrée, trois dates d'un "
        "séjour le font retrouver parmi 320 dans 77 % des cas, trois documents de trois séjours dans 26 % "
        "(`benchmarks/known_dates.md`). Réglage de cette publication : "
        f"{_setting(figures, 'substitution', 'dates', 'document_date')}."
    )
    yield ""
    yield from _arrival_lines(figures)


def _arrival_lines(figures: Figures) -> Iterable[str]:
    model, visible = figures["arrival"], _setting(figures, "release", "visible")
    yield "**Lecture à chaque réécriture.** Qui lit la table des chercheurs à chaque réécriture apprend la période "
    yield "d'arrivée de chaque document, et en déduit de combien ses dates sont déplacées (`benchmarks/arrival.md`)."
    yield f"Réglage de cette publication : {_PERIODS.get(visible, visible)}."
    yield ""
    if model is None:
        yield (
            f"Non estimé : il faut au moins {LEAST_LAGS} documents datés de patients qui en ont deux, arrivés lors de "
            "nuits simples, et la politique du passage. Prendre les chiffres de `benchmarks/arrival.md`."
        )
        return
    yield from _table(
        ("Lignes visibles", "Décalage retrouvé exactement"),
        [
            (
                f"{words}{' (réglage de cette publication)' if name == visible else ''}",
                _W.percent(model["exact"][name], 0),
            )
            for name, words in _PERIODS.items()
        ],
    )
    yield ""
    yield (
        f"Modèle appliqué au rythme de {_n(model['patients'])} patients : leurs nuits d'arrivée réelles, des délais "
        f"tirés de ceux qui s'observent entre les documents d'un même patient ({_n(model['lags'])} documents), des "
        f"décalages tirés de la loi (échelle {_W.plain(model['scale'], 0)} jours). Aucune date réelle n'y entre. Les "
        "délais observés sont peu dispersés : chiffre plutôt majoré. Sous `episodes`, chaque séjour se retrouve à part."
    )


def _inference(figures: Figures) -> Iterable[str]:
    documents, patients = figures["epsilon"]["documents"], [row["epsilon"] for row in figures["epsilon_patients"]]
    yield "## 3. Inférence"
    yield ""
    yield (
        "ε borne, pour les faits d'une liste (`docs/privacy.md`), ce qu'un tirage apprend d'une date, d'un âge ou "
        "d'une commune. Il s'additionne ; le total par patient compte tous ses documents ; nombreux, il borne peu."
    )
    yield ""
    lines = [("par document de cette publication", documents)] if documents else []
    lines += [("par patient de cette publication, tout ce qui est publié", quantiles(patients))] if patients else []
    yield from _table(
        ("ε (nats)", "Médiane", "95 %", "Maximum"),
        [(name, *(_W.plain(found[key], 2) for key in ("p50", "p95", "max"))) for name, found in lines],
    )
    yield ""
    yield (
        f"Plafonds de la politique : {_setting(figures, 'substitution', 'max_epsilon_per_document')} par document, "
        f"{_setting(figures, 'substitution', 'max_epsilon_per_patient')} par patient."
    )
    yield ""
    yield from _table(
        ("Élément", "Mécanisme", "Documents", "Valeurs", "ε moyen par document"),
        [
            (m["category"], m["mechanism"], _n(m["documents"]), _n(m["elements"]), _W.plain(m["mean"], 2))
            for m in figures["epsilon"]["mechanisms"]
        ],
    )
    totals, names = figures["mentions"]["totals"], label_names(figures, "fr")
    bounded = {m["category"] for m in figures["epsilon"]["mechanisms"] if m["mean"] > 0}
    yield ""
    yield "Mentions remplacées sans borne ε (tirage indépendant de la valeur, ou masque) et avec borne :"
    yield ""
    yield from _table(
        ("Catégorie", "Mentions", "Borne ε"),
        [
            (names[name], _n(count), "oui" if _CATEGORIES.get(_base(figures, name)) in bounded else "non")
            for name, count in totals.items()
        ],
    )
    stated, violated = (sum(row[name] for row in figures["constraints"]) for name in ("stated", "violated"))
    yield ""
    yield (
        "Restent dans le texte, sans mention ni borne : l'histoire racontée, l'ordre des événements, les durées "
        f"écrites, et ce que les dates disent les unes des autres ({_n(stated)} relations relevées dans cet "
        f"intervalle, dont {_n(violated)} ne tiennent plus), le côté du document où se trouve une date, le territoire "
        "d'une commune, l'origine apparente d'un nom."
    )


def _base(figures: Figures, name: str) -> str:
    """Return the label whose mechanism draws a label or own type; empty for a type with a provider of its own."""
    own = figures["mentions"].get("own", {}).get(name)
    if own is None:
        return name
    return str(own["label"]) if own["provider"] == DEFAULT else ""


def _quality(figures: Figures) -> Iterable[str]:
    failed = [check for check in figures["checks"] if not check["success"]]
    yield "## 4. Contrôles et quarantaine"
    yield ""
    yield f"Contrôles faits : {_n(len(figures['checks']))} ; non respectés : {_n(len(failed))}."
    if failed:
        yield ""
        yield from _table(
            ("Contrôle", "Gravité", "Documents ou valeurs", "Sur"),
            [(_check_name(c["rule"]), c["severity"], _n(c["unexpected"]), _n(c["elements"])) for c in failed],
        )
    yield ""
    if figures["quarantine"]:
        yield from _table(
            ("Quarantaine : raison", "Étape", "Documents"),
            [(q["reason"], q["step"], _n(q["documents"])) for q in figures["quarantine"]],
        )
    else:
        yield "Aucun document en quarantaine."
    if waived := figures["sides"]["held"]["waived"]:
        yield ""
        yield f"Contrôles levés par une personne, avec justification : {_n(waived)} document(s)."


def _opt_outs(figures: Figures) -> Iterable[str]:
    (counts,) = figures["opt_outs"]
    yield "## 5. Oppositions"
    yield ""
    yield from _table(
        ("Oppositions", "Nombre"),
        [
            ("En vigueur, tout le registre", _n(counts["in_force"])),
            ("Enregistrées, pas encore appliquées", _n(counts["not_applied"])),
            ("Lignes de cette publication retirées par une opposition", _n(counts["removed"])),
            ("Retraits demandés par l'entrepôt dans cet intervalle", _n(figures["headline"]["withdrawals"])),
        ],
    )


def _signatures(figures: Figures) -> Iterable[str]:
    yield "## 6. Décisions et signatures"
    yield ""
    if figures["decisions"]:
        yield from _table(
            ("Décision", "Par", "Le"),
            [
                (_CHOICES.get(d["chosen"], d["chosen"]), d["decided_by"], _W.instant(d["decided_at"]))
                for d in figures["decisions"]
            ],
        )
    else:
        yield "Aucune décision enregistrée."
    yield ""
    for last in figures["signature"]:
        yield (
            f"Journal signé jusqu'à la ligne {_n(last['seq'])} sous la version {last['key_version']} du secret "
            f"({_W.instant(last['at'])}) ; à vérifier par `python -m deid audit verify`."
        )
    if not figures["signature"]:
        yield "Le journal n'est pas signé."


def _limits(_: Figures) -> Iterable[str]:
    yield "## 7. Ce que cette annexe ne prouve pas"
    yield ""
    yield "- Que rien n'a échappé à la détection : lire un échantillon (`docs/fr/relecture.md`)."
    yield "- Que personne ne reconnaîtra une histoire : les groupes ci-dessus ne comptent que des colonnes."
    yield "- Que les taux d'attaque valent ici : ils viennent d'un hôpital fictif ou d'un modèle."
    yield "- Que les données sont anonymes au sens du RGPD : elles sont pseudonymisées."


# ---- Words
def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterable[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def _n(value: float) -> str:
    return _W.plain(value)


def _of(part: float, whole: float) -> str:
    return f"{_n(part)} ({_W.percent(part / whole)})" if whole else "–"


def _check_name(rule: str) -> str:
    return REQUIREMENTS["fr"].get(rule, rule)


def _setting(figures: Figures, *path: str) -> str:
    """Return a value of the policy under which the release was made, in words where there is none."""
    value: Any = figures["policy"]
    if value is None:
        return "non connu : la politique de ce passage n'est pas conservée"
    for name in path:
        if name not in value:
            return "non dit par cette politique, plus ancienne que ce réglage"
        value = value[name]
    return "aucun" if value is None else str(value)
