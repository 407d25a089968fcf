"""Scanned pages: refused, or read by tesseract where the rules say so; the picture itself is never written."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import pypdf
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageStat
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from deid.domain.errors import DocumentRefused, Reason
from deid.formats import scans
from deid.formats.fields import FileRules
from deid.formats.files import read_file
from deid.formats.segments import SegmentedSource

OCR = FileRules(scans="ocr")
LINES = [
    "Nom : KERGOAT            Prénom : Anne",
    "Compte rendu du 02/03/2024",
    "Madame KERGOAT a été hospitalisée pour une dyspnée.",
]
READ = [scans.READ_BY, "Nom : KERGOAT\tPrénom : Anne", *LINES[1:]]
with_tesseract = pytest.mark.skipif(
    not scans.installed(), reason="tesseract with French data is not installed (Debian: apt install tesseract-ocr-fra)"
)


def page(lines: list[str] = LINES) -> Image.Image:
    drawn = Image.new("L", (1240, 700), 255)
    font = ImageFont.truetype(str(Path(mpl.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")), 22)
    for at, line in enumerate(lines):
        ImageDraw.Draw(drawn).text((100, 100 + 40 * at), line, font=font, fill=0)
    return drawn


def saved(drawn: Image.Image, format: str = "PNG", **more: object) -> bytes:
    file = io.BytesIO()
    drawn.save(file, format, dpi=(150, 150), **more)
    return file.getvalue()


def pdf(*pages: Image.Image | str) -> bytes:
    """Return a PDF of pages, each a picture of the whole page or a line of text."""
    file = io.BytesIO()
    canvas = Canvas(file, A4, invariant=1)
    for one in pages:
        if isinstance(one, str):
            canvas.drawString(70, 700, one)
        else:
            canvas.drawImage(ImageReader(one), 0, 400, 595, 336)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def read(raw: bytes, rules: FileRules = OCR) -> SegmentedSource:
    return read_file(raw, document_id="d", max_bytes=10**7, rules=rules)


def replaced(source: SegmentedSource) -> bytes:
    return source.rewrite([(one.start(), one.end(), "LEFÈVRE") for one in re.finditer("KERGOAT", source.text)])


def refusal(raw: bytes, rules: FileRules = OCR) -> Reason:
    with pytest.raises(DocumentRefused) as refused:
        read(raw, rules)
    assert "KERGOAT" not in str(refused.value)
    return refused.value.reason


@pytest.mark.parametrize(
    "raw", [saved(page()), pdf(page()), pdf("Madame KERGOAT", page())], ids=["png", "pdf", "mixed"]
)
def test_scans_are_refused_unless_the_rules_say_so(raw: bytes) -> None:
    assert refusal(raw, FileRules()) is Reason.SCANNED


def test_without_tesseract_a_scan_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    scans.installed.cache_clear()
    monkeypatch.setenv("PATH", "/nowhere")
    assert refusal(saved(page())) is Reason.SCANNED
    monkeypatch.undo()
    scans.installed.cache_clear()


@with_tesseract
@pytest.mark.parametrize(
    "raw",
    [
        saved(page()),
        saved(page().convert("RGB"), "JPEG", quality=80),
        saved(page(), "TIFF"),
    ],
    ids=["png", "jpeg", "tiff"],
)
def test_a_picture_of_a_page_becomes_a_page_of_html(raw: bytes) -> None:
    source = read(raw)
    assert source.text.splitlines() == READ
    assert source.suffix == ".html"
    written = replaced(source)
    assert written.startswith(b"<!DOCTYPE html>")
    assert b"KERGOAT" not in written
    assert b"img" not in written
    assert source.read_again(written).count("LEFÈVRE") == 2


@with_tesseract
def test_what_a_camera_tells_is_removed() -> None:
    told = Image.Exif()
    told[0x010E] = told[0x013B] = "Zor-glub"
    raw = saved(page(), "JPEG", quality=90, exif=told, comment=b"Zor-glub")
    assert raw.count(b"Zor-glub") == 3
    assert b"Zor-glub" not in read(raw).rewrite([])


@with_tesseract
def test_every_page_of_a_tiff_is_read() -> None:
    raw = saved(page(), "TIFF", save_all=True, append_images=[page(["Docteur KERGOAT, cardiologue"])])
    assert read(raw).text.splitlines() == [*READ, scans.READ_BY, "Docteur KERGOAT, cardiologue"]


@with_tesseract
def test_a_scanned_page_of_a_pdf_becomes_words_at_their_places() -> None:
    source = read(pdf(page(), "Docteur KERGOAT"))
    assert source.text.splitlines() == [*READ, "Docteur KERGOAT"]
    written = replaced(source)
    reader = pypdf.PdfReader(io.BytesIO(written))
    assert not any(one.images for one in reader.pages)
    assert "KERGOAT" not in "".join(one.extract_text() for one in reader.pages)
    assert source.read_again(written).count("LEFÈVRE") == 3


@with_tesseract
def test_a_picture_with_a_printed_line_is_a_scan() -> None:
    file = io.BytesIO()
    canvas = Canvas(file, (595, 336), invariant=1)
    canvas.drawImage(ImageReader(page()), 0, 0, 595, 336)
    canvas.drawString(20, 10, "Page 1/1")
    canvas.save()
    assert refusal(file.getvalue(), FileRules()) is Reason.SCANNED
    assert "Madame KERGOAT" in read(file.getvalue()).text


@with_tesseract
@pytest.mark.parametrize(
    "harm",
    [
        lambda drawn: drawn.filter(ImageFilter.GaussianBlur(4)),
        lambda drawn: drawn.rotate(90, expand=True),
        lambda _: Image.effect_noise((600, 600), 100),
    ],
    ids=["blur", "turned", "no words"],
)
def test_a_page_that_is_hardly_read_is_refused(harm: Callable[[Image.Image], Image.Image]) -> None:
    assert refusal(saved(harm(page()))) is Reason.SCANNED


@with_tesseract
def test_a_word_that_is_doubted_is_not_told() -> None:
    drawn = page([*LINES, "Antécédents : aucun. Traitement : paracétamol."])
    drawn.paste(drawn.crop((200, 180, 310, 215)).filter(ImageFilter.GaussianBlur(3)), (200, 180))
    source = read(saved(drawn))
    assert " ".join(source.text.splitlines()[3].split()[:2]) == f"Madame {scans.UNREADABLE}"
    assert source.removed["unreadable word"] >= 1


@with_tesseract
def test_a_blank_page_holds_nothing_back() -> None:
    assert read(pdf(Image.new("L", (1240, 700), 255), "Docteur KERGOAT")).text == "Docteur KERGOAT"


@with_tesseract
def test_the_page_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    source = read(saved(page()))
    monkeypatch.setenv("PATH", "/nowhere")
    assert b"LEF&#200;VRE" in replaced(source)


def test_bad_pictures_have_a_reason() -> None:
    assert refusal(saved(page())[:300]) is Reason.MALFORMED if scans.installed() else Reason.SCANNED
    assert refusal(b"GIF89a" + bytes(40)) is Reason.SCANNED


@pytest.mark.parametrize("picture", ["keep", "remove", "refuse"])
def test_pictures_beside_words_follow_the_rules(picture: str) -> None:
    file = io.BytesIO()
    canvas = Canvas(file, A4, invariant=1)
    canvas.drawString(70, 700, "Madame KERGOAT, vue en consultation.")
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 40), "red")), 100, 500, 80, 80)
    canvas.save()
    rules = FileRules.model_validate({"images": picture})
    if picture == "refuse":
        assert refusal(file.getvalue(), rules) is Reason.PICTURES
        return
    source = read(file.getvalue(), rules)
    images = list(pypdf.PdfReader(io.BytesIO(replaced(source))).pages[0].images)
    assert len(images) == (picture == "keep")
    assert source.removed["image"] == (picture == "remove")
    for image in images:
        assert ImageStat.Stat(image.image.convert("RGB")).mean == [255, 0, 0]
