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

PIECES = (
    *("@", "a", "²", "(", "<", "&", "-", "1,", " a-", "<think>", "http://", "@a.", "a@", "://", "x=", "a+b"),
    *(
        "1",
        "a1",
        "a-",
        "1-1-",
        "_",
        "[",
        "a(",
        "!",
        "++",
        "a+=",
        "not ",
        "\n",
        "\t",
        " ",
        '"a',
        "'",
        "<a b=c ",
    ),
    *(
        "&lt;",
        "</think>",
        "<eos>",
        "<a ",
        '<a b="',
        "<!--",
        "{",
        '{"a":',
        "{ //",
        "Score: ",
        "4 or 5 ",
        "\\boxed{",
    ),
    *(
        "explanation: ",
        "January 1, ",
        "10:30",
        "1'000'",
        "twenty-",
        "A.",
        "O'B",
        "Ann and Bob ",
        "万1",
        "a_b and ",
    ),
)
MIXTURES = ("@(-", "<think>@", "a-@a.", "http://a@", "(a-1,", "²(²", "&<-", "1,(a", "f(a+=", "x++-")


def seconds(work, text):
    """Return the median time of three turns, each with a text that was not read before."""
    spent = []
    for turn in range(3):
        start = time.process_time()
        work(f"{text}{turn}")
        spent.append(time.process_time() - start)
    return statistics.median(spent)


def assert_time_is_linear(work, piece):
    short, long = ((piece * (size // len(piece))) for size in (SIZE // 2, SIZE))
    spent = seconds(work, long)
    if spent > FLOOR:
        assert spent < 3 * seconds(work, short)


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


@pytest.mark.parametrize("work", [check_guards, split_reasoning, read_html, read_replies])
@pytest.mark.parametrize("piece", ["@", "a", " a-", "²", "f(a+="])
def test_hostile_text_takes_time_in_proportion_to_its_length(work, piece):
    assert_time_is_linear(work, piece)


@pytest.mark.exhaustive
@pytest.mark.parametrize("work", [check_guards, split_reasoning, read_html, read_replies])
@pytest.mark.parametrize("piece", [*PIECES, *MIXTURES])
def test_no_hostile_text_takes_more(work, piece):
    assert_time_is_linear(work, piece)


@pytest.mark.parametrize("name", GUARDS)
@pytest.mark.parametrize(
    "text", ["a-" * 1000, "x++" * 30, "a" + "++" * 400, "f(a+=" * 40, "not " * 2000, "(" * 2000]
)
def test_guard_reads_text_of_any_depth(name, text):
    GUARDS[name].check(f"{text} 5 a.", f"{text[2:]} 6 a.")
