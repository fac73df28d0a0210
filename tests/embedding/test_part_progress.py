"""Progress of a part, told as that of all."""

from semscale.embedding.texts import shifted


def test_a_part_is_told_behind_what_was_done_before():
    told = []
    shifted(lambda *step: told.append(step), 8, 20)("embedding", 3, 4)
    assert told == [("embedding", 11, 20)]


def test_where_nobody_is_told_nothing_is():
    assert shifted(None, 8, 20) is None
