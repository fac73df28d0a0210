"""All kinds of damage to texts, on odd and on long texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.always import Always

from semscale.damage.rewriting import change_numbers, negate, paraphrase, truncate


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text):
    for change in (negate, change_numbers, truncate, lambda text: paraphrase(text, Always())):
        changed = change(text)
        assert changed is None or changed != text


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", [" " * 50_000, "\n" * 50_000, "1.\t" * 20_000, "e.g. " * 10_000])
def test_long_odd_texts_end_soon(
    text,
):  # with a search that starts over at each character, this takes a minute
    for change in (negate, change_numbers, truncate, lambda text: paraphrase(text, Always())):
        assert change(text) != text
