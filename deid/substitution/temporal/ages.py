"""Read and write AGE mentions: a number of years, months, weeks or days, in figures, in words, or by decade."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from deid.substitution import numerals
from deid.substitution.folding import flat
from deid.substitution.shapes import sentence_case_of
from deid.substitution.temporal.values import Unit

OLDEST = 125
_DECADES = {
    "vingtaine": 20, "trentaine": 30, "quarantaine": 40, "cinquantaine": 50, "soixantaine": 60,
}  # fmt: skip
_PEOPLE = {
    "quadragenaire": 40, "quinquagenaire": 50, "sexagenaire": 60, "septuagenaire": 70, "octogenaire": 80,
    "nonagenaire": 90, "centenaire": 100, "trentenaire": 30,
}  # fmt: skip
_DECADE_WORDS = ("dizaine", "vingtaine", "trentaine", "quarantaine", "cinquantaine", "soixantaine")
_PEOPLE_WORDS = {
    30: "trentenaire", 40: "quadragénaire", 50: "quinquagénaire", 60: "sexagénaire", 70: "septuagénaire",
    80: "octogénaire",
}  # fmt: skip
_UNITS = {"an": Unit.YEAR, "ann": Unit.YEAR, "a": Unit.YEAR, "y": Unit.YEAR, "p": Unit.YEAR}
_UNITS |= {"mo": Unit.MONTH, "m": Unit.MONTH, "s": Unit.WEEK, "j": Unit.DAY}
_UNIT = r"(?:ans?|annees?|printemps|a\b\.?|y\b|mois|m\b|semaines?|sem\b\.?|s\b|jours?|jrs?|j\b)"
_AGE = re.compile(
    rf"(?P<number>\d{{1,3}})(?:[.,](?P<decimal>\d))?(?P<gap> ?)(?P<unit>{_UNIT})?"
    rf"(?P<tail>(?: et)? (?:demi|1/2)| ?½| ?1/2)?(?P<rest>.*)"
)
_WITH_MONTHS = re.compile(
    r"(?P<years>\d{1,2})(?P<between> ?(?:ans?|a) ?(?:et )?)(?P<months>\d{1,2})(?P<after>/12| ?mois| ?m)?"
)
_SPOKEN = re.compile(
    r"(?P<words>[a-z]+(?:[ -][a-z]+)*?)(?P<tail> ?(?:ans?|annees?|mois|semaines?|jours?|printemps)\b.*|)"
)
_ORDINAL_YEAR = re.compile(r"(?P<words>[a-z -]+?)i?eme annee")
_SCANNED = re.compile(r"(?<![a-z])(?=[ol]*\d)[0-9ol]+(?![a-z])|(?<![a-z])[0-9ol]*\d[ol]?(?=a)")


@dataclass(frozen=True, slots=True)
class Age:
    """An age in `unit`, counted in `step`-ths of it: 9 years and a half is 19 with step 2; a decade counts as 10 years.

    `kind` says how it is written: figures, spoken, months (years and months), decade, people, ordinal.
    """

    unit: Unit
    value: int
    kind: str
    model: str
    step: int = 1
    head: str = ""
    tail: str = ""
    width: int = 0

    @property
    def years(self) -> float:
        """The age in years."""
        per_year = {Unit.YEAR: 1, Unit.MONTH: 12, Unit.WEEK: 52.18, Unit.DAY: 365.24, Unit.DECADE: 0.1}
        return self.value / self.step / per_year[self.unit]


@lru_cache(maxsize=16384)
def parse(text: str) -> Age | None:
    """What an AGE mention says, or None if it cannot be read or nobody is that old (more than 125 years)."""
    plain = _SCANNED.sub(lambda m: m.group().replace("o", "0").replace("l", "1"), flat(text))
    if len(plain) != len(text):
        return None
    for reader in (_with_months, _figures, _by_decade, _ordinal, _spoken):
        age = reader(plain, text)
        if age is not None:
            return age if age.years <= OLDEST else None
    return None


def _with_months(plain: str, text: str) -> Age | None:
    match = _WITH_MONTHS.fullmatch(plain)
    if match is None or not 0 <= int(match["months"]) <= 11:
        return None
    value = int(match["years"]) * 12 + int(match["months"])
    between, after = (text[match.start(name) : match.end(name)] for name in ("between", "after"))
    return Age(Unit.MONTH, value, "months", text, head=between, tail=after)


def _figures(plain: str, text: str) -> Age | None:
    match = _AGE.fullmatch(plain)
    if match is None:
        return None
    number = int(match["number"])
    written = match["unit"] or ""
    unit = next(
        (_UNITS[start] for start in ("ann", "an", "mo", "a", "y", "p", "m", "s", "j") if written.startswith(start)),
        Unit.YEAR,
    )
    width = len(match["number"]) if match["number"].startswith("0") else 0
    if match["rest"].strip(" .,;") and not re.fullmatch(r" (?:revolus?|passes?|environ|et plus)", match["rest"]):
        return None
    unit_text = text[match.end("decimal" if match["decimal"] else "number") : match.end("unit")] if written else ""
    if match["tail"]:
        tail = text[match.start("tail") : match.end("tail")]
        return Age(unit, number * 2 + 1, "half", text, step=2, head=unit_text, tail=tail)
    if match["decimal"]:
        value = number * 10 + int(match["decimal"])
        return Age(unit, value, "decimal", text, step=10, head=plain[match.end("number")], tail=unit_text)
    return Age(unit, number, "figures", text, tail=text[match.end("number") :], width=width)


def _by_decade(plain: str, text: str) -> Age | None:
    for table, kind in ((_DECADES, "decade"), (_PEOPLE, "people")):
        match = re.fullmatch(rf"(?P<lead>.*?)(?P<word>{'|'.join(table)})(?P<rest>s?(?: d'annees)?)", plain)
        if match is not None:
            head, tail = text[: match.end("lead")], text[match.start("rest") :]
            return Age(Unit.DECADE, table[match["word"]] // 10, kind, text, head=head, tail=tail)
    return None


def _ordinal(plain: str, text: str) -> Age | None:
    match = _ORDINAL_YEAR.fullmatch(plain)
    if match is None:
        return None
    stem = re.findall("[a-z]+", match["words"])
    stem[-1] = {"quatr": "quatre", "neuv": "neuf", "cinqu": "cinq", "onz": "onze", "un": "un"}.get(stem[-1], stem[-1])
    for end in ("", "e"):
        value = numerals.read([*stem[:-1], stem[-1] + end])
        if value is not None:
            return Age(Unit.YEAR, value, "ordinal", text)
    return None


def _spoken(plain: str, text: str) -> Age | None:
    match = _SPOKEN.fullmatch(plain)
    if match is None:
        return None
    value = numerals.read(re.findall("[a-z]+", match["words"]))
    if value is None:
        return None
    tail = match["tail"].strip()
    unit = next((unit for start, unit in _UNITS.items() if len(start) > 1 and tail.startswith(start)), Unit.YEAR)
    if tail.startswith("sem"):
        unit = Unit.WEEK
    elif tail.startswith("j"):
        unit = Unit.DAY
    raw_tail = text[match.start("tail") :]
    if re.search(r"et demi|½", plain):
        cut = re.search(r" ?(?:et demi|½)", raw_tail, re.IGNORECASE)
        head = raw_tail[: cut.start()] if cut else raw_tail
        return Age(unit, value * 2 + 1, "spoken half", text, step=2, head=head, tail=raw_tail[len(head) :])
    return Age(unit, value, "spoken", text, tail=raw_tail)


def write(age: Age, value: int, top_code: int) -> str:
    """Another `value`, in the unit, step and form of `age`; `top_code` years or more as that many and more."""
    years = replace(age, value=value).years
    if years >= top_code:
        return _top_coded(age, top_code)
    hyphens = _hyphenated(age)
    match age.kind:
        case "months":
            width = 2 if age.tail == "" and age.model[-2:-1] == "0" else 1
            return f"{value // 12}{_plural(age.head, value // 12)}{value % 12:0{width}d}{age.tail}"
        case "figures":
            return f"{value:0{age.width}d}{_plural(age.tail, value)}"
        case "half":
            return f"{value // 2}{_plural(age.head, value // 2)}{age.tail if value % 2 else ''}"
        case "decimal":
            return f"{value // 10}{age.head}{value % 10}{age.tail}"
        case "decade":
            return age.head + sentence_case_of(age.model, _DECADE_WORDS[min(max(value, 2), 6) - 1]) + age.tail
        case "people":
            return age.head + sentence_case_of(age.model, _PEOPLE_WORDS[min(max(value, 3), 8) * 10]) + age.tail
        case "ordinal":
            return sentence_case_of(age.model, f"{_ordinal_word(value)} année")
        case "spoken half":
            words = sentence_case_of(age.model, numerals.write(value // 2, hyphens=hyphens))
            return words + _plural(age.head, value // 2) + (age.tail if value % 2 else "")
        case _:
            feminine = age.unit is Unit.WEEK
            words = numerals.write(value, hyphens=hyphens, feminine=feminine)
            return sentence_case_of(age.model, words) + _plural(age.tail, value)


def _top_coded(age: Age, top_code: int) -> str:
    match age.kind:
        case "people":
            return age.head + sentence_case_of(age.model, "personne très âgée")
        case "decade" | "ordinal":
            return sentence_case_of(age.model, f"{top_code} ans et plus")
        case "spoken" | "spoken half":
            words = numerals.write(top_code, hyphens=_hyphenated(age))
            return sentence_case_of(age.model, f"{words} ans et plus")
    unit = re.match(r"\s*[A-Za-zé.]+", age.tail if age.kind == "figures" else "")
    if unit is not None and flat(unit.group()).strip().startswith("an"):
        return f"{top_code}{unit.group()} {'ET PLUS' if unit.group().isupper() else 'et plus'}"
    return f"{top_code}+"


def _hyphenated(age: Age) -> bool:
    """Whether numbers in words carry hyphens: unless the model spells several words with spaces only."""
    said = age.model.removesuffix(age.head + age.tail)
    return "-" in said or len([word for word in flat(said).split() if word != "et"]) < 2 or " et " in flat(said)


def _plural(tail: str, value: int) -> str:
    """The unit agreed with the number: "1 an", "2 ans"."""
    if value < 2:
        return re.sub(r"(?i)(?<![a-z])(an|semaine|jour|ann[ée]e)s\b", r"\1", tail, count=1)
    return re.sub(
        r"(?i)(?<![a-z])(an|semaine|jour|ann[ée]e)\b", lambda m: m[1] + ("S" if m[1].isupper() else "s"), tail, count=1
    )


def _ordinal_word(value: int) -> str:
    words = numerals.write(value)
    words = words.removesuffix("s") if words.endswith(("vingts", "cents")) else words
    for end, instead in (("cinq", "cinqu"), ("neuf", "neuv")):
        if words.endswith(end):
            words = words.removesuffix(end) + instead
    return words.removesuffix("e") + "ième"
