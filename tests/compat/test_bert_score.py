"""bert_score's interface: its arguments, its empties, and values that bert_score itself gave."""

import copy
import pickle
from collections import defaultdict

import numpy as np
import polars as pl
import pytest

from semscale.compat.bert_score import BERTScorer, NoTensorError, ScoreArray, score, tensor_or_array
from semscale.errors import InputError, SemscaleError
from semscale.matching.bertscore import BertScorer

MODEL = "all-MiniLM-L6-v2"
CANDIDATES = ["A man is playing a guitar.", "The stock fell.", "Kittens are eating food."]
REFERENCES = ["A man plays the guitar.", "Shares rose sharply on Monday.", "Kittens are eating from dishes."]


def test_results_are_precision_recall_and_f1_with_a_tensors_methods():
    columns = score(CANDIDATES, REFERENCES, model_type=MODEL)
    expected_scores = BertScorer(MODEL).score(CANDIDATES, REFERENCES)
    for column, expected in zip(
        columns, (expected_scores.precision, expected_scores.recall, expected_scores.f1), strict=True
    ):
        np.testing.assert_allclose(column.detach().cpu().numpy(), expected, rtol=1e-6)  # float32 with PyTorch
        assert type(column.numpy()) is np.ndarray
        assert column.tolist() == pytest.approx(expected.tolist(), rel=1e-6)
        assert column.mean().item() == pytest.approx(expected.mean(), rel=1e-6)


def test_without_pytorch_results_are_arrays(monkeypatch):
    monkeypatch.setattr("semscale.compat.bert_score.find_spec", lambda _: None)
    columns = score(CANDIDATES, REFERENCES, model_type=MODEL)
    expected_scores = BertScorer(MODEL).score(CANDIDATES, REFERENCES)
    for column, expected in zip(
        columns, (expected_scores.precision, expected_scores.recall, expected_scores.f1), strict=True
    ):
        assert isinstance(column, ScoreArray)
        np.testing.assert_array_equal(column, expected)


@pytest.mark.needs("torch")
def test_with_pytorch_results_are_tensors_with_all_that_scripts_call():
    import torch

    precision, recall, f1 = score(CANDIDATES, REFERENCES, model_type=MODEL)
    assert (f1.dtype, f1.device.type, tuple(f1.size())) == (torch.float32, "cpu", (3,))
    both = torch.cat([precision.unsqueeze(0), recall.to("cpu").view(1, -1).float()])
    assert both.mean(dim=0).tolist() == pytest.approx(
        [(p + r) / 2 for p, r in zip(precision.tolist(), recall.tolist(), strict=True)]
    )
    assert f1.topk(1).values.item() == max(f1.tolist())
    baseline = BERTScorer(MODEL, lang="en", rescale_with_baseline=True).baseline_vals
    assert isinstance(baseline, torch.Tensor)
    assert baseline.shape == (3,)


def test_empties_score_0_before_rescaling(tmp_path):
    path = tmp_path / "base.tsv"
    path.write_text("LAYER,P,R,F\n" + "".join(f"{layer},0.2,0.5,0.6\n" for layer in range(7)))
    texts = ["", "fine", "fine"], ["fine", "", ["", "fine"]]
    raw = score(*texts, model_type=MODEL)
    assert [column[:2].tolist() for column in raw] == [[0, 0]] * 3
    assert raw[2][2] == pytest.approx(1)
    rescaled = score(*texts, model_type=MODEL, lang="en", rescale_with_baseline=True, baseline_path=str(path))
    # (0 - b) / (1 - b): -.25, -1 and -1.5.
    assert [column[0].item() for column in rescaled] == pytest.approx([-0.25, -1, -1.5])


@pytest.mark.exhaustive
def test_all_layers_come_as_rows():
    every = score(CANDIDATES, REFERENCES, model_type=MODEL, all_layers=True)
    assert every[0].shape == (7, 3)
    third = score(CANDIDATES, REFERENCES, model_type=MODEL, num_layers=3)
    np.testing.assert_array_equal(every[2][3], third[2])


def test_idf_over_the_references_is_that_of_a_scorer_with_them_as_its_corpus():
    groups = [[reference, "something else"] for reference in REFERENCES]
    columns = score(CANDIDATES, groups, model_type=MODEL, idf=True)
    flat = [text for group in groups for text in group]
    scorer = BERTScorer(MODEL, idf=True, idf_sents=flat)
    np.testing.assert_array_equal(scorer.score(CANDIDATES, groups)[2], columns[2])
    plain = score(CANDIDATES, groups, model_type=MODEL)
    assert (plain[2] != columns[2]).all()


def test_a_pair_with_zero_idf_is_missing_with_a_warning():
    # One reference: each of its tokens occurs in all references, so its IDF is log((1 + 1) / (1 + 1)) = 0.
    with pytest.warns(UserWarning, match=r"1 of 1 pairs have no score .*larger corpus"):
        columns = score(["A man is here."], ["A man is here."], model_type=MODEL, idf=True)
    assert all(np.isnan(column).tolist() == [True] for column in columns)


def test_a_dictionary_of_weights_is_accepted():
    weights = defaultdict(lambda: 1.0, {101: 0.0, 102: 0.0})  # what bert_score itself uses without idf
    columns = score(CANDIDATES, REFERENCES, model_type=MODEL, idf=weights)
    np.testing.assert_array_equal(columns[0], score(CANDIDATES, REFERENCES, model_type=MODEL)[0])


def test_the_hash_is_a_signature_of_the_applied_settings():
    columns, text = score(CANDIDATES, REFERENCES, model_type=MODEL, return_hash=True)
    assert len(columns) == 3
    assert "|layer:6|" in text
    assert text == BERTScorer(MODEL).hash
    rescaled = BERTScorer(MODEL, lang="en", rescale_with_baseline=True)
    assert "rescale:published" in rescaled.hash


def test_a_corpus_can_be_added_later_and_replaced():
    scorer = BERTScorer(MODEL, idf=True)
    with pytest.raises(InputError, match="idf=True needs a corpus"):
        scorer.score(CANDIDATES, REFERENCES)
    scorer.compute_idf(REFERENCES)
    with pytest.warns(UserWarning, match="are replaced"):
        scorer.compute_idf(REFERENCES * 2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "lang or model_type must be given"),
        ({"model_type": MODEL, "rescale_with_baseline": True}, "lang must be given to rescale"),
        ({"model_type": MODEL, "num_layers": 9}, "layer must be between 0 and 6"),
    ],
)
def test_unsupported_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        score(CANDIDATES, REFERENCES, **settings)


def test_rescaling_for_a_different_language_is_refused():
    with pytest.raises(InputError, match="no baseline for lang='de'"):
        score(CANDIDATES, REFERENCES, model_type=MODEL, lang="de", rescale_with_baseline=True)


def test_an_example_is_drawn(tmp_path):
    path = tmp_path / "pair.svg"
    picture = BERTScorer(MODEL).plot_example("a <b> cat", "the cat", fname=str(path))
    assert path.read_text() == picture
    assert picture.startswith("<svg")
    assert "&lt;" in picture
    assert "<b>" not in picture


def test_the_picture_leaves_reasoning_out_as_the_scores_do():
    scorer = BERTScorer(MODEL)
    assert scorer.plot_example("<think>a dog?</think>a cat", "the cat") == scorer.plot_example(
        "a cat", "the cat"
    )


def test_texts_that_the_model_cannot_read_are_compared_as_the_original_does():
    assert score(["👍"], ["👎"], model_type=MODEL)[2].tolist() == pytest.approx([1.0])


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
def test_a_tensor_method_without_pytorch_names_the_package_to_install(scores, call, named):
    with pytest.raises(NoTensorError, match=f'without {named} here.*pip install "semscale\\[torch\\]"$'):
        call(scores)


def test_the_error_is_of_the_kinds_that_python_would_raise():
    assert issubclass(NoTensorError, SemscaleError)
    assert issubclass(NoTensorError, AttributeError)
    assert issubclass(NoTensorError, TypeError)


def test_numpy_and_tables_accept_the_arrays(scores):
    assert (scores.size, len(scores), scores.shape) == (4, 2, (2, 2))
    assert scores.mean(axis=1).tolist() == pytest.approx([0.3, 0.7])
    assert np.mean(scores) == pytest.approx(0.5)
    assert np.median(scores) == pytest.approx(0.5)
    assert scores.view(np.ndarray).tolist() == scores.tolist()
    assert pl.Series(scores[0]).to_list() == [0.2, 0.4]
    for again in (copy.deepcopy(scores), pickle.loads(pickle.dumps(scores))):
        assert again.tolist() == scores.tolist()


def test_numpy_functions_sort_and_leave_the_scores_unchanged():
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
