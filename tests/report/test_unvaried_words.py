from made_up_drift import comparison_of, decision_about

from semscale.report.drift_page import drift_page
from semscale.report.markdown import markdown_summary
from semscale.report.unvaried_words import unvaried_words
from semscale.stats.intervals.means import MeanEstimate


def estimate(low, high, n=30):
    return MeanEstimate((low + high) / 2, low, high, n, 0, n, "bootstrap")


def said_of(**drifts):
    return (unvaried_words(drifts, None) or "").replace("\N{NO-BREAK SPACE}", " ")


def test_what_no_item_did_may_still_be_done_by_some():
    # Of 30 items none: 1 - .05 ** (1 / 30) = 9.5 %.
    said = said_of(match=estimate(0.1, 0.2), silence=estimate(0.0, 0.0))
    assert said.startswith("All 30 items are alike in silence, so its interval has no width; up to 9.5 % of")
    assert "95 % confidence" in said


def test_several_metrics_make_one_sentence():
    said = said_of(silence=estimate(0.0, 0.0), output_count=estimate(0.0, 0.0, 29))
    # The fewer items leave more open: 1 - .05 ** (1 / 29) = 9.8 %.
    assert said.startswith(
        "All 30 items are alike in silence, all 29 that have a value in number of outputs, so their "
        "intervals have no width; up to 9.8 %"
    )
    said = said_of(silence=estimate(0.0, 0.0), output_count=estimate(0.0, 0.0))
    assert said.startswith("All 30 items are alike in silence and number of outputs, so their intervals have")


def test_nothing_is_said_of_what_varies_or_has_no_value():
    nothing = MeanEstimate(float("nan"), float("nan"), float("nan"), 0, 3, 0, None)
    assert unvaried_words({"match": estimate(0.1, 0.2), "silence": nothing}, None) is None


def test_page_and_summary_say_it(read_page):
    still = comparison_of(30, silent=0, left_out=0)
    decision = decision_about(still)
    found = "All 30 items are alike in silence, so its interval has no width"
    assert found in read_page(drift_page(still, decision)).text
    assert found in markdown_summary(still, decision)
