"""DOC and ODT: read through LibreOffice, written as DOCX, refused where it is not installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.files import read_file
from tests.unit.formats.test_docx import LINES, docx, expanded, read

pytestmark = pytest.mark.slow
installed = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")


def converted(folder: Path, ending: str) -> bytes:
    (folder / "lettre.docx").write_bytes(read(docx()).rewrite([]))
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", ending]
    subprocess.run([*command, "--outdir", str(folder), str(folder / "lettre.docx")], check=True, capture_output=True)
    return (folder / f"lettre.{ending}").read_bytes()


@installed
@pytest.mark.parametrize("ending", ["doc", "odt"])
def test_older_texts_come_back_as_docx(tmp_path: Path, ending: str) -> None:
    source = read_file(converted(tmp_path, ending), document_id="d", max_bytes=10**7, hint=f"lettre.{ending}")
    assert source.text.splitlines() == LINES
    assert source.suffix == ".docx"
    written = source.rewrite([(found.start(), found.end(), "Éloïse") for found in re.finditer("Dupont", source.text)])
    assert b"pont" not in expanded(written)
    again = read_file(written, document_id="d", max_bytes=10**7).text
    assert again == source.text.replace("Dupont", "Éloïse")


@installed
def test_a_damaged_document_is_refused() -> None:
    raw = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument\0\0".encode("utf-16-le") + bytes(2000)
    with pytest.raises(DocumentRefused) as refused:
        read_file(raw, document_id="d", max_bytes=10**7)
    assert refused.value.reason in (Reason.MALFORMED, Reason.EMPTY)


def test_without_libreoffice_the_reason_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    raw = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument\0\0".encode("utf-16-le") + bytes(2000)
    with pytest.raises(DocumentRefused, match="no_converter"):
        read_file(raw, document_id="d", max_bytes=10**7)
