"""Replace a document's mentions by surrogates: the same key, patient and values always give the same text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from unicodedata import normalize

from deid.config.generators import NULL
from deid.config.policy import Policy
from deid.domain.document import Document, Mention, Substitution, Surrogate
from deid.domain.errors import DocumentRefused, PolicyError, Reason, SettingsError
from deid.domain.labels import NAMES, PLACES, Label
from deid.french.articles import Kind, fitted, own_article, read_ahead, read_ahead_of_time
from deid.french.composing import (
    Aligned,
    Edit,
    broken_words,
    composed,
    is_decomposed,
    is_scanned,
    line_cuts,
    marked_letters,
    misread_letters,
    spaced_letters,
)
from deid.french.folding import alike, words
from deid.privacy import budget
from deid.reference import CommuneTable
from deid.reference.names import NameTables, name_key
from deid.reference.tables import packaged_tables
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, Generator, mask
from deid.substitution.places.streets import street_names
from deid.substitution.registry import Generators, chosen_generators

ATTEMPTS = 8
_OWN = 1_000_000  # how usual the patient's names are
# Mentions that are read as they were before they were set apart or a scanner broke them; names are read spaced too.
_PLACED = PLACES | {Label.ORG}
_WORDED = NAMES | _PLACED


class Substitutor:
    """Draws surrogates under one policy, secret and commune table. Keeps nothing of the documents given to it.

    Args:
        policy: its `substitution` part is read.
        key: the secret; every draw depends on it.
        communes: places to draw from.
        names: names to draw from; None for the tables that ship.

    Raises:
        SettingsError: the key is empty.
        PolicyError: a generator that the policy names cannot be imported.
    """

    def __init__(self, policy: Policy, key: bytes, communes: CommuneTable, names: NameTables | None = None) -> None:
        if not key:
            raise SettingsError("No surrogate can be drawn with an empty key.", "Set NOCTURNE_SECRET.")
        self._made_of = policy, key, communes, names
        self._policy = policy.substitution
        self._key = key
        self._communes = communes
        self._names = packaged_tables().names if names is None else names
        self._streets = street_names(communes)
        self._chosen = chosen_generators(policy)
        self._own_types = frozenset(policy.types)

    def __reduce__(self) -> tuple[type[Substitutor], tuple[Policy, bytes, CommuneTable, NameTables | None]]:
        return Substitutor, self._made_of

    def substitute(self, document: Document, mentions: Sequence[Mention]) -> Substitution:
        """Return the document with every mention replaced.

        Mentions may come in any order; overlapping ones are joined first, so the result may hold fewer. Deterministic
        in the key, the scope (docs/privacy.md) and the document; other documents do not matter.

        Raises:
            DocumentRefused: it would spend more than the policy allows (BUDGET_EXCEEDED), or a mention lies
                outside the text (SUBSTITUTION_FAILED).
        """
        if any(mention.end > len(document.text) for mention in mentions):
            raise DocumentRefused(document.id, Reason.SUBSTITUTION_FAILED, "a mention ends after the text")
        source, given = document, _joined(mentions)
        aligned, disjoint = _composed(source.text, given, self._use(source) if is_scanned(source.text) else None)
        if aligned.text != source.text:
            document = replace(source, text=aligned.text)
        context = DocumentContext(document, disjoint, self._policy, self._key, self._own_types)
        generators = Generators(context, self._communes, self._names, self._streets, self._chosen)
        shares = budget.shares(self._policy, generators.elements())
        spends = budget.settle(self._policy, document.id, generators.spends(shares))
        generators.draw(shares)
        text, surrogates, spans = _rewritten(context, generators.by_label, source.text, given, aligned)
        calendar = generators.calendar
        moved, birth_year = calendar.moved_reference_date, calendar.told_birth_year
        return Substitution(text, surrogates, spans, spends, moved, calendar.age_class, birth_year)

    def _use(self, document: Document) -> Callable[[str], float]:
        """Return how usual a word is as a name of people or towns, and those of the patient above all."""
        own = {whole for name in document.patient.names for whole in (*words(name), "".join(words(name)))}

        def use(word: str) -> float:
            key = name_key(word)
            given, towns = self._names.first.get(key), self._communes.find(word)
            borne = self._names.surnames.get(key, 0) + (given.births if given else 0)
            return _OWN if key in own else max(borne, *(one.population for one in towns), 0)

        return use


def _composed(
    source: str, mentions: tuple[Mention, ...], use: Callable[[str], float] | None
) -> tuple[Aligned, tuple[Mention, ...]]:
    """Return a source as it shows, and its mentions with the offsets of what is shown; each has a character there.

    A word of a mention that the end of a line cuts is read whole: "Mar-⏎tin" is the Martin of the next line. So is one
    that a scanner broke, where `use` tells how usual words are.
    """
    aligned = composed(source)
    readers: list[tuple[Callable[..., Iterator[Edit]], Collection[Label]]]
    readers = [(line_cuts, frozenset(Label)), (spaced_letters, _PLACED)]
    if use is not None:
        readers += ((partial(one, use=use), _WORDED) for one in (misread_letters, broken_words))
    for read, labels in readers:
        spans = [aligned.from_source(one.start, one.end) for one in mentions if one.label in labels]
        aligned.edit([cut for start, end in spans for cut in read(aligned.text, start=start, end=end)])
    if aligned.text == source:
        return aligned, mentions
    spans = [aligned.from_source(mention.start, mention.end) for mention in mentions]
    if any(start >= end for start, end in spans):  # a mention of nothing but characters that nobody sees
        aligned = Aligned(source)
        aligned.edit(marked_letters(source))
        spans = [aligned.from_source(mention.start, mention.end) for mention in mentions]
    found = (replace(mention, start=start, end=end) for mention, (start, end) in zip(mentions, spans, strict=True))
    return aligned, _joined(list(found))


def _joined(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return the mentions in order, those that share a character joined over their union.

    The joined mention takes label, subtype and votes from the longest, then the surest, then the first.
    """
    joined: list[tuple[Mention, Mention]] = []  # (joined mention, the mention that it takes its label from)
    for mention in sorted(mentions):
        if not joined or mention.start >= joined[-1][0].end:
            joined.append((mention, mention))
            continue
        before, chosen = joined[-1]
        best = max(chosen, mention, key=lambda one: (one.end - one.start, one.score))
        joined[-1] = (replace(best, start=before.start, end=max(before.end, mention.end)), best)
    return tuple(mention for mention, _ in joined)


def _rewritten(
    context: DocumentContext,
    generators: Mapping[str, Generator],
    source: str,
    given: Sequence[Mention],
    aligned: Aligned,
) -> tuple[str, tuple[Surrogate, ...], tuple[tuple[int, int], ...]]:
    """Return the source with surrogates in place, the surrogates, and the span of each in the new text.

    `given` are the disjoint mentions of the source: unseen characters at their edges go with them.
    """
    pieces: list[str] = []
    surrogates: list[Surrogate] = []
    spans: list[tuple[int, int]] = []
    at = before = position = length = 0  # `given`, and ends: of the last mention, of it in the source, of the new text
    text, decomposed = context.document.text, is_decomposed(source)
    for mention in context.mentions:
        original, kind = context.text(mention), context.kind(mention)
        draft = _first_that_replaces(mention, original, kind, _generator(generators, kind, mention.label))
        reach, agreeing = _agreeing(text[before : mention.start], original, draft)
        if reach and agreeing.startswith("À ") and not context.accented:  # "AU HAVRE" → "A TOULON"
            agreeing = f"A{agreeing[1:]}"
        start, end = aligned.in_source(mention.start - reach, mention.end)
        written = _broken_like(source[start:end], agreeing)
        if decomposed:  # a composed letter would show what was replaced
            written = normalize("NFD", written)
        while at < len(given) and given[at].start < end:
            start, end = min(start, given[at].start), max(end, given[at].end)
            at += 1
        surrogates.append(Surrogate(replace(mention, start=start, end=end), written, draft.strategy, draft.parsed))
        pieces += (source[position:start], written)
        length += start - position
        spans.append((length, length + len(written)))
        before, position, length = mention.end, end, length + len(written)
    pieces.append(source[position:])
    return "".join(pieces), tuple(surrogates), tuple(spans)


def _agreeing(before: str, original: str, draft: Draft) -> tuple[int, str]:
    """Return the number of characters to replace ahead of a mention, and the text in agreement with the rest.

    "d'Avignon" becomes "de Gray": the replaced span then begins at the preposition, and so does the surrogate.
    """
    if draft.noun is None:
        return 0, draft.text
    own = own_article(original) if draft.noun.is_area else ""
    middle = draft.noun.kind is Kind.FEAST and draft.text.casefold().startswith("mi-")
    ahead = read_ahead_of_time(before) if middle else read_ahead(before + own)
    if ahead is None:
        return 0, draft.text
    written = fitted(ahead, draft.noun, draft.text)
    if not own and written.startswith(ahead.text):  # "à Dijon" → "à Gray", "au Havre" → "au Mans"
        return 0, written.removeprefix(ahead.text)
    reach = len(ahead.text) - len(own)
    if own and written.startswith(kept := ahead.text[:reach]):  # "dans le Doubs" → "dans le Jura"
        return 0, written.removeprefix(kept)
    return reach, written


def _generator(generators: Mapping[str, Generator], kind: str, label: Label) -> Generator:
    """Return the generator of an own type, else of its label.

    Raises:
        PolicyError: it has none; naming the label reveals nothing of the document.
    """
    try:
        return generators.get(kind) or generators[label]
    except KeyError:
        raise PolicyError(
            f"label {label} has no generator.", "Add one to deid/substitution/registry.py, or to `substitution.labels`."
        ) from None


def _first_that_replaces(mention: Mention, original: str, kind: str, generator: Generator) -> Draft:
    """Return the first draft that differs from the original in more than case, accents and punctuation, else a mask."""
    for attempt in range(ATTEMPTS):
        draft = generator.write(mention, attempt)
        if _replaces(draft, original):
            return draft
    return mask(kind, original)


def _replaces(draft: Draft, original: str) -> bool:
    """Return whether a draft hides or may return its original; an empty text only if the policy asks for it."""
    if not draft.text.strip():
        return draft.strategy == NULL and bool(original.strip())
    return draft.may_return or not alike(draft.text, original)


def _broken_like(original: str, text: str) -> str:
    """Return `text` with the line breaks of the original: each takes the place of a space, or follows the text."""
    missing = original.count("\n") - text.count("\n")
    for _ in range(missing):
        before, space, after = text.rpartition(" ")
        text = f"{before}\n{after}" if space else f"{text}\n"
    return text
