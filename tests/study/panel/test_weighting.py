"""Weights of personas from a table."""

import pytest

from semscale.errors import InputError
from semscale.study.panel.synthetic_panel import SyntheticPanel
from semscale.study.panel.weighting import raked_panel

SEX, AGE = ("f", "f", "m", "m"), ("old", "young", "old", "young")
PANEL = SyntheticPanel(("a", "b", "c", "d"), {"sex": SEX, "age": AGE}, "p.csv")


def test_independent_margins_multiply():
    weights = raked_panel(PANEL, {"sex": {"f": 75, "m": 25}, "age": {"old": 0.6, "young": 0.4}}).weights
    # One persona of each combination, so each weighs 4 x its share of sex x its share of age.
    assert weights == pytest.approx((4 * 0.45, 4 * 0.30, 4 * 0.15, 4 * 0.10))


def test_the_effective_n_is_kishs():
    panel = raked_panel(PANEL, {"sex": {"f": 0.75, "m": 0.25}})
    # Weights 1.5, 1.5, 0.5, 0.5: 4 squared over the sum of squares, 5.
    assert panel.effective_n == pytest.approx(16 / 5)
    assert PANEL.effective_n == 4


def test_weights_stand_beside_the_attributes():
    panel = raked_panel(PANEL, {"sex": {"f": 0.75, "m": 0.25}})
    frame = panel.to_frame()
    assert frame.columns == ["persona", "sex", "age", "weight"]
    assert frame["weight"].to_list() == pytest.approx([1.5, 1.5, 0.5, 0.5])
    assert SyntheticPanel.of_frame(frame, "p.csv") == panel
    assert panel.content_hash != PANEL.content_hash


def test_an_attribute_called_weight_is_one_unless_the_panel_is_raked():
    heavy = SyntheticPanel(("a", "b"), {"weight": ("60", "80"), "sex": ("f", "m")}, "p.csv")
    assert SyntheticPanel.of_frame(heavy.to_frame(), "p.csv") == heavy
    with pytest.raises(InputError, match="must not be called 'weight'"):
        raked_panel(heavy, {"sex": {"f": 0.5, "m": 0.5}})


@pytest.mark.parametrize(
    ("margins", "said"),
    [
        ({"sex": {"f": 1}}, "margin 'sex' has no share for 'm', which p.csv has in row 3"),
        ({"sex": {"f": 1, "m": 0}}, "margin 'sex' has no share for 'm'"),
        ({"sex": {"f": 0.5, "m": 0.4, "x": 0.1}}, "margin 'sex' cannot be met: 'x' is to have 0.1 of"),
    ],
)
def test_levels_without_a_share_or_personas_are_refused(margins, said):
    with pytest.raises(InputError, match=said):
        raked_panel(PANEL, margins)


def test_margins_that_contradict_each_other_are_refused():
    # Who is a woman is old: 0.9 women and 0.5 old personas are impossible.
    panel = SyntheticPanel(("a", "b"), {"sex": ("f", "m"), "age": ("old", "young")}, "p.csv")
    margins = {"sex": {"f": 0.9, "m": 0.1}, "age": {"old": 0.5, "young": 0.5}}
    with pytest.raises(InputError, match="cannot be met beside the other margins: .* of the panel"):
        raked_panel(panel, margins)


def test_a_persona_without_the_attribute_is_named():
    panel = SyntheticPanel(("a", "b"), {"sex": ("f", None)}, "p.csv")
    with pytest.raises(InputError, match="row 2: persona 'b' has no 'sex'"):
        raked_panel(panel, {"sex": {"f": 1}})
