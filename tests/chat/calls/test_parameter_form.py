"""Forms of requests after refusals: renamed, left out, and remembered for each model."""

import pytest

from semscale.chat import CallError, FailureKind, Request
from semscale.chat.calling import AcceptedParameters, ParameterForm, accepted_parameters, set_parameters

REQUEST = Request.of("a", temperature=0.0, max_tokens=5, stop=("END",), top_logprobs=2, extra={"x": 1})


def refusal(names):
    return CallError("no", kind=FailureKind.REJECTED, refused=tuple(names))


def test_a_limit_goes_by_its_other_name_before_it_is_left_out():
    first = ParameterForm().after_refusal(refusal(["max_tokens"]), REQUEST)
    sent = first.applied(REQUEST).parameters
    assert (sent.max_tokens, sent.extra) == (None, {"x": 1, "max_completion_tokens": 5})
    assert first.left_out_of(REQUEST) == ()
    second = first.after_refusal(refusal(["max_completion_tokens"]), REQUEST)
    sent = second.applied(REQUEST).parameters
    assert (sent.max_tokens, sent.extra) == (None, {"x": 1})
    assert second.left_out_of(REQUEST) == ("max_tokens",)
    assert second.after_refusal(refusal(["max_tokens"]), REQUEST) is None


def test_both_names_of_a_limit_refused_at_once():
    form = ParameterForm().after_refusal(refusal(["max_tokens", "max_completion_tokens"]), REQUEST)
    assert form.applied(REQUEST).parameters.extra == {"x": 1}


@pytest.mark.parametrize(
    ("refused", "attribute", "without"),
    [("temperature", "temperature", None), ("stop", "stop", ()), ("logprobs", "top_logprobs", None)],
)
def test_what_is_refused_is_not_sent_and_all_else_is(refused, attribute, without):
    form = ParameterForm().after_refusal(refusal([refused]), REQUEST)
    sent = form.applied(REQUEST)
    assert getattr(sent.parameters, attribute) == without
    assert set(set_parameters(REQUEST.parameters)) - set(set_parameters(sent.parameters)) == {attribute}
    assert sent.messages == REQUEST.messages


def test_a_refusal_of_what_was_not_sent_changes_nothing():
    assert ParameterForm().after_refusal(refusal(["seed", "top_p"]), REQUEST) is None
    assert ParameterForm().after_refusal(refusal([]), REQUEST) is None
    assert ParameterForm().applied(REQUEST) is REQUEST


def test_forms_are_merged():
    one, other = ParameterForm(frozenset({"seed"})), ParameterForm(frozenset({"stop"}), "max_tokens")
    assert one.merged(other) == other.merged(one) == ParameterForm(frozenset({"seed", "stop"}), "max_tokens")


def test_what_is_known_of_a_model_is_shared_by_its_runs():
    class Model:
        pass

    one, other = Model(), Model()
    form = ParameterForm(frozenset({"temperature"}))
    assert accepted_parameters(one).unknown_in(REQUEST)
    accepted_parameters(one).learn(form, REQUEST)
    assert accepted_parameters(one).form == form
    assert not accepted_parameters(one).unknown_in(REQUEST)
    assert accepted_parameters(one).unknown_in(Request.of("a", seed=1))
    assert accepted_parameters(other) == accepted_parameters(other)
    assert accepted_parameters(other).form == ParameterForm()


def test_a_model_without_a_hash_finds_out_anew_in_each_run():
    class Model:
        __hash__ = None

    assert isinstance(accepted_parameters(Model()), AcceptedParameters)
