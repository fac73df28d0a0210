"""Texts that a sender makes up to keep the program busy: twice the length takes at most thrice the time."""

import statistics
import time

import pytest

from semscale.guards.registry import GUARDS, Guards
from semscale.guards.text import read_text
from semscale.html_texts import has_html, html_text
from semscale.judging import load_template, read_reply
from semscale.reasoning import split_reasoning

SIZE = 20_000
FLOOR = 1.0
"""Seconds of processor time below which a text is no threat, and times are too short to compare."""


def seconds(work, text, turns=3):
    """Return the median time of some turns, each with a text that was not read before."""
    spent = []
    for turn in range(turns):
        start = time.process_time()
        work(f"{text}{turn}")
        spent.append(time.process_time() - start)
    return statistics.median(spent)


def assert_time_is_linear(work, piece):
    short, long = ((piece * (size // len(piece))) for size in (SIZE // 2, SIZE))
    # A single turn clears nearly all texts; only what seems to be slow is measured by medians.
    first = seconds(work, long, turns=1)
    if first > FLOOR and first > 3 * seconds(work, short, turns=1):
        assert seconds(work, long) < 3 * seconds(work, short)


def check_guards(text):
    """Check a text against a short one, and against one that differs at its end."""
    read_text.cache_clear()
    for left, right in ((text, "It takes 5 days."), (f"{text} 5 a.", f"{text[:-40]} 6 b.")):
        Guards().check(left, right)


def read_html(text):
    return has_html(text), html_text(text)


def read_replies(text):
    template = load_template("likert")
    for reply in (text, f"Score: 4\n{text} 5", f'{{"score": 4, "explanation": "{text}"}}'):
        read_reply(reply, template)


READERS = [check_guards, split_reasoning, read_html, read_replies]
FIRST = ["@", "a", " a-", "²", "f(a+="]

HOSTILE = {
    check_guards: [
        "(", "-", "1,", "http://", "@a.", "a@", "://", "x=", "a+b", "1", "a1", "a-", "1-1-", "_", "[", "a(",
        "++", "a+=", "not ", "\n", " ", '"a', "'", "&", "<", "4 or 5 ", "January 1, ", "10:30 ", "1'000'",
        "twenty-", "A.", "O'B", "Ann and Bob ", "Abc ", "万1", "a_b and ", "@(-", "a-@a.", "http://a@",
        "(a-1,", "²(²", "1,(a", "x++-", "1.", "a.", ":", "10.0.0.1 ", "oil floats above water ",
        "5 working ", "5 working days ", "we pay ", "at our own expense ", "done by you ",
    ],
    split_reasoning: [
        "<", "<think>", "</think>", "<think>@", "<eos>", "<a ", "\n", " ",
        "<unused94>", "[|thought|]", "<|channel|>analysis", "◁think▷", "Thinking...\n", "...done thinking.\n",
        "<antThinking>", "<details>",
    ],
    read_html: [
        "<", "&", "&lt;", "<a ", "<a b=c ", '<a b="', "<!--", "</think>", "&<-", "x=", "'", "!",
        "<![CDATA[", "<o:p ", "<![if ", "<?xml ", "<!doctype ", "<svg ", "<head>", '<p a="b"', "&nbsp",
    ],
    read_replies: [
        "4 ", "Score: ", "4 or 5 ", "score of ", "I give it ", "{", '{"score": ', '{"a":', "{ //", "\n{a:",
        "'reason': '", "\\boxed{", "explanation: ", "<think>", "<score>", "<a ", "(", "[", ". ", "; ", "so, ",
        "the ", "not ", "`", "```\n", "~~", '"', "'", "\n", "\t", " ", "评分",
        "4 (Good) ", "4/5 — ", "Score: <4> ", '"score": 4\n"reason": "x" ',
        '{"type": "object", "properties": ', "Wynik: ", "評価",
    ],
}  # fmt: skip
"""Pieces of texts by what reads them: each begins something that the reader looks for, and never ends it."""


@pytest.mark.parametrize("work", READERS)
@pytest.mark.parametrize("piece", FIRST)
def test_hostile_text_takes_time_in_proportion_to_its_length(work, piece):
    assert_time_is_linear(work, piece)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("work", "piece"), [(work, piece) for work, pieces in HOSTILE.items() for piece in pieces]
)
def test_no_hostile_text_takes_more(work, piece):
    assert_time_is_linear(work, piece)


@pytest.mark.parametrize("name", GUARDS)
@pytest.mark.parametrize(
    "text", ["a-" * 1000, "x++" * 30, "a" + "++" * 400, "f(a+=" * 40, "not " * 2000, "(" * 2000]
)
def test_guard_reads_text_of_any_depth(name, text):
    GUARDS[name].check(f"{text} 5 a.", f"{text[2:]} 6 a.")
