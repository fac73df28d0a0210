"""Replies survive their way through the ledger."""

from hypothesis import given
from hypothesis import strategies as st

from semscale.chat.ledger.reply_json import dump_reply, load_reply
from semscale.chat.messages import Reply, TokenLogprob, Usage

LOGPROBS = st.floats(max_value=0.0, allow_nan=False, allow_infinity=False)
TOKENS = st.builds(
    TokenLogprob, st.text(), LOGPROBS, st.lists(st.tuples(st.text(), LOGPROBS), max_size=3).map(tuple)
)
REPLIES = st.builds(
    Reply,
    text=st.text(),
    finish_reason=st.sampled_from(["stop", "length"]),
    usage=st.none() | st.builds(Usage, st.integers(0, 10**9), st.integers(0, 10**9)),
    logprobs=st.none() | st.lists(TOKENS, max_size=3).map(tuple),
    model=st.text(),
    raw=st.text(),
)


@given(REPLIES)
def test_every_reply_comes_back_equal(reply):
    assert load_reply(dump_reply(reply)) == reply


def test_the_form_of_older_ledgers():
    # Written by hand: a ledger of years ago must still be read.
    stored = '{"text":"4","finish_reason":"stop","usage":[12,1],"logprobs":null,"model":"m","raw":"{}"}'
    assert dump_reply(Reply("4", "stop", Usage(12, 1), None, "m", "{}")) == stored


def test_the_time_that_a_call_took_is_kept_and_makes_no_reply_another_one():
    reply = Reply("4", seconds=1.25)
    assert load_reply(dump_reply(reply)).seconds == 1.25
    assert load_reply(dump_reply(Reply("4"))).seconds is None
    assert reply == Reply("4")


def test_half_of_a_surrogate_pair_comes_back_and_can_be_stored():
    reply = Reply("a whole \U0001f600", raw="a cut-off \ud83d")
    stored = dump_reply(reply)
    assert '"raw":"a cut-off \\ud83d"' in stored
    assert stored.isascii()
    assert load_reply(stored) == reply
