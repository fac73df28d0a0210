"""Answers read by the description of a question: options, lists, scales, codes for no answer, nets."""

import math

import polars as pl
import pytest

import semscale
from semscale.errors import InputError
from semscale.survey.survey_file import parse_survey


def survey(text):
    return parse_survey(f"questions:\n{text}".encode(), source="survey.yaml")


def table(columns, question, description=None, **settings):
    """Tabulate one question for everybody."""
    described = None if description is None else survey(description)
    result = semscale.crosstabs(pl.DataFrame(columns), questions=[question], survey=described, **settings)
    return result.tables[0]


def shares(table):
    """Return the lines with their figures for everybody."""
    return {
        line.name: round(float(value), 6)
        for line, value in zip(table.question.lines, table.cells.values[:, 0], strict=True)
    }


def test_not_asked_cells_are_in_no_base():
    # Four of eight were asked; one of them chose Tea. Words such as N/A are no choice.
    columns = {"b_tea": ["Yes", "No", "No", "No"] + ["N/A"] * 4, "b_milk": ["No"] * 4 + ["N/A"] * 4}
    result = table(columns, "b_*")
    assert shares(result) == {"tea": 0.25, "milk": 0.0, "any of these": 0.25}
    assert (result.bases[0].tolist(), result.cells.n_missing[0].tolist()) == ([4], [4])
    assert "left out as no answer: ‘N/A’ (8 cells, not asked)" in "; ".join(result.question.notes)


def test_codes_and_dont_know_in_option_columns_are_no_choices():
    # Of six answers, three chose the option.
    columns = {"b_a": ["1", "0", "1", "0", "1", "0", "9", "-99", "Don't know"], "b_b": ["0"] * 9}
    result = table(columns, "b_*")
    assert shares(result)["a"] == 0.5
    assert result.cells.n[0].tolist() == [6]


def test_used_and_not_used_are_marks_of_options():
    columns = {"u_a": ["Used", "Not used", "Used", "Not used"], "u_b": ["Not used"] * 4}
    assert shares(table(columns, "u_*")) == {"a": 0.5, "b": 0.0, "any of these": 0.5}


def test_unknown_cells_beside_known_marks_are_missing_and_counted():
    columns = {"b_a": ["yes", "no", "perhaps", "no"], "b_b": ["no", "yes", "yes", "no"]}
    result = table(columns, "b_*")
    assert shares(result) == {"a": pytest.approx(1 / 3, abs=1e-6), "b": 0.5, "any of these": 0.75}
    assert "1 cell is not known and missing: ‘perhaps’ (1)" in result.question.notes


@pytest.mark.parametrize(
    ("cells", "named"), [(["1", "2"], "'1', '2'"), (["bar", "foo"], "'bar', 'foo'"), (["2", "2"], "'2'")]
)
def test_cells_that_do_not_say_what_is_chosen_are_asked_for(cells, named):
    with pytest.raises(InputError) as refused:
        table({"b_a": cells * 2, "b_b": cells * 2}, "b_*")
    assert f"say that an option was chosen: {named}; describe the file" in str(refused.value)
    assert "semscale columns FILE --out survey.yaml" in str(refused.value)


BRANDS = "- {name: Brands, kind: multiple, columns: [b_a, b_b], chosen: ['1'], not_chosen: ['2']}\n"


@pytest.mark.parametrize("name", ["Brands", "b_*", "X=b_a,b_b"])
def test_a_description_states_the_marks_of_columns_however_they_are_named(name):
    columns = {"b_a": [1, 2, 2, 2, None], "b_b": [2, 2, 1, 1, 1]}
    result = table(columns, name, BRANDS)
    assert shares(result) == {"b_a": 0.25, "b_b": 0.6, "any of these": 0.8}


def test_one_option_of_a_described_question_is_read_by_its_marks():
    assert shares(table({"b_a": [1, 2, 2, 2], "b_b": [2] * 4}, "b_a", BRANDS)) == {"b_a": 0.25}


def test_empty_cells_are_not_chosen_if_they_are_marks_and_the_respondent_has_another():
    description = """- name: q
  kind: multiple
  options:
    - {label: Tea, column: t}
    - {label: Milk, column: m}
    - {label: Other, column: o, text: true}
  chosen: [x]
  not_chosen: ['']
"""
    columns = {"t": ["x", None, None, None], "m": [None, "x", None, None], "o": [None, None, "Juice", None]}
    result = table(columns, "q", description)
    third = pytest.approx(1 / 3, abs=1e-6)
    # The last respondent has no mark at all, and may not have been asked.
    assert shares(result) == {"Tea": third, "Milk": third, "Other": third}
    assert result.cells.n[:, 0].tolist() == [3, 3, 3]


def test_an_empty_text_of_other_is_not_chosen_beside_other_marks():
    columns = {"q[1]": ["Yes", "No", "No", None], "q[other]": ["", "Juice", None, None]}
    result = table(columns, "q[*")
    third = pytest.approx(1 / 3, abs=1e-6)
    assert shares(result) == {"1": third, "other": third, "any of these": pytest.approx(2 / 3, abs=1e-6)}


def test_exclusive_options_count_in_no_any_and_are_noted_beside_others():
    columns = {
        "d_Tea": ["yes", "no", "no", "yes"],
        "d_Milk": ["yes", "no", "no", "no"],
        "d_None of these": ["no", "yes", "yes", "yes"],
    }
    result = table(columns, "d_*")
    assert shares(result) == {"Tea": 0.5, "Milk": 0.25, "None of these": 0.75, "any of these": 0.5}
    assert "1 respondents chose ‘None of these’ and other options as well" in result.question.notes


def test_nets_of_options_count_respondents_once():
    description = """- name: q
  kind: multiple
  options: [{label: Tea, column: t}, {label: Coffee, column: c}, {label: Juice, column: j}]
  chosen: [1]
  not_chosen: [0]
  nets: {Hot: [Tea, Coffee]}
"""
    result = table({"t": [1, 1, 0, 0], "c": [1, 0, 0, 0], "j": [0, 0, 1, 0]}, "q", description)
    assert shares(result) == {"Tea": 0.5, "Coffee": 0.25, "Juice": 0.25, "Hot": 0.5, "any of these": 0.75}
    assert [line.label for line in result.question.lines[3:]] == ["Hot (net)", "any of these"]
    # 4 answers: 2 Tea, 1 Coffee, 1 Juice; nets are no answers.
    assert result.answer_shares[:3, 0].tolist() == [0.5, 0.25, 0.25]
    assert all(math.isnan(share) for share in result.answer_shares[3:, 0])


def test_shares_of_all_answers_are_weighted_and_in_the_outputs():
    columns = {"b_x": [1, 1, 0, 0], "b_y": [1, 0, 1, 0], "w": [1.0, 2.0, 3.0, 4.0]}
    result = semscale.crosstabs(pl.DataFrame(columns), questions=["b_*"], weight="w")
    # x has weight 3, y weight 4 of 7.
    cells = result.to_frame().filter(pl.col("statistic") == "share of answers")
    assert cells["value"].to_list() == pytest.approx([3 / 7, 4 / 7])
    x, y, _ = result.record()["tables"][0]["lines"]
    assert [line["cells"][0]["share_of_answers"] for line in (x, y)] == pytest.approx([3 / 7, 4 / 7])


def test_lists_in_a_cell_are_split_and_an_option_can_contain_the_separator():
    cells = ["Tea, Coffee", "Tea", "Milk, fresh, Tea", "Coffee", "Tea, Coffee", "Milk, fresh", "Tea", None]
    description = """- name: q
  kind: multiple
  separator: ','
  options: [{label: Tea}, {label: Coffee}, {label: 'Milk, fresh'}]
"""
    result = table({"q": cells}, "q", description)
    assert {name: round(7 * share) for name, share in shares(result).items()} == {
        "Tea": 5, "Coffee": 3, "Milk, fresh": 2,
    }  # fmt: skip
    assert result.cells.n[0].tolist() == [7]


def test_a_part_of_a_list_that_is_no_option_is_the_text_of_other():
    description = """- name: q
  kind: multiple
  separator: ';'
  options: [{label: Tea}, {label: Other, text: true}]
"""
    result = table({"q": ["Tea", "Tea;my own", "something", "Tea"]}, "q", description)
    assert shares(result) == {"Tea": 0.75, "Other": 0.5}


def test_a_scale_has_the_order_labels_and_scores_of_its_description():
    description = """- name: q
  kind: scale
  title: Liking
  values:
    - {value: good, score: 3}
    - {value: fair, score: 2}
    - {value: bad, score: 1}
    - {value: awful, score: 0}
    - {value: no use, missing: not asked}
"""
    result = table({"q": ["Good", "bad", " fair", "awful", "no use", "what"]}, "q", description)
    assert result.question.text == "Liking"
    assert shares(result) == {
        "good": 0.25, "fair": 0.25, "bad": 0.25, "awful": 0.25,
        "top 2 (fair and good)": 0.5, "bottom 2 (awful and bad)": 0.5, "mean": 1.5,
    }  # fmt: skip
    assert result.question.notes == (
        "left out as no answer: ‘no use’ (1, not asked)",
        "1 cell is not known and missing: ‘what’ (1)",
    )


def test_points_without_a_score_count_in_shares_and_not_in_the_mean():
    description = "- {name: q, kind: scale, values: [{value: 1}, {value: 3}, {value: other}]}\n"
    result = table({"q": ["1", "3", "other", "3"]}, "q", description)
    assert shares(result)["other"] == 0.25
    assert shares(result)["mean"] == pytest.approx(7 / 3, abs=1e-6)
    assert result.cells.n[-1].tolist() == [3]


def test_dont_know_is_no_point_of_a_scale_and_an_answer_of_a_choice():
    scale = ["agree", "disagree", "strongly agree", "Don't know"] * 5
    assert "Don't know" not in shares(table({"q": scale}, "q"))
    choice = ["Tea", "Coffee", "Juice", "Don't know"] * 5
    assert shares(table({"q": choice}, "q"))["Don't know"] == 0.25


def test_the_users_codes_go_before_what_is_described():
    description = "- {name: q, kind: single, values: [{value: a}, {value: b}, {value: z, label: Other}]}\n"
    for code in ("z", "other"):
        result = table({"q": ["a", "b", "z", "a"]}, "q", description, missing=[code])
        assert shares(result) == {"a": pytest.approx(2 / 3, abs=1e-6), "b": pytest.approx(1 / 3, abs=1e-6)}


def test_answers_that_a_description_lacks_come_last_with_a_note():
    description = "- {name: q, kind: single, values: [{value: b}, {value: a}]}\n"
    result = table({"q": ["a", "b", "new", "a"]}, "q", description)
    assert list(shares(result)) == ["b", "a", "new"]
    assert "answers that the description lacks come last: ‘new’ (1)" in result.question.notes


def test_choices_without_an_order_are_by_frequency_with_a_note():
    result = table({"q": ["Tea"] * 2 + ["Milk"] * 5 + ["Ale"] * 3}, "q")
    assert list(shares(result)) == ["Milk", "Ale", "Tea"]
    assert result.question.notes == (
        "answers are in the order of their frequency in the file, as no other order of them is known",
    )


def test_a_word_with_a_label_is_named_by_the_label_alone():
    description = """- name: q
  kind: scale
  values: [{value: low, score: 1}, {value: delighted, label: high, score: 2}]
"""
    (table,) = semscale.crosstabs(
        pl.DataFrame({"q": ["low", "delighted"]}), questions=["q"], survey=survey(description)
    ).tables
    assert shares(table) == {"low": 0.5, "high": 0.5, "mean": 1.5}


def test_items_of_a_described_grid_have_a_table_each():
    description = """- name: g
  kind: grid
  text: How good is it?
  options: [{label: Price, column: p}, {label: Taste, column: t}]
  values: [{value: 1, label: bad}, {value: 2, label: fair}, {value: 3, label: good}]
  missing: {9: don't know}
"""
    frame = pl.DataFrame({"p": [1, 2, 9], "t": [3, 3, 1]})
    price, taste = semscale.crosstabs(frame, questions=["g"], survey=survey(description)).tables
    assert (price.question.text, taste.question.name) == ("How good is it? Price", "t")
    assert shares(price) == {"1 bad": 0.5, "2 fair": 0.5, "3 good": 0.0, "mean": 1.5}
    (item,) = semscale.crosstabs(frame, questions=["p"], survey=survey(description)).tables
    assert shares(item) == shares(price)


def test_a_description_is_read_from_its_file_and_signed(tmp_path):
    path = tmp_path / "survey.yaml"
    path.write_text(f"questions:\n{BRANDS}", encoding="utf-8")
    frame = pl.DataFrame({"b_a": [1, 2], "b_b": [2, 2]})
    result = semscale.crosstabs(frame, questions=["Brands"], survey=path)
    assert shares(result.tables[0])["b_a"] == 0.5
    assert "|survey:" in str(result.signature)
    with pytest.raises(InputError, match="no column 'b_b', which question 'Brands' names"):
        semscale.crosstabs(frame.drop("b_b"), questions=["Brands"], survey=path)


def test_banners_have_the_order_labels_and_codes_of_the_description():
    description = """- {name: Region, kind: single, columns: r, title: Part of the country,
   missing: {9: refused}, values: [{value: 2, label: South}, {value: 1, label: North}]}
"""
    frame = pl.DataFrame({"q": [1, 2, 3, 1], "r": [1, 2, 9, 1]})
    result = semscale.crosstabs(frame, questions=["q"], banners=["r"], survey=survey(description))
    banner = result.tables[0].banner
    assert (banner.text, banner.groups) == ("Part of the country", ("South", "North"))
    assert banner.codes.tolist() == [1, 0, -1, 1]


def test_items_of_a_grid_that_are_named_by_numbers_are_no_options():
    frame = pl.DataFrame({"g_1": [1, 2, 3, 4, 99], "g_2": [1, 2, 5, 4, 4]})
    first, second = semscale.crosstabs(frame, questions=["g_*"]).tables
    assert (first.question.kind, second.question.kind) == ("scale", "scale")
    assert (first.cells.values[-1, 0], second.cells.values[-1, 0]) == pytest.approx((2.5, 3.2))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"a": ["Tea", None, "Tea"], "b": [None, "Milk", "Milk"]}, [2 / 3, 2 / 3]),
        ({"a": [1, None, None], "b": [None, 2, 2], "c": [3, 3, None]}, [1 / 3, 2 / 3, 2 / 3]),
        ({"a": ["Price", "no"], "b": ["no", "Taste"]}, [0.5, 0.5, 1]),
        ({"a": ["nein", "ja"], "b": ["nein", "nein"]}, [0.5, 0, 0.5]),
        ({"a": [True, False], "b": [False, False]}, [0.5, 0, 0.5]),
    ],
)
def test_marks_of_options(cells, expected):
    figures = shares(table(cells, f"q={','.join(cells)}"))
    assert list(figures.values()) == pytest.approx(expected, abs=1e-6)


def test_unordered_points_of_a_grid_are_no_marks():
    frame = pl.DataFrame({"a": [0, 1, 2], "b": [1, 2, 0]})
    assert [t.question.kind for t in semscale.crosstabs(frame, questions=["q=a,b"]).tables] == ["scale"] * 2
