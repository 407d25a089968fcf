"""Do the written forms of a person agree after substitution? Read from the mentions alone, whatever drew the names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from deid.domain.document import Document, Patient, Surrogate
from deid.domain.labels import NAMES, Label
from deid.quality.words import fold

# Civilities, roles and particles, which stay or go beside a name.
_BESIDE = frozenset(
    "m mm mr mme mmes mlle mlles monsieur madame mademoiselle messieurs mesdames dr drs docteur docteure pr prs prof "
    "professeur professeure maitre me interne externe bebe feu feue infirmier infirmiere de du des d la le les l et ou "
    "y e dit dite alias nee ne ep epouse ex veuve vve van von der den dem di da do dos das del della delle degli el al "
    "ben bin bint ait ould abu mc o zu zum ter lo".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ELIDED = re.compile(r"\b[dDlL]['’]")
_MOST_INITIALS = 2  # letters of a writer's mark ("YD/cc"), which is of somebody else in each document
_INITIALS = re.compile(r"[A-Z](?:[.\- ]{0,2}[A-Z]){1,3}\.?")


class Form(NamedTuple):
    """A word of a name: of the patient by the warehouse or of somebody else, folded, and what it became."""

    own: bool
    word: str
    drawn: str


def forms(document: Document, surrogates: Iterable[Surrogate]) -> Iterator[Form]:
    """Yield the words of names whose surrogate has as many words."""
    own = _own_words(document.patient)
    for one in surrogates:
        if one.mention.label not in NAMES:
            continue
        pairs = paired_words(document, one)
        of_patient = one.mention.label is not Label.DOCTOR or own.issuperset(word for word, _ in pairs)
        for word, name in pairs:
            yield Form(of_patient and word in own, word, name)


def paired_words(document: Document, one: Surrogate) -> Sequence[tuple[str, str]]:
    """Return the words of a name with those of its surrogate; empty where there are not as many."""
    original, drawn = (name_words(text) for text in (original_text(document, one), one.text))
    return list(zip(original, drawn, strict=True)) if len(original) == len(drawn) else []


def count_disagreements(document: Document, surrogates: Sequence[Surrogate]) -> int:
    """Count the names and initials of a document that disagree with the others of their bearer in it.

    Of several surrogates of a word, the one that most of its forms have is taken for right, the first one of as many.
    """
    found = list(forms(document, surrogates))
    most = most_drawn(found)
    differing = sum(
        form.drawn != most[form.own, form.word] for form in found if form.own or len(form.word) > _MOST_INITIALS
    )
    return differing + sum(agrees is False for agrees in judge_initials(document, surrogates))


def most_drawn(found: Iterable[Form]) -> Mapping[tuple[bool, str], str]:
    """The surrogate that most forms of each word have."""
    drawn: dict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    for own, word, name in found:
        drawn[own, word][name] += 1
    return {key: names.most_common(1)[0][0] for key, names in drawn.items()}


def judge_initials(document: Document, surrogates: Sequence[Surrogate]) -> Iterator[bool | None]:
    """Yield whether initials written in groups are those of somebody's surrogate; None where nobody has them."""
    people = list(_named(document, surrogates))
    for one in surrogates:
        original = original_text(document, one).strip()
        if one.mention.label not in NAMES or _INITIALS.fullmatch(original) is None:
            continue
        letters, drawn = (re.sub(r"[^A-Z]", "", text) for text in (original, one.text))
        expected = {
            "".join(to[at] for at in order)
            for of, to in people
            for order in _orders(len(of))
            if "".join(of[at] for at in order) == letters
        }
        yield (drawn in expected) if expected else None


def _named(document: Document, surrogates: Iterable[Surrogate]) -> Iterator[tuple[str, str]]:
    """Yield the initials of those named in full, before and after."""
    for one in surrogates:
        if one.mention.label in NAMES:
            original, drawn = (name_words(text) for text in (original_text(document, one), one.text))
            if 1 < len(original) == len(drawn) < 5:
                yield tuple("".join(word[0] for word in words).upper() for words in (original, drawn))  # type: ignore[misc]


def _orders(length: int) -> Iterator[tuple[int, ...]]:
    """Yield the orders in which initials are written: as the name, the last word first, two of the words."""
    whole = tuple(range(length))
    yield whole
    yield (*whole[1:], 0)
    yield (length - 1, *whole[:-1])
    if length > 2:
        yield (0, length - 1)
        yield (length - 1, 0)
        yield (0, 1)


def _own_words(patient: Patient) -> frozenset[str]:
    return frozenset(word for name in patient.names for word in name_words(name))


def original_text(document: Document, one: Surrogate) -> str:
    """Return the words that a surrogate replaces."""
    return document.text[one.mention.start : one.mention.end]


def name_words(text: str) -> Sequence[str]:
    """Return the folded words of two letters and more of a name, without what may stand beside it."""
    found = (fold(re.sub("['’]", "", word)) for word in _WORD.findall(_ELIDED.sub("", text)))
    return [word for word in found if len(word) > 1 and word not in _BESIDE]
