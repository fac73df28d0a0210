"""Coefficients of agreement against the values that their authors published."""

import numpy as np
import pytest

from semscale.stats.agreement import intraclass_correlation, krippendorff_alpha

_ = np.nan

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C: four observers, twelve units.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T

# Shrout and Fleiss (1979), table 2: six targets, four judges.
JUDGES = np.array([[9.0, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])


@pytest.mark.parametrize(
    ("metric", "published", "package"),
    # The last column: the package krippendorff 0.9.0 from PyPI.
    [
        ("nominal", 0.743, 0.743421052631579),
        ("ordinal", 0.815, 0.8153875037548814),
        ("interval", 0.849, 0.8491071428571428),
    ],
)
def test_krippendorffs_example(metric, published, package):
    result = krippendorff_alpha(OBSERVERS, metric=metric)
    assert round(result.value, 3) == published
    assert result.value == pytest.approx(package, abs=1e-12)
    assert (result.n, result.n_left_out) == (11, 1)


@pytest.mark.parametrize(
    ("form", "published"),
    # Table 4 of the paper.
    [("1,1", 0.17), ("2,1", 0.29), ("3,1", 0.71), ("1,k", 0.44), ("2,k", 0.62), ("3,k", 0.91)],
)
def test_shrout_and_fleiss_example(form, published):
    assert round(intraclass_correlation(JUDGES, form=form).value, 2) == published
