"""Panels from tables and by drawing."""

from collections import Counter

import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.study.panel.margins import joint_shares
from semscale.study.panel.synthetic_panel import SyntheticPanel, drawn_panel, read_panel

AGE = {"young": 0.4, "old": 0.6}


def test_a_table_has_one_persona_a_row(tmp_path):
    (tmp_path / "p.csv").write_text("who,age\nann,30\nbob,\n")
    panel = read_panel(tmp_path / "p.csv", name_column="who")
    assert (panel.ids, panel.fields) == (("ann", "bob"), {"age": ("30", None), "who": ("ann", "bob")})
    assert panel.to_frame().rows() == [("ann", "30", "ann"), ("bob", None, "bob")]


def test_names_can_stand_in_the_words_for_a_persona(tmp_path):
    (tmp_path / "p.csv").write_text("who,age\nann,30\n")
    panel = read_panel(tmp_path / "p.csv", name_column="who")
    panel.check(["who", "persona"])
    assert panel.cells(0, ["who", "age", "persona"]) == {"who": "ann", "age": "30", "persona": "ann"}


def test_a_cell_of_white_space_is_missing(tmp_path):
    (tmp_path / "p.csv").write_text("who,age\nann,30\nbob, \n")
    panel = read_panel(tmp_path / "p.csv", name_column="who")
    with pytest.raises(InputError, match=r"row 2: persona 'bob' has no 'age'"):
        panel.check(["age"])


def test_rows_number_personas_without_names(tmp_path):
    (tmp_path / "p.csv").write_text("age\n30\n40\n")
    assert read_panel(tmp_path / "p.csv").ids == ("1", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("who,age\nann,1\n,2\n", "row 2: the persona has no name in column 'who'"),
        ("who,age\nann,1\n ,2\n", "row 2: the persona has no name in column 'who'"),
        ("who,age\nann,1\nann,2\n", "rows 1 and 2 have the same persona 'ann'"),
    ],
)
def test_names_must_be_there_and_differ(tmp_path, text, message):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_panel(tmp_path / "p.csv", name_column="who")


def test_an_unknown_column_of_names(tmp_path):
    (tmp_path / "p.csv").write_text("who,age\nann,1\n")
    with pytest.raises(UnknownNameError, match="did you mean 'who'"):
        read_panel(tmp_path / "p.csv", name_column="whom")


def test_a_missing_cell_is_named_by_its_row():
    panel = SyntheticPanel(("ann", "bob"), {"age": ("30", None)}, "p.csv")
    with pytest.raises(InputError, match=r"p\.csv, row 2: persona 'bob' has no 'age'"):
        panel.check(["age"])


def test_a_draw_meets_its_margins_and_its_seed_repeats_it():
    sex = {"f": 0.5, "m": 0.5}
    panel = drawn_panel(10, margins={"age": AGE, "sex": sex}, joint=None, seed=3)
    assert Counter(panel.fields["age"]) == {"young": 4, "old": 6}
    assert Counter(panel.fields["sex"]) == {"f": 5, "m": 5}
    assert panel == drawn_panel(10, margins={"age": AGE, "sex": sex}, joint=None, seed=3)
    assert (
        panel.content_hash
        != drawn_panel(10, margins={"age": AGE, "sex": sex}, joint=None, seed=4).content_hash
    )


def test_a_joint_draw_is_raked_to_its_margins_and_others_are_drawn_alone():
    rows = [{"sex": sex, "age": age, "share": 0.25} for sex in "fm" for age in ("young", "old")]
    margins = {"age": AGE, "town": {"A": 0.2, "B": 0.8}}
    panel = drawn_panel(20, margins=margins, joint=joint_shares(rows), seed=0)
    people = Counter(zip(panel.fields["sex"], panel.fields["age"], strict=True))
    # Half of 40 % and of 60 % of 20 people.
    assert people == {("f", "young"): 4, ("m", "young"): 4, ("f", "old"): 6, ("m", "old"): 6}
    assert Counter(panel.fields["town"]) == {"A": 4, "B": 16}


def test_an_attribute_must_not_have_the_name_of_the_names(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("name,persona\nann,lively\n")
    with pytest.raises(InputError, match="must not be called 'persona'"):
        read_panel(table, name_column="name")
