"""The rater."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.conftest import ToyEmbedder

import semscale
from semscale.embedding import RememberingEmbedder
from semscale.errors import InputError, UnknownNameError
from semscale.rating.anchors import unrelated_sentences
from semscale.rating.rater import Rater
from semscale.rating.readouts import READOUTS, ordinal_ratings, ssr_ratings
from semscale.scales import Scale
from semscale.types import Status

SETS = {
    "plain": ("awful thing", "so so thing", "great thing"),
    "other": ("bad stuff", "middling stuff", "lovely stuff"),
}


@pytest.fixture
def scale():
    points = [{"value": -1, "label": "bad"}, {"value": 0, "label": "middling"}, {"value": 1, "label": "good"}]
    return Scale(
        name="mood", title="Mood", question="How?", provenance="a test", points=points, anchor_sets=SETS
    )


@pytest.fixture
def rater(scale, toy_embedder):
    return Rater(scale, embedder=toy_embedder, floor=None)


def test_a_function_loads_the_embedder_once_when_it_is_first_needed(scale, toy_embedder):
    loaded = []

    def load():
        loaded.append(1)
        return toy_embedder

    rater = Rater(scale, embedder=load, floor=None)
    assert loaded == []
    assert rater.rate(["great thing"]).mean[0] == rater.rate(["great thing"]).mean[0]
    assert rater.embedder is toy_embedder
    assert loaded == [1]


def test_texts_are_embedded_some_at_a_time_with_the_same_ratings(scale, toy_embedder, monkeypatch):
    class Counting:
        dimensions, signature, sizes = toy_embedder.dimensions, toy_embedder.signature, []

        def embed(self, texts, *, progress=None):
            self.sizes.append(len(texts))
            return toy_embedder.embed(texts, progress=progress)

    texts = [
        f"{first} {second}" for first in ("great", "so", "bad") for second in ("thing", "stuff", "price")
    ]
    whole = Rater(scale, embedder=toy_embedder, floor=None).rate(texts)
    rater = Rater(scale, embedder=Counting(), floor=None)
    rater.rate(["awful thing"])  # embeds the anchors
    Counting.sizes.clear()
    monkeypatch.setattr("semscale.rating.rater.AT_ONCE", 4)
    events = []
    parts = rater.rate(texts, progress=lambda *step: events.append(step))
    assert Counting.sizes == [4, 4, 1]
    assert parts.pmf.tolist() == whole.pmf.tolist()
    assert events[-1] == ("embedding", 9, 9)


CELLS = ["great thing", None, "", "  \n", 7, float("nan"), "bad stuff", "great thing"]

EXPECTED = [
    Status.SCORED, Status.MISSING, Status.EMPTY, Status.EMPTY,
    Status.NOT_TEXT, Status.MISSING, Status.SCORED, Status.SCORED,
]  # fmt: skip


def test_every_cell_has_a_status_and_only_texts_a_rating(rater):
    rated = rater.rate(CELLS)
    assert rated.status.tolist() == EXPECTED
    scored = np.array([status is Status.SCORED for status in EXPECTED])
    for floats in (rated.pmf, rated.set_means, rated.similarity, rated.mean, rated.entropy, rated.mode):
        missing = np.isnan(floats.reshape(len(CELLS), -1)).all(axis=1)
        np.testing.assert_array_equal(missing, ~scored)
    np.testing.assert_array_equal(rated.windows, scored.astype(int))


@pytest.mark.parametrize(("readout", "arithmetic"), READOUTS.items())
def test_ratings_are_those_of_the_arithmetic(scale, toy_embedder, readout, arithmetic):
    rater = Rater(scale, embedder=toy_embedder, floor=None, readout=readout)
    texts = ["great thing", "awful stuff", "so so"]
    anchors = np.stack([toy_embedder.embed(list(sentences)).vectors for sentences in SETS.values()])
    expected = arithmetic(toy_embedder.embed(texts).vectors, anchors, values=[-1, 0, 1])
    rated = rater.rate(texts)
    np.testing.assert_allclose(rated.pmf, expected.pmf)
    np.testing.assert_allclose(rated.set_means, expected.set_means)
    np.testing.assert_allclose(rated.similarity, expected.best_similarity)
    assert rated.similarity[0] == pytest.approx(1)


def test_equal_texts_are_embedded_once(rater, toy_embedder):
    assert rater.anchors.shape == (2, 3, 64)
    rater.rate(["awful"])  # embeds the anchors
    toy_embedder.embedded.clear()
    rated = rater.rate(["great thing", "bad stuff"] * 50)
    assert toy_embedder.embedded == ["great thing", "bad stuff"]
    assert len(np.unique(rated.pmf, axis=0)) == 2


def test_nothing_to_rate_needs_no_embedding(rater, toy_embedder):
    rater.rate([])
    rated = rater.rate([None, " "])
    assert toy_embedder.embedded == []
    assert rated.n_left_out == 2
    assert rated.pmf.shape == (2, 3)


@pytest.mark.parametrize("series", [pl.Series, pd.Series, lambda cells: np.array(cells, dtype=object)])
def test_series_of_texts_are_accepted(rater, series):
    texts = ["great thing", None, "bad stuff"]
    np.testing.assert_array_equal(rater.rate(series(texts)).pmf, rater.rate(texts).pmf)


def test_a_single_string_is_refused(rater):
    with pytest.raises(InputError, match="texts must be a list or a series, got str"):
        rater.rate("great thing")


def test_a_column_of_numbers_is_not_text(rater):
    assert rater.rate(pl.Series([1, 2])).counts == {Status.NOT_TEXT: 2}


class TestFloor:
    def test_below_it_a_text_is_off_topic_and_keeps_its_similarity(self, scale, toy_embedder):
        rated = Rater(scale, embedder=toy_embedder, floor=0.3).rate(
            ["great thing", "entirely unrelated words"]
        )
        assert rated.status.tolist() == [Status.SCORED, Status.OFF_TOPIC]
        assert np.isnan(rated.pmf[1]).all()
        assert np.isnan(rated.set_means[1]).all()
        assert rated.similarity[1] < 0.3
        assert rated.windows[1] == 1
        assert rated.floor == 0.3

    @pytest.mark.parametrize("floor", ["high", 1.5, float("nan"), [0.2]])
    def test_other_floors_are_refused(self, scale, floor):
        with pytest.raises(InputError, match="floor must be"):
            Rater(scale, floor=floor)

    def test_auto_is_estimated_once(self, scale, toy_embedder):
        rater = Rater(scale, embedder=toy_embedder)
        estimated = rater.floor
        toy_embedder.embedded.clear()
        assert rater.floor == estimated
        assert toy_embedder.embedded == []
        assert f"floor:unrelated{estimated:+g}" in str(rater.signature)
        same = Rater(scale, embedder=toy_embedder, floor=f"unrelated{estimated:+g}")
        assert same.floor == estimated
        assert str(same.signature) == str(rater.signature)

    def test_auto_leaves_out_what_is_nearer_to_unrelated_sentences(self, scale, toy_embedder):
        unrelated = unrelated_sentences()[0]
        rated = Rater(scale, embedder=toy_embedder).rate(["great thing", unrelated])
        assert rated.status.tolist() == [Status.SCORED, Status.OFF_TOPIC]


class TestVectors:
    def test_are_rated_like_their_texts(self, rater, toy_embedder):
        texts = ["great thing", "bad stuff", "awful"]
        rated = rater.rate_vectors(toy_embedder.embed(texts).vectors * 3)
        np.testing.assert_allclose(rated.pmf, rater.rate(texts).pmf, atol=1e-5)
        assert rated.n_scored == 3

    def test_of_the_wrong_width_are_refused(self, rater):
        with pytest.raises(InputError, match="3 dimensions but anchors 64"):
            rater.rate_vectors(np.ones((2, 3)))

    @pytest.mark.parametrize("bad", [0.0, np.nan])
    def test_without_a_direction_are_named(self, rater, bad):
        vectors = np.ones((5, 64))
        vectors[[1, 4]] = bad
        with pytest.raises(InputError, match=r"2 rows \(counted from 1\): 2, 5$"):
            rater.rate_vectors(vectors)

    def test_do_not_suffice_for_a_calibration(self, scale, toy_embedder):
        texts = [f"{what}, number {number}" for number in range(8) for what in ("great thing", "bad stuff")]
        labels = [scale.values[-1], scale.values[0]] * 8
        fitted = Rater(scale, embedder=toy_embedder, floor=None).calibrate(texts, labels)
        rater = Rater(scale, embedder=toy_embedder, floor=None, calibration=fitted.calibration)
        assert rater.rate(texts).n_scored == 16
        with pytest.raises(InputError, match="needs the texts"):
            rater.rate_vectors(toy_embedder.embed(texts).vectors)

    def test_none_give_no_ratings(self, rater):
        assert len(rater.rate_vectors(np.empty((0, 64)))) == 0


class TestSettings:
    def test_are_in_the_signature_as_they_were_applied(self, scale, toy_embedder):
        rater = Rater(
            scale,
            embedder=toy_embedder,
            anchor_sets=["other"],
            temperature=2,
            epsilon=0.01,
            semantics="paper",
            floor=0.1,
            language="en",
        )
        rated = rater.rate(["bad stuff"])
        subset = scale.with_sets(["other"])
        assert str(rated.signature).split("|")[1:] == [
            "rate", f"scale:mood#{subset.content_hash}", "anchor_sets:other", "readout:ssr", "temperature:2",
            "epsilon:0.01", "semantics:paper", "floor:0.1", "language:en", "model:toy", "dimensions:64",
        ]  # fmt: skip
        assert rated.scale == subset
        assert rated.set_means.shape == (1, 1)

    def test_temperature_and_epsilon_are_applied(self, scale, toy_embedder):
        text = ["great stuff"]
        plain = Rater(scale, embedder=toy_embedder, floor=None).rate(text).pmf
        # Squared and normalised again.
        sharp = Rater(scale, embedder=toy_embedder, floor=None, temperature=0.5).rate(text).pmf
        np.testing.assert_allclose(sharp, plain**2 / (plain**2).sum())
        spread = Rater(scale, embedder=toy_embedder, floor=None, epsilon=1e6).rate(text).pmf
        np.testing.assert_allclose(spread, 1 / 3, atol=1e-5)

    @pytest.mark.parametrize(
        ("settings", "error", "message"),
        [
            ({"temperature": -1.0}, InputError, "temperature must be 0 or more, got -1.0"),
            ({"epsilon": -1.0}, InputError, "epsilon"),
            ({"semantics": "pape"}, InputError, "semantics"),
            (
                {"readout": "ordnal"},
                InputError,
                "readout must be ssr, ordinal or combined, got 'ordnal'; did you mean 'ordinal'",
            ),
            ({"readout": "ordinal", "semantics": "paper"}, InputError, "leave out one of them"),
            ({"anchor_sets": ["plian"]}, UnknownNameError, "plain"),
            ({"anchor_sets": []}, InputError, "at least one"),
        ],
    )
    def test_out_of_range_are_refused_before_anything_is_embedded(
        self, scale, toy_embedder, settings, error, message
    ):
        with pytest.raises(error, match=message):
            Rater(scale, embedder=toy_embedder, **settings)
        assert toy_embedder.embedded == []

    def test_the_readout_is_applied(self, scale, toy_embedder):
        rater = Rater(scale, embedder=toy_embedder, floor=None, readout="ordinal", temperature=2, epsilon=0.1)
        text = ["great stuff"]
        vectors = toy_embedder.embed(text).vectors
        expected = ordinal_ratings(vectors, rater.anchors, values=scale.values, temperature=2, epsilon=0.1)
        rated = rater.rate(text)
        np.testing.assert_array_equal(rated.pmf, expected.pmf)
        np.testing.assert_array_equal(rated.set_means, expected.set_means)
        assert "|readout:ordinal|" in str(rated.signature)

    def test_single_anchor_set_name_is_accepted(self, scale, toy_embedder):
        assert list(Rater(scale, embedder=toy_embedder, anchor_sets="other").scale.anchor_sets) == ["other"]


def test_progress_is_reported(rater):
    seen = []
    rater.rate(["great", "bad", "great"], progress=lambda *report: seen.append(report))
    assert seen[-1] == ("embedding", 2, 2)


def test_rate_function_equals_the_rater(scale, rater, toy_embedder):
    texts = ["great thing", None, "bad"]
    rated = semscale.rate(texts, scale, embedder=toy_embedder, floor=None)
    np.testing.assert_array_equal(rated.pmf, rater.rate(texts).pmf)
    assert rated.signature == rater.signature


def test_embedder_can_be_passed_by_name(scale):
    named = Rater(scale, embedder="e5-small", floor=None)
    assert named.signature == Rater(scale, floor=None).signature
    assert "model:e5-small#" in str(named.signature)


def test_texts_that_the_model_cannot_read_have_no_rating():
    # One sign is too few to show its language, but the model does not know it.
    texts = ["很", "สินค้านี้ดีมาก", "I would buy it", "great 👍"]
    ratings = semscale.rate(texts, embedder="all-MiniLM-L6-v2")
    assert ratings.status.tolist() == [Status.WEIGHTLESS, Status.OTHER_LANGUAGE] + [Status.SCORED] * 2
    assert np.isnan(ratings.pmf[:2]).all()
    assert np.isnan(ratings.similarity[:2]).all()
    assert not np.isnan(ratings.mean[2:]).any()
    assert ratings.estimate().overall.left_out == {"weightless": 1, "other-language": 1}


def test_the_default_model_reads_other_languages():
    # "This product is very good", in Chinese and Thai, and the same with "bad".
    texts = ["这个产品很好", "这个产品很糟糕", "สินค้านี้ดีมาก", "สินค้านี้แย่มาก"]
    ratings = semscale.rate(texts, "quality")
    assert ratings.status.tolist() == [Status.SCORED] * 4
    assert ratings.mean[0] > ratings.mean[1]
    assert ratings.mean[2] > ratings.mean[3]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scale": None}, "scale must be a name"),
        ({"scale": 5}, "scale must be a name.* got 5"),
        ({"temperature": "x"}, "temperature must be 0 or more, got 'x'"),
        ({"temperature": None}, "temperature must be 0 or more, got None"),
        ({"temperature": float("nan")}, "temperature must be 0 or more, got nan"),
        ({"epsilon": 1e308}, "epsilon must be a number from 0 to 1,000,000"),
        ({"epsilon": "x"}, "epsilon must be a number"),
        ({"semantics": ["safe"]}, "semantics must be"),
        ({"readout": ["ssr"]}, "readout must be ssr, ordinal or combined, got"),
        ({"embedder": 5}, "embedder must be a name, a folder or what load_embedder gives, got 5"),
        ({"anchor_sets": 5}, "anchor_sets must be names"),
        ({"floor": "x"}, "floor must be auto"),
    ],
)
def test_of_a_rater(settings, message):
    with pytest.raises(InputError, match=message):
        Rater(settings.pop("scale", "purchase-intent"), **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interval": "x"}, "interval must lie between 0 and 1, such as 0.95 for 95 %, got 'x'"),
        ({"replicates": 200.5}, "replicates must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": "x"}, "seed must be a whole number"),
    ],
)
def test_of_estimates(settings, message):
    rated = semscale.rate(["good", "bad"], "quality", embedder=ToyEmbedder(), floor=None)
    with pytest.raises(InputError, match=message):
        rated.estimate(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"texts": ["good"]}, "texts must have 2 rows"),
        ({"human_range": 5}, "human_range must be the lowest"),
        ({"human_range": (1, float("inf"))}, "two finite numbers"),
        ({"interval": None}, "interval must lie between"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_of_a_comparison(settings, message):
    rated = semscale.rate(["good", "bad"], "quality", embedder=ToyEmbedder(), floor=None)
    with pytest.raises(InputError, match=message):
        rated.compare([1, 2], **settings)


def test_complex_vectors_are_refused():
    with pytest.raises(InputError, match="vectors must be real numbers"):
        ssr_ratings(np.array([[1.0 + 2.0j, 1.0]]), np.eye(2))


def test_with_scale_rates_as_a_new_rater_and_embeds_new_sentences_only(scale, toy_embedder):
    asked = []

    class Asked:
        dimensions, signature = toy_embedder.dimensions, toy_embedder.signature

        def embed(self, texts, *, progress=None):
            asked.append(list(texts))
            return toy_embedder.embed(texts, progress=progress)

    texts = ["great stuff", "bad thing", "so so", "lovely price"]
    rater = Rater(scale, embedder=RememberingEmbedder(Asked()), temperature=0.5)
    rater.rate(texts)
    edited = scale.with_anchors("other", ("bad stuff", "middling stuff", "lovely great stuff"))
    asked.clear()
    ratings = rater.with_scale(edited).rate(texts)
    assert asked == [["lovely great stuff"]]
    alone = Rater(edited, embedder=toy_embedder, temperature=0.5).rate(texts)
    assert ratings.signature == alone.signature
    for column in ("pmf", "set_means", "similarity", "sentiment"):
        np.testing.assert_array_equal(getattr(ratings, column), getattr(alone, column))
    assert ratings.status.tolist() == alone.status.tolist()


def test_with_scale_refuses_a_scale_without_the_chosen_sets(scale, toy_embedder):
    rater = Rater(scale, embedder=toy_embedder, anchor_sets=["other"])
    with pytest.raises(UnknownNameError):
        rater.with_scale(scale.with_sets(["plain"]))


def test_explain_names_the_nearest_anchors_and_rates_each_sentence(rater):
    explained = rater.explain("Lovely stuff. Awful thing!")
    parts = ["Lovely stuff.", "Awful thing!"]
    assert list(explained.sentences) == parts
    np.testing.assert_array_equal(explained.sentence_ratings.pmf, rater.rate(parts).pmf)
    np.testing.assert_array_equal(explained.rating.pmf, rater.rate(["Lovely stuff. Awful thing!"]).pmf)
    cosines = [anchor.cosine for anchor in explained.anchors]
    assert cosines == sorted(cosines, reverse=True)
    assert len(cosines) == 5


def test_explain_finds_an_anchor_that_is_the_text_itself(rater):
    explained = rater.explain("so so thing", n_anchors=1)
    (anchor,) = explained.anchors
    assert (anchor.anchor_set, anchor.point.label, anchor.sentence) == ("plain", "middling", "so so thing")
    assert anchor.cosine == pytest.approx(1, abs=1e-6)
    assert explained.sentences == ()
    assert len(explained.sentence_ratings) == 0


@pytest.mark.parametrize("text", ["", "...", None])
def test_explain_has_no_anchors_for_what_is_not_rated(rater, text):
    explained = rater.explain(text)
    assert not explained.rating.scored[0]
    assert (explained.anchors, explained.sentences) == ((), ())
