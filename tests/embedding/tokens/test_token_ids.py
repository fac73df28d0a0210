"""Token ids as the tokenizers of the families give them."""

import json

from tokenizers import Tokenizer, models, pre_tokenizers, processors

from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.embedding.token_states import TokenEncoder


def reader_of(folder):
    return TokenEncoder(OpenVinoEmbedder(folder, name="random")).reader


def byte_level_reader(folder, family):
    """A byte-level tokenizer with the merges "Ġa", "Ġab" and "ab": <s> 0, </s> 1, a 2, b 3, Ġ 4, ..."""
    vocabulary = {name: place for place, name in enumerate(["<s>", "</s>", "a", "b", "Ġ", "ab", "Ġa", "Ġab"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("a", "b"), ("Ġ", "ab"), ("Ġ", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    config = json.loads((folder / "config.json").read_text()) | {"model_type": family}
    (folder / "config.json").write_text(json.dumps(config))
    return reader_of(folder)


def test_a_first_word_of_the_roberta_family_is_spelled_as_any_other(write_checkpoint):
    reader = byte_level_reader(write_checkpoint("roberta")[0], "roberta")
    assert reader.read(["ab ab"]).ids.tolist() == [0, 7, 7, 1]
    spelling = reader.spell("ab ab")
    assert spelling.pieces == ("<s>", "Ġab", "Ġab", "</s>")
    # The first token's own space is not in the text; the second one's is.
    assert spelling.offsets.tolist() == [[0, 0], [0, 2], [2, 5], [0, 0]]


def test_other_families_texts_stay_as_they_are(write_checkpoint):
    reader = byte_level_reader(write_checkpoint("xlm-roberta")[0], "xlm-roberta")
    assert reader.read(["ab ab"]).ids.tolist() == [0, 5, 7, 1]


def test_texts_lie_end_to_end(write_checkpoint):
    reader = reader_of(write_checkpoint("bert")[0])
    tokens = reader.read(["w1 w2", "w3"])
    assert tokens.lengths.tolist() == [4, 3]
    assert tokens.of(1).tolist() == [1, 7, 2]
    assert reader.special_ids.tolist() == [1, 2]
    assert reader.vocabulary == 30
    assert len(reader.read([])) == 0
