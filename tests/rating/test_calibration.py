"""Calibrations: applied by raters, checked, saved and loaded."""

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.conftest import ToyEmbedder
from tests.support.labelled_toys import predictors_at

from semscale.errors import InputError
from semscale.rating.calibration import (
    Calibration,
    Familiarity,
    HonestError,
    LabelSource,
    as_calibration,
    calibration_text,
    check_calibration_path,
    familiarity_of,
    hash_of,
    load_calibration,
    save_calibration,
)
from semscale.rating.fitting import LabelledTexts, collect_labelled_texts, fit_calibration
from semscale.rating.gaussian_process import GaussianProcess, Posterior
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.report.rating_groups import group_estimate_table, groups_figure
from semscale.results.table_runs import PartSettings
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.spelling import as_option
from semscale.store.reading import open_table

RATED = {"scale": "quality#1", "model": "small", "precision": "float32", "floor": 0.1, "engine": "a-1"}


def calibration(floor=0.5):
    labels = LabelSource(n=12, n_answers=24, hash="0badcafe", human_range=(0, 10), grouped=False, seed=3)
    rated = Signature.of("rate", **RATED)
    posterior = Posterior(1.0, 0.5, np.array([0.25]), np.array([1.5, 2.5]), 0.8)
    return Calibration(
        GaussianProcess(np.ones((1, 1), np.float16), np.zeros((1, 8), np.float16), posterior, ()),
        Familiarity(np.array([1.0]), floor),
        rated,
        "en",
        labels,
        HonestError(0.1, 0.2),
    )


@pytest.mark.parametrize(
    ("name", "value", "left", "right"),
    [
        ("scale", "trust#2", "quality#1", "trust#2"),
        ("model", "large", "small", "large"),
        ("precision", "bfloat16", "exact", "fast"),
        ("precision", "int8/128+bfloat16", "exact", "turbo"),
        ("precision", "float16", "exact", "float16"),
    ],
)
def test_another_scale_model_or_precision_is_refused(name, value, left, right):
    stated = (
        f"calibration is for {name} {left}, but the ratings have {name} {right}: rate with the same {name}"
    )
    with pytest.raises(InputError, match=re.escape(stated)):
        calibration().check(Signature.of("rate", **{**RATED, name: value}), "en")


def test_another_model_with_other_anchors_is_refused_as_another_model():
    with pytest.raises(InputError, match="calibration is for model small, but the ratings have model large"):
        calibration().check(Signature.of("rate", **{**RATED, "scale": "quality#2", "model": "large"}), "en")


def test_a_setting_that_the_calibration_does_not_know_is_refused():
    with pytest.raises(InputError, match="calibration is for readout none"):
        calibration().check(Signature.of("rate", **RATED, readout="ordinal"), "en")


def test_another_floor_and_another_version_of_the_engine_pass():
    calibration().check(Signature.of("rate", **{**RATED, "floor": None, "engine": "a-2"}), "en")


def test_the_signature_names_labels_and_error():
    fields = dict(calibration().signature.fields)
    assert (fields["texts"], fields["answers"], fields["labels"]) == ("12", "24", "0badcafe")
    assert (fields["human_range"], fields["error"], fields["scale"]) == ("0 to 10", "0.1", "quality#1")
    assert calibration().name == f"12#{fields['content']}"


def test_calibrations_that_differ_in_their_floor_alone_have_different_names_and_signatures():
    item, other = calibration(floor=0.5), calibration(floor=0.6)
    assert item.name != other.name
    assert item.signature != other.signature
    assert item.name == calibration(floor=0.5).name


@pytest.mark.parametrize("language", ["any+py3langid-9.9", "auto+py3langid-0.4", "en", "de"])
def test_how_the_language_of_texts_is_known_does_not_matter_where_anchors_are_the_same(language):
    rated = {**RATED, "language": "any+py3langid-0.3"}
    fitted = replace(calibration(), ratings=Signature.of("rate", **rated))
    fitted.check(Signature.of("rate", **{**rated, "language": language}), "en")


def test_anchors_in_another_language_and_translations_are_refused():
    with pytest.raises(
        InputError, match="is for anchor_language en, but the ratings have anchor_language de"
    ):
        calibration().check(Signature.of("rate", **{**RATED, "scale": "quality#3"}), "de")
    with pytest.raises(InputError, match="without language='auto': leave that out, or calib") as refused:
        calibration().check(Signature.of("rate", **RATED, translations="ar+de#1"), "en")
    assert refused.value.spelled(as_option) == (
        "calibration was fitted without --language auto: leave that out, or calibrate with it"
    )
    translated = replace(calibration(), ratings=Signature.of("rate", **RATED, translations="de#1"))
    with pytest.raises(InputError, match="fitted with language='auto': give that, or calibrate without it"):
        translated.check(Signature.of("rate", **RATED), "en")
    with pytest.raises(InputError, match="is for other translations of the anchors: calibrate again"):
        translated.check(Signature.of("rate", **RATED, translations="de#2"), "en")


def test_turbo_arithmetics_are_distinguished_in_calibration_checks():
    fitted = replace(calibration(), ratings=Signature.of("rate", precision="int8/128+float32"))
    with pytest.raises(InputError, match=re.escape("for precision int8/128+float32, but the ratings have")):
        fitted.check(Signature.of("rate", precision="int8/128+bfloat16"), "en")


@pytest.mark.parametrize("further", [{}, {"anchor_language": "en"}])
def test_signature_names_text_and_anchor_language_once(further):
    rated = Signature.of("rate", **RATED, language="any+py3langid-0.3", **further)
    names = [name for name, _ in replace(calibration(), ratings=rated).signature.fields]
    assert (names.count("language"), names.count("anchor_language")) == (1, 1)


def test_ratings_are_reversed_where_their_whole_interval_is_below_0_and_rank_where_it_is_above():
    assert HonestError(0.1, 0.2, rated_pearson_high=-0.468).is_reversed
    assert not HonestError(0.1, 0.2, rated_pearson_high=0.177).is_reversed
    assert HonestError(0.1, 0.2, pearson_low=0.2).has_ranking
    assert not HonestError(0.1, 0.2, pearson_low=-0.569).has_ranking
    unknown = HonestError(0.1, 0.2)
    assert (unknown.is_reversed, unknown.has_ranking) == (False, True)


def test_a_calibration_of_an_earlier_version_keeps_its_signature():
    fitted = replace(calibration(), ratings=Signature("rate", (("scale", "quality#1"),), "0.0.9"))
    assert fitted.signature.version == "0.0.9"


PHRASES = {"awful thing": 1, "so so thing": 2, "great thing": 3, "lovely lovely thing": 4}

TEXTS = [f"{phrase} {position}" for position in range(6) for phrase in PHRASES]

RATINGS = [[score, min(4, score + 1)] for _ in range(6) for score in PHRASES.values()]


@pytest.fixture(scope="module")
def learnt(survey):
    rater = Rater(survey.some_scale(), embedder=ToyEmbedder(), floor=None)
    return rater, rater.calibrate([*TEXTS, "", "?!"], [*RATINGS, 3, None])


def test_labels_without_a_rating_are_counted(learnt):
    _, summary = learnt
    assert summary.left_out == {"empty": 1}
    assert (summary.calibration.labels.n, summary.calibration.labels.n_answers) == (24, 48)


def test_calibration_embeds_texts_once(rater, monkeypatch):
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
    _, vectors = rater._rate_cells(cells, None, with_vectors=True)
    wanted = rater.embedder.embed([TEXTS[0], TEXTS[2], TEXTS[0], TEXTS[1]]).vectors
    assert vectors.tolist() == wanted.tolist()


def test_calibration_file_reproduces_the_ratings(learnt, tmp_path):
    rater, summary = learnt
    summary.save(tmp_path / "cal.json")
    from_file = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=tmp_path / "cal.json")
    at_hand = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    assert from_file.rate(TEXTS).pmf.tolist() == at_hand.rate(TEXTS).pmf.tolist()
    assert from_file.signature == at_hand.signature != rater.signature


def test_calibrated_rows_do_not_depend_on_the_batch_and_missing_rows_stay_missing(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    together = calibrated.rate([*TEXTS, None, ""])
    assert calibrated.rate([TEXTS[3]]).pmf[0].tolist() == together.pmf[3].tolist()
    assert np.isnan(together.pmf[-2:]).all()
    np.testing.assert_allclose(together.pmf[:-2].sum(axis=1), 1)
    assert together.unfamiliar[-2:].tolist() == [False, False]
    assert together.set_means[:-2].tolist() == rater.rate(TEXTS).set_means.tolist()


def test_calibrated_ratings_are_nearer_to_people(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    people = np.mean(RATINGS, axis=1)
    before, after = (np.abs(item.rate(TEXTS).mean - people).mean() for item in (rater, calibrated))
    assert after < before


def test_parts_keep_what_is_unlike(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    ratings = calibrated.rate([*TEXTS, "shipping price"])
    assert ratings[1:3].unfamiliar.tolist() == ratings.unfamiliar[1:3].tolist()
    assert ratings[4:5].unfamiliar.tolist() == [ratings.unfamiliar[4]]
    assert ratings.to_frame()["unlike_labels"].to_list() == ratings.unfamiliar.tolist()
    assert ratings.summarize().n_unfamiliar == ratings.unfamiliar.sum()
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
    for name, item in with_fit.overall.figures.items():
        without = rows_alone.figures[name]
        assert (item.value, item.low < without.low, item.high > without.high) == (without.value, True, True)
    # 24 texts were labelled: the exact interval of none of 24 ends at 1 - .025 ** (1 / 24) = .1425, and that
    # of a share above 0 lies further from the share.
    for mass in with_fit.overall.pmf:
        assert max(mass.high - mass.value, mass.value - mass.low) >= 0.1425
    pl.DataFrame({"text": [*TEXTS, None]}).write_parquet(tmp_path / "a.parquet")
    table, out = open_table(tmp_path / "a.parquet"), tmp_path / "o.parquet"
    settings = PartSettings(7)
    filed = rate_table(table, RatingColumns(text="text"), rater=calibrated, settings=settings, out=out)
    for name, item in filed.estimates.overall.figures.items():
        assert item.low == pytest.approx(with_fit.overall.figures[name].low)
    assert "semscale_refits" not in pl.read_parquet(out).columns
    filed.report(tmp_path / "r.html")
    stated = "wider by the error of the calibration itself, from 20 fits"
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert stated in page
    assert "at least as wide as the exact interval of a share of the labels" in page


@pytest.mark.parametrize(("groups", "stated"), [(["x", "y"], True), (["x", "x"], False)])
def test_groups_of_calibrated_ratings_are_not_to_be_compared(learnt, groups, stated):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    sentence = "The error of the calibration is largely common to all groups: do not compare groups"
    for item, expected in ((calibrated, stated), (rater, False)):
        rated = item.rate(TEXTS).summarize(by=groups * 12)
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
    with pytest.raises(InputError, match="interval must"):
        rater.calibrate(TEXTS, RATINGS, interval=95)
    with pytest.raises(InputError, match="got 0; label 10 more"):
        rater.calibrate(TEXTS, [None] * len(TEXTS))
    assert collect_labelled_texts(TEXTS, RATINGS).groups is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 0.5}, "calibration is for temperature 1, but the ratings have temperature 0.5"),
        ({"readout": "ssr"}, "calibration is for readout combined, but the ratings have readout ssr"),
        ({"scale": load_scale("trust")}, "but the ratings have scale trust: rate with the same scale"),
        ({"embedder": "e5-small"}, "calibration is for model toy, but the ratings have model e5-small"),
        ({"embedder": None}, "calibration is for model toy, but the ratings have model e5-small"),
    ],
)
def test_a_calibration_for_other_settings_is_refused_before_a_model_is_loaded(learnt, settings, message):
    rater, summary = learnt
    applied = {"scale": rater.scale, "embedder": rater.embedder, "floor": None, **settings}
    with pytest.raises(InputError, match=message):
        Rater(**applied, calibration=summary.calibration)


def test_changed_custom_anchors_are_refused_before_loading_a_model(learnt):
    rater, summary = learnt
    changed = {name: anchors[::-1] for name, anchors in rater.scale.anchor_sets.items()}
    scale = rater.scale.model_copy(update={"anchor_sets": changed})

    def load():
        pytest.fail("loaded a model")

    with pytest.raises(InputError, match=r"calibration is for scale .*#"):
        Rater(scale, embedder=load, floor=None, calibration=summary.calibration)


def test_texts_that_it_was_fitted_to_are_left_out_of_a_comparison_with_people(learnt):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    new_texts = ["great stuff", "bad stuff", "middling thing", "lovely price", "price", "shipping"]
    ratings = calibrated.rate([*TEXTS, *new_texts, "", f" {TEXTS[0]} "])
    assert ratings.in_calibration.tolist() == [True] * 24 + [False] * 7 + [True]
    compared = ratings.compare([*RATINGS, 4, 1, 2, *[None] * 5])
    assert (compared.n, compared.n_in_calibration) == (3, 24)
    assert compared.notes[0].startswith("24 of 27 texts with human ratings were left out")
    assert (compared.corrected.n_labelled, compared.corrected.n_unlabelled) == (3, 3)
    fewer = ratings.compare([*RATINGS, 4, 1, *[None] * 6])
    assert (fewer.n, fewer.corrected) == (2, None)
    assert "too few for a corrected mean" in fewer.notes[0]
    without = rater.rate([*TEXTS, *new_texts]).compare([*RATINGS, 4, 1, *[None] * 4])
    assert (without.n, without.n_in_calibration) == (26, 0)


@pytest.mark.exhaustive
def test_a_file_leaves_them_out_as_well(learnt, tmp_path):
    rater, summary = learnt
    calibrated = Rater(rater.scale, embedder=rater.embedder, floor=None, calibration=summary.calibration)
    texts = [*TEXTS, "great stuff", "bad stuff", "middling thing", "lovely price", "price", "shipping"]
    humans = [*map(str, RATINGS), "4", "1", "2", None, None, None]
    pl.DataFrame({"text": texts, "human": humans}).write_parquet(tmp_path / "a.parquet")
    columns, parts = RatingColumns(text="text", human="human"), PartSettings(7)
    table, out = open_table(tmp_path / "a.parquet"), tmp_path / "o.parquet"
    compared = rate_table(table, columns, rater=calibrated, settings=parts, out=out).comparison
    in_memory = calibrated.rate(texts).compare([*RATINGS, 4, 1, 2, None, None, None])
    assert (compared.n, compared.n_eligible, compared.n_in_calibration) == (3, 3, 24)
    assert compared.corrected.value == pytest.approx(in_memory.corrected.value)
    assert compared.notes == in_memory.notes
    assert "semscale_seen" not in pl.read_parquet(out).columns
    pl.DataFrame({"text": texts[:24], "human": humans[:24]}).write_parquet(tmp_path / "b.parquet")
    only_seen = rate_table(open_table(tmp_path / "b.parquet"), columns, rater=calibrated).comparison
    assert (only_seen.n, only_seen.n_in_calibration, only_seen.corrected) == (0, 24, None)
    assert np.isnan(only_seen.pearson.value)


POSITIONS = np.linspace(0, 1, 20)


@pytest.fixture(scope="module")
def stored():
    answers = np.round(1 + 4 * POSITIONS)[:, None]
    labels = LabelledTexts([str(position) for position in POSITIONS], answers, None, None, "toys.csv")
    ratings = Signature.of("rate", scale="quality#1", precision="float32", floor=0.1)
    return fit_calibration(
        labels, predictors_at(POSITIONS), load_scale("quality"), ratings=ratings
    ).calibration


@pytest.fixture
def written(stored, tmp_path):
    save_calibration(stored, tmp_path / "cal.json")
    return tmp_path / "cal.json"


def test_what_is_read_gives_the_same_masses_and_signature(stored, written):
    again = load_calibration(written)
    texts = predictors_at(POSITIONS)
    assert again.pmf(texts).tolist() == stored.pmf(texts).tolist()
    assert again.mark_unfamiliar(texts.vectors).tolist() == stored.mark_unfamiliar(texts.vectors).tolist()
    assert again.refit_pmf(texts).tolist() == stored.refit_pmf(texts).tolist()
    assert again.refit_pmf(texts).shape == (20, 20, 5)
    assert again.signature == stored.signature
    assert as_calibration(str(written)).name == as_calibration(stored).name


@pytest.fixture
def changed(written):
    """Change one place of the file by hand, and the hash with it where that is asked for."""

    def change(*path, value, hashed):
        content = json.loads(written.read_text())
        part = content
        for name in path[:-1]:
            part = part[name]
        part[path[-1]] = value
        if hashed:
            beside = ("format", "version", "signature", "hash")
            content["hash"] = hash_of({name: entry for name, entry in content.items() if name not in beside})
        written.write_text(json.dumps(content))
        return written

    return change


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("familiarity", "floor"), -2),
        (("familiarity", "floor"), "nan"),
        (("familiarity", "centre"), [1.0]),
        (("familiarity", "centre"), [[1.0, 0.0]]),
        (("familiarity", "centre"), [1e300, 1e300]),
        (("error", "uncalibrated"), 9.9),
        (("error", "uncalibrated"), float("nan")),
        (("labels", "n"), 35.9),
        (("labels", "n"), True),
        (("labels", "human_range"), [1]),
        (("fitted", "texts"), ["x", "y"]),
        (("fitted", "texts"), ["AAA="]),
        (("fitted", "texts"), ["AHwAfA=="]),
        (("fitted", "texts"), [1.5]),
        (("fitted", "posterior", "steepness"), -1.0),
        (("fitted", "posterior", "coefficients"), ["x", "y"]),
        (("fitted", "posterior", "coefficients"), [1.0, 2.0]),
        (("fitted", "posterior", "thresholds"), [4.0, 3.0, 2.0, 1.0]),
        (("fitted", "posterior", "thresholds"), []),
        (("fitted", "refits"), None),
        (("fitted", "refits", 0), {}),
        (("fitted", "refits", 0, "steepness"), -1.0),
        (("fitted", "refits", 1, "coefficients"), [1.0]),
        (("fitted", "refits", 1, "thresholds"), [4.0, 3.0, 2.0, 1.0]),
        (("ratings",), "x|y"),
        (("ratings",), 5),
        (("note",), "more"),
    ],
)
def test_a_change_by_hand_is_refused_even_with_a_new_hash(changed, path, value):
    for hashed, stated in ((False, "was changed since it was written"), (True, r"is damaged \(")):
        with pytest.raises(InputError, match=stated) as raised:
            load_calibration(changed(*path, value=value, hashed=hashed))
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [(("labels", "seed"), 1), (("error", "calibrated"), 0.5), (("familiarity", "floor"), 0.5)],
)
def test_a_change_within_the_range_is_refused_by_hash_and_signature(changed, path, value):
    for hashed, stated in ((False, "was changed since it was written"), (True, "its signature is another")):
        with pytest.raises(InputError, match=stated):
            load_calibration(changed(*path, value=value, hashed=hashed))


@pytest.mark.parametrize(
    ("name", "value", "stated"),
    [
        ("version", 4, "has version 4, and this Semscale reads version 5; calibrate again$"),
        (
            "version",
            6,
            "has version 6, and this Semscale reads version 5; update Semscale, or calibrate again$",
        ),
        ("version", True, "has version True"),
        ("version", 1.0, r"has version 1\.0"),
        ("format", "scale", "is not a calibration file"),
        ("hash", None, "was changed since it was written"),
        ("signature", 3, "is damaged"),
    ],
)
def test_a_file_of_another_kind_is_refused(changed, name, value, stated):
    with pytest.raises(InputError, match=stated):
        load_calibration(changed(name, value=value, hashed=False))


def test_refits_that_cannot_show_an_error_are_refused(changed, written):
    refits = json.loads(written.read_text())["fitted"]["refits"]
    for value in (refits[:1], [*refits, refits[0]]):  # one alone, and one more than are ever made
        with pytest.raises(InputError, match=r"is damaged \(.*refits"):
            load_calibration(changed("fitted", "refits", value=value, hashed=True))


def test_no_file_no_json_and_no_calibration_are_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_calibration(tmp_path / "none.json")
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(InputError, match="is not a calibration file, as it is not JSON"):
        load_calibration(tmp_path / "a.json")
    with pytest.raises(InputError, match="calibration must be"):
        as_calibration(3)
    with pytest.raises(InputError, match=r"must end in \.json"):
        check_calibration_path(tmp_path / "cal.pkl")


def test_the_file_is_read_by_people(stored):
    content = json.loads(calibration_text(stored))
    assert list(content)[:4] == ["format", "version", "signature", "hash"]
    assert content["labels"]["n"] == 20


def test_calibration_stores_hashes_and_no_texts(stored, written):
    # printf 0.0 | sha256sum
    assert "8aed642bf511" in json.loads(written.read_text())["labels"]["texts"]
    assert load_calibration(written).contains([" 0.0", "0.0 ", "0.01"]).tolist() == [True, True, False]
    assert load_calibration(written).labels.texts == stored.labels.texts


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_about_2_percent_of_familiar_and_all_unfamiliar_texts_are_marked():
    rng = np.random.default_rng(0)
    like, unlike = np.array([3.0, 0, 0, 0, 0, 0, 0, 0]), np.array([0, 3.0, 0, 0, 0, 0, 0, 0])
    familiar = familiarity_of(unit(like + rng.normal(scale=0.5, size=(500, 8))))
    assert 0.005 < familiar.mark_unfamiliar(unit(like + rng.normal(scale=0.5, size=(2000, 8)))).mean() < 0.05
    assert familiar.mark_unfamiliar(unit(unlike + rng.normal(scale=0.5, size=(200, 8)))).all()


def test_the_centre_has_length_1():
    centre = familiarity_of(unit(np.array([[1.0, 0.0], [0.0, 1.0]]))).centre
    np.testing.assert_allclose(centre, [0.5**0.5, 0.5**0.5])
