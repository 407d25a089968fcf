"""Letters as values: tables of results (CSV, XLSX), DICOM structured reports, headers of VCF."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from datetime import datetime

import openpyxl
import pydicom
from openpyxl.comments import Comment
from openpyxl.packaging.custom import StringProperty
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.uid import UID, ExplicitVRLittleEndian

from demo.hospital.files.letter import Letter, Made, is_results
from demo.hospital.files.office import archive
from demo.hospital.prose.grammar import Piece, plain
from demo.hospital.rendering import Block, Cell, Role

_COLUMNS = ("analyse", "resultat", "unite", "reference")


def _comments(letter: Letter) -> list[Cell]:
    """The lines of the report beside its results."""
    blocks = [
        block
        for block in letter.blocks
        if block.role in (Role.LINE, Role.PARAGRAPH, Role.ITEM) and not is_results(block)
    ]
    return [cell for block in blocks for row in block.rows for cell in row if plain(cell).strip()]


def table(letter: Letter) -> Made:
    """A table of results as a laboratory's system exports it, in Windows-1252 where that has all its letters."""
    file = io.StringIO()
    writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
    one, rows, body = letter.patient, letter.results(), _comments(letter)
    writer.writerow(("ipp", "nom_patient", "prenom_patient", "ddn", "nda", "date", "medecin", *_COLUMNS, "commentaire"))
    head = [one.ipp, one.last_name, one.first_names[0], f"{one.birth_date:%d/%m/%Y}", letter.stay.nda]
    head += [f"{letter.written_on:%d/%m/%Y}", f"Dr {letter.author.last_name}"]
    cells: list[Cell] = []
    for at, row in enumerate(rows):
        comment = "\n".join(map(plain, body)) if at == len(rows) - 1 else ""
        writer.writerow((*head, row.name, row.value, row.unit, row.reference, comment))
        cells += [[Piece(row.name)], [Piece(row.value)], [Piece(row.unit)], [Piece(row.reference)]]
    try:
        return Made(file.getvalue().encode("cp1252"), [*cells, *body], "windows-1252")
    except UnicodeEncodeError:
        return Made(file.getvalue().encode(), [*cells, *body])


def workbook(letter: Letter) -> Made:
    """A workbook of results: a sheet to read, a hidden one with the patient, comments and properties."""
    one, book = letter.patient, openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Résultats"
    cells: list[Cell] = []
    sheet.append(["Analyse", "Résultat", "Unité", "Référence"])
    for row in letter.results():
        sheet.append([row.name, float(row.number) if row.number else row.value, row.unit, row.reference])
        cells.append([Piece(row.name)])
    for cell in _comments(letter):
        sheet.append([plain(cell)])
        cells.append(cell)
    typist = f"{letter.secretary.first_name} {letter.secretary.last_name}"
    sheet["A1"].comment = Comment(f"Prélèvement de {letter.patient_name}", typist)
    sheet.oddHeader.center.text = letter.patient_name.replace("&", "et")
    hidden = book.create_sheet("Identité")
    hidden.sheet_state = "hidden"
    hidden.append(["Patient", "IPP", "Naissance", "Séjour", "Médecin"])
    names = f"{one.last_name} {' '.join(one.first_names)}"
    hidden.append(
        [
            names,
            one.ipp,
            datetime.combine(one.birth_date, datetime.min.time()),
            letter.stay.nda,
            letter.author.last_name,
        ]
    )
    told = book.properties
    told.creator, told.lastModifiedBy, told.title = letter.author.last_name, typist, f"Bilan {one.last_name}"
    told.created = letter.moment.replace(tzinfo=None)
    told.revision = "3"
    book.custom_doc_props.append(StringProperty(name="IPP", value=one.ipp))
    file = io.BytesIO()
    book.save(file)
    return Made(_timeless(file.getvalue(), letter.moment), cells)


def _timeless(raw: bytes, moment: datetime) -> bytes:
    """The same workbook without the time at which it was written: openpyxl stamps its parts."""
    with zipfile.ZipFile(io.BytesIO(raw)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    stamp = f"{moment:%Y-%m-%dT%H:%M:%SZ}".encode()
    core = "docProps/core.xml"
    parts[core] = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + stamp, parts[core])
    return archive(parts, moment)


# ---- DICOM

_BASIC_TEXT = "1.2.840.10008.5.1.4.1.1.88.11"


def report(letter: Letter) -> Made:
    """A structured report of imaging: observer, and a container of text for each section."""
    patient, author = letter.patient, letter.author
    uid = letter.uid
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = UID(_BASIC_TEXT), UID(f"{uid}.3")
    meta.ImplementationClassUID = UID("2.25.1")
    file = FileDataset("", {}, file_meta=meta, preamble=bytes(128))
    file.SpecificCharacterSet = "ISO_IR 192"
    file.SOPClassUID, file.SOPInstanceUID, file.StudyInstanceUID = _BASIC_TEXT, f"{uid}.3", f"{uid}.1"
    file.SeriesInstanceUID, file.Modality, file.SeriesNumber, file.InstanceNumber = f"{uid}.2", "SR", 1, 1
    file.StudyDate = file.ContentDate = f"{letter.written_on:%Y%m%d}"
    file.StudyTime = file.ContentTime = f"{letter.moment:%H%M%S}"
    file.PatientName, file.PatientID = f"{patient.last_name}^{patient.first_names[0]}", patient.ipp
    file.PatientBirthDate, file.PatientSex = f"{patient.birth_date:%Y%m%d}", patient.sex
    file.PatientAddress, file.AdmissionID, file.AccessionNumber = patient.address[:64], letter.stay.nda, letter.code
    file.ReferringPhysicianName = f"{patient.physician.last_name}^{patient.physician.first_name}^^Dr"
    file.InstitutionName, file.StationName = letter.setting.name, "TDM2"
    file.StudyDescription = f"{letter.title} {patient.last_name}"[:64]
    file.CompletionFlag, file.VerificationFlag, file.ValueType, file.ContinuityOfContent = (
        "COMPLETE",
        "VERIFIED",
        "CONTAINER",
        "SEPARATE",
    )
    file.add_new((0x0009, 0x0010), "LO", "NOCTURNE DEMO")
    file.add_new((0x0009, 0x1001), "LO", patient.last_name)
    observer = Dataset()
    observer.RelationshipType, observer.ValueType = "HAS OBS CONTEXT", "PNAME"
    observer.ConceptNameCodeSequence = [_concept("121008", "DCM", "Person Observer Name")]
    observer.PersonName = f"{author.last_name}^{author.first_name}^^Dr"
    items, cells = [observer], []
    for heading, blocks in letter.sections():
        lines = [line for line in letter.lines(blocks=blocks) if plain(line).strip()]
        if not lines:
            continue
        item = Dataset()
        item.RelationshipType, item.ValueType = "CONTAINS", "TEXT"
        item.ConceptNameCodeSequence = [_concept("121071", "DCM", "Finding")]
        item.TextValue = "\n".join([plain(heading), *map(plain, lines)]).strip()
        cells += [heading, *lines]
        items.append(item)
    file.ContentSequence = items
    target = io.BytesIO()
    pydicom.dcmwrite(target, file, enforce_file_format=True)
    return Made(target.getvalue(), cells)


def _concept(value: str, scheme: str, meaning: str) -> Dataset:
    code = Dataset()
    code.CodeValue, code.CodingSchemeDesignator, code.CodeMeaning = value, scheme, meaning
    return code


# ---- VCF


def variants(letter: Letter) -> Made:
    """Variants of a tumour: the header names the patient and holds the report; samples bear the patient's name."""
    rng = letter.stream("variants")
    sample = letter.sample
    cells = [line for line in letter.lines(blocks=_prose(letter.blocks)) if plain(line).strip()]
    lines = [
        "##fileformat=VCFv4.2", f"##fileDate={letter.written_on:%Y%m%d}", "##reference=GRCh38",
        f"##bcftools_viewCommand=view -s {sample} /data/{letter.patient.ipp}.bam",
        f'##SAMPLE=<ID={sample},Description="Prélèvement de {letter.patient_name}, séjour {letter.stay.nda}">',
        *(f"##compte_rendu={plain(line)}" for line in cells),
        '##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth">',
        f"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{sample}",
    ]  # fmt: skip
    for position in sorted(rng.sample(range(10**6, 2 * 10**8), 12)):
        reference, other = rng.sample("ACGT", 2)
        lines.append(
            f"{rng.randrange(1, 23)}\t{position}\t.\t{reference}\t{other}\t99\tPASS\t"
            f"DP={rng.randrange(30, 900)}\tGT\t0/1"
        )
    return Made(("\n".join(lines) + "\n").encode(), cells)


def _prose(blocks: tuple[Block, ...]) -> list[Block]:
    return [block for block in blocks if block.role in (Role.HEADING, Role.PARAGRAPH, Role.LINE)]
