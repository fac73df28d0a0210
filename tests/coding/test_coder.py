"""Likeness of answers to codes, and its calibration."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from semscale.coding import coder
from semscale.coding.codebook import Code, Codebook
from semscale.coding.coder import Coder, with_children
from semscale.coding.coding import calibrate_code
from semscale.coding.settings import CodingColumns
from semscale.signature import Signature
from semscale.stats.calibration import fit_platt
from semscale.store.reading import open_table
from semscale.types import Status


def test_rows_keep_their_order_and_equal_texts_are_read_once(book, keyword_embedder):
    scorer = Coder(book, embedder=keyword_embedder)
    keyword_embedder.embedded.clear()
    result = scorer.score(["the battery", None, "price", "the battery", "  ", 5, "??"])
    # The first word of an answer is embedded by itself, and so is a clause that is not the whole answer.
    assert keyword_embedder.embedded == ["the battery", "price", "battery", "price"]
    assert [str(status) for status in result.text_status] == [
        "scored", "missing", "scored", "scored", "empty", "not-text", "uninformative"
    ]  # fmt: skip
    assert result.likeness[0].tolist() == result.likeness[3].tolist()
    assert np.isnan(result.likeness[[1, 4, 5, 6]]).all()
    assert result.likeness[[0, 2]].argmax(axis=1).tolist() == [0, 1]


def test_unreadable_answers_have_no_likeness(book, keyword_embedder):
    result = Coder(book, embedder=keyword_embedder).score(["battery", "gibberish"])
    assert result.text_status[1] is Status.WEIGHTLESS
    assert np.isnan(result.likeness[1]).all()


def test_answers_in_a_language_that_the_model_does_not_read_have_no_likeness(book, keyword_embedder):
    keyword_embedder.signature = Signature.of("embed", model="all-MiniLM-L6-v2#53aa51172d14")  # reads English
    scorer = Coder(book, embedder=keyword_embedder)
    result = scorer.score([
        "Der Akku war leider sehr schnell leer.",
        "Der Akku war leider sehr schnell leer. The battery died.",
        "gibberish. Der Akku war leider sehr schnell leer.",
        "battery",
    ])  # fmt: skip
    assert [str(status) for status in result.text_status] == [
        "other-language", "scored", "other-language", "scored"
    ]  # fmt: skip
    assert np.isnan(result.likeness).all(axis=1).tolist() == [True, False, True, False]
    assert result.evidence[1, 0] == "The battery died."
    assert "language:any+py3langid" in str(scorer.signature)


def test_the_signature_names_the_codebook_and_the_model(book, keyword_embedder):
    signature = str(Coder(book, embedder=keyword_embedder).signature)
    assert f"codebook:phones#{book.content_hash}" in signature
    assert "model:key-words" in signature


def test_no_answers_at_all_are_no_error(book, keyword_embedder):
    assert Coder(book, embedder=keyword_embedder).score([]).likeness.shape == (0, 3)


def test_an_answer_on_two_codes_is_like_both(book, keyword_embedder):
    likeness = Coder(book, embedder=keyword_embedder).score(["battery and price"]).likeness[0]
    assert likeness[0] == pytest.approx(likeness[1])
    assert likeness[0] > 0.5 > likeness[2]


def test_a_code_has_at_least_the_value_of_its_children():
    book = Codebook(
        "b", (Code("a", "d", ("x",)), Code("b", "e", ("y",), parent="a"), Code("c", "f", ("z",), parent="b"))
    )
    result = with_children(np.array([[0.1, 0.2, 0.9], [0.8, np.nan, 0.3]]), book)
    assert result.tolist() == [[0.9, 0.9, 0.9], [0.8, 0.3, 0.3]]


RNG = np.random.default_rng(3)
SCORES = RNG.normal(size=400)
ROWS = np.arange(400)
LABELS = (RNG.uniform(size=400) < 1 / (1 + np.exp(-2 * SCORES))).astype(float)


def test_too_few_labels_of_a_kind_give_no_probability_and_leave_the_score():
    labels = np.full(400, np.nan)
    labels[:100] = 0.0
    labels[:4] = 1.0
    result = calibrate_code(SCORES, labels[None])
    assert np.isnan(result.probability(SCORES)).all()
    assert result.out_of_fold(SCORES, ROWS) is SCORES
    assert (result.n_with, result.n_without) == (4, 96)
    assert result.curve is result.figures is None


def test_an_answer_coded_by_five_people_counts_once():
    labels = np.zeros((5, 400))
    labels[:, 0] = 1.0
    assert calibrate_code(SCORES, labels).curve is None


def test_probabilities_are_those_of_platts_curve_of_all_labels():
    labels = np.where(np.arange(400) < 200, LABELS, np.nan)
    result = calibrate_code(SCORES, labels[None])
    expected = fit_platt(SCORES[:200], LABELS[:200]).probability(SCORES)
    assert result.probability(SCORES) == pytest.approx(expected)
    assert result.figures.brier.value < result.figures.brier_of_share


def test_a_label_does_not_enter_its_held_out_probability():
    changed = LABELS.copy()
    changed[7] = 1 - changed[7]
    before, after = (
        calibrate_code(SCORES, labels[None]).out_of_fold(SCORES, ROWS) for labels in (LABELS, changed)
    )
    assert before[7] == after[7]
    assert not np.allclose(before, after)


def test_missing_scores_stay_missing():
    scores = SCORES.copy()
    scores[5] = np.nan
    result = calibrate_code(scores, LABELS[None])
    assert np.isnan(result.probability(scores)[5])
    assert np.isnan(result.out_of_fold(scores, ROWS)[5])


def test_curves_of_the_coded_answers_alone_are_those_of_all_answers():
    coded = np.arange(3, 400, 5)
    labels = np.full(400, np.nan)
    labels[coded] = LABELS[coded]
    whole, part = calibrate_code(SCORES, labels[None]), calibrate_code(SCORES[coded], LABELS[None, coded])
    indices = np.full(400, -1)
    indices[coded] = np.arange(len(coded))
    assert whole == part
    assert whole.out_of_fold(SCORES, ROWS).tolist() == part.out_of_fold(SCORES, indices).tolist()


def test_an_uncoded_answer_has_the_mean_of_the_folds():
    result = calibrate_code(SCORES[:100], LABELS[None, :100])
    by_fold = [curve.probability(np.array([0.3]))[0] for curve in result.fold_curves]
    assert len(by_fold) == 5
    assert result.out_of_fold(np.array([0.3]), np.array([-1])) == pytest.approx(sum(by_fold) / 5)


def test_labels_without_any_coder_give_no_curve():
    result = calibrate_code(SCORES, np.zeros((0, 400)))
    assert result.curve is None
    assert result.n_with == result.n_without == 0


def test_likeness_of_a_table_is_the_same_in_parts(tmp_path, book, keyword_embedder, monkeypatch):
    cells = ["battery life", "a low price", "", "bright screen", "battery"]
    pl.DataFrame({"text": cells}).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(coder, "_TABLE_BATCH", 2)
    scorer = Coder(book, embedder=keyword_embedder)
    likeness = scorer.score_table(open_table(tmp_path / "t.parquet"), CodingColumns(text="text"))
    assert np.array_equal(likeness, scorer.score(cells).likeness, equal_nan=True)


def test_a_net_has_the_likeness_of_its_most_similar_code_and_changes_no_other(book, keyword_embedder):
    nets = Codebook(
        "phones",
        (Code("device", "At least one of: power, display.", ()),)
        + tuple(replace(code, parent=None if code.name == "cost" else "device") for code in book.codes),
    )
    cells = ["the battery died", "a fair price", "the screen", "battery and screen"]
    alone = Coder(book, embedder=keyword_embedder).score(cells).likeness
    result = Coder(nets, embedder=keyword_embedder).score(cells).likeness
    np.testing.assert_array_equal(result[:, 1:], alone)
    np.testing.assert_array_equal(result[:, 0], alone[:, [0, 2]].max(axis=1))
