"""Which layer and baseline are known for the model in use, by whichever of its names it was loaded."""

from types import SimpleNamespace

import pytest

from semscale.errors import InputError
from semscale.matching.bertscore import bert_models, choose_baseline, choose_layer
from semscale.signature import Signature
from semscale.weights.known import KNOWN


def encoder(name, digest="0123456789ab", layers=12):
    return SimpleNamespace(
        name=name,
        layers=layers,
        signature=Signature.of("embed", model=f"{name}#{digest}"),
        check_layer=lambda layer: None,
    )


@pytest.mark.parametrize(
    ("name", "digest", "known"),
    [
        ("all-MiniLM-L6-v2", "53aa51172d14", "all-MiniLM-L6-v2"),
        ("sentence-transformers/all-MiniLM-L6-v2", "53aa51172d14", "all-MiniLM-L6-v2"),
        ("e5-small", "1571fc982750", "e5-small"),
        ("intfloat/multilingual-e5-small", "0123456789ab", "e5-small"),  # its float32 form
        ("intfloat/multilingual-e5-small@main", "0123456789ab", "e5-small"),
        ("FacebookAI/roberta-large", "0123456789ab", "roberta-large"),
    ],
)
def test_what_is_known_of_a_model_holds_under_its_name_on_the_hub(name, digest, known):
    model = bert_models()[known]
    assert choose_layer(None, encoder(name, digest), None) == model.layer
    baseline = choose_baseline(None, encoder(name, digest), model.layer)
    assert (baseline.origin, baseline.values.tolist()) == (known, model.baseline.tolist())


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "e5-small", "roberta-large", "somebody/something"])
def test_nothing_is_known_of_other_weights_under_a_short_name(name):
    with pytest.raises(InputError, match="layer must be given"):
        choose_layer(None, encoder(name), None)
    with pytest.raises(InputError, match="none is known"):
        choose_baseline(None, encoder(name), 1)


def test_baselines_of_pinned_models_are_of_the_weights_that_are_pinned():
    pinned = {name: model.weights for name, model in bert_models().items() if model.weights}
    assert pinned == {name: KNOWN[name].sums[KNOWN[name].weights][:12] for name in pinned}
    assert set(pinned) == {"all-MiniLM-L6-v2", "e5-small"}
