"""Look for patients by the types of the documents of whole stays under every way to show these; write the page."""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from deid.config.policy import DEFAULT, Publication, load
from deid.privacy.life_stages import CLASSES, STAGES
from demo.hospital import build, generate, journeys
from demo.hospital.calendar import Calendar
from demo.hospital.kinds import KINDS
from demo.hospital.streams import Stream
from demo.population import SEED, population_of
from nocturne_lab.evaluation.attacks.known_types import (
    CANDIDATES,
    Grouped,
    Search,
    by_documents,
    by_stays,
    find_by_types,
    shown_type,
    whole_documents,
    whole_stays,
)
from nocturne_lab.evaluation.attacks.read_structure import JOININGS, publish_texts, read_types, rebuilt_stays
from nocturne_lab.evaluation.intervals import RankedFirst

PATIENTS = 20_480
TEXTS = 90
_PEOPLE = 4_000  # people drawn whole; the others have their pathologies
_NIGHTS, _DOCUMENTS_PER_PATIENT = 30, 8
_MANY = 10_000
# What is shown → `types` of the policy, whether stays are, how many of the columns of `Beside`.
WAYS = {
    "types and stays (`default`)": ("warehouse", True, 0),
    "classes of types, stays": ("classes", True, 0),
    "types, no stays": ("warehouse", False, 0),
    "classes of types, no stays": ("classes", False, 0),
    "stays alone": ("drop", True, 0),
    "neither (`strict`)": ("drop", False, 0),
    "types and stays, sex and age class": ("warehouse", True, 2),
    "types and stays, sex, age class and service": ("warehouse", True, 3),
    "sex and age class alone": ("drop", False, 2),
    "sex, age class and service alone": ("drop", False, 3),
}
# Column → stays known (None: all), candidates.
KNOWN: dict[str, tuple[int | None, int]] = {
    "one stay": (1, CANDIDATES),
    "two stays": (2, CANDIDATES),
    "three stays": (3, CANDIDATES),
    "all stays": (None, CANDIDATES),
    f"three stays, of {_MANY:,}": (3, _MANY),
    f"all stays, of {_MANY:,}": (None, _MANY),
}


class Beside(NamedTuple):
    """Columns that a policy may publish beside the text (`publication.columns`, `services`), of one document."""

    sex: str
    age_class: str
    service: str


Listed = list[list[list[tuple[str, Beside]]]]  # type and columns of each document, by patient and stay


@dataclass(frozen=True, slots=True)
class Line:
    """A way to show types and stays, with what each attacker finds."""

    way: str
    found: Sequence[RankedFirst]


def listed(patients: int, seed: int = 1) -> Listed:
    """Return the stays of as many patients, by the synthetic hospital's laws; those without a document left out."""
    setting, _ = build.setting_of(Stream(f"{seed}:world"))
    pool = build.patients_of(Stream(f"{seed}:patients"), setting, min(patients, _PEOPLE))
    people = [replace(pool[at % len(pool)], patient_id=f"{at:07d}") for at in range(patients)]
    rng, calendar = Stream(f"{seed}:types"), Calendar(_NIGHTS)
    stays = journeys.stays(rng, people, calendar, build.STAYS_PER_PATIENT)
    found: dict[str, dict[str, list[tuple[str, Beside]]]] = defaultdict(lambda: defaultdict(list))
    for plan in journeys.plans(rng, people, stays, _DOCUMENTS_PER_PATIENT * patients, calendar):
        found[plan.patient.patient_id][plan.stay.stay_id].append((plan.kind, _beside(plan)))
    return [list(found[patient].values()) for patient in sorted(found)]


def _beside(plan: journeys.Plan) -> Beside:
    born, day = plan.patient.birth_date, plan.written_on
    months = 12 * (day.year - born.year) + day.month - born.month - (day.day < born.day)
    stage = bisect_right([first for first, _ in STAGES], max(0, months)) - 1
    return Beside(plan.patient.sex, CLASSES[stage], plan.stay.service_code)


def _shown(true: Listed, publication: Publication, columns: int) -> Grouped:
    """Return what each document shows, by patient and stay: its type, and the first `columns` of what stands beside."""
    return [
        [
            tuple(
                sorted(
                    "|".join((shown_type(publication, kind, KINDS[kind].loinc), *beside[:columns]))
                    for kind, beside in stay
                )
            )
            for stay in patient
        ]
        for patient in true
    ]


def study(true: Listed, targets: int) -> Iterator[Line]:
    """Yield the patients found under each way, where the hospital has enough patients."""
    publication = load().publication
    for way, (types, stays, columns) in WAYS.items():
        shown = _shown(true, publication.model_copy(update={"types": types}), columns)
        found = []
        for known, candidates in KNOWN.values():
            search: Search
            if known is None:
                search = whole_stays if stays else whole_documents
            else:
                search = by_stays if stays else by_documents(shown, known)
            found.append(find_by_types(shown, shown, known, search, candidates=candidates, targets=targets))
        yield Line(way, found)


def read(patients: int) -> Iterator[tuple[str, ...]]:
    """Yield what texts give back of types and stays under each policy: policy, types read, stays rebuilt, by chance."""
    hospital = generate(SEED, patients=patients, documents=_DOCUMENTS_PER_PATIENT * patients + 40)
    stays = {one.document_id: (one.stay_id or "", one.type_code) for one in hospital.documents}
    records = population_of(hospital).records
    for name in ("default", "strict"):
        texts = publish_texts(records, stays, load(DEFAULT.with_name(f"{name}.yaml")))
        right = sum(one.kind == kind for one, kind in zip(texts, read_types(texts), strict=True))
        by_rule = {rule: rebuilt_stays(texts, joined) for rule, joined in JOININGS.items()}
        best = max(by_rule, key=lambda rule: by_rule[rule])
        cells = [(right, len(texts)), by_rule[best], rebuilt_stays(texts, None)]
        yield f"`{name}`", *(f"{hits / count:.1%} ({hits:,} of {count:,})" for hits, count in cells), best


def page(lines: Sequence[Line], patients: int, told: Sequence[Sequence[str]]) -> str:
    """Return the study as a page of Markdown."""
    head = ("published", *KNOWN)
    rows = [head, ["---", *["---:"] * len(KNOWN)], *((line.way, *map(_cell, line.found)) for line in lines)]
    parts = [
        "# What the types of known stays find",
        "Written by `python -m benchmarks.known_types` (`make attacks`): the same figures on every machine. The "
        "attacker knows the types of all documents of one, two, three or all stays of a patient, no date, and looks "
        f"for the patient by the columns of `research.document` alone, among {CANDIDATES} or {_MANY:,} "
        "(`nocturne_lab.evaluation.attacks.known_types`).",
        f"Stays and documents of {patients:,} patients, drawn by the synthetic hospital's laws; classes are those of "
        "the policy that ships. Sex, age class and service of each document are columns that a policy may add; the "
        "attacker knows them too. Found: share of targets ranked first, ties drawn (its 95 % interval, "
        "Clopper–Pearson), number of targets.",
        _table(rows),
        "**Columns are not all.** Texts say what kind of document they are, and their days and numbers which documents "
        "belong together. Read in published texts (`nocturne_lab.evaluation.attacks.read_structure`): types, learned "
        "on other patients; stays rebuilt whole, by the best rule, and with each document as one.",
        _table([("policy", "types read", "stays rebuilt", "without a rule", "rule"), ["---", *["---:"] * 4], *told]),
    ]
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cell(found: RankedFirst) -> str:
    least, most = found.interval
    return f"{found.share:.1%} ({least:.1%}–{most:.1%}), {found.targets:,}"


def main(arguments: list[str] | None = None) -> int:
    """Write `known_types.md` into a folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.known_types", description=__doc__)
    parser.add_argument("--patients", type=int, default=PATIENTS, help="of the hospital (default: %(default)s)")
    parser.add_argument("--texts", type=int, default=TEXTS, help="patients with texts (default: %(default)s)")
    parser.add_argument("--targets", type=int, default=1_000, help="per attack, about (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"), help="folder (default: %(default)s)")
    given = parser.parse_args(arguments)
    true = listed(given.patients)
    lines = list(tqdm(study(true, given.targets), total=len(WAYS), desc="known types", file=sys.stderr))
    target = given.out / "known_types.md"
    target.write_text(page(lines, len(true), list(read(given.texts))), encoding="utf-8")
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
