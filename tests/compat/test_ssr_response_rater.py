"""The guide's class: which tables it takes, in which mode, and what embeds texts."""

import numpy as np
import polars as pl
import pytest
from tests.compat.conftest import CASUAL, FORMAL, TEXTS, references, with_vectors

from semscale.compat.ssr import ResponseRater, response_embeddings_to_pmf
from semscale.errors import InputError


@pytest.fixture
def text_rater(toy_embedder):
    return ResponseRater(references(set1=FORMAL, set2=CASUAL), embedder=toy_embedder)


class TestTables:
    @pytest.mark.parametrize("convert", [lambda table: table, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
    def test_polars_pandas_and_arrow_are_taken(self, convert):
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
    def test_other_numbers_of_points_are_taken(self, k):
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
        one, two = (text_rater.get_response_pmfs(name, TEXTS) for name in ("set1", "set2"))
        both = text_rater.get_response_pmfs("mean", TEXTS, temperature=0.5)
        average = (one + two) / 2
        np.testing.assert_allclose(both, average**2 / (average**2).sum(axis=1, keepdims=True), atol=1e-6)

    def test_anchors_are_embedded_once(self, text_rater, toy_embedder):
        text_rater.get_response_pmfs("set1", TEXTS)
        toy_embedder.embedded.clear()
        text_rater.get_response_pmfs("set1", TEXTS[:1])
        assert toy_embedder.embedded == TEXTS[:1]

    def test_no_responses_give_no_rows(self, text_rater):
        assert text_rater.get_response_pmfs("mean", []).shape == (0, 5)

    def test_each_mode_refuses_the_others_responses(self, text_rater):
        with pytest.raises(ValueError, match=r"^Expected list of text strings: .* got ndarray"):
            text_rater.get_response_pmfs("set1", np.ones((2, 64)))
        with pytest.raises(ValueError, match="must be a list of texts"):
            text_rater.get_response_pmfs("set1", "one text")
        rater = ResponseRater(with_vectors(references(set1=FORMAL))[0])
        with pytest.raises(ValueError, match="must be vectors"):
            rater.get_response_pmfs("set1", TEXTS)

    @pytest.mark.parametrize("text", ["", "  ", None, 3])
    def test_an_empty_response_is_named_and_not_rated(self, text_rater, text):
        with pytest.raises(ValueError, match=r"not so in rows \[1\]"):
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
        by_place = text_rater.get_survey_response_pmf_by_reference_set_id("set2", TEXTS, 0.5, 0.1)
        np.testing.assert_array_equal(by_place, survey)
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

    def test_vectors_may_stand_in_a_column_of_another_name(self):
        table, vectors = with_vectors(references(set1=FORMAL))
        rater = ResponseRater(table.rename({"embedding": "embedding_small"}), "embedding_small")
        expected = response_embeddings_to_pmf(np.ones((1, 8)), vectors.T)
        np.testing.assert_allclose(rater.get_response_pmfs("set1", np.ones((1, 8))), expected)

    def test_texts_are_embedded_in_text_mode_only(self):
        rater = ResponseRater(with_vectors(references(set1=FORMAL))[0])
        with pytest.raises(ValueError, match="references without vectors"):
            rater.encode_texts(TEXTS)

    def test_says_what_it_has(self, text_rater):
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
