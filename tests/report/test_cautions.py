from types import SimpleNamespace

from semscale.report.cautions import NPS_CAUTION, cautions


def summary(*, notes=(), nps=None, comparison=None):
    estimates = SimpleNamespace(notes=notes, overall=SimpleNamespace(nps=nps))
    return SimpleNamespace(estimates=estimates, comparison=comparison)


def test_nothing_to_say_says_nothing():
    assert cautions(summary()) == ()


def test_what_estimates_and_comparison_say_of_themselves_is_passed_on():
    compared = SimpleNamespace(notes=("3 ratings lie off the scale",))
    told = cautions(summary(notes=("few clusters",), nps=0.1, comparison=compared))
    assert told == ("few clusters", NPS_CAUTION, "3 ratings lie off the scale")
