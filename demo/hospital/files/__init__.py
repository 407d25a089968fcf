"""Letters as files: the share of each format, and the text and mentions of each file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from deid.domain.labels import Label
from deid.formats import read_file
from demo.hospital.files import messages, office, pages, records, tables
from demo.hospital.files.letter import Letter, Made, composed
from demo.hospital.model import GoldMention
from demo.hospital.rendering import Cell

MAX_BYTES = 50_000_000
_WORD = "application/vnd.openxmlformats-officedocument"


class Misread(AssertionError):
    """Difference between the text of a file and its letter's text, under which gold offsets are invalid."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of file: its format's name, media type as the warehouse declares it, share of the files (%), writer.

    `kinds` are the kinds of document that take it, all if empty. What nobody reads without help (`read` is false)
    has no gold: a scan, which recognition of characters reads as it can, and what needs LibreOffice.
    """

    name: str
    media: str
    share: float
    write: Callable[[Letter], Made]
    kinds: frozenset[str] = frozenset()
    read: bool = True


_RESULTS, _IMAGES, _TUMOURS = frozenset({"BIO"}), frozenset({"IMG"}), frozenset({"RCP", "ACP"})
FORMS: Mapping[str, Form] = {
        "pdf": Form("PDF", "application/pdf", 26, pages.pdf),
        "docx": Form("DOCX", f"{_WORD}.wordprocessingml.document", 16, office.docx),
        "rtf": Form("RTF", "application/rtf", 12, office.rtf),
        "hl7_oru": Form("HL7 v2", "x-application/hl7-v2+er7", 7, messages.oru, _RESULTS | _IMAGES),
        "cda_embedded": Form("CDA R2", "application/hl7-cda+xml", 6, records.cda_embedded),
        "cda_structured": Form("CDA R2", "application/hl7-cda+xml", 6, records.cda_structured),
        "fhir": Form("FHIR R4", "application/fhir+json", 6, records.fhir),
        "hl7_mdm": Form("HL7 v2", "x-application/hl7-v2+er7", 4, messages.mdm),
        "json": Form("JSON", "application/json", 2, records.application),
        "csv": Form("CSV", "text/csv", 2, tables.table, _RESULTS),
        "xlsx": Form("XLSX", f"{_WORD}.spreadsheetml.sheet", 2, tables.workbook, _RESULTS),
        "dicom": Form("DICOM", "application/dicom", 2, tables.report, _IMAGES),
        "eml": Form("EML", "message/rfc822", 2, messages.eml),
        "zip": Form("ZIP", "application/zip", 2, messages.bundle),
        "hl7_adt": Form("HL7 v2", "x-application/hl7-v2+er7", 1.5, messages.adt),
        # RTF that its program calls .doc, as many do
        "msword": Form("DOC (RTF)", "application/msword", 1.5, office.rtf),
        "vcf": Form("VCF", "text/vcf", 0.8, tables.variants, _TUMOURS),
        "scan": Form("PDF", "application/pdf", 0.8, pages.scan, read=False),
        "odt": Form("ODT", "application/vnd.oasis.opendocument.text", 0.4, office.odt, read=False),
    }  # fmt: skip


NAMES: Mapping[str, str] = MappingProxyType(
    {"text/html": "HTML", "text/plain": "texte"} | {form.media: form.name for form in FORMS.values()}
)


def forms(kinds: Sequence[str]) -> list[str]:
    """Choose a form for each of the documents that become files, by their kinds, so that the shares come out.

    Each gets the form that fits it and lacks most, one of which there is none yet first.
    """
    given = dict.fromkeys(FORMS, 0)
    chosen = []
    for number, kind in enumerate(kinds, start=1):
        able = [name for name, form in FORMS.items() if not form.kinds or kind in form.kinds]
        name = max(able, key=lambda name: (not given[name], FORMS[name].share * number / 100 - given[name]))
        given[name] += 1
        chosen.append(name)
    return chosen


def write(form: str, letter: Letter) -> tuple[Made, tuple[GoldMention, ...]]:
    """Write a letter as a file; return it with the mentions of its text as `deid.formats.read_file` gives it.

    Raises:
        Misread: the text of the letter does not stand in the file's.
    """
    made = FORMS[form].write(letter)
    if not FORMS[form].read:
        return made, ()
    source = read_file(made.content, document_id=letter.code, max_bytes=MAX_BYTES, hint=FORMS[form].media)
    return made, mentions(source.text, made.body, letter.told())


def mentions(text: str, body: Iterable[Cell], told: Iterable[tuple[str, Label]]) -> tuple[GoldMention, ...]:
    """Locate the mentions of `body`, whose cells stand in `text` in their order, and around them what was `told`.

    Raises:
        Misread: a cell is not there.
    """
    places = [index for index, character in enumerate(text) if not character.isspace()]
    compact = "".join(text.split())
    cursor = 0
    found = []
    taken = bytearray(len(text))
    for cell in body:
        surface = composed("".join(piece.text for piece in cell))
        at = compact.find(surface, cursor)
        if at < 0:
            raise Misread(f"a cell of the letter is not in the file after character {cursor}")
        cursor = at + len(surface)
        if surface:
            taken[places[at] : places[cursor - 1] + 1] = bytes([1]) * (places[cursor - 1] + 1 - places[at])
        for piece in cell:
            end = at + len(composed(piece.text))
            if piece.label is not None and end > at:
                found.append(GoldMention(places[at], places[end - 1] + 1, piece.label))
            at = end
    for value, label in sorted(set(told), key=lambda pair: (-len(pair[0]), pair)):
        for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) if value else ():
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = bytes([1]) * (match.end() - match.start())
                found.append(GoldMention(match.start(), match.end(), label))
    return tuple(sorted(found, key=lambda mention: mention.start))
