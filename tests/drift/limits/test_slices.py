import pytest
from made_up import comparison

from semscale.drift.limits.slices import each_slice, read_slices, slice_members
from semscale.errors import InputError, UnknownNameError

MADE = comparison({"match": [0.1] * 3}, groups={"exercise": ["a", "b", "a"]})


def test_slices_are_read_from_nested_mappings():
    ((group, own),) = each_slice(read_slices({"exercise": {6715: {"limits": {"silenced": 2}}}}))
    assert group == ("exercise", "6715")
    assert (own.limits, own.material, own.thresholds) == ({"silenced": 2}, {}, {})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "slices must be kinds of groups"),
        ({"exercise": ["a"]}, "slices must be kinds of groups"),
        ({"exercise": {"a": 3}}, "slices, exercise a must hold material, limits or thresholds"),
        (
            {"exercise": {"a": {"limit": {}}}},
            "slices, exercise a: unknown key 'limit': did you mean 'limits'",
        ),
        ({"exercise": {"a": {"limits": {"silence": 1}}}}, "slices, exercise a: unknown limit 'silence'"),
        ({"exercise": {"a": {"material": {"match": "x"}}}}, "slices, exercise a: material, match"),
    ],
)
def test_a_wrong_slice_is_refused_by_name(given, said):
    with pytest.raises(InputError, match=said):
        read_slices(given)


def test_members_are_the_items_of_the_group():
    members = slice_members(MADE, read_slices({"exercise": {"a": {}}}))
    assert {group: inside.tolist() for group, inside in members.items()} == {
        ("exercise", "a"): [True, False, True]
    }


@pytest.mark.parametrize(
    ("slices", "said"),
    [
        ({"exercise": {"aa": {}}}, "exercise in slices 'aa': did you mean 'a'"),
        ({"topic": {"a": {}}}, "topic"),
    ],
)
def test_a_slice_that_does_not_exist_is_refused(slices, said):
    with pytest.raises(UnknownNameError, match=said):
        slice_members(MADE, read_slices(slices))
