import warnings

import pytest

from semscale.compat.uqlm import SemanticDensity, SemanticEntropy
from semscale.compat.uqlm.not_applied import warn_of_ignored
from semscale.signature import Signature


@pytest.mark.parametrize("name", ["nli", "grader_llm"])
def test_what_would_change_a_result_warns(name):
    with pytest.warns(UserWarning, match=f"{name} is not applied: "):
        warn_of_ignored({name: "given"})


def test_what_changes_nothing_or_is_not_asked_for_does_not_warn():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warn_of_ignored({"device": "cpu", "nli": False, "grader_llm": None})
    assert told == []


class Unasked:
    """A model of entailment that is only named."""

    signature = Signature.of("nli", model="unasked")

    def probabilities(self, premises, hypotheses):
        raise NotImplementedError


@pytest.mark.parametrize("kind", [SemanticEntropy, SemanticDensity])
def test_classes_that_take_further_arguments_warn_at_the_callers_line(kind):
    with pytest.warns(UserWarning, match="nli is not applied: ") as told:
        kind(nli_model_name=Unasked(), nli=True, device="cpu")
    assert told[0].filename == __file__
