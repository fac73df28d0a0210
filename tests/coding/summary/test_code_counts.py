"""Counts of codes in groups."""

import numpy as np

from semscale.coding.summary.code_counts import CodeCounts, GroupCount

GIVEN = np.array([[1.0, 0.0], [np.nan, 1.0], [0.0, 0.0], [1.0, 1.0]])
GROUPS = np.array([0, 2, 2, -1])
COUNTING = np.array([True, True, False, True])


def shown(count):
    return count.rows, count.base, count.decided.tolist(), count.given.tolist(), count.weight


def test_answers_count_in_their_group_alone_and_only_those_that_can_be_read():
    counts = CodeCounts(2)
    counts.add(GROUPS, GIVEN, COUNTING, np.array([2.0, 3.0, np.nan, 5.0]))
    assert len(counts) == 3
    assert shown(counts[0]) == (1, 1, [1, 1], [1, 0], 2.0)
    assert shown(counts[1]) == shown(GroupCount.none(2))
    # the second answer's first code is undecided; the third has neither a weight nor a place in the base
    assert shown(counts[2]) == (2, 1, [0, 1], [0, 1], 3.0)


def test_parts_add_up_also_where_a_later_one_brings_a_group():
    whole, parts = CodeCounts(2), CodeCounts(2)
    whole.add(GROUPS, GIVEN, COUNTING)
    for some in (slice(0, 1), slice(1, 2), slice(2, 4)):
        parts.add(GROUPS[some], GIVEN[some], COUNTING[some])
    assert [shown(parts[group]) for group in range(3)] == [shown(whole[group]) for group in range(3)]


def test_some_groups_are_numbered_anew():
    counts = CodeCounts(2)
    counts.add(GROUPS, GIVEN, COUNTING)
    kept = counts.some([2, 0])
    assert [shown(kept[0]), shown(kept[1])] == [shown(counts[2]), shown(counts[0])]
