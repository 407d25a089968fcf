"""The letter that a file holds: its people, its stay, and its text as blocks, lines and results."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from deid.domain.labels import Label
from demo.hospital.calendar import PARIS
from demo.hospital.model import Patient, Professional, Stay
from demo.hospital.prose.grammar import plain
from demo.hospital.prose.scene import Setting
from demo.hospital.rendering import NEWLINE, Block, Cell, HtmlRenderer, PlainRenderer, Role
from demo.hospital.streams import Stream

CUT_SHARE = 0.15  # of the mentions that a word processor keeps in two stretches of type
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Made:
    """A file; `body` is the letter's text in it, in order, without what the fields of the file tell besides."""

    content: bytes
    body: Sequence[Cell]
    charset: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Result:
    """A row of a table of results; `value` as the laboratory writes it."""

    name: str
    value: str
    unit: str
    reference: str

    @property
    def number(self) -> str | None:
        """The value with a decimal point, None if it is no number."""
        return self.value.replace(",", ".") if _NUMBER.fullmatch(self.value) else None


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that is about to become a file; `code` identifies it."""

    code: str
    seed: str
    setting: Setting
    patient: Patient
    stay: Stay
    author: Professional
    title: str
    loinc: str
    written_on: date
    blocks: tuple[Block, ...]

    def stream(self, purpose: str) -> Stream:
        """Draws of the file for one purpose, the same in every version of the letter."""
        return Stream(f"{self.seed}:{purpose}")

    @property
    def moment(self) -> datetime:
        """The local time at which the letter was written."""
        rng = self.stream("moment")
        return datetime.combine(self.written_on, time(rng.randrange(8, 19), rng.randrange(60)), tzinfo=PARIS)

    @property
    def uid(self) -> str:
        """The root of the letter's identifiers in DICOM."""
        return f"2.25.{self.stream('uid').getrandbits(100)}"

    @property
    def sample(self) -> str:
        """The name of a sample of the patient, as laboratories of genetics make them."""
        return re.sub(r"\s+", "_", f"{self.patient.last_name}_{self.patient.ipp}")

    @property
    def secretary(self) -> Professional:
        """The secretary who typed the letter."""
        team = self.setting.staff[self.author.service or self.stay.service_code]
        return next((one for one in team if one.role == "secrétaire"), self.author)

    @property
    def patient_name(self) -> str:
        """Civility, first name and surname, as a comment or a header has them."""
        return f"{'M.' if self.patient.sex == 'M' else 'Mme'} {self.patient.first_names[0]} {self.patient.last_name}"

    def lines(self, width: int | None = None, blocks: Sequence[Block] | None = None) -> list[Cell]:
        """The lines of the letter, or of some of its blocks, as plain text."""
        found: list[Cell] = [[]]
        renderer = PlainRenderer(self.stream("layout"), width)
        for piece in renderer.render(self.blocks if blocks is None else blocks):
            if piece == NEWLINE:
                found.append([])
            else:
                found[-1].append(piece)
        return found

    def page(self) -> tuple[str, list[Cell]]:
        """The letter as a page of HTML, and its text."""
        markup, pieces = HtmlRenderer(self.stream("layout"), self.patient, self.title).render(self.blocks)
        return markup, [[piece] for piece in pieces]

    def sections(self) -> list[tuple[Cell, list[Block]]]:
        """Headings, each with the blocks under it; the first has an empty heading."""
        found: list[tuple[Cell, list[Block]]] = [([], [])]
        for block in self.blocks:
            if block.role is Role.HEADING:
                found.append((block.rows[0][0], []))
            else:
                found[-1][1].append(block)
        return found

    def results(self) -> list[Result]:
        """Rows of the tables of results."""
        return [
            Result(*(plain(cell).strip() for cell in row[:4]))
            for block in self.blocks
            if is_results(block)
            for row in block.rows[1:]
        ]

    def told(self) -> Iterator[tuple[str, Label]]:
        """Yield what the fields of a file tell of people and stay, each with its label."""
        one, stay, setting = self.patient, self.stay, self.setting
        for name in (one.last_name, one.birth_name, *one.first_names):
            yield name, Label.PATIENT
        for day in (one.birth_date, stay.admitted_on, stay.discharged_on, self.written_on):
            yield f"{day:%d/%m/%Y}", Label.DATE
        for person in (self.author, self.secretary, one.physician):
            yield f"{person.first_name} {person.last_name}", Label.DOCTOR
            yield person.last_name, Label.DOCTOR
            yield person.first_name, Label.DOCTOR
            yield person.rpps, Label.RPPS
            yield person.email, Label.EMAIL
            yield person.phone, Label.PHONE
        for relative in one.relatives:
            yield relative.last_name, Label.PERSON
            yield relative.first_name, Label.PERSON
            yield relative.phone, Label.PHONE
            yield relative.city.name, Label.CITY
            yield relative.city.zip, Label.ZIP
        yield from (
            (one.ipp, Label.IPP), (stay.nda, Label.NDA), (one.nir, Label.NIR), (one.nir[:13], Label.NIR),
            (one.address, Label.STREET), (one.place.zip, Label.ZIP), (one.place.name, Label.CITY),
            (one.birth_place, Label.CITY), (one.phone, Label.PHONE), (one.mobile, Label.PHONE),
            (one.email, Label.EMAIL), (setting.name, Label.ORG), (setting.sites[0], Label.ORG),
            (setting.finess, Label.RPPS), (setting.street, Label.STREET), (setting.country.town.name, Label.CITY),
            (self.code, Label.ID), (self.uid, Label.ID), (self.sample, Label.ID),
        )  # fmt: skip


def is_results(block: Block) -> bool:
    """True for a table of results."""
    return block.role is Role.TABLE and len(block.rows[0]) >= 4 and plain(block.rows[0][0]).casefold() == "analyse"


def stretches(letter: Letter, cell: Cell) -> Iterator[tuple[str, bool]]:
    """Yield the text of a cell as a word processor keeps it: now and then a mention in two stretches, one in bold."""
    rng = letter.stream(f"stretches:{plain(cell)}")
    for piece in cell:
        if piece.label is not None and len(piece.text) > 3 and rng.random() < CUT_SHARE:
            at = rng.randrange(1, len(piece.text))
            yield piece.text[:at], False
            yield piece.text[at:], rng.random() < 0.5
        elif piece.text:
            yield piece.text, False


def composed(text: str) -> str:
    """The text as every reader gives it, without white space."""
    return "".join(unicodedata.normalize("NFC", text).split())
