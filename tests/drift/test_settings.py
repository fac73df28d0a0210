"""Settings of the gate: what is refused, and how files are read."""

import pytest

from semscale.drift.settings import GateSettings, read_gate_settings
from semscale.errors import InputError, UnknownNameError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0}, "alpha must be between 0.0001 and 1, got 0"),
        ({"alpha": 1.5}, "alpha must be between 0.0001 and 1, got 1.5"),
        (
            {"margins": {"match": 0}},
            "margins.match must be above 0: the smallest drift that matters, got 0",
        ),
        ({"margins": {"match": -1}}, "margins.match must be above 0"),
        ({"margins": ["match"]}, "margins must be NAME=VALUE, got 'match'"),
        ({"limits": {"silenced": -1}}, "limits.silenced must be a number of items"),
        ({"limits": {"silenced": 1.5}}, "limits.silenced must be a number of items"),
        ({"metrics": ()}, "metrics must name at least one, got none: leave the key out for the usual ones"),
        ({"metrics": ("match", "match")}, "metrics must name each once, got 'match' more than once"),
        ({"by": ("topic", "topic")}, "by must name each once, got 'topic' more than once"),
        ({"fields": {"cost": "less"}}, "fields.cost must be one of lower, higher, either, got 'less'"),
        ({"undecided": "maybe"}, "undecided must be"),
        ({"slices": {"exercise": "6715"}}, "slices must be kinds of groups"),
        ({"slices": {"exercise": {"6715": {"limit": {}}}}}, "slices.exercise.6715: "),
        ({"slices": {"exercise": {"6715": {"limits": {"missing": 1}}}}}, "set it outside of slices"),
    ],
)
def test_settings_without_a_meaning_are_refused(settings, message):
    with pytest.raises(InputError) as raised:
        GateSettings(**settings)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_unknown_names_have_a_suggestion():
    with pytest.raises(UnknownNameError, match="unknown limit 'silence': did you mean 'silenced'"):
        GateSettings(limits={"silence": 1})
    with pytest.raises(TypeError, match="no setting 'alhpa': did you mean 'alpha'"):
        GateSettings(alhpa=0.1)


def test_limits_are_numbers_shares_or_off():
    settings = GateSettings(limits=["silenced=2", "refused=10%", "language=off", "missing=0.1"])
    assert settings.limits == {"silenced": 2.0, "refused": 0.1, "language": "off", "missing": 0.1}
    assert GateSettings(limits={"silenced": False}).limits == {"silenced": "off"}  # a bare off in YAML


def test_a_metric_that_was_not_measured_is_left_out_everywhere():
    settings = GateSettings(
        metrics=("match", "side_by_side"),
        margins={"side_by_side": 0.1, "match": 0.2},
        thresholds={"min_side_by_side": 0.4, "min_match": 0.5},
        slices={"topic": {"a": {"margins": {"side_by_side": 0.3}}}},
    )
    assert settings.without_metric("side_by_side") == GateSettings(
        metrics=("match",), margins={"match": 0.2}, thresholds={"min_match": 0.5}, slices={"topic": {"a": {}}}
    )
    with pytest.raises(InputError, match="metrics must name at least one"):
        GateSettings(metrics=("side_by_side",)).without_metric("side_by_side")


def test_a_file_is_read(tmp_path):
    path = tmp_path / "gate.yaml"
    path.write_text(
        "alpha: 0.01\nby: exercise\nmetrics: match\nthresholds: {min_match: 0.5}\nmargins:\n  match: 0.1\n"
        "limits: {language: off}\n",
        encoding="utf-8",
    )
    assert read_gate_settings(path) == GateSettings(
        alpha=0.01,
        by=("exercise",),
        metrics=("match",),
        thresholds={"min_match": 0.5},
        margins={"match": 0.1},
        limits={"language": "off"},
    )
    path.write_text("# nothing yet\n", encoding="utf-8")
    assert read_gate_settings(path) == GateSettings()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"alpha: 2", "alpha must be between 0.0001 and 1, got 2"),
        (b"alpha: [", "line 1: not readable as YAML"),
        (b"alpha", "must hold keys such as alpha: 0.05, got 'alpha'"),
        (b"\xff\xfe\x00", "not UTF-8: save the file as UTF-8"),
        (b"margin: {match: 1}", "did you mean 'margins'?"),
    ],
)
def test_every_error_names_the_file(content, message, tmp_path):
    path = tmp_path / "gate.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_gate_settings(path)
    assert repr(str(path)) in str(raised.value)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
