"""What must be known beside the figures is said, and nothing where there is nothing to say."""

from types import SimpleNamespace

from semscale.rating.calibration import HonestError
from semscale.report.rating.words import (
    NPS_CAUTION,
    RANKING,
    advice,
    calibration_warnings,
    cautions,
    readout_words,
    scale_warnings,
    unlike_caution,
)
from semscale.signature import Signature


def summary(*, nps=None, comparison=None, lint=None):
    estimates = SimpleNamespace(overall=SimpleNamespace(nps=nps))
    return SimpleNamespace(
        calibration=None, estimates=estimates, comparison=comparison, lint=lint, decided=None, undecided=None
    )


def test_nothing_to_say_says_nothing():
    passed = summary(lint=SimpleNamespace(verdict="pass", reasons=("every criterion is met",)))
    assert cautions(passed) == scale_warnings(passed) == ()


def test_what_a_comparison_says_is_passed_on():
    compared = SimpleNamespace(notes=("3 ratings lie off the scale",))
    assert cautions(summary(nps=0.1, comparison=compared)) == (NPS_CAUTION, "3 ratings lie off the scale")


def test_what_the_linter_says_is_a_warning():
    lint = SimpleNamespace(verdict="warn", reasons=("warn: plain: its ends are alike",))
    assert scale_warnings(summary(lint=lint)) == (
        "This scale passes with warnings (warn: plain: its ends are alike)",
    )
    assert scale_warnings(summary()) == ()


def test_the_readout_is_named_with_the_other_one():
    def said(**settings):
        return readout_words(SimpleNamespace(signature=Signature.of("rate", **settings)))

    assert said(readout="ssr").startswith("ssr: the more similar an anchor")
    assert said(readout="ordinal").endswith("the other readout is ssr")
    assert said(scale="mood") is None


def calibrated(error, n_unlike):
    labels = SimpleNamespace(n=40)
    found = SimpleNamespace(method="ridge", labels=labels, error=HonestError(error, 0.2))
    return SimpleNamespace(calibration=found, counts={"scored": 100}, n_unlike=n_unlike)


def test_a_calibrated_mean_is_a_level_unless_the_calibration_is_no_gain():
    assert advice(calibrated(0.1, 0)).startswith("Calibrated by 40 labelled texts (method ridge): a level")
    assert advice(calibrated(0.2, 0)) == advice(summary()) == RANKING


def test_a_calibration_by_reversed_labels_or_without_a_ranking_is_warned_of_and_is_no_level():
    clear = {"gain_low": 0.05, "gain_high": 0.15}
    turned, flat = calibrated(0.1, 0), calibrated(0.1, 0)
    turned.calibration.error = HonestError(0.1, 0.2, **clear, pearson_low=0.4, rated_pearson_high=-0.47)
    flat.calibration.error = HonestError(0.1, 0.2, **clear, pearson_low=-0.57, rated_pearson_high=0.18)
    (said,) = calibration_warnings(turned)
    assert "run against the labels: was the scale filled in the wrong way round?" in said
    (said,) = calibration_warnings(flat)
    assert "not shown to tell texts apart" in said
    assert calibration_warnings(calibrated(0.1, 0)) == ()
    assert not any("a level" in advice(one) for one in (turned, flat))


def test_many_texts_unlike_the_labelled_ones_are_a_caution():
    assert unlike_caution(calibrated(0.1, 10)) == ()
    (said,) = unlike_caution(calibrated(0.1, 11))
    assert said.startswith("11 of 100 rated texts are unlike those")
