"""What guards look for is said once, and counts of their findings stand in a table and a legend."""

from semscale.guards.registry import GUARDS
from semscale.report.document import Count, Words
from semscale.report.parts import GUARD_MEANINGS, guard_legend, guard_table


def test_every_guard_has_a_meaning():
    assert set(GUARDS) == set(GUARD_MEANINGS)


def test_counts_stand_beside_what_they_mean():
    table = guard_table({"number": 3, "odd": 1}, GUARD_MEANINGS, noun="prompt", title="Findings")
    assert table.columns == ("guard", "prompts", "")
    assert table.rows == (
        (Words("number"), Count(3), Words("a number or a unit differs")),
        (Words("odd"), Count(1), Words("")),
    )


def test_marks_are_explained_with_their_counts():
    assert guard_legend({"number": 3}, GUARD_MEANINGS) == (("number", "a number or a unit differs", 3),)
