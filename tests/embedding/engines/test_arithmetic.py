"""What each precision is on processors that have what it needs, and on those that lack it."""

import pytest

from semscale.embedding import openvino
from semscale.embedding.openvino import Arithmetic, arithmetic_of, check_precision
from semscale.errors import InputError
from semscale.weights.known import HUB_PROFILES, KNOWN


@pytest.mark.parametrize(
    ("bfloat16", "int8", "exact", "fast", "turbo"),
    [
        (True, {"bf16", "f32"}, "float32", "bfloat16", "int8/128+bfloat16"),
        (True, {"f32"}, "float32", "bfloat16", "bfloat16"),  # AMX: bfloat16 is faster there
        (False, {"f32"}, "float32", "float32", "int8/128+float32"),
        (False, set(), "float32", "float32", "float32"),
    ],
)
def test_a_precision_is_what_the_processor_computes(monkeypatch, bfloat16, int8, exact, fast, turbo):
    monkeypatch.setattr(openvino, "has_bfloat16", lambda: bfloat16)
    monkeypatch.setattr(openvino, "multiplies_int8", int8.__contains__)
    found = [str(arithmetic_of(precision)) for precision in ("exact", "fast", "turbo")]
    assert found == [exact, fast, turbo]


def test_settings_name_type_and_group():
    assert Arithmetic().settings == {"INFERENCE_PRECISION_HINT": "f32"}
    assert Arithmetic(bfloat16=True, int8=True).settings == {
        "INFERENCE_PRECISION_HINT": "bf16",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 128,
    }


def test_turbo_is_for_the_models_it_was_measured_for():
    check_precision("turbo", "e5-small", KNOWN["e5-small"].profile)
    others = {name: model.profile for name, model in KNOWN.items() if name != "e5-small"} | HUB_PROFILES
    for name, profile in [*others.items(), ("somebody/something", None)]:
        with pytest.raises(InputError) as caught:
            check_precision("turbo", name, profile)
        said = f"was measured for e5-small only, got {name}: use"
        assert str(caught.value) == f"precision='turbo' {said} precision='fast'"
        assert caught.value.in_shell == f"--precision turbo {said} --precision fast"
        check_precision("fast", name, profile)
