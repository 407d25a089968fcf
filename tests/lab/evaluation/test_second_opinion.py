"""A second reader of published texts: a stand-in server that answers, answers nonsense, or never."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from deid.config.policy import load
from deid.domain.document import Document, Mention, Patient, Substitution
from deid.domain.errors import SettingsError
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.second_opinion import PART, Opinion, SecondReader, measure_opinions, read_again

LETTER = "Madame Vasserot, née le 14/05/1961, vue au 06 12 34 56 78 avec Titou. Paracétamol."
Answer = Callable[[dict[str, Any]], bytes | None]


@contextmanager
def served(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server of chat completions; None keeps the client waiting. Yields its address and what it was asked."""
    asked: list[dict[str, Any]] = []
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(question | {"path": self.path, "token": self.headers.get("Authorization")})
            body = answer(question)
            if body is None:
                over.wait()
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def said(*words: str, around: str = "{}") -> bytes:
    content = around.replace("{}", json.dumps({"identifiants": words}))
    return json.dumps({"choices": [{"message": {"content": content}}]}).encode()


def published(text: str = LETTER) -> Substitution:
    """The letter published; the nickname in it was not detected."""
    mentions = [
        Mention(text.index(word), text.index(word) + len(word), label)
        for word, label in (("Vasserot", Label.PATIENT), ("14/05/1961", Label.DATE), ("06 12 34 56 78", Label.PHONE))
    ]
    substitutor = Substitutor(load(), b"a key", packaged_tables().communes)
    return substitutor.substitute(Document("d", text, Patient(key="p", last_name="Vasserot")), mentions)


def test_words_left_are_counted_apart_from_surrogates_and_inventions() -> None:
    one = published()
    name = one.surrogates[0].text
    with served(lambda _: said(name, "Titou", "Nulle Part", " ", "Tito", around="Voici :\n{}\nFin")) as (url, asked):
        found = read_again([one], SecondReader(url, "petit", "jeton"))
    assert found == [Opinion(surrogates=2, named=1, left=1)]
    (question,) = asked
    assert (question["path"], question["token"], question["model"]) == ("/v1/chat/completions", "Bearer jeton", "petit")
    assert one.text in question["messages"][1]["content"]
    assert "Vasserot" not in json.dumps(question)
    measures = {m.measure: (m.value, m.n) for m in measure_opinions(found)}
    assert measures == {"opinion.left": (1.0, 1), "opinion.named": (0.5, 2), "opinion.unread": (0.0, 1)}


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"[]", b'{"choices": []}',
        said("x").replace(b"identifiants", b"autres"), said() + b" " * 300_000,
        b'{"choices": [{"message": {"content": null}}]}', b'{"choices": [{"message": {"content": "} {"}}]}',
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_nonsense_is_no_opinion(body: bytes) -> None:
    with served(lambda _: body) as (url, _):
        found = read_again([published()], SecondReader(url, "petit"))
    assert found == [None]
    assert {m.measure: m.value for m in measure_opinions(found)}["opinion.unread"] == 1


def test_a_reader_that_never_answers_is_asked_three_times() -> None:
    with served(lambda _: None) as (url, asked):
        found = read_again([published()] * 5, SecondReader(url, "petit"), seconds=0.5)
    assert found == [None] * 5
    assert len(asked) == 3


def test_a_long_text_is_read_in_parts_and_an_empty_sample_gives_no_share() -> None:
    one = published(LETTER + "\nSuites simples.\n" * (2 * PART // 16))
    with served(lambda _: said("Titou")) as (url, asked):
        assert read_again([one], SecondReader(url, "petit")) == [Opinion(2, 0, 1)]
    assert len(asked) == 3
    assert "".join(question["messages"][1]["content"] for question in asked) == one.text
    assert [(m.value, m.low, m.n) for m in measure_opinions([])] == [(0.0, None, 0)] * 3


@pytest.mark.parametrize(("url", "model"), [("file:///etc/passwd", "m"), ("llm:8000", "m"), ("http://llm:8000/v1", "")])
def test_settings_that_cannot_be_used_are_named(url: str, model: str) -> None:
    with pytest.raises(SettingsError, match="NOCTURNE_SECOND_OPINION"):
        SecondReader(url, model)
