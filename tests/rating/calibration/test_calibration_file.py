import json

import numpy as np
import pytest
from labelled_toys import predictors_at

from semscale.errors import InputError
from semscale.rating.calibration.calibration_file import (
    as_calibration,
    calibration_text,
    check_calibration_path,
    load_calibration,
    save_calibration,
)
from semscale.rating.calibration.fitting import LabelledTexts, fit_calibration
from semscale.scales import load_scale
from semscale.signature import Signature

PLACES = np.linspace(0, 1, 20)


@pytest.fixture(scope="module")
def calibration():
    answers = np.round(1 + 4 * PLACES)[:, None]
    labels = LabelledTexts([str(place) for place in PLACES], answers, None, {}, None, "toys.csv")
    ratings = Signature.of("rate", scale="quality#1", precision="float32", floor=0.1)
    return fit_calibration(labels, predictors_at(PLACES), load_scale("quality"), ratings=ratings).calibration


@pytest.fixture
def written(calibration, tmp_path):
    save_calibration(calibration, tmp_path / "cal.json")
    return tmp_path / "cal.json"


def test_what_is_read_gives_the_same_masses_and_signature(calibration, written):
    again = load_calibration(written)
    texts = predictors_at(PLACES)
    assert again.pmf(texts).tolist() == calibration.pmf(texts).tolist()
    assert again.unlike(texts.vectors).tolist() == calibration.unlike(texts.vectors).tolist()
    assert again.signature == calibration.signature
    assert as_calibration(str(written)).name == as_calibration(calibration).name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content.update(version=2), "has version 2, and this Semscale reads version 1"),
        (lambda content: content.update(format="scale"), "is no calibration"),
        (lambda content: content.pop("fitted"), r"is damaged \(KeyError"),
        (lambda content: content["fitted"].update(slope=99.0), "was changed since it was written"),
        (lambda content: content["familiarity"].update(centre=["a"]), "is damaged"),
        (lambda content: content.update(method="boosting"), "is damaged"),
    ],
)
def test_a_file_that_is_not_as_written_is_refused(written, change, said):
    content = json.loads(written.read_text())
    change(content)
    written.write_text(json.dumps(content))
    with pytest.raises(InputError, match=said):
        load_calibration(written)


def test_no_file_no_json_and_no_calibration_are_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_calibration(tmp_path / "none.json")
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(InputError, match="is no JSON"):
        load_calibration(tmp_path / "a.json")
    with pytest.raises(InputError, match="calibration must be"):
        as_calibration(3)
    with pytest.raises(InputError, match=r"must end in \.json"):
        check_calibration_path(tmp_path / "cal.pkl")


def test_the_file_is_read_by_people(calibration):
    content = json.loads(calibration_text(calibration))
    assert list(content)[:3] == ["format", "version", "signature"]
    assert content["labels"]["n"] == 20
    assert content["method"] == calibration.method


def test_it_has_a_hash_of_each_labelled_text_and_no_text(calibration, written):
    # printf 0.0 | sha256sum
    assert "8aed642bf511" in json.loads(written.read_text())["labels"]["texts"]
    assert load_calibration(written).saw([" 0.0", "0.0 ", "0.01"]).tolist() == [True, True, False]
    assert load_calibration(written).labels.texts == calibration.labels.texts
