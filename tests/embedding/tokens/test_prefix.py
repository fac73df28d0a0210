"""A model's prefix: its field in signatures, and the tokens before and after every text."""

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from semscale.embedding.tokenizer import prefix_setting, tokens_around
from semscale.signature import Signature


@pytest.fixture
def tokenizer():
    vocabulary = {"[CLS]": 0, "[SEP]": 1, "query": 2, ":": 3, "a": 4}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="a"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    return made


@pytest.mark.parametrize(
    ("prefix", "ends"), [("", (1, 1)), (" ", (1, 1)), ("query: ", (3, 1)), ("query:", (3, 1))]
)
def test_special_tokens_and_those_of_the_prefix_stand_around_a_text(tokenizer, prefix, ends):
    assert tokens_around(tokenizer, prefix) == ends


def test_prefixes_that_differ_have_fields_that_differ_and_can_stand_in_a_signature():
    shown = {
        str(Signature.of("embed", **prefix_setting(each))) for each in ("query: ", "query_ ", "query:", "a|b")
    }
    assert len(shown) == 4
