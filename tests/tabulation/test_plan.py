"""Settings that do not go together."""

import pytest

from semscale.errors import InputError
from semscale.tabulation.plan import TablePlan
from semscale.tabulation.sample_columns import SampleColumns


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"questions": ()}, "question must name at least one"),
        ({"questions": ("q", "q")}, "question: 'q' is named twice"),
        ({"wave": "g"}, "wave: 'g' is a banner as well"),
        ({"wave_order": ("a", "b")}, "wave_order belongs to wave"),
        ({"sample": SampleColumns(pair_by="id")}, "pair_by belongs to wave"),
        ({"scales": {"p": "quality"}}, "scales: 'p' is none of the questions"),
        ({"missing": {"p": ("9",)}}, "missing: 'p' is none of the questions"),
        ({"missing": {"": (" ",)}}, "missing must be codes"),
        ({"numeric": ("p",)}, "numeric: 'p' is none of the questions"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        TablePlan(**{"questions": ("q",), "banners": ("g",), **settings})
