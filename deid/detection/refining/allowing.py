"""Allow-list: eponyms, drugs, scores and a hospital's own terms that must stay ("maladie de Charcot")."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from deid.detection.annotators.context.vocabulary import DOUBLE_EPONYMS, EPONYM_CUES, GENERA
from deid.detection.names import LOWER_PARTICLES, PARTICLES
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import key

_CHECKED = NAMES | {Label.CITY, Label.LOC, Label.ORG}
_LINKS = PARTICLES | LOWER_PARTICLES | {"'", "-"}
_ARTICLE = re.compile(r"(?:l['’]|(?:le|la|les|un|une|du|des|d'un|d'une) )")
_SURE = 0.84  # a title before a name outweighs the list: "M. Charcot" goes


def drop_allowed(reading: Reading, mentions: Sequence[Mention], allow: Mapping[Label, Sequence[str]]) -> list[Mention]:
    """Mentions without those that the list allows; a sure announcement ("Dr", "Mme") overrules the built-in list.

    `allow` holds a policy's own terms per label, which nothing overrules.
    """
    own = {label: {key(term) for term in terms} for label, terms in allow.items()}
    return [
        mention
        for mention in mentions
        if not _listed(reading, mention, own)
        and not (
            mention.label in _CHECKED
            and mention.score < _SURE
            and (
                _drug(reading, mention)
                or _eponym(reading, mention)
                or _double_eponym(reading, mention)
                or _ordinary(reading, mention)
            )
        )
    ]


def _listed(reading: Reading, mention: Mention, own: Mapping[Label, set[str]]) -> bool:
    terms = own.get(mention.label)
    return terms is not None and key(reading.text[mention.start : mention.end]) in terms


def _drug(reading: Reading, mention: Mention) -> bool:
    word = reading.folded[mention.start : mention.end]
    return mention.label in NAMES and word in reading.lexicon.drugs and not reading.lexicon.is_first_name(word)


def _ordinary(reading: Reading, mention: Mention) -> bool:
    """Whether the mention is a germ's genus, or a marital status that its accent tells from a first name."""
    written = reading.text[mention.start : mention.end]
    return key(written).split(" ")[0] in GENERA or written.casefold() in ("marié", "mariée")


def _double_eponym(reading: Reading, mention: Mention) -> bool:
    """Whether the mention is the name of two who described one thing: nobody is called "Cheyne-Stokes"."""
    name = _ARTICLE.sub("", reading.folded[mention.start : mention.end])
    return "-" in name and (name in DOUBLE_EPONYMS or key(name) in reading.lexicon.double_eponyms)


def _eponym(reading: Reading, mention: Mention) -> bool:
    """Whether the words before it make the mention part of the name of a disease, sign, score or device."""
    first = reading.token_at(mention.start)
    at = first - 1
    while at >= 0 and first - at < 5 and reading.words[at] in _LINKS:
        at -= 1
    return at >= 0 and reading.words[at] in EPONYM_CUES
