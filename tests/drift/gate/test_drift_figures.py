from made_up import comparison

from semscale.drift.gate.drift_figures import drift_figures, stored_figure
from semscale.drift.gate.settings import GateSettings

MADE = comparison({"match": [0.2, 0.4, 0.6]}, groups={"topic": ["a", "a", "b"]})


def test_every_metric_has_a_figure_over_all_items_and_in_each_group():
    figures = drift_figures(MADE, None, GateSettings(replicates=200), ["topic"])
    assert [(one.group, round(one.loss, 12)) for one in figures] == [
        (None, 0.4),
        (("topic", "a"), 0.3),
        (("topic", "b"), 0.6),
    ]
    assert all(one.noise is None and one.test is None and one.outcome is None for one in figures)


def test_a_slice_has_its_own_margin():
    slices = {"topic": {"a": {"material": {"match": 0.3}}}}
    figures = drift_figures(MADE, None, GateSettings(replicates=200, slices=slices), ["topic"])
    assert [one.margin for one in figures] == [0.05, 0.3, 0.05]


def test_a_history_keeps_the_figures():
    (overall, *_) = drift_figures(MADE, None, GateSettings(replicates=200), [])
    kept = stored_figure(overall)
    assert (kept.metric, kept.group, kept.loss, kept.n) == ("match", None, overall.loss, 3)
    assert (kept.low, kept.high) == (overall.drift.low, overall.drift.high)
