"""Checks of texts, distinct texts, and the progress of a part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.embedding.texts import answer_status, distinct, shift_progress, text_status, validate_texts
from semscale.errors import InputError
from semscale.types import Status


@given(st.lists(st.sampled_from(["a", "b", "c", ""])))
def test_distinct_texts_give_the_texts_again(texts):
    unique, where = distinct(texts)
    assert [unique[index] for index in where] == texts
    assert unique == sorted(set(texts), key=texts.index)
    assert where.dtype == np.int64


def test_strings_are_returned_unchanged():
    assert validate_texts(("a", "", "😀")) == ["a", "", "😀"]


def test_half_a_surrogate_pair_becomes_the_replacement_character():
    assert validate_texts(["a\ud83d", "\udfffb"]) == ["a\ufffd", "\ufffdb"]


def test_a_text_is_too_long_from_the_first_character_beyond_the_limit():
    assert text_status("x" * 100_000) is Status.SCORED
    assert text_status("x" * 100_001) is Status.TOO_LONG
    assert text_status("x" * 100_001, most_characters=None) is Status.SCORED
    assert answer_status("x" * 100_001) is Status.TOO_LONG
    assert validate_texts(["x" * 100_000]) == ["x" * 100_000]
    with pytest.raises(InputError, match=r"texts\[1\] must have at most 100,000 characters, got 100,001"):
        validate_texts(["x", "x" * 100_001])


def test_single_string_is_refused_as_a_list_of_texts():
    with pytest.raises(InputError, match=r"texts must be a list of strings, got one string: \['good'\]"):
        validate_texts("good")


@pytest.mark.parametrize("other", [None, 3, b"good"])
def test_an_item_that_is_no_string_is_named(other):
    with pytest.raises(InputError, match=rf"texts\[1\] must be a string, got {type(other).__name__}"):
        validate_texts(["good", other])


def test_shifted_progress_adds_the_earlier_steps():
    events = []
    shift_progress(lambda *step: events.append(step), 8, 20)("embedding", 3, 4)
    assert events == [("embedding", 11, 20)]


def test_shifted_progress_without_a_callback_is_none():
    assert shift_progress(None, 8, 20) is None
