"""Words ahead of a mention that say that it is told of another person than the patient."""

from __future__ import annotations

import re

from deid.domain.document import Mention
from deid.substitution.context import DocumentContext

CLAUSE = re.compile(r"[.;:\n]")
REACH = 60  # characters ahead of an age in which its clause is looked for
SISTER = "s(?:oe|o|œ)urs?"
OTHERS = re.compile(
    rf"\b(?:(?:grand|beau|belle|demi)s?[- ]?(?:pere|mere|frere|{SISTER}|fils|fille|parents?)|peres?|meres?|parents?|"
    rf"freres?|{SISTER}|fils|(?:sa|ses|une|deux|trois|\d|leurs?) (?:petites? |jeunes? )?filles?|petites?-filles?|"
    r"(?:son|ses|un|leurs?|deux|trois|quatre|\d) enfants?|maris?|epou(?:x|se)|(?:sa|ma) femme|conjointe?s?|"
    r"compagn(?:on|e)s?|oncles?|tantes?|cousine?s?|neveux?|nieces?|jum(?:eaux?|elles?)|donneu(?:r|se)|receveu(?:r|se)|"
    r"(?:sa|son|une?|ses|des) (?:voisine?s?|amie?s?|aidante?s?))\b"
)


# A death told of somebody, ahead of an age at it, is not the patient's where its sentence names another person first.
_DEATH = re.compile(r"\b(?:deced|dcd\b|mort|suicid|tuee?\b|noyee?\b)")
_DEATH_REACH = 200
_SENTENCE = re.compile(r"[.;](?!\d)|\n")
_PATIENT_AGAIN = re.compile(r"\b(?:patiente?|(?:lui|elle)-meme|(?:il|elle)(?! y)|monsieur|madame|mr|mme)\b")
# "mère : 53 ans", "deux fils : Paul, 38 ans": the colon goes on with the person, unless it opens an identity with a
# birth date, as that of a woman in labour.
_PERSON_COLON = re.compile(rf"(?:{OTHERS.pattern})(?: [a-z-]+| \([^()]*\))? ?$")
_BORN_ON = re.compile(r"\bnee? le\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b")


# An age at another time than the document's, of somebody whom a long sentence names far ahead of it.
_AT_AGE = re.compile(r"\b(?:a|vers|l'age de)\s$")
_CHILD_AGAIN = re.compile(
    rf"{_PATIENT_AGAIN.pattern}|\b(?:enfant|nourrisson|bebe|garcon|fillette|adolescente?|jeune)\b"
)


def clause_ahead(context: DocumentContext, mention: Mention) -> str:
    """Return the folded words ahead of a mention in its clause."""
    return last_clause(context.lined[max(0, mention.start - REACH) : mention.start])


def last_clause(ahead: str) -> str:
    """Return the end of folded words that is one clause: a colon behind a person does not end it."""
    start = 0
    for end in CLAUSE.finditer(ahead):
        goes_on = end.group() == ":" and _PERSON_COLON.search(ahead, start, end.start())
        if not goes_on or _BORN_ON.search(ahead, end.end()):
            start = end.end()
    return ahead[start:]


def _is_of_one_ahead(context: DocumentContext, mention: Mention) -> bool:
    """Return whether an age at a death or another time is of a person whom its sentence names ahead, and no patient."""
    ahead = _SENTENCE.split(context.lined[max(0, mention.start - _DEATH_REACH) : mention.start])[-1]
    end = max((one.start() for one in _DEATH.finditer(ahead)), default=0)
    again = _PATIENT_AGAIN if end else _CHILD_AGAIN
    people = list(OTHERS.finditer(ahead, 0, end or len(ahead))) if end or _AT_AGE.search(ahead) else []
    return bool(people) and not again.search(ahead, people[-1].end())


def is_of_another(context: DocumentContext, mention: Mention) -> bool:
    """Return whether the words ahead of a mention, in its clause, say that it is not the patient's.

    The text alone decides, never the patient's true age: of the ages 70 and 71 beside a patient of 72, one must not be
    drawn otherwise than the other.
    """
    return OTHERS.search(clause_ahead(context, mention)) is not None or _is_of_one_ahead(context, mention)
