"""Sheets for people who label texts."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.rating.labelling import (
    draw_for_labels,
    instructions,
    label_sheet,
    read_sheet,
    same_text,
    write_sheet,
)
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.results.table_runs import PartSettings
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.stats.sampling import DrawnTexts
from semscale.store.reading import open_table

DRAWN = DrawnTexts(np.array([2, 0]), np.array([0.25, 0.5]), np.array([0.5, 0.25, 0.25]))


def test_the_sheet_has_rows_texts_room_for_labels_and_probabilities():
    sheet = label_sheet(["good", None, "bad"], DRAWN)
    assert sheet.rows() == [(3, "bad", None, 0.25), (1, "good", None, 0.5)]
    assert sheet.columns == ["row", "text", "human", "inclusion"]


def test_unrated_texts_are_drawn_like_rated_texts(toy_embedder):
    texts = [*TEXTS, "zebra quilt", "", None]
    ratings = Rater("quality", embedder=toy_embedder, floor=0.5).rate(texts)
    unrated = np.flatnonzero(ratings.status == "off-topic").tolist()
    assert unrated
    drawn = draw_for_labels(ratings, 1_000)
    assert sorted(drawn.rows.tolist()) == list(range(len(TEXTS) + 1))
    times = sum(
        set(unrated) & set(draw_for_labels(ratings, 6, seed=seed).rows.tolist()) != set()
        for seed in range(90)
    )
    share = 1 - (1 - 6 / (len(TEXTS) + 1)) ** len(unrated)
    assert abs(times / 90 - share) < 0.2


def test_inclusion_probability_of_1_in_3_million_survives_the_sheet(tmp_path):
    sheet = label_sheet(["good"], DrawnTexts(np.array([0]), *[np.array([1 / 3_000_000])] * 2))
    write_sheet(sheet, tmp_path / "sheet.csv", "Read this.")
    weight = 1 / pl.read_csv(tmp_path / "sheet.csv")["inclusion"][0]
    assert weight == pytest.approx(3_000_000)


def test_it_is_written_with_instructions_beside_it(tmp_path):
    beside = write_sheet(label_sheet(["good", None, "=bad"], DRAWN), tmp_path / "sheet.csv", "Read this.\n")
    assert beside == tmp_path / "sheet-instructions.md"
    assert beside.read_text() == "Read this.\n"
    assert pl.read_csv(tmp_path / "sheet.csv")["text"].to_list() == ["'=bad", "good"]


def test_instructions_have_the_question_every_point_the_next_command_and_the_signature():
    signature = Signature.of("label", draw_seed=7)
    guide = instructions(
        load_scale("quality"), "sheet.xlsx", signature, "semscale calibrate", "semscale rate"
    )
    for phrase in ("Labelling sheet.xlsx", "How good is it?", "- 1: Very bad", "- 5: Very good",
                  "    semscale calibrate\n", "    semscale rate\n", "|label|draw_seed:7\n"):  # fmt: skip
        assert phrase in guide


def test_instructions_for_too_few_texts_have_only_the_rate_command():
    guide = instructions(
        load_scale("quality"), "sheet.csv", Signature.of("label"), None, "semscale rate a.csv"
    )
    assert "    semscale rate a.csv\n" in guide
    assert "calibrate" not in guide
    assert "None" not in guide


TEXTS = [f"{phrase} number {index}" for index in range(6) for phrase in ("great thing", "bad stuff", "so so")]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    pl.DataFrame({"text": TEXTS, "other": TEXTS[::-1]}).write_csv(path)
    return open_table(path)


@pytest.fixture
def sheet(tmp_path):
    def write(rows, human, texts=None, inclusion=None):
        path = tmp_path / "sheet.csv"
        texts = [TEXTS[row - 1] for row in rows] if texts is None else texts
        inclusion = [0.5] * len(rows) if inclusion is None else inclusion
        pl.DataFrame({"row": rows, "text": texts, "human": human, "inclusion": inclusion}).write_csv(path)
        return open_table(path)

    return write


def rated(table, labels, toy_embedder, text="text", **columns):
    rater = Rater("quality", embedder=toy_embedder, floor=None)
    return rate_table(
        table, RatingColumns(text=text, **columns), rater=rater, labels=labels, settings=PartSettings(5)
    )


def test_labels_stand_at_the_rows_of_the_file_whatever_their_order_in_the_sheet(sheet):
    labels = read_sheet(sheet([3, 1, 6], ["4", "", "[2, 3]"], inclusion=[0.25, 0.5, 1]))
    assert labels.part(0, 3)[0] == [None, None, 4.0]
    humans, inclusion = labels.part(2, 4)
    assert humans == [4.0, None, None, [2.0, 3.0]]
    np.testing.assert_array_equal(inclusion, [0.25, np.nan, np.nan, 1.0])


def test_a_sheet_does_as_much_as_columns_of_the_file(tmp_path, table, sheet, toy_embedder):
    rows, human, inclusion = [16, 2, 9, 4, 11], [5, 1, 3, 4, 2], [0.5, 0.25, 0.2, 0.5, 1]
    labels = read_sheet(sheet(rows, human, inclusion=inclusion))
    result = rated(table, labels, toy_embedder).comparison
    joined = pl.DataFrame({"text": TEXTS}).with_row_index("row", 1)
    beside = pl.DataFrame({"row": rows, "h": human, "p": inclusion}, schema_overrides={"row": pl.UInt32})
    joined.join(beside, on="row", how="left").write_csv(tmp_path / "joined.csv")
    same = rated(open_table(tmp_path / "joined.csv"), None, toy_embedder, human="h", inclusion="p").comparison
    # Hajek: weights 2, 4, 5, 2 and 1 for labels 5, 1, 3, 4 and 2.
    assert result.corrected.labels_only.value == pytest.approx((10 + 4 + 15 + 8 + 2) / 14)
    assert result.corrected == same.corrected
    assert result.pearson == same.pearson
    assert (result.corrected.n_labelled, result.corrected.n_unlabelled) == (5, 13)


def test_spreadsheets_may_change_signs_and_blanks_of_the_texts(table, sheet, toy_embedder):
    texts = ["'great  thing number 0", "bad stuff number 0 ", "so so number 0\u200b"]
    result = rated(table, read_sheet(sheet([1, 2, 3], [5, 1, 3], texts)), toy_embedder)
    assert result.comparison.n == 3


@pytest.mark.parametrize(
    ("rows", "human", "inclusion", "message"),
    [
        ([1, 2], ["", ""], None, "column 'human' of sheet.csv is empty"),
        ([1, 1], ["3", "4"], None, "label for data row 1 of the file twice"),
        ([1, 2], ["good", "4"], None, "in sheet.csv, column .human. must .* data row 1 has 'good'"),
        (
            [1, 2],
            ["3", "4"],
            ["0.5", "0"],
            "in sheet.csv, column .inclusion. must .* but data row 2 has .*; give the probability with "
            "which the text was drawn, or empty both this cell and the rating",
        ),
        ([1, 2], ["3", "4"], ["0.5", "half"], "has 'half'; give the probability with which the text was"),
        (
            [1, 2],
            ["3", "4"],
            ["0.5", ""],
            "in sheet.csv, column .inclusion. .* data row 2 has none; give the",
        ),
        ([1, 2], ["3,5", "4.5"], ["0.5", "0.5"], "write decimals with a point"),
    ],
)
def test_a_sheet_that_cannot_be_read(sheet, rows, human, inclusion, message):
    with pytest.raises(InputError, match=message):
        read_sheet(sheet(rows, human, inclusion=inclusion))


def test_decimal_commas_of_a_spreadsheet_are_read_where_the_probabilities_have_them(sheet):
    labels = read_sheet(sheet([1, 2, 3], ["3,5", "[2, 3]", "4"], inclusion=["0,5", "0,25", "1"]))
    humans, inclusion = labels.part(0, 3)
    assert humans == [3.5, [2.0, 3.0], 4.0]
    assert inclusion.tolist() == [0.5, 0.25, 1.0]


@pytest.mark.parametrize(
    ("left", "right"), [("5", "4"), ("😀", "😡"), ("!!", "??"), ("a 1", "a 2"), ("", "7")]
)
def test_texts_of_digits_and_emoji_are_compared_as_well(left, right):
    assert not same_text(left, right)
    assert same_text(left, left)


def test_drawn_texts_without_a_label_are_counted(table, sheet, toy_embedder):
    result = rated(table, read_sheet(sheet([1, 2, 3, 4], ["5", "", "3", "4"])), toy_embedder)
    assert any(note.startswith("1 of 4 drawn texts has no label") for note in result.comparison.notes)
    whole = rated(table, read_sheet(sheet([1, 2, 3], [5, 1, 3])), toy_embedder)
    assert not any("no label" in note for note in whole.comparison.notes)


@pytest.mark.parametrize("row", ["", "0", "1.5", "first"])
def test_sheet_row_outside_the_file_is_refused(sheet, row):
    with pytest.raises(InputError, match="row"):
        read_sheet(sheet([row, "2"], ["3", "4"], texts=["a", "b"]))


def test_a_table_that_is_no_sheet(table):
    with pytest.raises(UnknownNameError, match="labels: .* has no column 'row'"):
        read_sheet(table)


def test_two_sheets_have_two_signatures_and_are_named(table, sheet, toy_embedder):
    original, moved, other = (
        rated(table, read_sheet(sheet(rows, human)), toy_embedder).comparison
        for rows, human in (([1, 2, 3], [3, 1, 5]), ([1, 2, 6], [3, 1, 5]), ([1, 2, 3], [3, 1, 4]))
    )
    assert len({str(result.signature) for result in (original, moved, other)}) == 3
    assert original.sheet == "sheet.csv"


def test_a_sheet_with_a_renamed_column_says_to_give_it_its_name_back(tmp_path, table):
    (tmp_path / "sheet.csv").write_text("zeile,text,human,inclusion\n1,good,3,0.5\n")
    with pytest.raises(UnknownNameError, match="no column 'row'; columns: zeile, .* restore the name"):
        read_sheet(open_table(tmp_path / "sheet.csv"))
    with pytest.raises(UnknownNameError) as refused:
        read_sheet(table)
    assert "name back" not in str(refused.value)


def test_labels_of_other_texts_are_refused_before_any_is_rated(table, sheet, toy_embedder):
    with pytest.raises(
        InputError, match="data row 1 it has the text 'great thing number 0', and the file has"
    ):
        rated(table, read_sheet(sheet([1], [3])), toy_embedder, text="other")
    beyond = read_sheet(sheet([99], [3], texts=["gone"]))
    with pytest.raises(InputError, match="a label for data row 99, and the file has 18 rows"):
        rated(table, beyond, toy_embedder)


@pytest.mark.parametrize(("label", "shown"), [("6", "6.0"), ("[3, 0]", "[3.0, 0.0]")])
def test_a_label_off_the_scale_is_refused_unless_people_had_another_range(
    table, sheet, toy_embedder, label, shown
):
    labels = read_sheet(sheet([4, 3, 1], [label, "5", "1"]))
    with pytest.raises(InputError) as refused:
        rated(table, labels, toy_embedder)
    assert f"sheet.csv has the label {shown} for data row 4 of the file" in str(refused.value)
    assert "the scale ranges from 1 to 5" in str(refused.value)
    assert "(human_range)" in str(refused.value)
    result = rated(table, labels, toy_embedder, human_range=(0, 6))
    assert result.comparison.corrected is not None


def test_labels_and_a_human_column_are_mutually_exclusive(table, sheet, toy_embedder):
    with pytest.raises(InputError, match="labels and human exclude each other"):
        rated(table, read_sheet(sheet([1], [3])), toy_embedder, human="other")


def test_inclusion_needs_human_ratings():
    with pytest.raises(InputError, match="inclusion belongs to a column of human ratings"):
        RatingColumns(text="text", inclusion="p")
