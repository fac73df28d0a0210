import numpy as np

from semscale.stats.calibration.folds import folds_of


def test_groups_are_never_parted():
    groups = np.repeat(np.arange(12), 5)
    fold = folds_of(60, groups=groups)
    assert all(len(set(fold[groups == group])) == 1 for group in range(12))
    assert len(set(fold)) == 5


def test_fewer_groups_than_folds_make_fewer_folds():
    assert len(set(folds_of(10, groups=np.repeat([0, 1, 2], [4, 3, 3])))) == 3
