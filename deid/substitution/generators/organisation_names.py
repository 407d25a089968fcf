"""Names of organisations to draw from, by kind: each of many establishments, or known in the whole country.

Written for this product from common knowledge; taken from no table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from deid.domain import read_lists
from deid.french.organisation_heads import OrgKind

_LISTS = read_lists(__file__)


def _list(text: str) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in text.split(",") if name.strip())


def _of_kinds(table: str) -> dict[OrgKind, tuple[str, ...]]:
    return {OrgKind(kind): _list(names) for kind, names in _LISTS[table].items()}


PEOPLE, PHYSICIANS, SAINTS, _PLURALS, _OF_SITES, _OF_STREETS = map(
    _list, (_LISTS["shared"][name] for name in ("people", "physicians", "saints", "plurals", "of_sites", "of_streets"))
)
GARDENS = tuple(f"Les {name}" for name in _PLURALS)
_OF_GARDENS = tuple(f"des {name}" for name in _PLURALS)

# What follows the word of a kind: "clinique du Parc", "EHPAD Les Lilas", "école Jean Jaurès".
COMPLEMENTS: Mapping[OrgKind, Sequence[str]] = {
    OrgKind.HOSPITAL: (*SAINTS, *PHYSICIANS),
    OrgKind.CLINIC: (*_OF_SITES, *_OF_GARDENS, *SAINTS, *PHYSICIANS),
    OrgKind.CARE_HOME: (*GARDENS, *SAINTS, *_OF_SITES),
    OrgKind.LABORATORY: (*_OF_STREETS, *PHYSICIANS, *_OF_SITES),
    OrgKind.PHARMACY: (*_OF_STREETS, *_OF_GARDENS),
    OrgKind.PRACTICE: (*_OF_STREETS, *_OF_GARDENS, *_OF_SITES),
    OrgKind.SCHOOL: PEOPLE,
    OrgKind.EMPLOYER: (*_OF_SITES, *_OF_STREETS),
    OrgKind.TRANSPORT: (*SAINTS, *_OF_SITES, *_OF_GARDENS),
    **dict.fromkeys((OrgKind.SPORT, OrgKind.WORSHIP), (*_OF_SITES, *_OF_STREETS)),
    OrgKind.OTHER: (*GARDENS, *_OF_SITES, *SAINTS),
    OrgKind.SHIP: _list(_LISTS["whole"]["ship"]),
    OrgKind.SHOP: _list(_LISTS["whole"]["shop"]),
    **_of_kinds("complements"),
}
# The same of some heads alone.
OF_HEADS = {head: _list(names) for heads, names in _LISTS["by_head"].items() for head in _list(heads)}
_INVENTED = tuple(map("".join, product(*map(_list, _LISTS["invented"].values()))))

# Whole names, each with its article: "la SNCF", "le Crédit agricole"; of companies, invented: "Novalis".
WHOLE: Mapping[OrgKind, Sequence[str]] = {
    **_of_kinds("whole"),
    OrgKind.EMPLOYER: _INVENTED,
    OrgKind.LANDLORD: tuple(f"{name} Habitat" for name in _INVENTED),
    **dict.fromkeys((OrgKind.HOSPITAL, OrgKind.CLINIC), (*PHYSICIANS, *SAINTS)),
    OrgKind.SCHOOL: PEOPLE,
    OrgKind.CARE_HOME: (*GARDENS, *SAINTS),
    OrgKind.PHARMACY: tuple(f"la pharmacie {name}" for name in _OF_STREETS),
    **dict.fromkeys((OrgKind.PRACTICE, OrgKind.WORSHIP), (*GARDENS, *SAINTS)),
}

# Kind → names that tell it alone, folded without article.
KNOWN = _of_kinds("known")
