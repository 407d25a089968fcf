"""JSON, JSON Lines and tables of text (CSV, TSV) by field map, changed in place."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from deid.domain.errors import Reason
from deid.domain.labels import IDENTIFIERS
from deid.formats.fields import Rule, stays_as_code, words_of_name
from deid.formats.formulas import guarded_parts
from deid.formats.reading import Reading, Save
from deid.formats.splicing import SplicedText

# ---- JSON

Pointer = tuple[str | int, ...]
_TOKEN = re.compile(
    r'[ \t\r\n]*(?:(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<mark>[{}\[\],:])|(?P<word>[^ \t\r\n{}\[\],:"]+))', re.DOTALL
)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
# A plain name, which begins with no title of a person, and is no e-mail address
_KEY = re.compile(
    r"(?!(?i:mme|mlle|dr|docteur|professeur|madame|monsieur)[_.:/+-]|(?:[Mm]r?|MR|[Pp]r|PR)[_.:/+-][A-Z])@?[\w.:$#/+-]{0,64}",
    re.ASCII,
)
# Codes of ontologies and registers of genes, variants and trials
_TERM = re.compile(
    r"(?:HP|ORPHA|OMIM|MONDO|DOID|GO|MESH|UMLS|NCT|ENS[GTP]|rs|COSM|CHEBI|SCT|SNOMED)[:_]?\d{1,12}|C\d{7}", re.ASCII
)
_MANY_DIGITS = re.compile(r"(?:\D*\d){5}|\d+([/.-])\d+\1\d")  # it may be a day, a number of a person or of a phone
_CODE = Rule(kind="code")
# A leaf that is removed, with its key where it has one, and the object or array of which it was the last
_GONE = r'(?:"[^"\\\0]*(?:\\.[^"\\\0]*)*"\s*:\s*)?\0'
_GONE_AFTER, _GONE_BEFORE = re.compile(rf",\s*{_GONE}"), re.compile(rf"{_GONE}\s*,\s*")
_GONE_ALONE = re.compile(rf"[{{\[]\s*{_GONE}\s*[}}\]]")
_BLANK = re.compile(r"[ \t\r\n]+")
_WORDS = frozenset({"true", "false", "null"})
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A string, number, or key of JSON, with its place in the text; `pointer` holds keys and positions."""

    pointer: Pointer
    start: int
    end: int
    value: str
    number: bool = False

    @property
    def path(self) -> str:
        """Keys on the way, joined by `/`."""
        return "/".join(str(part) for part in self.pointer if isinstance(part, str))


def scan_json(text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[Leaf]:
    """Yield the strings and numbers of sound JSON in their order, and the keys that are no plain names.

    A key that comes twice in an object gives both values.
    """
    stack: list[list[str | int]] = []  # for each open object or array, its key or position
    named = True  # the next string is a value, no key
    for token in _TOKEN.finditer(text, start, end):
        mark = token["mark"]
        if mark == "{":
            stack.append([""])
            named = False
        elif mark == "[":
            stack.append([0])
        elif mark in ("}", "]"):
            stack.pop()
        elif mark == ",":
            last = stack[-1]
            named = isinstance(last[0], int)
            if isinstance(last[0], int):
                last[0] += 1
        elif mark == ":":
            named = True
        else:
            pointer = tuple(part[0] for part in stack)
            kind = "string" if token["string"] else "word"
            written = token[kind]
            value = _DECODER.decode(written) if kind == "string" else written
            at = token.start(kind), token.end(kind)
            if kind == "string" and not named and stack:
                stack[-1][0] = value
                if not _is_plain(value):
                    yield Leaf((*pointer[:-1], "(key)"), *at, value)
            elif kind == "string" or written not in _WORDS:
                yield Leaf(pointer, *at, value, kind == "word")


def _is_plain(key: str) -> bool:
    """Return whether a key is a plain name, or a code where it holds more than a few digits."""
    if _MANY_DIGITS.search(key) is not None:
        return _TERM.fullmatch(key) is not None or (_KEY.fullmatch(key) is not None and stays_as_code(key, _CODE))
    return _KEY.fullmatch(key) is not None


class JsonText(SplicedText):
    """A text of JSON whose leaves are replaced in place."""

    def put(self, leaf: Leaf, value: str) -> None:
        """Replace a leaf; a number that becomes words becomes a string, and one that is emptied null."""
        if leaf.number and (value == "" or _NUMBER.fullmatch(value)):
            written = value or "null"
        else:
            written = json.dumps(value, ensure_ascii=self.text.isascii())
        self.place(leaf.start, leaf.end)(written)

    def remove(self, leaf: Leaf) -> None:
        """Remove a leaf with its key, and what is empty without it; a key is emptied."""
        self.place(leaf.start, leaf.end)('""' if leaf.pointer[-1] == "(key)" else "\0")

    def settle(self, text: str) -> str:
        """Return the text without the leaves that were removed."""
        former = ""
        while text != former:
            former, text = text, _GONE_ALONE.sub("\0", _GONE_BEFORE.sub("", _GONE_AFTER.sub("", text)))
        return text.replace("\0", "null")  # the whole file


def read_json(raw: bytes, reading: Reading) -> Save:
    """Read JSON by the field map `json`; keys with spaces or accents are text too."""
    file = JsonText(raw, reading)
    check_json(file.text, reading)
    _read_leaves(file, reading, 0)
    return file.save


def read_json_lines(raw: bytes, reading: Reading) -> Save:
    """Read JSON Lines: an object a line, by the field map `json`."""
    file = JsonText(raw, reading)
    for line in re.finditer(r"[^\r\n]+", file.text):
        if line.group().strip():
            check_json(line.group(), reading)
    _read_leaves(file, reading, 0)
    return file.save


def check_json(text: str, reading: Reading) -> None:
    """Refuse what is no JSON, or is nested more deeply than Python's decoder takes.

    Raises:
        DocumentRefused: malformed.
    """
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        reading.refuse(Reason.MALFORMED, f"JSON: {type(error).__name__}")


def scan_stream(text: str, reading: Reading) -> Iterator[tuple[int, int, Any]]:
    """Yield the values of JSON that stand one after another, each with its place.

    Raises:
        DocumentRefused: malformed, as `check_json`.
    """
    at = _blank_until(text, 0)
    while at < len(text):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            reading.refuse(Reason.MALFORMED, f"JSON: {type(error).__name__}")
        yield at, end, value
        at = _blank_until(text, end)


def _blank_until(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _read_leaves(file: JsonText, reading: Reading, start: int) -> None:
    for leaf in scan_json(file.text, start):
        rule = reading.rule("json", leaf.path)
        name = next((part for part in reversed(leaf.pointer) if isinstance(part, str)), "")
        caption = f"{name} : " if name and name != "(key)" else ""
        reading.field(rule, leaf.value, partial(file.put, leaf), caption=caption)


# ---- Tables of text

_DELIMITERS = ";\t,|"
_DECLARED = re.compile(r'"?sep=([;\t,|])"?(?=[\r\n])')  # a line that spreadsheet programs read
_OF_NUMBERS = frozenset({"ipp", "nip", "nda", "iep"})  # words of names of columns
_OF_DAYS = frozenset({"date", "dates", "jour", "heure", "horodatage", "dt"})
_NUMBERED = re.compile(r"[A-Za-z]{0,3}\d(?:[ .]?\d){4,13}", re.ASCII)
_QUOTATION = re.compile(r'"([^"]*(?:""[^"]*)*)"(?!")(.*)', re.DOTALL)
TITLES = 20  # rows that may stand above the names of columns


def read_csv(raw: bytes, reading: Reading) -> Save:
    """Read a table by the field map `csv`, whose paths are names of columns.

    Without a row of names (`find_header`) every row is text, with it names that the map does not know. A first line
    `sep=;` declares the delimiter, and stays. A cell that a spreadsheet would compute becomes words.
    """
    file = SplicedText(raw, reading)
    declared = _DECLARED.match(file.text)
    delimiter = declared[1] if declared else _delimiter(file.text)
    rows = list(_rows(file.text, delimiter))[bool(declared) :]
    first = [[_unquoted(file.text[start:end]).strip() for start, end in row] for row in rows[: TITLES + 1]]
    header = find_header(first[:TITLES], first, reading)
    names = first[header] if header is not None else []
    for number, row in enumerate(rows):
        for at, (start, end) in enumerate(row):
            if number == header and _known(names[at], reading):
                continue
            written = file.text[start:end]
            name = names[at] if header is not None and number > header and at < len(names) else ""
            form = _quoted if written.startswith('"') else partial(_quoted_if_needed, delimiter=delimiter)
            value = _unquoted(written)
            put = file.place(start, end, partial(_as_words, form, delimiter))
            if guarded_parts(value, delimiter) != value:
                put(value)
                reading.untouched = False
            caption = f"{name} : " if name else ""
            reading.field(rule_of_cell(name, value, reading), value, put, caption=caption)
    return file.save


def find_header(
    rows: Sequence[Sequence[str]], cells: Sequence[Sequence[str]], reading: Reading, least: int = 1
) -> int | None:
    """Return the number of the row that names the columns, or None.

    The field map `csv` knows `least` names of the first row, or two of one that stands below a title; or one of a
    column of numbers of somebody, with such a number below it.

    Args:
        rows: cells that may name columns, of rows that may.
        cells: what the cells of all rows show.
        reading: of the file.
        least: names of the first row.
    """
    for number, row in enumerate(rows):
        if sum(_known(name, reading) for name in row) >= (max(least, 2) if number else least):
            return number
        below = cells[number + 1] if number + 1 < len(cells) else []
        if len(row) > 1 and any(_numbers(*pair, reading) for pair in zip(row, below, strict=False)):
            return number
    return None


def rule_of_cell(name: str, value: str, reading: Reading) -> Rule:
    """Return the rule of a cell by its column's name; of a number, by a word of that name too: `ipp_patient`."""
    rule = reading.rule("csv", name)
    if rule is not reading.rule("csv", "") or _NUMBERED.fullmatch(value.strip()) is None:
        return rule
    parts = words_of_name(name)
    if _OF_DAYS.isdisjoint(parts):
        return next((reading.rule("csv", part) for part in parts if part in _OF_NUMBERS), rule)
    return rule


def _numbers(name: str, below: str, reading: Reading) -> bool:
    """Return whether a cell names numbers of somebody, and the one below it holds one."""
    if not name or _NUMBERED.fullmatch(name) or _NUMBERED.fullmatch(below.strip()) is None:
        return False
    return rule_of_cell(name, below, reading).label in IDENTIFIERS


def _known(name: str, reading: Reading) -> bool:
    return bool(name) and reading.rule("csv", name) is not reading.rule("csv", "")


def _delimiter(text: str) -> str:
    """Return the delimiter that gives the same number of cells, more than one, in most of the first lines."""
    lines = [re.sub(r'"[^"]*"', "", line) for line in text[:20_000].splitlines()[:20] if line.strip()]
    scores = {}
    for mark in _DELIMITERS:
        counts = Counter(line.count(mark) for line in lines)
        count, times = counts.most_common(1)[0] if counts else (0, 0)
        scores[mark] = (times if count else 0, count)
    return max(_DELIMITERS, key=lambda mark: scores[mark])


def _rows(text: str, delimiter: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the places of the cells of each row."""
    mark = re.escape(delimiter)
    plain = rf"[^{mark}\r\n]*"
    cell = re.compile(rf'("[^"]*(?:""[^"]*)*"{plain}|{plain})({mark}|\r\n|\r|\n|\Z)')
    row: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        found = cell.match(text, position)
        if found is None:  # a quotation that does not end
            row.append((position, len(text)))
            break
        row.append(found.span(1))
        position = found.end()
        if found[2] != delimiter:
            yield row
            row = []
    if row:
        yield row


def _unquoted(written: str) -> str:
    """Return a cell without the quotes, even if text follows the second."""
    found = _QUOTATION.fullmatch(written)
    return found[1].replace('""', '"') + found[2] if found else written


def _as_words(form: Callable[[str], str], delimiter: str, value: str) -> str:
    return form(guarded_parts(value, delimiter))


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def _quoted_if_needed(value: str, delimiter: str) -> str:
    return _quoted(value) if any(mark in value for mark in (delimiter, '"', "\n", "\r")) else value
