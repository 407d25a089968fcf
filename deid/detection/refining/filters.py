"""Mentions to drop: eponyms, drugs, a hospital's own terms, results that look like dates or addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from deid.detection.annotators.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    DOUBLE_EPONYMS,
    EPONYM_CUES,
    GENERA,
    ORG_FILLERS,
    ORG_HEADS,
    ORG_PARTICLES,
    UNNAMED_BODIES,
)
from deid.detection.evidence import is_acronym
from deid.detection.known_names import LOWER_PARTICLES, PARTICLES
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import key

_CHECKED = NAMES | {Label.CITY, Label.LOC, Label.ORG}
_LINKS = PARTICLES | LOWER_PARTICLES | {"'", "-"}
_OF_MIGRAINE = re.compile(r"\b(?:migraines?|cephalees?)\b[^.,;\n]{0,30} (?:avec|sans|a) (?:l'|une |son )?\Z")
_USUAL = 20  # occurrences per million from which a word is usual
_BEHIND_ADJECTIVES = frozenset(", . ; et ou ) mais".split())
_BEFORE_PEOPLE = frozenset(
    "a avec chez d de dit et fille fils frere ma mere mon ou par pere pour que qui sa soeur son vu vue".split()
)
# Species that are written with a capital without being anyone's name: "H. Pylori".
_USUAL_SPECIES = frozenset("aeruginosa albicans aureus coli difficile epidermidis faecalis pneumoniae pylori".split())
_PATIENTS = frozenset("nourrisson nourrissons fillette patient patiente patients patientes parturiente".split())
_MAIL_LABEL = re.compile(r"mel\.? ?:? {0,3}[\w.+-]{1,64}@")
_GRADED = re.compile(r" (?:grade |stade |type )?(?:[iv]{1,3}|[1-6])\b")
_ARTICLE = re.compile(r"(?:l['’]|(?:le|la|les|un|une|du|des|d'un|d'une) )")
_SURE = 0.84  # score from which a name is no eponym ("M. Charcot")


def drop_allowed(reading: Reading, mentions: Sequence[Mention], allow: Mapping[Label, Sequence[str]]) -> list[Mention]:
    """Return the mentions except eponyms, drugs and ordinary words of a score below `_SURE`, and terms of `allow`.

    Acronyms of bodies that exist everywhere are dropped whatever their score, unless the patient or staff bears them.

    `allow` holds the policy's own terms by label.
    """
    own = {label: {key(term) for term in terms} for label, terms in allow.items()}
    return [
        mention
        for mention in mentions
        if not (mention.label in own and key(reading.text[mention.start : mention.end]) in own[mention.label])
        and not (mention.label in _CHECKED and (_is_unnamed(reading, mention) or _is_never_a_name(reading, mention)))
        and not (
            mention.label in _CHECKED
            and mention.score < _SURE
            and any(
                test(reading, mention)
                for test in (_is_drug, _is_eponym, _is_double_eponym, _is_ordinary, _is_common_noun)
            )
        )
    ]


def _is_drug(reading: Reading, mention: Mention) -> bool:
    word = reading.folded[mention.start : mention.end]
    return mention.label in NAMES and word in reading.lexicon.drugs and not reading.lexicon.is_first_name(word)


def _is_ordinary(reading: Reading, mention: Mention) -> bool:
    """True for the genus of a germ, for "marié", which its accent tells from a first name, and the aura of migraine."""
    written = reading.text[mention.start : mention.end]
    if key(written).split(" ")[0] in GENERA or written.casefold() in ("marié", "mariée"):
        return True
    return (
        written.casefold() == "aura"
        and _OF_MIGRAINE.search(reading.folded, max(0, mention.start - 60), mention.start) is not None
    )


def _is_never_a_name(reading: Reading, mention: Mention) -> bool:
    """True, however sure, for a germ, a graded double eponym, the label of an e-mail, and a word for a patient."""
    words = [reading.words[at] for at in reading.tokens(mention) if reading.words[at].isalpha()]
    if any(vote.annotator == "identity" for vote in mention.votes) or not words:
        return False
    if _GRADED.match(reading.folded, mention.end) and _is_double_eponym(reading, mention):
        return True
    if _MAIL_LABEL.match(reading.folded, mention.start):
        return True
    first = reading.token_at(mention.start)
    if reading.word(first - 1 - (reading.word(first - 1) == ".")) in CIVILITIES | DOCTOR_TITLES:
        return False
    if mention.label in NAMES and len(words) == 1 and _is_quality(reading, first):
        return True
    return _PATIENTS.issuperset(words) or _is_species(reading, mention, words)


def _is_quality(reading: Reading, index: int) -> bool:
    """True for an adjective in lower case within a sentence that has capitals: "un nouveau-né rose, tonique"."""
    word, lexicon = reading.words[index], reading.lexicon
    if not reading.surface(index).islower() or reading.lowered(index) or len(word) < 4:
        return False
    usual = lexicon.common.get(word, 0.0) >= _USUAL and "ADJ" in lexicon.parts.get(word, "").split("|")
    before, after = reading.word(index - 1), reading.word(index + 1)
    return usual and before.isalpha() and before not in _BEFORE_PEOPLE and after in _BEHIND_ADJECTIVES


def _is_species(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for a germ by genus and species: "Candida Albicans", "P. aeruginosa"."""
    clinical, genus, species = reading.lexicon.clinical, words[0], words[-1]
    if len(words) != 2 or "germ" not in clinical.get(species, "") or reading.lexicon.is_surname(species):
        return False
    small = not reading.capitals[reading.token_at(mention.end - 1)]
    abbreviated = len(genus) == 1 and reading.folded[mention.start + 1] == "." and (small or species in _USUAL_SPECIES)
    return abbreviated or genus in GENERA or "germ" in clinical.get(genus, "")


def _is_unnamed(reading: Reading, mention: Mention) -> bool:
    """True for the acronym of a body that exists everywhere, in capitals: "MDPH", "S.M.R.", "ARM07"."""
    written = reading.text[mention.start : mention.end].replace(".", "").rstrip("0123456789")
    return (
        written.isupper()
        and written.lower() in UNNAMED_BODIES
        and all(vote.annotator != "identity" for vote in mention.votes)
    )


def _is_common_noun(reading: Reading, mention: Mention) -> bool:
    """True for the kind of an organisation that no name follows: "centre de santé", "clinique ORL", "hospice de"."""
    head, *others = reading.tokens(mention)
    if mention.label is not Label.ORG or reading.capitals[head] or reading.lowered(head):
        return False
    return reading.words[head] in ORG_HEADS and all(
        is_acronym(reading, at)
        or (
            not reading.capitals[at]
            and (reading.words[at] in ORG_PARTICLES | ORG_FILLERS or reading.words[at] in reading.lexicon.medical)
        )
        for at in others
    )


def _is_double_eponym(reading: Reading, mention: Mention) -> bool:
    """True for an eponym of two people, such as "Cheyne-Stokes"."""
    name = _ARTICLE.sub("", reading.folded[mention.start : mention.end])
    return "-" in name and (name in DOUBLE_EPONYMS or key(name) in reading.lexicon.double_eponyms)


def _is_eponym(reading: Reading, mention: Mention) -> bool:
    """True if the mention stands behind a word for a disease, sign, score or device."""
    first = reading.token_at(mention.start)
    at = first - 1
    while at >= 0 and first - at < 5 and reading.words[at] in _LINKS:
        at -= 1
    return at >= 0 and reading.words[at] in EPONYM_CUES


# Results, ratios and emergency numbers that look like dates, values that look like addresses; civilities before names.

_RATIO = re.compile(r"\d{1,2}\s?/\s?\d{1,2}")
_EMERGENCY = re.compile(r"(?:15|17|18|112|114|115|119)")
_CALLED = re.compile(r"(?:appel\w*|compos\w*|contact\w*|alert\w*|joind\w*|fait) (?:fait )?le $")
_CALLS = re.compile(r"\s(?:a ete (?:appele|contacte|joint|alerte|prevenu)|rappelle|envoie|regule|a envoye)")
_SURE_DATE = 0.9
# A value at a setting, and the remote monitoring of pacemakers
_SETTING = re.compile(
    r"[<>~+-]?\d+(?:[.,]\d+)?\s?[^\W\d_]{0,4}°?\s?@\s?\d+(?:[.,]\d+)?\s?(?:[^\W\d_]{1,4}|[°%])?|merlin\s?@\s?home"
)
# Civilities; "M." is left out, since it may be an initial.
# "Mme M.A. 4 ème geste": the rank of a pregnancy beside initials.
_RANK, _RANKS = re.compile(r"(?<=[a-z.]) \d{1,2}\Z"), re.compile(r" ?i?e(?:me)?s?\b")
_CIVILITY = re.compile(r"(?:mmes?\.?|mlles?|melles?|messieurs|mesdames|drs\.?) ")


def drop_lookalikes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions except results taken for dates, and values at a setting ("1V@0.5ms") taken for addresses."""
    return [
        one
        for one in mentions
        if not (one.label is Label.DATE and _is_lookalike(reading, one))
        and not (one.label is Label.EMAIL and _SETTING.fullmatch(reading.folded, one.start, one.end))
    ]


def trim_civilities(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, names without a civility ("Mmes"), as the annotation guide asks, or a rank ("M.A. 4").

    "M." alone is dropped before another name.
    """
    starts = {reading.token_at(one.start) for one in mentions if one.label in NAMES}
    trimmed = []
    for mention in mentions:
        if reading.folded[mention.start : mention.end] in ("m", "m.") and mention.label in NAMES:
            behind = reading.token_at(mention.end - 1) + 1
            if behind in starts or (reading.word(behind) == "." and behind + 1 in starts):
                continue
        opens = mention.label in NAMES and _CIVILITY.match(reading.folded, mention.start, mention.end)
        if opens and opens.end() < mention.end:
            mention = replace(mention, start=opens.end())
        rank = mention.label in NAMES and _RANK.search(reading.folded, mention.start, mention.end)
        if rank and _RANKS.match(reading.folded, mention.end):
            mention = replace(mention, end=rank.start())
        trimmed.append(mention)
    return trimmed


def _is_lookalike(reading: Reading, mention: Mention) -> bool:
    text = reading.folded
    surface = text[mention.start : mention.end]
    before, after = text[max(0, mention.start - 40) : mention.start], mention.end
    if _EMERGENCY.fullmatch(surface):
        return bool(_CALLED.search(before) or (before.endswith("le ") and _CALLS.match(text, after)))
    if _RATIO.fullmatch(surface) and mention.score < _SURE_DATE:
        return not any(one.label is Label.DATE for one in reading.overlapping("patterns", mention))
    return False
