"""Card of a trained model, README.md in the form of the Hugging Face hub: YAML header, then sections.

A hospital may write in it: only what stands between two marks of a section is replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from deid.evaluation.comparison import Comparison
from deid.evaluation.score_tables import markdown
from deid.models.directories import CARD as MODEL_CARD

__all__ = ["MODEL_CARD", "evaluation_section", "new_card", "replace_section"]

_SECTION = "<!-- nocturne: {name} -->\n{text}\n<!-- /nocturne: {name} -->"
_LIMITS = """## Limits

Made to find what identifies persons in French clinical documents of the hospital that trained it; not for other
languages, nor for deciding anything about a person. What the training documents never show is unknown ground. Never
publish without the validation that follows detection, and read a sample."""


def new_card(kind: str, training: Mapping[str, Any], licence: str) -> str:
    """Return the card of a model: header, data and training as training recorded them, limits.

    Args:
        kind: annotator of the model.
        training: `deid.models.directories.read_training`.
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
    data = {name: told[name] for name in ("corpus", "documents", "mentions", "seed") if name in told}
    recipe = told.get("recipe", told.get("settings", {}))
    parts = [
        f"---\n{yaml.safe_dump(header, allow_unicode=True, sort_keys=False)}---",
        f"# Model card: {kind}",
        "## Data",
        markdown(["", ""], [[name, str(value)] for name, value in data.items()]) if data else "Not recorded.",
        "## Training",
        f"```json\n{json.dumps(recipe, indent=1, ensure_ascii=False)}\n```" if recipe else "Not recorded.",
        _section("evaluation", "## Evaluation\n\nNot compared yet."),
        _section("memorisation", "## Memorisation\n\nNot checked: this model must not leave the hospital."),
        _LIMITS,
    ]
    return "\n\n".join(parts) + "\n"


def evaluation_section(comparison: Comparison) -> str:
    """Return the section of a comparison: figures with 95 % intervals, those of what serves, paired differences."""
    against = comparison.against[:12] or "the model that ships"
    rows = [
        [name, str(figure), str(comparison.serving[name]), str(comparison.difference[name])]
        for name, figure in comparison.candidate.items()
        if figure.value is not None
    ]
    return "\n\n".join(
        [
            "## Evaluation",
            f"Whole detector, on {comparison.documents} annotated documents, against {against}; 95 % intervals by "
            "bootstrap of documents. `false`: mentions without need per 1,000 words; `clean`: share of documents that "
            "keep no direct identifier.",
            markdown(["figure", "this model", "serving", "difference"], rows),
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
