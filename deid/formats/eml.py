"""EML: headers, bodies and attachments of an electronic message.

Addresses, subject and date are replaced; every other header but those of MIME is removed, since servers, routes and
identifiers of messages stand there.
"""

from __future__ import annotations

import codecs
import re
from base64 import encodebytes
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError, InvalidBase64LengthDefect
from email.header import Header, decode_header, make_header
from email.message import Message
from email.utils import format_datetime, formataddr, getaddresses, parsedate_to_datetime
from functools import partial
from itertools import count
from typing import Any

from deid.domain.errors import Reason
from deid.domain.labels import Label
from deid.formats.charsets import decode
from deid.formats.fields import coarse_clock, split_ending, written_day
from deid.formats.reading import Reading, Save
from deid.formats.recognition import MAILBOX

_ADDRESSES = {"From": "De", "To": "À", "Cc": "Copie", "Reply-To": "Réponse à", "Sender": "Envoyé par"}
_KEPT = frozenset({"mime-version", "content-type", "content-transfer-encoding", "content-disposition"})
_TYPE = (
    r"(?:application|audio|font|image|message|model|multipart|text|video|x-application)/(?!x-)[\w.+-]{1,72}"
    r"|application/x-(?:7z|gzip|hl7|ms|pdf|pkcs7|rar|tar|zip)[\w.+-]{0,30}|image/x-(?:bmp|icon|ms-bmp|png)"
)
_ENCODINGS = frozenset("7bit 8bit binary quoted-printable base64 uuencode x-uuencode uue x-uue".split())
_PARAMETERS = {
    "format": "flowed|fixed", "delsp": "yes|no", "method": "[A-Z]{3,14}", "micalg": r"[a-z]{2,6}-?\d{1,4}",
    "report-type": "delivery-status|disposition-notification|feedback-report", "type": _TYPE, "protocol": _TYPE,
}  # fmt: skip
_ENCRYPTED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})


def read_eml(raw: bytes, reading: Reading) -> Save:
    """Read a message of RFC 5322 with its parts; an attachment that nobody reads is removed.

    Raises:
        DocumentRefused: encrypted (S/MIME, PGP), a mailbox of several messages, or a reason of a part.
    """
    line = MAILBOX.match(raw)
    if re.search(rb"\r?\n\r?\n" + MAILBOX.pattern, raw):
        reading.refuse(Reason.UNSUPPORTED_FORMAT, "mailbox of several messages")
    if line is not None:
        raw = raw[line.end() :]
        reading.removed("header")
    message: Any = message_from_bytes(raw)
    _message(message, reading)
    _rename_boundaries(message, raw)
    written = policy.compat32.clone(linesep="\r\n" if b"\r\n" in raw else "\n", max_line_length=None)
    return lambda: message.as_bytes(policy=written)


def _message(message: Any, reading: Reading) -> None:
    """Read the headers and the body of a message, or of one that is attached to it."""
    given: dict[str, list[str]] = {name: [] for name in (*_ADDRESSES, "Subject", "Date")}
    known = {name.lower(): name for name in given}
    for name, value in message.raw_items():
        if name.lower() in known:
            given[known[name.lower()]].append(_decoded(value, reading))
    for name in {key.lower() for key in message} - _KEPT:
        del message[name]
        if name not in known:
            reading.removed("header")
    for name, caption in _ADDRESSES.items():
        if given[name]:
            _addresses(message, reading, name, caption, given[name])
    for subject in given["Subject"][:1]:
        message["Subject"] = Header(subject, "utf-8")
        reading.add(
            subject,
            lambda texts: message.replace_header("Subject", Header(texts[0] or "", "utf-8")),
            caption="Objet : ",
            fold=True,
        )
    for value in given["Date"][:1]:
        _date(message, reading, value)
    _part(message, reading)


def _decoded(value: str, reading: Reading) -> str:
    """Return a header as a person reads it; one with bare bytes, which old mailers write, in the charset found."""
    bare = decode(value.encode("ascii", "surrogateescape"), None, reading.document_id)[0]
    try:
        return " ".join(str(make_header(decode_header(bare))).split())
    except (HeaderParseError, LookupError, UnicodeError, ValueError):
        return " ".join(bare.split())


def _addresses(message: Any, reading: Reading, header: str, caption: str, values: list[str]) -> None:
    pairs = [list(pair) for pair in getaddresses(values) if any(pair)]

    def write() -> None:
        del message[header]
        message[header] = ", ".join(formataddr((name, _ascii(address))) for name, address in pairs)

    def put(texts: tuple[str | None, ...], pair: list[str], at: int) -> None:
        pair[at] = texts[0] or ""
        write()

    write()
    for pair in pairs:
        for at, label in enumerate((Label.PERSON, Label.EMAIL)):
            if pair[at].strip():
                known = Label.EMAIL if "@" in pair[at] else label
                reading.add(pair[at], partial(put, pair=pair, at=at), label=known, caption=f"{caption} : ")


def _ascii(address: str) -> str:
    return address.encode("ascii", "replace").decode()


def _date(message: Any, reading: Reading, value: str) -> None:
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return
    message["Date"] = format_datetime(moment)
    day = moment.strftime("%d/%m/%Y")

    def put(texts: tuple[str | None, ...]) -> None:
        del message["Date"]
        written = written_day(texts[0] or "", moment.strftime("%Y-%m-%d"))
        if len(written) == len("2024-03-02"):
            hour, minute = coarse_clock(moment.hour, moment.minute, reading.rules.times)
            new = datetime.fromisoformat(written).replace(tzinfo=moment.tzinfo)
            message["Date"] = format_datetime(new.replace(hour=hour, minute=minute))

    reading.add(day, put, label=Label.DATE, caption="Date : ")


def _part(part: Any, reading: Reading, *, body: bool = True) -> bool:
    """Read a part of a message, or its whole `body`, and clean its headers; return whether it stays."""
    stays = _payload(part, reading, body=body)
    _clean(part)
    return stays


def _payload(part: Any, reading: Reading, *, body: bool) -> bool:
    if part.get_content_type() in _ENCRYPTED:
        reading.refuse(Reason.ENCRYPTED)
    if part.get_content_type() == "message/rfc822" and part.is_multipart():
        for inner in part.get_payload():
            _message(inner, reading)
        return True
    if part.is_multipart():
        part.preamble = part.epilogue = None
        part.set_payload([inner for inner in part.get_payload() if _leaf(inner, reading)])
        return True
    return _content(part, reading, body=body)


def _leaf(part: Any, reading: Reading) -> bool:
    """Read a part of a multipart; its own headers are removed but those of MIME."""
    for name in {key.lower() for key in part} - _KEPT:
        del part[name]
    return _part(part, reading, body=False)


def _content(part: Any, reading: Reading, *, body: bool) -> bool:
    raw = part.get_payload(decode=True) or b""
    name = part.get_filename() or ""
    kind = part.get_content_type()
    hint = name if name and kind in ("application/octet-stream", "text/plain") else kind
    if any(isinstance(defect, InvalidBase64LengthDefect) for defect in part.defects):
        return reading.damaged("base64", body=body)
    kept = reading.embed(raw, hint, partial(_put, part), part.get_content_charset(), body=body)
    if not kept and not isinstance(part.get_payload(), list):
        part.set_payload("")  # the body of a message of one part
    return kept


def _clean(part: Any) -> None:
    """Leave of the headers of MIME what its standards list; a name is a neutral one with its ending: `piece.pdf`."""
    name = f"piece{split_ending(part.get_filename() or '')[1].strip().lower()}"
    kind, charset = part.get_content_type(), part.get_content_charset()
    given = {key: str(part.get_param(key, "")) for key in _PARAMETERS}
    told = {key: value for key, value in given.items() if re.fullmatch(_PARAMETERS[key], value, re.ASCII)}
    if charset is not None and _is_charset(charset):
        told["charset"] = charset
    if part.get_param("name") is not None:
        told["name"] = name
    attached, named = part.get_content_disposition(), part.get_param("filename", header="content-disposition")
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    typed, versioned = "Content-Type" in part, "MIME-Version" in part
    for header in _KEPT:
        del part[header]
    if versioned:
        part["MIME-Version"] = "1.0"
    if typed:
        usual = {"multipart": "multipart/mixed", "text": "text/plain"}.get(kind.partition("/")[0])
        known = re.fullmatch(_TYPE, kind, re.ASCII) is not None
        part["Content-Type"] = kind if known else usual or "application/octet-stream"
        for key, value in told.items():
            part.set_param(key, value)
    if attached is not None:
        part["Content-Disposition"] = "inline" if attached == "inline" else "attachment"
        if named is not None:
            part.set_param("filename", name, header="Content-Disposition")
    if encoding in _ENCODINGS:
        part["Content-Transfer-Encoding"] = encoding


def _is_charset(name: str) -> bool:
    try:
        return bool(codecs.lookup(name))
    except (LookupError, ValueError):
        return False


def _rename_boundaries(message: Any, raw: bytes) -> None:
    """Give each part with parts a boundary of its own, which the message does not hold."""
    mark = next(mark for number in count() if (mark := f"=_{number}_").encode() not in raw)
    for number, part in enumerate(message.walk()):
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            part.set_boundary(f"{mark}{number}_")


def _put(part: Message, written: bytes) -> None:
    del part["Content-Transfer-Encoding"]
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(encodebytes(written).decode("ascii"))
