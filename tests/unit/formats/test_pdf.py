"""PDF: what is read, what is written, and what of it is gone."""

from __future__ import annotations

import io
import re
import resource
import zlib
from collections.abc import Callable

import pypdf
import pypdf.annotations
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from deid.domain.errors import DocumentRefused
from deid.formats.fields import FileRules
from deid.formats.files import read_file
from deid.formats.segments import SegmentedSource


def pdf(more: Callable[[Canvas], None] = lambda _canvas: None, *, words: bool = True) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, A4, invariant=1)
    if words:
        canvas.drawString(70, 780, "Compte rendu d'hospitalisation")
        canvas.drawString(70, 760, "Madame Zorglub, née le 14/05/1961, vue à Dijon.")
        canvas.drawString(70, 740, "Hémoglobine")
        canvas.drawString(300, 740, "12,5 g/dL")
    more(canvas)
    canvas.showPage()
    canvas.drawString(70, 780, "Docteur Zorglub" if words else " ")
    canvas.showPage()
    canvas.save()
    return file.getvalue()


LINES = [
    "Compte rendu d'hospitalisation",
    "Madame Zorglub, née le 14/05/1961, vue à Dijon.",
    "Hémoglobine\t12,5 g/dL",
    "Docteur Zorglub",
]


def read(raw: bytes, rules: FileRules | None = None) -> SegmentedSource:
    return read_file(raw, document_id="d", max_bytes=10**7, hint="lettre.pdf", rules=rules or FileRules())


def replace_all(source: SegmentedSource, name: str, surrogate: str) -> bytes:
    return source.rewrite([(found.start(), found.end(), surrogate) for found in re.finditer(name, source.text)])


def told(raw: bytes) -> str:
    """Return what another library reads of a PDF: its words, streams, metadata and names."""
    reader = pypdf.PdfReader(io.BytesIO(raw))
    objects = map(reader.get_object, range(1, reader.trailer["/Size"]))
    streams = [one.get_data().decode("latin-1") for one in objects if hasattr(one, "get_data")]
    strings = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), raw.decode("latin-1")).replace("\0", "")
    return "\n".join([*(page.extract_text() for page in reader.pages), *streams, strings])


def test_lines_and_columns_are_read() -> None:
    assert read(pdf()).text.splitlines() == LINES


def test_words_stand_where_they_stood_but_for_the_surrogate() -> None:
    written = replace_all(read(pdf()), "Zorglub", "Lefèvre-Œil")
    assert "Zorglub" not in told(written)
    assert read(written).text.splitlines() == [line.replace("Zorglub", "Lefèvre-Œil") for line in LINES]
    assert [LINES[2].split("\t")[1] in page.extract_text() for page in pypdf.PdfReader(io.BytesIO(written)).pages] == [
        True,
        False,
    ]


def test_a_long_letter_in_a_small_file_is_read() -> None:
    file = io.BytesIO()
    canvas = Canvas(file, A4, invariant=1)
    for number in range(1000):
        canvas.drawString(70, 800 - 14 * (number % 50), f"Ligne {number} : pas de fièvre, TA 12/8.")
        if number % 50 == 49:
            canvas.showPage()
    canvas.save()
    assert len(file.getvalue()) < 40_000
    assert len(read(file.getvalue()).text.splitlines()) == 1000


def test_as_a_page_of_html() -> None:
    source = read(pdf(), FileRules(pdf="html"))
    assert source.suffix == ".html"
    written = replace_all(source, "Zorglub", "Lefèvre")
    assert read(written).text.count("Lefèvre") == 2


def bookmark(canvas: Canvas) -> None:
    canvas.bookmarkPage("p")
    canvas.addOutlineEntry("Zor-glub", "p")


def picture(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(Image.new("RGB", (20, 20), "red")), 70, 70)


HIDDEN = {
    "title": lambda canvas: canvas.setTitle("Zor-glub"),
    "author": lambda canvas: canvas.setAuthor("Zor-glub"),
    "bookmark": bookmark,
    "link": lambda canvas: canvas.linkURL("mailto:Zor-glub@x.fr", (0, 0, 9, 9)),
    "picture": picture,
    "note": lambda canvas: canvas.textAnnotation("Zor-glub", (0, 0, 9, 9)),
}


@pytest.mark.parametrize("more", HIDDEN.values(), ids=HIDDEN)
def test_what_is_not_shown_is_removed(more: Callable[[Canvas], None]) -> None:
    written = read(pdf(more)).rewrite([])
    assert "Zor-glub" not in told(written)
    assert read(written).text.splitlines() == LINES
    assert not any(page.images for page in pypdf.PdfReader(io.BytesIO(written)).pages)


def test_form_values_are_words_of_the_page() -> None:
    raw = pdf(lambda canvas: canvas.acroForm.textfield("Valeur Zorglub", x=70, y=600, width=200))
    source = read(raw)
    assert "Valeur Zorglub" in source.text
    assert "Zorglub" not in told(replace_all(source, "Zorglub", "Martin"))


def test_attachments_are_removed() -> None:
    writer = pypdf.PdfWriter(io.BytesIO(pdf()))
    writer.add_attachment("Zor-glub.txt", b"Zor-glub")
    file = io.BytesIO()
    writer.write(file)
    source = read(file.getvalue())
    assert source.removed["attachment"] == 1
    assert "Zor-glub" not in told(source.rewrite([]))


def changed(change: Callable[[pypdf.PdfWriter], object]) -> bytes:
    writer = pypdf.PdfWriter(io.BytesIO(pdf()))
    change(writer)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def xmp(writer: pypdf.PdfWriter) -> None:
    packet = pypdf.generic.DecodedStreamObject()
    packet.set_data(b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>Zor-glub</x:xmpmeta>")
    packet.update({pypdf.generic.NameObject("/Type"): pypdf.generic.NameObject("/Metadata")})
    writer._root_object[pypdf.generic.NameObject("/Metadata")] = writer._add_object(packet)


def private(where: str) -> Callable[[pypdf.PdfWriter], None]:
    """Return what plants a name in an entry of the page or of the document."""

    def plant(writer: pypdf.PdfWriter) -> None:
        told = pypdf.generic.DictionaryObject(
            {pypdf.generic.NameObject("/T"): pypdf.generic.TextStringObject("Zor-glub")}
        )
        for holder in (writer._root_object, writer.pages[0]):
            holder[pypdf.generic.NameObject(where)] = writer._add_object(told)

    return plant


def script(writer: pypdf.PdfWriter) -> None:
    name, text = pypdf.generic.NameObject, pypdf.generic.TextStringObject
    action = {name("/S"): name("/JavaScript"), name("/JS"): text("app.alert('Zor-glub')")}
    writer._root_object[name("/OpenAction")] = pypdf.generic.DictionaryObject(action)


def note(writer: pypdf.PdfWriter) -> None:
    writer.add_annotation(0, pypdf.annotations.FreeText(text="Zor-glub", rect=(50, 50, 200, 90), title_bar="Zor-glub"))


CHANGES = {
    "xmp": xmp,
    "script": script,
    "free text": note,
    "named place": lambda writer: writer.add_named_destination("Zor-glub", 0),
    "name of a page": lambda writer: writer.set_page_label(0, 1, prefix="Zor-glub"),
    **{
        name: private(name)
        for name in ("/PieceInfo", "/StructTreeRoot", "/Collection", "/Thumb", "/OCProperties", "/DSS")
    },
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_other_programs_write_beside_the_words_is_removed(change: Callable[[pypdf.PdfWriter], object]) -> None:
    raw = changed(change)
    assert "Zor-glub" in told(raw)
    written = replace_all(read(raw), "Zor-glub", "Martin")
    assert "Zor-glub" not in told(written)


def test_former_versions_of_a_file_are_removed() -> None:
    raw = pdf(lambda canvas: canvas.drawString(70, 600, "Zor-glub"))
    writer = pypdf.PdfWriter(io.BytesIO(raw), incremental=True)
    writer.pages[0][pypdf.generic.NameObject("/Contents")] = writer._add_object(pypdf.generic.DecodedStreamObject())
    file = io.BytesIO()
    writer.write(file)
    assert file.getvalue().startswith(raw[:200])
    source = read(file.getvalue())
    assert source.text.splitlines() == ["Docteur Zorglub"]
    assert "Zor-glub" not in told(source.rewrite([]))


WORDS = b"BT /F1 12 Tf 72 700 Td (Vue ce jour avec sa fille.) Tj ET\n"


def filtered(spaces: int) -> bytes:
    """Return a page whose words pass two filters, with so many MiB of spaces behind them."""
    packed = zlib.compressobj(9)
    content = packed.compress(WORDS)
    content += b"".join(packed.compress(b" " * (1 << 20)) for _ in range(spaces)) + packed.flush()
    return page_of(zlib.compress(content, 9), filters=2)


def page_of(content: bytes, filters: int = 1) -> bytes:
    """Return a file of one page whose content passes so many filters."""
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter[%b]>>\nstream\n%b\nendstream" % (len(content), b"/FlateDecode" * filters, content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    numbered = (b"%d 0 obj\n%b\nendobj\n" % (number, one) for number, one in enumerate(objects, 1))
    return b"%PDF-1.4\n" + b"".join(numbered) + b"trailer<</Size 6/Root 1 0 R>>\n%%EOF"


def test_a_stream_of_two_filters_is_read_unless_it_fills_the_memory() -> None:
    assert read(filtered(1)).text == "Vue ce jour avec sa fille."
    raw = filtered(300)
    assert len(raw) < 3000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert outcome(raw) == "expands_too_much"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "kB"


@pytest.mark.parametrize("kilobytes", [60, 70, 130, 400])
@pytest.mark.parametrize("filters", [1, 2])
def test_a_page_is_read_whatever_the_blocks_that_it_is_inflated_in(kilobytes: int, filters: int) -> None:
    content = WORDS.ljust(kilobytes * 1000)
    for _ in range(filters):
        content = zlib.compress(content)
    assert read(page_of(content, filters)).text == "Vue ce jour avec sa fille."


def encrypted() -> bytes:
    writer = pypdf.PdfWriter(io.BytesIO(pdf()))
    writer.encrypt("secret", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def outcome(raw: bytes) -> str:
    """Return what reading and writing a file gives: "read", or the reason of its refusal."""
    try:
        return "read" if isinstance(read(raw).rewrite([]), bytes) else ""
    except DocumentRefused as refused:
        return str(refused.reason)


BAD = {
    "scan": (pdf(picture, words=False), "scanned"),
    "encrypted": (encrypted(), "encrypted"),
    "no words": (pdf(words=False), "empty"),
    "cut off": (pdf()[:300], "malformed"),
    "only its mark": (b"%PDF-1.7\n", "malformed"),
    "cyclic pages": (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 9/Kids[2 0 R]>>endobj\n"
        b"trailer<</Root 1 0 R/Size 3>>\n%%EOF",
        "malformed",
    ),
}


@pytest.mark.parametrize(("raw", "expected"), BAD.values(), ids=BAD)
def test_bad_input_has_a_reason(raw: bytes, expected: str) -> None:
    assert outcome(raw) == expected


RAW = pdf()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(RAW)))
    assert outcome(RAW[:start] + data.draw(st.binary(max_size=4)) + RAW[start + data.draw(st.integers(0, 4)) :])
