"""Arrays that stand in for tensors: what they can, and what they say of what only a tensor can."""

import copy
import pickle

import numpy as np
import polars as pl
import pytest

from semscale.compat.bert_score import NoTensorError, ScoreArray, tensor_or_array
from semscale.errors import SemscaleError


@pytest.fixture
def scores():
    return np.array([[0.2, 0.4], [0.6, 0.8]]).view(ScoreArray)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda scores: scores.to("cpu"), "to"),
        (lambda scores: scores.float(), "float"),
        (lambda scores: scores.unsqueeze(0), "unsqueeze"),
        (lambda scores: scores.topk(1), "topk"),
        (lambda scores: scores.view(-1), r"view\(shape\)"),
        (lambda scores: scores.view((1, 4)), r"view\(shape\)"),
        (lambda scores: scores.size(), r"size\(\)"),
        (lambda scores: scores.size(0), r"size\(\)"),
        (lambda scores: scores.mean(dim=0), r"mean\(dim=\.\.\.\)"),
        (lambda scores: scores.sort(), r"sort\(\)"),
        (lambda scores: scores.sort(0), r"sort\(\)"),
        (lambda scores: scores.sort(descending=True), r"sort\(\)"),
        (lambda scores: scores.argsort(descending=True), r"argsort\(descending=\.\.\.\)"),
        (lambda scores: scores.argsort(dim=0), r"argsort\(dim=\.\.\.\)"),
        (lambda scores: scores.max(axis=0, keepdim=True), r"max\(keepdim=\.\.\.\)"),
    ],
)
def test_a_tensors_method_is_refused_with_what_to_install(scores, call, named):
    with pytest.raises(NoTensorError, match=f'without {named} here.*pip install "semscale\\[torch\\]"$'):
        call(scores)


def test_the_error_is_of_the_kinds_that_python_would_raise():
    assert issubclass(NoTensorError, SemscaleError)
    assert issubclass(NoTensorError, AttributeError)
    assert issubclass(NoTensorError, TypeError)


def test_numpy_and_tables_take_the_arrays_as_their_own(scores):
    assert (scores.size, len(scores), scores.shape) == (4, 2, (2, 2))
    assert scores.mean(axis=1).tolist() == pytest.approx([0.3, 0.7])
    assert np.mean(scores) == pytest.approx(0.5)
    assert np.median(scores) == pytest.approx(0.5)
    assert scores.view(np.ndarray).tolist() == scores.tolist()
    assert pl.Series(scores[0]).to_list() == [0.2, 0.4]
    for again in (copy.deepcopy(scores), pickle.loads(pickle.dumps(scores))):  # noqa: S301 - its own
        assert again.tolist() == scores.tolist()


def test_numpys_own_functions_sort_and_leave_the_scores_as_they_are():
    scores = np.array([0.6, 0.2, 0.4]).view(ScoreArray)
    assert np.sort(scores).tolist() == [0.2, 0.4, 0.6]
    assert np.argsort(scores).tolist() == scores.argsort().tolist() == [1, 2, 0]
    assert np.unique(scores).tolist() == [0.2, 0.4, 0.6]
    assert np.concatenate([scores, scores[:1]], axis=0).tolist() == [0.6, 0.2, 0.4, 0.6]
    assert scores.tolist() == [0.6, 0.2, 0.4]


def test_the_spread_is_that_of_a_tensor(scores):
    # Squares of the distances from .5 sum to .09 + .01 + .01 + .09 = .2; of n - 1 = 3 values that is .2 / 3.
    assert scores.var() == pytest.approx(0.2 / 3)
    assert scores.std() == pytest.approx((0.2 / 3) ** 0.5)
    assert np.std(scores) == pytest.approx(0.05**0.5)  # NumPy's own function says by what it divides


@pytest.mark.needs("torch")
def test_with_pytorch_values_become_a_tensor_with_the_same_spread(scores):
    import torch

    tensor = tensor_or_array(scores.numpy())
    assert tensor.dtype == torch.float32
    assert tensor.std().item() == pytest.approx(scores.std(), rel=1e-6)


def test_without_pytorch_values_become_an_array(scores, monkeypatch):
    monkeypatch.setattr("semscale.compat.bert_score.find_spec", lambda _: None)
    assert type(tensor_or_array(scores.numpy())) is ScoreArray
