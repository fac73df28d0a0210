"""Items that two runs share, their languages, and ids in common with earlier runs."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from semscale.drift.runs import (
    ItemMatching,
    OutputLanguage,
    SharedIds,
    check_comparable,
    check_rerun,
    count_shared_ids,
    match_items,
    match_runs,
    output_languages,
)
from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run
from semscale.signature import Signature
from semscale.weights.known import KNOWN


def asked(**inputs):
    return Run("exam", "m", tuple(Item(name, (), asked) for name, asked in inputs.items()))


def test_all_items_match_in_any_order():
    result = match_items(asked(a="A?", b="B?"), asked(b="B?", a="A?"))
    assert (result.common, result.n_left_out, result.new) == (("a", "b"), 0, ())
    assert result.versions[0] == result.versions[1]


def test_an_input_that_occurs_twice_is_not_looked_for():
    # "Twice?" could be either of two items.
    result = match_items(asked(a="Twice?", b="Twice?", c="C?"), asked(x="Twice?", y="C?"))
    assert result.moved == (("c", "y"),)
    assert result.lost == ("a", "b", "c")


def test_swapped_ids_are_other_items_that_moved():
    result = match_items(asked(a="A?", b="B?", c="C?"), asked(a="B?", b="A?", c="C?"))
    assert (result.common, result.changed, result.lost, result.new) == (("c",), ("a", "b"), (), ())
    assert result.moved == (("a", "b"), ("b", "a"))


def test_an_input_that_only_the_baseline_has_is_refused():
    with pytest.raises(InputError, match="inputs: only one of the runs has those of 'a'"):
        match_items(asked(a="A?"), asked(a=None))


def test_the_record_has_every_id():
    record = match_items(asked(a="A?", b="B?"), asked(a="A?", c="B?")).record()
    assert record.pop("baseline_version") != record.pop("candidate_version")
    assert record == {
        "common": 1,
        "lost": ("b",),
        "new": ("c",),
        "changed": (),
        "moved": [{"baseline": "b", "candidate": "c"}],
    }
    assert ItemMatching().record()["baseline_version"] is None


def item(name, text="Yes.", **changes):
    settings = {"input": f"Question {name}?", "groups": {"topic": "t"}} | changes
    return Item(name, (Output(text, {"credits": 1.0}),), **settings)


BASELINE = Run("exam", "m1", (item("a"), item("b"), item("c")))


def candidate(*items, dataset="exam"):
    return Run(dataset, "m2", items or BASELINE.items)


def test_items_come_in_the_baselines_order_and_the_rest_stays():
    candidate_items = candidate(item("c", "C."), item("a", "A."), item("b", "B."))
    result = check_comparable(BASELINE, candidate_items)
    assert [(entry.id, entry.outputs[0].text) for entry in result.items] == [
        ("a", "A."),
        ("b", "B."),
        ("c", "C."),
    ]
    assert (result.id, result.model, result.recorded) == (candidate_items.id, "m2", candidate_items.recorded)
    assert [entry.id for entry in candidate_items.items] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("candidate_items", "message"),
    [
        (candidate(dataset="essay"), "dataset: the baseline is of 'exam', the candidate of 'essay'"),
        (
            candidate(item("b")),
            "candidate has no 'a', 'c', which the baseline has; record every item, with no outputs w",
        ),
        (candidate(*BASELINE.items, item("d")), "items: the baseline has no 'd', which the candidate has"),
        (
            candidate(item("a"), item("b", input="Other?"), item("c")),
            "inputs: the candidate had other inputs in 'b'",
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
def test_runs_that_cannot_be_compared_are_refused_with_their_difference(candidate_items, message):
    with pytest.raises(InputError, match=message):
        check_comparable(BASELINE, candidate_items)


def test_a_candidate_without_a_field_is_matched_and_breaks_a_limit_of_the_gate():
    ids = [f"item-{number}" for number in range(10)]
    baseline = replace(BASELINE, items=tuple(item(name) for name in ids))
    without = candidate(*(replace(item(name), outputs=(Output("Yes."),)) for name in ids))
    *_, matching = match_runs(baseline, without)
    assert matching.n_left_out == 0


def test_a_silent_candidate_can_be_compared_without_fields():
    for outputs in ((), (Output(None), Output(" "))):
        silent = candidate(*(replace(item(name), outputs=outputs) for name in "abc"))
        assert check_comparable(BASELINE, silent).items == silent.items


def test_fields_that_only_the_candidate_has_are_no_hindrance():
    plain = replace(
        BASELINE, items=tuple(replace(entry, outputs=(Output("Yes."),)) for entry in BASELINE.items)
    )
    assert check_comparable(plain, candidate()).fields == ("credits",)


def test_of_many_ids_a_few_are_named():
    many = Run("exam", "m1", tuple(item(str(number)) for number in range(9)))
    with pytest.raises(InputError, match="has no '1', '2', '3', '4', '5' and 3 more, which the baseline has"):
        check_comparable(many, candidate(item("0")))


MANY = Run("exam", "m1", tuple(item(f"q{number}") for number in range(20)))


def test_a_candidate_that_lacks_some_items_is_compared_in_the_common_items():
    # Of 20 items two are lost, one had other inputs, two are new: 17 are in common.
    candidate_items = [*MANY.items[:1:-1], item("new-1"), item("new-2")]
    candidate_items[0] = replace(candidate_items[0], input="Other?")
    before, after, matching = match_runs(MANY, candidate(*candidate_items))
    assert [entry.id for entry in before.items] == [f"q{number}" for number in range(2, 19)]
    assert [entry.id for entry in after.items] == [entry.id for entry in before.items]
    assert (before.id, after.model) == (MANY.id, "m2")
    assert (matching.lost, matching.new, matching.changed) == (("q0", "q1"), ("new-1", "new-2"), ("q19",))
    assert (matching.n_baseline, matching.n_left_out, matching.moved) == (20, 3, ())
    assert matching.versions == (MANY.dataset_version, candidate(*candidate_items).dataset_version)


def test_a_candidate_with_all_items_and_more_needs_no_number_of_them():
    before, _, matching = match_runs(BASELINE, candidate(*BASELINE.items, item("d")))
    assert before is BASELINE
    assert matching.new == ("d",)


@pytest.mark.parametrize(
    ("n", "n_common", "message"),
    [
        (20, 9, "items: 9 of the baseline's 20 can be compared, and at least 10 are needed: the candidate "
         "has no 'q9', 'q10', 'q11', 'q12', 'q13' and 6 more; record every item"),
        (30, 14, "items: 14 of the baseline's 30 can be compared, and at least 15 are needed"),
        (3, 2, "items: 2 of the baseline's 3 can be compared, and at least 3 are needed: the"),
    ],
)  # fmt: skip
def test_too_few_items_in_common_are_refused(n, n_common, message):
    baseline = Run("exam", "m1", tuple(item(f"q{number}") for number in range(n)))
    with pytest.raises(InputError, match=message):
        match_runs(baseline, candidate(*baseline.items[:n_common]))
    least = max(10, n // 2)
    assert n < 10 or match_runs(baseline, candidate(*baseline.items[:least]))


def test_a_renumbered_dataset_is_reported_as_such():
    # The first item is gone, and all others have moved up by one: each id has another input.
    moved = [replace(entry, id=f"q{index}") for index, entry in enumerate(MANY.items[1:])]
    with pytest.raises(
        InputError,
        match="the dataset was renumbered: 19 of the baseline's 20 inputs are in the candidate under another "
        "id, such as 'q1' under 'q0'; give the items their former ids",
    ):
        match_runs(MANY, candidate(*moved))


def test_other_ids_without_inputs_match_nothing():
    plain = [replace(entry, input=None) for entry in MANY.items]
    renamed = [replace(entry, id=f"other-{entry.id}") for entry in plain]
    with pytest.raises(InputError, match="items: nothing matches: 0 of the baseline's 20 can be compared"):
        match_runs(replace(MANY, items=tuple(plain)), candidate(*renamed))


def test_items_in_common_must_have_the_same_groups_and_fields():
    other = [replace(entry, groups={"topic": "u"}) for entry in MANY.items[:15]]
    with pytest.raises(InputError, match="groups: 'q0' has topic 't' in the baseline and 'u'"):
        match_runs(MANY, candidate(*other))
    with pytest.raises(InputError, match="dataset: the baseline is of 'exam', the candidate of 'essay'"):
        match_runs(MANY, candidate(*MANY.items, dataset="essay"))


def test_a_rerun_without_any_output_is_refused_and_an_incomplete_rerun_accepted():
    silent = [replace(entry, outputs=()) for entry in BASELINE.items]
    with pytest.raises(InputError, match="has no output in any item, and the baseline has some in 3"):
        check_rerun(BASELINE, candidate(*silent))
    incomplete = candidate(*silent[:2], BASELINE.items[2])
    assert check_rerun(BASELINE, incomplete) == incomplete


MINILM = KNOWN["all-MiniLM-L6-v2"]
ENGLISH_MODEL = Signature.of("drift", model=f"{MINILM.name}#{MINILM.sums[MINILM.weights][:12]}")
FRENCH, ENGLISH = "La batterie tient deux jours.", "The battery lasts two days, and it is quiet."


def answered(model, *items):
    numbered = (Item(str(index), tuple(map(Output, texts))) for index, texts in enumerate(items))
    return Run("answers", model, tuple(numbered))


SPOKEN = answered("old", [ENGLISH, ENGLISH], [FRENCH], ["Paris"])
SPOKEN_ANEW = answered("new", [ENGLISH], [FRENCH, FRENCH], [])


def test_outputs_of_both_runs_are_counted_by_language():
    assert output_languages(SPOKEN, SPOKEN_ANEW, ENGLISH_MODEL) == (
        OutputLanguage("en", baseline=2, candidate=1, read=True),
        OutputLanguage("fr", baseline=1, candidate=2, read=False),
        OutputLanguage(None, baseline=1, candidate=0, read=None),
    )


def test_no_language_is_reported_for_a_model_with_unknown_languages():
    result = output_languages(SPOKEN, SPOKEN_ANEW, Signature.of("drift", model="my-folder#0123"))
    assert {entry.read for entry in result} == {None}


def named_run(names, hour, **fields):
    items = tuple(Item(name, (Output("Yes."),)) for name in names)
    return Run("exam", "m", items, recorded=datetime(2026, 1, 1, hour, tzinfo=UTC), **fields)


@pytest.fixture
def history(tmp_path):
    from semscale.history.history import open_history

    with open_history(str(tmp_path / "history.sqlite")) as result:
        yield result


def test_the_baseline_counts_before_the_latest_run_and_a_rerun_never(history):
    first, second = named_run("abcd", 1), named_run("cde", 2)
    assert count_shared_ids(history, first) is None
    history.record(first)
    assert count_shared_ids(history, first) is None
    history.record(second)
    history.record(named_run("abcd", 3, rerun_of=first.id))
    # c and e of c, d, e; the rerun, which is later, does not count.
    assert count_shared_ids(history, named_run("cex", 4)) == SharedIds(second.id, False, 2, 3)
    history.approve(Approval(first.id, "exam", "Ann", "x"))
    # c of a, b, c, d.
    assert count_shared_ids(history, named_run("cex", 4)) == SharedIds(first.id, True, 1, 4)
    assert count_shared_ids(history, named_run("x", 4)) == SharedIds(first.id, True, 0, 4)
    assert count_shared_ids(history, first) is None
    assert count_shared_ids(history, named_run("x", 4, rerun_of=first.id)) is None
