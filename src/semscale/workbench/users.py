"""The people of a team: who sends a request, and what that person may do.

Without a team there is one user, who may do everything and has no name.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from semscale.errors import InputError

Role = Literal["rater", "editor", "approver"]
"""A rater labels texts; an editor does everything except approvals; an approver does everything."""

APPROVALS = frozenset({"/drift/decide"})
"""Paths of the forms that approve or reject a run."""

_LABEL = "/label"
_ANSWER = f"{_LABEL}/answer"
_OF_ALL = frozenset({"/", "/start", _LABEL, "/data/progress"})  # the last one while the file is read


class RoleError(InputError):
    """A person's role does not allow what was asked for."""


@dataclass(frozen=True)
class User:
    """A person of a team.

    Attributes:
        name: the name in journals and approvals.
        role: what the person may do.
    """

    name: str
    role: Role

    @property
    def is_rater(self) -> bool:
        """True if the person only labels."""
        return self.role == "rater"

    def check(self, path: str, *, changes: bool) -> None:
        """Check that the person may send a request.

        Args:
            path: path of the request.
            changes: whether the request changes something.

        Raises:
            RoleError: the role does not allow it.
        """
        if changes and path in APPROVALS and self.role != "approver":
            raise RoleError(f"approvals need the role approver, and {self.name} has the role {self.role}")
        if not self.is_rater:
            return
        is_allowed = path == _ANSWER if changes else path in _OF_ALL or path.startswith(f"{_LABEL}/")
        if not is_allowed:
            raise RoleError(f"this needs the role editor, and {self.name} has the role rater: open Label")


_USER: ContextVar[User | None] = ContextVar("user", default=None)


def current_user() -> User | None:
    """Return the person whose request is answered; ``None`` without a team."""
    return _USER.get()


def current_name() -> str:
    """Return the name of that person; empty without a team."""
    user = _USER.get()
    return "" if user is None else user.name


def set_current_user(user: User) -> None:
    """Note the person whose request is answered, in the context of that request."""
    _USER.set(user)
