"""The preview of an interview has the prompts that a run sends."""

from semscale.study.interviews import Kind
from semscale.study.preview import preview_interview

SEQUENCE = ("seed: 1\n", "seed: 1\nexposure: sequence\n")


def test_the_prompts_are_those_that_the_model_gets(written, played, running, embedder, monkeypatch):
    study = written()
    study.run(played, running=running, embedder=embedder)
    sent = {request.messages for request in played.asked}
    asked = [item for persona in range(3) for item in preview_interview(study.design, persona)]
    prompts = [prompt for item in asked for prompt in item.prompts]
    shown = {prompt.messages for prompt in prompts if prompt.kind is not Kind.RATING}
    # Three personas, two concepts, own words and a number.
    assert len(shown) == 12
    assert shown <= sent
    assert {prompt.kind for prompt in prompts} == {Kind.TEXT, Kind.NUMBER, Kind.RATING}


def test_one_conversation_has_the_order_of_the_run_and_places_for_earlier_answers(
    written, played, running, embedder
):
    study = written(SEQUENCE, ("methods: [ssr, flr, dlr]", "methods: [dlr]"))
    study.run(played, running=running, embedder=embedder)
    first = {
        request.messages[1].text for request in played.asked if "You are Cid" in request.messages[0].text
    }
    items = preview_interview(study.design, 2)
    assert {items[0].prompts[0].messages[1].text} == first
    later = items[1].prompts[0].messages
    assert [message.role for message in later] == ["system", "user", "assistant", "user"]
    assert later[2].text == "(the answer)"


def test_the_persona_sees_points_or_a_place_for_own_words(written):
    item = preview_interview(written(("methods: [ssr, flr, dlr]", "methods: [ssr]")).design, 0)[0]
    assert (item.is_open, item.picks) == (True, False)
    item = preview_interview(written(("methods: [ssr, flr, dlr]", "methods: [decision]")).design, 0)[0]
    assert (item.is_open, item.picks) == (False, True)
    assert item.prompts[0].questions == ("Would you buy it?",)
