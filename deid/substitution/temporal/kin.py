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
    rf"freres?|{SISTER}|fils|(?:sa|ses|une|deux|trois|\d|leurs?|petites?) filles?|"
    r"(?:son|ses|un|leurs?|deux|trois|quatre|\d) enfants?|maris?|epou(?:x|se)|(?:sa|ma) femme|conjointe?s?|"
    r"compagn(?:on|e)s?|oncles?|tantes?|cousine?s?|neveux?|nieces?|jum(?:eaux?|elles?)|donneu(?:r|se)|receveu(?:r|se)|"
    r"(?:sa|son|une?|ses|des) (?:voisine?s?|amie?s?|aidante?s?))\b"
)


def clause_ahead(context: DocumentContext, mention: Mention) -> str:
    """Return the folded words ahead of a mention in its clause."""
    return CLAUSE.split(context.lined[max(0, mention.start - REACH) : mention.start])[-1]


def is_of_another(context: DocumentContext, mention: Mention) -> bool:
    """Return whether the words ahead of a mention, in its clause, say that it is not the patient's.

    The text alone decides, never the patient's true age: of the ages 70 and 71 beside a patient of 72, one must not be
    drawn otherwise than the other.
    """
    return OTHERS.search(clause_ahead(context, mention)) is not None
