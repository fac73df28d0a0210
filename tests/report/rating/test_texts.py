"""What people wrote, in the report on ratings: shown as text whatever it is, and cut where long."""

import dataclasses
import re

import polars as pl
import pytest

from semscale.report.html import page
from semscale.report.rating.figures import verbatims

ATTACKS = (
    "<script>alert('x')</script>",
    "</style></svg><img src=https://example.org/x onerror=alert(1)>",
    "{{ 7 * 7 }} {% raw %}",
    "javascript:alert(1)",
    '" onmouseover="alert(1)',
    "null\x00bell\x07escape\x1b[31mdelete\x7f",
    "\u202egnp.exe",
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_words_are_shown_not_run(attack, make_summary, make_scale, read_page):
    scale = make_scale(3, label=attack).model_copy(update={"notes": attack, "title": attack})
    summary = make_summary(scale=scale, n=9, groups=2, texts=(attack,), comparison=True)
    groups = tuple(
        dataclasses.replace(group, group=attack + str(i)) for i, group in enumerate(summary.estimates.groups)
    )
    left_out = pl.DataFrame({"row": [1], "text": [attack], "status": ["off-topic"]})
    shown = read_page(
        page(
            dataclasses.replace(
                summary,
                source=attack,
                by=attack,
                weight=attack,
                respondent=attack,
                left_out=left_out,
                set_names=tuple(f"{attack}{i}" for i in range(6)),
                estimates=dataclasses.replace(summary.estimates, groups=groups),
            ).document()
        )
    )
    shown.assert_harmless()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", shown.source)
    visible = attack.translate({0: 0x2400, 7: 0x2407, 27: 0x241B, 127: 0x2421})
    assert visible in shown.text


def test_right_to_left_text_sets_its_own_direction(make_summary, read_page):
    shown = read_page(page(make_summary(n=60).document()))
    assert all(quote["dir"] == "auto" for quote in shown.all("blockquote"))
    assert "المنتج ممتاز" in shown.text


def test_a_long_verbatim_is_cut_and_all_of_it_is_in_the_page(make_summary, read_page):
    text = "It was good until it was not, " * 30
    shown = read_page(page(make_summary(n=3, texts=(text,)).document()))
    # seven repetitions take 7 x 30 = 210 characters; "It was" reaches 216, one more word 221, past the limit
    assert f"{text[:216]}…" in shown.text
    assert "all of it" in shown.text
    assert text in shown.text


def test_possible_codes_are_named_with_the_way_to_leave_them_out(make_summary, read_page):
    plain = make_summary(n=30)
    assert "--missing" not in page(plain.document())
    codes = {"NA": 1200, "don't know": 3, "other numbers": 2}
    shown = read_page(page(dataclasses.replace(plain, possible_codes=codes).document()))
    shown.assert_harmless()
    assert shown.text.index("1,205 rated texts look") < shown.text.index("How the ratings are spread")
    assert (
        "1,205 rated texts look like codes for a missing answer (NA 1,200, don't know 3, other numbers 2); "
        """to leave them out: --missing NA --missing 'don'"'"'t know'"""
    ) in shown.text


def test_a_few_possible_codes_are_listed_and_the_rest_is_hinted_at(make_summary):
    codes = {str(number): 1 for number in range(9)}
    shown = page(dataclasses.replace(make_summary(n=30), possible_codes=codes).document())
    assert "(0 1, 1 1, 2 1, 3 1, 4 1, 5 1, ...)" in shown


@pytest.mark.parametrize(("n", "most", "least"), [(5, 3, 2), (1, 1, 0), (300, 6, 6)])
def test_each_row_is_among_the_most_or_the_least_certain_ones(make_summary, n, most, least):
    summary = make_summary(n=n)
    columns = dict(verbatims(summary).columns)
    shown = {title: [one.entropy.value for one in column] for title, column in columns.items()}
    expected = {"most certain": most, "least certain": least}
    assert {title: len(column) for title, column in shown.items()} == {k: v for k, v in expected.items() if v}
    rows = [one.row for column in columns.values() for one in column]
    assert len(set(rows)) == len(rows) == most + least
    assert max(shown["most certain"]) <= min(shown.get("least certain", [float("inf")]))
