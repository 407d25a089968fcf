"""Membership in the training data of a model, told by its loss (Yeom et al. 2018, "Privacy Risk in Machine Learning").

The attacker holds annotated documents and asks the model for the loss of each: one below a threshold is taken for a
member. The loss is the mean, in nats, of -log p of the true tag of each token; of an encoder with an output over words
it is that of each sub-word, masked in turn with every seventh (Salazar et al. 2020).

Members and others must be alike but for the training: where they differ in period, author or kind, the difference tells
them apart too. A loss near that of others does not prove that nothing was learned by heart: an attacker who trains
models of their own finds more (Carlini et al. 2022).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import AnnotatorChoice
from deid.detection.annotators.registry import Tagger, build
from deid.detection.taggers.tags import encode
from deid.detection.text.reading import Reading
from deid.domain.errors import InputRefused, PolicyError
from nocturne_lab.evaluation.comparison import Figure
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.intervals import drawn_interval
from nocturne_lab.hospital.model_facts import kind_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel

LEAST = 10  # members, and as many others
LEAST_FOR_LOW = 100  # others, of which 1 % is one
LOW = 0.01
DRAWS, SEED = 1000, 2026
_BATCH = 32  # documents read at once
_STEP = 7  # one sub-word in seven is masked
_LONGEST = 512  # sub-words of a window
_MASKS = ("<mask>", "[MASK]")
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Membership:
    """Figures of the attack on one model, with intervals of 95 % over members and others drawn again.

    Attributes:
        members: number of documents that the model learned from.
        others: number of documents that it did not.
        auc: probability that a member has a lower loss than another document; 0.5 tells nothing.
        advantage: true less false positives at the best threshold, chosen on these documents.
        low: share of the members found where 1 % of the others are taken for one; empty below `LEAST_FOR_LOW` others.
        chance: advantage after a shuffle of who is a member: above 0, since the threshold is the best.
    """

    members: int
    others: int
    auc: Figure
    advantage: Figure
    low: Figure
    chance: Figure


def attack_model(directory: Path, members: Sequence[GoldDocument], others: Sequence[GoldDocument]) -> Membership:
    """Attack a model with documents that it learned from and others.

    Raises:
        InputRefused: it is no model; a document is in both; or there are fewer than `LEAST` of one.
        PolicyError: it cannot be loaded, or gives no loss.
    """
    if {one.document.text for one in members} & {one.document.text for one in others}:
        raise InputRefused("a document is among the members and the others.", "Leave it out of the others.")
    return attack_losses(losses(directory, members), losses(directory, others))


def attack_losses(members: Collection[float], others: Collection[float]) -> Membership:
    """Attack a model by its losses on members and others.

    Raises:
        InputRefused: there are fewer than `LEAST` of one.
    """
    if min(len(members), len(others)) < LEAST:
        raise InputRefused(
            f"{len(members)} members and {len(others)} others with a text are too few.", f"Give {LEAST} of each."
        )
    own, rest = np.asarray(list(members)), np.asarray(list(others))
    chance = np.random.default_rng(SEED)
    drawn = [_figures(chance.choice(own, len(own)), chance.choice(rest, len(rest))) for _ in range(DRAWS)]
    both = np.concatenate((own, rest))
    shuffled = [_figures(*np.split(chance.permutation(both), [len(own)]))[1] for _ in range(DRAWS)]
    auc, advantage, low = (
        Figure(value, *drawn_interval([row[at] for row in drawn])) for at, value in enumerate(_figures(own, rest))
    )
    low = low if len(rest) >= LEAST_FOR_LOW else Figure(None, None, None)
    return Membership(
        len(own), len(rest), auc, advantage, low, Figure(float(np.mean(shuffled)), *drawn_interval(shuffled))
    )


def losses(directory: Path, documents: Sequence[GoldDocument]) -> list[float]:
    """Return the loss of a model on each document that has a token, in nats.

    Raises:
        InputRefused: it is no model.
        PolicyError: it cannot be loaded, or gives no loss.
    """
    kind = kind_of(directory)
    if kind == "transformer" and _predicts_words(directory):
        return list(_word_losses(directory, documents))
    annotator = build(AnnotatorChoice(name=kind, options={"model": str(directory)}))
    if not isinstance(annotator, Tagger):
        raise PolicyError(f"annotator {kind} gives no probabilities.", "Only learned annotators can be attacked.")
    return list(_tag_losses(annotator, documents))


def _figures(members: Array, others: Array) -> tuple[float, float, float]:
    """Return AUC, advantage and share of members found at `LOW` false positives."""
    own, rest = np.sort(members), np.sort(others)
    above = len(rest) - (np.searchsorted(rest, own, "left") + np.searchsorted(rest, own, "right")) / 2
    right = np.arange(1, len(own) + 1) / len(own)
    # A threshold at a member's loss: of equal losses the last one counts them all.
    right = right[np.searchsorted(own, own, "right") - 1]
    wrong = np.searchsorted(rest, own, "right") / len(rest)
    return (
        float(above.mean() / len(rest)),
        max(0.0, float((right - wrong).max())),
        float(right[wrong <= LOW].max(initial=0.0)),
    )


def _tag_losses(tagger: Tagger, documents: Sequence[GoldDocument]) -> Iterator[float]:
    for start in range(0, len(documents), _BATCH):
        some = documents[start : start + _BATCH]
        readings = [Reading(one.document) for one in some]
        for one, reading, rows in zip(some, readings, tagger.distributions(readings), strict=True):
            if len(rows):
                right = rows[np.arange(len(rows)), encode(reading, one.mentions)].astype(np.float64)
                yield float(-np.log(np.maximum(right, 1e-12)).mean())


def _predicts_words(directory: Path) -> bool:
    """Return whether a directory of transformers holds an encoder with its output over words."""
    try:
        told = json.loads((directory / "config.json").read_text(encoding="utf-8"))
        return any(name.endswith("ForMaskedLM") for name in told.get("architectures") or ())
    except (OSError, ValueError, AttributeError):
        return False  # the annotator says what is wrong with it


def _word_losses(directory: Path, documents: Sequence[GoldDocument]) -> Iterator[float]:
    import torch

    model, tokenizer, mask = _encoder(directory)
    for one in documents:
        first = tokenizer.encode(one.document.text)
        whole, count = 0.0, 0
        for window in (first, *first.overflowing):
            ids = torch.tensor(window.ids)
            places = torch.tensor([at for at, special in enumerate(window.special_tokens_mask) if not special])
            for turn in range(min(_STEP, len(places))):
                asked = places[turn::_STEP]
                seen, wanted = ids.clone(), torch.full_like(ids, -100)  # -100: in no loss
                seen[asked], wanted[asked] = mask, ids[asked]
                with torch.inference_mode():
                    loss = model(input_ids=seen[None], labels=wanted[None]).loss
                whole, count = whole + float(loss) * len(asked), count + len(asked)
        if count:
            yield whole / count


def _encoder(directory: Path) -> tuple[PreTrainedModel, Tokenizer, int]:
    """Return an encoder with its output over words, its tokenizer, and the number of its mask."""
    import torch
    from transformers import AutoModelForMaskedLM

    from deid.detection.annotators.transformer.model_directory import load_tokenizer, longest_input
    from deid.detection.annotators.transformer.network import quiet

    tokenizer = load_tokenizer(directory, directory.name)
    mask = next((number for name in _MASKS if (number := tokenizer.token_to_id(name)) is not None), None)
    if mask is None:
        raise PolicyError(f"model {directory.name} has no sub-word to mask with.", "Give an encoder of masked words.")
    try:
        with quiet():
            model = AutoModelForMaskedLM.from_pretrained(
                directory, dtype=torch.float32, local_files_only=True, trust_remote_code=False, use_safetensors=True
            ).eval()
    except (OSError, ValueError, RuntimeError, KeyError):
        raise PolicyError(f"model {directory.name} cannot be loaded.", "Restore it, or train it again.") from None
    tokenizer.enable_truncation(min(_LONGEST, longest_input(model.config.to_dict())))
    return model, tokenizer, mask
