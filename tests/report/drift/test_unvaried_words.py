import numpy as np
from made_up import comparison, spread_out
from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.ci.job_summary import job_summary
from semscale.report.drift.document import drift_document
from semscale.report.drift.words import unvaried_words
from semscale.report.render.html import page
from semscale.report.render.markdown import markdown

ALIKE = np.zeros(30)
ONE_MISSING = np.array([0.0] * 29 + [np.nan])


def said_of(**losses):
    said = unvaried_words(DriftSummary(comparison(losses)))
    return (said or "").replace("\N{NO-BREAK SPACE}", " ")


def test_what_no_item_did_may_still_be_done_by_some():
    # Of 30 items none: 1 - .05 ** (1 / 30) = 9.5 %.
    said = said_of(match=spread_out(0.15), silence=ALIKE)
    assert said.startswith("All 30 items are alike in silence, so its interval has no width; up to 9.5 % of")
    assert "95 % confidence" in said


def test_several_metrics_make_one_sentence():
    said = said_of(silence=ALIKE, output_count=ONE_MISSING)
    # The fewer items leave more open: 1 - .05 ** (1 / 29) = 9.8 %.
    assert said.startswith(
        "All 30 items are alike in silence, all 29 that have a value in number of outputs, so their "
        "intervals have no width; up to 9.8 %"
    )
    said = said_of(silence=ALIKE, output_count=ALIKE)
    assert said.startswith("All 30 items are alike in silence and number of outputs, so their intervals have")


def test_nothing_is_said_of_what_varies_or_has_no_value():
    nothing = DriftSummary(comparison({"match": spread_out(0.15), "silence": np.full(30, np.nan)}))
    assert unvaried_words(nothing) is None


def test_page_and_summary_say_it(read_page):
    still = comparison_of(30, silent=0, left_out=0)
    decision = decision_about(still)
    found = "All 30 items are alike in silence, so its interval has no width"
    assert found in read_page(page(drift_document(DriftSummary(still, decision)))).text
    assert found in markdown(job_summary(DriftSummary(still, decision), decision))
