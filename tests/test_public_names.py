"""Public names: all exist, and no heavy module is loaded before its first use."""

import re
import subprocess
import sys

import pytest

import semscale

HEAVY = ("numpy", "polars", "openvino", "scipy", "openai", "tokenizers", "pydantic", "torch")


@pytest.mark.parametrize("name", semscale.__all__)
def test_every_public_name_exists(name):
    assert getattr(semscale, name) is not None
    assert name in dir(semscale)


def test_public_names_are_sorted_without_repeats():
    assert sorted(set(semscale.__all__)) == semscale.__all__


def test_the_python_page_has_every_function_and_class(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "python.md").read_text(encoding="utf-8")
    members = {name: getattr(semscale, name) for name in semscale.__all__}
    shown = {
        name
        for name, member in members.items()
        if callable(member) and not (isinstance(member, type) and issubclass(member, Exception))
    }
    assert set(re.findall(r"^::: semscale\.([a-zA-Z_]+)$", page, re.MULTILINE)) == shown | {"errors"}


def test_the_python_page_names_members_that_exist(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "python.md").read_text(encoding="utf-8")
    listed = re.findall(r"^::: semscale\.(\w+)\n    options:\n      members: \[(.*)\]$", page, re.MULTILINE)
    assert listed
    for name, members in listed:
        assert set(members.split(", ")) <= set(dir(getattr(semscale, name))), name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'semscale' has no attribute 'raet'"):
        _ = semscale.raet


def test_importing_semscale_loads_nothing_heavy():
    program = f"import semscale, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"


@pytest.mark.exhaustive
def test_rating_ready_vectors_loads_no_engine():
    program = (
        "import sys, semscale, semscale.rating.readouts\n"
        "semscale.Rater; semscale.load_scale\n"
        "print([name for name in ('openvino', 'openai', 'torch') if name in sys.modules])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"


def test_vectors_that_the_user_has_load_no_engine():
    program = (
        "import sys, semscale\n"
        "semscale.ArrayEmbedder(['good', 'bad'], [[1, 0], [0, 1]]).embed(['bad'])\n"
        "print([name for name in ('openvino', 'polars', 'tokenizers', 'scipy') if name in sys.modules])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"
