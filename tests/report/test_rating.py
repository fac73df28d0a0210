"""The document of rated texts."""

import dataclasses
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from tests.schema_check import check_json
from tests.workbook_sheets import sheets_of

from semscale.rating.calibration import HonestError
from semscale.rating.expected import expected_correlation
from semscale.rating.human import CorrectedFigure, compare, correct_mean
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.rating.summary import LanguageTexts
from semscale.report.chart_kit import GRID, contrast
from semscale.report.document import Quoted
from semscale.report.formatting import number, percent, percent_with_interval, with_interval
from semscale.report.html import line_html, page
from semscale.report.markdown import markdown
from semscale.report.rating import (
    NPS_CAUTION,
    calibration_line,
    calibration_warnings,
    mean_advice,
    missing_anchors_sentence,
    verbatims,
)
from semscale.report.scale_trust import variance_advice
from semscale.report.terminal import print_document
from semscale.results.estimates import GroupDifference
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.stats.intervals import Estimate, Moments
from semscale.stats.prediction_powered import CorrectedMean
from semscale.stats.variance_components import crossed_components

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

RANKING = "Use this mean to compare groups and texts, not as an absolute level."


@pytest.fixture(scope="module")
def full(make_summary):
    return make_summary(n=60, groups=5, comparison=True)


@pytest.fixture(scope="module")
def parsed(full, read_page):
    return read_page(page(full.document()))


def test_rating_page_is_a_single_harmless_document(parsed):
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
    for position in (index for index, tag in enumerate(tags) if tag == "figure"):
        rest = tags[position : position + tags[position:].index("table") + 1]
        assert "svg" in rest
        assert "details" in rest


def test_the_headline_has_the_mean_and_its_interval(full, parsed):
    mean = full.estimates.overall.mean
    assert number(mean.value) in parsed.text
    assert f"[{number(mean.low)}, {number(mean.high)}]" in parsed.text
    assert "plausibly lies in the interval" in parsed.text
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
    assert dict(document.settings)["Readout"].startswith("ordinal: the position of the text between")
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
    assert "as precise as that of 12 texts of equal weight (effective n)" in shown
    assert "column “<bdi>w</bdi>”" in shown


def test_neutral_scale_has_a_separate_ramp_and_bad_scale_reverses_colours(make_summary, make_scale):
    legends = {}
    for polarity in ("ascending-good", "ascending-bad", "neutral"):
        shown = page(make_summary(scale=make_scale(5, polarity=polarity), n=20, groups=2).document())
        legends[polarity] = re.findall(r'<i style="background:(#\w+);', shown)
    assert legends["ascending-bad"] == legends["ascending-good"][::-1]
    assert set(legends["neutral"]) != set(legends["ascending-good"])


@pytest.mark.parametrize(
    ("name", "message"),
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
def test_a_name_is_held_together_with_its_quotes_behind_its_slashes(name, message):
    assert line_html(("Is “", Quoted(name), "” as good?")) == f"Is {message} as good?"


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
    assert re.search(r"Rows\s*6\s*Rated\s*4\s*Left out\s*2", shown.text)
    assert not re.search(r"\b(nan|None)\b", shown.text)


SCALE = load_scale("quality")

ENGLISH = LanguageTexts(("en",), 6, 5, 0, "en")

GERMAN = LanguageTexts(("de",), 3, 0, 3, None)

FRENCH = LanguageTexts(("fr",), 3, 1, 2, "en")

UNCLEAR = LanguageTexts((None,), 1, 1, 0, "en")


def summary(*languages, without_anchors=()):
    unread = sum(result.unread for result in languages)
    return SimpleNamespace(
        scale=SCALE,
        languages=languages,
        without_anchors=without_anchors,
        counts={"scored": sum(result.rated for result in languages), "other-language": unread},
    )


def document_with(make_summary, *languages):
    return dataclasses.replace(make_summary(n=30), languages=languages).document()


def test_texts_that_were_not_read_are_warned_of_with_their_languages(make_summary):
    assert document_with(make_summary, ENGLISH, GERMAN, UNCLEAR).brief_sentences("warning") == (
        "3 of 10 texts (30\N{NO-BREAK SPACE}%) have no rating: the model does not read their language "
        "(German 3). Use a model that does (--embedder e5-small).",
    )
    assert document_with(make_summary, ENGLISH, UNCLEAR).sentences("warning") == ()


def test_named_languages_add_up_to_the_unrated_texts(make_summary):
    (warning,) = document_with(make_summary, ENGLISH, GERMAN, FRENCH).sentences("warning")
    assert warning.startswith("5 of 12 texts (42\N{NO-BREAK SPACE}%) have no rating")
    assert "(German 3 and French 2)" in warning


def languages_of(document):
    return [section.blocks[0] for section in document.sections if section.name == "languages"]


@pytest.mark.parametrize(("languages", "shown"), [((ENGLISH, UNCLEAR), 0), ((ENGLISH, GERMAN), 1)])
def test_languages_are_listed_if_a_text_is_outside_the_scale_language(make_summary, languages, shown):
    assert len(languages_of(document_with(make_summary, *languages))) == shown


def test_every_language_has_its_row(make_summary):
    (table,) = languages_of(document_with(make_summary, ENGLISH, GERMAN, UNCLEAR))
    rows = [(name.text, texts.value, rated.value, anchors.text) for name, texts, rated, anchors in table.rows]
    assert rows == [("English", 6, 5, "English"), ("German", 3, 0, "–"), ("not clear", 1, 1, "English")]


def test_anchors_outside_the_requested_language_are_reported():
    # Quality is translated into Polish, and not into Finnish or Russian.
    polish, finnish, russian = (LanguageTexts((code,), 2, 2, 0, "en") for code in ("pl", "fi", "ru"))
    assert missing_anchors_sentence(summary(ENGLISH)) is None
    assert missing_anchors_sentence(summary(polish, without_anchors=[polish])) == (
        "This scale has no anchors in Polish that passed their check with this model, so all ratings are by "
        "English anchors."
    )
    assert missing_anchors_sentence(summary(russian, without_anchors=[russian])) == (
        "This scale has no anchors in Russian, so all ratings are by English anchors."
    )
    three = [polish, finnish, russian]
    assert missing_anchors_sentence(summary(ENGLISH, *three, without_anchors=three)) == (
        "This scale has no anchors in Finnish and Russian, and none in Polish that passed their check with "
        "this model, so their 6 of 11 ratings are by English anchors."
    )


def test_many_languages_are_not_all_named():
    several = [LanguageTexts((code,), 1, 1, 0, "en") for code in ("ru", "fi", "sv", "da", "no")]
    message = missing_anchors_sentence(summary(*several, without_anchors=several))
    assert "no anchors in Russian, Finnish, Swedish and 2 others, so" in message


def components(texts, sets, noise):
    rng = np.random.default_rng(0)
    table = texts * rng.standard_normal((200, 1)) + np.array(sets) + noise * rng.standard_normal((200, 3))
    return crossed_components(Moments.empty(3).with_clusters(np.hstack([table, np.ones((200, 1))])), 3)


def test_sets_that_differ_call_for_other_anchors():
    # Sets 0, .5 and 1 have a variance of .25: .25 / 3 is far above the 1 / 200 of the texts.
    message = variance_advice(components(1.0, [0.0, 0.5, 1.0], 0.2))
    assert ": improve the anchors or add anchor sets." in message
    assert "lower it to 0.29" in message


def test_sets_that_agree_call_for_more_texts():
    assert ": rate more texts." in variance_advice(components(1.0, [0.0, 0.0, 0.0], 0.1))


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
@pytest.mark.exhaustive
def test_hostile_text_is_shown_and_not_executed(attack, make_summary, make_scale, read_page):
    scale = make_scale(3, label=attack).model_copy(update={"notes": attack, "title": attack})
    summary = make_summary(scale=scale, n=9, groups=2, texts=(attack,), comparison=True)
    groups = tuple(
        dataclasses.replace(group, group=attack + str(i)) for i, group in enumerate(summary.estimates.groups)
    )
    left_out = {"off-topic": ((1, attack),)}
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


def test_right_to_left_text_sets_its_direction(make_summary, read_page):
    shown = read_page(page(make_summary(n=60).document()))
    assert all(quote["dir"] == "auto" for quote in shown.all("blockquote"))
    assert "المنتج ممتاز" in shown.text


def test_a_long_verbatim_is_cut_and_all_of_it_is_in_the_page(make_summary, read_page):
    text = "It was good until it was not, " * 30
    shown = read_page(page(make_summary(n=3, texts=(text,)).document()))
    # seven repetitions take 7 x 30 = 210 characters; "It was" reaches 216, one more word 221, past the limit
    assert f"{text[:216]}…" in shown.text
    assert "full text" in shown.text
    assert text in shown.text


def test_possible_codes_are_named_with_the_way_to_leave_them_out(make_summary, read_page):
    plain = make_summary(n=30)
    assert "--missing" not in page(plain.document())
    codes = {"NA": 1200, "don't know": 3, "other numbers": 2}
    shown = read_page(page(dataclasses.replace(plain, possible_codes=codes).document()))
    shown.assert_harmless()
    assert shown.text.index("1,205 rated texts seem") < shown.text.index("Expected share of each point")
    assert (
        "1,205 rated texts seem to mean “no answer” (1,200 × NA, 3 × don't know, "
        "2 × other numbers); "
        """to leave them out: --missing NA --missing "don't know\""""
    ) in shown.text


def test_a_few_possible_codes_are_listed_and_the_rest_is_hinted_at(make_summary):
    codes = {str(number): 1 for number in range(9)}
    shown = page(dataclasses.replace(make_summary(n=30), possible_codes=codes).document())
    assert "(1 × 0, 1 × 1, 1 × 2, 1 × 3, 1 × 4, 1 × 5, ...)" in shown


@pytest.mark.parametrize(("n", "most", "least"), [(5, 3, 2), (1, 1, 0), (300, 6, 6)])
def test_rows_are_either_most_or_least_certain(make_summary, n, most, least):
    summary = make_summary(n=n)
    columns = dict(verbatims(summary).columns)
    shown = {title: [entry.entropy.value for entry in column] for title, column in columns.items()}
    expected = {"most certain": most, "least certain": least}
    assert {title: len(column) for title, column in shown.items()} == {k: v for k, v in expected.items() if v}
    rows = [entry.row for column in columns.values() for entry in column]
    assert len(set(rows)) == len(rows) == most + least
    assert max(shown["most certain"]) <= min(shown.get("least certain", [float("inf")]))


def test_what_a_comparison_says_is_passed_on(make_summary):
    summary = make_summary(n=30, comparison=True)
    before = summary.document().sentences("caution")
    compared = dataclasses.replace(summary.comparison, notes=("3 ratings lie off the scale",))
    cautions = dataclasses.replace(summary, comparison=compared).document().sentences("caution")
    assert set(cautions) - set(before) == {"3 ratings lie off the scale"}


def test_a_net_promoter_score_has_a_caution(make_summary, make_scale):
    eleven = make_scale(11, lowest=0)
    assert NPS_CAUTION in make_summary(scale=eleven, n=30).document().sentences("caution")
    assert NPS_CAUTION not in make_summary(n=30).document().sentences("caution")


def test_a_failed_lint_is_a_warning_where_no_correlation_is_expected(make_summary):
    summary = make_summary(n=30)
    failed, warned = (
        SimpleNamespace(
            verdict=verdict, reasons=(f"{verdict}: plain: its ends are alike",), worst_first=(), findings=()
        )
        for verdict in ("fail", "warn")
    )
    assert dataclasses.replace(summary, lint=failed).document().sentences("warning") == (
        "This scale fails the linter (fail: plain: its ends are alike)",
    )
    assert dataclasses.replace(summary, lint=warned).document().sentences("warning") == ()
    rated = dataclasses.replace(summary, lint=failed, expected=expected_correlation(0.2, 100))
    assert rated.document().sentences("warning") == ()


def test_readout_is_named_and_explained(make_summary):
    def readout(**settings):
        summary = dataclasses.replace(make_summary(n=3), signature=Signature.of("rate", **settings))
        return dict(summary.document().settings).get("Readout")

    assert readout(readout="ssr").startswith("ssr: the more similar an anchor")
    assert readout(readout="ordinal").endswith("by a cumulative probit model")
    assert readout(scale="mood") is None


def calibrated(error):
    labels = SimpleNamespace(n=40)
    return SimpleNamespace(labels=labels, error=error)


def test_a_calibrated_mean_is_a_level_unless_the_calibration_is_no_gain():
    def advice(calibration):
        return mean_advice(
            SimpleNamespace(
                calibration=calibration, comparison=None, scale=load_scale("quality"), is_doubtful=False
            )
        )

    level = advice(calibrated(HonestError(0.1, 0.2)))
    assert level.startswith("Calibrated by 40 labelled texts: a level")
    assert advice(calibrated(HonestError(0.2, 0.2))) == advice(None) == RANKING


def test_a_calibration_by_reversed_labels_or_without_a_ranking_is_warned_of_and_is_no_level():
    clear = {"gain_low": 0.05, "gain_high": 0.15}
    turned = calibrated(HonestError(0.1, 0.2, **clear, pearson_low=0.4, rated_pearson_high=-0.47))
    flat = calibrated(HonestError(0.1, 0.2, **clear, pearson_low=-0.57, rated_pearson_high=0.18))
    (warning,) = calibration_warnings(turned)
    assert "run against the labels: was the scale filled in backwards?" in warning
    (warning,) = calibration_warnings(flat)
    assert "not shown to distinguish texts" in warning
    assert list(calibration_warnings(calibrated(HonestError(0.1, 0.2)))) == []
    for calibration in (turned, flat):
        assert "a level" not in mean_advice(
            SimpleNamespace(calibration=calibration, comparison=None, is_doubtful=False)
        )


def test_a_calibration_makes_ratings_worse_only_where_the_interval_excludes_0():
    noise = calibrated(HonestError(0.078, 0.074, gain_low=-0.026, gain_high=0.018))
    harm = calibrated(HonestError(0.078, 0.074, gain_low=-0.026, gain_high=-0.001))
    (warning,) = calibration_warnings(noise)
    assert warning.startswith("It is not clear that this calibration helps")
    (warning,) = calibration_warnings(harm)
    assert warning.startswith("This calibration makes ratings worse")
    assert calibration_line(SimpleNamespace(calibration=noise)) == "40 labelled texts"


def test_many_unfamiliar_texts_raise_a_caution(make_summary):
    def unlike(n):
        calibration = calibrated(HonestError(0.1, 0.2))
        summary = dataclasses.replace(
            make_summary(n=30), calibration=calibration, counts={"scored": 100}, n_unfamiliar=n
        )
        return [caution for caution in summary.document().sentences("caution") if "unlike" in caution]

    assert unlike(10) == []
    (caution,) = unlike(11)
    assert caution.startswith("11 of 100 rated texts are unlike those")


def test_nothing_scored_says_why_and_shows_no_figure(make_summary, read_page):
    shown = read_page(page(make_summary(n=0).document()))
    shown.assert_harmless()
    message = "nothing to estimate. 0 of 7 rows were scored; left out: 4 empty and 3 off-topic."
    assert message in shown.text
    assert shown.all("svg") == []
    assert "mean score" not in shown.text
    assert "0.00" not in shown.text


def test_an_input_without_rows_says_so(make_summary):
    summary = make_summary(n=0)
    overall = dataclasses.replace(summary.estimates.overall, left_out={})
    empty = dataclasses.replace(
        summary,
        counts={},
        n_windowed=0,
        left_out={},
        estimates=dataclasses.replace(summary.estimates, overall=overall),
    )
    assert "The input has no rows" in page(empty.document())


def test_single_text_has_a_mean_but_no_interval(make_summary):
    shown = page(make_summary(n=1).document())
    assert "One text does not show the spread" in shown
    assert not re.search(r"\bnan\b", shown)
    assert "is not known: it takes two rated texts" in shown


def test_only_the_largest_groups_are_drawn_and_the_table_has_all(make_summary, read_page):
    shown = read_page(page(make_summary(n=30, groups=200).document()))
    assert "The 40 largest of 200 groups are drawn, all are below." in shown.text
    drawn = next(svg["aria-label"] for svg in shown.all("svg") if "of each group" in svg["aria-label"])
    # sizes fall from 400 by one a group, so the first 40 are the largest
    assert "Region 40 (n" in drawn
    assert "Region 41 (n" not in drawn
    assert "Region 200" in shown.text


def test_a_group_without_a_rated_text_has_dashes_and_a_missing_group_has_a_name(make_summary):
    summary = make_summary(n=30, groups=2)
    first, second = summary.estimates.groups
    groups = (
        dataclasses.replace(first, group=None),
        dataclasses.replace(second, n=0, figures={}, effective_n=0.0),
    )
    shown = page(
        dataclasses.replace(
            summary, estimates=dataclasses.replace(summary.estimates, groups=groups)
        ).document()
    )
    assert "(no region)" in shown
    row = re.search(r'<tr><th scope="row" dir="auto">Region 2</th>(.*?)</tr>', shown)[1]
    # rated and left out, then mean, three boxes and five points without a figure
    assert re.findall(r"<td>(.*?)</td>", row) == ["0", "2", *["–"] * 9]


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


@pytest.mark.exhaustive
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape_gives_a_sound_page(shape, make_summary, make_scale, read_page):
    n_points, n, groups, sets = shape
    scale = make_scale(n_points, lowest=0, label="A label that goes on for rather longer than most labels do")
    shown = read_page(
        page(
            make_summary(scale=scale, n=n, groups=groups, sets=sets, comparison=n_points % 2 == 1).document()
        )
    )
    shown.assert_harmless()
    assert len(shown.source.encode()) < 500_000
    assert not re.search(r"\b(nan|None|inf)\b", shown.text)
    assert ("net promoter score:" in shown.text) == (n_points == 11)
    assert ("top-2-box:" in shown.text) == (n_points >= 4)
    assert ("By region" in shown.text) == (groups > 0)


@pytest.mark.exhaustive
def test_the_largest_page_stays_under_half_a_megabyte(make_summary, make_scale):
    scale = make_scale(11, lowest=0, label="A label that goes on")
    shown = page(make_summary(scale=scale, n=500, groups=200, comparison=True).document())
    assert len(shown.encode()) < 500_000


TEXTS = ["plain 0 and plain 1", "warm 4 by far", None, "brief 2, casual 3", "formal 1 alone", "verdict 3"]


@pytest.fixture
def rated(make_scale, toy_embedder):
    return Rater(make_scale(5), embedder=toy_embedder, floor=None).rate(TEXTS)


@pytest.fixture
def linted(make_scale, toy_embedder):
    return lint(make_scale(5), embedder=toy_embedder)


def test_the_screen_has_the_figures_the_bars_and_the_groups(make_summary, capsys):
    print_document(make_summary(n=60, groups=2).document())
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "Quality  reviews.csv",
        "60 of 67 rows were scored; left out: 4 empty and 3 off-topic",
    ]
    positions = [lines.index(line) for line in ("Altogether (95 % interval)", "Distribution", "By region")]
    assert positions == sorted(positions)
    assert [line[0] for line in lines[positions[1] + 2 : positions[1] + 7]] == list("12345")
    assert lines[positions[2] + 1].split() == ["region", "rows", "left", "out", "mean", "top", "2", "points"]
    assert "intervals: 95 %, 2,000 bootstrap resamples of rows, seed 0" in lines
    assert "2 rows with texts read in overlapping windows, because of their length" in lines


def test_every_output_says_once_that_the_mean_is_no_level(make_summary, tmp_path, capsys):
    summary = make_summary(n=60, groups=2, comparison=True)
    document = summary.document()
    print_document(document)
    assert capsys.readouterr().out.count(RANKING) == 1
    shown = page(document)
    assert shown.count(RANKING) == 1
    assert (
        shown.index("and its 95\N{NO-BREAK SPACE}% interval")
        < shown.index(RANKING)
        < shown.index('class="ruler"')
    )
    written = markdown(document)
    assert written.count(RANKING) == 1
    assert f"interval)\n\n{RANKING}\n" in written
    assert summary._repr_html_().count(RANKING) == 1
    summary.report(tmp_path / "rated.xlsx")
    cells = [
        cell for sheet in sheets_of(tmp_path / "rated.xlsx").values() for row in sheet.rows() for cell in row
    ]
    assert cells.count(RANKING) == 1


def test_limit_names_the_uncorrected_mean_beside_a_corrected_mean(make_summary):
    summary = make_summary(n=60, comparison=True)
    rated, alone = summary.estimates.overall.mean, Estimate(2.6, 2.3, 2.9)
    mean = CorrectedMean(2.6, 2.4, 2.8, rated, alone, 0.5, 0.8, 12, 48, 0, "jackknife")
    corrected = dataclasses.replace(summary.comparison, corrected=mean)
    advice = mean_advice(dataclasses.replace(summary, comparison=corrected))
    assert advice == RANKING.replace("this mean", "the uncorrected mean")


def test_missing_mean_gives_no_advice(make_summary, capsys):
    document = make_summary(n=0).document()
    print_document(document)
    assert "ranking" not in capsys.readouterr().out
    assert RANKING not in page(document)


def test_findings_of_the_linter_are_with_the_scale(rated, linted, read_page):
    summary = rated.summarize(TEXTS, lint=linted)
    shown = read_page(page(summary.document()))
    shown.assert_harmless()
    head, _, rest = shown.text.partition("Expected share of each point")
    assert "linter" not in head  # warnings are no reason to distrust a mean
    assert "passes with warnings" in rest
    for entry in linted.findings:
        assert f"{entry.anchor_set or 'all sets'}: {entry.reason}" in rest


@pytest.mark.exhaustive
def test_markdown_and_workbook_have_every_section(make_summary, tmp_path):
    summary = make_summary(n=60, groups=2, comparison=True)
    shown = markdown(summary.document())
    summary.report(tmp_path / "rated.xlsx", figures=tmp_path / "figures")
    book = sheets_of(tmp_path / "rated.xlsx")
    titles = (
        "Expected share of each point", "By region", "Comparison with human ratings",
        "All ratings at a glance", "The clearest and the vaguest", "Rows left out",
        "Can the scale be trusted",
    )  # fmt: skip
    for title in titles:
        assert f"## {title}" in shown
        assert title[:31] in [name.replace("  ", " ") for name in book]
    rows = {row[0]: row[1:4] for row in book["Expected share of each point"].iter_rows()}
    overall = summary.estimates.overall
    for name, figure in (("Mean, from 1 to 5", overall.mean), ("1 Very bad", overall.pmf[0])):
        written = [float(cell) for cell in rows[name]]
        assert written == pytest.approx([figure.value, figure.low, figure.high], abs=1e-8)
    names = ("agreement-of-sets", "distribution", "groups", "human-distributions", "human-means", "texts")
    saved = sorted(file.name for file in (tmp_path / "figures").iterdir())
    assert saved == sorted(f"{name}.{ending}" for name in names for ending in ("png", "svg"))


def test_json_has_the_numbers_and_no_picture_of_them(make_summary):
    summary = make_summary(n=60, groups=2, comparison=True)
    text = summary.to_json()
    check_json(text)
    result = json.loads(text)
    assert (result["schema"], result["instrument"], result["rows"]) == (1, "rate", 67)
    assert result["estimates"]["overall"]["figures"]["mean"]["value"] == summary.estimates.overall.mean.value
    assert result["estimates"]["overall"]["n_left_out"] == 7
    assert result["comparison"]["pearson"] == {"value": 0.583, "low": 0.583 - 0.021, "high": 0.583 + 0.021}
    assert "points" not in result["comparison"]
    assert result["lint"] is None


def test_a_summary_without_texts_shows_the_figures_and_no_text(rated, read_page):
    summary = rated.summarize()
    assert (summary.n, summary.n_distinct) == (6, None)
    assert summary.estimates.overall.mean.value == pytest.approx(np.nanmean(rated.mean))
    shown = read_page(page(summary.document()))
    shown.assert_harmless()
    assert "All ratings at a glance" in shown.text
    assert "The clearest and the vaguest" not in shown.text
    assert "None" not in shown.text


def test_codes_are_hinted_at_without_texts_too(rated):
    assert rated.summarize().possible_codes == rated.possible_codes == {}
    known = dataclasses.replace(rated, possible_codes={"NA": 2})
    assert known.summarize().possible_codes == {"NA": 2}


def test_a_notebook_and_a_prompt_get_little(make_summary):
    summary = make_summary(n=300)
    mean = summary.estimates.overall.mean
    shown = f"mean={mean.value:.2f} [{mean.low:.2f}, {mean.high:.2f}]"
    assert repr(summary) == f"RatingSummary(source='reviews.csv', n=307, n_scored=300, {shown})"
    shown = summary._repr_html_()
    assert shown.count("<svg") == 1
    assert "mean score" in shown
    assert len(shown) < 20_000


def test_few_texts_have_a_tick_below_every_column(make_summary):
    summary = make_summary(n=5)
    heat = next(figure for figure in summary.document().figures() if figure.name == "texts")
    shown = heat.chart(860).inline("texts")
    cells = re.findall(r"M([\d.]+),[\d.]+h([\d.]+)v", shown)
    left, right = min(float(x) for x, _ in cells), max(float(x) + float(across) for x, across in cells)
    ticks = [float(x) for x in re.findall(r'<line x1="([\d.]+)"', shown)]
    column = (right - left) / 5
    assert ticks == pytest.approx([left + column * (position + 0.5) for position in range(5)], abs=0.1)
    means = sorted(summary.sample["mean"].to_list())
    assert re.findall(r">(\d\.\d\d)</text>", shown) == [f"{mean:.2f}" for mean in means]


def test_corrected_boxes_and_groups_are_beside_the_ratings_and_groups_are_tested(full, read_page):
    names = [group.group for group in full.estimates.groups]
    assert len(names) >= 3
    column = full.by or "group"
    groups = (
        CorrectedFigure("mean", 40, 12, 3.21, 3.01, 3.41, column, names[0], 0.02, 0.04),
        CorrectedFigure("top_2_box", 40, 12, 0.412, 0.3, 0.5, column, names[0]),
        CorrectedFigure("mean", 40, 15, 3.21, 3.01, 3.41, column, names[1], 0.02, 0.04),
        CorrectedFigure("top_2_box", 40, 15, 0.412, 0.3, 0.5, column, names[1]),
        CorrectedFigure("mean", 20, 4, by=column, group=names[2]),
    )
    # Labels 1, 2 and 3, four times each, and one text without a label.
    mean = correct_mean(
        np.r_[np.tile([1.0, 2.0, 3.0], 4), 4.0],
        np.r_[np.tile([1.0, 2.0, 3.0], 4), np.nan][:, None],
        np.arange(1.0, 6.0),
    )
    compared = dataclasses.replace(
        full.comparison,
        corrected=mean,
        corrected_figures=(
            CorrectedFigure("mean", 13, 12, mean.value, mean.low, mean.high),
            CorrectedFigure("top_2_box", 13, 12, 0.345, 0.25, 0.44),
            *groups,
        ),
        n_unrated=2,
    )
    differences = (
        GroupDifference(names[0], names[1], Estimate(0.5, 0.1, 0.9), 0.01, 0.03),
        GroupDifference(names[0], names[2], Estimate(0.1, -0.3, 0.5), 0.6, 0.6),
    )
    summary = dataclasses.replace(full, comparison=compared, group_differences={column: differences})
    shown = " ".join(read_page(page(summary.document())).text.split())
    assert "all 13 texts that can be read, 2 of them without a rating" in shown
    assert "op 2 points, corrected by the labels34.5 % [25.0, 44.0]" in shown
    assert "not corrected (4 labels)" in shown
    assert "3.21 [3.01, 3.41]" in shown
    assert "Means differ significantly in 1 of 2 pairs of groups at 5 %" in shown
    assert "significantly: p = 0.040 for all of them together" in shown
    assert "Differences of groups (2)" in shown
    three = correct_mean(np.arange(1.0, 5.0), np.array([[1.0], [2.0], [3.0], [np.nan]]), np.arange(1.0, 6.0))
    few = dataclasses.replace(
        summary, comparison=dataclasses.replace(compared, corrected=three, corrected_figures=())
    )
    shown = " ".join(read_page(page(few.document())).text.split())
    assert "top-2-box: probability of 4 or 5; not corrected by the labels, which takes 10" in shown
    check_json(summary.to_json())
