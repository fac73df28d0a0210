"""A panic of a library in Rust is told as what it is: a file that its reader cannot take."""

import pytest
from polars.exceptions import PanicException

from semscale.errors import InputError
from semscale.store.readers.rust_panics import panics_refused


def test_a_panic_becomes_the_refusal():
    def read():
        with panics_refused(lambda: InputError("damaged")):
            raise PanicException("index out of bounds")

    with pytest.raises(InputError, match="damaged"):
        read()


def test_nothing_else_is_taken_for_one():
    with pytest.raises(KeyboardInterrupt), panics_refused(lambda: InputError("damaged")):
        raise KeyboardInterrupt
