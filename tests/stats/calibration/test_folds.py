import numpy as np

from semscale.stats.calibration.folds import folds_of, stratified_folds


def test_groups_are_never_parted():
    groups = np.repeat(np.arange(12), 5)
    fold = folds_of(60, groups=groups)
    assert all(len(set(fold[groups == group])) == 1 for group in range(12))
    assert len(set(fold)) == 5


def test_fewer_groups_than_folds_make_fewer_folds():
    assert len(set(folds_of(10, groups=np.repeat([0, 1, 2], [4, 3, 3])))) == 3


def test_every_fold_has_its_share_of_each_class():
    # 12 of class 0 and 43 of class 1 in 5 folds: 2 or 3 of the first, 8 or 9 of the second, 11 in all.
    classes = np.repeat([0, 1], [12, 43])
    for seed in range(5):
        fold = stratified_folds(classes, seed=seed)
        assert set(np.bincount(fold[:12], minlength=5)) == {2, 3}
        assert set(np.bincount(fold[12:], minlength=5)) == {8, 9}
        assert set(np.bincount(fold)) == {11}


def test_chance_decides_which_items_of_a_class_are_together():
    classes = np.repeat([0, 1], [50, 50])
    first, second = (stratified_folds(classes, seed=seed) for seed in (0, 1))
    assert (first != second).any()
    np.testing.assert_array_equal(first, stratified_folds(classes, seed=0))
