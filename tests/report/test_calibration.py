"""Agreement with people, and the document of a calibration."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from semscale.rating.calibration import CurvePoint, HonestError
from semscale.rating.human import correct_mean
from semscale.report.calibration import (
    agreement_sentences,
    comparison_blocks,
    curve_origin,
    curve_sentence,
    gain_sentence,
    head_sentence,
)
from semscale.report.document import SideBySide
from semscale.report.formatting import line_text, percent, with_interval
from semscale.report.html import page
from semscale.report.terminal import print_document
from semscale.stats.intervals import Estimate


@pytest.fixture(scope="module")
def full(make_summary):
    return make_summary(n=20, comparison=True)


@pytest.fixture(scope="module")
def parsed(full, read_page):
    return read_page(page(full.document()))


def test_all_comparison_figures_are_shown_together(full, parsed):
    comparison = full.comparison
    for estimate in (comparison.pearson, comparison.spearman, comparison.ks_similarity):
        assert with_interval(estimate, 3) in parsed.text
    for name in (
        "Pearson r of means",
        "Spearman rho of means",
        "KS similarity of distributions",
        "Ceiling: reliability of the humans",
        "Baseline: KS of a uniform distribution",
        "Baseline: r of text length",
    ):
        assert name in parsed.text
    assert "Over 3,700 texts the ratings follow the human means with r = 0.58" in parsed.text
    assert "; the human means have a reliability of 0.98" in parsed.text
    assert "Text length alone reaches r = \u22120.08: the ratings are clearly better." in parsed.text
    for share in (*comparison.human_pmf, *comparison.machine_pmf):
        assert percent(share) in parsed.text


def test_a_null_that_does_as_well_is_named(full):
    strong = dataclasses.replace(full.comparison, null_length=Estimate(-0.7, -0.75, -0.65))
    shown = page(dataclasses.replace(full, comparison=strong).document())
    assert "Text length alone reaches r = \u22120.70: the ratings are not better." in shown
    close = dataclasses.replace(full.comparison, null_length=Estimate(0.55, 0.5, 0.6))
    assert "these labels do not show that the ratings order the texts better than their length does" in page(
        dataclasses.replace(full, comparison=close).document()
    )


def test_a_distribution_is_held_against_equal_shares(full):
    # The fixture's ratings reach .812 and equal shares .843, as happens with flat PMFs and lukewarm people.
    beaten = "A uniform distribution, which ignores the texts, reaches 0.84: the ratings are not better."
    assert beaten in page(full.document())
    for null, sentence in (
        (Estimate(0.6, 0.55, 0.65), "reaches 0.60: the ratings are clearly better."),
        (
            Estimate(0.8, 0.79, 0.81),
            "reaches 0.80: these labels do not show that the shares of points are better; use the order of",
        ),
    ):
        compared = dataclasses.replace(full.comparison, null_ks=null)
        shown = page(dataclasses.replace(full, comparison=compared).document())
        assert sentence in shown
        assert "the ratings are not better" not in shown


def test_sample_is_labelled_as_a_sample_and_the_signature_shown(full):
    sampled = dataclasses.replace(full.comparison, n_eligible=50_000)
    shown = page(dataclasses.replace(full, comparison=sampled).document())
    assert "Over a sample of 3,700 texts of 50,000 the ratings" in shown
    assert str(sampled.signature) in shown


def test_coverage_is_not_rounded_to_certainty(full, read_page):
    nearly = dataclasses.replace(
        full,
        comparison=dataclasses.replace(full.comparison, interval=0.999),
        estimates=dataclasses.replace(full.estimates, interval=0.999),
    )
    text = read_page(page(nearly.document())).text
    assert "99.9\N{NO-BREAK SPACE}% interval" in text
    assert "100\N{NO-BREAK SPACE}% interval" not in text


def test_the_method_of_the_intervals_has_its_true_name(full):
    assert "percentiles expanded for few clusters" in page(full.document())
    overall = dataclasses.replace(full.estimates.overall, method="linearized")
    linearized = dataclasses.replace(
        full.estimates, overall=overall, method="linearized", seed=None, replicates=0
    )
    shown = page(dataclasses.replace(full, estimates=linearized).document())
    assert "quantiles of the t distribution" in shown
    assert "bootstrap" not in shown


def test_a_ranking_that_may_be_chance_is_called_so(full):
    weak = dataclasses.replace(full.comparison, pearson=Estimate(0.1, -0.05, 0.25))
    assert "The interval includes 0, so the ranking may be chance." in page(
        dataclasses.replace(full, comparison=weak).document()
    )


def test_ratings_that_run_against_the_labels_are_called_so(full):
    turned = dataclasses.replace(full.comparison, pearson=Estimate(-0.6, -0.7, -0.5))
    sentence = agreement_sentences(turned)
    assert "the ratings run against the human means with r = \u22120.60" in sentence
    warning = "On the labelled texts the ratings run against the labels: was the scale filled in"
    warnings = dataclasses.replace(full, comparison=turned).document().sentences("warning")
    assert [text.startswith(warning) for text in warnings] == [True]
    assert "includes 0" not in sentence
    assert "follow" not in sentence
    unclear = agreement_sentences(dataclasses.replace(full.comparison, pearson=Estimate(-0.1, -0.3, 0.1)))
    assert "The interval includes 0" in unclear
    assert full.document().sentences("warning") == ()
    assert "wrong way round" not in unclear


def test_a_length_with_its_sign_turned_is_not_called_overlapping(full):
    compared = dataclasses.replace(
        full.comparison, pearson=Estimate(0.6, 0.5, 0.7), null_length=Estimate(-0.5, -0.66, -0.3)
    )
    assert (
        "Text length alone reaches r = \u22120.50, and may reach 0.66 with the opposite sign: these labels "
        "do not show that the ratings order the texts better" in agreement_sentences(compared)
    )


def test_a_comparison_without_ceiling_distribution_and_null_says_why(full):
    bare = dataclasses.replace(
        full.comparison,
        ceiling=None,
        ks_similarity=None,
        null_ks=None,
        null_length=None,
        human_pmf=np.full(5, np.nan),
    )
    shown = page(dataclasses.replace(full, comparison=bare).document())
    assert "one human value per text does not show how far people agree" in shown
    assert "human values do not fit on this scale" in shown
    assert "no texts were given" in shown
    assert "have a reliability of" not in shown


def test_undefined_correlations_are_not_zero(full):
    nothing = Estimate(float("nan"), float("nan"), float("nan"))
    undefined = dataclasses.replace(
        full.comparison, n=1, pearson=nothing, spearman=nothing, points=np.empty((0, 2))
    )
    assert "no correlation can be measured" in page(
        dataclasses.replace(full, comparison=undefined).document()
    )


@pytest.mark.parametrize(
    ("inclusion", "weights", "counting"),
    [
        (True, False, "each text is weighted by 1 / its probability of being drawn."),
        (False, True, "texts are weighted."),
        (True, True, "each text is weighted by its weight / its probability of being drawn."),
        (False, False, None),
    ],
)
def test_screen_and_page_state_how_texts_are_weighted(full, read_page, capsys, inclusion, weights, counting):
    compared = dataclasses.replace(full.comparison, uses_inclusion=inclusion, uses_weights=weights)
    document = dataclasses.replace(full, comparison=compared).document()
    print_document(document)
    for shown in (" ".join(capsys.readouterr().out.split()), read_page(page(document)).text):
        if counting is None:
            assert "weighted" not in shown
        else:
            assert f"In these figures {counting}" in shown


def test_a_corrected_mean_without_an_interval_says_why(full, read_page, capsys):
    corrected = correct_mean(
        np.array([1.0, 2.0, 3.0]), np.array([[2.0], [4.0], [np.nan]]), np.arange(1.0, 6.0)
    )
    document = dataclasses.replace(
        full, comparison=dataclasses.replace(full.comparison, corrected=corrected)
    ).document()
    print_document(document)
    for shown in (" ".join(capsys.readouterr().out.split()), read_page(page(document)).text):
        assert shown.count("a corrected mean needs 3 labels or more") == 2  # beside the mean, and below
        assert shown.count("an interval needs 3 labels or more") == 1  # the labels' own mean stands
        assert "Corrected by" not in shown


def test_the_corrected_mean_stands_at_the_head_of_screen_and_page(full, read_page, capsys):
    # Three of seven ratings have a label.
    labels = np.array([1.0, 2.0, 3.0, np.nan, np.nan, np.nan, np.nan])
    corrected = dataclasses.replace(
        correct_mean(np.array([2.0, 3.0, 4.0, 3.0, 3.0, 2.0, 4.0]), labels[:, None], np.arange(1.0, 6.0)),
        value=2.125, low=1.5, high=2.75,
    )  # fmt: skip
    compared = dataclasses.replace(full.comparison, corrected=corrected, sheet="sheet.csv")
    document = dataclasses.replace(full, comparison=compared).document()
    print_document(document)
    message = (
        "Corrected by 3 labels of sheet.csv, the mean of all 7 rated texts is 2.12 [1.50, 2.75] "
        "(95 % interval)."
    )
    screen = " ".join(capsys.readouterr().out.split())
    shown = read_page(page(document)).text.replace("\N{NO-BREAK SPACE}", " ")
    assert message in screen
    assert message in shown
    assert "mean of all texts, corrected by the labels 2.12 [1.50, 2.75]" in screen
    assert (
        screen.index(message)
        < screen.index("mean, from 1 to 5")
        < screen.index("mean of all texts, corrected")
    )
    assert shown.index(message) < shown.index("plausibly lies in the interval")
    assert ("Labels", "sheet.csv") in [(name, line_text(line)) for name, line in document.settings]


BETTER = HonestError(calibrated=0.1, uncalibrated=0.13)

WORSE = HonestError(calibrated=0.16, uncalibrated=0.13, gain_low=-0.08, gain_high=-0.01)

NOISE = HonestError(calibrated=0.078, uncalibrated=0.074, gain_low=-0.026, gain_high=0.018)


@pytest.mark.parametrize(("error", "message"), [(BETTER, "brings"), (WORSE, "worsens"), (NOISE, "brings")])
def test_a_loss_is_not_called_a_gain(error, message):
    summary = SimpleNamespace(
        calibration=SimpleNamespace(error=error),
        gain=Estimate(error.uncalibrated - error.calibrated, -0.08, 0.05),
    )
    scores = f"from {error.uncalibrated:.3f} to {error.calibrated:.3f}"
    expected = f"calibration {message} the ranked probability score {scores}"
    assert expected in gain_sentence(summary)


@pytest.mark.parametrize(
    ("error", "low", "message"),
    [
        (
            BETTER,
            0.01,
            "Calibration by 40 labelled texts helps: the ranked probability score falls from 0.130",
        ),
        (BETTER, -0.01, "40 labelled texts do not show that calibration helps"),
        (NOISE, -0.026, "40 labelled texts do not show that calibration helps"),
        (WORSE, -0.08, "worse on texts that were not used to fit it: do not use it"),
        (HonestError(0.1, 0.13, rated_pearson_high=-0.4), 0.01, "The ratings run against the labels"),
        (HonestError(0.1, 0.13, pearson_low=-0.5), 0.01, "not shown to distinguish texts"),
    ],
)
def test_the_head_is_short_and_has_figures_only_where_the_gain_is_clear(error, low, message):
    labels = SimpleNamespace(n=40)
    summary = SimpleNamespace(
        calibration=SimpleNamespace(error=error, labels=labels), gain=Estimate(0.03, low, 0.05)
    )
    sentence = head_sentence(summary)
    assert message in sentence
    assert ("0.130" in sentence) == (low > 0 and error is BETTER)
    assert len(sentence.split()) < 20


def test_twice_as_many_labels_are_held_against_all_that_there_are_and_not_against_a_fold():
    # .100 with all 100 labels, .098 with 200: 2 %; trials were off by up to 200 / 100 points.
    points = [(80, 0.1025, False), (100, 0.100, True), (200, 0.098, True), (400, 0.097, True)]
    summary = SimpleNamespace(
        curve=[CurvePoint(n, score, 0.0, is_forecast) for n, score, is_forecast in points],
        calibration=SimpleNamespace(labels=SimpleNamespace(n=100)),
    )
    assert "by 0 to 4 % (forecast 2 %, give or take 2" in curve_sentence(summary)


def test_the_row_of_all_labels_says_why_it_is_a_forecast():
    points = [(24, 0.12, False), (30, 0.11, True), (60, 0.1, True)]
    origins = [curve_origin(CurvePoint(n, score, 0.0, known), 30) for n, score, known in points]
    assert origins == ["measured", "forecast, as no label is left to test on", "forecast"]


def test_the_comparison_of_distributions_states_its_number_of_texts(full):
    pictures = comparison_blocks(full.comparison, full.scale)[-1]
    assert isinstance(pictures, SideBySide)
    (drawn,) = pictures.columns[-1]
    assert drawn.data[0].note == "3,700 texts, rated by Semscale and by people."
    assert drawn.caption.startswith(drawn.data[0].note)
