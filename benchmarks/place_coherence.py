"""Measure whether published texts name one town or country where their sources do, as Markdown.

    python -m benchmarks.place_coherence > benchmarks/place_coherence.md

Texts of one or two sentences are made from towns and countries, published under the default policy through detection
and substitution, and read back: the inhabitants, department, hospital or station must be of the town that is published,
the calling code of the country. A text that is held back counts as such.

Distances are measured on the documents of corpus/unseen, with their true mentions.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import dist, inf
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from deid.config.policy import load
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.outcomes import Deidentified, Incoming
from deid.french.articles import TOWN, Kind, Noun, fitted, of_place, read_ahead
from deid.french.folding import comparable
from deid.french.gentiles import gentile_of, initials_of
from deid.pipeline import deidentify
from deid.reference import Commune, CommuneTable
from deid.reference.partition import hospital_towns, is_overseas_code, population_class
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.places.abroad import CALLED, country_of
from deid.substitution.places.areas import area, area_names, article_of
from nocturne_lab.evaluation.attacks.document_places import towns_of
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus

SEED, TOWNS, MAX_BYTES = 20261129, 40, 10**6
REACH_KM = 250
NEAR_KM, FAR_KM = 60, 120  # of two towns of a document, true and published
UNSEEN = Path("corpus/unseen")
KEY = b"the key of the measure of places"
SITES = ("Bichat", "Tenon", "Lariboisière", "Cochin", "Beaujon", "Édouard Herriot", "Gui de Chauliac", "Trousseau")
HEAD = """# Coherence of published places

Written by `python -m benchmarks.place_coherence`: {towns} towns with a public hospital, {countries} countries.

| | texts | held back | agree |
| --- | ---: | ---: | ---: |"""


class SelfChecking(NamedTuple):
    """A text, and what its published text must match: groups are handed to `agrees`."""

    kind: str
    text: str
    pattern: str
    agrees: Callable[..., bool]


def _same(one: str, other: str) -> bool:
    return comparable(one) == comparable(other)


def _of_town(table: CommuneTable, town: str, told: str) -> bool:
    """Return whether a department, by name or number, is of a town."""
    departments = {one.department for one in table.find(town)}
    return told in departments | {table.department_name(one) for one in departments}


def _inhabits(name: str, town: str) -> bool:
    """Return whether words name the inhabitants of a town, or say that somebody lives there."""
    named = gentile_of(town, feminine=True, plural=False)
    return name.endswith(of_place(town)) or (named is not None and _same(named, name))


def _behind(preposition: str, country: str) -> str:
    """Return a country behind a preposition, with the article that it takes."""
    ahead = read_ahead(f"{preposition} ")
    return fitted(ahead, Noun(Kind.COUNTRY, article_of(country)), country) if ahead is not None else country


def of_town(table: CommuneTable, town: Commune) -> Iterator[SelfChecking]:
    """Yield the texts about a town."""
    name, of = town.name, of_place(town.name)
    at, a_place = "(?P<at>à|au|aux) ", r"(?P<one>[^.,()]+?)"
    yield SelfChecking(
        "department in brackets", f"Né à {name} ({town.department}).", rf"Né {at}{a_place} \((?P<two>\w+)\)\.",
        lambda one, two: _of_town(table, one, two),
    )  # fmt: skip
    if (department := table.department_name(town.department)) is not None:
        yield SelfChecking(
            "department by name", f"Né à {name} ({department}).", rf"Né {at}{a_place} \((?P<two>[^)]+)\)\.",
            lambda one, two: _of_town(table, one, two),
        )  # fmt: skip
    if (inhabitant := gentile_of(name, True, False)) is not None:
        yield SelfChecking(
            "inhabitants", f"Cette {inhabitant.capitalize()} vit à {name}.", rf"Cette (?P<two>.+) vit {at}{a_place}\.",
            lambda one, two: _inhabits(two, one),
        )  # fmt: skip
        yield SelfChecking(
            "adjective", f"Patiente {inhabitant}, née à {name}.", rf"Patiente (?P<two>.+), née {at}{a_place}\.",
            lambda one, two: _inhabits(two, one),
        )  # fmt: skip
    yield SelfChecking(
        "hospital", f"Suivi au CHU {of}. Vit à {name}.", rf"Suivi au CHU (?P<two>[^.]+)\. Vit {at}{a_place}\.",
        lambda one, two: _same(two, of_place(one)),
    )  # fmt: skip
    yield SelfChecking(
        "hospital, acronym", f"Vu au CHU {of} ({initials_of('CHU ' + of)}) hier.",
        r"Vu au (?P<one>CHU [^()]+) \((?P<two>[^)]+)\)", lambda one, two: initials_of(one) == two,
    )  # fmt: skip
    yield SelfChecking(
        "station", f"Vit à {name}. Arrivé en gare {of}.", rf"Vit {at}{a_place}\. Arrivé en gare (?P<two>[^.]+)\.",
        lambda one, two: _same(two, of_place(one)),
    )  # fmt: skip


def of_hospitals(table: CommuneTable, town: Commune) -> Iterator[SelfChecking]:
    """Yield a text that names a village of the metropolis and the nearest town with a university hospital."""
    villages = [one for one in table.in_department(town.department) if population_class(one.population) == 0]
    if villages and not is_overseas_code(town.department):
        village = max(villages, key=lambda one: (one.population, one.insee))
        seat = min(table.hospital_towns(None, True), key=lambda one: _metres(table, one, village))
        yield SelfChecking(
            f"village within {REACH_KM} km of the hospital",
            f"Suivie au CHU {of_place(seat.name)}. Vit {_to(village.name)}.",
            r"Suivie au CHU (?P<two>[^.]+)\. Vit (?P<at>à|au|aux) (?P<one>[^.]+)\.",
            lambda one, two: _are_near(table, one, two),
        )  # fmt: skip


def _are_near(table: CommuneTable, village: str, of_seat: str) -> bool:
    seats = [one for one in table.hospital_towns(None, True) if of_place(one.name) == of_seat]
    return any(_metres(table, one, seat) <= REACH_KM * 1000 for one in table.find(village) for seat in seats)


def _metres(table: CommuneTable, one: Commune, other: Commune) -> float:
    here, there = table.atlas.point(one), table.atlas.point(other)
    return dist((here.x, here.y), (there.x, there.y)) if here.zone == there.zone else inf


def of_neighbours(table: CommuneTable, town: Commune) -> Iterator[SelfChecking]:
    """Yield a text that names a town and the greatest other commune of its department, if there is one."""
    others = [one for one in table.in_department(town.department) if one.insee != town.insee]
    if others:
        other = max(others, key=lambda one: (one.population, one.insee)).name
        yield SelfChecking(
            "two towns of one region", f"Née {_to(town.name)}. Vit {_to(other)}.",
            r"Née (?P<at>à|au|aux) (?P<one>[^.]+)\. Vit (?P<there>à|au|aux) (?P<two>[^.]+)\.",
            lambda one, two: bool(_regions(table, one) & _regions(table, two)),
        )  # fmt: skip


def _to(town: str) -> str:
    ahead = read_ahead("à ")
    return fitted(ahead, TOWN, town) if ahead is not None else town


def _regions(table: CommuneTable, town: str) -> set[str]:
    return {one.region for name in (town, f"Le {town}", f"Les {town}") for one in table.find(name)}


def of_countries() -> Iterator[SelfChecking]:
    """Yield the texts about countries, and those of sites of hospitals."""
    for calling, (code, *_) in CALLED.items():
        country = area_names("country")[code]
        there, back = _behind("en", country), _behind("de", country)
        yield SelfChecking(
            "country told twice", f"Née {there}. Retour {back} en 2019.",
            r"Née (?:en|au|aux|à) (?P<one>[^.]+)\. Retour (?:de la |de l['’]|du |des |de |d['’])(?P<two>.+) en ", _same,
        )  # fmt: skip
        yield SelfChecking(
            "calling code", f"Oncle {there} : +{calling} 82 465 43 21.",
            r"Oncle (?:en|au|aux|à) (?P<one>[^:]+) : \+(?P<two>\d+) ", _is_called,
        )  # fmt: skip
    for site in SITES:
        yield SelfChecking(
            "hospital, short name", f"Admis à l'hôpital {site}. Transféré à {site} le 12/03/2020.",
            r"Admis à l'hôpital (?P<one>[^.]+)\. Transféré (?:à|au|aux) (?P<two>.+) le ", _same,
        )  # fmt: skip


def _is_called(country: str, calling: str) -> bool:
    code = (area(country) or ("", ""))[1] or country_of(country)
    return code in CALLED.get(calling, ())


def published(texts: Iterable[SelfChecking]) -> Iterator[tuple[SelfChecking, str | None]]:
    """Yield each text with what is published of it, None if it is held back."""
    policy, tables = load(), packaged_tables()
    given = [*texts]
    incoming = [Incoming(Document(f"text {at}", one.text, Patient())) for at, one in enumerate(given)]
    substitutor = Substitutor(policy, KEY, tables.communes, tables.names)
    outcomes = deidentify(incoming, Detector(policy), substitutor, max_bytes=MAX_BYTES)
    for one, outcome in zip(given, outcomes, strict=True):
        yield one, outcome.candidate.substitution.text if isinstance(outcome, Deidentified) else None


def agree(one: SelfChecking, text: str) -> bool:
    """Return whether a published text says of the drawn place what its source says of its own."""
    found = re.match(one.pattern, text)
    if found is None:
        return False
    article = {"au": "Le ", "aux": "Les "}.get(found.groupdict().get("at", ""), "")
    return one.agrees(article + found["one"], found["two"])


class Distances(NamedTuple):
    """Kilometres between two towns of a document, true and published, for pairs that are near one another."""

    before: Sequence[float]
    after: Sequence[float]
    returned: int
    towns: int

    def line(self) -> str:
        far = sum(one > FAR_KM for one in self.after)
        return (
            f"Of {len(self.before)} pairs of towns of corpus/unseen within {NEAR_KM} km of one another, "
            f"{far / len(self.before):.1%} come out more than {FAR_KM} km apart; median {median(self.before):.0f} km, "
            f"published {median(self.after):.0f} km. Of {self.towns} towns {self.returned / self.towns:.1%} return."
        )


def distances(documents: Iterable[GoldDocument], table: CommuneTable) -> Distances:
    """Measure towns of the metropolis in documents, published with their true mentions."""
    tables = packaged_tables()
    substitutor = Substitutor(load(), KEY, table, tables.names)
    before, after, returned, number = list[float](), list[float](), 0, 0
    for one in documents:
        done = substitutor.substitute(one.document, one.mentions)
        towns = {true: drawn for true, drawn in towns_of(one.document, done, table) if drawn is not None}
        inland = [both for both in towns.items() if not is_overseas_code(both[0].department)]
        number += len(inland)
        returned += sum(true == drawn for true, drawn in inland)
        pairs = [[_metres(table, *two) / 1000 for two in zip(*both, strict=True)] for both in combinations(inland, 2)]
        before += [was for was, _ in pairs if was <= NEAR_KM]
        after += [now for was, now in pairs if was <= NEAR_KM]
    return Distances(before, after, returned, number)


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--towns", type=int, default=TOWNS, help="towns to make texts of")
    parser.add_argument("--show", action="store_true", help="print the texts that do not agree instead")
    given = parser.parse_args()
    table = packaged_tables().communes
    seats = [one for one in table.communes if one.insee in hospital_towns()]
    towns = Random(SEED).sample(seats, given.towns)  # noqa: S311 - a choice of texts, no secret
    texts = [
        one
        for town in towns
        for one in (*of_town(table, town), *of_neighbours(table, town), *of_hospitals(table, town))
    ]
    texts += of_countries()
    counts: dict[str, Counter[str]] = {}
    for one, text in published(texts):
        outcome = "held" if text is None else "agree" if agree(one, text) else "differ"
        counts.setdefault(one.kind, Counter())[outcome] += 1
        if given.show and outcome == "differ":
            print(f"{one.text} → {text}")
    if given.show:
        return
    print(HEAD.format(towns=given.towns, countries=len(CALLED)))
    for kind, found in counts.items():
        told = found["agree"] + found["differ"]
        print(f"| {kind} | {found.total()} | {found['held']} | {100 * found['agree'] / told if told else 0:.1f} % |")
    print(f"\n{distances(load_corpus(UNSEEN), table).line()}")


if __name__ == "__main__":
    main()
