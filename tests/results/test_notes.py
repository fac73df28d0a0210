"""Sentences in the attributes of results: plain text for Python, spelled by other interfaces."""

import copy
import json
import pickle
import sys
from dataclasses import replace

import polars as pl
import pytest

import semscale
from semscale.spelling import Note, as_option, hint, notes_from, spelled, without_hints

LEFT_OUT = (
    "left out as no answer: ‘N/A’ (10, not asked); to count one as an answer, list it in survey.yaml under "
    "values, not under missing"
)


@pytest.fixture(scope="module")
def tables():
    """40 answers with 10 cells without one, for which ``crosstabs`` has a note with a hint."""
    answers = pl.DataFrame({"q": ["Agree", "Disagree", "Agree", "N/A"] * 10})
    return semscale.crosstabs(answers, questions=["q"])


def test_notes_of_a_result_are_plain_text(tables, capsys):
    notes = tables.tables[0].question.notes
    assert notes == (LEFT_OUT,)
    sys.stdout.write(f"{notes[0]} {notes} {tables.tables[0].question}")
    assert capsys.readouterr().out.count(LEFT_OUT) == 3
    assert json.loads(json.dumps(notes, ensure_ascii=False)) == [LEFT_OUT]
    assert repr(notes[0]).encode("utf-8")
    assert pl.Series(list(notes)).to_list() == [LEFT_OUT]


def test_results_with_notes_can_be_pickled_and_copied(tables):
    for result in (pickle.loads(pickle.dumps(tables)), copy.deepcopy(tables)):
        (note,) = result.tables[0].question.notes
        assert note == LEFT_OUT
        assert without_hints(note) == "left out as no answer: ‘N/A’ (10, not asked)"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_note_keeps_its_marks_in_every_pickle(protocol):
    note = Note("no weights were used" + hint(" (`weight='w'`)"))
    again = pickle.loads(pickle.dumps(note, protocol))
    assert again == "no weights were used (weight='w')"
    assert spelled(again, as_option) == "no weights were used (--weight w)"


def test_notes_on_the_input_are_plain_text_after_a_summary_is_changed(tables):
    summary = replace(tables, input_notes=("read" + hint("; `sheet` reads another"),))
    assert summary.input_notes == ("read; sheet reads another",)
    assert "read; --sheet reads another" in summary.document().brief_sentences("caution")


def test_notes_of_notes_are_the_same():
    notes = notes_from(["a" + hint("; `b`")])
    assert notes_from(notes) == notes
    assert without_hints(notes_from(notes)[0]) == "a"
