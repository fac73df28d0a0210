from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.signature import gate_signature
from semscale.signature import Signature

MEASURED = Signature.of("drift", seed=7, metrics="all")


def test_every_setting_stands_in_it_once():
    names = [name for name, _ in gate_signature(MEASURED, GateSettings()).fields]
    assert len(set(names)) == len(names)
    settings = {name.removeprefix("gate_") for name in names}
    assert settings >= set(GateSettings.model_fields)


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
