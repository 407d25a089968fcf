"""Objects of JSON Lines to documents and mentions, and outcomes to objects: the shapes of the public surface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from itertools import pairwise
from typing import Any

from deid.cli.lines import BadLine, text_of
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.domain.outcomes import Deidentified, Detected, Incoming, Refused

_LISTS = frozenset({"first_names", "addresses", "phones", "emails", "identifiers"})


@dataclass(frozen=True, slots=True)
class Marked:
    """A document's mentions as a line gives them; `text` is None where the line has none."""

    id: str
    text: str | None
    mentions: tuple[Mention, ...]
    type: str | None = None


def incoming(record: Mapping[str, Any]) -> Incoming:
    """Read a line of input: id, text, and perhaps patient, reference_date, type, format, title.

    Raises:
        BadLine: a field is missing or of the wrong kind.
    """
    document = Document(
        id=text_of(record, "id"),
        text=text_of(record, "text"),
        patient=_patient(record.get("patient")),
        reference_date=_day(record.get("reference_date"), "reference_date"),
        type=_optional(record, "type"),
    )
    return Incoming(document, _optional(record, "format"), title=_optional(record, "title"))


def marked(record: Mapping[str, Any]) -> Marked:
    """A line that holds mentions: those of `detect`, or of people.

    Raises:
        BadLine: a field is missing or of the wrong kind, or mentions overlap.
    """
    found = record.get("mentions")
    if not isinstance(found, list):
        raise BadLine("« mentions » manque ou n'est pas une liste")
    mentions = tuple(sorted(_mention(item) for item in found))
    for before, after in pairwise(mentions):
        if before.overlaps(after):
            raise BadLine("des mentions se chevauchent")
    text = _optional(record, "text")
    if text is not None and mentions and mentions[-1].end > len(text):
        raise BadLine("une mention dépasse la fin du texte")
    return Marked(text_of(record, "id"), text, mentions, _optional(record, "type"))


def gold(record: Mapping[str, Any]) -> Marked:
    """A line that holds the mentions people marked, and the text they marked them in.

    Raises:
        BadLine: see `marked`; or no text.
    """
    text_of(record, "text")
    return marked(record)


def detected_line(outcome: Detected) -> dict[str, Any]:
    """Write `{"id","mentions":[{"start","end","label","subtype"?,"score","votes"}]}`.

    The plain text stands beside them where the input was formatted, since offsets count in the plain text.
    """
    line: dict[str, Any] = {"id": outcome.document.id}
    if outcome.markup is not None:
        line["text"] = outcome.document.text
    return line | {"mentions": [_mention_line(mention) for mention in outcome.mentions]}


def deidentified_line(outcome: Deidentified) -> dict[str, Any]:
    """Write `{"id","text","mentions":[…],"budget":[…],"durations":{…},"verdict":{…}}`.

    `markup` stands beside the text where the input had any, and `title` where it identifies nobody.
    """
    candidate = outcome.candidate
    substitution = candidate.substitution
    spans = zip(substitution.surrogates, substitution.spans, strict=True)
    line: dict[str, Any] = {"id": candidate.document.id, "text": substitution.text}
    for name, value in (("title", candidate.title), ("markup", candidate.markup)):
        if value is not None:
            line[name] = value
    return line | {
        "mentions": [
            {
                "start": drawn.mention.start,
                "end": drawn.mention.end,
                "label": str(drawn.mention.label),
                "surrogate_start": start,
                "surrogate_end": end,
            }
            for drawn, (start, end) in spans
        ],
        "budget": [asdict(spend) for spend in substitution.spends],
        "durations": asdict(substitution.durations),
        "verdict": {
            "passed": True,
            "reasons": [],
            "warnings": list(outcome.verdict.warnings),
            "checks": {item.check: item.success for item in outcome.verdict.outcomes},
        },
    }


def refused_line(outcome: Refused) -> dict[str, Any]:
    """A document held back: its id and why, no text."""
    return {"id": outcome.document_id, "verdict": {"passed": False, "reasons": [str(one) for one in outcome.reasons]}}


def _mention_line(mention: Mention) -> dict[str, Any]:
    line: dict[str, Any] = {"start": mention.start, "end": mention.end, "label": str(mention.label)}
    if mention.subtype is not None:
        line["subtype"] = mention.subtype
    votes = [{"annotator": vote.annotator, "label": str(vote.label), "score": vote.score} for vote in mention.votes]
    return line | {"score": mention.score, "votes": votes}


def _mention(item: Any) -> Mention:
    if not isinstance(item, dict) or not all(type(item.get(name)) is int for name in ("start", "end")):
        raise BadLine("une mention n'a pas « start » et « end » entiers")
    if item.get("label") not in Label.__members__:
        raise BadLine(f"une mention n'a pas l'un des labels {', '.join(Label)}")
    try:
        return Mention(item["start"], item["end"], Label(item["label"]))
    except ValueError:
        raise BadLine("une mention n'a pas 0 ≤ start < end") from None


def _patient(given: Any) -> Patient:
    if given is None:
        return Patient()
    if not isinstance(given, dict):
        raise BadLine("« patient » n'est pas un objet")
    for name, value in given.items():
        if value is None or name not in Patient.__dataclass_fields__:
            continue
        _check(name, value)
    known = {name: value for name, value in given.items() if name != "birth_date"}
    return Patient.from_json(known | {"birth_date": _day(given.get("birth_date"), "patient.birth_date")})


def _check(name: str, value: Any) -> None:
    if name in _LISTS:
        if not isinstance(value, str) and not _is_texts(value):
            raise BadLine(f"« patient.{name} » n'est pas une liste de textes")
    elif not isinstance(value, str):
        raise BadLine(f"« patient.{name} » n'est pas un texte")


def _is_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(item, str) for item in value)


def _day(value: Any, name: str) -> date | None:
    if value in (None, ""):
        return None
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise BadLine(f"« {name} » n'est pas une date AAAA-MM-JJ") from None


def _optional(record: Mapping[str, Any], name: str) -> str | None:
    return None if record.get(name) is None else text_of(record, name)
