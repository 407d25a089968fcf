"""Replace a document's mentions by surrogates: the same key, patient and values always give the same text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deid.config.generators import NULL
from deid.config.policy import Policy
from deid.domain.document import Document, Mention, Substitution, Surrogate
from deid.domain.errors import DocumentRefused, Reason, SettingsError
from deid.domain.labels import Label
from deid.french.comparison import alike
from deid.privacy import budget
from deid.reference import CommuneTable
from deid.reference.names import NameTables
from deid.reference.tables import packaged_tables
from deid.substitution import generators, overlaps
from deid.substitution.context import Dossier
from deid.substitution.drafts import Drafted, Room, mask
from deid.substitution.memory import Memory
from deid.substitution.places.streets import street_names
from deid.substitution.registry import Rooms

ATTEMPTS = 8
_new = tuple.__new__


class Substitutor:
    """Draws surrogates under one policy, secret and commune table.

    Args:
        policy: its `substitution` part is read.
        key: the secret; every draw depends on it. What was drawn is kept for speed alone, in this object.
        communes: places to draw from.
        names: names to draw from; None for those that ship.

    Raises:
        SettingsError: the key is empty.
        PolicyError: a provider of the policy's cannot be imported.
    """

    def __init__(self, policy: Policy, key: bytes, communes: CommuneTable, names: NameTables | None = None) -> None:
        if not key:
            raise SettingsError("No surrogate can be drawn with an empty key.", "Set NOCTURNE_SECRET.")
        self._policy = policy.substitution
        self._memory = Memory(key)
        self._communes = communes
        self._names = packaged_tables().names if names is None else names
        self._streets = street_names(communes)
        self._providers = generators.load(self._policy)

    def substitute(self, document: Document, mentions: Sequence[Mention]) -> Substitution:
        """The document with every mention replaced.

        Mentions may come in any order; overlapping ones are joined first, so the result may hold fewer.
        Deterministic in the key, the scope (docs/privacy.md) and the document; other documents do not matter.

        Raises:
            DocumentRefused: it would spend more than the policy allows (BUDGET_EXCEEDED), or a mention lies
                outside the text (SUBSTITUTION_FAILED).
        """
        settled = overlaps.settle(mentions)
        if settled and settled[-1].end > len(document.text):
            raise DocumentRefused(document.id, Reason.SUBSTITUTION_FAILED, "a mention ends after the text")
        dossier = Dossier(document, settled, self._policy, self._memory)
        rooms = Rooms(dossier, self._communes, self._names, self._streets, self._providers)
        shares = budget.shares(self._policy, rooms.elements())
        spends = budget.settle(self._policy, document.id, rooms.spends(shares))
        rooms.draw(shares)
        text, surrogates, spans = _rewritten(document.text, settled, rooms.by_label)
        calendar = rooms.calendar
        return Substitution(text, surrogates, spans, spends, calendar.moved_reference_date, calendar.durations)


def _rewritten(
    text: str, mentions: Sequence[Mention], rooms: Mapping[Label, Room]
) -> tuple[str, tuple[Surrogate, ...], tuple[tuple[int, int], ...]]:
    """The text with surrogates in place, these, and where each stands.

    Of each mention it is the first draft that differs from the original in more than case, accents and punctuation.
    """
    pieces: list[str] = []
    found: list[Surrogate] = []
    spans: list[tuple[int, int]] = []
    position = moved = 0  # where the mention before ended, and by how much what follows it is moved
    for mention in mentions:
        start, end = mention.start, mention.end
        original, room = text[start:end], rooms[mention.label]
        draft = room.write(mention, 0)
        if not _replaces(draft, original):
            draft = _another(mention, original, room)
        written, strategy, parsed = draft
        if "\n" in original:
            written = _broken_like(original, written)
        # What `Surrogate` does, a call of Python's less.
        found.append(_new(Surrogate, (mention, written, strategy, parsed)))
        pieces.append(text[position:start])
        pieces.append(written)
        stands = start + moved
        spans.append((stands, stands + len(written)))
        position = end
        moved += len(written) - len(original)
    pieces.append(text[position:])
    return "".join(pieces), tuple(found), tuple(spans)


def _another(mention: Mention, original: str, room: Room) -> Drafted:
    """The first of the later drafts that replaces the original, or a mask."""
    for attempt in range(1, ATTEMPTS):
        draft = room.write(mention, attempt)
        if _replaces(draft, original):
            return draft
    return mask(mention.label, original)


def _replaces(draft: Drafted, original: str) -> bool:
    """Whether a draft hides its original; nothing does where nothing was asked for."""
    text, strategy, _ = draft
    if not text or text.isspace():
        return strategy == NULL and bool(original.strip())
    return not alike(text, original)


def _broken_like(original: str, text: str) -> str:
    """`text` on as many lines as the original: a line break takes the place of a space, or follows the text."""
    missing = original.count("\n") - text.count("\n")
    for _ in range(missing):
        before, space, after = text.rpartition(" ")
        text = f"{before}\n{after}" if space else f"{text}\n"
    return text
