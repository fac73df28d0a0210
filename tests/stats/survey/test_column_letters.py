"""Letters of crosstabs."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.survey.column_letters import column_letters
from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.differences import group_differences
from semscale.stats.survey.means import survey_means


def differences():
    """Two rows of a crosstab by three columns: the first rises from A to C, the second is the same in all."""
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2], 50)
    rising = groups + rng.normal(0, 0.3, 150)
    level = np.tile([1.0, 2.0], 75)
    return group_differences(
        survey_means(np.column_stack([rising, level]), SurveyDesign(np.ones(150)), groups=groups)
    )


def test_a_column_has_the_letters_of_those_below_it():
    letters = column_letters(differences(), tested=np.ones((2, 3), dtype=bool))
    assert letters.tolist() == [["", "A", "A B"], ["", "", ""]]


def test_a_suppressed_column_has_no_letters_and_gives_none():
    tested = np.ones((2, 3), dtype=bool)
    tested[:, 1] = False
    assert column_letters(differences(), tested=tested).tolist() == [["", "", "A"], ["", "", ""]]


def test_a_correction_makes_letters_rarer():
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(60, 40))
    found = group_differences(survey_means(columns, SurveyDesign(np.ones(60)), groups=np.repeat([0, 1], 30)))
    tested = np.ones((40, 2), dtype=bool)
    plain, holm = (
        sum(bool(each) for each in column_letters(found, tested=tested, correction=name).ravel())
        for name in (None, "holm")
    )
    # Nothing differs: 5 % of 40 plain tests are expected to say so, and hardly any corrected one.
    assert 0 < plain <= 8
    assert holm == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tested": np.ones((2, 2), dtype=bool)}, r"tested must have shape \(2, 3\)"),
        ({"tested": np.ones((2, 3), dtype=bool), "alpha": 5}, "alpha must be between 0 and 1, got 5"),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        column_letters(differences(), **settings)
