"""Embeddings of tokens by an encoder whose weights stay as they are: its last states, averaged over sub-words.

What a BiLSTM-CRF reads in the place of character states: the feature-based use of Devlin et al. 2019, section 5.3, and
"CamemBERT embeddings + Bi-LSTM + CRF" of El Azzouzi et al. 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import torch
from transformers import AutoModel, PretrainedConfig

from deid.detection.annotators.transformer.model_directory import load_tokenizer, longest_input
from deid.detection.annotators.transformer.network import chosen_device, load_weights
from deid.detection.annotators.transformer.subwords import Subwords, plan_windows, special_subwords, tokenize_all
from deid.detection.taggers.bilstm import States

_WINDOW, _OVERLAP = 256, 32  # sub-words of an input, special ones included, and those that neighbours share


class EncoderStates:
    """An encoder of a local directory, and its states at the tokens of texts.

    Each window is computed by itself, so that a document's states do not depend on its batch.

    Args:
        path: directory with `config.json`, safetensors and `tokenizer.json`; any head in it is left out.

    Raises:
        PolicyError: the transformers library cannot load it, its weights lack a part, or it has no fast tokenizer.
    """

    def __init__(self, path: Path) -> None:
        self._tokenizer = load_tokenizer(path, path.name)
        self._device = chosen_device("auto")
        self._model = load_weights(AutoModel, path, path.name).to(self._device).eval()
        config: PretrainedConfig = cast("PretrainedConfig", self._model.config)
        self._before, self._after = special_subwords(self._tokenizer)
        self._size = min(_WINDOW, longest_input(config.to_dict())) - len(self._before) - len(self._after)
        self.width = int(config.hidden_size)  # numbers per token

    @torch.inference_mode()
    def states(
        self, texts: Sequence[str], starts: Sequence[Sequence[int]], ends: Sequence[Sequence[int]]
    ) -> list[States]:
        """Return the embeddings (tokens, width) of the tokens `[start, end)` of each text.

        A token that the tokenizer drops, such as a line break, has zeros; two tokens in one sub-word have the same.
        """
        cut = tokenize_all(self._tokenizer, texts)
        return [self._of(*one) for one in zip(texts, cut, starts, ends, strict=True)]

    def _of(self, text: str, parts: Iterable[Subwords], starts: Sequence[int], ends: Sequence[int]) -> States:
        first, last = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
        sums, seen = np.zeros((len(first), self.width), dtype=np.float32), np.zeros(len(first), dtype=np.float32)
        for window in plan_windows(text, parts, self._size, min(_OVERLAP, self._size // 4)):
            ids = torch.from_numpy(np.concatenate((self._before, window.subwords.ids, self._after)).astype(np.int64))
            given = ids.unsqueeze(0).to(self._device)
            found = self._model(input_ids=given, attention_mask=torch.ones_like(given)).last_hidden_state[0]
            used = slice(window.first, window.last)
            rows = found[len(self._before) :][used].float().cpu().numpy()
            own = window.subwords[used]
            low = np.searchsorted(last, own.starts, side="right")
            touched = np.maximum(np.searchsorted(first, own.ends, side="left") - low, 0)
            row = np.repeat(np.arange(len(own)), touched)
            token = np.arange(len(row)) - np.repeat(np.cumsum(touched) - touched, touched) + low[row]
            np.add.at(sums, token, rows[row])
            np.add.at(seen, token, 1)
        found_states: States = (sums / np.maximum(seen, 1)[:, None]).astype(np.float16)
        return found_states
