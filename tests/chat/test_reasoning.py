"""Reasoning of models is recognised in replies of any form, and kept apart from the answer."""

from dataclasses import replace

import pytest

from semscale.chat.endpoint import Scrubber, parse_reply
from semscale.chat.ledger import dump_reply, load_reply
from semscale.chat.messages import CallError, Reply, TokenLogprob
from semscale.json_reading import parse_json
from semscale.reasoning import answer_start, split_reasoning

WITH_REASONING = {
    "tags": "<think>\nLyon? No.\n</think>\n\nParis",
    "upper case and attributes": "<THINK time='3 s'>Lyon? No.</THINK> Paris",
    "byte order mark": "\ufeff \n<thinking>Lyon? No.</thinking>Paris",
    "opening tag in the prompt": "Lyon? No.\n</think>\n\nParis",
    "opening tag in the prompt, adjoining": "Lyon? No.</think>Paris",
    "Magistral": "[THINK]Lyon? No.[/THINK]Paris",
    "Kimi-VL": "◁think▷Lyon? No.◁/think▷Paris",
    "Seed": "<seed:think>Lyon? No.</seed:think>Paris",
    "Cohere": "<|START_THINKING|>Lyon? No.<|END_THINKING|><|START_RESPONSE|>Paris<|END_RESPONSE|>",
    "harmony": "<|channel|>analysis<|message|>Lyon? No.<|end|>"
    "<|start|>assistant<|channel|>final<|message|>Paris",
    "harmony without special tokens": "analysisLyon? No.assistantfinalParis",
    "answer in tags": "<think>Lyon? No.</think>\n<answer>Paris</answer>",
    "escaped": "&lt;think&gt;Lyon? No.&lt;/think&gt;Paris",
    "Open WebUI": '<details type="reasoning" done="true">Lyon? No.</details>\nParis',
    "promptfoo": "Thinking: Lyon? No.\nSignature: abc=\n\nParis",
    "Claude's artifacts": "<antThinking>Lyon? No.</antThinking>Paris",
    "LongCat": "<longcat_think>Lyon? No.</longcat_think>Paris",
    "prompted": "<thinking_process>Lyon? No.</thinking_process>\n<answer>Paris</answer>",
    "MedGemma": "<unused94>thought\nLyon? No.<unused95>Paris",
    "Pangu": "[unused16]Lyon? No.[unused17]Paris",
    "Ollama in a shell": "Thinking...\nLyon? No.\n...done thinking.\n\nParis",
    "summary": "<details><summary>Thinking</summary>Lyon? No.</details>\nParis",
    "harmony without special tokens, in lines": "analysis\nLyon? No.\nassistantfinal\nParis",
    "DeepSeek's tokens": "<｜begin▁of▁sentence｜><think>Lyon? No.</think>Paris<｜end▁of▁sentence｜>",
    "template tokens": "<|im_start|>assistant\n<think>Lyon? No.</think>Paris<|im_end|>",
}


@pytest.mark.parametrize("text", WITH_REASONING.values(), ids=WITH_REASONING)
def test_reply_is_split_into_reasoning_and_answer(text):
    assert split_reasoning(text) == ("Lyon? No.", "Paris")


def test_several_blocks_of_reasoning_are_joined():
    assert split_reasoning("<think>a</think>\n<think>b</think>\nParis") == ("a\n\nb", "Paris")


def test_tag_inside_of_reasoning_does_not_end_the_answer():
    assert split_reasoning("<think>a <think>b</think> c</think>\n\nParis")[1] == "Paris"


@pytest.mark.parametrize(
    "text",
    [
        "Lyon? No.\n</think>\n\nNice? No.\n</think>\n\nParis",
        "<think>Lyon? No.</think><answer><think>Nice? No.</think>Paris</answer>",
    ],
)
def test_a_copied_or_stored_reply_has_the_same_answer(text):
    reply = Reply(text)
    assert (reply.text, reply.reasoning) == ("Paris", "Lyon? No.\n\nNice? No.")
    assert replace(reply, seconds=1.0) == load_reply(dump_reply(reply)) == reply


@pytest.mark.parametrize("text", ["<think>Lyon? N", "<|channel|>analysis<|message|>Lyon? N", "[THINK]Lyon"])
def test_reasoning_that_was_cut_off_leaves_no_answer(text):
    assert split_reasoning(text)[1] == ""
    assert answer_start(text) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "Put the steps into <think> and </think>.",
        "Use the </think> tag to close.",
        "`</think>` ends the block.",
        "The closing tag is </think>",
        "<think> is a tag that models write.",
        "```xml\n</think>\n```",
        "I think it is Paris.",
        "analysis of the text",
        "analysis of gpt-oss: assistantfinal begins the answer",
        "Thinking... it is Paris, and I am done thinking.",
        "<details><summary>Sources</summary>A map.</details>\nParis",
        "a < b",
    ],
)
def test_an_answer_about_tags_is_unchanged(text):
    assert split_reasoning(text) == ("", text)
    assert answer_start(text) == 0


def test_reply_keeps_its_reasoning_and_the_tokens_of_the_answer():
    texts = ("<think>", "No", ".", "</think>", "\n\n", "Par", "is")
    reply = Reply("".join(texts), logprobs=tuple(TokenLogprob(text, -0.5) for text in texts))
    assert (reply.text, reply.reasoning) == ("Paris", "No.")
    assert [token.token for token in reply.logprobs] == ["Par", "is"]
    assert load_reply(dump_reply(reply)) == reply


def test_the_ledger_stores_no_reasoning_for_a_reply_without_any():
    assert "reasoning" not in parse_json(dump_reply(Reply("Paris")))


def answered(message):
    body = '{"choices": [{"message": %s, "finish_reason": "length"}]}'
    return parse_reply(body % message, Scrubber([]), model="m")


@pytest.mark.parametrize(
    "message",
    [
        '{"content": "Paris", "reasoning_content": "Lyon? No."}',
        '{"content": "Paris", "reasoning": "Lyon? No."}',
        '{"content": [{"type": "thinking", "thinking": "Lyon? No."}, {"type": "text", "text": "Paris"}]}',
        '{"content": "<think>Lyon? No.</think>Paris"}',
    ],
)
def test_endpoint_reports_reasoning_in_every_form(message):
    reply = answered(message)
    assert (reply.text, reply.reasoning) == ("Paris", "Lyon? No.")


def test_reply_of_reasoning_alone_is_a_failure():
    with pytest.raises(CallError, match=r"answered without text \(reasoning alone"):
        answered('{"content": "<think>Lyon? N"}')
