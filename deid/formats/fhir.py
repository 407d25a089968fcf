"""FHIR R4 in JSON and XML: Patient, DocumentReference, DiagnosticReport, Composition, Bundle and any other resource.

Paths begin with the type of the resource: `Patient/name/family`. Narratives are read as XHTML, attachments by content.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha1
from typing import Any

from lxml import etree

from deid.formats.fields import Rule, is_insee_code, tells_communes
from deid.formats.reading import Reading, Save
from deid.formats.records import JsonText, Leaf, Pointer, scan_json, scan_stream
from deid.formats.trees import Walk, local, parse_xml, save_xml

_FHIR = "{http://hl7.org/fhir}"
_SEXES = {"male": "M", "female": "F"}
_BODY = "Binary/data"  # the whole of a resource
_COMMUNE = frozenset({"code", "display", "valueCode", "valueString", "valueInteger"})
_ADDRESS = re.compile("address|birthplace", re.IGNORECASE)
_ABOUT_DATA = ("hash", "size")  # what an attachment tells of its bytes


def read_fhir(raw: bytes, reading: Reading) -> Save:
    """Read a resource, a bundle, an array of resources or one a line in JSON, changed in place, by the map `fhir`.

    Raises:
        DocumentRefused: malformed, or a reason of an attachment.
    """
    file = JsonText(raw, reading)
    told = list(scan_stream(file.text, reading))
    if len(told) > 1:
        reading.becomes(".ndjson")
    for start, end, resource in told:
        leaves = list(scan_json(file.text, start, end))
        known = {leaf.pointer: leaf for leaf in leaves}
        for leaf in leaves:
            _leaf(file, reading, leaf, known, _types(resource, leaf.pointer))
    return file.save


def _types(resource: Any, pointer: Pointer) -> str:
    """Return the path of a leaf from the innermost resource that holds it."""
    path: list[str] = []
    value = resource
    for part in pointer:
        if isinstance(value, dict) and isinstance(value.get("resourceType"), str):
            path = [value["resourceType"]]
        if isinstance(part, str):
            path.append(part)
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            value = None
    return "/".join(path)


def _leaf(file: JsonText, reading: Reading, leaf: Leaf, known: Mapping[Pointer, Leaf], path: str) -> None:
    def sibling(name: str) -> str:
        found = known.get((*leaf.pointer[:-1], name))
        return "" if found is None else found.value

    def put(value: str) -> None:
        if value:
            file.put(leaf, value)
        else:  # FHIR has no empty value
            file.remove(leaf)

    name = leaf.pointer[-1]
    if name == "div":
        reading.embed(leaf.value.encode(), "narrative", lambda new: put(new.decode()), "utf-8", body=True)
    elif name == "data" and (sibling("contentType") or path == _BODY):
        about = [found for field in _ABOUT_DATA if (found := known.get((*leaf.pointer[:-1], field)))]

        def put_data(new: bytes) -> None:
            put(b64encode(new).decode("ascii"))
            for one in about:
                if new:
                    file.put(one, str(len(new)) if one.number else _digest(new))
                else:
                    file.remove(one)

        body = path == _BODY
        if not reading.embed_encoded(leaf.value, "base64", sibling("contentType"), put_data, body=body):
            put_data(b"")
    elif not (name in _ABOUT_DATA and sibling("data") and sibling("contentType")):
        if path == "Patient/gender" and leaf.value in _SEXES:
            reading.feed("sex", _SEXES[leaf.value])
        reading.field(_rule(reading, path, sibling, leaf.value), leaf.value, put)


def _rule(reading: Reading, path: str, sibling: Callable[[str], str], value: str) -> Rule:
    """Return the rule of a field: of `commune/code` where it is one, by its system, its extension or an address."""
    above, _, name = path.rpartition("/")
    if name in _COMMUNE:
        coded = is_insee_code(value) or not any(map(str.isdigit, value))
        address = is_insee_code(value) and _ADDRESS.search(above) is not None
        told = tells_communes(sibling("system")) or ("extension" in above and tells_communes(sibling("url")))
        if address or (coded and told):
            return reading.rule("fhir", f"commune/{name}")
    return reading.rule("fhir", *_paths(path, sibling("system")))


def _paths(path: str, system: str) -> Sequence[str]:
    """Return a path, before it the one with the system of its identifier or contact: `telecom[phone]/value`."""
    above, _, name = path.rpartition("/")
    kind = system.removeprefix("urn:oid:").rstrip("/").rpartition("/")[2]
    return (f"{above}[{kind}]/{name}", path) if kind else (path,)


def _digest(raw: bytes) -> str:
    """Return the hash of an attachment, as FHIR asks for it."""
    return b64encode(sha1(raw, usedforsecurity=False).digest()).decode("ascii")


def read_narrative(raw: bytes, reading: Reading) -> Save:
    """Read a narrative: an element of XHTML, by the field map `xhtml`."""
    root = parse_xml(raw, reading)
    _narrative(root, reading)
    return lambda: raw if reading.untouched else bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=False))


def read_fhir_xml(raw: bytes, reading: Reading) -> Save:
    """Read a resource or bundle in XML, by the field map `fhir`.

    Raises:
        DocumentRefused: malformed, or a reason of an attachment.
    """
    root = parse_xml(raw, reading)
    for _ in (*root.itersiblings(), *root.itersiblings(preceding=True)):
        reading.removed("comment")
    for _ in root.iter(etree.Comment, etree.ProcessingInstruction):
        reading.removed("comment")
    etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
    _element(root, (), reading)
    return save_xml(root, raw, reading)


def _element(element: Any, path: tuple[str, ...], reading: Reading) -> None:
    name = local(element)
    if not element.tag.startswith(_FHIR):
        _narrative(element, reading)
        return
    path = (name,) if name[:1].isupper() else (*path, name)
    for attribute in element.attrib:
        value = element.get(attribute)
        _attribute(element, str(attribute), value, path, reading)
    for child in list(element):
        _element(child, path, reading)


def _attribute(element: Any, attribute: str, value: str, path: tuple[str, ...], reading: Reading) -> None:
    parent = element.getparent()

    def sibling(name: str) -> str:
        found = None if parent is None else parent.find(f"{_FHIR}{name}")
        if name == "url" and parent is not None:
            return str(parent.get("url", ""))
        return "" if found is None else str(found.get("value", ""))

    def put(new: str) -> None:
        element.set(attribute, new)
        if not new:  # FHIR has no empty value
            _remove(element, attribute)

    where = "/".join(path if attribute == "value" else (*path, attribute))
    if path[-1] == "data" and (sibling("contentType") or where == _BODY):

        def put_data(new: bytes) -> None:
            put(b64encode(new).decode("ascii"))
            for field, told in zip(_ABOUT_DATA, (_digest(new), str(len(new))), strict=True):
                for about in parent.findall(f"{_FHIR}{field}"):
                    about.set("value", told)

        body = where == _BODY
        if not reading.embed_encoded(value, "base64", sibling("contentType"), put_data, body=body):
            put_data(b"")
        return
    if path[-1] in _ABOUT_DATA and sibling("data") and sibling("contentType"):
        return
    if where == "Patient/gender" and value in _SEXES:
        reading.feed("sex", _SEXES[value])
    reading.field(_rule(reading, where, sibling, value), value, put)


def _remove(element: Any, attribute: str) -> None:
    """Remove an attribute, and the elements that are empty without it."""
    del element.attrib[attribute]
    while (parent := element.getparent()) is not None and not len(element) and not element.attrib:
        parent.remove(element)
        element = parent


def _narrative(element: Any, reading: Reading) -> None:
    for image in list(element.iter("{http://www.w3.org/1999/xhtml}img")):
        if not reading.image():
            etree.strip_elements(image.getparent(), image.tag, with_tail=False)
    Walk(reading, "xhtml").read(element)
