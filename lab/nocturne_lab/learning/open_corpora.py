"""Open corpora of general French: sentences tagged with names of people, places and organisations, or parts of speech.

A corpus is a file of one JSON object per line, plain or gzipped: `tokens`, and `tags` (BIO) or `upos`. QUAERO is a
folder as it is published, in brat's standoff format. An "O" is a negative for the classes in `OpenCorpus.decides` only.
Most corpora leave dates untagged; none has ages, addresses or numbers.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deid.domain.errors import InputRefused

# https://universaldependencies.org/u/pos/
UPOS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
OUTSIDE = "O"


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """Tokens with one tag each: BIO, or a universal part of speech."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenCorpus:
    """Classes, licence and negatives of a corpus.

    `classes` maps its classes to the coarse ones of `deid.domain.labels.SCHEMES`; other classes are left out. `decides`
    are the coarse classes excluded for an untagged token. `shippable`: True if the licence allows models trained on the
    corpus to be distributed with the product; `why` gives the reason. `alike` are the licences, as the hub names them,
    that a model trained on it may leave under; empty: any, with attribution.
    """

    file: str
    licence: str
    shippable: bool
    why: str
    classes: Mapping[str, str]
    decides: frozenset[str]
    alike: frozenset[str] = frozenset()


_NONE: Mapping[str, str] = MappingProxyType({})
_NAMED = MappingProxyType({"PER": "PER", "LOC": "LOC", "ORG": "ORG"})
_DATED = MappingProxyType({**_NAMED, "DATE": "DATE"})
_SHARE_ALIKE = "share-alike: whether a model is a derived work is not settled, so it is taken to be one"

# Licences as stated by the producers or, for WikiNER, by a repository that uses it. MISC, EVENT, PRODUCT, HOUR and
# HumanProd have no coarse class: titles, events, brands and clock times are not annotated here.
CORPORA: Mapping[str, OpenCorpus] = MappingProxyType(
    {
        corpus.file: corpus
        for corpus in (
            OpenCorpus(
                "winer_fr_wikinews.jsonl.gz",
                "CC BY 4.0",
                True,
                "attribution suffices; the news are CC BY as well",
                _DATED,
                # DATE lacks "hier" and most weekdays, annotated in our documents: no negative for DATE.
                frozenset({"PER", "LOC", "ORG"}),
            ),
            OpenCorpus(
                "romans7_fr.jsonl.gz",
                "MIT",
                True,
                "the novels are in the public domain",
                _NAMED,
                frozenset({"PER", "LOC"}),  # organisations are tagged in part only
            ),
            OpenCorpus(
                "europeana_fr_bnf.jsonl.gz",
                "CC0 1.0",
                True,
                "no right is reserved",
                _NAMED,
                frozenset({"PER", "LOC", "ORG"}),
            ),
            OpenCorpus(
                "newseye_fr_hist.jsonl.gz",
                "CC BY 4.0",
                True,
                "attribution suffices; the newspapers are in the public domain",
                _NAMED,
                frozenset({"PER", "LOC", "ORG"}),
            ),
            OpenCorpus(
                "wikiner_fr_train.jsonl.gz",
                "CC BY 3.0, stated at second hand; the text is Wikipedia's, CC BY-SA",
                False,
                _SHARE_ALIKE,
                _NAMED,
                frozenset({"PER", "LOC", "ORG"}),
                frozenset({"cc-by-sa-3.0", "cc-by-sa-4.0"}),  # 3.0 allows later versions
            ),
            OpenCorpus(
                "wikineural_fr_valtest_NC.jsonl.gz",
                "CC BY-NC-SA 4.0",
                False,
                "not for commercial use, which the product cannot promise",
                _NAMED,
                frozenset({"PER", "LOC", "ORG"}),
                frozenset({"cc-by-nc-sa-4.0"}),
            ),
            OpenCorpus(
                "eltec_ner_fr.jsonl.gz",
                "CC BY-SA 4.0",
                False,
                _SHARE_ALIKE,
                _NAMED,
                frozenset({"PER", "LOC"}),
                frozenset({"cc-by-sa-4.0"}),
            ),
            OpenCorpus(
                "ud_sequoia.jsonl.gz",
                "LGPL-LR",
                False,
                "derived resources must take its licence: the model is taken to be one",
                _NONE,
                frozenset(),
                frozenset({"lgpl-lr"}),
            ),
            OpenCorpus(
                "ud_gsd_devtest.jsonl.gz",
                "CC BY-SA 4.0",
                False,
                _SHARE_ALIKE,
                _NONE,
                frozenset(),
                frozenset({"cc-by-sa-4.0"}),
            ),
        )
    }
)


# Névéol et al. 2014: titles of MEDLINE and leaflets of the EMEA, ten classes of the UMLS. Nobody is named there: an
# eponym ("maladie de Charcot") is a negative for people.
QUAERO = OpenCorpus(
    "QUAERO_FrenchMed",
    "GFDL 1.3",
    False,
    _SHARE_ALIKE,
    MappingProxyType({"GEOG": "LOC"}),
    frozenset({"PER"}),
    frozenset({"gfdl"}),
)
_BRAT = re.compile(r"T\S*\t(?P<type>\S+) (?P<places>\d+ \d+(?:;\d+ \d+)*)(?:\t.*)?")
Marks = list[tuple[int, int, str]]  # first and last offset, and BIO tag


def check_licence(names: Iterable[str], licence: str) -> None:
    """Refuse the licence of a model that learned from open corpora with another one.

    Args:
        names: files of the corpora, as `OpenCorpus.file` names them.
        licence: that of the model, as the hub names it.

    Raises:
        InputRefused: a corpus asks for another licence, or is unknown to this release.
    """
    known = {**CORPORA, QUAERO.file: QUAERO}
    if unknown := sorted(set(names) - set(known)):
        raise InputRefused(f"the licence of {', '.join(unknown)} is unknown.", "Train without it.")
    asking = [known[name] for name in names if known[name].alike]
    if against := [one for one in asking if licence not in one.alike]:
        told = ", ".join(f"{one.file} ({one.licence})" for one in against)
        may = frozenset.intersection(*(one.alike for one in asking))
        raise InputRefused(
            f"the licence {licence} contradicts that of what the model learned from: {told}.",
            f"Give --licence {' or '.join(sorted(may))}." if may else "No licence agrees with all: train without one.",
        )


def read_quaero(folder: Path) -> Iterator[tuple[str, Marks]]:
    """Yield texts in the order of their names, with the marks of `QUAERO.classes`; each part of a mention has its own.

    Raises:
        InputRefused: no `.ann` file, or one without its text, or a line that is no annotation of that text; the message
            names file and line, and quotes nothing.
    """
    found = sorted(folder.rglob("*.ann"))
    if not found:
        raise InputRefused(f"{folder.name} holds no .ann file.", "Give the folder of QUAERO as it is published (brat).")
    for path in found:
        try:
            text = path.with_suffix(".txt").read_text(encoding="utf-8")
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise InputRefused(f"{path.stem}: .txt and .ann cannot be read as UTF-8 text.") from None
        marks: Marks = []
        for number, line in enumerate(lines, start=1):
            if line.startswith("T"):
                marks += _quaero_marks(line, len(text), f"{path.name}, line {number}")
        yield text, sorted(marks)


def _quaero_marks(line: str, size: int, place: str) -> Marks:
    match = _BRAT.fullmatch(line)
    parts = [tuple(map(int, one.split())) for one in match["places"].split(";")] if match else []
    if not match or not all(start < end <= size for start, end in parts):
        raise InputRefused(f"{place}: no annotation of the text beside it.")
    return [(start, end, f"B-{match['type']}") for start, end in parts if match["type"] in QUAERO.classes]


def read_sentences(path: Path) -> Iterator[TaggedSentence]:
    """Return the sentences of a corpus file, in order.

    Raises:
        InputRefused: the file cannot be read, or a row is not a JSON object with as many tags as tokens, in BIO
            order or parts of speech; the message gives file and line, and quotes nothing.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _sentence(line, f"{path.name}, line {number}")
    except (OSError, EOFError, UnicodeDecodeError):
        raise InputRefused(f"{path.name}: the file cannot be read as UTF-8 text, gzipped where it says so.") from None


def coarse(sentence: TaggedSentence, corpus: OpenCorpus) -> tuple[str, ...]:
    """Return the BIO tags of a sentence in coarse classes; "O" for classes without a coarse one.

    An "O" is a negative for the classes of `corpus.decides` only.
    """
    return tuple(
        f"{tag[:2]}{corpus.classes[tag[2:]]}" if tag[2:] in corpus.classes else OUTSIDE for tag in sentence.tags
    )


def _sentence(line: str, place: str) -> TaggedSentence:
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        row = None
    if not isinstance(row, dict) or ("tags" in row) == ("upos" in row):
        raise InputRefused(f'{place}: not a JSON object with "tokens" and either "tags" or "upos".')
    tokens, tags = _strings(row.get("tokens")), _strings(row.get("tags", row.get("upos")))
    if not tokens or len(tokens) != len(tags):
        raise InputRefused(f"{place}: tokens and tags are not two lists of as many words.")
    if not (set(tags) <= UPOS if "upos" in row else _is_bio(tags)):
        raise InputRefused(f"{place}: a tag that is no part of speech, or no BIO tag in its place.")
    return TaggedSentence(tuple(tokens), tuple(tags))


def _strings(values: Any) -> list[str]:
    """Return the values if they are a list of words, else an empty list."""
    words = isinstance(values, list) and all(isinstance(value, str) and value for value in values)
    return values if words else []


def _is_bio(tags: list[str]) -> bool:
    """Return whether every I- continues a mention of its class."""
    before = OUTSIDE
    for tag in tags:
        if tag != OUTSIDE and (tag[:2] not in ("B-", "I-") or not tag[2:]):
            return False
        if tag.startswith("I-") and before[2:] != tag[2:]:
            return False
        before = tag
    return True
