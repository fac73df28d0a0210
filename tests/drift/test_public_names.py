import subprocess
import sys

import pytest

import semscale
from semscale import drift


@pytest.mark.parametrize("name", drift.__all__)
def test_every_public_name_exists(name):
    assert getattr(drift, name) is not None
    assert name in dir(drift)


def test_public_names_are_sorted_and_reached_from_semscale():
    assert sorted(set(drift.__all__)) == drift.__all__
    assert semscale.drift is drift


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'semscale\.drift' has no attribute 'compear'"):
        _ = drift.compear


def test_the_package_alone_loads_nothing_heavy():
    program = (
        "import sys, semscale; semscale.drift\n"
        "print([name for name in ('numpy', 'pydantic', 'sqlalchemy', 'polars') if name in sys.modules])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"
