"""SPSS files: values, labels, declared missing values, the weight, and damage."""

from datetime import date

import polars as pl
import pytest
from tests.store.readers.spss_files import FRAME, write_spss

from semscale.errors import InputError
from semscale.spelling import hint
from semscale.store.expressions import filter_table
from semscale.store.reading import open_table
from semscale.store.statistical_files import weight_variable
from semscale.store.writing import join_parts, write_table


@pytest.mark.needs("spss")
@pytest.mark.parametrize("extension", ["sav", "zsav"])
@pytest.mark.exhaustive
def test_values_are_preserved_and_declared_missing_values_are_missing(tmp_path, extension):
    table = open_table(write_spss(tmp_path / f"survey.{extension}"))
    rows = next(table.batches(10))
    assert rows.rows() == [
        (1, 1, "It was great.", 1.5, date(2024, 1, 31)),
        (2, 2, "bad", 0.5, date(2024, 1, 31)),
        (3, None, None, 1.0, date(2024, 1, 31)),  # 9 is declared missing, and an empty text is none
        (4, None, None, 1.0, date(2024, 1, 31)),
    ]
    assert rows.dtypes[:2] == [pl.Int64, pl.Int64]
    assert table.n_rows == 4
    assert next(table.batches(1, skip=3))["id"].to_list() == [4]


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_labels_stand_beside_the_values(tmp_path):
    region = open_table(write_spss(tmp_path / "survey.sav")).labels["region"]
    assert region.label == "Where do you live?"
    assert region.values == {"1": "north", "2": "south", "9": "refused"}
    assert region.missing == ("9 (refused)",)
    assert region.answers == {"1": "north", "2": "south"}
    assert region.measure == "nominal"


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_what_is_declared_missing_is_named_and_counted(tmp_path):
    notes = open_table(write_spss(tmp_path / "survey.sav")).notes
    assert notes == ("cells that the file declares missing are missing: region 9 (1), why -99 (1)",)


@pytest.mark.needs("spss")
def test_the_weight_is_noticed(tmp_path):
    table = open_table(write_spss(tmp_path / "survey.sav", weight_place=5))
    assert [title for title, labels in table.labels.items() if labels.is_weight] == ["wt"]
    assert table.notes[-1] == "SPSS weights this file by 'wt'" + hint(
        "; use `weight='wt'` to apply the weights here"
    )


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_conditions_take_values_and_their_labels(tmp_path):
    table = open_table(write_spss(tmp_path / "survey.sav"))
    for where in ("region = 1", "region = 'north'", "region in ('north', 'refused')"):
        assert next(filter_table(table, where).batches(9))["id"].to_list() == [1]


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_a_range_of_missing_values(tmp_path):
    from pyreadstat import write_sav

    path = tmp_path / "survey.sav"
    write_sav(
        pl.DataFrame({"age": [17.0, 98.0, 99.5, 30.5]}), path, missing_ranges={"age": [{"lo": 98, "hi": 99}]}
    )
    table = open_table(path)
    assert next(table.batches(9))["age"].to_list() == [17.0, None, 99.5, 30.5]
    assert table.labels["age"].missing == ("98 to 99",)


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_labels_in_a_missing_range_are_no_answers(tmp_path):
    from pyreadstat import write_sav

    path = tmp_path / "survey.sav"
    write_sav(
        pl.DataFrame({"q": [1.0, 98.0]}),
        path,
        variable_value_labels={"q": {1.0: "bad", 97.0: "good", 98.0: "refused", 99.0: "no answer"}},
        missing_ranges={"q": [{"lo": 98, "hi": 99}]},
    )
    assert open_table(path).labels["q"].answers == {"1": "bad", "97": "good"}


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_damaged_files_are_refused_in_a_line(tmp_path):
    whole = write_spss(tmp_path / "survey.sav").read_bytes()
    broken = tmp_path / "broken.sav"
    for content, reason in [
        (b"id,text\n1,good\n" * 9, "unable to read from file"),
        (whole[:300], "unable to read from file"),
        (whole[:-20], "did not contain the expected number of rows"),
    ]:
        broken.write_bytes(content)
        with pytest.raises(InputError, match=rf"broken.sav cannot be read as an SPSS file \(.*{reason}"):
            open_table(broken)


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_a_file_without_rows_is_refused(tmp_path):
    with pytest.raises(InputError, match="has a header but no rows"):
        open_table(write_spss(tmp_path / "survey.sav", FRAME.clear()))


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_another_encoding_is_another_input(tmp_path):
    path = write_spss(tmp_path / "survey.sav")
    assert open_table(path).fingerprint() != open_table(path, encoding="UTF-8").fingerprint()


@pytest.mark.needs("spss")
@pytest.mark.parametrize(
    ("position", "name"),
    [
        (0, None),  # no weight
        (1, "id"),
        (5, "wt"),  # after a text of two segments
        (4, None),  # the second segment of a text is no variable
        (99, None),
    ],
)
def test_segments_of_long_texts_are_counted(tmp_path, position, name):
    path = write_spss(tmp_path / "survey.sav", weight_place=position)
    assert weight_variable(path, FRAME.columns) == name


@pytest.mark.needs("spss")
def test_after_a_text_of_several_variables_the_name_decides(tmp_path):
    # 300 characters are two variables, of 32 and 7 segments: 255 bytes and the rest.
    frame = pl.DataFrame({"why": ["x" * 300], "wt": [1.0]})
    result = {
        weight_variable(write_spss_plain(tmp_path / "survey.sav", frame, position), frame.columns)
        for position in range(33, 45)
    }
    assert "wt" in result


def write_spss_plain(path, frame, position):
    from pyreadstat import write_sav

    write_sav(frame, path)
    content = bytearray(path.read_bytes())
    content[76:80] = position.to_bytes(4, "little")
    path.write_bytes(content)
    return path


@pytest.mark.needs("spss")
def test_what_is_no_spss_file_has_no_weight(tmp_path):
    path = tmp_path / "x.sav"
    path.write_bytes(b"id,text\n")
    assert weight_variable(path, ["id"]) is None


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_written_file_has_the_labels_of_its_source(tmp_path):
    table = open_table(write_spss(tmp_path / "survey.sav"))
    parts = tmp_path / "part.parquet"
    next(table.batches(9)).with_columns(semscale_mean=pl.lit(0.5)).write_parquet(parts)
    join_parts([parts], tmp_path / "rated.sav", labels=table.labels)
    rated = open_table(tmp_path / "rated.sav")
    assert next(rated.batches(9)).rows() == [(*row, 0.5) for row in next(table.batches(9)).rows()]
    assert rated.labels["region"].label == "Where do you live?"
    assert rated.labels["region"].answers == {"1": "north", "2": "south"}
    assert rated.labels["region"].measure == "nominal"


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_a_name_that_spss_refuses_becomes_the_label(tmp_path):
    columns = ["Q1[SQ001]", "q1_sq001_", "2. Why?", "all", "é" * 40]
    write_table(pl.DataFrame({name: [1] for name in columns}), tmp_path / "a.sav")
    table = open_table(tmp_path / "a.sav")
    # 64 bytes are 32 times "é".
    assert table.columns == ("Q1_SQ001_", "q1_sq001__2", "V_2._Why_", "all_", "é" * 32)
    assert [table.labels[name].label for name in table.columns] == columns


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_the_longest_text(tmp_path):
    longest = "ü" * 16_383  # 32,766 bytes
    write_table(pl.DataFrame({"text": [longest]}), tmp_path / "a.sav")
    assert next(open_table(tmp_path / "a.sav").batches(9))["text"].to_list() == [longest]
    with pytest.raises(InputError, match="column 'text' has a text of 32,768 bytes, but .* holds 32,767"):
        write_table(pl.DataFrame({"text": [longest + "ü"]}), tmp_path / "a.sav")
    with pytest.warns(UserWarning, match="were cut to 8,191 characters, as SPSS holds no more: 1"):
        write_table(pl.DataFrame({"semscale_reply": [longest + "ü"]}), tmp_path / "a.sav")
    assert next(open_table(tmp_path / "a.sav").batches(9))["semscale_reply"].to_list() == ["ü" * 8_191]
