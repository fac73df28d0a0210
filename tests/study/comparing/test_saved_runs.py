"""A run as it was saved, beside people."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.study import compare

PEOPLE = pl.DataFrame({"bar": ["oat", "nut"] * 4, "intent": [1, 2, 3, 4, 5, 5, 4, 3], "age": [30, 60] * 4})
HOW = {"concept": "bar", "splits": 20, "plan": IntervalPlan(replicates=100)}


@pytest.fixture
def result(written, played, toy_embedder, running):
    return written().run(played, embedder=toy_embedder, running=running)


def test_a_result_and_its_folder_give_the_same(result, tmp_path):
    result.save(tmp_path / "kept")
    direct, read = (compare(source, PEOPLE, **HOW) for source in (result, tmp_path / "kept"))
    assert direct.signature == read.signature
    assert [each.method for each in read.methods] == ["ssr", "flr", "dlr"]
    (question,) = read.questions
    assert (question.text, len(question.labels)) == ("Would you buy it?", 5)
    # Every persona picks 4 by direct rating.
    assert [each.panel.value for each in read.methods[2].marginals.means] == [4, 4]


def test_a_folder_that_was_edited_is_refused(result, tmp_path):
    result.save(tmp_path / "kept")
    edited = pl.read_parquet(tmp_path / "kept" / "answers.parquet").head(3)
    edited.write_parquet(tmp_path / "kept" / "answers.parquet")
    with pytest.raises(InputError, match="was changed after the run"):
        compare(tmp_path / "kept", PEOPLE, **HOW)


def test_groups_of_a_drawn_panel(result):
    found = compare(result, PEOPLE, by=["age"], **HOW).methods[0].groups
    assert {(each.first, each.second) for each in found.pairs} == {("30", "60")}
