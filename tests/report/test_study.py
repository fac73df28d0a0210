"""The document of a study."""

import pytest
from tests.study.conftest import FILE, PEOPLE, PlayedModel

from semscale.chat.runner import Running
from semscale.study.questionnaire import parse_study
from semscale.study.result import Study


@pytest.fixture
def outcome(tmp_path, toy_embedder):
    def make(*changes, **plays):
        (tmp_path / "people.csv").write_text(PEOPLE)
        text = FILE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        model = PlayedModel()
        for name, play in plays.items():
            setattr(model, name, play)
        study = Study(parse_study(text.encode(), source="study.yaml", folder=tmp_path))
        return study.run(model, embedder=toy_embedder, running=Running(ledger=False)).summary()

    return make


def page_text(summary, tmp_path):
    summary.report(tmp_path / "r.md")
    return (tmp_path / "r.md").read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")


def test_methods_stand_side_by_side(outcome, tmp_path):
    text = page_text(outcome(), tmp_path)
    assert "| Concept | Similarity (SSR) | Follow-up rating (FLR) | Direct rating (DLR) |" in text
    assert "3 personas, 2 concepts and 1 question, separately; answered by played" in text


def test_it_says_what_moves_the_answers(outcome, tmp_path):
    text = page_text(outcome(("model: {", "samples: 2\nmodel: {")), tmp_path)
    assert "Sources of variation" in text
    assert "The standard error of a concept's mean is" in text


def test_it_says_that_no_people_were_asked_and_what_it_cannot_say(outcome, tmp_path):
    text = page_text(outcome(), tmp_path)
    assert "No people were asked." in text
    assert "Limits of this study" in text
    assert "95 % simulation intervals" in text
    assert "confidence" not in text.lower()


def test_answers_can_be_read(outcome, tmp_path):
    text = page_text(outcome(words=lambda request: "I would <b>buy</b> it."), tmp_path)
    assert "Some answers, drawn at random" in text
    assert "buy" in text
    outcome(words=lambda request: "I would <b>buy</b> it.").report(tmp_path / "r.html")
    assert "<b>buy</b>" not in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_unrated_answers_are_reported_by_method(outcome):
    document = outcome(number=lambda request: "4 or 5").document()
    assert "Direct rating (DLR): none of 6 answers has a rating." in document.sentences("caution")
    some = outcome(number=lambda request: "4" if "Ann" in request.messages[0].text else "hm").document()
    assert (
        "Direct rating (DLR): 2 of 6 answers have a rating; the others may differ from these."
        in some.sentences("caution")
    )


@pytest.mark.exhaustive
def test_orders_are_shown_for_a_sequence_alone(outcome, tmp_path):
    assert "so there is no order" in page_text(outcome(), tmp_path)
    text = page_text(outcome(("groups: [age]", "exposure: sequence")), tmp_path)
    assert "First minus later" in text


def test_every_output_takes_it(outcome, tmp_path):
    summary = outcome()
    for name in ("r.html", "r.xlsx"):
        summary.report(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5_000
    assert "bars" in summary._repr_html_()


def test_a_method_without_decisions_is_named(outcome):
    document = outcome(("[ssr, flr, dlr]", "[dlr, decision]")).document()
    assert "played takes no typed decisions, so that method has no figures." in document.sentences("caution")


def test_concepts_are_compared_and_groups_of_personas(outcome, tmp_path):
    text = page_text(outcome(number=number_of_oats_and_nuts), tmp_path)
    # Ann says 2 to both; the others 5 to oats and 4 to nuts: 2 / 3 apart, on average.
    assert "Differences of concepts in “intent”, with 95 % simulation intervals" in text
    assert "| Direct rating (DLR) | `oat` | `nut` | +0.67" in text
    assert "Differences of groups in “intent”" in text
    assert "Holm: adjusted for all differences of one method here" in text


def number_of_oats_and_nuts(request):
    """Rate oats 5 and nuts 4, but both 2 as Ann."""
    return "2" if "Ann" in request.messages[0].text else "5" if "oats" in request.messages[-1].text else "4"


def test_a_question_begins_with_its_highest_and_lowest_concept(outcome):
    section = outcome(("[ssr, flr, dlr]", "[dlr]"), number=number_of_oats_and_nuts).document().sections[0]
    # Oats: (2 + 5 + 5) / 3; nuts: (2 + 4 + 4) / 3. Two personas differ by 1 and one by 0: t = 2 at 2 degrees.
    assert section.findings == (
        "Personas rate ‘oat’ highest (4.00 on a scale from 1 to 5) and ‘nut’ lowest (3.33); "
        "the difference may be chance",
    )
    findings = outcome(number=number_of_oats_and_nuts).document().sections[0].findings
    assert "by similarity (SSR)" in findings[0]


def test_a_difference_that_is_equal_for_all_personas_has_no_test(outcome):
    def number(request):
        return "5" if "oats" in request.messages[-1].text else "4"

    section = outcome(("[ssr, flr, dlr]", "[dlr]"), number=number).document().sections[0]
    assert section.findings == (
        "Personas rate ‘oat’ highest (5.00 on a scale from 1 to 5) and ‘nut’ lowest (4.00); "
        "there is no test of the difference",
    )


def test_unrated_reasons_quote_an_answer(outcome, tmp_path):
    text = page_text(outcome(words=lambda request: "As an AI, I cannot answer this."), tmp_path)
    assert "Why answers have no rating" in text
    assert "As an AI, I cannot answer this." in text


def test_a_panel_that_is_asked_twice_has_its_rerun_reliability(outcome, tmp_path):
    text = page_text(outcome(("model: {", "samples: 2\nmodel: {")), tmp_path)
    assert "The same panel asked again" in text
    assert "The same panel asked again" not in page_text(outcome(), tmp_path)
