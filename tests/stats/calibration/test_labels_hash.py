"""The hash of labels: it changes with each label, place and probability."""

import numpy as np

from semscale.stats.calibration.labels_hash import labels_hash

ROWS, LABELS = np.array([1, 4]), np.array([[3.0], [5.0]])


def test_labels_places_and_probabilities_change_the_hash():
    found = [
        labels_hash(ROWS, LABELS),
        labels_hash(ROWS + 1, LABELS),
        labels_hash(ROWS, LABELS + 1),
        labels_hash(ROWS, LABELS, np.array([0.5, 0.5])),
        labels_hash(ROWS, LABELS, np.array([0.5, 0.25])),
    ]
    assert len(set(found)) == 5
