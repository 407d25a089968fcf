"""Tiny models with random weights, written as a hub or our training writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForTokenClassification,
    CamembertConfig,
    CamembertForTokenClassification,
    FlaubertConfig,
    FlaubertForTokenClassification,
    ModernBertConfig,
    ModernBertForTokenClassification,
)

from deid.detection.annotators.transformer.model_directory import Card
from deid.detection.annotators.transformer.network import quiet
from deid.detection.taggers.tags import TAGS
from deid.domain.writing import file_digest

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
LINES = (
    "Monsieur Jean DUPONT, né le 12/03/1950 à Saint-Étienne, a été vu par le Dr Hélène Le Goff.",
    "Il habite 12 bis rue des Tilleuls, 29200 Brest ; tél. 02 98 00 11 22.",
    "L'œuvre de l'hôpital : cœur, sœur, garçon, naïf, aïeul.",
)


def byte_level() -> Tokenizer:
    """As GPT-2's and RoBERTa's: every byte is known, a blank belongs to the word that follows."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(LINES * 3, trainer)
    return _framed(tokenizer)


def sentence_piece() -> Tokenizer:
    """As CamemBERT's: blanks and line breaks are lost, compatibility forms and accents are composed."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace("\x00", ""), normalizers.NFKC()]  # type: ignore[list-item]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")]  # type: ignore[list-item]
    )
    trainer = trainers.UnigramTrainer(
        vocab_size=150, special_tokens=list(SPECIAL), unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(LINES * 3, trainer)
    return _framed(tokenizer)


def word_piece() -> Tokenizer:
    """As BERT's: signs stand alone, a word too long or unknown is one sub-word, control characters are dropped."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=list(SPECIAL), show_progress=False)
    tokenizer.train_from_iterator(LINES * 3, trainer)
    return _framed(tokenizer)


def _framed(tokenizer: Tokenizer) -> Tokenizer:
    frame = [(mark, tokenizer.token_to_id(mark)) for mark in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=frame)
    return tokenizer


TOKENIZERS = {"bert": word_piece, "camembert": sentence_piece, "flaubert": sentence_piece, "modernbert": byte_level}


def write(folder: Path, kind: str = "modernbert", labels: Sequence[str] = TAGS, *, with_card: bool = False) -> Path:
    """A model of the architecture `kind`, of some thousand random weights, in `folder`."""
    torch.manual_seed(7)
    tokenizer = TOKENIZERS[kind]()
    # A tokenizer file may ask for truncation: that must not lose text.
    tokenizer.enable_truncation(16)
    folder.mkdir(parents=True, exist_ok=True)
    model = _model(kind, tokenizer.get_vocab_size(), dict(enumerate(labels)))
    with torch.no_grad():
        model.classifier.weight.mul_(20)  # decided answers: a flat one would agree with anything
    with quiet():
        model.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    if with_card:
        Card(
            labels=tuple(labels),
            vocabulary=tokenizer.get_vocab_size(),
            tokenizer=file_digest(folder / "tokenizer.json"),
            weights=file_digest(folder / "model.safetensors"),
            corpus="0" * 64,
            seed=7,
            versions={},
        ).write(folder)
    return folder


def _model(kind: str, words: int, id2label: dict[int, str]) -> torch.nn.Module:
    named = {"id2label": id2label, "label2id": {label: index for index, label in id2label.items()}}
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": words}
    marks = {"bos_token_id": 0, "cls_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "sep_token_id": 2}
    if kind == "bert":
        return BertForTokenClassification(
            BertConfig(**sizes, intermediate_size=48, max_position_embeddings=128, pad_token_id=1, **named)
        )
    if kind == "camembert":
        return CamembertForTokenClassification(
            CamembertConfig(**sizes, intermediate_size=48, max_position_embeddings=130, type_vocab_size=1, **named)
        )
    if kind == "flaubert":
        return FlaubertForTokenClassification(
            FlaubertConfig(
                emb_dim=32,
                n_layers=2,
                n_heads=4,
                n_words=words,
                vocab_size=words,
                max_position_embeddings=128,
                pad_index=1,
                bos_index=0,
                eos_index=2,
                unk_index=3,
                mask_index=4,
                pad_token_id=1,
                **named,
            )
        )
    return ModernBertForTokenClassification(
        ModernBertConfig(**sizes, **marks, intermediate_size=48, max_position_embeddings=1024, **named)
    )


def rewrite(folder: Path, file: str, **changed: object) -> None:
    """Change keys of a JSON file of the model."""
    content = json.loads((folder / file).read_text(encoding="utf-8"))
    (folder / file).write_text(json.dumps(content | changed), encoding="utf-8")
