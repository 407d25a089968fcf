"""XML by field map: text of elements, values of attributes. Comments and processing instructions are removed.

The path of a field joins the local names of elements, and `@` before that of an attribute: `patient/name/family`,
`id/@extension`. Elements inside a text, such as bold words, are runs of one segment.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from lxml import etree

from deid.domain.errors import Reason
from deid.formats.charsets import decode
from deid.formats.fields import Rule
from deid.formats.reading import Reading, Save
from deid.formats.source import packed_of

# Elements of CDA narrative, XHTML and usual XML that stand inside a line.
_INLINE = frozenset(
    "content sub sup linkHtml footnote footnoteRef b i u em strong span a font small big tt abbr cite code q s strike "
    "del ins mark".split()
)
_BLOCK = frozenset(
    "paragraph list item table thead tbody tfoot tr td th caption br div p li ul ol dl dt dd h1 h2 h3 h4 h5 h6 pre hr "
    "section title text blockquote colgroup renderMultiMedia".split()
)
_ENTITY = re.compile(rb"<!ENTITY|<\0!\0E\0N\0T\0I\0T\0Y|\0<\0!\0E\0N\0T\0I\0T\0Y", re.IGNORECASE)
_DECLARED = re.compile(rb"\s*<\?xml[^>]{1,200}encoding", re.IGNORECASE)


def parse_xml(raw: bytes, reading: Reading) -> Any:
    """Return the root of a document without entities of its own, read without network.

    Raises:
        DocumentRefused: malformed.
    """
    if _ENTITY.search(raw):
        reading.refuse(Reason.MALFORMED, "declares entities, which are not read")
    encoding = None
    if not _DECLARED.match(raw) and raw[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        encoding = decode(raw, reading.charset, reading.document_id)[1]
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, strip_cdata=True, encoding=encoding
    )
    try:
        return etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        reading.refuse(Reason.MALFORMED, f"XML, line {error.lineno}")


def local(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


class _Place:
    """Place of an element: its path from the root, and the rules of the elements that stand there."""

    def __init__(self, above: str, name: str) -> None:
        self.name = name
        self.above = above
        self.path = f"{above}/{name}" if above else name
        self.children: dict[str, _Place] = {}
        self.rules: dict[tuple[str, tuple[str, ...]], Rule] = {}

    def child(self, tag: str) -> _Place:
        """Return the place of a child of this place's element."""
        found = self.children.get(tag)
        if found is None:
            found = self.children[tag] = _Place(self.path, tag.rpartition("}")[2])
        return found


class Walk:
    """Tell a reading the text and attributes of a tree, by the field map of a format.

    Args:
        reading: gets the segments.
        format: whose field map holds.
        special: reads an element that is no text, such as an embedded document; True if it did.
        variants: other names of an element beside its own, such as `id[1.2.3]`, whose rules come first.
        captions: whether the name of a field stands before its value.
    """

    def __init__(
        self,
        reading: Reading,
        format: str,
        *,
        special: Callable[[Any, str], bool] = lambda _element, _path: False,
        variants: Callable[[Any], tuple[str, ...]] = lambda _element: (),
        captions: bool = False,
    ) -> None:
        self._reading = reading
        self._format = format
        self._special = special
        self._variants = variants
        self._captions = captions
        self._mixed: dict[Any, bool] = {}  # whether an element holds text beside its children
        self._runs: list[tuple[Any, str, str]] = []  # element, "text" or "tail", value

    def read(self, root: Any) -> None:
        """Read a tree."""
        if next(root.iter(etree.Entity), None) is not None:
            self._reading.refuse(Reason.MALFORMED, "refers to entities, which are not read")
        told = (etree.Comment, etree.ProcessingInstruction)
        for _ in (*root.itersiblings(*told), *root.itersiblings(*told, preceding=True), *root.iter(*told)):
            self._reading.removed("comment")
        etree.strip_tags(root, *told)
        self._element(root, _Place("", local(root)))
        self._flush()

    def _element(self, element: Any, place: _Place) -> None:
        variants = self._variants(element)
        rule = self._rule(place, variants, "")
        if self._special(element, place.path):
            self._flush()
            return
        if rule.kind == "drop":
            self._flush()
            self._reading.removed("field")
            for child in list(element):
                element.remove(child)
            element.text = None
            element.attrib.clear()
            return
        inline = rule.kind == "text" and self._stands_inside(element)
        if not inline:
            self._flush()
        self._attributes(element, place, variants)
        self._text(element, "text", rule, place)
        for child in element:
            if not isinstance(child.tag, str):
                continue
            self._element(child, place.child(child.tag))
            self._text(child, "tail", rule, place)
        if not inline:
            self._flush()

    def _stands_inside(self, element: Any) -> bool:
        """Return whether an element is a part of a line of its parent."""
        name, parent = local(element), element.getparent()
        if name in _BLOCK or parent is None:
            return False
        if name in _INLINE:
            return True
        if parent not in self._mixed:
            self._mixed[parent] = any(text and text.strip() for text in (parent.text, *(one.tail for one in parent)))
        return self._mixed[parent]

    def _rule(self, place: _Place, variants: tuple[str, ...], field: str) -> Rule:
        rule = place.rules.get((field, variants))
        if rule is None:
            ending = f"/{field}" if field else ""
            names = [f"{place.above}/{name}{ending}" for name in (*variants, place.name)]
            rule = self._reading.rule(self._format, *names, *(("@",) if field else ()))
            place.rules[field, variants] = rule
        return rule

    def _attributes(self, element: Any, place: _Place, variants: tuple[str, ...]) -> None:
        for name, value in element.attrib.items():
            field = f"@{name.rpartition('}')[2]}"
            rule = self._rule(place, variants, field)
            caption = f"{field[1:]} : " if self._captions else ""
            self._reading.field(rule, value, partial(_set_attribute, element, name), caption=caption)

    def _text(self, element: Any, where: str, rule: Rule, place: _Place) -> None:
        value = getattr(element, where)
        if not value:
            return
        if rule.kind == "text" and rule.value == "text" and not rule.patient and packed_of(value) is None:
            caption = f"{place.name} : " if self._captions and where == "text" and not len(element) else ""
            self._runs.append((element, where, value))
            if caption and len(self._runs) == 1 and not self._stands_inside(element):
                self._flush(f"{rule.caption} : " if rule.caption else caption)
            return
        self._flush()
        self._reading.field(rule, value, lambda new: setattr(element, where, new))

    def _flush(self, caption: str = "") -> None:
        runs, self._runs = self._runs, []
        if not any(value.strip() for _, _, value in runs):
            return

        def put(texts: tuple[str | None, ...]) -> None:
            for (element, where, _), text in zip(runs, texts, strict=True):
                if text is not None:
                    setattr(element, where, text)

        self._reading.add([value for _, _, value in runs], put, caption=caption, fold=True)


def _set_attribute(element: Any, name: str, value: str) -> None:
    """Set an attribute, or remove it where its value is empty, which is no id or class."""
    if value:
        element.set(name, value)
    else:
        element.attrib.pop(name, None)


def save_xml(root: Any, raw: bytes, reading: Reading) -> Save:
    """Return what writes a tree in its encoding; the bytes that were read where nothing changed."""
    encoding = root.getroottree().docinfo.encoding or "UTF-8"

    def save() -> bytes:
        if reading.untouched:
            return raw
        return bytes(etree.tostring(root, xml_declaration=True, encoding=encoding, with_tail=False))

    return save


def read_xml(raw: bytes, reading: Reading) -> Save:
    """Read XML of any vocabulary, by the field map `xml`."""
    root = parse_xml(raw, reading)
    Walk(reading, "xml", captions=True).read(root)
    return save_xml(root, raw, reading)
