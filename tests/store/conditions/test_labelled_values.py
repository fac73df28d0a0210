"""Labels in conditions."""

import pytest

from semscale.store.column_labels import ColumnLabels
from semscale.store.conditions.labelled_values import with_values
from semscale.store.conditions.parsing import parse_condition

LABELS = {
    "region": ColumnLabels(values={"1": "north", "2": "south", "3": "south"}),
    "code": ColumnLabels(values={"a": "b", "b": "c"}),
}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("region = 'north'", "region = '1'"),
        (
            "not (region in ('north', '2') and region != 'north')",
            "not (region in ('1', '2') and region != '1')",
        ),
        ("region = 'south' or age > 3", "region = 'south' or age > 3"),  # two values have this label
        ("region = 1", "region = 1"),
        ("other = 'north'", "other = 'north'"),
        ("code = 'b'", "code = 'b'"),  # a value is meant before a label
        ("region is missing", "region is missing"),
    ],
)
def test_a_label_stands_for_its_value(text, meant):
    assert with_values(parse_condition(text), LABELS) == parse_condition(meant)
