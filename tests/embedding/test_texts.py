"""Checks of input texts, and distinct texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.embedding.texts import checked_texts, distinct
from semscale.errors import InputError


@given(st.lists(st.sampled_from(["a", "b", "c", ""])))
def test_distinct_texts_give_the_texts_again(texts):
    found, where = distinct(texts)
    assert [found[place] for place in where] == texts
    assert found == sorted(set(texts), key=texts.index)
    assert where.dtype == np.int64


def test_lists_of_strings_are_returned_unchanged():
    texts = ["a", ""]
    assert checked_texts(texts) is texts


def test_one_string_is_no_list_of_texts():
    with pytest.raises(InputError, match=r"texts must be a list of strings, got one string: \['good'\]"):
        checked_texts("good")


@pytest.mark.parametrize("other", [None, 3, b"good"])
def test_an_item_that_is_no_string_is_named(other):
    with pytest.raises(InputError, match=rf"texts\[1\] must be a string, got {type(other).__name__}"):
        checked_texts(["good", other])
