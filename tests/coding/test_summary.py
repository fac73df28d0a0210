"""Summaries of coded answers."""

import json
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
import pytest
from tests.coding.conftest import KeywordEmbedder
from tests.schema_check import check_json

from semscale.coding.code_shares import code_alphas
from semscale.coding.codebook_editing import put_under_net
from semscale.coding.coder import Coder
from semscale.coding.settings import CodingColumns
from semscale.coding.summary import QuoteChoice
from semscale.coding.table import CodingTable, OtherRun
from semscale.errors import InputError
from semscale.report.coding import coding_document
from semscale.report.document import Count, DataTable, Figure
from semscale.report.json_encoding import to_json
from semscale.results.table_runs import measure_table
from semscale.stats.intervals import Estimate
from semscale.store.reading import open_table

TEXTS = [
    f"{word} {n}" for n in range(20) for word in ("battery", "price", "screen", "battery price", "hello")
]
BARE = CodingColumns(text="text")


@pytest.fixture(scope="module")
def summed(book, tmp_path_factory):
    """A function that codes a table, compares it with another run where one is named, and sums it up."""

    def run(rows, columns=BARE, out=None, other=None):
        path = tmp_path_factory.mktemp("coded") / "t.parquet"
        pl.DataFrame(rows).write_parquet(path)
        compared = other and OtherRun(open_table(other), book, CodingColumns(text="text"), other.name)
        instrument = CodingTable(
            columns, book, lambda: Coder(book, embedder=KeywordEmbedder()), other=compared
        )
        return measure_table(open_table(path), instrument, out=out)

    return run


@pytest.fixture(scope="module")
def full(summed, tmp_path_factory):
    """A summary with everything: two people, groups, ratings, another run."""
    names = {"power": "battery", "cost": "price", "display": "screen"}
    ann = ["; ".join(code for code, word in names.items() if word in text) or "none" for text in TEXTS]
    rows = {
        "text": [*TEXTS, None, ""],
        "ann": [*ann, None, None],
        "bo": ["cost; display", *ann[1:], None, None],  # the opposite of power
        "region": ["north" if row % 2 else "south" for row in range(102)],
        "wave": ["third" if row < 20 else "first" for row in range(102)],
        "stars": np.arange(102) % 7 + 1.0,
    }
    columns = CodingColumns(text="text", labels=("ann", "bo"), by=("region", "wave"), rating="stars")
    other = tmp_path_factory.mktemp("runs") / "other.csv"
    summed(rows, columns, out=other)
    return summed(rows, columns, other=other)


def test_all_rows_have_exactly_1_outcome(full):
    assert sum(full.outcomes.values()) == full.n == 102
    assert full.outcomes == {"coded": 80, "other": 20, "no-answer": 2}
    assert full.reasons == {"missing": 1, "empty": 1}
    assert full.n_readable == 100
    assert full.n_hand == 100


def test_shares_of_groups_add_up_to_those_of_all(full):
    for share in full.shares:
        for by in ("region", "wave"):
            parts = [part for part in full.group_shares if (part.by, part.code) == (by, share.code)]
            assert share.n_assigned == sum(part.n_assigned for part in parts)
    assert list(dict.fromkeys((part.by, part.group) for part in full.group_shares)) == [
        ("region", "south"), ("region", "north"), ("wave", "third"), ("wave", "first"),
    ]  # fmt: skip
    assert [share.n_assigned for share in full.shares] == [40, 40, 20]


def test_equal_runs_agree_fully_and_differing_coders_do_not(full):
    assert [entry.value for entry in full.agreement.runs] == [1.0] * 3
    assert all(0.9 < entry.value < 1 for entry in full.agreement.between_people)


def test_pairs_count_answers_with_both(full):
    assert full.pairs.counts.tolist() == [[40, 20, 0], [20, 40, 0], [0, 0, 20]]


@pytest.mark.exhaustive
def test_json_keeps_to_the_schema_and_has_no_probability_without_labels(full, summed):
    no_files = {"out": None, "report": [], "figures": None}
    check_json(to_json(full, coding_document(full), further=no_files))
    bare = summed({"text": TEXTS})
    check_json(to_json(bare, coding_document(bare), further=no_files))
    result = json.loads(bare.to_json())
    assert not any(code["calibrated"] for code in result["codes"])
    assert result["drivers"] is None
    assert "Not checked by people" in result["cautions"][0]


def test_the_short_form(full):
    named = replace(full, source="t.csv")
    assert repr(named) == "CodingSummary(source='t.csv', n=102, n_coded=80, codes=3)"


def test_weights_that_sum_to_0_in_a_group_are_refused_by_its_name(summed):
    rows = {"text": ["battery", "price"], "region": ["north", "south"], "w": [1.0, 0.0]}
    with pytest.raises(InputError, match="the weights of group 'south' in column 'region' sum to 0"):
        summed(rows, CodingColumns(text="text", by=("region",), weight="w"))


def test_json_names_the_test_and_the_groups_that_took_part(full):
    result = json.loads(full.to_json())
    regions, waves = ([test for test in result["tests"] if test["by"] == by] for by in ("region", "wave"))
    assert {test["kind"] for test in regions} == {"corrected"}
    assert regions[0]["groups"] == ["south", "north"]
    # the third wave has 20 answers, so one wave is left to test
    assert waves[0]["groups"] == ["first"]
    assert [
        share["readable"]
        for share in result["group_shares"]
        if (share["by"], share["code"]) == ("wave", waves[0]["code"])
    ] == [20, 80]
    assert result["weight"] is None


def test_the_report_states_the_base_of_shares(full):
    assert coding_document(full).full_introduction == (
        "Shares are of the 100 answers that can be read; an answer may have several codes.",
    )


def test_the_report_states_how_rows_become_the_base_of_shares(summed):
    texts = ["battery", "price", "hello", "...", None]
    summary = summed({"text": texts})
    document = coding_document(summary)
    assert document.brief_introduction == ("5 rows: 2 coded, 1 other, 1 cannot be read and 1 no answer",)
    assert {name: value.value for name, value in document.facts} == {
        "Codes": 3, "Rows": 5, "No answer": 1, "Cannot be read": 1, "Coded": 2, "Other": 1, "Unsure": 0,
        "Coded by hand": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("intervals", "finding"),
    [
        (
            {"power": (0.8, 0.9), "cost": (0.4, 0.6), "display": (0.1, 0.2)},
            "‘power’ is praised most (85.0 % positive), ‘display’ least (15.0 %)",
        ),
        (
            {"power": (0.8, 0.9), "cost": (0.3, 0.6), "display": (0.2, 0.4)},
            "‘power’ is praised most (85.0 % positive)",
        ),
        (
            {"power": (0.6, 0.9), "cost": (0.5, 0.7), "display": (0.2, 0.4)},
            "‘display’ is praised least (30.0 % positive)",
        ),
        (
            {"power": (0.6, 0.9), "cost": (0.4, 0.7), "display": (0.2, 0.5)},
            "‘display’ (35.0 % positive) is praised less than ‘power’ (75.0 %)",
        ),
        (
            {"power": (0.5, 0.9), "cost": (0.4, 0.7), "display": (0.2, 0.6)},
            "No topic is clearly praised most or least",
        ),
    ],
)
def test_findings_on_sentiment_name_only_topics_with_intervals_apart(full, intervals, finding):
    def with_sentiment(share):
        low, high = intervals[share.code]
        positive = Estimate((low + high) / 2, low, high)
        return replace(share, sentiment=replace(share.sentiment, n=9, positive=positive))

    summary = replace(full, shares=tuple(map(with_sentiment, full.shares)))
    document = coding_document(summary)
    section = next(section for section in document.sections if section.name == "sentiment")
    assert [stated.replace("\u00a0", " ") for stated in section.findings] == [finding]


def test_the_most_frequent_topic_leads_only_if_its_interval_is_apart(full):
    def finding(first_low):
        lows = {"power": first_low, "cost": 0.3, "display": 0.1}
        estimates = {code: Estimate(low + 0.1, low, low + 0.2) for code, low in lows.items()}
        shares = (replace(share, corrected=None, counted=estimates[share.code]) for share in full.shares)
        document = coding_document(replace(full, shares=tuple(shares)))
        section = next(section for section in document.sections if section.name == "shares")
        return section.findings[0].replace("\u00a0", " ")

    assert finding(0.6).startswith("‘power’ is the most frequent topic (70.0 %, plausibly 60.0 % to 80.0 %")
    assert finding(0.45).startswith("Most frequent are ‘power’ (55.0 %, plausibly 45.0 % to 65.0 %")
    assert finding(0.45).endswith("; their order is not certain")


def test_groups_are_listed_in_the_order_of_their_chart(full):
    document = coding_document(full)
    section = next(section for section in document.sections if section.name == "groups")
    figure = next(block for block in section.blocks if isinstance(block, Figure))
    _, *codes = (str(row[0].text) for row in figure.table.rows if hasattr(row[0], "text"))
    assert codes == list(figure.data[0].categories)


def test_examples_mark_the_unit_that_decided(summed):
    texts = ["Hello there. The battery died, but the price is fair."] * 3
    (quote, *_) = summed({"text": texts}).quotes[0]
    section = next(
        part for part in coding_document(summed({"text": texts})).sections if part.name == "quotes"
    )
    (table, *_) = [block for block in section.blocks if isinstance(block, DataTable)]
    row = dict(zip(map(str, table.columns), table.rows[0], strict=True))
    assert [(piece.text, piece.guard) for piece in row["answer"].pieces] == [
        ("Hello there. ", None), ("The battery died", "evidence"), (", but the price is fair.", None),
    ]  # fmt: skip
    assert (quote.evidence, row["decided by"].text) == ("The battery died", quote.reason)


def test_charts_state_where_shares_first_appear_whether_people_checked_the_codes(full, summed):
    groups = {"text": TEXTS, "region": ["north", "south"] * 50}
    bare = summed(groups, CodingColumns(text="text", by=("region",)))
    unknown = "Codes were not compared with hand-coded answers: their error rate is unknown."
    assert [note.endswith(unknown) for note in notes_of_shares(bare)] == [True, True]
    checked = notes_of_shares(full)
    assert len(checked) > 1
    assert all("corrected by 100 answers coded by hand" in note for note in checked)


def test_few_hand_codes_leave_counted_shares_as_the_main_ones(summed):
    hand = ["power" if "battery" in text else "none" for text in TEXTS]
    rows = {"text": TEXTS, "ann": [*hand[:49], *[None] * 51], "region": ["north", "south"] * 50}
    few = summed(rows, CodingColumns(text="text", labels=("ann",), by=("region",)))
    document = coding_document(few)
    section = next(part for part in document.sections if part.name == "shares")
    (figure,) = [block for block in section.blocks if isinstance(block, Figure)]
    counted = {share.code: share.counted.value for share in few.shares}
    (series,) = figure.data[0].series
    assert dict(zip(figure.data[0].categories, series.values, strict=True)) == pytest.approx(counted)
    assert [str(column) for column in figure.table.columns][3:5] == ["counted share", "corrected share"]
    by_code = {row[0].text: row[4] for row in figure.table.rows}
    assert by_code["power"].value == few.shares[0].corrected.value
    # 24 and 25 answers of the regions are coded by hand, enough to correct them if 50 were in all
    assert {test.kind for test in few.tests} == {"counted"}
    too_few = "49 hand-coded answers are too few to correct shares, for which about 50 are needed"
    assert any(caution.startswith(too_few) for caution in document.sentences("caution"))
    assert all(too_few in note for note in notes_of_shares(few))


def test_hand_codes_of_all_answers_correct_shares_however_few_they_are(summed):
    hand = ["power" if "battery" in text else "none" for text in TEXTS]
    rows = {"text": TEXTS[:20], "ann": hand[:20]}
    summary = summed(rows, CodingColumns(text="text", labels=("ann",)))
    assert summary.corrects_shares
    assert "corrected by 20 answers coded by hand" in notes_of_shares(summary)[0]


def test_shares_of_groups_with_few_hand_codes_stay_as_counted(summed):
    hand = ["power" if "battery" in text else "none" for text in TEXTS]
    rows = {
        "text": TEXTS,
        "ann": [*hand[:60], *[None] * 40],  # 52 in the north, and 8 in the south
        "region": ["south"] * 8 + ["north"] * 52 + ["south"] * 40,
    }
    few = summed(rows, CodingColumns(text="text", labels=("ann",), by=("region",)))
    overall, groups = notes_of_shares(few)
    assert "corrected by 60 answers coded by hand" in overall
    assert "correcting them takes 10 hand-coded answers per group" in groups
    (section,) = [part for part in coding_document(few).sections if part.name == "groups"]
    (chart,) = section.blocks[0].data
    counted = {(share.code, share.group): share.counted.value for share in few.group_shares}
    for name, series in zip(("north", "south"), sorted(chart.series, key=lambda s: s.name), strict=True):
        assert list(series.values) == pytest.approx([counted[code, name] for code in chart.categories])


def notes_of_shares(summary):
    figures = coding_document(summary).figures()
    charts = [chart for figure in figures if figure.name != "sentiment" for chart in figure.data]
    return [chart.note for chart in charts if chart.quantity.startswith("share of answers")]


def test_shares_of_groups_have_a_chart_with_intervals_and_a_table(summed):
    groups = {"text": TEXTS, "region": ["north", "south"] * 50}
    bare = summed(groups, CodingColumns(text="text", by=("region",)))
    *_, figure = coding_document(bare).figures()
    (chart,) = figure.data
    assert [series.name.partition("\n")[0] for series in chart.series] == ["All", "north", "south"]
    for series in chart.series:
        assert all(low <= value <= high for low, value, high in zip(series.low, series.values, series.high,
                                                                    strict=True))  # fmt: skip
    assert figure.table.columns[-1] == "p (Holm)"


def test_alpha_of_twenty_answers_by_hand():
    # pairs 11 10 00 00, five times each: 15 values 1 and 25 values 0, one of four pairs differs: Do = 1/4
    # De = 2 * 15 * 25 / (40 * 39) = 750/1560; alpha = 1 - (1/4) / (750/1560) = 0.48
    ratings = np.repeat([[[1.0], [1.0], [0.0], [0.0]], [[1.0], [0.0], [0.0], [0.0]]], 5, axis=1)
    (alpha,) = code_alphas(ratings)
    assert alpha.value == pytest.approx(0.48)


def test_code_that_people_gave_four_times_has_no_alpha():
    people = np.repeat([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], 4, axis=0)
    people[4, 1] = 1.0  # the second code was given five times
    few, enough = code_alphas(np.stack([np.ones_like(people), people]), standard=people)
    assert np.isnan(few.value)
    assert few.note == "fewer than 5 answers with the code, or without it"
    assert (enough.n, enough.note) == (20, None)
    # of two people or runs, one that gave the code five times is enough: all the others disagree
    assert np.isfinite(code_alphas(np.stack([np.zeros_like(people), people]))[1].value)


def test_a_single_person_has_no_agreement():
    assert code_alphas(np.ones((1, 3, 2))) == ()


def test_most_people_count_and_ties_and_answers_without_codes_are_left_out(summed):
    rows = {
        "text": ["battery", "price", "the battery", "nothing comes to my mind today", "screen", ""],
        "a": ["power", "cost", "power; cost", "none", None, "power"],
        "b": ["power", "cost", "power", "none", None, "power"],
    }
    rows = {name: 5 * cells for name, cells in rows.items()}
    power, cost, _ = summed(rows, CodingColumns(text="text", labels=("a", "b"))).agreement.people
    # nobody coded the fifth answer, the sixth cannot be read; people differ about the cost of the third
    assert (power.value, power.n, power.n_left_out) == (1.0, 20, 10)
    assert cost.n <= 15
    assert cost.n + cost.n_left_out == 30


@dataclass
class Decisions:
    """Values of and decisions about the codes of some answers."""

    values: np.ndarray
    assigned: np.ndarray
    evidence = reasons = sentiment = None


def chosen(texts, values, assigned, size):
    """The typical and the borderline quotes of one code, from parts of some size."""
    choice = QuoteChoice([0.5])
    for start in range(0, len(texts), size):
        some = slice(start, start + size)
        choice.add(texts[some], Decisions(values[some], assigned[some]), start)
    (quotes,) = choice.quotes()
    return [[quote for quote in quotes if quote.kind == kind] for kind in ("typical", "borderline")]


@pytest.mark.parametrize("size", [8, 3, 1])
def test_quotes_are_the_greatest_and_the_nearest_without_repeats(size):
    texts = ["a", "a", "b", "c", "d", "e", None, "f"]
    values = np.array([0.9, 0.9, 0.8, 0.7, 0.6, 0.45, np.nan, 0.1])[:, None]
    assigned = np.array([1, 1, 1, 1, 1, np.nan, np.nan, 0.0])[:, None]
    typical, borderline = chosen(texts, values, assigned, size)
    assert [quote.text for quote in typical] == ["a", "b", "c"]
    # nearest to .5 among the others: .45, .6, .1
    assert [(quote.row, quote.assigned) for quote in borderline] == [(6, None), (5, True), (8, False)]


def test_a_code_without_answers_shows_only_borderline_quotes():
    typical, borderline = chosen(["a", "b"], np.array([[0.1], [0.2]]), np.zeros((2, 1)), 1)
    assert typical == []
    assert [quote.text for quote in borderline] == ["b", "a"]


@pytest.mark.needs("slides")
def test_slides_have_the_shares_of_codes_their_groups_and_their_drivers(full, tmp_path):
    from tests.support.slide_reading import (
        categories_of,
        charts_of,
        slides_of,
        texts_of,
        titles_of,
        values_of,
    )  # fmt: skip

    full.report(tmp_path / "c.pptx")
    (cover, *slides), (_, *titles) = slides_of(tmp_path / "c.pptx"), titles_of(tmp_path / "c.pptx")
    assert f"Topics of answers, by {len(full.codebook.names)} codes" in texts_of(cover)
    assert "answers that can be read, of " in texts_of(cover)
    (chart,) = charts_of(slides[0])
    shares = {share.code: share.corrected.value for share in full.shares}
    (values,) = values_of(chart).values()
    assert dict(zip(categories_of(chart), values, strict=True)) == pytest.approx(shares)
    assert values == sorted(values, reverse=True)
    # cost and power both have 40 %
    assert titles[0].startswith(f"Most frequent are ‘{categories_of(chart)[0]}’ (")
    # Sentiment; then all answers, and the two groups of the region.
    assert "prais" in titles[1]
    assert len(charts_of(slides[2])) == 3
    (drivers,) = charts_of(slides[-3])
    differences = {driver.code: driver.difference.value for driver in full.drivers.drivers}
    (values,) = values_of(drivers).values()
    assert dict(zip(categories_of(drivers), values, strict=True)) == pytest.approx(differences)
    assert titles[-2:] == ["In their own words", "How this was measured"]
    assert set(full.codebook.names).intersection(texts_of(slides[-2]).splitlines())


def test_findings_compare_codes_and_charts_and_tables_mark_nets(book, tmp_path):
    # Every answer with power or cost has the net, which is more frequent than any code.
    path, nets = tmp_path / "t.parquet", put_under_net(book, ["power", "cost"], "running it")
    regions = ["north" if row % 5 < 2 else "south" for row in range(len(TEXTS))]
    stars = [5.0 if "battery" in text else 3.0 for text in TEXTS]
    pl.DataFrame({"text": TEXTS, "region": regions, "stars": stars}).write_parquet(path)
    columns = CodingColumns(text="text", by=("region",), rating="stars")
    instrument = CodingTable(columns, nets, lambda: Coder(nets, embedder=KeywordEmbedder()))
    summary = measure_table(open_table(path), instrument)
    most = max(summary.shares, key=lambda share: share.counted.value)
    assert most.code == "running it"

    document = coding_document(summary)
    facts = dict(document.facts)
    assert (facts["Codes"], facts["Nets"]) == (Count(3), Count(1))
    findings = [finding for section in document.sections for finding in section.findings]
    assert len(findings) >= 4
    assert not [finding for finding in findings if "running it" in finding]
    drawn = [block for section in document.sections for block in section.blocks]
    labels = [
        chart.categories for block in drawn if isinstance(block, Figure | DataTable) for chart in block.data
    ]
    assert len(labels) >= 3
    assert all("running it (net)" in names and "running it" not in names for names in labels)
