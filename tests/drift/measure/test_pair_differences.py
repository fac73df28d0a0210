from dataclasses import replace

from made_up import comparison

from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.pair_differences import Difference, pair_differences
from semscale.history.items import Item, Output


def compared(before, after):
    made = comparison({"match": [0.5]})
    return replace(
        made,
        baseline=replace(made.baseline, items=(Item("1", before),)),
        candidate=replace(made.candidate, items=(Item("1", after),)),
    )


def test_numbers_and_lengths_of_two_outputs():
    # An output without a text is not counted, so the first one with a text is number 0.
    made = compared(
        (Output(" "), Output("Good. ", {"credits": 1.0, "weight": 2.0})),
        (Output("Not good.", {"credits": 0.25, "rank": 3.0}),),
    )
    found = pair_differences(made, AlignedPair(0, 0, 0))
    assert (found.characters, found.characters.value) == (Difference(5, 9), 4)
    assert found.fields["credits"].value == -0.75
    assert found.fields["rank"] == Difference(None, 3.0)
    assert found.fields["weight"] == Difference(2.0, None)
    assert found.fields["weight"].value is None


def test_an_output_without_a_partner_has_no_difference():
    made = compared((Output("Good.", {"credits": float("nan")}),), ())
    found = pair_differences(made, AlignedPair(0, 0, None))
    assert found.characters == Difference(5, None)
    assert found.fields == {"credits": Difference(None, None)}
