"""Card of a trained model, README.md in the form of the Hugging Face hub: YAML header, then sections.

A hospital may write in it: only what stands between two marks of a section is replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from deid.domain.labels import TAGGED
from deid.models.directories import CARD as MODEL_CARD
from deid.models.scores import SCORES
from nocturne_lab.evaluation.comparison import Comparison
from nocturne_lab.evaluation.score_tables import markdown

__all__ = ["MODEL_CARD", "STAYS", "evaluation_section", "licence_of", "new_card", "replace_section", "write_licence"]

STAYS = "other"  # the licence of a model that stays in the hospital
_HEADER = re.compile(r"---\n(?P<header>.*?)^---\n", re.DOTALL | re.MULTILINE)
_SECTION = "<!-- nocturne: {name} -->\n{text}\n<!-- /nocturne: {name} -->"
_LIMITS = """## Limits

Made to find what identifies persons in French clinical documents of the hospital that trained it; not for other
languages, nor for deciding anything about a person. What the training documents never show is unknown ground. Never
publish without the validation that follows detection, and read a sample."""


def new_card(kind: str, training: Mapping[str, Any], licence: str) -> str:
    """Return the card of a model: header, data and training as training recorded them, limits.

    Args:
        kind: annotator of the model.
        training: `nocturne_lab.hospital.model_facts.read_training`.
        licence: name of a licence on the hub.
    """
    header = {
        "license": licence,
        "language": ["fr"],
        "library_name": "nocturne",
        "pipeline_tag": "token-classification",
        "tags": ["de-identification", "clinical", kind],
    }
    told = training.get("training", training)
    recipe = told.get("recipe", told.get("settings", {}))
    parts = [
        f"---\n{yaml.safe_dump(header, allow_unicode=True, sort_keys=False)}---",
        f"# Model card: {kind}",
        "## Data",
        _data(told),
        "## Training",
        f"```json\n{json.dumps(recipe, indent=1, ensure_ascii=False)}\n```" if recipe else "Not recorded.",
        _section("evaluation", "## Evaluation\n\nNot compared yet."),
        _section("memorisation", "## Memorisation\n\nNot checked: this model must not leave the hospital."),
        _LIMITS,
    ]
    return "\n\n".join(parts) + "\n"


def licence_of(card: Path) -> str:
    """Return the licence in the header of a card; `STAYS` if there is none."""
    found = _HEADER.match(card.read_text(encoding="utf-8")) if card.is_file() else None
    try:
        header = yaml.safe_load(found["header"]) if found else None
    except yaml.YAMLError:
        header = None
    return str(header.get("license", STAYS)) if isinstance(header, dict) else STAYS


def write_licence(card: Path, licence: str) -> None:
    """Write a licence into the header of a card, which gets a header if it has none."""
    whole = card.read_text(encoding="utf-8") if card.is_file() else ""
    line = yaml.safe_dump({"license": licence}, allow_unicode=True)
    found = _HEADER.match(whole)
    kept = re.sub(r"(?m)^license:.*\n", "", found["header"]) if found else ""
    card.write_text(f"---\n{line}{kept}---\n{whole[found.end() :] if found else whole}", encoding="utf-8")


def _data(told: Mapping[str, Any]) -> str:
    """Return the tables of a corpus, of what training recorded."""
    summary = told.get("data") or {}
    recorded = {**told, **summary}
    names = ("corpus", "documents", "mentions", "annotators", "distant", "encoder", "seed")
    parts = [
        _pairs(["", ""], {name: recorded[name] for name in names if name in recorded}),
        _pairs(["open corpus", "licence"], recorded.get("open_corpora", {})),
        _pairs(["label", "mentions"], summary.get("labels", {})),
        _pairs(["type of document", "documents"], summary.get("types", {})),
    ]
    unseen = [str(label) for label in TAGGED if label not in summary["labels"]] if summary else []
    absent = told.get("without_example", unseen)
    if absent and "from" not in told:  # what is continued knows the labels of its start
        parts.append(f"Without example, hence never found: {', '.join(absent)}.")
    if "continued" in told:
        parts += ["### Continued on", _data(told["continued"])]
    return "\n\n".join(part for part in parts if part) or "Not recorded."


def _pairs(head: Sequence[str], values: Mapping[str, Any]) -> str:
    return markdown(head, [[name, str(value)] for name, value in values.items()]) if values else ""


def evaluation_section(comparison: Comparison) -> str:
    """Return the section of a comparison: figures with 95 % intervals, those of what serves, paired differences."""
    first = "the detector without this annotator, of which no model ships"
    against = comparison.against[:12] or (first if comparison.first else "the model that ships")
    return "\n\n".join(
        [
            "## Evaluation",
            f"Whole detector, on {comparison.documents} annotated documents, against {against}; 95 % intervals by "
            "bootstrap of documents. `false`: mentions without need per 1,000 words; `clean`: share of documents that "
            "keep no direct identifier.",
            markdown(["figure", "this model", "serving", "difference"], comparison.rows()),
            "<details><summary>This model by label and by type of document</summary>",
            markdown(["", *(name.replace("_", " ") for name in SCORES)], comparison.breakdown()),
            "</details>",
        ]
    )


def replace_section(card: Path, name: str, text: str) -> None:
    """Write a section of a card in the place of the same one; at its end if it has none."""
    whole = card.read_text(encoding="utf-8") if card.is_file() else ""
    found = re.compile(rf"<!-- nocturne: {name} -->.*?<!-- /nocturne: {name} -->", re.DOTALL)
    section = _section(name, text)
    replaced, times = found.subn(lambda _: section, whole, count=1)
    card.write_text(replaced if times else f"{whole.rstrip()}\n\n{section}\n".lstrip(), encoding="utf-8")


def _section(name: str, text: str) -> str:
    return _SECTION.format(name=name, text=text)
