"""Notes about intervals from few rows, from equal ones, and from few that differ."""

import numpy as np

import semscale
from semscale.results.tallies import estimate_values
from semscale.signature import Signature
from semscale.types import Status


def estimated(values, **settings):
    return estimate_values(
        {"score": np.array(values)},
        [Status.SCORED] * len(values),
        bounds={"score": (0, 1)},
        signature=Signature.of("match"),
        **settings,
    )


def test_two_nearly_equal_values_are_said_to_be_little_to_go_by():
    # .50 and .51 differ by 1 % of the range, which is 0 to 1.
    assert estimated([0.5] * 10 + [0.51] * 10).notes == (
        "all 20 rows have nearly the same value: the interval rests on small differences, and is probably "
        "too narrow",
    )
    assert estimated([0.5] * 10 + [0.6] * 10).notes == ()


def test_one_row_among_equal_ones_is_said_to_carry_the_interval():
    estimates = estimated([0.5] * 19 + [0.6])
    assert estimates.notes == (
        "19 of 20 rows have one value, or nearly one: the interval rests on the other, and is probably too "
        "narrow",
    )
    assert estimates.notes_about("prompt")[0].startswith("19 of 20 prompts")
    # Without rows that differ the bound is exact, and says so.
    assert estimated([0.5] * 20).notes[0].startswith("all 20 rows have the same value")


def test_five_rows_that_differ_are_enough():
    assert estimated([0.0] * 15 + [1.0] * 5).notes == ()
    assert estimated([0.0] * 16 + [1.0] * 4).notes[0].startswith("16 of 20 rows")


def test_fewer_than_ten_rows_have_one_note():
    assert len(estimated([0.5] * 8 + [0.6]).notes) == 1


def test_groups_in_which_few_rows_differ_are_counted():
    values = [0.5] * 19 + [0.6] + [0.1, 0.9] * 10
    notes = estimated(values, by=["a"] * 20 + ["b"] * 20).notes
    assert notes == (
        "1 group has one value, or nearly one, in all but a few rows: its interval is probably too narrow",
    )


def test_respondents_are_what_is_counted():
    # Ten respondents with two rows each; one of them differs.
    notes = estimated([0.5] * 18 + [0.6] * 2, respondents=[f"r{row // 2}" for row in range(20)]).notes
    assert notes[0].startswith("9 of 10 respondents have one value, or nearly one")


def test_the_signature_says_exact_where_nothing_is_drawn():
    estimates = estimated([0.5] * 12)
    fields = dict(estimates.signature.fields)
    assert (fields["method"], fields["replicates"], fields["seed"]) == ("exact", "none", "none")
    assert (estimates.method, estimates.replicates, estimates.seed) == ("exact", 0, None)
    drawn = dict(estimated([0.5] * 12 + [0.6]).signature.fields)
    assert (drawn["method"], drawn["replicates"], drawn["seed"]) == ("bootstrap", "2000", "0")


def test_screen_page_and_json_have_the_caution():
    texts = ["I might buy it."] * 19 + ["I might buy it!"]
    document = semscale.rate(texts).summarize(texts).document()
    assert any(
        caution.startswith("19 of 20 rows have one value, or nearly one") for caution in document.cautions
    )
