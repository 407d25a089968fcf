"""Alter places and organisations: CITY, ZIP, LOC, STREET and ORG mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from deid.detection.text.vocabulary import ORG_ACRONYMS, ORG_FILLERS, ORG_HEADS, ORG_PARTICLES, SPECIFYING_WORDS
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import of_place
from deid.french.folding import accented_like, comparable, fold_line, in_case_of, titled, without_accents
from deid.reference.packaged import packaged_communes, packaged_rows
from deid.substitution.context import DocumentContext
from deid.substitution.places.streets import HAMLETS, SITE_NAMES, StreetNames
from deid.substitution.places.streets import Streets as Writer
from nocturne_lab.learning.augmentation import pools
from nocturne_lab.learning.augmentation.pieces import Piece
from nocturne_lab.learning.augmentation.pools import Town
from nocturne_lab.learning.augmentation.rates import Rates, SeededRandom

_CEDEX = re.compile(r"[\s-]*\bcedex\b.*$", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;:()/–—-]*(?:f-|fr-)?[\s(]*", re.IGNORECASE)
_REACH = 14
_SAINT = re.compile(r"\bSaint(e?)-")
_TAIL = re.compile(r"^(?P<head>[a-zà-ÿ][^\n]*?) (?:de (?:la |l')?|du |des |d')(?=[A-ZÀ-Ý])")


class CopiedPlaces:
    """Towns, postal codes and areas of one copy: equal towns get equal surrogates, with their own postal codes."""

    def __init__(self, pieces: Sequence[Piece], accented: bool, rng: SeededRandom, rates: Rates) -> None:
        self._rng = rng
        self._rates = rates
        self._accented = accented
        self._drawn: dict[str, Town | None] = {}
        self._codes: dict[str, str] = {}
        self._keys = dict(_keys(pieces))

    def write(self, index: int, piece: Piece) -> str:
        """Return the new text of the CITY, ZIP or LOC piece at `index`."""
        if piece.label is Label.LOC:
            return self._area(piece.text)
        town = self.town(self._keys[index], needs_code=piece.label is Label.ZIP)
        if piece.label is Label.ZIP:
            return self._code(piece.text, town)
        return self.name(piece.text, town)

    def town(self, key: str, *, needs_code: bool = False) -> Town | None:
        """Return the surrogate of the town of that comparable name; None if the town stays."""
        if key not in self._drawn:
            known = key in pools.town_pool().known or key.isdigit()
            self._drawn[key] = None if not known and self._rng.once(self._rates.unknown_town_kept) else self.any()
        town = self._drawn[key]
        if needs_code and town is not None and not town.zips:
            town = self._drawn[key] = self._rng.choice(pools.town_pool().all)
        return town

    def any(self) -> Town:
        """Draw a town; difficult names are more frequent than in ordinary text."""
        towns, at = pools.town_pool(), self._rng.random()
        for rate, group in (
            (self._rates.large_town, towns.large),
            (self._rates.ambiguous_town, towns.ambiguous),
            (self._rates.former_town, towns.former),
            (self._rates.former_town, towns.foreign),
        ):
            if at < rate:
                return self._rng.choice(group)
            at -= rate
        return self._rng.choice(towns.all)

    def name(self, original: str, town: Town | None) -> str:
        """Return a town's name in the case and accents of `original`."""
        cedex = _CEDEX.search(original)
        base = original[: cedex.start()] if cedex else original
        if town is None or not base:
            return original
        name = town.name
        if self._rng.once(self._rates.saint_shortened):
            name = _SAINT.sub(r"St\1-", name)
        if base.isupper() and self._rng.once(0.5):
            name = name.replace("-", " ")
        name = accented_like(base, in_case_of(base, name), self._accented)
        return name + (_redrawn(cedex.group(), self._rng) if cedex else "")

    def _code(self, original: str, town: Town | None) -> str:
        digits = re.sub(r"\D", "", original)
        if len(digits) != 5:
            return _redrawn(original, self._rng)
        if digits not in self._codes:
            self._codes[digits] = self._rng.choice(town.zips) if town and town.zips else self._rng.digits(5)
        source = iter(self._codes[digits])
        return "".join(next(source) if char.isdigit() else char for char in original)

    def _area(self, original: str) -> str:
        table = pools.areas()
        group = table.group_of.get(comparable(original))
        if group is not None:
            name = self._rng.choice(table.groups[group])
        elif (tail := _TAIL.match(original)) is not None:
            name = f"{tail['head']} {of_place(self.any().name)}"
        else:
            return original
        name = in_case_of(original, name)
        return name if self._accented else without_accents(name)


def _keys(pieces: Sequence[Piece]) -> list[tuple[int, str]]:
    """Return the key of each CITY or ZIP piece: the town's name, or the code if no town is beside it."""
    keys: list[tuple[int, str]] = []
    for index, piece in enumerate(pieces):
        if piece.label is Label.CITY:
            keys.append((index, _town_key(piece.text)))
        elif piece.label is Label.ZIP:
            beside = _beside(pieces, index)
            keys.append((index, _town_key(beside) if beside else re.sub(r"\D", "", piece.text) or "0"))
    return keys


def _town_key(text: str) -> str:
    return comparable(_CEDEX.sub("", text) or text)


def _beside(pieces: Sequence[Piece], index: int) -> str | None:
    """Return the CITY next to a ZIP, after or before."""
    for between, other in ((index + 1, index + 2), (index - 1, index - 2)):
        if (
            0 <= other < len(pieces)
            and pieces[other].label is Label.CITY
            and len(pieces[between].text) <= _REACH
            and _BETWEEN.fullmatch(pieces[between].text)
        ):
            return pieces[other].text
    return None


def _redrawn(text: str, rng: SeededRandom) -> str:
    return "".join(rng.choice("123456789") if char.isdigit() else char for char in text)


# STREET: the generator of `deid.substitution`, with more names of hamlets.
_FEW = re.compile("|".join(map(re.escape, (*HAMLETS, *SITE_NAMES))), re.IGNORECASE)
_MADE = (
    "Le Mas {}",
    "Chez {}",
    "La {}ière",
    "Les {}",
    "Le Moulin de {}",
    "Le Champ {}",
    "{}",
    "Ker{}",
    "Le Bois {}",
    "La Font {}",
)


# Spellings of the kinds of ways; those of a row are interchangeable.
_SPELLINGS = (
    ("rue", "r.", "r"),
    ("avenue", "av.", "av", "ave"),
    ("boulevard", "bd", "bd.", "boul.", "bld"),
    ("place", "pl.", "pl"),
    ("chemin", "ch.", "chem.", "che"),
    ("impasse", "imp.", "imp"),
    ("allée", "all.", "allee"),
    ("route", "rte", "rte."),
    ("résidence", "rés.", "res", "résid."),
    ("bâtiment", "bât.", "bat", "bât"),
)
_SPELLING = {spelling: row for row in _SPELLINGS for spelling in row}
_WAY = re.compile(r"(?<![^\W\d_])(?P<way>[^\W\d_]{2,})\b(?!\.)", re.IGNORECASE)
_NUMBER = re.compile(r"^(\d+(?: ?(?:bis|ter))?),? (?=[^\W\d_])", re.IGNORECASE)


class CopiedStreets:
    """Street addresses of one copy."""

    def __init__(self, context: DocumentContext, rng: SeededRandom, rates: Rates) -> None:
        self._writer = Writer(context, _names())
        self._rng = rng
        self._rates = rates

    def write(self, mention: Mention) -> str:
        """Return the new text of a mention."""
        drawn = self._writer.write(mention, 0).text
        text = _FEW.sub(self._rarer, drawn)
        return self._respelt(text) if self._rng.once(self._rates.respelt_street) else text

    def _respelt(self, text: str) -> str:
        """Abbreviate or spell out the kind of way, with or without a comma after the number."""
        text = _WAY.sub(self._spelling, text, count=1)
        return _NUMBER.sub(self._rng.choice((r"\1, ", r"\1 ")), text)

    def _spelling(self, match: re.Match[str]) -> str:
        spellings = _SPELLING.get(match.group().lower())
        return in_case_of(match.group(), self._rng.choice(spellings)) if spellings else match.group()

    def _rarer(self, match: re.Match[str]) -> str:
        """Draw a name of a hamlet outside every list."""
        rng = self._rng
        if match.group().lower().startswith("d"):
            name = of_place(rng.choice(pools.town_pool().all).name)
        else:
            made = rng.choice(_MADE)
            surname = rng.choice(pools.surname_pool().real)
            name = made.format(surname.lower() if made.startswith("Ker") else surname)
        return in_case_of(match.group(), name)


@cache
def _names() -> StreetNames:
    return StreetNames(packaged_communes())


# ORG: the words of the kind stay; the proper name or the town is replaced.
_WORD = re.compile(r"[^\W\d_]+")
_KINDS = ORG_HEADS | SPECIFYING_WORDS | ORG_ACRONYMS
_LONGEST_NAME = 30
# Kinds of one row take the same article and are interchangeable.
_ALIKE = {
    fold_line(kind): row
    for row in (
        (
            "CHU", "CH", "CHR", "CHRU", "CHI", "Centre hospitalier", "Centre hospitalier universitaire", "GHT",
            "Groupe hospitalier", "Centre hospitalier intercommunal", "Centre hospitalier régional",
        ),
        ("EHPAD", "Hôpital", "Institut", "ESAT", "IME", "USLD", "Hôpital privé", "Hôpital local"),
        ("Clinique", "Polyclinique", "Maison de santé", "Maison de retraite", "Résidence", "Pharmacie"),
        ("Laboratoire", "Cabinet", "Centre médical", "Centre de santé", "Foyer", "Cabinet médical"),
    )
    for kind in row
}  # fmt: skip
# Businesses named after someone.
_FIRMS = ("{} SA", "{} et Fils", "{} Frères", "{} Industrie", "Transports {}", "Ets {}", "{} Santé", "{}lab", "Bio{}")


class CopiedOrganisations:
    """Organisations of one copy: equal originals get equal surrogates."""

    def __init__(self, places: CopiedPlaces, accented: bool, rng: SeededRandom, rates: Rates) -> None:
        self._rates = rates
        self._places = places
        self._accented = accented
        self._rng = rng
        self._drawn: dict[str, str] = {}

    def write(self, original: str) -> str:
        """Return the new text of a mention."""
        end = kind_end(original)
        kind, rest = original[:end], original[end:]
        if end and not _WORD.search(rest):
            return original
        if comparable(rest) not in self._drawn:
            self._drawn[comparable(rest)] = self._name(rest) if end else self._unannounced(original)
        name = self._drawn[comparable(rest)]
        gap = rest[: len(rest) - len(rest.lstrip(" -"))] or " "
        if fold_line(kind) in _ALIKE and self._rng.once(self._rates.other_kind):
            kind = in_case_of(kind, self._rng.choice(_ALIKE[fold_line(kind)]))
        text = f"{kind}{gap}{in_case_of(rest, name)}" if end else in_case_of(original, name)
        return accented_like(original, text, self._accented)

    def _name(self, rest: str) -> str:
        """Draw the name after the words of a kind."""
        bare = _bare(rest)
        if comparable(bare) in pools.town_pool().known and (town := self._places.town(comparable(bare))):
            return of_place(town.name) if bare != rest.strip(" -") else town.name
        at = self._rng.random()
        if at < 0.35:
            return self._rng.choice(_inner_names())
        if at < 0.55:
            return self._person()
        if at < 0.7:
            return of_place(self._rng.choice(pools.town_pool().all).name)
        if at < 0.85:
            return "Saint-" + self._rng.choice(pools.first_name_pool()["M", False])
        return self._rng.choice(pools.surname_pool().real)

    def _person(self) -> str:
        """Draw the name of a person honoured: "Jean-Moulin"."""
        first = self._rng.choice(pools.first_name_pool()[self._rng.choice("FM"), False])
        return first + self._rng.choice(" -") + self._rng.choice(pools.surname_pool().real)

    def _unannounced(self, original: str) -> str:
        """Return a company for a name without a word of its kind; half of the names stay."""
        if self._rng.once(0.5) or not original[:1].isalpha():
            return original
        if self._rng.once(0.5):
            return self._rng.choice(pools.companies())
        return self._rng.choice(_FIRMS).format(self._rng.choice(pools.surname_pool().real))


def kind_end(text: str) -> int:
    """Return the end of the words of an organisation's kind: "centre hospitalier" in "centre hospitalier d'Agen"."""
    end = 0
    words = list(_WORD.finditer(text))
    if not words or (fold_line(words[0].group()) not in ORG_HEADS and fold_line(words[0].group()) not in ORG_PARTICLES):
        return 0
    for word in words:
        plain = fold_line(word.group())
        if plain in _KINDS:
            end = word.end()
        elif plain not in ORG_FILLERS:
            break
    return end


def _bare(rest: str) -> str:
    return re.sub(r"^[ -]*(?:de la |de l['’]|du |des |de |d['’])?", "", rest, flags=re.IGNORECASE)


@cache
def _inner_names() -> Sequence[str]:
    """Return the own names of the establishments of the table, without the words of their kind."""
    found = set()
    for row in packaged_rows("establishments"):
        name = row["name"]
        end = kind_end(name)
        inner = name[end:].strip(" -")
        if end and inner.replace(" ", "").replace("'", "").isalpha() and 3 < len(inner) <= _LONGEST_NAME:
            found.add(titled(inner))
    return sorted(found)
