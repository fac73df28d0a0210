"""Gives each number and each level name of a reply its one role; the first rule that applies decides."""

from collections.abc import Callable

from semscale.judging.replies.grammar import passing_rules as passing
from semscale.judging.replies.grammar import stating_rules as stating
from semscale.judging.replies.grammar.roles import Role, Surroundings
from semscale.judging.replies.mentions import LevelMention

_RULES: tuple[Callable[[LevelMention, Surroundings], Role | None], ...] = (
    passing.by_place, passing.said_to_fit, passing.number, stating.compared, passing.of_others, passing.doubt,
    passing.hypothetical, stating.correction, stating.keyed, stating.sentence, stating.remark, stating.bare,
    stating.last_sentence, stating.with_article,
)  # fmt: skip


def role_of(mention: LevelMention, around: Surroundings) -> Role:
    """Find the one role of a mention.

    Args:
        mention: a number or a level name.
        around: what the rest of the reply says about its place.
    """
    for rule in _RULES:
        role = rule(mention, around)
        if role is not None:
            return role
    return passing.left_over(mention, around)
