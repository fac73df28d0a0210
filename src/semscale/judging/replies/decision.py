"""Decides which score a reply states, by the roles of everything in it that may be one."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from semscale.judging.replies.grammar.roles import STANDING, Role
from semscale.judging.replies.stated_levels import StatedLevel
from semscale.judging.replies.withdrawals import Withdrawals

_NEAR = 400
BLOCKING = frozenset({Role.DOUBTFUL, Role.UNEXPLAINED, Role.OFF_SCALE})


@dataclass(frozen=True)
class Statement:
    """A place of a reply with its role.

    Attributes:
        start: where it begins.
        role: why it stands there.
        level: the level; ``None`` where none is named.
        opens: whether it is a score word with its level on a line of their own, which ends a deliberation.
        hard: whether nothing that follows but a correction settles it.
        end: where what follows it begins.
    """

    start: int
    role: Role
    level: StatedLevel | None
    opens: bool = False
    hard: bool = False
    end: int = 0


def decide(statements: Iterable[Statement], withdrawals: Withdrawals) -> StatedLevel | None:
    """Find the level on which everything that stands agrees.

    A correction replaces what came before it. What is doubtful blocks, unless a score on a line of its own
    or a correction comes after it.

    Args:
        statements: in any order.
        withdrawals: places of words that take a score back, or doubt it.

    Returns:
        The level, or ``None`` if none is stated beyond doubt.
    """
    state = _Deliberation(withdrawals)
    ordered = sorted(statements, key=lambda item: item.start)
    stated = any(item.role in STANDING - {Role.AGREEING} for item in ordered)
    for statement in ordered:
        if statement.role is not Role.IMPLIED:
            state.hear(statement)
        elif not stated:
            state.hear(replace(statement, role=Role.STATED))
    return state.conclusion()


class _Deliberation:
    """What stands after each statement of a reply."""

    def __init__(self, withdrawals: Withdrawals) -> None:
        self._withdrawals = withdrawals
        self._standing: list[Statement] = []
        self._blocked = self._hard = self._pending = False
        self._since = 0

    def hear(self, statement: Statement) -> None:
        """Take the next statement into account."""
        if statement.role in STANDING:
            self._stand(statement)
        elif statement.role is Role.WITHDRAWN:
            self._withdraw(statement)
        elif statement.role in BLOCKING and not self._repeats(statement):
            self._blocked = self._blocked or not statement.hard
            self._hard = self._hard or statement.hard
        elif statement.role is Role.DEDUCTION:
            self._pending = True

    def conclusion(self) -> StatedLevel | None:
        """The level on which everything that stands agrees."""
        later = (*self._withdrawals.taken_back, *self._withdrawals.doubted)
        taken_back = any(place > self._since for place in later)
        if self._blocked or self._hard or self._pending or taken_back:
            return None
        certain = [item.level for item in self._standing if item.role is not Role.AGREEING]
        return certain[0] if len(self._scores()) == 1 and certain else None

    def _stand(self, statement: Statement) -> None:
        strong = statement.role is not Role.AGREEING
        changed = bool(self._standing) and any(
            self._since < place < statement.start <= place + _NEAR
            for place in (*self._withdrawals.taken_back, *self._withdrawals.reopened)
        )
        if statement.role is Role.CORRECTED or (changed and strong):
            self._standing, self._blocked, self._hard = [], False, False
        elif strong and (statement.opens or statement.role is Role.FINAL):
            self._blocked = False
            self._standing = [item for item in self._standing if item.role is not Role.AGREEING]
        self._pending = self._pending and not strong
        self._standing.append(statement)
        self._since = max(statement.start, statement.end)

    def _withdraw(self, statement: Statement) -> None:
        if statement.level is None or statement.level.score in self._scores():
            self._standing, self._pending = [], True

    def _repeats(self, statement: Statement) -> bool:
        """Whether a level that is doubted or that no rule explains is the one that was stated already."""
        if statement.hard or statement.level is None:
            return False
        return self._scores() == {statement.level.score}

    def _scores(self) -> set[float]:
        return {item.level.score for item in self._standing if item.level is not None}
