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
_ID = re.compile(r"[\w.:*+#|-]{1,100}", re.ASCII)
# What no annotation of a variant says: a title before a name, a day, the number of a phone, an e-mail
_TOLD = re.compile(
    r"(?<![^\W_])(?i:dr|pr|mme|mlle|docteur|professeur|madame|monsieur)[_. -]+[^\W\d_]|\w@\w"
    r"|(?<!\d)(?:\d{1,2}[/.-]\d{1,2}[/.-](?:\d\d){1,2}|(?:19|20)\d\d[/-]\d\d[/-]\d\d|0\d{9})(?!\d)"
)
_SEARCHED = (2, 7)  # columns ID and INFO


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
            _variants(file, reading, start + len(line))
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
        elif rule.kind == "keep" and (not _ID.fullmatch(text) or _TOLD.search(text)):
            rule = Rule()
        place = file.place(at + quoted, at + len(text) - quoted)
        reading.field(rule, text[quoted : len(text) - quoted], place)


def _samples(file: SplicedText, reading: Reading, start: int, line: str) -> None:
    position = start
    for number, name in enumerate(line.split("\t")):
        if number >= _FIXED:
            place = file.place(position, position + len(name), _unspaced)
            reading.field(_IDENTITY, name, place)
        position += len(name) + 1


def _variants(file: SplicedText, reading: Reading, start: int) -> None:
    """Read of the lines of variants the ids and annotations that say what none does."""
    for line in re.finditer(r"[^\r\n]+", file.text[start:]):
        if not _TOLD.search(line[0]):
            continue
        position = start + line.start()
        for number, column in enumerate(line[0].split("\t")):
            for part in re.finditer("[^;=]+", column) if number in _SEARCHED else ():
                if _TOLD.search(part[0]):
                    place = file.place(position + part.start(), position + part.end(), _unspaced)
                    reading.field(Rule(), part[0], place)
            position += len(column) + 1


def _unspaced(value: str) -> str:
    return re.sub(r"[\s;=]+", "_", value.strip())
