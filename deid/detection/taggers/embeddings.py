"""The file of subword embeddings that a BiLSTM-CRF keeps beside its weights, shared by its members."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from deid.models import FOLDER

EMBEDDINGS = "embeddings.safetensors"
SHIPPED = FOLDER / "bilstm_crf" / EMBEDDINGS
Rows = NDArray[np.float16]  # (gram buckets, width)


def save(rows: Rows, path: Path) -> None:
    """Write as safetensors."""
    save_file({"grams": rows}, path)


def load(path: Path) -> Rows:
    """Read what `save` wrote."""
    return load_file(path)["grams"]
