"""Crosstabs of files and data frames, and their layouts for machines."""

import json
from dataclasses import replace

import pandas as pd
import polars as pl
import pytest

import semscale
from semscale.errors import InputError, UnknownNameError
from semscale.store.reading import open_table
from semscale.store.table import ColumnLabels
from semscale.study.result import SCHEMA
from semscale.tabulation.crosstabs import build_crosstabs
from semscale.tabulation.settings import CrosstabSettings

FRAME = pl.DataFrame({
    "like": [1, 1, 3, 3, 3, 3, 5, 5, None],
    "age": [20, 30, 20, 30, 40, 50, 40, 50, 20],
    "group": ["a"] * 4 + ["b"] * 4 + ["a"],
    "w": [1.0] * 8 + [None],
})  # fmt: skip


def tabulate(data=FRAME, **settings):
    inputs = {"questions": ["like"], "banners": ["group"], "min_base": 2, "adjust": "none"}
    return semscale.crosstabs(data, **{**inputs, **settings})


def test_a_data_frame_is_tabulated():
    table = tabulate().tables[0]
    assert table.cells.values[-1].tolist() == [3.0, 2.0, 4.0]
    assert table.letters[-1].tolist() == ["", "", "A"]


FORM = pl.DataFrame({
    "drink": ["<b>Caf&eacute;</b>", "Café", "Tea", "<p></p>", "Tea"],
    "town": ["Bath", "<i>Bath</i>", "Bath", "York", "York"],
})  # fmt: skip


def test_html_in_answers_and_groups_is_tabulated_as_its_text_on_request():
    result = semscale.crosstabs(FORM, questions=["drink"], banners=["town"], html="text", min_base=1)
    (table,) = result.tables
    assert [line.name for line in table.question.lines] == ["Café", "Tea"]
    # In Bath 2 of 3 answers are Café; in York the other answer is empty, so 1 of 1 is Tea.
    assert table.cells.values.tolist() == [[0.5, pytest.approx(2 / 3), 0.0], [0.5, pytest.approx(1 / 3), 1.0]]
    assert [note.split(",")[0] for note in result.input_notes] == [
        "2 of 5 texts in column ‘drink’ contain HTML (tags",
        "1 of 5 texts in column ‘town’ contain HTML (tags",
    ]


def test_html_in_answers_is_reported_and_stays_by_default():
    result = semscale.crosstabs(FORM, questions=["drink"], min_base=1)
    assert "<b>Caf&eacute;</b>" in [line.name for line in result.tables[0].question.lines]
    assert result.input_notes[0].endswith("; html='text' measures the text alone.")


def test_a_file_gives_the_same_as_a_frame(tmp_path):
    FRAME.write_csv(tmp_path / "answers.csv")
    item, other = tabulate(), tabulate(str(tmp_path / "answers.csv"))
    assert other.source == "answers.csv"
    assert item.to_frame().equals(other.to_frame())
    assert tabulate(pd.DataFrame(FRAME.to_dict(as_series=False))).to_frame().equals(item.to_frame())


def test_rows_that_do_not_count_are_counted():
    result = tabulate(weight="w")
    assert (result.n, result.n_counting, result.left_out) == (9, 8, {"no weight": 1})
    assert result.record()["left_out"] == {"no weight": 1}


def test_frame_has_a_row_per_cell():
    cells = tabulate().to_frame()
    mean = cells.filter((pl.col("line") == "mean") & (pl.col("column") == "b")).row(0, named=True)
    assert (mean["value"], mean["n"], mean["letters"], mean["statistic"]) == (4.0, 4, "A", "mean")
    assert mean["low"] < 4 < mean["high"]
    assert mean["change"] is None
    # Five points, two nets, the mean and its standard deviation, in three columns; below them eight
    # differences of the two groups.
    assert cells.height == 9 * 3 + 8
    deviation = cells.filter(pl.col("line") == "standard deviation")
    assert deviation["low"].null_count() == 3
    assert cells["n_missing"].to_list()[:3] == [1, 1, 0]


def test_column_pairs_have_a_row_per_line():
    eight = tabulate(FRAME.head(8))
    row = eight.to_frame().filter((pl.col("statistic") == "difference") & (pl.col("line") == "mean"))
    mean = row.row(0, named=True)
    # Means 2 and 4, sums of squares 4 and 4: se = sqrt(8 / 7 * 8 / 16) = .7559 with 6 degrees of freedom,
    # whose t of the interval is 2.4469; t = 2.6458, p = .0382.
    assert (mean["column"], mean["first"], mean["second"]) == ("a minus b", "a", "b")
    assert (mean["column_letter"], mean["value"], mean["n"]) == ("A-B", -2.0, None)
    assert (mean["low"], mean["high"]) == (pytest.approx(-3.8497, abs=1e-4), pytest.approx(-0.1503, abs=1e-4))
    assert mean["p"] == pytest.approx(0.0382, abs=1e-4)
    assert mean["p_adjusted"] == mean["p"]
    (table,) = json.loads(eight.to_json())["tables"]
    recorded = table["differences"][-1]
    assert (recorded["line"], recorded["first"], recorded["second"]) == ("mean", "a", "b")
    assert recorded["p"] == pytest.approx(0.0382, abs=1e-4)
    assert tabulate(questions=["age"], banners=["group"]).to_frame()["first"].null_count() == 2 * 3


def test_json_has_tables_with_columns_and_lines():
    record = json.loads(tabulate().to_json())
    (table,) = record["tables"]
    assert record["instrument"] == "tables"
    assert [column["letter"] for column in table["columns"]] == [None, "A", "B"]
    assert table["lines"][-1]["cells"][2]["letters"] == "A"
    assert table["association"]["n"] == 8


def test_scales_name_points():
    table = tabulate(scales={"like": "quality"}).tables[0]
    assert table.question.lines[0].name.startswith("1 ")
    assert len(table.question.lines[0].name) > 2


def test_changes_go_from_the_earlier_wave_to_the_later():
    # Means 2 in January and 4 in February, which stands first in the alphabet.
    frame = FRAME.with_columns(month=pl.Series(["Jan 2026"] * 4 + ["Feb 2026"] * 4 + [None]))
    settings = {"banners": ["age"], "wave": "month"}
    waves, ages = tabulate(frame, **settings).tables
    assert (waves.columns, ages.before, ages.wave) == (
        ("Total", "Jan 2026", "Feb 2026"),
        "Jan 2026",
        "Feb 2026",
    )
    assert ages.changes.values[-1, 0] == 2
    turned = tabulate(frame, **settings, wave_order=["Feb 2026", "Jan 2026"])
    assert turned.tables[1].changes.values[-1, 0] == -2
    assert "wave_order:Feb 2026+Jan 2026" in str(turned.signature)


def test_tables_are_grouped_by_question():
    result = tabulate(questions=["like", "age"], banners=["group", "age"])
    assert [[item.banner.name for item in tables] for tables in result.questions()] == [["group", "age"]] * 2
    assert repr(result) == "Crosstabs(source='', n=9, tables=4)"


def test_the_signature_has_what_figures_depend_on():
    assert "weight:w" in str(tabulate(weight="w").signature)
    assert "adjust:holm" in str(tabulate(adjust="holm").signature)


def test_labels_of_a_file_name_questions_points_and_groups(tmp_path):
    FRAME.with_columns(group=pl.Series([2] * 4 + [1] * 4 + [2])).write_csv(tmp_path / "answers.csv")
    labels = {
        "like": ColumnLabels(label="Do you like it?", values={"1": "no", "3": "so so", "5": "yes"}),
        "group": ColumnLabels(label="Where?", values={"2": "south", "1": "north"}),
    }
    table = replace(open_table(tmp_path / "answers.csv"), labels=labels)
    (result,) = build_crosstabs(table, CrosstabSettings(questions=["like"], banners=["group"])).tables
    assert (result.question.text, result.banner.text) == ("Do you like it?", "Where?")
    assert result.columns == ("Total", "south", "north")
    assert [line.name for line in result.question.lines] == ["1 no", "3 so so", "5 yes", "mean"]


def test_items_of_a_question_keep_their_names(tmp_path):
    FRAME.write_csv(tmp_path / "answers.csv")
    labels = {
        "like": ColumnLabels("How do you rate?", "Q1", "Price"),
        "age": ColumnLabels("How do you rate? - Service", "Q1", "Service"),
        "group": ColumnLabels("Which brands?", "Q2", "Alpha"),
    }
    table = replace(open_table(tmp_path / "answers.csv"), labels=labels)
    result = build_crosstabs(table, CrosstabSettings(questions=["like", "age"], banners=["group"])).tables
    assert [item.question.text for item in result] == [
        "How do you rate? Price",
        "How do you rate? - Service",
    ]
    assert result[0].banner.text == "Which brands? Alpha"


def test_margins_may_name_labels_of_a_file(tmp_path):
    FRAME.with_columns(group=pl.Series([2] * 4 + [1] * 4 + [2])).write_csv(tmp_path / "answers.csv")
    labels = {"group": ColumnLabels(values={"2": "south", "1": "north"})}
    table = replace(open_table(tmp_path / "answers.csv"), labels=labels)
    margins = {"group": {"north": 25, "south": 75}}
    settings = CrosstabSettings(questions=["like"], banners=["group"], raked_to=margins)
    (result,) = build_crosstabs(table, settings).tables
    # Means are 2 in the south and 4 in the north. Of 9 people 6.75 are the south's, of whom 4 in 5 answered,
    # 5.4, beside 2.25 of the north.
    assert result.cells.values[-1, 0] == pytest.approx((2 * 5.4 + 4 * 2.25) / (5.4 + 2.25))


def test_unknown_columns_and_empty_tables_are_refused(tmp_path):
    FRAME.write_csv(tmp_path / "answers.csv")
    for data in (FRAME, tmp_path / "answers.csv"):
        for settings in ({"questions": ["like2"]}, {"banners": ["grup"]}, {"wave": "wav"}, {"weight": "ww"}):
            with pytest.raises(UnknownNameError):
                tabulate(data, **settings)
    with pytest.raises(InputError, match="no rows"):
        tabulate(FRAME.clear())
    with pytest.raises(InputError, match="question must name at least one"):
        tabulate(questions=[])


MENTIONS = pl.DataFrame({"m1": [1, 2, 99, 1], "m2": [2, None, None, 99]})


@pytest.mark.parametrize("named", ["M", "M=m1+m2"])
def test_codes_of_a_list_of_columns_are_left_out_by_its_name_or_its_list(named):
    (result,) = semscale.crosstabs(MENTIONS, questions=["M=m1+m2"], missing={named: ["99"]}).tables
    assert [line.name for line in result.question.lines] == ["1", "2"]
    # By hand: of four people the third named 99 alone, so 1 stands with two and 2 with two of three.
    assert result.question.answers.tolist()[:2] == [[1, 1], [0, 1]]
    assert pd.isna(result.question.answers[2]).all()
    assert result.question.answers[3].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        (["M=m1", "M=m2+m1"], "'M=m1' and 'M=m2[+]m1' have the same name, 'M'"),
        (["m1", "m1=m2+m1"], "'m1' and 'm1=m2[+]m1' have the same name"),
        (["M=m1+m1"], "names column 'm1' twice"),
    ],
)
def test_duplicate_question_names_and_columns_are_refused(questions, message):
    with pytest.raises(InputError, match=message):
        semscale.crosstabs(MENTIONS, questions=questions)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"questions": ("q", "q")}, "question: 'q' is named twice"),
        ({"wave": "g"}, "wave: 'g' is a banner as well"),
        ({"wave_order": ("a", "b")}, "wave_order belongs to wave"),
        ({"scales": {"p": "quality"}}, "scales: 'p' is not one of the questions"),
        ({"missing": {"p": ("9",)}}, "missing: 'p' is not one of the questions"),
        ({"missing": {"": (" ",)}}, "missing must be codes"),
        ({"numeric": ("p",)}, "numeric: 'p' is not one of the questions"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        CrosstabSettings(**{"questions": ("q",), "banners": ("g",), **settings})


@pytest.mark.parametrize("columns", [[*SCHEMA], ["persona", "concept", "question", "method", "pmf"]])
def test_answers_of_a_study_are_refused_with_the_folder_to_name(tmp_path, columns):
    folder = tmp_path / "bars-results"
    folder.mkdir()
    pl.DataFrame({column: ["x"] for column in columns}).write_csv(folder / "answers.csv")
    with pytest.raises(InputError, match=r"a study's answers.*name the folder of the run \(.*bars-results\)"):
        semscale.crosstabs(folder / "answers.csv", questions=["question"])


def test_other_tables_with_columns_of_such_names_are_tabulated(tmp_path):
    columns = ["persona", "concept", "question", "method", "sample", "value"]
    pl.DataFrame({column: ["x", "y"] for column in columns}).write_csv(tmp_path / "a.csv")
    assert len(semscale.crosstabs(tmp_path / "a.csv", questions=["question"]).tables) == 1
