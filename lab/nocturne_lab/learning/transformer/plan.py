"""Plan of a training, read from a YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from deid.domain.errors import InputRefused
from deid.domain.labels import TAGGED
from nocturne_lab.learning.objectives import LEAST_CONFIDENCE


class PlanSection(BaseModel):
    """Part of a plan; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Encoder(PlanSection):
    """The product's own compact encoder: ModernBERT (Warner et al. 2024) with a tokenizer of its own.

    Parameters are about vocabulary × hidden + layers × (4 hidden² + 3 hidden × intermediate), two bytes each on disk.
    `tokenizer_megabytes`: size of the text for the vocabulary; `tokenizer`: a directory whose tokenizer is taken
    instead, as a student takes its teacher's.
    """

    tokenizer: str | None = None
    vocabulary: int = Field(16384, ge=300, le=65536)
    hidden: int = Field(384, ge=8)
    layers: int = Field(10, ge=1)
    heads: int = Field(6, ge=1)
    intermediate: int = Field(576, ge=8)
    local_attention: int = Field(128, ge=2)
    tokenizer_megabytes: float = Field(50, gt=0)

    @model_validator(mode="after")
    def _divides(self) -> Self:
        if self.hidden % (2 * self.heads):
            raise ValueError("hidden must be an even multiple of heads")
        return self


class Pretraining(PlanSection):
    """Masked whole words (Devlin et al. 2019; Cui et al. 2021), in packed sequences of `length` sub-words.

    Training ends after `steps`, or after `minutes` if that is sooner; the learning rate falls to 0 by then. `texts` are
    patterns of files (.txt, or .jsonl with a "text"; plain, .gz or .xz), relative to the working directory; the
    annotated documents are read too, `repeat` times; a file that two patterns match is read twice in each pass.
    `masked`: share of words, of which 8 in 10 are masked, 1 replaced by a random sub-word, 1 left; it falls or rises to
    `masked_last` if that is given. `batch`: sequences. `optimizer`: `muon` for the matrices of the layers, AdamW for
    the rest. `compiled`: layers are compiled first (tens of seconds), which pays on a GPU.
    """

    texts: tuple[str, ...] = ()
    repeat: int = Field(1, ge=0)
    minutes: float | None = Field(None, gt=0)
    steps: int = Field(20000, ge=1)
    length: int = Field(256, ge=16)
    batch: int = Field(64, ge=1)
    learning_rate: float = Field(1e-3, gt=0)
    warm_up: float = Field(0.05, ge=0, lt=1)
    weight_decay: float = Field(0.01, ge=0)
    masked: float = Field(0.2, gt=0, lt=1)
    masked_last: float | None = Field(None, gt=0, lt=1)
    optimizer: Literal["adamw", "muon"] = "adamw"
    compiled: bool = False


class FineTuning(PlanSection):
    """Fine-tuning on tags; the defaults are the optimum of Tchouka et al. 2023, section 4.1, found by TPE.

    `length`: sub-words of a window; `batch`: windows. Training ends after `epochs`, or after `patience` epochs without
    a better F1 on the documents of the authors held out (patients where no author is named), about a share `held_out`
    of all; 0 holds out none and trains to the end. `head`: `crf` learns transitions between tags too (Lafferty et al.
    2001), over first sub-words.
    `layer_decay`: each layer learns at so many times the rate of the next one above, embeddings the least, the head at
    the whole rate. `frozen_subwords`: the embeddings of sub-words stay as they are, those that no document shows among
    them, and take neither gradient nor memory of the optimizer.
    `accumulate`: parts in which the gradient of a batch is computed, for batches that memory does not hold.
    `class_weights`: `inverse_root` (of a tag's number of examples), or a weight by label, O among them (1 where not
    named); only with a linear head, since a CRF scores whole paths. `copies`: altered copies of each document per epoch
    (`nocturne_lab.learning.augmentation`). `least_confidence`: of a mention whose sentence is learned from.
    `teacher`: directory of a tagger with the same tokenizer, whose probabilities are learned beside the tags with
    weight `taught` at `temperature` (Hinton et al. 2015), and alone on `unlabelled` windows an epoch, from `texts`.
    """

    epochs: int = Field(20, ge=1)
    length: int = Field(128, ge=16)
    batch: int = Field(64, ge=1)
    learning_rate: float = Field(1e-4, gt=0)
    dropout: float = Field(0.1, ge=0, lt=1)
    warm_up: float = Field(0.1, ge=0, lt=1)
    weight_decay: float = Field(0.01, ge=0)
    layer_decay: float = Field(1.0, gt=0, le=1)
    frozen_subwords: bool = False
    clip: float = Field(1.0, gt=0)
    held_out: float = Field(0.1, ge=0, lt=1)
    patience: int = Field(4, ge=1)
    copies: int = Field(0, ge=0)
    head: Literal["linear", "crf"] = "linear"
    accumulate: int = Field(1, ge=1)
    least_confidence: float = Field(LEAST_CONFIDENCE, ge=0, le=1)
    class_weights: Literal["none", "inverse_root"] | dict[str, Annotated[float, Field(gt=0)]] = "none"
    teacher: str | None = None
    taught: float = Field(0.5, gt=0, le=1)
    temperature: float = Field(2.0, gt=0)
    texts: tuple[str, ...] = ()
    unlabelled: int = Field(0, ge=0)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.accumulate > self.batch:
            raise ValueError("accumulate must be at most batch")
        if self.head == "crf" and self.class_weights != "none":
            raise ValueError("class_weights are for a linear head")
        if self.teacher is not None and (self.head == "crf" or self.class_weights != "none"):
            raise ValueError("a teacher is for a linear head without class_weights")
        if self.unlabelled and (self.teacher is None or not self.texts):
            raise ValueError("unlabelled needs a teacher and texts")
        unknown = set(self.class_weights) - {"O", *TAGGED} if isinstance(self.class_weights, dict) else ()
        if unknown:
            raise ValueError(f"class_weights names no label of the taggers: {', '.join(sorted(unknown))}")
        return self


class Plan(PlanSection):
    """Plan of a training: from the model `start` (a directory or a name on the hub), or from an own `encoder`.

    `weights`: number format of the written model. `precision`: number format in training; `auto` is bf16 on a GPU with
    support for it, fp32 elsewhere. `bf16` on a processor computes with weights in bf16, which the optimizer keeps in
    fp32 too; it is refused where the processor has no such products. `autocast` converts at each product, on any
    device, as `bf16` does on a GPU. `checkpoint_minutes`: time between two checkpoints within an epoch.
    """

    seed: int = 7
    start: str | None = None
    encoder: Encoder | None = None
    pretraining: Pretraining | None = None
    fine_tuning: FineTuning = FineTuning()
    precision: Literal["auto", "fp32", "bf16", "autocast"] = "auto"
    weights: Literal["fp16", "fp32"] = "fp16"
    download: bool = False
    checkpoint_minutes: float = Field(10, ge=0)

    @model_validator(mode="after")
    def _one_beginning(self) -> Self:
        if (self.start is None) == (self.encoder is None):
            raise ValueError("say either start or encoder")
        if self.start is not None and self.pretraining is not None:
            raise ValueError("pretraining is for an encoder of our own")
        return self

    def started_from(self, start: Path) -> Plan:
        """Return the plan with the encoder of a directory in the place of its own."""
        return self.model_copy(update={"start": str(start), "encoder": None, "pretraining": None})


CONFIGS = Path(__file__).parent / "configs"


def find_plan(name: Path) -> Plan:
    """Read a plan that ships, by its name without a suffix, or a file.

    Raises:
        InputRefused: see `load_plan`.
    """
    shipped = CONFIGS / f"{name.name}.yaml"
    return load_plan(shipped if not name.suffix and shipped.is_file() else name)


def load_plan(path: Path) -> Plan:
    """Read a plan.

    Raises:
        InputRefused: the file cannot be read, is not YAML, or is not a valid plan.
    """
    try:
        return Plan.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputRefused(f"plan {path.name}: {error.strerror}.", "Give the path of a readable YAML file.") from None
    except yaml.YAMLError:
        raise InputRefused(f"plan {path.name} is not YAML.", "Mend the file.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise InputRefused(
            f"plan {path.name}: {where}: {first['msg']}.", "See lab/nocturne_lab/learning/transformer/plan.py."
        ) from None
