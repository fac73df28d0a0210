"""Coding of tables: checks of columns, parts, samples, and another run."""

import json

import numpy as np
import polars as pl
import pytest

from semscale.coding.coder import Coder, CodeScores
from semscale.coding.coding import code_answers
from semscale.coding.sentiment import sentiment_rater
from semscale.coding.settings import CodeSettings, CodingColumns
from semscale.coding.table import CodingTable, OtherRun
from semscale.errors import InputError
from semscale.report.coding import coding_document
from semscale.results.table_runs import PartSettings, measure_table
from semscale.signature import Signature
from semscale.store.reading import open_table
from semscale.store.writing import write_table
from semscale.types import Status

ROWS = {
    "text": ["battery", "price", "screen", "hello", "battery price"],
    "hand": [None, "cost", None, "none", "power; cost"],
    "p": [None, "0.5", None, "0.5", "1"],
    "who": ["a", "b", "b", None, None],
    "part": ["x", "y", "y", "x", "y"],
    "w": ["1", "2", "3", "4", "5"],
    "stars": ["1", "2", "x", "3", ""],
}
COLUMNS = CodingColumns(
    text="text", labels=("hand",), inclusion="p", weight="w", respondent="who", strata="part"
)


@pytest.fixture
def summed(book, keyword_embedder, tmp_path):
    """A function that codes the rows with some cells changed, two rows at a time."""

    def run(columns=COLUMNS, **changed):
        pl.DataFrame({**ROWS, **changed}).write_csv(tmp_path / "in.csv")
        instrument = CodingTable(columns, book, lambda: Coder(book, embedder=keyword_embedder))
        return measure_table(open_table(tmp_path / "in.csv"), instrument, settings=PartSettings(2))

    return run


def test_hand_coded_rows_are_used_with_their_answers(summed, keyword_embedder):
    summary = summed()
    # answers with power, cost and display, and hand-coded answers without
    assert [(code.n_with, code.n_without) for code in summary.calibrations] == [(1, 2), (2, 1), (0, 3)]
    assert (summary.n, summary.n_hand, summary.is_drawn) == (5, 3, True)
    answers = [text for text in keyword_embedder.embedded if text in {"price", "hello", "battery price"}]
    assert list(dict.fromkeys(answers)) == ["price", "hello", "battery price"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"hand": [None, "cost", None, "size", None]}, "labels: column 'hand', row 4: no code 'size'"),
        ({"p": [None, "0.5", None, None, "1"]}, "row 4 has only a label"),
        ({"p": ["x"] * 5, "hand": [None] * 5}, "inclusion: column 'p' has no number"),
        ({"w": ["1", "2", "3", "4", "-5"]}, "data row 5 has '-5'"),
        ({"part": ["x", "y", "y", None, "y"]}, "strata: column 'part' is empty in data row 4"),
        # rows 2 and 3 are of one respondent, and are read in two batches
        ({"part": ["x", "y", "x", "x", "y"]}, "respondent: 'b' lies in more than one of the strata"),
    ],
)
def test_a_wrong_cell_is_named_by_its_row_before_any_text_is_embedded(
    summed, keyword_embedder, changed, message
):
    with pytest.raises(InputError, match=message):
        summed(**changed)
    assert keyword_embedder.embedded == []


def test_rows_without_a_respondent_may_lie_in_any_stratum(summed):
    assert summed(who=[None] * 5).n == 5


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"labels": ("text",)}, "labels must be another column than text, got 'text' for both"),
        ({"by": ("text",)}, "by: column 'text' has the answers"),
        ({"by": ("part", "part")}, "by: column 'part' is named twice"),
        ({"inclusion": "p"}, "inclusion belongs to labels"),
    ],
)
def test_columns_that_cannot_be_combined_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        CodingColumns(text="text", **columns)


CELLS = ["battery", None, 5, "", "the price rose"]


@pytest.fixture
def mixed(tmp_path):
    """Five cells, of which one is a number."""
    lines = [json.dumps({"text": cell, "n": n}) for n, cell in enumerate(CELLS)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    return open_table(tmp_path / "in.jsonl")


def test_parts_are_coded_as_all_answers_together_in_the_order_of_the_rows(
    mixed, book, keyword_embedder, tmp_path
):
    coder = Coder(book, embedder=keyword_embedder)
    instrument = CodingTable(CodingColumns(text="text"), book, lambda: coder)
    summary = measure_table(mixed, instrument, out=tmp_path / "out.parquet", settings=PartSettings(2))
    written = pl.read_parquet(tmp_path / "out.parquet")
    expected = code_answers(
        coder.score(CELLS), rater=sentiment_rater("quality", coder.embedder, "en")
    ).to_frame()
    assert written.columns == ["text", "n", *(f"semscale_{name}" for name in expected.columns)]
    assert written[:, 2:].rename(lambda name: name.removeprefix("semscale_")).equals(expected)
    assert written["n"].to_list() == [0, 1, 2, 3, 4]
    # A number is no answer, also where its column has become text.
    assert summary.reasons == {"missing": 1, "not-text": 1, "empty": 1}
    assert summary.n == 5
    assert {quote.text for quotes in summary.quotes for quote in quotes} == {
        "battery", "the price rose"
    }  # fmt: skip


ALL_TEXT = np.zeros(2, dtype=bool)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_an_earlier_run_is_read_in_batches(book, keyword_embedder, tmp_path, ending):
    texts = ["the battery", "=price", None, "- a screen", "hello"]
    coding = code_answers(Coder(book, embedder=keyword_embedder).score(texts))
    path = tmp_path / f"coded.{ending}"
    codes = coding.to_frame().rename(lambda name: f"semscale_{name}")
    write_table(pl.concat([pl.DataFrame({"text": texts}), codes], how="horizontal"), path)
    other = OtherRun(open_table(path), book, CodingColumns(text="text"), path.name)
    read = [other.take(texts[:2], ALL_TEXT), other.take(texts[2:], np.zeros(3, dtype=bool))]
    other.check_ended()
    assert np.array_equal(np.concatenate(read), coding.assigned, equal_nan=True)


@pytest.fixture
def other(book, tmp_path):
    """A run that had one of three codes, on two answers."""
    pl.DataFrame({"text": ["a", "b"], "semscale_cost": [1, 0]}).write_csv(tmp_path / "t.csv")
    return lambda: OtherRun(open_table(tmp_path / "t.csv"), book, CodingColumns(text="text"), "t.csv")


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
        OtherRun(open_table(tmp_path / "t.csv"), book, CodingColumns(text="text"), "t.csv")


N, CODED, SAMPLED = 3000, 150, 1000
BARE = CodingColumns(text="text", by=("region",))
DESIGNED = CodingColumns(
    text="text", labels=("hand",), by=("region",), rating="stars", weight="w", respondent="who"
)


@pytest.fixture
def collected(book, tmp_path):
    """A function that sums up 3,000 answers, with hand codes of 150, in parts of 700 rows."""
    rng = np.random.default_rng(5)
    likeness = rng.uniform(size=(N, 3))
    codes = (rng.uniform(size=(N, 3)) < likeness).astype(float)
    status = np.array([Status.SCORED] * N, dtype=object)
    scores = CodeScores(book, likeness, status, Signature.of("code"))
    # People coded the first answers, which are no random sample of the rows but one of the scores.
    hand = ["; ".join(np.array(book.names)[row == 1]) or "none" for row in codes[:CODED]]
    table = pl.DataFrame({
        "text": [f"answer {row}" for row in range(N)],
        "hand": [*hand, *[None] * (N - CODED)],
        "region": ["north", "south", None] * (N // 3),
        "stars": 1.0 + 2 * codes[:, 0] + rng.normal(size=N),
        "w": rng.uniform(0.5, 1.5, size=N),
        "who": [f"{row // 2}" for row in range(N)],
    })  # fmt: skip
    table.write_parquet(tmp_path / "in.parquet")

    class NumberCoder:
        """Looks the scores of an answer up by its number."""

        signature, embedder, language = scores.signature, None, "en"

        def adapt(self, batches, *, missing=frozenset()):
            return self

        def learn(self, answers, codes, *, seed=0, missing=frozenset(), progress=None):
            return self

        def score(self, cells, *, hand_coded=None, missing=frozenset(), progress=None):
            return scores.some(np.array([int(cell.split()[1]) for cell in cells], dtype=int))

    def summary(columns, most, size=700):
        instrument = CodingTable(
            columns, book, NumberCoder, settings=CodeSettings(sentiment="none"), most=most
        )
        return measure_table(open_table(tmp_path / "in.parquet"), instrument, settings=PartSettings(size))

    return summary


@pytest.mark.exhaustive
def test_without_hand_codes_and_weights_everything_but_drivers_is_of_all_answers(collected):
    whole, part = collected(BARE, N), collected(BARE, SAMPLED)
    assert (whole.sampled, part.sampled) == (None, SAMPLED)
    coding, expected = json.loads(part.to_json()), json.loads(whole.to_json())
    for name in ("codes", "group_shares", "tests", "pairs", "outcomes", "reasons", "rows", "readable"):
        assert coding[name] == expected[name], name


@pytest.mark.parametrize(
    "columns", [DESIGNED, DESIGNED.with_values(weight=None, respondent=None)], ids=["weighted", "plain"]
)
@pytest.mark.exhaustive
def test_figures_from_the_sample_are_near_those_of_all_answers(collected, columns):
    whole, part = collected(columns, N), collected(columns, SAMPLED)
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


@pytest.mark.exhaustive
def test_hand_coded_answers_do_not_count_twice_in_weighted_shares(collected):
    # Nearly all rows of the sample are others: the weight of 150 coded rows must stay 150 of 3,000.
    part = collected(DESIGNED.with_values(respondent=None), 200)
    whole = collected(DESIGNED.with_values(respondent=None), N)
    for share, other in zip(part.shares, whole.shares, strict=True):
        assert share.corrected.naive.value == pytest.approx(other.corrected.naive.value, abs=0.05)
        assert share.corrected.n_labelled + share.corrected.n_unlabelled < 200 + CODED


@pytest.mark.exhaustive
def test_the_report_and_json_state_what_is_computed_from_a_sample(collected):
    part, whole = collected(DESIGNED, SAMPLED), collected(DESIGNED, N)
    assert json.loads(part.to_json())["sampled"] == SAMPLED
    assert json.loads(whole.to_json())["sampled"] is None
    cautions = [
        caution
        for caution in coding_document(part).sentences("caution")
        if "random sample of 1,000" in caution
    ]
    assert cautions == [
        "Computed from a random sample of 1,000 of the 3,000 rows, and from all hand-coded rows: counted "
        "and corrected shares, their tests between groups and drivers. All other figures are of all rows."
    ]
    assert not any("random sample of" in caution for caution in coding_document(whole).sentences("caution"))
