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


@pytest.mark.parametrize(("n", "options"), [(12, {"Red, White", "Tea"}), (1, {"Red", "White", "Tea"})])
def test_parts_that_always_occur_together_are_one_option_if_they_are_frequent(n, options):
    # 24 of 28 people who all chose both are 1 of 20,475 such groups; 2 of 6 are 1 of 15.
    assert set(find_list({"Red, White": n, "Tea": 4, "Red, White, Tea": n}).options) == options


def test_options_that_all_have_a_comma():
    cells = ["Paris, France, Rome, Italy", "Paris, France", "Rome, Italy", "Oslo, Norway, Paris, France"]
    assert set(found(*cells, "Oslo, Norway").options) == {"Paris, France", "Rome, Italy", "Oslo, Norway"}


def test_a_comma_that_divides_thousands_is_a_part_of_an_option():
    listed = found("Over 1,000 users, Price", "Price", "Over 1,000 users", "Price, Help", "Help")
    assert set(listed.options) == {"Over 1,000 users", "Price", "Help"}
    assert listed.split("Price, Over 1,000 users") == ("Price", "Over 1,000 users")


def test_what_people_wrote_beside_other_may_have_a_comma():
    cells = ["Tea, Coffee", "Tea, something hot, with milk", "Coffee", "Tea", "Coffee, Juice", "Juice"]
    assert set(found(*cells).options) == {"Tea", "Coffee", "Juice", "something hot, with milk"}


def test_commas_with_and_without_blanks_and_options_in_another_case():
    listed = found("Tea, coffee", "tea ,Coffee", "Coffee", "TEA")
    assert {option.casefold() for option in listed.options} == {"tea", "coffee"}


def test_options_with_a_blank_are_joined_by_one_blank():
    listed = found("Green tea Coffee", "Green tea", "Coffee Green tea", "Coffee", has_blanks=True)
    assert set(listed.options) == {"Green tea", "Coffee"}


@pytest.mark.parametrize(
    "cells", [["Tea, Coffee", "Tea", "Coffee, Juice"], ["Tea, Coffee", "Coffee, Juice", "Juice, Tea"]]
)
def test_few_cells_show_a_list_if_their_parts_occur_again(cells):
    assert set(found(*cells).options) == {"Tea", "Coffee", "Juice"}


def test_names_with_blanks_between_them_are_no_words():
    assert found("tea coffee", "tea", "coffee juice", "juice", has_blanks=True).separator == " "
    assert found("very good", "good", "not good", "very bad", "bad", has_blanks=True) is None
