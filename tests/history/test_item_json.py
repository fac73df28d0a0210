"""Items survive their way through the database, whatever a model says."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.history.items import Item, Output, dump_item, has_surrogates, load_item

TEXTS = st.text(st.characters(codec=None, exclude_categories=[]), max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
OUTPUTS = st.builds(Output, st.none() | TEXTS, st.dictionaries(TEXTS, NUMBERS, max_size=2))
ITEMS = st.builds(
    Item,
    TEXTS,
    st.lists(OUTPUTS, max_size=3).map(tuple),
    st.none() | TEXTS,
    st.dictionaries(TEXTS, TEXTS, max_size=2),
)


@given(ITEMS)
def test_every_item_comes_back_equal_and_its_text_can_be_stored(item):
    text = dump_item(item)
    assert load_item(text) == item
    assert "\0" not in text
    assert "\n" not in text
    assert not has_surrogates(text)


def test_a_missing_number_comes_back_as_nan():
    item = load_item(dump_item(Item("a", (Output("x", {"credits": math.nan}),))))
    assert math.isnan(item.outputs[0].fields["credits"])


def test_an_infinite_number_is_refused():
    with pytest.raises(InputError, match="credits of item 'a' must be finite, got inf"):
        dump_item(Item("a", (Output("x", {"credits": math.inf}),)))


def test_what_is_not_there_takes_no_room():
    assert dump_item(Item("a", (Output(None),))) == '{"id": "a", "outputs": [{"text": null}]}'
