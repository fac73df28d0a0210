"""A chat model of the user's own is checked where it is handed over, not where a run needs its signature."""

from types import SimpleNamespace

import pytest

from semscale.chat import load_chat_model
from semscale.chat.chat_model import checked_chat_model
from semscale.chat.runner import Runner
from semscale.errors import InputError
from semscale.signature import Signature

SIGNATURE = Signature.of("chat", model="mine")


def model(name="mine", signature=SIGNATURE):
    return SimpleNamespace(name=name, signature=signature, complete=print)


@pytest.mark.parametrize("take", [checked_chat_model, load_chat_model, lambda found: Runner(found).model])
def test_a_model_that_names_itself_is_taken_as_it_is(take):
    mine = model()
    assert take(mine) is mine


@pytest.mark.parametrize("take", [checked_chat_model, load_chat_model, Runner])
@pytest.mark.parametrize(
    ("mine", "words"),
    [
        (
            model(signature="mine-v1"),
            "signature of a chat model must be a semscale.signature.Signature",
        ),
        (
            model(signature=None),
            'Signature.of("chat", model="simplenamespace"), got None',
        ),
        (model(name=7), "name of a chat model must be a text, got 7 from SimpleNamespace"),
        (model(name=""), "name of a chat model must be a text, got '' from SimpleNamespace"),
    ],
)
def test_what_ledgers_and_reports_could_not_name(take, mine, words):
    with pytest.raises(InputError) as caught:
        take(mine)
    assert words in str(caught.value)


def test_a_run_needs_all_that_makes_a_model():
    with pytest.raises(InputError, match="must have name, signature and complete, got str"):
        Runner("gpt-5")
