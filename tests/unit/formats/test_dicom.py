"""DICOM: what of it becomes a surrogate, what is removed, and that the file stays one."""

from __future__ import annotations

import io
import re
from typing import Any

import pydicom
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom.datadict import DicomDictionary
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

from deid.domain.errors import DocumentRefused
from deid.domain.labels import Label
from deid.formats.fields import FileRules, TimesLeft, shipped_map
from deid.formats.files import read_file
from deid.formats.segments import SegmentedSource

REPORT = "1.2.840.10008.5.1.4.1.1.88.11"
INSTANCE = "1.2.826.0.1.3680043.9.4242.7"


def item(**values: Any) -> Dataset:
    made = Dataset()
    for name, value in values.items():
        setattr(made, name, value)
    return made


def dicom(**more: Any) -> bytes:
    meta = FileMetaDataset()
    meta.TransferSyntaxUID, meta.MediaStorageSOPClassUID = ExplicitVRLittleEndian, REPORT
    meta.MediaStorageSOPInstanceUID, meta.SourceApplicationEntityTitle = INSTANCE, "ZORGLUB"
    file = FileDataset("", {}, file_meta=meta, preamble=b"ZORGLUB " * 16)
    values = {
        "SpecificCharacterSet": "ISO_IR 100", "SOPClassUID": REPORT, "SOPInstanceUID": INSTANCE,
        "Modality": "SR",
        "PatientName": "ZORGLUB^Hélène^Marie", "PatientID": "8012345679", "PatientBirthDate": "19610514",
        "PatientSex": "F", "PatientAge": "062Y", "StudyDate": "20240302", "StudyTime": "1012",
        "PatientBirthTime": "0412",
        "AccessionNumber": "A778899",
        "StudyDescription": "Scanner de Mme Zorglub", "ReferringPhysicianName": "ZORGLUB^Paul",
        "OperatorsName": ["ZORGLUB^A", "ZORGLUB^B"], "InstitutionName": "CHU de Zorglub", "StationName": "ZORGLUB1",
        "InstitutionAddress": "1 rue Zorglub", "Manufacturer": "ACME", "StudyInstanceUID": f"{INSTANCE}.1",
        "ContentSequence": [
            item(ValueType="TEXT", TextValue="Madame Zorglub, née le 14/05/1961. Nodule de 12 mm."),
            item(ValueType="PNAME", PersonName="ZORGLUB^Paul", Date="20240302"),
        ],
        "DigitalSignaturesSequence": [item(TextValue="Zorglub")],
        **more,
    }  # fmt: skip
    for name, value in values.items():
        setattr(file, name, value)
    file.add_new(0x00090010, "LO", "ZORGLUB")
    file.add_new(0x00091001, "LO", "Zorglub")
    target = io.BytesIO()
    pydicom.dcmwrite(target, file, enforce_file_format=True)
    return target.getvalue()


def read(raw: bytes, rules: FileRules | None = None) -> SegmentedSource:
    return read_file(raw, document_id="d", max_bytes=10**7, hint="x.dcm", rules=rules or FileRules())


def with_all_replaced(source: SegmentedSource) -> bytes:
    """Write a file with a surrogate for every name, and for every other mention that its fields tell."""
    names = {(found.start(), found.end()): "MARTIN" for found in re.finditer("(?i)zorglub", source.text)}
    told = {
        (one.start, one.end): {Label.DATE: "09/03/2024", Label.PATIENT: "Anne", Label.DOCTOR: "Luc"}.get(
            one.label, "0775"
        )
        for one in source.mentions
    }
    places = names | {
        at: new for at, new in told.items() if not any(at[0] < end and start < at[1] for start, end in names)
    }
    return source.rewrite(sorted((start, end, new) for (start, end), new in places.items()))


def test_what_identifies_is_gone_and_the_report_stays() -> None:
    source = read(dicom())
    assert source.patient["ipp"] == ["8012345679"]
    assert "Nodule de 12 mm" in source.text
    written = with_all_replaced(source)
    for planted in (
        b"ZORGLUB",
        b"orglub",
        b"8012345679",
        b"19610514",
        b"20240302",
        b"A778899",
        INSTANCE.encode(),
        b"062Y",
    ):
        assert planted not in written, planted
    file = pydicom.dcmread(io.BytesIO(written))
    assert str(file.PatientName).startswith("MARTIN^")
    assert file.StudyDate == file.PatientBirthDate == "20240309"
    assert file.OperatorsName[0] == "MARTIN^Luc"
    assert file.StudyDescription == "Scanner de Mme MARTIN"
    assert file.ContentSequence[0].TextValue.endswith("Nodule de 12 mm.")
    assert (file.PatientSex, file.StudyTime, file.Manufacturer, file.Modality) == ("F", "1012", "ACME", "SR")
    assert "PatientBirthTime" not in file
    assert file.SOPClassUID == REPORT
    assert file.SOPInstanceUID == file.file_meta.MediaStorageSOPInstanceUID
    assert file.PatientIdentityRemoved == "YES"
    assert not any(element.tag.is_private for element in file)


def codes(file: Dataset) -> list[str]:
    return [one.CodeValue for one in file.DeidentificationMethodCodeSequence]


def test_times_lose_their_seconds_and_keep_their_order() -> None:
    raw = dicom(
        SeriesTime="101233.123456", AcquisitionTime="101501", ContentTime=["10:16:02", "11"],
        AcquisitionDateTime="20240302101233.1234+0100", PatientBirthTime="041259",
    )  # fmt: skip
    file = pydicom.dcmread(io.BytesIO(with_all_replaced(read(raw))))
    assert (file.StudyTime, file.SeriesTime, file.AcquisitionTime) == ("1012", "101200", "101500")
    assert list(file.ContentTime) == ["10:16:00", "11"]
    assert file.AcquisitionDateTime == "20240309101200+0100"
    assert not re.search(r"3\.1234|041259|101233|101501", str(file))


@pytest.mark.parametrize(
    ("time", "left"),
    [
        ("101243-111244", "101200-111200"),
        ("-111244", "-111200"),
        ("101243-", "101200-"),
        ("10h12m43 GOUGEAT", ""),
        ("10:12:43", "10:12:00"),
        ("991243", ""),
    ],
)
def test_ranges_of_times_lose_seconds_and_what_is_no_time_goes(time: str, left: str) -> None:
    file = pydicom.dcmread(io.BytesIO(with_all_replaced(read(dicom(SeriesTime=time)))))
    assert file.get("SeriesTime") == left


def test_code_strings_stay_where_they_are_defined_terms() -> None:
    kept = {
        "ImageType": ["DERIVED", "PRIMARY", "AXIAL", "CT_SOM5 SPI"],
        "BodyPartExamined": "CHEST",
        "PatientPosition": "HFS",
    }
    raw = dicom(**kept, ScanOptions=["ZORGLUB", "DDN19810217", "GOUGEAT"], PatientSexNeutered="UNALTERED")
    source = read(raw)
    file = pydicom.dcmread(io.BytesIO(with_all_replaced(source)))
    assert "GOUGEAT" in source.text
    assert list(file.ImageType) == kept["ImageType"]
    assert (file.BodyPartExamined, file.PatientPosition) == ("CHEST", "HFS")
    assert list(file.ScanOptions) == ["MARTIN", "", "GOUGEAT"]


@pytest.mark.parametrize(
    ("attribute", "value", "left"),
    [
        ("SeriesNumber", "19610514", "20240309"),
        ("SliceThickness", "19610514", "20240309"),
        ("ImagePositionPatient", ["1.5", "-20", "19610514"], ["1.5", "-20", "20240309"]),
        ("ImagePositionPatient", ["1961", "196105", "0.19610514"], ["1961", "196105", "0.19610514"]),
        ("XRayTubeCurrentInuA", "19611405", "19611405"),
        ("BodyPartExamined", "NE 14 05 61", ""),
        ("MIMETypeOfEncapsulatedDocument", "text/XML", "text/XML"),
        ("ScanOptions", ["1961_05_14", "T2 1 3 4"], ["", "T2 1 3 4"]),
        ("FrameOfReferenceUID", "1.2.840.10008.19610514.1", "2.25.775"),
        ("FrameOfReferenceUID", "1.2.840.10008.1.4.1.1", "1.2.840.10008.1.4.1.1"),
    ],
)
def test_a_day_goes_whatever_kind_of_value_its_digits_are(attribute: str, value: object, left: object) -> None:
    file = pydicom.dcmread(io.BytesIO(with_all_replaced(read(dicom(**{attribute: value})))))
    told = file.get(attribute)
    assert ([str(one) for one in told] if isinstance(left, list) else str(told or "")) == left


@pytest.mark.parametrize(
    ("attribute", "values", "named"),
    [
        ("ImageType", ["ORIGINAL", "ZOR", "GLUB"], {"ZOR": Label.PATIENT, "GLUB": Label.PATIENT}),
        ("ImageType", ["ORIGINAL", "ZO", "RG", "LUB"], dict.fromkeys(("ZO", "RG", "LUB"), Label.PATIENT)),
        ("ScanOptions", ["FAST", "ZOR_GLUB"], {"ZOR_GLUB": Label.PATIENT}),
        ("SoftwareVersions", ["syngo", "KE", "RVI"], {"KE": Label.DOCTOR, "RVI": Label.DOCTOR}),
        ("SeriesDescription", "KER VI", {"KER VI": Label.DOCTOR}),
        ("MedicalAlerts", ["latex", "ker", "vi"], {"ker": Label.DOCTOR, "vi": Label.DOCTOR}),
        ("ImageType", ["ORIGINAL", "PRIMARY", "AXIAL"], {}),
        ("SoftwareVersions", ["syngo", "MR", "E11"], {}),
        ("ScanOptions", ["FAST", "SAT", "ZOR"], {}),
    ],
)
def test_a_name_cut_over_values_is_one(attribute: str, values: object, named: dict[str, Label]) -> None:
    raw = dicom(
        OperatorsName="", PatientName="ZORGLUB^Marie", ReferringPhysicianName="KERVI^Paul", **{attribute: values}
    )
    source = read(raw)
    told = {source.text[one.start : one.end]: one.label for one in source.mentions}
    assert {value: label for value, label in told.items() if value in str(values)} == named


def test_codes_of_persons_and_places_go() -> None:
    code = [item(CodeValue="10003456787", CodingSchemeDesignator="L", CodeMeaning="Dr Zorglub")]
    raw = dicom(
        ScheduledStationGeographicLocationCodeSequence=code,
        InstitutionalDepartmentTypeCodeSequence=code,
        PatientPrimaryLanguageCodeSequence=[item(CodeValue="br", CodeMeaning="Breton")],
        ContentSequence=[item(HumanPerformerCodeSequence=code, TextValue="Vu")],
    )
    written = with_all_replaced(read(raw))
    assert b"10003456787" not in written
    assert b"Breton" not in written


@pytest.mark.parametrize(
    ("times", "left"),
    [
        ("keep", ["101200", "1016", "20240309101200+0100"]),
        ("hour", ["100000", "1000", "20240309100000+0100"]),
        ("part_of_day", ["060000", "0600", "20240309060000+0100"]),
        ("drop", ["", "", "20240309"]),
    ],
)
def test_times_follow_the_policy(times: TimesLeft, left: list[str]) -> None:
    raw = dicom(SeriesTime="101233.123456", ContentTime="1016", AcquisitionDateTime="20240302101233.1234+0100")
    file = pydicom.dcmread(io.BytesIO(with_all_replaced(read(raw, FileRules(times=times)))))
    assert [file.SeriesTime or "", file.ContentTime or "", file.AcquisitionDateTime] == left


def test_the_profile_is_declared_with_the_options_of_what_is_kept() -> None:
    file = pydicom.dcmread(io.BytesIO(with_all_replaced(read(dicom()))))
    assert codes(file) == ["113100", "113105", "113104", "113107", "113108"]
    assert file.LongitudinalTemporalInformationModified == "MODIFIED"
    bare = dicom(StudyDate="", StudyTime="", PatientBirthDate="", PatientSex="", ContentSequence=[item(TextValue="Vu")])
    file = pydicom.dcmread(io.BytesIO(read(bare).rewrite([])))
    assert codes(file) == ["113100", "113105", "113104"]
    assert file.LongitudinalTemporalInformationModified == "REMOVED"


PLANTED = {
    **dict.fromkeys(("LO", "SH", "ST", "LT", "UT", "UC"), "Zorglub"),
    **dict.fromkeys(("OB", "OW", "OF", "OD", "OL", "OV", "UN", "OB or OW"), b"Zorglub "),
    "AE": "ZORGLUB", "PN": "ZORGLUB^Paul", "UR": "http://Zorglub", "AS": "062Y", "DA": "19610514",
    "DT": "19610514101010",
    "UI": INSTANCE,
}  # fmt: skip
# Codes, schemes, products and curves that the field map keeps
KEPT = {name for name, rule in shipped_map("dicom").fields.items() if rule.kind == "keep"}


def test_no_attribute_of_the_standard_keeps_what_is_planted_in_it() -> None:
    planted, inner = pydicom.dcmread(io.BytesIO(dicom())), Dataset()
    count = 0
    for tag, (vr, _, _, _, keyword) in DicomDictionary.items():
        if tag >> 16 >= 8 and vr in PLANTED and keyword and keyword.casefold() not in KEPT | {"encapsulateddocument"}:
            for items in (planted, inner):
                items.add_new(tag, "OW" if vr == "OB or OW" else vr, PLANTED[vr])
            count += 1
    planted.ContentSequence = [inner]
    file = io.BytesIO()
    pydicom.dcmwrite(file, planted, enforce_file_format=True)
    written = with_all_replaced(read(file.getvalue()))
    assert count > 900
    held = [
        element.keyword
        for element in pydicom.dcmread(io.BytesIO(written)).iterall()
        if element.VR != "SQ" and re.search(f"(?i)orglub|19610514|062Y|{INSTANCE}", str(element.value))
    ]
    assert held == []
    assert not re.search(f"(?i)orglub|{INSTANCE}".encode(), written)


IMAGE = {
    "Rows": 2, "Columns": 2, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "PixelRepresentation": 0,
    "SamplesPerPixel": 1, "PhotometricInterpretation": "MONOCHROME2", "PixelData": b"Zorg",
}  # fmt: skip


def outcome(raw: bytes) -> str:
    """Return what reading and writing a file gives: "read", or the reason of its refusal."""
    try:
        return "read" if isinstance(read(raw).rewrite([]), bytes) else ""
    except DocumentRefused as refused:
        return str(refused.reason)


@pytest.mark.parametrize(
    ("modality", "burned", "images", "expected"),
    [
        ("CT", None, "remove", False),
        ("CT", None, "keep", True),
        ("US", None, "keep", "pictures"),
        ("US", "NO", "keep", True),
        ("CT", "YES", "keep", "pictures"),
        ("CT", "NO", "refuse", "pictures"),
    ],
)
def test_pixels_follow_the_rule_of_pictures(modality: str, burned: str | None, images: str, expected: object) -> None:
    more = {"BurnedInAnnotation": burned} if burned else {}
    raw = dicom(Modality=modality, **IMAGE, **more)
    rules = FileRules.model_validate({"images": images})
    if isinstance(expected, str):
        with pytest.raises(DocumentRefused, match=expected):
            read(raw, rules)
    else:
        file = pydicom.dcmread(io.BytesIO(read(raw, rules).rewrite([])))
        assert ("PixelData" in file) is expected


def test_an_embedded_document_is_read() -> None:
    raw = dicom(MIMETypeOfEncapsulatedDocument="text/plain", EncapsulatedDocument=b"Vue par le Dr Zorglub. ")
    source = read(raw)
    assert "Vue par le Dr Zorglub." in source.text
    assert b"Zorglub" not in with_all_replaced(source)


def test_without_preamble() -> None:
    assert read(dicom()[132:]).text == read(dicom()).text


RAW = dicom()


def test_bad_input_has_a_reason() -> None:
    assert outcome(RAW[:140]) == "malformed"
    assert outcome(bytes(128) + b"DICM" + bytes(50)) in ("malformed", "empty")
    assert outcome(RAW.replace(b"1.2.840.10008.1.2.1", b"1.2.840.10008.\0.2.1")) == "malformed"  # transfer syntax


def _edges(raw: bytes) -> set[int]:
    """Return where the attributes of the file itself begin and end, but those of its head."""
    file = pydicom.dcmread(io.BytesIO(raw))
    return {one.file_tell - (12 if one.VR == "SQ" else 8) for one in file} | {len(raw)}


@pytest.mark.parametrize("undefined", [False, True])
def test_a_file_cut_within_an_attribute_is_refused(undefined: bool) -> None:
    parts = [item(TextValue="Vue"), item(ContentSequence=[item(TextValue="Nodule de 12 mm.")])]
    file = pydicom.dcmread(io.BytesIO(dicom(ContentSequence=parts)))
    file["ContentSequence"].is_undefined_length = undefined
    for part in file.ContentSequence:
        part.is_undefined_length_sequence_item = undefined
    target = io.BytesIO()
    pydicom.dcmwrite(target, file)
    raw = target.getvalue()
    _, *edges = sorted(_edges(raw))  # the first one after the charset, without which nothing is read
    assert [end for end in range(edges[0], len(raw) + 1) if outcome(raw[:end]) != "malformed"] == edges


def test_a_directory_of_files_has_a_refusal_of_its_own() -> None:
    raw = dicom(SOPClassUID=pydicom.uid.MediaStorageDirectoryStorage)
    with pytest.raises(DocumentRefused, match=r"unsupported_format.*DICOMDIR"):
        read(raw)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(RAW)))
    assert outcome(RAW[:start] + data.draw(st.binary(max_size=4)) + RAW[start + data.draw(st.integers(0, 4)) :])
