"""RTF: the words of body, headers, notes and text boxes, changed in place; what else can hold words is removed.

Names of control words follow the Rich Text Format Specification 1.9.1 (Microsoft, 2008). Every paragraph and every row
of a table is a segment; its runs are the stretches of characters between control words. A changed run is written as a
group of ASCII, so that neither its font nor its code page matters.

Removed: properties (`info`), comments, deleted revisions, bookmarks, variables, objects, instructions of fields other
than page numbers, names of styles and fonts that are not usual ones, every ignorable destination that is not named
here, control words that the specification lacks or whose number is longer than a measure, and what follows the last
brace. Lists are numbered anew. Pictures follow the rules of the file's source.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from deid.domain import read_lists
from deid.domain.errors import Reason
from deid.formats.fields import shown_day
from deid.formats.reading import Reading, Save
from deid.formats.usual import FONT_NAMES, PAGE_FIELD, STYLE_NAMES, WORDS
from deid.french.folding import fold

_TOKEN = re.compile(
    rb"(?P<brace>[{}])"
    rb"|\\(?:(?P<word>[a-zA-Z]{1,32})(?P<number>-?[0-9]{1,10})?[ ]?|'(?P<hex>[0-9a-fA-F]{2})|(?P<symbol>[^a-zA-Z]))"
    rb"|(?P<ends>[\r\n\0]+)|(?P<bytes>[^\\{}\r\n\0]+)",
    re.DOTALL,
)
_DEPTH = 500  # groups in groups
_STANDARD, _PROPERTIES = (frozenset(words.split()) for words in read_lists(__file__).values())
_MEASURE = 100_000  # more than lengths, sizes and code pages


class _Kind(Enum):
    """Role of the words of a group."""

    READ = "words of the document"
    SHOWN = "data of a picture or list that stays"
    FONTS = "names of fonts"
    STYLES = "names of styles"
    INSTRUCTION = "instruction of a field"
    PROPERTY = "property of a drawing"
    GONE = "removed"


_CHARACTERS = {
    "emdash": "\u2014", "endash": "\u2013", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "bullet": "\u2022", "emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "", "zwnj": "",
    "~": "\u00a0", "_": "\u2011", "-": "", "\\": "\\", "{": "{", "}": "}",
}  # fmt: skip
_TABS = frozenset({"tab", "cell", "nestcell"})
_LINE_ENDS = frozenset("par line sect page column row nestrow lbr softline softpage softcol \n \r".split(" "))
# Destinations of their own lines
_APART = frozenset("header headerl headerr headerf footer footerl footerr footerf footnote shptxt dptxbxtext".split())
_KINDS = (
    dict.fromkeys(_APART, _Kind.READ)
    | dict.fromkeys("shpinst shp shpgrp do nesttableprops ftnsep ftnsepc aftnsep aftnsepc".split(), _Kind.READ)
    | dict.fromkeys("listtable listoverridetable pn pnseclvl colortbl".split(), _Kind.SHOWN)
    | dict.fromkeys("pict shppict".split(), _Kind.SHOWN)
    | dict.fromkeys(
        """annotation atnid atnauthor atndate atnicn atnref atrfstart atrfend atnparent info template filetbl object
        objdata private xe tc txe rxe shprslt nonshppict picprop fontemb fontfile listname listpicture""".split(),
        _Kind.GONE,
    )
    | {"fonttbl": _Kind.FONTS, "stylesheet": _Kind.STYLES, "fldinst": _Kind.INSTRUCTION, "sp": _Kind.PROPERTY}
)
_PICTURES = frozenset({"pict", "shppict"})
_COUNTED = {"annotation": "comment", "info": "metadata", "object": "attachment", "objdata": "attachment"}

_NUMBER = re.compile(r"\s*([A-Za-z]+)\s*(-?\d{1,7}|\d{8})\s*", re.ASCII)
_PICTURE = "pib"  # the property of a drawing whose value is a picture
_LARGEST = 360 << 16  # more than colours, and than angles in parts of a degree
_PIXELS = re.compile(r"[0-9A-Fa-f\s]*")
# Code page by `fcharset` (specification, Font Table)
_CODEPAGE_FIELD = {
    0: "cp1252", 77: "mac-roman", 128: "cp932", 129: "cp949", 134: "cp936", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    255: "cp437",
}  # fmt: skip
_DECLARED = {"mac": "mac-roman", "pc": "cp437", "pca": "cp850"}


@dataclass(slots=True)
class _Group:
    """State of a group; a group within it starts with a copy."""

    start: int
    kind: _Kind = _Kind.READ
    opened: str = ""  # the destination that this group opened
    fresh: bool = True  # the next control word may tell a destination
    ignorable: bool = False
    fallback: int = 1  # bytes after a character told by its number that stand for it
    font: int | None = None
    deleted: bool = False
    words: list[str] = field(default_factory=list)  # of the destination, shared by the groups within it


@dataclass(slots=True)
class _Run:
    """The stretch `[start, end)` of the file that shows `text`; one that is fixed, such as a tab, stays."""

    start: int
    end: int
    text: str
    fixed: bool = False


def read_rtf(raw: bytes, reading: Reading) -> Save:
    """Read an RTF document.

    Raises:
        DocumentRefused: malformed, if it is cut off or not RTF; pictures.
    """
    document = _Document(raw, reading)
    document.read()
    return document.save


class _Document:
    """An RTF document while it is read, and the replacements of its changed parts."""

    def __init__(self, raw: bytes, reading: Reading) -> None:
        self._raw = raw
        self._reading = reading
        self._groups: list[_Group] = []
        self._lines: list[list[_Run]] = [[]]  # of the body, and of each destination apart that is open
        self._encoding = "cp1252"
        self._fonts: dict[int, str] = {}
        self._default_font: int | None = None
        self._lists: dict[int, int] = {}  # their numbers, and the new ones
        self._bare = False  # the last token is a control word that the next letter or digit would go on
        self._skipped = 0  # bytes still to skip after a character told by its number
        self._start: int | None = None  # of the run that is being read
        self._end = 0
        self._shown: list[str] = []
        self._bytes = bytearray()
        self._pieces: dict[int, tuple[int, bytes]] = {}

    # ---- Reading

    def read(self) -> None:
        """Tell the segments of the document."""
        position = 0
        while position < len(self._raw):
            token = _TOKEN.match(self._raw, position)
            if token is None:
                self._reading.refuse(Reason.MALFORMED, f"rtf: a lone backslash at byte {position}")
            position = self._take(token)
            if not self._groups:
                break
        if self._groups or not position:
            self._reading.refuse(Reason.MALFORMED, "rtf: cut off within a group")
        self._end_line()
        if self._raw[position:].strip(b"\0\r\n\t "):
            self._cut(position, len(self._raw), "metadata")

    def _take(self, token: re.Match[bytes]) -> int:
        """Read a token; return where the next one starts."""
        start, end = token.span()
        bare, self._bare = self._bare, False
        if brace := token["brace"]:
            self._open(start) if brace == b"{" else self._close(end)
        elif not self._groups:
            if not token["ends"]:
                self._reading.refuse(Reason.MALFORMED, "rtf: words outside a group")
        elif token["word"]:
            number = int(token["number"]) if token["number"] else None
            return self._word(token["word"].decode("ascii"), number, start, end, bare)
        elif token["symbol"]:
            self._symbol(token["symbol"].decode("latin-1"), start, end)
        elif token["hex"]:
            self._characters(bytes.fromhex(token["hex"].decode("ascii")), start, end)
        elif token["bytes"]:
            self._characters(token["bytes"], start, end)
        return end

    def _open(self, start: int) -> None:
        self._end_run()
        self._skipped = 0
        if len(self._groups) >= _DEPTH:
            self._reading.refuse(Reason.MALFORMED, f"rtf: groups in groups, more than {_DEPTH} deep")
        if self._groups:
            self._groups[-1].fresh = False
            self._groups.append(replace(self._groups[-1], start=start, opened="", fresh=True, ignorable=False))
        else:
            self._groups.append(_Group(start))

    def _close(self, end: int) -> None:
        self._end_run()
        self._skipped = 0
        if not self._groups:
            self._reading.refuse(Reason.MALFORMED, "rtf: a brace too many")
        group = self._groups.pop()
        if group.opened in _APART and group.kind is _Kind.READ:
            self._end_line()
            self._lines.pop()
        elif group.opened and self._is_removed(group):
            self._cut(group.start, end, _COUNTED.get(group.opened, ""), b"{}")  # it may end a control word

    def _is_removed(self, group: _Group) -> bool:
        """Return whether the destination that a group opened is removed as a whole."""
        words = "".join(group.words)
        if group.kind is _Kind.INSTRUCTION:
            return not PAGE_FIELD.fullmatch(words)
        if group.kind is _Kind.PROPERTY:
            return words.strip() != _PICTURE and not _is_measured(words)
        return group.kind is _Kind.GONE or (group.opened == "leveltext" and bool(WORDS.search(words)))

    def _word(self, word: str, number: int | None, start: int, end: int, bare: bool) -> int:
        """Read a control word, which follows another one without a blank if `bare`; return where the next starts."""
        group = self._groups[-1]
        if word == "bin":
            self._end_run()
            data_end = min(end + max(number or 0, 0), len(self._raw))
            if group.opened != "pict":
                self._cut(start, data_end, "attachment", b"{}")
            return data_end
        if self._skipped:
            self._skip(1, _CHARACTERS.get(word), start, end)
            return end
        self._bare = self._raw[end - 1] != ord(" ")
        if word == "u":
            self._show(chr((number or 0) % 0x10000), start, end)
            self._skipped = group.fallback
        elif word in _CHARACTERS:
            self._show(_CHARACTERS[word], start, end)
        else:
            self._end_run()
            self._command(word, number, start, end)
            if group.kind is not _Kind.GONE:
                self._leave(word, number, start, end, bare)
        group.fresh = False
        return end

    def _leave(self, word: str, number: int | None, start: int, end: int, bare: bool) -> None:
        """Remove a control word that no reader knows, or whose number is longer than a measure."""
        if word == "listid" and number is not None:
            number, told = self._lists.setdefault(number, len(self._lists) + 1), number
            if number != told:
                self._cut(start, end, "metadata", b"\\listid%d " % number)
                self._bare = False
        elif word not in _STANDARD or abs(number or 0) >= _MEASURE:
            self._cut(start, end, "metadata", b" " if bare else b"")
            self._bare = False

    def _command(self, word: str, number: int | None, start: int, end: int) -> None:
        group = self._groups[-1]
        if group.fresh:
            self._destination(word)
        if word == "uc":
            group.fallback = max(number or 0, 0)
        elif word in ("deleted", "plain"):
            group.deleted = word == "deleted" and number != 0
            group.font = self._default_font if word == "plain" else group.font
        elif group.kind is _Kind.READ and (word in _LINE_ENDS or word in _TABS):
            if word in _TABS:
                self._lines[-1].append(_Run(start, end, "\t", fixed=True))
            else:
                self._end_line()
        elif number is not None or word in _DECLARED:
            self._set_encoding(word, number)

    def _set_encoding(self, word: str, number: int | None) -> None:
        group = self._groups[-1]
        if word in _DECLARED:
            self._encoding = _DECLARED[word]
        elif word == "ansicpg" and number:
            self._encoding = _code_page(number)
        elif word == "deff":
            self._default_font = group.font = number
        elif word == "f":
            group.font = number
        elif word in ("fcharset", "cpg") and group.font is not None and number is not None:
            named = _CODEPAGE_FIELD.get(number) if word == "fcharset" else _code_page(number)
            if named is not None:
                self._fonts[group.font] = named

    def _destination(self, word: str) -> None:
        """Set what the words of a group are by its first control word."""
        group = self._groups[-1]
        if group.kind is _Kind.GONE:
            return
        outer = group.kind
        kind = _KINDS.get(word)
        if kind is None and word != "leveltext":
            if not group.ignorable or (word in _STANDARD and outer not in (_Kind.READ, _Kind.INSTRUCTION)):
                return
            kind = _Kind.GONE
        if word == "pict" and outer is not _Kind.READ:
            self._inner_picture(group)
            return
        if outer is not _Kind.READ and kind not in (None, _Kind.GONE):
            return
        group.opened, group.words = word, []
        group.kind = outer if kind is None else kind
        if word in _PICTURES and not self._reading.image():
            group.kind = _Kind.GONE
        if word in _APART and group.kind is _Kind.READ:
            self._lines.append([])

    def _inner_picture(self, group: _Group) -> None:
        """Read the data of a picture within its destination of Word, or in the property of a drawing that is one."""
        drawn = group.kind is _Kind.PROPERTY and "".join(group.words).strip() == _PICTURE
        if drawn and not self._reading.image():
            group.words.append("x")  # the property goes with it
        elif drawn or self._groups[-2].opened == "shppict":
            group.opened, group.words, group.kind = "pict", [], _Kind.SHOWN

    def _symbol(self, symbol: str, start: int, end: int) -> None:
        group = self._groups[-1]
        if symbol == "*":
            group.ignorable = True
            return
        if self._skipped:
            self._skip(1, _CHARACTERS.get(symbol, ""), start, end)
        elif symbol in _CHARACTERS:
            self._show(_CHARACTERS[symbol], start, end)
        elif symbol in _LINE_ENDS and group.kind is _Kind.READ:
            self._end_run()
            self._end_line()
        elif symbol.isalnum() and group.kind is not _Kind.GONE:
            self._end_run()
            self._cut(start, end, "metadata")
        group.fresh = False

    # ---- Runs and lines

    def _characters(self, given: bytes, start: int, end: int) -> None:
        """Read bytes of text."""
        self._groups[-1].fresh = False
        if skipped := min(self._skipped, len(given)):
            told = given[:skipped].decode(self._codec(), "replace")
            self._skip(skipped, told, start, end if skipped == len(given) else start + skipped)
        if given := given[skipped:]:
            self._begin(start)
            self._bytes += given
        self._end = end

    def _skip(self, count: int, told: str | None, start: int, end: int) -> None:
        """Skip bytes that stand for the last character; what says more than it, or a word, is no part of what is left.

        `told` is what they say, None of a word that says what nobody knows.
        """
        self._skipped -= count
        self._end = end
        if told is None or (any(map(str.isalnum, told)) and fold(told) != fold("".join(self._shown[-1:]))):
            self._cut(start, end, "metadata", b"?" * count)

    def _show(self, text: str, start: int, end: int) -> None:
        """Read a character that is not a byte."""
        self._begin(start)
        self._decode()
        self._shown.append(text)
        self._end = end

    def _begin(self, start: int) -> None:
        if self._start is None:
            self._start = start

    def _decode(self) -> None:
        if self._bytes:
            self._shown.append(self._bytes.decode(self._codec(), "replace"))
            self._bytes.clear()

    def _codec(self) -> str:
        font = self._groups[-1].font
        return self._encoding if font is None else self._fonts.get(font, self._encoding)

    def _end_run(self) -> None:
        if self._start is None:
            return
        self._decode()
        text = "".join(self._shown).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        run = _Run(self._start, self._end, text)
        self._start = None
        self._shown.clear()
        group = self._groups[-1]
        group.words.append(text)
        if group.kind is _Kind.SHOWN:
            if not _PIXELS.fullmatch(text) if group.opened == "pict" else WORDS.search(text):
                self._cut(run.start, run.end, "metadata")
        elif group.kind is _Kind.STYLES or group.kind is _Kind.FONTS:
            self._rename(run, STYLE_NAMES if group.kind is _Kind.STYLES else FONT_NAMES)
        elif group.kind is _Kind.READ:
            if group.deleted:
                self._cut(run.start, run.end, "revision")
            else:
                self._lines[-1].append(run)

    def _rename(self, run: _Run, usual: re.Pattern[str]) -> None:
        """Give the fonts or styles of a table a usual name, if theirs is not one."""
        names = run.text.split(";")
        if all(not name.strip() or usual.fullmatch(name.strip()) for name in names):
            return
        new = [f"{'Arial' if usual is FONT_NAMES else f'style {run.start}'}" if name.strip() else "" for name in names]
        self._pieces[run.start] = run.end, ";".join(new).encode("ascii")
        self._reading.removed("metadata")

    def _end_line(self) -> None:
        runs = self._lines[-1]
        self._lines[-1] = []
        if runs:
            self._reading.add([run.text for run in runs], self._put(runs))

    def _put(self, runs: list[_Run]) -> Callable[[tuple[str | None, ...]], None]:
        def put(texts: tuple[str | None, ...]) -> None:
            for run, text in zip(runs, texts, strict=True):
                if text is not None and not run.fixed:
                    self._pieces[run.start] = run.end, _written(text)

        return put

    # ---- Writing

    def _cut(self, start: int, end: int, what: str, piece: bytes = b"") -> None:
        self._pieces[start] = end, piece
        self._reading.removed(what or "metadata")

    def save(self) -> bytes:
        """Return the document with its changes."""
        if self._reading.untouched:
            return self._raw
        written: list[bytes] = []
        position = 0
        for start, (end, piece) in sorted(self._pieces.items()):
            if start >= position:  # not within a part that was removed
                written += self._raw[position:start], piece
                position = end
        return b"".join((*written, self._raw[position:]))


def _is_measured(words: str) -> bool:
    """Return whether a property of a drawing has a number: of eight digits, a colour or an angle that is no day."""
    told = _NUMBER.fullmatch(words)
    if told is None or told[1] not in _PROPERTIES:
        return False
    number = told[2]
    if len(number) < len("DDMMYYYY") or number.startswith("-"):
        return True
    days = map(shown_day, (number, number[4:] + number[2:4] + number[:2]))
    return told[1].endswith(("Color", "rotation")) and int(number) < _LARGEST and not any(days)


def _code_page(number: int) -> str:
    """Return the codec of a code page of Windows; the French one, cp1252, where Python has none that extends ASCII."""
    name = {65001: "utf-8", 10000: "mac-roman"}.get(number, f"cp{number}")
    try:
        return name if "x".encode(name) == b"x" else "cp1252"
    except LookupError:
        return "cp1252"


def _written(text: str) -> bytes:
    """Return a text as a group of its own, in ASCII."""
    return b"{\\uc1 " + "".join(map(_escaped, text)).encode("ascii") + b"}" if text else b""


def _escaped(character: str) -> str:
    if character in "\\{}":
        return f"\\{character}"
    if character in "\n\t":
        return "\\line " if character == "\n" else "\\tab "
    if character < "\x80":
        return character
    units = character.encode("utf-16-le")
    numbers = (int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2))
    return "".join(f"\\u{number}?" for number in numbers)
