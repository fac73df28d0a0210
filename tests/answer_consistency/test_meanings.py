"""Measures of meanings through ``Consistency``: what they are by, missing samples, files."""

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.answer_consistency.file_consistency import consistency_file
from semscale.answer_consistency.files.columns import AnswerColumns
from semscale.answer_consistency.files.measured_part import part_columns, part_items, part_notes
from semscale.matching.entailment.probabilities import Entailments
from semscale.signature import Signature
from semscale.store.reading import open_table

MEASURES = ["semantic_negentropy", "semantic_sets_confidence", "snne"]


class AlwaysEntailed:
    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.tile([0.75, 0.25, 0.0], (len(premises), 1))


class UnreadGerman(AlwaysEntailed):
    def entailments(self, premises, hypotheses):
        unread = np.array(["blau" in pair for pair in zip(premises, hypotheses, strict=True)])
        values = np.where(unread[:, None], np.nan, self.probabilities(premises, hypotheses))
        return Entailments(values, np.zeros(len(unread), bool), unread)


def test_short_answers_are_compared_word_by_word_and_longer_ones_by_cosine():
    # Monday and Tuesday have a cosine of .87: as vectors they would be one meaning.
    answers = ["Monday", "It is safe to swim here today."]
    samples = [["Tuesday", "monday"], ["Swimming here today is safe.", "It is not safe to swim here today."]]
    found = semscale.consistency(answers, samples, measures=MEASURES)
    assert [str(ground) for ground in found.same_by] == ["exact", "cosine"]
    assert found.n_meanings.tolist() == [2, 2]
    assert found.measures["semantic_sets_confidence"].tolist() == [0.5, 0.5]
    assert "same_by:auto" in str(found.signature)


def test_a_model_of_entailment_decides_where_it_is_given():
    found = semscale.consistency(
        ["Monday"], [["Tuesday"]], measures=["semantic_negentropy", "entailment"], nli=AlwaysEntailed()
    )
    assert found.measures["semantic_negentropy"].tolist() == [1.0]
    assert found.measures["entailment"].tolist() == [0.75]
    assert "entailment_model:made-up" in str(found.signature)


@pytest.mark.parametrize("samples", [[], [""], ["", None, "  "]])
def test_an_item_without_usable_samples_has_no_value(samples):
    found = semscale.consistency(["Paris", "Rome"], [samples, ["Rome"]], measures=MEASURES, same_by="exact")
    assert [str(status) for status in found.status] == ["too-few-samples", "scored"]
    assert all(np.isnan(column[0]) and column[1] == 1 for column in found.measures.values())
    assert found.to_frame()["same_by"].to_list() == [None, "exact"]
    assert found.to_frame()["meanings"].to_list() == [None, 1]


def test_opposite_short_answers_are_two_meanings():
    found = semscale.consistency(["-5"], [["5", "5", "5"]], measures=MEASURES[:1], same_by="exact")
    # Shares of 1/4 and 3/4 of four texts.
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    assert found.score.tolist() == pytest.approx([1 - entropy / np.log(4)])
    assert found.n_meanings.tolist() == [2]


def test_texts_that_the_model_of_entailment_cannot_read_have_no_value():
    found = semscale.consistency(
        ["red", "red"],
        [["blau", "red"], ["blue"]],
        measures=["entailment", "noncontradiction", "semantic_negentropy"],
        nli=UnreadGerman(),
    )
    assert all(np.isnan(column[0]) for column in found.measures.values())
    assert [column[1] for column in found.measures.values()] == [0.75, 1.0, 1.0]
    assert found.reasons == ("the model of entailment cannot read the answer, or a sample", None)
    frame = found.to_frame()
    assert frame["meanings"].to_list() == [None, 1]
    again = part_items(part_columns(found), part_notes(found))
    assert again.n_meanings.tolist() == [0, 1]
    assert again.to_frame().equals(frame)


def test_order_of_measures_is_kept_and_the_first_one_counts():
    found = semscale.consistency(["a"], [["b"]], measures=["snne", "exact_match"], same_by="exact")
    assert list(found.measures) == ["snne", "exact_match"]
    assert found.score.tolist() == pytest.approx([0.0], abs=1e-12)


def test_a_file_has_the_columns_of_meanings(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text('answer,again\nred,blue\nred,"[""Red"", ""red""]"\n', encoding="utf-8")
    instrument = semscale.Consistency(measures=["semantic_negentropy"], same_by="exact")
    columns = AnswerColumns(answer="answer", samples=("again",))
    consistency_file(open_table(source), columns, instrument=instrument, out=out)
    written = pl.read_csv(out)
    assert written["semscale_semantic_negentropy"].to_list() == [0.0, 1.0]
    assert written["semscale_meanings"].to_list() == [2, 1]
    assert written["semscale_same_by"].to_list() == ["exact", "exact"]
