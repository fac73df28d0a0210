"""``semscale tables``."""

import json

import polars as pl
import pytest
from tests.store.readers.spss_files import add_response_sets

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
    return lambda *more: semscale("tables", "survey.csv", *more)


def test_tables_are_shown_and_written(tables, tmp_path):
    ended = tables(
        "--question", "like", "--banner", "region", "--banner", "age_band", "--derive",
        "age_band=CASE WHEN age < 18 THEN 'under 18' WHEN age < 40 THEN '18 to 39' "
        "WHEN age >= 40 THEN '40 and over' END",
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
    content = json.loads(ended.out)
    assert (content["min_base"], content["adjust"], content["instrument"]) == (20, "bh", "tables")
    assert content["tables"][0]["lines"][-1]["cells"][2]["letters"] == "A"


def test_weights_are_raked_to_a_file(tables, tmp_path):
    (tmp_path / "m.yaml").write_text("sex: {f: 0.5, m: 0.5}\n")
    ended = tables("--question", "sex", "--banner", "region", "--raked-to", "m.yaml", "--json")
    shares = [line["cells"][0]["value"] for line in json.loads(ended.out)["tables"][0]["lines"]]
    assert shares == pytest.approx([0.5, 0.5])
    (tmp_path / "m.yaml").write_text("sex: {f: 0.5, d: 0.5}\n")
    ended = tables("--question", "sex", "--banner", "region", "--raked-to", "m.yaml")
    assert (ended.code, "'sex' has no target for 'm' (20 rows)" in ended.err) == (2, True)


def test_a_mistyped_category_of_a_margin_has_the_nearest_name(tables, tmp_path):
    (tmp_path / "m.yaml").write_text("region: {north: 0.5, sout: 0.5}\n")
    ended = tables("--question", "sex", "--raked-to", "m.yaml")
    assert (ended.code, "'sout' is no value: did you mean 'south'?" in ended.err) == (2, True)


def test_raked_weights_have_bounds(tables, tmp_path):
    (tmp_path / "m.yaml").write_text("sex: {f: 0.5, m: 0.5}\n")
    bounded = ("--question", "like", "--raked-to", "m.yaml", "--weight-bounds")
    ended = tables(*bounded, "0.5", "2", "--json")
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    # 60 women and 20 men share 80: all men have 40 / 20, the greatest weight.
    assert any("20 rows are at a bound" in caution for caution in content["cautions"])
    assert "|weight_bounds:0.5+2|" in content["signature"]
    ended = tables(*bounded, "0.5", "1.5")
    assert (ended.code, "cannot be met within the bounds" in ended.err) == (2, True)
    ended = tables(*bounded, "2", "3")
    assert (ended.code, "--weight-bounds must be a number from 0 to 1" in ended.err) == (2, True)


def test_points_take_labels_from_a_scale_and_numeric_columns_can_be_declared(tables):
    ended = tables("--question", "like", "--banner", "region", "--scale", "like=satisfaction")
    assert "5 Very satisfied" in ended.out
    ended = tables("--question", "like", "--banner", "region", "--numeric", "like")
    assert "top 2" not in ended.out


def test_labels_of_a_scale_are_points_in_their_order(semscale, tmp_path):
    pl.DataFrame({"q": ["Agree", "Disagree", "Strongly agree"] * 20}).write_csv(tmp_path / "worded.csv")
    asked = ("worded.csv", "--question", "q", "--json")
    content = json.loads(semscale("tables", *asked).out)
    lines = {line["name"]: line["cells"][0]["value"] for line in content["tables"][0]["lines"]}
    # Of four points of agreement, nobody chose the first: (2 + 3 + 4) / 3. The named scale has five.
    assert list(lines) == ["Disagree", "Agree", "Strongly agree", "mean"]
    assert (lines["mean"], content["cautions"]) == (pytest.approx(3.0), [])
    named = json.loads(semscale("tables", *asked, "--scale", "q=agreement").out)["tables"][0]["lines"]
    assert named[-1]["cells"][0]["value"] == pytest.approx(11 / 3)
    # Their order is known, so there is nothing to warn of.
    assert json.loads(semscale("columns", "worded.csv", "--json").out)["cautions"] == []


def test_codes_for_no_answer_are_left_out_with_a_note(semscale, tmp_path):
    frame = pl.DataFrame({"q": [1, 2, 3, 4, 5, 9] * 20, "g": ["a", "b"] * 60})
    frame.write_csv(tmp_path / "coded.csv")
    ended = semscale("tables", "coded.csv", "--question", "q", "--banner", "g", "--json")
    (note,) = json.loads(ended.out)["tables"][0]["notes"]
    assert note.startswith("left out as no answer: ‘9’ (20); to count one as an answer, list it")
    for codes in ("9", "q=9,99"):
        ended = semscale(
            "tables", "coded.csv", "--question", "q", "--banner", "g", "--missing", codes, "--json"
        )
        content = json.loads(ended.out)
        assert content["tables"][0]["columns"][0]["missing"] == 20
        unseen = "no cell of ‘q’ has the code ‘99’ for no answer: check its spelling (--missing)"
        assert content["cautions"] == ([] if codes == "9" else [unseen])
        lines = {line["name"]: line["cells"][0]["value"] for line in content["tables"][0]["lines"]}
        assert (lines["top 2 (4 and 5)"], lines["mean"]) == pytest.approx((0.4, 3.0))
        assert f"|missing:{'9' if codes == '9' else 'q=9+99'}|" in content["signature"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--banner", "region"], "--question must name at least one"),
        (["--question", "lik", "--banner", "region"], "did you mean 'like'?"),
        (["--question", "like", "--banner", "regio"], "did you mean 'region'?"),
        (["--question", "city", "--banner", "region"], "'city' was recognised as"),
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
        (["--question", "like", "--banner", "region", "--pair-by", "sex"], "--pair-by belongs to --wave"),
        (
            ["--question", "like", "--wave", "region", "--wave-order", "north, soth"],
            "did you mean 'south'?",
        ),
        (["--question", "like", "--banner", "region", "--replicates", "rw*"], "replicates need"),
        (["--question", "like", "--fpc", "popul"], "--fpc: survey.csv has no column 'popul'"),
        (
            ["--question", "like", "--banner", "region", "--interval", "95"],
            "--interval must be between 0 and 1",
        ),
    ],
)
def test_bad_input_prints_a_single_line(tables, options, message):
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


def test_replicate_weights_are_accepted(tables):
    ended = tables(
        "--question", "like", "--banner", "region", "--weight", "w", "--replicates", "rw*",
        "--replicate-type", "brr", "--rho", "0.5", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "replicate_type:brr|rho:0.5" in json.loads(ended.out)["signature"]


BRANDS = pl.DataFrame({"brand_a": [1, 2] * 30, "brand_b": [1, 2, 2] * 20, "brand_c": [2] * 60})


@pytest.mark.parametrize("where", [(), ("--where", "brand_a = 2"), ("--where", "brand_a = 1")])
def test_1_and_2_without_labels_are_asked_for(semscale, tmp_path, where):
    BRANDS.write_csv(tmp_path / "b.csv")
    ended = semscale("tables", "b.csv", "--question", "brand_*", *where)
    assert ended.code == 2
    assert "which cells of 'brand_*' say that an option was chosen: '1'" in ended.err
    assert "semscale columns FILE --out survey.yaml" in ended.err
    assert 'columns: ["brand_a", "brand_b", "brand_c"], chosen: ["1"], not_chosen: ["2"]' in ended.err


def test_a_condition_does_not_change_what_marks_say(semscale, tmp_path):
    labels = {"a": ["Tea", "no"] * 30, "b": ["no", "Milk", "no"] * 20}
    pl.DataFrame(labels).write_csv(tmp_path / "b.csv")
    ended = semscale("tables", "b.csv", "--question", "Drinks=a,b", "--where", "a = 'no'", "--json")
    lines = json.loads(ended.out)["tables"][0]["lines"]
    # Nobody who is left chose a, and 10 of 30 chose b.
    assert [line["cells"][0]["value"] for line in lines] == pytest.approx([0, 1 / 3, 1 / 3])


def test_two_alone_is_refused_and_a_derived_column_states_its_meaning(semscale, tmp_path):
    BRANDS.write_csv(tmp_path / "b.csv")
    command = ("tables", "b.csv", "--question")
    ended = semscale(*command, "Brands=brand_c")
    assert (ended.code, "say that an option was chosen: '2'" in ended.err) == (2, True)
    ended = semscale(*command, "Brands=c", "--derive", "c=CASE brand_c WHEN 2 THEN 'no' END", "--json")
    assert json.loads(ended.out)["tables"][0]["lines"][0]["cells"][0]["value"] == 0


def test_mentions_are_put_together_and_a_grid_says_how(semscale, tmp_path):
    # Of 40 people 10 said nothing; of the others 10 named 1, twice each, 20 named 2 and 20 named 3.
    mentions = pl.DataFrame({"m1": [1, 3, 2, None] * 10, "m2": [1, 2, 3, None] * 10})
    mentions.write_csv(tmp_path / "m.csv")
    command = ("tables", "m.csv", "--json", "--question")
    (table,) = json.loads(semscale(*command, "Brands=m1+m2").out)["tables"]
    shares = {line["name"]: line["cells"][0]["value"] for line in table["lines"]}
    assert shares == pytest.approx({"1": 1 / 3, "2": 2 / 3, "3": 2 / 3})
    assert (table["taken_for"], table["columns"][0]["n"]) == ("multiple choice", 30)
    ended = semscale("tables", "m.csv", "--question", "Brands=m1,m2", "--out", "m.html")
    assert "Mentions=m1+m2" in (tmp_path / "m.html").read_text(), ended.err


@pytest.mark.needs("spss")
@pytest.mark.exhaustive
def test_sets_of_an_spss_file_are_read_by_their_types(semscale, tmp_path):
    from pyreadstat import write_sav

    frame = pl.DataFrame({
        "ad_a": [1.0, 2.0, 3.0, None] * 10, "ad_b": [3.0, 1.0, 3.0, 1.0] * 10,
        "m1": [1.0, 2.0, 2.0, None] * 10, "m2": [2.0, None, 3.0, None] * 10,
    })  # fmt: skip
    brands = {1.0: "Alpha", 2.0: "Beta", 3.0: "Gamma", 4.0: "Delta"}
    write_sav(frame, tmp_path / "s.sav", variable_value_labels={"m1": brands, "m2": brands})
    add_response_sets(tmp_path / "s.sav", ["$ads=D1 1 4 Seen ad_a ad_b", "$top=C 5 Brand m1 m2"])
    ended = semscale("tables", "s.sav", "--question", "Seen", "--question", "Brand", "--json")
    assert ended.code == 0, ended.err
    seen, brand = json.loads(ended.out)["tables"]
    # 1 is counted: 10 of 30 who answered saw a, 20 of 40 saw b, and 30 of 40 any of them.
    assert [line["cells"][0]["value"] for line in seen["lines"]] == pytest.approx([1 / 3, 1 / 2, 3 / 4])
    shares = {line["name"]: line["cells"][0]["value"] for line in brand["lines"]}
    assert shares == pytest.approx({"Alpha": 1 / 3, "Beta": 1, "Gamma": 1 / 3, "Delta": 0})


@pytest.mark.parametrize("column", ["weight", "fpc"])
def test_a_wrong_number_is_named_by_its_row_in_the_file(semscale, tmp_path, column):
    pl.DataFrame({"age": [1, 50, 50, 50], "like": [1, 2, 3, 4], "w": [1, 1, 1, -1]}).write_csv(
        tmp_path / "few.csv"
    )
    ended = semscale("tables", "few.csv", "--question", "like", f"--{column}", "w", "--where", "age >= 18")
    assert ended.code == 2
    assert "got -1 in row 4 of column 'w' (rows are counted from 1, below the header)" in ended.err
