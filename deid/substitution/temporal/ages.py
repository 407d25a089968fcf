"""Read and write AGE mentions: a number of years, months, weeks or days, in figures, in words, or by decade."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from deid.french import numerals
from deid.french.folding import fold_line, sentence_case_of
from deid.french.numerals import write_like
from deid.substitution.temporal.tokens import FoldedWords
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
_UNIT = r"(?:ann?ees?|ans?|printemps|mois|semaines?|sem|jours?|jrs?|[aymsj])(?![a-z])\.?"
# What may stand ahead of an age in its mention, and change nothing.
_AHEAD = re.compile(
    r"(?:(?:environ|presque|pres de|bientot|a peine|deja|plus de|moins de|age(?:e|s|es)? de|age ?:?|~|±|env\.?|[<>])"
    r" ?)+"
)
# Parts of a unit that may follow a whole number of it: their count and into how many it is cut.
_PARTS = {"demi": (1, 2), "demie": (1, 2), "1/2": (1, 2), "½": (1, 2), "1/4": (1, 4), "¼": (1, 4)}
_PARTS |= {"quart": (1, 4), "3/4": (3, 4), "¾": (3, 4), "trois quarts": (3, 4)}
_PART = r"(?: et)?(?: un)? ?(?P<part>demie?|1/2|½|1/4|¼|quart|3/4|¾|trois quarts)"
_PART_TEXTS = {
    "1/2": ("", "1/2"), "½": ("", "½"), "demi": ("", "demi"), "demie": ("", "demie"),
    "1/4": ("", "1/4", "1/2", "3/4"), "¼": ("", "¼", "½", "¾"), "3/4": ("", "1/4", "1/2", "3/4"),
    "¾": ("", "¼", "½", "¾"), "quart": ("", "un quart", "demi", "trois quarts"),
    "trois quarts": ("", "un quart", "demi", "trois quarts"),
}  # fmt: skip
_AGE = re.compile(
    rf"(?P<number>\d{{1,3}})(?:[.,](?P<decimal>\d))?(?P<gap> ?)(?P<unit>{_UNIT})?(?P<tail>{_PART})?(?P<rest>.*)"
)
_REST = re.compile(r"(?: revolus?| passes?| environ| et plus| de vie| d'age| et quelques mois|\+)?[ .,;]*")
_WITH_MONTHS = re.compile(
    r"(?P<years>\d{1,2})(?P<between> ?(?:ans?|a|;|,? ?et)(?![a-z]) ?(?:et )?)(?P<months>\d{1,2})"
    r"(?P<after>/12| ?mois| ?m| ?ans?)?"
)
# "J12 de vie": the day of a life that began on J0.
_DAY_OF_LIFE = re.compile(r"(?P<lead>j ?)(?P<number>\d{1,3})(?P<rest>(?: de vie)?)")
_SPOKEN = re.compile(
    r"(?P<words>[a-z]+(?:[ -][a-z]+)*?)(?P<tail> ?(?:ans?|annees?|mois|semaines?|jours?|printemps)\b.*|)"
)
_SPOKEN_MONTHS = re.compile(
    r"(?P<years>[a-z]+(?:[ -][a-z]+)*?)(?P<between> ans? (?:et )?)(?P<months>[a-z]+)(?P<after> mois)"
)
_ORDINAL_YEAR = re.compile(r"(?P<words>[a-z -]+?)i?eme annee")
_NUMBERED_YEAR = re.compile(r"(?P<number>\d{1,3}) ?(?:i?eme|e) annee")
_SCANNED = re.compile(
    r"(?<![a-z])(?=[ol]*\d)[0-9ol]+(?![a-z])|(?<![a-z])[0-9ol]*\d[ol]?(?=a)|(?<![a-z0-9])[ol]{2}(?= ?a)"
)
_WORD = re.compile(r"[a-z]+")
_LEXICON = FoldedWords((*numerals.NUMBER_WORDS, "ans", "mois", "semaines", "jours", *_DECADES, *_PEOPLE))
_UNIT_OF_SCAN = dict.fromkeys(("aus", "ang", "ane"), "ans")


@dataclass(frozen=True, slots=True)
class Age:
    """An age of `value` `step`-ths of a `unit`: 9 years and a half is 19 with step 2; a decade counts as 10 years.

    `kind` is its form: figures, parts, decimal, months (years and months), spoken, spoken parts, spoken months, decade,
    people, ordinal, numbered year or day of life. `ahead` is the text before the number, left as it is: "environ ".
    """

    unit: Unit
    value: int
    kind: str
    model: str
    step: int = 1
    head: str = ""
    tail: str = ""
    width: int = 0
    ahead: str = ""
    part: str = ""

    @property
    def years(self) -> float:
        """Return the age in years."""
        return _years(self.unit, self.value, self.step)


_PER_YEAR = {Unit.YEAR: 1, Unit.MONTH: 12, Unit.WEEK: 52.18, Unit.DAY: 365.24, Unit.DECADE: 0.1}


_MONTHS_IN = {
    Unit.YEAR: Fraction(12), Unit.MONTH: Fraction(1), Unit.WEEK: Fraction(84, 365), Unit.DAY: Fraction(12, 365),
    Unit.DECADE: Fraction(120),
}  # fmt: skip


def _years(unit: Unit, value: int, step: int) -> float:
    return value / step / _PER_YEAR[unit]


def months_of(unit: Unit, value: int, step: int) -> Fraction:
    """Return an age in months, `value` counted in `step`-ths of `unit`."""
    return Fraction(value, step) * _MONTHS_IN[unit]


def parse_age(text: str) -> Age | None:
    """Read the text of an AGE mention; None if it cannot be read, or is above 125 years."""
    plain = _SCANNED.sub(lambda m: m.group().replace("o", "0").replace("l", "1"), fold_line(text))
    if len(plain) != len(text):
        return None
    return _read(plain, text) or _read(_WORD.sub(_mended, plain), text)


def _mended(match: re.Match[str]) -> str:
    """Return a number or unit broken by a scanner whole, if it has as many letters: "clnquante", "mols", "aus"."""
    word = match.group()
    found = _UNIT_OF_SCAN.get(word) or _LEXICON.mended(word)
    return found if found is not None and len(found) == len(word) else word


def _read(plain: str, text: str) -> Age | None:
    ahead = _AHEAD.match(plain)
    start = ahead.end() if ahead else 0
    for reader in (_with_months, _figures, _day_of_life, _by_decade, _numbered_year, _ordinal, _spoken_months, _spoken):
        age = reader(plain[start:], text[start:])
        if age is not None:
            return replace(age, ahead=text[:start]) if age.years <= OLDEST else None
    return None


def _with_months(plain: str, text: str) -> Age | None:
    match = _WITH_MONTHS.fullmatch(plain)
    if match is None or not 0 <= int(match["months"]) <= 11:
        return None
    between, after = (text[match.start(name) : match.end(name)] for name in ("between", "after"))
    if ";" not in between and (after.strip().lower().startswith("an") or "a" not in fold_line(between)):
        return None  # "8 et 11 ans" are two ages
    value = int(match["years"]) * 12 + int(match["months"])
    return Age(Unit.MONTH, value, "months", text, head=between, tail=after, width=len(match["months"]))


def _figures(plain: str, text: str) -> Age | None:
    match = _AGE.fullmatch(plain)
    if match is None or _REST.fullmatch(match["rest"]) is None:
        return None
    number = int(match["number"])
    unit = _unit_of(match["unit"] or "")
    width = len(match["number"]) if match["number"].startswith("0") else 0
    if match["tail"]:
        unit_text = text[match.end("number") : match.start("tail")]
        count, step = _PARTS[match["part"]]
        lead, rest = text[match.start("tail") : match.start("part")], text[match.end("part") :]
        return Age(
            unit, number * step + count, "parts", text, step, unit_text, rest, part=lead + "|" + match["part"]
        )  # fmt: skip
    if match["decimal"]:
        value = number * 10 + int(match["decimal"])
        tail = text[match.end("decimal") :]
        return Age(unit, value, "decimal", text, step=10, head=plain[match.end("number")], tail=tail)
    return Age(unit, number, "figures", text, tail=text[match.end("number") :], width=width)


def _unit_of(written: str) -> Unit:
    return next(
        (_UNITS[start] for start in ("ann", "an", "mo", "a", "y", "p", "m", "s", "j") if written.startswith(start)),
        Unit.YEAR,
    )


def _day_of_life(plain: str, text: str) -> Age | None:
    match = _DAY_OF_LIFE.fullmatch(plain)
    if match is None:
        return None
    head, tail = text[: match.end("lead")], text[match.start("rest") :]
    return Age(Unit.DAY, int(match["number"]), "day of life", text, head=head, tail=tail)


def _by_decade(plain: str, text: str) -> Age | None:
    for table, kind in ((_DECADES, "decade"), (_PEOPLE, "people")):
        match = re.fullmatch(
            rf"(?P<lead>.*?)(?P<word>{'|'.join(table)})(?P<rest>s?(?: d'annees| passee| bien \w+)?)", plain
        )
        if match is not None:
            head, tail = text[: match.end("lead")], text[match.start("rest") :]
            return Age(Unit.DECADE, table[match["word"]] // 10, kind, text, head=head, tail=tail)
    return None


def _numbered_year(plain: str, text: str) -> Age | None:
    match = _NUMBERED_YEAR.fullmatch(plain)
    if match is None or int(match["number"]) < 2:
        return None
    return Age(Unit.YEAR, int(match["number"]), "numbered year", text, tail=text[match.end("number") :])


def _ordinal(plain: str, text: str) -> Age | None:
    match = _ORDINAL_YEAR.fullmatch(plain)
    if match is None:
        return None
    stem = re.findall("[a-z]+", match["words"])
    stem[-1] = {"quatr": "quatre", "neuv": "neuf", "cinqu": "cinq", "onz": "onze", "un": "un"}.get(stem[-1], stem[-1])
    for end in ("", "e"):
        value = numerals.read_number([*stem[:-1], stem[-1] + end])
        if value is not None:
            return Age(Unit.YEAR, value, "ordinal", text)
    return None


def _spoken_months(plain: str, text: str) -> Age | None:
    match = _SPOKEN_MONTHS.fullmatch(plain)
    if match is None:
        return None
    years, months = (numerals.read_number(re.findall("[a-z]+", match[name])) for name in ("years", "months"))
    if years is None or months is None or months > 11:
        return None
    between, after = (text[match.start(name) : match.end(name)] for name in ("between", "after"))
    return Age(Unit.MONTH, years * 12 + months, "spoken months", text, head=between, tail=after)


def _spoken(plain: str, text: str) -> Age | None:
    match = _SPOKEN.fullmatch(plain)
    if match is None:
        return None
    value = numerals.read_number(re.findall("[a-z]+", match["words"]))
    if value is None:
        return None
    tail = match["tail"].strip()
    unit = _unit_of(tail) if tail else Unit.YEAR
    raw_tail = text[match.start("tail") :]
    part = re.search(_PART + "$", match["tail"])
    if part is not None:
        count, step = _PARTS[part["part"]]
        lead = raw_tail[part.start() : part.start("part")]
        head, rest = raw_tail[: part.start()], raw_tail[part.end() :]
        part_name = lead + "|" + part["part"]
        return Age(unit, value * step + count, "spoken parts", text, step, head, rest, part=part_name)
    return Age(unit, value, "spoken", text, tail=raw_tail)


# Words ahead, folded, of an age of the oldest: behind the first no second "plus de", behind the others not even one.
_MORE = re.compile(r"(?:\b(?:plus de|au[- ]dela de|au moins|a partir de)|(?<![<=])[>≥+](?: de)?) ?\Z")
_HELD = re.compile(
    r"(?:\b(?:ses|les|ces|des|mes|leurs|aux|presque|pres de|environ|bientot|moins de|plus jeune que|a peine|deja|vers|"
    r"avant|apres|jusqu'a|pas encore|tout juste|entre)|[<≤]) ?\Z"
)
# Words behind an age that say "et plus" already.
_MORE_BEHIND = re.compile(r" (?:et|ou) plus\b| revolus?\b| passes\b|\+")


def write_age(age: Age, value: int, top_code: int, before: str = "", behind: str = "") -> str:
    """Write `value` in the unit, step and form of `age`; from `top_code` years on, as "plus de 90 ans".

    Behind "ses" and the like, which end the folded text `before`, that is "90 ans et plus", and "90 ans" where `behind`
    goes on so.
    """
    if _years(age.unit, value, age.step) >= top_code:
        before = "plus de " if _MORE_BEHIND.match(behind) else before
        return _top_coded(age, top_code, before)
    return age.ahead + _written(age, value)


def _written(age: Age, value: int) -> str:
    match age.kind:
        case "months":
            width = age.width if age.tail == "" or age.width == 1 else 1
            return f"{value // 12}{_plural(age.head, value // 12)}{value % 12:0{width}d}{age.tail}"
        case "spoken months":
            years, months = (write_like(one, age.model) for one in divmod(value, 12))
            return sentence_case_of(age.model, f"{years}{_plural(age.head, value // 12)}{months}{age.tail}")
        case "figures":
            return f"{value:0{age.width}d}{_plural(age.tail, value)}"
        case "parts":
            return f"{value // age.step}{_plural(age.head, value // age.step)}{_part(age, value)}{age.tail}"
        case "decimal":
            return f"{value // 10}{age.head}{value % 10}{age.tail}"
        case "day of life":
            return f"{age.head}{value}{age.tail}"
        case "decade":
            return age.head + sentence_case_of(age.model, _DECADE_WORDS[min(max(value, 2), 6) - 1]) + age.tail
        case "people":
            return age.head + sentence_case_of(age.model, _PEOPLE_WORDS[min(max(value, 3), 8) * 10]) + age.tail
        case "numbered year":
            return f"{max(value, 2)}{age.tail}"
        case "ordinal":
            return sentence_case_of(age.model, f"{_ordinal_word(value)} année")
        case "spoken parts":
            words = sentence_case_of(age.model, write_like(value // age.step, _number(age)))
            return words + _plural(age.head, value // age.step) + _part(age, value) + age.tail
        case _:
            feminine = age.unit is Unit.WEEK
            words = write_like(value, _number(age), feminine=feminine)
            return sentence_case_of(age.model, words) + _plural(age.tail, value)


def _part(age: Age, value: int) -> str:
    """Return the text of the fraction after the whole number: " et demi", "½", or "" for none."""
    lead, _, name = age.part.partition("|")
    text = _PART_TEXTS[name][value % age.step]
    said = lead.removesuffix("un ") + text if text else ""
    return said.upper() if age.model.isupper() else said


def _top_coded(age: Age, top_code: int, before: str) -> str:
    match age.kind:
        case "people":
            return age.head + sentence_case_of(age.model, "personne très âgée")
        case "numbered year":
            return f"{top_code}{age.tail} au moins"
        case "ordinal":
            return sentence_case_of(age.model, f"{_ordinal_word(top_code)} année au moins")
        case "decade" | "parts" | "decimal":
            return sentence_case_of(age.model, _or_more(f"{top_code} ans", before))
        case "spoken" | "spoken parts":
            return sentence_case_of(age.model, _or_more(f"{write_like(top_code, _number(age))} ans", before))
    unit = re.match(r"\s*[A-Za-zé.]+", age.tail if age.kind == "figures" else "")
    if unit is not None and fold_line(unit.group()).strip().startswith("an"):
        text = _or_more(f"{top_code}{unit.group()}", before)
        return text.upper() if unit.group().isupper() else text
    return f"{top_code}+"


def _or_more(age: str, before: str) -> str:
    if _MORE.search(before):
        return age
    return f"{age} et plus" if _HELD.search(before) else f"plus de {age}"


def _number(age: Age) -> str:
    """Return the original number in words: "quarante" of "quarante ans"."""
    part = age.part.replace("|", "")
    return age.model.removesuffix(age.tail).removesuffix(part).removesuffix(age.head)


_SINGULAR = re.compile(r"(?<![a-z])(an|semaine|jour|ann[ée]e)\b", re.IGNORECASE)
_PLURAL = re.compile(r"(?<![a-z])(an|semaine|jour|ann[ée]e)s\b", re.IGNORECASE)


def _plural(tail: str, value: int) -> str:
    """Return `tail` with its unit agreed with the number: " an" for 1, " ans" for 2."""
    if value < 2:
        return _PLURAL.sub(r"\1", tail, count=1)
    return _SINGULAR.sub(lambda m: m[1] + ("S" if m[1].isupper() else "s"), tail, count=1)


def _ordinal_word(value: int) -> str:
    words = numerals.write_number(value)
    words = words.removesuffix("s") if words.endswith(("vingts", "cents")) else words
    for end, instead in (("cinq", "cinqu"), ("neuf", "neuv")):
        if words.endswith(end):
            words = words.removesuffix(end) + instead
    return words.removesuffix("e") + "ième"
