"""Content of the synthetic hospital."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from datetime import timedelta

import pytest
from stdnum import luhn
from stdnum.fr import nir

from deid import formats
from deid.domain.errors import DocumentRefused
from deid.domain.labels import TAGGED
from demo.hospital import Hospital, HospitalDocument, Version, generate
from demo.hospital.kinds import KINDS
from demo.hospital.timeline import FAULTS

MAX_BYTES = 2_000_000
DIGEST = """
import hashlib
from demo.hospital import generate
found = hashlib.sha256()
for version in generate(patients=12, documents=50, nights=3, files=0.5).events:
    found.update(repr((version.document_id, version.night, version.action, version.gold)).encode() + version.content)
print(found.hexdigest())
"""


def read(document: HospitalDocument, version: Version) -> str:
    return formats.read_source(
        version.content,
        format=document.format,
        charset=document.charset,
        document_id=document.document_id,
        max_bytes=MAX_BYTES,
    ).text


def sound(hospital: Hospital) -> list[tuple[HospitalDocument, Version, str]]:
    return [
        (document, version, read(document, version))
        for document in hospital.documents
        if document.fault is None
        for version in document.versions
    ]


def test_the_same_seed_gives_the_same_bytes_in_any_process() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "4242")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == hashlib.sha256().digest_size * 2


def test_another_seed_gives_another_hospital(small: Hospital) -> None:
    other = generate(seed=7, patients=3, documents=20, nights=2)
    assert {one.nir for one in other.patients}.isdisjoint(one.nir for one in small.patients)


def test_it_has_the_size_that_was_asked(small: Hospital) -> None:
    assert len(small.patients) == 40
    assert len(small.documents) == 260
    assert len(small.stays) >= 3 * len(small.patients)
    assert {version.night for version in small.events} <= {small.first_night + timedelta(days=n) for n in range(6)}


@pytest.mark.parametrize("sizes", [{"patients": 0}, {"nights": 0}, {"documents": len(FAULTS)}])
def test_an_impossible_size_is_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="a hospital needs"):
        generate(**{"patients": 2, "documents": 20, "nights": 2, **sizes})


def test_every_kind_of_document_is_there_with_its_loinc_code(small: Hospital) -> None:
    found = {document.type_code: document.loinc_code for document in small.documents}
    assert len(found) >= 12
    assert found == {code: KINDS[code].loinc for code in found}
    assert all(luhn.is_valid(code.replace("-", "")) for code in found.values()), "a LOINC code ends with a Luhn key"


def test_most_documents_are_html(small: Hospital) -> None:
    share = sum(document.format == "text/html" for document in small.documents) / len(small.documents)
    assert 0.5 < share < 0.7


def test_gold_is_where_it_was_written(small: Hospital) -> None:
    for document, version, text in sound(small):
        end = 0
        for mention in version.gold:
            surface = text[mention.start : mention.end]
            assert mention.start >= end, document.document_id
            assert surface == surface.strip() != "", document.document_id
            assert "\n" not in surface, document.document_id
            end = mention.end


def test_the_identity_of_the_patient_is_marked_wherever_it_stands(small: Hospital) -> None:
    """The generator's own check of itself: what the warehouse knows is nowhere outside a mention."""
    patients = {one.patient_id: one for one in small.patients}
    for document, version, text in sound(small):
        patient = patients[document.patient_id or ""]
        outside = "".join(
            text[start:end]
            for start, end in zip(
                [0, *(mention.end for mention in version.gold)],
                [*(mention.start for mention in version.gold), len(text)],
                strict=True,
            )
        )
        for secret in (patient.ipp, patient.nir, patient.mobile, patient.email, patient.address):
            assert secret not in outside, document.document_id


def test_every_label_occurs(small: Hospital) -> None:
    counts = Counter(mention.label for version in small.events for mention in version.gold)
    remedy = "a slot in demo/hospital/prose/slots_values.py, and lines of documents that use it"
    assert set(counts) == set(TAGGED), remedy
    assert min(counts.values()) >= 10, remedy


def test_identifiers_have_valid_keys(small: Hospital) -> None:
    assert all(nir.is_valid(one.nir) for one in small.patients)
    assert all(luhn.is_valid(one.rpps) for one in small.staff)
    assert len({one.ipp for one in small.patients}) == len(small.patients)
    assert len({one.nda for one in small.stays}) == len(small.stays)


def test_phones_and_mail_are_of_fiction(small: Hospital) -> None:
    fiction = re.compile(r"0(1 99 00|2 61 91|3 53 01|4 65 71|5 36 49|6 39 98) \d\d \d\d")
    for one in small.patients:
        assert fiction.fullmatch(one.phone)
        assert fiction.fullmatch(one.mobile)
        assert one.email.isascii()
        assert one.email.endswith(".example")


def test_stays_and_documents_follow_time(small: Hospital) -> None:
    births = {one.patient_id: one.birth_date for one in small.patients}
    for stay in small.stays:
        assert births[stay.patient_id] <= stay.admitted_on <= stay.discharged_on
    for document in small.documents:
        assert document.written_on <= document.versions[0].night
        moments = [version.happened_at for version in document.versions]
        assert moments == sorted(set(moments))


def test_some_documents_are_corrected_and_some_withdrawn(small: Hospital) -> None:
    actions = Counter(version.action for version in small.events)
    assert actions["insert"] == len(small.documents)
    assert actions["correct"] >= 2
    assert actions["withdraw"] >= 2
    for document in small.documents:
        for before, after in zip(document.versions, document.versions[1:], strict=False):
            assert after.night > before.night
            assert (after.content != before.content) == (after.action == "correct")


def test_the_warehouse_of_a_night_is_the_last_version_up_to_it(small: Hospital) -> None:
    first, last = small.as_of(small.first_night), small.as_of(None)
    assert 0 < len(first) < len(last) == len(small.documents)
    assert {version.action for version in first.values()} == {"insert"}


def test_one_document_has_each_fault_and_is_refused_for_it(small: Hospital) -> None:
    assert Counter(small.faulty.values()) == dict.fromkeys(FAULTS, 1)
    for document in small.documents:
        if document.fault in ("empty", "blank", "undecodable", "truncated", "huge", "unsupported"):
            with pytest.raises(DocumentRefused) as refusal:
                read(document, document.versions[0])
            assert refusal.value.reason is FAULTS[document.fault]
    assert [document.fault for document in small.documents if document.patient_id is None] == ["no_patient"]


def _shape(text: str, version: Version) -> list[str]:
    """Words of a text with its mentions and numbers masked: what is left is the phrasing."""
    masked, cursor = [], 0
    for mention in version.gold:
        masked += [text[cursor : mention.start], f" {mention.label} "]
        cursor = mention.end
    return re.sub(r"\d+", "0", "".join([*masked, text[cursor:]])).lower().split()


def test_the_prose_varies(small: Hospital) -> None:
    grams: Counter[tuple[str, ...]] = Counter()
    for document, version, text in sound(small):
        if version.action == "insert" and document.type_code in ("CRH", "LSO", "CS", "URG", "CRO", "SOC"):
            words = _shape(text, version)
            grams.update(zip(*(words[offset:] for offset in range(5)), strict=False))
    assert len(grams) / grams.total() > 0.45
    assert grams.most_common(1)[0][1] / grams.total() < 0.01


def test_a_correction_is_stored_as_its_document_was(small: Hospital) -> None:
    corrected = [document for document in small.documents if len(document.versions) > 1 and not document.fault]
    assert corrected
    for document in corrected:
        for version in document.versions:
            assert read(document, version)
