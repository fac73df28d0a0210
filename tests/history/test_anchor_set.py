import pytest
from stored_anchors import an_anchor_set, pairs

from semscale.errors import InputError
from semscale.history.anchor_sets import AnchorPair


def test_a_hash_stands_for_texts_labels_and_their_order():
    digest = an_anchor_set().digest
    assert len(digest) == 12
    assert an_anchor_set(name="other", dataset="other", id="x").digest == digest
    assert an_anchor_set(pairs=pairs()[::-1]).digest != digest
    first, *others = pairs()
    for changed in (
        AnchorPair(first.id, first.reference + " ", first.output, first.label),
        AnchorPair(first.id, first.reference, first.output, 0.5),
    ):
        assert an_anchor_set(pairs=(changed, *others)).digest != digest


@pytest.mark.parametrize("n", [0, 9, 501])
def test_too_few_or_too_many_pairs_are_refused(n):
    with pytest.raises(InputError, match=f"an anchor set needs 10 to 500 pairs, got {n}"):
        an_anchor_set(pairs=pairs(n))


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (AnchorPair("0", "a", "b"), "ids of anchors must occur once, got '0' more than once"),
        (AnchorPair("x", " ", "b"), "anchor 'x' has no reference"),
        (AnchorPair("x", "a", "\n"), "anchor 'x' has no output"),
        (AnchorPair("x", "a", "b", 3.0), "label of anchor 'x' must lie in 0 to 1, got 3: .*--human-range"),
    ],
)
def test_a_pair_that_cannot_be_measured_is_refused(pair, said):
    with pytest.raises(InputError, match=said):
        an_anchor_set(pairs=(*pairs(), pair))
