import numpy as np
import pytest
from made_up_rulers import anchors

from semscale.drift.ruler.label_errors import label_array, label_error, mean_readings
from semscale.history.anchor_sets import AnchorReadings


def test_labels_are_missing_or_there():
    assert label_array(anchors()) is None
    found = label_array(anchors(labels=[0.5, None, 1.0]))
    assert found[[0, 2]].tolist() == [0.5, 1.0]
    assert np.isnan(np.delete(found, [0, 2])).all()


def test_an_error_is_averaged_over_what_has_both():
    readings = np.array([0.5, 0.8, np.nan, 0.1])
    labels = np.array([1.0, 0.7, 0.0, np.nan])
    found = label_error("match", readings, labels).error
    # By hand: |0.5 - 1| = 0.5 and |0.8 - 0.7| = 0.1; the mean is 0.3.
    assert found.value == pytest.approx(0.3)
    assert (found.n, found.n_left_out) == (2, 2)


def test_repeats_are_averaged_by_anchor_and_a_missing_one_stays_missing():
    first, second = (
        AnchorReadings("s", "d", "x", {"judge": np.array(values)}, "series")
        for values in ([0.2, 0.4], [0.4, np.nan])
    )
    found = mean_readings([first, second])["judge"]
    assert found[0] == pytest.approx(0.3)
    assert np.isnan(found[1])
