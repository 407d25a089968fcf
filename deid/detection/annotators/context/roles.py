"""Who a name stands for, decided once per document: the patient, a professional or someone else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from deid.detection.annotators.context.vocabulary import KINSHIP, PROFESSIONS
from deid.detection.known_names import PARTICLES
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import key


def settle(reading: Reading, mentions: Iterable[Mention]) -> Iterator[Mention]:
    """The mentions, with names that only a civility announced given the role their document gives them."""
    found = list(mentions)
    roles = _roles(reading, found)
    patient_known = any(label is Label.PATIENT for label in roles.values())
    for mention in sorted(found, key=lambda one: one.start):
        if mention.label is not Label.PERSON or mention.label not in NAMES or not _civil(reading, mention):
            yield mention
            continue
        known = [roles[word] for word in _words(reading, mention) if word in roles]
        if known:
            yield replace(mention, label=known[0])
        elif _profession_follows(reading, mention):
            yield replace(mention, label=Label.DOCTOR)
        elif not patient_known and not _kin_near(reading, mention):
            patient_known = True
            roles.update(dict.fromkeys(_words(reading, mention), Label.PATIENT))
            yield replace(mention, label=Label.PATIENT)
        else:
            yield mention


def _words(reading: Reading, mention: Mention) -> list[str]:
    return [
        word
        for word in key(reading.text[mention.start : mention.end]).split()
        if len(word) > 2 and word not in PARTICLES
    ]


def _roles(reading: Reading, mentions: list[Mention]) -> dict[str, Label]:
    """Word of a name → the role that sure announcements give it most often."""
    counts: dict[str, Counter[Label]] = {}
    for mention in mentions:
        if mention.label in (Label.PATIENT, Label.DOCTOR) and mention.score >= 0.8:
            for word in _words(reading, mention):
                counts.setdefault(word, Counter())[mention.label] += 1
    for name in reading.document.patient.names:
        for word in key(name).split():
            if len(word) > 2:
                counts.setdefault(word, Counter())[Label.PATIENT] += 3
    return {word: count.most_common(1)[0][0] for word, count in counts.items()}


def _civil(reading: Reading, mention: Mention) -> bool:
    """Whether a civility or a birth word announced the mention."""
    index = reading.token_at(mention.start)
    before = [reading.word(back) for back in range(index - 2, index)]
    return any(
        word
        in (
            "mme",
            "m",
            "mr",
            "madame",
            "monsieur",
            "mlle",
            "melle",
            "mademoiselle",
            "nee",
            "ep",
            "epouse",
            "ne",
            "veuve",
            "vve",
            "epse",
        )
        for word in before
    )


def _profession_follows(reading: Reading, mention: Mention) -> bool:
    index = reading.token_at(mention.end - 1) + 1
    if reading.word(index) not in (",", "(", "-", "–"):
        return False
    return (
        any(reading.word(at) in PROFESSIONS for at in (index + 1, index + 2)) and reading.word(index + 1) not in KINSHIP
    )


def _kin_near(reading: Reading, mention: Mention) -> bool:
    index = reading.token_at(mention.start)
    return any(reading.word(back) in KINSHIP for back in range(index - 6, index))
