"""The guide's import lines and calls run after ``semantic_similarity_rating`` is replaced in them."""

import importlib
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as po
import pyarrow as pa
import pytest
from tests.compat.conftest import CASUAL, FORMAL, TEXTS

from semscale.compat.ssr import ResponseRater, response_embeddings_to_pmf, scale_pmf


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
        return po.DataFrame(
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
        df_with_embeddings = df_references.with_columns(po.Series("embedding", vectors.tolist()))
        rater = ResponseRater(df_with_embeddings)
        pmfs = rater.get_response_pmfs("set1", embedder.embed(["I agree", "Not sure"]).vectors)
        texts = ResponseRater(df_references).get_response_pmfs("set1", ["I agree", "Not sure"])
        np.testing.assert_allclose(pmfs, texts, atol=1e-4)

    def test_full_integration(self):
        df_references = po.DataFrame(
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
        df_references = po.DataFrame(
            {
                "id": ["formal"] * 5 + ["casual"] * 5 + ["academic"] * 5,
                "int_response": [1, 2, 3, 4, 5] * 3,
                "sentence": FORMAL + casual + academic,
            }
        )
        rater = ResponseRater(df_references)
        each = [rater.get_response_pmfs(name, TEXTS) for name in ("formal", "casual", "academic")]
        np.testing.assert_allclose(rater.get_response_pmfs("mean", TEXTS), np.mean(each, axis=0), atol=1e-6)

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
