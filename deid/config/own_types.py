"""Entity types of a hospital's own, declared in the policy without Python (Braghin et al. 2019).

A type has a base label, which fixes its class, its checks and how it is scored, and a name of its own, which mentions
carry as their subtype. Regular expressions are RE2's, whose search takes time linear in the text: an expression that
would backtrack without end cannot be written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, Self

import re2
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator
from stdnum.iso7064 import mod_11_2, mod_97_10

from deid.config import generators
from deid.domain.document import SUBTYPES
from deid.domain.errors import PolicyError
from deid.domain.labels import CONTACT, NAMES, Label
from deid.french.check_digits import iban_holds, luhn_holds, nir_holds
from deid.french.folding import fold, without_accents

KEEP, CONSTANT, LISTED = generators.KEEP, "constant", "list"
PROVIDERS = (KEEP, CONSTANT, LISTED)
VALUE = "value"  # the group of a pattern that the mention is; without it, all that matches
_SECTION = ConfigDict(extra="forbid", frozen=True, serialize_by_alias=True)
_LEAST, _MOST = 3, 30  # characters of a type's name
_FINESS = 9
_MAX_MEMORY = 8 << 20  # bytes that an automaton may take
_LONGEST = 2_000  # characters of a pattern
# A value of these tells one person; their types are never kept.
_NEVER_KEPT = NAMES | CONTACT | {Label.NIR, Label.IPP, Label.STREET}
_FILES = {"dictionary": "dictionary_digest", "surrogates": "surrogates_digest"}


def _plain(value: str) -> str:
    """Return the letters and digits of a value, in capitals."""
    return "".join(filter(str.isalnum, without_accents(value))).upper()


def _digits(value: str) -> str:
    return "".join(sign for sign in _plain(value) if sign.isascii() and sign.isdigit())


def _checked(holds: Callable[[str], bool]) -> Callable[[str], bool]:
    def check(value: str) -> bool:
        plain = _plain(value)
        return plain.isascii() and plain.isdigit() and holds(plain)

    return check


def _is_date(value: str) -> bool:
    """Return whether the digits are a day: DDMMYYYY, YYYYMMDD, DDMMYY or YYMMDD."""
    digits = _plain(value)
    if not digits.isdecimal():
        return False
    two, four = digits[:2], digits[:4]
    parts = {
        8: ((digits[4:], digits[2:4], two), (four, digits[4:6], digits[6:])),
        6: (("20" + digits[4:], digits[2:4], two), ("20" + two, digits[2:4], digits[4:])),
    }.get(len(digits), ())
    return any(_is_day(*map(int, one)) for one in parts)


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        return 1800 <= date(year, month, day).year <= 2199
    except ValueError:
        return False


# Name → whether a value, as it is written, is right.
VALIDATORS: Mapping[str, Callable[[str], bool]] = {
    # The last digit is the Luhn digit of the other digits (ISO/IEC 7812-1); letters do not count.
    "luhn": lambda value: luhn_holds(_digits(value)),
    "mod97": lambda value: mod_97_10.is_valid(_plain(value)),  # ends in its two check digits (ISO 7064)
    "mod11": lambda value: mod_11_2.is_valid(_plain(value)),  # ends in its check digit or X (ISO 7064)
    "finess": _checked(lambda digits: len(digits) == _FINESS and luhn_holds(digits)),
    "nir": lambda value: nir_holds(_plain(value)),  # fifteen characters with the key
    "iban": lambda value: iban_holds(_plain(value)),  # length of its country and check digits (ISO 13616)
    "date": _is_date,  # a day that exists, from 1800 to 2199, in six or eight digits
}
Validator = Literal["luhn", "mod97", "mod11", "finess", "nir", "iban", "date"]


def compiled(pattern: str, case: str = "any") -> Any:
    """Return a pattern as RE2 searches it: accents folded and capitals ignored, unless `case` is "written".

    Raises:
        ValueError: it is no expression of RE2, or it matches nothing at all.
    """
    if len(pattern) > _LONGEST:
        raise ValueError(f"a pattern has {_LONGEST} characters at most")
    options = re2.Options()
    options.case_sensitive = case == "written"
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    # Accents only: in lower case, \D would be \d.
    folded = pattern if case == "written" else "".join(sign if sign.isascii() else fold(sign) for sign in pattern)
    try:
        found = re2.compile(folded, options)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        said = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        raise ValueError(
            f"no pattern that is searched in linear time ({said}); "
            "look-around and back-references are not: use \\b and the group (?P<value>…)"
        ) from None
    if found.search("") is not None:
        raise ValueError("the pattern matches nothing at all, hence everywhere")
    return found


class Names(BaseModel):
    """Words that stewards and researchers read for a type."""

    model_config = _SECTION

    fr: str = Field(min_length=1, max_length=80)
    en: str = Field(min_length=1, max_length=80)


class Join(BaseModel):
    """A mention of the type and one of `with`, of which only `between` parts them, are one mention of the type.

    `with` holds labels and own types; `between` is a pattern of all that may stand there, on one line.
    """

    model_config = _SECTION

    partners: tuple[str, ...] = Field(alias="with", min_length=1)
    between: str = Field(min_length=1)

    @model_validator(mode="after")
    def _is_searched(self) -> Self:
        compiled(f"x(?:{self.between})x")
        return self


class OwnType(BaseModel):
    """An entity type of the hospital's own.

    `label`: the base label. `patterns` are searched without accents and in any case, unless `case` is "written"; the
    group `value` is the mention. `validate`: what a value must prove (`VALIDATORS`). `dictionary`: a file of terms
    beside the policy, one a line, found as whole words, folded. `weight`, in [0, 100], is compared with the score of a
    mention of a shipped label that overlaps it, times 100: the stronger wins, the type if they are equal. `join`: see
    `Join`.

    `provider` writes the surrogates: one of `deid.config.generators`, by default that of the base label; `keep`, which
    leaves the value; `constant`, which writes `text`; `list`, which draws from the file `surrogates`; or a dotted path.
    """

    model_config = _SECTION

    label: Label
    names: Names
    patterns: tuple[str, ...] = ()
    case: Literal["any", "written"] = "any"
    validator: Validator | None = Field(None, alias="validate")
    dictionary: str | None = None
    dictionary_digest: str | None = None
    weight: float = Field(100.0, gt=0, le=100)
    join: Join | None = None
    provider: str = generators.DEFAULT
    options: dict[str, Any] = {}
    text: str | None = Field(None, min_length=1, max_length=200)
    surrogates: str | None = None
    surrogates_digest: str | None = None

    _folder: Path | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not self.patterns and self.dictionary is None:
            raise ValueError("a type needs patterns, or a dictionary")
        for at, pattern in enumerate(self.patterns):
            try:
                compiled(pattern, self.case)
            except ValueError as error:
                raise ValueError(f"patterns.{at}: {error}") from None
        if self.validator is not None and not self.patterns:
            raise ValueError("validate is for what patterns find; a dictionary is right as it is")
        self._provider_fits()
        return self

    def _provider_fits(self) -> None:
        if self.provider not in PROVIDERS:
            generators.check_choice(self.label, self.provider, self.options)
        elif self.options:
            raise ValueError(f"provider {self.provider} has no options")
        if (self.provider == CONSTANT) != (self.text is not None):
            raise ValueError("text and provider: constant go together")
        if (self.provider == LISTED) != (self.surrogates is not None):
            raise ValueError("surrogates and provider: list go together")
        if self.provider == KEEP and self.label in _NEVER_KEPT:
            raise ValueError(f"no type of {self.label} is kept: its values tell one person")
        if self.provider == KEEP and self.join is not None:
            raise ValueError("a kept type joins nothing: it would keep a mention of another label")

    def terms(self, file: Literal["dictionary", "surrogates"]) -> tuple[str, ...]:
        """Return the lines of a file of the type, without blank lines and those that begin with #.

        Raises:
            PolicyError: the file has changed since the policy was read, or the policy was not read from a file.
        """
        name, digest = getattr(self, file), getattr(self, _FILES[file])
        if name is None:
            return ()
        if self._folder is None:
            raise PolicyError(f"types: the file {name} is known only where the policy is read from its file.")
        content = _read(self._folder / name, name)
        if hashlib.sha256(content).hexdigest() != digest:
            raise PolicyError(f"types: {name} has changed since the policy was read.", "Start again.")
        return _lines(content)

    def placed(self, folder: Path) -> None:
        """Remember where the files of the type lie."""
        self._folder = folder


def check_names(types: Mapping[str, OwnType]) -> None:
    """Check the names of own types, and what they join.

    Raises:
        ValueError: a name is a label's, a subtype's, or has other signs than A-Z, 0-9 and _; a join names what is none.
    """
    for name, own in types.items():
        plain = name.replace("_", "")
        if not (_LEAST <= len(name) <= _MOST and plain.isascii() and plain.isalnum() and name[:1].isalpha()):
            raise ValueError(f"{name}: a type's name has {_LEAST} to {_MOST} signs of A-Z, 0-9 and _")
        if name.upper() != name or name in Label.__members__ or name in SUBTYPES:
            raise ValueError(f"{name}: a type's name is in capitals, and no label's or known subtype's")
        for partner in own.join.partners if own.join else ():
            if partner not in Label.__members__ and partner not in types:
                raise ValueError(f"{name}.join.with: {partner} is no label and no type")
            if partner in types and types[partner].provider == KEEP:
                raise ValueError(f"{name}.join.with: {partner} is kept, and would be replaced")


def with_digests(values: Any, path: Path) -> Any:
    """Return the values of the policy file `path` with the SHA-256 of each file that its types name.

    Raises:
        PolicyError: a file is absent, empty, not UTF-8, or outside the policy's folder; or not the one whose SHA-256
            the policy states.
    """
    types = values.get("types") if isinstance(values, dict) else None
    if not isinstance(types, dict):
        return values
    filled = {
        name: _filled(f"policy {path}: types.{name}", own, path.parent) if isinstance(own, dict) else own
        for name, own in types.items()
    }
    return {**values, "types": filled}


def _filled(where: str, own: dict[str, Any], folder: Path) -> dict[str, Any]:
    found = {file: _digest(f"{where}.{file}", own[file], folder) for file in _FILES if isinstance(own.get(file), str)}
    for file, digest in found.items():
        if own.get(_FILES[file], digest) != digest:
            raise PolicyError(f"{where}.{_FILES[file]}: the file {own[file]} has another SHA-256.", "Restore the file.")
    if len(found) == len(_FILES):
        terms, drawn = (
            {fold(line) for line in _lines(_read(folder / own[file], f"{where}.{file}"))} for file in _FILES
        )
        if terms & drawn:
            raise PolicyError(
                f"{where}.surrogates: {len(terms & drawn)} lines are terms of the dictionary.", "Take them out."
            )
    return {**own, **{_FILES[file]: digest for file, digest in found.items()}}


def _digest(where: str, name: str, folder: Path) -> str:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise PolicyError(f"{where}: {name} is outside the policy's folder.", "Put it beside the policy.")
    content = _read(path, where)
    if not _lines(content, where):
        raise PolicyError(f"{where}: {name} has no line.", "Give one term a line.")
    return hashlib.sha256(content).hexdigest()


def _read(path: Path, where: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PolicyError(f"{where}: {path.name}: {error.strerror}.", "Put it beside the policy.") from None


def _lines(content: bytes, where: str = "types") -> tuple[str, ...]:
    try:
        lines = map(str.strip, content.decode("utf-8-sig").splitlines())
    except UnicodeDecodeError:
        raise PolicyError(f"{where}: the file is not UTF-8.", "Save it as UTF-8.") from None
    return tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))
