"""Language of the command line and of errors in Airflow's logs: French, or English where `NOCTURNE_LANG=en`.

The code speaks English; `deid/locale/fr` holds the French of every message (gettext, written by `make messages`). A
message arrives here as text, its values filled in: the catalogue's message of which it is an instance is looked for,
and the French one gets the same values. A message that the catalogue lacks stays English as a whole.
"""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import typer
from typer._click import Context, HelpFormatter
from typer._click.exceptions import ClickException, NoArgsIsHelpError, UsageError

from deid.domain.errors import NocturneError, SettingsError

LOCALE = Path(__file__).parents[1] / "locale"
VARIABLE = "NOCTURNE_LANG"
LANGUAGES = ("fr", "en")
_PLACE = re.compile(r"\{(\w+)\}")
_LEAST = 3  # letters beside its places; a message of fewer is recognised by a value that is a message
# Places that hold a sentence or a part of one: without its French, the whole message stays English.
_PHRASES = frozenset(
    "msg message why what fault faults error errors strerror refusal detail format told reason".split()
)
_SENTENCE = re.compile(r"\b[a-z]+ [a-z]+ [a-z]+")  # three words in a row
_CAPITALS = re.compile(r"[A-Z][A-Z_]+")


def language() -> str:
    """Return the language asked for; French where the variable holds no language (`check_language` refuses it)."""
    asked = os.environ.get(VARIABLE)
    return asked if asked in LANGUAGES else LANGUAGES[0]


def check_language() -> None:
    """Refuse a language that the command line does not speak.

    Raises:
        SettingsError: `NOCTURNE_LANG` is neither `fr` nor `en`.
    """
    if os.environ.get(VARIABLE, LANGUAGES[0]) not in LANGUAGES:
        raise SettingsError(f"{VARIABLE} names no language of the command line.", "Write fr or en.")


def french(text: str) -> str | None:
    """Return the French of a message, and of values that are messages; None where the catalogue lacks one of them."""
    known, templates = _catalogue()
    if text in known:
        return known[text]
    for start, template in templates:
        if text.startswith(start) and (found := _pattern(template).fullmatch(text)):
            values = {name: _value(value) for name, value in found.groupdict().items()}
            if any(_is_phrase(name, value) and values[name] == value for name, value in found.groupdict().items()):
                continue
            if _weight(template) < _LEAST and values == found.groupdict():
                continue
            parts = enumerate(_PLACE.split(known[template]))
            return "".join(values[part] if place % 2 else _literal(part) for place, part in parts)
    return None


def translated(text: str) -> str:
    """Return a message in the language asked for; as it is where it has no French."""
    return (french(text) if language() == "fr" else None) or text


def translated_error(error: NocturneError, *, remedy_first: bool = False) -> str:
    """Return message and remedy of an error in the language asked for; both in English where one has no French."""
    order = (error.remedy, error.message) if remedy_first else (error.message, error.remedy)
    parts = [part for part in order if part]
    said = [french(part) for part in parts] if language() == "fr" else []
    return " ".join(part for part in said if part) if said and all(said) else " ".join(parts)


def colon() -> str:
    """Return a colon with the spaces of the language."""
    return " : " if language() == "fr" else ": "


def tell(text: str, *, err: bool = False) -> None:
    """Print a line in the language asked for."""
    typer.echo(translated(text), err=err)


def complain(text: str) -> None:
    """Print a line of the product itself on standard error, translated already or not."""
    typer.echo(f"deid{colon()}{translated(text)}", err=True)


def localise(command: Any) -> None:
    """Give a command's help the language asked for."""
    command.context_class = _Context
    if command.help:
        command.help = translated(flat(command.help))


def flat(text: str) -> str:
    """Return the paragraphs of a docstring, each on one line: what the catalogue knows it by."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def tell_usage(wrong: ClickException) -> None:
    """Print what is wrong with a command line, on standard error."""
    if isinstance(wrong, NoArgsIsHelpError):
        typer.echo(wrong.format_message(), err=True)
        return
    if isinstance(wrong, UsageError) and wrong.ctx is not None:
        command, option = wrong.ctx.command_path, wrong.ctx.help_option_names[0]
        typer.echo(wrong.ctx.get_usage(), err=True)
        tell(f"Try '{command} {option}' for help.\n", err=True)
    typer.echo(f"{translated('Error')}{colon()}{translated(_capitals(wrong.format_message()))}", err=True)


class _Formatter(HelpFormatter):
    """Help in the language asked for: titles, placeholders in capitals, options with their text in brackets."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, _capitals(args), prefix or f"{translated('Usage')}{colon()}")

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{translated(heading)}{colon().rstrip()}\n")

    def write_dl(self, rows: Any, *args: Any, **kwargs: Any) -> None:
        super().write_dl([(_capitals(first), _option_help(second)) for first, second in rows], *args, **kwargs)


class _Context(Context):
    formatter_class = _Formatter


def _option_help(text: str) -> str:
    """Translate the help of an option, and in brackets after it default, range and whether it is required."""
    said, gap, extra = text.rpartition("  [")
    if not gap:
        return translated(text)
    return f"{translated(said)}{gap}{'; '.join(map(translated, extra[:-1].split('; ')))}]"


def _capitals(text: str) -> str:
    """Translate the placeholders in capitals, such as FILE."""
    return _CAPITALS.sub(lambda word: translated(word[0]), text) if language() == "fr" else text


@cache
def _catalogue() -> tuple[Mapping[str, str], list[tuple[str, str]]]:
    """Return English → French, and the messages with values: what each starts with, the most particular ones first."""
    made = gettext.translation("nocturne", LOCALE, ["fr"])
    known = {english: said for english, said in vars(made)["_catalog"].items() if english}
    with_values = sorted(filter(_PLACE.search, known), key=_literals, reverse=True)
    return known, [(_literal(_PLACE.split(one)[0]), one) for one in with_values]


def _literals(template: str) -> tuple[int, int]:
    """Return how particular a message is: letters, then characters, beside its places."""
    return _weight(template), len(_PLACE.sub("", template))


def _weight(template: str) -> int:
    return sum(map(str.isalpha, _PLACE.sub("", template)))


def _literal(part: str) -> str:
    return part.replace("{{", "{").replace("}}", "}")


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return the regular expression of a message's instances; all places of one name hold the same value."""
    parts, seen = [], set[str]()
    for number, part in enumerate(_PLACE.split(template)):
        if number % 2 == 0:
            # French has a space before its colon: a text that is French already is an instance of nothing.
            parts.append(("(?<! )" if part.startswith(":") else "") + re.escape(_literal(part)))
        else:
            parts.append(f"(?P={part})" if part in seen else f"(?P<{part}>.*?)")
            seen.add(part)
    return re.compile("".join(parts), re.DOTALL)


def _value(value: str) -> str:
    """Return a value, or a list of them, in French if it is a message; a single word may be a name and stays."""
    if " " not in value.strip():
        return value
    parts = value.split("; ")
    listed = [_value(part) for part in parts] if len(parts) > 1 else parts
    if all(said != part for said, part in zip(listed, parts, strict=True)):
        return " ; ".join(listed)
    if said := french(value):
        return said
    # A sentence in the middle of another has no full stop, a part at its end has one.
    if other := french(value[:-1] if value.endswith(".") else f"{value}."):
        return f"{other}." if value.endswith(".") else other.removesuffix(".")
    return value if listed == parts else " ; ".join(listed)


def _is_phrase(name: str, value: str) -> bool:
    """Return whether a value has words that must be French in a French message."""
    named = name.rstrip("0123456789") in _PHRASES and " " in value.strip()
    return named or ": " in value or "; " in value or _SENTENCE.search(value) is not None
