"""One document under substitution: what its generators share."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import TypeVar, cast

from deid.config.policy import SubstitutionPolicy
from deid.domain.document import Document, Mention
from deid.domain.labels import NAMES, PLACES, Label
from deid.french.calendar import is_plausible
from deid.french.comparison import cut_into_words, folded, words
from deid.french.remembering import remembering
from deid.privacy import KeyedStream
from deid.substitution.memory import Memory

Found = TypeVar("Found")

_ACCENTED = re.compile("[éèêàçùôîâûÉÈÀÇÊ]")
_LEAST_LETTERS = 3
_LEAST_IN_ADDRESSES = 4
_CORPUS = ("corpus", "")
_PLACE = attrgetter("start")
# One commune in nine is a "Saint": left out of those drawn for another, they would tell which kind the other is of.
_SHARED = frozenset({"saint", "sainte", "saints", "saintes", "sur", "sous", "les", "des", "aux", "mer"})


class Dossier:
    """A document, its disjoint mentions in order, and the streams that its surrogates are drawn from.

    `scope` is what surrogates are constant over: the patient, the document (also when the patient is unknown)
    or the corpus, as the policy says.
    """

    def __init__(
        self, document: Document, mentions: Sequence[Mention], policy: SubstitutionPolicy, memory: Memory
    ) -> None:
        self.document = _in_our_time(document)
        self.mentions = tuple(mentions)
        self.policy = policy
        self.scope = self._scope()
        self._own = memory.of(self.scope)
        self._everywhere = memory.of(_CORPUS)
        self._by_label = _by_label(self.mentions)
        self.plain = folded(document.text)  # position by position, as `folding.flat`
        # Whether the document writes accents at all.
        self.accented = not document.text.isascii() and _ACCENTED.search(document.text) is not None

    def _scope(self) -> tuple[str, str]:
        if self.policy.scope == "corpus":
            return _CORPUS
        if self.policy.scope == "patient" and self.document.patient.key:
            return ("patient", self.document.patient.key)
        return ("document", self.document.id)

    def stream(self, *parts: str) -> KeyedStream:
        """The stream of what `parts` name, within the scope."""
        return self._own.streams.of(*parts)

    def shared(self, *parts: str) -> KeyedStream:
        """The stream of what `parts` name, over all patients and documents, whatever the scope."""
        return self._everywhere.streams.of(*parts)

    def remembered(
        self,
        question: tuple[str, ...],
        make: Callable[[KeyedStream], Found],
        by: Hashable = None,
        *,
        shared: bool = False,
    ) -> Found:
        """What `make` finds with the stream of a question, computed once for the scope, or with `shared` for all.

        Nothing of the document may take part but what `by` holds: the scope's other documents get what this one found.
        """
        shelf = self._everywhere if shared else self._own
        asked = question if by is None else (question, by)
        known = shelf.known.get(asked)
        if known is None:
            known = shelf.known[asked] = make(shelf.streams.of(*question))
        return cast(Found, known)

    def text(self, mention: Mention) -> str:
        """What the document writes there."""
        return self.document.text[mention.start : mention.end]

    def before(self, mention: Mention, characters: int = 30) -> str:
        """The characters that stand before a mention."""
        return self.document.text[max(0, mention.start - characters) : mention.start]

    def line_around(self, mention: Mention) -> str:
        """What the lines that a mention stands on say beside it."""
        text = self.document.text
        end = text.find("\n", mention.end)
        before = text[text.rfind("\n", 0, mention.start) + 1 : mention.start]
        return before + text[mention.end : end if end >= 0 else None]

    def plain_before(self, mention: Mention, characters: int = 30) -> str:
        """What stands before a mention, folded position by position."""
        return self.plain[max(0, mention.start - characters) : mention.start]

    def after(self, mention: Mention, characters: int = 30) -> str:
        """The characters that stand after a mention."""
        return self.document.text[mention.end : mention.end + characters]

    def of(self, labels: Iterable[Label]) -> list[Mention]:
        """Mentions of these labels, in order."""
        groups = self._by_label
        found = [groups[label] for label in labels if label in groups]
        return list(found[0]) if len(found) == 1 else sorted(chain.from_iterable(found), key=_PLACE)

    def labelled(self, label: Label) -> Sequence[Mention]:
        """Mentions of one label, in order."""
        return self._by_label.get(label, ())

    def without(self, labels: Iterable[Label]) -> Dossier:
        """The same dossier for who has nothing to do with these labels; what it may not bring back stays the same."""
        gone = frozenset(labels)
        if not gone:
            return self
        other = copy.copy(self)
        other.__dict__["forbidden"] = self.forbidden
        other.mentions = tuple(mention for mention in self.mentions if mention.label not in gone)
        other._by_label = _by_label(other.mentions)
        return other

    @cached_property
    def forbidden(self) -> frozenset[str]:
        """Folded words that no surrogate may bring in: those of names, places and addresses found here, and of the
        identity; of places, not what so many share that it tells none of them.

        Without this, a surrogate drawn for one mention could be what another mention hides. The patient's other
        documents do not take part: which ones are at hand depends on the batch
        (docs/decisions/2026-11-22-names-across-documents.md).
        """
        text, hiding = self.document.text, _HIDING
        found = [
            hidden(text[mention.start : mention.end])
            for label, mentions in self._by_label.items()
            if (hidden := hiding.get(label)) is not None
            for mention in mentions
        ]
        patient = self.document.patient
        names = (patient.last_name, patient.birth_name, *patient.first_names)
        return _hidden_of(names, patient.city, patient.addresses, patient.emails).union(*found)

    def brings_back(self, candidate: str, allowed: frozenset[str] = frozenset()) -> bool:
        """Whether a candidate surrogate has a word that is hidden elsewhere in this document."""
        if candidate.isascii() and candidate.isalnum():
            return (word := candidate.lower()) in self.forbidden and word not in allowed
        if self.forbidden.isdisjoint(found := words(candidate)):
            return False
        return any(word in self.forbidden and word not in allowed for word in found)


def _by_label(mentions: Iterable[Mention]) -> dict[Label, list[Mention]]:
    groups: dict[Label, list[Mention]] = {}
    for mention in mentions:
        if (label := mention.label) in groups:
            groups[label].append(mention)
        else:
            groups[label] = [mention]
    return groups


@remembering(1 << 14)
def telling(place: str) -> frozenset[str]:
    """The folded words of a place's name but those that tell none, unless it has no other ("Saintes")."""
    found = _told(place)
    return found - _SHARED or found


def _told(text: str, least: int = _LEAST_LETTERS) -> frozenset[str]:
    return frozenset([word for word in cut_into_words(text) if len(word) >= least and not word.isdigit()])


_hidden = remembering(1 << 14)(_told)


@remembering(1 << 14)
def _hidden_in_address(address: str) -> frozenset[str]:
    return _told(address, _LEAST_IN_ADDRESSES)


_HIDING: Mapping[Label, Callable[[str], frozenset[str]]] = {
    **dict.fromkeys(PLACES | {Label.ORG}, telling),
    **dict.fromkeys(NAMES, _hidden),
    **dict.fromkeys((Label.EMAIL, Label.URL), _hidden_in_address),
}


@lru_cache(1 << 10)
def _hidden_of(
    names: tuple[str | None, ...], city: str | None, addresses: tuple[str, ...], emails: tuple[str, ...]
) -> frozenset[str]:
    places = map(telling, (city or "", *addresses))
    return frozenset().union(*places, *map(_hidden, filter(None, names)), *map(_hidden_in_address, emails))


def _in_our_time(document: Document) -> Document:
    """A document without the dates that no hospital could have meant, such as the 9999-12-31 of a field left blank."""
    reference, birth = document.reference_date, document.patient.birth_date
    if (reference is None or is_plausible(reference)) and (birth is None or is_plausible(birth)):
        return document
    patient = replace(document.patient, birth_date=birth if birth and is_plausible(birth) else None)
    return replace(
        document, reference_date=reference if reference and is_plausible(reference) else None, patient=patient
    )
