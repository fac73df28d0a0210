"""One survey of 1,200 people in three files: a workbook, an export of Qualtrics, and a file of SPSS.

Each file codes the same answers in its own way. ``semscale columns`` describes it, a researcher corrects what
the description asks for, and the tables of all three are those that follow from the drawn answers.
"""

import re
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from tests.support import lounge_survey as lounge
from tests.support.reference_figures import figures, six_digits

from semscale.store.reading import open_table
from semscale.survey.inference import describe_survey
from semscale.survey.survey_file import read_survey
from semscale.tabulation.column_summaries import summarize_columns

TRUTH = lounge.truth()
QUESTIONS = (
    "satisfaction", "recommend", "services", "heard", "access", "Seats", "Food", "Staff", "First lounge",
    "Second lounge",
)  # fmt: skip


@dataclass(frozen=True)
class Form:
    """A file of the survey.

    Attributes:
        write: writes it.
        file: its name.
        questions: what it calls the questions, in the order of ``QUESTIONS``.
        facts: what it calls cabin, age and wave, and the columns of weights, strata and clusters.
        text: what it calls the open end.
    """

    write: object
    file: str
    questions: tuple[str, ...]
    facts: tuple[str, ...]
    text: str


FORMS = {
    "workbook": Form(
        lounge.write_workbook,
        "lounge.xlsx",
        (
            "How satisfied are you with the lounge?", "How likely are you to recommend the lounge?",
            "Services", "heard", "How did you get in?", "rating_seats", "rating_food", "rating_staff",
            "First lounge: how was it?", "Second lounge: how was it?",
        ),
        ("Cabin", "Age group", "Wave", "Weight", "Region of airport", "Airport"),
        "Why do you say so?",
    ),
    "qualtrics": Form(
        lounge.write_qualtrics,
        "lounge.csv",
        ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6_1", "Q6_2", "Q6_3", "1_Q8", "2_Q8"),
        ("cabin", "Q10", "wave", "weight", "region", "airport"),
        "Q9",
    ),
    "spss": Form(
        lounge.write_spss,
        "lounge.sav",
        (
            "sat", "nps", "Which services did you use?", "By what did you hear of the lounge?", "access",
            "rate_1", "rate_2", "rate_3", "lounge_1", "lounge_2",
        ),
        ("cabin", "age", "wave", "wt", "region", "airport"),
        "why",
    ),
}  # fmt: skip
NEEDS = {"spss": [pytest.mark.needs("spss")]}
HEARD = """\
  - name: heard
    kind: multiple
    options:
      - {label: Newspaper, column: heard_1}
      - {label: Friends, column: heard_2}
      - {label: Internet, column: heard_3}
      - {label: Travel agency, column: heard_4}
    chosen: ["2"]
    not_chosen: ["1"]
    missing: {9: don't know, -99: not asked}
    from: user

"""
"""What somebody makes of the entry of the four columns with 1 and 2 in the workbook."""

NET = "    nets: {Comfort: [Showers, Quiet room]}\n"


@pytest.fixture(params=[pytest.param(name, marks=NEEDS.get(name, [])) for name in FORMS])
def form(request, semscale, tmp_path):
    """A file of the survey with its description, in which two entries are corrected by hand."""
    form = FORMS[request.param]
    form.write(tmp_path / form.file, TRUTH)
    ended = semscale("columns", form.file, "--out", "survey.yaml")
    assert ended.code == 0, ended.err
    path = tmp_path / "survey.yaml"
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"  - name: heard\n.*?(?=  - name: How did you get in)", HEARD, text, flags=re.DOTALL)
    name = re.escape(form.questions[2])
    text = re.sub(rf"(  - name: {name}\n    kind: multiple\n)", rf"\1{NET}", text)
    path.write_text(text, encoding="utf-8")
    return form


def tables(semscale, form, questions, *options):
    """Tabulate questions, and return the cells of all tables, one per row."""
    named = [option for name in questions for option in ("--question", name)]
    shared = ("--survey", "survey.yaml", "--out", "cells.parquet")
    ended = semscale("tables", form.file, *shared, *named, *options)
    assert ended.code == 0, ended.err
    assert f"{lounge.N:,} respondents" in ended.out
    return pl.read_parquet("cells.parquet")


def key(name):
    """Return the name of a line or column without its number and its case."""
    return re.sub(r"^\d+(?: - | (?=\D))", "", name.casefold())


def shown_cells(cells, *statistics):
    """Return the values of a table by line and column; boxes have no points in their names."""
    shown = {}
    for row in cells.filter(pl.col("statistic").is_in(statistics)).iter_rows(named=True):
        line = re.sub(r"^(top 2|bottom 2) .*", r"\1", key(row["line"]))
        shown.setdefault(line, {})[key(row["column"])] = row["value"]
    return shown


# The expected tables, from the drawn answers alone.


def indicators(name, labels):
    """Return the answers to a question as n rows of 0 and 1, NaN without an answer."""
    columns = []
    for answer in TRUTH[name].to_list():
        chosen = answer if isinstance(answer, list) else [answer]
        columns.append([np.nan if answer is None else float(n in chosen) for n in range(len(labels))])
    return np.array(columns)


def mean_by_group(values, banner, names):
    """Return the mean of the known values in total and in each group."""
    codes = np.array([-1 if code is None else code for code in TRUTH[banner].to_list()])
    groups = {"total": np.full(len(codes), True)} | {key(name): codes == n for n, name in enumerate(names)}
    return {name: float(np.nanmean(values[rows])) for name, rows in groups.items()}


def expected_lines(question):
    """Return the values of respondents for each line of a question's table."""
    if question in {"services", "heard", "access"}:
        labels = {"services": lounge.SERVICES, "heard": lounge.HEARD, "access": lounge.ACCESS}[question]
        marks = indicators(question, labels)
        lines = {key(label): marks[:, n] for n, label in enumerate(labels)}
        if question == "services":
            lines["comfort"] = np.maximum(marks[:, 1], marks[:, 3])
            lines["any of these"] = 1 - marks[:, lounge.SERVICES.index("None of these")]
        return lines
    scores = np.array([np.nan if answer is None else float(answer) for answer in TRUTH[question].to_list()])
    known = ~np.isnan(scores)
    if question == "recommend":
        promoters, detractors = (np.where(known, part, np.nan) for part in (scores >= 9, scores <= 6))
        return {
            "promoters (9 and 10)": promoters,
            "passives (7 and 8)": 1 - promoters - detractors,
            "detractors (0 to 6)": detractors,
            "nps": 100 * (promoters - detractors),
            "mean": scores,
        }
    labels = lounge.SATISFACTION if question == "satisfaction" else lounge.QUALITY
    marks = indicators(question, labels)
    return {
        **{key(label): marks[:, n] for n, label in enumerate(labels)},
        "top 2": marks[:, 3:].sum(axis=1),
        "bottom 2": marks[:, :2].sum(axis=1),
        "mean": scores + 1,
    }


BANNERS = {"cabin": lounge.CABINS, "age": lounge.AGES, "wave": lounge.WAVES}


def test_each_form_has_the_tables_of_the_drawn_answers(form, semscale):
    banners = dict(zip(BANNERS, form.facts, strict=False))
    named = [option for name in banners.values() for option in ("--banner", name)]
    tabulated = tables(semscale, form, form.questions, *named)
    for question, name in zip(QUESTIONS, form.questions, strict=True):
        of_question = tabulated.filter(question=name)
        check_cells(question, of_question, banners)
        assert of_question.filter(column="Total")["n"].unique().to_list() == [
            TRUTH[question].drop_nulls().len()
        ]
    services, first, recommend = (
        tabulated.filter(question=form.questions[number], banner=form.facts[0]) for number in (2, 8, 1)
    )
    assert services["question_text"][0] in {"Which services did you use?", "Services"}
    assert first["question_text"][0].casefold() in {
        "first lounge: how was it?", "first lounge - how was it?",
    }  # fmt: skip
    points = [cells["total"] for cells in shown_cells(recommend, "share").values()][:11]
    assert points == pytest.approx(np.nanmean(indicators("recommend", range(11)), axis=0).tolist())
    check_shares_of_answers(services)
    check_change_of_score(semscale, form)


def check_cells(question, cells, banners):
    """Hold the values of a question's tables against those of the drawn answers."""
    for banner, names in BANNERS.items():
        shown = shown_cells(cells.filter(banner=banners[banner]), "share", "mean", "nps")
        if question in lounge.ITEMS and "1" in shown:  # the workbook has numbers without labels
            shown |= {key(label): shown[str(n)] for n, label in enumerate(lounge.QUALITY, 1)}
        for line, values in expected_lines(question).items():
            assert shown[line] == pytest.approx(mean_by_group(values, banner, names)), (question, line)
    waves = cells.filter(banner=banners["wave"])["column"].unique(maintain_order=True).to_list()
    assert waves[:3] == ["Total", *lounge.WAVES]


def check_shares_of_answers(cells):
    """Hold the shares of all answers to a multiple choice against the drawn ones."""
    shares = {line: row["total"] for line, row in shown_cells(cells, "share of answers").items()}
    n = {key(label): np.nansum(expected_lines("services")[key(label)]) for label in lounge.SERVICES}
    assert shares == pytest.approx({option: count / sum(n.values()) for option, count in n.items()})


def check_change_of_score(semscale, form):
    """Hold the score by wave, weighted and with the sampling design, against R's."""
    roles = ("--wave", "--weight", "--strata", "--cluster")
    options = [option for pair in zip(roles, form.facts[2:], strict=True) for option in pair]
    cells = tables(semscale, form, form.questions[1:2], *options).filter(statistic="nps")
    expected = figures("lounge")["clustered"]
    ends = ("value", "low", "high")
    scores = [expected["means"]["nps"][group] for group in ("total", "wave_0", "wave_1")]
    assert cells.select(ends).to_numpy() == six_digits([[score[end] for end in ends] for score in scores])
    change = cells.row(2, named=True)
    tests = expected["waves"]["summaries"]  # promoters, passives, detractors, score and mean
    assert change["change"] == six_digits(expected["change"]["value"])
    assert change["change_p"] == pytest.approx(tests["p"][3][0], rel=1e-5)
    assert change["change_p_adjusted"] == pytest.approx(tests["adjusted"][3][0], rel=1e-5)


def test_a_condition_that_leaves_unfinished_rows_out_is_what_notes_state(semscale, tmp_path):
    rows = [f"2026-01-0{day},{finished},fine" for day, finished in enumerate(["True", "False"] * 3, 1)]
    heads = ["StartDate,Finished,Q1", "Start Date,Finished,How is it?"]
    (tmp_path / "export.csv").write_text("\n".join([*heads, *rows]))
    said = "3 rows are not finished and treated like all others"
    assert said in semscale("columns", "export.csv", "--out", "survey.yaml").out
    assert said in semscale("tables", "export.csv", "--question", "Q1").out
    described = (tmp_path / "survey.yaml").read_text()
    (tmp_path / "survey.yaml").write_text(f"{described}\nwhere: Finished = 'True'\n")
    for command in (("columns", "export.csv"), ("tables", "export.csv", "--question", "Q1")):
        ended = semscale(*command).out
        assert "3 of 6 rows meet" in ended
        assert "not finished" not in ended
    table, survey = open_table(tmp_path / "export.csv"), read_survey(tmp_path / "survey.yaml")
    (note,) = (note for note in summarize_columns(table, survey).input_notes if "not finished" in note)
    assert note == "3 rows are not finished; the description leaves such rows out"
    some = survey.model_copy(update={"where": "StartDate <> '2026-01-02'"})
    (note,) = (note for note in summarize_columns(table, some).input_notes if "not finished" in note)
    assert note == "3 rows are not finished; the description leaves 1 of them out"


def test_previews_are_left_out_by_the_description_and_counted(semscale, tmp_path):
    form = FORMS["qualtrics"]
    form.write(tmp_path / form.file, TRUTH)
    described = semscale("columns", form.file, "--out", "survey.yaml")
    assert "3 rows are of a preview; the description leaves such rows out" in described.out
    assert "treated like all others" not in described.out
    assert read_survey(tmp_path / "survey.yaml").leave_out == {"Status": ("Survey Preview",)}
    ended = semscale("tables", form.file, "--question", "Q2")
    assert "3 rows are left out: Status is Survey Preview, which the description leaves out" in ended.out
    assert "of a preview" not in ended.out
    assert "waves were not compared" in ended.out
    assert (
        "waves were not compared"
        not in semscale("tables", form.file, "--question", "Q2", "--banner", "wave").out
    )
    ended = semscale("tables", form.file, "--question", "Q2", "--survey", "none")
    assert "1,203 respondents" in ended.out
    assert "3 rows are of a preview and treated like all others" in ended.out


needs_texts = pytest.mark.skipif(
    not lounge.FOLDER.exists(), reason=f"needs the texts about lounges in {lounge.FOLDER}"
)


@needs_texts
@pytest.mark.parametrize("form", [pytest.param(name, marks=NEEDS.get(name, [])) for name in FORMS])
def test_open_ends_are_recognised(form, tmp_path):
    form = FORMS[form]
    form.write(tmp_path / form.file, TRUTH, lounge.open_ends(TRUTH))
    assert describe_survey(open_table(tmp_path / form.file)).question(form.text).kind == "open"


@needs_texts
def test_open_ends_of_previews_are_not_rated(semscale, tmp_path):
    form = FORMS["qualtrics"]
    form.write(tmp_path / form.file, TRUTH, lounge.open_ends(TRUTH))
    assert semscale("columns", form.file, "--out", "survey.yaml").code == 0
    ended = semscale("rate", form.file, "--text", form.text, "--scale", "quality", "--floor", "none")
    assert ended.code == 0, ended.err
    assert "1,200 of 1,200 rows were scored" in ended.out
