"""Settings of a draw that go together, and those that do not."""

import pytest

from semscale.errors import InputError
from semscale.tabulation.sample_columns import SampleColumns


def test_columns_are_named_by_their_purpose():
    columns = SampleColumns(weight="w", fpc="N", margins={"sex": {"f": 1}}, weight_bounds=(0.3, 3))
    assert columns.named() == {"weight": "w", "fpc": "N", "raked_to sex": "sex"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rho": 0.5}, "rho and rscales belong to replicates"),
        ({"replicates": "rw*"}, "replicates need weight"),
        ({"replicates": "rw*", "weight": "w"}, "replicates need replicate_type"),
        (
            {"replicates": "rw*", "weight": "w", "replicate_type": "jk1", "strata": "s"},
            "strata does not go with replicates",
        ),
        (
            {"replicates": "rw*", "weight": "w", "replicate_type": "jk1", "fpc": "N"},
            "fpc does not go with replicates",
        ),
        ({"rscales": (0.5,)}, "rscales belong to replicates"),
        ({"replicates": "rw*", "weight": "w", "replicate_type": "jkn"}, "jkn needs them"),
        (
            {"replicates": "rw*", "weight": "w", "replicate_type": "jk1", "rscales": (0.5,)},
            "rscales belong to jkn",
        ),
        (
            {"replicates": "rw*", "weight": "w", "replicate_type": "jkn", "rscales": (-1.0,)},
            "rscales must be numbers >= 0, got -1",
        ),
        ({"weight_bounds": (0.3, 3)}, "weight_bounds belongs to raked_to"),
        ({"margins": {"sex": {"f": 1}}, "weight_bounds": (1.5, 3)}, "weight_bounds must be .* got 1.5 and 3"),
        ({"margins": {"sex": {"f": 1}}, "weight_bounds": (float("nan"), 3)}, "got nan and 3"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        SampleColumns(**settings)
