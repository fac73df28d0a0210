"""Outputs without a text."""

import pytest

from semscale.history.items import Item, Output


@pytest.mark.parametrize(("text", "silent"), [(None, True), ("", True), (" \n", True), ("0", False)])
def test_blank_outputs_are_silent(text, silent):
    assert Output(text, {"credits": 1.0}).is_silent is silent


def test_outputs_with_a_text_keep_their_order():
    item = Item("1", (Output("b"), Output(None), Output("a")))
    assert item.outputs_with_text == (Output("b"), Output("a"))
