"""Panics of readers written in Rust: a damaged file is the user's to mend, however its reader says so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PANIC = "PanicException"  # each library in Rust has a class of its own with this name, below BaseException


@contextmanager
def panics_refused(refusal: Callable[[], Exception]) -> Iterator[None]:
    """Raise another error where a library's code in Rust panics.

    Args:
        refusal: makes the error.
    """
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise refusal() from error
