import numpy as np
import pytest

from semscale.matching.cliniqlink import (
    Task,
    options_of,
    score_list,
    score_multiple_choice,
    score_true_false,
)


def test_true_or_false_is_right_wrong_or_invalid():
    items = score_true_false(
        Task(
            "true_false",
            [{"answer": "True"}, {"answer": "False"}, {"answer": "True"}, {}],
            ["true", "True", "?", "x"],
        )
    )
    assert items.score[:3].tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(items.score[3])  # nothing says what is right
    assert items.n_invalid == 2


def test_multiple_choice_takes_text_or_letter():
    item = {"correct_answer": "lung", "options": ["heart", "lung"]}
    items = score_multiple_choice(Task("multiple_choice", [item] * 4, ["Lung", "B", "A", "liver"]))
    assert items.score.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert items.n_invalid == 1


def test_lists_are_scored_by_f1_and_pooled():
    item = {"answer": ["heart", "lung"], "options": ["heart", "lung", "liver"]}
    items = score_list(Task("list", [item] * 4, ["A, B", "A", "A, C", "A, bone"]))
    # 2*2/(2+2) = 1; 2*1/(1+2) = 2/3; 2*1/(2+2) = 1/2; one that invents an option has no hits
    assert items.score == pytest.approx([1, 2 / 3, 1 / 2, 0])
    assert items.n_invalid == 1
    # hits 2 + 1 + 1 + 0, listed 2 + 1 + 2 + 2, wanted 4 * 2: 2 * 4 / 15
    assert items.figures["micro_f1"] == pytest.approx(8 / 15)


def test_option_letters_are_removed_only_where_they_are_labels():
    assert options_of({"options": ["A. heart", "B: lung", "E. coli"]}) == ["heart", "lung", "E. coli"]
