import pytest

from semscale.drift.gate.settings import GateSettings, read_gate_settings
from semscale.errors import InputError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0}, "alpha must lie between 0.0001 and 1, such as 0.05, got 0"),
        ({"alpha": 1.5}, "alpha must lie between 0.0001 and 1, such as 0.05, got 1.5"),
        ({"alpha": float("nan")}, "alpha must be a finite number, got nan"),
        (
            {"alhpa": 0.1},
            "unknown key 'alhpa': did you mean 'alpha'? (keys: metrics, by, alpha, correction, ",
        ),
        ({"xyz": 0.1}, "unknown key 'xyz': remove it (keys: metrics, "),
        (
            {"material": {"match": 0}},
            "material, match must be above 0: the drift from which on it matters, got 0",
        ),
        (
            {"material": {"match": -1}},
            "material, match must be above 0: the drift from which on it matters, got -1",
        ),
        (
            {"material": {"match": 5}},
            "material, match must lie below 1, the metric's worst case, got 5: name the drift from which on "
            "it matters, such as 0.05",
        ),
        ({"material": {"silence": 1}}, "material, silence must lie below 1, the metric's worst case"),
        ({"material": [0.1]}, "material must be names with numbers, such as match: 0.1, got [0.1]"),
        ({"thresholds": 0.4}, "thresholds must be names with numbers, such as min_match: 0.4, got 0.4"),
        ({"material_share": 0}, "material_share must be above 0 and at most 1, such as 0.05, got 0"),
        ({"noise_share": -0.5}, "noise_share must be at least 0, such as 0.5, got -0.5"),
        ({"metrics": 1}, "metrics must be a list, got 1"),
        ({"by": ""}, "by, 0 must not be empty, got ''"),
        ({"metrics": ()}, "metrics must name at least one, got none: leave the key out for the usual ones"),
        ({"metrics": ("match", "match")}, "metrics must name each once, got 'match' more than once"),
        ({"by": ("topic", "topic")}, "by must name each once, got 'topic' more than once"),
        ({"thresholds": {"min_match": "high"}}, "thresholds, min_match must be a number, got 'high'"),
        ({"replicates": 10}, "replicates must be a whole number of at least 100, got 10"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"interval": 95}, "interval must lie between 0 and 1, such as 0.95 for 95 %, got 95.0"),
        ({"correction": "bonferroni"}, "correction"),
    ],
)
def test_refuses_what_no_gate_can_be_set_to(settings, message):
    with pytest.raises(InputError) as raised:
        GateSettings(**settings)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_short_name_of_a_correction_is_as_good_as_the_long_one():
    assert GateSettings(correction="bh") == GateSettings(correction="benjamini-hochberg")


def test_reads_a_file(tmp_path):
    path = tmp_path / "gate.yaml"
    path.write_text(
        "alpha: 0.01\nby: [exercise]\nthresholds: {min_match: 0.5}\nmaterial:\n  match: 0.1\n",
        encoding="utf-8",
    )
    settings = read_gate_settings(path)
    assert settings == GateSettings(
        alpha=0.01, by=("exercise",), thresholds={"min_match": 0.5}, material={"match": 0.1}
    )


def test_one_name_is_as_good_as_a_list_of_it(tmp_path):
    path = tmp_path / "gate.yaml"
    path.write_text("by: exercise\nmetrics: match\n", encoding="utf-8")
    assert read_gate_settings(path) == GateSettings(by=("exercise",), metrics=("match",))


def test_an_empty_file_has_the_defaults(tmp_path):
    path = tmp_path / "gate.yaml"
    path.write_text("# nothing yet\n", encoding="utf-8")
    assert read_gate_settings(path) == GateSettings()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"alpha: 2", "alpha must lie between 0.0001 and 1, such as 0.05, got 2"),
        (b"alpha: 0.1\nalpha: 0.2", "line 2: not readable as YAML: key 'alpha' is given twice"),
        (b"alpha: [", "line 1: not readable as YAML"),
        (b"alpha", "must hold keys such as alpha: 0.05, got 'alpha'"),
        (b"\xff\xfe\x00", "not UTF-8: save the file as UTF-8"),
        (b"replicate: 5", "unknown key 'replicate': did you mean 'replicates'?"),
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


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(
        InputError, match=r"gate\.yaml' cannot be read: No such file or directory: name a YAML"
    ):
        read_gate_settings(tmp_path / "gate.yaml")


def test_margins():
    settings = GateSettings()
    # .05 * 2.5 = .125; .5 * .4 = .2
    assert settings.margin(2.5, noise=None) == pytest.approx(0.125)
    assert settings.margin(2.5, noise=float("nan")) == pytest.approx(0.125)
    assert settings.margin(2.5, noise=0.4) == pytest.approx(0.2)
