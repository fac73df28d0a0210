"""The two messages for a server that is gone: one that was never reached, and one that hung up."""

import pytest
from sqlalchemy.exc import InterfaceError

from semscale.errors import InputError
from semscale.store.databases.database import clear_errors


def broken_pipe() -> InterfaceError:
    """What SQLAlchemy raises from a rollback or a commit, which are no statements."""
    told = Exception("network error")
    told.__cause__ = BrokenPipeError(32, "Broken pipe")
    return InterfaceError(None, None, told)


def test_a_connection_that_broke_outside_a_statement_was_lost():
    with pytest.raises(InputError, match="lost the connection"), clear_errors("h", connected=True):
        raise broken_pipe()


def test_a_pipe_that_breaks_while_a_connection_is_made_says_what_to_check():
    with pytest.raises(InputError, match=r"cannot be used \(Broken pipe\): check host"), clear_errors("h"):
        raise broken_pipe()
