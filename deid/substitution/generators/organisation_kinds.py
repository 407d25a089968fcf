"""Kind of an organisation that no word of its kind announces: by the name itself, by the words around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from deid.domain import read_lists
from deid.french.articles import own_article
from deid.french.folding import comparable, fold_line, without_accents, words
from deid.french.organisation_heads import OrgKind
from deid.french.organisations import COMPANIES, HOSPITALS
from deid.french.social_words import find_occupations
from deid.substitution.generators.organisation_names import KNOWN, PEOPLE, PHYSICIANS, WHOLE

HOSPITAL_ACRONYM = re.compile("ch[a-z]{1,4}|gh[a-z]{1,4}|(?P<group>ap-?h[mp]|hcl)")
_REGIMENT = re.compile(r"\d+ ?(?:er|e|eme|nd)? ?(?:r[a-z]{1,4}|b[a-z]{1,3}|regiment.*|bataillon.*)")
_OF_A_PLACE = re.compile(r" (?:d['’]|de |du |des ).*\Z", re.IGNORECASE | re.DOTALL)  # "Croix-Rouge de Luc-sur-Mer"
# Words behind a bare name that say that it is a hospital.
_BEHIND = re.compile(
    r"[\s,(/–—:-]{0,3}(?:dr|pr|docteur|professeur|service|reanimation|rea|chirurgie|poste \d|cardio\w*|neuro\w*|"
    r"urgences|pediatrie|maternite|medecine|oncolog\w+|unite)\b"
)
_SAINT = re.compile(r"(?:sainte?s?|ste?|notre[ -]dame)[ -]")
_LEAST_OPENING = 4
_PENSION = re.compile(
    r"\b(?:pension\w*|reversion|regime(?: special)?)(?: (?:versee?|servie?))? (?:de |par |d')?(?:la |l')?\Z"
)
_CLAUSE = re.compile(r"[.!?\n]|;(?= )")  # "LABO;Cyto-Path" is a cell behind its label


def _one_of(kinds: Mapping[str, str]) -> re.Pattern[str]:
    found = ((kind.upper(), "".join(lines.splitlines())) for kind, lines in kinds.items())
    return re.compile("|".join(f"(?P<{kind}>\\b(?:{said})\\b)" for kind, said in found))


_WITHIN, _NEAR = map(_one_of, read_lists(__file__).values())


@cache
def _known() -> Mapping[str, OrgKind]:
    """Return comparable name without its article → kind, of names known in the whole country."""
    found = {comparable(name): OrgKind.EMPLOYER for name in COMPANIES}
    found |= {comparable(name[len(own_article(name)) :]): OrgKind.HOSPITAL for name in HOSPITALS}
    found |= {comparable(name): kind for kind, names in KNOWN.items() for name in names}
    for kind, names in WHOLE.items():
        if kind is not OrgKind.EMPLOYER and (kind in KNOWN or kind is OrgKind.MILITARY):
            found |= {comparable(name[len(own_article(name)) :]): kind for name in names}
    return found


def known_kind(name: str) -> OrgKind | None:
    """Return the kind of an organisation that the country knows by this whole name, or None: "MGEN", "la Cimade"."""
    return _known().get(comparable(name[len(own_article(name)) :]))


def is_known_hospital(name: str) -> bool:
    """Return whether a name alone is a hospital's that the country knows: "Necker", "la Timone"."""
    return known_kind(name) in (OrgKind.HOSPITAL, OrgKind.CANCER_CENTRE)


def kind_in_words(name: str, before: str, after: str, *, by_carer: bool) -> OrgKind:
    """Return the kind of a name without a kind's word: by the name, by the words around, by a carer named right ahead.

    `before` and `after` are folded. In a hospital's texts a saint is a hospital; a name that nothing tells is of
    another kind.
    """
    plain = without_accents(name).casefold()
    bare = name[len(own_article(name)) :]
    if comparable(bare) in _state_companies() and _PENSION.search(before):
        return OrgKind.STATE_COMPANY
    known = _known().get(comparable(bare)) or _known().get(comparable(_OF_A_PLACE.sub("", bare))) or _opening(bare)
    if known is not None:
        return known
    if _REGIMENT.fullmatch(plain):
        return OrgKind.MILITARY
    if HOSPITAL_ACRONYM.fullmatch(plain) and name.isupper():
        return OrgKind.HOSPITAL
    near = _told(_NEAR, _CLAUSE.split(before)[-1]) or _by_occupation(before)
    within = _told(_WITHIN, plain)
    weak = (OrgKind.EMPLOYER, OrgKind.ASSOCIATION, OrgKind.SPORT) if near is OrgKind.EMPLOYER else (OrgKind.EMPLOYER,)
    if (told := near or within) is not None:
        return told if within is None or within in weak else within
    cares = by_carer or _BEHIND.match(after) or _SAINT.match(fold_line(bare)) or comparable(bare) in _namesakes()
    return OrgKind.HOSPITAL if cares else OrgKind.OTHER


@cache
def _state_companies() -> frozenset[str]:
    """Return the comparable names of companies that pay pensions of their own."""
    return frozenset(comparable(name[len(own_article(name)) :]) for name in WHOLE[OrgKind.STATE_COMPANY])


def _opening(name: str) -> OrgKind | None:
    """Return the kind of a known name that opens a longer one: "Keolis Oise", "Groupama Centre-Manche"."""
    said = words(name)
    opened = ("".join(said[:end]) for end in range(len(said) - 1, 0, -1))
    return next((_known()[one] for one in opened if len(one) >= _LEAST_OPENING and one in _known()), None)


@cache
def _namesakes() -> frozenset[str]:
    """Return the comparable names of people that hospitals are called by, where no word says a school."""
    return frozenset(map(comparable, (*PHYSICIANS, *PEOPLE)))


def _told(kinds: re.Pattern[str], text: str) -> OrgKind | None:
    """Return the kind that the last word of a kind in a text says, or None."""
    found = [*kinds.finditer(text)]
    return OrgKind[found[-1].lastgroup] if found and found[-1].lastgroup else None


def _by_occupation(before: str) -> OrgKind | None:
    """Return an employer where the words ahead name somebody's occupation: "ancien tôlier à la [SLN]"."""
    clause = _CLAUSE.split(before)[-1]
    return OrgKind.EMPLOYER if any(not one.staff for _, one in find_occupations(clause)) else None
