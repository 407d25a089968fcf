"""A second reader of published texts that took no part in detection: a language model inside the hospital.

It is asked through an address compatible with OpenAI's chat completions, which local servers of models offer. It says
which words of a text identify somebody; those outside every surrogate were left, or clinical. Only counts are kept.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import requests

from deid.domain.document import Substitution
from deid.domain.errors import SettingsError
from deid.domain.labels import DIRECT
from deid.refresh.connections import Deadline, DeadlineAdapter, DeadlinePassed
from nocturne_lab.evaluation.intervals import share_interval
from nocturne_lab.hospital.evaluations import Measured

log = logging.getLogger(__name__)

PART = 6000  # characters of a text in one question
_ANSWER_S, _ANSWER_BYTES = 120.0, 200_000  # of one question
_SILENT = 3  # questions without an answer, one after the other, until no more are asked
_CONFIDENCE = 0.95
_TASK = (
    "Tu relis un document médical français qui a été désidentifié. Donne chaque suite de mots du texte qui peut "
    "identifier une personne : nom, surnom, initiales, adresse, téléphone, courriel, numéro, lieu, employeur, date. "
    "Ni maladie, ni médicament, ni examen. Recopie chaque suite exactement comme dans le texte. "
    'Réponds par un objet JSON seul : {"identifiants": ["…", "…"]}.'
)


class Opinion(NamedTuple):
    """Counts of a document: surrogates of direct identifiers, those that the reader named, its words elsewhere."""

    surrogates: int
    named: int
    left: int


class SecondReader:
    """A model behind an address of chat completions.

    Args:
        url: base address as servers give it ("http://llm.hopital.example:8000/v1"), http or https.
        model: name of the model there.
        key: bearer token; None where the server asks for none.

    Raises:
        SettingsError: the address is no URL of http, or no model is named.
    """

    def __init__(self, url: str, model: str, key: str | None = None) -> None:
        if not re.match(r"https?://[^\s/@]+", url):
            raise SettingsError("NOCTURNE_SECOND_OPINION_URL is no http address.", "Write http://host:port/v1.")
        if not model:
            raise SettingsError("NOCTURNE_SECOND_OPINION_MODEL is not set.", "Name the model as its server does.")
        self._url, self._model, self._key = f"{url.rstrip('/')}/chat/completions", model, key

    def identifiers(self, text: str, *, seconds: float = _ANSWER_S) -> tuple[str, ...] | None:
        """Return the words that the model says identify somebody; None without an answer that can be read."""
        question = {
            "model": self._model,
            "temperature": 0,
            "response_format": {"type": "json_object"},
            "messages": [{"role": "system", "content": _TASK}, {"role": "user", "content": text}],
        }
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            with Deadline(time.monotonic() + seconds) as deadline, requests.Session() as session:
                session.trust_env = False  # published texts go to this address, through no proxy
                for scheme in ("http://", "https://"):
                    session.mount(scheme, DeadlineAdapter(deadline))
                answered = session.post(
                    self._url, json=question, headers=headers, timeout=seconds, allow_redirects=False, stream=True
                )
                answered.raise_for_status()
                if answered.is_redirect:
                    return None
                body = answered.raw.read(_ANSWER_BYTES + 1, decode_content=True)
            return None if len(body) > _ANSWER_BYTES else _read(json.loads(body))
        except (requests.RequestException, DeadlinePassed, OSError, ValueError, RecursionError) as error:
            log.info("the second reader gave no answer: %s", type(error).__name__)
            return None


def _read(answer: Any) -> tuple[str, ...] | None:
    """Return the words of an answer of chat completions; None where it has another shape."""
    try:
        content = answer["choices"][0]["message"]["content"]
        found = json.loads(content[content.index("{") : content.rindex("}") + 1])["identifiants"]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None
    return tuple(found) if isinstance(found, list) and all(isinstance(one, str) for one in found) else None


def read_again(
    published: Iterable[Substitution], reader: SecondReader, *, seconds: float = _ANSWER_S
) -> Sequence[Opinion | None]:
    """Return the reader's opinion of each text; None where it gave none.

    A reader that is silent for three questions is asked no more.

    Args:
        seconds: the longest wait for one answer.
    """
    found: list[Opinion | None] = []
    silent = 0
    for one in published:
        said: list[tuple[str, ...]] = []
        for part in _parts(one.text):
            answer = None if silent >= _SILENT else reader.identifiers(part, seconds=seconds)
            silent = 0 if answer is not None else silent + 1
            if answer is None:
                break
            said.append(answer)
        else:
            found.append(_opinion(one, {word.strip() for words in said for word in words}))
            continue
        found.append(None)
    return found


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts of at most `PART` characters, cut at the end of a line where there is one."""
    while len(text) > PART:
        cut = text.rfind("\n", 1, PART) + 1 or PART
        yield text[:cut]
        text = text[cut:]
    yield text


def _opinion(one: Substitution, words: Iterable[str]) -> Opinion:
    """Count the places of the named words within a surrogate, and elsewhere; words that are not there count nothing."""
    spans = sorted(zip(one.spans, one.surrogates, strict=True))
    direct = {span for span, surrogate in spans if surrogate.mention.label in DIRECT}
    named: set[tuple[int, int]] = set()
    left: set[int] = set()
    for word in words:
        if not any(map(str.isalnum, word)):
            continue
        for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", one.text):
            touched = [span for span, _ in spans if span[0] < match.end() and match.start() < span[1]]
            named.update(touched)
            if not touched:
                left.add(match.start())
    return Opinion(len(direct), len(named & direct), len(left))


def measure_opinions(opinions: Sequence[Opinion | None]) -> Iterator[Measured]:
    """Yield what a second reader found: documents with words left, surrogates named, documents not read."""
    read = [one for one in opinions if one is not None]
    yield _share("left", sum(one.left > 0 for one in read), len(read))
    yield _share("named", sum(one.named for one in read), sum(one.surrogates for one in read))
    yield _share("unread", len(opinions) - len(read), len(opinions))


def _share(name: str, found: int, of: int) -> Measured:
    if not of:
        return Measured(f"opinion.{name}", 0.0, None, None, 0)
    return Measured(f"opinion.{name}", found / of, *share_interval(found, of, _CONFIDENCE), of)
