"""Errors of Semscale are also instances of the Python errors that callers expect, with readable messages."""

import pickle

import pytest

from semscale import errors
from semscale.spelling import in_request


@pytest.mark.parametrize(
    ("kind", "python"),
    [
        (errors.InputError, ValueError),
        (errors.UnknownNameError, KeyError),
        (errors.UnknownNameError, ValueError),
        (errors.MissingExtraError, ImportError),
    ],
)
def test_callers_may_catch_the_builtin_kind(kind, python):
    assert issubclass(kind, python)
    assert issubclass(kind, errors.SemscaleError)


def test_an_unknown_name_reads_as_a_sentence_without_quotes():
    assert str(errors.UnknownNameError("unknown scale 'a'")) == "unknown scale 'a'"
    assert str(errors.UnknownNameError()) == ""


def test_a_missing_extra_gives_the_command():
    assert 'pip install "semscale[torch]"' in str(errors.MissingExtraError("torch", "torch"))


@pytest.mark.parametrize("kind", [errors.InputError, errors.ModelError])
def test_settings_in_a_message_have_the_names_of_an_interface(kind):
    error = kind("use `engine='torch'`, or leave `n_bins` out")
    assert str(error) == "use engine='torch', or leave n_bins out"
    assert error.spelled(in_request) == "use engine=torch, or leave n_bins out"


def test_a_message_may_begin_with_its_parameter():
    error = errors.InputError("texts[3]", "must be a text")
    assert (error.parameter, str(error)) == ("texts[3]", "texts[3] must be a text")
    assert str(errors.InputError("labels", ": no answer was coded")) == "labels: no answer was coded"
    assert errors.InputError("a file is missing").parameter is None
    assert errors.UnknownNameError().parameter is None


def test_an_error_with_a_parameter_survives_pickling():
    error = pickle.loads(pickle.dumps(errors.InputError("seed", "must be >= `least=0`")))
    assert (error.parameter, str(error)) == ("seed", "seed must be >= least=0")


def test_text_between_backticks_that_is_no_setting_stays_as_it_is():
    assert str(errors.InputError("give what `semscale code --out` wrote")) == (
        "give what `semscale code --out` wrote"
    )
