"""The guide's import lines and calls run after ``semantic_similarity_rating`` is replaced in them."""

import importlib
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from semscale.compat.ssr import ResponseRater, response_embeddings_to_pmf, scale_pmf
from semscale.errors import InputError

FORMAL = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
CASUAL = ["Disagree a lot", "Kinda disagree", "Don't know", "Kinda agree", "Agree a lot"]
TEXTS = ["I completely agree with this", "I'm not really sure about this", "I strongly disagree"]


def references(**sets):
    return pl.DataFrame(
        {
            "id": [name for name, sentences in sets.items() for _ in sentences],
            "int_response": [r for sentences in sets.values() for r in range(1, len(sentences) + 1)],
            "sentence": [sentence for sentences in sets.values() for sentence in sentences],
        }
    )


def with_vectors(table, d=8, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(table.height, d))
    return table.with_columns(pl.Series("embedding", vectors.tolist())), vectors


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "line",
    [
        "from semscale.compat.ssr.compute import response_embeddings_to_pmf, scale_pmf",
        "from semscale.compat.ssr.response_rater import ResponseRater",
        "from semscale.compat.ssr import ResponseRater",
        "import semscale.compat.ssr.compute as compute; compute.scale_pmf",
        "from semscale.compat.ssr import compute; compute.response_embeddings_to_pmf",
    ],
)
def test_import_lines(line):
    # A process of its own, so that no other test has imported anything before.
    subprocess.run([sys.executable, "-c", line], check=True, timeout=60)


def test_modules_hold_the_same_functions():
    compute = importlib.import_module("semscale.compat.ssr.compute")
    assert compute.scale_pmf is scale_pmf
    assert compute.response_embeddings_to_pmf is response_embeddings_to_pmf


class TestTheGuidesExamples:
    """Each of the guide's calls, as it stands there but for the import line, on the default model."""

    @pytest.fixture(autouse=True)
    def _shared_model(self, embedder, monkeypatch):
        monkeypatch.setattr("semscale.embedding.load_embedder", lambda *names, **settings: embedder)

    @pytest.fixture
    def df_references(self):
        return pl.DataFrame(
            {
                "id": ["set1"] * 5 + ["set2"] * 5,
                "int_response": [1, 2, 3, 4, 5, 1, 2, 3, 4, 5],
                "sentence": FORMAL + CASUAL,
            }
        )

    def test_just_the_math(self):
        rng = np.random.default_rng(0)
        llm_response_embeddings = rng.normal(size=(2, 384))
        reference_embeddings = rng.normal(size=(5, 384)).T
        pmfs = response_embeddings_to_pmf(llm_response_embeddings, reference_embeddings)
        pmfs_scaled = np.array([scale_pmf(pmf, temperature=0.8) for pmf in pmfs])
        survey_pmf = pmfs_scaled.mean(axis=0)
        assert pmfs.shape == pmfs_scaled.shape == (2, 5)
        assert survey_pmf.sum() == pytest.approx(1)

    def test_text_mode_and_reference_sets(self, df_references):
        rater = ResponseRater(df_references)
        pmfs = rater.get_response_pmfs("set1", ["I agree", "Not sure"])
        assert pmfs.shape == (2, 5)
        pmfs = rater.get_response_pmfs("mean", ["response1", "response2"])
        assert rater.get_survey_response_pmf(pmfs).shape == (5,)
        assert rater.get_response_pmfs("set1", ["response1"], temperature=0.8).shape == (1, 5)
        assert rater.available_reference_sets == ["set1", "set2"]
        assert rater.model_info["model_name"] == "all-MiniLM-L6-v2"

    def test_embedding_mode(self, df_references, embedder):
        vectors = embedder.embed(FORMAL + CASUAL).vectors
        df_with_embeddings = df_references.with_columns(pl.Series("embedding", vectors.tolist()))
        rater = ResponseRater(df_with_embeddings)
        pmfs = rater.get_response_pmfs("set1", embedder.embed(["I agree", "Not sure"]).vectors)
        texts = ResponseRater(df_references).get_response_pmfs("set1", ["I agree", "Not sure"])
        np.testing.assert_allclose(pmfs, texts, atol=1e-4)

    def test_full_integration(self):
        df_references = pl.DataFrame(
            {"id": ["likert_v1"] * 5, "int_response": [1, 2, 3, 4, 5], "sentence": FORMAL}
        )
        rater = ResponseRater(df_references, model_name="all-MiniLM-L6-v2")
        pmfs = rater.get_response_pmfs(
            reference_set_id="likert_v1", llm_responses=TEXTS, temperature=1.0, epsilon=0.0
        )
        survey_pmf = rater.get_survey_response_pmf(pmfs)
        assert pmfs.shape == (3, 5)
        assert survey_pmf.shape == (5,)
        # The first text agrees and the last disagrees, so their means lie in this order.
        assert pmfs[0] @ np.arange(1, 6) > pmfs[2] @ np.arange(1, 6)

    def test_three_sets(self):
        academic = ["Reject entirely", "Reject partially", "Withhold judgment"]
        academic += ["Accept partially", "Accept entirely"]
        casual = ["Totally disagree", "Kinda disagree", "Meh", "Kinda agree", "Totally agree"]
        df_references = pl.DataFrame(
            {
                "id": ["formal"] * 5 + ["casual"] * 5 + ["academic"] * 5,
                "int_response": [1, 2, 3, 4, 5] * 3,
                "sentence": FORMAL + casual + academic,
            }
        )
        rater = ResponseRater(df_references)
        pmfs = [rater.get_response_pmfs(name, TEXTS) for name in ("formal", "casual", "academic")]
        np.testing.assert_allclose(rater.get_response_pmfs("mean", TEXTS), np.mean(pmfs, axis=0), atol=1e-6)

    def test_survey_application(self, df_references):
        rater = ResponseRater(df_references, model_name="all-MiniLM-L6-v2", device="cpu")
        responses = ["I think this is pretty good", "Not convinced about this", "Absolutely love it!"]
        pmfs = rater.get_response_pmfs(reference_set_id="mean", llm_responses=responses, temperature=1.0)
        survey_pmf = rater.get_survey_response_pmf(pmfs)
        expected_value = np.dot(survey_pmf, np.array([1, 2, 3, 4, 5]))
        entropy = -np.sum(survey_pmf * np.log(survey_pmf + 1e-10))
        assert 1 < expected_value < 5
        assert 0 < entropy <= np.log(5) + 1e-9

    def test_pandas_and_arrow_frames(self, df_references):
        for frame in (
            pd.DataFrame(df_references.to_dict(as_series=False)),
            pa.table(df_references.to_dict()),
        ):
            assert ResponseRater(frame).get_response_pmfs("mean", TEXTS).shape == (3, 5)


class TestResponseEmbeddingsToPmf:
    def test_follows_the_guides_algorithm(self):
        rng = np.random.default_rng(0)
        responses, sentences = rng.normal(size=(20, 384)), rng.normal(size=(384, 5))
        for epsilon in (0.0, 0.01):
            left = responses / np.linalg.norm(responses, axis=1, keepdims=True)
            right = sentences / np.linalg.norm(sentences, axis=0)
            cos = (1 + left @ right) / 2
            least = cos.min(axis=1, keepdims=True)
            top = cos - least + epsilon * (cos == least)
            expected = top / (cos.sum(axis=1, keepdims=True) - 5 * least + epsilon)
            pmfs = response_embeddings_to_pmf(responses, sentences, epsilon)
            np.testing.assert_allclose(pmfs, expected, atol=1e-12)

    def test_no_responses_give_no_rows(self):
        pmfs = response_embeddings_to_pmf(np.empty((0, 384)), np.ones((384, 5)))
        assert pmfs.shape == (0, 5)

    @pytest.mark.parametrize("epsilon", [0.0, 0.01])
    def test_identical_embeddings_are_uniform(self, epsilon):
        sentences = np.repeat(np.random.default_rng(1).normal(size=(384, 1)), 5, axis=1)
        pmfs = response_embeddings_to_pmf(np.ones((3, 384)), sentences, epsilon)
        np.testing.assert_allclose(pmfs, 0.2)

    def test_untransposed_sentences_are_recognized(self):
        with pytest.raises(InputError, match="transpose it"):
            response_embeddings_to_pmf(np.ones((2, 384)), np.ones((5, 384)))
        with pytest.raises(InputError, match=r"\(dimensions, points\)"):
            response_embeddings_to_pmf(np.ones((2, 384)), np.ones(384))


class TestScalePmf:
    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({"temperature": 1.0}, [0.2, 0.3, 0.5]),
            ({"temperature": 0.0}, [0, 0, 1]),
            # Squares .04 .09 .25 over .38
            ({"temperature": 0.5}, [0.04 / 0.38, 0.09 / 0.38, 0.25 / 0.38]),
            # The ceiling decides.
            ({"temperature": 9.0, "max_temp": 0.5}, [0.04 / 0.38, 0.09 / 0.38, 0.25 / 0.38]),
            ({"temperature": 9.0, "max_temp": 0}, [0, 0, 1]),
            ({"temperature": np.inf}, [1 / 3, 1 / 3, 1 / 3]),
        ],
    )
    def test_by_hand(self, settings, expected):
        np.testing.assert_allclose(scale_pmf(np.array([0.2, 0.3, 0.5]), **settings), expected)

    def test_zero_with_a_tie_leaves_the_pmf(self):
        assert scale_pmf(np.array([0.4, 0.4, 0.2]), temperature=0).tolist() == [0.4, 0.4, 0.2]

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            (
                {"temperature": -1},
                r"^temperature must be 0 or more, got -1 \(1 leaves ratings as they are\)$",
            ),
            ({"temperature": 1, "max_temp": -1}, "^max_temp must be 0 or more, got -1$"),
        ],
    )
    def test_negative_is_refused(self, settings, message):
        with pytest.raises(ValueError, match=message):
            scale_pmf([0.5, 0.5], **settings)


@pytest.fixture
def text_rater(toy_embedder):
    return ResponseRater(references(set1=FORMAL, set2=CASUAL), embedder=toy_embedder)


class TestTables:
    @pytest.mark.parametrize("convert", [lambda table: table, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
    def test_polars_pandas_and_arrow_are_accepted(self, convert):
        table, vectors = with_vectors(references(set1=FORMAL))
        rater = ResponseRater(convert(table))
        expected = response_embeddings_to_pmf(np.ones((1, 8)), vectors.T)
        np.testing.assert_allclose(rater.get_response_pmfs("set1", np.ones((1, 8))), expected)

    def test_rows_may_come_in_any_order(self):
        table, vectors = with_vectors(references(set1=FORMAL, set2=CASUAL))
        shuffled = ResponseRater(table.sample(fraction=1.0, shuffle=True, seed=1))
        expected = response_embeddings_to_pmf(np.ones((1, 8)), vectors[5:].T)
        np.testing.assert_allclose(shuffled.get_response_pmfs("set2", np.ones((1, 8))), expected)

    @pytest.mark.parametrize("k", [2, 4, 7, 11])
    def test_other_numbers_of_points_are_accepted(self, k):
        table, _ = with_vectors(references(set1=[f"level {r}" for r in range(k)]))
        assert ResponseRater(table).get_response_pmfs("set1", np.ones((2, 8))).shape == (2, k)

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            (references(set1=FORMAL).drop("sentence"), "missing: sentence"),
            (references(set1=FORMAL).drop("id", "int_response"), "missing: id, int_response"),
            (references(mean=FORMAL), "id must not be 'mean'"),
            (references(set1=FORMAL, set2=CASUAL[:4]), "int_response must be 1 to 5 in every set"),
            (references(set1=FORMAL).with_columns(int_response=pl.lit(1)), "int_response must be 1 to 5"),
            (references(set1=FORMAL).with_columns(int_response=pl.lit(None)), "int_response must be 1 to 5"),
            (references(set1=FORMAL).head(0), "at least one set"),
            (references(set1=FORMAL[:2]).with_columns(embedding=pl.Series([[1.0], [1.0, 2.0]])), "one width"),
            ({"id": ["set1"]}, "must be a table"),
        ],
    )
    def test_bad_tables_are_value_errors(self, table, message):
        with pytest.raises(ValueError, match=message):
            ResponseRater(table)


class TestModes:
    def test_unknown_set_is_a_key_error_that_names_the_sets(self, text_rater):
        with pytest.raises(KeyError, match="one of 'set1', 'set2', 'mean', got 'set3'"):
            text_rater.get_response_pmfs("set3", TEXTS)

    def test_texts_are_rated_as_their_vectors(self, text_rater, toy_embedder):
        anchors = toy_embedder.embed(CASUAL).vectors
        expected = response_embeddings_to_pmf(toy_embedder.embed(TEXTS).vectors, anchors.T)
        np.testing.assert_allclose(text_rater.get_response_pmfs("set2", TEXTS), expected, atol=1e-6)

    def test_mean_averages_the_sets_before_the_temperature(self, text_rater):
        first, two = (text_rater.get_response_pmfs(name, TEXTS) for name in ("set1", "set2"))
        both = text_rater.get_response_pmfs("mean", TEXTS, temperature=0.5)
        average = (first + two) / 2
        np.testing.assert_allclose(both, average**2 / (average**2).sum(axis=1, keepdims=True), atol=1e-6)

    def test_anchors_are_embedded_once(self, text_rater, toy_embedder):
        text_rater.get_response_pmfs("set1", TEXTS)
        toy_embedder.embedded.clear()
        text_rater.get_response_pmfs("set1", TEXTS[:1])
        assert toy_embedder.embedded == TEXTS[:1]

    def test_no_responses_give_no_rows(self, text_rater):
        assert text_rater.get_response_pmfs("mean", []).shape == (0, 5)

    def test_both_modes_refuse_responses_of_the_other_mode(self, text_rater):
        with pytest.raises(ValueError, match=r"^Expected list of text strings: .* got ndarray"):
            text_rater.get_response_pmfs("set1", np.ones((2, 64)))
        with pytest.raises(ValueError, match="must be a list of texts"):
            text_rater.get_response_pmfs("set1", "one text")
        rater = ResponseRater(with_vectors(references(set1=FORMAL))[0])
        with pytest.raises(ValueError, match="must be vectors"):
            rater.get_response_pmfs("set1", TEXTS)

    @pytest.mark.parametrize("text", ["", "  ", None, 3])
    def test_an_empty_response_is_named_and_not_rated(self, text_rater, text):
        with pytest.raises(ValueError, match=r"invalid in rows \[1\]"):
            text_rater.get_response_pmfs("set1", ["fine", text])

    def test_survey_pmf_is_the_average(self, text_rater):
        survey = text_rater.get_survey_response_pmf([[0.2, 0.8], [0.6, 0.4]])
        np.testing.assert_allclose(survey, [0.4, 0.6])
        with pytest.raises(InputError, match="response_pmfs"):
            text_rater.get_survey_response_pmf(np.empty((0, 5)))

    def test_a_sets_survey_pmf_is_that_of_its_response_pmfs(self, text_rater):
        settings = {"temperature": 0.5, "epsilon": 0.1}
        pmfs = text_rater.get_response_pmfs("set2", TEXTS, **settings)
        survey = text_rater.get_survey_response_pmf_by_reference_set_id("set2", TEXTS, **settings)
        np.testing.assert_allclose(survey, pmfs.sum(axis=0) / len(TEXTS))
        # The reference takes the settings by place, too.
        positional = text_rater.get_survey_response_pmf_by_reference_set_id("set2", TEXTS, 0.5, 0.1)
        np.testing.assert_array_equal(positional, survey)
        with pytest.raises(InputError, match="response_pmfs"):
            text_rater.get_survey_response_pmf_by_reference_set_id("mean", [])

    def test_reference_sentences_come_in_the_order_of_their_points(self):
        shuffled = references(set1=FORMAL, set2=CASUAL).sample(fraction=1.0, shuffle=True, seed=1)
        rater = ResponseRater(shuffled)
        assert rater.get_reference_sentences("set2") == CASUAL
        assert rater.get_reference_sentences("mean") == ["1", "2", "3", "4", "5"]  # as the reference has it
        with pytest.raises(KeyError, match="one of .*'mean', got 'set3'"):
            rater.get_reference_sentences("set3")

    def test_a_caller_cannot_change_the_reference_sentences(self, text_rater):
        text_rater.get_reference_sentences("set1").clear()
        assert text_rater.get_reference_sentences("set1") == FORMAL

    def test_vectors_may_be_in_a_column_of_a_different_name(self):
        table, vectors = with_vectors(references(set1=FORMAL))
        rater = ResponseRater(table.rename({"embedding": "embedding_small"}), "embedding_small")
        expected = response_embeddings_to_pmf(np.ones((1, 8)), vectors.T)
        np.testing.assert_allclose(rater.get_response_pmfs("set1", np.ones((1, 8))), expected)

    def test_texts_are_embedded_in_text_mode_only(self):
        rater = ResponseRater(with_vectors(references(set1=FORMAL))[0])
        with pytest.raises(ValueError, match="references without vectors"):
            rater.encode_texts(TEXTS)

    def test_model_info_describes_the_rater(self, text_rater):
        assert text_rater.available_reference_sets == ["set1", "set2"]
        assert text_rater.model_info["mode"] == "text"
        assert "model:toy" in text_rater.model_info["signature"]
        assert text_rater.model_info["embedding_dimension"] == text_rater.encode_texts(TEXTS).shape[1]
        rater = ResponseRater(with_vectors(references(set1=FORMAL))[0])
        assert rater.model_info == {
            "mode": "embedding",
            "embedding_dimension": 8,  # ``with_vectors`` makes vectors of 8 numbers
            "model_name": None,
            "device": None,
            "signature": None,
        }


@pytest.mark.parametrize(
    ("device", "loader", "settings"),
    [
        (None, "semscale.embedding.load_embedder", {}),
        ("cpu", "semscale.embedding.load_embedder", {}),
        ("cuda", "semscale.embedding.sentence_transformers.SentenceTransformerEmbedder", {"device": "cuda"}),
    ],
)
def test_device_chooses_the_engine(monkeypatch, toy_embedder, device, loader, settings):
    asked = []

    def load(name, **settings):
        asked.append((name, settings))
        return toy_embedder

    monkeypatch.setattr(loader, load)
    rater = ResponseRater(references(set1=FORMAL), model_name="some-model", device=device)
    rater.get_response_pmfs("set1", TEXTS)
    assert asked == [("some-model", settings)]
