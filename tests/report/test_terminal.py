"""The screen: brief blocks with their bounds, and no control character from outside."""

from dataclasses import replace

from made_up_document import BLOCKS, document_of

from semscale.report.document import (
    DataTable,
    Flag,
    Items,
    Paragraph,
    Quoted,
    Words,
    marked,
)
from semscale.report.html import page
from semscale.report.terminal import print_document


def test_the_screen_shows_brief_blocks_and_leaves_explanations_out(capsys):
    print_document(document_of(), written={"report": "x.html"})
    shown = capsys.readouterr().out
    for words in ("10 of 12 rows were scored", "Only on the screen.", "3.41 [3.35, 3.47]", "0.9 to 1.0     1",
                  "1 lowest score", "1 item that changed most", "Only 3 rows.", "signature: semscale",
                  "report: x.html"):  # fmt: skip
        assert words in shown
    for words in ("A note.", "expected value", "What the bars are."):
        assert words not in shown


def test_the_screen_gets_no_control_character_from_outside(capsys):
    attack = "gr\x1b[31moup\x07"
    cells = (Words(attack), Words("own", brief=attack), Quoted(attack), Flag(attack, "fail"), marked(attack))
    table = DataTable((attack, Quoted(attack), "c", "d", "e"), (cells,), title=(attack, Quoted(attack)))
    lines = {
        "source": (Quoted(attack),),
        "counting": (attack,),
        "warnings": (attack,),
        "cautions": (attack,),
        "notes": (attack,),
    }
    document = document_of(table, Paragraph(attack, detail="brief"), **lines, ending=(attack, "fail"))
    print_document(document, written={"report": attack})
    shown = capsys.readouterr().out
    # Source, counting, warning, caution, note, file, last line, paragraph; two in the title, two heads, and
    # five cells.
    assert shown.count("gr␛[31moup␇") == 17
    assert not {"\x1b", "\x07"} & set(shown)


def test_a_table_beyond_its_bound_says_how_many_more(capsys):
    rows = tuple((Words(f"row {n}"),) for n in range(5))
    print_document(document_of(DataTable(("a",), rows, most=3, noun="group")))
    shown = capsys.readouterr().out
    assert "row 2" in shown
    assert "row 3" not in shown
    assert "... and 2 more groups; --json has all" in shown


def test_items_beyond_their_bound_are_left_to_the_page(capsys):
    items = next(block for block in BLOCKS if isinstance(block, Items))
    many = Items(items.items * 9, brief_title="9 lowest scores", heads=items.heads)
    print_document(document_of(many))
    assert capsys.readouterr().out.count("1,204") == 6
    assert page(document_of(many)).count("row 1,204") == 9


def test_the_screen_says_how_items_came_to_their_scores_if_it_is_asked(capsys):
    items = next(block for block in BLOCKS if isinstance(block, Items))
    print_document(document_of(items))
    assert "Why" not in capsys.readouterr().out
    print_document(document_of(replace(items, is_explained=True)))
    assert capsys.readouterr().out.split("\nWhy\n")[1].splitlines()[:3] == [
        "row 1,204, 0.12: words 0.25",
        "  negation: one text denies it",
        '  "wheel" met only "expel"',
    ]
