"""Exports with what tools write less often, and files with what people do to them: tables counted by hand."""

import pytest
import xlsxwriter
from tests.survey.test_export_tables import (
    as_csv,
    as_google,
    as_kobo,
    as_limesurvey,
    as_qualtrics,
    check_tables,
    rows_of,
)

VARIANTS = {
    # A comma without a blank divides options; -99 was seen but not answered.
    "Qualtrics, texts in one column": (
        as_qualtrics("""
Q1 | Q1_4_TEXT
Which? - Selected Choice | Which? - Other - Text
QID1 | QID1_4_TEXT
Tea,Milk, fresh |
Tea,Other | mate, and more
-99 |
Milk, fresh |
Coffee,Tea |
Coffee |
"""),
        {"Q1": (5, {"Tea": 60, "Milk, fresh": 40, "Coffee": 40, "Other": 20})},
    ),
    # 99 is an option, as it stands alone where others are listed.
    "Qualtrics, numbers in one column with semicolons": (
        as_qualtrics("""
Q1 | Q2
Which? | Age
QID1 | QID2_TEXT
1,2,3 | 20
99 | 30
1 | 40
99 | 50
2,3 | 60
""").replace('","', '";"'),
        {"Q1": (5, {"1": 40, "2": 40, "3": 40, "99": 40}), "Q2": (5, {"mean": 40})},
    ),
    "Qualtrics, an option without a text": (
        as_qualtrics("""
Q1_1 | Q1_2 | Q1_3
Which? - Tea | Which? - | Which? - Juice
QID1_1 | QID1_2 | QID1_3
Tea | | Juice
 | x |
Tea | |
 | |
"""),
        {"Q1": (3, {"Tea": 66.7, "2": 33.3, "Juice": 33.3})},
    ),
    # "Important" is a point of a scale, and not what "Unimportant" denies.
    "Qualtrics, side by side": (
        as_qualtrics("""
Q8#1_1 | Q8#1_2 | Q8#2_1 | Q8#2_2
Rate - Importance - Wifi | Rate - Importance - Food | Rate - Satisfaction - Wifi | Rate - Satisfaction - Food
QID8#1_1 | QID8#1_2 | QID8#2_1 | QID8#2_2
Very important | Important | Satisfied | Dissatisfied
Important | Unimportant | Satisfied | Satisfied
Important | Important | Dissatisfied | Satisfied
"""),
        {
            "Q8#1_1": (3, {"Important": 66.7, "Very important": 33.3}),
            "Q8#2_1": (3, {"Satisfied": 66.7, "Dissatisfied": 33.3}),
        },
    ),
    # "Other" is an item like the one above it; its text has a column of its own.
    "Qualtrics, a matrix with other": (
        as_qualtrics("""
Q6_1 | Q6_2 | Q6_2_TEXT
Rate - Wifi | Rate - Other | Rate - Other - Text
QID6_1 | QID6_2 | QID6_2_TEXT
Good | Bad | toilets
Bad | |
Good | Good | bar
Bad | Good | bar
"""),
        {"Q6_1": (4, {"Good": 50, "Bad": 50}), "Q6_2": (3, {"Good": 66.7})},
    ),
    "Qualtrics, a matrix of checkboxes": (
        as_qualtrics("""
Q4_1_1 | Q4_1_2 | Q4_2_1 | Q4_2_2
Where? - Wifi - Home | Where? - Wifi - Work | Where? - TV - Home | Where? - TV - Work
QID4_1_1 | QID4_1_2 | QID4_2_1 | QID4_2_2
Home | | Home | Work
 | Work | | Work
Home | Work | Home |
Home | | |
"""),
        {"Q4_1": (4, {"Home": 75, "Work": 50}), "Q4_2": (3, {"Home": 66.7, "Work": 66.7})},
    ),
    "SurveyMonkey, a matrix of checkboxes": (
        as_csv(rows_of("""
Respondent ID | Collector ID | Where? | | |
 | | Wifi - Home | Wifi - Work | TV - Home | TV - Work
1 | 7 | Home | | Home | Work
2 | 7 | Home | Work | |
3 | 7 | | Work | | Work
4 | 7 | | | Home |
""")),
        {"Where?": (4, {"Wifi - Home": 50, "Wifi - Work": 50, "TV - Home": 50, "TV - Work": 50})},
    ),
    "SurveyMonkey, the number of each option": (
        as_csv(rows_of("""
Respondent ID | Collector ID | Which? | | |
 | | Tea | Coffee | Juice | Other (please specify)
1 | 7 | 1 | | 3 |
2 | 7 | | 2 | |
3 | 7 | 1 | 2 | | Cola
4 | 7 | | | | Mate
""")),
        {"Which?": (4, {"Tea": 50, "Coffee": 50, "Juice": 25, "Other (please specify)": 50})},
    ),
    "LimeSurvey, nobody chose anything": (
        as_limesurvey("""
Q1[SQ001]. W? [Tea] | Q1[SQ002]. W? [Coffee]
No | No
No | No
N/A | N/A
"""),
        {"Q1": (2, {"Tea": 0, "Coffee": 0})},
    ),
    "LimeSurvey, one person was asked": (
        as_limesurvey("""
Q1[SQ001]. W? [Tea] | Q1[SQ002]. W? [Coffee] | Q1[other]. W? [Other]
Yes | No |
N/A | N/A | N/A
N/A | N/A | N/A
"""),
        {"Q1": (1, {"Tea": 100, "Coffee": 0, "Other": 0})},
    ),
    # Its setting "Convert N to 2" also converts the empty cells of "other".
    "LimeSurvey, converted": (
        as_limesurvey("""
Q1[SQ001]. W? [Tea] | Q1[other]. W? [Other]
Yes | 2
No | Mate
No | 2
Yes | 2
N/A |
"""),
        {"Q1": (4, {"Tea": 50, "Other": 25})},
    ),
    # An empty cell of "other" is not chosen where the other options say No.
    "LimeSurvey, in Dutch": (
        as_csv(rows_of("""
Antwoord ID | Datum ingestuurd | Laatste pagina | Starttaal | Wat? [Thee] | Wat? [Koffie] | Wat? [Anders]
1 | 2025-01-01 | 3 | nl | Ja | Nee |
2 | 2025-01-01 | 3 | nl | Nee | Nee | Sap
3 | 2025-01-01 | 3 | nl | n.v.t. | n.v.t. |
4 | 2025-01-01 | 3 | nl | Nee | Ja |
""")),
        {"Wat?": (3, {"Thee": 33.3, "Koffie": 33.3, "Anders": 33.3})},
    ),
    "LimeSurvey, underlines and codes": (
        as_csv(rows_of("""
id | submitdate | lastpage | startlanguage | Q1_SQ001 | Q1_SQ002 | Q1_other
1 | 2025-01-01 | 3 | en | Y | |
2 | 2025-01-01 | 3 | en | | Y | Cola
3 | 2025-01-01 | 3 | en | Y | Y |
4 | 2025-01-01 | 3 | en | | |
""")),
        {"Q1": (3, {"SQ001": 66.7, "SQ002": 66.7, "other": 33.3})},
    ),
    "LimeSurvey, not asked in questions of all kinds": (
        as_limesurvey("""
Q2. How satisfied? | Q3. Which one? | Q3[other]. Which one? [Other] | Q4. Age
5 | Tea | | 33
N/A | Coffee | | N/A
3 | Other | Cola | 44
4 | N/A | N/A | 20
"""),
        {
            "Q2": (3, {"mean": 4}),
            "Q3": (3, {"Tea": 33.3, "Coffee": 33.3, "Other": 33.3}),
            "Q4": (3, {"mean": 32.333}),
        },
    ),
    "SoSci Survey, texts": (
        as_csv(
            rows_of("""
CASE | QUESTNNR | MODE | STARTED | A101_01 | A101_02
1 | base | interview | 2025-01-01 10:00:00 | ausgewählt | nicht gewählt
2 | base | interview | 2025-01-01 10:00:00 | nicht gewählt | ausgewählt
3 | base | interview | 2025-01-01 10:00:00 | nicht beantwortet | nicht beantwortet
4 | base | interview | 2025-01-01 10:00:00 | ausgewählt | ausgewählt
"""),
            "\t",
        ),
        {"A101": (3, {"01": 66.7, "02": 66.7})},
    ),
    "Google Forms, semicolons of the download": (
        as_google("Which?", ["Tea;Coffee", "Tea", "Coffee;Juice, fresh", "Juice, fresh"]),
        {"Which?": (4, {"Tea": 50, "Coffee": 50, "Juice, fresh": 50})},
    ),
    "Google Forms, a grid of checkboxes": (
        as_csv(rows_of("""
Timestamp | When? [Mon] | When? [Tue]
2025/03/01 9:41:31 AM GMT+1 | Morning, Noon | Noon
2025/03/01 9:41:31 AM GMT+1 | Noon |
2025/03/01 9:41:31 AM GMT+1 | Morning | Noon, Evening
2025/03/01 9:41:31 AM GMT+1 | | Morning, Noon, Evening
""")),
        {
            "When? [Mon]": (3, {"Morning": 66.7, "Noon": 66.7}),
            "When? [Tue]": (3, {"Noon": 100, "Evening": 66.7, "Morning": 33.3}),
        },
    ),
    "Google Forms, a comma in an option that is never alone": (
        as_google("Which?", ["Tea, Milk, fresh", "Milk, fresh, Juice", "Tea", "Juice", "Tea, Juice"]),
        {"Which?": (5, {"Tea": 60, "Juice": 60, "Milk, fresh": 40})},
    ),
    # What stands before the second list separator is one name: "Green tea".
    "KoboToolbox, labels": (
        as_kobo("""
Drinks? | Drinks?/Green tea | Drinks?/Coffee
Green tea Coffee | 1 | 1
Green tea | 1 | 0
 | |
Coffee | 0 | 1
"""),
        {"Drinks?": (3, {"Green tea": 66.7, "Coffee": 66.7})},
    ),
    # The option -88 has the column drinks__88.
    "SurveyCTO, a negative option": (
        as_csv(rows_of("""
SubmissionDate | drinks | drinks_1 | drinks_2 | drinks__88 | age | formdef_version | KEY
Mar 1, 2025 9:41:31 AM | 1 2 | 1 | 1 | 0 | 20 | 7 | u1
Mar 1, 2025 9:41:31 AM | -88 | 0 | 0 | 1 | -99 | 7 | u2
Mar 1, 2025 9:41:31 AM | 2 | 0 | 1 | 0 | 40 | 7 | u3
Mar 1, 2025 9:41:31 AM | | | | | 30 | 7 | u4
""")),
        {"drinks": (3, {"1": 33.3, "2": 66.7, "-88": 33.3}), "age": (3, {"mean": 30})},
    ),
    "REDCap, labels with a comma": (
        as_csv(rows_of("""
Record ID | Survey Timestamp | Pain? (choice=Back, lower) | Pain? (choice=None of these) | Complete?
1 | 2025-03-01 09:41 | Checked | Unchecked | Complete
2 | 2025-03-01 09:41 | Checked | Unchecked | Complete
3 | 2025-03-01 09:41 | Unchecked | Checked | Incomplete
4 | [not completed] | Unchecked | Unchecked | Incomplete
""")),
        {"Pain?": (4, {"Back, lower": 50, "None of these": 25})},
    ),
    "marks in different case, with blanks and hard blanks": (
        "id;d_tea;d_coffee\n1;Yes ;No\n2;yes;NO\n3;\u00a0No;Yes\n4;n/a;N/A \n",
        {"d_*": (3, {"tea": 66.7, "coffee": 33.3})},
    ),
    "marks beside 9, -99 and don't know": (
        "id,d_tea,d_coffee\n1,Yes,No\n2,Don't know,Don't know\n3,No,Yes\n4,9,-99\n",
        {"d_*": (2, {"tea": 50, "coffee": 50})},
    ),
    # More codes for no answer than answers.
    "answers beside -8, -9 and -66": (
        "id,q\n1,Yes\n2,No\n3,-8\n4,-9\n5,-66\n6,Yes\n",
        {"q": (3, {"Yes": 66.7, "No": 33.3})},
    ),
    "Alchemer, several and single answers with what people wrote": (
        as_csv(rows_of("""
Response ID|Time Started|Session ID|User Agent|A:Q: a?|B: c:Q: a?|Other - Write In::Q: a?|R|Other - Write In:R
1 | 2025-03-01 09:41 | s1 | x | A | | | Hot |
2 | 2025-03-01 09:41 | s2 | x | A | B: c | Mate | Cold |
3 | 2025-03-01 09:41 | s3 | x | | B: c | Juice | Other - Write In | Warm
4 | 2025-03-01 09:41 | s4 | x | | | | Hot |
""")),
        {
            "Q: a?": (3, {"A": 66.7, "B: c": 66.7, "Other - Write In": 66.7}),
            "R": (4, {"Hot": 50, "Cold": 25, "Other - Write In": 25}),
        },
    ),
    # Four spellings of two answers; the last has a character without width.
    "labels in different case, with hard blanks": (
        "id,q\n1,Very likely\n2,very\u00a0likely\n3,Likely\n4,LIKELY \n5,Unlikely\n6,un\u200blikely\n",
        {"q": (6, {"Very likely": 33.3, "Likely": 33.3, "Unlikely": 33.3})},
    ),
    "numbers and words, 3 is don't know": (
        "id,q\n1,1 - Very bad\n2,2 - Bad\n3,3 - Don't know\n4,4 - Good\n5,5 - Very good\n6,5 - Very good\n",
        {"q": (5, {"mean": 3.4})},
    ),
    "numbers with a remark at the ends": (
        "id,q\n1,0 (not at all)\n2,10 (completely)\n3,5\n4,7\n5,8\n6,10 (completely)\n",
        {"q": (6, {"mean": 6.667})},
    ),
    "numbers with a point before words": (
        "id,q\n1,1. Never\n2,2. Sometimes\n3,3. Always\n4,3. Always\n5,1. Never\n6,3. Always\n",
        {"q": (6, {"mean": 2.167})},
    ),
    "decimal commas in Windows-1252": (
        "id;Länge;q\n1;1,5;Völlig unzufrieden\n2;2,5;Völlig zufrieden\n3;3,5;Eher zufrieden\n"
        "4;0,5;Eher unzufrieden\n".encode("cp1252"),
        {"Länge": (4, {"mean": 2}), "q": (4, {"mean": 2.5})},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_the_table_of_a_variant(tmp_path, name):
    content, expected = VARIANTS[name]
    path = tmp_path / "export.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    check_tables(path, expected)


def test_a_workbook_with_numbers_as_texts(tmp_path):
    path = tmp_path / "export.xlsx"
    rows = [("1", "1,5", "4"), ("2", "2,5", "5 "), ("3", "3,5", " 3"), ("4", "0,5", "4"), ("5", "", "n/a")]
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([("id", "hours", "sat"), *rows]):
            for column, cell in enumerate(row):
                sheet.write_string(number, column, cell)
    check_tables(path, {"hours": (4, {"mean": 2}), "sat": (4, {"mean": 4})})


@pytest.mark.needs("spss")
def test_options_of_spss_that_label_their_own_number(tmp_path):
    import polars as pl
    from pyreadstat import write_sav

    path = tmp_path / "export.sav"
    write_sav(
        pl.DataFrame({"b1": [1.0, 0, 1, 0], "b2": [0.0, 1, 1, 0]}),
        path,
        column_labels={"b1": "Which?", "b2": "Which?"},
        variable_value_labels={
            "b1": {1.0: "Tea", 0.0: "Not selected"},
            "b2": {1.0: "Coffee", 0.0: "Not selected"},
        },
    )
    # 2 of 4 chose each, and 3 of 4 any of them.
    check_tables(path, {"b*": (4, {"any of these": 75})})


@pytest.mark.needs("spss")
@pytest.mark.parametrize("measure", ["nominal", "ordinal", "scale"])
def test_a_scale_of_spss_with_labels_at_its_ends(tmp_path, measure):
    import polars as pl
    from pyreadstat import write_sav

    path = tmp_path / "export.sav"
    write_sav(
        pl.DataFrame({"q": [1.0, 2, 3, 4, 5, 6, 7, 7, 99]}),
        path,
        variable_value_labels={"q": {1.0: "not at all", 7.0: "completely", 99.0: "no answer"}},
        variable_measure={"q": measure},
    )
    check_tables(path, {"q": (8, {"mean": 4.375})})
