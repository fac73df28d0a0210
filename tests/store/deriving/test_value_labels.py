"""Labels of values in a column of their own."""

import polars as pl

from semscale.store.deriving.value_labels import ValueLabels


def test_values_get_their_words_and_others_keep_their_names():
    labels = ValueLabels("sex", {"1": "female", "2": "male"})
    assert labels.title == "sex_label"
    assert labels.of(pl.Series([1.0, 2.0, 9.0, None])).to_list() == ["female", "male", "9", None]
