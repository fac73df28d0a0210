"""Exports of survey tools, from the file to the description and the table.

Each export is synthetic, in the form that the tool's documentation shows. The shares of a table are counted
by the description alone, cell by cell, and compared with counts by hand.
"""

import polars as pl
import pytest

import semscale
from semscale.store.columns import groups_in
from semscale.store.missing_codes import code_key
from semscale.store.reading import open_table
from semscale.store.statistical_files import write_spss
from semscale.store.table import ColumnLabels
from semscale.survey.inference import describe_survey
from semscale.survey.lists import OptionList


@pytest.fixture
def export(tmp_path):
    """Return a function that writes an export, and returns its table and description."""

    def write(text, name="export.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        table = open_table(path)
        return table, describe_survey(table)

    return write


def shares(table, question):
    """Count each option's share in percent among the people who were asked, by the description alone."""
    frame = pl.concat(table.batches(100))
    columns = {name: groups_in(frame[name]).to_list() for name in question.all_columns}
    missing = set(question.missing_reasons)

    def key(cell):
        return None if cell is None or code_key(cell) in missing else code_key(cell)

    if question.separator:
        (cells,) = columns.values()
        options = OptionList(question.separator, tuple(option.code for option in question.options))
        answered = [options.split(cell) for cell in cells if key(cell) is not None]
        return {
            option.label: round(100 * sum(option.code in answer for answer in answered) / len(answered))
            for option in question.options
        }
    rows = [dict(zip(columns, map(key, cells), strict=True)) for cells in zip(*columns.values(), strict=True)]
    asked = [row for row in rows if any(row.values())]
    counted = {}
    for option in question.options:
        chosen = {code_key(mark) for mark in (*question.chosen, *option.chosen)}
        not_chosen = {code_key(mark) for mark in question.not_chosen}
        cells = [row[option.column] for row in asked]
        is_chosen = [cell is not None if option.is_text else cell in chosen for cell in cells]
        base = [cell for cell in cells if option.is_text or cell in chosen or (cell or "") in not_chosen]
        counted[option.label] = round(100 * sum(is_chosen) / len(base))
    return counted


def kinds(survey):
    return {question.name: question.kind for question in survey.questions}


QUALTRICS = """\
StartDate,Status,Finished,ResponseId,UserLanguage,Q1_1,Q1_2,Q1_5,Q1_5_TEXT,Q2_NPS_GROUP,Q2,Q3_1,Q3_2,1_Q4,2_Q4,Q5,Q5_4_TEXT,region,Q1_DO_1
Start Date,Response Type,Finished,Response ID,User Language,Which drinks? - Selected Choice - Tea - green,Which drinks? - Selected Choice - Tea - black,Which drinks? - Selected Choice - Other:,Which drinks? - Other: - Text,How likely are you to recommend us? - Group,How likely are you to recommend us?,How good is it? - Price,How good is it? - Taste,Lounge - How was it?,Bar - How was it?,How did you come? - Selected Choice,How did you come? - Other - Text,region,Which drinks? - Display Order - Tea - green
"{""ImportId"":""startDate""}","{""ImportId"":""status""}","{""ImportId"":""finished""}","{""ImportId"":""_recordId""}","{""ImportId"":""userLanguage""}","{""ImportId"":""QID1_1""}","{""ImportId"":""QID1_2""}","{""ImportId"":""QID1_5""}","{""ImportId"":""QID1_5_TEXT""}","{""ImportId"":""QID2_NPS_GROUP""}","{""ImportId"":""QID2""}","{""ImportId"":""QID3_1""}","{""ImportId"":""QID3_2""}","{""ImportId"":""1_QID4""}","{""ImportId"":""2_QID4""}","{""ImportId"":""QID5""}","{""ImportId"":""QID5_4_TEXT""}","{""ImportId"":""region""}","{""ImportId"":""QID1_DO_1""}"
2025-01-01 10:00:00,IP Address,True,R_1,EN,Tea - green,,,,Promoter,10,Good,Bad,Good,Bad,Other,by boat,north,1
2025-01-01 10:01:00,IP Address,True,R_2,EN,Tea - green,Tea - black,,,Passive,8,Fair,Good,Good,Good,By car,,south,2
2025-01-01 10:02:00,IP Address,True,R_3,EN,,,Other:,Cola,Detractor,3,Bad,Fair,Bad,Good,By car,,north,1
2025-01-01 10:03:00,IP Address,True,R_4,EN,-99,-99,-99,,Detractor,0,Good,Good,Good,-99,-99,,south,2
2025-01-01 10:04:00,IP Address,True,R_5,EN,Tea - green,,,,Promoter,9,Good,Fair,Bad,Good,By car,,north,1
"""  # noqa: E501


def test_qualtrics_with_three_rows_and_choice_texts(export):
    table, survey = export(QUALTRICS)
    assert survey.export == "Qualtrics"
    assert kinds(survey) == {
        "StartDate": "date", "Status": "ignore", "Finished": "ignore", "ResponseId": "identifier",
        "UserLanguage": "ignore", "Q1": "multiple", "Q1_5_TEXT": "open", "Q2_NPS_GROUP": "single",
        "Q2": "nps", "Q3": "grid", "1_Q4": "single", "2_Q4": "single", "Q5": "single", "Q5_4_TEXT": "open",
        "region": "single", "Q1_DO_1": "ignore",
    }  # fmt: skip
    q1 = survey.question("Q1")
    assert (q1.text, [option.label for option in q1.options]) == (
        "Which drinks?", ["Tea - green", "Tea - black", "Other:"],
    )  # fmt: skip
    assert q1.missing == {"-99": "no answer"}
    # 4 people answered: 3 green, 1 black, 1 other; R_4 has -99, seen but unanswered.
    assert shares(table, q1) == {"Tea - green": 75, "Tea - black": 25, "Other:": 25}
    assert survey.question("2_Q4").text == "Bar - How was it?"
    assert [value.value for value in survey.question("Q2_NPS_GROUP").values] == [
        "Detractor", "Passive", "Promoter",
    ]  # fmt: skip
    assert [option.label for option in survey.question("Q3").options] == ["Price", "Taste"]


def test_qualtrics_with_several_answers_in_one_column(export):
    ids = "".join(f',"{{""ImportId"":""{name}""}}"' for name in ("QID1", "QID2"))
    text = (
        "ResponseId,Q1,Q2\nResponse ID,Which?,Which text?\n"
        f'"{{""ImportId"":""_recordId""}}"{ids}\n'
        'R_1,"1,2","Tea,Coffee"\nR_2,1,Tea\nR_3,3,"Milk, fresh"\nR_4,"2,3","Coffee,Milk, fresh"\n'
    )
    table, survey = export(text)
    assert shares(table, survey.question("Q1")) == {"1": 50, "2": 50, "3": 50}
    assert shares(table, survey.question("Q2")) == {"Tea": 50, "Coffee": 50, "Milk, fresh": 50}


def test_html_in_questions_and_options_is_shown_and_compared_as_its_text(export):
    ids = ",".join(f'"{{""ImportId"":""{name}""}}"' for name in ("_recordId", "QID1_1", "QID1_2", "QID2"))
    text = (
        "ResponseId,Q1_1,Q1_2,Q2\nResponse ID,"
        "<p>Which&nbsp;<b>drinks</b>?</p> - Selected Choice - <b>Tea</b> &amp; milk,"
        "<p>Which&nbsp;<b>drinks</b>?</p> - Selected Choice - Coffee<br>black,How&nbsp;old<br>are you?\n"
        f"{ids}\n"
        "R_1,<b>Tea</b> &amp; milk,,30\nR_2,Tea & milk,Coffee black,40\nR_3,,Coffee<br>black,50\n"
    )
    table, survey = export(text)
    drinks = survey.question("Q1")
    assert (drinks.text, survey.question("Q2").text) == ("Which drinks?", "How old are you?")
    # Each option was chosen by two of three respondents.
    assert shares(table, drinks) == {"Tea & milk": 67, "Coffee black": 67}


@pytest.mark.needs("spss")
def test_html_in_labels_of_spss_is_shown_as_its_text(tmp_path):
    frame = pl.DataFrame({"q": [1.0, 2.0, 3.0] * 4})
    values = {"1": "Very <b>bad</b>", "2": "Bad&nbsp;or not", "3": "Good"}
    labels = {"q": ColumnLabels(label="<p>How <i>good</i>?</p>", values=values)}
    write_spss(frame, tmp_path / "a.sav", labels)
    question = describe_survey(open_table(tmp_path / "a.sav")).question("q")
    assert question.text == "How good?"
    assert [value.label for value in question.values] == ["Very bad", "Bad or not", "Good"]


def test_qualtrics_for_excel_has_no_import_ids(export):
    text = (
        "ResponseId,Q1_1,Q1_2,Q2\nResponse ID,Which? - Tea,Which? - Coffee,Why?\nR_1,1,,good\nR_2,1,1,fine\n"
        "R_3,,1,bad\n"
    )
    table, survey = export(text)
    assert survey.question("Q1").text == "Which?"
    assert shares(table, survey.question("Q1")) == {"Tea": 67, "Coffee": 67}


def test_qualtrics_matrix_with_several_answers_has_a_question_for_each_row(export):
    names = ["Q1_1_1", "Q1_1_2", "Q1_2_1", "Q1_2_2"]
    texts = ["Fit? - A - Fresh", "Fit? - A - Old", "Fit? - B - Fresh", "Fit? - B - Old"]
    ids = ",".join(f'"{{""ImportId"":""QID1{name[2:]}""}}"' for name in names)
    _, survey = export(f"{','.join(names)}\n{','.join(texts)}\n{ids}\n1,,,1\n1,1,1,\n,1,1,\n")
    assert kinds(survey) == {"Q1_1": "multiple", "Q1_2": "multiple"}
    assert survey.question("Q1_2").text == "Fit? - B"


def test_qualtrics_names_a_question_by_its_id_if_its_columns_share_no_name(export):
    text = (
        "tea,coffee\nWhich? - Tea,Which? - Coffee\n"
        '"{""ImportId"":""QID1_1""}","{""ImportId"":""QID1_2""}"\nTea,\nTea,Coffee\n'
    )
    assert kinds(export(text)[1]) == {"QID1": "multiple"}


SURVEYMONKEY = """\
Respondent ID,Collector ID,Start Date,Which drinks do you buy?,,,How old are you?,,How good is it?,
,,,Tea,Coffee,Other (please specify),Response,Other (please specify),Price,Taste
1,7,03/01/2025 09:41:31 AM,Tea,,,18 to 29,,Good,Bad
2,7,03/01/2025 09:41:31 AM,Tea,Coffee,,30 to 44,,Fair,Good
3,7,03/01/2025 09:41:31 AM,,,Cola,,a hundred,Bad,Fair
4,7,03/01/2025 09:41:31 AM,,Coffee,Mate,30 to 44,,Good,Good
5,7,03/01/2025 09:41:31 AM,,,,18 to 29,,Good,Bad
"""


def test_surveymonkey_has_options_in_the_second_row(export):
    table, survey = export(SURVEYMONKEY)
    assert survey.export == "SurveyMonkey"
    drinks = survey.question("Which drinks do you buy?")
    assert shares(table, drinks) == {"Tea": 50, "Coffee": 50, "Other (please specify)": 50}
    assert [option.is_text for option in drinks.options] == [False, False, True]
    assert kinds(survey) == {
        "Respondent ID": "identifier", "Collector ID": "ignore", "Start Date": "date",
        "Which drinks do you buy?": "multiple", "How old are you?": "single",
        "How old are you?: Other (please specify)": "open", "How good is it?": "grid",
    }  # fmt: skip


LIMESURVEY = """\
"id. Response ID","submitdate. Date submitted","lastpage. Last page","startlanguage. Start language",\
"Q1[SQ001]. Which drinks? [Tea]","Q1[SQ002]. Which drinks? [Coffee]","Q1[SQ002comment]. Which drinks? [Coffee][Comment]",\
"Q1[other]. Which drinks? [Other]","Q2. Where do you live?","Q2[other]. Where do you live? [Other]",\
"Q3[SQ001]. How good is it? [Price]","Q3[SQ002]. How good is it? [Taste]",\
"Q4[1]. Order them. [Rank 1]","Q4[2]. Order them. [Rank 2]"
1,2025-01-01 10:00:00,3,en,Yes,No,,,North,,Good,Bad,Tea,Coffee
2,2025-01-01 10:00:00,3,en,Yes,Yes,with milk,,South,,Fair,Good,Coffee,Tea
3,2025-01-01 10:00:00,3,en,No,No,,Juice,Other,at sea,Bad,Fair,Tea,Coffee
4,2025-01-01 10:00:00,3,en,N/A,N/A,,,North,,Good,Good,Tea,Coffee
5,2025-01-01 10:00:00,3,en,No,No,,,North,,Good,Fair,Coffee,Tea
"""  # noqa: E501


def test_limesurvey_with_full_answers(export):
    table, survey = export(LIMESURVEY)
    assert survey.export == "LimeSurvey"
    drinks = survey.question("Q1")
    # 4 people were asked: 2 chose tea, 1 coffee, 1 wrote juice.
    assert shares(table, drinks) == {"Tea": 50, "Coffee": 25, "Other": 25}
    assert drinks.missing == {"N/A": "not asked"}
    assert {name: kind for name, kind in kinds(survey).items() if name.startswith("Q")} == {
        "Q1": "multiple", "Q1[SQ002comment]": "open", "Q2": "single", "Q2[other]": "open", "Q3": "grid",
        "Q4": "ranking",
    }  # fmt: skip


@pytest.mark.parametrize("heading", ["Q1[{}]", "Q1_{}"])
def test_limesurvey_with_codes(export, heading):
    names = [heading.format(part) for part in ("SQ001", "SQ002", "other")]
    text = f"id,submitdate,lastpage,startlanguage,{','.join(names)},Q2[comment]\n"
    rows = ["Y,,,so", "Y,Y,,", ",,Juice,", ",,,no"]
    text += "".join(f"{n},2025-01-01 10:00:00,3,de,{row}\n" for n, row in enumerate(rows, 1))
    table, survey = export(text)
    # 3 people marked anything.
    assert shares(table, survey.question("Q1")) == {"SQ001": 67, "SQ002": 33, "other": 33}
    assert kinds(survey)["Q2[comment]"] == "open"


SOSCI = """\
CASE;SERIAL;REF;QUESTNNR;MODE;STARTED;A101;A101_01;A101_02;A101_03;A101_03a;A102_01;A102_02;A103;TIME001;FINISHED
{labels}1;;;base;interview;2025-01-01 10:00:00;1;2;1;1;;1;5;1;12;1
2;;;base;interview;2025-01-01 10:01:00;2;2;2;1;;-9;4;2;9;1
3;;;base;interview;2025-01-01 10:02:00;1;1;1;2;Cola;3;-1;-9;20;1
4;;;base;interview;2025-01-01 10:03:00;0;1;1;1;;2;2;1;11;1
"""
SOSCI_LABELS = {
    "none": "",
    "English": (
        "Interview number (ongoing);Serial number;Reference;Questionnaire;Mode;Time started;"
        "Drinks: Residual option (negative) or number of selected options;Drinks: Tea;Drinks: Coffee;"
        "Drinks: Other;Drinks: Other (free text);Rating: Price;Rating: Taste;Sex;Seconds;Finished\n"
    ),
    "German": (
        "Interview-Nummer (fortlaufend);Seriennummer;Referenz;Fragebogen;Modus;Zeitpunkt;"
        "Getränke: Ausweichoption (negativ) oder Anzahl ausgewählter Optionen;Getränke: Tea;Getränke: Coffee;"
        "Getränke: Other;Getränke: Other (offene Eingabe);Urteil: Price;Urteil: Taste;Geschlecht;s;Fertig\n"
    ),
}


@pytest.mark.parametrize("language", SOSCI_LABELS)
def test_sosci_survey_has_1_for_not_checked_and_2_for_checked(export, language):
    table, survey = export(SOSCI.format(labels=SOSCI_LABELS[language]))
    assert (survey.export, table.columns[6]) == ("SoSci Survey", "A101")
    drinks = survey.question("A101")
    labels = ["Tea", "Coffee", "Other"] if SOSCI_LABELS[language] else ["01", "02", "03"]
    # All 4 were asked: an option that is not checked is an answer.
    assert shares(table, drinks) == dict(zip(labels, [50, 25, 25], strict=True))
    assert kinds(survey) == {
        "CASE": "identifier", "SERIAL": "ignore", "REF": "ignore", "QUESTNNR": "ignore", "MODE": "ignore",
        "STARTED": "date", "A101 (2)": "ignore", "A101": "multiple", "A101_03a": "open", "A102": "grid",
        "A103": "single", "TIME001": "ignore", "FINISHED": "ignore",
    }  # fmt: skip
    assert survey.question("A102").missing == {"-9": "no answer", "-1": "don't know"}


@pytest.mark.parametrize(
    ("yes", "no"), [("ausgewählt", "nicht gewählt"), ("checked", "not checked"), ("gewählt", "nicht gewählt")]
)
def test_sosci_survey_with_labels_as_values(export, yes, no):
    head = "CASE,QUESTNNR,MODE,STARTED,A101_01,A101_02,A102\n"
    rows = [f"{yes},{no},Ja", f"{no},{no},nicht beantwortet", f"{yes},{yes},Nein", f"{no},{yes},Ja"]
    text = head + "".join(f"{n},base,interview,2025-01-01 10:00:00,{row}\n" for n, row in enumerate(rows, 1))
    table, survey = export(text)
    assert shares(table, survey.question("A101")) == {"01": 50, "02": 50}
    assert survey.question("A102").missing == {"nicht beantwortet": "no answer"}


GOOGLE = """\
Timestamp,Which drinks do you buy?,How good is it? [Price],How good is it? [Taste],When do you come? [Bar],When do you come? [Lounge],Why?,Why?
2025/03/01 9:41:31 AM GMT+1,"Tea, Coffee",Good,Bad,"Monday, Friday",Monday,so,x
2025/03/01 9:41:31 AM GMT+1,"Milk, fresh",Fair,Good,Friday,"Monday, Friday",no,y
2025/03/01 9:41:31 AM GMT+1,"Coffee, Milk, fresh",Bad,Fair,Monday,,well,z
2025/03/01 9:41:31 AM GMT+1,Tea,Good,Good,"Monday, Friday",Friday,ah,a
"""  # noqa: E501


@pytest.mark.parametrize("title", ["Timestamp", "Zeitstempel", "Horodateur", "タイムスタンプ"])
def test_google_forms(export, title):
    table, survey = export(GOOGLE.replace("Timestamp", title, 1))
    assert survey.export == "Google Forms"
    assert shares(table, survey.question("Which drinks do you buy?")) == {
        "Tea": 50, "Coffee": 50, "Milk, fresh": 50,
    }  # fmt: skip
    grid = survey.question("How good is it?")
    assert (grid.kind, [item.label for item in grid.options]) == ("grid", ["Price", "Taste"])
    assert shares(table, survey.question("When do you come? [Bar]")) == {"Monday": 75, "Friday": 75}
    assert shares(table, survey.question("When do you come? [Lounge]")) == {"Monday": 67, "Friday": 67}
    assert table.columns[-2:] == ("Why?", "Why? (2)")


MICROSOFT = """\
ID,Start time,Completion time,Email,Name,Which drinks do you buy?,Order them,How good is it?
1,3/1/25 9:41:31,3/1/25 9:43:31,anonymous,,Tea;Coffee;,Tea;Coffee;Milk;,Good
2,3/1/25 9:41:31,3/1/25 9:43:31,anonymous,,Tea;,Coffee;Tea;Milk;,Bad
3,3/1/25 9:41:31,3/1/25 9:43:31,anonymous,,"Milk, fresh;Tea;",Milk;Coffee;Tea;,Good
4,3/1/25 9:41:31,3/1/25 9:43:31,anonymous,,Coffee;,Tea;Coffee;Milk;,Good
"""


def test_microsoft_forms(export):
    table, survey = export(MICROSOFT)
    assert survey.export == "Microsoft Forms"
    assert shares(table, survey.question("Which drinks do you buy?")) == {
        "Tea": 75, "Coffee": 50, "Milk, fresh": 25,
    }  # fmt: skip
    assert survey.question("Order them").kind == "ranking"
    assert kinds(survey)["ID"] == "identifier"
    assert {kinds(survey)[name] for name in ("Start time", "Completion time")} == {"date"}


TYPEFORM = """\
#,How old are you?,Tea,Coffee,Milk,Other,Why?,Start Date (UTC),Submit Date (UTC),Network ID
a1,31,Tea,,,,so,2025-03-01 9:41:31,2025-03-01 9:43:31,n1
a2,42,Tea,Coffee,,,it is good,2025-03-01 9:41:31,2025-03-01 9:43:31,n2
a3,53,,,,Cola,no idea why,2025-03-01 9:41:31,2025-03-01 9:43:31,n3
a4,64,,Coffee,,,because,2025-03-01 9:41:31,2025-03-01 9:43:31,n4
"""


def test_typeform_names_columns_by_their_options(export):
    table, survey = export(TYPEFORM)
    assert survey.export == "Typeform"
    drinks = survey.question("Tea, Coffee and 2 more")
    assert shares(table, drinks) == {"Tea": 50, "Coffee": 50, "Milk": 0, "Other": 25}
    assert kinds(survey)["Why?"] == "open"


KOBO = """\
start,end,household/drinks,household/drinks/tea,household/drinks/coffee,household/drinks/milk_fresh,household/has_car,household/has_bike,visit,_id,_uuid,_submission_time,_index
2025-03-01T09:41:31,2025-03-01T09:43:31,tea coffee,{yes},{yes},{no},yes,no,bar lounge,1,u1,2025-03-01T09:44:00,1
2025-03-01T09:41:31,2025-03-01T09:43:31,tea,{yes},{no},{no},no,no,bar,2,u2,2025-03-01T09:44:00,2
2025-03-01T09:41:31,2025-03-01T09:43:31,milk_fresh,{no},{no},{yes},yes,yes,lounge,3,u3,2025-03-01T09:44:00,3
2025-03-01T09:41:31,2025-03-01T09:43:31,,,,,no,yes,bar lounge,4,u4,2025-03-01T09:44:00,4
"""  # noqa: E501


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("True", "False")])
def test_kobotoolbox_has_one_question_in_a_list_and_in_columns(export, yes, no):
    table, survey = export(KOBO.format(yes=yes, no=no))
    assert survey.export == "KoboToolbox"
    drinks = survey.question("household/drinks")
    assert shares(table, drinks) == {"tea": 67, "coffee": 33, "milk_fresh": 33}
    assert kinds(survey)["household/drinks (list)"] == "ignore"
    assert kinds(survey)["household/has_car"] == "single"
    assert shares(table, survey.question("visit")) == {"bar": 75, "lounge": 75}
    assert {kinds(survey)[name] for name in ("_id", "_uuid")} == {"identifier"}


def test_odk_with_columns_of_options_only(export):
    text = (
        "SubmissionDate,drinks/tea,drinks/coffee,meta-instanceID,KEY\n"
        "2025-03-01T09:44:00,1,0,u1,u1\n2025-03-01T09:44:00,1,1,u2,u2\n2025-03-01T09:44:00,0,1,u3,u3\n"
    )
    table, survey = export(text)
    assert shares(table, survey.question("drinks")) == {"tea": 67, "coffee": 67}


REDCAP = """\
record_id,redcap_event_name,drinks___1,drinks___2,drinks____99,age,intake_complete
1,baseline_arm_1,1,0,0,31,2
2,baseline_arm_1,1,1,0,42,2
3,month_6_arm_1,0,0,1,53,2
4,month_6_arm_1,0,1,0,64,0
"""
REDCAP_LABELS = """\
Record ID,Event Name,Which drinks? (choice=Tea),Which drinks? (choice=Coffee (black)),Which drinks? (choice=None of these),Age,Complete?,Why?,Complete?
1,Baseline,Checked,Unchecked,Unchecked,31,Complete,so,Complete
2,Baseline,Checked,Checked,Unchecked,42,Complete,no,Complete
3,Month 6,Unchecked,Unchecked,Checked,53,Complete,well,Complete
4,Month 6,Unchecked,Checked,Unchecked,64,Incomplete,ah,Complete
"""  # noqa: E501


def test_redcap_with_raw_data(export):
    table, survey = export(REDCAP)
    assert survey.export == "REDCap"
    assert shares(table, survey.question("drinks")) == {"1": 50, "2": 50, "-99": 25}
    assert kinds(survey)["redcap_event_name"] == "wave"
    assert kinds(survey)["intake_complete"] == "ignore"


def test_redcap_with_labels(export):
    table, survey = export(REDCAP_LABELS)
    drinks = survey.question("Which drinks?")
    assert shares(table, drinks) == {"Tea": 50, "Coffee (black)": 50, "None of these": 25}
    assert [option.exclusive for option in drinks.options] == [False, False, True]
    assert table.columns[-1] == "Complete? (2)"
    assert kinds(survey)["Event Name"] == "wave"


def test_an_option_that_ends_in_a_remark_is_one_of_its_question(export):
    head = '"Drinks: Tea","Drinks: Coffee","Drinks: Other (please specify)"\n'
    table, survey = export(f"{head}Yes,No,\nYes,Yes,\nNo,No,Cola\nN/A,N/A,N/A\n")
    assert shares(table, survey.question("Drinks")) == {
        "Tea": 67, "Coffee": 33, "Other (please specify)": 33,
    }  # fmt: skip


def test_9_and_minus_99_beside_1_and_2_are_no_answers(export):
    _, survey = export("h_a,h_b\n1,2\n2,2\n9,9\n-99,-99\n1,1\n")
    assert kinds(survey) == {"h": "multiple"}
    (question,) = survey.questions
    assert question.missing == {"-99": "no answer", "9": "no answer"}
    assert question.needs_decision


def test_waves_are_described_in_the_order_of_time(export):
    _, survey = export("wave,q\n" + "November 2026,1\n" * 4 + "May 2026,3\nMay 2026 ,1\n" * 2)
    assert [value.value for value in survey.question("wave").values] == ["May 2026", "November 2026"]


@pytest.mark.parametrize("status", ["Survey Preview", "1"])
def test_previews_of_qualtrics_are_no_respondents(export, status):
    real = "0" if status == "1" else "IP Address"
    text = f"ResponseId,Status,Q1\nResponse ID,Response Type,How?\nR_1,{real},good\nR_2,{status},test\n"
    assert export(text)[1].leave_out == {"Status": (status,)}


def test_numbers_of_a_choice_with_other_are_codes_and_no_scale(export):
    ids = ",".join(f'"{{""ImportId"":""{name}""}}"' for name in ("QID5", "QID5_4_TEXT", "QID6"))
    head = "Q5,Q5_4_TEXT,Q6\nHow did you come?,How did you come? - Other - Text,How good was it?\n"
    rows = "1,,1\n2,,2\n4,by boat,3\n3,,4\n1,,2\n2,,1\n"
    _, survey = export(f"{head}{ids}\n{rows}")
    assert kinds(survey) == {"Q5": "single", "Q5_4_TEXT": "open", "Q6": "scale"}
    assert [value.value for value in survey.question("Q5").values] == ["1", "2", "3", "4"]


PLAIN = [
    "id,text\n1,good\n",
    "Timestamp,text\nmorning,good\n",
    "#,text,Network ID\n1,good,n1\n",
    "ID,Name,Start time\n1,a,2025-01-01\n",
    "_id,text\n1,good\n",
    "record_id,text\n1,good\n",
    "CASE,MODE,text\n1,a,good\n",
    "a___b,c\n1,2\n",
]


@pytest.mark.parametrize("text", PLAIN)
def test_other_files_are_no_exports(export, text):
    table, survey = export(text)
    assert (table.export, table.notes, survey.export) == ("", (), "")


@pytest.mark.parametrize(
    ("case", "question", "expected"),
    [
        ("b_tea,b_coffee\nYes,No\nNo,No\nNo,No\nNo,No\nN/A,N/A\n", "b", {"tea": 25, "coffee": 0}),
        ("b_tea,b_coffee\n1,0\n0,0\n0,1\n0,0\n99,99\n", "b", {"tea": 25, "coffee": 25}),
    ],
)  # fmt: skip
def test_codes_for_no_answer_are_never_chosen(export, case, question, expected):
    table, survey = export(case)
    assert shares(table, survey.question(question)) == expected


def test_an_array_of_ranks_is_a_ranking(export):
    rows = ["1,2,3", "2,1,3", "3,2,1", "1,3,2", "2,3,1"]
    _, survey = export("r_a,r_b,r_c\n" + "\n".join(rows) + "\n")
    assert kinds(survey) == {"r": "ranking"}
    _, survey = export("r_a,r_b,r_c\n" + "\n".join([*rows, "1,1,1"]) + "\n")
    assert kinds(survey) == {"r": "grid"}


def test_items_of_a_scale_whose_numbers_are_their_names_are_a_grid(export):
    rows = ["1,2,3", "2,3,5", "4,4,4", "5,1,1"]
    _, survey = export("sf_1,sf_2,sf_3\n" + "\n".join(rows) + "\n")
    assert kinds(survey) == {"sf": "grid"}
    assert [value.value for value in survey.question("sf").values] == ["1", "2", "3", "4", "5"]


def test_limesurvey_with_codes_of_a_ranking(export):
    rows = ["A1,A2,A3", "A2,A1,A3", "A3,A2,A1", "A1,A3,A2", "A2,A3,A1"]
    text = "id,submitdate,lastpage,startlanguage,Q5[1],Q5[2],Q5[3]\n"
    text += "".join(f"{n},2025-01-01 10:00:00,3,en,{row}\n" for n, row in enumerate(rows, 1))
    ranking = export(text)[1].question("Q5")
    assert (ranking.kind, {value.value for value in ranking.values}) == ("ranking", {"A1", "A2", "A3"})


def test_fields_of_a_form_are_questions_of_their_own(export):
    names = ["Q5_1", "Q5_2"]
    texts = ["Contact - Name", "Contact - Town"]
    ids = ",".join(f'"{{""ImportId"":""QID5{name[2:]}""}}"' for name in names)
    _, survey = export(f"{','.join(names)}\n{','.join(texts)}\n{ids}\nAnn B,Oslo\nBob C,Rome\nCy D,Oslo\n")
    assert "multiple" not in kinds(survey).values()
    assert survey.question("Q5_2").text == "Contact: Town"


def test_what_people_wrote_beside_other_does_not_hide_a_list(export):
    cells = ["Tea, Coffee", "Tea", "Coffee, cocoa with cream", "Tea", "Tea, Coffee", "Juice from the bar"]
    text = "Timestamp,Drinks\n" + "".join(f'2025/03/01 9:41:31 AM GMT+1,"{cell}"\n' for cell in cells)
    table, survey = export(text)
    assert shares(table, survey.question("Drinks")) == {
        "Tea": 67, "Coffee": 50, "cocoa with cream": 17, "Juice from the bar": 17,
    }  # fmt: skip


@pytest.mark.parametrize("n", [2, 3])
def test_surveymonkey_with_numbers_of_options(export, n):
    options = ["Tea", "Coffee", "None of the above"][:n]
    rows = [["1", "", ""], ["1", "2", ""], ["", "", "3"], ["", "2", ""]]
    text = f"Respondent ID,Collector ID,Which?{',' * (n - 1)}\n,,{','.join(options)}\n"
    text += "".join(f"{number},7,{','.join(row[:n])}\n" for number, row in enumerate(rows, 1))
    table, survey = export(text)
    # With two options, the third person marked nothing and was not asked.
    expected = {2: [67, 67], 3: [50, 50, 25]}[n]
    assert shares(table, survey.question("Which?")) == dict(zip(options, expected, strict=True))


def test_columns_with_1_and_2_are_asked_without_a_convention(export):
    text = "id,submitdate,lastpage,startlanguage,Q1[A],Q1[B]\n"
    text += "".join(f"{n},2025-01-01 10:00:00,3,en,{row}\n" for n, row in enumerate(["1,2", "2,2", "1,1"], 1))
    question = export(text)[1].question("Q1")
    assert (question.kind, question.chosen, question.confidence) == ("multiple", (), "low")
    assert "not known, and never chosen: '1', '2'" in question.reason


LIME_HEAD = (
    '"id. Response ID","submitdate. Date submitted","lastpage. Last page","startlanguage. Start language",'
)


def lime(head, rows):
    numbered = (f"{number},2025-01-01 10:00:00,3,en,{row}\n" for number, row in enumerate(rows, 1))
    return f"{LIME_HEAD}{head}\n{''.join(numbered)}"


def test_half_of_the_people_were_not_shown_the_question(export):
    head = '"Q1[SQ001]. Which drinks? [Tea]","Q1[SQ002]. Which drinks? [Coffee]"'
    table, survey = export(lime(head, ["Yes,No", *["No,No"] * 3, *["N/A,N/A"] * 4]))
    # 1 of the 4 people who saw it chose tea.
    assert shares(table, survey.question("Q1")) == {"Tea": 25, "Coffee": 0}


def test_an_empty_text_of_other_is_not_chosen_where_others_are_marked(export):
    head = '"Q1[SQ001]. Which drinks? [Tea]","Q1[other]. Which drinks? [Other]"'
    table, survey = export(lime(head, ["Yes,Juice", *["No,", "Yes,"] * 3, "No,"]))
    # 4 of 8 chose tea, and 1 of 8 wrote juice: 12.5 %.
    assert shares(table, survey.question("Q1")) == {"Tea": 50, "Other": 12}


def test_spellings_that_differ_in_case_or_blanks_are_one_answer(export):
    _, survey = export("q\nAgree\nAgree \nAgree\u00a0\nagree\nDisagree\n")
    assert [value.value for value in survey.question("q").values] == ["Disagree", "Agree"]


def test_seen_but_unanswered_is_no_answer_of_a_single_choice(export):
    ids = '"{""ImportId"":""_recordId""}","{""ImportId"":""QID5""}"'
    text = f"ResponseId,Q5\nResponse ID,Do you smoke?\n{ids}\nR_1,Yes\nR_2,No\nR_3,-99\nR_4,No\n"
    question = export(text)[1].question("Q5")
    assert ([value.value for value in question.values], question.missing) == (
        ["No", "Yes"], {"-99": "no answer"},
    )  # fmt: skip


def test_codes_with_a_comma_are_not_reported_as_decimal_numbers(export):
    ids = '"{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}"'
    text = f'ResponseId,Q1\nResponse ID,Which?\n{ids}\nR_1,"1,2"\nR_2,3\nR_3,"1,3"\nR_4,2\n'
    table, survey = export(text)
    assert shares(table, survey.question("Q1")) == {"1": 50, "2": 50, "3": 50}
    assert not any("decimal comma" in note for note in table.notes)


def test_columns_with_1_and_2_without_labels_are_for_the_user_to_decide(export):
    _, survey = export("id,c_a,c_b,like\n1,1,2,1\n2,2,2,2\n3,1,1,2\n4,2,1,1\n")
    (question,) = (question for question in survey.questions if question.needs_decision)
    assert (question.name, question.all_columns) == ("c", ("c_a", "c_b"))
    assert (question.chosen, question.not_chosen) == ((), ())


def test_qualtrics_times_and_browsers_are_no_questions(export):
    ids = ["QID7_FIRST_CLICK", "QID7_PAGE_SUBMIT", "QID8_BROWSER", "QID9"]
    text = "Q7_First Click,Q7_Page Submit,Q8_Browser,Q9\nTiming,Timing,Browser,Why?\n"
    text += ",".join(f'"{{""ImportId"":""{name}""}}"' for name in ids) + "\n"
    survey = export(text + "1.2,5.6,Chrome,Yes\n0,7.1,Safari,No\n2.2,4.6,Chrome,Yes\n")[1]
    assert list(kinds(survey).values()) == ["ignore", "ignore", "ignore", "single"]


def test_comments_beside_a_grid_are_no_item_of_it(export):
    text = "Respondent ID,Collector ID,How good?,,\n,,Price,Taste,Other comments\n"
    text += "1,7,Good,Bad,\n2,7,Very good,Good,\n3,7,Bad,Good,too small\n"
    survey = export(text)[1]
    assert [option.label for option in survey.question("How good?").options] == ["Price", "Taste"]


def test_amounts_are_no_grid(export):
    rows = ["20,30,50", "0,0,100", "33,33,34", "10,80,10", "20,60,20"]
    assert set(kinds(export("sum_a,sum_b,sum_c\n" + "\n".join(rows) + "\n")[1]).values()) == {"numeric"}


@pytest.mark.parametrize(
    ("name", "answers", "kind", "missing"),
    [
        ("Would you recommend us?", "10 9 8 7 6 0 10 99 -1", "nps", {"99", "-1"}),
        ("Would you recommend us?", "1 2 3 4 5 5 5 4", "scale", set()),
        ("nps", "10 9 9 10 9", "nps", set()),
        ("nps", "0 1 2 9 9", "nps", set()),
        ("satisfaction", "10 9 8 7 6 0 10 9 8", "scale", set()),
    ],
)
def test_recommendation_is_known_by_its_wording_and_its_points(export, name, answers, kind, missing):
    _, survey = export(f'"{name}",id\n' + "".join(f"{cell},{n}\n" for n, cell in enumerate(answers.split())))
    question = survey.question(name)
    assert (question.kind, set(question.missing)) == (kind, missing)


@pytest.mark.parametrize(
    ("answers", "scores"),
    [
        (["trifft nicht zu", "trifft eher nicht zu", "trifft eher zu", "trifft zu"], [1, 2, 3, 4]),
        (["1 - not at all", "2", "3", "4", "5 - very"], [1, 2, 3, 4, 5]),
        (["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"], [1, 2, 3, 4, 5]),
    ],
)
def test_points_of_a_scale_that_each_person_uses_once(export, answers, scores):
    question = export("id,q\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate(answers)))[1].question("q")
    assert (question.kind, [value.number for value in question.values]) == ("scale", scores)


@pytest.mark.parametrize("third", ["Maybe", "Uncertain"])
def test_yes_and_no_are_points_beside_a_third_answer_of_several_columns(export, third):
    _, survey = export(f"b_a,b_b\nYes,No\n{third},Yes\nNo,{third}\nYes,Yes\n")
    assert kinds(survey) == {"b": "grid"}
    _, survey = export(f"b_a,b_b\nYes,No\n{third},Yes\nNo,No\nYes,Yes\n")
    assert survey.question("b").chosen == ("Yes",)


def test_what_many_people_wrote_beside_other_is_one_option(export):
    cells = ["Tea;", "Coffee;Tea;", "Juice;Coffee;"] * 8 + [f"Tea;from shop {n};" for n in range(6)]
    table, survey = export("id,q\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate(cells)))
    question = survey.question("q")
    assert [(option.label, option.is_text) for option in question.options] == [
        ("Tea", False), ("Coffee", False), ("Juice", False), ("other (written in)", True),
    ]  # fmt: skip


def test_a_number_without_a_label_is_no_answer_even_if_it_says_that_somebody_does_not_know(export):
    table, survey = export(SOSCI.format(labels="").replace(";2;9;", ";-1;9;"))
    question = survey.question("A103")
    assert question.missing == {"-9": "no answer", "-1": "don't know"}
    assert [value.value for value in question.values] == ["1"]


@pytest.mark.parametrize(
    "wording", ["当社を友人に勧める可能性はどのくらいですか", "您有多大可能推荐我们?", "Czy poleciłbyś nas?"]
)
def test_recommendation_in_languages_with_and_without_blanks(export, wording):
    survey = export(f'"{wording}",id\n' + "".join(f"{n},{n}\n" for n in (0, 3, 7, 8, 9, 10)))[1]
    assert kinds(survey)[wording] == "nps"


def test_columns_without_a_mark_are_no_options_beside_one_with_marks(export):
    survey = export("Q1_age,Q1_sex,Q1_region\n33,f,N\n44,m,S\n21,f,N\n")[1]
    assert "multiple" not in kinds(survey).values()


def test_options_in_parentheses_belong_together(export):
    table, survey = export("Which (Tea),Which (Coffee)\nja,nein\nnein,nein\n-,-\nnein,ja\n")
    assert shares(table, survey.question("Which")) == {"Tea": 33, "Coffee": 33}


def test_comments_of_limesurvey_are_no_options_of_a_pattern(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(
        "id. Response ID,submitdate. Date submitted,lastpage. Last page,Q1[A]. Which? [Tea],"
        "Q1[Acomment]. Which? [Tea] [Comment],Q1[B]. Which? [Coffee],"
        "Q1[Bcomment]. Which? [Coffee] [Comment]\n"
        "1,2025-01-01,3,Yes,green,No,\n2,2025-01-01,3,No,,Yes,\n3,2025-01-01,3,No,,Yes,black\n"
        "4,2025-01-01,3,Yes,,Yes,\n",
        encoding="utf-8",
    )
    table = semscale.crosstabs(path, questions=["Q1[*"]).tables[0]
    # Of 4 respondents, 2 chose tea and 3 coffee.
    shares = dict(zip([line.name for line in table.question.lines], table.cells.values[:, 0], strict=True))
    assert shares == {"Tea": 0.5, "Coffee": 0.75, "any of these": 1.0}


def test_options_without_a_common_wording_are_named_by_their_cells(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(
        "ResponseId,Q1_1,Q1_2\nResponse ID,Which drinks? - Tea,Which drinks?\n"
        '"{""ImportId"": ""_recordId""}","{""ImportId"": ""QID1_1""}","{""ImportId"": ""QID1_2""}"\n'
        "R_1,Tea,\nR_2,,Coffee\nR_3,Tea,Coffee\n",
        encoding="utf-8",
    )
    table = semscale.crosstabs(path, questions=["Q1_*"]).tables[0]
    assert [line.name for line in table.question.lines[:2]] == ["Tea", "Coffee"]


@pytest.mark.parametrize(("last", "is_asked"), [("Food", True), ("Other", False)])
def test_options_of_typeform_may_be_those_of_several_questions(export, last, is_asked):
    # "Other" ends a question; without it, two questions look like one.
    head = f"#,Tea,Wifi,{last},Submit Date (UTC),Network ID\n"
    survey = export(head + f"a,Tea,Wifi,,2025-01-01,x\nb,Tea,,{last},2025-01-01,y\nc,,Wifi,,2025-01-01,z\n")[
        1
    ]
    (question,) = (question for question in survey.questions if question.kind == "multiple")
    assert question.needs_decision == is_asked


def test_short_texts_that_people_typed_are_open(export):
    head = "Respondent ID,Collector ID,Why?,City?\n,,Open-Ended Response,Open-Ended Response\n"
    survey = export(head + "1,7,so,Rome\n2,7,because,Rome\n3,7,good,Oslo\n4,7,well,Rome\n")[1]
    assert [survey.question(name).kind for name in ("Why?", "City?")] == ["open", "single"]
