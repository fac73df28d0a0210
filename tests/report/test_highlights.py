from hypothesis import given
from hypothesis import strategies as st

from semscale.guards.findings import Span
from semscale.report.highlights import Piece, pieces

SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted), max_size=5)


@given(st.text(max_size=12), SPANS)
def test_pieces_make_up_the_text_whatever_is_marked(text, spans):
    found = [("number", Span(start, min(stop, len(text)), "")) for start, stop in spans]
    cut = pieces(text, found)
    assert "".join(piece.text for piece in cut) == text
    assert all(piece.text for piece in cut)


def test_overlapping_findings_are_marked_once_each():
    found = [("negation", Span(3, 8, "")), ("number", Span(0, 5, ""))]
    assert pieces("abcdefghij", found) == (
        Piece("abcde", "number"), Piece("fgh", "negation"), Piece("ij", None),
    )  # fmt: skip


def test_a_long_text_is_cut_and_says_so():
    cut = pieces("x" * 20, [("name", Span(8, 14, ""))], limit=10)
    assert cut == (Piece("x" * 8, None), Piece("xx", "name"), Piece("…", None))
