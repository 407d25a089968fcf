"""One document under substitution: the text, mentions and keyed streams that its generators share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from deid.config.policy import SubstitutionPolicy
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import NAMES, PLACES, TEMPORAL, Label
from deid.french.calendar import is_plausible
from deid.french.folding import fold_line, words
from deid.privacy.permutation import KeyedPermutation
from deid.privacy.stream import KeyedStream

_LETTERS = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_ACCENTED = re.compile("[éèêàçùôîâûÉÈÀÇÊ]")
# A line break is the end of a sentence unless the next line goes on in small letters or figures.
_LINE_END = re.compile(r"\n(?=\s*(?:\n|[^a-zà-ÿ0-9\s]|\Z))")
_UNACCENTED = 60  # letters without an accent that tell of an author who writes none
_LEAST_LETTERS = 3
_LEAST_IN_ADDRESSES = 4
_CORPUS = ("corpus", "")
# One commune in nine is a "Saint": left out of those drawn for another, they would tell which kind the other is of.
_SHARED = frozenset({"saint", "sainte", "saints", "saintes", "sur", "sous", "les", "des", "aux", "mer"})


def _is_accented(text: str, mentions: Sequence[Mention], few: int = 0) -> bool:
    """Return whether the words around dates and ages have accents, or fewer than `few` letters, which say nothing.

    What ε is claimed of has no say: else "août 2019" alone would tell that the original is no "mars 2019".
    """
    drawn = [one for one in mentions if one.label in TEMPORAL]
    bounds = [0, *(bound for one in drawn for bound in (one.start, one.end)), len(text)]
    around = "".join(text[bounds[at] : bounds[at + 1]] for at in range(0, len(bounds), 2))
    return _ACCENTED.search(around) is not None or sum(map(str.isalpha, around)) < few


class DocumentContext:
    """A document, its disjoint mentions in order, and the streams that its surrogates are drawn from.

    Surrogates are constant over `scope`, by the policy: the patient, the document (also for an unknown patient) or the
    corpus.

    Attributes:
        plain: the text folded by `fold_line`, position by position.
        accented: True if the document writes accents at all, outside of its dates and ages.
        dates_accented: the same for its dates and ages; True also of few letters.
    """

    def __init__(
        self,
        document: Document,
        mentions: Sequence[Mention],
        policy: SubstitutionPolicy,
        secret: bytes,
        own_types: Collection[str] = (),
    ) -> None:
        self.document = _without_implausible_dates(document)
        self.mentions = tuple(mentions)
        self.policy = policy
        self.scope = self._scope()
        self.plain = fold_line(document.text)
        self.accented = _is_accented(document.text, self.mentions)
        self.dates_accented = _is_accented(document.text, self.mentions, _UNACCENTED)
        self._secret = secret
        self._own_types = own_types
        self._hidden = self.mentions  # the mentions that `forbidden` is about
        self._by_label = _by_label(self.mentions)

    @cached_property
    def lined(self) -> str:
        """Return `plain` with the line breaks at which a sentence may end: the next line begins by no small letter."""
        letters = list(self.plain)
        for found in _LINE_END.finditer(self.document.text):
            letters[found.start()] = "\n"
        return "".join(letters)

    def _scope(self) -> tuple[str, str]:
        if self.policy.scope == "corpus":
            return _CORPUS
        if self.policy.scope == "patient" and self.document.patient.key:
            return ("patient", self.document.patient.key)
        return ("document", self.document.id)

    def stream(self, *parts: str) -> KeyedStream:
        """Return the stream about `parts` within the scope, from its first bit."""
        return KeyedStream(self._secret, *self.scope, *parts)

    def shared_stream(self, *parts: str) -> KeyedStream:
        """Return the stream about `parts` over all patients and documents, whatever the scope, from its first bit."""
        return KeyedStream(self._secret, *_CORPUS, *parts)

    def permutation(self, bound: int, *parts: str) -> KeyedPermutation:
        """Return the permutation of [0, bound) about `parts` within the scope."""
        return KeyedPermutation(self._secret, bound, *self.scope, *parts)

    def shared_permutation(self, bound: int, *parts: str) -> KeyedPermutation:
        """Return the permutation of [0, bound) about `parts` over all patients and documents, whatever the scope."""
        return KeyedPermutation(self._secret, bound, *_CORPUS, *parts)

    def text(self, mention: Mention) -> str:
        """Return the text of a mention."""
        return self.document.text[mention.start : mention.end]

    def before(self, mention: Mention, characters: int = 30) -> str:
        """Return the characters before a mention."""
        return self.document.text[max(0, mention.start - characters) : mention.start]

    def plain_before(self, mention: Mention, characters: int = 30) -> str:
        """Return the characters before a mention, folded."""
        return self.plain[max(0, mention.start - characters) : mention.start]

    def lined_before(self, mention: Mention, characters: int = 30) -> str:
        """Return the characters before a mention, folded, with the line breaks at which a sentence may end."""
        return self.lined[max(0, mention.start - characters) : mention.start]

    def after(self, mention: Mention, characters: int = 30) -> str:
        """Return the characters after a mention."""
        return self.document.text[mention.end : mention.end + characters]

    def line_around(self, mention: Mention) -> str:
        """Return the line or lines of a mention without the mention."""
        text = self.document.text
        end = text.find("\n", mention.end)
        before = text[text.rfind("\n", 0, mention.start) + 1 : mention.start]
        return before + text[mention.end : end if end >= 0 else None]

    def kind(self, mention: Mention) -> str:
        """Return the name of a mention's own type, else its label."""
        return mention.subtype if mention.subtype is not None and mention.subtype in self._own_types else mention.label

    def of(self, labels: Iterable[Label]) -> list[Mention]:
        """Return the mentions of these labels, in order."""
        found = [mention for label in labels for mention in self._by_label.get(label, ())]
        return sorted(found, key=lambda mention: mention.start)

    def labelled(self, label: Label) -> Sequence[Mention]:
        """Return the mentions of one label, in order."""
        return self._by_label.get(label, ())

    def without(self, kinds: Iterable[str]) -> DocumentContext:
        """Return the context without mentions of these labels and own types; their words stay `forbidden`."""
        gone = frozenset(kinds)
        kept = [mention for mention in self.mentions if self.kind(mention) not in gone]
        other = DocumentContext(self.document, kept, self.policy, self._secret, self._own_types)
        other._hidden = self._hidden
        return other

    @cached_property
    def forbidden(self) -> frozenset[str]:
        """Return the folded words that no surrogate may bring in.

        They are those of the names, places and addresses found here and of the identity, without the words of many
        places. Without this, a surrogate drawn for one mention could be the text that another mention hides. The
        patient's other documents take no part: which ones are at hand depends on the batch
        (docs/decisions/2026-11-22-names-across-documents.md).
        """
        return identity_words(self.document.patient) | self._words_of(_TELLING)

    @cached_property
    def forbidden_names(self) -> frozenset[str]:
        """Return `forbidden` without places: words of names, e-mails and URLs found here, and of the patient's.

        A draw that may return its original leaves these words out, and no place.
        """
        return _name_words(self.document.patient) | self._words_of(_TELLING_NAMES)

    @cached_property
    def shown(self) -> frozenset[str]:
        """Return the words, in their case, that the text writes outside of any mention."""
        text, ends = [], 0
        for mention in self._hidden:
            text.append(self.document.text[ends : mention.start])
            ends = mention.end
        return frozenset(_LETTERS.findall(" ".join([*text, self.document.text[ends:]])))

    def tells_somebody(self, letters: str) -> bool:
        """Return whether folded letters begin a name told or are initials of one, in any order."""
        if any(word.startswith(letters) for word in self._names if len(word) > 1):
            return True
        return any(not Counter(letters) - initials for initials in self._initials)

    @cached_property
    def _names(self) -> frozenset[str]:
        told = (self.text(mention) for mention in self._hidden if mention.label in NAMES)
        patient = self.document.patient
        return frozenset(word for name in (*told, *patient.names, *patient.emails) for word in words(name))

    @cached_property
    def _initials(self) -> Sequence[Counter[str]]:
        """Return the initials of each professional, and together those of the patient and the patient's people."""
        staff = [words(self.text(one)) for one in self._hidden if one.label is Label.DOCTOR]
        people = (self.text(one) for one in self._hidden if one.label in NAMES - {Label.DOCTOR})
        others = {word for name in (*people, *self.document.patient.names) for word in words(name)}
        return [Counter(word[0] for word in names) for names in (*staff, others)]

    def _words_of(self, telling: Mapping[Label, Callable[[str], frozenset[str]]]) -> frozenset[str]:
        labelled = ((telling.get(mention.label), mention) for mention in self._hidden)
        return frozenset().union(*(words_in(self.text(mention)) for words_in, mention in labelled if words_in))

    def brings_back(self, candidate: str, allowed: frozenset[str] = frozenset()) -> bool:
        """Return whether a candidate surrogate has a `forbidden` word that is not `allowed`."""
        return any(word in self.forbidden and word not in allowed for word in words(candidate))


def identity_words(patient: Patient) -> frozenset[str]:
    """Return the folded words of a patient's names, places, addresses and e-mails, as the warehouse knows them."""
    places = (words_of_place(place) for place in (patient.city or "", *patient.addresses))
    return _name_words(patient).union(*places)


def _name_words(patient: Patient) -> frozenset[str]:
    names = (_long_words(name) for name in patient.names)
    return frozenset().union(*names, *(_long_words(one, least=_LEAST_IN_ADDRESSES) for one in patient.emails))


def _by_label(mentions: Iterable[Mention]) -> dict[Label, list[Mention]]:
    groups: dict[Label, list[Mention]] = {}
    for mention in mentions:
        groups.setdefault(mention.label, []).append(mention)
    return groups


def words_of_place(place: str) -> frozenset[str]:
    """Return the distinctive folded words of a place; words of many places only if it has no other ("Saintes")."""
    found = _long_words(place)
    return found - _SHARED or found


def _long_words(text: str, least: int = _LEAST_LETTERS) -> frozenset[str]:
    return frozenset(word for word in words(text) if len(word) >= least and not word.isdigit())


_TELLING_NAMES: Mapping[Label, Callable[[str], frozenset[str]]] = {
    **dict.fromkeys(NAMES, _long_words),
    **dict.fromkeys((Label.EMAIL, Label.URL), partial(_long_words, least=_LEAST_IN_ADDRESSES)),
}
_TELLING = {**dict.fromkeys(PLACES | {Label.ORG}, words_of_place), **_TELLING_NAMES}


def _without_implausible_dates(document: Document) -> Document:
    """Return a document without implausible dates, such as the 9999-12-31 of a blank field."""
    reference, birth = document.reference_date, document.patient.birth_date
    if (reference is None or is_plausible(reference)) and (birth is None or is_plausible(birth)):
        return document
    patient = replace(document.patient, birth_date=birth if birth and is_plausible(birth) else None)
    return replace(
        document, reference_date=reference if reference and is_plausible(reference) else None, patient=patient
    )
