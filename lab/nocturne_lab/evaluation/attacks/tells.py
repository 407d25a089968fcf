"""Signs of leaks among surrogates: features of the identifiers of published texts, by an attacker with open tables."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import log2, log10

from deid.domain.labels import NAMES, PLACES, Label
from deid.french.folding import comparable, without_accents, words
from deid.reference.tables import packaged_tables
from deid.substitution.generators.organisation_names import COMPLEMENTS, WHOLE
from deid.substitution.generators.phones import FICTION
from nocturne_lab.evaluation.attacks.planted import UNASSIGNED, Released, Span

# Words of names, places and organisations that tell nobody.
_COMMON = frozenset(
    "m mr mme mlle dr pr monsieur madame docteur professeur saint sainte ste rue avenue av bd boulevard chemin place "
    "allee route impasse cedex centre hopital hospitalier clinique service chu chru ch ehpad laboratoire pharmacie "
    "cabinet ecole lycee college residence des les sur".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_ACCENT = re.compile("[éèêëàâçîïôùûü]", re.IGNORECASE)
_COUNTRY = re.compile(r"^\s*(?:\+|00)\s*33\s*(?:\(0\)|0)?")
_DIGIT = re.compile(r"\d")
_AROUND = 2  # words on each side
_MASCULINE, _FEMININE = frozenset({"m", "mr", "monsieur", "frere", "fils"}), frozenset({"mme", "mlle", "madame"})

# The names that surrogates of organisations are given, without their towns.
_ORGANISATIONS = frozenset(words(one) for names in (*COMPLEMENTS.values(), *WHOLE.values()) for one in names)

Value = tuple[str, str]  # family of labels, and a word or the whole value


def values(document: Released, span: Span) -> tuple[Value, ...]:
    """Return what a span is compared by: its telling words, or its letters and digits where it has none."""
    text, family = document.said(span), _family(span.label)
    if span.label in NAMES | PLACES | {Label.ORG}:
        found = [word for word in words(text) if len(word) > 2 and not word.isdigit() and word not in _COMMON]
        if found:
            return tuple((family, word) for word in found)
    return ((family, comparable(text)),)


def _family(label: Label) -> str:
    return "name" if label in NAMES else label


class Tells:
    """Features of the identifiers of a release.

    The attacker counts values over all published documents. Of `known` documents, which a worst case lets him know, he
    has learned besides which values are surrogates and which are leaks; a document's own status is never used for it.
    """

    def __init__(self, documents: Sequence[Released], known: Iterable[Released]) -> None:
        self._tables = packaged_tables()
        self._streets = {words(one) for one in self._tables.communes.streets}
        self._in_documents: dict[Value, Counter[str]] = defaultdict(Counter)
        self._of_patients: dict[tuple[str, Value], set[str]] = defaultdict(set)
        self._patients: dict[Value, set[str]] = defaultdict(set)
        self._kin: dict[tuple[str, str], Counter[Value]] = defaultdict(Counter)
        self._learned: dict[tuple[str | None, bool, Value], set[str]] = defaultdict(set)
        for document in documents:
            for span in document.spans:
                self._count(document, span)
        for document in known:
            for span in document.spans:
                for value in values(document, span):
                    self._learned[document.patient, span.leak is not None, value].add(document.id)
                    self._learned[None, span.leak is not None, value].add(document.id)

    def _count(self, document: Released, span: Span) -> None:
        for value in values(document, span):
            self._in_documents[value][document.id] += 1
            self._of_patients[document.patient, value].add(document.id)
            self._patients[value].add(document.patient)
            self._kin[document.patient, span.label][value] += 1

    def of(self, document: Released) -> list[list[str]]:
        """Return the features of each span of a document, in order."""
        here = _Here(document)
        return [list(self._features(document, span, here)) for span in document.spans]

    def _features(self, document: Released, span: Span, here: _Here) -> Iterator[str]:
        label, found = span.label, values(document, span)
        yield label
        own = (*self._counts(document, span, found), *self._learned_of(document, found), *self._form(document, span))
        agreeing = self._agreement(document, span, here)
        for feature in (*own, *agreeing):
            yield f"{label} {feature}"
            yield feature
        yield from (f"{family}={word}" for family, word in found)
        yield from (f"{label} {one}" for one in _around(document, span))

    def _counts(self, document: Released, span: Span, found: Sequence[Value]) -> Iterator[str]:
        """Counts of how often a value is written: in the document, in the patient's others, of other patients."""
        here = min(self._in_documents[value][document.id] for value in found)
        beside = min(len(self._of_patients[document.patient, value] - {document.id}) for value in found)
        others = max(len(self._patients[value] - {document.patient}) for value in found)
        kin = self._kin[document.patient, span.label]
        most = max((count for value, count in kin.items() if value not in found), default=0)
        mine = max(kin[value] for value in found)
        yield f"here {_size(here)}"
        yield f"beside {_size(beside)}"
        yield f"others {_size(others)}"
        yield f"once of many {here == 1 and beside == 0} {_size(most)}"
        yield f"kin {_size(mine)} {_size(most)}"
        yield f"all {_size(here)} {_size(beside)} {_size(others)}"

    def _learned_of(self, document: Released, found: Sequence[Value]) -> Iterator[str]:
        for patient, name in ((document.patient, "patient"), (None, "anyone")):
            for leak in (False, True):
                times = max(len(self._learned.get((patient, leak, value), set()) - {document.id}) for value in found)
                yield f"learned {name} {leak} {_size(times)}"

    def _form(self, document: Released, span: Span) -> Iterator[str]:
        text = document.said(span)
        yield f"accents {_ACCENT.search(document.text) is not None} {_accents(text)} {text.isupper()}"
        yield f"shape {_shape(text)}"
        yield f"length {len(text) // 3}"
        if span.label in NAMES:
            yield from self._name(text)
        elif span.label is Label.CITY:
            communes = self._tables.communes.find(text)
            yield f"commune {round(log10(communes[0].population + 1)) if communes else None} {len(communes) > 1}"
            yield f"commune written {communes[0].name == text if communes else None}"
        elif span.label is Label.ZIP:
            yield f"zip known {bool(self._tables.communes.at_zip(comparable(text)))} {comparable(text)[2:]}"
            yield f"zip {comparable(text)[:2]}"
        elif span.label is Label.PHONE:
            digits = "".join(_DIGIT.findall(text))
            yield from (f"phone {digits[:size]}" for size in (2, 4, 6))
            national = "".join(_DIGIT.findall(_COUNTRY.sub("0", text)))
            yield f"phone unassigned {national[:6] in UNASSIGNED} {len(digits)}"
            yield f"phone digits {len(digits)} fiction {any(start[1:] in digits for start in FICTION.values())}"
        elif span.label is Label.EMAIL:
            domain = text.partition("@")[2].casefold()
            yield f"domain {domain}"
            yield f"ends {domain.rpartition('.')[2]} {any(map(str.isdigit, domain))}"

    def _name(self, text: str) -> Iterator[str]:
        """Frequency of a name in the open tables that surrogates are drawn from."""
        names = self._tables.names
        for word in words(text):
            if len(word) > 2 and word not in _COMMON:
                first = names.first.get(word)
                births = first.births if first else 0
                yield f"surname {_magnitude(names.surnames.get(word, 0))} first name {_magnitude(births)}"
                yield f"cohort {first.cohort if first else None}"
        told = [word for word in words(text) if len(word) > 2 and word not in _COMMON]
        drawn = sum(word in _drawable() for word in told)
        yield f"drawable {drawn == len(told)}"
        yield f"drawable {drawn} of {len(told)}"
        for word in _WORD.findall(text):
            known = names.first.get(without_accents(word).casefold())
            yield f"known {known is not None} accents {_accents(word)}"

    def _agreement(self, document: Released, span: Span, here: _Here) -> Iterator[str]:
        """Agreement of a value with the others of its document."""
        text = document.said(span)
        if span.label in NAMES:
            sexes = {self._tables.names.sex_of(word) for word in words(text)} - {None}
            yield f"sex {sorted(filter(None, sexes))} {_civility(document, span)}"
            yield f"in an address {any(word in here.addresses for _, word in values(document, span))}"
        elif span.label is Label.EMAIL:
            local = words(text.partition("@")[0])
            yield f"of a name {any(word in here.names or word[1:] in here.names for word in local)}"
        elif span.label is Label.ZIP:
            yield f"department shared {_size(here.departments[comparable(text)[:2]])} {_size(len(here.departments))}"
        elif span.label is Label.CITY:
            departments = {one.department for one in self._tables.communes.find(text)}
            yield f"of a department here {bool(departments & here.departments.keys())} {bool(here.departments)}"
            yield f"in an organisation {any(word in here.organisations for word in words(text))}"
        elif span.label is Label.PHONE:
            zone = "".join(_DIGIT.findall(text))[:2]
            yield f"zone {zone} {_size(here.zones[zone])} {_size(len(here.zones))}"
            yield from (f"zone {zone} department {one}" for one in here.departments)
        elif span.label is Label.STREET:
            yield f"street drawable {any(one in self._streets for one in _tails(words(text)))}"
        elif span.label is Label.ORG:
            yield f"organisation drawable {any(one in _ORGANISATIONS for one in _tails(words(text)))}"
            yield f"names a town here {any(word in here.cities for word in words(text) if word not in _COMMON)}"


@cache
def _drawable() -> frozenset[str]:
    """Words of the names that surrogates are drawn from."""
    crowds = packaged_tables().names.crowds
    return frozenset(word for crowd in crowds for name in crowd.members for word in words(name))


class _Here:
    """Values of one published document that others should agree with."""

    def __init__(self, document: Released) -> None:
        said: Mapping[str, list[str]] = defaultdict(list)
        for span in document.spans:
            said[_family(span.label)].append(document.said(span))
        self.names = _long_words(said["name"])
        self.cities = _long_words(said[Label.CITY])
        self.organisations = _long_words(said[Label.ORG])
        self.addresses = _long_words(said[Label.EMAIL])
        self.departments = Counter(comparable(one)[:2] for one in said[Label.ZIP])
        self.zones = Counter("".join(_DIGIT.findall(one))[:2] for one in said[Label.PHONE])


def _long_words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for one in texts for word in words(one) if len(word) > 2 and word not in _COMMON)


def _around(document: Released, span: Span) -> Iterator[str]:
    """The folded words around a span, and the first word of its line."""
    before = words(document.text[max(0, span.start - 40) : span.start])[-_AROUND:]
    after = words(document.text[span.end : span.end + 40])[:_AROUND]
    line = document.text.rfind("\n", 0, span.start) + 1
    yield f"before {' '.join(before)}"
    yield from (f"before {word}" for word in before)
    yield f"after {' '.join(after)}"
    yield f"opening {next(iter(words(document.text[line : span.start])), '-')}"


def _tails(said: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words from each on: the name of a street or an organisation ends it."""
    yield from (said[at:] for at in range(len(said)))


def _civility(document: Released, span: Span) -> str | None:
    near = words(document.text[max(0, span.start - 14) : span.end])[:4]
    return next(("M" if one in _MASCULINE else "F" for one in near if one in _MASCULINE | _FEMININE), None)


def _accents(text: str) -> bool:
    return _ACCENT.search(text) is not None


def _magnitude(births: int) -> int:
    return round(2 * log10(births + 1))


def _size(count: int) -> int:
    return min(round(2 * log2(count + 1)), 9)


def _shape(text: str) -> str:
    """Capitals as X, other letters as x, digits as 9, with runs cut at two."""
    marked = re.sub(r"[^\W\d_]", lambda one: "X" if one.group().isupper() else "x", text)
    return re.sub(r"(.)\1+", r"\1\1", re.sub(r"\d", "9", marked))
