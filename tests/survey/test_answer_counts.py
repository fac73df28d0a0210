"""Counts of answers, in the order of the description."""

import polars as pl

from semscale.store.column_profile import ColumnProfile
from semscale.survey.answer_counts import count_answers
from semscale.survey.description import Option, Question, Value


def _profiles(**cells):
    profiles = {}
    for name, values in cells.items():
        profiles[name] = ColumnProfile(name)
        profiles[name].add(pl.Series(name, values))
    return profiles


def _counted(answers):
    return [(answer.key, answer.n, answer.missing, answer.is_described) for answer in answers]


def test_values_come_in_order_then_codes_then_others_by_frequency():
    question = Question(
        name="q",
        kind="scale",
        values=[Value(value="2", label="good"), Value(value="1")],
        missing={"99": "refused"},
    )
    counts = count_answers(question, _profiles(q=[1.0, 2.0, 2.0, 99.0, 7.0, 7.0, 7.0, 8.0, None]))
    assert _counted(counts.answers) == [
        ("2", 2, None, True),
        ("1", 1, None, True),
        ("99", 1, "refused", True),
        ("7", 3, None, False),
        ("8", 1, None, False),
    ]
    # Nine cells, of which one is empty and one is a code.
    assert (counts.n, counts.filled, counts.answered) == (9, 8, 7)


def test_cells_with_the_label_of_a_value_count_for_it():
    question = Question(name="q", kind="single", values=[Value(value="1", label="good")])
    assert _counted(count_answers(question, _profiles(q=["1", "good", "bad"])).answers) == [
        ("1", 2, None, True),
        ("bad", 1, None, False),
    ]


def test_options_count_marks_alone_and_marks_are_listed_with_empty_cells():
    question = Question(
        name="q",
        kind="multiple",
        options=[
            Option(label="Tea", column="a"),
            Option(label="Own", column="b", chosen=["Milk"]),
            Option(label="Other", column="c", is_text=True),
        ],
        chosen=["Yes"],
        not_chosen=["No"],
        missing={"N/A": "not asked"},
    )
    profiles = _profiles(
        a=["Yes", "No", "N/A", "maybe"], b=["Milk", "", "No", "Yes"], c=["Cola", "N/A", "", ""]
    )
    counts = count_answers(question, profiles)
    assert [(option.key, option.n) for option in counts.options] == [("a", 1), ("b", 2), ("c", 1)]
    assert sorted(_counted(counts.marks)) == [
        ("", 1, None, False),
        ("N/A", 1, "not asked", True),
        ("No", 2, None, True),
        ("Yes", 2, None, True),
        ("maybe", 1, None, False),
    ]


def test_options_in_one_cell_are_counted_once_for_each_cell():
    question = Question(
        name="q",
        kind="multiple",
        columns=["q"],
        separator=";",
        options=[Option(label="Tea"), Option(label="Milk")],
    )
    counts = count_answers(question, _profiles(q=["Tea;Milk", "tea; tea", "Cola", None]))
    assert [(option.label, option.n) for option in counts.options] == [("Tea", 2), ("Milk", 1)]


def test_an_option_may_contain_the_separator_and_what_people_wrote_is_the_option_of_texts():
    question = Question(
        name="q",
        kind="multiple",
        columns=["q"],
        separator=",",
        missing=["-99"],
        options=[Option(label="Wi-Fi, fast"), Option(label="Bath"), Option(label="Other", is_text=True)],
    )
    cells = ["Bath,Wi-Fi, fast", "wi-fi, fast", "Bath, a view", "-99", None]
    counts = count_answers(question, _profiles(q=cells))
    assert [(option.label, option.n) for option in counts.options] == [
        ("Wi-Fi, fast", 2),
        ("Bath", 2),
        ("Other", 1),
    ]


def test_items_of_a_grid_count_their_answers():
    question = Question(
        name="g",
        kind="grid",
        options=[Option(label="A", column="a"), Option(label="B", column="b")],
        missing=["9"],
    )
    counts = count_answers(question, _profiles(a=["1", "2", "9"], b=["1", "", "1"]))
    assert [(item.label, item.n) for item in counts.options] == [("A", 2), ("B", 2)]
    assert _counted(counts.answers) == [
        ("9", 1, "no answer", True),
        ("1", 3, None, False),
        ("2", 1, None, False),
    ]


def test_all_points_of_a_recommendation_are_listed():
    counts = count_answers(Question(name="q", kind="nps"), _profiles(q=["10", "10", "0"]))
    assert [answer.n for answer in counts.answers] == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]
