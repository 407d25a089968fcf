"""Files of the synthetic hospital: every form, read and written again without the patient."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pypdfium2 as pdfium
import pytest

from deid.domain.labels import Label
from deid.formats import SegmentedSource, read_file
from demo.hospital import Hospital, HospitalDocument, generate
from demo.hospital.files import FORMS, Misread, forms, mentions
from demo.hospital.kinds import KINDS
from demo.hospital.prose.grammar import Piece
from tests.unit.formats.samples import expanded

READ = [name for name, form in FORMS.items() if form.read]


@pytest.fixture(scope="module")
def filed() -> Hospital:
    return generate(patients=16, documents=90, nights=3, files=0.8)


def of_form(hospital: Hospital, form: str) -> Iterator[HospitalDocument]:
    return (document for document in hospital.documents if document.form == form)


def opened(document: HospitalDocument) -> SegmentedSource:
    content = document.versions[-1].content
    return read_file(content, document_id=document.document_id, max_bytes=10**7, hint=document.format)


def identity(hospital: Hospital, document: HospitalDocument) -> set[str]:
    """Values of a patient that fields, properties and headers of a file may hold, of more than three letters."""
    patient = next(one for one in hospital.patients if one.patient_id == document.patient_id)
    stay = next(one for one in hospital.stays if one.stay_id == document.stay_id)
    told = {patient.last_name, patient.birth_name, *patient.first_names, patient.ipp, patient.nir, stay.nda}
    told |= {patient.mobile, patient.phone, patient.email, patient.address}
    told |= {f"{patient.birth_date:{form}}" for form in ("%Y%m%d", "%Y-%m-%d", "%d/%m/%Y")}
    return {one for one in told if len(one) > 3}


def texts(raw: bytes) -> Iterator[str]:
    """Every text of a file: what `expanded` gives, pages and properties of a PDF, escapes of RTF."""
    yield from expanded(raw)
    yield re.sub(rb"\\'([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), raw).decode("cp1252", "replace")
    if raw.startswith(b"%PDF"):
        document = pdfium.PdfDocument(raw)
        yield "\n".join(page.get_textpage().get_text_range() for page in document)
        yield repr((document.get_metadata_dict(), [mark.get_title() for mark in document.get_toc()]))


def told_in(raw: bytes, secrets: set[str]) -> set[str]:
    patterns = {one: re.compile(rf"(?<!\w){re.escape(one)}(?!\w)", re.IGNORECASE) for one in secrets}
    return {one for text in texts(raw) for one, pattern in patterns.items() if pattern.search(text)}


def test_every_form_is_there_and_the_other_documents_are_the_same(filed: Hospital) -> None:
    assert {document.form for document in filed.documents} == {None, *FORMS}
    plain = {one.document_id: one for one in generate(patients=16, documents=90, nights=3).documents}
    assert all(plain[one.document_id] == one for one in filed.documents if one.form is None)
    assert sum(one.form is not None for one in filed.documents) == round(0.8 * (90 - len(filed.faulty)))


@pytest.mark.parametrize("form", READ)
def test_no_identity_of_the_patient_is_in_the_rewritten_file(filed: Hospital, form: str) -> None:
    for document in of_form(filed, form):
        secrets = identity(filed, document)
        version = document.versions[-1]
        assert told_in(version.content, secrets), "nothing was planted"
        found = [(one.start, one.end, "…") for one in version.gold]
        assert told_in(opened(document).rewrite(found), secrets) == set(), document.document_id


@pytest.mark.parametrize("form", READ)
def test_gold_has_every_mention_that_the_fields_tell(filed: Hospital, form: str) -> None:
    for document in of_form(filed, form):
        source, gold = opened(document), document.versions[-1].gold
        ends = [0, *(one.end for one in gold)]
        assert all(before <= one.start < one.end for before, one in zip(ends, gold, strict=False))
        for told in source.mentions:
            assert any(one.start < told.end and told.start < one.end for one in gold), (
                document.document_id,
                told.label,
            )


def test_a_scan_is_a_picture_without_letters(filed: Hospital) -> None:
    (document,) = of_form(filed, "scan")
    pages = pdfium.PdfDocument(document.versions[0].content)
    assert [page.get_textpage().count_chars() for page in pages] == [0] * len(pages)
    assert document.versions[0].gold == ()


def test_forms_come_by_their_shares_to_the_kinds_that_they_fit() -> None:
    kinds = list(KINDS) * 100
    given = forms(kinds)
    counts = Counter(given)
    assert all(not FORMS[form].kinds or kind in FORMS[form].kinds for kind, form in zip(kinds, given, strict=True))
    assert all(abs(counts[name] - form.share * len(kinds) / 100) < 15 for name, form in FORMS.items())
    assert sum(form.share for form in FORMS.values()) == pytest.approx(100)


def test_mentions_stand_in_the_body_and_around_it() -> None:
    body = [[Piece("Mme "), Piece("Roy", Label.PATIENT)], [Piece("vue")]]
    found = mentions("Nom : ROY\nMme Roy\nvue", body, [("Roy", Label.PATIENT)])
    assert [(one.start, one.end) for one in found] == [(6, 9), (14, 17)]
    with pytest.raises(Misread):
        mentions("Mme Roi", body, [])
