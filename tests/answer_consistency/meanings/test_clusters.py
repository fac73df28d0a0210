import numpy as np

from semscale.answer_consistency.meanings.clusters import meaning_clusters


def test_a_text_joins_the_first_cluster_whose_first_text_means_the_same():
    # 2 means the same as 1 alone, and 1 the same as 0: 2 is compared with 0, the first text, and stays alone.
    same = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool)
    assert meaning_clusters(same).tolist() == [0, 0, 1]


def test_texts_that_all_differ_are_clusters_of_one():
    assert meaning_clusters(np.eye(4, dtype=bool)).tolist() == [0, 1, 2, 3]
