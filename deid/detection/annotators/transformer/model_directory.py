"""A model's directory: found on disk or in the local cache, and refused by name before anything is loaded.

Nothing here needs PyTorch: a step that only makes the detector does not wait for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer

from deid.detection.annotators.transformer.label_maps import LabelMap, label_map
from deid.domain.errors import PolicyError
from deid.domain.labels import TAGGED
from deid.domain.writing import file_digest

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
_HUB_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)?")
_FILES = ["*.json", "*.safetensors", "*.model"]


@dataclass(frozen=True)
class ModelDirectory:
    """A directory that passed every check that needs no weights in memory."""

    name: str
    path: Path
    config: Mapping[str, Any]
    labels: LabelMap
    card: Card | None

    @property
    def longest(self) -> int:
        """Sub-words that the model can take at once, special ones included, as its configuration says."""
        return longest_input(self.config)

    @property
    def digest(self) -> str:
        """12 hexadecimal digits over configuration, tokenizer and weights."""
        files = [self.path / CONFIG, self.path / TOKENIZER, *sorted(self.path.glob("*.safetensors"))]
        stats = [(file, file.stat()) for file in files]
        return _digest(tuple((str(file), stat.st_size, stat.st_mtime_ns) for file, stat in stats))


def longest_input(config: Mapping[str, Any]) -> int:
    """Return how many sub-words a model of this configuration takes at once, special ones included."""
    positions = config.get("max_position_embeddings") or config.get("n_positions") or 512
    # RoBERTa and CamemBERT number positions from padding_idx + 1.
    offset = config.get("pad_token_id") or 0 if config.get("model_type") in _OFFSET_POSITIONS else -1
    return int(positions) - offset - 1


_OFFSET_POSITIONS = frozenset({"roberta", "camembert", "xlm-roberta", "xlm-roberta-xl"})


@cache
def _digest(files: tuple[tuple[str, int, int], ...]) -> str:
    whole = hashlib.sha256("".join(file_digest(Path(name)) for name, _, _ in files).encode())
    return whole.hexdigest()[:12]


def find_model(model: str, download: bool) -> Path:
    """Return the directory of a model: a path, or a name of the hub that is in the local cache.

    Args:
        model: path or name.
        download: whether a name may be fetched from the hub.

    Raises:
        PolicyError: not found, or the download failed.
    """
    path = Path(model)
    if path.is_dir():
        return path
    if path.is_absolute() or not _HUB_NAME.fullmatch(model) or model.startswith("."):
        raise PolicyError(f"model {model}: there is no such directory.", "Check the option `model` of the annotator.")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, local_files_only=not download, allow_patterns=_FILES))
    except (LocalEntryNotFoundError, HFValidationError, HfHubHTTPError, OSError):
        raise PolicyError(
            f"model {model}: neither a directory nor in the local cache of models"
            f"{', and it could not be downloaded' if download else ''}.",
            "Give a directory, or fetch it once where there is a network, with the option `download: true`.",
        ) from None


def open_model(model: str, download: bool, table: Mapping[str, str | None]) -> ModelDirectory:
    """Check a model's directory.

    Args:
        model: path or name.
        download: whether a name may be fetched from the hub.
        table: class of the model → one of our labels, or None for none.

    Raises:
        PolicyError: the model cannot be used; the message names it and the remedy.
    """
    path = find_model(model, download)
    config = _config(path, model)
    labels = label_map(model, _id2label(config, model), table)
    shapes = dict(_shapes(path, model))
    known = read_card(path, model)
    matching_tokenizer(path, model)
    _check_head(model, shapes, len(labels.matrix))
    if known is not None and file_digest(path / WEIGHTS) != known.weights:
        raise PolicyError(
            f"model {model}: {WEIGHTS} is not the file that training wrote.", "Restore it, or train the model again."
        )
    if known is not None and known.labels != tuple(_id2label(config, model).values()):
        raise PolicyError(
            f"model {model}: config.json has other labels than those it was trained with.",
            "Restore the directory as training wrote it.",
        )
    if known is not None and (lacking := [label for label in TAGGED if label not in labels.labels]):
        raise PolicyError(
            f"model {model} was trained for other labels: it can give no {', '.join(lacking)}.",
            "Train it again with this release.",
        )
    return ModelDirectory(model, path, config, labels, known)


def load_tokenizer(path: Path, model: str) -> Tokenizer:
    """Return the directory's fast tokenizer, which gives offsets, without truncation or padding.

    Raises:
        PolicyError: there is none, or it cannot be read.
    """
    if not (path / TOKENIZER).is_file():
        raise PolicyError(
            f"model {model} has no {TOKENIZER}: a slow tokenizer does not say where its sub-words stand.",
            "Convert it once: “models tokenizer” for a FlauBERT, else save_pretrained of transformers.",
        )
    try:
        tokenizer = Tokenizer.from_file(str(path / TOKENIZER))
    except Exception:  # what the Rust library raises has no class of its own
        raise PolicyError(f"model {model}: {TOKENIZER} cannot be read.", "Fetch or train the model again.") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def matching_tokenizer(path: Path, model: str) -> Tokenizer:
    """Return the directory's tokenizer, which is the one of its weights as far as configuration and card say.

    Raises:
        PolicyError: it is another's, or cannot be read.
    """
    config, known, tokenizer = _config(path, model), read_card(path, model), load_tokenizer(path, model)
    size = tokenizer.get_vocab_size()
    remedy = f"Restore the {TOKENIZER} that the model was trained with."
    if known is not None and size != known.vocabulary:
        raise PolicyError(
            f"model {model}: its tokenizer has {size} entries, it was trained with {known.vocabulary}.", remedy
        )
    if known is not None and file_digest(path / TOKENIZER) != known.tokenizer:
        raise PolicyError(f"model {model}: its tokenizer is not the one that it was trained with.", remedy)
    rows = config.get("vocab_size") or config.get("n_words")
    if isinstance(rows, int) and size > rows:
        raise PolicyError(f"model {model}: its tokenizer has {size} entries, the model {rows}.", remedy)
    return tokenizer


def _config(path: Path, model: str) -> Mapping[str, Any]:
    try:
        config = json.loads((path / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = None
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise PolicyError(f"model {model}: {CONFIG} is missing or cannot be read.", "Fetch or train the model again.")
    return config


def _id2label(config: Mapping[str, Any], model: str) -> dict[int, str]:
    labels = config.get("id2label")
    try:
        return {index: str(labels[key]) for index, key in sorted((int(key), key) for key in labels)}  # type: ignore[index, union-attr]
    except (TypeError, ValueError):
        raise PolicyError(
            f"model {model}: {CONFIG} has no id2label.", "It classifies no tokens; fine-tune it first."
        ) from None


def _shapes(path: Path, model: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Name and shape of each tensor, from the headers of the weights."""
    files = [path / WEIGHTS]
    if (path / INDEX).is_file():
        try:
            parts = json.loads((path / INDEX).read_text(encoding="utf-8"))["weight_map"].values()
            files = [path / part for part in sorted(set(parts))]
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            raise PolicyError(f"model {model}: {INDEX} cannot be read.", "Fetch the model again.") from None
    for file in files:
        if not file.is_file():
            raise PolicyError(
                f"model {model} has no {file.name}: weights in other formats can run code and are not loaded.",
                "Convert it once with transformers (save_pretrained), or choose another model.",
            )
        try:
            with safe_open(file, framework="numpy") as weights:
                for key in weights.keys():  # noqa: SIM118 - not a mapping
                    yield key, tuple(weights.get_slice(key).get_shape())
        except (SafetensorError, OSError):
            raise PolicyError(
                f"model {model}: {file.name} is damaged or incomplete.", "Fetch or train the model again."
            ) from None


def _check_head(model: str, shapes: Mapping[str, tuple[int, ...]], labels: int) -> None:
    """A model that was never taught to tag would get a random head, and find_model anything anywhere."""
    heads = [shape for key, shape in shapes.items() if "classifier" in key and len(shape) == 2]
    if not heads:
        raise PolicyError(
            f"model {model} has no token classifier in its weights.", "Fine-tune it first; see docs/transformers.md."
        )
    if all(shape[0] != labels for shape in heads):
        raise PolicyError(
            f"model {model}: {CONFIG} has {labels} labels, its weights {heads[-1][0]}.", "Fetch the model again."
        )


# `nocturne.json`, beside the weights of a model that the product trained: what it was trained with.
CARD = "nocturne.json"


class Card(BaseModel):
    """Description of a training, `nocturne.json` beside the weights; hashes are SHA-256 in hexadecimal digits.

    `labels`: its tags, by index; `vocabulary`: entries of the tokenizer, special ones included; `tokenizer`: hash of
    tokenizer.json; `weights`: hash of model.safetensors; `corpus`: hash of documents and mentions; `temperature`:
    divides the logarithms of probabilities, to calibrate them; `head`: on the encoder, `crf` adds transitions between
    tags; `window`: sub-words of an input, special ones included; `versions`: of the libraries; `settings`: the training
    configuration; `data`: numbers of the corpus (`nocturne_lab.learning.statistics.summarise`), empty where training
    recorded none; `measures`: what was measured at the end.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    labels: tuple[str, ...]
    vocabulary: int
    tokenizer: str
    weights: str
    corpus: str
    seed: int
    temperature: float = Field(1.0, gt=0)
    head: Literal["linear", "crf"] = "linear"
    window: int = 512
    versions: Mapping[str, str]
    settings: Mapping[str, Any] = {}
    data: Mapping[str, Any] = {}
    measures: Mapping[str, float] = {}

    def write(self, folder: Path) -> None:
        """Write the card to `folder`."""
        content = json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False)
        (folder / CARD).write_text(content + "\n", encoding="utf-8")


def read_card(folder: Path, model: str) -> Card | None:
    """Return the card in `folder`; None for a model trained elsewhere.

    Raises:
        PolicyError: it cannot be read, or is not a card.
    """
    path = folder / CARD
    if not path.exists():
        return None
    try:
        return Card.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise PolicyError(
            f"model {model}: {CARD} cannot be read.", "Restore the directory as training wrote it."
        ) from None


def encoder_files(path: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a directory that an encoder is read from, by name.

    Raises:
        PolicyError: there is no configuration, fast tokenizer or safetensors.
    """
    weights = sorted(one.name for one in path.glob("*.safetensors"))
    names = [CONFIG, TOKENIZER, INDEX, *weights]
    found = {name: file_digest(path / name) for name in names if (path / name).is_file()}
    if not weights or not {CONFIG, TOKENIZER} <= found.keys():
        raise PolicyError(
            f"{path.name} holds no encoder: {CONFIG}, {TOKENIZER} and safetensors are expected.",
            "Give a directory as save_pretrained writes it, of the model and of a fast tokenizer.",
        )
    return found
