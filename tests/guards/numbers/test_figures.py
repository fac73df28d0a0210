"""Numbers in digits are found with all that stands before them, however far the search has to go."""

import pytest

from semscale.guards.figures import bound_of, digits_of, find_figures, values_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It takes at least $ -.5 of it.", ["at least $ -.5"]),
        ("No figure at all.", []),
        ("x" * 50 + " 7 " + "y" * 50 + " ½", ["7", "½"]),
        ("A blood pressure of 120/80, and 2/3 of 5.", ["120", "80", "2/3", "5"]),
        ("CYP3A4 and B-12", []),
        ("up to 5,000 or 3 x 10^5", ["up to 5,000", "3 x 10^5"]),
    ],
)
def test_figures_are_found_in_order(text, shown):
    assert [match.group() for match in find_figures(text)] == shown


@pytest.mark.parametrize(
    ("text", "values", "digits"),
    [
        ("1.000", (1.0, 1000.0), 4),
        ("1,5", (1.5,), 2),
        ("12,000", (12_000.0,), 2),
        ("2000", (2000.0,), 4),
        ("20000", (20_000.0,), 1),
        ("1½", (1.5,), 1),
        ("-2/4", (-0.5,), 1),
        ("2.5 million", (2_500_000.0,), 2),
        ("3^2", (9.0,), 1),
        ("1e3", (1000.0,), 1),
        ("5²", (25.0,), 1),
        # White space as it is typeset, and as lines are broken; 5 * 10 ** -3 = 0.005
        *((f"5{blank}×{blank}10⁻³", (0.005,), 1) for blank in "\u00a0\u202f\u2009\n\t"),
        ("5\n×\u00a010\u2009^\u202f2", (500.0,), 1),
    ],
)
def test_a_figure_is_worth_what_belongs_to_it(text, values, digits):
    (match,) = find_figures(text)
    assert values_of(match) == values
    assert digits_of(match) == digits


@pytest.mark.parametrize(
    ("text", "bound"),
    [("≥ 5", 1), ("<=5", -1), ("up to 5", -1), ("5 or more", 1), ("5 or fewer", -1), ("5", 0)]
    + [("at\u00a0least\u202f5", 1), ("Up\nto\n5", -1), ("5\u2009or\u00a0less", -1)],
)
def test_a_bound_stands_before_or_behind(text, bound):
    (match,) = find_figures(text)
    assert bound_of(match, text, match.end()) == bound
