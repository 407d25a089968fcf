"""A tokenizer of our own: byte-level BPE whose sub-words never cross the tokens of a reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from deid.domain.errors import InputRefused

BEGIN, PAD, END, UNKNOWN, MASK = "<s>", "<pad>", "</s>", "<unk>", "<mask>"
SPECIAL = (BEGIN, PAD, END, UNKNOWN, MASK)
# A word, a digit, a sign, each with the blank before it; a line break; other blanks. Digits stand alone: how many there
# are is what tells a postal code from a phone number.
_PIECES = r" ?[\p{L}\p{M}]+| ?\d| ?[^\s\p{L}\p{M}\d]|\n|[^\S\n]+(?!\S)|[^\S\n]+"


def learn(texts: Iterable[str], size: int, megabytes: float) -> Tokenizer:
    """A tokenizer of at most `size` entries learned from the first `megabytes` (of characters) of `texts`.

    Sennrich et al. 2016 on bytes (Radford et al. 2019): every character is known, line breaks are kept.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_first(texts, round(megabytes * 1e6)), trainer)
    frame = [(mark, tokenizer.token_to_id(mark)) for mark in (BEGIN, END)]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{BEGIN} $A {END}", special_tokens=frame)
    return tokenizer


def number(tokenizer: Tokenizer, mark: str) -> int:
    """The index of a special sub-word.

    Raises:
        InputRefused: the tokenizer has none; it is not one of ours.
    """
    found = tokenizer.token_to_id(mark)
    if found is None:
        raise InputRefused(f"the tokenizer has no {mark}.", "Pre-train with a tokenizer of our own.")
    return found


def _first(texts: Iterable[str], characters: int) -> Iterator[str]:
    for text in texts:
        yield text
        characters -= len(text)
        if characters <= 0:
            return
