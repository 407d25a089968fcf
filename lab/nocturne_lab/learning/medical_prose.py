"""Published prose as training text: what names nobody in it, with invented identities planted.

    python -m nocturne_lab.learning.medical_prose TEXTS OUT --without benchmarks/case_reports.documents.csv [--general]

`TEXTS` is a folder with the files of `SOURCES`, with `--general` of `GENERAL` too; `OUT` becomes a folder of annotated
documents, for a training beside `corpus/train`. Articles that `--without` lists are left out: precision is judged on
them.

A sentence is left out if the default detector finds in it what may be right: a name, place or organisation that it is
sure of or that a cue announces, or a doubtful age or date; and if a country or a town abroad stands in it. Ages and
dates that it is sure of keep their labels. What else it finds is wrong, since nobody's numbers and names stand there:
taggers unlearn it.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import lzma
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from deid.config import policy
from deid.detection import Detector
from deid.detection.lookup.lexicon import gazetteers, lexicon
from deid.domain.document import Document, Mention
from deid.domain.labels import NAMES, PLACES, TEMPORAL, Label
from deid.french.folding import fold
from deid.reference.packaged import packaged_rows
from nocturne_lab.evaluation.markup import write_marked
from nocturne_lab.learning.augmentation.pools import first_name_pool, surname_pool, town_pool
from nocturne_lab.learning.augmentation.rates import SeededRandom

T = TypeVar("T")

# File → most articles read, of texts whose licence lets a trained model be distributed (CC BY, CC BY-SA): the leaflets
# are not for commercial use.
SOURCES = {
    "medical_cases_pamj_ccby.jsonl.xz": 2000,
    "medical_cases_casimedicos_ccby.txt.xz": 2000,
    "medical_abstracts_morfitt_ccbysa.txt.xz": 600,
}
# The same of modern prose that is not medical and names no organisation: public sheets, agreements, spoken sentences.
GENERAL = {
    "admin_service_public_mit.txt.xz": 600,
    "law_kali_conventions_apache2.txt.xz": 150,
    "general_commonvoice_cc0.txt.xz": 300,
}
_LINES = 30  # of such an article: a paragraph or a sentence each
_SENTENCE = re.compile(r"(?<=[.?!])(?<!\W[A-Z]\.)(?<!Dr\.)(?<!Pr\.)(?<!Mr\.)\s+(?=[A-ZÀ-Ý])")
_RESERVED = re.compile(r"\[\[|\]\]|\|")
_SURE, _LIKELY = 0.9, 0.8  # probabilities from which an age or date, and from which a name, is taken to be right
_ANNOUNCED = re.compile(
    r"(?<![^\W\d_])(?:M|Mr|Mme|Mlle|Dr|Pr|Prof|Monsieur|Madame|Docteur|Professeur|CHU|CHR|CHRU|CH|CHP|EPS|Université|"
    r"Faculté|Institut|Laboratoire|Hôpital|Ecole|École|Société|hôpital|clinique|université|faculté|institut|centre|"
    r"hospitalier|laboratoires?|société|ville|région|province|village|et al)(?![^\W\d_])\.? +(?=[A-ZÀ-Ý])|"
    r"(?<![^\W_])[A-Z]\. ?[A-Z](?![^\W\d_])|et al\b"
)
_INSIDE = re.compile(r"(?<=[\w,)] )[A-ZÀ-Ý][a-zà-ÿ]{2,}(?:-[A-ZÀ-Ý][a-zà-ÿ]+)*")
_SENTENCES = 14  # of a document
_WORDED = NAMES | PLACES | {Label.ORG}


class Marked(NamedTuple):
    """A sentence with its labelled mentions, and whether the detector was wrong in it."""

    text: str
    mentions: tuple[Mention, ...]
    hard: bool

    def __str__(self) -> str:
        return write_marked(self.text, self.mentions)


def articles(folder: Path, without: frozenset[str]) -> Iterator[Document]:
    """Yield the articles of `SOURCES` but those left out, each with the identifier that `without` lists."""
    for name, most in SOURCES.items():
        with lzma.open(folder / name, "rt", encoding="utf-8") as lines:
            for line in islice(lines, most):
                record = json.loads(line) if ".jsonl" in name else {"text": line.rstrip("\n")}
                known = record.get("doi") or f"casimedicos-{hashlib.sha256(record['text'].encode()).hexdigest()[:16]}"
                if known not in without and not _RESERVED.search(record["text"]):
                    yield Document(known, record["text"])


def general_articles(folder: Path) -> Iterator[Document]:
    """Yield passages of neighbouring lines of `GENERAL`, drawn evenly over each file."""
    for name, most in GENERAL.items():
        with lzma.open(folder / name, "rt", encoding="utf-8") as lines:
            passages = [*batched((line.rstrip("\n") for line in lines), _LINES)]
        for at in range(0, len(passages), max(1, len(passages) // most)):
            text = " ".join(line if line.endswith((".", "?", "!")) else line + "." for line in passages[at])
            if not _RESERVED.search(text):
                yield Document(f"{name.partition('.')[0]}-{at}", text)


def kept_sentences(document: Document, mentions: Sequence[Mention]) -> Iterator[Marked]:
    """Yield the sentences of an article in which nothing is named, with the ages and dates that are certain."""
    start = 0
    for text in _SENTENCE.split(document.text):
        start = document.text.index(text, start)
        own = [one for one in mentions if one.start < start + len(text) and start < one.end]
        inside = all(start <= one.start and one.end <= start + len(text) for one in own)
        named = _ANNOUNCED.search(text) or _names_place(text)
        if inside and not named and not any(_may_be_right(document.text, one) for one in own):
            labelled = [one for one in own if one.label in TEMPORAL]
            moved = tuple(Mention(one.start - start, one.end - start, one.label) for one in labelled)
            yield Marked(text, moved, len(labelled) < len(own))
        start += len(text)


def _names_place(text: str) -> bool:
    """Return whether a word with a capital inside a sentence is a country, a region or a town abroad, and no eponym."""
    words = {fold(word) for word in _INSIDE.findall(text)}
    return bool(words & _places() - lexicon().eponyms)


@cache
def _places() -> frozenset[str]:
    tables = ("territories", "towns_abroad")
    return frozenset(fold(row["name"]) for table in tables for row in packaged_rows(table))


def _may_be_right(text: str, mention: Mention) -> bool:
    if mention.label in TEMPORAL:
        return mention.score < _SURE
    if mention.label not in _WORDED:
        return False
    towns = (gazetteers().towns(fold(word)) for word in text[mention.start : mention.end].split())
    return mention.score >= _LIKELY or any(towns)


# Identities: the names are altered again in each copy of a training.
_SUBJECT = re.compile(r"(?<![^\W\d_])(?P<of>Le|La|Un|Une|le|la) (?:patiente?|malade)(?![^\W\d_])")
_PLANTED = (
    "Vu avec le Dr {DOCTOR}.", "Avis de {DOCTOR} demandé.", "Adressé par le Dr {DOCTOR}, {CITY}.",
    "Relu par {DOCTOR}.", "Prélèvement : {FIRST}.", "Pr {DOCTOR} prévenu.", "Accompagné de sa fille {PERSON}.",
    "Sa femme, {PERSON}, confirme.", "Habite {CITY}.", "Opéré par {DOCTOR} à {CITY}.", "Suivi par {DOCTOR}, accord.",
    "{DOCTOR} d'accord avec le protocole.", "Appel de {FIRST} (IDE).", "Contact : {PERSON}, son fils.",
)  # fmt: skip
_INSERTED = (" (Dr {DOCTOR})", " (vu avec {DOCTOR})", ", selon {DOCTOR}", " ({FIRST})", " par {DOCTOR}")


def planted(sentences: Sequence[Marked], rng: SeededRandom) -> str:
    """Return a document of these sentences, marked, in which a third receives an invented person or town."""
    patient = f"[[PATIENT|{_surname(rng)}]]"
    lines = []
    for sentence in sentences:
        text, chance = str(sentence), rng.random()
        if chance < 0.1:
            civility = "Mme" if re.search(r"patiente|(?<!\w)[Ll]a malade", text) else rng.choice(("M.", "Monsieur"))
            text = _SUBJECT.sub(f"{civility} {patient}", text, count=1)
        elif chance < 0.22 and text.endswith("."):
            text = text[:-1] + _filled(rng.choice(_INSERTED), rng) + "."
        elif chance < 0.36:
            text = f"{text} {_filled(rng.choice(_PLANTED), rng)}"
        lines.append(text)
    return rng.choice(("\n", " ", " ", "\n\n")).join(lines) + "\n"


def _filled(template: str, rng: SeededRandom) -> str:
    first = rng.choice(first_name_pool()[rng.choice("FM"), False])
    name = rng.choice((_surname(rng), f"{first} {_surname(rng)}", f"{first[0]}. {_surname(rng)}"))
    return template.format(
        DOCTOR=f"[[DOCTOR|{name}]]",
        PERSON=f"[[PERSON|{rng.choice((first, f'{first} {_surname(rng)}'))}]]",
        FIRST=f"[[DOCTOR|{first}]]",
        CITY=f"[[CITY|{rng.choice(town_pool().all).name}]]",
    )


def _surname(rng: SeededRandom) -> str:
    name = rng.choice(surname_pool().real)
    return name.upper() if rng.once(0.3) else name


def build(documents: Iterable[Document], words: int, seed: int) -> Iterator[str]:
    """Yield marked documents of at most `words` words in all: every article where the detector was wrong first."""
    detector = Detector(policy.load())
    plain: list[list[Marked]] = []
    hard: list[list[Marked]] = []
    for batch in batched(documents, 64):
        for document, mentions in zip(batch, detector.detect(batch), strict=True):
            sentences = [*kept_sentences(document, mentions)]
            for first in range(0, len(sentences), _SENTENCES):
                part = sentences[first : first + _SENTENCES]
                (hard if any(one.hard for one in part) else plain).append(part)
    rng = SeededRandom(f"{seed}")
    rng.shuffle(plain)
    for part in (*hard, *plain):
        if words > 0:
            words -= sum(len(one.text.split()) for one in part)
            yield planted(part, rng)


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items, the last one shorter."""
    stream = iter(items)
    while batch := [*islice(stream, size)]:
        yield batch


def main() -> int:
    """Write the documents; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--without", type=Path, required=True, help="CSV file with a column `document`")
    parser.add_argument("--words", type=int, default=150_000)
    parser.add_argument("--general", action="store_true", help="as many words of the files of GENERAL too")
    parser.add_argument("--seed", type=int, default=2026)
    given = parser.parse_args()
    with given.without.open(encoding="utf-8", newline="") as rows:
        without = frozenset(row["document"] for row in csv.DictReader(rows))
    given.out.mkdir(parents=True, exist_ok=True)
    kinds = {"prose": articles(given.texts, without)}
    if given.general:
        kinds["general"] = general_articles(given.texts)
    for kind, documents in kinds.items():
        for number, text in enumerate(build(documents, given.words, given.seed), start=1):
            (given.out / f"{kind}-{number:04}.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
