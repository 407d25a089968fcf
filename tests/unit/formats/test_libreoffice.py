"""DOC and ODT: read through LibreOffice, written as DOCX, refused where it is not installed."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from socket import gethostname

import pytest

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.files import read_file
from tests import ROOT
from tests.unit.formats.offices import WRITER
from tests.unit.formats.test_docx import LINES, docx, expanded, read

pytestmark = pytest.mark.slow


def converted(folder: Path, ending: str) -> bytes:
    (folder / "lettre.docx").write_bytes(read(docx()).rewrite([]))
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", ending]
    subprocess.run([*command, "--outdir", str(folder), str(folder / "lettre.docx")], check=True, capture_output=True)
    return (folder / f"lettre.{ending}").read_bytes()


@WRITER
@pytest.mark.parametrize("ending", ["doc", "odt"])
def test_older_texts_come_back_as_docx(tmp_path: Path, ending: str) -> None:
    source = read_file(converted(tmp_path, ending), document_id="d", max_bytes=10**7, hint=f"lettre.{ending}")
    assert source.text.splitlines() == LINES
    assert source.suffix == ".docx"
    written = source.rewrite([(found.start(), found.end(), "Éloïse") for found in re.finditer("Dupont", source.text)])
    assert b"pont" not in expanded(written)
    again = read_file(written, document_id="d", max_bytes=10**7).text
    assert again == source.text.replace("Dupont", "Éloïse")


META = b"""<office:meta><meta:initial-creator>Zorglub</meta:initial-creator><dc:creator>Zorglub</dc:creator>
<dc:title>Zorglub</dc:title><meta:user-defined meta:name="Zorglub">Zorglub</meta:user-defined>"""
BODY = b"""<text:tracked-changes><text:changed-region text:id="z"><text:deletion><office:change-info><dc:creator>
Zorglub</dc:creator><dc:date>2024-03-02T10:00:00</dc:date></office:change-info><text:p>Zorglub</text:p></text:deletion>
</text:changed-region></text:tracked-changes><text:p>
<text:change text:change-id="z"/><text:bookmark text:name="Zorglub"/>
<office:annotation><dc:creator>Zorglub</dc:creator><text:p>Zorglub</text:p></office:annotation>
<text:a xlink:href="mailto:Zorglub@x.fr" office:title="Zorglub">ici</text:a></text:p>"""


def planted(odt: bytes) -> bytes:
    """Return a text of OpenDocument with a name in its properties, a note, a deleted passage, a link, a thumbnail."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(odt)) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "meta.xml":
                content = re.sub(rb"<office:meta>", META, content)
            elif name == "content.xml":
                content = re.sub(rb"(<office:text[^>]*>)", lambda found: found[1] + BODY, content)
            target.writestr(name, b"Zorglub" if name.startswith("Thumbnails/") else content)
    return made.getvalue()


@WRITER
def test_what_older_texts_hold_beside_their_words_is_removed(tmp_path: Path) -> None:
    odt = planted(converted(tmp_path, "odt"))
    assert expanded(odt).count(b"Zorglub") >= 10
    (tmp_path / "lettre.odt").write_bytes(odt)
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "doc"]
    subprocess.run([*command, "--outdir", str(tmp_path), str(tmp_path / "lettre.odt")], check=True, capture_output=True)
    doc = (tmp_path / "lettre.doc").read_bytes()
    assert b"Zorglub" in doc
    for raw in (odt, doc):
        source = read_file(raw, document_id="d", max_bytes=10**7)
        assert "Zorglub" not in source.text
        written = source.rewrite([])
        assert b"Zorglub" not in expanded(written)
        assert source.text.splitlines()[-len(LINES) :] == LINES


@WRITER
def test_a_damaged_document_is_refused() -> None:
    raw = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument\0\0".encode("utf-16-le") + bytes(2000)
    with pytest.raises(DocumentRefused) as refused:
        read_file(raw, document_id="d", max_bytes=10**7)
    assert refused.value.reason in (Reason.MALFORMED, Reason.EMPTY)


@WRITER
@pytest.mark.skipif(os.geteuid() != 0, reason="a disk is mounted by root alone")
def test_a_full_disk_is_none_of_the_document_s_faults(tmp_path: Path) -> None:
    """A step fails, to be tried again, where the disk of temporary files is full; no document is refused for it."""
    (tmp_path / "lettre.odt").write_bytes(converted(tmp_path, "odt"))
    (tmp_path / "disk").mkdir()
    reading = f"read_file(Path({str(tmp_path / 'lettre.odt')!r}).read_bytes(), document_id='d', max_bytes=10**7)"
    code = f"from pathlib import Path; from deid.formats.files import read_file; {reading}"
    mounted = 'mount -t tmpfs -o size=1m tmpfs "$1"; shift; exec "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", mounted, "sh", str(tmp_path / "disk"), sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path / "disk"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"DiskFull: {tmp_path / 'disk'} of {gethostname()} has no room left" in done.stderr


def test_without_libreoffice_the_reason_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    raw = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument\0\0".encode("utf-16-le") + bytes(2000)
    with pytest.raises(DocumentRefused, match="no_converter"):
        read_file(raw, document_id="d", max_bytes=10**7)
