"""Measure whether published organisations are of the kind that their sources name, as Markdown.

    python -m benchmarks.organisation_kinds > benchmarks/organisation_kinds.md

Sentences are made from frames and names, published under the default policy through detection and substitution, and
read back. An organisation is of its kind if its surrogate keeps the word of the kind, or is a name that the kind's
lists have; a national body if it stays in a carer's sentence and goes from an employee's. A text that is held back
counts as such.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from benchmarks.place_coherence import KEY, MAX_BYTES
from deid.config.policy import load
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.outcomes import Deidentified, Incoming
from deid.french.articles import own_article
from deid.french.folding import fold_line, key
from deid.french.organisation_heads import TRADES, OrgKind
from deid.pipeline import deidentify
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.generators.organisation_names import COMPLEMENTS, WHOLE

HEAD = """# Kinds of published organisations

Written by `python -m benchmarks.organisation_kinds`.

| | texts | held back | of its kind | original stays |
| --- | ---: | ---: | ---: | ---: |"""


class Group(NamedTuple):
    """Frames and names of organisations of one kind: `{}` stands for the name; `head` opens the surrogate, or ""."""

    title: str
    kind: OrgKind
    frames: Sequence[str]
    names: Sequence[str]
    head: str = ""


GROUPS = (
    Group(
        "hospital, name alone", OrgKind.HOSPITAL,
        ("Opérée à {} en 2019.", "Suivi par le Dr Morel ({}) depuis mai.", "Transfert vers {} ce soir.",
         "IRM faite à {} hier.", "Vue à {} aux urgences."),
        ("Necker", "Trousseau", "Purpan", "Pellegrin", "Rangueil", "Haut-Lévêque", "Beaujon", "Gustave-Roussy"),
    ),
    Group(
        "hospital, whole or by initials", OrgKind.HOSPITAL, ("Adressée au {} le 3 mai.", "{} – Service de chirurgie"),
        ("C.H.U. Dupuytren", "CENTRE HOSPlTALIER Duclaux", "CHU Grenoble Alpes", "CHT Le Taaone", "CH Jean-Rougier"),
        "ch|centre hospit",
    ),
    Group(
        "hospital, foreign", OrgKind.HOSPITAL, ("Opéré au {} en 2017.", "Sortie du {} hier."),
        ("Royal Alfred Hospital", "American Memorial Hospital", "Saint George Hospital", "Universitätsklinikum Essen"),
    ),
    Group(
        "care home", OrgKind.CARE_HOME, ("Vit à l'{} depuis 2018.", "Retour à l'{} demain."),
        ("EHPAD Les Madrépores", "E.H.P.A.D. Lou Soulelh", "EHPAD du Val d'Orge"), "ehpad",
    ),
    Group(
        "laboratory", OrgKind.LABORATORY, ("Bilan du laboratoire {} reçu.", "Prélevé au labo {} hier."),
        ("Bio-Ancelin", "Synergibio", "Médipath", "Océalab"),
    ),
    Group(
        "pharmacy", OrgKind.PHARMACY, ("Ordonnance envoyée à la {}.", "Traitement pris à la {} hier."),
        ("pharmacie Le Roux-Cadic", "pharmacie du Scorff", "pharmacie de la Madone"), "pharmacie",
    ),
    Group(
        "school", OrgKind.SCHOOL, ("Scolarisé à l'{} en CM2.", "Étudiante à l'{} depuis un an."),
        ("école Lucien-Béguère", "école libre des Capucins", "IFSI Croix-Blanche"), "ecole|ifsi",
    ),
    Group(
        "company", OrgKind.EMPLOYER,
        ("Ancien tôlier à la {}.", "Il travaille chez {} depuis 2012.", "Cariste chez {}.", "Employeur : {}."),
        ("Ouest Volailles", "Stoeckel Chaussures", "Maillardet & Fils", "Creusot Industrie"),
    ),
    Group(
        "association", OrgKind.ASSOCIATION, ("Bénévole à l'{} le jeudi.", "Il joue au {} le dimanche."),
        ("Tennis club du parc Valbon", "Harmonie Sainte-Cécile", "association An Nou Alé"),
        "tennis club|association|harmonie",
    ),
    Group(
        "ship", OrgKind.SHIP, ("Chute à bord du chalutier {} hier.", "Matelot du navire {}."),
        ("Ar Mor Glaz", "Reder Mor", "Petite Jeanne"),
    ),
)  # fmt: skip
BODIES = ("Croix-Rouge", "Cimade", "CARSAT", "Ligue contre le cancer")
CARE = ("Elle est suivie par la {}.", "Dossier envoyé à la {} ce jour.", "Copie à la {}.")
WORK = ("Elle travaille à la {}.", "Il est caissier à la {} de nuit.", "Retraité de la {}.")


def _listed(kind: OrgKind) -> frozenset[str]:
    names = (*COMPLEMENTS.get(kind, ()), *WHOLE.get(kind, ()))
    return frozenset(key(name[len(own_article(name)) :]) for name in names)


def of_its_kind(group: Group, text: str) -> bool:
    """Return whether a published text has an organisation of a group's kind: its head, or a name of its lists."""
    if group.head and re.search(rf"(?<![a-z])(?:{group.head})", fold_line(text).replace(".", "")):
        return True
    return any(f" {name} " in f" {key(text)} " for name in _listed(group.kind))


def sentences() -> Iterator[tuple[str, Group | None, str, str]]:
    """Yield a title, the group (None for a national body), the frame and the name of each text."""
    for group in GROUPS:
        for frame, name in product(group.frames, group.names):
            yield group.title, group, frame, name
    for title, frames in (("national body, of care", CARE), ("national body, of an employee", WORK)):
        for frame, name in product(frames, BODIES):
            yield title, None, frame, name


def outcome(group: Group | None, title: str, frame: str, name: str, text: str) -> str:
    """Return "kind", "other", or "stays" where a telling word of the original does."""
    if group is None:
        return "kind" if (name in text) is title.endswith("care") else "stays" if name in text else "other"
    kept = fold_line(f"{frame} {group.head} {' '.join(TRADES)}")
    own = [word for word in re.findall(r"[^\W\d_]{4,}", name) if fold_line(word) not in kept]
    told = fold_line(text)
    if any(re.search(rf"(?<![a-z]){re.escape(fold_line(word))}(?![a-z])", told) for word in own[-1:]):
        return "stays"
    return "kind" if of_its_kind(group, text) else "other"


def main() -> None:
    """Print the page, or the texts whose organisation is of another kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the texts that are not as they should be instead")
    show = parser.parse_args().show
    policy, tables, given = load(), packaged_tables(), [*sentences()]
    incoming = [
        Incoming(Document(f"text {at}", frame.format(name), Patient())) for at, (_, _, frame, name) in enumerate(given)
    ]
    substitutor = Substitutor(policy, KEY, tables.communes, tables.names)
    counts: dict[str, Counter[str]] = {}
    for (title, group, frame, name), one in zip(
        given, deidentify(incoming, Detector(policy), substitutor, max_bytes=MAX_BYTES), strict=True
    ):
        text = one.candidate.substitution.text if isinstance(one, Deidentified) else None
        found = "held" if text is None else outcome(group, title, frame, name, text)
        counts.setdefault(title, Counter())[found] += 1
        if show and found != "kind":
            print(f"{found}: {frame.format(name)} → {text}")
    if show:
        return
    print(HEAD)
    for title, outcomes in counts.items():
        read = outcomes.total() - outcomes["held"]
        share = 100 * outcomes["kind"] / read if read else 0
        print(f"| {title} | {outcomes.total()} | {outcomes['held']} | {share:.1f} % | {outcomes['stays']} |")


if __name__ == "__main__":
    main()
