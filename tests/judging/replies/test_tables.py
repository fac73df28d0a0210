"""Tables with one row of values."""

from semscale.judging.replies.tables import value_rows


def test_a_cell_has_the_heading_of_its_column():
    text = "| Score | Why |\n|---|---|\n| 4 | fine |"
    (row,) = value_rows(text)
    assert [row.heading(text.index(cell, 25)) for cell in ("4", "fine")] == ["Score", "Why"]
    assert row.heading(0) == ""


def test_a_table_with_more_rows_has_no_values_of_one_answer():
    assert value_rows("| Score |\n|---|\n| 4 |\n| 5 |") == []
