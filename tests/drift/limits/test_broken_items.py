"""Which items break a limit: every case is small enough to be decided by hand."""

import numpy as np
import pytest

from semscale.drift.limits.broken_items import RunOutputs, broken_items, fields_of
from semscale.history.items import Item, Output


def items(*outputs, fields=None):
    """An item for each list of texts; every output has these fields."""
    return [
        Item(str(place), tuple(Output(text, fields or {}) for text in texts))
        for place, texts in enumerate(outputs)
    ]


def found(baseline, candidate, *reruns, numbers=None, lost_share=0.5, silence_checked=True):
    run = RunOutputs(candidate, None if numbers is None else np.array(numbers))
    return broken_items(
        baseline,
        run,
        [RunOutputs(one) for one in reruns],
        lost_share=lost_share,
        silence_checked=np.full(len(baseline), silence_checked),
    )


ALONE = {"lost_share": 0.5, "silence_checked": np.ones(2, dtype=bool)}
ANSWERED = [["Good."], ["Right.", "But short."], []]


def test_an_answered_item_that_is_silent_breaks_silenced():
    silenced = found(items(*ANSWERED), items([], ["  "], []))["silenced"]
    assert silenced.broken.tolist() == [True, True, False]  # the third had nothing to lose
    assert silenced.counted.tolist() == [True, True, False]
    assert not silenced.excused.any()


def test_silence_of_a_rerun_excuses():
    silenced = found(items(*ANSWERED), items([], [], []), items(["Good."], [], []))["silenced"]
    assert silenced.broken.tolist() == [True, False, False]
    assert silenced.excused.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("before", "after", "is_broken"),
    [(4, 1, True), (4, 2, False), (2, 1, False), (3, 1, True), (1, 1, False), (3, 5, False)],
)
def test_a_list_breaks_if_it_lost_more_than_half(before, after, is_broken):
    lost = found(items(["Yes."] * before), items(["Yes."] * after))["lost_outputs"]
    assert lost.broken.tolist() == [is_broken]


def test_a_silent_item_is_not_a_shorter_list():
    lost = found(items(["Yes."] * 4, ["Yes."]), items([], ["Yes."]))["lost_outputs"]
    assert not lost.broken.any()
    assert lost.counted.tolist() == [False, True]  # nor does it count as holding the limit


def test_where_silence_is_not_checked_an_emptied_list_is_lost():
    before, now = items(["Yes."] * 3, ["Yes."], ["Yes."] * 3), items([], [], ["Yes."] * 3)
    lost = found(before, now, silence_checked=False)["lost_outputs"]
    assert lost.broken.tolist() == [True, False, False]  # a single output is no list
    assert lost.counted.tolist() == [True, False, True]
    excused = found(before, now, now, silence_checked=False)["lost_outputs"]
    assert (excused.broken.any(), excused.excused.tolist()) == (False, [True, False, False])


def test_a_silent_item_does_not_count_as_keeping_its_fields_and_numbers():
    before = items(["Divide by 4."], ["Take 5."], fields={"credits": 1.0})
    now = items([], ["Take 5."], fields={"credits": 1.0})
    both = found(before, now, numbers=[1.0, 0.0])
    assert both["lost_fields"].counted.tolist() == [False, True]
    assert both["changed_numbers"].counted.tolist() == [False, True]


def test_an_item_without_any_number_left_has_other_numbers():
    before = items(["Divide by 4.", "Well argued."], ["Take 5."], ["Take 6 mg."])
    now = items(["Divide by it.", "Well argued."], ["Take five."], ["Take some."])
    broken = found(before, now, before, numbers=[0.0, 0.0, 0.0])["changed_numbers"]
    assert broken.broken.tolist() == [True, False, True]  # "five" is still a number
    rerun = items(["Divide by 4.", "Well argued."], ["Take 5."], ["Take a little."])
    excused = found(before, now, rerun, numbers=[0.0, 0.0, 0.0])["changed_numbers"]
    assert excused.broken.tolist() == [True, False, False]
    assert excused.excused.tolist() == [False, False, True]


def test_without_a_rerun_nobody_knows_whether_a_number_is_left_out_by_chance():
    found_alone = found(items(["Divide by 4."]), items(["Divide by it."]), numbers=[0.0])
    assert not found_alone["changed_numbers"].broken.any()


def test_a_list_is_held_against_the_shortest_of_baseline_and_reruns():
    # 4 outputs, then 1: three quarters are lost. A rerun had 2, and of 2 just half is lost.
    lost = found(items(["Yes."] * 4), items(["Yes."]), items(["Yes."] * 4), items(["Yes."] * 2))[
        "lost_outputs"
    ]
    assert not lost.broken.any()
    assert lost.excused.tolist() == [True]


def test_another_share_may_be_lost():
    assert found(items(["Yes."] * 4), items(["Yes."] * 2), lost_share=0.4)["lost_outputs"].broken.all()


def test_a_field_that_all_outputs_had_and_none_has_is_lost():
    before = items(["Good.", "Short."], fields={"credits": 1.0, "cost": 2.0})
    lost = found(before, items(["Good.", "Short."], fields={"cost": 2.0}))["lost_fields"]
    assert lost.broken.tolist() == [True]
    one_left = [Item("0", (Output("Good."), Output("Short.", {"credits": 0.5, "cost": 2.0})))]
    assert not found(before, one_left)["lost_fields"].broken.any()


def test_a_number_that_is_nan_is_no_field():
    before = items(["Good."], fields={"credits": 1.0})
    assert found(before, items(["Good."], fields={"credits": float("nan")}))["lost_fields"].broken.all()


def test_a_field_that_a_rerun_lacks_is_no_loss_but_another_one_is():
    before = items(["Good."], fields={"credits": 1.0, "cost": 2.0})
    rerun = items(["Good."], fields={"cost": 2.0})
    assert not found(before, rerun, rerun)["lost_fields"].broken.any()
    assert found(before, items(["Good."]), rerun)["lost_fields"].broken.all()


def test_a_field_that_only_some_outputs_had_is_not_the_items():
    assert fields_of(Item("1", (Output("Good.", {"credits": 1.0}), Output("Short.")))) == frozenset()
    assert not found(items(["Good."]), items(["Good."]))["lost_fields"].counted.any()


def test_items_with_numbers_count_for_changed_numbers():
    texts = ["Divide by 4."], ["Well argued."], ["Take 5 mg."]
    changed = found(items(*texts), items(*texts), numbers=[1.0, 1.0, np.nan])["changed_numbers"]
    assert changed.counted.tolist() == [True, False, False]  # no number; nothing known
    assert changed.unchecked.tolist() == [False, False, True]
    assert changed.broken.tolist() == [True, False, False]


def test_items_with_numbers_in_another_language_count_and_their_totals_too():
    texts = ["Teilen Sie es durch 4."], ["Gut begründet."], ["Nehmen Sie drei Tabletten."]
    both = found(items(*texts), items(*texts), numbers=[1.0, 0.0, 0.0])
    assert both["changed_numbers"].counted.tolist() == [True, False, False]  # words are not compared
    assert both["changed_numbers"].broken.tolist() == [True, False, False]
    assert both["fewer_numbers"].counts.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_an_unknown_number_word_may_stand_for_the_number():
    before = items(["Proszę wziąć 3 tabletki dziennie."], ["Nehmen Sie 3 Tabletten am Tag."])
    now = items(["Proszę wziąć trzy tabletki dziennie."], ["Nehmen Sie Tabletten am Tag."])
    changed = found(before, now, before, numbers=[0.0, 0.0])["changed_numbers"]
    assert changed.broken.tolist() == [False, True]  # German number words are known: there is none


def test_a_silent_item_has_no_other_numbers():
    """Its loss is the greatest in every metric, of changed numbers as well."""
    changed = found(items(["Divide by 4."]), items([]), numbers=[1.0])["changed_numbers"]
    assert not changed.broken.any()


def test_other_numbers_of_a_rerun_excuse_and_its_silence_does_not():
    before, now = items(["Divide by 4."], ["Take 5."]), items(["Divide by 40."], ["Take 6."])
    other = RunOutputs(items(["Divide by 3."], []), np.array([1.0, 1.0]))
    changed = broken_items(before, RunOutputs(now, np.array([1.0, 1.0])), [other], **ALONE)
    assert changed["changed_numbers"].broken.tolist() == [False, True]
    assert changed["changed_numbers"].excused.tolist() == [True, False]


def test_changed_numbers_that_were_not_measured_are_not_judged():
    assert "changed_numbers" not in found(items(["Divide by 4."]), items(["Divide by 40."]))


def test_texts_without_words_are_silent_where_the_baseline_has_words():
    # A baseline of stars alone has nothing to lose by other stars; a thumb says something.
    before = items(["Good."], ["***"], ["Good."], ["Good.", "But short."])
    both = found(before, items(["-"], ["**"], ["\U0001f44d"], ["null", "But short."]))
    assert both["silenced"].broken.tolist() == [True, False, False, False]
    assert both["fewer_outputs"].counts[:, 0].tolist() == [0, 1, 1, 1]


def test_an_item_is_refused_if_all_its_outputs_decline_and_the_baselines_did_not():
    no = "I cannot help with that."
    before = items(["Good."], ["Good.", "But short."], [no], ["Good."])
    refused = found(before, items([no], [no, "But short."], [no], []))["refused"]
    assert refused.broken.tolist() == [True, False, False, False]
    again = found(before, items([no], [no], [no], [no]), items([no], ["Fine."], ["Fine."], ["Fine."]))
    assert again["refused"].broken.tolist() == [False, True, False, True]
    assert again["refused"].excused.tolist() == [True, False, False, False]
