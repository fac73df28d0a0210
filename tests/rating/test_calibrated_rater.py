"""A rater learns from labels, and applies what it learnt to every row alike."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.rating.calibration.labels import labelled_cells
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.file_rating import FileSettings, rate_file
from semscale.rating.rater import Rater
from semscale.report.rating.figures import group_estimate_table, groups_figure
from semscale.store.reading import open_table

WORDS = {"awful thing": 1, "so so thing": 2, "great thing": 3, "lovely lovely thing": 4}
TEXTS = [f"{words} {place}" for place in range(6) for words in WORDS]
RATINGS = [[score, min(4, score + 1)] for _ in range(6) for score in WORDS.values()]


@pytest.fixture
def learnt(rater):
    return rater, rater.calibrate([*TEXTS, "", "?!"], [*RATINGS, 3, None])


def test_labels_without_a_rating_are_counted(learnt):
    _, summary = learnt
    assert summary.left_out == {"empty": 1}
    assert (summary.calibration.labels.n, summary.calibration.labels.n_answers) == (24, 48)


def test_each_text_is_embedded_once(rater, monkeypatch):
    embed, embedded = rater.embedder.embed, []

    def counting(texts, **settings):
        embedded.extend(texts)
        return embed(texts, **settings)

    monkeypatch.setattr(rater.embedder, "embed", counting)
    rater.calibrate([*TEXTS, TEXTS[0], ""], [*RATINGS, 1, 3])
    assert sorted(set(embedded) & set(TEXTS)) == sorted(text for text in embedded if text in TEXTS)


def test_vectors_stay_with_their_texts_where_some_cells_have_no_rating(rater):
    # Cells without a rating and repeated ones stand before and between the others.
    cells = ["", TEXTS[0], None, TEXTS[2], TEXTS[0], TEXTS[1]]
    rated = rater._rated_cells(cells, None, keep_vectors=True)
    wanted = rater.embedder.embed([TEXTS[0], TEXTS[2], TEXTS[0], TEXTS[1]]).vectors
    assert rated.scored_vectors.tolist() == wanted.tolist()
    assert rated.place.tolist() == [-1, 0, -1, 1, 0, 2]


def test_it_reads_its_own_file(learnt, tmp_path):
    rater, summary = learnt
    summary.save(tmp_path / "cal.json")
    from_file = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=tmp_path / "cal.json")
    at_hand = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    assert from_file.rate(TEXTS).pmf.tolist() == at_hand.rate(TEXTS).pmf.tolist()
    assert from_file.signature == at_hand.signature != rater.signature


def test_rows_are_the_same_alone_and_in_company_and_missing_ones_stay_missing(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    together = calibrated.rate([*TEXTS, None, ""])
    assert calibrated.rate([TEXTS[3]]).pmf[0].tolist() == together.pmf[3].tolist()
    assert np.isnan(together.pmf[-2:]).all()
    np.testing.assert_allclose(together.pmf[:-2].sum(axis=1), 1)
    assert together.unlike[-2:].tolist() == [False, False]
    assert together.set_means[:-2].tolist() == rater.rate(TEXTS).set_means.tolist()


def test_calibrated_ratings_are_nearer_to_people(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    people = np.mean(RATINGS, axis=1)
    before, after = (np.abs(one.rate(TEXTS).mean - people).mean() for one in (rater, calibrated))
    assert after < before


def test_parts_keep_what_is_unlike(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    ratings = calibrated.rate([*TEXTS, "shipping price"])
    assert ratings[1:3].unlike.tolist() == ratings.unlike[1:3].tolist()
    assert ratings.take(np.array([4])).unlike.tolist() == [ratings.unlike[4]]
    assert ratings.to_frame()["unlike_labels"].to_list() == ratings.unlike.tolist()
    assert ratings.summarize().n_unlike == ratings.unlike.sum()
    assert "unlike_labels" not in rater.rate(TEXTS).to_frame().columns


def test_intervals_allow_for_the_calibration_in_memory_and_in_files(learnt, tmp_path):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    ratings = calibrated.rate([*TEXTS, None])
    assert ratings.refits.shape == (25, 20, 4)
    np.testing.assert_allclose(ratings.refits[:-1].sum(axis=2), 1, atol=1e-6)
    assert np.isnan(ratings.refits[-1]).all()
    assert ratings[3:7].refits.tolist() == ratings.refits[3:7].tolist()
    rows_alone = replace(ratings, refits=None).estimate().overall
    with_fit = ratings.estimate()
    assert with_fit.refits == 20
    for name, one in with_fit.overall.figures.items():
        without = rows_alone.figures[name]
        assert (one.value, one.low < without.low, one.high > without.high) == (without.value, True, True)
    # 24 texts were labelled: the exact interval of none of 24 ends at 1 - .025 ** (1 / 24) = .1425, and that
    # of a share above 0 lies further from the share.
    for mass in with_fit.overall.pmf:
        assert max(mass.high - mass.value, mass.value - mass.low) >= 0.1425
    pl.DataFrame({"text": [*TEXTS, None]}).write_parquet(tmp_path / "a.parquet")
    table, out = open_table(tmp_path / "a.parquet"), tmp_path / "o.parquet"
    settings = FileSettings(part_rows=7)
    filed = rate_file(table, FileColumns("text"), rater=calibrated, settings=settings, out=out)
    for name, one in filed.estimates.overall.figures.items():
        assert one.low == pytest.approx(with_fit.overall.figures[name].low)
    assert "semscale_refits" not in pl.read_parquet(out).columns
    filed.report(tmp_path / "r.html")
    said = "wider by the error of the calibration itself, from 20 fits"
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert said in page
    assert "at least as wide as the exact interval of a share of the labels" in page


@pytest.mark.parametrize(("groups", "said"), [(["x", "y"], True), (["x", "x"], False)])
def test_groups_of_calibrated_ratings_are_not_to_be_compared(learnt, groups, said):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    sentence = "The error of the calibration is largely common to all groups: do not compare groups"
    for one, expected in ((calibrated, said), (rater, False)):
        rated = one.rate(TEXTS).summarize(by=groups * 12)
        assert (sentence in group_estimate_table(rated).note) is expected
        assert (sentence in groups_figure(rated).caption) is expected


def test_without_a_calibration_there_are_no_refits(rater):
    ratings = rater.rate(TEXTS)
    assert ratings.refits is None
    assert ratings.estimate().refits == 0


def test_what_cannot_serve_is_refused(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    with pytest.raises(InputError, match="needs a rater without a calibration"):
        calibrated.calibrate(TEXTS, RATINGS)
    sharper = Rater(rater.scale, embedder=rater.embedder, temperature=0.5, calibration=summary.calibration)
    with pytest.raises(InputError, match="calibration is for temperature 1"):
        sharper.rate(TEXTS)
    with pytest.raises(InputError, match="got 0; label 10 more"):
        rater.calibrate(TEXTS, [None] * len(TEXTS))
    assert labelled_cells(TEXTS, RATINGS, {}).groups is None


def test_texts_that_it_was_fitted_to_are_left_out_of_a_comparison_with_people(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    others = ["great stuff", "bad stuff", "middling thing", "lovely price", "price", "shipping"]
    ratings = calibrated.rate([*TEXTS, *others, "", f" {TEXTS[0]} "])
    assert ratings.seen.tolist() == [True] * 24 + [False] * 7 + [True]
    compared = ratings.compare([*RATINGS, 4, 1, 2, *[None] * 5])
    assert (compared.n, compared.n_seen) == (3, 24)
    assert compared.notes[0].startswith("24 of 27 texts with human ratings were left out")
    assert (compared.corrected.n_labelled, compared.corrected.n_unlabelled) == (3, 3)
    fewer = ratings.compare([*RATINGS, 4, 1, *[None] * 6])
    assert (fewer.n, fewer.corrected) == (2, None)
    assert "too few for a corrected mean" in fewer.notes[0]
    without = rater.rate([*TEXTS, *others]).compare([*RATINGS, 4, 1, *[None] * 4])
    assert (without.n, without.n_seen) == (26, 0)


def test_a_file_leaves_them_out_as_well(learnt, tmp_path):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    texts = [*TEXTS, "great stuff", "bad stuff", "middling thing", "lovely price", "price", "shipping"]
    humans = [*map(str, RATINGS), "4", "1", "2", None, None, None]
    pl.DataFrame({"text": texts, "human": humans}).write_parquet(tmp_path / "a.parquet")
    columns, parts = FileColumns("text", human="human"), FileSettings(part_rows=7)
    table, out = open_table(tmp_path / "a.parquet"), tmp_path / "o.parquet"
    compared = rate_file(table, columns, rater=calibrated, settings=parts, out=out).comparison
    in_memory = calibrated.rate(texts).compare([*RATINGS, 4, 1, 2, None, None, None])
    assert (compared.n, compared.n_eligible, compared.n_seen) == (3, 3, 24)
    assert compared.corrected.value == pytest.approx(in_memory.corrected.value)
    assert compared.notes == in_memory.notes
    assert "semscale_seen" not in pl.read_parquet(out).columns
    pl.DataFrame({"text": texts[:24], "human": humans[:24]}).write_parquet(tmp_path / "b.parquet")
    only_seen = rate_file(open_table(tmp_path / "b.parquet"), columns, rater=calibrated).comparison
    assert (only_seen.n, only_seen.n_seen, only_seen.corrected) == (0, 24, None)
    assert np.isnan(only_seen.pearson.value)
