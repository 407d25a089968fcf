"""DOC and ODT: converted to DOCX by LibreOffice where it is installed, and written as DOCX."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from socket import gethostname

from deid.domain.errors import DiskFull, Reason
from deid.formats.archives import read_zip
from deid.formats.docx import read_docx
from deid.formats.reading import Reading, Save

_SECONDS = 120
_ROOM = 64 << 20  # free bytes in which LibreOffice works: its profile, and a document and its copy
# A profile of LibreOffice that runs no macro, follows no link and keeps no list of documents
_SECURITY = "/org.openoffice.Office.Common/Security/Scripting"
_SETTINGS = (
    (_SECURITY, "DisableMacrosExecution", "true"),
    (_SECURITY, "DisableActiveContent", "true"),
    (_SECURITY, "BlockUntrustedRefererLinks", "true"),
    ("/org.openoffice.Office.Writer/Content/Update", "Link", "0"),
)
# Filters by the ending of a file, so that damaged bytes are not read as text
_FILTERS = {"doc": "MS Word 97", "odt": "writer8"}


def read_doc(raw: bytes, reading: Reading) -> Save:
    """Read a document of Word 97 to 2003.

    Raises:
        DocumentRefused: no_converter, malformed, and those of `read_docx`.
    """
    return _read(raw, "doc", reading)


def read_odt(raw: bytes, reading: Reading) -> Save:
    """Read a text of OpenDocument.

    Raises:
        DocumentRefused: no_converter, malformed, encrypted, expands_too_much, and those of `read_docx`.
    """
    if b"encryption-data" in read_zip(raw, reading).get("META-INF/manifest.xml", b""):
        reading.refuse(Reason.ENCRYPTED)
    return _read(raw, "odt", reading)


def _read(raw: bytes, ending: str, reading: Reading) -> Save:
    converted = _converted(raw, ending, reading)
    reading.becomes(".docx")
    reading.removed("metadata")
    return read_docx(converted, reading)


def _converted(raw: bytes, ending: str, reading: Reading) -> bytes:
    """Return a document as DOCX.

    Raises:
        DiskFull: there is no room for what LibreOffice writes.
    """
    program = shutil.which("soffice")
    if program is None:
        reading.refuse(Reason.NO_CONVERTER, f"{ending} is read through LibreOffice (soffice), which is not installed")
    place, machine = tempfile.gettempdir(), gethostname()
    if shutil.disk_usage(place).free < _ROOM + 4 * len(raw):  # else the document would pass for a damaged one
        raise DiskFull(
            f"{place} of {machine} has no room left for LibreOffice.", "Free some, or give it a larger disk."
        )
    with tempfile.TemporaryDirectory(prefix="nocturne-") as name:
        folder = Path(name)
        (folder / "profile" / "user").mkdir(parents=True)
        (folder / "profile" / "user" / "registrymodifications.xcu").write_text(_profile(), "utf-8")
        source = folder / f"document.{ending}"
        source.write_bytes(raw)
        command = [program, f"-env:UserInstallation=file://{folder}/profile", "--headless", "--norestore"]
        command += [
            f"--infilter={_FILTERS[ending]}",
            "--convert-to",
            "docx:MS Word 2007 XML",
            "--outdir",
            str(folder),
            str(source),
        ]
        try:
            subprocess.run(  # noqa: S603  # the document is an argument that this function named
                command,
                cwd=folder,
                env={"HOME": str(folder), "PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=True,
            )
            return (folder / "document.docx").read_bytes()
        except subprocess.TimeoutExpired:
            reading.refuse(Reason.TOO_COSTLY, f"{ending}: LibreOffice took more than {_SECONDS} seconds")
        except (subprocess.CalledProcessError, OSError):
            reading.refuse(Reason.MALFORMED, f"{ending}: LibreOffice cannot read it")


def _profile() -> str:
    """Return the settings of a profile."""
    items = "".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in _SETTINGS
    )
    return f'<oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>'
