"""Operations in rounds: each key once a round, and in order over the rounds."""

from hypothesis import given
from hypothesis import strategies as st

from semscale.chat.ledger.operations import FindOutcome, in_rounds


@given(st.lists(st.sampled_from([b"a", b"b", b"c"])))
def test_each_key_is_once_in_a_round_and_its_operations_keep_their_order(keys):
    rounds = in_rounds([FindOutcome(key) for key in keys])
    assert sorted(place for places in rounds for place in places) == list(range(len(keys)))
    for places in rounds:
        assert len({keys[place] for place in places}) == len(places) > 0
    for key in set(keys):
        by_round = [place for places in rounds for place in places if keys[place] == key]
        assert by_round == sorted(by_round)
