"""Groups at the head of a table, and waves in the order of time."""

import polars as pl
import pytest

import semscale
from semscale.errors import InputError, UnknownNameError
from semscale.spelling import hint
from semscale.store.table import ColumnLabels
from semscale.survey.answer_values import BY_FREQUENCY
from semscale.survey.survey_file import parse_survey
from semscale.survey.wave_order import order_waves
from semscale.tabulation.banners import pair_notes, pairing_notes, read_banner, sort_names
from semscale.tabulation.crosstabs import crosstabs


def test_labels_name_groups_and_order_them():
    banner = read_banner(
        pl.Series("sex", [2.0, 1.0, None, 3.0]), ColumnLabels(values={"2": "women", "1": "men"})
    )
    assert banner.groups == ("women", "men", "3")
    assert banner.codes.tolist() == [0, 1, -1, 2]


def test_numbers_stand_in_their_order_and_blank_cells_are_in_no_group():
    banner = read_banner(pl.Series("wave", ["10", "2", "  ", "2"]), is_wave=True)
    assert banner.groups == ("2", "10")
    assert banner.codes.tolist() == [1, 0, -1, 0]


def test_bands_stand_from_the_lowest_on():
    assert sort_names(["55 and over", "18 to 54", "under 18"]) == ["under 18", "18 to 54", "55 and over"]


def test_a_number_within_a_word_is_no_number():
    assert sort_names(["mp3 player", "camera", "2 phones"]) == ["2 phones", "camera", "mp3 player"]


def test_no_group_and_too_many_are_refused():
    with pytest.raises(InputError, match="'g' has no group"):
        read_banner(pl.Series("g", [None, ""], dtype=pl.String))
    with pytest.raises(InputError, match="'g' has 51 groups.*derive"):
        read_banner(pl.Series("g", list(range(51))))


@pytest.mark.parametrize(
    "ordered",
    [
        ["2", "10"],
        ["1.5", "1.25e1"],
        ["W1", "W2", "W10"],
        ["Wave 9", "Wave 10"],
        ["Wave 2 (2025)", "Wave 1 (2026)"],
        ["Dec 2025", "Jan 2026", "February 2026"],
        ["Dec '24", "Sept '25"],
        ["May 3, 2026", "Apr 1, 2027"],
        ["30 April 2026", "1 May 2026"],
        ["2024-Q4", "2025-Q1", "2025-Q3"],
        ["Q4 24", "Q1 25"],
        ["Q4 2024", "Q1 2025"],
        ["H2 2024", "H1 2025"],
        ["2025-12-31", "2026-01-02"],
        ["2025-9", "2025-10"],
        ["12/2025", "01/2026"],
        ["31.12.2025", "1.2.2026"],
        ["12/31/2025", "02/01/2026"],
        ["31/12/2025", "01/02/2026"],
    ],
)
def test_names_that_tell_the_time_are_read(ordered):
    for rows in (ordered, ordered[::-1]):
        assert order_waves(rows) == (ordered, "by their names")


@pytest.mark.parametrize(
    "rows",
    [
        ["before", "after"],
        ["Nov", "Dec", "Jan"],  # of which years?
        ["Wave 2", "pilot 1"],
        ["02/01/2026", "01/03/2026"],  # day or month first?
        ["Mar 2026", "Mar 3 2026"],
        ["W1", "w01"],  # one number twice
        ["Q2 2025", "H1 2025"],
    ],
)
def test_other_names_stand_in_the_order_of_the_rows(rows):
    for ordered in (rows, rows[::-1]):
        assert order_waves(ordered) == (ordered, "by the first row of each")


def test_labelled_values_stand_in_the_order_of_the_file():
    labels = {"1": "spring", "2": "autumn", "3": "never"}
    assert order_waves(["2", "1"], labels)[0] == ["1", "2"]
    assert order_waves(["2", "1", "9"], labels)[0] == ["1", "2", "9"]


def test_wave_order_accepts_values_or_labels():
    labels = {"1": "spring", "2": "autumn"}
    assert order_waves(["1", "2"], labels, ["autumn", "1"])[0] == ["2", "1"]
    assert order_waves(["1", "2"], stated=["2", "1"]) == (["2", "1"], "as given")


def test_an_order_names_all_waves_once():
    with pytest.raises(UnknownNameError, match="wave_order.*'aftr'"):
        order_waves(["before", "after"], stated=["before", "aftr"])
    with pytest.raises(InputError, match="wave_order: 'before' is named twice"):
        order_waves(["before", "after"], stated=["before", "before"])
    with pytest.raises(InputError, match="wave_order has no 'after': name all waves"):
        order_waves(["before", "after"], stated=["before"])


def people(ids, waves):
    return pl.DataFrame({"person_id": ids, "wave": waves})


def test_people_twice_in_a_wave_are_counted():
    frame = people(["a", "a", "b", "a", "b", "c", "c", "c"], [1, 1, 1, 2, 2, 2, 2, 2])
    (note,) = pair_notes(frame, "wave", "person_id")
    assert note.startswith("2 people are in a wave more than once, such as 'a' in wave '1' (2 rows)")


def test_pairs_without_anybody_in_two_waves_are_noted():
    (note,) = pair_notes(people(["a", "b", None], [1, 2, 2]), "wave", "person_id")
    assert "no ID in 'person_id' occurs in two waves" in note


def test_good_pairs_need_no_note():
    assert pair_notes(people(["a", "b", "a"], [1, 1, 2]), "wave", "person_id") == []


def test_waves_that_share_ids_are_noted():
    (note,) = pairing_notes(people(["a", "b", "a", "c"], [1, 1, 2, 2]), "wave")
    assert "one value of 'person_id' is in several waves" in note
    (note,) = pairing_notes(people(["a", "b", "a", "b"], [1, 1, 2, 2]), "wave")
    assert "2 values of 'person_id' are in several waves" in note
    assert "pair them if these are ids of the same people" + hint(" (`pair_by='person_id'`)") in note
    assert pairing_notes(people(["a", "b", "c", "d"], [1, 1, 2, 2]), "wave") == []
    assert pairing_notes(people(["a", "a", "a", "b"], [1, 1, 2, 2]), "wave") == []  # no ids of people
    twice = people([*range(50), *range(50), 0], [1] * 50 + [2] * 51)
    assert "50 values" in pairing_notes(twice, "wave")[0]


def test_tables_of_files_and_frames_have_the_notes(tmp_path):
    frame = people([0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2]).with_columns(q=pl.Series([1, 2, 3, 2, 3, 3]))
    frame.write_csv(tmp_path / "waves.csv")
    for data in (frame, tmp_path / "waves.csv"):
        result = crosstabs(data, questions=["q"], wave="wave", min_base=2)
        assert any("3 values of 'person_id' are in several waves" in note for note in result.sample_notes)
        paired = crosstabs(data, questions=["q"], wave="wave", pair_by="person_id", min_base=2)
        assert paired.sample_notes == ()
    twice = crosstabs(
        pl.concat([frame, frame[:1]]), questions=["q"], wave="wave", pair_by="person_id", min_base=2
    )
    assert "1 person is in a wave more than once" in twice.sample_notes[0]


def test_waves_that_are_described_by_frequency_are_compared_in_the_order_of_time():
    frame = pl.DataFrame({"period": ["Nov 2026"] * 4 + ["May 2026"] * 3, "q": [1, 2, 3, 3, 1, 1, 2]})
    entry = "{name: period, kind: single, from: inferred, reason: '%s', values: [%s]}"
    values = "{value: Nov 2026}, {value: May 2026}"
    for reason, waves in ((BY_FREQUENCY, ("May 2026", "Nov 2026")), ("as asked", ("Nov 2026", "May 2026"))):
        text = f"questions:\n- {{name: q, kind: scale}}\n- {entry % (reason, values)}\n"
        survey = parse_survey(text.encode(), source="survey.yaml")
        result = crosstabs(frame, questions=["q"], survey=survey, wave="period", min_base=1)
        assert result.tables[0].banner.groups == waves


def test_rows_that_the_description_leaves_out_are_no_respondents():
    frame = pl.DataFrame({"kind": ["real", "test", None], "q": [1.0, 2.0, 3.0]})
    text = b"leave_out: {kind: [test], gone: [1]}\nquestions:\n- {name: q, kind: numeric}\n"
    result = crosstabs(frame, questions=["q"], survey=parse_survey(text, source="survey.yaml"))
    assert (result.n, result.tables[0].cells.values.tolist()) == (2, [[2.0]])


def test_codes_for_no_answer_are_no_groups_without_a_description():
    frame = pl.DataFrame({"q": [1, 2, 3, 4] * 15, "region": ["North", "South", "-99", "N/A"] * 15})
    result = semscale.crosstabs(frame, questions=["q"], banners=["region"])
    assert result.tables[0].banner.groups == ("North", "South")
    # North has 15 times 1, South 15 times 2; everybody has (1 + 2 + 3 + 4) / 4.
    assert result.tables[0].cells.values[-1].tolist() == [2.5, 1.0, 2.0]
    assert "no groups of ‘region’" in result.input_notes[0]
    assert "‘-99’ (15), ‘N/A’ (15)" in result.input_notes[0]


def test_two_digit_years_of_waves_are_no_codes():
    frame = pl.DataFrame({"q": [1, 2, 3, 4] * 15, "wave": ["97", "98", "99", "97"] * 15})
    result = semscale.crosstabs(frame, questions=["q"], wave="wave")
    assert result.tables[0].banner.groups == ("97", "98", "99")
