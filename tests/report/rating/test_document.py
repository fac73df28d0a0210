"""The report on ratings is one harmless document that shows every figure."""

import dataclasses
import re

import pytest

from semscale.rating.human import compare
from semscale.rating.rater import Rater
from semscale.report.chart_kit import GRID, contrast
from semscale.report.document import Quoted
from semscale.report.formatting import number, percent, percent_with_interval, with_interval
from semscale.report.html import line_html, page

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@pytest.fixture(scope="module")
def full(make_summary):
    return make_summary(n=60, groups=5, comparison=True)


@pytest.fixture(scope="module")
def parsed(full, read_page):
    return read_page(page(full.document()))


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
    assert (
        f"between {number(mean.low)} and {number(mean.high)} (95\N{NO-BREAK SPACE}% interval)" in parsed.text
    )
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
    for shown in (
        "reviews.csv",
        "2026-11-21",
        "cosine 0.123",
        "95\N{NO-BREAK SPACE}%, 2,000 bootstrap resamples of rows, seed 0",
    ):
        assert shown in parsed.text
    assert "arXiv:2510.08338" in parsed.text
    assert f"Semscale, version {full.signature.version}" in parsed.text


def test_the_ordinal_readout_is_named_and_cited(toy_embedder):
    rated = Rater("quality", embedder=toy_embedder, floor=None, readout="ordinal").rate(
        ["good", "bad", "fine"]
    )
    document = rated.summarize().document()
    assert dict(document.settings)["Readout"].startswith("ordinal: where the text lies between")
    assert [citation.authors for citation in document.citations][1:3] == [
        "McCullagh, P. (1980).",
        "An, J., Kwak, H., Ahn, Y.-Y. (2018).",
    ]


def test_the_sample_says_how_many_of_how_many(make_summary):
    summary = make_summary(n=500)
    assert summary.sample.height == 400
    assert "A random sample of 400 of the 500 rated texts" in page(summary.document())


def test_weights_show_the_effective_size(make_summary):
    summary = make_summary(n=30, groups=2)
    overall = dataclasses.replace(summary.estimates.overall, effective_n=12.34)
    shown = page(
        dataclasses.replace(
            summary, weight="w", estimates=dataclasses.replace(summary.estimates, overall=overall)
        ).document()
    )
    assert "Effective n" in shown
    assert "12.3" in shown
    assert "column “<bdi>w</bdi>”" in shown


def test_a_neutral_scale_has_one_ramp_and_a_bad_one_turns_the_colours(make_summary, make_scale):
    legends = {}
    for polarity in ("ascending-good", "ascending-bad", "neutral"):
        shown = page(make_summary(scale=make_scale(5, polarity=polarity), n=20, groups=2).document())
        legends[polarity] = re.findall(r'<i style="background:(#\w+)">', shown)
    assert legends["ascending-bad"] == legends["ascending-good"][::-1]
    assert set(legends["neutral"]) != set(legends["ascending-good"])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "organisation/model-b",
            '<bdi><span class="name">“organisation/</span><span class="name">model-b”</span></bdi>',
        ),
        ("model-b", '<bdi><span class="name">“model-b”</span></bdi>'),
        ("w", "“<bdi>w</bdi>”"),
        ("well-known brand", "“<bdi>well-known brand</bdi>”"),  # a text, which may break anywhere
        ("<b>-/", '<bdi><span class="name">“&lt;b&gt;-/”</span></bdi>'),
    ],
)
def test_a_name_is_held_together_with_its_quotes_behind_its_slashes(name, said):
    assert line_html(("Is “", Quoted(name), "” as good?")) == f"Is {said} as good?"


def test_a_dark_page_shows_the_lines_of_pictures(make_summary):
    dark = page(make_summary(n=60, comparison=True).document())
    # The filter of dark pages turns a colour into 1 less its channels; what replaces the lines' colour there
    # must stand out from a card, whose lightness is .015.
    assert f'[stroke="{GRID}"]' in dark
    replaced = re.search(rf'\[stroke="{GRID}"\] {{ stroke: (#[0-9a-f]{{6}}); }}', dark)[1]
    inverted = "#" + "".join(f"{255 - int(replaced[at : at + 2], 16):02x}" for at in (1, 3, 5))
    assert contrast(inverted, "#1a212a") > 1.4
    before = "#" + "".join(f"{255 - int(GRID[at : at + 2], 16):02x}" for at in (1, 3, 5))
    assert contrast(before, "#1a212a") < 1.1


def test_the_same_summary_gives_the_same_page(make_summary):
    summary = make_summary(n=3)
    assert page(summary.document()) == page(summary.document())


def test_a_page_of_real_ratings_is_sound(make_scale, toy_embedder, read_page):
    texts = ["plain 0 and plain 1", "warm 4 by far", None, "  ", "brief 2, casual 3", "<i>formal 1</i>"]
    ratings = Rater(make_scale(5), embedder=toy_embedder, floor=None).rate(texts)
    human = compare(
        ratings.pmf, [1, 5, None, None, 3, 2], values=ratings.scale.values, lengths=[19, 13, 0, 0, 17, 15]
    )
    shown = read_page(
        page(
            ratings.summarize(
                texts,
                comparison=human,
                source="made-up.csv",
                by=list("aabbab"),
            ).document()
        )
    )
    shown.assert_harmless()
    assert number(ratings.estimate().overall.mean.value) in shown.text
    assert "<i>formal 1</i>" in shown.text
    assert re.search(r"Texts\s*6\s*Rated\s*4\s*Left out\s*2", shown.text)
    assert not re.search(r"\b(nan|None)\b", shown.text)
