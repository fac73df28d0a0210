"""One survey of 1,200 people in three files: a workbook, an export of Qualtrics, and a file of SPSS.

Each file codes the same answers in its own way. ``semscale columns`` describes it, a researcher corrects what
the description asks for, and the tables of all three are those that follow from the drawn answers.
"""

import json
import re
from dataclasses import dataclass

import numpy as np
import pytest
from tests.support import lounge_survey as lounge
from tests.support.reference_figures import figures, six_digits

from semscale.survey.survey_file import read_survey

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
    """

    write: object
    file: str
    questions: tuple[str, ...]
    facts: tuple[str, ...]


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
    ),
    "qualtrics": Form(
        lounge.write_qualtrics,
        "lounge.csv",
        ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6_1", "Q6_2", "Q6_3", "1_Q8", "2_Q8"),
        ("cabin", "Q10", "wave", "weight", "region", "airport"),
    ),
    "spss": Form(
        lounge.write_spss,
        "lounge.sav",
        (
            "sat", "nps", "Which services did you use?", "By what did you hear of the lounge?", "access",
            "rate_1", "rate_2", "rate_3", "lounge_1", "lounge_2",
        ),
        ("cabin", "age", "wave", "wt", "region", "airport"),
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
"""What somebody writes in place of the four columns with 1 and 2 in the workbook."""

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
    text = re.sub(r"  - name: heard_1\n.*?(?=  - name: How did you get in)", HEARD, text, flags=re.DOTALL)
    name = re.escape(form.questions[2])
    text = re.sub(rf"(  - name: {name}\n    kind: multiple\n)", rf"\1{NET}", text)
    path.write_text(text, encoding="utf-8")
    return form


def tables(semscale, form, *options):
    """Tabulate all questions, and return the tables by question, under the names of ``QUESTIONS``."""
    named = [option for name in form.questions for option in ("--question", name)]
    ended = semscale("tables", form.file, "--survey", "survey.yaml", *named, *options, "--json")
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    assert content["rows"] == lounge.N
    found = {}
    for table in content["tables"]:
        found.setdefault(table["question"], []).append(table)
    assert list(found) == list(form.questions)
    return dict(zip(QUESTIONS, found.values(), strict=True))


def key(name):
    """Return the name of a line or column without its number and its case."""
    return re.sub(r"^\d+(?: - | (?=\D))", "", name.casefold())


def shown_cells(table, what="value"):
    """Return the cells of a table by line and column; boxes have no points in their names."""
    names = [key(column["name"]) for column in table["columns"]]
    return {
        re.sub(r"^(top 2|bottom 2) .*", r"\1", key(line["name"])): dict(
            zip(names, [cell[what] for cell in line["cells"]], strict=True)
        )
        for line in table["lines"]
    }


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
    by_question = tables(
        semscale, form, *(option for name in banners.values() for option in ("--banner", name))
    )
    for question, shown in by_question.items():
        lines = expected_lines(question)
        for table, (banner, names) in zip(shown, BANNERS.items(), strict=True):
            cells = shown_cells(table)
            if question in lounge.ITEMS and "1" in cells:  # the workbook has numbers without labels
                cells |= {key(label): cells[str(n)] for n, label in enumerate(lounge.QUALITY, 1)}
            for line, values in lines.items():
                assert cells[line] == pytest.approx(mean_by_group(values, banner, names)), (question, line)
            n = {key(column["name"]): column["n"] for column in table["columns"]}
            assert n["total"] == TRUTH[question].drop_nulls().len()
    points = [cells["total"] for cells in shown_cells(by_question["recommend"][0]).values()][:11]
    assert points == pytest.approx(np.nanmean(indicators("recommend", range(11)), axis=0).tolist())
    assert [key(name["name"]) for name in by_question["access"][2]["columns"]] == [
        "total", "may 2026", "november 2026",
    ]  # fmt: skip
    assert by_question["services"][0]["text"] in {"Which services did you use?", "Services"}
    wordings = {"first lounge: how was it?", "first lounge - how was it?"}
    assert by_question["First lounge"][0]["text"].casefold() in wordings
    check_shares_of_answers(by_question["services"][0])
    check_change_of_score(semscale, form)


def check_change_of_score(semscale, form):
    """Hold the score by wave, weighted and with the sampling design, against R's."""
    roles = ("--wave", "--weight", "--strata", "--cluster")
    options = [option for pair in zip(roles, form.facts[2:], strict=True) for option in pair]
    ended = semscale("tables", form.file, "--question", form.questions[1], *options, "--json")
    assert ended.code == 0, ended.err
    (table,) = json.loads(ended.out)["tables"]
    line = next(line for line in table["lines"] if line["statistic"] == "nps")
    expected = figures("lounge")["clustered"]
    for cell, group in zip(line["cells"], ("total", "wave_0", "wave_1"), strict=True):
        assert [cell[end] for end in ("value", "low", "high")] == six_digits(
            [expected["means"]["nps"][group][end] for end in ("value", "low", "high")]
        )
    change = line["cells"][2]["change"]
    tests = expected["waves"]["summaries"]  # promoters, passives, detractors, score and mean
    assert change["value"] == six_digits(expected["change"]["value"])
    assert change["p"] == pytest.approx(tests["p"][3][0], rel=1e-5)
    assert change["p_adjusted"] == pytest.approx(tests["adjusted"][3][0], rel=1e-5)


def check_shares_of_answers(table):
    """Hold the shares of all answers to a multiple choice against the drawn ones."""
    shares = {name: cells["total"] for name, cells in shown_cells(table, "share_of_answers").items()}
    n = {key(label): np.nansum(expected_lines("services")[key(label)]) for label in lounge.SERVICES}
    assert {name: share for name, share in shares.items() if share is not None} == pytest.approx(
        {option: count / sum(n.values()) for option, count in n.items()}
    )


def test_previews_are_left_out_by_the_description_and_counted(semscale, tmp_path):
    form = FORMS["qualtrics"]
    form.write(tmp_path / form.file, TRUTH)
    assert semscale("columns", form.file, "--out", "survey.yaml").code == 0
    assert read_survey(tmp_path / "survey.yaml").leave_out == {"Status": ("Survey Preview",)}
    ended = semscale("tables", form.file, "--question", "Q2")
    assert "3 rows are left out: Status is Survey Preview (leave_out of the description)" in ended.out
    assert "of a preview" not in ended.out
    ended = semscale("tables", form.file, "--question", "Q2", "--survey", "none")
    assert "1,203 respondents" in ended.out
    assert "3 rows are of a preview and treated like all others" in ended.out
