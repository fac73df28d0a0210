"""Errors of Semscale are also instances of the Python errors that callers expect, with readable messages."""

import pytest

from semscale import errors


@pytest.mark.parametrize(
    ("kind", "python"),
    [
        (errors.InputError, ValueError),
        (errors.UnknownNameError, KeyError),
        (errors.UnknownNameError, ValueError),
        (errors.MissingExtraError, ImportError),
    ],
)
def test_callers_may_catch_pythons_own_kind(kind, python):
    assert issubclass(kind, python)
    assert issubclass(kind, errors.SemscaleError)


def test_an_unknown_name_reads_as_a_sentence_without_quotes():
    assert str(errors.UnknownNameError("unknown scale 'a'")) == "unknown scale 'a'"
    assert str(errors.UnknownNameError()) == ""


def test_a_missing_extra_gives_the_command():
    assert 'pip install "semscale[torch]"' in str(errors.MissingExtraError("torch", "torch"))


@pytest.mark.parametrize("kind", [errors.InputError, errors.ModelError])
def test_the_shell_has_words_of_its_own_where_they_are_given(kind):
    assert kind("use engine='torch'", in_shell="use --engine torch").shell_message == "use --engine torch"
    assert kind("the file is missing").shell_message == "the file is missing"
    assert errors.MissingExtraError("torch", "torch").shell_message.startswith("torch is not installed")
