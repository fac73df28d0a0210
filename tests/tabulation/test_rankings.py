"""Rankings: shares of first and top ranks, mean ranks, and their bases."""

import polars as pl
import pytest
from tests.workbook_sheets import sheets_of

import semscale
from semscale.survey.description import Option, Question, Survey, Value

NAN = float("nan")
ITEMS = ("Price", "Battery", "Screen")
# Ranks of seven respondents who ranked something, and one who ranked nothing.
RANKS = [(1, 2, 3), (2, 1, 3), (3, 1, None), (1, None, None), (1, 3, 2), (None,) * 3, (2, 1, 3), (1, 2, 3)]
FIRST = {"Price": 4 / 7, "Battery": 3 / 7, "Screen": 0}
TOP_2 = {"Price": 6 / 7, "Battery": 5 / 7, "Screen": 1 / 7}
MEAN = {"Price": 11 / 7, "Battery": 10 / 6, "Screen": 14 / 5}
N_RANKED = {"Price": 7, "Battery": 6, "Screen": 5}
EXPECTED = (
    {f"ranked first: {item}": share for item, share in FIRST.items()}
    | {f"top 2: {item}": share for item, share in TOP_2.items()}
    | {f"mean rank (1 is first): {item}": rank for item, rank in MEAN.items()}
)


def table_of(frame, **fields):
    survey = Survey(questions=(Question(name="Rank", kind="ranking", **fields),))
    (table,) = semscale.crosstabs(frame, questions=["Rank"], survey=survey, min_base=1).tables
    return table


def figures(table):
    return dict(zip([line.name for line in table.question.lines], table.cells.values[:, 0], strict=True))


def bases(table):
    return dict(zip([line.name for line in table.question.lines], table.cells.n[:, 0].tolist(), strict=True))


IN_COLUMNS = pl.DataFrame([list(row) for row in RANKS], schema=["r1", "r2", "r3"], orient="row")
OPTIONS = tuple(Option(label=item, column=f"r{n}") for n, item in enumerate(ITEMS, 1))


@pytest.mark.parametrize("values", [(), ("1", "2", "3")])
def test_ranks_in_the_columns_of_items(values):
    table = table_of(IN_COLUMNS, options=OPTIONS, values=tuple(Value(value=value) for value in values))
    assert table.question.kind == "ranking"
    assert figures(table) == pytest.approx(EXPECTED)
    found = bases(table)
    assert {found[f"mean rank (1 is first): {item}"] for item in ITEMS} == {7, 6, 5}
    assert {item: found[f"mean rank (1 is first): {item}"] for item in ITEMS} == N_RANKED
    assert {found[f"ranked first: {item}"] for item in ITEMS} == {7}
    assert "5 of 7 respondents ranked all items; items that the others left out have no rank" in (
        table.question.notes
    )


def test_ranks_with_labels_and_codes_for_no_answer():
    words = {1: "First choice", 2: "Second", 3: "Third", None: "99"}
    frame = pl.DataFrame(
        [[words[rank] for rank in row] for row in RANKS], schema=["r1", "r2", "r3"], orient="row"
    )
    values = tuple(Value(value=words[rank]) for rank in (1, 2, 3))
    assert figures(table_of(frame, options=OPTIONS, values=values, missing=["99"])) == pytest.approx(EXPECTED)


def test_items_in_the_columns_of_ranks():
    by_rank = [dict(zip(row, ITEMS, strict=True)) for row in RANKS]
    rows = [[items.get(rank) for rank in (1, 2, 3)] for items in by_rank]
    frame = pl.DataFrame(rows, schema=["first", "second", "third"], orient="row")
    values = tuple(Value(value=item) for item in ITEMS)
    table = table_of(frame, columns=("first", "second", "third"), values=values)
    assert figures(table) == pytest.approx(EXPECTED)


def test_items_listed_in_one_column():
    rows = [
        ";".join(item for _, item in sorted(zip(row, ITEMS, strict=True)) if _ is not None)
        for row in (row for row in RANKS if None not in row)
    ]
    frame = pl.DataFrame({"order": [*rows, None, "Screen;"]})
    table = table_of(
        frame, columns=("order",), separator=";", options=tuple(Option(label=item) for item in ITEMS)
    )
    # Five complete rankings, and one of a single item.
    found = figures(table)
    assert found["ranked first: Price"] == pytest.approx(3 / 6)
    assert found["ranked first: Screen"] == pytest.approx(1 / 6)
    assert found["mean rank (1 is first): Screen"] == pytest.approx((3 + 3 + 2 + 3 + 3 + 1) / 6)
    assert bases(table)["mean rank (1 is first): Price"] == 5


def test_an_unknown_rank_is_neither_first_nor_last():
    frame = pl.DataFrame({"r1": ["1", "x", "2"], "r2": ["2", "1", "1"], "r3": ["3", "2", "3"]})
    table = table_of(frame, options=OPTIONS)
    assert bases(table)["ranked first: Price"] == 2
    assert figures(table)["ranked first: Price"] == 0.5
    assert bases(table)["ranked first: Battery"] == 3
    assert any("1 cell is not known and missing: ‘x’" in note for note in table.question.notes)


def test_items_with_the_same_rank_are_noted():
    frame = pl.DataFrame({"r1": [1, 1], "r2": [1, 2], "r3": [2, 3]})
    table = table_of(frame, options=OPTIONS)
    assert "1 of 2 respondents gave one rank to several items, each of which has it" in table.question.notes
    assert figures(table)["ranked first: Battery"] == 0.5


def test_five_items_have_a_top_3_and_two_have_none():
    frame = pl.DataFrame({f"r{n}": [n, 6 - n] for n in range(1, 6)})
    options = tuple(Option(label=f"i{n}", column=f"r{n}") for n in range(1, 6))
    found = figures(table_of(frame, options=options))
    # Item 4 has the ranks 4 and 2, item 3 twice the rank 3.
    assert (found["top 3: i4"], found["top 3: i3"], found["mean rank (1 is first): i4"]) == (0.5, 1.0, 3.0)
    pair = table_of(
        frame.select("r1", "r2"), options=options[:2], values=(Value(value="1"), Value(value="2"))
    )
    assert not any(line.name.startswith("top") for line in pair.question.lines)


def test_the_screen_shows_the_base_of_each_item(semscale, tmp_path):
    IN_COLUMNS.write_csv(tmp_path / "answers.csv")
    options = ", ".join(f"{{label: {option.label}, column: {option.column}}}" for option in OPTIONS)
    (tmp_path / "survey.yaml").write_text(
        f"survey: 1\nquestions:\n- {{name: Rank, kind: ranking, title: What matters, options: [{options}]}}\n"
    )
    ended = semscale("tables", "answers.csv", "--question", "Rank", "--out", "ranks.xlsx", "--json")
    assert ended.code == 0, ended.err
    sheet = sheets_of(tmp_path / "ranks.xlsx")["Rank"].rows()
    names = [row[0] for row in sheet]
    base = sheet[names.index("Mean rank (1 is first): Battery") + 1]
    assert (base[0], [cell for cell in base[1:] if cell not in {None, "*"}]) == ("Ranked by", ["6"])
    out = " ".join(semscale("tables", "answers.csv", "--question", "Rank").out.split())
    assert "mean rank (1 is first): Battery 1.67* ranked by 6*" in out
    assert "a low mean rank is a high place" in out.lower()
