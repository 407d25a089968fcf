"""Signs of a person or place in a text in which nothing was found."""

from __future__ import annotations

import re

from deid.quality.expressions import is_expression
from deid.quality.words import WORD, borne_names, fold, germs, is_word

_SIGNS = re.compile(
    r"(?i:\b(?:mr|mme|mlle|dr|monsieur|madame|mademoiselle|docteur|professeur)\b\.?[^\S\n][^\W\d_]{2,})"
    r"|\b(?:M|Pr|PR|Dr|DR|Mme|MME)\.? [A-ZÀ-ÖØ-Þ]|(?i:\bnée? (?:le|à)\b(?! terme| \d))|(?i:\bn[ée]e? (?:le|a|à) "
    r"(?!\d{1,2} ?(?:(?:\+ ?\d ?)?(?:sa|sem\w*)|h(?: ?\d\d)?)\b)\d)"
    r"|(?im:^[^\w\n]{0,8}(?:nom|pr[ée]noms?|adresse|t[ée]l|ipp|nda|n[°o] ?s[ée]cu|patiente?|m[ée]decin|destinataire|"
    r"signé)\b[^\n:]{0,25}:)|(?i:\b(?:chu|chr|h[ôo]pital|clinique|ehpad|r[ée]sidence)\b) (?:de |du |d')?[A-ZÀ-ÖØ-Þ]"
    r"|[a-zà-öø-ÿ]{2}[A-ZÀ-ÖØ-Þ][^\W\d_]{3}"
)
_CAPITAL_INSIDE = re.compile(r"(?<=[a-zà-öø-ÿ,] )[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]{2,}")
# An abbreviation and the words whose initials it is: "CADASIL (Cerebral Autosomal …)". Three letters may be someone's.
_SPELT_OUT = re.compile(r"\b([A-Z]{4,10}) ?\(([^()\n]{10,160})\)")
_GENUS = re.compile(r"nocardia|escherichia|\w+(?:ium|oides|coccus|bacter|bacillus|monas|myces|plasma|spora)")
# The Latin name of a species behind that of a genus: "Sporothrix schenckii".
_SPECIES = re.compile(r" ([a-z]{3,}(?:ii|um|us|is|ae|ans|ens|osa|ica|ana|ina))\b")
_CONTINENTS = frozenset("afrique amerique antarctique asie europe eurasie oceanie".split())
_IN_RESULTS = re.compile(r"\d, \Z")  # "NUS 60, Prot 8"
_ALONE = re.compile(
    r"^[ \t]{0,8}[A-ZÀ-ÖØ-Þ][\w'’.\-]{0,40}(?:[ \t]{1,4}[A-ZÀ-ÖØ-Þ][\w'’.\-]{0,40}){1,3}[ \t]{0,8}$", re.MULTILINE
)


def points_at_someone(text: str) -> bool:
    """Return whether a text holds a title, a field of identity, a place of care, or a word that may be a name.

    A word may be a name if it stands with a capital inside a sentence, in a line of names only, or in a text all in
    capitals or all without, and is neither a word of French, nor a term of medicine, nor in an expression such as
    "maladie de …" or "membrane de …", nor a continent, nor the genus of a germ, nor in the words that an abbreviation
    stands for.
    """
    if _SIGNS.search(text):
        return True
    if any(_may_be_a_name(text, match) for match in _CAPITAL_INSIDE.finditer(_without_expansions(text))):
        return True
    return any(
        len(word) > 2 and not is_word(fold(word)) for line in _ALONE.findall(text) for word in WORD.findall(line)
    )


def _without_expansions(text: str) -> str:
    """Return `text` with blanks for an abbreviation and its expansion in brackets; the same length."""

    def blank(match: re.Match[str]) -> str:
        capitals = "".join(filter(str.isupper, match[2]))
        return " " * len(match.group()) if capitals == match[1] else match.group()

    return _SPELT_OUT.sub(blank, text)


def _may_be_a_name(text: str, word: re.Match[str]) -> bool:
    """Return whether a word with a capital inside a sentence is no word, germ or eponym."""
    bare = fold(word.group())
    if is_word(bare) or bare in germs() or bare in _CONTINENTS or _GENUS.fullmatch(bare):
        return False
    before, after = fold(text[max(0, word.start() - 60) : word.start()]), fold(text[word.end() : word.end() + 30])
    species = _SPECIES.match(after)
    if species and not is_word(species[1]) and species[1] not in borne_names():
        return False
    if _IN_RESULTS.search(before) and re.match(r" \d", after):
        return False
    return not is_expression(text, word.start(), word.end())
