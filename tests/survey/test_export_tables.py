"""Exports of survey tools, from the file to the table: shares and bases counted by hand.

Each export is synthetic, with the headers, marks and codes that the tool's documentation shows. Each table is
made twice: by the description of the whole file, and by the question's columns alone.
"""

import json

import pytest
import xlsxwriter
from tests.store.readers.spss_files import add_response_sets

from semscale.store.reading import open_table
from semscale.survey.inference import describe_survey
from semscale.tabulation.crosstabs import build_crosstabs
from semscale.tabulation.settings import CrosstabSettings


def rows_of(text):
    """Return the rows of a table that is written with "|" between cells."""
    return [[cell.strip() for cell in line.split("|")] for line in text.strip("\n").splitlines()]


def as_csv(rows, separator=","):
    """Write rows with all cells in quotation marks."""
    quoted = (separator.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    return "\n".join(quoted) + "\n"


def as_qualtrics(text):
    """Complete rows of names, texts, IDs and answers by the columns that Qualtrics adds."""
    names, texts, ids, *answers = rows_of(text)
    head = [
        ["StartDate", "Status", "Finished", "ResponseId", "DistributionChannel", *names],
        ["Start Date", "Response Type", "Finished", "Response ID", "Distribution Channel", *texts],
        [
            json.dumps({"ImportId": name})
            for name in ("startDate", "status", "finished", "_recordId", "channel", *ids)
        ],
    ]
    added = ["2025-01-01 10:00:00", "0", "1", "R_{}", "anonymous"]
    return as_csv(head + [[*(c.format(n) for c in added), *row] for n, row in enumerate(answers)])


def as_limesurvey(text, separator=","):
    """Complete rows by the columns that LimeSurvey adds, with codes and texts in the header."""
    names, *answers = rows_of(text)
    added = [
        "id. Response ID",
        "submitdate. Date submitted",
        "lastpage. Last page",
        "startlanguage. Start language",
    ]
    rows = [[*added, *names]]
    rows += [[str(n), "2025-01-01 10:00:00", "3", "en", *row] for n, row in enumerate(answers, 1)]
    return as_csv(rows, separator)


def as_google(question, answers, title="Timestamp", time="2025/03/01 9:41:31 AM GMT+1"):
    return as_csv([[title, question], *([time, answer] for answer in answers)])


def as_microsoft(question, answers, added=("ID", "Start time", "Completion time", "Email", "Name")):
    rows = [[str(n), "3/1/25 9:41:31", "3/1/25 9:43:31", "anonymous", ""] for n in range(len(answers))]
    return as_csv([[*added, question], *([*row, answer] for row, answer in zip(rows, answers, strict=True))])


def as_kobo(text):
    names, *answers = rows_of(text)
    rows = [["start", *names, "_id", "_uuid", "_submission_time"]]
    rows += [["2025-03-01T09:41", *row, str(n), f"u{n}", "2025-03-01T09:44"] for n, row in enumerate(answers)]
    return as_csv(rows, ";")


EXPORTS = {
    # Shares of those who answered: 3 of 4 tea, 1 coffee, 1 other; the fourth row is not asked.
    "Qualtrics, numbers in columns": (
        as_qualtrics("""
Q1_1 | Q1_2 | Q1_4 | Q1_4_TEXT
W? - Selected Choice - Tea | W? - Selected Choice - Coffee | W? - Selected Choice - Other | W? - Other - Text
QID1_1 | QID1_2 | QID1_4 | QID1_4_TEXT
1 | | |
1 | 1 | |
 | | 1 | Cola
 | | |
1 | | |
"""),
        dict.fromkeys(["Q1", "Q1_*"], (4, {"Tea": 75, "Coffee": 25, "Other": 25})),
    ),
    # 1 in three cells of five, 2 and 5 in two; "1,2" is no number, however few cells list two options.
    "Qualtrics, numbers in one column": (
        as_qualtrics("""
Q1 | Q2
Which? | How many?
QID1 | QID2_TEXT
1,2 | 1,500
1,5 | 900
2 | 2,000
5 | 1,000
1 | 100
"""),
        {"Q1": (5, {"1": 60, "2": 40, "5": 40}), "Q2": (5, {"mean": 1100})},
    ),
    # -99: seen but unanswered.
    "Qualtrics, 0 and 1 with -99": (
        as_qualtrics("""
Q1_1 | Q1_2 | Q1_3
Which? - Tea | Which? - Coffee | Which? - None of the above
QID1_1 | QID1_2 | QID1_3
1 | 0 | 0
0 | 0 | 1
-99 | -99 | -99
1 | 1 | 0
"""),
        {"Q1": (3, {"Tea": 66.7, "Coffee": 33.3, "None of the above": 33.3, "any of these": 66.7})},
    ),
    "Qualtrics, loop and merge": (
        as_qualtrics("""
1_Q6_1 | 1_Q6_2 | 2_Q6_1 | 2_Q6_2
Lounge - What? - Wifi | Lounge - What? - Food | Bar - What? - Wifi | Bar - What? - Food
1_QID6_1 | 1_QID6_2 | 2_QID6_1 | 2_QID6_2
Wifi | | Wifi | Food
Wifi | Food | |
 | Food | Wifi |
 | | | Food
"""),
        {"1_Q6": (3, {"Wifi": 66.7, "Food": 66.7}), "2_Q6": (3, {"Wifi": 66.7, "Food": 66.7})},
    ),
    # 3 promoters and 2 detractors of 6: 50 - 33.3.
    "Qualtrics, recommendation": (
        as_qualtrics("""
Q9_NPS_GROUP | Q9
How likely? - Group | How likely are you to recommend us?
QID9_NPS_GROUP | QID9
3 | 10 - Extremely likely
3 | 9
2 | 8
1 | 3
1 | 0 - Not at all likely
3 | 10 - Extremely likely
"""),
        {"Q9": (6, {"promoters (9 and 10)": 50, "NPS": 16.667})},
    ),
    # Codes of a question with "other" are no scale.
    "Qualtrics, other": (
        as_qualtrics("""
Q5 | Q5_3_TEXT
How did you come? - Selected Choice | How did you come? - Other - Text
QID5 | QID5_3_TEXT
1 |
3 | by boat
2 |
1 |
-99 |
"""),
        {"Q5": (4, {"1": 50, "2": 25, "3": 25})},
    ),
    "SurveyMonkey, expanded": (
        as_csv(rows_of("""
Respondent ID | Collector ID | Which drinks? | | | How satisfied are you?
 | | Tea | None of the above | Other (please specify) | Response
1 | 7 | Tea | | | Very satisfied
2 | 7 | Tea | | Cola | Satisfied
3 | 7 | | None of the above | | Dissatisfied
4 | 7 | | | Mate | Very dissatisfied
""")),
        {
            "Which drinks?": (4, {"Tea": 50, "None of the above": 25, "Other (please specify)": 50}),
            "How satisfied are you?": (4, {"mean": 2.5}),  # 4, 3, 2 and 1
        },
    ),
    # Without the tool's own columns, and with 1 and 0.
    "SurveyMonkey, without IDs": (
        as_csv(rows_of("""
Which drinks? | | Why?
Tea | Coffee | Open-Ended Response
1 | 0 | so
1 | 1 | it is good
0 | 1 | no
0 | 0 | because
""")),
        {"Which drinks?": (4, {"Tea": 50, "Coffee": 50})},
    ),
    "SurveyMonkey, condensed": (
        as_csv(rows_of("""
Respondent ID | Collector ID | Which drinks?
 | | Response
1 | 7 | Tea, Coffee
2 | 7 | Tea
3 | 7 | Coffee, Juice
4 | 7 | Juice
""")),
        {"Which drinks?": (4, {"Tea": 50, "Coffee": 50, "Juice": 50})},
    ),
    # N/A was not shown the question; "other" is a text.
    "LimeSurvey, full answers": (
        as_limesurvey("""
Q1[SQ001]. W? [Tea [green]] | Q1[SQ002]. W? [Coffee] | Q1[other]. W? [Other] | Q1[SQ001comment]. W? [Comment]
Yes | No | | hot
No | No | Juice |
No | Yes | |
N/A | N/A | |
No | No | |
"""),
        {"Q1": (4, {"Tea [green]": 25, "Coffee": 25, "Other": 25}), "Q1[*": (4, {"Coffee": 25, "Other": 25})},
    ),
    "LimeSurvey, in German, texts only": (
        as_csv(rows_of("""
Antwort ID | Datum Abgeschickt | Letzte Seite | Start-Sprache | W? [Tee] | W? [Kaffee] | W? [Sonstiges]
1 | 2025-01-01 | 3 | de | Ja | Nein |
2 | 2025-01-01 | 3 | de | Nein | Nein | Saft
3 | 2025-01-01 | 3 | de | k. A. | k. A. |
4 | 2025-01-01 | 3 | de | Ja | Ja |
""")),
        {"W?": (3, {"Tee": 66.7, "Kaffee": 33.3, "Sonstiges": 33.3})},
    ),
    # "Uncertain" is a third answer, so that "Yes" is no mark.
    "LimeSurvey, array with uncertain": (
        as_limesurvey("""
Q4[SQ001]. True? [A] | Q4[SQ002]. True? [B]
Yes | No
Uncertain | Yes
No | Uncertain
No answer | Yes
""", ";"),
        {"Q4[SQ001]": (3, {"Yes": 33.3, "Uncertain": 33.3, "No": 33.3})},
    ),
    "LimeSurvey, dual array": (
        as_limesurvey("""
Q7[SQ001][1]. Rate [Price][Importance] | Q7[SQ001][2]. Rate [Price][Satisfaction]
Very important | Satisfied
Important | Dissatisfied
Unimportant | Satisfied
Important | Satisfied
"""),
        {"Q7[SQ001][1]": (4, {"Important": 50}), "Q7[SQ001][2]": (4, {"Satisfied": 75})},
    ),
    # 1 is not checked, 2 checked; -9 not answered.
    "SoSci Survey, tab and UTF-16": (
        as_csv(
            rows_of("""
CASE | QUESTNNR | MODE | STARTED | A101 | A101_01 | A101_02 | C001
1 | base | interview | 2025-01-01 10:00:00 | 1 | 2 | 1 | 1
2 | base | interview | 2025-01-01 10:00:00 | 1 | 1 | 2 | 2
3 | base | interview | 2025-01-01 10:00:00 | 0 | 1 | 1 | -9
4 | base | interview | 2025-01-01 10:00:00 | 0 | 1 | 1 | 2
"""),
            "\t",
        ).encode("utf-16"),
        {"A101": (4, {"01": 25, "02": 25}), "C001": (3, {"1": 33.3, "2": 66.7})},
    ),
    "Google Forms, options with commas": (
        as_google(
            "Which?",
            ["Bus (city, night), Car", "Apples, pears, or plums, Car", "Bus (city, night)", "Car", "Car"],
        ),
        {"Which?": (5, {"Car": 80, "Bus (city, night)": 40, "Apples, pears, or plums": 20})},
    ),
    "Google Forms, in Chinese": (
        as_google("Which?", ["Tea, Coffee", "Tea", "Coffee, Juice"], "時間戳記", "2025/3/1 上午 9:41:31"),
        {"Which?": (3, {"Tea": 66.7, "Coffee": 66.7, "Juice": 33.3})},
    ),
    "Microsoft Forms": (
        as_microsoft("Which?", ["Tea;Coffee;", "Milk, fresh;Tea;", "Tea;", "Juice;"]),
        {"Which?": (4, {"Tea": 75, "Coffee": 25, "Milk, fresh": 25, "Juice": 25})},
    ),
    "Microsoft Forms, in Polish": (
        as_microsoft(
            "Które?",
            ["Herbata;Kawa;", "Herbata;", "Kawa;Sok;"],
            ("Identyfikator", "Godzina rozpoczęcia", "Godzina ukończenia", "Adres e-mail", "Nazwa"),
        ),
        {"Które?": (3, {"Herbata": 66.7, "Kawa": 66.7, "Sok": 33.3})},
    ),
    # Two questions, each ending in "Other", and an option that both have.
    "Typeform": (
        as_csv(rows_of("""
# | Tea | Coffee | Other | Red | Tea | Other | Would you recommend us? | Submit Date (UTC) | Network ID
a | Tea | | | Red | | | 10 | 2025-03-01 9:41 | n1
b | Tea | Coffee | | | Tea | | 9 | 2025-03-01 9:41 | n2
c | | | Cola | Red | Tea | | 3 | 2025-03-01 9:41 | n3
d | | Coffee | | | | blue | 8 | 2025-03-01 9:41 | n4
""")),
        {
            "Tea, Coffee and 1 more": (4, {"Tea": 50, "Coffee": 50, "Other": 25}),
            "Red, Tea (2) and 1 more": (4, {"Red": 50, "Tea": 50, "Other": 25}),
            "Would you recommend us?": (4, {"NPS": 25}),
        },
    ),
    "KoboToolbox": (
        as_kobo("""
hh/drinks | hh/drinks/tea | hh/drinks/coffee | visit | why | _loc_latitude
tea coffee | TRUE | TRUE | bar lounge | very good | 1.5
tea | TRUE | FALSE | bar | good | 1.6
 | | | lounge | not so good | 1.7
coffee | FALSE | TRUE | bar pool | bad | 1.8
"""),
        {
            "hh/drinks": (3, {"tea": 66.7, "coffee": 66.7}),
            "visit": (4, {"bar": 75, "lounge": 50, "pool": 25}),
        },
    ),
    "SurveyCTO": (
        as_csv(rows_of("""
SubmissionDate | drinks | drinks_1 | drinks_2 | formdef_version | KEY
Mar 1, 2025 9:41:31 AM | 1 2 | 1 | 1 | 7 | u1
Mar 1, 2025 9:41:31 AM | 1 | 1 | 0 | 7 | u2
Mar 1, 2025 9:41:31 AM | 2 | 0 | 1 | 7 | u3
""")),
        {"drinks": (3, {"1": 66.7, "2": 66.7})},
    ),
    "REDCap, raw": (
        as_csv(rows_of("""
record_id | redcap_event_name | drinks___1 | drinks___2 | drinks____99 | smoke
1 | baseline_arm_1 | 1 | 0 | 0 | 1
2 | baseline_arm_1 | 1 | 1 | 0 | 0
3 | baseline_arm_1 | 0 | 0 | 1 |
4 | baseline_arm_1 | 0 | 0 | 0 | 0
""")),
        {"drinks": (4, {"1": 50, "2": 25, "-99": 25}), "smoke": (3, {"1": 33.3})},
    ),
    "REDCap, labels": (
        as_csv(rows_of("""
Record ID | Event Name | Drinks (choice=Tea (green, hot)) | Drinks (choice=Coffee) | Complete?
1 | Baseline | Checked | Unchecked | Complete
2 | Baseline | Checked | Checked | Complete
3 | Baseline | Unchecked | Unchecked | Incomplete
""")),
        {"Drinks": (3, {"Tea (green, hot)": 66.7, "Coffee": 33.3})},
    ),
    # A plain file with a title, decimal commas and a header in two rows.
    "spreadsheet with a header in two rows": (
        "Drinks survey;;;;\n\nid;Drinks;;;Hours\n;Tea;Coffee;Juice;\n"
        "1;1;0;0;1,5\n2;0;1;0;2,5\n3;1;1;0;2,5\n4;0;0;1;3,5\n",
        {"Drinks": (4, {"Tea": 50, "Coffee": 50, "Juice": 25}), "Hours": (4, {"mean": 2.5})},
    ),
}  # fmt: skip


def figures(result):
    """Return the base and the lines of the first table: shares in percent, means and NPS as they are."""
    table = result.record()["tables"][0]
    lines = {}
    for line in table["lines"]:
        value = line["cells"][0]["value"]
        lines[line["name"]] = round(100 * value, 1) if line["statistic"] == "share" else round(value, 3)
    return table["columns"][0]["n"], lines


def check_tables(path, expected, *, with_description_only=()):
    table = open_table(path)
    survey = describe_survey(table)
    for question, (base, lines) in expected.items():
        for description in (survey, None):
            if description is None and question in with_description_only:
                continue
            settings = CrosstabSettings(questions=[question], survey=description)
            n, shares = figures(build_crosstabs(table, settings))
            assert (n, {name: shares.get(name) for name in lines}) == (base, lines), question


@pytest.mark.parametrize("name", EXPORTS)
def test_the_table_of_an_export(tmp_path, name):
    content, expected = EXPORTS[name]
    path = tmp_path / "export.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    named_by_inference = [question for question in expected if " more" in question or question == "Drinks"]
    check_tables(path, expected, with_description_only=named_by_inference if name == "Typeform" else ())


def test_there_are_twenty_exports_of_different_form():
    assert len(EXPORTS) >= 20


def test_a_workbook_with_a_merged_header_below_a_title(tmp_path):
    path = tmp_path / "export.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write(2, 0, "Drinks survey 2025")
        sheet.write(4, 0, "id")
        sheet.merge_range(4, 1, 4, 3, "Which drinks?")
        sheet.write(4, 4, "Satisfied?")
        sheet.write_row(5, 1, ["Tea", "Coffee", "Juice"])
        answers = [
            ("x", "", "", "5 - very"),
            ("", "x", "", 4),
            ("x", "x", "", 3),
            ("", "", "x", "1 - not at all"),
        ]
        for number, row in enumerate(answers, 1):
            sheet.write_row(5 + number, 0, [number, *row])
    # 2 of 4 tea, 2 coffee, 1 juice; the mean of 5, 4, 3 and 1 is 3.25.
    check_tables(
        path,
        {
            "Which drinks?": (4, {"Tea": 50, "Coffee": 50, "Juice": 25}),
            "Satisfied?": (4, {"mean": 3.25}),
        },
    )


@pytest.mark.needs("spss")
@pytest.mark.parametrize(
    "labels",
    [
        {1.0: "Quoted", 0.0: "Not quoted"},
        {1.0: "Selected", 0.0: "Not selected"},
        {1.0: "Checked", 0.0: "Unchecked"},
        {1.0: "Used", 2.0: "Not used"},
        {2.0: "Ja", 1.0: "Nein"},
        {1.0: "Applies", 2.0: "Does not apply"},
        {1.0: "trifft zu", 2.0: "trifft nicht zu"},
        {1.0: "Owns it", 2.0: "Does not own it"},
    ],
)
def test_options_of_spss_by_the_labels_of_their_values(tmp_path, labels):
    import polars as pl
    from pyreadstat import write_sav

    yes, no = labels
    path = tmp_path / "export.sav"
    frame = pl.DataFrame({"b_1": [yes, no, no, no, 9.0], "b_2": [no, no, yes, no, 9.0]})
    write_sav(
        frame,
        path,
        column_labels={"b_1": "Tea", "b_2": "Coffee"},
        variable_value_labels=dict.fromkeys(frame.columns, {**labels, 9.0: "Don't know"}),
    )
    # 1 of the 4 who know chose each.
    check_tables(path, {"b_*": (4, {"Tea": 25, "Coffee": 25})})


@pytest.mark.needs("spss")
@pytest.mark.parametrize("counted", [1, 2])
def test_a_set_of_multiple_responses_in_a_file_of_spss(tmp_path, counted):
    import polars as pl
    from pyreadstat import write_sav

    path = tmp_path / "export.sav"
    other = 3 - counted
    frame = pl.DataFrame({
        "ad_a": [counted, other, 9, other, other], "ad_b": [other, counted, 9, counted, other],
        "m1": [1, 2, 1, 3, None], "m2": [2, None, 3, None, None],
    }).cast(pl.Float64)  # fmt: skip
    write_sav(
        frame,
        path,
        column_labels={"ad_a": "Seen on: TV", "ad_b": "Seen on: Radio", "m1": "First", "m2": "Second"},
        variable_value_labels={
            **dict.fromkeys(["ad_a", "ad_b"], {9.0: "Don't know"}),
            **dict.fromkeys(["m1", "m2"], {1.0: "Coke", 2.0: "Pepsi", 3.0: "Fanta"}),
        },
    )
    add_response_sets(path, [f"$ads=D1 {counted} 8 Seen ads ad_a ad_b", "$top=C 6 Brands m1 m2"])
    check_tables(
        path,
        {
            "Seen ads": (4, {"TV": 25, "Radio": 50}),  # one of five does not know
            "Brands": (4, {"Coke": 50, "Pepsi": 50, "Fanta": 50}),  # the fifth names none
        },
    )


@pytest.mark.needs("spss")
def test_labelled_points_and_missing_values_of_stata(tmp_path):
    import polars as pl
    from pyreadstat import write_dta

    path = tmp_path / "export.dta"
    frame = pl.DataFrame([
        pl.Series("trust", [1, 2, 3, "a", "b", None, 2], dtype=pl.Object),
        pl.Series("b_1", [1, 0, 0, 0, "a", "a", 0], dtype=pl.Object),
        pl.Series("b_2", [0, 1, 0, 0, "a", "a", 0], dtype=pl.Object),
    ])  # fmt: skip
    marks = {1: "yes", 0: "no", "a": "not asked"}
    write_dta(
        frame,
        path,
        column_labels={"trust": "Trust", "b_1": "Tea", "b_2": "Coffee"},
        variable_value_labels={
            "trust": {1: "not at all", 2: "somewhat", 3: "very much", "a": "refused", "b": "don't know"},
            "b_1": marks,
            "b_2": marks,
        },
        missing_user_values={"trust": ["a", "b"], "b_1": ["a"], "b_2": ["a"]},
    )
    # The mean of 1, 2, 3 and 2; one of five chose each drink.
    check_tables(path, {"trust": (4, {"mean": 2}), "b_*": (5, {"Tea": 20, "Coffee": 20})})
