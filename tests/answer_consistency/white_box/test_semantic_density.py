import numpy as np
import pytest

from semscale.answer_consistency.white_box.semantic_density import semantic_densities, semantic_density
from semscale.errors import InputError
from semscale.signature import Signature

NAN = np.nan


def test_each_sample_counts_by_its_probability():
    # Kernels: .7 + .2 / 2 = .8 and .1 + .5 / 2 = .35; (.6 * .8 + .3 * .35) / .9 = .65.
    relations = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4]])
    assert semantic_density(relations, np.array([0.6, 0.3])) == pytest.approx(0.65)


def test_it_is_one_minus_the_expected_squared_distance():
    # uqlm's form: contradiction + neutral / 2 is the expected squared distance.
    relations = np.random.default_rng(0).dirichlet(np.ones(3), 7)
    weights = np.linspace(0.1, 0.9, 7)
    kernel = 1 - (relations[:, 2] + relations[:, 1] / 2)
    assert semantic_density(relations, weights) == pytest.approx(np.average(kernel, weights=weights))


def test_samples_without_a_probability_or_a_relation_do_not_count():
    relations = np.array([[1.0, 0, 0], [0, 0, 1.0], [NAN, NAN, NAN]])
    assert semantic_density(relations, np.array([0.5, NAN, 0.5])) == 1.0
    assert np.isnan(semantic_density(relations, np.array([NAN, NAN, 0.5])))
    assert np.isnan(semantic_density(relations, np.zeros(3)))
    assert np.isnan(semantic_density(np.zeros((0, 3)), np.zeros(0)))


class Recording:
    signature = Signature.of("nli", model="made-up")

    def __init__(self):
        self.calls = []

    def probabilities(self, premises, hypotheses):
        self.calls.append(list(zip(premises, hypotheses, strict=True)))
        return np.array([(1.0, 0, 0) if "same" in text else (0, 0, 1.0) for text in hypotheses])


def test_all_pairs_are_asked_at_once_the_prompt_before_both():
    model = Recording()
    found = semantic_densities(
        ["a", None, "c"],
        [["same", "other", ""], ["same"], []],
        [np.array([0.75, 0.25, 0.9]), np.array([0.5]), np.zeros(0)],
        model,
        ["q", "r", "s"],
    )
    np.testing.assert_allclose(found, [0.75, NAN, NAN])
    assert model.calls == [[("q\na", "q\nsame"), ("q\na", "q\nother")]]


def test_without_texts_nothing_is_asked():
    model = Recording()
    assert np.isnan(semantic_densities([""], [["same"]], [np.array([0.5])], model)).all()
    assert model.calls == []


@pytest.mark.parametrize(
    ("samples", "weights", "message"),
    [([], [], "samples must have 1 entries"), ([["b"]], [np.zeros(2)], "weights.0. must have 1 entries")],
)
def test_lists_of_other_lengths_are_refused(samples, weights, message):
    with pytest.raises(InputError, match=message):
        semantic_densities(["a"], samples, weights, Recording())
