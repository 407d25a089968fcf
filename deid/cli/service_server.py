"""HTTP server of one document at a time: JSON in and out, FHIR `$de-identify`, a key and a secret per client.

Surrogates of a client are drawn from the client's own secret, never from the night's: whoever may send a patient's id
would else learn the research pseudonym. Texts are processed in the main thread, where their limits of time hold;
nothing of a document is kept. An answer leaves only after its lines stand in the journal and in the access log.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import queue
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from deid.cli import lines
from deid.cli.key_server import AccessLog, QuietHandler, ThreadedServer
from deid.domain.document import Document
from deid.domain.errors import NocturneError
from deid.domain.outcomes import Deidentified, Incoming, Refused

FHIR = "application/fhir+json"
_JSON = "application/json"
_WAITING = 64  # requests, beyond which others are asked to come back
log = logging.getLogger(__name__)

Process = Callable[[str, Incoming], Deidentified | Refused]  # of a client, by name
Journal = Callable[[str, Mapping[str, Any]], None]  # a client's name, and counts of what became of a document


@dataclass(frozen=True, slots=True)
class ServiceClient:
    """A program that may ask: the SHA-256 of its token, and the secret that its surrogates are drawn from."""

    name: str
    token_digest: str
    secret: bytes


@dataclass(frozen=True, slots=True)
class _Answer:
    status: HTTPStatus
    body: Mapping[str, Any] | bytes
    kind: str = _JSON
    told: Mapping[str, Any] | None = None  # counts for the access log

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body, ensure_ascii=False).encode()


class DocumentServer(ThreadedServer):
    """Server of `/deidentify` and `/fhir/$de-identify`; `work` processes what its threads received."""

    wait_s = 30.0

    def __init__(
        self,
        address: tuple[str, int],
        clients: Mapping[str, ServiceClient],
        access: AccessLog,
        *,
        most_bytes: int,
        journal: Journal | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(address, _Handler)
        self._clients, self.access, self.most_bytes, self.context = clients, access, most_bytes, context
        self._journal = journal
        self._jobs: queue.Queue[tuple[str, Incoming, Future[Deidentified | Refused]] | None] = queue.Queue(_WAITING)

    def work(self, process: Process) -> None:
        """Serve in threads, and process documents in this one, until `stop`."""
        serving = threading.Thread(target=self.serve_forever, daemon=True)
        serving.start()
        while (job := self._jobs.get()) is not None:
            client, incoming, future = job
            try:
                future.set_result(process(client, incoming))
            except Exception as error:
                log.warning("a document of %s failed: %s", client, type(error).__name__)  # its message may quote it
                future.set_exception(RuntimeError(type(error).__name__))
        self.shutdown()
        serving.join()

    def stop(self) -> None:
        """End `work` after what waits."""
        self._jobs.put(None)

    def client_of(self, token: str) -> ServiceClient | None:
        """Return the client of a token; every client is compared, whichever it is."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
        found = [one for one in self._clients.values() if hmac.compare_digest(one.token_digest, digest)]
        return found[0] if found else None

    def answer(self, client: ServiceClient, path: str, raw: bytes) -> _Answer:
        """Return the answer to a document of a client, once what became of the document is in the journal."""
        fhir = path != "/deidentify"
        answer = self._deidentify(client, fhir, raw)
        if answer.told is not None and self._journal is not None:
            try:
                self._journal(client.name, answer.told)
            except NocturneError as refused:
                log.warning("the journal could not be written: %s", type(refused).__name__)
                return _refusal(HTTPStatus.SERVICE_UNAVAILABLE, ["the journal cannot be written"], fhir=fhir)
        return answer

    def _deidentify(self, client: ServiceClient, fhir: bool, raw: bytes) -> _Answer:
        try:
            incoming = _fhir_of(raw) if fhir else lines.read_incoming(lines.parse_object(raw))
        except lines.BadLine as fault:
            return _refusal(HTTPStatus.BAD_REQUEST, [str(fault)], fhir=fhir)
        future: Future[Deidentified | Refused] = Future()
        try:
            self._jobs.put_nowait((client.name, incoming, future))
        except queue.Full:
            return _refusal(HTTPStatus.SERVICE_UNAVAILABLE, ["too many documents wait"], fhir=fhir)
        try:
            outcome = future.result()
        except RuntimeError as error:
            reasons = [f"unforeseen: {error}"]
            return _refusal(HTTPStatus.INTERNAL_SERVER_ERROR, reasons, fhir=fhir, told=_told("failed", reasons=reasons))
        if isinstance(outcome, Refused):
            reasons = [str(one) for one in outcome.reasons]
            told = _told("held back", reasons=reasons)
            if fhir:
                return _refusal(HTTPStatus.UNPROCESSABLE_ENTITY, reasons, fhir=True, told=told)
            return _Answer(HTTPStatus.UNPROCESSABLE_ENTITY, lines.refused_line(outcome), told=told)
        candidate = outcome.candidate
        replaced = Counter(str(one.mention.label) for one in candidate.substitution.surrogates)
        told = _told("given", replaced=dict(sorted(replaced.items())))
        if not fhir:
            return _Answer(HTTPStatus.OK, lines.deidentified_line(outcome), told=told)
        if candidate.file is None or not candidate.file.format.lower().startswith("fhir"):
            reasons = ["unsupported_format"]
            told = _told("held back", reasons=reasons)
            return _refusal(HTTPStatus.UNPROCESSABLE_ENTITY, reasons, fhir=True, told=told)
        return _Answer(HTTPStatus.OK, candidate.file.content, FHIR, told={**told, "patients": candidate.file.patients})


def _fhir_of(raw: bytes) -> Incoming:
    """Return a FHIR resource in JSON as a document under the digest of its bytes.

    Raises:
        BadLine: it is no JSON object with `resourceType`.
    """
    if not isinstance(lines.parse_object(raw).get("resourceType"), str):
        raise lines.BadLine("“resourceType” is missing or is not a text")
    return Incoming(Document(hashlib.sha256(raw).hexdigest()[:16], ""), format="resource.json", content=raw)


def _told(outcome: str, **counts: Any) -> Mapping[str, Any]:
    """Return what the journal and the access log keep of a document: no id, no text, no name."""
    return {"documents": 1, "outcome": outcome, **counts}


def _refusal(status: HTTPStatus, reasons: list[str], *, fhir: bool, told: Mapping[str, Any] | None = None) -> _Answer:
    if not fhir:
        return _Answer(status, {"error": "; ".join(reasons)}, told=told)
    issues = [{"severity": "error", "code": "processing", "diagnostics": one} for one in reasons]
    return _Answer(status, {"resourceType": "OperationOutcome", "issue": issues}, FHIR, told)


class _Handler(QuietHandler):
    server: DocumentServer
    protocol_version = "HTTP/1.1"
    server_version = "nocturne"

    def do_GET(self) -> None:
        if self.path == "/health":
            self._send(_Answer(HTTPStatus.OK, {"status": "ok"}))
        else:
            self._send(_Answer(HTTPStatus.NOT_FOUND, {"error": "POST /deidentify or /fhir/$de-identify"}))

    def do_POST(self) -> None:
        path = self.path.replace("%24", "$")
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        client = self.server.client_of(token.strip()) if scheme.lower() == "bearer" else None
        length = self.headers.get("Content-Length", "")
        self.close_connection = True  # what is refused may not have been read
        if client is None:
            answer = _Answer(HTTPStatus.UNAUTHORIZED, {"error": "Authorization: Bearer TOKEN"})
        elif path not in ("/deidentify", "/fhir/$de-identify", "/fhir/Bundle/$de-identify"):
            answer = _Answer(HTTPStatus.NOT_FOUND, {"error": "POST /deidentify or /fhir/$de-identify"})
        elif not (length.isascii() and length.isdigit()):
            answer = _Answer(HTTPStatus.LENGTH_REQUIRED, {"error": "Content-Length"})
        elif int(length) > self.server.most_bytes:
            answer = _Answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": f"at most {self.server.most_bytes} bytes"})
        else:
            answer = self.server.answer(client, path, self.rfile.read(int(length)))
        about = {"client": client and client.name, "asked": path[:64], "status": int(answer.status)}
        try:
            self.server.access.write_log(peer=self.client_address[0], **about, **(answer.told or {}))
        except OSError:
            answer = _Answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "the access log cannot be written"})
        self._send(answer)

    def _send(self, answer: _Answer) -> None:
        self.send(answer.status, answer.kind, answer.content)
