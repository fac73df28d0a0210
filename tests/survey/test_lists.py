"""Several options in one cell: separators, options with the separator inside, and texts that are no lists."""

import pytest

from semscale.survey.lists import OptionList, find_list


def found(*values, **more):
    """Find the list in cells that occur once each."""
    return find_list(dict.fromkeys(values, 1), **more)


@pytest.mark.parametrize(
    ("cells", "separator"),
    [
        (["Tea", "Coffee", "Tea, Coffee", "Coffee, Juice", "Tea, Juice"], ","),
        (["Tea,Coffee", "Tea", "Coffee,Juice", "Tea,Juice"], ","),
        (["Tea;Coffee;", "Tea;", "Coffee;Juice;", "Juice;"], ";"),
        (["Tea; Coffee", "Tea", "Coffee; Juice", "Juice"], ";"),
        (["Tea|Coffee", "Tea", "Coffee|Juice", "Juice"], "|"),
        (["Tea\nCoffee", "Tea", "Coffee\nJuice", "Juice"], "\n"),
    ],
)
def test_separators_of_tools(cells, separator):
    read = found(*cells)
    assert (read.separator, set(read.options)) == (separator, {"Tea", "Coffee", "Juice"})


def test_an_option_with_a_comma_inside_is_one_option():
    read = found("Milk, fresh", "Milk, fresh, Tea", "Tea", "Tea, Juice", "Juice", "Milk, fresh, Juice")
    assert set(read.options) == {"Milk, fresh", "Tea", "Juice"}
    assert read.split("Milk, fresh, Juice") == ("Milk, fresh", "Juice")


def test_known_options_may_contain_the_separator_whatever_their_case():
    read = OptionList(",", ("Bread, Rolls", "Cake"))
    assert read.split("Cake, Bread, Rolls") == ("Cake", "Bread, Rolls")
    assert read.split("bread, rolls") == ("Bread, Rolls",)


def test_spellings_of_an_option_are_one():
    read = find_list({"Tea, coffee": 1, "tea": 2, "Coffee": 3, "Tea, Coffee": 1, "Juice, Tea": 1, "Juice": 1})
    assert len(read.options) == 3


@pytest.mark.parametrize(
    "cells",
    [
        ["1,2", "1,4", "2,5", "3"],  # decimal commas
        ["Paris, France", "Rome, Italy", "Oslo, Norway"],
        ["Nice, but slow", "Good, friendly staff", "Cheap, clean, and close"],
        ["Smith, John", "Doe, Jane", "Roe, Ann", "Poe, Edgar"],
        ["Tea", "Coffee", "Juice"],
        ["Very good; no complaints", "Fine", "Bad; too loud"],
    ],
)
def test_other_texts_are_no_lists(cells):
    assert found(*cells) is None


def test_numbers_of_options_are_a_list_if_the_tool_writes_them_so():
    assert set(found("1,2", "1", "2,3", are_codes=True).options) == {"1", "2", "3"}
    assert found("1,2,3", "1,3", "2", "1", "2,3").separator == ","


def test_labels_of_the_file_say_what_can_be_listed():
    assert found("1;2", "2", known={"1": "Tea", "2": "Coffee"}).options == ("2", "1")
    assert found("1;7", "2", known={"1": "Tea", "2": "Coffee"}) is None


@pytest.mark.parametrize(
    ("cells", "option"),
    [
        (["Rail (Bus, Tram), Car", "Car", "Rail (Bus, Tram)", "Bike, Car"], "Rail (Bus, Tram)"),
        (["Tea, black, or green, Fig", "Fig", "Tea, black, or green", "Nut, Fig"], "Tea, black, or green"),
    ],
)  # fmt: skip
def test_options_with_brackets_or_several_commas(cells, option):
    assert option in found(*cells).options


@pytest.mark.parametrize(("n", "options"), [(12, {"Red, White", "Tea"}), (3, {"Red", "White", "Tea"})])
def test_parts_that_always_occur_together_are_one_option_if_they_are_frequent(n, options):
    assert set(find_list({"Red, White": n, "Tea": 4, "Red, White, Tea": n}).options) == options


@pytest.mark.parametrize(
    "cells", [["Tea, Coffee", "Tea", "Coffee, Juice"], ["Tea, Coffee", "Coffee, Juice", "Juice, Tea"]]
)
def test_few_cells_show_a_list_if_their_parts_occur_again(cells):
    assert set(found(*cells).options) == {"Tea", "Coffee", "Juice"}


def test_names_with_blanks_between_them_are_no_words():
    assert found("tea coffee", "tea", "coffee juice", "juice", has_blanks=True).separator == " "
    assert found("very good", "good", "not good", "very bad", "bad", has_blanks=True) is None
