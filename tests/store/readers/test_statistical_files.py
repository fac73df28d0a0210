"""Files of Stata and SAS: values, labels, and missing values with a letter."""

import gzip
from pathlib import Path

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.survey.inference import describe_survey

pytestmark = pytest.mark.needs("spss")

SAS = Path(__file__).parents[2] / "data" / "sas"
"""A made-up file of SAS and its catalog, written by ReadStat."""


def write_stata(path):
    from pyreadstat import write_dta

    frame = pl.DataFrame(
        [
            pl.Series("trust", [1, 2, 3, "a", "b", None, 2], dtype=pl.Object),
            pl.Series("tea", [1, 0, 1, 0, 0, 1, 0]),
            pl.Series("why", ["good", "", "bad", "so", "no", "well", "ah"]),
            pl.Series("weight", [1.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0]),
        ]
    )
    write_dta(
        frame,
        path,
        column_labels={"trust": "How much do you trust us?", "tea": "", "why": "Why?", "weight": ""},
        variable_value_labels={
            "trust": {1: "not at all", 2: "somewhat", 3: "very much", "a": "refused", "b": "don't know"}
        },
        missing_user_values={"trust": ["a", "b"]},
    )
    return path


def test_values_and_labels_of_stata_are_read(tmp_path):
    table = open_table(write_stata(tmp_path / "survey.dta"))
    rows = next(table.batches(9))
    assert (table.export, table.n_rows) == ("Stata", 7)
    assert rows["trust"].to_list() == [1, 2, 3, None, None, None, 2]
    assert rows["why"].to_list()[:2] == ["good", None]
    assert rows["trust"].dtype == pl.Int64
    labels = table.labels["trust"]
    assert labels.label == "How much do you trust us?"
    assert labels.answers == {"1": "not at all", "2": "somewhat", "3": "very much"}
    assert labels.missing == (".a (refused)", ".b (don't know)")
    assert table.notes == ("cells that the file declares missing are missing: trust .a (1) and .b (1)",)


def test_letters_have_the_reasons_of_their_labels(tmp_path):
    survey = describe_survey(open_table(write_stata(tmp_path / "survey.dta")))
    trust = survey.question("trust")
    assert (trust.kind, [value.label for value in trust.answers]) == (
        "scale", ["not at all", "somewhat", "very much"],
    )  # fmt: skip
    assert {value.value: value.missing for value in trust.values if value.missing} == {
        ".a": "refused",
        ".b": "don't know",
    }
    assert survey.question("weight").kind == "weight"


def unpack(name, path):
    path.write_bytes(gzip.decompress((SAS / f"{name}.gz").read_bytes()))


@pytest.mark.parametrize("catalog", ["formats.sas7bcat", "survey.sas7bcat"])
def test_a_catalog_of_sas_labels_values_and_letters(tmp_path, catalog):
    path = tmp_path / "survey.sas7bdat"
    unpack(path.name, path)
    unpack("formats.sas7bcat", tmp_path / catalog)
    table = open_table(path)
    # 5, 4, .A, 2, 4 and .B: the cells stay numbers, and what has a letter is missing.
    assert next(table.batches(9))["FOOD"].to_list() == [5, 4, None, 2, 4, None]
    survey = describe_survey(table)
    food = survey.question("FOOD")
    assert food.kind == "scale"
    assert [value.label for value in food.answers] == ["Very poor", "Poor", "Fair", "Good", "Very good"]
    assert {code.value: code.missing for code in food.values if code.missing} == {
        ".A": "don't know",
        ".B": "refused",
    }
    drinks = survey.question("D")
    assert (drinks.chosen, drinks.not_chosen) == (("1",), ("2",))


def test_a_file_of_sas_without_its_catalog_has_numbers(tmp_path):
    path = tmp_path / "survey.sas7bdat"
    unpack(path.name, path)
    food = describe_survey(open_table(path)).question("FOOD")
    assert not any(value.label for value in food.values)


def test_transport_files_of_sas_are_read(tmp_path):
    from pyreadstat import write_xport

    path = tmp_path / "survey.xpt"
    frame = pl.DataFrame({"TRUST": [1.0, 2.0, None], "WHY": ["good", "", "bad"]})
    write_xport(frame, path, column_labels=["How much do you trust us?", "Why?"])
    table = open_table(path)
    assert (table.export, table.labels["TRUST"].label) == ("SAS", "How much do you trust us?")
    assert next(table.batches(9)).rows() == [(1, "good"), (2, None), (None, "bad")]


@pytest.mark.parametrize(
    ("extension", "program"), [("dta", "a Stata file"), ("xpt", "a SAS file"), ("sas7bdat", "a SAS file")]
)
def test_a_damaged_file_is_refused(tmp_path, extension, program):
    path = tmp_path / f"survey.{extension}"
    path.write_bytes(b"no such file" * 50)
    with pytest.raises(InputError, match=f"cannot be read as {program}"):
        open_table(path)
