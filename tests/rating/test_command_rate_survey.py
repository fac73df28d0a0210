"""``semscale rate`` on a survey: conditions on rows, derived columns."""

import json

import polars as pl
import pytest
from tests.store.readers.spss_files import write_spss

from semscale.store.reading import open_table

SURVEY = "id,age,land,text\n1,17,DE,great\n2,18,AT,bad\n3,,DE,fine\n4,40,FR,so so\n"


@pytest.fixture(autouse=True)
def _survey(tmp_path):
    (tmp_path / "answers.csv").write_text(SURVEY)


def test_rows_that_fail_the_condition_are_left_out_counted_and_reported(rate):
    note = (
        "2 of 4 rows meet 'age >= 18'; left out: 1 not meeting it, and 1 with a cell that is missing or no "
        "number; row numbers count the remaining rows"
    )
    ended = rate("--where", "age >= 18", "--out", "rated.csv")
    assert "2 of 2 rows were scored" in ended.out
    assert note in ended.out
    content = json.loads(rate("--where", "age >= 18", "--json").out)
    assert content["rows"] == 2
    assert content["cautions"][0] == note


def test_derived_columns_are_columns_to_compare_by(rate, tmp_path):
    bands = (
        "CASE WHEN age < 18 THEN 'under 18' WHEN age < 35 THEN '18 to 34' WHEN age >= 35 THEN '35 and over' "
        "END"
    )
    out = rate("--derive", f"age_band={bands}", "--by", "age_band", "--out", "rated.csv").out
    assert "By age_band" in out
    assert "35 and over" in out
    header, *rows = (tmp_path / "rated.csv").read_text().splitlines()
    assert header.startswith("id,age,land,text,age_band,semscale_status")
    assert [row.split(",")[4] for row in rows] == ["under 18", "18 to 34", "", "35 and over"]
    group = "tongue=CASE WHEN land IN ('DE', 'AT') THEN 'german' END"
    grouped = rate("--derive", group, "--by", "tongue")
    assert "german" in grouped.out
    assert "1 row has no 'tongue': land is 'FR'" in grouped.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--where", "age >"], "--where: 'age >' is no SQL expression"),
        (["--where", "agee > 1"], "did you mean 'age'?"),
        (["--where", "age > 99"], "--where: no rows are left"),
        (["--where", "age > avg(age)"], "reads other rows or tables"),
        (["--derive", "age=land"], "has a column 'age' already"),
        (["--derive", "age_band"], "write NAME=EXPRESSION"),
        (["--derive", "north=CASE land WHEN 'SE' THEN 'x' END"], "'north' has no value in any row"),
    ],
)
def test_invalid_expressions_are_refused_before_the_model_is_loaded(rate, options, message):
    ended = rate(*options)
    assert (ended.code, ended.out) == (2, "")
    assert message.removeprefix("--") in ended.err


TWO = "id,age,land,why,wish\n1,17,DE,great,awful\n2,18,AT,bad,great\n3,,DE,fine,\n4,40,FR,so so,good\n"


@pytest.fixture
def rate_two(semscale, tmp_path):
    """Rate two columns of texts."""
    (tmp_path / "two.csv").write_text(TWO)
    return lambda *options: semscale(
        "rate", "two.csv", "--text", "why", "--text", "wish", "--floor", "none", *options
    )


@pytest.mark.exhaustive
def test_two_texts_are_rated_as_if_separate(rate_two, semscale, tmp_path):
    ended = rate_two("--scale", "quality", "--by", "land", "--out", "two-rated.csv")
    assert ended.code == 0, ended.err
    both = pl.read_csv(tmp_path / "two-rated.csv")
    assert both.columns[:5] == ["id", "age", "land", "why", "wish"]
    for text in ("why", "wish"):
        alone = semscale(
            "rate", "two.csv", "--text", text, "--floor", "none", "--scale", "quality", "--out", "one.csv"
        )
        assert alone.code == 0, alone.err
        single = pl.read_csv(tmp_path / "one.csv")
        separate = both.select(column for column in both.columns if column.startswith(f"semscale_{text}_"))
        assert separate.rename({name: name.replace(f"_{text}_", "_") for name in separate.columns}).equals(
            single[:, 5:]
        )


def test_headings_of_groups_name_their_column(rate_two):
    lines = rate_two("--scale", "quality", "--by", "land", "--by", "age").out.splitlines()
    headings = [line for line in lines if line.startswith("By ")]
    assert headings == ["By land", "By age"] * 2


@pytest.mark.exhaustive
def test_texts_have_separate_scales_and_sections_of_the_outputs(rate_two, tmp_path):
    options = ["--scale", "why=trust", "--scale", "wish=quality", "--by", "land", "--by", "age"]
    content = json.loads(rate_two(*options, "--json").out)
    assert content["instrument"] == "rate texts"
    assert [(single["text"], single["scale"], single["by"]) for single in content["texts"]] == [
        ("why", "trust", "land"),
        ("wish", "quality", "land"),
    ]
    ages = content["texts"][0]["further_groups"]["age"]["groups"]
    assert [group["group"] for group in ages] == ["17", "18", "40", None]
    assert [single["counts"] for single in content["texts"]] == [{"scored": 4}, {"missing": 1, "scored": 3}]
    ended = rate_two(*options, "--report", "two.html")
    assert "why, scale trust" in ended.out
    assert "signature of wish: semscale " in ended.out
    page = (tmp_path / "two.html").read_text()
    assert 'id="text-ii-groups-ii"' in page


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scale", "quality", "--human", "age"], "--human belongs to one --text, got 2"),
        (["--scale", "why=quality"], "scale: column 'wish' has no scale; add --scale wish=SCALE"),
        (["--scale", "quality", "--by", "why"], "by: column 'why' is the text that is rated"),
        (["--scale", "quality", "--by", "wish"], "by: column 'wish' is the text that is rated"),
        (["--scale", "quality", "--by", "land", "--by", "land"], "column 'land' is named twice"),
        (["--scale", "quality", "--text", "why"], "column 'why' is named twice"),
        (
            ["--scale", "why=quality", "--scale", "wish=trust", "--scale", "wihs=trust"],
            "'wihs' in wihs=trust is no column that is rated; did you mean 'wish'?",
        ),
    ],
)
def test_texts_scales_and_groups_that_do_not_go_together_are_refused(rate_two, options, message):
    ended = rate_two(*options)
    assert (ended.code, ended.out) == (2, "")
    assert message.removeprefix("--") in ended.err


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_columns_of_a_rated_spss_file_have_labels(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text("text\nIt is very good.\nIt is bad.\n")
    arguments = ("--text", "text", "--scale", "quality", "--floor", "none", "--out", "rated.sav")
    assert semscale("rate", "answers.csv", *arguments).code == 0
    labels = open_table(tmp_path / "rated.sav").labels
    assert labels["semscale_mean"].label == "Quality: mean rating, 1 (Very bad) to 5 (Very good)"
    assert labels["semscale_mode"].answers["4"] == "Good"
    assert labels["semscale_p_5"].label == "Quality: probability of 5 (Very good)"
    assert labels["semscale_p_5"].measure == "scale"


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_groups_of_an_spss_file_are_called_by_their_labels(semscale, tmp_path):
    write_spss(tmp_path / "survey.sav", weight_place=5)
    ended = semscale(
        "rate", "survey.sav", "--text", "why", "--scale", "quality", "--floor", "none", "--by", "region",
        "--out", "rated.csv", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    assert [group["group"] for group in content["estimates"]["groups"]] == ["north", "south", None]
    assert any("weights this file by 'wt'" in caution for caution in content["cautions"])
    rated = pl.read_csv(tmp_path / "rated.csv")
    assert rated["region"].to_list() == [1, 2, None, None]
    assert rated["region_label"].to_list() == ["north", "south", None, None]


LAND = """survey: 1
questions:
  - name: Country
    kind: single
    columns: land
    title: Country of birth
    text: In which country were you born?
    values: [{value: FR, label: France}, {value: DE, label: Germany}, {value: AT, label: Austria}]
  - {name: text, kind: open, title: Reason for the rating}
  - {name: age, kind: single, title: Age, values: [{value: "40"}, {value: "17"}, {value: "18"}]}
"""


def test_groups_have_the_order_the_labels_and_the_titles_of_the_description(rate, tmp_path):
    (tmp_path / "survey.yaml").write_text(LAND)
    ended = rate("--by", "Country", "--by", "age", "--json", "--report", "report.html")
    estimates = json.loads(ended.out)["estimates"]
    assert estimates["title"] == "Country of birth"
    assert [group["group"] for group in estimates["groups"]] == ["France", "Germany", "Austria"]
    further = json.loads(ended.out)["further_groups"]["age"]
    assert [group["group"] for group in further["groups"]] == ["40", "17", "18", None]
    page = (tmp_path / "report.html").read_text()
    section = page.partition('<section id="groups">')[2].partition("</section>")[0]
    assert "<h2>By <bdi>Country of birth</bdi></h2>" in section
    assert "ratings of “<bdi>Reason for the rating</bdi>”" in page.partition("</header>")[0]
    assert section.index("France") < section.index("Germany") < section.index("Austria")
    assert "land_label" not in page.partition('<section id="method">')[0]
    shown = rate("--by", "Country").out.partition("By Country of birth\n")[2].splitlines()
    assert [line.split()[0] for line in shown[1:4]] == ["France", "Germany", "Austria"]


def test_groups_without_a_description_have_the_order_of_their_names(rate, tmp_path):
    (tmp_path / "answers.csv").write_text("wave,text\n2026,great\n2024,bad\n2025,fine\n")
    groups = json.loads(rate("--by", "wave", "--json").out)["estimates"]["groups"]
    assert [group["group"] for group in groups] == ["2024", "2025", "2026"]
