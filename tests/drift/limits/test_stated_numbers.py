import pytest

from semscale.drift.limits.stated_numbers import n_numbers, states_any_number
from semscale.history.items import Item, Output


@pytest.mark.parametrize(
    ("text", "certain", "has_any"),
    [
        ("It rose by 10 % in 1995.", 2, True),
        ("Two plugs at 5 volts.", 2, True),
        ("One of them is the first.", 0, True),  # both are vague
        ("It is hot.", 0, False),
        ("", 0, False),
        (None, 0, False),
    ],
)
def test_digits_and_words_are_counted_and_vague_ones_are_not(text, certain, has_any):
    item = Item("1", (Output(text),))
    assert n_numbers([item]).tolist() == [certain]
    assert states_any_number([item]).tolist() == [has_any]


def test_outputs_of_an_item_count_together():
    items = [Item("1", (Output("Two."), Output("3 and 4."))), Item("2", ())]
    assert n_numbers(items).tolist() == [3, 0]
    assert states_any_number(items).tolist() == [True, False]
