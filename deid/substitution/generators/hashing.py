"""`hash`: a keyed digest of the value, cut to a declared length."""

from __future__ import annotations

from deid.domain.document import Mention
from deid.french.comparison import comparable
from deid.substitution.context import Dossier
from deid.substitution.drafts import Draft

# Consonants and digits that are not mistaken for each other: a digest is never a word, a name or a number.
ALPHABET = "bcdfghjkmnpqrstvwxz23456789"


class Digest:
    """`length` characters of `ALPHABET` drawn by HMAC-SHA-256 from scope, label and value.

    Keeps which mentions of a label are equal but for case, accents and punctuation, within the scope; nothing else. A
    character holds 4.75 bits: at the default 12, two of a million values meet with probability 10⁻⁵. Without the secret
    a list of all possible values does not help, as it would against a plain hash.
    """

    def __init__(self, dossier: Dossier, *, length: int) -> None:
        self._dossier = dossier
        self._length = length

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The digest of a mention's value."""
        value = comparable(self._dossier.text(mention))
        stream = self._dossier.stream("hash", mention.label, value, str(attempt))
        return Draft("".join(stream.choice(ALPHABET) for _ in range(self._length)), "hash")
