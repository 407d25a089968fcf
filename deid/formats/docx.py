"""DOCX: the words of body, headers, notes and text boxes; the written file holds them, their format, and nothing else.

Names follow ECMA-376 (Office Open XML, part 1, WordprocessingML). What a written file may hold is listed here; the rest
is removed: properties, comments, deleted revisions, authors, fields other than page numbers, bookmarks, links, form
values, macros, embedded files, custom XML, names of styles and fonts that are not usual ones, values of attributes
that the standard does not list. A text box becomes a paragraph after its anchor. Pictures follow the rules of the
file's source; one that stays is drawn anew, in its line.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from deid.domain import read_lists
from deid.domain.errors import Reason
from deid.formats.archives import read_package, write_zip
from deid.formats.images import without_metadata
from deid.formats.reading import Reading, Save
from deid.formats.trees import local, parse_xml
from deid.formats.usual import FONT_NAMES, PAGE_FIELD, STYLE_NAMES, WORDS

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_MEDIA = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_VAL, _STYLE_ID, _DOCUMENT = f"{{{_W}}}val", f"{{{_W}}}styleId", "officeDocument"

# Parts of a document that stay, by the type of their relation
_PARTS = ("header", "footer", "footnotes", "endnotes", "styles", "numbering")
_ORDER = {"header": 0, "document": 1, "footnotes": 2, "endnotes": 3, "footer": 4}
_ROOTS = {"header": "hdr", "footer": "ftr"}
_COUNTED = {
    "comments": "comment", "commentsExtended": "comment", "commentsIds": "comment", "people": "comment",
    "vbaProject": "macro", "oleObject": "attachment", "package": "attachment", "aFChunk": "attachment",
    "image": "image", "chart": "attachment", "diagramData": "attachment",
}  # fmt: skip

_KEPT, _OPENED, _VALUES = (frozenset(words.split()) for words in read_lists(__file__).values())
_REMOVED = {
    "del": "revision", "moveFrom": "revision", "commentReference": "comment", "object": "attachment",
    "altChunk": "attachment", "control": "attachment", "contentPart": "attachment",
}  # fmt: skip
# A number, a mask or a character; the colour and the language of what has one
_TOKEN = re.compile(r"-?\d{1,5}(?:\.\d{1,2})?(?:%|pt|cm|mm|in|pc|pi)?|[\dA-F]{2}(?:[\dA-F]{2})?|", re.ASCII)
_COLOUR = re.compile(r"[\dA-Fa-f]{6}", re.ASCII)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?-[A-Z]{2}|[a-z]{2}|x-none", re.ASCII)
_STYLED = frozenset({"pStyle", "rStyle", "tblStyle", "basedOn", "next", "link"})
# Elements whose value a table of its own holds, by the name of its attribute
_NAMED = {"name": "val", "fldSimple": "instr", "style": "styleId", **dict.fromkeys(_STYLED, "val")}
# Elements of lists, with the attribute that numbers them and the element that refers to it
_NUMBERED = (("abstractNum", "abstractNumId"), ("num", "numId"))
_NAMED |= {**dict(_NUMBERED), "abstractNumId": "val", "numId": "val"}
_VALUED = frozenset({"numPr", "pBdr", "tblBorders", "tcBorders"})  # whose children are nothing without a value
_MAIN = "http://schemas.openxmlformats.org/drawingml/2006"
_DRAWN = f"{_MAIN}/wordprocessingDrawing"
_INCH, _WIDEST = 914_400, 9_999_999  # in the unit of drawings
_PICTURE = f"""<w:drawing xmlns:w="{_W}" xmlns:r="{_R}" xmlns:wp="{_DRAWN}"
 xmlns:a="{_MAIN}/main" xmlns:pic="{_MAIN}/picture"><wp:inline><wp:extent cx="%(cx)d" cy="%(cy)d"/>
<wp:docPr id="1" name="image"/><a:graphic><a:graphicData uri="{_MAIN}/picture"><pic:pic>
<pic:nvPicPr><pic:cNvPr id="1" name="image"/><pic:cNvPicPr/></pic:nvPicPr>
<pic:blipFill><a:blip r:embed=""/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm>
<a:off x="0" y="0"/><a:ext cx="%(cx)d" cy="%(cy)d"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic>
</a:graphicData></a:graphic></wp:inline></w:drawing>"""
_FIXED = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "sym": " "}


def read_docx(raw: bytes, reading: Reading) -> Save:
    """Read a document of Office Open XML, with or without macros.

    Raises:
        DocumentRefused: malformed, encrypted, expands_too_much, pictures.
    """
    files = {name.lower(): content for name, content in read_package(raw, reading).items()}  # case does not count
    package = _Package(files, reading)
    told: set[Any] = set()
    for part in sorted(package.parts, key=lambda one: _ORDER.get(one.kind, 9)):
        if part.kind in _ORDER:
            _read_words(part.root, reading, told)
    for element in (one for part in package.parts for one in part.root.iter(f"{{{_W}}}t")):
        if element not in told:  # outside a paragraph, which no reader shows
            element.text = None
    return package.save


@dataclass(slots=True)
class _Part:
    """A part of the package that stays, with what its relations lead to by their id."""

    kind: str
    path: str
    root: Any
    relations: dict[str, _Part | bytes] = field(default_factory=dict)
    written: str = ""


class _Package:
    """The parts of a document that stay, cleaned."""

    def __init__(self, files: dict[str, bytes], reading: Reading) -> None:
        self._files = files
        self._reading = reading
        self.parts: list[_Part] = []
        self._pictures: dict[str, bytes] = {}
        main = next((target for _, kind, target in self._related("") if kind == _DOCUMENT), "word/document.xml")
        self._open("document", main)
        removed = len(files) - len({part.path for part in self.parts})
        if removed:
            reading.removed("metadata")
        for part in self.parts:
            _clean(part, reading)
        _rename_styles(self.parts)
        _number_lists(self.parts)

    def _open(self, kind: str, path: str) -> _Part:
        if path not in self._files:
            self._reading.refuse(Reason.MALFORMED, f"docx: no {kind}")
        part = _Part(kind, path, parse_xml(self._files[path], self._reading))
        self.parts.append(part)
        for identifier, related, target in self._related(path):
            if kind == "document" and related in _PARTS and target in self._files:
                part.relations[identifier] = self._open(related, target)
            elif related == "image":
                image = (
                    without_metadata(self._files[target]) if target in self._files and self._reading.image() else None
                )
                if image is not None:
                    part.relations[identifier] = image
            elif related in _COUNTED:
                self._reading.removed(_COUNTED[related])
        return part

    def _related(self, path: str) -> Iterator[tuple[str, str, str]]:
        """Yield id, type and path of what a part relates to."""
        folder, name = posixpath.split(path)
        file = posixpath.join(folder, "_rels", f"{name}.rels")
        if file not in self._files:
            return
        for relation in parse_xml(self._files[file], self._reading).iter(f"{{{_RELATIONS}}}Relationship"):
            kind = (relation.get("Type") or "").rpartition("/")[2]
            target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target") or "")).lstrip("/").lower()
            yield relation.get("Id") or "", kind, target

    # ---- Writing

    def save(self) -> bytes:
        """Return the document with its changes."""
        for number, part in enumerate(self.parts):
            part.written = f"word/{part.kind}{'' if part.kind == 'document' else number}.xml"
        files = {
            "[Content_Types].xml": self._types(),
            "_rels/.rels": _relations([("r1", _DOCUMENT, "word/document.xml")]),
        }
        for part in self.parts:
            relations = {
                old: (f"r{number}", *self._target(one)) for number, (old, one) in enumerate(part.relations.items())
            }
            for element in part.root.iter():
                for name, value in element.attrib.items():
                    if name.startswith(f"{{{_R}}}"):
                        element.set(name, relations[value][0])
            files[part.written] = etree.tostring(part.root, xml_declaration=True, encoding="UTF-8", standalone=True)
            if relations:
                files[f"word/_rels/{posixpath.basename(part.written)}.rels"] = _relations(relations.values())
        return write_zip(files | self._pictures)

    def _target(self, target: _Part | bytes) -> tuple[str, str]:
        """Return the type of a relation and the path that it leads to."""
        if isinstance(target, _Part):
            return target.kind, posixpath.basename(target.written)
        name = f"media/image{len(self._pictures) + 1}.png"
        self._pictures[f"word/{name}"] = target
        return "image", name

    def _types(self) -> bytes:
        root = etree.Element(f"{{{_TYPES}}}Types", nsmap={None: _TYPES})
        for ending, media in (
            ("rels", "application/vnd.openxmlformats-package.relationships+xml"),
            ("png", "image/png"),
        ):
            etree.SubElement(root, f"{{{_TYPES}}}Default", Extension=ending, ContentType=media)
        for part in self.parts:
            media = f"{_MEDIA}{'document.main' if part.kind == 'document' else part.kind}+xml"
            etree.SubElement(root, f"{{{_TYPES}}}Override", PartName=f"/{part.written}", ContentType=media)
        return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def _relations(relations: Iterable[tuple[str, str, str]]) -> bytes:
    root = etree.Element(f"{{{_RELATIONS}}}Relationships", nsmap={None: _RELATIONS})
    for identifier, kind, target in relations:
        etree.SubElement(root, f"{{{_RELATIONS}}}Relationship", Id=identifier, Type=f"{_R}/{kind}", Target=target)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


# ---- What a part may hold


def _clean(part: _Part, reading: Reading) -> None:
    """Leave in a part what a written file may hold, under prefixes of ours."""
    _end_fields(part.root, reading)
    _clean_children(part.root, part, reading)
    root = etree.Element(f"{{{_W}}}{_ROOTS.get(part.kind, part.kind)}", nsmap={"w": _W, "r": _R})
    root.extend(list(part.root))
    etree.cleanup_namespaces(root)
    part.root = root


def _clean_children(element: Any, part: _Part, reading: Reading) -> None:
    for child in list(element):
        name = local(child) if isinstance(child.tag, str) else ""
        child.tail = None
        if name in ("drawing", "pict"):
            _clean_drawing(child, part, reading)
        elif name in _OPENED or (name == "fldSimple" and not PAGE_FIELD.fullmatch(child.get(f"{{{_W}}}instr") or "")):
            _clean_children(child, part, reading)
            at = element.index(child)
            element[at : at + 1] = list(child)
        elif name == "name" and local(element) != "style":
            element.remove(child)
        elif name in _KEPT and (child.tag.startswith(f"{{{_W}}}") or (name in ("r", "t"))):
            child.tag = f"{{{_W}}}{name}"  # the letters of a formula too
            child.text = child.text if name in ("t", "instrText") else None
            _clean_children(child, part, reading)
            valued = local(element) in _VALUED or child.get(_VAL) is not None
            _clean_attributes(child, part)
            if valued and child.get(_VAL) is None:  # Word opens no file that has it so
                element.remove(child)
        else:
            if name in _REMOVED:
                reading.removed(_REMOVED[name])
            element.remove(child)


def _clean_attributes(element: Any, part: _Part) -> None:
    name = local(element)
    for key, value in list(element.attrib.items()):
        if not _stays(name, key, value, part):
            del element.attrib[key]


_SIGN = re.compile("[0-9A-Fa-f]{4}")


def _stays(name: str, key: str, value: str, part: _Part) -> bool:
    """Return whether an attribute of a kept element stays."""
    kind = key.removeprefix(f"{{{_W}}}")
    if key.startswith(f"{{{_R}}}"):
        return value in part.relations
    if kind == key or kind.startswith("rsid"):
        return key == _SPACE and value in ("preserve", "default")
    if name == "rFonts" or kind == "font":
        return bool(FONT_NAMES.fullmatch(value)) or value in _VALUES
    if name == "sym" and kind == "char":
        return _SIGN.fullmatch(value) is not None
    if name == "lvlText":
        return not WORDS.search(value)
    patterns = (_TOKEN, *[_COLOUR] * (name == "color" or kind in ("color", "fill")), *[_LANGUAGE] * (name == "lang"))
    return _NAMED.get(name) == kind or value in _VALUES or any(one.fullmatch(value) for one in patterns)


def _clean_drawing(drawing: Any, part: _Part, reading: Reading) -> None:
    """Put the paragraphs of a drawing's text boxes after its own; draw its pictures anew where pictures stay."""
    paragraph = next((one for one in drawing.iterancestors() if local(one) == "p"), None)
    boxes = [
        one
        for one in drawing.iter(f"{{{_W}}}txbxContent")
        if not any(local(up) == "Fallback" for up in one.iterancestors())
    ]
    blips = [one for one in drawing.iter() if isinstance(one.tag, str) and one.get(f"{{{_R}}}embed") in part.relations]
    for box in reversed(boxes):
        _clean_children(box, part, reading)
        for child in reversed(list(box)):
            if paragraph is not None:
                paragraph.addnext(child)
    parent = drawing.getparent()
    if boxes or not blips or local(drawing) == "pict":
        parent.remove(drawing)
        return
    size = next(drawing.iter(f"{{{_DRAWN}}}extent"), etree.Element("extent"))
    sides = {
        side: min(int(told), _WIDEST) if (told := size.get(side, "")).isdecimal() else _INCH for side in ("cx", "cy")
    }
    for blip in blips:
        drawn = etree.fromstring(_PICTURE % sides)
        next(drawn.iter(f"{{{_MAIN}/main}}blip")).set(f"{{{_R}}}embed", blip.get(f"{{{_R}}}embed"))
        drawing.addprevious(drawn)
    parent.remove(drawing)


def _end_fields(root: Any, reading: Reading) -> None:
    """Leave of every field but page numbers what it shows."""
    opened: list[tuple[list[Any], list[str]]] = []  # the marks and the instruction of each field
    for element in list(root.iter(f"{{{_W}}}fldChar", f"{{{_W}}}instrText", f"{{{_W}}}delInstrText")):
        kind = element.get(f"{{{_W}}}fldCharType")
        if kind == "begin":
            opened.append(([], []))
        if not opened:
            element.getparent().remove(element)
            continue
        opened[-1][0].append(element)
        opened[-1][1].append(element.text or "" if kind is None else "")
        if kind == "end":
            marks, words = opened.pop()
            if not PAGE_FIELD.fullmatch("".join(words)):
                _remove_all(marks)
                reading.removed("field")
    for marks, _ in opened:
        _remove_all(marks)


def _remove_all(elements: Iterable[Any]) -> None:
    for element in elements:
        element.getparent().remove(element)


def _rename_styles(parts: Sequence[_Part]) -> None:
    """Number the styles, name them so where their names are not usual ones, and the elements that use them."""
    new: dict[str, str] = {}
    for number, style in enumerate((style for part in parts for style in part.root.iter(f"{{{_W}}}style")), 1):
        new[style.get(_STYLE_ID) or ""] = f"S{number}"
        style.set(_STYLE_ID, f"S{number}")
        for name in style.iter(f"{{{_W}}}name"):
            if not STYLE_NAMES.fullmatch(name.get(_VAL) or ""):
                name.set(_VAL, f"S{number}")
    for element in (one for part in parts for one in part.root.iter() if local(one) in _STYLED):
        if (value := element.get(_VAL) or "") in new:
            element.set(_VAL, new[value])
        else:
            element.getparent().remove(element)


def _number_lists(parts: Sequence[_Part]) -> None:
    """Number the lists anew, and what refers to them; what refers to none goes."""
    for name, field_name in _NUMBERED:
        new = {"0": "0"}  # of a paragraph that is in no list
        for number, one in enumerate((one for part in parts for one in part.root.iter(f"{{{_W}}}{name}")), 1):
            new[one.get(f"{{{_W}}}{field_name}") or ""] = str(number)
            one.set(f"{{{_W}}}{field_name}", str(number))
        for element in [one for part in parts for one in part.root.iter(f"{{{_W}}}{field_name}")]:
            if (told := element.get(_VAL) or "") in new:
                element.set(_VAL, new[told])
            else:
                gone = element.getparent() if local(element.getparent()) == "num" else element
                gone.getparent().remove(gone)


# ---- Words


def _read_words(element: Any, reading: Reading, told: set[Any]) -> None:
    """Tell the paragraphs of an element in their order; `told` gets their elements of text."""
    for child in element:
        name = local(child)
        if name == "p":
            _add([list(_runs(child))], reading, told)
        elif name == "tr" and (cells := _lines_of(child)) is not None:
            _add(cells, reading, told)
        else:
            _read_words(child, reading, told)


def _lines_of(row: Any) -> list[list[tuple[Any, str]]] | None:
    """Return the runs of the cells of a row; None if a cell has several lines or a table."""
    cells = []
    for cell in row.iter(f"{{{_W}}}tc"):
        lines = [list(_runs(paragraph)) for paragraph in cell.iter(f"{{{_W}}}p")]
        filled = [runs for runs in lines if any(text.strip() for _, text in runs)]
        if len(filled) > 1 or cell.find(f".//{{{_W}}}tbl") is not None:
            return None
        cells.append(filled[0] if filled else [])
    return cells


def _runs(paragraph: Any) -> Iterator[tuple[Any, str]]:
    """Yield the elements of a paragraph that hold or are characters; None with those that stay."""
    for element in paragraph.iter(*(f"{{{_W}}}{name}" for name in ("t", *_FIXED))):
        name = local(element)
        if name == "t":
            yield element, element.text or ""
        elif local(element.getparent()) != "tabs":
            yield None, _FIXED[name]


def _add(cells: Sequence[Sequence[tuple[Any, str]]], reading: Reading, told: set[Any]) -> None:
    """Tell a paragraph, or the cells of a row."""
    runs = [run for at, cell in enumerate(cells) for run in ([(None, "\t")] if at else []) + list(cell)]
    told |= {element for element, _ in runs}
    if any(element is not None for element, _ in runs):
        reading.add([text for _, text in runs], _put([element for element, _ in runs]))


def _put(elements: Sequence[Any]) -> Callable[[tuple[str | None, ...]], None]:
    def put(texts: tuple[str | None, ...]) -> None:
        for element, text in zip(elements, texts, strict=True):
            if text is not None and element is not None:
                element.text = text
                element.set(_SPACE, "preserve")

    return put
