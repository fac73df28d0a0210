"""The order of the labels: read, stated, and refused where nobody knows it."""

import pytest

from semscale.errors import InputError, ModelError
from semscale.matching.entailment import label_columns, validate_label_order

STATED = ("contradiction", "neutral", "entailment")


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        (("contradiction", "entailment", "neutral"), [1, 2, 0]),
        (("entailment", "neutral", "contradiction"), [0, 1, 2]),
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), [2, 1, 0]),
    ],
)
def test_the_order_is_read_from_the_names(labels, columns):
    assert label_columns(labels, None, "a model") == columns


def test_an_order_can_be_stated_where_the_names_say_nothing():
    assert label_columns(("LABEL_0", "LABEL_1", "LABEL_2"), STATED, "a model") == [2, 1, 0]
    assert label_columns(("contradiction", "neutral", "entailment"), STATED, "a model") == [2, 1, 0]


def test_names_that_say_nothing_are_refused():
    with pytest.raises(
        ModelError, match=r"does not state the meaning of its classes \(LABEL_0, LABEL_1, LABEL_2\)"
    ):
        label_columns(("LABEL_0", "LABEL_1", "LABEL_2"), None, "a model")


@pytest.mark.parametrize("labels", [("entailment", "not_entailment"), ("relevant",)])
def test_a_model_without_three_classes_is_refused(labels):
    with pytest.raises(
        ModelError, match=rf"a model has {len(labels)} classes .*with three: entailment, neutral"
    ):
        label_columns(labels, STATED, "a model")


def test_an_order_against_the_names_is_refused():
    with pytest.raises(InputError, match="but a model names its classes entailment, neutral, contradiction"):
        label_columns(("entailment", "neutral", "contradiction"), STATED, "a model")


@pytest.mark.parametrize(
    "stated", [("entailment", "neutral"), ("yes", "no", "maybe"), ("neutral",) * 3, "entailment", 5]
)
def test_labels_are_the_three_relations(stated):
    with pytest.raises(InputError, match="nli_labels must list entailment, neutral, contradiction"):
        validate_label_order(stated)
