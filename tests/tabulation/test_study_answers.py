"""The answers of a panel are no table of respondents."""

import pytest

from semscale.errors import InputError
from semscale.study.measuring import SCHEMA
from semscale.tabulation.study_answers import refuse_answers


def test_answers_of_a_study_are_refused_with_the_folder_to_name():
    with pytest.raises(InputError, match=r"name the folder of the run \(bars-results\)"):
        refuse_answers([*SCHEMA], "bars-results/answers.parquet")


def test_other_tables_with_such_names_are_taken():
    assert refuse_answers(["persona", "concept", "question", "method", "sample", "value"], "a.csv") is None


def test_answers_are_known_by_the_columns_that_every_version_has():
    with pytest.raises(InputError, match="a study's answers"):
        refuse_answers(["persona", "concept", "question", "method", "pmf"], "old/answers.parquet")
