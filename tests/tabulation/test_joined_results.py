"""Results that ``rate`` and ``code`` wrote to tables of their own, tabulated with the survey's questions."""

import json

import polars as pl
import pytest

SURVEY = """survey: 1
questions:
- {name: Reason, kind: open, columns: why, title: Why this rating, missing: [N/A]}
- {name: wish, kind: open}
- {name: like, kind: scale, values: [{value: 1}, {value: 2}, {value: 3}]}
- {name: region, kind: single}
"""
# Rows 1 and 5 have the same answer to why; row 4 has none.
ANSWERS = {
    "why": ["great battery", "bad price", "battery and price", None, "great battery"],
    "wish": ["more", "less", "same again", "more", "less"],
    "like": [3, 1, 2, 3, 3],
    "region": ["N", "N", "S", "S", "S"],
}
RATINGS = {
    "semscale_status": ["scored"] * 3 + ["missing", "scored"],
    "semscale_mean": [2.0, 1.0, 1.5, None, 2.0],
    "semscale_p_1": [0.0, 1.0, 0.5, None, 0.0],
    "semscale_p_2": [1.0, 0.0, 0.5, None, 1.0],
}
# Row 5 may be about the price, which is unsure; any is a net of both codes.
CODES = {
    "semscale_outcome": ["coded", "coded", "coded", "no-answer", "coded"],
    "semscale_any": [1, 1, 1, None, 1],
    "semscale_any_likeness": [0.9, 0.9, 0.9, None, 0.9],
    "semscale_power": [1, 0, 1, None, 1],
    "semscale_power_likeness": [0.9, 0.1, 0.8, None, 0.9],
    "semscale_power_evidence": ["great battery", None, "battery", None, "great battery"],
    "semscale_price": [0, 1, 1, None, None],
    "semscale_price_likeness": [0.1, 0.9, 0.8, None, 0.5],
}
FACTS = {
    "ratings": {
        "measured": "ratings",
        "text": "why",
        "title": "Quality",
        "labels": {"1": "Bad", "2": "Good"},
    },
    "codes": {"measured": "codes", "text": "why", "title": "topics", "nets": ["any"]},
}


@pytest.fixture
def run(tmp_path, semscale):
    """Write a survey and results, and tabulate it with a basket or with questions."""
    (tmp_path / "survey.yaml").write_text(SURVEY)
    pl.DataFrame(ANSWERS).write_csv(tmp_path / "answers.csv")
    write(tmp_path / "rated.parquet", RATINGS, "ratings")
    write(tmp_path / "coded.parquet", CODES, "codes")

    def tables(*words, file="answers.csv", out="--json"):
        ended = semscale("tables", file, *words, "--min-base", "1", out)
        return json.loads(ended.out)["tables"] if ended.code == 0 else ended.err

    return tables


def write(path, results, measured="", **changed):
    frame = pl.DataFrame(ANSWERS | changed | results)
    metadata = {"semscale": json.dumps([FACTS[measured]])} if measured else None
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path, metadata=metadata)


def shares(table, column=0):
    return {line["name"]: line["cells"][column]["value"] for line in table["lines"]}


def results(*files):
    return [word for file in files for word in ("--results", file)]


def test_an_open_question_has_the_ratings_and_codes_of_other_tables(run):
    asked = ("--question", "Reason", "--question", "like", "--banner", "region")
    rated, coded, liked = run(*asked, *results("rated.parquet", "coded.parquet"))
    assert [rated["text"], coded["text"]] == ["Why this rating", "Why this rating (codes)"]
    # Point 1 has 0 + 1 + .5 + 0 of 4 texts. Codes: row 4 is missing in all, row 5 has no sure price.
    assert shares(rated)["1 Bad"] == pytest.approx(0.375)
    assert shares(rated)["2 Good"] == pytest.approx(0.625)
    assert shares(rated)["mean"] == pytest.approx(1.625)
    assert shares(coded) == pytest.approx({"power": 3 / 4, "price": 2 / 4, "any": 1})
    assert [line["name"] for line in coded["lines"] if line["is_net"]] == ["any"]
    # In the south, rows 3 and 5 have answers.
    assert shares(coded, 2) == pytest.approx({"power": 1, "price": 1 / 2, "any": 1})
    assert liked["columns"][0]["n"] == 5


def test_ratings_and_codes_are_asked_for_one_by_one(run):
    (rated,) = run("--question", "semscale_why_mean", *results("rated.parquet", "coded.parquet"))
    (coded,) = run("--question", "semscale_why_outcome", *results("rated.parquet", "coded.parquet"))
    assert (rated["text"], rated["taken_for"]) == ("Why this rating (ratings)", "rated text")
    assert (coded["text"], coded["taken_for"]) == ("Why this rating (codes)", "multiple choice")
    assert "no ratings of 'why': rate its answers" in run(
        "--question", "semscale_why_mean", *results("coded.parquet")
    )


def test_results_are_of_all_rows_and_a_condition_leaves_rows_out(run):
    asked = ("--question", "Reason", "--where", "region = 'N'", *results("coded.parquet"))
    (coded,) = run(*asked)
    assert shares(coded) == pytest.approx({"power": 1 / 2, "price": 1 / 2, "any": 1})


def test_a_basket_makes_one_workbook_of_open_and_closed_questions(semscale, run, tmp_path):
    (tmp_path / "tables.yaml").write_text("tables:\n- {questions: [Reason, like]}\n")
    ended = semscale("tables", "answers.csv", "--basket", "tables.yaml", *results("coded.parquet"), "--json")
    tables = json.loads(ended.out)["entries"][0]["tables"]
    assert [table["question"] for table in tables] == ["Reason", "like"]
    assert shares(tables[0])["power"] == pytest.approx(3 / 4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"why": ["great battery", "bad price", "other", None, "great battery"]},
            "differs in row 3: code the",
        ),
        (
            {"why": ["", "great battery", "bad price", "battery and price", "great battery"]},
            "differs in row 1",
        ),
    ],
)
def test_results_of_other_rows_are_refused(run, tmp_path, changed, message):
    write(tmp_path / "other.parquet", CODES, "codes", **changed)
    answer = run("--question", "Reason", *results("other.parquet"))
    assert "other.parquet has codes of other rows than answers.csv" in answer
    assert message in answer


def test_results_of_more_rows_are_refused(run, tmp_path):
    pl.concat([pl.read_csv(tmp_path / "answers.csv")] * 2).write_csv(tmp_path / "twice.csv")
    answer = run("--question", "Reason", *results("coded.parquet"), file="twice.csv")
    assert (
        "coded.parquet has codes of 5 rows, and twice.csv has 10 that count: code the answers again" in answer
    )


def test_results_of_a_column_that_the_file_lacks_are_refused(run, tmp_path):
    pl.DataFrame(ANSWERS).drop("why").write_csv(tmp_path / "less.csv")
    (tmp_path / "survey.yaml").unlink()
    answer = run("--question", "like", *results("coded.parquet"), file="less.csv")
    assert "coded.parquet has codes of ‘why’, and less.csv has no such column" in answer


def test_two_results_of_a_kind_are_refused(run, tmp_path):
    write(tmp_path / "again.parquet", RATINGS, "ratings")
    answer = run("--question", "Reason", *results("rated.parquet", "again.parquet"))
    assert "rated.parquet and again.parquet both have ratings of ‘why’: name one of them" in answer


@pytest.fixture
def trusted(run, tmp_path, monkeypatch):
    """Write ratings of the same text on another scale."""
    monkeypatch.setitem(FACTS, "trust", FACTS["ratings"] | {"title": "Trust, 2 points"})
    turned = {"semscale_p_1": RATINGS["semscale_p_2"], "semscale_p_2": RATINGS["semscale_p_1"]}
    write(tmp_path / "trusted.parquet", RATINGS | turned, "trust")


@pytest.mark.usefixtures("trusted")
def test_ratings_of_a_text_on_two_scales_are_asked_for_by_their_scales(run, tmp_path, semscale):
    both = results("rated.parquet", "trusted.parquet")
    names = ("semscale_why on Trust, 2 points_mean", "semscale_why_mean", "semscale_why on Quality_mean")
    entries = "".join(f"- {{questions: ['{name}'], min_base: 1}}\n" for name in names)
    (tmp_path / "tables.yaml").write_text(f"tables:\n{entries}")
    ended = semscale("tables", "answers.csv", "--basket", "tables.yaml", *both, "--json")
    tables = [table for entry in json.loads(ended.out)["entries"] for table in entry["tables"]]
    titles = ["why on Trust, 2 points, ratings", "why, ratings", "why on Quality, ratings"]
    assert [table["question"] for table in tables] == titles
    # Of four rated answers, 1.5 are Bad; 2.5 on the scale turned round. The first file has two names.
    assert [shares(table)["1 Bad"] for table in tables] == pytest.approx([0.625, 0.375, 0.375])
    (only,) = run("--question", names[0], *both)
    assert shares(only)["1 Bad"] == pytest.approx(0.625)


def test_codes_of_two_codebooks_are_asked_for_by_their_names(run, tmp_path, monkeypatch):
    monkeypatch.setitem(FACTS, "needs", FACTS["codes"] | {"title": "needs"})
    turned = CODES | {"semscale_power": [0, 1, 0, None, 0]}
    write(tmp_path / "needs.parquet", turned, "needs")
    both = results("coded.parquet", "needs.parquet")
    codebook = FACTS["codes"]["title"]
    # Of four coded answers, three have the power of one codebook, and one that of the other.
    for name, share in (("needs", 1 / 4), (codebook, 3 / 4)):
        (table,) = run("--question", f"semscale_why on {name}_outcome", *both)
        assert table["question"] == f"why on {name}, codes"
        assert table["text"] == f"Why this rating (codes by {name})"
        assert shares(table)["power"] == pytest.approx(share)


def test_two_results_of_a_kind_name_how_they_are_asked_for(run, trusted):
    answer = run("--question", "Reason", *results("rated.parquet", "trusted.parquet"))
    assert "name one of them, or ask for ‘semscale_why on Quality_mean’ and ‘semscale_why on Trust" in answer


def test_results_with_other_codes_for_no_answer_are_refused(run, tmp_path, monkeypatch):
    monkeypatch.setitem(FACTS, "codes", FACTS["codes"] | {"no_answer": ["n/a"]})
    why = [text or "none" for text in ANSWERS["why"]]
    write(tmp_path / "answers.csv", {}, why=why)
    write(tmp_path / "coded.parquet", CODES, "codes", why=why)
    assert len(run("--question", "Reason", *results("coded.parquet"))) == 1
    (tmp_path / "survey.yaml").write_text(SURVEY.replace("N/A", "none"))
    answer = run("--question", "Reason", *results("coded.parquet"))
    assert "other codes for no answer in ‘why’: code the answers again" in answer


def test_other_codes_for_no_answer_that_no_text_has_make_no_difference(run, tmp_path, monkeypatch):
    monkeypatch.setitem(FACTS, "codes", FACTS["codes"] | {"no_answer": ["n/a", "refused"]})
    write(tmp_path / "coded.parquet", CODES, "codes")
    assert len(run("--question", "Reason", *results("coded.parquet"))) == 1


def test_a_table_without_facts_is_of_the_text_that_it_fits(run, tmp_path):
    # The battery of row 1 is in why, and not in wish; the cells of a CSV file name no text.
    write(tmp_path / "coded.csv", CODES)
    (coded,) = run("--question", "Reason", *results("coded.csv"))
    assert shares(coded) == pytest.approx({"any": 1, "power": 3 / 4, "price": 2 / 4})
    # Ratings fit the text with equal ratings of equal texts: rows 1 and 4 of wish have others.
    write(tmp_path / "rated.csv", RATINGS)
    (rated,) = run("--question", "Reason", *results("rated.csv"))
    assert shares(rated)["mean"] == pytest.approx(1.625)


def test_a_table_that_fits_two_texts_needs_its_question(run, tmp_path):
    write(tmp_path / "both.csv", RATINGS, wish=ANSWERS["why"])
    pl.read_csv(tmp_path / "both.csv").select(*ANSWERS).write_csv(tmp_path / "answers.csv")
    answer = run("--question", "Reason", *results("both.csv"))
    assert "fit ‘why’ and ‘wish’: state the question, such as why=both.csv" in answer
    (rated,) = run("--question", "wish", *results("wish=both.csv"))
    assert shares(rated)["mean"] == pytest.approx(1.625)


def test_a_text_without_a_description_is_the_one_that_is_asked_for(run, tmp_path):
    write(tmp_path / "rated.csv", RATINGS)
    (rated,) = run("--question", "why", "--survey", "none", *results("rated.csv"))
    assert shares(rated)["mean"] == pytest.approx(1.625)


def test_a_table_without_results_is_refused(run):
    answer = run("--question", "Reason", *results("answers.csv"))
    assert "has no results: name a table that semscale rate or semscale code wrote" in answer


def test_the_commands_tell_of_which_text_their_results_are(semscale, run, tmp_path):
    (tmp_path / "codes.yaml").write_text(
        "name: topics\nnets: [{name: any, codes: [power]}]\ncodes:\n"
        "- {name: power, definition: battery, examples: [great battery, battery]}\n"
        "- {name: price, definition: price, examples: [bad price, price]}\n"
    )
    for words in (("rate", "--scale", "quality", "--floor", "none"), ("code", "--codebook", "codes.yaml")):
        command, *more = words
        ended = semscale(command, "answers.csv", "--text", "Reason", *more, "--out", f"{command}.parquet")
        assert ended.code == 0, ended.err
    (metadata,) = json.loads(pl.read_parquet_metadata(tmp_path / "code.parquet")["semscale"])
    assert (metadata["text"], metadata["nets"], metadata["no_answer"]) == ("why", ["any"], ["n/a"])
    rated, coded = run("--question", "Reason", *results("rate.parquet", "code.parquet"))
    assert [line["name"] for line in rated["lines"]][:2] == ["1 Very bad", "2 Bad"]
    assert [line["name"] for line in coded["lines"] if line["is_net"]] == ["any"]
    assert shares(coded)["power"] == pytest.approx(3 / 4)
