"""Unpaired surrogates in texts."""

from semscale.encodable_texts import encodable


def test_unpaired_surrogates_are_replaced_and_pairs_stay():
    assert encodable("a\ud83db") == "a\ufffdb"
    assert encodable("a😀") == "a😀"
