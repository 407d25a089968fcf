"""Tables of figures that documents claim for the policy that ships: attacks, from `benchmarks/*.md`, and settings.

The documents take them through `docs.tables`. A figure that a benchmark no longer writes stops the writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

from deid.config import keys
from deid.config.policy import DEFAULT, Policy, load
from deid.domain.labels import OPTIONAL, TAGGED, Label
from deid.formats.fields import FileRules
from deid.privacy.perturbations import describe_policy
from deid.reference.partition import MIN_COMMUNES, MIN_INHABITANTS
from deid.reports import annex

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
_WHOLE, _ALL = 10, 100  # %: from the first on a share has no decimal, and only a share of all is written as the second
_AIM = 10  # % of patients, at most, by known types of three stays: docs/decisions/2026-11-28-structure.md
_HUNDRED = 100  # from which on another number has none


class Figure(NamedTuple):
    """Place of a share in a benchmark: page, first heading of the table, beginning of the line, heading above it."""

    page: str
    table: str
    row: str
    column: str


class Attack(NamedTuple):
    """An attack on what the default policy publishes, with the same under a stricter setting where it was measured.

    In the words, `{number}` is the number that the page of the figure says in its text (`_NUMBERS`).
    """

    french: str
    english: str
    shipped: Figure
    stricter: Figure | None = None
    setting: str = "`strict`"


# Page → a number of its text: patients among whom one is looked for, or percent of what is suspected that is right.
_NUMBERS = {
    "adjacent_pairs.md": r"Of (\d+) patients",
    "evaluation.md": r"documents of (\d+) patients",
    "known_dates.md": r"each group of (\d+) patients",
    "known_times.md": r"in \d+ groups of (\d+)",
    "known_types.md": r"among (\d+) or ",
    "parrot.md": r"at a precision of (\d+) %",
    "privacy_attacks.md": r"(\d+) synthetic patients",
}


def _known_dates(column: str) -> tuple[Figure, Figure]:
    ways = "stays by whole weeks, 180 and 400 (`default`)", "own noise of each day, 365 and 180 (`strict`)"
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
        "connaît trois dates d'un seul séjour, cherche le patient parmi {number}",
        "knows three dates of one stay, looks for the patient among {number}",
        *_known_dates("one stay"),
    ),
    Attack(
        "connaît trois dates citées dans les textes, parmi {number}",
        "knows three dates told in the texts, among {number}",
        *_known_dates("in the text"),
    ),
    Attack(
        "connaît les dates de trois documents au hasard, parmi {number}",
        "knows the dates of three documents at random, among {number}",
        *_known_dates("at random"),
    ),
    Attack(
        "connaît les dates de trois documents de trois séjours, parmi {number}",
        "knows the dates of three documents of three stays, among {number}",
        *_known_dates("three stays"),
    ),
    Attack(
        "connaît trois heures d'un seul séjour, à la minute, cherche le patient parmi {number}",
        "knows three times of day of one stay, to the minute, looks for the patient among {number}",
        *_known_times("one stay"),
    ),
    Attack(
        "connaît les types des documents de trois séjours entiers, parmi {number}, par les seules colonnes",
        "knows the types of the documents of three whole stays, among {number}, by columns alone",
        *_known_types("three stays"),
    ),
    Attack(
        "connaît les types des documents d'un séjour entier, parmi {number}, par les seules colonnes",
        "knows the types of the documents of one whole stay, among {number}, by columns alone",
        *_known_types("one stay"),
    ),
    Attack(
        "connaît les types de tous les documents du patient, parmi {number}, par les seules colonnes",
        "knows the types of all documents of the patient, among {number}, by columns alone",
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
        "a les originaux de {number} patients, et rapproche de chacun tous ses identifiants publiés (`attack.person`)",
        "holds the originals of {number} patients, and compares all identifiers published of one (`attack.person`)",
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
        "cherche des identifiants oubliés parmi les substituts, en en connaissant la moitié (précision de {number} %)",
        "looks for leaks among surrogates, and knows half of them (precision of {number} %)",
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
    head = "| L'attaquant | Trouve, réglage livré (intervalle à 95 %) | Réglage plus strict | Mesure |"
    return _table(head, (_row(one, one.french, "fr", "../../benchmarks") for one in _sorted()))


def english_attacks() -> str:
    """Return the same table in English."""
    head = "| Attacker | Finds, default policy (95 % interval) | Stricter setting | Measure |"
    return _table(head, (_row(one, one.english, "en", "../benchmarks") for one in _sorted()))


def french_limits() -> str:
    """Return in French what attackers on other policies find, and what is measured otherwise than by a share found."""
    patients, spread = said("privacy_attacks.md"), _SPREAD.search(_page("privacy_attacks.md"))
    three, five = (_under_metric("of documents: first / first ten", column) for column in ("k = 3", "k = 5"))
    read, rebuilt = (_read_in_texts(column) for column in ("types read", "stays rebuilt"))
    told = _under_metric("in the text: first / first ten", "k = 3")
    untold = share(Figure("privacy_attacks.md", "in the text: first / first ten", "tag | –", "k = 3"), "fr")
    unseen = cell(Figure("unseen.md", "run", "all, default", "no direct left, % of documents"))
    left, most, least = (_ALL - Decimal(one) for one in re.findall(r"\d+\.\d", unseen))
    remaining = f"{_written(left, 'fr')} ({least}–{most})".replace(".", ",")
    hostile = re.search(r"Leak rate: (\d+) of (\d+) texts", _page("redteam.md"))
    listed = re.search(r"of (\d+) pseudonyms", _page("linkage.md"))
    if hostile is None or listed is None or spread is None:
        raise LookupError("no leak rate in redteam.md, no pseudonyms in linkage.md, or no spread in privacy_attacks.md")
    groups = Figure("linkage.md", "reader", "dump without `identity`", "ledger")
    linked = (
        cell(Figure("linkage.md", "database", f"{database} | {role}", "ids linked")).strip("*")
        for database in ("new", "upgraded")
        for role in ("researcher", "steward", "publisher", "refresher")
    )
    rows = [
        (
            f"connaît les dates de trois (cinq) documents, parmi {patients} patients, politique `tchouka2023`",
            f"{three[0]} ({five[0]})",
            f"{three[1]} ({five[1]}) avec `document_date: metric`",
            "privacy_attacks.md",
        ),
        (
            f"connaît trois dates citées dans les textes, parmi {patients} patients, politique `tchouka2023`",
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
            "a une sauvegarde du registre sans `identity`, et la liste de l'hôpital : types et nuits des documents de "
            "chaque patient",
            f"pseudonymes reliés : {cell(groups)} sur {listed[1]} ({cell(groups._replace(column='structure'))} par les "
            "seules colonnes publiées)",
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
            f"{remaining} gardent un fragment d'identifiant direct, avant contrôle",
            "relecture d'un échantillon",
            "unseen.md",
        ),
    ]
    lines = (f"| {who} | {found} | {other} | [{page}](../../benchmarks/{page}) |" for who, found, other, page in rows)
    table = _table("| L'attaquant | Trouve (intervalle à 95 %) | Réglage plus strict | Mesure |", lines)
    return (
        f"{table}\n\nLes deux premières lignes : de {spread[1]} à {spread[2]} patients par case, soit {spread[3]} à "
        f"{spread[4]} points d'incertitude pour une part proche de la moitié."
    )


_SPREAD = re.compile(r"over (\d+) to (\d+) patients, so a share near one half is known to ± (\d+) to (\d+) points")
# What is published, by its name in the benchmark's table; the columns are those that a policy may add.
_COLUMNS = {
    "types and stays (`default`)": "types et séjours (livré)",
    "types and stays, sex and age class": "types, séjours, sexe, classe d'âge",
    "types and stays, sex, age class and service": "types, séjours, sexe, classe d'âge, service",
    "neither (`strict`)": "ni types ni séjours (`strict`)",
    "sex and age class alone": "sexe, classe d'âge, sans types ni séjours",
    "sex, age class and service alone": "sexe, classe d'âge, service, sans types ni séjours",
}


def french_columns() -> str:
    """Return in French what columns that a policy may add give to who knows the types of whole stays."""
    known = {"one stay": "un séjour", "three stays": "trois séjours", "all stays": "tous les séjours"}
    figures = {row: Figure("known_types.md", "published", row, "three stays") for row in _COLUMNS}
    lines = (
        f"| {french} | {' | '.join(_found(figures[row]._replace(column=column), 'fr') for column in known)} |"
        for row, french in _COLUMNS.items()
    )
    bare, *added = (_number(cell(figures[row])) for row in list(_COLUMNS)[3:])
    if not bare <= _AIM < min(added):
        raise LookupError("known_types.md no longer says that added columns, and they alone, break the aim of `strict`")
    head = f"| Publié, parmi {said('known_types.md')} patients | {' | '.join(known.values())} |"
    return (
        f"{_table(head, lines)}\n\nLa politique `strict` vise {_AIM} % au plus par trois séjours "
        "([décision](../decisions/2026-11-28-structure.md)). Avec le sexe et la classe d'âge, elle ne le tient plus."
    )


# Public facts of the benchmark's table, in French.
_PUBLIC_FACTS = {
    "days between the dates of a stay, and of the 183 days around it": "jours entre les dates d'un séjour et autour",
    "order and ties of the dates of a document, its own among them": "ordre et égalités des dates d'un document",
    "weekday of the first day of a stay of two days or more": "jour de la semaine d'un séjour de deux jours et plus",
    "decade of birth": "décennie de naissance",
    "… ties of dates in different units: a year that holds a month": "une année citée contient un mois cité",
    "stages of life in which a stay begins and ends": "étapes de la vie où un séjour commence et finit",
    "… of stays that end in a later one": "… d'un séjour qui finit dans une autre étape",
    "day, month, season or year outside of a stay, told in a document before": (
        "un jour, un mois, une saison ou une année reviennent d'un document à l'autre"
    ),
    "years between the patient's age at the document's date and one told in words of the present": (
        "années entre l'âge du patient et un autre âge dit au présent"
    ),
    "side of an age of the patient at another time, and whether it is the one at the document's date": (
        "un âge du patient est dit avant, pendant ou après la date du document"
    ),
    "… the age told in a document before": "… le même âge revient d'un document à l'autre",
    "equal ages behind the same words for a relative, in documents of one stay": (
        "deux proches dits des mêmes mots, pendant un séjour, ont le même âge"
    ),
    "days between the dates of an episode outside of stays": "jours entre des dates hors séjour dites proches",
    "whether a stay lasts one day": "un séjour dure un jour",
    "days from the birth to a stay of the first year of life, or of the 280 days before": (
        "jours de la naissance à un séjour de la première année de vie, ou des 280 jours d'avant"
    ),
    "documents without a stay": "un document est hors séjour",
    "distances of up to a year in words, their number and unit": "une distance d'un an au plus, en mots",
    "which date ends a length told just ahead of it": "la date qui finit une durée dite juste avant elle",
    "whether words call a date a birthday of the patient": "une date est dite anniversaire du patient",
    "unit and written form of dates": "unité et forme écrite des dates",
    "whether a text writes accents in words around its dates": "les mots autour des dates portent des accents",
    "of a NIR, the sex, and whether its year is that of the birth date": (
        "d'un NIR, le sexe, et si l'année est celle de la naissance"
    ),
    "stage of life and unit of another person's age": "étape de la vie et unité de l'âge d'un proche",
    "whose age it is, by the words ahead": "de qui est un âge, par les mots qui précèdent",
}


def french_public_facts() -> str:
    """Return in French what the public facts of dates and ages single out, and how the claim beside them was tried."""
    told = re.search(r"(\d+) pairs tried, (\d+) refuted", _page("adjacent_pairs.md"))
    rows = [cells for _, cells in _lines("adjacent_pairs.md", "public fact")]
    if told is None or {row["public fact"] for row in rows} != _PUBLIC_FACTS.keys():
        raise LookupError("no pairs tried, or other public facts, in adjacent_pairs.md")
    patients = said("adjacent_pairs.md")
    lines = [
        f"| {_PUBLIC_FACTS[row['public fact']]} | {row['documents']} | {row['patients singled out']} sur {patients} |"
        for row in rows
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
        "groupes que vise l'annexe (k)": f"{annex.K} patients au moins",
    }


def share(figure: Figure, lang: str) -> str:
    """Return a share of a benchmark as a document writes it: whole from 10 % on, with a decimal below."""
    return _written(_number(cell(figure)), lang)


def said(page: str) -> str:
    """Return the number that a page says in its text, by `_NUMBERS`.

    Raises:
        LookupError: it says none, or several.
    """
    found = set(re.findall(_NUMBERS[page], _page(page)))
    if len(found) != 1:
        raise LookupError(f"{len(found)} numbers {_NUMBERS[page]!r} in {page}")
    return str(found.pop())


def cell(figure: Figure) -> str:
    """Return a cell of a benchmark's table.

    Raises:
        LookupError: the page has no such cell, or several.
    """
    found = [
        cells[figure.column]
        for line, cells in _lines(figure.page, figure.table)
        if figure.column in cells and line.startswith(f"| {figure.row} |")
    ]
    if len(found) != 1:
        raise LookupError(f"{len(found)} cells for {figure}")
    return found[0]


def _lines(page: str, table: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each line of the tables of a page whose first heading is `table`, with its cells by heading."""
    heads: list[str] = []
    for line in _page(page).splitlines():
        cells = [one.strip() for one in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heads = []
        elif not heads:
            heads = cells
        elif heads[0] == table and cells[0].strip("-:"):
            yield line, dict(zip(heads, cells, strict=True))


def _page(page: str) -> str:
    return (BENCHMARKS / page).read_text(encoding="utf-8")


def _under_metric(table: str, column: str) -> tuple[str, str]:
    """Return the patients found as published by `tchouka2023`, and with `document_date: metric`."""
    found = [
        share(Figure("privacy_attacks.md", table, row, column), "fr")
        for row in ("metric | 0.25", "metric, document_date: metric | 0.25")
    ]
    return found[0], found[1]


def _read_in_texts(column: str) -> tuple[str, str]:
    """Return what texts give back as published by `default` and by `strict`, each with what it was counted of."""
    figures = [Figure("known_types.md", "policy", row, column) for row in ("`default`", "`strict`")]
    shipped, strict = (f"{share(one, 'fr')} ({' sur '.join(_OF.findall(cell(one))[0])})" for one in figures)
    return shipped, strict


def _sorted() -> list[Attack]:
    return sorted(ATTACKS, key=lambda one: -_number(cell(one.shipped)))


def _row(one: Attack, words: str, lang: str, folder: str) -> str:
    """Return a line of the table."""
    page = one.shipped.page
    told = words.format(number=said(page)) if "{number}" in words else words
    stricter = "–" if one.stricter is None else f"{_found(one.stricter, lang)}, {one.setting}"
    return f"| {told} | {_found(one.shipped, lang)} | {stricter} | [{page}]({folder}/{page}) |"


# Interval behind a share, or its upper bound alone; numbers that a share was counted of.
_INTERVAL = re.compile(r"\((?:(\d+(?:\.\d+)?)%?(?: to |–))?(\d+(?:\.\d+)?)%?\)")
_OF = re.compile(r"(\d+) of (\d+)")


def _found(figure: Figure, lang: str) -> str:
    """Return a share with its interval, where the benchmark has one."""
    beside = f"({cell(figure._replace(column='95 % interval'))})" if figure.table == "measure" else cell(figure)
    interval = _INTERVAL.search(beside)
    if interval is None:
        return share(figure, lang)
    bounds = f"≤ {interval[2]}" if interval[1] is None else f"{interval[1]}–{interval[2]}"
    return f"{share(figure, lang)} ({bounds.replace('.', ',') if lang == 'fr' else bounds})"


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
    if percent < _ALL <= whole:
        whole = percent.quantize(Decimal("0.1"), ROUND_HALF_UP)
    return f"{whole} %".replace(".", "," if lang == "fr" else ".")


def _plain(value: float) -> str:
    text = f"{value:_.0f}" if value >= _HUNDRED else f"{value:.4g}"
    return text.replace("_", " ").replace(".", ",")
