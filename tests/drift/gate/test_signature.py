import pytest

from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.signature import gate_signature, stated_plan
from semscale.signature import Signature

MEASURED = Signature.of("drift", seed=7, metrics="all")


def test_every_setting_stands_in_it_once():
    names = [name for name, _ in gate_signature(MEASURED, GateSettings()).fields]
    assert len(set(names)) == len(names)
    settings = {name.removeprefix("gate_") for name in names}
    assert settings >= set(GateSettings.model_fields)


@pytest.mark.parametrize("measured", [MEASURED, Signature.of("drift")])
def test_the_plan_of_intervals_is_read_out_as_it_was_written(measured):
    settings = GateSettings(interval=0.9, seed=3, replicates=500)
    # With a seed of measuring before it, and without one.
    assert stated_plan(gate_signature(measured, settings)) == settings.plan()
    assert stated_plan(None) == GateSettings().plan()


def test_other_settings_make_another_signature():
    plain = gate_signature(MEASURED, GateSettings())
    changed = gate_signature(
        MEASURED, GateSettings(material={"match": 0.1}, thresholds={"min_match": 0.5}, seed=1)
    )
    assert plain.differences(changed) == {
        "material": ("none", "match=0.1"),
        "thresholds": ("none", "min_match=0.5"),
        "gate_seed": ("0", "1"),
    }


def test_names_that_a_signature_cannot_hold_are_hashed():
    settings = GateSettings(by=("kind:topic",))
    fields = dict(gate_signature(MEASURED, settings).fields)
    assert len(fields["by"]) == 12
    assert fields["by"] != dict(gate_signature(MEASURED, GateSettings(by=("kind|topic",))).fields)["by"]
