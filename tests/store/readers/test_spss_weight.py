"""The variable that weights a file, by its place in the dictionary."""

import polars as pl
import pytest
from tests.store.readers.spss_files import FRAME, write_spss

from semscale.store.surveys import weight_variable

pytestmark = pytest.mark.needs("spss")


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (0, None),  # no weight
        (1, "id"),
        (5, "wt"),  # after a text of two segments
        (4, None),  # the second segment of a text is no variable
        (99, None),
    ],
)
def test_segments_of_long_texts_are_counted(tmp_path, place, name):
    path = write_spss(tmp_path / "survey.sav", weight_place=place)
    assert weight_variable(path, FRAME.columns) == name


def test_after_a_text_of_several_variables_the_name_decides(tmp_path):
    # 300 characters are two variables, of 32 and 7 segments: 255 bytes and the rest.
    frame = pl.DataFrame({"why": ["x" * 300], "wt": [1.0]})
    found = {
        weight_variable(write_spss_plain(tmp_path / "survey.sav", frame, place), frame.columns)
        for place in range(33, 45)
    }
    assert "wt" in found


def write_spss_plain(path, frame, place):
    from pyreadstat import write_sav

    write_sav(frame, path)
    content = bytearray(path.read_bytes())
    content[76:80] = place.to_bytes(4, "little")
    path.write_bytes(content)
    return path


def test_what_is_no_spss_file_has_no_weight(tmp_path):
    path = tmp_path / "x.sav"
    path.write_bytes(b"id,text\n")
    assert weight_variable(path, ["id"]) is None
