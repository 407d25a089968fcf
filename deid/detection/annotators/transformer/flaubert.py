"""Tokenizer of a FlauBERT, which is published without a fast form, as a `tokenizer.json`.

Words are parted as FlauBERT's own tokenizer does (Moses, French), by one pattern. Two differences: a line break parts
words, which that tokenizer joins; and each sub-word has its place in the text.
"""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from deid.detection.annotators.transformer.model_directory import TOKENIZER
from deid.domain.errors import InputRefused

_UNKNOWN = "<unk>"
_PLAIN = {"’": "'", "‘": "'", "‚": "'", "´": "'", "``": '"', "''": '"', "…": "...", "–": "-", "—": " - "}
_QUOTES = "[«»“”„]"
# Abbreviations that keep their point, of sacremoses; those with a point within keep it anyway.
_SHORT = (
    "MM|SS|al|ann|apr|art|auj|av|boul|ca|cf|chap|contr|dir|env|etc|ex|fasc|fig|fr|fém|hab|ibid|id|inf|lib|masc|ms|pl|"
    "pp|sec|sect|sing|sq|sqq|suiv|sup|suppl|tél|vb|vol|vs|éd|[A-Za-z]"
)
_PART = r"[\p{L}\p{M}\p{Nd}`\-]+(?:,(?<=\p{Nd},)(?=\p{Nd})[\p{L}\p{M}\p{Nd}`\-]+)*"
_END = r"(?![\p{L}\p{M}\p{Nd}`\-.])"
_WORD = rf"\.?{_PART}(?:\.{_PART})*"
_TOKENS = "|".join(
    (
        rf"(?=[^\s\p{{L}}]*\p{{L}}){_PART}(?:\.{_PART})+\.{_END}",
        rf"(?:{_SHORT})\.{_END}",
        rf"{_WORD}\.(?=\s+\p{{Ll}})",
        rf"{_WORD}(?<=\p{{L}})'(?=\p{{L}})",
        rf"{_WORD}",
        r"\.{2,}",
        r"\S",
    )
)


def convert(folder: Path) -> Path:
    """Write `tokenizer.json` from the `vocab.json` and `merges.txt` of a FlauBERT beside it; return the file.

    Raises:
        InputRefused: one of the two is missing, or is not that of a FlauBERT.
    """
    try:
        vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        lines = (folder / "merges.txt").read_text(encoding="utf-8").splitlines()
        told = folder / "tokenizer_config.json"
        lower = json.loads(told.read_text(encoding="utf-8")).get("do_lowercase") if told.exists() else False
        ends = [(mark, vocabulary[mark]) for mark in ("</s>", "<s>")]
        pairs = [(first, second) for first, second, *_ in map(str.split, lines)]
        merges = [pair for pair in pairs if {*pair, "".join(pair)} <= vocabulary.keys()]
        made = Tokenizer(models.BPE(vocabulary, merges, unk_token=_UNKNOWN, end_of_word_suffix="</w>"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputRefused(
            f"{folder.name} has no vocab.json and merges.txt of a FlauBERT.", "Give the folder as it was downloaded."
        ) from None
    replaced = [normalizers.Replace(*pair) for pair in _PLAIN.items()]
    grouped = normalizers.Replace(Regex(r"(?<=\d)\x{a0}(?=\d)"), ",")
    own = [normalizers.NFC(), *([normalizers.Lowercase()] if lower else []), *replaced, grouped]
    made.normalizer = normalizers.Sequence([*own, normalizers.Replace(Regex(_QUOTES), '"')])
    made.pre_tokenizer = pre_tokenizers.Split(Regex(_TOKENS), "removed", invert=True)
    made.post_processor = processors.BertProcessing(*ends)
    made.decoder = decoders.BPEDecoder(suffix="</w>")
    marks = ["<s>", "</s>", "<pad>", _UNKNOWN, *(f"<special{number}>" for number in range(10))]
    made.add_special_tokens([AddedToken(mark) for mark in marks if mark in vocabulary])
    made.save(str(folder / TOKENIZER))
    return folder / TOKENIZER
