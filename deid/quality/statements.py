"""Read what a published text says of its patient: first name, surname, sex, birth date, town; and its articles.

Rules of its own, on the mentions, their surrogates and the warehouse's identity: nothing is shared with what draws.
`statements` are compared with the patient's other documents where all of a night are known (`deid.ledger.steps`);
`agreement` counts what one document tells alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from typing import NamedTuple

from deid.domain.document import Document, Patient, Substitution, Surrogate
from deid.domain.labels import NAMES, Label
from deid.domain.outcomes import AgreementKind, Counts, Statement
from deid.quality import grammar, people
from deid.quality.dates import read_date
from deid.quality.words import alnum, fold
from deid.reference.packaged import packaged_rows

_CLEAR_SEX = 0.95  # share of its births from which a first name tells a sex
_AHEAD = re.compile(r"\A(?:(?:dans|de|du|des|a|au|aux|en|le|la|les)\W+|[dl]\W)+(?=\w)")
_CEDEX = re.compile(r"\W*\bcedex\b.*")
_SAINT = re.compile(r"\bst(e?)\b")
_NIR_SEX = {"1": "M", "2": "F"}
_NIR_DATE = slice(1, 5)  # year and month of birth, behind the sex


class _Said(NamedTuple):
    kind: AgreementKind
    source: str
    value: str


def statements(document: Document, substitution: Substitution) -> tuple[Statement, ...]:
    """Return what the published text says of its patient, for other documents of the patient to agree with.

    The sex is among it where the warehouse does not tell it; `agreement` compares it otherwise.
    """
    said = [*_names(document, substitution), *_births(document, substitution), *_towns(document, substitution)]
    if document.patient.sex not in _NIR_SEX.values():
        said += (_Said(AgreementKind.SEX, "", sex) for sex in _sexes(document, substitution))
    return tuple(Statement(*one, times) for one, times in sorted(Counter(said).items()))


def agreement(document: Document, substitution: Substitution) -> Mapping[AgreementKind, Counts]:
    """Return by kind what one document alone can be judged by: its patient's sex, its elisions and articles."""
    found = {}
    if document.patient.sex in _NIR_SEX.values():
        sexes = list(_sexes(document, substitution))
        found[AgreementKind.SEX] = Counts(len(sexes), sum(sex != document.patient.sex for sex in sexes))
    placed = grammar.count_names(substitution)
    found[AgreementKind.ARTICLE] = Counts(placed, grammar.count_errors(substitution))
    return {kind: counts for kind, counts in found.items() if counts.stated}


def _names(document: Document, substitution: Substitution) -> Iterator[_Said]:
    """Yield the words of the patient's names, unless they are first name and surname at once."""
    given, family = _name_words(document.patient)
    for word, drawn in _own_words(document, substitution):
        if (word in given) != (word in family):
            yield _Said(AgreementKind.FIRST_NAME if word in given else AgreementKind.SURNAME, word, drawn)


def _sexes(document: Document, substitution: Substitution) -> Iterator[str]:
    """Yield the sex that each first name of the patient has by the table, and the sex of the patient's NIR."""
    given, family = _name_words(document.patient)
    for word, drawn in _own_words(document, substitution):
        if word in given - family and (sex := _sex_of_names().get(drawn)):
            yield sex
    for _, drawn in _own_nirs(document, substitution):
        if sex := _NIR_SEX.get(drawn[:1]):
            yield sex


def _own_words(document: Document, substitution: Substitution) -> Iterator[tuple[str, str]]:
    """Yield the patient's words in names, each with its surrogate, where the whole name is the patient's.

    A word alone is the patient's under that label only: a relative may bear the same first name.
    """
    own = frozenset().union(*_name_words(document.patient))
    for one in substitution.surrogates:
        if one.mention.label not in NAMES:
            continue
        words = people.paired_words(document, one)
        if one.mention.label is Label.PATIENT or (len(words) > 1 and own.issuperset(word for word, _ in words)):
            yield from ((word, drawn) for word, drawn in words if word in own)


def _name_words(patient: Patient) -> tuple[frozenset[str], frozenset[str]]:
    """The words of the patient's first names and of the surnames."""
    surnames = (patient.last_name or "", patient.birth_name or "")
    given, family = (
        frozenset(word for name in names for word in people.name_words(name))
        for names in (patient.first_names, surnames)
    )
    return given, family


@cache
def _sex_of_names() -> Mapping[str, str]:
    """The first names of one word that tell a sex, folded."""
    births: dict[str, Counter[str]] = {}
    for row in packaged_rows("first_names"):
        births.setdefault(fold(row["name"]), Counter())[row["sex"]] += int(row["births"])
    clear = ((name, sexes.most_common(1)[0], sexes.total()) for name, sexes in births.items())
    return {name: sex for name, (sex, count), total in clear if count >= _CLEAR_SEX * total}


def _births(document: Document, substitution: Substitution) -> Iterator[_Said]:
    """Yield the parts of the patient's birth date: of dates that mean it, and year and month of the NIR."""
    birth = document.patient.birth_date
    if birth is None:
        return
    for one in _labelled(substitution, Label.DATE):
        before = read_date(people.original_text(document, one), document.reference_date)
        after = read_date(one.text, substitution.reference_date)
        if before and after and before.may_be(birth):
            parts = after.signature or _parts_of(after.first, after.last)
            yield from (_part(name, value) for name, value in zip(("year", "month", "day"), parts, strict=False))
    for nir, drawn in _own_nirs(document, substitution):
        if nir[_NIR_DATE] == f"{birth:%y%m}" and drawn[_NIR_DATE].isdecimal():
            yield _part("year", int(drawn[1:3]))
            yield _part("month", int(drawn[3:5]))


def _part(name: str, value: int) -> _Said:
    return _Said(AgreementKind.BIRTH_DATE, name, str(value))


def _parts_of(first: date | None, last: date | None) -> tuple[int, ...]:
    """The year in its century of a date without its day, and the month if one is told."""
    if first is None or last is None or first.year != last.year:
        return ()
    return (first.year % 100, first.month) if first.month == last.month else (first.year % 100,)


def _own_nirs(document: Document, substitution: Substitution) -> Iterator[tuple[str, str]]:
    """Yield the patient's NIR and its surrogate, bare: the insured person's may be another's."""
    own = alnum(document.patient.nir or "")[:13]
    for one in _labelled(substitution, Label.NIR):
        bare = alnum(people.original_text(document, one))
        if own and bare.startswith(own):
            yield bare, alnum(one.text)


def _towns(document: Document, substitution: Substitution) -> Iterator[_Said]:
    """Yield the surrogates of the patient's town and of its postal code."""
    town, code = _bare_town(document.patient.city or ""), alnum(document.patient.zip or "")
    for one in _labelled(substitution, Label.CITY):
        if town and _bare_town(people.original_text(document, one)) == town and (drawn := _bare_town(one.text)):
            yield _Said(AgreementKind.TOWN, town, drawn)
    for one in _labelled(substitution, Label.ZIP):
        if code and alnum(people.original_text(document, one)) == code and (drawn := alnum(one.text)):
            yield _Said(AgreementKind.TOWN, code, drawn)


def _bare_town(written: str) -> str:
    """A town's name without case, accents, hyphens, article, preposition and CEDEX."""
    town = _CEDEX.sub("", fold(written).strip())
    return alnum(_SAINT.sub(r"saint\1", _AHEAD.sub("", town)))


def _labelled(substitution: Substitution, label: Label) -> Iterable[Surrogate]:
    return (one for one in substitution.surrogates if one.mention.label is label)
