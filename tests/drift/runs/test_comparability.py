from dataclasses import replace

import pytest

from semscale.drift.runs.comparability import check_comparable, check_rerun
from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.history.runs import Run


def item(name, text="Yes.", **changes):
    settings = {"input": f"Question {name}?", "groups": {"topic": "t"}} | changes
    return Item(name, (Output(text, {"credits": 1.0}),), **settings)


BASELINE = Run("exam", "m1", (item("a"), item("b"), item("c")))


def candidate(*items, dataset="exam"):
    return Run(dataset, "m2", items or BASELINE.items)


def test_items_come_in_the_baselines_order_and_the_rest_stays():
    given = candidate(item("c", "C."), item("a", "A."), item("b", "B."))
    found = check_comparable(BASELINE, given)
    assert [(one.id, one.outputs[0].text) for one in found.items] == [("a", "A."), ("b", "B."), ("c", "C.")]
    assert (found.id, found.model, found.recorded) == (given.id, "m2", given.recorded)
    assert [one.id for one in given.items] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (candidate(dataset="essay"), "dataset: the baseline is of 'exam', the candidate of 'essay'"),
        (
            candidate(item("b")),
            "candidate lacks 'a', 'c' of the baseline; record every item, with no outputs w",
        ),
        (candidate(*BASELINE.items, item("d")), "items: the baseline lacks 'd' of the candidate"),
        (
            candidate(item("a"), item("b", input="Other?"), item("c")),
            "inputs: the candidate was asked something else in 'b'",
        ),
        (
            candidate(*(item(name, input=None) for name in "abc")),
            "inputs: only one of the runs has those of 'a', 'b', 'c'",
        ),
        (
            candidate(item("a"), item("b", groups={"topic": "u"}), item("c")),
            "groups: 'b' has topic 't' in the baseline and 'u' in the candidate",
        ),
        (
            candidate(item("a"), item("b"), item("c", groups={})),
            "groups: 'c' has topic 't' in the baseline and none in the candidate",
        ),
        (
            candidate(item("a", groups={"topic": "t", "year": "1"}), item("b"), item("c")),
            "groups: 'a' has year none in the baseline and '1' in the candidate",
        ),
        (
            candidate(*(replace(item(name), outputs=(Output("Yes."),)) for name in "abc")),
            "fields: the candidate has no 'credits', which the baseline has; record its outputs with it",
        ),
    ],
)
def test_runs_that_cannot_be_compared_are_refused_with_what_differs(given, message):
    with pytest.raises(InputError, match=message):
        check_comparable(BASELINE, given)


def test_a_silent_candidate_can_be_compared_without_fields():
    for outputs in ((), (Output(None), Output(" "))):
        silent = candidate(*(replace(item(name), outputs=outputs) for name in "abc"))
        assert check_comparable(BASELINE, silent).items == silent.items


def test_fields_that_only_the_candidate_has_are_no_hindrance():
    plain = replace(BASELINE, items=tuple(replace(one, outputs=(Output("Yes."),)) for one in BASELINE.items))
    assert check_comparable(plain, candidate()).fields == ("credits",)


def test_of_many_ids_a_few_are_named():
    many = Run("exam", "m1", tuple(item(str(number)) for number in range(9)))
    with pytest.raises(InputError, match="lacks '1', '2', '3', '4', '5' and 3 more of the baseline"):
        check_comparable(many, candidate(item("0")))


def test_a_rerun_that_says_nothing_is_refused_and_an_incomplete_one_is_not():
    silent = [replace(one, outputs=()) for one in BASELINE.items]
    with pytest.raises(InputError, match="says nothing in any item, and the baseline something in 3"):
        check_rerun(BASELINE, candidate(*silent))
    incomplete = candidate(*silent[:2], BASELINE.items[2])
    assert check_rerun(BASELINE, incomplete) == incomplete
