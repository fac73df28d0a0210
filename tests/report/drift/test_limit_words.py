from semscale.drift.limits.results import LimitCheck, MustPassCheck
from semscale.report.drift_sentences import allowed_words, broken_limit_words, ids_words, must_pass_words


def test_a_broken_limit_is_said_with_its_items():
    check = LimitCheck("changed_numbers", 0.25, 12, tuple("abcdefg"))
    assert broken_limit_words(check) == (
        "limit changed_numbers: 7 of 12 items with numbers have other numbers "
        "or none, 25\u00a0% may (a, b, c, d, e "
        "and 2 more)"
    )


def test_what_is_allowed_is_none_a_share_or_a_number():
    said = [allowed_words(LimitCheck("silenced", allowed, 9)) for allowed in (0, 0.5, 3)]
    assert said == ["none", "50\u00a0%", "3"]


def test_ids_are_shown_in_one_line_and_cut():
    assert ids_words(("a\nb",)) == "a b"
    assert len(ids_words(("x" * 500,))) < 100


def test_a_must_pass_item_says_why():
    assert must_pass_words(MustPassCheck("c", ("lost all outputs", "x"))) == "c: lost all outputs; x"
    assert must_pass_words(MustPassCheck("c")) == "c: nothing became worse"
