"""Baskets: the file ``tables.yaml``, and the workbook, deck and page that are made of it."""

import json
from dataclasses import replace

import polars as pl
import pytest
from python_calamine import CalamineWorkbook

from semscale.errors import InputError
from semscale.report.tables_basket import entry_names, without_repeats
from semscale.store.table import Table, frame_reader
from semscale.survey.survey_file import parse_survey
from semscale.tabulation.basket import (
    Basket,
    TableEntry,
    basket_text,
    parse_basket,
    read_basket,
    tabulate_basket,
)

BASKET = """# Tables for the board.
tables:
  # The main result comes first.
  - title: Drinks of the young
    questions: [drink]
    banners: [region]
    where: age < 50
    sort: descending
  - questions: [like, drink]
    decimals: 0
    show: table
    level: 0.9   # as last year
"""


@pytest.fixture(scope="module")
def frame():
    """100 people aged 0 to 99, half of them in the north."""
    return pl.DataFrame({
        "drink": ["tea", "coffee", "tea", "water"] * 25,
        "like": [1, 2, 3, 4] * 25,
        "region": ["north", "south"] * 50,
        "age": list(range(100)),
    })  # fmt: skip


@pytest.fixture(scope="module")
def tables(frame):
    table = Table("people.csv", None, tuple(frame.columns), frame_reader(frame), n_rows=frame.height)
    return tabulate_basket(table, parse_basket(BASKET.encode(), source="tables.yaml"), None)


def test_entries_are_read_with_their_settings():
    first, second = parse_basket(BASKET.encode(), source="tables.yaml").entries
    assert (first.title, first.questions, first.banners, first.where) == (
        "Drinks of the young",
        ("drink",),
        ("region",),
        "age < 50",
    )
    assert (second.decimals, second.show, second.level) == (0, "table", 0.9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tables:\n- {questions: [a]}\n- {banners: [b]}", "line 3: needs ‘questions’"),
        ("tables:\n- questions: [a]\n  leval: 0.9", r"line 3: unknown key 'leval'; did you mean 'level'\?"),
        ("tables:\n- questions: [a]\n  level: 95", "line 3: level must be"),
        ("tables:\n- questions: [a]\n  decimals: few", "line 3: decimals must be"),
        ("tables:\n- questions: [a, a]", "line 2: question: 'a' is named twice"),
        ("tables:\n- a", "line 2: must be an entry such as"),
        ("tables: []\nweight: w", "line 2: unknown key 'weight'"),
        ("tables: []\nearlier: [a.csv, '']", "line 2: earlier must be names of files"),
        ("tables: []\nearlier: [waves/../../a.csv]", "line 2: earlier must be files in the basket's folder"),
        ("tables: []\nearlier: /home/a.csv", "line 2: earlier must be files in the basket's folder"),
        ("tables: []\nearlier: 'c:a.csv'", "line 2: earlier must be files in the basket's folder"),
        ("tables: []\nwaves: Spring", r"line 2: waves must be files with names, such as \{may.csv: Summer"),
        ("tables: []\nwaves:\n  a.csv: One\n  b.csv: ' '", "line 4: b.csv must have a name"),
        ("tables: []\nwaves: {../a.csv: One}", "line 2: waves must be files in the basket's folder"),
        ("tables: []\ntitle: [a, b]", "line 2: title must be a text"),
        ("tables: []\ntitel: a", r"line 2: unknown key 'titel'; did you mean 'title'\?"),
        ("questions: [a]", "must hold ‘tables:’"),
        ("tables: [", "not readable as YAML"),
    ],
)
def test_mistakes_name_the_line(text, message):
    with pytest.raises(InputError, match=message):
        parse_basket(text.encode(), source="tables.yaml")


def test_writing_keeps_comments_and_what_is_unchanged():
    basket = parse_basket(BASKET.encode(), source="tables.yaml")
    assert basket_text(basket, BASKET.encode()).split() == BASKET.split()
    first, second = basket.entries
    renamed = basket_text(Basket((first, second.with_values(title="All"))), BASKET.encode())
    assert "# The main result comes first." in renamed
    assert "# as last year" in renamed
    assert [entry.title for entry in parse_basket(renamed.encode(), source="t").entries] == [
        "Drinks of the young",
        "All",
    ]


def test_files_of_earlier_waves_are_written_beside_the_tables():
    new = basket_text(Basket(earlier=("01.csv", "may.csv")))
    assert parse_basket(new.encode(), source="t") == Basket(earlier=("01.csv", "may.csv"))
    before = "earlier:\n- a.csv  # the first\n- c.csv\n" + BASKET
    basket = parse_basket(before.encode(), source="t")
    assert basket.earlier == ("a.csv", "c.csv")
    changed = basket_text(Basket(basket.entries, ("a.csv", "b.csv", "c.csv")), before.encode())
    for comment in ("# the first", "# Tables for the board.", "# as last year"):
        assert comment in changed
    assert parse_basket(changed.encode(), source="t").earlier == ("a.csv", "b.csv", "c.csv")
    removed = basket_text(Basket(basket.entries), changed.encode())
    assert parse_basket(removed.encode(), source="t") == Basket(basket.entries)


def test_the_title_and_names_of_waves_are_written_beside_the_tables():
    basket = Basket(earlier=("a.csv",), title="Lounges: 2026", waves={"a.csv": "01", "b.csv": "Summer: b"})
    text = basket_text(basket)
    assert parse_basket(text.encode(), source="t") == basket
    named = [line.partition(":")[0] for line in text.splitlines() if line[:1].isalpha()]
    assert named == ["title", "earlier", "waves", "tables"]
    written = "title: Old\nwaves:\n  a.csv: Spring  # the first\n  b.csv: Summer\ntables:\n"
    before = BASKET.replace("tables:\n", written)
    old = parse_basket(before.encode(), source="t")
    changed = replace(old, title="New", earlier=("a.csv",), waves={"a.csv": "Spring", "c.csv": "Autumn"})
    text = basket_text(changed, before.encode())
    for comment in ("# the first", "# Tables for the board.", "# as last year"):
        assert comment in text
    assert parse_basket(text.encode(), source="t") == changed
    removed = replace(old, title="", earlier=(), waves={})
    assert parse_basket(basket_text(removed, text.encode()).encode(), source="t") == removed


def test_any_settings_are_read_as_they_were_written():
    entry = TableEntry(
        questions=["M=m1+m2", "01", "no"],
        pairs=[("a", "b")],
        missing={"": ["99"], "01": ["N/A", "x: y"]},
        raked_to={"sex": {"f": 0.5, "m": 0.5}},
        weight_bounds=(0.3, 3.0),
        hide=["Yes, always", "- none"],
        hide_small=True,
        title="# 1: “new”\u2028line",
    )
    text = basket_text(Basket((entry,)))
    assert parse_basket(text.encode(), source="t").entries == (entry,)


def test_each_entry_has_its_rows_and_settings(tables):
    first, second = tables.parts
    assert first.n_counting == 50
    assert [line.name for line in first.tables[0].question.lines][0] == "tea"
    assert second.n_counting == 100
    assert second.settings.level == 0.9
    frame = tables.to_frame()
    assert frame["entry"].unique(maintain_order=True).to_list() == [1, 2]
    assert frame.filter(entry=1)["title"].unique().to_list() == ["Drinks of the young"]


def test_json_and_cells_state_the_condition_of_an_entry(tables):
    stated = ["Only respondents with: age < 50", ""]
    assert [entry["filter"] for entry in tables.record()["entries"]] == stated
    assert tables.to_frame().group_by("entry").agg(pl.col("filter").unique()).sort("entry")[
        "filter"
    ].to_list() == [[text] for text in stated]


def test_a_sheet_is_named_by_the_title_of_a_question_with_a_long_name(frame, tmp_path):
    name = "How often do you drink tea in the office?"
    long = frame.rename({"drink": name})
    table = Table("people.csv", None, tuple(long.columns), frame_reader(long), n_rows=long.height)
    survey = parse_survey(
        f"survey: 1\nquestions:\n- {{name: '{name}', kind: single, title: Tea}}\n".encode(), source="s"
    )
    basket = Basket((TableEntry(questions=[name]), TableEntry(questions=["like"])))
    tabulate_basket(table, basket, survey).report(tmp_path / "t.xlsx")
    assert CalamineWorkbook.from_path(tmp_path / "t.xlsx").sheet_names[1:3] == ["Tea", "like"]


def test_a_note_and_a_name_state_the_condition_in_words(frame):
    table = Table("people.csv", None, tuple(frame.columns), frame_reader(frame), n_rows=frame.height)
    entries = "- {questions: [drink], where: \"region = 'north'\"}\n- {questions: [drink]}\n"
    both = tabulate_basket(table, parse_basket(f"tables:\n{entries}".encode(), source="t"), None)
    stated = "50 of 100 rows meet ‘region = north’; left out: 50 not meeting it; row numbers count the "
    assert both.parts[0].input_notes[0].startswith(stated)
    assert entry_names(both.parts) == ["drink (only: region = north)", "drink"]
    assert entry_names([*both.parts, both.parts[1]])[1:] == ["drink (entry 2)", "drink (entry 3)"]


def test_an_error_names_the_line_of_its_entry(frame):
    table = Table("people.csv", None, tuple(frame.columns), frame_reader(frame), n_rows=frame.height)
    basket = parse_basket(b"tables:\n- {questions: [like]}\n- {questions: [liek]}", source="t.yaml")
    with pytest.raises(InputError, match=r"'t.yaml', line 3: .*liek"):
        tabulate_basket(table, basket, None)


def test_the_workbook_has_all_entries_in_order(tables, tmp_path):
    tables.report(tmp_path / "t.xlsx")
    book = CalamineWorkbook.from_path(tmp_path / "t.xlsx")
    assert book.sheet_names == ["Index", "drink", "like", "drink 2", "Differences", "How this was made"]
    index = book.get_sheet_by_name("Index").to_python()
    head = next(number for number, cells in enumerate(index) if cells[0] == "Sheet")
    assert [cells[1] for cells in index[head + 1 : head + 4]] == [
        "Drinks of the young: drink (only respondents with: age < 50)",
        "like",
        "drink",
    ]
    made = [str(cell) for cells in book.get_sheet_by_name("How this was made").to_python() for cell in cells]
    assert "Drinks of the young" in made
    assert "like and drink" in made


@pytest.mark.needs("slides")
def test_all_outputs_have_the_title_of_the_basket_and_name_the_file(frame, tmp_path):
    from pptx import Presentation

    table = Table("people.csv", None, tuple(frame.columns), frame_reader(frame), n_rows=frame.height)
    basket = parse_basket(b"title: What people drink\n" + BASKET.encode(), source="tables.yaml")
    tables = tabulate_basket(table, basket, None)
    for ending in ("xlsx", "pptx", "html", "md"):
        tables.report(tmp_path / f"t.{ending}")
    index = CalamineWorkbook.from_path(tmp_path / "t.xlsx").get_sheet_by_name("Index").to_python()
    assert index[0][0] == "What people drink"
    assert str(index[2][0]).startswith("people.csv, ")
    deck = Presentation(str(tmp_path / "t.pptx"))
    cover = [shape.text for shape in deck.slides[0].shapes if shape.has_text_frame]
    assert cover[0] == deck.core_properties.title == "What people drink"
    assert "people.csv | " in "\n".join(cover[1:])
    assert (tmp_path / "t.md").read_text(encoding="utf-8").startswith("# What people drink\n")
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "<title>What people drink" in page
    assert "people.csv" in page[page.index("<body") :]


@pytest.mark.needs("slides")
def test_slides_have_the_entries_with_charts_in_order(tables, frame, tmp_path):
    from pptx import Presentation

    tables.report(tmp_path / "t.pptx")
    slides = Presentation(str(tmp_path / "t.pptx")).slides
    texts = ["\n".join(shape.text for shape in slide.shapes if shape.has_text_frame) for slide in slides]
    # The second entry shows tables alone; the title and the method are the first and the last slide.
    assert len(texts) == 3
    assert "Drinks of the young" in texts[1]
    assert "Drinks of the young: " in texts[2]
    assert "like and drink: " in texts[2]


REPEATED = """tables:
- {questions: [drink], banners: [region, sex]}
- {title: North, questions: [drink], banners: [region, sex], hide: [south]}
- {title: Again, questions: [drink], banners: [sex], decimals: 0}
"""


@pytest.fixture(scope="module")
def repeated(frame):
    frame = frame.with_columns(sex=pl.Series(["f", "f", "m", "m"] * 25))
    table = Table("people.csv", None, tuple(frame.columns), frame_reader(frame), n_rows=frame.height)
    return tabulate_basket(table, parse_basket(REPEATED.encode(), source="tables.yaml"), None)


def test_a_table_that_an_earlier_entry_shows_is_shown_once(repeated):
    # The second entry hides no sex; the third has other decimals.
    shown = [[table.banner.name for table in part.tables] for part in without_repeats(repeated.parts)]
    assert shown == [["region", "sex"], ["region"], ["sex"]]


def test_the_page_has_a_section_per_question(tables, tmp_path):
    tables.report(tmp_path / "t.html")
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    places = [page.index(f'id="question-{number}"') for number in (1, 2, 3)]
    assert places == sorted(places)
    assert "Drinks of the young" in page
    # Only a part of the rows counts in the first entry.
    assert "Drinks of the young: " in page


def test_the_command_makes_everything_in_one_call(semscale, frame, tmp_path):
    frame.write_csv(tmp_path / "people.csv")
    (tmp_path / "tables.yaml").write_text(BASKET, encoding="utf-8")
    ended = semscale(
        "tables",
        str(tmp_path / "people.csv"),
        "--basket",
        str(tmp_path / "tables.yaml"),
        "--out",
        str(tmp_path / "t.xlsx"),
        "--out",
        str(tmp_path / "t.csv"),
        "--json",
    )
    assert ended.code == 0, ended.err
    entries = json.loads(ended.out)["entries"]
    assert [len(entry["tables"]) for entry in entries] == [1, 2]
    assert (tmp_path / "t.xlsx").is_file()
    assert pl.read_csv(tmp_path / "t.csv")["entry"].max() == 2


def test_options_of_single_tables_do_not_go_with_a_basket(semscale, frame, tmp_path):
    frame.write_csv(tmp_path / "people.csv")
    (tmp_path / "tables.yaml").write_text(BASKET, encoding="utf-8")
    named = (str(tmp_path / "people.csv"), "--basket", str(tmp_path / "tables.yaml"))
    ended = semscale("tables", *named, "--question", "like")
    assert ended.code == 2
    assert "--question does not go with --basket" in ended.err


def test_an_empty_basket_is_refused(frame):
    table = Table("people.csv", None, tuple(frame.columns), frame_reader(frame), n_rows=frame.height)
    with pytest.raises(InputError, match="it has no tables"):
        tabulate_basket(table, Basket(), None)


def test_a_missing_file_is_a_sentence(tmp_path):
    with pytest.raises(InputError, match="basket of tables"):
        read_basket(tmp_path / "none.yaml")
