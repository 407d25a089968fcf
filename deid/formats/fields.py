"""Field maps: which fields of a source's files hold free text or an identity, which are emptied and which stay.

The maps that ship stand in `deid/formats/maps/*.yaml`, one by format. A source's own YAML file (`load_rules`) adds to
them or replaces a line of them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from string import digits
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from deid.domain.document import Patient
from deid.domain.errors import PolicyError
from deid.domain.labels import Label
from deid.french.calendar import MONTH_OF
from deid.french.check_digits import cip_holds
from deid.french.folding import fold, words

_LONGEST = 8  # parts of the longest path of a rule
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
TimesLeft = Literal["keep", "hour", "part_of_day", "drop"]
Kind = Literal["text", "identity", "drop", "keep", "code"]


class Rule(BaseModel):
    """Treatment of a field.

    Args:
        kind: `text` is searched like any text; `identity` is a mention of `label` as a whole; `drop` is emptied; `keep`
            stays, and is neither shown nor searched; `code` stays where `stays_as_code` knows the value, and is text
            else, or a mention of its label.
        label: of an identity, or of what is no code.
        patient: field of `Patient` that the value feeds where the warehouse leaves it empty.
        caption: words before the value in the plain text.
        value: `date` for a day that the format writes in digits (20240302, 2024-03-02T10:00), `telecom` for a phone
            number or e-mail with its scheme (tel:0102030405), `reference` for an id after a type (Patient/12), `number`
            for a code that may be a number of any length (SNOMED CT, drugs, measures), `system` for a URI whose host
            may be the hospital's, `unit` for the name of a service, an organisation where it names a person, `time` for
            a time of day in digits, of which stays what the policy says, `version` for a code that may be the day of a
            version of the standard, `words` for a code of several words, `file` for the name of a file, whose
            ending stays.
        codes: values of `code` that the tables of the standard list; of `system`, registered hosts and words of paths.
        otherwise: what becomes of a value of `code` that is none, and has no label.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind = "text"
    label: Label | None = None
    patient: str | None = None
    caption: str = ""
    value: Literal[
        "text", "date", "telecom", "reference", "number", "system", "unit", "time", "version", "words", "file"
    ] = Field("text", alias="as")
    codes: tuple[str, ...] = ()
    otherwise: Literal["text", "drop"] = "text"

    @model_validator(mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        """Read a kind alone, and `identity` where there is a label."""
        if isinstance(given, str):
            return {"kind": given}
        if isinstance(given, Mapping) and "label" in given:
            return {"kind": "identity", **given}
        return given

    @model_validator(mode="after")
    def _sound(self) -> Rule:
        if self.kind != "code" and (self.kind == "identity") != (self.label is not None):
            raise ValueError("an identity has a label, and nothing else has one")
        if self.patient is not None and self.patient not in Patient.__dataclass_fields__:
            raise ValueError(f"patient is one of {', '.join(Patient.__dataclass_fields__)}")
        return self

    @property
    def without_code(self) -> Rule:
        """Rule of a value that is no code; as the name of an exam, a label of a nomenclature is not read as a name."""
        kind = self.otherwise if self.label is None else "identity"
        value = "unit" if self.value == "unit" else "text"
        return self.model_copy(update={"kind": kind, "caption": self.caption or _TERM, "value": value})


class FieldMap(BaseModel):
    """Rules of a format by path. A rule holds for every path that ends as its own; the longest wins.

    In YAML, `keep`, `drop` and `code` list paths of these rules, `codes` the values that every rule `code` knows, and
    `types` names sets of rules by the end of a path. `fields` gives such a set to a path by its name: with
    `types: {XCN: {.1: …, .2: …}}`, `PV1-7: XCN` is a rule of PV1-7.1 and one of PV1-7.2.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    default: Rule = Rule()
    fields: Mapping[str, Rule] = {}

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or not isinstance(given.get("fields", {}), Mapping):
            return given
        types = given.get("types") or {}
        fields: dict[str, Any] = {}
        for kind in ("keep", "drop", "code"):
            fields |= {str(path).casefold(): kind for path in given.get(kind) or ()}
        for path, rule in (given.get("fields") or {}).items():
            known = types.get(rule, {"": rule}) if isinstance(rule, str) else {"": rule}
            fields |= {f"{path}{end}".casefold(): part for end, part in known.items()}
        if long := [path for path in fields if path.count("/") >= _LONGEST]:
            raise ValueError(f"paths of more than {_LONGEST} parts: {', '.join(long)}")
        if codes := given.get("codes"):
            fields = {path: _with_codes(rule, codes) for path, rule in fields.items()}
        others = {
            name: value for name, value in given.items() if name not in ("keep", "drop", "code", "codes", "types")
        }
        return {**others, "fields": fields}

    def find(self, path: str) -> tuple[int, Rule] | None:
        """Return the rule of a path whose parts are joined by `/`, and how many of them it names; None without one.

        A name that no rule has is sought by its words: `nomExercice` and `Nom d'exercice` as `nom_exercice` and
        `nom_d_exercice`.
        """
        parts = path.split("/")[-_LONGEST:]
        return self._find([part.casefold() for part in parts]) or self._find(
            ["_".join(words_of_name(part)) for part in parts]
        )

    def _find(self, parts: Sequence[str]) -> tuple[int, Rule] | None:
        found = ((len(parts) - start, self.fields.get("/".join(parts[start:]))) for start in range(len(parts)))
        return next(((length, rule) for length, rule in found if rule is not None), None)


def words_of_name(name: str) -> tuple[str, ...]:
    """Return the words of a field's name, which capitals may part."""
    return words(_HUMP.sub(" ", name))


def _with_codes(rule: Any, codes: Any) -> Any:
    told = {"kind": rule} if isinstance(rule, str) else rule
    return {**told, "codes": codes} if isinstance(told, Mapping) and told.get("kind") == "code" else rule


class FileRules(BaseModel):
    """Treatment of the files of a source.

    Args:
        images: embedded images are removed, kept, or hold the file back.
        scans: a page that is a picture holds the file back, or is read by tesseract.
        pdf: a PDF is written as a PDF with its mentions redacted, or as a clean page.
        formats: field maps by format, over those that ship.
        times: what is left of structured times of day, by the policy (`substitution.times`); `keep` leaves minutes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    images: Literal["remove", "keep", "refuse"] = "remove"
    scans: Literal["refuse", "ocr"] = "refuse"
    pdf: Literal["redact", "html"] = "redact"
    formats: Mapping[str, FieldMap] = {}
    times: TimesLeft = "keep"

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that name these rules; "" for those that ship alone."""
        if self == FileRules():
            return ""
        canonical = json.dumps(self.model_dump(mode="json", by_alias=True), sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    def find(self, format: str, *paths: str) -> Rule:
        """Return the rule that names the longest part of a path, of the first where two do; else the default."""
        own, shipped = self.formats.get(format), shipped_map(format)
        best: tuple[int, Rule] | None = None
        for path in paths:
            found = (own.find(path) if own is not None else None) or shipped.find(path)
            if found is not None and (best is None or found[0] > best[0]):
                best = found
        if best is not None:
            return best[1]
        return shipped.default if own is None or "default" not in own.model_fields_set else own.default


@cache
def shipped_map(format: str) -> FieldMap:
    """Return the field map that ships for a format; an empty one, whose every field is text, where none does."""
    file = resources.files("deid.formats") / "maps" / f"{format}.yaml"
    return FieldMap.model_validate(yaml.safe_load(file.read_text("utf-8"))) if file.is_file() else FieldMap()


def load_rules(path: Path) -> FileRules:
    """Read the rules of a source from YAML.

    Raises:
        PolicyError: the file cannot be read, or holds what is no rule; the message names each place.
    """
    try:
        given = yaml.safe_load(path.read_text("utf-8"))
        return FileRules.model_validate({} if given is None else given)
    except OSError as error:
        raise PolicyError(f"field map {path}: {error.strerror}.", "Give a readable YAML file.") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise PolicyError(f"field map {path}: not YAML in UTF-8.", "Mend the file.") from None
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'file'}: {one['msg']}" for one in error.errors())
        raise PolicyError(f"field map {path}: {faults}.", "See docs/formats.md.") from None


# ---- Codes

_TERM = "Type d'examen"  # caption of what is no code, which `deid.detection.text.language` leaves out
# Neither the words nor the digits of a person: no word of five letters, no date, no long number.
_CODE = re.compile(r"(?=\D*\d)(?!.*[^\W\d_]{5})(?!(?:\D*\d){8})(?!.*\d{7})[^\s@]{1,32}")
_FEW_DIGITS = re.compile(r"(?!(?:\D*\d){10})(?!.*\d\s+\d).*")  # fewer than a phone number
_ABBREVIATION = re.compile(r"[A-Z]{1,4}")
_NUMBER = re.compile(r"[<>=]{0,2}[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_VERSION = re.compile(r"20\d\d[-.]\d\d(?:[-.]\d\d)?", re.ASCII)
_MEDIA = re.compile(r"(?:text|application|image|audio|video|message)/[a-z\d.+-]+(?:; ?charset=[\w-]+)?", re.IGNORECASE)
_OID = re.compile(r"(?:urn:oid:)?[0-2](?:\.(?:0|[1-9]\d*)){3,}", re.ASCII)
# Units of UCUM, and as French laboratories and pharmacies write them
_ATOM = (
    r"(?:[YZEPTGMkhdcmuµμnpf]|da)?(?:m|g|s|[lL]|mol|eq|[oO]sm|Pa|bar|Hz|J|W|V|A|K|N|C|F|S|Bq|Gy|Sv|Ohm|kat|Eq|cal|"
    r"U|UI|IU|\[[iI]U\]|m\[Hg\]|mHg|m\[H2O\]|mH2O)|°C|Cel|°|%|‰|min|h|d|wk|mo|a|j|jours?|mois|ans?|semaines?|fois|dB|UFC|"
    r"CFU|log|ppm|\[pH\]|pH|ratio|copies|cellules?|cp|comprimés?|gélules?|sachets?|ampoules?|doses?|gouttes?|bouffées?|"
    r"unités?|prises?|score|points?"
)
_UNIT = re.compile(rf"(?:(?:{_ATOM})[2-3]?)?(?:[./](?:{_ATOM})[2-3]?)*")
_DATED = re.compile(
    r"(?<!\d)(?<!\d[.,])(?:(?:\d{1,2}[/.-]){1,2}(?:18|19|20)\d\d|\d{1,2}([/-])\d{1,2}\1\d\d"
    r"|(?:18|19|20)\d\d(?:[/.-]\d\d){1,2})(?!\d)",
    re.ASCII,
)
# A day of six or eight figures after a word of birth: DDN170281, NE17.02.81
_BIRTH = re.compile(
    r"(?<![^\W\d_])(?i:d\.?d\.?n|n[ée]e?|naiss|dob)[\W_]{0,3}[0-3]\d[/.-]?[01]\d[/.-]?(?:\d\d){1,2}(?!\d)", re.ASCII
)


def stays_as_code(value: str, rule: Rule) -> bool:
    """Return whether a value is a code: one that its rule lists or, without a label, an abbreviation or a short number.

    Where the rule is of numbers, a long one is a code too; where it is of words, each is listed or holds a digit.
    """
    if value in rule.codes or not any(map(str.isalnum, value)):
        return True
    if rule.label is not None:
        return False
    if rule.value == "number" and _NUMBER.fullmatch(value):
        return True
    if rule.value == "version" and _VERSION.fullmatch(value):
        return True
    if rule.value == "words" and all(one.strip(digits) in rule.codes or _CODE.fullmatch(one) for one in words(value)):
        return _FEW_DIGITS.fullmatch(value) is not None and _DATED.search(value) is None
    if _OID.fullmatch(value):
        return True
    if any(shape.fullmatch(value) for shape in (_ABBREVIATION, _CODE, _UNIT, _MEDIA)):
        return _DATED.search(value) is None and _BIRTH.search(value) is None
    return cip_holds(value)


# ---- URIs that name a system of identifiers, or a definition

_URI = re.compile(r"([a-z][a-z\d+.-]*://|urn:)([^/:?#|]+)(.*)", re.IGNORECASE | re.DOTALL)
_SIGNS = re.compile(r"([/:?#|=&]+)")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
is_own_word = re.compile(r"[a-z][A-Za-z]*").fullmatch  # of FHIR: a kind of contact, a part of an extension


def split_system(value: str, rule: Rule) -> list[str]:
    """Return scheme and host of a URI, then its signs and words in turn; nothing of one that standards registered.

    A word that names the host again is left out.
    """
    found = _URI.fullmatch(value)
    if found is None:
        return []
    scheme, host, rest = found.groups()
    if any(host.casefold() == known or host.casefold().endswith(f".{known}") for known in rule.codes):
        return []
    own = set(_LETTERS.findall(host.casefold())) - set(rule.codes)
    pieces = ("" if own & set(_LETTERS.findall(piece.casefold())) else piece for piece in _SIGNS.split(rest))
    return [scheme, host, *pieces]


def is_word_of_system(piece: str, rule: Rule) -> bool:
    """Return whether a part of a URI is a code, signs, or a word that its rule lists."""
    return piece.casefold() in rule.codes or stays_as_code(piece, _PIECE)


_PIECE = Rule(kind="code")


# ---- Days that a format writes in digits

_TIME = r"(?:[T ]?\d\d(?::?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_CLOCK = re.compile(r"^([T ]?)(\d\d)(?:(:?)(\d\d)(?:(:?)\d\d(?:[.,]\d+)?)?)?", re.ASCII)
_PART_HOURS = 6
_DIGITS = re.compile(
    rf"\s*(?P<year>\d{{4}})(?:(?P<dash>-?)(?P<month>\d\d)(?:(?P=dash)(?P<day>\d\d)(?P<time>{_TIME}))?)?\s*", re.ASCII
)
_SHOWN = re.compile(
    r"(?:(?:(?P<day>\d{1,2})(?:er)?[/. -])?(?P<month>\d{1,2}|[^\W\d_]{3,9})[/. -])?(?P<year>\d{4})", re.IGNORECASE
)


_MASKED = re.compile(r"\s*(\d{4})(-?)(\d\d)(?:\2(\d\d))?(?!\d{1,3}\s*$).*", re.ASCII)


def unmasked_day(value: str) -> str:
    """Return a day of digits without its unknown parts, which some systems write 00; "" where it has no year."""
    found = _MASKED.fullmatch(value)
    if found is None or "00" not in (found[3], found[4]):
        return "" if value.strip() == "0000" else value
    if found[1] == "0000":
        return ""
    return found[1] if found[3] == "00" else f"{found[1]}{found[2]}{found[3]}"


def shown_day(value: str) -> str | None:
    """Return a day of digits as text shows it, 02/03/2024, 03/2024 or 2024; None for another value."""
    found = _DIGITS.fullmatch(value)
    if found is None or not 1800 <= int(found["year"]) <= 2200:
        return None
    try:
        date(int(found["year"]), int(found["month"] or 1), int(found["day"] or 1))
    except ValueError:
        return None
    return "/".join(part for part in (found["day"], found["month"], found["year"]) if part)


def written_day(surrogate: str, value: str, *, time: bool = True, times: TimesLeft = "keep") -> str:
    """Return the surrogate of a day in the form of the `value` that it replaces, with what is left of its time of day.

    What the surrogate does not tell is left out, and all of it if it tells no year: "mars 2024" gives 202403.
    """
    like, told = _DIGITS.fullmatch(value), _SHOWN.fullmatch(surrogate.strip())
    if like is None or told is None:
        return ""
    month = _month(told["month"]) if like["month"] else None
    day = told["day"] if month and like["day"] else None
    try:
        date(int(told["year"]), int(month or 1), int(day or 1))
    except ValueError:
        return ""
    dash = like["dash"] or ""
    written = dash.join([told["year"], *([month] if month else []), *([f"{int(day):02}"] if day else [])])
    return written + (coarse_time(like["time"], times) if day and time and like["time"] else "")


def coarse_time(time: str, times: TimesLeft) -> str:
    """Return what a policy leaves of a time of day, with zeros where the format needs more: 10:12:00, 100000.

    A part of the day is written as the hour that it begins at; nothing is left of a time that is dropped.
    """
    if times == "drop":
        return ""
    return _CLOCK.sub(lambda found: _coarse_digits(found, times), time)


def left_of_time(value: str, times: TimesLeft) -> str | None:
    """Return what a policy leaves of a field that is a time of day in digits; None for another value."""
    return coarse_time(value.strip(), times) if re.fullmatch(_TIME, value.strip()) else None


def _coarse_digits(found: re.Match[str], times: TimesLeft) -> str:
    hour, minute = coarse_clock(int(found[2]), int(found[4] or 0), times)
    return "".join(
        (
            f"{found[1]}{hour:02}",
            "" if found[4] is None else f"{found[3]}{minute:02}",
            "" if found[5] is None else f"{found[5]}00",
        )
    )


def coarse_clock(hour: int, minute: int, times: TimesLeft) -> tuple[int, int]:
    """Return the hour and minute that a policy leaves of a time of day; midnight of one that is dropped."""
    match times:
        case "keep":
            return hour, minute
        case "hour":
            return hour, 0
        case "part_of_day":
            return hour // _PART_HOURS * _PART_HOURS, 0
        case "drop":
            return 0, 0


def _month(told: str | None) -> str | None:
    if told is None or told.isdigit():
        return told and f"{int(told):02}"
    number = MONTH_OF.get(fold(told))
    return None if number is None else f"{number:02}"


def iso_day(value: str) -> str:
    """Return a day of digits, or as text shows it, in the form of ISO 8601; another value unchanged."""
    shown = shown_day(value) or value.strip()
    parts = shown.split("/")
    if not all(part.isdigit() for part in parts) or len(parts[-1]) != 4:
        return value
    return "-".join(f"{int(part):02}" for part in reversed(parts))


# ---- Communes

_INSEE = re.compile(r"(?:\d\d|2[ABab])\d{3}", re.ASCII)
_COMMUNES = re.compile(
    r"^insee$|code.?insee|insee.?(?:cog|communes?)\b|codgeo|(?:^|/)cog$|TRE.R13(?!\d)|"
    r"\b1\.2\.250\.1\.213\.2\.12(?![.\d])|code.?communes?\b|(?:^|[/#_-])communes?$|"
    r"commune.?(?:OM\b|(?:de|du)\b|naissance|residence|résidence|domicile)",
    re.IGNORECASE,
)


def is_insee_code(value: str) -> bool:
    """Return whether a value may be the code of a commune, which says what its name says."""
    return _INSEE.fullmatch(value.strip()) is not None


def tells_communes(name: str) -> bool:
    """Return whether the name of a system of codes, an extension or a result says that it is of communes."""
    return _COMMUNES.search(name.strip()) is not None


# ---- Numbers with a scheme, ids with a type

_SCHEME = re.compile(
    r"\s*(?:tel|fax|mailto|sip|https?|ftp|x-text-fax|x-text-tel|mllp|nfs|telnet|modem):(?://)?", re.IGNORECASE
)
_ENDING = re.compile(
    r"(?<=\w)\.(?:bmp|cda|csv|dcm|doc[mx]?|eml|gif|gz|hl7|hpr|html?|ics|jpe?g|jsonl?|log|md|od[st]|p7m|pdf|png|rtf|tab|tiff?|tsv|txt|vcf|xlsx?|xml|zip)\s*\Z",
    re.IGNORECASE,
)
_TYPED = re.compile(r"(?:[A-Z][A-Za-z]+/|urn:uuid:|urn:oid:|#)")


def split_telecom(value: str) -> tuple[str, str]:
    """Return the scheme of a phone number, e-mail or web address, and the rest."""
    found = _SCHEME.match(value)
    return (found.group(), value[found.end() :]) if found else ("", value)


def telecom_label(scheme: str, rest: str) -> Label:
    """Return what a value of telecommunication is."""
    if "@" in rest:
        return Label.EMAIL
    return Label.URL if scheme.strip().lower().startswith(("http", "ftp")) else Label.PHONE


def split_ending(value: str) -> tuple[str, str]:
    """Return the name of a file, and the ending that says its format."""
    found = _ENDING.search(value)
    return (value[: found.start()], found.group()) if found else (value, "")


def split_reference(value: str) -> tuple[str, str]:
    """Return the type before an id, as in Patient/12, and the id."""
    found = _TYPED.match(value)
    return (found.group(), value[found.end() :]) if found else ("", value)
