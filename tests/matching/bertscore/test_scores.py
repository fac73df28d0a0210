"""BERTScores as a result: their summary and the document made of it."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.matching.bertscore import BertScores
from semscale.report.markdown import markdown
from semscale.signature import Signature
from semscale.types import Status

PREDICTIONS = ["it is well", None, "it is ill"]
REFERENCES = [["well", "it is well"], ["well"], ["it is well"]]


def scores():
    status = np.array([Status.SCORED, Status.MISSING, Status.SCORED], dtype=object)
    return BertScores(
        precision=np.array([1.0, np.nan, 0.2]),
        recall=np.array([0.8, np.nan, 0.4]),
        f1=np.array([0.9, np.nan, 0.3]),
        status=status,
        reference=np.array([1, -1, 0]),
        windows=np.array([1, 0, 2]),
        signature=Signature.of("bertscore", model="toy", layer=5),
    )


def test_a_summary_has_every_figure_and_shows_the_reference_of_the_f1():
    summary = scores().summarize(PREDICTIONS, REFERENCES, by=["a", "a", "b"], source="a test", interval=0.9)
    overall = summary.estimates.overall
    means = {name: figure.value for name, figure in overall.figures.items()}
    assert means == pytest.approx({"f1": 0.6, "precision": 0.6, "recall": 0.6})
    assert (overall.main, summary.estimates.interval, summary.n_windowed) == ("f1", 0.9, 1)
    assert (summary.method, summary.bounds, summary.source) == ("bertscore", (-1.0, 1.0), "a test")
    lowest, highest = summary.lowest
    assert (lowest.prediction, lowest.reference, lowest.group) == ("it is ill", "it is well", "b")
    assert (highest.prediction, highest.reference) == ("it is well", "it is well")
    assert highest.components == {"precision": 1.0, "recall": 0.8}
    assert summary.record()["method"] == "bertscore"


def test_the_document_names_the_figures_and_cites_the_paper():
    shown = markdown(scores().summarize(PREDICTIONS, REFERENCES).document())
    for phrase in ("Mean F1", "Mean precision: 0.60", "Mean recall: 0.60", "Zhang", "it is ill"):
        assert phrase in shown
    assert "mean match" not in shown.lower()


def test_texts_must_be_as_many_as_the_scores():
    with pytest.raises(InputError, match="predictions must have 3 rows, as many as there are matches, got 1"):
        scores().summarize(["well"])
