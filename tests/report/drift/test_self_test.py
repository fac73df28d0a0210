"""The report on a self-test shows every rate with its interval, and false alarms apart from detection."""

from dataclasses import replace

import pytest

from semscale.damage.damages import DAMAGES
from semscale.drift.self_testing.results import SelfTest, SelfTestRow
from semscale.report.drift_runs import change_label, self_test_document
from semscale.report.html import page
from semscale.report.terminal import print_document
from semscale.signature import Signature
from semscale.stats.intervals.shares import wilson_interval

SHARES = (0.1, 0.25, 0.5, 1.0)


def row(kind, failed, *, harmful=True, share=1.0, draws=200):
    left = draws - failed
    return SelfTestRow(
        kind, harmful, share, 30, 59 if draws else 0, draws,
        *(wilson_interval(n, draws) for n in (failed, left - left // 2, left // 2)), {"match": failed / 200},
    )  # fmt: skip


def result_of(rows, *, reruns=2, alpha=0.05):
    return SelfTest(tuple(rows), reruns, Signature.of("self-test", draws=200, seed=0), alpha)


@pytest.fixture
def shown_of(read_page):
    return lambda result: read_page(page(self_test_document(result)))


@pytest.fixture(scope="module")
def full():
    alarms = [row("rerun", 4, harmful=False, share=0.0), row("paraphrase", 6, harmful=False)]
    damage = [row(kind, int(200 * share), share=share) for kind in ("drop", "swap") for share in SHARES]
    return result_of([*alarms, *damage])


def test_it_is_one_harmless_document(full, shown_of):
    shown = shown_of(full)
    shown.assert_harmless()
    assert len(shown.source.encode()) < 500_000
    assert str(full.signature) in shown.text


def test_every_rate_stands_with_its_interval(full, shown_of):
    shown = shown_of(full)
    # Wilson's interval of 100 of 200 is .5 +- .0686, of 4 of 200 it is .0078 to .0503
    assert "50.0\u00a0% [43.1, 56.9]" in shown.text
    assert "2.0\u00a0% [0.8, 5.0]" in shown.text
    labels = [picture["aria-label"] for picture in shown.all("svg")]
    assert len(labels) == 4  # two pictures, each for wide and narrow screens
    assert "drop: 10\u00a0% at 10\u00a0% damaged" in labels[0]
    assert "False alarms, 5\u00a0% allowed. rerun 2.0\u00a0% [0.8, 5.0]" in labels[2]


def test_the_head_names_the_weakest_detection_and_the_most_false_alarms(full, shown_of):
    shown = shown_of(full)
    head = shown.text.split("What it detects")[0]
    assert "100.0\u00a0% 98.1\u00a0% to 100.0\u00a0%" in head
    assert "3.0\u00a0% 1.4\u00a0% to 6.4\u00a0%" in head
    assert "2 of 2 kinds of damage are detected in at least 95\u00a0% of draws" in head
    assert "No harmless change raises more than 5\u00a0% false alarms." in head


def test_weak_detection_and_too_many_alarms_are_named(shown_of):
    rows = [
        row("shuffle", 40, harmful=False),
        row("paraphrase", 11, harmful=False),
        row("negate", 120),
        row("swap", 200),
    ]
    head = shown_of(result_of(rows)).text.split("What it detects")[0]
    assert "Detected less often: negate." in head
    assert (
        "More than 5\u00a0% false alarms, beyond chance: shuffle, 100\u00a0% of items." in head
    )  # 20 %, low 15 %
    assert (
        "Above 5\u00a0%, within chance of the draws: paraphrase, 100\u00a0% of items." in head
    )  # 5.5 %, low 3.1 %


def test_without_a_rerun_the_page_says_what_is_not_known(shown_of):
    shown = shown_of(result_of([row("identity", 0, harmful=False, share=0.0)], reruns=0))
    shown.assert_harmless()
    assert "Without a rerun of the baseline" in shown.text
    assert "Nothing was changed." in shown.text


def test_a_change_that_no_item_can_undergo_is_no_zero(shown_of):
    shown = shown_of(result_of([row("numbers", 0, draws=0), row("swap", 200)]))
    shown.assert_harmless()
    assert "No item can be changed in these ways, so nothing is known of them: numbers." in shown.text
    assert "1 of 1 kind of damage" in shown.text


def test_one_rerun_is_too_few_to_draw_a_candidate_from(shown_of):
    shown = shown_of(result_of([row("rerun", 0, harmful=False, share=0.0, draws=0), row("swap", 200)]))
    assert "needs two reruns" in shown.text
    assert "no item can be changed so" not in shown.text


def test_every_kind_of_change_is_explained(shown_of):
    rows = [row(kind, 100, harmful=damage.is_harmful) for kind, damage in DAMAGES.items()]
    shown = shown_of(result_of(rows))
    for damage in DAMAGES.values():
        assert damage.meaning in shown.text


def test_nothing_drawn_makes_a_page(shown_of):
    shown = shown_of(result_of([]))
    shown.assert_harmless()
    assert "Nothing was drawn." in shown.text


def test_the_share_is_named_where_there_is_one():
    assert change_label(row("rerun", 1, harmful=False, share=0.0)) == "rerun"
    assert change_label(row("swap", 1, share=0.25)) == "swap, 25\u00a0% of items"


def test_page_and_screen_say_how_intervals_were_made(full, shown_of, capsys):
    narrow = replace(full, interval=0.9)
    made = "90 %, Wilson's score interval over draws"
    print_document(self_test_document(narrow))
    assert f"intervals: {made}" in capsys.readouterr().out
    shown = shown_of(narrow).text
    assert made.replace(" %", "\N{NO-BREAK SPACE}%") in shown
    assert shown.count("90\N{NO-BREAK SPACE}% interval") == 2
    assert "95\N{NO-BREAK SPACE}% interval" not in shown
