"""VCF: sample ids and meta-information. Variants stay as they are: a genotype identifies whoever has it elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.formats.fields import Rule
from deid.formats.reading import Reading, Save
from deid.formats.splicing import SplicedText

_META = re.compile(r"##(?P<key>[^=\r\n]+)=(?P<value>[^\r\n]*)")
_ATTRIBUTE = re.compile(r'(?P<name>[A-Za-z_][\w.]*)=(?P<value>"(?:[^"\\]|\\.)*"|[^,>]*)')
_FIXED = 9  # columns before the samples
_IDENTITY = Rule.model_validate({"label": "ID", "caption": "Échantillon"})
_DROPPED = Rule(kind="drop")  # commands tell paths, people and dates
# Keys of lines that describe samples and their families
_SAMPLES = frozenset({"sample", "pedigree"})


def read_vcf(raw: bytes, reading: Reading) -> Save:
    """Read the header of a VCF by the field map `vcf`, whose paths are keys of meta-information.

    Raises:
        DocumentRefused: malformed, where no line names the columns.
    """
    file = SplicedText(raw, reading)
    for start, line in _header(file.text):
        if line.startswith("##"):
            _meta(file, reading, start, line)
        else:
            _samples(file, reading, start, line)
            return file.save
    raise ValueError("no line of columns")


def _header(text: str) -> Iterator[tuple[int, str]]:
    for found in re.finditer(r"[^\r\n]+", text):
        if not found.group().startswith("#"):
            return
        yield found.start(), found.group()


def _meta(file: SplicedText, reading: Reading, start: int, line: str) -> None:
    found = _META.fullmatch(line)
    if found is None:
        reading.add(line[2:], lambda texts: file.place(start + 2, start + len(line))(texts[0] or ""))
        return
    key, value, begin = found["key"], found["value"], start + found.start("value")
    if not value.startswith("<"):
        rule = _DROPPED if key.casefold().endswith(("command", "commandline")) else reading.rule("vcf", key)
        reading.field(rule, value, file.place(begin, begin + len(value)))
        return
    for part in _ATTRIBUTE.finditer(value):
        text, at = part["value"], begin + part.start("value")
        quoted = text.startswith('"')
        rule = reading.rule("vcf", f"{key}/{part['name']}", key)
        if key.casefold().endswith(("command", "commandline")):
            rule = _DROPPED
        elif key.casefold() in _SAMPLES and not quoted:
            rule = _IDENTITY
        place = file.place(at + quoted, at + len(text) - quoted)
        reading.field(rule, text[quoted : len(text) - quoted], place)


def _samples(file: SplicedText, reading: Reading, start: int, line: str) -> None:
    position = start
    for number, name in enumerate(line.split("\t")):
        if number >= _FIXED:
            place = file.place(position, position + len(name), lambda new: re.sub(r"\s+", "_", new.strip()))
            reading.field(_IDENTITY, name, place)
        position += len(name) + 1
