"""The page of a scale shows the effect of each word on a sample, lints, tries probes, and writes the file."""

import re

import numpy as np
import pytest
from markupsafe import escape
from tests.workbench.conftest import fields_in, message_in

from semscale.errors import ModelError
from semscale.rating.expected import expected_correlation
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.scales import load_scale
from semscale.scales.scale import parse_scale

ANSWERS = ["good", "very good thing", "bad", "it is awful", "so so", "great stuff", "poor thing", "fine"]
MOOD = """# my own
name: mood
title: Mood
question: How are you?
points:
  - {value: 1, label: Bad}
  - {value: 2, label: Fair}
  - {value: 3, label: Good}
anchor_sets:
  plain:       # the first
    - bad thing
    - so so thing
    - good thing
  other:
    - awful stuff
    - fair stuff
    - great stuff
provenance: a test
probes:
  - {level: 1, text: it is bad}
  - {level: 3, text: it is good}
"""


@pytest.fixture
def folder(tmp_path):
    rows = [f"{number},{answer}" for number, answer in enumerate(ANSWERS, start=1)]
    (tmp_path / "answers.csv").write_text("\n".join(["person,why", *rows, "9,", "10,"]), encoding="utf-8")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nfile: answers.csv\nquestions:\n- {name: Reason, kind: open, columns: why}\n"
    )
    (tmp_path / "scales").mkdir()
    (tmp_path / "scales" / "mood.yaml").write_text(MOOD, encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def quick(monkeypatch, toy_embedder):
    """Rate with a small embedder."""
    monkeypatch.setattr("semscale.workbench.models.load_embedder", lambda *_, **__: toy_embedder)


def form_of(page):
    start = page.index('id="scale-form"')
    fields = fields_in(page[start : page.index("</form>", start)])
    return {name: values for name, values in fields.items() if name != "change"}


def open_form(browser, scale="scales/mood.yaml"):
    """Open the page, and wait until the sample is read as the page does."""
    form = form_of(browser.get(f"/rate/scale?scale={scale}"))
    while "load delay" in browser.change("/rate/scale/chart", form).partition('id="lint"')[0]:
        pass
    return form


def shares_in(page):
    """Return the shown shares by column, from the lowest point to the highest."""
    body = re.search(r"<tbody>(.*?)</tbody>", page, re.DOTALL)[1]
    rows = [re.findall(r"<td>([\d.]+)\s%</td>", row) for row in body.split("</tr>")[:-1]]
    return np.array(rows, dtype=float).T


def scale_of(content):
    return parse_scale(content.encode(), source="mood.yaml")


def test_the_bars_are_those_of_the_rater_for_all_sets_and_for_the_edited_one_alone(browser, toy_embedder):
    form = open_form(browser)
    form["anchor"][2] = "very good thing"
    page = browser.change("/rate/scale/chart", form)
    edited = scale_of(MOOD.replace("good thing", "very good thing"))
    for column, sets in zip(shares_in(page), (["plain", "other"], ["plain"]), strict=True):
        rated = Rater(edited.with_sets(sets), embedder=toy_embedder).rate(ANSWERS)
        np.testing.assert_allclose(column, 100 * np.nanmean(rated.pmf, axis=0), atol=0.051)
    stored = Rater(scale_of(MOOD), embedder=toy_embedder).rate(ANSWERS)
    assert f"stored {np.nanmean(stored.mean):.2f}" in page


def test_the_set_that_has_the_focus_is_shown_alone(browser):
    form = open_form(browser)
    assert "‘other’ alone" in browser.change("/rate/scale/chart", form | {"current": "1"})


def test_an_edited_sentence_alone_is_embedded(browser, toy_embedder):
    form = open_form(browser)
    browser.change("/rate/scale/check", form)
    toy_embedder.embedded.clear()
    form["anchor"][0] = "worst thing"
    browser.change("/rate/scale/chart", form)
    assert toy_embedder.embedded == ["worst thing"]
    browser.change("/rate/scale/check", form)
    assert toy_embedder.embedded == ["worst thing"]


def test_half_of_a_set_is_a_sentence_and_no_refusal(browser):
    form = open_form(browser)
    form["anchor"][1] = " "
    assert "anchor 2 must not be empty" in browser.change("/rate/scale/chart", form)
    assert "Check of the sentences" not in browser.change("/rate/scale/check", form)


def test_the_linter_states_the_findings_of_the_command(browser, toy_embedder):
    page = browser.change("/rate/scale/check", open_form(browser))
    report = lint(scale_of(MOOD), embedder=toy_embedder)
    assert f'class="verdict {report.verdict}"' in page
    assert report.findings
    for finding in report.findings:
        assert str(escape(str(finding))) in page


def test_probes_that_are_rated_elsewhere_are_named(browser, toy_embedder):
    form = open_form(browser)
    form["probe"] = ["it is bad\ngreat stuff", "", "it is good"]
    page = browser.change("/rate/scale/check", form)
    rater = Rater(scale_of(MOOD), embedder=toy_embedder)
    modes = rater.rate(["it is bad", "great stuff", "it is good"]).mode.tolist()
    n = sum(mode == level for mode, level in zip(modes, (1, 1, 3), strict=True))
    assert f"{n} of 3 probes are rated at the point that you expect" in page
    assert modes[1] == 3
    assert '<q dir="auto">great stuff</q> <span>expected <b>Bad</b>, rated <b class="warn">Good</b>' in page


def test_a_change_is_written_to_the_scales_own_file_and_undone(browser, folder):
    form = open_form(browser)
    form["anchor"][5] = "lovely stuff"
    form["label"][1] = "So so"
    page = browser.change("/rate/scale", form)
    assert 'value="scales/mood.yaml" selected' in page
    written = (folder / "scales" / "mood.yaml").read_text("utf-8")
    assert written == MOOD.replace("great stuff", "lovely stuff").replace("label: Fair", "label: So so")
    browser.change("/data/undo")
    assert (folder / "scales" / "mood.yaml").read_text("utf-8") == MOOD


def test_a_scale_of_the_library_is_copied_with_the_sets_that_rate(browser, folder):
    form = open_form(browser, "trust")
    form["anchor"][0] = "They are crooks."
    browser.change("/rate/scale", form)
    copy, trust = load_scale(folder / "scales" / "my-trust.yaml"), load_scale("trust").for_model("e5-small")
    changed = {
        name: anchors for name, anchors in copy.anchor_sets.items() if anchors != trust.anchor_sets[name]
    }
    assert list(copy.anchor_sets) == list(trust.anchor_sets)
    ((name, anchors),) = changed.items()
    assert anchors == ("They are crooks.", *trust.anchor_sets[name][1:])
    assert copy.probes == trust.probes
    assert copy.provenance.startswith("Changed from the scale trust, ")


@pytest.mark.parametrize(
    ("changes", "reason", "status"),
    [
        ({"name": "quality"}, "must be a new name", 422),
        ({"name": "../../x"}, None, 200),
        ({"label": ["Bad", "bad", "Good"]}, "labels of points must differ", 422),
        ({"set_name": ["plain", "Plain!"]}, "anchor sets must have different names", 422),
        ({"anchor": ["one"]}, "fields of the form are incomplete", 422),
        ({"value": ["1", "x", "3"]}, "fields of the form are incomplete", 422),
        ({"scale": "../mood.yaml"}, "must be one of the list", 422),
    ],
)
def test_mistakes_are_refused_and_files_stay_in_the_folder(browser, folder, changes, reason, status):
    answer = browser.post("/rate/scale", open_form(browser) | changes)
    assert answer.status_code == status
    if reason is None:
        assert {path.name for path in folder.rglob("*.yaml")} == {"survey.yaml", "mood.yaml", "x.yaml"}
        assert (folder / "scales" / "x.yaml").is_file()
    else:
        assert reason in message_in(answer)
        assert (folder / "scales" / "mood.yaml").read_text("utf-8") == MOOD


def test_names_in_another_script_are_refused_with_what_they_need(browser):
    form = open_form(browser) | {"set_name": ["価格", "音"]}
    assert "letters from a to z, got &#39;価格&#39;" in message_in(browser.post("/rate/scale", form))
    form = open_form(browser) | {"name": "価格"}
    assert "letters from a to z, such as my-quality" in message_in(browser.post("/rate/scale", form))


@pytest.mark.parametrize("lacking", ["value", "label", "probe", "anchor", "set_name"])
@pytest.mark.parametrize("path", ["/rate/scale", "/rate/scale/try"])
def test_a_form_that_lacks_a_field_is_refused(browser, lacking, path):
    form = {name: values for name, values in open_form(browser).items() if name != lacking}
    assert "load the page again" in message_in(browser.post(path, form))


def test_a_mistake_keeps_what_was_typed(browser):
    form = open_form(browser)
    form["anchor"][4], form["label"][0] = "fair enough", ""
    answer = browser.post("/rate/scale", form)
    assert answer.status_code == 422
    assert form_of(answer.text)["anchor"][4] == "fair enough"


def test_a_scale_that_an_editor_changed_is_not_overwritten(browser, folder):
    form, path = open_form(browser), folder / "scales" / "mood.yaml"
    path.write_text(MOOD.replace("bad thing", "worst thing"), "utf-8")
    answer = browser.post("/rate/scale", form)
    assert answer.status_code == 409
    assert "changed outside of this page" in message_in(answer)
    assert "worst thing" in path.read_text("utf-8")


def test_another_scale_is_not_overwritten_by_a_copy(browser, folder):
    answer = browser.post("/rate/scale", open_form(browser, "trust") | {"name": "mood"})
    assert answer.status_code == 409
    assert "scales/mood.yaml exists" in message_in(answer)
    assert (folder / "scales" / "mood.yaml").read_text("utf-8") == MOOD


def test_sets_are_added_and_removed_without_javascript(browser, folder):
    form = open_form(browser)
    more = form_of(browser.change("/rate/scale/try", form | {"change": "add"}))
    assert more["set_name"] == ["plain", "other", "set-1"]
    assert more["current"] == "2"
    more["anchor"][6:] = ["sad day", "a day", "happy day"]
    fewer = form_of(browser.change("/rate/scale/try", more | {"change": "remove:0"}))
    browser.change("/rate/scale", fewer)
    sets = load_scale(folder / "scales" / "mood.yaml").anchor_sets
    assert sets == {
        "other": ("awful stuff", "fair stuff", "great stuff"),
        "set-1": ("sad day", "a day", "happy day"),
    }


def test_a_new_scale_is_written(browser, folder):
    form = form_of(browser.get("/rate/scale?points=2"))
    fields = {"name": "Cosy", "title": "Cosiness", "question": "How cosy is it?", "label": ["Hard", "Soft"]}
    browser.change("/rate/scale", form | fields | {"anchor": ["It is hard.", "It is soft."]})
    scale = load_scale(folder / "scales" / "cosy.yaml")
    assert (scale.labels, scale.values.tolist()) == (("Hard", "Soft"), [1, 2])
    assert scale.anchor_sets == {"set-1": ("It is hard.", "It is soft.")}


@pytest.mark.parametrize(("points", "n"), [("", 5), ("7", 7), ("1", 2), ("99", 11), ("x", 5), ("²", 5)])
def test_a_new_scale_has_two_to_eleven_points(browser, points, n):
    page = browser.get(f"/rate/scale?points={points}")
    assert len(form_of(page)["value"]) == n
    assert f'<a href="/rate/scale?points={n}" aria-current="true">' in page


def test_sets_for_other_models_stay_in_the_file(browser, folder):
    path = folder / "scales" / "mood.yaml"
    path.write_text(MOOD + "sets_by_model:\n  e5-small: [other]\n  all-MiniLM-L6-v2: [plain]\n", "utf-8")
    form = open_form(browser)
    assert form["set_name"] == "other"
    browser.change("/rate/scale", form | {"anchor": ["awful stuff", "fair stuff", "fine stuff"]})
    scale = load_scale(path)
    assert scale.anchor_sets["plain"] == ("bad thing", "so so thing", "good thing")
    assert scale.anchor_sets["other"] == ("awful stuff", "fair stuff", "fine stuff")
    assert scale.sets_by_model == {"e5-small": ("other",), "all-MiniLM-L6-v2": ("plain",)}


def test_a_model_that_cannot_be_loaded_is_a_sentence(browser, monkeypatch):
    def fail(*_, **__):
        raise ModelError("the weights are not on this machine, and no network is there")

    monkeypatch.setattr("semscale.workbench.models.load_embedder", fail)
    form = form_of(browser.get("/rate/scale?scale=scales/mood.yaml"))
    while "load delay" in (page := browser.change("/rate/scale/chart", form)).partition('id="lint"')[0]:
        pass
    assert "The weights are not on this machine" in page


def test_a_scale_that_measures_nothing_in_the_sample_has_no_mean(browser, monkeypatch):
    doubtful = expected_correlation(0.08, 300)
    form = open_form(browser)
    assert '<th scope="row">Mean ' in browser.change("/rate/scale/chart", form)
    monkeypatch.setattr("semscale.rating.ratings.expected_from_moments", lambda *_: doubtful)
    form["anchor"][0] = "worst thing"
    page = browser.change("/rate/scale/chart", form)
    assert "The scale probably does not measure “Mood” in these answers" in page
    assert '<th scope="row">Mean ' not in page


def test_hostile_sentences_are_shown_as_text(browser):
    form = open_form(browser)
    form["anchor"][0], form["title"] = '"><script>alert(1)</script>', "<b>x</b>"
    page = browser.change("/rate/scale/try", form)
    assert "<script>alert" not in page
    assert "<b>x</b>" not in page
    assert form_of(page)["anchor"][0] == '"><script>alert(1)</script>'
