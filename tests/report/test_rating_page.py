"""The report on ratings shows every figure, survives every shape, and runs nothing."""

import dataclasses
import re

import polars as pl
import pytest

from semscale.rating.comparison import compare
from semscale.rating.rater import Rater
from semscale.report.rating_page import rating_page
from semscale.report.wording import number, percent, percent_with_interval, with_interval

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
ATTACKS = (
    "<script>alert('x')</script>",
    "</style></svg><img src=https://example.org/x onerror=alert(1)>",
    "{{ 7 * 7 }} {% raw %}",
    "javascript:alert(1)",
    '" onmouseover="alert(1)',
    "null\x00bell\x07escape\x1b[31mdelete\x7f",
    "\u202egnp.exe",
)


@pytest.fixture(scope="module")
def full(make_summary):
    return make_summary(n=60, groups=5, comparison=True)


@pytest.fixture(scope="module")
def parsed(full, read_page):
    return read_page(rating_page(full))


def test_it_is_one_harmless_document(parsed):
    assert parsed.source.startswith("<!DOCTYPE html>")
    parsed.assert_harmless()
    policies = [
        meta["content"] for meta in parsed.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == [POLICY]


def test_every_picture_says_what_it_shows_and_has_its_numbers_beneath(parsed):
    pictures = parsed.all("svg")
    assert pictures
    for picture in pictures:
        assert picture["role"] == "img"
        assert re.search(r"\d", picture["aria-label"])
    tags = [tag for tag, _ in parsed.tags]
    assert tags.count("figure") == tags.count("figcaption") == 6
    for place in (index for index, tag in enumerate(tags) if tag == "figure"):
        rest = tags[place : place + tags[place:].index("table") + 1]
        assert "svg" in rest
        assert "details" in rest


def test_the_headline_has_the_mean_and_its_interval(full, parsed):
    mean = full.estimates.overall.mean
    assert number(mean.value) in parsed.text
    assert f"[{number(mean.low)}, {number(mean.high)}]" in parsed.text
    assert f"between {number(mean.low)} and {number(mean.high)} (95 % interval)" in parsed.text
    assert "1 is “Very bad” and 5 is “Very good”" in parsed.text


def test_every_estimate_is_shown(full, parsed):
    overall = full.estimates.overall
    for figure in (overall.top_2_box, overall.bottom_2_box, overall.net):
        assert percent(figure.value) in parsed.text
        assert percent_with_interval(figure).split("% ")[1] in parsed.text
    for share in overall.pmf:
        assert percent_with_interval(share) in parsed.text
    for group in full.estimates.groups:
        assert group.group in parsed.text
        assert with_interval(group.mean) in parsed.text
        assert percent_with_interval(group.top_2_box) in parsed.text
        for share in group.pmf:
            assert number(100 * share.value, 1) in parsed.text


def test_the_left_out_rows_are_counted_with_examples(parsed):
    assert "off-topic" in parsed.text
    assert "The weather is nice today." in parsed.text
    assert "row 10" in parsed.text  # the example lies in row 9 from 0
    assert "4.5\u00a0%" in parsed.text  # 3 of 67 rows


def test_the_signature_the_settings_and_both_citations_are_there(full, parsed):
    assert str(full.signature) in parsed.text
    for shown in ("reviews.csv", "2026-11-21", "cosine 0.123", "2,000 bootstrap resamples of texts, seed 0"):
        assert shown in parsed.text
    assert "arXiv:2510.08338" in parsed.text
    assert f"Semscale, version {full.signature.version}" in parsed.text


def test_the_sample_says_how_many_of_how_many(make_summary):
    summary = make_summary(n=500)
    assert summary.sample.height == 400
    assert "A random sample of 400 of the 500 rated texts" in rating_page(summary)


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_words_are_shown_not_run(attack, make_summary, make_scale, read_page):
    scale = make_scale(3, label=attack).model_copy(update={"notes": attack, "title": attack})
    summary = make_summary(scale=scale, n=9, groups=2, texts=(attack,), comparison=True)
    groups = tuple(
        dataclasses.replace(group, group=attack + str(i)) for i, group in enumerate(summary.estimates.groups)
    )
    left_out = pl.DataFrame({"row": [1], "text": [attack], "status": ["off-topic"]})
    page = read_page(
        rating_page(
            dataclasses.replace(
                summary,
                source=attack,
                by=attack,
                weight=attack,
                respondent=attack,
                left_out=left_out,
                set_names=tuple(f"{attack}{i}" for i in range(6)),
                estimates=dataclasses.replace(summary.estimates, groups=groups),
            )
        )
    )
    page.assert_harmless()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", page.source)
    visible = attack.translate({0: 0x2400, 7: 0x2407, 27: 0x241B, 127: 0x2421})
    assert visible in page.text


def test_right_to_left_text_sets_its_own_direction(parsed):
    assert all(quote["dir"] == "auto" for quote in parsed.all("blockquote"))
    assert "المنتج ممتاز" in parsed.text


def test_a_long_verbatim_is_cut_and_all_of_it_is_in_the_page(make_summary, read_page):
    text = "It was good until it was not, " * 30
    page = read_page(rating_page(make_summary(n=3, texts=(text,))))
    # seven repetitions take 7 x 30 = 210 characters; "It was" reaches 216, one more word 221, past the limit
    assert f"{text[:216]}…" in page.text
    assert "all of it" in page.text
    assert text in page.text


def test_nothing_scored_says_why_and_shows_no_figure(make_summary, read_page):
    page = read_page(rating_page(make_summary(n=0)))
    page.assert_harmless()
    assert "None of the 7 rows could be rated: 4 empty and 3 off-topic." in page.text
    assert page.all("svg") == []
    assert "mean score" not in page.text
    assert "0.00" not in page.text


def test_an_input_without_rows_says_so(make_summary):
    summary = make_summary(n=0)
    overall = dataclasses.replace(summary.estimates.overall, left_out={})
    empty = dataclasses.replace(
        summary,
        n=0,
        counts={"scored": 0},
        n_windowed=0,
        left_out=summary.left_out.clear(),
        estimates=dataclasses.replace(summary.estimates, overall=overall),
    )
    assert "The input has no rows" in rating_page(empty)


def test_one_text_has_a_mean_but_no_interval(make_summary):
    page = rating_page(make_summary(n=1))
    assert "One text alone does not show how far another would differ" in page
    assert not re.search(r"\bnan\b", page)
    assert "cannot be said: it takes two rated texts" in page


def test_only_the_largest_groups_are_drawn_and_the_table_has_all(make_summary, read_page):
    page = read_page(rating_page(make_summary(n=30, groups=200)))
    assert "The 40 largest of 200 groups are drawn, all are below." in page.text
    drawn = next(svg["aria-label"] for svg in page.all("svg") if "Mean of each group" in svg["aria-label"])
    # sizes fall from 400 by one a group, so the first 40 are the largest
    assert "Region 40:" in drawn
    assert "Region 41:" not in drawn
    assert "Region 200" in page.text


def test_a_group_without_a_rated_text_has_dashes_and_a_missing_group_has_a_name(make_summary):
    summary = make_summary(n=30, groups=2)
    first, second = summary.estimates.groups
    nothing = dict.fromkeys(("mean", "top_2_box", "bottom_2_box", "net", "nps"))
    groups = (
        dataclasses.replace(first, group=None),
        dataclasses.replace(second, n=0, pmf=(), effective_n=0.0, **nothing),
    )
    page = rating_page(
        dataclasses.replace(summary, estimates=dataclasses.replace(summary.estimates, groups=groups))
    )
    assert "(no region)" in page
    row = re.search(r'<tr><th scope="row" dir="auto">Region 2</th>(.*?)</tr>', page)[1]
    # rated and left out, then mean, three boxes and five points without a figure
    assert re.findall(r"<td>(.*?)</td>", row) == ["0", "2", *["–"] * 9]


def test_weights_show_the_effective_size(make_summary):
    summary = make_summary(n=30, groups=2)
    overall = dataclasses.replace(summary.estimates.overall, effective_n=12.34)
    page = rating_page(
        dataclasses.replace(
            summary, weight="w", estimates=dataclasses.replace(summary.estimates, overall=overall)
        )
    )
    assert "Effective n" in page
    assert "12.3" in page
    assert "column “w”" in page


def test_a_neutral_scale_has_one_ramp_and_a_bad_one_turns_the_colours(make_summary, make_scale):
    legends = {}
    for polarity in ("ascending-good", "ascending-bad", "neutral"):
        page = rating_page(make_summary(scale=make_scale(5, polarity=polarity), n=20, groups=2))
        legends[polarity] = re.findall(r'<i style="background:(#\w+)">', page)
    assert legends["ascending-bad"] == legends["ascending-good"][::-1]
    assert set(legends["neutral"]) != set(legends["ascending-good"])


SHAPES = [  # points, texts, groups, anchor sets: every value of one meets extremes of the others
    (2, 2, 0, 1),
    (2, 17, 3, 6),
    (3, 2, 3, 2),
    (4, 1, 1, 1),
    (5, 300, 0, 6),
    (5, 17, 45, 2),
    (7, 2, 3, 6),
    (9, 17, 1, 1),
    (10, 1, 0, 3),
    (11, 2, 0, 2),
    (11, 17, 3, 6),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape_gives_a_sound_page(shape, make_summary, make_scale, read_page):
    n_points, n, groups, sets = shape
    scale = make_scale(n_points, lowest=0, label="A label that goes on for rather longer than most labels do")
    page = read_page(
        rating_page(make_summary(scale=scale, n=n, groups=groups, sets=sets, comparison=n_points % 2 == 1))
    )
    page.assert_harmless()
    assert len(page.source.encode()) < 500_000
    assert not re.search(r"\b(nan|None|inf)\b", page.text)
    assert ("Net promoter score" in page.text) == (n_points == 11)
    assert ("Top-2-box" in page.text) == (n_points >= 4)
    assert ("By region" in page.text) == (groups > 0)


def test_the_largest_page_stays_under_half_a_megabyte(make_summary, make_scale):
    scale = make_scale(11, lowest=0, label="A label that goes on")
    page = rating_page(make_summary(scale=scale, n=500, groups=200, comparison=True))
    assert len(page.encode()) < 500_000


def test_the_same_summary_gives_the_same_page(make_summary):
    summary = make_summary(n=3)
    assert rating_page(summary) == rating_page(summary)


def test_a_page_of_real_ratings_is_sound(make_scale, toy_embedder, read_page):
    texts = ["plain 0 and plain 1", "warm 4 by far", None, "  ", "brief 2, casual 3", "<i>formal 1</i>"]
    ratings = Rater(make_scale(5), embedder=toy_embedder, floor=None).rate(texts)
    human = compare(
        ratings.pmf, [1, 5, None, None, 3, 2], values=ratings.scale.values, lengths=[19, 13, 0, 0, 17, 15]
    )
    page = read_page(
        rating_page(
            ratings.summarize(
                texts,
                estimates=ratings.estimate(by=list("aabbab")),
                comparison=human,
                source="made-up.csv",
                by="half",
            )
        )
    )
    page.assert_harmless()
    assert number(ratings.estimate().overall.mean.value) in page.text
    assert "<i>formal 1</i>" in page.text
    assert re.search(r"Texts\s*6\s*Rated\s*4\s*Left out\s*2", page.text)
    assert not re.search(r"\b(nan|None)\b", page.text)


def test_possible_codes_are_named_with_the_way_to_leave_them_out(make_summary, read_page):
    plain = make_summary(n=30)
    assert "--missing" not in rating_page(plain)
    codes = {"NA": 1200, "don't know": 3, "other numbers": 2}
    page = read_page(rating_page(dataclasses.replace(plain, possible_codes=codes)))
    page.assert_harmless()
    assert (
        "1,205 rated texts look like codes for a missing answer (NA 1,200, don't know 3, other numbers 2); "
        """to leave them out: --missing NA --missing 'don'"'"'t know'"""
    ) in page.text


def test_a_few_possible_codes_are_listed_and_the_rest_is_hinted_at(make_summary):
    codes = {str(number): 1 for number in range(9)}
    page = rating_page(dataclasses.replace(make_summary(n=30), possible_codes=codes))
    assert "(0 1, 1 1, 2 1, 3 1, 4 1, 5 1, ...)" in page
