"""DICOM: attributes under the basic profile of confidentiality with clean descriptors, structured reports included.

Attributes and their actions follow DICOM PS3.15 (2024), annex E, table E.1-1: names, identifiers and dates become
surrogates, times of day lose their seconds, texts are searched, UIDs are drawn anew, and what identifies otherwise is
removed with the private attributes. The surrogate of a UID is that of a number, so a UID has the same one in every file
of a patient. The written file declares the profile with the options that what it keeps needs.

Pixels follow the rule of pictures: removed by default. Where pictures are kept, an image that may show names (burned-in
annotations: declared, or not excluded by a modality that writes into its images) is refused.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from functools import cache, partial
from string import digits
from typing import Any

import pydicom
from pydicom.dataelem import RawDataElement
from pydicom.dataset import Dataset
from pydicom.uid import UID, ImplicitVRLittleEndian, MediaStorageDirectoryStorage

from deid.domain.errors import Reason
from deid.domain.labels import Label
from deid.formats.fields import Rule, coarse_time, shown_day
from deid.formats.reading import Reading, Save
from deid.french.folding import fold, words

# Text of any length is searched; codes and numbers stay.
_TEXTS = frozenset({"LO", "SH", "ST", "LT", "UT", "UC", "UR"})
_DATES = frozenset({"DA", "DT"})
_PIXELS = ("PixelData", "FloatPixelData", "DoubleFloatPixelData", "PixelDataProviderURL")
# Ages, names of stations, and what is unknown
_REMOVED = frozenset({"AS", "AE", "UN"})
_HEADER = 8  # bytes of a tag, its type and length
_UNDEFINED = 0xFFFFFFFF  # length of what ends with a delimiter
_STANDARD = re.compile(r"1\.2\.840\.10008(?:\.\d{1,4})+", re.ASCII)
_NUMBERS = frozenset({"IS", "DS"})  # numbers written in digits, which may be those of a day
# Words of imaging on consoles that no code of DICOM has
_CONSOLE = frozenset(
    "adult angio artefacts diffusion flair gadolinium mprage pediatric routine save scout shim".split()
)
_TITLES = frozenset("dr mle mme pr".split())
_LONG_RUN = re.compile(r"(?:\d[ _]?){5}\d")  # no defined term has so many digits together
_LONGEST_TERM = 16  # characters of a code string
_CLOCK = re.compile(r"(?:[01]\d|2[0-4])(?::?[0-5]\d(?::?(?:[0-5]\d|60)(?:\.\d{1,9})?)?)?", re.ASCII)
_SHORT = 3  # letters and digits of the abbreviations of imaging: SAG, T2W, TAP
_PIECES = 4  # most neighbouring values over which a name is cut
_DIGITS = 4  # most of them that a description holds, fewer than a date
# Modalities whose devices write names into their images
_WRITTEN_INTO = frozenset({"US", "SC", "OT", "XC", "ES", "GM", "OP", "DOC", "IVUS", "ECG", "HC", "RF", "XA"})
# The profile and the options that every file follows (PS3.16, CID 7050), and the option that patients' data need
_METHOD = (
    ("113100", "Basic Application Confidentiality Profile"),
    ("113105", "Clean Descriptors Option"),
    ("113104", "Clean Structured Content Option"),
)
_MOVED = ("113107", "Retain Longitudinal Temporal Information Modified Dates Option")
_DESCRIBED = ("113108", "Retain Patient Characteristics Option")
_TRAITS = frozenset(
    "PatientSex PatientSexNeutered PatientSize PatientWeight PatientBodyMassIndex MeasuredAPDimension PregnancyStatus "
    "MeasuredLateralDimension SmokingStatus Allergies PatientState PreMedication SpecialNeeds".split()
)


def read_dicom(raw: bytes, reading: Reading) -> Save:
    """Read a file of DICOM, with or without its preamble, by the field map `dicom`.

    Raises:
        DocumentRefused: malformed; pictures, where its pixels may show names or the rules hold pictures back.
    """
    file = _whole(raw)
    if not any(element.tag.group > 2 for element in file):
        reading.refuse(Reason.MALFORMED, "dicom: no attribute")
    if _media(file) == MediaStorageDirectoryStorage:
        reading.refuse(Reason.UNSUPPORTED_FORMAT, "dicom: a directory of files (DICOMDIR)")
    if not _syntax(file).is_transfer_syntax:
        reading.refuse(Reason.MALFORMED, "dicom: transfer syntax")
    file.decode()
    _remove_pixels(file, reading)
    file.remove_private_tags()
    _Attributes(file, reading).read(file)
    reading.removed("metadata")
    return lambda: _written(file)


class _Headers(io.BytesIO):
    """Bytes that fail where they end within the eight bytes at which an attribute begins."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to `size` bytes."""
        found = super().read(size)
        if size == _HEADER and len(found) < _HEADER and found.strip(b"\0"):
            raise ValueError("the file ends within an attribute")
        return found


def _whole(raw: bytes) -> Any:
    """Return a file; pydicom gives what is left of one that was cut, with a warning at most.

    Raises:
        ValueError: it ends before one of its attributes does.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="End of file reached before delimiter")
        file = pydicom.dcmread(_Headers(raw), force=True)
    _check_lengths(file)
    return file


def _check_lengths(items: Dataset) -> None:
    for tag in list(items.keys()):
        told: Any = items.get_item(tag)
        if isinstance(told, RawDataElement) and told.length not in (_UNDEFINED, len(told.value or b"")):
            raise ValueError("an attribute is shorter than its length")
        element = items[tag]
        for item in element.value if element.VR == "SQ" else ():
            _check_lengths(item)


def _remove_pixels(file: Dataset, reading: Reading) -> None:
    if not any(name in file for name in _PIXELS):
        return
    if not reading.image():
        for name in _PIXELS:
            if name in file:
                delattr(file, name)
    elif file.get("BurnedInAnnotation") != "NO" and (
        file.get("BurnedInAnnotation") == "YES" or file.get("Modality") in _WRITTEN_INTO
    ):
        reading.refuse(Reason.PICTURES, "its pixels may show names (BurnedInAnnotation)")


class _Attributes:
    """Attributes of a file and of the items in it, for a reading."""

    def __init__(self, file: Dataset, reading: Reading) -> None:
        self._file = file
        self._reading = reading
        self._defined = frozenset(reading.rule("dicom", "CS").codes)
        named = [element for element in file.iterall() if element.VR == "PN"]
        self._people = {
            word: Label.PATIENT if element.keyword == "PatientName" else Label.DOCTOR
            for element in sorted(named, key=lambda one: one.keyword == "PatientName")
            for word in words(str(element.value))
            if len(word) > 1
        }

    def read(self, items: Dataset) -> None:
        """Read the attributes of a file or of an item of a sequence."""
        for element in list(items):
            if element.tag.group & 0xFF00 in (0x5000, 0x6000):  # curves and overlays
                del items[element.tag]
                self._reading.removed("image")
            elif element.VR == "SQ" and self._reading.rule("dicom", element.keyword).kind not in ("drop", "keep"):
                for item in element.value:
                    self.read(item)
            else:
                self._element(items, element)

    def _element(self, items: Dataset, element: Any) -> None:
        rule = self._reading.rule("dicom", element.keyword)
        if rule.kind == "code" and (
            not self._people.keys().isdisjoint(words(str(element.value))) or self._cut_names(_values_of(element))
        ):
            rule = rule.without_code
        if element.keyword == "EncapsulatedDocument":
            self._embedded(items, element)
        elif rule.kind == "drop" or element.VR in _REMOVED or self._is_blob(items, element, rule):
            del items[element.tag]
            self._reading.removed("field")
        elif (
            rule.kind == "keep" or element.value in (None, "") or (rule.kind == "code" and _is_term(str(element.value)))
        ):
            return
        elif element.VR == "TM":
            self._times(element)
        elif element.VR == "CS":
            self._terms(element)
        elif element.VR == "PN":
            self._name(element, rule)
        elif element.VR in _TEXTS | _DATES | _NUMBERS | {"UI"} or rule.kind == "identity":
            self._values(element, rule)

    def _times(self, element: Any) -> None:
        """Leave of times of day, and of both ends of their ranges, what the policy says; others are emptied."""
        values = [str(value).strip() for value in (element.value if element.VM > 1 else [element.value])]
        times = []
        for value in values:
            ends = value.split("-", 1)
            if all(_CLOCK.fullmatch(end) for end in ends if end):
                times.append("-".join(coarse_time(end, self._reading.rules.times) for end in ends))
            else:
                times.append("")
                self._reading.removed("field")
        times = ["" if time == "-" else time for time in times]
        element.value = times if element.VM > 1 else times[0]

    def _terms(self, element: Any) -> None:
        """Tell the code strings of an attribute that are no defined terms: names of the file, and other words."""
        several, values = element.VM > 1, _values_of(element)
        cut = self._cut_names(values)
        for at, value in enumerate(values):
            put = _put(element, values, at, several)
            label = next(
                (self._people[word] for word in words(value) if len(word) > _SHORT and word in self._people),
                cut.get(at),
            )
            if _LONG_RUN.search(value):
                put("")
                self._reading.removed("field")
            elif label or not all(word.strip(digits) in self._defined or _is_term(word) for word in words(value)):
                self._reading.field(Rule(kind="identity", label=label) if label else Rule(), value, put)

    def _is_blob(self, items: Dataset, element: Any, rule: Rule) -> bool:
        """Return whether an attribute is of bytes that may hold anything: all but pixels and what the map keeps."""
        return (
            element.VR.startswith("O")
            and rule.kind != "keep"
            and not (items is self._file and element.keyword in _PIXELS)
        )

    def _values(self, element: Any, rule: Rule) -> None:
        """Tell the values of an attribute, each by itself."""
        several, values = element.VM > 1, _values_of(element)
        if element.VR == "UI" and all(map(_STANDARD.fullmatch, values)):
            return
        cut = self._cut_names(values) if element.VR in _TEXTS and rule.kind != "identity" else {}
        for at, value in enumerate(values):
            if at in cut:
                named = Rule(kind="identity", label=cut[at])
                self._reading.field(named, value, _put(element, values, at, several))
                continue
            day = (shown_day(value) or "").count("/") == 2
            if day or element.VR not in _NUMBERS or rule.kind == "identity":
                self._reading.field(_of(element, rule), value, _put(element, values, at, several))

    def _cut_names(self, values: list[str]) -> dict[int, Label]:
        """Return the values that spell a name of the file's persons, joined to the next ones or without their signs."""
        pieces = [words(value) for value in values]
        found: dict[int, Label] = {}
        for start in range(len(pieces)):
            for end in range(start + 1, min(start + _PIECES, len(pieces)) + 1):
                spelt = [word for piece in pieces[start:end] for word in piece]
                label = self._people.get("".join(spelt))
                if label is not None and len(spelt) > 1 and len("".join(spelt)) > _SHORT:
                    found |= dict.fromkeys(range(start, end), label)
        return found

    def _name(self, element: Any, rule: Rule) -> None:
        """Tell the parts of persons' names, FAMILY^GIVEN, each by itself; ideographic and phonetic forms go."""
        told = element.value if element.VM > 1 else [element.value]
        names = [str(name).partition("=")[0].split("^") for name in told]
        feeds = ("last_name", "first_names", "first_names") if element.keyword == "PatientName" else (None,) * 3

        def put(parts: list[str], at: int, text: str) -> None:
            parts[at] = re.sub(r"[\^=\\]", " ", text)
            element.value = ["^".join(name) for name in names] if len(names) > 1 else "^".join(names[0])

        for parts in names:
            del parts[5:]
            for at, feed in enumerate(feeds[: len(parts)]):
                one = rule.model_copy(update={"patient": feed})
                self._reading.field(one, parts[at], partial(put, parts, at))
        element.value = ["^".join(name) for name in names] if len(names) > 1 else "^".join(names[0])

    def _embedded(self, items: Dataset, element: Any) -> None:
        hint = str(items.get("MIMETypeOfEncapsulatedDocument", ""))

        def put(written: bytes) -> None:
            element.value = written + b"\0" * (len(written) % 2)

        if not self._reading.embed(bytes(element.value).rstrip(b"\0"), hint, put, body=True):
            del items[element.tag]


def _is_term(value: str) -> bool:
    """Return whether a value is of words of imaging alone, in English as consoles write, and titles nobody."""
    known = all(word in _terms() or (len(word) <= _SHORT and word not in _TITLES) for word in words(value))
    return known and sum(map(str.isdigit, value)) <= _DIGITS


@cache
def _terms() -> frozenset[str]:
    """Return the words in small letters of the meanings of DICOM's own codes (PS3.16), which hold no name."""
    from pydicom.sr.codedict import codes  # a second: only files with such fields need it

    tables = (getattr(codes, scheme).concepts.values() for scheme in codes.schemes())
    meanings = " ".join(code.meaning for table in tables for code in table)
    return _CONSOLE | frozenset(word for word in re.findall(r"[^\W\d_]+", meanings) if word.islower())


def _of(element: Any, rule: Rule) -> Rule:
    """Return the rule of a value by the kind of its attribute, where the map gives no identity."""
    if rule.kind == "identity" or element.VR not in _DATES | {"UI"}:
        return rule
    told = {"label": "ID"} if element.VR == "UI" else {"label": "DATE", "as": "date"}
    return Rule.model_validate({**told, "caption": rule.caption})


def _values_of(element: Any) -> list[str]:
    return [str(value) for value in element.value] if element.VM > 1 else [str(element.value)]


def _put(element: Any, values: list[str], at: int, several: bool) -> Callable[[str], None]:
    def put(text: str) -> None:
        values[at] = _written_as(element.VR, text)
        element.value = values if several else values[0]

    return put


def _written_as(kind: str, text: str) -> str:
    """Return a surrogate as an attribute of a kind may hold it."""
    if kind == "CS":
        return re.sub(r"[^A-Z0-9_ ]", " ", fold(text).upper())[:_LONGEST_TERM].strip()
    return _as_uid(text) if kind == "UI" else "" if kind == "DA" and len(text) < len("YYYYMMDD") else text


def _as_uid(text: str) -> str:
    """Return a UID of the digits of a surrogate (PS3.5, section 9: no leading zeros, at most 64 characters)."""
    parts = [part.lstrip("0") or "0" for part in re.findall(r"\d+", text)]
    return ".".join(["2.25", *parts])[:64].rstrip(".")


def _written(file: Any) -> bytes:
    """Return a file with its attributes as they are now, and the marks of PS3.15."""
    file.SpecificCharacterSet = "ISO_IR 192"
    file.PatientIdentityRemoved = "YES"
    file.DeidentificationMethod = "Nocturne"
    filled = [element for element in file.iterall() if element.VR != "SQ" and element.value not in (None, "")]
    moved = any(element.VR in _DATES | {"TM"} for element in filled)
    described = any(element.keyword in _TRAITS for element in filled)
    methods = (*_METHOD, *[_MOVED] * moved, *[_DESCRIBED] * described)
    file.DeidentificationMethodCodeSequence = [_code(*method) for method in methods]
    file.LongitudinalTemporalInformationModified = "MODIFIED" if moved else "REMOVED"
    syntax = _syntax(file)
    media = _media(file)
    file.file_meta = pydicom.dataset.FileMetaDataset()
    file.file_meta.TransferSyntaxUID = syntax
    file.file_meta.MediaStorageSOPClassUID = media
    file.file_meta.MediaStorageSOPInstanceUID = UID(file.get("SOPInstanceUID", "2.25.0"))
    file.preamble = bytes(128)
    target = io.BytesIO()
    pydicom.dcmwrite(target, file, enforce_file_format=True)
    return target.getvalue()


def _syntax(file: Any) -> UID:
    """Return the transfer syntax of a file; one without it is of PS3.5's default."""
    return UID(file.file_meta.get("TransferSyntaxUID", ImplicitVRLittleEndian))


def _media(file: Any) -> UID:
    """Return the kind of object that a file holds, by its data set or else by its head."""
    return UID(file.get("SOPClassUID") or file.file_meta.get("MediaStorageSOPClassUID", ""))


def _code(value: str, meaning: str) -> Dataset:
    code = Dataset()
    code.CodeValue, code.CodingSchemeDesignator, code.CodeMeaning = value, "DCM", meaning
    return code
