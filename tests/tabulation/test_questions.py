"""Questions read from columns, and their lines."""

import numpy as np
import polars as pl
import pytest

import semscale
from semscale.errors import InputError, UnknownNameError
from semscale.spelling import has_hint
from semscale.store.column_profile import ColumnProfile
from semscale.store.table import ColumnLabels
from semscale.survey.description import Question, Survey
from semscale.tabulation.answers import AnswerReader
from semscale.tabulation.lines import TabulatedQuestion, choice_lines, number_lines, scale_lines
from semscale.tabulation.survey_questions import columns_of_question, describe_question, find_columns

DRINKS = ["drinks", "drinks/tea", "drinks/cha"]


def test_a_scale_has_its_points_two_nets_and_a_mean():
    lines, weights = scale_lines([1, 2, 3, 4, 5], ["1 bad", "2", "3", "4", "5 good"])
    assert [line.name for line in lines] == [
        "1 bad", "2", "3", "4", "5 good", "top 2 (4 and 5)", "bottom 2 (1 and 2)", "mean",
    ]  # fmt: skip
    assert [line.is_net for line in lines] == [False] * 5 + [True, True, False]
    question = TabulatedQuestion("q", "q", "scale", lines, np.array([4, -1]), weights)
    # Whoever answers 5 adds to the share of 5 and to the top two, and 5 to the mean.
    assert question.columns()[0].tolist() == [0, 0, 0, 0, 1, 1, 0, 5]
    assert np.isnan(question.columns()[1]).all()


def test_a_scale_of_three_points_has_no_nets():
    assert [line.name for line in scale_lines([1, 2, 3], ["a", "b", "c"])[0]] == ["a", "b", "c", "mean"]


def test_probabilities_add_up_to_nets_and_means():
    lines, weights = scale_lines([1, 2, 3, 4], ["1", "2", "3", "4"])
    pmf = np.array([[0.1, 0.2, 0.3, 0.4], [np.nan] * 4])
    question = TabulatedQuestion("q", "q", "rated text", lines, pmf, weights)
    # 3 and 4: .7; 1 and 2: .3; mean .1 + .4 + .9 + 1.6 = 3
    np.testing.assert_allclose(question.columns()[0], [0.1, 0.2, 0.3, 0.4, 0.7, 0.3, 3.0])
    assert np.isnan(question.columns()[1]).all()
    assert question.choices is None


def test_several_options_are_counted_apart():
    lines, weights = choice_lines(["a", "b"])
    question = TabulatedQuestion(
        "q", "q", "multiple choice", lines, np.array([[1.0, 1.0], [0.0, 1.0]]), weights
    )
    assert question.columns().tolist() == [[1, 1], [0, 1]]


def test_a_number_has_a_mean_alone():
    lines, weights = number_lines()
    question = TabulatedQuestion("q", "q", "number", lines, np.array([[2.5], [np.nan]]), weights)
    assert [line.kind for line in lines] == ["mean"]
    np.testing.assert_array_equal(question.columns(), [[2.5], [np.nan]])


def test_unknown_name_suggests_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean 'price'"):
        find_columns("prise", ["price", "age"], {})
    with pytest.raises(UnknownNameError, match="unknown column 'c'"):
        find_columns("Both=a,c", ["a", "b"], {})


def test_a_column_goes_before_a_question_of_several_columns():
    labels = {"Q1_a": ColumnLabels(question="Q1")}
    assert find_columns("Q1", ["Q1", "Q1_a"], labels).columns == ("Q1",)
    assert find_columns("Q1", ["Q1_a"], labels).is_multiple


def test_only_the_columns_of_a_question_are_needed():
    columns = ["brand_a", "brand_b", "age", "semscale_p_1", "semscale_p_2"]
    assert columns_of_question(find_columns("brand_*", columns, {}), columns) == ["brand_a", "brand_b"]
    assert columns_of_question(find_columns("age", columns, {}), columns) == [
        "age",
        "semscale_p_1",
        "semscale_p_2",
    ]


def describe(frame, name, labels=None, *, survey=None, whole=None, **settings):
    """Describe a question of a frame, as the tables of a file do."""
    named = find_columns(name, frame.columns, labels or {}, survey)
    profiles = {}
    for column in set(named.columns) & set(frame.columns):
        profiles[column] = ColumnProfile(column, (labels or {}).get(column, ColumnLabels()))
        profiles[column].add((frame if whole is None else whole)[column])
    profiles = {column: profiles[column] for column in named.columns if column in profiles}
    return describe_question(named, profiles, **settings)


def read_all(frame, name, labels=None, **settings):
    question = describe(frame, name, labels, **settings)
    on_scale = (question.name,) if settings.get("points") else ()
    numeric = (question.name,) if settings.get("is_number") else ()
    return AnswerReader(frame, labels, on_scale=on_scale, numeric=numeric).read_all(question)


def read(frame, name, labels=None, **settings):
    (question,) = read_all(frame, name, labels, **settings)
    return question


def names(question):
    return [line.name for line in question.lines]


def test_few_whole_numbers_are_a_scale_with_the_points_that_nobody_chose():
    question = read(pl.DataFrame({"q": [1, 2, 5, None] * 3}), "q")
    assert question.kind == "scale"
    assert [line.name for line in question.lines[:5]] == ["1", "2", "3", "4", "5"]
    assert question.answers.tolist()[:4] == [0, 1, 4, -1]


def test_labels_of_a_file_name_the_points():
    labels = {"q": ColumnLabels(label="How was it?", values={"1": "bad", "2": "fair", "3": "good"})}
    question = read(pl.DataFrame({"q": [1.0, 3.0, 3.0, 1.0]}), "q", labels=labels)
    assert question.text == "How was it?"
    assert [line.name for line in question.lines] == ["1 bad", "2 fair", "3 good", "mean"]


def test_labelled_codes_that_are_declared_missing_are_no_points():
    message = {"1": "bad", "2": "", "3": "", "4": "good", "98": "refused", "99": "no answer"}
    labels = {"q": ColumnLabels(values=message, missing_values=["98", "99"])}
    question = read(pl.DataFrame({"q": [1, 2, 4, 4, None] * 3}), "q", labels=labels)
    names = ["1 bad", "2", "3", "4 good", "top 2 (3 and 4)", "bottom 2 (1 and 2)", "mean"]
    assert [line.name for line in question.lines] == names


def test_labelled_codes_that_are_declared_missing_are_no_answers_of_a_choice():
    labels = {"q": ColumnLabels(values={"1": "tea", "9": "refused"}, missing_values=["9"], measure="nominal")}
    question = read(pl.DataFrame({"q": [1, 2, 1, None] * 3}), "q", labels=labels)
    assert [line.name for line in question.lines] == ["tea", "2"]


def test_points_can_be_named_by_a_scale():
    points = {"1": "bad", "2": "good"}
    question = read(pl.DataFrame({"q": [1, 2, 2, 1]}), "q", points=points)
    assert question.kind == "scale"
    assert [line.name for line in question.lines] == ["1 bad", "2 good", "mean"]


def test_labels_of_a_scale_are_its_points():
    points = {"1": "Bad", "2": "Fair", "3": "Good"}
    question = read(pl.DataFrame({"q": ["good", "Bad ", None, "Good"] * 5}), "q", points=points)
    assert question.kind == "scale"
    assert [line.name for line in question.lines] == ["1 Bad", "2 Fair", "3 Good", "mean"]
    assert question.answers.tolist()[:4] == [2, 0, -1, 2]


@pytest.mark.parametrize(
    ("cells", "named"), [(["good", "god"], "'god'"), ([1, 2, 4], "'4'"), ([2.5, 1], "'2.5'")]
)
def test_answers_that_are_no_points_of_the_named_scale_are_refused(cells, named):
    points = {"1": "bad", "2": "good"}
    with pytest.raises(InputError, match=rf"'q' has answers .*\(1 bad to 2 good\): {named}"):
        read(pl.DataFrame({"q": cells * 5}), "q", points=points)


def test_a_labelled_code_for_no_answer_is_left_out_of_a_scale_with_a_note():
    labels = {"q": ColumnLabels(values={"1": "bad", "2": "", "3": "", "4": "good", "9": "Don't know"})}
    frame = pl.DataFrame({"q": [1, 2, 4, 9] * 3})
    for codes in ([], ["9"], ["don't know"]):
        question = read(frame, "q", labels=labels, missing=codes)
        assert question.answers.tolist()[:4] == [0, 1, 3, -1]
        assert question.lines[4].name == "top 2 (3 and 4)"
        (note,) = question.notes
        assert note.startswith("left out as no answer: ‘9 Don't know’ (3")


def test_numbers_with_a_code_far_away_are_a_scale_without_it():
    frame = pl.DataFrame({"q": [1, 2, 3, 4, 5, 99] * 3})
    question = read(frame, "q")
    assert (question.kind, question.answers.tolist()[:6]) == ("scale", [0, 1, 2, 3, 4, -1])
    assert question.notes == (
        "left out as no answer: ‘99’ (3); to count one as an answer, list it in survey.yaml under values, "
        "not under missing",
    )
    assert read(frame, "q", missing=["99"]).lines == question.lines


def test_ages_have_no_codes():
    assert read(pl.DataFrame({"age": [*range(18, 91), 99] * 2}), "age").notes == ()


def test_texts_of_a_few_kinds_are_a_choice():
    question = read(pl.DataFrame({"q": ["tea", "coffee", None, "tea"] * 5}), "q")
    assert question.kind == "single choice"
    assert [line.name for line in question.lines] == ["tea", "coffee"]  # the most frequent comes first
    assert question.answers.tolist()[:4] == [0, 1, -1, 0]


def test_numbers_have_a_mean_and_what_is_no_number_is_counted():
    frame = pl.DataFrame({"spent": [str(n * 1.5) for n in range(60)] + ["a lot"]})
    question = read(frame, "spent")
    assert question.kind == "number"
    assert np.isnan(question.answers[-1, 0])
    assert question.notes == ("1 cells of 'spent' are not numbers and count as missing",)


def test_pattern_combines_columns_into_a_question():
    frame = pl.DataFrame({"brand_a": [1, 0], "brand_b": [1, 1], "age": [20, 30]})
    question = read(frame, "brand_*")
    assert question.kind == "multiple choice"
    assert [line.name for line in question.lines] == ["a", "b", "any of these"]
    assert question.columns().tolist() == [[1, 1, 1], [0, 1, 1]]


def test_grid_items_are_separate_questions_on_the_same_points():
    labels = {
        f"Rate: {item}": ColumnLabels(label="How do you rate?", question="How do you rate?", option=item)
        for item in ("Price", "Service")
    }
    frame = pl.DataFrame({"Rate: Price": [1, 2, 5, 4] * 3, "Rate: Service": [2, 3, 3, 4] * 3})
    price, service = read_all(frame, "How do you rate?", labels)
    assert (price.kind, price.name, price.text) == ("scale", "Rate: Price", "How do you rate? Price")
    assert service.text == "How do you rate? Service"
    # Nobody chose 1 or 5 for the service; both are points of the grid.
    names = ["1", "2", "3", "4", "5", "top 2 (4 and 5)", "bottom 2 (1 and 2)", "mean"]
    assert [line.name for line in service.lines] == [line.name for line in price.lines] == names
    np.testing.assert_allclose(service.columns().mean(axis=0)[-3:], [0.25, 0.25, 3.0])


def test_pattern_with_a_single_column_is_no_grid():
    frame = pl.DataFrame({"item_a": ["red", "blue", "blue"], "age": [1, 2, 3]})
    question = read(frame, "item_*")
    assert question.name == "item_a"
    assert [line.name for line in question.lines] == ["blue", "red"]
    assert question.notes == ()


def test_items_that_are_listed_have_the_name_of_their_grid():
    frame = pl.DataFrame({"r_1": ["good", "bad"] * 6, "r_2": ["bad", "fair"] * 6})
    assert [first.text for first in read_all(frame, "T=r_1,r_2", {})] == ["T: r_1", "T: r_2"]
    assert [first.text for first in read_all(frame, "r_*", {})] == ["r_1", "r_2"]
    codes = {f"r_{item}": ColumnLabels(question="r", option=str(item)) for item in (1, 2)}
    assert [first.text for first in read_all(frame, "r", codes)] == ["r_1", "r_2"]


def test_options_in_a_single_cell_are_a_multiple_choice():
    cells = ["Alpha", "Beta", "Alpha,Gamma, Inc.", None, "Beta,Alpha", "Gamma, Inc."] * 3
    question = read(pl.DataFrame({"q": cells}), "q")
    assert question.kind == "multiple choice"
    assert [line.name for line in question.lines] == ["Alpha", "Beta", "Gamma, Inc."]
    nan = [np.nan] * 3
    expected = [[1, 0, 0], [0, 1, 0], [1, 0, 1], nan, [1, 1, 0], [0, 0, 1]]
    np.testing.assert_array_equal(question.columns()[:6], expected)


def test_survey_tool_question_is_selected_by_its_short_name():
    labels = {
        "Q2_1": ColumnLabels(label="What do you drink?", question="Q2", option="Tea"),
        "Q2_2": ColumnLabels(label="What do you drink?", question="Q2", option="Coffee"),
    }
    frame = pl.DataFrame({"Q2_1": ["Tea", None], "Q2_2": ["Coffee", "Coffee"]})
    question = read(frame, "Q2", labels=labels)
    assert question.text == "What do you drink?"
    assert [line.name for line in question.lines] == ["Tea", "Coffee"]
    assert question.columns().tolist() == [[1, 1], [0, 1]]


def test_listed_columns_make_a_question():
    frame = pl.DataFrame({"x": ["yes", "no"], "y": ["no", "no"]})
    question = read(frame, "Both=x, y")
    assert question.name == "Both"
    assert question.columns().tolist() == [[1, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("start", "name"), [("semscale_", "why"), ("semscale_why_", "why"), ("semscale_", "semscale_mean")]
)
def test_rated_texts_are_read_from_their_probabilities(start, name):
    texts = [f"Because of reason {n}, and of another one" for n in range(40)]
    frame = pl.DataFrame({"why": texts, f"{start}p_1": [0.25] * 40, f"{start}p_2": [0.75] * 39 + [None]})
    frame = frame.with_columns(pl.lit(1.75).alias(f"{start}mean"))
    question = read(frame, name)
    assert question.kind == "rated text"
    assert [line.name for line in question.lines] == ["1", "2", "mean"]
    assert question.columns()[0].tolist() == [0.25, 0.75, 1.75]
    assert np.isnan(question.columns()[-1]).all()
    needed = columns_of_question(find_columns(name, frame.columns, {}), frame.columns)
    assert {f"{start}p_1", f"{start}p_2"} <= set(needed)


def test_a_rated_text_with_few_different_answers_is_read_from_its_probabilities():
    ratings = {"good": 0.75, "bad": 0.25, "fine; cheap": 0.5}
    texts = ["good", "bad", "fine; cheap", "", "good", None]
    shares = [ratings.get(text) for text in texts]
    frame = pl.DataFrame({
        "why": texts, "region": ["N", "N", "S", "S", "W", "W"],
        "semscale_mean": [None if share is None else 1 + share for share in shares],
        "semscale_p_1": [None if share is None else 1 - share for share in shares], "semscale_p_2": shares,
    })  # fmt: skip
    question = read(frame, "why")
    assert question.kind == "rated text"
    np.testing.assert_array_equal(question.columns()[:, 1], [0.75, 0.25, 0.5, np.nan, 0.75, np.nan])
    # In a region there are texts with different ratings, so the ratings are not of this column.
    assert read(frame, "region").kind == "single choice"


def test_codes_are_a_multiple_choice_in_which_unsure_ones_count_by_their_probability_if_they_have_one():
    frame = pl.DataFrame({
        "semscale_outcome": ["coded", "coded", "unread", "cannot-tell"],
        "semscale_price": [1, 0, None, None], "semscale_price_p": [0.9, 0.1, None, 0.3],
        "semscale_taste": [1, None, None, None], "semscale_taste_likeness": [0.9, 0.5, None, 0.45],
    })  # fmt: skip
    question = read(frame, "semscale_outcome")
    assert [line.name for line in question.lines] == ["price", "taste"]
    np.testing.assert_array_equal(question.columns(), [[1, 1], [0, 0], [np.nan, np.nan], [0.3, 0]])
    assert "unsure codes count by their probability: 1 answer has one" in question.notes
    assert "unsure codes count as not assigned: 2 answers have one" in question.notes


def test_open_texts_are_to_be_rated_first():
    frame = pl.DataFrame({"why": [f"Because of reason {n}, and of another one" for n in range(40)]})
    with pytest.raises(
        InputError,
        match="'why' was recognised as open texts \\(40 different\\) that were neither.*--text why",
    ):
        read(frame, "why")


def test_choice_of_500_answers_is_refused_with_its_inferred_kind():
    frame = pl.DataFrame({"city": [f"city{n % 500}" for n in range(5000)]})
    with pytest.raises(
        InputError, match="'city' was recognised as a choice of 500 answers.*numeric='city'.*--text city"
    ):
        read(frame, "city")


def test_what_is_no_question_is_refused():
    frame = pl.DataFrame({"id": list(range(100)), "none": [None] * 100})
    with pytest.raises(InputError, match="recognised as 'identifier'.*numeric='id'"):
        read(frame, "id")
    with pytest.raises(InputError, match="'none' is empty"):
        read(frame, "none")
    assert read(frame, "id", is_number=True).kind == "number"


def test_numeric_column_without_numbers_is_refused():
    with pytest.raises(InputError, match="'q' has no number"):
        read(pl.DataFrame({"q": ["tea", "coffee"]}), "q", is_number=True)


def test_options_are_read_by_the_value_that_counts():
    frame = pl.DataFrame({"b_a": [1, 2, None], "b_b": [2, 2, 1]})
    labels = {"b_a": ColumnLabels(counted="1"), "b_b": ColumnLabels(counted="1", option="B")}
    question = read(frame, "b_*", labels=labels)
    assert [line.name for line in question.lines] == ["a", "B", "any of these"]
    np.testing.assert_array_equal(question.answers, [[1, 0, 1], [0, 0, 0], [np.nan, 1, 1]])


def test_mentions_of_a_code_in_any_column_count_once():
    frame = pl.DataFrame({"first": [1, 2, None], "second": [1, 1, None]})
    labels = {"first": ColumnLabels(values={"1": "Tea", "2": "Milk"})}
    question = read(frame, "m=first+second", labels=labels)
    assert [line.name for line in question.lines] == ["Tea", "Milk"]
    np.testing.assert_array_equal(question.answers, [[1, 0], [1, 1], [np.nan, np.nan]])


def test_mentions_without_an_answer_and_of_too_many_codes_are_refused():
    with pytest.raises(InputError, match="columns of 'm' are empty"):
        read(pl.DataFrame({"a": [None], "b": [" "]}), "m=a+b")
    assert len(read(pl.DataFrame({"a": range(50), "b": range(50)}), "m=a+b").lines) == 50
    with pytest.raises(InputError, match="a choice of 51 answers, and a table has at most 50"):
        read(pl.DataFrame({"a": range(51), "b": range(51)}), "m=a+b")


def test_a_question_has_its_codes_for_no_answer_and_those_of_all():
    frame = pl.DataFrame({"q": [1, 2, 9, 99] * 3})
    question = read(frame, "q", missing=["99", "9"])
    assert question.answers.tolist()[:4] == [0, 1, -1, -1]


FRAME = pl.DataFrame({
    "a": [3, 4, 5, 2, 1, None],
    "b": [1, 4, 2, 1, None, 3],
    "city": ["x", "y", "x", "y", "x", "y"],
})  # fmt: skip


def test_the_same_people_are_compared():
    result = semscale.crosstabs(FRAME.head(4), questions=["a", "b"], pairs=[("a", "b")], min_base=2)
    table = result.tables[-1]
    assert (table.question.name, table.question.kind) == ("a minus b", "paired difference")
    # Differences 2, 0, 3, 1: mean 1.5, sum of squares 5, se = sqrt(5 / 3 / 4) = .6455, t of 3 df 3.1824.
    assert table.cells.values.tolist() == [[1.5]]
    assert table.cells.low[0, 0] == pytest.approx(1.5 - 3.1824 * 0.6455, abs=1e-3)
    assert table.cells.high[0, 0] == pytest.approx(1.5 + 3.1824 * 0.6455, abs=1e-3)


def test_respondents_with_a_single_answer_of_a_pair_are_in_no_base():
    (table,) = semscale.crosstabs(FRAME, questions=[], pairs=[("a", "b")], banners=["city"]).tables
    # x has 2 and 3, y has 0 and 1; one of each has no second answer.
    assert table.cells.values.tolist() == [[1.5, 2.5, 0.5]]
    assert np.array_equal(table.cells.n_missing, [[2, 1, 1]])


def test_pairs_that_cannot_be_compared_are_refused():
    with pytest.raises(InputError, match="pair: 'city' is a single choice, which has no mean"):
        semscale.crosstabs(FRAME, questions=[], pairs=[("a", "city")])
    with pytest.raises(UnknownNameError, match="bb"):
        semscale.crosstabs(FRAME, questions=["a"], pairs=[("a", "bb")])
    with pytest.raises(InputError, match="pair: 'a' is named twice in one pair"):
        semscale.crosstabs(FRAME, questions=["a"], pairs=[("a", "a")])


@pytest.mark.parametrize("name", ["drinks", "drinks*", "drinks/*"])
def test_the_column_that_lists_the_options_once_more_is_no_option(name):
    options = {column: ColumnLabels(question="drinks", option=column[-3:]) for column in DRINKS[1:]}
    labels = options | {"drinks": ColumnLabels(question="drinks", role="ignore")}
    assert find_columns(name, DRINKS, labels).columns == ("drinks/tea", "drinks/cha")


@pytest.mark.parametrize("name", ["drinks", "drinks*"])
def test_the_number_of_chosen_options_is_no_option(name):
    labels = {column: ColumnLabels(question="drinks", option=column[-3:]) for column in DRINKS[1:]}
    assert find_columns(name, DRINKS, labels).columns == ("drinks/tea", "drinks/cha")


def test_a_column_keeps_its_name_beside_the_text_of_other():
    labels = {"q_other": ColumnLabels(question="q", is_text=True)}
    assert find_columns("q", ["q", "q_other"], labels).columns == ("q",)


@pytest.mark.parametrize("kind", ["scale", "single"])
def test_answers_that_a_description_does_not_list_are_inferred(kind):
    described = Survey(questions=[Question(name="Satisfaction", kind=kind, columns=["q"], missing=["99"])])
    frame = pl.DataFrame({"q": [1, 1, 2, 3, 99]})
    table = semscale.crosstabs(frame, questions=["Satisfaction"], survey=described).tables[0]
    names = [line.name for line in table.question.lines]
    # Of the 4 answers, two are 1: 50 %, and 99 is none of them.
    assert names[:3] == ["1", "2", "3"]
    assert table.cells.values[:3, 0].tolist() == [0.5, 0.25, 0.25]


def test_a_described_scale_of_texts_without_an_order_is_refused():
    described = Survey(questions=[Question(name="q", kind="scale")])
    frame = pl.DataFrame({"q": [f"They were helpful, and it took {n} days" for n in range(40)]})
    with pytest.raises(InputError, match="'q' is described as a scale.*list its values"):
        semscale.crosstabs(frame, questions=["q"], survey=described)


def test_only_grids_without_labels_have_a_hint_on_lists_of_codes():
    frame = pl.DataFrame({"a_1": [1, 5, 3, 2], "a_2": [4, 4, 1, 2]})
    result = semscale.crosstabs(frame, questions=["a_*"])
    note = "columns with codes of one list are put together by --question 'Mentions=a_1+a_2'"
    assert result.input_notes == (note,)
    assert not any(has_hint(note) for table in result.tables for note in table.question.notes)
    words = pl.DataFrame({"a_1": ["good", "bad", "very good"], "a_2": ["bad", "very bad", "good"]})
    assert semscale.crosstabs(words, questions=["a_*"]).input_notes == ()


def test_more_options_than_a_table_has_are_refused_with_the_remedy_for_columns():
    frame = pl.DataFrame({f"b_{n}": ["Yes", "No"] for n in range(51)})
    with pytest.raises(InputError, match=r"a choice of 51 answers.*at most 50: list fewer of its columns"):
        semscale.crosstabs(frame, questions=["b_*"])


def test_a_command_in_a_message_quotes_a_name_with_blanks():
    frame = pl.DataFrame({"Why do you come?": [f"I came for reason number {n}" for n in range(60)]})
    with pytest.raises(InputError, match="semscale rate FILE --text 'Why do you come\\?' --scale"):
        semscale.crosstabs(frame, questions=["Why do you come?"])
