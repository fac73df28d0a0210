import pytest

from semscale.drift.runs.item_matching import ItemMatching, match_items
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run


def run(**inputs):
    return Run("exam", "m", tuple(Item(name, (), asked) for name, asked in inputs.items()))


def test_all_items_match_in_any_order():
    found = match_items(run(a="A?", b="B?"), run(b="B?", a="A?"))
    assert (found.common, found.n_left_out, found.new) == (("a", "b"), 0, ())
    assert found.versions[0] == found.versions[1]


def test_an_input_that_occurs_twice_is_not_looked_for():
    # "Twice?" could be either of two items.
    found = match_items(run(a="Twice?", b="Twice?", c="C?"), run(x="Twice?", y="C?"))
    assert found.moved == (("c", "y"),)
    assert found.lost == ("a", "b", "c")


def test_swapped_ids_are_other_items_that_moved():
    found = match_items(run(a="A?", b="B?", c="C?"), run(a="B?", b="A?", c="C?"))
    assert (found.common, found.changed, found.lost, found.new) == (("c",), ("a", "b"), (), ())
    assert found.moved == (("a", "b"), ("b", "a"))


def test_an_input_that_only_one_run_has_is_refused():
    with pytest.raises(InputError, match="inputs: only one of the runs has those of 'a'"):
        match_items(run(a="A?"), run(a=None))


def test_the_record_has_every_id():
    record = match_items(run(a="A?", b="B?"), run(a="A?", c="B?")).record()
    assert record.pop("baseline_version") != record.pop("candidate_version")
    assert record == {
        "common": 1,
        "lost": ("b",),
        "new": ("c",),
        "changed": (),
        "moved": [{"baseline": "b", "candidate": "c"}],
    }
    assert ItemMatching().record()["baseline_version"] is None
