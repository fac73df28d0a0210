import warnings

import pytest

from semscale.compat.uqlm.not_applied import warn_of_ignored


@pytest.mark.parametrize("name", ["use_best", "best_response_selection", "grader_llm"])
def test_what_would_change_a_result_warns(name):
    with pytest.warns(UserWarning, match=f"{name} is not applied: "):
        warn_of_ignored({name: "given"})


def test_what_changes_nothing_or_is_not_asked_for_does_not_warn():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warn_of_ignored({"device": "cpu", "use_best": False, "grader_llm": None})
    assert told == []
