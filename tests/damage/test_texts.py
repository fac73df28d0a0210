"""All kinds of damage to texts, on odd and on long texts."""

import pytest
from always import Always
from hypothesis import given
from hypothesis import strategies as st

from semscale.damage.rewriting import negated, paraphrased, renumbered, truncated


@given(st.text(max_size=200))
def test_no_text_is_too_odd(text):
    for change in (negated, renumbered, truncated, lambda text: paraphrased(text, Always())):
        changed = change(text)
        assert changed is None or changed != text


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", [" " * 50_000, "\n" * 50_000, "1.\t" * 20_000, "e.g. " * 10_000])
def test_long_odd_texts_end_soon(
    text,
):  # with a search that starts over at each character, this takes a minute
    for change in (negated, renumbered, truncated, lambda text: paraphrased(text, Always())):
        assert change(text) != text
