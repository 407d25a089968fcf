"""Tables of figures that documents claim for the policy that ships: attacks, from `benchmarks/*.md`, and settings.

The documents take them through `docs.tables`. A figure that a benchmark no longer writes stops the writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

from deid.config import keys
from deid.config.policy import DEFAULT, Policy, load
from deid.domain.labels import OPTIONAL, TAGGED, Label
from deid.formats.fields import FileRules
from deid.privacy.perturbations import describe_policy
from deid.reference.partition import MIN_COMMUNES, MIN_INHABITANTS

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
_WHOLE = 10  # %, from which on a share has no decimal
_HUNDRED = 100  # from which on another number has none


class Figure(NamedTuple):
    """Place of a share in a benchmark: page, first heading of the table, beginning of the line, heading above it."""

    page: str
    table: str
    row: str
    column: str


class Attack(NamedTuple):
    """An attack on what the default policy publishes, with the same under a stricter setting where it was measured."""

    french: str
    english: str
    shipped: Figure
    stricter: Figure | None = None
    setting: str = "`strict`"


def _known_dates(column: str) -> tuple[Figure, Figure]:
    ways = "stays by whole weeks, 180 and 400 (`default`) | 320", "own noise of each day, 365 and 180 (`strict`) | 320"
    shipped, stricter = (Figure("known_dates.md", "way to publish", way, column) for way in ways)
    return shipped, stricter


def _known_times(known: str) -> tuple[Figure, Figure]:
    strategies = "keep (`default`)", "part_of_day (`strict`)"
    shipped, stricter = (Figure("known_times.md", "strategy", one, f"{known}, targets") for one in strategies)
    return shipped, stricter


def _known_types(column: str) -> tuple[Figure, Figure]:
    shown = "types and stays (`default`)", "neither (`strict`)"
    shipped, stricter = (Figure("known_types.md", "published", way, column) for way in shown)
    return shipped, stricter


def _sample(measure: str) -> Figure:
    return Figure("evaluation.md", "measure", f"`{measure}`", "value")


def _arrival(period: str) -> Figure:
    return Figure("arrival.md", "Rows visible, a move for each stay", period, "Exact")


ATTACKS = (
    Attack(
        "a les textes d'origine, et cherche celui d'un texte publié par ses mots (`attack.text`)",
        "holds the originals, and looks for that of a published text by its words (`attack.text`)",
        _sample("attack.text"),
    ),
    Attack(
        "connaît trois dates d'un seul séjour, cherche le patient parmi 320",
        "knows three dates of one stay, looks for the patient among 320",
        *_known_dates("one stay"),
    ),
    Attack(
        "connaît trois dates citées dans les textes, parmi 320",
        "knows three dates told in the texts, among 320",
        *_known_dates("in the text"),
    ),
    Attack(
        "connaît les dates de trois documents au hasard, parmi 320",
        "knows the dates of three documents at random, among 320",
        *_known_dates("at random"),
    ),
    Attack(
        "connaît les dates de trois documents de trois séjours, parmi 320",
        "knows the dates of three documents of three stays, among 320",
        *_known_dates("three stays"),
    ),
    Attack(
        "connaît trois heures d'un seul séjour, à la minute, cherche le patient parmi 320",
        "knows three times of day of one stay, to the minute, looks for the patient among 320",
        *_known_times("one stay"),
    ),
    Attack(
        "connaît les types des documents de trois séjours entiers, parmi 320, par les seules colonnes",
        "knows the types of the documents of three whole stays, among 320, by columns alone",
        *_known_types("three stays"),
    ),
    Attack(
        "connaît les types des documents d'un séjour entier, parmi 320, par les seules colonnes",
        "knows the types of the documents of one whole stay, among 320, by columns alone",
        *_known_types("one stay"),
    ),
    Attack(
        "connaît les types de tous les documents du patient, parmi 320, par les seules colonnes",
        "knows the types of all documents of the patient, among 320, by columns alone",
        *_known_types("all stays"),
    ),
    Attack(
        "a toutes les dates vraies, et cherche les plus proches de celles d'un document (`attack.dates`)",
        "holds all true dates, and looks for those nearest to a document's (`attack.dates`)",
        _sample("attack.dates"),
    ),
    Attack(
        "a toutes les dates vraies, et cherche celles d'un document à un décalage près (`attack.dates_exact`)",
        "holds all true dates, and looks for a document's up to a shift (`attack.dates_exact`)",
        _sample("attack.dates_exact"),
    ),
    Attack(
        "a les originaux de 60 patients, et rapproche de chacun tous ses identifiants publiés (`attack.person`)",
        "holds the originals of 60 patients, and compares all identifiers published of one (`attack.person`)",
        _sample("attack.person"),
    ),
    Attack(
        "lit la table à chaque réécriture, et en déduit le déplacement exact d'un séjour (visibilité livrée)",
        "reads the table at each rewriting, and infers the exact move of a stay (visibility as shipped)",
        _arrival(load().release.visible),
        _arrival("monthly"),
        "`visible: monthly`",
    ),
    Attack(
        "cherche des identifiants oubliés parmi les substituts, en en connaissant la moitié (précision de 50 %)",
        "looks for leaks among surrogates, and knows half of them (precision of 50 %)",
        Figure("parrot.md", "mode", "marked, consistent", "published"),
    ),
    Attack(
        "cherche des identifiants oubliés dans un échantillon de l'hôpital fictif, avant contrôle (`attack.leaks`)",
        "looks for leaks in a sample of the synthetic hospital, before checks (`attack.leaks`)",
        _sample("attack.leaks"),
    ),
    Attack(
        "devine la commune d'un patient par la loi du tirage et les populations (`attack.places`)",
        "guesses a patient's commune by the law of the draw and populations (`attack.places`)",
        _sample("attack.places"),
    ),
    Attack(
        "reconnaît des soignants par leur nombre de documents (`attack.names`)",
        "knows care staff again by their number of documents (`attack.names`)",
        _sample("attack.names"),
    ),
)


def french_attacks() -> str:
    """Return the table of attacks on the default policy in French, strongest first."""
    head = "| L'attaquant | Trouve, réglage livré | Réglage plus strict | Mesure |"
    return _table(head, (_row(one, one.french, "fr", "../../benchmarks") for one in _sorted()))


def english_attacks() -> str:
    """Return the same table in English."""
    head = "| Attacker | Finds, default policy | Stricter setting | Measure |"
    return _table(head, (_row(one, one.english, "en", "../benchmarks") for one in _sorted()))


def french_limits() -> str:
    """Return in French what attackers on other policies find, and what is measured otherwise than by a share found."""
    three, five = (_under_metric("of documents: first / first ten", column) for column in ("k = 3", "k = 5"))
    read, rebuilt = (_read_in_texts(column) for column in ("types read", "stays rebuilt"))
    told = _under_metric("in the text: first / first ten", "k = 3")
    untold = share(Figure("privacy_attacks.md", "in the text: first / first ten", "tag | –", "k = 3"), "fr")
    kept = 100 - _number(cell(Figure("unseen.md", "run", "all, default", "no direct left, % of documents")))
    hostile = re.search(r"Leak rate: (\d+) of (\d+) texts", (BENCHMARKS / "redteam.md").read_text(encoding="utf-8"))
    if hostile is None:
        raise LookupError("no leak rate in redteam.md")
    linked = (
        cell(Figure("linkage.md", "database", f"{database} | {role}", "ids linked")).strip("*")
        for database in ("new", "upgraded")
        for role in ("researcher", "steward", "publisher", "refresher")
    )
    rows = [
        (
            "connaît les dates de trois (cinq) documents, parmi 160 patients, politique `tchouka2023`",
            f"{three[0]} ({five[0]})",
            f"{three[1]} ({five[1]}) avec `document_date: metric`",
            "privacy_attacks.md",
        ),
        (
            "connaît trois dates citées dans les textes, parmi 160 patients, politique `tchouka2023`",
            told[0],
            f"{told[1]} avec `document_date: metric` ; {untold} avec `tag`",
            "privacy_attacks.md",
        ),
        (
            "lit les textes publiés, et y retrouve le type de chaque document, là où la politique ne le montre pas",
            f"type juste : {read[0]}",
            f"{read[1]} sous `strict`",
            "known_types.md",
        ),
        (
            "lit les textes publiés, et y retrouve des séjours entiers, là où la politique ne les montre pas",
            f"séjours retrouvés : {rebuilt[0]}",
            f"{rebuilt[1]} sous `strict`",
            "known_types.md",
        ),
        (
            "a un rôle de la base qui ne lit pas les originaux, sans le secret, et essaie cellules, empreintes, ordres "
            "de lignes et fonctions (groupes de documents : voir plus bas)",
            f"identifiants de l'hôpital reliés : {max(linked, key=int)}",
            "–",
            "linkage.md",
        ),
        (
            "écrit ou reçoit un texte piégé (caractères invisibles, homoglyphes, balises)",
            f"fuites : {hostile[1]} sur {hostile[2]} textes qui identifient quelqu'un",
            "–",
            "redteam.md",
        ),
        (
            "lit des documents d'auteurs absents de l'apprentissage, la plupart relus, patient inconnu de l'entrepôt",
            f"{_written(kept, 'fr')} gardent un fragment d'identifiant direct, avant contrôle",
            "relecture d'un échantillon",
            "unseen.md",
        ),
    ]
    lines = (f"| {who} | {found} | {other} | [{page}](../../benchmarks/{page}) |" for who, found, other, page in rows)
    return _table("| L'attaquant | Trouve | Réglage plus strict | Mesure |", lines)


# Public facts of the benchmark's table, in French.
_PUBLIC_FACTS = {
    "days between the dates of a stay, and of the 183 days around it": "jours entre les dates d'un séjour et autour",
    "order and ties of the dates of a document, its own among them": "ordre et égalités des dates d'un document",
    "weekday of the first day of a stay of two days or more": "jour de la semaine d'un séjour de deux jours et plus",
    "decade of birth": "décennie de naissance",
    "… ties of dates in different units: a year that holds a month": "une année citée contient un mois cité",
    "stages of life in which a stay begins and ends": "étapes de la vie où un séjour commence et finit",
    "day, month, season or year outside of a stay, told in a document before": (
        "un jour, un mois, une saison ou une année reviennent d'un document à l'autre"
    ),
    "years between the patient's age at the document's date and one told in words of the present": (
        "années entre l'âge du patient et un autre âge dit au présent"
    ),
    "side of an age of the patient at another time, and whether it is the one at the document's date": (
        "un âge du patient est dit avant, pendant ou après la date du document"
    ),
    "equal ages behind the same words for a relative, in documents of one stay": (
        "deux proches dits des mêmes mots, pendant un séjour, ont le même âge"
    ),
    "days between the dates of an episode outside of stays": "jours entre des dates hors séjour dites proches",
}


def french_public_facts() -> str:
    """Return in French what the public facts of dates and ages single out, and how the claim beside them was tried."""
    page = (BENCHMARKS / "adjacent_pairs.md").read_text(encoding="utf-8")
    told, patients = re.search(r"(\d+) pairs tried, (\d+) refuted", page), re.search(r"Of (\d+) patients", page)
    if told is None or patients is None:
        raise LookupError("no pairs tried, or no patients, in adjacent_pairs.md")
    rows = {french: Figure("adjacent_pairs.md", "public fact", row, "") for row, french in _PUBLIC_FACTS.items()}
    lines = [
        f"| {fact} | {cell(row._replace(column='documents'))} | "
        f"{cell(row._replace(column='patients singled out'))} sur {patients[1]} |"
        for fact, row in rows.items()
    ]
    table = _table("| Fait | Documents | Patients seuls à l'avoir |", lines)
    return f"{table}\n\nPaires d'entrées engendrées au hasard : {told[1]} essayées, {told[2]} réfutées."


def french_settings() -> str:
    """Return the settings that ship, in French, beside those of the policy `strict`."""
    shipped, strict = (_settings(load(path)) for path in (DEFAULT, DEFAULT.with_name("strict.yaml")))
    names = [*shipped, *(strict.keys() - shipped.keys())]
    pairs = ((name, shipped.get(name, "–"), strict.get(name, "–")) for name in names)
    lines = (f"| {name} | {ours} | {'' if other == ours else other} |" for name, ours, other in pairs)
    return _table("| Réglage | Livré | Politique `strict`, si elle diffère |", lines)


def _settings(policy: Policy) -> dict[str, str]:
    """Return the name of each setting → its value, in French."""
    described = describe_policy(policy)
    noise = {
        f"{one.part}, écart moyen (ε)": f"{_plain(one.scale)} {one.unit}s (1/{_plain(1 / one.epsilon)} par {one.unit})"
        for one in described
        if one.element in (Label.DATE, Label.AGE) and one.unit == "jour" and one.scale and one.epsilon
    }
    dates, release = policy.substitution.dates, policy.release
    ceilings = policy.substitution.max_epsilon_per_document, policy.substitution.max_epsilon_per_patient
    return {
        "catégories repérées": f"{len(TAGGED)}, et {len(OPTIONAL)} que la politique peut ajouter",
        **noise,
        "dates d'un séjour : jours avant, jours après": f"{dates.days_before}, {dates.days_after}",
        "heures de la journée (`times.strategy`)": f"`{policy.substitution.times.strategy}`",
        "durées écrites, gardées jusqu'à": f"{dates.kept_days} jours",
        "âges écrits « et plus » à partir de": f"{policy.substitution.ages.top_code} ans",
        "ε d'une commune": "".join(
            _plain(one.epsilon) for one in described if one.element == Label.CITY and one.epsilon
        ),
        "territoire d'une commune, au moins": f"{MIN_COMMUNES} communes et {_plain(MIN_INHABITANTS)} habitants",
        "plafond de ε par document ; par patient": (
            " ; ".join("aucun" if most is None else _plain(most) for most in ceilings)
        ),
        "approbation (`release.approval`), personnes": f"`{release.approval}`, {release.approvals}",
        "types publiés (`publication.types`) ; séjours (`publication.stay`)": (
            f"`{policy.publication.types}` ; `{policy.publication.stay}`"
        ),
        "lignes visibles (`release.visible`)": f"`{release.visible}`",
        "textes d'une relecture effacés après (`release.review.keep_days`)": f"{release.review.keep_days} jours",
        "fichiers publiés (`publication.files`)": f"`{policy.publication.files}`",
        "documents en langue étrangère (`detection.foreign`)": f"`{policy.detection.foreign}`",
        "images d'un fichier ; pages numérisées": f"`{FileRules().images}` ; `{FileRules().scans}`",
        "secret, au moins": f"{keys.LEAST_BYTES} octets",
    }


def share(figure: Figure, lang: str) -> str:
    """Return a share of a benchmark as a document writes it: whole from 10 % on, with a decimal below."""
    return _written(_number(cell(figure)), lang)


def cell(figure: Figure) -> str:
    """Return a cell of a benchmark's table.

    Raises:
        LookupError: the page has no such cell, or several.
    """
    heads: list[str] = []
    found = []
    for line in (BENCHMARKS / figure.page).read_text(encoding="utf-8").splitlines():
        cells = [one.strip() for one in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heads = []
        elif not heads:
            heads = cells
        elif heads[0] == figure.table and figure.column in heads and line.startswith(f"| {figure.row} |"):
            found.append(cells[heads.index(figure.column)])
    if len(found) != 1:
        raise LookupError(f"{len(found)} cells for {figure}")
    return found[0]


def _under_metric(table: str, column: str) -> tuple[str, str]:
    """Return the patients found as published by `tchouka2023`, and with `document_date: metric`."""
    found = [
        share(Figure("privacy_attacks.md", table, row, column), "fr")
        for row in ("metric | 0.25", "metric, document_date: metric | 0.25")
    ]
    return found[0], found[1]


def _read_in_texts(column: str) -> tuple[str, str]:
    """Return what texts give back as published by `default` and by `strict`."""
    found = [share(Figure("known_types.md", "policy", row, column), "fr") for row in ("`default`", "`strict`")]
    return found[0], found[1]


def _sorted() -> list[Attack]:
    return sorted(ATTACKS, key=lambda one: -_number(cell(one.shipped)))


def _row(one: Attack, words: str, lang: str, folder: str) -> str:
    """Return a line of the table; with its interval, where the benchmark has one beside the share."""
    found = share(one.shipped, lang)
    if one.shipped.table == "measure" and (interval := cell(one.shipped._replace(column="95 % interval"))):
        found += f" ({interval.replace('.', ',') if lang == 'fr' else interval})"
    stricter = "–" if one.stricter is None else f"{share(one.stricter, lang)} ({one.setting})"
    return f"| {words} | {found} | {stricter} | [{one.shipped.page}]({folder}/{one.shipped.page}) |"


def _table(head: str, rows: Iterable[str]) -> str:
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *rows])


def _number(text: str) -> Decimal:
    """Return the first number of a cell.

    Raises:
        LookupError: it holds none.
    """
    found = re.search(r"\d+(?:\.\d+)?", text)
    if found is None:
        raise LookupError(f"no number in {text!r}")
    return Decimal(found[0])


def _written(percent: Decimal, lang: str) -> str:
    whole = percent.quantize(Decimal(1 if percent >= _WHOLE else "0.1"), ROUND_HALF_UP)
    return f"{whole} %".replace(".", "," if lang == "fr" else ".")


def _plain(value: float) -> str:
    text = f"{value:_.0f}" if value >= _HUNDRED else f"{value:.4g}"
    return text.replace("_", " ").replace(".", ",")
