"""Archives: the parts of a ZIP within limits, and a ZIP of documents."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from functools import partial

from deid.domain.errors import Reason
from deid.formats.fields import split_ending
from deid.formats.reading import Reading, Save

_MOST_PARTS = 10_000
_CHUNK = 1 << 20
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/"


def read_zip(raw: bytes, reading: Reading) -> dict[str, bytes]:
    """Return the parts of an archive by name, in its order, without folders.

    Sizes are counted as they are decompressed, whatever the directory says.

    Raises:
        DocumentRefused: malformed, encrypted, or expands_too_much.
    """
    parts: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_PARTS:
                reading.refuse(Reason.EXPANDS, f"{len(entries)} parts, at most {_MOST_PARTS}")
            for entry in entries:
                if entry.flag_bits & 0x1:
                    reading.refuse(Reason.ENCRYPTED)
                if entry.is_dir():
                    continue
                if entry.filename in parts:
                    reading.refuse(Reason.MALFORMED, "two parts of one name")
                parts[entry.filename] = _expand(archive, entry, reading)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        reading.refuse(Reason.MALFORMED, f"archive: {type(error).__name__}")
    return parts


def read_package(raw: bytes, reading: Reading) -> dict[str, bytes]:
    """Return the parts of an Office Open XML file by name, with the namespaces of its Transitional form.

    Those of the Strict form (ISO/IEC 29500-1) differ by their address alone.

    Raises:
        DocumentRefused: as `read_zip`.
    """
    return {name: _STRICT.sub(_TRANSITIONAL, content) for name, content in read_zip(raw, reading).items()}


def _expand(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, reading: Reading) -> bytes:
    chunks = []
    with archive.open(entry) as part:
        while chunk := part.read(_CHUNK):
            reading.expand(len(chunk))
            chunks.append(chunk)
    return b"".join(chunks)


def write_zip(parts: Mapping[str, bytes]) -> bytes:
    """Return an archive of parts by name, in their order, without dates, owners and comments.

    `mimetype` is not compressed, as OpenDocument asks.
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return file.getvalue()


def read_archive(raw: bytes, reading: Reading) -> Save:
    """Read an archive of documents of one patient.

    The names of its parts are numbered, with their ending, since they tell names of patients; parts that nobody reads
    are removed.
    """
    parts: dict[str, bytes] = {}
    for number, (name, content) in enumerate(read_zip(raw, reading).items(), 1):
        new = f"document-{number:03}{split_ending(name)[1].strip().lower()}"
        parts[new] = content
        if not reading.embed(content, name, partial(parts.__setitem__, new)):
            del parts[new]
    return lambda: write_zip(parts)
