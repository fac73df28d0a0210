"""The tokenizer of small checkpoints: one token a word."""

from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, processors

VOCABULARY_SIZE = 30


def write_tokenizer(path: Path, pad_id: int) -> None:
    """Write a tokenizer of three special tokens, [UNK] and the words w0, w1, ..."""
    specials = ["[PAD]", "[CLS]", "[SEP]"] if pad_id == 0 else ["[CLS]", "[PAD]", "[SEP]"]
    tokens = [*specials, "[UNK]", *(f"w{number}" for number in range(VOCABULARY_SIZE - 4))]
    vocabulary = {word: index for index, word in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        # RoBERTa's family parts two texts by two tokens, and marks no types.
        pair="[CLS] $A [SEP] $B:1 [SEP]:1" if pad_id == 0 else "[CLS] $A [SEP] [SEP] $B [SEP]",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    tokenizer.save(str(path))
