import pytest

from semscale.drift.limits.results import LimitCheck, MustPassCheck


@pytest.mark.parametrize(
    ("allowed", "n", "n_broken", "passed"),
    [(0, 24, 0, True), (0, 24, 1, False), (2, 24, 2, True), (2, 24, 3, False), (0.25, 12, 3, True),
     (0.25, 12, 4, False), (0, 0, 0, True), (0.29, 100, 29, True), (0.29, 100, 30, False)],
)  # fmt: skip
def test_a_limit_holds_up_to_what_is_allowed(allowed, n, n_broken, passed):
    items = tuple(map(str, range(n_broken)))
    assert LimitCheck("silenced", allowed, n, items).passed is passed


def test_the_lost_share_is_named():
    assert LimitCheck("lost_outputs", 0, 3, lost_share=0.4).broken == "lost more than 40 % of their outputs"


def test_a_must_pass_item_passes_without_a_reason():
    assert MustPassCheck("a").passed
    assert not MustPassCheck("a", ("lost all outputs",)).passed
