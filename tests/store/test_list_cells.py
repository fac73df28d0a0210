import pytest

from semscale.errors import InputError
from semscale.store.columns import listed_cell


def listed(cell, *, only_nulls=True):
    return listed_cell(cell, parameter="sample", column="s", row=2, only_nulls=only_nulls)


@pytest.mark.parametrize(
    ("cell", "items"),
    [
        (["a", None], ["a", None]),
        (' ["a", null]', ["a", None]),
        ("[]", []),
        ("[1, 2]", ["[1, 2]"]),
        ("[see note]", ["[see note]"]),
        ("[" * 100_000, ["[" * 100_000]),
        ("a", ["a"]),
        (3, [3]),
        (None, [None]),
    ],
)
def test_a_cell_is_a_list_or_one_value(cell, items):
    assert listed(cell) == items


def test_nulls_alone_are_a_list_only_where_they_may_be():
    assert listed("[null]") == [None]
    assert listed("[null]", only_nulls=False) == ["[null]"]


def test_a_broken_list_is_named_with_its_row():
    with pytest.raises(InputError, match="sample: column 's' has a list that is no valid JSON in data row 3"):
        listed('["Paris", ')
