import json

import numpy as np
import pytest
from labelled_toys import predictors_at

from semscale.errors import InputError
from semscale.rating.calibration.calibration import hash_of
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
    assert again.refit_pmf(texts).tolist() == calibration.refit_pmf(texts).tolist()
    assert again.refit_pmf(texts).shape == (20, 20, 5)
    assert again.signature == calibration.signature
    assert as_calibration(str(written)).name == as_calibration(calibration).name


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
            content["hash"] = hash_of({name: each for name, each in content.items() if name not in beside})
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
        (("fitted", "slope"), -1.0),
        (("fitted", "weights"), ["x", "y"]),
        (("fitted", "weights"), [[1.0, 2.0]]),
        (("fitted", "thresholds"), [4.0, 3.0, 2.0, 1.0]),
        (("refits",), None),
        (("refits", 0), {}),
        (("refits", 0, "slope"), -1.0),
        (("refits", 1, "weights"), [1.0]),
        (("refits", 1, "thresholds"), [4.0, 3.0, 2.0, 1.0]),
        (("method",), "boosting"),
        (("ratings",), "x|y"),
        (("ratings",), 5),
        (("note",), "more"),
    ],
)
def test_a_change_by_hand_is_refused_even_with_a_new_hash(changed, path, value):
    for hashed, said in ((False, "was changed since it was written"), (True, r"is damaged \(")):
        with pytest.raises(InputError, match=said) as raised:
            load_calibration(changed(*path, value=value, hashed=hashed))
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [(("labels", "seed"), 1), (("error", "calibrated"), 0.5), (("familiarity", "floor"), 0.5)],
)
def test_a_change_within_the_range_is_refused_by_hash_and_signature(changed, path, value):
    for hashed, said in ((False, "was changed since it was written"), (True, "its signature is another")):
        with pytest.raises(InputError, match=said):
            load_calibration(changed(*path, value=value, hashed=hashed))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("version", 2, "has version 2, and this Semscale reads version 3; calibrate anew$"),
        (
            "version",
            4,
            "has version 4, and this Semscale reads version 3; update Semscale, or calibrate anew$",
        ),
        ("version", True, "has version True"),
        ("version", 1.0, r"has version 1\.0"),
        ("format", "scale", "is no calibration"),
        ("hash", None, "was changed since it was written"),
        ("signature", 3, "is damaged"),
    ],
)
def test_a_file_of_another_kind_is_refused(changed, name, value, said):
    with pytest.raises(InputError, match=said):
        load_calibration(changed(name, value=value, hashed=False))


def test_refits_that_cannot_show_an_error_are_refused(changed, written):
    refits = json.loads(written.read_text())["refits"]
    for value in (refits[:1], [*refits, refits[0]]):  # one alone, and one more than are ever made
        with pytest.raises(InputError, match=r"is damaged \(.*refits"):
            load_calibration(changed("refits", value=value, hashed=True))


def test_no_file_no_json_and_no_calibration_are_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_calibration(tmp_path / "none.json")
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(InputError, match="is no calibration, as it is no JSON"):
        load_calibration(tmp_path / "a.json")
    with pytest.raises(InputError, match="calibration must be"):
        as_calibration(3)
    with pytest.raises(InputError, match=r"must end in \.json"):
        check_calibration_path(tmp_path / "cal.pkl")


def test_the_file_is_read_by_people(calibration):
    content = json.loads(calibration_text(calibration))
    assert list(content)[:4] == ["format", "version", "signature", "hash"]
    assert content["labels"]["n"] == 20
    assert content["method"] == calibration.method


def test_it_has_a_hash_of_each_labelled_text_and_no_text(calibration, written):
    # printf 0.0 | sha256sum
    assert "8aed642bf511" in json.loads(written.read_text())["labels"]["texts"]
    assert load_calibration(written).saw([" 0.0", "0.0 ", "0.01"]).tolist() == [True, True, False]
    assert load_calibration(written).labels.texts == calibration.labels.texts
