"""Altered copies of documents: mentions, then unlabelled text, then noise of typing and scanning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deid.config.policy import SubstitutionPolicy
from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, Label
from deid.reference.tables import packaged_tables
from deid.substitution.context import DocumentContext
from deid.substitution.names.roster import Roster
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.augmentation import layout, noise, temporal, unlabelled
from nocturne_lab.learning.augmentation.identifiers import CopiedAddresses, CopiedNumbers
from nocturne_lab.learning.augmentation.names import Names
from nocturne_lab.learning.augmentation.pieces import Piece, assembled, cut_pieces
from nocturne_lab.learning.augmentation.places import CopiedOrganisations, CopiedPlaces, CopiedStreets
from nocturne_lab.learning.augmentation.rates import RATES, Rates, SeededRandom
from nocturne_lab.learning.augmentation.temporal import CopiedDates
from nocturne_lab.learning.augmentation.unlabelled import agree

_POLICY = SubstitutionPolicy(scope="document")
_AGREES = NAMES | {Label.CITY, Label.LOC, Label.ORG}


def multiply(documents: Sequence[GoldDocument], copies: int, seed: int, rates: Rates = RATES) -> Iterator[GoldDocument]:
    """Yield `copies` altered copies of each document: ids "name~1"…, the same author, an unknown patient.

    A copy keeps the labels of its document in their order; a mention split by a new line break becomes two. The copies
    of a document depend on the document, the seed and the rates only. Mentions are replaced and text is perturbed as
    in Dai and Adel 2020 (An Analysis of Simple Data Augmentation for Named Entity Recognition, COLING).

    Args:
        documents: annotated documents; a mention with a line break is not altered.
        copies: at least 0, per document.
        seed: names the draws.
        rates: how often each alteration happens.
    """
    for gold in documents:
        mentions = [mention for mention in gold.mentions if "\n" not in _text(gold, mention)]
        roster = Roster(DocumentContext(gold.document, mentions, _POLICY, b"augmentation"), packaged_tables().names)
        pieces = cut_pieces(gold.document.text, gold.mentions)
        for number in range(1, copies + 1):
            name = f"{gold.document.id}~{number}"
            rng = SeededRandom(f"{seed}/{name}")
            altered = pieces
            if rng.once(rates.substituted):
                altered = _substituted(gold, pieces, roster, rng, rates)
            if rng.once(rates.respelt_negatives):
                altered = unlabelled.exchange_hard_negatives(altered, rng, rates)
            altered = unlabelled.drop_civilities(altered, rng, rates)
            yield assembled(gold, _noisy(altered, rng, rates), name)


def _text(gold: GoldDocument, mention: Mention) -> str:
    return gold.document.text[mention.start : mention.end]


def _substituted(
    gold: GoldDocument, pieces: Sequence[Piece], roster: Roster, rng: SeededRandom, rates: Rates
) -> list[Piece]:
    """Replace the mentions and make the prepositions before them agree."""
    writer = _Writer(gold, pieces, roster, rng, rates)
    result: list[Piece] = []
    mentions = iter(gold.mentions)
    for index, piece in enumerate(pieces):
        if piece.label is None:
            result.append(piece)
            continue
        text = writer.write(index, piece, next(mentions)).strip()
        if not text or "\n" in text or "\n" in piece.text:
            text = piece.text
        if piece.label in _AGREES and text != piece.text:
            before, text = agree(result[-1].text, text, piece.label)
            result[-1] = Piece(before)
        result.append(Piece(text, piece.label))
    return result


class _Writer:
    """Generators of one copy, by label."""

    def __init__(
        self, gold: GoldDocument, pieces: Sequence[Piece], roster: Roster, rng: SeededRandom, rates: Rates
    ) -> None:
        secret = rng.randbytes(8)
        context = DocumentContext(gold.document, gold.mentions, _POLICY, secret)
        self._rng = rng
        self._rates = rates
        self._accented = context.accented
        self._names = Names(context, roster, rng, rates)
        self._places = CopiedPlaces(pieces, self._accented, rng, rates)
        self._streets = CopiedStreets(context, rng, rates)
        self._organisations = CopiedOrganisations(self._places, self._accented, rng, rates)
        self._numbers = CopiedNumbers(context, rng, rates)
        self._addresses = CopiedAddresses(self._names.exchanged, rng, rates)
        self._dates = CopiedDates(self._accented, rng, rates)

    def write(self, index: int, piece: Piece, mention: Mention) -> str:
        """Return the new text of the labelled piece at `index`, the text of `mention`."""
        label = mention.label
        if "\n" in piece.text:
            return piece.text
        if label in NAMES:
            return self._names.write(mention)
        if label is Label.STREET:
            return self._streets.write(mention)
        if label in PLACES:
            return self._places.write(index, piece)
        match label:
            case Label.ORG:
                return self._organisations.write(piece.text)
            case Label.EMAIL | Label.URL:
                return self._addresses.write(piece.text)
            case Label.DATE:
                return self._dates.write(piece.text)
            case Label.RELDATE:
                return temporal.other_relative_date(piece.text, self._accented, self._rng)
            case Label.AGE:
                return temporal.other_age(piece.text, self._rng, self._rates)
            case _:
                return self._numbers.write(mention)


def _noisy(pieces: Sequence[Piece], rng: SeededRandom, rates: Rates) -> list[Piece]:
    """Apply the noise of typing, printing and scanning, in that order."""
    result = list(pieces)
    if rng.once(rates.mistyped):
        result = noise.mistype(result, rng, rates)
    if rng.once(rates.unaccented):
        result = noise.drop_accents(result)
    if rng.once(rates.lowered):
        result = noise.lower_case(result)
    elif rng.once(rates.shouted):
        result = noise.upper_case(result)
    elif rng.once(rates.shouted_lines):
        result = noise.upper_case_lines(result, rng, rates)
    if rng.once(rates.spaced):
        result = layout.double_spaces(result, rng, rates)
    if rng.once(rates.squeezed):
        result = layout.drop_spaces(result, rng, rates)
    if rng.once(rates.fields_joined):
        result = layout.join_fields(result, rng)
    if rng.once(rates.fields_split):
        result = layout.split_fields(result, rng)
    if rng.once(rates.tightened):
        result = layout.drop_blank_lines(result)
    if rng.once(rates.unwrapped):
        result = layout.unwrap_lines(result)
    if rng.once(rates.wrapped):
        result = layout.wrap_lines(result, rng, rates)
    if rng.once(rates.scanned):
        result = noise.misread(result, rng, rates)
    return result
