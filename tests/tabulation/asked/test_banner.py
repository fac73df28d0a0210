"""Groups at the head of a table."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.tabulation.asked.banner import in_order, read_banner


def test_labels_name_groups_and_say_their_order():
    banner = read_banner(pl.Series("sex", [2.0, 1.0, None, 3.0]), labels={"2": "women", "1": "men"})
    assert banner.groups == ("women", "men", "3")
    assert banner.codes.tolist() == [0, 1, -1, 2]


def test_numbers_stand_in_their_order_and_blank_cells_are_in_no_group():
    banner = read_banner(pl.Series("wave", ["10", "2", "  ", "2"]), is_wave=True)
    assert banner.groups == ("2", "10")
    assert banner.codes.tolist() == [1, 0, -1, 0]


def test_bands_stand_from_the_lowest_on():
    assert in_order(["55 and over", "18 to 54", "under 18"], {}) == ["under 18", "18 to 54", "55 and over"]


def test_a_number_within_a_word_is_no_number():
    assert in_order(["mp3 player", "camera", "2 phones"], {}) == ["2 phones", "camera", "mp3 player"]


def test_no_group_and_too_many_are_refused():
    with pytest.raises(InputError, match="'g' has no group"):
        read_banner(pl.Series("g", [None, ""], dtype=pl.String))
    with pytest.raises(InputError, match="'g' has 51 groups.*--band"):
        read_banner(pl.Series("g", list(range(51))))
