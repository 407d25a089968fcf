"""Documents for the tests, written with their surrogates: `M. [[PATIENT|Jean DUPONT=>Marc VIDAL]] va bien.`"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from deid.domain.document import Document, Mention, Patient, Substitution, Surrogate
from deid.domain.labels import Label
from deid.domain.outcomes import Candidate

_MARK = re.compile(r"\[\[(?P<label>[A-Z]+)\|(?P<source>.*?)=>(?P<surrogate>.*?)(?P<masked>!?)\]\]", re.DOTALL)

PATIENT = Patient(
    key="P1",
    last_name="DUBREUILH",
    birth_name="Lagardère",
    first_names=("Anaïs", "Marie-Laure"),
    sex="F",
    birth_date=date(1938, 11, 7),
    addresses=("12 bis rue des Tilleuls, 87210 DINSAC",),
    zip="87210",
    city="DINSAC",
    phones=("06 39 98 44 17",),
    emails=("anais.dubreuilh@exemple.fr",),
    ipp="0003481297",
    nda="230311842",
    nir="2 38 11 87 912 034 93",
)

CLEAN = """Compte rendu de consultation

Concerne : Mme [[PATIENT|DUBREUILH Anaïs=>VERNAY Odette]], née [[PATIENT|Lagardère=>Montaud]]
Née le [[DATE|07/11/1938=>02/03/1941]]
[[STREET|12 bis rue des Tilleuls=>4 allée du Puits]], [[ZIP|87210=>87150]] [[CITY|DINSAC=>ORADOUR]]
IPP : [[IPP|0003481297=>0007719035]]   N° SS : [[NIR|2 38 11 87 912 034 93=>2 41 03 87 455 210 18]]
Tél. [[PHONE|06 39 98 44 17=>06 39 98 12 60]], [[EMAIL|anais.dubreuilh@exemple.fr=>odette.vernay@exemple.org]]

Patiente de [[AGE|84 ans=>82 ans]], vue le [[DATE|17 mars 2023=>9 avril 2023]] par le Dr [[DOCTOR|Ionescu=>Barthas]],
puis revue le [[DATE|25 avril 2023=>30 avril 2023]] pour une petite dyspnée d'effort. La tension est à 13/8.
Pas de douleur ; le traitement est poursuivi sans changement. Elle sera revue dans le service si besoin.
"""


def checked(marked: str = CLEAN, patient: Patient = PATIENT, document_id: str = "D1", **changes: Any) -> Candidate:
    """A document with what became of it. `changes` may give `markup`, or `text` and `spans` that do not fit.

    A surrogate written with a final `!` is said to be not parsed.
    """
    source, candidate = "", ""
    mentions: list[Mention] = []
    surrogates: list[Surrogate] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for mark in _MARK.finditer(marked):
        between = marked[position : mark.start()]
        source, candidate = source + between, candidate + between
        mention = Mention(len(source), len(source) + len(mark["source"]), Label(mark["label"]))
        spans.append((len(candidate), len(candidate) + len(mark["surrogate"])))
        source, candidate = source + mark["source"], candidate + mark["surrogate"]
        mentions.append(mention)
        surrogates.append(Surrogate(mention, mark["surrogate"], "test", parsed=not mark["masked"]))
        position = mark.end()
    source, candidate = source + marked[position:], candidate + marked[position:]
    substitution = Substitution(
        text=changes.get("text", candidate),
        surrogates=tuple(surrogates),
        spans=changes.get("spans", tuple(spans)),
        reference_date=date(2023, 5, 2),
    )
    document = Document(document_id, changes.get("source", source), patient, date(2023, 4, 26))
    return Candidate(document, tuple(changes.get("mentions", mentions)), substitution, changes.get("markup"))
