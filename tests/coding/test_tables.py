"""Coding of tables: checks of columns, parts, samples, and another run."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from semscale.coding import table_coding
from semscale.coding.codebook import load_codebook
from semscale.coding.coder import Coder, CodeScores
from semscale.coding.coding import code_answers, fit_codes
from semscale.coding.coding_cells import check_coding_cells
from semscale.coding.coding_collector import CodingCollector
from semscale.coding.coding_columns import CodingColumns
from semscale.coding.labels import HandCodes
from semscale.coding.other_runs import OtherRun
from semscale.coding.summary import SummaryPlan
from semscale.coding.table_coding import LIKENESS, TEXT_STATUS, CodingWork, LearntCodes, score_table
from semscale.errors import InputError
from semscale.report.coding import coding_document
from semscale.signature import Signature
from semscale.store.reading import open_table
from semscale.store.runs.table_run import PartSettings, TableRun
from semscale.store.writing import write_table
from semscale.types import Status

ROWS = {
    "text": ["battery", "price", "screen", "hello", "battery price"],
    "hand": [None, "cost", None, "none", "power; cost"],
    "p": [None, "0.5", None, "0.5", "1"],
    "who": ["a", "b", "b", None, None],
    "part": ["x", "y", "y", "x", "y"],
    "w": ["1", "2", "3", "4", "5"],
}
COLUMNS = CodingColumns("text", ("hand",), "p", weight="w", respondent="who", strata="part")


@pytest.fixture
def checked(book, tmp_path):
    """A function that checks the rows with some cells changed, two rows at a time."""

    def check(columns=COLUMNS, **changed):
        pl.DataFrame({**ROWS, **changed}).write_csv(tmp_path / "in.csv")
        return check_coding_cells(open_table(tmp_path / "in.csv"), columns, book, 2)

    return check


def test_hand_coded_rows_are_kept_with_their_answers_and_places(checked):
    table, hand = checked()
    assert table.n_rows == 5
    assert hand.rows.tolist() == [1, 3, 4]
    assert hand.answers == ("price", "hello", "battery price")
    # codes of the book: power, cost, display
    assert hand.codes.codes.tolist() == [[[0, 1, 0], [0, 0, 0], [1, 1, 0]]]
    assert hand.codes.inclusion.tolist() == [0.5, 0.5, 1]


def test_a_table_with_answers_alone_is_not_read(checked):
    table, hand = checked(CodingColumns("text"))
    assert table.n_rows is None
    assert (len(hand.rows), hand.codes) == (0, None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hand": [None, "cost", None, "size", None]}, "labels: column 'hand', row 4: no code 'size'"),
        ({"p": [None, "0.5", None, None, "1"]}, "row 4 has a label alone"),
        ({"p": ["x"] * 5, "hand": [None] * 5}, "inclusion: column 'p' has no number"),
        ({"w": ["1", "2", "3", "4", "-5"]}, "data row 5 has '-5'"),
        ({"part": ["x", "y", "y", None, "y"]}, "strata: column 'part' is empty in data row 4"),
        # rows 2 and 3 are of one respondent, and are read in two batches
        ({"part": ["x", "y", "x", "x", "y"]}, "respondent: 'b' lies in more than one of the strata"),
    ],
)
def test_a_wrong_cell_is_named_by_its_row_in_the_file(checked, changed, said):
    with pytest.raises(InputError, match=said):
        checked(**changed)


def test_rows_without_a_respondent_may_lie_in_any_stratum(checked):
    checked(who=[None] * 5)


def test_a_rating_needs_a_number_somewhere(checked):
    columns = replace(COLUMNS, strata=None, rating="part")
    with pytest.raises(InputError, match="rating: column 'part' has no number"):
        checked(columns)
    assert np.isfinite(checked(columns, part=["x", "x", "x", "x", "3"])[0].n_rows)


BOOK = """name: phones
codes:
  - {name: power, definition: battery life, examples: [the battery died]}
  - {name: cost, definition: price paid, examples: [the price rose]}
"""
CELLS = ["battery", None, 5, "", "the price rose"]


@pytest.fixture
def work(toy_embedder, tmp_path):
    """Work on five cells, of which one is a number."""
    (tmp_path / "codes.yaml").write_text(BOOK)
    lines = [json.dumps({"text": cell, "n": place}) for place, cell in enumerate(CELLS)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    coder = Coder(load_codebook(tmp_path / "codes.yaml"), embedder=toy_embedder)

    def learn():
        fitted = fit_codes(coder.score([]), np.zeros(0, np.int64))
        return LearntCodes(fitted, CodingCollector(fitted, CodingColumns("text"), SummaryPlan()))

    return CodingWork(open_table(tmp_path / "in.jsonl"), "text", coder, learn)


def test_parts_are_coded_as_all_answers_together_in_the_order_of_the_rows(work, tmp_path):
    summary = TableRun(work.table, PartSettings(2)).of(work, tmp_path / "out.parquet")
    written = pl.read_parquet(tmp_path / "out.parquet")
    expected = code_answers(work.coder.score(CELLS)).to_frame()
    assert written.columns == ["text", "n", *expected.columns]
    assert not {LIKENESS, TEXT_STATUS} & set(written.columns)
    assert written.select(expected.columns).equals(expected)
    assert written["n"].to_list() == [0, 1, 2, 3, 4]
    # A number is no answer, also where its column has become text.
    assert summary.reasons == {"missing": 1, "not-text": 1, "empty": 1}
    assert summary.n == 5


def test_a_cell_that_is_no_text_is_never_shown(work):
    summary = TableRun(work.table, PartSettings(2)).of(work, None)
    assert {quote.text for one in summary.quotes for quote in (*one.typical, *one.borderline)} == {
        "battery", "the price rose"
    }  # fmt: skip
    (part,) = work.parts(5, 0)
    assert part.frame[TEXT_STATUS][2] == Status.NOT_TEXT


ALL_TEXT = np.zeros(2, dtype=bool)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_it_is_read_from_its_table_some_rows_at_a_time(book, key_words, tmp_path, ending):
    texts = ["the battery", "=price", None, "- a screen", "hello"]
    found = code_answers(Coder(book, embedder=key_words).score(texts))
    path = tmp_path / f"coded.{ending}"
    write_table(pl.concat([pl.DataFrame({"text": texts}), found.to_frame()], how="horizontal"), path)
    other = OtherRun(open_table(path), book, "text", path.name)
    read = [other.take(texts[:2], ALL_TEXT), other.take(texts[2:], np.zeros(3, dtype=bool))]
    other.check_ended()
    assert np.array_equal(np.concatenate(read), found.assigned, equal_nan=True)


@pytest.fixture
def other(book, tmp_path):
    """A run that had one of three codes, on two answers."""
    pl.DataFrame({"text": ["a", "b"], "semscale_cost": [1, 0]}).write_csv(tmp_path / "t.csv")
    return lambda: OtherRun(open_table(tmp_path / "t.csv"), book, "text", "t.csv")


@pytest.mark.parametrize("texts", [["a", "c"], ["a", "b", "c"]])
def test_other_answers_are_refused(other, texts):
    with pytest.raises(InputError, match="t.csv must have the same answers in the same order"):
        other().take(texts, np.zeros(len(texts), dtype=bool))


def test_more_answers_are_refused(other):
    run = other()
    run.take(["a"], ALL_TEXT[:1])
    with pytest.raises(InputError, match="must have the same answers"):
        run.check_ended()


def test_a_code_that_it_did_not_have_is_not_known(other):
    assert other().take(["a", "b"], ALL_TEXT)[:, 1].tolist() == [1, 0]
    assert np.isnan(other().take(["a", "b"], ALL_TEXT)[:, [0, 2]]).all()


def test_a_cell_that_is_no_text_here_is_not_compared(other):
    assert other().take([None, "b"], np.array([True, False])).shape == (2, 3)
    with pytest.raises(InputError, match="must have the same answers"):
        other().take([None, "c"], np.array([True, False]))


def test_a_table_without_any_of_the_codes_is_refused(book, tmp_path):
    (tmp_path / "t.csv").write_text("text\na\n")
    with pytest.raises(InputError, match="no column semscale_power and no other code"):
        OtherRun(open_table(tmp_path / "t.csv"), book, "text", "t.csv")


N, CODED, KEPT = 3000, 150, 1000
DESIGNED = CodingColumns("text", ("hand",), by=("region",), rating="stars", weight="w", respondent="who")


@pytest.fixture
def collected(book):
    """A function that sums up 3,000 answers, with hand codes of 150, in parts of 700 rows."""
    rng = np.random.default_rng(5)
    likeness = rng.uniform(size=(N, 3))
    codes = (rng.uniform(size=(N, 3)) < likeness).astype(float)
    status = np.array([Status.SCORED] * N, dtype=object)
    scores = CodeScores(book, likeness, status, Signature.of("code"))
    frame = pl.DataFrame({
        "text": [f"answer {row}" for row in range(N)],
        "region": ["north", "south", None] * (N // 3),
        "stars": 1.0 + 2 * codes[:, 0] + rng.normal(size=N),
        "w": rng.uniform(0.5, 1.5, size=N),
        "who": [f"{row // 2}" for row in range(N)],
    })  # fmt: skip
    # People coded the first answers, which are no random sample of the rows but one of the scores.
    rows = np.arange(CODED)
    hand = HandCodes(codes[None, :CODED], ("hand",))

    def summary(columns, most, size=700):
        fitted = fit_codes(scores.some(rows), rows, hand=hand if columns.labels else None)
        if not columns.labels:
            fitted = fit_codes(scores.some(rows[:0]), rows[:0])
        plan = SummaryPlan(rating="stars", weight=columns.weight or "")
        collector = CodingCollector(fitted, columns, plan, most=most)
        for start in range(0, N, size):
            some = np.arange(start, min(start + size, N))
            collector.add(scores.some(some), frame["text"][some.tolist()].to_list(), frame[some.tolist()])
        return collector.summary()

    return summary


BARE = CodingColumns("text", by=("region",))


def test_without_hand_codes_and_weights_everything_but_drivers_is_of_all_answers(collected):
    whole, part = collected(BARE, N), collected(BARE, KEPT)
    assert (whole.sampled, part.sampled) == (None, KEPT)
    found, expected = json.loads(part.to_json()), json.loads(whole.to_json())
    for name in ("codes", "groups", "tests", "pairs", "outcomes", "reasons", "rows", "readable"):
        assert found[name] == expected[name], name


def test_the_size_of_parts_changes_nothing(collected):
    for most in (N, KEPT):
        first, second = (json.loads(collected(DESIGNED, most, size).to_json()) for size in (N, 313))
        assert {**first, "created": 0} == {**second, "created": 0}


@pytest.mark.parametrize(
    "columns", [DESIGNED, replace(DESIGNED, weight=None, respondent=None)], ids=["weighted", "plain"]
)
def test_figures_from_the_sample_are_near_those_of_all_answers(collected, columns):
    whole, part = collected(columns, N), collected(columns, KEPT)
    for all_of, some in zip(whole.shares, part.shares, strict=True):
        assert (some.n, some.n_assigned, some.n_unsure) == (all_of.n, all_of.n_assigned, all_of.n_unsure)
        assert some.corrected.n_labelled == all_of.corrected.n_labelled == CODED
        # 1,000 of 3,000 rows: standard error of a share about .013, of a mean score about .008
        assert some.counted.value == pytest.approx(all_of.counted.value, abs=0.05)
        assert some.corrected.value == pytest.approx(all_of.corrected.value, abs=0.04)
        assert some.corrected.low < all_of.corrected.value < some.corrected.high
    assert part.agreement.people == whole.agreement.people
    assert part.calibrations == whole.calibrations
    assert part.n_hand == CODED
    assert part.quotes == whole.quotes
    # the rating is 2 higher with the code itself, and the coder errs now and then
    first = part.drivers.drivers[0].difference
    assert first.low < whole.drivers.drivers[0].difference.value < first.high


def test_hand_coded_answers_do_not_count_twice_in_weighted_shares(collected):
    # Nearly all rows of the sample are others: the weight of 150 coded rows must stay 150 of 3,000.
    part = collected(replace(DESIGNED, respondent=None), 200)
    whole = collected(replace(DESIGNED, respondent=None), N)
    for one, other in zip(part.shares, whole.shares, strict=True):
        assert one.corrected.naive.value == pytest.approx(other.corrected.naive.value, abs=0.05)
        assert one.corrected.n_labelled + one.corrected.n_unlabelled < 200 + CODED


def test_the_report_and_json_say_what_is_made_from_a_sample(collected):
    part, whole = collected(DESIGNED, KEPT), collected(DESIGNED, N)
    assert json.loads(part.to_json())["sampled"] == KEPT
    assert json.loads(whole.to_json())["sampled"] is None
    said = [caution for caution in coding_document(part).cautions if "random sample of 1,000" in caution]
    assert said == [
        "Made from a random sample of 1,000 of the 3,000 rows, and from all hand-coded rows: counted "
        "and corrected shares, their tests between groups and drivers. All other figures are of all rows."
    ]
    assert not any("random sample of" in caution for caution in coding_document(whole).cautions)


def test_scores_are_the_same_in_parts(tmp_path, book, key_words, monkeypatch):
    cells = ["battery life", "a low price", "", "bright screen", "battery"]
    pl.DataFrame({"text": cells}).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(table_coding, "_BATCH", 2)
    coder = Coder(book, embedder=key_words)
    found, whole = score_table(open_table(tmp_path / "t.parquet"), "text", coder), coder.score(cells)
    assert np.array_equal(found.likeness, whole.likeness, equal_nan=True)
    assert found.text_status.tolist() == whole.text_status.tolist()
