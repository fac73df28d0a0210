"""The entailment model that a user names or gives."""

import pytest
from tests.matching.made_up_entailment import KnownPairs
from tests.support.random_classifier import write_random_classifier

from semscale.errors import InputError
from semscale.matching.entailment import NliModel, load_entailment_model


def test_model_name_is_loaded_and_model_object_returned_unchanged(tmp_path):
    write_random_classifier(tmp_path / "nli", "bert")
    assert isinstance(load_entailment_model(str(tmp_path / "nli"), cache=False), NliModel)
    model = KnownPairs({})
    assert load_entailment_model(model) is model


@pytest.mark.parametrize(
    ("nli", "settings", "message"),
    [
        (None, {}, "nli must name an entailment model .* such as cross-encoder/nli-MiniLM2-L6-H768"),
        (5, {}, "nli must be a name, a folder or an entailment model, got 5"),
        (KnownPairs({}), {"precision": "fast"}, "need the name of a model"),
        (KnownPairs({}), {"labels": ["a"]}, "need the name of a model"),
    ],
)
def test_what_is_no_choice_is_refused(nli, settings, message):
    with pytest.raises(InputError, match=message):
        load_entailment_model(nli, **settings)
