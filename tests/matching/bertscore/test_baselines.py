"""Which layer and which baseline a model has, and reading baselines from files."""

import json

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.matching.bertscore import bert_models, find_bert_model, read_baseline, rescale_scores

PUBLISHED = {
    "roberta-large": (17, 25),
    "roberta-base": (10, 13),
    "bert-base-uncased": (9, 13),
    "distilroberta-base": (5, 7),
    "distilbert-base-uncased": (5, 7),
    "all-MiniLM-L6-v2": (6, 7),
}


@pytest.mark.parametrize(("name", "layer", "rows"), [(name, *known) for name, known in PUBLISHED.items()])
def test_layers_and_baselines_that_come_with_semscale(name, layer, rows):
    model = find_bert_model(name)
    assert model.layer == layer
    assert model.baseline.shape == (rows, 3)
    assert model == find_bert_model(model.hub) or name == model.hub


def test_mpnet_has_a_layer_and_cannot_be_run():
    assert find_bert_model("microsoft/mpnet-base").layer == 8
    assert [name for name, model in bert_models().items() if not model.runs] == ["microsoft/mpnet-base"]


def test_a_published_value_and_what_it_makes_of_a_score():
    # roberta-large at layer 17 has F1 .83122575 in bert_score's table; (.9 - b) / (1 - b) = .07 / .17 or so.
    baseline = find_bert_model("roberta-large").baseline[17]
    assert baseline[2] == 0.83122575
    rescaled = rescale_scores(np.array([0.9, 0.9, 0.9]), baseline)
    assert rescaled[2] == pytest.approx(0.06877425 / 0.16877425)


def test_a_table_of_bert_score_is_read(tmp_path):
    path = tmp_path / "model.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n1,0.4,0.5,0.6\n")
    baseline = read_baseline(path)
    assert baseline.at(1).tolist() == [0.4, 0.5, 0.6]
    assert baseline.label(1) != baseline.label(0)
    assert baseline.label(1).startswith("model.tsv#")
    with pytest.raises(InputError, match="has layers 0 to 1, not layer 2"):
        baseline.at(2)


def test_a_calibration_is_read_with_its_layer(tmp_path):
    path = tmp_path / "model.json"
    rows = [{"layer": 0, "precision": 0.1, "recall": 0.2, "f1": 0.3}]
    path.write_text(json.dumps({"model": "m#1", "layers": rows, "human": {"best_layer": 0}}))
    baseline = read_baseline(path)
    assert (baseline.model, baseline.best_layer, baseline.values.tolist()) == ("m#1", 0, [[0.1, 0.2, 0.3]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "is not a baseline"),
        ("{}", "is not a baseline"),
        ('{"model": "m", "layers": []}', "is not a baseline"),
        ("LAYER,P,R,F\n0,x,0,0\n", "is not a baseline"),
        ("LAYER,P,R,F\n1,0,0,0\n", "layers 0, 1, 2"),
        ("LAYER,P,R,F\n0,1,0,0\n", "numbers below 1"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(content, message, tmp_path):
    path = tmp_path / "wrong.tsv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_baseline(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"none.json cannot be read"):
        read_baseline(tmp_path / "none.json")
