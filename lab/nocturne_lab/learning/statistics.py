"""Numbers of documents, words and mentions of a corpus, per author and per label, as Markdown.

python -m nocturne_lab.learning.statistics corpus/train corpus/dev
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deid.domain.labels import OPTIONAL, Label
from nocturne_lab.evaluation.corpus import DISTANT, GoldDocument, load_corpus
from nocturne_lab.evaluation.score_tables import markdown

_WORD = re.compile(r"[^\W_]+")


def author_table(documents: Sequence[GoldDocument]) -> str:
    """Tabulate documents, words, mentions and types of document per author, then in total."""
    authors = sorted({one.author for one in documents}, key=lambda name: (len(name), name))
    groups = [(name, [one for one in documents if one.author == name]) for name in authors]
    rows = [_row(name, group) for name, group in (*groups, ("**all**", list(documents)))]
    return markdown(["author", "documents", "words", "mentions", "types"], rows)


def label_table(documents: Sequence[GoldDocument]) -> str:
    """Tabulate mentions, distinct surfaces and documents per label."""
    mentions = Counter(mention.label for one in documents for mention in one.mentions)
    surfaces = {
        (mention.label, one.document.text[mention.start : mention.end]) for one in documents for mention in one.mentions
    }
    different = Counter(label for label, _ in surfaces)
    having = Counter(label for one in documents for label in {mention.label for mention in one.mentions})
    shown = [label for label in Label if mentions[label] or label not in OPTIONAL]
    rows = [[str(label), *(f"{count[label]:,}" for count in (mentions, different, having))] for label in shown]
    return markdown(["label", "mentions", "different surfaces", "documents"], rows)


def summarise(documents: Sequence[GoldDocument]) -> dict[str, Any]:
    """Return what a model's card says of its corpus, as JSON: numbers alone, by label and by type of document.

    `annotators` is the number of people that the documents name, and `distant` the number of documents that nobody
    annotated (`nocturne_lab.learning.distant`); both are left out where no document says who annotated it.
    """
    who = Counter(one.annotator for one in documents)
    told: dict[str, Any] = {
        "documents": len(documents),
        "mentions": sum(len(one.mentions) for one in documents),
        "labels": dict(Counter(str(mention.label) for one in documents for mention in one.mentions).most_common()),
        "types": dict(Counter((one.document.type or "–").casefold() for one in documents).most_common()),
    }
    if set(who) != {""}:
        told |= {"annotators": len(set(who) - {"", DISTANT}), "distant": who[DISTANT]}
    return told


def _row(name: str, group: Sequence[GoldDocument]) -> list[str]:
    words = sum(len(_WORD.findall(one.document.text)) for one in group)
    types = len({(one.document.type or "").casefold() for one in group})
    return [name, *(f"{value:,}" for value in (len(group), words, sum(len(one.mentions) for one in group), types))]


def main() -> int:
    """Print the tables; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    for folder in parser.parse_args().folders:
        documents = load_corpus(folder)
        print(f"## {folder.name}\n\n{author_table(documents)}\n\n{label_table(documents)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
