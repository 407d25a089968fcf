"""Directories of tiny encoders with random weights, in the architectures that hospitals fine-tune."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoModel,
    BertConfig,
    CamembertConfig,
    FlaubertConfig,
    ModernBertConfig,
    PretrainedConfig,
)

from tests.lab.learning.transformer_letters import letters

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}


def camembert() -> tuple[Tokenizer, PretrainedConfig]:
    """SentencePiece with a unigram model, as CamemBERT's: spaces begin a piece, line breaks are spaces."""
    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace("\n", " "), normalizers.Nmt(), normalizers.NFKC()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    _learn(tokenizer, trainers.UnigramTrainer(vocab_size=300, special_tokens=marks, unk_token="<unk>"))
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    config = CamembertConfig(
        **SIZES, vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=130, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, type_vocab_size=1,
    )  # fmt: skip
    return tokenizer, config


def flaubert() -> tuple[Tokenizer, PretrainedConfig]:
    """BPE over lower-case words with a mark at their end, as FlauBERT's once converted."""
    marks = ["<s>", "</s>", "<pad>", "<unk>", "<special1>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    _learn(tokenizer, trainers.BpeTrainer(vocab_size=300, special_tokens=marks, end_of_word_suffix="</w>"))
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    tokenizer.post_processor = processors.BertProcessing(("</s>", 1), ("<s>", 0))
    config = FlaubertConfig(
        vocab_size=tokenizer.get_vocab_size(), emb_dim=32, n_layers=2, n_heads=2, max_position_embeddings=128,
        pad_index=2, pad_token_id=2, unk_index=3, mask_index=4, layerdrop=0.1,
    )  # fmt: skip
    return tokenizer, config


def mbert() -> tuple[Tokenizer, PretrainedConfig]:
    """WordPiece with case, as multilingual BERT's."""
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    _learn(tokenizer, trainers.WordPieceTrainer(vocab_size=300, special_tokens=marks))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer, BertConfig(**SIZES, vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=128)


def modernbert() -> tuple[Tokenizer, PretrainedConfig]:
    """Byte-level BPE, as ModernBERT's."""
    marks = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    _learn(tokenizer, trainers.BpeTrainer(vocab_size=400, special_tokens=marks, initial_alphabet=alphabet))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    config = ModernBertConfig(
        **SIZES, vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=128, local_attention=32,
        pad_token_id=3, cls_token_id=1, sep_token_id=2, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    return tokenizer, config


ENCODERS: Mapping[str, Callable[[], tuple[Tokenizer, PretrainedConfig]]] = {
    "camembert": camembert,
    "flaubert": flaubert,
    "mbert": mbert,
    "modernbert": modernbert,
}


def encoder(name: str, folder: Path) -> Path:
    """Write the encoder `name` as a hub's snapshot would lie there: no head, no tags of ours."""
    tokenizer, config = ENCODERS[name]()
    torch.manual_seed(7)
    AutoModel.from_config(config).save_pretrained(folder / name)
    tokenizer.save(str(folder / name / "tokenizer.json"))
    return folder / name


def _learn(tokenizer: Tokenizer, trainer: trainers.Trainer) -> None:
    tokenizer.train_from_iterator([gold.document.text for gold in letters()], trainer)
