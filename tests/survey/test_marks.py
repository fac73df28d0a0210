"""Marks of options: what cells of many tools and languages say."""

import pytest

from semscale.survey.marks import OptionCells, infer_marks, is_beside, is_exclusive, is_other, missing_reason


def marks(*columns, labels=None, convention=None):
    """Read columns of options Tea, Coffee, Juice and Milk, each given by its different values."""
    options = ("Tea", "Coffee", "Juice", "Milk")
    cells = {
        option.lower(): OptionCells(option, values, labels or {})
        for option, values in zip(options, columns, strict=False)
    }
    return infer_marks(cells, convention=convention, tool="a tool")


@pytest.mark.parametrize(
    ("values", "chosen", "not_chosen"),
    [
        (["Yes", "No"], ("Yes",), ("No",)),
        (["Y", "N"], ("Y",), ("N",)),
        (["1", "0"], ("1",), ("0",)),
        (["True", "False"], ("True",), ("False",)),
        (["Checked", "Unchecked"], ("Checked",), ("Unchecked",)),
        (["Selected", "Not selected"], ("Selected",), ("Not selected",)),
        (["Quoted", "Not quoted"], ("Quoted",), ("Not quoted",)),
        (["Mentioned", "Not mentioned"], ("Mentioned",), ("Not mentioned",)),
        (["Used", "Not used"], ("Used",), ("Not used",)),
        (["Owns it", "Not owns it"], ("Owns it",), ("Not owns it",)),
        (["ausgewählt", "nicht ausgewählt"], ("ausgewählt",), ("nicht ausgewählt",)),
        (["genannt", "nicht genannt"], ("genannt",), ("nicht genannt",)),
        (["Ja", "Nein"], ("Ja",), ("Nein",)),
        (["Oui", "Non"], ("Oui",), ("Non",)),
        (["coché", "non coché"], ("coché",), ("non coché",)),
        (["Sí", "No"], ("Sí",), ("No",)),
        (["Sim", "Não"], ("Sim",), ("Não",)),
        (["Tak", "Nie"], ("Tak",), ("Nie",)),
        (["はい", "いいえ"], ("はい",), ("いいえ",)),
        (["选中", "未选中"], ("选中",), ("未选中",)),
        (["x"], ("x",), ("",)),
        (["1"], ("1",), ("",)),
        (["yes "], ("yes",), ("",)),
    ],
)
def test_pairs_of_marks_are_read(values, chosen, not_chosen):
    read = marks(values, values)
    assert (read.chosen, read.not_chosen, read.unknown) == (chosen, not_chosen, {})


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("N/A", "not asked"),
        ("N/A (not displayed)", "not asked"),
        ("Don't know", "don't know"),
        ("Weiß nicht", "don't know"),
        ("Prefer not to say", "refused"),
        ("keine Angabe", "refused"),
        ("9", "no answer"),
        ("99", "no answer"),
        ("-99", "no answer"),
        ("-9", "no answer"),
        ("no answer", "no answer"),
    ],
)
@pytest.mark.parametrize("pair", [("1", "0"), ("Yes", "No")])
def test_codes_for_no_answer_are_no_marks(pair, code, reason):
    read = marks([*pair, code], list(pair))
    assert (read.chosen, read.not_chosen) == ((pair[0],), (pair[1],))
    assert dict(read.missing) == {code: reason}


@pytest.mark.parametrize("values", [["1", "2"], ["2"], ["0", "1", "2"], ["perhaps", "Yes"], ["3", "4"]])
def test_what_is_not_known_is_never_chosen(values):
    read = marks(values, values)
    assert set(read.unknown) == set(values) - {"0", "Yes"} - ({"1"} if values == ["1"] else set())
    assert not set(read.chosen) & set(read.unknown)
    assert read.confidence == "low"


def test_the_convention_of_a_tool_says_what_1_and_2_mean():
    sosci = {"1": "not chosen", "2": "chosen"}
    read = marks(["1", "2"], ["1", "-9"], convention=sosci)
    assert (read.chosen, read.not_chosen, dict(read.missing)) == (("2",), ("1",), {"-9": "no answer"})
    assert "a tool" in read.reason


@pytest.mark.parametrize(
    "labels",
    [
        {"1": "Used", "2": "Not used"},
        {"1": "1 Yes", "2": "2 No"},
        {"1": "gewählt", "2": "nicht gewählt"},
        {"1": "checked", "2": "unchecked", "9": "refused"},
    ],
)
def test_labels_say_what_numbers_mean(labels):
    read = marks(list(labels), ["2"], labels=labels)
    assert (read.chosen, read.not_chosen) == (("1",), ("2",))
    assert dict(read.missing) == ({"9": "refused"} if "9" in labels else {})


def test_a_label_that_denies_nothing_known_is_unknown():
    read = marks(["1", "2"], ["1"], labels={"1": "Brand A", "2": "Brand B"})
    assert set(read.unknown) == {"1", "2"}


def test_cells_that_repeat_their_option_are_marks_of_it_alone():
    read = marks(["Tea"], ["Coffee", "-99"], [])
    assert (dict(read.own), read.not_chosen) == ({"tea": ("Tea",), "coffee": ("Coffee",)}, ("",))
    assert dict(read.missing) == {"-99": "no answer"}


def test_codes_that_differ_by_column_are_marks_of_their_columns():
    read = marks(["11"], ["12"], ["13"])
    assert dict(read.own) == {"tea": ("11",), "coffee": ("12",), "juice": ("13",)}
    assert read.confidence == "medium"


def test_the_column_of_other_holds_what_people_wrote():
    cells = {
        "a": OptionCells("Tea", ["Yes", "No"]),
        "b": OptionCells("Other (please specify)", ["Juice", "soda water", "N/A"]),
    }
    read = infer_marks(cells)
    assert (read.texts, read.unknown) == (("b",), {})
    assert dict(read.missing) == {"N/A": "not asked"}


@pytest.mark.parametrize(
    "label",
    [
        "Other",
        "Other (please specify)",
        "Q1[other]",
        "Q1_5_TEXT",
        "Sonstiges, und zwar:",
        "Autre",
        "Otro",
        "その他",
    ],
)
def test_other_is_recognised(label):
    assert is_other(label)


@pytest.mark.parametrize("label", ["Mother", "Brothers", "Tea", "Another brand", "Text messages", ""])
def test_what_only_looks_like_other_is_not(label):
    assert not is_other(label)


@pytest.mark.parametrize(
    "label",
    [
        "None of these",
        "None of the above.",
        "Keine davon",
        "Aucune de ces réponses",
        "Ninguna de las anteriores",
        "nessuno",
    ],
)
def test_options_that_exclude_all_others(label):
    assert is_exclusive(label)


@pytest.mark.parametrize("label", ["Tea", "None but the best tea", "Nothing Compares"])
def test_options_that_exclude_nothing(label):
    assert not is_exclusive(label)


@pytest.mark.parametrize("text", ["Tea", "0", "5", "good", "none", "", "No", "not used"])
def test_answers_are_not_missing(text):
    assert missing_reason(text) is None


def test_numbers_of_options_are_no_codes():
    cells = {f"c{n}": OptionCells(f"Brand {n}", [str(n)]) for n in range(1, 10)}
    read = infer_marks(cells)
    assert dict(read.own) == {f"c{n}": (str(n),) for n in range(1, 10)}
    assert read.missing == {}


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("trifft zu", "trifft nicht zu"),
        ("Applies", "Does not apply"),
        ("Owns one", "Does not own one"),
        ("Have", "Don't have"),
        ("utilisé", "pas utilisé"),
    ],
)
def test_an_answer_that_denies_another_one_is_not_chosen(yes, no):
    read = infer_marks({"a": OptionCells("Tea", [yes, no]), "b": OptionCells("Coffee", [no])})
    assert (read.chosen, read.not_chosen, read.missing) == ((yes,), (no,), {})


def test_does_not_apply_is_no_answer_beside_yes_and_no():
    read = infer_marks({"a": OptionCells("Tea", ["Ja", "Nein", "trifft nicht zu"])})
    assert (read.chosen, read.not_chosen, read.missing) == (
        ("Ja",), ("Nein",), {"trifft nicht zu": "not asked"},
    )  # fmt: skip


def test_a_customary_code_beside_own_texts_is_no_answer():
    read = infer_marks({"b_1": OptionCells("1", ["Tea", "-99"]), "b_2": OptionCells("2", ["Coffee", "-99"])})
    assert (dict(read.own), read.missing) == (
        {"b_1": ("Tea",), "b_2": ("Coffee",)}, {"-99": "no answer"},
    )  # fmt: skip


def test_do_not_know_is_an_option_if_it_has_a_column():
    columns = {"b_1": OptionCells("1", ["Tea"]), "b_2": OptionCells("2", ["Coffee"])}
    read = infer_marks({**columns, "b_3": OptionCells("3", ["Don't know"])})
    assert (read.own["b_3"], read.missing) == (("Don't know",), {})
    everywhere = {
        name: OptionCells(cells.label, [*cells.values, "Don't know"]) for name, cells in columns.items()
    }
    assert infer_marks(everywhere).missing == {"Don't know": "don't know"}


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("q_5_TEXT", True),
        ("q_5: please specify", True),
        ("q_5 [text]", True),
        ("q_6_TEXT", False),
        ("q_5", False),
    ],
)
def test_the_name_of_a_column_says_that_it_holds_the_text_beside_another(column, expected):
    assert is_beside(column, ["q_5", column]) is expected


def test_answers_of_a_scale_that_deny_each_other_are_no_marks():
    answers = ["stimme zu", "stimme eher zu", "stimme eher nicht zu", "stimme nicht zu"]
    assert infer_marks({"a": OptionCells("Tea", answers), "b": OptionCells("Coffee", answers)}).chosen == ()
