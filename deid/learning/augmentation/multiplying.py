"""Altered copies of documents: entities first, then what is not marked, then the noise of typing and scanning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deid.config.policy import SubstitutionPolicy
from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, Label
from deid.evaluation.corpus import GoldDocument
from deid.learning.augmentation import (
    ages,
    civilities,
    fields,
    layout,
    letters,
    negatives,
    relative_dates,
    scanning,
    typos,
)
from deid.learning.augmentation.agreement import agree
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.contact import Addresses
from deid.learning.augmentation.dates import Dates
from deid.learning.augmentation.names import Names
from deid.learning.augmentation.numbers import Numbers
from deid.learning.augmentation.organisations import Organisations
from deid.learning.augmentation.pieces import Piece, assembled, cut
from deid.learning.augmentation.places import Places
from deid.learning.augmentation.rates import RATES, Rates
from deid.learning.augmentation.streets import Streets
from deid.reference.tables import packaged_tables
from deid.substitution.context import DocumentContext
from deid.substitution.names.roster import Roster

_POLICY = SubstitutionPolicy(scope="document")
_AGREES = NAMES | {Label.CITY, Label.LOC, Label.ORG}


def multiply(documents: Sequence[GoldDocument], copies: int, seed: int, rates: Rates = RATES) -> Iterator[GoldDocument]:
    """`copies` altered copies of each document: ids "name~1"…, the same author, nothing known of the patient.

    A copy keeps the labels of its document in their order; a mention that a new line break parts becomes two. The same
    documents, seed and rates give the same copies, whatever else is multiplied with them. Substituting entities and
    perturbing text as in Dai and Adel 2020 (An analysis of simple data augmentation for named entity recognition).

    Args:
        documents: annotated documents; a mention with a line break is not altered.
        copies: at least 0, per document.
        seed: names the draws.
        rates: how often each alteration happens.
    """
    for gold in documents:
        mentions = [mention for mention in gold.mentions if "\n" not in _text(gold, mention)]
        roster = Roster(DocumentContext(gold.document, mentions, _POLICY, b"augmentation"), packaged_tables().names)
        pieces = cut(gold.document.text, gold.mentions)
        for number in range(1, copies + 1):
            name = f"{gold.document.id}~{number}"
            chance = Chance(f"{seed}/{name}")
            altered = pieces
            if chance.once(rates.substituted):
                altered = _substituted(gold, pieces, roster, chance, rates)
            if chance.once(rates.respelt_negatives):
                altered = negatives.vary(altered, chance, rates)
            altered = civilities.drop(altered, chance, rates)
            yield assembled(gold, _noisy(altered, chance, rates), name)


def _text(gold: GoldDocument, mention: Mention) -> str:
    return gold.document.text[mention.start : mention.end]


def _substituted(
    gold: GoldDocument, pieces: Sequence[Piece], roster: Roster, chance: Chance, rates: Rates
) -> list[Piece]:
    """Pieces with other entities, and what grammar then asks of the words before them."""
    writer = _Writer(gold, pieces, roster, chance, rates)
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
    """Which generator writes each label of one copy."""

    def __init__(
        self, gold: GoldDocument, pieces: Sequence[Piece], roster: Roster, chance: Chance, rates: Rates
    ) -> None:
        secret = chance.randbytes(8)
        context = DocumentContext(gold.document, gold.mentions, _POLICY, secret)
        self._chance = chance
        self._rates = rates
        self._accented = context.accented
        self._names = Names(context, roster, chance, rates)
        self._places = Places(pieces, self._accented, chance, rates)
        self._streets = Streets(context, chance, rates)
        self._organisations = Organisations(self._places, self._accented, chance, rates)
        self._numbers = Numbers(context, chance, rates)
        self._addresses = Addresses(self._names.exchanged, chance, rates)
        self._dates = Dates(self._accented, chance, rates)

    def write(self, index: int, piece: Piece, mention: Mention) -> str:
        """The new text of the labelled piece at `index`, which is `mention`."""
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
                return relative_dates.other(piece.text, self._accented, self._chance)
            case Label.AGE:
                return ages.other(piece.text, self._chance, self._rates)
            case _:
                return self._numbers.write(mention)


def _noisy(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Pieces as they may look after typing, printing and scanning, in that order."""
    result = list(pieces)
    if chance.once(rates.mistyped):
        result = typos.mistype(result, chance, rates)
    if chance.once(rates.unaccented):
        result = letters.unaccented(result)
    if chance.once(rates.lowered):
        result = letters.lower(result)
    elif chance.once(rates.shouted):
        result = letters.upper(result)
    elif chance.once(rates.shouted_lines):
        result = letters.upper_lines(result, chance, rates)
    if chance.once(rates.spaced):
        result = layout.space(result, chance, rates)
    if chance.once(rates.squeezed):
        result = layout.squeeze(result, chance, rates)
    if chance.once(rates.fields_joined):
        result = fields.join(result, chance)
    if chance.once(rates.fields_split):
        result = fields.split(result, chance)
    if chance.once(rates.tightened):
        result = layout.tighten(result)
    if chance.once(rates.unwrapped):
        result = layout.unwrap(result)
    if chance.once(rates.wrapped):
        result = layout.wrap(result, chance, rates)
    if chance.once(rates.scanned):
        result = scanning.misread(result, chance, rates)
    return result
