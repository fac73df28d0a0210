"""Covariances of residuals from margins, beside residuals that are made one by one."""

import numpy as np
import pytest

from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.domains import Domains
from semscale.stats.survey.margin_calibration import MarginCalibration
from semscale.stats.survey.margins import read_margins
from semscale.stats.survey.variances import Variances

N = 90


def residuals(influence, indicators, weights, importance):
    """Least squares with square roots of the importance, group by group."""
    root = np.sqrt(importance)[:, None]
    apart = influence / weights[:, None]
    slopes = np.linalg.lstsq(root * indicators, root * apart, rcond=None)[0]
    return (apart - indicators @ slopes) * weights[:, None]


@pytest.mark.parametrize("stages", ["one", "two"])
def test_covariances_are_those_of_the_residuals(stages):
    rng = np.random.default_rng(5)
    weights, importance, influence = rng.uniform(1, 3, N), rng.uniform(1, 2, N), rng.normal(size=(N, 2))
    columns = {"sex": rng.integers(0, 2, N), "age": rng.integers(0, 3, N)}
    targets = {"sex": {0: 0.5, 1: 0.5}, "age": {0: 0.2, 1: 0.3, 2: 0.5}}
    margins = tuple(read_margins(columns, targets, weights, None))
    strata, villages = np.arange(N) // 30, np.arange(N) // 5
    settings = {"strata": strata, "clusters": villages}
    if stages == "two":
        settings["clusters"] = np.column_stack([villages, np.arange(N)])
        settings["fpc"] = np.column_stack([np.full(N, 20.0), np.full(N, 9.0)])
    calibration = MarginCalibration(margins, weights, importance)
    raked, plain = (SurveyDesign(weights, **settings, calibration=one) for one in (calibration, None))
    groups, everyone = Domains(rng.integers(0, 2, N), 2), Domains(np.zeros(N, dtype=int), 1)
    found = Variances(raked, groups).covariance(np.zeros((2, 2)), influence)
    indicators = np.column_stack([columns[name] == one for name, goals in targets.items() for one in goals])
    for column in range(2):
        of_groups = np.column_stack([influence[:, column] * (groups.codes == group) for group in range(2)])
        left = residuals(of_groups, indicators.astype(float), weights, importance)
        pairs = {
            (0, 0): left[:, 0],
            (1, 1): left[:, 1],
            (0, 1): left[:, 0] + left[:, 1],
        }  # var(a + b) = var a + var b + 2 cov
        var = {
            pair: Variances(plain, everyone).covariance(np.zeros((1, 1)), one[:, None])[0, 0, 0]
            for pair, one in pairs.items()
        }
        shared = (var[0, 1] - var[0, 0] - var[1, 1]) / 2
        assert found[column] == pytest.approx(np.array([[var[0, 0], shared], [shared, var[1, 1]]]))
