"""``semscale study tables``."""

import json

import polars as pl
import pytest

SURVEY = pl.DataFrame({
    "like": [5 if n % 2 else 1 + n % 4 // 2 for n in range(80)],
    "age": [18 + n % 60 for n in range(80)],
    "region": ["south" if n % 2 else "north" for n in range(80)],
    "sex": ["f" if n % 4 < 3 else "m" for n in range(80)],
    "w": [None if n == 0 else 1.0 for n in range(80)],
    "rw1": [2.0 * (n % 2) for n in range(80)],
    "rw2": [2.0 * (1 - n % 2) for n in range(80)],
    "city": [f"city{n}" for n in range(80)],
})  # fmt: skip


@pytest.fixture(autouse=True)
def _survey(tmp_path):
    SURVEY.write_csv(tmp_path / "survey.csv")


@pytest.fixture
def tables(semscale):
    return lambda *more: semscale("study", "tables", "survey.csv", *more)


def test_tables_are_shown_and_written(tables, tmp_path):
    ended = tables(
        "--question", "like", "--banner", "region", "--banner", "age_band", "--band", "age=18,40",
        "--where", "age < 70", "--weight", "w", "--out", "t.xlsx", "--out", "t.csv", "--out", "t.html",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "like by region" in ended.out
    assert "40 and over (B)" in ended.out
    assert "rows meet 'age < 70'" in ended.out
    assert "1 row left out: no weight" in ended.out
    for name in ("t.xlsx", "t.csv", "t.html"):
        assert (tmp_path / name).stat().st_size > 0


def test_without_a_banner_a_table_has_the_total_alone(tables, tmp_path):
    outputs = [part for ending in ("xlsx", "html", "csv", "json") for part in ("--out", f"t.{ending}")]
    ended = tables("--question", "like", "--weight", "w", *outputs)
    assert ended.code == 0, ended.err
    assert "by region" not in ended.out
    assert "Letters" not in (tmp_path / "t.html").read_text()
    (table,) = json.loads((tmp_path / "t.json").read_text())["tables"]
    assert (table["banner"], table["ungrouped"], table["differences"]) == (None, 0, [])
    # The row without a weight answered 1: of 79, 19 answered 1, 20 answered 2 and 40 answered 5.
    assert [column["n"] for column in table["columns"]] == [79]
    mean = table["lines"][-1]["cells"][0]
    assert mean["value"] == pytest.approx((19 + 40 + 200) / 79)
    assert (mean["letters"], mean["change"]) == (None, None)
    assert set(pl.read_csv(tmp_path / "t.csv")["column"]) == {"Total"}


def test_json_has_all_settings(tables):
    ended = tables("--question", "like", "--banner", "region", "--min-base", "20", "--adjust", "bh", "--json")
    found = json.loads(ended.out)
    assert (found["min_base"], found["adjust"], found["instrument"]) == (20, "bh", "study tables")
    assert found["tables"][0]["lines"][-1]["cells"][2]["letters"] == "A"


def test_weights_are_raked_to_a_file(tables, tmp_path):
    (tmp_path / "m.yaml").write_text("sex: {f: 0.5, m: 0.5}\n")
    ended = tables("--question", "sex", "--banner", "region", "--raked-to", "m.yaml", "--json")
    shares = [line["cells"][0]["value"] for line in json.loads(ended.out)["tables"][0]["lines"]]
    assert shares == pytest.approx([0.5, 0.5])
    (tmp_path / "m.yaml").write_text("sex: {f: 0.5, d: 0.5}\n")
    ended = tables("--question", "sex", "--banner", "region", "--raked-to", "m.yaml")
    assert (ended.code, "'sex' has no target for 'm' (20 rows)" in ended.err) == (2, True)


def test_points_are_named_by_a_scale_and_numbers_said_to_be_numbers(tables):
    ended = tables("--question", "like", "--banner", "region", "--scale", "like=satisfaction")
    assert "5 Very satisfied" in ended.out
    ended = tables("--question", "like", "--banner", "region", "--numeric", "like")
    assert "top 2" not in ended.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--banner", "region"], "--question must name at least one"),
        (["--question", "lik", "--banner", "region"], "did you mean 'like'?"),
        (["--question", "like", "--banner", "regio"], "did you mean 'region'?"),
        (["--question", "city", "--banner", "region"], "'city' is taken for"),
        (["--question", "like", "--banner", "city"], "'city' has 80 groups"),
        (["--question", "like", "--banner", "region", "--out", "t.doc"], "--out must end in"),
        (["--question", "like", "--banner", "region", "--out", "survey.csv"], "must not be the input"),
        (
            ["--question", "like", "--banner", "region", "--out", "a.csv", "--out", "b.csv"],
            "two files end in .csv",
        ),
        (
            ["--question", "like", "--banner", "region", "--scale", "quality"],
            "--scale must read QUESTION=SCALE",
        ),
        (["--pair", "like"], "--pair must read FIRST=SECOND"),
        (["--question", "like", "--banner", "region", "--pair-by", "sex"], "--pair-by belongs to wave"),
        (
            ["--question", "like", "--wave", "region", "--wave-order", "north, soth"],
            "did you mean 'south'?",
        ),
        (["--question", "like", "--banner", "region", "--replicates", "rw*"], "replicates need"),
        (["--question", "like", "--banner", "region", "--level", "95"], "--level must be between 0 and 1"),
    ],
)
def test_bad_input_ends_with_one_line(tables, options, message):
    ended = tables(*options)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_two_questions_of_the_same_people_are_compared(tables):
    ended = tables("--pair", "age=like", "--numeric", "age", "--json")
    assert ended.code == 0, ended.err
    (table,) = json.loads(ended.out)["tables"]
    # Ages 18 to 77 once and 18 to 37 once more: (60 * 47.5 + 20 * 27.5) / 80 = 42.5; like has 3.25.
    assert table["lines"][0]["cells"][0]["value"] == pytest.approx(42.5 - 3.25)


def test_replicate_weights_are_taken(tables):
    ended = tables(
        "--question", "like", "--banner", "region", "--weight", "w", "--replicates", "rw*",
        "--replicate-type", "brr", "--rho", "0.5", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "replicate_type:brr|rho:0.5" in json.loads(ended.out)["signature"]
