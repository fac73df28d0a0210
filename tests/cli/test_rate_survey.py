"""``semscale rate`` on a survey: conditions on rows, bands, groups."""

import json

import pytest

SURVEY = "id,age,land,text\n1,17,DE,great\n2,18,AT,bad\n3,,DE,fine\n4,40,FR,so so\n"


@pytest.fixture(autouse=True)
def _survey(tmp_path):
    (tmp_path / "answers.csv").write_text(SURVEY)


def test_rows_that_do_not_meet_the_condition_are_left_out_counted_and_said(rate):
    note = (
        "2 of 4 rows meet 'age >= 18'; left out: 1 not meeting it, and 1 with a cell that is missing or no "
        "number; rows are counted among those that are kept"
    )
    ended = rate("--where", "age >= 18", "--out", "rated.csv")
    assert "2 of 2 rows count" in ended.out
    assert note in ended.out
    found = json.loads(rate("--where", "age >= 18", "--json").out)
    assert found["rows"] == 2
    assert found["cautions"][0] == note


def test_bands_and_groups_are_columns_to_compare_by(rate, tmp_path):
    out = rate("--band", "age=18,35", "--by", "age_band", "--out", "rated.csv").out
    assert "By group" in out
    assert "35 and over" in out
    header, *rows = (tmp_path / "rated.csv").read_text().splitlines()
    assert header.startswith("id,age,land,text,age_band,semscale_status")
    assert [row.split(",")[4] for row in rows] == ["under 18", "18 to 34", "", "35 and over"]
    grouped = rate("--group", "land=german:DE,AT", "--by", "land_group")
    assert "german" in grouped.out
    assert "1 row has no 'land_group', as the value in 'land' is in no group ('FR')" in grouped.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--where", "age >"], "--where: a number or a text in quotation marks was expected"),
        (["--where", "agee > 1"], "did you mean 'age'?"),
        (["--where", "age > 99"], "--where: no row is left"),
        (["--band", "age=35,18"], "--band: the bounds of 'age' must ascend, got 35, 18"),
        (["--band", "text=3"], "every cell of column 'text' is no number"),
        (["--group", "land=x:SE"], "every cell of column 'land' is in no group"),
    ],
)
def test_what_makes_no_sense_is_refused_before_the_model_is_loaded(rate, options, said):
    ended = rate(*options)
    assert (ended.code, ended.out) == (2, "")
    assert said.removeprefix("--") in ended.err
