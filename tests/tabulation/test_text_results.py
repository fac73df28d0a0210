"""Ratings and codes of open questions, tabulated by the name of the question."""

import json

import polars as pl
import pytest

import semscale
from semscale.errors import InputError
from semscale.survey.description import Question, Survey

SURVEY = Survey(
    questions=(
        Question(name="Reason", kind="open", columns=("q4",), title="Why this rating"),
        Question(name="Wish", kind="open", columns=("q5",)),
        Question(name="Region", kind="single", columns=("region",)),
    )
)
# Ratings and codes are of q4: the third row has a result and no q5, and the fourth has no q4 and no result.
TEXTS = {
    "q4": ["battery", "price", "battery, price", None, "battery"],
    "q5": ["more", "less", None, "more", "none"],
    "region": ["N", "N", "S", "S", "S"],
}
RATINGS = {
    "semscale_mean": [1.0, 2.0, 1.5, None, 1.0],
    "semscale_p_1": [1.0, 0.0, 0.5, None, 1.0],
    "semscale_p_2": [0.0, 1.0, 0.5, None, 0.0],
}
CODES = {
    "semscale_outcome": ["coded", "coded", "coded", "no-answer", "coded"],
    "semscale_power": [1, 0, 1, None, 1],
    "semscale_power_likeness": [0.9, 0.1, 0.8, None, 0.9],
    "semscale_price": [0, 1, 1, None, 0],
    "semscale_price_likeness": [0.1, 0.9, 0.8, None, 0.1],
}


def tables_of(*parts, questions=("Reason",), survey=SURVEY, **settings):
    frame = pl.DataFrame({name: cells for part in parts for name, cells in part.items()})
    return semscale.crosstabs(frame, questions=questions, survey=survey, min_base=1, **settings).tables


def shares(table):
    return dict(zip([line.name for line in table.question.lines], table.cells.values[:, 0], strict=True))


def test_a_text_that_was_rated_and_coded_has_two_tables():
    rated, coded = tables_of(TEXTS, RATINGS, CODES, banners=["Region"])
    assert (rated.question.name, rated.question.text) == ("Reason", "Why this rating")
    assert (coded.question.name, coded.question.text) == ("Reason, codes", "Why this rating (codes)")
    # Ratings: point 1 has 1 + 0 + .5 + 1 of 4; mean (1 + 2 + 1.5 + 1) / 4. Codes: 3 and 2 of 4.
    assert shares(rated) == pytest.approx({"1": 0.625, "2": 0.375, "mean": 1.375})
    assert shares(coded) == pytest.approx({"power": 0.75, "price": 0.5})
    assert rated.banner.name == "region"


def test_a_text_with_codes_alone_has_the_title_of_its_question():
    (coded,) = tables_of(TEXTS, CODES)
    assert (coded.question.name, coded.question.text) == ("Reason", "Why this rating")
    (named,) = tables_of(TEXTS, CODES, questions=["semscale_outcome"])
    assert named.question.text == "Codes"
    assert shares(named) == shares(coded)


def test_a_text_that_was_not_measured_has_an_error_with_both_commands():
    with pytest.raises(InputError, match="'Wish' has open texts.*neither rated nor coded") as error:
        tables_of(TEXTS, RATINGS, CODES, questions=["Wish"])
    assert "semscale rate FILE --text Wish" in str(error.value)
    assert "semscale code FILE --text Wish" in str(error.value)


def test_results_that_fit_two_texts_are_noted_and_have_one_owner():
    both = TEXTS | {"q5": ["more", "less", "some", None, "more"]}
    (rated,) = tables_of(both, RATINGS)
    assert rated.question.notes[0] == "the ratings of this table do not name their text, and fit ‘q5’ as well"
    with pytest.raises(InputError, match="fit both 'Reason' and 'Wish': name the one"):
        tables_of(both, RATINGS, questions=["Reason", "Wish"])


def test_equal_texts_with_different_ratings_are_not_the_rated_ones():
    both = TEXTS | {"q5": ["same", "same", "some", None, "other"]}  # rows 1 and 2 have different ratings
    (rated,) = tables_of(both, RATINGS)
    assert not any("fit" in note for note in rated.question.notes)


def test_several_rated_texts_name_their_texts():
    named = {
        f"semscale_{text}_{name.removeprefix('semscale_')}": cells
        for text in ("q4", "q5")
        for name, cells in RATINGS.items()
    }
    named["semscale_q5_p_1"], named["semscale_q5_p_2"] = [0.0] * 5, [1.0] * 5
    reason, wish = tables_of(TEXTS, named, questions=["Reason", "Wish"])
    assert (reason.question.text, shares(reason)["mean"]) == ("Why this rating", pytest.approx(1.375))
    assert (wish.question.text, shares(wish)["mean"]) == ("Wish", pytest.approx(2.0))


def test_a_stated_scale_names_the_points_of_ratings():
    rated, coded = tables_of(TEXTS, RATINGS, CODES, scales={"Reason": "quality"})
    assert [line.name for line in rated.question.lines] == ["1 Very bad", "2 Bad", "mean"]
    assert shares(coded) == pytest.approx({"power": 0.75, "price": 0.5})


def test_a_pattern_of_results_is_refused():
    with pytest.raises(InputError, match="'semscale_\\*' are results of semscale rate and semscale code"):
        tables_of(TEXTS, RATINGS, questions=["semscale_*"], survey=None)


def test_the_standard_deviation_of_a_rated_text_is_that_of_its_points():
    pmf = {"semscale_p_1": [1.0, 0.5], "semscale_p_2": [0.0, 0.5], "semscale_mean": [1.0, 1.5]}
    (table,) = tables_of({"q4": ["a", "b"]}, pmf)
    # Shares .75 and .25 of 1 and 2: mean 1.25, variance .75 * .0625 + .25 * .5625 = .1875, times 2 / 1.
    assert table.deviations[0] == pytest.approx(0.375**0.5)


CODEBOOK = """
name: topics
codes:
  - {name: power, definition: battery, examples: [great battery, battery]}
  - {name: price, definition: price, examples: [bad price, price]}
"""

CODED_BY = ("--codebook", "codes.yaml")


def test_open_and_closed_questions_have_one_workbook_and_one_deck(semscale, tmp_path):
    pytest.importorskip("pptx")
    (tmp_path / "answers.csv").write_text(
        "q4,q2,region\ngreat battery,3,N\nbad price,1,S\nN/A,2,N\ngreat battery,3,S\nbad price,99,N\n"
    )
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n"
        "- {name: Reason, kind: open, columns: q4, title: Why this rating, missing: [N/A]}\n"
        "- {name: Satisfaction, kind: scale, columns: q2, missing: [99],\n"
        "   values: [{value: 1, label: Low}, {value: 2, label: Mid}, {value: 3, label: High}]}\n"
        "- {name: Region, kind: single, columns: region}\n"
    )
    (tmp_path / "codes.yaml").write_text(CODEBOOK)
    rate = ("rate", "answers.csv", "--text", "Reason", "--scale", "quality", "--floor", "none")
    assert semscale(*rate, "--out", "a.parquet").code == 0
    code = ("code", "a.parquet", "--text", "Reason", "--codebook", "codes.yaml", "--by", "semscale_mode")
    ended = semscale(*code, "--out", "b.parquet")
    assert ended.code == 0, ended.err
    asked = ("--question", "Reason", "--question", "Satisfaction", "--banner", "Region")
    ended = semscale("tables", "b.parquet", *asked, "--out", "all.xlsx", "--out", "all.pptx", "--json")
    assert ended.code == 0, ended.err
    tables = json.loads(ended.out)["tables"]
    assert [(table["question"], table["text"], table["taken_for"]) for table in tables] == [
        ("Reason", "Why this rating", "rated text"),
        ("Reason, codes", "Why this rating (codes)", "multiple choice"),
        ("Satisfaction", "Satisfaction", "scale"),
    ]
    # The row without an answer is in no table of the text, and 99 in none of the closed question.
    assert [table["columns"][0]["n"] for table in tables] == [4, 4, 4]
    assert (tmp_path / "all.xlsx").stat().st_size
    assert (tmp_path / "all.pptx").stat().st_size
    again = semscale("rate", "a.parquet", *rate[2:], "--out", "c.parquet")
    assert "the new columns begin with ‘semscale_q4_’" in again.out
    once_more = semscale("rate", "c.parquet", *rate[2:], "--out", "d.parquet")
    assert once_more.code == 2
    assert "c.parquet has a column 'semscale_q4_status' already, which the result needs" in once_more.err


def test_two_texts_that_are_measured_one_after_the_other_name_their_results(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text(
        "why,wish\nbattery,price\nprice,price\nbattery,price\nbattery,battery\n"
    )
    (tmp_path / "codes.yaml").write_text(CODEBOOK)
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions: [{name: why, kind: open}, {name: wish, kind: open}]\n"
    )
    for command, more in (("rate", ("--scale", "quality", "--floor", "none")), ("code", CODED_BY)):
        source = "answers.csv"
        for text in ("why", "wish"):
            ended = semscale(command, source, "--text", text, *more, "--out", f"{command}-{text}.parquet")
            assert ended.code == 0, ended.err
            source = f"{command}-{text}.parquet"
    rated = pl.read_parquet(tmp_path / "rate-wish.parquet")
    # Equal texts have equal ratings, whichever column they are in.
    assert rated["semscale_mean"][0] == rated["semscale_wish_mean"][3]
    coded = pl.read_parquet(tmp_path / "code-wish.parquet")
    assert coded["semscale_power"].to_list() == [1, 0, 1, 1]
    assert coded["semscale_wish_power"].to_list() == [0, 0, 0, 1]
    asked = ("--question", "why", "--question", "wish", "--question", "semscale_wish_outcome")
    ended = semscale("tables", "code-wish.parquet", *asked, "--json")
    assert ended.code == 0, ended.err
    shares_of = [
        {line["name"]: line["cells"][0]["value"] for line in table["lines"] if line["statistic"] == "share"}
        for table in json.loads(ended.out)["tables"]
    ]
    assert [found["power"] for found in shares_of] == [0.75, 0.25, 0.25]
    ended = semscale("tables", "rate-wish.parquet", *asked[:4], "--json")
    assert [table["taken_for"] for table in json.loads(ended.out)["tables"]] == ["rated text"] * 2


def test_codes_that_name_their_text_are_those_of_no_other():
    named = {name.replace("semscale_", "semscale_q5_"): cells for name, cells in CODES.items()}
    named["semscale_q5_power"] = [0, 1, None, 0, 0]
    reason, wish = tables_of(TEXTS, CODES, named, questions=("Reason", "Wish"))
    # 3 of 4 answers to Reason have the code, and 1 of 5 to Wish, one of which is unsure.
    assert (shares(reason)["power"], shares(wish)["power"]) == (0.75, 0.2)
