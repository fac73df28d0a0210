"""Which of several statements stands; each row is a deliberation with its outcome."""

import pytest

from semscale.judging.replies.decision import Statement, decide
from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.stated_levels import StatedLevel
from semscale.judging.replies.withdrawals import Withdrawals


def said(*roles, opens=(), taken_back=(), doubted=()):
    """The level, 1 to 5, that a list of (role, level) decides on; places are 10, 20, ..."""
    statements = [
        Statement(
            10 * place, role, level and StatedLevel(level, 10 * place, 0, 0, named=False), place in opens
        )
        for place, (role, level) in enumerate(roles, 1)
    ]
    found = decide(statements, Withdrawals(taken_back, doubted))
    return None if found is None else found.score


@pytest.mark.parametrize(
    ("roles", "level"),
    [
        ([(Role.STATED, 4)], 4),
        ([(Role.STATED, 4), (Role.STATED, 4)], 4),
        ([(Role.STATED, 4), (Role.STATED, 3)], None),
        ([(Role.STATED, 4), (Role.FINAL, 3)], None),
        ([(Role.PART, None), (Role.FINAL, 3)], 3),
        ([(Role.DRAFT, None), (Role.STATED, 3)], 3),
        ([(Role.STATED, 4), (Role.CORRECTED, 3)], 3),
        ([(Role.STATED, 4), (Role.CORRECTED, 3), (Role.STATED, 2)], None),
        ([(Role.STATED, 4), (Role.AGREEING, 3)], None),
        ([(Role.AGREEING, 3)], None),
        ([(Role.STATED, 4), (Role.DOUBTFUL, None)], None),
        ([(Role.DOUBTFUL, None), (Role.CORRECTED, 3)], 3),
        ([(Role.STATED, 4), (Role.UNEXPLAINED, 4)], 4),
        ([(Role.STATED, 4), (Role.UNEXPLAINED, 3)], None),
        ([(Role.STATED, 4), (Role.DEDUCTION, None)], None),
        ([(Role.DEDUCTION, None), (Role.STATED, 3)], 3),
        ([(Role.STATED, 4), (Role.WITHDRAWN, 4)], None),
        ([(Role.STATED, 4), (Role.WITHDRAWN, 4), (Role.STATED, 3)], 3),
        ([(Role.STATED, 4), (Role.WITHDRAWN, 5)], 4),
        ([(Role.QUOTED, None), (Role.CONTENT, None)], None),
    ],
)
def test_what_stands(roles, level):
    assert said(*roles) == level


def test_a_score_on_a_line_of_its_own_ends_a_deliberation():
    roles = [(Role.DOUBTFUL, None), (Role.STATED, 3)]
    assert (said(*roles), said(*roles, opens={2})) == (None, 3)


def test_a_score_that_is_taken_back_needs_another():
    assert said((Role.STATED, 4), taken_back=[15]) is None
    assert said((Role.STATED, 4), (Role.STATED, 3), taken_back=[15]) == 3
    assert said((Role.STATED, 4), taken_back=[5]) == 4


def test_a_score_that_is_doubted_is_not_replaced_by_another():
    assert said((Role.STATED, 4), doubted=[15]) is None
    assert said((Role.STATED, 4), (Role.STATED, 3), doubted=[15]) is None
    assert said((Role.STATED, 4), (Role.STATED, 4), doubted=[15]) == 4
