import numpy as np
import pytest

from semscale.errors import InputError
from semscale.guards.findings import Finding, Span
from semscale.matching.matches import Matches
from semscale.signature import Signature
from semscale.types import Status

FINDING = Finding("negation", "negated-prediction", "The prediction negates it.", Span(0, 3, "not"), None)


def matches(**changed):
    values = {
        "score": np.array([0.5, np.nan]),
        "status": np.array([Status.SCORED, Status.EMPTY], dtype=object),
        "reference": np.array([0, -1]),
        "windows": np.array([1, 0]),
        "signature": Signature.of("match"),
        "components": {"word": np.array([0.4, np.nan])},
        "findings": ((FINDING,), ()),
    }
    return Matches(**{**values, **changed})


def test_what_is_missing_is_null_in_the_table():
    table = matches().to_frame()
    assert table.columns == ["status", "score", "reference", "windows", "word", "findings"]
    assert table.row(1) == ("empty", None, None, 0, None, [])


def test_findings_are_structs_whose_absent_side_is_null():
    (result,) = matches().to_frame()["findings"][0].to_list()
    assert result["prediction"] == "not"
    assert result["reference"] is None


def test_statuses_are_counted_in_their_order():
    assert matches().counts == {Status.SCORED: 1, Status.EMPTY: 1}
    assert len(matches()) == 2


def test_means_are_estimated_overall_and_per_group():
    result = matches(
        score=np.array([0.2, 0.4, np.nan, 0.9]),
        status=np.array([Status.SCORED, Status.SCORED, Status.EMPTY, Status.SCORED], dtype=object),
    )
    estimates = result.estimate(by=["b", "b", "a", None])
    assert estimates.overall.mean.value == pytest.approx(0.5)  # (.2 + .4 + .9) / 3
    assert estimates.overall.left_out == {"empty": 1}
    assert [group.group for group in estimates.groups] == ["b", "a", None]
    b, a, nameless = estimates.groups
    assert (a.n, a.mean) == (0, None)
    assert b.mean.value == pytest.approx(0.3)
    assert nameless.mean.value == 0.9


def test_groups_of_another_length_are_refused():
    with pytest.raises(InputError, match="by must have 2 rows, one for each row of the result, got 1"):
        matches().estimate(by=["a"])
