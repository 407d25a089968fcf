"""CDA R2, with the header of the French CI-SIS: structured bodies, and bodies embedded as another document."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from deid.formats.fields import Rule, stays_as_code
from deid.formats.reading import Reading, Save
from deid.formats.trees import Walk, local, parse_xml, save_xml

_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_SEXES = {"M": "M", "F": "F"}
_BODY = "nonXMLBody/text"  # the whole of a document of level 1
_IDS = frozenset({"ID", "IDREF", "referencedObject", "headers"})
_WORD = re.compile(r"[^\W\d_]{3}|[^\W\d_]+$")
_CODE = Rule(kind="code")


def read_cda(raw: bytes, reading: Reading) -> Save:
    """Read a document of HL7 CDA R2, level 1 to 3, by the field map `cda`.

    A body or a value in base64 is read by its content, and one of XHTML as a page.
    """
    whole = parse_xml(raw, reading)
    root = next(whole.iter("{urn:hl7-org:v3}ClinicalDocument"), whole)
    if root is not whole:  # it shows itself or is signed: within a stylesheet or a signature
        reading.removed("metadata")
        root.getparent().remove(root)
    _rename_ids(root, reading)
    Walk(reading, "cda", special=_Embedded(reading), variants=_variants).read(root)
    for element in root.iter("{urn:hl7-org:v3}administrativeGenderCode"):
        if element.get("code") in _SEXES and local(element.getparent()) == "patient":
            reading.feed("sex", element.get("code"))
    return save_xml(root, raw, reading)


def _rename_ids(root: Any, reading: Reading) -> None:
    """Give elements whose ids are words other ids, where they are referred to too: such words may name somebody."""
    fields = ((one, {*_ids(one), *_references(one)}) for one in root.iter("*"))
    told = [(one, field, one.get(field)) for one, found in fields for field in found]
    names = {name: None for _, _, text in told for name in text.lstrip("#").split()}
    free = (f"x{number}" for number in count(1) if f"x{number}" not in names)
    others = {name: next(free) for name in names if _WORD.search(name) or not stays_as_code(name, _CODE)}
    for one, field, text in told:
        new = " ".join(others.get(name, name) for name in text.lstrip("#").split())
        one.set(field, f"#{new}" if text.startswith("#") else new)
    reading.untouched &= not others


def _ids(element: Any) -> Iterator[str]:
    """Yield the attributes that hold ids, of any namespace."""
    anchor = local(element) in ("a", "linkHtml")
    for field in element.attrib:
        name = field.rpartition("}")[2]
        if name in _IDS or (anchor and name == "name"):
            yield field


def _references(element: Any) -> Iterator[str]:
    """Yield the attributes in which an element refers to the id of another one of the document."""
    name = "value" if local(element) == "reference" else "href"
    fields = [field for field in element.attrib if field.rpartition("}")[2] == name]
    if all(re.fullmatch(r"#\S+", element.get(field)) for field in fields):
        yield from fields


def _variants(element: Any) -> tuple[str, ...]:
    """Return names of an element that tell more: whose id or code, what kind of name, the type of a value, "#"."""
    name = local(element)
    marks = [
        element.get("root"),
        element.get("codeSystem"),
        *(element.get("qualifier") or "").split(),
        (element.get(_TYPE) or "").rpartition(":")[2],
        *("#" for _ in _references(element)),
    ]
    if name in ("id", "setId") and not element.get("extension"):
        marks.append("alone")
    return tuple(f"{name}[{mark}]" for mark in marks if mark)


class _Embedded:
    """Reads the elements that hold another document."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def __call__(self, element: Any, path: str) -> bool:
        """Return whether an element was read as an embedded document."""
        media = element.get("mediaType") or ""
        if element.get("representation") == "B64":
            kept = self._reading.embed_encoded(
                "".join(element.itertext()),
                "base64",
                media,
                lambda new: _set(element, base64.b64encode(new).decode("ascii")),
                body=path.endswith(_BODY),
            )
            if not kept:
                _set(element, "")
            return True
        if media in ("text/html", "application/xhtml+xml") and not len(element) and element.text:
            raw = element.text.encode()
            self._reading.embed(raw, media, lambda new: _set(element, new.decode("ascii")), "utf-8", body=True)
            return True
        return False


def _set(element: Any, text: str) -> None:
    for child in list(element):
        element.remove(child)
    element.text = text
