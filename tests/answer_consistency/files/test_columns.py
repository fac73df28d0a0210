import numpy as np
import polars as pl
import pytest

from semscale.answer_consistency.files.columns import AnswerChecks, AnswerColumns, answer_cells
from semscale.answer_consistency.files.item_rows import rows_of_items
from semscale.answer_consistency.labels import FewestLabels
from semscale.errors import InputError, UnknownNameError
from semscale.store.reading import open_table


@pytest.fixture
def table(tmp_path):
    def written(columns):
        path = tmp_path / "answers.csv"
        pl.DataFrame(columns).write_csv(path)
        return open_table(str(path))

    return written


def read_answers(answers, columns):
    """All cells, read and checked at once."""
    columns.check(answers)
    (batch,) = answers.batches(100)
    cells = answer_cells(batch, columns)
    checks = AnswerChecks(columns, FewestLabels.for_ensemble("none"))
    checks.add(cells)
    checks.finish()
    return cells


def test_samples_from_columns_and_from_lists_in_cells(table):
    # What a file with two labels lacks is refused later, by AnswerChecks.
    answers = table({"a": ["x", "y"], "s": ["x", '["y", "z"]'], "t": ["w", None], "ok": [1, 0]})
    (batch,) = answers.batches(100)
    cells = answer_cells(batch, AnswerColumns(answer="a", samples=("s", "t"), label="ok"))
    assert cells.answers == ["x", "y"]
    assert cells.samples == [["x", "w"], ["y", "z", None]]
    assert [str(label) for label in cells.labels] == ["1", "0"]


def test_groups_and_prompts_are_those_of_the_rows(table):
    cells = read_answers(
        table({"a": ["x", "y"], "s": ["x", "y"], "g": [2024, None], "p": ["A", "B"]}),
        AnswerColumns(prompt="p", answer="a", samples=("s",), by="g"),
    )
    assert (cells.groups, cells.prompts) == (["2024", None], ["A", "B"])


def test_a_label_is_refused_with_its_place_in_the_file():
    columns = AnswerColumns(answer="a", samples=("s",), label="l")
    checks = AnswerChecks(columns, FewestLabels.for_ensemble("none"))
    checks.add(answer_cells(pl.DataFrame({"a": ["x", "y"], "s": ["x", "y"], "l": ["yes", "0"]}), columns))
    wrong = answer_cells(pl.DataFrame({"a": ["x", "y"], "s": ["x", "y"], "l": [None, "perhaps"]}), columns, 2)
    with pytest.raises(InputError, match=r"got 'perhaps' in row 4"), rows_of_items(np.array([2, 3])):
        checks.add(wrong)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "answer must name a column, or prompt one whose questions --ask asks"),
        ({"answer": "a"}, "samples must come from columns"),
        ({"answer": "a", "samples": ("s",), "item": "i"}, "samples must come from columns"),
        ({"answer": "a", "samples": ("a",)}, "sample must be another column than answer"),
        ({"answer": "a", "samples": ("s", "s")}, "column 's' is named twice"),
        ({"prompt": "p", "samples": ("s",)}, "sample, item and logprobs need answer"),
    ],
)
def test_columns_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        AnswerColumns(**settings)


def test_columns_that_are_not_there_or_hold_no_text_are_refused(table):
    with pytest.raises(UnknownNameError, match="did you mean 'sample'"):
        read_answers(table({"a": ["x"], "sample": ["y"]}), AnswerColumns(answer="a", samples=("sampel",)))
    with pytest.raises(InputError, match="column 'a' holds no text: all its cells are empty"):
        read_answers(table({"a": [None], "s": ["y"]}), AnswerColumns(answer="a", samples=("s",)))


def test_a_broken_list_is_named_with_its_row(table):
    answers = table({"a": ["x"] * 3, "s": ["y", "y", '["Paris", ']})
    with pytest.raises(InputError, match="column 's' has a list that is no valid JSON in data row 3"):
        read_answers(answers, AnswerColumns(answer="a", samples=("s",)))
